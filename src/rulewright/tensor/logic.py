"""Logic, bits, choice and conversion, element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.arithmetic import SCALARS, Arithmetic
from rulewright.tensor.kinds import as_dtype, weak
from rulewright.tensor.nodes import node_cast, nodes_broadcast

if TYPE_CHECKING:
    from typing_extensions import Self


class Logic(Arithmetic):
    """Logic, bits, choice between values, other dtypes."""

    __slots__ = ()

    # ---- dtypes ---------------------------------------------------------------------------

    def cast(self, dtype: Any) -> Self:
        """Elements converted to another dtype.

        Floats become integers by rounding toward zero; integers wrap; anything not zero is true.
        """
        kind = as_dtype(dtype)
        return self if kind is self.dtype else self._new(node_cast(self.uop, kind))

    def bitcast(self, dtype: Any) -> Self:
        """The same bits read as another dtype of the same width. Raises DTypeError otherwise."""
        kind = as_dtype(dtype)
        if kind.itemsize != self.dtype.itemsize:
            raise DTypeError(
                f"bitcast: {self.dtype.name} has {self.dtype.itemsize} bytes, "
                f"{kind.name} has {kind.itemsize}; they must be equal"
            )
        return self._new(self.uop.bitcast(kind)) if kind is not self.dtype else self

    def _bitwise(self, op: Op, other: Any, swapped: bool = False) -> Self:
        method = op.name.lower()
        a, b, device = self._pair(other, method)
        shifts = op in (Ops.SHL, Ops.SHR)
        if a.dtype.is_float or (shifts and a.dtype.is_bool):
            wanted = "integers" if shifts else "bool or integers"
            raise DTypeError(f"{method}: expected {wanted}, found {a.dtype.name}; cast first")
        return self._make(b.alu(op, a) if swapped else a.alu(op, b), device)

    # ---- logic and bits -------------------------------------------------------------------

    def bitwise_not(self) -> Self:
        """Every bit the other way; logical not for bools. Raises DTypeError for floats."""
        if self.dtype.is_float:
            raise DTypeError(f"bitwise_not: expected bool or integers, found {self.dtype.name}")
        return self._new(self.uop.alu(Ops.NOT))

    def logical_not(self) -> Self:
        """Where elements are zero, as bools."""
        return self.cast(dtypes.bool).bitwise_not()

    def logical_and(self, other: Any) -> Self:
        """Where both elements are not zero, as bools."""
        return self.cast(dtypes.bool)._binary(Ops.AND, self._truth(other), "logical_and")

    def logical_or(self, other: Any) -> Self:
        """Where either element is not zero, as bools."""
        return self.cast(dtypes.bool)._binary(Ops.OR, self._truth(other), "logical_or")

    def _truth(self, other: Any) -> Any:
        return bool(other) if other.__class__ in SCALARS else self._wrap(other).cast(dtypes.bool)

    def _wrap(self, other: Any) -> Logic:
        """An operand as a tensor of this class."""
        found = self._operand(other, "operand")
        assert isinstance(found, Logic)
        return found

    def bitwise_and(self, other: Any) -> Self:
        """`&` bit by bit. Raises DTypeError for floats."""
        return self._bitwise(Ops.AND, other)

    def bitwise_or(self, other: Any) -> Self:
        """`|` bit by bit. Raises DTypeError for floats."""
        return self._bitwise(Ops.OR, other)

    def bitwise_xor(self, other: Any) -> Self:
        """`^` bit by bit. Raises DTypeError for floats."""
        return self._bitwise(Ops.XOR, other)

    def lshift(self, other: Any) -> Self:
        """Bits shifted up; a count of the width or more gives 0. Integers only."""
        return self._bitwise(Ops.SHL, other)

    def rshift(self, other: Any) -> Self:
        """Bits shifted down, keeping the sign. Integers only."""
        return self._bitwise(Ops.SHR, other)

    # ---- choice ---------------------------------------------------------------------------

    def where(self, yes: Any, no: Any) -> Self:
        """`yes` where this holds, else `no`. Raises DTypeError if this is not bool."""
        if not self.dtype.is_bool:
            raise DTypeError(
                f"where: expected a bool condition, found {self.dtype.name}; compare first, "
                "such as (x != 0).where(a, b)"
            )
        a, b, device = self._branches(weak(yes), weak(no))
        condition, a, b = nodes_broadcast([self.uop, a, b], "where")
        return self._make(condition.where(a, b), device)

    def _branches(self, yes: Any, no: Any) -> tuple[UOp, UOp, str | None]:
        """The two values of a `where`, in one dtype."""
        if yes.__class__ in SCALARS and no.__class__ in SCALARS:
            widest = max(yes, no, key=lambda v: SCALARS.index(v.__class__))
            kind = as_dtype(widest.__class__)
            return UOp.const(kind, yes), UOp.const(kind, no), self._device
        first, second = (no, yes) if yes.__class__ in SCALARS else (yes, no)
        tensor = self._wrap(first)
        a, b, device = tensor._pair(second, "where")
        if first is no:
            a, b = b, a
        return a, b, self._joint_device(self._make(a, device), "where")
