"""Scans by accumulators that go along an axis: layouts, dtypes, NaN, derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from arrays import first_of

from rulewright import Context, Tensor, Variable, jit
from rulewright.ir.ops import Ops
from rulewright.tensor.ordered import LANES, MOST_LANES, lanes_behind

SCANS = {
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
    "logcumsumexp": np.logaddexp.accumulate,
}
LAYOUTS = {
    "neighbours of whole vectors": ((2, 67, 48), 1),
    "neighbours of a prime number": ((67, 101), 0),
    "few neighbours": ((5, 300, 3), 1),
    "rows in fours": ((20, 301), 1),
    "rows in pairs": ((18, 301), 1),
    "one row of blocks": ((64 * 113,), 0),
    "a few rows of blocks": ((3, 32 * 150), 1),
    "a row of a prime number": ((5003,), 0),
    "an axis in the middle": ((3, 97, 2, 9), 1),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", SCANS)
def test_each_layout_in_memory(name, layout, rng):
    shape, axis = LAYOUTS[layout]
    x = rng.uniform(0.96, 1.04, shape)
    found = first_of(getattr(Tensor(x), name)(axis)).numpy()
    np.testing.assert_allclose(found, SCANS[name](x, axis=axis), rtol=1e-10)


@pytest.mark.parametrize(
    "layout", ["neighbours of whole vectors", "rows in fours", "one row of blocks"]
)
@pytest.mark.parametrize("name", SCANS)
def test_derivatives_are_those_of_the_scan_in_blocks(name, layout, rng):
    """On devices without such loops, the scan is written in operations that have derivatives."""
    shape, axis = LAYOUTS[layout]
    x, scale = rng.uniform(0.96, 1.04, shape), rng.normal(size=shape)
    found = []
    for device in ("C", "INTERP"):
        leaf = Tensor(x, device=device, requires_grad=True)
        (first_of(getattr(leaf, name)(axis)) * Tensor(scale, device=device)).sum().backward()
        found.append(leaf.grad.numpy())
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-9)


def test_a_derivative_of_a_derivative(rng):
    x, scale = rng.normal(size=5000), rng.normal(size=5000)
    leaf = Tensor(x, requires_grad=True)
    total = leaf.cumsum(0)
    (first,) = (total * total * Tensor(scale)).sum().gradient(leaf)
    (second,) = first.sum().gradient(leaf)
    ahead = np.cumsum(np.ones(5000))
    expected = 2 * (scale * ahead)[::-1].cumsum()[::-1]
    np.testing.assert_allclose(second.numpy(), expected, rtol=1e-8, atol=1e-8)


def test_the_derivative_of_a_long_sum_whose_blocks_are_no_whole_number_of_vectors(rng):
    """Kernels whose rows near by are filled in two loops, around each its own."""
    scale = rng.normal(size=62512)
    with Context(VERIFY=1):
        leaf = Tensor(np.zeros(62512, np.float32), requires_grad=True)
        (leaf._scan_in_blocks(Ops.ADD, 0) * Tensor(scale.astype(np.float32))).sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), scale[::-1].cumsum()[::-1], atol=2e-2)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_places_of_extremes_among_equal_ones_and_nan(name, axis, rng):
    x = rng.integers(0, 30, (80, 90)).astype(np.float32)
    x[rng.random(x.shape) < 0.02] = np.nan
    found, places = getattr(Tensor(x), name)(axis)
    exact = SCANS[name](x, axis=axis)
    np.testing.assert_array_equal(found.numpy(), exact)
    at = np.arange(x.shape[axis]).reshape((-1, 1) if axis == 0 else (1, -1))
    reached = np.where((x == exact) | np.isnan(x), at, 0)
    np.testing.assert_array_equal(places.numpy(), np.maximum.accumulate(reached, axis))


@pytest.mark.parametrize("shape", [(6, 9), (80, 90), (2, 5000)])
@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_the_last_of_equal_ones_has_the_gradient(name, shape, rng):
    x, scale = rng.integers(0, 4, shape).astype(np.float64), rng.normal(size=shape)
    exact = SCANS[name](x, axis=1)
    places = np.maximum.accumulate(np.where(x == exact, np.arange(shape[1]), 0), axis=1)
    expected = np.zeros(shape)
    np.add.at(expected, (np.arange(shape[0])[:, None], places), 2 * scale * exact)
    leaf = Tensor(x, requires_grad=True)
    found = getattr(leaf, name)(1)[0]
    (first,) = (found * found * Tensor(scale)).sum().gradient(leaf)
    np.testing.assert_allclose(first.numpy(), expected, rtol=1e-12, atol=1e-9)
    spread = np.zeros(shape)
    np.add.at(
        spread,
        (np.arange(shape[0])[:, None], places),
        2 * scale * expected[np.arange(shape[0])[:, None], places],
    )
    (second,) = (first * first).sum().gradient(leaf)
    np.testing.assert_allclose(second.numpy(), 2 * spread, rtol=1e-12, atol=1e-6)


@pytest.mark.parametrize("shape", [(5120,), (70, 80)])
def test_infinities_and_nan_in_sums_of_exponentials(shape):
    x = np.zeros(shape, np.float32)
    flat = x.reshape(-1)
    flat[:3], flat[40], flat[60] = -np.inf, -np.inf, np.inf
    flat[75] = np.nan
    with np.errstate(invalid="ignore"):
        expected = np.logaddexp.accumulate(x, axis=-1)
    found = Tensor(x).logcumsumexp(-1).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "gives"),
    [
        ("f2", "f2"),
        ("f4", "f4"),
        ("i1", "i8"),
        ("u1", "i8"),
        ("i4", "i8"),
        ("i8", "i8"),
        ("?", "i8"),
    ],
)
@pytest.mark.parametrize("shape", [(8192,), (60, 70)])
def test_narrow_dtypes_are_added_in_wide_ones(kind, gives, shape, rng):
    x = rng.integers(0, 2, shape).astype(kind)
    for axis in range(len(shape)):
        found = Tensor(x).cumsum(axis)
        np.testing.assert_array_equal(found.numpy(), x.astype("f8").cumsum(axis).astype(gives))
        assert found.numpy().dtype == gives


def test_a_sum_of_bytes_wraps_where_bytes_are_asked_for(rng):
    x = rng.integers(0, 256, 5000).astype(np.uint8)
    found = Tensor(x).cumsum(0, dtype="uint8")
    np.testing.assert_array_equal(found.numpy(), x.cumsum(dtype=np.uint8))


@pytest.mark.parametrize("shape", [(0, 5000), (5000, 0), (1, 5000), (5000, 1)])
def test_empty_and_single_axes(shape):
    for axis in (0, 1):
        found = Tensor(np.ones(shape)).cumsum(axis)
        np.testing.assert_array_equal(found.numpy(), np.ones(shape).cumsum(axis))


def test_what_is_no_row_in_memory(rng):
    x = rng.normal(size=(70, 90, 2))
    moved, exact = Tensor(x).permute(2, 1, 0).flip(1)[:, 3:], x.transpose(2, 1, 0)[:, ::-1][:, 3:]
    for axis in range(3):
        found = moved.cumsum(axis).numpy()
        np.testing.assert_allclose(found, exact.cumsum(axis), rtol=1e-9, atol=1e-12)


def test_each_step_is_what_the_interpreter_says(rng):
    x = rng.integers(0, 9, (21, 200)).astype(np.float32)
    with Context(VERIFY=2, CACHE=0):
        for axis in (0, 1):
            np.testing.assert_array_equal(Tensor(x).cumsum(axis).numpy(), x.cumsum(axis))


def test_a_captured_step_scans_what_it_gets(rng):
    @jit
    def step(x):
        return x.cumsum(0), x.cummax(1)[0]

    for _ in range(4):
        x = rng.integers(0, 99, (90, 64)).astype(np.float32)
        sums, tops = step(Tensor(x))
        np.testing.assert_array_equal(sums.numpy(), x.cumsum(0))
        np.testing.assert_array_equal(tops.numpy(), np.maximum.accumulate(x, 1))
    assert step.captures == 1


def test_symbolic_sizes_are_scanned_as_before(rng):
    x = rng.normal(size=(200, 40))
    count = Variable("count", 1, 200).bind(150)
    for axis in (0, 1):
        found = Tensor(x)[:count].cumsum(axis).sum()
        np.testing.assert_allclose(found.item(), x[:150].cumsum(axis).sum(), rtol=1e-9)


def test_one_kernel_does_one_addition_an_element():
    [kernel] = Tensor(np.zeros((256, 512), np.float32)).cumsum(0).schedule()
    assert kernel.lower().estimates.flops == 256 * 512


@pytest.mark.parametrize(
    ("inner", "lanes"),
    [
        (1, 1),
        (LANES - 1, 1),
        (LANES, LANES),
        (1000, 500),
        (1013, 1013),
        (4096, MOST_LANES),
        (100_003, None),
        (2 * 100_003, None),
    ],
)
def test_how_many_neighbours_are_accumulated_at_once(inner, lanes):
    assert lanes_behind(inner) == lanes


@pytest.mark.parametrize("kind", ["f4", "f8", "i8", "u1"])
@pytest.mark.parametrize(("shape", "axis"), [
    ((300, 64), 1), ((64, 300), 0), ((7, 50, 33), 1), ((40, 500, 1), 1), ((500, 12), 1),
])  # fmt: skip
def test_extremes_and_their_places_by_accumulators(rng, kind, shape, axis):
    x = rng.integers(0, 30, shape).astype(kind)
    if kind[0] == "f":
        x[rng.random(shape) < 0.01] = np.nan
        x[rng.random(shape) < 0.3] = np.inf
        x[rng.random(shape) < 0.3] = -np.inf
    along = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    for name, numpys in (("cummax", np.maximum), ("cummin", np.minimum)):
        values, places = getattr(Tensor(x), name)(axis)
        exact = numpys.accumulate(x, axis)
        reached = (x == exact) | (x != x)
        np.testing.assert_array_equal(values.numpy(), exact)
        last = np.maximum.accumulate(np.where(reached, along, 0), axis)
        np.testing.assert_array_equal(places.numpy(), last)
