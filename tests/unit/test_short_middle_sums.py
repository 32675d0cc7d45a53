"""Reductions whose results are neighbours: short ones, second looks at rows, elements picked."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Context, Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.ir.ops import Ops

TARGETS = ["C", "C_AVX2", "C_NEON", "C_SSE"]


def small(*shape: int, seed: int = 0) -> np.ndarray:
    """Whole numbers, of which sums and products are exact."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


def held(*shape: int, dtype: str = "f32") -> Tensor:
    """A tensor in memory."""
    return Tensor.zeros(*shape, dtype=dtype).contiguous().realize()


def program(value: Tensor, target: str = "C"):
    return lower_kernel(value.schedule()[-1].ast, target)


# ---- short reductions ----------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(5, 8, 64), (3, 13, 100), (2, 2, 17), (4, 16, 1), (1, 7, 33)])
@pytest.mark.parametrize("method", ["sum", "prod", "max", "min"])
def test_values_along_a_short_middle_axis(shape: tuple[int, ...], method: str) -> None:
    x = small(*shape)
    with Context(VERIFY=1):
        found = getattr(Tensor(x), method)(1).numpy()
    np.testing.assert_array_equal(found, getattr(x, method)(1))


@pytest.mark.parametrize("kind", ["f64", "bf16", "f16", "i8", "i64", "bool"])
def test_of_every_width(kind: str) -> None:
    x = small(6, 8, 40)
    with Context(VERIFY=1):
        found = Tensor(x).cast(kind).max(1).cast("f32").numpy()
    np.testing.assert_array_equal(found, (x != 0).max(1) if kind == "bool" else x.max(1))


@pytest.mark.parametrize("shape", [(5, 8, 64), (3, 13, 100), (2, 2, 17), (4, 16, 1), (3, 900, 1)])
@pytest.mark.parametrize("dtype", ["f32", "f64", "i32", "u8"])
@pytest.mark.parametrize("axis", [0, 1])
def test_one_short_reduction_of_another(shape: tuple[int, ...], dtype: str, axis: int) -> None:
    """A place of the largest asks for the largest, a variance for the mean."""
    x = np.random.default_rng(1).integers(0, 4, shape)
    value = Tensor(x).cast(dtype)
    with Context(VERIFY=1):
        np.testing.assert_array_equal(value.argmax(axis).numpy(), x.argmax(axis))
        np.testing.assert_array_equal(value.argmin(axis).numpy(), x.argmin(axis))
        if dtype[0] == "f":
            exact = x.var(axis, ddof=1) if shape[axis] > 1 else np.full(x.sum(axis).shape, np.nan)
            np.testing.assert_allclose(value.var(axis).numpy(), exact, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", ["C", "C_AVX2", "C_NEON"])
def test_these_are_vectors_of_results(target: str) -> None:
    x = held(4, 10, 4096)
    for value in (x.argmax(1), x.argmin(1), x.var(1)):
        made = program(value, target)
        assert "simd(" in made.choices
        assert [n for n in made.uops if n.op is Ops.STORE and n.src[1].dtype.count > 1]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("method", ["sum", "prod", "max"])
def test_results_that_are_neighbours_are_vectors(target: str, method: str) -> None:
    chosen = program(getattr(held(256, 8, 64), method)(1), target)
    assert chosen.choices.startswith("unroll(r2); simd(r1)")
    assert "#pragma omp simd" not in chosen.source


@pytest.mark.parametrize("target", TARGETS)
def test_a_short_sum_of_much_is_a_loop(target: str) -> None:
    """A compiler took seconds for a function of so many expressions."""

    def counts(tags: list[np.ndarray]) -> Tensor:
        places = Tensor(np.arange(20))
        hits = [Tensor(tag).unsqueeze(1).eq(places).where(1.0, 0.0) for tag in tags]
        return sum(hits[1:], hits[0]).sum(0)

    tags = [np.random.default_rng(k).integers(0, 20, 16) for k in range(90)]
    few, many = program(counts(tags[:3]), target), program(counts(tags), target)
    assert "unroll" in few.choices
    assert "unroll" not in many.choices
    assert len(many.source) < 30 * len(few.source)
    expected = np.bincount(np.concatenate(tags), minlength=20)
    np.testing.assert_array_equal(counts(tags).numpy(), expected.astype(np.float32))


def test_results_whose_values_are_neighbours_are_none() -> None:
    """Each vector of results would be picked from as many places as it has lanes."""
    assert program(held(100_000, 5).sum(1)).choices == "unroll(r1); thread(r0)"


# ---- second looks --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["var", "argmax"])
def test_rows_that_are_looked_at_again_are_read_side_by_side(method: str) -> None:
    chosen = program(getattr(held(4096, 1024), method)(0)).choices
    assert chosen.count("unroll") == 2, chosen


@pytest.mark.parametrize("rows", [64, 97, 2048])
@pytest.mark.parametrize("columns", [24, 96, 1030])
def test_values_of_second_looks(rows: int, columns: int) -> None:
    x = np.random.default_rng(rows).integers(-50, 50, (rows, columns)).astype(np.float32)
    t = Tensor(x)
    np.testing.assert_array_equal(t.argmax(0).numpy(), x.argmax(0))
    np.testing.assert_array_equal(t.argmin(1).numpy(), x.argmin(1))
    exact = x.astype(np.float64).var(0, ddof=1)
    np.testing.assert_allclose(t.var(0).numpy(), exact, rtol=1e-5)


# ---- places of extremes --------------------------------------------------------------------------


@pytest.mark.parametrize("kind, of_place", [("f32", "i32"), ("i8", "i32"), ("f64", "i64")])
def test_places_are_counted_as_widely_as_values(kind: str, of_place: str) -> None:
    found = held(40, 50, dtype=kind).argmax(1)
    counts = {n.dtype.name for n in found.uop.toposort() if n.op is Ops.IOTA}
    assert counts == {of_place} and found.dtype.name == "i64"


def test_places_beyond_32_bits_are_counted_in_64() -> None:
    found = Tensor.empty(2**31 + 1, dtype="i8").argmax()
    assert {n.dtype.name for n in found.uop.toposort() if n.op is Ops.IOTA} == {"i64"}


@pytest.mark.parametrize("kind", ["f32", "f64", "bf16", "f16", "i8", "u8", "i64", "bool"])
def test_the_first_extreme_of_every_kind(kind: str) -> None:
    x = small(37, 21)
    t, numbers = Tensor(x).cast(kind), Tensor(x).cast(kind).cast("f64").numpy()
    for axis in (0, 1):
        np.testing.assert_array_equal(t.argmax(axis).numpy(), numbers.argmax(axis))
        np.testing.assert_array_equal(t.argmin(axis).numpy(), numbers.argmin(axis))


def test_the_first_nan_is_the_extreme() -> None:
    x = small(64, 48)
    x[40, 5] = x[41, 5] = x[3, 47] = np.nan
    np.testing.assert_array_equal(Tensor(x).argmax(0).numpy(), x.argmax(0))
    np.testing.assert_array_equal(Tensor(x).argmin(1).numpy(), x.argmin(1))


# ---- extremes of narrow floats -------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bf16", "f16", "fp8e5m2"])
def test_extremes_of_narrow_floats(kind: str) -> None:
    x = small(300, 40)
    x[7, 3], x[8, 4], x[9, 5] = np.nan, np.inf, -np.inf
    t = Tensor(x).cast(kind)
    for axis in (0, 1):
        np.testing.assert_array_equal(t.max(axis).cast("f32").numpy(), x.max(axis))
        np.testing.assert_array_equal(t.min(axis).cast("f32").numpy(), x.min(axis))
        running = np.maximum.accumulate(x, axis)
        np.testing.assert_array_equal(t.cummax(axis)[0].cast("f32").numpy(), running)


def test_extremes_of_narrow_floats_are_rounded_once() -> None:
    source = program(held(2048, 1024, dtype="bf16").max(0)).source
    assert "float acc" in source
    stored = [line for line in source.splitlines() if " = bf16_of_f32x16(" in line]
    assert len(stored) == 1, "where the result is stored"


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("to", ["i8", "u8", "i16", "u16"])
def test_short_integers_of_floats_are_the_nearest_bounds(kind: str, to: str) -> None:
    parts = [0, -0.0, 0.5, -0.5, 1.5, -1.5, 1e-40, 1e9, -1e9, np.inf, -np.inf, np.nan]
    for power in (2**7, 2**8, 2**15, 2**16):
        parts += [s * (power + d) for s in (1, -1) for d in (-1.5, -1, -0.5, 0, 0.5, 1)]
    x = np.resize(np.array(parts, kind.replace("f", "float")), 512)
    bounds = np.iinfo(to.replace("i", "int").replace("u", "uint"))
    wanted = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0)).clip(bounds.min, bounds.max)
    np.testing.assert_array_equal(Tensor(x).cast(to).numpy(), wanted.astype(bounds.dtype))


