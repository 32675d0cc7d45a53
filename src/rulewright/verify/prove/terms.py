"""Terms of a proof: what an op does, over any domain of values.

A domain computes with whole arrays (`exhaustive`) or with symbols (`smt`,
`floating`). The `smt` clauses of `spec/20-ops.uop` are evaluated over `Term`s, so all read the same
meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from rulewright.ir.ops import op as op_named


class Unsupported(Exception):
    """What a tactic has no words for; the message says what."""


class NeverMatches(Exception):
    """An instance whose pattern no graph of these dtypes can be."""


class Kind(NamedTuple):
    """A type of values: `sort` is "bool", "bits" (wrapping), "exact" (unbounded integers), "float".

    `bits` of an exact kind is a width that surely holds the value, or 0 where none is known.
    """

    name: str
    sort: str
    bits: int
    signed: bool

    @property
    def lo(self) -> int:
        """The smallest value; for an exact kind that of 64 bits."""
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def hi(self) -> int:
        """The largest value; for an exact kind that of 64 bits."""
        return (1 << (self.width - self.signed)) - 1

    @property
    def width(self) -> int:
        """The number of bits that `T.bits` says."""
        return self.bits or 64

    @property
    def ones(self) -> int:
        """The value whose bits are all one."""
        return -1 if self.signed else self.hi

    def wrapped(self, value: int) -> int:
        """An integer as this kind holds it."""
        if self.sort == "exact":
            return value
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value > self.hi else value


BOOL = Kind("bool", "bool", 1, False)
EXACT = Kind("integer", "exact", 0, True)
LONGEST_SHIFT = 1 << 12
"""Beyond it Python's integers take more memory than there may be."""
SHIFTED = 64
"""Bits by which z3 shifts an integer of a guard to the left, at most."""
DOUBLE = Kind("f64", "float", 64, False)
"""What a guard computes with where a constant is a float: Python's own numbers."""


class Domain(Protocol):
    """What values are and how to compute with them; `kind` is that of the operands.

    `invalid` says whether an index may be INVALID in it, `floats` whether it has floats.
    """

    invalid: bool
    floats: bool

    def symbol(self, name: str, kind: Kind) -> Any:
        """A value of which nothing is known."""

    def const(self, kind: Kind, value: Any) -> Any:
        """A known value."""

    def unary(self, op: str, kind: Kind, a: Any) -> tuple[Kind, Any]:
        """`neg` or `not`."""

    def binary(self, op: str, a: Term, b: Term) -> tuple[Kind, Any]:
        """Arithmetic, a bit operation, or a comparison.

        What a division by 0 gives is open, and a shift by what is not 0 … bits-1: the clauses of
        ops say what they make of these.
        """

    def choose(self, condition: Any, a: Term, b: Term) -> tuple[Kind, Any]:
        """`a` where the condition holds, else `b`."""

    def cast(self, a: Term, kind: Kind) -> Any:
        """A value converted; integers wrap."""


class FloatDomain(Domain, Protocol):
    """A domain that has floats too. `asked` are the choices that were left open, by name."""

    asked: list[str]

    def either(self, a: Term, b: Term, op: str) -> Any:
        """Any one of two results of an op: the same for the same operands."""

    def fused(self, a: Term, b: Term, c: Term) -> Any:
        """a * b + c, rounded once."""

    def opaque(self, name: str, kind: Kind, operands: list[Term]) -> Any:
        """The result of an op that has no `smt` clause: equal for equal operands."""

    def bits_as(self, a: Term, kind: Kind) -> Any:
        """The bits of a value read as another kind of the same width."""

    def unlike(self, a: Term, b: Term, level: str) -> Any:
        """Whether two floats differ more than a level of equivalence allows."""

    def some_choice(self, names: list[str], holds: Any) -> Any:
        """Whether something holds for one way at least to make these choices."""


def _binary(op: str) -> Callable[[Term, Term], Term]:
    """An operator of Python, by the name of what it does."""
    return lambda self, other: self.call(op, other)


