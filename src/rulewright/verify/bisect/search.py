"""The search: a program, its schedules, their entries, the rules of an entry.

Each step of compilation is run by itself and what it made runs in the interpreter on the program's
own inputs. The first step whose result leaves something else in memory is to blame; of its rules,
the one whose application is wrong by itself, or else the one that made the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rulewright.errors import RulewrightError, ValidationError
from rulewright.interp import Shadowed, run_kernel
from rulewright.interp.memory import poison
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.pipeline import Entry, entries, lowering, phases, scheduling
from rulewright.ir.stages import check_stage
from rulewright.ir.uop import UOp
from rulewright.options import Context, set_inside
from rulewright.render import target
from rulewright.runtime.device import Device
from rulewright.verify.bisect.finding import Finding, blame, of_error, problem_of
from rulewright.verify.validate import check_static
from rulewright.verify.validate.values import difference, is_affordable, memory_after, shadow_after
from rulewright.verify.values.samples import contents, memory_of, variable_values

if TYPE_CHECKING:
    from rulewright.schedule.callify import BoundFunction

Array = np.ndarray[Any, Any]
Wanted = Mapping[UOp, Shadowed]


@dataclass(frozen=True)
class Job:
    """A function of PARAMs or one kernel, with what its memory holds before, and the device."""

    graph: UOp
    device: str = "C"
    arrays: Mapping[UOp, Array] = field(default_factory=dict)
    variables: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_kernel(self) -> bool:
        """Whether the graph is the body of one kernel."""
        return any(n.op is Ops.PARAM and n.arg[2] is None for n in self.graph.toposort())

    def filled(self) -> Job:
        """The same with sampled contents where none are given."""
        memory = memory_of(self.graph)
        arrays = {**contents(memory, 0), **{n: a for n, a in self.arrays.items() if n in memory}}
        variables = {**variable_values(self.graph, 0), **self.variables}
        return replace(self, arrays=arrays, variables=variables)


def bisect_program(program: Callable[[], Any], device: str = "C") -> Finding | None:
    """The step that makes a result of a program wrong; None if its results are right.

    `program` takes nothing; the tensors that it returns, if any, are computed. Every schedule that
    runs is searched, in order. The interpreter says what is right.
    """
    jobs: list[tuple[Job, BoundFunction]] = []

    def note(function: BoundFunction) -> None:
        arrays = dict(zip(_params(function.body), _held(function.buffers), strict=False))
        jobs.append((Job(function.body, device, arrays, dict(function.variables)), function))

    try:
        run_program(program, note, VERIFY=2, CACHE=0)
    except ValidationError as error:
        if error.entry == "gradient":
            return of_error(error, "gradient", "gradient")
    except RulewrightError:  # what fails in the program fails again when it is searched
        pass
    for job, function in jobs:
        finding = bisect_graph(job) or _cached(job, function)
        if finding is not None:
            return finding
    return None


def run_program(
    program: Callable[[], Any], note: Callable[[BoundFunction], None], **options: int
) -> None:
    """Run a program without captures and compute the tensors that it returns.

    `note` is told of each function that is scheduled.
    """
    from rulewright.driver.graphs import on_schedule
    from rulewright.tensor.tensor import Tensor

    with set_inside(on_schedule, note), Context(JIT=0, **options):
        result = program()
        results = result if isinstance(result, list | tuple) else [result]
        tensors = [t for t in results if isinstance(t, Tensor)]
        if tensors:
            tensors[0].realize(*tensors[1:])


def _params(function: UOp) -> list[UOp]:
    params = [n for n in memory_of(function) if n.op is Ops.PARAM and n.arg[0] >= 0]
    return sorted(params, key=lambda n: int(n.arg[0]))


def _held(buffers: Sequence[UOp]) -> list[Array]:
    """What buffers hold now; zeros where nothing was written."""
    from rulewright.runtime.memories import buffer_of

    arrays = []
    for node in buffers:
        buffer, shape = buffer_of(node), node.arg[1]
        known = buffer.is_allocated and buffer.size
        arrays.append((buffer.numpy() if known else np.zeros(shape, node.dtype.np)).reshape(shape))
    return arrays


def _cached(job: Job, function: BoundFunction) -> Finding | None:
    """A schedule in the cache that gives other values than the function for which it is found."""
    from rulewright.driver.schedules import compile_function

    job = job.filled()
    wanted = _wanted(job)
    with Context(VERIFY=0):
        linear = compile_function(function)[0].linear
    problem = "" if wanted is None else _problem(wanted, job, linear)
    what = "rulewright.driver.schedules:compile_function"
    return (
        Finding("schedule cache", problem, job.graph, what=what, after=linear) if problem else None
    )


def bisect_graph(job: Job) -> Finding | None:
    """The step that makes a function or a kernel wrong; None if every step is right."""
    job = job.filled()
    with Context(VERIFY=0, CACHE=0):
        finding = _kernel(job) if job.is_kernel else _function(job)
        return _suspect(job) if finding is None else finding


def _suspect(job: Job) -> Finding | None:
    """A rule that is wrong by itself, though these results agree within what is tolerated."""
    from rulewright.codegen.lower import lower_kernel
    from rulewright.schedule.build import is_kernel, schedule_function

    name = Device.target_of(job.device)
    try:
        with Context(VERIFY=3):
            linear = None if job.is_kernel else schedule_function(job.graph)
            kernels = [job.graph] if linear is None else [call.src[0] for call in linear.src]
            for kernel in dict.fromkeys(kernels):
                if is_kernel(kernel):
                    lower_kernel(kernel, name)
    except ValidationError as error:
        if not error.rule or not isinstance(error.before, UOp) or not isinstance(error.after, UOp):
            return None
        sets = [e.what for e in entries() if e.name == error.entry and e.action == "rules"]
        return of_error(error, error.entry, sets[0] if sets else "symbolic")
    except RulewrightError:
        return None
    return None


def _wanted(job: Job) -> Wanted | None:
    """What is right, with tolerances; None where the graph means nothing by itself."""
    try:
        return shadow_after(job.graph, job.arrays, job.variables)
    except RulewrightError:
        return None


def _problem(wanted: Wanted, job: Job, graph: UOp) -> str:
    """What is wrong with a graph in place of the job's."""
    if not is_affordable(graph):
        return ""
    try:
        return difference(wanted, memory_after(graph, job.arrays, job.variables))
    except RulewrightError as error:
        return f"the graph has lost its meaning: {problem_of(error)}"


