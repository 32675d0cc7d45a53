"""Functions that C computes by polynomials, over floats of every size, in units of last place.

The bounds are those that the rules' texts in spec/70-lowering state. Each function is compiled with
and without fused multiply-add.
"""

from __future__ import annotations

import math
import platform
import shutil
import subprocess

import numpy as np
import pytest
from render_tools import Unit, call, one_op, program

from rulewright.ir.dtypes import dtypes
from rulewright.render import render, target
from rulewright.runtime.compiler import DEFAULT_FLAGS

REFERENCE = {
    "EXP": np.exp, "EXP2": np.exp2, "LOG": np.log, "LOG2": np.log2, "SIN": np.sin, "COS": np.cos,
    "ATAN": np.arctan, "TANH": np.tanh, "ERF": np.vectorize(math.erf, [float]),
}  # fmt: skip
BOUND = {"EXP": 1.5, "EXP2": 1.5, "LOG": 1.0, "LOG2": 1.5, "SIN": 2.0, "COS": 2.0, "ATAN": 2.0,
         "TANH": 2.0, "ERF": 2.0}  # fmt: skip
PLAIN = [f for f in DEFAULT_FLAGS if not f.startswith(("-march", "-mcpu"))]
SMALL = ["f16", "bf16", "fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz"]
LONG = {"EXP": 1.5, "EXP2": 1.5, "LOG": 1.5, "LOG2": 1.5, "SIN": 1.0, "COS": 1.0, "TANH": 2.0,
        "ATAN": 2.0, "ERF": 2.0}  # fmt: skip
"""Of f64; the error function is compared with Python's, which is rounded to f64."""
FLAGS = {"native": list(DEFAULT_FLAGS), "baseline": PLAIN}


def samples() -> np.ndarray:
    """All exponents and signs with many mantissas, dense where functions turn, special values."""
    spread = np.arange(0, 2**32, 9973, dtype=np.uint64).astype(np.uint32).view(np.float32)
    dense = [np.linspace(*r, 100_000) for r in ((-105, 90), (0.3, 3.0), (-2, 2), (-152, 130))]
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-45, -1e-45, 1.1754944e-38, 3.4028235e38]
    special += [88.72283, 88.72284, 89, -103.97, -104, 128, 127.99999, -149, -150, -149.5, 0.625]
    parts = [spread, *(d.astype(np.float32) for d in dense), np.array(special, np.float32)]
    return np.concatenate(parts)


def long_samples(rng: np.random.Generator) -> np.ndarray:
    """Of f64: numbers of all bits, dense where functions turn, powers of two, special values."""
    spread = rng.integers(0, 2**64, 200_000, dtype=np.uint64).view(np.float64)
    ends = ((-750, 712), (-1080, 1030), (0.3, 3.0), (-2, 2), (-20, 20))
    dense = [rng.uniform(*r, 50_000) for r in ends]
    next_to_one = 1 + rng.standard_normal(50_000) * 2.0 ** -rng.integers(1, 53, 50_000)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 2.0**-1022, 709.782712893384, -745.1332191019412]
    special += [-1074.5, -1075, -1418, -2046, 1.7976931348623157e308, 0.5**0.5, 2**0.5, 0.625, 6]
    special += [6381956970095103 * 2.0**797]  # the nearest of all to a multiple of pi/2
    powers = 2.0 ** np.arange(-1074, 1024)
    quarters = np.pi / 2 * np.concatenate([np.arange(1000), rng.integers(0, 2**24, 20_000)])
    turns = np.concatenate([powers, quarters, special])
    below = np.nextafter(turns, -np.inf)
    return np.concatenate([spread, *dense, next_to_one, turns, below])


