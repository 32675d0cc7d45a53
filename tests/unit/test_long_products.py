"""Products that sum many values: blocks of them are summed apart, and the sums of blocks then."""

import numpy as np
import pytest

from rulewright import Tensor

SHAPES = [(200_001, 11, 11), (204_800, 16, 16), (204_800, 11, 11), (150_001, 40, 3)]


def operands(rng, shape):
    length, rows, columns = shape
    return [rng.random((length, n)).astype(np.float32) for n in (rows, columns)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_little_is_lost_beside_large_sums(shape, rng):
    """A single accumulator of so many positive values is wrong in the fifth digit."""
    x, y = operands(rng, shape)
    result = (Tensor(x).T @ Tensor(y)).numpy()
    np.testing.assert_allclose(result, x.T.astype(np.float64) @ y, rtol=4e-6)


@pytest.mark.parametrize("shape", SHAPES[:3], ids=str)
def test_such_a_sum_is_done_in_blocks(shape, rng):
    x, y = (Tensor(a).realize() for a in operands(rng, shape))
    [kernel] = (x.T @ y).schedule()
    assert "block(" in kernel.lower().choices.split("join")[0]


def test_whole_numbers_are_exact(rng):
    x = rng.integers(-3, 4, (100_003, 12)).astype(np.float32)
    np.testing.assert_array_equal((Tensor(x).T @ Tensor(x)).numpy(), x.T @ x)
