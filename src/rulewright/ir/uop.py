"""UOp: the one node type of every graph, from tensor program to linear kernel.

A UOp is an operation (`op`), the type of its value (`dtype`), its operands (`src`) and a static
argument (`arg`). Equal nodes are the same object, so graphs are compared with `is`; nodes that
nobody refers to are freed.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, TypeVar

from rulewright.errors import DTypeError, UsageError, VariableError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.given import check_dtype, refuse, whole
from rulewright.ir.moved import MovementNode
from rulewright.ir.node import live_nodes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim

__all__ = ["UOp", "live_nodes"]

Number = int | float | bool
_Kind = TypeVar("_Kind", int, float, bool)


number_taken: Callable[[str], None] | None = None
"""Told when a bound variable becomes a Python number; captures, which could not know, set it."""


def _memory_of(op: Op, dtype: Any, size: Any, id: Any, method: str) -> UOp:
    check_dtype(dtype, method)
    if whole(size, method, "the size") < 1:
        raise UsageError(f"{method}: expected a size of 1 or more, found {size}")
    return UOp(op, dtype, (), (whole(id, method, "the id"), size))


def _check_nodes(nodes: tuple[Any, ...], method: str) -> None:
    """Raise ArgumentError for an operand that is no node."""
    for node in nodes:
        if node.__class__ is not UOp:
            refuse(method, "UOps, such as UOp.index_const(1) or UOp.const(dtypes.f32, 1)", node)


class UOp(MovementNode):
    """A node of a graph. Immutable; equal nodes are one object.

    `arg` holds ints, floats, strings, bools, None, ops, and tuples of these.
    """

    __slots__ = ()
    __array_ufunc__ = None  # numpy leaves mixed arithmetic to the node

    def __str__(self) -> str:
        from rulewright.ir.text import print_graph

        return print_graph(self)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        from rulewright.ir.text import print_graph, read_graph

        return read_graph, (print_graph(self),)

    # ---- making nodes ---------------------------------------------------------------------

    @staticmethod
    def const(dtype: DType, value: Number) -> UOp:
        """A constant, wrapped or rounded to `dtype`; with lanes, the same in every lane.

        Raises ArgumentError for what is no number, or no dtype.
        """
        try:
            return UOp(Ops.CONST, dtype, (), dtype.const(value))
        except (AttributeError, TypeError, ValueError, OverflowError):
            check_dtype(dtype, "const")
            refuse("const", f"a number as {dtype.name}", value)

    @staticmethod
    def index_const(value: Dim) -> UOp:
        """A size or index as a node. Raises ArgumentError for what is no whole number or node."""
        if value.__class__ is int:
            return UOp(Ops.CONST, dtypes.index, (), value)
        if isinstance(value, UOp):
            return value
        return UOp(Ops.CONST, dtypes.index, (), whole(value, "index_const", "a size or index"))

    @staticmethod
    def range(size: Dim, id: int, kind: str = "loop") -> UOp:
        """A loop variable 0 … size-1.

        Raises ArgumentError for a size or id that is no whole number, UsageError for a negative
        size.
        """
        if not isinstance(size, UOp):
            size = whole(size, "range", "the size")
            if size < 0:
                raise UsageError(f"range: expected a size of 0 or more, found {size}")
        if not isinstance(kind, str):
            refuse("range", 'a kind such as "loop"', kind)
        arg = (whole(id, "range", "the id"), kind)
        return UOp(Ops.RANGE, dtypes.index, (UOp.index_const(size),), arg)

    @staticmethod
    def variable(name: str, low: int, high: int) -> UOp:
        """A symbolic integer between `low` and `high`, both included.

        Raises VariableError where there is none, or for a name that is no identifier, ArgumentError
        for a name that is no text and bounds that are no whole numbers.
        """
        if not isinstance(name, str):
            refuse("Variable", "a name", name)
        if not name.isidentifier():
            found = repr(name) if name else "an empty one"
            raise VariableError(
                f"Variable: expected a name of letters, digits and _, such as 'n', found {found}"
            )
        low = whole(low, f"variable {name}", "the lower bound")
        high = whole(high, f"variable {name}", "the upper bound")
        if low < -1 << 63 or high >= 1 << 63:
            raise VariableError(f"variable {name}: 64 bits do not hold {low} to {high}")
        if low > high:
            raise VariableError(f"variable {name}: lower bound {low} is above upper bound {high}")
        return UOp(Ops.VAR, dtypes.index, (), (name, low, high))

    def bind(self, value: int) -> UOp:
        """This variable with its value for one call.

        Raises VariableError outside its bounds, ArgumentError for what is no whole number.
        """
        if self.op is not Ops.VAR:
            raise UsageError(f"bind: expected a variable, found {self.op}")
        name, low, high = self.arg
        value = whole(value, f"bind {name}", "the value")
        if not low <= value <= high:
            raise VariableError(f"bind: {name} = {value} is outside {low} … {high}")
        return UOp(Ops.BIND, dtypes.index, (self, UOp.index_const(value)))

    def sink(*effects: UOp, info: Any = None) -> UOp:
        """The root of a graph of effects, such as those of a kernel: `a.sink(b, info=...)`."""
        _check_nodes(effects, "sink")
        return UOp(Ops.SINK, dtypes.void, effects, info)

    @staticmethod
    def local(dtype: DType, size: int, id: int) -> UOp:
        """Memory that the work items of a workgroup share; `id` tells it from others."""
        return _memory_of(Ops.DEFINE_LOCAL, dtype, size, id, "local")

    @staticmethod
    def register(dtype: DType, size: int, id: int) -> UOp:
        """Memory of one work item; `id` tells it from others."""
        return _memory_of(Ops.DEFINE_REG, dtype, size, id, "register")

    @staticmethod
    def barrier(*effects: UOp) -> UOp:
        """All work items of a workgroup wait here for each other, once the effects happened."""
        _check_nodes(effects, "barrier")
        return UOp(Ops.BARRIER, dtypes.void, effects)

    def alu(self, op: Op, *others: UOp) -> UOp:
        """An elementwise op on this and other operands of one dtype.

        Raises DTypeError where dtypes differ, ArgumentError for what is no op or no node.
        """
        values = (self, *others)
        typed = values[1:] if op is Ops.WHERE else values
        try:
            kinds = [v.dtype for v in typed]
            result = op.row["result"]
        except (AttributeError, KeyError):
            _check_nodes(others, str(op))
            refuse("alu", "an op such as Ops.ADD", op)
        if any(k is not kinds[0] for k in kinds):
            raise DTypeError(f"{op}: dtypes differ: {', '.join(k.name for k in kinds)}; cast first")
        kind = dtypes.bool.vec(kinds[0].count) if result == "bool" else kinds[0]
        return UOp(op, kind, values)

    def cast(self, dtype: DType) -> UOp:
        """This value converted to `dtype`; itself if it has that type."""
        if dtype is self.dtype:
            return self
        check_dtype(dtype, "cast")
        return UOp(Ops.CAST, dtype, (self,))

    def bitcast(self, dtype: DType) -> UOp:
        """These bits read as `dtype`, of the same width. Raises DTypeError if widths differ."""
        check_dtype(dtype, "bitcast")
        if dtype.bits * dtype.count != self.dtype.bits * self.dtype.count:
            raise DTypeError(f"bitcast: {self.dtype.name} and {dtype.name} differ in width")
        return self if dtype is self.dtype else UOp(Ops.BITCAST, dtype, (self,))

    def where(self, yes: UOp, no: UOp) -> UOp:
        """`yes` where this condition holds, else `no`."""
        return self.alu(Ops.WHERE, yes, no)

    def index(self, *indices: UOp) -> UOp:
        """The element (or sub-array) at the given indices."""
        _check_nodes(indices, "index")
        return UOp(Ops.INDEX, self.dtype, (self, *indices))

    def load(self, *rest: UOp) -> UOp:
        """Read the element that this INDEX names."""
        _check_nodes(rest, "load")
        return UOp(Ops.LOAD, self.dtype, (self, *rest))

    def store(self, value: UOp, *gate: UOp) -> UOp:
        """Write `value` into the element or view that this names."""
        _check_nodes((value, *gate), "store")
        return UOp(Ops.STORE, dtypes.void, (self, value, *gate))

    def assign(self, value: UOp) -> UOp:
        """This memory after `value` was written into it."""
        return self.after(self.store(value))

    def end(self, *ranges: UOp) -> UOp:
        """Close loops around this effect."""
        _check_nodes(ranges, "end")
        return UOp(Ops.END, dtypes.void, (self, *ranges)) if ranges else self

    def after(self, *effects: UOp) -> UOp:
        """This value once all effects have happened."""
        _check_nodes(effects, "after")
        return UOp(Ops.AFTER, self.dtype, (self, *effects)) if effects else self

    def reduce(self, op: Op, *ranges: UOp) -> UOp:
        """This value combined over ranges."""
        if not isinstance(op, Op):
            refuse("reduce", "an op such as Ops.ADD", op)
        _check_nodes(ranges, "reduce")
        return UOp(Ops.REDUCE, self.dtype, (self, *ranges), op) if ranges else self

    def contiguous(self, choices: str | None = None) -> UOp:
        """This value in row-major memory of its own, by a kernel with these axis choices."""
        return UOp(Ops.CONTIGUOUS, self.dtype, (self,), choices)

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

    def _like(self, other: Any, method: str) -> UOp:
        """A node of this dtype. Raises ArgumentError for what is no node and no number."""
        if isinstance(other, UOp):
            return other
        if not isinstance(other, Real):
            refuse(method, "a UOp or a number", other)
        return self._constant(other)

    def _constant(self, value: Any) -> UOp:
        if isinstance(value, float) and not self.dtype.is_float:
            raise DTypeError(f"{value} with a value of {self.dtype.name}; cast the value first")
        return UOp.const(self.dtype, value)

    def _with(self, op: Op, other: Any, swapped: bool = False) -> UOp:
        """This beside the other operand of an operator, which may know what to do with this."""
        if not isinstance(other, UOp):
            if other.__class__ is not int and not isinstance(other, Real):
                return NotImplemented  # type: ignore[no-any-return]  # to Python
            other = self._constant(other)
        return UOp.alu(other, op, self) if swapped else self.alu(op, other)

    def eq(self, other: UOp | Number) -> UOp:
        """Equality of values as a node (`==` compares identity)."""
        return self.alu(Ops.CMPEQ, self._like(other, "eq"))

    def ne(self, other: UOp | Number) -> UOp:
        """Inequality of values as a node."""
        return self.alu(Ops.CMPNE, self._like(other, "ne"))

    def maximum(self, other: UOp | Number) -> UOp:
        """The larger value."""
        return self.alu(Ops.MAX, self._like(other, "maximum"))

    def minimum(self, other: UOp | Number) -> UOp:
        """The smaller value."""
        return self.alu(Ops.MIN, self._like(other, "minimum"))

    def __neg__(self) -> UOp:
        return self.alu(Ops.NEG)

    def __invert__(self) -> UOp:
        return self.alu(Ops.NOT)

    def __add__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.ADD, other)

    def __radd__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.ADD, other, swapped=True)

    def __sub__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.SUB, other)

    def __rsub__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.SUB, other, swapped=True)

    def __mul__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.MUL, other)

    def __rmul__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.MUL, other, swapped=True)

    def __truediv__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.FDIV, other)

    def __rtruediv__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.FDIV, other, swapped=True)

    def __floordiv__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.FLOORDIV, other)

    def __rfloordiv__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.FLOORDIV, other, swapped=True)

    def __mod__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.FLOORMOD, other)

    def __rmod__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.FLOORMOD, other, swapped=True)

    def __and__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.AND, other)

    def __rand__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.AND, other, swapped=True)

    def __or__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.OR, other)

    def __ror__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.OR, other, swapped=True)

    def __xor__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.XOR, other)

    def __rxor__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.XOR, other, swapped=True)

    def __lshift__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.SHL, other)

    def __rlshift__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.SHL, other, swapped=True)

    def __rshift__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.SHR, other)

    def __rrshift__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.SHR, other, swapped=True)

    def __lt__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.CMPLT, other)

    def __le__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.CMPLE, other)

    def __gt__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.CMPLT, other, swapped=True)

    def __ge__(self, other: UOp | Number) -> UOp:
        return self._with(Ops.CMPLE, other, swapped=True)
