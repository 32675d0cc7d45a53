"""What is known about tensors as a whole: which are alive, which are lazy, and since when.

Realising a tensor replaces nodes of graphs that other tensors share, so every live tensor is
found here, weakly, in order of creation (never in an order that changes between runs). They take
note of what was computed when they are looked at, or all together.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from operator import attrgetter
from threading import Lock, RLock, get_ident
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet, ref

from rulewright.forks import free_in_child
from rulewright.ir.node import bits_of, may_hold
from rulewright.ir.ops import Ops
from rulewright.ir.placement import placement
from rulewright.ir.uop import UOp
from rulewright.tensor import forwarding
from rulewright.tensor.alias import Alias
from rulewright.tensor.metadata import copy_metadata, origin_here
from rulewright.tensor.views import MEMORIES, memory_of, rebased, shown_by

if TYPE_CHECKING:
    from rulewright.tensor.core import Core


class TensorReference(ref):
    """A weak reference to a tensor, its number, and the thread that made it.

    `root` is the number of the value that it stands for, or is a view of; 0 if that is memory.
    `change` is that of `newest_change` which made it so.
    """

    __slots__ = ("change", "number", "root", "thread")
    number: int
    thread: int
    root: int
    change: int


_live: dict[int, TensorReference] = {}
_leaves: dict[int, TensorReference] = {}  # those of which gradients are asked for
_lazy: dict[int, TensorReference] = {}  # those that are, in the order in which they became it
_by_root: dict[int, TensorReference] = {}  # the newest of these that stands for a value
_noted: dict[int, list[TensorReference]] = {}
_serial = count()
_MAIN = threading.main_thread().ident
lock = free_in_child(RLock())
shared: WeakSet[UOp] = WeakSet()
"""BUFFERs that tensors share though they are no views of each other."""


_order = free_in_child(Lock())
_newest_change = 0


def newest_change() -> int:
    """A number that grows whenever a tensor becomes a value or a write that waits."""
    return _newest_change


def _forget(dead: TensorReference) -> None:
    _live.pop(dead.number, None)
    if _leaves:
        _leaves.pop(dead.number, None)
    if dead.root:
        _uproot(dead)


def enter(tensor: Core) -> None:
    """Make a tensor known."""
    link = TensorReference(tensor, _forget)
    link.number, link.thread, link.root = next(_serial), get_ident(), 0
    _live[link.number] = tensor._link = link
    if tensor._node.op is not Ops.BUFFER:
        note_root(tensor)
    if _noted:
        _noted.get(link.thread, []).append(link)


def leave(tensor: Core) -> None:
    """Make a tensor unknown, which stands for nothing from now on."""
    if tensor._link is not None:
        _forget(tensor._link)
        tensor._link = None


def note_root(tensor: Core) -> None:
    """Let a tensor be known by what it stands for, or is a view of."""
    global _newest_change
    link = tensor._link
    if link is None:
        return
    alias = tensor._shows
    node = tensor._node if alias is None else alias.base
    if node.op in MEMORIES:
        memory = memory_of(node)
        root = 0 if memory is not None and memory.op is Ops.BUFFER else node.serial
    else:
        root = node.serial
    if root == link.root:
        return
    if link.root:
        _uproot(link)
    if root:
        _by_root[root] = link
        with _order:
            _newest_change = link.change = _newest_change + 1
            _lazy[link.number] = link
    link.root = root  # at the end: who is interrupted before can do it again


def _uproot(link: TensorReference) -> None:
    _lazy.pop(link.number, None)
    if _by_root.get(link.root) is link:
        del _by_root[link.root]


def set_base(alias: Alias, node: UOp) -> None:
    """Let another node stand for the memory that tensors are views of."""
    if forwarding.hiding:
        alias._seen, alias.base = forwarding.HIDDEN, node
    else:
        alias.base, alias._seen = node, forwarding.newest
    for tensor in alias.views():
        note_root(tensor)


def rooted(nodes: Iterable[UOp]) -> list[Core]:
    """A live tensor for each of some values for which there are such, or views of it; oldest
    first."""
    links = [link for node in nodes if (link := _by_root.get(node.serial)) is not None]
    return _tensors(sorted(links, key=attrgetter("number")))


def roots_among(nodes: Iterable[UOp]) -> list[UOp]:
    """Those nodes that are values for which live tensors stand, or of which they are views."""
    return [node for node in nodes if node.serial in _by_root]


def numbers_of(tensors: Iterable[Core]) -> list[int]:
    """The numbers of some tensors."""
    return [link.number for tensor in tensors if (link := tensor._link) is not None]


def roots_of(numbers: Iterable[int]) -> dict[int, int]:
    """By the numbers of some tensors the numbers of the values that they stand for, or are views
    of; those that do not, or are gone, are left out."""
    return {n: link.root for n in numbers if (link := _lazy.get(n)) is not None}


def numbered(numbers: Iterable[int]) -> list[Core]:
    """The live tensors of some numbers that stand for values."""
    return _tensors([link for number in numbers if (link := _lazy.get(number)) is not None])


def set_leaf(tensor: Core, kind: int) -> None:
    """Let gradients end at a tensor, or pass through it, or (0) not be asked for."""
    tensor._requires_grad = kind
    link = tensor._link
    if link is not None and kind:
        _leaves[link.number] = link
    elif link is not None:
        _leaves.pop(link.number, None)


def leaves() -> list[Core]:
    """The live tensors of which gradients are asked for, oldest first."""
    return _tensors(sorted(list(_leaves.values()), key=attrgetter("number")))


def is_leaf_there() -> bool:
    """Whether gradients are asked for of any live tensor."""
    return bool(_leaves)


def register(tensor: Core) -> None:
    """Make a tensor known, and note who asked for its node and for what it is made of."""
    enter(tensor)
    if tensor._node._origin is not None:
        return
    origin = origin_here()
    stack = [tensor._node]
    while stack:
        node = stack.pop()
        if node._origin is None:
            node.note_origin(origin)
            stack += node.src


def live_tensors() -> list[Core]:
    """All live tensors, oldest first; those of one thread in the order of their creation.

    What was computed has become memory in their graphs.
    """
    take_note()
    return _tensors(list(_live.values()))  # one step, though others make tensors


def own_tensors() -> list[Core]:
    """The live tensors but those that another thread, now running, made: it may be using them.

    Those that the main thread made are for all.
    """
    take_note()
    threads = {t.ident for t in threading.enumerate()} - {get_ident(), _MAIN}
    return _tensors([link for link in list(_live.values()) if link.thread not in threads])


def _tensors(links: Iterable[TensorReference]) -> list[Core]:
    return [tensor for link in links if (tensor := link()) is not None]


def lazy_since(change: int) -> list[Core]:
    """The live tensors that became a value, or a write that waits, after a change; oldest first."""
    links = []
    for link in reversed(list(_lazy.values())):
        if link.change <= change:
            break
        links.append(link)
    return _tensors(sorted(links, key=attrgetter("number")))


def lazy_tensors() -> list[Core]:
    """The live tensors that are not just memory, oldest first."""
    return [tensor for tensor in live_tensors() if tensor.uop.op is not Ops.BUFFER]


@contextmanager
def noting_tensors() -> Iterator[list[TensorReference]]:
    """Inside the block, every tensor that this thread makes is noted in the list."""
    noted: list[TensorReference] = []
    before = _noted.get(get_ident())
    _noted[get_ident()] = noted
    try:
        yield noted
    finally:
        if before is None:
            del _noted[get_ident()]
        else:
            before += noted
            _noted[get_ident()] = before


def root_of(tensor: Core) -> UOp:
    """The node of a tensor, or of what it is a view of."""
    node, alias = tensor.uop, tensor._shows
    return node if alias is None else alias.base


def _node_of(owner: Core | Alias) -> UOp:
    """The node of a tensor or memory, as it is noted."""
    return owner.base if isinstance(owner, Alias) else owner._node


class Move(NamedTuple):
    """A tensor, or the memory that views share, that becomes another node; of a tensor also what
    it shares with views then."""

    owner: Core | Alias
    node: UOp
    alias: Alias | None = None


_moves: deque[Move] = deque()


def move(moves: list[Move]) -> None:
    """Let tensors and memories be other nodes: all of them, or none.

    Ctrl-C may be heard between any two steps. What is left then does who looks at a tensor next.
    """
    with lock:
        try:
            _moves.extend(moves)
            finish_moves()
        except BaseException:
            forwarding.renumber()  # no tensor is taken for what it was without a look
            raise


def finish_moves() -> None:
    """Do what is left of moves."""
    while _moves:
        owner, node, alias = _moves[0]
        if isinstance(owner, Alias):
            set_base(owner, node)
        else:
            if owner._shows is not alias:
                owner._alias = alias
            owner._stand_for(node)
        _moves.popleft()


def drop_moves() -> None:
    """Forget what is left of moves, of tensors that are put back as they were."""
    _moves.clear()


def moves_of(alias: Alias, old: UOp, new: UOp) -> list[Move]:
    """How the views of a memory, and it itself, come to stand on another node."""
    views = [Move(view, rebased(view._node, old, new), alias) for view in alias.views()]
    return [*views, Move(alias, rebased(alias.base, old, new))]


def _same_value(tensor: Core, node: UOp) -> UOp:
    """A node of the value that a tensor stands for, told what is known of it."""
    copy_metadata(tensor._node, node)
    if tensor._device is None and node.base.op is Ops.BUFFER:
        where = placement(node.base.arg[2])  # of a constant that now is in memory
        tensor._device = where.devices if where else node.base.arg[2]
    return node


# ---- what became of values -----------------------------------------------------------------------


def replace_everywhere(changes: Mapping[UOp, UOp]) -> None:
    """Replace nodes in the graph of every live tensor; views stay views of their base."""
    if changes:
        with lock:
            move(_replacing(live_tensors(), changes))


def _replacing(tensors: Iterable[Core], changes: Mapping[UOp, UOp]) -> list[Move]:
    """How nodes are replaced in the graphs of tensors, and of all views of the memory that one is a
    view of.

    Graphs that cannot hold any, being older or made of others, are not looked at; nor are
    FUNCTIONs, which have memory by their parameters alone.
    """
    oldest = min(node.serial for node in changes)
    bits = bits_of(changes)
    whole: dict[Core | Alias, UOp] = {}  # those that are replaced themselves
    roots: dict[Core | Alias, UOp] = {}
    for tensor in tensors:
        owner = tensor._shows or tensor
        node = _node_of(owner)
        if node in changes:
            whole[owner] = node
        elif node.serial >= oldest and may_hold(node, bits):
            roots[owner] = node
    after = forwarding.replaced(UOp.sink(*roots.values()), changes).src
    moves = [each for owner, old in whole.items() for each in _same_values(owner, changes[old])]
    for (owner, old), new in zip(roots.items(), after, strict=True):
        if old is not new:
            moves += _same_values(owner, new)
    return moves


def _same_values(owner: Core | Alias, new: UOp) -> list[Move]:
    """How a tensor, or all views of a memory, come to stand on another node of the same value."""
    if not isinstance(owner, Alias):
        return [Move(owner, _same_value(owner, new))]
    moves = moves_of(owner, owner.base, new)
    for each, node, _ in moves:
        if not isinstance(each, Alias):
            _same_value(each, node)
    return moves


def note_computed(changes: Mapping[UOp, UOp], held: int, wanted: Iterable[Core]) -> None:
    """Note what memory has values now. Wanted tensors take note at once, others when they are
    looked at; until then they may hold so many bytes of other memory."""
    for value, memory in changes.items():
        forwarding.note(value, memory, held)
    for tensor in wanted:
        if tensor._shows is None and tensor._node in changes:
            tensor._stand_for(_same_value(tensor, changes[tensor._node]))
        else:
            _take_note(tensor._shows or tensor)
    if forwarding.is_crowded(len(_live)):
        take_note()


def take_note() -> None:
    """Let what was computed be memory in the graph of every live tensor."""
    if not forwarding.is_any() and not _moves:
        return
    with lock:
        finish_moves()
        changes = forwarding.all_changes()
        numbers = [number for number, _, _ in changes]
        late: dict[int, list[Core]] = {}
        for tensor in _tensors(list(_live.values())):
            owner = tensor._shows or tensor
            at = bisect_right(numbers, owner._seen)
            if at < len(numbers):
                late.setdefault(at, []).append(tensor)
        moves = []
        for at, tensors in late.items():
            replacing = _replacing(tensors, {value: memory for _, value, memory in changes[at:]})
            _share({memory for _, _, memory in changes[at:]}, tensors, replacing)
            moves += replacing
        move(moves)
        forwarding.forget_all()


def look(tensor: Core) -> UOp:
    """The node of a tensor, in which what was computed since it was looked at has become memory.

    While another thread computes it is given as it is, which is right too. While another thread
    hides it, this one waits.
    """
    if not lock.acquire(blocking=False):
        owner = tensor._shows or tensor
        seen, node = owner._seen, tensor._node
        if seen != forwarding.HIDDEN and owner._seen == seen:
            return node
        lock.acquire()
    try:
        if _moves:
            finish_moves()
        owner = tensor._shows or tensor
        if forwarding.is_any() or owner._seen == forwarding.HIDDEN:
            _look(owner)
        else:
            owner._seen = forwarding.newest
        return tensor._node
    finally:
        lock.release()


def _look(owner: Core | Alias) -> None:
    if owner._seen == forwarding.HIDDEN:
        if forwarding.hiding:  # this thread does
            return
        owner._seen = 0
    _take_note(owner, sharing=True)


@contextmanager
def hiding() -> Iterator[None]:
    """Inside the block, and until they are put back after it, no other thread sees what tensors
    become: those that look wait for the lock, which this thread holds."""
    before, forwarding.hiding = forwarding.hiding, True
    try:
        yield
    finally:
        forwarding.hiding = before
        forwarding.renumber()


def hide(tensor: Core, node: UOp) -> None:
    """Let a tensor be another node, and no view, for this thread alone."""
    if tensor._shows is not None:
        tensor._shows._seen = forwarding.HIDDEN
    tensor._seen = forwarding.HIDDEN
    tensor._alias = None
    tensor._stand_for(node)


def _take_note(owner: Core | Alias, sharing: bool = False) -> None:
    """Let what was computed be memory in the graph of a tensor, or of the views of a memory; which
    it shares with others then."""
    old = _node_of(owner)
    new = forwarding.forwarded(old, owner._seen) if forwarding.is_any() else old
    if new is old:
        owner._seen = forwarding.newest
        return
    if sharing and (memory := shown_by(new)) is not None:
        shared.add(memory.base)
    move(_same_values(owner, new))
    if memory_of(new) is None and not forwarding.is_noted(old):  # it may be part of others
        forwarding.note(old, new)
        owner._seen = forwarding.newest


def _share(memories: Container[UOp], tensors: Iterable[Core], moves: Iterable[Move]) -> None:
    """Note that tensors, which may show some of these memories after moves, share them with others.

    That comes before the moves: to share what nobody shares is harmless.
    """
    nodes = {each.owner: each.node for each in moves}
    for tensor in tensors:
        owner = tensor._shows or tensor
        memory = shown_by(nodes[owner] if owner in nodes else _node_of(owner))
        if memory is not None and memory in memories:
            shared.add(memory.base)


def is_shared(memory: UOp) -> bool:
    """Whether tensors share a BUFFER though they are no views of each other."""
    take_note()
    return memory in shared
