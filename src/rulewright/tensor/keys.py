"""What stands between the brackets of `x[...]`: items of a key, checked and completed."""

from __future__ import annotations

import operator
from types import EllipsisType
from typing import TYPE_CHECKING, Any

from rulewright.errors import PositionError, ShapeError
from rulewright.ir.shapes import Dim, as_dim
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core
from rulewright.tensor.data import as_array
from rulewright.tensor.shapes import (
    is_whole,
    known_le,
    larger,
    negative,
    proved_le,
    show,
    smaller,
    total,
)

if TYPE_CHECKING:
    import numpy as np

_NONE = type(None)


def is_position(item: Any) -> bool:
    """Whether an item names one position: an int, or a symbolic one."""
    if isinstance(item, bool | Core):
        return False
    return isinstance(item, UOp) or (not getattr(item, "ndim", 0) and is_whole(item))


def complete_key(key: Any, rank: int) -> list[Any]:
    """One item an axis, None for new axes, masks for as many axes as they have.

    The Ellipsis and what was left out are spelled out; lists and arrays are numpy arrays.
    Raises PositionError for items that are no index, and for more items than axes.
    """
    items = [_item(i) for i in (key if isinstance(key, tuple) else (key,))]
    used = sum(_axes_of(item) for item in items)
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise PositionError("an index can hold one Ellipsis")
    if used > rank:
        raise PositionError(f"{used} indices for a tensor with {rank} axes")
    at = dots[0] if dots else len(items)
    return [*items[:at], *[slice(None)] * (rank - used), *items[at + 1 :]]


def _item(item: Any) -> Any:
    if isinstance(item, _NONE | slice | EllipsisType | bool) or is_position(item):
        return item
    if isinstance(item, Core):
        return _known_truth(item) if item.dtype.is_bool and not item.shape else item
    if isinstance(item, list | tuple) or hasattr(item, "__array__"):
        return _array(item)
    raise PositionError(
        f"an index is an int, a slice, None, Ellipsis or a tensor of ints or bools, found {item!r} "
        f"of type {type(item).__name__}"
    )


def holds_truth(key: Any) -> bool:
    """Whether a key holds one bool: a mask without axes, which copies as every mask does."""
    for item in key if key.__class__ is tuple else (key,):
        if item is True or item is False or (isinstance(item, Core) and item.dtype.is_bool):
            return True
    return False


def _known_truth(item: Core) -> bool:
    return bool(item)


def _array(item: Any) -> Any:
    import numpy as np

    from rulewright.tensor import engine

    found = as_array(item)
    if not isinstance(item, list | tuple):
        engine.refuse("host memory is an index")
    elif not found.size:  # no elements, no dtype: positions
        found = found.astype(np.int64)
    if found.dtype.kind == "b" and found.ndim == 0:
        return bool(found)
    return found


def _axes_of(item: Any) -> int:
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return len(item.shape) if is_mask(item) else 1


def is_mask(item: Any) -> bool:
    """Whether an item is a tensor or array of bools."""
    if isinstance(item, Core):
        return item.dtype.is_bool
    return getattr(getattr(item, "dtype", None), "kind", "") == "b"


def checked_positions(item: np.ndarray[Any, Any], size: Dim, axis: int) -> np.ndarray[Any, Any]:
    """Known positions, not negative any more, as int64.

    Raises PositionError if they are no integers, and for one that the axis does not have.
    """
    import numpy as np

    if item.dtype.kind not in "iu":
        raise PositionError(f"an index array must hold integers or bools, found {item.dtype}")
    found = item.astype(np.int64)
    if isinstance(size, int):
        bad = found[(found < -size) | (found >= size)]
        if bad.size:
            raise PositionError(f"index {bad[0]} is out of range for axis {axis} of size {size}")
        found = np.where(found < 0, found + size, found)
    return found


def check_mask(mask: Any, sizes: tuple[Dim, ...], axis: int) -> None:
    """Raise PositionError unless a mask has the sizes of the axes that it stands for."""
    if tuple(mask.shape) != tuple(sizes):
        raise PositionError(
            f"a bool mask of shape {show(mask.shape)} stands for axes of shape {show(sizes)} "
            f"from axis {axis} on; they must be equal"
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
