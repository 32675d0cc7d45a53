"""Ranges done in parts: a tail, pieces between conditions, an end where nothing is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.rewrite import rewrite
from rulewright.ir.shapes import Dim, as_dim
from rulewright.ir.uop import UOp

# ---- tail ----------------------------------------------------------------------------------------
#
# A range done in two parts, so that the first has a size that can be cut evenly.


def split_tail(ast: UOp, axis: UOp, count: int, ids: Sequence[int]) -> UOp:
    """`ast` with the values of `axis` below `count` and those from it on in separate loops; of a
    symbolic size those below the last multiple of `count` that is in it.

    A reduced axis gives two reductions, combined by the same op; a parallel one two stores.
    """
    size = axis.size
    whole = count if isinstance(size, int) else as_dim(size // count * count)
    first = UOp.range(whole, ids[0], axis.arg[1])
    rest_size = size - whole if isinstance(size, int) else as_dim(size % count)
    rest = UOp.range(rest_size, ids[1], axis.arg[1])
    parts = ({axis: first}, {axis: rest + UOp.index_const(whole)})
    done: dict[UOp, UOp] = {}
    for node in ast.toposort():
        src = tuple(done[s] for s in node.src)
        same = node if src == node.src else UOp(node.op, node.dtype, src, node.arg)
        if axis not in node.src[1:]:
            done[node] = same
        elif node.op is Ops.REDUCE:
            both = [_swap(same, axis, p, r) for p, r in zip(parts, (first, rest), strict=True)]
            done[node] = both[0].alu(node.arg, both[1])
        else:
            done[node] = same
    effects: list[UOp] = []
    for effect in done[ast].src:
        if effect.op is Ops.END and axis in effect.src[1:]:
            both = [_swap(effect, axis, p, r) for p, r in zip(parts, (first, rest), strict=True)]
            effects += both
        else:
            effects.append(effect)
    return UOp.sink(*effects, info=ast.arg)


def _swap(node: UOp, axis: UOp, part: dict[UOp, UOp], loop: UOp) -> UOp:
    """A REDUCE or END over `axis` done over one part of it."""
    ranges = tuple(loop if r is axis else r for r in node.src[1:])
    return UOp(node.op, node.dtype, (node.src[0].substitute(part), *ranges), node.arg)


# ---- pieces --------------------------------------------------------------------------------------
#
# A range cut where conditions on it turn: parts that were put together are copied one by one.
#
# What `cat` makes of many tensors chooses, for each place, among all of them. Cut at the bounds
# that places are compared with, each piece of the range knows what it reads.


def bounds(ast: UOp, axis: UOp) -> list[int]:
    """The numbers inside of a range of known size at which a comparison with it turns."""
    if not isinstance(axis.size, int):
        return []
    turns: set[int] = set()
    for node in ast.toposort():
        if node.op is Ops.CMPLT and axis in node.src:
            other = node.src[1 if node.src[0] is axis else 0]
            if other.op is Ops.CONST:
                turns.add(other.arg if node.src[0] is axis else other.arg + 1)
    return sorted(n for n in turns if 0 < n < axis.size)


def loops_inside(ast: UOp, axis: UOp) -> list[UOp]:
    """A range and those that stores loop over inside of it: each piece has its own."""
    ends = [end.src[1:] for end in ast.src if end.op is Ops.END and axis in end.src[1:]]
    return list(dict.fromkeys(r for loops in ends for r in loops[loops.index(axis) :]))


def loop_count(ast: UOp, axis: UOp) -> int:
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
            effects.append(piece.rebuilt(effect.src[0]).end(*ranges))
    return rewrite(UOp.sink(*effects, info=ast.arg), "symbolic")


class _Piece:
    """What nodes are in one piece of a range, where conditions are decided."""

    def __init__(self, axis: UOp, places: dict[UOp, UOp]) -> None:
        self.axis, self.place = axis, places[axis]
        self.moved = set(places)
        self.done = dict(places)

    def rebuilt(self, root: UOp) -> UOp:
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


# ---- until ---------------------------------------------------------------------------------------
#
# Loops that end where nothing more is seen, or begin where something is.
#
# Causal attention hides from query i all keys beyond i: their scores are minus infinity and their
# weights zero. A loop over keys may end at the last row of the tile that it is done for, if each
# step beyond adds the identity of the reduction; in gradients, a loop over queries may begin at the
# first key of its tile. The rules of `weightless` find out, for finite values.


class Ends:
    """Which loops end at which row, and what all of these were cut into since that was chosen."""

    def __init__(self) -> None:
        self.hold = False  # whether they end, or run on as those who choose see them
        self._rows: dict[int, int] = {}
        self._highest: dict[int, int] = {}
        self._parts: dict[int, list[tuple[int, int]]] = {}  # with more than one value; steps
        self._begin: set[int] = set()

    def add(self, steps: Mapping[int, int], row: int, highest: int, begin: bool = False) -> None:
        """Let loops end at a row, which is `highest` at most, by what a step of each counts; those
        that `begin` there go backwards."""
        self._highest[row] = highest
        for id, step in steps.items():
            self._rows[id] = row
            self._parts[id] = [(id, step)]
        self._parts[row] = [(row, 1)]
        self._begin.update(steps if begin else ())

    def cut(self, id: int, count: int, new_ids: Sequence[int], sizes: Mapping[int, Dim]) -> None:
        """Note that a range was cut in an outer and an inner one of `count`."""
        for parts in self._parts.values():
            for at, (part, step) in enumerate(parts):
                if part == id:
                    both = (new_ids[0], step * count), (new_ids[1], step)
                    parts[at : at + 1] = [cut for cut in both if sizes[cut[0]] != 1]
                    break

    def of(self, id: int) -> Bound | None:
        """Where the outer part of such a loop ends; None for any other."""
        for loop, row in self._rows.items():
            if self.hold and self._parts[loop][:1] and self._parts[loop][0][0] == id:
                step = self._parts[loop][0][1]
                return Bound(step, self._parts[row], self._highest[row], loop in self._begin)
        return None


class Bound(NamedTuple):
    """Elements that a step of a loop counts, the parts of the row at which it ends with what a step
    of each counts, and the highest row; whether it rather begins there, and goes backwards."""

    step: int
    parts: list[tuple[int, int]]
    highest: int
    begins: bool


def hidden_blocks(ast: UOp, row: UOp, begin: bool = False) -> dict[UOp, int]:
    """The ranges over blocks that add nothing beyond a row, or before it if loops `begin` there,
    with the elements of a block."""
    sizes: dict[UOp, int] = {}
    others: set[UOp] = set()
    for node in (n for n in ast.toposort() if n.op is Ops.REDUCE):
        *outer, inner = node.src[1:]
        alone = len(outer) == 1 and isinstance(inner.size, int)
        if alone and _adds_nothing(node, row, begin):
            sizes[outer[0]] = int(inner.size)
            others.add(inner)
        else:
            others.update(node.src[1:])
    return {block: size for block, size in sizes.items() if block not in others}


def backwards(ast: UOp, block: UOp) -> UOp:
    """`ast` with the iterations of a reduced range in the other order."""
    flipped = UOp.index_const(int(block.vmax)) - block

    def turned(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if block not in node.src[1:]:
            return None
        return node.replace(src=(src[0].substitute({block: flipped}), *src[1:]))

    return rebuild(ast, turned, frozenset({Ops.REDUCE}))


def ends_at(ast: UOp, row: UOp) -> list[UOp]:
    """The ranges whose steps beyond the number of a row compute nothing that counts.

    These are reduced ranges of which each step beyond adds nothing, and those over which a value is
    kept that only such steps read.
    """
    order = ast.toposort()
    reduced = [n for n in order if n.op is Ops.REDUCE]
    ending = [n for n in reduced if len(n.src) == 2 and _adds_nothing(n, row)]
    others = {r for n in reduced if n not in ending for r in n.src[1:]}
    ending_ranges = [n.src[1] for n in ending if n.src[1] not in others]
    readers: dict[UOp, list[UOp]] = {}
    for node in order:
        if node.op is Ops.INDEX and node.src[0].op is Ops.STAGE:
            readers.setdefault(node.src[0], []).extend(node.src[1:])
    for stage in reversed(order):
        fill = stage.src[1:] if stage.op is Ops.STAGE else ()
        if len(fill) == 1 and all(place in ending_ranges for place in readers.get(stage, ())):
            ending_ranges += fill
    return list(dict.fromkeys(ending_ranges))


def _adds_nothing(node: UOp, row: UOp, before: bool = False) -> bool:
    """Whether each step of a reduction beyond the number of a row, or before it, adds the
    identity: of one range, or of one over blocks and one along them."""
    if row not in node.src[0].ranges:
        return False
    first, *inner = node.src[1:]
    axis = first * inner[0].size + inner[0] if inner else first
    value = _unstaged(node.src[0])
    beyond = UOp(Ops.CMPLT, dtypes.bool, (axis, row) if before else (row, axis))
    if beyond not in value.toposort():
        return False
    hidden = value.substitute({beyond: UOp.const(beyond.dtype, True)})
    left = rewrite(hidden, "weightless")
    return left.op is Ops.CONST and left.arg == node.arg.identity(node.dtype)


def _unstaged(value: UOp) -> UOp:
    """A value with what it reads of kept rows computed where it is read."""

    def computed(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if src[0].op is not Ops.STAGE:
            return None
        return src[0].src[0].substitute(dict(zip(src[0].src[1:], src[1:], strict=True)))

    return rebuild(value, computed, frozenset({Ops.INDEX}))
