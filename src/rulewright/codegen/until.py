"""Loops that end where nothing more is seen, or begin where something is.

Causal attention hides from query i all keys beyond i: their scores are minus infinity and their
weights zero. A loop over keys may end at the last row of the tile that it is done for, if each step
beyond adds the identity of the reduction; in gradients, a loop over queries may begin at the first
key of its tile. The rules of `weightless` find out, for finite values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.rewrite import rewrite
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp


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

    def cut(self, id: int, count: int, made: Sequence[int], sizes: Mapping[int, Dim]) -> None:
        """Note that a range was cut in an outer and an inner one of `count`."""
        for parts in self._parts.values():
            for at, (part, step) in enumerate(parts):
                if part == id:
                    both = (made[0], step * count), (made[1], step)
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
    found: dict[UOp, int] = {}
    others: set[UOp] = set()
    for node in (n for n in ast.toposort() if n.op is Ops.REDUCE):
        *outer, inner = node.src[1:]
        alone = len(outer) == 1 and isinstance(inner.size, int)
        if alone and _adds_nothing(node, row, begin):
            found[outer[0]] = int(inner.size)
            others.add(inner)
        else:
            others.update(node.src[1:])
    return {block: size for block, size in found.items() if block not in others}


def backwards(ast: UOp, block: UOp) -> UOp:
    """`ast` with the rounds of a reduced range in the other order."""
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
    found = [n.src[1] for n in ending if n.src[1] not in others]
    readers: dict[UOp, list[UOp]] = {}
    for node in order:
        if node.op is Ops.INDEX and node.src[0].op is Ops.STAGE:
            readers.setdefault(node.src[0], []).extend(node.src[1:])
    for stage in reversed(order):
        fill = stage.src[1:] if stage.op is Ops.STAGE else ()
        if len(fill) == 1 and all(place in found for place in readers.get(stage, ())):
            found += fill
    return list(dict.fromkeys(found))


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
