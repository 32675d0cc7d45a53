"""Axis choices for CPUs: threads outside, register tiles and vectors inside."""

from __future__ import annotations

from typing import Any

from rulewright.codegen.axes import Axes
from rulewright.codegen.estimate import flops
from rulewright.codegen.images import Images, images
from rulewright.codegen.images import tile as tile_images
from rulewright.codegen.keep import kept_values
from rulewright.codegen.merge import merge_neighbours, split_groups
from rulewright.codegen.nests import (
    Nest,
    Reduction,
    best_axis,
    divisor,
    fixed,
    nests,
    weights,
)
from rulewright.codegen.product_tiles import tile
from rulewright.codegen.products import FAR, Product, even_length, product
from rulewright.codegen.rows import choose_rows, kept_rows
from rulewright.codegen.tile_scores import MOST_ROWS, WIDE, best_divisors, rows_and_columns
from rulewright.codegen.turn import square
from rulewright.ir.uop import UOp

THREAD_WORK = 1 << 18
"""Operations from which on a kernel is shared between threads."""
CHAIN = 16
"""Reductions of up to this many values have no loop: the values are combined in one expression."""
CHUNK = 1024
"""Elements that one thread does at least, of a kernel with a single axis."""
BLOCK_ROWS, BLOCK_COLUMNS = 64, 8
"""Blocks in which a transposition is done; more columns share too few sets of the first cache."""
ROW = 16_384
"""Values of a row that are kept near by, at most: 64 KB of float32."""
ROUNDS = 4
"""Values that are combined before they go to accumulators in memory."""
FEW_VECTORS = 4
"""Accumulators of a reduction along a far axis that are kept in registers, at least."""
ROWS_AT_ONCE = 16
"""Rows that are far apart in memory which are read side by side, at most."""
LONG = 2048
"""Values of a row that are then read at a time, at most: their sums stay in the first cache."""
LARGE = 1 << 22
"""Bytes from which on this was faster than sums in registers; at a quarter it was slower."""


def choose_cpu(axes: Axes, target: Any) -> None:
    """Choose for every nest of the kernel."""
    merge_neighbours(axes)
    _Cpu(axes, target).choose()


