"""Positions as vectors: numbers of lanes, and which lanes an access or a choice is about.

A comparison that is linear in the range over the lanes holds up to a lane or from one on. Where
these are, is a number for the whole vector, which is compared with the numbers of the lanes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render.vectors import spells_lanes

_NUMBERS = {8: dtypes.i8, 16: dtypes.i16, 32: dtypes.i32, 64: dtypes.i64}
_UNSIGNED = {
    dtypes.i8: dtypes.u8,
    dtypes.i16: dtypes.u16,
    dtypes.i32: dtypes.u32,
    dtypes.i64: dtypes.u64,
}


def masked_index(
    node: UOp, axis: UOp, count: int, target: Any, gate: Sequence[UOp] = ()
) -> tuple[UOp, UOp] | None:
    """The INDEX of `count` neighbours along the axis, and the lanes of it that are meant.

    `gate` are conditions beside that of the index. None if they are no neighbours, if the
    conditions are no comparisons of positions, or if the target has no such accesses.
    """
    own, index = gates(node.src[1])
    conditions = [*gate, *own]
    if node.dtype.count > 1 or not target.has_text("load_masked"):
        return None
    index = _where_it_holds(index, conditions)
    if linear(index).stride(axis) != 1:
        return None
    mask = lane_mask(conditions, axis, count, node.dtype.bits)
    if mask is None:
        return None
    first = index.substitute({axis: UOp.index_const(0)})
    return UOp(Ops.INDEX, node.dtype.vec(count), (node.src[0], first)), mask


def gates(index: UOp) -> tuple[list[UOp], UOp]:
    """The conditions under which an index is one, and the index without them."""
    conditions = []
    while index.op is Ops.WHERE and index.src[2].op is Ops.INVALID:
        conditions.append(index.src[0])
        index = index.src[1]
    return conditions, index


def lane_mask(conditions: Sequence[UOp], axis: UOp, count: int, bits: int) -> UOp | None:
    """In which lanes all the conditions hold; None if they are no comparisons of positions. It is
    compared in integers of so many bits."""
    none, every = UOp.index_const(0), UOp.index_const(count)
    begins: dict[UOp, None] = {}
    ends: dict[UOp, None] = {}
    holds: dict[UOp, None] = {}
    for part in parts(conditions):
        if axis not in part.ranges:
            holds[part] = None
        elif (bound := _bound(part, axis)) is not None:
            (ends if bound[1] else begins)[bound[0]] = None
        else:
            return None
    end, begin = reduce(_smaller, ends, every), reduce(_larger, begins, none)
    meant = _larger(end - begin if begins else end, none)
    for condition in holds:
        meant = condition.where(meant, none)
    kind = _NUMBERS[max(bits, 8)]
    numbers = _numbers(kind, count, 1)
    if not begins:
        return numbers.alu(Ops.CMPLT, splat(meant.cast(kind), count))
    # those before the first are large as unsigned numbers
    behind = numbers - splat(_smaller(begin, every).cast(kind), count)
    unsigned = _UNSIGNED[kind]
    behind = UOp(Ops.BITCAST, unsigned.vec(count), (behind,))
    return behind.alu(Ops.CMPLT, splat(meant.cast(unsigned), count))


def _smaller(a: UOp, b: UOp) -> UOp:
    return a.alu(Ops.MIN, b)


def _larger(a: UOp, b: UOp) -> UOp:
    return a.alu(Ops.MAX, b)


def splat(node: UOp, count: int) -> UOp:
    """A vector with the same value in every lane."""
    kind = node.dtype.vec(count)
    if node.op is Ops.CONST:
        return UOp.const(kind, node.arg)
    return UOp(Ops.STACK, kind, (node,) * count)


def lane_positions(node: UOp, axis: UOp, count: int, target: Any) -> UOp | None:
    """A position converted to a number, in all lanes; None if it is not linear in the axis, or if
    the target does not convert it."""
    if node.op is not Ops.CAST or node.src[0].dtype is not dtypes.index or node.dtype.is_bool:
        return None
    index, kind = node.src[0], node.dtype
    step = linear(index).stride(axis)
    if not kind.is_int:
        fits = dtypes.i32.min <= index.vmin and index.vmax <= dtypes.i32.max
        kind = dtypes.i32 if fits else dtypes.i64
    zero = UOp.const(kind, 0)
    steps = [zero + zero] if kind is node.dtype else [zero + zero, zero.cast(node.dtype)]
    if step is None or not all(spells_lanes(target, s, count) for s in steps):
        return None
    first = index.substitute({axis: UOp.index_const(0)})
    positions = splat(first.cast(kind), count) + _numbers(kind, count, step)
    return positions.cast(node.dtype.vec(count))


def _numbers(kind: DType, count: int, step: int) -> UOp:
    """0, step, 2 step, … in the lanes of a vector."""
    each = tuple([UOp.const(kind, k * step) for k in range(count)])
    return UOp(Ops.STACK, kind.vec(count), each)


def parts(conditions: Sequence[UOp]) -> Iterator[UOp]:
    """The conditions that these are conjunctions of."""
    left = list(conditions)
    while left:
        part = left.pop()
        if part.op is Ops.AND:
            left += part.src
        else:
            yield part


def _where_it_holds(index: UOp, conditions: Sequence[UOp]) -> UOp:
    """An index without the limits that its conditions say it stays below."""
    limits = [UOp(Ops.MIN, p.src[0].dtype, p.src) for p in parts(conditions) if p.op is Ops.CMPLE]
    return index.substitute({n: n.src[0] for n in limits}) if limits else index


def _bound(test: UOp, axis: UOp) -> tuple[UOp, bool] | None:
    """The lane from which on a comparison holds no more (True), or holds (False); None if it is
    none of numbers linear in the axis."""
    is_not = test.op is Ops.NOT
    test = test.src[0] if is_not else test
    if test.op not in (Ops.CMPLT, Ops.CMPLE) or test.src[0].dtype is not dtypes.index:
        return None
    a, b = test.src
    strides = linear(a).stride(axis), linear(b).stride(axis)
    if strides[0] is None or strides[1] is None or strides[0] == strides[1]:
        return None
    step = strides[0] - strides[1]
    at_first = {axis: UOp.index_const(0)}
    room = b.substitute(at_first) - a.substitute(at_first)
    # it holds where step * lane < room, or <= room
    strict = test.op is Ops.CMPLT
    if step > 0:
        turn = (room + UOp.index_const(step - 1 if strict else step)) // UOp.index_const(step)
    else:
        turn = (UOp.index_const(-step if strict else -step - 1) - room) // UOp.index_const(-step)
    return turn, (step > 0) is not is_not
