"""Parts of axes as nodes: slices, single positions, and elements chosen at positions."""

from __future__ import annotations

import operator
from typing import Any

from rulewright.errors import PositionError, ShapeError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim, as_dim
from rulewright.ir.uop import UOp
from rulewright.tensor.kinds import default_int
from rulewright.tensor.shapes import (
    known_le,
    larger,
    negative,
    node_iota,
    nodes_broadcast,
    proved_le,
    show,
    smaller,
    total,
)


def basic_position(position: Any, size: Dim, axis: int) -> tuple[Dim, Dim]:
    """The bounds of one position of an axis. Raises PositionError if the axis has it not."""
    if isinstance(position, UOp):
        begin = _from_front(position, size, "an index")
    else:
        number = int(position.__index__())
        begin = total(size, number) if number < 0 else number
    if not (known_le(0, begin) and known_le(total(begin, 1), size)):
        shown = position.render() if isinstance(position, UOp) else position
        raise PositionError(
            f"index {shown} is out of range for axis {axis} of size {show((size,))[1:-2]}"
        )
    return begin, total(begin, 1)


def _from_front(bound: UOp, size: Dim, what: str) -> Dim:
    """A symbolic bound, counted from the end if it is negative. Raises ShapeError if it may be."""
    if bound.vmin >= 0:
        return bound
    if bound.vmax >= 0:
        raise ShapeError(
            f"{what} must be negative always or never, found {bound.render()}, which lies between "
            f"{bound.vmin} and {bound.vmax}; give its variables narrower bounds"
        )
    return total(size, bound)


def narrowed(node: UOp, axis: int, bounds: tuple[Dim, Dim]) -> UOp:
    """One axis of a node cut to bounds."""
    shape = node.shape or ()
    return node.shrink(tuple(bounds if i == axis else (0, s) for i, s in enumerate(shape)))


def sliced(node: UOp, axis: int, size: Dim, part: slice) -> UOp:
    """Every step-th position between start and stop: cut, turned round, then strided.

    Raises PositionError for a slice of anything but whole numbers.
    """
    if part.start is None and part.stop is None and part.step is None:
        return node
    if any(isinstance(v, UOp) for v in (part.start, part.stop, size)):
        return _sliced_symbolic(node, axis, size, part)
    try:
        start, stop, step = part.indices(int(size))
    except (TypeError, ValueError) as error:
        raise PositionError(f"slice {part}: {error}") from None
    count = len(range(start, stop, step))
    if step < 0:
        start, stop = start + (count - 1) * step, start + 1
    else:
        stop = start + (count - 1) * step + 1
    if count == 0:
        return narrowed(node, axis, (0, 0))
    node = narrowed(node, axis, (start, stop))
    if step < 0:
        node = node.flip(tuple(i == axis for i in range(len(node.shape or ()))))
    return _strided(node, axis, count, abs(step))


