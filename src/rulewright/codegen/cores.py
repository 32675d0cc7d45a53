"""Products of matrices by tensor cores: which ones a target has, and what a sum of them becomes.

REDUCE[ADD](a * b, …, k) of rows m and columns n of kind "tc" turns into accumulators that the lanes
of a warp hold, and a loop in which each lane reads its elements of the small matrices a and b into
registers, and an MMA multiplies them. Which elements those are is what the target's layouts say.
What is stored then is indexed by the lane and the number of its element.

A CPU has no warp: one lane has all of the small matrices, which is a layout like others. Then a is
read where memory or a copy near by has its elements in order, sums are vectors of a whole small
matrix, which the target keeps in registers, and rows and columns stay loops, over the sums put near
by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.codegen.fragments import loaded_fragment, paired
from rulewright.codegen.kinds import TILE, in_loop_order, kind
from rulewright.codegen.lanes import wide_index
from rulewright.codegen.masks import splat
from rulewright.codegen.numbering import flat, loops_of, open_ranges, places_of
from rulewright.codegen.shared_cores import shared_matrix
from rulewright.errors import UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.lang.layouts import Layout, MemoryLayout, is_shared, read_choices, read_layout

if TYPE_CHECKING:
    from rulewright.codegen.accumulators import Accumulators
    from rulewright.codegen.lane_rows import LaneProduct


@dataclass(frozen=True)
class TensorCore:
    """A product of small matrices that a target has: of `of`, summed in `dtype`.

    Of what is multiplied it takes so many bits of the mantissa, if it does not take all. It has so
    many `registers` of its own for sums; without any they are where other values are. It is
    `shared` if it reads what it multiplies from memory of the workgroup: then lanes hold only sums.
    """

    of: str
    dtype: str
    texts: tuple[str, str, str]
    mantissa: int | None = None
    registers: int = 0

    @property
    def shared(self) -> bool:
        """Whether a and b lie in memory of the workgroup."""
        return is_shared(self.texts[0])

    def layout(self, which: int) -> Layout:
        """How lanes hold a (0), b (1) or the result (2)."""
        return read_layout(self.texts[which])

    def memory(self, which: int) -> tuple[MemoryLayout, ...]:
        """How a (0) or b (1) may lie in memory of the workgroup."""
        return read_choices(self.texts[which])

    @property
    def result(self) -> Layout:
        """How lanes hold the result."""
        return self.layout(2)

    @property
    def lanes(self) -> int:
        """How many lanes hold the matrices."""
        return self.result.lanes

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Rows and columns of the result, and what is summed."""
        depth = (self.memory(0)[0] if self.shared else self.layout(0)).size("k")
        return self.result.size("m"), self.result.size("n"), depth

    def __str__(self) -> str:
        rows, columns, depth = self.sizes
        bits = "" if self.mantissa is None else f" with {self.mantissa} bits of mantissa"
        where = ", from memory of a workgroup" if self.shared else ""
        return f"({rows}, {columns}, {depth}) of {self.of}{bits} summed in {self.dtype}{where}"


def cores(target: Any) -> list[TensorCore]:
    """The products that a target has, in the order of its file: of one lane, or of whole warps."""
    rows, warp = target.row["cores"], target.limit("warp") or 1
    each = (
        TensorCore(
            of,
            row["dtype"],
            (row["a"], row["b"], row["c"]),
            row.get("mantissa"),
            row.get("registers", 0),
        )
        for row in rows
        for of in row["dtypes"]
    )
    return [core for core in each if core.lanes == 1 or core.lanes % warp == 0]


@dataclass(frozen=True)
class Product:
    """A sum in `dtype` of products of two values, one along the rows and one along the columns.

    Each is given in the dtypes, by name, in which it is the same number; the narrowest last.
    """

    left: dict[str, UOp]
    right: dict[str, UOp]
    dtype: DType

    def core(self, target: Any, sizes: tuple[Dim, ...] | None = None) -> TensorCore | None:
        """What the target multiplies such values by first, of these sizes if any are given."""
        return next((c for c in self.cores(target) if sizes in (None, c.sizes)), None)

    def cores(self, target: Any) -> list[TensorCore]:
        """All that the target multiplies such values by."""
        fits = [c for c in cores(target) if c.of in self.left and c.of in self.right]
        ends = [side[name] for side in (self.left, self.right) for name in [*side][-1:]]
        bits = max(map(_mantissa, ends))
        return [c for c in fits if c.dtype == self.dtype.name and bits <= (c.mantissa or bits)]

    def __str__(self) -> str:
        both = [of for of in self.left if of in self.right] or [" and ".join(self.left)]
        return f"{both[-1]} summed in {self.dtype.name}"


