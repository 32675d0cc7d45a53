"""Sums, and other reductions, of what goes to each place: one walk over what goes.

`out[i, d] = REDUCE(WHERE(at[j] == i, value[j, d], identity), j)` looks at every j for every i. In a
loop whose rounds run in order, each value can go straight to its place instead: out[at[j], d] is
read, combined and written back. Of one place, values come in the same order both ways.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.sums import conjuncts
from rulewright.ir.uop import UOp
from rulewright.schedule.collect import choice, is_neutral, is_shorter


def scatter_in_order(sink: UOp, ctx: Any) -> UOp:
    """The kernel with its reduction by place made a walk, where the target's loops run in order.

    A kernel of several effects is left alone: each of them would number its new loops alike.
    """
    possible = ctx.target.has("ordered_loops") and len(sink.src) == 1
    return rewrite(sink, "scatter") if possible else sink


class _Hit(NamedTuple):
    """A condition that chooses by place: `at` is the loop `row`, and `others` hold."""

    row: UOp
    at: UOp
    others: tuple[UOp, ...]


def walk_over_values(nest: UOp) -> UOp | None:
    """The walk instead of END(STORE(out[place], REDUCE(WHERE(hit, value, identity)))).

    None if no loop of the store is chosen by data, if the reduction reads what is stored, or if
    there are too few places for the walk to be shorter.
    """
    store, loops = nest.src[0], nest.src[1:]
    target, total = store.src
    memory, place = target.src
    chosen, steps = choice(total.src[0]), total.src[1:]
    if chosen is None or not is_neutral(total.arg, chosen) or memory in total.toposort():
        return None
    hit = _hit(chosen.condition, loops)
    values = prod(int(step.vmax) + 1 for step in steps)
    if hit is None or not is_shorter(int(hit.row.vmax) + 1, values):
        return None
    row = hit.row
    valid = _within(hit.at, row)
    number, invalid = hit.at.cast(dtypes.index), UOp(Ops.INVALID, dtypes.index)
    at = valid.where(number, invalid)
    value = chosen.value.substitute({row: at})
    for condition in hit.others:
        valid = valid & condition.substitute({row: at})
    there = place.substitute({row: number})
    start = target.store(chosen.other).end(*loops).substitute(_anew(nest))
    so_far = memory.after(start, *steps).index(valid.where(there, invalid))
    walk = so_far.store(so_far.alu(total.arg, value))
    return walk.end(*steps, *(loop for loop in loops if loop is not row))


def _anew(nest: UOp) -> dict[UOp, UOp]:
    """Loops of their own for those of a nest."""
    first = 1 + max(n.arg[0] for n in nest.toposort() if n.op is Ops.RANGE)
    return {r: UOp.range(r.size, first + i, r.arg[1]) for i, r in enumerate(nest.src[1:])}


def _hit(condition: UOp, loops: tuple[UOp, ...]) -> _Hit | None:
    """How a condition chooses a value of one of the loops."""
    parts = conjuncts(condition)
    for part in parts:
        for row, at in (part.src, part.src[::-1]) if part.op is Ops.CMPEQ else ():
            loop = row.src[0] if row.op is Ops.CAST else row
            if loop in loops and row.dtype.max >= loop.vmax and _is_data(at, loop):
                return _Hit(loop, at, tuple(other for other in parts if other is not part))
    return None


def _is_data(at: UOp, loop: UOp) -> bool:
    """Is it a position that is read, the same for the whole loop?"""
    return loop not in at.ranges and any(n.op is Ops.INDEX for n in at.toposort())


def _within(at: UOp, row: UOp) -> UOp:
    """Whether a position is one of the loop's values."""
    zero = UOp.const(at.dtype, 0)
    return (zero <= at) & (at.cast(dtypes.index) < row.src[0])
