"""What the left side of a rule allows its result to be.

By `reassoc`: how far the results of a sum or product lie apart, in whatever order. With k
operations on the left side, and S its value with all terms made positive, each order gives a result
within k roundings of S from the number that it stands for (N. Higham, Accuracy and Stability of
Numerical Algorithms, ch. 3), besides what the terms themselves may be wrong by. Where S is beyond
the largest number an order may overflow, and nothing is promised. An infinity or a NaN that was
read stays what it is.

And results that an op leaves open, as graphs: which zero MAX gives, or a sum of nothing but -0.0,
how often MULACC rounds. A rule is right if every result of the right side is one that the left side
may give. A node that stands on both sides has one result in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import prod
from typing import Any, NamedTuple, cast

import numpy as np

from rulewright.interp.shadow import Shadowed, largest, unit
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

Array = np.ndarray[Any, Any]

_SUMS = (Ops.ADD, Ops.SUB)
_PARTS = (*_SUMS, Ops.MUL, Ops.MULACC, Ops.NEG, Ops.CAST, Ops.WHERE)
_SUMMING = (*_SUMS, Ops.MULACC)  # of which more terms come, where there are many sums
_ROUNDINGS = {Ops.ADD: 1, Ops.SUB: 1, Ops.MUL: 1, Ops.CAST: 1, Ops.MULACC: 2}


class Size(NamedTuple):
    """A value with all terms positive; the same if terms are as large as they may be, and at least
    one. Of terms that are no finite numbers: 0."""

    known: Array
    most: Array
    magnified: Array

    def __add__(self, other: Size) -> Size:  # type: ignore[override]  # not a tuple's
        return Size(*(a + b for a, b in zip(self, other, strict=True)))

    def __mul__(self, other: Size) -> Size:  # type: ignore[override]  # not a tuple's
        return Size(*(a * b for a, b in zip(self, other, strict=True)))


def room(before: UOp, run: Callable[..., Shadowed], sums: bool = False) -> Array:
    """How far from the number that it stands for a result may lie; infinite where nothing is sure.

    `run` gives the value of a part of the graph, in shadow mode. With `sums` it is asked for what
    REDUCE and REDUCE_AXIS go over, too: `run(node, *loops)` has an axis for each of these loops
    before all others.
    """
    kind = before.dtype.scalar
    relative, absolute = unit(kind)
    with np.errstate(all="ignore"):
        sizes = _Sizes(run, sums)
        size = sizes.of(before)
        errors = size.most - size.known
        rounded = (sizes.count + 1) * (relative * size.most + absolute * size.magnified)
        allowed = errors + 1.01 * rounded  # of higher orders; one more for a folded constant
        return np.where(size.most + allowed > largest(kind), np.inf, allowed)


def _is_inner(node: UOp) -> bool:
    """Whether a node is a part of the sum rather than one of its terms."""
    floats = all(s.dtype.is_float or s.dtype.is_bool for s in node.src)
    return node.dtype.is_float and node.op in _PARTS and floats and node.src[-1].dtype.is_float


class _Sizes:
    """The sizes of a graph's nodes; `count` is how many roundings there are on the way to one."""

    def __init__(self, run: Callable[..., Shadowed], sums: bool) -> None:
        self.run, self.sums, self.count = run, sums, 0
        self.known: dict[tuple[UOp, ...], Size] = {}

    def of(self, node: UOp, loops: tuple[UOp, ...] = (), times: int = 1) -> Size:
        """The size of a node in some loops, where so many of it are added up."""
        key = (node, *loops)
        if key not in self.known:
            self.known[key] = self._of(node, loops, times)
        return self.known[key]

    def _of(self, node: UOp, loops: tuple[UOp, ...], times: int) -> Size:
        if self.sums and node.dtype.is_float and _combine(node) in (Ops.ADD, Ops.MUL):
            return self._of_many(node, loops, times)
        if not _is_inner(node):
            _, shadow, error = self.run(node, *loops)
            known = np.where(np.isfinite(shadow), np.abs(shadow), 0.0)
            return Size(known, known + error, np.maximum(known + error, 1.0))
        self.count += _ROUNDINGS.get(node.op, 0) * (times if node.op in _SUMMING else 1)
        if node.op is Ops.WHERE:
            holds = self.run(node.src[0], *loops).exact
            yes, no = (self.of(s, loops, times) for s in node.src[1:])
            return Size(*(np.where(holds, a, b) for a, b in zip(yes, no, strict=True)))
        parts = [self.of(s, loops, times) for s in node.src]
        if node.op in _SUMS:
            return parts[0] + parts[1]
        if node.op in (Ops.MUL, Ops.MULACC):
            size = parts[0] * parts[1]
            return size + parts[2] if node.op is Ops.MULACC else size
        return parts[0]

    def _of_many(self, node: UOp, loops: tuple[UOp, ...], times: int) -> Size:
        """Of what is added or multiplied: all of it, along the axes that are gone then."""
        body = node.src[0]
        if node.op is Ops.REDUCE:
            inner = node.src[1:]
            shape = self.run(body, *inner, *loops).exact.shape
            axes = tuple(range(len(inner)))
        else:
            inner, shape = (), self.run(body, *loops).exact.shape
            axes = tuple(len(shape) - len(body.shape or ()) + axis for axis in node.arg[1])
        count = prod(shape[axis] for axis in axes)
        self.count += times * count
        one = self.of(body, (*inner, *loops), times * count)
        whole = [np.broadcast_to(part, shape) for part in one]
        fold = np.sum if _combine(node) is Ops.ADD else np.prod
        return Size(*(fold(part, axis=axes, keepdims=not inner) for part in whole))