def product_of(reduction: UOp, row: UOp | None, column: UOp, step: UOp) -> Product | None:
    """What a REDUCE multiplies, one value along the rows, if it is asked for more than one of them,
    and the other along the columns.

    Where a condition chooses the products that are summed, it chooses what is multiplied.
    """
    value, zero = reduction.src[0], UOp.const(reduction.dtype, 0)
    gates = []
    while value.op is Ops.WHERE and value.src[2] is zero:
        gates.append(value.src[0])
        value = value.src[1]
    if reduction.arg is not Ops.ADD or value.op is not Ops.MUL:
        return None
    uses = [{r for r in (row, column, step) if r in s.ranges} for s in value.src]
    left, right = value.src
    along = {row, step} - {None}
    if uses == [{column, step}, along]:
        left, right = right, left
    elif uses != [along, {column, step}]:
        return None
    if any(row in gate.ranges and column in gate.ranges for gate in gates):
        return None
    by_rows = [gate for gate in gates if column not in gate.ranges]
    by_columns = [gate for gate in gates if row not in gate.ranges]
    return Product(_exact(left, by_rows), _exact(right, by_columns), reduction.dtype)


def _exact(value: UOp, gates: list[UOp]) -> dict[str, UOp]:
    """A value where conditions hold, else 0, and what it was before it was widened, by dtypes."""
    values = [value]
    while (narrower := _narrower(value)) is not None:
        if _holds(value.dtype, dtypes.i16) and _holds(dtypes.i16, narrower.dtype):
            values.append(_widened(narrower, dtypes.i16))  # which some cores take instead of bytes
        value = narrower
        values.append(value)
    for gate in gates:
        values = [gate.where(v, UOp.const(v.dtype, 0)) for v in values]
    return {v.dtype.name: v for v in values}


def _narrower(value: UOp) -> UOp | None:
    """What a value was before it was widened, perhaps in a copy of it; None if it was not."""
    if value.op is Ops.CAST and _holds(value.dtype, value.src[0].dtype):
        return value.src[0]
    if value.op is Ops.WHERE and value.src[2] is UOp.const(value.dtype, 0):
        gate, wide, _ = value.src
        inner = _narrower(wide)
        return None if inner is None else gate.where(inner, UOp.const(inner.dtype, 0))
    if value.op is Ops.INDEX and value.src[0].op is Ops.STAGE:
        stage, *places = value.src
        if (inner := _narrower(stage.src[0])) is not None:
            copy = UOp(Ops.STAGE, inner.dtype, (inner, *stage.src[1:]), stage.arg)
            return copy.index(*places)
    return None


def _widened(value: UOp, to: DType) -> UOp:
    """A value, or the copy of which it is an element, in another dtype."""
    if value.op is not Ops.INDEX or value.src[0].op is not Ops.STAGE:
        return value.cast(to)
    stage, *places = value.src
    copy = UOp(Ops.STAGE, to, (stage.src[0].cast(to), *stage.src[1:]), stage.arg)
    return copy.index(*places)


def _mantissa(value: UOp) -> int:
    """How many bits of the mantissa of a value may be other than 0, as f32."""
    bits = int(value.dtype.row.get("mantissa") or 0)
    if value.op is Ops.INDEX and value.src[0].op is Ops.STAGE:
        return _mantissa(value.src[0].src[0])
    if value.op is Ops.WHERE:
        return max(map(_mantissa, value.src[1:]))
    if value.op is Ops.CONST and value.arg == 0:
        return 0
    masked = value.src[0] if value.op is Ops.BITCAST else value
    if value.dtype.name == "f32" and masked.op is Ops.AND and masked.src[1].op is Ops.CONST:
        mask = int(masked.src[1].arg) & 0xFFFFFFFF
        return bits - min(bits, (mask & -mask).bit_length() - 1) if mask else 0
    return bits


def _holds(wide: DType, narrow: DType) -> bool:
    if wide.is_float != narrow.is_float or wide.bits <= narrow.bits:
        return False
    return wide.is_float or (wide.is_int and narrow.is_int and narrow.min >= wide.min)


class Plane(NamedTuple):
    """The rows and columns of a product that one lane has, as loops of their own."""

    core: TensorCore
    row: UOp | None
    column: UOp

    @property
    def ranges(self) -> list[UOp]:
        """Those of the two that there are."""
        return [r for r in (self.row, self.column) if r is not None]


