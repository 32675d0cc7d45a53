"""All values of short dtypes, as arrays with one axis a symbol: what the interpreter computes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rulewright.interp.meaning import cast, compute
from rulewright.ir.dtypes import DType, dtype
from rulewright.ir.ops import op as op_named
from rulewright.verify.prove.exhaustive import AXES, Array
from rulewright.verify.prove.terms import BOOL, Kind, Term, Unsupported
from rulewright.verify.values.comparison import differ_at
from rulewright.verify.values.samples import every

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

    def __init__(self, room: int, some: Mapping[str, Array] | None = None) -> None:
        self.room, self.size, self.some = room, 1, some or {}
        self.axes: dict[str, tuple[Kind, Array]] = {}
        self.asked: list[str] = []
        self._choices: dict[tuple[Any, ...], str] = {}

    # ---- values ----

    def symbol(self, name: str, kind: Kind) -> Array:
        """All values of a kind, along an axis of their own."""
        if name not in self.axes:
            values = every(_dtype(kind)) if kind.sort in ("bool", "bits", "float") else None
            values = self.some.get(name, values)
            if values is None or len(self.axes) >= AXES or self.size * len(values) > self.room:
                raise Unsupported("too many values")
            self.size *= len(values)
            shape = [-1 if i == len(self.axes) else 1 for i in range(AXES)]
            self.axes[name] = (kind, values.reshape(shape))
        return self.axes[name][1]

    def const(self, kind: Kind, value: Any) -> Array:
        """A known value, as an array of one element."""
        own = _dtype(kind)
        return np.asarray(own.const(value)).astype(own.np).reshape((1,) * AXES)

    # ---- arithmetic ----

    def _run(self, name: str, kind: Kind, *operands: Term) -> Array:
        """An op as the interpreter computes it; `kind` is that of the result."""
        result = compute(
            op_named(name), _dtype(kind), None, [o.raw for o in operands], _dtype(operands[-1].kind)
        )
        return np.asarray(result)

    def unary(self, op: str, kind: Kind, a: Array) -> tuple[Kind, Array]:
        """`neg`, `not`, `sqrt`, `trunc`."""
        if op not in _OPS:
            raise Unsupported(op)
        return kind, self._run(_OPS[op], kind, Term(self, kind, a))

    def binary(self, op: str, a: Term, b: Term) -> tuple[Kind, Array]:
        """Arithmetic and comparisons; of integers of guards, in 64 bits."""
        if op not in _OPS:
            raise Unsupported(op)
        if a.kind.sort == "exact" and op in ("mul", "shl"):
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
            return cast(wide[0] * wide[1] + wide[2], _dtype(a.kind))

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
        return cast(a.raw, _dtype(kind))

    def bits_as(self, a: Term, kind: Kind) -> Array:
        """The bits of a value read as another kind of the same width."""
        return np.ascontiguousarray(a.raw).view(_dtype(kind).np)

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


def _dtype(kind: Kind) -> DType:
    """The dtype of a kind; the integers of guards are of 64 bits."""
    if kind.sort == "exact":
        if kind.bits > 64:
            raise Unsupported("a long integer in a guard")
        return dtype("index")
    return dtype(kind.name)
