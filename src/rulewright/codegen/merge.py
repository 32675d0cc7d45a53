"""Neighbouring ranges made one; others cut where what is done along them changes."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from math import prod

from rulewright.codegen.apply import mergeable
from rulewright.codegen.axes import Axes
from rulewright.codegen.cuts import bounds, loops_inside
from rulewright.ir.linear import linear
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp


def merge_neighbours(axes: Axes) -> None:
    """Merge ranges that step memory as one, so that loops are long."""
    while pairs := _neighbours(axes):
        for outer, inner in pairs:
            axes.merge(outer.arg[0], inner.arg[0])
        axes.settle()


def _neighbours(axes: Axes) -> list[tuple[UOp, UOp]]:
    """Pairs of ranges that can be merged, none of them in two."""
    pairs: list[tuple[UOp, UOp]] = []
    taken: set[UOp] = set()
    for node in axes.ast.toposort():
        if node.op not in (Ops.END, Ops.REDUCE):
            continue
        for outer, inner in pairwise(node.src[1:]):
            if taken.isdisjoint((outer, inner)) and mergeable(axes.users(outer), outer, inner):
                pairs.append((outer, inner))
                taken.update((outer, inner))
    return pairs


MOST_PIECES = 256
"""Pieces that a range is cut into, at most."""
FEW_PIECES, MANY_PIECES = 4, 5
"""Pieces that a range is worth cutting into, if they are large ones, and however small they are: of
fewer, conditions are cheap."""
LEAST_SHARE = 16
"""The part of the range that each of large pieces is, at least: one of so many."""


def cut_pieces(axes: Axes) -> None:
    """Cut the stored range of most pieces of a kernel that reduces nothing, if they are many, or a
    few large ones, or if what they read lies along different ranges."""
    order = axes.ast.toposort()
    if all(n.op is not Ops.CMPLT for n in order) or any(n.op is Ops.REDUCE for n in order):
        return
    stored = dict.fromkeys(r for node in order if node.op is Ops.END for r in node.src[1:])
    cuts = {r: bounds(axes.ast, r) for r in stored if r.arg[1] == "loop"}
    axis = max(cuts, key=lambda r: len(cuts[r]), default=None)
    count = 0 if axis is None else len(cuts[axis]) + 1
    if axis is None or not 1 < count <= MOST_PIECES:
        return
    size = int(axis.size)
    least = min(last - first for first, last in pairwise([0, *cuts[axis], size]))
    inside = prod(int(r.vmax) + 1 for r in loops_inside(axes.ast, axis)) // size
    large = least * inside >= LEAST_PART and least * LEAST_SHARE >= size
    if count >= MANY_PIECES or (large and (count >= FEW_PIECES or _lie_apart(order))):
        axes.pieces(axis.arg[0])


def _lie_apart(order: list[UOp]) -> bool:
    """Whether neighbours in one memory that is read are along another range than in the next."""
    near: set[UOp] = set()
    for node in order:
        if node.op is Ops.INDEX and node.src[0].op is Ops.PARAM:
            place = node.src[1].src[1] if node.src[1].op is Ops.WHERE else node.src[1]
            form = linear(place)
            near.update(r for r in place.ranges if form.stride(r) == 1)
    return len(near) > 1


LEAST_PART = 16
"""Elements of a part that is stored side by side, at least: whole vectors."""


def split_groups(axes: Axes) -> None:
    """Cut stored ranges of which something that is read knows the group alone, or a copy's that
    repeats parts.

    The channels of a convolution in groups are one range, and those that a result adds up are those
    of its group: within a group all results share them.
    """
    order = axes.ast.toposort()
    if not any(map(_divides, order)):
        return
    cuts = {r: count for r in _around(order) if (count := _part(order, r, {Ops.FLOORDIV}))}
    for axis in _copied(order):
        count = _part(order, axis, Ops.group("FloorDivision"))
        if count >= LEAST_PART:
            cuts[axis] = count
    for axis, count in cuts.items():
        axes.split(axis.arg[0], count)
    if cuts:
        axes.settle()


def split_digits(axes: Axes) -> None:
    """Split the stored range of neighbours that sums know by the digits of its number alone.

    A product or convolution whose result is stored as fewer axes than it has is done along its own.
    """
    order = axes.ast.toposort()
    places = [linear(n.src[0].src[1]) for n in order if n.op is Ops.STORE]
    ids = dict.fromkeys(r.arg[0] for form in places for r in form.strides if form.stride(r) == 1)
    for id in ids:
        while count := _digit(axes.ast.toposort(), id):
            id, _ = axes.split(id, count)
            axes.settle()


def _digit(order: list[UOp], id: int) -> int:
    """How many of a range are a part, if sums read by parts and places in them alone; or else 0."""
    inside = dict.fromkeys(n for s in order if s.op is Ops.REDUCE for n in s.src[0].toposort())
    users = [n for n in inside if any(s.op is Ops.RANGE and s.arg[0] == id for s in n.src)]
    if not users or not all(map(_divides, users)):
        return 0
    counts, size = [int(n.src[1].arg) for n in users], users[0].src[0].size
    count = min(counts)
    is_even = isinstance(size, int) and not any(n % count for n in (*counts, size))
    return count if is_even and count < size else 0


def _around(order: list[UOp]) -> list[UOp]:
    """The ranges around reductions along which results are no neighbours, which vectors are of."""
    around = dict.fromkeys(r for n in order if n.op is Ops.REDUCE for r in n.ranges)
    places = [linear(n.src[0].src[1]) for n in order if n.op is Ops.STORE]
    far = [r for r in around if all(form.stride(r) != 1 for form in places)]
    return [r for r in far if isinstance(r.size, int)]


def _copied(order: list[UOp]) -> list[UOp]:
    """The ranges of stores of a kernel that reduces nothing."""
    if any(n.op is Ops.REDUCE for n in order):
        return []
    stored = dict.fromkeys(r for n in order if n.op is Ops.END for r in n.src[1:])
    return [r for r in stored if isinstance(r.size, int)]


def _part(order: list[UOp], axis: UOp, ops: Collection[Op]) -> int:
    """The size of the parts of a range; 0 if nothing is read by its part, or place in it, alone."""
    sizes: set[int] = set()
    for node in order:
        if node.op is Ops.INDEX and axis in node.ranges:
            users = [n for n in node.src[1].toposort() if axis in n.src]
            counts = {n.src[1].arg for n in users if n.op in ops and _divides(n)}
            if len(counts) == 1 and all(n.op in ops and _divides(n) for n in users):
                sizes |= counts
    count = sizes.pop() if len(sizes) == 1 else 0
    return count if count and int(axis.size) % count == 0 and count < int(axis.size) else 0


def _divides(node: UOp) -> bool:
    """Whether a node is a range by a number, or what is left of it."""
    of = tuple(s.op for s in node.src)
    return "FloorDivision" in node.op.groups and of == (Ops.RANGE, Ops.CONST)
