"""How a node of each op is made from its pattern: loops, reductions, memory, views, the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops, op as op_named
from rulewright.ir.placement import Placement
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.verify.prove.graphs import ELEMENTS, INDEX, Builder, Graphs, Retry, Shape, Want
from rulewright.verify.prove.operands import each, elementwise, hint


def movement(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """A view. Sizes are numbers, or now and then variables."""
    source = g.sources(op, expr)[0]
    role = "memory" if want.role == "memory" else "value"
    sizes: list[UOp] = []  # those of the argument that are symbolic
    if want.shape is not None:
        shape, arg = _BACKWARDS[op.name](g, want.shape)
        base = g.make(source.expr, Want(want.dtype, shape, role=role))
    else:
        want = replace(want, rank=_rank(expr, want))
        rank = None if op is Ops.RESHAPE else want.rank
        base = g.make(source.expr, Want(want.dtype, None, rank, role))
        arg = _FORWARDS[op.name](g, g.concrete(base), want, sizes)
    (arg,) = g.arguments(expr, (arg,))
    view = UOp(op, base.dtype, (base, *sizes[: _unknown(arg)]), arg)
    if want.shape is not None and view.shape != want.shape:
        raise Retry
    return view


def _rank(expr: t.OpNode, want: Want) -> int | None:
    """How many axes a view has: as many as its pattern names one by one, else what is wanted."""
    arg = expr.args[0] if expr.args else None
    return len(arg.items) if isinstance(arg, t.TupleExpr) else want.rank


def _unknown(arg: Any) -> int:
    """How many sizes of an argument are operands."""
    return sum(map(_unknown, arg)) if isinstance(arg, tuple) else arg is None


def _factors(g: Graphs, total: int, rank: int) -> Shape:
    if rank == 0:
        if total != 1:
            raise Retry
        return ()
    if total == 0:
        shape = [*g.shape(rank)]
        shape[int(g.rng.integers(rank))] = 0
        return tuple(shape)
    left, shape = total, []
    for _ in range(rank - 1):
        part = g.pick(_divisors(left)[:12])
        shape.append(part)
        left //= part
    shape.append(left)
    g.rng.shuffle(shape)
    return tuple(shape)


def _divisors(total: int) -> list[int]:
    """The divisors of a number, the least first."""
    least = [d for d in range(1, math.isqrt(total) + 1) if total % d == 0]
    return sorted({*least, *(total // d for d in least)})


def _other_shape(g: Graphs, shape: Shape) -> Shape:
    total = math.prod(shape)
    return _factors(g, total, int(g.rng.integers(1 if total != 1 else 0, 4)))


def _size(g: Graphs, sizes: list[UOp], size: int, low: int = 0) -> int | None:
    """A size of an argument; now and then None, and a variable for it among `sizes`."""
    if g.leaves_only or not g.chance(0.1):
        return size
    sizes.append(g.symbolic(size, low))
    return None


def _reshape(g: Graphs, shape: Shape, want: Want, sizes: list[UOp]) -> Any:
    if want.rank is None and g.chance(0.15):
        return shape
    total = math.prod(shape)
    rank = want.rank if want.rank is not None else int(g.rng.integers(total != 1, 4))
    return tuple([_size(g, sizes, size) for size in _factors(g, total, rank)])


def _expand(g: Graphs, shape: Shape, want: Want, sizes: list[UOp]) -> Any:
    arg: list[int | None] = []
    total = math.prod(shape)
    for size in shape:
        if size != 1:
            arg.append(size)
            continue
        new = g.pick([d for d in g.pool if total * d <= ELEMENTS])
        total *= new
        arg.append(_size(g, sizes, new))
    return tuple(arg)


def _permute(g: Graphs, shape: Shape, want: Want, sizes: list[UOp]) -> Any:
    return tuple(int(i) for i in g.rng.permutation(len(shape)))


def _pad(g: Graphs, shape: Shape, want: Want, sizes: list[UOp]) -> Any:
    arg: list[tuple[int, int | None]] = []
    for _ in shape:
        low, high = int(g.rng.integers(0, 3)), int(g.rng.integers(0, 3))
        arg.append((low, _size(g, sizes, high)))
    return tuple(arg)


def _shrink(g: Graphs, shape: Shape, want: Want, sizes: list[UOp]) -> Any:
    arg: list[tuple[int, int | None]] = []
    for size in shape:
        low = int(g.rng.integers(0, size + 1))
        high = int(g.rng.integers(low, size + 1))
        arg.append((low, _size(g, sizes, high, low)))
    return tuple(arg)


def _flip(g: Graphs, shape: Shape, want: Want, sizes: list[UOp]) -> Any:
    share = g.pick((0.5, 0.5, 1.0))  # a guard may count the flags
    return tuple(g.chance(share) for _ in shape)


_FORWARDS: dict[str, Any] = {
    "RESHAPE": _reshape,
    "EXPAND": _expand,
    "PERMUTE": _permute,
    "PAD": _pad,
    "SHRINK": _shrink,
    "FLIP": _flip,
}


# ---- from the shape of the result ---------------------------------------------------------------


def _back_expand(g: Graphs, shape: Shape) -> tuple[Shape, Any]:
    return tuple(1 if g.chance(0.5) else size for size in shape), shape


def _back_permute(g: Graphs, shape: Shape) -> tuple[Shape, Any]:
    order = tuple(int(i) for i in g.rng.permutation(len(shape)))
    return tuple(shape[order.index(i)] for i in range(len(shape))), order


def _back_pad(g: Graphs, shape: Shape) -> tuple[Shape, Any]:
    low = [int(g.rng.integers(0, size + 1)) for size in shape]
    high = [int(g.rng.integers(0, size - at + 1)) for size, at in zip(shape, low, strict=True)]
    pads = tuple(zip(low, high, strict=True))
    return tuple(size - a - b for size, (a, b) in zip(shape, pads, strict=True)), pads


def _back_shrink(g: Graphs, shape: Shape) -> tuple[Shape, Any]:
    low = [int(g.rng.integers(0, 3)) for _ in shape]
    bounds = tuple((at, at + size) for at, size in zip(low, shape, strict=True))
    return tuple(end + int(g.rng.integers(0, 3)) for _, end in bounds), bounds


_BACKWARDS: dict[str, Any] = {
    "RESHAPE": lambda g, shape: (_other_shape(g, shape), shape),
    "EXPAND": _back_expand,
    "PERMUTE": _back_permute,
    "PAD": _back_pad,
    "SHRINK": _back_shrink,
    "FLIP": lambda g, shape: (shape, tuple(g.chance(0.5) for _ in shape)),
}


_COMBINE = tuple(o.name for o in Ops if o.associative and o.commutative and o.row["identity"])
_SCALARS = ("f32", "i32", "u8", "f64", "i64", "f16")


def builder(op: Op) -> Builder:
    """The function that makes a node of an op."""
    if op.elementwise:
        return elementwise
    if "Movement" in op.groups:
        return movement
    return _BUILDERS.get(op.name, _no_builder)


def has_builder(op: Op) -> bool:
    """Whether there is a graph of an op."""
    return builder(op) is not _no_builder


def _no_builder(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    raise Retry


# ---- loops and reductions ----------------------------------------------------------------------


def _combine(g: Graphs, expr: t.OpNode, kind: DType | None) -> Op:
    named = expr.args and not isinstance(expr.args[0], t.Var | t.Wild)
    op: Op = g.arguments(expr, (Ops.ADD if named else op_named(g.pick(_COMBINE)),))[0]
    if kind is not None and kind.base not in op.tparams.get("T", (kind.base,)):
        raise Retry
    return op


def reduce(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Loops first, so that what is reduced may depend on them."""
    sources = list(expr.sources or ())
    outer = list(g.scope)
    fixed = min(sum(not s.rest for s in sources[1:]), g.needs.operands)
    loops = _loops(g, sources[1:], g.needs.operands - fixed)
    first = sources[0].expr
    kind = want.dtype or _of_lanes(g, first)
    combine = _combine(g, expr, kind)
    shape: Shape | None = want.shape or ()
    rank = want.rank
    open_rank = want.shape is None and want.rank is None and kind.count == 1
    if open_rank and g.needs.shaped_bodies and g.chance(0.5):
        shape, rank = None, 1
    body = g.make(first, Want(kind, shape, rank))
    g.scope = outer
    return UOp(op, body.dtype, (body, *loops), combine)


