"""Versions of memory: how often it was written when a node reads it."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

Versions = dict[UOp, int]
"""For memories that are written: the newest version that a value depends on."""

_known: WeakKeyDictionary[UOp, int] = WeakKeyDictionary()


def version(memory: UOp) -> int:
    """How many stores a memory has seen."""
    newer = []
    while memory.op is Ops.AFTER and memory not in _known:
        newer.append(memory)
        memory = memory.src[0]
    stores = _known.get(memory, 0)
    for after in reversed(newer):
        stores += 1
        _known[after] = stores
    return stores


def newest_versions(order: list[UOp]) -> dict[UOp, Versions]:
    """The newest versions that each node depends on, given nodes with sources first.

    Nodes that depend on no written memory are left out. So is memory that one call fills, and that
    is read after it alone: nobody could read an older version.
    """
    found: dict[UOp, Versions] = {}
    filled = _filled_once(order)
    for node in order:
        below = [found[s] for s in node.src if s in found]
        if node.op is Ops.AFTER and node not in filled:
            below.append({node.base: version(node)})
        if below:
            found[node] = below[0] if all(b is below[0] for b in below) else _merged(below)
    return found


def _filled_once(order: list[UOp]) -> set[UOp]:
    """Memories after the call that fills them, which nothing else in the graph names."""
    users: dict[UOp, set[UOp]] = {}
    for node in order:
        for source in node.src:
            if source.op is Ops.SCRATCH:
                users.setdefault(source, set()).add(node)
    found = set()
    for node in order:
        by_call = node.op is Ops.AFTER and len(node.src) == 2 and node.src[1].op is Ops.CALL
        if by_call and users.get(node.src[0]) == {node, node.src[1]}:
            found.add(node)
    return found


def _merged(parts: list[Versions]) -> Versions:
    newest: Versions = {}
    for part in parts:
        for base, number in part.items():
            newest[base] = max(number, newest.get(base, 0))
    return newest
