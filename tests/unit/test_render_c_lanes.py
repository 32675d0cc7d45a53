"""Vectors on the C device: what each op gives, in every width, is what numpy says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pairs import in_pairs
from render_tools import C_FLAGS, C_TARGETS, Vectors, same_bits

from rulewright import Tensor
from rulewright.ir.dtypes import dtypes

FLOATS = ["f32", "f64"]
INTS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
LEFT_OVER = 13  # elements behind the last vector: eight, four and one
Both = Callable[[Any, Any], Any]


def kind(name: str) -> Any:
    return getattr(dtypes, name)


def numbers(name: str) -> np.ndarray:
    """Pairs of special and other numbers of a dtype, first all of the one, then of the other."""
    dtype, rng = np.dtype(kind(name).np), np.random.default_rng(0)
    if name in FLOATS:
        info = np.finfo(dtype)
        edges = [0.0, 0.5, 1.0, 1.5, 2.5, 255.0, 256.5, 2**31, 2**63, info.max, info.tiny, np.inf]
        edges += [2**23 - 0.5, 2**52 + 0.5, 1 / info.eps, info.smallest_subnormal, 32767.9, 2**64]
        special = np.array([*edges, *(-e for e in edges), np.nan], dtype)
        other = rng.standard_normal(64).astype(dtype) * dtype.type(300)
    elif name == "bool":
        special, other = np.array([False, True]), rng.integers(0, 2, 64).astype(bool)
    else:
        limits = np.iinfo(dtype)
        special = np.array([0, 1, 2, limits.min, limits.max, limits.max - 1, limits.min + 1], dtype)
        other = rng.integers(limits.min, limits.max, 64, dtype, endpoint=True)
    a, b = (m.ravel() for m in np.meshgrid(special, special))
    a, b = np.concatenate([a, other]), np.concatenate([b, rng.permutation(other)])
    more = -len(a) % 64 + LEFT_OVER
    return np.concatenate([a, a[:more], b, b[:more]])


class Checks(Vectors):
    """Kernels of both halves of the numbers of a dtype, and numpy's answers."""

    def __init__(self, on: str, flags: str) -> None:
        super().__init__(on, C_FLAGS[flags])
        self.wanted: list[np.ndarray] = []

    def of(self, name: str, ours: Both, wanted: Both, out: str | None = None) -> None:
        given = numbers(name)
        half = len(given) // 2
        with np.errstate(all="ignore"):
            right = np.asarray(wanted(given[:half], given[half:]), kind(out or name).np)
        x = Tensor(given)
        self.wanted.append(right)
        self.add(ours(x[:half], x[half:]), np.zeros(half, right.dtype), given)

    def run(self) -> None:
        super().run()
        for (made, _, found, _), right in zip(self.kernels, self.wanted, strict=True):
            assert same_bits(found, right).all(), made.source


