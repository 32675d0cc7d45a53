"""The movement ops of a node: reshape, expand, permute, flip, pad, shrink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulewright.ir.derived import DerivedNode
from rulewright.ir.dtypes import dtypes
from rulewright.ir.given import refuse, whole
from rulewright.ir.node import Node
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim, split_dims

if TYPE_CHECKING:
    from typing_extensions import Self

Pair = tuple[Dim, Dim]


def _several(given: Any, method: str, expected: str) -> tuple[Any, ...]:
    if given.__class__ is tuple:
        return given
    if not isinstance(given, list):
        refuse(method, expected, given)
    return tuple(given)


def _sizes(given: Any, method: str) -> tuple[Dim, ...]:
    """Whole numbers and symbolic ones. Raises ArgumentError for anything else."""
    if given.__class__ is tuple:
        for size in given:
            if size.__class__ is not int:
                break
        else:
            return given
    return tuple([_size(s, method) for s in _several(given, method, "a tuple of sizes")])


def _size(value: Any, method: str) -> Dim:
    if isinstance(value, Node) and value.dtype is dtypes.index:
        return value  # type: ignore[return-value]  # every node is a UOp
    return whole(value, method, "a size")


def _known_pairs(given: tuple[Any, ...]) -> bool:
    """Whether these are pairs of plain numbers, as they mostly are."""
    try:
        for low, high in given:
            if low.__class__ is not int or high.__class__ is not int:
                return False
    except (TypeError, ValueError):  # no pair
        return False
    return True


def _pairs(given: Any, method: str) -> tuple[Pair, ...]:
    """Pairs of sizes. Raises ArgumentError for anything else."""
    if given.__class__ is tuple and _known_pairs(given):
        return given
    expected = "a pair of sizes for each axis, such as ((0, 1), (0, 2))"
    pairs = [_several(p, method, expected) for p in _several(given, method, expected)]
    if any(len(pair) != 2 for pair in pairs):
        refuse(method, expected, given)
    flat = iter(_sizes([size for pair in pairs for size in pair], method))
    return tuple(zip(flat, flat, strict=True))


class MovementNode(DerivedNode):
    """A node that can be moved: the same elements (or zeros) at other places.

    All raise ArgumentError for an argument of another kind. Whether it fits the node's shape is
    looked at before a function is scheduled.
    """

    __slots__ = ()

    def _moved(self, op: Op, arg: Any, sizes: tuple[Any, ...] = ()) -> Self:
        return type(self)(op, self.dtype, (self, *sizes), arg)

    def reshape(self, shape: tuple[Dim, ...]) -> Self:
        """The same elements in row-major order with another shape."""
        shape = _sizes(shape, "reshape")
        arg, sizes = split_dims(shape)
        return self if shape == self.shape else self._moved(Ops.RESHAPE, arg, sizes)

    def expand(self, shape: tuple[Dim, ...]) -> Self:
        """Axes of size 1 repeated to `shape`."""
        shape = _sizes(shape, "expand")
        arg, sizes = split_dims(shape)
        return self if shape == self.shape else self._moved(Ops.EXPAND, arg, sizes)

    def permute(self, order: tuple[int, ...]) -> Self:
        """Axis i of the result is axis `order[i]` of this."""
        for axis in order if order.__class__ is tuple else (None,):
            if axis.__class__ is not int:
                given = _several(order, "permute", "a tuple of axes")
                order = tuple([whole(axis, "permute", "an axis") for axis in given])
                break
        same = order == tuple(range(len(order)))
        return self if same else self._moved(Ops.PERMUTE, order)

    def flip(self, flags: tuple[bool, ...]) -> Self:
        """Axes whose flag is true reversed."""
        flags = _several(flags, "flip", "a tuple of True and False")
        for flag in flags:
            if flag.__class__ is not bool:
                refuse("flip", "True or False for each axis", flag)
        return self._moved(Ops.FLIP, flags) if any(flags) else self

    def pad(self, pads: tuple[Pair, ...]) -> Self:
        """Zeros before and after each axis."""
        pads = _pairs(pads, "pad")
        return self if all(p == (0, 0) for p in pads) else self._paired(Ops.PAD, pads)

    def shrink(self, bounds: tuple[Pair, ...]) -> Self:
        """The part begin <= i < end of each axis."""
        bounds = _pairs(bounds, "shrink")
        whole_axes = tuple((0, s) for s in self.shape or ())
        return self if bounds == whole_axes else self._paired(Ops.SHRINK, bounds)

    def _paired(self, op: Op, pairs: tuple[Pair, ...]) -> Self:
        arg, sizes = split_dims([d for pair in pairs for d in pair])
        return self._moved(op, tuple(zip(arg[::2], arg[1::2], strict=True)), sizes)
