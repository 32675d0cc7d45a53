"""Values that proofs try: ties of conversions, numbers near multiples of a quarter turn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rulewright.ir.dtypes import dtype
from rulewright.verify.values.samples import every, named, near_quarter_turns, ties


@pytest.mark.parametrize("narrow", ["fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz"])
def test_a_grid_holds_every_tie_of_a_narrow_float(narrow):
    found = every(dtype(narrow))
    assert found is not None
    numbers = np.unique(found.astype(np.float32))
    halfway = [(a + b) / 2 for a, b in pairwise(numbers[np.isfinite(numbers)].tolist())]
    bits = np.array(halfway, np.float32).view(np.uint32)
    tried = set(ties(dtype("f32"), 13).view(np.uint32).tolist())
    assert len(bits) > 200 and tried >= set(bits.tolist())
    assert tried >= set((bits | 1).tolist())


@pytest.mark.parametrize("wide, lead", [("i32", 13), ("u64", 13), ("f64", 17)])
def test_ties_of_a_bf16_among_wider_numbers(wide, lead):
    """259 is 1 00000011 in bits, halfway between two bf16; so are its products by powers of two."""
    tried = set(ties(dtype(wide), lead).tolist())
    for power in range(20):
        tie = 259 << power
        assert tie in tried
        assert len(tried & {tie + 1, tie - 1, np.nextafter(tie, np.inf)}) > 0


def test_numbers_that_a_rule_names():
    """By value and by bits, with their neighbours and of either sign."""
    found = set(named([1.5, float("inf"), 1065353216], dtype("f32")).tolist())
    one_and_a_half = np.float32(1.5)
    assert {1.0, -1.0, 1.5, float(np.nextafter(one_and_a_half, np.float32(9)))} <= found
    assert float(np.nextafter(np.float32(1), np.float32(0))) in found


def test_nothing_is_nearer_to_a_quarter_turn():
    """Of all f16 with one exponent of their last bit, by trying them."""
    listed = set(near_quarter_turns(dtype("f16")).tolist())
    for power in range(6):
        numbers = np.ldexp(np.arange(1.0, 1 << 11), power)
        for away in (np.abs(np.sin(numbers)), np.abs(np.cos(numbers))):
            assert float(numbers[away.argmin()]) in listed


def test_the_f32_nearest_to_a_quarter_turn():
    """It is 16367173 2^72, as is known from the literature, 1.6e-9 away from one."""
    found = near_quarter_turns(dtype("f32")).astype(np.float64)
    away = np.minimum(np.abs(np.sin(found)), np.abs(np.cos(found)))
    assert abs(found[away.argmin()]) == 16367173 * 2.0**72
    assert abs(away.min() - 1.6147697982e-9) < 1e-18
