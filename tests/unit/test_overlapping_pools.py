"""Gradients of the largest elements of overlapping windows, beside those by a loop over windows."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor, Variable, jit

WAYS = [  # sizes, strides, padding, whether a last window may end outside
    ((3, 3), (2, 2), (1, 1), False),
    ((3, 3), (1, 1), (1, 1), False),
    ((3, 3), (2, 2), (0, 0), True),
    ((2, 2), (1, 1), (0, 0), False),
    ((5, 5), (2, 2), (2, 2), False),
    ((5, 4), (3, 1), (1, 2), False),
    ((4, 4), (3, 3), (2, 2), True),
    ((3, 2), (1, 2), (1, 0), False),
    ((3, 1), (2, 1), (1, 0), True),
    ((7, 7), (1, 1), (3, 3), False),
    ((3, 3), (3, 3), (1, 1), False),
    ((3, 3), (4, 2), (1, 1), False),
]


def pooled(x: np.ndarray, slope: np.ndarray, way: Any) -> tuple[np.ndarray, np.ndarray]:
    """The largest of each window of planes, and gradients, which equal elements share."""
    (height, width), (down, along), (above, before), _ = way
    most, gradient = np.empty(slope.shape), np.zeros(x.shape)
    for n, i, j in product(*map(range, slope.shape)):
        rows = slice(max(i * down - above, 0), max(i * down - above + height, 0))
        columns = slice(max(j * along - before, 0), max(j * along - before + width, 0))
        window = x[n, rows, columns]
        most[n, i, j] = window.max()
        hits = window == window.max()
        gradient[n, rows, columns] += hits * slope[n, i, j] / max(hits.sum(), 1)
    return most, gradient


def shape_of(shape: tuple[int, int], way: Any) -> tuple[int, int]:
    sizes = []
    for n, k, s, p in zip(shape, *way[:3], strict=True):
        steps = n + 2 * p - k
        count = -(-steps // s) + 1 if way[3] else steps // s + 1
        sizes.append(count - (way[3] and (count - 1) * s >= n + p))
    return sizes[0], sizes[1]


@pytest.mark.parametrize(
    ("way", "shape", "equal"), in_pairs(WAYS, [(7, 9), (12, 16), (8, 7)], [False, True])
)
def test_gradients_are_those_of_each_window(way: Any, shape: Any, equal: bool) -> None:
    rng = np.random.default_rng(4)
    whole, other = rng.integers(0, 3, (3, *shape)), rng.standard_normal((3, *shape))
    x = whole.astype(np.float64) if equal else other
    slope = rng.standard_normal((3, *shape_of(shape, way)))
    most, gradient = pooled(x, slope, way)
    tensor = Tensor(x, requires_grad=True)
    result = tensor.max_pool2d(way[0], way[1], padding=way[2], ceil_mode=way[3])
    (result * Tensor(slope)).sum().backward()
    np.testing.assert_array_equal(result.numpy(), most)
    np.testing.assert_allclose(tensor.grad.numpy(), gradient, atol=1e-12)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_gradients_of_every_float(kind: str) -> None:
    rng = np.random.default_rng(8)
    x, slope = rng.permutation(3 * 64).reshape(3, 8, 8) / 8.0, np.ones((3, 4, 4))
    _, wanted = pooled(x, slope, WAYS[0])
    tensor = Tensor(x).cast(kind).requires_grad_()
    tensor.max_pool2d(3, 2, padding=1).sum().backward()
    assert tensor.grad.dtype == kind
    np.testing.assert_array_equal(tensor.grad.cast("float64").numpy(), wanted)


def test_along_one_axis_and_three() -> None:
    rng = np.random.default_rng(9)
    row, cube = rng.standard_normal((2, 9)), rng.standard_normal((2, 5, 6, 7))
    for x, pool in ((row, "max_pool1d"), (cube, "max_pool3d")):
        tensor = Tensor(x, requires_grad=True)
        result = getattr(tensor, pool)(3, 2)
        result.sum().backward()
        windows = np.lib.stride_tricks.sliding_window_view(x, [3] * (x.ndim - 1), range(1, x.ndim))
        windows = windows[(slice(None), *[slice(None, None, 2)] * (x.ndim - 1))]
        counts = (x[..., None] == windows.max(tuple(range(x.ndim, 2 * x.ndim - 1))).ravel()).sum(-1)
        np.testing.assert_array_equal(tensor.grad.numpy(), counts)


def test_where_a_window_has_nan_nothing_is_largest() -> None:
    x = np.arange(16.0).reshape(1, 4, 4)
    x[0, 0, 0] = np.nan
    tensor = Tensor(x, requires_grad=True)
    tensor.max_pool2d(3, 1).sum().backward()
    wanted = np.zeros((4, 4))
    wanted[2, 3] = wanted[3, 2] = wanted[3, 3] = 1
    np.testing.assert_array_equal(tensor.grad.numpy()[0], wanted)


def test_under_jit_of_symbolic_sizes_and_of_none() -> None:
    rng = np.random.default_rng(10)

    @jit
    def gradient(x: Tensor) -> Tensor:
        image = x.detach().requires_grad_()
        image.max_pool2d(3, 2, padding=1).square().sum().backward()
        return image.grad

    for _ in range(4):
        x = rng.standard_normal((3, 12, 16))
        most, _ = pooled(x, np.ones((3, 6, 8)), WAYS[0])
        _, wanted = pooled(x, 2 * most, WAYS[0])
        np.testing.assert_allclose(gradient(Tensor(x)).numpy(), wanted, atol=1e-12)
    count = Variable("count", 1, 3).bind(2)
    some = Tensor(x, requires_grad=True)
    some[:count].max_pool2d(3, 2, padding=1).sum().backward()
    _, wanted = pooled(x[:2], np.ones((2, 6, 8)), WAYS[0])
    np.testing.assert_array_equal(some.grad.numpy()[:2], wanted)
    none = Tensor(np.ones((0, 5, 5)), requires_grad=True)
    none.max_pool2d(3, 2).sum().backward()
    assert none.grad.shape == (0, 5, 5)


def test_gradients_of_gradients() -> None:
    """By the upstream one: of the square of what the largest elements get, twice that."""
    rng = np.random.default_rng(11)
    x, slope = rng.standard_normal((2, 6, 6)), rng.standard_normal((2, 3, 3))
    tensor, upstream = Tensor(x, requires_grad=True), Tensor(slope, requires_grad=True)
    first = tensor.max_pool2d(3, 2, padding=1).gradient(tensor, gradient=upstream)[0]
    second = (first * first).sum().gradient(upstream)[0]
    _, once = pooled(x, slope, WAYS[0])
    wanted = np.zeros(slope.shape)
    for place in np.ndindex(slope.shape):
        one = np.zeros(slope.shape)
        one[place] = 1
        wanted[place] = 2 * (once * pooled(x, one, WAYS[0])[1]).sum()
    np.testing.assert_allclose(second.numpy(), wanted, atol=1e-10)
