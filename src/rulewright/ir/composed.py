"""Python's arithmetic beside the infix signs of the spec: powers, absolute values, `divmod`."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn

from rulewright.ir.expected import refuse, unknown_name, whole
from rulewright.ir.node import Fields
from rulewright.ir.ops import Op, Ops

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp


_MOST = 63  # a higher power of 2 has more bits than a size


class Composed(Fields):
    """What a node computes by several ops, or by one that has no sign."""

    __slots__ = ()

    def __abs__(self: Any) -> UOp:
        """The absolute value; of floats -0.0 becomes 0.0, as `Tensor.abs` has it."""
        size: UOp = self
        if not (self.dtype.is_bool or self.dtype.is_unsigned):
            size = self.maximum(-self)
        return size + 0.0 if self.dtype.is_float else size

    def __divmod__(self: Any, other: Any) -> tuple[UOp, UOp]:
        return self // other, self % other

    def __rdivmod__(self: Any, other: Any) -> tuple[UOp, UOp]:
        return other // self, other % self

    def __pow__(self: Any, power: Any) -> UOp:
        """This to a power: of whole numbers a product.

        Raises ArgumentError for a power of whole numbers that is no whole number from 0 to 63.
        """
        if not isinstance(power, Fields | Real):
            return NotImplemented  # as `_with` does
        if self.dtype.is_float:
            value: UOp = self._with(Ops.POW, power)
            return value
        times = whole(power, "**", "the power")
        if not 0 <= times <= _MOST:
            refuse("**", f"a power from 0 to {_MOST}", power)
        product: UOp = self._constant(1)
        for _ in range(times):
            product = product * self
        return product.simplify()


class _Applied:
    """The name of an op that has no method, whose error says how it is applied. One for each: a
    `__getattr__` would make each look at a node slower, a tenth of the time of lowering."""

    def __init__(self, op: Op) -> None:
        self.op = op

    def __get__(self, node: Any, owner: Any = None) -> NoReturn:
        name = self.op.name
        raise unknown_name("a UOp", name.lower(), {name.lower(): f"alu(Ops.{name})"}, ())


for _op in Ops.group("Elementwise"):
    if not hasattr(Composed, _op.name.lower()):  # what a node has by itself comes before these
        setattr(Composed, _op.name.lower(), _Applied(_op))
