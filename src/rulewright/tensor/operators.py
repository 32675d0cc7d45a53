"""Python's operators on tensors, each one line over a named method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulewright.ir.ops import Ops
from rulewright.tensor.logic import Logic

if TYPE_CHECKING:
    from typing_extensions import Self


class Operators(Logic):
    """Operators; the reflected ones take the tensor as their right operand."""

    __slots__ = ()

    def __add__(self, other: Any) -> Self:
        return self._arithmetic(Ops.ADD, Ops.OR, other)

    def __radd__(self, other: Any) -> Self:
        return self._arithmetic(Ops.ADD, Ops.OR, other, swapped=True)

    def __sub__(self, other: Any) -> Self:
        return self._arithmetic(Ops.SUB, None, other)

    def __rsub__(self, other: Any) -> Self:
        return self._arithmetic(Ops.SUB, None, other, swapped=True)

    def __mul__(self, other: Any) -> Self:
        return self._arithmetic(Ops.MUL, Ops.AND, other)

    def __rmul__(self, other: Any) -> Self:
        return self._arithmetic(Ops.MUL, Ops.AND, other, swapped=True)

    def __truediv__(self, other: Any) -> Self:
        return self._divide(other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._divide(other, swapped=True)

    def __floordiv__(self, other: Any) -> Self:
        return self._divide_down(other)

    def __rfloordiv__(self, other: Any) -> Self:
        return self._divide_down(other, swapped=True)

    def __mod__(self, other: Any) -> Self:
        return self._divide_down(other, remainder=True)

    def __rmod__(self, other: Any) -> Self:
        return self._divide_down(other, remainder=True, swapped=True)

    def __and__(self, other: Any) -> Self:
        return self._bitwise(Ops.AND, other)

    def __rand__(self, other: Any) -> Self:
        return self._bitwise(Ops.AND, other, swapped=True)

    def __or__(self, other: Any) -> Self:
        return self._bitwise(Ops.OR, other)

    def __ror__(self, other: Any) -> Self:
        return self._bitwise(Ops.OR, other, swapped=True)

    def __xor__(self, other: Any) -> Self:
        return self._bitwise(Ops.XOR, other)

    def __rxor__(self, other: Any) -> Self:
        return self._bitwise(Ops.XOR, other, swapped=True)

    def __lshift__(self, other: Any) -> Self:
        return self._bitwise(Ops.SHL, other)

    def __rlshift__(self, other: Any) -> Self:
        return self._bitwise(Ops.SHL, other, swapped=True)

    def __rshift__(self, other: Any) -> Self:
        return self._bitwise(Ops.SHR, other)

    def __rrshift__(self, other: Any) -> Self:
        return self._bitwise(Ops.SHR, other, swapped=True)

    def __neg__(self) -> Self:
        return self.neg()

    def __pos__(self) -> Self:
        return self

    def __invert__(self) -> Self:
        return self.bitwise_not()

    def __lt__(self, other: Any) -> Self:
        return self.lt(other)

    def __le__(self, other: Any) -> Self:
        return self.le(other)

    def __gt__(self, other: Any) -> Self:
        return self.gt(other)

    def __ge__(self, other: Any) -> Self:
        return self.ge(other)

    def __eq__(self, other: Any) -> Self:  # type: ignore[override]  # elementwise, as in numpy
        return NotImplemented if other is None or isinstance(other, str) else self.eq(other)

    def __ne__(self, other: Any) -> Self:  # type: ignore[override]  # elementwise, as in numpy
        return NotImplemented if other is None or isinstance(other, str) else self.ne(other)

    def __contains__(self, item: Any) -> bool:
        return bool(self.eq(item).any())  # type: ignore[attr-defined]  # a class further down

    def __hash__(self) -> int:
        return id(self)
