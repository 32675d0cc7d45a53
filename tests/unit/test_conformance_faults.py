"""What devices get wrong, as calls that compute it: the cases of conformance that see it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rulewright.driver import execute, schedules
from rulewright.ir.dtypes import dtypes
from rulewright.verify import conformance, suite
from rulewright.verify.conformance import declared, run_case
from rulewright.verify.methods.check import check_gradients, least_gradient
from rulewright.verify.methods.row import Method
from rulewright.verify.suite.sweep import Sweep, ulps_away
from rulewright.verify.values.samples import halfway

FAULTS = {
    "low half of a number alone is not 0": (
        "integers/cast to bool", "i64", lambda x: x.cast("i32").cast("bool"),
    ),
    "lowest bit alone is not 0": ("integers/cast to bool", "u8", lambda x: (x & 1).cast("bool")),
    "sign of a wider type": ("integers/-x // 3", "i8", lambda x: -x.cast("i32") // 3),
    "bits of a wider type": ("integers/~x // 3", "u8", lambda x: ~x.cast("i32") // 3),
    "product in a wider type": (
        "integers/x * x // 3", "i16", lambda x: x.cast("i32") * x.cast("i32") // 3,
    ),
    "by way of a double": ("integers/cast to f32", "i64", lambda x: x.cast("f64").cast("f32")),
    "by way of a float": ("integers/cast to bf16", "u64", lambda x: x.cast("f32").cast("bf16")),
    "rounded twice": ("specials/cast to f16", "f64", lambda x: x.cast("f32").cast("f16")),
    "halves away from zero": (
        "specials/cast to bf16", "f32",
        lambda x: x.isnan().where(
            x.cast("bf16"), ((x.bitcast("u32") + 0x8000) >> 16).cast("u16").bitcast("bf16")
        ),
    ),
    "cut off": (
        "specials/cast to bf16", "f32",
        lambda x: x.isnan().where(
            x.cast("bf16"), (x.bitcast("u32") >> 16).cast("u16").bitcast("bf16")
        ),
    ),
    "by a reciprocal": ("specials/x / 3", "f32", lambda x: x * (1 / 3)),
    "fused": (
        "specials/x * y + x", "f32",
        lambda x, y: (x.cast("f64") * y.cast("f64") + x.cast("f64")).cast("f32"),
    ),
    "fused, subtracted": (
        "specials/x - x * y", "f32",
        lambda x, y: (x.cast("f64") - x.cast("f64") * y.cast("f64")).cast("f32"),
    ),
    "reassociated": ("specials/x + y - x", "f64", lambda x, y: y * 1),
    "constants added first": ("specials/x + 1 - 1", "f32", lambda x: x * 1),
    "constants multiplied first": ("specials/x * 3 / 3", "f16", lambda x: x * 1),
    "divisor multiplied again": ("specials/x / y * y", "f32", lambda x, y: x * 1),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_case_sees_a_fault(fault):
    name, kind, wrong = FAULTS[fault]
    row = replace(dict(suite.all_cases())[name], dtypes=(kind,))
    gives = row.gives or kind
    assert isinstance(row, Sweep) and row.check("C") == []
    [problem] = replace(row, call=lambda *xs: wrong(*xs).cast(gives)).check("C")
    assert "are wrong" in problem and row.check("INTERP") == []


def test_a_root_next_to_half_a_unit_is_right():
    """Of 1 - 2^-53 it is 1 - 2^-54 - 2^-109 - ..., nearer to 1 - 2^-53 than to 1."""
    row = dict(suite.all_cases())["ulps/sqrt"]
    below = 1 - 2.0**-53
    assert math.isqrt((2**53 - 1) << 147) == 2**100 - 2**46 - 1
    alone = replace(row, dtypes=("f64",), operands=lambda kind, rng: [np.array([below])])
    assert alone.check("C") == []
    assert replace(alone, call=lambda x: x.sqrt() - 2.0**-53).check("C")


SHORT = sorted(kind.name for kind in dtypes.set("Float") if kind.bits <= 16)


@pytest.mark.parametrize("wide", ["f32", "f64", "i32", "u64"])
@pytest.mark.parametrize("short", SHORT)
def test_numbers_lie_halfway_between_neighbours(short, wide, rng):
    """Between two of all the numbers of a short float, or next to it, or at its ends."""
    into, dtype = getattr(dtypes, short), getattr(dtypes, wide)
    codes = np.arange(1 << into.bits).astype(f"u{into.itemsize}")
    with np.errstate(invalid="ignore"):  # of a NaN of a small float
        every = codes.view(into.np).astype("f8")
    finite = np.unique(every[np.isfinite(every)])
    middles = (finite[1:] + finite[:-1]) / 2
    half = (finite[-1] - finite[-2]) / 2
    middles = np.concatenate([[finite[0] - half], middles, [finite[-1] + half]])
    numbers = halfway(into, 30, dtype, rng)
    assert np.isin(numbers.astype("f8"), middles).sum() >= numbers.size // 4
    assert not dtype.is_float or {middles[-1], middles[0]} <= set(numbers.tolist())


def test_a_narrower_float_has_no_halves_of_a_wider_one(rng):
    for into, dtype in (("f32", "f32"), ("f32", "bf16"), ("f16", "i8"), ("f64", "i32")):
        assert halfway(getattr(dtypes, into), 30, getattr(dtypes, dtype), rng).size == 0


def test_what_lies_next_to_half_a_unit_is_not_half_of_one():
    """2^62 + 2^54 + 1 is nearer to the next bf16: in f64 alone it is as near to both."""
    below, above = 2.0**62, 2.0**62 + 2.0**55
    wanted, missing = np.array([2.0**62 + 2.0**54] * 2), np.array([1.0, 1.0])
    away = ulps_away(np.array([below, above]), wanted, missing, dtypes.bf16)
    assert away[0] > 0.5 > away[1] and ulps_away(above, wanted[0], 0.0, dtypes.bf16) == 0.5


def test_slopes_of_floats_of_32_bits_are_looked_at_where_there_are_no_others():
    """A slope of half of what it has to be is seen; what is right is right, absent is none."""
    calls = (lambda x: x.square(), lambda x: (x.square() + x.square().detach()) / 2)
    right, wrong = (
        Method("square", call, lambda x: x * x, (((3, 5),),), ("f32",), gradient=True)
        for call in calls
    )
    assert check_gradients([right], "METAL_EMULATED", {"f64"}) == []
    [problem] = check_gradients([wrong], "METAL_EMULATED", {"f64"})
    assert "along one direction" in problem
    assert "dtype=dtypes.f32" in least_gradient(wrong, "METAL_EMULATED", {"f64"})


def test_gradients_are_absent_only_where_a_row_names_a_type_that_is_not_there():
    named = {case.name: case for case in conformance.cases() if case.kind == "gradients"}
    assert "f64" in declared("METAL_EMULATED", named["gradients/softmax/1"])[0]
    reason, without = declared("METAL_EMULATED", named["gradients/square/1"])
    assert not reason and "f64" in without
    assert run_case(named["gradients/square/1"], "METAL_EMULATED").status == "right"


@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_what_cases_left_is_forgotten_now_and_then(device, monkeypatch):
    names = ("values/exp/1", "values/flip/1", "values/sum/1", "values/sqrt/1")
    named = {case.name: case for case in conformance.cases() if case.name in names}
    monkeypatch.setattr(conformance, "FORGET_AFTER", 3)
    with conformance.runner(named, device, {}) as run:
        left = []
        for name in names:
            assert run(name).status == "right"
            left.append((len(schedules._cache), len(execute._loaded)))
    assert left[2] == (0, 0) and left[1][0] > 0 and left[3][0] > 0
    assert device == "INTERP" or (left[1][1] > 0 and left[3][1] > 0)
