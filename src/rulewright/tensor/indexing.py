"""Indexing: slices of any step, ints, None, Ellipsis, tensors of positions; gather and scatter."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor.convolution import Convolution
from rulewright.tensor.core import Core, one_device
from rulewright.tensor.kinds import default_int
from rulewright.tensor.nodes import node_iota, nodes_broadcast
from rulewright.tensor.shapes import normal_axis, show

if TYPE_CHECKING:
    from typing_extensions import Self

_NONE = type(None)


class Indexing(Convolution):
    """`x[...]`, gather, scatter, one-hot."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Self:
        """The part that `key` names: ints, slices, None, Ellipsis as in numpy, a view.

        Tensors and lists of ints pick positions, as in numpy, and make a new value; positions
        out of range read 0. Raises ShapeError for an int out of range, UsageError for other keys.
        """
        keys = complete_key(key, self.ndim)
        node, axis = self.uop, 0
        shape: list[Dim] = []
        picked: list[tuple[int, Self]] = []  # axis of the basic result, positions
        for item in keys:
            if item is None:
                shape.append(1)
                continue
            size = (node.shape or ())[axis]
            if isinstance(item, slice):
                node = _sliced(node, axis, size, item)
                shape.append((node.shape or ())[axis])
            elif is_position(item):
                node = _at(node, axis, size, item)
            else:
                picked.append((len(shape), self._positions(item)))
                shape.append(size)
            axis += 1
        part = self._view(node.reshape(tuple(shape)))
        return part._pick(picked) if picked else part

    def _positions(self, item: Any) -> Self:
        found = item if isinstance(item, Core) else self._wrap(item)
        if found.dtype.is_float or found.dtype.is_bool:
            raise UsageError(
                f"an index tensor must hold integers, found {found.dtype.name}; the result of a "
                "bool mask has no size before it is computed: use where() or masked_fill()"
            )
        return self._make(found.uop, found._device)

    def _pick(self, picked: list[tuple[int, Self]]) -> Self:
        """Positions along several axes at once: the axes are joined, and each position chosen."""
        axes = [axis for axis, _ in picked]
        rest = [i for i in range(self.ndim) if i not in axes]
        positions = nodes_broadcast([p.uop for _, p in picked], "indexing")
        flat: UOp | None = None
        for axis, node in zip(axes, positions, strict=True):
            size = self.shape[axis]
            place = _wrapped(node if len(axes) == 1 else node.cast(default_int()), size)
            flat = place if flat is None else flat * node_size(size, flat.dtype) + place
        assert flat is not None
        lead = flat.shape or ()
        source = self.permute([*rest, *axes]).flatten(len(rest)) if self.ndim else self
        device = one_device([self, *(p for _, p in picked)], "indexing")
        where = flat.reshape((*lead, *(1 for _ in rest), 1))
        chosen = self._make(_chosen(source.uop, where), device)  # (positions…, rest…)
        together = axes == list(range(axes[0], axes[0] + len(axes)))
        if not together or axes[0] == 0:
            return chosen
        order = [*range(len(lead), len(lead) + axes[0]), *range(len(lead))]
        return chosen.permute([*order, *range(len(lead) + axes[0], chosen.ndim)])

    def __iter__(self) -> Any:
        if not self.shape:
            raise TypeError("iteration over a tensor without axes")
        return (self[i] for i in range(int(self.shape[0])))

    # ---- positions as tensors -------------------------------------------------------------

    def one_hot(self, num_classes: int) -> Self:
        """1 at the position that each element names along a new last axis, else 0; int64."""
        if self.dtype.is_float or self.dtype.is_bool:
            raise DTypeError(f"one_hot: expected integers, found {self.dtype.name}")
        shape = (*self.shape, num_classes)
        place = self._new(node_iota(num_classes, self.ndim, shape, self.dtype))
        return self.unsqueeze(-1).eq(place).cast(default_int())

    def gather(self, dim: int, index: Any) -> Self:
        """Element [i][index[i][j]][k] for each [i][j][k] of `index` (here dim is 1).

        Raises ShapeError if `index` has another number of axes or is larger off `dim`.
        """
        index = self._positions(index)
        at = normal_axis(dim, self.ndim, "gather")
        self._check_index(index, at, "gather")
        part = self.shrink([None if i == at else (0, s) for i, s in enumerate(index.shape)])
        source = part.moveaxis(at, -1).unsqueeze(at)
        place = _wrapped(index.uop, self.shape[at])
        device = one_device([self, index], "gather")
        return self._make(_chosen(source.uop, place.reshape((*index.shape, 1))), device)

    def _check_index(self, index: Core, axis: int, method: str) -> None:
        fits = index.ndim == self.ndim and all(
            i == axis or int(a) <= int(b)
            for i, (a, b) in enumerate(zip(index.shape, self.shape, strict=False))
        )
        if not fits:
            raise ShapeError(
                f"{method}: index of shape {show(index.shape)} does not fit a tensor of shape "
                f"{show(self.shape)}: sizes must not be larger but along axis {axis}"
            )

    def scatter(self, dim: int, index: Any, src: Any, reduce: str | None = None) -> Self:
        """This with src[i][j] at [i][index[i][j]] (here dim is 1); `reduce="add"` adds instead.

        Where positions repeat, the last one counts. Raises UsageError for another `reduce`.
        """
        if reduce not in (None, "add"):
            raise UsageError(f"scatter: reduce is None or 'add', found {reduce!r}")
        index = self._positions(index)
        at = normal_axis(dim, self.ndim, "scatter")
        self._check_index(index, at, "scatter")
        source = self._wrap(src).cast(self.dtype).expand(index.shape)
        size = self.shape[at]
        shape = tuple(s for i, s in enumerate(index.shape) if i != at)
        full = (*shape, size, index.shape[at])  # (…, place, which)
        place = self._new(_wrapped(index.uop, size))
        where = place.moveaxis(at, -1).unsqueeze(-2)
        hits = where.eq(self._new(node_iota(size, len(full) - 2, full, place.dtype)))
        values = self._new(source.uop).moveaxis(at, -1).unsqueeze(-2)
        if reduce is None:
            order = self._new(node_iota(index.shape[at], len(full) - 1, full, dtypes.i32))
            last = hits.where(order, -1).max(-1, keepdim=True)
            hits = hits.logical_and(order.eq(last))
        new = hits.where(values, 0).sum(-1, dtype=_sum_kind(self.dtype)).cast(self.dtype)
        touched = hits.any(-1)
        pads = [
            (0, 0) if i == at else (0, int(s) - int(t))
            for i, (s, t) in enumerate(zip(self.shape, index.shape, strict=True))
        ]
        new = new.moveaxis(-1, at)._pad(pads)
        touched = touched.moveaxis(-1, at)._pad(pads)
        return self + new if reduce == "add" else touched.where(new, self)

    def embedding(self, weight: Any) -> Self:
        """Rows of `weight` (classes, size) that the integers of this name: shape (…, size)."""
        return self._new(self._wrap(weight).uop)[self]


