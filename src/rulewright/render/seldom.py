"""Long computations that few choices take, written where they are skipped.

A choice between vectors computes both sides. Where one of them is long and serves nothing else,
it stands in a block that runs only if some lane takes it, as the reduction of large angles does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render.target import Target
from rulewright.render.usage import Usage, slots, strip

LEAST = 48
"""Steps from which on a side is worth a branch: one that is mispredicted costs about as much."""
_WORD = 8  # bytes in which masks are looked at


@dataclass(frozen=True)
class Seldom:
    """Steps that only lanes need of which a condition says `side`, in order, and which of them are
    read by the choices."""

    condition: UOp
    side: bool
    steps: tuple[UOp, ...]
    results: tuple[UOp, ...]


def seldom(uops: Sequence[UOp], usage: Usage, target: Target) -> dict[UOp, Seldom]:
    """What a program computes for few lanes, by the first choice that it serves.

    The choices of one condition share it. What it reads from outside stands before all of them, in
    variables: a read of memory does not move behind a write.
    """
    if not target.has_text("seldom"):
        return {}
    choices: defaultdict[tuple[UOp, int, int], list[UOp]] = defaultdict(list)
    for node in uops:
        if node.op is Ops.WHERE and node.dtype.count > 1 and node.dtype.itemsize >= _WORD:
            condition = strip(node.src[0])
            for side in (1, 2):
                if condition.dtype.count > 1 and not node.dtype.is_bool:
                    choices[condition, side, usage.block[node]].append(node)
    if not choices:
        return {}
    users: defaultdict[UOp, list[UOp]] = defaultdict(list)
    for node in uops:
        for source, _ in slots(node, target):
            users[source].append(node)
    groups: dict[UOp, Seldom] = {}
    apart: set[UOp] = set()
    for (condition, side, block), nodes in choices.items():
        steps = _steps(nodes, side, block, users, usage) - apart
        if len(steps) < LEAST or nodes[0] in groups:
            continue
        read = {strip(s) for n in steps for s in n.src} - steps
        place, first = usage.place, usage.place[nodes[0]]
        if any(place.get(n, -1) >= first for n in (*read, condition)):
            continue
        results = tuple(dict.fromkeys(s for n in nodes if (s := strip(n.src[side])) in steps))
        ordered = tuple(sorted(steps, key=place.__getitem__))
        groups[nodes[0]] = Seldom(condition, side == 1, ordered, results)
        apart |= steps
        usage.inline.difference_update(results, [n for n in read if n.op is Ops.LOAD])
    return groups


def _steps(
    choices: Sequence[UOp],
    side: int,
    block: int,
    users: Mapping[UOp, Sequence[UOp]],
    usage: Usage,
) -> set[UOp]:
    """What nothing but one side of these choices needs, in the same block."""

    def is_ours(user: UOp, node: UOp) -> bool:
        if user in steps:
            return True
        others = (strip(s) for i, s in enumerate(user.src) if i != side)
        return user in takers and all(s is not node for s in others)

    takers, steps = set(choices), set[UOp]()
    waiting: list[tuple[int, UOp]] = []  # what is used last first, so that all users are known

    def wait(node: UOp) -> None:
        node = strip(node)
        if node.op.elementwise and usage.block.get(node) == block:
            heappush(waiting, (-usage.place[node], node))

    for choice in choices:
        wait(choice.src[side])
    while waiting:
        _, node = heappop(waiting)
        if node not in steps and all(is_ours(user, node) for user in users[node]):
            steps.add(node)
            for source in node.src:
                wait(source)
    return steps
