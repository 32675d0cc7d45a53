"""Graphs that a rule's pattern fits, made from above with random operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from random import Random
from typing import Any, NamedTuple

from rule_fuzz import several
from rule_fuzz.nodes import Dead, Nodes, Shape
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops, op as op_named
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.verify.values.comparison import needs_shadow

_KINDS = ("loop", "reduce")
_COMBINE = ("ADD", "ADD", "MUL", "MAX", "MIN", "AND", "OR", "XOR")
_LOOPED = (Ops.REDUCE, Ops.END)


class Want(NamedTuple):
    """What a place asks for; None leaves it open."""

    kind: DType | None = None
    shape: Shape | None = None
    role: str = ""
    limit: int = 4


class Named(NamedTuple):
    """What guards of a rule name, and its dtypes: the same for all graphs."""

    facts: Facts
    sets: dict[str, tuple[str, ...]]
    numbers: list[float]
    texts: list[str]
    ops: list[Op]
    asks_lanes: bool


def named(rule: t.Rule, facts: Facts) -> Named:
    """What a rule names."""
    asking = [c.guard for c in rule.all(t.When)] + [c.value for c in rule.all(t.Let)]
    nodes = [n for root in asking for n in t.walk(root)]
    numbers = {n.value for n in t.walk(rule) if isinstance(n, t.Num) and abs(n.value) < 1 << 64}
    near = {n + d for n in numbers if n == n for d in (-1, 0, 1)}
    names = [str(n.name) for n in nodes if isinstance(n, t.OpName) and n.name in facts.ops]
    names += [o for n in nodes if isinstance(n, t.GroupName) for o in facts.groups.get(n.name, ())]
    return Named(
        facts,
        {str(p.name): facts.bases(p.sets) for p in rule.type_params},
        sorted(near),
        sorted({str(n.value) for n in nodes if isinstance(n, t.Str)}),
        [op_named(n) for n in dict.fromkeys(names)],
        any(isinstance(n, t.Field) and n.name == "count" for n in nodes),
    )


class Graph:
    """One attempt at a graph of a pattern."""

    def __init__(self, rule: t.Rule, rule_names: Named, rng: Random) -> None:
        self.rule, self.facts, self.sets = rule, rule_names.facts, rule_names.sets
        self.nodes = Nodes(rng, rule_names.numbers, rule_names.texts, rule_names.ops)
        self.nodes.plain |= needs_shadow(rule.equiv)  # of computed operands it is another number
        self.rng = rng
        self.types: dict[str, DType] = {}
        self.names: dict[str, Any] = {}
        self.lanes = 1
        if self.nodes.chance(0.4 if rule_names.asks_lanes else 0.06):
            near = [int(n) for n in rule_names.numbers if 1 < n <= 64 and n == int(n)]
            self.lanes = self.nodes.pick([2, 3, 4, *near])

    def make(self) -> UOp:
        """The graph. Raises Dead."""
        kind = None
        annotated = {str(n.type) for n in t.walk(self.rule.pattern) if isinstance(n, t.Typed)}
        if unbound := sorted(self.sets.keys() - annotated):
            kind = self.type_named(unbound[0])
        shape: Shape | None = () if self.nodes.chance(0.6) or self.lanes > 1 else None
        root = self.term(self.rule.pattern, Want(kind, shape if self._elementwise() else None))
        if not all(map(_is_well_formed, root.toposort())):
            raise Dead
        return root

    def _elementwise(self) -> bool:
        root = self.facts.as_node(t.bare(self.rule.pattern))
        heads = self.facts.heads(root.head) if isinstance(root, t.OpNode) else ()
        return all(op_named(h).elementwise for h in heads)

    def type_named(self, name: str) -> DType:
        """The dtype of an annotation, chosen once for a type parameter."""
        if name in self.sets:
            if name not in self.types:
                self.types[name] = self.nodes.some_dtype(self.sets[name]).vec(self.lanes)
            return self.types[name]
        if name in self.facts.dtypes:
            return dtype(name)
        return self.nodes.some_dtype(self.facts.bases((name,)))

    # ---- terms ----

    def term(self, expr: t.Expr, want: Want) -> UOp:
        """A node that an expression matches."""
        expr = self.facts.as_node(expr)
        if isinstance(expr, t.Typed):
            return self.term(expr.expr, want._replace(kind=self._typed(expr, want)))
        if isinstance(expr, t.Bind):
            return self._bound(str(expr.name), lambda: self.term(expr.pattern, want), want)
        if isinstance(expr, t.Var):
            return self._bound(str(expr.name), lambda: self.open(want), want)
        if isinstance(expr, t.Wild):
            return self.open(want)
        if isinstance(expr, t.ConstVar):
            kind = want.kind or self.nodes.some_dtype()
            return self._bound(str(expr.name), lambda: self.nodes.const(kind), want)
        if isinstance(expr, t.Num | t.BoolLit):
            kind = want.kind or (
                dtypes.bool if isinstance(expr, t.BoolLit) else self.nodes.some_dtype()
            )
            return UOp.const(kind, expr.value)
        if isinstance(expr, t.OpNode):
            return self._node(expr, want)
        raise Dead

    def _typed(self, expr: t.Typed, want: Want) -> DType:
        name = str(expr.type)
        if name in self.sets and name not in self.types and want.kind is not None:
            self.types[name] = want.kind
        kind = self.type_named(name)
        if isinstance(expr.lanes, int):
            kind = kind.vec(expr.lanes)
        elif expr.lanes:
            kind = kind.vec(self.type_named(str(expr.lanes)).count)
        if want.kind not in (None, kind):
            raise Dead
        return kind

    def _bound(self, name: str, make: Any, want: Want) -> UOp:
        if name not in self.names:
            others = [n for n in self.names.values() if isinstance(n, UOp)]
            shared = self.nodes.pick(others) if others and self.nodes.chance(0.1) else None
            fits = shared is not None and not want.role and shared.shape is not None
            self.names[name] = shared if fits else make()
        node: UOp = self.names[name]
        if want.kind not in (None, node.dtype):
            raise Dead
        return node

    def open(self, want: Want) -> UOp:
        """What stands where a pattern says nothing."""
        if want.role == "loop":
            return self.nodes.loop()
        if want.role == "index":
            return self.nodes.index(want.limit)
        if want.role == "effect" or want.kind is dtypes.void:
            return self.nodes.effect()
        kind = want.kind or self.nodes.some_dtype().vec(self.lanes)
        if want.role == "access":
            return self.nodes.element(kind)
        shape = self.nodes.shape() if want.shape is None else want.shape
        shape = () if kind.count > 1 else shape
        return (
            self.nodes.param(kind, shape, True)
            if want.role == "memory"
            else self.nodes.leaf(kind, shape)
        )

    def _node(self, expr: t.OpNode, want: Want) -> UOp:
        op = op_named(self.nodes.pick(self.facts.heads(expr.head)))
        if want.kind is dtypes.void and op.row["result"] != "void":
            raise Dead
        if op.elementwise:
            return self._elementwise_node(op, expr, want)
        if "Movement" in op.groups:
            return self._view(op, expr, want)
        if op.name not in _MAKERS:
            raise Dead
        return _MAKERS[op.name](self, op, expr, want)

    def sources(self, op: Op, expr: t.OpNode) -> list[t.Source]:
        """The patterns of the operands; of each that is fixed, where the rule says nothing."""
        sources = list(expr.sources or ())
        if not sources or (len(sources) == 1 and sources[0].rest):
            fixed = [t.Source(t.Wild()) for _, _, rest in op.params if not rest]
            if sources and isinstance(sources[0].expr, t.Var):
                kept = [self.open(Want(None, ())) for _ in fixed]
                self.names[str(sources[0].expr.name)] = kept
                raise Dead
            return fixed
        return sources

    def _elementwise_node(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        sources = self.sources(op, expr)
        params = {name: tuple(names) for name, names in op.row["tparams"]}
        own: dict[str, DType] = {}
        result = op.row["result"]
        if want.kind is not None and result in params:
            own[result] = want.kind
        shape = want.shape
        made: dict[int, UOp] = {}
        order = sorted(range(len(sources)), key=lambda i: _openness(sources[i].expr))
        for i in order:
            declared = op.params[i][1]
            kind = own.get(declared) or (
                dtypes.bool.vec(self.lanes) if declared == "bool" else None
            )
            if declared in params and kind is None and _openness(sources[i].expr) > 1:
                kind = self.nodes.some_dtype(params[declared]).vec(self.lanes)
            if op is Ops.BITCAST and kind is None and want.kind is not None:
                kind = self.nodes.pick([k for k in map(dtype, self.facts.dtypes[1:])
                                        if k.bits == want.kind.bits])  # fmt: skip
            here = () if self.nodes.chance(0.05) else shape
            role = want.role if want.role == "index" and kind in (None, dtypes.index) else ""
            made[i] = self.term(sources[i].expr, Want(kind, here, role, want.limit))
            if declared in params:
                own.setdefault(declared, made[i].dtype)
                if made[i].dtype.base not in params[declared] or own[declared] != made[i].dtype:
                    raise Dead
            if shape is None and made[i].op is not Ops.CONST:
                shape = self.concrete(made[i])
        kind = own.get(result) or want.kind
        if result not in params:
            kind = dtype(result).vec(made[len(made) - 1].dtype.count)
        elif kind is None:
            kind = self.nodes.some_dtype(params[result]).vec(self.lanes)
        if want.kind not in (None, kind):
            raise Dead
        node = UOp(op, kind, tuple(made[i] for i in range(len(sources))))
        if op.commutative and not expr.ordered and self.nodes.chance(0.3):
            node = node.replace(src=node.src[::-1])
        return node

    def concrete(self, node: UOp) -> Shape:
        """The sizes of a node. Raises Dead where one is symbolic."""
        shape = node.shape
        sizes = tuple(s for s in shape or () if isinstance(s, int))
        if shape is None or len(sizes) < len(shape):
            raise Dead
        return sizes

    def argument(self, expr: t.OpNode, values: Sequence[Any]) -> tuple[Any, ...]:
        """The fields as a pattern has them, else as they were drawn."""
        fields = []
        for pattern, value in zip(expr.args or (), values, strict=False):
            if isinstance(pattern, t.Var):
                value = self.names.setdefault(str(pattern.name), value)
            elif isinstance(pattern, t.Num | t.BoolLit | t.Str):
                value = pattern.value
            elif isinstance(pattern, t.OpName):
                value = op_named(str(pattern.name))
            elif isinstance(pattern, t.NoneLit):
                value = None
            elif isinstance(pattern, t.TupleExpr):
                value = _literal(pattern)
            elif isinstance(pattern, t.OpSet | t.GroupName):
                value = op_named(self.nodes.pick(self.facts.heads(pattern)))
            fields.append(value)
        return (*fields, *values[len(fields) :])

    # ---- views ----

    def _view(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        source = self.sources(op, expr)[0].expr
        shape = want.shape
        if shape is None and _openness(source) < 3:
            inner = self.term(source, Want(want.kind, None, want.role))
            shape = self._outward(op, self.concrete(inner))
            node = self._around(op, inner, shape)
        else:
            shape = self.nodes.shape() if shape is None else shape
            node = self.nodes.moved(
                op, want.kind or self.nodes.some_dtype(), shape,
                lambda k, s: self.term(source, Want(want.kind, s, want.role)),
            )  # fmt: skip
            node = node.replace(dtype=node.src[0].dtype)
        sizes: list[UOp] = []
        arg = node.arg
        if op in (Ops.RESHAPE, Ops.EXPAND) and arg and self.nodes.chance(0.08):
            at = self.rng.randrange(len(arg))
            if op is Ops.RESHAPE or (node.src[0].shape or ())[at] == 1:
                sizes, arg = [self.size(arg[at])], (*arg[:at], None, *arg[at + 1 :])
        return node.replace(src=(*node.src, *sizes), arg=self.argument(expr, (arg,))[0])

    def size(self, size: int) -> UOp:
        """A variable that is a size."""
        name = f"n{self.nodes.number()}"
        self.nodes.sizes[name] = size
        return UOp.variable(name, self.nodes.pick((0, size)), self.nodes.pick((size, size + 2)))

    def _outward(self, op: Op, shape: Shape) -> Shape:
        return self.nodes.other(shape) if op is Ops.RESHAPE else shape

    def _around(self, op: Op, inner: UOp, shape: Shape) -> UOp:
        """A view of a node that is there."""
        old, rng = self.concrete(inner), self.rng
        if op is Ops.RESHAPE:
            return UOp(op, inner.dtype, (inner,), shape)
        if op is Ops.FLIP:
            return UOp(op, inner.dtype, (inner,), tuple(rng.random() < 0.5 for _ in old))
        if op is Ops.PERMUTE:
            return UOp(op, inner.dtype, (inner,), tuple(rng.sample(range(len(old)), len(old))))
        if op is Ops.EXPAND:
            wide = tuple(self.nodes.dim() if n == 1 else n for n in old)
            return UOp(op, inner.dtype, (inner,), wide)
        if op is Ops.PAD:
            pads = tuple((rng.randint(0, 2), rng.randint(0, 2)) for _ in old)
            return UOp(op, inner.dtype, (inner,), pads)
        ends = [sorted((rng.randint(0, n), rng.randint(0, n))) for n in old]
        return UOp(Ops.SHRINK, inner.dtype, (inner,), tuple((a, b) for a, b in ends))

    def _same(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        inner = self.term(self.sources(op, expr)[0].expr, want._replace(role=""))
        apart = [
            f"C,C:1@{i}" for i, n in enumerate(inner.shape or ()) if type(n) is int and n % 2 == 0
        ]
        devices = ("C", "C", "OPENCL", "C,C:1", *apart, *self.nodes.texts)
        arg = self.nodes.pick(devices) if op is Ops.COPY else None
        return UOp(op, inner.dtype, (inner,), self.argument(expr, (arg,))[0])

    # ---- loops ----

    def _loops(self, sources: Sequence[t.Source]) -> list[UOp]:
        loops: list[UOp] = []
        for source in sources:
            if source.rest:
                some = [self.nodes.loop() for _ in range(self.rng.randint(0, 2))]
                if isinstance(source.expr, t.Var):
                    some = self.names.setdefault(str(source.expr.name), some)
                loops += some
            else:
                loops.append(self.term(source.expr, Want(dtypes.index, (), "loop")))
        if len(set(loops)) < len(loops):
            raise Dead
        return loops

    def _reduce(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        sources, outer = self.sources(op, expr), list(self.nodes.loops)
        loops = self._loops(sources[1:])
        self.nodes.loops = outer + [r for r in loops if r.op is Ops.RANGE]
        if op is Ops.END:
            body = self.term(sources[0].expr, Want(dtypes.void, None, "effect"))
        else:
            shape = want.shape or (self.nodes.shape() if self.nodes.chance(0.1) else ())
            body = self.term(sources[0].expr, Want(want.kind, shape))
        self.nodes.loops = outer
        if op is Ops.END:
            return UOp(op, dtypes.void, (body, *loops))
        combine = self._combine(expr, body.dtype)
        return UOp(op, body.dtype, (body, *loops), combine)

    def _combine(self, expr: t.OpNode, kind: DType) -> Op:
        combine: Op = self.argument(expr, (op_named(self.nodes.pick(_COMBINE)),))[0]
        if kind.base not in dict(combine.row["tparams"]).get("T", (kind.base,)):
            raise Dead
        return combine

    def _reduce_axis(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        if want.shape is None:
            shape = None
        else:
            at = self.rng.randint(0, len(want.shape))
            shape = (*want.shape[:at], self.nodes.dim(), *want.shape[at:])
        inner = self.term(self.sources(op, expr)[0].expr, Want(want.kind, shape))
        old = self.concrete(inner)
        axes = tuple(i for i in range(len(old)) if self.nodes.chance(0.5))
        if want.shape is not None:
            axes = (at,)
        combine = op_named(self.nodes.pick(_COMBINE))
        combine, axes = self.argument(expr, (combine, axes))
        if inner.dtype.base not in dict(combine.row["tparams"]).get("T", (inner.dtype.base,)):
            raise Dead
        return UOp(op, inner.dtype, (inner,), (combine, axes))

    def _range(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        source = self.sources(op, expr)[0].expr
        loop = self.nodes.loop()
        size = loop.src[0]
        bare = source.expr if isinstance(source, t.Typed) else source
        if isinstance(bare, t.Var) and str(bare.name) in self.names:
            size = self.names[str(bare.name)]
        elif isinstance(bare, t.Var):
            self.names[str(bare.name)] = size
        elif not isinstance(bare, t.Wild):
            size = self.term(source, Want(dtypes.index, ()))
        kind = self.nodes.pick((*_KINDS, *self.nodes.texts))
        node = UOp(op, dtypes.index, (size,), self.argument(expr, (loop.arg[0], kind)))
        self.nodes.loops.append(node)
        return node

    # ---- memory ----

    def _index(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        sources = self.sources(op, expr)
        if expr.sources and len(expr.sources) == 1 and expr.sources[0].rest:
            raise Dead
        fixed = sum(not s.rest for s in sources[1:])
        rank = fixed + (self.rng.randint(0, 2) if any(s.rest for s in sources[1:]) else 0)
        left = (
            want.shape if want.shape is not None else self.nodes.shape(self.rng.choice((0, 0, 1)))
        )
        base_shape = (*(max(1, self.nodes.dim()) for _ in range(rank)), *left)
        role = "memory" if want.role == "access" else self.rng.choice(("memory", ""))
        base = self.term(sources[0].expr, Want(want.kind, base_shape, role))
        shape = self.concrete(base)
        if len(shape) < rank or base.dtype is dtypes.void:
            raise Dead
        indices: list[UOp] = []
        rests = [s for s in sources[1:] if s.rest]
        extra = rank - fixed
        for source in sources[1:]:
            if not source.rest:
                limit = shape[len(indices)]
                indices.append(self.term(source.expr, Want(dtypes.index, (), "index", limit)))
                continue
            count = extra if source is rests[-1] else self.rng.randint(0, extra)
            extra -= count
            some = [self.nodes.index(shape[len(indices) + i]) for i in range(count)]
            if isinstance(source.expr, t.Var):
                some = self.names.setdefault(str(source.expr.name), some)
            indices += some
        if len(indices) > len(shape):
            raise Dead
        return UOp(op, base.dtype, (base, *indices))

    def _extras(self, sources: Sequence[t.Source], wants: Sequence[Want]) -> list[UOp]:
        extras: list[UOp] = []
        for source in sources:
            if source.rest:
                some = (
                    [self.open(w) for w in wants[len(extras) :]] if self.nodes.chance(0.5) else []
                )
                if isinstance(source.expr, t.Var):
                    some = self.names.setdefault(str(source.expr.name), some)
                extras += some
            elif len(extras) < len(wants):
                extras.append(self.term(source.expr, wants[len(extras)]))
            else:
                raise Dead
        return extras

    def _load(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        sources = self.sources(op, expr)
        where = self.term(sources[0].expr, Want(want.kind, (), "access"))
        wants = [Want(where.dtype, ()), Want(dtypes.bool, ())]
        return UOp(op, where.dtype, (where, *self._extras(sources[1:], wants)))

    def _store(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        sources = self.sources(op, expr)
        whole = isinstance(t.bare(sources[0].expr), t.Var | t.Wild) and self.nodes.chance(0.4)
        first = Want(None, None, "memory") if whole else Want(None, (), "access")
        target = self.term(sources[0].expr, first)
        shape = () if self.nodes.chance(0.15) else self.concrete(target)
        value = self.term(sources[1].expr, Want(target.dtype, shape))
        gates = self._extras(sources[2:], [Want(dtypes.bool, ())])
        return UOp(op, dtypes.void, (target, value, *gates))

    def _after(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        sources = self.sources(op, expr)
        base = self.term(sources[0].expr, Want(want.kind, want.shape, "memory"))
        effects: list[UOp] = []
        for source in sources[1:]:
            if source.rest:
                some = [self._effect_on(base) for _ in range(self.rng.randint(0, 2))]
                if isinstance(source.expr, t.Var):
                    some = self.names.setdefault(str(source.expr.name), some)
                effects += some
            elif isinstance(source.expr, t.Var | t.Wild) and self.nodes.chance(0.7):
                name = str(getattr(source.expr, "name", ""))
                made = self._effect_on(base)
                effects.append(self.names.setdefault(name, made) if name else made)
            else:
                effects.append(self.term(source.expr, Want(dtypes.void, None, "effect")))
        return UOp(op, base.dtype, (base, *effects))

    def _effect_on(self, base: UOp) -> UOp:
        shape = self.concrete(base)
        root = base
        while root.op is Ops.AFTER:
            root = root.src[0]
        if root.op not in (Ops.PARAM, Ops.BUFFER, Ops.SCRATCH) or self.nodes.chance(0.1):
            return self.nodes.effect()
        root = base if self.nodes.chance(0.3) else root
        if 0 not in shape and self.nodes.chance(0.5):
            at = [UOp.index_const(self.rng.randrange(size)) for size in shape]
            return root.index(*at).store(self.nodes.leaf(root.dtype))
        return root.store(self.nodes.leaf(root.dtype, shape))

    # ---- the rest ----

    def _const(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        return self.nodes.const(want.kind or self.nodes.some_dtype())

    def _invalid(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        return UOp(op, dtypes.index)

    def _var(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        return self.nodes.variable(dtypes.index)

    def _param(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        node = self.nodes.param(want.kind or self.nodes.some_dtype(), want.shape or (), True)
        return UOp(op, node.dtype, (), self.argument(expr, node.arg))

    def _stack(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        sources = list(expr.sources or ()) or [t.Source(t.Wild(), True)]
        kind = (want.kind or self.nodes.some_dtype()).scalar
        lanes: list[UOp] = []
        for source in sources:
            if source.rest:
                some = [self.nodes.leaf(kind) for _ in range(self.rng.randint(1, 3))]
                if isinstance(source.expr, t.Var):
                    some = self.names.setdefault(str(source.expr.name), some)
                lanes += some
            else:
                lanes.append(self.term(source.expr, Want(kind, ())))
        return UOp(op, kind.vec(len(lanes)), tuple(lanes))

    def _lane(self, op: Op, expr: t.OpNode, want: Want) -> UOp:
        source = self.sources(op, expr)[0].expr
        count = self.rng.randint(2, 4)
        if isinstance(t.bare(source), t.Var | t.Wild):
            kind = (want.kind or self.nodes.some_dtype()).scalar.vec(count)
            vector = self.term(source, Want(kind, ()))
        else:
            vector = self.term(source, Want(None, ()))
        chosen = tuple(
            self.rng.randrange(vector.dtype.count) for _ in range(self.rng.randint(1, 3))
        )
        chosen = self.argument(expr, (chosen,))[0]
        return UOp(op, vector.dtype.scalar.vec(len(chosen)), (vector,), chosen)


_MAKERS: Mapping[str, Callable[[Graph, Op, t.OpNode, Want], UOp]] = {
    "DETACH": Graph._same, "CONTIGUOUS": Graph._same, "COPY": Graph._same, "REDUCE": Graph._reduce,
    "END": Graph._reduce, "REDUCE_AXIS": Graph._reduce_axis, "RANGE": Graph._range,
    "INDEX": Graph._index, "LOAD": Graph._load, "STORE": Graph._store, "AFTER": Graph._after,
    "CONST": Graph._const, "INVALID": Graph._invalid, "VAR": Graph._var, "BIND": Graph._var,
    "IOTA": several.iota, "PARAM": Graph._param, "BUFFER": Graph._param, "SCRATCH": Graph._param,
    "STACK": Graph._stack, "LANE": Graph._lane, "MSTACK": several.parts, "SINK": several.sink,
}  # fmt: skip


def _is_well_formed(node: UOp) -> bool:
    """Whether lanes and axes are those of its operands, which nobody checks."""
    if node.op is Ops.BITCAST and node.src[0].dtype.bits != node.dtype.bits:
        return False
    if node.op.elementwise:
        one = 1 if node.op is Ops.WHERE else 0  # condition for all lanes
        return all(
            s.dtype.count == node.dtype.count or (i < one and s.dtype.count == 1)
            for i, s in enumerate(node.src)
        )
    if "Movement" in node.op.groups:
        shape = node.src[0].shape
        if node.dtype.count > 1 or shape is None:
            return False
        if node.op is Ops.PERMUTE:
            return sorted(node.arg) == list(range(len(shape)))
        return node.op is Ops.RESHAPE or len(node.arg) == len(shape)
    if node.op is Ops.INDEX:
        shape = node.src[0].shape
        return node.dtype.count == 1 and shape is not None and len(node.src) <= len(shape) + 1
    return node.op is not Ops.AFTER or node.src[0].dtype is not dtypes.void


def _openness(expr: t.Expr) -> int:
    """How much a pattern leaves open, of 0 to 3: what says most is made first."""
    expr = t.bare(expr) if isinstance(expr, t.Bind) else expr
    if isinstance(expr, t.Typed):
        return 0
    if isinstance(expr, t.Num | t.BoolLit | t.ConstVar):
        return 2
    return 3 if isinstance(expr, t.Var | t.Wild) else 1


def _literal(expr: t.Expr) -> Any:
    if isinstance(expr, t.TupleExpr):
        return tuple(_literal(i) for i in expr.items)
    return None if isinstance(expr, t.NoneLit) else getattr(expr, "value", 0)


def elements(node: UOp) -> int:
    """How many elements a value has in all its loops."""
    return prod(max(1, int(r.vmax) + 1) for r in node.ranges) * prod(
        s if type(s) is int else 4 for s in node.shape or ()
    )
