"""Axis choices for targets with workgroups.

The roofline that products aim at is that of the arithmetic: tensor cores where a target has them
for the dtypes, else a multiply-add of each work item in each cycle. A workgroup reads its rows and
columns once from memory into what its items share, so R rows by C columns take R·C multiply-adds
for R + C elements: 128 by 128 of f16 are 64 operations for each byte of memory. From there a warp
reads its share again, 64 by 64: 32 operations for each byte that it shares; without tensor cores a
work item has 8 by 8, and reads 4 neighbours at once: 64 multiply-adds for 4 such reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isqrt, prod
from typing import Any

from rulewright.codegen.axes import Axes
from rulewright.codegen.choices import Choice
from rulewright.codegen.cores import TensorCore
from rulewright.codegen.exchange import SHARERS, shuffled_lanes
from rulewright.codegen.gpu_copies import VECTOR, Operand, copy_near, operand_of
from rulewright.codegen.gpu_few import (
    SHARED,
    TURNED,
    FewTile,
    few_columns,
    few_tiles,
    serves_neighbours,
    turned_axis,
)
from rulewright.codegen.gpu_grid import Grid, local_size
from rulewright.codegen.gpu_products import (
    CHAIN,
    LEAST_SIDE,
    ProductAxes,
    WarpProduct,
    item_product,
    warp_product,
)
from rulewright.codegen.gpu_rows import rows_together
from rulewright.codegen.merge import merge_neighbours, split_digits
from rulewright.codegen.nests import Access, Nest, Reduction, divisor, fixed, nests, single_stores
from rulewright.codegen.staging import staged_bytes
from rulewright.ir.dtypes import DType, dtype
from rulewright.ir.uop import UOp

FEW = 32
"""Stored elements, for each group that runs at once, up to which a workgroup shares each
reduction."""
LONG = 256
"""Values from which on a reduction is worth sharing."""
REGISTER_TILE = 4
"""Rows and columns of a work item in a kernel that uses what it reads again."""
FEW_EACH = 8
"""Values of each item that shares a reduction, at least: fewer take less time than handing on."""
WARP_ROW = 1024
"""Values of a reduction that a warp does by itself where there are many of them, at most."""
WARP_TILE = 32
"""Rows and columns of what a warp multiplies that reads all by itself, if there are as many."""
WARPS = 2
"""Warps of a group along its rows, and along its columns."""
BLOCK_SIDE = 128
"""Rows and columns of a product that a workgroup copies what it needs for, at most."""
DEPTH_BYTES = 64
"""Of a row that is copied at a time."""
FEW_ITEMS = 64
"""Work items of a group below which a third loop has some too."""
TILE_ROWS = 8
"""Rows of a work item that use the columns it reads again, at most."""
AGAIN = 8
"""Elements of a long row for which a work item has what they all need."""
ITEM_SIDE = 16
"""Work items of a group along the rows of a product, and along its columns, at most."""


def choose_gpu(axes: Axes, target: Any, shares: bool = True) -> None:
    """Choose for every nest of the kernel, whose work items share memory or none."""
    merge_neighbours(axes)
    split_digits(axes)
    chooser = _Gpu(axes, target)
    chooser.bytes *= shares
    in_order = sorted(nests(axes.ast), key=lambda nest: (-len(nest.axes), not nest.reductions))
    if not in_order:
        chooser.whole_together(single_stores(axes.ast))
        return
    if len(in_order) == 1 and rows_together(chooser, in_order[0]):
        return
    row = chooser.row_of_warps(in_order)
    if row is not None:
        for nest in in_order:
            chooser.warp_each(nest, row)
        return
    if len(in_order) == 1 and chooser.tensor_cores(in_order[0]):
        return
    if len(in_order) == 1 and chooser.few_together(in_order[0]):
        return
    shared, items = chooser.shared(in_order), chooser.sharers(in_order)
    plane = item_product(in_order[0], target) if len(in_order) == 1 and not shared else None
    if plane is not None and chooser.items_together(in_order[0], plane):
        return
    for nest in in_order:
        if shared:
            chooser.workgroup_each(nest, items)
        else:
            chooser.item_each(nest)


class _Gpu(Grid):
    def __init__(self, axes: Axes, target: Any) -> None:
        super().__init__(axes, target)
        self.items = target.limit("local_size") or 64

    def shared(self, nests: list[Nest]) -> bool:
        """Whether workgroups share reductions: rows of one kernel, or few long ones."""
        for nest in nests if self.bytes else ():
            long = [r for r in nest.reductions if r.length >= LONG]
            if long and (nest.private or _count(nest.axes) <= self.few(long)):
                return True
        return False

    def few(self, reductions: list[Reduction]) -> int:
        """How many elements are few: more, where items of a group would read neighbours."""
        near = all(sum(a.score(r.longest) for a in r.accesses) >= 0 for r in reductions)
        return FEW * self.groups if near else FEW * self.groups // 64

    # ---- a workgroup for each outer element -------------------------------------------------

    def workgroup_each(self, nest: Nest, items: int) -> None:
        """Rows are groups; what is reduced or stored along a row is shared by their items."""
        for reduction in nest.reductions:
            self.share(reduction, LONG, items)
        rows = [a for a in nest.axes if a not in nest.private or not nest.reductions]
        columns = [a for a in nest.axes if a not in rows]
        if not nest.reductions and len(rows) > 1:
            rows, columns = rows[:-1], rows[-1:]
        for axis in columns[:-1]:
            self.done.add(axis.arg[0])  # a loop of each item
        if columns:
            self.row_stored(nest, columns[-1], items)
        rows = [a for a in rows if a.arg[0] not in self.done]
        self.done.update(a.arg[0] for a in rows)
        self.grid([a.arg[0] for a in rows])

    def sharers(self, nests: list[Nest]) -> int:
        """Items of a group that share reductions: all of them; but those of one long reduction, of
        more groups than run at once, are as many as have some values each."""
        items, [nest, *others] = self.items, nests
        long = [r.length for r in nest.reductions if r.length >= LONG]
        if others or nest.private or len(long) != 1 or _count(nest.axes) < 2 * self.groups:
            return items
        while items > SHARERS and items * FEW_EACH > long[0]:
            items //= 2
        return items

    def share(self, reduction: Reduction, least: int, items: int) -> None:
        """Cut the longest reduced axis among so many items, if it has the least length for that."""
        if any(r.arg[0] in self.done for r in reduction.axes) or not reduction.axes:
            return
        self.done.update(r.arg[0] for r in reduction.axes)
        if reduction.length < least:
            return
        self.shared_step(reduction.longest, reduction, items)

    def shared_step(self, axis: UOp, reduction: Reduction, items: int) -> None:
        """Cut a reduced axis among so many items, each with neighbours that it reads at once."""
        id, wide = axis.arg[0], self.wide(axis, reduction.accesses, items)
        if wide > 1:
            id, neighbours = self.axes.split(id, wide)
            self.axes.set_kind("unroll", neighbours)
        self.axes.set_kind("group", self.axes.split(id, items)[1])

    def whole_together(self, stores: list[Nest]) -> None:
        """All that a kernel reduces to single elements, by one workgroup."""
        if not self.bytes:
            return
        reductions = [r for store in stores for r in store.reductions]
        lengths = [int(r.longest.vmax) + 1 for r in reductions if r.is_flat]
        lanes = self.target.limit("warp") or SHARERS
        items = min(self.items, max(lengths, default=0) // lanes * lanes)
        for reduction in reductions if items > lanes else ():
            self.share(reduction, items, items)

    def row_stored(self, nest: Nest, axis: UOp, items: int) -> None:
        """Cut a stored axis among so many items, each with neighbours that it stores at once."""

        def choose(id: int) -> None:
            wide = self.wide(axis, nest.accesses, items)
            if wide > 1:
                id, neighbours = self.axes.split(id, wide)
                self.axes.set_kind("vector", neighbours)
            self.local(id, items)

        self.once(axis, choose)

    def wide(self, axis: UOp, accesses: Sequence[Access], items: int) -> int:
        """How many neighbours along an axis work items read and write at once where so many share
        it: all that they touch along it, with some for each of them; 1 if they cannot."""
        used = [a for a in accesses if a.form.uses(axis)]
        most = min([VECTOR, *(self.load_bits // a.node.dtype.bits for a in used)])
        if not used or not all(self.target.joins(a.node.dtype, most) for a in used):
            return 1
        count = min(a.wide(axis, most) for a in used)
        return count if (fixed(axis) or 0) >= count * items else 1

    # ---- a warp for each outer element ------------------------------------------------------

    def row_of_warps(self, nests: list[Nest]) -> UOp | None:
        """The innermost axis of rows of which a warp does each: they are as short as its lanes do
        at once a few times, or there are many for which a group would wait at barriers."""
        rows = {tuple(a for a in nest.axes if a not in nest.private) for nest in nests}
        reductions = [r for nest in nests for r in nest.reductions]
        if len(rows) != 1 or not all(nest.reductions for nest in nests):
            return None
        [axes] = rows
        suited = (axes[-1] in r.outer and self.suits_warps(r, axes) for r in reductions if axes)
        if not axes or not all(suited):
            return None
        length = max(r.length for r in reductions)
        many = _count(axes) >= self.groups * self.warps()
        is_short = length < LONG or (length <= WARP_ROW and many)
        return axes[-1] if is_short else None

    def suits_warps(self, reduction: Reduction, rows: Sequence[UOp]) -> bool:
        """Whether lanes can share a reduction, read neighbours, and nothing that is read again in
        other rows: a tile of these reads less."""
        lanes, axis = shuffled_lanes(self.target, reduction.node.dtype), reduction.longest
        if not 0 < lanes <= self.items or not reduction.is_flat:
            return False
        if int(axis.vmax) + 1 < 2 * lanes:
            return False
        scores = [access.score(axis) for access in reduction.accesses]
        again = [row for row in rows if row in reduction.outer and reduction.reused(row)]
        return min(scores, default=0) >= 0 and max(scores, default=0) > 0 and len(again) < 2

    def warps(self) -> int:
        """How many warps a workgroup has at most."""
        return max(1, self.items // (self.target.limit("warp") or self.items))

    def warp_each(self, nest: Nest, row: UOp) -> None:
        """Rows are warps, of which a group has some; lanes share what is reduced or stored."""
        lanes = self.target.limit("warp")
        for reduction in nest.reductions:
            self.share(reduction, lanes, lanes)
        rows = [a.arg[0] for a in nest.axes if a not in nest.private]
        columns = [a for a in nest.axes if a in nest.private]
        for axis in columns[:-1]:
            self.done.add(axis.arg[0])  # a loop of each lane
        if columns:
            self.row_stored(nest, columns[-1], lanes)
        if rows[-1] in self.done:
            return
        self.done.update(rows)
        count = min(self.warps(), (fixed(row) or self.groups * self.items) // self.groups)
        if count > 1:
            rows[-1] = self.local(rows[-1], local_size(self.axes.size(rows[-1]), count))
        self.grid(rows)

    # ---- work items that share what is reduced to few elements --------------------------------

    def few_together(self, nest: Nest) -> bool:
        """Whether long reductions to too few elements for all work items are shared: by lanes that
        read neighbours along what is reduced, each a tile, or beside those that read neighbours
        along a stored axis."""
        if not self.bytes:
            return False
        columns = few_columns(nest)
        if columns is not None and _count(nest.axes) < 2 * self.groups * self.items:
            self.columns_together(nest, *columns)
            return True
        lanes = self.target.limit("warp") or 0
        tile = few_tiles(nest, lanes, shuffled_lanes(self.target, nest.store.src[0].dtype))
        most = (2 if item_product(nest, self.target) else 8) * self.groups * self.warps()
        if tile is None or tile.tiles >= most:
            return False
        self.tiles_together(nest, tile, lanes)
        return True

    def columns_together(self, nest: Nest, column: UOp, row: UOp | None) -> None:
        """Lanes go along the neighbours, as many as a read of memory has for all groups to work.
        Each has a tile of the rows that use again what it reads."""
        widest = min(a.node.dtype.itemsize for r in nest.reductions for a in r.accesses)
        least = self.target.limit("line") or 1
        lanes, others = self.target.limit("warp") or 32, _count(nest.axes) // (fixed(column) or 1)
        while lanes > least // widest and others * (fixed(column) or 1) < lanes * self.groups:
            lanes //= 2
        lanes = min(lanes, fixed(column) or lanes, max(self.items // 2, 1))
        for reduction in nest.reductions:
            self.share(reduction, SHARED, min(SHARERS, self.items // lanes))
        loops = [a.arg[0] for a in nest.axes]
        loops[loops.index(column.arg[0])] = self.local(column.arg[0], lanes)
        if row is not None:
            outer, inner = self.axes.split(row.arg[0], divisor(fixed(row) or 1, TILE_ROWS))
            self.axes.set_kind("upcast", inner)
            loops[loops.index(row.arg[0])] = outer
        self.grid([id for id in loops if self.axes.has(id)])

    def tiles_together(self, nest: Nest, tile: FewTile, lanes: int) -> None:
        """A warp has a tile of elements, and each lane a part of what is reduced."""
        loops = [a.arg[0] for a in nest.axes]
        self.shared_step(tile.step, nest.reductions[0], lanes)
        for axis, size in tile.sides:
            outer, inner = self.axes.split(axis.arg[0], size)
            self.axes.set_kind("upcast", inner)
            loops[loops.index(axis.arg[0])] = outer
        loops = [id for id in loops if self.axes.has(id)]
        warps = min(self.warps(), max(1, tile.tiles // self.groups))
        last = max(loops, key=lambda id: int(self.axes.size(id)))
        count = divisor(int(self.axes.size(last)), warps)
        if count > 1:
            loops[loops.index(last)] = self.local(last, count)
        self.grid(loops)

    # ---- a warp for each tile of a product --------------------------------------------------

    def tensor_cores(self, nest: Nest) -> bool:
        """Whether tensor cores multiply: those that read memory of the workgroup, if there are any
        and there is enough for them to do, else those that each warp has."""
        for of_memory in (True, False):
            product = warp_product(nest, self.target, of_memory)
            if product is not None and self.warps_together(nest, product):
                return True
        if product is not None:
            self.warps_each(nest, product)
        return product is not None

    def warps_each(self, nest: Nest, product: WarpProduct) -> None:
        """Tensor cores multiply tiles of a product, each warp one."""
        inner, loops = [], [a.arg[0] for a in nest.axes]
        warps = WARPS if WARPS**2 * product.core.lanes <= self.items else 1
        for axis, size in zip((product.row, product.column), product.core.sizes, strict=False):
            at = loops.index(axis.arg[0])
            outer, tile = self.axes.split(axis.arg[0], size)
            inner.append(tile)
            loops[at] = self.tiled(outer, WARP_TILE // size, warps)
        _, step = self.axes.split(product.step.arg[0], product.core.sizes[2])
        self.grid(loops)
        self.axes.set_kind("tc", *inner, step)

    def tiled(self, id: int, most: int, warps: int) -> int:
        """Cut what a warp does, and the warps of a group, off an axis; gives the id of the rest."""
        size = self.axes.size(id)
        count = divisor(int(size), most)
        if count > 1:
            id, tile = self.axes.split(id, count)
            self.axes.set_kind("upcast", tile)
        warps = divisor(int(size) // count, warps)
        return self.local(id, warps) if warps > 1 else id

    # ---- a workgroup for each block of a product ---------------------------------------------

    def warps_together(self, nest: Nest, product: WarpProduct) -> bool:
        """Tensor cores multiply what a workgroup has copied, each warp a part; False if nothing is
        to be copied, or there is no room for it."""
        core, plane = product.core, ProductAxes(product.row, product.column, product.step)
        operands = self.operands(nest, plane, dtype(core.of))
        block = operands and self.block(nest, plane, operands, core.sizes)
        if not operands or not block:
            return False
        loops, inner, step = self.cut(nest, plane, block)
        self.copy(operands, inner, step, [_step_last(core, i, a) for i, a in enumerate(operands)])
        tiles = []
        warps = [WARPS if WARPS**2 * core.lanes <= self.items else 1] * 2
        if core.shared:
            warps = [self.items // core.lanes, 1]
        for id, size, side, count in zip(inner, core.sizes, block, warps, strict=False):
            warp, rest = self.axes.split(id, side // divisor(side // size, count))
            self.axes.set_kind("local", warp)
            tile, last = self.axes.split(rest, size)
            self.axes.set_kind("upcast", tile)
            tiles.append(last)
        step, last = self.axes.split(step, core.sizes[2])
        self.inside(nest, plane, step)
        self.grid([id for id in loops if self.axes.has(id)])
        self.axes.set_kind("tc", *tiles, last)
        return True

    def items_together(self, nest: Nest, plane: ProductAxes) -> bool:
        """Work items multiply what their workgroup has copied; False as above."""
        operands = self.operands(nest, plane, None)
        block = operands and self.block(nest, plane, operands, (VECTOR, VECTOR, 1))
        if not operands or not block:
            return False
        loops, inner, step = self.cut(nest, plane, block)
        self.copy(operands, inner, step, [False, False])
        most = min(ITEM_SIDE, isqrt(self.items))
        for id, side in zip(inner, block, strict=False):
            part, rest = self.axes.split(id, divisor(side, most * VECTOR, VECTOR))
            self.axes.set_kind("upcast", part)
            item, last = self.axes.split(rest, VECTOR)
            self.axes.set_kind("local", item)
            self.neighbours(last, [operand.dtype for operand in operands])
        self.inside(nest, plane, step)
        self.grid([id for id in loops if self.axes.has(id)])
        return True

    def operands(self, nest: Nest, plane: ProductAxes, of: DType | None) -> list[Operand] | None:
        """What is multiplied in a dtype, or as it is; None if it cannot be copied apart."""
        [reduction] = nest.reductions
        if not self.target.limit("banks"):
            return None
        sides = (plane.row, plane.column)
        each = [operand_of(reduction.node, side, plane.step, self.load_bits, of) for side in sides]
        known = [operand for operand in each if operand is not None]
        return known if len(known) == len(each) else None

    def block(
        self, nest: Nest, plane: ProductAxes, operands: list[Operand], least: tuple[int, int, int]
    ) -> tuple[int, int, int] | None:
        """Rows, columns and steps of a workgroup; None if it has no room for them."""
        depth = DEPTH_BYTES // max(operand.dtype.itemsize for operand in operands)
        known = [int(a.vmax) + 1 for a in plane]
        depth = max(least[2], min(depth, -(-known[2] // least[2]) * least[2]))
        others = prod(fixed(a) or 1 for a in nest.axes if a not in plane)
        sides = [BLOCK_SIDE, BLOCK_SIDE]
        for i in range(2):
            while sides[i] // 2 >= max(known[i], least[i]):
                sides[i] //= 2
        while True:
            needed = sum(
                staged_bytes(side, depth, operand.dtype, self.target)
                if operand.along_step
                else staged_bytes(depth, side, operand.dtype, self.target)
                for side, operand in zip(sides, operands, strict=True)
            )
            groups = others * prod(-(-n // s) for n, s in zip(known, sides, strict=False))
            if needed <= self.bytes and (groups >= self.groups or max(sides) <= LEAST_SIDE):
                return sides[0], sides[1], depth
            wide = [i for i in range(2) if sides[i] // 2 >= least[i]]
            if not wide:
                return None
            sides[max(wide, key=lambda i: (sides[i], i))] //= 2

    def cut(
        self, nest: Nest, plane: ProductAxes, block: tuple[int, int, int]
    ) -> tuple[list[int], list[int], int]:
        """Cut blocks off; gives the loops over them, the sides of one, and its steps."""
        loops, inner = [a.arg[0] for a in nest.axes], []
        for axis, side in zip(plane[:2], block, strict=False):
            outer, part = self.axes.split(axis.arg[0], side)
            loops[loops.index(axis.arg[0])] = outer
            inner.append(part)
        return loops, inner, self.axes.split(plane.step.arg[0], block[2])[1]

    def inside(self, nest: Nest, plane: ProductAxes, step: int) -> None:
        """Let the other loops of a sum go around the steps of a block: what they copy is there for
        all of these."""
        for axis in nest.reductions[0].axes:
            if axis is not plane.step:
                self.axes.apply(Choice("reorder", axis.arg[0], step))

    def copy(
        self, operands: list[Operand], inner: list[int], step: int, step_last: list[bool]
    ) -> None:
        """Copy what is multiplied into memory of the workgroup, with steps beside each other or
        rows and columns."""
        for operand, side, last in zip(operands, inner, step_last, strict=True):
            copy_near(self, operand, side, step, last)

    # ---- a work item for each element -------------------------------------------------------

    def item_each(self, nest: Nest) -> None:
        """Stored elements are spread over the grid; each item reduces alone."""
        for reduction in nest.reductions:
            if reduction.length <= CHAIN and reduction.can_chain:
                for axis in reduction.axes:
                    self.once(axis, lambda id: self.axes.set_kind("unroll", id))
            elif reduction.axes and reduction.can_chain:
                axis = reduction.longest
                wide = self.wide(axis, reduction.accesses, 1)
                self.once(axis, partial(self.unrolled, count=wide))
        loops = [a.arg[0] for a in nest.axes if a.arg[0] not in self.done]
        if len(loops) < len(nest.axes):
            return  # axes that it shares with a nest of more axes; the others stay loops
        self.done.update(loops)
        if self.reduces_again(nest):
            self.row_each(loops)
            return
        turned = turned_axis(nest, self.target, VECTOR)
        if turned is not None:
            self.turned_each(nest, turned, loops)
            return
        tile = self.tile_axes(nest)
        if tile is not None:
            for axis in tile:
                at = loops.index(axis.arg[0])
                outer, inner = self.axes.split(axis.arg[0], REGISTER_TILE)
                if axis is tile[0]:
                    self.axes.set_kind("upcast", inner)
                else:
                    self.neighbours(inner, _accessed(nest))
                loops[at : at + 1] = [outer]
        elif loops and (self.joins(nest) or self.serves(nest)):
            outer, inner = self.axes.split(loops[-1], VECTOR)
            self.neighbours(inner, _accessed(nest))
            loops[-1] = outer
        apart = any(a.score(nest.axes[-1]) < 0 for a in nest.every_access)
        self.spread(loops, ITEM_SIDE if tile or apart else 2 * ITEM_SIDE)

    def turned_each(self, nest: Nest, turned: UOp, loops: list[int]) -> None:
        """Each work item reads a square along one side and stores it along the other."""
        id = turned.arg[0]
        loops.insert(-1, loops.pop(loops.index(id)))
        for place in (-2, -1):
            loops[place], inner = self.axes.split(loops[place], VECTOR)
            self.neighbours(inner, _accessed(nest))
        self.spread(loops, TURNED)

    def reduces_again(self, nest: Nest) -> bool:
        """Whether all elements of a long row need the same reductions, which each would do."""
        last = nest.axes[-1] if nest.axes else None
        if last not in nest.private or not nest.reductions:
            return False
        return (fixed(last) or 0) >= AGAIN * self.items

    def row_each(self, loops: list[int]) -> None:
        """Work items reduce once for some elements of a row, a group's width apart."""
        outer, part = self.axes.split(loops[-1], AGAIN * self.items)
        self.local(part, self.items)
        self.grid([*loops[:-1], outer])

    def unrolled(self, id: int, count: int) -> None:
        """Write so many steps of a reduction out, whose neighbours are read at once."""
        if count > 1:
            self.axes.set_kind("unroll", self.axes.split(id, count)[1])

    def tile_axes(self, nest: Nest) -> tuple[UOp, UOp] | None:
        """A row and a column axis of which a tile reads less than its elements one by one."""
        axes = [a for a in nest.axes if (fixed(a) or 1) % REGISTER_TILE == 0]
        for reduction in (r for r in nest.reductions if r.length >= CHAIN):
            columns = [a for a in reversed(axes) if a in reduction.outer and reduction.reused(a)]
            rows = reduction.sharing(axes, columns[0]) if columns else []
            if rows:
                return rows[0], columns[0]
        return None

    def serves(self, nest: Nest) -> bool:
        """Whether neighbours use what is read for each, and are more than work items at once."""
        many = _count(nest.axes) >= VECTOR * self.groups * self.items
        return many and self.load_bits >= 32 * VECTOR and serves_neighbours(nest, VECTOR)

    def joins(self, nest: Nest) -> bool:
        """Whether neighbours along the last axis can be read and written at once."""
        axis = nest.axes[-1]
        size = fixed(axis)
        if size is None or size % VECTOR or self.load_bits < 32 * VECTOR or nest.reductions:
            return False
        return sum(a.score(axis) for a in nest.accesses) > 0

    def spread(self, loops: list[int], lanes: int) -> None:
        """Give loops, outermost first, to groups and items: of several, so many items go along the
        innermost, and as many loops have some as it takes for two warps."""
        left = self.items
        outer: list[int] = []
        for id in reversed(loops):
            is_next = len(outer) < 2 or (len(outer) == 2 and left > self.items // FEW_ITEMS)
            most = left if len(loops) == 1 else ITEM_SIDE if outer else lanes
            count = local_size(self.axes.size(id), min(left, most)) if is_next else 1
            outer.insert(0, self.local(id, count) if count > 1 else id)
            left //= count
        self.grid(outer)


def _step_last(core: TensorCore, which: int, operand: Operand) -> bool:
    """Whether a copy has what is summed beside each other: as it is read, if the core does so."""
    if not core.shared:
        return operand.along_step
    inner = {layout.digits[0].axis for layout in core.memory(which)}
    return operand.along_step or inner == {"k"}


def _accessed(nest: Nest) -> list[DType]:
    """The dtypes of what a nest reads and writes."""
    return [access.node.dtype for access in nest.accesses]


def _count(axes: Sequence[UOp]) -> int:
    return prod(int(axis.vmax) + 1 for axis in axes)
