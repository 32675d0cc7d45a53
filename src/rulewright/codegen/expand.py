"""Ranges that are to have no loop: each value gets code of its own.

"upcast", "unroll" and "vector" ranges are replicated; along a "vector" range, reads and writes of
global memory that are consecutive and aligned are joined. What a target with vectors as values (C)
does instead stands in `tiles`.
"""

from __future__ import annotations

from typing import Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.replicate import replicated
from rulewright.codegen.tiles import expand_tiles
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

REPLICATED = ("upcast", "unroll", "vector")


def expand(sink: UOp, ctx: Any) -> UOp:
    """The kernel without upcast and vector ranges."""
    if ctx.target.has("simd"):
        return expand_tiles(sink, ctx.target)
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
