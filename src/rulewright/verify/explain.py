"""What became of each node: every entry is run with a record, and read backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rulewright.ir.ops import Op, Ops
from rulewright.ir.origins import Origins
from rulewright.ir.pipeline import Entry, lowering, phases
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import ruleset
from rulewright.ir.text import name_nodes
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.schedule.build import is_kernel
from rulewright.schedule.callify import BoundFunction
from rulewright.verify.bisect.finding import rulesets_of
from rulewright.verify.bisect.search import run_program
from rulewright.verify.validate.rules import place_of


@dataclass(frozen=True)
class Link:
    """One step of a chain: the node `after` came from `before` by a rule, or by a pass."""

    entry: str
    rule: str  # empty for a pass
    place: str  # file:line of the rule, or the function of the pass
    before: UOp
    after: UOp


@dataclass
class Change:
    """What one set of rules, or one pass, did to a graph."""

    entry: str
    place: str
    before: UOp
    after: UOp
    links: dict[UOp, Link] = field(default_factory=dict)  # new node -> the rule that made it
    rebuilt: dict[UOp, UOp] = field(default_factory=dict)  # node -> what it was with old operands


class History:
    """Layers in the order in which they ran."""

    def __init__(self) -> None:
        self.layers: list[Change] = []

    def run(self, entry: Entry, graph: UOp, ctx: Any = None) -> UOp:
        """Run an entry, and remember what it did."""
        for name in rulesets_of(entry, ctx):
            graph = self._rewritten(entry, graph, name, ctx)
        if entry.action == "pass":
            result: UOp = entry.run(graph, ctx)
            self.layers.append(Change(entry.name, entry.what, graph, result))
            return result
        return graph

    def _rewritten(self, entry: Entry, graph: UOp, name: str, ctx: Any) -> UOp:
        rules, layer = ruleset(name), Change(entry.name, name, graph, graph)

        def note(rule: str, before: UOp, after: UOp) -> None:
            link = Link(entry.name, rule, place_of(rules, rule), before, after)
            old = set(before.toposort())
            for node in after.toposort():
                if node not in old:
                    layer.links.setdefault(node, link)

        memo: dict[UOp, UOp] = {}
        layer.after = rewrite(graph, rules, ctx, trace=note, memo=memo)
        for old, new in memo.items():
            if new is not old:
                layer.rebuilt.setdefault(new, old)
        self.layers.append(layer)
        return layer.after

    def chain(self, node: UOp) -> tuple[list[Link], UOp]:
        """How a node came to be, the last step first, and the first node it came from."""
        links: list[Link] = []
        for layer in reversed(self.layers):
            steps, node = _through(layer, node)
            links += steps
        return links, node

    def tensor_node(self, node: UOp, links: Sequence[Link]) -> UOp | None:
        """The node of the function whose element a node of a kernel is; None if none is known.

        An INDEX that sank through an op names the op's value as it was before.
        """
        for link in links:
            value = link.before.src[0] if link.before.op is Ops.INDEX else None
            if value is not None and value.op is node.op:
                nodes = self.layers[0].before.toposort()
                return next((n for n in nodes if n.op is node.op and _is_of(value, n)), None)
        return None


def _is_of(value: UOp, node: UOp, depth: int = 4) -> bool:
    """Whether a value in a kernel does what a node of the function does, whether its elements are
    moved and indexed or not. Memory that a kernel reads may hold any node of its shape."""
    value, node = _bare(value), _bare(node)
    if value.op is Ops.PARAM:
        return bool(value.arg[1] == node.max_shape)
    if value.op is Ops.CONST or depth == 0:
        return value.op is node.op and value.arg == node.arg
    if _name(value) != _name(node):
        return False
    operands = value.src[:1] if "Reduction" in value.op.groups else value.src
    return all(map(_is_of, operands, node.src, [depth - 1] * len(operands)))


def _bare(node: UOp) -> UOp:
    while node.op in (Ops.INDEX, Ops.AFTER) or "Movement" in node.op.groups:
        node = node.src[0]
    return node


def _name(node: UOp) -> str:
    return "REDUCE" if node.op is Ops.REDUCE_AXIS else node.op.name


def _through(layer: Change, node: UOp) -> tuple[list[Link], UOp]:
    """The steps of one layer, and the node of the graph before it."""
    before = dict.fromkeys(layer.before.toposort())
    links: list[Link] = []
    seen: set[UOp] = set()
    start = node
    while node not in before and node not in seen:
        seen.add(node)
        link = layer.links.get(node)
        if link is not None:
            links.append(link)
            node = link.before
        elif node in layer.rebuilt:
            node = layer.rebuilt[node]
        else:
            other = _counterpart(layer, before, node, start)
            if other is None:
                break
            links += [Link(layer.entry, "", layer.place, other, node)] if not layer.links else []
            node = other
    return links, node


def _counterpart(layer: Change, before: dict[UOp, None], node: UOp, start: UOp) -> UOp | None:
    """What a pass, or new operands, made this of: the node at its place among those of its op."""
    old = _same_kind(before, node.op, node.dtype)
    new = _same_kind(layer.after.toposort(), node.op, node.dtype)
    place = node if node in new else start
    if place not in new or not old:
        return None
    return old[min(new.index(place), len(old) - 1)]


def _same_kind(nodes: Sequence[UOp] | dict[UOp, None], op: Op, dtype: Any) -> list[UOp]:
    return [n for n in nodes if n.op is op and n.dtype is dtype]


# ---- the nodes of the kernels of a program, each with its line of source and its chain -----------


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
            if not is_kernel(call):
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
