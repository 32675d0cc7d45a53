"""Whether what a rule made can stand where its pattern stood: its dtype, and those of its parts."""

from __future__ import annotations

from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def misfit(before: UOp, after: UOp) -> str:
    """Why `after` cannot replace `before`, in a line; nothing if it can.

    Elementwise nodes that were not there before must have operands as their row in `20-ops.uop`
    says: equal dtypes where it has one name for them, and the same number of lanes everywhere, but
    that one condition may choose for all lanes.
    """
    if after.dtype is not before.dtype:
        return f"a value of {before.dtype.name} becomes one of {after.dtype.name}"
    known = set(before.toposort())
    made = [n for n in after.toposort() if n not in known and n.op.elementwise]
    return next((problem for node in made if (problem := _problem(node))), "")


def _problem(node: UOp) -> str:
    row = node.op.row
    if len(node.src) != len(row["params"]):
        return f"{node.op} has {len(node.src)} operands"
    own: dict[str, DType] = {}
    places = [(row["result"], node.dtype)]
    places += [(kind, s.dtype) for (_, kind, _), s in zip(row["params"], node.src, strict=True)]
    allowed = {name: tuple(bases) for name, bases in row["tparams"]}
    for place, (declared, dtype) in enumerate(places):
        one = node.op is Ops.WHERE and place == 1 and dtype.count == 1
        if dtype.count != node.dtype.count and not one:
            return f"{node.op} of {node.dtype.name} takes {dtype.name}: lanes differ"
        if declared in allowed:
            if dtype.base not in allowed[declared]:
                return f"{node.op} does not exist for {dtype.name}"
            if own.setdefault(declared, dtype) is not dtype:
                return f"{node.op} takes {own[declared].name} and {dtype.name}"
        elif declared == "bool" and not dtype.is_bool:
            return f"{node.op} takes {dtype.name} where it needs bool"
    if node.op is Ops.BITCAST and node.src[0].dtype.bits != node.dtype.bits:
        return f"BITCAST of {node.src[0].dtype.name} to {node.dtype.name}: widths differ"
    return ""
