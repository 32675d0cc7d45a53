"""What the heuristics look at: the loop nests of a kernel and how they touch memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd, prod

from rulewright.codegen.estimate import trips
from rulewright.codegen.masks import gates, parts
from rulewright.codegen.numbering import joined
from rulewright.ir.linear import LinearForm, linear
from rulewright.ir.ops import Op, Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.shapes import at_most
from rulewright.ir.uop import UOp

RUN = 16
"""Neighbours in memory that make a vector."""
COSTLY_NODES = 16
"""What an exponential and its like are made of, about."""


@dataclass(frozen=True)
class Access:
    """One element that a body reads or writes, as a linear form of the ranges."""

    node: UOp
    form: LinearForm
    writes: bool = False

    def score(self, axis: UOp) -> int:
        """How it likes `axis` innermost: 1 if neighbours in memory, 0 if the same, -1 if not."""
        if not self.form.uses(axis):
            return 0
        return 1 if self.ungated.stride(axis) == 1 or self.has_runs(axis) else -1

    def wide(self, axis: UOp, most: int) -> int:
        """How many neighbours along an axis can be read at once, each so many beginning at a
        multiple of their number: no more than `most`, which is a power of two."""
        if self.ungated.stride(axis) != 1 or self.form.opaque or not fixed(axis):
            return 1
        others = [n for r, n in self.form.strides.items() if r is not axis]
        return gcd(most, self.form.constant, fixed(axis) or 1, *others)

    def is_near(self, axis: UOp) -> bool:
        """Whether two steps along the axis go on by two elements at most, each by another number:
        so do pairs that are read together."""
        if not self.form.uses(axis) or self.form.stride(axis) is not None:
            return False
        pair = UOp.range(max((fixed(axis) or 0) // 2, 1), -1)
        index = self.node.src[1].substitute({axis: pair * 2})
        stride = linear(rewrite(index, "symbolic")).stride(pair)
        return stride is not None and 0 < abs(stride) <= 2

    def has_runs(self, axis: UOp) -> bool:
        """Whether the axis, cut into runs of RUN, steps to the next element within each.

        So it is where axes that stand apart in memory were flattened: (r // 64) * 8192 + r % 64.
        """
        size = fixed(axis)
        if self.form.stride(axis) is not None or not size or size % RUN or size == RUN:
            return False
        outer, inner = UOp.range(size // RUN, -1), UOp.range(RUN, -2)
        index = self.node.src[1].substitute({axis: outer * RUN + inner})
        return linear(rewrite(index, "symbolic")).stride(inner) == 1

    @cached_property
    def ungated(self) -> LinearForm:
        """The form of the index where it is valid."""
        index = self.node.src[1]
        gated = index.op is Ops.WHERE and index.src[2].op is Ops.INVALID
        return linear(index.src[1]) if gated and len(self.node.src) == 2 else self.form


def reads(body: UOp) -> list[Access]:
    """Elements that are read to compute `body`, without those inside reductions below it."""
    accesses: dict[UOp, Access] = {}
    seen = {body}
    stack = [body]
    while stack:
        node = stack.pop()
        if node.op is Ops.INDEX:
            accesses[node] = Access(node, linear(_position(node)))
        elif node.op is not Ops.REDUCE or node is body:
            for s in node.src:
                if s not in seen:
                    seen.add(s)
                    stack.append(s)
    return list(accesses.values())


def _position(node: UOp) -> UOp:
    """Where an INDEX reads: a number, of copies near by in row-major order."""
    memory, *places = node.src
    if len(places) == 1:
        return places[0]
    sizes = [int(fill.vmax) + 1 for fill in memory.src[1:]]
    return rewrite(joined(places, sizes), "symbolic")


@dataclass(frozen=True)
class Reduction:
    """A REDUCE: the axes it reduces, and those of the store that it is done anew for."""

    node: UOp

    @cached_property
    def axes(self) -> tuple[UOp, ...]:
        """The reduced ranges."""
        return self.node.src[1:]

    @cached_property
    def outer(self) -> tuple[UOp, ...]:
        """The ranges around it."""
        return self.node.ranges

    @cached_property
    def accesses(self) -> list[Access]:
        """What its body reads."""
        return reads(self.node.src[0])

    @cached_property
    def length(self) -> int:
        """Values reduced to one, at most."""
        return _count(self.axes)

    @cached_property
    def nodes_inside(self) -> int:
        """Nodes that are computed for each of its values; an exponential is made of many."""
        axes = set(self.axes)
        inside = self.node.src[0].toposort(lambda n: not axes.isdisjoint(n.ranges))
        varying = [n for n in inside if not axes.isdisjoint(n.ranges)]
        return sum([COSTLY_NODES if n.op in _COSTLY else 1 for n in varying])

    @property
    def longest(self) -> UOp:
        """The reduced range of most values."""
        return max(self.axes, key=lambda axis: int(axis.vmax))

    @property
    def is_flat(self) -> bool:
        """Whether no reduction in its body runs anew for each of its values."""
        return self.is_flat_along(self.axes)

    def is_flat_along(self, axes: Sequence[UOp]) -> bool:
        """Whether no reduction in its body runs anew for each step of these."""
        inside = (n for n in self.node.src[0].toposort() if n.op is Ops.REDUCE)
        return not any(axis in inner.ranges for inner in inside for axis in axes)

    @property
    def can_chain(self) -> bool:
        """Whether its values can be written one by one: known in number, no loop inside."""
        return self.is_flat and all(fixed(axis) is not None for axis in self.axes)

    def reused(self, axis: UOp) -> bool:
        """Whether some element that it reads is the same all along `axis`, and some is not: rows
        near by are others in each iteration that they are computed in."""
        uses = [axis in a.node.ranges for a in self.accesses]
        return any(uses) and not all(uses)

    def sharing(self, axes: Iterable[UOp], vector: UOp | None) -> list[UOp]:
        """Those of the stored axes along which something that was read is used again.

        The best first: what depends on `vector` does not depend on them. Of equals the innermost.
        """
        reusing = [a for a in axes if a in self.outer and fixed(a) != 1 and self.reused(a)]
        wide = [a.form for a in self.accesses if vector is not None and a.form.uses(vector)]
        reusing = [a for a in reversed(reusing) if a is not vector and fixed(a)]
        return sorted(reusing, key=lambda axis: sum(form.uses(axis) for form in wide))


@dataclass(frozen=True)
class Nest:
    """One END(STORE), or a STORE alone: the stored axes and the reductions in the stored value."""

    end: UOp

    @cached_property
    def axes(self) -> tuple[UOp, ...]:
        """The stored ranges, outermost first."""
        return self.end.src[1:] if self.end.op is Ops.END else ()

    @cached_property
    def store(self) -> UOp:
        """The STORE."""
        return self.end.src[0] if self.end.op is Ops.END else self.end

    @cached_property
    def reductions(self) -> list[Reduction]:
        """Every REDUCE in the stored value, the innermost ones first."""
        return [Reduction(n) for n in self.store.toposort() if n.op is Ops.REDUCE]

    @cached_property
    def nodes_unrolled(self) -> int:
        """Nodes that there would be if each value of each reduction were written by itself."""
        return sum([r.length * r.nodes_inside for r in self.reductions])

    @cached_property
    def accesses(self) -> list[Access]:
        """What is written, then what is read outside of reductions."""
        target = self.store.src[0]
        return [Access(target, linear(target.src[1]), True), *reads(self.store.src[1])]

    @property
    def every_access(self) -> list[Access]:
        """The same, and what is read inside of reductions."""
        return [*self.accesses, *(a for r in self.reductions for a in r.accesses)]

    @cached_property
    def private(self) -> tuple[UOp, ...]:
        """Stored ranges that no reduction is inside of, and whose iterations run in any order."""
        inside = {r for reduction in self.reductions for r in reduction.outer}
        return tuple(r for r in self.axes if r not in inside and r.arg[1] != "reduce")


def nests(sink: UOp) -> list[Nest]:
    """The nests of a kernel, in its order: those whose stores others read back before them."""
    return [Nest(e) for e in sink.toposort() if e.op is Ops.END]


def single_stores(sink: UOp) -> list[Nest]:
    """What a kernel stores outside of all loops, such as the sum of all elements."""
    return [Nest(effect) for effect in sink.src if effect.op is Ops.STORE]


def _count(axes: Iterable[UOp]) -> int:
    count = trips(tuple(axes))
    return at_most(count)


def fixed(axis: UOp) -> int | None:
    """The size of a range, None if it is symbolic."""
    size = axis.size
    return size if isinstance(size, int) else None


def is_costly(value: UOp, axis: UOp) -> bool:
    """Whether a value takes an exponential or its like for each step of a range."""
    return _takes(_COSTLY, value, axis)


def is_conditional(value: UOp, axis: UOp) -> bool:
    """Whether a value is chosen by a condition for each step of a range."""
    return _takes((Ops.WHERE,), value, axis)


def _varies(node: UOp, axis: UOp) -> bool:
    return node.op is Ops.INDEX and axis in node.ranges


def is_picked(value: UOp, axis: UOp) -> bool:
    """Whether a value is read, for each step of a range, from one place that is read as well.

    Processors pick such elements one after the other as fast as together, or faster; but together
    those of rows near by, and where each may be chosen or not, which they would have to guess.
    """
    inside = value.toposort(lambda n: n.op is not Ops.INDEX)
    reads = [n for n in inside if n.op is Ops.INDEX and axis in n.src[1].ranges]
    picks = [r for r in reads if any(_varies(n, axis) for n in r.src[1].toposort())]
    if len(picks) != 1 or picks[0].src[0].op is Ops.STAGE:
        return False
    valid = {part for read in reads for part in parts(gates(read.src[1])[0])}
    of_places = {n for part in valid for n in part.toposort()}
    choices = (n.src[0] for n in inside if n.op is Ops.WHERE and n not in of_places)
    return all(valid.issuperset(parts([choice])) for choice in choices)


def _takes(ops: Collection[Op], value: UOp, axis: UOp) -> bool:
    inside = value.toposort(lambda n: axis in n.ranges)
    return any(n.op in ops and axis in n.ranges for n in inside)


_COSTLY = Ops.group("Transcendental")


def best_axis(scores: dict[UOp, float], least: float = 0.0) -> UOp | None:
    """The range with the highest score, of equals the last; None if all are below `least`."""
    best: UOp | None = None
    for axis, score in scores.items():
        if score >= least and (best is None or score >= scores[best]):
            best = axis
    return best


def divisor(size: int, limit: int, multiple: int = 1) -> int:
    """The largest divisor of `size` up to `limit`, of multiples of `multiple` if there is one."""
    options = [d for d in range(1, min(size, limit) + 1) if size % d == 0]
    even = [d for d in options if d % multiple == 0]
    return max(even or options)


def weights(accesses: Iterable[Access], axes: Iterable[UOp], rows: int) -> dict[UOp, float]:
    """How often each access is done, as a part of the most frequent one's.

    Once for each element that it touches; of several reads, one in a loop that it does not depend
    on is done again, but for what a register tile holds.
    """
    accesses = list(accesses)
    sizes = {axis: fixed(axis) or 1 for axis in axes}
    again = prod(sizes.values()) / rows if len(accesses) > 2 else 0
    done = {}
    for access in accesses:
        inside = access.node.ranges  # memory near by is another one in each iteration around it
        touched = prod(n for axis, n in sizes.items() if axis in inside)
        done[access.node] = touched if access.writes else max(touched, again)
    most = max(done.values(), default=1)
    return {node: count / most for node, count in done.items()}
