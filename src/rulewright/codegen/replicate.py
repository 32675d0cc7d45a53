"""One effect for each value of a range."""

from __future__ import annotations

from typing import Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.lanes import is_consecutive, wide_index
from rulewright.codegen.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def replicated(effect: UOp, axis: UOp, target: Any) -> list[UOp]:
    """One effect for each value of the axis, or one for all if they can be joined."""
    count = int(axis.vmax) + 1
    wide: dict[UOp, UOp] = {}
    inside = [n for n in effect.toposort(lambda n: axis in n.ranges) if axis in n.ranges]
    if kind(axis) == "vector":
        for node in inside:
            if _consecutive(node, axis, target):
                wide[node] = wide_index(node, axis, count)
    again = [n for n in inside if n.op is Ops.AFTER and axis in n.src[1:]]
    copies: list[UOp] = []
    known = {*wide, *again, axis}
    order = _open_nodes(effect, axis, known) if wide or again else inside[1:]  # the axis is first
    for k in range(count):
        changes = {n: UOp(Ops.LANE, n.dtype, (w,), (k,)) for n, w in wide.items()}
        changes[axis] = UOp.index_const(k)
        for node in again:  # memory that one round hands to the next
            rest = [s for s in node.src[1:] if s is not axis]
            changes[node] = node.src[0].after(*rest, *copies[-1:])
        for node in order:
            src = tuple([changes.get(s, s) for s in node.src])
            changes[node] = UOp(node.op, node.dtype, src, node.arg)
        copies.append(changes.get(effect, effect))
    place = effect.src[0]
    if effect.op is Ops.STORE and kind(axis) == "vector" and _consecutive(place, axis, target):
        values = tuple(copy.src[1] for copy in copies)
        stack = UOp(Ops.STACK, values[0].dtype.vec(count), values)
        return [wide_index(place, axis, count).store(stack, *copies[0].src[2:])]
    return copies


def _open_nodes(root: UOp, axis: UOp, known: set[UOp]) -> list[UOp]:
    """The nodes in which `axis` is open, operands first, without those `known` and below them."""
    walked = root.toposort(lambda n: n not in known and axis in n.ranges)
    return [n for n in walked if n not in known and axis in n.ranges]


def _consecutive(node: UOp, axis: UOp, target: Any) -> bool:
    """Whether a node is an INDEX of global memory that names aligned neighbours along the axis."""
    if node.op is not Ops.INDEX or node.src[0].base.op is not Ops.PARAM or node.dtype.count > 1:
        return False
    if not target.has_vectors(node.dtype):
        return False
    if not is_consecutive(node, axis):
        return False
    count, index = int(axis.vmax) + 1, node.src[1]
    form = linear(index.src[1] if index.op is Ops.WHERE else index)
    others = [s for r, s in form.strides.items() if r is not axis]
    # what is opaque may be anything: aligned only if it is scaled, which is not looked for
    return not form.opaque and all(number % count == 0 for number in (form.constant, *others))
