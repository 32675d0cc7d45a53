"""What lanes hold of matrices that a workgroup has copied, read as small matrices all at once.

Some targets let the lanes of a warp read small matrices together: each lane names a row in memory
of the workgroup, and gets the elements that a layout says (`text fragment_16` for elements of 16
bits, `fragment_8` for bytes). An operand of a tensor core is read so if its own layout is made of
that one: the same bits of a lane, and the first of an element; each other bit of an element says
which of the small matrices it is in. Those of two neighbouring tiles are read at once where the
target reads as many.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import Any

from rulewright.codegen.replicate import is_multiple
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.lang.layouts import Bit, Layout, read_small_layout


def small_layout(itemsize: int, target: Any) -> tuple[str, Layout] | None:
    """How lanes get elements of so many bytes of a small matrix, as text and read; None if they do
    not."""
    text = target.row["texts"].get(f"fragment_{8 * itemsize}")
    return None if text is None else (text, read_small_layout(text))


def can_turn(itemsize: int, target: Any) -> bool:
    """Whether rows and columns of small matrices can change places: there are as many."""
    small = small_layout(itemsize, target)
    return small is not None and small[1].size("m") == small[1].size("k")


def loaded_fragment(
    value: UOp, layout: Layout, axes: Mapping[UOp, str], lane: UOp, target: Any
) -> UOp | None:
    """What a lane has of a matrix, with these axes, as small matrices; None if it has to be read
    element by element: it is no copy in memory of the workgroup, or its rows do not lie so."""
    small = None if target is None else small_layout(value.dtype.itemsize, target)
    if small is None or value.op is not Ops.INDEX:
        return None
    memory, index = value.src
    if memory.base.op is not Ops.DEFINE_LOCAL:
        return None
    text, (side, columns) = small[0], (small[1].size(axis) for axis in "mk")
    ranges = {name: axis for axis, name in axes.items()}
    for row, column in permutations(ranges):
        rest = _beyond(small[1], layout, {row: side, column: columns})
        if rest is None:
            continue
        count, turned = 1 << len(rest), not _lies_along(index, ranges[column], columns)
        if turned and not (columns == side and _lies_along(index, ranges[row], side)):
            return None
        first = {name: _begin(rest, name, lane, side) for name in (row, column)}
        along = column if turned else row
        first[along] = first[along] + lane % side
        begin = rewrite(index.substitute({ranges[n]: at for n, at in first.items()}), "symbolic")
        text = text.translate(_TURNED) if turned else text
        if not target.has_text(target.fragment_load(text, count)) or not is_multiple(
            begin, columns
        ):
            return None
        rows = UOp(Ops.INDEX, value.dtype.vec(columns), (memory, begin))
        return UOp(Ops.FRAGMENT, value.dtype.vec(layout.items), (rows, lane), (text, count))
    return None


_TURNED = str.maketrans("mk", "km")


def paired(whole: UOp, tile: UOp, half: UOp, target: Any) -> UOp | None:
    """The small matrices of two neighbouring rounds of a loop, in the round `half` of half as many;
    None where they are not read at once."""
    (rows, lane), (text, count) = whole.src, whole.arg
    if not target.has_text(target.fragment_load(text, 2 * count)):
        return None
    side = read_small_layout(text).size("m")
    both = rows.substitute({tile: half * 2 + lane // (side * count) % 2})
    vector = whole.dtype.scalar.vec(2 * whole.dtype.count)
    return UOp(Ops.FRAGMENT, vector, (both, lane), (text, 2 * count))


def _lies_along(index: UOp, axis: UOp, columns: int) -> bool:
    """Whether the elements of each row of a small matrix along an axis lie beside each other."""
    size = int(axis.vmax) + 1
    outer, inner = UOp.range(max(1, size // columns), -1), UOp.range(columns, -2)
    each = index.substitute({axis: outer * columns + inner})
    return size % columns == 0 and linear(rewrite(each, "symbolic")).stride(inner) == 1


def _beyond(small: Layout, layout: Layout, sizes: Mapping[str, int]) -> tuple[Bit, ...] | None:
    """The bits of an element behind those of a small matrix with rows and columns of these sizes,
    which count such matrices; None if the layout is not made of it."""
    names = dict(zip("mk", sizes, strict=True))
    lane, item = (
        tuple((names[name], step) for name, step in bits) for bits in (small.lane, small.item)
    )
    rest = layout.item[len(item) :]
    fits = layout.lane == lane and layout.item[: len(item)] == item
    return rest if fits and all(step % sizes[name] == 0 for name, step in rest) else None


def _begin(rest: tuple[Bit, ...], axis: str, lane: UOp, side: int) -> UOp:
    """Where along an axis the small matrix begins, of so many rows, of which a lane names one."""
    begin = UOp.index_const(0)
    for at, (name, step) in enumerate(rest):
        if name == axis:
            begin = begin + lane // (side << at) % 2 * step
    return begin
