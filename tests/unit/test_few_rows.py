"""A few rows times a matrix whose rows are summed along: sums of neighbours, as vectors."""

import re

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel

TARGETS = ["C", "C_AVX2", "C_NEON", "C_SSE", "C_DOT"]


def choices(m, n, k, kind="f32", target="C"):
    x, w = (Tensor.empty(*shape, dtype=kind).clone() for shape in ((m, k), (n, k)))
    Tensor.realize(x, w)
    return lower_kernel((x @ w.T).schedule()[-1].ast, target).choices


@pytest.mark.parametrize(("m", "kind", "target"), in_pairs([2, 3, 4], ["f32", "bf16"], TARGETS))
def test_nothing_is_packed_for_them(m, kind, target):
    chosen = choices(m, 1024, 1024, kind, target)
    assert "pack" not in chosen
    assert "tc(" not in chosen


@pytest.mark.parametrize(("m", "k"), [(5, 1024), (64, 1024), (4, 64)])
def test_more_rows_and_short_sums_have_panels(m, k):
    assert "pack" in choices(m, 1024, k)


@pytest.mark.parametrize("kind", ["f32", "f64", "f16", "bf16", "i8", "i32"])
@pytest.mark.parametrize(
    ("m", "n", "k"), [(2, 64, 256), (3, 7, 300), (4, 101, 1025), (2, 1, 2049), (4, 33, 257)]
)
def test_products_are_right(m, n, k, kind, rng):
    a, b = (rng.integers(-4, 5, shape) for shape in ((m, k), (n, k)))
    x, w = (Tensor(array.astype(np.float32)).cast(kind) for array in (a, b))
    wide = {"i8": "i32"}.get(kind)
    got = x.matmul(w.T, dtype=wide) if wide else x @ w.T
    np.testing.assert_allclose(got.cast("f64").numpy(), a @ b.T, rtol=1e-2 if "16" in kind else 0)


def test_they_may_be_batched_and_have_an_epilogue(rng):
    x, w = rng.standard_normal((3, 4, 512)), rng.standard_normal((3, 40, 512))
    bias = rng.standard_normal(40)
    got = (Tensor(x) @ Tensor(w).transpose(1, 2) + Tensor(bias)).relu().numpy()
    np.testing.assert_allclose(got, np.maximum(x @ w.transpose(0, 2, 1) + bias, 0), atol=1e-9)


@pytest.mark.parametrize("m", range(1, 17))
@pytest.mark.parametrize("target", ["C", "C_AVX2", "C_SSE"])
def test_few_rows_of_a_matrix_that_is_read_once(m, target, rng):
    """Rows that no tile divides are some more: eight multiply-adds are under way at least."""
    x, w = rng.standard_normal((m, 512)), rng.standard_normal((512, 1024))
    product = Tensor(x.astype(np.float32)).realize() @ Tensor(w.astype(np.float32)).realize()
    [kernel] = product.schedule()
    accumulators = re.findall(r"^  f32x\d+ acc\d+;", lower_kernel(kernel.ast, target).source, re.M)
    assert m < 4 or len(accumulators) >= 8
    np.testing.assert_allclose(product.numpy(), x @ w, rtol=1e-4, atol=1e-3)


def test_derivatives_by_kernels_fill_sixteen_registers(rng):
    """A panel of columns serves all places of a window; its rows are a divisor of a chunk where
    that leaves enough under way, as it does with 32 registers."""
    image, given = rng.standard_normal((1, 64, 20, 20)), rng.standard_normal((1, 64, 20, 20))
    weight = Tensor.zeros(64, 64, 3, 3).requires_grad_()
    image, given = (Tensor(a.astype(np.float32)).realize() for a in (image, given))
    (image.conv2d(weight, padding=1) * given).sum().backward()
    kernel = weight.grad.schedule()[-1]
    source = lower_kernel(kernel.ast, "C_AVX2").source
    assert len(re.findall(r"^  f32x8 acc\d+;", source, re.M)) == 12
    padded = np.pad(image.numpy().astype(float), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    exact = np.einsum("nohw,nchwij->ocij", given.numpy().astype(float), windows)
    np.testing.assert_allclose(weight.grad.numpy(), exact, rtol=1e-3, atol=1e-3)
