"""What is computed beside a large product, and what several kernels compute of a mean again."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor, nn
from rulewright.codegen.lower import lower_kernel
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


def test_what_is_made_for_weights_of_windows_is_kept(rng):
    """They read it one by one, again for each place in the window and each channel."""
    image, weight = numbers(rng, 4, 16, 600), numbers(rng, 32, 16, 9).requires_grad_()
    shape = image.conv2d(weight, padding=4).shape
    given, passed = numbers(rng, *shape), numbers(rng, *shape)
    (image.conv2d(weight, padding=4) * (passed > 0).where(given, 0)).sum().backward()
    product = weight.grad.schedule()[-1]
    nodes = [n for n in product.ast.toposort() if n.op in (Ops.WHERE, Ops.CMPLT)]
    assert not [n for n in nodes if n.dtype.is_float], "the derivative of relu is beside it"
    factor = np.where(passed.numpy() > 0, given.numpy(), 0).astype(float)
    padded = np.pad(image.numpy(), ((0, 0), (0, 0), (4, 4)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 9, axis=2)
    exact = np.einsum("nol,nclk->ock", factor, windows)
    np.testing.assert_allclose(weight.grad.numpy(), exact, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("images", [1, 4])
def test_threads_do_not_add_up_again_what_is_stored_several_times(rng, images):
    """A norm over few channels that lie apart: each result needs the sums of all of them."""
    x = numbers(rng, images, 64, 60 // images, 4)
    result = x.permute(0, 2, 3, 1).layernorm()
    (item,) = result.schedule()
    assert "join" not in lower_kernel(item.ast, "C").choices
    rows = x.numpy().astype(float).transpose(0, 2, 3, 1)
    exact = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(result.numpy(), exact, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("channels", [32, 96])
def test_windows_of_each_channel_are_no_rows_of_a_norm(rng, channels):
    """Rows of channels lie across images: what windows see has a kernel of its own."""
    image, taps = numbers(rng, 1, channels, 40, 41), numbers(rng, channels, 1, 5, 5)
    seen = image.conv2d(taps, padding=2, groups=channels).permute(0, 2, 3, 1)
    result = seen.layernorm()
    assert [25] in [sums(item) for item in result.schedule()]
    exact = np.zeros((1, 40, 41, channels))
    wide = np.pad(image.numpy().astype(float), ((0, 0), (0, 0), (2, 2), (2, 2)))
    for y, x in np.ndindex(5, 5):
        part = wide[:, :, y : y + 40, x : x + 41] * taps.numpy()[:, 0, y, x][:, None, None]
        exact += part.transpose(0, 2, 3, 1)
    exact -= exact.mean(-1, keepdims=True)
    exact /= np.sqrt(exact.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(result.numpy(), exact, rtol=1e-3, atol=1e-3)
