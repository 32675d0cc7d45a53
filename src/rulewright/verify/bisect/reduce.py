"""Shrinking a graph that fails: fewer nodes, smaller shapes, simpler constants.

Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002)
on graphs: each candidate is a change of one node or of one size everywhere; the first that still
fails is kept, until none does or the number of tries is used up. `minimal` is the smallest graph
that a finding is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rulewright.errors import RulewrightError, ValidationError
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.verify.bisect.finding import Finding, problem_of
from rulewright.verify.bisect.search import Job, bisect_graph

MOST_TRIES = 400
_OUTER = Ops.group("Outer")
_LEAVES = _OUTER | {Ops.CONST, Ops.VAR, Ops.RANGE}
_MOVED = (Ops.group("Movement") - {Ops.PERMUTE}) | {Ops.IOTA}
_VOID = "Void"


def reduce_graph(graph: UOp, fails: Callable[[UOp], bool], most: int = MOST_TRIES) -> UOp:
    """A smaller graph for which `fails` holds as well; `graph` itself if there is none.

    `fails` may raise: a candidate that means nothing does not fail.
    """
    tries = 0
    again = True
    while again:
        again = False
        for candidate in candidates(graph):
            if tries >= most:
                return graph
            tries += 1
            if _weight(candidate) < _weight(graph) and _holds(fails, candidate):
                graph, again = candidate, True
                break
    return graph


def _holds(fails: Callable[[UOp], bool], candidate: UOp) -> bool:
    try:
        for node in candidate.toposort():
            _ = node.shape, node.ranges, node.interval
        return fails(candidate)
    except Exception:  # whatever a graph without meaning raises
        return False


def _weight(graph: UOp) -> tuple[int, int, int]:
    """Nodes, then elements, then how odd the constants are."""
    nodes = graph.toposort()
    sizes = sum(sum(_numbers(n.arg)) for n in nodes if n.op is not Ops.CONST)
    odd = sum(_oddness(n.arg) for n in nodes if n.op is Ops.CONST)
    return len(nodes), sizes, odd


def _numbers(arg: Any) -> Iterator[int]:
    if isinstance(arg, tuple):
        for part in arg:
            yield from _numbers(part)
    elif isinstance(arg, int) and not isinstance(arg, bool):
        yield abs(arg)


def _oddness(value: Any) -> int:
    if isinstance(value, bool) or value in (0, 1):
        return int(value)
    return 2 + min(int(abs(value)), 1 << 20) if value == value and abs(value) < 1e18 else 1 << 20


def candidates(graph: UOp) -> Iterator[UOp]:
    """Smaller graphs, the boldest changes first."""
    yield from _fewer_effects(graph)
    for node in reversed(graph.toposort()):
        for other in _simpler(node):
            with suppress(RulewrightError):  # nodes check what they are made of
                yield graph.substitute({node: other})
    for size in sorted({n for n in _sizes(graph) if n > 1}, reverse=True):
        for smaller in dict.fromkeys((1, 2, 3, size // 2, size - 1)):
            if 0 < smaller < size:
                with suppress(RulewrightError):
                    yield resized(graph, size, smaller)


def _fewer_effects(graph: UOp) -> Iterator[UOp]:
    if graph.op is not Ops.SINK or len(graph.src) < 2:
        return
    half = len(graph.src) // 2
    for part in (graph.src[:half], graph.src[half:]):
        yield graph.replace(src=part)
    for i in range(len(graph.src)):
        yield graph.replace(src=(*graph.src[:i], *graph.src[i + 1 :]))


def _simpler(node: UOp) -> Iterator[UOp]:
    """What may stand for a node: one of its operands, memory, a number."""
    if node.dtype.kind == _VOID:
        return
    for below in node.src:
        for other in (below, *below.src):
            if other.dtype is node.dtype and other.shape == node.shape:
                yield other
    shape = node.shape
    fixed = shape is not None and all(isinstance(size, int) for size in shape)
    if node.op not in _LEAVES and fixed and not node.ranges and node.dtype.kind != "Index":
        slot = 90 + len(node.toposort()) % 10
        device = next((n.arg[2] for n in node.toposort() if n.op is Ops.PARAM), None)
        yield UOp(Ops.PARAM, node.dtype, (), (slot, shape, device))
    if not shape and node.dtype.count == 1:
        for value in (0, 1):
            if node.op is not Ops.CONST or node.arg != value:
                yield UOp.const(node.dtype, value)


def _sizes(graph: UOp) -> Iterator[int]:
    for node in graph.toposort():
        if node.op in _OUTER or "Movement" in node.op.groups:
            yield from _numbers(node.arg[1] if node.op in _LEAVES else node.arg)
        elif node.op is Ops.RANGE and node.src[0].op is Ops.CONST:
            yield int(node.src[0].arg)


def resized(graph: UOp, size: int, smaller: int) -> UOp:
    """The graph with one size replaced wherever it stands: in shapes, loops and indices."""

    def swapped(node: UOp, src: tuple[UOp, ...]) -> UOp:
        arg = node.arg
        if node.op in _OUTER:
            arg = (arg[0], _swapped(arg[1], size, smaller), *arg[2:])
        elif node.op in _MOVED:
            arg = _swapped(arg, size, smaller)
        elif node.op is Ops.CONST and node.dtype.kind == "Index" and arg == size:
            arg = smaller
        return UOp(node.op, node.dtype, src, arg)

    return rebuild(graph, swapped)


def _swapped(arg: Any, size: int, smaller: int) -> Any:
    if isinstance(arg, tuple):
        return tuple(_swapped(part, size, smaller) for part in arg)
    return smaller if isinstance(arg, int) and not isinstance(arg, bool) and arg == size else arg


def minimal(finding: Finding, device: str) -> Finding:
    """The same finding on a graph that is reduced as far as it goes."""
    if finding.rule and finding.before is finding.graph:
        graph = reduce_graph(finding.graph, lambda g: _application(g, finding) is not None)
        return _application(graph, finding) or finding
    graph = reduce_graph(finding.graph, same_finding(finding, device))
    reduced = bisect_graph(Job(graph, device)) if graph is not finding.graph else None
    return reduced if reduced is not None and reduced.key == finding.key else finding


def same_finding(finding: Finding, device: str) -> Callable[[UOp], bool]:
    """A check that a graph fails in the same step, by the same rule."""

    def fails(graph: UOp) -> bool:
        other = bisect_graph(Job(graph, device))
        return other is not None and other.key == finding.key

    return fails


def _application(graph: UOp, finding: Finding) -> Finding | None:
    """The finding's rule on another graph, if it is wrong there at the root."""
    try:
        with Context(VERIFY=3):
            rewrite(graph, ruleset(finding.ruleset), only=[finding.rule])
    except ValidationError as error:
        if error.before is graph and isinstance(error.after, UOp):
            changed = {"problem": problem_of(error), "graph": graph, "before": graph}
            return replace(finding, after=error.after, **changed)  # type: ignore[arg-type]  # named above
    return None
