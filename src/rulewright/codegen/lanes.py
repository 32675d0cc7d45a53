"""Loops over lanes become vectors: one operation on several lanes instead of a loop over them.

What a target has no vector spelling for keeps its loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

MOST_VECTORS = 16
"""Vectors that one simd range becomes, at most."""
LEAST_LANES = 4


def lanes_of(end: UOp, axis: UOp, target: Any) -> int:
    """How many lanes of `axis` go in one vector of what `end` stores; 0 if it stays a loop."""
    size = axis.size
    if not isinstance(size, int):
        return 0
    value = end.src[0].src[1]
    count = (target.limit("vector_bits") or 128) // max(value.dtype.bits, 8)
    while size % count:
        count //= 2
    return count if count >= LEAST_LANES and size // count <= MOST_VECTORS else 0


def vectorised(store: UOp, axis: UOp, count: int, target: Any) -> UOp | None:
    """A STORE done for all `count` values of `axis` at once; None if that cannot be said.

    The place must step by one element along the axis, and every op that depends on it be spelled
    for vectors.
    """
    place, value, *gate = store.src
    if any(axis in g.ranges for g in gate) or not is_consecutive(place, axis):
        return None
    if not target.has_vectors(place.dtype):
        return None
    lanes = in_lanes(value, axis, count, target)
    return None if lanes is None else wide_index(place, axis, count).store(lanes, *gate)


def in_lanes(
    value: UOp, axis: UOp, count: int, target: Any, there: Mapping[UOp, UOp] | None = None
) -> UOp | None:
    """The vector of a value at all `count` values of `axis`; None if that cannot be said.

    `there` are vectors of nodes inside it that are there already.
    """
    known = dict(there or {})
    for node in value.toposort(lambda n: axis in n.ranges):
        if axis not in node.ranges or node in known:
            continue
        if node.op is Ops.INDEX:
            if axis in node.src[0].ranges or not target.has_vectors(node.dtype):
                return None
            known[node] = _read(node, axis, count)
        elif node.op.elementwise and all(_in_lanes(s, axis, known) for s in node.src):
            if not target.spells_lanes(node, count):
                return None
            src = tuple([known[s] if s in known else splat(s, count) for s in node.src])
            known[node] = UOp(node.op, node.dtype.vec(count), src, node.arg)
    if not _in_lanes(value, axis, known):
        return None
    return known[value] if value in known else splat(value, count)


def splat(node: UOp, count: int) -> UOp:
    """A vector with the same value in every lane."""
    kind = node.dtype.vec(count)
    if node.op is Ops.CONST:
        return UOp.const(kind, node.arg)
    return UOp(Ops.STACK, kind, (node,) * count)


def _in_lanes(node: UOp, axis: UOp, known: dict[UOp, UOp]) -> bool:
    return node in known or axis not in node.ranges


def _read(node: UOp, axis: UOp, count: int) -> UOp:
    """The elements along the axis: one wide read of neighbours, else one for each lane."""
    if is_consecutive(node, axis):
        return wide_index(node, axis, count)
    each = [node.substitute({axis: UOp.index_const(k)}) for k in range(count)]
    return UOp(Ops.STACK, node.dtype.vec(count), tuple(each))


def wide_index(node: UOp, axis: UOp, count: int) -> UOp:
    """The INDEX of `count` elements that begins where the axis does."""
    first = node.substitute({axis: UOp.index_const(0)})
    return UOp(Ops.INDEX, node.dtype.vec(count), first.src)


def is_consecutive(node: UOp, axis: UOp) -> bool:
    """Whether an INDEX names neighbours in memory along the axis, under one gate."""
    index = node.src[1]
    if index.op is Ops.WHERE:
        if axis in index.src[0].ranges:
            return False
        index = index.src[1]
    return node.dtype.count == 1 and linear(index).stride(axis) == 1


def lane_axis(end: UOp) -> UOp | None:
    """The one simd range that an END closes."""
    found = [r for r in end.src[1:] if kind(r) == "simd"]
    return found[0] if len(found) == 1 else None