# ---- one function -----------------------------------------------------------------------------


def _function(job: Job) -> Finding | None:
    from rulewright.schedule.build import kernel_graph, with_schedules

    wanted = _wanted(job)
    if wanted is None:
        return None
    hidden = any(n.op is Ops.CALL for n in job.graph.toposort())
    graph = with_schedules(kernel_graph(job.graph, joined=True)) if hidden else job.graph
    for entry in phases("arrange") if hidden else scheduling():
        result = _step(entry, graph, None, wanted, job)
        if isinstance(result, Finding):
            return result
        graph = result
    return _schedule(graph, wanted, job)


def _step(entry: Entry, graph: UOp, ctx: Any, wanted: Wanted | None, job: Job) -> UOp | Finding:
    """What an entry makes of a graph, or what is wrong with it."""

    def difference_of(graph: UOp) -> str:
        return "" if wanted is None else _problem(wanted, job, graph)

    try:
        result: UOp = entry.run(graph, ctx)
        problem = difference_of(result) or _illegal(entry, graph, result)
    except Exception as error:  # a broken step may fail in any way
        return blame(entry, graph, ctx, f"{type(error).__name__}: {error}", None, difference_of)
    return blame(entry, graph, ctx, problem, result, difference_of) if problem else result


def _illegal(entry: Entry, before: UOp, after: UOp) -> str:
    """What is wrong with a graph whatever memory holds."""
    try:
        check_stage(after, entry.result, after=entry.name)
        check_static(entry, before, after)
    except RulewrightError as error:
        return problem_of(error)
    return ""


