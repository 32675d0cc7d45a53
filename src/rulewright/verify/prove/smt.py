"""The second tactic: z3, over bit-vectors of the dtypes' own widths and unbounded integers.

A quotient and a remainder of unbounded integers are symbols of their own with their defining
property, which z3 handles where a division by a symbol times out. Guards are computed in
bit-vectors that grow, so that nothing in them can wrap.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from rulewright.verify.prove.arithmetic import Floor, lemmas
from rulewright.verify.prove.terms import BOOL, EXACT, SHIFTED, Kind, Term, Unsupported

WORK = 4_500_000
"""What z3 counts as work in about a second, so that answers do not depend on who else computes."""


_DIVISIONS = ("floordiv", "floormod", "cdiv", "cmod")
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_,
    "or": operator.or_, "xor": operator.xor, "shl": operator.lshift, "shr": operator.rshift,
}  # fmt: skip


def available() -> bool:
    """Whether z3 is installed (the extra `prove`)."""
    from importlib.util import find_spec

    return find_spec("z3") is not None


def version() -> str:
    """Of z3, or "" where it is not installed."""
    if not available():
        return ""
    import z3

    return str(z3.get_version_string())


class SmtDomain:
    """A domain of z3 terms. An exact kind with `bits` is a bit-vector, without an Int.

    `facts` are the properties that define quotients, remainders and common divisors.
    """

    invalid = True
    floats = False
    assumes = ""  # what is taken for granted beside z3
    whole = True  # a counterexample is one, so that it is worth asking again in another way

    def __init__(self) -> None:
        import z3

        self.z3 = z3
        self.context = z3.Context()  # of its own: what was asked before changes no answer
        self.begin()

    def begin(self) -> None:
        """Forget all unknowns, for a question of its own."""
        self.unknowns: dict[str, tuple[Kind, Any]] = {}
        self.facts: list[Any] = []
        self._divided: dict[tuple[bool, int, int], tuple[Any, ...]] = {}
        self._by_zero: dict[int, tuple[Any, ...]] = {}  # when by 0, what it is then, the result
        self._common: dict[tuple[int, int], tuple[Any, ...]] = {}
        self._wraps: dict[tuple[Kind, int], tuple[Any, Any]] = {}

    def solver(self) -> Any:
        """What answers questions in this theory."""
        return self.z3.Solver(ctx=self.context)

    def cases(self) -> list[list[Any]]:
        """Conditions of which one holds surely; each is a question of its own."""
        return [[]]

    def symbol(self, name: str, kind: Kind) -> Any:
        """An unknown of a kind."""
        if name not in self.unknowns:
            z3 = self.z3
            if kind.sort == "bool":
                raw = z3.Bool(name, self.context)
            else:
                raw = (
                    z3.BitVec(name, kind.bits, self.context)
                    if kind.bits
                    else z3.Int(name, self.context)
                )
            self.unknowns[name] = (kind, raw)
        return self.unknowns[name][1]

    def _whole(self, value: int) -> Any:
        return self.z3.IntVal(value, self.context)

    def _fresh(self, name: str) -> Any:
        return self.z3.FreshInt(name, self.context)

    def const(self, kind: Kind, value: int) -> Any:
        """A known value."""
        if kind.sort == "bool":
            return self.z3.BoolVal(bool(value), self.context)
        if kind.bits:
            return self.z3.BitVecVal(value, kind.bits, self.context)
        return self._whole(value)

    def unary(self, op: str, kind: Kind, a: Any) -> tuple[Kind, Any]:
        """`neg`, `not`, or `ilog2` of a guard."""
        if kind.sort == "bool":
            return kind, self.z3.Not(a)
        if op == "ilog2":
            return kind, self._ilog2(kind, a)
        if kind.sort == "exact" and kind.bits and op == "neg":
            kind = kind._replace(bits=kind.bits + 1)
            a = self.z3.SignExt(1, a)
        if not kind.bits:
            return kind, -a if op == "neg" else -a - 1
        return kind, -a if op == "neg" else ~a

    def _ilog2(self, kind: Kind, a: Any) -> Any:
        if not kind.bits:
            raise Unsupported("ilog2 of an unbounded integer")
        log = self.const(kind, 0)
        for power in range(1, kind.bits - 1):
            log = self.z3.If(a >= self.const(kind, 1 << power), self.const(kind, power), log)
        return log

    def binary(self, op: str, a: Term, b: Term) -> tuple[Kind, Any]:
        """Arithmetic; exact bit-vectors are widened first."""
        kind, left, right = a.kind, a.raw, b.raw
        if kind.sort == "exact":
            kind, left, right = self._aligned(op, a, b)
        if kind.sort == "bool":
            return BOOL, self._truth(op, left, right)
        if op in ("lt", "le", "eq"):
            return BOOL, self._compare(op, kind, left, right)
        if not kind.bits:
            return kind, self._integer(op, left, right)
        return kind, self._bits(op, kind, left, right)

    def _truth(self, op: str, a: Any, b: Any) -> Any:
        z3 = self.z3
        functions = {"and": z3.And, "or": z3.Or, "xor": z3.Xor, "eq": operator.eq}
        if op in ("lt", "le"):
            return (z3.And if op == "lt" else z3.Or)(z3.Not(a), b)
        if op not in functions:
            raise Unsupported(f"{op} of truth values")
        return functions[op](a, b)

    def _compare(self, op: str, kind: Kind, a: Any, b: Any) -> Any:
        if op == "eq":
            return a == b
        if kind.bits and not kind.signed:
            return self.z3.ULT(a, b) if op == "lt" else self.z3.ULE(a, b)
        return a < b if op == "lt" else a <= b

    def _aligned(self, op: str, a: Term, b: Term) -> tuple[Kind, Any, Any]:
        """Two integers of a guard in a width that holds the result."""
        if not (a.kind.bits and b.kind.bits):
            whole = a.kind._replace(bits=0)
            return whole, self.cast(a, whole), self.cast(b, whole)
        bits = max(a.kind.bits, b.kind.bits)
        if op in ("add", "sub", "floordiv", "cdiv"):
            bits += 1
        elif op == "mul":
            bits = a.kind.bits + b.kind.bits
        elif op == "shl":
            bits += SHIFTED
        elif op == "gcd":
            raise Unsupported(f"{op} in a guard")
        kind = a.kind._replace(bits=bits)
        return kind, self.cast(a, kind), self.cast(b, kind)

    # ---- bit-vectors ----

    def _bits(self, op: str, kind: Kind, a: Any, b: Any) -> Any:
        if op in _DIVISIONS:
            return self._divide(op, kind, a, b)
        if op == "shr" and not kind.signed:
            return self.z3.LShR(a, b)
        return _OPERATORS[op](a, b)

    def _divide(self, op: str, kind: Kind, a: Any, b: Any) -> Any:
        z3, zero = self.z3, self.const(kind, 0)
        if not kind.signed:
            return z3.URem(a, b) if op.endswith("mod") else z3.UDiv(a, b)
        if op == "floormod":
            return a % b  # bvsmod: the sign of the divisor
        rest = z3.SRem(a, b)
        if op == "cmod":
            return rest
        toward_zero = a / b
        if op == "cdiv":
            return toward_zero
        below = z3.And(rest != zero, (rest < zero) != (b < zero))
        return z3.If(below, toward_zero - self.const(kind, 1), toward_zero)

    # ---- unbounded integers ----

    def _integer(self, op: str, a: Any, b: Any) -> Any:
        if op in ("add", "sub", "mul"):
            return _OPERATORS[op](a, b)
        if op == "gcd":
            return self._common_divisor(a, b)
        if op in _DIVISIONS:
            quotient, rest = self._quotient(op[0] == "f", a, b)
            zero = self._whole(0)
            result, at_zero = (rest, a) if op.endswith("mod") else (quotient, zero)
            self._by_zero[result.get_id()] = (b == zero, at_zero, result)
            return result
        raise Unsupported(f"{op} of unbounded integers")

    def _quotient(self, floor: bool, a: Any, b: Any) -> tuple[Any, ...]:
        z3 = self.z3
        a, b = z3.simplify(a), z3.simplify(b)
        key = (floor, a.get_id(), b.get_id())
        if key not in self._divided:
            q, r = self._fresh("q"), self._fresh("r")
            if floor:
                inside = z3.If(b > 0, z3.And(r >= 0, r < b), z3.And(b < r, r <= 0))
            else:
                size = z3.If(b > 0, b, -b)
                inside = z3.If(a >= 0, z3.And(r >= 0, r < size), z3.And(-size < r, r <= 0))
            self.facts += [a == b * q + r, z3.If(b == 0, q == 0, inside)]
            self._divided[key] = (q, r, a, b)  # the last two keep the ids theirs
        return self._divided[key][:2]

    def lemmas(self) -> list[Any]:
        """What is known of the quotients and products that were made, which z3 does not find."""
        floors = [Floor(*v) for (floor, _, _), v in self._divided.items() if floor]
        wraps = [(value, raw) for value, raw in self._wraps.values()]
        return list(lemmas(self.z3, floors, wraps, list(self._common.values())))

    def _common_divisor(self, a: Any, b: Any) -> Any:
        """Any common divisor: what holds for all of them holds for the greatest."""
        z3 = self.z3
        key = (a.get_id(), b.get_id())
        if key not in self._common:
            g, i, j = (self._fresh(name) for name in "gij")
            self.facts += [g >= 0, a == g * i, b == g * j, z3.Or(g > 0, z3.And(a == 0, b == 0))]
            self._common[key] = (g, (a, i), (b, j))
        return self._common[key][0]

    # ---- choices and conversions ----

    def choose(self, condition: Any, a: Term, b: Term) -> tuple[Kind, Any]:
        """Either; of two exact widths the larger."""
        kind, left, right = a.kind, a.raw, b.raw
        if kind.sort == "exact":
            kind, left, right = self._aligned("choose", a, b)
        return kind, self._either(condition, left, right)

    def _either(self, condition: Any, a: Any, b: Any) -> Any:
        """One of two; the one where that is known, so that terms are found again in others.

        What a division by 0 gives is open, so that here it is what makes `a = b q + r` hold with
        q = 0: where a clause says the same, the result is that of the division.
        """
        z3, known = self.z3, self.z3.simplify(condition)
        if z3.is_true(known) or z3.is_false(known):
            return a if z3.is_true(known) else b
        by_zero = self._by_zero.get(b.get_id(), ())
        same = [
            z3.simplify(one).eq(z3.simplify(other))
            for one, other in zip(by_zero, (known, a), strict=False)
        ]
        return b if same and all(same) else z3.If(condition, a, b)

    def cast(self, a: Term, kind: Kind) -> Any:
        """Integers wrap. Raises Unsupported between bit-vectors and unbounded integers."""
        source = a.kind
        if bool(source.bits) != bool(kind.bits):
            value = self.z3.simplify(a.raw)
            if not hasattr(value, "as_long"):
                raise Unsupported(f"{source.name} as {kind.name}")
            number = value.as_signed_long() if source.bits and source.signed else value.as_long()
            return self.const(kind, number)
        if not kind.bits or source.bits == kind.bits:
            return a.raw
        if kind.bits < source.bits:
            return self.z3.Extract(kind.bits - 1, 0, a.raw)
        more = kind.bits - source.bits
        return self.z3.SignExt(more, a.raw) if source.signed else self.z3.ZeroExt(more, a.raw)


class Residues(SmtDomain):
    """A domain in which machine integers are integers too: a result that wraps is congruent to it.

    For products and quotients of wide integers, where bit-vectors run out of time. It has no
    shifts and no bit operations.
    """

    def symbol(self, name: str, kind: Kind) -> Any:
        """An unknown integer of the kind's range."""
        if kind.sort != "bits" or name in self.unknowns:
            return super().symbol(name, kind)
        raw = self.z3.Int(name, self.context)
        self.unknowns[name] = (kind, raw)
        self.facts += [raw >= kind.lo, raw <= kind.hi]
        return raw

    def const(self, kind: Kind, value: int) -> Any:
        """A known value."""
        return super().const(BOOL, value) if kind == BOOL else self._whole(value)

    def unary(self, op: str, kind: Kind, a: Any) -> tuple[Kind, Any]:
        """`neg` and `not`."""
        if kind == BOOL:
            return super().unary(op, kind, a)
        if op == "ilog2":
            raise Unsupported("ilog2 of an unbounded integer")
        if kind.sort == "exact":
            kind = kind._replace(bits=0)
        return kind, self._wrapped(kind, -a if op == "neg" else -a - 1)

    def binary(self, op: str, a: Term, b: Term) -> tuple[Kind, Any]:
        """Arithmetic, then what the dtype holds of it; guards are not wrapped."""
        kind = a.kind
        if kind == BOOL:
            return BOOL, self._truth(op, a.raw, b.raw)
        if op in ("lt", "le", "eq"):
            return BOOL, self._compare(op, EXACT, a.raw, b.raw)
        if kind.sort == "exact":
            return kind._replace(bits=0), self._integer(op, a.raw, b.raw)
        result = self._integer(op, a.raw, b.raw)
        if op.endswith("mod"):
            return kind, result
        if op.endswith("div") and not kind.signed:
            return kind, result
        if op.endswith("div"):  # only the lowest number by -1 is too large
            wraps = self.z3.And(a.raw == kind.lo, b.raw == -1)
            held = self.z3.If(wraps, self._whole(kind.lo), result)
            by_zero, at_zero, _ = self._by_zero[result.get_id()]
            self._by_zero[held.get_id()] = (by_zero, at_zero, held)  # the last keeps the id its own
            return kind, held
        return kind, self._wrapped(kind, result)

    def _wrapped(self, kind: Kind, raw: Any) -> Any:
        if kind.sort != "bits":
            return raw
        raw = self.z3.simplify(raw)
        key = (kind, raw.get_id())
        if key not in self._wraps:
            value, times = self._fresh("w"), self._fresh("k")
            self.facts.append(value == raw - (1 << kind.bits) * times)
            self.facts += [value >= kind.lo, value <= kind.hi]
            self._wraps[key] = (value, raw)
        return self._wraps[key][0]

    def choose(self, condition: Any, a: Term, b: Term) -> tuple[Kind, Any]:
        """Either."""
        return a.kind, self._either(condition, a.raw, b.raw)

    def cast(self, a: Term, kind: Kind) -> Any:
        """Integers wrap."""
        return self._wrapped(kind, a.raw)


