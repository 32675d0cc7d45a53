"""`x[...]`: slices of any step, ints, None, Ellipsis, positions and masks; reading and writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.errors import PositionError, ShapeError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor import engine
from rulewright.tensor.core import Core, one_device
from rulewright.tensor.keys import (
    basic_position,
    check_mask,
    checked_positions,
    complete_key,
    holds_truth,
    is_mask,
    is_position,
    narrowed,
    sliced,
)
from rulewright.tensor.kinds import default_int
from rulewright.tensor.members import Members
from rulewright.tensor.nodes import node_iota, nodes_broadcast
from rulewright.tensor.shapes import numel, show

if TYPE_CHECKING:
    from typing_extensions import Self


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
        where = picked.place.reshape((*(picked.place.shape or ()), *(1 for _ in picked.rest), 1))
        source, axis = part._joined_near(picked)
        found = part._make(node_chosen(source.uop, where, axis), picked.device)  # (lead…, rest…)
        in_order = picked.result == sorted(picked.result)
        return found if in_order else found.permute(picked.result)._equal()

    def __iter__(self) -> Any:
        if not self.shape:
            raise TypeError("iteration over a tensor without axes")
        return (self[i] for i in range(int(self.shape[0])))

    def _part(self, key: Any) -> tuple[Self, list[tuple[int, Any]]]:
        """The view that ints, slices and None name; axes of it, and what picks from them."""
        node, axis = self.uop, 0
        shape: list[Dim] = []
        picks: list[tuple[int, Any]] = []
        emptied: list[int] = []
        for item in complete_key(key, self.ndim):
            if item is None or isinstance(item, bool):
                if item is False:
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
        found = item if isinstance(item, Core) else self._wrap(item)
        if found.dtype.is_float or found.dtype.is_bool:
            raise PositionError(f"an index tensor must hold integers, found {found.dtype.name}")
        return self._make(found.uop, found._device)

    def _host_positions(self, array: Any) -> Self:
        """Known positions in memory of this tensor's device; constants of a capture."""
        return self._make(engine.buffer_with(array, dtypes.i64, self.device), self.device)

    def _without_masks(self, picks: list[tuple[int, Any]]) -> list[tuple[int, Self]]:
        """Every mask as the positions where it holds, one list for each of its axes."""
        import numpy as np

        found: list[tuple[int, Self]] = []
        for axis, item in picks:
            if isinstance(item, Core) and not is_mask(item):
                found.append((axis, self._positions(item)))
            elif is_mask(item):
                held = np.nonzero(np.asarray(item))
                found += [(axis + i, self._host_positions(p)) for i, p in enumerate(held)]
            else:
                found.append((axis, self._host_positions(item)))
        return found

    def _picked(self, picks: list[tuple[int, Self]]) -> _Picked:
        axes = [axis for axis, _ in picks]
        rest = [i for i in range(self.ndim) if i not in axes]
        positions = nodes_broadcast([p.uop for _, p in picks], "indexing")
        place, valid = node_wrapped(positions[0], self.shape[axes[0]]), None
        if len(axes) > 1:
            sizes = [self.shape[axis] for axis in axes]
            place, valid = _joined_places(positions, sizes)
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

    def _joined_near(self, picked: _Picked) -> tuple[Self, int]:
        """This with the picked axes as one, where they are if they are neighbours, so that what
        goes back to them lies in memory as this does; and which axis, counted from the end."""
        first, end = picked.axes[0], picked.axes[0] + len(picked.axes)
        if picked.axes != list(range(first, end)):
            return self._joined(picked), -1
        size = self._picked_size(picked)
        return self.reshape([*self.shape[:first], size, *self.shape[end:]]), end - self.ndim - 1

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
        values = self._as_picked(value, picked)
        if isinstance(count, int) and count == 0:
            return self
        values = values.reshape([count, *rest]).moveaxis(0, -1)  # (rest…, which)
        size = self._picked_size(picked)
        place = picked.place.reshape((1, count)).expand((size, count))
        hits = place.eq(node_iota(size, 0, (size, count), place.dtype))
        old = self._joined(picked)
        if accumulate:
            new = old + _sum_where(values, hits)
        else:
            new = old._last_written(values, hits)
        split = new.reshape([*rest, *(self.shape[axis] for axis in picked.axes)])
        order = [*picked.rest, *picked.axes]
        return split.permute([order.index(i) for i in range(self.ndim)])

    def _as_picked(self, value: Any, picked: _Picked) -> Self:
        """A value broadcast to what is picked, in the order (lead…, rest…)."""
        lead = picked.place.shape or ()
        shape = [*lead, *(self.shape[axis] for axis in picked.rest)]
        wanted = [shape[i] for i in picked.result]
        given = self._as_value(value, len(wanted))
        fits = given.ndim <= len(wanted) and all(
            s in (1, w) for s, w in zip(given.shape[::-1], wanted[::-1], strict=False)
        )
        if not fits:
            raise ShapeError(
                f"a value of shape {show(given.shape)} does not fit into the part of shape "
                f"{show(wanted)} that is written"
            )
        inverse = [picked.result.index(i) for i in range(len(wanted))]
        return given.expand(wanted).permute(inverse)

    def _as_value(self, value: Any, most: int) -> Self:
        """What is written as a tensor of this dtype, with no axes of size 1 before `most` axes."""
        if isinstance(value, bool | int | float):
            return self._new(UOp.const(self.dtype, value))
        given = self._wrap(value)
        one_device([self, given], "indexing")
        shape = given.shape
        while len(shape) > most and shape[0] == 1:
            shape = shape[1:]
        return self._new(given.cast(self.dtype).reshape(shape).uop)

    def _last_written(self, values: Self, hits: UOp) -> Self:
        """The last axis, with the last of the values (…, which) that hit (place, which) it."""
        shape = hits.shape or ()
        order = node_iota(shape[1], 1, shape, dtypes.i32)
        none = UOp.const(dtypes.i32, -1)
        last = UOp(Ops.REDUCE_AXIS, dtypes.i32, (hits.where(order, none),), (Ops.MAX, (1,)))
        last = last.reshape((1,) * (values.ndim - 1) + (shape[0], 1))
        chosen = self._new(node_chosen(values.unsqueeze(-2).uop, last))
        written = self._new((none < last).reshape((last.shape or ())[:-1]))
        return written.where(chosen, self)

    def _masked(self, axis: int, mask: Any, value: Any) -> Self:
        """This with a value where a mask of the axes from `axis` on holds; nothing is computed."""
        held = mask if isinstance(mask, Core) else self._make(
            engine.buffer_with(mask, dtypes.bool, self.device), self.device
        )  # fmt: skip
        rank = len(mask.shape)
        rest = self.ndim - axis - rank
        inside = self._make(held.uop, held._device)
        given = self._as_value(value, axis + 1 + rest)
        if given.ndim > rest and given.shape[given.ndim - rest - 1] != 1:
            given, inside = _ranked(given, inside, rest)
        elif given.ndim > rest:  # one value for all that the mask holds
            at = given.ndim - rest - 1
            given = given.reshape([*given.shape[:at], *[1] * rank, *given.shape[at + 1 :]])
        return inside.reshape([*mask.shape, *[1] * rest]).where(given, self)


