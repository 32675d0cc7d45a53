"""Loops of a graph: REDUCE, STAGE and END. Huge products of ranges are taken in pieces."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from rulewright.interp.scope import Scope
from rulewright.interp.shadow import lift
from rulewright.interp.storage import storage_for
from rulewright.interp.stores import chain, shared
from rulewright.interp.values import Value, full, leading_to_end
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    from rulewright.interp.evaluator import Evaluator

SCOPED = Ops.group("Looped") | {Ops.LINEAR}
"""Ops that evaluate their operands themselves, perhaps several times."""

LIMIT = 1 << 24
"""Elements that an intermediate array may have before loops are cut into pieces."""

Bounds = dict[UOp, tuple[int, int]]


@contextmanager
def scope(evaluator: Evaluator, bounds: Bounds, sequential: bool = False) -> Iterator[None]:
    """Bind loop variables to a part of their range."""
    outer = evaluator.scope
    evaluator.scope = Scope(outer, bounds)
    if sequential:
        evaluator.scope.sequential = frozenset(bounds)
    try:
        yield
    finally:
        evaluator.scope = outer


def _anew(evaluator: Evaluator, ranges: Sequence[UOp]) -> AbstractContextManager[None]:
    """Let `ranges` take all their values again, if a loop around this binds some of them."""
    scope_now = evaluator.scope
    bound = False
    while scope_now.parent is not None:
        bound = bound or any(r in scope_now.bounds for r in ranges)
        scope_now = scope_now.parent
    return scope(evaluator, {r: (0, evaluator.size(r)) for r in ranges}) if bound else nullcontext()


def _open(ranges: Sequence[UOp]) -> list[UOp]:
    return [r for r in ranges if "Counter" in r.op.groups]


def _peak(evaluator: Evaluator, body: UOp) -> int:
    """Elements of the largest array that evaluating `body` makes."""
    together = evaluator.open.get(body)
    if together is None:
        together = evaluator.open[body] = frozenset([n.ranges for n in body.toposort()])
    return max([1, *(math.prod(_most(evaluator, r) for r in ranges) for ranges in together)])


def _most(evaluator: Evaluator, loop: UOp) -> int:
    """Values of a loop variable, at most where its end varies with another."""
    varies = loop.op is Ops.RANGE and loop.src[0].ranges
    return max(0, int(loop.vmax) + 1) if varies else evaluator.extent(loop)


def pieces(evaluator: Evaluator, body: UOp, ranges: Sequence[UOp]) -> Iterator[Bounds]:
    """Parts of `ranges` small enough for `body` to be evaluated at once; {} means all of them."""
    peak = 1 if evaluator.small else _peak(evaluator, body)
    yield from cut(evaluator, list(ranges), peak)


def cut(evaluator: Evaluator, ranges: list[UOp], peak: int) -> Iterator[Bounds]:
    """Parts of `ranges` with which an array of `peak` elements stays below LIMIT."""
    while ranges and evaluator.extent(ranges[0]) == 1:
        ranges = ranges[1:]
    if peak <= LIMIT or not ranges:
        yield {}
        return
    first, rest = ranges[0], ranges[1:]
    low, high = evaluator.bounds(first)
    step = max(1, (high - low) * LIMIT // peak)
    for begin in range(low, high, step):
        end = min(high, begin + step)
        inner = peak * (end - begin) // (high - low)
        for bounds in cut(evaluator, rest, inner):
            yield {first: (begin, end), **bounds}


def _axes_in_full(evaluator: Evaluator, value: Value, ranges: Sequence[UOp]) -> Value:
    for loop in ranges:
        evaluator.axes.add(loop)
    axes = evaluator.axes.sort({*value.axes, *ranges})
    sizes = dict(zip(value.axes, value.data.shape, strict=False))
    return full(value, axes, [sizes.get(a) or evaluator.extent(a) for a in axes])


def reduce(evaluator: Evaluator, node: UOp) -> Value:
    """REDUCE over loop variables."""
    source, ranges = node.src[0], _open(node.src[1:])
    if not ranges:
        return evaluator.value(source)
    partial: list[Value] = []
    with _anew(evaluator, ranges):
        for bounds in pieces(evaluator, source, ranges):
            if not bounds:
                return _reduce(evaluator, node.arg, source, ranges)
            with scope(evaluator, bounds):
                partial.append(_reduce(evaluator, node.arg, source, ranges))
    length = max(len(p.parts) for p in partial)
    rows = [lift(p.parts) if length == 3 else p.parts for p in partial]
    stacked = Value(tuple(np.stack(part) for part in zip(*rows, strict=True)))
    total = evaluator.reduced(node.arg, source, stacked, (0,))
    return Value(tuple(p[0] for p in total.parts), partial[0].axes, partial[0].lanes)


def _reduce(evaluator: Evaluator, op: Op, source: UOp, ranges: Sequence[UOp]) -> Value:
    value = _axes_in_full(evaluator, evaluator.value(source), ranges)
    at = tuple(value.axes.index(r) for r in ranges)
    kept = tuple(a for a in value.axes if a not in ranges)
    flat = Value(value.parts, (), value.lanes)
    total = evaluator.reduced(op, source, flat, at)
    return Value(tuple(np.squeeze(p, at) for p in total.parts), kept, value.lanes)


def stage(evaluator: Evaluator, node: UOp) -> Value:
    """A value for all values of its ranges, which become axes of its shape.

    A range that has been found to take one value only, and is no RANGE any more, is an axis of 1.
    """
    source, ranges = node.src[0], _open(node.src[1:])
    staged: list[Value] = []
    # only the first range is cut, so that the pieces join along one axis
    with _anew(evaluator, ranges):
        for bounds in pieces(evaluator, source, ranges[:1]):
            with scope(evaluator, bounds):
                value = _axes_in_full(evaluator, evaluator.value(source), ranges)
                staged.append(leading_to_end(value, ranges))
    value = staged[0] if len(staged) == 1 else _joined(staged)
    closed = [len(value.axes) + i for i, r in enumerate(node.src[1:]) if r not in ranges]
    return value.each(lambda part: np.expand_dims(part, closed)) if closed else value


def _joined(values: Sequence[Value]) -> Value:
    """Pieces of a staged value along the first axis of their shape."""
    at = len(values[0].axes)
    length = max(len(v.parts) for v in values)
    rows = [lift(v.parts) if length == 3 else v.parts for v in values]
    parts = tuple(np.concatenate(p, axis=at) for p in zip(*rows, strict=True))
    return Value(parts, values[0].axes, values[0].lanes)


def end(evaluator: Evaluator, node: UOp) -> Any:
    """An effect for all values of loop variables; the writes of all iterations in order, those of
    effects before it in the same iterations too.

    Effects that stand beside it in the same iterations happen with it.
    """
    ranges = _open(node.src[1:])
    carried = _carried(node.src[0])
    ordered = [r for r in ranges if r in carried]
    group = evaluator.beside.get(node, (node,)) if ordered else (node,)
    others = [r for r in ranges if r not in ordered]
    for loop in others:
        evaluator.scope.start(loop, len(evaluator.log))
    writes: dict[UOp, list[Any]] = {n: [] for n in group}
    for without in _iterations(evaluator, ordered):
        for n in group:
            begun = len(evaluator.log)
            _parallel(evaluator, n.src[0], others, without)
            writes[n] += evaluator.log[begun:]
    for n in group:
        evaluator.ends[n] = len(evaluator.log)
        if n is not node:
            evaluator.scope_of(n).memo[n] = writes[n]
    return writes[node]


def _iterations(evaluator: Evaluator, ordered: Sequence[UOp]) -> Iterator[Sequence[UOp]]:
    """The iterations of loops, one inside the other; each answers anew what hangs on it. Where a
    loop has none there is one without it and those inside of it, which are given.

    Without loops inside, later iterations do so in the order that the first one has found.
    """
    if not ordered:
        yield ()
        return
    loop, inner = ordered[0], ordered[1:]
    numbers = range(*evaluator.bounds(loop))
    if not numbers:
        yield ordered
    with scope(evaluator, {loop: (0, 0)}, sequential=True):
        here = evaluator.scope
        for number in numbers:
            here.bounds[loop] = number, number + 1
            here.begun = len(evaluator.log)
            order, here.memo = here.memo, {}
            if evaluator.small and not any(type(n) is tuple or n.op in SCOPED for n in order):
                evaluator.evaluate_again(order)
            yield from _iterations(evaluator, inner)


def deciding_groups(nodes: Sequence[UOp]) -> list[UOp]:
    """The positions in a launch grid that decide how long a loop is: each takes one value at a
    time."""
    sizes = UOp.sink(*(n.src[0] for n in nodes if n.op is Ops.RANGE))
    return [n for n in sizes.toposort() if n.op is Ops.SPECIAL and not shared(n)]


def each_group(evaluator: Evaluator, root: UOp, groups: Sequence[UOp]) -> None:
    """Evaluate a whole kernel for one workgroup after the other, each with memory of its own."""
    memories = [n for n in root.toposort() if "Inner" in n.op.groups]
    for numbers in product(*(range(evaluator.size(axis)) for axis in groups)):
        evaluator.storages = {node: storage_for(node) for node in memories}
        bounds = {axis: (i, i + 1) for axis, i in zip(groups, numbers, strict=True)}
        evaluator.scope = Scope(None, bounds)
        evaluator.scope.sequential = frozenset(groups)
        evaluator.value(root)


def beside_each_other(nodes: Sequence[UOp]) -> dict[UOp, tuple[UOp, ...]]:
    """Of ENDs that close the same loops in the same loops, those that do not need each other.

    A kernel does them in one loop, so one walk does for all: parts of one accumulator among them.
    """
    alike: dict[Any, list[UOp]] = {}
    for node in nodes:
        stores = node.op is Ops.END and node.src[0].op is Ops.STORE
        if stores and (carried := _carried(node.src[0])):
            key = (node.src[1:], node.ranges, frozenset(carried & set(node.src[1:])))
            alike.setdefault(key, []).append(node)
    groups: dict[UOp, tuple[UOp, ...]] = {}
    for group in (g for g in alike.values() if len(g) > 1):
        members = set(group)
        if all(members.isdisjoint(n.src[0].toposort()) for n in group):
            groups.update(dict.fromkeys(group, tuple(group)))
    return groups


def _parallel(evaluator: Evaluator, body: UOp, ranges: list[UOp], without: Sequence[UOp]) -> None:
    """An effect in all iterations of `ranges`; of those without iterations, as of the loops that it
    is `without`, only what stands before them."""
    empty = {*without, *(r for r in ranges if evaluator.extent(r) == 0)}
    if empty:
        around, own = set(body.ranges) - empty, [body]
        while own[-1].op is Ops.END:  # which closes loops within
            own.append(own[-1].src[0])
        for effect in body.toposort():
            before = effect.dtype.kind == "Void" and effect not in own
            if before and around.issuperset(effect.ranges):
                evaluator.value(effect)
        return
    for bounds in pieces(evaluator, body, ranges):
        if not bounds:  # registers keep a copy an iteration: another END may close the same loops
            evaluator.value(body)
            return
        with scope(evaluator, bounds):
            evaluator.value(body)
        for storage in evaluator.storages.values():
            for loop in ranges:
                storage.drop(loop)


def _carried(body: UOp) -> set[UOp]:
    """The loop variables whose iterations pass something on in memory.

    AFTER(memory, effects, range) is the memory inside a loop: if an effect stands outside that
    loop, the first iteration finds what the effect wrote, each later one what the last one left.
    So it does without effects, in memory that is written inside, if nothing else says so of one of
    its loops.
    """
    loops: set[UOp] = set()
    own: list[set[UOp]] = []
    order = body.toposort()
    stored = {chain(n.src[0])[-1] for n in order if n.op is Ops.STORE}
    for node in order:
        if node.op is Ops.RANGE:
            loops.update(node.src[0].ranges)  # an inner loop that each iteration gives another end
        if node.op is not Ops.AFTER:
            continue
        below = chain(node)
        effects = [e for after in below for e in after.src[1:] if e.dtype.kind == "Void"]
        around = {loop for loop in node.src[1:] if loop.op is Ops.RANGE}
        loops.update(loop for loop in around if any(loop not in e.ranges for e in effects))
        if not effects and below[-1] in stored and "Outer" in below[-1].op.groups:
            own.append(around)
    return loops.union(*(around for around in own if loops.isdisjoint(around)))


class Pieces:
    """An elementwise node too large to be held, reduced slice by slice along one kept axis."""

    def __init__(self, evaluator: Evaluator, source: UOp, shape: Sequence[int], cut: int) -> None:
        self.evaluator, self.source, self.shape, self.cut = evaluator, source, shape, cut

    def reduced(self, op: Op, axes: tuple[int, ...]) -> Value:
        """The node with `axes` reduced to size 1."""
        size = self.shape[self.cut]
        step = max(1, size * LIMIT // math.prod(self.shape))
        rows: list[tuple[Any, ...]] = []
        for begin in range(0, size, step):
            operands = [self._slice(s, begin, begin + step) for s in self.source.src]
            value = Value(self.evaluator.on_parts(self.source, operands))
            rows.append(self.evaluator.reduced(op, self.source, value, axes).parts)
        return Value(tuple(np.concatenate(p, axis=self.cut) for p in zip(*rows, strict=True)))

    def _slice(self, operand: UOp, begin: int, end: int) -> tuple[Any, ...]:
        parts = self.evaluator.known(operand).parts
        if parts[0].ndim == 0:
            return parts
        at = (slice(None),) * self.cut + (slice(begin, end),)
        return tuple(p[at] for p in parts)


def large_operands(evaluator: Evaluator, source: UOp, axes: Sequence[int]) -> Pieces | None:
    """How to reduce the elementwise `source` in pieces; None if it is small enough as it is."""
    values = [evaluator.known(s) for s in source.src]
    if any(v.axes or v.lanes for v in values) or evaluator.may_be_invalid.intersection(source.src):
        return None
    shape = np.broadcast_shapes(*(v.data.shape for v in values))
    kept = [i for i, n in enumerate(shape) if i not in axes and n > 1]
    if math.prod(shape) <= LIMIT or not kept:
        return None
    return Pieces(evaluator, source, shape, kept[0])
