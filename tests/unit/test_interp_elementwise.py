"""Elementwise ops of the interpreter against Python's own exact arithmetic, for every dtype."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import mpmath
import numpy as np
import pytest

from rulewright.interp import evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

INTS = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"]
FLOATS = ["fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz", "f16", "bf16", "f32", "f64"]


def param(slot: int, array: np.ndarray, name: str) -> UOp:
    return UOp(Ops.PARAM, dtypes.__getattr__(name), (), (slot, array.shape, None))


def run(op: str, result: str, *operands: tuple[str, np.ndarray]) -> np.ndarray:
    params = [param(i, array, name) for i, (name, array) in enumerate(operands)]
    root = UOp(getattr(Ops, op), dtypes.__getattr__(result), tuple(params))
    return evaluate(root, {p: a for p, (_, a) in zip(params, operands, strict=True)})


def wrap(value: int, name: str) -> int:
    dtype = dtypes.__getattr__(name)
    value &= (1 << dtype.bits) - 1
    return value - (1 << dtype.bits) if value > dtype.max else value


def integers(name: str) -> np.ndarray:
    dtype = dtypes.__getattr__(name)
    low, high = int(dtype.min), int(dtype.max)
    edge = {low, low + 1, high, high - 1, high // 2, low // 2, 7 % high, 13, 0, 1, 2, 3}
    edge |= {-1, -2, -7} if low < 0 else set()
    return np.array(sorted(edge), dtype.np)


def trunc_div(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def shl(a: int, b: int, bits: int) -> int:
    return a << b if 0 <= b < bits else 0


def shr(a: int, b: int, bits: int) -> int:
    return a >> b if 0 <= b < bits else (-1 if a < 0 else 0)


BINARY = {
    "ADD": lambda a, b, bits: a + b,
    "SUB": lambda a, b, bits: a - b,
    "MUL": lambda a, b, bits: a * b,
    "FLOORDIV": lambda a, b, bits: a // b if b else 0,
    "FLOORMOD": lambda a, b, bits: a % b if b else a,
    "CDIV": lambda a, b, bits: trunc_div(a, b) if b else 0,
    "CMOD": lambda a, b, bits: a - b * trunc_div(a, b) if b else a,
    "MAX": lambda a, b, bits: max(a, b),
    "MIN": lambda a, b, bits: min(a, b),
    "AND": lambda a, b, bits: a & b,
    "OR": lambda a, b, bits: a | b,
    "XOR": lambda a, b, bits: a ^ b,
    "SHL": shl,
    "SHR": shr,
}
COMPARE = {
    "CMPLT": lambda a, b: a < b,
    "CMPLE": lambda a, b: a <= b,
    "CMPEQ": lambda a, b: a == b,
    "CMPNE": lambda a, b: a != b,
}


@pytest.mark.parametrize("name", INTS)
@pytest.mark.parametrize("op", BINARY)
def test_integer_ops_are_those_of_python_wrapped(op, name):
    numbers = integers(name)
    a, b = (m.reshape(-1) for m in np.meshgrid(numbers, numbers))
    found = run(op, name, (name, a), (name, b))
    bits = dtypes.__getattr__(name).bits
    wanted = [wrap(BINARY[op](int(x), int(y), bits), name) for x, y in zip(a, b, strict=True)]
    assert found.dtype == dtypes.__getattr__(name).np
    assert found.tolist() == wanted


@pytest.mark.parametrize("name", INTS)
def test_integer_unary_ops(name):
    numbers = integers(name)
    assert run("NEG", name, (name, numbers)).tolist() == [wrap(-int(x), name) for x in numbers]
    assert run("NOT", name, (name, numbers)).tolist() == [wrap(~int(x), name) for x in numbers]


@pytest.mark.parametrize("name", INTS)
@pytest.mark.parametrize("op", COMPARE)
def test_integer_comparisons(op, name):
    numbers = integers(name)
    a, b = (m.reshape(-1) for m in np.meshgrid(numbers, numbers))
    found = run(op, "bool", (name, a), (name, b))
    assert found.tolist() == [COMPARE[op](int(x), int(y)) for x, y in zip(a, b, strict=True)]


def test_bool_ops():
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    for op, fn in {"AND": np.logical_and, "OR": np.logical_or, "XOR": np.logical_xor,
                   "MAX": np.logical_or, "MIN": np.logical_and}.items():  # fmt: skip
        assert (run(op, "bool", ("bool", a), ("bool", b)) == fn(a, b)).all()
    assert (run("NOT", "bool", ("bool", a)) == ~a).all()


# ---- floats --------------------------------------------------------------------------------------


def exact_round(value: Fraction, name: str) -> float:
    """`value` rounded to nearest even by exact arithmetic."""
    row = dtypes.__getattr__(name).row
    mantissa, exponent = row["mantissa"], row["exponent"]
    bias = (1 << (exponent - 1)) - (not name.endswith("fnuz"))
    if value == 0:
        return 0.0
    digits = abs(value.numerator).bit_length() - value.denominator.bit_length()
    power = max(digits - 1, 1 - bias)
    while abs(value) >= Fraction(2) ** (power + 1):
        power += 1
    while abs(value) < Fraction(2) ** power and power > 1 - bias:
        power -= 1
    step = Fraction(2) ** (power - mantissa)
    rounded = round(value / step) * step  # Python rounds halves to even
    info = ml_dtypes.finfo(dtypes.__getattr__(name).np)
    if abs(rounded) > Fraction(float(info.max)):
        over = math.nan if name == "fp8e4m3" or name.endswith("fnuz") else math.inf
        return over if value > 0 else -over
    return float(rounded)


def floats(name: str, rng: np.random.Generator, count: int = 300) -> np.ndarray:
    """Random bits that are finite numbers, and the special ones."""
    dtype = dtypes.__getattr__(name)
    kind = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[dtype.bits]
    bits = rng.integers(0, 1 << min(dtype.bits, 63), count, dtype=np.uint64).astype(kind)
    near_one = rng.normal(size=count).astype(dtype.np)
    both = np.concatenate([bits.view(dtype.np), near_one])
    with np.errstate(invalid="ignore"):
        return both[np.isfinite(both.astype(np.float64))]


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("op", ["ADD", "SUB", "MUL", "FDIV", "RECIP", "SQRT"])
def test_float_arithmetic_is_rounded_once_to_nearest_even(op, name, rng):
    a, b = floats(name, rng), floats(name, rng)
    count = min(len(a), len(b))
    a, b = a[:count], b[:count]
    if op == "SQRT":
        a = np.abs(a)
    one = [(name, a)] if op in ("RECIP", "SQRT") else [(name, a), (name, b)]
    found = run(op, name, *one).astype(np.float64)
    for x, y, z in zip(a.astype(float), b.astype(float), found, strict=True):
        p, q = Fraction(float(x)), Fraction(float(y))
        if (op == "FDIV" and q == 0) or (op == "RECIP" and p == 0):
            continue
        wanted = exact_round(EXACT[op](p, q), name)
        assert z == wanted or (math.isnan(z) and math.isnan(wanted)), (x, y, z, wanted)


EXACT = {
    "ADD": lambda p, q: p + q,
    "SUB": lambda p, q: p - q,
    "MUL": lambda p, q: p * q,
    "FDIV": lambda p, q: p / q,
    "RECIP": lambda p, q: 1 / p,
    "SQRT": lambda p, q: root(p),
}


def root(value: Fraction) -> Fraction:
    """The square root to 400 bits: enough to round to any float type."""
    scaled = value * (1 << 2400)
    return Fraction(math.isqrt(scaled.numerator // scaled.denominator), 1 << 1200)


SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_special_values_follow_ieee754(name):
    np_type = dtypes.__getattr__(name).np
    a, b = (m.reshape(-1).astype(np_type) for m in np.meshgrid(SPECIAL, SPECIAL))
    with np.errstate(all="ignore"):
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        wanted = {"ADD": wide_a + wide_b, "MUL": wide_a * wide_b, "FDIV": wide_a / wide_b}
    for op, values in wanted.items():
        found = run(op, name, (name, a), (name, b)).astype(np.float64)
        np.testing.assert_array_equal(found, values)
        known = ~np.isnan(values)
        assert (np.signbit(found) == np.signbit(values))[known].all(), op
    for op, compare in COMPARE.items():
        found = run(op, "bool", (name, a), (name, b))
        assert found.tolist() == [compare(float(x), float(y)) for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize("name", FLOATS)
def test_max_and_min_give_nan_if_either_is(name):
    np_type = dtypes.__getattr__(name).np
    a = np.array([math.nan, 1.0, math.nan, 2.0], np_type)
    b = np.array([1.0, math.nan, math.nan, 3.0], np_type)
    for op, last in (("MAX", 3.0), ("MIN", 2.0)):
        found = run(op, name, (name, a), (name, b)).astype(float)
        assert np.isnan(found[:3]).all() and found[3] == last


def test_where_keeps_signs_and_nans():
    condition = np.array([True, False, True, False])
    yes, no = np.array([-0.0, 1, math.nan, 1], "f4"), np.array([1, -0.0, 1, math.inf], "f4")
    found = run("WHERE", "f32", ("bool", condition), ("f32", yes), ("f32", no))
    np.testing.assert_array_equal(found, np.array([-0.0, -0.0, math.nan, math.inf], "f4"))
    assert np.signbit(found[:2]).all()


@pytest.mark.parametrize("name", FLOATS)
def test_trunc_rounds_toward_zero(name):
    numbers = np.array([-2.5, -0.5, -0.0, 0.5, 1.5, 2.0, 3.5], dtypes.__getattr__(name).np)
    found = run("TRUNC", name, (name, numbers)).astype(float)
    assert found.tolist() == [-2, -0.0, -0.0, 0, 1, 2, 3]
    signed = not name.endswith("fnuz")  # those have one zero
    assert np.signbit(found[1]) == np.signbit(found[2]) == signed


TRANSCENDENTAL = {
    "EXP": (mpmath.exp, -9, 9),
    "EXP2": (lambda x: mpmath.mpf(2) ** x, -14, 14),
    "LOG": (mpmath.log, 1e-3, 1e3),
    "LOG2": (lambda x: mpmath.log(x, 2), 1e-3, 1e3),
    "SIN": (mpmath.sin, -100, 100),
    "COS": (mpmath.cos, -100, 100),
    "ATAN": (mpmath.atan, -20, 20),
    "TANH": (mpmath.tanh, -4, 4),
    "ERF": (mpmath.erf, -4, 4),
}


@pytest.mark.parametrize("op", TRANSCENDENTAL)
@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_transcendental_ops_against_mpmath(op, name, rng):
    function, low, high = TRANSCENDENTAL[op]
    dtype = dtypes.__getattr__(name)
    numbers = rng.uniform(low, high, 100).astype(dtype.np)
    found = run(op, name, (name, numbers)).astype(np.float64)
    digits = dtype.row["mantissa"] + 1
    with mpmath.workprec(200):
        for x, y in zip(numbers.astype(np.float64), found, strict=True):
            true = function(mpmath.mpf(float(x)))
            smallest = float(ml_dtypes.finfo(dtype.np).smallest_normal)
            ulp = max(abs(true), smallest) * mpmath.mpf(2) ** (1 - digits)
            # f64 is numpy's own, a few ulp; the others are rounded from it
            assert abs(mpmath.mpf(float(y)) - true) <= ulp * (4 if name == "f64" else 0.501), (x, y)


def test_pow_against_mpmath(rng):
    a, b = rng.uniform(0.1, 5, 100), rng.uniform(-5, 5, 100)
    found = run("POW", "f64", ("f64", a), ("f64", b))
    for x, y, z in zip(a, b, found, strict=True):
        assert abs(mpmath.mpf(float(z)) / mpmath.power(x, y) - 1) < 1e-15
    special = run("POW", "f64", ("f64", np.array([0.0, -8.0, math.nan, 1.0])),
                  ("f64", np.array([0.0, 3.0, 0.0, math.nan])))  # fmt: skip
    assert special.tolist() == [1.0, -512.0, 1.0, 1.0]


@pytest.mark.parametrize("kind", [dtypes.f16, dtypes.bf16, dtypes.f32, dtypes.f64])
@pytest.mark.parametrize("exponent", [0.5, -0.5, 2.0, -1.0])
def test_a_power_is_that_of_c_whether_one_exponent_is_for_all_or_each_has_its_own(kind, exponent):
    numbers = np.array([-math.inf, -0.0, 0.0, math.inf, 4.0], kind.np)
    each = param(1, np.full(5, exponent, kind.np), kind.name)
    base = param(0, numbers, kind.name)
    wanted = [_power_of_c(float(x), exponent) for x in numbers]
    for operand in (each, UOp.const(kind, exponent)):
        memory = {base: numbers, each: np.full(5, exponent, kind.np)}
        found = evaluate(base.alu(Ops.POW, operand), memory).astype(np.float64)
        assert [math.copysign(1, x) for x in found] == [math.copysign(1, x) for x in wanted]
        assert found.tolist() == wanted
    one = UOp.const(kind, -math.inf).alu(Ops.POW, UOp.const(kind, exponent))
    assert float(evaluate(one, {})) == wanted[0]


def _power_of_c(x: float, y: float) -> float:
    """Of zero Python raises an error where C has an infinity."""
    if x == 0 and y < 0:
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
    return math.pow(x, y)


# ---- conversions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("target", FLOATS)
@pytest.mark.parametrize("source", FLOATS)
def test_cast_between_floats_rounds_once(source, target, rng):
    numbers = floats(source, rng)
    if source == "f64":  # halves of the target, a little above and below
        digits = dtypes.__getattr__(target).row["mantissa"]
        numbers = np.array([1 + 2.0**-(digits + 1) * k + e * 2.0**-45
                            for k in range(4) for e in (-1, 0, 1)])  # fmt: skip
    found = run("CAST", target, (source, numbers)).astype(np.float64)
    for x, z in zip(numbers.astype(np.float64), found, strict=True):
        wanted = exact_round(Fraction(float(x)), target)
        assert z == wanted or (math.isnan(z) and math.isnan(wanted)), (x, z, wanted)


@pytest.mark.parametrize("target", FLOATS)
@pytest.mark.parametrize("source", INTS)
def test_cast_integer_to_float_rounds_once(source, target, rng):
    dtype = dtypes.__getattr__(source)
    numbers = rng.integers(dtype.min, int(dtype.max) + 1, 200, dtype=dtype.np)
    if dtype.bits == 64:  # just above a half of the last digit of bf16, f32 and f64
        halves = [(1 << 62) + (1 << (61 - d)) + e for d in (7, 23, 52) for e in (-1, 0, 1)]
        numbers = np.concatenate([numbers, np.array(halves, dtype.np)])
    numbers = np.concatenate([numbers, integers(source)])
    found = run("CAST", target, (source, numbers)).astype(np.float64)
    for x, z in zip(numbers, found, strict=True):
        wanted = exact_round(Fraction(int(x)), target)
        assert z == wanted or (math.isnan(z) and math.isnan(wanted)), (x, z, wanted)


@pytest.mark.parametrize("target", INTS)
@pytest.mark.parametrize("source", ["f16", "bf16", "f32", "f64"])
def test_cast_float_to_integer_saturates(source, target):
    dtype = dtypes.__getattr__(target)
    low, high = int(dtype.min), int(dtype.max)
    values = [0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 100.7, 1e4, -1e4, 3e9, -3e9, 1e20, -1e20,
              float(high), float(low), math.inf, -math.inf, math.nan]  # fmt: skip
    with np.errstate(over="ignore"):
        numbers = np.array(values, np.float64).astype(dtypes.__getattr__(source).np)
    found = run("CAST", target, (source, numbers))
    for x, z in zip(numbers.astype(np.float64), found, strict=True):
        if math.isnan(x):
            wanted = 0
        elif math.isinf(x):
            wanted = high if x > 0 else low
        else:
            wanted = min(max(int(x), low), high)
        assert int(z) == wanted, (x, z)


def test_cast_to_and_from_bool():
    numbers = np.array([0.0, -0.0, 0.1, math.nan, -math.inf], "f4")
    assert run("CAST", "bool", ("f32", numbers)).tolist() == [False, False, True, True, True]
    assert run("CAST", "bool", ("i32", np.array([0, 2, -1], "i4"))).tolist() == [False, True, True]
    for name in ("f16", "fp8e4m3", "fp8e4m3fnuz", "u8", "i64"):
        assert run("CAST", name, ("bool", np.array([False, True]))).tolist() == [0, 1]


def test_cast_integer_to_integer_wraps():
    numbers = np.array([-1, 300, -(2**31), 2**31 - 1], "i4")
    for name in INTS:
        assert run("CAST", name, ("i32", numbers)).tolist() == [wrap(int(x), name) for x in numbers]


def test_bitcast_keeps_the_bits():
    numbers = np.array([0.0, -0.0, 1.0, math.inf], "f4")
    assert run("BITCAST", "u32", ("f32", numbers)).tolist() == [0, 1 << 31, 0x3F800000, 0x7F800000]
    back = run("BITCAST", "f32", ("u32", np.array([0x40490FDB], "u4")))
    assert back[0] == np.float32(math.pi)


def test_mulacc_multiplies_and_adds():
    a, b, c = (np.array(v, "i4") for v in ([2**31 - 1, 3], [2, 4], [5, 6]))
    found = run("MULACC", "i32", ("i32", a), ("i32", b), ("i32", c))
    assert found.tolist() == [3, 18]


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (3, 0, 2), (2, 3, 5)])
def test_scalar_operands_go_with_any_shape(shape):
    x = np.arange(math.prod(shape), dtype="f4").reshape(shape)
    p = param(0, x, "f32")
    found = evaluate(p * 2.0 + 1.0, {p: x})
    assert found.shape == shape and (found == x * 2 + 1).all()


@pytest.mark.parametrize("name", FLOATS)
def test_constants_are_rounded_once_too(name, rng):
    dtype = dtypes.__getattr__(name)
    digits = dtype.row["mantissa"]
    halves = [1 + 2.0 ** -(digits + 1) * k + e * 2.0**-45 for k in range(4) for e in (-1, 0, 1)]
    for value in [*halves, *rng.normal(size=50), 1e-5, 300.0, 1e9]:
        wanted = exact_round(Fraction(float(value)), name)
        found = dtype.const(value)
        assert found == wanted or (math.isnan(found) and math.isnan(wanted)), value


@pytest.mark.parametrize(
    "name, top", [("fp8e4m3", 448), ("fp8e4m3fnuz", 240), ("fp8e5m2fnuz", 57344)]
)
def test_the_extremes_of_a_float_without_infinities_are_finite(name, top):
    fp8 = dtypes.__getattr__(name)
    assert (fp8.min, fp8.max) == (-top, top)
    x = np.array([-top, -3], fp8.np)
    p = param(0, x, name)
    largest = UOp(Ops.REDUCE_AXIS, fp8, (p,), (Ops.MAX, (0,)))
    assert float(evaluate(largest, {p: x})[0]) == -3
    assert Ops.MAX.identity(fp8) == -top


@pytest.mark.parametrize("name", [n for n in FLOATS if not n.endswith("fnuz")])
@pytest.mark.parametrize("op", ["ADD", "MUL", "LOG", "LOG2", "POW", "MULACC"])
def test_the_bits_of_a_nan_do_not_hang_on_how_arrays_lie(op, name):
    kind = dtypes.__getattr__(name).np
    lost = {"LOG": [-1.0], "LOG2": [-1.0], "POW": [-math.nan, 1.0]}.get(op, [math.nan, -math.nan])
    lost += [math.nan] * (op == "MULACC")
    bits = set()
    for count in range(1, 18):
        for step in (1, 2, -1, -3):
            arrays = [np.full(60, v, "f4").astype(kind)[: count * abs(step)][::step] for v in lost]
            answer = run(op, name, *[(name, a) for a in arrays])
            bits |= set(answer.copy().view(f"u{answer.dtype.itemsize}").tolist())
    assert len(bits) == 1
