"""Functions in numpy that `equals` of a row may use; written from their definitions, loops and all.

Nothing here may use the tensor library.
"""

from __future__ import annotations

from rulewright.verify.methods.reference_elementwise import erf, power, rounded_to
from rulewright.verify.methods.reference_indexing import added, scattered, with_item
from rulewright.verify.methods.reference_movement import diagonal_matrix, padded, windows
from rulewright.verify.methods.reference_random import (
    fits,
    has_shares,
    is_normal,
    is_uniform,
    unrelated,
)
from rulewright.verify.methods.reference_reductions import (
    first,
    in_order,
    log_sum,
    running,
    running_log_sum,
    softmax,
)

__all__ = [
    "added",
    "diagonal_matrix",
    "erf",
    "first",
    "fits",
    "has_shares",
    "in_order",
    "is_normal",
    "is_uniform",
    "log_sum",
    "padded",
    "power",
    "rounded_to",
    "running",
    "running_log_sum",
    "scattered",
    "softmax",
    "unrelated",
    "windows",
    "with_item",
]
