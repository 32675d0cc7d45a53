"""Symbolic integers that stand in shapes: one program for many sizes."""

from __future__ import annotations

from rulewright.ir.uop import UOp


def Variable(name: str, min: int, max: int) -> UOp:
    """A symbolic integer from `min` to `max`, both included.

    `x[:Variable("n", 1, 64).bind(10)]` has a symbolic size whose value is 10 this time; programs
    that differ only in bound values share their kernels. In arithmetic with tensors it is an
    integer scalar, on either side. Raises VariableError if min is above max or the name is no
    identifier, ArgumentError for bounds that are no whole numbers.
    """
    return UOp.variable(name, min, max)
