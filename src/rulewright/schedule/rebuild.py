"""Graphs of kernels with other CALLs, and the memory that they need."""

from __future__ import annotations

from rulewright.ir.uop import UOp
from rulewright.schedule.frugal import Waits, frugal_and_peak
from rulewright.schedule.order import in_order


def scratch_needed(before: Waits) -> int:
    """Bytes of scratch memory in use at once, at most, in the order that will be chosen."""
    return frugal_and_peak(before, in_order(before))[1]


def renewed(node: UOp, done: dict[UOp, UOp]) -> UOp:
    """Memory after the CALLs that there are now, or the root of the graph; `done` is known."""
    for inner in node.toposort(lambda n: n not in done):
        if inner not in done:
            done[inner] = inner.replace(src=tuple(done[s] for s in inner.src))
    return done[node]
