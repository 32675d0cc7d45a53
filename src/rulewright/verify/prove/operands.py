"""Operands of nodes, and elementwise nodes: which dtypes a pattern leaves to choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.verify.prove.graphs import Graphs, Retry, Want


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
    own = {name: tuple(names) for name, names in op.row["tparams"]}
    kinds = _kinds(g, op, own, sources, want)
    scalar_role = want.role in ("index", "access", "loop")
    shape = () if scalar_role else want.shape
    scalar = _scalar_among(g, sources) if shape is None else None
    operands: list[UOp] = []
    for place, (source, (_, declared, _)) in enumerate(zip(sources, op.params, strict=True)):
        kind = kinds.get(declared) or hint(g, source.expr)
        kind = kind or _operand_kind(g, op, declared, kinds)
        here = () if place == scalar else shape
        role = "index" if kind is dtypes.index and here == () else "value"
        operands.append(g.make(source.expr, Want(kind, here, want.rank, role)))
        if shape is None and place != scalar and operands[-1].op is not Ops.CONST:
            shape = g.concrete(operands[-1])  # the first operand that may have axes decides
    result = op.row["result"]
    return UOp(op, kinds.get(result) or dtype(result), tuple(operands))


def _scalar_among(g: Graphs, sources: Sequence[t.Source]) -> int | None:
    """The place of an operand that has no axes beside others that may have some; None for none."""
    constants = t.ConstVar | t.Num | t.BoolLit
    open_ones = [k for k, s in enumerate(sources) if not isinstance(s.expr, constants)]
    if len(open_ones) < 2 or not g.needs.mixed or not g.chance(0.2):
        return None
    place: int = g.pick(open_ones)
    return place


def _kinds(
    g: Graphs, op: Op, own: dict[str, Any], sources: Sequence[t.Source], want: Want
) -> dict[str, DType]:
    """The dtype of each of an op's own type parameters."""
    kinds: dict[str, DType] = {}
    for name, allowed in own.items():
        hints = [
            hint(g, s.expr)
            for s, (_, declared, _) in zip(sources, op.params, strict=True)
            if declared == name
        ]
        if op.row["result"] == name and want.dtype is not None:
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
        return g.type_named(str(expr.type))
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
