"""What has to be staged so that no store spoils what is still to be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulewright.ir.uop import UOp
from rulewright.schedule.circles import circular_stores
from rulewright.schedule.facts import MEMORY, Facts
from rulewright.schedule.movement import move_index
from rulewright.schedule.requests import Root
from rulewright.schedule.versions import Versions, version


def spoiled_values(stores: Mapping[UOp, Root], simplified: Callable[[UOp], UOp]) -> set[UOp]:
    """Stored values that read the stored memory at other places than are written."""
    found = set()
    for store, root in stores.items():
        target, value = store.src[:2]
        memory, place = _place(target, root.loops, simplified)
        for node, indices in root.reads:
            same = node is memory and indices == place
            if node.op in MEMORY and node.base is target.base and not same:
                found.add(value)
    return found


def circular_values(
    stores: Mapping[UOp, Root],
    forced: set[UOp],
    facts: dict[UOp, Facts],
    versions: dict[UOp, Versions],
) -> set[UOp]:
    """Values of stores of which each reads what another one overwrites."""
    reads = {
        store: [node for node, _ in root.reads if node.op in MEMORY]
        for store, root in stores.items()
        if store.src[1] not in forced
    }
    return {store.src[1] for store in circular_stores(facts, reads, versions)}


def overwritten_memories(roots: Mapping[UOp, Root], versions: Mapping[UOp, Versions]) -> set[UOp]:
    """Versions of memory that a kernel reads though it has to wait for a later version."""
    found = set()
    for node, root in roots.items():
        newest = versions.get(node, {})
        for memory, _ in root.reads:
            if memory.base in newest and version(memory) < newest[memory.base]:
                found.add(memory)
    return found


def _place(
    target: UOp, indices: tuple[UOp, ...], simplified: Callable[[UOp], UOp]
) -> tuple[UOp, tuple[UOp, ...]]:
    """The memory under a view, and the indices into it."""
    while target.op not in MEMORY:
        moved = move_index(target, *indices)
        assert moved is not None
        target, indices = target.src[0], tuple(simplified(i) for i in moved)
    return target, indices
