"""Capabilities of the schedule seen on tensors: what reaches memory, and what needs no loop."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable
from rulewright.driver.execute import ExecItem
from rulewright.ir.ops import Ops
from rulewright.tensor.core import Core


def ramp(*shape: int) -> np.ndarray:
    """The numbers 0, 1, 2 … in a shape."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def items_of(value: Core) -> list[ExecItem]:
    """The kernels of a value, checked at every stage."""
    with Context(VERIFY=1):
        return value.schedule()


def sizes(items: list[ExecItem]) -> list[list[int]]:
    """Elements of the buffers of each kernel, the one that is written first."""
    return [[b.size for b in item.buffers] for item in items]


def run(items: list[ExecItem]) -> None:
    for item in items:
        item.run()


# ---- what is no memory ------------------------------------------------------------------------


def test_constants_are_never_read_from_memory() -> None:
    x = Tensor(ramp(3, 4))
    value = x * Tensor.full((3, 4), 2.5) + Tensor.zeros(4)
    items = items_of(value)
    assert sizes(items) == [[12, 12]]
    run(items)
    np.testing.assert_array_equal(value.numpy(), ramp(3, 4) * 2.5)


def test_an_element_of_a_constant_is_the_constant() -> None:
    value = Tensor.full((5, 6), 3).sum(1)
    items = items_of(value)
    assert sizes(items) == [[5]]
    assert loops(items[0]) == 0  # sums of floats stay: adding one by one may round
    run(items)
    assert value.tolist() == [18] * 5


def test_writes_outside_of_a_part_do_not_happen() -> None:
    x = Tensor(ramp(3, 4)).realize()
    x[1:, 1:3] = -1.0
    expected = ramp(3, 4)
    expected[1:, 1:3] = -1
    np.testing.assert_array_equal(x.numpy(), expected)


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0)])
def test_tensors_without_elements_have_no_kernels(shape: tuple[int, ...]) -> None:
    x = Tensor(np.zeros(shape, np.float32))
    value = (x + 1).exp()
    assert items_of(value) == []
    assert value.numpy().shape == shape
    np.testing.assert_array_equal(x.sum(0).numpy(), np.zeros(shape, np.float32).sum(0))


# ---- axes -------------------------------------------------------------------------------------


def test_a_kept_value_has_only_the_axes_that_it_depends_on() -> None:
    x, w = ramp(5), ramp(8, 5)
    kept = Tensor(x).exp().contiguous()
    value = (kept.reshape(1, 5).expand(8, 5) * Tensor(w)).sum(1)
    items = items_of(value)
    assert sizes(items) == [[5, 5], [8, 5, 40]]
    run(items)
    np.testing.assert_allclose(value.numpy(), (np.exp(x) * w).sum(1), rtol=1e-5)


