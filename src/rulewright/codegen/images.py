"""Convolutions on CPUs: matrix products whose columns are the pixels of a block of an image.

The part of the image that windows of a block read is copied near by once, with zeros around it.
Where neighbours among the pixels are neighbours in the copy, all output channels read it directly.
Rows that are too short for that are copied once for each position across the window, so that
windows slide down from row to row, and several rows make vectors: of rows that lie one behind the
other, of which the last vector goes on to what is computed for nothing, or of padded ones. Steps
need a second copy, for each position of the window.

Where all images together have few pixels, all of them are one row of vectors, which all channels
share: what windows see of them is copied row by row for some steps of the sum at a time, and then
vector by vector as tiles read it.

A tensor core of one lane takes several steps of the sum at once: what is copied is copied again,
with what such steps see of a pixel together. One of a single row takes the kernel as it lies in
memory; one of several, whose small matrices have registers, copies that too, and is worth it where
there are no windows: pixels of several rows, some steps apart, are columns of one matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import gcd, prod
from typing import Any, NamedTuple

from rulewright.codegen.axes import Axes
from rulewright.codegen.copies import Window, packed_values, windows
from rulewright.codegen.cores import TensorCore, product_of
from rulewright.codegen.lanes import MOST_STEP
from rulewright.codegen.nests import Nest, Reduction, divisor, fixed
from rulewright.codegen.products import CHUNK_ROWS, LEAST_WORK, chunk_rows
from rulewright.codegen.tile_sizes import pace_of
from rulewright.ir.dtypes import dtype
from rulewright.ir.linear import LinearForm, linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

LEAST_CHANNELS = 4
"""Output channels from which on copies pay."""
MOST_VECTORS, MOST_OF_MATRICES = 28, 112
"""Vectors of a block, at most, and of pixels of all images that small matrices take."""
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
APART = 0.05
"""and a row more whose place is computed apart from the others'."""
# What small matrices in registers of their own cost, for each vector of what they multiply:
MATRIX, MATRIX_LOAD, MATRIX_FAR, STORE = 2, 1, 2.5, 8
"""to multiply by one, to load one, from the second cache, and to store each result where its rows
are not whole."""


FEW_BATCHES, FEW_COPIES = 4, 8
"""Batches of images that share the copy of a kernel, at least; and blocks from which on channels
are not shared too, where copies take as long as products."""
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
    """What is read: "window", the copy of the image; "rows", a copy for each position across;
    "all", one for each position of the window; or "picked", that of all images."""
    images: int = 1
    """So many share the copy of a kernel."""
    steps: int = 0
    """So many of the outermost reduced axis are added up at a time."""


_NO_BLOCK = ImageBlock(0, 0, 0, 0, 0, "")
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


def images(nest: Nest, reduction: Reduction, shared: list[UOp], target: Any) -> Images | None:
    """How to do a reduction as products with blocks of images; None if that is not worth it.

    `shared` are the stored axes along which it reads something again.
    """
    plain = nest.reductions == [reduction] and reduction.can_chain
    of_results = _axes(nest, reduction, shared) if plain else None
    if of_results is None or reduction.node.arg is not Ops.ADD:
        return None
    channel, image, row, column = of_results
    axes = channel, row, column
    m, rows, columns = (1 if a is None else fixed(a) or 1 for a in axes)
    lanes = (target.limit("vector_bits") or 128) // max(reduction.node.dtype.bits, 8)
    if lanes < 2 or m * rows * columns * reduction.length < LEAST_WORK or m < LEAST_CHANNELS:
        return None
    places = [a for a in (row, column) if a is not None]
    values = packed_values(reduction.node, (*reduction.axes, *places))
    under = _windows(values, reduction, places)
    plain = row is None or columns >= WIDE * lanes or _lies_across(reduction, column)
    core = _core(reduction, channel, column, target)
    apart = row is not None and core is not None and core.registers and _steps(reduction, column)
    core = core if under or apart else None
    if not values or any(channel in v.ranges for v in values):
        return None
    around = prod(fixed(a) or 1 for a in nest.axes if a not in axes)
    plan = Images(channel, None, row, column, tuple(under), _NO_BLOCK, lanes, around, image)
    plans = [plan] if under or not plain else []
    if core is not None:
        plans.append(plan._replace(lanes=core.sizes[1], core=core))
    planned = [_planned(plan, image, reduction, target) for plan in plans]
    return min((p for p in planned if p is not None), key=lambda p: p.block.cost, default=None)


