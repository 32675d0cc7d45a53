"""The logarithm of the gamma function, and its derivative, of tensors of float32 or float64.

From 8 on by Stirling's series. Below, y = n + t for the nearest whole number n, and the recurrence
gamma(y + 1) = y gamma(y) leads to 2 + t, where Taylor's series converges as (t / 2)**k:

    log gamma(2 + t) = (1 - C) t + sum of (-1)**k (zeta(k) - 1) t**k / k   for k from 2 on

with C of Euler, and zeta of Riemann. Near 1 and 2, where the logarithm is 0, no digits are lost.
Below 0 by reflection: gamma(-y) gamma(y) = -pi / (y sin(pi y)).
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

from rulewright.ir.dtypes import dtypes

_FAR = 8
_SMALL = 2.0**-60
_EULER = 0.57721566490153286061
_STIRLING = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400,
    43867 / 244188, -174611 / 125400,
)  # fmt: skip
"""B(2k) / (2k (2k - 1)) for Bernoulli's numbers B, from k = 1 on."""


def _zeta_less_one(k: int) -> float:
    """zeta(k) - 1: the first terms, and the rest by Euler's and Maclaurin's sum formula."""
    start = 60
    rest = start ** (1 - k) / (k - 1) + start**-k / 2 + k * start ** (-k - 1) / 12
    rest -= math.perm(k + 2, 3) * start ** (-k - 3) / 720
    rest += math.perm(k + 4, 5) * start ** (-k - 5) / 30240
    return math.fsum([*(n**-k for n in range(2, start)), rest])


_TAYLOR = (1 - _EULER, *((-1) ** k * _zeta_less_one(k) / k for k in range(2, 31)))
"""Factors of t, t**2, …; the last ones are for the second derivative in float64."""


def lgamma(x: Any) -> Any:
    """log |gamma(x)|; infinite at 0, -1, -2, … and at both infinities."""
    below, y = _size(x)
    endless = y == math.inf
    infinite, y = endless.where(y, 0), endless.where(_FAR, y)
    far, n, t = _nearest(y)
    series = t * _polynomial(_terms(_TAYLOR, x, 16), t)
    least = n == 0
    steps = least.where(y * (1 + y), (n == 1).where(y, _passed(n + t, n)[1]))
    steps = (y < _SMALL).where(y, steps)  # the same number, and at 0 it has a derivative
    log = far.where(y, steps).log()
    near = series + (n < 2).where(-log, log)
    large = far.where(y, _FAR)
    tail = _polynomial(_terms(_STIRLING, x, 4), 1 / (large * large)) / large
    value = far.where((large - 0.5) * (log - 1) + (tail + (math.log(2 * math.pi) - 1) / 2), near)
    sine = (_from_whole(below, y).abs() * math.pi).sin() / math.pi
    other = -(sine * below.where(least.where(1 / (1 + y), y), 1)).log() - least.where(series, value)
    value = endless.where(infinite * infinite.detach(), value)  # as is its derivative
    return _is_whole(below, y).where(math.inf, below.where(other, value))


def digamma(x: Any) -> Any:
    """The derivative of log gamma; minus or plus infinity at 0 and -0, NaN at -1, -2, …"""
    below, y = _size(x)
    far, n, t = _nearest(y)
    least = n == 0
    series = _polynomial(_terms([k * c for k, c in enumerate(_TAYLOR, 1)], x, 16), t)
    slope, product = _passed(n + t, n)
    first = 1 / (n + t + (1 - n).maximum(0))  # 1 / (1 + y) for 0, 1 / y for 1
    near = series + (n < 2).where(-first, slope / product)
    large = far.where(y, _FAR)
    square = 1 / (large * large)
    factors = [(2 * k - 1) * c for k, c in enumerate(_STIRLING, 1)]
    tail = 0.5 / large + square * _polynomial(_terms(factors, x, 4), square)
    value = far.where(large.log() - tail, near)  # that of 1 + y, where y is small
    angle = _from_whole(below, y) * math.pi
    turned = math.pi * angle.cos() / angle.sin()
    other = value + turned + least.where(0, 1 / far.logical_or(below).where(y, 1))
    plain = value - least.where(1 / least.where(y, 1), 0)
    return _is_whole(below, y).where(math.nan, below.where(other, plain))


def _size(x: Any) -> tuple[Any, Any]:
    below = x < 0
    return below, below.where(-x, x)


def _nearest(y: Any) -> tuple[Any, Any, Any]:
    """Whether y is far; else the nearest whole number, and what is left of y. 2 and 0 if far."""
    far = y >= _FAR
    near = far.where(2, y)
    n = (near + 0.5).floor()
    return far, n, near - n


def _passed(y: Any, n: Any) -> tuple[Any, Any]:
    """(y - 1) (y - 2) … (y - n + 2), and before it its derivative; 1 and 0 if there is no factor.

    Multiplied by gamma(y - n + 2) it is gamma(y).
    """
    slope, product = y * 0, y * 0 + 1
    for place in range(1, _FAR - 1):
        step = n >= place + 2
        slope = step.where(slope * (y - place) + product, slope)
        product = step.where(product * (y - place), product)
    return slope, product


def _from_whole(below: Any, y: Any) -> Any:
    """What y, of a number below 0, has more than the nearest whole number; 1/2 for others."""
    part = y - y.floor()
    return below.where((part > 0.5).where(part - 1, part), 0.5)


def _is_whole(below: Any, y: Any) -> Any:
    return below.logical_and(y == y.floor())


def _terms(factors: Any, x: Any, few: int) -> Any:
    """As many terms as the dtype has digits for."""
    return factors[:few] if x.dtype is dtypes.f32 else factors


def _polynomial(factors: Any, x: Any) -> Any:
    return reduce(lambda y, c: y * x + c, reversed(factors[:-1]), factors[-1])
