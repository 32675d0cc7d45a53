"""Methods of tensors on every dtype at edge values: devices bit for bit, values by numpy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from render_tools import kind as category, pairs, same_bits

from rulewright import Tensor, dtypes
from rulewright.ir.dtypes import DType

ALL = dtypes.all()
Array = np.ndarray[Any, Any]


def divided_down(a: Array, b: Array) -> Array:
    """numpy's floor_divide, which gives 0 for a divisor of 0 and wraps as we do."""
    return np.floor_divide(a, b)


def remainder(a: Array, b: Array) -> Array:
    """numpy's, but x where the divisor is 0."""
    return np.where(b == 0, a, np.remainder(a, b))


def shifted(up: bool) -> Callable[[Array, Array], Array]:
    """Shifts in Python's integers, which have no width."""

    def shift(a: Array, b: Array) -> Array:
        bits = a.dtype.itemsize * 8
        found = []
        for x, n in zip(a.tolist(), b.tolist(), strict=True):
            out = n < 0 or n >= bits
            moved = 0 if up and out else x << n if up else x >> (bits if out else n)
            found.append(moved % 2**bits)
        return np.array(found, np.uint64).astype(a.dtype)

    return shift


def larger(a: Array, b: Array) -> Array:
    return np.where(np.isnan(a) | np.isnan(b), np.array(np.nan, a.dtype), np.where(a > b, a, b))


def smaller(a: Array, b: Array) -> Array:
    return np.where(np.isnan(a) | np.isnan(b), np.array(np.nan, a.dtype), np.where(a < b, a, b))


COMPARE = {
    "x < y": np.less, "x <= y": np.less_equal, "x > y": np.greater, "x >= y": np.greater_equal,
    "x == y": np.equal, "x != y": np.not_equal,
}  # fmt: skip
CHOICE = {"(x == y).where(x, y)": lambda a, b: np.where(a == b, a, b), "x": lambda a, b: a}
EXTREMES = {"x.maximum(y)": np.maximum, "x.minimum(y)": np.minimum}
BITS = {
    "x & y": np.bitwise_and, "x | y": np.bitwise_or, "x ^ y": np.bitwise_xor,
    "~x": lambda a, b: np.invert(a),
}  # fmt: skip
LOGIC = {
    "x.logical_not()": lambda a, b: a == 0,
    "x.logical_and(y)": lambda a, b: (a != 0) & (b != 0),
    "x.logical_or(y)": lambda a, b: (a != 0) | (b != 0),
}
NUMBERS = {
    "x + y": np.add, "x - y": np.subtract, "x * y": np.multiply, "-x": lambda a, b: -a,
    "x + x * y": lambda a, b: a + a * b,
}  # fmt: skip
METHODS: dict[str, dict[str, Callable[[Array, Array], Array]]] = {
    "Float": {
        **COMPARE, **CHOICE, **LOGIC, **NUMBERS, "x.maximum(y)": larger, "x.minimum(y)": smaller,
        "x / y": np.divide, "1 / x": lambda a, b: np.ones_like(a) / a,
        "x.sqrt()": lambda a, b: np.sqrt(a), "x.trunc()": lambda a, b: np.trunc(a),
        "x.abs()": lambda a, b: np.abs(a), "x.isnan()": lambda a, b: np.isnan(a),
        "x.isinf()": lambda a, b: np.isinf(a), "x.floor()": lambda a, b: np.floor(a),
        "x.ceil()": lambda a, b: np.ceil(a), "x + 1.5": lambda a, b: a + np.array(1.5, a.dtype),
    },
    "Int": {
        **COMPARE, **CHOICE, **LOGIC, **NUMBERS, **EXTREMES, **BITS, "x // y": divided_down,
        "x % y": remainder, "x << y": shifted(True), "x >> y": shifted(False),
        "x / y": lambda a, b: a.astype(np.float32) / b.astype(np.float32),
        "x + 1": lambda a, b: a + np.ones_like(a), "x * True": lambda a, b: a,
        "x * 0.5": lambda a, b: a.astype(np.float32) * np.float32(0.5),
    },
    "Bool": {
        **COMPARE, **CHOICE, **LOGIC, **EXTREMES, **BITS, "x + y": np.logical_or,
        "x * y": np.logical_and, "x + 1": lambda a, b: a.astype(np.int64) + 1,
        "x * 0.5": lambda a, b: a.astype(np.float32) * np.float32(0.5),
    },
}  # fmt: skip
# Of -0.0 and 0.0 either may result.
ZEROS = ("x.maximum(y)", "x.minimum(y)")


