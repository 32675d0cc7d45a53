"""Axis choices for CPUs: threads outside, register tiles and vectors inside."""

from __future__ import annotations

from math import prod
from typing import Any

from rulewright.codegen.axes import Axes
from rulewright.codegen.choices import Choice
from rulewright.codegen.copies import kept_values
from rulewright.codegen.core_products import CoreProduct, core_product, tile as tile_core
from rulewright.codegen.core_rows import choose_core_rows, core_rows, kept_bytes
from rulewright.codegen.cpu_shares import CHAIN, Shares
from rulewright.codegen.cpu_tiles import MOST_ROWS, ROUNDS, ROWS_AT_ONCE, WIDE, best_divisors
from rulewright.codegen.estimate import work
from rulewright.codegen.image_blocks import Images
from rulewright.codegen.images import images, tile as tile_images
from rulewright.codegen.in_turns import Turns, kinds_in_turns
from rulewright.codegen.lanes import MOST_STEP, in_lanes
from rulewright.codegen.merge import cut_pieces, merge_neighbours, split_digits, split_groups
from rulewright.codegen.nests import (
    Nest,
    Reduction,
    best_axis,
    divisor,
    fixed,
    is_costly,
    is_picked,
    nests,
    single_stores,
    weights,
)
from rulewright.codegen.products import (
    FAR_LENGTH,
    LOSSY,
    TiledProduct,
    even_length,
    is_computed,
    product,
    rows_before,
    tile,
)
from rulewright.codegen.rows import choose_rows, cut_kept_rows, in_blocks, kept_rows
from rulewright.codegen.turn import square
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import at_most, is_multiple
from rulewright.ir.uop import UOp

THREAD_WORK = 1 << 18
"""Operations from which on a kernel is shared between threads."""
SHORT = 7
"""The same where the values are neighbours: more of them are a vector, and a few behind it."""
LEAST_MASKED, FEW_MASKED, MASKED_WORK = 4, 3, 1 << 12
"""Results side by side that are a vector with a mask, at least, and so many where there is no other
way to vectors; operations from which on they are."""
BLOCK_ROWS, BLOCK_COLUMNS = 64, 8
"""Blocks in which a transposition is done; more columns share too few sets of the first cache."""
FEW_STRIPES = 4
"""How many rows of lines of memory are enough for threads to share."""
FAR_CHAIN = 64
"""Values up to which a sum is one expression where only its results are neighbours in memory."""
MOST_UNROLLED = 2048
"""Nodes up to which short reductions are expressions without loops: a compiler takes seconds for a
function of so many."""
ROW = 65_536
"""Values of a row that are kept near by, at most: 256 KB of float32."""


AnyProduct = TiledProduct | Images | CoreProduct
"""A way to do a product of matrices."""


def choose_cpu(axes: Axes, target: Any) -> None:
    """Choose for every nest of the kernel."""
    cut_pieces(axes)
    merge_neighbours(axes)
    split_digits(axes)
    _Cpu(axes, target).choose()


def is_stepped(reduction: Reduction, axis: UOp) -> bool:
    """Whether all that is read lies a few elements further on in each step of an axis."""
    steps = [a.ungated.stride(axis) for a in reduction.accesses]
    return any(steps) and all(s is not None and abs(s) <= MOST_STEP for s in steps)


