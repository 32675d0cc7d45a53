"""Operands of nodes: those that a pattern asks for, and what stands where it says nothing.

Memory, elements, index arithmetic and effects are leaves; of elementwise nodes it is chosen which
dtypes a pattern leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.interp.stores import plain
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.verify.prove.graphs import DEVICES, Graphs, Retry, Want


def each(g: Graphs, sources: Sequence[t.Source], wants: Sequence[Want]) -> list[UOp]:
    """Operands by their patterns; a variadic one stands for what is left of `wants`."""
    operands: list[UOp] = []
    for place, source in enumerate(sources):
        if not source.rest:
            if len(operands) >= len(wants):
                raise Retry
            operands.append(g.make(source.expr, wants[len(operands)]))
            continue
        after = sum(not s.rest for s in sources[place + 1 :])
        here = wants[len(operands) : max(len(operands), len(wants) - after)]
        if any(s.rest for s in sources[place + 1 :]):
            here = here[: int(g.rng.integers(len(here) + 1))]
        nodes = [g.leaf(w) for w in here]
        if isinstance(source.expr, t.Var):
            nodes = g.names.setdefault(str(source.expr.name), nodes)
        operands += nodes
    return operands


def elementwise(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Operands of one shape; of one dtype where the op says so."""
    sources = g.sources(op, expr)
    if len(sources) != len(op.params):
        raise Retry
    kinds = _kinds(g, op, sources, want)
    scalar_role = want.role in ("index", "size", "access", "loop")
    shape = () if scalar_role else want.shape
    scalar = _scalar_among(g, sources) if shape is None else None
    lanes = max(kind.count for kind in (*kinds.values(), want.dtype or dtypes.void))
    stacked = _stacked(g, sources)
    if stacked is not None and lanes == 1:
        lanes, shape = stacked, ()
    operands: list[UOp] = []
    for place, (source, (_, declared, _)) in enumerate(zip(sources, op.params, strict=True)):
        kind = kinds.get(declared) or hint(g, source.expr)
        kind = (kind or _operand_kind(g, op, declared, kinds)).scalar.vec(lanes)
        here = () if place == scalar else shape
        role = "index" if kind is dtypes.index and here == () else "value"
        role = "size" if want.role == "size" and kind is dtypes.index else role
        operands.append(g.make(source.expr, Want(kind, here, want.rank, role)))
        if shape is None and place != scalar and operands[-1].op is not Ops.CONST:
            shape = g.concrete(operands[-1])  # the first operand that may have axes decides
    kind = kinds.get(op.result) or dtype(op.result)
    return UOp(op, kind.scalar.vec(lanes), tuple(operands))


def _stacked(g: Graphs, sources: Sequence[t.Source]) -> int | None:
    """How many lanes a STACK among operands has, by its pattern; None where there is none."""
    for source in sources:
        node = t.bare(g.facts.as_node(source.expr))
        if isinstance(node, t.OpNode) and g.facts.heads(node.head) == ("STACK",):
            return len(node.sources or ())
    return None


def _scalar_among(g: Graphs, sources: Sequence[t.Source]) -> int | None:
    """The place of an operand that has no axes beside others that may have some; None for none."""
    constants = t.ConstVar | t.Num | t.BoolLit
    open_ones = [k for k, s in enumerate(sources) if not isinstance(s.expr, constants)]
    if len(open_ones) < 2 or not g.needs.mixed or not g.chance(0.2):
        return None
    place: int = g.pick(open_ones)
    return place


def _kinds(g: Graphs, op: Op, sources: Sequence[t.Source], want: Want) -> dict[str, DType]:
    """The dtype of each of an op's own type parameters."""
    kinds: dict[str, DType] = {}
    for name, allowed in op.tparams.items():
        hints = [
            hint(g, s.expr)
            for s, (_, declared, _) in zip(sources, op.params, strict=True)
            if declared == name
        ]
        if op.result == name and want.dtype is not None:
            kinds[name] = want.dtype
        elif op is Ops.BITCAST and (source := hint(g, sources[0].expr)) is not None:
            kinds[name] = dtype(g.pick(_as_wide(g, source)))
        else:
            kinds[name] = next((h for h in hints if h), None) or g.any_dtype(allowed)
        if kinds[name].base not in allowed:
            raise Retry
    return kinds


