"""Accumulators of one reduction on CPUs: in rows and vectors of registers, or near by in memory."""

from __future__ import annotations

from itertools import permutations
from math import gcd, prod
from typing import Any

from rulewright.codegen.axes import Axes
from rulewright.codegen.copies import packed_values
from rulewright.codegen.lanes import in_lanes
from rulewright.codegen.nests import Nest, Reduction, divisor, fixed
from rulewright.codegen.online import fold_of
from rulewright.codegen.products import FAR, FAR_LENGTH
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

# ---- tile scores ---------------------------------------------------------------------------------
#
# How fast register tiles are that divide the axes of a kernel.
#
# Scores are parts of the speed of the best tile, measured with GCC on float32 matrix products.


MOST_ROWS = 12
"""Rows of a register tile, at most."""
WIDE_SCORE = 0.38
"""Speed of one long row of accumulators, of that of the best register tile."""
MASK_SCORE = 0.9
"""Speed of vectors whose accesses have masks."""
WIDE = 1024
"""Accumulators of a reduction along a far axis: more than registers hold, but near memory."""


def best_divisors(registers: int, row: UOp, size: int, lanes: int) -> tuple[float, tuple[int, int]]:
    """The best rows and width that divide an axis and `size`, with its score."""
    wide = divisor(size, WIDE, lanes)
    best, tile = (WIDE_SCORE if wide >= 4 * lanes else 0.0), (1, wide)
    for width in (w for w in range(1, 2 * lanes + 1) if size % w == 0):
        for rows in (r for r in range(1, MOST_ROWS + 1) if (fixed(row) or 1) % r == 0):
            vectors = width // whole_lanes(width, lanes)
            if rows * vectors <= registers - 8:
                score = _row_score(rows) * _width_score(width, lanes) + 1e-3 * vectors
                if score > best:
                    best, tile = score, (rows, width)
    return best, tile


