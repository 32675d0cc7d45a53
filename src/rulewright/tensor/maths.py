"""Functions of one number, element by element. Integers are computed in the default float.

Floats narrower than float32 are computed in that and rounded once. Values at zeros, infinities and
NaN are those of C. Bounds of errors, in units of the last place of float32, are tested: 2 for exp,
exp2, log, log2; 4 for the functions made of them and the circular ones, of float64 too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rulewright.errors import ArgumentError, DTypeError, UsageError
from rulewright.ir.dtype_info import finfo
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.elementwise import SCALARS
from rulewright.tensor.inverse_erf import erfinv
from rulewright.tensor.kinds import accumulator, default_int, float_dtype, real, weak
from rulewright.tensor.log_gamma import digamma, lgamma
from rulewright.tensor.members import Members
from rulewright.tensor.shapes import node_cast, node_floor

if TYPE_CHECKING:
    from typing_extensions import Self

_MOST_DECIMALS = 308  # 10**308 is the largest power of ten of float64
_LARGE = 2.0**28  # from here on sqrt(x² + 1) is x in every dtype


class Maths(Members):
    """Exponentials, powers, roots, rounding; circular and hyperbolic functions."""

    __slots__ = ()

    def _real(self) -> UOp:
        """This as floats."""
        return node_cast(self.uop, float_dtype(self.dtype))

    def _function(self, op: Op) -> Self:
        return self._new(self._real().alu(op))

    # ---- exponentials, logarithms, roots --------------------------------------------------

    def exp(self) -> Self:
        """e to the power of each element.

        >>> Tensor([0.0, 1.0]).exp().double().round(4).tolist()
        [1.0, 2.7183]
        """
        return self._function(Ops.EXP)

    def exp2(self) -> Self:
        """2 to the power of each element.

        >>> Tensor([0.0, 3.0]).exp2().tolist()
        [1.0, 8.0]
        """
        return self._function(Ops.EXP2)

    def log(self) -> Self:
        """Natural logarithm; NaN below zero, minus infinity at zero.

        >>> Tensor([1.0, 0.0]).log().tolist()
        [0.0, -inf]
        """
        return self._function(Ops.LOG)

    def log2(self) -> Self:
        """Logarithm to base 2.

        >>> Tensor([1, 8]).log2().tolist()
        [0.0, 3.0]
        """
        return self._function(Ops.LOG2)

    @real
    def log10(self) -> Self:
        """Logarithm to base 10.

        >>> Tensor([1.0, 100.0]).log10().tolist()
        [0.0, 2.0]
        """
        return self.log2() * math.log10(2)

    @real
    def log1p(self) -> Self:
        """log(1 + x), exact for small x too: log(u) + (x - (u - 1)) / u where u = 1 + x is rounded.

        What rounding took from u is added to the first order.

        >>> Tensor([0.0, 0.5**40]).log1p().tolist() == [0.0, 0.5**40]
        True
        """
        u = self + 1
        whole = (u == 0).logical_or(u == math.inf)
        lost = (self - (u - 1)) / whole.where(1, u)
        return whole.where(0, lost) - (0 - u.log())  # -0.0 of -0.0

    @real
    def logaddexp(self, other: Any) -> Self:
        """log(exp(x) + exp(y)), without overflow.

        >>> Tensor([1000.0, 0.0]).logaddexp(Tensor([1000.0, -1e9])).double().round(3).tolist()
        [1000.693, 0.0]
        """
        larger = self.maximum(other)
        apart = (self == other).where(0, self - other)
        return larger + (apart < 0).where(apart, -apart).exp().log1p()

    def sqrt(self) -> Self:
        """Square root; NaN below zero.

        >>> Tensor([4, 9]).sqrt().tolist()
        [2.0, 3.0]
        """
        return self._function(Ops.SQRT)

    @real
    def rsqrt(self) -> Self:
        """1 / sqrt(x).

        >>> Tensor([4.0, 0.25]).rsqrt().tolist()
        [0.5, 2.0]
        """
        return self.sqrt().reciprocal()

    def reciprocal(self) -> Self:
        """1 / x.

        >>> Tensor([4, 0]).reciprocal().tolist()
        [0.25, inf]
        """
        return self._function(Ops.RECIP)

    # ---- rounding -------------------------------------------------------------------------

    def trunc(self) -> Self:
        """Rounded toward zero; integers stay, as by floor, ceil and round.

        >>> Tensor([1.7, -1.7]).trunc().tolist()
        [1.0, -1.0]
        """
        return self._function(Ops.TRUNC) if self.dtype.is_float else self._equal()

    def floor(self) -> Self:
        """Rounded toward minus infinity.

        >>> Tensor([1.7, -1.7]).floor().tolist()
        [1.0, -2.0]
        """
        return self._new(node_floor(self.uop)) if self.dtype.is_float else self._equal()

    def ceil(self) -> Self:
        """Rounded toward infinity.

        >>> Tensor([1.2, -1.7]).ceil().tolist()
        [2.0, -1.0]
        """
        return -(-self).floor() if self.dtype.is_float else self._equal()

    def round(self, decimals: int = 0) -> Self:
        """Rounded to the nearest whole number, halves to the even one.

        decimals: digits kept behind the point, or before it if negative: then x * 10**decimals is
        rounded and divided again, as in PyTorch. Raises UsageError for integers and decimals, and
        for more decimals than a power of ten of float64 has, 308.

        >>> Tensor([0.5, 1.5, -2.5]).round().tolist()
        [0.0, 2.0, -2.0]
        >>> Tensor([1234.5]).round(decimals=-2).tolist()
        [1200.0]
        """
        if not self.dtype.is_float:
            if decimals:
                raise UsageError("round: integers have no decimals; cast to a float first")
            return self._equal()
        if not isinstance(decimals, int):
            raise ArgumentError(f"round: expected a known number of decimals, found {decimals!r}")
        if not -_MOST_DECIMALS <= decimals <= _MOST_DECIMALS:
            raise UsageError(f"round: expected -308 to 308 decimals, found {decimals}")
        if decimals:
            scale = float(10 ** abs(decimals))
            if decimals < 0:
                return (self / scale).round() * scale
            return (self * scale).round() / scale
        wide = self.cast(accumulator(self.dtype))
        beyond = 1 / finfo(wide.dtype).eps  # from there on all numbers are whole
        size = wide.abs()
        near = (size < beyond).where(((size + beyond) - beyond).copysign(wide), wide)
        return near.trunc().cast(self.dtype)  # which has no slope

    def frac(self) -> Self:
        """What `trunc` cuts off, with the sign of x. Raises DTypeError for integers.

        >>> Tensor([1.5, -1.25]).frac().tolist()
        [0.5, -0.25]
        """
        if not self.dtype.is_float:
            raise DTypeError(f"frac: expected floats, found {self.dtype.name}")
        return self - self.trunc()

    # ---- sign and size --------------------------------------------------------------------

    def abs(self) -> Self:
        """Absolute value. The derivative at 0 is 0; adding 0 turns -0.0 into 0.0.

        >>> Tensor([3, -4]).abs().tolist()
        [3, 4]
        """
        if self.dtype.is_bool or self.dtype.is_unsigned:
            return self._equal()
        size = self.maximum(-self)
        return size + 0 if self.dtype.is_float else size

    def sign(self) -> Self:
        """-1, 0 or 1; NaN stays NaN.

        >>> Tensor([-2.5, 0.0, 4.0]).sign().tolist()
        [-1.0, 0.0, 1.0]
        """
        if self.dtype.is_bool:
            return self._equal()
        signs = (self > 0).cast(self.dtype) - (self < 0).cast(self.dtype)
        return self.isnan().where(self, signs) if self.dtype.is_float else signs

    def signbit(self) -> Self:
        """Where the sign is minus, as bools; of -0.0 it is.

        >>> Tensor([-1.0, -0.0, 0.0]).signbit().tolist()
        [True, True, False]
        """
        if not self.dtype.is_float:
            return self < 0
        bits = self.bitcast(f"uint{self.dtype.bits}")
        return bits >= 1 << (self.dtype.bits - 1)

    def copysign(self, other: Any) -> Self:
        """This with the sign of another, be it that of a zero; integers as floats.

        The derivative by the sign is 0, and at 0 that by the number too.

        >>> Tensor([1.0, -2.0]).copysign(Tensor([-0.0, 3.0])).tolist()
        [-1.0, 2.0]
        """
        a, b, device = self._pair(other, "copysign")
        kind = float_dtype(a.dtype)
        x, sign = (self._make(node_cast(n, kind), device) for n in (a, b))
        size = (x == 0).where(self._make(x.uop.detach(), device), x)
        signed = x.signbit().ne(sign.signbit()).where(-size, size)
        never = self._new(UOp.const(dtypes.bool, False))
        return never.where(sign, signed)  # which gives the sign a gradient, zeros

    def square(self) -> Self:
        """x * x.

        >>> Tensor([3, -4]).square().tolist()
        [9, 16]
        """
        return self.pow(2)

    def lerp(self, end: Any, weight: Any) -> Self:
        """self + (end - self) * weight.

        >>> Tensor([0.0, 10.0]).lerp(Tensor([10.0, 20.0]), 0.25).tolist()
        [2.5, 12.5]
        """
        return self + (self._wrap(end, "lerp end") - self) * weight

    # ---- powers ---------------------------------------------------------------------------

    def pow(self, exponent: Any) -> Self:
        """self ** exponent. Integers to an integer power stay integers, and wrap.

        A negative integer power of integers is 0, or 1 or -1 of these, as in PyTorch. Raises
        UsageError for a constant one, DTypeError for bools.

        >>> Tensor([2, 3]).pow(3).tolist()
        [8, 27]
        >>> Tensor([4.0, 9.0]).pow(Tensor([0.5, -1.0])).double().round(4).tolist()
        [2.0, 0.1111]
        """
        exponent = weak(exponent)
        if exponent.__class__ in SCALARS:
            power = self._constant_power(exponent)
            if power is not None:
                return power
        a, b, device = self._pair(exponent, "pow")
        if a.dtype.is_bool:
            raise DTypeError("pow: expected numbers, found bool; cast first")
        if a.dtype.is_float:
            return self._make(a.alu(Ops.POW, b), device)
        return self._make(a, device)._integer_power(self._make(b, device))

    def _constant_power(self, exponent: Any) -> Self | None:
        """Powers that are cheaper than POW; None for the others."""
        if self.dtype.is_bool and isinstance(exponent, bool):
            return self._equal() if exponent else self.logical_or(True)
        if self.dtype.is_float or isinstance(exponent, float):
            roots = {0.5: self.sqrt, -0.5: self.rsqrt, -1: self.reciprocal}
            if exponent in roots:
                return roots[exponent]()
            if exponent == -2:
                return self.square().reciprocal()
        elif exponent < 0:
            raise UsageError(
                f"pow: integers have no power {exponent}; cast to a float first, or use a float"
            )
        if exponent == 4:
            return self.pow(type(exponent)(2)).square()
        if exponent in (1, 2, 3):
            base = self._new(self._real()) if isinstance(exponent, float) else self
            base = base.cast(default_int()) if base.dtype.is_bool else base  # as the scalar is
            power = base._equal() if base is self and exponent == 1 else base
            for _ in range(int(exponent) - 1):
                power = power * base
            return power
        return None

    def _integer_power(self, exponent: Self) -> Self:
        """By squaring, one bit of the exponent at a time; a negative exponent gives 0 or ±1."""
        result, base = self._new(UOp.const(self.dtype, 1)), self
        for bit in range(self.dtype.bits - (0 if self.dtype.is_unsigned else 1)):
            result = ((exponent >> bit) & 1).cast(dtypes.bool).where(result * base, result)
            base = base * base
        if self.dtype.is_unsigned:
            return result
        odd = (exponent & 1) == 1
        inverse = (self == 1).where(1, (self == -1).where(odd.where(-1, 1), 0))
        return (exponent < 0).where(inverse.cast(self.dtype), result)

    def _power(self, other: Any, swapped: bool = False) -> Self:
        if not swapped:
            return self.pow(other)
        base = weak(other)
        if base.__class__ not in SCALARS:
            return self._new(self._wrap(base).uop).pow(self)
        right, left, device = self._pair(base, "pow")
        return self._make(left, device).pow(self._make(right, device))

    # ---- circular and hyperbolic functions -------------------------------------------------

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
        a, b, device = self._pair(other, "atan2")
        kind = float_dtype(a.dtype)
        y, x = (self._make(node_cast(n, kind), device) for n in (a, b))
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
    def expm1(self) -> Self:
        """exp(x) - 1, exact for small x too: tanh(x/2) * (exp(x) + 1).

        >>> Tensor([0.0, 0.5**40]).expm1().tolist() == [0.0, 0.5**40]
        True
        """
        powers, near = self.exp(), self.abs() < 1
        small = (self * 0.5).tanh() * (near.where(powers, 0) + 1)
        return near.where(small, powers - 1)

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

    @real
    def hypot(self, other: Any) -> Self:
        """sqrt(x² + y²), without overflow; infinite where either is.

        >>> Tensor([3.0, 2.0**120]).hypot(4.0).tolist() == [5.0, 2.0**120]
        True
        """
        a, b, device = self._pair(other, "hypot")
        x, y = self._make(a, device), self._make(b, device)
        larger = x.abs().maximum(y.abs())
        plain = larger.isinf().logical_or(larger == 0)
        scale = x._new(plain.where(1, larger).uop.detach())
        across, up = x / scale, y / scale
        length = scale * (plain.where(1, across * across + up * up)).sqrt()
        infinite = x.isinf().logical_or(y.isinf())
        return infinite.where(math.inf, (larger == 0).where(0.0, length))

    @real
    def erf(self) -> Self:
        """The error function, 2/sqrt(pi) times the integral of exp(-t²) from 0 to x.

        >>> Tensor([0.0, 0.5]).erf().double().round(4).tolist()
        [0.0, 0.5205]
        """
        return self._function(Ops.ERF)

    @real
    def erfinv(self) -> Self:
        """The number whose error function this is; infinite at -1 and 1, NaN beyond.

        >>> Tensor([0.0, 0.5, 1.0]).erfinv().double().round(4).tolist()
        [0.0, 0.4769, inf]
        """
        value: Self = erfinv(self)
        return value

    @real
    def lgamma(self) -> Self:
        """log |gamma(x)|, with gamma(x) = (x - 1)! for whole numbers; infinite at 0, -1, -2, …

        Within 6 units of the last place above 0; below, where it crosses 0 again and again, within
        6 times the dtype's epsilon, or that of the value if it is larger than 1. The derivative
        is `digamma`.

        >>> Tensor([5.0, 0.5]).lgamma().exp().double().round(4).tolist()
        [24.0, 1.7725]
        """
        value: Self = lgamma(self)
        return value

    @real
    def digamma(self) -> Self:
        """The derivative of `lgamma`; infinite at 0, NaN at -1, -2, …

        Within 2 times the dtype's epsilon, or that of the value if it is larger than 1, above 0;
        within 8 times below.

        >>> Tensor([1.0, 2.0]).digamma().double().round(4).tolist()
        [-0.5772, 0.4228]
        """
        value: Self = digamma(self)
        return value
