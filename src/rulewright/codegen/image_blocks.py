"""Blocks of images: how many pixels of a convolution are done at once, in which tiles of results.

Of the blocks whose copies have room near by, the one that costs least, in multiply-adds of vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import gcd, prod
from typing import Any, NamedTuple

from rulewright.codegen.copies import packed_values
from rulewright.codegen.cores import TensorCore
from rulewright.codegen.nests import Reduction, divisor, fixed
from rulewright.codegen.products import CHUNK_ROWS, chunk_rows
from rulewright.codegen.tile_sizes import pace_of
from rulewright.codegen.windows import Window, row_length
from rulewright.ir.dtypes import dtype
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

MOST_VECTORS, MOST_OF_MATRICES = 28, 112
"""Vectors of a block, at most, but of rows that are one row where there are blocks for all cores;
and of pixels of all images that small matrices take."""
WIDE = 8
"""Vectors of a row of pixels from which on it is a block by itself."""
# What a vector costs, in multiply-adds of vectors:
FAR, UNALIGNED = 6, 4
"""to read from the second cache, and across lines of the first,"""
COPY, COPY_ROWS, COPY_NEAR, PICK, PAIR = 12, 6, 3, 30, 4
"""to copy from an image, the same where each row is read several times, from such a copy, to copy
short rows of all images, and to put steps of the sum beside each other,"""
STREAM = 0.7
"""what each vector of the block costs beside that, which every tile of channels reads again,"""
SUM = 2
"""to add up a part of the sum with the parts before it,"""
CONVERT = 1
"""to compute a value of the kernel, which each tile of pixels does again,"""
PICK_ONE = 6
"""to pick each second element, or third, where an image is copied,"""
ROLLED, MANY_SEE = (0.94, 1.02), 2.5
"""what a step costs, for one of other copies, where windows read across what is near already: where
so many of them see each element, and where fewer do,"""
APART = 0.05
"""and a row more whose place is computed apart from the others'."""
# What small matrices in registers of their own cost, for each vector of what they multiply:
MATRIX, MATRIX_LOAD, MATRIX_FAR, STORE = 2, 1, 2.5, 8
"""to multiply by one, to load one, from the second cache, and to store each result where its rows
are not whole."""
FEW_BATCHES = 4
"""Batches of images that share the copy of a kernel, at least."""
CHUNKS = 2
"""Parts of the channels for which pixels of all images are picked again, for threads to share."""
SPARE = 4 / 3
"""How much larger a cache is than what it keeps: pages share its sets as it happens."""
LEAST_STEPS = 8
"""Steps of the outermost reduced axis that are worth being added up by themselves."""


class ImageBlock(NamedTuple):
    """How many rows and columns of pixels are done at once, and the tile of results."""

    cost: float
    height: int
    width: int
    channels: int
    vectors: int
    copy: str
    """What is read: "window", the copy of the image; "rolled", one whose rows are one row; "rows",
    a copy for each position across; "all", one for each position of the window; or "picked", that
    of all images."""
    images: int = 1
    """So many share the copy of a kernel."""
    steps: int = 0
    """So many of the outermost reduced axis are added up at a time."""
    lines: int = 0
    """So many rows are copied of a block whose rows are one row, for each position in a step."""


NO_BLOCK = ImageBlock(0, 0, 0, 0, 0, "")
"""That of a plan whose block is not chosen yet."""


class Images(NamedTuple):
    """A convolution: the axes of its results, its windows, and what is done at once, for each of so
    many images or groups `around`; or for all images, if their axis is there."""

    channel: UOp
    image: UOp | None
    row: UOp | None
    column: UOp
    windows: tuple[Window, ...]
    block: ImageBlock
    lanes: int
    around: int
    batch: UOp | None = None
    core: TensorCore | None = None

    @property
    def depth(self) -> int:
        """Steps of the sum that are done at once."""
        return 1 if self.core is None else self.core.sizes[2]

    @property
    def axes(self) -> tuple[UOp, ...]:
        """Those of results."""
        every = (self.channel, self.image, self.row, self.column)
        return tuple(a for a in every if a is not None)


