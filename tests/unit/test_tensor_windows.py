"""Windows that overlap, some elements further on each: values, gradients, and what these take."""

import numpy as np
import pytest

from rulewright import Tensor, jit

# elements of the axis, of a window, steps
SIZES = [
    (20, 4, 2),
    (20, 5, 2),
    (21, 5, 3),
    (23, 7, 5),
    (7, 7, 3),
    (8, 7, 6),
    (1000, 256, 64),
    (1009, 101, 40),
    (50, 2, 3),
    (50, 3, 1),
]


def by_numpy(x, size, step):
    return np.lib.stride_tricks.sliding_window_view(x, size, axis=-1)[..., ::step, :]


@pytest.mark.parametrize(("n", "size", "step"), SIZES)
def test_windows_and_their_gradient(n, size, step, rng):
    x = rng.normal(size=(3, n))
    expected = by_numpy(x, size, step)
    weights = rng.normal(size=expected.shape)
    slope = np.zeros_like(x)
    for at in range(expected.shape[1]):
        slope[:, at * step : at * step + size] += weights[:, at]
    leaf = Tensor(x, requires_grad=True)
    windows = leaf.unfold(1, size, step)
    assert (windows.numpy() == expected).all()
    (windows * Tensor(weights)).sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), slope, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("n", "size", "step"), SIZES)
def test_windows_of_a_middle_axis_follow_what_is_written(n, size, step, rng):
    x = rng.normal(size=(2, n, 3))
    tensor = Tensor(x).realize()
    windows = tensor.unfold(1, size, step)
    tensor[:, n // 2] = 7
    x[:, n // 2] = 7
    expected = np.lib.stride_tricks.sliding_window_view(x, size, axis=1)[:, ::step]
    assert (windows.numpy() == expected).all()


@pytest.mark.parametrize(("n", "size", "step"), [(16000, 400, 160), (16000, 401, 160)])
def test_the_gradient_looks_at_the_windows_that_an_element_is_in(n, size, step):
    """It takes some steps for each element of a window, not one for each pair of them."""
    leaf = Tensor(np.ones(n, np.float32), requires_grad=True)
    windows = leaf.unfold(0, size, step)
    weights = Tensor(np.ones(windows.shape, np.float32))
    slope = (windows * weights).sum().gradient(leaf)[0]
    steps = sum(item.lower().estimates.flops for item in slope.schedule())
    assert steps <= 16 * windows.numel()


def test_a_captured_slope_of_windows(rng):
    @jit
    def slope(x):
        leaf = x.detach().requires_grad_(True)
        return leaf.unfold(0, 5, 2).square().sum().gradient(leaf)[0]

    for _ in range(3):
        x = rng.normal(size=21)
        expected = np.zeros(21)
        for at in range(9):
            expected[2 * at : 2 * at + 5] += 2 * x[2 * at : 2 * at + 5]
        np.testing.assert_allclose(slope(Tensor(x)).numpy(), expected, rtol=1e-12)
