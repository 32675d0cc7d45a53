"""What is put near by: operands and images copied, results held, values kept.

Each of these choices puts something in memory of the work item, in the order in which it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from math import prod
from operator import and_
from typing import NamedTuple

from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp

# ---- pack ----------------------------------------------------------------------------------------
#
# Operands copied near by before the loops that read them again and again.
#
# A matrix product reads a panel of columns for every row. With `pack` the panel is copied once into
# memory of the work item, in the order in which it is read: whatever it was computed from, the
# inner loop then reads neighbours, without gates and conversions.


def pack(sink: UOp, axes: Sequence[UOp], ids: Sequence[int], clamped: Mapping[UOp, UOp]) -> UOp:
    """`sink` with what is read along all of `axes` staged over new ranges of these ids.

    The copy is row-major in the order of the axes. Where padding repeats the last value (`clamped`:
    that index, and the one without padding) the copy has zeros, for which neighbours are read as
    neighbours. Raises UsageError if nothing is read along all of them, or if a size is symbolic.
    """
    names = ", ".join(f"r{axis.arg[0]}" for axis in axes)
    if not all(isinstance(axis.size, int) for axis in axes):
        raise UsageError(f"axis choices: pack({names}) needs ranges of known sizes")
    values = packed_values(sink, axes)
    if not values:
        raise UsageError(f"axis choices: nothing that is read again depends on all of {names}")
    if len({frozenset(value.ranges) for value in values}) > 1:
        raise UsageError(
            f"axis choices: what depends on {names} is in different loops; name more of them"
        )
    fills = [UOp.range(axis.size, id, "loop") for axis, id in zip(axes, ids, strict=True)]
    swap = dict(zip(axes, fills, strict=True))
    changes: dict[UOp, UOp] = {}
    for value in values:
        own = unclamped(value, clamped, axes).substitute(swap)
        near = UOp(Ops.STAGE, value.dtype, (own, *fills), "reg")
        changes[value] = near.index(*axes)
    return sink.substitute(changes)


def unclamped(value: UOp, clamped: Mapping[UOp, UOp], axes: Sequence[UOp]) -> UOp:
    """A value whose reads beyond a padded range do not happen, of those that are among `axes`."""
    clamps = [n for n in value.toposort() if n in clamped and not set(axes).isdisjoint(n.ranges)]
    plain = {n: clamped[n] for n in clamps}
    changes: dict[UOp, UOp] = dict(plain)
    for node in value.toposort():
        if node.op is not Ops.INDEX:
            continue
        if node.src[0].op is Ops.STAGE:
            changes |= _grown(node, [p.substitute(plain) for p in node.src[1:]])
            continue
        mine = [n for n in clamps if n in node.src[1].toposort()]
        if mine:
            index, inside = node.src[1].substitute(plain), None
            for n in mine:
                within = clamped[n] <= n.src[1]
                inside = within if inside is None else inside & within
            assert inside is not None
            gated = inside.where(index, UOp(Ops.INVALID, index.dtype))
            changes[node] = UOp(Ops.INDEX, node.dtype, (node.src[0], gated))
    return value.substitute(changes) if clamps else value


def _grown(node: UOp, places: Sequence[UOp]) -> dict[UOp, UOp]:
    """What an INDEX of a copy near by becomes if it reads these places, and the copy goes on as far
    by repeating what is last; nothing if they are those that it reads."""
    stage = node.src[0]
    value, *fills = stage.src
    if tuple(places) == node.src[1:]:
        return {}
    for k, (fill, place) in enumerate(zip(fills, places, strict=True)):
        if int(place.vmax) > int(fill.vmax):
            fills[k] = UOp.range(int(place.vmax) + 1, *fill.arg)
            value = value.substitute({fill: fills[k].alu(Ops.MIN, UOp.index_const(int(fill.vmax)))})
    longer = UOp(Ops.STAGE, stage.dtype, (value, *fills), stage.arg)
    return {node: longer.index(*places)}


def packed_values(sink: UOp, axes: Sequence[UOp]) -> list[UOp]:
    """The largest parts of reduced values that depend on all of `axes`, but not on all ranges.

    So they are the same along some other range, along which they are read again.
    """
    values: dict[UOp, None] = {}
    for reduction in sink.toposort():
        if reduction.op is not Ops.REDUCE:
            continue
        body = reduction.src[0]
        stack, seen = [body], {body}
        while stack:
            node = stack.pop()
            if node.dtype is dtypes.index or not set(axes) <= set(node.ranges):
                continue
            if set(node.ranges) != set(body.ranges) and node.op is not Ops.AFTER:
                values[node] = None
            elif node.op not in (Ops.INDEX, Ops.REDUCE):
                fresh = [s for s in node.src if s not in seen]
                stack += fresh
                seen.update(fresh)
    return list(values)


# ---- slide ---------------------------------------------------------------------------------------
#
# Images copied near by before windows slide over them.
#
# A convolution reads an element of an image for each position of the window that it is in, tests
# each time whether the image has it, and with steps its neighbours lie apart. With `slide` the part
# of the image under a tile of results is copied once, with zeros around it, and windows are read
# from there.


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
    for reach in range(0, int(across.window.vmax) * across.gap + 1, across.gap):
        step, position = divmod(reach, across.step)
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


# ---- hold ----------------------------------------------------------------------------------------
#
# Results of reductions put near by before they are stored.
#
# A tile of results is computed in the order that suits its reduction, and stored in the order that
# suits memory: with `hold` these are two nests of loops, with the tile in memory between them.


def hold(sink: UOp, axes: Sequence[UOp], ids: Sequence[int], count: int = 0) -> UOp:
    """`sink` with reductions along all of these axes staged over two ranges of these ids.

    One has the size of the first axis, the other is flat over the others, and goes on to `count` if
    that is more: copies near by, which it reads, go on with it, by repeating what is last. Raises
    UsageError if no reduction depends on all of them, or if a size is symbolic.
    """
    first, *others = axes
    names = ", ".join(f"r{axis.arg[0]}" for axis in axes)
    sizes = [axis.size for axis in axes]
    if not all(isinstance(size, int) for size in sizes) or not others:
        raise UsageError(f"axis choices: hold({names}) needs two or more ranges of known sizes")
    reductions = [n for n in sink.toposort() if n.op is Ops.REDUCE and set(axes) <= set(n.ranges)]
    if not reductions:
        raise UsageError(f"axis choices: no reduction depends on all of {names}")
    size = prod(int(size) for size in sizes[1:])
    if count and count < size:
        raise UsageError(f"axis choices: hold({names}, {count}) needs {size} or more")
    each = UOp.range(first.size, ids[0], "loop")
    flat = UOp.range(max(size, count), ids[1], "loop")
    swap, place, rest = {first: each}, UOp.index_const(0), flat
    for axis in reversed(others):
        length = int(axis.size)
        swap[axis] = rest if axis is others[0] else rest % length
        rest = rest // length
    for axis in others:
        place = axis if axis is others[0] else place * int(axis.size) + axis
    swap |= _going_on(reductions, others[0], swap, int(flat.size) * int(others[0].size), size)
    changes = {}
    for node in reductions:
        own = rewrite(node.substitute(swap), "symbolic")
        changes[node] = UOp(Ops.STAGE, node.dtype, (own, each, flat), "reg").index(first, place)
    return sink.substitute(changes)


def _going_on(
    reductions: Sequence[UOp], axis: UOp, swap: Mapping[UOp, UOp], count: int, size: int
) -> dict[UOp, UOp]:
    """What `axis`, and elements of copies along it, become where it goes on to count / size."""
    more = -(-count // size) - int(axis.size)
    if not more:
        return {}
    last = UOp.index_const(int(axis.size) - 1)
    changes = {axis: swap[axis].alu(Ops.MIN, last)}
    for node in UOp.sink(*reductions).toposort():
        places = node.src[1:] if node.op is Ops.INDEX and node.src[0].op is Ops.STAGE else ()
        if sum(axis in place.ranges for place in places) == 1:
            moved = (place.substitute(dict(swap)) for place in places)
            changes |= _grown(node, [rewrite(place, "symbolic") for place in moved])
    return changes


# ---- keep ----------------------------------------------------------------------------------------
#
# Values that a kernel needs twice, kept in memory near by instead of computed again.
#
# A softmax sums exponentials along a row and then divides each of them: with `keep` they are
# computed once, in a loop of their own, into memory that holds one row.


COSTLY = Ops.group("Transcendental")
"""Ops that cost more than a write and two reads."""


def keep(sink: UOp, reduced: UOp, stored: UOp, id: int) -> UOp:
    """`sink` with what is computed along both axes staged over a new range r{id}.

    Raises UsageError if there is nothing to keep.
    """
    kept = kept_values(sink, reduced, stored)
    if not kept:
        raise UsageError(
            f"axis choices: nothing costly is computed along both r{reduced.arg[0]} and "
            f"r{stored.arg[0]}"
        )
    fill = UOp.range(stored.size, id, "loop")
    changes: dict[UOp, UOp] = {}
    together = UOp.sink(*kept)
    filled = together.substitute({stored: fill}).src
    twins = together.substitute({stored: reduced}).src
    for node, value, twin in zip(kept, filled, twins, strict=True):
        row = UOp(Ops.STAGE, node.dtype, (value, fill), "reg")
        changes[node] = row.index(stored)
        changes[twin] = row.index(reduced)
    return sink.substitute(changes)


def apart(sink: UOp, axes: Sequence[UOp], id: int) -> UOp:
    """`sink` with what is reduced along the one axis computed before, near by, over a range r{id}.

    Raises UsageError if nothing is reduced along it alone, for several axes or an unknown size.
    """
    reduced = axes[0]
    if len(axes) > 1 or not isinstance(reduced.size, int):
        raise UsageError("axis choices: apart takes one range of known size")
    fill = UOp.range(reduced.size, id, "loop")
    changes: dict[UOp, UOp] = {}
    for node in sink.toposort():
        if node.op is Ops.REDUCE and node.src[1:] == (reduced,) and reduced in node.src[0].ranges:
            value = node.src[0].substitute({reduced: fill})
            row = UOp(Ops.STAGE, value.dtype, (value, fill), "reg")
            changes[node] = row.index(reduced).reduce(node.arg, reduced)
    inside = [n for node in changes for n in node.src[0].toposort()]
    if not changes or any(n.op is Ops.REDUCE and reduced in n.src[1:] for n in inside):
        raise UsageError(f"axis choices: no single value is reduced along r{reduced.arg[0]} alone")
    return sink.substitute(changes)


def kept_values(sink: UOp, reduced: UOp, stored: UOp) -> list[UOp]:
    """The largest costly values along `stored` that a reduction computes along `reduced` too."""
    if reduced.size != stored.size:
        return []
    sums = [n for n in sink.toposort() if n.op is Ops.REDUCE and reduced in n.src[1:]]
    inside = {node for each in sums for node in each.src[0].toposort()}
    values = [end.src[0].src[1] for end in sink.src if stored in end.src[1:]]
    wanted = _costly_twins(values, stored, reduced)
    largest: dict[UOp, None] = {}
    seen: set[UOp] = set()
    stack = values
    while stack:
        node = stack.pop()
        if node in seen or stored not in node.ranges:
            continue
        seen.add(node)
        if wanted.get(node) in inside:
            largest[node] = None
        elif node.op is not Ops.INDEX:
            stack += node.src
    return list(largest)


def _costly_twins(values: list[UOp], stored: UOp, reduced: UOp) -> dict[UOp, UOp]:
    """What computes something costly along `stored`, and the same along `reduced`."""
    twins: dict[UOp, UOp] = {stored: reduced}
    rebuild(UOp.sink(*values), memo=twins)
    costly: dict[UOp, None] = {}
    for node in twins:
        here = node.op in COSTLY and stored in node.ranges
        if here or any(s in costly for s in node.src):
            costly[node] = None
    return {node: twins[node] for node in costly}
