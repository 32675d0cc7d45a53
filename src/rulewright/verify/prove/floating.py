"""Floats in z3: the theory of IEEE 754 numbers for the dtypes that are such.

A float is its value and its bits, which tell one NaN from another. The theory has one NaN: which
bits a NaN of arithmetic has is a function of the op and of the bits of its operands, of which
nothing else is known. So is the result of an op without an `smt` clause. Of the 8-bit floats that
are not IEEE 754's (one NaN, no infinities) only the order and the sign are known: what is proved of
them holds whatever their sums and products are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtype
from rulewright.ir.ops import Ops
from rulewright.verify.prove.smt import SmtDomain
from rulewright.verify.prove.terms import BOOL, Kind, Term, Unsupported

_MOST_CHOICES = 6  # of which all combinations are tried

_INNOCUOUS = "a result of twice the digits and two that is rounded again is rounded right"


class Number(NamedTuple):
    """A float: a term of z3's floats, and its bits, which are worked out when asked for."""

    value: Any
    bits: Callable[[], Any]


class Floats(SmtDomain):
    """A domain of z3 terms with floats; an index has 64 bits."""

    floats = True

    def __init__(self) -> None:
        super().__init__()
        self._near = self.z3.RNE(self.context)

    def begin(self) -> None:
        """Forget all unknowns, for a question of its own."""
        super().begin()
        self.asked: list[str] = []
        self._choices: dict[tuple[Any, ...], tuple[str, Any]] = {}
        self._origin: dict[int, tuple[str, tuple[Term, ...], Any]] = {}

    def solver(self) -> Any:
        """Floats become circuits of bits, and those a question of logic."""
        return self.z3.Tactic("qffp", self.context).solver()

    def cases(self) -> list[list[Any]]:
        """Each way that truth values may be: where a choice is made, the same sums are the same."""
        names = [raw for kind, raw in self.unknowns.values() if kind.sort == "bool"]
        if len(names) > _MOST_CHOICES:
            return [[]]
        ways = itertools.product((True, False), repeat=len(names))
        return [[raw == value for raw, value in zip(names, way, strict=True)] for way in ways]

    # ---- values ----

    def _sort(self, kind: Kind) -> Any:
        row = dtype(kind.name).row
        return self.z3.FPSort(row["exponent"], row["mantissa"] + 1, self.context)

    def _pattern(self, bits: int, kind: Kind) -> Any:
        return self.z3.BitVecVal(bits, kind.bits, self.context)

    def _read(self, kind: Kind, bits: Any) -> Number:
        """The float that some bits are."""
        value = self.z3.fpBVToFP(bits, self._sort(kind), self.context) if ieee(kind) else bits
        return Number(value, lambda: bits)

    def _computed(self, kind: Kind, value: Any, op: str, *operands: Any) -> Number:
        """A result of arithmetic; its NaN has bits that only the op knows."""

        quiet = nans(kind.name)[0] & ~(1 << (kind.bits - 1))  # arithmetic makes no other

        def bits() -> Any:
            nan = self._function(f"nan {op}", kind.bits, operands) | self._pattern(quiet, kind)
            number = self.z3.fpToIEEEBV(value, self.context)
            return self.z3.If(self.z3.fpIsNaN(value, self.context), nan, number)

        return Number(value, bits)

    def _function(self, name: str, bits: int, operands: tuple[Any, ...]) -> Any:
        """An unknown function of some bits."""
        sorts = [o.sort() for o in operands]
        result = self.z3.BitVecSort(bits, self.context)
        label = " ".join([name, *(str(s) for s in sorts), str(bits)])
        return self.z3.Function(label, *sorts, result)(*operands)

    def _plain(self, term: Term) -> Any:
        """A term as a value that functions take: of a float its bits."""
        return term.raw.bits() if term.kind.sort == "float" else term.raw

    def _canonical(self, term: Term) -> Any:
        """The same with one NaN for all."""
        raw = self._plain(term)
        if not ieee(term.kind):
            return raw
        nan = self._pattern(nans(term.kind.name)[0], term.kind)
        value = self.z3.fpToIEEEBV(term.raw.value, self.context)
        return self.z3.If(self.z3.fpIsNaN(term.raw.value, self.context), nan, value)

    def symbol(self, name: str, kind: Kind) -> Any:
        """An unknown of a kind."""
        raw = super().symbol(name, kind)
        return self._read(kind, raw) if kind.sort == "float" else raw

    def const(self, kind: Kind, value: Any) -> Any:
        """A known value."""
        if kind.sort != "float":
            return super().const(kind, value)
        number = np.asarray(dtype(kind.name).const(value)).astype(dtype(kind.name).np)
        return self._read(kind, self._pattern(int(number.view(f"u{kind.bits // 8}")), kind))

    # ---- arithmetic ----

    def unary(self, op: str, kind: Kind, a: Any) -> tuple[Kind, Any]:
        """`neg`, `sqrt`, `trunc` of floats."""
        if kind.sort != "float":
            return super().unary(op, kind, a)
        z3 = self.z3
        if not ieee(kind):
            return kind, self._negated(kind, a) if op == "neg" else self._looked_up(op, kind, a)
        if op == "neg":
            sign = self._pattern(1 << (kind.bits - 1), kind)
            return kind, Number(z3.fpNeg(a.value, self.context), lambda: a.bits() ^ sign)
        if op not in ("sqrt", "trunc"):
            raise Unsupported(f"{op} of a float")
        if op == "sqrt":
            value = z3.fpSqrt(self._near, a.value, self.context)
        else:  # by way of f64: z3 has no answer for the shortest floats, and it is exact
            wide = z3.fpFPToFP(self._near, a.value, z3.Float64(self.context), self.context)
            whole = z3.fpRoundToIntegral(z3.RTZ(self.context), wide, self.context)
            value = z3.fpFPToFP(self._near, whole, self._sort(kind), self.context)
        self._note(value, op, Term(self, kind, a))
        return kind, self._computed(kind, value, op, a.bits())

    def binary(self, op: str, a: Term, b: Term) -> tuple[Kind, Any]:
        """Arithmetic and comparisons."""
        if a.kind.sort != "float":
            return super().binary(op, a, b)
        if not ieee(a.kind):
            return self._unknown_binary(op, a, b)
        z3, x, y = self.z3, a.raw.value, b.raw.value
        compare = {"lt": z3.fpLT, "le": z3.fpLEQ, "eq": z3.fpEQ}
        if op in compare:
            return BOOL, compare[op](x, y, self.context)
        functions = {"add": z3.fpAdd, "sub": z3.fpSub, "mul": z3.fpMul, "fdiv": z3.fpDiv}
        if op not in functions:
            raise Unsupported(f"{op} of floats")
        if op in ("add", "mul") and y.get_id() < x.get_id():
            x, y = y, x  # but for the NaN it is the same, and then it is the same term
        if op == "sub" and y.get_id() < x.get_id():
            value = self._turned(x, y, a.kind)
        else:
            value = functions[op](self._near, x, y, self.context)
        self._note(value, op, a, b)
        return a.kind, self._computed(a.kind, value, op, a.raw.bits(), b.raw.bits())

    def _turned(self, x: Any, y: Any, kind: Kind) -> Any:
        """x - y by y - x: rounding to nearest is the same for either sign, and only of equal
        numbers is the difference 0.0 both ways. z3 compares two subtractors for minutes.
        """
        z3 = self.z3
        number = z3.Not(z3.Or(z3.fpIsNaN(x, self.context), z3.fpIsInf(x, self.context)))
        turned = z3.fpNeg(z3.fpSub(self._near, y, x, self.context), self.context)
        return z3.If(z3.And(x == y, number), z3.fpPlusZero(self._sort(kind)), turned)

    def _unknown(self, op: str, kind: Kind, *operands: Any) -> Number:
        bits = self._function(op, kind.bits, operands)
        return self._read(kind, bits)

    def _unknown_binary(self, op: str, a: Term, b: Term) -> tuple[Kind, Any]:
        """Of the bits alone, and the same for either order where an op is commutative."""
        operands = (a.raw.value, b.raw.value)
        if op in ("add", "mul") and operands[1].get_id() < operands[0].get_id():
            operands = operands[1], operands[0]
        if op not in ("lt", "le", "eq"):
            return a.kind, self._unknown(op, a.kind, *operands)
        x, y = (self._rank(t) for t in (a, b))
        holds = {"lt": x < y, "le": x <= y, "eq": x == y}[op]
        return BOOL, self.z3.And(holds, *(self.z3.Not(self._is_nan(t)) for t in (a, b)))

    def _rank(self, a: Term) -> Any:
        """An integer that orders numbers as they are: the bits but for the sign."""
        sign = self._pattern(1 << (a.kind.bits - 1), a.kind)
        size = a.raw.value & ~sign
        return self.z3.If(a.raw.value & sign == 0, size, -size)

    def _looked_up(self, op: str, kind: Kind, a: Number) -> Number:
        """A function of 8 bits, by the table of what the interpreter computes."""
        values = np.arange(256, dtype=np.uint8).view(dtype(kind.name).np)
        results = compute(
            Ops.TRUNC if op == "trunc" else Ops.SQRT,
            dtype(kind.name),
            None,
            [values],
            dtype(kind.name),
        )
        chosen = self._pattern(0, kind)
        for place, bits in enumerate(results.view(np.uint8).tolist()):
            chosen = self.z3.If(a.value == place, self._pattern(bits, kind), chosen)
        return self._read(kind, chosen)

    def _negated(self, kind: Kind, a: Number) -> Number:
        """The other sign; not of a NaN or a zero that has none."""
        sign = self._pattern(1 << (kind.bits - 1), kind)
        kept = a.value & ~sign == 0 if nans(kind.name) == (1 << (kind.bits - 1),) else False
        return self._read(kind, self.z3.If(kept, a.value, a.value ^ sign))

    def fused(self, a: Term, b: Term, c: Term) -> Any:
        """a * b + c, rounded once."""
        numbers = [t.raw for t in (a, b, c)]
        if not ieee(a.kind):
            return self._unknown("fused", a.kind, *(n.bits() for n in numbers))
        value = self.z3.fpFMA(self._near, *(n.value for n in numbers), self.context)
        return self._computed(a.kind, value, "fused", *(n.bits() for n in numbers))

    def opaque(self, name: str, kind: Kind, operands: list[Term]) -> Any:
        """Equal for equal operands, and more is not known."""
        canonical = tuple(self._canonical(o) for o in operands)
        number = self._unknown(name, kind, *canonical)
        if not ieee(kind):
            return number
        return self._computed(kind, number.value, name, *(self._plain(o) for o in operands))

    # ---- choices and conversions ----

    def choose(self, condition: Any, a: Term, b: Term) -> tuple[Kind, Any]:
        """Either, by a condition."""
        if a.kind.sort != "float":
            return super().choose(condition, a, b)
        x, y, z3 = a.raw, b.raw, self.z3
        chosen = z3.If(condition, x.value, y.value)
        return a.kind, Number(chosen, lambda: z3.If(condition, x.bits(), y.bits()))

    def either(self, a: Term, b: Term, op: str) -> Any:
        """Any one of two results: a choice that is the same for the same op and operands."""
        x, y = a.raw.value, b.raw.value
        key = (op, x.get_id(), y.get_id())
        if key not in self._choices:
            self._choices[key] = (f"choice {len(self._choices)}", (x, y))  # which keeps the ids
        name = self._choices[key][0]
        self.asked.append(name)
        return self.choose(self.z3.Bool(name, self.context), a, b)[1]

    def some_choice(self, names: list[str], holds: Any) -> Any:
        """Whether something holds for one way at least to make these choices."""
        if len(names) > _MOST_CHOICES:
            raise Unsupported("many results left open")
        return self.z3.Or(*self.ways(holds, names))

    def ways(self, term: Any, names: Collection[str] | None = None) -> list[Any]:
        """A term for each way to make some choices, or all that were asked for."""
        z3, terms = self.z3, []
        names = dict.fromkeys(self.asked) if names is None else names
        for values in itertools.product((False, True), repeat=len(names)):
            pairs = [
                (z3.Bool(n, self.context), z3.BoolVal(v, self.context))
                for n, v in zip(names, values, strict=True)
            ]
            terms.append(z3.substitute(term, *pairs) if pairs else term)
        return terms

    def cast(self, a: Term, kind: Kind) -> Any:
        """To and from floats: see the row of CAST."""
        if "float" not in (a.kind.sort, kind.sort):
            return super().cast(a, kind)
        if not theory(a.kind):
            return self._unknown_cast(a, kind)
        z3 = self.z3
        if not theory(kind):
            return self._read(kind, rounded(z3, self.context, *self._wide(a), kind))
        if kind.sort != "float":
            return self._whole_of(a.raw.value, a.kind, kind)
        sort = self._sort(kind)
        if a.kind.sort == "float":
            value = self._once(a, kind)
            if value is None:
                value = z3.fpFPToFP(self._near, a.raw.value, sort, self.context)
            self._note(value, "cast", a)
            return self._computed(kind, value, f"cast {a.kind.name}", a.raw.bits())
        convert = z3.fpSignedToFP if a.kind.signed else z3.fpUnsignedToFP
        return self._computed(kind, convert(self._near, a.raw, sort, self.context), "whole")

    def _note(self, value: Any, op: str, *operands: Term) -> None:
        """Of what a value was made; which also keeps its id its own."""
        self._origin.setdefault(value.get_id(), (op, operands, value))

    def _once(self, a: Term, kind: Kind) -> Any:
        """A result of twice the digits and two, rounded once more: the correctly rounded result.

        Where the operands are of the narrow kind. S. Figueroa, When is double rounding innocuous?
        SIGNUM Newsletter 30 (1995); z3 takes minutes for it.
        """
        op, operands, _ = self._origin.get(a.raw.value.get_id(), ("", (), None))
        digits = [dtype(k.name).row["mantissa"] + 1 for k in (a.kind, kind)]
        if op not in ("add", "sub", "mul", "fdiv", "sqrt") or digits[0] < 2 * digits[1] + 2:
            return None
        narrow = [self._origin.get(o.raw.value.get_id(), ("", (), None))[:2] for o in operands]
        if any(inner != "cast" or sources[0].kind != kind for inner, sources in narrow):
            return None
        self.assumes = _INNOCUOUS
        first, *rest = (sources[0] for _, sources in narrow)
        result = self.binary(op, first, *rest) if rest else self.unary(op, kind, first.raw)
        return result[1].value

    def _wide(self, a: Term) -> tuple[Any, int]:
        """A number in a sort that holds it exactly, and how many digits that has."""
        z3, digits = self.z3, 65 if a.kind.sort == "bits" and a.kind.bits > 53 else 53
        sort = z3.FPSort(11, digits, self.context)
        if a.kind.sort == "float":
            return z3.fpFPToFP(self._near, a.raw.value, sort, self.context), digits
        convert = z3.fpSignedToFP if a.kind.signed else z3.fpUnsignedToFP
        return convert(self._near, a.raw, sort, self.context), digits

    def _unknown_cast(self, a: Term, kind: Kind) -> Any:
        label, bits = f"cast {a.kind.name} {kind.name}", self._canonical(a)
        if kind.sort == "float":
            return self._unknown(label, kind, bits)
        return self._function(label, kind.bits, (bits,))

    def _whole_of(self, value: Any, source: Kind, kind: Kind) -> Any:
        """A float as an integer: toward zero, the nearest bound out of range, 0 for NaN."""
        if not kind.bits:
            raise Unsupported("a float as an unbounded integer")
        z3, toward_zero = self.z3, self.z3.RTZ(self.context)
        low, high = (self.const(source, float(v)).value for v in (kind.lo, kind.hi + 1))
        convert = z3.fpToSBV if kind.signed else z3.fpToUBV
        inside = convert(toward_zero, value, z3.BitVecSort(kind.bits, self.context), self.context)
        inside = z3.If(z3.fpLEQ(value, low, self.context), self.const(kind, kind.lo), inside)
        inside = z3.If(z3.fpGEQ(value, high, self.context), self.const(kind, kind.hi), inside)
        return z3.If(z3.fpIsNaN(value, self.context), self.const(kind, 0), inside)

    def bits_as(self, a: Term, kind: Kind) -> Any:
        """The bits of a value read as another kind of the same width."""
        raw = self._plain(a)
        return self._read(kind, raw) if kind.sort == "float" else raw

    # ---- equivalence ----

    def unlike(self, a: Term, b: Term, level: str) -> Any:
        """Whether two floats differ more than a level of equivalence allows."""
        z3, kind = self.z3, a.kind
        if level == "bits":
            return a.raw.bits() != b.raw.bits()
        same = a.raw.value == b.raw.value  # z3's equality: one NaN, two zeros
        if not ieee(kind):
            same = z3.Or(same, z3.And(self._is_nan(a), self._is_nan(b)))
        if level != "nan_payload":
            same = z3.Or(same, self._both_zero(a, b))
        return z3.Not(same)

    def _is_nan(self, a: Term) -> Any:
        bits = a.raw.bits()
        return self.z3.Or(*[bits == self._pattern(p, a.kind) for p in nans(a.kind.name)])

    def _both_zero(self, a: Term, b: Term) -> Any:
        if ieee(a.kind):
            return self.z3.And(*(self.z3.fpIsZero(x.raw.value, self.context) for x in (a, b)))
        sign = self._pattern((1 << (a.kind.bits - 1)) - 1, a.kind)
        nan = [self.z3.Not(self._is_nan(x)) for x in (a, b)]
        return self.z3.And(*nan, *(x.raw.bits() & sign == 0 for x in (a, b)))


