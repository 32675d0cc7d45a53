"""What is kept of a reduction that several kernels ask for: the one value that all of them need."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from arrays import normal
from schedule_helpers import buffer, computed, kernels, matmul, reduced

from rulewright import Context, Tensor
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

rng = np.random.default_rng(11)
random = partial(normal, rng)


def kept(*values: UOp) -> int:
    """How many kernels fill memory that is no output."""
    return kernels(*values) - len(values)


A, B, C = random(40, 50), random(50, 60), random(60, 70)
PRODUCT = A @ B


def relu(x: UOp) -> UOp:
    return (x < 0.0).where(UOp.const(x.dtype, 0), x)


def test_what_all_consumers_share_is_kept_and_not_what_it_is_made_of() -> None:
    hidden = relu(matmul(buffer(A), buffer(B)) + 1.0)
    right, down = matmul(hidden, buffer(C)), reduced(Ops.ADD, hidden, 0)
    assert kernels(right, down) == 3  # relu ends the first
    expected = np.maximum(PRODUCT + 1, 0)
    for found, value in zip(
        computed(right, down), (expected @ C, expected.sum(0, keepdims=True)), strict=True
    ):
        np.testing.assert_allclose(found, value, rtol=1e-3, atol=1e-3)


def test_where_consumers_part_the_last_value_before_is_kept_alone() -> None:
    hidden = matmul(buffer(A), buffer(B)) + 1.0
    mask = (hidden < 0.0).where(UOp.const(hidden.dtype, 0), buffer(random(40, 60)))
    right, left = matmul(relu(hidden), buffer(C)), reduced(Ops.ADD, mask, 1)
    assert kept(right, left) == 1
    np.testing.assert_allclose(
        computed(right, left)[0], np.maximum(PRODUCT + 1, 0) @ C, rtol=1e-3, atol=1e-3
    )


def test_paths_that_meet_again_are_one() -> None:
    total = matmul(buffer(A), buffer(B))
    joined = total * 0.5 + total * total
    values = matmul(joined, buffer(C)), reduced(Ops.MAX, joined, 0)
    assert kernels(*values) == 3
    expected = PRODUCT * 0.5 + PRODUCT * PRODUCT
    np.testing.assert_allclose(computed(*values)[0], expected @ C, rtol=1e-3, atol=1e-2)


def test_a_reduction_whose_views_differ_is_kept_itself() -> None:
    total = matmul(buffer(A), buffer(A).permute((1, 0)))
    value = total * 2.0 + total.permute((1, 0))
    assert kept(value) == 1
    expected = A @ A.T
    np.testing.assert_allclose(computed(value)[0], expected * 3, rtol=1e-3, atol=1e-3)


def test_a_dear_function_of_a_kept_value_is_not_repeated_for_every_column() -> None:
    hidden = matmul(buffer(A), buffer(B))
    values = matmul(hidden.alu(Ops.EXP), buffer(C)), reduced(Ops.ADD, hidden, 0)
    assert kernels(*values) == 4  # the sum, its exponentials, their product, and the column sums
    got = computed(*values)
    np.testing.assert_allclose(got[0], np.exp(PRODUCT) @ C, rtol=1e-2)
    np.testing.assert_allclose(got[1], PRODUCT.sum(0, keepdims=True), rtol=1e-3, atol=1e-3)


# ---- what is widened ---------------------------------------------------------------------------


def memories(value: Tensor) -> list[tuple[str, int]]:
    """The dtype and size of what each kernel fills, in order."""
    items = value.schedule()
    return [(item.buffers[0].dtype.name, item.buffers[0].size) for item in items]


@pytest.mark.parametrize("dtype", ["bf16", "f16", "fp8e4m3"])
def test_what_a_product_widens_is_kept_narrow(dtype: str) -> None:
    """Half the memory; and tensor cores multiply what it was."""
    a, b, c = (Tensor(x).cast(dtype).realize() for x in (A, B, C))
    layers = (a @ b).relu() @ c
    assert memories(layers) == [(dtype, 40 * 60), (dtype, 40 * 70)]
    with Context(VERIFY=1):
        found = layers.cast("f32").numpy()
    first = Tensor(np.maximum((a @ b).cast("f32").numpy(), 0)).cast(dtype)
    np.testing.assert_array_equal(found, (first.realize() @ c).cast("f32").numpy())


@pytest.mark.parametrize("dtype", ["bf16", "f16", "f32"])
def test_windows_of_what_is_computed_and_widened_are_not_kept(dtype: str) -> None:
    images, weights = random(2, 8, 12, 12), random(16, 8, 3, 3)
    x, w = (Tensor(v).cast(dtype).realize() for v in (images, weights))
    found = x.sigmoid().conv2d(w, padding=1)
    assert memories(found) == [(dtype, 2 * 8 * 12 * 12), (dtype, 2 * 16 * 12 * 12)]
    kept_first = x.sigmoid().realize().conv2d(w, padding=1)
    np.testing.assert_array_equal(found.cast("f32").numpy(), kept_first.cast("f32").numpy())


def test_conditions_and_small_integers_are_kept_as_they_are() -> None:
    x = Tensor(A).realize()
    mask = (x.exp() > 1).cast("f32") @ Tensor(B)
    assert memories(mask)[0] == ("bool", 40 * 50)
    np.testing.assert_allclose(mask.numpy(), (np.exp(A) > 1) @ B, rtol=1e-4, atol=1e-4)
    steps = (x * 10).round().clamp(-127, 127).cast("i8")
    whole = steps.cast("i32") @ Tensor(np.arange(50 * 60, dtype=np.int8).reshape(50, 60)).cast(
        "i32"
    )
    assert memories(whole)[0] == ("i8", 40 * 50)
    expected = np.clip(np.round(A * np.float32(10)), -127, 127).astype(np.int64)
    np.testing.assert_array_equal(
        whole.numpy(), expected @ np.arange(50 * 60, dtype=np.int8).reshape(50, 60).astype(np.int64)
    )
