"""Values that proofs try: ties of conversions, numbers near multiples of a quarter turn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rulewright.ir.dtypes import dtype
from rulewright.verify.prove.values import every, grid, near_quarter_turns


@pytest.mark.parametrize("narrow", ["fp8e4m3", "fp8e5m2"])
def test_a_grid_holds_every_tie_of_a_narrow_float(narrow):
    found = every(dtype(narrow))
    assert found is not None
    numbers = np.unique(found.astype(np.float32))
    ties = [(a + b) / 2 for a, b in pairwise(numbers[np.isfinite(numbers)].tolist())]
    bits = np.array(ties, np.float32).view(np.uint32)
    tried = set(grid(dtype("f32"), 13).view(np.uint32).tolist())
    assert len(bits) > 200 and tried >= set(bits.tolist())
    assert tried >= set((bits | 1).tolist())


def test_nothing_is_nearer_to_a_quarter_turn():
    """Of all f16 with one exponent of their last bit, by trying them."""
    listed = set(near_quarter_turns(dtype("f16")).tolist())
    for power in range(6):
        numbers = np.ldexp(np.arange(1.0, 1 << 11), power)
        away = np.abs(np.remainder(numbers + np.pi / 4, np.pi / 2) - np.pi / 4)
        assert float(numbers[away.argmin()]) in listed


def test_the_f32_nearest_to_a_quarter_turn():
    """It is 16367173 2^72, as is known from the literature, 1.6e-9 away from one."""
    found = near_quarter_turns(dtype("f32")).astype(np.float64)
    away = np.minimum(np.abs(np.sin(found)), np.abs(np.cos(found)))
    assert abs(found[away.argmin()]) == 16367173 * 2.0**72
    assert abs(away.min() - 1.6147697982e-9) < 1e-18