class _Cpu(Shares):
    def __init__(self, axes: Axes, target: Any) -> None:
        super().__init__(axes, target)
        self.products: dict[Any, AnyProduct | None] = {}
        self.known: dict[UOp, Nest] = {}

    def choose(self) -> None:
        todo = work(self.axes.ast)
        large = self.parallel and (not isinstance(todo, int) or todo >= THREAD_WORK)
        nests = self.nests()
        if not (len(nests) == 1 and self.rows(nests[0])):
            while cut_kept_rows(self.axes, [r for n in nests for r in n.reductions], self.target):
                nests = self.nests()
            split_groups(self.axes)
            while self.join_rows():
                pass
            self.keep()
            while self.apart():
                pass
            self.even_stores(large)
            self.tails()
            nests = self.nests()
            if large:
                self.leave_rests(nests)
            long = [r for nest in nests for r in nest.reductions if self.is_long(nest, r)]
            around = {a for r in long for a in r.outer}
            for nest in [*nests, *single_stores(self.axes.ast)]:
                self.reductions(nest)
                self.stored(nest, around)
            self.stored_inside(nests)
            self.near()
        if large and nests:
            self.threads(nests)

    def rows(self, nest: Nest) -> bool:
        """Do products with rows near by between them in tiles of rows; whether there are any."""
        rows = kept_rows(nest, self.target)
        if rows is None:
            return False
        products = core_rows(rows, self.target)
        kept = 0 if products is None else kept_bytes(products)
        is_large = products is None or kept > 2 * (self.target.limit("near_memory") or 0)
        if is_large and in_blocks(self.axes, rows, self.target, products is not None):
            (nest,) = self.nests()
            return self.rows(nest)
        if products is None or kept > (self.target.limit("own_memory") or 0):
            left = choose_rows(self.axes, rows, self.target)
        else:
            left = choose_core_rows(self.axes, rows, products, self.target)
        self.free = {a.arg[0]: [] for _, a in rows.products} | {rows.row.arg[0]: left[:1]}
        return True

    def near(self) -> None:
        """Compute rows that stay near by as vectors."""
        for stage in self.axes.ast.toposort():
            if stage.op is not Ops.STAGE:
                continue
            value, row = stage.src[0], stage.src[-1]
            lanes = self.lanes(value)
            id = row.arg[0]
            is_left = self.axes.has(id) and self.axes.is_whole(id) and self.axes.kind(id) == "loop"
            if id in self.done or not is_left or (fixed(row) or 0) < lanes:
                continue
            if in_lanes(value, row, lanes, self.target) is not None:
                self.take("simd", id)

    def keep(self) -> None:
        """Compute once what a row needs both to be reduced and to be stored."""
        for nest in self.nests():
            for stored in nest.private:
                for reduction in nest.reductions:
                    if len(reduction.axes) != 1 or not self.keeps(nest, reduction, stored):
                        continue
                    (reduced,) = reduction.axes
                    row = self.axes.merge(reduced.arg[0], stored.arg[0], "keep")
                    if fixed(stored) is None:
                        row = self.axes.split(row, 4 * self.lanes(reduction.node))[1]
                    self.take("simd", row)
                    return

    def nests(self) -> list[Nest]:
        """The nests of the kernel as it is now; one that stays is looked at once."""
        return [self.known.setdefault(nest.end, nest) for nest in nests(self.axes.ast)]

    def all_nests(self) -> list[Nest]:
        """The same, and what the kernel stores outside of all loops."""
        return [*self.nests(), *single_stores(self.axes.ast)]

    def apart(self) -> bool:
        """Compute a row before it is reduced if its vectors have no spelling; whether one was."""
        for nest in self.all_nests():
            for reduction in nest.reductions:
                if len(reduction.axes) > 1 or self.known_product(nest, reduction):
                    continue
                axis = self.vector_axis(nest, reduction)
                if axis is None or axis not in reduction.axes:
                    continue
                near = SHORT < (fixed(axis) or 0) <= ROW and not self.by_compiler(reduction, axis)
                # a target that has no vectors of the sum gets none by this either
                near = near and self.target.has_vectors(reduction.node.dtype)
                if near and not self.has_lanes(reduction, axis):
                    self.take("simd", self.axes.apart(axis.arg[0]))
                    return True
        return False

    def keeps(self, nest: Nest, reduction: Reduction, stored: UOp) -> bool:
        """Whether something costly is needed twice, and a row of it is small enough."""
        (reduced,) = reduction.axes
        if stored.size != reduced.size or not SHORT < at_most(stored.size) <= ROW:
            return False
        along = sum(a.score(reduced) for a in reduction.accesses) > 0
        return along and bool(kept_values(self.axes.ast, reduced, stored))

    # ---- vectors ----------------------------------------------------------------------------

    def vector_axis(self, nest: Nest, reduction: Reduction) -> UOp | None:
        """The axis along which a reduction's body is vectorised."""
        half = self.lanes(reduction.node) // 2
        best = self.best_read(nest, reduction, half)
        masked = best is None and self.far_axis(nest, reduction, half) is None
        if masked:
            best = self.best_read(nest, reduction, LEAST_MASKED)
        if best is None:
            best = self.stepped_axis(nest, reduction)
            best = self.costly_axis(reduction) if best is None else best
        return self.best_read(nest, reduction, FEW_MASKED) if best is None and masked else best

    def best_read(self, nest: Nest, reduction: Reduction, least: int) -> UOp | None:
        """The axis of so many values, at least, along which most is read and written."""
        scores: dict[UOp, float] = {}
        written = nest.accesses[0]
        axes = (*reduction.axes, *(a for a in nest.axes if a in reduction.outer))
        often = weights([*reduction.accesses, written], axes, MOST_ROWS)
        for axis in axes:
            size = fixed(axis)
            if size is None or size < self.least(reduction, axis, least):
                continue
            score = sum(often[a.node] * a.score(axis) for a in reduction.accesses)
            score += -0.5 if axis in reduction.axes else often[written.node] * written.score(axis)
            scores[axis] = score
        return best_axis(scores)

    def least(self, reduction: Reduction, axis: UOp, most: int) -> int:
        """Values along an axis, at least, that are a vector: so many, but half a vector without
        masks, of what is reduced or takes many steps, and where reads are no even step apart."""
        steps = [a.ungated.stride(axis) for a in reduction.accesses if a.form.uses(axis)]
        apart = axis in reduction.axes or None in steps
        costly = any(is_costly(reduction.node.src[0], a) for a in reduction.axes)
        count = prod(fixed(a) or 1 for a in reduction.outer) * reduction.length
        masked = self.target.has_text("store_masked") and count >= MASKED_WORK
        half = self.lanes(reduction.node) // 2
        return min(most, half) if masked and not apart and not costly else half

    def stepped_axis(self, nest: Nest, reduction: Reduction) -> UOp | None:
        """Along which results are neighbours, if what they are sums of lies a few steps apart along
        it, and farther along what is reduced."""
        near = [a for a in nest.axes if a in reduction.outer and nest.accesses[0].score(a) > 0]
        wide = [a for a in near if (fixed(a) or 0) >= self.lanes(reduction.node)]
        far = not any(is_stepped(reduction, a) for a in reduction.axes)
        return next((a for a in wide if far and is_stepped(reduction, a)), None)

    def costly_axis(self, reduction: Reduction) -> UOp | None:
        """A loop of a sum of what takes many steps, or of what lies a few steps apart in memory, if
        it is long: picked up one by one, its values are computed together, where the compiler would
        leave the loop as it is."""
        if reduction.length <= CHAIN:
            return None
        lanes, value = self.lanes(reduction.node), reduction.node.src[0]
        long = reduction.length >= FAR_LENGTH
        pays = [
            a for a in reduction.axes if is_costly(value, a) or (long and is_stepped(reduction, a))
        ]
        wide = [a for a in pays if (fixed(a) or 0) >= lanes and self.has_lanes(reduction, a)]
        return wide[-1] if wide else None

    def own_axis(self, nest: Nest, reduction: Reduction) -> UOp | None:
        """The same, but none along which rows lie that other long reductions go along: each of
        their accumulators would be there for all of these rows."""
        axis = self.vector_axis(nest, reduction)
        if axis is None or axis in reduction.axes:
            return axis
        others = [r for r in nest.reductions if r is not reduction and axis in r.outer]
        if any(self.vector_axis(nest, r) in r.axes for r in others if self.is_long(nest, r)):
            last = reduction.axes[-1]
            return last if (fixed(last) or 0) >= self.lanes(reduction.node) // 2 else None
        return axis

    def tails(self) -> None:
        """Cut what is vectorised at a multiple of the vector, where no divisor is good."""
        even_parts: set[int] = set()
        whole: set[Any] = set()
        while self.cut_tail(even_parts, whole) or self.cut_open():
            pass

    def cut_tail(self, even_parts: set[int], whole: set[Any]) -> bool:
        """Cut the first such axis; whether there was one. What stays `whole`, in a nest with the
        same axes, is looked at once: a cut elsewhere changes nothing of it."""
        for nest in self.all_nests():
            place = nest.axes, nest.store.src[0], len(nest.reductions) > 1
            for reduction in nest.reductions:
                here = reduction.node, *place
                if here in whole:
                    continue
                is_product = self.known_product(nest, reduction) is not None
                lossy = not is_product and reduction.length >= LOSSY
                even = self.even_length(nest, reduction) if is_product or lossy else 0
                even = even or (0 if is_product else self.even_rows(nest, reduction))
                if is_product or even:
                    if even and self.rest_of(reduction.axes[-1].arg[0], even):
                        return True
                    break
                axis = self.vector_axis(nest, reduction)
                if axis is not None and axis.arg[0] not in even_parts:
                    if not self.is_long(nest, reduction):
                        continue
                    even = self.even_part(nest, reduction, axis)
                    if even:
                        even_parts.add(self.rest_of(axis.arg[0], even))
                        return True
                whole.add(here)
        return False

    def even_length(self, nest: Nest, reduction: Reduction) -> int:
        """How much of a product's sum to do apart from the rest; 0 for all of it."""
        if isinstance(self.known_product(nest, reduction), CoreProduct):
            return 0
        rows = self.shared_axes(nest, reduction, None)
        return even_length(nest, reduction, rows, self.target)

    def even_rows(self, nest: Nest, reduction: Reduction) -> int:
        """How many far rows to add up apart from the rest, where they have no good divisor."""
        vector = self.vector_axis(nest, reduction)
        size = fixed(reduction.axes[-1]) or 1
        if vector is None or vector in reduction.axes or divisor(size, ROWS_AT_ONCE) >= ROUNDS:
            return 0
        shared = self.shared_axes(nest, reduction, vector)
        far = size >= 8 * ROWS_AT_ONCE and not shared and self.are_rows_far(reduction, vector)
        return size - size % ROWS_AT_ONCE if far else 0

    def even_part(self, nest: Nest, reduction: Reduction, axis: UOp) -> int:
        """How much of an axis to do apart from its tail; 0 to leave it whole."""
        size, lanes = fixed(axis) or 1, self.lanes(reduction.node)
        rows = self.shared_axes(nest, reduction, axis)
        if len(nest.axes) == 1 and axis in nest.axes and self.far_rows(reduction, axis):
            return self.even_columns(size, lanes)
        if axis in reduction.axes:
            block = 4 * lanes if size >= 16 * lanes and len(rows) < 2 else lanes
            block = (self.by_compiler(reduction, axis) if len(rows) < 2 else 0) or block
            block = min(block, 1 << size.bit_length() - 1)
        elif not rows or not reduction.reused(axis):
            block = 0 if divisor(size, WIDE) >= 4 * lanes or size <= WIDE else 4 * lanes
        else:
            exact, _ = best_divisors(self.registers, rows[0], size, lanes)
            exact = max(exact, self.padded_tile(reduction, rows[0], axis)[0])
            ideal, _ = best_divisors(self.registers, rows[0], 2 * lanes, lanes)
            block = 2 * lanes if ideal > 1.5 * exact else 0
        return size - size % block if block and size > block and size % block else 0

    # ---- reductions ---------------------------------------------------------------------------

    def reductions(self, nest: Nest) -> None:
        for reduction in nest.reductions:
            if any(r.arg[0] in self.done for r in reduction.axes):
                continue
            if self.product(nest, reduction):
                continue
            axis = self.own_axis(nest, reduction)
            if axis in nest.axes and self.near_factor(nest, reduction, axis):
                continue
            far = self.far_axis(nest, reduction, LEAST_MASKED) if axis is None else None
            short = not self.is_long(nest, reduction, CHAIN if far is None else FAR_CHAIN)
            if short and (far is not None or not self.tiled(nest, reduction)):
                for step in reduction.axes:
                    self.take("unroll", step.arg[0])
                self.triangle(nest, reduction)
                if far is not None and far.arg[0] not in self.done:
                    self.take("simd", far.arg[0])
                    self.free[far.arg[0]] = []
                continue
            beyond = self.open_step(reduction, axis)
            if beyond is not None:
                self.cut(beyond, self.open_block(reduction, beyond), "simd")
                continue
            if axis is None:
                self.several_sums(reduction)
            elif axis.arg[0] not in self.done:
                tile = self.lane_tile if axis in reduction.axes else self.register_tile
                tile(nest, reduction, axis)
            elif axis.arg[0] in self.columns:
                self.rounds(reduction, axis, self.columns[axis.arg[0]])

    def cut_open(self) -> bool:
        """Cut what only the kernel knows the size of where its last whole block ends, so that one
        vector alone has a mask; whether something was cut."""
        for nest in self.nests():
            loops = {self.open_store(nest): self.lanes(nest.store.src[1])}
            open_sums = [r for r in nest.reductions if None in map(fixed, r.axes)]
            for reduction in open_sums:
                step = self.open_step(reduction, self.own_axis(nest, reduction))
                loops[step] = 0 if step is None else self.open_block(reduction, step)
            for loop, block in loops.items():
                if loop is not None and loop.vmax >= block and not is_multiple(loop.size, block):
                    self.rest_of(loop.arg[0], block)
                    return True
        return False

    def far_axis(self, nest: Nest, reduction: Reduction, least: int) -> UOp | None:
        """Where results are neighbours, though what they are the only sum of is not."""
        if nest.reductions != [reduction]:
            return None
        near = [a for a in nest.axes if nest.accesses[0].score(a) > 0]
        fits = (a for a in near if self.least(reduction, a, least) <= (fixed(a) or 0) <= WIDE)
        return next(fits, None)

    def known_product(self, nest: Nest, reduction: Reduction) -> AnyProduct | None:
        """How to do a reduction as a product of matrices, if it is one; found out once."""
        shared = self.shared_axes(nest, reduction, None)
        key = nest.end, reduction.node, tuple(shared)
        if key not in self.products:
            self.products[key] = self.best_product(nest, reduction, shared)
        return self.products[key]

    def best_product(
        self, nest: Nest, reduction: Reduction, shared: list[UOp]
    ) -> AnyProduct | None:
        """In blocks of images where windows slide over them, or small matrices take their pixels;
        else in plain tiles or such blocks."""
        blocks = images(nest, reduction, shared, self.target)
        if blocks is not None and (blocks.windows or blocks.core):
            return blocks
        free = [a for a in nest.axes if a in reduction.outer and a.arg[0] not in self.done]
        rows = [a for a in free if fixed(a) is None and reduction.reused(a)]
        by_core = core_product(nest, reduction, [*shared, *rows], self.target)
        if by_core is not None and self.is_plane(by_core.row, by_core.column):
            return by_core
        computed = [a for a in nest.axes if a.arg[0] not in self.done and is_computed(reduction, a)]
        if computed:  # which is the same along all the others
            shared = [*shared, *(a for a in free if a not in (*shared, *computed))]
        plain = product(nest, reduction, [*shared, *computed, *rows], self.target)
        if plain is not None:  # chunks of rows and panels of columns become one loop
            plain = plain if self.is_plane(plain.row, plain.column) else None
        picked = blocks is not None and blocks.image is not None
        return plain if plain is not None and plain.far and not picked else blocks or plain

    def join_rows(self) -> bool:
        """Make rows of a product that go on along another range one range; whether some did."""
        for nest in self.nests():
            for reduction in nest.reductions:
                tiles = self.known_product(nest, reduction)
                if isinstance(tiles, TiledProduct):
                    outer = rows_before(nest, reduction, tiles)
                    if outer is not None and self.is_plane(outer, tiles.column):
                        self.axes.merge(outer.arg[0], tiles.row.arg[0], "join")
                        self.axes.settle()
                        return True
        return False

    def is_plane(self, row: UOp, column: UOp) -> bool:
        """Whether the same stores go along both."""
        return self.axes.closers(row.arg[0]) == self.axes.closers(column.arg[0])

    def product(self, nest: Nest, reduction: Reduction) -> bool:
        """Do a product of matrices in tiles; whether it was one."""
        product = self.known_product(nest, reduction)
        if product is None:
            return False
        if isinstance(product, Images):
            self.done.update(a.arg[0] for a in (*product.axes, *reduction.axes))
            shared = tile_images(self.axes, reduction, product, self.target)
            self.free.update({a.arg[0]: [] for a in product.axes})
            self.free[product.channel.arg[0]] = [shared]
            return True
        if isinstance(product, CoreProduct):
            self.done.update(a.arg[0] for a in (product.row, product.column, *reduction.axes))
            shared = tile_core(self.axes, reduction, product)
            self.free |= {product.row.arg[0]: [shared], product.column.arg[0]: []}
            return True
        steps = (axis for r in nest.reductions for axis in r.axes)
        self.done.update(a.arg[0] for a in (product.row, product.column, *product.beside, *steps))
        shared = tile(self.axes, nest, reduction, product)
        self.free |= {product.row.arg[0]: [shared], product.column.arg[0]: []}
        self.free |= {axis.arg[0]: [] for axis in product.beside}
        return True

    # ---- stores -------------------------------------------------------------------------------

    def stored(self, nest: Nest, around: set[UOp]) -> None:
        """Vectorise the store along an axis that no reduction of its own is inside of, and no long
        one of another store."""
        loops = [a for a in nest.private if a.arg[0] not in self.done and a not in around]
        if any(a.arg[0] in self.done for a in nest.axes) or self.across_rows(nest):
            return
        axis = self.stored_axis(nest, loops) if loops else self.chain_axis(nest)
        if axis is None:
            return
        if not nest.reductions and (self.blocks(nest, axis, loops) or self.in_turns(nest)):
            return
        if is_picked(nest.store.src[1], axis) and not is_costly(nest.store.src[1], axis):
            return
        rows = prod(fixed(a) or self.cores for a in nest.axes if a is not axis)
        if rows < self.cores and self.is_shared(nest, axis):
            chunk, least = self.chunk(nest, axis)
            if chunk >= least:
                self.cut(axis, chunk, "simd")
                return
        if fixed(axis) is None and self.is_masked(nest, axis):
            self.cut(axis, self.lanes(nest.store.src[1]), "simd")
            return
        self.take("simd", axis.arg[0])
        self.free[axis.arg[0]] = []

    def in_turns(self, nest: Nest) -> bool:
        """Compute neighbours of few kinds as a vector of each, where all that is stored is such."""
        turns = self.turns_of(nest)
        if turns is None or any(self.turns_of(other) != turns for other in self.nests()):
            return False
        axis, across, kinds, lanes = turns
        outer = axis.arg[0]
        self.done.add(outer)
        self.free[outer] = []
        if across is None:
            outer, kind = self.axes.split(outer, kinds)
        else:
            kind = across.arg[0]
            self.free[kind] = []
        self.take("upcast", kind)
        if (fixed(axis) or 1) > lanes * (kinds if across is None else 1):
            left, outer = self.axes.split(outer, lanes)
            self.free[axis.arg[0]] = [left]
        self.take("simd", outer)
        return True

    def across_rows(self, nest: Nest) -> bool:
        """Go through short rows that are one range in whole vectors; whether there are any."""
        axis = next((a for a in nest.axes if a.arg[0] in self.vectors), None)
        if axis is None:
            return False
        rows, id = self.vectors[axis.arg[0]], axis.arg[0]
        self.done.add(id)
        outer, inner = self.axes.split(id, rows.values)
        self.free[id] = [outer]
        if rows.vectors > 1:
            across, inner = self.axes.split(inner, rows.values // rows.vectors)
            self.take("upcast", across)
        self.take("simd", inner)
        return True

    def turns_of(self, nest: Nest) -> Turns | None:
        """Which kinds of neighbours a nest stores in turns; None if it stores none."""
        return kinds_in_turns(nest, self.lanes(nest.store.src[1]), self.target)

    def blocks(self, nest: Nest, axis: UOp, loops: list[UOp]) -> bool:
        """Go through a transposition in blocks, so that each line of memory is fetched once.

        Squares that fit are turned in registers.
        """
        across = self.read_across(nest, axis, loops)
        if across is None or not self.rests.isdisjoint((axis.arg[0], across.arg[0])):
            return False
        side = square(nest.end, across, axis, self.lanes(nest.store.src[1]), self.target)
        if side:
            if not self.stripes(across, axis, side, nest.store.src[1].dtype.itemsize):
                self.cut(across, side, "upcast")
                self.cut(axis, side, "simd")
            return True
        if (fixed(axis) or 1) % BLOCK_COLUMNS:
            return False
        rows = divisor(fixed(across) or 1, BLOCK_ROWS)
        if rows < BLOCK_COLUMNS:
            return False
        self.cut(across, rows, "block")
        self.cut(axis, BLOCK_COLUMNS, "simd")
        return True

    def stripes(self, across: UOp, axis: UOp, side: int, itemsize: int) -> bool:
        """Turn squares whose rows are parts of a line of memory beside each other, in blocks, so
        that a line is still near by when the next part of it is read; False if none fit."""
        wide = (self.target.limit("line") or itemsize) // itemsize
        width, height = fixed(across) or 1, fixed(axis) or 1
        is_whole = width % wide == 0 == height % BLOCK_ROWS
        if side >= wide or width < FEW_STRIPES * wide or not is_whole:
            return False
        stripe, inside = self.axes.split(across.arg[0], wide)
        squares, rows = self.axes.split(inside, side)
        blocks, columns = self.axes.split(axis.arg[0], BLOCK_ROWS)
        self.axes.apply(Choice("reorder", blocks, squares))
        self.take("upcast", rows)
        self.take("simd", self.axes.split(columns, side)[1])
        self.done |= {across.arg[0], axis.arg[0]}
        self.free |= {across.arg[0]: [stripe], axis.arg[0]: []}
        return True

    def is_long(self, nest: Nest, reduction: Reduction, most: int = CHAIN) -> bool:
        """Whether a reduction is a loop, or at least vectors along what it reads."""
        if reduction.length > most or not reduction.can_chain:
            return True
        if nest.nodes_unrolled > MOST_UNROLLED:
            return True
        vectors = reduction.length > SHORT and self.vector_axis(nest, reduction) in reduction.axes
        return vectors and self.chain_axis(nest) is None