class Numbers(Floats):
    """The same, where a NaN is a NaN: of its bits z3 knows less than the interpreter does."""

    def unlike(self, a: Term, b: Term, level: str) -> Any:
        """Whether two floats differ, be it not in the bits of a NaN alone."""
        return super().unlike(a, b, "nan_payload" if level == "bits" else level)


def ieee(kind: Kind) -> bool:
    """Whether a kind is a float of IEEE 754, with infinities and two zeros."""
    return kind.sort == "float" and _is_ieee(dtype(kind.name))


def theory(kind: Kind) -> str:
    """What z3 knows of a kind: "" for the floats that it does not."""
    return kind.sort if kind.sort != "float" or ieee(kind) else ""


def rounded(z3: Any, context: Any, value: Any, digits: int, kind: Kind) -> Any:
    """The bits of a number as an 8-bit float without infinities; too large is NaN.

    `value` has 11 bits of exponent and `digits` digits. Below the smallest normal number the last
    place is fixed; above it, rounding to as many digits gives exponent and mantissa.
    """
    near = z3.RNE(context)
    row, bias = dtype(kind.name).row, dtype(kind.name).bias
    places, sort = row["mantissa"], value.sort()
    size = z3.fpAbs(value, context)

    def number(power: float) -> Any:
        return z3.FPVal(power, sort, ctx=context)

    short = z3.fpFPToFP(near, size, z3.FPSort(11, places + 1, context), context)
    normal = z3.fpFPToFP(near, short, sort, context)
    pattern = z3.Extract(digits + 9, digits - 1 - places, z3.fpToIEEEBV(normal, context))
    high = z3.Extract(6, 0, pattern - ((1023 - bias) << places))
    units = z3.fpMul(near, size, number(2.0 ** (bias - 1 + places)), context)
    low = z3.fpToUBV(
        near, z3.fpRoundToIntegral(near, units, context), z3.BitVecSort(7, context), context
    )
    code = z3.If(z3.fpLT(size, number(2.0 ** (1 - bias)), context), low, high)
    sign = z3.If(
        z3.fpIsNegative(value, context), z3.BitVecVal(1, 1, context), z3.BitVecVal(0, 1, context)
    )
    nan = z3.BitVecVal(nans(kind.name)[0], 8, context)
    bits = z3.Concat(sign, code)
    if nans(kind.name) == (128,):  # zero has no sign
        bits = z3.If(code == 0, z3.BitVecVal(0, 8, context), bits)
    lost = z3.Or(z3.fpIsNaN(value, context), z3.fpGT(normal, number(row["largest"]), context))
    return z3.If(lost, nan, bits)


@cache
def _is_ieee(kind: DType) -> bool:
    return "largest" not in kind.row and "bias" not in kind.row


@cache
def nans(name: str) -> tuple[int, ...]:
    """The bits that are NaN; of long floats the one of constants."""
    kind = dtype(name)
    if kind.bits > 8:
        one = np.asarray(np.nan).astype(kind.np)
        return (int(one.view(f"u{kind.bits // 8}")),)
    every = np.arange(256, dtype=np.uint8)
    return tuple(int(b) for b in every[np.isnan(every.view(kind.np).astype(np.float64))])
