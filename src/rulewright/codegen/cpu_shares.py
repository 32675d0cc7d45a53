"""Loops of CPU kernels that threads share, and sizes without good divisors."""

from __future__ import annotations

from math import prod
from typing import Any

from rulewright.codegen.axes import Axes
from rulewright.codegen.cpu_tiles import Tiles
from rulewright.codegen.lanes import LEAST_LANES, in_lanes
from rulewright.codegen.legal import are_apart
from rulewright.codegen.nests import (
    Nest,
    Reduction,
    best_axis,
    divisor,
    fixed,
    is_conditional,
    is_costly,
    nests,
    single_stores,
    weights,
)
from rulewright.codegen.short_rows import ShortRows, short_rows
from rulewright.codegen.turn import MOST_SIDE, can_turn
from rulewright.ir.shapes import at_most, is_multiple
from rulewright.ir.uop import UOp

CHAIN = 16
"""Reductions of up to this many values have no loop: the values are combined in one expression."""
CHUNK, LEAST_CHUNK = 1024, 256
"""Elements that one thread does at a time, of a kernel with a single axis; at least if need be."""


def even(size: int, count: int) -> int:
    """The largest part of a size that is a multiple of a count and leaves no rest of one, which
    would be no loop."""
    rest = size % count
    return size - rest - (count if rest == 1 and size > 2 * count else 0)


