"""What a target spells for vectors, as it stands or as what it is lowered to."""

from __future__ import annotations

from functools import lru_cache
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
    """Whether an elementwise node of scalars can be done with vectors of `count` lanes too: what
    it is lowered to has spellings. `one`: the first operand is one for all lanes."""
    kinds = [s.dtype.vec(1 if one and not i else count) for i, s in enumerate(node.src)]
    leaves = [UOp(Ops.PARAM, kind, (), (slot, (), "")) for slot, kind in enumerate(kinds)]
    numbers = [
        UOp.const(kind, s.arg) if s.op is Ops.CONST else leaf
        for s, kind, leaf in zip(node.src, kinds, leaves, strict=True)
    ]
    tried = dict.fromkeys((tuple(leaves), tuple(numbers)))  # of numbers less is to be looked after
    wide = node.dtype.vec(count)
    return any(_has_lanes(on, node.op, wide, node.arg, src, overlay_key()) for src in tried)


def keeps_lanes(on: Target, value: UOp) -> bool:
    """Whether the target has vectors of all that a whole vector is lowered to: some rules take
    several ops, each of which is spelled, for one on their bits."""
    if on.has_vectors_of_bits:
        return True
    for rules in on.lower:
        value = rewrite(value, rules, ctx=SimpleNamespace(target=on))
    nodes = (n for n in value.toposort() if n.op.elementwise and n.dtype.count > 1)
    return all(on.has_vectors(n.dtype) for n in nodes if n.dtype.kind != "Index")


@lru_cache(4096)
def _has_lanes(
    on: Target, op: Op, dtype: DType, arg: Any, src: tuple[UOp, ...], _in_force: Any
) -> bool:
    """Whether all that the target's rules make of an op on such operands is spelled, with no vector
    wider than the target's but in what runs seldom."""
    if not all(map(on.has_vectors, (dtype, *[s.dtype for s in src]))):
        return False
    node = UOp(op, dtype, src, arg)
    for rules in on.lower:
        node = rewrite(node, rules, ctx=SimpleNamespace(target=on))
    nodes = [n for n in node.toposort() if n.op.elementwise]
    if not all(on.has_vectors(n.dtype) and on.native(n) for n in nodes):
        return False
    blocks = seldom(nodes, Usage(nodes, on), on).values()
    apart = {n for parts in blocks for part in parts for n in part.steps}
    widest = max((n.dtype.itemsize * 8 for n in nodes if n not in apart), default=0)
    return widest <= (on.limit("vector_bits") or widest)
