"""`x[...]`: slices of any step, ints, None, Ellipsis, positions and masks; reading and writing."""

from __future__ import annotations

from collections.abc import Iterator
from types import EllipsisType
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.errors import PositionError, ShapeError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor import contents
from rulewright.tensor.core import Core, one_device
from rulewright.tensor.kinds import as_array
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import is_whole, node_iota, nodes_broadcast, numel, show
from rulewright.tensor.slices import (
    basic_position,
    joined_places,
    narrowed,
    node_chosen,
    node_wrapped,
    sliced,
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
        return bool(item) if _is_truth(item) else item
    if isinstance(item, list | tuple | range) or hasattr(item, "__array__"):
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


def _several_pick(items: list[Any]) -> bool:
    """Whether more than one item picks: a bool among them is a list of position 0, or of none."""
    return sum(not (isinstance(i, _NONE | slice) or is_position(i)) for i in items) > 1


def _is_truth(item: Any) -> bool:
    """Whether an item is a tensor that is a mask without axes."""
    return isinstance(item, Core) and item.dtype.is_bool and not item.shape


def _array(item: Any) -> Any:
    import numpy as np

    array = as_array(item)
    if not isinstance(item, list | tuple | range):
        contents.note_copied(item, "host memory is an index")
    elif not array.size:  # no elements, no dtype: positions
        array = array.astype(np.int64)
    if array.dtype.kind == "b" and array.ndim == 0:
        return bool(array)
    return array


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
    positions = item.astype(np.int64)
    if isinstance(size, int):
        bad = positions[(positions < -size) | (positions >= size)]
        if bad.size:
            raise PositionError(f"index {bad[0]} is out of range for axis {axis} of size {size}")
        positions = np.where(positions < 0, positions + size, positions)
    return positions


def check_mask(mask: Any, sizes: tuple[Dim, ...], axis: int) -> None:
    """Raise PositionError unless a mask has the sizes of the axes that it stands for."""
    if tuple(mask.shape) != tuple(sizes):
        raise PositionError(
            f"a bool mask of shape {show(mask.shape)} stands for axes of shape {show(sizes)} "
            f"from axis {axis} on; they must be equal"
        )


class _Picked(NamedTuple):
    """Positions along axes of a tensor, at once: the axes as one axis, and places on it."""

    axes: list[int]
    rest: list[int]
    place: UOp  # row-major over the axes; its shape leads the result's
    result: list[int]  # order of (lead…, rest…) in the result
    device: str | None


class Picking(Members):
    """Brackets."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Self:
        """The part that `key` names: ints, slices, None, Ellipsis as in numpy, a view.

        Tensors, arrays and lists of ints pick positions, and make a new value: as in PyTorch,
        where an int beside them is no list. Positions in tensors that are out of range read 0.
        A mask of bools is computed, because the result's shape depends on it.
        Raises PositionError for an int, or an int in a list, out of range; ShapeError for a mask
        of another shape; PositionError for other keys.

        >>> Tensor([[1, 2, 3], [4, 5, 6]])[:, [2, 0]].tolist()
        [[3, 1], [6, 4]]
        """
        part, picks = self._part(key)
        if not picks:
            return part._equal() if holds_truth(key) else part
        picked = part._picked(part._without_masks(picks))
        source, where, axis = part._joined_near(picked)
        return part._make(node_chosen(source.uop, where, axis), picked.device)

    def __iter__(self) -> Iterator[Self]:
        if not self.shape:
            raise TypeError("iteration over a tensor without axes")
        return (self[i] for i in range(int(self.shape[0])))

    def _part(self, key: Any) -> tuple[Self, list[tuple[int, Any]]]:
        """The view that ints, slices and None name; axes of it, and what picks from them."""
        items = complete_key(key, self.ndim)  # which may compute a mask, and what it hangs on
        node, axis = self.uop, 0
        shape: list[Dim] = []
        picks: list[tuple[int, Any]] = []
        emptied: list[int] = []
        for item in items:
            if item is None or isinstance(item, bool):
                if item is not None and _several_pick(items):
                    picks.append((len(shape), _array([0] * item)))
                elif item is False:
                    emptied.append(len(shape))
                shape.append(1)
                continue
            size = (node.shape or ())[axis]
            if isinstance(item, slice):
                node = sliced(node, axis, size, item)
                shape.append((node.shape or ())[axis])
            elif is_position(item):
                node = narrowed(node, axis, basic_position(item, size, axis))
            elif is_mask(item):
                sizes = (node.shape or ())[axis : axis + len(item.shape)]
                check_mask(item, sizes, axis)
                picks.append((len(shape), item))
                shape += sizes
                axis += len(sizes) - 1
            else:
                known = not isinstance(item, Core)
                picks.append((len(shape), checked_positions(item, size, axis) if known else item))
                shape.append(size)
            axis += 1
        node = node.reshape(tuple(shape))
        for axis in emptied:
            node = narrowed(node, axis, (0, 0))
        return self._view(node), picks

    def _positions(self, item: Any) -> Self:
        """Positions as a tensor. Raises PositionError unless they are integers."""
        positions = item if isinstance(item, Core) else self._wrap(item)
        if positions.dtype.is_float or positions.dtype.is_bool:
            raise PositionError(f"an index tensor must hold integers, found {positions.dtype.name}")
        return self._make(positions.uop, positions._device)

    def _host_positions(self, array: Any) -> Self:
        """Known positions in memory of this tensor's device; constants of a capture."""
        return self._make(contents.node_with(array, dtypes.i64, self.device), self.device)

    def _without_masks(self, picks: list[tuple[int, Any]]) -> list[tuple[int, Self]]:
        """Every mask as the positions where it holds, one list for each of its axes."""
        import numpy as np

        indexed: list[tuple[int, Self]] = []
        for axis, item in picks:
            if isinstance(item, Core) and not is_mask(item):
                indexed.append((axis, self._positions(item)))
            elif is_mask(item):
                if isinstance(item, Core):
                    contents.refuse("a mask (`where` and `masked_select(size=)` take one) is read")
                held = np.nonzero(np.asarray(item))
                indexed += [(axis + i, self._host_positions(p)) for i, p in enumerate(held)]
            else:
                indexed.append((axis, self._host_positions(item)))
        return indexed

    def _picked(self, picks: list[tuple[int, Self]]) -> _Picked:
        axes = [axis for axis, _ in picks]
        rest = [i for i in range(self.ndim) if i not in axes]
        positions = nodes_broadcast([p.uop for _, p in picks], "indexing")
        place, valid = node_wrapped(positions[0], self.shape[axes[0]]), None
        if len(axes) > 1:
            sizes = [self.shape[axis] for axis in axes]
            place, valid = joined_places(positions, sizes)
        if valid is not None:
            place = valid.where(place, UOp.const(place.dtype, -1))
        lead = len(place.shape or ())
        device = one_device([self, *(p for _, p in picks)], "indexing")
        together = axes == list(range(axes[0], axes[0] + len(axes)))
        front = axes[0] if together else 0
        result = [*range(lead, lead + front), *range(lead), *range(lead + front, lead + len(rest))]
        return _Picked(axes, rest, place, result, device)

    def _joined(self, picked: _Picked) -> Self:
        """This with the picked axes as one, the last."""
        moved = self.permute([*picked.rest, *picked.axes])
        return moved.reshape([*moved.shape[: len(picked.rest)], self._picked_size(picked)])

    def _joined_near(self, picked: _Picked) -> tuple[Self, UOp, int]:
        """This with the picked axes as one, where they are if they are neighbours, so that what is
        picked and what goes back lie in memory as this does; the places, before it; and which axis
        it is, counted from the end."""
        first, end = picked.axes[0], picked.axes[0] + len(picked.axes)
        lead = picked.place.shape or ()
        if picked.axes != list(range(first, end)):
            where = picked.place.reshape((*lead, *(1 for _ in picked.rest), 1))
            return self._joined(picked), where, -1
        size, behind = self._picked_size(picked), self.shape[end:]
        source = self.reshape([*self.shape[:first], *(1 for _ in lead), size, *behind])
        where = picked.place.reshape((*[1] * first, *lead, *[1] * (1 + len(behind))))
        return source, where, end - self.ndim - 1

    def _picked_size(self, picked: _Picked) -> Dim:
        return numel([self.shape[axis] for axis in picked.axes])

    # ---- writing --------------------------------------------------------------------------

    def _written(self, picks: list[tuple[int, Any]], value: Any, accumulate: bool) -> Self:
        """This with a value at what is picked of it: the last of several, or their sum."""
        if not accumulate and len(picks) == 1 and is_mask(picks[0][1]):
            return self._masked(*picks[0], value)
        picked = self._picked(self._without_masks(picks))
        count = numel(picked.place.shape or ())
        rest = [self.shape[axis] for axis in picked.rest]
        here = self._make(self.uop, picked.device)  # of a constant, where the positions are
        values = here._as_picked(value, picked)
        if isinstance(count, int) and count == 0:
            return self
        values = values.reshape([count, *rest]).moveaxis(0, -1)  # (rest…, which)
        size = self._picked_size(picked)
        place = picked.place.reshape((1, count)).expand((size, count))
        hits = place.eq(node_iota(size, 0, (size, count), place.dtype))
        if accumulate:
            return here + here._put_back(_sum_where(values, hits), picked)
        chosen, written = (here._put_back(t, picked) for t in values._last_of(hits))
        return written.where(chosen, here)

    def _put_back(self, new: Self, picked: _Picked) -> Self:
        """What is along (rest…, place), or the same for the rest, in the order of the axes of this:
        so what is beside it is read as it lies in memory."""
        split = new.reshape([*new.shape[:-1], *(self.shape[axis] for axis in picked.axes)])
        order = [*picked.rest, *picked.axes]
        return split.permute([order.index(i) for i in range(self.ndim)])

    def _as_picked(self, value: Any, picked: _Picked) -> Self:
        """A value broadcast to what is picked, in the order (lead…, rest…)."""
        lead = picked.place.shape or ()
        shape = [*lead, *(self.shape[axis] for axis in picked.rest)]
        wanted = [shape[i] for i in picked.result]
        part = self._as_value(value, len(wanted))
        fits = part.ndim <= len(wanted) and all(
            s in (1, w) for s, w in zip(part.shape[::-1], wanted[::-1], strict=False)
        )
        if not fits:
            raise ShapeError(
                f"a value of shape {show(part.shape)} does not fit into the part of shape "
                f"{show(wanted)} that is written"
            )
        inverse = [picked.result.index(i) for i in range(len(wanted))]
        return part.expand(wanted).permute(inverse)

    def _as_value(self, value: Any, most: int) -> Self:
        """What is written as a tensor of this dtype, with no axes of size 1 before `most` axes."""
        if isinstance(value, bool | int | float):
            return self._new(UOp.const(self.dtype, value))
        tensor = self._wrap(value)
        device = one_device([self, tensor], "indexing")
        shape = tensor.shape
        while len(shape) > most and shape[0] == 1:
            shape = shape[1:]
        return self._make(tensor.cast(self.dtype).reshape(shape).uop, device)

    def _last_of(self, hits: UOp) -> tuple[Self, Self]:
        """The last of these (…, which) that hits (place, which) each place, and where one does."""
        shape = hits.shape or ()
        order = node_iota(shape[1], 1, shape, dtypes.i32)
        none = UOp.const(dtypes.i32, -1)
        last = UOp(Ops.REDUCE_AXIS, dtypes.i32, (hits.where(order, none),), (Ops.MAX, (1,)))
        last = last.reshape((1,) * (self.ndim - 1) + (shape[0], 1))
        chosen = self._new(node_chosen(self.unsqueeze(-2).uop, last))
        return chosen, self._new((none < last).reshape((last.shape or ())[:-1]))

    def _masked(self, axis: int, mask: Any, value: Any) -> Self:
        """This with a value where a mask of the axes from `axis` on holds; nothing is computed."""
        held = mask if isinstance(mask, Core) else self._make(
            contents.node_with(mask, dtypes.bool, self.device), self.device
        )  # fmt: skip
        rank = len(mask.shape)
        rest = self.ndim - axis - rank
        inside = self._make(held.uop, held._device)
        values = self._as_value(value, axis + 1 + rest)
        if values.ndim > rest and values.shape[values.ndim - rest - 1] != 1:
            values, inside = _ranked(values, inside, rest)
        elif values.ndim > rest:  # one value for all that the mask holds
            at = values.ndim - rest - 1
            values = values.reshape([*values.shape[:at], *[1] * rank, *values.shape[at + 1 :]])
        return inside.reshape([*mask.shape, *[1] * rest]).where(values, self)


def set_item(target: Any, key: Any, value: Any) -> None:
    """`target[key] = value`, as numpy means it; `Execution.__setitem__` says more."""
    if _is_truth(key) and 0 not in getattr(value, "shape", ()):
        target.assign(target._masked(0, key, value))  # whether it holds nobody needs to know
        return
    part, picks = target._part(key)
    if picks:
        written = part._written(picks, value, accumulate=False)
        if 0 not in part.shape:
            part.assign(written)
    elif part is not value:  # x[key] += y has written already
        deep = getattr(value, "ndim", 0) > part.ndim
        part.assign(part._as_value(value, part.ndim) if deep else value)


def _ranked(values: Any, mask: Any, rest: int) -> tuple[Any, Any]:
    """Values (…, which, rest…) at the places where a mask holds, in order, and where there are."""
    at = values.ndim - rest - 1
    count = values.shape[at]
    ranks = mask.flatten().cast(dtypes.i32).cumsum(0).reshape(mask.shape) - 1
    key = (*[slice(None)] * at, mask.where(ranks, 0))
    chosen = values[key]
    return chosen, mask.logical_and(ranks < count)


def _sum_where(values: Any, hits: UOp) -> Any:
    """The sum of values (…, which) for each place that they hit (place, which)."""
    where = values._new(hits)
    wide = dtypes.i32 if values.dtype.is_bool else values.dtype
    return where.where(values.unsqueeze(-2), 0).sum(-1, dtype=wide).cast(values.dtype)
