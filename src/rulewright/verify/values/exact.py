"""What functions of numbers are worth, to more digits than any float has.

Each gives f64 and what is missing from it, as another f64. Numbers of up to 32 bits are computed
in f64, by numpy, where that is exact enough; those of f64 by the arithmetic of `decimal`, from
series. Nothing here may use the tensor library.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Function = Callable[..., Decimal]

_DIGITS = 60
_WIDE = 420  # digits of a float beside a remainder of it by pi/2
_TINY = Decimal("1e-20")
_MOST = 760  # beyond that the exponential of no number is a float, or differs from 0


def exactly(name: str, columns: list[Array]) -> tuple[Array, Array]:
    """A function at each row of some columns of f64, and what is missing from the first result.

    Where numpy has an answer that is no matter of digits (NaN, infinite, zero) it is taken.
    """
    values, missing = wide(name, columns), np.zeros(columns[0].shape)
    with decimal.localcontext(_context(_DIGITS)), np.errstate(over="ignore"):
        for at in np.ndindex(values.shape):
            operands = [float(column[at]) for column in columns]
            if not all(map(math.isfinite, operands)) or not any(operands) or np.isnan(values[at]):
                continue
            try:
                true = _FUNCTIONS[name](*map(Decimal, operands))
            except ZeroDivisionError:
                continue  # infinite, as numpy says
            values[at] = math.copysign(float(true), float(values[at]) if true == 0 else float(true))
            missing[at] = float(true - Decimal(float(values[at]))) if _finite(values[at]) else 0.0
    return values, missing


def wide(name: str, columns: list[Array]) -> Array:
    """A function at each row of some columns, in f64."""
    with np.errstate(all="ignore"):
        return np.asarray(_IN_NUMPY[name](*columns), np.float64)


def _context(digits: int) -> decimal.Context:
    return decimal.Context(prec=digits, Emin=-9999, Emax=9999)


def _finite(value: Any) -> bool:
    return math.isfinite(float(value))


# ---- in numpy ----------------------------------------------------------------------------------

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


# ---- in decimal --------------------------------------------------------------------------------


@cache
def _pi() -> Decimal:
    """By Machin's pi/4 = 4 atan(1/5) - atan(1/239)."""
    with decimal.localcontext(_context(_WIDE + 10)):
        return 4 * (4 * _atan_series(Decimal(1) / 5) - _atan_series(Decimal(1) / 239))


def _atan_series(x: Decimal) -> Decimal:
    total, power, k = Decimal(0), x, 0
    while power and abs(power / (2 * k + 1)) > abs(total).scaleb(-decimal.getcontext().prec):
        total += power / (2 * k + 1) if k % 2 == 0 else -power / (2 * k + 1)
        power *= x * x
        k += 1
    return total


def _atan(x: Decimal) -> Decimal:
    if abs(x) > 1:
        half = _pi() / 2
        return (half if x > 0 else -half) - _atan(1 / x)
    halvings = 0
    while abs(x) > Decimal("0.1"):
        x, halvings = x / (1 + (1 + x * x).sqrt()), halvings + 1
    return _atan_series(x) * 2**halvings


def _turned(x: Decimal) -> tuple[int, Decimal]:
    """The quarter turns in an angle, modulo 4, and what is left of it, at most half of one."""
    with decimal.localcontext(_context(_WIDE)):
        turns = (x / (_pi() / 2)).to_integral_value()
        rest = x - turns * (_pi() / 2)
    return int(turns) % 4, +rest


def _sin_series(x: Decimal) -> Decimal:
    total = term = x
    k = 1
    while term and abs(term) > abs(total).scaleb(-_DIGITS):
        term *= -x * x / ((k + 1) * (k + 2))
        total, k = total + term, k + 2
    return total


def _cos_series(x: Decimal) -> Decimal:
    half = _sin_series(x / 2)
    return 1 - 2 * half * half


def _sin(x: Decimal) -> Decimal:
    quarter, rest = _turned(x)
    value = _sin_series(rest) if quarter % 2 == 0 else _cos_series(rest)
    return -value if quarter >= 2 else value


def _cos(x: Decimal) -> Decimal:
    quarter, rest = _turned(x)
    value = _cos_series(rest) if quarter % 2 == 0 else _sin_series(rest)
    return -value if quarter in (1, 2) else value


def _exp(x: Decimal) -> Decimal:
    return max(min(x, Decimal(_MOST)), Decimal(-_MOST)).exp()


def _expm1(x: Decimal) -> Decimal:
    return x + x * x / 2 if abs(x) < _TINY else _exp(x) - 1


def _log1p(x: Decimal) -> Decimal:
    return x - x * x / 2 if abs(x) < _TINY else (1 + x).ln()


def _sinh(x: Decimal) -> Decimal:
    return x if abs(x) < _TINY else (_exp(x) - _exp(-x)) / 2


def _cosh(x: Decimal) -> Decimal:
    return (_exp(x) + _exp(-x)) / 2


def _tanh(x: Decimal) -> Decimal:
    x = max(min(x, Decimal(99)), Decimal(-99))
    return _sinh(x) / _cosh(x)


def _asinh(x: Decimal) -> Decimal:
    if abs(x) < _TINY:
        return x
    return (abs(x) + (x * x + 1).sqrt()).ln().copy_sign(x)


def _erf(x: Decimal) -> Decimal:
    """By the series with positive terms of e^(x^2) erf(x)."""
    if abs(x) > 8:
        return Decimal(1).copy_sign(x)
    total = term = x
    k = 0
    while term and abs(term) > abs(total).scaleb(-_DIGITS):
        k += 1
        term *= 2 * x * x / (2 * k + 1)
        total += term
    return 2 * total * (-x * x).exp() / _pi().sqrt()


def _pow(x: Decimal, y: Decimal) -> Decimal:
    if x == 0:
        return 1 / Decimal(0) if y < 0 else Decimal(0 if y else 1)
    size = _exp(y * abs(x).ln())
    odd = int(y) % 2 if y == y.to_integral_value() else 0
    return -size if x < 0 and odd else size


def _atan2(y: Decimal, x: Decimal) -> Decimal:
    if x == 0:
        return (_pi() / 2).copy_sign(y)
    angle = _atan(y / x)
    return +angle if x > 0 else angle + _pi().copy_sign(y)


_FUNCTIONS: dict[str, Function] = {
    "exp": _exp,
    "exp2": lambda x: _exp(x * Decimal(2).ln()),
    "expm1": _expm1,
    "log": lambda x: x.ln(),
    "log2": lambda x: x.ln() / Decimal(2).ln(),
    "log10": lambda x: x.log10(),
    "log1p": _log1p,
    "sqrt": lambda x: x.sqrt(),
    "rsqrt": lambda x: 1 / x.sqrt(),
    "sin": _sin,
    "cos": _cos,
    "tan": lambda x: _sin(x) / _cos(x),
    "asin": lambda x: _atan2(x, (1 - x * x).sqrt()) if x else x,
    "acos": lambda x: _atan2((1 - x * x).sqrt(), x) if abs(x) < 1 else (_pi() if x < 0 else x - x),
    "atan": _atan,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "asinh": _asinh,
    "acosh": lambda x: (x + (x * x - 1).sqrt()).ln(),
    "atanh": lambda x: x if abs(x) < _TINY else ((1 + x) / (1 - x)).ln() / 2,
    "erf": _erf,
    "sigmoid": lambda x: 1 / (1 + _exp(-x)),
    "pow": _pow,
    "atan2": _atan2,
    "hypot": lambda x, y: (x * x + y * y).sqrt(),
}
