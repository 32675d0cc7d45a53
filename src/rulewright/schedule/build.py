"""From a function of shaped nodes to its schedule: the first half of the pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.pipeline import between, run_entries
from rulewright.ir.uop import UOp
from rulewright.schedule.order import flatten_linear

FIRST, LAST = "early", "order"
"""The entries of the pipeline that make a schedule."""


def schedule_function(function: UOp) -> UOp:
    """The LINEAR list of kernels of a function; an earlier stage if STOP_AFTER says so.

    `function` is a SINK of stores whose buffers are PARAMs, as `callify` makes it.
    """
    graph = function
    for _, graph in run_entries(function, between(FIRST, LAST)):
        pass
    return flatten_linear(graph) if graph.op is Ops.LINEAR else graph


def kernel_graph(function: UOp) -> UOp:
    """The graph of CALLs before they are ordered: SINK of memories after their kernels."""
    graph = function
    for _, graph in run_entries(function, between(FIRST, "split")):
        pass
    return graph


@dataclass(frozen=True)
class Call:
    """One item of a schedule: a kernel (or a COPY) and the memories it is called with."""

    kernel: UOp
    memories: tuple[UOp, ...]

    @property
    def is_copy(self) -> bool:
        """Whether this is a transfer between devices."""
        return any(n.op is Ops.COPY for n in self.kernel.src[0].src)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the symbolic variables that the kernel uses."""
        return tuple(sorted(n.arg[0] for n in self.kernel.toposort() if n.op is Ops.VAR))


def calls_of(linear: UOp) -> tuple[Call, ...]:
    """The items of a schedule, in order."""
    return tuple(Call(call.src[0], call.src[1:]) for call in linear.src)


def memory_bytes(memory: UOp) -> int:
    """Bytes of a memory node."""
    return prod(memory.arg[1]) * memory.dtype.itemsize
