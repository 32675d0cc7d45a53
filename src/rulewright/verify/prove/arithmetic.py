"""Elementwise ops on elements of graphs of any size.

An index is an unbounded integer that may be INVALID, a truth value one of z3's. A machine integer
is an integer too: sums and products are not wrapped before something else than a sum or product
looks at them, so what is equal is equal for every width. A float is a value of which nothing is
known but that equal operands give equal results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Op, Ops
from rulewright.verify.prove.terms import BOOL, EXACT, Kind, Term as Operand, Unsupported, apply_op
from rulewright.verify.prove.unknown import UnknownFloat

Term = Any

_MOST_PRODUCTS = 12  # of which all pairs are looked at


class Floor(NamedTuple):
    """A quotient and a remainder of unbounded integers: a = b quotient + rest."""

    quotient: Term
    rest: Term
    a: Term
    b: Term


def lemmas(
    z3: Any,
    floors: Sequence[Floor],
    wrapped: Sequence[tuple[Term, Term]],
    common: Sequence[tuple[Any, ...]] = (),
) -> Iterator[Term]:
    """Of some divisions, of numbers with what they are before they wrap, and of common divisors,
    each with both numbers that it divides and how often.
    """
    yield from _twice(z3, floors)
    yield from _between(z3, floors)
    products = _products(z3, floors, wrapped)
    yield from _multiples(z3, floors, products)
    yield from _exact(z3, floors, common)
    yield from _scaled(z3, floors, [g for g, *_ in common])
    yield from _monotone(z3, [(x, y) for _, x, y in products[:_MOST_PRODUCTS]])


def _twice(z3: Any, floors: Sequence[Floor]) -> Iterator[Term]:
    """Dividing twice is dividing once by the product.

    From x = a q + r and q = b s + t follows x = a b s + (a t + r), with 0 <= a t + r < a b for
    positive a and b. Quotient and remainder are unique: x // (a b) = s, x % (a b) = a t + r.
    """
    for q, r, x, a in floors:
        for s, t, y, b in floors:
            for whole, rest, z, c in floors:
                if _is(z3, y, q) and z.eq(x) and not c.eq(a):
                    holds = z3.And(whole == s, rest == a * t + r)
                    premise = z3.And(a > 0, b > 0, c == a * b, y == q)
                    yield z3.Implies(premise, holds)


def _is(z3: Any, term: Term, quotient: Term) -> bool:
    """Whether a term is a quotient, or a signed one that may have wrapped."""
    return bool(
        term.eq(quotient) or (z3.is_app_of(term, z3.Z3_OP_ITE) and term.arg(2).eq(quotient))
    )


def _between(z3: Any, floors: Sequence[Floor]) -> Iterator[Term]:
    """A larger number has no smaller quotient by a positive number."""
    for one in floors:
        for other in floors:
            if one is not other and one.b.eq(other.b):
                premise = z3.And(one.b > 0, one.a <= other.a)
                yield z3.Implies(premise, one.quotient <= other.quotient)


def _products(
    z3: Any, floors: Sequence[Floor], wrapped: Sequence[tuple[Term, Term]]
) -> list[tuple[Term, Term, Term]]:
    """Products of two terms that are not numbers, each with what it is once it has wrapped."""
    products = []
    for value, raw in [*wrapped, *((f.a, f.a) for f in floors)]:
        if z3.is_mul(raw) and raw.num_args() == 2:
            x, y = raw.arg(0), raw.arg(1)
            if not z3.is_int_value(x) and not z3.is_int_value(y):
                products.append((value, x, y))
    return products


def _multiples(
    z3: Any, floors: Sequence[Floor], products: Sequence[tuple[Term, Term, Term]]
) -> Iterator[Term]:
    """If b divides y without a rest, it divides x y, and the quotient is x (y // b)."""
    for q, r, a, b in floors:
        for value, x, y in products:
            if not a.eq(value):
                continue
            for s, t, c, d in floors:
                for factor, other in ((x, y), (y, x)):
                    if c.eq(factor) and d.eq(b):
                        premise = z3.And(b != 0, a == x * y, t == 0)
                        yield z3.Implies(premise, z3.And(r == 0, q == other * s))


def _exact(z3: Any, floors: Sequence[Floor], common: Sequence[tuple[Any, ...]]) -> Iterator[Term]:
    """A divisor divides without a rest."""
    for q, r, a, b in floors:
        for divisor, *divided in common:
            for number, times in divided:
                if b.eq(divisor) and a.eq(number):
                    yield z3.Implies(b > 0, z3.And(r == 0, q == times))


def _scaled(z3: Any, floors: Sequence[Floor], divisors: Sequence[Term]) -> Iterator[Term]:
    """(g u) // (g v) is u // v, and the rest g times as much, where u and g u are products."""
    for q, r, a, b in floors:
        for s, t, u, v in floors:
            for x, c in _factors(z3, a):
                for y, e in _factors(z3, u):
                    for g in divisors if x.eq(y) else ():
                        products = (a == x * c, u == y * e, c == g * e, b == g * v)
                        premise = z3.And(g > 0, v > 0, *products)
                        yield z3.Implies(premise, z3.And(q == s, r == g * t))


def _factors(z3: Any, term: Term) -> list[tuple[Term, Term]]:
    if not z3.is_mul(term) or term.num_args() != 2:
        return []
    x, y = term.arg(0), term.arg(1)
    return [(x, y), (y, x)]


def _monotone(z3: Any, products: Sequence[tuple[Term, Term]]) -> Iterator[Term]:
    """Products by one factor are in the order of the others, or in the opposite one."""
    pairs = [(x, y) for pair in products for x, y in (pair, pair[::-1])]
    for x, c in pairs:
        for y, d in pairs:
            if c.eq(d) and not x.eq(y):
                yield z3.Implies(z3.And(c >= 0, x <= y), x * c <= y * c)
                yield z3.Implies(z3.And(c <= 0, x <= y), x * c >= y * c)


_INDEX: Kind = EXACT._replace(name="index")
_RING = ("ADD", "SUB", "MUL", "NEG", "MULACC")
_ORDER = ("CMPLT", "CMPLE", "CMPEQ", "CMPNE", "MAX", "MIN")


@dataclass
class SymbolicValue:
    """A value of a dtype. `lost`: where it is an INVALID index. `wraps`: it may lie outside."""

    kind: DType
    raw: Any
    lost: Any = None
    wraps: bool = False


class Arithmetic:
    """The ops, over the terms of one domain.

    `any_nan`: one NaN is as good as another. Else a float op commutes and is idempotent but for the
    bits of a NaN, and nothing is made of these laws.
    """

    def __init__(self, symbols: Any, any_nan: bool = False) -> None:
        self.any_nan = any_nan
        self.symbols, self.z3, self.context = symbols, symbols.z3, symbols.context
        self.sorts: dict[str, Any] = {}
        self.wrapped: dict[tuple[str, int], tuple[Any, Any]] = {}

    def sort(self, kind: DType) -> Any:
        """What stands for a dtype in z3."""
        if kind.is_bool:
            return self.z3.BoolSort(self.context)
        if not kind.is_float:
            return self.z3.IntSort(self.context)
        if kind.name not in self.sorts:
            self.sorts[kind.name] = self.z3.DeclareSort(kind.name, self.context)
        return self.sorts[kind.name]

    def const(self, kind: DType, value: Any) -> SymbolicValue:
        """A constant: a Python value, or a term."""
        if kind.is_float:
            number = value if isinstance(value, UnknownFloat) else float(value)
            raw = self.z3.Const(f"{kind.name}:{number!r}", self.sort(kind))
            return SymbolicValue(kind, raw)
        if kind.is_bool:
            return SymbolicValue(kind, self.z3.BoolVal(bool(value), self.context))
        whole = isinstance(value, int)
        return SymbolicValue(kind, self.z3.IntVal(value, self.context) if whole else value)

    def zero(self, kind: DType) -> SymbolicValue:
        """What a read that does not happen gives."""
        return self.const(kind, 0)

    def unknown(self, name: str, kind: DType, at: Sequence[Any]) -> SymbolicValue:
        """An unknown value, or the value of an unknown function."""
        sort = self.sort(kind)
        if at:
            function = self.z3.Function(name, *[i.sort() for i in at], sort)
            raw = function(*at)
        else:
            raw = self.z3.Const(name, sort)
        return self._bounded(kind, raw)

    def _bounded(self, kind: DType, raw: Any) -> SymbolicValue:
        """A value of which it is a fact that its dtype holds it."""
        if not kind.is_float and not kind.is_bool and kind.base != "index":
            self.symbols.facts += [raw >= int(kind.min), raw <= int(kind.max)]
        return SymbolicValue(kind, raw)

    def choose(self, condition: Any, yes: SymbolicValue, no: SymbolicValue) -> SymbolicValue:
        """Either of two values."""
        raw = self.z3.If(condition, yes.raw, no.raw)
        lost = None
        if yes.lost is not None or no.lost is not None:
            never = self.z3.BoolVal(False, self.context)
            sides = [never if v.lost is None else v.lost for v in (yes, no)]
            lost = self.z3.If(condition, *sides)
        return SymbolicValue(yes.kind, raw, lost, yes.wraps or no.wraps)

    def exact(self, value: SymbolicValue) -> Any:
        """A machine integer as it is held: inside its range."""
        if not value.wraps:
            return value.raw
        key = (value.kind.name, value.raw.get_id())
        if key not in self.wrapped:
            low, high = int(value.kind.min), int(value.kind.max)
            whole = self.z3.IntSort(self.context)
            held = self.z3.Function(f"wrap {value.kind.name}", whole, whole)(value.raw)
            inside = self.z3.And(value.raw >= low, value.raw <= high)
            self.symbols.facts += [held >= low, held <= high]
            self.symbols.facts.append(self.z3.Implies(inside, held == value.raw))
            self.wrapped[key] = held, value.raw
        return self.wrapped[key][0]

    def apply(self, op: Op, kind: DType, operands: Sequence[SymbolicValue]) -> SymbolicValue:
        """What an op makes of operands, INVALID ones among them."""
        if op is Ops.WHERE:
            return self.choose(operands[0].raw, operands[1], operands[2])
        is_cast = op is Ops.CAST
        result = self._cast(kind, operands[0]) if is_cast else self._apply(op, kind, operands)
        lost = [o.lost for o in operands if o.lost is not None]
        if not lost:
            return result
        either = self.z3.Or(*lost)
        if kind.base == "index":
            return SymbolicValue(kind, result.raw, either)
        if op is Ops.CAST and not kind.is_bool:
            return self.choose(either, self.zero(kind), result)
        any_answer = self._any(f"{op.name} of INVALID", kind, operands)
        return self.choose(either, any_answer, result)

    def _apply(self, op: Op, kind: DType, operands: Sequence[SymbolicValue]) -> SymbolicValue:
        kinds = {o.kind.base for o in operands}
        if kinds <= {"index", "bool"} and kind.base in ("index", "bool"):
            known = self._by_clause(op, kind, operands)
            if known is not None:
                return known
        whole = not any(o.kind.is_float or o.kind.is_bool for o in operands)
        if whole and op.name in _RING:
            result = self._by_clause(op, kind, operands, raw=True)
            assert result is not None
            result.wraps = True
            return result
        if whole and op.name in _ORDER:
            result = self._by_clause(op, kind, operands)
            assert result is not None
            return result
        return self._any(op.name, kind, operands, op.commutative)

    def _by_clause(
        self, op: Op, kind: DType, operands: Sequence[SymbolicValue], raw: bool = False
    ) -> SymbolicValue | None:
        """By the `smt` clause of the op's row; None where integers have no words for it."""
        terms = []
        for o in operands:
            of = BOOL if o.kind.is_bool else _INDEX
            terms.append(Operand(self.symbols, of, o.raw if raw else self.exact(o)))
        try:
            result = apply_op(op.name, BOOL if kind.is_bool else _INDEX, terms)
        except (Unsupported, KeyError):
            return None
        return SymbolicValue(kind, result.raw)

    def _cast(self, kind: DType, value: SymbolicValue) -> SymbolicValue:
        of = value.kind
        if of is kind:
            return SymbolicValue(kind, value.raw, None, value.wraps)
        if of.is_float or kind.is_float:
            return self._any("CAST", kind, [value])
        if kind.is_bool:
            return SymbolicValue(kind, self.exact(value) != 0)
        if of.is_bool:
            one, none = (self.z3.IntVal(n, self.context) for n in (1, 0))
            return SymbolicValue(kind, self.z3.If(value.raw, one, none))
        narrower = of.base != "index" and kind.base != "index" and kind.bits <= of.bits
        raw = value.raw if narrower else self.exact(value)
        return SymbolicValue(kind, raw, None, kind.base != "index")

    def _any(
        self, name: str, kind: DType, operands: Sequence[SymbolicValue], commutative: bool = False
    ) -> SymbolicValue:
        """Any function of the operands."""
        raws = [self.exact(o) for o in operands]
        label = f"{name} {kind.name} {' '.join(o.kind.name for o in operands)}"
        function = self.z3.Function(label, *[r.sort() for r in raws], self.sort(kind))
        result = function(*raws)
        if commutative and self._lawful(*[o.kind for o in operands]):
            self.symbols.facts.append(result == function(*reversed(raws)))
        return self._bounded(kind, result)

    def _lawful(self, *kinds: DType) -> bool:
        return self.any_nan or not any(kind.is_float for kind in kinds)

    # ---- laws of reductions --------------------------------------------------------------------

    def combine(self, op: Op, a: SymbolicValue, b: SymbolicValue) -> SymbolicValue:
        """What a reduction makes of two values; with the laws that the op's row states."""
        result = self.apply(op, a.kind, [a, b])
        v = self.z3.FreshConst(self.sort(a.kind), "v")

        def law(*operands: Any) -> Any:
            return self.apply(op, a.kind, [SymbolicValue(a.kind, o) for o in operands]).raw

        facts = self.symbols.facts
        if op.idempotent and self._lawful(a.kind):
            facts.append(self.z3.ForAll([v], law(v, v) == v))
        if op is Ops.ADD and a.kind.is_float:  # adding 0 twice is adding it once: -0.0 + 0 is 0
            zero = self.zero(a.kind).raw
            facts.append(law(zero, zero) == zero)
            facts.append(self.z3.ForAll([v], law(law(v, zero), zero) == law(v, zero)))
            facts.append(self.z3.ForAll([v], law(zero, v) == law(v, zero)))
        return result

    def equal(self, a: SymbolicValue, b: SymbolicValue) -> Any:
        """Whether two values of a dtype are one."""
        same = a.raw == b.raw
        if a.lost is None and b.lost is None:
            return same
        never = self.z3.BoolVal(False, self.context)
        lost = [never if v.lost is None else v.lost for v in (a, b)]
        return self.z3.And(lost[0] == lost[1], self.z3.Or(lost[0], same))
