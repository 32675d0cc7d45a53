"""Axis choices for targets with workgroups."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any

from rulewright.codegen.axes import Axes
from rulewright.codegen.cores import Core, product_of
from rulewright.codegen.merge import merge_neighbours
from rulewright.codegen.nests import Nest, Reduction, divisor, fixed, nests
from rulewright.ir.uop import UOp

FEW = 4096
"""Stored elements below which a workgroup shares each reduction."""
LONG = 256
"""Values from which on a reduction is worth sharing."""
CHAIN = 16
"""Reductions of up to this many values have no loop."""
REGISTER_TILE = 4
"""Rows and columns of a work item in a kernel that uses what it reads again."""
VECTOR = 4
"""Elements that a work item reads and writes at once."""
WARP_TILE = 32
"""Rows and columns of what a warp multiplies by tensor cores, if there are as many."""
WARPS = 2
"""Warps of a group along its rows, and along its columns."""


def choose_gpu(axes: Axes, target: Any) -> None:
    """Choose for every nest of the kernel."""
    merge_neighbours(axes)
    chooser = _Gpu(axes, target)
    found = sorted(nests(axes.ast), key=lambda nest: (-len(nest.axes), not nest.reductions))
    product = warp_product(found[0], target) if len(found) == 1 else None
    if product is not None:
        chooser.warps_each(found[0], product)
        return
    shared = chooser.shared(found)
    for nest in found:
        if shared:
            chooser.workgroup_each(nest)
        else:
            chooser.item_each(nest)


@dataclass(frozen=True)
class WarpProduct:
    """A sum of products that tensor cores compute, and the axes of their small matrices."""

    core: Core
    row: UOp
    column: UOp
    step: UOp


def warp_product(nest: Nest, target: Any) -> WarpProduct | None:
    """The largest tiles of a nest that tensor cores of a target multiply.

    None for a nest that does more than one sum, and where an axis is symbolic, or smaller than the
    small matrices: what is beyond the end of one that they do not divide is 0.
    """
    in_order = any(a.arg[1] == "reduce" for a in nest.axes)
    if in_order or len(nest.reductions) != 1 or not target.row["cores"]:
        return None
    [reduction] = nest.reductions
    found: list[WarpProduct] = []
    for step in reduction.axes:
        for row, column in permutations([a for a in nest.axes if a in reduction.outer], 2):
            axes = (row, column, step)
            product = product_of(reduction.node, *axes)
            core = product and product.core(target)
            fits = core and core.lanes <= (target.limit("local_size") or core.lanes)
            if (
                core
                and fits
                and all((fixed(a) or 0) >= n for a, n in zip(axes, core.sizes, strict=True))
            ):
                found.append(WarpProduct(core, *axes))
    last = {axis: place for place, axis in enumerate(nest.axes)}
    return max(
        found,
        key=lambda p: (int(p.step.vmax), int(p.row.vmax) + int(p.column.vmax), last[p.column]),
        default=None,
    )


class _Gpu:
    def __init__(self, axes: Axes, target: Any) -> None:
        self.axes = axes
        self.items = target.limit("local_size") or 64
        self.bytes = target.limit("local_memory") or 16384
        self.vector = (target.limit("load_bits") or 32) // 32
        self.dimensions = target.limit("grid_dimensions") or 3
        self.outer = target.limit("grid_outer")
        self.inner = target.limit("grid_inner")
        self.done: set[int] = set()

    def shared(self, found: list[Nest]) -> bool:
        """Whether workgroups share reductions: rows of one kernel, or few long ones."""
        for nest in found:
            long = [r for r in nest.reductions if r.length >= LONG]
            if long and (nest.private or _elements(nest) <= self.few(long)):
                return True
        return False

    def few(self, reductions: list[Reduction]) -> int:
        """How many elements are few: more, where items of a group would read neighbours."""
        near = all(sum(a.score(_longest(r)) for a in r.accesses) >= 0 for r in reductions)
        return FEW if near else FEW // 64

    # ---- a workgroup for each outer element -------------------------------------------------

    def workgroup_each(self, nest: Nest) -> None:
        """Rows are groups; what is reduced or stored along a row is shared by their items."""
        for reduction in nest.reductions:
            self.share(reduction)
        rows = [a for a in nest.axes if a not in nest.private or not nest.reductions]
        columns = [a for a in nest.axes if a not in rows]
        if not nest.reductions and len(rows) > 1:
            rows, columns = rows[:-1], rows[-1:]
        for axis in columns[:-1]:
            self.done.add(axis.arg[0])  # a loop of each item
        if columns:
            self.once(columns[-1], lambda id: self.local(id, self.items))
        rows = [a for a in rows if a.arg[0] not in self.done]
        self.done.update(a.arg[0] for a in rows)
        self.grid([a.arg[0] for a in rows])

    def share(self, reduction: Reduction) -> None:
        """Cut the longest reduced axis among the items of a group."""
        if any(r.arg[0] in self.done for r in reduction.axes) or not reduction.axes:
            return
        self.done.update(r.arg[0] for r in reduction.axes)
        if reduction.length < LONG:
            return
        axis = _longest(reduction)
        inner = self.axes.split(axis.arg[0], self.items)[1]
        self.axes.set_kind("group", inner)

    # ---- a warp for each tile of a product --------------------------------------------------

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

    # ---- a work item for each element -------------------------------------------------------

    def item_each(self, nest: Nest) -> None:
        """Stored elements are spread over the grid; each item reduces alone."""
        for reduction in nest.reductions:
            if reduction.length <= CHAIN and reduction.can_chain:
                for axis in reduction.axes:
                    self.once(axis, lambda id: self.axes.set_kind("unroll", id))
        loops = [a.arg[0] for a in nest.axes if a.arg[0] not in self.done]
        if len(loops) < len(nest.axes):
            return  # axes that it shares with a nest of more axes; the others stay loops
        self.done.update(loops)
        tile = self.tile_axes(nest)
        if tile is not None:
            row, column = tile
            for axis, kind in ((row, "upcast"), (column, "vector")):
                at = loops.index(axis.arg[0])
                outer, inner = self.axes.split(axis.arg[0], REGISTER_TILE)
                self.axes.set_kind(kind, inner)
                loops[at : at + 1] = [outer]
        elif loops and self.joins(nest):
            outer, inner = self.axes.split(loops[-1], VECTOR)
            self.axes.set_kind("vector", inner)
            loops[-1] = outer
        self.spread(loops)

    def tile_axes(self, nest: Nest) -> tuple[UOp, UOp] | None:
        """A row and a column axis of which a tile reads less than its elements one by one."""
        axes = [a for a in nest.axes if (fixed(a) or 1) % REGISTER_TILE == 0]
        for reduction in (r for r in nest.reductions if r.length >= CHAIN):
            columns = [a for a in reversed(axes) if a in reduction.outer and reduction.reused(a)]
            rows = reduction.sharing(axes, columns[0]) if columns else []
            if rows:
                return rows[0], columns[0]
        return None

    def joins(self, nest: Nest) -> bool:
        """Whether neighbours along the last axis can be read and written at once."""
        axis = nest.axes[-1]
        size = fixed(axis)
        if size is None or size % VECTOR or self.vector < VECTOR or nest.reductions:
            return False
        return sum(a.score(axis) for a in nest.accesses) > 0

    def spread(self, loops: list[int]) -> None:
        """Give loops, outermost first, to groups and items."""
        left = self.items
        outer: list[int] = []
        for id in reversed(loops[-2:]):
            size = self.axes.size(id)
            want = min(left, 16 if len(loops) > 1 else left)
            count = _local_size(size, want)
            if count > 1:
                outer.insert(0, self.local(id, count))
                left //= count
            else:
                outer.insert(0, id)
        self.grid(loops[:-2] + [id for id in outer if id >= 0])

    def local(self, id: int, count: int) -> int:
        """Cut `count` items off an axis; gives the id of the rest."""
        outer, inner = self.axes.split(id, count)
        self.axes.set_kind("local", inner)
        return outer

    def grid(self, loops: list[int]) -> None:
        """Make loops axes of the grid, joining the outermost if there are too many, or too long."""
        while len(loops) > self.dimensions or (
            len(loops) > 1 and (self.exceeds(loops[-1], self.inner) or self.any_exceeds(loops[:-1]))
        ):
            loops = [self.axes.merge(loops[0], loops[1], "join"), *loops[2:]]
        while loops and self.inner and self.exceeds(loops[0], self.inner):
            count = _local_size(self.axes.size(loops[0]), self.inner)
            loops = [*self.axes.split(loops[0], count), *loops[1:]]
        for id in loops:
            self.axes.set_kind("global", id)

    def any_exceeds(self, loops: list[int]) -> bool:
        """Whether one of these axes of the grid can only be its innermost, which has more room."""
        return any(self.exceeds(id, self.outer) for id in loops)

    def exceeds(self, id: int, limit: int | None) -> bool:
        """Whether an axis of the grid may be longer than a limit, if there is one."""
        size = self.axes.size(id)
        most = size if isinstance(size, int) else int(size.vmax)
        return limit is not None and most > limit

    def once(self, axis: UOp, choose: Any) -> None:
        """Make a choice for an axis that several nests or reductions may have in common."""
        if axis.arg[0] not in self.done:
            self.done.add(axis.arg[0])
            choose(axis.arg[0])


def _elements(nest: Nest) -> int:
    count = 1
    for axis in nest.axes:
        count *= int(axis.vmax) + 1
    return count


def _longest(reduction: Reduction) -> UOp:
    return max(reduction.axes, key=lambda r: int(r.vmax))


def _local_size(size: Any, want: int) -> int:
    """Items along an axis: a divisor if it is no less than half of what is wanted, else gated."""
    if not isinstance(size, int):
        return want
    if size <= want:
        return size
    even = divisor(size, want)
    return even if even * 2 >= want else want
