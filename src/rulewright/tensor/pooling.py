"""Pools: the largest element or the mean of windows over the last axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rulewright.errors import ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.tensor.kinds import accumulator, default_int, float_dtype
from rulewright.tensor.members import Members
from rulewright.tensor.nodes import node_iota
from rulewright.tensor.shapes import show, tuple_of
from rulewright.tensor.windows import Pads, Sizes, check_windows, spatial_pads

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class _Pool:
    """Windows over the last axes: their sizes and places."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pads: Pads
    more: tuple[int, ...]
    """What `ceil_mode` adds at the end of each axis."""

    @property
    def rank(self) -> int:
        return len(self.size)

    def all_pads(self, ndim: int) -> Pads:
        inner = [(a, b + more) for (a, b), more in zip(self.pads, self.more, strict=True)]
        return [(0, 0)] * (ndim - self.rank) + inner


class Pooling(Members):
    """Max and mean pools.

    kernel_size: one number, or one an axis, which says how many of the last axes are pooled.
    stride: the kernel's size unless given. padding: one number, one an axis, or pairs beginning
    with the last axis. ceil_mode: a last window that begins in the tensor or its padding before,
    but ends behind it, counts too.
    """

    __slots__ = ()

    def max_pool2d(
        self,
        kernel_size: Sizes = (2, 2),
        stride: Sizes | None = None,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        """Largest element of each window of the last axes; outside of the tensor is nothing.

        With `return_indices` also where each stands (the first of several) in the flattened pooled
        axes, int64. Raises ShapeError if a window does not fit.

        >>> Tensor([[1, 2, 5], [4, 3, 0]]).max_pool2d(2).tolist()
        [[4]]
        """
        pool = _pool_of(
            self.shape, 2, (kernel_size, stride, dilation, padding), ceil_mode, "max_pool2d"
        )
        return self._largest(pool, return_indices)

    def max_pool1d(self, kernel_size: Sizes = 2, *args: Any, **options: Any) -> Any:
        """`max_pool2d` over the last axis.

        >>> Tensor([1, 3, 2, 0]).max_pool1d(2).tolist()
        [3, 2]
        """
        return self.max_pool2d(tuple_of(kernel_size, 1, "max_pool1d", "kernel_size", 1), *args,
                               **options)  # fmt: skip

    def max_pool3d(self, kernel_size: Sizes = 2, *args: Any, **options: Any) -> Any:
        """`max_pool2d` over the last three axes.

        >>> Tensor.arange(8).reshape(1, 2, 2, 2).max_pool3d(2).item()
        7
        """
        return self.max_pool2d(tuple_of(kernel_size, 3, "max_pool3d", "kernel_size", 1), *args,
                               **options)  # fmt: skip

    def _largest(self, pool: _Pool, return_indices: bool) -> Any:
        pads, axes = pool.all_pads(self.ndim), tuple(range(-pool.rank, 0))
        places = (pool.size, pool.stride, pool.dilation)
        windows = self._pad_with(pads, self.dtype.min)._windows(*places)
        if not return_indices:
            return windows.max(axes)
        largest = windows.max(axes, keepdim=True)
        hits = windows.eq(largest)
        if self.dtype.is_float:
            hits = hits.logical_or(windows.isnan())
        spatial = self.shape[-pool.rank :]
        line = self._new(node_iota(math.prod(map(int, spatial)), 0, (math.prod(spatial),)))
        place = line.cast(default_int()).reshape(spatial)
        nowhere = default_int().max
        place = place._pad_with(pads[-pool.rank :], nowhere)._windows(*places)
        indices = hits.where(place, nowhere).min(axes)
        return windows.max(axes), indices

    def avg_pool2d(
        self,
        kernel_size: Sizes = (2, 2),
        stride: Sizes | None = None,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> Self:
        """Mean of each window of the last axes; padding counts as zeros, or not at all.

        What `ceil_mode` adds never counts. Integers give the default float. Raises ShapeError if
        a window does not fit.

        >>> Tensor([[1.0, 2.0, 5.0], [4.0, 3.0, 0.0]]).avg_pool2d(2).tolist()
        [[2.5]]
        """
        pool = _pool_of(
            self.shape, 2, (kernel_size, stride, dilation, padding), ceil_mode, "avg_pool2d"
        )
        kind = float_dtype(self.dtype)
        wide = accumulator(kind)
        padded = self.cast(wide)._pad(pool.all_pads(self.ndim))
        windows = padded._windows(pool.size, pool.stride, pool.dilation)
        total = windows.sum(tuple(range(-pool.rank, 0)))
        full = count_include_pad or all(p == (0, 0) for p in pool.pads)
        if full and not any(pool.more):
            return (total / math.prod(pool.size)).cast(kind)
        return (total / self._counts(pool, total.shape, count_include_pad).cast(wide)).cast(kind)

    def avg_pool1d(self, kernel_size: Sizes = 2, *args: Any, **options: Any) -> Self:
        """`avg_pool2d` over the last axis.

        >>> Tensor([1.0, 3.0, 2.0, 0.0]).avg_pool1d(2).tolist()
        [2.0, 1.0]
        """
        return self.avg_pool2d(tuple_of(kernel_size, 1, "avg_pool1d", "kernel_size", 1), *args,
                               **options)  # fmt: skip

    def avg_pool3d(self, kernel_size: Sizes = 2, *args: Any, **options: Any) -> Self:
        """`avg_pool2d` over the last three axes.

        >>> Tensor.arange(8).reshape(1, 2, 2, 2).avg_pool3d(2).item()
        3.5
        """
        return self.avg_pool2d(tuple_of(kernel_size, 3, "avg_pool3d", "kernel_size", 1), *args,
                               **options)  # fmt: skip

    def _counts(self, pool: _Pool, shape: Sequence[Any], with_pads: bool) -> Self:
        """How many elements of each window count: along each axis those j with
        low <= o * stride + j * dilation < high, multiplied."""
        found: Any = None
        lead = len(shape) - pool.rank
        for i, (k, s, d) in enumerate(zip(pool.size, pool.stride, pool.dilation, strict=True)):
            before, after = pool.pads[i]
            low = 0 if with_pads else before
            high = before + int(self.shape[lead + i]) + (after if with_pads else 0)
            line = [1] * pool.rank
            line[i] = int(shape[lead + i])
            start = self._new(node_iota(line[i], i, tuple(line), dtypes.i32)) * s
            first = ((low - start + d - 1) // d).maximum(0)
            last = ((high - start + d - 1) // d).minimum(k)
            count = (last - first).maximum(0)
            found = count if found is None else found * count
        return found


def _pool_of(
    shape: Sequence[Any], rank: int, options: tuple[Any, Any, Any, Any], ceil_mode: bool,
    method: str,
) -> _Pool:  # fmt: skip
    kernel_size, stride, dilation, padding = options
    if isinstance(kernel_size, tuple | list):
        rank = len(kernel_size)
    size = tuple_of(kernel_size, rank, method, "kernel_size", 1)
    steps = size if stride is None else tuple_of(stride, rank, method, "stride", 1)
    spread = tuple_of(dilation, rank, method, "dilation", 1)
    if not rank:
        raise UsageError(f"{method}: expected a kernel_size, found {kernel_size!r}")
    if len(shape) < rank:
        raise ShapeError(f"{method}: expected {rank} axes or more, found {show(shape)}")
    pads = spatial_pads(padding, rank, method)
    more = [0] * rank
    for i in range(rank if ceil_mode else 0):
        (before, after), n = pads[i], int(shape[len(shape) - rank + i])
        window = spread[i] * (size[i] - 1) + 1
        outputs = -(-(n + before + after - window) // steps[i]) + 1
        if (outputs - 1) * steps[i] >= n + before:
            outputs -= 1
        more[i] = max((outputs - 1) * steps[i] + window - (n + before + after), 0)
    pool = _Pool(size, steps, spread, pads, tuple(more))
    sizes = [n + a + b for n, (a, b) in zip(shape[-rank:], pool.all_pads(rank), strict=True)]
    check_windows(sizes, size, spread, method)
    return pool
