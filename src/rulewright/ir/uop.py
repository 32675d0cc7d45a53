"""UOp: the one node type of every graph, from tensor program to linear kernel.

A UOp is an operation (`op`), the type of its value (`dtype`), its operands (`src`) and a static
argument (`arg`). Equal nodes are the same object, so graphs are compared with `is`; nodes that
nobody refers to are freed.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from math import prod
from numbers import Integral, Real
from typing import Any, TypeVar

from rulewright.errors import ArgumentError, DTypeError, UsageError, VariableError
from rulewright.ir import derived, expected
from rulewright.ir.composed import Composed
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.expected import Pair, check_dtype, check_nodes, refuse, whole
from rulewright.ir.node import (
    UNSET,
    Fields,
    NodeRef,
    add_node,
    below,
    find_node,
    forget_node,
    live_nodes,
    next_number,
    substituted,
    walk,
    watching,
)  # fmt: skip
from rulewright.ir.ops import Bounds, Op, Ops
from rulewright.ir.shapes import Dim, as_dim, split_dims
from rulewright.lang.build import infix_ops

__all__ = ["UOp", "live_nodes"]

Number = int | float | bool
_Kind = TypeVar("_Kind", int, float, bool)
_Operator = Callable[["UOp", "UOp | Number"], "UOp"]
_new = object.__new__
_COUNTERS = Ops.group("Counter")

number_taken: Callable[[str], None] | None = None
"""Told when a bound variable becomes a Python number; captures, which could not know, set it."""


def _memory_of(op: Op, dtype: Any, size: Any, id: Any, method: str) -> UOp:
    check_dtype(dtype, method)
    if whole(size, method, "the size") < 1:
        raise UsageError(f"{method}: expected a size of 1 or more, found {size}")
    return UOp(op, dtype, (), (whole(id, method, "the id"), size))


class _Above:
    """What layers above do for a node: they fill this in as the package is imported."""

    print_graph: Callable[[UOp], str]
    read_graph: Callable[[str], UOp]
    simplify: Callable[[UOp], UOp]
    render: Callable[[UOp], str]


above = _Above()


def _operators(sign: str) -> tuple[_Operator, _Operator]:
    """The methods of a binary operator: for a node on its left, and for one on its right alone."""
    name, swapped = infix_ops()[sign]
    op = getattr(Ops, name)

    def left(self: UOp, other: UOp | Number) -> UOp:
        return self._with(op, other, swapped)

    def right(self: UOp, other: UOp | Number) -> UOp:
        return self._with(op, other, not swapped)

    return left, right


class UOp(Composed):
    """A node of a graph. Immutable; equal nodes are one object.

    `arg` holds ints, floats, strings, bools, None, ops, and tuples of these.
    """

    __slots__ = ()
    __array_ufunc__ = None  # numpy leaves mixed arithmetic to the node

    def __new__(cls, op: Op, dtype: DType, src: tuple[Any, ...] = (), arg: Any = None) -> UOp:
        """The node with these fields, which there is once.

        Floats and bools are told apart by their text: 0.0 == -0.0 == False, True == 1, nan != nan.
        Raises ArgumentError for what is no op, dtype, tuple of nodes or argument.
        """
        kind = arg.__class__
        key = (op, dtype, src, (kind, repr(arg)) if kind is float or kind is bool else arg)
        try:
            entry = find_node(key)
        except TypeError:
            check_nodes(src, str(op))
            raise ArgumentError(
                f"{op}: an argument holds numbers, text, ops and tuples of these, found {arg!r}"
            ) from None
        if entry is not None:
            known: UOp | None = entry()
            if known is not None:
                return known
        if op.__class__ is not Op or dtype.__class__ is not DType or src.__class__ is not tuple:
            expected.check_fields(op, dtype, src)
        for operand in src:
            if operand.__class__ is not cls:
                check_nodes(src, str(op))
        node: UOp = _new(Fields)  # type: ignore[assignment]  # its class follows below
        node.op = op
        node.dtype = dtype
        node.src = src
        node.arg = arg
        node.serial = next_number()
        node._shape = node._ranges = node._interval = node._base = node._valid = UNSET
        node._below = node._origin = None
        node._trace = 0
        node.__class__ = cls
        link = NodeRef(node, forget_node)
        link.key = key
        while (placed := add_node(key, link)) is not link:
            first: UOp | None = placed()
            if first is not None:  # another thread was first
                return first
            forget_node(placed)
        return node

    __setattr__ = __delattr__ = expected.refuse_change

    def __repr__(self) -> str:
        return f"UOp({self.op.name}, {self.dtype.name}, {len(self.src)} sources, {self.arg!r})"

    def __str__(self) -> str:
        return above.print_graph(self)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        expected.check_portable(self.toposort())
        return above.read_graph, (above.print_graph(self),)

    @property
    def origin(self) -> Any:
        """What `note_origin` said; None until then."""
        return self._origin

    def note_origin(self, origin: Any) -> None:
        """Say where this node came from. Equal nodes are one: who is first should say it."""
        object.__setattr__(self, "_origin", origin)

    def __copy__(self) -> UOp:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> UOp:
        return self

    # ---- walks ----------------------------------------------------------------------------

    def toposort(self, enter: Callable[[UOp], bool] | None = None) -> list[UOp]:
        """All nodes below and with this one, operands first, in a stable order; those for which
        `enter` is false without what is below them."""
        nodes = [*below(self), self] if enter is None else [*walk(self, enter)]
        if (watch := watching.get()) is not None:
            watch.walked(nodes)
        return nodes

    def substitute(self, changes: dict[UOp, UOp], memo: dict[UOp, UOp] | None = None) -> UOp:
        """This graph with nodes replaced; replacements are not searched again.

        An empty `memo` is filled with what became of each node; it may serve again for the same
        changes. Raises ArgumentError for what is no node.
        """
        if not memo:
            expected.check_changes(changes)
        return substituted(self, changes, memo)

    def replace(
        self,
        *,
        op: Any = UNSET,
        dtype: Any = UNSET,
        src: Any = UNSET,
        arg: Any = UNSET,
        **unknown: Any,
    ) -> UOp:
        """A copy with some of `op`, `dtype`, `src`, `arg` changed.

        Raises ArgumentError for what is no op, dtype, tuple of nodes or argument.
        """
        if unknown:
            raise UsageError(f"replace: a UOp has no {min(unknown)!r}; it has op, dtype, src, arg")
        if src == self.src and op is dtype is arg is UNSET:
            return self
        return type(self)(
            self.op if op is UNSET else op,
            self.dtype if dtype is UNSET else dtype,
            self.src if src is UNSET else src,
            self.arg if arg is UNSET else arg,
        )

    # ---- what follows from a node and its operands ----------------------------------------

    @property
    def shape(self) -> derived.Shape | None:
        """Sizes of the value's axes: () for a scalar, None for an effect without value."""
        if self._shape is UNSET:
            derived.derive_shape(self)
        return self._shape

    def over(self, src: tuple[UOp, ...]) -> UOp:
        """This op on other operands, each of the shape of the one in whose place it is."""
        if src == self.src:
            return self
        node, shape = type(self)(self.op, self.dtype, src, self.arg), self._shape
        if node._shape is UNSET and shape is not UNSET and derived.is_known(shape):
            derived.fill(node, "_shape", shape)
        return node

    @property
    def ranges(self) -> tuple[UOp, ...]:
        """The RANGEs that are open at this node, in order of first use."""
        if self._ranges is UNSET:
            derived.derive_ranges(self)
        return self._ranges

    def note_ranges(self, ranges: tuple[UOp, ...]) -> None:
        """Say which RANGEs are open here, where that is known before it is asked for."""
        derived.fill(self, "_ranges", ranges)

    @property
    def interval(self) -> Bounds:
        """Inclusive bounds of the value; those of the dtype if nothing better is known."""
        if self._interval is UNSET:
            derived.derive(self, "_interval", derived.interval_of)
        return self._interval

    @property
    def valid(self) -> bool:
        """Whether this is surely no INVALID index: none is in what it is computed from."""
        if self.dtype.base != "index":
            return True
        if self._valid is UNSET:
            derived.derive(self, "_valid", derived.valid_of)
        return self._valid

    @property
    def vmin(self) -> int | float:
        """The lower bound of the value."""
        return self.interval.lo

    @property
    def vmax(self) -> int | float:
        """The upper bound of the value."""
        return self.interval.hi

    @property
    def size(self) -> Dim:
        """Number of elements; the trip count of a RANGE."""
        if self.op in _COUNTERS:
            return as_dim(self.src[0])
        return as_dim(prod(self.shape or ()))

    @property
    def max_shape(self) -> tuple[int, ...]:
        """The shape with each symbolic size at its upper bound."""
        return tuple([s if isinstance(s, int) else int(s.vmax) for s in self.shape or ()])

    @property
    def device(self) -> str | None:
        """The device that holds the value; None if it needs none (constants, effects)."""
        return derived.device_of(self)

    @property
    def base(self) -> UOp:
        """The node under all movement ops, AFTERs and sub-buffers: what really holds the data."""
        return derived.base_of(self)

    def past(self, ops: Container[Op]) -> UOp:
        """The first node, from this one along first operands, that is none of these ops."""
        node = self
        while node.op in ops:
            node = node.src[0]
        return node

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
        expected.variable_name(name)
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
        return UOp(Ops.BARRIER, dtypes.void, effects)

    def alu(self, op: Op, *others: UOp) -> UOp:
        """An elementwise op on this and other operands of one dtype.

        Raises DTypeError where dtypes differ, ArgumentError for what is no op or no node.
        """
        values = (self, *others)
        typed = values[1:] if op is Ops.WHERE else values
        try:
            result, kind = op.result, (typed or values)[0].dtype
            other = [v for v in typed if v.dtype is not kind]
        except (AttributeError, KeyError):
            check_nodes(others, str(op))
            refuse("alu", "an op such as Ops.ADD of rulewright.ir.ops", op)
        if len(values) != op.fixed and not op.variadic:
            raise ArgumentError(f"{op} takes {op.fixed} operands, found {len(values)}")
        if other:
            kinds = ", ".join([v.dtype.name for v in typed])
            raise DTypeError(f"{op}: dtypes differ: {kinds}; cast first")
        return UOp(op, dtypes.bool.vec(kind.count) if result == "bool" else kind, values)

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
        if not isinstance(op, Op):
            refuse("reduce", "an op such as Ops.ADD of rulewright.ir.ops", op)
        return UOp(Ops.REDUCE, self.dtype, (self, *ranges), op) if ranges else self

    def contiguous(self, choices: str | None = None) -> UOp:
        """This value in row-major memory of its own, by a kernel with these axis choices."""
        if choices is not None and not isinstance(choices, str):
            refuse("contiguous", "axis choices as text", choices)
        return UOp(Ops.CONTIGUOUS, self.dtype, (self,), choices)

    def detach(self) -> UOp:
        """This value, through which no gradient flows."""
        return self if self.op is Ops.DETACH else UOp(Ops.DETACH, self.dtype, (self,))

    # ---- movement: the same elements (or zeros) at other places -----------------------------
    # Whether an argument fits the node's shape is looked at before a function is scheduled; all
    # raise ArgumentError for one of another kind.

    def _moved(self, op: Op, arg: Any, sizes: tuple[Any, ...] = ()) -> UOp:
        return type(self)(op, self.dtype, (self, *sizes), arg)

    def reshape(self, shape: tuple[Dim, ...]) -> UOp:
        """The same elements in row-major order with another shape."""
        shape = expected.sizes_of(shape, "reshape")
        arg, sizes = split_dims(shape)
        return self if shape == self.shape else self._moved(Ops.RESHAPE, arg, sizes)

    def expand(self, shape: tuple[Dim, ...]) -> UOp:
        """Axes of size 1 repeated to `shape`."""
        shape = expected.sizes_of(shape, "expand")
        arg, sizes = split_dims(shape)
        return self if shape == self.shape else self._moved(Ops.EXPAND, arg, sizes)

    def permute(self, order: tuple[int, ...]) -> UOp:
        """Axis i of the result is axis `order[i]` of this."""
        for axis in order if order.__class__ is tuple else (None,):
            if axis.__class__ is not int:
                axes = expected.several(order, "permute", "a tuple of axes")
                order = tuple([whole(axis, "permute", "an axis") for axis in axes])
                break
        same = order == tuple(range(len(order)))
        return self if same else self._moved(Ops.PERMUTE, order)

    def flip(self, flags: tuple[bool, ...]) -> UOp:
        """Axes whose flag is true reversed."""
        flags = expected.several(flags, "flip", "a tuple of True and False")
        for flag in flags:
            if flag.__class__ is not bool:
                refuse("flip", "True or False for each axis", flag)
        return self._moved(Ops.FLIP, flags) if any(flags) else self

    def pad(self, pads: tuple[Pair, ...]) -> UOp:
        """Zeros before and after each axis."""
        pads = expected.pairs_of(pads, "pad")
        return self if all(p == (0, 0) for p in pads) else self._paired(Ops.PAD, pads)

    def shrink(self, bounds: tuple[Pair, ...]) -> UOp:
        """The part begin <= i < end of each axis."""
        bounds = expected.pairs_of(bounds, "shrink")
        whole_axes = tuple((0, s) for s in self.shape or ())
        return self if bounds == whole_axes else self._paired(Ops.SHRINK, bounds)

    def _paired(self, op: Op, pairs: tuple[Pair, ...]) -> UOp:
        arg, sizes = split_dims([d for pair in pairs for d in pair])
        return self._moved(op, tuple(zip(arg[::2], arg[1::2], strict=True)), sizes)

    # ---- evaluation of constant trees -----------------------------------------------------

    def simplify(self) -> UOp:
        """This graph rewritten by the rule set `symbolic` until nothing matches."""
        return above.simplify(self)

    def render(self) -> str:
        """A symbolic expression as text, such as `(n + 1) * 4`."""
        return above.render(self)

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
        if not (self.dtype.is_float or isinstance(value, Integral)):
            expected.refuse_fraction(value, self.dtype)
        return UOp.const(self.dtype, value)

    def _with(self, op: Op, other: Any, swapped: bool = False) -> UOp:
        """This beside the other operand of an operator, which may know what to do with this."""
        if not isinstance(other, UOp):
            if other.__class__ is not int and not isinstance(other, Real):
                return NotImplemented  # type: ignore[no-any-return]  # to Python
            other = self._constant(other)
        if op is Ops.FDIV and not self.dtype.is_float:
            expected.refuse_fraction("/ (whole numbers have //)", self.dtype)
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

    __add__, __radd__ = _operators("+")
    __sub__, __rsub__ = _operators("-")
    __mul__, __rmul__ = _operators("*")
    __truediv__, __rtruediv__ = _operators("/")
    __floordiv__, __rfloordiv__ = _operators("//")
    __mod__, __rmod__ = _operators("%")
    __and__, __rand__ = _operators("&")
    __or__, __ror__ = _operators("|")
    __xor__, __rxor__ = _operators("^")
    __lshift__, __rlshift__ = _operators("<<")
    __rshift__, __rrshift__ = _operators(">>")
    __lt__, __gt__ = _operators("<")
    __le__, __ge__ = _operators("<=")
