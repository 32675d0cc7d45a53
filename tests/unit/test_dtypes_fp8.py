"""The floats of 8 bits, every one of them: conversions, arithmetic and zeros, by ml_dtypes."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from render_tools import same_bits

from rulewright import Tensor, dtypes
from rulewright.codegen.lower import lower_fresh
from rulewright.interp import Shadowed, evaluate, run_kernel
from rulewright.ir.dtypes import DType, dtype
from rulewright.ir.ops import Ops
from rulewright.ir.rounding import round_to
from rulewright.ir.uop import UOp
from rulewright.runtime.c import VECTOR_TARGETS

Array = np.ndarray[Any, Any]
FP8 = sorted(dtypes.set("Fp8"), key=lambda k: k.name)
FNUZ = [dtypes.fp8e4m3fnuz, dtypes.fp8e5m2fnuz]
FLOATS = [k for k in dtypes.all() if k.is_float]
DEVICES = ["C", "INTERP", "OPENCL"]

each = pytest.mark.parametrize("kind", FP8, ids=lambda k: k.name)
each_device = pytest.mark.parametrize("device", DEVICES)


def every(kind: DType) -> Array:
    return np.arange(256, dtype=np.uint8).view(kind.np)


def boundaries(kind: DType, wide: DType) -> Array:
    """Numbers of a wider dtype at which rounding to `kind` changes, with their neighbours: ties,
    where it becomes too large, where it becomes zero, and what is special."""
    finite = every(kind).astype(np.float64)
    finite = np.unique(finite[np.isfinite(finite)])
    finite = np.append(finite, 2 * finite[-1] - finite[-2])  # where the next number would be
    at = np.concatenate([finite, (finite[1:] + finite[:-1]) / 2])
    special = np.array([0.0, math.inf, math.nan, 1e-30, 1e30, 2.0**-20])
    with np.errstate(over="ignore"):
        bits, more = at.astype(wide.np).view(f"u{wide.itemsize}"), special.astype(wide.np)
    sizes = np.concatenate([bits, bits + 1, bits - 1]).view(wide.np)
    found = np.concatenate([np.abs(sizes), more])
    return np.concatenate([found, -found])


def tell(found: Array, wanted: Array, *given: Array) -> list[tuple[Any, ...]]:
    """The first differences, as values and bytes; the one NaN of a fnuz has to be that byte."""
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    bad = ~same_bits(found, wanted)
    if found.dtype in [k.np for k in FNUZ]:
        bad = found.view(np.uint8) != wanted.view(np.uint8)
    return [(*(g[i].item() for g in given), found[i], wanted[i]) for i in np.flatnonzero(bad)[:3]]


@each_device
@each
def test_every_byte_to_every_float(kind, device):
    values = every(kind)
    x = Tensor(values, device=device)
    found = {k: x.cast(k) for k in FLOATS}
    Tensor.realize(*found.values())
    with np.errstate(all="ignore"):
        for wide, tensor in found.items():
            assert not tell(tensor.numpy(), values.astype(wide.np), values), wide


@each_device
@each
def test_every_boundary_of_rounding(kind, device):
    """From f16, bf16, f32 and f64, by ml_dtypes, which rounds an f32 once."""
    wides = [k for k in FLOATS if k.bits > 8]
    given = {k: boundaries(kind, k) for k in wides}
    found = {k: Tensor(values, device=device).cast(kind) for k, values in given.items()}
    Tensor.realize(*found.values())
    for wide, values in given.items():
        with np.errstate(all="ignore"):
            wanted = round_to(values, kind.np) if wide.bits == 64 else values.astype(kind.np)
        assert not tell(found[wide].numpy(), wanted, values), wide


@each
def test_the_bits_of_numbers(kind):
    """What a byte means, from the definition: sign, exponent with its bias, mantissa."""
    exponent, mantissa = int(kind.name[4]), int(kind.name[6])
    assert kind.name.startswith(f"fp8e{exponent}m{mantissa}")
    bias = 2 ** (exponent - 1) - (0 if kind in FNUZ else 1)
    for byte, value in enumerate(every(kind).tolist()):
        power, part = byte >> mantissa & (2**exponent - 1), byte & (2**mantissa - 1)
        size = math.ldexp(part + (2**mantissa if power else 0), max(power, 1) - bias - mantissa)
        if kind in FNUZ:
            nan = byte == 128
        else:
            nan = byte & 127 == 127 or (kind is dtypes.fp8e5m2 and byte & 127 > 124)
        if kind is dtypes.fp8e5m2 and byte & 127 == 124:
            size = math.inf
        assert math.isnan(value) if nan else value == (-size if byte > 127 else size), byte
    assert kind.bias == bias


BINARY = {
    "x + y": np.add, "x - y": np.subtract, "x * y": np.multiply, "x / y": np.divide,
    "x.minimum(y)": np.minimum, "x.maximum(y)": np.maximum, "x < y": np.less,
    "x <= y": np.less_equal, "x == y": np.equal, "x != y": np.not_equal,
}  # fmt: skip
UNARY = {
    "-x": np.negative, "x.abs()": np.abs, "x.sqrt()": np.sqrt, "x.floor()": np.floor,
    "x.trunc()": np.trunc, "x.ceil()": np.ceil, "x * -1": np.negative, "0 - x": lambda v: 0 - v,
    "x.isnan()": np.isnan, "x.isinf()": np.isinf, "x.signbit()": np.signbit,
    "x.logical_not()": lambda v: v == 0, "x.relu()": lambda v: np.where(v < 0, np.zeros_like(v), v),
    "x * 0": lambda v: v * np.zeros_like(v), "1 / x": lambda v: np.ones_like(v) / v,
}  # fmt: skip
EITHER_ZERO = ("x.minimum(y)", "x.maximum(y)", "x.relu()", "x * 0")


@pytest.mark.parametrize("device", ["C", "INTERP"])  # a simulated GPU is too slow for so many
@each
def test_every_pair_of_numbers(kind, device):
    a, b = (v.ravel().copy() for v in np.meshgrid(every(kind), every(kind)))
    names = {"x": Tensor(a, device=device), "y": Tensor(b, device=device)}
    found = {text: eval(text, names) for text in BINARY}
    Tensor.realize(*found.values())
    for text, function in BINARY.items():
        with np.errstate(all="ignore"):
            wanted, got = np.asarray(function(a, b)), found[text].numpy()
            if text in EITHER_ZERO:
                wanted, got = wanted + np.zeros_like(a), got + np.zeros_like(a)
        assert not tell(got, wanted, a, b), text


@each_device
@each
def test_every_number(kind, device):
    values = every(kind)
    x = Tensor(values, device=device)
    found = {text: eval(text, {"x": x}) for text in UNARY}
    Tensor.realize(*found.values())
    for text, function in UNARY.items():
        with np.errstate(all="ignore"):
            wanted, got = np.asarray(function(values)), found[text].numpy()
            if text in EITHER_ZERO:
                wanted, got = wanted + np.zeros_like(values), got + np.zeros_like(values)
        assert not tell(got, wanted.astype(got.dtype), values), text


@each_device
@each
def test_every_byte_is_read_as_bits_and_back(kind, device):
    values = every(kind)
    x = Tensor(values, device=device).bitcast("u8")
    assert x.tolist() == list(range(256))
    assert x.bitcast(kind).numpy().tobytes() == values.tobytes()
    wide = Tensor(values, device=device).bitcast("u16").bitcast(kind)
    assert wide.numpy().tobytes() == values.tobytes()


@each_device
@each
def test_sums_are_of_float32_and_rounded_once(kind, device, rng):
    data = rng.normal(size=(16, 24)).astype(kind.np)
    found = Tensor(data, device=device)
    wide = data.astype(np.float32)
    with np.errstate(all="ignore"):  # 24 numbers of so few digits have an exact sum in float32
        assert not tell(found.sum(1).numpy(), wide.sum(1).astype(kind.np))
        assert not tell(found.max(0).numpy(), wide.max(0).astype(kind.np))
        assert not tell(found.min(0).numpy(), wide.min(0).astype(kind.np))


@each
@pytest.mark.parametrize("op", ["ADD", "SUB", "MUL", "FDIV", "MAX", "MIN"])
def test_the_shadow_holds_every_answer(kind, op):
    a, b = (v.ravel().copy() for v in np.meshgrid(every(kind), every(kind)))
    p, q = (UOp(Ops.PARAM, kind, (), (slot, a.shape, None)) for slot in (0, 1))
    found = evaluate(p.alu(getattr(Ops, op), q), {p: a, q: b}, shadow=True)
    with np.errstate(all="ignore"):
        exact = found.exact.astype(np.float64)
    wrong = np.flatnonzero(~found.agrees(found.exact))
    assert not len(wrong), [(a[i], b[i], exact[i], found.shadow[i]) for i in wrong[:3]]
    sure = np.abs(exact) < dtypes.finfo(kind).max / 2
    unit = dtypes.finfo(kind).eps * np.abs(exact) + dtypes.finfo(kind).smallest_subnormal
    assert (found.tolerance[sure] <= unit[sure]).all()  # no excuse for anything larger
    beside = found.shadow[sure] + 2 * found.tolerance[sure] + 1e-9
    assert not Shadowed(*(part[sure] for part in found)).agrees(beside).any()


# ---- one zero ------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", FNUZ, ids=lambda k: k.name)
def test_a_zero_without_a_sign(kind, device):
    """Whatever gives -0.0 elsewhere: a NaN would show where the byte 128 was made."""
    zero = Tensor([0.0, -0.0, -1e-9], dtype=kind, device=device)
    small = Tensor([-kind.max, -1.0], device=device) * 1e-30
    constant = Tensor.full((3,), -0.0, dtype=kind, device=device)
    for x in (zero, -zero, zero * -1, zero * -2.0, zero.neg().contiguous().neg(), small.cast(kind),
              zero.copysign(Tensor([-1.0, -1.0, 1.0], dtype=kind, device=device)), zero / -3,
              constant, constant + zero, zero.sqrt(), (-zero).abs(), -zero.sum()):  # fmt: skip
        assert not x.bitcast("u8").numpy().any()
        assert not x.signbit().any().item() and not x.isnan().any().item()
    assert kind.const(-0.0) == 0 and math.copysign(1, kind.const(-0.0)) == 1
    assert math.copysign(1, dtypes.fp8e4m3.const(-0.0)) == -1


@pytest.mark.parametrize("kind", FNUZ, ids=lambda k: k.name)
def test_one_nan(kind):
    numbers = np.array([math.inf, -math.inf, math.nan, -math.nan, 1e9, -1e9])
    for wide in ("f16", "bf16", "f32", "f64"):
        with np.errstate(all="ignore"):
            given = numbers.astype(dtype(wide).np)
        for device in DEVICES:
            found = Tensor(given, device=device).cast(kind)
            assert found.bitcast("u8").tolist() == [128] * 6, (wide, device)
            assert found.float().isnan().all().item()
    assert math.isnan(kind.const(math.inf)) and math.isnan(kind.const(2 * kind.max))
    assert float(ml_dtypes.finfo(kind.np).max) == kind.max == dtypes.finfo(kind).max


@pytest.mark.parametrize("on", VECTOR_TARGETS)
def test_rows_without_vectors_are_converted_before_they_are_reduced(on, rng):
    x = rng.integers(-4, 5, (3, 96)).astype(dtypes.fp8e4m3.np)
    rows = Tensor(x).realize()
    for result, expected in ((rows.sum(1, dtype="f32"), x.astype("f4").sum(1)),
                             (rows.max(1), x.astype("f4").max(1))):  # fmt: skip
        (item,) = result.schedule()
        program = lower_fresh(item.ast, on)
        arrays = [np.zeros(3, result.dtype.np), x.reshape(-1)]
        run_kernel(program.uops, arrays)
        assert "apart(" in program.choices and (arrays[0].astype("f4") == expected).all()