class _Cpu:
    def __init__(self, axes: Axes, target: Any) -> None:
        self.axes, self.target = axes, target
        self.bits = target.limit("vector_bits") or 128
        self.registers = target.limit("vector_registers") or 16
        self.parallel = target.has("threads")
        self.cores = target.limit("cores") or 4
        self.done: set[int] = set()  # ids of ranges that have their choice
        self.free: dict[int, list[int]] = {}  # id of a range -> ids of what is left as loops

    def choose(self) -> None:
        work = flops(self.axes.ast)
        found = nests(self.axes.ast)
        if not (len(found) == 1 and self.rows(found[0])):
            split_groups(self.axes)
            self.keep()
            self.tails()
            found = nests(self.axes.ast)
            for nest in found:
                self.reductions(nest)
                self.stored(nest)
        large = not isinstance(work, int) or work >= THREAD_WORK
        if large and self.parallel and found:
            self.threads(found)

    def rows(self, nest: Nest) -> bool:
        """Do products with rows near by between them in tiles of rows; whether there are any."""
        found = kept_rows(nest)
        if found is None:
            return False
        left = choose_rows(self.axes, found, self.target)
        self.free = {a.arg[0]: [] for _, a in found.products} | {found.row.arg[0]: left[:1]}
        return True

    def keep(self) -> None:
        """Compute once what a row needs both to be reduced and to be stored."""
        for nest in nests(self.axes.ast):
            for stored in nest.private:
                for reduction in nest.reductions:
                    if len(reduction.axes) != 1 or not self.keeps(nest, reduction, stored):
                        continue
                    (reduced,) = reduction.axes
                    row = self.axes.merge(reduced.arg[0], stored.arg[0], "keep")
                    self.take("simd", row)
                    return

    def keeps(self, nest: Nest, reduction: Reduction, stored: UOp) -> bool:
        """Whether something costly is needed twice, and a row of it is small enough."""
        (reduced,) = reduction.axes
        size = fixed(stored)
        if size is None or size != reduced.size or not CHAIN < size <= ROW:
            return False
        along = sum(a.score(reduced) for a in reduction.accesses) > 0
        return along and bool(kept_values(self.axes.ast, reduced, stored))

    # ---- vectors ----------------------------------------------------------------------------

    def lanes(self, node: UOp) -> int:
        """Elements of a vector of this node's dtype."""
        return max(1, self.bits // max(node.dtype.bits, 8))

    def vector_axis(self, nest: Nest, reduction: Reduction) -> UOp | None:
        """The axis along which a reduction's body is vectorised."""
        least = self.lanes(reduction.node) // 2
        scores: dict[UOp, float] = {}
        written = nest.accesses[0]
        axes = (*reduction.axes, *(a for a in nest.axes if a in reduction.outer))
        often = weights([*reduction.accesses, written], axes, MOST_ROWS)
        for axis in axes:
            size = fixed(axis)
            if size is None or size < least:
                continue
            score = sum(often[a.node] * a.score(axis) for a in reduction.accesses)
            score += -0.5 if axis in reduction.axes else often[written.node] * written.score(axis)
            scores[axis] = score
        return best_axis(scores)

    def tails(self) -> None:
        """Cut what is vectorised at a multiple of the vector, where no divisor is good."""
        rest: set[int] = set()
        again = True
        while again:
            again = False
            for nest in nests(self.axes.ast):
                for reduction in nest.reductions:
                    if self.found_product(nest, reduction):
                        rows = self.shared_axes(nest, reduction, None)
                        even = even_length(nest, reduction, rows, self.target)
                        again = even > 0 and bool(self.axes.tail(reduction.axes[-1].arg[0], even))
                        break
                    axis = self.vector_axis(nest, reduction)
                    if axis is None or axis.arg[0] in rest or reduction.length <= CHAIN:
                        continue
                    even = self.even_part(nest, reduction, axis)
                    if even:
                        rest.update(self.axes.tail(axis.arg[0], even))
                        again = True
                        break
                if again:
                    break

    def even_part(self, nest: Nest, reduction: Reduction, axis: UOp) -> int:
        """How much of an axis to do apart from its tail; 0 to leave it whole."""
        size, lanes = fixed(axis) or 1, self.lanes(reduction.node)
        rows = self.shared_axes(nest, reduction, axis)
        if axis in reduction.axes:
            block = 4 * lanes if size >= 16 * lanes and len(rows) < 2 else lanes
        elif not rows or not reduction.reused(axis):
            block = 0 if divisor(size, WIDE) >= 4 * lanes or size <= WIDE else 4 * lanes
        else:
            exact, _ = best_divisors(self.registers, rows[0], size, lanes)
            ideal, _ = best_divisors(self.registers, rows[0], 2 * lanes, lanes)
            block = 2 * lanes if ideal > 1.5 * exact else 0
        return size - size % block if block and size > block and size % block else 0

    def take(self, kind: str, id: int) -> None:
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

    # ---- reductions ---------------------------------------------------------------------------

    def reductions(self, nest: Nest) -> None:
        for reduction in nest.reductions:
            if any(r.arg[0] in self.done for r in reduction.axes):
                continue
            if self.product(nest, reduction):
                continue
            short = reduction.length <= CHAIN and reduction.can_chain
            if short and not self.tiled(nest, reduction):
                for step in reduction.axes:
                    self.take("unroll", step.arg[0])
                self.triangle(nest, reduction)
                continue
            axis = self.vector_axis(nest, reduction)
            if axis is None or axis.arg[0] in self.done:
                continue
            if axis in reduction.axes:
                self.lane_tile(nest, reduction, axis)
            else:
                self.register_tile(nest, reduction, axis)

    def found_product(self, nest: Nest, reduction: Reduction) -> Product | Images | None:
        """How to do a reduction as a product of matrices, if it is one."""
        shared = self.shared_axes(nest, reduction, None)
        blocks = images(nest, reduction, shared, self.target)
        if blocks is not None and blocks.windows:
            return blocks
        plain = product(nest, reduction, shared, self.target)
        return plain if plain is not None and plain.far else blocks or plain

    def product(self, nest: Nest, reduction: Reduction) -> bool:
        """Do a product of matrices in tiles; whether it was one."""
        found = self.found_product(nest, reduction)
        if found is None:
            return False
        if isinstance(found, Images):
            self.done.update(a.arg[0] for a in (*found.axes, *reduction.axes))
            shared = tile_images(self.axes, reduction, found)
            self.free.update({a.arg[0]: [] for a in found.axes})
            self.free[found.channel.arg[0]] = [shared]
            return True
        steps = (axis for r in nest.reductions for axis in r.axes)
        self.done.update(a.arg[0] for a in (found.row, found.column, *found.beside, *steps))
        shared = tile(self.axes, nest, reduction, found)
        self.free |= {found.row.arg[0]: [shared], found.column.arg[0]: []}
        self.free |= {axis.arg[0]: [] for axis in found.beside}
        return True

    def triangle(self, nest: Nest, reduction: Reduction) -> None:
        """Vectorise the results of a chain that reads the same values for all of them.

        So does a running sum of a block, which differs from place to place by what it leaves out.
        """
        written, least = nest.accesses[0], self.lanes(reduction.node) // 2
        for axis in nest.axes:
            alike = axis in reduction.outer and all(a.score(axis) == 0 for a in reduction.accesses)
            free = axis.arg[0] not in self.done and written.score(axis) > 0
            if alike and free and least <= (fixed(axis) or 0) <= WIDE:
                self.take("simd", axis.arg[0])
                self.free[axis.arg[0]] = []
                return

    def tiled(self, nest: Nest, reduction: Reduction) -> bool:
        """Whether reading less by a register tile is worth more than having no loop."""
        return reduction.length > 4 and len(self.shared_axes(nest, reduction, None)) > 1

    def shared_axes(self, nest: Nest, reduction: Reduction, vector: UOp | None) -> list[UOp]:
        """Stored axes still free along which something that was read can be used again."""
        return reduction.sharing((a for a in nest.axes if a.arg[0] not in self.done), vector)

    def register_tile(self, nest: Nest, reduction: Reduction, vector: UOp) -> None:
        """Rows times vectors of accumulators; without rows to share, one long row."""
        size, lanes = fixed(vector) or 1, self.lanes(reduction.node)
        rows = self.shared_axes(nest, reduction, vector)
        if not rows or not reduction.reused(vector):
            if self.far_rows(reduction, vector):
                self.cut(vector, divisor(size, LONG, lanes), "simd")
                self.several_rounds(reduction, ROWS_AT_ONCE)
                return
            held = divisor(size, self.registers // 2 * lanes, lanes)
            if held % lanes == 0 and held >= FEW_VECTORS * lanes:
                self.cut(vector, held, "simd")
                return
            self.cut(vector, divisor(size, WIDE, lanes), "simd")
            self.several_rounds(reduction, ROUNDS)
            return
        _, (count, width) = best_divisors(self.registers, rows[0], size, lanes)
        if count > 1:
            self.cut(rows[0], count, "upcast")
        elif width > 2 * lanes:
            self.several_rounds(reduction, ROUNDS)
        self.cut(vector, width, "simd")

    def far_rows(self, reduction: Reduction, vector: UOp) -> bool:
        """Whether rows of a large matrix are added that lie far apart in memory."""
        axis, size = reduction.axes[-1], fixed(vector) or 1
        bits = max(reduction.node.dtype.bits, 8)
        several = reduction.is_flat and divisor(fixed(axis) or 1, ROWS_AT_ONCE) >= ROUNDS
        if size * reduction.length * bits < LARGE * 8 or not several:
            return False
        steps = [a.ungated.stride(axis) for a in reduction.accesses if a.score(vector) > 0]
        return any(step is not None and abs(step) * bits >= FAR * 8 for step in steps)

    def several_rounds(self, reduction: Reduction, most: int) -> None:
        """Add several values at once to accumulators that are more than registers hold."""
        axis = reduction.axes[-1]
        size = fixed(axis) or 1
        count = divisor(size, most)
        if ROUNDS <= count < size and reduction.is_flat:
            self.done.add(axis.arg[0])
            self.axes.set_kind("unroll", self.axes.split(axis.arg[0], count)[1])

    def lane_tile(self, nest: Nest, reduction: Reduction, vector: UOp) -> None:
        """Independent partial results along the reduced axis; rows and columns that share reads."""
        size, lanes = fixed(vector) or 1, self.lanes(reduction.node)
        if size < lanes:
            lanes = size  # a vector that is not full still beats one value at a time
        if size % lanes:
            return  # the rest behind a tail
        rows = self.shared_axes(nest, reduction, vector)
        if len(rows) >= 2:
            for axis, count in rows_and_columns(reduction, rows):
                self.cut(axis, count, "upcast")
            self.cut(vector, lanes, "simd")
            return
        unrolled = next(u for u in (4, 3, 2, 1) if size % (u * lanes) == 0)
        self.done.add(vector.arg[0])
        inner = vector.arg[0]
        if size > lanes * unrolled:
            inner = self.axes.split(inner, lanes * unrolled)[1]
        if unrolled > 1:
            outer, inner = self.axes.split(inner, lanes)
            self.take("upcast", outer)
        self.take("simd", inner)

    # ---- stores -------------------------------------------------------------------------------

    def stored(self, nest: Nest) -> None:
        """Vectorise the store along an axis that no reduction is inside of."""
        loops = [a for a in nest.private if a.arg[0] not in self.done]
        if not loops or any(a.arg[0] in self.done for a in nest.axes):
            return
        scores: dict[UOp, float] = {a: sum(x.score(a) for x in nest.accesses) for a in loops}
        axis = best_axis(scores, least=-1000.0)
        if axis is None:
            return
        if not nest.reductions and self.blocks(nest, axis, loops):
            return
        size = fixed(axis)
        alone = len(nest.axes) == 1
        if alone and size is not None and size > 16 * CHUNK:
            chunk = divisor(size, CHUNK, 16)
            if chunk >= 256:
                self.cut(axis, chunk, "simd")
                return
        self.take("simd", axis.arg[0])
        self.free[axis.arg[0]] = []

    def blocks(self, nest: Nest, axis: UOp, loops: list[UOp]) -> bool:
        """Go through a transposition in blocks, so that each line of memory is fetched once.

        Squares that fit are turned in registers.
        """
        far = [a for a in nest.accesses if a.score(axis) < 0]
        across = [b for b in loops if b is not axis and any(a.form.stride(b) == 1 for a in far)]
        if not across:
            return False
        side = square(nest.end, across[0], axis, self.lanes(nest.store.src[1]), self.target)
        if side:
            self.cut(across[0], side, "upcast")
            self.cut(axis, side, "simd")
            return True
        if (fixed(axis) or 1) % BLOCK_COLUMNS:
            return False
        rows = divisor(fixed(across[0]) or 1, BLOCK_ROWS)
        if rows < BLOCK_COLUMNS:
            return False
        self.cut(across[0], rows, "block")
        self.cut(axis, BLOCK_COLUMNS, "simd")
        return True

    # ---- threads ------------------------------------------------------------------------------

    def loops_left(self, nest: Nest) -> list[int]:
        """Ids of the nest's loops that have no kind yet, outermost first."""
        loops = [a for a in nest.axes if a.arg[1] != "reduce"]
        ids = [id for a in loops for id in self.free.get(a.arg[0], [a.arg[0]])]
        return list(filter(self.axes.has, ids))  # one of a single value has vanished

    def threads(self, found: list[Nest]) -> None:
        """Share the outermost loops that all nests have in common."""
        common = [id for id in self.loops_left(found[0])]
        for nest in found[1:]:
            common = [id for id in common if id in self.loops_left(nest)]
        if not common or self.repeats_work(found):
            return
        shared = common[0]
        for id in common[1:]:
            size = self.axes.size(shared)
            if not isinstance(size, int) or size >= self.cores:
                break
            shared = self.axes.merge(shared, id, "join")
        if self.axes.size(shared) != 1:
            self.axes.set_kind("thread", shared)

    def repeats_work(self, found: list[Nest]) -> bool:
        """Whether a reduction stands outside of all loops: every thread would do it."""
        return any(not r.outer and r.length > CHAIN for nest in found for r in nest.reductions)