def _sum_kind(kind: Any) -> Any:
    return dtypes.i32 if kind.is_bool else kind


def _chosen(source: UOp, where: UOp) -> UOp:
    """The element of the last axis at position `where` (which has size 1 there), else 0."""
    size = (source.shape or ())[-1]
    shape = tuple(nodes_broadcast([source, where], "indexing")[0].shape or ())
    hits = where.expand(shape).eq(node_iota(size, len(shape) - 1, shape, where.dtype))
    spread = source.reshape((1,) * (len(shape) - len(source.shape or ())) + (source.shape or ()))
    masked = hits.where(spread.expand(shape), UOp.const(source.dtype, 0))
    combine = Ops.MAX if source.dtype.is_bool else Ops.ADD
    found = UOp(Ops.REDUCE_AXIS, source.dtype, (masked,), (combine, (len(shape) - 1,)))
    return found.reshape(shape[:-1])


def node_size(size: Dim, kind: DType) -> UOp:
    """A size as a node of an integer type."""
    return UOp.const(kind, size) if isinstance(size, int) else size.cast(kind)


def _wrapped(position: UOp, size: Dim) -> UOp:
    """Positions counted from the end where they are negative, in a type that holds the size."""
    most = size if isinstance(size, int) else size.vmax
    if position.dtype.max < most:
        position = position.cast(default_int())
    kind = position.dtype
    negative = position < UOp.const(kind, 0)
    return negative.where(position + node_size(size, kind), position)


