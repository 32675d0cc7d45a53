"""Circular and hyperbolic functions, element by element: what `maths` says holds here too."""

from __future__ import annotations

import math
from typing import Any

from rulewright.ir.ops import Ops
from rulewright.tensor.kinds import real
from rulewright.tensor.members import Members, Self

_LARGE = 2.0**28  # from here on sqrt(x² + 1) is x in every dtype


class Trigonometry(Members):
    """Circular and hyperbolic functions, and their inverses."""

    __slots__ = ()

    def sin(self) -> Self:
        """Sine of an angle in radians, however large.

        >>> Tensor([0.0, 1e6]).sin().double().round(4).tolist()
        [0.0, -0.35]
        """
        return self._function(Ops.SIN)

    def cos(self) -> Self:
        """Cosine of an angle in radians, however large.

        >>> Tensor([0.0, 1e6]).cos().double().round(4).tolist()
        [1.0, 0.9368]
        """
        return self._function(Ops.COS)

    @real
    def tan(self) -> Self:
        """Tangent of an angle in radians.

        >>> Tensor([0.0, 1.0]).tan().double().round(4).tolist()
        [0.0, 1.5574]
        """
        return self.sin() / self.cos()

    @real
    def asin(self) -> Self:
        """Arcsine: 2 atan(x / (1 + sqrt(1 - x) sqrt(1 + x))); NaN beyond -1 and 1.

        Its derivative there is infinite.

        >>> Tensor([0.0, 1.0, 2.0]).asin().double().round(4).tolist()
        [0.0, 1.5708, nan]
        """
        # two roots, for that of a product has no derivative by the factor that is not 0
        return (self / (1 + (1 - self).sqrt() * (1 + self).sqrt())).atan() * 2

    @real
    def acos(self) -> Self:
        """Arccosine: 2 atan(sqrt(1 - x) / sqrt(1 + x)), pi less that of -x; NaN beyond -1 and 1.

        Its derivative there is infinite.

        >>> Tensor([0.0, 1.0, 2.0]).acos().double().round(4).tolist()
        [1.5708, 0.0, nan]
        """
        size = (self < 0).where(-self, self)
        angle = ((1 - size).sqrt() / (1 + size).sqrt()).atan() * 2
        return (self < 0).where(math.pi - angle, angle)

    def atan(self) -> Self:
        """Arctangent, between -pi/2 and pi/2.

        >>> Tensor([0.0, 1.0]).atan().double().round(4).tolist()
        [0.0, 0.7854]
        """
        return self._function(Ops.ATAN)

    def atan2(self, other: Any) -> Self:
        """The angle, between -pi and pi, at which the point (other, self) is seen.

        The smaller of |x| and |y| is divided by the larger; the signs, of zeros too, and the order
        of the two say in which eighth of the circle the arctangent lies.

        >>> Tensor([1.0, -1.0]).atan2(Tensor([-1.0, 0.0])).double().round(4).tolist()
        [2.3562, -1.5708]
        """
        y, x = self._both(other, "atan2", real=True)
        return y._angle(x)

    @real
    def _angle(self, other: Any) -> Self:
        x = other.cast(self.dtype)
        left, below = x.signbit(), self.signbit()
        wide, high = left.where(-x, x), below.where(-self, self)
        steep = wide < high
        small, large = steep.where(wide, high), steep.where(high, wide)
        alike = (small == large).logical_and((small == 0).logical_or(small == math.inf))
        ratio = alike.where((small == 0).where(0.0, 1.0), small / alike.where(1, large))
        angle = ratio.atan()
        angle = steep.where(math.pi / 2 - angle, angle)
        angle = left.where(math.pi - angle, angle)
        whole = below.where(-angle, angle)
        return self.isnan().logical_or(x.isnan()).where(math.nan, whole)

    @real
    def sinh(self) -> Self:
        """Hyperbolic sine; up to 1 by `expm1`.

        >>> Tensor([0.0, 1.0]).sinh().double().round(4).tolist()
        [0.0, 1.1752]
        """
        size = (self < 0).where(-self, self)
        near = size < 1
        moved = near.where(size, 0).expm1()
        small = (moved + moved / (moved + 1)) * 0.5
        root = (size * 0.5).exp()  # exp(x) itself would overflow too early
        value = near.where(small, 0.5 * root * root - 0.5 / root / root)
        return (self < 0).where(-value, value)

    @real
    def cosh(self) -> Self:
        """Hyperbolic cosine; up to 1 by `expm1`, so that its derivative is exact near 0 too.

        >>> Tensor([0.0, 1.0]).cosh().double().round(4).tolist()
        [1.0, 1.5431]
        """
        size = (self < 0).where(-self, self)
        near = size < 1
        moved = near.where(size, 0).expm1()
        small = 1 + moved * moved / (moved + 1) * 0.5
        root = (size * 0.5).exp()  # exp(x) itself would overflow too early
        return near.where(small, 0.5 * root * root + 0.5 / root / root)

    def tanh(self) -> Self:
        """Hyperbolic tangent.

        >>> Tensor([0.0, 1.0]).tanh().double().round(4).tolist()
        [0.0, 0.7616]
        """
        return self._function(Ops.TANH)

    @real
    def asinh(self) -> Self:
        """Inverse hyperbolic sine: log1p(x (1 + x / (1 + sqrt(1 + x²)))), with the sign of x.

        >>> Tensor([0.0, -1.0]).asinh().double().round(4).tolist()
        [0.0, -0.8814]
        """
        size = (self < 0).where(-self, self)
        far = size > _LARGE
        near = far.where(1, size)
        value = (near * (1 + near / (1 + (1 + near * near).sqrt()))).log1p()
        value = far.where(far.where(size, 1).log() + math.log(2), value)
        return (self < 0).where(-value, value)

    @real
    def acosh(self) -> Self:
        """Inverse hyperbolic cosine: log1p(x - 1 + sqrt(x - 1) sqrt(x + 1)); NaN below 1.

        The derivative at 1 is infinite; below -1 it is that of -x, as in PyTorch.

        >>> Tensor([1.0, 2.0, 0.5]).acosh().double().round(4).tolist()
        [0.0, 1.317, nan]
        """
        size = self.abs()
        far = size > _LARGE
        x, near = far.where(1, self), far.where(1, size)
        value = (x - 1 + (near - 1).sqrt() * (near + 1).sqrt()).log1p()
        value = far.where(far.where(self, 1).log() + math.log(2), value)
        return value + (self < 1).where(math.nan, 0.0)

    @real
    def atanh(self) -> Self:
        """Inverse hyperbolic tangent: (log1p(x) - log1p(-x)) / 2, with the sign of x.

        NaN beyond -1 and 1.

        >>> Tensor([0.0, 0.5, 1.0]).atanh().double().round(4).tolist()
        [0.0, 0.5493, inf]
        """
        size = (self < 0).where(-self, self)
        value = (size.log1p() - (-size).log1p()) * 0.5
        return (self < 0).where(-value, value)

    def hypot(self, other: Any) -> Self:
        """sqrt(x² + y²), without overflow; infinite where either is.

        >>> Tensor([3.0, 2.0**120]).hypot(4.0).tolist() == [5.0, 2.0**120]
        True
        """
        x, y = self._both(other, "hypot", real=True)
        return x._hypotenuse(y)

    @real
    def _hypotenuse(self, other: Any) -> Self:
        x, y = self, other.cast(self.dtype)
        larger = x.abs().maximum(y.abs())
        plain = larger.isinf().logical_or(larger == 0)
        scale = x._new(plain.where(1, larger).uop.detach())
        across, up = x / scale, y / scale
        length = scale * (plain.where(1, across * across + up * up)).sqrt()
        infinite = x.isinf().logical_or(y.isinf())
        return infinite.where(math.inf, (larger == 0).where(0.0, length))
