"""Node: what every node of a graph is made of, and the table that makes equal nodes one object."""

from __future__ import annotations

from _weakref import _remove_dead_weakref  # type: ignore[attr-defined]  # typeshed leaves it out
from collections import deque
from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import ref

from rulewright.errors import ArgumentError, UsageError
from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Op

if TYPE_CHECKING:
    from typing_extensions import Self

    from rulewright.ir.ops import Bounds
    from rulewright.ir.shapes import Dim


class _NodeRef(ref):  # type: ignore[type-arg]  # a subscripted ref cannot be subclassed on 3.10
    """A weak reference to a node that knows the node's key in the table of all nodes."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


_nodes: dict[tuple[Any, ...], _NodeRef] = {}


def _forget(dead: _NodeRef) -> None:
    """Drop a freed node's entry, unless an equal node has taken the place.

    That is one step, as for the entries of a WeakValueDictionary: no thread loses the entry of a
    node that lives, and no lock is held by whoever forks.
    """
    _remove_dead_weakref(_nodes, dead.key)


def live_nodes() -> int:
    """How many nodes there are."""
    return len(_nodes)


_find = _nodes.get
_add = _nodes.setdefault
_new = object.__new__
_number = count(1).__next__
_UNSET: Any = type("Unset", (), {"__repr__": lambda self: "unset"})()


def _refuse_change(name: str) -> NoReturn:
    raise AttributeError(
        f"{name} of a UOp cannot be changed: it stands in every graph that has an equal node; "
        "replace(op=, dtype=, src=, arg=) gives one that differs"
    )


class _Fields:
    """What a node holds, while it is made: a node itself can no longer be changed."""

    __slots__ = (
        "__weakref__", "_base", "_below", "_interval", "_origin", "_ranges", "_shape", "_valid",
        "arg", "dtype", "op", "serial", "src",
    )  # fmt: skip
    op: Op
    dtype: DType
    src: tuple[Self, ...]
    arg: Any
    serial: int  # nodes are numbered as they are made: each after all that is below it
    _shape: tuple[Dim, ...] | None  # derived properties, `_UNSET` until asked for
    _ranges: tuple[Self, ...]
    _interval: Bounds
    _valid: bool
    _base: Self
    _below: list[Self] | None  # what its walk found, while that is one of the last walks
    _origin: Any  # where a node came from, for messages: no part of what it is


_walked: deque[ref[Any]] = deque()
_WALKS_KEPT = 4  # pass after pass walks one graph
_WORTH_KEEPING = 8  # nodes


def _keep(node: Any, below: list[Any]) -> None:
    """Remember what is below a node, which holds it anyway, until some others were walked."""
    object.__setattr__(node, "_below", below)
    _walked.append(ref(node))
    if len(_walked) > _WALKS_KEPT:
        oldest = _walked.popleft()()
        if oldest is not None:
            object.__setattr__(oldest, "_below", None)


class Node(_Fields):
    """An operation on operands: identity, copies, and walks over the graph below."""

    __slots__ = ()

    def __new__(cls, op: Op, dtype: DType, src: tuple[Any, ...] = (), arg: Any = None) -> Self:
        """The node with these fields, which there is once.

        Floats and bools are told apart by their text: 0.0 == -0.0 == False, True == 1, nan != nan.
        """
        kind = arg.__class__
        key = (op, dtype, src, (kind, repr(arg)) if kind is float or kind is bool else arg)
        try:
            found = _find(key)
        except TypeError:
            raise ArgumentError(
                f"{op}: an argument holds numbers, text, ops and tuples of these, found {arg!r}"
            ) from None
        if found is not None:
            known: Self | None = found()
            if known is not None:
                return known
        node: Self = _new(_Fields)  # type: ignore[assignment]  # its class follows below
        node.op = op
        node.dtype = dtype
        node.src = src
        node.arg = arg
        node.serial = _number()
        node._shape = node._ranges = node._interval = node._base = node._valid = _UNSET
        node._below = node._origin = None
        node.__class__ = cls
        link = _NodeRef(node, _forget)
        link.key = key
        while (placed := _add(key, link)) is not link:
            first: Self | None = placed()
            if first is not None:  # another thread was first
                return first
            _forget(placed)
        return node

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        _refuse_change(name)

    def __delattr__(self, name: str) -> NoReturn:
        _refuse_change(name)

    def __repr__(self) -> str:
        return f"UOp({self.op.name}, {self.dtype.name}, {len(self.src)} sources, {self.arg!r})"

    @property
    def origin(self) -> Any:
        """What `note_origin` said; None until then."""
        return self._origin

    def note_origin(self, origin: Any) -> None:
        """Say where this node came from. Equal nodes are one: who is first should say it."""
        object.__setattr__(self, "_origin", origin)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    # ---- walks ----------------------------------------------------------------------------

    def toposort(self, enter: Callable[[Self], bool] | None = None) -> list[Self]:
        """All nodes below and with this one, operands first, in a stable order.

        Nodes for which `enter` is false are listed, but what is below them is not.
        """
        if enter is not None:
            return [*self._walk(enter)]
        below = self._below
        if below is None:
            below = [*self._below_it()]
            if len(below) >= _WORTH_KEEPING:
                _keep(self, below)
        return [*below, self]

    def _below_it(self) -> dict[Self, None]:
        """All nodes below this one: `_walk`, which is asked for most, with nothing to ask."""
        done: dict[Self, None] = {}
        node, rest = self, iter(self.src)
        above: list[tuple[Self, Iterator[Self]]] = []
        push, pop = above.append, above.pop
        while True:
            for source in rest:
                if source not in done:
                    below = source.src
                    if below:
                        push((node, rest))
                        node, rest = source, iter(below)
                        break
                    done[source] = None
            else:
                if not above:
                    return done
                done[node] = None
                node, rest = pop()

    def _walk(self, enter: Callable[[Self], bool]) -> dict[Self, None]:
        done: dict[Self, None] = {}
        node, rest = self, iter(self.src if enter(self) else ())
        above: list[tuple[Self, Iterator[Self]]] = []  # nodes, and their operands that are left
        push, pop = above.append, above.pop
        while True:
            for source in rest:
                if source not in done:
                    below = source.src
                    if below and enter(source):
                        push((node, rest))
                        node, rest = source, iter(below)
                        break
                    done[source] = None
            else:
                done[node] = None
                if not above:
                    return done
                node, rest = pop()

    def backward_slice(self) -> list[Self]:
        """Everything that this node depends on, without itself."""
        return self.toposort()[:-1]

    def substitute(self, changes: dict[Self, Self], memo: dict[Self, Self] | None = None) -> Self:
        """This graph with nodes replaced; replacements are not searched again.

        An empty `memo` is filled with what became of each node; it may serve again for the same
        changes.
        """
        if not changes:
            return self
        if self in changes:
            return changes[self]
        done = {} if memo is None else memo
        if self in done:
            return done[self]
        done.update(changes)
        new, first = type(self), min([n.serial for n in changes]) if memo is None else 0
        node, rest = self, iter(self.src)
        above: list[tuple[Self, Iterator[Self]]] = []  # nodes, and their operands that are left
        push, pop = above.append, above.pop
        while True:
            for source in rest:
                if source not in done:
                    if source.src and source.serial > first:
                        push((node, rest))
                        node, rest = source, iter(source.src)
                        break
                    done[source] = source  # what is older than all changes holds none of them
            else:
                sources = node.src
                src = tuple([done[s] for s in sources])
                done[node] = node if src == sources else new(node.op, node.dtype, src, node.arg)
                if not above:
                    return done[self]
                node, rest = pop()

    def replace(
        self,
        *,
        op: Any = _UNSET,
        dtype: Any = _UNSET,
        src: Any = _UNSET,
        arg: Any = _UNSET,
        **unknown: Any,
    ) -> Self:
        """A copy with some of `op`, `dtype`, `src`, `arg` changed."""
        if unknown:
            raise UsageError(f"replace: a UOp has no {min(unknown)!r}; it has op, dtype, src, arg")
        if src == self.src and op is dtype is arg is _UNSET:
            return self
        return type(self)(
            self.op if op is _UNSET else op,
            self.dtype if dtype is _UNSET else dtype,
            self.src if src is _UNSET else src,
            self.arg if arg is _UNSET else arg,
        )
