"""Rebuilding graphs node by node, and notes on where nodes came from, which go with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from rulewright.ir.ops import Op
from rulewright.ir.uop import UOp

Notes = tuple[Any, ...]


class Origins:
    """Notes on nodes, such as the tensor methods that made them.

    A pass that rebuilds a graph says what became of each node; the notes go with it.
    """

    def __init__(self, notes: Mapping[UOp, Notes] | None = None) -> None:
        self.notes: dict[UOp, Notes] = dict(notes or {})

    def carry(self, changes: Mapping[UOp, UOp]) -> None:
        """Give each new node the notes of the old one, unless it has its own."""
        for old, new in changes.items():
            if new is not old and old in self.notes:
                self.notes.setdefault(new, self.notes[old])

    def gather(self, nodes: Iterable[UOp]) -> Notes:
        """The notes of all nodes, each once, in order of first mention."""
        return tuple(dict.fromkeys(n for node in nodes for n in self.notes.get(node, ())))


def rebuild(
    root: UOp,
    change: Callable[[UOp, tuple[UOp, ...]], UOp | None] | None = None,
    ops: Collection[Op] | None = None,
    enter: Callable[[UOp], bool] | None = None,
    memo: dict[UOp, UOp] | None = None,
    origins: Origins | None = None,
) -> UOp:
    """What a graph becomes where each node, operands first, becomes `change(node, src)`.

    `src` is what became of the operands; where `change` answers None, the node itself over these.
    It is asked about nodes of `ops` alone, if these are given. A node for which `enter` is false
    keeps its operands. `memo` says what some nodes become, below which nothing is looked at, and is
    filled with what each becomes. Notes of `origins` go with the nodes.
    """
    known: dict[UOp, UOp] = {} if memo is None else memo
    if root in known:
        return known[root]
    told, kept = bool(known), set[UOp]()

    def entered(node: UOp) -> bool:
        if told and node in known:
            return False
        if enter is not None and not enter(node):
            kept.add(node)
            return False
        return True

    order = root.toposort(entered if told or enter is not None else None)
    get, notes = known.get, origins.notes if origins is not None else {}
    for node in order:
        if told and node in known:
            continue
        sources = node.src
        src = sources if node in kept else tuple([get(s, s) for s in sources])
        new = change(node, src) if change is not None and (ops is None or node.op in ops) else None
        if new is None:
            new = node if src == sources else UOp(node.op, node.dtype, src, node.arg)
        known[node] = new
        if notes and new is not node and node in notes:
            notes.setdefault(new, notes[node])
    return known[root]
