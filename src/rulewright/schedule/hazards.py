"""What has to be staged so that no store spoils what is still to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from weakref import WeakKeyDictionary

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.facts import MEMORY, NodeFacts
from rulewright.schedule.movement import move_index
from rulewright.schedule.requests import Root

# ---- versions ------------------------------------------------------------------------------------
#
# Versions of memory: how often it was written when a node reads it.


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
    newest: dict[UOp, Versions] = {}
    filled = _filled_once(order)
    for node in order:
        below = [newest[s] for s in node.src if s in newest]
        if node.op is Ops.AFTER and node not in filled:
            below.append({node.base: version(node)})
        if below:
            newest[node] = below[0] if all(b is below[0] for b in below) else _merged(below)
    return newest


def _filled_once(order: list[UOp]) -> set[UOp]:
    """Memories after the call that fills them, which nothing else in the graph names."""
    users: dict[UOp, set[UOp]] = {}
    for node in order:
        for source in node.src:
            if source.op is Ops.SCRATCH:
                users.setdefault(source, set()).add(node)
    filled = set()
    for node in order:
        by_call = node.op is Ops.AFTER and len(node.src) == 2 and node.src[1].op is Ops.CALL
        if by_call and users.get(node.src[0]) == {node, node.src[1]}:
            filled.add(node)
    return filled


def _merged(parts: list[Versions]) -> Versions:
    """The newest of each; one of the parts itself where that has them all, as it mostly has."""
    newest = max(parts, key=len)
    for part in parts:
        if part is not newest and part != newest:
            newer = {b: number for b, number in part.items() if number > newest.get(b, 0)}
            newest = {**newest, **newer} if newer else newest
    return newest


# ---- cycles -------------------------------------------------------------------------------------
#
# Stores that wait for each other: found before kernels exist, so that values can be kept first.
#
# `t = x + 0; x[:] = y; y[:] = t` is a cycle if each store reads the other's memory itself: both
# would have to run first. It is none once one of the values is complete before either store runs.


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
    cycle = cycles(followers)  # a store is followed by those that overwrite what it reads
    return [s for s, others in first.items() if any(cycle[s] == cycle[o] for o in others)]


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
    followers: Waiting = {}
    for store in stores:
        for source in store.src:
            for base, last in newest.get(source, {}).items():
                for number in range(1, last + 1):
                    for earlier in maker.get((base, number), ()):
                        followers.setdefault(earlier, []).append(store)
    return followers


def cycles(followers: Waiting) -> dict[UOp, int]:
    """A number for each store: the same for those that follow each other in a cycle.

    (Strongly connected components by Tarjan's walk, without recursion.)
    """
    number: dict[UOp, int] = {}  # in which a store was met
    lowest: dict[UOp, int] = {}  # of those on the way that a store leads back to
    cycle: dict[UOp, int] = {}
    way: list[UOp] = []  # stores whose cycle is not known yet
    for start in followers:
        path = [] if start in number else [(start, iter(followers[start]))]
        while path:
            store, rest = path[-1]
            if store not in number:
                number[store] = lowest[store] = len(number)
                way.append(store)
            for other in rest:
                if other not in number:
                    path.append((other, iter(followers.get(other, ()))))
                    break
                if other not in cycle:
                    lowest[store] = min(lowest[store], number[other])
            else:
                path.pop()
                if path:
                    before = path[-1][0]
                    lowest[before] = min(lowest[before], lowest[store])
                while lowest[store] == number[store] and store not in cycle:
                    cycle[way.pop()] = number[store]
    return cycle


def spoiled_values(stores: Mapping[UOp, Root], simplified: Callable[[UOp], UOp]) -> set[UOp]:
    """Stored values that read the stored memory at other places than are written."""
    spoiled = set()
    for store, root in stores.items():
        target, value = store.src[:2]
        memory, place = _place(target, root.loops, simplified)
        for node, indices in root.reads:
            same = node is memory and indices == place
            if node.op in MEMORY and node.base is target.base and not same:
                spoiled.add(value)
    return spoiled


def circular_values(
    stores: Mapping[UOp, Root],
    forced: set[UOp],
    facts: dict[UOp, NodeFacts],
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
    overwritten = set()
    for node, root in roots.items():
        newest = versions.get(node, {})
        for memory, _ in root.reads:
            if memory.base in newest and version(memory) < newest[memory.base]:
                overwritten.add(memory)
    return overwritten


def _place(
    target: UOp, indices: tuple[UOp, ...], simplified: Callable[[UOp], UOp]
) -> tuple[UOp, tuple[UOp, ...]]:
    """The memory under a view, and the indices into it."""
    while target.op not in MEMORY:
        moved = move_index(target, *indices)
        assert moved is not None
        target, indices = target.src[0], tuple(simplified(i) for i in moved)
    return target, indices
