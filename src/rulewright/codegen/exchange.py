"""Reductions that the work items of a workgroup share: how each gets what all of them have.

Each combines its own part. What the lanes of a warp have then goes from lane to lane, where the
target says how (`spell SHUFFLE`): each combines its value with that of the lane half a warp away,
then a quarter, until all lanes have the same. Of several warps each puts one value in memory of the
workgroup, and after one barrier every warp reads all of them, a lane one, and combines them so.

Without such lanes every work item puts its value in memory, a few combine what the others have, and
all read what these have put there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.numbering import flat, open_ranges, places_of
from rulewright.codegen.staging import IN_ORDER
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    from rulewright.codegen.accumulators import Accumulators

SHARERS = 16
"""Items of a workgroup that combine what the others have, each of its part."""


def shuffled_lanes(target: Any, dtype: DType) -> int:
    """Lanes of a warp that can read values of a dtype from each other; 0 if none can, or if they
    are no power of two."""
    if target is None or target.spelling(Ops.SHUFFLE, dtype, dtype) is None:
        return 0
    lanes = target.limit("warp") or 0
    return 0 if lanes & (lanes - 1) else lanes


class Exchange:
    """The shared reductions of one kernel.

    All are shared by the same work items, whose number is one range: what one reduction gives is
    used in the next by the item that has it. Only where a reduction is shared inside of another
    one, so that a workgroup has items of both beside each other, they have ranges of their own.
    """

    def __init__(self, walk: Accumulators, target: Any, nodes: Sequence[UOp]) -> None:
        self.walk, self.target = walk, target
        self.items: dict[int, UOp] = {}
        # several at once number the items of a workgroup together: not as lanes follow each other
        self.is_nested = any(
            n.op is Ops.REDUCE and _is_group(n.src[1:]) and _is_group(n.ranges) for n in nodes
        )

    def share(self, op: Op, value: UOp, item: UOp) -> tuple[UOp, tuple[UOp, ...]]:
        """What each work item reduces once it has its part, and over which loops; without any, it
        has the result."""
        count, lanes = places_of([item]), shuffled_lanes(self.target, value.dtype)
        if self.is_nested:
            return self.by_memory(op, value, item, count)
        one = self.items.setdefault(count, item)
        value = value.substitute({item: one})
        if not lanes or count % lanes:
            return self.by_memory(op, value, one, count)
        return self.by_warps(op, value, one, lanes)

    def by_warps(self, op: Op, value: UOp, item: UOp, lanes: int) -> tuple[UOp, tuple[UOp, ...]]:
        """Each warp combines what its lanes have, and then what all warps have."""
        warps = places_of([item]) // lanes
        value = combined(op, value, item, _halves(lanes), alike=warps == 1)  # else one lane writes
        if warps == 1:
            return value, ()
        first = (item % lanes).eq(0).where(item // lanes, UOp(Ops.INVALID, dtypes.index))
        value, loop = self.exchange(value, item, warps, first)
        if warps > lanes or warps & (warps - 1):
            return value, (loop,)
        return combined(op, value.substitute({loop: item % warps}), item, _halves(warps)), ()

    def by_memory(self, op: Op, value: UOp, item: UOp, count: int) -> tuple[UOp, tuple[UOp, ...]]:
        """Put what each work item has in memory of the workgroup, and read all of it.

        Of many items, a few combine what the others have first, so that all read little.
        """
        value, loop = self.exchange(value, item, count, item)
        if count % SHARERS == 0 and count >= 4 * SHARERS:
            each = self.walk.fresh(UOp.range(count // SHARERS, 0), "reduce")
            own = value.substitute({loop: each * SHARERS + item % SHARERS})
            first = (item < SHARERS).where(item, UOp(Ops.INVALID, dtypes.index))
            combined = self.walk.lower(own.reduce(op, each))
            value, loop = self.exchange(combined, item, SHARERS, first)
        return value, (loop,)

    def exchange(self, value: UOp, item: UOp, count: int, place: UOp) -> tuple[UOp, UOp]:
        """Write a value of each item at its place of `count`, wait, read at a new loop's index.

        Items that reduce something else, beside these in the workgroup, have places of their own.
        """
        tile, _ = open_ranges(value, (item,))
        beside = [r for r in value.ranges if kind(r) in ("local", "group") and r is not item]
        again = [r for r in value.ranges if kind(r) in IN_ORDER]
        size = count * places_of([*beside, *tile])
        local = self.walk.memory("DEFINE_LOCAL", value.dtype, size)
        copies = self.walk.copies(tile)
        # in a loop, what the last iteration left must have been read before it is replaced
        free = local.after(UOp(Ops.BARRIER, dtypes.void, tuple(again))) if again else local
        own = value.substitute(dict(zip(tile, copies, strict=True)))
        write = free.index(flat([*beside, *copies], place)).store(own).end(*copies)
        barrier = UOp(Ops.BARRIER, dtypes.void, (write,))
        loop = self.walk.fresh(UOp.range(count, 0), "reduce")
        return local.after(barrier).index(flat([*beside, *tile], loop)), loop


def _is_group(ranges: Sequence[UOp]) -> bool:
    return any(kind(r) == "group" for r in ranges)


def _halves(count: int) -> list[int]:
    """Distances by which lanes that follow each other meet all others."""
    return [1 << i for i in reversed(range(count.bit_length() - 1))]


def combined(op: Op, value: UOp, item: UOp, distances: Sequence[int], alike: bool = True) -> UOp:
    """What lanes at these distances from each other have, combined in each of them.

    Where it may hang on which operand comes first, as of two zeros, that of the lane with the lower
    number does, if the result has to be `alike` in all lanes.
    """
    is_ordered = alike and op in Ops.group("Extreme") and value.dtype.is_float
    for distance in distances:
        pair = value, UOp(Ops.SHUFFLE, value.dtype, (value, item), distance)
        if is_ordered:
            is_first = (item // distance % 2).eq(0)
            pair = is_first.where(*pair), is_first.where(*reversed(pair))
        value = pair[0].alu(op, pair[1])
    return value
