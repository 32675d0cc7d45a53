"""What writes into memory became, so that none of them is performed twice.

When a write is performed, the memory as it is stands for it in the graph of each tensor, and writes
that wait for it become others. But there may be a thread that looked at a tensor just before, and
is making another one of what it saw: there the write still waits.

A write that is new may be equal to one that was, if the memory is what both begin with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from weakref import WeakKeyDictionary

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

_became: WeakKeyDictionary[UOp, UOp] = WeakKeyDictionary()


def note_new(node: UOp) -> UOp:
    """A write that is to be performed, though an equal one may have been."""
    _became.pop(node, None)
    return node


def note_asked(node: UOp) -> UOp:
    """A node in which all writes are new."""
    if _became:
        for inner in node.toposort():
            note_new(inner)
    return node


def note_became(changes: Mapping[UOp, UOp]) -> None:
    """Note what the writes among some nodes became: memory, or the same writes into it."""
    for old, new in changes.items():
        if old.op is Ops.AFTER and old is not new:
            _became[old] = new
            note_new(new)


def became(nodes: Iterable[UOp] | None = None) -> dict[UOp, UOp]:
    """Those of some writes, or of all, that became something else, and what that is by now."""
    if not _became:
        return {}
    return {n: _now(n) for n in (list(_became) if nodes is None else nodes) if n in _became}


def _now(node: UOp) -> UOp:
    while (new := _became.get(node)) is not None:
        node = new
    return node
