"""Python's and numpy's scalars beside tensors, and the defaults that numbers have on their own."""

from __future__ import annotations

import enum
import operator
import threading

import numpy as np
import pytest

from rulewright import Tensor, dtypes, jit
from rulewright.errors import DTypeError, UsageError

ALL = dtypes.all()
INTS = [k for k in ALL if k.is_int]


@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.name)
def test_scalars_are_weak(kind):
    x = Tensor([0, 1], dtype=kind)
    wanted = [
        (True, kind),
        (1, dtypes.i64 if kind.is_bool else kind),
        (1.5, kind if kind.is_float else dtypes.f32),
    ]
    for value, result in wanted:
        chosen = (x == x).where(x, value)
        for found in (x + value, value + x, x * value, x.maximum(value), chosen):
            assert found.dtype is result, value
        assert (x < value).dtype is (value >= x).dtype is dtypes.bool


@pytest.mark.parametrize(
    ("value", "result"),
    [(np.float64(1.5), "f32"), (np.float32(1.5), "f32"), (np.int64(1), "i8"), (np.uint8(1), "i8"),
     (np.bool_(True), "i8"), (np.float16(1), "f32")],
)  # fmt: skip
def test_numpy_scalars_are_weak_as_in_pytorch(value, result):
    x = Tensor([1, 2], dtype="i8")
    assert (x + value).dtype.name == result
    assert (value + x).dtype.name == result
    assert (Tensor([1.0], dtype="f16") + value).dtype is dtypes.f16


def test_arrays_are_not_weak_but_those_without_axes_are():
    x = Tensor([1], dtype="i8")
    assert (x + np.array([1])).dtype is dtypes.i64
    assert (x + np.array(1)).dtype is dtypes.i8


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [([np.float64(1.5), np.float64(2)], "f64"), ([[np.float64(1.5)], [2.5]], "f64"),
     ([2, np.float64(1.5)], "f64"), ([True, np.float32(1.5)], "f32"), ([np.float16(3), 1.5], "f32"),
     ([np.int8(3), np.int8(-5)], "i8"), ([np.uint8(200), np.int8(-3)], "i16"),
     ([np.uint64(2**63 + 5)], "u64"), ([np.bool_(True), np.bool_(False)], "bool"),
     ([np.array(2.5), np.float64(1)], "f64"), ([Colour.RED, Colour.BLUE], "i64")],
)  # fmt: skip
def test_numbers_in_lists_keep_dtype_and_value(numbers, dtype):
    x = Tensor(numbers)
    assert x.dtype.name == dtype
    assert x.tolist() == np.array(numbers).tolist()
    assert Tensor(numbers, dtype="f32").tolist() == np.array(numbers, "float32").tolist()


def test_numbers_of_numpy_in_lists_that_are_written_or_added():
    x = Tensor.zeros(3)
    x[1:] = [np.float64(1.5), np.float64(2.5)]
    assert x.tolist() == [0.0, 1.5, 2.5]
    assert x.add([np.float64(0.25)]).tolist() == [0.25, 1.75, 2.75]


def test_floats_are_computed_of_integers_that_the_other_type_cannot_hold():
    x, values = Tensor([0, 3, 254], dtype="u8"), np.array([0.0, 3, 254])
    for other, number in ((Tensor(-3, dtype="i8"), -3), (Tensor(300), 300), (-3, -3), (300, 300)):
        np.testing.assert_allclose((x / other).numpy(), values / number, 1e-6)
        np.testing.assert_allclose((other / (x + 1)).numpy(), number / (values + 1), 1e-6)
        np.testing.assert_allclose(x.atan2(other).numpy(), np.arctan2(values, number), 1e-6)
        np.testing.assert_array_equal(x.copysign(other).numpy(), np.copysign(values, number))
    np.testing.assert_allclose(x.xlogy(Tensor(300)).numpy(), values * np.log(300), 1e-6)
    wide = Tensor([2**63 + 2**62], dtype="u64")
    assert (wide / Tensor([-1])).item() == -(2.0**63 + 2.0**62)


