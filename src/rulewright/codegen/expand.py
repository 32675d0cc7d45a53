"""Ranges that are to have no loop: each value gets code of its own.

A target with loop hints (C) keeps them as loops with constant trip counts. Elsewhere "upcast",
"unroll" and "vector" ranges are replicated; along a "vector" range, reads and writes of global
memory that are consecutive and aligned are joined.
"""

from __future__ import annotations

from typing import Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

REPLICATED = ("upcast", "unroll", "vector")


def expand(sink: UOp, ctx: Any) -> UOp:
    """The kernel without upcast and vector ranges."""
    if ctx.target.has("simd"):
        return _as_loops(sink)
    done: dict[UOp, tuple[UOp, ...]] = {}
    for node in sink.toposort():
        src = tuple(new for s in node.src for new in done[s])
        if node.op is Ops.END and len(done[node.src[0]]) > 0:
            loops = [done[r][0] for r in node.src[1:]]
            done[node] = _unrolled(done[node.src[0]], loops, ctx.target)
        else:
            done[node] = (node if src == node.src else UOp(node.op, node.dtype, src, node.arg),)
    return done[sink][0]


def _as_loops(sink: UOp) -> UOp:
    """Upcast ranges as loops that the compiler of the target unrolls."""
    plain = {"upcast": "unroll", "block": "loop"}
    changes = {
        n: UOp.range(n.size, n.arg[0], plain[kind(n)])
        for n in sink.toposort()
        if n.op is Ops.RANGE and kind(n) in plain
    }
    return sink.substitute(changes)


def _unrolled(effects: tuple[UOp, ...], ranges: list[UOp], target: Any) -> tuple[UOp, ...]:
    loops = [r for r in ranges if kind(r) not in REPLICATED]
    for axis in reversed(ranges):
        if axis not in loops:
            effects = tuple(new for effect in effects for new in _replicated(effect, axis, target))
    return tuple(effect.end(*loops) for effect in effects)


def _replicated(effect: UOp, axis: UOp, target: Any) -> list[UOp]:
    """One effect for each value of the axis, or one for all if they can be joined."""
    count = int(axis.vmax) + 1
    wide: dict[UOp, UOp] = {}
    inside = effect.toposort(lambda n: axis in n.ranges)
    if kind(axis) == "vector":
        for node in inside:
            if node is not effect.src[0] and _consecutive(node, axis, target):
                wide[node] = _wide(node, axis, count)
    again = [n for n in inside if n.op is Ops.AFTER and axis in n.src[1:]]
    copies: list[UOp] = []
    for k in range(count):
        changes = {n: UOp(Ops.LANE, n.dtype, (w,), (k,)) for n, w in wide.items()}
        changes[axis] = UOp.index_const(k)
        for node in again:  # memory that one round hands to the next
            rest = [s for s in node.src[1:] if s is not axis]
            changes[node] = node.src[0].after(*rest, *copies[-1:])
        copies.append(_changed(effect, changes, axis))
    place = effect.src[0]
    if effect.op is Ops.STORE and kind(axis) == "vector" and _consecutive(place, axis, target):
        values = tuple(copy.src[1] for copy in copies)
        stack = UOp(Ops.STACK, values[0].dtype.vec(count), values)
        return [_wide(place, axis, count).store(stack, *copies[0].src[2:])]
    return copies


def _changed(root: UOp, changes: dict[UOp, UOp], axis: UOp) -> UOp:
    """`root.substitute(changes)` that walks only what `axis` is open in."""
    done = dict(changes)
    for node in root.toposort(lambda n: n not in changes and axis in n.ranges):
        if node not in done:
            src = tuple([done.get(s, s) for s in node.src])
            done[node] = node if src == node.src else UOp(node.op, node.dtype, src, node.arg)
    return done[root]


def _wide(node: UOp, axis: UOp, count: int) -> UOp:
    """The INDEX of `count` elements that begins where the axis does."""
    first = node.substitute({axis: UOp.index_const(0)})
    return UOp(Ops.INDEX, node.dtype.vec(count), first.src)


def _consecutive(node: UOp, axis: UOp, target: Any) -> bool:
    """Whether a node is an INDEX of global memory that names aligned neighbours along the axis."""
    if node.op is not Ops.INDEX or node.src[0].base.op is not Ops.PARAM or node.dtype.count > 1:
        return False
    if not target.has_vectors(node.dtype):
        return False
    count = int(axis.vmax) + 1
    index = node.src[1]
    if index.op is Ops.WHERE:  # a gate: the same for all
        if axis in index.src[0].ranges:
            return False
        index = index.src[1]
    form = linear(index)
    others = [s for r, s in form.strides.items() if r is not axis]
    aligned = all(number % count == 0 for number in (form.constant, *others))
    # what is opaque may be anything: aligned only if it is scaled, which is not looked for
    return form.stride(axis) == 1 and aligned and not form.opaque