def in_last_places(found: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Distance from exact values of a wider type in units of the last place; 0 for two NaNs."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(found.dtype)
        unit = np.spacing(np.abs(rounded)).astype(exact.dtype)
        distance = np.abs(found.astype(exact.dtype) - exact) / unit
    same = (found == rounded) & (np.signbit(found) == np.signbit(rounded))
    return np.where(same | (np.isnan(found) & np.isnan(exact)), 0.0, distance)


@pytest.fixture(scope="module", params=FLAGS, ids=list(FLAGS))
def library(request):
    values, unit = samples(), Unit()
    names = {op: unit.add(one_op(op), [dtypes.f32], dtypes.f32, len(values)) for op in REFERENCE}
    return unit.compile(FLAGS[request.param]), names


@pytest.mark.parametrize("op", REFERENCE)
def test_function_is_within_its_bound(library, op):
    loaded, names = library
    values = samples()
    found = call(loaded, names[op], np.zeros_like(values), values)
    with np.errstate(all="ignore"):
        exact = REFERENCE[op](values.astype(np.float64))
    wrong = in_last_places(found, exact)
    worst = int(np.argmax(np.where(np.isnan(wrong), np.inf, wrong)))
    assert wrong[worst] <= BOUND[op], f"{op}({values[worst]}) = {found[worst]}, not {exact[worst]}"


LONGER = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 63,
    reason="long double is f64 here: nothing finer to compare f64 with",
)


@LONGER
@pytest.mark.parametrize("flags", FLAGS)
def test_long_function_is_within_its_bound(flags, rng):
    values, unit = long_samples(rng), Unit()
    names = {op: unit.add(one_op(op), [dtypes.f64], dtypes.f64, len(values)) for op in LONG}
    loaded = unit.compile(FLAGS[flags])
    for op, name in names.items():
        found = call(loaded, name, np.zeros_like(values), values)
        with np.errstate(all="ignore"):
            exact = REFERENCE[op](values.astype(np.longdouble))
        wrong = in_last_places(found, exact)
        worst = int(np.argmax(np.where(np.isnan(wrong), np.inf, wrong)))
        assert wrong[worst] <= LONG[op], f"{op}({values[worst]!r}) is {found[worst]!r}"


