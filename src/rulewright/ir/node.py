"""What a node holds, the table that makes equal nodes one object, and walks below a node."""

from __future__ import annotations

from _weakref import _remove_dead_weakref  # type: ignore[attr-defined]  # typeshed leaves it out
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextvars import ContextVar
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from weakref import ref

if TYPE_CHECKING:
    from rulewright.ir.dtypes import DType
    from rulewright.ir.ops import Bounds, Op
    from rulewright.ir.shapes import Dim
    from rulewright.ir.uop import UOp

_T = TypeVar("_T")


class Watch(Protocol):
    """Who is told what is done with nodes that stand for unknown ones."""

    def walked(self, nodes: list[UOp]) -> None:
        """Nodes are given to who asked for all of a graph."""

    def leaves(self, root: UOp) -> bool:
        """Whether a graph is not simplified."""


watching: ContextVar[Watch | None] = ContextVar("rulewright_watching", default=None)


class NodeRef(ref):  # type: ignore[type-arg]  # a subscripted ref cannot be subclassed on 3.10
    """A weak reference to a node that knows the node's key in the table of all nodes."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


_nodes: dict[tuple[Any, ...], NodeRef] = {}


def forget_node(dead: NodeRef) -> None:
    """Drop a freed node's entry, unless an equal node has taken the place.

    That is one step, as for the entries of a WeakValueDictionary: no thread loses the entry of a
    node that lives, and no lock is held by whoever forks.
    """
    _remove_dead_weakref(_nodes, dead.key)


def live_nodes() -> int:
    """How many nodes there are."""
    return len(_nodes)


find_node = _nodes.get
add_node = _nodes.setdefault
next_number = count(1).__next__
UNSET: Any = type("Unset", (), {"__repr__": lambda self: "unset"})()


class Fields:
    """What a node holds, while it is made: a node itself can no longer be changed."""

    __slots__ = (
        "__weakref__", "_base", "_below", "_interval", "_origin", "_ranges", "_shape", "_trace",
        "_valid", "arg", "dtype", "op", "serial", "src",
    )  # fmt: skip
    op: Op
    dtype: DType
    src: tuple[UOp, ...]
    arg: Any
    serial: int  # nodes are numbered as they are made: each after all that is below it
    _shape: tuple[Dim, ...] | None  # derived properties, `UNSET` until asked for
    _ranges: tuple[UOp, ...]
    _interval: Bounds
    _valid: bool
    _base: UOp
    _below: list[UOp] | None  # what its walk found, while that is one of the last walks
    _trace: int  # of the nodes that it is made of, one bit each; 0 until asked for
    _origin: Any  # where a node came from, for messages: no part of what it is


_walked: deque[ref[Any]] = deque()
_WALKS_KEPT = 32  # pass after pass walks one graph, and parts of it in between
_LEAST_KEPT = 8  # nodes


def _keep(node: Any, nodes: list[Any]) -> None:
    """Remember what is below a node, which holds it anyway, until some others were walked."""
    object.__setattr__(node, "_below", nodes)
    _walked.append(ref(node))
    if len(_walked) > _WALKS_KEPT:
        oldest = _walked.popleft()()
        if oldest is not None:
            object.__setattr__(oldest, "_below", None)


def below(root: UOp) -> list[UOp]:
    """All nodes below a node, operands first, in a stable order."""
    known = root._below
    if known is None:
        known = [*_walk_all(root)]
        if len(known) >= _LEAST_KEPT:
            _keep(root, known)
    return known


def _walk_all(root: UOp) -> dict[UOp, None]:
    """`walk`, which is asked for most, with nothing to ask and without the node itself."""
    done: dict[UOp, None] = {}
    node, rest = root, iter(root.src)
    above: list[tuple[UOp, Iterator[UOp]]] = []
    push, pop = above.append, above.pop
    while True:
        for source in rest:
            if source not in done:
                operands = source.src
                if operands:
                    push((node, rest))
                    node, rest = source, iter(operands)
                    break
                done[source] = None
        else:
            if not above:
                return done
            done[node] = None
            node, rest = pop()


def walk(root: UOp, enter: Callable[[UOp], bool]) -> dict[UOp, None]:
    """All nodes below and with a node, without what is below those for which `enter` is false."""
    done: dict[UOp, None] = {}
    node, rest = root, iter(root.src if enter(root) else ())
    above: list[tuple[UOp, Iterator[UOp]]] = []  # nodes, and their operands that are left
    push, pop = above.append, above.pop
    while True:
        for source in rest:
            if source not in done:
                operands = source.src
                if operands and enter(source):
                    push((node, rest))
                    node, rest = source, iter(operands)
                    break
                done[source] = None
        else:
            done[node] = None
            if not above:
                return done
            node, rest = pop()


def reached(roots: Iterable[_T], behind: Callable[[_T], Iterable[_T]]) -> dict[_T, None]:
    """What one comes to from some roots, which count, by what `behind` says stands behind each."""
    known = dict.fromkeys(roots)
    rest = [*known]
    while rest:
        fresh = [each for each in dict.fromkeys(behind(rest.pop())) if each not in known]
        known.update(dict.fromkeys(fresh))
        rest += fresh
    return known


_BITS = 1021  # few enough to be joined fast, and so many that small graphs seldom share one


def may_hold(root: UOp, bits: int) -> bool:
    """Whether a graph may hold a node of those with these `bits_of`; if not, it surely does not."""
    return ((root._trace or _traced(root)) & bits) != 0


def bits_of(nodes: Iterable[UOp]) -> int:
    """What `may_hold` asks for."""
    bits = 0
    for node in nodes:
        bits |= 1 << node.serial % _BITS
    return bits


def _traced(root: UOp) -> int:
    """The trace of a node, and with it those of all below it."""
    for node in walk(root, lambda n: not n._trace):
        if not node._trace:
            bits = 1 << node.serial % _BITS
            for source in node.src:
                bits |= source._trace
            object.__setattr__(node, "_trace", bits)
    return root._trace


def substituted(
    root: UOp,
    changes: dict[UOp, UOp],
    memo: dict[UOp, UOp] | None = None,
    closed: Collection[Op] = (),
) -> UOp:
    """A graph with nodes replaced; replacements are not searched again.

    An empty `memo` is filled with what became of each node; it may serve again for the same
    changes. Nodes of `closed` ops below the root keep their operands.
    """
    if not changes:
        return root
    if root in changes:
        return changes[root]
    done = {} if memo is None else memo
    if root in done:
        return done[root]
    done.update(changes)
    return rebuilt(root, done, min([n.serial for n in changes]) if memo is None else 0, closed)


def rebuilt(root: UOp, done: dict[UOp, UOp], first: int, closed: Collection[Op] = ()) -> UOp:
    """A graph, not replaced itself, over what nodes became that are `done`, the first of which has
    this serial number; what others became is noted there too. Nodes of `closed` ops stay."""
    new, node, rest = root.__class__, root, iter(root.src)
    above: list[tuple[UOp, Iterator[UOp]]] = []  # nodes, and their operands that are left
    push, pop = above.append, above.pop
    while True:
        for source in rest:
            if source not in done:
                if source.src and source.serial > first and source.op not in closed:
                    push((node, rest))
                    node, rest = source, iter(source.src)
                    break
                done[source] = source  # what is older than all changes holds none of them
        else:
            sources = node.src
            src = tuple([done[s] for s in sources])
            done[node] = node if src == sources else new(node.op, node.dtype, src, node.arg)
            if not above:
                return done[root]
            node, rest = pop()
