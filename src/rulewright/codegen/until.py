"""Loops that end where nothing more is seen.

Causal attention hides from query i all keys beyond i: their scores are minus infinity and their
weights zero. A loop over keys may end at the last row of the tile that it is done for, if each step
beyond adds the identity of the reduction. The rules of `weightless` find out, for finite values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
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

    def add(self, ids: Iterable[int], row: int, highest: int) -> None:
        """Let loops end at a row, which is `highest` at most."""
        self._highest[row] = highest
        for id in ids:
            self._rows[id] = row
            self._parts[id] = [(id, 1)]
        self._parts[row] = [(row, 1)]

    def cut(self, id: int, count: int, made: Sequence[int], sizes: Mapping[int, Dim]) -> None:
        """Note that a range was cut in an outer and an inner one of `count`."""
        for parts in self._parts.values():
            for at, (part, step) in enumerate(parts):
                if part == id:
                    both = (made[0], step * count), (made[1], step)
                    parts[at : at + 1] = [cut for cut in both if sizes[cut[0]] != 1]
                    break

    def of(self, id: int) -> tuple[int, list[tuple[int, int]], int] | None:
        """For the outer part of such a loop: elements a step, the parts of the row with what a step
        of each counts, and the highest row. None for any other."""
        for loop, row in self._rows.items():
            if self.hold and self._parts[loop][:1] and self._parts[loop][0][0] == id:
                return self._parts[loop][0][1], self._parts[row], self._highest[row]
        return None


def ends_at(ast: UOp, row: UOp) -> list[UOp]:
    """The ranges whose steps beyond the number of a row compute nothing that counts.

    These are reduced ranges of which each step beyond adds nothing, and those over which a value is
    kept that only such steps read.
    """
    order = ast.toposort()
    found = [n.src[1] for n in order if n.op is Ops.REDUCE and _adds_nothing(n, row)]
    readers: dict[UOp, list[UOp]] = {}
    for node in order:
        if node.op is Ops.INDEX and node.src[0].op is Ops.STAGE:
            readers.setdefault(node.src[0], []).extend(node.src[1:])
    for stage in reversed(order):
        fill = stage.src[1:] if stage.op is Ops.STAGE else ()
        if len(fill) == 1 and all(place in found for place in readers.get(stage, ())):
            found += fill
    return list(dict.fromkeys(found))


def _adds_nothing(node: UOp, row: UOp) -> bool:
    """Whether each step of a reduction beyond the number of a row adds the identity."""
    if len(node.src) != 2 or row not in node.src[0].ranges:
        return False
    axis, value = node.src[1], _unstaged(node.src[0])
    beyond = UOp(Ops.CMPLT, dtypes.bool, (row, axis))
    if beyond not in value.toposort():
        return False
    hidden = value.substitute({beyond: UOp.const(beyond.dtype, True)})
    left = rewrite(hidden, "weightless")
    return left.op is Ops.CONST and left.arg == node.arg.identity(node.dtype)


def _unstaged(value: UOp) -> UOp:
    """A value with what it reads of kept rows computed where it is read."""
    done: dict[UOp, UOp] = {}
    for node in value.toposort():
        new = node.replace(src=tuple([done[s] for s in node.src]))
        if new.op is Ops.INDEX and new.src[0].op is Ops.STAGE:
            stage = new.src[0]
            new = stage.src[0].substitute(dict(zip(stage.src[1:], new.src[1:], strict=True)))
        done[node] = new
    return done[value]
