"""From tensor graphs to filled buffers: function, cached schedule, memory, runs.

`schedule` gives the items to run without running them; `run_schedule` runs them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import blake2b
from math import prod
from threading import RLock
from typing import TYPE_CHECKING, Any

from rulewright.errors import (
    CompileError,
    DeviceRuntimeError,
    ScheduleError,
    UsageError,
    VariableError,
)
from rulewright.forks import free_in_child
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.uop import UOp, live_nodes
from rulewright.ir.watch import certificates, checks
from rulewright.options import PROVE, options
from rulewright.profile import span
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.capture import recorder
from rulewright.runtime.device import Device
from rulewright.runtime.execute import ExecItem, check_inputs, compile_items, lowered_as, run_item
from rulewright.runtime.memories import buffer_of, new_buffer
from rulewright.runtime.memory import Arena, MemoryPlan, Step, check_plan, plan_memory
from rulewright.runtime.recent import Recent
from rulewright.runtime.report import report_certificate, report_schedule
from rulewright.schedule.build import (
    Call,
    calls_of,
    kernel_graph,
    memory_bytes,
    schedule_function,
)
from rulewright.schedule.callify import Function, callify
from rulewright.schedule.kept import kept_schedule
from rulewright.schedule.overwrite import overwrite_scratch

if TYPE_CHECKING:
    from rulewright.runtime.ready import Ready


# ---- marks ---------------------------------------------------------------------------------------
#
# Marks in the place of axis choices: kernels that are searched, or that a library does.


def marked(linear: UOp, mark: Callable[[Call], str], origins: Origins | None = None) -> UOp:
    """A schedule with the marks that `mark` gives its kernels, but for those with choices.

    An earlier stage, which the option STOP_AFTER left, stays as it is.
    """
    changes: dict[UOp, UOp] = {}
    for call in linear.src if linear.op is Ops.LINEAR else ():
        kernel = call.src[0]
        name, choices = kernel.arg or (None, "")
        found = "" if choices else mark(Call(kernel, call.src[1:]))
        if found:
            wanted = kernel.replace(arg=(name, found))
            changes[call] = call.replace(src=(wanted, *call.src[1:]))
    if origins is not None:
        origins.carry(changes)
    return linear.replace(src=tuple(changes.get(call, call) for call in linear.src))


MetadataOf = Callable[[UOp], Any]
MOST_CACHED = 4096  # schedules kept; the one not used for longest goes first


@dataclass(frozen=True, eq=False)
class CompiledSchedule:
    """A function's kernels in order, and where its scratch memory lies. Runs on any buffers.

    `origins` are the nodes of the function that each kernel came from, `ready` how it is run again
    in fewer steps, if it can be.
    """

    linear: UOp
    calls: tuple[Call, ...]
    plan: MemoryPlan
    scratch: tuple[UOp, ...]
    origins: tuple[tuple[UOp, ...], ...]
    ready: dict[int, Ready | None] = field(default_factory=dict)  # by the option THREADS


@dataclass
class Schedule:
    """Items to run, and the values of the variables that they use."""

    items: list[ExecItem]
    variables: dict[str, int]
    compiled: CompiledSchedule
    hit: bool = False
    _keep: list[Buffer] = field(default_factory=list)

    def run(self, wait: bool = False) -> float:
        """Run all items in order; the seconds that they took as far as they were measured."""
        return run_schedule(self.items, self.variables, wait)


_cache: Recent[Any, CompiledSchedule] = Recent(MOST_CACHED)
ready_programs: Recent[Any, tuple[Ready, list[int], UOp]] = Recent(MOST_CACHED)
"""Kernels of small values, which memory is in their slots, and a BUFFER like the result's; see
`rulewright.tensor.realize`."""

_lock = free_in_child(RLock())

on_schedule: ContextVar[Callable[[Function], None] | None] = ContextVar(
    "rulewright_on_schedule", default=None
)
"""Told of each function before it is compiled and run, in this thread or task."""


def clear_schedule_cache() -> None:
    """Forget every schedule made so far."""
    with _lock:
        _cache.clear()
        ready_programs.clear()


def compile_function(
    call: Function, metadata_of: MetadataOf | None = None
) -> tuple[CompiledSchedule, bool]:
    """The schedule of a function, and whether it was in the cache.

    `metadata_of` tells where a node of the tensor graph came from, or None. Equal programs share
    a schedule, which says which nodes of the function a kernel came from.
    """
    function = call.body
    width, matmul = options().BEAM, options().MATMUL
    active = recorder()
    apart = active is not None and active.apart
    key = (function, overlay_key(), options().VERIFY, width, matmul, apart)
    with _lock:
        found = _cache.get(key) if options().CACHE else None
        if found is not None:
            if options().VERIFY:
                checks().check_schedule(function, found.linear)
            return found, True
        origins = _origins(call, metadata_of)
        with span("schedule", "a new program"):
            linear = kept_schedule(function, origins, apart, lambda: _made(call, origins, apart))
            if matmul:
                from rulewright.runtime.library import library_mark

                linear = marked(linear, library_mark, origins)
            if width:
                from rulewright.runtime.tuned import mark_of

                linear = marked(linear, lambda call: mark_of(call, width), origins)
            made = plan_schedule(linear, origins)
        if options().VERIFY:
            checks().check_schedule(function, made.linear)
        if options().VERIFY == PROVE:
            name = schedule_key(function)
            report_certificate(*certificates().write(name, function, made, lowered_as))
        if options().CACHE:
            _cache.put(key, made)
        return made, False


def _made(call: Function, origins: Origins | None, apart: bool) -> UOp:
    """The kernels of a function, those that write over scratch memory unless it is `apart`."""
    linear = schedule_function(call.body, origins)
    return linear if apart else overwrite_scratch(linear, origins)


def _origins(call: Function, metadata_of: MetadataOf | None) -> Origins | None:
    """Each node of a function that came from a method, as a note on itself."""
    if metadata_of is None:
        return None
    return Origins({new: (new,) for old, new in call.nodes.items() if metadata_of(old) is not None})


def _metadata(
    compiled: CompiledSchedule, call: Function, metadata_of: MetadataOf
) -> tuple[tuple[Any, ...], ...]:
    """For each kernel, where the nodes that it came from have come from in this program."""
    nodes = {new: old for old, new in call.nodes.items()}
    found = [[metadata_of(nodes[n]) for n in origin if n in nodes] for origin in compiled.origins]
    return tuple(tuple(dict.fromkeys(m for m in notes if m is not None)) for notes in found)


def plan_schedule(linear: UOp, origins: Origins | None = None) -> CompiledSchedule:
    """A LINEAR list of calls with a place for each memory that only it needs.

    Raises UsageError for a graph that the option STOP_AFTER left at an earlier stage.
    """
    if linear.op is not Ops.LINEAR:
        raise UsageError(
            f"STOP_AFTER={options().STOP_AFTER}: what stops there has no kernels to run; "
            "unset it to run, or look at the stage with `rulewright compile`"
        )
    calls = calls_of(linear)
    steps = [
        Step([(m, memory_bytes(m), m.arg[2]) for m in dict.fromkeys(call.memories)], call.is_copy)
        for call in calls
    ]
    memories = dict.fromkeys(m for call in calls for m in call.memories)
    held = {m for m in memories if m.op is not Ops.SCRATCH}
    kinds = dict.fromkeys(m.arg[2] for m in memories)
    alignment = max((Device.device_class(kind).view_alignment for kind in kinds), default=64)
    plan = plan_memory(steps, held, alignment)
    if options().VERIFY:
        check_plan(plan, steps, held, alignment)
        checks().check_plan(linear, plan.placements, plan.arenas)
    gathered = tuple(origins.gather([call]) if origins else () for call in linear.src)
    scratch = tuple(m for m in memories if m not in held)
    return CompiledSchedule(linear, calls, plan, scratch, gathered)


def bind_schedule(
    compiled: CompiledSchedule,
    buffers: Sequence[Buffer],
    variables: dict[str, int],
    metadata: tuple[tuple[Any, ...], ...] | None = None,
) -> Schedule:
    """Items of a compiled schedule over these buffers (by parameter slot) and fresh scratch.

    `metadata` is what each item says about where it came from.

    A schedule may be bound any number of times. Raises ScheduleError for an argument that is
    missing or of another size or dtype than the parameter, VariableError for a missing value.
    """
    arenas = {arena: _arena(arena, size) for arena, size in compiled.plan.arenas.items()}
    memory: dict[UOp, Buffer] = {}
    for node in compiled.scratch:
        arena, offset = compiled.plan.placements[node]
        size = memory_bytes(node) // max(node.dtype.itemsize, 1)
        memory[node] = arenas[arena].view(offset, size, node.dtype)
    items = []
    for number, call in enumerate(compiled.calls):
        bound = tuple(memory.get(m) or _argument(m, buffers) for m in call.memories)
        fixed = {name: _value_of(name, variables) for name in call.variables}
        notes = metadata[number] if metadata else ()
        items.append(ExecItem(call.kernel, bound, notes, fixed, call.is_copy))
    if options().VERIFY:
        checks().check_binding(compiled.linear, compiled.plan.placements, items, buffers)
    return Schedule(items, variables, compiled, _keep=list(arenas.values()))


def _argument(parameter: UOp, buffers: Sequence[Buffer]) -> Buffer:
    slot, shape, _ = parameter.arg
    if slot >= len(buffers):
        raise ScheduleError(
            f"parameter {slot} has no argument: {len(buffers)} buffers were passed; pass one for "
            "each parameter, in the order of their slots"
        )
    found = buffers[slot]
    if (found.size, found.dtype.name) != (prod(shape), parameter.dtype.name):
        raise ScheduleError(
            f"parameter {slot} takes {prod(shape)} {parameter.dtype.name}, "
            f"found a buffer of {found.size} {found.dtype.name}"
        )
    return found


def _value_of(name: str, variables: dict[str, int]) -> int:
    if name not in variables:
        raise VariableError(
            f"variable {name} has no value in this schedule; bind one with variable.bind(value)"
        )
    return variables[name]


def _arena(arena: Arena, size: int) -> Buffer:
    from rulewright.ir.dtypes import dtypes

    return Buffer(Device[arena.device], size, dtypes.u8)


def schedule(
    sink: UOp, caller: str = "", metadata_of: MetadataOf | None = None, silent: bool = False
) -> Schedule:
    """The items that compute the stores under `sink`, a graph of the tensor stage.

    `caller` is the user's line, for the line that DEBUG=1 prints. Nobody will look at where the
    items of a `silent` schedule came from, unless they are printed when they run.

    Raises ScheduleError (and its kinds) if there is no schedule, VariableError for a variable
    with two values or none, DeviceError for several devices in one kernel.
    """
    if not sink.src:
        raise ScheduleError("nothing to schedule: expected a SINK of at least one store")
    start = time.perf_counter()
    function: Function = callify(sink)
    told = on_schedule.get()
    if told is not None:
        told(function)
    compiled, hit = compile_function(function, metadata_of)
    metadata = None
    if metadata_of and (not silent or options().DEBUG >= 2 or recorder()):
        metadata = _metadata(compiled, function, metadata_of)
    buffers = [buffer_of(b) for b in function.buffers]
    made = bind_schedule(compiled, buffers, function.variables, metadata)
    made.hit = hit
    if options().DEBUG >= 1:
        milliseconds = (time.perf_counter() - start) * 1e3
        memory = "" if not compiled.scratch else str(compiled.plan)
        key = schedule_key(function.body)
        report_schedule(len(made.items), milliseconds, hit, key, live_nodes(), caller, memory)
    return made


def is_watched() -> bool:
    """Whether somebody follows each step: checks, reports, a capture, `on_schedule`."""
    chosen = options()
    given = chosen.DEBUG or chosen.PROFILE or chosen.VERIFY or on_schedule.get() or recorder()
    return bool(given)


def run(
    sink: UOp, caller: str = "", metadata_of: MetadataOf | None = None
) -> tuple[Ready, tuple[UOp, ...]] | None:
    """Schedule the stores under `sink` and run them: what ran before takes fewer steps.

    Gives the kernels as they are run again, if they are ready, and the BUFFERs in their slots.
    Raises what `schedule` raises, UsageError for reads of memory that was never written, and
    CompileError or DeviceRuntimeError, with the tensor methods of the kernels that fail.
    """
    try:
        if is_watched() or not sink.src:
            schedule(sink, caller, metadata_of, True).run()
            return None
        return _run(sink, metadata_of)
    except (CompileError, DeviceRuntimeError) as error:
        if metadata_of is not None and not error.methods:
            error.methods = _methods(sink, error.kernels, metadata_of)
        raise


def _methods(sink: UOp, kernels: Sequence[object], metadata_of: MetadataOf) -> tuple[str, ...]:
    """The tensor methods that kernels came from."""
    function = callify(sink)
    compiled, _ = compile_function(function, metadata_of)
    rows = zip(compiled.calls, _metadata(compiled, function, metadata_of), strict=True)
    found = [note for call, notes in rows if call.kernel in kernels for note in notes]
    return tuple(dict.fromkeys(map(str, found)))


def _run(sink: UOp, metadata_of: MetadataOf | None) -> tuple[Ready, tuple[UOp, ...]] | None:
    function = callify(sink)
    compiled, hit = compile_function(function, metadata_of)
    buffers = [buffer_of(b) for b in function.buffers]
    if hit and not function.variables and not compiled.scratch:
        threads = options().THREADS
        with _lock:
            if threads not in compiled.ready:
                from rulewright.runtime.ready import Ready

                items = bind_schedule(compiled, buffers, {}).items
                compiled.ready[threads] = Ready.of(items, buffers)
            ready = compiled.ready[threads]
            if ready is not None and ready.run(buffers):
                return ready, function.buffers
    bind_schedule(compiled, buffers, function.variables).run()
    return None


def kernelize(sink: UOp) -> UOp:
    """Split a graph of the tensor stage in kernels without running it.

    The result is a SINK of the same effects in order, each a BUFFER after its CALL; memory that
    kernels share is a BUFFER of its own. Such nodes may stand in graphs realized later.
    """
    function = callify(sink)
    graph = kernel_graph(function.body)
    changes: dict[UOp, UOp] = {}
    for node in graph.toposort():
        if node.op is Ops.PARAM and node.arg[2] is not None and node.arg[0] >= 0:
            changes[node] = function.buffers[node.arg[0]]
        elif node.op is Ops.SCRATCH:
            changes[node] = new_buffer(node.dtype, node.arg[1], node.arg[2])
    return graph.substitute(changes)


def schedule_key(function: UOp) -> str:
    """A short name of a function, equal for equal programs in any process."""
    return blake2b(str(function).encode(), digest_size=6).hexdigest()


def run_schedule(
    items: Sequence[ExecItem], variables: dict[str, int] | None = None, wait: bool = False
) -> float:
    """Compile what is new, then run items in order. Returns the seconds measured, if any.

    Nothing runs if one of the items reads memory that was never written: UsageError.
    """
    check_inputs(items)
    compile_items(items)
    total = 0.0
    for item in items:
        total += run_item(item, variables or {}, wait) or 0.0
    return total
