"""Graph files on the command line: reading them, and taking them through the pipeline.

A graph printed behind entry E is called `after_E`, so that it can be read again and go on from
there. A graph of another name is a tensor program, a function, one kernel or a list of calls of
kernels: what it holds tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rulewright.cli.inputs import read_text
from rulewright.errors import ScheduleError, StageError, UsageError, ValidationError, listed
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.pipeline import Entry, entries, lowering, scheduling
from rulewright.ir.shapes import Dim
from rulewright.ir.stages import check_stage
from rulewright.ir.text import read_graph
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.parse import parse_text

if TYPE_CHECKING:
    from rulewright.codegen.lower import Lowering
    from rulewright.render import Target

_PREFIX = "after_"
_GRAPH = re.compile(r"^\s*graph\b", re.MULTILINE)
_DEVICE_AT = dict.fromkeys(Ops.group("Outer"), 2)


class GraphFile(NamedTuple):
    """A graph of a file, its name, and the last pipeline entry that it has passed, if any."""

    root: UOp
    done: str
    name: str


def read_graph_file(path: Path) -> GraphFile:
    """Read the graph of a file (`-`: standard input). Raises RuleError with all its problems."""
    text = read_text(path)
    root = read_graph(text, str(path))
    name = str(parse_text(text, str(path)).items[0].name)
    done = name.removeprefix(_PREFIX) if name.startswith(_PREFIX) else ""
    if done not in [entry.name for entry in entries()]:
        done = scheduling()[-1].name if is_schedule(root) else ""
    return GraphFile(root, done, name)


def entry_leading_to(name: str) -> Entry:
    """The entry of a name, or the last one that yields a stage of that name.

    Raises UsageError if the pipeline has neither.
    """
    for entry in entries():
        if entry.name == name:
            return entry
    for entry in reversed(entries()):
        if entry.result == name:
            return entry
    names = [entry.name for entry in entries()]
    raise UsageError(f"unknown stage {name!r}; {listed('stages are', names, name)}")


def read_program(path: Path, device: str) -> GraphFile:
    """Read a graph file and put its memory on one device, also what names none.

    Parameters of kernels name no device: what the kernel is called with tells. Raises RuleError
    with all problems of its text, UsageError for a graph that means nothing.
    """
    file = read_graph_file(path)
    names = [entry.name for entry in entries()]
    lowered = file.done in names[first_kernel_entry() :] and not is_schedule(file.root)
    alone = lowered or (not file.done and is_kernel(file.root))
    placed = file if alone else file._replace(root=_on_device(file.root, device))
    try:
        _check(placed, device)
    except (UsageError, StageError, ScheduleError, ValidationError) as error:
        raise UsageError(f"{path}: error: {error}") from error
    return placed


def graph_problems(paths: Iterable[Path]) -> list[Diagnostic]:
    """Why graphs cannot run that stand in files of their own, whose texts have no problem."""
    problems = []
    for path in paths:
        text = read_text(path)
        items = parse_text(text, str(path)).items if _GRAPH.search(text) else ()
        if len(items) == 1 and isinstance(items[0], t.Graph):
            try:
                read_program(path, "C")  # on any device: what its memories name is left out
            except UsageError as error:
                message = str(error).removeprefix(f"{path}: error: ").strip()
                problems.append(Diagnostic("graph", message, items[0].name.span))
    return problems


def _check(file: GraphFile, device: str) -> None:
    from rulewright.cli import graph_checks as checks

    checks.check_written(file.root)
    if is_schedule(file.root):
        checks.check_schedule(file.root, file.done)
    elif file.done:
        checks.check_lowered(file.root, file.done)
    elif is_kernel(file.root):
        checks.check_kernel(file.root)
    else:
        checks.check_value(as_function(file.root, device)[0])


def _on_device(root: UOp, device: str) -> UOp:
    """The graph with all its memory on one device, except in the kernels that it calls."""

    def moved(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        at = _DEVICE_AT.get(node.op)
        if at is not None:
            return node.replace(arg=(*node.arg[:at], device))
        if node.op is Ops.COPY:
            return node.replace(src=src, arg=device)
        whole = node.op is Ops.CALL and node.src[0].op is not Ops.FUNCTION
        return node.replace(src=(node.src[0], *src[1:])) if whole else None

    return rebuild(root, moved)


def is_kernel(root: UOp) -> bool:
    """Whether a graph is one kernel: loops around stores of elements."""
    try:
        check_stage(root, lowering()[0].source)
    except StageError:
        return False
    return any(node.op is Ops.INDEX for node in root.toposort())


def parameters_of(graph: UOp) -> tuple[UOp, ...]:
    """The PARAMs of a function or of a schedule's calls, by slot; not those inside kernels."""
    nodes = graph.toposort(lambda n: n.op is not Ops.CALL)
    if is_schedule(graph):
        nodes = [argument for call in graph.src for argument in call.src[1:]]
    params = dict.fromkeys(n for n in nodes if n.op is Ops.PARAM)
    return tuple(sorted(params, key=lambda p: p.arg[0]))


