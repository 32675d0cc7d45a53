"""How the threads of a CPU share a kernel."""

from __future__ import annotations

from rulewright.codegen.estimate import work
from rulewright.codegen.kinds import kind
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp

BLOCK_WORK = 16_384
"""Operations on elements that are worth handing to another thread (about 1 µs of vector code)."""


def thread_launch(sink: UOp) -> tuple[tuple[Dim, ...], tuple[int, ...] | None]:
    """The trip count of the shared axis, the longest if stores have one each, and how many of its
    iterations go together."""
    sizes = [n.size for n in sink.toposort() if n.op is Ops.RANGE and kind(n) == "thread"]
    if not sizes:
        return (1,), None
    known = [size for size in sizes if isinstance(size, int)]
    count = max(known) if len(known) == len(sizes) else sizes[0]
    todo = work(sink)
    if not isinstance(todo, int) or not isinstance(count, int):
        return (count,), (1,)
    return (count,), (max(1, min(count, BLOCK_WORK * count // max(todo, 1))),)
