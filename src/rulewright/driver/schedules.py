"""Schedules: a function's kernels in order, cached by what it computes, and bound to buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.driver.capture import recorder
from rulewright.driver.execute import ExecItem, argument_of, lowered_as, run_items
from rulewright.driver.memory import Arena, MemoryPlan, Step, plan_memory
from rulewright.driver.recent import Recent
from rulewright.driver.regions import piece_of
from rulewright.driver.report import report_certificate
from rulewright.driver.underway import Underway
from rulewright.errors import UsageError, VariableError
from rulewright.forks import free_in_child
from rulewright.ir.device_numbers import number_of
from rulewright.ir.dtypes import dtypes
from rulewright.ir.expected import DEVICE_NUM
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.uop import UOp
from rulewright.ir.watch import certificates, checks
from rulewright.options import PROVE, options
from rulewright.profile import span
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device
from rulewright.runtime.memories import buffer_of
from rulewright.schedule.build import ScheduleItem, calls_of, memory_bytes, schedule_function
from rulewright.schedule.callify import BoundFunction
from rulewright.schedule.kept import kept_schedule
from rulewright.schedule.overwrite import overwrite_scratch

if TYPE_CHECKING:
    from rulewright.driver.ready import Ready

MetadataOf = Callable[[UOp], Any]
MOST_CACHED = 4096  # schedules kept; the one not used for longest goes first
MOST_READY = 64  # graphs of several stores that are run without a look at their schedule


@dataclass(frozen=True, eq=False)
class CompiledSchedule:
    """A function's kernels in order, and where its scratch memory lies. Runs on any buffers.

    `origins` are the nodes of the function that each kernel came from, `ready` how it is run again
    in fewer steps, if it can be.
    """

    linear: UOp
    calls: tuple[ScheduleItem, ...]
    plan: MemoryPlan
    scratch: tuple[UOp, ...]
    origins: tuple[tuple[UOp, ...], ...]
    ready: dict[int, Ready | None] = field(default_factory=dict)  # by the option THREADS

    def metadata(
        self, function: BoundFunction, metadata_of: MetadataOf
    ) -> tuple[tuple[Any, ...], ...]:
        """For each kernel, where the nodes that it came from have come from in this program."""
        before = function.before()
        rows = [[metadata_of(before(own)) for own in row] for row in self.origins]
        return tuple(tuple(dict.fromkeys(m for m in row if m is not None)) for row in rows)


@dataclass
class Schedule:
    """Items to run, and the values of the variables that they use."""

    items: list[ExecItem]
    variables: dict[str, int]
    compiled: CompiledSchedule
    hit: bool = False
    _keep: list[Buffer] = field(default_factory=list)

    def run(self, wait: bool = False, underway: Underway | None = None) -> float:
        """Run all items in order; the seconds that they took as far as they were measured."""
        return run_items(self.items, self.variables, wait, underway)


# ---- from a function to its schedule ---------------------------------------------------------

_cache: Recent[Any, CompiledSchedule] = Recent(MOST_CACHED)

Place = tuple[int | UOp, tuple[int, int] | None]
"""The number of a memory, or one that is always the same; and of a piece of it where that begins
and how many elements it has."""


class ReadyProgram(NamedTuple):
    """Kernels of a graph, and what of the memory that it reads or writes is in their slots."""

    ready: Ready
    places: list[Place]
    variables: dict[str, int]

    def run(self, memories: Sequence[Buffer]) -> bool:
        """Run it over these memories; False, and nothing is done, if one was never written."""
        buffers = []
        for at, part in self.places:
            memory = memories[at] if isinstance(at, int) else buffer_of(at)
            buffers.append(piece_of(memory, *part) if part else memory)
        return self.ready.run(buffers, self.variables)


class ReadyValue(NamedTuple):
    """A program of a small value, whose memory is the first; see `rulewright.tensor.direct`."""

    program: ReadyProgram
    like: UOp
    """A BUFFER like the result's."""
    read: int
    """Bytes of the memory that is read."""


ready_values: Recent[Any, ReadyValue] = Recent(MOST_CACHED)
ready_graphs: Recent[Any, ReadyProgram] = Recent(MOST_READY)

cache_lock = free_in_child(RLock())


def clear_schedule_cache() -> None:
    """Forget every schedule made so far."""
    with cache_lock:
        _cache.clear()
        ready_values.clear()
        ready_graphs.clear()


def compile_function(
    function: BoundFunction, metadata_of: MetadataOf | None = None
) -> tuple[CompiledSchedule, bool]:
    """The schedule of a function, and whether it was in the cache.

    `metadata_of` tells where a node of the tensor graph came from, or None. Equal programs share
    a schedule, which says which nodes of the function a kernel came from.
    """
    chosen, active = options(), recorder()
    apart = active is not None and active.apart
    key = _key(function, apart)
    with cache_lock:
        cached = _cache.get(key) if chosen.CACHE else None
        if cached is not None:
            if chosen.VERIFY:
                checks().check_schedule(function.body, cached.linear)
            return cached, True
        origins = _origins(function, metadata_of)
        with span("schedule", "a new program"):
            compiled = plan_schedule(_linear(function.body, origins, apart), origins)
        if chosen.VERIFY:
            checks().check_schedule(function.body, compiled.linear)
        if chosen.VERIFY == PROVE:
            name = schedule_key(function.body)
            report_certificate(*certificates().write(name, function.body, compiled, lowered_as))
        if chosen.CACHE:
            _cache.put(key, compiled)
        return compiled, False