@pytest.mark.parametrize("scalar", [1j, np.complex64(1j)], ids=repr)
def test_complex_numbers_are_refused(scalar):
    for call in (lambda: Tensor([1.0]) + scalar, lambda: scalar * Tensor([1]),
                 lambda: Tensor([1.0]) == scalar, lambda: Tensor(scalar)):  # fmt: skip
        with pytest.raises(DTypeError, match="complex"):
            call()


# ---- integers that do not fit --------------------------------------------------------------------


@pytest.mark.parametrize("kind", INTS, ids=lambda k: k.name)
def test_an_integer_outside_the_dtype_is_refused(kind):
    x = Tensor([1, 2], dtype=kind)
    for value in (kind.max + 1, kind.min - 1):
        for call in (lambda v: x + v, lambda v: v - x, lambda v: x.maximum(v), lambda v: x & v,
                     lambda v: (x == x).where(x, v), lambda v: Tensor(v, dtype=kind),
                     lambda v: Tensor([v], dtype=kind), lambda v: x.full_like(v)):  # fmt: skip
            with pytest.raises(UsageError, match=f"an integer is outside {kind.name}, which holds"):
                call(value)
        with pytest.raises(UsageError, match="an integer is outside"):
            x[0] = value
    for value in (kind.max, kind.min):
        assert (x * 0 + value).tolist() == [value, value]
        assert Tensor([value], dtype=kind).tolist() == [value]


@pytest.mark.parametrize("kind", INTS, ids=lambda k: k.name)
def test_comparisons_with_such_an_integer_are_exact(kind):
    values = [int(kind.min), 0, int(kind.max)]
    x = Tensor(values, dtype=kind)
    for other in (kind.max + 1, kind.min - 1, 300, -1):
        assert (x < other).tolist() == [v < other for v in values]
        assert (x <= other).tolist() == [v <= other for v in values]
        assert (x > other).tolist() == [v > other for v in values]
        assert (x >= other).tolist() == [v >= other for v in values]
        assert (other < x).tolist() == [other < v for v in values]
        assert (x == other).tolist() == [v == other for v in values]
        assert (x != other).tolist() == [v != other for v in values]


@pytest.mark.parametrize("kind", [k for k in INTS if k.min < 0], ids=lambda k: k.name)
def test_comparisons_of_uint64_with_signed_integers_are_exact(kind):
    small = [int(kind.min), -1, 0, 7, int(kind.max)]
    large = [0, 7, 2**63, 2**64 - 1, 2**64 + int(kind.min)]
    signed, wide = Tensor(small, dtype=kind), Tensor(large, dtype="u64")
    for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        wanted = [[compare(a, b) for b in large] for a in small]
        step = jit(lambda a, b, compare=compare: compare(a.unsqueeze(1), b))
        for _ in range(3):
            assert step(signed, wide).tolist() == wanted
        rows = compare(wide, np.array(small, kind.np)[:, None])
        assert rows.tolist() == [[compare(b, a) for b in large] for a in small]
        assert compare(signed, Tensor(2**64 - 1, dtype="u64")).tolist() == [
            compare(a, 2**64 - 1) for a in small
        ]
        assert compare(wide, kind.np.type(-1)).tolist() == [compare(b, -1) for b in large]
        assert compare(signed[:0], wide[:0]).tolist() == []


def test_floats_in_integer_tensors_are_cast():
    values = [1.9, -1.9, 1e30, -1e30]
    wanted = [1, -1, 127, -128]
    assert Tensor(values, dtype="i8").tolist() == wanted
    assert [Tensor(v, dtype="i8").item() for v in values] == wanted
    assert [Tensor.full((2,), v, dtype="i8").tolist()[1] for v in values] == wanted
    array = np.array([*values, np.nan, np.inf, -np.inf])  # an array is cast as it is
    assert Tensor(array, dtype="i8").tolist() == [*wanted, 0, 127, -128]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_no_integer_is_near_is_refused_as_one(value):
    for make in (
        lambda: Tensor(value, dtype="i8"),
        lambda: Tensor([1.0, value], dtype="i8"),
        lambda: Tensor.full((2,), value, dtype="i8"),
    ):
        with pytest.raises(OverflowError, match="i8"):
            make()


