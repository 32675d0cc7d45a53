"""What to keep of a reduction: the last value that everything made of it passes through.

Of `relu(a @ b + c)` with one consumer beyond, that is the whole; if the derivative asks for the sum
`a @ b + c` too, the sum is kept and each consumer applies its own few operations to it. Keeping
both, or anything further on, would only add memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

_MOVES = Ops.group("Movement")


def kept_points(
    order: Sequence[UOp], users: Mapping[UOp, Sequence[UOp]], is_near: Callable[[UOp], bool]
) -> dict[UOp, UOp]:
    """The values to keep of the REDUCE_AXIS nodes of a graph, and the view of each that all share.

    `order` has sources first. Only elementwise and movement nodes for which `is_near` holds lie
    between a reduction, what is kept of it and the view. (A tree of immediate post-dominators;
    where paths part for good, or leave those nodes, is a root.)
    """
    after: dict[UOp, UOp] = {}  # node -> the next one that all its paths meet
    depth: dict[UOp, int] = {}
    for node in reversed(order):
        meeting = _meeting(users[node], after, depth, is_near)
        depth[node] = 0
        if meeting is not None:
            after[node], depth[node] = meeting, depth[meeting] + 1
    return dict(_last(node, after) for node in order if node.op is Ops.REDUCE_AXIS)


def _meeting(
    users: Sequence[UOp],
    after: Mapping[UOp, UOp],
    depth: Mapping[UOp, int],
    is_near: Callable[[UOp], bool],
) -> UOp | None:
    """The first node that the paths from all users meet in."""
    if not all(_passes(user) and is_near(user) for user in users):
        return None
    found: UOp | None = None
    for user in users:
        found = user if found is None else _common(found, user, after, depth)
        if found is None:
            return None
    return found


def _passes(node: UOp) -> bool:
    return node.op.elementwise or node.op in _MOVES


def _common(a: UOp, b: UOp, after: Mapping[UOp, UOp], depth: Mapping[UOp, int]) -> UOp | None:
    while a is not b:
        if depth[a] < depth[b]:
            a, b = b, a
        if a not in after:
            return None
        a = after[a]
    return a


def _last(node: UOp, after: Mapping[UOp, UOp]) -> tuple[UOp, UOp]:
    """The last on the way that is a value, and the last of all: a view of it, if it is another."""
    value = node
    while node in after:
        node = after[node]
        value = value if node.op in _MOVES else node
    return value, node
