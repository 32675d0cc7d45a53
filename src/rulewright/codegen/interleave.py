"""Long computations that do not wait for each other, written side by side.

A processor looks ahead as far as it has room for: behind the long chain of an exponential it does
not see the next one. Where a loop stores several vectors whose values take the same steps, the
steps of one come between those of the others.
"""

from __future__ import annotations

from rulewright.codegen.copies import COSTLY
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

TURNS = 4
"""Vectors that are computed in turns, where a vector takes something costly once."""
LEAST_STEPS = 12
"""Steps of a computation, from which on what comes behind it is out of sight."""


def at_a_time(store: UOp, axis: UOp) -> int:
    """How many vectors along an axis a STORE does in turns: several where one takes long."""
    inside = store.src[1].toposort(lambda n: n.op is not Ops.AFTER)
    costly = sum(n.op in COSTLY and axis in n.ranges for n in inside)
    return max(TURNS // costly, 2) if costly else 1


def several(effect: UOp, loop: UOp | None, count: int, fresh: int) -> list[tuple[UOp, list[UOp]]]:
    """A STORE for each of `count` iterations of a loop, with one that has fewer, r{fresh}; then for
    what is left, with r{fresh + 1} where that is several iterations."""
    if loop is None or count == 1 or loop.vmax + 1 < count:
        return [(effect, [] if loop is None else [loop])]
    whole, rest = divmod(int(loop.vmax) + 1, count)
    outer, last = UOp.range(whole, fresh, "loop"), UOp.range(rest or 1, fresh + 1, "loop")
    each = [(outer * count + k, [outer]) for k in range(count)]
    if rest == 1:
        each.append((UOp.index_const(whole * count), []))
    elif rest:
        each.append((last + whole * count, [last]))
    return [(effect.substitute({loop: at}), loops) for at, loops in each]


def side_by_side(order: list[UOp]) -> list[UOp]:
    """The nodes of a kernel, operands first, with what several vectors take step by step in turns.

    Each END keeps its place, so that loops nest as before.
    """
    places: dict[UOp, tuple[int, int]] = {}
    first, before, twin = (0, 0), -1, 0  # what leads to the first of ENDs that are alike
    for i, end in enumerate(order):
        if end.op is not Ops.END:
            continue
        if before < 0 or end.src[1:] != order[before].src[1:]:
            first, twin = (before + 1, i), 0
        elif i - before > LEAST_STEPS:
            twin += 1
            inside, like = (
                [(k, order[k]) for k in range(*part) if end.src[-1] in order[k].ranges]
                for part in ((before + 1, i), first)
            )
            places |= _beside(inside, like, twin)
        before = i
    if not places:
        return order
    own = [places.get(node, (i, 0)) for i, node in enumerate(order)]
    return [order[i] for i in sorted(range(len(order)), key=own.__getitem__)]


Numbered = list[tuple[int, UOp]]


def _beside(inside: Numbered, first: Numbered, twin: int) -> dict[UOp, tuple[int, int]]:
    """Where nodes stand that take the same steps as the first ones; empty if they do not."""
    steps = [n for _, n in inside if n.dtype.count > 1 and n.op.elementwise]
    if len(steps) < LEAST_STEPS:
        return {}
    places: dict[UOp, tuple[int, int]] = {}
    rest = iter(first)
    for node in steps:
        like = next((k for k, n in rest if n.op is node.op and n.dtype is node.dtype), None)
        if like is None:
            return {}
        places[node] = like, twin
    at = None
    for _, node in reversed(inside):  # what is read and where, just before it is needed
        at = places.get(node, at)
        if at is not None:
            places[node] = at
    return places
