"""Values on which terms are compared, and the keys of what they come to."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType

Array = np.ndarray[Any, Any]
Random = np.random.Generator

COUNT = 160
"""Rows of values that tell terms apart."""

_WHOLE = (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, -1, -2, -3, -7, -8, -128)
_REAL = (0.0, -0.0, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 0.1, 1.5, np.inf, -np.inf, np.nan)


def column(
    dtype: DType, rng: Random, bounds: tuple[int, int] | None = None, count: int = COUNT
) -> Array:
    """Values of a dtype, within bounds: what is special, and numbers of all sizes.

    Floats are neither subnormal nor near the largest: whether a rule holds there is for its proof.
    """
    if dtype.is_bool:
        return rng.integers(0, 2, count).astype(np.bool_)
    if dtype.is_float:
        sized = np.ldexp(rng.uniform(-1, 1, count), rng.integers(-6, 7, count))
        mixed = np.where(rng.random(count) < 0.5, rng.choice(_REAL, count), sized)
        mixed[: len(_REAL)] = _REAL  # of all variables at once: -0.0 + -0.0 alone is -0.0
        return mixed.astype(dtype.np)
    low, high = bounds or _ends(dtype)
    special = [v for v in (*_WHOLE, low, low + 1, high - 1, high) if low <= v <= high]
    small = rng.integers(max(low, -20), min(high, 20) + 1, count) if low <= 20 <= high else None
    any_of = [int(v) for v in rng.integers(low, high, count, endpoint=True)]
    pools = [special, any_of] if small is None else [special, any_of, [int(v) for v in small]]
    chosen = [pools[int(rng.integers(0, len(pools)))] for _ in range(count)]
    return np.array([pool[int(rng.integers(0, len(pool)))] for pool in chosen], dtype.np)


def _ends(dtype: DType) -> tuple[int, int]:
    """Bounds of what is drawn: of an index, such that products of three fit into 64 bits."""
    if dtype.kind == "Index":
        return -300, 300
    return int(dtype.min), int(dtype.max) if dtype.bits < 64 else (1 << 62)


def key(values: Array) -> bytes:
    """What columns of equal values share; any NaN is every NaN, and 0.0 is not -0.0."""
    if values.dtype.kind not in "biu":
        values = np.where(np.isnan(values), np.array(np.nan, values.dtype), values)
    return np.broadcast_to(values, (COUNT,)).tobytes() if values.ndim < 2 else values.tobytes()


def agree(a: Array, b: Array) -> Array:
    """Where two columns hold the same: the same bits, or both NaN."""
    a, b = np.broadcast_arrays(a, b)
    if a.dtype.kind in "biu":
        return np.asarray(a == b)
    bits = f"u{a.dtype.itemsize}"
    same = np.ascontiguousarray(a).view(bits) == np.ascontiguousarray(b).view(bits)
    return np.asarray(same | (np.isnan(a) & np.isnan(b)))
