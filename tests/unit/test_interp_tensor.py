"""The interpreter at the tensor stage: movement, reductions, memory; expected values from numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rulewright.errors import InterpreterError, VariableError
from rulewright.interp import evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

f32 = dtypes.f32
SIZES = st.sampled_from([0, 1, 2, 3, 5, 7])


def buffer(array: np.ndarray, dtype=f32, ident: int = 0) -> UOp:
    return UOp(Ops.BUFFER, dtype, (), (ident, array.shape, "C"))


def counted(shape: tuple[int, ...], kind: str = "f4") -> np.ndarray:
    return (np.arange(np.prod(shape, dtype=int)) + 1).reshape(shape).astype(kind)


def reduce_axis(x: UOp, op, axes) -> UOp:
    return UOp(Ops.REDUCE_AXIS, x.dtype, (x,), (op, tuple(axes)))


@given(st.lists(SIZES, min_size=1, max_size=4), st.randoms())
def test_movement_ops_are_those_of_numpy(shape, random):
    x = counted(tuple(shape))
    b = buffer(x)
    order = tuple(random.sample(range(len(shape)), len(shape)))
    flags = tuple(random.random() < 0.5 for _ in shape)
    pads = tuple((random.randrange(3), random.randrange(3)) for _ in shape)
    ends = [random.randint(0, n) for n in shape]
    bounds = tuple((random.randint(0, e), e) for e in ends)
    run = {b: x}
    slices = tuple(slice(None, None, -1 if f else 1) for f in flags)
    np.testing.assert_array_equal(evaluate(b.permute(order), run), x.transpose(order))
    np.testing.assert_array_equal(evaluate(b.flip(flags), run), x[slices])
    np.testing.assert_array_equal(evaluate(b.pad(pads), run), np.pad(x, pads))
    cut = x[tuple(slice(low, high) for low, high in bounds)]
    np.testing.assert_array_equal(evaluate(b.shrink(bounds), run), cut)
    np.testing.assert_array_equal(evaluate(b.reshape((x.size,)), run), x.reshape(-1))
    wide = b.reshape((1, *shape)).expand((3, *shape))
    np.testing.assert_array_equal(evaluate(wide, run), np.broadcast_to(x, (3, *shape)))


NUMPY = {"ADD": np.add, "MUL": np.multiply, "MAX": np.maximum, "MIN": np.minimum,
         "AND": np.bitwise_and, "OR": np.bitwise_or, "XOR": np.bitwise_xor}  # fmt: skip


@pytest.mark.parametrize("name", ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("op", NUMPY)
def test_integer_reductions_are_exact(op, name, rng):
    kind = dtypes.__getattr__(name).np
    for axes in ((0,), (1,), (2,), (0, 2), (0, 1, 2)):
        x = rng.integers(0, 200, (2, 3, 5)).astype(kind)
        b = buffer(x, dtypes.__getattr__(name))
        found = evaluate(reduce_axis(b, getattr(Ops, op), axes), {b: x})
        wanted = NUMPY[op].reduce(x, axis=axes, keepdims=True, dtype=kind)
        assert found.dtype == kind
        np.testing.assert_array_equal(found, wanted, err_msg=str(axes))


@pytest.mark.parametrize("name", ["bool", "i8", "u16", "i64", "f16", "bf16", "f32", "f64"])
def test_reducing_nothing_gives_the_identity(name):
    dtype = dtypes.__getattr__(name)
    x = np.zeros((2, 0, 3), dtype.np)
    b = buffer(x, dtype)
    wanted = {"MAX": dtype.min, "MIN": dtype.max}
    if name != "bool":
        wanted |= {"ADD": 0, "MUL": 1}
    for op, value in wanted.items():
        found = evaluate(reduce_axis(b, getattr(Ops, op), (1,)), {b: x})
        assert found.shape == (2, 1, 3) and (found == np.asarray(value, dtype.np)).all()


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_small_floats_round_at_every_addition(name):
    dtype = dtypes.__getattr__(name)
    big = 2.0 ** (dtype.row["mantissa"] + 1)
    x = np.array([big, 1], dtype.np)  # big + 1 lies between two numbers, big is the even one
    b = buffer(x, dtype)
    assert float(evaluate(reduce_axis(b, Ops.ADD, (0,)), {b: x})[0]) == big
    ones = np.ones(1000, dtype.np)
    c = buffer(ones, dtype)
    assert float(evaluate(reduce_axis(c, Ops.ADD, (0,)), {c: ones})[0]) == 1000


def test_max_reduction_gives_nan_if_any_is():
    x = np.array([[1, np.nan, 3], [4, 5, 6]], "f4")
    b = buffer(x)
    found = evaluate(reduce_axis(b, Ops.MAX, (1,)), {b: x})
    assert np.isnan(found[0, 0]) and found[1, 0] == 6


def test_a_large_product_is_reduced_in_pieces(monkeypatch, rng):
    monkeypatch.setattr("rulewright.interp.loops.LIMIT", 100)
    x, y = rng.normal(size=(9, 8)).astype("f4"), rng.normal(size=(8, 7)).astype("f4")
    a, b = buffer(x), buffer(y, ident=1)
    left = a.reshape((9, 8, 1)).expand((9, 8, 7))
    right = b.reshape((1, 8, 7)).expand((9, 8, 7))
    found = evaluate(reduce_axis(left * right, Ops.ADD, (1,)), {a: x, b: y})
    np.testing.assert_allclose(found[:, 0], x @ y, rtol=1e-5, atol=1e-6)


def test_iota_and_symbolic_sizes():
    n = UOp.variable("n", 0, 10)
    iota = UOp(Ops.IOTA, dtypes.i32, (n,), (None,))
    assert evaluate(iota, {}, {"n": 5}).tolist() == [0, 1, 2, 3, 4]
    x = counted((10,))
    b = buffer(x)
    part = UOp(Ops.SHRINK, f32, (b, n), ((0, None),))
    total = reduce_axis(part, Ops.ADD, (0,))
    assert evaluate(total, {b: x}, {"n": 4}).tolist() == [10]
    assert evaluate(total, {b: x}, {"n": 0}).tolist() == [0]
    bound = UOp(Ops.SHRINK, f32, (b, n.bind(3)), ((0, None),))
    assert evaluate(bound, {b: x}).tolist() == [1, 2, 3]
    fives = UOp.const(f32, 5).reshape((1,))
    wide = UOp(Ops.EXPAND, f32, (fives, n), (None,))
    assert evaluate(wide, {}, {"n": 2}).tolist() == [5, 5]


def test_assignment_means_what_it_means_in_numpy():
    x = counted((4, 4))
    b = buffer(x)
    ones = UOp.const(f32, 7).reshape((1, 1)).expand((2, 2))
    first = b.after(b.shrink(((0, 2), (1, 3))).store(ones))
    second = first.after(first.permute((1, 0)).shrink(((0, 1), (0, 4))).store(
        UOp.const(f32, -1).reshape((1, 1)).expand((1, 4))))  # fmt: skip
    old = counted((4, 4))
    found = evaluate(UOp.sink(second, b + 0.0, first.contiguous()), {b: x})
    wanted = old.copy()
    wanted[0:2, 1:3] = 7
    np.testing.assert_array_equal(found[2], wanted)
    wanted.T[0:1, 0:4] = -1
    np.testing.assert_array_equal(found[0], wanted)
    np.testing.assert_array_equal(found[1], old)  # a read without AFTER sees the old contents
    np.testing.assert_array_equal(x, wanted)  # and the binding is written in place


def test_storing_into_a_view_of_itself_reads_before_it_writes():
    x = counted((6,))
    b = buffer(x)
    evaluate(b.after(b.store(b.flip((True,)))), {b: x})
    assert x.tolist() == [6, 5, 4, 3, 2, 1]


def test_function_stage_writes_its_parameters():
    p = UOp(Ops.PARAM, f32, (), (0, (3,), "C"))
    q = UOp(Ops.PARAM, f32, (), (1, (3,), "C"))
    x, y = counted((3,)), np.zeros(3, "f4")
    assert evaluate(UOp.sink(q.store(p * 2.0)), {p: x, q: y}) == (None,)
    assert y.tolist() == [2, 4, 6]


def test_subbuffer_is_a_view():
    x = counted((8,))
    b = buffer(x)
    part = UOp(Ops.SUBBUFFER, f32, (b,), (2, (2, 2)))
    assert evaluate(part, {b: x}).tolist() == [[3, 4], [5, 6]]
    changed = b.after(part.store(UOp.const(f32, 0).reshape((1, 1)).expand((2, 2))))
    assert evaluate(changed, {b: x}).tolist() == [1, 2, 0, 0, 0, 0, 7, 8]
    bits = UOp(Ops.SUBBUFFER, dtypes.u8, (b,), (4, (4,)))
    assert evaluate(bits, {b: counted((8,))}).tolist() == list(np.float32(2).tobytes())


def test_tuple_contiguous_detach_and_copy():
    x = counted((2, 3))
    b = buffer(x)
    copy = UOp(Ops.COPY, f32, (b,), "CUDA")
    root = UOp(Ops.TUPLE, dtypes.void, (b.contiguous(), b.detach(), copy))
    for found in evaluate(root, {b: x}):
        np.testing.assert_array_equal(found, x)


def message(root: UOp, bindings, variables=None) -> str:
    with pytest.raises((InterpreterError, VariableError)) as caught:
        evaluate(root, bindings, variables)
    return str(caught.value)


def test_errors_name_what_is_wrong():
    x = counted((4,))
    b = buffer(x)
    assert "is not bound to an array" in message(b + 1.0, {})
    assert "expected an array of float32, found float64" in message(b, {b: x.astype("f8")})
    assert "expected (4,), found an array of shape (5,)" in message(b, {b: counted((5,))})
    bad = UOp(Ops.RESHAPE, f32, (b,), (3,))
    assert "RESHAPE[3] of shape (4,)" in message(bad, {b: x})
    outside = UOp(Ops.SHRINK, f32, (b,), ((1, 6),))
    assert "bounds 1:6 do not lie in an axis of size 4" in message(outside, {b: x})
    negative = UOp(Ops.PAD, f32, (b,), ((-1, 0),))
    assert "must not be negative" in message(negative, {b: x})
    n = UOp.variable("n", 1, 4)
    part = UOp(Ops.SHRINK, f32, (b, n), ((0, None),))
    assert "variable n has no value" in message(part, {b: x})
    assert "variable n = 9 is outside 1 … 4" in message(part, {b: x}, {"n": 9})
    twice = UOp.sink(n.bind(2) + n.bind(3))
    assert "variable n is bound to 2 and to 3" in message(twice, {})
    assert "has no value for the interpreter" in message(UOp(Ops.NOGRAD, dtypes.void), {})


@pytest.mark.parametrize("name", ["f64", "f32", "f16", "bf16", "fp8e4m3", "fp8e5m2"])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 8])
def test_a_sum_begins_at_zero_so_that_one_of_negative_zeros_is_zero(name, count):
    kind = dtypes.__getattr__(name)
    x = buffer(np.full(count, -0.0).astype(kind.np), kind)
    total = evaluate(reduce_axis(x, Ops.ADD, (0,)), {x: np.full(count, -0.0).astype(kind.np)})
    assert not np.signbit(total.astype("f8")).any()


@pytest.mark.parametrize("name", ["f32", "bf16"])
def test_over_no_axes_a_sum_is_what_is_summed(name):
    kind = dtypes.__getattr__(name)
    numbers = np.array([-0.0, 1.0]).astype(kind.np)
    x = buffer(numbers, kind)
    total = evaluate(reduce_axis(x, Ops.ADD, ()), {x: numbers})
    assert np.signbit(total.astype("f8")).tolist() == [True, False]
