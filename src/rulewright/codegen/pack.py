"""Operands copied near by before the loops that read them again and again.

A matrix product reads a panel of columns for every row. With `pack` the panel is copied once into
memory of the work item, in the order in which it is read: whatever it was computed from, the inner
loop then reads neighbours, without gates and conversions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def pack(sink: UOp, axes: Sequence[UOp], ids: Sequence[int], clamped: Mapping[UOp, UOp]) -> UOp:
    """`sink` with what is read along all of `axes` staged over new ranges of these ids.

    The copy is row-major in the order of the axes. Where padding repeats the last value (`clamped`:
    that index, and the one without padding) the copy has zeros, for which neighbours are read as
    neighbours. Raises UsageError if nothing is read along all of them, or if a size is symbolic.
    """
    names = ", ".join(f"r{axis.arg[0]}" for axis in axes)
    if not all(isinstance(axis.size, int) for axis in axes):
        raise UsageError(f"axis choices: pack({names}) needs ranges of known sizes")
    found = packed_values(sink, axes)
    if not found:
        raise UsageError(f"axis choices: nothing that is read again depends on all of {names}")
    if len({frozenset(value.ranges) for value in found}) > 1:
        raise UsageError(
            f"axis choices: what depends on {names} is in different loops; name more of them"
        )
    fills = [UOp.range(axis.size, id, "loop") for axis, id in zip(axes, ids, strict=True)]
    swap = dict(zip(axes, fills, strict=True))
    changes: dict[UOp, UOp] = {}
    for value in found:
        own = unclamped(value, clamped, axes).substitute(swap)
        near = UOp(Ops.STAGE, value.dtype, (own, *fills), "reg")
        changes[value] = near.index(*axes)
    return sink.substitute(changes)


def unclamped(value: UOp, clamped: Mapping[UOp, UOp], axes: Sequence[UOp]) -> UOp:
    """A value whose reads beyond a padded range do not happen, of those that are among `axes`."""
    found = [n for n in value.toposort() if n in clamped and not set(axes).isdisjoint(n.ranges)]
    plain = {n: clamped[n] for n in found}
    changes: dict[UOp, UOp] = dict(plain)
    for node in value.toposort():
        mine = [n for n in found if node.op is Ops.INDEX and n in node.src[1].toposort()]
        if mine:
            index, inside = node.src[1].substitute(plain), None
            for n in mine:
                within = clamped[n] <= n.src[1]
                inside = within if inside is None else inside & within
            assert inside is not None
            gated = inside.where(index, UOp(Ops.INVALID, index.dtype))
            changes[node] = UOp(Ops.INDEX, node.dtype, (node.src[0], gated))
    return value.substitute(changes) if found else value


def packed_values(sink: UOp, axes: Sequence[UOp]) -> list[UOp]:
    """The largest parts of reduced values that depend on all of `axes`, but not on all ranges.

    So they are the same along some other range, along which they are read again.
    """
    found: dict[UOp, None] = {}
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
                found[node] = None
            elif node.op not in (Ops.INDEX, Ops.REDUCE):
                fresh = [s for s in node.src if s not in seen]
                stack += fresh
                seen.update(fresh)
    return list(found)
