"""Sums of values that are no neighbours in memory: windows with steps, and few columns."""

import re

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel

WINDOWS = [  # rows and columns of an image, side of a window, step
    ((28, 28), 3, 2),
    ((28, 28), 5, 2),
    ((57, 40), 7, 2),
    ((31, 64), 5, 3),
    ((100, 33), 8, 2),
]


def windows(x, side, step):
    """Every window of the last two axes, by numpy."""
    under = np.lib.stride_tricks.sliding_window_view(x, (side, side), (-2, -1))
    return under[..., ::step, ::step, :, :]


@pytest.mark.parametrize("padding", [0, 2])
@pytest.mark.parametrize(("size", "side", "step"), WINDOWS, ids=str)
def test_windows_of_single_channels(size, side, step, padding, rng):
    x = rng.integers(-3, 4, (2, 3, *size)).astype(np.float32)
    w = rng.integers(-3, 4, (3, 1, side, side)).astype(np.float32)
    result = Tensor(x).conv2d(Tensor(w), groups=3, stride=step, padding=padding).numpy()
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    expected = np.einsum("ncyxij,cij->ncyx", windows(wide, side, step), w[:, 0])
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(("size", "side", "step"), WINDOWS, ids=str)
def test_largest_values_of_windows(size, side, step, rng):
    x = rng.normal(size=(2, 3, *size)).astype(np.float32)
    x[0, 0, 3, 4] = np.nan
    result = Tensor(x).max_pool2d(side, step).numpy()
    np.testing.assert_array_equal(result, windows(x, side, step).max((-2, -1)))


@pytest.mark.parametrize(("size", "side", "step"), WINDOWS[:4], ids=str)
def test_results_of_windows_are_vectors_without_a_loop(size, side, step, rng):
    x = Tensor(rng.normal(size=(2, 3, *size)).astype(np.float32)).realize()
    w = Tensor(rng.normal(size=(3, 1, side, side)).astype(np.float32)).realize()
    *_, kernel = x.conv2d(w, groups=3, stride=step).schedule()
    choices = lower_kernel(kernel.ast, "C").choices
    assert choices.count("unroll(") == 2
    assert choices.count("simd(") == 1


@pytest.mark.parametrize("columns", [1, 2, 3, 7])
@pytest.mark.parametrize("rows", [1000, 12_007, 200_000])
def test_sums_of_few_columns(rows, columns, rng):
    x = rng.normal(size=(rows, columns)).astype(np.float32)
    result = Tensor(x).sum(0).numpy()
    np.testing.assert_allclose(result, x.sum(0, dtype=np.float64), rtol=0, atol=1e-6 * rows)


def test_each_of_few_columns_has_several_accumulators(rng):
    x = Tensor(rng.normal(size=(200_000, 3)).astype(np.float32)).realize()
    [kernel, _] = x.sum(0).schedule()
    assert re.search(
        r", 64\); .*, 16\); upcast\(r\d+\); simd\(", lower_kernel(kernel.ast, "C").choices
    )


def turned(x, c, s, stack):
    """Each pair of neighbours turned by an angle."""
    first, second = x[..., ::2], x[..., 1::2]
    return stack([first * c - second * s, first * s + second * c])


@pytest.mark.parametrize("shape", [(3, 5, 40, 64), (2, 7, 33, 10), (4, 100, 128), (1, 2, 3, 6)])
def test_pairs_of_neighbours(shape, rng):
    x = rng.integers(-3, 4, shape).astype(np.float32)
    c, s = rng.integers(-3, 4, (2, shape[-2], shape[-1] // 2)).astype(np.float32)
    expected = turned(x, c, s, lambda parts: np.stack(parts, -1).reshape(shape))
    tensors = [Tensor(a) for a in (x, c, s)]
    result = turned(*tensors, lambda parts: Tensor.stack(*parts, dim=-1).reshape(*shape))
    np.testing.assert_array_equal(result.numpy(), expected)


@pytest.mark.parametrize("on", ["C", "C_AVX2"])
def test_pairs_of_neighbours_are_stored_along_their_row(on, rng):
    """The first of all pairs as a vector, and the second ones."""
    x = Tensor(rng.normal(size=(8, 12, 512, 64)).astype(np.float32)).realize()
    c, s = (Tensor(a).realize() for a in rng.normal(size=(2, 512, 32)).astype(np.float32))
    [kernel] = turned(x, c, s, lambda p: Tensor.stack(*p, dim=-1).flatten(-2)).schedule()
    choices = lower_kernel(kernel.ast, on).choices
    assert re.search(r"upcast\(r\d+\);.* simd\(", choices)
    assert "block(" not in choices


@pytest.mark.parametrize("dtype", ["f32", "bf16", "f64"])
def test_windows_of_three_columns_are_vectors(dtype, rng):
    """The derivative by kernels of single channels, whose results lie side by side by threes."""
    x, w, u = (
        rng.integers(-2, 3, shape).astype(np.float64)
        for shape in ((4, 40, 7, 7), (40, 1, 3, 3), (4, 40, 7, 7))
    )
    a, b, c = (Tensor(v).cast(dtype).realize() for v in (x, w, u))
    b.requires_grad_(True)
    (by_kernel,) = (a.conv2d(b, groups=40, padding=1) * c).sum().gradient(b)
    *_, kernel = by_kernel.schedule()
    assert "simd(" in kernel.lower().choices
    seen = windows(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), 3, 1)
    wanted = np.einsum("ncyxij,ncyx->cij", seen, u)[:, None]
    np.testing.assert_allclose(by_kernel.cast("f64").numpy(), wanted, 8e-3 * (dtype == "bf16"))
