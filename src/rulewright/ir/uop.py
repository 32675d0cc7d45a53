"""UOp: the one node type of every graph, from tensor program to linear kernel.

A UOp is an operation (`op`), the type of its value (`dtype`), its operands (`src`) and a static
argument (`arg`). Equal nodes are the same object, so graphs are compared with `is`; nodes that
nobody refers to are freed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rulewright.errors import DTypeError, UsageError, VariableError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.moved import MovementNode
from rulewright.ir.node import live_nodes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim

__all__ = ["UOp", "live_nodes"]

Number = int | float | bool
_Kind = TypeVar("_Kind", int, float, bool)


number_taken: Callable[[str], None] | None = None
"""Told when a bound variable becomes a Python number; captures, which could not know, set it."""


class UOp(MovementNode):
    """A node of a graph. Immutable; equal nodes are one object.

    `arg` holds ints, floats, strings, bools, None, ops, and tuples of these.
    """

    __slots__ = ()

    def __str__(self) -> str:
        from rulewright.ir.text import print_graph

        return print_graph(self)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        from rulewright.ir.text import print_graph, read_graph

        return read_graph, (print_graph(self),)

    # ---- making nodes ---------------------------------------------------------------------

    @staticmethod
    def const(dtype: DType, value: Number) -> UOp:
        """A constant, wrapped or rounded to `dtype`; with lanes, the same in every lane."""
        return UOp(Ops.CONST, dtype, (), dtype.const(value))

    @staticmethod
    def index_const(value: Dim) -> UOp:
        """A size or index as a node."""
        return UOp(Ops.CONST, dtypes.index, (), value) if isinstance(value, int) else value

    @staticmethod
    def range(size: Dim, id: int, kind: str = "loop") -> UOp:
        """A loop variable 0 … size-1."""
        return UOp(Ops.RANGE, dtypes.index, (UOp.index_const(size),), (id, kind))

    @staticmethod
    def variable(name: str, low: int, high: int) -> UOp:
        """A symbolic integer between `low` and `high`, both included."""
        if low > high:
            raise VariableError(f"variable {name}: lower bound {low} is above upper bound {high}")
        return UOp(Ops.VAR, dtypes.index, (), (name, low, high))

    def bind(self, value: int) -> UOp:
        """This variable with its value for one call. Raises VariableError outside its bounds."""
        if self.op is not Ops.VAR:
            raise UsageError(f"bind: expected a variable, found {self.op}")
        name, low, high = self.arg
        if not low <= value <= high:
            raise VariableError(f"bind: {name} = {value} is outside {low} … {high}")
        return UOp(Ops.BIND, dtypes.index, (self, UOp.index_const(value)))

    def sink(*effects: UOp, info: Any = None) -> UOp:
        """The root of a graph of effects, such as those of a kernel: `a.sink(b, info=...)`."""
        return UOp(Ops.SINK, dtypes.void, effects, info)

    @staticmethod
    def local(dtype: DType, size: int, id: int) -> UOp:
        """Memory that the work items of a workgroup share; `id` tells it from others."""
        return UOp(Ops.DEFINE_LOCAL, dtype, (), (id, size))

    @staticmethod
    def register(dtype: DType, size: int, id: int) -> UOp:
        """Memory of one work item; `id` tells it from others."""
        return UOp(Ops.DEFINE_REG, dtype, (), (id, size))

    @staticmethod
    def barrier(*effects: UOp) -> UOp:
        """All work items of a workgroup wait here for each other, once the effects happened."""
        return UOp(Ops.BARRIER, dtypes.void, effects)

    def alu(self, op: Op, *others: UOp) -> UOp:
        """An elementwise op on this and other operands of one dtype.

        Raises DTypeError where dtypes differ.
        """
        values = (self, *others)
        typed = values[1:] if op is Ops.WHERE else values
        kinds = [v.dtype for v in typed]
        if any(k is not kinds[0] for k in kinds):
            raise DTypeError(f"{op}: dtypes differ: {', '.join(k.name for k in kinds)}; cast first")
        kind = dtypes.bool.vec(kinds[0].count) if op.row["result"] == "bool" else kinds[0]
        return UOp(op, kind, values)

    def cast(self, dtype: DType) -> UOp:
        """This value converted to `dtype`; itself if it has that type."""
        return self if dtype is self.dtype else UOp(Ops.CAST, dtype, (self,))

    def bitcast(self, dtype: DType) -> UOp:
        """These bits read as `dtype`, of the same width. Raises DTypeError if widths differ."""
        if dtype.bits * dtype.count != self.dtype.bits * self.dtype.count:
            raise DTypeError(f"bitcast: {self.dtype.name} and {dtype.name} differ in width")
        return self if dtype is self.dtype else UOp(Ops.BITCAST, dtype, (self,))

    def where(self, yes: UOp, no: UOp) -> UOp:
        """`yes` where this condition holds, else `no`."""
        return self.alu(Ops.WHERE, yes, no)

    def index(self, *indices: UOp) -> UOp:
        """The element (or sub-array) at the given indices."""
        return UOp(Ops.INDEX, self.dtype, (self, *indices))

    def load(self, *rest: UOp) -> UOp:
        """Read the element that this INDEX names."""
        return UOp(Ops.LOAD, self.dtype, (self, *rest))

    def store(self, value: UOp, *gate: UOp) -> UOp:
        """Write `value` into the element or view that this names."""
        return UOp(Ops.STORE, dtypes.void, (self, value, *gate))

    def assign(self, value: UOp) -> UOp:
        """This memory after `value` was written into it."""
        return self.after(self.store(value))

    def end(self, *ranges: UOp) -> UOp:
        """Close loops around this effect."""
        return UOp(Ops.END, dtypes.void, (self, *ranges)) if ranges else self

    def after(self, *effects: UOp) -> UOp:
        """This value once all effects have happened."""
        return UOp(Ops.AFTER, self.dtype, (self, *effects)) if effects else self

    def reduce(self, op: Op, *ranges: UOp) -> UOp:
        """This value combined over ranges."""
        return UOp(Ops.REDUCE, self.dtype, (self, *ranges), op) if ranges else self

    def contiguous(self) -> UOp:
        """This value in row-major memory of its own."""
        return UOp(Ops.CONTIGUOUS, self.dtype, (self,))

    def detach(self) -> UOp:
        """This value, through which no gradient flows."""
        return UOp(Ops.DETACH, self.dtype, (self,))

    # ---- evaluation of constant trees -----------------------------------------------------

    def simplify(self) -> UOp:
        """This graph rewritten by the rule set `symbolic` until nothing matches."""
        from rulewright.ir.rewrite import rewrite

        return rewrite(self, "symbolic")

    def render(self) -> str:
        """A symbolic expression as text, such as `(n + 1) * 4`."""
        from rulewright.ir.expression import render

        return render(self)

    def _number(self, kind: type[_Kind]) -> _Kind:
        bound = {b: b.src[1] for b in self.toposort() if b.op is Ops.BIND}
        if bound and number_taken is not None:
            number_taken(f"the value of a bound variable is taken by {kind.__name__}()")
        simple = self.substitute(bound).simplify()
        if simple.op is not Ops.CONST:
            raise VariableError(
                f"{kind.__name__}(): expected a constant, found the symbolic {simple.render()}; "
                "bind its variables first"
            )
        return kind(simple.arg)

    def __int__(self) -> int:
        return self._number(int)

    def __float__(self) -> float:
        return self._number(float)

    def __bool__(self) -> bool:
        return self._number(bool)

    # ---- operators ------------------------------------------------------------------------

    def _like(self, other: UOp | Number) -> UOp:
        if isinstance(other, UOp):
            return other
        if isinstance(other, float) and not self.dtype.is_float:
            raise DTypeError(f"{other} with a value of {self.dtype.name}; cast the value first")
        return UOp.const(self.dtype, other)

    def eq(self, other: UOp | Number) -> UOp:
        """Equality of values as a node (`==` compares identity)."""
        return self.alu(Ops.CMPEQ, self._like(other))

    def ne(self, other: UOp | Number) -> UOp:
        """Inequality of values as a node."""
        return self.alu(Ops.CMPNE, self._like(other))

    def maximum(self, other: UOp | Number) -> UOp:
        """The larger value."""
        return self.alu(Ops.MAX, self._like(other))

    def minimum(self, other: UOp | Number) -> UOp:
        """The smaller value."""
        return self.alu(Ops.MIN, self._like(other))

    def __neg__(self) -> UOp:
        return self.alu(Ops.NEG)

    def __invert__(self) -> UOp:
        return self.alu(Ops.NOT)

    def __add__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.ADD, self._like(other))

    def __radd__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.ADD, self)

    def __sub__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.SUB, self._like(other))

    def __rsub__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.SUB, self)

    def __mul__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.MUL, self._like(other))

    def __rmul__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.MUL, self)

    def __truediv__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.FDIV, self._like(other))

    def __rtruediv__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.FDIV, self)

    def __floordiv__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.FLOORDIV, self._like(other))

    def __rfloordiv__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.FLOORDIV, self)

    def __mod__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.FLOORMOD, self._like(other))

    def __rmod__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.FLOORMOD, self)

    def __and__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.AND, self._like(other))

    def __rand__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.AND, self)

    def __or__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.OR, self._like(other))

    def __ror__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.OR, self)

    def __xor__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.XOR, self._like(other))

    def __rxor__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.XOR, self)

    def __lshift__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.SHL, self._like(other))

    def __rlshift__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.SHL, self)

    def __rshift__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.SHR, self._like(other))

    def __rrshift__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.SHR, self)

    def __lt__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.CMPLT, self._like(other))

    def __le__(self, other: UOp | Number) -> UOp:
        return self.alu(Ops.CMPLE, self._like(other))

    def __gt__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.CMPLT, self)

    def __ge__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.CMPLE, self)
