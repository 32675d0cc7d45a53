"""The nodes of the kernels of a program, each with its line of source and its chain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.pipeline import lowering, phases
from rulewright.ir.text import name_nodes
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.schedule.callify import BoundFunction
from rulewright.verify.bisect.search import run_program
from rulewright.verify.explain.chain import History, Link


@dataclass(frozen=True)
class Explained:
    """A node of a kernel: its name and line, the user's lines, the steps from first to last."""

    kernel: str
    name: str
    node: UOp
    line: str
    origin: UOp
    users: tuple[str, ...]
    links: tuple[Link, ...]


def explain_program(program: Callable[[], Any], device: str) -> Iterator[Explained]:
    """Explain every node of every kernel that a program runs."""
    from rulewright.tensor.metadata import metadata_of

    functions: list[tuple[UOp, Origins | None]] = []

    def note(function: BoundFunction) -> None:
        metadata = {new: metadata_of(old) for old, new in function.nodes.items()}
        notes = {node: (known,) for node, known in metadata.items() if known is not None}
        functions.append((function.body, Origins(notes)))

    run_program(program, note)
    for body, origins in functions:
        yield from explain_function(body, device, origins)


def explain_function(
    function: UOp, device: str, origins: Origins | None = None
) -> Iterator[Explained]:
    """Explain the nodes of every kernel of a function of PARAMs."""
    from rulewright.codegen.lower import Lowering
    from rulewright.render import target
    from rulewright.runtime.device import Device

    history = History()
    notes = dict(origins.notes) if origins is not None else {}
    graph = function
    with Context(VERIFY=0):
        for entry in phases("kernelize", "arrange"):
            graph = history.run(entry, graph)
        for call in dict.fromkeys(call.src[0] for call in graph.src):
            if any(n.op is Ops.COPY for n in call.toposort()):
                continue
            ctx = Lowering(target(Device.target_of(device)))
            own = History()
            own.layers = list(history.layers)
            kernel = call
            for entry in lowering():
                kernel = own.run(entry, kernel, ctx)
            yield from _nodes(kernel, own, notes, ctx)


def _nodes(
    kernel: UOp, history: History, notes: dict[UOp, tuple[Any, ...]], ctx: Any
) -> Iterator[Explained]:
    from rulewright.render.kernel import KernelWriter

    title = str(kernel.arg[0]) if kernel.arg else "kernel"
    writer = KernelWriter(kernel.src, ctx.target, title)
    lines = writer.write()
    names = name_nodes(kernel)
    for node in kernel.src:
        if not (node.op.elementwise or node.op in (Ops.LOAD, Ops.STORE)):
            continue
        links, origin = history.chain(node)
        value = history.tensor_node(node, links)
        origin = origin if value is None else value
        result = origin.src[1] if origin.op is Ops.STORE else origin
        users = tuple(str(note) for note in notes.get(result, ()))
        line = _line(writer, lines, node)
        yield Explained(title, names[node], node, line, origin, users, tuple(reversed(links)))


def _line(writer: Any, lines: list[str], node: UOp) -> str:
    """The first line of source that a node's text stands in."""
    text = writer.texts.get(node.src[0] if node.op is Ops.STORE else node)
    if text is None:
        return ""
    wanted = text.text
    stores = [line for line in lines if wanted in line and "=" in line]
    written = stores or [line for line in lines if wanted in line]
    return written[0].strip() if written else ""