def matched(
    node: UOp, step: UOp, target: Any, of: str = "tc"
) -> tuple[UOp | None, UOp, Product, TensorCore]:
    """Rows, if a small matrix has several, columns, what a REDUCE multiplies and by what, those
    being ranges of a kind; rows are the range of the lower number, if either could be.

    Raises UsageError if nothing fits.
    """
    ranges = sorted((r for r in node.ranges if kind(r) == of), key=lambda r: r.arg[0])
    pairs: list[tuple[UOp | None, UOp]] = [(None, ranges[0])] if len(ranges) == 1 else []
    if len(ranges) == 2:
        pairs = [(ranges[0], ranges[1]), (ranges[1], ranges[0])]
    for row, column in pairs:
        product = product_of(node, row, column, step)
        sizes = tuple(1 if r is None else int(r.vmax) + 1 for r in (row, column, step))
        core = product and product.core(target, sizes)
        if product and core:
            return row, column, product, core
    raise UsageError(f"axis choices: {of}: no tensor core for what r{step.arg[0]} reduces")


class WarpProducts:
    """What is lowered to tensor cores in one kernel, and the lanes of each product."""

    def __init__(
        self,
        walk: Accumulators,
        target: Any,
        planes: Mapping[UOp, Plane],
        nodes: Sequence[UOp],
        held: Mapping[UOp, LaneProduct],
    ) -> None:
        self.walk, self.planes = walk, planes
        self.near: set[UOp] = set()  # memory with the sums of those that one lane has
        sums = [n for n in nodes if n.op is Ops.REDUCE]
        steps = [(n, s) for n in sums for s in n.src[1:] if kind(s) == "tc" and s not in planes]
        # what multiplies, before what is multiplied becomes memory
        self.matches: dict[UOp, tuple[UOp | None, UOp, Product | None, TensorCore]] = {
            s: matched(n, s, target) for n, s in steps if s not in held
        }
        self.lanes: dict[tuple[UOp, UOp], tuple[TensorCore, UOp, list[UOp]]] = {}
        self.row_items = {step: each.row_item for step, each in held.items()}
        for step, each in held.items():
            self.matches[step] = each.row, each.column, None, each.core
            self.lanes[each.row, each.column] = each.core, each.lane, each.items

    def lower(self, node: UOp) -> UOp:
        """The sum of one lane's element: what a REDUCE along a range of kind "tc" is."""
        value, ranges = node.src[0], node.src[1:]
        [step] = [r for r in ranges if kind(r) == "tc"]
        if step in self.planes:
            return self.alone(node, step)
        row, column, _, core = self.matches[step]
        lane, items = self.of_warp(step)
        item = self.row_items.get(step)
        if item is not None and row is not None and item in value.ranges:
            run = core.result.elements("m")
            value = value.substitute({item: row // run.step % run.size})
            node = node.replace(src=(value, *ranges))
        product = product_of(node, row if row in value.ranges else None, column, step)
        assert row is not None and product is not None
        steps = tuple(r for r in ranges if r is not step)
        axes = {row: "m", column: "n", step: "k"}
        sides = product.left[core.of], product.right[core.of]
        texts = core.texts
        if core.shared:
            (a, x), (b, y) = (shared_matrix(v, core, i, axes) for i, v in enumerate(sides))
            texts = x, y, core.texts[2]
        else:
            a, b = (self.fragment(v, core, i, axes, lane) for i, v in enumerate(sides))
        closed = (row, column, lane, *ranges)
        around = [r for r in value.ranges if r not in closed]
        tile = in_loop_order([r for r in around if kind(r) in TILE])
        outer = [r for r in around if r not in tile]
        count = core.result.items
        register = self.walk.memory("DEFINE_REG", node.dtype, places_of(tile) * count)
        first = [*self.walk.copies(tile), self.items(core, 2)]
        zero = UOp.const(node.dtype, 0)
        start = register.after(*outer, lane).index(flat(first)).store(zero).end(*first)
        copies = self.walk.copies(tile)
        own = dict(zip(tile, copies, strict=True))
        begun = self.walk.staging.begun(steps)
        total = _vector(register.after(start, *steps, *begun), copies, count)
        held = (a.substitute(own), b.substitute(own), total, lane)
        mma = UOp(Ops.MMA_SHARED if core.shared else Ops.MMA, total.dtype, held, texts)
        loop = total.store(mma).end(*steps, *copies)
        return register.after(loop).index(flat([*tile, *items]))

    def of_warp(self, step: UOp) -> tuple[UOp, list[UOp]]:
        """The ranges over the lanes of a warp, and over the elements of the result in each."""
        row, column, _, core = self.matches[step]
        if row is None:
            raise UsageError("axis choices: tc: the lanes of a warp hold several rows")
        if (row, column) not in self.lanes:
            lane = self.range(core.lanes, "lane")
            self.lanes[row, column] = core, lane, self.neighbours(core, 2)
        return self.lanes[row, column][1:]

    def alone(self, node: UOp, step: UOp) -> UOp:
        """The same where one lane has all: it adds up vectors, which it copies near by."""
        plane = self.planes[step]
        core, row, column = plane
        product = product_of(node, row, column, step)
        if product is None:
            raise UsageError(f"axis choices: tc: no tensor core for what r{step.arg[0]} reduces")
        around = [r for r in node.src[0].ranges if r not in (*plane.ranges, *node.src[1:])]
        ranges = [r for r in node.src[1:] if r is not step]
        blocks = [r for r in ranges if kind(r) == "block"]
        copied = {r for end in loops_of(node.src[0]) for r in end.ranges}  # in each iteration anew
        held = [r for r in around if kind(r) in TILE or (kind(r) == "block" and r not in copied)]
        tile, outer = in_loop_order(held), [r for r in around if r not in held]
        count = core.result.items
        axes = {r: x for r, x in ((row, "m"), (column, "n"), (step, "k")) if r is not None}
        near = self.walk.memory("DEFINE_REG", node.dtype, places_of(tile) * count)
        self.near.add(near)
        loops = self.walk.copies(tile)  # over all tiles, of which registers hold some
        own = dict(zip(tile, loops, strict=True))
        a, b = (
            self.held(side[core.of], core, which, axes).substitute(own)
            for which, side in enumerate((product.left, product.right))
        )
        first: UOp | None = None
        if blocks:
            places = [*self.walk.copies(tile), self.range(count, "simd")]
            zero = near.after(*outer).index(flat(places)).store(UOp.const(node.dtype, 0))
            first = near.after(zero.end(*in_loop_order(places)), *blocks)
        steps = tuple(r for r in ranges if r not in blocks)
        write = self.summed(core, (a, b), (near, first), steps, loops, tuple(outer))
        done = near.after(write.end(*in_loop_order([*blocks, *loops])))
        item = core.result.number({"m": row, "n": column})
        return done.index((flat(tile) * count if tile else UOp.index_const(0)) + item)

    def is_near(self, value: UOp) -> bool:
        """Whether a value is a sum that one lane has put near by, perhaps times a number."""
        if value.op is Ops.MUL and value.src[1].op is Ops.CONST:
            value = value.src[0]
        return value.op is Ops.INDEX and value.src[0].base in self.near

    def summed(
        self, core: TensorCore, held: tuple[UOp, UOp], sums: tuple[UOp, UOp | None],
        steps: tuple[UOp, ...], loops: list[UOp], outer: tuple[UOp, ...],
    ) -> UOp:  # fmt: skip
        """The store of the sums of a tile near by, after registers have added the products of all
        steps to 0, or to what was near by."""
        (near, before), inside = sums, [r for r in loops if kind(r) in TILE]
        count, lane = core.result.items, UOp.index_const(0)
        register = self.walk.memory("DEFINE_REG", near.dtype, places_of(inside) * count)
        copies = self.walk.copies(inside)
        here = dict(zip(inside, copies, strict=True))
        value = splat(UOp.const(near.dtype, 0), count)
        if before is not None:
            value = _vector(before, loops, count).substitute(here)
        around = [r for r in loops if r not in inside]
        # registers are few: they are set once rows and copies are there, which may need some too
        ready = [e for e in loops_of(UOp.sink(*held)) if not set(steps) & {*e.ranges}]
        start = _vector(register.after(*outer, *around, *ready), copies, count)
        start = start.store(value).end(*copies)
        copies = self.walk.copies(inside)
        here = dict(zip(inside, copies, strict=True))
        total = _vector(register.after(start, *steps), copies, count)
        a, b = (side.substitute(here) for side in held)
        mma = UOp(Ops.MMA, total.dtype, (a, b, total, lane), core.texts)
        loop = total.store(mma).end(*steps, *copies)
        result = _vector(register.after(loop), inside, count)
        return _vector(near if before is None else before, loops, count).store(result)

    def held(self, value: UOp, core: TensorCore, which: int, axes: dict[UOp, str]) -> UOp:
        """The elements of a matrix that one lane has: where they lie, if in its order; else copied
        there."""
        layout, item = core.layout(which), self.items(core, which)
        zero = UOp.index_const(0)
        places = {r: layout.place(x, zero, item) for r, x in axes.items() if r in value.ranges}
        if value.op is Ops.INDEX and value.src[0].base.op in (Ops.DEFINE_REG, Ops.PARAM):
            index = rewrite(value.src[1].substitute(places), "symbolic")
            if index.op is not Ops.WHERE and linear(index).stride(item) == 1:
                return wide_index(
                    UOp(Ops.INDEX, value.dtype, (value.src[0], index)), item, layout.items
                )
        return self.fragment(value, core, which, axes, zero)

    def range(self, size: int, to: str) -> UOp:
        """A new range."""
        return self.walk.fresh(UOp.range(size, 0), to)

    def items(self, core: TensorCore, which: int) -> UOp:
        """A new range over what a lane has of a matrix: few elements, or all."""
        return self.range(core.layout(which).items, "upcast" if core.lanes > 1 else "simd")

    def fragment(
        self, value: UOp, core: TensorCore, which: int, axes: dict[UOp, str], lane: UOp
    ) -> UOp:
        """A lane's elements of a matrix, read into registers, as a vector."""
        layout, items = core.layout(which), self.neighbours(core, which)
        mine = {r: axis for r, axis in axes.items() if r in value.ranges}
        whole = loaded_fragment(value, layout, mine, lane, self.walk.target)
        if whole is not None:
            tile, outer = open_ranges(whole, ())
            row = self.walk.memory("DEFINE_REG", value.dtype, places_of(tile) * layout.items)
            whole, copies = self.rounds(whole, tile)
            write = _vector(row.after(*outer), copies, whole.dtype.count).store(whole)
            return _vector(row.after(write.end(*copies)), tile, layout.items)
        own = value.substitute(self.places(core, which, mine, lane, items))
        tile, outer = open_ranges(own, tuple(items))
        row = self.walk.memory("DEFINE_REG", value.dtype, places_of(tile) * layout.items)
        copies = self.walk.copies(tile)
        own = own.substitute(dict(zip(tile, copies, strict=True)))
        write = row.after(*outer).index(flat([*copies, *items])).store(own)
        return _vector(row.after(write.end(*copies, *items)), tile, layout.items)

    def rounds(self, whole: UOp, tile: list[UOp]) -> tuple[UOp, list[UOp]]:
        """Small matrices in loops of their own over the rounds of a tile, those of two at once if
        the target can."""
        copies = self.walk.copies(tile)
        if tile and places_of(tile[-1:]) % 2 == 0:
            half = self.range(places_of(tile[-1:]) // 2, kind(tile[-1]))
            both = paired(whole, tile[-1], half, self.walk.target)
            if both is not None:
                whole, copies = both, [*copies[:-1], half]
        return whole.substitute(dict(zip(tile, copies, strict=True))), copies

    def places(
        self, core: TensorCore, which: int, axes: dict[UOp, str], lane: UOp, items: list[UOp]
    ) -> dict[UOp, UOp]:
        """Where in a matrix an element of a lane is, along each axis."""
        layout, item = core.layout(which), flat(items)
        return {r: rewrite(layout.place(x, lane, item), "symbolic") for r, x in axes.items()}

    def neighbours(self, core: TensorCore, which: int) -> list[UOp]:
        """New ranges over what a lane has of a matrix, those beside each other innermost."""
        layout = core.layout(which)
        size = layout.runs()[-1].size if layout.item else 1
        if core.lanes == 1:
            return [self.items(core, which)]
        if size == layout.items:
            return [self.range(size, "vector")]
        return [self.range(layout.items // size, "upcast"), self.range(size, "vector")]

    def ended(self, node: UOp) -> UOp:
        """A store in loops, by the lanes instead of the rows and columns of a product."""
        ranges = node.src[1:]
        if any(set(p.ranges) <= set(ranges) for p in self.planes.values()):
            return node.src[0].end(*in_loop_order(ranges))
        for (row, column), (core, lane, items) in self.lanes.items():
            if row in ranges and column in ranges:
                places = self.places(core, 2, {row: "m", column: "n"}, lane, items)
                rest = [r for r in ranges if r not in places]
                return node.src[0].substitute(places).end(*in_loop_order([*rest, lane, *items]))
        return node


def _vector(memory: UOp, tile: list[UOp], count: int) -> UOp:
    """The elements of a lane, beside each other in memory, for one value of the tile."""
    place = flat(tile) * count if tile else UOp.index_const(0)
    return UOp(Ops.INDEX, memory.dtype.vec(count), (memory, place))
