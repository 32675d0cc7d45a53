"""Where nodes came from: notes on nodes that passes carry along while they rebuild a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

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
