"""What is kept of a reduction that several kernels ask for: the one value that all of them need."""

from __future__ import annotations

from functools import partial

import numpy as np
from arrays import normal
from schedule_helpers import buffer, computed, kernels, matmul, reduced

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