Choice = Callable[[UOp], UOp]

MOST_OPEN = 4
"""Of so many nodes all results are tried."""


def _first(node: UOp) -> UOp:
    a, b = node.src
    return a.alu(Ops.CMPEQ, b).where(a, node)


def _second(node: UOp) -> UOp:
    a, b = node.src
    return a.alu(Ops.CMPEQ, b).where(b, node)


def _twice(node: UOp) -> UOp:
    a, b, c = node.src
    return a.alu(Ops.MUL, b).alu(Ops.ADD, c)


def _once(node: UOp) -> UOp:
    wide = dtypes.f64.vec(node.dtype.count)
    a, b, c = (s.cast(wide) for s in node.src)
    return a.alu(Ops.MUL, b).alu(Ops.ADD, c).cast(node.dtype)


def _zero(node: UOp, wanted: float) -> UOp:
    """What is reduced; this zero where it is one, and may be this one."""
    terms, arg = node.src[0], node.arg
    is_zero = terms.alu(Ops.CMPEQ, UOp.const(terms.dtype, 0.0))
    wide = dtypes.f64.vec(terms.dtype.count)  # in which 1 / -0.0 is a number: not all fp8 have inf
    minus = is_zero & terms.cast(wide).alu(Ops.RECIP).alu(Ops.CMPLT, UOp.const(wide, 0.0))

    def among(which: UOp) -> UOp:
        combine = (Ops.MAX, *arg[1:]) if node.op is Ops.REDUCE_AXIS else Ops.MAX
        return UOp(node.op, which.dtype, (which, *node.src[1:]), combine)

    if _combine(node) is Ops.ADD:
        free = among(minus) & ~among(~minus)
    else:
        free = among(minus if np.signbit(wanted) else is_zero & ~minus)
    free = free & node.alu(Ops.CMPEQ, UOp.const(node.dtype, 0.0))
    return free.where(UOp.const(node.dtype, wanted), node)


def _combine(node: UOp) -> Op | None:
    """The op by which a node reduces; of no loop, which is its operand, none."""
    if node.op is Ops.REDUCE_AXIS:
        return cast(Op, node.arg[0])
    return cast(Op, node.arg) if node.op is Ops.REDUCE and len(node.src) > 1 else None


_RESULTS: Mapping[Op, tuple[Choice, ...]] = {
    Ops.MAX: (_first, _second),
    Ops.MIN: (_first, _second),
    Ops.MULACC: (_twice, _once),
}
_ZEROS: tuple[Choice, ...] = (partial(_zero, wanted=0.0), partial(_zero, wanted=-0.0))
_OF_ZEROS = (Ops.ADD, *Ops.group("Extreme"))


def _results_of(node: UOp) -> tuple[Choice, ...]:
    """What the float of a node may be, if it is one of several."""
    if not node.dtype.is_float:
        return ()
    return _RESULTS.get(node.op) or (_ZEROS if _combine(node) in _OF_ZEROS else ())


def open_nodes(root: UOp) -> list[UOp]:
    """The nodes of a graph whose float may be one of several."""
    return [n for n in root.toposort() if _results_of(n)]


def either_zero(before: UOp, after: UOp) -> bool:
    """Whether a zero may have either sign, for too many nodes of a rule's sides are open."""
    left = open_nodes(before)
    return len({*left, *open_nodes(after)}) > MOST_OPEN and any(
        n.op is not Ops.MULACC for n in left
    )


def results(before: UOp, after: UOp) -> Iterator[tuple[UOp, list[UOp]]]:
    """Each graph that the right side may be, with those that the left side may be then.

    As they are, where too many nodes leave their result open.
    """
    left, right = open_nodes(before), open_nodes(after)
    if len({*left, *right}) > MOST_OPEN:
        yield after, [before]
        return
    free = [node for node in left if node not in right]
    for chosen in _ways(right):
        yield _chosen(after, chosen), [_chosen(before, {**chosen, **way}) for way in _ways(free)]


def _ways(nodes: Sequence[UOp]) -> Iterator[dict[UOp, Choice]]:
    for chosen in product(*map(_results_of, nodes)):
        yield dict(zip(nodes, chosen, strict=True))


def _chosen(root: UOp, ways: Mapping[UOp, Choice]) -> UOp:
    """A graph with one of the results for each of some nodes."""
    if not ways:
        return root
    chosen: dict[UOp, UOp] = {}
    for node in root.toposort():
        sources = tuple(chosen[s] for s in node.src)
        new = node if sources == node.src else UOp(node.op, node.dtype, sources, node.arg)
        chosen[node] = ways[node](new) if node in ways else new
    return chosen[root]
