"""What is fused, what is staged, and that values stay right either way."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from arrays import normal
from schedule_helpers import buffer, computed, kernels, matmul, reduced, softmax

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

rng = np.random.default_rng(7)
random = partial(normal, rng)


def test_elementwise_chains_are_one_kernel() -> None:
    x = random(4, 5)
    value = (buffer(x) * 2.0 + 1.0).alu(Ops.EXP)
    assert kernels(value) == 1
    np.testing.assert_allclose(computed(value)[0], np.exp(x * 2 + 1), rtol=1e-6)


@pytest.mark.parametrize("shape", [(33, 65), (17, 1), (20, 7)])
def test_softmax_of_rows_is_one_kernel(shape: tuple[int, int]) -> None:
    x = random(*shape)
    value = softmax(buffer(x), 1)
    assert kernels(value) == 1
    expected = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(
        computed(value)[0], expected / expected.sum(1, keepdims=True), rtol=1e-5
    )


def test_softmax_of_columns_keeps_its_reductions() -> None:
    x = random(65, 33)
    value = softmax(buffer(x), 0)
    assert kernels(value) == 3
    expected = np.exp(x - x.max(0, keepdims=True))
    np.testing.assert_allclose(
        computed(value)[0], expected / expected.sum(0, keepdims=True), rtol=1e-5
    )


def test_few_rows_are_not_fused() -> None:
    assert kernels(softmax(buffer(random(3, 5000)), 1)) == 3


def test_an_epilogue_joins_its_matmul() -> None:
    a, b = random(7, 11), random(11, 5)
    value = matmul(buffer(a), buffer(b)).maximum(0.0)
    assert kernels(value) == 1
    np.testing.assert_allclose(computed(value)[0], np.maximum(a @ b, 0), rtol=1e-4, atol=1e-5)


def test_a_product_of_products_is_two_kernels() -> None:
    a, b, c = random(7, 11), random(11, 5), random(5, 3)
    value = matmul(matmul(buffer(a), buffer(b)), buffer(c))
    assert kernels(value) == 2
    np.testing.assert_allclose(computed(value)[0], a @ b @ c, rtol=1e-4, atol=1e-4)


def test_exponentials_are_not_repeated_for_every_column_of_a_product() -> None:
    a, b = random(40, 50), random(50, 60)
    value = matmul(buffer(a).alu(Ops.EXP), buffer(b))
    assert kernels(value) == 2
    np.testing.assert_allclose(computed(value)[0], np.exp(a) @ b, rtol=1e-4, atol=1e-3)


def test_a_cheap_operand_joins_a_product() -> None:
    a, b = random(40, 50), random(50, 60)
    value = matmul(buffer(a) * 2.0, buffer(b))
    assert kernels(value) == 1
    np.testing.assert_allclose(computed(value)[0], (a * 2) @ b, rtol=1e-4, atol=1e-3)


def test_a_reduction_used_twice_is_computed_once() -> None:
    a, b = random(6, 7), random(7, 8)
    product = matmul(buffer(a), buffer(b))
    first, second = product.alu(Ops.EXP), reduced(Ops.ADD, product, 0)
    assert kernels(first, second) == 3
    got = computed(first, second)
    np.testing.assert_allclose(got[0], np.exp(a @ b), rtol=1e-4)
    np.testing.assert_allclose(got[1], (a @ b).sum(0, keepdims=True), rtol=1e-4, atol=1e-5)


def test_contiguous_is_kept() -> None:
    x = random(4, 6)
    value = (buffer(x) + 1.0).contiguous() * 2.0
    assert kernels(value) == 2
    np.testing.assert_allclose(computed(value)[0], (x + 1) * 2)


def test_contiguous_memory_is_no_kernel_of_its_own() -> None:
    assert kernels(buffer(random(4)).contiguous() * 2.0) == 1


def test_a_value_of_many_buffers_at_two_places_is_kept() -> None:
    parts = [random(8, 8) for _ in range(4)]
    total = buffer(parts[0])
    for part in parts[1:]:
        total = total + buffer(part)
    value = total + total.permute((1, 0))
    assert kernels(value) == 2
    np.testing.assert_allclose(computed(value)[0], sum(parts) + sum(parts).T, rtol=1e-5)


def test_a_cheap_value_at_two_places_is_computed_twice() -> None:
    x = random(8, 8)
    doubled = buffer(x) * 2.0
    value = doubled + doubled.permute((1, 0))
    assert kernels(value) == 1
    np.testing.assert_allclose(computed(value)[0], x * 2 + (x * 2).T)


def test_long_reductions_are_split() -> None:
    x = random(1 << 16)
    value = reduced(Ops.ADD, buffer(x), 0)
    assert kernels(value) == 2
    np.testing.assert_allclose(computed(value)[0], [x.sum(dtype=np.float64)], rtol=1e-3, atol=1e-2)


def test_a_prime_length_is_not_split() -> None:
    assert kernels(reduced(Ops.ADD, buffer(random(65537)), 0)) == 1


def test_a_repeated_axis_is_not_split() -> None:
    assert kernels(reduced(Ops.ADD, buffer(random(1)).expand((1 << 16,)), 0)) == 1


def test_equal_kernels_are_one_node() -> None:
    from schedule_helpers import scheduled

    items = scheduled(buffer(random(9)) + 1.0, buffer(random(9)) + 1.0)[0].items
    assert items[0].ast is items[1].ast


def test_an_output_that_others_read_is_read_from_memory() -> None:
    x = random(5, 6)
    value = buffer(x).alu(Ops.EXP)
    total = reduced(Ops.ADD, value, 1)
    got = computed(value, total)
    np.testing.assert_allclose(got[1], np.exp(x).sum(1, keepdims=True), rtol=1e-5)
    assert kernels(value, total) == 2


def test_a_masked_value_is_not_read_outside() -> None:
    x = random(5)
    value = buffer(x).pad(((2, 3),)) + 1.0
    np.testing.assert_allclose(computed(value)[0], np.pad(x, (2, 3)) + 1)


def test_the_pad_of_a_logarithm_is_zero_outside() -> None:
    value = buffer(np.ones(3, np.float32)).alu(Ops.LOG).pad(((1, 1),))
    np.testing.assert_array_equal(computed(value)[0], np.zeros(5, np.float32))


def test_a_choice_by_number_becomes_a_gather() -> None:
    table, rows = random(9, 4), np.array([3, 0, 8, -1, 9], np.int32)
    at = UOp(Ops.IOTA, dtypes.i32, (), (9,)).reshape((1, 9, 1)).expand((5, 9, 4))
    asked = buffer(rows).reshape((5, 1, 1)).expand((5, 9, 4))
    x = buffer(table).reshape((1, 9, 4)).expand((5, 9, 4))
    value = reduced(Ops.ADD, at.eq(asked).where(x, UOp.const(dtypes.f32, 0)), 1).reshape((5, 4))
    from schedule_helpers import scheduled

    assert not any(
        n.op is Ops.REDUCE for item in scheduled(value)[0].items for n in item.ast.toposort()
    )
    inside = (rows >= 0) & (rows < 9)
    expected = np.where(inside[:, None], table[np.clip(rows, 0, 8)], 0)
    np.testing.assert_array_equal(computed(value)[0], expected)


@pytest.mark.parametrize("op, identity", [(Ops.ADD, 0.0), (Ops.MUL, 1.0), (Ops.MAX, -np.inf)])
def test_reducing_nothing_gives_the_identity(op: object, identity: float) -> None:
    value = reduced(op, buffer(np.zeros((0, 3), np.float32)), 0)  # type: ignore[arg-type]
    np.testing.assert_array_equal(computed(value)[0], np.full((1, 3), identity, np.float32))


def test_constants_are_no_buffers() -> None:
    value = UOp.const(dtypes.f32, 2.0).reshape((1,)).expand((4,)) + 1.0
    from schedule_helpers import scheduled

    made, _ = scheduled(value)
    assert len(made.items) == 1
    assert len(made.items[0].buffers) == 1
    np.testing.assert_array_equal(computed(value)[0], np.full(4, 3, np.float32))


def test_no_reduction_runs_within_the_steps_of_another() -> None:
    a, b = random(6, 7), random(7, 8)
    value = reduced(Ops.MAX, matmul(buffer(a), buffer(b)).maximum(0.0), 1)
    assert kernels(value) == 2
    expected = np.maximum(a @ b, 0).max(1, keepdims=True)
    np.testing.assert_allclose(computed(value)[0], expected, rtol=1e-5)


def windows(x: UOp, size: int) -> UOp:
    """Windows of a vector, by the row above one that is longer by one: (n - size + 1, size)."""
    (n,) = x.shape  # type: ignore[misc]
    outputs = n - size + 1
    wide = x.reshape((1, n)).expand((size, n)).reshape((size * n,))
    rows = wide.pad(((0, size),)).shrink(((0, size * (n + 1)),))
    return rows.reshape((size, n + 1)).shrink(((0, size), (0, outputs))).permute((1, 0))


def test_windows_that_are_read_often_have_their_padding_in_memory() -> None:
    x, w = random(700), random(40, 31)
    padded = buffer(x).pad(((15, 15),))
    view = windows(padded, 31).reshape((700, 1, 31)).expand((700, 40, 31))
    weights = buffer(w).reshape((1, 40, 31)).expand((700, 40, 31))
    value = reduced(Ops.ADD, view * weights, 2).reshape((700, 40))
    assert kernels(value) == 2
    rows = np.lib.stride_tricks.sliding_window_view(np.pad(x, 15), 31)
    np.testing.assert_allclose(computed(value)[0], rows @ w.T, rtol=1e-3, atol=1e-3)


def test_windows_that_slide_along_what_is_stored_need_no_memory() -> None:
    x, w = random(700), random(40, 31)
    view = windows(buffer(x).pad(((15, 15),)), 31).reshape((1, 700, 31)).expand((40, 700, 31))
    weights = buffer(w).reshape((40, 1, 31)).expand((40, 700, 31))
    value = reduced(Ops.ADD, view * weights, 2).reshape((40, 700))
    assert kernels(value) == 1
    rows = np.lib.stride_tricks.sliding_window_view(np.pad(x, 15), 31)
    np.testing.assert_allclose(computed(value)[0], w @ rows.T, rtol=1e-3, atol=1e-3)


def test_each_of_two_large_products_is_a_kernel() -> None:
    """Registers hold a tile of one; of small ones another kernel would cost more."""
    for n, count in ((128, 2), (16, 1)):
        a, b, c, d = (random(n, n) for _ in range(4))
        value = matmul(buffer(a), buffer(b)) + matmul(buffer(c), buffer(d))
        assert kernels(value) == count
        np.testing.assert_allclose(computed(value)[0], a @ b + c @ d, rtol=1e-3, atol=1e-3)


def test_a_padded_product_is_computed_before_it_is_padded() -> None:
    a, b = random(6, 7), random(7, 8)
    value = matmul(buffer(a), buffer(b)).maximum(0.0).pad(((1, 1), (0, 2)))
    assert kernels(value) == 2
    np.testing.assert_allclose(
        computed(value)[0], np.pad(np.maximum(a @ b, 0), ((1, 1), (0, 2))), rtol=1e-5
    )


def test_a_gather_from_a_long_axis_is_not_split() -> None:
    """Sixty-five thousand elements would be worth two steps, were they summed."""
    table, rows = random(1 << 16), np.array([3, 0, 65535], np.int32)
    shape = (1 << 16, 3)
    at = UOp(Ops.IOTA, dtypes.i32, (), (1 << 16,)).reshape((1 << 16, 1)).expand(shape)
    asked = buffer(rows).reshape((1, 3)).expand(shape)
    x = buffer(table).reshape((1 << 16, 1)).expand(shape)
    value = reduced(Ops.ADD, at.eq(asked).where(x, UOp.const(dtypes.f32, 0)), 0)
    assert kernels(value) == 1
    np.testing.assert_array_equal(computed(value)[0].ravel(), table[rows])


def repeated(x: UOp, times: int) -> UOp:
    """Each element of each axis so many times."""
    spread = tuple(part for size in x.shape for part in (size, times))
    apart = tuple(part for size in x.shape for part in (size, 1))
    shape = tuple(size * times for size in x.shape)
    return x.reshape(apart).expand(spread).reshape(shape)


def test_a_sum_of_some_length_is_not_computed_for_each_of_several_readers() -> None:
    rng = np.random.default_rng(0)
    x, y = normal(rng, 128, 96), normal(rng, 96, 128)
    a, b, c = buffer(x), buffer(y), buffer(normal(rng, 256, 256))
    close = partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-3)
    value = repeated(matmul(a, b), 2) + c
    assert kernels(value) == 2
    close(computed(value)[0], (x @ y).repeat(2, 0).repeat(2, 1) + computed(c + c)[0] / 2)
    assert kernels(repeated(matmul(buffer(x[:4]), buffer(y[:, :4])), 2)) == 1  # few elements
    assert kernels(repeated(matmul(buffer(x[:, :9]), buffer(y[:9])), 2)) == 2
    assert kernels(repeated(matmul(buffer(x[:, :4]), buffer(y[:4])), 2)) == 1  # few terms
