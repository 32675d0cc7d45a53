"""Products of matrices on CPUs: which tile of results stays in registers, what is packed.

The roofline that this aims at is two multiply-adds of whole vectors in each cycle. A tile of R rows
by V vectors has R·V of them for R + V reads, so tiles are as large as the registers; a panel of V
vectors of columns is packed once for a chunk of rows, in the order in which the tile reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product as product_of
from math import prod
from typing import Any, NamedTuple

from rulewright.codegen.axes import Axes
from rulewright.codegen.copies import packed_values
from rulewright.codegen.nests import Nest, Reduction, divisor, fixed
from rulewright.codegen.tile_sizes import ALL_HEIGHTS, MOST_VECTORS, WHOLE, best_tile, pace_of
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import at_most
from rulewright.ir.uop import UOp

LEAST_WORK = 1 << 15
"""Products from which on a tile is worth its code."""
COPIED = 15
"""What the copy of a value costs, in multiply-adds."""
PAGE, WAYS = 4096, 8
"""Bytes after which memory is in the same set of the first cache, and how many of them it holds."""
LINE = 64
"""Bytes that a cache reads at once: panels are rather that wide where none is packed."""
CHUNK_ROWS = 128
"""Rows for which a panel is packed, at least."""
MANY_ROWS = 512
"""Rows from which on it does not matter that those of the next range need a panel again."""
FEW_ITEMS = 4
"""Chunks times panels that a large product has at least, for threads to share."""
FEW_TILES = 3
"""Tiles of rows from which on packing their panel pays."""
FEW_PACKED = 8
"""Tiles of rows that share a panel where it is not known how many rows there are."""
OPEN_ROWS = 64
"""Rows that are copied together where it is not known how many there are."""
APART = 1024
"""Bytes between values from which on they are copied near by: each is on a page of its own."""
FAR = 2048
"""Bytes between rows from which on they are read side by side; of each, a work item's share."""
PACKED = 4
"""Vectors of rows that are packed together."""
FEW_ROWS = 16
"""Rows up to which an operand is better read in blocks than packed."""
FEW_DOTS = 4
"""Rows up to which neighbours that are summed are better added up as vectors than turned."""
LONG_BLOCK = 1024
"""Values of a long sum for which panels are packed at a time."""
FEW_COPIED = 256
"""Copied rows of a whole sum that are too few: rather is a part of it done at a time."""
LOSSY = 1 << 14
"""Values of a sum from which on one accumulator forgets too much of what is small beside it."""
FAR_LENGTH = 256
"""Values of a sum from which on it does not matter where its result is put."""
BLOCK = 16
"""Rows of an operand that are read side by side: as many streams as a processor fetches ahead."""


class TiledProduct(NamedTuple):
    """A reduction of products: rows and columns of results, and the size of a tile of them.

    A work item does `chunk` rows (0: all) of `panels` panels of columns, and adds up `block` values
    of the reduced axis at a time (0: all); `turns` is the side of squares that are transposed.
    Rows are packed if they lie "apart" in memory or are "computed" from what is read. A panel
    serves all rows of the axes `beside`. The columns of a `far` one are no neighbours in memory.
    """

    row: UOp
    column: UOp
    rows: int
    vectors: int
    lanes: int
    packs: bool
    packs_rows: str
    chunk: int
    panels: int
    block: int
    turns: int
    beside: tuple[UOp, ...]
    far: bool


def product(nest: Nest, reduction: Reduction, rows: list[UOp], target: Any) -> TiledProduct | None:
    """How to do a reduction as a product; None if it is none, or too small.

    `rows` are the stored axes along which it reads something again. If the nest has several
    products of the same rows and columns, the longest says how all of them are done.
    """
    shape = _shape(nest, reduction, rows, target)
    return None if shape is None else shape.few_rows() or shape.packed() or shape.plain()


