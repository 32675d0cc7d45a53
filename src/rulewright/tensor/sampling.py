"""Elements at places between those of the last axes: other sizes, and grids of places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from rulewright.errors import ChoiceError, ShapeError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.tensor.blending import Blend, blended, within
from rulewright.tensor.kinds import accumulator, float_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.pooling import Sizes
from rulewright.tensor.shapes import node_iota, show, tuple_of

_LINEAR = {"linear": None, "bilinear": 2, "trilinear": 3}
_CUBIC = {"cubic": None, "bicubic": 2}
_MODES = ("nearest", "nearest-exact", "area", *_LINEAR, *_CUBIC)
_SHARPNESS = -0.75  # the parameter a of cubic convolution (Keys, 1981), PyTorch's choice


class Sampling(Members):
    """interpolate, grid_sample and affine_grid."""

    __slots__ = ()

    def interpolate(
        self,
        size: Sizes | None = None,
        mode: str = "linear",
        align_corners: bool | None = False,
        scale_factor: float | Sequence[float] | None = None,
        recompute_scale_factor: bool | None = None,
        antialias: bool = False,
    ) -> Self:
        """The last axes at another size, or `scale_factor` times as large (rounded down).

        size: one an axis, or one number for all but the first two axes. mode: "nearest" (the
        element at floor(i * n / size)), "nearest-exact" (the nearest to the middle), "linear"
        (along each axis, whatever their number; "bilinear" and "trilinear" say it), "cubic"
        (convolution by Keys, 1981; "bicubic"), "area" (`adaptive_avg_pool2d`, along any number of
        axes). align_corners: the first and last elements keep their places, rather than the edges.
        recompute_scale_factor: elements are as far apart as the rounded sizes say. antialias: of
        "linear" and "cubic", an axis that shrinks is blended over as many more elements, as in
        Pillow. Raises UsageError for other words or both or neither of the sizes.

        >>> Tensor([[[1.0, 3.0]]]).interpolate(4).tolist()
        [[[1.0, 1.5, 2.5, 3.0]]]
        """
        sizes, steps = _new_sizes(self.shape, size, scale_factor)
        if recompute_scale_factor:
            sizes, steps = _new_sizes(self.shape, sizes, None)
        rank = len(sizes)
        wanted = {**_LINEAR, **_CUBIC}.get(mode)
        if mode not in _MODES or (wanted and wanted != rank):
            raise ChoiceError(
                f"interpolate: over {rank} axes mode is one of {', '.join(_MODES)}, found {mode!r}"
            )
        if antialias and mode not in (*_LINEAR, *_CUBIC):
            words = ", ".join((*_LINEAR, *_CUBIC))
            raise ChoiceError(f"interpolate: mode with antialias is one of {words}, found {mode!r}")
        if mode == "area":
            return self._adaptive(sizes, rank, "interpolate")
        result = self
        if mode.startswith("nearest"):
            for axis, (n, step) in enumerate(zip(sizes, steps, strict=True), -rank):
                result = result._nearest(axis, n, step, 0.5 if mode.endswith("exact") else 0.0)
            return result._equal() if result is self else result
        kind = float_dtype(self.dtype)
        result = self.cast(accumulator(kind))
        blended = Sampling._smoothed if antialias else Sampling._blended
        for axis, (n, step) in enumerate(zip(sizes, steps, strict=True), -rank):
            result = blended(result, axis, n, step, bool(align_corners), mode in _CUBIC)
        result = result.cast(kind)
        return result._equal() if result is self else result

    def _line(self, count: int, kind: DType = dtypes.f32) -> Self:
        """0, 1 … count - 1 as floats; positions are reckoned in float32, as in PyTorch, unless
        linear ones of float64."""
        return self._new(node_iota(count, 0, (count,)).cast(kind))

    def _at(self, axis: int, positions: Self) -> Self:
        """Elements of an axis, counted from the last, at positions, which end at the edges."""
        place = within(positions, int(self.shape[axis]))
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
        how = Blend(axis, size, count, _between_ends(size, count) if corners else step, corners,
                    _TAPS["bicubic" if cubic else "bilinear"], 2 if cubic else 1)  # fmt: skip
        return blended(self, how)

    def _smoothed(self, axis: int, count: int, step: float, corners: bool, cubic: bool) -> Self:
        """An axis blended by a kernel as wide as the step between new elements, or as between
        old ones where these are further apart; at the edges by what there is of it."""
        size = int(self.shape[axis])
        if count == size and (corners or step == 1):
            return self
        step = _between_ends(size, count) if corners else step
        width = max(step, 1.0)
        reach = (2 if cubic else 1) * width
        middle = ((self._line(count, self.dtype) + 0.5) * step).unsqueeze(-1)
        place = (middle - reach).floor() + self._line(math.ceil(2 * reach) + 1, self.dtype)
        apart = ((place + 0.5 - middle) / width).abs()
        weight = _cubic_kernel(apart) if cubic else (1 - apart).maximum(0)
        weight = ((place >= 0) & (place < size)).where(weight, 0)
        windows = self.moveaxis(axis, -1)[..., within(place, size)]
        return (windows * (weight / weight.sum(-1, keepdim=True))).sum(-1).moveaxis(-1, axis)

    # ---- grids ----------------------------------------------------------------------------

    def affine_grid(self, size: Sequence[int], align_corners: bool = False) -> Self:
        """Places for `grid_sample`: (N, H, W, 2) of this theta (N, 2, 3) and a size (N, C, H, W).

        Each is theta @ (x, y, 1), of x and y from -1 to 1: from edge to edge, or with
        `align_corners` from the middle of the first element to that of the last. Of three axes
        theta is (N, 3, 4). Raises ShapeError for other shapes.

        >>> Tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]).affine_grid((1, 1, 1, 2)).tolist()
        [[[[-0.5, 0.0], [0.5, 0.0]]]]
        """
        sizes, rank = tuple_of(size, len(size), "affine_grid", "size", 1), len(size) - 2
        if self.shape != (sizes[0] if sizes else 0, rank, rank + 1):
            raise ShapeError(
                f"affine_grid: expected (N, {rank}, {rank + 1}) for size {show(sizes)}, "
                f"found {show(self.shape)}"
            )
        theta, spatial = self.cast(float_dtype(self.dtype)), sizes[2:]
        grid = theta[:, :, -1].reshape([sizes[0], *[1] * rank, rank])
        for axis, count in enumerate(spatial):
            span = max(count - 1, 1) if align_corners else count
            line = (self._line(count, theta.dtype) * 2 - (count - 1)) / span
            column = theta[:, :, rank - 1 - axis].reshape([sizes[0], *[1] * rank, rank])
            grid = grid + line.reshape([count, *[1] * (rank - axis)]) * column
        return grid

    def grid_sample(
        self,
        grid: Any,
        mode: str = "bilinear",
        padding_mode: str = "zeros",
        align_corners: bool = False,
    ) -> Self:
        """Elements (N, C, h, w) of images (N, C, H, W) at the places (x, y) of a grid (N, h, w, 2):
        -1 is the first edge, 1 the last, or with `align_corners` the middle of that element.

        mode: "bilinear", "nearest" or "bicubic". padding_mode: outside are "zeros", the elements
        on the "border", or the image in "reflection". Raises ShapeError for other shapes,
        ChoiceError for other words.

        >>> Tensor([[[[1.0, 3.0]]]]).grid_sample(Tensor([[[[0.0, 0.0], [0.25, 0.0]]]])).tolist()
        [[[[2.0, 2.5]]]]
        """
        places = self._other(grid, "grid_sample grid")
        for word, value, known in (("mode", mode, [*_TAPS]),
                                   ("padding_mode", padding_mode, [*_OUTSIDE])):  # fmt: skip
            if value not in known:
                raise ChoiceError(
                    f"grid_sample: {word} is one of {', '.join(known)}, found {value!r}"
                )
        if self.ndim != 4 or 0 in self.shape[2:] or places.ndim != 4 or (
            (places.shape[0], places.shape[3]) != (self.shape[0], 2)
        ):  # fmt: skip
            raise ShapeError(
                "grid_sample: expected images (N, C, H, W), not empty, and a grid (N, h, w, 2), "
                f"found {show(self.shape)} and {show(places.shape)}"
            )
        kind = float_dtype(self.dtype)
        image, places = self.cast(accumulator(kind)), places.cast(accumulator(kind))
        taps = []
        for axis in (0, 1):
            size = int(self.shape[2 + axis])
            place = places[..., 1 - axis]
            span = size - 1 if align_corners else size
            place = (place + 1) * (span / 2) - (span - size + 1) / 2
            bound = partial(_OUTSIDE[padding_mode], size=size, corners=align_corners)
            if mode == "bicubic":  # of these each element is bound
                taps.append([(bound(at), weight) for at, weight in _TAPS[mode](place)])
            else:
                taps.append(_TAPS[mode](bound(place)))
        rows, columns = taps
        parts = [image._sampled(y, x) * (a * b).unsqueeze(1) for y, a in rows for x, b in columns]
        return sum(parts[1:], parts[0]).cast(kind)

    def _sampled(self, y: Self, x: Self) -> Self:
        """Elements (N, C, h, w) at rows and columns (N, h, w), zeros outside."""
        rows, columns = (int(n) for n in self.shape[2:])
        inside = (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
        place = y.cast(dtypes.i32) * columns + x.cast(dtypes.i32)
        place = inside.where(place, rows * columns).flatten(1).unsqueeze(1)
        shape = [*self.shape[:2], *y.shape[1:]]
        return self.flatten(2).gather(2, place.expand([*shape[:2], -1])).reshape(shape)


def _nearest_tap(place: Any) -> list[tuple[Any, Any]]:
    return [(place.round(), place.ones_like())]


def _linear_taps(place: Any) -> list[tuple[Any, Any]]:
    low = place.floor()
    return [(low, 1 - (place - low)), (low + 1, place - low)]


def _cubic_taps(place: Any) -> list[tuple[Any, Any]]:
    """The four elements around a place, and their weights (Keys, 1981)."""
    a, low = _SHARPNESS, place.floor()
    t = place - low

    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((x - 5) * x + 8) * x * a - 4 * a

    return [(low - 1, far(t + 1)), (low, near(t)), (low + 1, near(1 - t)), (low + 2, far(2 - t))]


def _cubic_kernel(apart: Any) -> Any:
    """Weights at distances from 0 on (Keys, 1981), of the sharpness that Pillow has."""
    near = (1.5 * apart - 2.5) * apart * apart + 1
    far = ((2.5 - 0.5 * apart) * apart - 4) * apart + 2
    return (apart < 1).where(near, (apart < 2).where(far, 0))


_TAPS = {"bilinear": _linear_taps, "nearest": _nearest_tap, "bicubic": _cubic_taps}


def _anywhere(place: Any, size: int, corners: bool) -> Any:
    return place


def _on_border(place: Any, size: int, corners: bool) -> Any:
    return place.clamp(0, size - 1)


def _reflected(place: Any, size: int, corners: bool) -> Any:
    """Back and forth between the edges, or with `corners` the middles of the elements there."""
    low, span = (0.0, size - 1) if corners else (-0.5, size)
    if not span:
        return place * 0
    way = (place - low).remainder(2 * span)
    return (way.minimum(2 * span - way) + low).clamp(0, size - 1)


_OUTSIDE = {"zeros": _anywhere, "border": _on_border, "reflection": _reflected}


def _between_ends(size: int, count: int) -> float:
    """How far apart new elements are in an axis whose first and last keep their places."""
    return (size - 1) / (count - 1) if count > 1 else 0.0


def _new_sizes(
    shape: Sequence[Any], size: Sizes | None, scale: float | Sequence[float] | None
) -> tuple[list[int], list[float]]:
    """New sizes of the last axes, and how far apart their elements are in the old ones."""
    wanted: Any = size if scale is None else scale
    if (size is None) == (scale is None):
        raise UsageError("interpolate: expected one of size and scale_factor")
    rank = len(wanted) if isinstance(wanted, tuple | list) else len(shape) - 2
    values = list(wanted) if isinstance(wanted, tuple | list) else [wanted] * rank
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
