"""Sums of exponentials and their like, where what is summed does not lie side by side: the values
are picked up one by one and computed together."""

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Context, Tensor

TOLERANCE = {"f32": 1e-5, "f64": 1e-12, "f16": 2e-2}
# shape, axes: short rows and columns, few columns, several axes
SHAPES = [
    ((100, 3, 64), 1),
    ((100, 64, 3), 1),
    ((100, 63, 5), 1),
    ((33, 3, 17), 1),
    ((2003, 3), 0),
    ((2003, 3), 1),
    ((2003, 10), 1),
    ((2003, 16), 1),
    ((64, 100, 3), (0, 1)),
    ((64, 100, 3), (0, 2)),
    ((20, 8, 8, 3), (1, 2)),
    ((5, 3), 1),
    ((1, 40), 1),
]
PROGRAMS = {
    "exp": (lambda x, axis: x.exp().sum(axis), lambda x, axis: np.exp(x).sum(axis)),
    "largest": (lambda x, axis: x.sin().max(axis), lambda x, axis: np.sin(x).max(axis)),
    "log of sum": (
        lambda x, axis: x.exp().sum(axis).log(),
        lambda x, axis: np.log(np.exp(x).sum(axis)),
    ),
    "tanh of sum": (lambda x, axis: x.sum(axis).tanh(), lambda x, axis: np.tanh(x.sum(axis))),
    "logsumexp": (lambda x, axis: x.logsumexp(axis), lambda x, axis: np.log(np.exp(x).sum(axis))),
    "gated": (
        lambda x, axis: (x.sigmoid() * (x > 0)).sum(axis),
        lambda x, axis: ((x > 0) / (1 + np.exp(-x))).sum(axis),
    ),
}


@pytest.mark.parametrize(
    ("name", "reduced", "dtype"), in_pairs(PROGRAMS, SHAPES, TOLERANCE), ids=str
)
def test_values_are_numpys(name, reduced, dtype, rng):
    (program, by_numpy), (shape, axis) = PROGRAMS[name], reduced
    x = Tensor(rng.normal(size=shape)).cast(dtype).realize()
    expected = by_numpy(x.cast("f64").numpy(), axis)
    result = program(x, axis).cast("f64").numpy()
    room = TOLERANCE[dtype] * abs(expected).max()
    np.testing.assert_allclose(result, expected, rtol=0, atol=room)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_infinities_and_nans_stay_where_they_are(axis, rng):
    x = rng.normal(size=(40, 3, 5)).astype(np.float32)
    x[3, 1, 2], x[20, 0, 4], x[39, 2, 0] = np.inf, -np.inf, np.nan
    with np.errstate(all="ignore"):
        expected = np.exp(x.astype(np.float64)).sum(axis)
    result = Tensor(x).exp().sum(axis).numpy()
    np.testing.assert_allclose(result, expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((100, 3, 64), 1), ((100, 64, 3), 1), ((2003, 3), 0), ((2003, 3), 1), ((2003, 10), 1)],
    ids=str,
)
def test_exponentials_are_vectors(shape, axis, rng):
    x = Tensor(rng.normal(size=shape).astype(np.float32)).realize()
    [kernel] = x.exp().sum(axis).schedule()
    assert "simd(" in str(kernel.lower().choices)


@pytest.mark.parametrize("rows", [20_001, 100_003, 50_000, 65_536])
def test_threads_share_long_columns_of_short_sums(rows, rng):
    x = rng.normal(size=(rows, 10))
    with Context(THREADS=2):
        tensor = Tensor(x.astype(np.float32)).realize()
        result = tensor.exp().sum(1).log()
        assert "thread(" in str(result.schedule()[0].lower().choices)
        np.testing.assert_allclose(result.numpy(), np.log(np.exp(x).sum(1)), atol=1e-5)


@pytest.mark.parametrize("columns", [1, 10, 33, 64])
@pytest.mark.parametrize(("rows", "length"), [(500, 600), (523, 601), (5000, 100), (70_000, 7)])
def test_rows_that_are_computed_for_a_product(rows, length, columns, rng):
    """Each row of what is large is kept near by for all columns."""
    x = rng.normal(size=(rows, length)).astype(np.float32)
    w = rng.normal(size=(length, columns)).astype(np.float32)
    expected = np.exp(x.astype(np.float64)) @ w
    result = (Tensor(x).exp() @ Tensor(w)).numpy()
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5 * abs(expected).max())


def test_such_rows_are_vectors(rng):
    x = Tensor(rng.normal(size=(500, 600)).astype(np.float32)).realize()
    w = Tensor(rng.normal(size=(600, 64)).astype(np.float32)).realize()
    sources = [item.lower().source for item in (x.exp() @ w).schedule()]
    assert not any("float alu" in source for source in sources)


def test_a_short_reduction_of_what_conditions_choose_is_vectors(rng):
    """The compiler leaves conditions in a loop as they are."""
    x = rng.normal(size=(6, 4, 64)).astype(np.float32)
    tensor = Tensor(x).realize()
    least = (tensor > 0).where(tensor, 5.0).min(1)
    [kernel] = least.schedule()
    assert "simd(" in str(kernel.lower().choices)
    np.testing.assert_array_equal(least.numpy(), np.where(x > 0, x, np.float32(5)).min(1))
