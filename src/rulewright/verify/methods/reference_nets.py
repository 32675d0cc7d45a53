"""Convolutions, pools, interpolation, attention and norms in numpy, element by element."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

Array = Any


def _key(*items: Any) -> Any:
    """An index of several axes."""
    return items


def _each(value: Any, rank: int) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,) * rank


def _pairs(padding: Any, rank: int) -> list[tuple[int, int]]:
    """(before, after) an axis; a list of twice as many numbers begins with the last axis."""
    if isinstance(padding, tuple | list) and len(padding) == 2 * rank:
        return [(padding[-2 - 2 * i], padding[-1 - 2 * i]) for i in range(rank)]
    return [(p, p) for p in _each(padding, rank)]


def conv(
    x: Array, w: Array, b: Array = None, groups: int = 1, stride: Any = 1, dilation: Any = 1,
    padding: Any = 0,
) -> Array:  # fmt: skip
    """out[n, o, p] = b[o] + sum over c, k of x[n, c, p * stride + k * dilation] * w[o, c, k]."""
    rank = w.ndim - 2
    if x.ndim == rank + 1:
        return conv(x[None], w, b, groups, stride, dilation, padding)[0]
    stride, dilation = _each(stride, rank), _each(dilation, rank)
    window = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    if padding == "same":
        pads = [((k - 1) // 2, k - 1 - (k - 1) // 2) for k in window]
    else:
        pads = _pairs(0 if padding == "valid" else padding, rank)
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    parts = sliding_window_view(x, window, tuple(range(2, rank + 2)))
    parts = parts[_key(..., *(slice(None, None, step) for step in (*stride, *dilation)))]
    inner = [1, *range(rank + 2, 2 * rank + 2)]
    shares = zip(np.split(parts, groups, 1), np.split(w, groups), strict=True)
    sums = [np.tensordot(part, v, (inner, range(1, rank + 2))) for part, v in shares]
    result = np.moveaxis(np.concatenate(sums, -1), -1, 1)
    return result if b is None else result + b.reshape(-1, *[1] * rank)


def conv_transpose(
    x: Array, w: Array, b: Array = None, groups: int = 1, stride: Any = 1, dilation: Any = 1,
    padding: Any = 0, more: Any = 0,
) -> Array:  # fmt: skip
    """out[n, o, p * stride + k * dilation - pad] += x[n, c, p] * w[c, o, k], begun with b[o]."""
    rank = w.ndim - 2
    if x.ndim == rank + 1:
        return conv_transpose(x[None], w, b, groups, stride, dilation, padding, more)[0]
    stride, dilation, more = (_each(v, rank) for v in (stride, dilation, more))
    sizes = [(n - 1) * s + 1 for n, s in zip(x.shape[2:], stride, strict=True)]
    apart = np.zeros((*x.shape[:2], *sizes))
    apart[_key(..., *(slice(None, None, s) for s in stride))] = x
    turned = np.flip(w, tuple(range(2, rank + 2)))
    turned = np.concatenate([v.swapaxes(0, 1) for v in np.split(turned, groups)])
    around = [d * (k - 1) for d, k in zip(dilation, w.shape[2:], strict=True)]
    both = [size for a, e in zip(around[::-1], more[::-1], strict=True) for size in (a, a + e)]
    result = conv(apart, turned, b, groups, 1, dilation, both)
    pads = zip(_pairs(padding, rank), result.shape[2:], strict=True)
    return result[_key(..., *(slice(a, n - e) for (a, e), n in pads))]


def pool(
    x: Array, size: Any, how: str, stride: Any = None, dilation: Any = 1, padding: Any = 0,
    ceil_mode: bool = False, pads_count: bool = True, divisor: int | None = None,
) -> Any:  # fmt: skip
    """Each window's largest element ("max"), where it stands ("where"), or mean ("avg")."""
    rank = len(size)
    stride = size if stride is None else _each(stride, rank)
    dilation, pads = _each(dilation, rank), _pairs(padding, rank)
    lead, shape = x.shape[:-rank], x.shape[-rank:]
    sizes = []
    for n, k, s, d, (a, b) in zip(shape, size, stride, dilation, pads, strict=True):
        rest = n + a + b - d * (k - 1) - 1
        count = (math.ceil(rest / s) if ceil_mode else rest // s) + 1
        sizes.append(count - (ceil_mode and (count - 1) * s >= n + a))
    result = np.zeros((*lead, *sizes), {"where": np.int64, "max": x.dtype}.get(how, np.float64))
    for where in product(*map(range, sizes)):
        places, counted = [], 0
        for k in product(*map(range, size)):
            at = [w * s + j * d - a for w, s, j, d, (a, _) in zip(where, stride, k, dilation, pads,
                                                                strict=True)]  # fmt: skip
            inside = all(0 <= i < n for i, n in zip(at, shape, strict=True))
            places += [tuple(at)] * inside
            padded = all(-a <= i < n + b for i, n, (a, b) in zip(at, shape, pads, strict=True))
            counted += padded if pads_count else inside
        values = np.stack([x[_key(..., *p)] for p in places], -1)
        if how == "max":
            result[_key(..., *where)] = values.max(-1)
        elif how == "where":
            flat = np.array([np.ravel_multi_index(p, shape) for p in places])
            result[_key(..., *where)] = flat[values.argmax(-1)]
        else:
            result[_key(..., *where)] = values.sum(-1) / (divisor or counted)
    return result


def unpool(x: Array, indices: Array, shape: tuple[int, ...]) -> Array:
    """x[…, i] at indices[…, i] of the flattened last two axes."""
    result = np.zeros((*x.shape[:-2], math.prod(shape)))
    for lead in np.ndindex(x.shape[:-2]):
        result[lead][indices[lead].ravel()] = x[lead].ravel()
    return result.reshape(*x.shape[:-2], *shape)


def adaptive(x: Array, sizes: tuple[int, ...], how: str) -> Array:
    """Means or largest elements of windows from floor(i n / size) to ceil((i + 1) n / size)."""
    rank = len(sizes)
    result = np.zeros((*x.shape[:-rank], *sizes))
    for where in np.ndindex(sizes):
        cut = tuple(slice(i * n // m, -(-(i + 1) * n // m))
                    for i, n, m in zip(where, x.shape[-rank:], sizes, strict=True))  # fmt: skip
        part = x[_key(..., *cut)].reshape(*x.shape[:-rank], -1)
        result[_key(..., *where)] = part.max(-1) if how == "max" else part.mean(-1)
    return result


def interpolate(
    x: Array, sizes: tuple[int, ...], mode: str, corners: bool = False, scale: Any = None,
    antialias: bool = False,
) -> Array:  # fmt: skip
    """Each axis after the other; `scale`: how far apart new elements are, unless n / size."""
    for axis, size in enumerate(sizes, -len(sizes)):
        n = x.shape[axis]
        step = n / size if scale is None else 1 / _each(scale, len(sizes))[axis]
        parts = []
        for i in range(size):
            taps = (_smooth_taps if antialias else _taps)(i, n, size, step, mode, corners)
            parts.append(sum(np.take(x, min(max(j, 0), n - 1), axis) * w for j, w in taps))
        x = np.stack(parts, axis)
    return x


def _taps(
    i: int, n: int, size: int, step: float, mode: str, corners: bool
) -> list[tuple[int, float]]:
    if mode.startswith("nearest"):
        shift = 0.5 if mode.endswith("exact") else 0.0
        return [(int(np.floor(np.float32(i + shift) * np.float32(step))), 1)]
    place = i * (n - 1) / max(size - 1, 1) if corners else (i + 0.5) * step - 0.5
    if mode == "linear":
        place = max(place, 0)
        low = math.floor(place)
        return [(low, 1 - (place - low)), (low + 1, place - low)]
    low = math.floor(place)
    return [(low + k, weight) for k, weight in _cubic(place - low)]


def _smooth_taps(
    i: int, n: int, size: int, step: float, mode: str, corners: bool
) -> list[tuple[int, float]]:
    """All elements, by their distance in steps of at least one; together they weigh 1."""
    step = (n - 1) / max(size - 1, 1) if corners and size > 1 else 0.0 if corners else step
    weights = []
    for j in range(n):
        d = abs(j + 0.5 - (i + 0.5) * step) / max(step, 1)
        if mode == "linear":
            weights.append(max(1 - d, 0))
        else:
            near = 1.5 * d**3 - 2.5 * d**2 + 1
            weights.append(near if d < 1 else -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2 if d < 2 else 0)
    return [(j, weight / sum(weights)) for j, weight in enumerate(weights)]


def grid_sample(
    x: Array, grid: Array, mode: str = "bilinear", outside: str = "zeros", corners: bool = False
) -> Array:
    """Each place apart: its taps along each axis, and what stands at each of them."""
    result = np.zeros((*x.shape[:2], *grid.shape[1:3]))
    for n, i, j in product(*map(range, grid.shape[:3])):
        taps = []
        for place, size in zip(grid[n, i, j, ::-1], x.shape[2:], strict=True):
            at = (place + 1) * (size - 1) / 2 if corners else ((place + 1) * size - 1) / 2
            if mode == "bicubic":
                low = math.floor(at)
                taps.append([
                    (_bound(low + k, size, outside, corners), w) for k, w in _cubic(at - low)
                ])  # fmt: skip
                continue
            at = _bound(at, size, outside, corners)
            low = round(at) if mode == "nearest" else math.floor(at)
            share = 0.0 if mode == "nearest" else at - low
            taps.append([(low, 1 - share), (low + 1, share)])
        for (r, a), (c, b) in product(*taps):
            if 0 <= r < x.shape[2] and 0 <= c < x.shape[3] and a * b:
                result[n, :, i, j] += x[n, :, int(r), int(c)] * a * b
    return result


def _cubic(share: float) -> list[tuple[int, float]]:
    weights = []
    for k in range(-1, 3):
        d = abs(share - k)
        near = 1.25 * d**3 - 2.25 * d**2 + 1
        weights.append((k, near if d <= 1 else -0.75 * (d**3 - 5 * d**2 + 8 * d - 4)))
    return weights


def _bound(at: float, size: int, outside: str, corners: bool) -> float:
    if outside == "zeros":
        return at
    low, high = (0.0, size - 1.0) if corners else (-0.5, size - 0.5)
    while outside == "reflection" and not low <= at <= high:
        at = 2 * low - at if at < low else 2 * high - at
        at = 0.0 if low == high else at
    return min(max(at, 0), size - 1)


def affine_grid(theta: Array, sizes: tuple[int, ...], corners: bool = False) -> Array:
    """theta @ (x, y, 1) of each element, x of the last axis first."""
    result = np.zeros((len(theta), *sizes, len(sizes)))
    for n, at in product(range(len(theta)), product(*map(range, sizes))):
        spans = zip(at, sizes, strict=True)
        places = [2 * i / max(s - 1, 1) - (s > 1) if corners else (2 * i + 1) / s - 1
                  for i, s in spans]  # fmt: skip
        result[_key(n, *at)] = theta[n] @ np.array([*places[::-1], 1.0])
    return result


def fold(
    x: Array, size: tuple[int, int], window: Any, dilation: Any = 1, padding: Any = 0,
    stride: Any = 1,
) -> Array:  # fmt: skip
    """Each window added at its place, of windows as a convolution finds them."""
    window, dilation, padding, stride = (_each(v, 2) for v in (window, dilation, padding, stride))
    whole = np.zeros((len(x), x.shape[1] // math.prod(window), *(n + 2 * p for n, p in zip(
        size, padding, strict=True))), x.dtype)  # fmt: skip
    parts = x.reshape(len(x), whole.shape[1], *window, x.shape[2])
    spans = zip(whole.shape[2:], dilation, window, stride, strict=True)
    starts = [range(0, n - d * (k - 1), s) for n, d, k, s in spans]
    for place, (i, j) in enumerate(product(*starts)):
        for a, b in product(*map(range, window)):
            whole[:, :, i + a * dilation[0], j + b * dilation[1]] += parts[:, :, a, b, place]
    return whole[:, :, padding[0] : padding[0] + size[0], padding[1] : padding[1] + size[1]]


