"""Convolutions of narrow images or with steps: as one matrix product, with the same values."""

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.tensor import convolution

SHAPES = [  # images, weights, options
    ((8, 32, 5, 5), (64, 32, 3, 3), {"padding": 1}),
    ((16, 40, 9, 7), (67, 40, 3, 2), {"stride": 2}),
    ((4, 64, 7, 3), (64, 64, 3, 3), {"padding": (1, 0, 2, 1)}),
    ((64, 48, 11), (64, 48, 5), {"dilation": 2}),
    ((3, 20, 33, 31), (24, 20, 3, 3), {"stride": 2, "padding": 1}),
]


def plainly(monkeypatch):
    monkeypatch.setattr(convolution, "WORK", 1 << 60)


@pytest.mark.parametrize("images, weights, options", SHAPES)
def test_values_and_derivatives_are_those_of_the_plain_way(
    rng, monkeypatch, images, weights, options
):
    x, w = rng.normal(size=images), rng.normal(size=weights)

    def run() -> tuple[list[str], list[np.ndarray]]:
        a, b = Tensor(x, requires_grad=True), Tensor(w, requires_grad=True)
        items = Tensor(x).conv2d(Tensor(w), **options).schedule()
        kernels = [item.lower().name for item in items]
        found = a.conv2d(b, **options)
        (found * found.sin()).sum().backward()
        return kernels, [found.numpy(), a.grad.numpy(), b.grad.numpy()]

    kernels, values = run()
    plainly(monkeypatch)
    plain_kernels, plain_values = run()
    assert kernels != plain_kernels
    for found, plain in zip(values, plain_values, strict=True):
        np.testing.assert_allclose(found, plain, rtol=1e-10, atol=1e-9)
