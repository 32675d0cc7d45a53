"""Reductions by place: each place collects what names it, as the gradient of a gather does.

Such a REDUCE_AXIS looks at all values for each place. Where loops run in order, a kernel of its own
lets each value go to its place instead (`spec/70-lowering/scatter.uop`).
"""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import NamedTuple

from rulewright.ir.ops import Op, Ops
from rulewright.ir.sums import conjuncts
from rulewright.ir.uop import UOp
from rulewright.schedule.chosen import below, compared_counts, conditional, is_neutral, picks
from rulewright.schedule.facts import MEMORY, elements

A_VALUE = 8
"""How many places are filled, or values looked at, as vectors, while one goes to its place."""
LEAST_WORK = 1 << 16
"""Steps below which looking at all values beats another kernel."""
WORK_FOR_MEMORY = 1 << 21
"""Steps of looking at all values from which on a walk is worth memory for its result."""
SAVED_FOR_MEMORY = 32
"""How many times fewer steps a walk of less work has to take where it needs memory."""
MOST_TERMS = 16
"""Terms of a sum that are looked at, each by itself."""


_WRITTEN_FROM = {Ops.CMPLE: 0, Ops.CMPLT: -1}
"""What a number that is not -1 is compared with."""


def is_shorter(places: int, values: int) -> bool:
    """Is a walk, which fills the places and goes through the values once, faster than looking at
    all values at each place?"""
    return places + A_VALUE * values <= places * values


class Places(NamedTuple):
    """Where values are collected: the axis of places, and those along which positions differ."""

    axis: int
    differing: frozenset[int]


def collected_places(node: UOp) -> Places | None:
    """How a long REDUCE_AXIS collects by place; None for any other."""
    source, order = node.src[0], tuple(range(len(node.shape or ())))
    if source.op is Ops.PERMUTE:
        source, order = source.src[0], source.arg
    chosen = conditional(source)
    combine, reduced = node.arg
    if chosen is None or elements(source) < LEAST_WORK or not is_neutral(combine, chosen):
        return None
    for part in _conditions(chosen.condition):
        part_places = _places(part)
        if part_places is None or order.index(part_places.axis) in reduced:
            continue
        shape = node.src[0].max_shape
        values = prod(shape[i] for i in reduced)
        places = Places(
            order.index(part_places.axis), frozenset(map(order.index, part_places.differing))
        )
        return places if is_shorter(source.max_shape[part_places.axis], values) else None
    return None


def repays_memory(node: UOp) -> bool:
    """Does a REDUCE_AXIS collect by place, and with so much less work in a kernel of its own that
    memory for the result is worth it?"""
    places = collected_places(node)
    if places is None:
        return False
    shape = node.src[0].max_shape
    count, values = shape[places.axis], prod(shape[i] for i in node.arg[1])
    is_much = elements(node.src[0]) >= WORK_FOR_MEMORY
    return is_much or count * values >= SAVED_FOR_MEMORY * (count + values)


def writes_last(value: UOp, memory: UOp, node: UOp) -> bool:
    """Is a value that of a memory, but where a reduction by place gives the number of the last of
    those that name it, which says what is there instead?"""
    if value.op is not Ops.WHERE or value.src[2] is not memory or node.arg[0] is not Ops.MAX:
        return False
    condition, chosen = below(value.src[0]), conditional(node.src[0])
    if condition.op not in _WRITTEN_FROM or chosen is None or len(node.arg[1]) != 1:
        return False
    least, number = map(below, condition.src)
    counts = below(chosen.value).op is Ops.IOTA and chosen.other.arg == -1
    return counts and number is node and least.arg == _WRITTEN_FROM[condition.op]


def collected_apart(node: UOp) -> UOp | None:
    """A sum over axes of a sum, of which some terms are collected by place or picked, as the sum of
    theirs and that of the others: the gradient of rows that were picked by several positions.

    None if there is no such term.
    """
    combine, _ = node.arg
    source = node.src[0]
    if combine is not Ops.ADD or source.op is not Ops.ADD:
        return None
    parts = _few_terms(source)
    wholes = [part if part.shape == source.shape else _repeated(part, source) for part in parts]
    sums = [UOp(Ops.REDUCE_AXIS, node.dtype, (whole,), node.arg) for whole in wholes]
    apart = [each for each in sums if repays_memory(each) or picks(each)]
    if not apart:
        return None
    rest = [w for w, each in zip(wholes, sums, strict=True) if each not in apart]
    if rest:
        apart.append(node.replace(src=(reduce(UOp.__add__, rest),)))
    return reduce(UOp.__add__, apart)


def _few_terms(node: UOp) -> list[UOp]:
    """The terms of a sum, from left to right; of many some stay sums, so that a sum that grows from
    layer to layer is not looked through for each of them."""
    parts = [node]
    for _ in range(MOST_TERMS - 1):
        sums = [n for n in parts if n.op is Ops.ADD]
        if not sums:
            break
        at = parts.index(sums[-1])
        parts[at : at + 1] = sums[-1].src
    return parts


def _repeated(part: UOp, whole: UOp) -> UOp:
    """A value without axes in the shape of another one."""
    shape = whole.shape or ()
    return part.reshape((1,) * len(shape)).expand(shape)


def places_outermost(node: UOp) -> UOp | None:
    """A reduction by place whose places are its outermost axis but for those with positions of
    their own, so that neighbours are collected together; None if they are so already, or if it is
    none."""
    places = None if node.src[0].op is Ops.PERMUTE else collected_places(node)
    shape = node.max_shape
    if places is None:
        return None
    axis = places.axis
    outer = [i for i in range(axis) if i in places.differing and i not in node.arg[1]]
    if prod(shape[:axis]) == prod(shape[i] for i in outer):
        return None
    order = (*outer, axis, *(i for i in range(len(shape)) if i != axis and i not in outer))
    combine: Op = node.arg[0]
    reduced = tuple(sorted(order.index(i) for i in node.arg[1]))
    moved = UOp(Ops.REDUCE_AXIS, node.dtype, (node.src[0].permute(order),), (combine, reduced))
    return moved.permute(tuple(order.index(i) for i in range(len(order))))


def _conditions(condition: UOp) -> list[UOp]:
    """What all has to hold, whether it is repeated before AND joins it or after."""
    conditions, stack, seen = [], [condition], {condition}
    while stack:
        for part in conjuncts(stack.pop()):
            if part.op is not Ops.EXPAND:
                conditions.append(part)
            elif part.src[0] not in seen:
                seen.add(part.src[0])
                stack.append(part.src[0])
    return conditions


def _places(condition: UOp) -> Places | None:
    """The axis that is counted, where a condition compares a count with what is read."""
    for _, at, axes, differing in compared_counts(condition):
        if len(axes) == 1 and any(n.op in MEMORY for n in at.toposort()):
            return Places(axes.pop(), frozenset(differing))
    return None