def _planned(plan: Images, image: UOp | None, reduction: Reduction, target: Any) -> Images | None:
    """The same with the best block; its cost is that of all images."""
    blocks = _Blocks(plan, reduction, target)
    best = min(blocks.fitting(), default=None)
    if best is None:
        return None
    best = best._replace(cost=best.cost * plan.around)
    many = 1 if image is None else fixed(image) or 1
    if image is not None and (plan.windows or plan.core):
        picked = min(blocks.picked(many), default=None)
        around = plan.around // many
        if picked is not None and picked.cost * around < best.cost:
            picked = picked._replace(cost=picked.cost * around)
            return plan._replace(image=image, block=picked, around=around)
    return plan._replace(block=best)


def _core(reduction: Reduction, channel: UOp, column: UOp, target: Any) -> TensorCore | None:
    """The tensor core of one lane that does the products: one of small matrices that are half full
    at least, or one of one row, if the kernel lies in memory as it is summed up."""
    product = product_of(reduction.node, channel, column, reduction.axes[-1])
    core = product and product.core(target)
    if not product or not core or core.lanes > 1:
        return None
    if core.registers:
        fits = 2 * (fixed(channel) or 1) >= core.sizes[0] and 2 * reduction.length >= core.sizes[2]
        return core if fits else None
    if core.sizes[0] > 1:
        return None
    kernel, size = product.left[core.of], 1
    if kernel.op is not Ops.INDEX or kernel.src[0].op is not Ops.PARAM:
        return None
    form = linear(kernel.src[1])
    for axis in reversed(reduction.axes):
        if form.stride(axis) != size and fixed(axis) != 1:
            return None
        size *= fixed(axis) or 0
    return core if size and size % core.sizes[2] == 0 else None


def _axes(
    nest: Nest, reduction: Reduction, shared: list[UOp]
) -> tuple[UOp, UOp | None, UOp | None, UOp] | None:
    """The axes of channels, images, rows and columns of the results."""
    forms = [a.form for a in reduction.accesses]
    columns = [a for a in shared if nest.accesses[0].score(a) > 0]
    if not columns:
        return None
    column = columns[0]
    along = [f.uses(column) for f in forms]
    rows = [a for a in shared if a is not column and [f.uses(a) for f in forms] == along]
    channels = [a for a in shared if _shares(forms, a, column)]
    if not channels:
        return None
    row, image = (*rows, None, None)[:2]
    return max(channels, key=lambda a: fixed(a) or 1), image, row, column


def _shares(forms: Sequence[LinearForm], axis: UOp, column: UOp) -> bool:
    """Whether what is read along an axis is the same along columns, and the other way round."""
    used = [(f.uses(axis), f.uses(column)) for f in forms if f.uses(axis) or f.uses(column)]
    return all(a != b for a, b in used) and any(a for a, _ in used)


def _lies_across(reduction: Reduction, column: UOp) -> bool:
    """Whether what is read for neighbours lies apart: it is better turned than picked."""
    forms = [a.form for a in reduction.accesses]
    return any(f.uses(column) and f.stride(column) != 1 for f in forms)


def _steps(reduction: Reduction, column: UOp) -> bool:
    """Whether what is read for neighbours lies a few elements further on."""
    forms = [a.ungated for a in reduction.accesses if a.form.uses(column)]
    return all(0 < (f.stride(column) or 0) <= MOST_STEP for f in forms)


