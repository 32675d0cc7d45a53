"""Graphs of a rule's pattern with sizes of which nothing is known: one for each way to make one.

The generator of random graphs, with choices that go through all options instead of dice, and an
`Unknown` wherever it would draw a number. Leaves are parameters: what they hold is any value.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from rulewright.interp.stores import chain
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.node import UNSET
from rulewright.ir.ops import Bounds, Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.allowed import called
from rulewright.lang.matcher_facts import Facts
from rulewright.verify.prove.builders import builder
from rulewright.verify.prove.graphs import _FACTORS, DEVICES, Graphs, Needs, Retry, Want, is_node
from rulewright.verify.prove.unknown import LARGEST, MAY_LOOK, OWN, Opaque, Paths, UnknownFloat

_WRITTEN = Ops.group("Memory")
_SIZES = (0, 1)  # stands for all of them
_KINDS = ("f32", "i32", "index")


class _Tape:
    """What the builders draw from: every number there is, one run each."""

    def __init__(self, paths: Paths, rank: int) -> None:
        self.paths, self.rank = paths, rank

    def integers(self, low: int, high: int | None = None) -> int:
        """Each number from `low` to below `high`; it is how many axes or loops there are."""
        low, high = (0, low) if high is None else (low, high)
        return self.paths.choose(range(low, min(high, low + self.rank + 1)))

    def random(self) -> float:
        """A share of all times is no number of runs."""
        raise Opaque("a random choice")


class SchemaNeeds(Needs):
    """What a rule asks of graphs of which no size is known."""

    def __init__(self, rule: t.Rule, facts: Facts) -> None:
        super().__init__(rule, facts)
        self.tuples = {}  # arguments are any
        self.asks_dtypes = _asks_dtypes(rule, self.sets)
        targets = [facts.externs[n]["target"] for n in called(rule) & facts.externs.keys()]
        self.calls = not all(target.startswith(OWN) for target in targets)  # who may ask too


class Schemas(Graphs):
    """One graph. `rank` is the most axes that a tensor has.

    A graph of one axis is made of each dtype; of those of more axes, of which no more can be asked
    that depends on the dtype, only the first that is allowed; unless the rule asks for dtypes.
    """

    needs: SchemaNeeds

    def __init__(self, needs: SchemaNeeds, paths: Paths, rank: int) -> None:
        self.paths, self.rank = paths, rank
        # a tape draws what builders do but those of movement, which `moved` stands in for
        super().__init__(needs, _Tape(paths, rank), _SIZES)  # type: ignore[arg-type]
        self.ranks: set[int] = set()  # of tensors whose axes were looked at one by one
        self.invalid_leaves: bool | None = None
        self.vectors = False

    def pick(self, items: Sequence[Any]) -> Any:
        """Each of some; of the sizes any."""
        if items is _SIZES:
            return self.paths.size("n")
        if items is _FACTORS:  # of random index arithmetic
            return 1
        if not len(items):
            raise Retry
        return self.paths.choose(items)

    def chance(self, share: float) -> bool:
        """Both."""
        return self.paths.choose((False, True))

    def shape(self, rank: int | None = None) -> tuple[Any, ...]:
        """Sizes of axes, of any rank that is tried."""
        if rank is None:
            rank = self.paths.choose(range(self.rank + 1))
        self.ranks.add(rank)
        return tuple([self.paths.size("n") for _ in range(rank)])

    def axes_left(self, rank: int) -> int:
        """As many as there are beside, each."""
        left = self.paths.choose(range(max(1, self.rank + 1 - rank)))
        if left:
            self.ranks.add(rank + left)
        return left

    def type_named(self, name: str) -> DType | None:
        """The dtype of an annotation: each, with the first of all others."""
        chosen = name not in self.sets or name in self.types
        if not chosen and self.needs.asks_dtypes:
            self.types[name] = dtype(self.pick(self.sets[name]))
            return self.types[name]
        first = all(self.types[n].base == self._first(n) for n in self.types)
        if chosen or (first if self.rank < 2 else not self.types):
            return super().type_named(name)
        others: list[str] = [n for n in _KINDS if n in self.sets[name]] or [self._first(name)]
        self.types[name] = dtype(self.pick(others))
        return self.types[name]

    def _argument(self, pattern: t.Expr, value: Any) -> Any:
        """Sizes that a pattern names are any sizes, of which the matcher asks whether they are."""
        return value if isinstance(pattern, t.TupleExpr) else super()._argument(pattern, value)

    def of_gradients(self) -> Sequence[str]:
        """All floats; of graphs of more axes one that sums as it is, and one that does not."""
        return self.facts.bases(("Float",)) if self.rank < 2 else ("f32", "f16")

    def _first(self, name: str) -> str:
        return next(n for n in (*_KINDS, *self.sets[name]) if n in self.sets[name])

    def length(self) -> int:
        """Any number of iterations."""
        size: int = self.paths.size("n")
        return size

    def any_dtype(self, allowed: Sequence[str] = ()) -> DType:
        """Of those that are allowed each; where any is, a float, an integer and an index."""
        if self.needs.asks_dtypes:
            return dtype(
                self.pick([n for n in allowed or self.facts.bases(("Any",)) if n != "void"])
            )
        names = [n for n in _KINDS if not allowed or n in allowed]
        if self.needs.calls and self.rank < 2:
            allowed = allowed or self.facts.bases(("Any",))
        if allowed and (self.needs.calls or self._named(allowed) or not names):
            names += [n for n in allowed if n not in names and n != "void"]
        return dtype(self.pick(names if self.rank < 2 else names[:1]))

    def again(self, size: UOp) -> UOp:
        """As it is: no loop runs."""
        return size

    def _named(self, allowed: Sequence[str]) -> bool:
        return any(tuple(allowed) == tuple(names) for names in self.sets.values())

    def constant(self, want: Want) -> UOp:
        """A constant: any integer, both truth values; any float, at which nobody may look."""
        kind = want.dtype or self.any_dtype()
        if kind.is_bool:
            return UOp.const(kind, self.paths.choose((False, True)))
        if kind.is_float:
            if self.paths.known is not None:
                return UOp.const(kind, 2.0)
            return UOp(Ops.CONST, kind, (), UnknownFloat(f"c{self.number()}"))
        low, high = max(-LARGEST, int(kind.min)), int(kind.max)
        return UOp(Ops.CONST, kind, (), self.paths.size("c", low, high))

    def node(self, expr: t.OpNode, want: Want) -> UOp:
        """A node of each of the ops that the head names."""
        name = self.pick([n for n in self.facts.heads(expr.head) if self._may_be(n, want)])
        op: Op = getattr(Ops, name)
        make = _BUILDERS.get(op.name, moved if "Movement" in op.groups else builder(op))
        node: UOp = make(self, op, expr, want)
        if want.dtype is not None and node.dtype is not want.dtype:
            raise Retry
        return node

    def variable(self, low: int, high: int) -> UOp:
        """A symbolic integer with any bounds."""
        low, high = self.paths.size("lo", least=-LARGEST), self.paths.size("hi", -LARGEST)
        node = self._any(Ops.VAR, dtypes.index, (), (f"v{self.number()}", low, high))
        if self.paths.known is None:
            object.__setattr__(node, "_interval", Bounds(low, high))
        return self._within(node)

    def _within(self, variable: UOp) -> UOp:
        """A variable, of which it is known now that it is within its bounds."""
        if self.paths.known is None:
            name, low, high = variable.arg
            raw = self.paths.symbols.z3.Int(name, self.paths.symbols.context)
            self.paths.assume(self.paths.term(low) <= raw, raw <= self.paths.term(high))
        return variable

    def loop_size(self) -> UOp:
        """Any number of iterations; where a guard may look at its bounds, symbolic too."""
        if self.rank < 2 and self.needs.reads_bounds and self.chance(0.5):
            return self._sized()
        return UOp.index_const(self.length())

    def _sized(self) -> UOp:
        """A symbolic number that is not negative."""
        low, high = self.paths.size("lo"), self.paths.size("hi")
        return self._within(UOp(Ops.VAR, dtypes.index, (), (f"v{self.number()}", low, high)))

    # ---- leaves --------------------------------------------------------------------------------

    def effects(self, view: UOp) -> list[UOp]:
        """None, or one that fills the view; where that is no memory, any."""
        count = self.paths.choose((0, 1)) if self.rank < 2 else 1
        if chain(view)[-1].op not in _WRITTEN:
            return [self.leaf(Want(role="effect"))][:count]
        return [view.store(self.param(view.dtype, view.shape or ()))][:count]

    def holding(self, memory: UOp, indices: Sequence[UOp]) -> UOp:
        """As it is: where indices lie, conditions say."""
        return memory

    def param(self, kind: DType, shape: Any, device: str | None = None) -> UOp:
        """Memory that the graph is given."""
        return self._any(Ops.PARAM, kind, (), (FIRST_SLOT + self.number(), shape, device))

    def places(self, node: UOp) -> Sequence[str]:
        """Devices are names, of which no more is asked than what is compared."""
        return DEVICES

    def leaf(self, want: Want) -> UOp:
        """Any value, tensor, index, loop or effect, as a parameter or an element of one."""
        if want.role == "effect" or want.dtype is dtypes.void:
            return self._any(Ops.BARRIER, dtypes.void, (self.param(dtypes.f32, ()),))
        if want.role == "loop":
            arg = (self.number(), "reduce")
            return UOp(Ops.RANGE, dtypes.index, (self.loop_size(),), arg)
        if want.role == "size":  # which no INVALID index is
            return self.variable(0, 0)
        kind = want.dtype or self.any_dtype()
        if want.role == "access":
            where = self.param(kind, (self.paths.size("n"),)), self._index()
            return self._any(Ops.INDEX, kind, where)
        if want.dtype is dtypes.index and want.role != "memory" and not self.has_axes(want):
            return self._index()
        shape = self.shape_for(want)
        if want.role == "memory":
            held = self.memory
            if held is not None and want.shape is None and held.dtype in (want.dtype, None, kind):
                return self._now(held) if self._is_held() else self.param(kind, shape)
            return self.param(kind, shape)
        return self._in_loops_of(kind, shape)

    def _is_held(self) -> bool:
        """Whether two names are of one memory: both."""
        return self.rank > 1 or self.chance(0.7)

    def _now(self, memory: UOp) -> UOp:
        """Memory as it is, or after something has happened."""
        effects = self.effects(memory) if self.rank < 2 and self.chance(0.5) else []
        return UOp(Ops.AFTER, memory.dtype, (memory, *effects)) if effects else memory

    def _in_loops_of(self, kind: DType, shape: tuple[Any, ...]) -> UOp:
        """A value that may depend on the loops around it, or on all but one of them."""
        loops = [r for r in self.scope if r.op is Ops.RANGE]
        without = self.pick((None, *loops))  # a function of all of them, or of all but one
        loops = [r for r in loops if r is not without]
        sizes = tuple(_most(r.src[0]) for r in loops)
        device = self.pick((None, "C", *self.needs.texts) if self.needs.placed else (None,))

        def read(kind: DType) -> UOp:
            node = self.param(kind, (*sizes, *shape), device)
            return self._any(Ops.INDEX, kind, (node, *loops)) if loops else node

        if kind is dtypes.index and self._may_be_invalid():
            return self._masked(read(dtypes.bool), read(kind))
        return read(kind)

    def _any(self, op: Op, kind: DType, src: tuple[UOp, ...] = (), arg: Any = None) -> UOp:
        """A node that stands for any: nobody asks what it is."""
        make = UOp if self.paths.known is not None else Leaf
        return make(op, kind, src, arg)

    def _index(self) -> UOp:
        """An index, which may be INVALID; in loops any function of them."""
        if self.scope:
            return self._in_loops_of(dtypes.index, ())
        index = self.variable(0, 0)
        if not self._may_be_invalid():
            return index
        masked = self._masked(self.param(dtypes.bool, ()), index)
        if self.needs.reads_bounds and self.chance(0.5) and self.paths.known is None:
            object.__setattr__(masked, "_interval", index._interval)  # as one that `%` bounds has
        assert masked.interval  # is known: it may be asked for
        return masked

    def _masked(self, valid: UOp, index: UOp) -> UOp:
        """An index, or a tensor of them, that is INVALID somewhere."""
        return self._any(Ops.WHERE, dtypes.index, (valid, index, UOp(Ops.INVALID, dtypes.index)))

    def _may_be_invalid(self) -> bool:
        """Whether indices are; of an INDEX that is the whole, valid ones are compared."""
        if self.invalid_leaves is None:
            self.invalid_leaves = self.rank < 2 or not is_node(self.rule.pattern, "INDEX")
            self.invalid_leaves = self.invalid_leaves and self.chance(0.5)
        return self.invalid_leaves


def _asks_dtypes(rule: t.Rule, params: Mapping[str, Any]) -> bool:
    """Whether a rule looks at what dtype something has, beside the patterns."""
    for node in t.walk(rule):
        if isinstance(node, t.Field) and node.name == "dtype":
            return True
        if isinstance(node, t.OpName) and str(node.name) in params:
            return True
    return False


def _most(size: UOp) -> Any:
    """The largest number of iterations that a size stands for."""
    return size.arg if size.op is Ops.CONST else size.arg[2]


# ---- builders that compute with sizes -----------------------------------------------------------


def moved(g: Schemas, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """A view with any argument that fits its source."""
    if want.shape == ():  # a scalar moves to no axes
        want = replace(want, shape=None, rank=0)
    if want.shape is not None:
        raise Opaque("a movement to a shape that is given")
    source = g.sources(op, expr)[0]
    role = "memory" if want.role == "memory" else "value"
    rank = None if op is Ops.RESHAPE else want.rank
    base = g.make(source.expr, Want(want.dtype, None, rank, role))
    arg = _ARGUMENTS[op.name](g, base.shape or (), want)
    return UOp(op, base.dtype, (base,), g.arguments(expr, (arg,))[0])


def _fits(g: Schemas, condition: Any) -> None:
    if g.paths.known is None:
        g.paths.assume(condition)


def _reshape(g: Schemas, shape: tuple[Any, ...], want: Want) -> Any:
    new = g.shape(want.rank)
    _fits(g, g.paths.product(shape) == g.paths.product(new))
    return new


def _expand(g: Schemas, shape: tuple[Any, ...], want: Want) -> Any:
    new = []
    for size in shape:
        new.append(g.paths.size("n"))
        old, wide = g.paths.term(size), g.paths.term(new[-1])
        _fits(g, g.paths.symbols.z3.Or(old == 1, old == wide))
    return tuple(new)


def _permute(g: Schemas, shape: tuple[Any, ...], want: Want) -> Any:
    return g.paths.choose(list(permutations(range(len(shape)))))


def _pad(g: Schemas, shape: tuple[Any, ...], want: Want) -> Any:
    return tuple([(g.paths.size("p"), g.paths.size("p")) for _ in shape])


def _shrink(g: Schemas, shape: tuple[Any, ...], want: Want) -> Any:
    bounds = []
    for size in shape:
        begin, end = g.paths.size("b"), g.paths.size("e")
        _fits(g, g.paths.term(begin) <= g.paths.term(end))
        _fits(g, g.paths.term(end) <= g.paths.term(size))
        bounds.append((begin, end))
    return tuple(bounds)


def _flip(g: Schemas, shape: tuple[Any, ...], want: Want) -> Any:
    return tuple([g.chance(0.5) for _ in shape])


_ARGUMENTS: dict[str, Any] = {
    "RESHAPE": _reshape, "EXPAND": _expand, "PERMUTE": _permute, "PAD": _pad, "SHRINK": _shrink,
    "FLIP": _flip,
}  # fmt: skip


_OTHERS = (dtypes.f32, dtypes.u32, dtypes.u8)
"""Of each kind one of the same width, and of another."""


def subbuffer(g: Schemas, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Part of a longer memory."""
    shape = g.shape_for(want)
    offset, whole = g.paths.size("o"), g.paths.size("n")
    _fits(g, g.paths.term(offset) + g.paths.product(shape) <= g.paths.term(whole))
    kind = want.dtype or g.any_dtype()
    source = g.sources(op, expr)[0].expr
    own = None  # which is what the pattern says
    if not isinstance(source, t.Typed):
        own = g.pick((kind, *(k for k in _OTHERS if k is not kind)))
    base = g.make(source, Want(own, (whole,), role="memory"))
    return UOp(op, kind, (base,), g.arguments(expr, (offset, shape)))


