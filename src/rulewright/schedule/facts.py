"""What recomputing a tensor node would cost: facts found once, sources before consumers."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

MEMORY = Ops.group("Memory") | {Ops.AFTER}
"""Nodes that are read where they lie; recomputing them costs a load."""

_COSTLY = Ops.group("Costly")
_WEIGHT_OF_COSTLY = 10
MOST_LEAVES = 3  # a value that reads more memories than this is kept rather than computed twice
_MANY = 1 << 20  # sums of weights stop here: shared sub-graphs would count without end


@dataclass(frozen=True)
class Facts:
    """Cost of one element of a node if nothing between it and memory is kept.

    `weight` counts simple operations, `leaves` are the first memories read, up to one more than
    MOST_LEAVES, `reduced` is the number of
    elements of the largest reduction on the way (0: none).
    """

    weight: int
    leaves: tuple[UOp, ...]
    reduced: int


_NOTHING = Facts(0, (), 0)


def elements(node: UOp) -> int:
    """Number of elements of a node, symbolic sizes at their upper bound."""
    return prod(node.max_shape)


def _facts_of(node: UOp, found: dict[UOp, Facts]) -> Facts:
    if node.op in MEMORY or node.op in (Ops.CONTIGUOUS, Ops.COPY):
        return Facts(0, (node.base,), 0)
    sources = [found[s] for s in node.src]
    if not sources:
        return _NOTHING
    leaves = tuple(dict.fromkeys(leaf for f in sources for leaf in f.leaves))
    leaves = leaves[: MOST_LEAVES + 1]  # of more it does not matter which
    if node.op is Ops.REDUCE_AXIS:
        return Facts(0, leaves, elements(node))
    own = (_WEIGHT_OF_COSTLY if node.op in _COSTLY else 1) if node.op.elementwise else 0
    weight = min(own + sum(f.weight for f in sources), _MANY)
    return Facts(weight, leaves, max(f.reduced for f in sources))


def gather_facts(order: list[UOp]) -> dict[UOp, Facts]:
    """Facts of every node of a graph, given its nodes with sources first."""
    users: dict[UOp, list[UOp]] = {}
    for node in order:
        for source in dict.fromkeys(node.src):
            users.setdefault(source, []).append(node)
    own: dict[UOp, Facts] = {}
    seen: dict[UOp, Facts] = {}  # as consumers see them
    for node in order:
        own[node] = seen[node] = _facts_of(node, seen)
        if is_near_reduction(node, own[node]) and _is_kept(users.get(node, [])):
            seen[node] = Facts(0, (node,), 0)
    return own


def is_near_reduction(node: UOp, facts: Facts) -> bool:
    """Does a node follow a reduction that has about as many elements as the node itself?"""
    return facts.reduced * 4 > elements(node)


def _is_kept(users: list[UOp]) -> bool:
    """Will a value that follows a reduction be asked for at several places, and so be staged?"""
    return len(users) > 1 and any(not user.op.elementwise for user in users)
