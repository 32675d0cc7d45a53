"""Rows of the table of methods: creation."""

from __future__ import annotations

from rulewright.verify.methods.row import Method, Refusal

_NONE = ((),)

ROWS = [
    Method("zeros", "Tensor.zeros(2, 3)", "np.zeros((2, 3))", _NONE, ("f32",)),
]

REFUSALS: list[Refusal] = []
