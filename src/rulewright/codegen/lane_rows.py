"""Rows between two products that tensor cores multiply, held by the lanes of a warp.

The scores of attention are the result of one product, and once they are weights an operand of the
next. Lanes hold them as the layouts of the tensor core say, and where what a lane has of a result
is what it needs of an operand (columns of the one are steps of the other), they never leave its
registers. A range of kind "warp" goes along small matrices so: the row, the columns of the first
product wherever they are filled, read or reduced, and those of the second, and what both sum.

Each range becomes a lane and the number of an element that it has. What is reduced along a row is
combined by each lane first, and then by those lanes that have the rest of its row, by shuffles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

from rulewright.codegen.cores import Product, TensorCore, matched
from rulewright.codegen.exchange import combined
from rulewright.codegen.kinds import FreshRanges, in_loop_order, kind
from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.lang.layouts import Layout

_LOOPED = Ops.group("Looped")


class LaneProduct(NamedTuple):
    """A product of which lanes have the results: its small matrices, and what each lane has of the
    rows and columns of the result; no range over rows where it has a single one."""

    core: TensorCore
    row: UOp
    column: UOp
    lane: UOp
    row_item: UOp | None
    column_item: UOp

    @property
    def items(self) -> list[UOp]:
        """What numbers the elements of a lane, outermost first."""
        own = {"m": self.row_item, "n": self.column_item}
        return [item for run in self.core.result.runs() if (item := own[run.axis]) is not None]


def passes_on(first: TensorCore, second: TensorCore) -> bool:
    """Whether what a lane has of results of the one is what it multiplies as rows of the other."""
    if first.shared or second.shared or first.lanes == 1:
        return False
    result, operand = first.result, second.layout(0)
    if (first.result, first.sizes[0]) != (second.result, second.sizes[0]):
        return False
    renamed = [tuple(("k" if x == "n" else x, step) for x, step in bits)
               for bits in (result.lane, result.item)]  # fmt: skip
    single = all(sum(run.axis == x for run in result.runs()) <= 1 for x in "mn")
    rest = set(operand.item) - set(renamed[1])
    beyond = all(x == "k" and step >= first.sizes[1] for x, step in rest)
    return single and renamed[0] == operand.lane and set(renamed[1]) <= set(operand.item) and beyond


def held_by_lanes(sink: UOp, target: Any) -> tuple[UOp, dict[UOp, LaneProduct]]:
    """The kernel with ranges of kind "warp" made lanes, and its products by the range that each
    reduces.

    Raises UsageError where such ranges are no rows between two products.
    """
    nodes = sink.toposort()
    if not any(n.op is Ops.RANGE and kind(n) == "warp" for n in nodes):
        return sink, {}
    walk = _Lanes(nodes, target)
    return walk.done[sink], walk.products


def rebuilt(node: UOp, src: Sequence[UOp]) -> UOp:
    """A node of other operands."""
    return node if (*src,) == node.src else UOp(node.op, node.dtype, (*src,), node.arg)


def _inlined(value: UOp) -> UOp:
    """An element of a row that is another one in another dtype, as that: each is read once."""
    if value.op is Ops.INDEX and value.src[0].op is Ops.STAGE:
        stage, *places = value.src
        if stage.src[0].op is Ops.CAST and any(kind(r) == "warp" for r in stage.src[1:]):
            return stage.src[0].substitute(dict(zip(stage.src[1:], places, strict=True)))
    return value


class _Lanes(FreshRanges):
    """The walk: `done` is what each node is in one lane."""

    def __init__(self, nodes: Sequence[UOp], target: Any) -> None:
        super().__init__(nodes)
        self.matches: dict[UOp, tuple[UOp, Product, TensorCore, UOp]] = {}
        rows = set()
        for node in (n for n in nodes if n.op is Ops.REDUCE):
            steps = [r for r in node.src[1:] if kind(r) == "warp"]
            if len(steps) == 1 and sum(kind(r) == "warp" for r in node.ranges) == 2:
                row, column, product, core = matched(node, steps[0], target, "warp")
                self.matches[node] = column, product, core, steps[0]
                rows.add(row)
        of = [core for _, _, core, _ in self.matches.values()]
        row = rows.pop() if len(rows) == 1 else None
        if len(of) != 2 or row is None or not passes_on(*of):
            self.refuse()
        self.row, self.layout = row, of[0].result
        self.lane = self.range(of[0].lanes, "lane")
        count = self.layout.elements("m").size
        self.row_item = self.range(count, "upcast") if count > 1 else None
        self.items: dict[UOp, UOp] = {}
        self.products: dict[UOp, LaneProduct] = {}
        self.done: dict[UOp, UOp] = {}
        stored = {r for n in nodes if n.op is Ops.END for r in n.src[1:]}
        kept = {r for n in nodes if n.op is Ops.STAGE for r in n.src[1:]}
        for r in (n for n in nodes if n.op is Ops.RANGE and kind(n) == "warp"):
            to = "vector" if r in stored else "upcast" if r in kept else "unroll"
            if r is not self.row:
                self.items[r] = self.range(self.layout.elements("n").size, to)
        for node in nodes:
            self.done[node] = self.build(node)

    def refuse(self) -> NoReturn:
        raise UsageError(
            "axis choices: warp: expected rows of two products that tensor cores multiply, the "
            "results of one being what the next multiplies"
        )

    def place(self, axis: str, item: UOp | None) -> UOp:
        """The row or column of an element of a lane."""
        bits = tuple(bit for bit in self.layout.item if bit[0] == axis)
        own = Layout(self.layout.lane, bits)
        place = own.place(axis, self.lane, UOp.index_const(0) if item is None else item)
        assert isinstance(place, UOp)
        return place

    def build(self, node: UOp) -> UOp:
        """What a node is in one lane, given what its operands are there."""
        if node is self.row:
            return self.place("m", self.row_item)
        if node in self.items:
            return self.place("n", self.items[node])
        if node in self.matches:
            return self.product(node)
        src = [self.done[s] for s in node.src]
        closed = [r for r in node.src[1:] if r in self.items or r is self.row]
        if node.op is Ops.INDEX and self.is_held(node.src[0]):
            src[1:] = self.digits(node.src[0], src[1:])
        elif closed and node.op in _LOOPED:
            pairs = zip(node.src[1:], src[1:], strict=True)
            src[1:] = [self.items.get(old, new) for old, new in pairs]
            if node.op is Ops.END:
                src[1:] = in_loop_order([r for r in src[1:] if r.op is Ops.RANGE] + self.own_rows())
            elif node.op is Ops.REDUCE:
                return self.across(rebuilt(node, src))
        return rebuilt(node, src)

    def own_rows(self) -> list[UOp]:
        """The ranges that go along rows: lanes, and what each has."""
        return [self.lane] if self.row_item is None else [self.lane, self.row_item]

    def is_held(self, stage: UOp) -> bool:
        """Whether lanes hold what a STAGE keeps."""
        return stage.op is Ops.STAGE and any(r in self.items for r in stage.src[1:])

    def digits(self, stage: UOp, places: Sequence[UOp]) -> list[UOp]:
        """Which of the elements that the lane has is at these places of a row."""
        run = self.layout.elements("n")
        each = [
            place // run.step % run.size if fill in self.items else place
            for fill, place in zip(stage.src[1:], places, strict=True)
        ]
        return [rewrite(place, "symbolic") for place in each]

    def across(self, own: UOp) -> UOp:
        """What the lanes that have the rest of a row have reduced too, combined in all of them."""
        bits = [1 << i for i, (axis, _) in enumerate(self.layout.lane) if axis == "n"]
        return combined(own.arg, own, self.lane, bits[::-1])

    def product(self, node: UOp) -> UOp:
        """A product whose operands are small matrices, for `cores` to read."""
        column, product, core, step = self.matches[node]
        ranges = {r: UOp.range(r.size, r.arg[0], "tc") for r in (self.row, column, step)}
        memo: dict[UOp, UOp] = {}
        sides = _inlined(product.left[core.of]), product.right[core.of]
        left, right = (self.operand(side, ranges, memo).cast(node.dtype) for side in sides)
        self.products[ranges[step]] = LaneProduct(
            core, ranges[self.row], ranges[column], self.lane, self.row_item, self.items[column]
        )
        return node.replace(src=(left * right, *(ranges.get(r, r) for r in node.src[1:])))

    def operand(self, value: UOp, ranges: dict[UOp, UOp], memo: dict[UOp, UOp]) -> UOp:
        """What is multiplied, of small matrices whose rows, columns and steps stay ranges."""
        for node in value.toposort():
            if node in memo:
                continue
            if node not in self.done:  # a row that is kept in a narrower dtype only here
                self.done[node] = self.build(node)
            src = [memo[s] for s in node.src]
            if node in ranges:
                memo[node] = ranges[node]
            elif node.op is Ops.REDUCE or self.is_held(node):
                memo[node] = self.done[node]
            else:
                if node.op is Ops.INDEX and self.is_held(node.src[0]):
                    src[1:] = self.digits(node.src[0], src[1:])
                memo[node] = rebuilt(node, src)
        return memo[value]
