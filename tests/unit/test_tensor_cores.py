"""Products by tensor cores: values on emulated GPUs, what is refused, what their layouts say."""

from __future__ import annotations

import numpy as np
import pytest
from emulated_kernels import launch
from outside_tools import run
from staged_products import DEVICES, given, product as staged, with_lanes

from rulewright import Context, Tensor
from rulewright.codegen.choices import parse_choices, print_choices
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.errors import CompileError, DeviceRuntimeError, InterpreterError, UsageError
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.text import print_graph, read_graph
from rulewright.lang.layouts import check_layouts, read_layout
from rulewright.render import target

SMALL = """target SMALL extends CUDA {
  tensor_core f16 -> f32  a = "k2 k4 m1 m2 m4 | k1 m8"  b = "k2 k4 n1 n2 n4 | k1"
    c = "n2 n4 m1 m2 m4 | n1 m8"
  spell MMA: f32 of f16 = "mma_small({c}, {a}, {b})"
  helper MMA: f32 of f16 = "// mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
}
"""
LOWERS = """
from rulewright import Context, Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec("small.uop")
x, y = Tensor.rand(32, 24).cast("f16").realize(), Tensor.rand(24, 32).cast("f16").realize()
[kernel] = x.matmul(y, dtype="f32").schedule()
with Context(VERIFY=2):
    made = lower_kernel(kernel.ast, "SMALL")
print(made.source, made.choices)
"""
CUT = "r3, r4 = split(r0, 16); r5, r6 = split(r1, 8); r7, r8 = split(r2, 16)"
A, B, C = target("CUDA").row["cores"][0]["a"], "k2 k4 n1 n2 n4 | k1 k8", "n2 n4 m1 m2 m4 | n1 m8"


def product(rng, device, dtype="f16", shape=(32, 16, 32), choices=CUT, verify=2):
    """A product with these choices, after the interpreter has compared each step."""
    m, n, k = shape
    (x, a), (y, b) = given(rng, (m, k), dtype, device), given(rng, (k, n), dtype, device)
    made = x.matmul(y, dtype="i32" if dtype == "i8" else "f32").contiguous(arg=choices)
    with Context(VERIFY=verify):
        np.testing.assert_allclose(made.numpy(), a @ b, rtol=1e-5, atol=1e-4)


def sources(*tensors):
    return "".join(kernel.lower().source for t in tensors for kernel in t.schedule())


# ---- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(16, 8, 16), (33, 19, 70), (7, 40, 48)])
def test_a_product_by_choice_keeps_its_meaning_through_all_stages(rng, shape):
    product(rng, "CUDA_EMULATED", shape=shape, choices=CUT + "; tc(r4, r6, r8)")


def test_tiles_of_a_warp_and_warps_of_a_group_share_what_they_read(rng):
    tiles = "; r9, r10 = split(r3, 2); r11, r12 = split(r5, 2); upcast(r10); upcast(r12)"
    groups = "; r13, r14 = split(r11, 2); local(r14); global(r13); global(r9); tc(r4, r6, r8)"
    product(rng, "CUDA_EMULATED", shape=(64, 64, 32), choices=CUT + tiles + groups)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["f16", "bf16", "i8"])
def test_the_heuristic_takes_tensor_cores_for_the_dtypes_that_they_have(rng, device, dtype):
    (x, _), (y, _) = given(rng, (32, 40), dtype, device), given(rng, (40, 24), dtype, device)
    made = x.matmul(y, dtype="i32" if dtype == "i8" else "f32")
    assert ("mma_" in sources(made)) == (device == DEVICES[0] or dtype != "i8")


def tf32(x):
    """A tensor of f32 rounded to the 10 bits of the mantissa that tensor cores take."""
    return ((x.bitcast("u32") + 0x1000) & 0xFFFFE000).bitcast("f32")


def test_f32_is_multiplied_where_the_program_rounds_it_to_tf32(rng):
    (x, a), (y, b) = (given(rng, s, "f32", DEVICES[0]) for s in ((32, 40), (40, 24)))
    assert "mma_tf32" in sources(tf32(x) @ tf32(y))
    assert "mma_tf32" not in sources(x @ tf32(y), x @ y)
    with Context(VERIFY=2):
        made = (tf32(x) @ tf32(y)).numpy()
    rounded = [(n.astype("f4").view("u4") + 0x1000 & 0xFFFFE000).view("f4") for n in (a, b)]
    np.testing.assert_allclose(made, rounded[0].astype("f8") @ rounded[1], rtol=1e-5, atol=1e-5)
    assert np.abs(made - a @ b).max() > 1e-3


