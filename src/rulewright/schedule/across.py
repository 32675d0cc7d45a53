"""Rows that lie across memory: neighbours there are of different rows.

Softmax and layernorm go along each row several times, in one kernel. Of a transposed matrix they
would read a line of memory for each element, and store neighbours from different rows. Such a value
is better stored once, with rows that lie as they are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.facts import MEMORY, NodeFacts, elements, is_large_product
from rulewright.schedule.movement import move_index
from rulewright.schedule.requests import Request, trips

LEAST_ELEMENTS = 1 << 14
"""Elements of a value from which on another kernel is worth it."""
LEAST_ROW = 8
"""Elements of a row from which on it is worth it."""
MOST_NODES = 64
"""Nodes among which memories are looked for."""

_STORED = MEMORY | Ops.group("Stored")


def lies_across(node: UOp, asked: Sequence[Request], facts: Mapping[UOp, NodeFacts]) -> bool:
    """Does one kernel both reduce rows of a value and store along them, while in the memories that
    it is made of neighbours are of different rows?"""
    if len(asked) < 2 or elements(node) < LEAST_ELEMENTS:
        return False
    if len({id(root) for request in asked for root in request.roots}) > 1:
        return False
    stored = next((request for request in asked if not request.in_reduction), None)
    if stored is None or not any(request.in_reduction for request in asked):
        return False
    rows = stored.used.intersection(*[request.used for request in asked])
    if prod(trips(loop) for loop in stored.used - rows) < LEAST_ROW:
        return False
    near = [*_near_loops(node, stored.indices, facts)]
    return bool(near) and all(loops and loops <= rows for loops in near)


def _near_loops(
    node: UOp, indices: tuple[UOp, ...], facts: Mapping[UOp, NodeFacts]
) -> Iterator[frozenset[UOp]]:
    """The loops along which neighbours are read in each memory about as large as a value, of an
    element of it; empty where that is not known."""
    size, todo, seen = elements(node), [(node, indices)], {node}
    for value, at in todo:
        if value.op in _STORED or is_large_product(value, facts[value]):
            if elements(value) * 4 > size:
                yield _loops_of_last(value, at)
        elif len(seen) > MOST_NODES or not (value.op.elementwise or "Movement" in value.op.groups):
            yield frozenset()
        elif value.op.elementwise:
            todo += [(source, at) for source in value.src if source not in seen and source.shape]
            seen.update(value.src)
        else:
            moved = move_index(value, *at)
            assert moved is not None
            todo.append((value.src[0], moved))


def _loops_of_last(memory: UOp, indices: tuple[UOp, ...]) -> frozenset[UOp]:
    """The loops in the index of the last axis that has several elements."""
    sizes = memory.max_shape
    last = next((k for k in reversed(range(len(sizes))) if sizes[k] > 1), None)
    return frozenset() if last is None else frozenset(indices[last].ranges)
