"""Values that a kernel needs twice, kept in memory near by instead of computed again.

A softmax sums exponentials along a row and then divides each of them: with `keep` they are
computed once, in a loop of their own, into memory that holds one row.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
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
    together = UOp.sink(*found)
    filled = together.substitute({stored: fill}).src
    twins = together.substitute({stored: reduced}).src
    for node, value, twin in zip(found, filled, twins, strict=True):
        row = UOp(Ops.STAGE, node.dtype, (value, fill), "reg")
        changes[node] = row.index(stored)
        changes[twin] = row.index(reduced)
    return sink.substitute(changes)


def apart(sink: UOp, axes: Sequence[UOp], id: int) -> UOp:
    """`sink` with what is reduced along the one axis computed before, near by, over a range r{id}.

    Raises UsageError if nothing is reduced along it alone, for several axes or an unknown size.
    """
    reduced = axes[0]
    if len(axes) > 1 or not isinstance(reduced.size, int):
        raise UsageError("axis choices: apart takes one range of known size")
    fill = UOp.range(reduced.size, id, "loop")
    changes: dict[UOp, UOp] = {}
    for node in sink.toposort():
        if node.op is Ops.REDUCE and node.src[1:] == (reduced,) and reduced in node.src[0].ranges:
            value = node.src[0].substitute({reduced: fill})
            row = UOp(Ops.STAGE, value.dtype, (value, fill), "reg")
            changes[node] = row.index(reduced).reduce(node.arg, reduced)
    inside = [n for node in changes for n in node.src[0].toposort()]
    if not changes or any(n.op is Ops.REDUCE and reduced in n.src[1:] for n in inside):
        raise UsageError(f"axis choices: no single value is reduced along r{reduced.arg[0]} alone")
    return sink.substitute(changes)


def kept_values(sink: UOp, reduced: UOp, stored: UOp) -> list[UOp]:
    """The largest costly values along `stored` that a reduction computes along `reduced` too."""
    if reduced.size != stored.size:
        return []
    inside: set[UOp] = set()
    for node in sink.toposort():
        if node.op is Ops.REDUCE and reduced in node.src[1:]:
            inside.update(node.src[0].toposort())
    values = [end.src[0].src[1] for end in sink.src if stored in end.src[1:]]
    wanted = _costly_twins(values, stored, reduced)
    largest: dict[UOp, None] = {}
    seen: set[UOp] = set()
    stack = values
    while stack:
        node = stack.pop()
        if node in seen or stored not in node.ranges:
            continue
        seen.add(node)
        if wanted.get(node) in inside:
            largest[node] = None
        elif node.op is not Ops.INDEX:
            stack += node.src
    return list(largest)


def _costly_twins(values: list[UOp], stored: UOp, reduced: UOp) -> dict[UOp, UOp]:
    """What computes something costly along `stored`, and the same along `reduced`."""
    twins: dict[UOp, UOp] = {stored: reduced}
    rebuild(UOp.sink(*values), memo=twins)
    costly: dict[UOp, None] = {}
    for node in twins:
        here = node.op in COSTLY and stored in node.ranges
        if here or any(s in costly for s in node.src):
            costly[node] = None
    return {node: twins[node] for node in costly}