def test_two_dtypes_meet_in_one_that_holds_both(rng):
    (x, a), (y, b) = (given(rng, (32, 32), t, DEVICES[0]) for t in ("f16", "bf16"))
    assert "mma_tf32" in sources(x.matmul(y, dtype="f32"))
    np.testing.assert_allclose(x.matmul(y, dtype="f32").numpy(), a @ b, rtol=1e-5, atol=1e-5)


FP8 = {"fp8e4m3": "fp8e5m2", "fp8e5m2": "fp8e4m3"}


@pytest.mark.parametrize("dtype", FP8)
def test_fp8_is_multiplied_where_the_architecture_does(rng, dtype):
    """Elsewhere, and where two kinds meet, by what holds them."""
    for device, kind in {"CUDA_SM90_EMULATED": dtype, DEVICES[0]: "tf32"}.items():
        (x, _), (y, _) = given(rng, (32, 40), dtype, device), given(rng, (40, 24), dtype, device)
        (other, _) = given(rng, (40, 24), FP8[dtype], device)
        assert f"mma_{kind}(" in sources(x.matmul(y, dtype="f32"))
        assert "mma_tf32" in sources(x.matmul(other, dtype="f32"))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("shape", [(16, 8, 32), (33, 19, 70)])
@pytest.mark.parametrize("dtype", FP8)
def test_a_product_of_fp8_is_that_of_numpy(rng, dtype, shape, turned):
    made, wanted = staged(rng, "CUDA_SM90_EMULATED", dtype, shape, turned)
    assert f"mma_{dtype}(" in sources(made)
    with Context(VERIFY=2 if shape == (16, 8, 32) else 0):
        np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("dtype", FP8)
def test_every_byte_is_the_number_that_its_dtype_says(dtype):
    """Infinities and NaN too: each stands alone in a row, which is summed."""
    numbers = np.arange(256, dtype=np.uint8).view(dtypes.__getattr__(dtype).np)
    rows = np.zeros((256, 32), numbers.dtype)
    rows[np.arange(256), np.arange(256) % 32] = numbers
    x = Tensor(rows).to("CUDA_SM90_EMULATED").realize()
    y = Tensor(np.ones((32, 8), np.float32)).cast(dtype).to("CUDA_SM90_EMULATED").realize()
    made = x.matmul(y, dtype="f32")
    assert f"mma_{dtype}(" in sources(made)
    wanted = np.repeat(numbers.astype(np.float32)[:, None], 8, 1)
    np.testing.assert_array_equal(made.numpy(), wanted)


def test_a_target_of_a_file_has_tensor_cores_by_data_alone(tmp_path):
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "small.uop").write_text(SMALL)
    said = run(tmp_path / "site", code=LOWERS)
    assert "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32" in said
    assert " = split(r8, 8)" in said and said.count("  mma_small(") == 2


def test_sums_in_half_precision_and_small_products_go_without(rng):
    (x, _), (y, _) = (given(rng, s, "f16", DEVICES[0]) for s in ((16, 64), (64, 16)))
    halves = (x.reshape(16, 64, 1) * y.reshape(1, 64, 16)).sum(1, dtype="f16")
    small = x[:4].matmul(y, dtype="f32")
    assert "mma_" not in sources(halves, small)
    (x, _), (y, _) = (given(rng, s, "f32", DEVICES[0]) for s in ((16, 64), (64, 16)))
    assert "mma_" not in sources(x @ y)  # tf32 would change what comes out


def test_infinities_and_nan_come_out_as_from_numpy(rng):
    a, b = (rng.standard_normal((16, 16)).astype(np.float16) for _ in range(2))
    a[3, 4], a[5, 6], b[7, 2] = np.inf, np.nan, -np.inf
    with np.errstate(invalid="ignore"):
        wanted = a.astype(np.float32) @ b.astype(np.float32)
    for device in DEVICES:
        made = Tensor(a).to(device).matmul(Tensor(b).to(device), dtype="f32")
        np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-5)


# ---- what is refused -------------------------------------------------------------------------


REFUSED = {
    "tc(r4, r6)": "expected three ranges: rows, columns, and what is reduced",
    "tc(r4, r8, r6)": "expected two ranges that are stored along and one that is reduced",
    "tc(r4, r4, r8)": "expected different ranges",
    "tc(r4, r5, r8)": r"multiply \(16, 8, 16\) of f16 summed in f32, .*; found \(16, 2, 16\)",
    "tc(r3, r4, r8)": "expected a sum of products",
}


