"""What values became, for tensors that take note of it later.

Realising a value makes it memory in the graph of every tensor. To look at all tensors each time
would take n² steps for n values that are realised one by one. So what became of a value is kept
here as long as some graph holds the value, and a tensor takes note when it is looked at. A value
that a tensor stands for becomes another node thereby, which is noted likewise.

Until then its graph is right, only longer than it need be: it holds memory that nothing else may
need. So it is for `is_crowded` to say when enough is held.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from itertools import count
from weakref import ref

from rulewright.ir.node import bits_of, may_hold, rebuilt, walk
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor import writes
from rulewright.tensor.views import VIEWS, rebased

_CLOSED = frozenset({Ops.FUNCTION})  # these have memory by their parameters alone
_FEW = 8  # changes that are looked for one by one
_LEAST = 64  # changes that are always kept
_MOST_BYTES = 1 << 26


class _Link(ref[UOp]):
    """A weak reference to a value: its node's number, what it became, the number of the change, and
    the bytes of memory that graphs with the value in it may hold though they need not."""

    __slots__ = ("change", "held", "new", "serial")
    serial: int
    new: UOp
    change: int
    held: int


_links: dict[int, _Link] = {}  # by the value's number
_leading: dict[int, dict[int, _Link]] = {}  # those of values that became others, by these, by value
_recent: deque[tuple[int, int]] = deque([(0, 0)], _FEW)  # numbers of changes, and of their values
_numbers = count(1)
_held = 0

newest = 0
"""The number of the newest change."""

HIDDEN = -1
"""What a tensor has seen that stands for what only the thread which holds the lock may see."""

hiding = False
"""Whether tensors become such now."""


def renumber() -> None:
    """Let no tensor have seen the newest change, without there being one."""
    global newest
    newest = next(_numbers)


def note(value: UOp, new: UOp, held: int = 0) -> None:
    """Note that a value is memory now, or another node; graphs with the value in it hold `held`
    bytes of memory that those with the new one do not."""
    global newest, _held
    if value.serial in _links:
        _forget(_links[value.serial])  # so that changes are in order
    link = _Link(value, _forget)
    newest = next(_numbers)
    link.serial, link.new, link.change, link.held = value.serial, new, newest, held
    _held += held
    _recent.append((newest, link.serial))  # first: what is looked for may be missing
    _links[link.serial] = link
    led = _leading.pop(value.serial, None)
    before = list(led.values()) if led else []  # others may let go of some
    for each in before:
        each.new = new
    if new.src:
        _leading.setdefault(new.serial, {}).update({k.serial: k for k in (*before, link)})


def _forget(dead: _Link) -> None:
    global _held
    if _links.get(dead.serial) is not dead:
        return
    del _links[dead.serial]
    _held -= dead.held
    others = _leading.get(dead.new.serial)
    if others is not None:
        others.pop(dead.serial, None)
        if not others:
            _leading.pop(dead.new.serial, None)


def is_any() -> bool:
    """Whether graphs may hold a value that became something else."""
    return bool(_links)


def is_noted(value: UOp) -> bool:
    """Whether it is noted what became of a value."""
    return value.serial in _links


def is_crowded(tensors: int) -> bool:
    """Whether tensors, of which there are so many, shall take note before more is computed."""
    return len(_links) > max(_LEAST, tensors // 2) or _held > _MOST_BYTES


def forget_all() -> None:
    """Forget all changes, of which every tensor took note."""
    global _held
    _links.clear()
    _leading.clear()
    _held = 0


def all_changes() -> list[tuple[int, UOp, UOp]]:
    """All changes: their numbers, in order, values and what these became in the end."""
    links = list(_links.values())
    changes = [(link.change, value, link.new) for link in links if (value := link()) is not None]
    became = UOp.sink(*[new for _, _, new in changes])
    while True:  # what a value became may be made of what changed later
        pairs = zip(changes, became.src, strict=True)
        known, became = became, replaced(became, {value: new for (_, value, _), new in pairs})
        if became is known:
            break
    return [(n, value, new) for (n, value, _), new in zip(changes, became.src, strict=True)]


def forwarded(root: UOp, seen: int) -> UOp:
    """A graph with what values became in their place, after the change that was `seen` last."""
    while True:
        below = root
        while below.op in VIEWS and below.serial not in _links:
            below = below.src[0]
        if not below.src:
            break
        link = _links.get(below.serial)
        if link is not None and link.change > seen:
            new = rebased(root, below, link.new)
        else:
            new = replaced(root, _inside(root, seen))
            if new is root:
                break
        root = new  # in which there may be what became of what became of a value
    return root


def _inside(root: UOp, seen: int) -> dict[UOp, UOp]:
    """Those values of a graph that changed, and what they became."""
    if seen >= _recent[0][0] - 1:
        serials = [serial for number, serial in tuple(_recent) if number > seen]
        links = [link for serial in serials if (link := _links.get(serial)) is not None]
    else:
        nodes = walk(root, lambda n: n.serial not in _links and n.op not in _CLOSED)
        links = [link for node in nodes if (link := _links.get(node.serial)) is not None]
    return {v: k.new for k in links if k.change > seen and (v := k()) is not None}


def replaced(root: UOp, changes: Mapping[UOp, UOp]) -> UOp:
    """A graph with nodes replaced, but for those that only FUNCTIONs have as operands."""
    if not changes or not root.src or not may_hold(root, bits_of(changes)):
        return root
    done = {**writes.became(), **changes}
    new = rebuilt(UOp.sink(root), done, min([node.serial for node in done]), _CLOSED).src[0]
    writes.note_became(done)
    return new
