"""The table of tensor methods: what each computes, said in numpy.

One row is a call and its value by an independent reference. The tests check every row on odd
shapes, dtypes and special values, `rulewright conformance` on any device, and the documentation of
methods is made from the same rows; a public method without a row fails the tests.
"""

from __future__ import annotations

from importlib import import_module

from rulewright.verify.methods.row import Method, Refusal

GROUPS = (
    "creation",
    "random",
    "movement",
    "indexing",
    "elementwise",
    "special",
    "activations",
    "reductions",
    "sorting",
    "distribution",
    "products",
    "nets",
    "sampling",
    "losses",
    "margins",
    "linalg",
    "kinds",
    "state",
    "updates",
)
"""Modules of this package; each holds ROWS and REFUSALS, in the order of the documentation."""


def all_rows() -> list[Method]:
    """Every row of every group."""
    return [row for group in GROUPS for row in import_module(f"{__name__}.{group}").ROWS]


def all_refusals() -> list[Refusal]:
    """Every call that has to be refused: those of the groups, then of each argument by its kind."""
    modules = (*GROUPS, "arguments")
    return [row for name in modules for row in import_module(f"{__name__}.{name}").REFUSALS]
