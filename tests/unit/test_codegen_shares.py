"""Threads that share a loop of each store: sizes that nothing divides are not done by one core."""

import os
from itertools import pairwise

import numpy as np
import pytest
from codegen_kernels import axis, centred, column_sum, elementwise, inputs, param, reduced, same

from rulewright import Context, Tensor
from rulewright.codegen.choices import Choice, parse_choices, print_choices
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.errors import UsageError, ValidationError
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.validate.races import check_races


def transposed(rows, columns, factor=None):
    i, j = axis(columns, 0), axis(rows, 1)
    value = param(1, rows * columns).index(j * columns + i)
    value = value if factor is None else value * factor
    return UOp.sink(param(0, rows * columns).index(i * rows + j).store(value).end(i, j))


def repeated(part, times):
    i = axis(part * times, 0)
    return UOp.sink(param(0, part * times).index(i).store(param(1, part).index(i % part)).end(i))


def choices(kernel):
    return lower_kernel(kernel, "C").choices


# ---- the choice ----------------------------------------------------------------------------------


def test_it_prints_and_reads_back():
    [choice] = parse_choices("thread(r5, r7, r9)")
    assert choice == Choice("thread", 5, others=(7, 9)) and choice.used == (5, 7, 9)
    assert print_choices([choice]) == "thread(r5, r7, r9)"


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        (elementwise(29), "r1, r2 = tail(r0, 24); r3, r4 = split(r1, 8); thread(r3, r2)"),
        (elementwise(29), "r1, r2 = tail(r0, 5); thread(r2, r1)"),
        (column_sum(7, 19), "r2, r3 = tail(r0, 16); r4, r5 = split(r2, 4); thread(r4, r3)"),
        (transposed(5, 7), "r2, r3 = tail(r0, 4); r4, r5 = tail(r1, 4); thread(r2, r3)"),
    ],
)
def test_each_stage_means_the_same(kernel, text, rng):
    given = inputs(kernel, rng)
    marked = kernel.replace(arg=("it", text))
    expected = [np.copy(a) for a in given]
    run_kernel(kernel, expected)
    for name, graph in lowering_stages(marked, "C"):
        found = [np.copy(a) for a in given]
        run_kernel(graph, found)
        same(found[0], expected[0], name)
        check_races(graph)


