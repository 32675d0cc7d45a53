"""Graphs of stores, as tensors make them: scheduled, run, or split in kernels.

A graph becomes a function of its buffers, the function a schedule, which may be cached, and the
schedule's kernels run over the buffers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.driver.capture import recorder
from rulewright.driver.dynamic_shapes import Resized, of_any_size
from rulewright.driver.execute import compile_items
from rulewright.driver.fills import fills
from rulewright.driver.regions import BufferRegion, regions, structure
from rulewright.driver.report import report_schedule
from rulewright.driver.schedules import (
    MetadataOf,
    Place,
    ReadyProgram,
    Schedule,
    bind_schedule,
    cache_lock,
    compile_function,
    is_compiled,
    ready_graphs,
    schedule_key,
)
from rulewright.driver.underway import Underway
from rulewright.driver.varying import from_memory
from rulewright.errors import CompileError, DeviceRuntimeError, RulewrightError, ScheduleError
from rulewright.ir.ops import Ops
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.uop import UOp, live_nodes
from rulewright.options import Options, options
from rulewright.runtime.memories import buffer_of, new_buffer
from rulewright.schedule.build import kernel_graph
from rulewright.schedule.callify import BoundFunction, callify

if TYPE_CHECKING:
    from rulewright.driver.ready import Ready

on_schedule: ContextVar[Callable[[BoundFunction], None] | None] = ContextVar(
    "rulewright_on_schedule", default=None
)
"""Told of each function before it is compiled and run, in this thread or task."""


_MOST_NODES = 1 << 12  # of a graph that is compared with those that ran before

MOST_SCRATCH = 1 << 16
"""Bytes of scratch memory that a schedule may keep from run to run."""

MOST_FORESEEN = 1 << 28
"""Bytes of scratch memory that one of a variable size may ask for: what it needs at the largest."""


def is_watched(chosen: Options) -> bool:
    """Whether somebody follows each step: checks, reports, a capture, `on_schedule`."""
    reports = chosen.DEBUG or chosen.PROFILE or chosen.VERIFY
    return bool(reports or on_schedule.get() or recorder())


def schedule(
    sink: UOp,
    caller: Callable[[], str] | None = None,
    metadata_of: MetadataOf | None = None,
    silent: bool = False,
) -> Schedule:
    """The items that compute the stores under `sink`, a graph of the tensor stage.

    `caller` gives the user's line, for the line that DEBUG=1 prints. Nobody will look at where the
    items of a `silent` schedule came from, unless they are printed when they run.

    Raises ScheduleError (and its kinds) if there is no schedule, VariableError for a variable
    with two values or none, DeviceError for several devices in one kernel.
    """
    if not sink.src:
        raise ScheduleError("nothing to schedule: expected a SINK of at least one store")
    start = time.perf_counter()
    function: BoundFunction = callify(sink)
    listener = on_schedule.get()
    if listener is not None:
        listener(function)
    compiled, hit = compile_function(function, metadata_of)
    metadata = None
    if metadata_of and (not silent or options().DEBUG >= 2 or recorder()):
        metadata = compiled.metadata(function, metadata_of)
    buffers = [buffer_of(b) for b in function.buffers]
    bound = bind_schedule(compiled, buffers, function.variables, metadata)
    bound.hit = hit
    if options().DEBUG >= 1:
        milliseconds = (time.perf_counter() - start) * 1e3
        memory = "" if not compiled.scratch else str(compiled.plan)
        key, line = schedule_key(function.body), caller() if caller else ""
        report_schedule(len(bound.items), milliseconds, hit, key, live_nodes(), line, memory)
    return bound


class Ran(NamedTuple):
    """How a graph was run: by kernels that are ready, over BUFFERs or pieces of some in their
    slots, with these variables."""

    ready: Ready
    slots: tuple[UOp | BufferRegion, ...]
    variables: dict[str, int]

    def over(self, memories: Sequence[UOp]) -> ReadyProgram:
        """The same over any memories in the places of these BUFFERs."""
        number = {memory: place for place, memory in enumerate(memories)}
        places: list[Place] = [
            (number[slot.base], (slot.first, prod(slot.shape)))
            if isinstance(slot, BufferRegion)
            else (number.get(slot, slot), None)
            for slot in self.slots
        ]
        return ReadyProgram(self.ready, places, self.variables)


def asked_for(chosen: Options) -> tuple[Hashable, ...]:
    """The options and rules that kernels depend on."""
    asked = chosen.BEAM, chosen.DYNAMIC, chosen.MATMUL, chosen.INEXACT, chosen.THREADS
    return *asked, overlay_key()


def run(
    sink: UOp,
    caller: Callable[[], str] | None = None,
    metadata_of: MetadataOf | None = None,
    underway: Underway | None = None,
    kept: bool = False,
) -> Ran | None:
    """Schedule the stores under `sink` and run them: what ran before takes fewer steps.

    Tells how, if the same may be run again as it is, or has that `kept` for graphs that say the
    same; and `underway` how far it is.
    Raises what `schedule` raises, UsageError for reads of memory that was never written, and
    CompileError or DeviceRuntimeError, with the tensor methods of the kernels that fail.
    """
    if is_watched(options()) or not sink.src:
        with _blamed(sink, metadata_of):
            schedule(sink, caller, metadata_of, True).run(underway=underway)
        return None
    if len(sink.src) > 1 and fills(sink.src):
        return None
    again = _Again.of(sink) if kept else None
    if again is not None and again.run(underway):
        return None
    pieces = regions(sink) if again is None else again.pieces
    function = callify(sink, {view: piece.memory() for view, piece in pieces.items()})
    alike = options().CACHE and not function.several and not is_compiled(function)
    sized = _of_any_size(function) if alike else None
    reading = from_memory(function) if alike and sized is None else None
    chosen = sized.function if sized else reading or function
    with _blamed(sink, metadata_of, chosen):
        ready = _run(chosen, metadata_of, underway)
    if ready is None or (sized is not None and sized.is_large):
        return None
    buffers = chosen.buffers[len(pieces) :]
    ran = Ran(ready, (*pieces.values(), *buffers), chosen.variables)
    if again is not None and not function.several:
        by_views = ran._replace(slots=(*pieces, *buffers))
        ready_graphs.put(again.key, by_views.over(again.inputs))
    return ran


class _Again(NamedTuple):
    """A graph but for its memory, that memory, and which of it are pieces."""

    key: tuple[Any, ...]
    inputs: list[UOp]
    pieces: dict[UOp, BufferRegion]

    @classmethod
    def of(cls, sink: UOp) -> _Again | None:
        """A graph that may have run before; None for one that is large."""
        chosen = options()
        if not chosen.CACHE:
            return None
        graph, pieces = structure(sink, asked_for(chosen), lambda node: False, _MOST_NODES)
        return cls(tuple(graph.parts), graph.inputs, pieces) if graph else None

    def run(self, underway: Underway | None) -> bool:
        """Run the kernels of a graph that said the same, if there was one."""
        program = ready_graphs.get(self.key)
        if program is None:
            return False
        if underway:
            underway.begin([])
        pieces = self.pieces
        return program.run(
            [pieces[m].buffer() if m in pieces else buffer_of(m) for m in self.inputs]
        )


def _of_any_size(function: BoundFunction) -> Resized | None:
    """The same of a variable size, if it is known that sizes differ, and compiles."""
    chosen = options()
    if not chosen.DYNAMIC or chosen.BEAM or chosen.MATMUL:
        return None
    sized = of_any_size(function)
    if sized is None or is_compiled(sized.function):
        return sized
    general = sized.function
    try:
        compiled, _ = compile_function(general)
        buffers = [buffer_of(b) for b in general.buffers]
        compile_items(bind_schedule(compiled, buffers, general.variables, exact=False).items)
        if compiled.plan.after <= MOST_FORESEEN:
            return sized
    except RulewrightError:
        pass  # what has this size alone may do better, or says what is wrong
    sized.family.refuse()
    return None


def _run(
    function: BoundFunction, metadata_of: MetadataOf | None, underway: Underway | None
) -> Ready | None:
    """Run a function; its kernels, if they are ready for other buffers."""
    compiled, hit = compile_function(function, metadata_of)
    buffers, variables = [buffer_of(b) for b in function.buffers], function.variables
    if hit and compiled.plan.after <= MOST_SCRATCH:
        threads = options().THREADS
        with cache_lock:
            if threads not in compiled.ready:
                from rulewright.driver.ready import Ready  # what runs threads, once they run

                items = bind_schedule(compiled, buffers, variables, exact=function.exact).items
                compiled.ready[threads] = Ready.of(items, buffers)
            ready = compiled.ready[threads]
            if ready is not None:
                if underway:
                    underway.begin([])
                if ready.run(buffers, variables):
                    return ready
    bind_schedule(compiled, buffers, variables, exact=function.exact).run(underway=underway)
    return None


@contextmanager
def _blamed(
    sink: UOp, metadata_of: MetadataOf | None, function: BoundFunction | None = None
) -> Iterator[None]:
    """Let errors of kernels say the tensor methods that the kernels came from."""
    try:
        yield
    except (CompileError, DeviceRuntimeError) as error:
        if metadata_of is not None and not error.methods:
            function = function or callify(sink)
            error.methods = _methods(function, error.kernels, metadata_of)
        raise


def _methods(
    function: BoundFunction, kernels: Sequence[object], metadata_of: MetadataOf
) -> tuple[str, ...]:
    """The tensor methods that kernels came from."""
    compiled, _ = compile_function(function, metadata_of)
    rows = zip(compiled.calls, compiled.metadata(function, metadata_of), strict=True)
    methods = [str(m) for call, metadata in rows if call.kernel in kernels for m in metadata]
    return tuple(dict.fromkeys(methods))


def kernelize(sink: UOp) -> UOp:
    """Split a graph of the tensor stage in kernels without running it.

    The result is a SINK of the same effects in order, each a BUFFER after its CALL; memory that
    kernels share is a BUFFER of its own, and variables are bound as they were. Such nodes may stand
    in graphs realized later.
    """
    function = callify(sink)
    graph = kernel_graph(function.body)
    changes: dict[UOp, UOp] = {}
    for node in graph.toposort():
        if node.op is Ops.PARAM and node.arg[2] is not None and node.arg[0] >= 0:
            changes[node] = function.buffers[node.arg[0]]
        elif node.op is Ops.SCRATCH:
            changes[node] = new_buffer(node.dtype, node.arg[1], node.arg[2])
        elif node.op is Ops.VAR and node.arg[0] in function.variables:
            changes[node] = node.bind(function.variables[node.arg[0]])
    return graph.substitute(changes)