def set_item(target: Any, key: Any, value: Any) -> None:
    """`target[key] = value`, as numpy means it; `Execution.__setitem__` says more."""
    part, picks = target._part(key)
    if picks:
        written = part._written(picks, value, accumulate=False)
        if 0 not in part.shape:
            part.assign(written)
    elif part is not value:  # x[key] += y has written already
        deep = getattr(value, "ndim", 0) > part.ndim
        part.assign(part._as_value(value, part.ndim) if deep else value)


def _ranked(given: Any, mask: Any, rest: int) -> tuple[Any, Any]:
    """Values (…, which, rest…) at the places where a mask holds, in order, and where there are."""
    at = given.ndim - rest - 1
    count = given.shape[at]
    ranks = mask.flatten().cast(dtypes.i32).cumsum(0).reshape(mask.shape) - 1
    key = (*[slice(None)] * at, mask.where(ranks, 0))
    found = given[key]
    return found, mask.logical_and(ranks < count)


def _sum_where(values: Any, hits: UOp) -> Any:
    """The sum of values (…, which) for each place that they hit (place, which)."""
    where = values._new(hits)
    wide = dtypes.i32 if values.dtype.is_bool else values.dtype
    return where.where(values.unsqueeze(-2), 0).sum(-1, dtype=wide).cast(values.dtype)


# ---- nodes ---------------------------------------------------------------------------------------


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
    found = UOp(Ops.REDUCE_AXIS, source.dtype, (masked,), (Ops.ADD, (at,)))
    return found.reshape((*shape[:at], *shape[at + 1 :]))


def _joined_places(positions: list[UOp], sizes: list[Dim]) -> tuple[UOp, UOp]:
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