def chosen(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """b, but of equal numbers a: zeros have signs."""
    return np.where(a != b, b, a)


def larger(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """b where it is larger or NaN: of two equal numbers the first."""
    return np.where((b != b) | (b > a), b, a)


def smaller(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where((b != b) | (b < a), b, a)


COMPARISONS: dict[str, Both] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "and": lambda a, b: (a < b) & (a != b),
    "or": lambda a, b: (a < b) | (b == a),
    "exclusive or": lambda a, b: (a < b) ^ (b <= a),
    "not": lambda a, b: ~(a < b),
    "like": lambda a, b: (a < b) == (b < a),
}


@pytest.mark.parametrize("flags", C_FLAGS)
@pytest.mark.parametrize("on", C_TARGETS)
def test_conditions(on: str, flags: str) -> None:
    checks = Checks(on, flags)
    for name in ("f32", "f64", "u8", "i32", "u64", "bool"):
        for what, condition in COMPARISONS.items():
            if name != "bool" or what not in ("<", "<="):
                checks.of(name, condition, condition, "bool")
    checks.run()


@pytest.mark.parametrize("flags", C_FLAGS)
@pytest.mark.parametrize("on", C_TARGETS)
def test_choices(on: str, flags: str) -> None:
    checks = Checks(on, flags)
    for name in (*FLOATS, *INTS, "bool"):
        checks.of(name, lambda a, b: (a != b).where(b, a), chosen)
        checks.of(name, lambda a, b: a.maximum(b), larger)
        checks.of(name, lambda a, b: a.minimum(b), smaller)
    checks.of("f32", lambda a, b: (a < b).float() * 3, lambda a, b: (a < b) * 3.0)
    checks.of("f64", lambda a, b: (a < b).cast("i8"), lambda a, b: a < b, "i8")
    checks.of("i8", lambda a, b: (a < b).cast("i64") - 1, lambda a, b: (a < b) - 1, "i64")
    checks.run()


@pytest.mark.parametrize("flags", C_FLAGS)
@pytest.mark.parametrize("on", C_TARGETS)
def test_bits_of_integers(on: str, flags: str) -> None:
    checks = Checks(on, flags)
    for name in INTS:
        for both in (lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b, lambda a, b: ~a):
            checks.of(name, both, both)
        checks.of(name, lambda a, b: (a << 3) ^ b, lambda a, b: (a << a.dtype.type(3)) ^ b)
        checks.of(name, lambda a, b: (a >> 2) ^ b, lambda a, b: (a >> a.dtype.type(2)) ^ b)
    checks.run()


def saturated(a: np.ndarray, dtype: Any) -> np.ndarray:
    """Toward zero, what is out of range to the nearest bound, NaN to 0; in whole numbers."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    whole = [0 if x != x else high if x == np.inf else low if x == -np.inf else int(x) for x in a]
    return np.array([min(max(x, low), high) for x in whole], dtype)


@pytest.mark.parametrize(("name", "on", "flags"), in_pairs(FLOATS, C_TARGETS, C_FLAGS))
def test_floats_to_integers_saturate(name: str, on: str, flags: str) -> None:
    checks = Checks(on, flags)
    for to in INTS:
        dtype = kind(to).np
        checks.of(name, lambda a, b: a.cast(to), lambda a, b: saturated(a, dtype), to)  # noqa: B023
    checks.of(name, lambda a, b: a.cast("bool"), lambda a, b: a != 0, "bool")
    checks.run()


@pytest.mark.parametrize("flags", C_FLAGS)
@pytest.mark.parametrize("on", C_TARGETS)
def test_integers_to_others(on: str, flags: str) -> None:
    checks = Checks(on, flags)
    for name in (*INTS, "bool"):
        for to in ("i8", "u16", "i32", "u64", "f32", "f64", "bool"):
            if to != name:
                wanted = kind(to).np
                checks.of(name, lambda a, b: a.cast(to), lambda a, b: a.astype(wanted), to)  # noqa: B023
    checks.run()


@pytest.mark.parametrize(("name", "on", "flags"), in_pairs(FLOATS, C_TARGETS, C_FLAGS))
def test_roots_whole_parts_and_reciprocals(name: str, on: str, flags: str) -> None:
    checks = Checks(on, flags)
    checks.of(name, lambda a, b: a.sqrt(), lambda a, b: np.sqrt(a))
    checks.of(name, lambda a, b: a.trunc(), lambda a, b: np.trunc(a))
    checks.of(name, lambda a, b: a.floor(), lambda a, b: np.floor(a))
    checks.of(name, lambda a, b: a.reciprocal(), lambda a, b: 1 / a)
    checks.of(name, lambda a, b: a / b, lambda a, b: a / b)
    checks.run()


def quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rounded down; 0 where 0 divides."""
    return np.where(b == 0, 0, a // np.where(b == 0, 1, b))


def rest(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(b == 0, a, a % np.where(b == 0, 1, b))


@pytest.mark.parametrize("flags", C_FLAGS)
@pytest.mark.parametrize("on", C_TARGETS)
def test_quotients_and_remainders(on: str, flags: str) -> None:
    checks = Checks(on, flags)
    for name in INTS:
        checks.of(name, lambda a, b: a // b, quotient)
        checks.of(name, lambda a, b: a % b, rest)
    for name in FLOATS:
        checks.of(name, lambda a, b: a.fmod(b), np.fmod)
    checks.run()


@pytest.mark.parametrize("dtype", ["f32", "f64", "i32", "u8", "i64", "f16", "bool"])
def test_rows_of_every_length_are_reduced(dtype: str, rng: np.random.Generator) -> None:
    """Lanes by halves, then one by one; what is left over as shorter vectors."""
    counts = (1, 2, 7, *range(8, 19), 23, 31, 32, 33, 40, 47, 65, 100, 129, 1000)
    given = [rng.integers(0, 2, (5, count)).astype(kind(dtype).np) for count in counts]
    found = [(x.max(1), x.min(1), x.sum(1, dtype="f32")) for x in map(Tensor, given)]
    Tensor.realize(*(value for values in found for value in values))
    for numbers, (most, least, total) in zip(given, found, strict=True):
        np.testing.assert_array_equal(most.numpy(), numbers.max(1))
        np.testing.assert_array_equal(least.numpy(), numbers.min(1))
        np.testing.assert_array_equal(total.numpy(), numbers.sum(1, np.float64))


@pytest.mark.parametrize("count", [2, 7, 8, 9, 10, 15, 16, 17, 33, 100])
def test_one_nan_anywhere_is_the_maximum(count: int) -> None:
    given = np.arange(count * count, dtype=np.float32).reshape(count, count)
    np.fill_diagonal(given, np.nan)
    assert np.isnan(Tensor(given).max(1).numpy()).all()
    assert np.isnan(Tensor(-given).min(1).numpy()).all()


@pytest.mark.parametrize("count", [1, 2, 5, 7, 8, 9, 10, 15, 16, 17, 31, 40, 100, 1000])
@pytest.mark.parametrize("rows", [1, 3, 64])
def test_softmax_of_short_and_odd_rows(rows: int, count: int, rng: np.random.Generator) -> None:
    given = rng.standard_normal((rows, count)).astype(np.float32) * 10
    exact = given.astype(np.float64)
    powers = np.exp(exact - exact.max(1, keepdims=True))
    x = Tensor(given)
    sums = powers.sum(1, keepdims=True)
    np.testing.assert_allclose(x.softmax(1).numpy(), powers / sums, 3e-6, 1e-30)
    logs = np.log(sums) + exact.max(1, keepdims=True)
    np.testing.assert_allclose(x.logsumexp(1).numpy(), logs[:, 0], 1e-6, 1e-6)
    np.testing.assert_allclose(x.log_softmax(1).numpy(), exact - logs, 1e-5, 1e-5)
