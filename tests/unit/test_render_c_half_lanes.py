"""Vectors of 16-bit floats on the C device: conversions of all of them, by every way there is."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import in_pairs
from render_tools import C_FLAGS, C_TARGETS, run_vectors, same_bits

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.ir.dtypes import dtypes

LEFT_OVER = 7  # elements behind the last vector


def every(name: str) -> np.ndarray:
    """All numbers of a type, and some again."""
    bits = np.concatenate([np.arange(1 << 16), np.arange(LEFT_OVER) + 15359])
    return bits.astype(np.uint16).view(getattr(dtypes, name).np)


def around(name: str) -> np.ndarray:
    """f32 numbers at, between and next to the finite numbers of a type, and of any bits."""
    with np.errstate(all="ignore"):
        whole = np.sort(every(name).astype(np.float32))
        whole = whole[np.isfinite(whole)]
        middle = (whole[1:] / 2 + whole[:-1] / 2).astype(np.float32)
        near = [np.nextafter(m, np.float32(s)) for m in (whole, middle) for s in (np.inf, -np.inf)]
    bits = np.random.default_rng(0).integers(0, 1 << 32, 100_000 + LEFT_OVER, np.uint32)
    special = np.array([np.inf, -np.inf, np.nan, 65519.996, 65520, 3.4028235e38, 1e-45], np.float32)
    return np.concatenate([whole, middle, *near, special, -special, bits.view(np.float32)])


@pytest.mark.parametrize("flags", C_FLAGS)
@pytest.mark.parametrize("on", C_TARGETS)
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_every_number_is_what_numpy_says(name: str, on: str, flags: str) -> None:
    given = every(name)
    value = Tensor(given).cast(dtypes.f32)
    found = run_vectors(value, on, C_FLAGS[flags], np.zeros(given.size, np.float32), given)
    with np.errstate(invalid="ignore"):
        assert same_bits(found, given.astype(np.float32)).all()


@pytest.mark.parametrize("flags", C_FLAGS)
@pytest.mark.parametrize("on", C_TARGETS)
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_numbers_are_rounded_to_the_nearest_and_ties_to_even(
    name: str, on: str, flags: str
) -> None:
    given, small = around(name), getattr(dtypes, name)
    value = Tensor(given).cast(small)
    found = run_vectors(value, on, C_FLAGS[flags], np.zeros(given.size, small.np), given)
    with np.errstate(over="ignore", invalid="ignore"):
        assert same_bits(found, given.astype(small.np)).all()


@pytest.mark.parametrize("flags", C_FLAGS)
@pytest.mark.parametrize("on", ["C", "C_SSE"])
@pytest.mark.parametrize("of", ["every", "around"])
def test_single_numbers_are_converted_as_vectors_are(of: str, on: str, flags: str) -> None:
    given = every("float16") if of == "every" else around("float16")
    given = given[: len(given) // 4 * 4]
    to, name = (np.float32, "widened_f16") if of == "every" else (np.float16, "rounded_f16")
    value = Tensor(given).cast(to).contiguous(arg="r1, r2 = split(r0, 4)")
    assert f" = {name}(data1[" in lower_kernel(value.schedule()[0].ast, on).source
    found = run_vectors(value, on, C_FLAGS[flags], np.zeros(given.size, to), given)
    with np.errstate(over="ignore", invalid="ignore"):
        assert same_bits(found, given.astype(to)).all()


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(3, 5), (7, 64), (33, 100), (2, 1000), (1, 1), (0, 4)])
def test_sums_and_softmax_of_rows_of_any_length(
    name: str, shape: tuple[int, int], rng: np.random.Generator
) -> None:
    small = getattr(dtypes, name)
    given = rng.standard_normal(shape).astype(small.np)
    exact = given.astype(np.float64)
    last = float(np.finfo(np.float16).eps) if name == "float16" else 2.0**-8
    x = Tensor(given)
    powers = np.exp(exact)
    wanted = powers / powers.sum(-1, keepdims=True)
    np.testing.assert_allclose(x.softmax(-1).float().numpy(), wanted, 4 * last)
    np.testing.assert_allclose(x.sum(-1).float().numpy(), exact.sum(-1), last, 4 * last)
    np.testing.assert_array_equal(x.T.float().numpy(), given.astype(np.float32).T)


WIDENED = {
    "root": ("f4", lambda x: x.sqrt().double(), lambda x: np.sqrt(x).astype("f8")),
    "whole part": ("f4", lambda x: x.trunc().double(), lambda x: np.trunc(x).astype("f8")),
    "sum of a product": ("f4", lambda x: (x * x + 1).double(), lambda x: (x * x + 1).astype("f8")),
    "half of a double": ("f8", lambda x: x.half(), lambda x: x.astype("f2")),
    "double of a half": ("f2", lambda x: x.double(), lambda x: x.astype("f8")),
    "root as a whole number": ("f4", lambda x: x.sqrt().long(), lambda x: np.sqrt(x).astype("i8")),
}


@pytest.mark.parametrize(("name", "on", "size"), in_pairs(WIDENED, C_TARGETS, [2, 6, 64, 67]))
def test_beside_doubles_a_vector_of_floats_has_as_many_lanes(name: str, on: str, size: int) -> None:
    """Two of them where a vector has 128 bits, which is half a vector of floats."""
    kind, compute, wanted = WIDENED[name]
    given = (np.arange(size) / 4).astype(kind)  # exact in all of them
    exact = wanted(given)
    flags = C_FLAGS["native"]
    found = run_vectors(compute(Tensor(given)), on, flags, np.zeros(size, exact.dtype), given)
    np.testing.assert_array_equal(found, exact)
