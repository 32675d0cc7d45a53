"""Products of matrices on CPUs: which tile of results stays in registers, what is packed.

The roofline that this aims at is two multiply-adds of whole vectors in each cycle. A tile of R rows
by V vectors has R·V of them for R + V reads, so tiles are as large as the registers; a panel of V
vectors of columns is packed once for a chunk of rows, in the order in which the tile reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any, NamedTuple

from rulewright.codegen.axes import Axes
from rulewright.codegen.nests import Nest, Reduction, divisor, fixed
from rulewright.codegen.pack import packed_values
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

LEAST_WORK = 1 << 15
"""Products from which on a tile is worth its code."""
READ = 0.4
"""What a read costs beside them, in multiply-adds."""
LATENCY = 8
"""Multiply-adds that are under way at once."""
CHUNK_ROWS = 128
"""Rows for which a panel is packed, at least."""
FEW_ITEMS = 4
"""Chunks times panels that a large product has at least, for threads to share."""
FEW_TILES = 3
"""Tiles of rows from which on packing their panel pays."""
ALL_HEIGHTS = range(1, 15)
MOST_VECTORS = 6
PAGE = 1024
FAR = 2048
"""Bytes of a row from which on rows are read side by side in blocks, one work item at least so
many of each."""
PACKED = 4
"""Vectors of rows that are packed together."""
FEW_ROWS = 16
"""Rows up to which an operand is better read in blocks than packed."""
BLOCK = 32
"""Rows of an operand that are read side by side: as many streams as a processor fetches ahead."""


class Product(NamedTuple):
    """A reduction of products: rows and columns of results, and the size of a tile of them."""

    row: UOp
    column: UOp
    rows: int
    vectors: int
    lanes: int
    packs: bool
    packs_rows: bool
    items: int
    block: int
    turns: int


def best_tile(
    rows: int,
    columns: int,
    lanes: int,
    registers: int,
    heights: Iterable[int] = ALL_HEIGHTS,
    widest: int = MOST_VECTORS,
) -> tuple[int, int]:
    """The rows and vectors of a tile that needs the fewest cycles for a plane of results."""
    best: tuple[float, int, int] | None = None
    for v in range(1, min(widest, MOST_VECTORS) + 1):
        for r in heights:
            if r * v + v + 1 > registers or r > rows or (v - 1) * lanes >= columns:
                continue
            tiles = -(-rows // r) * -(-columns // (v * lanes))
            cost = tiles * (max(r * v, LATENCY) + READ * (r + v))
            if best is None or cost < best[0]:
                best = cost, r, v
    if best is None:
        return 1, 1
    return best[1:]


def product(nest: Nest, reduction: Reduction, rows: list[UOp], target: Any) -> Product | None:
    """How to do a reduction as a product; None if it is none, or too small.

    `rows` are the stored axes along which it reads something again.
    """
    columns = [a for a in rows if nest.accesses[0].score(a) > 0]
    lanes = (target.limit("vector_bits") or 128) // max(reduction.node.dtype.bits, 8)
    if nest.reductions != [reduction] or not columns or not reduction.can_chain:
        return None
    column = columns[0]
    row = next((a for a in rows if a is not column and _meets(reduction, a, column)), None)
    if row is None or reduction.node.arg is not Ops.ADD:
        return None
    m, n = fixed(row) or 1, fixed(column) or 1
    if m * n * reduction.length < LEAST_WORK or 2 * n <= lanes:
        return None
    registers = target.limit("vector_registers") or 16
    one = reduction.length * lanes * reduction.node.dtype.itemsize
    widest = (target.limit("near_memory") or 0) // one  # panels of more vectors are too far away
    rows_apart = _apart(reduction, row) and m >= 2 * PACKED * lanes and widest > PACKED
    heights = (min(8, lanes),) if rows_apart else ALL_HEIGHTS
    widest -= PACKED if rows_apart else 0
    count, vectors = best_tile(m, n, lanes, registers, heights, max(widest, 1))
    around = prod(fixed(a) or 1 for a in nest.axes if a not in (row, column))
    items = -(-(target.limit("cores") or 4) // around)
    wide = max(1, min(items, n * reduction.node.dtype.itemsize // FAR))  # items with long rows
    block = _block(reduction, column, m * -(-n // wide), target) if m <= FEW_ROWS else 0
    if block:
        items = wide
        count, vectors = best_tile(m, n, lanes, registers, heights, max(2, LATENCY // m))
    often = -(-m // count) >= FEW_TILES and not block
    packs = _packs(reduction, column, often or n % lanes > 0)
    if packs is None or (packs and not widest):
        return None
    turns = _turns(reduction, column, lanes) if packs else 0
    packs_rows = packs and rows_apart
    return Product(row, column, count, vectors, lanes, packs, packs_rows, items, block, turns)


def _turns(reduction: Reduction, column: UOp, lanes: int) -> int:
    """The side of squares that are transposed as they are packed; 0 if neighbours are columns."""
    step = reduction.axes[-1]
    found = [a.form for a in reduction.accesses if a.form.uses(column)]
    if any(f.stride(column) == 1 or f.stride(step) != 1 for f in found):
        return 0
    return next((n for n in (lanes, lanes // 2, 4) if n >= 4 and (fixed(step) or 1) % n == 0), 0)


def _block(reduction: Reduction, column: UOp, results: int, target: Any) -> int:
    """How much of the reduced axis is added up at a time, for all results of a work item.

    So an operand that is read once is read as it lies in memory, not a few columns at a time of
    rows that are far apart. 0 if all at a time: the results are not kept near by, but stored.
    """
    step, itemsize = reduction.axes[-1], reduction.node.dtype.itemsize
    apart = [abs(a.form.stride(step) or 0) for a in reduction.accesses if a.form.uses(column)]
    near = results * itemsize <= (target.limit("near_memory") or 0) // 2
    if len(reduction.axes) > 1 or not near or not all(s * itemsize >= FAR for s in apart):
        return 0
    size = fixed(step) or 1
    found = divisor(size, BLOCK)
    return found if 2 * found >= BLOCK and size >= 4 * found else 0


def _meets(reduction: Reduction, row: UOp, column: UOp) -> bool:
    """Whether what is read along one is the same along the other, and the other way round."""
    forms = [a.form for a in reduction.accesses]
    alone = [f.uses(row) != f.uses(column) for f in forms if f.uses(row) or f.uses(column)]
    return all(alone) and any(f.uses(row) for f in forms) and any(f.uses(column) for f in forms)


def _apart(reduction: Reduction, row: UOp) -> bool:
    """Whether neighbouring rows are neighbours in memory, and the next values on another page."""
    step = reduction.axes[-1]
    found = [a for a in reduction.accesses if a.form.uses(row)]
    return all(
        a.form.stride(row) == 1
        and abs(a.form.stride(step) or 0) * reduction.node.dtype.itemsize >= PAGE
        for a in found
    )


def _packs(reduction: Reduction, column: UOp, often: bool) -> bool | None:
    """Whether to pack what is read along the columns; None if it has to be and cannot."""
    found = packed_values(reduction.node, (*reduction.axes, column))
    plain = all(v.op is Ops.INDEX for v in found) and all(
        a.form.stride(column) == 1 for a in reduction.accesses if a.form.uses(column)
    )
    if not found:
        return None
    return often or not plain


def tile(axes: Axes, reduction: Reduction, found: Product) -> int:
    """Make the choices; gives the id of the range over chunks of rows and panels of columns."""
    steps = [axis.arg[0] for axis in reduction.axes if fixed(axis) != 1]
    width = found.vectors * found.lanes
    chunk = _chunk(found, width)
    outer, inner = axes.pad(found.row.arg[0], chunk)
    group, inside = inner, []
    if found.packs_rows:
        groups, group = axes.split(inner, PACKED * found.lanes)
        inside.append(groups)
    across, columns = axes.pad(found.column.arg[0], width)
    parts = axes.split(columns, found.lanes) if found.vectors > 1 else (columns,)
    panels = ()
    if found.block:
        across, *panels = axes.split(across, -(-int(axes.size(across)) // found.items))
        blocks, *steps = axes.split(*steps, found.block)
        axes.set_kind("block", blocks)
    both = axes.merge(outer, across, "join")
    copies: list[tuple[int, ...]] = []
    if found.packs:
        made = axes.pack(*steps, *parts)
        if found.turns:
            _turn(axes, made[len(steps) - 1], made[-1], found.turns)
        else:
            copies.append(made[len(steps) :])
    if found.packs_rows:
        (copied,) = axes.pack(*steps, group)[len(steps) :]
        copies.append(axes.split(copied, found.lanes))
    tiles, rows = axes.split(group, found.rows)
    if panels:
        tiles = axes.merge(*panels, tiles, "join")  # all rows of a panel before the next
    for id in filter(axes.has, (*inside, tiles)):
        axes.set_kind("block", id)  # inside of the loops whose copies it reads
    for *vectors, lanes in (*copies, parts):
        for id in vectors:
            axes.set_kind("upcast", id)
        axes.set_kind("simd", lanes)
    axes.set_kind("upcast", rows)
    return both


def _turn(axes: Axes, step: int, lanes: int, count: int) -> None:
    """Copy squares of so many values, read along `step` and written along `lanes`."""
    axes.set_kind("upcast", axes.split(step, count)[1])
    axes.set_kind("simd", axes.split(lanes, count)[1] if axes.size(lanes) != count else lanes)


def _chunk(found: Product, width: int) -> int:
    """Rows that share a panel: whole tiles, or whole groups of rows that are packed."""
    m, n = fixed(found.row) or 1, fixed(found.column) or 1
    panels = -(-n // width)
    # for threads to share: rather is a panel packed twice than one of them idle
    few = min(-(-min(FEW_ITEMS, found.items) // panels), m // (2 * found.rows))
    chunks = max(1, min(-(-found.items // panels), max(m // CHUNK_ROWS, few)))
    unit = PACKED * found.lanes if found.packs_rows else found.rows
    return -(-m // (chunks * unit)) * unit