def rows_before(nest: Nest, reduction: Reduction, tiles: TiledProduct) -> UOp | None:
    """An axis along which the few rows of a packed product go on in what is stored; None if there
    is none."""
    written = nest.accesses[0].form
    step, size = written.stride(tiles.row), fixed(tiles.row) or MANY_ROWS
    if len(nest.reductions) != 1 or not tiles.packs or tiles.far or size >= MANY_ROWS or not step:
        return None
    beside = _beside(nest, reduction, tiles.row, tiles.column)
    return next((a for a in beside if written.stride(a) == step * size), None)


def even_length(nest: Nest, reduction: Reduction, rows: list[UOp], target: Any) -> int:
    """How much of a product's sum to do apart from the rest; 0 if its length can be cut as it is.

    Blocks of a long sum, the rows that are read side by side and turned squares divide the length.
    """
    shape = _shape(nest, reduction, rows, target)
    alone = len(reduction.axes) == len(nest.reductions) == 1
    return shape.even_length() if shape is not None and alone else 0


def _shape(nest: Nest, reduction: Reduction, rows: list[UOp], target: Any) -> _Shape | None:
    """What a product is to be chosen for; None if a reduction is none, or too small."""
    lanes = (target.limit("vector_bits") or 128) // max(reduction.node.dtype.bits, 8)
    longest = max(nest.reductions, key=lambda r: r.length)
    fits = lanes > 1 and longest == reduction  # one lane is no vector
    plane = _plane(nest, reduction, rows, lanes) if fits else None
    if plane is None:
        return None
    row, column = plane
    sums = all(r.is_flat and r.node.arg is Ops.ADD for r in nest.reductions)
    if not sums or not all(_meets(r, row, column) for r in nest.reductions):
        return None
    m, n = at_most(row.size), at_most(column.size)
    if reduction.length >= LOSSY and any(fixed(a) is None for a in reduction.axes):
        return None  # which has no parts that could be added up apart
    if m * n * reduction.length < LEAST_WORK or 2 * n <= lanes or are_dots(reduction, m):
        return None
    far = nest.accesses[0].score(column) <= 0
    beside = _beside(nest, reduction, row, column) if far else None
    around = prod(fixed(a) or 1 for a in nest.axes if a not in (row, column, *(beside or ())))
    return _Shape(reduction, (row, column), beside, lanes, around, target)


def are_dots(reduction: Reduction, rows: int) -> bool:
    """Whether so many rows are better multiplied along the sum than along their columns."""
    along = all(a.score(reduction.axes[-1]) > 0 for a in reduction.accesses)
    return along and rows <= FEW_DOTS and reduction.length >= FAR_LENGTH


def _plane(nest: Nest, reduction: Reduction, axes: list[UOp], lanes: int) -> tuple[UOp, UOp] | None:
    """The axes of rows, and of columns along which results are vectors: neighbours in memory.

    Where those are too few, results of a long sum are put apart from each other.
    """
    pairs = [(a, b) for a in axes for b in axes if a is not b and _meets(reduction, a, b)]
    near = next((a for a in axes if nest.accesses[0].score(a) > 0), None)
    if reduction.length < FAR_LENGTH or (near is not None and 2 * at_most(near.size) > lanes):
        return next((pair for pair in pairs if pair[1] is near), None)
    wide = [pair for pair in pairs if (fixed(pair[1]) or 1) >= lanes]

    def rows(pair: tuple[UOp, UOp]) -> tuple[int, int]:
        """Those that share a panel of columns, and those of them that tiles are made of."""
        others = prod(fixed(a) or 1 for a in _beside(nest, reduction, *pair))
        return (fixed(pair[0]) or 1) * others, fixed(pair[0]) or 1

    return max(wide, key=rows, default=None)


