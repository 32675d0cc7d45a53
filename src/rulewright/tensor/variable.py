"""Symbolic integers that stand in shapes: one program for many sizes."""

from __future__ import annotations

from rulewright.ir.uop import UOp


def Variable(name: str, min: int, max: int) -> UOp:
    """A symbolic integer from `min` to `max`, both included.

    `x[:Variable("n", 1, 64).bind(10)]` has a symbolic size whose value is 10 this time; programs
    that differ only in bound values share their kernels. Raises UsageError if min is above max.
    """
    return UOp.variable(name, min, max)
