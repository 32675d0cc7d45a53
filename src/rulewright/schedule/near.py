"""Rows that a kernel keeps near by instead of in memory of their own.

The scores of attention are a product whose rows, once they are weights, are an operand of the next
one. All that one row of results needs of them is one row: it is computed near by, by the kernel
that needs it, and no buffer of (queries, keys) elements is there. What is read again for each row
(keys and values) has to be small enough to stay close.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.schedule.facts import elements
from rulewright.schedule.requests import Request

LEAST_ROW, MOST_ROW = 32, 16_384  # elements of a row
LEAST_BLOCK, MOST_BLOCK = 128, 256  # elements of a block of one
_BASES = frozenset({Ops.BUFFER, Ops.PARAM})


@dataclass(frozen=True, eq=False)
class Row:
    """A node that a kernel computes a row at a time, or a block of one: which, along which axis,
    the loop that fills it, and how many blocks there are."""

    indices: tuple[UOp, ...]
    axis: int
    fill: UOp
    blocks: int = 1


class Block(NamedTuple):
    """A reduced loop cut into blocks: a loop over them, and one over the elements of each."""

    outer: UOp
    inner: UOp

    def at(self, inner: UOp) -> UOp:
        """The index of an element of a block."""
        return self.outer * self.inner.size + inner


def block_size(length: int) -> int:
    """Elements of a block of a long row, whole vectors if that can be; 0 if nothing divides it."""
    if length < 2 * MOST_BLOCK:
        return 0
    sizes = [n for n in range(LEAST_BLOCK, MOST_BLOCK + 1) if length % n == 0]
    return max([n for n in sizes if n % 16 == 0] or sizes, default=0)


def weighed_block(length: int) -> int:
    """Elements of a block of a long row of weights, which may leave a rest; 0 for a short row."""
    found = block_size(length)
    return found if length < 2 * MOST_BLOCK or (found and found % 16 == 0) else MOST_BLOCK


class Room(NamedTuple):
    """Bytes that a work item may fill with copies, and that a value may have in memory which
    several kernels could compute instead; 0 where nothing is near by."""

    near: int = 0
    kept: int = 0


def room_near_by(order: Iterable[UOp]) -> Room:
    """What the target of the one device of a graph says of it."""
    limits = target_row(order).get("limits", {})
    return Room(limits.get("near_memory", 0), limits.get("kept_memory", 0))


TARGET_OF: dict[str, str] = {}
"""The target of each device whose class another package brings."""


def target_row(order: Iterable[UOp]) -> dict[str, Any]:
    """What the spec says of the one device of a graph; nothing for several and for interpreters."""
    devices = {node.arg[2] for node in order if node.op in _BASES} - {None}
    if len(devices) != 1:
        return {}
    name = devices.pop()
    row: dict[str, Any] = load_table()["targets"].get(TARGET_OF.get(name, name), {})
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
        whole = all(_is_whole(i, size) and i not in stored for i in here)
        if found is not None or not whole or not isinstance(size, int):
            return None
        found = axis
    return found


def _is_whole(index: UOp, size: Dim) -> bool:
    """Whether an index goes over all of an axis, or over one of its blocks."""
    block = block_of(index)
    if block is not None:
        return size == block.outer.size * block.inner.size
    return index.op is Ops.RANGE and index.size == size


def block_of(index: UOp) -> Block | None:
    """The block that an index goes through; None if it is none."""
    if index.op is not Ops.ADD or index.src[1].op is not Ops.RANGE:
        return None
    first, inner = index.src
    if first.op is not Ops.MUL or first.src[0].op is not Ops.RANGE:
        return None
    block = Block(first.src[0], inner)
    return block if block.at(inner) is index else None


def is_worth_a_row(
    node: UOp, terms: int, asked: Sequence[Request], length: int, limit: int
) -> bool:
    """Is the whole value too large to stay close, and what each row reads again small enough?"""
    if not LEAST_ROW <= length <= MOST_ROW or elements(node) * node.dtype.itemsize <= limit:
        return False
    again = max(terms, *(r.repeats for r in asked), 1)
    return fits_near(node, length, again, limit)


def fits_near(node: UOp, length: int, again: int, limit: int) -> bool:
    """Is what is read again for each row of a value small enough: so much for each element?"""
    return length * node.dtype.itemsize * again <= limit