# ---- what is picked ------------------------------------------------------------------------------


def test_elements_that_are_picked_one_by_one_are_a_plain_loop() -> None:
    x, at = held(512, 1024), held(512, 1024, dtype="i64")
    assert program(x.gather(1, at)).choices == "thread(r0)"
    assert program(held(9000).take(held(90000, dtype="i64"))).choices == "thread(r0)"


def test_those_that_may_be_left_out_stay_vectors() -> None:
    """A processor would have to guess which."""
    x, at, new = held(64, 256), held(64, 256, dtype="i64"), held(64, 256)
    assert "simd(r1)" in program(x.scatter(1, at, new)).choices


def test_so_do_those_of_which_costly_functions_are_computed() -> None:
    x, at = held(512, 1024), held(512, 1024, dtype="i64")
    assert "simd(r1)" in program(x.gather(1, at).exp()).choices


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_values_that_are_picked(size: int) -> None:
    x = small(33, 50)
    at = np.random.default_rng(1).integers(-50, 50, (33, size))
    found = Tensor(x).gather(1, Tensor(at)).numpy()
    np.testing.assert_array_equal(found, np.take_along_axis(x, at % 50, 1))
    np.testing.assert_array_equal(Tensor(x)[:, Tensor(at[0])].numpy(), x[:, at[0]])


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_rows_near_by_and_what_is_picked_of_them_are_vectors(mode: str) -> None:
    x = small(8, 32, 32, 32)
    value = Tensor(x).interpolate(scale_factor=2, mode=mode)
    assert "simd(r3); simd(r4)" in program(value).choices
    if mode == "nearest":
        np.testing.assert_array_equal(value.numpy(), x.repeat(2, 2).repeat(2, 3))


def test_channels_of_their_own_in_one_dimension_are_vectors() -> None:
    x, w = held(8, 32, 1000), held(32, 1, 3)
    assert "#pragma omp simd" not in program(x.conv1d(w, groups=32)).source
    a, b = small(2, 5, 40), small(5, 1, 3, seed=1)
    under = np.lib.stride_tricks.sliding_window_view(a, 3, 2)
    wanted = np.einsum("nctj,cj->nct", under, b[:, 0])
    with Context(VERIFY=1):
        found = Tensor(a).conv1d(Tensor(b), groups=5).numpy()
    np.testing.assert_array_equal(found, wanted)
