"""Convolutions on CPUs: matrix products whose columns are the pixels of a block of an image.

The part of the image that windows of a block read is copied near by once, with zeros around it.
Where neighbours among the pixels are neighbours in the copy, all output channels read it directly.
Rows that are too short for that lie one behind the other, so that several make vectors: windows go
on in the next row, for places that are computed for nothing, and for zeros that two rows share.
With steps, elements that are neighbours among what is read by neighbours lie together. Or rows are
copied once for each position across the window, so that windows slide down from row to row, and of
the last vector is something computed for nothing; steps then need a second copy, for each position
of the window.

Where all images together have few pixels, all of them are one row of vectors, which all channels
share: what windows see of them is copied row by row for some steps of the sum at a time, and then
vector by vector as tiles read it.

A tensor core of one lane takes several steps of the sum at once: what is copied is copied again,
with what such steps see of a pixel together. One of a single row takes the kernel as it lies in
memory; one of several, whose small matrices have registers, copies that too, and is worth it where
there are no windows: pixels of several rows, some steps apart, are columns of one matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod
from typing import Any

from rulewright.codegen.axes import Axes
from rulewright.codegen.copies import packed_values
from rulewright.codegen.cores import TensorCore, product_of
from rulewright.codegen.image_blocks import (
    CHUNKS,
    NO_BLOCK,
    WIDE,
    Blocks,
    Images,
    outermost,
    slides,
)
from rulewright.codegen.lanes import MOST_STEP
from rulewright.codegen.nests import Nest, Reduction, divisor, fixed
from rulewright.codegen.products import LEAST_WORK, chunk_rows
from rulewright.codegen.windows import Window, windows
from rulewright.ir.linear import LinearForm, linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

LEAST_CHANNELS = 4
"""Output channels from which on copies pay."""
FEW_COPIES = 8
"""Blocks from which on channels are not shared too, where copies take as long as products."""


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
    stepped = row is not None and _steps(reduction, column)
    across = _lies_across(reduction, column) and not (stepped and 4 * columns <= 3 * lanes)
    plain = row is None or columns >= WIDE * lanes or across
    core = _core(reduction, channel, column, target)
    apart = stepped and core is not None and core.registers
    core = core if under or apart else None
    if not values or any(channel in v.ranges for v in values):
        return None
    around = prod(fixed(a) or 1 for a in nest.axes if a not in axes)
    plan = Images(channel, None, row, column, tuple(under), NO_BLOCK, lanes, around, image)
    plans = [plan] if under or not plain else []
    if core is not None:
        plans.append(plan._replace(lanes=core.sizes[1], core=core))
    planned = [_planned(plan, image, reduction, target) for plan in plans]
    return min((p for p in planned if p is not None), key=lambda p: p.block.cost, default=None)


def _planned(plan: Images, image: UOp | None, reduction: Reduction, target: Any) -> Images | None:
    """The same with the best block; its cost is that of all images."""
    blocks = Blocks(plan, reduction, target)
    best = min(blocks.fitting(), default=None)
    if best is None:
        return None
    best = best._replace(cost=best.cost * plan.around)
    many = 1 if image is None else fixed(image) or 1
    if image is not None and (plan.windows or plan.core or _lies_across(reduction, plan.column)):
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


def tile(axes: Axes, reduction: Reduction, plan: Images, target: Any) -> int:
    """Make the choices; gives the id of the range over blocks and chunks of channels."""
    block = plan.block
    if plan.image is not None:
        return _tile_picked(axes, reduction, plan, target)
    both, channels, places, batch = _cut(axes, plan, target)
    steps = block.steps
    first, *inner = [axis.arg[0] for axis in reduction.axes if fixed(axis) != 1]
    is_whole = steps == fixed(outermost(reduction))
    sliding = slides(plan, outermost(reduction))
    if plan.core is not None:
        ids, _ = _copied(axes, plan, [first, *inner], places, batch)
        outer, first = axes.split(first, steps)
        _tile_core(axes, plan, channels, ids, (outer, [first, *inner]), batch)
        return both
    copies = _copied(axes, plan, [first, *inner], places, batch) if sliding else None
    if not is_whole:
        outer, first = axes.split(first, steps)
        axes.set_kind("block", outer)
    ids, rolled = copies or _copied(axes, plan, [first, *inner], places, batch)
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
    for id in rolled:
        axes.set_kind("simd", axes.split(id, block.width)[1])
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
    size, of = fixed(outermost(reduction)) or 1, reduction.node.dtype
    pixels = prod(fixed(a) or 1 for a in plan.axes[1:])
    inner = reduction.length // size
    room = (target.limit("near_memory") or 0) // (2 * inner * pixels * of.itemsize)
    least = plan.depth // gcd(plan.depth, inner)
    return divisor(size, max(room, least), least)


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
) -> tuple[list[int], tuple[int, ...]]:
    """Copy what a block reads near by in so many steps of the sum, of each of a batch; the ids of
    its rows and columns, and of the range of a copy over rows that are one row."""
    steps = [*batch, *steps]
    ids = [id for id in places.values() if axes.size(id) != 1]
    pairs = [(places[w.place], w.window.arg[0]) for w in plan.windows if places[w.place] in ids]
    block = plan.block
    if block.copy == "rolled":
        groups = [next((pair for pair in pairs if pair[0] == id), (id,)) for id in ids]
        inside = [id for group in groups for id in group]
        others = [(id,) for id in steps if id not in inside]
        return ids, axes.roll(*others, *groups, count=block.lines * block.width)[-1:]
    if block.copy == "rows":
        row, column = ids
        pair = next(pair for pair in pairs if pair[0] == row)
        others = [(id,) for id in steps if id not in pair]
        axes.set_kind("simd", axes.slide(*others, pair, (column,))[-1])
        return ids, ()
    if pairs:
        inside = [id for pair in pairs for id in pair]
        others = [(id,) for id in (*steps, *ids) if id not in inside]
        axes.set_kind("simd", axes.slide(*others, *pairs)[-1])
    if block.copy == "all":
        axes.set_kind("simd", axes.pack(*steps, *ids)[-1])
    return ids, ()