class UnreadDivision(SmtDomain):
    """A theory in which a division of bit-vectors is an unknown function within its bounds.

    Many rules divide the same numbers on both sides and change what stands around. Circuits of
    dividers do not show that in time; two calls of one function do. What is proved for any such
    function is proved for division. A counterexample may be one of another function, and says
    nothing.
    """

    whole = False

    def _divide(self, op: str, kind: Kind, a: Any, b: Any) -> Any:
        if not kind.signed:
            return self._of_sizes(op, kind, a, b)
        z3, zero = self.z3, self.const(kind, 0)
        size, by = (z3.If(side < zero, -side, side) for side in (a, b))
        unsigned = kind._replace(signed=False)
        quotient_size = self._of_sizes(op, unsigned, size, by)
        rest = self._of_sizes("cmod", unsigned, size, by)
        rest = z3.If(a < zero, -rest, rest)
        if op == "cmod":
            return rest
        apart = z3.And(rest != zero, (rest < zero) != (b < zero))
        if op == "floormod":
            return z3.If(apart, rest + b, rest)
        quotient = z3.If((a < zero) != (b < zero), -quotient_size, quotient_size)
        return quotient if op == "cdiv" else z3.If(apart, quotient - 1, quotient)

    def _of_sizes(self, op: str, kind: Kind, a: Any, b: Any) -> Any:
        """Of numbers without a sign, by what is no 0: the callers see to that."""
        z3, sort = self.z3, self.z3.BitVecSort(kind.bits, self.context)
        name = "rest" if op.endswith("mod") else "quotient"
        result = z3.Function(f"{name} {kind.bits}", sort, sort, sort)(a, b)
        self.facts.append(z3.Implies(b != 0, z3.ULE(result, a)))
        if name == "rest":
            self.facts.append(z3.Implies(b != 0, z3.ULT(result, b)))
        return result