class Term:
    """A value of some kind in some domain, with Python's operators."""

    __slots__ = ("domain", "kind", "lost", "raw")
    __hash__ = None  # type: ignore[assignment]  # terms are compared by what they mean

    def __init__(self, domain: Domain, kind: Kind, raw: Any) -> None:
        self.domain, self.kind, self.raw = domain, kind, raw
        self.lost: Term | None = None  # where it is INVALID; None: nowhere

    def _unary(self, op: str) -> Term:
        return Term(self.domain, *self.domain.unary(op, self.kind, self.raw))

    def call(self, op: str, other: Term) -> Term:
        """A binary operation by its name."""
        return Term(self.domain, *self.domain.binary(op, self, other))

    def __neg__(self) -> Term:
        return self._unary("neg")

    def __invert__(self) -> Term:
        return self._unary("not")

    __add__, __sub__, __mul__ = _binary("add"), _binary("sub"), _binary("mul")
    __floordiv__, __mod__, __truediv__ = _binary("floordiv"), _binary("floormod"), _binary("fdiv")
    __and__, __or__, __xor__ = _binary("and"), _binary("or"), _binary("xor")
    __lt__, __le__ = _binary("lt"), _binary("le")

    def __eq__(self, other: object) -> Term:  # type: ignore[override]  # a term, not a truth
        assert isinstance(other, Term)
        return self.call("eq", other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]  # a term, not a truth
        return ~(self == other)

    def cast(self, kind: Kind) -> Term:
        """This value converted to another kind; an integer becomes true where it is not zero."""
        if kind == self.kind:
            return self
        if kind.sort == "bool":
            return self != constant(self.domain, self.kind, 0)
        if self.kind.sort == "bool":
            one, zero = constant(self.domain, kind, 1), constant(self.domain, kind, 0)
            return choose(self, one, zero)
        return Term(self.domain, kind, self.domain.cast(self, kind))


def constant(domain: Domain, kind: Kind, value: float) -> Term:
    """A known value; an exact one is as wide as it needs to be."""
    if kind.sort == "float":
        return Term(domain, kind, domain.const(kind, value))
    if kind.sort == "exact" and kind.bits:
        kind = kind._replace(bits=int(value).bit_length() + 1)
    return Term(domain, kind, domain.const(kind, kind.wrapped(int(value))))


def choose(condition: Term, a: Term, b: Term) -> Term:
    """`a` where the condition holds, else `b`."""
    return Term(a.domain, *a.domain.choose(condition.raw, a, b))


def either(a: Term, b: Term, op: str) -> Term:
    """Any one of two results; of integers, which are equal here, the first."""
    return Term(a.domain, a.kind, floats_of(a).either(a, b, op)) if a.kind.sort == "float" else a


def fused(a: Term, b: Term, c: Term) -> Term:
    """a * b + c, rounded once."""
    if a.kind.sort != "float":
        return a * b + c
    return Term(a.domain, a.kind, floats_of(a).fused(a, b, c))


def floats_of(term: Term) -> FloatDomain:
    """The domain of a float."""
    domain: Any = term.domain
    floats: FloatDomain = domain  # only such a domain makes floats
    return floats


_WORDS: Mapping[str, Any] = {
    "If": choose,
    "fused": fused,
    "zero": lambda x: constant(x.domain, x.kind, 0),
    "one": lambda x: constant(x.domain, x.kind, 1),
    "sqrt": lambda x: x._unary("sqrt"),
    "trunc": lambda x: x._unary("trunc"),
    "in_width": lambda b: (
        (constant(b.domain, b.kind, 0) <= b) & (b <= constant(b.domain, b.kind, b.kind.width - 1))
    ),
    "cdiv": lambda a, b: a.call("cdiv", b),
    "cmod": lambda a, b: a.call("cmod", b),
    "shift_left": lambda a, b: a.call("shl", b),
    "shift_right": lambda a, b: a.call("shr", b),
}


def apply_op(name: str, kind: Kind, operands: list[Term]) -> Term:
    """What an op makes of its operands; `kind` is that of the result.

    Raises Unsupported for an op without an `smt` clause, unless the domain has floats.
    """
    if name == "CAST":
        return operands[0].cast(kind)
    if name == "BITCAST":
        source = operands[0].kind
        if "float" in (source.sort, kind.sort) and source.bits == kind.bits:
            if source == kind:
                return operands[0]
            domain = floats_of(operands[0])
            return Term(domain, kind, domain.bits_as(operands[0], kind))
        if source.sort != "bits" or kind.sort != "bits" or source.bits != kind.bits:
            raise Unsupported(f"bits of {source.name} read as {kind.name}")
        return operands[0].cast(kind)

    def unknown(*arguments: Term) -> Term:
        """What only the op's `meaning` says."""
        domain = floats_of(arguments[0])
        if not hasattr(domain, "opaque"):
            raise Unsupported(f"{name} beside its meaning")
        return Term(domain, kind, domain.opaque(name, kind, list(arguments)))

    words = {**_WORDS, "unknown": unknown, "either": lambda a, b: either(a, b, name)}
    meaning = op_named(name).function("smt", words)
    if meaning is None and kind.sort == "float":
        return unknown(*operands)
    if meaning is None:
        raise Unsupported(f"{name} has no smt clause")
    result: Term = meaning(None, None, *operands)
    return result


def checked(solver: Any) -> Any:
    """What a solver says. Ctrl-C while it works, which z3 takes for itself, is passed on."""
    answer = solver.check()
    if answer.r == 0 and "keyboard" in solver.reason_unknown():
        raise KeyboardInterrupt
    return answer
