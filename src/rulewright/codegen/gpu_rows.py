"""Rows that are weighed by softmax, as a workgroup of a GPU does them: attention without its scores
in memory.

A workgroup has a block of rows, and each work item some of them: their sums stay in registers while
it goes over the keys, a few at a time, whose scores are registers too. What all rows need of these
keys and their values is copied into memory of the workgroup, as are the rows of the first product.

For each key, R rows of products of d and e elements take 2 R (d + e) operations, and d + e elements
from memory: with 128 rows of f32, 64 operations a byte. A work item with P rows takes 4 P
multiply-adds for each vector of four that it reads of the workgroup's memory. The schedule says
which rows this pays for (see `schedule.near`).

Tensor cores do both products where the target has such for their dtypes: each warp has the rows of
a small matrix, and scores stay in its lanes as results of the one product and operands of the next
(see `lane_rows`). Results of a block are added to what was summed before, once that is scaled.

Causal rows see no key beyond their own number: a workgroup ends at the last block of keys that any
of its rows sees.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from math import lcm, prod
from typing import Any, NamedTuple

from rulewright.codegen.cores import TensorCore, product_of
from rulewright.codegen.exchange import shuffled_lanes
from rulewright.codegen.gpu_copies import VECTOR, Operand, copy_near, operand_of
from rulewright.codegen.gpu_grid import Grid
from rulewright.codegen.lane_rows import passes_on
from rulewright.codegen.nests import Nest, fixed, nests
from rulewright.codegen.online import can_be_online, row_ranges
from rulewright.codegen.rows import Rows, ends_where_seen, kept_rows
from rulewright.codegen.staging import staged_bytes
from rulewright.ir.dtypes import dtype
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.near import GROUP_BLOCK

ITEMS = 128
"""Work items of a group, at most."""
LEAST_ITEMS = 32
"""Work items of a group below which it does not do fewer rows for others to have some too."""
WARP_BLOCK = 64
"""Keys that are weighed at a time where tensor cores multiply."""
WARPS = 4
"""Warps of a group there, at most: each has the rows of a small matrix."""
ITEM_ROWS = 4
"""Rows of a work item, at most."""


class _Moved(NamedTuple):
    """An operand that is copied, along which range beside the one that is summed."""

    operand: Operand
    side: UOp
    step: UOp


def rows_together(grid: Grid, nest: Nest) -> bool:
    """Whether a kernel weighs rows that it has near by. Then they are done in blocks, by workgroups
    that have tiles of them if there is room for one."""
    axes, rows = grid.axes, kept_rows(nest, grid.target)
    if rows is None or not any(n.op is Ops.STAGE for n in nest.store.toposort()):
        return False
    tops = [r.axes[0] for r in rows.reductions if r.node.arg is Ops.MAX]
    first = next((a for a in tops if can_be_online(axes.ast, a)), None)
    if first is None or (fixed(first) or 0) < GROUP_BLOCK:
        return False
    of = _cores(nest, rows, grid.target)
    make = partial(_WarpTile, of=of) if of else _Tile
    block = make(grid, nest, rows).block(row_ranges(axes.ast, first))
    if not block:
        return False
    if (fixed(first) or 0) > block:
        ends_where_seen(axes, rows.row)
    axes.online(first.arg[0], block, beyond=True)
    [nest] = nests(axes.ast)
    again = kept_rows(nest, grid.target)
    return again is not None and make(grid, nest, again).is_chosen()


def _cores(nest: Nest, rows: Rows, target: Any) -> list[TensorCore]:
    """The tensor cores that multiply both products, the results of one being in the lanes that the
    other, which is stored, takes them from; none if there are none."""
    known = []
    for reduction, column in rows.products:
        steps = [a for a in reduction.axes if a not in rows.blocks]
        product = product_of(reduction.node, rows.row, column, steps[-1])
        known.append(product.cores(target) if product and len(steps) == 1 else [])
    if [column in nest.axes for _, column in rows.products] != [False, True]:
        return []
    if not shuffled_lanes(target, rows.products[0][0].node.dtype):
        return []
    pairs = [[a, b] for a in known[0] for b in known[1] if passes_on(a, b)]
    return pairs[0] if pairs else []


class _Tile:
    """What a workgroup does of the rows of one kernel that are done in blocks."""

    def __init__(self, grid: Grid, nest: Nest, rows: Rows) -> None:
        self.grid, self.nest, self.rows = grid, nest, rows
        self.copies: dict[tuple[UOp, UOp], _Moved] = {}
        for reduction, column in rows.products:
            # weights, which a stored product multiplies, are in registers
            for side in (column,) if column in nest.axes else (rows.row, column):
                steps = [a for a in reduction.axes if a not in rows.blocks]
                operand = operand_of(reduction.node, side, steps[-1], grid.load_bits)
                if operand is not None and len(steps) == 1:
                    self.copies[side, steps[0]] = _Moved(operand, side, steps[0])

    def is_chosen(self) -> bool:
        """Make the choices, if there is room for a tile."""
        items, each = self.size()
        if not items:
            return False
        axes, row = self.grid.axes, self.rows.row.arg[0]
        loops = [a.arg[0] for a in self.nest.axes]
        outer, inner = axes.split(row, items * each)
        loops[loops.index(row)] = outer
        for copy in self.copies.values():
            side = inner if copy.side is self.rows.row else copy.side.arg[0]
            if axes.has(side) and axes.has(copy.step.arg[0]):
                copy_near(self.grid, copy.operand, side, copy.step.arg[0], last=False)
        part, item = axes.split(inner, items)
        axes.set_kind("local", item)
        if axes.has(part):
            axes.set_kind("upcast", part)
        for id in dict.fromkeys(column.arg[0] for _, column in self.rows.products):
            self.in_registers(id)
        for fill in self.rows.fills:
            self.kind("upcast", fill.arg[0])
        for id in dict.fromkeys(a.arg[0] for a in self.summed()):
            self.kind("unroll", id)
        for id in dict.fromkeys(copy.step.arg[0] for copy in self.copies.values()):
            if axes.has(id) and axes.kind(id) != "unroll":
                axes.set_kind("block", id)
        columns = [column.arg[0] for _, column in self.rows.products]
        self.grid.grid([id for id in loops if id not in columns and axes.has(id)])
        return True

    def summed(self) -> list[UOp]:
        """The ranges over the elements of a block that are reduced."""
        fills = {column for _, column in self.rows.products}
        sums = [r for r, column in self.rows.products if column in self.nest.axes]
        return [
            a for r in (*sums, *self.rows.reductions) for a in r.axes
            if a not in self.rows.blocks and a not in fills
        ]  # fmt: skip

    def kind(self, name: str, id: int) -> None:
        """Give a range its kind; one of a single value has vanished."""
        if self.grid.axes.has(id):
            self.grid.axes.set_kind(name, id)

    def in_registers(self, id: int) -> None:
        """Have a register for each element along a range, of which neighbours are read at once."""
        axes = self.grid.axes
        if axes.has(id) and int(axes.size(id)) % VECTOR == 0:
            outer, id = axes.split(id, VECTOR)
            self.kind("upcast", outer)
            self.grid.neighbours(id, [copy.operand.dtype for copy in self.copies.values()])
        else:
            self.kind("upcast", id)

    def block(self, keys: Collection[UOp]) -> int:
        """Keys that are weighed at a time, of a row along these ranges; 0 if a group of few work
        items has no room for so many."""
        fits = self.width() <= (self.grid.target.limit("item_sums") or 0)
        needed = self.bytes(LEAST_ITEMS, dict.fromkeys(keys, GROUP_BLOCK))
        return GROUP_BLOCK if fits and needed <= self.room() else 0

    def room(self) -> int:
        """Bytes of the memory of a group."""
        return self.grid.bytes

    def width(self) -> int:
        """Elements of a row of results."""
        return prod(fixed(c) or 1 for c in dict.fromkeys(c for _, c in self.rows.products)
                    if c in self.nest.axes)  # fmt: skip

    def others(self) -> int:
        """How many rows there are along the loops around that of the tile."""
        stored = {c for _, c in self.rows.products}
        return prod(int(a.vmax) + 1 for a in self.nest.axes if a not in (*stored, self.rows.row))

    def size(self) -> tuple[int, int]:
        """Work items, and rows of each; none if there is no room for them."""
        grid, row, others = self.grid, self.rows.row, self.others()
        each = min(ITEM_ROWS, (grid.target.limit("item_sums") or 0) // self.width())
        items = min(ITEMS, grid.target.limit("local_size") or ITEMS)
        count = fixed(row) or 1
        while each > 1 and (
            each & (each - 1) or others * -(-count // (items * each)) < grid.groups
        ):
            each -= 1
        while items > LEAST_ITEMS and others * -(-count // (items * each)) < grid.groups:
            items //= 2
        while each and self.bytes(items * each) > self.room():
            items, each = (items // 2, each) if items > LEAST_ITEMS else (items, each // 2)
        return items, each

    def bytes(self, rows: int, sizes: Mapping[UOp, int] | None = None) -> int:
        """Bytes of the copies of so many rows, and of blocks that are copied ahead, with ranges as
        large as they are or as is said."""
        ahead, needed = 2 if self.grid.target.has_text("copy_ahead") else 1, 0
        known = {self.rows.row: rows, **(sizes or {})}
        for copy in self.copies.values():
            sides = [known.get(axis) or fixed(axis) or 1 for axis in (copy.side, copy.step)]
            of_one = self.copied(copy.operand, *sides)
            needed += of_one if copy.side is self.rows.row else of_one * ahead
        return needed

    def copied(self, operand: Operand, side: int, step: int) -> int:
        """Bytes of a copy of so many elements along its side and what is summed."""
        return staged_bytes(step, side, operand.dtype, self.grid.target)


class _WarpTile(_Tile):
    """The same where tensor cores multiply: each warp has the rows of a small matrix, whose scores
    and weights its lanes hold as the layouts of the tensor cores say."""

    def __init__(self, grid: Grid, nest: Nest, rows: Rows, of: list[TensorCore]) -> None:
        super().__init__(grid, nest, rows)
        self.cores = of
        for reduction, column in rows.products:
            [step] = [a for a in reduction.axes if a not in rows.blocks]
            for side in (rows.row, column):
                if (side, step) in self.copies:
                    operand = operand_of(
                        reduction.node, side, step, grid.load_bits, dtype(of[0].of)
                    )
                    if operand is not None:
                        self.copies[side, step] = _Moved(operand, side, step)

    def is_chosen(self) -> bool:
        """Make the choices, if there is room for a tile."""
        axes, row = self.grid.axes, self.rows.row.arg[0]
        height, width, depth = self.cores[0].sizes
        warps = self.size()[0] // height
        loops = [a.arg[0] for a in self.nest.axes]
        outer, inner = axes.split(row, warps * height)
        loops[loops.index(row)] = outer
        columns = dict.fromkeys(column for _, column in self.rows.products)
        steps = [a for r, _ in self.rows.products for a in r.axes if a not in self.rows.blocks]
        ids = {a: self.whole(a, width) for a in (*columns, *self.rows.fills)}
        ids |= {a: self.whole(a, depth) for a in steps} | {self.rows.row: inner}
        for copy in self.copies.values():
            copy_near(
                self.grid, copy.operand, ids[copy.side], ids[copy.step], copy.operand.along_step
            )
        warp, inner = axes.split(inner, height)
        self.kind("local", warp)
        held = [inner]
        held += [self.part(ids[a], width, "upcast") for a in (*columns, *self.rows.fills)]
        held += [self.part(ids[a], depth, "block") for a in steps]
        for reduction in self.rows.reductions:
            for axis in reduction.axes:
                if axis not in self.rows.blocks:
                    held.append(self.part(axis.arg[0], width, "unroll"))
        stored = [column.arg[0] for column in columns]
        self.grid.grid([id for id in loops if id not in stored and axes.has(id)])
        axes.set_kind("warp", *held)
        return True

    def whole(self, axis: UOp, size: int) -> int:
        """A range of whole small matrices instead of one that may leave a rest; gives its id."""
        count = fixed(axis) or 1
        if count % size == 0:
            return axis.arg[0]
        return self.grid.axes.split(axis.arg[0], -(-count // size) * size)[1]

    def part(self, id: int, size: int, kind: str) -> int:
        """Cut a small matrix off a range; gives the id of what goes along it."""
        outer, inner = self.grid.axes.split(id, size)
        self.kind(kind, outer)
        return inner

    def block(self, keys: Collection[UOp]) -> int:
        """Keys that are weighed at a time: whole small matrices of both products; 0 if a group of
        one warp has no room for so many, or there are fewer."""
        height, whole = self.cores[0].sizes[0], self.rounded(1)
        if (self.grid.target.limit("local_size") or 0) < self.cores[0].lanes:
            return 0
        most = min([WARP_BLOCK, *(fixed(key) or 0 for key in keys)]) // whole * whole
        sizes = range(most, 0, -whole)
        fits = (n for n in sizes if self.bytes(height, dict.fromkeys(keys, n)) <= self.room())
        return next(fits, 0)

    def rounded(self, count: int) -> int:
        """So many elements in whole small matrices."""
        whole = lcm(self.cores[0].sizes[1], *(core.sizes[2] for core in self.cores))
        return -(-count // whole) * whole

    def copied(self, operand: Operand, side: int, step: int) -> int:
        """Bytes of a copy, of whole small matrices, as it is read."""
        sides = self.rounded(side), self.rounded(step)
        rows, row = sides if operand.along_step else reversed(sides)
        return staged_bytes(rows, row, operand.dtype, self.grid.target)

    def size(self) -> tuple[int, int]:
        """Rows of the group: of as many warps as there is room for, and work for all groups."""
        grid, height, count = self.grid, self.cores[0].sizes[0], fixed(self.rows.row) or 1
        warps = min(WARPS, (grid.target.limit("local_size") or 0) // self.cores[0].lanes)
        while warps > 1 and (
            self.others() * -(-count // (warps * height)) < grid.groups
            or self.bytes(warps * height) > self.room()
        ):
            warps //= 2
        return warps * height, 1
