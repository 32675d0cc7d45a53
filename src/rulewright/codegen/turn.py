"""Squares of a matrix turned in registers: read along one axis, written along the other.

A copy whose neighbours lie apart in what it reads would gather each vector lane by lane. If they
are neighbours along another range of the copy, vectors are read along that one, and a square of
them is transposed: log2(n) rounds, each of which interleaves the first half of the vectors with
the second.
"""

from __future__ import annotations

from math import prod
from typing import Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.lanes import LEAST_LANES, in_lanes, is_consecutive, lane_axis, wide_index
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.shapes import is_multiple
from rulewright.ir.uop import UOp

MOST_SIDE = 16
"""Rows and columns of a square, at most: what registers hold."""
LEAST_TURNED = 1 << 16
"""Elements of transpositions from which on its code, a hundred lines, is worth compiling."""


def turned(end: UOp, target: Any) -> list[UOp] | None:
    """The stores of an END over a square (a simd and an upcast range), transposed in registers.

    None if it is none, or if its vectors are neighbours, or have no vector form either way.
    """
    store, lane = end.src[0], lane_axis(end)
    squares = [r for r in end.src[1:] if kind(r) == "upcast"]
    if store.op is not Ops.STORE or lane is None or len(squares) != 1:
        return None
    (across,), place, value = squares, store.src[0], store.src[1]
    count = int(lane.vmax) + 1
    if across.vmax != lane.vmax or count & (count - 1) or not is_consecutive(place, lane):
        return None
    columns = _columns(value, across, lane, count, target)
    if columns is None:
        return None
    stores = []
    for number, column in enumerate(columns):
        at = place.substitute({across: UOp.index_const(number)})
        gate = [g.substitute({across: UOp.index_const(number)}) for g in store.src[2:]]
        stores.append(wide_index(at, lane, count).store(column, *gate))
    return stores


def square(end: UOp, across: UOp, axis: UOp, lanes: int, target: Any) -> int:
    """The side of the squares in which a large END is best turned; 0 if it cannot be.

    `axis` is the one that is stored side by side, `across` the one that is read so.
    """
    side = min(lanes, MOST_SIDE)
    while side > 1 and not all(is_multiple(a.size, side) for a in (across, axis)):
        side //= 2
    return side if can_turn(end, across, axis, side, target) else 0


