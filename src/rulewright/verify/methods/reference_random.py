"""Does a sample come from a distribution? Within bounds that chance exceeds once in a thousand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any

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
    error = np.vectorize(math.erf)
    near = abs(values.mean() - mean) < 3.3 * deviation / math.sqrt(values.size)
    spread = abs(values.std() / deviation - 1) < 3.3 / math.sqrt(2 * values.size)
    shape = fits(values, lambda x: (1 + error((x - mean) / deviation / math.sqrt(2))) / 2)
    return bool(np.isfinite(values).all() and near and spread and shape)


def has_shares(sample: Any, shares: Any) -> bool:
    """Whether 0, 1, 2 … occur in these shares, and nothing else: each within 4 deviations."""
    values = np.asarray(sample).reshape(-1)
    shares = np.asarray(shares, np.float64) / np.sum(shares)
    if values.min() < 0 or values.max() >= shares.size:
        return False
    found = np.bincount(values.astype(np.int64), minlength=shares.size) / values.size
    return bool((np.abs(found - shares) <= 4 * np.sqrt(shares * (1 - shares) / values.size)).all())


def unrelated(a: Any, b: Any) -> bool:
    """Whether two samples are not correlated."""
    a, b = (np.asarray(v).astype(np.float64).reshape(-1) for v in (a, b))
    return bool(abs(np.corrcoef(a, b)[0, 1]) < 4 / math.sqrt(a.size))
