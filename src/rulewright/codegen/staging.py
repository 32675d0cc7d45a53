"""Copies in the memory of a workgroup, which all of its work items make together.

A `pack` of which a range is of kind "local" is such a copy: its elements are numbered, those along
ranges of other kinds beside each other, and the work items of the group take one after the other.
Before they write they wait until the round before has been read, and before they read until all
have written. Copies that are made in the same loops wait together.

On a target that copies while it computes, what is multiplied in one round of a loop is copied in
the round before, into one half of the memory while the other is read: work items wait once a round.
What tensor cores multiply is copied two rounds before, into one third, if there are as many rounds
and room: then a round waits for copies that have had the time of a whole one.

The outermost range of a copy counts rows. Work items that read neighbouring rows at once should
meet in different banks: so parts of a row change places, otherwise in each of those rows (a
swizzle), or rows lie apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.codegen.fragments import can_turn
from rulewright.codegen.kinds import in_loop_order, kind
from rulewright.codegen.laid import in_order_of_reading
from rulewright.codegen.numbering import flat, joined, places_of
from rulewright.errors import UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    from rulewright.codegen.accumulators import Accumulators

IN_ORDER = ("loop", "reduce", "unroll")
"""Kinds of loops whose rounds a work item does one after the other."""
MOST_PIECES = 3
"""Rounds of copies that a workgroup has memory for at once, at most."""
FEW_ROUNDS = 16
"""Elements, or vectors, of one work item that are copied without a loop."""


def is_staged(stage: UOp) -> bool:
    """Whether a STAGE is a copy that the items of a workgroup make together."""
    return stage.op is Ops.STAGE and any(kind(r) == "local" for r in stage.src[1:])


def _units(row: int, itemsize: int, target: Any) -> tuple[int, int] | None:
    """Units in a row of so many elements, the last one perhaps in part, and units in all banks;
    None where a target does not say what banks it has. The widest access is a unit."""
    banks, width = target.limit("banks"), target.limit("bank_bits")
    unit = target.limit("load_bits") or 0
    if not banks or not width or banks * width <= unit:
        return None
    return -(-row * itemsize * 8 // unit), banks * width // unit


def _is_turned(row: int, itemsize: int, target: Any) -> bool:
    """Whether units of a row change places: it is of whole ones, as many as a power of two, and of
    elements that are read as small matrices, a unit at a time."""
    counts = _units(row, itemsize, target)
    if counts is None or not can_turn(itemsize, target):
        return False
    is_whole = row * itemsize * 8 % target.limit("load_bits") == 0
    return is_whole and not any(units & (units - 1) for units in counts)


def pitch(row: int, itemsize: int, target: Any, turns: bool = True) -> int:
    """Elements from one row of a copy to the next, for rows of so many elements, whose units may
    change places or not.

    Rows whose units do not change places lie apart. They begin at units, and as many neighbouring
    rows as there are units in all banks begin in different ones: so their distance is an odd number
    of units where that many is a power of two. A target that does not say what banks it has gets
    rows as they are.
    """
    counts = _units(row, itemsize, target)
    if counts is None or (turns and _is_turned(row, itemsize, target)):
        return row
    units, whole = counts
    while gcd(units, whole) > 1:
        units += 1
    return units * target.limit("load_bits") // (8 * itemsize)


def swizzled(row: UOp, place: UOp, size: int, itemsize: int, target: Any) -> UOp:
    """Where an element at a place of a row lies in a copy whose rows have so many elements.

    Of as many units as all banks have, those of a row are turned by one place from row to row, or
    from each few rows that fill the banks to the next: neighbouring rows have units at one place of
    theirs in different banks, and a row fills as many banks as it has units.
    """
    begin = row * pitch(size, itemsize, target)
    counts = _units(size, itemsize, target)
    if counts is None or not _is_turned(size, itemsize, target):
        return begin + place
    units, whole = counts
    unit = target.limit("load_bits") // (8 * itemsize)
    turn, near = row // max(1, whole // units), min(units, whole)
    at = place // unit
    return begin + (at // near * near + (at + turn) % near) * unit + place % unit


def staged_bytes(rows: int, row: int, dtype: DType, target: Any) -> int:
    """Bytes of a copy of so many rows, each of so many elements."""
    return rows * pitch(row, dtype.itemsize, target) * dtype.itemsize


class _Copy(NamedTuple):
    """A copy: its ranges, the memory once it is made, and its first element there."""

    fills: tuple[UOp, ...]
    ready: UOp
    first: UOp


class Staging:
    """The copies of workgroups in one kernel."""

    def __init__(self, walk: Accumulators, target: Any, nodes: Sequence[UOp]) -> None:
        self.walk, self.target = walk, target
        self.stages = [n for n in nodes if is_staged(n)]
        self.copies: dict[UOp, _Copy] = {}
        self.ahead: dict[UOp, tuple[UOp, ...]] = {}
        self.ends = [n for n in nodes if n.op is Ops.END] if self.stages else []

    def element(self, node: UOp) -> UOp:
        """An element of a copy: an INDEX whose operands are done."""
        stage, *places = node.src
        copy = self.copies[stage]
        row = [int(f.vmax) + 1 for f in copy.fills[1:]]
        place = joined(places[1:], row) if row else UOp.index_const(0)
        at = copy.first + self.place(stage, places[0], place)
        return copy.ready.index(rewrite(at, "symbolic"))

    def place(self, stage: UOp, row: UOp, place: UOp) -> UOp:
        """Where an element of a row lies in a copy."""
        size = places_of(stage.src[2:])
        if self.is_laid(stage):
            return row * self.pitch(stage) + place
        return swizzled(row, place, size, stage.dtype.itemsize, self.target)

    def make(self, stages: Sequence[UOp]) -> None:
        """Make copies whose operands are done, all in the same loops."""
        again = [r for r in stages[0].ranges if kind(r) in IN_ORDER]
        sizes = [self.size(stage) for stage in stages]
        pieces = self.pieces(stages, again, sizes)
        if pieces > 1:
            self.make_ahead(stages, again[0], sizes, pieces)
            return
        wait = UOp(Ops.BARRIER, dtypes.void, tuple(again)) if again else None
        memories = [self.memory(s, size) for s, size in zip(stages, sizes, strict=True)]
        writes = [
            self.write(memory if wait is None else memory.after(wait), stage)
            for stage, memory in zip(stages, memories, strict=True)
        ]
        barrier = UOp(Ops.BARRIER, dtypes.void, tuple(writes))
        for stage, memory in zip(stages, memories, strict=True):
            first = UOp.index_const(0)
            self.copies[stage] = _Copy(stage.src[1:], memory.after(barrier), first)

    def pieces(self, stages: Sequence[UOp], again: list[UOp], sizes: list[int]) -> int:
        """How many rounds of copies there is memory for: more than one where they are made ahead,
        of elements as they are."""
        if not self.target.has_text("copy_ahead") or len(again) != 1:
            return 1
        plain = all(
            s.src[0].op is Ops.INDEX and s.src[0].src[0].op is Ops.PARAM for s in stages
        )  # fmt: skip
        each = sum(n * s.dtype.itemsize for n, s in zip(sizes, stages, strict=True))
        [axis] = again
        rounds = int(axis.vmax) + 1 if kind(axis) == "reduce" else 1
        others = [s for s in self.stages if self.walk.done.get(s, s) not in stages]
        held = sum(self.size(s) * s.dtype.itemsize for s in others)
        room = (self.target.limit("local_memory") or 0) - held
        if not plain:
            return 1
        most = MOST_PIECES if self.walk.warps.matches else 2
        return max(1, min(most, rounds, room // each))

    def make_ahead(self, stages: Sequence[UOp], axis: UOp, sizes: list[int], pieces: int) -> None:
        """Copy for the first rounds of a loop before it, and in each round for a later one, into so
        many pieces of memory in turns."""
        memories = [self.memory(s, pieces * size) for s, size in zip(stages, sizes, strict=True)]
        each = list(zip(stages, memories, sizes, strict=True))
        begun: list[UOp] = []
        groups: list[UOp] = []
        around = axis.src[0].ranges  # rounds of each workgroup's own
        for number in range(pieces - 1):
            if number:
                groups.append(UOp(Ops.COPIES, dtypes.void, tuple(begun)))
            now = UOp.index_const(number)
            is_any = now < axis.src[0]
            begun = [
                self.write(
                    memory.after(*around, *groups[-1:]), stage.substitute({axis: now}), now * size,
                    None if is_any.vmin else is_any,
                )
                for stage, memory, size in each
            ]  # fmt: skip
        wait = UOp(Ops.BARRIER, dtypes.void, (*groups, *begun, axis))
        later = axis + (pieces - 1)
        is_any = later < axis.src[0]
        ahead = [
            self.write(
                memory.after(wait, axis), stage.substitute({axis: later}), later % pieces * size,
                is_any,
            )
            for stage, memory, size in each
        ]  # fmt: skip
        self.ahead[axis] = tuple(ahead)
        for stage, memory, size in each:
            first = axis % pieces * size
            self.copies[stage] = _Copy(stage.src[1:], memory.after(wait, axis), first)

    def is_laid(self, stage: UOp) -> bool:
        """Whether a copy lies as a tensor core reads it: no units change places."""
        return stage.src[1].arg[0] in self.walk.laid

    def pitch(self, stage: UOp) -> int:
        """Elements from one row of a copy to the next."""
        row, turns = places_of(stage.src[2:]), not self.is_laid(stage)
        return pitch(row, stage.dtype.itemsize, self.target, turns)

    def size(self, stage: UOp) -> int:
        """Elements of the memory that a copy takes."""
        return places_of(stage.src[1:2]) * self.pitch(stage)

    def memory(self, stage: UOp, size: int) -> UOp:
        """New memory of the workgroup."""
        return self.walk.memory("DEFINE_LOCAL", stage.dtype, size)

    def begun(self, loops: Sequence[UOp]) -> tuple[UOp, ...]:
        """What is copied in these loops for the rounds to come, and begins before they compute."""
        return tuple(copy for axis in loops for copy in self.ahead.get(axis, ()))

    def write(
        self, memory: UOp, stage: UOp, begin: UOp | None = None, gate: UOp | None = None
    ) -> UOp:
        """The loops in which the work items write a copy, from an element on, if a gate is open."""
        items = self.items()
        value, fills = stage.src[0], stage.src[1:]
        shared = [f for f in fills if kind(f) == "local"]
        own = [f for f in fills if f not in shared]
        count, workers = places_of(shared), places_of(items)
        rounds = -(-count // workers)
        number = flat(items)
        loops = [self.walk.fresh(f, kind(f)) for f in own]
        places = dict(zip(own, loops, strict=True))
        if rounds > 1:
            each = UOp.range(rounds, 0)
            each = self.walk.fresh(each, "upcast" if rounds <= FEW_ROUNDS else "loop")
            number = each * workers + number
            loops.insert(0, each)
        rest = number
        shared = in_order_of_reading(value, shared)
        for f in reversed(shared):
            size = int(f.vmax) + 1
            places[f] = rest if f is shared[0] else rest % size
            rest = rest // size
        first, *inner = [places[f] for f in fills]
        at = self.place(stage, first, joined(inner, [int(f.vmax) + 1 for f in fills[1:]]))
        value = value.substitute(places)
        at = at if begin is None else begin + at
        if rounds * workers > count:
            gate = number < count if gate is None else gate & (number < count)
        if gate is not None:
            at, value = _only_where(gate, at, value)
        value = rewrite(value, "symbolic")
        return memory.index(rewrite(at, "symbolic")).store(value).end(*in_loop_order(loops))

    def items(self) -> list[UOp]:
        """The ranges that the work items of a group are numbered by, lanes of a warp innermost.

        Raises UsageError if stores do not all have the same.
        """
        each = [[r for r in end.src[1:] if kind(r) == "local"] for end in self.ends]
        if not each or any(ranges != each[0] for ranges in each):
            raise UsageError(
                "axis choices: items of a workgroup copy together: expected stores that loop over "
                "the same ranges of kind local"
            )
        warps = self.walk.warps
        return [*each[0], *dict.fromkeys(warps.of_warp(step)[0] for step in warps.matches)]


def _only_where(gate: UOp, at: UOp, value: UOp) -> tuple[UOp, UOp]:
    """An index, and a value with what it reads, that are none where a condition does not hold."""
    invalid = UOp(Ops.INVALID, dtypes.index)
    reads = {
        n: n.replace(src=(n.src[0], gate.where(n.src[1], invalid)))
        for n in value.toposort()
        if n.op is Ops.INDEX and n.src[0].base.op is Ops.PARAM
    }
    return gate.where(at, invalid), value.substitute(reads)


def check_staged(stage: UOp) -> None:
    """Raises UsageError for a copy that is not the same for all items of a workgroup."""
    strange = [r for r in stage.ranges if kind(r) not in ("global", *IN_ORDER)]
    if strange:
        raise UsageError(
            f"axis choices: a copy of a workgroup is the same for all of its items, and this one "
            f"depends on r{strange[0].arg[0]} ({kind(strange[0])}): pack along it too"
        )