@pytest.mark.parametrize("choice", REFUSED)
def test_what_is_no_product_of_their_sizes_is_refused(rng, choice):
    with pytest.raises(UsageError, match=REFUSED[choice]):
        product(rng, "CUDA_EMULATED", choices=f"{CUT}; {choice}", verify=0)


def test_targets_without_them_say_so(rng):
    with pytest.raises(UsageError, match=r"\(8, 8, 8\) of f16"):
        product(rng, "METAL_EMULATED", choices=CUT + "; tc(r4, r6, r8)", verify=0)
    (x, _), (y, _) = given(rng, (32, 32), "f16", "C"), given(rng, (32, 32), "f16", "C")
    [kernel] = x.matmul(y, dtype="f32").contiguous(arg=CUT + "; tc(r4, r6, r8)").schedule()
    with pytest.raises(UsageError, match="multiply nothing"):
        lower_kernel(kernel.ast, "C")


def test_a_product_of_another_dtype_is_refused(rng):
    with pytest.raises(UsageError, match="of f32 summed in f32"):
        product(rng, "CUDA_EMULATED", "f32", choices=CUT + "; tc(r4, r6, r8)", verify=0)


def test_two_sums_over_the_rows_are_refused(rng):
    (x, _), (y, _) = (given(rng, (32, 32), "f16", DEVICES[0]) for _ in range(2))
    both = x.matmul(y, dtype="f32") + x.cast("f32").sum(1, keepdim=True)
    choices = "r4, r5 = split(r0, 16); r6, r7 = split(r1, 8); r8, r9 = split(r3, 16)"
    with pytest.raises(UsageError, match="expected rows and columns of one product alone"):
        both.contiguous(arg=choices + "; tc(r5, r7, r9)").realize()


@pytest.mark.parametrize("name", ["CUDA", "METAL"])
def test_each_stage_of_a_product_prints_as_text_that_reads_back(rng, name):
    (x, _), (y, _) = (given(rng, (32, 32), "f16", f"{name}_EMULATED") for _ in range(2))
    [kernel] = x.matmul(y, dtype="f32").schedule()
    stages = list(lowering_stages(kernel.ast, name))
    assert all(read_graph(print_graph(graph)) is graph for _, graph in stages)
    assert Ops.MMA in {node.op for node in stages[-1][1].src}


def test_the_choice_prints_and_reads_back():
    text = CUT + "; tc(r4, r6, r8)"
    assert print_choices(parse_choices(text)) == text
    with pytest.raises(UsageError, match="expected such as"):
        parse_choices("lane(r4)")  # what lanes are is no choice


# ---- layouts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["CUDA_SM89", "METAL"])
def test_each_place_of_each_matrix_is_held_once(name):
    for core in target(name).row["cores"]:
        for which, axes in {"a": "mk", "b": "kn", "c": "mn"}.items():
            layout = read_layout(core[which])
            lanes, items = np.arange(layout.lanes)[:, None], np.arange(layout.items)
            first, second = (layout.place(axis, lanes, items) for axis in axes)
            places = np.unique(first * layout.size(axes[1]) + second)
            assert len(places) == layout.lanes * layout.items == np.prod([*map(layout.size, axes)])


def test_layouts_are_those_of_the_instruction():
    """PTX ISA, m16n8k16: lane 6 has a5 in row 6 / 4 and column 6 % 4 * 2 + 1 + 8."""
    layout = read_layout(A)
    assert (layout.place("m", 6, 5), layout.place("k", 6, 5)) == (1, 13)


WRONG = {
    (A.replace("m8", "m4"), B, C): "a: expected the bits",
    (A, B.replace("n4 |", "n4 n8 |"), C): "n is 8, elsewhere 16",
    (A, B.replace(" | k1", " k1 |"), C): "expected as many lanes in each layout",
    (A, B, "n2 n4"): 'expected a layout such as "m1 m2 | k1"',
    (A, B, A): "c: expected the bits",
    ("k8:1 m16:8", B, C): "expected both a and b in memory, or neither; a is",
    ("k8:1 m16:8 k2:128", "k8:1 k2:128", C): "b: expected digits of k and n",
    ("k8:1 m16:4 k2:128", "k8:1 n8:8 k2:64", C): "a: elements lie at one place",
    ("k8 m16 k2", "k8 n8 k4", C): "b: k is 32, elsewhere 16",
    ("k8 m16 k2, k8 m8 k2", "k8 n8 k2", C): "a: m is 8, elsewhere 16",
    ("k8 q16", "k8 n8", C): 'expected digits such as "k8 m64 k8"',
    ("", "k8 n8", C): 'expected digits such as "k8 m64 k8"',
}


