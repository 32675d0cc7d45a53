"""Positions as tensors: gather, scatter and their kin, one-hot, where elements are."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from rulewright.errors import ChoiceError, DTypeError, PositionError, ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.uop import UOp
from rulewright.tensor import contents
from rulewright.tensor.by_place import ByPlace, with_own_derivative
from rulewright.tensor.core import Core, one_device
from rulewright.tensor.kinds import default_int
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import (
    broadcast_shapes,
    check_size,
    known_le,
    node_iota,
    normal_axis,
    show,
)
from rulewright.tensor.slices import node_chosen, node_wrapped
from rulewright.tensor.windows import node_window

_REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")
_OLD_NAMES = {"add": "sum", "multiply": "prod"}


class Indexing(Members):
    """Methods that take or give positions."""

    __slots__ = ()

    # ---- reading --------------------------------------------------------------------------

    def gather(self, dim: int, index: Any) -> Self:
        """Element [i][index[i][j]][k] for each [i][j][k] of `index` (here dim is 1).

        Positions out of range give 0. Raises ShapeError if `index` has another number of axes or
        is larger off `dim`, PositionError unless it holds integers.

        >>> Tensor([[1, 2], [3, 4]]).gather(1, Tensor([[0, 0], [1, 0]])).tolist()
        [[1, 1], [4, 3]]
        """
        index = self._positions(index)
        at = normal_axis(dim, self.ndim, "gather")
        if not self.shape or not index.shape:
            return self._scalars_gathered(index)
        self._check_index(index, at, "gather")
        part = self.shrink([None if i == at else (0, s) for i, s in enumerate(index.shape)])
        source = part.unsqueeze(at).uop  # (…, 1, place, …)
        place = node_wrapped(index.uop, self.shape[at])
        place = place.reshape((*index.shape[: at + 1], 1, *index.shape[at + 1 :]))
        device = one_device([self, index], "gather")
        return self._make(node_chosen(source, place, at - self.ndim), device)

    def _scalars_gathered(self, index: Self) -> Self:
        """Scalars count as one element."""
        if self.ndim > 1 or index.ndim > 1:
            self._check_index(index, 0, "gather")
        return self.reshape(-1).gather(0, index.reshape(-1)).reshape(index.shape)

    def _check_index(self, index: Core, axis: int, method: str) -> None:
        fits = index.ndim == self.ndim and all(
            i == axis or known_le(a, b)
            for i, (a, b) in enumerate(zip(index.shape, self.shape, strict=False))
        )
        if not fits:
            raise ShapeError(
                f"{method}: index of shape {show(index.shape)} does not fit a tensor of shape "
                f"{show(self.shape)}: sizes must not be larger but along axis {axis}"
            )

    def take(self, index: Any) -> Self:
        """Elements at positions in the flattened tensor, in the shape of `index`.

        >>> Tensor([[1, 2], [3, 4]]).take(Tensor([3, -4])).tolist()
        [4, 1]
        """
        return self.flatten()[self._positions(index)]

    def take_along_dim(self, indices: Any, dim: int | None = None) -> Self:
        """`gather` after the other axes of both are broadcast; without `dim`, `take`.

        Raises ShapeError if they do not broadcast or differ in number.

        >>> Tensor([[3, 1, 2]]).take_along_dim(Tensor([[1], [0]]), 1).tolist()
        [[1], [3]]
        """
        index = self._positions(indices)
        if dim is None:
            return self.take(index.flatten())
        at = normal_axis(dim, self.ndim, "take_along_dim")
        if index.ndim != self.ndim:
            raise ShapeError(
                f"take_along_dim: expected indices with {self.ndim} axes, found {index.ndim}"
            )
        shapes = [(*t.shape[:at], 1, *t.shape[at + 1 :]) for t in (self, index)]
        shape = list(broadcast_shapes(shapes, "take_along_dim"))
        shape[at] = -1
        return self.expand(shape).gather(at, index.expand(shape))

    def masked_scatter(self, mask: Any, source: Any) -> Self:
        """This with the elements of `source`, one after the other, where the bool `mask` holds.

        mask: of this shape, or one that becomes it by repeating. What `source` has too many is left
        out; where it has too few there are zeros. In this dtype. Raises ShapeError for a mask that
        does not fit, DTypeError for one that is not bool.

        >>> mask = Tensor([True, False, True])
        >>> Tensor([1, 2, 3]).masked_scatter(mask, Tensor([7, 8])).tolist()
        [7, 2, 8]
        """
        where = cast("Self", self._wrap(mask, "masked_scatter mask")).expand(self.shape)
        if not where.dtype.is_bool:
            raise DTypeError(
                f"masked_scatter: expected a bool mask, found {where.dtype.name}; compare first, "
                "such as x != 0"
            )
        values = self._wrap(source, "masked_scatter source").cast(self.dtype).flatten()
        places = where.flatten().cumsum(0) - 1
        return where.where(values.gather(0, places).reshape(self.shape), self)

    def index_select(self, dim: int, index: Any) -> Self:
        """The slices of an axis at the positions of a tensor of one axis, or a scalar.

        Raises ShapeError for more axes.

        >>> Tensor([[1, 2, 3]]).index_select(1, Tensor([2, 0])).tolist()
        [[3, 1]]
        """
        index = self._positions(index)
        at = normal_axis(dim, self.ndim, "index_select")
        if index.ndim > 1:
            raise ShapeError(f"index_select: expected an index of 1 axis, found {index.ndim}")
        if not self.shape:
            return self.reshape(1)[index.reshape(-1)].reshape(())
        key = (*[slice(None)] * at, index.reshape(-1))
        return self[key]

    def embedding(self, weight: Any) -> Self:
        """Rows of `weight` (classes, size) that the integers of this name: shape (…, size).

        Raises ShapeError for a weight of another number of axes.

        >>> Tensor([1, 0]).embedding(Tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
        [[3.0, 4.0], [1.0, 2.0]]
        """
        table = self._wrap(weight, "embedding weight")
        if table.ndim != 2:
            raise ShapeError(
                f"embedding: expected a weight (classes, size), found {show(table.shape)}"
            )
        return self._make(table.uop, table._device)[self._positions(self)]

    # ---- writing --------------------------------------------------------------------------

    def scatter(self, dim: int, index: Any, src: Any, reduce: str | None = None) -> Self:
        """This with src[i][j] at [i][index[i][j]] (here dim is 1), the last where they repeat.

        src: a number, or a tensor no smaller than `index`. reduce: "add" or "multiply" combines
        with what is there instead. Positions out of range write nothing. Raises ShapeError for
        shapes that do not fit, ChoiceError for another `reduce`.

        >>> Tensor([0, 0, 0]).scatter(0, Tensor([2, 0]), Tensor([5, 6])).tolist()
        [6, 0, 5]
        """
        if reduce is not None and reduce not in _OLD_NAMES:
            raise ChoiceError(f"scatter: reduce is None, 'add' or 'multiply', found {reduce!r}")
        how = None if reduce is None else _OLD_NAMES[reduce]
        return self._scattered(dim, index, src, how, how is not None, "scatter")

    def scatter_add(self, dim: int, index: Any, src: Any) -> Self:
        """`scatter` that adds to what is there.

        >>> Tensor([1, 1]).scatter_add(0, Tensor([0, 0]), Tensor([5, 6])).tolist()
        [12, 1]
        """
        return self._scattered(dim, index, src, "sum", True, "scatter_add")

    def scatter_reduce(
        self, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True
    ) -> Self:
        """`scatter` that combines all that goes to one place: sum, prod, mean, amax or amin.

        include_self: whether what is there takes part. Means of integers are rounded down.
        Raises ChoiceError for another `reduce`.

        >>> Tensor([1, 1]).scatter_reduce(0, Tensor([0, 0]), Tensor([5, 6]), "amax").tolist()
        [6, 1]
        """
        if reduce not in _REDUCTIONS:
            raise ChoiceError(
                f"scatter_reduce: reduce is one of {', '.join(_REDUCTIONS)}, found {reduce!r}"
            )
        return self._scattered(dim, index, src, reduce, include_self, "scatter_reduce")

    def _scattered(
        self, dim: int, index: Any, src: Any, reduce: str | None, include_self: bool, method: str
    ) -> Self:
        index = self._positions(index)
        at = normal_axis(dim, self.ndim, method)
        if not self.shape:
            flat = self.reshape(1)._scattered(
                0, index.reshape(-1), self._source(src, index, method).reshape(-1),
                reduce, include_self, method,
            )  # fmt: skip
            return flat.reshape(())
        self._check_index(index, at, method)
        source = self._source(src, index, method)
        device = one_device([self, index, source], method)
        if 0 in index.shape:
            return self._new(self.uop)
        known = all(isinstance(n, int) for n in (*self.shape, *index.shape))
        if reduce in ("amax", "amin", "prod") and known and self.dtype.is_float:
            how = ByPlace(at, reduce, include_self)
            plain = partial(_scattered_to, reduce=reduce, include_self=include_self, at=at)
            return self._make(with_own_derivative(plain, self, index, source, how, device), device)
        new = _scattered_to(self, index, source, at, reduce, include_self)
        return self._make(new.uop, device)

    def _source(self, src: Any, index: Self, method: str) -> Self:
        """What is scattered, in the shape of the index."""
        source = self._as_value(src, index.ndim)
        if isinstance(src, Core):
            self._check_source(src, method)
        if not source.shape and index.shape:
            return source.expand(index.shape)
        fits = source.ndim == index.ndim and all(
            known_le(a, b) for a, b in zip(index.shape, source.shape, strict=True)
        )
        if not fits:
            raise ShapeError(
                f"{method}: src of shape {show(source.shape)} is smaller than the index of shape "
                f"{show(index.shape)}"
            )
        return source.shrink([(0, s) for s in index.shape])

    def index_put(self, indices: Any, values: Any, accumulate: bool = False) -> Self:
        """This after `x[indices] = values`, or where positions repeat, the sum if `accumulate`.

        Raises what brackets raise.

        >>> Tensor([0, 0]).index_put((Tensor([1, 1]),), Tensor([5, 6]), accumulate=True).tolist()
        [0, 11]
        """
        key = tuple(indices) if isinstance(indices, list | tuple) else (indices,)
        copy = self._new(self.uop)
        part, picks = copy._part(key)
        if not picks or part.shape != self.shape:
            raise PositionError(
                "index_put: expected a tensor of positions for each of the first axes"
            )
        return part._written(picks, values, accumulate)

    def index_add(self, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Self:
        """This with alpha times each slice of `source` added to the slice at its position.

        index: positions in axis `dim`, of one axis; out of range they add nothing. Raises
        ShapeError for a source of another shape, DTypeError for one of another dtype.

        >>> Tensor([1, 2, 3]).index_add(0, Tensor([0, 2, 0]), Tensor([5, 6, 7]), alpha=2).tolist()
        [25, 2, 15]
        """
        if alpha != 1 and isinstance(source, Core):
            source = (self._wrap(source) * alpha).cast(source.dtype)
        return self._slices_written(dim, index, source, "index_add", accumulate=True)

    def index_copy(self, dim: int, index: Any, source: Any) -> Self:
        """This with each slice of `source` at its position, the last where they repeat.

        >>> Tensor([1, 2, 3]).index_copy(0, Tensor([2, 0]), Tensor([5, 6])).tolist()
        [6, 2, 5]
        """
        return self._slices_written(dim, index, source, "index_copy")

    def index_fill(self, dim: int, index: Any, value: Any) -> Self:
        """This with a number, or a tensor without axes, in the slices at some positions.

        >>> Tensor([1, 2, 3]).index_fill(0, Tensor([2, 0]), 9).tolist()
        [9, 2, 9]
        """
        filling = self._wrap(value, "index_fill value")
        if filling.ndim:
            raise ShapeError(
                f"index_fill: expected one value, found shape {show(filling.shape)}; "
                "index_copy takes a slice for each position"
            )
        return self._slices_written(dim, index, value, "index_fill", whole=False)

    def _slices_written(
        self, dim: int, index: Any, source: Any, method: str, accumulate: bool = False,
        whole: bool = True,
    ) -> Self:  # fmt: skip
        """This with slices written at positions in an axis; `whole`: each has its own."""
        at, place = normal_axis(dim, self.ndim, method), self._positions(index)
        if place.ndim > 1:
            raise ShapeError(f"{method}: expected an index of 1 axis, found {show(place.shape)}")
        if not self.ndim:
            flat = self.reshape(1)
            source = self._wrap(source).reshape(1) if whole else source
            return flat._slices_written(0, place, source, method, accumulate, whole).reshape(())
        place = place.reshape(-1)
        shape = (*self.shape[:at], place.shape[0], *self.shape[at + 1 :])
        if whole:
            source = self._wrap(source, f"{method} source")
            if source.shape != shape:
                raise ShapeError(
                    f"{method}: expected a source of shape {show(shape)}, "
                    f"found {show(source.shape)}"
                )
            self._check_source(source, method)
        return self._new(self.uop)._written([(at, place)], source, accumulate)

    def _check_source(self, source: Core, method: str) -> None:
        if source.dtype is not self.dtype:
            raise DTypeError(
                f"{method}: expected src of {self.dtype.name}, as this is, found "
                f"{source.dtype.name}; cast it first"
            )

    # ---- where elements are ---------------------------------------------------------------

    def one_hot(self, num_classes: int = -1) -> Self:
        """1 at the position that each element names along a new last axis, else 0; int64.

        Without `num_classes` this is computed, to find the largest. Raises DTypeError unless
        this holds integers.

        >>> Tensor([2, 0]).one_hot(3).tolist()
        [[0, 0, 1], [1, 0, 0]]
        """
        import numpy as np

        if self.dtype.is_float or self.dtype.is_bool:
            raise DTypeError(f"one_hot: expected integers, found {self.dtype.name}")
        if num_classes == -1:
            if self.numel() == 0:
                raise UsageError("one_hot: no elements to find num_classes in; give it")
            num_classes = int(np.asarray(self).max()) + 1
        shape = (*self.shape, check_size(num_classes, "one_hot"))
        place = self._new(node_iota(num_classes, self.ndim, shape, default_int()))
        return self.unsqueeze(-1).cast(default_int()).eq(place).cast(default_int())

    def nonzero(
        self, as_tuple: bool = False, size: int | None = None, fill_value: int = 0
    ) -> Self | Any:
        """Positions (int64) of elements that are not zero, (count, axes), in row-major order.

        as_tuple: one tensor an axis instead. size: so many of them, with `fill_value` for what is
        missing; nothing is computed then, also in a jit. Without it the tensor is computed, because
        the result's shape depends on it.

        >>> Tensor([[1, 0], [0, 2]]).nonzero().tolist()
        [[0, 0], [1, 1]]
        >>> Tensor([0, 5]).nonzero(size=2, fill_value=-1).tolist()
        [[1], [-1]]
        """
        import numpy as np

        if size is not None and self.ndim:
            at, there = self.ne(0)._first_held(int(check_size(size, "nonzero")))
            axes: list[Self] = []
            step: Any = 1
            for length in self.shape[::-1]:
                axes.insert(0, there.where(at // step % length, fill_value))
                step = step * length
            if as_tuple:
                return tuple(axes)
            first, *rest = (axis.unsqueeze(1) for axis in axes)
            return first.cat(*rest, dim=1)
        contents.refuse("how many elements are not zero (`size=` of nonzero says it) is read")
        array = np.asarray(self) != 0
        if as_tuple:
            places = np.nonzero(array.reshape(array.shape or (1,)))
            positions = tuple(self._host_positions(p) for p in places)
            return tuple(p._of_length(size, fill_value) for p in positions)
        rows = self._host_positions(np.argwhere(array))
        return rows._of_length(size, fill_value)

    def _first_held(self, size: int) -> tuple[Self, Self]:
        """Where a mask first holds, `size` times in row-major order, and whether it does.

        In loops that run in order, every element goes to the place of the next one that holds, and
        the last of them stays there; else each place is searched for.
        """
        held = self.reshape(-1).cast(default_int())
        counts, places = held.cumsum(0), self._new(node_iota(size, 0, (size,), held.dtype))
        if self._in_ordered_loops():
            order = self._new(node_iota(held.shape[0], 0, held.shape, held.dtype))
            first = self._new(UOp.const(held.dtype, 0)).expand((size,))
            at = first.scatter_reduce(0, counts - held, order, "amax")
        else:
            at = counts.searchsorted(places + 1)
        return at, places < held.sum()

    def _of_length(self, size: int | None, fill_value: Any) -> Self:
        """The first `size` along the first axis, and the value for what is missing."""
        if size is None:
            return self
        here, wanted = int(self.shape[0]), int(check_size(size, "nonzero"))
        padding = [(0, max(wanted - here, 0)), *((0, 0) for _ in self.shape[1:])]
        return self[:wanted].pad(padding, value=fill_value)

    def masked_select(self, mask: Any, size: int | None = None, fill_value: float = 0) -> Self:
        """The elements where a mask holds, after both are broadcast, along one axis.

        size: so many of them, with `fill_value` for what is missing; nothing is computed then, also
        in a jit. Without it the mask is computed, because the result's shape depends on it. Raises
        DTypeError unless it holds bools.

        >>> Tensor([1, 2, 3]).masked_select(Tensor([True, False, True])).tolist()
        [1, 3]
        >>> Tensor([1, 2, 3]).masked_select(Tensor([True, False, True]), size=3).tolist()
        [1, 3, 0]
        """
        held = cast("Self", self._wrap(mask))
        if not held.dtype.is_bool:
            raise DTypeError(f"masked_select: expected a bool mask, found {held.dtype.name}")
        shape = broadcast_shapes([self.shape, held.shape], "masked_select") or (1,)
        of, where = self.expand(shape), held.expand(shape)
        if size is None:
            return of[where]
        places, there = where._first_held(int(check_size(size, "masked_select")))
        return there.where(of.reshape(-1)[places], fill_value)

    def unfold(self, dim: int, size: int, step: int) -> Self:
        """Windows of `size` elements of an axis, each `step` further on, along a new last axis.

        Raises ShapeError if no window fits, UsageError for sizes or steps below 1.

        >>> Tensor.arange(5).unfold(0, 3, 2).tolist()
        [[0, 1, 2], [2, 3, 4]]
        """
        at = normal_axis(dim, self.ndim, "unfold")
        if size < 1 or step < 1:
            raise UsageError(f"unfold: size and step must be 1 or more, found {size} and {step}")
        if not self.shape or not known_le(size, self.shape[at]):
            raise ShapeError(f"unfold: a window of {size} does not fit axis {at} of "
                             f"shape {show(self.shape)}")  # fmt: skip
        windows = self._view if isinstance(self.shape[at], int) else self._new
        return windows(node_window(self.uop, at, size, step, 1)).moveaxis(at + 1, -1)


def _scattered_to(
    old: Any, index: Any, source: Any, at: int, reduce: str | None, include_self: bool
) -> Any:
    """What is there, combined with what goes to positions along an axis."""
    size = old.shape[at]
    place = old._new(node_wrapped(index.uop, size)).unsqueeze(at)  # (…, 1, which, …)
    full = (*place.shape[:at], size, *place.shape[at + 1 :])
    hits = place.eq(old._new(node_iota(size, at, full, place.dtype)))
    part = old.shrink([None if i == at else (0, s) for i, s in enumerate(index.shape)])
    new = _combined(part, hits, source.unsqueeze(at), at + 1, reduce, include_self)
    if new.shape == old.shape:
        return new
    pads = [(0, s - t) for s, t in zip(old.shape, new.shape, strict=True)]
    inside = old._new(UOp.const(dtypes.bool, True)).expand(new.shape)._pad(pads)
    return inside.where(new._pad(pads), old)


def _combined(
    old: Any, hits: Any, values: Any, which: int, reduce: str | None, include_self: bool
) -> Any:
    """What is there (…, place, …), combined with the values (…, 1, which, …) that hit it."""
    if reduce is None:
        order = old._new(node_iota(hits.shape[which], which, hits.shape, dtypes.i32))
        last = hits.where(order, -1).max(which)
        where = last.unsqueeze(which).uop
        node = node_chosen(values.uop, where, which - hits.ndim)
        chosen = values._make(node, one_device([hits, values], "scatter"))
        return (last >= 0).where(chosen, old)
    kind = old.dtype
    wide = dtypes.i32 if kind.is_bool else kind
    if reduce in ("sum", "mean"):
        new = hits.where(values, 0).sum(which, dtype=wide).cast(kind)
    elif reduce == "prod":
        new = hits.where(values.cast(wide), 1).prod(which, dtype=wide).cast(kind)
    else:
        lowest = old._new(UOp.const(kind, kind.min if reduce == "amax" else kind.max))
        chosen = hits.where(values, lowest)
        new = chosen.max(which) if reduce == "amax" else chosen.min(which)
    joined = new
    if include_self:
        joined = {"prod": lambda: old * new, "amax": lambda: old.maximum(new),
                  "amin": lambda: old.minimum(new)}.get(reduce, lambda: old + new)()  # fmt: skip
    if reduce == "mean":
        count = hits.sum(which, dtype=dtypes.i32) + int(include_self)
        count = count.maximum(1).cast(kind)
        joined = joined / count if kind.is_float else joined // count
    elif include_self:
        return joined
    return hits.any(which).where(joined, old)
