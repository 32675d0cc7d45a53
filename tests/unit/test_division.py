"""Quotients, remainders and powers of vectors, where the last digit is the hardest."""

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel

INTS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
DIVISORS = [3, 5, 7, 9, 10, 13, 25, 41, 97, 100, 127, 641, 12345, 32767, 65537, 1000003, 715827883]


def limits(name):
    dtype = Tensor([1], name).numpy().dtype
    return dtype, np.iinfo(dtype)


def around_multiples(rng, info, by):
    """Whole multiples of a number, and those before and after them, as far as they fit."""
    counts = rng.integers(0, int(info.max) // by + 1, 500, np.uint64).astype(object)
    all_of = np.concatenate([counts * by + step for step in (-1, 0, 1)])
    return np.clip(all_of, int(info.min), int(info.max))


@pytest.mark.parametrize("name", INTS)
def test_division_by_constants_rounds_down(name, rng):
    dtype, info = limits(name)
    results, wanted = [], []
    bound = int(info.max)
    for divisor in [d for d in DIVISORS if d <= bound] + [bound, bound - 1, bound // 2, bound // 3]:
        numbers = around_multiples(rng, info, divisor).astype(dtype)
        numbers = np.concatenate([numbers, [dtype.type(info.min), dtype.type(info.max)]])
        for by in (divisor, -divisor) if info.min < 0 else (divisor,):
            x = Tensor(numbers)
            results += [x // by, x % by]
            wanted += [numbers // dtype.type(by), numbers % dtype.type(by)]
    Tensor.realize(*results)
    for result, right in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(result.numpy(), right)


@pytest.mark.parametrize("name", INTS)
def test_division_by_tensors_rounds_down(name, rng):
    dtype, info = limits(name)
    bits = 8 * dtype.itemsize - (info.min < 0)
    divisors = [int(2.0 ** rng.uniform(0, bits - 0.01)) or 1 for _ in range(40)]
    numbers = np.concatenate([around_multiples(rng, info, d) for d in divisors]).astype(dtype)
    by = np.repeat(np.array(divisors, dtype), 1500)
    if info.min < 0:
        by *= rng.choice(np.array([-1, 1], dtype), len(by))
    x, y = Tensor(numbers), Tensor(by)
    np.testing.assert_array_equal((x // y).numpy(), numbers // by)
    np.testing.assert_array_equal((x % y).numpy(), numbers % by)


def floats(rng, dtype, count):
    """Of all sizes that matter, of both signs."""
    return (rng.standard_normal(count) * 10.0 ** rng.integers(-6, 8, count)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_remainders_of_floats_are_exact(dtype, rng):
    count = 20_000
    y = floats(rng, dtype, count)
    multiples = (rng.integers(1, 1 << 24, count) * y).astype(dtype)
    bits = rng.integers(0, 1 << 63, count, np.uint64).view(
        np.float64 if dtype == np.float64 else "f4"
    )
    x = np.concatenate(
        [floats(rng, dtype, count), multiples, np.nextafter(multiples, dtype(0)), bits]
    )
    y = np.concatenate([y, y, y, rng.permutation(bits)])
    with np.errstate(all="ignore"):
        right = np.fmod(x, y)
    found = Tensor(x).fmod(Tensor(y)).numpy()
    np.testing.assert_array_equal(found, right)
    known = ~np.isnan(right)
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(right[known]))


def test_powers_are_within_one_unit_of_the_last_place(rng):
    tops = np.finfo(np.float32)
    special = [0, 1, 0.5, 1.5, 2, 3, 5, 0.1, 1e10, tops.max, tops.tiny, tops.smallest_subnormal]
    special += [
        2**24,
        2**24 + 2,
        16777215,
        1 - tops.eps / 2,
        1 + tops.eps,
        1e-40,
        127,
        149.5,
        np.inf,
    ]
    both = np.array([*special, *(-x for x in special), np.nan], np.float32)
    x, y = (m.ravel() for m in np.meshgrid(both, both))
    near = 1 + rng.standard_normal(20_000) * 1e-5
    x = np.concatenate([x, floats(rng, np.float32, 50_000), near.astype(np.float32)])
    whole = rng.integers(-9, 9, 25_000)
    y = np.concatenate([y, rng.standard_normal(25_000) * 9, whole, near * 1e6]).astype(np.float32)
    with np.errstate(all="ignore"):
        right = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    found = (Tensor(x) ** Tensor(y)).numpy()
    np.testing.assert_array_equal(np.isnan(found), np.isnan(right))
    known = ~np.isnan(right)
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(right[known]))
    steps = [a.view(np.int32)[known].astype(np.int64) for a in (found, right)]
    assert np.abs(steps[0] - steps[1]).max() <= 1


DIVIDED = {
    "quotients": (lambda x, y: x // y, ["f32", "f64", "i8", "i32", "u8", "i64"]),
    "remainders": (lambda x, y: x % y, ["f32", "f64", "i8", "i32", "u8", "i64"]),
    "powers": (lambda x, y: x**y, ["f32"]),
}


@pytest.mark.parametrize(("name", "dtype"), [(n, d) for n, (_, ds) in DIVIDED.items() for d in ds])
def test_what_divides_goes_by_vectors(name, dtype):
    x, y = (Tensor(np.full(4096, n), dtype).realize() for n in (7, 3))
    [kernel] = DIVIDED[name][0](x, y).schedule()
    source = lower_kernel(kernel.ast, "C").source
    assert "simd" not in source
    assert f"*({dtype}x" in source


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_quotient_that_is_zero_has_the_sign_of_the_exact_one(dtype):
    edges = np.array([0.0, -0.0, 1, -1, 2.5, -7, 1e-30, -1e-30, np.inf, -np.inf, np.nan], dtype)
    a, b = (array.reshape(-1) for array in np.meshgrid(edges, edges))
    with np.errstate(all="ignore"):
        cases = [(Tensor(a) // Tensor(b), a // b)]
        for by in (3.0, -3.0, 0.5, -0.0):
            cases += [(Tensor(edges) // by, edges // edges.dtype.type(by))]
    for got, want in cases:
        np.testing.assert_array_equal(got.numpy(), want)
        known = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got.numpy())[known], np.signbit(want)[known])


def test_gradients_of_quotients_that_are_zero_are_zero():
    x = Tensor([-0.0, 0.5, 2.0], requires_grad=True)
    (x // 3).sum().backward()
    assert x.grad.tolist() == [0, 0, 0]
