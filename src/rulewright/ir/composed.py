"""Python's arithmetic beside the infix signs of the spec: powers, absolute values, `divmod`."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

from rulewright.ir.expected import refuse, unknown_name, whole
from rulewright.ir.node import Fields
from rulewright.ir.ops import Ops

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp


_APPLIED = {op.name for op in Ops.group("Elementwise")}
_MOST = 63  # a higher power of 2 has more bits than a size


class Composed(Fields):
    """What a node computes by several ops, or by one that has no sign."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Raises UnknownAttributeError, which says how an op is applied that has no method."""
        if name.startswith("__"):  # Python asks for many of these
            raise AttributeError(name)
        if hasattr(type(self), name):  # a property that failed says why
            return object.__getattribute__(self, name)
        op = name.upper()
        known = {name: f"alu(Ops.{op})"} if name.islower() and op in _APPLIED else {}
        raise unknown_name("a UOp", name, known, dir(type(self)))

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
