"""Measures: what each rule of a set must make smaller, so that rewriting comes to an end.

A measure is a list of gauges. A rule lowers it if some gauge falls, and none before it can rise,
whatever the names of the rule stand for. Gauges:

    count(SUB NEG)    how many nodes of these ops there are
    nodes             how many nodes other than constants there are
    size              how many nodes there are, constants too
    path(MUL ADD)     a recursive path order: an op that stands earlier is larger than anything
                      made of later ones and of its own operands; of equal ops the operands are
                      compared, the last first; constants are smaller than all other nodes

The path order is that of Dershowitz, with the lexicographic status of Kamin and Lévy (1980).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rulewright.lang.terms import PatternTerm

SAME, FALLS, MAY_RISE = 0, -1, 1


@dataclass(frozen=True)
class Gauge:
    """One part of a measure."""

    kind: str
    ops: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}({' '.join(self.ops)})" if self.ops else self.kind

    def compare(self, before: PatternTerm, after: PatternTerm) -> int:
        """What the gauge does when `before` becomes `after`: SAME, FALLS or MAY_RISE."""
        if self.kind == "path":
            return _PathOrder(self.ops).compare(before, after)
        if self.kind == "count":
            return _compare_counts(before, after, lambda head: head in self.ops, every=False)
        if self.kind == "size":
            return _compare_sizes(before, after)
        return _compare_counts(before, after, lambda head: True, every=True)


GAUGES = {"count": True, "nodes": False, "size": False, "path": True}
"""Names of gauges, and whether they take ops."""


def lowers(measure: Sequence[Gauge], before: PatternTerm, after: PatternTerm) -> bool:
    """Whether the measure falls when `before` becomes `after`."""
    for gauge in measure:
        order = gauge.compare(before, after)
        if order != SAME:
            return order == FALLS
    return False


# ---- counting ------------------------------------------------------------------------------------


def _compare_counts(
    before: PatternTerm, after: PatternTerm, counted: Callable[[str], bool], every: bool
) -> int:
    """Compares how many nodes count, and how often each name stands.

    With `every`, all nodes but constants count: so does one that a name certainly stands for.
    """
    if any(n.kind == "unknown" for n in after.walk()):
        return MAY_RISE
    names = Counter(n for n in before.walk() if n.kind == "name")
    left = Counter(n for n in after.walk() if n.kind == "name")
    if left - names:
        return MAY_RISE
    vague = Counter(n for n in before.walk() if _is_vague(n, counted))
    if Counter(n for n in after.walk() if _is_vague(n, counted)) - vague:
        return MAY_RISE
    least = sum(n.kind == "op" and all(counted(h) for h in n.heads) for n in before.walk())
    most = sum(n.kind == "op" and all(counted(h) for h in n.heads) for n in after.walk())
    least += every * sum(n.firm for n in (names - left).elements())
    if least == most:
        return SAME
    return FALLS if most < least else MAY_RISE


def _is_vague(node: PatternTerm, counted: Callable[[str], bool]) -> bool:
    """Whether a node may count or not, by the op that it turns out to be."""
    return len({counted(h) for h in node.heads}) > 1


def _compare_sizes(before: PatternTerm, after: PatternTerm) -> int:
    """Compares the numbers of all nodes; a name stands for at least one, a list for none."""
    names = Counter(n.name for n in before.walk() if n.kind == "name")
    left = Counter(n.name for n in after.walk() if n.kind == "name")
    if left - names or any(n.kind == "unknown" for n in after.walk()):
        return MAY_RISE
    rests = {n.name for n in before.walk() if n.rest}
    gone = sum(n for name, n in (names - left).items() if name not in rests)
    least = sum(n.kind in ("op", "const") for n in before.walk()) + gone
    most = sum(n.kind in ("op", "const") for n in after.walk())
    if least == most:
        return SAME
    return FALLS if most < least else MAY_RISE


# ---- the path order ------------------------------------------------------------------------------


class _PathOrder:
    """`ops` from the largest to the smallest; others are smaller, and not compared."""

    def __init__(self, ops: Sequence[str]) -> None:
        self.rank = {op: len(ops) - i for i, op in enumerate(ops)}

    def compare(self, before: PatternTerm, after: PatternTerm) -> int:
        if before == after:
            return SAME
        return FALLS if self.greater(before, after) else MAY_RISE

    def greater(self, a: PatternTerm, b: PatternTerm) -> bool:
        """Whether `a` is larger than `b`, whatever their names stand for."""
        if b.kind == "unknown" or a.kind in ("unknown", "const"):
            return False
        if b.kind == "const":
            return a.kind == "op" or a.firm
        if a.kind == "name":
            return False
        if any(s == b or self.greater(s, b) for s in a.sources):
            return True
        if b.kind == "name" or not all(self.greater(a, s) for s in b.sources):
            return False
        if self._above(a, b):
            return True
        return a.op != "" and a.op == b.op and self._later_first(a.sources, b.sources)

    def _above(self, a: PatternTerm, b: PatternTerm) -> bool:
        ranks = [self.rank.get(head, 0) for head in a.heads]
        return min(ranks) > max(self.rank.get(head, 0) for head in b.heads)

    def _later_first(self, a: Sequence[PatternTerm], b: Sequence[PatternTerm]) -> bool:
        """Lists of operands, the last decides; the longer of two that agree is larger."""
        for x, y in zip(reversed(a), reversed(b), strict=False):
            if x != y:
                return self.greater(x, y)
        return len(a) > len(b)
