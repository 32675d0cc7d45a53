"""Graphs that a rule's pattern fits, made at random: a grammar run backwards.

A pattern says ops and dtypes; what it leaves open (shapes, arguments, operands, loops) is chosen:
ranks up to 3, dims 0 to 3, indices inside their axes. Whatever is made is shown to the rule's
matcher, so a wrong choice costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import cycle
from math import prod
from typing import Any

from rulewright.interp.stores import chain
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops, op as op_named
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.verify.prove import asked
from rulewright.verify.values.samples import Random, special

Shape = tuple[int, ...]

DIMS = (0, 1, 2, 3)
LONG_DIMS = (1, 2, 37, 300, 3 << 16)
"""Sizes for rules that short axes never match or show nothing of: of the last, a sum of truths is 0
in 16 bits."""

_DTYPES = (
    "f32", "f32", "i32", "i32", "bool", "u8", "i64", "f16", "f64", "i8", "u32", "bf16", "u64",
    "i16", "u16", "fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz",
)  # fmt: skip
_GRADIENT = ("f64", "f64", "f64", "f32")
_FACTORS = (1, 2, 2, 3, 4, 4, 6, 8, 12)
_SMALL = (0, 0, 1, 1, 2, 3, 4, 6, 8, 12, -1, -2, -3)


_OF_LOOPS = {"INDEX", "LOAD", "REDUCE", "RANGE"}
_ACCESSES = {"INDEX", "LOAD", "STORE"}
_COUNTS = {"IOTA", "RANGE", "REDUCE", "REDUCE_AXIS"}
_NARROW = ("i8", "u8", "i16", "u16", "f16", "bf16", "f32")
_WRITTEN = Ops.group("Memory")
DEVICES = ("C", "OPENCL")
_APART = 5000  # from what guards name, so that nothing is there twice
ELEMENTS = 1 << 19
"""Of a tensor, or iterations of all loops, at most."""


class Retry(Exception):
    """These choices lead nowhere."""


@dataclass(frozen=True)
class Want:
    """What a place in a graph asks for; None leaves it open.

    `role` is value, index, size, loop, access (an element of memory), memory or effect; a size is
    no INVALID index. `limit` is what an index stays below, `device` where one of several parts is.
    """

    dtype: DType | None = None
    shape: Shape | None = None
    rank: int | None = None
    role: str = "value"
    limit: int | None = None
    device: str | None = None


INDEX = Want(dtypes.index, (), role="index")
ANY = Want()


class Needs:
    """What a rule asks of graphs, which is the same for each that is made of its pattern."""

    def __init__(self, rule: t.Rule, facts: Facts) -> None:
        self.rule, self.facts = rule, facts
        self.sets = {str(p.name): facts.bases(p.sets) for p in rule.type_params}
        self.accesses = _has(rule, _ACCESSES)
        self.of_loops = _has(rule, {"INVALID"})  # which is the index of no element
        self.mixed = not is_gradient(rule.pattern)  # scalars stand beside tensors
        self.in_kernel = any(is_node(n, "LOAD") for n in t.walk(rule))  # indices are one an axis
        self.shaped_bodies = asked.asks(rule, "shape", "size", "max_shape")
        self.alike = asked.alike(rule)  # what may be one node
        self.texts = asked.texts(rule, facts.ops)
        self.named_ops = asked.ops(rule, facts)
        self.reads_bounds = asked.asks(rule, "vmin", "vmax")
        self.placed = any(isinstance(n, t.Field) and n.name == "device" for n in t.walk(rule))
        self.axes = asked.axes(rule, facts.ops)  # more than usual
        self.labels = asked.labels(rule, facts.ops)  # numbers and names that tell things apart
        self.numbers = asked.numbers(rule)
        self.tuples = asked.tuples(rule)  # arguments that a guard names
        self.arguments = asked.arguments(rule, facts.ops)  # of leaves
        self.choices = asked.choices(rule, facts.ops) or (None,)  # arguments that may be anything
        self.operands = min(asked.MOST, asked.operands(rule))  # of a list, at most
        self.first = cycle(range(3))  # numbers that those of memories and loops begin with

    @cached_property
    def untold(self) -> str:
        """A type parameter that no annotation of the pattern names, which is that of the root."""
        told = {str(n.type) for n in t.walk(self.rule.pattern) if isinstance(n, t.Typed)}
        return min(self.sets.keys() - told, default="")

    @cached_property
    def loop_ops(self) -> frozenset[str]:
        """The ops of loops in a pattern that is arithmetic on elements, which mostly have no axes;
        none in others."""
        root = self.facts.as_node(self.rule.pattern)
        heads = [n.head for n in t.walk(root) if isinstance(n, t.OpNode)]
        names = {name for head in heads for name in self.facts.heads(head)}
        first = self.facts.heads(root.head)[0] if isinstance(root, t.OpNode) else "CONST"
        return frozenset(names & _OF_LOOPS if op_named(first).elementwise else ())


class Graphs:
    """One attempt at a graph. `pool` are the sizes of axes; `leaves_only` keeps operands simple."""

    def __init__(
        self, needs: Needs, rng: Random, pool: Sequence[int] = DIMS, leaves_only: bool = False
    ) -> None:
        self.needs, self.rng, self.pool = needs, rng, pool
        self.rule, self.facts, self.sets = needs.rule, needs.facts, needs.sets
        self.leaves_only = leaves_only
        self.types: dict[str, DType] = {}
        self.names: dict[str, Any] = {}
        self.scope: list[UOp] = []
        self.memory: UOp | None = None  # what an AFTER is about, for the stores in it
        self.whole: UOp | None = None  # which each of several devices has
        self.variables: dict[str, int] = {}  # those that stand for sizes have one value
        self.slots = next(needs.first) + (_APART if needs.labels else 0)
        self.factors = tuple(self.pick(_FACTORS) for _ in range(2))
        self.reusable: list[UOp] = []  # loops and variables, to be met again
        self.invalid = self.vectors = not leaves_only
        self.iterations = 1  # of all loops together

    # ---- choosing ------------------------------------------------------------------------------

    def pick(self, items: Sequence[Any]) -> Any:
        """One of some items. Raises Retry where there is none."""
        if not len(items):
            raise Retry
        return items[int(self.rng.integers(len(items)))]

    def chance(self, share: float) -> bool:
        """True for that share of all times."""
        return bool(self.rng.random() < share)

    def number(self) -> int:
        """A number of its own, for slots, loops and names."""
        self.slots += 1
        return self.slots - 1

    def shape(self, rank: int | None = None) -> Shape:
        """Sizes of axes, not too many elements in all."""
        if rank is None and self.needs.axes and self.chance(0.5):
            rank = self.pick(self.needs.axes)
        rank = int(self.rng.integers(0, 4)) if rank is None else rank
        sizes: list[int] = []
        total = 1
        pool = [d for d in self.pool if d or rank <= asked.USUAL_AXES]  # else one is soon empty
        for _ in range(rank):
            size = self.pick([d for d in pool if total * d <= ELEMENTS])
            total *= max(1, size)
            sizes.append(size)
        return tuple(sizes)

    def has_axes(self, want: Want) -> bool:
        """Whether an index is a tensor of them; where the pattern leaves it open, now and then."""
        if want.shape is None and want.rank is None:
            return want.role == "value" and not self.needs.of_loops and self.chance(0.3)
        return bool(want.shape or want.rank)

    def axes_left(self, rank: int) -> int:
        """How many axes an INDEX of so many indices leaves, where a tensor may be wanted."""
        return int(self.rng.integers(0, 4 - rank)) if rank < 3 and self.chance(0.3) else 0

    def shape_for(self, want: Want) -> Shape:
        """The shape that is wanted, or one of the rank that is."""
        if want.shape is not None:
            return want.shape
        return self.shape(want.rank)

    def length(self) -> int:
        """How many iterations a loop has: of all loops together not too many."""
        size: int = self.pick([d for d in self.pool if self.iterations * d <= ELEMENTS])
        self.iterations *= max(1, size)
        return size

    def any_dtype(self, allowed: Sequence[str] = ()) -> DType:
        """A dtype, the common ones more often; beside long axes those that are soon full."""
        if allowed and not self.leaves_only and self.chance(0.1):
            return dtype(self.pick([n for n in allowed if n != "void"]))
        common: Sequence[str] = _DTYPES if not self.leaves_only or self.chance(0.2) else _GRADIENT
        common = _NARROW if self.pool is LONG_DIMS and self.chance(0.7) else common
        names = [n for n in common if not allowed or n in allowed]
        return dtype(self.pick(names or [n for n in allowed if n != "void"]))

    def of_gradients(self) -> Sequence[str]:
        """Dtypes of which gradients are asked: differences say something of wide floats."""
        return ("f64", "f32")

    def type_named(self, name: str) -> DType | None:
        """The dtype of an annotation; None for a set that is not chosen from yet."""
        if name in self.sets:
            if name not in self.types:
                self.types[name] = self.any_dtype(self.sets[name])
            return self.types[name]
        if name in self.facts.dtypes:
            return dtype(name)
        return self.any_dtype(self.facts.bases((name,)))

    # ---- patterns ------------------------------------------------------------------------------

    def term(self) -> UOp:
        """A graph for the whole pattern. Raises Retry."""
        want = Want(self.type_named(self.needs.untold)) if self.needs.untold else ANY
        loops = self.needs.loop_ops
        if loops and (loops != {"INDEX"} or not self.chance(0.2)):  # an INDEX may leave some axes
            want = replace(want, shape=())
        return self.make(self.rule.pattern, want)

    def make(self, expr: t.Expr, want: Want) -> UOp:
        """A node that the expression matches."""
        expr = self.facts.as_node(expr)
        if isinstance(expr, t.Typed):
            return self.make(expr.expr, self._typed(expr, want))
        if isinstance(expr, t.Bind):
            return self._bound(str(expr.name), lambda: self.make(expr.pattern, want), want)
        if isinstance(expr, t.Var):
            return self._bound(str(expr.name), lambda: self.leaf(want), want)
        if isinstance(expr, t.ConstVar):
            return self._bound(str(expr.name), lambda: self.constant(want), want)
        if isinstance(expr, t.Wild):
            return self.leaf(want)
        if isinstance(expr, t.Num | t.BoolLit):
            return UOp.const(self._literal(expr, want), expr.value)
        if isinstance(expr, t.OpNode):
            return self.node(expr, want)
        raise Retry

    def _typed(self, expr: t.Typed, want: Want) -> Want:
        name, kind = str(expr.type), want.dtype
        if name in self.sets and name not in self.types and kind is not None:
            if kind.base not in self.sets[name]:
                raise Retry
            self.types[name] = kind if expr.lanes is None else kind.scalar
        told = self.annotated(expr)
        if kind not in (None, told):
            raise Retry
        return replace(want, dtype=told)

    def annotated(self, expr: t.Typed) -> DType | None:
        """The dtype that an annotation says, with its lanes."""
        kind, lanes = self.type_named(str(expr.type)), expr.lanes
        if isinstance(lanes, t.Ident):
            like = self.type_named(str(lanes))
            lanes = like.count if like else 1
        return kind.scalar.vec(lanes) if kind and lanes else kind

    def _literal(self, expr: t.Num | t.BoolLit, want: Want) -> DType:
        if want.dtype is not None:
            return want.dtype
        if isinstance(expr, t.BoolLit):
            return dtypes.bool
        return dtypes.f32 if isinstance(expr.value, float) else self.pick([dtypes.i32, dtypes.f32])

    def _bound(self, name: str, make: Callable[[], UOp], want: Want) -> UOp:
        if name not in self.names:
            alike = sorted(self.needs.alike.get(name, set()) & self.names.keys())
            others = [n for n in alike if isinstance(self.names[n], UOp)]
            shared = self.names[others[0]] if others and self.chance(0.5) else None
            if shared is not None and want.shape not in (None, self.concrete(shared)):
                raise Retry
            self.names[name] = make() if shared is None else shared
        node: UOp = self.names[name]
        if want.dtype is not None and node.dtype is not want.dtype:
            raise Retry
        return node

    def constant(self, want: Want) -> UOp:
        """A constant: mostly small, sometimes special."""
        kind = want.dtype or self.any_dtype()
        if kind.is_bool:
            return UOp.const(kind, self.chance(0.5))
        if self.chance(0.6 if kind.is_float else 0.8):
            value = self.pick(_SMALL if self.chance(0.5) else self.factors)
            return UOp.const(kind, abs(value) if kind.min == 0 else value)
        return UOp.const(kind, self.pick(special(kind.scalar).tolist()))

    # ---- nodes ---------------------------------------------------------------------------------

    def node(self, expr: t.OpNode, want: Want) -> UOp:
        """A node of one of the ops that the head names."""
        from rulewright.verify.prove.builders import builder

        name = self.pick([n for n in self.facts.heads(expr.head) if self._may_be(n, want)])
        op = op_named(name)
        node = builder(op)(self, op, expr, want)
        if want.dtype is not None and node.dtype is not want.dtype:
            raise Retry
        return node

    def _may_be(self, name: str, want: Want) -> bool:
        """Whether an op can have a dtype as its result."""
        result = self.facts.ops[name]["result"]
        params = dict(self.facts.ops[name]["tparams"])
        if want.dtype is None or result not in params:
            return want.dtype is None or want.dtype.base == result or result not in self.facts.ops
        return want.dtype.base in params[result]

    def sources(self, op: Op, expr: t.OpNode) -> list[t.Source]:
        """The operands' patterns; any operands where the pattern leaves them open."""
        if expr.sources is None or (not expr.sources and self.facts.takes_any(expr.head)):
            return [t.Source(t.Wild()) for _, _, rest in op.params if not rest]
        rests = [s for s in expr.sources if s.rest and isinstance(s.expr, t.Wild)]
        if op.variadic and len(expr.sources) > 1:
            return list(expr.sources)
        left = max(0, op.fixed - len(expr.sources) + len(rests))
        sources: list[t.Source] = []
        for source in expr.sources:
            if source not in rests:
                sources.append(source)
                continue
            count = left if source is rests[-1] else int(self.rng.integers(left + 1))
            sources += [t.Source(t.Wild())] * count
            left -= count
        return sources

    def arguments(self, expr: t.OpNode, values: Sequence[Any]) -> tuple[Any, ...]:
        """Fields of an argument, as the pattern has them, else as `values` gives them."""
        if expr.args is None:
            return tuple(values)
        arguments = []
        for pattern, value in zip(expr.args, values, strict=False):
            arguments.append(self._argument(pattern, value))
        return (*arguments, *values[len(arguments) :])

    def _argument(self, pattern: t.Expr, value: Any) -> Any:
        if isinstance(pattern, t.Var):
            if self.needs.texts and (value is None or isinstance(value, str)):
                value = self.pick((value, *self.needs.texts))  # a guard names some
            alike = [v for v in self.needs.tuples.get(str(pattern.name), ()) if _is_like(v, value)]
            if alike and self.chance(0.5):  # and others
                value = self.pick(alike)
            if str(pattern.name) in self.needs.labels and isinstance(value, int):
                value = self.pick((value, *self.needs.numbers))
            return self.names.setdefault(str(pattern.name), value)
        if isinstance(pattern, t.Num | t.BoolLit | t.Str):
            if isinstance(value, tuple):
                raise Retry  # one number where there is one an axis: no such node
            return pattern.value
        if isinstance(pattern, t.NoneLit):
            return None
        if isinstance(pattern, t.TupleExpr):
            return self._items(pattern, value)
        if isinstance(pattern, t.OpName | t.OpSet | t.GroupName):
            return op_named(self.pick(self.facts.heads(pattern)))
        return value

    def _items(self, pattern: t.TupleExpr, value: Any) -> Any:
        """A tuple as its pattern is, with what it leaves open or names as `value` has it."""
        if not any(isinstance(n, t.Var | t.Wild) for n in t.walk(pattern)):
            return asked.literal(pattern)
        if not isinstance(value, tuple) or len(value) != len(pattern.items):
            raise Retry
        return tuple(map(self._argument, pattern.items, value))

    # ---- leaves --------------------------------------------------------------------------------

    def leaf(self, want: Want) -> UOp:
        """Anything of a kind: now and then of an op that a guard names."""
        from rulewright.verify.prove.operands import leaf

        named = self.needs.named_ops if want.role in ("value", "effect") else ()
        named = tuple(n for n in named if self._may_be(n, want))
        if named and self.chance(0.3):
            return self.node(_any_of(self.pick(named), self.facts), want)
        node = leaf(self, want)
        if self.needs.arguments and want.role == "value" and self.chance(0.3):
            node = UOp(Ops.CONTIGUOUS, node.dtype, (node,), self.pick(self.needs.arguments))
        return node

    def effects(self, view: UOp) -> list[UOp]:
        """Some stores into a view, of all of it or of one element, or into memory of their own."""
        from rulewright.verify.prove.operands import effect

        written = chain(view)[-1].op in _WRITTEN
        count = int(self.rng.integers(0, 3))
        own = [not written or self.chance(0.1) for _ in range(count)]
        return [effect(self) if other else self.store_into(view) for other in own]

    def store_into(self, view: UOp) -> UOp:
        """A store into all of a view or into one element."""
        from rulewright.verify.prove.operands import scalar

        shape = self.concrete(view)
        if view.op is Ops.DEFINE_REG or (0 not in shape and self.chance(0.5)):
            at = [UOp.index_const(int(self.rng.integers(size))) for size in shape]
            return view.index(*at).store(scalar(self, view.dtype))
        return view.store(self.param(view.dtype, shape))

    def param(self, kind: DType, shape: Shape, device: str | None = None) -> UOp:
        """Memory that the graph is given, of scalars."""
        if kind.count > 1:
            raise Retry
        if self.needs.placed and device is None:
            device = self.pick((None, *DEVICES))
        return UOp(Ops.PARAM, kind, (), (self.number(), shape, device))

    def places(self, node: UOp) -> Sequence[str]:
        """Where a node can be copied to: a device, or several that have all of it or parts."""
        axes = [i for i, size in enumerate(self.concrete(node)) if size % 2 == 0]
        return (*DEVICES, *DEVICES, "C,C:1", *[f"C,C:1@{axis}" for axis in axes])

    def holding(self, memory: UOp, indices: Sequence[UOp]) -> UOp:
        """Memory that is only named here, long enough for the indices that a pattern makes."""
        if memory.op is not Ops.PARAM or any(i.vmin < 0 for i in indices):
            return memory
        shape = memory.arg[1]
        sizes = [max(size, int(i.vmax) + 1) for size, i in zip(shape, indices, strict=False)]
        sizes += shape[len(sizes) :]
        return self.param(memory.dtype, tuple(sizes)) if prod(sizes) <= ELEMENTS else memory

    def loop(self, size: int | UOp, kind: str = "loop") -> UOp:
        """A new loop variable."""
        self.reusable.append(UOp.range(size, self.number(), kind))
        return self.reusable[-1]

    def again(self, size: UOp) -> UOp:
        """The size of one more loop, which another loop has too. Raises Retry for too many
        iterations."""
        self.iterations *= max(1, self.variables[size.arg[0]] if size.op is Ops.VAR else size.arg)
        if self.iterations > ELEMENTS:
            raise Retry
        return size

    def loop_size(self) -> UOp:
        """How many iterations a loop has; where a guard looks at its bounds, symbolic too."""
        size = self.length()
        if self.needs.reads_bounds and self.chance(0.4):
            return self.symbolic(size, self.pick((0, 1, size)), self.pick((size, size + 1, 4)))
        return UOp.index_const(size)

    def variable(self, low: int, high: int) -> UOp:
        """A new symbolic integer."""
        self.reusable.append(UOp.variable(f"v{self.number()}", low, high))
        return self.reusable[-1]

    def symbolic(self, size: int, low: int = 0, high: int = 4) -> UOp:
        """A variable that stands for a size."""
        name = f"n{self.number()}"
        self.variables[name] = size
        return UOp.variable(name, min(low, size), max(size, high))

    def iterations_of(self, loop: UOp) -> int:
        """How often a loop runs here."""
        size = loop.src[0]
        return self.variables[size.arg[0]] if size.op is Ops.VAR else int(size.arg)

    def concrete(self, node: UOp) -> Shape:
        """The shape of a node, its symbolic sizes at their values."""
        known = {
            v: UOp.index_const(self.variables[v.arg[0]])
            for v in node.toposort()
            if v.op is Ops.VAR and v.arg[0] in self.variables
        }
        shape = node.substitute(known).shape if known else node.shape
        if shape is None or not all(isinstance(s, int) for s in shape):
            raise Retry
        return tuple(s for s in shape if isinstance(s, int))


