"""Ranges that are to have no loop: each value gets code of its own.

"upcast", "unroll" and "vector" ranges are replicated; along a "vector" range, reads and writes of
global memory that are consecutive and aligned are joined. What a target with vectors as values (C)
does instead stands in `tiles`.
"""

from __future__ import annotations

from typing import Any

from rulewright.codegen.kinds import kind, unused
from rulewright.codegen.lanes import is_consecutive, lane_axis
from rulewright.codegen.nests import divisor
from rulewright.codegen.replicate import replicated
from rulewright.codegen.tiles import expand_tiles
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import streamed

REPLICATED = ("upcast", "unroll", "vector")


def expand(sink: UOp, ctx: Any) -> UOp:
    """The kernel without upcast and vector ranges."""
    if ctx.target.has("simd"):
        return stream_results(expand_tiles(sink, ctx.target), ctx.target)
    done: dict[UOp, tuple[UOp, ...]] = {}
    for node in sink.toposort():
        src = tuple(new for s in node.src for new in done[s])
        if node.op is Ops.END and len(done[node.src[0]]) > 0:
            loops = [done[r][0] for r in node.src[1:]]
            done[node] = _unrolled(done[node.src[0]], loops, ctx.target)
        else:
            done[node] = (node if src == node.src else UOp(node.op, node.dtype, src, node.arg),)
    return done[sink][0]


def _unrolled(effects: tuple[UOp, ...], ranges: list[UOp], target: Any) -> tuple[UOp, ...]:
    loops = [r for r in ranges if kind(r) not in REPLICATED]
    for axis in reversed(ranges):
        if axis not in loops:
            effects = replicated(effects, axis, target)
    return tuple(effect.end(*loops) for effect in effects)


# ---- stream --------------------------------------------------------------------------------------
#
# Results larger than the caches, written past them.
#
# A store into a line that is not in the cache fetches the line first. A whole vector of a large
# result goes to memory without that, and without putting out what the cache holds. Loops whose
# lanes the compiler has to find write a copy near by first, of which vectors are taken.


NEAR_VECTORS = 8
"""Vectors of a copy near by: few enough that a processor computes the next while these leave."""
MOST_OPS = 12
"""Operations for an element, at most: behind more of them the fetch of a line is not noticed."""


def stream_results(sink: UOp, target: Any) -> UOp:
    """The kernel with loops over lanes of a streamed result as loops over a copy of it."""
    order = sink.toposort()
    memories = streamed(order, target)
    if not memories:
        return sink
    fresh = _FreshIds(order)
    changes: dict[UOp, UOp] = {}
    for node in order:
        if node.op is Ops.END and _base(node) in memories:
            copied = _through_copy(node, target, fresh)
            if copied is not None:
                changes[node] = copied
    return sink.substitute(changes)


class _FreshIds:
    """Numbers that no range and no memory of a kernel has."""

    def __init__(self, order: list[UOp]) -> None:
        self.range = unused(order, Ops.RANGE)
        self.memory = unused(order, Ops.DEFINE_REG)


def _base(end: UOp) -> UOp | None:
    store = end.src[0]
    place = store.src[0] if store.op is Ops.STORE and len(store.src) == 2 else None
    return place.src[0].base if place is not None and place.op is Ops.INDEX else None


def _through_copy(end: UOp, target: Any, fresh: _FreshIds) -> UOp | None:
    """An END over a simd loop as one over the vectors that this loop left near by.

    None where the loop stays as it is: its places are no neighbours, or do not fill vectors, or
    it has to compute more than to store.
    """
    place, value = end.src[0].src
    axis, dtype = lane_axis(end), place.dtype
    if axis is None or not is_consecutive(place, axis) or not target.has_vectors(dtype):
        return None
    ops = [n for n in value.toposort() if n.op.elementwise and axis in n.ranges]
    size, lanes = axis.size, target.limit("vector_bits") // (8 * dtype.itemsize)
    if lanes < 2 or not isinstance(size, int) or size % lanes or len(ops) > MOST_OPS:
        return None
    count = lanes * divisor(size // lanes, NEAR_VECTORS)
    part = UOp.range(size // count, fresh.range, "loop")
    near = UOp.range(count, fresh.range + 1, "simd")
    vector = UOp.range(count // lanes, fresh.range + 2, "loop")
    memory = UOp(Ops.DEFINE_REG, dtype, (), (fresh.memory, count))
    fresh.memory, fresh.range = fresh.memory + 1, fresh.range + 3
    computed = value.substitute({axis: part * count + near})
    copy = UOp(Ops.INDEX, dtype, (memory, near)).store(computed).end(near)
    first = vector * lanes
    whole = UOp(Ops.INDEX, dtype.vec(lanes), (memory.after(copy), first))
    there = UOp(Ops.INDEX, whole.dtype, place.substitute({axis: part * count + first}).src)
    return there.store(whole).end(*(r for r in end.src[1:] if r is not axis), part, vector)
