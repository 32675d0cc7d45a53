"""A range cut where conditions on it turn: parts that were put together are copied one by one.

What `cat` makes of many tensors chooses, for each place, among all of them. Cut at the bounds that
places are compared with, each piece of the range knows what it reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp


def bounds(ast: UOp, axis: UOp) -> list[int]:
    """The numbers inside of a range of known size at which a comparison with it turns."""
    if not isinstance(axis.size, int):
        return []
    found: set[int] = set()
    for node in ast.toposort():
        if node.op is Ops.CMPLT and axis in node.src:
            other = node.src[1 if node.src[0] is axis else 0]
            if other.op is Ops.CONST:
                found.add(other.arg if node.src[0] is axis else other.arg + 1)
    return sorted(n for n in found if 0 < n < axis.size)


def loops_inside(ast: UOp, axis: UOp) -> list[UOp]:
    """A range and those that stores loop over inside of it: each piece has its own."""
    ends = [end.src[1:] for end in ast.src if end.op is Ops.END and axis in end.src[1:]]
    return list(dict.fromkeys(r for loops in ends for r in loops[loops.index(axis) :]))


def loops_made(ast: UOp, axis: UOp) -> int:
    """How many loops `pieces` makes."""
    return (len(bounds(ast, axis)) + 1) * len(loops_inside(ast, axis))


def pieces(ast: UOp, axis: UOp, ids: Sequence[int]) -> UOp:
    """`ast` with a stored range done in pieces, each a store of its own over loops of its own.

    `ids` are those of the loops of the first piece, outermost first, then of the next.
    """
    inside, new = loops_inside(ast, axis), iter(ids)
    parts: list[tuple[dict[UOp, UOp], _Piece]] = []
    for first, last in pairwise([0, *bounds(ast, axis), int(axis.size)]):
        sizes = {r: last - first if r is axis else r.size for r in inside}
        loops = {r: UOp.range(size, next(new), r.arg[1]) for r, size in sizes.items()}
        parts.append((loops, _Piece(axis, {**loops, axis: loops[axis] + first})))
    effects: list[UOp] = []
    for effect in ast.src:  # in their order: one may overwrite what those before it read
        if axis not in effect.src[1:]:
            effects.append(effect)
            continue
        for loops, piece in parts:
            ranges = [loops.get(r, r) for r in effect.src[1:]]
            effects.append(piece.made(effect.src[0]).end(*ranges))
    return rewrite(UOp.sink(*effects, info=ast.arg), "symbolic")


class _Piece:
    """What nodes are in one piece of a range, where conditions are decided."""

    def __init__(self, axis: UOp, places: dict[UOp, UOp]) -> None:
        self.axis, self.place = axis, places[axis]
        self.moved = set(places)
        self.done = dict(places)

    def made(self, root: UOp) -> UOp:
        """A node in this piece; of a choice that is decided, what is chosen."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self.done:
                stack.pop()
                continue
            if self.moved.isdisjoint(node.ranges):
                self.done[node] = node
                continue
            chosen = self.chosen(node) if node.op is Ops.WHERE else None
            missing = [
                s for s in ([chosen] if chosen is not None else node.src) if s not in self.done
            ]
            if missing:
                stack += missing
            elif chosen is not None:
                self.done[node] = self.done[chosen]
            else:
                src = tuple([self.done[s] for s in node.src])
                self.done[node] = UOp(node.op, node.dtype, src, node.arg)
        return self.done[root]

    def chosen(self, where: UOp) -> UOp | None:
        """What a WHERE gives everywhere in this piece; None if that is not certain."""
        condition = where.src[0].substitute({self.axis: self.place})
        if condition.vmin != condition.vmax:
            return None
        return where.src[1] if condition.vmin else where.src[2]