def _windows(values: list[UOp], reduction: Reduction, places: list[UOp]) -> list[Window]:
    """The windows that all values are read in along `places`."""
    common = []
    for place in places:
        for step in (a for a in reduction.axes if fixed(a) != 1):
            each = [windows(value, [(place, step)], {}, overlapping=True) for value in values]
            if all(each) and len({w for one in each for w in one}) == 1:
                common.append(each[0][0])
                break
    return common


class _Blocks:
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
        vector = self.lanes * item
        self.most = (target.limit("near_memory") or 0) // vector
        self.steps = -(-self.length // self.depth)
        self.images = (fixed(plan.batch) or 1) if plan.batch is not None else 1
        copied = self.m * self.length // (self.lanes * self.dense)
        self.kernel = COPY_NEAR * copied if self.core and self.core.registers else 0
        first = _outermost(reduction)
        self.outermost, self.slides = fixed(first) or 1, _slides(plan, first)
        self.at_once = partial(_steps_at_once, reduction, plan, target)

    def fitting(self) -> Iterator[ImageBlock]:
        """Blocks that fit in memory near by, with tiles that fit in registers."""
        for height, width in dict.fromkeys(self.shapes()):
            whole = -(-height * width // self.lanes)
            count = -(-self.rows // height) * -(-self.columns // width)
            even = height * width % self.lanes == 0
            for read in {self.read(copy, even) for copy in ("window", "rows", "all")}:
                for cost, r, v in self.tiles(whole, read):
                    beyond = -(-whole // v) * v * self.lanes - height * width
                    for copy, near, copies in self.copies(height, width, -(-beyond // width), v):
                        steps = self.steps_of(copy, near, r, v)
                        near = self.near(near, whole, steps)
                        if near > self.most or read != self.read(copy, even):
                            continue
                        stores = STORE * self.m * height * width if self.kernel else 0
                        stores *= height > 1 and width != self.columns
                        for n in self.together(near + whole * self.lanes * r):
                            each = self.steps * cost + copies + stores + self.kernel / n
                            each += self.sums(whole, steps)
                            yield ImageBlock(count * each, height, width, r, v, copy, n, steps)

    def steps_of(self, copy: str, copied: int, channels: int, vectors: int) -> int:
        """Steps of the outermost reduced axis that are added up at a time: all of them, too, where
        tiles of so many channels wait for no vector of a copy that lies near by."""
        hides = self.core is None and channels >= 2 * FAR and copy != "window"
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
                    step += self.pace.value * (r + v + direct * v) + STREAM * v
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


def tile(axes: Axes, reduction: Reduction, plan: Images, target: Any) -> int:
    """Make the choices; gives the id of the range over blocks and chunks of channels."""
    block = plan.block
    if plan.image is not None:
        return _tile_picked(axes, reduction, plan, target)
    both, channels, places, batch = _cut(axes, plan, target)
    steps = block.steps
    first, *inner = [axis.arg[0] for axis in reduction.axes if fixed(axis) != 1]
    is_whole = steps == fixed(_outermost(reduction))
    slides = _slides(plan, _outermost(reduction))
    if plan.core is not None:
        ids = _copied(axes, plan, [first, *inner], places, batch)
        outer, first = axes.split(first, steps)
        _tile_core(axes, plan, channels, ids, (outer, [first, *inner]), batch)
        return both
    ids = _copied(axes, plan, [first, *inner], places, batch) if slides else []
    if not is_whole:
        outer, first = axes.split(first, steps)
        axes.set_kind("block", outer)
    ids = ids or _copied(axes, plan, [first, *inner], places, batch)
    many = block.vectors * plan.lanes
    count = -(-block.height * block.width // many) * many
    if is_whole:
        tiles, channels = axes.split(channels, block.channels)
        held, pixels = axes.hold(channels, *ids, count=count)
    else:
        held, pixels = axes.hold(channels, *ids, count=count)
        tiles, held = axes.split(held, block.channels)
    for id in filter(axes.has, (channels, *ids[:-1])):
        axes.set_kind("stored", id)  # inside of the tiles that it stores
    axes.set_kind("simd", ids[-1])
    vectors, lanes = axes.split(pixels, plan.lanes)
    if axes.size(vectors) != block.vectors:
        around, vectors = axes.split(vectors, block.vectors)
        if not is_whole:
            axes.set_kind("block", around)
    if axes.has(tiles):
        axes.set_kind("block", tiles)  # inside of the loops whose copies it reads
    for kind, id in (("upcast", vectors), ("simd", lanes), ("upcast", held)):
        axes.set_kind(kind, id)
    return both


def _cut(axes: Axes, plan: Images, target: Any) -> tuple[int, int, dict[UOp, int], list[int]]:
    """Cut results in blocks; gives the ids of the range over these and chunks of channels, of the
    channels of a chunk, of rows and columns, and of a batch of images, if blocks are of several."""
    block, parts, batch = plan.block, list[int](), list[int]()
    places: dict[UOp, int] = {}
    for axis, size in ((plan.row, block.height), (plan.column, block.width)):
        if axis is not None:
            outer, places[axis] = axes.pad(axis.arg[0], size)
            parts.append(outer)
    around = plan.around // block.images * prod(int(axes.size(id)) for id in parts)
    cores = target.limit("cores") or 4
    if plan.core is not None and plan.core.registers:
        cores = min(cores, FEW_COPIES)
    chunk = chunk_rows(fixed(plan.channel) or 1, around, cores, block.channels)
    both, channels = axes.pad(plan.channel.arg[0], chunk)
    if block.images > 1 and plan.batch is not None:
        outer, image = axes.split(plan.batch.arg[0], block.images)
        parts, batch = [outer, *parts], [image]
    for part in parts:
        both = axes.merge(both, part, "join")
    return both, channels, places, batch


def _tile_picked(axes: Axes, reduction: Reduction, plan: Images, target: Any) -> int:
    """The same where all pixels are one row; gives the id of the range over chunks of channels."""
    block, m = plan.block, fixed(plan.channel) or 1
    chunk = -(-m // (CHUNKS * block.channels)) * block.channels
    both, channels = axes.pad(plan.channel.arg[0], chunk)
    ids = [a.arg[0] for a in plan.axes[1:] if fixed(a) != 1]
    if len(ids) > 2:
        ids = [axes.as_one(ids[:-1]), ids[-1]]
    first, *steps = [axis.arg[0] for axis in reduction.axes if fixed(axis) != 1]
    outer, inner = axes.split(first, _steps_near(reduction, plan, target))
    steps = [*axes.several(inner), *steps]
    axes.set_kind("simd", axes.pack(*steps, *ids)[-1])
    if plan.core is not None:
        _tile_core(axes, plan, channels, ids, (outer, steps))
        return both
    many = block.vectors * plan.lanes
    pixels = prod(int(axes.size(id)) for id in ids)
    held, flat = axes.hold(channels, *ids, count=-(-pixels // many) * many)
    across, inside = axes.split(flat, many)
    vectors, lanes = axes.split(inside, plan.lanes)
    axes.set_kind("simd", axes.pack(*steps, *axes.several(vectors, lanes))[-1])
    for id in filter(axes.has, (channels, *ids[:-1])):
        axes.set_kind("stored", id)
    axes.set_kind("simd", ids[-1])
    tiles, held = axes.split(held, block.channels)
    for kind, id in (
        ("block", outer), ("block", across), ("block", tiles),
        ("upcast", vectors), ("simd", lanes), ("upcast", held),
    ):  # fmt: skip
        if axes.has(id):
            axes.set_kind(kind, id)
    return both


def _steps_near(reduction: Reduction, plan: Images, target: Any) -> int:
    """How many steps of the outermost reduced axis have room near by, with the pixels of all
    images: as many as are whole depths."""
    size, of = fixed(_outermost(reduction)) or 1, reduction.node.dtype
    pixels = prod(fixed(a) or 1 for a in plan.axes[1:])
    inner = reduction.length // size
    room = (target.limit("near_memory") or 0) // (2 * inner * pixels * of.itemsize)
    least = plan.depth // gcd(plan.depth, inner)
    return divisor(size, max(room, least), least)


def _outermost(reduction: Reduction) -> UOp:
    """The first of the reduced axes that has several values."""
    return next(axis for axis in reduction.axes if fixed(axis) != 1)


def _slides(plan: Images, axis: UOp) -> bool:
    """Whether windows go along a reduced axis: it is not cut before the image is copied."""
    return any(w.window is axis for w in plan.windows)


def _steps_at_once(reduction: Reduction, plan: Images, target: Any, vectors: int) -> int:
    """How many steps of the outermost reduced axis are added up at a time, for tiles of so many
    vectors."""
    size, of = fixed(_outermost(reduction)) or 1, reduction.node.dtype
    item = of.itemsize if plan.core is None else dtype(plan.core.of).itemsize
    step = reduction.length // size * vectors * plan.lanes * item
    steps = divisor(size, max((target.limit("first_cache") or 0) // step, 1))
    whole = steps * reduction.length // size % plan.depth == 0
    return steps if steps >= LEAST_STEPS and whole else size


def _tile_core(
    axes: Axes, plan: Images, channels: int, ids: list[int], sums: tuple[int, list[int]],
    batch: Sequence[int] = (),
) -> None:  # fmt: skip
    """Make the choices of a tile that a tensor core does, for copies of these rows and columns, and
    for sums of several steps in blocks; each of a batch of images after the other."""
    block, (first, steps), row = plan.block, sums, list[int]()
    if plan.core is not None and plan.core.registers:
        tiles, held = axes.split(channels, block.channels)
        held, one = axes.split(held, plan.core.sizes[0])
        row = [one]
    around, inside = axes.pad(axes.as_one(ids), block.vectors * plan.lanes)
    vectors, lanes = axes.split(inside, plan.lanes)
    last, step = axes.split(axes.as_one(steps), plan.depth)
    if row:
        axes.pack(*axes.several(tiles, held, last), *row, step)
    axes.pack(*axes.several(*batch, around, last, vectors), lanes, step)
    axes.set_kind("tc", *row, lanes, step)
    if not row:
        tiles, held = axes.split(channels, block.channels)
    blocks = first, *batch, around, tiles
    for kind, many in {"block": blocks, "upcast": (vectors, held)}.items():
        for id in many:
            if axes.has(id):
                axes.set_kind(kind, id)


def _copied(
    axes: Axes, plan: Images, steps: Sequence[int], places: dict[UOp, int], batch: Sequence[int]
) -> list[int]:
    """Copy what a block reads near by in so many steps of the sum, of each of a batch; the ids of
    its rows and columns."""
    steps = [*batch, *steps]
    ids = [id for id in places.values() if axes.size(id) != 1]
    pairs = [(places[w.place], w.window.arg[0]) for w in plan.windows if places[w.place] in ids]
    if plan.block.copy == "rows":
        row, column = ids
        pair = next(pair for pair in pairs if pair[0] == row)
        others = [(id,) for id in steps if id not in pair]
        axes.set_kind("simd", axes.slide(*others, pair, (column,))[-1])
        return ids
    if pairs:
        inside = [id for pair in pairs for id in pair]
        others = [(id,) for id in (*steps, *ids) if id not in inside]
        axes.set_kind("simd", axes.slide(*others, *pairs)[-1])
    if plan.block.copy == "all":
        axes.set_kind("simd", axes.pack(*steps, *ids)[-1])
    return ids