class Shares(Tiles):
    """The choices for what threads share."""

    def __init__(self, axes: Axes, target: Any) -> None:
        super().__init__(axes, target)
        self.rests: set[int] = set()  # ids of ranges over what is left over
        self.vectors: dict[int, ShortRows] = {}  # id of a range over short rows -> how they are cut

    def even_stores(self, shared: bool) -> None:
        """Cut what is stored and not summed at a multiple of what is done together, where its size
        has no good divisors: transpositions, and long rows if threads share them."""
        for nest in nests(self.axes.ast):
            if nest.reductions and self.chain_axis(nest) is None:
                continue
            if self.short_rows_as_one(nest) or (not shared and len(nest.axes) == 1):
                continue
            for axis, count in self.uneven(nest):
                if self.axes.has(axis.arg[0]):  # not cut yet, for another store
                    size = fixed(axis)
                    self.rest_of(axis.arg[0], count if size is None else even(size, count))

    def short_rows_as_one(self, nest: Nest) -> bool:
        """Make one range of short rows, but for last ones that fill no vectors; whether there are
        such rows."""
        if not all(self.axes.has(a.arg[0]) for a in nest.axes):
            return False  # it is done, with another store
        rows = self.short_rows_of(nest)
        if rows is None:
            return False
        beside = (n for n in nests(self.axes.ast) if not {*n.axes}.isdisjoint(nest.axes))
        if any(self.short_rows_of(n) != rows for n in beside):
            return False
        size = (fixed(rows.row) or 0) * (fixed(rows.near) or 0)
        id = self.axes.merge(rows.row.arg[0], rows.near.arg[0], "join")
        self.axes.settle()
        if size % rows.values:
            id = self.rest_of(id, even(size, rows.values))
        self.vectors[id] = rows
        return True

    def short_rows_of(self, nest: Nest) -> ShortRows | None:
        """Which short rows a nest stores; None if it stores none."""
        return short_rows(nest, self.lanes(nest.store.src[1]), self.target)

    def rest_of(self, id: int, count: int) -> int:
        """Do so many of an axis and the rest of it apart; gives the id of the former's range."""
        first, rest = self.axes.tail(id, count)
        self.rests.update((first, rest) if id in self.rests else (rest,))
        return first

    def even_columns(self, size: int, lanes: int) -> int:
        """How many of so many columns, that threads share, are cut evenly; 0 for all of them."""
        most = self.most_columns(size)
        if size <= most or divisor(size, most) >= 4 * lanes:
            return 0
        many = divisor(even(size, lanes), most, lanes) >= 4 * lanes
        return even(size, lanes if many else 4 * lanes)

    def uneven(self, nest: Nest) -> list[tuple[UOp, int]]:
        """The loops of a store to be cut so, of a long row or a transposition, and the multiple."""
        if len(nest.axes) == 1:
            (alone,) = nest.axes
            chunk, least = self.chunk(nest, alone)
            uneven = self.is_shared(nest, alone) and chunk < least
            return [(alone, 4 * least)] if uneven else []
        if nest.reductions:
            return []
        axis = self.stored_axis(nest, list(nest.private))
        across = self.read_across(nest, axis, list(nest.private)) if axis is not None else None
        if axis is None or across is None:
            return []
        lanes = min(self.lanes(nest.store.src[1]), MOST_SIDE)
        if lanes < LEAST_LANES or min(at_most(axis.size), at_most(across.size)) < lanes:
            return []
        rests = [a for a in (axis, across) if not is_multiple(a.size, lanes // 2)]
        if not rests or not can_turn(nest.end, across, axis, lanes, self.target):
            return []
        return [(a, lanes) for a in (axis, across) if not is_multiple(a.size, lanes)]

    def open_step(self, reduction: Reduction, axis: UOp | None) -> UOp | None:
        """Along which neighbours are summed of which only the kernel knows how many there are, as
        vectors with masks, unless some lie along an axis that is chosen.

        A single accumulator is slow, and forgets what is small beside it."""
        reads, lanes = reduction.accesses, self.lanes(reduction.node)
        if axis is not None and any(a.score(axis) > 0 for a in reads):
            return None
        for step in reversed(reduction.axes):
            scores = [a.score(step) for a in reads]
            near = fixed(step) is None and max(scores, default=0) > 0 <= min(scores)
            long = step.vmax >= 4 * lanes or step.arg[0] in self.rests
            if near and long and self.has_masks(reduction, step):
                return step
        return None

    def open_block(self, reduction: Reduction, step: UOp) -> int:
        """How many of them are summed at a time."""
        lanes = self.lanes(reduction.node)
        return lanes if step.arg[0] in self.rests else 4 * lanes

    def has_masks(self, reduction: Reduction, axis: UOp) -> bool:
        """Whether the lanes of vectors along an axis can be left out beyond its end."""
        free = axis.arg[0] not in self.done and reduction.is_flat_along([axis])
        return free and self.target.has_text("mask") and self.has_lanes(reduction, axis)

    def open_store(self, nest: Nest) -> UOp | None:
        """Along which neighbours are stored of which only the kernel knows how many there are, as
        vectors, in loops that threads share."""
        for axis in (a for a in nest.private if fixed(a) is None):
            around = prod(fixed(a) or self.cores for a in nest.axes if a is not axis)
            long = axis.vmax >= 4 * self.lanes(nest.store.src[1])
            if long and around >= self.cores and self.is_masked(nest, axis):
                return axis
        return None

    def leave_rests(self, nests: list[Nest]) -> None:
        """Leave loops over what is left over of rows as they are, where nests share no other."""
        if len(nests) > 1 and not set(nests[0].axes).intersection(*(nest.axes for nest in nests)):
            alone = {nest.axes[0].arg[0] for nest in nests if len(nest.axes) == 1}
            self.done |= alone & self.rests

    def is_shared(self, nest: Nest, axis: UOp) -> bool:
        """Whether threads share a store along one axis: many values, or many steps for them."""
        return (fixed(axis) or 0) * _steps(nest) > 16 * CHUNK

    def chunk(self, nest: Nest, axis: UOp) -> tuple[int, int]:
        """How many of its values one thread does at a time, that divide it, and at least."""
        most, least = (max(n // _steps(nest), 16) for n in (CHUNK, LEAST_CHUNK))
        return divisor(fixed(axis) or 1, most, 16), least

    def chain_axis(self, nest: Nest) -> UOp | None:
        """Along which a store of sums that have no loops is vectorised: the one along which most is
        read and written, where neighbours are, or where it takes many steps or chooses."""
        value, sums = nest.store.src[1], nest.reductions
        if not sums or nest.private or any(a.arg[0] in self.done for a in nest.axes):
            return None
        if any(r.length > CHAIN or not r.can_chain or self.tiled(nest, r) for r in sums):
            return None
        accesses = [*nest.accesses, *(a for r in sums for a in r.accesses)]
        loops = [a for a in nest.axes if (fixed(a) or 0) >= self.lanes(value)]
        scores: dict[UOp, float] = {a: sum(x.score(a) for x in accesses) for a in loops}
        axis = best_axis(scores, least=-1000.0)
        if axis is None or axis.arg[1] == "reduce":
            return None
        near = min(x.score(axis) for x in accesses) >= 0 < nest.accesses[0].score(axis)
        if not (near or is_costly(value, axis) or is_conditional(value, axis)):
            return None
        return axis if all(self.has_lanes(r, axis, chained=True) for r in sums) else None

    def tiled(self, nest: Nest, reduction: Reduction) -> bool:
        """Whether reading less by a register tile is worth more than having no loop."""
        return reduction.length > 4 and len(self.shared_axes(nest, reduction, None)) > 1

    def stored_axis(self, nest: Nest, loops: list[UOp]) -> UOp | None:
        """The loop along which most is read and written side by side, or nearly so."""
        often = weights(nest.accesses, nest.axes, prod(fixed(a) or 1 for a in nest.axes))
        scores: dict[UOp, float] = {
            a: sum(0 if x.is_near(a) else often[x.node] * x.score(a) for x in nest.accesses)
            for a in loops
        }
        return best_axis(scores, least=-1000.0)

    def is_masked(self, nest: Nest, axis: UOp) -> bool:
        """Whether vectors with masks are stored along an axis of which no copy is read."""
        value = nest.store.src[1]
        if not self.target.has_text("store_masked") or nest.accesses[0].score(axis) <= 0:
            return False
        return in_lanes(value, axis, self.lanes(value), self.target) is not None

    def read_across(self, nest: Nest, axis: UOp, loops: list[UOp]) -> UOp | None:
        """The loop along which neighbours are read that lie apart along another one."""
        far = [a for a in nest.accesses if a.score(axis) < 0]
        neighbours = (b for b in loops if b is not axis and any(a.form.stride(b) == 1 for a in far))
        return next(neighbours, None)

    def stored_inside(self, nests: list[Nest]) -> None:
        """Let loops along which sums are stored again and again go inside of those that they are
        computed in."""
        if len(nests) != 1:
            return
        (nest,) = nests
        sums = {a for r in nest.reductions if r.length > CHAIN for a in r.outer}
        last = max((n for n, a in enumerate(nest.axes) if a in sums), default=0)
        for axis in nest.axes[:last]:
            if axis in nest.private and axis.arg[0] not in self.done:
                self.take("stored", axis.arg[0])
                self.free[axis.arg[0]] = []

    # ---- threads ------------------------------------------------------------------------------

    def loops_left(self, nest: Nest) -> list[int]:
        """Ids of the nest's loops that have no kind yet, outermost first; without those along
        which sums are stored again and again, as each thread would add them up again."""
        again = nest.private if any(r.length > CHAIN for r in nest.reductions) else ()
        loops = [a for a in nest.axes if a.arg[1] != "reduce" and a not in again]
        ids = [id for a in loops for id in self.free.get(a.arg[0], [a.arg[0]])]
        return list(filter(self.axes.has, ids))  # one of a single value has vanished

    def threads(self, nests: list[Nest]) -> None:
        """Share the outermost loops that all nests have in common; else one of each."""
        if self.repeats_work(nests):
            return
        first, *others = map(self.loops_left, nests)
        common = [id for id in first if all(id in loops for loops in others)]
        shared = [self.joined(common)] if common else self.one_each(nests)
        if any(self.axes.size(id) != 1 for id in shared):
            self.axes.set_kind("thread", *shared)

    def joined(self, loops: list[int]) -> int:
        """As many loops made one as give each core some of its iterations."""
        shared = loops[0]
        for id in loops[1:]:
            size = self.axes.size(shared)
            if not isinstance(size, int) or size >= self.cores:
                break
            shared = self.axes.merge(shared, id, "join")
        return shared

    def one_each(self, nests: list[Nest]) -> list[int]:
        """A loop of each nest, of which threads get parts alike; none where they cannot."""
        loops = [[id for id in self.loops_left(n) if self.axes.size(id) != 1] for n in nests]
        shared = list(dict.fromkeys(ids[0] for ids in loops if ids))
        known = all(isinstance(self.axes.size(id), int) for id in shared)
        whole = all(len(set(ids).intersection(shared)) == 1 for ids in loops)
        stored = not single_stores(self.axes.ast)
        return shared if known and whole and stored and are_apart(self.axes.ast) else []

    def repeats_work(self, nests: list[Nest]) -> bool:
        """Whether a reduction stands outside of all loops: every thread would do it."""
        return any(not r.outer and r.length > CHAIN for nest in nests for r in nest.reductions)


def _steps(nest: Nest) -> int:
    """Values that are combined to one of those that a nest stores, at most."""
    return max((reduction.length for reduction in nest.reductions), default=1)
