"""Arithmetic between tensors, element by element, and what lies out of bounds.

Operands broadcast: sizes must be equal or 1, counted from the last axis. Dtypes meet by the
lattice of `spec/10-dtypes.uop`; Python scalars are weak.
"""

from __future__ import annotations

import math
from operator import eq, le, lt, ne
from typing import Any

from rulewright.errors import ArgumentError, DTypeError, UsageError
from rulewright.ir.dtype_info import finfo
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core, apart
from rulewright.tensor.kinds import float_dtype, meeting_dtype, scalar_dtype, weak
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import node_broadcast_to, node_cast, node_floor, nodes_broadcast

SCALARS = (bool, int, float)
_COMPARE = {Ops.CMPLT: lt, Ops.CMPLE: le, Ops.CMPEQ: eq, Ops.CMPNE: ne}
_ADD, _SUB, _MUL, _FDIV = Ops.ADD, Ops.SUB, Ops.MUL, Ops.FDIV


class Elementwise(Members):
    """Sums, products, quotients, extremes, comparisons; NaN and infinities, closeness, bounds."""

    __slots__ = ()

    # ---- operands -------------------------------------------------------------------------

    def _operand(self, other: Any, method: str) -> Core:
        """Another operand as a tensor. Raises ArgumentError for what cannot be one."""
        if isinstance(other, Core):
            return other
        if other is None or isinstance(other, str | dict | set):
            raise ArgumentError(
                f"{method}: expected a tensor, a number or an array, "
                f"found {other!r} of type {type(other).__name__}"
            )
        return self.__class__(other, device=None if isinstance(other, UOp) else self._device)

    def _pair(self, other: Any, method: str, real: bool = False) -> tuple[UOp, UOp, str | None]:
        """This and another operand as nodes of one dtype and broadcast shapes, and the device.

        real: as floats; integers are never of each other's type, which may not hold them.
        """
        mine = self.uop
        if not isinstance(other, Core):
            other = weak(other)
        if other.__class__ in SCALARS:
            kind = float_dtype(mine.dtype) if real else scalar_dtype(mine.dtype, other)
            return node_cast(mine, kind), UOp.const(kind, other), self._device
        right = self._operand(other, method)
        theirs = right.uop
        if real or mine.dtype is not theirs.dtype:
            symbolic = isinstance(other, UOp) and not mine.dtype.is_bool
            kind = mine.dtype if symbolic else meeting_dtype(mine, theirs)
            kind = float_dtype(kind) if real else kind
            mine, theirs = node_cast(mine, kind), node_cast(theirs, kind)
        if mine.shape != theirs.shape:
            mine, theirs = nodes_broadcast([mine, theirs], method)
        return mine, theirs, self._joint_device(right, method)

    def _both(self, other: Any, method: str, real: bool = False) -> tuple[Self, Self]:
        """`_pair` as tensors."""
        a, b, device = self._pair(other, method, real)
        return self._make(a, device), self._make(b, device)

    def _joint_device(self, other: Core, method: str) -> str | None:
        if other._device is None or other._device == self._device:
            return self._device
        if self._device is not None:
            raise apart(method, self._device, other._device)
        return other._device

    def _binary(self, op: Op, other: Any, method: str, swapped: bool = False) -> Self:
        if op in _COMPARE and self.uop.dtype.is_int:
            other = weak(other)
            if other.__class__ not in SCALARS and not isinstance(other, UOp):
                other = self._operand(other, method)
            result = self._compared(op, other, method, swapped)
            if result is not None:
                return result
        a, b, device = self._pair(other, method)
        return self._make(b.alu(op, a) if swapped else a.alu(op, b), device)

    def _compared(self, op: Op, other: Any, method: str, swapped: bool) -> Self | None:
        """A comparison of integers that no type holds both; None for any other."""
        mine = self.uop.dtype
        if other.__class__ is int and not mine.min <= other <= mine.max:
            pair = (other, mine.min) if swapped else (mine.min, other)  # as every element compares
            truth = UOp.const(dtypes.bool, _COMPARE[op](*pair))
            return self._new(node_broadcast_to(truth, self.shape))
        if other.__class__ in SCALARS or isinstance(other, UOp):
            return None
        theirs = other.dtype
        if not theirs.is_int or dtypes.u64 not in (mine, theirs) or mine.min == theirs.min:
            return None
        signed = other if mine is dtypes.u64 else self
        pair = (-1, 0) if (signed is self) is not swapped else (0, -1)
        positive = self.cast(dtypes.u64)._binary(op, other.cast(dtypes.u64), method, swapped)
        below = signed < 0
        return below.logical_or(positive) if _COMPARE[op](*pair) else ~below & positive

    def _arithmetic(self, op: Op, logical: Op | None, other: Any, swapped: bool = False) -> Self:
        """ADD, SUB or MUL; on bools the logical op that takes its place."""
        method = op.name.lower()
        a, b, device = self._pair(other, method)
        if a.dtype.is_bool:
            if logical is None:
                raise DTypeError(f"{method}: bool tensors cannot be subtracted; use ^ or cast")
            op = logical
        return self._make(b.alu(op, a) if swapped else a.alu(op, b), device)

    # ---- arithmetic -----------------------------------------------------------------------

    def add(self, other: Any, *, alpha: float = 1) -> Self:
        """Sum; of bools, logical or. alpha: a factor of `other`.

        >>> Tensor([1, 2]).add(0.5).tolist()
        [1.5, 2.5]
        >>> Tensor([1, 2]).add(Tensor([3, 4]), alpha=10).tolist()
        [31, 42]
        """
        return self._arithmetic(_ADD, Ops.OR, self._weighed(other, alpha, "add"))

    def _weighed(self, other: Any, alpha: Any, method: str) -> Any:
        """Another operand times a factor."""
        plain = alpha.__class__ in (int, float) and alpha == 1
        return other if plain else self._wrap(other, f"{method} other") * alpha

    def sub(self, other: Any, *, alpha: float = 1) -> Self:
        """Difference. alpha: a factor of `other`. Raises DTypeError for bools.

        >>> Tensor([1, 2]).sub(Tensor([[1], [2]])).tolist()
        [[0, 1], [-1, 0]]
        """
        return self._arithmetic(_SUB, None, self._weighed(other, alpha, "sub"))

    def mul(self, other: Any) -> Self:
        """Product; of bools, logical and.

        >>> Tensor([1, 2]).mul(3).tolist()
        [3, 6]
        """
        return self._arithmetic(_MUL, Ops.AND, other)

    def div(self, other: Any, rounding_mode: str | None = None) -> Self:
        """Quotient as a float, of integers in the default float type; or rounded to a whole number.

        rounding_mode: None; "trunc" rounds toward zero, "floor" toward minus infinity: then
        integers stay integers, and x / 0 of them is 0. Raises UsageError for another mode.

        >>> Tensor([7, -7]).div(2).tolist()
        [3.5, -3.5]
        >>> Tensor([7, -7]).div(2, rounding_mode="trunc").tolist()
        [3, -3]
        >>> Tensor([7, -7]).div(2, rounding_mode="floor").tolist()
        [3, -4]
        """
        if rounding_mode not in (None, "trunc", "floor"):
            raise UsageError(
                f"div: rounding_mode is None, 'trunc' or 'floor', found {rounding_mode!r}"
            )
        if rounding_mode == "floor":
            return self._divide_down(False, other)
        return self._divide(other) if rounding_mode is None else self._divide_to_zero(other)

    def _divide(self, other: Any, swapped: bool = False) -> Self:
        a, b, device = self._pair(other, "div", real=True)
        return self._make(b.alu(_FDIV, a) if swapped else a.alu(_FDIV, b), device)

    def _whole_pair(self, other: Any, method: str, swapped: bool = False) -> Any:
        """Operands of a division with remainder; bools as int8."""
        a, b, device = self._pair(other, method)
        if swapped:
            a, b = b, a
        if a.dtype.is_bool:
            a, b = node_cast(a, dtypes.i8), node_cast(b, dtypes.i8)
        return a, b, device

    def _divide_to_zero(self, other: Any) -> Self:
        a, b, device = self._whole_pair(other, "div")
        if a.dtype.is_float:
            return self._make(a.alu(_FDIV, b).alu(Ops.TRUNC), device)
        return self._make((a - _node_cmod(a, b)).alu(Ops.FLOORDIV, b), device)

    def _divide_down(self, remainder: bool, other: Any, swapped: bool = False) -> Self:
        """Python's `//` or `%`."""
        method = "mod" if remainder else "floordiv"
        a, b, device = self._whole_pair(other, method, swapped)
        if not a.dtype.is_float:
            return self._make(a.alu(Ops.FLOORMOD if remainder else Ops.FLOORDIV, b), device)
        rest = a.alu(Ops.FMOD, b)
        zero = UOp.const(a.dtype, 0)
        other_sign = rest.alu(Ops.CMPNE, zero) & (rest < zero).alu(Ops.CMPNE, b < zero)
        if remainder:
            return self._make(other_sign.where(rest + b, rest), device)
        whole = (a - rest).alu(_FDIV, b)
        down = other_sign.where(whole - UOp.const(a.dtype, 1), whole)
        floor = node_floor(down)  # `down` is whole but for its rounding
        near = (UOp.const(a.dtype, 0.5) < down - floor).where(floor + UOp.const(a.dtype, 1), floor)
        quotient = a.alu(_FDIV, b)
        near = near.eq(zero).where(quotient.detach() * zero, near)  # zero with the quotient's sign
        return self._make(b.eq(zero).where(quotient, near), device)

    def floordiv(self, other: Any) -> Self:
        """Quotient rounded toward minus infinity; integers stay integers, and x // 0 is 0.

        Floats as in Python: 1.0 // 0.1 is 9.0, because 0.1 is a little more than a tenth.

        >>> Tensor([7, -7]).floordiv(2).tolist()
        [3, -4]
        """
        return self._divide_down(False, other)

    def idiv(self, other: Any) -> Self:
        """`div(other, rounding_mode="trunc")`.

        >>> Tensor([7, -7]).idiv(2).tolist()
        [3, -3]
        """
        return self.div(other, rounding_mode="trunc")

    def mod(self, other: Any) -> Self:
        """Remainder of `floordiv`: it has the sign of the divisor; for integers x % 0 is x.

        >>> Tensor([7, -7]).mod(4).tolist()
        [3, 1]
        """
        return self._divide_down(True, other)

    def fmod(self, other: Any) -> Self:
        """Remainder with the sign of this, as C's fmod: exact; for integers x fmod 0 is x.

        >>> Tensor([7, -7]).fmod(4).tolist()
        [3, -3]
        >>> Tensor([7.5, -7.5]).fmod(2).tolist()
        [1.5, -1.5]
        """
        a, b, device = self._whole_pair(other, "fmod")
        rest = a.alu(Ops.FMOD, b) if a.dtype.is_float else _node_cmod(a, b)
        return self._make(rest, device)

    def neg(self) -> Self:
        """The negative. Raises DTypeError for bools.

        >>> Tensor([1, -2]).neg().tolist()
        [-1, 2]
        """
        if self.dtype.is_bool:
            raise DTypeError("neg: a bool tensor has no negative; use ~ or logical_not")
        return self._new(self.uop.alu(Ops.NEG))

    def maximum(self, other: Any) -> Self:
        """The larger element; NaN where either is NaN. Equal ones share the gradient.

        >>> Tensor([1, 5]).maximum(Tensor([[2], [7]])).tolist()
        [[2, 5], [7, 7]]
        """
        return self._binary(Ops.MAX, other, "maximum")

    def minimum(self, other: Any) -> Self:
        """The smaller element; NaN where either is NaN. Equal ones share the gradient.

        >>> Tensor([1, 5]).minimum(3).tolist()
        [1, 3]
        """
        return self._binary(Ops.MIN, other, "minimum")

    def fmax(self, other: Any) -> Self:
        """The larger element; beside NaN the other one. Of equal ones this has the gradient.

        >>> Tensor([1.0, float("nan")]).fmax(Tensor([3.0, 2.0])).tolist()
        [3.0, 2.0]
        """
        return self._other_than_nan(other, "ge", "fmax")

    def fmin(self, other: Any) -> Self:
        """The smaller element; beside NaN the other one. Of equal ones this has the gradient.

        >>> Tensor([1.0, float("nan")]).fmin(Tensor([3.0, 2.0])).tolist()
        [1.0, 2.0]
        """
        return self._other_than_nan(other, "le", "fmin")

    def _other_than_nan(self, other: Any, beats: str, method: str) -> Self:
        mine, theirs = self._both(other, method)
        return self._chosen(getattr(mine, beats)(theirs).logical_or(theirs.isnan()), mine, theirs)

    def heaviside(self, values: Any) -> Self:
        """0 below zero, 1 above, `values` at zero; 0 for NaN, as in PyTorch.

        >>> Tensor([-2.0, 0.0, 3.0]).heaviside(0.5).tolist()
        [0.0, 0.5, 1.0]
        """
        mine, theirs = self._both(values, "heaviside")
        return self._chosen(mine.eq(0), theirs, mine.gt(0).cast(mine.dtype))

    def addcmul(self, tensor1: Any, tensor2: Any, *, value: float = 1) -> Self:
        """self + value * tensor1 * tensor2.

        >>> Tensor([1, 2]).addcmul(Tensor([3, 4]), 5, value=10).tolist()
        [151, 202]
        """
        product = self._wrap(tensor1, "addcmul tensor1") * tensor2
        return self + (product if _is_one(value) else product * value)

    def addcdiv(self, tensor1: Any, tensor2: Any, *, value: float = 1) -> Self:
        """self + value * tensor1 / tensor2.

        >>> Tensor([1.0, 2.0]).addcdiv(Tensor([3.0, 4.0]), 2, value=10).tolist()
        [16.0, 22.0]
        """
        quotient = self._wrap(tensor1, "addcdiv tensor1") / tensor2
        return self + (quotient if _is_one(value) else quotient * value)

    # ---- comparison -----------------------------------------------------------------------

    def eq(self, other: Any) -> Self:
        """Where elements are equal, as bools; NaN equals nothing.

        >>> Tensor([1, 2]).eq(2).tolist()
        [False, True]
        """
        return self._binary(Ops.CMPEQ, other, "eq")

    def ne(self, other: Any) -> Self:
        """Where elements differ, as bools; NaN differs from everything.

        >>> Tensor([1, 2]).ne(2).tolist()
        [True, False]
        """
        return self._binary(Ops.CMPNE, other, "ne")

    def lt(self, other: Any) -> Self:
        """Where elements are smaller, as bools; false beside NaN, as are `le`, `gt` and `ge`.

        >>> Tensor([1, 2, 3]).lt(2).tolist()
        [True, False, False]
        """
        return self._binary(Ops.CMPLT, other, "lt")

    def le(self, other: Any) -> Self:
        """Where elements are smaller or equal, as bools.

        >>> Tensor([1, 2, 3]).le(2).tolist()
        [True, True, False]
        """
        return self._binary(Ops.CMPLE, other, "le")

    def gt(self, other: Any) -> Self:
        """Where elements are larger, as bools.

        >>> Tensor([1, 2, 3]).gt(2).tolist()
        [False, False, True]
        """
        return self._binary(Ops.CMPLT, other, "gt", swapped=True)

    def ge(self, other: Any) -> Self:
        """Where elements are larger or equal, as bools.

        >>> Tensor([1, 2, 3]).ge(2).tolist()
        [False, True, True]
        """
        return self._binary(Ops.CMPLE, other, "ge", swapped=True)

    # ---- no ordinary numbers, and bounds ---------------------------------------------------

    def isnan(self) -> Self:
        """Where elements are NaN, as bools.

        >>> Tensor([0.0, float("nan")]).isnan().tolist()
        [False, True]
        """
        return self.ne(self)

    def isinf(self, detect_positive: bool = True, detect_negative: bool = True) -> Self:
        """Where elements are infinite, as bools; one sign may be left out.

        >>> Tensor([float("inf"), float("-inf"), 0.0]).isinf(detect_negative=False).tolist()
        [True, False, False]
        """
        if not self.dtype.is_float:
            return self.ne(self)
        if not (detect_positive or detect_negative):
            return self < -math.inf
        if not (detect_positive and detect_negative):
            return self == (math.inf if detect_positive else -math.inf)
        return (self == math.inf).logical_or(self == -math.inf)

    def isfinite(self) -> Self:
        """Where elements are neither infinite nor NaN, as bools.

        >>> Tensor([1.0, float("inf"), float("nan")]).isfinite().tolist()
        [True, False, False]
        """
        return self.isinf().logical_or(self.isnan()).logical_not()

    def isclose(
        self, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
    ) -> Self:
        """Where |x - y| <= atol + rtol * |y|, as bools; infinities are close to themselves only.

        equal_nan: whether NaN is close to NaN. Raises UsageError for a negative tolerance.

        >>> Tensor([1.0, 1.0]).isclose(Tensor([1.000001, 1.1])).tolist()
        [True, False]
        """
        if not (rtol >= 0 and atol >= 0):
            raise UsageError(f"isclose: tolerances are 0 or more, found {rtol} and {atol}")
        mine, theirs = self._both(other, "isclose")
        close, kind = mine == theirs, mine.dtype
        if not kind.is_bool:
            apart = (mine < theirs).where(theirs - mine, mine - theirs)
            size = (theirs < 0).where(-theirs, theirs) if kind.min < 0 else theirs
            near = apart <= size * rtol + atol
            close = close.logical_or(near.logical_and(apart.isfinite()))
        both = mine.isnan().logical_and(theirs.isnan())
        return close.logical_or(both) if equal_nan and kind.is_float else close

    def nan_to_num(
        self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
    ) -> Self:
        """Other numbers for NaN and the infinities, for these the largest finite ones if not given.

        >>> Tensor([float("nan"), 1.0, float("inf")]).nan_to_num(posinf=9).tolist()
        [0.0, 1.0, 9.0]
        """
        if not self.dtype.is_float:
            return self._equal()
        most = float(finfo(self.dtype).max)
        above, below = most if posinf is None else posinf, -most if neginf is None else neginf
        numbers = self.isnan().where(nan, self)
        return (numbers == math.inf).where(above, (numbers == -math.inf).where(below, numbers))

    def clip(self, min: Any = None, max: Any = None) -> Self:
        """Elements below `min` become `min`, those above `max` become `max`; NaN stays.

        min, max: numbers or tensors that broadcast; where min > max, it is max; a bound of NaN
        gives NaN. The derivative is 1 at the bounds. Raises UsageError if neither is given.

        >>> Tensor([-3, 0, 9]).clip(-1, 2).tolist()
        [-1, 0, 2]
        """
        if min is None and max is None:
            raise UsageError("clip: expected min, max or both, found neither")
        low = self if min is None else self._bounded(weak(min), "lt")
        return low if max is None else low._bounded(weak(max), "gt")

    def _bounded(self, bound: Any, beyond: str) -> Self:
        if bound.__class__ in SCALARS and bound == bound:
            return self._chosen(getattr(self, beyond)(bound), bound, self)
        inside = self.ge(bound) if beyond == "lt" else self.le(bound)
        return self._chosen(inside.logical_or(self.isnan()), self, bound)

    def _chosen(self, condition: Self, yes: Any, no: Any) -> Self:
        return condition.where(yes, no)

    def masked_fill(self, mask: Any, value: Any) -> Self:
        """`value` where the bool `mask` holds, else this.

        >>> Tensor([1, 2, 3]).masked_fill(Tensor([True, False, True]), 9).tolist()
        [9, 2, 9]
        """
        filled = self._wrap(mask, "masked_fill mask").where(value, self)
        return self._make(filled.cast(self.dtype).uop, filled._device)


def _is_one(value: Any) -> bool:
    return isinstance(value, int) and value == 1


def _node_cmod(a: UOp, b: UOp) -> UOp:
    """The remainder of integers with the sign of a: the one of `%`, less b if signs differ."""
    rest = a.alu(Ops.FLOORMOD, b)
    zero = UOp.const(a.dtype, 0)
    if a.dtype.is_unsigned:
        return rest
    differ = rest.alu(Ops.CMPNE, zero) & (a < zero).alu(Ops.CMPNE, b < zero)
    return (differ & b.alu(Ops.CMPNE, zero)).where(rest - b, rest)