class _Shape:
    """The ways to do a product of one size; None where one does not fit."""

    def __init__(
        self, reduction: Reduction, plane: tuple[UOp, UOp], beside: tuple[UOp, ...] | None,
        lanes: int, around: int, target: Any,
    ) -> None:  # fmt: skip
        self.reduction, self.beside, self.far = reduction, beside or (), beside is not None
        self.row, self.column = row, column = plane
        self.m, self.n = at_most(row.size), at_most(column.size)
        self.is_open = fixed(row) is None
        self.lanes, self.itemsize = lanes, reduction.node.dtype.itemsize
        self.around, self.cores = around, target.limit("cores") or 4
        self.items = -(-self.cores // around)
        self.registers, self.target = target.limit("vector_registers") or 16, target
        self.near = (target.limit("near_memory") or 0) // self.itemsize
        self.copied = (target.limit("rows_memory") or 0) // self.itemsize or self.near // 2
        self.sums = (target.limit("own_memory") or 0) // 2 // self.itemsize or self.near

    def even_length(self) -> int:
        """A part of the sum that can be cut by what it is to be cut by; 0 for all of it."""
        size = fixed(self.reduction.axes[-1]) or 1
        apart, turns = self.are_rows_apart(), _turns(self.reduction, self.column, self.lanes)
        units = [_long_block(apart)] if self.is_long(apart) else []
        units += [BLOCK] if self.is_read_once() else []
        uneven = [unit for unit in units if 2 * divisor(size, unit) < unit]
        if turns and size % max(turns // 2, 4):
            uneven.append(turns)
        return next((size - size % unit for unit in uneven if size >= 4 * unit), 0)

    def is_read_once(self) -> bool:
        """Whether rows of an operand that lie apart are read for a few rows of results only."""
        step = self.reduction.axes[-1]
        apart = (a.form.stride(step) for a in self.reduction.accesses if a.form.uses(self.column))
        far = all(abs(s or 0) * self.itemsize >= FAR for s in apart)
        results = self.m * -(-self.n // self.wide_items())
        is_long = self.reduction.length >= 8 * BLOCK
        return self.m <= FEW_ROWS and is_long and far and results <= self.near // 2

    def wide_items(self) -> int:
        """Work items that share the columns, each with so many that it reads far along a row."""
        return min(self.items, -(-self.n * self.itemsize // FAR))

    def are_rows_apart(self) -> bool:
        """Whether rows are neighbours in memory, and what is summed is apart."""
        many = self.m >= 2 * PACKED * self.lanes
        return many and _apart(self.reduction, self.row)

    def are_rows_computed(self) -> bool:
        """Whether what a row contributes is converted, say: by vectors is better than one by one,
        also for a single panel."""
        values = packed_values(self.reduction.node, (*self.reduction.axes, self.row))
        return any(v.op is not Ops.INDEX for v in values)

    def is_long(self, apart: bool) -> bool:
        """Whether a panel of the whole sum is more than memory near by holds, or there is room for
        few copied rows of it."""
        length = self.reduction.length
        if apart:
            return length > LONG_BLOCK or self.copied // length <= FEW_COPIED
        return length > LONG_BLOCK and length * self.lanes * PACKED > self.near

    def few_rows(self) -> TiledProduct | None:
        """An operand that is read once is read as it lies in memory, not a few columns at a time.

        So much of the reduced axis is added up at a time as there can be rows side by side.
        """
        block = self.block(BLOCK) if self.is_read_once() else 0
        widest = max(2, WHOLE.latency // self.m)
        least = 2 if self.lanes * self.itemsize < LINE else 1
        tile = best_tile(self.m, self.n, self.lanes, self.target, widest=widest, narrowest=least)
        packs = _packs(self.reduction, self.column, self.n % self.lanes > 0)
        if not block or packs is None:
            return None
        panels = -(-self.n // (tile[1] * self.lanes))
        computed = "computed" if self.are_rows_computed() else ""
        chunk = -(-self.m // tile[0]) * tile[0]
        return self.product(tile, packs, computed, chunk, -(-panels // self.wide_items()), block)

    def packed(self) -> TiledProduct | None:
        """A panel of columns, perhaps the rows of a chunk too, are copied near by."""
        apart, block, rows = self.are_rows_apart(), 0, ""
        computed = not apart and self.are_rows_computed()
        if self.is_long(apart or computed):
            halves = self.block(LONG_BLOCK // 2) if computed else 0
            block = halves or self.block(_long_block(apart or computed))
        length = block or self.reduction.length
        near = self.near // 2 if self.m <= FEW_ROWS else self.near  # the next panel comes soon
        widest = near // (length * self.lanes)
        apart = apart and widest > PACKED
        heights = self.heights_apart() if apart else self.heights()
        widest -= PACKED if apart else 0
        most, whole = max(widest, 1), -(-self.n // self.lanes)
        lies = whole <= min(most, MOST_VECTORS) and self.lies_packed(whole * self.lanes)
        least = whole if lies else 1
        tile = best_tile(self.m, self.n, self.lanes, self.target, heights, most, least)
        often = -(-self.m // tile[0]) >= FEW_TILES
        packs = _packs(self.reduction, self.column, often or self.n % self.lanes > 0)
        if not packs or not widest:
            return None
        width = tile[1] * self.lanes
        room = self.copied // (2 * length if block and apart else length) // tile[0] * tile[0]
        if apart or (room and computed):
            rows = "apart" if apart else "computed"
        if rows:
            chunk, panels = self.shares(tile[0], width, max(room, tile[0]), block)
        else:
            chunk = self.chunk(tile[0], width)
            panels = self.panels(chunk, width, block) if block else 1
        return self.product(tile, not self.lies_packed(width), rows, chunk, panels, block)

    def lies_packed(self, width: int) -> bool:
        """Whether what is read along the columns lies in memory as a panel of it would."""
        step = self.reduction.axes[-1]
        values = packed_values(self.reduction.node, (*self.reduction.axes, self.column))
        forms = [a.form for a in self.reduction.accesses if a.form.uses(self.column)]
        whole = self.n == width and len(self.reduction.axes) == 1
        plain = all(v.op is Ops.INDEX for v in values)
        lies = all(f.stride(self.column) == 1 and f.stride(step) == width for f in forms)
        return whole and plain and lies

    def heights(self) -> Iterable[int]:
        """Rows of a tile: if a panel serves other rows too, rather a divisor of a chunk, unless
        registers hold too few of such rows for what can be under way."""
        whole = [r for r in ALL_HEIGHTS[3:] if self.beside and self.m % (FEW_ITEMS * r) == 0]
        if whole:
            rows, vectors = best_tile(self.m, self.n, self.lanes, self.target, whole)
            if rows * vectors >= pace_of(self.target).latency:
                return whole
        return self.heights_that_lie()

    def heights_that_lie(self) -> Iterable[int]:
        """Of rows that are read as they lie: no more than ways of a set of the first cache if all
        of them are in one."""
        strides = [a.form.stride(self.row) or 0 for a in self.reduction.accesses]
        alike = any(s and s * self.itemsize % PAGE == 0 for s in strides)
        return [r for r in ALL_HEIGHTS if r <= WAYS] if alike else ALL_HEIGHTS

    def heights_apart(self) -> Iterable[int]:
        """Rows of a tile that are copied side by side, beside two vectors of columns."""
        return (8,) if self.registers >= 2 * 8 + 3 else (6,)

    def plain(self) -> TiledProduct | None:
        """What is read along the columns is read where it lies; a long sum is a sum of blocks."""
        heights = self.heights_that_lie()
        tile = best_tile(self.m, self.n, self.lanes, self.target, heights)
        if _packs(self.reduction, self.column, self.n % self.lanes > 0) is not False:
            return None
        chunk = self.chunk(tile[0], tile[1] * self.lanes)
        block = self.block(LONG_BLOCK) if self.reduction.length >= LOSSY else 0
        return self.product(tile, False, "", chunk, 1, block)

    def product(
        self,
        tile: tuple[int, int],
        packs: bool,
        packs_rows: str,
        chunk: int,
        panels: int,
        block: int,
    ) -> TiledProduct:
        """A product with this tile and these shares of a work item."""
        turns = turning(self.reduction, self.column, self.lanes, block) if packs else 0
        return TiledProduct(
            self.row, self.column, *tile, self.lanes, packs, packs_rows, chunk, panels, block,
            turns, self.beside, self.far,
        )  # fmt: skip

    def block(self, most: int) -> int:
        """How much of the reduced axes, up to `most` and not much less; else 0.

        It is so many iterations of the innermost ones, or of a part of the outermost of those.
        """
        length = 1
        for axis in reversed(self.reduction.axes):
            size = fixed(axis) or 1
            length *= divisor(size, most // length)
            if size > 1 and length % size:
                break
        return length if 2 * length >= most and self.reduction.length >= 4 * length else 0

    def chunk(self, rows: int, width: int) -> int:
        """Rows that share a panel: whole tiles; 0 for all, where it is not known how many."""
        panels = self.around * -(-self.n // width)
        if self.is_open:
            return 0 if panels >= min(self.cores, FEW_ITEMS) else FEW_PACKED * rows
        return chunk_rows(self.m, panels, self.cores, rows)

    def shares(self, rows: int, width: int, room: int, block: int) -> tuple[int, int]:
        """Rows, and panels, of a work item that copies both.

        Of the ways to leave every thread something, with `room` for the copy of so many rows, the
        one that copies and computes least: also what lies beyond the last row and panel.
        """
        panels, items = -(-self.n // width), min(self.items, FEW_ITEMS)

        def share(pieces: int, more: int) -> tuple[float, int, int]:
            """The cost, and the share, if the panels of a chunk are done in so many pieces, and
            there are so many chunks more than needed."""
            chunks = max(-(-self.m // room), -(-items // pieces)) + more
            least = -(-self.m // chunks)
            beside = rows * PACKED
            unit = beside if least >= 8 * beside and _is_vector(rows) else rows
            chunk = -(-least // unit) * unit
            count = min(-(-panels // pieces), self.most_panels(chunk, width, block))
            chunks, pieces = -(-self.m // chunk), -(-panels // count)
            m, n, shared = chunks * chunk, pieces * count * width, self.around * chunks * pieces
            idle = -(-shared // FEW_ITEMS) * FEW_ITEMS / shared
            return (m * n + COPIED * (pieces * m + chunks * n)) * idle, chunk, count

        if self.is_open:
            return share(1, -(-self.m // OPEN_ROWS))[1:]
        ways = product_of(range(1, items + 1), range(FEW_ITEMS))
        return min(share(*way) for way in ways)[1:]

    def most_panels(self, chunk: int, width: int, block: int) -> int:
        """Panels beside a chunk of rows of which the sums of blocks have room; they are read and
        written once a block, wherever they are."""
        return max(1, self.sums // (chunk * width)) if block else -(-self.n // width)

    def panels(self, chunk: int, width: int, block: int) -> int:
        """Panels that a work item does of its chunk: as many as leave every thread something."""
        panels, chunks = -(-self.n // width), -(-self.m // chunk)
        most = self.most_panels(chunk, width, block)
        count = -(-panels // max(1, min(self.items, FEW_ITEMS) // chunks, -(-panels // most)))
        # a panel beyond the last one is computed like others, for nothing
        while -panels % count * FEW_ITEMS > panels:
            count -= 1
        return count


def _long_block(copied: bool) -> int:
    """Values of a long sum that are added up at a time: fewer if rows are copied as well."""
    return LONG_BLOCK // 4 if copied else LONG_BLOCK


def _beside(nest: Nest, reduction: Reduction, row: UOp, column: UOp) -> tuple[UOp, ...]:
    """The stored axes other than that of rows for which the columns are the same."""
    others = [a for a in nest.axes if a is not row and fixed(a)]
    return tuple([a for a in others if _meets(reduction, a, column)])


def turning(reduction: Reduction, column: UOp, lanes: int, block: int = 0) -> int:
    """The side of squares in which blocks of a sum (0: all of it) are transposed as they are
    packed; 0 if neighbours are columns, or if none fits."""
    last = fixed(reduction.axes[-1]) or 1
    size = min(block, last) if block else last
    turns = _turns(reduction, column, lanes)
    while turns and size % turns:
        turns = turns // 2 if turns > 4 else 0
    return turns


def _turns(reduction: Reduction, column: UOp, lanes: int) -> int:
    """The side of squares that are transposed where any fit; 0 if neighbours are columns, or if
    they are computed."""
    step = reduction.axes[-1]
    forms = [a.form for a in reduction.accesses if a.form.uses(column)]
    if not forms or any(f.stride(column) == 1 or f.stride(step) != 1 for f in forms):
        return 0
    return lanes if lanes >= 4 else 0


def _meets(reduction: Reduction, row: UOp, column: UOp) -> bool:
    """Whether what is read along one is the same along the other, and the other way round."""
    forms = [a.form for a in reduction.accesses]
    alone = [f.uses(row) != f.uses(column) for f in forms if f.uses(row) or f.uses(column)]
    unread = [a for a in (row, column) if not any(f.uses(a) for f in forms)]
    meets = all(alone) and len(unread) < 2 and all(is_computed(reduction, a) for a in unread)
    return meets and (column not in unread or _are_numbers(reduction, column))


def _are_numbers(reduction: Reduction, column: UOp) -> bool:
    """Whether a panel of what is computed for columns has numbers, not conditions."""
    values = packed_values(reduction.node, (*reduction.axes, column))
    return not any(v.dtype.is_bool for v in values)


def is_computed(reduction: Reduction, axis: UOp) -> bool:
    """Whether something that is summed depends on the number of a row or column alone, as the truth
    values of labels that are compared with it do, and on nothing that is read for it."""
    if any(a.form.uses(axis) for a in reduction.accesses) or axis not in reduction.outer:
        return False
    return bool(packed_values(reduction.node, (*reduction.axes, axis)))


def _apart(reduction: Reduction, row: UOp) -> bool:
    """Whether neighbouring rows are neighbours in memory, and the next values on another page."""
    step = reduction.axes[-1]
    accesses = [a for a in reduction.accesses if a.form.uses(row)]
    return all(
        a.form.stride(row) == 1
        and abs(a.form.stride(step) or 0) * reduction.node.dtype.itemsize >= APART
        for a in accesses
    )


def _packs(reduction: Reduction, column: UOp, often: bool) -> bool | None:
    """Whether to pack what is read along the columns; None if it has to be and cannot."""
    values = packed_values(reduction.node, (*reduction.axes, column))
    plain = all(v.op is Ops.INDEX for v in values) and all(
        a.form.stride(column) == 1 for a in reduction.accesses if a.form.uses(column)
    )
    if len({frozenset(v.ranges) for v in values}) != 1:
        return None  # none, or a condition of all matrices beside what one of them holds
    return often or not plain


def chunk_rows(m: int, panels: int, cores: int, rows: int) -> int:
    """Of m rows those that share a panel: a multiple of the `rows` of a tile.

    There are so many panels in all, and as many chunks of each as give the cores something.
    """
    # for threads to share: rather is a panel packed twice than one of them idle
    few = min(-(-min(FEW_ITEMS, cores) // panels), m // (2 * rows))
    chunks = max(1, min(-(-cores // panels), max(m // CHUNK_ROWS, few)))
    tiles = -(-m // rows)

    def beyond(count: int) -> tuple[int, int]:
        """Tiles that are done, also for nothing, and the number of chunks."""
        return -(-tiles // count) * count, count

    return -(-tiles // min(range(chunks, chunks + 2), key=beyond)) * rows


# ---- product tiles -------------------------------------------------------------------------------
#
# Products of matrices on CPUs, carried out: the axis choices that `products` has found best.


def tile(axes: Axes, nest: Nest, reduction: Reduction, product: TiledProduct) -> int:
    """Make the choices; gives the id of the range over chunks of rows and panels of columns."""
    steps = [axis.arg[0] for axis in reduction.axes if fixed(axis) != 1]
    outer, inner = axes.pad(product.row.arg[0], product.chunk or product.rows)
    across, columns = axes.pad(product.column.arg[0], product.vectors * product.lanes)
    parts = axes.split(columns, product.lanes) if product.vectors > 1 else (columns,)
    inside = [axis.arg[0] for axis in product.beside]
    if product.panels > 1:
        across, panel = axes.split(across, product.panels)
        inside.append(panel)
    if product.block:
        steps = _cut_block(axes, steps, product.block)
    both = axes.merge(outer, across, "join") if product.chunk else across
    copies: list[tuple[int, ...]] = []
    if product.packs_rows == "computed":
        axes.set_kind("simd", axes.pack(inner, *steps)[-1])
    tiles, rows = axes.split(inner, product.rows) if product.chunk else (outer, inner)
    if product.packs_rows == "apart":
        _copy_rows(axes, product, [tiles, *steps], rows)
    if product.packs:
        copy = axes.pack(*steps, *parts)
        if product.turns:
            turn_copy(axes, copy[len(steps) - 1], copy[-1], product.turns)
        else:
            copies.append(copy[len(steps) :])
    for other in nest.reductions if product.packs else ():
        if other != reduction and packed_values(other.node, (*other.axes, product.column)):
            rest = [axis.arg[0] for axis in other.axes if fixed(axis) != 1]
            copies.append(axes.pack(*rest, *parts)[len(rest) :])
    for id in filter(axes.has, (*inside, tiles)):
        axes.set_kind("block", id)  # inside of the loops whose copies it reads
    for *vectors, lanes in (*copies, parts):
        for id in vectors:
            axes.set_kind("upcast", id)
        axes.set_kind("simd", lanes)
    axes.set_kind("upcast", rows)
    return both


def _is_vector(rows: int) -> bool:
    """Whether so many values are copied as one vector: masks cost more than single values."""
    return rows & (rows - 1) == 0


def _copy_rows(axes: Axes, product: TiledProduct, around: list[int], rows: int) -> None:
    """Copy rows as tiles read them; a vector of each, those of a few tiles side by side: so lines
    of memory are read whole."""
    copied = axes.pack(*(id for id in around if axes.size(id) != 1), rows)
    if not _is_vector(product.rows):
        axes.set_kind("upcast", copied[-1])
        return
    axes.set_kind("simd", copied[-1])
    beside = divisor(product.chunk // product.rows, PACKED)
    if beside > 1:
        whole = axes.size(copied[0]) == beside
        axes.set_kind("upcast", copied[0] if whole else axes.split(copied[0], beside)[1])


def _cut_block(axes: Axes, steps: list[int], block: int) -> list[int]:
    """The innermost of the reduced ranges that hold a block; those around it are blocks."""
    inside: list[int] = []
    for step in reversed(steps):
        size = int(axes.size(step))
        if block % size == 0:
            inside.insert(0, step)
            block //= size
            continue
        if block > 1:
            step, inner = axes.split(step, block)
            inside.insert(0, inner)
            block = 1
        axes.set_kind("block", step)
    return inside


def turn_copy(axes: Axes, step: int, lanes: int, count: int) -> None:
    """Copy squares of so many values, read along `step` and written along `lanes`."""
    axes.set_kind("upcast", axes.split(step, count)[1])
    axes.set_kind("simd", axes.split(lanes, count)[1] if axes.size(lanes) != count else lanes)
