"""Reductions become loops over accumulators.

REDUCE[op](x, ranges) turns into: memory of one work item, set to op's identity; a loop that
combines it with x; a read after the loop. Where x depends on tile ranges (upcast, vector, simd)
there is an accumulator for each of their values, and the loops over the tile go inside the loops
over the reduced ranges: this is what makes register tiles and independent partial sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from rulewright.codegen.cores import WarpProducts
from rulewright.codegen.exchange import Exchange
from rulewright.codegen.folds import FoldLoop, fold_groups
from rulewright.codegen.kinds import TILE, in_loop_order, kind, unused
from rulewright.codegen.laid import in_order_of_reading, laid_out, quotients_outside
from rulewright.codegen.lane_rows import held_by_lanes
from rulewright.codegen.numbering import flat, joined, loops_of, open_ranges, places_of
from rulewright.codegen.replicate import wide_reads
from rulewright.codegen.staging import IN_ORDER, Staging, check_staged, is_staged
from rulewright.errors import UsageError
from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Op, Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp


def accumulators(sink: UOp, ctx: Any = None) -> UOp:
    """The kernel with every REDUCE made a loop over accumulators.

    Raises UsageError if they, and copies, are more than the target has room for in a work item.
    """
    result = Accumulators(sink, ctx and ctx.target).result
    room = ctx.target.limit("own_memory") if ctx is not None else None
    nodes = result.toposort()
    if ctx is not None:
        check_shared(nodes, ctx.target)
    needed = _bytes_of(nodes, Ops.DEFINE_REG)
    if room is not None and needed > room:
        raise UsageError(
            f"axis choices: accumulators and copies need {needed} bytes of memory of one thread, "
            f"which has {room}; cut the ranges that they are made along"
        )
    return result


def bytes_needed(sink: UOp, target: Any, op: Op) -> int:
    """The bytes of memory that `op` defines, of a work item or of a group of them, for a kernel
    with its axes chosen."""
    return _bytes_of(Accumulators(sink, target).result.toposort(), op)


def check_shared(nodes: Sequence[UOp], target: Any) -> None:
    """Raises UsageError if a workgroup needs more memory than a target gives it."""
    room, needed = target.limit("local_memory"), _bytes_of(nodes, Ops.DEFINE_LOCAL)
    if room is not None and needed > room:
        raise UsageError(
            f"axis choices: copies and what work items hand to each other need {needed} bytes of "
            f"memory of one workgroup, which has {room}; cut the ranges that they are made along"
        )


def _bytes_of(nodes: Sequence[UOp], op: Op) -> int:
    return sum(n.arg[1] * n.dtype.itemsize for n in nodes if n.op is op)


class Accumulators:
    """The walk over a kernel; `done` is what its nodes become."""

    def __init__(self, sink: UOp, target: Any = None) -> None:
        sink, planes, self.laid, self.laid_rows = laid_out(sink, target)
        sink, rows = held_by_lanes(sink, target)
        nodes = sink.toposort()
        self.next_range = unused(nodes, Ops.RANGE)
        held = [n.arg[0] for n in nodes if "Inner" in n.op.groups]
        self.next_memory = 1 + max(held, default=-1)
        self.rows: dict[UOp, tuple[UOp | None, list[UOp]]] = {}
        self.filled: set[UOp] = set()  # loops that fill a row
        # reduced range -> the loops around it and beside it, and the results of that nest
        self.closed: dict[UOp, tuple[set[UOp], tuple[UOp, ...], list[UOp]]] = {}
        self.done: dict[UOp, UOp] = {}
        self.groups = fold_groups(nodes, target is not None and target.has("workgroups"))
        self.target = target
        self.warps = WarpProducts(self, target, planes, nodes, rows)
        self.staging = Staging(self, target, nodes)
        self.exchange = Exchange(self, target, nodes)
        for node in nodes:
            self.visit(node)
        del self.warps, self.staging, self.exchange  # which know this walk: no cycle is left
        self.result = self.done[sink]

    def visit(self, node: UOp) -> None:
        """Find out what a node becomes, once its operands are done; so are those of its group."""
        if node in self.done:
            return
        group = self.groups.get(node)
        if group is not None:
            operands = UOp.sink(*group.values.values())
            for inner in operands.toposort(lambda n: n not in self.done)[:-1]:
                self.visit(inner)
            self.done.update(FoldLoop(self, group).results)
            return
        if is_staged(node):
            self.visit_staged(node)
            return
        src = tuple([self.done[s] for s in node.src])
        new = node if src == node.src else UOp(node.op, node.dtype, src, node.arg)
        if node.op is Ops.REDUCE:
            new = self.lower(new)
        elif node.op is Ops.END:
            new = self.warps.ended(new)
        elif node.op is Ops.INDEX and new.src[0].op is Ops.STAGE:
            new = self.kept(new, self.laid_rows.get(node.src[0]))
        self.done[node] = new

    def visit_staged(self, node: UOp) -> None:
        """A copy of a workgroup, and those that are made in the same loops."""
        loops = [r for r in node.ranges if kind(r) in IN_ORDER]
        together = []
        for stage in self.staging.stages:
            inside = stage.src[0].toposort()
            around = [r for r in stage.ranges if kind(r) in IN_ORDER]
            if around != loops or any(is_staged(n) for n in inside):
                if stage is not node:
                    continue
                together = [node]  # of copies, it waits for them
                break
            together.append(stage)
        for stage in together:
            check_staged(stage)
            for inner in UOp.sink(*stage.src).toposort(lambda n: n not in self.done)[:-1]:
                self.visit(inner)
            self.done[stage] = stage.replace(src=tuple(self.done[s] for s in stage.src))
        self.staging.make([self.done[stage] for stage in together])

    def kept(self, node: UOp, laid: tuple[UOp, int] | None) -> UOp:
        """An element of a row that is kept: memory, and the loop that fills it."""
        stage, *places = node.src
        if is_staged(stage):
            return self.staging.element(node)
        row, tile = self.rows.get(stage, (None, []))
        fills = stage.src[1:]
        if laid is None and self.warps.is_near(stage.src[0]):  # it is there already
            own = stage.src[0].substitute(dict(zip(fills, places, strict=True)))
            return rewrite(own, "symbolic")
        if row is None:
            value, fills = self.own_fills(stage.src[0], fills)
            around = [r for r in value.ranges if r not in fills]
            tile = in_loop_order([r for r in around if kind(r) in TILE])
            outer = [r for r in around if r not in tile]
            row = self.memory("DEFINE_REG", stage.dtype, places_of([*tile, *fills]))
            copies = self.copies(tile)
            value = value.substitute(dict(zip(tile, copies, strict=True)))
            place = _place(dict(zip(tile, copies, strict=True)), fills, fills, laid)
            write = row.after(*outer).index(place).store(value)
            turned = any(fill.arg[0] in self.laid for fill in fills[-1:])
            order = (in_order_of_reading if turned else quotients_outside)(value, fills)
            row = row.after(write.end(*in_loop_order([*copies, *order])))
            self.rows[stage] = row, tile
        return row.index(_place({r: r for r in tile}, places, fills, laid))

    def own_fills(self, value: UOp, fills: tuple[UOp, ...]) -> tuple[UOp, tuple[UOp, ...]]:
        """Loops that no other row is filled by: another one may stand in other loops."""
        changes = {r: self.fresh(r, kind(r)) for r in fills if r in self.filled}
        self.filled.update(fills)
        return self.clone(value, changes), tuple(changes.get(r, r) for r in fills)

    def fresh(self, axis: UOp, to: str) -> UOp:
        """A new loop over the values of `axis`."""
        self.next_range += 1
        return UOp.range(axis.size, self.next_range - 1, to)

    def memory(self, op: str, dtype: DType, size: int) -> UOp:
        """New memory of a work item (DEFINE_REG) or workgroup (DEFINE_LOCAL)."""
        self.next_memory += 1
        return UOp(getattr(Ops, op), dtype, (), (self.next_memory - 1, size))

    def lower(self, node: UOp) -> UOp:
        """One REDUCE whose operands hold none."""
        value, ranges = node.src[0], node.src[1:]
        if any(kind(r) == "tc" for r in ranges):
            return self.warps.lower(node)
        if all(kind(r) == "unroll" for r in ranges):
            return self.chain(node)
        if kind(ranges[0]) == "group":
            value, ranges = self.exchange.share(node.arg, value, ranges[0])
            if not ranges:
                return value
        if all(kind(r) == "simd" for r in ranges):
            return self.across_lanes(node.arg, value, ranges)
        value, ranges = self.own_loops(value, ranges)
        tile, outer = open_ranges(value, ranges)
        register = self.memory("DEFINE_REG", node.dtype, places_of(tile))
        identity = UOp.const(node.dtype, node.arg.identity(node.dtype))
        copies = self.copies(tile)
        start = register.after(*outer).index(flat(copies)).store(identity).end(*copies)
        copies = self.copies(tile)
        body = value.substitute(dict(zip(tile, copies, strict=True)))
        # the sum so far is read once the loop of a block is done, which needs all registers
        ends = loops_of(body) if any(kind(r) == "block" for r in ranges) else ()
        begun = self.staging.begun(ranges)
        total = register.after(start, *ranges, *ends, *begun).index(flat(copies))
        whole = [r for r in copies if kind(r) == "loop"]
        loops = (*whole, *ranges, *(r for r in copies if r not in whole))
        loop = total.store(total.alu(node.arg, body)).end(*loops)
        result = register.after(loop).index(flat(tile))
        for r in ranges:
            self.closed.setdefault(r, (set(outer), ranges, []))[2].append(result)
        return result

    def copies(self, tile: list[UOp]) -> list[UOp]:
        """New loops over a tile."""
        return [self.fresh(r, kind(r)) for r in tile]

    def across_lanes(self, op: Op, value: UOp, lanes: tuple[UOp, ...]) -> UOp:
        """Vectors put in memory and combined by halves, at last of few lanes in one expression."""
        tile, outer = open_ranges(value, lanes)
        count = places_of(list(lanes))
        memory = self.memory("DEFINE_REG", value.dtype, places_of(tile) * count)
        copies = self.copies([*tile, *lanes])
        own = value.substitute(dict(zip((*tile, *lanes), copies, strict=True)))
        write = memory.after(*outer).index(flat(copies)).store(own).end(*copies)
        while count > FEW_LANES and count % 2 == 0:
            count //= 2
            whole, copies = memory.after(write), self.copies(tile)
            lane = self.fresh(UOp.range(count, 0), "simd")
            first = flat([*copies]) * (2 * count) + lane
            both = whole.index(first).alu(op, whole.index(first + count))
            memory = self.memory("DEFINE_REG", value.dtype, places_of(tile) * count)
            write = memory.after(*outer).index(flat([*copies, lane])).store(both)
            write = write.end(*copies, lane)
        lane = self.fresh(UOp.range(count, 0), "unroll")
        return self.chain(memory.after(write).index(flat([*tile, lane])).reduce(op, lane))

    def own_loops(self, value: UOp, ranges: tuple[UOp, ...]) -> tuple[UOp, tuple[UOp, ...]]:
        """Lanes are combined one by one. Reductions over the same ranges share the loops.

        They cannot where one needs the other's result, or where they stand in different loops.
        """
        changes = {r: self.fresh(r, "unroll") for r in ranges if kind(r) not in _SEQUENTIAL}
        outer = {r for r in value.ranges if r not in ranges and kind(r) not in TILE}
        for r in ranges:
            around, beside, results = self.closed.get(r, (outer, ranges, []))
            needed = results and not set(results).isdisjoint(value.toposort())
            if around != outer or beside != ranges or needed:
                changes.setdefault(r, self.fresh(r, kind(r)))
        return self.clone(value, changes), tuple(changes.get(r, r) for r in ranges)

    def own_rounds(self, value: UOp, ranges: tuple[UOp, ...]) -> tuple[UOp, tuple[UOp, ...]]:
        """A value, and loops over it that are no one else's."""
        changes = {r: self.fresh(r, kind(r)) for r in ranges}
        return self.clone(value, changes), tuple(changes.values())

    def clone(self, value: UOp, changes: dict[UOp, UOp]) -> UOp:
        """A value with ranges replaced; loops in it that depend on them are done anew.

        Their accumulators are other memory, and their loops other ranges.
        """
        again = dict(changes)
        for node in value.toposort() if changes else ():
            if node.op is Ops.END and any(r in changes for r in node.ranges):
                for r in node.src[1:]:
                    again.setdefault(r, self.fresh(r, kind(r)))
                memory = node.src[0].src[0].src[0].base
                if memory not in again and memory.op is not Ops.PARAM:
                    again[memory] = self.memory(memory.op.name, memory.dtype, memory.arg[1])
        return value.substitute(again)

    def chain(self, node: UOp) -> UOp:
        """A short reduction as one expression, without a loop."""
        values = [node.src[0]]
        for axis in node.src[1:]:
            values = [new for value in values for new in self.written_out(value, axis)]
        if not values:
            return UOp.const(node.dtype, node.arg.identity(node.dtype))
        return reduce(lambda a, b: a.alu(node.arg, b), values)

    def written_out(self, value: UOp, axis: UOp) -> list[UOp]:
        """A value for each number of a range; neighbours in memory are read at once."""
        size = int(axis.vmax) + 1
        constants = [UOp.index_const(k) for k in range(size)]
        wide = wide_reads(value, axis, self.target)
        changes = [{axis: constant} for constant in constants]
        for node, count in wide.items():
            for k in range(size):
                first = node.substitute({axis: constants[k - k % count]})
                read = UOp(Ops.INDEX, node.dtype.vec(count), first.src)
                changes[k][node] = UOp(Ops.LANE, node.dtype, (read,), (k % count,))
        return [self.clone(value, change) for change in changes]


def _place(
    tile: Mapping[UOp, UOp],
    places: Sequence[UOp],
    fills: Sequence[UOp],
    laid: tuple[UOp, int] | None,
) -> UOp:
    """Where in memory an element of a row is that is kept, in each iteration of a tile: rows lie
    behind each other, or so many elements of each."""
    whole, size = joined(places, [int(fill.vmax) + 1 for fill in fills]), places_of(fills)
    if laid is not None:
        row, depth = laid
        count = int(row.vmax) + 1
        whole = whole // depth * (count * depth) + tile[row] * depth + whole % depth
        size *= count
    others = [each for r, each in tile.items() if laid is None or r is not laid[0]]
    return rewrite(flat(others) * size + whole if others else whole, "symbolic")


FEW_LANES = 4
"""Lanes up to which a vector is combined one by one."""
_SEQUENTIAL = ("reduce", "unroll", "block")