def can_turn(end: UOp, across: UOp, axis: UOp, side: int, target: Any) -> bool:
    """Whether an END is large enough and can be turned in squares of this side, but for what is
    left over."""
    if side < LEAST_LANES or prod(int(r.vmax) + 1 for r in end.src[1:]) < LEAST_TURNED:
        return False
    row, lane = UOp.range(side, -1, "upcast"), UOp.range(side, -2, "simd")
    far, near = UOp.range(across.size // side, -3), UOp.range(axis.size // side, -4)
    tile = end.src[0].substitute({across: far * side + row, axis: near * side + lane})
    return turned(tile.end(row, lane), target) is not None


def _columns(value: UOp, across: UOp, lane: UOp, count: int, target: Any) -> list[UOp] | None:
    """The vector along `lane` at each value of `across`; None if none is turned for it.

    Where everything is read along `across`, what is computed of it is turned; else what is read.
    """
    read = [n for n in value.toposort() if n.op is Ops.INDEX and lane in n.ranges]
    turning = [n for n in read if _runs(n, across, lane)]
    others = [n for n in read if n not in turning]
    if not turning or not all(is_consecutive(n, lane) for n in others):
        return None
    squares = [value] if not others else turning
    vectors: dict[UOp, list[UOp]] = {}
    for node in squares:
        each = [node.substitute({lane: UOp.index_const(k)}) for k in range(count)]
        rows = [row for e in each if (row := in_lanes(e, across, count, target)) is not None]
        if len(rows) < count:
            return None
        vectors[node] = transposed(rows)
    columns = []
    for k in range(count):
        at = {across: UOp.index_const(k)}
        there = {node.substitute(at): column[k] for node, column in vectors.items()}
        columns.append(in_lanes(value.substitute(at), lane, count, target, there))
    return [c for c in columns if c is not None] if None not in columns else None


def transposed(rows: list[UOp], unit: int = 1) -> list[UOp]:
    """Vectors whose element (i, j) is element (j, i) of these; as many as each has lanes.

    An element is `unit` lanes one behind the other.
    """
    count = len(rows)
    zipped = [number // 2 + number % 2 * count for number in range(count)]
    low = tuple([number * unit + lane for number in zipped for lane in range(unit)])
    high = tuple([lane + count * unit // 2 for lane in low])
    for _ in range(count.bit_length() - 1):
        pairs = [
            UOp(Ops.STACK, a.dtype.scalar.vec(2 * count * unit), (a, b))
            for a, b in zip(rows[: count // 2], rows[count // 2 :], strict=True)
        ]
        rows = [UOp(Ops.LANE, rows[0].dtype, (p,), half) for p in pairs for half in (low, high)]
    return rows


def interleaved(end: UOp, target: Any) -> UOp | None:
    """The store of an END over a simd and an upcast range of which the first values of all rows lie
    beside each other, then the second ones. None if it is none, or has no vector form.
    """
    store, lane = end.src[0], lane_axis(end)
    upcasts = [r for r in end.src[1:] if kind(r) == "upcast"]
    if store.op is not Ops.STORE or len(store.src) > 2 or lane is None or len(upcasts) != 1:
        return None
    (across,), (place, value) = upcasts, store.src
    rows, count = int(across.vmax) + 1, int(lane.vmax) + 1
    form, wide = linear(place.src[1]), place.dtype.bits * rows * count
    are_powers = not rows & (rows - 1) and not count & (count - 1)
    lies = form.stride(across) == 1 and form.stride(lane) == rows and are_powers
    if not lies or not target.has_text("shuffle_wide") or wide > target.limit("vector_bits"):
        return None
    first = UOp.index_const(0)
    of_rows = []
    for number in range(rows):
        row = rewrite(value.substitute({across: UOp.index_const(number)}), "symbolic")
        of_rows.append(in_lanes(row, lane, count, target))
    vectors = [row for row in of_rows if row is not None]
    if len(vectors) < rows:
        return None
    while len(vectors) > 1:
        half = len(vectors) // 2
        vectors = [_zipped(vectors[k], vectors[k + half]) for k in range(half)]
    at = place.src[1].substitute({across: first, lane: first})
    return UOp(Ops.INDEX, vectors[0].dtype, (place.src[0], at)).store(vectors[0])


def turned_in_units(end: UOp, target: Any) -> list[UOp] | None:
    """The stores of an END over a square of units: an upcast and a simd range, and an unrolled one
    over the values of a unit, which with the former are neighbours in what is read.

    None if it is none, or has no vector form.
    """
    store, lane = end.src[0], lane_axis(end)
    by_kind = {k: [r for r in end.src[1:] if kind(r) == k] for k in ("upcast", "unroll")}
    if store.op is not Ops.STORE or len(store.src) > 2 or lane is None:
        return None
    if [len(ranges) for ranges in by_kind.values()] != [1, 1]:
        return None
    (across, unit), (place, value) = (r for (r,) in by_kind.values()), store.src
    sizes = [int(r.vmax) + 1 for r in (across, lane, unit)]
    form, count = linear(place.src[1]), sizes[0] * sizes[2]
    steps = [form.stride(r) for r in (across, lane, unit)]
    if sizes[0] != sizes[1] or steps != [sizes[1] * sizes[2], sizes[2], 1]:
        return None
    along = UOp.range(count, lane.arg[0], "simd")
    moved = value.substitute({across: along // sizes[2], unit: along % sizes[2]})
    rows = []
    for number in range(sizes[1]):
        row = rewrite(moved.substitute({lane: UOp.index_const(number)}), "symbolic")
        if (vector := in_lanes(row, along, count, target)) is None:
            return None
        rows.append(vector)
    first, stores = UOp.index_const(0), []
    for number, column in enumerate(transposed(rows, sizes[2])):
        at = {across: UOp.index_const(number), lane: first, unit: first}
        where = UOp(Ops.INDEX, column.dtype, (place.src[0], place.src[1].substitute(at)))
        stores.append(where.store(column))
    return stores


def _zipped(a: UOp, b: UOp) -> UOp:
    """The lanes of two vectors in turns."""
    count = a.dtype.count
    both = UOp(Ops.STACK, a.dtype.scalar.vec(2 * count), (a, b))
    lanes = tuple([k // 2 + k % 2 * count for k in range(2 * count)])
    return UOp(Ops.LANE, both.dtype, (both,), lanes)


def _runs(node: UOp, across: UOp, lane: UOp) -> bool:
    """Whether an INDEX has neighbours along `across` in each lane, and not from lane to lane."""
    row = node.substitute({lane: UOp.index_const(0)})
    return is_consecutive(row, across) and not is_consecutive(node, lane)
