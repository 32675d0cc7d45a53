"""From a function of shaped nodes to its schedule: the first half of the pipeline."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any

from rulewright.collector import without_gc
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins, rebuild
from rulewright.ir.pipeline import Entry, phases, run_entries, stops_in
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.schedule.callees import Callees, written_slots
from rulewright.schedule.order import flatten_linear
from rulewright.schedule.typecheck import check_function


def schedule_function(function: UOp, origins: Origins | None = None) -> UOp:
    """The LINEAR list of kernels of a function; an earlier stage if STOP_AFTER says so.

    `function` is a SINK of stores whose buffers are PARAMs, as `callify` makes it. Notes on its
    nodes are carried to the CALLs of the list.
    """
    graph = kernel_graph(function, origins, joined=True)
    if stops_in(phases("resolve", "join")):
        return graph
    graph = _run(with_schedules(graph, origins), phases("arrange"), origins)
    return flatten_linear(graph, origins) if graph.op is Ops.LINEAR else graph


def with_schedules(graph: UOp, origins: Origins | None = None) -> UOp:
    """A graph of calls with the schedule of each function that is called."""
    in_force = overlay_key(), options().VERIFY, options().MATMUL, options().INEXACT
    callees = Ops.group("Callee")
    return rebuild(
        graph,
        lambda node, src: _function_schedule(node, in_force),
        frozenset({Ops.FUNCTION}),
        enter=lambda n: n.op not in callees or n is graph,
        origins=origins,
    )


@lru_cache(maxsize=1024)
def _function_schedule(function: UOp, _in_force: Any) -> UOp:
    """The kernels of a FUNCTION of stores, made once for all its calls."""
    return schedule_function(UOp.sink(*function.src))


def forget_functions() -> None:
    """Schedule the functions that programs call anew, when one is met again."""
    _function_schedule.cache_clear()


def kernel_graph(function: UOp, origins: Origins | None = None, joined: bool = False) -> UOp:
    """The graph of CALLs before they are ordered: SINK of memories after their kernels.

    `joined` kernels do the work of several. They fill memories that one of these alone would not: a
    graph to be run in parts is one of kernels as they were split.

    Kernels that are there already, by `kernelize` or written by users, are called as they are.
    Raises what `check_function` raises for a graph that means nothing.
    """
    callees = Callees()
    graph = callees.hide(function)
    check_function(graph)
    with without_gc():
        resolve = phases("resolve")
        graph = callees.hide(_run(graph, resolve, origins), functions=True)
        if not stops_in(resolve):
            graph = _run(graph, phases("kernelize", "join" if joined else ""), origins)
    return callees.restore(graph)


def _run(graph: UOp, steps: tuple[Entry, ...], origins: Origins | None) -> UOp:
    """The graph behind the last step that ran."""
    return deque(run_entries(graph, steps, origins), maxlen=1)[0][1]


_FOREIGN = Ops.group("Foreign")


def is_kernel(body: UOp) -> bool:
    """Whether what a schedule calls is compiled: no transfer, and no function of the host."""
    return not any(node.op in _FOREIGN for effect in body.src for node in effect.src)


@dataclass(frozen=True)
class ScheduleItem:
    """One item of a schedule: a kernel (a COPY, a HOST) and the memories it is called with."""

    kernel: UOp
    memories: tuple[UOp, ...]

    @cached_property
    def is_copy(self) -> bool:
        """Whether this is a transfer between devices."""
        return any(n.op is Ops.COPY for n in self.kernel.src[0].src)

    @cached_property
    def is_kernel(self) -> bool:
        """Whether a device's kernel does it: no transfer, and no function of the host."""
        return is_kernel(self.kernel)

    @cached_property
    def written(self) -> tuple[UOp, ...]:
        """The memories that it writes."""
        return tuple(self.memories[slot] for slot in written_slots(self.kernel))

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Names of the symbolic variables that the kernel uses."""
        return tuple(sorted(n.arg[0] for n in self.kernel.toposort() if n.op is Ops.VAR))


def calls_of(linear: UOp) -> tuple[ScheduleItem, ...]:
    """The items of a schedule, in order."""
    return tuple(ScheduleItem(call.src[0], call.src[1:]) for call in linear.src)


def memory_bytes(memory: UOp) -> int:
    """Bytes of a memory node."""
    return prod(memory.arg[1]) * memory.dtype.itemsize
