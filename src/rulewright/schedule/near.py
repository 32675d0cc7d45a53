"""Rows that a kernel keeps near by instead of in memory of their own.

The scores of attention are a product whose rows, once they are weights, are an operand of the next
one. All that one row of results needs of them is one row: it is computed near by, by the kernel
that needs it, and no buffer of (queries, keys) elements is there. What is read again for each row
(keys and values) has to be small enough to stay close.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.schedule.facts import MEMORY, elements
from rulewright.schedule.requests import Request

LEAST_ROW, MOST_ROW = 32, 16_384  # elements of a row
_BASES = frozenset({Ops.BUFFER, Ops.PARAM})
_MOVES = Ops.group("Movement")


@dataclass(frozen=True, eq=False)
class Row:
    """A node that a kernel computes a row at a time: which row, and the loop that fills it."""

    indices: tuple[UOp, ...]
    fill: UOp

    @property
    def axis(self) -> int:
        """The axis of the node that the row is along."""
        return self.indices.index(self.fill)


class Room(NamedTuple):
    """Bytes that a work item may fill with copies, and that a value may have in memory which
    several kernels could compute instead; 0 where nothing is near by."""

    near: int = 0
    kept: int = 0


def room_near_by(order: Iterable[UOp]) -> Room:
    """What the target of the one device of a graph says of it."""
    limits = target_row(order).get("limits", {})
    return Room(limits.get("near_memory", 0), limits.get("kept_memory", 0))


def target_row(order: Iterable[UOp]) -> dict[str, Any]:
    """What the spec says of the one device of a graph; nothing for several and for interpreters."""
    devices = {node.arg[2] for node in order if node.op in _BASES} - {None}
    if len(devices) != 1:
        return {}
    row: dict[str, Any] = load_table()["targets"].get(devices.pop(), {})
    return row


def row_axis(node: UOp, asked: Sequence[Request]) -> int | None:
    """The axis along which one kernel asks for whole rows of a node, and asks for no other row.

    None if several kernels ask, for rows that differ, or for parts of rows.
    """
    shape, first = node.shape or (), asked[0]
    stored = first.root.loops
    if any(r.others or r.root is not first.root or r.is_masked for r in asked):
        return None
    found = None
    for axis, size in enumerate(shape):
        here = [r.indices[axis] for r in asked]
        same = all(i is here[0] and (i in stored or i.op is Ops.CONST) for i in here)
        if same or size == 1:
            continue
        whole = all(i.op is Ops.RANGE and i not in stored and i.size == size for i in here)
        if found is not None or not whole or not isinstance(size, int):
            return None
        found = axis
    return found


def is_worth_a_row(node: UOp, asked: Sequence[Request], axis: int, limit: int) -> bool:
    """Is the whole value too large to stay close, and what each row reads again small enough?"""
    shape = node.max_shape
    length, item = shape[axis], node.dtype.itemsize
    if not LEAST_ROW <= length <= MOST_ROW or elements(node) * item <= limit:
        return False
    again = length * item * max(_summed(node), *(r.repeats for r in asked), 1)
    return again <= limit


def _summed(node: UOp) -> int:
    """Elements that the reduction right below a value sums to one."""
    while node.op.elementwise or node.op in _MOVES:
        below = [s for s in node.src if s.op not in MEMORY and elements(s) >= elements(node)]
        if not below:
            return 1
        node = below[0]
    if node.op is not Ops.REDUCE_AXIS:
        return 1
    shape = node.src[0].max_shape
    return prod(shape[axis] for axis in node.arg[1])
