"""Values that a kernel needs twice, kept in memory near by instead of computed again.

A softmax sums exponentials along a row and then divides each of them: with `keep` they are
computed once, in a loop of their own, into memory that holds one row.
"""

from __future__ import annotations

from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

COSTLY = Ops.group("Transcendental")
"""Ops that cost more than a write and two reads."""


def keep(sink: UOp, reduced: UOp, stored: UOp, id: int) -> UOp:
    """`sink` with what is computed along both axes staged over a new range r{id}.

    Raises UsageError if there is nothing to keep.
    """
    found = kept_values(sink, reduced, stored)
    if not found:
        raise UsageError(
            f"axis choices: nothing costly is computed along both r{reduced.arg[0]} and "
            f"r{stored.arg[0]}"
        )
    fill = UOp.range(stored.size, id, "loop")
    changes: dict[UOp, UOp] = {}
    for node in found:
        value = node.substitute({stored: fill})
        row = UOp(Ops.STAGE, node.dtype, (value, fill), "reg")
        changes[node] = row.index(stored)
        changes[node.substitute({stored: reduced})] = row.index(reduced)
    return sink.substitute(changes)


def kept_values(sink: UOp, reduced: UOp, stored: UOp) -> list[UOp]:
    """The largest costly values along `stored` that a reduction computes along `reduced` too."""
    if reduced.size != stored.size:
        return []
    inside: set[UOp] = set()
    for node in sink.toposort():
        if node.op is Ops.REDUCE and reduced in node.src[1:]:
            inside.update(node.src[0].toposort())
    largest: dict[UOp, None] = {}
    stack = [end.src[0].src[1] for end in sink.src if stored in end.src[1:]]
    while stack:
        node = stack.pop()
        if stored not in node.ranges or node in largest:
            continue
        twin = node.substitute({stored: reduced})
        if twin in inside and any(n.op in COSTLY and stored in n.ranges for n in node.toposort()):
            largest[node] = None
        elif node.op is not Ops.INDEX:
            stack += node.src
    return list(largest)
