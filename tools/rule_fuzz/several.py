"""Graphs of what has any number of operands: values on several devices, and lists of effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rule_fuzz.nodes import Dead
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t

if TYPE_CHECKING:
    from rule_fuzz.patterns import Graph, Want

_DEVICES = ("C", "C:1", "C:2", "OPENCL")


def _places(g: Graph, expr: t.OpNode, least: int) -> list[tuple[t.Source, int]]:
    """The patterns of operands, and how many each stands for: so many in all, or more."""
    sources = list(expr.sources or ()) or [t.Source(t.Wild(), True)]
    left = max(0, least - sum(not s.rest for s in sources)) + g.rng.randint(0, 1)
    return [(s, left if s.rest else 1) for s in sources]


def _filled(g: Graph, source: t.Source, nodes: list[UOp]) -> list[UOp]:
    """Operands of a list, which are those that its name has where it stood before."""
    if source.rest and isinstance(source.expr, t.Var):
        nodes = g.names.setdefault(str(source.expr.name), nodes)
    return nodes


def parts(g: Graph, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """MSTACK: each device has its part, or a copy of what the first one has."""
    places = _places(g, expr, 2)
    count = sum(times for _, times in places)
    shape = g.nodes.shape() if want.shape is None else want.shape
    devices: Any = ",".join(g.rng.sample(_DEVICES, count))
    axis, devices = g.argument(expr, (g.nodes.pick((None, *range(len(shape)))), devices))
    if axis is not None and want.shape is not None:
        if axis >= len(shape) or shape[axis] % count:
            raise Dead
        shape = (*shape[:axis], shape[axis] // count, *shape[axis + 1 :])
    names = str(devices).split(",")
    part = want._replace(kind=want.kind or g.nodes.some_dtype(), shape=shape)
    nodes: list[UOp] = []
    for source, times in places:
        some: list[UOp] = []
        for name in names[len(nodes) : len(nodes) + times]:
            g.nodes.device = name
            first = next(iter([*nodes, *some]), None) if axis is None and not want.role else None
            if first is not None and isinstance(source.expr, t.Var | t.Wild):
                some.append(UOp(Ops.COPY, first.dtype, (first,), name))
                if isinstance(source.expr, t.Var) and not source.rest:
                    some[-1] = g.names.setdefault(str(source.expr.name), some[-1])
            else:
                some.append(g.open(part) if source.rest else g.term(source.expr, part))
        nodes += _filled(g, source, some)
    if len(nodes) != len(names) or any(n.dtype is not nodes[0].dtype for n in nodes):
        raise Dead
    return UOp(op, nodes[0].dtype, tuple(nodes), (axis, devices))


def sink(g: Graph, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Effects, some of them on one memory."""
    effect = want._replace(kind=dtypes.void, shape=None, role="effect")
    shape = g.nodes.shape(1)
    memory = g.nodes.param(g.nodes.some_dtype(), shape, memory=True)
    nodes: list[UOp] = []
    for source, times in _places(g, expr, 1):
        open_one = source.rest or isinstance(source.expr, t.Wild)
        if open_one or (isinstance(source.expr, t.Var) and g.nodes.chance(0.6)):
            stores = [memory.store(g.nodes.leaf(memory.dtype, shape)) for _ in range(times)]
            if isinstance(source.expr, t.Var) and not source.rest:
                stores = [g.names.setdefault(str(source.expr.name), stores[0])]
        else:
            stores = [g.term(source.expr, effect)]
        nodes += _filled(g, source, stores)
    return UOp(op, dtypes.void, tuple(nodes), g.argument(expr, (None,))[0])


def iota(g: Graph, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """Counting along an axis of a size that is a number or a variable."""
    kind = want.kind or g.nodes.some_dtype(g.facts.bases(("Number",)))
    shape: Any = (want.shape or g.nodes.shape(1))[:1]
    sizes: tuple[UOp, ...] = ()
    if shape and (expr.sources or g.nodes.chance(0.2)):
        sizes, shape = (g.size(shape[0]),), (None,)
    return UOp(op, kind, sizes, g.argument(expr, (shape,))[0])
