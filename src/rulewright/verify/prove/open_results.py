"""Results that an op leaves open, as graphs: which zero MAX gives, how often MULACC rounds.

A rule is right if every result of the right side is one that the left side may give. A node that
stands on both sides has one result in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

Choice = Callable[[UOp], UOp]

MOST_OPEN = 4
"""Of so many nodes all results are tried."""


def _first(node: UOp) -> UOp:
    a, b = node.src
    return a.alu(Ops.CMPEQ, b).where(a, node)


def _second(node: UOp) -> UOp:
    a, b = node.src
    return a.alu(Ops.CMPEQ, b).where(b, node)


def _twice(node: UOp) -> UOp:
    a, b, c = node.src
    return a.alu(Ops.MUL, b).alu(Ops.ADD, c)


def _once(node: UOp) -> UOp:
    wide = dtypes.f64.vec(node.dtype.count)
    a, b, c = (s.cast(wide) for s in node.src)
    return a.alu(Ops.MUL, b).alu(Ops.ADD, c).cast(node.dtype)


_RESULTS: Mapping[object, tuple[Choice, ...]] = {
    Ops.MAX: (_first, _second),
    Ops.MIN: (_first, _second),
    Ops.MULACC: (_twice, _once),
}


def open_nodes(root: UOp) -> list[UOp]:
    """The nodes of a graph whose float may be one of several."""
    return [n for n in root.toposort() if n.dtype.is_float and n.op in _RESULTS]


def results(before: UOp, after: UOp) -> Iterator[tuple[UOp, list[UOp]]]:
    """Each graph that the right side may be, with those that the left side may be then.

    As they are, where too many nodes leave their result open.
    """
    left, right = open_nodes(before), open_nodes(after)
    if len({*left, *right}) > MOST_OPEN:
        yield after, [before]
        return
    free = [node for node in left if node not in right]
    for made in _ways(right):
        yield _chosen(after, made), [_chosen(before, {**made, **way}) for way in _ways(free)]


def _ways(nodes: Sequence[UOp]) -> Iterator[dict[UOp, Choice]]:
    for chosen in product(*[_RESULTS[node.op] for node in nodes]):
        yield dict(zip(nodes, chosen, strict=True))


def _chosen(root: UOp, ways: Mapping[UOp, Choice]) -> UOp:
    """A graph with one of the results for each of some nodes."""
    if not ways:
        return root
    made: dict[UOp, UOp] = {}
    for node in root.toposort():
        sources = tuple(made[s] for s in node.src)
        new = node if sources == node.src else UOp(node.op, node.dtype, sources, node.arg)
        made[node] = ways[node](new) if node in ways else new
    return made[root]


__all__ = ["MOST_OPEN", "open_nodes", "results"]
