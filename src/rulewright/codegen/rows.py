"""Kernels that keep rows near by between two products: which tile of rows goes through together.

Attention computes a row of scores for each query, makes weights of it and takes their mean of the
values. A tile of queries does all of this at once, so that keys and values are read once for each
tile: both products have the same rows of registers, and what is between them is done for all rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import prod
from typing import Any, NamedTuple

from rulewright.codegen.axes import Axes
from rulewright.codegen.copies import packed_values
from rulewright.codegen.cuts import ends_at, hidden_blocks
from rulewright.codegen.nests import Nest, Reduction, divisor, fixed
from rulewright.codegen.online import can_be_online, row_ranges
from rulewright.codegen.products import CHUNK_ROWS, LEAST_WORK, turn_copy, turning
from rulewright.codegen.tile_sizes import best_tile
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import at_most, is_multiple
from rulewright.ir.uop import UOp
from rulewright.schedule.near import MOST_BLOCK, weighed_block

TILE_ROWS = 8
"""Rows that a tile has, about."""
HEIGHTS = range(1, 11)
"""Those that a tile may have: what is kept of taller ones leaves the first cache."""
MOST_LANES = 4
"""Vectors that are filled in one go where a row may end before its last."""


class Rows(NamedTuple):
    """What goes through the tile: the row, products with their columns, and all other loops.

    `blocks` are the reduced loops over blocks of rows that are kept one block at a time."""

    row: UOp
    products: list[tuple[Reduction, UOp]]
    reductions: list[Reduction]
    fills: list[UOp]
    blocks: list[UOp]


def kept_rows(nest: Nest, target: Any) -> Rows | None:
    """The rows of a kernel whose products have other reductions of the same rows between or beside
    them; None for any other kernel."""
    stages = [n for n in nest.store.toposort() if n.op is Ops.STAGE]
    fills = [fill for stage in stages for fill in stage.src[1:]]
    around = [*(r.outer for r in nest.reductions), *(stage.ranges for stage in stages)]
    kept = [a for a in nest.axes if all(a in ranges for ranges in around)]
    columns = [a for a in (*fills, *nest.axes) if a not in kept]
    products, rest = [], []
    blocks = list(dict.fromkeys(a for r in nest.reductions for a in r.axes if _is_block(a, stages)))
    inner = [r for r in nest.reductions if not set(r.axes) <= set(blocks)]
    for reduction in inner:
        across = [a for a in columns if a in reduction.outer]
        if len(across) > 1 or not _can_tile(reduction, stages):
            return None
        if across:
            products.append((reduction, across[0]))
        else:
            rest.append(reduction)
    shared = [a for a in kept if all(_is_row(a, *p) for p in products)]
    if not shared or not products:
        return None
    used = {column for _, column in products}
    if any(
        count > 1 and column in fills for column, count in Counter(c for _, c in products).items()
    ):
        return None
    rows = Rows(shared[-1], products, rest, [f for f in fills if f not in used], blocks)
    return rows if stages or all(_is_tiled(rows.row, *p, target) for p in products) else None


def _is_block(axis: UOp, stages: list[UOp]) -> bool:
    """Whether what is kept is another block in each iteration of a reduced loop."""
    return any(axis in stage.ranges for stage in stages)


def _can_tile(reduction: Reduction, stages: list[UOp]) -> bool:
    """Whether a reduction has no other one inside, but to fill a block."""
    iterations = [a for a in reduction.axes if not _is_block(a, stages)]
    return reduction.is_flat_along(iterations)


def _is_tiled(row: UOp, reduction: Reduction, column: UOp, target: Any) -> bool:
    """Whether a product is worth the code of a tile, and a copy of what is read along the columns
    fits into memory near by."""
    columns = at_most(column.size)
    read = columns * reduction.length
    near = read * reduction.node.dtype.itemsize <= (target.limit("near_memory") or 0)
    large = read * at_most(row.size) >= LEAST_WORK
    return reduction.node.arg is Ops.ADD and large and columns >= 16 and near


def _is_row(row: UOp, reduction: Reduction, column: UOp) -> bool:
    """Whether one operand of a product is the same along the rows, the other along the columns."""
    uses = [(row in a.node.ranges, column in a.node.ranges) for a in reduction.accesses]
    return (True, False) in uses and (False, True) in uses and (True, True) not in uses


def choose_rows(axes: Axes, rows: Rows, target: Any) -> list[int]:
    """Make the choices; gives the ids of the loops that are left over the row."""
    lanes = lanes_of(rows, target)
    ends = until(axes, rows, lanes)
    count, _ = best_tile(at_most(rows.row.size), _width(rows, -1), lanes, target, HEIGHTS)
    chunks, inner = axes.pad(rows.row.arg[0], chunk(rows, count, target))
    tiles, row = axes.split(inner, count)
    kinds = {row: "upcast"}
    cut: dict[UOp, tuple[int, int, int]] = {}
    for number, (reduction, column) in enumerate(rows.products):
        _, vectors = best_tile(count, _width(rows, number), lanes, target, (count,))
        if not axes.has(column.arg[0]) and column not in cut:
            continue  # of a single value, it has vanished
        if column not in cut:
            is_stored = not axes.closers(column.arg[0]).stages
            cut[column] = panels, *_ = _columns(axes, column, vectors, lanes)
            if rows.blocks and is_stored:
                kinds[panels] = "block"
        panels, vector, lane = cut[column]
        inner_kinds = [(vector, "upcast"), (lane, "simd")]
        iterations = [a for a in reduction.axes if a not in rows.blocks]
        if _needs_copy(reduction, column, vectors * lanes):
            steps = [a.arg[0] for a in iterations]
            loops = filter(axes.has, (panels, *steps, vector, lane))
            whole = [id for id in loops if axes.size(id) != 1]
            copies = axes.pack(*whole)
            of_copy = dict(zip(whole, copies, strict=True))
            side = turning(reduction, column, lanes)
            if side and {steps[-1], lane} <= of_copy.keys():
                turn_copy(axes, of_copy[steps[-1]], of_copy[lane], side)
            else:
                inner_kinds += [(of_copy[id], kind) for id, kind in inner_kinds if id in of_copy]
        kinds.update(inner_kinds)
    for fill in rows.fills:
        kinds[filled(axes, fill, MOST_LANES * lanes, lanes, ends)] = "simd"
    return set_kinds(axes, rows, kinds, (chunks, tiles), lanes, ends)


def set_kinds(
    axes: Axes,
    rows: Rows,
    kinds: dict[int, str],
    loops: tuple[int, int],
    lanes: int,
    ends: bool,
) -> list[int]:
    """Give ranges their kinds, and those of other reductions of a row and of blocks; gives the ids
    that are left of the loops over chunks of rows and over their tiles."""
    for reduction in rows.reductions:
        kinds.update(dict.fromkeys(_lanes_along(axes, reduction, lanes, ends), "simd"))
    if rows.blocks:
        kinds |= dict.fromkeys((loops[1], *(a.arg[0] for a in rows.blocks)), "block")
    for id, kind in kinds.items():
        if axes.has(id):
            axes.set_kind(kind, id)
    return [id for id in loops if axes.has(id) and kinds.get(id) != "block"]


def in_blocks(axes: Axes, rows: Rows, target: Any, beyond: bool = False) -> bool:
    """Do a long row that is weighed in blocks, the last perhaps `beyond` its end; whether there is
    one."""
    for reduction in rows.reductions:
        axis = reduction.axes[-1]
        filled = [r.length for r, column in rows.products if column.size == axis.size]
        if is_long(reduction, max([TILE_ROWS, *filled]), target) and _can_cut(axes, reduction):
            until(axes, rows, 1)
            axes.online(axis.arg[0], weighed_block(fixed(axis) or 1), beyond)
            return True
    return False


def cut_kept_rows(axes: Axes, reductions: Iterable[Reduction], target: Any) -> bool:
    """The same for rows that are near by in a kernel that has no tiles of rows."""
    for reduction in reductions:
        if is_long(reduction, TILE_ROWS, target) and _can_cut(axes, reduction):
            first = reduction.axes[0]
            if any(axes.closers(r.arg[0]).stages for r in row_ranges(axes.ast, first)):
                axes.online(first.arg[0], weighed_block(fixed(first) or 1))
                return True
    return False


def filled(axes: Axes, fill: UOp, most: int, part: int, ends: bool) -> int:
    """The lanes of a loop that fills a row: where it may end before its last, whole parts, so many
    lanes at most."""
    size = fixed(fill)
    if size is None or (ends and size % part):
        return axes.split(fill.arg[0], most)[1]
    width = divisor(size, most, part)
    return axes.split(fill.arg[0], width)[1] if ends and fill.size != width else fill.arg[0]


def is_long(reduction: Reduction, count: int, target: Any) -> bool:
    """Whether so many rows are more than memory near by has room for beside something else."""
    room = target.limit("near_memory") or 0
    return 2 * reduction.length * count * reduction.node.dtype.itemsize > room


def _can_cut(axes: Axes, reduction: Reduction) -> bool:
    """Whether a row that is reduced can be weighed block by block."""
    first = reduction.axes[0]
    can = reduction.node.arg is Ops.MAX and weighed_block(fixed(first) or 1) > 0
    return can and can_be_online(axes.ast, first)


def until(axes: Axes, rows: Rows, lanes: int) -> bool:
    """Let loops end where the rows of a tile see nothing more; whether any does that goes along a
    whole row. Others go over blocks, which may also begin where something is seen."""
    for how in ("until", "since"):
        blocks = hidden_blocks(axes.ast, rows.row, how == "since")
        if blocks:
            axes.until(next(iter(blocks)).arg[0], rows.row.arg[0], how)
            return False
    return ends_where_seen(axes, rows.row, lanes)


def ends_where_seen(axes: Axes, row: UOp, lanes: int = 1) -> bool:
    """Let loops along whole rows end behind the last element that any row of a tile sees; whether
    there are such, of `lanes` or more."""
    ends = ends_at(axes.ast, row)
    if not ends or any(at_most(axis.size) < lanes for axis in ends):
        return False
    axes.until(ends[0].arg[0], row.arg[0])
    return True


def lanes_of(rows: Rows, target: Any) -> int:
    """Lanes of a vector of the widest sums."""
    widest = max(reduction.node.dtype.bits for reduction, _ in rows.products)
    return (target.limit("vector_bits") or 128) // max(widest, 8)


def _width(rows: Rows, number: int) -> int:
    return at_most(rows.products[number][1].size)


def chunk(rows: Rows, count: int, target: Any) -> int:
    """Rows that one thread does with one copy of the operands: whole tiles."""
    size = at_most(rows.row.size)
    if rows.blocks:  # of each row there is an accumulator
        return min(-(-size // count), MOST_BLOCK // count) * count
    around = prod(at_most(a.size) for a in rows.products[-1][0].outer if a not in rows.row.ranges)
    items = -(-(target.limit("cores") or 4) * _width(rows, -1) // max(around, 1))
    chunks = max(1, min(items, size // CHUNK_ROWS))
    return -(-size // (chunks * count)) * count


def _columns(axes: Axes, column: UOp, vectors: int, lanes: int) -> tuple[int, int, int]:
    """A range cut into panels, vectors and lanes."""
    panels, inner = axes.pad(column.arg[0], vectors * lanes)
    return (panels, *axes.split(inner, lanes))


def _needs_copy(reduction: Reduction, column: UOp, width: int) -> bool:
    """Whether what is read along the columns cannot be read as whole vectors where it lies."""
    values = packed_values(reduction.node, (*reduction.axes, column))
    plain = all(v.op is Ops.INDEX for v in values) and all(
        a.form.stride(column) == 1 for a in reduction.accesses if a.form.uses(column)
    )
    return bool(values) and not (plain and (fixed(column) or 1) % width == 0)


def _lanes_along(axes: Axes, reduction: Reduction, lanes: int, ends: bool) -> list[int]:
    """The lanes of a reduction of a row; what is left over is behind them, but where rows may end
    before their last: then the last vector has a mask."""
    axis = reduction.axes[-1]
    id, size = axis.arg[0], fixed(axis)
    if at_most(axis.size) < lanes:
        return []
    if ends and not is_multiple(axis.size, lanes):
        return [axes.split(id, lanes)[1]]
    if size is None:
        return [axes.split(part, lanes)[1] for part in axes.tail(id, lanes)]
    if size % lanes:
        id = axes.tail(id, size - size % lanes)[0]
    return [axes.split(id, lanes)[1]] if size > lanes else [id]
