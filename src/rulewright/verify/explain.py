"""What became of each node: every entry is run with a record, and read backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Op, Ops
from rulewright.ir.origins import Origins
from rulewright.ir.pipeline import Entry, lowering, phases
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import ruleset
from rulewright.ir.text import name_nodes
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.render import target
from rulewright.render.kernel import KernelWriter
from rulewright.runtime.device import Device
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
    whole: bool = True  # the step leads to all of `after`, not to an operand that a rule made


Places = tuple[dict[Any, list[UOp]], dict[Any, list[UOp]]]
"""Nodes before and after a step by a key, in order."""
_DEPTH = 4  # operands of operands that are compared
_REDUCED = "reduced by"


@dataclass
class Change:
    """What one set of rules, or one pass, did to a graph."""

    entry: str
    place: str
    before: UOp
    after: UOp
    links: dict[UOp, Link] = field(default_factory=dict)  # new node -> the rule that made it
    rebuilt: dict[UOp, UOp] = field(default_factory=dict)  # node -> what it was with old operands
    _sketches: dict[tuple[UOp, int], int] = field(default_factory=dict)
    _numbers: dict[Any, int] = field(default_factory=dict)  # of what sketches say
    _places: dict[int, Places] = field(default_factory=dict)

    @cached_property
    def old(self) -> frozenset[UOp]:
        """The nodes of the graph before."""
        return frozenset(self.before.toposort())

    @cached_property
    def by_op(self) -> Places:
        """Nodes by op and dtype."""
        return self._by(lambda node: (node.op, node.dtype))

    def by_sketch(self, depth: int) -> Places:
        """Nodes that compute, by their sketch."""
        if depth not in self._places:
            self._places[depth] = self._by(
                lambda node: self.sketch(node, depth) if _computes(node) else None
            )
        return self._places[depth]

    def _by(self, key: Callable[[UOp], Any]) -> Places:
        places: Places = ({}, {})
        for nodes, graph in zip(places, (self.before, self.after), strict=True):
            for node in graph.toposort():
                nodes.setdefault(key(node), []).append(node)
        return places

    def sketch(self, node: UOp, depth: int) -> int:
        """A number for what a node computes of operands `depth` deep, wherever they lie and in
        whatever lanes: what is added to an accumulator is reduced, and in parts as at once."""
        known = self._sketches.get((node, depth))
        if known is None:
            parts = _sketched(node, depth, self.sketch)
            known = self._numbers.setdefault(parts, len(self._numbers))
            self._sketches[node, depth] = known
        return known


def _sketched(
    node: UOp, depth: int, sketch: Callable[[UOp, int], int]
) -> tuple[Any, DType, tuple[Any, ...]]:
    """What a node does, its dtype, and sketches of its operands."""
    if node.op is Ops.STORE and node.src[0].past(_ELEMENTS).op is Ops.DEFINE_REG:
        node = node.src[1]
    node = node.past(_ELEMENTS)
    kind: Any = node.op
    operands = node.src[:2] if node.op is Ops.STORE else node.src  # without the gate
    operands = tuple([s for s in operands if s.past(_ELEMENTS).op is not Ops.DEFINE_REG])
    if _reduces(node):
        kind, operands = (_REDUCED, _combined(node)), (_reduced(node),)
    elif depth and node.op.elementwise and len(operands) < len(node.src):
        kind = _REDUCED, node.op
    if depth == 0 or not operands:
        return kind, node.dtype.scalar, (node.arg,) if node.op is Ops.CONST else ()
    return kind, node.dtype.scalar, tuple([sketch(s, depth - 1) for s in operands])


def _computes(node: UOp) -> bool:
    return node.op.elementwise or node.op is Ops.STORE or _reduces(node)


def _combined(reduction: UOp) -> Op:
    """The op by which a reduction combines."""
    op: Op = reduction.arg[0] if reduction.op is Ops.REDUCE_AXIS else reduction.arg
    return op


def _reduced(reduction: UOp) -> UOp:
    """What a reduction, and those by the same op below it, combine."""
    value = reduction.src[0].past(_ELEMENTS)
    if _reduces(value) and _combined(value) is _combined(reduction):
        return _reduced(value)
    return value


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
            part = replace(link, whole=False)
            old = set(before.toposort())
            for node in after.toposort():
                if node not in old:
                    layer.links.setdefault(node, link if node is after else part)

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
            if node not in layer.old:
                break  # nobody knows
        return links, node

    def tensor_node(self, links: Sequence[Link]) -> UOp | None:
        """The node of the function whose element a node of a kernel is, or computes in part; None
        if none is known.

        An INDEX that sank through an op names the op's value as it was before.
        """
        nodes = self.layers[0].before.toposort()
        for link in links:
            if link.whole and link.before.op is Ops.INDEX:
                value = link.before.src[0]
                if (value.op.elementwise and value.op is link.after.op) or _reduces(value):
                    return next((n for n in nodes if _is_of(value, n)), None)
        return None


_ELEMENTS = Ops.group("Movement") | {Ops.INDEX, Ops.AFTER, Ops.LOAD, Ops.STACK}
"""Ops whose result is of what their first operand is."""


def _is_of(value: UOp, node: UOp, depth: int = 4) -> bool:
    """Whether a value in a kernel does what a node of the function does, whether its elements are
    moved and indexed or not. Memory that a kernel reads may hold any node of its shape."""
    value, node = value.past(_ELEMENTS), node.past(_ELEMENTS)
    if value.op is Ops.PARAM:
        return bool(value.arg[1] == node.max_shape)
    if value.op is Ops.CONST or depth == 0:
        return value.op is node.op and value.arg == node.arg
    if _name(value) != _name(node):
        return False
    operands = value.src[:1] if _reduces(value) else value.src
    return all(map(_is_of, operands, node.src, [depth - 1] * len(operands)))


def _reduces(node: UOp) -> bool:
    return "Reduction" in node.op.groups


def _name(node: UOp) -> str:
    return "REDUCE" if node.op is Ops.REDUCE_AXIS else node.op.name


def _through(layer: Change, node: UOp) -> tuple[list[Link], UOp]:
    """The steps of one layer, and the node of the graph before it."""
    before = layer.old
    links: list[Link] = []
    seen: set[UOp] = set()
    while node not in before and node not in seen:
        seen.add(node)
        link = layer.links.get(node)
        if link is not None:
            links.append(link)
            known = link.before in before or link.before in layer.links
            node = layer.rebuilt.get(node, link.before) if not known else link.before
        elif node in layer.rebuilt:
            node = layer.rebuilt[node]
        else:
            other = _counterpart(layer, node)
            if other is None:
                break
            links += [Link(layer.entry, "", layer.place, other, node)] if not layer.links else []
            node = other
    return links, node


def _counterpart(layer: Change, node: UOp) -> UOp | None:
    """What a pass, or new operands, made this of: the node that computes the most alike, at its
    place among such; of what computes nothing, the one at its place among those of its op."""
    if not _computes(node):
        return _at_place(layer.by_op, node, (node.op, node.dtype))
    for depth in range(_DEPTH, 0, -1):
        other = _at_place(layer.by_sketch(depth), node, layer.sketch(node, depth))
        if other is not None:
            return other
    return None


def _at_place(places: Places, node: UOp, key: Any) -> UOp | None:
    """The old node with a key, at the place that this one has among the new ones with it."""
    old, new = places[0].get(key), places[1].get(key, [])
    if not old:
        return None
    return old[new.index(node) * len(old) // len(new)] if node in new else old[0]


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
    title = str(kernel.arg[0]) if kernel.arg else "kernel"
    writer = KernelWriter(kernel.src, ctx.target, title)
    lines = writer.write()
    names = name_nodes(kernel)
    for node in kernel.src:
        if not (node.op.elementwise or node.op in (Ops.LOAD, Ops.STORE)):
            continue
        links, origin = history.chain(node)
        value = history.tensor_node(links)
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
