"""Gradients of running products: by accumulators that go to and fro, and nothing is divided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor

SHAPES = [((3, 50), 1), ((50, 3), 0), ((4, 33, 5), 1), ((2, 40, 64), 1), ((1, 40), 1), ((40,), 0),
          ((8, 9), 1), ((0, 40), 1), ((5, 400), 1), ((20000,), 0)]  # fmt: skip


def gradient(x: np.ndarray, slope: np.ndarray, axis: int) -> np.ndarray:
    """Of each element: the product of those before it, times g + x * (what the next one gives)."""
    x, slope = (np.moveaxis(a.astype(np.float64), axis, 0) for a in (x, slope))
    before = np.concatenate([np.ones_like(x[:1]), np.cumprod(x, 0)[:-1]]) if x.size else x
    behind, found = np.zeros(x.shape[1:]), np.empty(x.shape)
    for i in reversed(range(len(x))):
        behind = behind + slope[i]
        found[i] = before[i] * behind
        behind = behind * x[i]
    return np.moveaxis(found, 0, axis)


def numbers(shape: Any, kind: str, zeros: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    x = rng.uniform(0.8, 1.2, shape) * rng.choice([-1, 1], shape)
    if x.size:
        x.reshape(-1)[rng.integers(0, x.size, zeros)] = 0
    return x.astype(kind), rng.standard_normal(shape).astype(kind)


LONG = 10_000  # elements of which the interpreter takes seconds
COMBINED = [
    (place, kind, zeros, device)
    for place, kind, zeros, device in in_pairs(
        SHAPES, ["float32", "float64"], [0, 1, 6], ["C", "INTERP"]
    )
    if device == "C" or np.prod(place[0]) <= LONG
]


@pytest.mark.parametrize(("place", "kind", "zeros", "device"), COMBINED)
def test_gradients_are_those_of_each_product(
    place: Any, kind: str, zeros: int, device: str
) -> None:
    shape, axis = place
    x, slope = numbers(shape, kind, zeros)
    tensor = Tensor(x, device=device, requires_grad=True)
    (tensor.cumprod(axis) * Tensor(slope, device=device)).sum().backward()
    wanted = gradient(x, slope, axis)
    close = (2e-3 if kind == "float32" else 1e-9) * (1 + np.abs(wanted).max(initial=0))
    assert tensor.grad.dtype == kind
    np.testing.assert_allclose(tensor.grad.numpy(), wanted, atol=close)


def test_products_that_are_given_in_another_dtype() -> None:
    """The gradient has the dtype of what is multiplied."""
    x, slope = numbers((4, 60), "float32", 1)
    tensor = Tensor(x).cast("float16").requires_grad_()
    products = tensor.cumprod(1, dtype="float32")
    (products * Tensor(slope)).sum().backward()
    assert (products.dtype, tensor.grad.dtype) == ("float32", "float16")
    wanted = gradient(tensor.numpy(), slope, 1)
    np.testing.assert_allclose(tensor.grad.numpy(), wanted, atol=0.02 * np.abs(wanted).max())


def test_gradients_of_gradients() -> None:
    """Beside differences of the gradient."""
    x, slope = numbers((2, 64), "float64", 0)
    weight = np.random.default_rng(5).standard_normal(x.shape)
    tensor, upstream = Tensor(x, requires_grad=True), Tensor(slope, requires_grad=True)
    first = tensor.cumprod(1).gradient(tensor, gradient=upstream)[0]
    by_x, by_slope = (first * Tensor(weight)).sum().gradient(tensor, upstream)

    def total(x: np.ndarray, slope: np.ndarray) -> float:
        return float((gradient(x, slope, 1) * weight).sum())

    for place in ((0, 0), (0, 63), (1, 20)):
        step = np.zeros(x.shape)
        step[place] = 1e-6
        by_difference = (total(x + step, slope) - total(x - step, slope)) / 2e-6
        np.testing.assert_allclose(by_x.numpy()[place], by_difference, rtol=1e-5, atol=1e-5)
        by_difference = (total(x, slope + step) - total(x, slope - step)) / 2e-6
        np.testing.assert_allclose(by_slope.numpy()[place], by_difference, rtol=1e-5, atol=1e-5)