@cache
def computed(kind: DType, device: str) -> tuple[dict[str, Array], Array, Array]:
    """Every method on every pair of edge values, and the pairs."""
    a, b = pairs(kind)
    names = {"x": Tensor(a, device=device), "y": Tensor(b, device=device)}
    found = {text: eval(text, names) for text in METHODS[category(kind)]}
    Tensor.realize(*found.values())
    return {text: tensor.numpy() for text, tensor in found.items()}, a, b


def wrong(found: Array, wanted: Array, text: str, a: Array, b: Array) -> str:
    """The first difference, in words; empty if there is none."""
    if found.dtype != wanted.dtype:
        return f"{text}: dtype {found.dtype}, expected {wanted.dtype}"
    if text in ZEROS and found.dtype.kind not in "biu":
        found, wanted = found + np.zeros_like(found), wanted + np.zeros_like(wanted)
    at = np.flatnonzero(~same_bits(found, wanted))
    if not len(at):
        return ""
    i = at[0]
    return f"{text} of {a[i]}, {b[i]}: found {found[i]}, expected {wanted[i]} ({len(at)} in all)"


@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.name)
def test_values_are_numpys(kind):
    found, a, b = computed(kind, "C")
    with np.errstate(all="ignore"):
        problems = [
            wrong(found[text], np.asarray(reference(a, b)), text, a, b)
            for text, reference in METHODS[category(kind)].items()
        ]
    assert not [p for p in problems if p]


@pytest.mark.parametrize("device", ["C", "OPENCL"])
@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.name)
def test_devices_agree_with_the_interpreter(kind, device):
    wanted, _, _ = computed(kind, "INTERP")
    found, a, b = computed(kind, device)
    problems = [wrong(found[text], wanted[text], text, a, b) for text in wanted]
    assert not [p for p in problems if p]


# Floats as arguments at which functions are far from 0; their bound is two units in the last place
# of f32, rounded once more in narrower ones, and those of the C library in f64.
FUNCTIONS = {
    "x.exp()": np.exp, "x.exp2()": np.exp2, "x.log()": np.log, "x.log2()": np.log2,
    "x.sin()": np.sin, "x.tanh()": np.tanh, "x.cos()": np.cos, "x.sigmoid()": lambda v:
    1 / (1 + np.exp(-v)), "x.pow(2.5)": lambda v: v**2.5, "x.rsqrt()": lambda v: v**-0.5,
    "x.softmax()": lambda v: np.exp(v) / np.exp(v).sum(), "x.erf()": None,
}  # fmt: skip


@pytest.mark.parametrize("kind", [k for k in ALL if k.is_float], ids=lambda k: k.name)
def test_functions_of_floats(kind):
    values = np.array([0.25, 0.5, 0.75, 1.25, 1.75, 2.5, 3.5, 0.375]).astype(kind.np)
    eps = dtypes.finfo(kind).eps
    bound = (8 if kind.bits >= 32 else 2.5) * eps
    found = {}
    for device in ("C", "INTERP", "OPENCL"):
        x = Tensor(values, device=device)
        tensors = {text: eval(text, {"x": x}) for text in FUNCTIONS}
        Tensor.realize(*tensors.values())
        found[device] = {text: t.numpy() for text, t in tensors.items()}
    for text, reference in FUNCTIONS.items():
        for device, results in found.items():
            got = results[text]
            assert got.dtype == kind.np, (text, device)
            wide = got.astype(np.float64)
            near = found["INTERP"][text].astype(np.float64)
            np.testing.assert_allclose(wide, near, rtol=bound, err_msg=f"{text} on {device}")
            if reference is not None:
                wanted = reference(values.astype(np.float64))
                np.testing.assert_allclose(wide, wanted, rtol=bound, atol=eps / 4,
                                           err_msg=f"{text} on {device}")  # fmt: skip


@pytest.mark.parametrize("kind", [k for k in ALL if not k.is_float], ids=lambda k: k.name)
def test_functions_of_integers_are_float32(kind):
    x = Tensor([0, 1], dtype=kind)
    for found in (x.exp(), x.sin(), x.sqrt(), x.sigmoid(), x.softmax(), x.tanh(), x.log()):
        assert found.dtype is dtypes.f32
    np.testing.assert_allclose(x.exp().numpy(), [1, np.e], rtol=1e-6)


@pytest.mark.parametrize("kind", ["i64", "u8", "f16", "f64"])
def test_the_value_of_a_threshold_takes_the_dtype_of_the_rest(kind):
    found = Tensor([1, 2, 3], dtype=kind).threshold(1.5, 0.5)
    assert found.dtype is dtypes.__getattr__(kind)
    assert found.tolist() == [0.5 if found.dtype.is_float else 0, 2, 3]
