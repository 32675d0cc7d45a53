"""Sums of gradients: of many that are zero but for a part each, the parts are put together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.nodes import node_broadcast_to, node_joined

FEWEST = 8
"""Parts that are worth it: each element of a sum of few is added up as quickly as it is chosen."""


def added(parts: list[UOp]) -> UOp:
    """The sum of one node or more, in order; what parts of an axis add, as a loop over x[0], x[1]
    and so on leaves it, is one node along the axis. The list keeps the sum alone."""
    if len(parts) >= FEWEST:
        parts[:] = _put_together(parts)
    parts[:] = [reduce(UOp.__add__, parts)]
    return parts[0]


def _put_together(parts: Sequence[UOp]) -> list[UOp]:
    """The parts with one in the place of those that do not overlap along an axis."""
    found: list[UOp] = []
    groups: dict[int, list[UOp]] = {}
    for part in parts:
        axis = _padded_axis(part)
        (found if axis is None else groups.setdefault(axis, [])).append(part)
    for axis, group in groups.items():
        for row in _rows(group, axis):
            found += [_along(row, axis)] if len(row) >= FEWEST else row
    return found


def _padded_axis(part: UOp) -> int | None:
    """The one axis that a PAD by numbers makes longer; None for other nodes."""
    if part.op is not Ops.PAD:
        return None
    axes = [axis for axis, pads in enumerate(part.arg) if pads != (0, 0)]
    shape = part.src[0].shape or ()
    numbers = [*shape, *(end for pads in part.arg for end in pads)]
    known = all(isinstance(number, int) for number in numbers)
    return axes[0] if len(axes) == 1 and known else None


def _rows(parts: Sequence[UOp], axis: int) -> list[list[UOp]]:
    """PADs in as few rows as there can be, in each row one behind the other."""
    rows: list[list[UOp]] = []
    ends: list[int] = []
    for part in sorted(parts, key=lambda p: int(p.arg[axis][0])):
        first = part.arg[axis][0]
        row = next((row for row, end in enumerate(ends) if end <= first), len(rows))
        if row == len(rows):
            rows.append([])
            ends.append(0)
        rows[row].append(part)
        ends[row] = first + part.src[0].max_shape[axis]
    return rows


def _along(row: Sequence[UOp], axis: int) -> UOp:
    """What PADs of a row pad, one behind the other, with zeros between."""
    shape, nodes, end = row[0].max_shape, [], 0
    for part in row:
        nodes += _zeros(part, axis, part.arg[axis][0] - end)
        nodes.append(part.src[0])
        end = part.arg[axis][0] + part.src[0].max_shape[axis]
    return node_joined([*nodes, *_zeros(row[0], axis, shape[axis] - end)], axis)


def _zeros(like: UOp, axis: int, size: int) -> list[UOp]:
    """So many zeros along the axis of a node, if any."""
    shape = like.max_shape
    zero = UOp.const(like.dtype, 0)
    return [node_broadcast_to(zero, (*shape[:axis], size, *shape[axis + 1 :]))] if size else []
