"""How accumulators are numbered: by the tile ranges around a reduction, in row-major memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from rulewright.codegen.kinds import TILE, in_loop_order, kind
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def open_ranges(value: UOp, closed: tuple[UOp, ...]) -> tuple[list[UOp], list[UOp]]:
    """The ranges around a reduction: those with an accumulator each, and the others."""
    around = [r for r in value.ranges if r not in closed]
    held = (*TILE, "block") if any(kind(r) == "block" for r in closed) else TILE
    tile = in_loop_order([r for r in around if kind(r) in held])
    return tile, [r for r in around if kind(r) not in held]


def loops_of(value: UOp) -> tuple[UOp, ...]:
    """The ENDs of loops whose results a value is computed from."""
    ends: dict[UOp, None] = {}
    stack, seen = [value], {value}
    while stack:
        node = stack.pop()
        if node.op is Ops.AFTER:
            ends.update((s, None) for s in node.src[1:] if s.op is Ops.END)
        else:
            stack += [s for s in node.src if s not in seen]
            seen.update(node.src)
    return tuple(ends)


def places_of(ranges: Sequence[UOp]) -> int:
    """How many elements there are for all values of some ranges."""
    return prod(int(r.vmax) + 1 for r in ranges)


def joined(places: Sequence[UOp], sizes: Sequence[int]) -> UOp:
    """The position in row-major memory of the element at `places`.

    A quotient beside the rest of the same division is what was divided.
    """
    whole, span = UOp.index_const(0), 1
    for place, size in zip(reversed(places), reversed(sizes), strict=True):
        cut = whole.op is Ops.FLOORMOD and place is whole.src[0] // span
        if cut and whole.src[1] is UOp.index_const(span):
            whole = whole.src[0]
        else:
            whole = place if span == 1 else place * span + whole
        span *= size
    return whole


def flat(ranges: list[UOp], first: UOp | None = None) -> UOp:
    """The position in row-major memory of one element for each value of the ranges.

    `first`, if given, is an index in front of them.
    """
    index = UOp.index_const(0) if first is None else first
    for r in ranges:
        index = r if index.op is Ops.CONST else index * (int(r.vmax) + 1) + r
    return index
