"""What functions of numbers are worth, to more digits than any float has.

Each gives f64 and what is missing from it, as another f64. Numbers of up to 32 bits are computed
in f64, by numpy, where that is exact enough; those of f64 by mpmath. Nothing here may use the
tensor library.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

Array = np.ndarray[Any, Any]

_DIGITS = 60


def exactly(name: str, columns: list[Array]) -> tuple[Array, Array]:
    """A function at each row of some columns of f64, and what is missing from the first result.

    Where numpy has an answer that is no matter of digits (NaN, infinite, zero) it is taken.
    """
    values, missing = wide(name, columns), np.zeros(columns[0].shape)
    with mp.workdps(_DIGITS):
        for at in np.ndindex(values.shape):
            operands = [float(column[at]) for column in columns]
            if not all(map(math.isfinite, operands)) or not any(operands) or np.isnan(values[at]):
                continue
            try:
                true = _FUNCTIONS[name](*map(mp.mpf, operands))
            except ZeroDivisionError:
                continue  # infinite, as numpy says
            if 0 in operands:  # of which mpmath knows no sign
                true = abs(true) * math.copysign(1, values[at])
            nearest = math.copysign(float(true), values[at] if true == 0 else float(true))
            values[at] = nearest
            missing[at] = float(true - nearest) if math.isfinite(nearest) else 0.0
    return values, missing


def wide(name: str, columns: list[Array]) -> Array:
    """A function at each row of some columns, in f64."""
    with np.errstate(all="ignore"):
        return np.asarray(_IN_NUMPY[name](*columns), np.float64)


_IN_NUMPY: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in (
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan",
        "sinh", "cosh", "tanh")},
    **{name: getattr(np, f"arc{name[1:]}") for name in (
        "asin", "acos", "atan", "asinh", "acosh", "atanh")},
    "erf": np.vectorize(math.erf, [float]),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "pow": np.power,
    "atan2": np.arctan2,
    "hypot": np.hypot,
}  # fmt: skip

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(mp, name) for name in _IN_NUMPY if hasattr(mp, name)},
    "pow": lambda x, y: x**y,
    "exp2": lambda x: mp.mpf(2) ** x,
    "log2": lambda x: mp.log(x, 2),
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
}
