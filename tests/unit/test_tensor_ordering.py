"""Rows in the order of their digits, and a few of the least, by kernels of loops in order."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Context, Tensor, Variable, dtypes, jit
from rulewright.ir.ops import Ops
from rulewright.tensor.ordered import THREAD_WORK, has_ordered_loops
from rulewright.tensor.sorting import COUNTED, DIGITS, FEW, ROW


def stable(x, descending=False, axis=-1):
    """Where elements go: NaN is the largest, and equal ones stay in their order."""
    if x.dtype.kind == "f":
        x = np.where(np.isnan(x), np.inf, x.astype(np.float64)) + 0.0
        ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
    else:
        ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
    return np.argsort(-ranks if descending else ranks, axis, kind="stable")


def values(rng, kind, shape):
    """Elements of which some are equal, and if there are such, not finite ones and zeros."""
    if kind == "bool":
        return rng.random(shape) < 0.5
    if kind[0] in "iu":
        bounds = np.iinfo(kind)
        x = rng.integers(bounds.min, bounds.max, shape, kind, endpoint=True)
        return np.where(rng.random(shape) < 0.2, x.flat[0], x).astype(kind) if x.size else x
    x = (rng.standard_normal(shape) * 100).astype(kind)
    for value, part in ((np.nan, 0.1), (-np.inf, 0.05), (0.0, 0.1), (-0.0, 0.1)):
        x = np.where(rng.random(shape) < part, np.asarray(value, kind), x)
    return x


KINDS = ["f4", "f2", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "bool"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_dtypes_are_sorted_by_their_digits(kind, rng):
    x = values(rng, np.dtype(kind).name, (3, DIGITS + 9))
    for descending in (False, True):
        found, places = Tensor(x).sort(descending=descending)
        np.testing.assert_array_equal(places.numpy(), stable(x, descending))
        exact = np.take_along_axis(x, stable(x, descending), -1)
        np.testing.assert_array_equal(found.numpy(), exact)


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_best_of_all_dtypes_are_found(kind, rng):
    x = values(rng, np.dtype(kind).name, (3, 41))
    for largest in (False, True):
        found, places = Tensor(x).topk(5, largest=largest)
        exact = stable(x, largest)[:, :5]
        np.testing.assert_array_equal(places.numpy(), exact)
        np.testing.assert_array_equal(found.numpy(), np.take_along_axis(x, exact, -1))


def test_bfloat16_is_sorted_by_its_own_bits(rng):
    x = Tensor(rng.integers(-9, 9, 300).astype(np.float32)).cast(dtypes.bf16)
    found, places = x.sort()
    whole = x.cast(dtypes.f32).numpy()
    np.testing.assert_array_equal(places.numpy(), np.argsort(whole, kind="stable"))
    np.testing.assert_array_equal(found.cast(dtypes.f32).numpy(), np.sort(whole))


@pytest.mark.parametrize("shape", [(0,), (1,), (2,), (0, 300), (300, 0), (DIGITS,), (DIGITS + 1,)])
def test_sizes_around_those_where_digits_begin(shape, rng):
    x = rng.integers(0, 9, shape).astype(np.int32)
    for axis in range(len(shape)):
        found, places = Tensor(x).sort(axis)
        np.testing.assert_array_equal(places.numpy(), np.argsort(x, axis, kind="stable"))
        np.testing.assert_array_equal(found.numpy(), np.sort(x, axis))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_every_axis_of_what_is_no_row_in_memory(axis, rng):
    x = rng.integers(-50, 50, (131, 3, 149)).astype(np.float32)
    moved = Tensor(x).permute(2, 0, 1).flip(0)
    exact = x.transpose(2, 0, 1)[::-1]
    places = moved.argsort(axis)
    np.testing.assert_array_equal(places.numpy(), np.argsort(exact, axis, kind="stable"))
    best = moved.topk(3, axis)[1].numpy()
    np.testing.assert_array_equal(best, stable(exact, True, axis).take(range(3), axis))


@pytest.mark.parametrize(
    ("size", "best"), [(2 * ROW, 2), (2 * ROW + 1, 1), (2 * ROW + 1, 3), (3 * ROW, FEW + 1)]
)
def test_the_best_of_blocks_are_compared_again(size, best):
    """The last block may have fewer elements than are looked for, and some equal what fills it."""
    x = np.full(size, np.iinfo(np.int32).max, np.int32)
    x[-1] = 5
    found, places = Tensor(x).topk(best, largest=False)
    assert places.tolist() == [size - 1, *range(best - 1)]
    assert found.tolist() == [5, *[np.iinfo(np.int32).max] * (best - 1)]


def test_threads_share_rows_and_give_the_same(rng):
    x = rng.integers(0, 99, (THREAD_WORK // 256, 257)).astype(np.int64)
    with Context(VERIFY=1):
        places = Tensor(x).argsort()
        kernels = [k.ast for k in places.contiguous().schedule()]
    kinds = {n.arg[1] for k in kernels for n in k.toposort() if n.op is Ops.RANGE}
    assert "thread" in kinds
    again = Tensor(x).argsort().numpy()
    np.testing.assert_array_equal(again, np.argsort(x, kind="stable"))


def test_each_step_is_what_the_interpreter_says(rng):
    x = rng.integers(-9, 9, DIGITS + 1).astype(np.int8)
    with Context(VERIFY=2, CACHE=0):
        np.testing.assert_array_equal(Tensor(x).argsort().numpy(), stable(x))
        np.testing.assert_array_equal(Tensor(x[:20]).topk(2)[1].numpy(), stable(x[:20], True)[:2])


def test_a_captured_step_sorts_what_it_gets(rng):
    @jit
    def step(x):
        return x.sort(descending=True)[0], x.topk(3)[1]

    for _ in range(4):
        x = rng.permutation(DIGITS + 30).astype(np.float32)
        found, best = step(Tensor(x))
        np.testing.assert_array_equal(found.numpy(), np.sort(x)[::-1])
        np.testing.assert_array_equal(best.numpy(), stable(x, True)[:3])
    assert step.captures == 1


def test_rows_of_symbolic_number_are_sorted_as_before(rng):
    x = rng.integers(0, 50, (20, 200)).astype(np.int32)
    count = Variable("count", 1, 20).bind(7)
    places = Tensor(x)[:count].argsort()
    np.testing.assert_array_equal(places.numpy(), np.argsort(x[:7], kind="stable"))


def test_what_is_sorted_keeps_its_values(rng):
    x = Tensor(rng.standard_normal(999).astype(np.float32)).realize()
    before = x.numpy().copy()
    places = x.argsort().realize()
    np.testing.assert_array_equal(x.numpy(), before)
    np.testing.assert_array_equal(places.numpy(), np.argsort(before, kind="stable"))


@pytest.mark.parametrize("axis", [0, 1])
def test_gradients_of_long_rows_go_to_their_places(axis, rng):
    x = Tensor(rng.permutation(150 * 140).reshape(150, 140).astype(np.float32), requires_grad=True)
    weight = rng.standard_normal((150, 140)).astype(np.float32)
    (x.sort(axis)[0] * Tensor(weight)).sum().backward()
    exact = np.zeros_like(weight)
    np.put_along_axis(exact, np.argsort(x.numpy(), axis), weight, axis)
    np.testing.assert_array_equal(x.grad.numpy(), exact)


def test_which_devices_have_loops_in_order():
    assert has_ordered_loops("C")
    assert has_ordered_loops("C:1")
    assert not has_ordered_loops("INTERP") and not has_ordered_loops("OPENCL")


@pytest.mark.parametrize("size", [DIGITS + 5, COUNTED + 1])
def test_a_device_without_such_loops_gives_the_same(size, rng):
    x = values(rng, "float32", (2, size))
    given = Tensor(x, device="INTERP")
    np.testing.assert_array_equal(given.argsort().numpy(), stable(x))
    np.testing.assert_array_equal(given.topk(3)[1].numpy(), stable(x, True)[:, :3])


@pytest.mark.parametrize(
    ("size", "of"),
    in_turn(
        [9, 5000],
        [
            lambda x: x.sort()[0],
            lambda x: x.topk(3)[0].sum(),
            lambda x: x.cumsum(0),
            lambda x: x.cummax(0)[0],
            lambda x: x.logcumsumexp(0),
            lambda x: x.kthvalue(7)[0],
        ],
    ),
)
def test_a_constant_in_order_is_on_no_device_yet(of, size):
    """As a constant is: what it meets says where it is computed, not the default device."""
    numbers = np.arange(size, dtype=np.float32) / size
    with Context(DEVICE="C"):
        value = of(Tensor.arange(size).float() / size) + Tensor(numbers, device="INTERP")
        assert value.device == "INTERP"
    with Context(DEVICE="INTERP"):
        wanted = of(Tensor(numbers)) + Tensor(numbers)
    np.testing.assert_allclose(value.numpy(), wanted.numpy(), rtol=1e-5)
