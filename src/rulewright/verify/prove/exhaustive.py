"""All values, as arrays with one axis a symbol: what the interpreter computes.

Of short dtypes all are there. A machine integer may be shortened to a few bits (`FewBits`), so
what is found there holds for that width and hints at the others; an index stays unbounded and is
tried at small values only. That can say that a rule is wrong; that it is right, only of the very
widths that it looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from rulewright.interp.meaning import cast, compute
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import op as op_named
from rulewright.lang import tree as t
from rulewright.verify.prove.instance import Instance
from rulewright.verify.prove.terms import BOOL, Kind, Term, Unsupported
from rulewright.verify.prove.typed import TypedRule
from rulewright.verify.values.comparison import differ_at
from rulewright.verify.values.samples import every

Array = np.ndarray[Any, Any]

MAX_SYMBOLS = 5
AXES = MAX_SYMBOLS + 4  # conditions of structure take one each
SAMPLES = 100_000
_SPREAD = (-129, -128, -127, -8, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 7, 8, 12, 16, 64, 127, 128, 255)
_BEYOND = 1 << 62  # any number that is met is smaller

_OPS = {
    "add": "ADD", "sub": "SUB", "mul": "MUL", "fdiv": "FDIV", "neg": "NEG", "not": "NOT",
    "sqrt": "SQRT", "trunc": "TRUNC", "lt": "CMPLT", "le": "CMPLE", "eq": "CMPEQ", "and": "AND",
    "or": "OR", "xor": "XOR", "shl": "SHL", "shr": "SHR", "floordiv": "FLOORDIV",
    "floormod": "FLOORMOD", "cdiv": "CDIV", "cmod": "CMOD",
}  # fmt: skip


_DIVISION, _SHIFT = (lambda b, bits: b == 0), (lambda b, bits: (b < 0) | (b >= bits))
_OPEN = {
    "floordiv": _DIVISION, "floormod": _DIVISION, "cdiv": _DIVISION, "cmod": _DIVISION,
    "shl": _SHIFT, "shr": _SHIFT,
}  # fmt: skip
"""Where a result is open it is what the interpreter does not give: a clause that looks is wrong."""


class AllValues:
    """A domain whose values are arrays of numpy's numbers, with one axis for each symbol.

    `size` is the number of combinations; `some` has symbols of which some values stand for all.
    Raises Unsupported where there are more than `room`, and for what has no bound.
    """

    invalid = False
    floats = True

    def __init__(self, room: int, some: Mapping[str, Array] | None = None) -> None:
        self.room, self.size, self.some = room, 1, some or {}
        self.axes: dict[str, tuple[Kind, Array]] = {}
        self.asked: list[str] = []
        self._choices: dict[tuple[Any, ...], str] = {}

    # ---- values ----

    def symbol(self, name: str, kind: Kind) -> Array:
        """All values of a kind, along an axis of their own."""
        if name not in self.axes:
            values = self.some[name] if name in self.some else self._values(kind)
            if values is None or len(self.axes) >= AXES or self.size * len(values) > self.room:
                raise Unsupported("too many values")
            self.size *= len(values)
            shape = [-1 if i == len(self.axes) else 1 for i in range(AXES)]
            self.axes[name] = (kind, values.reshape(shape))
        return self.axes[name][1]

    def _values(self, kind: Kind) -> Array | None:
        """All values of a kind, or None where there are too many."""
        return every(self._dtype(kind)) if kind.sort in ("bool", "bits", "float") else None

    @staticmethod
    def _dtype(kind: Kind) -> DType:
        """The dtype of a kind; the integers of guards are of 64 bits."""
        if kind.sort == "exact":
            if kind.bits > 64:
                raise Unsupported("a long integer in a guard")
            return dtypes.index
        return dtype(kind.name)

    def const(self, kind: Kind, value: Any) -> Array:
        """A known value, as an array of one element."""
        own = self._dtype(kind)
        return np.asarray(own.const(value)).astype(own.np).reshape((1,) * AXES)

    # ---- arithmetic ----

    def _run(self, name: str, kind: Kind, *operands: Term) -> Array:
        """An op as the interpreter computes it; `kind` is that of the result."""
        kinds = self._dtype(kind), self._dtype(operands[-1].kind)
        raws = [o.raw for o in operands]
        return np.asarray(compute(op_named(name), kinds[0], None, raws, kinds[1]))

    def unary(self, op: str, kind: Kind, a: Array) -> tuple[Kind, Array]:
        """`neg`, `not`, `sqrt`, `trunc`."""
        if op not in _OPS:
            raise Unsupported(op)
        return kind, self._run(_OPS[op], kind, Term(self, kind, a))

    def binary(self, op: str, a: Term, b: Term) -> tuple[Kind, Array]:
        """Arithmetic and comparisons; of integers of guards, in 64 bits."""
        if op not in _OPS:
            raise Unsupported(op)
        if self.floats and a.kind.sort == "exact" and op in ("mul", "shl"):
            raise Unsupported("products in a guard")
        kind = BOOL if op in ("lt", "le", "eq") else a.kind
        result = self._run(_OPS[op], kind, a, b)
        if op in _OPEN and kind.sort == "bits":
            result = np.where(_OPEN[op](b.raw, kind.bits), ~result, result)
        return kind, result

    def fused(self, a: Term, b: Term, c: Term) -> Array:
        """a * b + c, rounded once: of floats so short that f64 holds it."""
        if a.kind.bits > 8:
            raise Unsupported("a fused product of long floats")
        wide = [t.raw.astype(np.float64) for t in (a, b, c)]
        with np.errstate(all="ignore"):
            return cast(wide[0] * wide[1] + wide[2], self._dtype(a.kind))

    def opaque(self, name: str, kind: Kind, operands: list[Term]) -> Array:
        """Any op that the interpreter computes."""
        return self._run(name, kind, *operands)

    # ---- choices and conversions ----

    def choose(self, condition: Array, a: Term, b: Term) -> tuple[Kind, Array]:
        """Elementwise choice."""
        return a.kind, np.where(condition, a.raw, b.raw)

    def either(self, a: Term, b: Term, op: str) -> Array:
        """Any one of two results: one more axis, the same for the same op and operands."""
        key = (op, *((x.raw.shape, x.raw.tobytes()) for x in (a, b)))
        name = self._choices.setdefault(key, f"choice {len(self._choices)}")
        self.asked.append(name)
        result: Array = np.where(self.symbol(name, BOOL), a.raw, b.raw)
        return result

    def some_choice(self, names: list[str], holds: Array) -> Array:
        """Whether something holds for one way at least to make these choices."""
        return np.asarray(holds.any(axis=self.places(names), keepdims=True))

    def places(self, names: Iterable[str]) -> tuple[int, ...]:
        """The axes of symbols or choices."""
        return tuple(list(self.axes).index(name) for name in names)

    def cast(self, a: Term, kind: Kind) -> Array:
        """See the row of CAST."""
        if a.kind.sort == "exact" and kind.sort == "exact":
            return a.raw
        return cast(a.raw, self._dtype(kind))

    def bits_as(self, a: Term, kind: Kind) -> Array:
        """The bits of a value read as another kind of the same width."""
        return np.ascontiguousarray(a.raw).view(self._dtype(kind).np)

    def unlike(self, a: Term, b: Term, level: str) -> Array:
        """Whether two floats differ more than a level of equivalence allows."""
        return differ_at(level, *np.broadcast_arrays(a.raw, b.raw))

    # ---- what was found ----

    def first(self, holds: Array) -> dict[str, int] | None:
        """The first combination at which something holds: of each symbol the bits or the number."""
        if not holds.any():
            return None
        shape = np.broadcast_shapes(holds.shape, *(a.shape for _, a in self.axes.values()))
        at = np.unravel_index(int(np.broadcast_to(holds, shape).argmax()), shape)
        numbers = {}
        for name, (kind, values) in self.axes.items():
            if kind.sort == "float":
                values = values.view(f"u{kind.bits // 8}")
            numbers[name] = int(np.broadcast_to(values, shape)[at])
        return numbers


class FewBits(AllValues):
    """The domain of machine integers of a few bits, and small indices; there are no floats in it.

    All is computed in 64 bits, and wraps to as many as a kind has. `samples` is a number of random
    draws that replaces all combinations.
    """

    floats = False

    def __init__(self, samples: int = 0) -> None:
        super().__init__(_BEYOND)
        self.samples = samples
        self.random = np.random.default_rng(1)

    def symbol(self, name: str, kind: Kind) -> Array:
        """All values of a kind along an axis of their own, or random ones."""
        if self.samples and name not in self.axes:
            self.axes[name] = (kind, self.random.choice(self._values(kind), self.samples))
        return super().symbol(name, kind)

    def _values(self, kind: Kind) -> Array:
        if kind.sort == "bool":
            return np.array([False, True])
        if kind.sort == "exact":
            return np.arange(-8, 8)
        if kind.bits > 5:  # too many for all: the ends, and what is small
            return np.array(sorted({kind.wrapped(v) for v in (*_SPREAD, kind.lo, kind.hi)}))
        return np.arange(kind.lo, kind.hi + 1)

    @staticmethod
    def _dtype(kind: Kind) -> DType:
        return dtypes.bool if kind == BOOL else dtypes.index

    def const(self, kind: Kind, value: Any) -> Array:
        """A known value; infinity is more than any, and than the end of 64 bits."""
        most = _BEYOND + (int(value).bit_length() > 64)
        return super().const(kind, max(-most, min(most, value)))

    def unary(self, op: str, kind: Kind, a: Array) -> tuple[Kind, Array]:
        """`neg`, `not`, or `ilog2` of a guard."""
        if op == "ilog2":
            return kind, np.vectorize(lambda v: int(v).bit_length() - 1, otypes=[a.dtype])(a)
        return kind, _wrap(kind, super().unary(op, kind, a)[1])

    def binary(self, op: str, a: Term, b: Term) -> tuple[Kind, Array]:
        """Arithmetic and comparisons, and `gcd` of a guard."""
        if op == "gcd":
            return a.kind, np.vectorize(math.gcd, otypes=[a.raw.dtype])(a.raw, b.raw)
        kind, raw = super().binary(op, a, b)
        return kind, _wrap(kind, raw)

    def opaque(self, name: str, kind: Kind, operands: list[Term]) -> Array:
        """Raises Unsupported: what only a `meaning` says is of dtypes as they are."""
        raise Unsupported(f"{name} beside its meaning")

    def cast(self, a: Term, kind: Kind) -> Array:
        """Integers wrap."""
        return _wrap(kind, a.raw)


def _wrap(kind: Kind, raw: Array) -> Array:
    if kind.sort != "bits":
        return raw
    half = (1 << kind.bits) >> 1 if kind.signed else 0
    wrapped: Array = ((raw + half) & ((1 << kind.bits) - 1)) - half
    return wrapped


def symbol_count(rule: TypedRule) -> int:
    """How many unknowns a rule has: variables, constants, wildcards and bounds."""
    parts = [*rule.pattern.walk()]
    names = {part.value for part in parts if part.what in ("var", "const")}
    wild = sum(part.what == "wild" for part in parts)
    bounds = {
        (n.expr.name, n.name)
        for n in t.walk(rule.rule)
        if isinstance(n, t.Field) and isinstance(n.expr, t.Var) and n.name in ("vmin", "vmax")
    }
    return len(names) + wild + len(bounds)


class Enumeration(NamedTuple):
    """What enumeration found: how many combinations matched, and values of a wrong one."""

    matched: int
    complete: bool
    wrong: dict[str, int] | None


def enumerate_values(rule: TypedRule, kinds: Mapping[int, Kind]) -> Enumeration:
    """Try all combinations of values, or many where there are too many variables.

    Raises Unsupported and NeverMatches as `Instance` does.
    """
    complete = symbol_count(rule) <= MAX_SYMBOLS and all(
        k.sort != "exact" and k.bits <= 5 for k in kinds.values()
    )
    arrays = FewBits(samples=0 if symbol_count(rule) <= MAX_SYMBOLS else SAMPLES)
    with np.errstate(all="ignore"):
        instance = Instance(rule, kinds, arrays)
        matches, differs = instance.matches.raw, instance.wrong.raw
    shape = np.broadcast_shapes(differs.shape, *(a.shape for _, a in arrays.axes.values()))
    count = int(np.broadcast_to(matches, shape).sum())
    return Enumeration(count, complete, arrays.first(differs))
