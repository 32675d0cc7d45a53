"""Stores that wait for each other: found before kernels exist, so that values can be kept first.

`t = x + 0; x[:] = y; y[:] = t` is a circle if each store reads the other's memory itself: both
would have to run first. It is none once one of the values is complete before either store runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.versions import Versions, version

Waiting = dict[UOp, list[UOp]]


def circular_stores(
    order: Iterable[UOp], reads: Mapping[UOp, Iterable[UOp]], newest: Mapping[UOp, Versions]
) -> list[UOp]:
    """The stores that have to run before one that they have to wait for.

    `order` holds the nodes of the graph, `reads` the memories that each store's own kernel reads,
    `newest` the versions of memory that nodes depend on.
    """
    overwriting, maker = _writers(order)
    first: Waiting = {}  # store -> stores that overwrite what it reads
    for store, memories in reads.items():
        for memory in memories:
            others = [s for s in overwriting.get(memory, ()) if s is not store]
            first.setdefault(store, []).extend(others)
    if not any(first.values()):
        return []
    followers = _followers(reads, newest, maker)
    for store, others in first.items():
        followers.setdefault(store, []).extend(others)
    return [s for s, others in first.items() if any(_reaches(o, s, followers) for o in others)]


def _writers(order: Iterable[UOp]) -> tuple[Waiting, dict[tuple[UOp, int], list[UOp]]]:
    """The stores that overwrite a memory, and those that make a version of one."""
    overwriting: Waiting = {}
    maker: dict[tuple[UOp, int], list[UOp]] = {}
    for node in order:
        if node.op is Ops.AFTER:
            stores = [e for e in node.src[1:] if e.op is Ops.STORE]
            overwriting.setdefault(node.src[0], []).extend(stores)
            maker.setdefault((node.base, version(node)), []).extend(stores)
    return overwriting, maker


def _followers(
    stores: Iterable[UOp],
    newest: Mapping[UOp, Versions],
    maker: Mapping[tuple[UOp, int], list[UOp]],
) -> Waiting:
    """For each store, those that need what it writes."""
    found: Waiting = {}
    for store in stores:
        for source in store.src:
            for base, last in newest.get(source, {}).items():
                for number in range(1, last + 1):
                    for made in maker.get((base, number), ()):
                        found.setdefault(made, []).append(store)
    return found


def _reaches(start: UOp, goal: UOp, followers: Waiting) -> bool:
    seen, stack = {start}, [start]
    while stack:
        store = stack.pop()
        if store is goal:
            return True
        fresh = [s for s in followers.get(store, ()) if s not in seen]
        seen.update(fresh)
        stack.extend(fresh)
    return False