class Blocks:
    """The sizes of blocks and tiles to choose from."""

    def __init__(self, plan: Images, reduction: Reduction, target: Any) -> None:
        axes = plan.channel, plan.row, plan.column
        self.m, self.rows, self.columns = (1 if a is None else fixed(a) or 1 for a in axes)
        self.lanes, self.depth, self.length = plan.lanes, plan.depth, reduction.length
        self.core, item = plan.core, reduction.node.dtype.itemsize
        # elements that a vector has of each place
        self.dense = 1 if plan.core is None else item // dtype(plan.core.of).itemsize
        along = {w.place: w for w in plan.windows}
        self.down = along.get(plan.row) if plan.row is not None else None
        self.across = along.get(plan.column)
        self.others = self.length // prod(int(w.window.size) for w in plan.windows)
        self.registers, self.pace = target.limit("vector_registers") or 16, pace_of(target)
        kernel = packed_values(reduction.node, (*reduction.axes, plan.channel))
        self.value = self.pace.value + CONVERT * any(v.op is not Ops.INDEX for v in kernel)
        vector = self.lanes * item
        self.most = (target.limit("near_memory") or 0) // vector
        self.first = (target.limit("first_cache") or 0) // vector
        self.steps = -(-self.length // self.depth)
        self.images = (fixed(plan.batch) or 1) if plan.batch is not None else 1
        copied = self.m * self.length // (self.lanes * self.dense)
        self.kernel = COPY_NEAR * copied if self.core and self.core.registers else 0
        first = outermost(reduction)
        self.outermost, self.slides = fixed(first) or 1, slides(plan, first)
        self.at_once = partial(steps_at_once, reduction, plan, target)
        self.around, self.cores = plan.around, target.limit("cores") or 4
        self.row_length = self._row_length(plan, reduction)

    def _row_length(self, plan: Images, reduction: Reduction) -> int:
        """Of rows that can be one row; 0 if none can."""
        if plan.row is None or self.core is not None or self.across is None:
            return 0
        values = packed_values(reduction.node, (*reduction.axes, plan.row, plan.column))
        rows = [plan.row] if self.down is None else [plan.row, self.down.window]
        return row_length(values, self.across, rows)

    def fitting(self) -> Iterator[ImageBlock]:
        """Blocks that fit in memory near by, with tiles that fit in registers."""
        yield from self.rolled() if self.row_length else ()
        for height, width in dict.fromkeys(self.shapes()):
            whole = -(-height * width // self.lanes)
            count = -(-self.rows // height) * -(-self.columns // width)
            even = height * width % self.lanes == 0
            for read in {self.read(copy, even) for copy in ("window", "rows", "all")}:
                for cost, r, v in self.tiles(whole, read):
                    done = self.steps * cost * self.shared(count, r)
                    beyond = -(-whole // v) * v * self.lanes - height * width
                    for copy, near, copies in self.copies(height, width, -(-beyond // width), v):
                        steps = self.steps_of(copy, near, r, v)
                        near = self.near(near, whole, steps)
                        if near > self.most or read != self.read(copy, even):
                            continue
                        stores = STORE * self.m * height * width if self.kernel else 0
                        stores *= height > 1 and width != self.columns
                        for n in self.together(near + whole * self.lanes * r):
                            each = done + copies + stores + self.kernel / n
                            each += self.sums(whole, steps)
                            yield ImageBlock(count * each, height, width, r, v, copy, n, steps)

    def rolled(self) -> Iterator[ImageBlock]:
        """The same of rows that are one row near by."""
        length = self.row_length
        positions = prod(w.step for w in (self.across, self.down) if w is not None)
        pace = ROLLED[self.length < MANY_SEE * self.others * positions]
        copy = COPY + PICK_ONE * (self.across is not None and self.across.step > 1)
        for height in {-(-self.rows // count) for count in range(1, self.rows)}:
            whole, count = -(-height * length // self.lanes), -(-self.rows // height)
            if whole > MOST_VECTORS and self.around * count < self.cores:
                continue
            for cost, r, v in self.tiles(whole, UNALIGNED):
                block = ImageBlock(0, height, length, r, v, "rolled")
                block = block._replace(lines=self.lines(block))
                lines = self.others * block.lines * positions
                copied = -(-lines * length // self.lanes)
                steps = self.steps_of("rolled", copied, r, v)
                held = r * whole if steps == self.outermost else 0
                if self.near(copied, whole, steps) + held <= self.most:
                    far = whole > v and copied > self.first
                    each = self.steps * cost * (pace if far else 1) * self.shared(count, r)
                    each += copy * lines * -(-length // self.lanes) + self.sums(whole, steps)
                    each += FAR * self.m * whole if r * whole > self.first else 0
                    yield block._replace(cost=count * each, steps=steps)

    def shared(self, count: int, channels: int) -> float:
        """How much of all tiles of so many channels is done, if threads share them in chunks beside
        so many blocks: the last chunk may go beyond the last channel."""
        tiles = -(-self.m // channels) * channels
        chunk = chunk_rows(self.m, self.around * count, self.cores, channels)
        return -(-self.m // chunk) * chunk / tiles

    def lines(self, block: ImageBlock) -> int:
        """Rows of each position in a step that are copied of such a block, with those that only the
        last tile reads."""
        tile = block.vectors * self.lanes
        places = -(-block.height * block.width // tile) * tile
        across, down = (0 if w is None else w.next for w in (self.across, self.down))
        return down + -(-(places + across) // block.width)

    def steps_of(self, copy: str, copied: int, channels: int, vectors: int) -> int:
        """Steps of the outermost reduced axis that are added up at a time: all of them, too, where
        tiles of so many channels wait for no vector of a copy that lies near by."""
        enough = FAR if copy == "rolled" else 2 * FAR
        hides = self.core is None and channels >= enough and copy != "window"
        return self.outermost if hides and 2 * copied <= self.most else self.at_once(vectors)

    def near(self, copied: int, whole: int, steps: int) -> int:
        """Vectors of room that are needed, of so many of copies for the whole sum: where it is
        added up in parts, those of a part, twice the results of a block of so many, and some."""
        if self.core is not None or steps == self.outermost:
            return copied
        part = copied if self.slides else copied * steps // self.outermost
        return int(SPARE * (part + 2 * min(self.m, CHUNK_ROWS) * whole))

    def sums(self, whole: int, steps: int) -> int:
        """What it costs to add up a block of so many vectors, so many steps at a time."""
        parts = self.outermost // steps
        return SUM * parts * self.m * whole if parts > 1 and self.core is None else 0

    def together(self, near: int) -> Iterator[int]:
        """How many images may share the copy of a kernel, each with so many vectors near by."""
        yield 1
        if self.kernel:
            most = min(self.images // FEW_BATCHES, self.most // (2 * near))
            yield from (n for n in range(2, most + 1) if self.images % n == 0)

    def read(self, copy: str, even: bool) -> int:
        """What a vector of such a copy costs to read, whose rows are whole vectors or not."""
        if copy == "window" and self.core is None:
            return UNALIGNED
        if even or self.core is not None:
            return FAR
        return UNALIGNED if copy == "rows" else FAR + UNALIGNED

    def picked(self, images: int) -> Iterator[ImageBlock]:
        """All pixels of so many images as one row, if they are few."""
        pixels = images * self.rows * self.columns
        whole = -(-pixels // self.lanes)
        most = MOST_VECTORS if self.core is None else MOST_OF_MATRICES
        if whole > most or 2 * pixels <= whole * self.lanes:
            return
        for cost, r, v in self.tiles(whole, FAR):
            copies = PICK * self.length + (PAIR * self.length // self.dense if self.core else 0)
            total = self.steps * cost + CHUNKS * copies * whole
            yield ImageBlock(total, self.rows, self.columns, r, v, "picked")

    def copies(
        self, height: int, width: int, more: int, vectors: int
    ) -> Iterator[tuple[str, int, float]]:
        """The ways to copy a block and so many rows more, the vectors that are near by, and what
        copying them costs, for tiles of so many."""
        pairs = self.length // self.dense * -(-height * width // self.lanes) if self.core else 0
        once = pairs and pairs * self.at_once(vectors) // self.outermost
        rows, height = height, height + more
        slid, all = self.slid(height, width), -(-self.length * height * width // self.lanes)
        each = self.length * height * -(-width // self.lanes)
        ways = [("all", slid + all, (COPY * slid + COPY_NEAR * each) if slid else COPY * each)]
        if height == 1 and self.across is not None and self.across.step == 1:
            ways.append(("window", slid, COPY * slid))
        if rows > 1 and self.down is not None and self.down.step == 1:
            lines = self.length // int(self.down.window.size) * _under(height, self.down)
            copies = COPY_ROWS * lines * -(-width // self.lanes)
            ways.append(("rows", -(-lines * width // self.lanes), copies))
        for copy, near, cost in ways:
            yield copy, near // self.dense + once, cost + PAIR * pairs

    def shapes(self) -> Iterator[tuple[int, int]]:
        """Heights and widths: whole vectors, or rows as they are."""
        for vectors in range(1, min(WIDE, -(-self.columns // self.lanes)) + 1):
            yield 1, vectors * self.lanes
        if self.columns >= WIDE * self.lanes:
            return
        for height in {-(-self.rows // count) for count in range(1, self.rows)}:
            if height > 1 and height * self.columns <= MOST_VECTORS * self.lanes:
                yield height, self.columns
        for width in range(self.columns, -(-self.columns // self.lanes) * self.lanes + 1):
            unit = self.lanes // gcd(width, self.lanes)
            for height in range(unit, -(-self.rows // unit) * unit + 1, unit):
                if height > 1 and height * width <= MOST_VECTORS * self.lanes:
                    yield height, width

    def slid(self, height: int, width: int) -> int:
        """Vectors that are copied once for all windows."""
        if self.across is None and self.down is None:
            return 0
        rows, columns = _under(height, self.down), _under(width, self.across)
        return self.others * rows * -(-columns // self.lanes)

    def tiles(self, whole: int, read: int) -> Iterator[tuple[float, int, int]]:
        """(cost of a step, channels, vectors) of tiles of a block of so many vectors, each of which
        costs so much to read."""
        if self.core is not None and self.core.registers:
            yield from self.tiles_of_matrices(whole, self.core)
            return
        direct = read != FAR
        for v in range(1, whole + 1):
            spare = self.registers // 16  # for what the compiler keeps beside the tile
            most = min((self.registers - spare - v - 1) // v, self.m)
            if most < 1:
                continue
            even = -(-self.m // -(-self.m // most))
            for r in {most, even, max(d for d in range(1, most + 1) if self.m % d == 0)}:
                if self.core is not None:  # one of what it multiplies is in memory anyway
                    step = max(r * v, self.pace.latency) + (self.pace.value + STREAM) * v
                else:
                    reads = r + v * (1 + direct)
                    step = max(r * v, read * v, reads, self.pace.latency)
                    step += self.value * r + self.pace.value * (v + direct * v) + STREAM * v
                step += APART * r if self.m % r else 0
                yield -(-whole // v) * -(-self.m // r) * step, r, v

    def tiles_of_matrices(self, whole: int, core: TensorCore) -> Iterator[tuple[float, int, int]]:
        """The same of small matrices in registers of their own."""
        rows = core.sizes[0]
        for tall in range(1, min(core.registers, -(-self.m // rows)) + 1):
            for wide in range(1, min(core.registers // tall, whole) + 1):
                loads = MATRIX_FAR * tall + MATRIX_LOAD * wide
                step = rows * (max(MATRIX * tall * wide, loads) + loads / 4)
                count = -(-whole // wide) * -(-self.m // (tall * rows))
                yield count * step, tall * rows, wide


def _under(size: int, window: Window | None) -> int:
    """Elements under the windows of so many places."""
    if window is None:
        return size
    return (size - 1) * window.step + (int(window.window.size) - 1) * window.gap + 1


def outermost(reduction: Reduction) -> UOp:
    """The first of the reduced axes that has several values."""
    return next(axis for axis in reduction.axes if fixed(axis) != 1)


def slides(plan: Images, axis: UOp) -> bool:
    """Whether windows go along a reduced axis: it is not cut before the image is copied."""
    return any(w.window is axis for w in plan.windows)


def steps_at_once(reduction: Reduction, plan: Images, target: Any, vectors: int) -> int:
    """How many steps of the outermost reduced axis are added up at a time, for tiles of so many
    vectors."""
    size, of = fixed(outermost(reduction)) or 1, reduction.node.dtype
    item = of.itemsize if plan.core is None else dtype(plan.core.of).itemsize
    step = reduction.length // size * vectors * plan.lanes * item
    steps = divisor(size, max((target.limit("first_cache") or 0) // step, 1))
    whole = steps * reduction.length // size % plan.depth == 0
    return steps if steps >= LEAST_STEPS and whole else size
