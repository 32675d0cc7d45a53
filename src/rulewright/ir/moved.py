"""The movement ops of a node: reshape, expand, permute, flip, pad, shrink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulewright.ir.derived import DerivedNode
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim, split_dims

if TYPE_CHECKING:
    from typing_extensions import Self


class MovementNode(DerivedNode):
    """A node that can be moved: the same elements (or zeros) at other places."""

    __slots__ = ()

    def _moved(self, op: Op, arg: Any, sizes: tuple[Any, ...] = ()) -> Self:
        return type(self)(op, self.dtype, (self, *sizes), arg)

    def reshape(self, shape: tuple[Dim, ...]) -> Self:
        """The same elements in row-major order with another shape."""
        arg, sizes = split_dims(shape)
        return self if shape == self.shape else self._moved(Ops.RESHAPE, arg, sizes)

    def expand(self, shape: tuple[Dim, ...]) -> Self:
        """Axes of size 1 repeated to `shape`."""
        arg, sizes = split_dims(shape)
        return self if shape == self.shape else self._moved(Ops.EXPAND, arg, sizes)

    def permute(self, order: tuple[int, ...]) -> Self:
        """Axis i of the result is axis `order[i]` of this."""
        same = order == tuple(range(len(order)))
        return self if same else self._moved(Ops.PERMUTE, order)

    def flip(self, flags: tuple[bool, ...]) -> Self:
        """Axes whose flag is true reversed."""
        return self._moved(Ops.FLIP, flags) if any(flags) else self

    def pad(self, pads: tuple[tuple[Dim, Dim], ...]) -> Self:
        """Zeros before and after each axis."""
        return self if all(p == (0, 0) for p in pads) else self._paired(Ops.PAD, pads)

    def shrink(self, bounds: tuple[tuple[Dim, Dim], ...]) -> Self:
        """The part begin <= i < end of each axis."""
        whole = tuple((0, s) for s in self.shape or ())
        return self if bounds == whole else self._paired(Ops.SHRINK, bounds)

    def _paired(self, op: Op, pairs: tuple[tuple[Dim, Dim], ...]) -> Self:
        arg, sizes = split_dims([d for pair in pairs for d in pair])
        return self._moved(op, tuple(zip(arg[::2], arg[1::2], strict=True)), sizes)
