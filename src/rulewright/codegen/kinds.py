"""Kinds of ranges once axes are chosen."""

from __future__ import annotations

from collections.abc import Iterable

from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

RANK = {
    "thread": 0, "global": 0, "local": 1, "lane": 1, "loop": 2, "reduce": 2, "unroll": 3,
    "block": 3, "upcast": 4, "stored": 4, "vector": 5, "simd": 5, "tc": 6, "warp": 6,
    "group": 6,
}  # fmt: skip
"""The order of loops, outermost first."""

LANES = ("upcast", "simd", "group")
"""Kinds that, given to a reduced range, mean lanes with accumulators of their own."""

GRID = ("global", "local", "group")
"""Kinds that are positions in a launch and no loops."""

TILE = ("upcast", "vector", "simd")
"""Kinds of parallel ranges that an accumulator has one element for each value of."""

KEPT = ("block", "upcast", "stored", "vector", "simd", "tc", "warp", "group")
"""Kinds of ranges that accumulators or copies may be made along."""


def kind(axis: UOp) -> str:
    """The kind of a RANGE."""
    return axis.arg[1]


def in_loop_order(ranges: Iterable[UOp]) -> list[UOp]:
    """Ranges outermost first: by kind; blocks as they were made, others as given."""
    return sorted(ranges, key=lambda r: (RANK[kind(r)], r.arg[0] if kind(r) == "block" else 0))


def unused(nodes: Iterable[UOp], op: Op) -> int:
    """A number that no node of an op has, of those whose argument begins with one."""
    taken: list[int] = [n.arg[0] for n in nodes if n.op is op]
    return 1 + max(taken, default=-1)


class FreshRanges:
    """Makes ranges of ids that no node has."""

    def __init__(self, nodes: Iterable[UOp]) -> None:
        self.next = unused(nodes, Ops.RANGE)

    def range(self, size: int, to: str) -> UOp:
        """A new range of a size and a kind."""
        self.next += 1
        return UOp.range(size, self.next - 1, to)
