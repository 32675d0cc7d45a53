"""What a target spells for vectors, as it stands or as what it is lowered to."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Op, Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.uop import UOp
from rulewright.render.seldom import seldom
from rulewright.render.target import Target
from rulewright.render.usage import Usage


def spells_lanes(on: Target, node: UOp, count: int, one: bool = False) -> bool:
    """Whether an elementwise node of scalars can be done with vectors of `count` lanes too: it has
    a spelling, or what it is lowered to has. `one`: the first operand is one for all lanes."""
    kinds = tuple([s.dtype.vec(1 if one and not i else count) for i, s in enumerate(node.src)])
    return _has_lanes(on, node.op, node.dtype.vec(count), node.arg, kinds, overlay_key())


@cache
def _has_lanes(
    on: Target, op: Op, dtype: DType, arg: Any, kinds: tuple[DType, ...], _in_force: Any
) -> bool:
    """Whether an op on operands of such dtypes, or all that the target's rules make of it, is
    spelled, with no vector wider than the target's but in what runs seldom."""
    if not all(map(on.has_vectors, (dtype, *kinds))):
        return False
    leaves = [UOp(Ops.PARAM, kind, (), (slot, (), "")) for slot, kind in enumerate(kinds)]
    node = UOp(op, dtype, tuple(leaves), arg)
    if on.native(node):
        return True
    for rules in on.lower:
        node = rewrite(node, rules, ctx=SimpleNamespace(target=on))
    nodes = [n for n in node.toposort() if n.op.elementwise]
    if not all(on.has_vectors(n.dtype) and on.native(n) for n in nodes):
        return False
    blocks = seldom(nodes, Usage(nodes, on), on).values()
    apart = {n for parts in blocks for part in parts for n in part.steps}
    widest = max(n.dtype.itemsize * 8 for n in nodes if n not in apart)
    return widest <= (on.limit("vector_bits") or widest)
