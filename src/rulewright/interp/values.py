"""Values of the interpreter: numpy arrays whose leading axes are loop variables.

A value that depends on the RANGEs i and j and has shape (3,) is an array of shape
(size of i, size of j, 3). It has only the axes it depends on, always in the same order, so that
operands broadcast against each other. A vector (`f32*4`) has its lanes as one last axis.

In shadow mode a value has three parts: the exact one, what it would be in f64, and a bound of the
error that a correct implementation may make (see `shadow.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.ir.uop import UOp

Array = np.ndarray[Any, Any]
Parts = tuple[Array, ...]


class Value:
    """Arrays of one layout: axes of `axes`, then the shape's, then lanes if `lanes`."""

    __slots__ = ("axes", "lanes", "parts")

    def __init__(self, parts: Parts, axes: tuple[UOp, ...] = (), lanes: bool = False) -> None:
        self.parts, self.axes, self.lanes = parts, axes, lanes

    @property
    def data(self) -> Array:
        """The exact values."""
        return self.parts[0]

    @property
    def rank(self) -> int:
        """Number of the shape's axes."""
        return self.data.ndim - len(self.axes) - self.lanes

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the shape's axes."""
        return self.data.shape[len(self.axes) : self.data.ndim - self.lanes]

    def each(self, change: Callable[[Array], Array]) -> Value:
        """The value with `change` applied to every part; the axes stay."""
        return Value(tuple(map(change, self.parts)), self.axes, self.lanes)

    def number(self, what: str) -> int:
        """The one integer that this is. Raises InterpreterError naming `what` otherwise."""
        if self.data.size != 1 or self.axes:
            raise InterpreterError(f"{what}: expected one number, found shape {self.data.shape}")
        return int(self.data.reshape(()))


class AxisOrder:
    """The order in which loop variables stand in arrays: that of their first use."""

    def __init__(self) -> None:
        self.order: dict[UOp, int] = {}

    def add(self, axis: UOp) -> None:
        """Make `axis` known."""
        self.order.setdefault(axis, len(self.order))

    def merge(self, values: Iterable[Value]) -> tuple[UOp, ...]:
        """All axes of the values, in order."""
        kinds = {v.axes for v in values}
        if len(kinds) == 1:
            return kinds.pop()
        return self.sort({axis for axes in kinds for axis in axes})

    def sort(self, axes: Iterable[UOp]) -> tuple[UOp, ...]:
        """The given axes in order."""
        return tuple(sorted(axes, key=self.order.__getitem__))


def spread(value: Value, axes: tuple[UOp, ...], rank: int = 0, lanes: bool = False) -> Parts:
    """The parts with axes of size 1 put in, so that they broadcast in the layout asked for."""
    data = value.parts[0]
    if value.axes == axes and value.lanes == lanes and data.ndim == len(axes) + rank + lanes:
        return value.parts
    sizes = dict(zip(value.axes, data.shape, strict=False))
    layout = [sizes.get(axis, 1) for axis in axes]
    layout += [1] * (rank - value.rank) + list(value.shape)
    if lanes:
        layout.append(data.shape[-1] if value.lanes else 1)
    return tuple(part.reshape(layout) for part in value.parts)


def layout_of(values: Sequence[Value], axes: AxisOrder) -> tuple[tuple[UOp, ...], int, bool]:
    """Axes, rank and lanes of what an elementwise op on the values gives."""
    lanes = [v.lanes for v in values]
    ranks = [v.parts[0].ndim - len(v.axes) - v.lanes for v in values]
    return axes.merge(values), max(ranks), True in lanes


def aligned(values: Sequence[Value], axes: AxisOrder) -> tuple[tuple[UOp, ...], bool, list[Parts]]:
    """Axes and lanes of what an elementwise op on the values gives, and their parts as it needs
    them: those of one layout, which most are of, as they stand."""
    first = values[0]
    layout = first.axes, first.lanes, first.parts[0].ndim
    for value in values:
        if (value.axes, value.lanes, value.parts[0].ndim) != layout:
            merged, rank, lanes = layout_of(values, axes)
            return merged, lanes, [spread(v, merged, rank, lanes) for v in values]
    return first.axes, first.lanes, [value.parts for value in values]


def stretched(part: Array, shape: tuple[int, ...]) -> Array:
    """The array broadcast to a shape, which many have already."""
    return part if part.shape == shape else np.broadcast_to(part, shape)


def any_of(conditions: Sequence[Array]) -> Array:
    """Where any of the conditions holds; they are broadcast against each other."""
    return reduce(np.logical_or, conditions, np.zeros((), bool))


def full(value: Value, axes: tuple[UOp, ...], sizes: Sequence[int]) -> Value:
    """`value` with all of `axes` (of `sizes`) really there; a read-only view."""
    parts = spread(value, axes, value.rank, value.lanes)
    rest = value.data.shape[len(value.axes) :]
    wanted = (*sizes, *rest)
    return Value(tuple(np.broadcast_to(p, wanted) for p in parts), axes, value.lanes)


def leading_to_end(value: Value, axes: Sequence[UOp]) -> Value:
    """The given axes turned into the first axes of the shape, in the order given."""
    kept = tuple(a for a in value.axes if a not in axes)
    source = [value.axes.index(a) for a in (*kept, *axes)]
    order = (*source, *range(len(value.axes), value.data.ndim))
    return Value(tuple(p.transpose(order) for p in value.parts), kept, value.lanes)
