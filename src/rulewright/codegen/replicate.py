"""One effect for each value of a range."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.lanes import is_consecutive, wide_index
from rulewright.codegen.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def replicated(effects: Iterable[UOp], axis: UOp, target: Any) -> tuple[UOp, ...]:
    """Of each effect one for each value of the axis, or one for all if they can be joined."""
    rounds = [{axis: UOp.index_const(k)} for k in range(int(axis.vmax) + 1)]
    return tuple([new for e in effects for new in _replicated(e, axis, target, rounds)])


def _replicated(effect: UOp, axis: UOp, target: Any, rounds: list[dict[UOp, UOp]]) -> list[UOp]:
    """One effect for each round, or one for all; `rounds` are what nodes that effects share became
    in each."""
    first = rounds[0]
    walked = effect.toposort(lambda n: n not in first and axis in n.ranges)
    inside = [n for n in walked if n not in first and axis in n.ranges]
    wide: dict[UOp, UOp] = {}
    if kind(axis) == "vector":
        for node in inside:
            if _consecutive(node, axis, target):
                wide[node] = wide_index(node, axis, len(rounds))
    again = [n for n in inside if n.op is Ops.AFTER and axis in n.src[1:]]
    if wide or again:
        rounds = [{axis: changes[axis]} for changes in rounds]  # of this effect alone
        inside = _open_nodes(effect, axis, {*wide, *again, axis})
    opened = dict.fromkeys(inside) if wide or again else _left_open(inside, axis)
    copies: list[UOp] = []
    for k, changes in enumerate(rounds):
        for node, w in wide.items():
            changes[node] = UOp(Ops.LANE, node.dtype, (w,), (k,))
        for node in again:  # memory that one round hands to the next
            rest = [s for s in node.src[1:] if s is not axis]
            changes[node] = node.src[0].after(*rest, *copies[-1:])
        for node, ranges in opened.items():
            src = tuple([changes.get(s, s) for s in node.src])
            changes[node] = new = UOp(node.op, node.dtype, src, node.arg)
            if ranges is not None:
                new.note_ranges(ranges)
        copies.append(changes.get(effect, effect))
    place = effect.src[0]
    if effect.op is Ops.STORE and kind(axis) == "vector" and _consecutive(place, axis, target):
        values = tuple(copy.src[1] for copy in copies)
        stack = UOp(Ops.STACK, values[0].dtype.vec(len(rounds)), values)
        return [wide_index(place, axis, len(rounds)).store(stack, *copies[0].src[2:])]
    return copies


def _left_open(inside: list[UOp], axis: UOp) -> dict[UOp, tuple[UOp, ...] | None]:
    """The ranges that are open at each node in a round of an axis; None where loops, whose ends
    depend on the axis, become others."""
    if any(n.op is Ops.RANGE for n in inside):
        return dict.fromkeys(inside)
    return {node: tuple([r for r in node.ranges if r is not axis]) for node in inside}


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
