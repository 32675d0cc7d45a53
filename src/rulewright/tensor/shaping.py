"""Shapes: new ones of the same elements. Everything here rests on the six movement ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ArgumentError, ShapeError
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor.layout import is_strided
from rulewright.tensor.members import Members
from rulewright.tensor.nodes import node_broadcast_to, node_padded
from rulewright.tensor.shapes import (
    as_shape,
    check_size,
    fill_unknown,
    is_whole,
    known_le,
    normal_axes,
    normal_axis,
    numel,
    same_size,
    show,
    unpack,
)

if TYPE_CHECKING:
    from typing_extensions import Self


class Shaping(Members):
    """Shapes: the movement ops and what follows from them. What only rearranges gives views."""

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
        if alias is None or is_strided(self.uop, alias.base, node.shape or ()):
            return self._view(node)
        return self._new(node)

    def _reshaped(self, shape: Sequence[Any], method: str) -> UOp:
        given = unpack(shape)
        if any(size is None for size in given):
            given = self._kept_sizes(given)
        return self.uop.reshape(fill_unknown(given, self.numel(), method))

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
        given = unpack(order)
        axes = tuple(normal_axis(a, self.ndim, "permute") for a in given)
        if sorted(axes) != list(range(self.ndim)):
            raise ShapeError(
                f"permute: expected each of {self.ndim} axes once, found {tuple(given)}"
            )
        return self._view(self.uop.permute(axes))

    def expand(self, *shape: Any) -> Self:
        """Axes of size 1 repeated to `shape`, new axes in front; -1 or None keeps a size.

        Raises ShapeError where a size other than 1 would change.

        >>> Tensor([[1], [2]]).expand(-1, 3).tolist()
        [[1, 1, 1], [2, 2, 2]]
        """
        given = unpack(shape)
        missing = len(given) - self.ndim
        if missing < 0:
            raise ShapeError(f"expand: {show(self.shape)} has more axes than {tuple(given)}")
        old = (1,) * missing + self.shape
        wanted = [
            o if s is None or (isinstance(s, int) and s == -1) else check_size(s, "expand")
            for o, s in zip(old, given, strict=True)
        ]
        for o, s in zip(old, wanted, strict=True):
            if not same_size(o, s) and not same_size(o, 1):
                raise ShapeError(
                    f"expand: {show(self.shape)} cannot become {show(wanted)}: "
                    "only axes of size 1 can be repeated"
                )
        return self._view(node_broadcast_to(self.uop, tuple(wanted)))

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
            begin, end = (0, size) if pair is None else _bounds(pair, axis)
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

    def _pad(self, pads: Sequence[tuple[Dim, Dim]]) -> Self:
        """Zeros before and after each axis."""
        return self._new(node_padded(self.uop, pads))

    def _narrowed(self, axis: int, span: tuple[Dim, Dim]) -> Self:
        return self.shrink([span if i == axis else None for i in range(self.ndim)])

    # ---- sizes ----------------------------------------------------------------------------

    def view(self, *shape: Any) -> Self:
        """`reshape` that never copies: where PyTorch would refuse, the result is a view as well.

        >>> Tensor.arange(4).view(2, 2).tolist()
        [[0, 1], [2, 3]]
        """
        return self._view(self._reshaped(shape, "view"))

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
        parts = fill_unknown(list(sizes), self.shape[at], "unflatten")
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
        given = list(source) if isinstance(source, list | tuple) else [source]
        places = list(destination) if isinstance(destination, list | tuple) else [destination]
        old = [normal_axis(a, self.ndim, "moveaxis") for a in given]
        new = [normal_axis(a, self.ndim, "moveaxis") for a in places]
        if len(old) != len(new) or len(set(old)) != len(old) or len(set(new)) != len(new):
            raise ShapeError(
                "moveaxis: expected different axes and as many different places, "
                f"found {tuple(given)} and {tuple(places)}"
            )
        moved = dict(zip(new, old, strict=True))
        rest = (i for i in range(self.ndim) if i not in old)
        return self.permute([moved[i] if i in moved else next(rest) for i in range(self.ndim)])

    def movedim(self, source: int | Sequence[int], destination: int | Sequence[int]) -> Self:
        """`moveaxis`, as PyTorch names it.

        >>> Tensor.zeros(2, 3, 4).movedim((0, 1), (1, 2)).shape
        (4, 2, 3)
        """
        return self.moveaxis(source, destination)


def _bounds(pair: Any, axis: int) -> tuple[Dim, Dim]:
    known = isinstance(pair, tuple | list) and len(pair) == 2
    if not known or not all(isinstance(v, UOp) or is_whole(v) for v in pair):
        raise ArgumentError(
            f"shrink: expected (begin, end) or None for axis {axis}, found {pair!r}"
        )
    begin, end = (v if isinstance(v, UOp) else int(v.__index__()) for v in pair)
    return begin, end