def _schedule(graph: UOp, wanted: Wanted, job: Job) -> Finding | None:
    """The list of kernels: its memory, each kernel, and all of them on the device."""
    from rulewright.driver.schedules import plan_schedule
    from rulewright.schedule.order import flatten_linear

    linear = flatten_linear(graph)
    try:
        with Context(VERIFY=1):
            compiled = plan_schedule(linear)
    except RulewrightError as error:
        what = "rulewright.driver.memory:plan_memory"
        return Finding("memory plan", problem_of(error), job.graph, what=what, after=linear)
    finding = _kernels(linear, job)
    if finding is not None:
        return finding
    return _on_device(compiled, wanted, job)


def _kernels(linear: UOp, job: Job) -> Finding | None:
    """The kernels one by one, each on what the ones before it left in the interpreter's memory."""
    from rulewright.schedule.build import is_kernel

    memory = {node: np.array(a, order="C") for node, a in job.arrays.items()}
    for call in linear.src:
        for node in call.src[1:]:
            if node not in memory:
                memory[node] = poison(node.arg[1], node.dtype)
        flat = [memory[node].reshape(-1) for node in call.src[1:]]
        if is_kernel(call.src[0]):
            slots = {n: flat[n.arg[0]] for n in memory_of(call.src[0])}
            finding = _kernel(Job(call.src[0], job.device, slots, job.variables).filled())
            if finding is not None:
                return finding
        run_kernel(call.src[0], flat, job.variables)
    return None


def _buffers(job: Job) -> dict[UOp, Any]:
    """What a job's memory holds, on its device, by slot."""
    from rulewright.runtime.buffer import Buffer

    arrays = sorted(job.arrays.items(), key=lambda item: int(item[0].arg[0]))
    device = Device[job.device]
    return {n: Buffer(device, a.size, n.dtype).copyin(a.reshape(-1)) for n, a in arrays}


def _left_in(buffers: Mapping[UOp, Any]) -> dict[UOp, Array]:
    return {n: b.numpy().reshape(n.arg[1]) for n, b in buffers.items()}


def _on_device(compiled: Any, wanted: Wanted, job: Job) -> Finding | None:
    """All kernels on the device, after each has been found to be right."""
    from rulewright.driver.schedules import bind_schedule
    from rulewright.runtime.buffer import Buffer

    device, buffers = Device[job.device], _buffers(job)
    by_slot = {n.arg[0]: buffer for n, buffer in buffers.items()}
    unused = Buffer(device, 0, dtypes.u8)
    listed = [by_slot.get(slot, unused) for slot in range(1 + max(by_slot, default=-1))]
    try:
        with Context(VERIFY=1):
            schedule = bind_schedule(compiled, listed, dict(job.variables))
    except RulewrightError as error:
        what = "rulewright.driver.schedules:bind_schedule"
        return Finding("binding", problem_of(error), job.graph, what=what, after=compiled.linear)
    schedule.run(wait=True)
    device.synchronize()
    problem = difference(wanted, _left_in(buffers))
    what = "the compiler, the runtime, or kernels that did not wait for each other"
    step = f"device {job.device}"
    return Finding(step, problem, job.graph, what=what, after=compiled.linear) if problem else None


# ---- one kernel -------------------------------------------------------------------------------


def _kernel(job: Job) -> Finding | None:
    """The entries that lower a kernel, then the device that runs it."""
    from rulewright.codegen.lower import Lowering

    wanted = _wanted(job)
    graph, ctx = job.graph, Lowering(target(Device.target_of(job.device)))
    for entry in lowering():
        result = _step(entry, graph, ctx, wanted, job)
        if isinstance(result, Finding):
            return result
        graph = result
    return _launched(job, wanted) if wanted is not None else None


def _launched(job: Job, wanted: Wanted) -> Finding | None:
    """One kernel on the device."""
    from rulewright.driver.execute import ExecItem

    buffers = _buffers(job)
    slots = {n: n.replace(arg=(slot, *n.arg[1:])) for slot, n in enumerate(buffers)}
    refused = False
    try:
        ExecItem(job.graph.substitute(slots), tuple(buffers.values())).run(job.variables, wait=True)
        Device[job.device].synchronize()
        problem = difference(wanted, _left_in(buffers))
    except (RulewrightError, ValidationError) as error:
        problem, refused = problem_of(error), True
    if not problem:
        return None
    what = "the renderer, the compiler or the runtime"
    step = f"device {job.device}"
    return Finding(step, problem, job.graph, what=what, before=job.graph, refused=refused)