def test_a_reduction_that_is_repeated_is_computed_once_for_each_row() -> None:
    x = ramp(40, 50)
    total = Tensor(x).sum(1, keepdim=True)
    value = total.expand(40, 60) * Tensor(ramp(40, 60))
    items = items_of(value)
    assert sum(i.lower().estimates.flops for i in items) < 3 * (40 * 50 + 40 * 60)
    run(items)
    expected = x.sum(1, keepdims=True, dtype=np.float64) * ramp(40, 60)
    np.testing.assert_allclose(value.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("rows", [1, 4, 10])
def test_a_kept_value_of_symbolic_size(rows: int) -> None:
    x = ramp(10, 3) / 30
    n = Variable("n", 1, 10)
    with Context(VERIFY=1):
        value = (Tensor(x)[: n.bind(rows)].exp().contiguous() * 2).sum(0)
        items, values = value.schedule_with_vars()
    assert values == {"n": rows}
    assert sizes(items)[0][0] == 30  # room for the largest
    for item in items:
        item.run(values)
    np.testing.assert_allclose(value.numpy(), (np.exp(x[:rows]) * 2).sum(0), rtol=1e-5)


# ---- closed forms -----------------------------------------------------------------------------


def loops(item: ExecItem) -> int:
    """How many loops reduce in a kernel."""
    return sum(n.op is Ops.RANGE and n.arg[1] == "reduce" for n in item.ast.toposort())


ROWS = np.array([3, 0, 8, 5])
CLOSED = {
    "arange": (lambda: Tensor.arange(3, 30, 2).contiguous(), np.arange(3, 30, 2)),
    "one hot": (lambda: Tensor(ROWS).one_hot(9), np.eye(9)[ROWS]),
    "gather": (lambda: Tensor(ramp(9, 4))[Tensor(ROWS)], ramp(9, 4)[ROWS]),
    "eye": (lambda: Tensor.eye(4).contiguous(), np.eye(4)),
}


@pytest.mark.parametrize("name", CLOSED)
def test_what_counts_or_picks_needs_no_loop(name: str) -> None:
    make, expected = CLOSED[name]
    value = make()
    items = items_of(value)
    assert [loops(i) for i in items] == [0]
    run(items)
    np.testing.assert_array_equal(value.numpy(), expected)


def test_a_running_sum_does_not_grow_with_the_square() -> None:
    x = ramp(4096) % 7
    value = Tensor(x).cumsum(0)
    items = items_of(value)
    assert sum(i.lower().estimates.flops for i in items) < 4096 * 4096 / 2
    run(items)
    np.testing.assert_array_equal(value.numpy(), x.cumsum())


# ---- rows ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(40, 50), (512, 3), (16, 1), (1, 20)])
def test_a_variance_takes_its_mean_ahead_in_one_kernel(shape: tuple[int, int]) -> None:
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    value = Tensor(x).var(1, correction=0)
    items = items_of(value)
    assert len(items) == 1
    run(items)
    np.testing.assert_allclose(value.numpy(), x.var(1), rtol=1e-4, atol=1e-6)


def test_the_place_of_the_largest_is_found_in_the_kernel_that_finds_it() -> None:
    x = np.random.default_rng(4).standard_normal((33, 7)).astype(np.float32)
    value = Tensor(x).argmax(1)
    items = items_of(value)
    assert len(items) == 1
    run(items)
    np.testing.assert_array_equal(value.numpy(), x.argmax(1))


def test_a_few_long_rows_keep_what_they_are_compared_with() -> None:
    x = np.random.default_rng(5).standard_normal((3, 5000)).astype(np.float32)
    value = Tensor(x).var(1)
    assert len(items_of(value)) == 2


def test_a_short_scatter_needs_no_memory_and_a_long_one_keeps_who_writes() -> None:
    rng = np.random.default_rng(6)
    for count, kept in ((8, []), (400, [[40 * 900, 40 * 400]])):
        at = rng.integers(0, 900, size=(40, count))
        into, what = ramp(40, 900), rng.standard_normal((40, count)).astype(np.float32)
        value = Tensor(into).scatter(1, Tensor(at), Tensor(what))
        items = items_of(value)
        assert sizes(items)[:-1] == kept
        run(items)
        expected = into.copy()
        for column in range(count):
            expected[np.arange(40), at[:, column]] = what[:, column]
        np.testing.assert_array_equal(value.numpy(), expected)


# ---- repeats ------------------------------------------------------------------------------------


def test_a_repeated_row_is_kept_without_its_repeats() -> None:
    x, w = ramp(30, 40) / 900, ramp(40, 50) / 900
    value = Tensor(x).max(1, keepdim=True).expand(30, 40).exp() @ Tensor(w)
    items = items_of(value)
    assert sum(b.size for item in items for b in item.buffers if b.size == 30 * 40) == 30 * 40
    run(items)
    expected = np.broadcast_to(np.exp(x.max(1, keepdims=True)), (30, 40)) @ w
    np.testing.assert_allclose(value.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("rows", [1, 3, 7])
def test_repeats_of_symbolic_size_stay_behind_what_is_computed(rows: int) -> None:
    x, n = ramp(1, 5) / 5, Variable("n", 1, 7)
    value = Tensor(x).expand(n.bind(rows), 5).exp() + Tensor(ramp(1, 5)).expand(n.bind(rows), 5)
    with Context(VERIFY=1):
        total = value.sum(0)
        found = total.numpy()
    np.testing.assert_allclose(found, rows * (np.exp(x) + ramp(1, 5))[0], rtol=1e-5)


def test_what_is_written_again_is_written_once() -> None:
    x, y = Tensor(ramp(6, 6)).realize(), Tensor(ramp(6, 6)).realize()
    x.assign(y + 1)
    x.assign(y + 1)
    items = items_of(x)
    assert len(items) == 1
    run(items)
    np.testing.assert_array_equal(x.numpy(), ramp(6, 6) + 1)


def test_a_value_made_of_what_it_overwrites_is_written_each_time() -> None:
    x = Tensor(ramp(6)).realize()
    x.assign(x + 1)
    x.assign(x + 1)
    np.testing.assert_array_equal(x.numpy(), ramp(6) + 2)
