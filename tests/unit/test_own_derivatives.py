"""Derivatives that are said apart: what they are where those of each step would differ."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Tensor, Variable, function, jit

POINTS = np.array([-110, -40, -5, -1, 0, 0.5, 5, 12, 15, 18, 20, 40, 110], np.float32)


def slope(x: Tensor, goal: float) -> np.ndarray:
    """Of the cross entropy of sigmoid(x)."""
    (found,) = x.sigmoid().binary_crossentropy(Tensor(goal).expand(x.shape), "sum").gradient(x)
    return found.numpy()


@pytest.mark.parametrize("goal", [0.0, 1.0])
def test_the_slope_of_a_sigmoid_cancels_that_of_its_cross_entropy(goal):
    """It is y - goal, but less where y (1 - y) is less than the 1e-12 that the loss divides by."""
    y = (1 / (1 + np.exp(-POINTS.astype(np.float64)))).astype(np.float32).astype(np.float64)
    weight = y * (1 - y)
    wanted = (y - goal) * weight / np.maximum(weight, 1e-12)
    np.testing.assert_allclose(slope(Tensor(POINTS), goal), wanted, rtol=1e-5, atol=1e-7)


def test_slopes_of_slopes_of_a_sigmoid(rng):
    x = rng.uniform(-4, 4, 50)
    a = Tensor(x, requires_grad=True)
    (first,) = a.sigmoid().sum().gradient(a)
    (second,) = first.sum().gradient(a)
    y = 1 / (1 + np.exp(-x))
    np.testing.assert_allclose(first.numpy(), y * (1 - y), rtol=1e-12)
    np.testing.assert_allclose(second.numpy(), y * (1 - y) * (1 - 2 * y), rtol=1e-11)


def test_a_sigmoid_in_captures_functions_and_of_symbolic_sizes(rng):
    captured, called = jit(lambda x: x.sigmoid().realize()), function(lambda x: x.sigmoid() * 2)
    for _ in range(3):
        x = rng.normal(size=(5, 3)).astype(np.float32)
        y = 1 / (1 + np.exp(-x))
        np.testing.assert_allclose(captured(Tensor(x)).numpy(), y, rtol=1e-6)
        np.testing.assert_allclose(called(Tensor(x)).numpy(), 2 * y, rtol=1e-6)
    rows = Variable("rows", 1, 9).bind(5)
    part = Tensor(np.concatenate([x, x]))[:rows]
    np.testing.assert_allclose(part.sigmoid().sum(0).numpy(), y.sum(0), rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "dtype"), in_turn([(), (0,), (1,), (7, 13)], ["f16", "bf16", "f32", "f64", "i32"])
)
def test_a_sigmoid_of_each_dtype_and_shape(dtype, shape, rng):
    x = Tensor(rng.normal(size=shape)).cast(dtype)
    room = {"f16": 2e-3, "bf16": 2e-2}.get(dtype, 1e-6)
    wanted = 1 / (1 + np.exp(-x.cast("f64").numpy()))
    np.testing.assert_allclose(x.sigmoid().cast("f64").numpy(), wanted, rtol=room)
