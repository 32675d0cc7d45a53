"""Runs schedules: kernels are lowered, compiled together, and called in order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from time import perf_counter_ns
from typing import Any

from rulewright.codegen.choices import is_by_library, search_width
from rulewright.codegen.kept import kept_programs
from rulewright.codegen.naming import name_of
from rulewright.codegen.program import Estimates, KernelProgram, size_at, variable_at
from rulewright.collector import without_gc
from rulewright.driver.capture import recorder
from rulewright.driver.recent import Recent
from rulewright.driver.report import report_kernel
from rulewright.driver.underway import Underway
from rulewright.driver.units import Unit, units_of
from rulewright.errors import (
    CompileError,
    DeviceRuntimeError,
    ScheduleError,
    UsageError,
    VariableError,
)
from rulewright.ir.host import host_function
from rulewright.ir.ops import Ops
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.uop import UOp
from rulewright.options import PROVE, options
from rulewright.profile import detailed, record, span, timed_kernel
from rulewright.render import target
from rulewright.runtime.buffer import NOWHERE, Buffer
from rulewright.runtime.device import (
    BaseDevice,
    CompilingDevice,
    Device,
    Launch,
    Program,
    Runtime,
    refuse_result,
    timed,
)
from rulewright.runtime.profile import GlobalCounters
from rulewright.schedule.callees import read_slots, written_slots
from rulewright.schedule.parts import Part, over_parts


@dataclass(frozen=True)
class ExecItem:
    """A kernel with its buffers, ready to run; a transfer, or a function of the host.

    `fixed_variables` are values that do not change between runs; `metadata` tells which tensor
    methods the kernel came from; `on_run` is called each time that it has run; `named` are the
    variables of its whole schedule.
    """

    ast: UOp
    buffers: tuple[Buffer, ...]
    metadata: tuple[Any, ...] = ()
    fixed_variables: Mapping[str, int] = field(default_factory=dict)
    is_copy: bool = False
    is_kernel: bool = True
    on_run: Callable[[], object] | None = field(default=None, compare=False)
    named: Collection[str] = field(default=(), compare=False)

    @property
    def device(self) -> BaseDevice:
        """The device that runs this: that of the memory written."""
        return self.buffers[0].device

    @property
    def written(self) -> tuple[Buffer, ...]:
        """The buffers that this writes."""
        return tuple(self.buffers[slot] for slot in written_slots(self.ast))

    @property
    def read(self) -> tuple[Buffer, ...]:
        """The buffers that this reads."""
        return tuple(self.buffers[slot] for slot in read_slots(self.ast))

    def lower(self) -> KernelProgram | None:
        """The program of this kernel: source, launch sizes, estimates. None for what is no kernel.

        Of a kernel that uses parts of its memories, what runs is the program over these parts.
        """
        if not self.is_kernel:
            return None
        from rulewright.codegen.lower import lower_kernel

        return lower_kernel(_chosen(self.ast, self.device), self.device.target)

    def run(self, variables: Mapping[str, int] | None = None, wait: bool = False) -> float | None:
        """Run once. Returns the seconds it took if `wait`, or if it had to be measured.

        variables: values by name, of its own and of those of its schedule. Raises UsageError if
        this reads memory that was never written, VariableError for other variables, and for other
        values than it was scheduled with, ScheduleError for buffers that others were replaced by
        and do not fit.
        """
        if variables:
            self._check_variables(variables)
        self._check_buffers()
        check_inputs([self])
        return run_item(self, variables or {}, wait)

    def _check_buffers(self) -> None:
        for node in self.ast.toposort():
            if node.op is Ops.PARAM:
                argument_of(node, self.buffers, exact=not self.fixed_variables)

    def _check_variables(self, variables: Mapping[str, int]) -> None:
        own = {node.arg[0] for node in self.ast.toposort() if node.op is Ops.VAR}
        known = sorted({*own, *self.named, *self.fixed_variables})
        for name, value in variables.items():
            if name not in known:
                others = f"; those of its schedule are {', '.join(known)}" if known else ""
                raise VariableError(f"run: the kernel has no variable {name!r}{others}")
            if self.fixed_variables.get(name, value) != value:
                raise VariableError(
                    f"run: {name} is {self.fixed_variables[name]} in this schedule, found {value}; "
                    "schedule a tensor in which it is bound to that"
                )


def argument_of(parameter: UOp, buffers: Sequence[Buffer], exact: bool) -> Buffer:
    """The buffer of a parameter; unless they are `exact` it may be smaller.

    Raises ScheduleError if it is missing or of another size or dtype.
    """
    slot, shape, _ = parameter.arg
    if slot >= len(buffers):
        raise ScheduleError(
            f"parameter {slot} has no argument: {len(buffers)} buffers were passed; pass one for "
            "each parameter, in the order of their slots"
        )
    buffer, takes = buffers[slot], f"parameter {slot} takes {prod(shape)} {parameter.dtype.name}"
    if not isinstance(buffer, Buffer):
        raise ScheduleError(f"{takes}, found {buffer!r}, which is no buffer")
    fits = buffer.size == prod(shape) or (buffer.size < prod(shape) and not exact)
    if not fits or buffer.dtype.name != parameter.dtype.name:
        raise ScheduleError(f"{takes}, found a buffer of {buffer.size} {buffer.dtype.name}")
    return buffer


def _chosen(ast: UOp, device: BaseDevice) -> UOp:
    """A kernel with the choices that it is to have: those of a search, if it asks for one.

    A library is opened before what calls it is loaded.
    """
    if is_by_library(ast):
        from rulewright.driver.library import prepare_library

        prepare_library()
    if not search_width(ast):
        return ast
    from rulewright.driver.tuned import tuned

    return tuned(ast, device)


def lowered_as(call: UOp) -> tuple[UOp, str]:
    """The kernel of a call with the choices that it is to have, and its target: "" for none."""
    device = Device[call.src[1].arg[2]]
    if device.interprets:
        return call.src[0], ""
    return _chosen(call.src[0], device), device.target


MOST_LOADED = 8192  # kernels kept ready to launch


@dataclass(frozen=True)
class Loaded:
    """A kernel that is ready to launch: its program runs over `parts` of the memories in these
    slots, and over all of the others."""

    program: KernelProgram
    runtime: Runtime
    parts: Mapping[int, Part]


_loaded: Recent[Any, Loaded] = Recent(MOST_LOADED)


def _key(device: BaseDevice, ast: UOp) -> Any:
    """What a loaded kernel is found by: rules of a user may lower it to something else."""
    return _loads_for(device), ast, overlay_key(), options().VERIFY


def _loads_for(device: BaseDevice) -> str:
    """The device that kernels are loaded for: one of its kind for all, if they are functions of
    this process."""
    return device.kind if device.is_native else device.name


def forget_kernels() -> None:
    """Keep no kernel ready; what is launched again is loaded anew."""
    _loaded.clear()


def compile_items(items: Sequence[ExecItem]) -> None:
    """Lower and compile every kernel that is new, those of one device together.

    Raises CompileError, with the tensor methods of the items, for source that does not compile.
    """
    new: dict[str, dict[UOp, ExecItem]] = {}
    for item in items:
        if not item.is_kernel:
            continue
        if item.device.interprets:
            from rulewright.codegen.heuristic import check_own_choices

            check_own_choices(item.ast)
            continue
        if _key(item.device, item.ast) not in _loaded:
            new.setdefault(_loads_for(item.device), {})[item.ast] = item
    for name, kernels in new.items():
        try:
            _compile(Device[name], list(kernels))
        except CompileError as error:
            notes = [m for item in items if item.ast in error.kernels for m in item.metadata]
            error.methods = tuple(dict.fromkeys(map(str, notes)))
            raise


def _compile(device: BaseDevice, kernels: Sequence[UOp]) -> None:
    """Lower, compile and load kernels, those once that are one over parts of their memories."""
    assert isinstance(device, CompilingDevice)
    parted = {ast: _over_parts(ast, device) for ast in kernels}
    loaded_before = {kernel: _loaded.get(_key(device, kernel)) for kernel, _ in parted.values()}
    try:
        loaded_now = _load(device, [k for k in loaded_before if loaded_before[k] is None])
    except CompileError as error:
        error.kernels = tuple([ast for ast, (k, _) in parted.items() if k in error.kernels])
        raise
    for ast, (kernel, parts) in parted.items():
        ready = loaded_before[kernel] or loaded_now[kernel]
        _loaded.put(_key(device, kernel), ready)
        if parts:
            _loaded.put(_key(device, ast), replace(ready, parts=parts))


def _over_parts(ast: UOp, device: BaseDevice) -> tuple[UOp, Mapping[int, Part]]:
    """A kernel over the parts of memory that it uses, where the device lets memory begin there.

    What is certified is the kernel over all of each memory: that one runs.
    """
    if options().VERIFY == PROVE:
        return ast, {}
    return over_parts(ast, 1 if device.is_native else device.view_alignment)


def _load(device: CompilingDevice, kernels: list[UOp]) -> dict[UOp, Loaded]:
    """Kernels, lowered and compiled, many to a translation unit, and loaded."""
    name = device.target
    # a search is not disturbed by compilers
    chosen = {ast: _chosen(ast, device) for ast in kernels}
    programs: dict[UOp, KernelProgram] = {}

    def lowered() -> Iterator[KernelProgram]:
        lowered_programs = kept_programs(list(chosen.values()), name)
        for ast in kernels:
            with span("lower", device.name):
                programs[ast] = next(lowered_programs)
            yield programs[ast]

    compiled: dict[str, Runtime] = {}
    units: list[Unit] = []
    with without_gc(), span("compile", device.name):
        full = units_of(lowered(), target(name), units, device.unit_length)
        try:
            compiled_units = device.compile_many((unit.source, unit.names) for unit in full)
        except CompileError as error:
            refused = [u for u in units if u.source == error.source] or units  # or what all need
            bad = {p.source for unit in refused for p in unit.programs}
            error.unit = ", ".join([n for unit in refused for n in unit.names])
            error.kernels = tuple([ast for ast, p in programs.items() if p.source in bad])
            raise
    list(full)  # what the device may have left
    _check_compiled(device, compiled_units, units)
    for unit, binaries in zip(units, compiled_units, strict=True):
        for program, binary in zip(unit.programs, binaries, strict=True):
            runtime = compiled[program.source] = device.runtime(binary)
            if not hasattr(runtime, "bind"):
                which = f"runtime() for {program.name}"
                refuse_result(device, which, runtime, "a Runtime, which has `bind`")
    return {ast: Loaded(p, compiled[p.source], {}) for ast, p in programs.items()}


def _check_compiled(device: CompilingDevice, binaries: Any, units: list[Unit]) -> None:
    """Raise DeviceError unless a device made a program of each kernel."""
    is_nested = isinstance(binaries, list) and all(isinstance(unit, list) for unit in binaries)
    are = [[isinstance(p, Program) for p in unit] for unit in binaries] if is_nested else None
    if are != [[True] * len(unit.names) for unit in units]:
        names = [unit.names for unit in units]
        expected = f"lists of a Program for each kernel of {names}"
        refuse_result(device, "compile() or compile_many()", binaries, expected)


def check_inputs(items: Sequence[ExecItem]) -> None:
    """Raise UsageError if one of the items, run in order, reads memory that was never written."""
    written: set[Buffer] = set()
    for number, item in enumerate(items):
        for buffer in item.read:
            memory = buffer.base or buffer
            if buffer.size and memory not in written and not memory.is_allocated:
                raise UsageError(
                    f"kernel {number} of those to run reads {buffer.size} {buffer.dtype.name} on "
                    f"{buffer.device.name} that were never written; realize their tensor first, "
                    "or run the schedule that fills them"
                )
        written.update(buffer.base or buffer for buffer in item.written)


def run_items(
    items: Sequence[ExecItem],
    variables: Mapping[str, int] | None = None,
    wait: bool = False,
    underway: Underway | None = None,
) -> float:
    """Compile what is new, take memory, then run items in order. Returns the seconds measured, if
    any. `underway` is told of each.

    Nothing runs if one of the items reads memory that was never written, UsageError, or has no
    room for its own, DeviceRuntimeError.
    """
    check_inputs(items)
    compile_items(items)
    _allocate(items)
    if underway:
        underway.begin(items)
    total = 0.0
    for item in items:
        total += run_item(item, variables or {}, wait) or 0.0
        if underway:
            underway.ran()
    return total


def _allocate(items: Sequence[ExecItem]) -> None:
    """Take memory for all items before the first one runs."""
    for item in items:
        try:
            for buffer in item.buffers:
                buffer.allocate()
        except DeviceRuntimeError as error:
            _blame(error, item)
            raise


def run_item(item: ExecItem, variables: Mapping[str, int], wait: bool) -> float | None:
    """Run one item of a schedule on its device, and tell who waits for that."""
    values = {**variables, **item.fixed_variables}
    seconds = _run_on_device(item, values, wait)
    if item.on_run is not None:
        item.on_run()
    return seconds


def _run_on_device(item: ExecItem, values: dict[str, int], wait: bool) -> float | None:
    active = recorder()
    if active is not None:
        active.items.append((item, values))
    wait = wait or options().DEBUG >= 2
    device = item.device
    GlobalCounters.kernels_on[device.name] += 1
    seconds: float | None
    program: KernelProgram | None = None
    if item.is_copy:
        seconds = _copy(item)
    elif not item.is_kernel:
        seconds = _call_host(item)
    elif device.interprets:
        seconds = device.run(item.ast, item.buffers, values)  # type: ignore[attr-defined]  # as `interprets` says
        if options().PROFILE:
            end = perf_counter_ns()
            record("kernel", name_of(item.ast), end - int((seconds or 0.0) * 1e9), end)
    else:
        program, seconds = _launch(item, values, wait)
    work = program.estimates if program else Estimates(0, sum(b.nbytes for b in item.buffers))
    flops, moved = work.at(values)
    GlobalCounters.count(flops, moved, seconds)
    report_kernel(item, program, seconds, flops, moved)
    return seconds


def _launch(
    item: ExecItem, values: Mapping[str, int], wait: bool
) -> tuple[KernelProgram, float | None]:
    try:
        program, launch = bind_item(item, values)
        return program, _run(item, program, launch, values, wait)
    except DeviceRuntimeError as error:
        _blame(error, item)
        raise


def _blame(error: DeviceRuntimeError, item: ExecItem) -> None:
    """Let an error name an item, unless it may be of one before."""
    if not error.is_late:
        error.kernels = (item.ast,)
        error.methods = error.methods or tuple(dict.fromkeys(map(str, item.metadata)))


def _run(
    item: ExecItem, program: KernelProgram, launch: Launch, values: Mapping[str, int], wait: bool
) -> float | None:
    if not options().PROFILE:
        return launch(wait)
    flops, moved = program.estimates.at(values)
    dtype = item.buffers[0].dtype.name
    with detailed(flops=flops, bytes=moved, dtype=dtype), timed_kernel(program.name):
        return launch(True)


def loaded(item: ExecItem) -> Loaded:
    """The kernel of an item, lowered, compiled and loaded if it is new."""
    kernel = _loaded.get(_key(item.device, item.ast))
    if kernel is None:
        compile_items([item])
        kernel = _loaded.get(_key(item.device, item.ast))
        assert kernel is not None, "it was loaded just now"
    return kernel


def bind_item(
    item: ExecItem, values: Mapping[str, int], later: Container[Buffer] = ()
) -> tuple[KernelProgram, Any]:
    """A kernel's program, and its launch over the item's buffers with these variables.

    Buffers that come `later` get no memory: who runs the launch sets their addresses first.
    """
    kernel = loaded(item)
    program, parts = kernel.program, kernel.parts
    buffers: list[Any] = []
    for slot in program.parameters:
        whole, part = item.buffers[slot], parts.get(slot)
        if whole in later:
            buffers.append(NOWHERE)
        elif part is None:
            buffers.append(whole)
        else:
            # memory may be smaller than its parameter
            size = min(part.size, whole.size - part.first)
            buffers.append(whole.view(part.first * whole.dtype.itemsize, size))
    numbers = [variable_at(v, values) for v in program.variables]
    global_size = tuple(size_at(size, values) for size in program.launch[0])
    launch = kernel.runtime.bind(buffers, numbers, global_size, program.launch[1])
    if not callable(launch):
        refuse_result(item.device, f"bind() for {program.name}", launch, "a Launch")
    return program, launch


def _call_host(item: ExecItem) -> float:
    """Call a function of the host: over memory of this process as it is, over others by copies."""
    (store,) = item.ast.src
    node = store.src[1]
    host, out = host_function(node), item.buffers[0]
    is_near = out.device.in_host_memory
    memories = [item.buffers[place.arg[0]] for place in node.src]

    def call() -> None:
        result = host([m.as_numpy() if is_near and m.size else m.numpy() for m in memories])
        if not (host.is_in_place and is_near):
            out.copyin(result)

    out.allocate()
    with span("host", host.name):
        return timed(call)


def _copy(item: ExecItem) -> float:
    """Copy between devices: through memory of the host, unless both are there."""
    target, source = item.buffers

    def move() -> None:
        if source.nbytes:
            are_near = target.device.in_host_memory and source.device.in_host_memory
            target.copyin(source.as_numpy() if are_near else source.numpy())

    return timed(move)
