"""Images copied near by before windows slide over them.

A convolution reads an element of an image for each position of the window that it is in, tests
each time whether the image has it, and with steps its neighbours lie apart. With `slide` the part
of the image under a tile of results is copied once, with zeros around it, and windows are read
from there; with `roll` its rows lie one behind the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_
from typing import NamedTuple

from rulewright.codegen.copies import packed_values, unclamped
from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp


class Window(NamedTuple):
    """Results along `place` and positions along `window` read element place*step + window*gap."""

    place: UOp
    window: UOp
    step: int
    gap: int

    @property
    def size(self) -> int:
        """Elements under all of the windows."""
        return int(self.place.vmax) * self.step + int(self.window.vmax) * self.gap + 1

    @property
    def next(self) -> int:
        """How many places further on begins the step that ends under the window of a place."""
        return int(self.window.vmax) * self.gap // self.step

    @property
    def overlaps(self) -> bool:
        """Whether windows have elements in common, and there are more places than positions."""
        places, reach = int(self.place.vmax), int(self.window.vmax) * self.gap
        wide = places >= int(self.window.vmax) and self.gap <= places * self.step
        return wide and reach >= self.step


def slide(sink: UOp, axes: Sequence[UOp], ids: Sequence[int], clamped: Mapping[UOp, UOp]) -> UOp:
    """`sink` with what is read along all of `axes` staged over new ranges of these ids.

    The axes of windows are pairs, a stored range and after it a reduced one; each pair has one id.
    The copy is row-major in the order of the axes. Where padding repeats the last place (`clamped`:
    that index, and the one without padding) the copy has zeros. Raises UsageError if nothing is
    read along all of them in windows.
    """
    groups = grouped(sink, axes, len(ids))
    changes: dict[UOp, UOp] = {}
    for value, each in _in_windows(sink, axes, groups, clamped).items():
        of = {w.place: w for w in each}
        sizes = [of[g[0]].size if len(g) > 1 else g[0].size for g in groups]
        fills = [UOp.range(size, id, "loop") for size, id in zip(sizes, ids, strict=True)]
        own = _copied(value, each, groups, fills, clamped)
        places = [_element(group, each) for group in groups]
        changes[value] = UOp(Ops.STAGE, value.dtype, (own, *fills), "reg").index(*places)
    return sink.substitute(changes)


def _in_windows(
    sink: UOp, axes: Sequence[UOp], groups: Sequence[tuple[UOp, ...]], clamped: Mapping[UOp, UOp]
) -> dict[UOp, list[Window]]:
    """What is read along all of `axes`, in these windows."""
    pairs = [(group[0], group[1]) for group in groups if len(group) > 1]
    values = packed_values(sink, axes) if pairs else []
    read = {value: windows(value, pairs, clamped) for value in values}
    if not read or not all(read.values()):
        names = ", ".join(f"r{axis.arg[0]}" for axis in axes)
        raise UsageError(f"axis choices: nothing is read in windows along {names}")
    return read


def _element(group: tuple[UOp, ...], each: Sequence[Window]) -> UOp:
    """The element that is read along a group of axes."""
    for w in each:
        if w.place is group[0]:
            return w.place * w.step + w.window * w.gap
    return group[0]


def _copied(
    value: UOp, each: Sequence[Window], groups: Sequence[tuple[UOp, ...]], fills: Sequence[UOp],
    clamped: Mapping[UOp, UOp],
) -> UOp:  # fmt: skip
    """The value as one element for each of `fills`, of which each group of axes has one."""
    slid = {window.place for window in each}
    others = {n: plain for n, plain in clamped.items() if slid.isdisjoint(n.ranges)}
    of = {group[0]: fill for group, fill in zip(groups, fills, strict=True)}
    swap = {axis: fill for axis, fill in of.items() if axis not in slid}
    bare = unclamped(value, others, list(swap))
    along = [of[w.place] for w in each]
    return _elements(bare, each, along, clamped).substitute(swap)


def roll(
    sink: UOp, axes: Sequence[UOp], ids: Sequence[int], clamped: Mapping[UOp, UOp], count: int = 0
) -> UOp:
    """The same, but the rows of the last two groups lie one behind the other in one range, as long
    as rows of places are, so that neighbours among all places read neighbours.

    Where windows go on by several elements, those that lie so far apart are neighbours, and each
    position in a step has such rows of its own, behind those of the one before. A window that goes
    beyond the end of a row goes on in the next one: what it computes at places that padding added
    counts for nothing, and for others both have to be the same, such as zeros around an image. Rows
    of each position go on to `count`, if that is more, by repeating what is last.
    """
    names = ", ".join(f"r{axis.arg[0]}" for axis in axes)
    groups = grouped(sink, axes, len(ids) + 1)
    changes: dict[UOp, UOp] = {}
    for value, each in _in_windows(sink, axes, groups, clamped).items():
        if len(groups) < 2:
            raise UsageError(f"axis choices: roll({names}) needs rows and columns")
        of, length = {w.place: w for w in each}, int(groups[-1][0].size)
        down, across = (of.get(group[0]) for group in groups[-2:])
        row, column = (
            UOp.range(group[0].size if window is None else window.size, id, "loop")
            for group, window, id in zip(groups[-2:], (down, across), (-1, -2), strict=True)
        )
        fills = [UOp.range(g[0].size, id, "loop") for g, id in zip(groups[:-2], ids, strict=False)]
        own = _copied(value, each, groups, [*fills, row, column], clamped)
        last = _last_place(groups[-1][0], clamped)
        if across and not _goes_on(own, column, [row], across, last, length):
            raise UsageError(
                f"axis choices: roll({names}): what windows read beyond the end of a row of "
                f"{length} is not what the next one begins with; make it {last + across.next + 1}"
            )
        line, of_rows, rows = _in_steps(groups[-2], down)
        place, of_columns, columns = _in_steps(groups[-1], across)
        whole = line * length + place
        size = -(-max(int(whole.vmax) + 1, count) // length) * length
        flat = UOp.range(rows * columns * size, ids[-1], "loop")
        position, line = flat // size, flat % size // length
        swap = {
            row: line * rows + position // columns,
            column: flat % length * columns + position % columns,
        }
        swap = {a: n.alu(Ops.MIN, UOp.index_const(int(a.vmax))) for a, n in swap.items()}
        near = UOp(Ops.STAGE, value.dtype, (own.substitute(swap), *fills, flat), "reg")
        whole = (of_rows * columns + of_columns) * size + whole
        changes[value] = near.index(*(_element(g, each) for g in groups[:-2]), whole)
    return sink.substitute(changes)


def _in_steps(group: tuple[UOp, ...], window: Window | None) -> tuple[UOp, UOp, int]:
    """The step of windows that an element is in, its position there, and how long steps are."""
    if window is None:
        return group[0], UOp.index_const(0), 1
    reach = window.window * window.gap
    return window.place + reach // window.step, reach % window.step, window.step


def _last_place(place: UOp, clamped: Mapping[UOp, UOp]) -> int:
    """The last of some places that counts: padding adds others."""
    ends = (int(highest.src[1].arg) for highest, plain in clamped.items() if plain is place)
    return min(ends, default=int(place.vmax))


def _goes_on(
    own: UOp, column: UOp, rows: Sequence[UOp], across: Window, last: int, length: int
) -> bool:
    """Whether elements that windows of places up to a last one read beyond rows of a length are
    those that all rows begin with."""
    reaches = range(0, int(across.window.vmax) * across.gap + 1, across.gap)
    farthest = {reach % across.step: reach // across.step for reach in reaches}  # the last of each
    for position, step in farthest.items():
        for place in range(length, last + step + 1):
            both = (n * across.step + position for n in (place, place - length))
            elements = (own.substitute({column: UOp.index_const(n)}) for n in both)
            beyond, first = (rewrite(element, "symbolic") for element in elements)
            if beyond is not first or not set(rows).isdisjoint(first.ranges):
                return False
    return True


def row_length(values: Sequence[UOp], across: Window, rows: Sequence[UOp]) -> int:
    """How long rows are at least that can lie one behind the other, of what windows across them
    read; they go along these ranges."""
    last = int(across.place.vmax)
    column = UOp.range(across.size, -2, "loop")
    each = [_elements(value, [across], [column], {}) for value in values]
    for length in range(last + 1, last + across.next + 1):
        if all(_goes_on(own, column, rows, across, last, length) for own in each):
            return length
    return last + across.next + 1


def grouped(sink: UOp, axes: Sequence[UOp], count: int) -> list[tuple[UOp, ...]]:
    """So many groups of the axes: pairs of a stored and then a reduced one, the last ones where
    more could be, and single axes. Empty if there are too few such pairs."""
    reduced = {a for n in sink.toposort() if n.op is Ops.REDUCE for a in n.src[1:]}
    groups: list[tuple[UOp, ...]] = []
    missing, last = len(axes) - count, len(axes)
    while last:
        is_pair = last > 1 and axes[last - 1] in reduced and axes[last - 2] not in reduced
        size = 2 if is_pair and missing > 0 else 1
        groups.insert(0, tuple(axes[last - size : last]))
        missing, last = missing - size + 1, last - size
    return [] if missing else groups


def windows(
    value: UOp,
    pairs: Sequence[tuple[UOp, UOp]],
    clamped: Mapping[UOp, UOp],
    overlapping: bool = False,
) -> list[Window]:
    """How a value is read along pairs of a stored and a reduced range; empty if not in windows.

    Nor, if only `overlapping` ones are wanted, in others.
    """
    clamps = [n for n in value.toposort() if n in clamped]
    if any(sum(place in n.ranges for place, _ in pairs) > 1 for n in clamps):
        return []  # where a range ends that is in several places, no one of them says
    bare = value.substitute({n: clamped[n] for n in clamps})
    by_pair = [_window(bare, place, window, overlapping) for place, window in pairs]
    return [w for w in by_pair if w is not None] if None not in by_pair else []


def _window(value: UOp, place: UOp, window: UOp, overlapping: bool) -> Window | None:
    """Whether a value depends on two ranges by place * step + window * gap alone."""
    read = next((n for n in value.toposort() if n.op is Ops.INDEX and window in n.ranges), None)
    if read is None or not isinstance(place.size, int) or not isinstance(window.size, int):
        return None
    index, *others = (index for index in read.src[1:] if window in index.ranges)
    if others:  # a copy near by, in which a place is several numbers
        return None
    form = linear(index.src[1] if index.op is Ops.WHERE else index)
    step, gap = form.stride(place), form.stride(window)
    if not step or not gap or (step % gap and gap % step):
        return None
    step, gap = (step // gap, 1) if step % gap == 0 else (1, gap // step)
    reading = Window(place, window, step, gap)
    if step < 0 or gap < 0 or (overlapping and not reading.overlaps):
        return None
    memo: dict[UOp, UOp] = {}
    moved = [value.substitute({place: place + gap}), value.substitute({window: window + step})]
    return reading if len({rewrite(m, "symbolic", memo=memo) for m in moved}) == 1 else None


def _elements(
    value: UOp, each: Sequence[Window], fills: Sequence[UOp], clamped: Mapping[UOp, UOp]
) -> UOp:
    """The value as it is read by windows, one element for each of `fills`."""
    order = value.toposort()
    swap: dict[UOp, UOp] = {}
    gates: dict[UOp, UOp] = {}
    zero = UOp.index_const(0)
    for w, fill in zip(each, fills, strict=True):
        swap |= {w.place: fill, w.window: zero} if w.step == 1 else {w.place: zero, w.window: fill}
        for n in (n for n in order if n in clamped and w.place in n.ranges):
            first = clamped[n].substitute({w.place: zero})
            many = linear(clamped[n]).stride(w.place) or 0  # of what is padded, for one place
            most = n.src[1].arg * w.step + (int(w.window.size) - 1) * w.gap * many
            gates[n] = first * w.step + fill * many <= UOp.index_const(most)
    changes: dict[UOp, UOp] = {n: clamped[n].substitute(swap) for n in gates}
    changes |= swap
    for node in order:
        mine = [n for n in gates if node.op is Ops.INDEX and n in node.src[1].toposort()]
        if mine:
            inside = reduce(and_, [gates[n] for n in mine])
            index = inside.where(node.src[1].substitute(changes), UOp(Ops.INVALID, dtypes.index))
            changes[node] = UOp(Ops.INDEX, node.dtype, (node.src[0], index))
    return rewrite(value.substitute(changes), "symbolic")
