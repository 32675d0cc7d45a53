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
    """The trip count of the shared axis, and how many of its iterations go together."""
    axis = next((n for n in sink.toposort() if n.op is Ops.RANGE and kind(n) == "thread"), None)
    if axis is None:
        return (1,), None
    todo, count = work(sink), axis.size
    if not isinstance(todo, int) or not isinstance(count, int):
        return (count,), (1,)
    return (count,), (max(1, min(count, BLOCK_WORK * count // max(todo, 1))),)
