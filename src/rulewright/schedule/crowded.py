"""Kernels that would take more memories than the target lets one have."""

from __future__ import annotations

from collections.abc import Iterable

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.near import target_row
from rulewright.schedule.plan import StagePlan
from rulewright.schedule.requests import Root

NUMBERS = Ops.group("Numeral")


def most_read(order: Iterable[UOp]) -> int:
    """Memories that a kernel may read besides the one that it writes; 0 where any number will do.

    A target counts variables among them.
    """
    nodes = list(order)
    limit = int(target_row(nodes).get("limits", {}).get("buffers", 0))
    variables = sum(node.op is Ops.VAR for node in nodes)
    return max(limit - 1 - variables, 2) if limit else 0


def crowded_values(plan: StagePlan, most: int) -> set[UOp]:
    """Values to stage so that no kernel reads more than `most` memories; none if that is so."""
    roots = [*plan.stores.values(), *plan.staged.values()]
    return {value for root in roots for value in _to_stage(root, most)} if most else set()


def _to_stage(root: Root, most: int) -> set[UOp]:
    """Of what one kernel computes, operands of the first value that reads too much."""
    reads: dict[UOp, frozenset[UOp]] = dict.fromkeys(root.nodes, frozenset())
    for node in reversed(root.nodes):  # sources first
        parts = {s: reads.get(s, frozenset({s.base})) for s in node.src if s.op not in NUMBERS}
        reads[node] = frozenset().union(*parts.values())
        if len(reads[node]) > most:
            return _largest(parts, most)
    return set()


def _largest(parts: dict[UOp, frozenset[UOp]], most: int) -> set[UOp]:
    """Operands to stage, those that read most first, until all together read few enough."""
    found: set[UOp] = set()
    for source in sorted(parts, key=lambda s: len(parts[s]), reverse=True):
        value = source
        while "Movement" in value.op.groups:  # what moves it costs nothing
            value = value.src[0]
        found.add(value)
        parts[source] = frozenset({value})
        if len(frozenset().union(*parts.values())) <= most:
            break
    return found