def scalar_name(g: Schemas, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """A symbolic integer, bound or not."""
    node = g.variable(0, 0)
    if op is Ops.VAR:
        return node
    return UOp(Ops.BIND, dtypes.index, (node, g.constant(Want(dtypes.index))))


def load(g: Schemas, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """An element; with what to give instead goes a gate."""
    node = builder(op)(g, op, expr, want)
    if len(node.src) == 2:
        raise Retry
    return node


def parts(g: Schemas, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """A value on several devices: how large its parts are, nobody says for all sizes."""
    raise Opaque(f"{op} has no meaning for all sizes here")


_BUILDERS: dict[str, Any] = {
    "SUBBUFFER": subbuffer, "VAR": scalar_name, "BIND": scalar_name,
    "LOAD": load, "MSTACK": parts,
}  # fmt: skip


FIRST_SLOT = 1_000_000
"""Parameters from here on are watched: equal nodes are one, so no others have such numbers."""

_FIELDS = {
    name: next(vars(base)[name] for base in UOp.__mro__ if name in vars(base))
    for name in ("op", "src", "arg", "ranges", "interval", "vmin", "vmax", "base")
}
_BOUNDS = ("interval", "vmin", "vmax")


def _asked(name: str) -> Any:
    """A field of a leaf. Getting it raises Opaque where a guard or an extern asks."""

    def get(self: UOp) -> Any:
        frame = sys._getframe(1)
        module = frame.f_globals.get("__name__")
        # the matcher itself has no module: it tries a pattern against every operand
        matches = module is None and not frame.f_code.co_name.startswith("rule_")
        if name == "ranges":  # of a leaf in loops all of them, or all but one
            matches = module is not None and module.startswith(OWN)
        elif name in _BOUNDS:
            matches = self._interval is not UNSET  # any that there may be
        if matches or (module is not None and module.startswith(MAY_LOOK)):
            return _FIELDS[name].__get__(self)
        raise Opaque(f"{module or 'a guard'} asks for the {name} of a leaf")

    return property(get)


class Leaf(UOp):
    """A node that stands for any: one that knows when somebody asks what it is.

    A proof for a parameter as a leaf holds for every leaf only if nobody looks: a guard that asks
    for `x.op`, or an extern that looks below its operands, may do something else for another node.
    One has bounds of which nothing is known, or none to be asked for. What the graph's own walks
    do (ranges, shapes, substitution) is the same for every node.
    """

    __slots__ = ()

    @property
    def __class__(self) -> Any:
        return UOp

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise Opaque("a leaf cannot change its type")

    op = _asked("op")
    src = _asked("src")
    arg = _asked("arg")
    ranges = _asked("ranges")
    interval = _asked("interval")
    vmin = _asked("vmin")
    vmax = _asked("vmax")
    base = _asked("base")

    def __repr__(self) -> str:
        require_unseen([self], "text")
        return super().__repr__()

    __str__ = __repr__


def require_unseen(nodes: Sequence[UOp], what: str, above: int = 2) -> None:
    """Raise Opaque where who asked, so many calls above, sees a leaf among some nodes, and may not
    look."""
    module = str(sys._getframe(above).f_globals.get("__name__"))
    if not module.startswith(MAY_LOOK) and any(type(n) is Leaf for n in nodes):
        raise Opaque(f"{module} asks for the {what} of a leaf")