def hint(g: Graphs, expr: t.Expr) -> DType | None:
    """The dtype that a pattern says it has."""
    expr = g.facts.as_node(expr)
    if isinstance(expr, t.Typed):
        return g.annotated(expr)
    if isinstance(expr, t.BoolLit):
        return dtypes.bool
    if isinstance(expr, t.Var | t.ConstVar | t.Bind):
        known = g.names.get(str(expr.name))
        if isinstance(known, UOp):
            return known.dtype
        return hint(g, expr.pattern) if isinstance(expr, t.Bind) else None
    if isinstance(expr, t.OpNode) and isinstance(expr.head, t.OpName):
        return _hint_of_op(g, expr)
    return None


def _hint_of_op(g: Graphs, expr: t.OpNode) -> DType | None:
    row = g.facts.ops[g.facts.heads(expr.head)[0]]
    result = row["result"]
    if result not in dict(row["tparams"]):
        return dtype(result) if result in g.facts.dtypes and result != "void" else None
    for source, (_, declared, _) in zip(expr.sources or (), row["params"], strict=False):
        if declared == result and not source.rest:
            kind = hint(g, source.expr)
            if kind:
                return kind
    return None


def _as_wide(g: Graphs, kind: DType) -> list[str]:
    """Dtypes whose bits can be read as another's."""
    names = [n for n in g.facts.dtypes if n not in ("void", "index", "bool")]
    return [n for n in names if dtype(n).bits == kind.bits and kind.base not in ("index", "bool")]


def _operand_kind(g: Graphs, op: Op, declared: str, kinds: dict[str, DType]) -> DType:
    """The dtype of an operand that the op leaves free, or names."""
    if op is Ops.BITCAST:
        return dtype(g.pick(_as_wide(g, kinds["T"])))
    if declared in g.facts.dtypes:
        return dtype(declared)
    return g.any_dtype(g.facts.bases((declared,)))


# ---- what stands where a pattern says nothing ----------------------------------------------------


def leaf(g: Graphs, want: Want) -> UOp:
    """A node of what is wanted."""
    if want.role == "effect" or want.dtype is dtypes.void:
        return effect(g)
    if want.role == "loop":
        return g.loop(g.loop_size(), "reduce")
    is_stored = want.role in ("memory", "access")
    if want.role == "size":
        return g.pick((UOp.index_const, g.symbolic))(g.length())
    if want.dtype is dtypes.index and not is_stored and not g.has_axes(want):
        return index(g, want.limit)
    kind = want.dtype or g.any_dtype()
    if want.role == "access":
        return access(g, kind)
    shape = g.shape_for(want)
    if want.device is not None:
        return part(g, kind, shape, want.device)
    if want.role == "memory":
        held = memory(g, want)
        return g.param(kind, shape) if held is None else held
    return scalar(g, kind) if shape == () else shaped(g, kind, shape)


def part(g: Graphs, kind: DType, shape: tuple[int, ...], device: str) -> UOp:
    """What one of several devices has: its own, or what all have."""
    if g.whole is None:
        return g.param(kind, shape, device)
    return g.whole if g.whole.device == device else UOp(Ops.COPY, kind, (g.whole,), device)


def memory(g: Graphs, want: Want) -> UOp | None:
    """The memory that is stored into here, if it is what is wanted, or none; after a store at
    times."""
    memory = None if g.chance(0.3) else g.memory
    if memory is None or want.dtype not in (None, memory.dtype) or want.shape is not None:
        return None
    if want.rank not in (None, len(g.concrete(memory))):
        return None
    effects = g.effects(memory) if not g.leaves_only and g.chance(0.1) else []
    return UOp(Ops.AFTER, memory.dtype, (memory, *effects)) if effects else memory


