"""Every dtype converted to every other, by values at edges, against exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from pairs import in_turn
from render_tools import awkward, same_bits

from rulewright import Tensor, dtypes
from rulewright.ir.dtypes import DType

ALL = dtypes.all()
DEVICES = ["C", "INTERP", "OPENCL"]
UNSIGNED_ZERO = ("fp8e4m3fnuz", "fp8e5m2fnuz")
FINITE = ("fp8e4m3", *UNSIGNED_ZERO)  # and NaN: what is too large, and infinity
# A hair beside the middle of two neighbours: what rounds twice gets these wrong.
TIES = [1 + 2.0**-i + s * 2.0**-40 for i in (3, 4, 8, 9, 11, 12, 24) for s in (-1, 0, 1)]
TIES += [464.0, 463.0, 465.0, 479.0, 480.0, 61439.0, 65519.0, 65520.0, 2.0**-10, 2.0**-17, 2.0**-25]
TIES += [247.0, 248.0, 249.0, 255.0, 256.0, 2.0**-11, 2.0**-18, 3 * 2.0**-11, 3 * 2.0**-18]
WIDE = [2**24 + 1, 2**31 - 65, 2**40 + 2**32 + 1, 2**53 + 1, 2**62 + 2**54 + 1, 2**63 - 1, 33554431]


def values_of(kind: DType) -> np.ndarray:
    """Edge values of a dtype, and those at which rounding to narrower ones goes wrong."""
    found = [awkward(kind)]
    if kind.is_float:
        with np.errstate(all="ignore"):
            found += [np.array([*TIES, *(-t for t in TIES)]).astype(kind.np)]
    elif kind.is_int:
        found += [np.array([v for v in WIDE if v <= kind.max], kind.np)]
    return np.concatenate(found)


def nearest(value: Fraction, kind: DType) -> float:
    """A number rounded to a float dtype: to nearest, ties to even. From the definition."""
    facts = {
        "fp8e4m3": (3, -6, 448), "fp8e5m2": (2, -14, 57344), "f16": (10, -14, 65504),
        "fp8e4m3fnuz": (3, -7, 240), "fp8e5m2fnuz": (2, -15, 57344),
        "bf16": (7, -126, (2 - 2.0**-7) * 2.0**127), "f32": (23, -126, (2 - 2.0**-23) * 2.0**127),
        "f64": (52, -1022, (2 - 2.0**-52) * 2.0**1023),
    }  # fmt: skip
    digits, lowest, top = facts[kind.name]
    exponent = 0
    while abs(value) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while abs(value) < Fraction(2) ** exponent and exponent > lowest:
        exponent -= 1
    unit = Fraction(2) ** (exponent - digits)
    found = round(abs(value) / unit) * unit  # Python's round is to even
    if found > top:
        found = math.nan if kind.name in FINITE else math.inf
    return math.copysign(float(found), value) if found or kind.name not in UNSIGNED_ZERO else 0.0


def converted(value: object, kind: DType) -> float | int | bool:
    """One element cast, in exact arithmetic: the meaning of CAST in words."""
    number = value.item()
    if isinstance(number, float) and not math.isfinite(number):
        if kind.is_bool:
            return True
        if kind.is_int:
            return 0 if number != number else int(kind.max if number > 0 else kind.min)
        none = kind.name in FINITE and math.isinf(number)
        return math.nan if none else number
    if kind.is_bool:
        return number != 0
    if kind.is_float:
        zero = isinstance(number, float) and number == 0 and kind.name not in UNSIGNED_ZERO
        return number if zero else nearest(Fraction(number), kind)
    if isinstance(number, float):
        return min(max(int(number), int(kind.min)), int(kind.max))
    span = 1 << kind.bits
    low = int(number) % span
    return low - span if low > kind.max else low


@pytest.mark.parametrize(
    ("source", "device"), in_turn(ALL, DEVICES[:1]) + in_turn(ALL, DEVICES[1:]), ids=str
)
def test_casts(source, device):
    values = values_of(source)
    x = Tensor(values, device=device)
    found = [x.cast(kind) for kind in ALL]
    Tensor.realize(*found)
    for kind, tensor in zip(ALL, found, strict=True):
        wanted = np.array([converted(v, kind) for v in values], "f8" if kind.is_float else kind.np)
        wrong = np.flatnonzero(~same_bits(tensor.numpy(), wanted.astype(kind.np)))
        told = [(values[i].item(), tensor.numpy()[i].item(), wanted[i].item()) for i in wrong[:3]]
        assert not told, f"to {kind.name} (value, found, expected): {told}"


@pytest.mark.parametrize("source", ALL, ids=lambda k: k.name)
def test_casts_of_constants_and_of_host_data_are_the_same(source):
    values = values_of(source)
    for kind in ALL:
        wide = "f8" if kind.is_float else kind.np
        wanted = np.array([converted(v, kind) for v in values], wide).astype(kind.np)
        assert same_bits(Tensor(values, dtype=kind).numpy(), wanted).all(), kind
        folded = np.array([kind.const(v.item()) for v in values], wide).astype(kind.np)
        assert same_bits(folded, wanted).all(), kind
        constant = Tensor(values[-1].item(), dtype=source, device="INTERP").cast(kind)
        assert same_bits(constant.numpy(), wanted[-1:]).all(), kind


@pytest.mark.parametrize("device", DEVICES)
def test_bitcasts(device, rng):
    kinds = [k for k in ALL if not k.is_bool]
    arrays = [np.frombuffer(rng.bytes(48 * a.itemsize), a.np).reshape(3, 16) for a in kinds]
    found = [Tensor(a, device=device).bitcast(k) for a in arrays for k in kinds]
    Tensor.realize(*found)
    for i, tensor in enumerate(found):
        array, kind = arrays[i // len(kinds)], kinds[i % len(kinds)]
        wanted = np.frombuffer(array.tobytes(), kind.np).reshape(3, -1)
        assert tensor.shape == wanted.shape and tensor.numpy().tobytes() == wanted.tobytes()


@pytest.mark.parametrize("device", DEVICES)
def test_bools_are_bytes_of_0_and_1(device):
    x = Tensor([True, False, True, True], device=device)
    assert x.bitcast("u8").tolist() == x.bitcast("i8").tolist() == [1, 0, 1, 1]
    assert x.bitcast("u16").tolist() == [1, 257]
    found = Tensor([0, 1, 7, 128], dtype="u8", device=device).bitcast("bool")
    assert found.tolist() == [False, True, True, True]
    assert found.cast("i32").tolist() == [0, 1, 1, 1]


def test_bitcasts_of_nothing():
    assert Tensor(np.zeros((0, 4), np.int32)).bitcast("u8").numpy().shape == (0, 16)
    assert Tensor(np.zeros((4, 0), np.int8)).bitcast("i32").numpy().shape == (4, 0)
