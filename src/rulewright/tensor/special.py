"""Functions of probability and of angles, and logarithms of what may be zero."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.tensor.kinds import real
from rulewright.tensor.members import Members, Self

# erfc(x) exp(x²) (1 + 2x) of x >= 0.5 as a polynomial in (x - 3.75) / (x + 3.75), the highest power
# first: Chebyshev's approximation (to 6e-9, and to 2e-17), fitted with mpmath at 50 digits, of the
# form of Shepherd and Laframboise, Mathematics of Computation 36, 1981
_PLACE, _MOST = 3.75, 28.0  # erfc(28) is 0 in float64
_FEW = (
    -0.00018656399005585877, 0.0003502031694219342, 0.0016184572702094796, -0.00976891824839882,
    0.028440484517832022, -0.05869071591051102, 0.09228360413866331, -0.10880379176833038,
    0.082279052798647, 0.00358539095118352, -0.14024067241574248, 1.2375126310208122,
)  # fmt: skip
_MANY = (
    -7.364025434400407e-10, -5.9509367713217776e-09, 2.770119132229161e-08, 3.204852366201188e-08,
    -2.458322654586562e-07, -7.003208234297155e-08, 1.7431228345004344e-06, -9.633937518476757e-07,
    -1.1440734789599966e-05, 2.2379325748868886e-05, 5.1648269424952344e-05, -0.0002901525797062276,
    0.0002937137820478447, 0.0017556255643564262, -0.009746579566085057, 0.028362277452491275,
    -0.05869339858952502, 0.09230432115822194, -0.1088039301417366, 0.0822767384902091,
    0.0035854154854640676, -0.14024059858554752, 1.2375126308378275,
)  # fmt: skip


class Special(Members):
    """erfc, logit, sinc, x log y, degrees."""

    __slots__ = ()

    @real
    def erfc(self) -> Self:
        """1 - erf(x), with its own digits where that is small: within 6 units of the last place.

        >>> Tensor([0.0, 0.5]).erfc().double().round(4).tolist()
        [1.0, 0.4795]
        >>> Tensor([5.0]).erfc().log10().double().round(3).tolist()
        [-11.813]
        """
        far = self > 0.5
        x: Any = far.where(self.minimum(_MOST), 1.0)
        factors = _MANY if self.dtype is dtypes.f64 else _FEW
        place = (x - _PLACE) / (x + _PLACE)
        scaled = reduce(lambda y, c: y * place + c, factors[1:], factors[0]) / (1 + 2 * x)
        near = (x.detach() * 16).round() / 16  # whose square is exact
        tail = (near * -near).exp() * ((near - x) * (near + x)).exp() * scaled
        return far.where(tail, 1 - far.where(0, self).erf())

    @real
    def logit(self, eps: float | None = None) -> Self:
        """log(x / (1 - x)), the inverse of `sigmoid`; infinite at 0 and 1, NaN beyond.

        eps: x is moved into eps to 1 - eps before. Raises UsageError unless 0 <= eps <= 0.5.

        >>> Tensor([0.5, 0.0]).logit().tolist()
        [0.0, -inf]
        >>> Tensor([0.0]).logit(0.5).tolist()
        [0.0]
        """
        if eps is None:
            return (self / (1 - self)).log()
        if not 0 <= eps <= 0.5:
            raise UsageError(f"logit: eps is a number from 0 to 0.5, found {eps}")
        return self.clip(eps, 1 - eps).logit()

    def xlogy(self, other: Any) -> Self:
        """x log(y), and 0 where x is 0, unless y is NaN.

        >>> Tensor([0.0, 2.0]).xlogy(Tensor([0.0, 1.0])).tolist()
        [0.0, 0.0]
        """
        x, y = self._both(other, "xlogy", real=True)
        plain = x.eq(0).logical_and((y <= 0).logical_or(y.isinf()))
        return x * plain.where(1, y).log()

    @real
    def sinc(self) -> Self:
        """sin(pi x) / (pi x), and 1 at 0.

        >>> Tensor([0.0, 0.5, 1.5]).sinc().double().round(4).tolist()
        [1.0, 0.6366, -0.2122]
        """
        is_0 = self.eq(0)
        x = is_0.where(0.5, self)
        whole = x.round()  # through which no gradient flows
        sine = ((x - whole) * math.pi).sin()  # up to its sign, which changes at each whole number
        return is_0.where(1.0, whole.mod(2).eq(0).where(sine, -sine) / (x * math.pi))

    @real
    def deg2rad(self) -> Self:
        """Degrees as radians.

        >>> Tensor([180.0]).deg2rad().double().round(4).tolist()
        [3.1416]
        """
        return self * (math.pi / 180)

    @real
    def rad2deg(self) -> Self:
        """Radians as degrees.

        >>> Tensor([3.141592653589793]).rad2deg().tolist()
        [180.0]
        """
        return self * (180 / math.pi)
