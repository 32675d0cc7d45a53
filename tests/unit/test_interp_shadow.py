"""Shadow mode: the f64 twin and the tolerance that follows from it."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st

from rulewright.interp import Shadowed, evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

NAMES = ["f16", "bf16", "f32", "f64"]
UNARY = [Ops.NEG, Ops.RECIP, Ops.SQRT, Ops.EXP, Ops.EXP2, Ops.LOG, Ops.LOG2, Ops.SIN, Ops.COS,
         Ops.ATAN, Ops.TANH, Ops.ERF, Ops.TRUNC]  # fmt: skip
BINARY = [Ops.ADD, Ops.SUB, Ops.MUL, Ops.FDIV, Ops.MAX, Ops.MIN, Ops.POW, Ops.FMOD]


def param(slot: int, shape: tuple[int, ...], name: str) -> UOp:
    return UOp(Ops.PARAM, getattr(dtypes, name), (), (slot, shape, None))


def total(x: UOp, op, axis: int) -> UOp:
    return UOp(Ops.REDUCE_AXIS, x.dtype, (x,), (op, (axis,)))


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 1 << 30), steps=st.integers(1, 8))
def test_the_exact_answer_lies_within_the_tolerance(name, seed, steps):
    """Chains of random ops: what rounding at every op gives is a correct implementation."""
    check_chain(name, seed, steps)


def check_chain(name, seed, steps):
    rng = np.random.default_rng(seed)
    a, b = param(0, (8,), name), param(1, (8,), name)
    values = [a, b]
    for _ in range(steps):
        pick = [values[i] for i in rng.integers(0, len(values), 2)]
        if rng.random() < 0.5:
            values.append(pick[0].alu(UNARY[rng.integers(len(UNARY))]))
        else:
            values.append(pick[0].alu(BINARY[rng.integers(len(BINARY))], pick[1]))
        if rng.random() < 0.2:
            values.append((values[-1] < pick[0]).where(values[-1], pick[1]))
    kind = getattr(dtypes, name).np
    arrays = {a: rng.normal(size=8).astype(kind), b: rng.uniform(0.5, 4, 8).astype(kind)}
    found = evaluate(values[-1], arrays, shadow=True)
    assert isinstance(found, Shadowed)
    inside = np.isinf(found.tolerance)
    with np.errstate(all="ignore"):
        exact = found.exact.astype(np.float64)
        inside |= np.abs(exact - found.shadow) <= found.tolerance
        inside |= (exact == found.shadow) | (np.isnan(exact) & np.isnan(found.shadow))
    assert inside.all(), (found.exact, found.shadow, found.tolerance)


def test_where_a_product_is_beyond_f64_any_order_of_it_will_do():
    """The factors make infinity, and by others 0 * inf, which is no number."""
    x = np.array([8.0] * 500 + [0.125] * 500, dtypes.fp8e5m2.np)
    p = param(0, x.shape, "fp8e5m2")
    large = UOp(Ops.CAST, dtypes.f64, (p,)) * 1e3
    for terms in (p, large.cast(dtypes.f32)):
        assert np.isinf(evaluate(total(terms, Ops.MUL, 0), {p: x}, shadow=True).tolerance).all()
    p = param(0, (2,), "f32")
    found = evaluate(total(p, Ops.MUL, 0), {p: np.array([np.nan, 3], np.float32)}, shadow=True)
    assert not found.agrees(np.array([3.0])).any()  # a NaN that is read stays


@pytest.mark.parametrize("factors", [
    [1e30, 1e30, 0, 5], [1e-30, 1e-30, 1e30, 1e30], [1e-40, 1e20, 3, -7], [1e30, 1e30, 1e-30, 1],
    [1.5, -2.25, 1e-3, 0.1],
])  # fmt: skip
def test_products_in_any_order_lie_within_the_tolerance(factors):
    x = np.array(factors, np.float32)
    p = param(0, x.shape, "f32")
    found = evaluate(total(p, Ops.MUL, 0), {p: x}, shadow=True)
    for order in itertools.permutations(x):
        running = np.float32(1)
        with np.errstate(all="ignore"):
            for factor in order:
                running = running * factor
        assert found.agrees(np.array([running])).all(), order
    sure = max(abs(x)) < 100
    assert not sure or found.tolerance[0] < 1e-6 * abs(np.prod(x))


@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
def test_sums_in_any_order_lie_within_the_tolerance(name, rng):
    kind = getattr(dtypes, name).np
    x = rng.normal(size=(4, 200)).astype(kind)
    p = param(0, x.shape, name)
    found = evaluate(total(p, Ops.ADD, 1), {p: x}, shadow=True)
    for order in (np.arange(200), rng.permutation(200), np.argsort(x[0].astype(float))):
        running = np.zeros(4, kind)
        for column in order:
            running = (running + x[:, column]).astype(kind)
        assert found.agrees(running[:, None]).all()
    spread = found.tolerance[:, 0] / np.abs(x.astype(float)).sum(1)
    unit = 2.0 ** -(getattr(dtypes, name).row["mantissa"] + 1)
    assert (spread < 300 * unit).all()  # and the bound is no excuse for anything larger
    assert not found.agrees(found.shadow + 2 * found.tolerance + 1e-30).any()


def test_the_tolerance_follows_the_condition():
    """Cancellation makes a sum unsure by the size of what cancels, not by its own size."""
    p, q = param(0, (1,), "f32"), param(1, (1,), "f32")
    x, y = np.array([1 / 3], "f4"), np.array([3.0], "f4")
    near = evaluate(p * q - UOp.const(dtypes.f32, 1), {p: x, q: y}, shadow=True)
    assert 1e-8 < near.tolerance[0] < 1e-6 and abs(near.shadow[0]) < 1e-6
    far = evaluate(p * q + UOp.const(dtypes.f32, 1), {p: x, q: y}, shadow=True)
    assert far.tolerance[0] < 4e-7


@pytest.mark.parametrize(("name", "digits"), [("f32", 24), ("f16", 11), ("bf16", 8)])
def test_one_operation_may_err_by_few_units(name, digits):
    p = param(0, (3,), name)
    x = np.array([0.5, 1.0, 3.0], getattr(dtypes, name).np)
    for op, ulps in ((Ops.SQRT, 0.51), (Ops.EXP, 4.1)):
        found = evaluate(p.alu(op), {p: x}, shadow=True)
        for value, shadow, allowed in zip(
            x.astype(float), found.shadow, found.tolerance, strict=True
        ):
            true = float(mpmath.sqrt(value) if op is Ops.SQRT else mpmath.exp(value))
            assert shadow == pytest.approx(true, rel=1e-15)
            ulp = 2.0 ** (math.floor(math.log2(true)) + 1 - digits)
            assert 0.25 * ulp <= allowed <= 2 * ulps * ulp


def test_integers_and_bools_are_certain_unless_rounding_decides_them():
    p = param(0, (4,), "f32")
    x = np.array([0.1, 0.5, 1.0, 2.0], "f4")
    third = p / UOp.const(dtypes.f32, 3) * UOp.const(dtypes.f32, 3)
    run = {p: x}
    sure = evaluate(third < UOp.const(dtypes.f32, 1.5), run, shadow=True)
    assert (sure.tolerance == 0).all() and sure.exact.tolist() == [True, True, True, False]
    unsure = evaluate(third.eq(p), run, shadow=True)
    assert (unsure.tolerance == 1).all()
    cast = evaluate(third.cast(dtypes.i32), run, shadow=True)
    assert cast.tolerance.tolist() == [0, 0, 1, 1]
    chosen = (third < p).where(UOp.const(dtypes.f32, 5), UOp.const(dtypes.f32, 8))
    assert (evaluate(chosen, run, shadow=True).tolerance >= 3).all()
    table = evaluate(p.index(cast_index(third)), run, shadow=True)
    assert np.isinf(table.tolerance[2]) and table.tolerance[0] == 0
    plain = evaluate(UOp(Ops.IOTA, dtypes.i64, (), (4,)) + 1, {}, shadow=True)
    assert plain.tolerance.tolist() == [0, 0, 0, 0]


def cast_index(x: UOp) -> UOp:
    return x.cast(dtypes.index)


def test_overflow_nan_and_infinity():
    p = param(0, (4,), "f16")
    x = np.array([6e4, np.inf, np.nan, 1.0], "f2")
    found = evaluate(p * UOp.const(dtypes.f16, 2), {p: x}, shadow=True)
    assert np.isinf(found.tolerance[0])  # f16 overflows where f64 does not
    assert found.agrees(np.array([np.inf, np.inf, np.nan, 2.0], "f2")).all()
    assert found.agrees(np.array([0.0, 5.0, 1.0, 2.5], "f2")).tolist() == [True] + [False] * 3


def test_an_infinity_that_no_error_can_change_is_certain(rng):
    """Masked scores are minus infinity, and their weights 0, however scores are rounded."""
    x, p = rng.normal(size=(4, 6)).astype("f4"), param(0, (4, 6), "f32")
    seen = np.tril(np.ones((4, 6), bool))
    mask = param(1, seen.shape, "bool")
    scores = mask.where(p / UOp.const(dtypes.f32, 3), UOp.const(dtypes.f32, -np.inf))
    powers = (scores - total(scores, Ops.MAX, 1).expand(x.shape)).alu(Ops.EXP)
    found = evaluate(total(powers, Ops.ADD, 1), {p: x, mask: seen}, shadow=True)
    hidden = np.where(seen, x.astype("f8") / 3, -np.inf)
    wanted = np.exp(hidden - hidden.max(1, keepdims=True)).sum(1, keepdims=True)
    assert (found.tolerance < 1e-5 * wanted).all()
    assert found.agrees(wanted.astype("f4")).all() and not found.agrees(wanted * 1.0001).any()


NAN, INF = np.nan, np.inf

# an op; operands, in a list those that have an error (a third times 3), else
# numbers that are certain, and whether the answer is
DECIDED = [
    (Ops.POW, (-2.5, [3.0]), False), (Ops.POW, (-2.5, [2.6]), True),  # a whole exponent is near
    (Ops.POW, ([-2.5], 0.5), True), (Ops.POW, ([1.0], NAN), False), (Ops.POW, ([2.0], NAN), True),
    (Ops.POW, (NAN, [0.0]), False),  # NaN to the power of 0 is 1
    (Ops.FMOD, (1.0, [3.0]), False), (Ops.FMOD, (INF, [3.0]), True),
    (Ops.LOG, ([-1.0],), True), (Ops.SQRT, ([-1.0],), True), (Ops.SIN, (INF,), True),
    (Ops.ADD, (NAN, [3.0]), True), (Ops.MUL, (INF, 0.0), True),
]  # fmt: skip


@pytest.mark.parametrize(("op", "operands", "sure"), DECIDED)
def test_an_answer_that_errors_decide_has_no_bound(op, operands, sure):
    """NaN of the shadow is sure only if it is NaN wherever the operands may lie, and vice versa."""
    sources, run = [], {}
    for slot, operand in enumerate(operands):
        p = param(slot, (1,), "f16")
        value = operand[0] if isinstance(operand, list) else operand
        run[p] = np.array([value], "f2")
        third = p / UOp.const(dtypes.f16, 3) * UOp.const(dtypes.f16, 3)
        sources.append(third if isinstance(operand, list) else p)
    if op is Ops.FMOD and not sure:  # a divisor near 0
        sources[1] = sources[1] - UOp.const(dtypes.f16, 3)
    found = evaluate(sources[0].alu(op, *sources[1:]), run, shadow=True)
    assert bool(np.isinf(found.tolerance[0])) is not sure
    if sure:
        assert np.isnan(found.shadow[0]) == np.isnan(found.exact[0])
        assert found.agrees(found.exact).all()
        assert found.agrees(np.array([4e4])).all() == (not np.isnan(found.exact[0]))


@pytest.mark.parametrize("op", [Ops.SIN, Ops.TANH, Ops.ATAN, Ops.ERF])
def test_a_bounded_function_of_what_may_be_nan_may_be_nan(op):
    """f16 overflows to inf, and inf - inf is NaN, where the shadow has numbers."""
    p = param(0, (1,), "f16")
    big = p * UOp.const(dtypes.f16, 4)
    found = evaluate((big - big).alu(op), {p: np.array([6e4], "f2")}, shadow=True)
    assert np.isnan(found.exact[0]) and found.agrees(found.exact).all()


@pytest.mark.parametrize(("name", "seed", "steps"), [
    ("f16", 191, 4), ("f32", 866, 7), ("bf16", 1074, 7), ("bf16", 3644, 5), ("f32", 922, 7),
])  # fmt: skip
def test_what_searches_have_found(name, seed, steps):
    check_chain(name, seed, steps)


def test_softmax_in_f32_against_f64(rng):
    x = rng.normal(size=(5, 30)).astype("f4")
    p = param(0, x.shape, "f32")
    e = (p - total(p, Ops.MAX, 1).expand(x.shape)).alu(Ops.EXP)
    found = evaluate(e / total(e, Ops.ADD, 1).expand(x.shape), {p: x}, shadow=True)
    wanted = np.exp(x.astype("f8")) / np.exp(x.astype("f8")).sum(1, keepdims=True)
    np.testing.assert_allclose(found.shadow, wanted, rtol=1e-13)
    assert found.agrees(wanted.astype("f4")).all()
    assert (found.tolerance < 2e-5 * wanted).all()
    assert not found.agrees(wanted * 1.0001).any()
