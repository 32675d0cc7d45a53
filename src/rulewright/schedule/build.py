"""From a function of shaped nodes to its schedule: the first half of the pipeline."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from math import prod

from rulewright.ir.collector import without_gc
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.pipeline import between, run_entries
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.schedule.order import flatten_linear
from rulewright.schedule.typecheck import check_function

FIRST, LAST = "early", "order"
"""The entries of the pipeline that make a schedule."""


def schedule_function(function: UOp, origins: Origins | None = None) -> UOp:
    """The LINEAR list of kernels of a function; an earlier stage if STOP_AFTER says so.

    `function` is a SINK of stores whose buffers are PARAMs, as `callify` makes it. Notes on its
    nodes are carried to the CALLs of the list.
    """
    graph = kernel_graph(function, origins)
    if options().STOP_AFTER in [entry.name for entry in between(FIRST, "split")]:
        return graph
    graph = _run(graph, "order", LAST, origins)
    return flatten_linear(graph) if graph.op is Ops.LINEAR else graph


def kernel_graph(function: UOp, origins: Origins | None = None) -> UOp:
    """The graph of CALLs before they are ordered: SINK of memories after their kernels.

    Memory that has its kernels already (by `kernelize`) is read as memory. Raises what
    `check_function` raises for a graph that means nothing.
    """
    graph, hidden = _hide_calls(function)
    check_function(graph)
    with without_gc():
        graph = _run(graph, FIRST, "split", origins)
    return graph.substitute(hidden)


def _run(graph: UOp, first: str, last: str, origins: Origins | None) -> UOp:
    """The graph behind the last entry that ran."""
    steps = run_entries(graph, between(first, last), origins)
    return deque(steps, maxlen=1)[0][1]


def _hide_calls(function: UOp) -> tuple[UOp, dict[UOp, UOp]]:
    """Memory after CALLs as parameters with negative slots, and what they stand for."""
    changes: dict[UOp, UOp] = {}
    nodes = function.toposort(lambda n: not _is_called(n))
    for node in nodes:
        if _is_called(node):
            slot = -1 - len(changes)
            changes[node] = node.base.replace(op=Ops.PARAM, arg=(slot, *node.base.arg[1:]))
    return function.substitute(changes), {new: old for old, new in changes.items()}


def _is_called(node: UOp) -> bool:
    return node.op is Ops.AFTER and any(e.op is Ops.CALL for e in node.src[1:])


@dataclass(frozen=True)
class Call:
    """One item of a schedule: a kernel (or a COPY) and the memories it is called with."""

    kernel: UOp
    memories: tuple[UOp, ...]

    @cached_property
    def is_copy(self) -> bool:
        """Whether this is a transfer between devices."""
        return any(n.op is Ops.COPY for n in self.kernel.src[0].src)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Names of the symbolic variables that the kernel uses."""
        return tuple(sorted(n.arg[0] for n in self.kernel.toposort() if n.op is Ops.VAR))


def calls_of(linear: UOp) -> tuple[Call, ...]:
    """The items of a schedule, in order."""
    return tuple(Call(call.src[0], call.src[1:]) for call in linear.src)


def memory_bytes(memory: UOp) -> int:
    """Bytes of a memory node."""
    return prod(memory.arg[1]) * memory.dtype.itemsize
