"""From a graph of effects to a list: which loop each node stands in, and in which order.

A node stands in the innermost of the loops that it depends on, so what does not change in a loop
is computed before it, and a reduction that an inner loop does not feed runs once before that loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from rulewright.codegen.interleave import side_by_side
from rulewright.errors import StageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

_INLINE = Ops.group("Unlisted") | {Ops.AFTER, Ops.SINK, Ops.INVALID}
_LOCAL = Ops.group("Inner")


_AFTER = Ops.AFTER


@dataclass(eq=False)
class LoopBlock:
    """A loop, or the whole kernel (`axis` is None), with what stands directly in it."""

    axis: UOp | None
    parent: LoopBlock | None
    depth: int
    key: int  # position in the graph, which settles the order of what may come in any
    ends: list[UOp] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Item:
    """A node in a block; the RANGE of a loop stands for all of the loop."""

    key: int
    node: UOp
    home: LoopBlock
    needs: int = 0
    users: dict[Item, None] = field(default_factory=dict)


def linearize(sink: UOp, _target: Any = None) -> UOp:
    """The kernel as `LINEAR(uops in order)`. Raises StageError if loops need each other."""
    return UOp(Ops.LINEAR, dtypes.void, tuple(_Linearizer(sink).uops()), sink.arg)


class _Linearizer:
    def __init__(self, sink: UOp) -> None:
        self.nodes = side_by_side(sink.toposort())
        self.root = LoopBlock(None, None, 0, 0)
        self.blocks: dict[UOp, LoopBlock] = {}
        self.loops: dict[LoopBlock, Item] = {}
        self.find_loops()
        self.items: dict[UOp, Item] = {}
        self.place()
        self.connect()

    def find_loops(self) -> None:
        """Nest the loops: those that an END closes stand in the loop that the END stands in."""
        order = {node: i for i, node in enumerate(self.nodes)}
        for end in reversed(self.nodes):
            if end.op is not Ops.END:
                continue
            parent = self.home(end)
            for axis in end.src[1:]:
                block = self.blocks.get(axis)
                if block is None:
                    block = LoopBlock(axis, parent, parent.depth + 1, order[end])
                    self.blocks[axis] = block
                elif block.parent is not parent:
                    raise StageError(
                        f"linearize: loop r{axis.arg[0]} is closed inside of two different loops"
                    )
                block.key = min(block.key, order[end])
                parent = block
            self.blocks[end.src[-1]].ends.append(end)

    def home(self, node: UOp) -> LoopBlock:
        """The innermost loop that a node depends on."""
        best = self.root
        for axis in node.ranges:
            block = self.blocks.get(axis)
            if block is None:
                raise StageError(f"linearize: loop r{axis.arg[0]} is never closed by an END")
            if block.depth > best.depth:
                best = block
        return best

    def place(self) -> None:
        """Give every node that is written down, and every loop, its item."""
        for block in self.blocks.values():
            assert block.axis is not None and block.parent is not None
            self.loops[block] = item = Item(block.key, block.axis, block.parent)
            block.parent.items.append(item)
        homes: dict[tuple[UOp, ...], LoopBlock] = {}
        seldom = self.in_loops_of_none()
        for i, node in enumerate(self.nodes):
            if node.op in _INLINE or node.op is Ops.RANGE or node.op is Ops.END:
                continue
            if node.ranges not in homes:
                homes[node.ranges] = self.home(node)
            home = seldom.get(node, homes[node.ranges])
            self.items[node] = item = Item(i, node, home)
            home.items.append(item)

    def in_loops_of_none(self) -> dict[UOp, LoopBlock]:
        """Effects that stay in the loop that closes them, also if they are the same in each
        iteration, as there may be none."""
        ends = [node for node in self.nodes if node.op is Ops.END]
        return {
            end.src[0]: self.blocks[end.src[-1]]
            for end in ends
            if any(axis.src[0].vmin <= 0 for axis in end.src[1:])
        }

    def connect(self) -> None:
        """Let each item wait for those of its block that it, or what is in it, needs."""
        find = self.items.get
        for node, item in self.items.items():
            for source in _behind_afters(node.src):
                first = find(source)
                if first is not None and first.home is item.home:
                    _wait(item, first)
                else:
                    self.require(source, item, item.home)
        for load, store in self.overwritten():
            self.require(load, self.items[store], self.items[store].home)
        for block, item in self.loops.items():
            assert block.axis is not None and block.parent is not None
            for source in _behind_afters(block.axis.src[:1]):
                self.require(source, item, block.parent)

    def overwritten(self) -> Iterator[tuple[UOp, UOp]]:
        """In kernels that store in several memories, reads of memory as it was before the kernel
        and the stores of the same iteration into it: what one store overwrites, others may read."""
        stores: dict[tuple[UOp, LoopBlock], list[UOp]] = {}
        for node in self.items:
            if node.op is Ops.STORE and (memory := node.src[0].src[0].base).op is Ops.PARAM:
                stores.setdefault((memory, self.items[node].home), []).append(node)
        several = len({memory for memory, _ in stores}) > 1
        for node, item in self.items.items() if several else ():
            if node.op is Ops.LOAD and node.src[0].op is Ops.INDEX:
                for store in stores.get((node.src[0].src[0], item.home), ()):
                    yield node, store

    def require(self, source: UOp, user: Item, home: LoopBlock) -> None:
        """`source` is written before `user`, which stands in `home`."""
        if source.op is Ops.END:
            item = self.loops[self.blocks[source.src[1]]]
            block: LoopBlock | None = self.blocks[source.src[1]].parent
            _must_stand_outside(self.blocks[source.src[1]], home)
        elif source in self.items:
            item = self.items[source]
            block = item.home
        else:
            return
        assert block is not None
        first, second = self._in_one_block(item, block, user, home)
        if first is not second:
            _wait(second, first)

    def _in_one_block(
        self, a: Item, home_a: LoopBlock, b: Item, home_b: LoopBlock
    ) -> tuple[Item, Item]:
        """The two items, or the loops around them, that stand in the same block."""
        while home_a is not home_b:
            if home_a.depth >= home_b.depth:
                a = self.loops[home_a]
                assert home_a.parent is not None
                home_a = home_a.parent
            else:
                b = self.loops[home_b]
                assert home_b.parent is not None
                home_b = home_b.parent
        return a, b

    def uops(self) -> list[UOp]:
        """All nodes in order."""
        order = [n for n in self.items if n.op in _LOCAL]
        self.emit(self.root, order)
        return order

    def emit(self, block: LoopBlock, out: list[UOp]) -> None:
        """What stands in a block: the first in the graph of those that wait for nothing."""
        ready: list[tuple[int, int, Item]] = []
        for item in block.items:
            if item.needs == 0:
                heappush(ready, (item.key, len(ready), item))
        written = 0
        while ready:
            item = heappop(ready)[2]
            written += 1
            if item.node.op is Ops.RANGE:
                self.loop(self.blocks[item.node], out)
            elif item.node.op not in _LOCAL:
                out.append(item.node)
            for user in item.users:
                user.needs -= 1
                if user.needs == 0:
                    heappush(ready, (user.key, written, user))
        if written != len(block.items):
            waiting = [i.node for i in block.items if i.needs and i.node.op is Ops.RANGE]
            names = ", ".join(f"r{axis.arg[0]}" for axis in waiting)
            raise StageError(f"linearize: loops {names} need each other's results")
        block.items = []  # each knows its block: no cycle is left for the collector

    def loop(self, block: LoopBlock, out: list[UOp]) -> None:
        """A loop with its body."""
        assert block.axis is not None
        out.append(block.axis)
        self.emit(block, out)
        effect = next((n for n in reversed(out) if n.dtype is dtypes.void), block.axis)
        out.append(effect.end(block.axis))


def _wait(second: Item, first: Item) -> None:
    """One item comes after another of its block."""
    if second not in first.users:
        first.users[second] = None
        second.needs += 1


def _behind_afters(sources: tuple[UOp, ...]) -> Iterable[UOp]:
    """Nodes, and in the place of AFTERs what these come after."""
    for node in sources:
        if node.op is _AFTER:
            break
    else:
        return sources
    behind: dict[UOp, None] = {}
    stack = list(reversed(sources))
    while stack:
        node = stack.pop()
        if node in behind:
            continue
        behind[node] = None
        if node.op is Ops.AFTER:
            stack += node.src[::-1]
    return [node for node in behind if node.op is not Ops.AFTER]


def _must_stand_outside(loop: LoopBlock, home: LoopBlock | None) -> None:
    """Raises StageError if `home`, where the end of a loop is waited for, is in that loop."""
    while home is not None:
        if home is loop:
            assert loop.axis is not None
            raise StageError(
                f"linearize: loop r{loop.axis.arg[0]} needs its own end; "
                "what stands behind a loop needs a range of its own"
            )
        home = home.parent
