"""Sums with fewer results side by side than half a vector: vectors with masks, where they pay."""

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel


def by_windows(x, w, stride):
    """A depthwise convolution of images (count, channels, size, size), in float64."""
    pad = w.shape[-1] // 2
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[2:], (2, 3))
    return np.einsum("ncijkl,ckl->ncij", windows[:, :, ::stride, ::stride], w[:, 0])


@pytest.mark.parametrize(
    ("size", "window", "stride", "dtype"),
    in_pairs([3, 7, 8, 10, 13], [3, 5, 7], [1, 2], [np.float32, np.float64]),
)
def test_small_images(size, window, stride, dtype, rng):
    x = rng.normal(size=(2, 12, size, size)).astype(dtype)
    w = rng.normal(size=(12, 1, window, window)).astype(dtype)
    result = Tensor(x).conv2d(Tensor(w), stride=stride, padding=window // 2, groups=12)
    np.testing.assert_allclose(result.numpy(), by_windows(x, w, stride), atol=1e-4)


@pytest.mark.parametrize("columns", [1, 3, 4, 5, 6, 7, 9])
@pytest.mark.parametrize(("rows", "length"), [(1000, 20), (313, 67), (2, 3)])
def test_products_with_few_columns(rows, length, columns, rng):
    x, w = rng.normal(size=(rows, length)), rng.normal(size=(length, columns))
    exact = x @ w
    for left, right in ((x, w), (x.T.copy().T, w), (x, w.T.copy().T)):
        result = Tensor(left.astype(np.float32)) @ Tensor(right.astype(np.float32))
        np.testing.assert_allclose(result.numpy(), exact, atol=1e-4)


def test_few_results_are_vectors_where_they_are_work(rng):
    w = Tensor(rng.normal(size=(20, 7)).astype(np.float32)).realize()
    for rows, is_vector in ((1000, True), (3, False)):
        x = Tensor(rng.normal(size=(rows, 20)).astype(np.float32)).realize()
        [kernel] = (x @ w).schedule()
        assert ("simd(" in lower_kernel(kernel.ast, "C").choices) is is_vector, rows


@pytest.mark.parametrize(
    ("rows", "columns", "dtype"),
    in_pairs([256, 1009, 30_001], [1, 2, 3, 4, 5], ["f32", "f64", "i32", "u8"]),
)
def test_long_columns_a_few_elements_apart(rows, columns, dtype, rng):
    x = Tensor(rng.integers(0, 100, (rows, columns))).cast(dtype).realize()
    exact = x.cast("f64").numpy()
    np.testing.assert_array_equal(x.sum(0).cast("f64").numpy(), exact.sum(0))
    np.testing.assert_array_equal(x.max(0).cast("f64").numpy(), exact.max(0))
    products = (x.cast("f64").T @ x.cast("f64")).numpy()
    np.testing.assert_array_equal(products, exact.T @ exact)


def test_long_columns_are_vectors_and_forget_less(rng):
    x = Tensor(rng.random((500_001, 3)).astype(np.float32)).realize()
    product = x.T @ x
    [kernel] = product.schedule()
    assert "simd(" in lower_kernel(kernel.ast, "C").choices
    exact = x.numpy().astype(np.float64)
    np.testing.assert_allclose(product.numpy(), exact.T @ exact, rtol=1e-5)
