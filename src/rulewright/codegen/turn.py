"""Squares of a matrix turned in registers: read along one axis, written along the other.

A copy whose neighbours lie apart in what it reads would gather each vector lane by lane. If they
are neighbours along another range of the copy, vectors are read along that one, and a square of
them is transposed: log2(n) rounds, each of which interleaves the first half of the vectors with
the second.
"""

from __future__ import annotations

from typing import Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.lanes import in_lanes, is_consecutive, lane_axis, wide_index
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


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
    found = [n for n in value.toposort() if n.op is Ops.INDEX and lane in n.ranges]
    if not found or not all(_runs(n, across, lane) for n in found):
        return None
    rows = []
    for number in range(count):
        row = in_lanes(value.substitute({lane: UOp.index_const(number)}), across, count, target)
        if row is None:
            return None
        rows.append(row)
    stores = []
    for number, column in enumerate(transposed(rows)):
        at = place.substitute({across: UOp.index_const(number)})
        gate = [g.substitute({across: UOp.index_const(number)}) for g in store.src[2:]]
        stores.append(wide_index(at, lane, count).store(column, *gate))
    return stores


def transposed(rows: list[UOp]) -> list[UOp]:
    """Vectors whose element (i, j) is element (j, i) of these; as many as each has lanes."""
    count = len(rows)
    low = tuple(lane // 2 + lane % 2 * count for lane in range(count))
    high = tuple(lane + count // 2 for lane in low)
    for _ in range(count.bit_length() - 1):
        pairs = [
            UOp(Ops.STACK, a.dtype.scalar.vec(2 * count), (a, b))
            for a, b in zip(rows[: count // 2], rows[count // 2 :], strict=True)
        ]
        rows = [UOp(Ops.LANE, rows[0].dtype, (p,), half) for p in pairs for half in (low, high)]
    return rows


def _runs(node: UOp, across: UOp, lane: UOp) -> bool:
    """Whether an INDEX has neighbours along `across` in each lane, and not from lane to lane."""
    row = node.substitute({lane: UOp.index_const(0)})
    return is_consecutive(row, across) and not is_consecutive(node, lane)
