"""Derivatives through realised values.

Realising replaces a computed node by memory, and with it the graph that a gradient would follow.
For values that depend on leaves the graph is kept beside the memory, and put back while a
gradient is taken; in the result the memory stands again, so that nothing is computed twice.

What memory held before it was written again is a node too: a BUFFER that is never filled, in
whose place its own graph stands. A gradient that needs its contents nevertheless is an error.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

from rulewright.driver.capture import recorder
from rulewright.errors import DTypeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.memories import new_buffer
from rulewright.tensor.assign import is_unseen, memory_under, move_out, unmoved, written_value
from rulewright.tensor.registry import is_leaf_there, leaves, live_tensors, lock
from rulewright.tensor.views import memory_of, rebased

if TYPE_CHECKING:
    from rulewright.ir.dtypes import DType
    from rulewright.ir.ops import Op
    from rulewright.tensor.core import Core

LEAF = 1  # gradients end here: it is what it was set to, whatever that was computed from
BETWEEN = 2  # gradients pass through: the tensor depends on leaves


def make_leaf(tensor: Core) -> int:
    """Give a tensor a node that no other tensor's value equals, so that it can be told apart.

    Equal constants are one node: without this, two weights that begin as ones would share a
    gradient. A tensor that depends on other leaves stays as it is: gradients pass through it.
    """
    if not tensor.dtype.is_float:
        raise DTypeError(
            f"requires_grad: only floats have gradients, this tensor holds {tensor.dtype.name}"
        )
    if depends(tensor.uop):
        return BETWEEN
    if memory_under(tensor) is None:
        move_out(tensor)
    return LEAF


def leaf_nodes() -> set[UOp]:
    """The nodes of all live tensors that require a gradient, now and before they were written."""
    return {n for t in leaves() for n in [t.uop, *_versions(t.uop)]}


def ends() -> set[UOp]:
    """Those of `leaf_nodes` at which gradients end."""
    ends = [t for t in leaves() if t._requires_grad == LEAF]
    return {n for t in ends for n in [t.uop, *_versions(t.uop)]}


def _versions(uop: UOp) -> list[UOp]:
    memory = memory_of(uop)
    return [] if memory is None else _older(memory)


def _older(memory: UOp) -> list[UOp]:
    """The versions of a memory before this one that are in its graph, newest first."""
    versions = []
    while memory.op is Ops.AFTER:
        memory = memory.src[0]
        versions.append(memory)
    return versions


def as_before(uop: UOp, older: Iterable[UOp]) -> list[UOp]:
    """A view of memory as the same view of what stands for older contents of the memory."""
    memory = memory_of(uop)
    return [] if memory is None else [rebased(uop, memory, node) for node in older]


class _Origin(NamedTuple):
    """What memory was computed as, and when; in parts, so that graphs alone hold the node."""

    parts: tuple[Op, DType, tuple[UOp, ...], Any] | UOp  # itself, if it is memory
    origin: Any  # where the node came from
    time: int

    @classmethod
    def of(cls, value: UOp, time: int) -> _Origin:
        parts = (value.op, value.dtype, value.src, value.arg) if value.src else value
        return cls(parts, value.origin, time)

    @property
    def value(self) -> UOp:
        """What the memory was computed as."""
        if isinstance(self.parts, UOp):
            return self.parts
        node = UOp(*self.parts)
        if node.origin is None:
            node.note_origin(self.origin)
        return node


class _Past(NamedTuple):
    time: int  # of the write
    contents: UOp  # stands for what the memory held until then


_origins: WeakKeyDictionary[UOp, _Origin] = WeakKeyDictionary()
_held: dict[Any, Any] = vars(_origins)["data"]  # to be asked for its truth without a detour
_pasts: WeakKeyDictionary[UOp, list[_Past]] = WeakKeyDictionary()
_gone: WeakSet[UOp] = WeakSet()
_severed: WeakSet[UOp] = WeakSet()
_clock = count(1)
_FEW = 2  # origins that are kept in any case
_most = _FEW  # origins, before it is looked which are needed


def has_origin(memory: UOp) -> bool:
    """Whether a gradient would go on through this BUFFER, or must not."""
    return memory in _origins or memory in _severed


def goes_on(memories: Iterable[UOp]) -> bool:
    """Whether a gradient would go on through one of some BUFFERs, must not, or needs what one holds
    no more."""
    return any([m in _origins or m in _severed or m in _gone for m in memories])


def any_origin() -> bool:
    """Whether there is any realised value that a gradient would go through."""
    return bool(_held)


def any_gradient() -> bool:
    """Whether any gradient may be asked for."""
    return is_leaf_there() or bool(_held)


def sever(memory: UOp) -> None:
    """Let gradients through this BUFFER be errors: what it was computed from is not known."""
    _origins.pop(memory, None)
    _severed.add(memory)


def _check_whole(root: UOp, targets: Iterable[UOp]) -> None:
    """Raise UsageError if a gradient would go through memory that was severed."""
    ends = set(targets)
    for node in root.toposort(lambda n: n not in ends and n.op is not Ops.DETACH):
        if node in _severed and node not in ends:
            raise UsageError(
                f"a gradient goes through a value of shape {node.arg[1]} that crossed the border "
                "of a jitted function: call backward() inside of it together with all that the "
                "gradient needs, or detach() the value"
            )


# ---- what is realised ---------------------------------------------------------------------


def _lets_through(node: UOp) -> bool:
    return node.op is not Ops.DETACH and (node.dtype.is_float or node.dtype is dtypes.void)


def differentiable(values: Iterable[UOp]) -> list[UOp]:
    """Those of some computed nodes through which a gradient could flow to leaves, or to what was
    computed from leaves: none flows through comparisons, positions and other values than floats."""
    leaves = leaf_nodes()
    if not leaves and not _held:
        return []
    wanted = list(values)
    nodes = UOp.sink(*wanted).toposort(lambda n: n.op is not Ops.DETACH and n not in leaves)
    depends = {n for n in nodes if n in leaves or (n.op is Ops.BUFFER and n in _origins)}
    for node in nodes:
        if _lets_through(node) and not depends.isdisjoint(node.src):
            depends.add(node)
    return [v for v in wanted if v in depends]


def depends(node: UOp) -> bool:
    """Whether a gradient could flow from a node to a leaf, through realised values too."""
    with lock:
        return bool(differentiable([node]))


def remember(values: Iterable[UOp], versions: Iterable[UOp], changes: Mapping[UOp, UOp]) -> None:
    """Note what was realised: `changes` maps nodes to their memory.

    Memory is a BUFFER, or one after the kernels that will fill it. `values` are the computed nodes,
    `versions` the AFTERs of memory that was written, older ones first.
    """
    written = [v for v in versions if any(e.op is Ops.STORE for e in v.src[1:])]
    if (active := recorder()) is not None:
        for version in versions:
            active.unseen[version.base] = is_unseen(version) and active.unseen.get(
                version.base, True
            )
    kept = differentiable([*values, *written])
    if not kept and not (_origins and written):
        return
    _forget_unneeded()
    now = next(_clock)
    _note_written([*dict.fromkeys(v.base for v in written)], now)
    places, wanted = _contents(written, now), set(kept) - ends()
    inside = {**changes, **places}
    known: dict[UOp, UOp] = {}  # what was realised together is one graph: it is walked once
    for node in kept:
        memory = places.get(node, changes.get(node))
        if node not in wanted or memory is None:
            continue
        if is_unseen(node):
            value = _unseen(node.src[0].substitute(inside, known))
        elif node.op is Ops.AFTER:
            value = written_value(node).substitute(inside, known)
        else:
            value = node.replace(src=tuple(s.substitute(inside, known) for s in node.src))
        if memory.op is Ops.SHRINK:  # a symbolic size: the memory is as large as it may become
            value, memory = unmoved(memory, value), memory.src[0]
        if memory.op in (Ops.BUFFER, Ops.AFTER):
            _origins[memory.base] = _Origin.of(value, now)


def _forget_unneeded() -> None:
    """Let go of what memory was computed as if there are many, and only detached tensors show it:
    a program that keeps `loss.detach()` of each step would keep all that the steps were made of."""
    global _most
    if len(_origins) > _most:
        needed = followed_from([tensor.uop for tensor in live_tensors()])
        for memory in [m for m in _origins if m not in needed]:
            del _origins[memory]
        _most = 2 * len(_origins)
    _most = max(_FEW, min(_most, 2 * len(_origins)))


def followed_from(roots: list[UOp]) -> set[UOp]:
    """All nodes that a gradient of some graphs may come to, in what memory was computed as too."""
    known: set[UOp] = set()
    while roots:
        nodes = UOp.sink(*roots).toposort(lambda n: _lets_through(n) and n not in known)
        new = [node for node in nodes if node not in known]
        known.update(new)
        memories = [node for node in new if node.op is Ops.BUFFER]
        pasts = [past.contents for m in memories for past in _pasts.get(m, ())]
        known.update(pasts)
        roots = [_origins[m].value for m in [*memories, *pasts] if m in _origins]
    return known


def _unseen(before: UOp) -> UOp:
    """What memory holds after a write that no gradient sees: another value, told from all others,
    with the gradient of what was there before."""
    origin = _origins.get(before)
    if origin is not None and is_unseen(value := origin.value):
        before = value.src[0]
    value = new_buffer(before.dtype, before.arg[1], before.arg[2])
    _gone.add(value)
    return before.after(before.detach().store(value))


def overwrite(memories: Iterable[UOp], unseen: Container[UOp] = ()) -> None:
    """Note that BUFFERs were written by kernels that no gradient follows, and some of them in a way
    that no gradient sees."""
    if not _origins:
        return
    written, now = list(memories), next(_clock)
    _note_written(written, now)
    for memory in written:
        before = _pasts[memory][-1].contents
        if memory in unseen and before in _origins:
            _origins[memory] = _Origin.of(_unseen(before), now)


def _contents(written: Iterable[UOp], now: int) -> dict[UOp, UOp]:
    """Nodes that stand for memory as it was before the newest write, and what stands for that.

    What it held between two of the writes is a past of it too.
    """
    contents: dict[UOp, UOp] = {}
    for version in written:
        old = version.src[0]
        if old not in contents:  # the oldest
            contents[old] = _pasts[version.base][-1].contents
        newest = version.base
        contents[version] = new_buffer(newest.dtype, newest.arg[1], newest.arg[2])
        _gone.add(contents[version])
    newest_of = {version.base: version for version in written}
    for version in newest_of.values():
        del contents[version]
    for version in written:
        if version in contents:
            _pasts[version.base].append(_Past(now, contents[version]))
    return contents


def _note_written(memories: list[UOp], now: int) -> None:
    """Let what the memories held so far be known by nodes of its own."""
    times = sorted({origin.time for origin in _origins.values()}) if memories else []
    for memory in memories:
        past = _Past(now, new_buffer(memory.dtype, memory.arg[1], memory.arg[2]))
        _gone.add(past.contents)
        if memory in _origins:
            _origins[past.contents] = _origins.pop(memory)
        if memory in _severed:
            _severed.discard(memory)
            _severed.add(past.contents)
        _pasts[memory] = [*_needed(_pasts.get(memory, []), times), past]


def _needed(pasts: list[_Past], times: list[int]) -> list[_Past]:
    """Those that some origin may refer to: its time is not after theirs, nor before the one before.

    What was computed at the time of a write may refer to what the memory held before, and after.
    """
    needed, first = [], 0
    for past in pasts:
        if bisect_right(times, past.time) > first:
            needed.append(past)
        first = bisect_left(times, past.time)
    return needed


# ---- what a gradient follows --------------------------------------------------------------


def earlier(node: UOp) -> list[UOp]:
    """What stands for a memory as it was before writes, newest first: AFTERs, BUFFERs, pasts."""
    return [*_older(node), *(past.contents for past in reversed(_pasts.get(node.base, [])))]


def origin_time(memory: UOp) -> int:
    """A number that tells what gradients through a BUFFER go by from what they went by before.

    0 if they end there. Writes that no gradient sees are one as good as another.
    """
    origin = _origins.get(memory)
    if origin is None:
        return 0
    value = origin.value
    return -origin_time(value.src[0]) if is_unseen(value) else origin.time


_NOT_FOLLOWED = frozenset({Ops.DETACH, Ops.FUNCTION})  # a function has memory of its own


def note_followed(root: UOp, ends: Container[UOp]) -> None:
    """Tell a capture through which memory a gradient goes, and what it goes by there."""
    active = recorder()
    if active is None:
        return
    inside = root.toposort(
        lambda n: n not in ends and n.op not in _NOT_FOLLOWED and not _is_called(n)
    )
    memories = [n for n in inside if n.op is Ops.BUFFER or _is_called(n)]
    followed = {n.base for n in memories if n not in ends and n.dtype.is_float}
    active.followed.update((memory, origin_time(memory)) for memory in followed)


def _origin_of(node: UOp) -> _Origin | None:
    """What memory was computed as: a BUFFER, or one after the kernel that will fill it."""
    if _is_called(node):
        return _origins.get(node.base)
    return _origins.get(node) if node.op is Ops.BUFFER else None


def _is_called(node: UOp) -> bool:
    return node.op is Ops.AFTER and any(e.op is Ops.CALL for e in node.src[1:])


def unfold(*roots: UOp) -> tuple[tuple[UOp, ...], dict[UOp, UOp]]:
    """Nodes with remembered graphs in place of memory, and the way back: graph to memory.

    Writes that wait are themselves on the way back, though a value in them is one that is in some
    memory: the same write with another value in it would be a second one.
    """
    if _severed:
        _check_whole(roots[0], roots[1:])
    graphs: dict[UOp, UOp] = {}
    values: dict[UOp, UOp] = {}
    sink = UOp.sink(*roots)
    stack = _remembered(sink)
    while stack:
        memory = stack[-1]
        origin = _origin_of(memory)
        if memory in graphs or origin is None:
            stack.pop()
            continue
        if memory not in values:
            values[memory] = _as_it_was(origin)
        inner = _remembered(values[memory])
        missing = [n for n in inner if n not in graphs]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        graphs[memory] = values[memory].substitute({n: graphs[n] for n in inner})
    back = {g: memory for memory, g in graphs.items() if g.src and memory not in _gone}
    known: dict[UOp, UOp] = {}
    unfolded = sink.substitute(graphs, known).src
    back.update((new, n) for n, new in known.items() if n.op is Ops.AFTER and n not in graphs)
    return unfolded, back


def _remembered(root: UOp) -> list[UOp]:
    """Memory in a graph whose own graph is known; not looked for inside of kernels."""
    return [n for n in _memories(root) if _origin_of(n) is not None]


def _memories(root: UOp) -> list[UOp]:
    nodes = root.toposort(lambda n: not _is_called(n))
    return [n for n in nodes if n.op is Ops.BUFFER or _is_called(n)]


def _as_it_was(origin: _Origin) -> UOp:
    """The graph of a value, with what memory held when it was computed."""
    changes, value = {}, origin.value
    for node in _memories(value):
        past = next((p for p in _pasts.get(node.base, ()) if p.time > origin.time), None)
        if past is not None:
            changes[node] = past.contents
    return value.substitute(changes)


def check_there(gradient: UOp) -> None:
    """Raise UsageError if a gradient needs what a memory held before it was written again."""
    if not _gone:
        return
    for node in _memories(gradient):
        if node in _gone:
            raise UsageError(
                f"a gradient needs the old contents of a buffer of shape {node.arg[1]} that was "
                "assigned to since: take the gradient before the assignment, or detach()"
            )
