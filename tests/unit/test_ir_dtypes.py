"""Dtypes: the promotion lattice, constants as numpy stores them, names."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies as st

from rulewright.errors import DTypeError
from rulewright.ir.dtypes import dtype, dtypes, from_numpy, promote

ALL = dtypes.all()
INTS = [d for d in ALL if d.is_int]
FLOATS = [d for d in ALL if d.is_float]


# ---- promotion ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL, ids=lambda d: d.name)
def test_promotion_is_idempotent(kind):
    assert promote([kind]) is kind
    assert promote([kind, kind]) is kind


def test_promotion_is_commutative():
    for a, b in itertools.combinations(ALL, 2):
        assert promote([a, b]) is promote([b, a])


def test_there_is_one_least_upper_bound():
    for a, b, c in itertools.product(ALL, repeat=3):
        if promote([a, c]) is c and promote([b, c]) is c:
            assert promote([promote([a, b]), c]) is c


def test_promotion_is_associative():
    for a, b, c in itertools.product(ALL, repeat=3):
        one_way = promote([promote([a, b]), c])
        assert one_way is promote([a, promote([b, c])])
        assert one_way is promote([a, b, c])


def test_the_promotion_of_two_integers_holds_the_values_of_both():
    for a, b in itertools.combinations_with_replacement(INTS, 2):
        both = promote([a, b])
        if both is not dtypes.i64 or dtypes.u64 not in (a, b):  # no integer holds these two
            assert both.min <= min(a.min, b.min) and max(a.max, b.max) <= both.max


def test_the_promotion_of_two_floats_holds_the_values_of_both():
    for a, b in itertools.combinations_with_replacement(FLOATS, 2):
        both = promote([a, b])
        for part in (a, b):
            assert ml_dtypes.finfo(part.np).nmant <= ml_dtypes.finfo(both.np).nmant
            assert ml_dtypes.finfo(part.np).maxexp <= ml_dtypes.finfo(both.np).maxexp


@pytest.mark.parametrize(
    "a, b, both",
    [
        ("bool", "u8", "u8"), ("u8", "i8", "i16"), ("u32", "i32", "i64"), ("u64", "i64", "i64"),
        ("i64", "f16", "f16"), ("u64", "fp8e4m3", "fp8e4m3"), ("fp8e4m3", "fp8e5m2", "bf16"),
        ("fp8e5m2", "bf16", "bf16"), ("fp8e4m3", "f16", "f32"), ("f16", "bf16", "f32"),
        ("bool", "f32", "f32"), ("f32", "f64", "f64"), ("i64", "fp8e5m2fnuz", "fp8e5m2fnuz"),
        ("fp8e4m3", "fp8e4m3fnuz", "bf16"), ("fp8e5m2fnuz", "f16", "f32"),
    ],
)  # fmt: skip
def test_promotions_one_should_know(a, b, both):
    assert promote([dtype(a), dtype(b)]).name == both


def test_void_and_index_promote_to_nothing():
    with pytest.raises(DTypeError, match="dtypes f32, void have no common promotion"):
        promote([dtypes.void, dtypes.f32])


# ---- constants ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", INTS, ids=lambda d: d.name)
@given(value=st.integers(-(2**70), 2**70))
def test_integer_constants_wrap_as_numpy_does(kind, value):
    low_bits = np.array(value & (2**64 - 1), np.uint64).astype(kind.np)
    assert kind.const(value) == int(low_bits)


@pytest.mark.parametrize("kind", FLOATS, ids=lambda d: d.name)
@given(value=st.floats(allow_nan=False))
def test_float_constants_round_as_numpy_does(kind, value):
    with np.errstate(all="ignore"):
        expected = float(np.float64(value).astype(kind.np))
    assert repr(kind.const(value)) == repr(expected)
    assert repr(kind.const(kind.const(value))) == repr(expected)


@pytest.mark.parametrize("kind", FLOATS, ids=lambda d: d.name)
def test_float_constants_keep_zeros_signs_and_nan(kind):
    assert repr(kind.const(-0.0)) == ("0.0" if kind.name.endswith("fnuz") else "-0.0")
    assert np.isnan(kind.const(float("nan")))


def test_bool_constants_say_whether_it_is_nonzero():
    assert [dtypes.bool.const(v) for v in (0, 2, -0.0, 0.5, float("nan"))] == [
        False, True, False, True, True,
    ]  # fmt: skip


def test_index_constants_do_not_wrap():
    assert dtypes.index.const(2**80) == 2**80


# ---- facts and names ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", INTS, ids=lambda d: d.name)
def test_integer_limits_are_numpys(kind):
    limits = np.iinfo(kind.np)
    assert (kind.min, kind.max) == (limits.min, limits.max)
    assert kind.ones == int(np.invert(np.zeros((), kind.np)))


@pytest.mark.parametrize("kind", ALL, ids=lambda d: d.name)
def test_names_and_widths(kind):
    assert dtype(kind.name) is kind
    assert from_numpy(kind.np) is kind
    assert kind.itemsize == kind.np.itemsize
    assert getattr(dtypes, kind.np.name) is kind


def test_vectors():
    four = dtypes.f32.vec(4)
    assert (four.name, four.count, four.bits, four.itemsize) == ("f32*4", 4, 32, 16)
    assert four is dtype("f32*4") is dtypes.f32.vec(4)
    assert four.scalar is dtypes.f32
    assert four.vec(2) is dtypes.f32.vec(2)
    assert dtypes.f32.vec(1) is dtypes.f32


@pytest.mark.parametrize("name", ["f33", "f32*", "f32*x", "f32*0", "", "flout"])
def test_unknown_names_say_what_is_known(name):
    with pytest.raises(DTypeError, match=r"unknown dtype .*; known are void, bool, u8"):
        dtype(name)


def test_an_unknown_attribute():
    with pytest.raises(AttributeError, match="unknown dtype 'quaternion'"):
        _ = dtypes.quaternion
    assert not hasattr(dtypes, "_private")


def test_sets_of_the_spec():
    assert dtypes.set("Float") == frozenset(FLOATS)
    assert dtypes.i32 not in dtypes.set("Unsigned")