@pytest.mark.parametrize("whole", [1, 2, 7, 16, 97])
@pytest.mark.parametrize("size", [1, 3, 16, 40])
def test_parts_of_the_longest_loop_are_parts_of_each(whole, size):
    """However [0, whole) is cut, `begin * size / whole` and the end alike leave nothing out."""
    for cuts in range(1, whole + 1):
        ends = [whole * k // cuts for k in range(cuts + 1)]
        done = [
            i for begin, end in pairwise(ends)
            for i in range(begin * size // whole, end * size // whole)
        ]  # fmt: skip
        assert done == list(range(size))


def chained():
    """A store, and another one that reads all that it writes."""
    i, j, k = axis(8, 0), axis(8, 1), reduced(8, 2)
    first = param(0, 8).index(i).store(param(2, 8).index(i)).end(i)
    total = param(0, 8).after(first).index(k).reduce(Ops.ADD, k)
    return UOp.sink(first, param(1, 8).index(j).store(total).end(j))


@pytest.mark.parametrize(
    ("kernel", "text", "message"),
    [
        (elementwise(29), "r1, r2 = tail(r0, 24); thread(r1)", "every store of the kernel"),
        (transposed(5, 7), "thread(r0, r1)", "every store of the kernel loops over, or one of"),
        (elementwise(29), "r1, r2 = tail(r0, 24); thread(r1); thread(r2)", "every store"),
        (chained(), "thread(r0, r1)", "a store reads what another one writes"),
        (elementwise(29), "thread(r0, r0)", "expected different ranges"),
        (centred(3, 4), "thread(r0, r1)", "every store of the kernel loops over, or one of"),
    ],
)
def test_what_threads_cannot_share_is_refused(kernel, text, message):
    with pytest.raises(UsageError, match=message):
        lower_kernel(kernel.replace(arg=("it", text)), "C")


def two_stores(offset, read=None):
    """Two loops that threads share apart; the second writes from an offset on."""
    i, j = axis(8, 0, "thread"), axis(4, 1, "thread")
    goal = param(0, 16)
    value = param(1, 16).index(j) if read is None else goal.index(j + read)
    first = goal.index(i).store(param(1, 16).index(i)).end(i)
    return UOp.sink(first, goal.index(j + offset).store(value).end(j))


def test_loops_that_threads_share_apart_write_and_read_elements_of_their_own():
    check_races(two_stores(8))
    check_races(two_stores(8, read=8))
    with pytest.raises(ValidationError, match=r"element 7, which .* in another loop"):
        check_races(two_stores(7))
    with pytest.raises(ValidationError, match=r"element 4, which .* in another loop"):
        check_races(two_stores(8, read=4))


# ---- what is chosen ------------------------------------------------------------------------------

PRIME, LONG_PRIME = 4099, 2_000_003


@pytest.mark.parametrize(
    "kernel",
    [
        elementwise(LONG_PRIME),
        elementwise(1024 * 1024 + 1),
        column_sum(512, 50257),
        column_sum(1031, PRIME),
        column_sum(4096, 768),
        column_sum(4096, 1021),
        column_sum(4096, 1009),
        transposed(1009, 1013),
        transposed(1009, 1013, factor=2.0),
        transposed(1024, 1024),
        repeated(1009, 2000),
    ],
)
def test_threads_share_kernels_of_any_size(kernel):
    assert "thread(" in choices(kernel)


def test_small_kernels_stay_on_one_core():
    for kernel in (elementwise(1009), column_sum(16, 31), transposed(37, 41)):
        assert "thread(" not in choices(kernel)


def test_a_transposition_of_any_size_is_turned_in_squares():
    assert "shuffle(" in lower_kernel(transposed(1009, 1013), "C").source
    assert "shuffle(" in lower_kernel(transposed(1009, 1024), "C").source
    assert "shuffle(" not in lower_kernel(transposed(3, 100_003), "C").source


def test_parts_that_are_repeated_are_copied_as_vectors():
    source = lower_kernel(repeated(1009, 2000), "C").source
    assert "%" not in source
    assert "*(f32x16 *)" in source


# ---- values --------------------------------------------------------------------------------------


SHAPES = [(613, 509), (509, 613), (37, 8101), (3, 90_001), (608, 611), (513, 513), (1, 300_007)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kind", ["f4", "i1"])
def test_transpositions_are_those_of_numpy(shape, kind, rng):
    a = rng.integers(-9, 9, shape).astype(kind)
    for threads in (1, 2, 7):
        with Context(THREADS=threads):
            np.testing.assert_array_equal(Tensor(a).T.contiguous().numpy(), a.T)


@pytest.mark.parametrize("size", [262_145, 300_007, 299_009, 264_192 + 1023])
@pytest.mark.parametrize("kind", ["f4", "f8", "i1", "f2"])
def test_long_rows_are_those_of_numpy(size, kind, rng):
    a = rng.integers(-9, 9, size).astype(kind)
    for threads in (1, 3):
        with Context(THREADS=threads):
            np.testing.assert_array_equal((Tensor(a) + 1).numpy(), a + np.ones((), kind))
            whole = Tensor(a[:-1].reshape(2, -1)).repeat(2, 3).contiguous()
            np.testing.assert_array_equal(whole.numpy(), np.tile(a[:-1].reshape(2, -1), (2, 3)))


@pytest.mark.parametrize("shape", [(512, 5021), (1031, 1009), (4096, 259), (2, 300_007)], ids=str)
def test_sums_and_extremes_of_columns_are_those_of_numpy(shape, rng):
    a = rng.normal(size=shape).astype(np.float32)
    for threads in (1, 2, 5):
        with Context(THREADS=threads):
            found = Tensor(a).sum(0).numpy()
            np.testing.assert_allclose(found, a.astype(np.float64).sum(0), rtol=1e-4, atol=1e-3)
            np.testing.assert_array_equal(Tensor(a).max(0).numpy(), a.max(0))


@pytest.mark.parametrize("size", [300_007, 262_145])
def test_several_outputs_of_one_loop_are_shared_too(size, rng):
    a, b = (rng.normal(size=size).astype(np.float32) for _ in range(2))
    x, y = Tensor(a).realize(), Tensor(b).realize()
    first, second = x * 2 + y, x - y * 3
    Tensor.realize(first, second)
    np.testing.assert_allclose(first.numpy(), a * 2 + b, rtol=1e-6)
    np.testing.assert_allclose(second.numpy(), a - b * 3, rtol=1e-6, atol=1e-6)
    turned, more = x[:262_144].reshape(512, 512).T, y[:262_144].reshape(512, 512)
    first, second = turned + more, turned * more
    Tensor.realize(first, second)
    np.testing.assert_array_equal(first.numpy(), a[:262_144].reshape(512, 512).T + more.numpy())
    np.testing.assert_array_equal(second.numpy(), a[:262_144].reshape(512, 512).T * more.numpy())


def test_a_write_into_its_own_memory_is_shared_too(rng):
    a = rng.normal(size=300_007).astype(np.float32)
    x = Tensor(a).realize()
    x += 1
    x.realize()
    np.testing.assert_array_equal(x.numpy(), a + 1)
    x[:] = x * 2
    np.testing.assert_array_equal(x.numpy(), (a + 1) * 2)


def test_sources_do_not_hang_on_the_cores_of_the_host(monkeypatch):
    before = lower_kernel(column_sum(4096, 1021), "C").source
    monkeypatch.setattr(os, "cpu_count", lambda: 61)
    assert lower_kernel(column_sum(4096, 1021), "C").source == before


# ---- sums that many places store -----------------------------------------------------------------


def stored_often(times, rows, columns, length):
    """Sums of a part of rows, the same for each of some tables."""
    n, i, j, k = axis(times, 0), axis(rows, 1), axis(columns, 2), reduced(length, 3)
    weight = param(1, rows * length).index(i * length + k)
    seen = (j < k).where(weight, UOp.const(weight.dtype, 0.0))
    place = (n * rows + i) * columns + j
    total = seen.reduce(Ops.ADD, k)
    return UOp.sink(param(0, times * rows * columns).index(place).store(total).end(n, i, j))


def test_a_sum_is_computed_once_for_all_that_store_it(rng):
    kernel = stored_often(8, 6, 37, 40)
    made = lower_kernel(kernel, "C")
    assert "stored(r0)" in made.choices
    given = inputs(kernel, rng)
    weight = given[1].reshape(6, 1, 40)
    expected = np.where(np.arange(37)[:, None] < np.arange(40), weight, 0).sum(-1)
    for name, graph in lowering_stages(kernel, "C"):
        found = [np.copy(a) for a in given]
        run_kernel(graph, found)
        same(found[0].reshape(8, 6, 37), np.broadcast_to(expected, (8, 6, 37)), name)
        check_races(graph)


def test_sums_of_each_table_stay_inside_of_its_loop():
    assert "stored(" not in choices(column_sum(40, 37))
    i, j, k = axis(8, 0), axis(6, 1), reduced(40, 2)
    total = param(1, 8 * 240).index(i * 240 + j * 40 + k).reduce(Ops.ADD, k)
    kernel = UOp.sink(param(0, 48).index(i * 6 + j).store(total).end(i, j))
    assert "stored(" not in choices(kernel)


@pytest.mark.parametrize("stride", [1, 2])
def test_gradients_of_a_sum_of_a_convolution(stride, rng):
    x = Tensor(rng.normal(size=(3, 4, 9, 11)).astype(np.float32))
    k = Tensor(rng.normal(size=(5, 4, 3, 3)).astype(np.float32))
    x.requires_grad = k.requires_grad = True
    x.conv2d(k, padding=1, stride=stride).sum().backward()
    wide = np.zeros((4, 11, 13))
    for y in range(0, 9, stride):
        for z in range(0, 11, stride):
            wide[:, y : y + 3, z : z + 3] += k.numpy().astype(np.float64).sum(0)
    expected = np.broadcast_to(wide[:, 1:-1, 1:-1], (3, 4, 9, 11))
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rows", [2, 3, 15])
def test_few_long_rows_are_cut_for_more_threads_than_rows(rows, rng):
    """Not one row after the other: three of them would keep the second thread waiting."""
    x = rng.integers(-9, 9, (rows, 10, 40_000)).astype(np.float32)
    (item,) = Tensor(x).realize().sum(1).schedule()
    program = lower_kernel(item.ast, "C")
    assert "join(" in program.choices and program.launch[0][0] >= 16
    np.testing.assert_array_equal(Tensor(x).sum(1).numpy(), x.sum(1))


def test_many_rows_are_not_cut():
    (item,) = Tensor.ones(40, 10, 20_000).contiguous().realize().sum(1).schedule()
    assert lower_kernel(item.ast, "C").launch[0] == (40,)