def best_padded(registers: int, row: UOp, size: int, lanes: int) -> tuple[float, tuple[int, int]]:
    """The best rows and width that do not divide an axis and `size`: what lies beyond is computed
    for nothing and not stored, by masks."""
    best: tuple[float, tuple[int, int]] = 0.0, (1, lanes)
    for vectors in range(1, -(-size // lanes) + 1):
        width, height = vectors * lanes, fixed(row) or 1
        for rows in (r for r in range(1, MOST_ROWS + 1) if r * vectors <= registers - 8):
            used = size * height / (-(-size // width) * width * -(-height // rows) * rows)
            score = _row_score(rows * min(vectors, 2)) * used * MASK_SCORE + 2e-3 * rows * vectors
            if score > best[0]:
                best = score, (rows, width)
    return best


def whole_lanes(width: int, lanes: int) -> int:
    """Lanes of the vectors that a row of accumulators is: fewer where it does not fill them."""
    return gcd(width, lanes)


def rows_and_columns(
    reduction: Reduction, axes: list[UOp], registers: int
) -> list[tuple[UOp, int]]:
    """The two axes, and how many of each, that need the fewest reads a product: sums of them all
    and the reads of one stay in registers."""
    best: tuple[float, list[tuple[UOp, int]]] | None = None
    for row, column in permutations(reversed(axes), 2):
        for rows in range(1, MOST_SUMS // 2 + 1):
            most = min(MOST_SUMS, registers - rows - 1) // rows
            if most < 1 or (fixed(row) or 1) % rows:
                continue
            tile = [(row, rows), (column, divisor(fixed(column) or 1, most))]
            reads = sum(prod(n for a, n in tile if x.form.uses(a)) for x in reduction.accesses)
            score = reads / prod(n for _, n in tile)
            if best is None or score < best[0]:
                best = score, tile
    assert best is not None
    return best[1]


def _row_score(rows: int) -> float:
    """More rows use each vector again more often."""
    return min(1.0, 0.3 + 0.0875 * rows)


def _width_score(width: int, lanes: int) -> float:
    """A tile stays in registers only if its rows are whole vectors of one width."""
    if width % lanes == 0:
        return 1.0
    whole = whole_lanes(width, lanes)
    if whole >= 4:
        return 0.75 if 2 * whole == lanes else 0.5
    return 0.3 * min(1.0, width / lanes)


MOST_SUMS = 16
"""Sums along neighbours that are made side by side."""
ROUNDS = 4
"""Values that are combined before they go to accumulators in memory."""
OFTEN = 16
"""Results that a factor serves, from which on it is copied near by if it lies apart."""
FEW_VECTORS = 4
"""Accumulators of a reduction along a far axis that are kept in registers, at least."""
ROWS_AT_ONCE, AT_ONCE = 16, 8192
"""Rows that are far apart in memory which are read side by side, at most, and values of them all:
the shorter their pieces are, the more of them hide that each comes slowly at its beginning."""
SUMS = 8
"""Accumulators that values are added to in turn where no vectors are."""
LONG = 2048
"""Values of a row that are then read at a time, at most: their sums stay in the first cache."""
LEAST_COLUMNS, FEW_CORES = 512, 2
"""The same where threads share the columns, at least; cores that nearly read all that memory gives
if pieces of rows are long: more of them have shorter pieces, which come slower."""
LONG_STREAM = 1 << 14
"""Neighbours from which on a quarter of a row is read beside the others: several streams come from
memory faster than one."""
LOOP_LANES = 160, 512
"""Values at a time, at least and at most, where the compiler makes vectors of the loop of a sum.
gcc leaves shorter loops over accumulators as they are, which costs six to ten times as much."""


def loop_lanes(size: int, lanes: int) -> int:
    """How many of so many values such a loop goes over, whole vectors; 0 if there are too few."""
    least, most = LOOP_LANES
    counts = range(-(-least // lanes) * lanes, min(most, size) + 1, lanes)
    return max(counts, key=lambda count: (size - size % count, count), default=0)


class Tiles:
    """The choices for ranges of a kernel, made one by one."""

    def __init__(self, axes: Axes, target: Any) -> None:
        self.axes, self.target = axes, target
        self.bits = target.limit("vector_bits") or 128
        self.registers = target.limit("vector_registers") or 16
        self.parallel = target.has("threads")
        self.cores = target.limit("cores") or 4
        self.done: set[int] = set()  # ids of ranges that have their choice
        self.free: dict[int, list[int]] = {}  # id of a range -> ids of what is left as loops
        self.columns: dict[int, int] = {}  # id of a range -> accumulators along it, side by side

    def lanes(self, node: UOp) -> int:
        """Elements of a vector of this node's dtype."""
        return max(1, self.bits // max(node.dtype.bits, 8))

    def take(self, kind: str, id: int) -> None:
        """Give a range its kind, which is all that there is to choose for it."""
        self.axes.set_kind(kind, id)
        self.done.add(id)

    def cut(self, axis: UOp, count: int, kind: str) -> None:
        """Split the innermost `count` off an axis and give them a kind; the rest stays a loop."""
        id = axis.arg[0]
        self.done.add(id)
        if axis.size == count:
            self.take(kind, id)
            self.free[id] = []
            return
        outer, inner = self.axes.split(id, count)
        self.take(kind, inner)
        self.free[id] = [outer]

    def shared_axes(self, nest: Nest, reduction: Reduction, vector: UOp | None) -> list[UOp]:
        """Stored axes still free along which something that was read can be used again."""
        return reduction.sharing((a for a in nest.axes if a.arg[0] not in self.done), vector)

    def register_tile(self, nest: Nest, reduction: Reduction, vector: UOp) -> None:
        """Rows times vectors of accumulators; without rows to share, one long row."""
        size, lanes = fixed(vector) or 1, self.lanes(reduction.node)
        rows = self.shared_axes(nest, reduction, vector)
        if not rows or not reduction.reused(vector):
            columns = divisor(size, self.registers // 2 * lanes, lanes)
            if self.far_rows(reduction, vector):
                most = self.most_columns(size) if len(nest.axes) == 1 else 2 * LONG
                columns = divisor(size, most, lanes)
            elif not self.in_registers(columns, lanes):
                columns = divisor(size, WIDE, lanes)
            self.cut(vector, columns, "simd")
            self.columns[vector.arg[0]] = columns
            self.rounds(reduction, vector, columns)
            return
        score, (count, width) = best_divisors(self.registers, rows[0], size, lanes)
        padded, tile = self.padded_tile(reduction, rows[0], vector)
        if padded > score:
            self.cut_padded(rows[0], tile[0], "upcast")
            self.cut_padded(vector, tile[1], "simd")
            return
        if count > 1:
            self.cut(rows[0], count, "upcast")
        elif width > 2 * lanes:
            self.several_rounds(reduction, ROUNDS)
        self.cut(vector, width, "simd")

    def near_factor(self, nest: Nest, reduction: Reduction, vector: UOp) -> bool:
        """Copy near by what lies apart for neighbours and is the same for many others, as weights
        of channels that lie last are; whether there is such a factor."""
        size, lanes = fixed(vector) or 1, self.lanes(reduction.node)
        values = packed_values(reduction.node, (*reduction.axes, vector))
        apart = [a for a in reduction.accesses if a.form.uses(vector) and a.score(vector) < 0]
        others = [a for a in nest.axes if not any(x.form.uses(a) for x in apart)]
        often = prod(fixed(a) or 1 for a in others)
        room = (self.target.limit("near_memory") or 0) // (2 * reduction.node.dtype.itemsize)
        alone = len(values) == len(apart) == len(nest.reductions) == 1
        if not alone or often < OFTEN or lanes < 2 or vector.arg[0] in self.done:
            return False
        width = divisor(size, min(FEW_VECTORS * lanes, max(room // reduction.length, 1)), lanes)
        if width < lanes:
            return False
        outer, inner = self.axes.split(vector.arg[0], width)
        steps = [a.arg[0] for a in reduction.axes if fixed(a) != 1]
        self.take("simd", self.axes.pack(*steps, inner)[-1])
        self.take("simd", inner)
        for axis in others[1:]:
            self.take("block", axis.arg[0])
            self.free[axis.arg[0]] = []
        self.done.add(vector.arg[0])
        self.free[vector.arg[0]] = [outer]
        return True

    def triangle(self, nest: Nest, reduction: Reduction) -> None:
        """Vectorise the results of a chain that reads the same values for all of them.

        So does a running sum of a block, which differs from place to place by what it leaves out.
        """
        written, least = nest.accesses[0], self.lanes(reduction.node) // 2
        for axis in nest.axes:
            accesses = reduction.accesses
            alike = axis in reduction.outer and all(a.score(axis) == 0 for a in accesses)
            rows_near = any(axis in a.node.src[0].ranges for a in accesses)
            free = axis.arg[0] not in self.done and written.score(axis) > 0
            if alike and not rows_near and free and least <= (fixed(axis) or 0) <= WIDE:
                self.take("simd", axis.arg[0])
                self.free[axis.arg[0]] = []
                return

    def in_registers(self, columns: int, lanes: int) -> bool:
        """Whether so many accumulators side by side are a few whole vectors that registers hold."""
        return columns % lanes == 0 and FEW_VECTORS <= columns // lanes <= self.registers // 2

    def rounds(self, reduction: Reduction, vector: UOp, columns: int) -> None:
        """Add several values at a time to each of so many accumulators side by side, unless
        registers hold these."""
        if self.far_rows(reduction, vector):
            self.several_rounds(reduction, max(ROUNDS, min(ROWS_AT_ONCE, AT_ONCE // columns)))
        elif not self.in_registers(columns, self.lanes(reduction.node)):
            self.several_rounds(reduction, ROUNDS)

    def padded_tile(
        self, reduction: Reduction, row: UOp, vector: UOp
    ) -> tuple[float, tuple[int, int]]:
        """The best tile that does not divide its axes, with its score: 0 without masks."""
        if not self.target.has_text("store_masked") or not self.has_lanes(reduction, vector):
            return 0.0, (1, 1)
        lanes = self.lanes(reduction.node)
        return best_padded(self.registers, row, fixed(vector) or 1, lanes)

    def cut_padded(self, axis: UOp, count: int, kind: str) -> None:
        """As `cut`, of an axis that the count need not divide: rows beyond the end are the last one
        again, lanes beyond it are not accessed."""
        if (fixed(axis) or 1) % count == 0:
            self.cut(axis, count, kind)
            return
        id = axis.arg[0]
        outer, inner = (self.axes.split if kind == "simd" else self.axes.pad)(id, count)
        self.done.add(id)
        self.take(kind, inner)
        self.free[id] = [outer]

    def most_columns(self, size: int) -> int:
        """How many of so many columns one thread adds up at a time."""
        few = min(self.cores, FEW_CORES)
        return min(LONG, max(LEAST_COLUMNS, size // few)) if self.parallel else LONG

    def far_rows(self, reduction: Reduction, vector: UOp) -> bool:
        """Whether rows that lie far apart in memory are added several at a time."""
        several = divisor(fixed(reduction.axes[-1]) or 1, ROWS_AT_ONCE) >= ROUNDS
        return several and self.are_rows_far(reduction, vector)

    def are_rows_far(self, reduction: Reduction, vector: UOp) -> bool:
        """Whether rows of large matrices are added that lie far apart in memory."""
        axis, bits = reduction.axes[-1], max(reduction.node.dtype.bits, 8)
        large = self.target.limit("far_memory")
        read = prod(fixed(a) or 1 for a in reduction.outer) * reduction.length
        if large is None or read * bits < large * 8 or not reduction.is_flat:
            return False
        steps = [a.ungated.stride(axis) for a in reduction.accesses if a.score(vector) > 0]
        return any(step is not None and abs(step) * bits >= FAR * 8 for step in steps)

    def several_rounds(self, reduction: Reduction, most: int) -> None:
        """Add several values at once to accumulators that are more than registers hold."""
        axis = reduction.axes[-1]
        size = fixed(axis) or 1
        count = divisor(size, most)
        if ROUNDS <= count < size and reduction.is_flat and not self.has_blocks(axis):
            self.done.add(axis.arg[0])
            self.axes.set_kind("unroll", self.axes.split(axis.arg[0], count)[1])

    def several_sums(self, reduction: Reduction) -> None:
        """Add values that are no neighbours to several accumulators in turn: the next addition need
        not wait for the last one, and each forgets less of what is small beside it."""
        axis = reduction.axes[-1]
        count = divisor(fixed(axis) or 1, SUMS)
        long = reduction.length >= FAR_LENGTH and 2 * count > SUMS
        free = axis.arg[0] not in self.done and not self.has_blocks(axis)
        if long and reduction.is_flat and free:
            self.cut(axis, count, "upcast")

    def has_blocks(self, axis: UOp) -> bool:
        """Whether the steps of a reduced axis are blocks of a row that is weighed: one loop."""
        return any(map(fold_of, self.axes.closers(axis.arg[0]).reduces))

    def has_lanes(self, reduction: Reduction, axis: UOp, chained: bool = False) -> bool:
        """Whether vectors of what is reduced along an axis have a spelling; `chained`: so have the
        reductions in it, which are asked for themselves."""
        value, lanes = reduction.node.src[0], self.lanes(reduction.node)
        inside = [n for n in value.toposort() if n.op is Ops.REDUCE] if chained else []
        there = {n: n.replace(dtype=n.dtype.vec(lanes)) for n in inside if axis in n.ranges}
        return in_lanes(value, axis, lanes, self.target, there) is not None

    def by_compiler(self, reduction: Reduction, axis: UOp) -> int:
        """How many values of a sum go in a loop that the compiler makes vectors of; 0 for none.

        Extremes of floats are conditions, which it leaves as they are."""
        count = loop_lanes(fixed(axis) or 1, self.lanes(reduction.node))
        summed = reduction.node.arg is Ops.ADD
        return count if count and summed and not self.has_lanes(reduction, axis) else 0

    def lane_tile(self, nest: Nest, reduction: Reduction, vector: UOp) -> None:
        """Independent partial results along the reduced axis; rows and columns that share reads."""
        size, lanes = fixed(vector) or 1, self.lanes(reduction.node)
        if size < lanes:
            lanes = size  # a vector that is not full still beats one value at a time
        if size % lanes:
            return  # the rest behind a tail
        rows = self.shared_axes(nest, reduction, vector)
        if len(rows) >= 2:
            for axis, count in rows_and_columns(reduction, rows, self.registers):
                self.cut(axis, count, "upcast")
            self.cut(vector, lanes, "simd")
            return
        count = self.by_compiler(reduction, vector)
        if count and size % count == 0:
            self.cut(vector, count, "simd")
            return
        unrolled = next(u for u in (4, 3, 2, 1) if size % (u * lanes) == 0)
        self.done.add(vector.arg[0])
        inner = vector.arg[0]
        if unrolled > 1 and size >= LONG_STREAM * unrolled:  # read in several places at once
            outer, part = self.axes.split(inner, size // unrolled)
            self.take("upcast", outer)
            self.take("simd", self.axes.split(part, lanes)[1])
            return
        if size > lanes * unrolled:
            inner = self.axes.split(inner, lanes * unrolled)[1]
        if unrolled > 1:
            outer, inner = self.axes.split(inner, lanes)
            self.take("upcast", outer)
        self.take("simd", inner)
