"""Reductions over axes, and scans along one.

`axis` is one axis, several, or None for all. Reduced axes vanish, or stay with size 1 under
`keepdim`. Narrow floats are summed in float32 and rounded once; bool and integers are summed in
int64, as in PyTorch.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError, ShapeError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor.activation import Activation
from rulewright.tensor.kinds import accumulator, as_dtype, default_int, float_dtype, real, sum_dtype
from rulewright.tensor.nodes import node_cast, node_iota
from rulewright.tensor.shapes import normal_axes, normal_axis, numel, same_size, show

if TYPE_CHECKING:
    from typing_extensions import Self

Axes = Any  # one axis, a tuple or list of them, or None


class Reduce(Activation):
    """Sums, extremes, moments, softmax, scans."""

    __slots__ = ()

    def _reduce(self, op: Op, axis: Axes, keepdim: bool, kind: DType, method: str) -> Self:
        """Combine over axes in type `kind`."""
        axes = normal_axes(axis, self.ndim, method)
        node = node_cast(self.uop, kind)
        if axes:
            node = UOp(Ops.REDUCE_AXIS, kind, (node,), (op, axes))
        if not keepdim:
            node = node.reshape(tuple(s for i, s in enumerate(self.shape) if i not in axes))
        return self._new(node)

    def _extreme(self, op: Op, axis: Axes, keepdim: bool, method: str) -> Self:
        for i in normal_axes(axis, self.ndim, method):
            if i < self.ndim and same_size(self.shape[i], 0):
                raise ShapeError(
                    f"{method}: axis {i} of shape {show(self.shape)} is empty, "
                    f"and nothing has no {method}"
                )
        return self._reduce(op, axis, keepdim, self.dtype, method)

    # ---- sums and products ----------------------------------------------------------------

    def sum(self, axis: Axes = None, keepdim: bool = False, dtype: Any = None) -> Self:
        """Sum of elements; 0 over an empty axis. `dtype` is the result's and accumulator's."""
        return self._accumulate(Ops.ADD, axis, keepdim, dtype, "sum")

    def prod(self, axis: Axes = None, keepdim: bool = False, dtype: Any = None) -> Self:
        """Product of elements; 1 over an empty axis."""
        return self._accumulate(Ops.MUL, axis, keepdim, dtype, "prod")

    def _accumulate(self, op: Op, axis: Axes, keepdim: bool, dtype: Any, method: str) -> Self:
        kind = sum_dtype(self.dtype) if dtype is None else as_dtype(dtype)
        if kind.is_bool:
            raise DTypeError(f"{method}: a bool cannot hold a {method}; use any() or all()")
        wide = self._reduce(op, axis, keepdim, accumulator(kind), method)
        return self._new(node_cast(wide.uop, kind))

    def _count(self, axis: Axes, method: str) -> Dim:
        axes = normal_axes(axis, self.ndim, method)
        return numel([self.shape[i] for i in axes])

    def mean(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """Sum divided by the number of elements, as a float; NaN over an empty axis."""
        kind = float_dtype(self.dtype)
        wide = self.cast(accumulator(kind)).sum(axis, keepdim)
        return (wide / self._count(axis, "mean")).cast(kind)

    def var(self, axis: Axes = None, keepdim: bool = False, correction: int = 1) -> Self:
        """Mean squared distance from the mean, with n - correction in place of n."""
        kind = float_dtype(self.dtype)
        x = self.cast(accumulator(kind))
        squares = (x - x.mean(axis, keepdim=True)).square().sum(axis, keepdim)
        count = self._count(axis, "var")
        if not isinstance(count, int):
            degrees: Any = (count - correction).maximum(0)
        else:
            degrees = max(count - correction, 0)
        return (squares / degrees).cast(kind)

    def std(self, axis: Axes = None, keepdim: bool = False, correction: int = 1) -> Self:
        """Square root of `var`."""
        return self.var(axis, keepdim, correction).sqrt()

    def var_mean(
        self, axis: Axes = None, keepdim: bool = False, correction: int = 1
    ) -> tuple[Self, Self]:
        """`var` and `mean`."""
        return self.var(axis, keepdim, correction), self.mean(axis, keepdim)

    def std_mean(
        self, axis: Axes = None, keepdim: bool = False, correction: int = 1
    ) -> tuple[Self, Self]:
        """`std` and `mean`."""
        return self.std(axis, keepdim, correction), self.mean(axis, keepdim)

    @real
    def norm(self, p: float = 2.0, axis: Axes = None, keepdim: bool = False) -> Self:
        """(sum of |x|**p) ** (1/p); the largest |x| for p = infinity."""
        if p == math.inf:
            return self.abs().max(axis, keepdim)
        if p == 2:
            return self.square().sum(axis, keepdim).sqrt()
        return self.abs().pow(p).sum(axis, keepdim).pow(1 / p)

    # ---- extremes and truth ---------------------------------------------------------------

    def max(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """Largest element; NaN if there is one. Raises ShapeError over an empty axis."""
        return self._extreme(Ops.MAX, axis, keepdim, "max")

    def min(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """Smallest element; NaN if there is one. Raises ShapeError over an empty axis."""
        return self._extreme(Ops.MIN, axis, keepdim, "min")

    def any(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """Whether some element is not zero; false over an empty axis."""
        return self.cast(dtypes.bool)._reduce(Ops.MAX, axis, keepdim, dtypes.bool, "any")

    def all(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """Whether every element is not zero; true over an empty axis."""
        return self.cast(dtypes.bool)._reduce(Ops.MIN, axis, keepdim, dtypes.bool, "all")

    def argmax(self, axis: int | None = None, keepdim: bool = False) -> Self:
        """Position (int64) of the first largest element, of the first NaN if there is one.

        Without an axis, the position in the flattened tensor.
        """
        return self._first(Ops.MAX, axis, keepdim, "argmax")

    def argmin(self, axis: int | None = None, keepdim: bool = False) -> Self:
        """Position (int64) of the first smallest element; see `argmax`."""
        return self._first(Ops.MIN, axis, keepdim, "argmin")

    def _first(self, op: Op, axis: int | None, keepdim: bool, method: str) -> Self:
        if axis is None:
            found = self.flatten()._first(op, 0, False, method)
            return found.reshape([1] * self.ndim) if keepdim else found
        at = normal_axis(axis, self.ndim, method)
        if not self.ndim:
            return self._new(UOp.const(default_int(), 0))
        hits = self.eq(self._extreme(op, at, True, method))
        if self.dtype.is_float:
            hits = hits.logical_or(self.isnan())
        place = self._new(node_iota(self.shape[at], at, self.shape, default_int()))
        return hits.where(place, default_int().max).min(at, keepdim)

    # ---- softmax and its kin --------------------------------------------------------------

    def _shifted(self, axis: int) -> Self:
        """This minus its largest element along an axis, so that exp does not overflow."""
        x = self.cast(float_dtype(self.dtype))
        return x - x._new(x.max(axis, keepdim=True).uop.detach())

    @real
    def softmax(self, axis: int = -1) -> Self:
        """exp(x) / sum(exp(x)) along an axis, without overflow."""
        powers = self._shifted(axis).exp()
        return powers / powers.sum(axis, keepdim=True)

    @real
    def log_softmax(self, axis: int = -1) -> Self:
        """log(softmax(x)), without overflow."""
        x = self._shifted(axis)
        return x - x.exp().sum(axis, keepdim=True).log()

    @real
    def softmin(self, axis: int = -1) -> Self:
        """softmax(-x)."""
        return (-self).softmax(axis)

    @real
    def logsumexp(self, axis: Axes = None, keepdim: bool = False) -> Self:
        """log(sum(exp(x))), without overflow; minus infinity stays."""
        x = self.cast(float_dtype(self.dtype))
        top = x.max(axis, keepdim=True)
        base = x._new(top.isfinite().where(top, 0).cast(x.dtype).uop.detach())
        found = (x - base).exp().sum(axis, keepdim=True).log() + base
        if keepdim:
            return found
        return found.squeeze(normal_axes(axis, self.ndim, "logsumexp"))

    # ---- scans ----------------------------------------------------------------------------

    def cumsum(self, axis: int = 0) -> Self:
        """Sums of the elements up to and with each one, along an axis."""
        kind = sum_dtype(self.dtype)
        at = normal_axis(axis, self.ndim, "cumsum")
        if not self.ndim:
            return self.cast(kind)
        moved = self.cast(accumulator(kind)).moveaxis(at, -1)
        return moved._scan().moveaxis(-1, at).cast(kind)

    def _scan(self) -> Self:
        """Running sums of the last axis; long ones in blocks, to stay far from n² work."""
        size = int(self.shape[-1])
        if size <= _BLOCK:
            return self._triangle_sum()
        blocks = -(-size // _BLOCK)
        padded = self._pad([(0, 0)] * (self.ndim - 1) + [(0, blocks * _BLOCK - size)])
        parts = padded.reshape([*self.shape[:-1], blocks, _BLOCK])
        before = parts.sum(-1)._scan() - parts.sum(-1)
        joined = (parts._triangle_sum() + before.unsqueeze(-1)).flatten(-2)
        return joined._narrowed(self.ndim - 1, (0, size))

    def _triangle_sum(self) -> Self:
        size = self.shape[-1]
        shape = (*self.shape, size)
        upto, place = (node_iota(size, len(shape) - i, shape) for i in (2, 1))
        spread = self.unsqueeze(-2).expand(shape)
        return self._new(place <= upto).where(spread, 0).sum(-1)


_BLOCK = 256
