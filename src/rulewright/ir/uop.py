"""UOp: the one node type of every graph, from tensor program to linear kernel.

A UOp is an operation (`op`), the type of its value (`dtype`), its operands (`src`) and a static
argument (`arg`). Equal nodes are the same object, so graphs are compared with `is`; nodes that
nobody refers to are freed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import ref

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Bounds, Op, Ops
from rulewright.ir.shapes import Dim, as_dim, split_dims

if TYPE_CHECKING:
    Shape = tuple[Dim, ...]

Number = int | float | bool


class _NodeRef(ref):  # type: ignore[type-arg]  # a subscripted ref cannot be subclassed on 3.10
    """A weak reference to a node that knows the node's key in the table of all nodes."""

    __slots__ = ("key",)


_nodes: dict[tuple[Any, ...], _NodeRef] = {}


def _forget(dead: _NodeRef) -> None:
    if _nodes.get(dead.key) is dead:
        del _nodes[dead.key]


def live_nodes() -> int:
    """How many nodes there are."""
    return len(_nodes)


_find = _nodes.get
_new = object.__new__
_UNSET: Any = type("Unset", (), {"__repr__": lambda self: "unset"})()


class UOp:
    """A node of a graph. Immutable; equal nodes are one object.

    `arg` holds ints, floats, strings, bools, None, ops, and tuples of these.
    """

    __slots__ = (
        "__weakref__", "_interval", "_ranges", "_shape", "arg", "dtype", "op", "src",
    )  # fmt: skip
    op: Op
    dtype: DType
    src: tuple[UOp, ...]
    arg: Any

    def __new__(cls, op: Op, dtype: DType, src: tuple[UOp, ...] = (), arg: Any = None) -> UOp:
        # 0.0 == -0.0 == False and nan != nan, so floats are told apart by their text
        key = (op, dtype, src, repr(arg) if arg.__class__ is float else arg)
        found = _find(key)
        if found is not None:
            node: UOp | None = found()
            if node is not None:
                return node
        node = _new(cls)
        node.op = op
        node.dtype = dtype
        node.src = src
        node.arg = arg
        node._shape = node._ranges = node._interval = _UNSET
        link = _NodeRef(node, _forget)
        link.key = key
        if found is None:
            link = _nodes.setdefault(key, link)  # another thread may have been first
            other: UOp | None = link()
            if other is not None:
                return other
        _nodes[key] = link
        return node

    def __repr__(self) -> str:
        return f"UOp({self.op.name}, {self.dtype.name}, {len(self.src)} sources, {self.arg!r})"

    def __str__(self) -> str:
        from rulewright.ir.text import print_graph

        return print_graph(self)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        from rulewright.ir.text import print_graph, read_graph

        return read_graph, (print_graph(self),)

    def __copy__(self) -> UOp:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> UOp:
        return self

    # ---- derived properties ---------------------------------------------------------------

    @property
    def shape(self) -> Shape | None:
        """Sizes of the value's axes: () for a scalar, None for an effect without value."""
        if self._shape is _UNSET:
            self._derive("_shape", _shape_of)
        return self._shape  # type: ignore[no-any-return]

    @property
    def ranges(self) -> tuple[UOp, ...]:
        """The RANGEs that are open at this node, in order of first use."""
        if self._ranges is _UNSET:
            self._derive("_ranges", _ranges_of)
        return self._ranges  # type: ignore[no-any-return]

    @property
    def interval(self) -> Bounds:
        """Inclusive bounds of the value; those of the dtype if nothing better is known."""
        if self._interval is _UNSET:
            self._derive("_interval", _interval_of)
        return self._interval  # type: ignore[no-any-return]

    def _derive(self, slot: str, rule: Callable[[UOp], Any]) -> None:
        """Fill a cached property, operands first and without recursion."""
        stack = [self]
        while stack:
            node = stack[-1]
            missing = [s for s in node.src if getattr(s, slot) is _UNSET]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if getattr(node, slot) is _UNSET:
                setattr(node, slot, rule(node))

    @property
    def vmin(self) -> int | float:
        """The lower bound of the value."""
        return self.interval.lo  # type: ignore[no-any-return]

    @property
    def vmax(self) -> int | float:
        """The upper bound of the value."""
        return self.interval.hi  # type: ignore[no-any-return]

    @property
    def size(self) -> Dim:
        """Number of elements; the trip count of a RANGE."""
        if self.op is Ops.RANGE or self.op is Ops.SPECIAL:
            return as_dim(self.src[0])
        product: Any = 1
        for dim in self.shape or ():
            product = product * dim
        return as_dim(product)

    @property
    def max_shape(self) -> tuple[int, ...]:
        """The shape with each symbolic size at its upper bound."""
        return tuple(s if isinstance(s, int) else int(s.vmax) for s in self.shape or ())

    @property
    def device(self) -> str | None:
        """The device that holds the value; None if it needs none (constants, effects)."""
        for node in self.toposort(lambda n: n.op not in _PLACED)[::-1]:
            if node.op in _PLACED and _device_of(node) is not None:
                return _device_of(node)
        return None

    @property
    def base(self) -> UOp:
        """The node under all movement ops, AFTERs and sub-buffers: what really holds the data."""
        node = self
        while node.op in _VIEWS:
            node = node.src[0]
        return node

    # ---- graph walks ----------------------------------------------------------------------

    def toposort(self, enter: Callable[[UOp], bool] | None = None) -> list[UOp]:
        """All nodes below and with this one, operands first, in a stable order.

        Nodes for which `enter` is false are listed, but what is below them is not.
        """
        done: dict[UOp, None] = {}
        stack: list[tuple[UOp, bool]] = [(self, False)]
        while stack:
            node, ready = stack.pop()
            if node in done:
                continue
            if ready or not node.src or (enter is not None and not enter(node)):
                done[node] = None
                continue
            stack.append((node, True))
            for source in reversed(node.src):
                if source not in done:
                    stack.append((source, False))
        return list(done)

    def backward_slice(self) -> list[UOp]:
        """Everything that this node depends on, without itself."""
        return self.toposort()[:-1]

    def substitute(self, changes: dict[UOp, UOp]) -> UOp:
        """This graph with nodes replaced; replacements are not searched again."""
        if not changes:
            return self
        memo: dict[UOp, UOp] = {}
        for node in self.toposort(lambda n: n not in changes):
            if node in changes:
                memo[node] = changes[node]
                continue
            src = tuple([memo[s] for s in node.src])
            memo[node] = node if src == node.src else UOp(node.op, node.dtype, src, node.arg)
        return memo[self]

    def replace(self, **changes: Any) -> UOp:
        """A copy with some of `op`, `dtype`, `src`, `arg` changed."""
        unknown = sorted(set(changes) - {"op", "dtype", "src", "arg"})
        if unknown:
            raise UsageError(f"replace: a UOp has no {unknown[0]!r}; it has op, dtype, src, arg")
        fields = {"op": self.op, "dtype": self.dtype, "src": self.src, "arg": self.arg, **changes}
        return UOp(**fields)

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
            raise UsageError(f"variable {name}: lower bound {low} is above upper bound {high}")
        return UOp(Ops.VAR, dtypes.index, (), (name, low, high))

    def bind(self, value: int) -> UOp:
        """This variable with its value for one call. Raises UsageError outside its bounds."""
        if self.op is not Ops.VAR:
            raise UsageError(f"bind: expected a variable, found {self.op}")
        name, low, high = self.arg
        if not low <= value <= high:
            raise UsageError(f"bind: {name} = {value} is outside {low} … {high}")
        return UOp(Ops.BIND, dtypes.index, (self, UOp.index_const(value)))

    @staticmethod
    def sink(*effects: UOp, info: Any = None) -> UOp:
        """The root of a graph of effects."""
        return UOp(Ops.SINK, dtypes.void, effects, info)

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

    # ---- movement -------------------------------------------------------------------------

    def _moved(self, op: Op, arg: Any, sizes: tuple[UOp, ...] = ()) -> UOp:
        return UOp(op, self.dtype, (self, *sizes), arg)

    def reshape(self, shape: tuple[Dim, ...]) -> UOp:
        """The same elements in row-major order with another shape."""
        arg, sizes = split_dims(shape)
        return self if shape == self.shape else self._moved(Ops.RESHAPE, arg, sizes)

    def expand(self, shape: tuple[Dim, ...]) -> UOp:
        """Axes of size 1 repeated to `shape`."""
        arg, sizes = split_dims(shape)
        return self if shape == self.shape else self._moved(Ops.EXPAND, arg, sizes)

    def permute(self, order: tuple[int, ...]) -> UOp:
        """Axis i of the result is axis `order[i]` of this."""
        same = order == tuple(range(len(order)))
        return self if same else self._moved(Ops.PERMUTE, order)

    def flip(self, flags: tuple[bool, ...]) -> UOp:
        """Axes whose flag is true reversed."""
        return self._moved(Ops.FLIP, flags) if any(flags) else self

    def pad(self, pads: tuple[tuple[Dim, Dim], ...]) -> UOp:
        """Zeros before and after each axis."""
        return self if all(p == (0, 0) for p in pads) else self._paired(Ops.PAD, pads)

    def shrink(self, bounds: tuple[tuple[Dim, Dim], ...]) -> UOp:
        """The part begin <= i < end of each axis."""
        whole = tuple((0, s) for s in self.shape or ())
        return self if bounds == whole else self._paired(Ops.SHRINK, bounds)

    def _paired(self, op: Op, pairs: tuple[tuple[Dim, Dim], ...]) -> UOp:
        arg, sizes = split_dims([d for pair in pairs for d in pair])
        return self._moved(op, tuple(zip(arg[::2], arg[1::2], strict=True)), sizes)

    # ---- evaluation of constant trees -----------------------------------------------------

    def simplify(self) -> UOp:
        """This graph rewritten by the rule set `symbolic` until nothing matches."""
        from rulewright.ir.rewrite import rewrite

        return rewrite(self, "symbolic")

    def render(self) -> str:
        """A symbolic expression as text, such as `(n + 1) * 4`."""
        from rulewright.ir.expression import render

        return render(self)

    def _number(self, kind: type) -> Any:
        simple = self.simplify()
        if simple.op is not Ops.CONST:
            raise UsageError(
                f"{kind.__name__}(): expected a constant, found the symbolic {simple.render()}; "
                "bind its variables first"
            )
        return kind(simple.arg)

    def __int__(self) -> int:
        return self._number(int)  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._number(float)  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        return self._number(bool)  # type: ignore[no-any-return]

    # ---- operators ------------------------------------------------------------------------

    def _like(self, other: UOp | Number) -> UOp:
        return other if isinstance(other, UOp) else UOp.const(self.dtype, other)

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

    def __gt__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.CMPLT, self)

    def __ge__(self, other: UOp | Number) -> UOp:
        return self._like(other).alu(Ops.CMPLE, self)


