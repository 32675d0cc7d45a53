"""Sums over the rows of large matrices: in parts that threads share, along whole rows."""

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


ROWS = matrix(1024, 96)
IN_PARTS = {
    "sum": (lambda a: a.sum(0), ROWS),
    "sum that keeps its axis": (lambda a: a.sum(0, keepdims=True), ROWS),
    "largest": (lambda a: a.max(0), ROWS),
    "integers": (lambda a: a.sum(0), matrix(1024, 96, dtype="int32")),
    "doubles": (lambda a: a.mean(0), matrix(1024, 96, dtype="float64")),
    "of two axes": (lambda a: a.sum((0, 1)), matrix(16, 64, 96)),
    "in another order": (lambda a: a.swapaxes(0, 1).sum((0, 1)), matrix(16, 64, 96)),
    "of a transposed one": (lambda a: a.T.sum(1), ROWS),
    "of what is computed": (lambda a: (a * a + 1).sum(0), ROWS),
    "of what is reshaped": (lambda a: a.reshape(1024, 96).sum(0), matrix(8, 128, 96)),
    "not a number": (lambda a: a.max(0), np.where(ROWS > 24, np.nan, ROWS).astype("float32")),
}


@pytest.mark.parametrize("name", IN_PARTS)
def test_rows_are_added_up_in_parts(name, small_is_large):
    function, values = IN_PARTS[name]
    ours = function(on_c(values))
    assert len(ours.schedule()) == 2
    expected = function(values.astype("float64") if values.dtype == np.float32 else values)
    np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("shape", [(1024,), (1, 1024)])
def test_a_vector_is_multiplied_by_parts_of_a_matrix(shape, small_is_large):
    vector, rows = matrix(*shape), matrix(1024, 96)
    ours = on_c(vector) @ on_c(rows)
    assert len(ours.schedule()) == 2
    expected = vector.astype("float64") @ rows
    np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-4, atol=1e-2)


def test_a_replay_adds_up_what_is_there_now(small_is_large):
    column_sums = jit(lambda a: a.sum(0).realize())
    rows = on_c(np.zeros((1024, 96), "float32"))
    for number in range(4):
        rows[number] = number + 1
        total = (number + 1) * (number + 2) // 2
        np.testing.assert_array_equal(column_sums(rows).numpy(), np.full(96, total))


def test_the_gradient_of_such_a_sum_is_that_of_every_row(small_is_large):
    values = matrix(1024, 96)
    x = on_c(values)
    x.requires_grad = True
    (x.sum(0) ** 2).sum().backward()
    expected = np.broadcast_to(2 * values.astype("float64").sum(0), values.shape)
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-4, atol=1e-2)


WHOLE = {
    "along rows": (lambda a: a.sum(1), matrix(1024, 96)),
    "columns that lie apart": (lambda a: a.T.sum(0), matrix(1024, 96)),
    "few rows": (lambda a: a.sum(0), matrix(128, 1024)),
    "rows that are no whole parts": (lambda a: a.sum(0), matrix(1021, 96)),
    "a part of a memory": (lambda a: a[:, 1:].sum(0), matrix(1024, 97)),
    "orders that differ": (lambda a: (a + a.T).sum(0), matrix(512, 512)),
    "several vectors": (lambda a: a @ a, matrix(512, 512)),
    "small": (lambda a: a.sum(0), matrix(512, 96)),
    "matrices that threads share": (lambda a: a.sum(1), matrix(8, 512, 96)),
}


@pytest.mark.parametrize("name", WHOLE)
def test_other_sums_are_one_kernel(name, small_is_large):
    function, values = WHOLE[name]
    ours = function(on_c(values))
    assert len(ours.schedule()) == 1
    expected = function(values.astype("float64"))
    np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-4, atol=5e-2)


@pytest.mark.parametrize("device", ["CUDA_EMULATED", "INTERP"])
def test_other_devices_sum_such_rows_in_one_kernel(device, small_is_large):
    assert len(Tensor(ROWS, device=device).realize().sum(0).schedule()) == 1


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
