"""Small floats by their bits: all values there are, beside numpy and ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest

from rulewright import Tensor

KINDS = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}
SIZE = 65536 + 37  # lanes and a rest


def every(kind):
    """Every value of a kind as an array, some twice."""
    return np.resize(np.arange(65536, dtype=np.uint16), SIZE).view(KINDS[kind])


def source_of(value):
    (kernel,) = value.schedule()
    return kernel.lower().source


def ran(function, *arrays):
    """The result of kernels that read the arrays from memory, as f32."""
    tensors = [Tensor(array).clone().realize() for array in arrays]
    return function(*tensors).cast("f32").numpy()


def check(result, wanted, kind):
    """The same numbers, zeros with the same sign, and NaN where NaN is."""
    wanted = wanted.astype(KINDS[kind]).astype(np.float32)
    np.testing.assert_array_equal(result, wanted)
    number = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(result)[number], np.signbit(wanted)[number])


def relu(x):
    return np.where(x <= 0, np.float32(0), x)


def sign(x):
    return np.where(np.isnan(x), x, np.sign(x) + np.float32(0))


FUNCTIONS = {
    "abs": (lambda t: t.abs(), np.abs),
    "neg": (lambda t: -t, np.negative),
    "relu": (lambda t: t.relu(), relu),
    "floor": (lambda t: t.floor(), np.floor),
    "ceil": (lambda t: t.ceil(), np.ceil),
    "trunc": (lambda t: t.trunc(), np.trunc),
    "round": (lambda t: t.round(), np.rint),
    "sign": (lambda t: t.sign(), sign),
    "clamp": (lambda t: t.clamp(-1.5, 2), lambda x: np.clip(x, -1.5, 2)),
    "above": (lambda t: t.maximum(1), lambda x: np.maximum(x, np.float32(1))),
    "half of the size": (lambda t: t.abs() * 0.5, lambda x: np.abs(x) * np.float32(0.5)),
    "less than its size": (lambda t: t - t.abs(), lambda x: x - np.abs(x)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_values(kind, name):
    function, wanted = FUNCTIONS[name]
    values = every(kind)
    with np.errstate(all="ignore"):
        check(ran(function, values), wanted(values.astype(np.float32)), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("step", [1, 255, 32768])
def test_extremes_of_two(kind, step):
    """Of two zeros either may result."""
    values = every(kind)
    a, b = values.astype(np.float32), np.roll(values, step).astype(np.float32)
    for ours, theirs in ((Tensor.maximum, np.maximum), (Tensor.minimum, np.minimum)):
        np.testing.assert_array_equal(ran(ours, values, np.roll(values, step)), theirs(a, b))


@pytest.mark.parametrize("kind", KINDS)
def test_choices_are_rounded_once(kind):
    values = every(kind)
    x = values.astype(np.float32)
    with np.errstate(all="ignore"):
        wanted = np.where(x > 1, (x * 3).astype(KINDS[kind]), (x / 3).astype(KINDS[kind]))
    three = np.array(3, KINDS[kind])
    result = ran(lambda t, by: (t > 1).where(t * by, t / by), values, np.resize(three, SIZE))
    check(result, wanted.astype(np.float32), kind)


def test_what_is_rounded_on_the_way_is_rounded():
    """Each op of bf16 rounds, ties to even, also what is infinite or NaN afterwards."""
    values = every("bf16")
    x = values.astype(np.float32)
    with np.errstate(all="ignore"):
        step = (x + np.float32(1)).astype(ml_dtypes.bfloat16).astype(np.float32)
        step = (step * np.float32(3)).astype(ml_dtypes.bfloat16).astype(np.float32)
        wanted = step - x
    check(ran(lambda t: (t + 1) * 3 - t, values), wanted, "bf16")


def test_f32_is_rounded_to_bf16_at_every_tie():
    upper = np.arange(65536, dtype=np.uint32) << 16
    for lower in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
        x = np.resize(upper | np.uint32(lower), SIZE).view(np.float32)
        with np.errstate(all="ignore"):
            wanted = x.astype(ml_dtypes.bfloat16).astype(np.float32)
        check(ran(lambda t: t.cast("bf16"), x), wanted, "bf16")


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_sizes_of_longer_floats(kind):
    wide = {"f32": np.float32, "f64": np.float64}[kind]
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 5e-324, -5e-324, 1e-45, -1e-45, -1.5]
    with np.errstate(all="ignore"):
        x = np.resize(np.array(edges).astype(wide), 1003)
    result = Tensor(x).abs().numpy()
    np.testing.assert_array_equal(result, np.abs(x))
    assert not np.signbit(result[~np.isnan(x)]).any()


def test_no_way_through_f32():
    x = Tensor.zeros(4096, dtype="bf16").clone().realize()
    for value in (x.abs(), -x, x.relu()):
        assert "float" not in source_of(value)


def test_choices_of_small_floats_are_lanes():
    x = Tensor.zeros(4096, dtype="f16").clone().realize()
    for value in (x.floor(), x.clamp(-1, 1), x // 3):
        assert "omp simd" not in source_of(value)
