"""Products of matrices, convolutions and pools, made of movement ops, MUL and sums.

A window op views its input as (…, outputs, window) by repeating, cutting and reshaping, so that
the compiler sees plain index arithmetic and no copy is made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError, ShapeError
from rulewright.ir.dtypes import DType
from rulewright.tensor.kinds import accumulator, common_dtype
from rulewright.tensor.reduce import Reduce
from rulewright.tensor.shapes import same_size, show, tuple_of

if TYPE_CHECKING:
    from typing_extensions import Self

Sizes = int | Sequence[int]


class Products(Reduce):
    """matmul, convolution, pooling."""

    __slots__ = ()

    # ---- matrices -------------------------------------------------------------------------

    def matmul(self, other: Any) -> Self:
        """Matrix product: (…, n, k) @ (…, k, m) is (…, n, m); a vector on either side is one axis.

        Narrow floats are accumulated in float32; integers wrap. Raises ShapeError if the inner
        sizes differ or a side is a scalar.
        """
        right = self._new(self.uop)._wrap(other)
        a, b = self, self._make(right.uop, right._device)
        if not a.ndim or not b.ndim:
            raise ShapeError("matmul: expected 1 axis or more on both sides, found a scalar")
        inner = b.shape[0] if b.ndim == 1 else b.shape[-2]
        if not same_size(a.shape[-1], inner):
            raise ShapeError(
                f"matmul: shapes {show(a.shape)} and {show(b.shape)}: the last axis of the first, "
                f"{a.shape[-1]}, must equal {'the' if b.ndim == 1 else 'the last but one'} axis "
                f"of the second, {inner}"
            )
        kind = common_dtype(a.dtype, b.dtype)
        if kind.is_bool:
            raise DTypeError("matmul: expected numbers, found bool; cast first")
        rows = a if a.ndim == 1 or b.ndim == 1 else a.unsqueeze(-2)
        columns = b if b.ndim == 1 else b.mT if a.ndim == 1 else b.mT.unsqueeze(-3)
        return rows._sum_of_products(columns, kind)

    def _sum_of_products(self, other: Self, kind: DType) -> Self:
        wide = accumulator(kind)
        products = self.cast(wide) * other.cast(wide)
        return products._accumulate_last(wide).cast(kind)

    def _accumulate_last(self, kind: DType, axes: int = 1) -> Self:
        return self.sum(tuple(range(-axes, 0)), dtype=kind)

    def dot(self, other: Any) -> Self:
        """`matmul`."""
        return self.matmul(other)

    def __matmul__(self, other: Any) -> Self:
        return self.matmul(other)

    def __rmatmul__(self, other: Any) -> Self:
        return self._new(self._wrap(other).uop).matmul(self)

    def linear(self, weight: Any, bias: Any = None) -> Self:
        """x @ weight + bias, for x (…, in), weight (in, out) or (in,), bias (out,)."""
        weight = self._wrap(weight)
        found = self * weight if weight.ndim == 1 else self.matmul(weight)
        return found if bias is None else found + bias

    # ---- windows --------------------------------------------------------------------------

    def _windows(self, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Self:
        """Windows over the last axes: shape (…, outputs…, window…), a view."""
        rank = len(size)
        lead = self.shape[:-rank] if rank else self.shape
        found = self
        for k, s, d in zip(size, stride, dilation, strict=True):
            # always the first axis not yet done: its outputs and window go to the end
            axis = len(lead)
            found = found._window(axis, k, s, d).moveaxis(axis, -1).moveaxis(axis, -1)
        outputs = [len(lead) + 2 * i for i in range(rank)]
        order = [*range(len(lead)), *outputs, *(o + 1 for o in outputs)]
        return found.permute(order)

    def _window(self, axis: int, k: int, stride: int, dilation: int) -> Self:
        """One axis of size n as two: output o and window position j, element o*stride + j*dilation.

        Repeated and cut in rows of n*f + dilation, row j begins j*dilation later, so that its
        columns 0, stride, 2*stride … are window position j. f makes a row long enough.
        """
        n = int(self.shape[axis])
        outputs = (n - dilation * (k - 1) - 1) // stride + 1
        before, after = self.shape[:axis], self.shape[axis + 1 :]
        if stride == k and dilation == 1:
            return self._narrowed(axis, (0, outputs * k)).reshape([*before, outputs, k, *after])
        factor = max(1, -(-(outputs * stride - dilation) // n))
        row = n * factor + dilation
        times = [1] * self.ndim
        times[axis] = -(-k * row // n)
        rows = self.repeat(times)._narrowed(axis, (0, k * row)).reshape([*before, k, row, *after])
        steps = rows._narrowed(axis + 1, (0, outputs * stride))
        steps = steps.reshape([*before, k, outputs, stride, *after])
        return (
            steps._narrowed(axis + 2, (0, 1))
            .reshape([*before, k, outputs, *after])
            .transpose(axis, axis + 1)
        )

    def _spatial_pads(self, padding: Sizes, rank: int, method: str) -> list[tuple[int, int]]:
        """(before, after) for each of the last axes: from one number, one an axis, or PyTorch's
        list of pairs that begins with the last axis."""
        if isinstance(padding, tuple | list) and len(padding) == 2 * rank:
            flat = tuple_of(padding, 2 * rank, method, "padding")
            return [(flat[2 * i], flat[2 * i + 1]) for i in range(rank)][::-1]
        return [(p, p) for p in tuple_of(padding, rank, method, "padding")]

    # ---- convolution ----------------------------------------------------------------------

    def conv2d(
        self,
        weight: Any,
        bias: Any = None,
        groups: int = 1,
        stride: Sizes = 1,
        dilation: Sizes = 1,
        padding: Sizes = 0,
    ) -> Self:
        """Cross-correlation of (N, C, spatial…) with weight (out, C / groups, window…).

        One to three spatial axes. The result is (N, out, spatial…), each size
        (n + pads - dilation * (window - 1) - 1) // stride + 1. Raises ShapeError if channels or
        sizes do not fit.
        """
        weight = self._wrap(weight)
        rank = _check_convolution(self.shape, weight.shape, groups)
        steps = tuple_of(stride, rank, "conv2d", "stride", 1)
        spread = tuple_of(dilation, rank, "conv2d", "dilation", 1)
        pads = self._spatial_pads(padding, rank, "conv2d")
        size = tuple(int(s) for s in weight.shape[2:])
        padded = self._pad([(0, 0), (0, 0), *pads])
        _check_windows(padded.shape[2:], size, spread, "conv2d")
        kind = common_dtype(self.dtype, weight.dtype)
        outputs, inner = int(weight.shape[0]), int(weight.shape[1])
        batch = self.shape[0]
        x = padded._windows(size, steps, spread)  # (N, C, outputs…, window…)
        spatial = x.shape[2 : 2 + rank]
        x = x.reshape([batch, groups, 1, inner, *spatial, *size])
        order = [0, 1, 2, *range(4, 4 + rank), 3, *range(4 + rank, 4 + 2 * rank)]
        kernel = self._new(weight.uop).reshape(
            [1, groups, outputs // groups, *[1] * rank, inner, *size]
        )
        wide = accumulator(kind)
        products = x.permute(order).cast(wide) * kernel.cast(wide)
        found = products._accumulate_last(wide, rank + 1).cast(kind)
        found = found.reshape([batch, outputs, *spatial])
        return found if bias is None else found + self._wrap(bias).reshape([-1] + [1] * rank)

    # ---- pools ----------------------------------------------------------------------------

    def max_pool2d(
        self,
        kernel_size: Sizes = 2,
        stride: Sizes | None = None,
        dilation: Sizes = 1,
        padding: Sizes = 0,
    ) -> Self:
        """Largest element of each window of the last axes; outside of the tensor is nothing."""
        lowest = self.dtype.min
        windows, _ = self._pool(kernel_size, stride, dilation, padding, lowest, "max_pool2d")
        return windows

    def avg_pool2d(
        self,
        kernel_size: Sizes = 2,
        stride: Sizes | None = None,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        count_include_pad: bool = True,
    ) -> Self:
        """Mean of each window of the last axes; padding counts as zeros, or not at all."""
        total, count = self._pool(kernel_size, stride, dilation, padding, None, "avg_pool2d")
        if count_include_pad:
            return total / count
        ones = self._new(self.uop.const(self.dtype, 1)).expand(self.shape)
        weights, _ = ones._pool(kernel_size, stride, dilation, padding, None, "avg_pool2d")
        return total / weights

    def _pool(
        self,
        kernel_size: Sizes,
        stride: Sizes | None,
        dilation: Sizes,
        padding: Sizes,
        fill: Any,
        method: str,
    ) -> tuple[Self, int]:
        """Sums (fill None) or maxima of windows, and the number of elements in a window."""
        rank = len(kernel_size) if isinstance(kernel_size, tuple | list) else 2
        size = tuple_of(kernel_size, rank, method, "kernel_size", 1)
        steps = size if stride is None else tuple_of(stride, rank, method, "stride", 1)
        spread = tuple_of(dilation, rank, method, "dilation", 1)
        if self.ndim < rank:
            raise ShapeError(f"{method}: expected {rank} axes or more, found {show(self.shape)}")
        pads = [(0, 0)] * (self.ndim - rank) + self._spatial_pads(padding, rank, method)
        padded = self._pad(pads) if fill is None else self._pad_with(pads, fill)
        _check_windows(padded.shape[-rank:], size, spread, method)
        windows = padded._windows(size, steps, spread)
        axes = tuple(range(-rank, 0))
        found = windows.sum(axes, dtype=self.dtype) if fill is None else windows.max(axes)
        return found, math.prod(size)


def _check_convolution(x: Sequence[Any], weight: Sequence[Any], groups: int) -> int:
    """The number of spatial axes. Raises ShapeError if x and weight do not fit."""
    rank = len(weight) - 2
    if not 1 <= rank <= 3 or len(x) != len(weight):
        raise ShapeError(
            f"conv2d: expected x (N, C, H, W) and weight (out, C / groups, kh, kw), "
            f"found {show(x)} and {show(weight)}"
        )
    if groups < 1 or weight[0] % groups or x[1] != groups * weight[1]:
        raise ShapeError(
            f"conv2d: {x[1]} channels of x in {groups} groups need a weight with "
            f"{x[1] // max(groups, 1)} channels and outputs that divide by {groups}, "
            f"found weight {show(weight)}"
        )
    return rank


def _check_windows(
    sizes: Sequence[Any], window: Sequence[int], dilation: Sequence[int], method: str
) -> None:
    for n, k, d in zip(sizes, window, dilation, strict=True):
        if n < d * (k - 1) + 1:
            raise ShapeError(
                f"{method}: a window of {d * (k - 1) + 1} does not fit in a padded size of {n}"
            )
