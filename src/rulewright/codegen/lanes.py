"""Loops over lanes become vectors: one operation on several lanes instead of a loop over them.

What a target has no vector spelling for keeps its loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.masks import (
    gates,
    lane_mask,
    lane_positions,
    masked_index,
    masked_indices,
    parts,
    splat,
)
from rulewright.ir.dtypes import dtypes
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render.vectors import keeps_lanes, spells_lanes

MOST_VECTORS = 16
"""Vectors that one simd range becomes, at most."""
LEAST_LANES = 4
MOST_STEP = 4
"""Elements between neighbours, up to which they are picked from wide reads."""


def lanes_of(end: UOp, axis: UOp, target: Any) -> int:
    """How many lanes of `axis` go in one vector of what `end` stores; 0 if it stays a loop."""
    size = axis.size
    if not isinstance(size, int):
        return 0
    count = most_lanes(end.src[0], axis, target)
    while size % count:
        count //= 2
    return count if count >= LEAST_LANES and size // count <= MOST_VECTORS else 0


def most_lanes(store: UOp, axis: UOp, target: Any) -> int:
    """Lanes of a vector of the widest of what a store reads, converts and writes along an axis;
    fewer where what it computes goes by wider ones."""
    value = store.src[1]
    nodes = value.toposort(lambda n: n.op is not Ops.INDEX and axis in n.ranges)
    inside = [n for n in nodes if axis in n.ranges]
    kinds = [n.dtype for n in inside if n.op in (Ops.INDEX, Ops.CAST)]
    widest = max(d.bits for d in (value.dtype, *kinds) if d is not dtypes.index)
    most = max(1, (target.limit("vector_bits") or 128) // max(widest, 8))
    ops = [n for n in inside if n.op.elementwise and dtypes.index not in (n.dtype, n.src[0].dtype)]
    counts = [most >> halvings for halvings in range(most.bit_length())]
    ways = (n for n in counts if n >= LEAST_LANES and all(spells_lanes(target, o, n) for o in ops))
    return next(ways, most)


def vectorised(store: UOp, axis: UOp, count: int, target: Any) -> UOp | None:
    """A STORE done for all `count` values of `axis` at once; None if that cannot be said.

    The place must step by one element along the axis, and every op that depends on it be spelled
    for vectors.
    """
    place, value, *gate = store.src
    stored: list[UOp] = []  # where a lane is stored, if not everywhere
    if not target.has_vectors(place.dtype):
        return None
    if any(axis in g.ranges for g in gate) or not is_consecutive(place, axis):
        part = masked_index(place, axis, count, target, gate)
        if part is None:
            return None
        stored = [*gate, *gates(place.src[1])[0]]
        place, gate = part[0], [part[1]]
    else:
        place = wide_index(place, axis, count)
    lanes = in_lanes(value, axis, count, target, stored=stored)
    return None if lanes is None else place.store(lanes, *gate)


def in_lanes(
    value: UOp,
    axis: UOp,
    count: int,
    target: Any,
    there: Mapping[UOp, UOp] | None = None,
    stored: Sequence[UOp] = (),
) -> UOp | None:
    """The vector of a value at all `count` values of `axis`; None if that cannot be said.

    `there` are vectors of nodes inside it that are there already; the lanes in which one of the
    conditions `stored` does not hold may be anything.
    """
    known = dict(there or {})
    for node in value.toposort(lambda n: axis in n.ranges):
        if axis not in node.ranges or node in known:
            continue
        if node.op is Ops.INDEX:
            if axis in node.src[0].ranges or not target.has_vectors(node.dtype):
                return None
            known[node] = _read(node, axis, count, target, stored)
        elif (of_positions := _of_positions(node, axis, count, target)) is not None:
            known[node] = of_positions
        elif (instead := _read_instead(node, axis, count, target, known)) is not None:
            known[node] = instead
        elif node.op.elementwise and all(_in_lanes(s, axis, known) for s in node.src):
            one = node.op is Ops.WHERE and axis not in node.src[0].ranges  # for all lanes
            if not spells_lanes(target, node, count, one):
                return None
            src = node.src[:one] + tuple([_lanes(s, known, count) for s in node.src[one:]])
            known[node] = UOp(node.op, node.dtype.vec(count), src, node.arg)
    if not _in_lanes(value, axis, known):
        return None
    lanes = _lanes(value, known, count)
    return lanes if keeps_lanes(target, lanes) else None


def turning_points(value: UOp, axis: UOp) -> list[tuple[int, int]]:
    """Between which values of `axis` its comparisons turn: (first, last) of each that does.

    Below the first, and from the last on, one says the same whatever other ranges are. They are
    equal where it hangs on no other.
    """
    points: set[tuple[int, int]] = set()
    beginning = {axis: UOp.index_const(0)}
    for node in value.toposort(lambda n: axis in n.ranges):
        if node.op not in (Ops.CMPLT, Ops.CMPLE) or node.src[0].dtype is not dtypes.index:
            continue
        left, right = (linear(s).stride(axis) for s in node.src)
        if left is None or right is None or left == right:
            continue
        # holds where step * axis + more < 0, for a number `more` between two
        step, (a, b) = left - right, (s.substitute(beginning) for s in node.src)
        limits = [int(m) - (node.op is Ops.CMPLE) for m in (a.vmin - b.vmax, a.vmax - b.vmin)]
        turns = sorted(-(more // step) if step > 0 else more // -step + 1 for more in limits)
        first, last = max(turns[0], 0), min(turns[1], int(axis.vmax) + 1)
        if first < last or 0 < first == last <= axis.vmax:
            points.add((first, last))
    return sorted(points)


def _lanes(node: UOp, known: dict[UOp, UOp], count: int) -> UOp:
    return known[node] if node in known else splat(node, count)


def _in_lanes(node: UOp, axis: UOp, known: dict[UOp, UOp]) -> bool:
    return node in known or axis not in node.ranges


def _of_positions(node: UOp, axis: UOp, count: int, target: Any) -> UOp | None:
    """Positions as numbers, or the lanes in which a comparison of them holds; None for others."""
    if node.op is Ops.CAST:
        return lane_positions(node, axis, count, target)
    if node.op not in (Ops.CMPLT, Ops.CMPLE, Ops.NOT) or not target.has_text("mask"):
        return None
    return lane_mask((node,), axis, count, min(target.limit("vector_bits") // count, 64))


def _read(node: UOp, axis: UOp, count: int, target: Any, stored: Sequence[UOp]) -> UOp:
    """The elements along the axis: one wide read of neighbours, else one for each lane.

    Those of a short step are picked from wide reads.
    """
    step = _step(node, axis)
    if step == 1:
        return wide_index(node, axis, count)
    if step is None and (part := masked_index(node, axis, count, target, stored)) is not None:
        place, mask = part
        return UOp(Ops.LOAD, place.dtype, (place, splat(UOp.const(node.dtype, 0), count), mask))
    if step is not None and _is_short(step) and target.has_text("shuffle"):
        return _picked(node, axis, count, step)
    if step is None and (picked := _picked_by_masks(node, axis, count, target, stored)) is not None:
        return picked
    each = [node.substitute({axis: UOp.index_const(k)}) for k in range(count)]
    return UOp(Ops.STACK, node.dtype.vec(count), tuple(each))


def _read_instead(
    node: UOp, axis: UOp, count: int, target: Any, known: dict[UOp, UOp]
) -> UOp | None:
    """What is read where a condition holds and another value elsewhere, as one read by a mask."""
    if node.op is not Ops.WHERE or node.src[1].op is not Ops.INDEX:
        return None
    gate, read, other = node.src
    wanted, read_at = set(parts([gate])), set(parts(gates(read.src[1])[0]))
    zero = other is UOp.const(other.dtype, 0)  # which a gated read gives too; -0.0 is another
    same = wanted <= read_at if zero else wanted == read_at
    if axis not in gate.ranges or not same or not _in_lanes(other, axis, known):
        return None
    part = masked_index(read, axis, count, target)
    if part is None:
        return None
    place, mask = part
    return UOp(Ops.LOAD, place.dtype, (place, _lanes(other, known, count), mask))


def wide_index(node: UOp, axis: UOp, count: int) -> UOp:
    """The INDEX of `count` elements that begins where the axis does."""
    first = {axis: UOp.index_const(0)}
    src = tuple([s.substitute(first) if axis in s.ranges else s for s in node.src])
    return UOp(Ops.INDEX, node.dtype.vec(count), src)


def _is_short(step: int) -> bool:
    return step != 0 and -MOST_STEP <= step <= MOST_STEP


def _picked(node: UOp, axis: UOp, count: int, step: int) -> UOp:
    """The vector of elements `step` apart, out of wide reads between the first and the last."""
    lowest = UOp.index_const(0 if step > 0 else count - 1)
    span = (count - 1) * abs(step) + 1
    wanted = range(0, span, step) if step > 0 else range(span - 1, -1, step)
    lanes = [wanted[k] if wanted[k] < count else 0 for k in range(count)]
    picked = _wide_at(node.substitute({axis: lowest}), 0, count)
    if abs(step) == 1:
        return _lanes_of_two(picked, picked, lanes)
    end = count
    while end < span:
        start = min(next(w for w in sorted(wanted) if w >= end), span - count)
        other = _wide_at(node.substitute({axis: lowest}), start, count)
        new = {k: w - start for k, w in enumerate(wanted) if end <= w < start + count}
        lanes = [count + new[k] if k in new else lanes[k] for k in range(count)]
        picked, lanes = _lanes_of_two(picked, other, lanes), list(range(count))
        end = start + count
    return picked


def _picked_by_masks(
    node: UOp, axis: UOp, count: int, target: Any, stored: Sequence[UOp]
) -> UOp | None:
    """The same where conditions hold from a lane on or up to one; None for others."""
    step = linear(gates(node.src[1])[1]).stride(axis)
    if node.dtype.count > 1 or not target.has_text("load_masked"):
        return None
    if step is None or not 1 < step <= MOST_STEP:
        return None
    starts = range(0, (count - 1) * step + 1, count)
    places = masked_indices(node, axis, count, step, starts, stored)
    if places is None:
        return None
    zero = splat(UOp.const(node.dtype, 0), count)
    wide = [UOp(Ops.LOAD, at.dtype, (at, zero, mask)) for at, mask in places]
    wanted = range(0, count * step, step)
    lanes = [w if w < count else 0 for w in wanted]
    picked = wide[0]
    for k, other in enumerate(wide[1:], 1):
        inside = {i: w - k * count for i, w in enumerate(wanted) if w // count == k}
        lanes = [count + inside[i] if i in inside else lanes[i] for i in range(count)]
        picked, lanes = _lanes_of_two(picked, other, lanes), list(range(count))
    return picked


def _wide_at(first: UOp, offset: int, count: int) -> UOp:
    """`count` neighbours, of which the first is so far behind an element."""
    memory, index = first.src
    if index.op is Ops.WHERE:
        index = index.src[0].where(index.src[1] + offset, index.src[2])
    else:
        index = index + offset
    return UOp(Ops.INDEX, first.dtype.vec(count), (memory, index))


def _lanes_of_two(a: UOp, b: UOp, lanes: list[int]) -> UOp:
    """A vector of some lanes of two vectors one behind the other."""
    both = UOp(Ops.STACK, a.dtype.scalar.vec(2 * a.dtype.count), (a, b))
    return UOp(Ops.LANE, a.dtype, (both,), tuple(lanes))


def is_consecutive(node: UOp, axis: UOp) -> bool:
    """Whether an INDEX names neighbours in memory along the axis, under one gate."""
    return _step(node, axis) == 1


def _step(node: UOp, axis: UOp) -> int | None:
    """Elements between neighbours along the axis, if that is one number and one gate holds all."""
    index = node.src[1]
    if index.op is Ops.WHERE:
        if axis in index.src[0].ranges:
            return None
        index = index.src[1]
    return linear(index).stride(axis) if node.dtype.count == 1 else None


def lane_axis(end: UOp) -> UOp | None:
    """The one simd range that an END closes."""
    axes = [r for r in end.src[1:] if kind(r) == "simd"]
    return axes[0] if len(axes) == 1 else None