def stage(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """A value for all iterations of loops, each of which is an axis before those of the value."""
    sources = list(expr.sources or ())
    outer = list(g.scope)
    loops = _loops(g, sources[1:], g.needs.operands)
    rank = int(g.rng.integers(0, 2)) if want.rank is None else max(0, want.rank - len(loops))
    body = g.make(sources[0].expr, Want(want.dtype, () if not rank else None, rank))
    g.scope = outer
    node = UOp(op, body.dtype, (body, *loops), g.arguments(expr, (g.pick(_SPACES),))[0])
    if want.shape not in (None, g.concrete(node)) or body.dtype is dtypes.void:
        raise Retry
    return node


_SPACES = ("global", "local", "reg")


def _open(sources: Sequence[t.Source]) -> bool:
    return any(s.rest for s in sources)


def _count(g: Graphs, sources: Sequence[t.Source], most: int = 0, least: int = 0) -> int:
    """How many operands: those that have patterns, and of an open list `least` to `most` more."""
    count = sum(not s.rest for s in sources)
    return count + (int(g.rng.integers(least, most + 1)) if _open(sources) else 0)


def _loops(g: Graphs, sources: Sequence[t.Source], most: int) -> list[UOp]:
    """Loops in which what is made next stands, `most` of an open list; each is closed once."""
    wants = [Want(dtypes.index, (), role="loop")] * _count(g, sources, most)
    loops = each(g, sources, wants)
    counted = [r for r in loops if r.op is Ops.RANGE]
    if len(set(counted)) < len(counted):
        raise Retry
    g.scope += [r for r in counted if r not in g.scope]
    return loops


def end(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Loops around an effect."""
    sources = list(expr.sources or ())
    outer = list(g.scope)
    loops = _loops(g, sources[1:], g.needs.operands)
    body = g.make(sources[0].expr, Want(dtypes.void, role="effect"))
    g.scope = outer
    return UOp(op, dtypes.void, (body, *loops))


def reduce_axis(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Some axes of a tensor."""
    source = g.sources(op, expr)[0].expr
    kind = want.dtype or hint(g, source) or g.any_dtype()
    shape = want.shape
    base = None if shape is not None else g.make(source, Want(kind, None, want.rank))
    kept = (1,) * len(g.concrete(base)) if base is not None else shape or ()
    axes = tuple(i for i, size in enumerate(kept) if size == 1 and g.chance(0.5))
    combine, axes = g.arguments(expr, (_combine(g, replace(expr, args=None), kind), axes))
    if kind.base not in combine.tparams["T"] or any(kept[i : i + 1] != (1,) for i in axes):
        raise Retry
    if base is None:
        longer = tuple(g.pick(g.pool) if i in axes else size for i, size in enumerate(kept))
        base = g.make(source, Want(kind, longer))
    return UOp(op, base.dtype, (base,), (combine, axes))


def loop(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """A loop variable."""
    sources = g.sources(op, expr)
    named = sources[0].expr.name if isinstance(sources[0].expr, t.Var) else None
    if named in g.names:
        size = g.again(g.names[str(named)])
    elif named is None and not isinstance(sources[0].expr, t.Wild):
        size = g.make(sources[0].expr, replace(INDEX, role="size"))
    else:
        size = g.loop_size()
    if named is not None:
        g.names[str(named)] = size
    arg = g.arguments(expr, (g.number(), "reduce" if want.role == "loop" else "loop"))
    return UOp(op, dtypes.index, (size,), arg)


# ---- memory ------------------------------------------------------------------------------------


def index(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """As many indices as the memory has axes, or fewer where a tensor is wanted."""
    sources = g.sources(op, expr)
    if expr.sources and len(expr.sources) == 1 and expr.sources[0].rest:
        sources = [t.Source(t.Wild()), expr.sources[0]]
    rank = _count(g, sources[1:], 3 - min(3, sum(not s.rest for s in sources[1:])))
    left = want.rank or 0
    if want.rank is None and want.shape is None and not g.needs.in_kernel:
        left = g.axes_left(rank)
    inner = Want(want.dtype, None, rank + left, "memory" if want.role == "access" else "value")
    if want.dtype is None:
        inner = replace(inner, dtype=hint(g, sources[0].expr))
    named = sources[0].expr.name if isinstance(sources[0].expr, t.Var) else None
    is_own = named is not None and str(named) not in g.names
    base = g.make(sources[0].expr, inner)
    if base.dtype is dtypes.void:
        raise Retry
    shape = g.concrete(base)
    if len(shape) < rank or (want.shape == () and len(shape) != rank):
        raise Retry
    wants = [replace(INDEX, limit=size) for size in shape[:rank]]
    indices = each(g, sources[1:], wants)
    if is_own:
        base = g.names[str(named)] = g.holding(base, indices)
    return UOp(op, base.dtype, (base, *indices))


def load(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """An element, with what to give instead and a gate if the pattern has them."""
    sources = list(expr.sources or ())
    kind = want.dtype or hint(g, sources[0].expr) or g.any_dtype()
    where = g.make(sources[0].expr, Want(kind, (), role="access"))
    extra = [Want(kind, ()), Want(dtypes.bool, ())]
    if _open(sources[1:]) and g.chance(0.5):
        extra = []
    return UOp(op, kind, (where, *each(g, sources[1:], extra)))


def store(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Into an element, or a whole tensor where the pattern says so."""
    sources = list(expr.sources or ())
    whole = _is_whole(g, sources[0].expr)
    role = Want(None, None if whole else (), role="memory" if whole else "access")
    target = g.make(sources[0].expr, replace(role, dtype=hint(g, sources[0].expr)))
    shape = g.concrete(target)
    value = g.make(
        sources[1].expr, Want(target.dtype, () if g.needs.mixed and g.chance(0.2) else shape)
    )
    gates = [Want(dtypes.bool, ())] if len(sources) > 2 else []
    if _open(sources[2:]) and g.chance(0.5):
        gates = []
    return UOp(op, dtypes.void, (target, value, *each(g, sources[2:], gates)))


def _is_whole(g: Graphs, target: t.Expr) -> bool:
    """Whether a pattern writes a tensor rather than an element."""
    target = t.bare(target)
    if isinstance(target, t.Var | t.Wild):
        known = g.names.get(str(target.name)) if isinstance(target, t.Var) else None
        return known.op is not Ops.INDEX if isinstance(known, UOp) else g.chance(0.5)
    heads = g.facts.heads(target.head) if isinstance(target, t.OpNode) else ()
    return not set(heads) & {"INDEX", "LOAD"}


def after(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Memory once effects have happened."""
    sources = g.sources(op, expr)
    base = g.make(sources[0].expr, Want(want.dtype, want.shape, want.rank, "memory"))
    if _open(sources[1:]):
        effects = g.effects(base)
        for source in sources[1:]:
            if isinstance(source.expr, t.Var):
                effects = g.names.setdefault(str(source.expr.name), effects)
    else:
        g.memory = base
        effects = [g.make(s.expr, Want(dtypes.void, role="effect")) for s in sources[1:]]
        g.memory = None
    return UOp(op, base.dtype, (base, *effects))


def subbuffer(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Part of a longer memory, as its own dtype or another."""
    shape = g.shape_for(want)
    offset = int(g.rng.integers(0, 4))
    source = g.sources(op, expr)[0].expr
    kind = want.dtype or g.any_dtype()
    own = hint(g, source) or (kind if g.chance(0.6) else g.any_dtype())
    length = -(-(offset + math.prod(shape)) * kind.itemsize // own.itemsize) + 1
    base = g.make(source, Want(own, (length,), role="memory"))
    return UOp(op, kind, (base,), g.arguments(expr, (offset, shape)))


# ---- vectors ----------------------------------------------------------------------------------

_LANES = (2, 3, 4)


def stack(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """A vector of scalars, or of vectors of two: as many as the pattern says."""
    sources = list(expr.sources or ()) or [t.Source(t.Wild(), True)]
    count = g.pick(_LANES) if _open(sources) else len(sources)
    known = set(g.types)
    told = hint(g, sources[0].expr)
    kind = (want.dtype or told or g.any_dtype(_SCALARS)).scalar
    part = kind.vec(2 if g.vectors and g.chance(0.2) else 1)
    part = told if told and told.count > 1 else part
    g.types.update(dict.fromkeys(g.types.keys() - known, part))  # a parameter that is met here
    lanes = each(g, sources, [Want(part, ())] * count)
    if want.shape or any(lane.dtype is not part for lane in lanes):
        raise Retry
    return UOp(op, kind.vec(count * part.count), tuple(lanes))


def lane(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """One lane of a vector, or some of them in any order."""
    source = g.sources(op, expr)[0].expr
    if isinstance(source, t.Wild | t.Var):
        vector = stack(g, Ops.STACK, replace(expr, sources=None), Want(want.dtype))
    else:
        vector = g.make(source, _vector(g, source))
    if isinstance(source, t.Var):
        vector = g.names.setdefault(str(source.name), vector)
    count = vector.dtype.count
    wanted = g.pick((1, 1, 2, count)) if count > 1 else 1
    chosen = tuple(int(g.rng.integers(count)) for _ in range(wanted))
    (chosen,) = g.arguments(expr, (chosen,))
    return UOp(op, vector.dtype.scalar.vec(len(chosen)), (vector,), chosen)


def _vector(g: Graphs, expr: t.Expr) -> Want:
    """An elementwise op of vectors; what has the lanes that its pattern says as it is."""
    node = g.facts.as_node(t.bare(expr))
    heads = g.facts.heads(node.head) if isinstance(node, t.OpNode) else ()
    if not heads or not all(op_named(name).elementwise for name in heads):
        return Want(None, ())
    return Want(_of_lanes(g, expr, g.pick((1, *_LANES)), _SCALARS), ())


def _of_lanes(
    g: Graphs, expr: t.Expr, count: int | None = None, among: Sequence[str] = ()
) -> DType:
    """The dtype of a pattern with so many lanes; if that is open with one, now and then more."""
    known = dict(g.types)
    kind = hint(g, expr) or g.any_dtype(among)
    if kind.count > 1:  # as the pattern says
        return kind
    if count is None:
        single = not g.vectors or kind is dtypes.index or not g.chance(0.05)
        count = 1 if single else g.pick(_LANES)
    g.types.update({name: k.vec(count) for name, k in g.types.items() if name not in known})
    return kind.scalar.vec(count)


# ---- the rest ----------------------------------------------------------------------------------


def same(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """CONTIGUOUS, DETACH, COPY: a value that stays what it is."""
    base = g.make(g.sources(op, expr)[0].expr, want)
    other = g.needs.choices if op is Ops.CONTIGUOUS else (None,)
    arg = g.arguments(expr, (g.pick(g.places(base) if op is Ops.COPY else other),))[0]
    return UOp(op, base.dtype, (base,), arg)


def parts(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """MSTACK: what each of some devices has of a value."""
    sources = list(expr.sources or ()) or [t.Source(t.Wild(), True)]
    count = _count(g, sources, 2, max(0, 2 - sum(not s.rest for s in sources)))
    shape = g.shape(want.rank) if want.shape is None else want.shape
    devices = ["C", *[f"C:{number}" for number in range(1, count)]][:: g.pick((1, 1, -1))]
    axis, devices = g.arguments(expr, (g.pick((None, *range(len(shape)))), ",".join(devices)))
    if axis is not None and axis not in range(len(shape)):
        raise Retry
    if axis is not None and want.shape is None:  # of the last parts some have what is left
        size = max(shape[axis] * count - g.pick((0, 0, 1)), 0)
        shape = (*shape[:axis], size, *shape[axis + 1 :])
    kind = want.dtype or hint(g, sources[0].expr) or g.any_dtype()
    names, outer = str(devices).split(","), g.whole
    g.whole = g.param(kind, shape, names[0]) if axis is None and want.role != "memory" else None
    role = "memory" if want.role == "memory" else "value"
    shapes = [Placement(tuple(names), axis).part(shape, place) for place in range(len(names))]
    wants = [Want(kind, s, role=role, device=n) for s, n in zip(shapes, names, strict=True)]
    nodes = each(g, sources, wants)
    g.whole = outer
    if len(nodes) != len(names) or len(names) < 2:
        raise Retry
    return UOp(op, kind, tuple(nodes), (axis, devices))


def sink(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Effects, some of them on one memory."""
    sources = list(expr.sources or ())
    count = _count(g, sources, g.needs.operands)
    outer = g.memory
    if outer is None:
        g.memory = g.param(g.any_dtype(), g.shape())
    effects = each(g, sources, [Want(role="effect")] * count)
    g.memory = outer
    return UOp(op, dtypes.void, tuple(effects), g.arguments(expr, (None,))[0])


def iota(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Counting along one axis, of a size that is a number, or now and then a variable."""
    if want.rank not in (None, 1) or want.shape is not None:
        raise Retry
    kind = want.dtype or g.any_dtype(g.facts.bases(("Number",)))
    sizes: list[UOp] = []
    (shape,) = g.arguments(expr, ((_size(g, sizes, g.pick(g.pool)),),))
    return UOp(op, kind, tuple(sizes[: _unknown(shape)]), shape)


def memory(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """PARAM, SCRATCH, BUFFER: the interpreter is given what they hold."""
    device = want.device or g.pick((None, *g.needs.texts))
    param = g.param(want.dtype or g.any_dtype(), g.shape_for(want), device)
    return UOp(op, param.dtype, (), g.arguments(expr, param.arg))


def register(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """DEFINE_REG, DEFINE_LOCAL: flat memory of a kernel."""
    if want.rank not in (None, 1):
        raise Retry
    arg = g.arguments(expr, (g.number(), max(1, g.pick(g.pool))))
    return UOp(op, want.dtype or g.any_dtype(), (), arg)


def variable(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """A symbolic integer, bound or not; now and then it has one value alone, or two."""
    low = g.pick((0, 0, 1, -2))
    var = g.variable(low, low + g.pick((4, 4, 1, 0)))
    if op is not Ops.VAR:
        return var.bind(int(g.rng.integers(low, var.arg[2], endpoint=True)))
    name, low, high = g.arguments(expr, var.arg)
    if low > high:
        raise Retry
    g.reusable[-1] = UOp.variable(name, low, high)
    return g.reusable[-1]


def invalid(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """The index of no element."""
    return UOp(op, dtypes.index, ())


def beside(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """BARRIER, COPIES: behind the effects that the pattern has, or nothing. TUPLE: some values."""
    sources = list(expr.sources or ())
    is_tuple = op is Ops.TUPLE
    item, most = (Want(), 2) if is_tuple else (Want(dtypes.void, role="effect"), 1)
    return UOp(op, dtypes.void, tuple(each(g, sources, [item] * _count(g, sources, most))))


def question(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """GRAD: a value and the gradient of it."""
    sources = list(expr.sources or ())
    kind = dtype(g.pick(g.of_gradients())) if _may_be_float(g, sources[0].expr) else None
    value = g.make(sources[0].expr, Want(kind))
    like = value.src[1] if value.op is Ops.STORE else value
    if value.op is Ops.STORE and not like.dtype.is_float:
        raise Retry  # AFTER asks it, for floats
    kind = like.dtype if like.dtype.is_float else dtypes.f32
    gradient = g.make(sources[1].expr, Want(kind, g.concrete(like), role="memory"))
    return UOp(op, dtypes.void, (value, gradient))


def _may_be_float(g: Graphs, expr: t.Expr) -> bool:
    """Whether a pattern leaves open that it is a float: no annotation says, and it is a value."""
    node = expr.pattern if isinstance(expr, t.Bind) else expr
    if not isinstance(node, t.OpNode) or hint(g, node) is not None:
        return False
    rows = [g.facts.ops[name] for name in g.facts.heads(node.head)]
    return all("f64" in dict(row["tparams"]).get(row["result"], ()) for row in rows)


_BUILDERS: dict[str, Builder] = {
    "REDUCE": reduce, "STAGE": stage, "END": end, "REDUCE_AXIS": reduce_axis,
    "RANGE": loop, "INDEX": index, "LOAD": load, "STORE": store, "AFTER": after,
    "SUBBUFFER": subbuffer, "CONTIGUOUS": same, "DETACH": same, "COPY": same, "IOTA": iota,
    "PARAM": memory, "SCRATCH": memory, "BUFFER": memory, "DEFINE_REG": register,
    "DEFINE_LOCAL": register, "VAR": variable,
    "BIND": variable, "CONST": lambda g, op, expr, want: g.constant(want),
    "INVALID": invalid, "BARRIER": beside, "COPIES": beside, "GRAD": question, "STACK": stack,
    "LANE": lane, "MSTACK": parts, "SINK": sink, "TUPLE": beside,
}  # fmt: skip