def _key(function: BoundFunction, apart: bool) -> tuple[Any, ...]:
    chosen = options()
    wanted = chosen.VERIFY, chosen.BEAM, chosen.MATMUL, chosen.INEXACT
    return function.body, overlay_key(), *wanted, apart


def is_compiled(function: BoundFunction) -> bool:
    """Whether an equal program has a schedule already."""
    with cache_lock:
        return _key(function, False) in _cache


def _origins(function: BoundFunction, metadata_of: MetadataOf | None) -> Origins | None:
    """Each node of a function that came from a method, as a note on itself."""
    if metadata_of is None:
        return None
    before = function.before()
    known = [own for own in function.body.toposort() if metadata_of(before(own)) is not None]
    return Origins({own: (own,) for own in known})


def _linear(body: UOp, origins: Origins | None, apart: bool) -> UOp:
    """The kernels of a function, marked as options ask; those that write over scratch memory
    unless it is `apart`."""

    def scheduled() -> UOp:
        linear = schedule_function(body, origins)
        return linear if apart else overwrite_scratch(linear, origins)

    linear = kept_schedule(body, origins, apart, scheduled)
    if options().MATMUL:
        from rulewright.driver.library import library_mark

        linear = marked(linear, library_mark, origins)
    if width := options().BEAM:
        from rulewright.driver.tuned import mark_of

        linear = marked(linear, lambda call: mark_of(call, width), origins)
    return linear


def marked(
    linear: UOp, mark_of: Callable[[ScheduleItem], str], origins: Origins | None = None
) -> UOp:
    """A schedule with marks in the place of axis choices: a kernel is to be searched, or a library
    does it. Kernels that have choices get none.

    An earlier stage, which the option STOP_AFTER left, stays as it is.
    """
    changes: dict[UOp, UOp] = {}
    for call in linear.src if linear.op is Ops.LINEAR else ():
        kernel = call.src[0]
        name, choices = kernel.arg or (None, "")
        mark = "" if choices else mark_of(ScheduleItem(kernel, call.src[1:]))
        if mark:
            marked_kernel = kernel.replace(arg=(name, mark))
            changes[call] = call.replace(src=(marked_kernel, *call.src[1:]))
    if origins is not None:
        origins.carry(changes)
    return linear.replace(src=tuple(changes.get(call, call) for call in linear.src))


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
    steps = memory_steps(calls)
    memories = dict.fromkeys(m for call in calls for m in call.memories)
    held = {m for m in memories if m.op is not Ops.SCRATCH}
    kinds = dict.fromkeys(m.arg[2] for m in memories)
    alignment = max((Device.device_class(kind).view_alignment for kind in kinds), default=64)
    plan = plan_memory(steps, held, alignment)
    if options().VERIFY:
        checks().check_plan(plan, steps, held, alignment)
    gathered = tuple(origins.gather([call]) if origins else () for call in linear.src)
    scratch = tuple(m for m in memories if m not in held)
    return CompiledSchedule(linear, calls, plan, scratch, gathered)


def memory_steps(calls: Iterable[ScheduleItem]) -> list[Step]:
    """What each call of a schedule touches, for the planner and its checker."""
    return [
        Step([(m, memory_bytes(m), m.arg[2]) for m in dict.fromkeys(call.memories)], call.is_copy)
        for call in calls
    ]


# ---- from a schedule to what runs ------------------------------------------------------------


def bind_schedule(
    compiled: CompiledSchedule,
    buffers: Sequence[Buffer],
    variables: dict[str, int],
    metadata: tuple[tuple[Any, ...], ...] | None = None,
    exact: bool = True,
) -> Schedule:
    """Items of a compiled schedule over these buffers (by parameter slot) and fresh scratch.

    `metadata` is what each item says about where it came from. Unless they are `exact`, buffers may
    be smaller than the parameters, so far as the variables say that no more is used.

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
        bound = tuple(memory.get(m) or argument_of(m, buffers, exact) for m in call.memories)
        fixed = {
            name: number_of(call.memories[0].arg[2])
            if name == DEVICE_NUM
            else _value_of(name, variables)
            for name in call.variables
        }
        notes = metadata[number] if metadata else ()
        flags = call.is_copy, call.is_kernel
        items.append(ExecItem(call.kernel, bound, notes, fixed, *flags, named=variables))
    if options().VERIFY:
        checks().check_binding(compiled.linear, compiled.plan.placements, items, buffers)
    return Schedule(items, variables, compiled, _keep=list(arenas.values()))


def _value_of(name: str, variables: dict[str, int]) -> int:
    if name not in variables:
        raise VariableError(
            f"variable {name} has no value in this schedule; bind one with variable.bind(value)"
        )
    return variables[name]


def _arena(arena: Arena, size: int) -> Buffer:
    return Buffer(Device[arena.device], size, dtypes.u8)


def schedule_key(function: UOp) -> str:
    """A short name of a function, equal for equal programs in any process."""
    return blake2b(str(function).encode(), digest_size=6).hexdigest()
