"""Products with an operand of which rows are computed near by: many rows go through together."""

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor


def np_softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def np_unit(x):
    return x / np.sqrt((x * x).sum(-1, keepdims=True))


OPERANDS = {
    "exponential": (lambda x: x.exp(), np.exp),
    "softmax": (lambda x: x.softmax(-1), np_softmax),
    "unit": (lambda x: x / (x * x).sum(-1, keepdim=True).sqrt(), np_unit),
}
SIZES = [(5000, 100, 10), (4001, 97, 17), (3000, 1000, 9), (2500, 129, 30)]


def operands(rng, size, dtype=np.float32):
    m, k, n = size
    return rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)


@pytest.mark.parametrize(
    ("name", "size", "dtype"), in_pairs(OPERANDS, SIZES, [np.float32, np.float64])
)
def test_values_are_numpys(name, size, dtype, rng):
    program, by_numpy = OPERANDS[name]
    x, w = operands(rng, size, dtype)
    expected = by_numpy(x.astype(np.float64)) @ w.astype(np.float64)
    room = (1e-5 if dtype is np.float32 else 1e-12) * abs(expected).max()
    result = (program(Tensor(x)) @ Tensor(w)).numpy()
    np.testing.assert_allclose(result, expected, rtol=0, atol=room)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", OPERANDS)
def test_a_tile_of_rows_goes_through_together(name, size, rng):
    program, _ = OPERANDS[name]
    x, w = (Tensor(a).realize() for a in operands(rng, size))
    *_, kernel = (program(x) @ w).schedule()
    assert "upcast(" in kernel.lower().choices


def test_batches(rng):
    x = rng.normal(size=(50, 200, 64)).astype(np.float32)
    w = rng.normal(size=(50, 64, 12)).astype(np.float32)
    result = (Tensor(x).exp() @ Tensor(w)).numpy()
    expected = np.exp(x.astype(np.float64)) @ w
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5 * abs(expected).max())
