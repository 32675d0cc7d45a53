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

    Nodes that depend on no written memory are left out.
    """
    found: dict[UOp, Versions] = {}
    for node in order:
        below = [found[s] for s in node.src if s in found]
        if node.op is Ops.AFTER:
            below.append({node.base: version(node)})
        if below:
            found[node] = below[0] if all(b is below[0] for b in below) else _merged(below)
    return found


def _merged(parts: list[Versions]) -> Versions:
    newest: Versions = {}
    for part in parts:
        for base, number in part.items():
            newest[base] = max(number, newest.get(base, 0))
    return newest