def attention(
    q: Array, k: Array, v: Array, mask: Array = None, causal: bool = False, scale: Any = None
) -> Array:
    """softmax(q kᵀ scale + mask) v; zeros for a query that sees nothing. Heads may repeat."""
    if q.ndim > 2 and k.shape[-3] != q.shape[-3]:
        times = q.shape[-3] // k.shape[-3]
        k, v = np.repeat(k, times, -3), np.repeat(v, times, -3)
    factor = 1 / math.sqrt(max(q.shape[-1], 1)) if scale is None else scale
    scores = q @ k.swapaxes(-1, -2) * factor
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    top = scores.max(-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = powers.sum(-1, keepdims=True)
    return powers / np.where(total == 0, 1, total) @ v


def standard(x: Array, axis: Any, eps: float = 1e-5) -> Array:
    """(x - mean) / sqrt(variance + eps)."""
    mean = x.mean(axis, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis, keepdims=True) + eps)


def in_groups(x: Array, groups: int, eps: float = 1e-5) -> Array:
    """`standard` of each group of channels."""
    parts = x.reshape(len(x), groups, x.shape[1] // groups, *x.shape[2:])
    return standard(parts, tuple(range(2, parts.ndim)), eps).reshape(x.shape)


def on_axis(values: Array, x: Array) -> Array:
    """Values along axis 1 of x."""
    return values.reshape([-1 if i == 1 else 1 for i in range(x.ndim)])
