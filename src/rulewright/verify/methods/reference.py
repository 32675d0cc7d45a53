"""Functions in numpy that `equals` of a row may use; written from their definitions, loops and all.

Nothing here may use the tensor library. Those of networks stand in `reference_nets`,
losses in `reference_losses`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

Array = Any

# ---- elementwise -------------------------------------------------------------------------------

erf = np.vectorize(math.erf, [float])


def power(x: Array, y: Array) -> Array:
    """Integers to the power of integers, wrapping; 0, or 1 or -1 of these, if it is negative."""
    x, y = np.broadcast_arrays(x, y)
    result = np.zeros(x.shape, x.dtype)
    for at in np.ndindex(x.shape):
        base, exponent = int(x[at]), int(y[at])
        value = {1: 1, -1: 1 - exponent % 2 * 2}.get(base, 0) if exponent < 0 else base**exponent
        bits = 8 * x.dtype.itemsize
        value %= 1 << bits
        result[at] = value - (1 << bits) if x.dtype.kind == "i" and value >> (bits - 1) else value
    return result


def rounded_to(x: Array, decimals: int) -> Array:
    """Digits behind the point, or before it; halves to the even neighbour."""
    scale = 10.0**decimals if decimals > 0 else 1 / 10.0**-decimals
    return np.round(x * scale) / scale


def inverse_erf(x: float) -> float:
    """The number whose error function is x."""
    return float(mpmath.erfinv(float(x)))


def _log_gamma(x: float) -> float:
    if not math.isfinite(x) or (x <= 0 and x == int(x)):
        return x * x + math.inf
    with mpmath.workdps(40):
        return float(mpmath.loggamma(float(x)).real)


log_gamma = np.vectorize(_log_gamma, [float])
"""log |gamma(x)|; infinite at poles and infinities, NaN of NaN."""


def _slope_of_log_gamma(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, -x)
    if math.isinf(x) or (x < 0 and x == int(x)):
        return math.inf if x > 0 else math.nan
    with mpmath.workdps(40):
        return float(mpmath.digamma(float(x)))


slope_of_log_gamma = np.vectorize(_slope_of_log_gamma, [float])
"""The digamma function; NaN at poles, but at 0."""


def next_bfloat16(x: Array, y: Array) -> Array:
    """The number of bfloat16 beside x on the way to y, in a list of all in order."""
    line = (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32).astype(np.float64)
    line = np.unique(line[~np.isnan(line)])
    at = np.searchsorted(line, x) + (y > x) - (y < x)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x == y, y, line[at % line.size]))


# ---- movement ----------------------------------------------------------------------------------


def windows(x: Array, axis: int, size: int, step: int) -> Array:
    """Windows of an axis along a new last axis."""
    x = np.moveaxis(x, axis, -1)
    starts = range(0, x.shape[-1] - size + 1, step)
    stacked = np.stack([x[..., s : s + size] for s in starts], -2)
    return np.moveaxis(stacked, -2, axis if axis >= 0 else axis - 1)


def diagonal_matrix(x: Array, offset: int, dim1: int, dim2: int) -> Array:
    """The last axis on the diagonal of two new axes."""
    side = x.shape[-1] + abs(offset)
    matrix = np.zeros((*x.shape[:-1], side, side), x.dtype)
    for i in range(x.shape[-1]):
        matrix[..., i + max(-offset, 0), i + max(offset, 0)] = x[..., i]
    return np.moveaxis(matrix, (-2, -1), (dim1, dim2))


_IN_NUMPY: dict[str, Any] = {"replicate": "edge", "circular": "wrap"}
"""Modes that numpy calls by another name."""


def padded(x: Array, pairs: Any, mode: str, value: float = 0) -> Array:
    """Every element looked up by its position outside of the array; negative pairs cut."""
    more: dict[str, Any] = {"constant_values": value} if mode == "constant" else {}
    if mode == "circular":  # goes round in what is left after the cut
        x = _without(x, pairs)
    grown = [(max(a, 0), max(b, 0)) for a, b in pairs]
    wide: Array = np.pad(x, grown, mode=_IN_NUMPY.get(mode, mode), **more)
    return wide if mode == "circular" else _without(wide, pairs)


def _without(x: Array, pairs: Any) -> Array:
    """What negative pairs leave of the axes."""
    keep = [slice(max(-a, 0), s - max(-b, 0)) for (a, b), s in zip(pairs, x.shape, strict=True)]
    return x[tuple(keep)]


# ---- indexing ----------------------------------------------------------------------------------


def with_item(x: Array, key: Any, value: Any) -> Array:
    """A copy after `x[key] = value`."""
    result = np.array(x)
    result[key] = value
    return result


def added(x: Array, key: Any, value: Any) -> Array:
    """A copy after every value was added where the key says."""
    result = np.array(x)
    np.add.at(result, key, value)
    return result


def scattered(
    x: Array, dim: int, index: Array, source: Any, reduce: str = "", include_self: bool = True
) -> Array:
    """What `scatter` and its kin say, element by element in row-major order."""
    result = np.array(x)
    groups: dict[tuple[int, ...], list[Any]] = {}
    source = np.broadcast_to(source, np.shape(index)) if np.ndim(source) == 0 else source
    for at in np.ndindex(*index.shape):
        goal = list(at)
        goal[dim] = int(index[at]) % x.shape[dim]
        groups.setdefault(tuple(goal), []).append(source[at])
    for place, values in groups.items():
        if reduce and include_self:
            values.insert(0, x[place])
        result[place] = _REDUCE[reduce](np.array(values, x.dtype))
    return result


_REDUCE: dict[str, Any] = {
    "": lambda values: values[-1],
    "sum": lambda values: values.sum(dtype=values.dtype),
    "prod": lambda values: values.prod(dtype=values.dtype),
    "mean": lambda values: (
        values.mean() if values.dtype.kind == "f" else values.sum(dtype=values.dtype) // values.size
    ),
    "amax": max,
    "amin": min,
}


# ---- reductions --------------------------------------------------------------------------------


def softmax(x: Array, axis: int = -1) -> Array:
    """exp(x) / sum(exp(x)) along an axis."""
    powers = np.exp(x - x.max(axis, keepdims=True)) if x.size else np.array(x, np.float64)
    return powers / powers.sum(axis, keepdims=True)


def log_sum(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """log(sum(exp(x))); numbers here are small enough for exp."""
    with np.errstate(all="ignore"):
        return np.log(np.sum(np.exp(np.asarray(x, np.float64)), axis, keepdims=keepdims))


def along(x: Array, axis: int, function: Callable[[list[Any]], list[Any]], kind: Any) -> Array:
    """A function of lists applied to every row along an axis."""
    x = np.asarray(x)
    moved = np.moveaxis(x, axis, -1) if x.ndim else x.reshape(1)
    rows = moved.reshape(int(np.prod(moved.shape[:-1], dtype=int)), moved.shape[-1])
    rows_along = np.array([function(list(row)) for row in rows], kind)
    width = rows_along.shape[1] if rows_along.size else (0 if not moved.size else moved.shape[-1])
    result = (
        rows_along.reshape(*moved.shape[:-1], width) if rows.size else np.zeros(moved.shape, kind)
    )
    return np.moveaxis(result, -1, axis) if x.ndim else result.reshape(())


def _beats(new: Any, old: Any, sign: int) -> bool:
    return bool(new != new or (old == old and sign * float(new) >= sign * float(old)))


def running(x: Array, axis: int, sign: int) -> tuple[Array, Array]:
    """The largest (sign 1) or smallest (-1) element up to each one, and where it last was."""

    def positions(row: list[Any]) -> list[int]:
        places: list[int] = []
        for at, value in enumerate(row):
            here = not places or _beats(value, row[places[-1]], sign)
            places.append(at if here else places[-1])
        return places

    where = along(x, axis, positions, np.int64)
    x = np.asarray(x)
    values = np.take_along_axis(x, where, axis) if x.ndim else x
    return values, where


def running_log_sum(x: Array, axis: int) -> Array:
    """log of the running sum of exp(x)."""
    return np.logaddexp.accumulate(x, axis) if np.ndim(x) and np.size(x) else np.array(x)


def first(x: Array, axis: int | None, sign: int) -> Array:
    """Where the first largest (sign 1) or smallest element is, or the first NaN."""
    x = np.asarray(x)
    return (x.argmax if sign > 0 else x.argmin)(axis)


def in_order(x: Array, axis: int = -1, descending: bool = False) -> tuple[Array, Array]:
    """Sorted values, NaN as the largest, and where they stood: equal ones in their order."""
    x = np.asarray(x)
    if not x.ndim:
        return x, np.zeros((), np.int64)
    where = np.argsort(np.flip(x, axis) if descending else x, axis, kind="stable")
    if descending:
        where = x.shape[axis] - 1 - np.flip(where, axis)
    return np.take_along_axis(x, where, axis), where


def middle_number(x: Array, axis: int = -1) -> Array:
    """What stands in the middle of the numbers of an axis, the lower one of two; NaN of none."""

    def middle(row: list[Any]) -> list[Any]:
        numbers = sorted(value for value in row if value == value)
        return [numbers[(len(numbers) - 1) // 2] if numbers else math.nan]

    return along(x, axis, middle, np.float64).squeeze(axis)


def most_frequent(x: Array, axis: int) -> tuple[Array, Array]:
    """The value that most elements of an axis have, the smallest of several, and its last place."""

    def place(row: list[Any]) -> list[int]:
        best = min(row, key=lambda value: (-row.count(value), value))
        return [len(row) - 1 - row[::-1].index(best)]

    where = along(x, axis, place, np.int64)
    values = np.take_along_axis(np.asarray(x), where, axis)
    return values.squeeze(axis), where.squeeze(axis)


def counted(x: Array, bins: int, low: float, high: float) -> Array:
    """How many numbers lie in each of so many equal parts; the last one has its upper bound too."""
    counts = np.zeros(bins)
    for value in np.asarray(x, np.float64).reshape(-1):
        if low <= value <= high:
            counts[min(int((value - low) * bins / (high - low)), bins - 1)] += 1
    return counts


# ---- linalg ------------------------------------------------------------------------------------


def orthogonal(factors: Any, x: Array, full: bool) -> float:
    """The largest error of (U, S, Vᵀ): against x, against orthogonality, shapes and order."""
    u, s, v = (t.numpy().astype(np.float64) for t in factors)
    m, n = x.shape[-2:]
    least = min(m, n)
    if u.shape[-2:] != (m, m if full else least) or v.shape[-2:] != (n if full else least, n):
        return float("inf")
    if (s < 0).any() or (np.diff(s) > 0).any() or s.shape[-1] != least:
        return float("inf")
    errors = [
        (u[..., :least] * s[..., None, :]) @ v[..., :least, :] - x,
        u.swapaxes(-1, -2) @ u - np.eye(u.shape[-1]),
        v @ v.swapaxes(-1, -2) - np.eye(v.shape[-2]),
    ]
    return float(max(abs(e).max(initial=0) for e in errors))


def newton_schulz(x: Array, steps: int, params: tuple[float, ...], eps: float = 1e-7) -> Array:
    """x / |x|, then sum of params[i] (x xᵀ)**i x, again and again."""
    if x.shape[-2] > x.shape[-1]:
        return newton_schulz(x.swapaxes(-1, -2), steps, params, eps).swapaxes(-1, -2)
    x = x / (np.sqrt((x * x).sum((-2, -1), keepdims=True)) + eps)
    for _ in range(steps):
        square = x @ x.swapaxes(-1, -2)
        x = sum(p * np.linalg.matrix_power(square, i) @ x for i, p in enumerate(params))
    return x


# ---- random ------------------------------------------------------------------------------------

_KOLMOGOROV = 1.95  # sqrt(n) times the greatest distance exceeds it with probability 0.001


def fits(sample: Any, shares: Any) -> bool:
    """Whether a sample's distribution function is near another: Kolmogorov and Smirnov's test."""
    values = np.sort(np.asarray(sample).astype(np.float64).reshape(-1))
    count = values.size
    expected = shares(values)
    above = (np.arange(1, count + 1) / count - expected).max()
    below = (expected - np.arange(count) / count).max()
    return bool(max(above, below) * math.sqrt(count) < _KOLMOGOROV)


def is_uniform(sample: Any, low: float = 0, high: float = 1) -> bool:
    """Whether a sample is spread evenly over [low, high), and all of it lies there."""
    values = np.asarray(sample).astype(np.float64)
    inside = bool((values >= low).all() and (values < high).all())
    return inside and fits(values, lambda x: (x - low) / (high - low))


def is_normal(sample: Any, mean: float = 0, deviation: float = 1) -> bool:
    """Whether a sample is normal with this mean and deviation, and finite."""
    values = np.asarray(sample).astype(np.float64).reshape(-1)
    near = abs(values.mean() - mean) < 3.3 * deviation / math.sqrt(values.size)
    spread = abs(values.std() / deviation - 1) < 3.3 / math.sqrt(2 * values.size)
    shape = fits(values, lambda x: (1 + erf((x - mean) / deviation / math.sqrt(2))) / 2)
    return bool(np.isfinite(values).all() and near and spread and shape)


def has_shares(sample: Any, shares: Any) -> bool:
    """Whether 0, 1, 2 … occur in these shares, and nothing else: each within 4 deviations."""
    values = np.asarray(sample).reshape(-1)
    shares = np.asarray(shares, np.float64) / np.sum(shares)
    if values.min() < 0 or values.max() >= shares.size:
        return False
    counted = np.bincount(values.astype(np.int64), minlength=shares.size) / values.size
    return bool(
        (np.abs(counted - shares) <= 4 * np.sqrt(shares * (1 - shares) / values.size)).all()
    )


def unrelated(a: Any, b: Any) -> bool:
    """Whether two samples are not correlated."""
    a, b = (np.asarray(v).astype(np.float64).reshape(-1) for v in (a, b))
    return bool(abs(np.corrcoef(a, b)[0, 1]) < 4 / math.sqrt(a.size))


def exponential(x: Array) -> Array:
    """By the sum of powers of a matrix that is halved until the sum ends soon."""
    term = total = np.zeros(x.shape) + np.eye(x.shape[-1])
    for k in range(1, 25):
        term = term @ (x / 256) / k
        total = total + term
    for _ in range(8):
        total = total @ total
    return total


def least_squares(x: Array, y: Array) -> tuple[Array, ...]:
    """What numpy's `lstsq` gives, its rank as an array."""
    solution, left, rank, values = np.linalg.lstsq(x, y, rcond=1e-6)
    return solution, left, np.array(rank), values


def masked_scattered(x: Array, mask: Array, values: Array) -> Array:
    """An array with values in order where the mask holds, of which there are enough."""
    result = np.array(x)
    mask = np.broadcast_to(mask, x.shape)
    result[mask] = values.flatten()[: mask.sum()]
    return result