def _sliced_symbolic(node: UOp, axis: int, size: Dim, part: slice) -> UOp:
    """`sliced` where a bound or the size is symbolic: for whatever its variables are bound to.

    Whole numbers mean what they mean elsewhere, and are cut to the axis. A symbolic bound is a
    promise to lie within it: so that a window of T elements has the size T.
    """
    try:
        step = 1 if part.step is None else operator.index(part.step)
    except TypeError as error:
        raise PositionError(f"slice {part}: {error}") from None
    if step == 0:
        raise PositionError(f"slice {part}: the step must not be 0")
    shift = 1 if step < 0 else 0  # backward, bounds are one lower, and the stop comes first
    first, last = -shift, total(size, -shift)
    start = _cut_bound(part.start, size, first, last)
    stop = _cut_bound(part.stop, size, first, last)
    if step < 0:
        start, stop = stop, start
    begin = total(first if start is None else start, shift)
    end = total(last if stop is None else stop, shift)
    if start is not None and stop is not None and not proved_le(begin, end):
        end = larger(begin, end)
    if not (known_le(begin, end) and known_le(end, size)):
        raise ShapeError(
            f"slice: bounds {show((begin, end))} leave axis {axis} of size {show((size,))[1:-2]}"
        )
    node = narrowed(node, axis, (begin, end))
    if step < 0:
        node = node.flip(tuple(i == axis for i in range(len(node.shape or ()))))
    if abs(step) == 1:
        return node
    length, every = (node.shape or ())[axis], abs(step)
    count = as_dim(UOp.index_const(total(length, every - 1)) // every)
    return _rows_of(
        node, axis, count, every, total(UOp.index_const(count) * every, negative(length))
    )


def _cut_bound(bound: Any, size: Dim, first: Dim, last: Dim) -> Dim | None:
    """One bound of a slice, counted from the front and no smaller or larger than may be."""
    if bound is None:
        return None
    if isinstance(bound, UOp):
        return _from_front(bound, size, "a bound of a slice")
    try:
        number = operator.index(bound)
    except TypeError as error:
        raise PositionError(f"slice: {error}, found {bound!r} as a bound") from None
    return larger(total(size, number), first) if number < 0 else smaller(number, last)


def _strided(node: UOp, axis: int, count: int, step: int) -> UOp:
    """Positions 0, step, 2*step … of an axis of size (count - 1) * step + 1."""
    if step == 1 or count == 1:
        return narrowed(node, axis, (0, count))
    return _rows_of(node, axis, count, step, step - 1)


def _rows_of(node: UOp, axis: int, count: Dim, step: int, missing: Dim) -> UOp:
    """The first of each `step` elements of an axis, of which the last row lacks `missing`."""
    shape = node.shape or ()
    lead, tail = shape[:axis], shape[axis + 1 :]
    pads = tuple((0, missing if i == axis else 0) for i in range(len(shape)))
    rows = node.pad(pads).reshape((*lead, count, step, *tail))
    return narrowed(rows, axis + 1, (0, 1)).reshape((*lead, count, *tail))


# ---- positions -----------------------------------------------------------------------------------


def node_chosen(source: UOp, where: UOp, axis: int = -1) -> UOp:
    """The element of an axis, counted from the end, at position `where` (which has size 1 there),
    else 0."""
    if source.dtype.is_bool:  # bools have no sum, by which rules know a gather
        return node_chosen(source.cast(dtypes.u8), where, axis).cast(dtypes.bool)
    size = (source.shape or ())[axis]
    shape = tuple(nodes_broadcast([source, where], "indexing")[0].shape or ())
    at = len(shape) + axis
    shape = (*shape[:at], size, *shape[at + 1 :])  # broadcasting would hide a size of 1
    hits = where.expand(shape).eq(node_iota(size, at, shape, where.dtype))
    spread = source.reshape((1,) * (len(shape) - len(source.shape or ())) + (source.shape or ()))
    masked = hits.where(spread.expand(shape), UOp.const(source.dtype, 0))
    chosen = UOp(Ops.REDUCE_AXIS, source.dtype, (masked,), (Ops.ADD, (at,)))
    return chosen.reshape((*shape[:at], *shape[at + 1 :]))


def joined_places(positions: list[UOp], sizes: list[Dim]) -> tuple[UOp, UOp]:
    """Positions on several axes as one on all of them, row-major; and where all are on theirs."""
    kind = default_int()
    place, valid = UOp.const(kind, 0), UOp.const(dtypes.bool, True)
    for node, size in zip(positions, sizes, strict=True):
        wrapped = node_wrapped(node.cast(kind), size)
        whole = node_size(size, kind)
        place = place * whole + wrapped
        valid = valid & (UOp.const(kind, 0) <= wrapped) & (wrapped < whole)
    return place, valid


def node_size(size: Dim, kind: DType) -> UOp:
    """A size as a node of an integer type."""
    return UOp.const(kind, size) if isinstance(size, int) else size.cast(kind)


def node_wrapped(position: UOp, size: Dim) -> UOp:
    """Positions counted from the end where they are negative, in a type that holds the size."""
    most = size if isinstance(size, int) else size.vmax
    if position.dtype.max < most:
        position = position.cast(default_int())
    if position.vmin >= 0:
        return position
    kind = position.dtype
    negative = position < UOp.const(kind, 0)
    return negative.where(position + node_size(size, kind), position)
