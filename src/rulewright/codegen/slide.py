"""Images copied near by before windows slide over them.

A convolution reads an element of an image for each position of the window that it is in, tests each
time whether the image has it, and with steps its neighbours lie apart. With `slide` the part of the
image under a tile of results is copied once, with zeros around it, and windows are read from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rulewright.codegen.linear import linear
from rulewright.codegen.pack import packed_values, unclamped
from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
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
    names = ", ".join(f"r{axis.arg[0]}" for axis in axes)
    groups = grouped(sink, axes, len(ids))
    pairs = [(group[0], group[1]) for group in groups if len(group) > 1]
    values = packed_values(sink, axes) if pairs else []
    read = [(value, windows(value, pairs, clamped)) for value in values]
    if not read or not all(each for _, each in read):
        raise UsageError(f"axis choices: nothing is read in windows along {names}")
    changes: dict[UOp, UOp] = {}
    for value, each in read:
        fills, places = [], []
        swap: dict[UOp, UOp] = {}
        along: list[UOp] = []
        left = iter(each)
        for group, id in zip(groups, ids, strict=True):
            window = next(left) if len(group) > 1 else None
            fill = UOp.range(group[0].size if window is None else window.size, id, "loop")
            fills.append(fill)
            if window is None:
                swap[group[0]] = fill
                places.append(group[0])
            else:
                along.append(fill)
                places.append(window.place * window.step + window.window * window.gap)
        bare = unclamped(value, clamped, list(swap))
        own = _elements(bare, each, along, clamped).substitute(swap)
        changes[value] = UOp(Ops.STAGE, value.dtype, (own, *fills), "reg").index(*places)
    return sink.substitute(changes)


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
    bare = value.substitute({n: clamped[n] for n in value.toposort() if n in clamped})
    found = [_window(bare, place, window, overlapping) for place, window in pairs]
    return [w for w in found if w is not None] if None not in found else []


def _window(value: UOp, place: UOp, window: UOp, overlapping: bool) -> Window | None:
    """Whether a value depends on two ranges by place * step + window * gap alone."""
    read = next((n for n in value.toposort() if n.op is Ops.INDEX and window in n.ranges), None)
    if read is None or not isinstance(place.size, int) or not isinstance(window.size, int):
        return None
    gated = read.src[1].op is Ops.WHERE
    form = linear(read.src[1].src[1] if gated else read.src[1])
    step, gap = form.stride(place), form.stride(window)
    if not step or not gap or (step % gap and gap % step):
        return None
    step, gap = (step // gap, 1) if step % gap == 0 else (1, gap // step)
    found = Window(place, window, step, gap)
    if step < 0 or gap < 0 or (overlapping and not found.overlaps):
        return None
    memo: dict[UOp, UOp] = {}
    moved = [value.substitute({place: place + gap}), value.substitute({window: window + step})]
    return found if len({rewrite(m, "symbolic", memo=memo) for m in moved}) == 1 else None


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
            most = n.src[1].arg * w.step + (int(w.window.size) - 1) * w.gap
            gates[n] = first * w.step + fill <= UOp.index_const(most)
    changes: dict[UOp, UOp] = {n: clamped[n].substitute(swap) for n in gates}
    changes |= swap
    for node in order:
        mine = [n for n in gates if node.op is Ops.INDEX and n in node.src[1].toposort()]
        if mine:
            inside = gates[mine[0]]
            for n in mine[1:]:
                inside = inside & gates[n]
            index = inside.where(node.src[1].substitute(changes), UOp(Ops.INVALID, dtypes.index))
            changes[node] = UOp(Ops.INDEX, node.dtype, (node.src[0], index))
    return rewrite(value.substitute(changes), "symbolic")
