"""Sums over blocks of weights that are relative to the largest value so far, in one loop.

Of `online` come sums over blocks b of exp(x_b - top) y_b, where top is the largest x of all blocks.
One loop over the blocks does them, and the largest value, with accumulators for each: a block's x
may be larger than all before it, so what was added up is scaled by exp(before - now), and the
block's y by exp(x - now). Work items of a GPU, whose registers hold what was added up, scale it
before they add a block to it element by element: the block's own sum would take as many again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rulewright.codegen.kinds import kind
from rulewright.codegen.numbering import flat, loops_of, open_ranges, places_of
from rulewright.codegen.online import fold_of
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    from rulewright.codegen.accumulators import Accumulators


class Folds(NamedTuple):
    """Reductions over the same blocks that are done together: what each combines, the largest
    value that each sum is relative to, and the loops over a block whose rounds it adds up itself.
    """

    ranges: tuple[UOp, ...]
    values: dict[UOp, UOp]
    tops: dict[UOp, UOp]
    steps: dict[UOp, tuple[UOp, ...]]


def fold_groups(nodes: Sequence[UOp], by_element: bool = False) -> dict[UOp, Folds]:
    """The group of each reduction that is part of one; blocks are added `by_element`, or summed
    before."""
    group_of: dict[UOp, Folds] = {}
    groups: dict[tuple[UOp, ...], Folds] = {}
    for node in nodes:
        fold = fold_of(node)
        if fold is not None:
            ranges = node.src[1:]
            group = groups.setdefault(ranges, Folds(ranges, {}, {}, {}))
            group.values.update({fold.top: fold.x, node: fold.value})
            group.tops[node] = fold.top
            one_loop = all(kind(r) == "reduce" for r in ranges)
            if by_element and one_loop and fold.value.op is Ops.REDUCE:
                value, *steps = fold.value.src
                if all(kind(r) != "tc" for r in steps):  # tensor cores add small matrices up
                    group.values[node], group.steps[node] = value, (*steps,)
    for node in nodes:
        if node.op is Ops.REDUCE and node.arg is Ops.MAX and node.src[1:] in groups:
            groups[node.src[1:]].values.setdefault(node, node.src[0])
    for group in groups.values():
        inside = UOp.sink(*group.values.values()).toposort()
        if group.values.keys().isdisjoint(inside):
            group_of.update(dict.fromkeys(group.values, group))
    return group_of


class _Register(NamedTuple):
    """An accumulator of a group: what it is numbered by, its memory, and what is before each
    iteration."""

    tile: list[UOp]
    memory: UOp
    before: tuple[UOp, ...]


class Own(NamedTuple):
    """The largest value of a block in new loops over what numbers it, and what is to be done
    before."""

    swap: dict[UOp, UOp]
    value: UOp
    ready: tuple[UOp, ...]


class FoldLoop:
    """The loop over the blocks of one group; `results` are what its reductions become."""

    def __init__(self, walk: Accumulators, group: Folds) -> None:
        self.walk, self.group = walk, group
        opened = {node: self.opened(node) for node in group.values}
        outer = dict.fromkeys(axis for _, around in opened.values() for axis in around)
        self.registers = {
            node: self.register(node, tile, outer) for node, (tile, _) in opened.items()
        }
        tiles = [register.tile for register in self.registers.values()]
        self.common = {  # what all go through together inside the loop
            axis: walk.fresh(axis, "block")
            for axis in tiles[0]
            if kind(axis) == "block" and all(axis in tile for tile in tiles)
        }
        self.scales: dict[UOp, tuple[UOp, UOp]] = {}
        effects = [e for top in dict.fromkeys(group.tops.values()) for e in self.grow(top)]
        for node in group.values:
            if node not in self.scales and node not in group.tops:
                effects.append(self.add(node, effects, False))
        *others, last = group.tops
        effects += [self.add(node, effects, False) for node in others]
        loop = self.add(last, effects, True)
        self.results = {
            node: register.memory.after(loop).index(flat(register.tile))
            for node, register in self.registers.items()
        }

    def opened(self, node: UOp) -> tuple[list[UOp], list[UOp]]:
        """The ranges that number the accumulators of a reduction, and those around it."""
        closed = (*self.group.ranges, *self.group.steps.get(node, ()))
        return open_ranges(self.value(node), closed)

    def register(self, node: UOp, tile: list[UOp], outer: Iterable[UOp]) -> _Register:
        """The accumulator of a reduction, set to the identity before the loop, within all that is
        around any of the group."""
        walk = self.walk
        memory = walk.memory("DEFINE_REG", node.dtype, places_of(tile))
        identity = UOp.const(node.dtype, node.arg.identity(node.dtype))
        copies = walk.copies(tile)
        start = memory.after(*outer).index(flat(copies)).store(identity).end(*copies)
        begun = walk.staging.begun(self.group.ranges)
        return _Register(tile, memory, (start, *self.group.ranges, *begun))

    def value(self, node: UOp) -> UOp:
        """What a reduction combines, as it became."""
        return self.walk.done[self.group.values[node]]

    def own(self, node: UOp) -> dict[UOp, UOp]:
        """Loops over what numbers an accumulator: new ones, but for those that all share."""
        swap = {}
        for axis in self.registers[node].tile:
            known = self.common.get(axis)
            swap[axis] = self.walk.fresh(axis, kind(axis)) if known is None else known
        return swap

    def loops(self, swap: dict[UOp, UOp]) -> list[UOp]:
        """Those of them that are this accumulator's own."""
        return [new for axis, new in swap.items() if axis not in self.common]

    def so_far(self, node: UOp, swap: dict[UOp, UOp], *effects: UOp) -> UOp:
        """An accumulator before this iteration, or once the effects happened."""
        register = self.registers[node]
        if node in self.group.steps:
            memory = register.memory.after(*register.before, *effects)
        else:
            memory = register.memory.after(*register.before).after(*effects)
        return memory.index(flat(list(swap.values())))

    def grow(self, top: UOp) -> list[UOp]:
        """The effects that renew the largest value, and keep what sums are scaled by: by what what
        was added up is, and by what the block's own is."""
        walk = self.walk
        rows = [axis for axis in self.registers[top].tile if axis not in self.common]
        before, now = (walk.memory("DEFINE_REG", top.dtype, places_of(rows)) for _ in range(2))
        own, stored = self.own_top(top, rows)
        swap, value, ready = own()
        old = self.so_far(top, swap, *ready)
        shrink = (old - old.alu(Ops.MAX, value)).alu(Ops.EXP)
        first = before.index(flat(self.loops(swap))).store(shrink).end(*self.loops(swap))
        swap, value, _ = own()
        old = self.so_far(top, swap, first)
        second = old.store(old.alu(Ops.MAX, value)).end(*self.loops(swap))
        swap, value, _ = own()
        weight = (value - self.so_far(top, swap, second)).alu(Ops.EXP)
        third = now.index(flat(self.loops(swap))).store(weight).end(*self.loops(swap))
        self.scales[top] = before.after(first), now.after(third)
        return [*stored, first, second, third]

    def own_top(self, top: UOp, rows: list[UOp]) -> tuple[Callable[[], Own], list[UOp]]:
        """What gives the largest value of a block, in loops of its own; and the effects that put
        it near by: where there is one for each of several rows, these become lanes."""
        walk, value = self.walk, self.value(top)
        swap = self.own(top)
        inside = value.substitute(swap)
        has_lanes = walk.target is not None and walk.target.has("simd")
        if [kind(axis) for axis in rows] != ["upcast"] or not has_lanes:
            begin = loops_of(inside)

            def each() -> Own:
                swap = self.own(top)
                return Own(swap, value.substitute(swap), begin)

            return each, []
        near = walk.memory("DEFINE_REG", top.dtype, places_of(rows))
        stored = near.index(flat(self.loops(swap))).store(inside).end(*self.loops(swap))

        def lanes() -> Own:
            swap = self.own(top)
            swap[rows[0]] = walk.fresh(rows[0], "simd")
            return Own(swap, near.after(stored).index(swap[rows[0]]), (stored,))

        return lanes, [stored]

    def add(self, node: UOp, effects: list[UOp], closes: bool) -> UOp:
        """What one iteration does to an accumulator; one `closes` the loop, behind all others."""
        swap = self.own(node)
        value, steps = self.value(node).substitute(swap), self.group.steps.get(node, ())
        scaled: tuple[UOp, ...] = ()
        if steps:
            value, steps = self.walk.own_rounds(value, steps)
            scaled = (self.scale(node),)
        before = (*steps, *scaled, *loops_of(value), *(effects if closes else ()))
        total, top = self.so_far(node, swap, *before), self.group.tops.get(node)
        if top is None:
            new = total.alu(node.arg, value)
        elif steps:
            grow = self.scales_at(top, swap)[1]
            weight, value = value.src if value.op is Ops.MUL else (None, value)
            new = total + (grow if weight is None else weight * grow) * value
        else:
            shrink, grow = self.scales_at(top, swap)
            new = total * shrink + value * grow
        around = (*self.group.ranges, *self.common.values()) if closes else ()
        return total.store(new).end(*around, *self.loops(swap), *steps)

    def scale(self, node: UOp) -> UOp:
        """The effect that scales what was added up before a block is."""
        swap = self.own(node)
        total = self.so_far(node, swap)
        shrink, _ = self.scales_at(self.group.tops[node], swap)
        return total.store(total * shrink).end(*self.loops(swap))

    def scales_at(self, top: UOp, swap: dict[UOp, UOp]) -> tuple[UOp, UOp]:
        """What a sum of a row is scaled by, and a block's own."""
        rows = [axis for axis in self.registers[top].tile if axis not in self.common]
        at = flat([swap[axis] for axis in rows])
        before, now = (memory.index(at) for memory in self.scales[top])
        return before, now
