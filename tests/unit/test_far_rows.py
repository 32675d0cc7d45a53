"""Sums over the rows of large matrices: in parts that threads share, and along whole rows."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor, jit
from rulewright.codegen.lower import lower_kernel
from rulewright.ir.known import forget_results
from rulewright.lang.build import load_table

RANDOM = np.random.default_rng(3)


@pytest.fixture()
def small_is_large(monkeypatch):
    """Matrices of 256 KB are as large as those that no cache holds."""
    limits = load_table()["targets"]["C"]["limits"]
    monkeypatch.setitem(limits, "row_parts_memory", 1 << 18)
    monkeypatch.setitem(limits, "far_memory", 1 << 18)
    forget_results()
    yield
    forget_results()


def matrix(*shape: int, dtype: str = "float32") -> np.ndarray:
    return (RANDOM.standard_normal(shape) * 8).astype(dtype)


def on_c(values: np.ndarray) -> Tensor:
    return Tensor(values, device="C").realize()


ROWS, VECTOR = matrix(1024, 96), matrix(1024)
IN_PARTS = {
    "a vector by a matrix": (lambda v, a: v @ a, VECTOR, ROWS),
    "a row by a matrix": (lambda v, a: v @ a, matrix(1, 1024), ROWS),
    "integers": (lambda v, a: v @ a, VECTOR.astype("int32"), ROWS.astype("int32")),
    "doubles": (lambda v, a: v @ a, VECTOR.astype("float64"), ROWS.astype("float64")),
    "weights": (lambda v, a: (a * v.reshape(-1, 1)).sum(0), VECTOR, ROWS),
    "weights that keep the axis": (
        lambda v, a: (a * v.reshape(-1, 1)).sum(0, keepdims=True), VECTOR, ROWS,
    ),
    "the largest": (lambda v, a: (a * v.reshape(-1, 1)).max(0), VECTOR, ROWS),
    "of a transposed one": (lambda v, a: (a.T * v).sum(1), VECTOR, ROWS),
    "of two axes": (
        lambda v, a: (a * v.reshape(16, 64, 1)).sum((0, 1)), VECTOR, matrix(16, 64, 96),
    ),
    "in another order": (
        lambda v, a: (a.swapaxes(0, 1) * v.reshape(64, 16, 1)).sum((0, 1)), VECTOR,
        matrix(16, 64, 96),
    ),
    "not a number": (
        lambda v, a: (a * v.reshape(-1, 1)).max(0), VECTOR,
        np.where(ROWS > 24, np.nan, ROWS).astype("float32"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_PARTS)
def test_a_vector_is_multiplied_by_parts_of_a_matrix(name, small_is_large):
    function, vector, values = IN_PARTS[name]
    ours = function(on_c(vector), on_c(values))
    assert len(ours.schedule()) == 2
    kind = "int64" if values.dtype.kind == "i" else "float64"
    expected = function(vector.astype(kind), values.astype(kind))
    np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-4, atol=2e-2)


def test_a_replay_multiplies_what_is_there_now(small_is_large):
    product = jit(lambda v, a: (v @ a).realize())
    rows, ones = on_c(np.zeros((1024, 96), "float32")), on_c(np.ones(1024, "float32"))
    for number in range(4):
        rows[number] = number + 1
        total = (number + 1) * (number + 2) // 2
        np.testing.assert_array_equal(product(ones, rows).numpy(), np.full(96, total))


def test_the_gradient_of_such_a_product_is_that_of_every_row(small_is_large):
    v, x = on_c(VECTOR), on_c(ROWS)
    x.requires_grad = True
    ((v @ x) ** 2).sum().backward()
    expected = np.outer(VECTOR, 2 * (VECTOR.astype("float64") @ ROWS))
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-3, atol=5e-1)


WHOLE = {
    "rows alone": (lambda a: a.sum(0), matrix(1024, 96)),
    "along rows": (lambda a: (a * a[:1]).sum(1), matrix(1024, 96)),
    "columns that lie apart": (lambda a: (a.T * a[0].reshape(-1, 1)).sum(0), matrix(1024, 96)),
    "few rows": (lambda a: a[:, 0] @ a, matrix(128, 1024)),
    "rows that are no whole parts": (lambda a: a[:, 0] @ a, matrix(1021, 96)),
    "a part of a memory": (lambda a: a[:, 0] @ a[:, 1:], matrix(1024, 97)),
    "several vectors": (lambda a: a @ a, matrix(512, 512)),
    "small": (lambda a: a[:, 0] @ a, matrix(512, 96)),
    "matrices that threads share": (lambda a: (a * a[:, :, :1]).sum(1), matrix(8, 512, 96)),
}


def test_what_reads_the_same_rows_is_one_kernel_still(small_is_large):
    rows = on_c(ROWS)
    assert len(rows.sum(0).schedule(rows.max(0))) == 1


@pytest.mark.parametrize("name", WHOLE)
def test_other_sums_are_one_kernel(name, small_is_large):
    function, values = WHOLE[name]
    ours = function(on_c(values))
    assert len(ours.schedule()) == 1
    expected = function(values.astype("float64"))
    np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-4, atol=5e-2)


@pytest.mark.parametrize("device", ["CUDA_EMULATED", "INTERP"])
def test_other_devices_sum_such_rows_in_one_kernel(device, small_is_large):
    vector, rows = (Tensor(each, device=device).realize() for each in (VECTOR, ROWS))
    assert len((vector @ rows).schedule()) == 1


# ---- whole rows ----------------------------------------------------------------------------------


def choices(value: Tensor) -> str:
    [kernel] = value.schedule()
    return lower_kernel(kernel.ast, "C").choices


def test_rows_of_many_matrices_are_read_whole():
    rows = on_c(np.zeros((16, 512, 1024), "float32"))
    assert "simd(r1); " in choices(rows.sum(1)), "and no strip of them"


@pytest.mark.parametrize("rows", [197, 1021])
def test_rows_without_good_divisors_are_added_up_several_at_a_time(rows):
    text = choices(on_c(np.zeros((rows, 8192), "float32")).sum(0))
    assert f"tail(r1, {rows - rows % 16})" in text and "simd(" in text


@pytest.mark.parametrize("rows", [197, 1021])
def test_sums_of_such_rows_are_right(rows, small_is_large):
    values = matrix(rows, 1024)
    np.testing.assert_allclose(
        on_c(values).sum(0).numpy(), values.astype("float64").sum(0), rtol=1e-4, atol=1e-2
    )
