"""Evaluating a graph: each node once, operands first, loop variables as axes of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rulewright.errors import InterpreterError, VariableError
from rulewright.interp import loops, shards, stores, warps
from rulewright.interp.meaning import combine, compute
from rulewright.interp.memory import INVALID, Write, describe, poison
from rulewright.interp.movement import filled, move
from rulewright.interp.scope import Scope
from rulewright.interp.shadow import alike, shadow_of, shadow_reduce
from rulewright.interp.storage import Storage, storage_for
from rulewright.interp.values import (
    AxisOrder,
    Parts,
    Value,
    aligned,
    any_of,
    layout_of,
    spread,
    stretched,
)
from rulewright.ir.device_numbers import is_device_number
from rulewright.ir.host import host_function
from rulewright.ir.ops import Op, Ops
from rulewright.ir.rounding import round_to
from rulewright.ir.uop import UOp


class Evaluator:
    """One evaluation: what memory holds, values of variables, and answers so far.

    `memory` maps BUFFERs, PARAMs and SCRATCHes to values of their shape. Nothing in it is written;
    the stores are in `log`, in the order in which they happened.
    """

    def __init__(
        self, memory: dict[UOp, Value], variables: Mapping[str, int], shadow: bool = False
    ) -> None:
        self.memory, self.variables, self.shadow = memory, dict(variables), shadow
        self.axes = AxisOrder()
        self.scope = Scope(None, {})
        self.log: list[Write] = []
        self.ends: dict[UOp, int] = {}  # writes that had happened when an effect had
        self.storages: dict[UOp, Storage] = {}
        self.may_be_invalid: set[UOp] = set()
        self.small = True  # no intermediate of the graph can be too large
        self.masks: list[Value] = []  # conditions of the branches around, in programs
        self.beside: dict[UOp, tuple[UOp, ...]] = {}  # ENDs that go through the same iterations
        self.open: dict[UOp, frozenset[tuple[UOp, ...]]] = {}  # loops that are open in a body

    def inner(self, memory: dict[UOp, Value]) -> Evaluator:
        """An evaluator of what is called with this memory."""
        return type(self)(memory, self.variables, self.shadow)

    def run(self, root: UOp) -> None:
        """Evaluate a whole graph."""
        total = 1
        nodes = root.toposort(lambda n: n.op is not Ops.CALL)
        for node in nodes:
            if node.op is Ops.BIND:  # before anything that uses the variable without its value
                self.value(node)
        groups = loops.deciding_groups(nodes)
        for node in nodes:
            if node.op is Ops.RANGE:  # which may end elsewhere in each iteration around it
                varies = node.src[0].ranges or (groups and node.src[0].op is not Ops.CONST)
                total *= max(1, int(node.vmax) + 1 if varies else self.extent(node))
        self.small = total <= loops.LIMIT
        self.beside = loops.beside_each_other(nodes)
        if groups:
            loops.each_group(self, root, groups)
        else:
            self.value(root)

    # ---- walking the graph ----------------------------------------------------------------

    def scope_of(self, node: UOp) -> Scope:
        """Where the answer of a node is kept."""
        return self.scope.home(node)

    def known(self, node: UOp) -> Any:
        """The answer of a node that has been evaluated."""
        return self.scope_of(node).memo[node]

    def value(self, root: UOp) -> Any:
        """The answer of any node: a Value, or a list of Writes for an effect."""
        stack, home = [root], self.scope.home  # what is evaluated here leaves the scope as it was
        outermost = self.scope.parent is None  # the home of all
        while stack:
            node = stack[-1]
            memo = home(node).memo
            if node in memo:
                stack.pop()
                continue
            sources = node.src if node.op.elementwise else self._needed(node)
            missing = [s for s in sources if s not in (memo if outermost else home(s).memo)]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            memo[node] = self._evaluate(node)
        return home(root).memo[root]

    def evaluate_again(self, nodes: Iterable[Any]) -> None:
        """Answer nodes of this scope in an order in which they have been answered before."""
        for node in nodes:
            self.scope.memo[node] = self._evaluate(node)

    def _needed(self, node: UOp) -> Sequence[UOp]:
        """The nodes whose answers `_evaluate` takes for granted."""
        if node.op in loops.SCOPED:
            return ()
        if node.op in (Ops.CALL, Ops.BIND):
            return node.src[1:]
        if node.op is Ops.STORE:
            return (*node.src[1:], *stores.needed(node.src[0]))
        if node.op is Ops.LOAD:
            return (*node.src[0].src, *node.src[1:])
        if node.op is Ops.REDUCE_AXIS and node.src[0].op.elementwise:
            return node.src[0].src
        return node.src

    def _evaluate(self, node: UOp) -> Any:
        if node.op.elementwise:
            return self.elementwise(node)
        method = _METHODS.get(node.op)
        if method is None:
            raise InterpreterError(f"{describe(node)} has no value for the interpreter")
        answer = getattr(self, method)(node) if isinstance(method, str) else method(self, node)
        if node.dtype.kind == "Void":
            self.ends[node] = len(self.log)
        elif node.dtype.kind == "Index" and self.may_be_invalid.intersection(node.src[:1]):
            self.may_be_invalid.add(node)
        return answer

    # ---- leaves ---------------------------------------------------------------------------

    def const(self, node: UOp) -> Value:
        """A constant, in every lane."""
        dtype = node.dtype
        shape = (dtype.count,) if dtype.count > 1 else ()
        if dtype.is_float:
            return Value(
                (round_to(np.full(shape, node.arg, np.float64), dtype.np),), (), bool(shape)
            )
        return Value((np.full(shape, node.arg, dtype.np),), (), bool(shape))

    def invalid(self, node: UOp) -> Value:
        """The index of no element."""
        self.may_be_invalid.add(node)
        return Value((np.asarray(INVALID),))

    def lanes(self, node: UOp) -> Value:
        """The lane numbers of a vector."""
        return Value((np.arange(node.arg, dtype=node.dtype.np),), (), True)

    def iota(self, node: UOp) -> Value:
        """The whole numbers along an axis."""
        (size,) = filled(node.arg, self.sizes(node, 0))
        return Value((round_numbers(np.arange(size), node),))

    def variable(self, node: UOp) -> Value:
        """The value of a symbolic integer."""
        name, low, high = node.arg
        if name not in self.variables:
            raise VariableError(f"variable {name} has no value; bind it to one of {low} … {high}")
        number = self.variables[name]
        if not low <= number <= high:
            raise VariableError(f"variable {name} = {number} is outside {low} … {high}")
        return Value((np.asarray(number, node.dtype.np),))

    def bind(self, node: UOp) -> Value:
        """A variable with its value; also for the variable's other uses."""
        value = self.value(node.src[1])
        if is_device_number(node):
            return value
        name, number = node.src[0].arg[0], value.number("BIND")
        if self.variables.setdefault(name, number) != number:
            raise VariableError(
                f"variable {name} is bound to {self.variables[name]} and to {number} in one graph"
            )
        return value

    def held(self, node: UOp) -> Value:
        """What memory holds before anything is stored."""
        if node not in self.memory:
            if node.op is not Ops.SCRATCH:
                raise InterpreterError(f"{describe(node)} is not bound to an array")
            self.memory[node] = Value((poison(node.arg[1], node.dtype),))
        return self.memory[node]

    def loop_variable(self, node: UOp) -> Value:
        """All values that a RANGE or SPECIAL takes here, along an axis of its own."""
        low, high = self.bounds(node)
        numbers = np.arange(low, high, dtype=node.dtype.np)
        if self._sequential(node):
            return Value((numbers[0],))
        self.axes.add(node)
        return Value((numbers,), (node,))

    def _sequential(self, node: UOp) -> bool:
        scope = self.scope.binding(node)
        return scope is not None and node in scope.sequential

    def bounds(self, node: UOp) -> tuple[int, int]:
        """The part of its range that a loop variable runs over in this scope."""
        scope = self.scope.binding(node)
        return (0, self.size(node)) if scope is None else scope.bounds[node]

    def size(self, node: UOp) -> int:
        """How many values a loop variable takes in all."""
        return max(0, self.value(node.src[0]).number(f"the size of {node.op}{node.arg}"))

    def extent(self, node: UOp) -> int:
        """How many values a loop variable takes in this scope."""
        low, high = self.bounds(node)
        return high - low

    # ---- values ---------------------------------------------------------------------------

    def elementwise(self, node: UOp) -> Value:
        """An op on elements, by its meaning in the spec."""
        values = [self.known(s) for s in node.src]
        axes, lanes, parts = aligned(values, self.axes)
        if node.op is Ops.BITCAST and node.dtype.count != node.src[0].dtype.count:
            return self._recount(node, values[0])
        value = Value(self.on_parts(node, parts), axes, lanes)
        if self.may_be_invalid and any(s in self.may_be_invalid for s in node.src):
            return self._of_invalid(node, parts, value)
        return value

    def on_parts(self, node: UOp, parts: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        """The answer of an elementwise op on aligned parts."""
        kind = node.src[-1].dtype if node.src else node.dtype
        exact = compute(node.op, node.dtype, node.arg, [p[0] for p in parts], kind)
        if self.shadow and (node.dtype.is_float or any(len(p) == 3 for p in parts)):
            return shadow_of(node.op, node.dtype, node.arg, exact, parts)
        return (exact,)

    def _of_invalid(self, node: UOp, parts: Sequence[tuple[Any, ...]], value: Value) -> Value:
        """What is computed from INVALID: an index is INVALID, a number made of it is 0."""
        if node.dtype.kind == "Index":
            self.may_be_invalid.add(node)
        if node.op is Ops.WHERE or node.dtype.is_bool:
            return value  # WHERE has chosen; nobody asks how an invalid index compares
        bad = [p[0] == INVALID for p, s in zip(parts, node.src, strict=True)
               if s in self.may_be_invalid]  # fmt: skip
        instead = INVALID if node.dtype.kind == "Index" else 0
        hidden = any_of(bad)
        data = np.where(hidden, np.asarray(instead, node.dtype.np), value.data)
        return Value((data, *value.parts[1:]), value.axes, value.lanes)

    def _recount(self, node: UOp, value: Value) -> Value:
        """The bits of a vector as a vector of another number of lanes."""
        data = np.ascontiguousarray(value.data if value.lanes else value.data[..., None])
        viewed = data.view(node.dtype.np)
        lanes = node.dtype.count > 1
        return Value((viewed if lanes else viewed[..., 0],), value.axes, lanes)

    def movement(self, node: UOp) -> Value:
        """A movement op."""
        value = self.known(node.src[0])
        arg = filled(node.arg, self.sizes(node, 1))
        return value.each(lambda part: move(node.op, part, len(value.axes), arg))

    def sizes(self, node: UOp, first: int) -> list[int]:
        """Symbolic sizes of a movement op, as numbers."""
        return [self.known(s).number(f"a size of {node.op}") for s in node.src[first:]]

    def same(self, node: UOp) -> Value:
        """Ops that change where or when a value is, not what it is."""
        return self.known(node.src[0])

    def reduce_axis(self, node: UOp) -> Value:
        """Whole axes reduced to size 1."""
        op, axes = node.arg
        source = node.src[0]
        if source.op.elementwise and source not in self.scope_of(source).memo:
            pieces = loops.large_operands(self, source, axes)
            if pieces is not None:
                return pieces.reduced(op, axes)
        return self.reduced(op, source, self.value(source), axes)

    def reduced(self, op: Op, source: UOp, value: Value, axes: tuple[int, ...]) -> Value:
        """`value` of the node `source` with axes of its shape reduced to size 1."""
        at = tuple(len(value.axes) + i for i in axes)
        exact = combine(op, source.dtype, value.data, at)
        parts: tuple[Any, ...] = (exact,)
        if len(value.parts) == 3 or (self.shadow and source.dtype.is_float):
            parts = shadow_reduce(op, source.dtype, exact, value.parts, at)
        shape = [1 if i in at else s for i, s in enumerate(value.data.shape)]
        if source in self.may_be_invalid:
            lost = np.any(value.data == INVALID, at, keepdims=True)
            parts = (np.where(lost, INVALID, np.reshape(exact, shape)),)
        return Value(tuple(np.reshape(p, shape) for p in parts), value.axes, value.lanes)

    def read(self, node: UOp) -> Value:
        """INDEX as a value, or LOAD."""
        access, rest = (node.src[0], node.src[1:]) if node.op is Ops.LOAD else (node, ())
        other = self.known(rest[0]) if rest else None
        gate = self.known(rest[1]) if len(rest) > 1 else None
        return stores.read(self, access, node.dtype.count, other, gate)

    def write(self, node: UOp) -> list[Write]:
        """STORE."""
        if node.src[0].op is Ops.MSTACK:
            return shards.store(self, node)
        gate = self.known(node.src[2]) if len(node.src) > 2 else None
        return stores.store(self, node, gate)

    def later(self, node: UOp) -> Value | None:
        """AFTER."""
        on_several = node.base.op is Ops.MSTACK
        return shards.after(self, node) if on_several else stores.after(self, node)

    def stack(self, node: UOp) -> Value:
        """A vector from lanes (or from shorter vectors)."""
        values = [self.known(s) for s in node.src]
        axes, rank, _ = layout_of(values, self.axes)
        rows = alike([spread(v, axes, rank, True) for v in values])
        shape = np.broadcast_shapes(*(r[0].shape[:-1] for r in rows))
        parts = (
            np.concatenate([stretched(s, (*shape, s.shape[-1])) for s in some], -1)
            for some in zip(*rows, strict=True)
        )
        return Value(tuple(parts), axes, True)

    def lane(self, node: UOp) -> Value:
        """One or several lanes of a vector."""
        value = self.known(node.src[0])
        if not value.lanes:
            return value
        if len(node.arg) == 1:
            return Value(tuple(p[..., node.arg[0]] for p in value.parts), value.axes, False)
        return value.each(lambda part: part[..., list(node.arg)])

    def multiplied(self, node: UOp, a: Parts, b: Parts, c: Parts) -> Parts:
        """c + a b of the matrices that the lanes of a warp hold."""
        return warps.multiplied(node, a, b, c)

    def subbuffer(self, node: UOp) -> Value:
        """A view of part of a buffer, perhaps as another dtype."""
        offset, shape = node.arg
        flat = np.ascontiguousarray(self.known(node.src[0]).data).reshape(-1).view(node.dtype.np)
        count = int(np.prod(shape))
        if offset + count > flat.size:
            raise InterpreterError(
                f"{describe(node)} ends outside its base of {flat.size} elements"
            )
        return Value((flat[offset : offset + count].reshape(shape),))

    def effects(self, node: UOp) -> list[Write]:
        """All writes below an effect, in order."""
        values = [self.known(s) for s in node.src]
        return [w for item in values if isinstance(item, list) for w in item]

    def result(self, node: UOp) -> Value:
        """One of the values that a call gave."""
        value: Value = self.known(node.src[0])[node.arg[0]]
        return value

    def host(self, node: UOp) -> Value:
        """What a function of the host gives; it gets memory of its own to write into."""
        memories = [np.array(self.known(s).data) for s in node.src]
        return Value((host_function(node)(memories),))

    def work_item(self) -> Value | None:
        """The number of each work item in its workgroup, where several run in step."""
        return None

    def nothing(self, node: UOp) -> None:
        """Memory of a kernel: looked up where it is accessed."""
        self.storages.setdefault(node, storage_for(node))


def round_numbers(numbers: Any, node: UOp) -> Any:
    """Integers as the dtype of `node`."""
    return (
        round_to(numbers, node.dtype.np) if node.dtype.is_float else numbers.astype(node.dtype.np)
    )


# a name is a method of Evaluator, which ProgramEvaluator may override
_METHODS: dict[Op, str | Callable[[Evaluator, UOp], Any]] = {
    Ops.CONST: "const",
    Ops.INVALID: "invalid",
    Ops.LANES: "lanes",
    Ops.IOTA: "iota",
    Ops.VAR: "variable",
    Ops.BIND: "bind",
    Ops.SUBBUFFER: "subbuffer",
    Ops.REDUCE_AXIS: "reduce_axis",
    Ops.STACK: "stack",
    Ops.LANE: "lane",
    Ops.MMA: warps.mma,
    Ops.MMA_SHARED: warps.mma,
    Ops.SHUFFLE: warps.shuffle,
    Ops.FRAGMENT: warps.fragment,
    Ops.STORE: "write",
    Ops.AFTER: "later",
    Ops.MSTACK: shards.stack,
    Ops.RESULT: "result",
    Ops.HOST: "host",
    Ops.CALL: stores.call,
    Ops.REDUCE: loops.reduce,
    Ops.STAGE: loops.stage,
    Ops.END: loops.end,
    **dict.fromkeys(Ops.group("Outer"), "held"),
    **dict.fromkeys(Ops.group("Inner"), "nothing"),
    **dict.fromkeys(Ops.group("Counter"), "loop_variable"),
    **dict.fromkeys(Ops.group("Read"), "read"),
    **dict.fromkeys(Ops.group("Same"), "same"),
    **dict.fromkeys((Ops.SINK, Ops.TUPLE, Ops.FUNCTION, Ops.BARRIER, Ops.COPIES), "effects"),
    **dict.fromkeys(Ops.group("Movement"), "movement"),
}
