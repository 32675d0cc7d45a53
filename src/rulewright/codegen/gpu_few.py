"""Long reductions to few elements, which the work items of a GPU share where one for each element
would leave most of them idle."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from rulewright.codegen.nests import Nest, Reduction, divisor, fixed
from rulewright.ir.uop import UOp

SHARED = 64
"""Values from which on a reduction of a column is worth sharing."""
ROWS = 16
"""Rows that use the elements of a column again, at most."""
SIDE = 4
"""Elements along each side of the tile that a warp has."""
LONG = 256
"""Values of a reduction from which on a warp does a tile of them."""


class FewTile(NamedTuple):
    """What lanes share: the axis that is cut among them, the sides of a tile of elements, and how
    many tiles there are."""

    step: UOp
    sides: list[tuple[UOp, int]]
    tiles: int


def few_columns(nest: Nest) -> tuple[UOp, UOp | None] | None:
    """The stored axis along which most of what is reduced lies beside each other, and that of rows
    that use it again, if there is one; None where more lies so along what is reduced, there are
    more such axes, or a reduction is short."""
    if not nest.reductions or nest.private or not nest.axes:
        return None
    if any(not _is_plain(r) or r.length < SHARED for r in nest.reductions):
        return None
    steps = sum(max(near(r, a) for a in r.axes) for r in nest.reductions)
    stored = [a for a in nest.axes if any(a in r.outer for r in nest.reductions)]
    scores = {a: sum(near(r, a) for r in nest.reductions) for a in stored if fixed(a)}
    best = max(scores, key=lambda axis: scores[axis], default=None)
    again = [a for a in stored if a is not best and any(r.reused(a) for r in nest.reductions)]
    if best is None or scores[best] <= max(steps, 0):
        return None
    if len(again) > 1 or any((fixed(a) or 0) > ROWS for a in again):
        return None
    return best, again[0] if again else None


def few_tiles(nest: Nest, lanes: int, shuffled: int) -> FewTile | None:
    """The tiles of a nest whose elements use again what others read; None where lanes would read
    no neighbours along what is reduced, or cannot exchange values."""
    if len(nest.reductions) != 1 or nest.private or not lanes or shuffled != lanes:
        return None
    [reduction] = nest.reductions
    steps = [a for a in reduction.axes if (fixed(a) or 0) >= lanes]
    step = max(steps, key=lambda axis: near(reduction, axis), default=None)
    if not _is_plain(reduction) or step is None or reduction.length < LONG:
        return None
    sides = tile_sides(reduction, nest.axes)
    if near(reduction, step) <= 0 or not sides:
        return None
    count = prod(fixed(a) or 1 for a in nest.axes) // prod(size for _, size in sides)
    return FewTile(step, sides, count)


def tile_sides(reduction: Reduction, axes: Sequence[UOp]) -> list[tuple[UOp, int]]:
    """A row and a column axis of which a tile reads less than its elements one by one, each with
    how many are in a tile; of axes that tiles divide, where there are two."""
    even = [a for a in axes if (fixed(a) or 1) % SIDE == 0]
    for known in (even, [a for a in axes if divisor(fixed(a) or 1, SIDE) > 1]):
        columns = [a for a in reversed(known) if a in reduction.outer and reduction.reused(a)]
        rows = reduction.sharing(known, columns[0]) if columns else []
        if rows:
            return [(a, divisor(fixed(a) or 1, SIDE)) for a in (rows[0], columns[0])]
    return []


def near(reduction: Reduction, axis: UOp) -> int:
    """How many elements a reduction reads beside each other along an axis, less those that lie
    apart."""
    return sum(
        access.score(axis) * prod(int(r.vmax) + 1 for r in access.node.ranges)
        for access in reduction.accesses
    )


def _is_plain(reduction: Reduction) -> bool:
    return reduction.is_flat and all(fixed(axis) for axis in reduction.axes)