def _operator(op_name: str, swapped: bool = False) -> Callable[[UOp, UOp | Number], UOp]:
    def method(self: UOp, other: UOp | Number) -> UOp:
        op, right = getattr(Ops, op_name), self._like(other)
        return right.alu(op, self) if swapped else self.alu(op, right)

    return method


for _sign, _name in {
    "add": "ADD", "sub": "SUB", "mul": "MUL", "truediv": "FDIV", "floordiv": "FLOORDIV",
    "mod": "FLOORMOD", "and": "AND", "or": "OR", "xor": "XOR", "lshift": "SHL", "rshift": "SHR",
}.items():  # fmt: skip
    setattr(UOp, f"__{_sign}__", _operator(_name))
    setattr(UOp, f"__r{_sign}__", _operator(_name, swapped=True))
UOp.__lt__ = _operator("CMPLT")  # type: ignore[method-assign, assignment]
UOp.__le__ = _operator("CMPLE")  # type: ignore[method-assign, assignment]

_PLACED = frozenset({Ops.BUFFER, Ops.SCRATCH, Ops.PARAM, Ops.COPY})
_VIEWS = Ops.group("Movement") | {Ops.AFTER, Ops.SUBBUFFER, Ops.DETACH}


def _device_of(node: UOp) -> str | None:
    return node.arg if node.op is Ops.COPY else node.arg[2]  # type: ignore[no-any-return]


