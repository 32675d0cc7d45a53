"""What is put near by: operands and images copied, results held, values kept.

Each of these choices puts something in memory of the work item, in the order in which it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
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
    neighbours. Of a symbolic range there is room for all that it may have. Raises UsageError if
    nothing is read along all of them.
    """
    names = ", ".join(f"r{axis.arg[0]}" for axis in axes)
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
