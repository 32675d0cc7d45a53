"""Sums of which only the kernel knows the length: as exact as those of a length that is known."""

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Context, Tensor, Variable

PROGRAMS = {
    "sum": (lambda x: x.sum(), lambda x: x.sum()),
    "squares": (lambda x: x.square().sum(), lambda x: (x * x).sum()),
    "largest": (lambda x: x.max(), lambda x: x.max()),
    "exponentials": (lambda x: x.exp().sum(), lambda x: np.exp(x).sum()),
    "spread": (lambda x: x.var(), lambda x: x.var(ddof=1)),
    "product": (lambda x: x.dot(x + 1), lambda x: x @ (x + 1)),
}


@pytest.mark.parametrize(
    ("name", "dtype", "length"),
    in_pairs(PROGRAMS, ["f32", "f64", "f16", "i32"], [2, 3, 63, 64, 65, 1000]),
)
def test_every_length_is_summed_to_its_end(name, dtype, length, rng):
    program, by_numpy = PROGRAMS[name]
    x = Tensor(rng.integers(-2, 3, 1000)).cast(dtype).realize()
    bound = Variable("n", 1, 1000).bind(length)
    expected = by_numpy(x.cast("f64").numpy()[:length])
    result = float(program(x[:bound]).item())
    close = 1e-3 if dtype == "f16" else 1e-5
    assert result == pytest.approx(expected, rel=close, abs=close)


@pytest.mark.parametrize("shape", [(17, 1000), (3, 5, 1000)])
def test_rows_of_any_length(shape, rng):
    x = rng.normal(size=shape).astype(np.float32)
    tensor = Tensor(x).realize()
    for length in (1, 64, 77, 1000):
        part = tensor[..., : Variable("n", 1, 1000).bind(length)]
        expected = x[..., :length].astype(np.float64).sum(-1)
        np.testing.assert_allclose(part.sum(-1).numpy(), expected, rtol=1e-5, atol=1e-4)


def test_a_long_sum_does_not_stop_growing():
    """A single f32 stays what it is from 2 ** 24 on, if 1 is added to it."""
    length = (1 << 24) + 1000
    ones = Tensor.ones(length + 24).contiguous().realize()
    assert ones[: Variable("n", 1, length + 24).bind(length)].sum().item() == length


def test_the_third_length_is_as_exact_as_the_first(rng):
    """From the third on, lengths share a kernel."""
    with Context(DYNAMIC=1):
        for more in range(5):
            x = rng.random((17, 20_003 + 11 * more)).astype(np.float32)
            expected = x.astype(np.float64).sum(1)
            np.testing.assert_allclose(Tensor(x).realize().sum(1).numpy(), expected, rtol=6e-7)
