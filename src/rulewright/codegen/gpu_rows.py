"""Rows that are weighed by softmax, as a workgroup of a GPU does them: attention without its scores
in memory.

A workgroup has a block of rows, and each work item some of them: their sums stay in registers while
it goes over the keys, a few at a time, whose scores are registers too. What all rows need of these
keys and their values is copied into memory of the workgroup, as are the rows of the first product.

For each key, R rows of products of d and e elements take 2 R (d + e) operations, and d + e elements
from memory: with 128 rows of f32, 64 operations a byte. A work item with P rows takes 4 P
multiply-adds for each vector of four that it reads of the workgroup's memory. The schedule says
which rows this pays for (see `schedule.near`).
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from rulewright.codegen.gpu_copies import VECTOR, Operand, copy_near, operand_of
from rulewright.codegen.gpu_grid import Grid
from rulewright.codegen.nests import Nest, fixed, nests
from rulewright.codegen.online import can_be_online
from rulewright.codegen.rows import Rows, kept_rows
from rulewright.codegen.staging import staged_bytes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.near import GROUP_BLOCK

ITEMS = 128
"""Work items of a group, at most."""
LEAST_ITEMS = 32
"""Work items of a group below which it does not do fewer rows for others to have some too."""
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
    axes.online(first.arg[0], GROUP_BLOCK, beyond=True)
    [nest] = nests(axes.ast)
    again = kept_rows(nest, grid.target)
    return again is not None and _Tile(grid, nest, again).is_chosen()


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

    def size(self) -> tuple[int, int]:
        """Work items, and rows of each; none if there is no room for them."""
        grid, row = self.grid, self.rows.row
        stored = {c for _, c in self.rows.products if c in self.nest.axes}
        width = prod(fixed(column) or 1 for column in stored)
        each = min(ITEM_ROWS, (grid.target.limit("item_sums") or 0) // width)
        items = min(ITEMS, grid.target.limit("local_size") or ITEMS)
        others = prod(int(a.vmax) + 1 for a in self.nest.axes if a not in (*stored, row))
        count = fixed(row) or 1
        while each > 1 and (
            each & (each - 1) or others * -(-count // (items * each)) < grid.groups
        ):
            each -= 1
        while items > LEAST_ITEMS and others * -(-count // (items * each)) < grid.groups:
            items //= 2
        room = grid.target.limit("local_memory") or 0
        while each and self.bytes(items * each) > room:
            items, each = (items // 2, each) if items > LEAST_ITEMS else (items, each // 2)
        return items, each

    def bytes(self, rows: int) -> int:
        """Bytes of the copies of so many rows, and of blocks that are copied ahead."""
        ahead, needed = 2 if self.grid.target.has_text("copy_ahead") else 1, 0
        for operand, side, step in self.copies.values():
            own = side is self.rows.row
            count = rows if own else fixed(side) or 1
            of_one = staged_bytes(fixed(step) or 1, count, operand.dtype, self.grid.target)
            needed += of_one if own else of_one * ahead
        return needed
