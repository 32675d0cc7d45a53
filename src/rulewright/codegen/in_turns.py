"""Neighbours in memory that are of a few kinds in turns, as the two parts of complex numbers.

What is stored differs from one to the next, and is the same again two or four places on. Each kind
is computed as a vector by itself, and the lanes of all are stored in turns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rulewright.codegen.nests import Nest, fixed
from rulewright.codegen.turn import interleaved
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

MOST_KINDS = 4
"""Kinds that take turns, at most."""
LEAST_OF_KIND = 2
"""Lanes of a vector of one kind, at least."""

_PARTS = Ops.group("FloorDivision")


class Turns(NamedTuple):
    """So many `kinds` along an axis, or along the whole of another one, `across`, that is inside of
    it; and the lanes of a vector of each."""

    axis: UOp
    across: UOp | None
    kinds: int
    lanes: int


def kinds_in_turns(nest: Nest, lanes: int, target: Any) -> Turns | None:
    """How a store without reductions is one of several kinds in turns; None if it is not.

    `lanes`: how many of what is stored a vector holds.
    """
    form = nest.accesses[0].form
    inner = [a for a in nest.private if form.stride(a) == 1]
    if nest.reductions or len(inner) != 1 or not nest.store.src[1].ranges:
        return None
    (near,) = inner
    size = fixed(near) or 1
    if size <= MOST_KINDS:
        behind = [a for a in nest.private if form.stride(a) == size and a is not near]
        turns = Turns(behind[0], near, size, lanes // size) if len(behind) == 1 < size else None
    else:
        kinds = _period(nest.store.src[1], near)
        turns = Turns(near, None, kinds, lanes // kinds) if kinds and size % kinds == 0 else None
    return turns if turns is not None and _has_form(nest, turns, target) else None


def _period(value: UOp, axis: UOp) -> int:
    """By how many a value divides an axis, to tell what each place gets; 0 if it does not."""
    inside = value.toposort(lambda n: axis in n.ranges)
    parts = [n.src[1] for n in inside if n.op in _PARTS and axis in n.src[0].ranges]
    counts = {int(n.arg) if n.op is Ops.CONST else 0 for n in parts}
    fits = bool(counts) and all(1 < n <= MOST_KINDS and max(counts) % n == 0 for n in counts)
    return max(counts) if fits else 0


def _has_form(nest: Nest, turns: Turns, target: Any) -> bool:
    """Whether each kind has vectors, which fill the axis."""
    axis, across, kinds, lanes = turns
    each = (fixed(axis) or 1) // (1 if across is not None else kinds)
    if lanes < LEAST_OF_KIND or each % lanes:
        return False
    row, lane = UOp.range(kinds, -1, "upcast"), UOp.range(lanes, -2, "simd")
    place = UOp.range(each // lanes, -3) * lanes + lane
    at = {axis: place, across: row} if across is not None else {axis: place * kinds + row}
    return interleaved(nest.store.substitute(at).end(row, lane), target) is not None