# ---- defaults ------------------------------------------------------------------------------------


@pytest.fixture
def restored():
    """The process's defaults as they were, after a test that sets them."""
    before = dtypes.default_float, dtypes.default_int
    yield
    dtypes.default_float, dtypes.default_int = before


def the_defaults():
    floats = Tensor([1.0]), Tensor(2.0), Tensor.zeros(2), Tensor([1]) / 2, Tensor([1]) + 0.5
    ints = Tensor([1]), Tensor(1), Tensor.arange(3), Tensor([True]) + 1, Tensor([True]).sum()
    found = {t.dtype for t in (*floats, Tensor([1]).sqrt(), Tensor([1]).mean())}
    return found, {t.dtype for t in (*ints, Tensor([1.0]).argmax())}


def test_the_defaults_are_pytorchs():
    assert the_defaults() == ({dtypes.f32}, {dtypes.i64})


def test_defaults_can_be_set(restored):
    dtypes.default_float, dtypes.default_int = dtypes.f16, "int32"
    assert the_defaults() == ({dtypes.f16}, {dtypes.i32})
    assert Tensor([1.0], dtype=float).dtype is dtypes.f16  # Python's own types follow
    assert Tensor([1.0], dtype="float").dtype is dtypes.f32  # names do not
    assert Tensor([1], dtype="i64").sum().dtype is dtypes.i64  # a wider type stays


def test_defaults_of_a_block():
    with dtypes.defaults(float=dtypes.f64):
        assert the_defaults() == ({dtypes.f64}, {dtypes.i64})
        with dtypes.defaults(int="i32"):
            assert the_defaults() == ({dtypes.f64}, {dtypes.i32})
            dtypes.default_float = dtypes.bf16  # until the block ends
            assert dtypes.default_float is dtypes.bf16
        assert dtypes.default_float is dtypes.f64
    assert the_defaults() == ({dtypes.f32}, {dtypes.i64})


def test_a_block_is_of_its_thread_and_an_assignment_of_all(restored):
    seen = []

    def look():
        seen.append(dtypes.default_float)

    def run():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()

    with dtypes.defaults(float=dtypes.f64):
        run()
    dtypes.default_float = dtypes.f16
    run()
    assert seen == [dtypes.f32, dtypes.f16]


def test_what_was_built_keeps_its_dtype(restored):
    x = Tensor([1, 2]) / 2
    dtypes.default_float = dtypes.f64
    assert x.numpy().dtype == np.float32


def test_a_jitted_function_is_captured_anew_under_other_defaults():
    halved = jit(lambda x: (x / 2).realize())
    for _ in range(3):
        assert halved(Tensor([1, 2])).dtype is dtypes.f32
    with dtypes.defaults(float=dtypes.f64):
        for _ in range(3):
            assert halved(Tensor([1, 2])).dtype is dtypes.f64


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("default_float", dtypes.i32, "default_float: expected a float dtype, found dtypes.i32"),
        ("default_float", "i32", "expected a float dtype"),
        ("default_float", dtypes.f32.vec(4), "expected a float dtype"),
        ("default_float", float, "expected a float dtype"),
        ("default_float", None, "expected a float dtype, found None"),
        ("default_float", "f33", "unknown dtype 'f33'"),
        ("default_int", dtypes.f32, "default_int: expected dtypes.i32 or dtypes.i64"),
        ("default_int", dtypes.i8, "narrower ones cannot hold positions"),
        ("default_int", dtypes.u64, "expected dtypes.i32 or dtypes.i64"),
    ],
)
def test_bad_defaults(name, value, message):
    with pytest.raises(DTypeError, match=message):
        setattr(dtypes, name, value)
    if value is not None:
        with pytest.raises(DTypeError, match=message), dtypes.defaults(**{name[8:]: value}):
            pass
    assert the_defaults() == ({dtypes.f32}, {dtypes.i64})


def test_a_misspelt_default_is_an_error():
    with pytest.raises(AttributeError, match=r"dtypes.default_flaot is not to be set"):
        dtypes.default_flaot = dtypes.f16