def _operands(node: UOp, values: Iterable[Any]) -> Iterator[Any]:
    """Values of the operands, arranged as the op's parameters: a tuple for a variadic one."""
    rest = list(values)
    for _, _, variadic in node.op.params:
        yield (tuple(rest) if variadic else rest.pop(0))


def _shape_of(node: UOp) -> Shape | None:
    rule = node.op.shape_rule
    if rule is not None:
        shape = rule(node.arg, node.dtype, *_operands(node, node.src))
        return None if shape is None else tuple(as_dim(s) for s in shape)
    found: Shape = ()
    for source in node.src:  # a scalar operand goes with any shape
        if source.shape and found and source.shape != found:
            raise ShapeError(f"{node.op}: operands have shapes {found} and {source.shape}")
        found = found or source.shape or ()
    return found


def _ranges_of(node: UOp) -> tuple[UOp, ...]:
    if node.op is Ops.RANGE:
        return (*node.src[0]._ranges, node)
    if not node.src or node.op is Ops.CALL:
        return ()
    first = node.src[0]._ranges
    if all(s._ranges is first or not s._ranges for s in node.src) and node.op.closes is None:
        return first
    merged = dict.fromkeys(r for s in node.src for r in s._ranges)
    if node.op.closes is not None:
        for closed in node.src[node.op.closes :]:
            merged.pop(closed, None)
    return tuple(merged)


def _interval_of(node: UOp) -> Bounds:
    dtype = node.dtype
    full = Bounds(dtype.min, dtype.max)
    if dtype.is_float or node.op.row.get("interval") is None:
        return full
    rule = node.op.interval_rule
    assert rule is not None
    sources = [Bounds(*s._interval) for s in node.src]
    if any(isinstance(b, float) and not math.isfinite(b) for s in sources for b in s):
        return full
    found = rule(node.arg, dtype, *_operands(node, sources))
    if found is None or found[0] < full.lo or found[1] > full.hi:
        return full
    return Bounds(int(found[0]), int(found[1]))
