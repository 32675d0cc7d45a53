"""Pools of windows over the last axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.tensor.kinds import accumulator, default_int, float_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.overlapping import Windows, largest_of
from rulewright.tensor.shapes import known_le, node_iota, show, tuple_of
from rulewright.tensor.windows import node_windows

Sizes = int | Sequence[int]
Pads = list[tuple[int, int]]
Options = tuple[Any, Any, Any, Any]
"""Sizes, steps, dilations and pads of windows, as they are asked for."""


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

    def _windows(self, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Self:
        return self._new(node_windows(self.uop, size, stride, dilation))

    # ---- pools -----------------------------------------------------------------------------

    def max_pool2d(
        self,
        kernel_size: Sizes = (2, 2),
        stride: Sizes | None = None,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Self | Any:
        """Largest element of each window of the last axes; outside of the tensor is nothing.

        With `return_indices` also where each stands (the first of several) in the flattened pooled
        axes, int64. Raises ShapeError if a window does not fit.

        >>> Tensor([[1, 2, 5], [4, 3, 0]]).max_pool2d(2).tolist()
        [[4]]
        """
        options = (kernel_size, stride, dilation, padding)
        return self._max_pool("max_pool2d", options, ceil_mode, return_indices)

    def _max_pool(
        self, method: str, options: Options, ceil_mode: bool, return_indices: bool
    ) -> Self | Any:
        return self._largest(_pool_of(self.shape, options, ceil_mode, method), return_indices)

    def max_pool1d(
        self,
        kernel_size: Sizes = 2,
        stride: Sizes | None = None,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Self | Any:
        """`max_pool2d` over the last axis.

        >>> Tensor([1, 3, 2, 0]).max_pool1d(2).tolist()
        [3, 2]
        """
        sizes = tuple_of(kernel_size, 1, "max_pool1d", "kernel_size", 1)
        options = (sizes, stride, dilation, padding)
        return self._max_pool("max_pool1d", options, ceil_mode, return_indices)

    def max_pool3d(
        self,
        kernel_size: Sizes = 2,
        stride: Sizes | None = None,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Self | Any:
        """`max_pool2d` over the last three axes.

        >>> Tensor.arange(8).reshape(1, 2, 2, 2).max_pool3d(2).item()
        7
        """
        sizes = tuple_of(kernel_size, 3, "max_pool3d", "kernel_size", 1)
        options = (sizes, stride, dilation, padding)
        return self._max_pool("max_pool3d", options, ceil_mode, return_indices)

    def _largest(self, pool: _Pool, return_indices: bool) -> Any:
        pads, axes = pool.all_pads(self.ndim), tuple(range(-pool.rank, 0))
        if not return_indices and set(pool.dilation) == {1}:
            return largest_of(self, Windows(pool.size, pool.stride, tuple(pads[-pool.rank :])))
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
        divisor_override: int | None = None,
    ) -> Self:
        """Mean of each window of the last axes; padding counts as zeros, or not at all.

        What `ceil_mode` adds never counts. divisor_override: what sums are divided by instead of
        what counts. Integers give the default float. Raises ShapeError if a window does not fit,
        UsageError for a divisor of 0.

        >>> Tensor([[1.0, 2.0, 5.0], [4.0, 3.0, 0.0]]).avg_pool2d(2).tolist()
        [[2.5]]
        """
        options = (kernel_size, stride, dilation, padding)
        return self._avg_pool("avg_pool2d", options, ceil_mode, count_include_pad, divisor_override)

    def _avg_pool(
        self, method: str, options: Options, ceil_mode: bool, with_pads: bool, by: int | None
    ) -> Self:
        pool = _pool_of(self.shape, options, ceil_mode, method)
        if by == 0:
            raise UsageError(f"{method}: expected divisor_override other than 0, found 0")
        kind = float_dtype(self.dtype)
        wide = accumulator(kind)
        padded = self.cast(wide)._pad(pool.all_pads(self.ndim))
        windows = padded._windows(pool.size, pool.stride, pool.dilation)
        total = windows.sum(tuple(range(-pool.rank, 0)))
        full = with_pads or all(p == (0, 0) for p in pool.pads)
        divisor: Any = by or math.prod(pool.size)
        if by is None and (not full or any(pool.more)):
            divisor = self._counts(pool, total.shape, with_pads).cast(wide)
        return (total / divisor).cast(kind)

    def avg_pool1d(
        self,
        kernel_size: Sizes = 2,
        stride: Sizes | None = None,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Self:
        """`avg_pool2d` over the last axis.

        >>> Tensor([1.0, 3.0, 2.0, 0.0]).avg_pool1d(2).tolist()
        [2.0, 1.0]
        """
        sizes = tuple_of(kernel_size, 1, "avg_pool1d", "kernel_size", 1)
        options = (sizes, stride, dilation, padding)
        return self._avg_pool("avg_pool1d", options, ceil_mode, count_include_pad, divisor_override)

    def avg_pool3d(
        self,
        kernel_size: Sizes = 2,
        stride: Sizes | None = None,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Self:
        """`avg_pool2d` over the last three axes.

        >>> Tensor.arange(8).reshape(1, 2, 2, 2).avg_pool3d(2).item()
        3.5
        """
        sizes = tuple_of(kernel_size, 3, "avg_pool3d", "kernel_size", 1)
        options = (sizes, stride, dilation, padding)
        return self._avg_pool("avg_pool3d", options, ceil_mode, count_include_pad, divisor_override)

    def _counts(self, pool: _Pool, shape: Sequence[Any], with_pads: bool) -> Self:
        """How many elements of each window count: along each axis those j with
        low <= o * stride + j * dilation < high, multiplied."""
        counts: Any = None
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
            counts = count if counts is None else counts * count
        return counts

    # ---- adaptive pools -------------------------------------------------------------------

    def adaptive_avg_pool2d(self, output_size: Any) -> Self:
        """Means of so many windows along each of the last two axes, window i from
        floor(i * n / size) to ceil((i + 1) * n / size). None keeps a size.

        >>> Tensor([[1.0, 2.0, 6.0]]).adaptive_avg_pool2d((1, 2)).tolist()
        [[1.5, 4.0]]
        """
        return self._adaptive(output_size, 2, "adaptive_avg_pool2d")

    def adaptive_avg_pool1d(self, output_size: Any) -> Self:
        """`adaptive_avg_pool2d` over the last axis.

        >>> Tensor([1.0, 2.0, 6.0]).adaptive_avg_pool1d(1).tolist()
        [3.0]
        """
        return self._adaptive(output_size, 1, "adaptive_avg_pool1d")

    def adaptive_max_pool2d(self, output_size: Any) -> Self:
        """Largest elements of the windows of `adaptive_avg_pool2d`.

        >>> Tensor([[1.0, 2.0, 6.0]]).adaptive_max_pool2d((1, 2)).tolist()
        [[2.0, 6.0]]
        """
        return self._adaptive(output_size, 2, "adaptive_max_pool2d", largest=True)

    def adaptive_max_pool1d(self, output_size: Any) -> Self:
        """`adaptive_max_pool2d` over the last axis.

        >>> Tensor([1.0, 2.0, 6.0]).adaptive_max_pool1d(1).tolist()
        [6.0]
        """
        return self._adaptive(output_size, 1, "adaptive_max_pool1d", largest=True)

    def _adaptive(self, output_size: Any, rank: int, method: str, largest: bool = False) -> Self:
        if self.ndim < rank or 0 in self.shape[-rank:]:
            raise ShapeError(
                f"{method}: expected {rank} axes or more, none of the last empty, "
                f"found {show(self.shape)}"
            )
        counts = output_size if isinstance(output_size, tuple | list) else (output_size,) * rank
        old = self.shape[-rank:]
        kept = [old[i] if g is None and i < rank else g for i, g in enumerate(counts)]
        sizes = tuple_of(kept, rank, method, "output_size", 1)
        kind = self.dtype if largest else float_dtype(self.dtype)
        pooled = self.cast(kind if largest else accumulator(kind))
        for axis, count in enumerate(sizes, -rank):
            pooled = pooled._adapted(axis, count, largest)
        return pooled.cast(kind)

    def _adapted(self, axis: int, count: int, largest: bool) -> Self:
        size = int(self.shape[axis])
        moved = self.moveaxis(axis, -1)
        if size % count == 0:
            windows = moved.unflatten(-1, (count, size // count))
            pooled = windows.max(-1) if largest else windows.mean(-1)
            return pooled.moveaxis(-1, axis)
        whole, rest = divmod(size, count)
        width = whole + (1 if count % rest == 0 else 2)  # of the widest window
        shape = (count, width)
        i, j = (self._new(node_iota(n, a, shape, dtypes.i64)) for a, n in enumerate(shape))
        first = i * size // count
        inside = j < ((i + 1) * size + count - 1) // count - first
        windows = moved[..., (first + j).minimum(size - 1)]
        if largest:
            pooled = inside.where(windows, self.dtype.min).max(-1)
        else:
            pooled = inside.where(windows, 0).sum(-1) / inside.sum(-1).cast(self.dtype)
        return pooled.moveaxis(-1, axis)

    # ---- unpooling ------------------------------------------------------------------------

    def max_unpool2d(
        self,
        indices: Any,
        kernel_size: Sizes = (2, 2),
        stride: Sizes | None = None,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        output_size: Sequence[int] | None = None,
    ) -> Self:
        """Each element at the place that `max_pool2d` with `return_indices` found it in, zeros
        elsewhere; the last of several for one place counts.

        output_size: the pooled axes, or the whole shape; else (n - 1) * stride - pads +
        dilation * (window - 1) + 1. Raises ShapeError unless indices have this shape.

        >>> x = Tensor([[1.0, 2.0], [4.0, 3.0]])
        >>> found, places = x.max_pool2d(2, return_indices=True)
        >>> found.max_unpool2d(places, 2).tolist()
        [[0.0, 0.0], [4.0, 0.0]]
        """
        method = "max_unpool2d"
        size, steps, spread, pads = _windows_of((kernel_size, stride, dilation, padding), method)
        rank = len(size)
        places = self._other(indices, f"{method} indices")
        if places.dtype.is_float or places.dtype.is_bool:
            raise DTypeError(f"{method}: indices are integers, found {places.dtype.name}")
        if self.ndim < rank or places.shape != self.shape:
            raise ShapeError(
                f"{method}: expected {rank} axes or more and indices of the same shape, "
                f"found {show(self.shape)} and {show(places.shape)}"
            )
        lead, pooled = self.shape[:-rank], self.shape[-rank:]
        whole: Sequence[Any] = [
            (int(n) - 1) * s - a - b + d * (k - 1) + 1
            for n, s, (a, b), d, k in zip(pooled, steps, pads, spread, size, strict=True)
        ]
        if output_size is not None:
            whole = tuple_of(output_size[-rank:], rank, method, "output_size")
        total = math.prod(whole)
        empty = self._new(self.uop.const(self.dtype, 0)).expand([*lead, total])
        source = self.flatten(-rank) if rank > 1 else self
        return empty.scatter(-1, places.reshape(source.shape), source).reshape([*lead, *whole])


def spatial_pads(padding: Sizes, rank: int, method: str, least: int | None = 0) -> Pads:
    """(before, after) for each of the last axes: from one number, one an axis, or PyTorch's list
    of pairs that begins with the last axis."""
    if isinstance(padding, tuple | list) and len(padding) == 2 * rank:
        flat = tuple_of(padding, 2 * rank, method, "padding", least)
        return [(flat[2 * i], flat[2 * i + 1]) for i in range(rank)][::-1]
    return [(p, p) for p in tuple_of(padding, rank, method, "padding", least)]


def check_windows(
    sizes: Sequence[Any], window: Sequence[int], dilation: Sequence[int], method: str
) -> None:
    """Raises ShapeError where a window is larger than the padded axis under it, or empty."""
    for n, k, d in zip(sizes, window, dilation, strict=True):
        if k < 1:
            raise ShapeError(f"{method}: a window has at least one element, found {k}")
        if not known_le(d * (k - 1) + 1, n):
            raise ShapeError(
                f"{method}: a window of {d * (k - 1) + 1} does not fit in a padded size of "
                f"{show((n,))[1:-2]}"
            )


def _windows_of(
    options: Options, method: str
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], Pads]:
    """Sizes, steps, dilations and pads of windows, over two axes unless the sizes say otherwise."""
    kernel_size, stride, dilation, padding = options
    rank = len(kernel_size) if isinstance(kernel_size, tuple | list) else 2
    if not rank:
        raise UsageError(f"{method}: expected a kernel_size, found {kernel_size!r}")
    size = tuple_of(kernel_size, rank, method, "kernel_size", 1)
    steps = size if stride is None else tuple_of(stride, rank, method, "stride", 1)
    spread = tuple_of(dilation, rank, method, "dilation", 1)
    return size, steps, spread, spatial_pads(padding, rank, method)


def _pool_of(shape: Sequence[Any], options: Options, ceil_mode: bool, method: str) -> _Pool:
    size, steps, spread, pads = _windows_of(options, method)
    rank = len(size)
    if len(shape) < rank:
        raise ShapeError(f"{method}: expected {rank} axes or more, found {show(shape)}")
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
