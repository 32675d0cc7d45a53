"""Gradients of interpolation: each element gets those of the new ones near it, and of no others."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor, jit

SIZES = [(8, 16), (16, 8), (7, 31), (40, 23), (33, 64), (5, 41), (1, 9), (9, 1), (2, 24), (64, 48)]


def weights(size: int, count: int, cubic: bool, corners: bool) -> np.ndarray:
    """(count, size): how much of each old element each new one is (Keys, 1981, for cubic ones)."""
    shares = np.zeros((count, size))
    step = (size - 1) / max(count - 1, 1) if corners else size / count
    for j in range(count):
        place = j * step if corners else (j + 0.5) * step - 0.5
        place = place if cubic else max(place, 0)
        low, a = int(np.floor(place)), -0.75
        t = place - low
        if cubic:
            near = [(a + 2) * d**3 - (a + 3) * d**2 + 1 for d in (t, 1 - t)]
            far = [a * (d**3 - 5 * d**2 + 8 * d - 4) for d in (t + 1, 2 - t)]
            taps = [(low - 1, far[0]), (low, near[0]), (low + 1, near[1]), (low + 2, far[1])]
        else:
            taps = [(low, 1 - t), (low + 1, t)]
        for at, weight in taps:
            shares[j, min(max(at, 0), size - 1)] += weight
    return shares


@pytest.mark.parametrize(
    ("sizes", "cubic", "corners", "kind"),
    in_pairs(SIZES, [False, True], [False, True], ["float32", "float64"]),
)
def test_gradients_are_those_of_the_weights(
    sizes: tuple[int, int], cubic: bool, corners: bool, kind: str
) -> None:
    rng = np.random.default_rng(5)
    size, count = sizes
    x, slope = rng.standard_normal((2, 3, size)), rng.standard_normal((2, 3, count))
    shares = weights(size, count, cubic, corners)
    tensor = Tensor(x.astype(kind), requires_grad=True)
    mode = "cubic" if cubic else "linear"
    blended = tensor.interpolate(count, mode=mode, align_corners=corners)
    (blended * Tensor(slope.astype(kind))).sum().backward()
    close = 1e-4 if kind == "float32" else 1e-10
    np.testing.assert_allclose(blended.numpy(), x @ shares.T, atol=close)
    np.testing.assert_allclose(tensor.grad.numpy(), slope @ shares, atol=close)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_gradients_of_images_are_separable(mode: str) -> None:
    rng = np.random.default_rng(6)
    x, slope = rng.standard_normal((2, 3, 12, 10)), rng.standard_normal((2, 3, 24, 35))
    rows, columns = (weights(n, m, mode == "bicubic", False) for n, m in ((12, 24), (10, 35)))

    @jit
    def gradient(x: Tensor, slope: Tensor) -> Tensor:
        image = x.detach().requires_grad_()
        (image.interpolate((24, 35), mode=mode) * slope).sum().backward()
        return image.grad

    for turn in range(4):
        found = gradient(Tensor(x + turn), Tensor(slope * (turn + 1)))
        wanted = np.einsum("nchw,hi,wj->ncij", slope * (turn + 1), rows, columns)
        np.testing.assert_allclose(found.numpy(), wanted, atol=1e-10)


def test_what_is_infinite_reaches_those_near_it_alone() -> None:
    slope = np.zeros(48)
    slope[20] = np.inf
    tensor = Tensor(np.ones((1, 1, 24)), requires_grad=True)
    (tensor.interpolate(48) * Tensor(slope)).sum().backward()
    near = np.flatnonzero(weights(24, 48, False, False)[20])
    np.testing.assert_array_equal(np.flatnonzero(tensor.grad.numpy()[0, 0]), near)


def test_gradients_of_gradients() -> None:
    """Of the square of a gradient, by the upstream one: twice that of what it came to."""
    rng = np.random.default_rng(7)
    shares, slope = weights(6, 30, False, False), rng.standard_normal((1, 1, 30))
    x = Tensor(rng.standard_normal((1, 1, 6)), requires_grad=True)
    upstream = Tensor(slope, requires_grad=True)
    first = x.interpolate(30).gradient(x, gradient=upstream)[0]
    second = (first * first).sum().gradient(upstream)[0]
    np.testing.assert_allclose(second.numpy(), 2 * slope @ shares @ shares.T, atol=1e-10)


def test_each_gradient_is_one_kernel_an_axis() -> None:
    """And those of positions and weights, which hang on no tensor."""
    tensor = Tensor(np.ones((2, 3, 32, 32)), requires_grad=True)
    tensor.interpolate((64, 64), mode="bilinear").sum().backward()
    sizes = [item.buffers[0].size for item in tensor.grad.schedule() if item.is_kernel]
    large = [size for size in sizes if size > 64 * 64]
    assert sorted(large) == sorted(2 * 3 * n for n in (64 * 32, 32 * 32))


def test_odd_axes_beside_the_blended_one() -> None:
    for lead, size in product([(0, 2), (1, 1), (5, 3)], [(1, 16), (16, 40)]):
        tensor = Tensor(np.ones((*lead, size[0])), requires_grad=True)
        tensor.interpolate(size[1]).sum().backward()
        wanted = np.broadcast_to(weights(*size, False, False).sum(0), (*lead, size[0]))
        np.testing.assert_allclose(tensor.grad.numpy(), wanted, atol=1e-5)
