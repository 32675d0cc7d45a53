"""Rows that lie across memory are stored as they are read, before a kernel goes along them."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable, jit


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def centred(x: np.ndarray, axes: int | tuple[int, ...] = -1) -> np.ndarray:
    return x - x.mean(axes, keepdims=True)


def kernels(value: Tensor) -> int:
    return len(value.schedule())


def check(value: Tensor, exact: np.ndarray, count: int) -> None:
    assert kernels(value) == count
    np.testing.assert_allclose(value.numpy(), exact, rtol=1e-4, atol=1e-5)
    with Context(DEVICE="INTERP"):
        np.testing.assert_allclose(value.numpy(), exact, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("rows", "length"), [(160, 128), (131, 127), (2048, 8), (16, 1025)])
def test_a_transposed_matrix_is_copied_before_its_softmax(rng, rows, length):
    x = rng.standard_normal((length, rows), dtype=np.float32)
    check(Tensor(x).T.softmax(1), softmax(x.T.astype(float)), 2)
    check(Tensor(x.T.copy()).softmax(1), softmax(x.T.astype(float)), 1)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_so_is_one_of_any_floats(rng, dtype):
    x = rng.standard_normal((128, 130)).astype(dtype)
    rows = Tensor(x).T
    value = rows - rows.mean(1, keepdim=True)
    assert kernels(value) == 2
    exact = centred(x.T.astype(float))
    np.testing.assert_allclose(value.numpy(), exact, rtol=2e-3, atol=4e-3)


def test_what_is_computed_of_it_is_stored(rng):
    """Elementwise values of it and of its rows are one value, with rows that lie as they are."""
    x, scale = rng.standard_normal((130, 140), dtype=np.float32), rng.random(130, dtype=np.float32)
    value = (Tensor(x).T.relu() * Tensor(scale) + 1).softmax(1)
    check(value, softmax(np.maximum(x.T, 0).astype(float) * scale + 1), 2)


def test_what_lies_along_rows_beside_it_is_not_copied(rng):
    """Of a sum of a matrix and a transposed one the latter alone is."""
    x, y = (rng.standard_normal((150, 150), dtype=np.float32) for _ in range(2))
    value = (Tensor(x).T + Tensor(y)).softmax(1)
    assert [b.size for b in value.schedule()[0].buffers] == [150 * 150] * 2
    check(value, softmax((x.T + y).astype(float)), 2)


def test_rows_of_several_axes(rng):
    x = rng.standard_normal((3, 24, 25, 16), dtype=np.float32)
    image = Tensor(x).permute(0, 3, 1, 2)
    value = image - image.mean((2, 3), keepdim=True)
    check(value, centred(x.transpose(0, 3, 1, 2).astype(float), (2, 3)), 2)


def test_part_of_it_turned_and_padded(rng):
    x = rng.standard_normal((140, 150), dtype=np.float32)
    part = Tensor(x)[::-1, 1:].T[:, 2:]
    check(part.softmax(1), softmax(x[::-1, 1:].T[:, 2:].astype(float)), 2)
    wide = Tensor(x).T.pad((1, 1))
    exact = softmax(np.pad(x.T, ((0, 0), (1, 1))).astype(float))
    np.testing.assert_allclose(wide.softmax(1).numpy(), exact, rtol=1e-4, atol=1e-6)


def test_a_large_product_is_stored_transposed(rng):
    """No copy: its kernel stores it so that its rows lie as they are read."""
    x, y = (rng.standard_normal((128, 128), dtype=np.float32) for _ in range(2))
    value = (Tensor(x) @ Tensor(y)).T.softmax(1)
    check(value, softmax((x.astype(float) @ y).T), 2)


@pytest.mark.parametrize(
    "shape",
    [(100, 100), (3, 8000)],  # few elements; rows of few, as channels of images
)
def test_small_ones_are_one_kernel(rng, shape):
    x = rng.standard_normal(shape, dtype=np.float32)
    rows = Tensor(x).T
    check(rows - rows.mean(1, keepdim=True), centred(x.T.astype(float)), 1)


def test_a_sum_alone_needs_no_copy(rng):
    x = rng.standard_normal((200, 300), dtype=np.float32)
    check(Tensor(x).T.sum(1), x.sum(0, dtype=float), 1)


def test_under_jit_after_a_write_and_of_any_size(rng):
    x = rng.standard_normal((160, 144), dtype=np.float32)
    memory, called = Tensor(x).realize(), jit(lambda t: t.T.softmax(1))
    for number in range(4):
        memory[3, number] = float(number)
        x[3, number] = number
        exact = softmax(x.T.astype(float))
        np.testing.assert_allclose(called(memory).numpy(), exact, rtol=1e-4, atol=1e-6)
    size = Variable("size", 1, 144)
    for count in (1, 7, 144):
        value = memory[:, : size.bind(count)].T.softmax(1)
        found = value.numpy()
        exact = softmax(x[:, :count].T.astype(float))
        np.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-6)


def test_gradients_along_such_rows(rng):
    x = rng.standard_normal((128, 136)).astype(np.float32)
    weight = rng.standard_normal((136, 128)).astype(np.float32)
    leaf = Tensor(x, requires_grad=True)
    (leaf.T.softmax(1) * Tensor(weight)).sum().backward()
    y = softmax(x.T.astype(float))
    exact = (y * (weight - (y * weight).sum(-1, keepdims=True))).T
    assert leaf.grad is not None
    np.testing.assert_allclose(leaf.grad.numpy(), exact, rtol=1e-3, atol=1e-6)
