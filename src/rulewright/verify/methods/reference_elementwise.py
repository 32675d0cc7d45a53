"""References of elementwise methods that numpy does not have under one name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any

erf = np.vectorize(math.erf, [float])


def power(x: Array, y: Array) -> Array:
    """Integers to the power of integers, wrapping; 0, or 1 or -1 of these, if it is negative."""
    x, y = np.broadcast_arrays(x, y)
    found = np.zeros(x.shape, x.dtype)
    for at in np.ndindex(x.shape):
        base, exponent = int(x[at]), int(y[at])
        value = {1: 1, -1: 1 - exponent % 2 * 2}.get(base, 0) if exponent < 0 else base**exponent
        bits = 8 * x.dtype.itemsize
        value %= 1 << bits
        found[at] = value - (1 << bits) if x.dtype.kind == "i" and value >> (bits - 1) else value
    return found


def rounded_to(x: Array, decimals: int) -> Array:
    """Digits behind the point, or before it; halves to the even neighbour."""
    scale = 10.0**decimals if decimals > 0 else 1 / 10.0**-decimals
    return np.round(x * scale) / scale
