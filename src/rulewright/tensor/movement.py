"""Movement: the same elements in other shapes and orders. All rests on the six movement ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.errors import ArgumentError, RulewrightError, ShapeError
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core
from rulewright.tensor.kinds import is_dtype_or_name
from rulewright.tensor.members import Members, Self
from rulewright.tensor.rearrangement import parsed, solve, spread_dots
from rulewright.tensor.shapes import (
    as_shape,
    check_count,
    check_size,
    fill_unknown,
    is_strided,
    known_le,
    larger,
    node_broadcast_to,
    node_iota,
    node_padded,
    normal_axes,
    normal_axis,
    numel,
    pair_of,
    same_size,
    show,
    show_size,
    smaller,
    unpack,
)


class Movement(Members):
    """Shapes, orders of axes, rearrangement, diagonals. What only rearranges gives views."""

    __slots__ = ()

    # ---- the six ops ----------------------------------------------------------------------

    def reshape(self, *shape: Any) -> Self:
        """The same elements in row-major order with another shape; one size may be -1.

        A size of None keeps the old size of that axis. A view where strides can say it, as in
        numpy and PyTorch: a transposed tensor is copied, unless axes are only divided. Raises
        ShapeError if the number of elements differs.

        >>> Tensor.arange(6).reshape(2, -1).tolist()
        [[0, 1, 2], [3, 4, 5]]
        """
        node = self._reshaped(shape, "reshape")
        alias = self._alias
        if alias is None or is_strided(self.uop, alias.base, node.max_shape):
            return self._view(node)
        return self._new(node)

    def _reshaped(self, shape: Sequence[Any], method: str) -> UOp:
        sizes = unpack(shape)
        if any(size is None for size in sizes):
            sizes = self._kept_sizes(sizes)
        return self.uop.reshape(fill_unknown(sizes, self.shape, method))

    def _kept_sizes(self, shape: Sequence[Any]) -> list[Any]:
        """A shape with this tensor's size wherever it has None."""
        if any(s is None for s in shape[self.ndim :]):
            raise ShapeError(
                f"reshape: None keeps a size, but {show(self.shape)} has none at its place in "
                f"{tuple(shape)}"
            )
        return [self.shape[i] if s is None else s for i, s in enumerate(shape)]

    def permute(self, *order: Any) -> Self:
        """Axis i of the result is axis `order[i]` of this. Raises ShapeError if it is no order.

        >>> Tensor.zeros(2, 3, 4).permute(2, 0, 1).shape
        (4, 2, 3)
        """
        places = unpack(order)
        axes = tuple(normal_axis(a, self.ndim, "permute") for a in places)
        if sorted(axes) != list(range(self.ndim)):
            raise ShapeError(
                f"permute: expected each of {self.ndim} axes once, found {tuple(places)}"
            )
        return self._view(self.uop.permute(axes))

    def expand(self, *shape: Any) -> Self:
        """Axes of size 1 repeated to `shape`, new axes in front; -1 or None keeps a size.

        Raises ShapeError where a size other than 1 would change.

        >>> Tensor([[1], [2]]).expand(-1, 3).tolist()
        [[1, 1, 1], [2, 2, 2]]
        """
        sizes = unpack(shape)
        missing = len(sizes) - self.ndim
        if missing < 0:
            raise ShapeError(f"expand: {show(self.shape)} has more axes than {tuple(sizes)}")
        old = (1,) * missing + self.shape
        wanted = [
            o if s is None or (isinstance(s, int) and s == -1) else check_size(s, "expand")
            for o, s in zip(old, sizes, strict=True)
        ]
        for o, s in zip(old, wanted, strict=True):
            if not same_size(o, s) and not same_size(o, 1):
                raise ShapeError(
                    f"expand: {show(self.shape)} cannot become {show(wanted)}: "
                    "only axes of size 1 can be repeated"
                )
        return self._view(node_broadcast_to(self.uop, tuple(wanted)))

    def broadcast_to(self, *shape: Any) -> Self:
        """`expand`, as numpy calls it.

        >>> Tensor([1, 2]).broadcast_to((2, 2)).tolist()
        [[1, 2], [1, 2]]
        """
        return self.expand(*shape)

    def expand_as(self, other: Core) -> Self:
        """`expand` to the shape of another tensor.

        >>> Tensor([[1], [2]]).expand_as(Tensor.zeros(2, 3)).shape
        (2, 3)
        """
        return self.expand(other.shape)

    def shrink(self, bounds: Sequence[tuple[Any, Any] | None]) -> Self:
        """The part begin <= i < end of each axis; None keeps an axis.

        Raises ShapeError for bounds outside of the axis.

        >>> Tensor([[1, 2, 3], [4, 5, 6]]).shrink([None, (1, 3)]).tolist()
        [[2, 3], [5, 6]]
        """
        if not isinstance(bounds, tuple | list):
            raise ArgumentError(f"shrink: expected bounds of each axis, found {bounds!r}")
        if len(bounds) != self.ndim:
            raise ShapeError(f"shrink: expected {self.ndim} pairs of bounds, found {len(bounds)}")
        wanted: list[tuple[Dim, Dim]] = []
        for axis, (pair, size) in enumerate(zip(bounds, self.shape, strict=True)):
            expected = f"shrink: expected (begin, end) or None for axis {axis}"
            begin, end = (0, size) if pair is None else pair_of(pair, expected)
            if not (known_le(0, begin) and known_le(begin, end) and known_le(end, size)):
                raise ShapeError(
                    f"shrink: bounds {show((begin, end))} leave axis {axis} "
                    f"of size {show((size,))[1:-2]}"
                )
            wanted.append((begin, end))
        return self._view(self.uop.shrink(tuple(wanted)))

    def shrink_to(self, *shape: Any) -> Self:
        """The first elements of each axis, as many as `shape` says; None keeps an axis.

        Raises ShapeError for more than there are.

        >>> Tensor([[1, 2, 3], [4, 5, 6]]).shrink_to(None, 2).tolist()
        [[1, 2], [4, 5]]
        """
        return self.shrink([None if s is None else (0, s) for s in unpack(shape)])

    def flip(self, *axis: Any) -> Self:
        """The given axes reversed; all if none is given, none for an empty tuple or list.

        A new value; `x[::-1]` is a view. Raises ShapeError for one named twice.

        >>> Tensor([[1, 2], [3, 4]]).flip(1).tolist()
        [[2, 1], [4, 3]]
        """
        axes = normal_axes(list(unpack(axis)) if axis else None, self.ndim, "flip")
        flags = tuple(i in axes for i in range(self.ndim))
        return self._new(self.uop.flip(flags))

    def rot90(self, k: int = 1, dims: Sequence[int] = (0, 1)) -> Self:
        """Turned k times by 90 degrees, from the first axis of `dims` to the second.

        Raises ShapeError unless `dims` are two axes.

        >>> Tensor([[1, 2], [3, 4]]).rot90().tolist()
        [[2, 4], [1, 3]]
        """
        if len(normal_axes(list(dims), self.ndim, "rot90")) != 2:
            raise ShapeError(f"rot90: dims are two axes, found {tuple(dims)}")
        flipped = self.flip([dims[i] for i, turns in enumerate(((2, 3), (1, 2))) if k % 4 in turns])
        return (flipped.transpose(*dims) if k % 2 else flipped)._equal()

    def _pad(self, pads: Sequence[tuple[Dim, Dim]]) -> Self:
        """Zeros before and after each axis."""
        return self._new(node_padded(self.uop, pads))

    def _narrowed(self, axis: int, span: tuple[Dim, Dim]) -> Self:
        return self.shrink([span if i == axis else None for i in range(self.ndim)])

    # ---- sizes ----------------------------------------------------------------------------

    def view(self, *shape: Any) -> Self:
        """`reshape` that never copies: where PyTorch would refuse, the result is a view as well.

        Of a dtype: `bitcast`.

        >>> Tensor.arange(4).view(2, 2).tolist()
        [[0, 1], [2, 3]]
        >>> Tensor([1.0]).view(dtypes.int32).tolist()
        [1065353216]
        """
        if len(shape) == 1 and is_dtype_or_name(shape[0]):
            return self.bitcast(shape[0])
        return self._view(self._reshaped(shape, "view"))

    def view_as(self, other: Core) -> Self:
        """`view` in the shape of another tensor.

        >>> Tensor.arange(6).view_as(Tensor.zeros(2, 3)).shape
        (2, 3)
        """
        return self.view(other.shape)

    def reshape_as(self, other: Core) -> Self:
        """`reshape` to the shape of another tensor.

        >>> Tensor.arange(6).reshape_as(Tensor.zeros(2, 3)).shape
        (2, 3)
        """
        return self.reshape(other.shape)

    def squeeze(self, dim: int | Sequence[int] | None = None) -> Self:
        """Without the axes of size 1; with `dim`, only without those of them.

        >>> Tensor([[[7]], [[8]]]).squeeze(1).shape
        (2, 1)
        """
        axes = normal_axes(dim, self.ndim, "squeeze")
        return self.reshape(
            [s for i, s in enumerate(self.shape) if i not in axes or not same_size(s, 1)]
        )

    def unsqueeze(self, dim: int) -> Self:
        """A new axis of size 1 at position `dim` of the result.

        >>> Tensor([1, 2]).unsqueeze(-1).tolist()
        [[1], [2]]
        """
        at = normal_axis(dim, self.ndim + 1, "unsqueeze")
        return self.reshape([*self.shape[:at], 1, *self.shape[at:]])

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Self:
        """The axes from `start_dim` to `end_dim`, both included, as one.

        Raises ShapeError if `start_dim` lies after `end_dim`.

        >>> Tensor.zeros(2, 3, 4).flatten(1).shape
        (2, 12)
        """
        first = normal_axis(start_dim, self.ndim, "flatten")
        last = normal_axis(end_dim, self.ndim, "flatten")
        if last < first:
            raise ShapeError(f"flatten: start_dim {start_dim} lies after end_dim {end_dim}")
        middle = numel(self.shape[first : last + 1])
        return self.reshape([*self.shape[:first], middle, *self.shape[last + 1 :]])

    def ravel(self) -> Self:
        """All elements along one axis, in row-major order.

        >>> Tensor([[1, 2], [3, 4]]).ravel().tolist()
        [1, 2, 3, 4]
        """
        return self.flatten()

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Self:
        """Axis `dim` as several axes of the given sizes; one may be -1.

        Raises ShapeError if they do not make up the axis.

        >>> Tensor.zeros(2, 12).unflatten(1, (3, -1)).shape
        (2, 3, 4)
        """
        at = normal_axis(dim, self.ndim, "unflatten")
        if not self.shape:
            raise ShapeError("unflatten: a tensor without axes has none to divide; use reshape()")
        parts = fill_unknown(list(sizes), self.shape[at : at + 1], "unflatten")
        return self.reshape([*self.shape[:at], *parts, *self.shape[at + 1 :]])

    def repeat(self, *repeats: Any) -> Self:
        """The tensor `repeats[i]` times along axis i, new axes in front.

        Raises ShapeError for fewer numbers than axes; `tile` takes them.

        >>> Tensor([1, 2]).repeat(2, 2).tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
        """
        times = as_shape(repeats, "repeat")
        if len(times) < self.ndim:
            raise ShapeError(
                f"repeat: expected {self.ndim} numbers or more for shape {show(self.shape)}, "
                f"found {len(times)}"
            )
        return self._repeated(times)._equal()

    def _repeated(self, times: Sequence[Dim]) -> Self:
        """`repeat` as a view, in which elements share memory."""
        shape = (1,) * (len(times) - self.ndim) + self.shape
        split = [part for s in shape for part in (1, s)]
        spread = [part for n, s in zip(times, shape, strict=True) for part in (n, s)]
        final = [n * s for n, s in zip(times, shape, strict=True)]
        return self.reshape(split).expand(spread).view(final)

    def tile(self, *dims: Any) -> Self:
        """`repeat`, in which missing numbers in front are 1.

        >>> Tensor([[1, 2]]).tile(2).tolist()
        [[1, 2, 1, 2]]
        """
        times = as_shape(dims, "tile")
        return self.repeat([1] * (self.ndim - len(times)) + list(times))

    # ---- order of axes --------------------------------------------------------------------

    def transpose(self, dim0: int = 1, dim1: int = 0) -> Self:
        """Two axes swapped.

        >>> Tensor([[1, 2], [3, 4]]).transpose().tolist()
        [[1, 3], [2, 4]]
        """
        order = list(range(self.ndim))
        if order:
            a, b = (normal_axis(d, self.ndim, "transpose") for d in (dim0, dim1))
            order[a], order[b] = order[b], order[a]
        return self.permute(order)

    def swapaxes(self, axis0: int, axis1: int) -> Self:
        """`transpose`, as numpy names it.

        >>> Tensor.zeros(2, 3, 4).swapaxes(0, -1).shape
        (4, 3, 2)
        """
        return self.transpose(axis0, axis1)

    @property
    def T(self) -> Self:
        """All axes in reverse order."""
        return self.permute(list(range(self.ndim))[::-1])

    @property
    def mT(self) -> Self:
        """The last two axes swapped."""
        return self.transpose(-2, -1)

    def moveaxis(self, source: int | Sequence[int], destination: int | Sequence[int]) -> Self:
        """Axes at other places, the rest in their order.

        Raises ShapeError if as many places as axes are not named, or one twice.

        >>> Tensor.zeros(2, 3, 4).moveaxis(0, -1).shape
        (3, 4, 2)
        """
        axes = list(source) if isinstance(source, list | tuple) else [source]
        places = list(destination) if isinstance(destination, list | tuple) else [destination]
        old = [normal_axis(a, self.ndim, "moveaxis") for a in axes]
        new = [normal_axis(a, self.ndim, "moveaxis") for a in places]
        if len(old) != len(new) or len(set(old)) != len(old) or len(set(new)) != len(new):
            raise ShapeError(
                "moveaxis: expected different axes and as many different places, "
                f"found {tuple(axes)} and {tuple(places)}"
            )
        moved = dict(zip(new, old, strict=True))
        rest = (i for i in range(self.ndim) if i not in old)
        return self.permute([moved[i] if i in moved else next(rest) for i in range(self.ndim)])

    # ---- rearrangement ---------------------------------------------------------------------

    def rearrange(self, formula: str, **sizes: int) -> Self:
        """Axes named, split, joined and put in another order; the syntax is that of einops.

        "b (h w) c -> b c h w" names the axes from left to right; parentheses group axes that are
        one axis of the tensor, three dots stand for any number of axes, 1 for an axis of
        size 1. `sizes` says how a group is divided; one size of a group may be left out.
        Raises ShapeError for a formula that means nothing, and for sizes that do not fit.

        >>> Tensor.arange(6).rearrange("(a b) -> b a", a=2).tolist()
        [[0, 3], [1, 4], [2, 5]]
        """
        before, after = parsed(formula)
        groups = spread_dots(before, self.ndim, formula)
        if len(groups) != self.ndim:
            raise ShapeError(
                f"rearrange: {formula!r} names {len(groups)} axes, found shape {show(self.shape)}"
            )
        known: dict[str, Dim] = {n: check_size(s, "rearrange") for n, s in sizes.items()}
        unused = known.keys() - {n for group in groups for n in group}
        if unused:
            raise ShapeError(f"rearrange: {formula!r} has no axis {', '.join(sorted(unused))}")
        for group, size in zip(groups, self.shape, strict=True):
            solve(group, size, known, formula)
        names = [n for group in groups for n in group if n != "1"]
        wanted = spread_dots(after, self.ndim, formula, [n for n in names if n[0] == "."])
        order = [n for group in wanted for n in group if n != "1"]
        split = self.reshape([known[n] for n in names])
        moved = split.permute([names.index(n) for n in order])
        return moved.reshape([numel([known[n] for n in g if n != "1"]) for g in wanted])

    def repeat_interleave(self, repeats: Any, dim: int | None = None) -> Self:
        """Each element, or slice along `dim`, `repeats` times in a row; of all elements without.

        `repeats` may be one number an element: a sequence, an array, or a tensor, which is then
        computed, because the result's shape depends on it. Raises ShapeError if there are more
        or fewer numbers than elements.

        >>> Tensor([1, 2]).repeat_interleave(2).tolist()
        [1, 1, 2, 2]
        >>> Tensor([1, 2, 3]).repeat_interleave([2, 0, 1]).tolist()
        [1, 1, 3]
        """
        if dim is None:
            return self.flatten().repeat_interleave(repeats, 0)
        at = normal_axis(dim, self.ndim, "repeat_interleave")
        if not self.shape:
            return self.reshape(1).repeat_interleave(repeats, 0)
        if not isinstance(repeats, int) and hasattr(repeats, "__len__"):
            return self._repeated_each(repeats, at)
        count, shape = check_size(repeats, "repeat_interleave"), self.shape
        spread = self.reshape([*shape[: at + 1], 1, *shape[at + 1 :]])
        spread = spread.expand([*shape[: at + 1], count, *shape[at + 1 :]])
        return spread.view([*shape[:at], shape[at] * count, *shape[at + 1 :]])._equal()

    def _repeated_each(self, repeats: Any, at: int) -> Self:
        import numpy as np

        try:
            counts = np.asarray(repeats)
        except RulewrightError:  # a tensor whose values cannot be read here
            raise
        except ValueError:  # rows of several lengths
            counts = np.empty((0, 0), object)
        if counts.shape == (1,) and counts.dtype.kind in "iu":
            return self.repeat_interleave(int(counts[0]), at)
        if counts.shape != (self.shape[at],) or counts.dtype.kind not in "iu" or (counts < 0).any():
            raise ShapeError(
                f"repeat_interleave: expected a number of 0 or more for each of "
                f"{show_size(self.shape[at])} "
                f"elements, found {counts.dtype} of shape {counts.shape}"
            )
        check_count([sum(counts.tolist())])
        places = np.repeat(np.arange(counts.size), counts)
        key = (*[slice(None)] * at, places)
        repeated: Self = self[key]
        return repeated

    # ---- diagonals ------------------------------------------------------------------------

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Self:
        """The diagonal of two axes as the last axis: elements (i, i + offset). A view.

        Raises ShapeError for less than two axes.

        >>> Tensor([[1, 2], [3, 4]]).diagonal().tolist()
        [1, 4]
        """
        a, b = self._two_axes(dim1, dim2, self.ndim, "diagonal")
        rest = [i for i in range(self.ndim) if i not in (a, b)]
        moved = self.permute([*rest, a, b])
        skip_rows, skip_columns = max(-offset, 0), max(offset, 0)
        rows, columns = moved.shape[-2] - skip_rows, moved.shape[-1] - skip_columns
        count: Any = larger(smaller(rows, columns), 0)
        keep = [None] * len(rest)
        if isinstance(count, int) and count == 0:
            return moved.shrink([*keep, (0, 0), None]).reshape([*moved.shape[:-2], 0])
        part = moved.shrink(
            [*keep, (skip_rows, skip_rows + count), (skip_columns, skip_columns + count)]
        )
        lead = part.shape[:-2]  # in rows of one element more, the diagonal is the first column
        flat = part.view([*lead, count * count])
        wide = flat._view(flat.uop.pad((*((0, 0) for _ in rest), (0, count))))
        wide = wide.reshape([*lead, count, count + 1])
        return wide.shrink([*keep, None, (0, 1)]).reshape([*lead, count])

    @staticmethod
    def _two_axes(dim1: int, dim2: int, rank: int, method: str) -> tuple[int, int]:
        if rank < 2:
            raise ShapeError(f"{method}: expected 2 axes or more, found {rank}")
        a, b = (normal_axis(d, rank, method) for d in (dim1, dim2))
        if a == b:
            raise ShapeError(f"{method}: dim1 and dim2 must be different axes, found {a} twice")
        return a, b

    def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Self:
        """The last axis as the diagonal (i, i + offset) of two new axes, zeros beside it.

        Raises ShapeError for a scalar.

        >>> Tensor([1, 2]).diag_embed().tolist()
        [[1, 0], [0, 2]]
        """
        if not self.shape:
            raise ShapeError("diag_embed: expected 1 axis or more, found a scalar")
        a, b = self._two_axes(dim1, dim2, self.ndim + 1, "diag_embed")
        *lead, count = self.shape
        shape = (*lead, count, count)
        row, column = (node_iota(count, len(lead) + k, shape) for k in (0, 1))
        values = self.unsqueeze(-2)
        square = self._new(row.eq(column)).where(values, values.zeros_like())
        around = [(max(-offset, 0), max(offset, 0)), (max(offset, 0), max(-offset, 0))]
        return square._pad([*[(0, 0)] * len(lead), *around]).moveaxis((-2, -1), (a, b))

    def diag(self, diagonal: int = 0) -> Self:
        """The square matrix with this diagonal; of a matrix, a copy of its diagonal.

        Raises ShapeError unless there are one or two axes.

        >>> Tensor([1, 2]).diag().tolist()
        [[1, 0], [0, 2]]
        """
        if self.ndim not in (1, 2):
            raise ShapeError(f"diag: expected 1 or 2 axes, found {self.ndim}")
        return self.diag_embed(diagonal) if self.ndim == 1 else self.diagonal(diagonal)._equal()
