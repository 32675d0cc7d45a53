"""What stands between the brackets of `x[...]`: items of a key, checked and completed."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING, Any

from rulewright.errors import PositionError, ShapeError
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core
from rulewright.tensor.shapes import show

if TYPE_CHECKING:
    import numpy as np

_NONE = type(None)


def is_position(item: Any) -> bool:
    """Whether an item names one position: an int, or a symbolic one."""
    if isinstance(item, bool | Core):
        return False
    return isinstance(item, UOp) or (hasattr(item, "__index__") and not getattr(item, "ndim", 0))


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
    items = key if key.__class__ is tuple else (key,)
    return any(
        item is True or item is False or (isinstance(item, Core) and item.dtype.is_bool)
        for item in items
    )


def _known_truth(item: Core) -> bool:
    return bool(item)


def _array(item: Any) -> Any:
    import numpy as np

    from rulewright.tensor import engine

    found = np.asarray(item)
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
        return position, position + 1
    number = int(position.__index__())
    if isinstance(size, int) and not -size <= number < size:
        raise PositionError(f"index {number} is out of range for axis {axis} of size {size}")
    begin = size + number if number < 0 else number
    return begin, begin + 1


def narrowed(node: UOp, axis: int, bounds: tuple[Dim, Dim]) -> UOp:
    """One axis of a node cut to bounds."""
    shape = node.shape or ()
    return node.shrink(tuple(bounds if i == axis else (0, s) for i, s in enumerate(shape)))


def sliced(node: UOp, axis: int, size: Dim, part: slice) -> UOp:
    """Every step-th position between start and stop: cut, turned round, then strided.

    Raises PositionError for a slice of anything but whole numbers, ShapeError for a symbolic one
    with another step than 1.
    """
    symbolic = any(isinstance(v, UOp) for v in (part.start, part.stop, size))
    if symbolic:
        if part.step not in (None, 1):
            raise ShapeError(f"a slice with a symbolic bound needs step 1, found {part.step}")
        begin = 0 if part.start is None else part.start
        return narrowed(node, axis, (begin, size if part.stop is None else part.stop))
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


def _strided(node: UOp, axis: int, count: int, step: int) -> UOp:
    """Positions 0, step, 2*step … of an axis of size (count - 1) * step + 1."""
    if step == 1 or count == 1:
        return narrowed(node, axis, (0, count))
    shape = node.shape or ()
    lead, tail = shape[:axis], shape[axis + 1 :]
    pads = tuple((0, step - 1 if i == axis else 0) for i in range(len(shape)))
    rows = node.pad(pads).reshape((*lead, count, step, *tail))
    return narrowed(rows, axis + 1, (0, 1)).reshape((*lead, count, *tail))
