"""Rounding numbers to a float type once, to nearest even.

numpy and ml_dtypes convert f64 or i64 to the small floats by way of f32, which rounds twice:
1 + 2**-8 + 2**-40 then becomes the bf16 number 1 and not 1.0078125. Rounding to odd on the way
keeps the information that the second rounding needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def _sticky(values: Array) -> Array:
    """64-bit integers as f64 that round to any shorter float as the integers would."""
    magnitude = values.astype(np.uint64)  # two's complement for negative ones
    if values.dtype.kind == "i":
        magnitude = np.where(values < 0, np.uint64(0) - magnitude, magnitude)
    low = magnitude & np.uint64(0x7FF)
    kept = (magnitude - low) | np.where(low != 0, np.uint64(0x800), np.uint64(0))
    exact = np.where(magnitude >> np.uint64(53) != 0, kept, magnitude).astype(np.float64)
    return np.where(values < 0, -exact, exact)


def _to_odd_f32(values: Array) -> Array:
    """f64 as f32, where an inexact result gets an odd last bit: safe to round once more."""
    near = values.astype(np.float32)
    inexact = (near.astype(np.float64) != values) & np.isfinite(near)
    away = inexact & (np.abs(near.astype(np.float64)) > np.abs(values))
    bits = near.view(np.uint32) - away.astype(np.uint32)
    odd = np.where(inexact, bits | np.uint32(1), bits)
    rounded: Array = odd.astype(np.uint32).view(np.float32)
    return rounded


def round_to(values: Array, target: np.dtype[Any]) -> Array:
    """Numbers (bool, integers or floats) as the float type `target`, rounded once.

    Too large ones become infinity, or NaN in a type without infinities.
    """
    with np.errstate(all="ignore"):
        if values.dtype.kind in "iu" and values.dtype.itemsize > 4 and target.itemsize < 4:
            values = _sticky(values)
        elif values.dtype.kind in "iu" and target.itemsize < 4:
            values = values.astype(np.float64)
        if values.dtype == np.float64 and target.itemsize < 4 and target != np.float16:
            values = _to_odd_f32(values)
        return values.astype(target)