def _is_like(one: tuple[Any, ...], other: Any) -> bool:
    return isinstance(other, tuple) and len(one) == len(other)


def _any_of(name: str, facts: Facts) -> t.OpNode:
    """The pattern of an op with any operands."""
    params = facts.ops[name]["params"]
    sources = [t.Source(t.Wild()) for _, _, rest in params if not rest]
    more = [t.Source(t.Wild(), True)] if len(sources) < len(params) else []
    return t.OpNode(t.OpName(t.Ident(name)), None, (*sources, *more))


def is_gradient(pattern: t.Expr) -> bool:
    """Whether the whole asks for a gradient."""
    return is_node(pattern, "GRAD")


def is_node(expr: t.Node, name: str) -> bool:
    """Whether a pattern is a node of one op."""
    head = expr.head if isinstance(expr, t.OpNode) else None
    return isinstance(head, t.OpName) and head.name == name


def counts(rule: t.Rule) -> bool:
    """Whether a pattern counts or sums, so that a dtype may be too narrow for a long axis."""
    return _has(rule, _COUNTS)


def _has(rule: t.Rule, names: set[str]) -> bool:
    heads = [n.head for n in t.walk(rule.pattern) if isinstance(n, t.OpNode)]
    return any(isinstance(h, t.OpName) and h.name in names for h in heads)


Builder = Callable[[Graphs, Op, t.OpNode, Want], UOp]
