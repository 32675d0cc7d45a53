"""Reductions, softmax and scans."""

from __future__ import annotations

from rulewright.verify.methods.row import NUMBERS, Method, Refusal

_MATRICES = (((3, 5),), ((1, 1),), ((4, 1),), ((7, 2),))
_AXES = (((3, 5),), ((1,),), ((0,),), ((2, 0, 3),), ((2, 3, 0),))

ROWS = [
    Method("sum", "x.sum(-1)", "x.sum(-1)", _AXES, NUMBERS, gives="sum", gradient=True),
    Method("softmax", "x.softmax(-1)", "softmax(x, -1)", _MATRICES, gives="float", gradient=True),
]

REFUSALS = [
    Refusal("sum", "x.sum(2)", "ShapeError", "axis 2"),
]
