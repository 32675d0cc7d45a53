"""Products of matrices by the tensor cores of a CPU: which tile of results, what is packed.

Where one lane has small matrices alone, they are read from memory near by. A work item copies a
chunk of rows and a group of columns for a block of the sum, as the tensor core takes them, and goes
through the tiles of results that its registers hold; sums of several blocks are added near by.
Rows that lie as a small matrix of one row wants them are not copied, if tiles end where they do.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import inf, prod
from typing import Any, NamedTuple

from rulewright.codegen.axes import Axes
from rulewright.codegen.cores import TensorCore, product_of
from rulewright.codegen.lanes import is_consecutive
from rulewright.codegen.nests import Nest, Reduction, fixed
from rulewright.codegen.products import FAR_LENGTH, are_dots
from rulewright.codegen.tile_sizes import best_tile
from rulewright.ir.dtypes import dtype
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import at_most
from rulewright.ir.uop import UOp

LEAST_NEAR = 8
"""Neighbours among results, from which on others along a vector are not put apart in memory."""
LEAST_WORK = 1 << 13
"""Products of so many multiplications from which on copies pay."""
BLOCK_BYTES = 512
"""Of a row that is summed at a time: as much as the first cache holds beside a panel of columns."""
DEEP_BYTES = 4096
"""The same of rows that are not copied: by hand, blocks of a quarter took a tenth longer."""
SIDE = 512
"""Rows and columns of a work item, at most: sums of them, and copies, fit in the second cache."""
FEW_ITEMS = 4
"""Work items of a large product, at least, for threads to share."""
OPEN_ROWS = 64
"""Rows of a chunk where it is not known how many there are."""
FEW_SIDE = 128
"""Rows and columns of a work item, at least, if there are as many."""
TALL = (3, 12)
"""Rows of a tile that are not copied, at least and at most: by hand all of them were as fast."""
ENOUGH_SUMS = 12
"""Vectors of sums of such a tile, so that no product waits for the one before it."""
FEW_VECTORS = 4
"""Vectors of a row of such a tile, at most: fewer columns of the last one are beyond the end."""
LEAST_SHARE, MOST_SHARE = 64, 2048
"""Such rows of a work item, at least, if there are as many: each copies the columns it needs; and
at most."""


class CoreProduct(NamedTuple):
    """A reduction that a tensor core computes: its axes, and how much a work item does at a time.

    A tile has `tall` by `wide` small matrices; a work item `rows` and `columns` of results, for
    `block` values of the reduced axis at a time (0: all of them), and for each value of so many of
    the other reduced axes as are `apart`: copies for all of them would be too large. It does not
    copy rows that are read as they `lie`. The last reduced axes are one if rows lie so: `steps`.
    Columns that are `turned` lie along a sum that is no multiple of a depth.
    """

    core: TensorCore
    row: UOp
    column: UOp
    steps: tuple[UOp, ...]
    tall: int
    wide: int
    rows: int
    columns: int
    block: int
    apart: int
    lie: bool = False
    turned: bool = False


def core_product(
    nest: Nest, reduction: Reduction, axes: list[UOp], target: Any
) -> CoreProduct | None:
    """How a tensor core of one lane does a reduction; None if none does, or it is too small.

    `axes` are the stored ones along which it reads something again.
    """
    if not target.row["cores"] or nest.reductions != [reduction] or not reduction.axes:
        return None
    shapes = list(_shapes(nest, reduction, axes, target))
    if not shapes:
        return None
    _, _, shape = max(shapes, key=lambda each: each[:2])
    m, n = _rows(shape.row), fixed(shape.column) or 1
    k = prod(fixed(a) or 1 for a in shape.steps)
    plan = _of_rows_that_lie(shape, (m, n, k), target) if shape.lie else None
    if plan is None:
        plan = _of_copies(shape._replace(lie=False), (m, n, k), target)
    copied = plan.columns + (0 if plan.lie else plan.rows)
    copies = copied * (plan.block or k) * dtype(shape.core.of).itemsize
    others, apart = [fixed(a) or 1 for a in reduction.axes[: -len(shape.steps)]], 0
    while copies * prod(others[apart:]) > (target.limit("near_memory") or 0) and others[apart:]:
        apart += 1
    return plan._replace(apart=apart)


def _shapes(
    nest: Nest, reduction: Reduction, axes: list[UOp], target: Any
) -> Iterator[tuple[int, bool, CoreProduct]]:
    """The rows and columns that a tensor core of one lane takes: how many results they have, and
    whether columns are neighbours in what is read.

    Of those whose columns are neighbours among the results there is one; where these are few, and
    each is the sum of much, there are others, whose rows are not copied.
    """
    step, written = reduction.axes[-1], nest.accesses[0]
    near = max((fixed(a) or 1 for a in axes if written.score(a) > 0), default=1)
    is_apart = reduction.length >= FAR_LENGTH and near < LEAST_NEAR
    for row, column in permutations(axes, 2):
        if None in [fixed(a) for a in (column, step)] or (
            written.score(column) <= 0 and not is_apart
        ):
            continue
        product = product_of(reduction.node, row, column, step)
        core = product and product.core(target)
        if not product or not core or core.lanes > 1:
            continue
        left, whole = product.left[core.of], core.sizes[0] > 1
        steps = _as_one(left, reduction.axes, core.sizes[2]) if whole else (step,)
        m, n, k = _rows(row), fixed(column) or 1, prod(fixed(a) or 1 for a in steps)
        least = all(2 * size >= part for size, part in zip((m, n, k), core.sizes, strict=True))
        if not least or are_dots(reduction, m) or m * n * reduction.length < LEAST_WORK:
            continue
        lie = lies(left, step) and fixed(row) is not None
        if is_apart and not (lie and (whole or k % core.sizes[2] == 0)):
            continue
        reads_near = all(a.score(column) >= 0 for a in reduction.accesses)
        turned = whole and k % core.sizes[2] > 0 and lies(product.right[core.of], step)
        plan = CoreProduct(core, row, column, steps, 0, 0, 0, 0, 0, 0, lie and not whole, turned)
        yield m * n, reads_near, plan
        if not is_apart:
            return


def _rows(row: UOp) -> int:
    """How many rows there are; of a symbolic number a few, for there may be no more."""
    return fixed(row) or min(at_most(row.size), OPEN_ROWS)


def _as_one(value: UOp, axes: tuple[UOp, ...], depth: int) -> tuple[UOp, ...]:
    """The last of the reduced axes, and those before it along which a value goes on in memory, if
    the last ones are no multiple of a depth."""
    steps = axes[-1:]
    if value.op is not Ops.INDEX or value.src[0].op is not Ops.PARAM:
        return steps
    form = linear(value.src[1])
    for axis in reversed(axes[:-1]):
        size, near = prod(fixed(a) or 0 for a in steps), form.stride(steps[-1])
        if size % depth == 0 or near is None or form.stride(axis) != near * size:
            break
        steps = (axis, *steps)
    return steps


def lies(value: UOp, step: UOp) -> bool:
    """Whether a value is read from memory where neighbours along a range are neighbours."""
    if value.op is not Ops.INDEX or value.src[0].op is not Ops.PARAM:
        return False
    return value.src[1].op is not Ops.WHERE and is_consecutive(value, step)


def _of_copies(shape: CoreProduct, sizes: tuple[int, int, int], target: Any) -> CoreProduct:
    """The tile and the shares of a work item for a product of these sizes."""
    core = shape.core
    m, n, k = (-(-size // part) for size, part in zip(sizes, core.sizes, strict=True))
    tiles = [(r, core.registers // r) for r in range(1, core.registers + 1)]
    fits = [(min(r, m), min(v, n)) for r, v in tiles]
    if fits:
        tall, wide = max(fits, key=lambda t: (t[0] * t[1], -abs(t[0] - t[1])))
    else:
        tall, wide = best_tile(sizes[0], sizes[1], core.sizes[1], target)
    rows = _share(sizes[0], tall * core.sizes[0])
    columns = _share(sizes[1], wide * core.sizes[1])
    while -(-sizes[0] // rows) * -(-sizes[1] // columns) < FEW_ITEMS:
        size, part = max((rows, tall * core.sizes[0]), (columns, wide * core.sizes[1]))
        if size < 2 * FEW_SIDE:
            break
        if size == rows:
            rows = -(-rows // (2 * part)) * part
        else:
            columns = -(-columns // (2 * part)) * part
    depth = BLOCK_BYTES // dtype(core.of).itemsize // core.sizes[2]
    blocks = max(1, round(k / depth))
    block = -(-k // blocks) * core.sizes[2] if blocks > 1 else 0
    return shape._replace(tall=tall, wide=wide, rows=rows, columns=columns, block=block)


def _of_rows_that_lie(
    shape: CoreProduct, sizes: tuple[int, int, int], target: Any
) -> CoreProduct | None:
    """The same if rows are read as they lie; None if no tile or no block ends where they do."""
    (m, n, k), (_, lanes, depth) = sizes, shape.core.sizes
    size, (low, high) = dtype(shape.core.of).itemsize, TALL
    heights = [r for r in range(low, high + 1) if m % r == 0]
    least = -(-k * size // DEEP_BYTES)
    blocks = next((b for b in range(least, 4 * least) if k % (b * depth) == 0), 0)
    if not heights or not blocks:
        return None
    tall, wide = _tile_of_rows(heights, n, lanes, target.limit("vector_registers") or 16)
    enough = range(tall, min(m, MOST_SHARE) + 1, tall)
    even = [r for r in enough if m % r == 0 and r >= min(m, LEAST_SHARE)]
    if not even:
        return None
    rows, part = max([even[0], *(r for r in even if r <= SIDE)]), wide * lanes
    near = (target.limit("near_memory") or 0) // 2  # beside results
    most = min(SIDE, max(part, near // (k // blocks * size)))
    if -(-n // most) * (m // rows) < FEW_ITEMS:
        most = min(most, max(FEW_SIDE, n * (m // rows) // FEW_ITEMS))
    shares = range(part, max(part, most) + 1, part)
    columns = min(shares, key=lambda c: (-(-n // c) * c, -c))
    groups = -(-n // columns)
    if groups * (m // rows) < FEW_ITEMS:
        rows = max([r for r in even if groups * (m // r) >= FEW_ITEMS], default=even[0])
    block = k // blocks if blocks > 1 else 0
    return shape._replace(tall=tall, wide=wide, rows=rows, columns=columns, block=block, lie=True)


def _tile_of_rows(heights: list[int], columns: int, lanes: int, vectors: int) -> tuple[int, int]:
    """The tile with the fewest columns beyond the end: enough sums of any shape are as fast."""
    best: tuple[float, int, int] = (inf, -heights[0], 1)
    for r, v in [(r, v) for r in heights for v in range(1, FEW_VECTORS + 1)]:
        if r * v + v < vectors:
            padded = -(-columns // (v * lanes)) * v * lanes
            best = min(best, (padded * max(1, ENOUGH_SUMS / (r * v)), -r, v))
    return -best[1], best[2]


def _share(size: int, part: int) -> int:
    """As even a part of a size as is at most SIDE: whole tiles."""
    shares = -(-size // SIDE)
    return -(-size // (shares * part)) * part


def tile(axes: Axes, reduction: Reduction, product: CoreProduct) -> int:
    """Make the choices; gives the id of the range over chunks of rows and groups of columns."""
    rows, columns, depth = product.core.sizes
    others = [a.arg[0] for a in reduction.axes[: -len(product.steps)] if fixed(a) != 1]
    blocks, steps = others[: product.apart], others[product.apart :]
    last = axes.as_one([a.arg[0] for a in product.steps])
    if product.block:
        block, last = axes.split(last, product.block)
        blocks.append(block)
    last, step = axes.split(last, depth)
    outer, inner = axes.pad(product.row.arg[0], product.rows)
    across, inside = axes.pad(product.column.arg[0], product.columns)
    tiles, part = axes.split(inner, product.tall * rows)
    several, one = axes.split(part, rows) if rows > 1 else (part, None)
    # of the loops over blocks, those over columns go inside: rows are stored from end to end
    panels, panel = axes.split(inside, product.wide * columns)
    vectors, column = axes.split(panel, columns)
    row = [] if one is None else [one]
    both = axes.merge(outer, across, "join")

    there = axes.several
    if row:
        axes.pack(*there(tiles, several, *steps, last), *row, step)
    elif not product.lie:
        axes.pack(*there(tiles, *steps, last, several), step)
    if product.turned:  # with zeros beyond the end, so that pairs of neighbours are turned
        copy = axes.pack(*there(panels, vectors), column, *there(*steps, last), step)
        axes.set_kind("simd", copy[-1])
    axes.pack(*there(panels, *steps, last, vectors), column, step)
    axes.set_kind("tc", *row, column, step)
    for kind, ids in {"block": (*blocks, panels, tiles), "upcast": (vectors, several)}.items():
        for id in filter(axes.has, ids):
            axes.set_kind(kind, id)
    return both