def shaped(g: Graphs, kind: DType, shape: tuple[int, ...]) -> UOp:
    """A tensor: a parameter, or something computed from one."""
    if shape and g.needs.shaped_bodies and not g.leaves_only and g.chance(0.15):
        return symbolic(g, kind, shape)
    if shape and g.needs.reads_bounds and not g.leaves_only and g.chance(0.3):
        return bounded(g, kind, shape)
    param = g.param(kind, shape, g.pick([None, None, *DEVICES, *g.needs.texts]))
    if g.leaves_only or g.chance(0.6):
        return param
    if kind is dtypes.index and g.invalid:
        return g.param(dtypes.bool, shape, param.device).where(param, _invalid())
    if not kind.is_bool and g.chance(0.5):
        return param + param if kind.kind != "Index" else param
    return UOp(Ops.FLIP, kind, (param,), tuple(g.chance(0.5) for _ in shape))


def symbolic(g: Graphs, kind: DType, shape: tuple[int, ...]) -> UOp:
    """A tensor of which one size is a variable, for who asks for sizes."""
    axis, wide = int(g.rng.integers(len(shape))), [*shape]
    wide[axis] += int(g.rng.integers(3))
    bounds: list[tuple[int, int | None]] = [(0, size) for size in shape]
    bounds[axis] = (0, None)
    end = g.symbolic(shape[axis], 0, wide[axis])
    return UOp(Ops.SHRINK, kind, (g.param(kind, tuple(wide)), end), tuple(bounds))


def bounded(g: Graphs, kind: DType, shape: tuple[int, ...]) -> UOp:
    """A tensor whose elements have known bounds: one number, or counted along an axis."""
    axis, alone = int(g.rng.integers(len(shape))), (1,) * len(shape)
    if kind.is_bool or g.chance(0.5):
        elements = g.constant(Want(kind))
    else:
        elements = UOp(Ops.IOTA, kind, (), (shape[axis],))
        alone = (*alone[:axis], shape[axis], *alone[axis + 1 :])
    elements = UOp(Ops.RESHAPE, kind, (elements,), alone)
    return UOp(Ops.EXPAND, kind, (elements,), shape)


def scalar(g: Graphs, kind: DType) -> UOp:
    """A single value: a parameter, an element in a loop, a converted index, a constant; of several
    lanes as many of them."""
    if kind.count > 1:
        lanes = [scalar(g, kind.scalar) for _ in range(kind.count)]
        return UOp(Ops.STACK, kind, tuple(lanes))
    if g.leaves_only:
        return g.param(kind, (), g.pick([None, *DEVICES]))
    loops = [r for r in g.scope if r.op is Ops.RANGE and g.chance(0.6)]
    choice = g.rng.random()
    if kind.is_bool and choice < 0.6:
        return conjunction(g)
    if loops and choice < 0.7:
        return g.param(kind, tuple(map(g.iterations_of, loops))).index(*loops)
    if choice < 0.8:
        return g.param(kind, ())
    if choice < 0.9 and not kind.is_float:
        return index(g, None).cast(kind)
    return g.constant(Want(kind))


def access(g: Graphs, kind: DType) -> UOp:
    """An element of memory."""
    size = max(1, g.pick(g.pool))
    return g.param(kind, (size,)).index(index(g, size))


def effect(g: Graphs) -> UOp:
    """A store: into memory of its own, into what an AFTER is about, or such that iterations of the
    loops around it find what others stored."""
    loops = [r for r in g.scope if r.op is Ops.RANGE]
    if loops and not g.leaves_only and g.chance(0.25):
        return _carried(g, loops)
    memory = None if g.memory is None else plain(g.memory)
    if memory is not None and memory.op is not Ops.DEFINE_LOCAL and g.chance(0.75):
        return g.store_into(memory)
    kind = g.any_dtype()
    return access(g, kind).store(scalar(g, kind))


