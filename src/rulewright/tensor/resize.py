"""Other sizes of the last axes: interpolation, pools of a given number of windows, unpooling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ChoiceError, DTypeError, ShapeError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.tensor.kinds import accumulator, float_dtype
from rulewright.tensor.members import Members
from rulewright.tensor.nodes import node_iota
from rulewright.tensor.shapes import show, tuple_of
from rulewright.tensor.windows import Sizes, spatial_pads

if TYPE_CHECKING:
    from typing_extensions import Self

_LINEAR = {"linear": None, "bilinear": 2, "trilinear": 3}
_CUBIC = {"cubic": None, "bicubic": 2}
_MODES = ("nearest", "nearest-exact", *_LINEAR, *_CUBIC)
_SHARPNESS = -0.75  # the parameter a of cubic convolution (Keys, 1981), PyTorch's choice


class Resize(Members):
    """interpolate, adaptive pools and max_unpool."""

    __slots__ = ()

    # ---- interpolation --------------------------------------------------------------------

    def interpolate(
        self,
        size: Sizes | None = None,
        mode: str = "linear",
        align_corners: bool = False,
        scale_factor: float | Sequence[float] | None = None,
    ) -> Self:
        """The last axes at another size, or `scale_factor` times as large (rounded down).

        size: one an axis, or one number for all but the first two axes. mode: "nearest" (the
        element at floor(i * n / size)), "nearest-exact" (the nearest to the middle), "linear"
        (along each axis, whatever their number; "bilinear" and "trilinear" say it), "cubic"
        (convolution by Keys, 1981; "bicubic"). align_corners: the first and last elements keep
        their places, rather than the edges. Raises UsageError for other words or both or neither
        of the sizes.

        >>> Tensor([[[1.0, 3.0]]]).interpolate(4).tolist()
        [[[1.0, 1.5, 2.5, 3.0]]]
        """
        sizes, steps = _new_sizes(self.shape, size, scale_factor)
        rank = len(sizes)
        wanted = {**_LINEAR, **_CUBIC}.get(mode)
        if mode not in _MODES or (wanted and wanted != rank):
            raise ChoiceError(
                f"interpolate: over {rank} axes mode is one of {', '.join(_MODES)}, found {mode!r}"
            )
        found = self
        if mode.startswith("nearest"):
            for axis, (n, step) in enumerate(zip(sizes, steps, strict=True), -rank):
                found = found._nearest(axis, n, step, 0.5 if mode.endswith("exact") else 0.0)
            return found._equal() if found is self else found
        kind = float_dtype(self.dtype)
        found = self.cast(accumulator(kind))
        for axis, (n, step) in enumerate(zip(sizes, steps, strict=True), -rank):
            found = found._blended(axis, n, step, align_corners, mode in _CUBIC)
        found = found.cast(kind)
        return found._equal() if found is self else found

    def _line(self, count: int, kind: DType = dtypes.f32) -> Self:
        """0, 1 … count - 1 as floats; positions are reckoned in float32, as in PyTorch, unless
        linear ones of float64."""
        return self._new(node_iota(count, 0, (count,)).cast(kind))

    def _at(self, axis: int, positions: Self) -> Self:
        """Elements of an axis, counted from the last, at positions, which end at the edges."""
        last = int(self.shape[axis]) - 1
        place = positions.cast(dtypes.i32).maximum(0).minimum(last)
        key = (..., place, *[slice(None)] * (-axis - 1))
        return self[key]

    def _nearest(self, axis: int, count: int, step: float, shift: float) -> Self:
        if count == self.shape[axis] and step == 1:
            return self
        return self._at(axis, ((self._line(count) + shift) * step).floor())

    def _blended(self, axis: int, count: int, step: float, corners: bool, cubic: bool) -> Self:
        size = int(self.shape[axis])
        if count == size and (corners or step == 1):
            return self
        if corners:
            place = self._line(count, self.dtype) * ((size - 1) / (count - 1) if count > 1 else 0.0)
        else:
            place = (self._line(count, self.dtype) + 0.5) * step - 0.5
        place = place if cubic else place.maximum(0)
        low = place.floor()
        rest = (place - low).reshape([count] + [1] * (-axis - 1))
        taps = _cubic_weights(rest) if cubic else [(0, 1 - rest), (1, rest)]
        parts = [self._at(axis, low + offset) * weight for offset, weight in taps]
        return sum(parts[1:], parts[0])

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
        given = output_size if isinstance(output_size, tuple | list) else (output_size,) * rank
        old = self.shape[-rank:]
        kept = [old[i] if g is None and i < rank else g for i, g in enumerate(given)]
        sizes = tuple_of(kept, rank, method, "output_size", 1)
        kind = self.dtype if largest else float_dtype(self.dtype)
        found = self.cast(kind if largest else accumulator(kind))
        for axis, count in enumerate(sizes, -rank):
            found = found._adapted(axis, count, largest)
        return found.cast(kind)

    def _adapted(self, axis: int, count: int, largest: bool) -> Self:
        size = int(self.shape[axis])
        moved = self.moveaxis(axis, -1)
        if size % count == 0:
            windows = moved.unflatten(-1, (count, size // count))
            found = windows.max(-1) if largest else windows.mean(-1)
            return found.moveaxis(-1, axis)
        whole, rest = divmod(size, count)
        width = whole + (1 if count % rest == 0 else 2)  # of the widest window
        shape = (count, width)
        i, j = (self._new(node_iota(n, a, shape, dtypes.i64)) for a, n in enumerate(shape))
        first = i * size // count
        inside = j < ((i + 1) * size + count - 1) // count - first
        windows = moved[..., (first + j).minimum(size - 1)]
        if largest:
            found = inside.where(windows, self.dtype.min).max(-1)
        else:
            found = inside.where(windows, 0).sum(-1) / inside.sum(-1).cast(self.dtype)
        return found.moveaxis(-1, axis)

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
        rank = len(kernel_size) if isinstance(kernel_size, tuple | list) else 2
        if not rank:
            raise UsageError(f"{method}: expected a kernel_size, found {kernel_size!r}")
        places = self._other(indices, f"{method} indices")
        if places.dtype.is_float or places.dtype.is_bool:
            raise DTypeError(f"{method}: indices are integers, found {places.dtype.name}")
        if self.ndim < rank or places.shape != self.shape:
            raise ShapeError(
                f"{method}: expected {rank} axes or more and indices of the same shape, "
                f"found {show(self.shape)} and {show(places.shape)}"
            )
        size = tuple_of(kernel_size, rank, method, "kernel_size", 1)
        steps = size if stride is None else tuple_of(stride, rank, method, "stride", 1)
        spread = tuple_of(dilation, rank, method, "dilation", 1)
        pads = spatial_pads(padding, rank, method)
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


def _cubic_weights(t: Any) -> list[tuple[int, Any]]:
    """Weights of the four elements around a position, t behind the second (Keys, 1981)."""
    a = _SHARPNESS

    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((x - 5) * x + 8) * x * a - 4 * a

    return [(-1, far(t + 1)), (0, near(t)), (1, near(1 - t)), (2, far(2 - t))]


def _new_sizes(
    shape: Sequence[Any], size: Sizes | None, scale: float | Sequence[float] | None
) -> tuple[list[int], list[float]]:
    """New sizes of the last axes, and how far apart their elements are in the old ones."""
    given: Any = size if scale is None else scale
    if (size is None) == (scale is None):
        raise UsageError("interpolate: expected one of size and scale_factor")
    rank = len(given) if isinstance(given, tuple | list) else len(shape) - 2
    values = list(given) if isinstance(given, tuple | list) else [given] * rank
    if not 0 < rank <= len(shape) or any(int(n) < 1 for n in shape[len(shape) - rank :]):
        raise ShapeError(
            f"interpolate: {rank} axes to resize, none empty, are expected at the end of "
            f"{show(shape)}; a number resizes all but the first two"
        )
    old = [int(n) for n in shape[-rank:]]
    if scale is None:
        sizes = list(tuple_of(values, rank, "interpolate", "size", 1))
        return sizes, [n / m for n, m in zip(old, sizes, strict=True)]
    if not all(math.isfinite(f) for f in values):
        raise UsageError(f"interpolate: scale_factor is a finite number, found {scale}")
    sizes = [int(n * float(f)) for n, f in zip(old, values, strict=True)]
    if min(sizes) < 1:
        raise UsageError(f"interpolate: scale_factor {scale} leaves nothing of {show(old)}")
    return sizes, [1 / float(f) for f in values]
