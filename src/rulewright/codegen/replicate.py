"""One effect for each value of a range."""

from __future__ import annotations

from typing import Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def replicated(effect: UOp, axis: UOp, target: Any) -> list[UOp]:
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
