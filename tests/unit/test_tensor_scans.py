"""Scans over several blocks: values, work that does not grow with the square, derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from arrays import first_of

from rulewright import Tensor, Variable

SIZES = [31, 32, 33, 48, 255, 256, 257, 1000, 4097]
SCANS = {
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
    "logcumsumexp": np.logaddexp.accumulate,
}


@pytest.mark.parametrize("name", SCANS)
def test_sizes_around_blocks(rng, name):
    inputs = [rng.uniform(0.5, 1.4, size) for size in SIZES]
    found = [first_of(getattr(Tensor(x), name)(0)) for x in inputs]
    Tensor.realize(*found)
    for x, y in zip(inputs, found, strict=True):
        np.testing.assert_allclose(y.numpy(), SCANS[name](x), rtol=1e-11)


@pytest.mark.parametrize("name", SCANS)
def test_an_axis_in_the_middle(rng, name):
    x = rng.uniform(0.5, 1.4, (2, 70, 3))
    found = first_of(getattr(Tensor(x), name)(dim=1))
    np.testing.assert_allclose(found.numpy(), SCANS[name](x, axis=1), rtol=1e-11)


def test_an_infinity_does_not_spoil_what_stands_before_it():
    x = np.ones(100)
    x[40] = np.inf
    found = Tensor(x).cumsum(0).numpy()
    assert found[:40].tolist() == list(range(1, 41)) and np.isinf(found[40:]).all()


def test_zeros_in_a_running_product_have_a_derivative(rng):
    x = rng.uniform(0.5, 1.4, 40)
    x[[7, 20]] = 0
    leaf = Tensor(x, requires_grad=True)
    leaf.cumprod(0).sum().backward()
    step = 1e-6
    for at in (0, 7, 20, 39):
        moved = [np.cumprod(x + sign * step * (np.arange(40) == at)).sum() for sign in (1, -1)]
        assert abs(leaf.grad.numpy()[at] - (moved[0] - moved[1]) / (2 * step)) < 1e-5


@pytest.mark.parametrize("name", ["cumsum", "cummax"])
def test_the_work_grows_with_the_size(name):
    """Twice the elements are at most little more than twice the operations."""

    def work(size):
        found = first_of(getattr(Tensor(np.zeros(size, np.float32)), name)(0))
        return sum(item.lower().estimates.flops for item in found.schedule())

    assert work(8192) < 2.2 * work(4096)
    assert work(8192) < 8192 * 80


def test_a_symbolic_axis_is_scanned(rng):
    x = rng.normal(size=20)
    length = Variable("length", 1, 20).bind(13)
    found = Tensor(x)[:length].cumsum(0).sum()
    np.testing.assert_allclose(found.item(), np.cumsum(x[:13]).sum(), rtol=1e-12)


@pytest.mark.parametrize("size", [33, 64, 97, 1000, 4096])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
def test_few_elements_are_scanned_in_one_kernel_or_two(rng, name, size):
    x = rng.uniform(0.99, 1.01, size)
    items = first_of(getattr(Tensor(x), name)(0)).schedule()
    assert len(items) <= (1 if size in (64, 4096) else 2)
    found = first_of(getattr(Tensor(x), name)(0))
    expected = {
        "cumsum": np.cumsum,
        "cumprod": np.cumprod,
        "cummax": np.maximum.accumulate,
        "cummin": np.minimum.accumulate,
    }[name](x)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9)


@pytest.mark.parametrize(
    "shape, axis", [((64, 64), 0), ((3, 1000), 1), ((5000,), 0), ((40, 513), 1)]
)
def test_scans_on_either_side_of_small_and_their_derivatives(rng, shape, axis):
    x, scale = rng.normal(size=shape), rng.normal(size=shape)
    leaf = Tensor(x, requires_grad=True)
    found = leaf.cumsum(axis)
    (found * Tensor(scale)).sum().backward()
    np.testing.assert_allclose(found.numpy(), x.cumsum(axis), rtol=1e-9, atol=1e-9)
    back = np.flip(np.flip(scale, axis).cumsum(axis), axis)
    np.testing.assert_allclose(leaf.grad.numpy(), back, rtol=1e-9, atol=1e-9)


FAR = {
    "up and down": (1e2, 1e-2), "down and up": (1e-2, 1e2), "up": (1.5, 1.5), "down": (0.5, 0.5),
    "and signs": (-1e2, -1e-2),
}  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "axis"), [((40,), 0), ((300,), 0), ((3, 70, 2), 1), ((20, 300), 1)]
)
@pytest.mark.parametrize("name", FAR)
def test_a_running_product_beyond_float32_comes_back(name, shape, axis):
    """Products are of float64: that of a block is far beyond float32, where no infinity meets a
    zero. What is within float32 at last has the value and the gradient that it has."""
    first, second = FAR[name]
    half = np.arange(shape[axis]) < shape[axis] // 2
    x = np.where(half, first, second).astype(np.float32)
    x = np.broadcast_to(x.reshape(-1, *[1] * (len(shape) - axis - 1)), shape)
    leaf = Tensor(x, requires_grad=True)
    found, wide = leaf.cumprod(axis), np.cumprod(x.astype(np.float64), axis)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(found.numpy(), wide.astype(np.float32), rtol=1e-4, atol=1e-44)
    kept = abs(wide) < 1e30
    Tensor(kept).where(found, 0).sum().backward()
    behind = np.flip(np.cumsum(np.flip(wide * kept, axis), axis), axis) / x
    small = abs(behind) < 1e30
    np.testing.assert_allclose(leaf.grad.numpy()[small], behind[small], rtol=1e-4, atol=1e-37)


def test_a_running_product_stays_infinite():
    x = np.array([2.0, np.inf, *[1e-4] * 60], np.float32)
    assert np.isinf(Tensor(x).cumprod(0).numpy()[1:]).all()
    x[50] = -1.0
    assert (Tensor(x).cumprod(0).numpy()[50:] == -np.inf).all()
    x[55] = 0.0
    assert np.isnan(Tensor(x).cumprod(0).numpy()[55:]).all()
