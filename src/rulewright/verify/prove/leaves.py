"""What stands where a pattern says nothing: memory, elements, index arithmetic, effects."""

from __future__ import annotations

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.prove.graphs import Graphs, Want


def leaf(g: Graphs, want: Want) -> UOp:
    """A node of what is wanted."""
    if want.role == "effect" or want.dtype is dtypes.void:
        return effect(g)
    if want.role == "loop":
        return g.loop(g.loop_size(), "reduce")
    if want.dtype is dtypes.index and want.role != "memory" and not g.has_axes(want):
        return index(g, want.limit)
    kind = want.dtype or g.any_dtype()
    if want.role == "access":
        return access(g, kind)
    shape = g.shape_for(want)
    if want.role == "memory":
        return memory(g, want) or g.param(kind, shape)
    return scalar(g, kind) if shape == () else shaped(g, kind, shape)


def memory(g: Graphs, want: Want) -> UOp | None:
    """The memory that is stored into here, if it is what is wanted."""
    memory = g.memory
    if memory is None or want.dtype not in (None, memory.dtype) or want.shape is not None:
        return None
    return memory if want.rank in (None, len(g.concrete(memory))) else None


def shaped(g: Graphs, kind: DType, shape: tuple[int, ...]) -> UOp:
    """A tensor: a parameter, or something computed from one."""
    param = g.param(kind, shape, g.pick([None, None, "C", "OPENCL", *g.needs.texts]))
    if g.leaves_only or g.chance(0.6) or kind.is_bool:
        return param
    if g.chance(0.5):
        return param + param if kind.kind != "Index" else param
    return UOp(Ops.FLIP, kind, (param,), tuple(g.chance(0.5) for _ in shape))


def scalar(g: Graphs, kind: DType) -> UOp:
    """A single value: a parameter, an element in a loop, a converted index, a constant."""
    if g.leaves_only:
        return g.param(kind, (), g.pick([None, "C", "OPENCL"]))
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
    """A store into memory of its own."""
    kind = g.any_dtype()
    return access(g, kind).store(scalar(g, kind))


def index(g: Graphs, limit: int | None) -> UOp:
    """An index, below `limit` if one is given; sometimes invalid, for an access."""
    if limit is None:
        return _free(g, 2)
    if limit <= 0:
        return _invalid() if g.invalid else g.loop(0)
    inside = _inside(g, limit)
    if g.invalid and g.chance(0.12):
        masked = UOp(Ops.WHERE, dtypes.index, (condition(g, inside), inside, _invalid()))
        return masked % limit if g.chance(0.3) else masked  # whose bounds say nothing of that
    return inside


def _invalid() -> UOp:
    return UOp(Ops.INVALID, dtypes.index, ())


def condition(g: Graphs, value: UOp) -> UOp:
    """A comparison of an index, or a parameter."""
    if g.chance(0.3):
        return g.param(dtypes.bool, ())
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
    if g.reusable and choice < 0.6:
        return g.pick(g.reusable)
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