def is_position(item: Any) -> bool:
    """Whether an index item names one position: an int, or a symbolic one."""
    if isinstance(item, bool):
        return False
    return isinstance(item, UOp) or (hasattr(item, "__index__") and not isinstance(item, Core))


def complete_key(key: Any, rank: int) -> list[Any]:
    """One item an axis (and None for new axes): the Ellipsis and what was left out spelled out."""
    keys = list(key) if isinstance(key, tuple) else [key]
    for item in keys:
        known = isinstance(item, _NONE | slice | EllipsisType | Core | list | tuple)
        if not known and not is_position(item) and not hasattr(item, "__array__"):
            raise UsageError(
                f"an index is an int, a slice, None, Ellipsis or a tensor of ints, found {item!r} "
                f"of type {type(item).__name__}"
            )
    used = sum(1 for item in keys if item is not None and item is not Ellipsis)
    dots = [i for i, item in enumerate(keys) if item is Ellipsis]
    if len(dots) > 1:
        raise UsageError("an index can hold one Ellipsis")
    if used > rank:
        raise ShapeError(f"{used} indices for a tensor with {rank} axes")
    at = dots[0] if dots else len(keys)
    return [*keys[:at], *[slice(None)] * (rank - used), *keys[at + 1 :]]


def _at(node: UOp, axis: int, size: Dim, position: Any) -> UOp:
    """One position of an axis, which stays with size 1."""
    if isinstance(position, UOp):
        bounds: tuple[Dim, Dim] = (position, position + 1)
    else:
        number = int(position.__index__())
        if isinstance(size, int) and not -size <= number < size:
            raise ShapeError(f"index {number} is out of range for axis {axis} of size {size}")
        begin = size + number if number < 0 else number
        bounds = (begin, begin + 1)
    return _narrowed(node, axis, bounds)


def _narrowed(node: UOp, axis: int, bounds: tuple[Dim, Dim]) -> UOp:
    shape = node.shape or ()
    return node.shrink(tuple(bounds if i == axis else (0, s) for i, s in enumerate(shape)))


def _sliced(node: UOp, axis: int, size: Dim, part: slice) -> UOp:
    """Every step-th position between start and stop: cut, turned round, then strided."""
    symbolic = any(isinstance(v, UOp) for v in (part.start, part.stop, size))
    if symbolic:
        if part.step not in (None, 1):
            raise ShapeError(f"a slice with a symbolic bound needs step 1, found {part.step}")
        begin = 0 if part.start is None else part.start
        return _narrowed(node, axis, (begin, size if part.stop is None else part.stop))
    try:
        start, stop, step = part.indices(int(size))
    except (TypeError, ValueError) as error:
        raise UsageError(f"slice {part}: {error}") from None
    count = len(range(start, stop, step))
    if step < 0:
        start, stop = start + (count - 1) * step, start + 1
    else:
        stop = start + (count - 1) * step + 1
    if count == 0:
        return _narrowed(node, axis, (0, 0))
    node = _narrowed(node, axis, (start, stop))
    if step < 0:
        node = node.flip(tuple(i == axis for i in range(len(node.shape or ()))))
    return _strided(node, axis, count, abs(step))


def _strided(node: UOp, axis: int, count: int, step: int) -> UOp:
    """Positions 0, step, 2*step … of an axis of size (count - 1) * step + 1."""
    if step == 1 or count == 1:
        return _narrowed(node, axis, (0, count))
    shape = node.shape or ()
    lead, tail = shape[:axis], shape[axis + 1 :]
    pads = tuple((0, step - 1 if i == axis else 0) for i in range(len(shape)))
    rows = node.pad(pads).reshape((*lead, count, step, *tail))
    return _narrowed(rows, axis + 1, (0, 1)).reshape((*lead, count, *tail))