def variables_of(graph: UOp) -> frozenset[str]:
    """The names of the variables in a graph."""
    return frozenset(n.arg[0] for n in graph.toposort() if n.op is Ops.VAR)


def written_by(graph: UOp) -> frozenset[UOp]:
    """The memories that the stores of a function, or of a schedule's kernels, write."""
    if not is_schedule(graph):
        places = [n.src[0] for n in graph.toposort() if n.op is Ops.STORE]
        return frozenset(_memory(place) for place in places)
    memories = set()
    for call in graph.src:
        slots = {memory.arg[0] for memory in written_by(call.src[0]) if memory.op is Ops.PARAM}
        memories |= {call.src[1 + slot] for slot in slots}
    return frozenset(memories)


def _memory(place: UOp) -> UOp:
    while place.op not in _DEVICE_AT and place.src:
        place = place.src[0]
    return place


def as_schedule(kernel: UOp, device: str) -> UOp:
    """A list of one call of a kernel, with arguments like its parameters."""
    params = [n for n in kernel.toposort() if n.op is Ops.PARAM]
    ordered = sorted(params, key=lambda p: p.arg[0])
    memories = [p.replace(arg=(slot, p.arg[1], device)) for slot, p in enumerate(ordered)]
    call = UOp(Ops.CALL, dtypes.void, (kernel, *memories))
    return UOp(Ops.LINEAR, dtypes.void, (call,))


def as_function(root: UOp, device: str) -> tuple[UOp, tuple[UOp, ...], dict[str, int]]:
    """A function of PARAMs, the BUFFERs they stand for (none if it had PARAMs), and variables.

    A value is stored to a new parameter, the last one. Raises UsageError for a graph that has both
    PARAMs and BUFFERs, or a value of symbolic shape.
    """
    from rulewright.schedule.callify import callify

    nodes = root.toposort()
    buffers = [n for n in nodes if n.op is Ops.BUFFER]
    if buffers and any(n.op is Ops.PARAM for n in nodes):
        raise UsageError("expected a graph of BUFFERs or of PARAMs, found both")
    slots = [n.arg[0] for n in nodes if n.op is Ops.PARAM]
    call = callify(_as_sink(root, len(buffers) or max(slots, default=-1) + 1, device))
    return call.body, call.buffers, call.variables


def _as_sink(root: UOp, slot: int, device: str) -> UOp:
    if root.op is Ops.SINK:
        return root
    if root.dtype is dtypes.void:
        return UOp.sink(root)
    shape: tuple[Dim, ...] = root.shape or ()
    if not all(isinstance(size, int) for size in shape):
        raise UsageError("expected a result of fixed shape, found a symbolic one")
    return UOp.sink(UOp(Ops.PARAM, root.dtype, (), (slot, shape, device)).store(root))


def advance(graph: UOp, start: str, stop: str, on: Target) -> UOp:
    """Run the pipeline behind entry `start` ("": from its first) to entry `stop`, both by name.

    Kernel entries run on every kernel of a LINEAR list, or on the one kernel that `graph` is.
    Raises UsageError if the graph has passed `stop` already.
    """
    from rulewright.codegen.lower import Lowering

    names = [entry.name for entry in entries()]
    first, last = (names.index(start) + 1 if start else 0), names.index(stop)
    if last < first - 1:
        raise UsageError(f"the graph has passed {stop!r} already; it is behind {start!r}")
    for entry in entries()[first : last + 1]:
        if names.index(entry.name) >= first_kernel_entry():
            graph = _each_kernel(graph, entry, Lowering(on))
        else:
            graph = _scheduled(entry.run(graph))
    return graph


def first_kernel_entry() -> int:
    """Index of the first entry that works on one kernel for one target."""
    return entries().index(lowering()[0])


def _scheduled(graph: UOp) -> UOp:
    from rulewright.schedule.order import flatten_linear

    return flatten_linear(graph) if graph.op is Ops.LINEAR else graph


def is_schedule(graph: UOp) -> bool:
    """Whether a graph is a list of calls of kernels."""
    return graph.op is Ops.LINEAR and all(item.op is Ops.CALL for item in graph.src)


def _each_kernel(graph: UOp, entry: Entry, ctx: Lowering) -> UOp:
    if not is_schedule(graph):
        return entry.run(graph, ctx)
    from rulewright.schedule.build import is_kernel

    calls = []
    for call in graph.src:
        kernel = entry.run(call.src[0], ctx) if is_kernel(call.src[0]) else call.src[0]
        calls.append(call.replace(src=(kernel, *call.src[1:])))
    return graph.replace(src=tuple(calls))
