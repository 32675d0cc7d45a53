"""Functions of one number, element by element. Integers are computed in the default float."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.arithmetic import SCALARS
from rulewright.tensor.kinds import float_dtype, real, weak
from rulewright.tensor.nodes import node_cast, node_floor
from rulewright.tensor.operators import Operators

if TYPE_CHECKING:
    from typing_extensions import Self


class Maths(Operators):
    """Exponentials, roots, trigonometry, rounding, powers."""

    __slots__ = ()

    def _real(self) -> UOp:
        """This as floats."""
        return node_cast(self.uop, float_dtype(self.dtype))

    def _function(self, op: Op) -> Self:
        return self._new(self._real().alu(op))

    # ---- exponentials, logarithms, roots --------------------------------------------------

    def exp(self) -> Self:
        """e to the power of each element."""
        return self._function(Ops.EXP)

    def exp2(self) -> Self:
        """2 to the power of each element."""
        return self._function(Ops.EXP2)

    def expm1(self) -> Self:
        """exp(x) - 1, exact for small x too: tanh(x/2) * (exp(x) + 1)."""
        half = (self * 0.5).tanh()
        near = half * (self.exp() + 1)
        return (self.abs() < 1).where(near, self.exp() - 1)

    def log(self) -> Self:
        """Natural logarithm; NaN below zero, minus infinity at zero."""
        return self._function(Ops.LOG)

    def log2(self) -> Self:
        """Logarithm to base 2."""
        return self._function(Ops.LOG2)

    def log10(self) -> Self:
        """Logarithm to base 10."""
        return self.log2() * math.log10(2)

    def log1p(self) -> Self:
        """log(1 + x), exact for small x too: log(u) * x / (u - 1) where u = 1 + x is rounded.

        The correction is Kahan's (HP-15C Advanced Functions Handbook, 1982).
        """
        x = self._new(self._real())
        u = x + 1
        whole = (u == 1).logical_or(u.isinf())
        return whole.where((u == 1).where(x, u.log()), u.log() * (x / whole.where(1.0, u - 1)))

    def sqrt(self) -> Self:
        """Square root; NaN below zero."""
        return self._function(Ops.SQRT)

    def rsqrt(self) -> Self:
        """1 / sqrt(x)."""
        return self.sqrt().reciprocal()

    def reciprocal(self) -> Self:
        """1 / x."""
        return self._function(Ops.RECIP)

    # ---- trigonometry ---------------------------------------------------------------------

    def sin(self) -> Self:
        """Sine of an angle in radians."""
        return self._function(Ops.SIN)

    @real
    def cos(self) -> Self:
        """Cosine of an angle in radians: 1 - 2 sin²(x/2), which keeps large angles exact."""
        half = (self * 0.5).sin()
        return 1 - 2 * half * half

    @real
    def tan(self) -> Self:
        """Tangent of an angle in radians."""
        return self.sin() / self.cos()

    @real
    def sinh(self) -> Self:
        """Hyperbolic sine."""
        return (self.expm1() - self.neg().expm1()) * 0.5

    @real
    def cosh(self) -> Self:
        """Hyperbolic cosine."""
        return (self.exp() + self.neg().exp()) * 0.5

    def tanh(self) -> Self:
        """Hyperbolic tangent."""
        return self._function(Ops.TANH)

    # ---- rounding -------------------------------------------------------------------------

    def trunc(self) -> Self:
        """Rounded toward zero."""
        return self._function(Ops.TRUNC) if self.dtype.is_float else self

    def floor(self) -> Self:
        """Rounded toward minus infinity."""
        return self._new(node_floor(self.uop)) if self.dtype.is_float else self

    def ceil(self) -> Self:
        """Rounded toward infinity."""
        return -(-self).floor() if self.dtype.is_float else self

    def round(self) -> Self:
        """Rounded to the nearest whole number, halves to the even one."""
        if not self.dtype.is_float:
            return self
        down = self.floor()
        rest = self - down
        odd = down - (down * 0.5).floor() * 2
        up = (rest > 0.5).logical_or((rest == 0.5).logical_and(odd == 1))
        return up.where(down + 1, down)

    # ---- sign and size --------------------------------------------------------------------

    def abs(self) -> Self:
        """Absolute value. The derivative at 0 is 0; adding 0 turns -0.0 into 0.0."""
        if self.dtype.is_bool or self.dtype.is_unsigned:
            return self
        size = self.maximum(-self)
        return size + 0 if self.dtype.is_float else size

    def __abs__(self) -> Self:
        return self.abs()

    def sign(self) -> Self:
        """-1, 0 or 1; NaN stays NaN."""
        if self.dtype.is_bool:
            return self
        signs = (self > 0).cast(self.dtype) - (self < 0).cast(self.dtype)
        return self.isnan().where(self, signs) if self.dtype.is_float else signs

    def square(self) -> Self:
        """x * x."""
        return self * self

    def isnan(self) -> Self:
        """Where elements are NaN, as bools."""
        return self.ne(self)

    def isinf(self) -> Self:
        """Where elements are plus or minus infinity, as bools."""
        if not self.dtype.is_float:
            return self.ne(self)
        return (self == math.inf).logical_or(self == -math.inf)

    def isfinite(self) -> Self:
        """Where elements are neither infinite nor NaN, as bools."""
        return self.isinf().logical_or(self.isnan()).logical_not()

    def clip(self, min: Any = None, max: Any = None) -> Self:
        """Elements below `min` become `min`, those above `max` become `max`; NaN stays.

        Raises UsageError if neither is given.
        """
        if min is None and max is None:
            raise UsageError("clip: expected min, max or both, found neither")
        low = self if min is None else self.maximum(min)
        return low if max is None else low.minimum(max)

    def clamp(self, min: Any = None, max: Any = None) -> Self:
        """`clip`."""
        return self.clip(min, max)

    def lerp(self, end: Any, weight: Any) -> Self:
        """self + (end - self) * weight."""
        return self + (self._wrap(end) - self) * weight

    def masked_fill(self, mask: Any, value: Any) -> Self:
        """`value` where the bool `mask` holds, else this."""
        filled = self._wrap(mask).where(value, self)
        return self._new(filled.cast(self.dtype).uop)

    # ---- powers ---------------------------------------------------------------------------

    def pow(self, exponent: Any) -> Self:
        """self ** exponent. Integers to an integer power stay integers, and wrap.

        Raises UsageError for integers to a negative constant power.
        """
        exponent = weak(exponent)
        if exponent.__class__ in SCALARS:
            found = self._constant_power(exponent)
            if found is not None:
                return found
        a, b, device = self._pair(exponent, "pow")
        if a.dtype.is_bool:
            raise DTypeError("pow: expected numbers, found bool; cast first")
        if a.dtype.is_float:
            return self._make(a.alu(Ops.POW, b), device)
        return self._make(a, device)._integer_power(self._make(b, device))

    def _constant_power(self, exponent: Any) -> Self | None:
        """Powers that are cheaper than POW; None for the others."""
        if self.dtype.is_float or isinstance(exponent, float):
            roots = {0.5: self.sqrt, -0.5: self.rsqrt, -1: self.reciprocal}
            if exponent in roots:
                return roots[exponent]()
        elif exponent < 0:
            raise UsageError(
                f"pow: integers have no power {exponent}; cast to a float first, or use a float"
            )
        if exponent in (1, 2, 3):
            base = self._new(self._real()) if isinstance(exponent, float) else self
            return {1: base, 2: base * base, 3: base * base * base}[int(exponent)]
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

    def __pow__(self, exponent: Any) -> Self:
        return self.pow(exponent)

    def __rpow__(self, base: Any) -> Self:
        base = weak(base)
        if base.__class__ not in SCALARS:
            return self._new(self._wrap(base).uop).pow(self)
        right, left, device = self._pair(base, "pow")
        return self._make(left, device).pow(self._make(right, device))