@pytest.mark.parametrize("texts", WRONG)
def test_layouts_that_do_not_fit_are_refused(texts):
    with pytest.raises(ValueError, match=WRONG[texts].replace("|", r"\|")):
        check_layouts(*texts)


UNREADABLE = {
    (A + "| k1", B, C): "expected a layout such as",
    (A.replace("m8", "m4"), B, C): "a: expected the bits",
    (A.replace(" k8", ""), B.replace(" k8", ""), C): "expected vectors of 4, 2, 4 elements",
}


def lowered(rng):
    """The program of a product, and arrays for its buffers."""
    (x, _), (y, _) = (given(rng, (16, 16), "f16", DEVICES[0]) for _ in range(2))
    [kernel] = x.matmul(y, dtype="f32").schedule()
    *_, (_, program) = lowering_stages(kernel.ast, "CUDA")
    return program, [np.zeros(256, t) for t in ("f4", "f2", "f2")]


@pytest.mark.parametrize("texts", UNREADABLE)
def test_the_interpreter_refuses_layouts_that_mean_nothing(rng, texts):
    program, arrays = lowered(rng)
    run_kernel(program, arrays)
    changes = {n: n.replace(arg=texts) for n in program.src if n.op is Ops.MMA}
    with pytest.raises(InterpreterError, match=UNREADABLE[texts]):
        run_kernel(program.substitute(changes), arrays)


def test_the_interpreter_refuses_half_a_warp(rng):
    program, arrays = lowered(rng)
    with pytest.raises(InterpreterError, match="expected 32 lanes that run together"):
        run_kernel(with_lanes(program, 16), arrays)


# ---- emulated devices ------------------------------------------------------------------------

MMA = """  unsigned x[4] = {}, y[2] = {};
  float z[4] = {};
  %s asm volatile("%s {%%0, %%1, %%2, %%3}, {%%4, %%5, %%6, %%7}, {%%8, %%9}, {%%0, %%1, %%2, %%3};"
      : "+f"(z[0]), "+f"(z[1]), "+f"(z[2]), "+f"(z[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  out[i] = z[0];"""
HALVES = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
SIMD = """  simdgroup_matrix<half, 8, 8> x, y;
  simdgroup_matrix<float, 8, 8> z;
  for (int e = 0; e < 2; e++) x.thread_elements()[e] = y.thread_elements()[e] = half(1);
  for (int e = 0; e < 2; e++) z.thread_elements()[e] = t;
  %s simdgroup_multiply_accumulate(z, x, y, z);
  out[i] = z.thread_elements()[0];"""


@pytest.mark.parametrize(("condition", "count"), [("if (t < 48)", 16), ("if (t % 32)", 31)])
@pytest.mark.parametrize(("device", "body"), list(zip(DEVICES, (MMA, SIMD), strict=True)))
def test_lanes_that_stay_away_are_reported(device, body, condition, count):
    filled = body % ((condition, HALVES) if body is MMA else condition)
    with pytest.raises(DeviceRuntimeError, match=rf"{count} of 32 lanes of a warp multiply"):
        launch(filled, device)


def test_lanes_that_exchanged_something_before_multiply_with_those_that_did_not():
    half = "  int other = t; if (t % 32 < 16) other = __shfl_xor_sync(0x0000ffffu, t, 1);\n"
    body = (half + MMA % ("", HALVES)).replace("out[i] = z[0]", "out[i] = z[0] + other")
    wanted = [t ^ 1 if t % 32 < 16 else t for t in range(64)] * 2
    assert launch(body, "CUDA_EMULATED").numpy().tolist() == wanted


def test_lanes_of_one_warp_need_not_wait_for_another(rng):
    made = launch(SIMD % "if (t < 32)", "METAL_EMULATED")
    wanted = [8 + t if t < 32 else t for t in range(64)] * 2
    assert made.numpy().tolist() == wanted


@pytest.mark.parametrize("name", ["bar.warp.sync", "mma.sync.aligned.m8n8k4.f64"])
def test_instructions_that_are_not_emulated_are_refused(name):
    with pytest.raises(CompileError, match=f"instruction {name} is not emulated"):
        launch(MMA % ("", name), "CUDA_EMULATED")
