"""What is known about tensors as a whole: which are alive, and where nodes came from.

Realising a tensor replaces nodes of graphs that other tensors share, so every live tensor is
found here, weakly, in order of creation (never in an order that changes between runs).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import RLock, get_ident
from typing import TYPE_CHECKING, NamedTuple
from weakref import getweakrefs, ref

from rulewright.forks import free_in_child
from rulewright.ir.node import bits_of, may_hold, substituted
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    from rulewright.tensor.core import Core


class _TensorReference(ref):
    """A weak reference to a tensor, its number, and the thread that made it."""

    __slots__ = ("number", "thread")
    number: int
    thread: int


_live: dict[int, _TensorReference] = {}
_noted: dict[int, list[_TensorReference]] = {}
_serial = count()
_MAIN = threading.main_thread().ident
lock = free_in_child(RLock())


_VIEWS = Ops.group("View")
_CLOSED = frozenset({Ops.FUNCTION})
_changes = count(1)
_newest_change = 0


def note_lazy(uop: UOp) -> None:
    """Note that a tensor became a value or a write that waits."""
    global _newest_change
    while uop.op in _VIEWS:
        uop = uop.src[0]
    if uop.op is not Ops.BUFFER:
        _newest_change = next(_changes)


def newest_change() -> int:
    """A number that differs from what it was whenever a tensor became lazy in between."""
    return _newest_change


def _forget(dead: _TensorReference) -> None:
    _live.pop(dead.number, None)


class Metadata(NamedTuple):
    """Where a node came from: the tensor method, and the user's file and line."""

    method: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.method} - {self.file}:{self.line}"


_PACKAGE = Path(__file__).parents[1]
_BETWEEN = ("tensor", "nn", "driver")


class _Owners(dict[str, str]):
    """By the path of a source file: the package between a user's line and a node that it stands in,
    or "" for code that is not ours."""

    def __missing__(self, file: str) -> str:
        ours = (name for name in _BETWEEN if file.startswith(str(_PACKAGE / name)))
        self[file] = owner = next(ours, "")
        return owner


_owners = _Owners()


def enter(tensor: Core) -> None:
    """Make a tensor known."""
    link = _TensorReference(tensor, _forget)
    link.number, link.thread = next(_serial), get_ident()
    _live[link.number] = link
    if tensor.uop.op is not Ops.BUFFER:
        note_lazy(root_of(tensor))  # of a view, without what is between
    if _noted:
        _noted.get(link.thread, []).append(link)


def leave(tensor: Core) -> None:
    """Make a tensor unknown, which stands for nothing from now on."""
    for link in getweakrefs(tensor):
        if isinstance(link, _TensorReference):
            _live.pop(link.number, None)


def register(tensor: Core) -> None:
    """Make a tensor known, and note who asked for its node and for what it is made of."""
    enter(tensor)
    if tensor.uop.origin is not None:
        return
    origin = _caller()
    stack = [tensor.uop]
    while stack:
        node = stack.pop()
        if node.origin is None:
            node.note_origin(origin)
            stack += node.src


def _caller() -> Metadata:
    """The outermost tensor method that is running, and the line of the user's code."""
    frame = sys._getframe(2)
    method = ""
    while frame.f_back is not None:
        owner = _owners[frame.f_code.co_filename]
        if owner == "tensor":
            method = frame.f_code.co_name
        elif not owner:
            break
        frame = frame.f_back
    method = method.strip("_") if method.startswith("_") else method  # of operators
    return Metadata(method, frame.f_code.co_filename, frame.f_lineno)


def calling() -> str:
    """The tensor method that the user called and that is running; empty if none is."""
    return _caller().method


def caller() -> str:
    """The line of the user's code that called into the library, as `file:line`."""
    origin = _caller()
    return f"{origin.file}:{origin.line}"


def metadata_of(node: UOp) -> Metadata | None:
    """The tensor method and user's line that made a node, if it is the result of a method."""
    origin: Metadata | None = node.origin
    return origin


def copy_metadata(old: UOp, new: UOp) -> None:
    """Let `new` have come from where `old` came from."""
    if old.origin is not None and new.origin is None:
        new.note_origin(old.origin)


def live_tensors() -> list[Core]:
    """All live tensors, oldest first; those of one thread in the order of their creation."""
    tensors = [link() for link in list(_live.values())]  # one step, though others make tensors
    return [tensor for tensor in tensors if tensor is not None]


def own_tensors() -> list[Core]:
    """The live tensors but those that another thread, now running, made: it may be using them.

    Those that the main thread made are for all.
    """
    threads = {t.ident for t in threading.enumerate()} - {get_ident(), _MAIN}
    tensors = [link() for link in list(_live.values()) if link.thread not in threads]
    return [tensor for tensor in tensors if tensor is not None]


def lazy_tensors() -> list[Core]:
    """The live tensors that are not just memory, oldest first."""
    return [tensor for tensor in live_tensors() if tensor.uop.op is not Ops.BUFFER]


@contextmanager
def noting_tensors() -> Iterator[list[_TensorReference]]:
    """Inside the block, every tensor that this thread makes is noted in the list."""
    noted: list[_TensorReference] = []
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
    alias = tensor._shows
    return tensor.uop if alias is None else alias.base


def rebased(view: UOp, old: UOp, new: UOp) -> UOp:
    """A chain of views of `old` as the same views of `new`."""
    nodes = []
    while view is not old:
        nodes.append(view)
        view = view.src[0]
    for node in reversed(nodes):
        new = node.replace(src=(new, *node.src[1:]))
    return new


def retarget(tensor: Core, node: UOp) -> None:
    """Let a tensor stand for another node of the same value."""
    copy_metadata(tensor.uop, node)
    tensor.uop = node
    note_lazy(node)
    if tensor._device is None and node.base.op is Ops.BUFFER:
        tensor._device = node.base.arg[2]  # a constant that now is in memory


def replace_everywhere(changes: Mapping[UOp, UOp]) -> None:
    """Replace nodes in the graph of every live tensor; views stay views of their base.

    Graphs that cannot hold any, being older or made of others, are not looked at; nor are
    FUNCTIONs, which have memory by their parameters alone.
    """
    if not changes:
        return
    oldest = min(node.serial for node in changes)
    bits = bits_of(changes)
    with lock:
        tensors, roots = [], []
        for tensor in live_tensors():
            root = root_of(tensor)
            if root.serial >= oldest and may_hold(root, bits):
                tensors.append(tensor)
                roots.append(root)
        before = UOp.sink(*roots)
        after = substituted(before, dict(changes), closed=_CLOSED).src
        bases = {}
        for tensor, old, new in zip(tensors, roots, after, strict=True):
            if tensor._alias is not None:
                bases[tensor._alias] = new
                new = rebased(tensor.uop, old, new)
            if tensor.uop is not new:
                retarget(tensor, new)
        for alias, base in bases.items():
            alias.base = base
