"""What a plan of stages says of each node, and which of its kernels take too many memories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import count
from math import prod
from operator import or_

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.facts import elements
from rulewright.schedule.near import NearRow, RowBlock, most_buffers
from rulewright.schedule.requests import Root

NUMBERS = Ops.group("Numeral")


@dataclass
class StagePlan:
    """The outcome: staged nodes with their kernels, stores with theirs, and reduction loops.

    `rows` are nodes of which kernels keep a row near by, each kernel one of its own; `blocks` are
    those of its reduction loops that go through long rows block by block.
    """

    staged: dict[UOp, Root]
    stores: dict[UOp, Root]
    reduce_loops: dict[UOp, tuple[UOp, ...]]
    rows: dict[UOp, dict[Root, NearRow]]
    blocks: dict[UOp, RowBlock]


# ---- kernels that would take more memories than the target lets one have -------------------------


def most_read(order: Iterable[UOp]) -> int:
    """Memories that a kernel may read besides the one that it writes; 0 where any number will do.

    A target counts variables among them.
    """
    nodes = list(order)
    limit = most_buffers(nodes)
    variables = sum(node.op is Ops.VAR for node in nodes)
    return max(limit - 1 - variables, 2) if limit else 0


def crowded_values(plan: StagePlan, most: int) -> set[UOp]:
    """Values to stage so that no kernel reads more than `most` memories; none if that is so."""
    roots = [*plan.stores.values(), *plan.staged.values()]
    return {value for root in roots for value in _to_stage(root, plan, most)} if most else set()


def _to_stage(root: Root, plan: StagePlan, most: int) -> set[UOp]:
    """Of what one kernel computes, operands of the first value that reads too much. A copy of a
    memory is another one."""
    reads: dict[UOp, frozenset[UOp]] = dict.fromkeys(root.nodes, frozenset())
    for node in reversed(root.nodes):  # sources first
        parts = {
            s: reads.get(s, frozenset({s if s in plan.staged else s.base}))
            for s in node.src
            if s.op not in NUMBERS
        }
        reads[node] = frozenset().union(*parts.values())
        if len(reads[node]) > most:
            return _largest(parts, most)
    return set()


def _largest(parts: dict[UOp, frozenset[UOp]], most: int) -> set[UOp]:
    """Operands to stage, those that read most first, until all together read few enough."""
    staged: set[UOp] = set()
    for source in sorted(parts, key=lambda s: len(parts[s]), reverse=True):
        value = source.past(Ops.group("Movement"))  # which costs nothing
        staged.add(value)
        parts[source] = frozenset({value})
        if len(frozenset().union(*parts.values())) <= most:
            break
    return staged


# ---- kernels that would be too long to compile ---------------------------------------------------

MOST_STEPS = 3000
"""Operations of a processor one after the other in a kernel, about: C compilers take more time than
in proportion to the length of a loop's body, and to read a value again costs less than so many."""

STEPS_OF_COSTLY = 40
"""Those of an exponential, a sine or the like, also of those that are side by side: 150 tanh and
150 sines, of which 150 are one after the other, take a C compiler minutes."""

_COSTLY = Ops.group("Costly")


def late_values(plan: StagePlan) -> set[UOp]:
    """Values to stage so that no kernel computes an element in more than so many steps.

    Those that are larger than all that is stored and read there are computed all the same.
    """
    roots = [*plan.stores.values(), *plan.staged.values()]
    long = [root for root in roots if len(root.nodes) > MOST_STEPS // STEPS_OF_COSTLY]
    return {value for root in long for value in _late(root)}


def _late(root: Root) -> set[UOp]:
    inside = set(root.nodes)
    memories = [s for node in root.nodes for s in node.src if s not in inside and s.shape]
    most = max([prod(map(_size, root.loops)), *map(elements, memories)])
    steps: dict[UOp, int] = {}
    costly: dict[UOp, int] = {}  # a bit for each that a value is computed by
    bits = map((1).__lshift__, count())

    def length(node: UOp) -> int:
        return steps.get(node, 0) + STEPS_OF_COSTLY * costly.get(node, 0).bit_count()

    late: set[UOp] = set()
    for node in reversed(root.nodes):  # sources first
        bit = next(bits) if node.op in _COSTLY else 0
        # others begin anew with its longest source, too
        for last in (max(node.src, key=length, default=node), node):
            steps[node] = max([steps.get(s, 0) for s in node.src], default=0) + node.op.elementwise
            costly[node] = reduce(or_, [costly.get(s, 0) for s in node.src], bit)
            if length(node) > MOST_STEPS and last.op.elementwise and elements(last) <= most:
                late.add(last)
                steps[last] = costly[last] = 0
    return late


def _size(loop: UOp) -> int:
    return int(loop.src[0].vmax)
