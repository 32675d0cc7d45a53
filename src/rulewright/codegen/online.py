"""Weights of a row that are summed a block at a time: softmax without the whole row.

A softmax needs the largest value of a row before it can weigh any. Cut in blocks, each block is
weighed by its own largest value, and sums of blocks are put together by weights of their own:

    sum exp(x - c) y  =  exp(top - c) sum_b exp(top_b - top) sum_i exp(x_bi - top_b) y_bi

where top_b is the largest x of block b (or the finite number next to it), top the largest of those,
and c does not depend on the row. `accumulators` does the sum over blocks in one loop, in which what
was added up so far is scaled whenever the largest value grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from rulewright.errors import UsageError
from rulewright.ir.dtype_info import finfo
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp


def online(sink: UOp, first: UOp, count: int, ids: Sequence[int]) -> UOp:
    """`sink` with the row that is reduced along `first` cut in blocks of `count`, which a range
    of the first of these ids goes over; the others are for what the row's loops become: one each
    for a block, then, where blocks leave a rest, one each for that. Without these the last block
    goes beyond the end of the row, where nothing is read and nothing weighs anything.

    Raises UsageError if what is summed along the row is not in proportion to its weights.
    """
    axes, size = row_ranges(sink, first), int(first.size)
    beyond = len(ids) == 1 + len(axes) and size % count > 0
    block = UOp.range(size // count + beyond, ids[0], "reduce")
    of_block = [UOp.range(count, id, a.arg[1]) for a, id in zip(axes, ids[1:], strict=False)]
    rest = [
        UOp.range(size % count, id, a.arg[1])
        for a, id in zip(axes, ids[len(axes) + 1 :], strict=False)
    ]
    parts = [_Part(dict(zip(axes, of_block, strict=True)), block * count)]
    if rest:
        parts.append(
            _Part(dict(zip(axes, rest, strict=True)), UOp.index_const(size - size % count))
        )
    return _Online(sink, block, parts, size if beyond else None).result


def range_count(sink: UOp, first: UOp, count: int, beyond: bool = False) -> int:
    """How many ranges `online` makes, if its last block may go beyond the end of the row or not."""
    return 1 + len(row_ranges(sink, first)) * (2 if int(first.size) % count and not beyond else 1)


def row_ranges(sink: UOp, first: UOp) -> list[UOp]:
    """The ranges that go along the same row as a reduced one, by their ids, itself among them: of
    copies and what reads them there, of weights and of the largest value that they are made with.
    """
    order = sink.toposort()
    pairs: list[tuple[UOp, UOp]] = []
    for node in order:
        if node.op is Ops.INDEX and node.src[0].op is Ops.STAGE:
            pairs += zip(node.src[1:], node.src[0].src[1:], strict=True)
        elif node.op is Ops.EXP and node.src[0].op is Ops.SUB:
            pairs += _tops(*node.src[0].src).values()
    along_row, before = {first}, 0
    while len(along_row) > before:
        before = len(along_row)
        along_row.update(r for pair in pairs if not along_row.isdisjoint(pair) for r in pair)
    return sorted((r for r in along_row if r.op is Ops.RANGE), key=lambda r: r.arg[0])


def _tops(x: UOp, c: UOp) -> dict[UOp, tuple[UOp, UOp]]:
    """The largest values of x, or of x as wider floats, along a range of it that c is computed
    from: which range of x, and which one it is reduced along."""
    tops = {}
    for node in c.toposort():
        if node.op is Ops.REDUCE and node.arg is Ops.MAX and len(node.src) == 2:
            value, along = node.src
            as_exact = node.dtype.is_float and node.dtype.bits >= x.dtype.bits
            for axis in x.ranges if as_exact else ():
                if axis not in c.ranges and x.substitute({axis: along}).cast(node.dtype) is value:
                    tops[node] = axis, along
    return tops


def can_be_online(sink: UOp, first: UOp) -> bool:
    """Whether `online` can be chosen for a reduced range."""
    try:
        online(sink, first, 1, range(-1, -1 - range_count(sink, first, 1), -1))
    except UsageError:
        return False
    return True


class FoldedSum(NamedTuple):
    """A sum over blocks: exp(x - top) times a value, where top is the largest x of all blocks."""

    x: UOp
    top: UOp
    value: UOp


def fold_of(node: UOp) -> FoldedSum | None:
    """What a reduction sums if it has the form that `online` makes; None for any other."""
    if node.op is not Ops.REDUCE or node.arg is not Ops.ADD or node.src[0].op is not Ops.MUL:
        return None
    weight, value = node.src[0].src
    if weight.op is not Ops.EXP or weight.src[0].op is not Ops.SUB:
        return None
    x, top = weight.src[0].src
    wanted = x.reduce(Ops.MAX, *node.src[1:])
    return FoldedSum(x, top, value) if top is wanted else None


class _Weights(NamedTuple):
    """What a value is in proportion to: the exp(x - c) of a row, and what a sum of it is still to
    be multiplied with or divided by."""

    power: UOp
    rest: tuple[tuple[Op, UOp], ...] = ()


class _Part(NamedTuple):
    """A part of the row: what its loops become, and the number of its first element."""

    loops: dict[UOp, UOp]
    first: UOp


class _Online:
    """The walk: `done` is what nodes become in each part of the row; outside of it both are one.
    What stands `behind` needs the whole row before. Of the last block some elements are beyond the
    `end`, if there is one."""

    def __init__(self, sink: UOp, block: UOp, parts: list[_Part], end: int | None) -> None:
        self.block, self.parts, self.axes = block, parts, parts[0].loops.keys()
        self.end = end
        self.tops: dict[UOp, list[UOp]] = {}  # the largest value of a row -> that of each part
        self.weights: dict[UOp, _Weights] = {}
        self.behind: set[UOp] = set()
        self.done: dict[UOp, list[UOp]] = {}
        for node in sink.toposort():
            self.done[node] = self.build(node)
        if not self.weights:
            raise self.refused("nothing is weighed along it")
        self.result = self.done[sink][0]

    def refused(self, why: str) -> UsageError:
        ids = ", ".join(f"r{axis.arg[0]}" for axis in self.axes)
        return UsageError(f"axis choices: a row along {ids} cannot be done in blocks: {why}")

    def in_row(self, node: UOp) -> bool:
        """Whether a value goes along the row."""
        return not self.axes.isdisjoint(node.ranges)

    def build(self, node: UOp) -> list[UOp]:
        """What a node becomes, given what its operands became."""
        if node in self.axes:
            return [part.first + part.loops[node] for part in self.parts]
        along = not self.axes.isdisjoint(node.src[1:])
        if along and node.op is Ops.REDUCE:
            return [self.reduced(node)] * len(self.parts)
        if along and node.op is Ops.END:
            raise self.refused("something else is stored along it")
        if node.op is Ops.EXP and self.is_weight(node):
            self.weights[node] = _Weights(node)
            return [self.power(node, number) for number in range(len(self.parts))]
        if any(s in self.weights for s in node.src):
            kept = self.in_proportion(node)
            if kept is not None:
                return self.done[kept]
        if any(s in self.behind for s in node.src):
            self.behind.add(node)
        return [self.copied(node, number) for number in range(len(self.parts))]

    def copied(self, node: UOp, number: int) -> UOp:
        """A node of what its operands became in a part of the row."""
        src = [self.done[s][number] for s in node.src]
        if src and Ops.STAGE in (node.op, node.src[0].op):
            loops = self.parts[number].loops
            src[1:] = [loops.get(s, new) for s, new in zip(node.src[1:], src[1:], strict=True)]
        elif node.op is Ops.INDEX:
            src[1] = self.where_inside(node, src[1], UOp(Ops.INVALID, src[1].dtype))
        return node if (*src,) == node.src else UOp(node.op, node.dtype, (*src,), node.arg)

    def where_inside(self, node: UOp, value: UOp, other: UOp) -> UOp:
        """What a node along the row became, another value where that is beyond the end."""
        if self.end is not None:
            for axis in (r for r in node.ranges if r in self.axes):
                value = (self.done[axis][0] < UOp.index_const(self.end)).where(value, other)
        return value

    def reduced(self, node: UOp) -> UOp:
        """A reduction of the row: one of each block, one of what these give, and of the rest."""
        self.behind.add(node)
        if len(node.src) != 2 or node.src[0] in self.behind:
            raise self.refused("a reduction goes along more, or needs the whole row before")
        [operand, along], weights = node.src, self.weights.get(node.src[0])
        values = self.done[operand]
        if weights is None or not _is_of_read(operand):
            identity = UOp.const(node.dtype, node.arg.identity(node.dtype))
            values = [self.where_inside(operand, value, identity) for value in values]
        pairs = zip(values, self.parts, strict=True)
        parts = [value.reduce(node.arg, part.loops[along]) for value, part in pairs]
        if weights is not None:
            return self.summed(node, parts, weights)
        if node.arg is Ops.MAX:
            self.tops[node] = parts
        result = parts[0].reduce(node.arg, self.block)
        return result.alu(node.arg, parts[1]) if len(parts) > 1 else result

    def summed(self, node: UOp, parts: list[UOp], weights: _Weights) -> UOp:
        """A sum of weights, given that of a block and that of the rest."""
        if node.arg is not Ops.ADD:
            raise self.refused("weights are not summed")
        kind, shift = node.dtype, weights.power.src[0].src[1]
        if kind.bits < weights.power.dtype.bits:
            raise self.refused(f"it is weighed in {shift.dtype.name} and summed in {kind.name}")
        less = self.done[shift][0].cast(kind)
        tops = [self.top(weights.power, number).cast(kind) for number in range(len(parts))]
        whole = tops[0].reduce(Ops.MAX, self.block)
        result = ((tops[0] - whole).alu(Ops.EXP) * parts[0]).reduce(Ops.ADD, self.block)
        result = (whole - less).alu(Ops.EXP) * result
        if len(parts) > 1:
            result = result + (tops[1] - less).alu(Ops.EXP) * parts[1]
        for op, other in weights.rest:
            result = result.alu(op, self.done[other][0])
        return result

    def is_weight(self, node: UOp) -> bool:
        """Whether an exponential is exp(x - c) of the row, with c computed from its largest x."""
        shifted = node.src[0]
        if shifted.op is not Ops.SUB or not self.in_row(shifted.src[0]):
            return False
        x, c = shifted.src
        return not self.in_row(c) and x not in self.behind and self.row_top(node) is not None

    def power(self, node: UOp, number: int) -> UOp:
        """A weight of a part of the row, relative to that part's own largest value."""
        x, lowest = node.src[0].src[0], UOp.const(node.dtype, -inf)
        x = self.where_inside(x, self.done[x][number], lowest)
        return (x - self.top(node, number)).alu(Ops.EXP)

    def row_top(self, power: UOp) -> UOp | None:
        """The largest value of the row that is weighed, if c is computed from it."""
        tops = _tops(*power.src[0].src).items()
        return next((n for n, pair in tops if n in self.tops and pair[0] in self.axes), None)

    def top(self, power: UOp, number: int) -> UOp:
        """What the weights of a part are relative to: never an infinity."""
        row = self.row_top(power)
        assert row is not None, "weights have one"
        limits = finfo(power.dtype)
        lowest, highest = (UOp.const(power.dtype, limit) for limit in (limits.min, limits.max))
        top = self.tops[row][number].cast(power.dtype)
        return top.alu(Ops.MAX, lowest).alu(Ops.MIN, highest)

    def in_proportion(self, node: UOp) -> UOp | None:
        """Note that a node is in proportion to weights; gives its operand that is, if that stands
        for it, and its other one waits for the sum."""
        if node.op is Ops.STORE:
            raise self.refused("something is stored along it")
        of = [s for s in node.src if s in self.weights]
        others = [s for s in node.src if s not in self.weights]
        known = len(of) == 1 and node.op in _LINEAR and (node.src[0] is of[0] or node.op is Ops.MUL)
        known = known and node.dtype.is_float
        if node.op is Ops.WHERE and len(of) == 1 and of[0] is not node.src[0]:
            known = all(s is node.src[0] or (s.op is Ops.CONST and s.arg == 0) for s in others)
        if not known:
            raise self.refused("what is summed is not in proportion to its weights")
        weights = self.weights[of[0]]
        late = [s for s in others if s in self.behind]
        if not late:
            self.weights[node] = weights
            return None
        if node.op not in (Ops.MUL, Ops.FDIV) or self.in_row(late[0]):
            raise self.refused("a sum needs the whole row before")
        self.weights[node] = _Weights(weights.power, (*weights.rest, (node.op, late[0])))
        return of[0]


_LINEAR = Ops.group("Scaling") | {Ops.INDEX, Ops.STAGE}
"""Ops whose result is in proportion to the first operand; to either one of a MUL."""


def _is_of_read(node: UOp) -> bool:
    """Whether a value in proportion to weights is 0 where they are and nothing is read: it is one,
    or one times an element."""
    node = node.past({Ops.CAST})
    if node.op is not Ops.MUL:
        return node.op is Ops.INDEX
    return all(map(_is_of_read, node.src))
