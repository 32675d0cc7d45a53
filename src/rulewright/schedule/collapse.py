"""Externs of `spec/60-schedule.uop` that look at, or change, a whole value."""

from __future__ import annotations

from rulewright.ir.uop import UOp
from rulewright.schedule.movement import flat_index, unflatten_index


def depends_on(value: UOp, loop: UOp) -> bool:
    """Does a value change with a loop variable?"""
    return loop in value.ranges


def at_index(value: UOp, loop: UOp, index: UOp) -> UOp:
    """A value with a loop variable replaced by an index."""
    return value.substitute({loop: index})


def subbuffer_index(view: UOp, *indices: UOp) -> UOp | None:
    """An element of a SUBBUFFER as one of its base; None across dtypes or for partial indices."""
    base = view.src[0]
    if base.dtype is not view.dtype or len(indices) != len(view.shape or ()):
        return None
    position = flat_index(view.arg[1], indices) + view.arg[0]
    return base.index(*unflatten_index(base.shape or (), position.simplify()))
