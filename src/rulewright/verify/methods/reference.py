"""Functions in numpy that `equals` of a row may use; written from their definitions, loops and all.

Nothing here may use the tensor library.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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

__all__ = [
    "added",
    "diagonal_matrix",
    "erf",
    "fits",
    "has_shares",
    "is_normal",
    "is_uniform",
    "padded",
    "power",
    "rounded_to",
    "scattered",
    "softmax",
    "unrelated",
    "windows",
    "with_item",
]

Array = Any


def softmax(x: Array, axis: int = -1) -> Array:
    """exp(x) / sum(exp(x)) along an axis."""
    powers = np.exp(x - x.max(axis, keepdims=True)) if x.size else x
    return powers / powers.sum(axis, keepdims=True)
