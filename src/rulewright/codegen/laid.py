"""Copies laid in memory as one lane holds the small matrices that it multiplies.

Where a single lane has all of a small matrix, a copy near by that is in the order of its elements
needs no registers in between: the product reads it where it lies. So a panel of columns becomes
pairs or quads of neighbours along the sum beside each other, whatever order it was read in.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import inf
from operator import add
from typing import NamedTuple

from rulewright.codegen.cores import Plane, Product, TensorCore, matched
from rulewright.codegen.kinds import FreshRanges, kind
from rulewright.codegen.lanes import LEAST_LANES
from rulewright.codegen.masks import gates, parts
from rulewright.codegen.nests import reads
from rulewright.codegen.shared_cores import shared_copy
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.lang.layouts import Layout, Run

SIDE = 16
"""Rows and columns of a square that is turned."""
MOST_ROWS = 4
"""Rows of which neighbours become one vector, at most."""
_DIVIDES = Ops.group("FloorDivision")
_KEEPS = (Ops.REDUCE, Ops.STAGE)


class Laid(NamedTuple):
    """A kernel with copies in the order of the elements of small matrices; the products that are
    of one lane, by the range that they reduce; the ids of the new loops of such copies; and rows
    that are kept for a product, by what computes them: the range over them, and how many of their
    elements lie together."""

    sink: UOp
    planes: dict[UOp, Plane]
    loops: frozenset[int]
    rows: dict[UOp, tuple[UOp, int]]


def laid_out(sink: UOp, target: object) -> Laid:
    """The kernel laid out so."""
    planes: dict[UOp, Plane] = {}
    rows: dict[UOp, tuple[UOp, int]] = {}
    nodes = sink.toposort()
    products = [(n, s) for n in nodes if n.op is Ops.REDUCE for s in n.src[1:] if kind(s) == "tc"]
    if not products:
        return Laid(sink, planes, frozenset(), rows)
    changes: dict[UOp, UOp] = {}
    around = _sums_of_blocks(nodes)
    fresh = FreshRanges(nodes)
    first = fresh.next
    for reduction, step in products:
        row, column, product, core = matched(reduction, step, target)
        axes = {r: x for r, x in ((row, "m"), (column, "n"), (step, "k")) if r is not None}
        sides = _sides(product, core, axes, fresh)
        if sides is None:
            continue
        near = None
        if row is not None and core.lanes == 1:
            near = _row_near_by(sides[0], row, step)
            sides[0] = sides[0] if near is None else near
        body = sides[0].cast(reduction.dtype) * sides[1].cast(reduction.dtype)
        if core.lanes > 1:
            changes[reduction] = reduction.replace(src=(body, *reduction.src[1:]))
            continue
        whole = around.get(reduction, reduction)  # sums of blocks stay with their tiles
        ranges = dict.fromkeys((*reduction.src[1:], *whole.src[1:]))
        changes[whole] = whole.replace(src=(body, *ranges))
        kinds = {column: "simd"}
        if row is not None:
            others = [n for n in nodes if n.op in _KEEPS and n not in (reduction, whole)]
            kinds[row] = "upcast" if any(row in n.ranges for n in others) else "block"
            if near is not None:
                rows[near.src[0]] = row, core.sizes[2]
        changes |= {r: UOp.range(r.size, r.arg[0], to) for r, to in kinds.items()}
        planes[step] = Plane(core, None if row is None else changes[row], changes[column])
    swap = {r: new for r, new in changes.items() if r.op is Ops.RANGE}
    for node in [n for n in changes if n not in swap]:  # those inside others come first
        swap[node] = changes[node].substitute(swap)
    rows = {near.substitute(swap): (swap[row], depth) for near, (row, depth) in rows.items()}
    return Laid(sink.substitute(swap), planes, frozenset(range(first, fresh.next)), rows)


def _row_near_by(value: UOp, row: UOp, step: UOp) -> UOp | None:
    """A value as an element of a row near by, of which there is one for each iteration of a loop;
    None if it is of none.

    Where the last small matrix is not whole, and so a condition chooses between the element and 0,
    the row goes on with zeros as far.
    """
    gate = value.src[0] if value.op is Ops.WHERE else None
    element = value if gate is None else value.src[1]
    if element.op is not Ops.INDEX or element.src[0].op is not Ops.STAGE:
        return None
    stage, *places = element.src
    if row not in stage.ranges or gate is None:
        return element if row in stage.ranges else None
    fill, (place, *others) = stage.src[1], places
    size = UOp.index_const(int(fill.vmax) + 1)
    whole = place.src[0] if place.op is Ops.MIN else place
    if others or gate.op is not Ops.CMPLT or gate.src != (whole, size):
        return None
    depth = int(step.vmax) + 1
    longer = UOp.range(-(-(int(fill.vmax) + 1) // depth) * depth, *fill.arg)
    own = stage.src[0].substitute({fill: longer.alu(Ops.MIN, UOp.index_const(int(fill.vmax)))})
    own = (longer < size).where(own, UOp.const(own.dtype, 0))
    return UOp(Ops.STAGE, own.dtype, (own, longer), stage.arg).index(whole)


def in_order_of_reading(value: UOp, loops: Sequence[UOp]) -> list[UOp]:
    """The loops of a copy, those outside that step farthest in what is read, or are divided."""
    forms = [access.ungated for access in reads(value)]

    def step(loop: UOp) -> float:
        return max((_step(f.stride(loop)) for f in forms), default=0)

    return sorted(loops, key=lambda loop: -step(loop))


def _step(stride: int | None) -> float:
    """How far a loop goes: to anywhere if that is not linear in it."""
    return inf if stride is None else abs(stride)


def quotients_outside(value: UOp, loops: Sequence[UOp]) -> list[UOp]:
    """The loops of a copy, those outside whose numbers are divided, once for all others."""
    divided = {r for node in value.toposort() if node.op in _DIVIDES for r in node.ranges}
    return sorted(loops, key=lambda loop: loop not in divided)


def _sums_of_blocks(nodes: Sequence[UOp]) -> dict[UOp, UOp]:
    """Sums over blocks, by the sums of one block that they are made of and nothing else is."""
    users: dict[UOp, list[UOp]] = {}
    for node in nodes:
        for source in node.src:
            users.setdefault(source, []).append(node)
    outer_sums = {}
    for node in nodes:
        inner = node.src[0] if node.op is Ops.REDUCE else node
        blocks = inner is not node and all(kind(r) == "block" for r in node.src[1:])
        if blocks and inner.op is Ops.REDUCE and users[inner] == [node] and node.arg is inner.arg:
            outer_sums[inner] = node
    return outer_sums


def _sides(
    product: Product, core: TensorCore, axes: dict[UOp, str], fresh: FreshRanges
) -> list[UOp] | None:
    """What is multiplied, in the dtype that a product takes; copies in its order. None if it stays
    as it is: lanes of a warp read it into registers, and nothing is copied."""
    both = (product.left[core.of], product.right[core.of])
    if core.shared:
        names = {axis: r for r, axis in axes.items()}
        return [shared_copy(v, core.memory(i), names, fresh) for i, v in enumerate(both)]
    if core.lanes > 1:
        copied = any(n.op is Ops.STAGE for side in both for n in side.toposort())
        return [*both] if copied else None
    laid = [_laid(v, core.layout(i), axes, fresh) for i, v in enumerate(both)]
    return [value if new is None else new for value, new in zip(both, laid, strict=True)]


def _laid(value: UOp, layout: Layout, axes: dict[UOp, str], fresh: FreshRanges) -> UOp | None:
    """An element of a copy that is in the order of a layout; None for what is no copy that can be.

    What chooses between the copy and 0 chooses what is copied.
    """
    chosen = []
    while value.op is Ops.WHERE:
        chosen.append(value.src[0])
        value = value.src[1]
    if value.op is not Ops.INDEX or value.src[0].op is not Ops.STAGE:
        return None
    stage, *places = value.src
    fills = dict(zip(places, stage.src[1:], strict=True))
    mine = {r: axis for r, axis in axes.items() if r in value.ranges}
    rest = [p for p in places if p not in mine]
    if not mine.keys() <= fills.keys() or any(r in p.ranges for p in rest for r in mine):
        return None
    known = {*fills, *stage.ranges}
    if any(r not in known for gate in chosen for r in gate.ranges):
        return None
    own = stage.src[0]
    for gate in chosen:
        own = _where(gate.substitute(fills), own)
    names = {axis: r for r, axis in mine.items()}
    runs, kinds = layout.runs(), None
    while kinds is None:
        loops = [(run, fresh.range(run.size, "loop")) for run in runs]
        along = {axis: reduce(add, [loop * run.step for run, loop in loops if run.axis == axis])
                 for axis in names}  # fmt: skip
        element = own.substitute({fills[r]: along[axis] for r, axis in mine.items()})
        element = rewrite(element, "symbolic")
        kinds = _kinds(element, [loop for _, loop in loops])
        runs = _cut(runs)
    changes = {loop: UOp.range(loop.size, loop.arg[0], to) for loop, to in kinds.items()}
    around = [fills[place] for place in rest]
    src = (element.substitute(changes), *around, *changes.values())
    inner = [names[run.axis] // run.step % run.size for run, _ in loops]
    copy = UOp(Ops.STAGE, own.dtype, src, stage.arg)
    return copy.index(*rest, *(rewrite(place, "symbolic") for place in inner))


def _cut(runs: list[Run]) -> list[Run]:
    """The same with a square's side of the innermost as a loop of its own."""
    *outer, (axis, step, size) = runs
    return [*outer, Run(axis, step * SIDE, size // SIDE), Run(axis, step, SIDE)]


def _where(gate: UOp, value: UOp) -> UOp:
    """A value where a condition holds, else 0, which is what is read where an index is none."""
    if value.op is not Ops.INDEX or value.src[0].op is Ops.STAGE:
        return gate.where(value, UOp.const(value.dtype, 0))
    memory, index = value.src
    if set(parts([gate])) <= set(parts(gates(index)[0])):
        return value
    return memory.index(gate.where(index, UOp(Ops.INVALID, index.dtype)))


def _kinds(value: UOp, loops: list[UOp]) -> dict[UOp, str] | None:
    """How the loops of a copy run; None if it is turned in squares, for which the innermost is cut.

    Neighbours along the innermost are copied in vectors. If they are along the next, so many of
    those as the innermost is long become one; a long innermost is turned. Pairs or quads that lie
    one behind the other along the outermost are turned as if they were one.
    """
    kinds = dict.fromkeys(loops, "loop")
    *outer, inner = loops
    read, sizes = reads(value), {loop: int(loop.vmax) + 1 for loop in loops}

    def steps(loop: UOp, step: int) -> bool:
        return all(access.ungated.stride(loop) == step for access in read)

    if sizes[inner] >= LEAST_LANES and steps(inner, 1):
        kinds[inner] = "simd"
    elif len(outer) > 1 and sizes[inner] == SIDE == sizes[outer[-2]] and steps(outer[-2], 1):
        kinds[inner], kinds[outer[-2]] = "simd", "upcast"
    elif outer and steps(outer[-1], 1) and sizes[inner] <= MOST_ROWS:
        kinds[inner], kinds[outer[-1]] = "upcast", "simd"
    elif outer and steps(outer[-1], 1) and sizes[inner] > SIDE == sizes[outer[-1]]:
        return None
    elif len(outer) > 1 and steps(inner, 1) and steps(outer[-2], sizes[inner]):
        kinds[inner], kinds[outer[-1]], kinds[outer[-2]] = "unroll", "simd", "upcast"
    return kinds
