"""Values that are chosen where a condition holds, and sums that pick one of them by its position.

`x[i]` is such a sum: of all elements at a position, where it is `i`, and 0 elsewhere. The rule
`sum_of_chosen` of `spec/60-schedule.uop` reads the one element, and leaves no loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp


class Conditional(NamedTuple):
    """A value where a condition holds, and else another one."""

    condition: UOp
    value: UOp
    other: UOp


def picks(node: UOp) -> bool:
    """Does a sum over one axis pick the element at a position, so that no loop will be left?"""
    source, reduced = node.src[0], node.arg[1]
    chosen = conditional(source) if source.op is Ops.WHERE and len(reduced) == 1 else None
    if chosen is None or node.arg[0] is not Ops.ADD or not is_neutral(Ops.ADD, chosen):
        return False
    size, axes = source.max_shape[reduced[0]], set(reduced)
    return any(
        1 < size <= count.dtype.max + 1 and counted == axes and not differing & axes
        for count, _, counted, differing in compared_counts(chosen.condition)
    )


def compared_counts(condition: UOp) -> Iterator[tuple[UOp, UOp, set[int], set[int]]]:
    """The counts in a comparison for equality, which may be repeated, and what each is compared
    with; the axes along which the one and the other differ."""
    outer = len(condition.shape or ())
    while condition.op is Ops.EXPAND or _adds_outer_axes(condition):
        condition = condition.src[0]
    outer -= len(condition.shape or ())
    if condition.op is Ops.CMPEQ:
        for count, at in (condition.src, condition.src[::-1]):
            if below(count).op is Ops.IOTA:
                axes, differing = ({i + outer for i in _own_axes(side)} for side in (count, at))
                yield count, at, axes, differing


def conditional(value: UOp) -> Conditional | None:
    """How a value is chosen: by WHERE, by a CAST of one, or as the number of conditions."""
    inner = value.src[0] if value.op is Ops.CAST else value
    if inner.op is Ops.WHERE:
        condition, number, other = inner.src
        other = below(other)
        if inner is value:
            return Conditional(condition, number, other)
        if other.op is not Ops.CONST or (inner.dtype.is_float and not value.dtype.is_float):
            return None
        return Conditional(condition, number.cast(value.dtype), UOp.const(value.dtype, other.arg))
    both = _condition(value)
    if both is not None and both.dtype.count == 1:
        return Conditional(both, UOp.const(value.dtype, 1), UOp.const(value.dtype, 0))
    return None


def _condition(value: UOp) -> UOp | None:
    """What holds where a value is 1, if it is 0 elsewhere: all of those that are multiplied."""
    factors, conditions, seen = [value], [], {value}
    while factors:
        factor = factors.pop()
        if factor.op is Ops.MUL:
            factors += [f for f in dict.fromkeys(reversed(factor.src)) if f not in seen]
            seen.update(factor.src)
            continue
        inner = factor.src[0] if factor.op is Ops.CAST else factor
        if not inner.dtype.is_bool:
            return None
        conditions.append(inner)
    return reduce(UOp.__and__, conditions)


def is_neutral(combine: Op, chosen: Conditional) -> bool:
    """May a reduction begin with the constant that stands for what is not chosen?"""
    other = chosen.other
    if other.op is not Ops.CONST:
        return False
    if other is UOp.const(other.dtype, combine.identity(other.dtype)):
        return True
    if other.dtype.is_float or other.dtype.is_bool:
        return False
    low, high = chosen.value.interval
    return (combine is Ops.MAX and other.arg <= low) or (combine is Ops.MIN and other.arg >= high)


def _own_axes(node: UOp) -> set[int]:
    """The axes along which a value differs, but for those that it is repeated along."""
    if node.op is Ops.CONST:
        return set()
    if node.op is Ops.EXPAND or _adds_outer_axes(node):
        outer = len(node.shape or ()) - len(node.src[0].shape or ())
        return {i + outer for i in _own_axes(node.src[0])}
    if node.op.elementwise:
        return {i for s in node.src for i in _own_axes(s)}
    return {i for i, size in enumerate(node.shape or ()) if size != 1}


def _adds_outer_axes(node: UOp) -> bool:
    """Is it a RESHAPE that puts axes of size 1 before the others?"""
    if node.op is not Ops.RESHAPE:
        return False
    old, new = node.src[0].shape or (), node.shape or ()
    outer = len(new) - len(old)
    return outer > 0 and new == (1,) * outer + old


def below(node: UOp) -> UOp:
    """What is cast, moved or repeated."""
    return node.past((Ops.CAST, Ops.RESHAPE, Ops.EXPAND, Ops.PERMUTE))
