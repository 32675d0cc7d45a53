"""Products by tiles of a CPU: values beside numpy, copies in their order, what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Context, Tensor, jit
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.errors import StageError, UsageError
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops
from rulewright.ir.text import print_graph, read_graph
from rulewright.lang.layouts import read_layout
from rulewright.render import target
from rulewright.runtime.compiler import defined_macros, find_compiler
from rulewright.runtime.device import Device

NAME = "C_AMX"
SUMS = {"bf16": "f32", "i8": "i32", "u8": "i32"}
SIZES = [(16, 16, 64), (37, 41, 70), (511, 37, 513), (513, 511, 37), (40, 33, 1100)]
native = pytest.mark.skipif(
    Device["C"].target != NAME, reason="this processor, its system or the compiler has no tiles"
)


def given(rng, shape, dtype, turned=False):
    """Random numbers, perhaps of a transposed view, and the same in float64."""
    shape = (*shape[:-2], shape[-1], shape[-2]) if turned else shape
    if dtype == "bf16":
        tensor = Tensor(rng.standard_normal(shape).astype(np.float32)).cast(dtype).realize()
    else:
        ends = (-128, 128) if dtype == "i8" else (0, 256)
        kind = {"i8": np.int8, "u8": np.uint8}[dtype]
        tensor = Tensor(rng.integers(*ends, shape).astype(kind)).realize()
    tensor = tensor.mT if turned else tensor
    return tensor, tensor.numpy().astype(np.float64)


def has_dots():
    """Whether this processor has dot products of both dtypes."""
    words = target("C_DOT").text("processor").pieces[0].split()
    return defined_macros(find_compiler()).issuperset(words)


def takes_tiles(*tensors):
    """Whether the kernels that compute tensors multiply by tiles."""
    kernels = [kernel for t in tensors for kernel in t.schedule()]
    return any("tile_mma" in lower_kernel(kernel.ast, NAME).source for kernel in kernels)


def is_near(made, wanted, dtype, length=512):
    if SUMS[dtype] == "i32":
        np.testing.assert_array_equal(made, wanted)
    else:
        np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=2e-6 * length**0.5)


# ---- values on the processor -------------------------------------------------------------------


@native
@pytest.mark.parametrize("dtype", SUMS)
@pytest.mark.parametrize("sizes", SIZES)
def test_products_of_any_size_and_order_are_those_of_numpy(rng, dtype, sizes):
    m, n, k = sizes
    for left, right in itertools.product((False, True), repeat=2):
        x, a = given(rng, (m, k), dtype, left)
        y, b = given(rng, (k, n), dtype, right)
        made = x.matmul(y, dtype=SUMS[dtype])
        assert takes_tiles(made)
        is_near(made.numpy(), a @ b, dtype, k)


@native
@pytest.mark.parametrize("sizes", [(0, 5, 7), (5, 0, 7), (5, 7, 0), (1, 1, 1), (1, 37, 511)])
@pytest.mark.parametrize("dtype", SUMS)
def test_products_too_small_for_tiles_go_without(rng, dtype, sizes):
    m, n, k = sizes
    (x, a), (y, b) = given(rng, (m, k), dtype), given(rng, (k, n), dtype)
    made = x.matmul(y, dtype=SUMS[dtype])
    assert not takes_tiles(made)
    is_near(made.numpy(), a @ b, dtype)


@native
def test_what_follows_a_product_is_done_in_its_kernel(rng):
    (x, a), (y, b) = given(rng, (70, 200), "bf16"), given(rng, (200, 90), "bf16")
    (bias, c), (rest, d) = given(rng, (90,), "bf16"), given(rng, (70, 90), "bf16")
    made = (x.matmul(y, dtype="f32") + bias).relu() * 2 + rest
    assert takes_tiles(made) and len(made.schedule()) == 1
    is_near(made.numpy(), np.maximum(a @ b + c, 0) * 2 + d, "bf16", 2000)
    (x, a), (y, b) = given(rng, (70, 200), "i8"), given(rng, (200, 90), "i8")
    made = (x.matmul(y, dtype="i32") >> 3).clamp(-99, 99).cast("i8")
    assert takes_tiles(made) and len(made.schedule()) == 1
    wanted = np.clip((a @ b).astype(np.int64) >> 3, -99, 99)
    np.testing.assert_array_equal(made.numpy(), wanted)


@native
@pytest.mark.parametrize("dtype", SUMS)
def test_batches_of_products(rng, dtype):
    (x, a), (y, b) = given(rng, (3, 37, 70), dtype), given(rng, (3, 70, 33), dtype)
    (z, c) = given(rng, (70, 33), dtype)
    for right, wanted in ((y, a @ b), (z, a @ c)):
        made = x.matmul(right, dtype=SUMS[dtype])
        assert takes_tiles(made)
        is_near(made.numpy(), wanted, dtype)


@native
def test_a_step_of_several_products_in_a_captured_function(rng):
    (x, a), (y, b) = given(rng, (64, 96), "bf16"), given(rng, (96, 64), "bf16")

    @jit
    def step(x, y):
        return (x @ y @ x).realize()

    wanted = x.numpy().astype("f8") @ b
    for _ in range(4):
        made = step(x, y).numpy().astype("f8")
    np.testing.assert_allclose(made, wanted @ a, rtol=0.03, atol=1.5)


@native
def test_mixed_dtypes_are_multiplied_in_one_that_holds_both(rng):
    (x, a), (y, b) = given(rng, (33, 70), "i8"), given(rng, (70, 40), "u8")
    made = x.matmul(y, dtype="i32")
    np.testing.assert_array_equal(made.numpy(), a @ b)
    (z, c) = given(rng, (70, 40), "bf16")
    other = Tensor(a.astype(np.float32))
    is_near(other.matmul(z, dtype="f32").numpy(), a @ c, "bf16", 70 * 128**2)


@native
def test_sums_of_bytes_wrap_around():
    """-128 * -128 * 2**17 is 2**31, which i32 has no number for."""
    x = Tensor.full((16, (1 << 17) + 64), -128, dtype="i8").contiguous().realize()
    y = Tensor.full(((1 << 17) + 64, 16), -128, dtype="i8").contiguous().realize()
    made = x.matmul(y, dtype="i32")
    assert takes_tiles(made)
    assert (made.numpy() == (1 << 31) + 64 * 128**2 - (1 << 32)).all()


@native
def test_infinities_and_nan_come_out_as_from_numpy(rng):
    (x, a), (y, b) = given(rng, (37, 70), "bf16"), given(rng, (70, 41), "bf16")
    a[3, 4], a[5, 69], b[7, 2], b[9, 40] = np.inf, np.nan, -np.inf, np.inf
    x, y = (Tensor(v.astype(np.float32)).cast("bf16").realize() for v in (a, b))
    with np.errstate(invalid="ignore"):
        is_near(x.matmul(y, dtype="f32").numpy(), a @ b, "bf16")


@native
def test_what_is_nearer_to_zero_than_any_normal_number_may_count_as_zero(rng):
    """As MMA says: each product of a subnormal operand is there or is not."""
    tiny, large = np.float32(2.0**-130), np.float32(2.0**120)
    a = np.where(rng.random((32, 64)) < 0.5, tiny, np.float32(1))
    x = Tensor(a).cast("bf16").realize()
    y = Tensor.full((64, 32), float(large), dtype="bf16").contiguous().realize()
    made = x.matmul(y, dtype="f32").numpy()
    least = np.where(a == tiny, 0, a).astype("f8").sum(1, keepdims=True) * large
    most = a.astype("f8").sum(1, keepdims=True) * large
    assert takes_tiles(x.matmul(y, dtype="f32"))
    assert (made >= least * (1 - 1e-6)).all() and (made <= most * (1 + 1e-6)).all()


# ---- dot products ------------------------------------------------------------------------------


@pytest.fixture
def dots(monkeypatch):
    """The device C takes the target with dot products."""
    if not has_dots():
        pytest.skip("this processor has no dot products of bfloat16, or of i16")
    monkeypatch.setattr("rulewright.runtime.c.vector_target", lambda _: "C_DOT")


@pytest.mark.parametrize("dtype", SUMS)
@pytest.mark.parametrize("sizes", [(15, 36, 71), (129, 65, 1101)])
def test_dot_products_of_any_size_and_order_are_those_of_numpy(dots, rng, dtype, sizes):
    m, n, k = sizes
    for left, right in itertools.product((False, True), repeat=2):
        (x, a), (y, b) = given(rng, (m, k), dtype, left), given(rng, (k, n), dtype, right)
        made = x.matmul(y, dtype=SUMS[dtype]) + 1
        [kernel] = made.schedule()
        assert "  dot_" in kernel.lower().source
        is_near(made.numpy(), a @ b + 1, dtype, k)


@native
def test_bytes_with_and_without_sign_meet_in_a_dot_product(rng):
    (x, a), (y, b) = given(rng, (39, 70), "i8"), given(rng, (70, 40), "u8")
    made = x.matmul(y, dtype="i32")
    [kernel] = made.schedule()
    assert "  dot_i16" in kernel.lower().source
    np.testing.assert_array_equal(made.numpy(), a @ b)


@pytest.mark.parametrize("sizes", [(48, 70, 64), (77, 33, 130), (9, 40, 4098), (1030, 65, 34)])
def test_rows_that_lie_as_dot_products_want_them_are_not_copied(dots, rng, sizes):
    m, n, k = sizes
    (x, a), (y, b) = given(rng, (m, k), "bf16"), given(rng, (k, n), "bf16")
    (wide, c), (batch, d) = given(rng, (m, k + 9), "bf16"), given(rng, (2, m, k), "bf16")
    for left, wanted in ((x, a @ b), (wide[:, 5:-4], c[:, 5:-4] @ b), (batch, d @ b)):
        made = left.matmul(y, dtype="f32")
        [kernel] = made.schedule()
        program = kernel.lower()
        assert program.choices.count("pack(") == 1
        assert "dot_bf16(&acc" in program.source and "&data1[" in program.source
        is_near(made.numpy(), wanted, "bf16", k)


@pytest.mark.parametrize("sizes", [(128, 64, 1536), (128, 100, 768), (192, 33, 768)])
def test_threads_share_rows_where_columns_are_few(rng, sizes):
    m, n, k = sizes
    [kernel] = (given(rng, (m, k), "bf16")[0] @ given(rng, (k, n), "bf16")[0]).schedule()
    assert "thread(" in lower_kernel(kernel.ast, "C_DOT").choices


@pytest.mark.parametrize("sizes", [(47, 70, 64), (48, 70, 65), (2 * 521, 48, 34)])
def test_other_rows_are_copied(dots, rng, sizes):
    """Those of a prime number, an odd length, or another order; what is computed; bytes."""
    m, n, k = sizes
    (x, a), (y, b) = given(rng, (m, k), "bf16"), given(rng, (k, n), "bf16")
    (turned, c), (small, d) = given(rng, (48, 64), "bf16", True), given(rng, (48, 64), "i8")
    (right, e), (bytes_right, f) = given(rng, (64, 33), "bf16"), given(rng, (64, 33), "i8")
    cases = [
        (x, y, a @ b), (turned, right, c @ e), (turned.mT.exp2().mT, right, None),
        (small, bytes_right, d @ f),
    ]  # fmt: skip
    for left, other, wanted in cases:
        dtype = "i8" if left is small else "bf16"
        made = left.matmul(other, dtype=SUMS[dtype])
        program = made.schedule()[-1].lower()
        assert "&data1[" not in program.source
        if wanted is not None:
            is_near(made.numpy(), wanted, dtype, k)


def test_pairs_of_the_lowest_i16_wrap_around(dots):
    x = Tensor.full((16, 64), -(2**15), dtype="i16").contiguous().realize()
    y = Tensor.full((64, 16), -(2**15), dtype="i16").contiguous().realize()
    made = x.matmul(y, dtype="i32")
    assert "  dot_i16" in made.schedule()[0].lower().source
    assert (made.numpy() == 0).all()  # 64 times 2**30 is 2**36


# ---- the lowered program, on any machine -------------------------------------------------------


def program(rng, dtype="bf16", sizes=(33, 37, 70), turned=(False, False), name=NAME):
    """The last stage of a product for tiles, arrays for its buffers, and what it should compute."""
    m, n, k = sizes
    (x, a), (y, b) = (
        given(rng, (m, k), dtype, turned[0]), given(rng, (k, n), dtype, turned[1])
    )  # fmt: skip
    [kernel] = x.matmul(y, dtype=SUMS[dtype]).schedule()
    *_, (_, last) = lowering_stages(kernel.ast, name)
    out = np.zeros(m * n, "f4" if dtype == "bf16" else "i4")
    flat = [v.mT.numpy() if t else v.numpy() for v, t in ((x, turned[0]), (y, turned[1]))]
    return last, [out, *(np.ascontiguousarray(v).reshape(-1) for v in flat)], a @ b


@pytest.mark.parametrize(
    ("turned", "dtype", "name"),
    in_pairs([*itertools.product((False, True), repeat=2)], SUMS, [NAME, "C_DOT"]),
)
def test_the_interpreter_computes_the_program(rng, dtype, turned, name):
    last, arrays, wanted = program(rng, dtype, turned=turned, name=name)
    assert Ops.MMA in {node.op for node in last.src}
    run_kernel(last, arrays)
    is_near(arrays[0].reshape(wanted.shape), wanted, dtype)


def test_swapped_lanes_of_a_layout_are_noticed(rng):
    last, arrays, wanted = program(rng, sizes=(32, 32, 64))
    core = target(NAME).row["cores"][0]
    a, b, c = (core[which] for which in "abc")
    wrong = {
        "a pair": (a, b.replace(" k1 ", " _ ").replace(" k2 ", " k1 ").replace("_", "k2"), c),
        "rows": (a, b, c.replace(" m1 ", " _ ").replace(" m2 ", " m1 ").replace("_", "m2")),
    }
    for texts in wrong.values():
        changes = {n: n.replace(arg=texts) for n in last.src if n.op is Ops.MMA}
        run_kernel(last.substitute(changes), arrays)
        assert np.abs(arrays[0].reshape(wanted.shape) - wanted).max() > 0.1
    run_kernel(last, arrays)
    is_near(arrays[0].reshape(wanted.shape), wanted, "bf16")


@pytest.mark.parametrize("sizes", [(33, 37, 70), (40, 33, 1100)])
def test_each_stage_keeps_its_meaning_and_prints_as_text_that_reads_back(rng, sizes):
    m, n, k = sizes
    (x, _), (y, _) = given(rng, (m, k), "bf16"), given(rng, (k, n), "bf16")
    [kernel] = (x.matmul(y, dtype="f32") + 1).schedule()
    with Context(VERIFY=2):
        lower_kernel(kernel.ast, NAME)
    for _, graph in lowering_stages(kernel.ast, NAME):
        assert read_graph(print_graph(graph)) is graph


def test_copies_have_vectors_and_no_loop_for_each_element(rng):
    for dtype, turned in itertools.product(SUMS, itertools.product((False, True), repeat=2)):
        x, _ = given(rng, (64, 128), dtype, turned[0])
        y, _ = given(rng, (128, 64), dtype, turned[1])
        [kernel] = x.matmul(y, dtype=SUMS[dtype]).schedule()
        source = lower_kernel(kernel.ast, NAME).source
        assert "omp simd" not in source and "unroll 16" not in source, (dtype, turned)


def test_targets_without_tiles_stay_as_they_are(rng):
    (x, _), (y, _) = given(rng, (64, 64), "bf16"), given(rng, (64, 64), "bf16")
    [kernel] = x.matmul(y, dtype="f32").schedule()
    assert "tile" not in lower_kernel(kernel.ast, "C").source
    assert "tc(" not in lower_kernel(kernel.ast, "C").choices


# ---- what is refused ---------------------------------------------------------------------------

CUT = "r3, r4 = split(r0, 16); r5, r6 = split(r1, 16); r7, r8 = split(r2, 32); tc(r4, r6, r8)"


def test_more_tiles_than_registers_are_refused(rng):
    (x, _), (y, _) = given(rng, (96, 64), "bf16"), given(rng, (64, 96), "bf16")
    many = x.matmul(y, dtype="f32").contiguous(arg=f"{CUT}; upcast(r3); upcast(r5)")
    [kernel] = many.schedule()
    with pytest.raises(StageError, match="adds to 4 registers, and more are needed"):
        lower_kernel(kernel.ast, NAME)


def test_sizes_that_no_tile_has_are_refused(rng):
    (x, _), (y, _) = given(rng, (96, 64), "bf16"), given(rng, (64, 96), "bf16")
    few = x.matmul(y, dtype="f32").contiguous(arg=CUT.replace("r2, 32", "r2, 16"))
    [kernel] = few.schedule()
    with pytest.raises(
        UsageError, match=r"multiply \(16, 16, 32\) of bf16 .* found \(16, 16, 16\)"
    ):
        lower_kernel(kernel.ast, NAME)


def test_a_choice_without_copies_computes_the_same(rng):
    (x, a), (y, b) = given(rng, (50, 70), "bf16"), given(rng, (70, 40), "bf16")
    [kernel] = x.matmul(y, dtype="f32").contiguous(arg=CUT).schedule()
    *_, (_, last) = lowering_stages(kernel.ast, NAME)
    arrays = [np.zeros(2000, "f4"), x.numpy().reshape(-1), y.numpy().reshape(-1)]
    run_kernel(last, arrays)
    is_near(arrays[0].reshape(50, 40), a @ b, "bf16")


# ---- layouts -----------------------------------------------------------------------------------


def test_each_place_is_the_element_of_its_number():
    for core in target(NAME).row["cores"]:
        for which, (first, second) in {"a": "mk", "b": "kn", "c": "mn"}.items():
            layout = read_layout(core[which])
            items = np.arange(layout.items)
            places = {axis: layout.place(axis, 0, items) for axis in (first, second)}
            assert (layout.number(places) == items).all()


def test_layouts_are_those_of_the_instruction():
    """TDPBF16PS: the second of a pair in row 3, column 5 of b is the number 2 * 3 + 1 of a sum."""
    layout = read_layout(target(NAME).row["cores"][0]["b"])
    assert layout.number({"k": 7, "n": 5}) == 3 * 32 + 5 * 2 + 1
