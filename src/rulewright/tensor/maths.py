"""Functions of one number, element by element. Integers are computed in the default float.

Floats narrower than float32 are computed in that and rounded once. Values at zeros, infinities and
NaN are those of C. Bounds of errors, in units of the last place of float32, are tested: 2 for exp,
exp2, log, log2; 4 for the functions made of them and those of `trigonometry`, of float64 too.
"""

from __future__ import annotations

import math
from typing import Any

from rulewright.errors import ArgumentError, DTypeError, UsageError
from rulewright.ir.dtype_info import finfo
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.elementwise import SCALARS
from rulewright.tensor.inverse_erf import erfinv
from rulewright.tensor.kinds import accumulator, default_int, float_dtype, real, weak
from rulewright.tensor.log_gamma import digamma, lgamma
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import node_cast, node_floor

_MOST_DECIMALS = 308  # 10**308 is the largest power of ten of float64


class Maths(Members):
    """Exponentials, powers, roots, rounding, and the special functions."""

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

    @real
    def expm1(self) -> Self:
        """exp(x) - 1, exact for small x too: tanh(x/2) * (exp(x) + 1).

        >>> Tensor([0.0, 0.5**40]).expm1().tolist() == [0.0, 0.5**40]
        True
        """
        powers, near = self.exp(), self.abs() < 1
        small = (self * 0.5).tanh() * (near.where(powers, 0) + 1)
        return near.where(small, powers - 1)

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

    def logaddexp(self, other: Any) -> Self:
        """log(exp(x) + exp(y)), without overflow.

        >>> Tensor([1000.0, 0.0]).logaddexp(Tensor([1000.0, -1e9])).double().round(3).tolist()
        [1000.693, 0.0]
        """
        mine, theirs = self._both(other, "logaddexp", real=True)
        return mine._log_of_sum(theirs)

    @real
    def _log_of_sum(self, other: Any) -> Self:
        other = other.cast(self.dtype)
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
        size, bits = wide.abs(), f"uint{wide.dtype.bits}"
        sign = wide.bitcast(bits).bitwise_and(1 << (wide.dtype.bits - 1))
        whole = ((size + beyond) - beyond).bitcast(bits).bitwise_or(sign).bitcast(wide.dtype)
        near = (size < beyond).where(whole, wide)
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
        x, sign = self._both(other, "copysign", real=True)
        size = (x == 0).where(x._constant(), x)
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
        """self + (end - self) * weight, which is `end` where weight is 1.

        From a weight of a half on it is computed from `end`, as in PyTorch.

        >>> Tensor([0.0, 10.0]).lerp(Tensor([10.0, 20.0]), 0.25).tolist()
        [2.5, 12.5]
        """
        end, weight = self._wrap(end, "lerp end"), weak(weight)
        if weight.__class__ in SCALARS:
            start, weight = (self, weight) if abs(weight) < 0.5 else (end, weight - 1)
            return start + (end - self) * weight
        weight = self._wrap(weight, "lerp weight")
        near = weight.abs() < 0.5
        return near.where(self, end) + (end - self) * near.where(weight, weight - 1)

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

    # ---- special functions ----------------------------------------------------------------

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
