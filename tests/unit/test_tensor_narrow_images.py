"""Convolutions of images too narrow for vectors: as one matrix product, with the same values."""

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.tensor import convolution

SHAPES = [  # images, weights, options
    ((8, 32, 5, 5), (64, 32, 3, 3), {"padding": 1}),
    ((16, 40, 9, 7), (67, 40, 3, 2), {"stride": 2}),
    ((4, 64, 7, 3), (64, 64, 3, 3), {"padding": (1, 0, 2, 1)}),
    ((64, 48, 11), (64, 48, 5), {"dilation": 2}),
]


def plainly(monkeypatch):
    monkeypatch.setattr(convolution, "WORK", 1 << 60)


@pytest.mark.parametrize("images, weights, options", SHAPES)
def test_values_and_derivatives_are_those_of_the_plain_way(
    rng, monkeypatch, images, weights, options
):
    x, w = rng.normal(size=images), rng.normal(size=weights)

    def run() -> tuple[int, list[np.ndarray]]:
        a, b = Tensor(x, requires_grad=True), Tensor(w, requires_grad=True)
        kernels = len(Tensor(x).conv2d(Tensor(w), **options).schedule())
        found = a.conv2d(b, **options)
        (found * found.sin()).sum().backward()
        return kernels, [found.numpy(), a.grad.numpy(), b.grad.numpy()]

    kernels, values = run()
    plainly(monkeypatch)
    plain_kernels, plain_values = run()
    assert kernels > plain_kernels  # the columns have memory of their own
    for found, plain in zip(values, plain_values, strict=True):
        np.testing.assert_allclose(found, plain, rtol=1e-10, atol=1e-9)
