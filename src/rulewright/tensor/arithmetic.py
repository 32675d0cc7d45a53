"""Arithmetic between tensors, element by element.

Operands broadcast: sizes must be equal or 1, counted from the last axis. Dtypes meet by the
lattice of `spec/10-dtypes.uop`; Python scalars are weak.
"""

from __future__ import annotations

from operator import eq, le, lt, ne
from typing import TYPE_CHECKING, Any

from rulewright.errors import DeviceError, DTypeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core
from rulewright.tensor.kinds import float_dtype, meeting_dtype, scalar_dtype, weak
from rulewright.tensor.movement import Movement
from rulewright.tensor.nodes import node_broadcast_to, node_cast, node_floor, nodes_broadcast

if TYPE_CHECKING:
    from typing_extensions import Self

SCALARS = (bool, int, float)
_COMPARE = {Ops.CMPLT: lt, Ops.CMPLE: le, Ops.CMPEQ: eq, Ops.CMPNE: ne}
_ADD, _SUB, _MUL, _FDIV = Ops.ADD, Ops.SUB, Ops.MUL, Ops.FDIV


class Arithmetic(Movement):
    """Sums, products, quotients, extremes, comparisons."""

    __slots__ = ()

    # ---- operands -------------------------------------------------------------------------

    def _operand(self, other: Any, method: str) -> Core:
        """Another operand as a tensor. Raises UsageError for what cannot be one."""
        if isinstance(other, Core):
            return other
        if other is None or isinstance(other, str | dict | set):
            raise UsageError(
                f"{method}: expected a tensor, a number or an array, "
                f"found {other!r} of type {type(other).__name__}"
            )
        return self.__class__(other, device=None if isinstance(other, UOp) else self._device)

    def _pair(self, other: Any, method: str) -> tuple[UOp, UOp, str | None]:
        """This and another operand as nodes of one dtype and broadcast shapes, and the device."""
        mine = self.uop
        if not isinstance(other, Core):
            other = weak(other)
        if other.__class__ in SCALARS:
            kind = scalar_dtype(mine.dtype, other)
            return node_cast(mine, kind), UOp.const(kind, other), self._device
        right = self._operand(other, method)
        theirs = right.uop
        if mine.dtype is not theirs.dtype:
            symbolic = isinstance(other, UOp) and not mine.dtype.is_bool
            kind = mine.dtype if symbolic else meeting_dtype(mine, theirs)
            mine, theirs = node_cast(mine, kind), node_cast(theirs, kind)
        if mine.shape != theirs.shape:
            mine, theirs = nodes_broadcast([mine, theirs], method)
        return mine, theirs, self._joint_device(right, method)

    def _joint_device(self, other: Core, method: str) -> str | None:
        if other._device is None or other._device == self._device:
            return self._device
        if self._device is not None:
            raise DeviceError(
                f"{method}: operands are on {self._device} and {other._device}; "
                f"move one of them with .to({self._device!r})"
            )
        return other._device

    def _binary(self, op: Op, other: Any, method: str, swapped: bool = False) -> Self:
        if other.__class__ is int and op in _COMPARE and self.uop.dtype.is_int:
            low, high = self.uop.dtype.min, self.uop.dtype.max
            if not low <= other <= high:  # every element compares as the smallest one does
                pair = (other, low) if swapped else (low, other)
                truth = UOp.const(dtypes.bool, _COMPARE[op](*pair))
                return self._new(node_broadcast_to(truth, self.shape))
        a, b, device = self._pair(other, method)
        return self._make(b.alu(op, a) if swapped else a.alu(op, b), device)

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

    def add(self, other: Any) -> Self:
        """Sum; of bools, logical or."""
        return self._arithmetic(_ADD, Ops.OR, other)

    def sub(self, other: Any) -> Self:
        """Difference. Raises DTypeError for bools."""
        return self._arithmetic(_SUB, None, other)

    def mul(self, other: Any) -> Self:
        """Product; of bools, logical and."""
        return self._arithmetic(_MUL, Ops.AND, other)

    def div(self, other: Any) -> Self:
        """Quotient as a float; of integers in the default float type."""
        return self._divide(other)

    def _divide(self, other: Any, swapped: bool = False) -> Self:
        a, b, device = self._pair(other, "div")
        kind = float_dtype(a.dtype)
        a, b = node_cast(a, kind), node_cast(b, kind)
        return self._make(b.alu(_FDIV, a) if swapped else a.alu(_FDIV, b), device)

    def _divide_down(self, other: Any, remainder: bool = False, swapped: bool = False) -> Self:
        """Python's `//` or `%`, for floats by way of `floor`."""
        a, b, device = self._pair(other, "mod" if remainder else "floordiv")
        if swapped:
            a, b = b, a
        if a.dtype.is_bool:
            a, b = node_cast(a, dtypes.i8), node_cast(b, dtypes.i8)
        if not a.dtype.is_float:
            return self._make(a.alu(Ops.FLOORMOD if remainder else Ops.FLOORDIV, b), device)
        quotient = node_floor(a.alu(_FDIV, b))
        return self._make(a - quotient * b if remainder else quotient, device)

    def floordiv(self, other: Any) -> Self:
        """Quotient rounded toward minus infinity; integers stay integers, and x // 0 is 0."""
        return self._divide_down(other, remainder=False)

    def mod(self, other: Any) -> Self:
        """Remainder of `floordiv`: it has the sign of the divisor; for integers x % 0 is x."""
        return self._divide_down(other, remainder=True)

    def neg(self) -> Self:
        """The negative. Raises DTypeError for bools."""
        if self.dtype.is_bool:
            raise DTypeError("neg: a bool tensor has no negative; use ~ or logical_not")
        return self._new(self.uop.alu(Ops.NEG))

    def maximum(self, other: Any) -> Self:
        """The larger element; NaN where either is NaN."""
        return self._binary(Ops.MAX, other, "maximum")

    def minimum(self, other: Any) -> Self:
        """The smaller element; NaN where either is NaN."""
        return self._binary(Ops.MIN, other, "minimum")

    # ---- comparison -----------------------------------------------------------------------

    def eq(self, other: Any) -> Self:
        """Where elements are equal, as bools."""
        return self._binary(Ops.CMPEQ, other, "eq")

    def ne(self, other: Any) -> Self:
        """Where elements differ, as bools; NaN differs from everything."""
        return self._binary(Ops.CMPNE, other, "ne")
