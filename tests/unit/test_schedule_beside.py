"""What is computed beside a large product, and what several kernels compute of a mean again."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor, nn
from rulewright.ir.ops import Ops


def sums(item) -> list[int]:
    """Terms of each reduction of a kernel."""
    nodes = [n for n in item.ast.toposort() if n.op is Ops.REDUCE]
    return [int(np.prod([int(r.vmax) + 1 for r in n.src[1:]])) for n in nodes]


def numbers(rng, *shape: int) -> Tensor:
    return Tensor(rng.standard_normal(shape).astype(np.float32)).realize()


def test_a_short_sum_beside_a_large_product_has_a_kernel_of_its_own(rng):
    a, b, c = numbers(rng, 96, 256), numbers(rng, 256, 96), numbers(rng, 96, 96, 3)
    result = a @ b + c.sum(-1)
    assert sorted(map(sums, result.schedule())) == [[3], [256]]
    exact = a.numpy().astype(float) @ b.numpy() + c.numpy().astype(float).sum(-1)
    np.testing.assert_allclose(result.numpy(), exact, rtol=1e-4, atol=1e-4)


def test_a_short_sum_beside_a_small_product_stays_with_it(rng):
    a, b, c = numbers(rng, 8, 16), numbers(rng, 16, 8), numbers(rng, 8, 8, 3)
    assert len((a @ b + c.sum(-1)).schedule()) == 1


@pytest.mark.parametrize("size", [7, 8])
@pytest.mark.parametrize(("height", "width", "stride"), [(1, 1, 2), (2, 1, 3), (1, 2, 3)])
def test_the_gradient_of_windows_with_gaps_is_no_sum(rng, size, height, width, stride):
    """Each element is in one window at most."""
    image = numbers(rng, 2, 3, size, size).requires_grad_()
    weight = numbers(rng, 4, 3, height, width)
    result = image.conv2d(weight, stride=stride)
    seen = numbers(rng, *result.shape)
    (result * seen).sum().backward()
    exact = np.zeros(image.shape)
    for y, x in np.ndindex(*result.shape[2:]):
        part = np.einsum("no,ochw->nchw", seen.numpy()[:, :, y, x], weight.numpy(), dtype=float)
        top, left = stride * y, stride * x
        exact[:, :, top : top + height, left : left + width] += part
    assert [sums(item) for item in image.grad.schedule()] in ([[4]], [[4], []])
    np.testing.assert_allclose(image.grad.numpy(), exact, rtol=1e-4, atol=1e-4)


def test_distances_to_a_mean_are_computed_again_and_not_kept(rng):
    """Of one memory and a mean they cost nothing; four kernels of a norm's gradients need them."""
    rows = numbers(rng, 64, 128).requires_grad_()
    norm = nn.LayerNorm(128)
    Tensor.realize(norm.weight, norm.bias)
    result = norm(rows)
    result.square().sum().backward()
    gradients = [rows.grad, norm.weight.grad, norm.bias.grad]
    written = [
        int(p.arg[1][0])
        for item in result.schedule(*gradients)
        for p in {n.src[0].src[0] for n in item.ast.toposort() if n.op is Ops.STORE}
    ]
    assert sum(size == rows.numel() for size in written) == 3  # two results, one on the way
