"""Small sums that devices get of each other: those of one device lie in one memory, copied once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from math import prod
from typing import NamedTuple

from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.uop import UOp
from rulewright.schedule import shards


class Joined(NamedTuple):
    """Where a sum lies in a memory that holds several."""

    whole: UOp
    begin: int

    def seen(self, value: UOp, whole: UOp) -> UOp:
        """The sum, of a memory that holds what the one does."""
        part = ((self.begin, self.begin + prod(value.max_shape)),)
        return whole.shrink(part).reshape(value.max_shape)


def join_copies(graph: UOp, origins: Origins | None = None) -> UOp:
    """The graph with reductions that are copied to other devices side by side in one memory.

    They are those of one device and dtype that do not wait for each other; who gets some of them
    gets all in one copy.
    """
    nodes = graph.toposort()
    sums = {n.src[0] for n in nodes if n.op is Ops.COPY and _is_small_sum(n.src[0])}
    if len(sums) < 2:
        return graph
    below = _levels(nodes, sums)
    slots = count(1 + max([n.arg[0] for n in nodes if n.op is Ops.SCRATCH], default=-1))
    rows = _rows(nodes, sums, below)
    places: dict[UOp, Joined] = {}
    changed: dict[UOp, UOp] = {}
    for node in sorted(nodes, key=lambda n: (below[n], n not in sums)):  # sources first
        if node in rows and node not in places:
            places.update(_side_by_side(rows[node], changed, next(slots)))
        place = places.get(node.src[0] if node.op is Ops.COPY else node)
        if place is None:
            src = tuple([changed[s] for s in node.src])
            changed[node] = node if src == node.src else node.replace(src=src)
        else:
            copied = node.replace(src=(place.whole,)) if node.op is Ops.COPY else place.whole
            changed[node] = place.seen(node, copied)
    if origins is not None:
        origins.carry({old: new for old, new in changed.items() if old is not new})
    return changed[graph]


def _is_small_sum(value: UOp) -> bool:
    """Whether a value is a reduction in memory of its own that is not done in pieces."""
    return (
        value.op is Ops.CONTIGUOUS
        and value.src[0].op is Ops.REDUCE_AXIS
        and all([isinstance(size, int) for size in value.shape or ()])
        and 0 < prod(value.max_shape) * value.dtype.itemsize < shards.IN_PIECES
    )


def _levels(nodes: Iterable[UOp], sums: set[UOp]) -> dict[UOp, int]:
    """For each node how many sums wait for each other up to it, at most; sums of one level do not
    wait for each other."""
    below: dict[UOp, int] = {}
    for node in nodes:
        below[node] = max([below[s] for s in node.src], default=0) + (node in sums)
    return below


def _rows(nodes: Iterable[UOp], sums: set[UOp], below: Mapping[UOp, int]) -> dict[UOp, list[UOp]]:
    """For each sum those of its level, device and dtype, if it is not the only one."""
    rows: dict[object, list[UOp]] = {}
    for node in nodes:
        if node in sums:
            rows.setdefault((below[node], node.device, node.dtype), []).append(node)
    return {value: row for row in rows.values() if len(row) > 1 for value in row}


def _side_by_side(sums: Sequence[UOp], changed: Mapping[UOp, UOp], slot: int) -> dict[UOp, Joined]:
    """Where each of some sums of one device and dtype lies in a memory of them all."""
    sizes = [prod(value.max_shape) for value in sums]
    first = sums[0]
    memory = UOp(Ops.SCRATCH, first.dtype, (), (slot, (sum(sizes),), first.device))
    begins = [sum(sizes[:number]) for number in range(len(sizes))]
    stores = [
        memory.shrink(((begin, begin + size),)).store(changed[value.src[0]].reshape((size,)))
        for value, begin, size in zip(sums, begins, sizes, strict=True)
    ]
    whole = memory.after(*stores)
    return {value: Joined(whole, begin) for value, begin in zip(sums, begins, strict=True)}