def _carried(g: Graphs, loops: Sequence[UOp]) -> UOp:
    """A number that each iteration of some loops makes of the last one, by their order."""
    memory, first = g.param(dtypes.i32, (1,)), UOp.index_const(0)
    now = UOp(Ops.AFTER, dtypes.i32, (memory, *loops)).index(first)
    for factor, loop in enumerate(loops, 2):
        now = now * UOp.const(dtypes.i32, factor) + loop.cast(dtypes.i32)
    return memory.index(first).store(now)


def index(g: Graphs, limit: int | None) -> UOp:
    """An index, below `limit` if one is given; sometimes invalid."""
    if limit is not None and limit <= 0:
        return _invalid() if g.invalid else g.loop(0)
    number = _free(g, 2) if limit is None else _inside(g, limit)
    if not g.invalid or not g.chance(0.12):
        return number
    masked = UOp(Ops.WHERE, dtypes.index, (condition(g, number), number, _invalid()))
    if g.chance(0.7 if g.needs.reads_bounds else 0.3):  # whose bounds say nothing of that
        masked = masked % (g.pick((1, *g.factors)) if limit is None else limit)
        beyond = 0 if limit is not None else g.pick((0, 1, 4, 12))
        return masked + beyond if beyond else masked
    return masked


def _invalid() -> UOp:
    return UOp(Ops.INVALID, dtypes.index, ())


def condition(g: Graphs, value: UOp) -> UOp:
    """A comparison of an index, or a parameter: in loops one for each iteration."""
    if g.chance(0.3):
        loops = [r for r in g.scope if r.op is Ops.RANGE]
        flags = g.param(dtypes.bool, tuple(map(g.iterations_of, loops)))
        return flags.index(*loops) if loops else flags
    return value < int(g.rng.integers(0, 5))


def conjunction(g: Graphs) -> UOp:
    """One or two bounds of index arithmetic."""
    bounds = [_free(g, 1), _free(g, 1)]
    condition = bounds[0] < g.pick((1, 2, 3, *g.factors))
    if g.chance(0.5):
        condition = condition & (bounds[1] < g.pick((1, 2, 3, *g.factors)))
    return condition if g.chance(0.7) else condition & ~(bounds[0] < g.pick((0, 1, 2)))


def _inside(g: Graphs, limit: int) -> UOp:
    fitting = [r for r in g.scope if r.op is Ops.RANGE and r.src[0].arg == limit]
    choice = g.rng.random()
    if fitting and choice < 0.6:
        return g.pick(fitting)
    if choice < 0.35:
        return UOp.index_const(int(g.rng.integers(limit)))
    if choice < 0.75:
        return g.loop(limit)
    if choice < 0.85:
        return _free(g, 1) % limit
    return g.variable(0, limit - 1)


def _atom(g: Graphs) -> UOp:
    choice = g.rng.random()
    known = [*g.reusable, *(r for r in g.scope if r.op is Ops.RANGE and r not in g.reusable)]
    if known and choice < 0.6:
        return g.pick(known)
    if choice < 0.7:
        return g.loop(int(g.rng.integers(1, 5)))
    return g.variable(g.pick([0, 0, 0, -5]), g.pick([3, 9, 20]))


def _free(g: Graphs, depth: int) -> UOp:
    """Index arithmetic: products by small factors, sums, digits."""
    choice = g.rng.random()
    if depth == 0 or choice < 0.25:
        return _atom(g)
    inner, factor = _free(g, depth - 1), g.pick(g.factors)
    if choice < 0.4:
        return inner * factor
    if choice < 0.65:
        return inner + (_free(g, depth - 1) * g.pick(g.factors) if g.chance(0.7) else factor)
    if choice < 0.75:
        return (inner // factor) * factor
    return inner // factor if choice < 0.85 else inner % factor