def powers(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Bases of every size and near 1, with exponents to all results; and all pairs of edges."""
    edges = [0.0, 1, 2, 0.5, 3, np.inf, np.nan, 5e-324, 1e-310, 1e300, 2.0**53, 2.0**53 - 1]
    edges += [1 - 2.0**-53, 1 + 2.0**-52, 2.0**64, 2.0**-1022, 1.5, 1074.5, 1023.9]
    edge = np.array([*edges, *(-e for e in edges)])
    wide = np.exp(rng.uniform(-744, 709, 30_000))
    near = np.concatenate([1 + rng.uniform(-0.3, 0.42, 30_000),
                           1 + rng.integers(-1000, 1000, 10_000) * 2.0**-52])  # fmt: skip
    base = np.concatenate([wide, near])
    with np.errstate(all="ignore"):
        exponent = rng.uniform(-746, 711, len(base)) / np.log(base)
    exponent[::3] = rng.integers(-30, 30, len(exponent[::3]))
    exponent[1::7] = rng.uniform(-3, 3, len(exponent[1::7]))
    base[::5] *= -1
    left, right = np.meshgrid(edge, edge)
    return np.concatenate([base, left.ravel()]), np.concatenate([exponent, right.ravel()])


@LONGER
@pytest.mark.parametrize("flags", FLAGS)
def test_long_power_is_within_its_bound(flags, rng):
    """1.5 ulp, as a subnormal result is rounded twice; signs, NaN and infinities are those of C."""
    base, exponent = powers(rng)
    unit = Unit()
    name = unit.add(one_op("POW"), [dtypes.f64, dtypes.f64], dtypes.f64, len(base))
    found = call(unit.compile(FLAGS[flags]), name, np.zeros_like(base), base, exponent)
    with np.errstate(all="ignore"):
        exact = np.power(base.astype(np.longdouble), exponent.astype(np.longdouble))
    wrong = in_last_places(found, exact)
    worst = int(np.argmax(np.where(np.isnan(wrong), np.inf, wrong)))
    assert wrong[worst] <= 1.5, f"{base[worst]!r} ** {exponent[worst]!r} is {found[worst]!r}"


def test_rules_state_the_bounds():
    from rulewright.lang.build import parsed_spec
    from rulewright.lang.tree import OpName, OpSet, RuleSetDecl, walk

    files = [f for f in parsed_spec() if "/decompose-exp" in f.path or "trigonometry" in f.path]
    sets = [s for f in files for s in f.all(RuleSetDecl) if str(s.name) != "no_f64"]  # of arguments
    rules = [r for s in sets for r in s.rules]
    heads = [(r, n) for r in rules for n in walk(r.pattern) if isinstance(n, OpName | OpSet)]
    ops = [(r, op) for r, n in heads for op in (n.names if isinstance(n, OpSet) else (n.name,))]
    assert len(ops) == len(REFERENCE) + len(LONG)
    for rule, op in ops:
        bound = (LONG if "_long_" in str(rule.name) else BOUND)[op]
        assert rule.equiv.amount >= bound
        words = f"Within {bound:g} ulp" in rule.doc.replace("\n", " ")
        assert words or str(rule.name) == "sin_by_polynomial"


@pytest.mark.parametrize("name", SMALL)
def test_every_small_float_converts(name):
    """To f32 exactly, and back to the very same bits."""
    small = getattr(dtypes, name)
    values = np.arange(2**small.bits, dtype=np.uint32).astype(f"u{small.itemsize}").view(small.np)
    unit = Unit()
    wide = unit.add(lambda x: x.cast(dtypes.f32), [small], dtypes.f32, len(values))
    back = unit.add(lambda x: x.cast(small), [dtypes.f32], small, len(values))
    loaded = unit.compile()
    widened = call(loaded, wide, np.zeros(len(values), np.float32), values)
    expected = values.astype(np.float32)
    nan = np.isnan(expected)
    np.testing.assert_array_equal(widened.view(np.uint32)[~nan], expected.view(np.uint32)[~nan])
    assert np.isnan(widened[nan]).all()
    again = call(loaded, back, np.zeros(len(values), small.np), widened)
    bits = f"u{small.itemsize}"
    np.testing.assert_array_equal(again.view(bits)[~nan], values.view(bits)[~nan])
    assert np.isnan(again.astype(np.float32)[nan]).all()


@pytest.mark.parametrize("name", SMALL)
def test_ties_round_to_even(name):
    """Halfway between neighbours, and one f32 step to either side of it."""
    small = getattr(dtypes, name)
    numbers = np.arange(2**small.bits, dtype=np.uint32).astype(f"u{small.itemsize}")
    finite = np.sort(numbers.view(small.np).astype(np.float32))
    finite = np.unique(finite[np.isfinite(finite)]).astype(np.float64)
    ties = ((finite[1:] + finite[:-1]) / 2).astype(np.float32)
    with np.errstate(all="ignore"):
        values = np.concatenate([ties, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf)])
        expected = values.astype(small.np)
    unit = Unit()
    back = unit.add(lambda x: x.cast(small), [dtypes.f32], small, len(values))
    found = call(unit.compile(), back, np.zeros(len(values), small.np), values)
    bits = f"u{small.itemsize}"
    np.testing.assert_array_equal(found.view(bits), expected.view(bits))


GCC = shutil.which("gcc") if platform.machine() == "x86_64" else None
VECTORS = [(op, f"-march=x86-64-v{v}") for op in REFERENCE for v in (3, 4)] if GCC else []
VECTORS = [
    case for case in VECTORS if case[1][-1] == "4" or case[0] not in ("SIN", "COS")
]  # no 64-bit conversions


@pytest.mark.parametrize(("op", "machine"), VECTORS)
def test_function_becomes_a_loop_of_vectors(op, machine):
    """gcc tells which loops it vectorised; it need not run here what it compiles."""
    on = target("C")
    uops = program(one_op(op), [dtypes.f32], dtypes.f32, 4096, on)
    flags = ["-O3", *PLAIN, machine, "-fopt-info-vec-optimized"]
    done = subprocess.run(
        [GCC, *flags, "-S", "-x", "c", "-", "-o", "/dev/null"],
        input=render(uops, on, "k"), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "loop vectorized" in done.stdout + done.stderr
