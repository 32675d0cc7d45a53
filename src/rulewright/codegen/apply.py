"""Axis choices carried out: ranges replaced by expressions of what they were cut into."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from rulewright.codegen.kinds import GRID, LANES, RANK, in_loop_order, kind, unused
from rulewright.errors import UsageError
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    from rulewright.codegen.axes import Axes

_DIVIDES = Ops.group("FloorDivision")


def apply_axes(axes: Axes) -> UOp:
    """The kernel `axes.ast` with its ranges replaced as chosen."""
    return _separate(_Apply(axes).graph())


def _separate(sink: UOp) -> UOp:
    """Loops that two stores have in common, but inside of different loops, made two loops."""
    parents: dict[UOp, UOp | None] = {}
    next_id = unused(sink.toposort(), Ops.RANGE)
    effects = []
    for effect in sink.src:
        changes: dict[UOp, UOp] = {}
        parent: UOp | None = None
        for axis in effect.src[1:] if effect.op is Ops.END else ():
            if axis.arg[1] in GRID:
                continue
            if parents.setdefault(axis, parent) is not parent:
                changes[axis] = UOp.range(axis.size, next_id, axis.arg[1])
                next_id += 1
            parent = changes.get(axis, axis)
        effects.append(effect.substitute(changes))
    return UOp.sink(*effects, info=sink.arg)


class _Apply:
    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        self.ids = axes.ranges()
        self.new = {node: axes.expression(id) for node, id in self.ids.items()}
        gates = {node: axes.gate(id) for node, id in self.ids.items()}
        self.gates = {node: gate for node, gate in gates.items() if gate is not None}
        stores = [n for n in axes.ast.toposort() if n.op is Ops.STORE]
        self.written = {n.src[0].src[0] for n in stores if n.src[0].op is Ops.INDEX}
        self.joined = {n for n in self.ids if any(map(axes.is_joined, axes.wholes(self.ids[n])))}
        self.done: dict[UOp, UOp] = {}

    def graph(self) -> UOp:
        return rebuild(self.axes.ast, self.build, memo=self.done)

    def build(self, node: UOp, src: tuple[UOp, ...]) -> UOp:
        """The new form of a node whose operands are done."""
        if node.op is Ops.RANGE:
            if src != node.src and self.new[node].op is Ops.RANGE:  # it ends where memory says
                self.new[node] = self.new[node].replace(src=src)
            return self.new[node]
        if not node.src:
            return node
        if node.op is Ops.END:
            return self.done[node.src[0]].end(*self.leaves(node.src[1:]))
        if node.op is Ops.REDUCE:
            return self.reduce(node)
        if node.op is Ops.STAGE:
            leaves = [self.axes.leaf(part) for part in self.parts(node)]
            return UOp(Ops.STAGE, node.dtype, (self.done[node.src[0]], *leaves), node.arg)
        if node.op is Ops.INDEX and node.src[0].op is Ops.STAGE:
            return self.done[node.src[0]].index(*self.places(node))
        if node.op is Ops.INDEX and self.gates:
            src = (src[0], self.gated(node.src[1], src[1]))
        if node.op is Ops.INDEX and not self.joined.isdisjoint(node.src[1].ranges):
            src = (src[0], rewrite(src[1], "symbolic"))
        if node.op is Ops.INDEX and node.src[0] in self.written:
            src = (src[0], self.inside(node, src[1]))
        if src == node.src:
            return node
        new = UOp(node.op, node.dtype, src, node.arg)
        return rewrite(new, "symbolic") if node.op in _DIVIDES and node.src[0] in self.ids else new

    def parts(self, stage: UOp) -> list[int]:
        """The ranges that a copy is made over now, but for those of one value."""
        parts = [p for r in stage.src[1:] for p in self.axes.parts(self.ids[r])]
        if not all(map(self.axes.is_whole, parts)):
            raise UsageError("axis choices: ranges of a copy can only be cut")
        return [p for p in parts if self.axes.size(p) != 1]

    def places(self, node: UOp) -> list[UOp]:
        """The index along each part of what the ranges of a copy were cut into."""
        places: list[UOp] = []
        for index, fill in zip(node.src[1:], node.src[0].src[1:], strict=True):
            id = self.ids[fill]
            rest = self.done[index]
            if index in self.ids and self.axes.pads(self.ids[index]):
                whole = self.axes.padded(self.ids[index])[2]
                # where a copy does not go on as far, its last is read again
                rest = whole if int(whole.vmax) < self.axes.room(id) else rest
            last, is_gated = int(fill.vmax), not self.gates.keys().isdisjoint(index.ranges)
            is_open = not isinstance(fill.size, int)
            if is_gated and not is_open:  # beyond either end nothing is added up
                rest = rest.alu(Ops.MIN, UOp.index_const(last)) if int(rest.vmax) > last else rest
                rest = rest.alu(Ops.MAX, UOp.index_const(0)) if int(rest.vmin) < 0 else rest
            cut = self.cut(id, rest)
            if is_gated and is_open:
                cut = [self.gated(index, place) for place in cut]
            plain = [rewrite(place, "symbolic") for place in cut]
            # quotients stay as they are cut: put together again they are the index
            places += cut if len(cut) > 1 and any(map(_divides, plain)) else plain
        return places

    def cut(self, id: int, index: UOp) -> list[UOp]:
        """An index as those of the parts of a range, but for parts of one value."""
        if self.axes.is_whole(id):
            return [] if self.axes.size(id) == 1 else [index]
        (outer, inner), count = self.axes.makes(id)
        if count == 1:
            return self.cut(outer, index)
        return [*self.cut(outer, index // count), *self.cut(inner, index % count)]

    def inside(self, node: UOp, index: UOp) -> UOp:
        """What a padded range computes too much is not stored, nor read where another iteration may
        store."""
        for axis in node.ranges:
            if self.axes.pads(self.ids[axis]):
                inside = self.axes.padded(self.ids[axis])[1]
                index = inside.where(index, UOp(Ops.INVALID, index.dtype))
        return index

    def leaves(self, ranges: tuple[UOp, ...]) -> list[UOp]:
        """What closed ranges were cut into, outermost first."""
        parts = [n for r in ranges for n in self.new[r].toposort(lambda n: n.op is not Ops.RANGE)]
        leaves = in_loop_order(dict.fromkeys(n for n in parts if n.op is Ops.RANGE))
        places = {leaf.arg[0]: leaf for leaf in leaves}
        for outer, inner in self.axes.moves:
            if outer in places and inner in places:
                first, then = places[outer], places[inner]
                if RANK[kind(first)] == RANK[kind(then)]:
                    leaves.remove(first)
                    leaves.insert(leaves.index(then), first)
        return leaves

    def gate_of(self, ranges: tuple[UOp, ...]) -> UOp | None:
        """The condition that every range which was cut unevenly is inside its size."""
        gates = [self.gates[r] for r in ranges if r in self.gates]
        return reduce(and_, gates) if gates else None

    def gated(self, old: UOp, index: UOp) -> UOp:
        """An index that is INVALID where a range it depends on is outside its size."""
        gate = self.gate_of(old.ranges)
        invalid = UOp(Ops.INVALID, index.dtype)
        return index if gate is None else gate.where(index, invalid)

    def reduce(self, node: UOp) -> UOp:
        """Unrolled iterations innermost, around them loops, blocks, lanes with accumulators; small
        matrices that the lanes of a warp hold, and rounds of them, are one reduction."""
        value, ranges = self.done[node.src[0]], self.leaves(node.src[1:])
        gate = self.gate_of(node.src[1:])
        if gate is not None and not self.is_zero_outside(node):
            identity = UOp.const(node.dtype, node.arg.identity(node.dtype))
            value = gate.where(value, identity)
        is_held = any(kind(r) == "warp" for r in ranges)
        steps = [r for r in ranges if is_held or kind(r) not in (*LANES, "unroll", "block")]
        for iterations in (None,) if is_held else ("unroll", None, "block"):
            chosen = [r for r in ranges if r.arg[1] == iterations] if iterations else steps
            value = value.reduce(node.arg, *chosen)
        for lane in (r for r in ranges if r.arg[1] in LANES):
            value = value.reduce(node.arg, lane)
        return value

    def is_zero_outside(self, node: UOp) -> bool:
        """Whether a sum needs no condition where a range is outside its size: it is of products of
        two elements, neither of which is read there."""
        value = node.src[0]
        cut = {r for r in node.src[1:] if r in self.gates}
        if node.arg is not Ops.ADD or value.op is not Ops.MUL:
            return False
        for side in [factor.past({Ops.CAST}) for factor in value.src]:
            if side.op is not Ops.INDEX or side.src[0].op is Ops.STAGE or not cut <= {*side.ranges}:
                return False
        return True


def _divides(index: UOp) -> bool:
    """Whether a quotient or a rest is part of an index."""
    return any(n.op in _DIVIDES for n in index.toposort())


def mergeable(ast: UOp, outer: UOp, inner: UOp) -> bool:
    """Whether memory is stepped by (outer, inner) just as by one range over both."""
    if not isinstance(inner.size, int) or not isinstance(outer.size, int):
        return False
    for node in ast.toposort():
        if node.op is Ops.INDEX:
            if not _as_one(node.src[1], outer, inner):
                return False
        elif node.op in (Ops.END, Ops.REDUCE):
            closes = [r in node.src[1:] for r in (outer, inner)]
            if closes[0] != closes[1]:
                return False
    return not _values_use(ast, (outer, inner))


def _as_one(index: UOp, outer: UOp, inner: UOp) -> bool:
    form = linear(index)
    a, b = form.stride(outer), form.stride(inner)
    return a is not None and b is not None and a == b * inner.size


def _values_use(ast: UOp, axes: tuple[UOp, ...]) -> bool:
    """Whether a range is computed with outside of indices."""
    stack, seen = [ast], {ast}
    while stack:
        node = stack.pop()
        if node in axes:
            return True
        src = node.src[:1] if node.op in (Ops.INDEX, Ops.END, Ops.REDUCE) else node.src
        for s in src:
            if s not in seen:
                seen.add(s)
                stack.append(s)
    return False


def check_merge(ast: UOp, outer: UOp, inner: UOp) -> None:
    """Raises UsageError if two ranges may not be merged."""
    if not mergeable(ast, outer, inner):
        raise UsageError(
            f"axis choices: r{outer.arg[0]} and r{inner.arg[0]} do not step memory as one range; "
            "use join"
        )
