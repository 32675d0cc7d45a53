"""Tensor cores that read memory of a workgroup: values, layouts, refusals."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from arrays import as_dtype
from emulated_kernels import launch
from staged_products import with_lanes

from rulewright import Context, Tensor
from rulewright.codegen import lower
from rulewright.codegen.lower import lower_kernel, lowering_stages, write_kernel
from rulewright.errors import CompileError, DeviceRuntimeError, InterpreterError, UsageError
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops
from rulewright.ir.text import print_graph, read_graph
from rulewright.lang.layouts import read_layout, read_memory_layout
from rulewright.render import memory, target
from rulewright.render.memory import _distances as distances

DEVICE = "CUDA_SM90_EMULATED"
TYPES = ("f16", "bf16", "fp8e4m3", "fp8e5m2", "i8", "u8")
DEPTHS = {"f16": 64, "bf16": 64, "i8": 128, "u8": 128, "tf32": 32, "fp8e4m3": 64, "fp8e5m2": 64}


ONE_ROUND = (
    "r3, r4 = split(r0, 64); r5, r6 = split(r1, 128); r9, r10 = pack(r4, r2); local(r9); "
    "r11, r12 = pack(r2, r6); local(r11); global(r3); global(r5); tc(r4, r6, r2)"
)


def given(rng, shape, dtype, turned):
    """Whole numbers as the transposed of what lies in memory, or not, and the same in float64."""
    array = rng.integers(0 if dtype == "u8" else -8, 9, shape[::-1] if turned else shape)
    tensor = Tensor(as_dtype(array, dtype)).to(DEVICE).realize()
    return (tensor.T, array.T.astype("f8")) if turned else (tensor, array.astype("f8"))


def choices(depth, unit, turned=(False, False)):
    """A kernel of blocks of 64 by 128 for sizes that are larger: copies, of units at once if those
    have several elements, along what lies beside each other."""
    left = "r9, r10 = pack(r8, r4)" if turned[0] else "r9, r10 = pack(r4, r8)"
    right = "r13, r14 = pack(r6, r8)" if turned[1] else "r13, r14 = pack(r8, r6)"
    units = f"r11, r12 = split(r10, {unit}); local(r11); vector(r12)", "local(r10)"
    more = f"r15, r16 = split(r14, {unit}); local(r15); vector(r16)", "local(r14)"
    return (
        f"r3, r4 = split(r0, 64); r5, r6 = split(r1, 128); r7, r8 = split(r2, {depth}); "
        f"{left}; local(r9); {units[unit == 1]}; {right}; local(r13); {more[unit == 1]}; "
        "global(r3); global(r5); tc(r4, r6, r8)"
    )


def product(rng, dtype, shape, turned=(False, False), unit=1):
    """A product by such choices, and what numpy says of it."""
    m, n, k = shape
    (x, a), (y, b) = given(rng, (m, k), dtype, turned[0]), given(rng, (k, n), dtype, turned[1])
    made = x.matmul(y, dtype="i32" if dtype in ("i8", "u8") else "f32")
    return made.contiguous(arg=choices(DEPTHS[dtype], unit, turned)), a @ b


def source(made, on=None):
    [call] = made.schedule()
    return call.lower().source if on is None else lower_kernel(call.ast, on).source


# ---- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("dtype", TYPES)
def test_a_product_is_that_of_numpy_however_its_operands_lie(rng, dtype, turned):
    made, wanted = product(rng, dtype, (80, 160, 2 * DEPTHS[dtype]), turned, 8)
    assert f"wgmma_{dtype}" in source(made)
    with Context(VERIFY=0):
        np.testing.assert_array_equal(made.numpy(), wanted)


@pytest.mark.parametrize("dtype", ["f16", "i8"])
@pytest.mark.parametrize("shape", [(65, 129, 129), (127, 131, 200), (70, 300, 257)])
def test_sizes_that_nothing_divides_are_right_too(rng, dtype, shape):
    made, wanted = product(rng, dtype, shape)
    with Context(VERIFY=0):
        np.testing.assert_array_equal(made.numpy(), wanted)


STAGES = [("bf16", 8, (True, False)), ("i8", 4, (False, True))]


@pytest.mark.timeout(180)  # the interpreter runs every stage of it
@pytest.mark.parametrize(("dtype", "unit", "turned"), STAGES)
def test_a_product_keeps_its_meaning_through_all_stages(rng, dtype, unit, turned):
    made, wanted = product(rng, dtype, (65, 130, DEPTHS[dtype]), turned, unit)
    with Context(VERIFY=2):
        np.testing.assert_array_equal(made.numpy(), wanted)


def test_every_byte_of_fp8_is_the_number_that_its_dtype_says():
    """Infinities and NaN too: each stands alone in a row, which is summed."""
    for dtype in ("fp8e4m3", "fp8e5m2"):
        numbers = np.arange(256, dtype=np.uint8)
        rows = np.zeros((256, 64), np.uint8)
        rows[np.arange(256), np.arange(256) % 64] = numbers
        x = Tensor(rows).bitcast(dtype).to(DEVICE).realize()
        y = Tensor(np.ones((65, 129), "f4")).cast(dtype)[:64].to(DEVICE).realize()
        made = x.matmul(y, dtype="f32").contiguous(arg=ONE_ROUND)
        assert f"wgmma_{dtype}" in source(made)
        wanted = Tensor(numbers).bitcast(dtype).cast("f32").numpy()[:, None]
        np.testing.assert_array_equal(made.numpy(), np.repeat(wanted, 129, 1))


def test_sums_of_f32_are_rounded_to_tf32_by_the_program_alone(rng):
    arrays = (rng.standard_normal(s).astype("f4") for s in ((70, 64), (64, 130)))
    x, y = (Tensor(array).to(DEVICE).realize() for array in arrays)
    short = [((t.bitcast("u32") + 0x1000) & 0xFFFFE000).bitcast("f32") for t in (x, y)]
    arg = (
        "r3, r4 = split(r0, 64); r5, r6 = split(r1, 128); r7, r8 = split(r2, 32); "
        "r9, r10 = pack(r4, r8); local(r9); r11, r12 = pack(r8, r6); local(r11); "
        "global(r3); global(r5); tc(r4, r6, r8)"
    )
    made = (short[0] @ short[1]).contiguous(arg=arg)
    assert "wgmma_f32" in source(made)
    found = made.numpy()
    wanted = short[0].numpy().astype("f8") @ short[1].numpy().astype("f8")
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_what_follows_a_product_is_in_the_same_kernel(rng):
    (x, a), (y, b) = given(rng, (80, 64), "f16", False), given(rng, (64, 136), "f16", False)
    bias = Tensor(np.arange(136, dtype="f4")).to(DEVICE).realize()
    made = (x.matmul(y, dtype="f32") + bias).relu().contiguous(arg=ONE_ROUND)
    assert "wgmma_f16" in source(made)
    np.testing.assert_array_equal(made.numpy(), np.maximum(a @ b + np.arange(136), 0))


def test_each_stage_prints_as_text_that_reads_back(rng):
    made, _ = product(rng, "f16", (80, 160, 128), (True, False), 8)
    [call] = made.schedule()
    stages = list(lowering_stages(call.ast, "CUDA_SM90"))
    assert all(read_graph(print_graph(graph)) is graph for _, graph in stages)
    assert Ops.MMA_SHARED in {node.op for node in stages[-1][1].src}


# ---- how matrices lie ------------------------------------------------------------------------


def test_units_of_neighbours_are_copied_at_once(rng):
    for turned in ((False, False), (True, True)):
        made, _ = product(rng, "f16", (128, 256, 128), turned, 8)
        text = source(made)
        copies = text.count("__pipeline_memcpy_async")
        assert copies == len(re.findall(r"async\(.*, 16\);", text)) > 0


def test_descriptors_name_the_distances_of_the_copies(rng):
    """Units of 16 bytes: 8 rows of them lie behind each other, those of all rows and one more lie
    between those of one row; and the other way round where rows lie beside each other."""
    for turned in ((False, False), (True, True)):
        made, _ = product(rng, "f16", (128, 256, 128), turned, 8)
        named = r"wgmma_f16<(\d), (\d)>\(.*?, (\d+), (\d+)\).*, (\d+), (\d+)\)"
        [call] = re.findall(named, source(made))
        by_k, by_rows = (128, 16 * 64 + 16), (16 * 64 + 16, 128)
        columns = (128, 16 * 128 + 16) if turned[1] else by_rows
        left = by_rows if turned[0] else by_k
        assert [int(n) for n in call] == [turned[0], not turned[1], *left, *columns]


@pytest.mark.parametrize("text", ["k8 m64 k8", "n8 k64 n16", "k8:1 m64:8 k8:520", "k4 m3 k2 m5"])
def test_each_element_has_a_place_of_its_own(text):
    layout = read_memory_layout(text)
    first, second = sorted({digit.axis for digit in layout.digits})
    at = np.indices((layout.size(first), layout.size(second)))
    numbers = layout.place({first: at[0], second: at[1]})
    assert len(np.unique(numbers)) == numbers.size and numbers.max() + 1 == layout.span
    assert read_memory_layout(str(layout)) == layout


def test_sums_are_held_as_the_instruction_has_them():
    """PTX ISA, wgmma m64nNk16: d6 of lane 45 is in row 16 + 13 / 4 + 8, column 13 % 4 * 2 + 8."""
    for core in target("CUDA_SM90").row["cores"]:
        if "|" not in core["a"]:
            layout = read_layout(core["c"])
            assert (layout.place("m", 45, 6), layout.place("n", 45, 6)) == (16 + 3 + 8, 2 + 8)


# ---- which products --------------------------------------------------------------------------


SIZES = {
    (2048, 1024, 512): "wgmma_", (4096, 4096, 2048): "wgmma_", (100, 20000, 300): "wgmma_",
    (2048, 100, 512): "mma_", (256, 256, 64): "mma_", (40, 8192, 4096): "mma_",
}  # fmt: skip


@pytest.mark.parametrize("sizes", SIZES)
def test_the_heuristic_takes_them_where_there_is_enough_to_do(sizes):
    m, n, k = sizes
    x, y = (Tensor(np.ones(s, "f4")).cast("bf16").realize() for s in ((m, k), (k, n)))
    text = source(x.matmul(y, dtype="f32"), "CUDA_SM90")
    assert f" {SIZES[sizes]}bf16" in text
    assert " mma_bf16" in source(x.matmul(y, dtype="f32"), "CUDA_SM100")


@pytest.mark.parametrize("dtype", [*TYPES, "tf32"])
def test_a_block_and_its_copies_fit_in_what_a_workgroup_has(dtype):
    ones = Tensor(np.ones((2048, 1024), "f4")).cast("f32" if dtype == "tf32" else dtype).realize()
    x, y = ones, ones.T
    if dtype == "tf32":
        x, y = (((t.bitcast("u32") + 0x1000) & 0xFFFFE000).bitcast("f32") for t in (x, y))
    made = x.matmul(y, dtype="i32" if dtype in ("i8", "u8") else "f32")
    text = source(made, "CUDA_SM90")
    assert f"wgmma_{dtype.replace('tf', 'f')}" in text and "__launch_bounds__(256)" in text


# ---- refusals --------------------------------------------------------------------------------


def test_what_is_not_copied_is_refused(rng):
    (x, _), (y, _) = given(rng, (80, 64), "f16", False), given(rng, (64, 136), "f16", False)
    cut = "r3, r4 = split(r0, 64); r5, r6 = split(r1, 128); "
    packs = {
        "": "a copy of each (`pack`)",
        "r9, r10 = pack(r4, r2); r11, r12 = pack(r2, r6); ": "a copy with a range of kind local",
    }
    for pack, said in packs.items():
        made = x.matmul(y, dtype="f32").contiguous(arg=f"{cut}{pack}tc(r4, r6, r2)")
        with pytest.raises(UsageError, match="reads what it multiplies from") as refusal:
            made.realize()
        assert said in str(refusal.value)


def program_of(rng):
    """A lowered product whose sum has one round, and arrays for its buffers."""
    made, _ = product(rng, "f16", (65, 129, 64))
    [call] = made.schedule()
    *_, (_, program) = lowering_stages(call.ast, "CUDA_SM90")
    sizes = {"f4": (65 * 129,), "f2": (65 * 64, 64 * 129)}
    return program, [np.zeros(size, t) for t, each in sizes.items() for size in each]


def test_the_interpreter_refuses_what_means_nothing(rng):
    program, arrays = program_of(rng)
    run_kernel(program, arrays)
    [mma] = [n for n in program.src if n.op is Ops.MMA_SHARED]
    a, b, c = mma.arg
    wrong = {
        ("| k1", b, c): "expected both a and b in memory",
        (a.replace("k8:1 ", ""), b, c): "a: k is 8, elsewhere 64|b: k is 64, elsewhere 8",
        (a.replace("m64:8", "m64:4"), b, c): "a: elements lie at one place",
    }
    for arg, said in wrong.items():
        with pytest.raises(InterpreterError, match=said):
            run_kernel(program.substitute({mma: mma.replace(arg=arg)}), arrays)
    with pytest.raises(InterpreterError, match="expected 128 lanes that run together"):
        run_kernel(with_lanes(program, 64), arrays)
    lane = next(n for n in program.src if n.op is Ops.SPECIAL and n.arg == "l0")
    load, place = mma.src[0], mma.src[0].src[0]
    memory, index = place.src
    other = memory.index(index + (lane & 1).cast(index.dtype) * 8).replace(dtype=place.dtype)
    changes = {load: load.replace(src=(other, *load.src[1:]))}
    with pytest.raises(InterpreterError, match="lanes do not name the same memory"):
        run_kernel(program.substitute(changes), arrays)


WARPS = """  SHARED __half near[64 * 64 + 128 * 64];
  float s[64] = {};
  for (int e = t; e < 64 * 64 + 128 * 64; e += 64) near[e] = __float2half(1);
  BARRIER
  unsigned long x = __cvta_generic_to_shared(near), y = __cvta_generic_to_shared(near + 64 * 64);
  x = x >> 4 | 64ul << 16 | 8ul << 32, y = y >> 4 | 128ul << 16 | 8ul << 32;
  %s
  out[i] = s[0];"""
SUMS = ", ".join(f"%{i}" for i in range(64))
LIST = ", ".join(f'"+f"(s[{i}])' for i in range(64))
FENCES = r"fence.proxy.async.shared::cta;\nwgmma.fence.sync.aligned;\n"
WAIT = r"wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
TYPES_AND_SIZES = "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"
PRODUCT = TYPES_AND_SIZES + " {" + SUMS + r"}, %64, %65, 1, 1, 1, %66, %67;\n"


def instruction(*parts, operands='"l"(x), "l"(y), "n"(0), "n"(0)'):
    return "asm volatile(" + "".join(f'"{part}"' for part in parts) + f": {LIST} : {operands});"


@pytest.mark.parametrize("parts", [(PRODUCT,), (FENCES, PRODUCT), (PRODUCT, WAIT)])
def test_products_without_a_fence_or_a_wait_are_refused(parts):
    with pytest.raises(CompileError, match="instructions of four warps without a fence and a wait"):
        launch(WARPS % instruction(*parts), DEVICE)


def test_warps_that_stay_away_are_reported():
    """Blocks of the launch have 64 threads: half of the four warps."""
    with pytest.raises(DeviceRuntimeError, match="64 of 128 lanes of four warps multiply matrices"):
        launch(WARPS % instruction(FENCES, PRODUCT, WAIT), DEVICE)


def test_a_lane_that_stays_away_is_reported(rng, monkeypatch):
    def one_away(uops, on, name):
        written = write_kernel(uops, on, name)
        return replace(written, text=written.text.replace("  wgmma_", "  if (lidx0 != 77) wgmma_"))

    monkeypatch.setattr(lower, "write_kernel", one_away)
    made, _ = product(rng, "f16", (66, 129, 64))
    said = "127 of 128 lanes of four warps multiply matrices"
    with Context(CACHE=0), pytest.raises(DeviceRuntimeError, match=said):
        made.realize()


WRONG = {  # what is said of it; nothing of numbers of the same matrices
    "distances": "uninitialised: thread .* reads shared local",
    "sides": "",
    "matrix": r"thread \(9, 0, 0\) .* multiplies other matrices than the first",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_named_wrong_is_seen(rng, monkeypatch, what):
    """Distances that change places, rows that are taken for what is summed, a lane's own matrix."""

    def wrong(name, text, itemsize):
        values = distances(name, text, itemsize)
        turned, rows, depth = (f"{name}_{of}" for of in ("turned", "rows", "depth"))
        if what == "distances":
            values[rows], values[depth] = values[depth], values[rows]
        elif what == "sides":
            values[turned] = str(1 - int(values[turned]))
        else:
            values[depth] = f"({values[depth]} * (lidx0 != 9))"
        return values

    monkeypatch.setattr(memory, "_distances", wrong)
    made, wanted = product(rng, "f16", (70 + len(what), 131, 64))  # a kernel that is not kept yet
    with Context(CACHE=0):
        if not WRONG[what]:
            assert np.abs(made.numpy() - wanted).max() > 1
        else:
            with pytest.raises(DeviceRuntimeError, match=WRONG[what]):
                made.realize()
