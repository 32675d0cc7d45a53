"""CUDA kernels through NVRTC to machine code; needs no GPU, but the extra [compilers]."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "unit"))

from arrays import as_dtype
from pairs import in_turn
from render_tools import CASES, CASTS, COMPARE, one_op, operands, program

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.driver.units import Unit
from rulewright.errors import CompileError
from rulewright.ir.dtypes import dtypes
from rulewright.render import render_unit, target
from rulewright.runtime.cuda.compiler import compile_cubin

pytest.importorskip("cuda.bindings.nvrtc", reason="NVRTC: install rulewright[compilers]")
nvidia = pytest.importorskip("nvidia", reason="NVRTC: install rulewright[compilers]")

HELPER = "static inline float twice(float x) { return x + x; }\n"
CALL = """extern "C" __global__ void k(float *__restrict__ data0) { data0[0] = twice(data0[0]); }
"""


def test_helpers_of_the_c_family_are_for_the_device():
    """As a file beside the spec writes them, once for all languages of the family."""
    assert compile_cubin(HELPER + CALL, "k", "sm_80")


FUNCTIONS = ("EXP", "EXP2", "LOG", "LOG2", "SIN", "COS", "ATAN", "TANH", "ERF", "POW")
GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("dtype", dtypes.all(), ids=lambda d: d.name)
def test_every_op(dtype):
    on = target("CUDA")
    programs = [
        (one_op(op), [dtype] * len(operands(op, dtype)), dtypes.bool if op in COMPARE else dtype)
        for op, kind in CASES
        if kind is dtype
    ]
    programs += [
        (lambda x, r=result: x.cast(r), [source], result)
        for source, result in CASTS
        if source is dtype
    ]
    if dtype.is_float:
        programs += [(one_op(op), [dtype] * (1 + (op == "POW")), dtype) for op in FUNCTIONS]
    unit = [(program(*each, 64, on), f"k{n}") for n, each in enumerate(programs)]
    assert compile_cubin(render_unit(unit, on), "k0")


@pytest.mark.parametrize(
    ("path", "architecture"),
    in_turn(sorted(GOLDEN.glob("*/cuda.cu")), ["sm_80", "sm_90"]),
    ids=lambda p: p.parent.name if isinstance(p, Path) else p,
)
def test_golden(path, architecture):
    kernels = re.split(r"^// kernel .*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for kernel in filter(str.strip, kernels):
        assert compile_cubin(kernel, path.parent.name, architecture)


INSTRUCTIONS = {
    "linear_half": "HMMA.16816.F32 ",
    "matmul_half": "HMMA.16816.F32 ",
    "linear_bfloat16": "HMMA.16816.F32.BF16 ",
    "linear_bytes": "IMMA.16832.S8.S8 ",
}

ONE_BY_ONE = r" LDS(\.\w+)* R\d"
"""A read of shared memory by one lane; beside copies ahead stand some into no register."""


def disassembled(name, architecture, tmp_path):
    """The instructions of the kernels of a golden."""
    source = (GOLDEN / name / "cuda.cu").read_text(encoding="utf-8").partition("\n")[2]
    return disassembly(source, architecture, tmp_path)


def disassembly(source, architecture, tmp_path):
    """The instructions of a source."""
    disassembler = Path(nvidia.__path__[0]) / "cu13" / "bin" / "nvdisasm"
    assert disassembler.exists(), "install nvidia-cuda-nvdisasm, as rulewright[compilers] does"
    cubin = tmp_path / "kernel.cubin"
    cubin.write_bytes(compile_cubin(source, "kernel", architecture))
    command = [disassembler, "-ndf", cubin]  # no labels of branches, which take it a third longer
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_products_are_instructions_of_tensor_cores_without_local_memory(
    name, architecture, tmp_path
):
    made = disassembled(name, architecture, tmp_path)
    assert INSTRUCTIONS[name] in made
    assert "LDSM.16.M88.4" in made and "LDSM.16.M88.2" not in made
    if name != "linear_bytes":  # whose rows on the right would have to be turned
        assert not re.search(ONE_BY_ONE, made)
    assert "LDGSTS" in made  # copies into shared memory go by no register
    assert not re.search(r"\b(LDL|STL)\b", made)  # fragments stay in registers


FP8 = {"fp8e4m3": "E4M3", "fp8e5m2": "E5M2"}


def product_of_bytes(dtype, target_name):
    """The source of a product, for a target."""
    x, y = (Tensor(np.ones(s, np.float32)).cast(dtype).realize() for s in ((64, 96), (96, 64)))
    [kernel] = x.matmul(y, dtype="f32").schedule()
    return lower_kernel(kernel.ast, target_name).source


@pytest.mark.parametrize("dtype", FP8)
def test_fp8_is_multiplied_by_tensor_cores(dtype, tmp_path):
    """One instruction for sm_89, f16 for sm_90, and none for what came before."""
    source, kind = product_of_bytes(dtype, "CUDA_SM89"), FP8[dtype]
    assert f"QMMA.16832.F32.{kind}.{kind} " in disassembly(source, "sm_89", tmp_path)
    made = disassembly(source, "sm_90", tmp_path)
    assert "HMMA.16816.F32 " in made and f"F2FP.F16.{kind}.UNPACK_B " in made
    with pytest.raises(CompileError, match="NVRTC refused"):
        compile_cubin(source, "product", "sm_80")
    other = disassembly(product_of_bytes(dtype, "CUDA"), "sm_80", tmp_path)
    assert "HMMA.1688.F32.TF32 " in other


WARPGROUPS = {
    "f16": "HGMMA.64x128x16.F32 ", "bf16": "HGMMA.64x128x16.F32.BF16 ",
    "fp8e4m3": "QGMMA.64x128x32.F32.E4M3.E4M3 ", "fp8e5m2": "QGMMA.64x128x32.F32.E5M2.E5M2 ",
    "i8": "IGMMA.64x128x32.S8.S8 ", "u8": "IGMMA.64x128x32.U8.U8 ",
}  # fmt: skip


def product_of_four_warps(dtype, turned):
    """A product whose sides are the transposed of what lies in memory, or not."""
    sides = []
    for shape, is_turned in zip(((2048, 512), (512, 1024)), turned, strict=True):
        ones = as_dtype(np.ones(shape[::-1] if is_turned else shape, np.float32), dtype)
        x = Tensor(ones).realize()
        sides.append(x.T if is_turned else x)
    [kernel] = sides[0].matmul(sides[1], dtype="i32" if dtype in ("i8", "u8") else "f32").schedule()
    return lower_kernel(kernel.ast, "CUDA_SM90")


@pytest.mark.parametrize("dtype", WARPGROUPS)
def test_four_warps_multiply_what_lies_in_shared_memory(dtype, tmp_path):
    """Sums stay in registers, and are waited for once a round. All are disassembled at once, as
    starting that takes longer than compiling them."""
    unit, turns = Unit(target("CUDA_SM90")), list(product((False, True), repeat=2))
    for turned in turns:
        unit.add(product_of_four_warps(dtype, turned))
    made = disassembly(unit.source, "sm_90a", tmp_path)
    _, *sections = re.split(r"- \.text\.(\w+) +-", made)
    kernels = dict(zip(sections[::2], sections[1::2], strict=True))
    for name, turned in zip(unit.names, turns, strict=True):
        made = kernels[name]
        assert WARPGROUPS[dtype] in made and "gdesc[" in made and "FENCE.VIEW.ASYNC" in made
        assert made.count("WARPGROUP.ARRIVE") == made.count("WARPGROUP.DEPBAR.LE gsb0, 0x0")
        assert not re.search(r"\b(LDL|STL)\b", made)
        if dtype in ("f16", "bf16"):  # what is not beside each other is turned there
            assert "LDGSTS" in made
            assert [f".tnsp{side}" in made for side in "BA"] == [not turned[1], turned[0]]


AHEAD = {
    "f16": ("CUDA", ("sm_80", "sm_89", "sm_90")), "i8": ("CUDA", ("sm_80", "sm_89", "sm_90")),
    "fp8e4m3": ("CUDA_SM89", ("sm_89", "sm_90")),
}  # fmt: skip


@pytest.mark.parametrize("dtype", AHEAD)
def test_a_round_waits_for_all_but_the_last_copies(dtype, tmp_path):
    """Rows of bytes lie apart, so that three rounds of 128 by 128 are more than 48 KiB."""
    name, architectures = AHEAD[dtype]
    x, y = (Tensor(np.ones((2048, 256), np.int32)).cast(dtype).realize() for _ in range(2))
    [kernel] = x.matmul(y.T, dtype="i32" if dtype == "i8" else "f32").schedule()
    source = lower_kernel(kernel.ast, name).source
    assert ("shared[/* 61440 bytes */]" in source) == (dtype != "f16")
    for architecture in architectures:
        made = disassembly(source, architecture, tmp_path)
        assert set(re.findall(r"DEPBAR\.LE SB0, 0x(\d)", made)) == {"1"}
        assert "LDSM.16.M88.4" in made and not re.search(ONE_BY_ONE, made)
        assert not re.search(r"\b(LDL|STL)\b", made)


ATTENTION = {  # heads, elements of a key, rows of a thread
    "plain": (64, 64, 2), "causal": (8, 64, 1), "wide": (8, 128, 1),
}  # fmt: skip


def attention(dtype, heads, size, causal, on):
    """The source of the one kernel of an attention over 2048 keys."""
    zeros = np.zeros((heads, 2048, size), np.float32)
    q, k, v = (Tensor(zeros, device="CUDA_EMULATED").cast(dtype).realize() for _ in range(3))
    [kernel] = q.scaled_dot_product_attention(k, v, is_causal=causal).schedule()
    return lower_kernel(kernel.ast, on).source


@pytest.mark.timeout(120)  # some thousand instructions take the compiler seconds
@pytest.mark.parametrize("on", [("CUDA", "sm_80"), ("CUDA_SM90", "sm_90a")], ids=lambda on: on[1])
@pytest.mark.parametrize("name", ATTENTION)
def test_rows_of_attention_stay_in_registers(name, on, tmp_path):
    """16 keys at a time: a multiply-add is one instruction, and serves all rows of a thread with
    what it reads of shared memory, four elements at once."""
    heads, size, rows = ATTENTION[name]
    made = disassembly(attention("f32", heads, size, name == "causal", on[0]), on[1], tmp_path)
    assert not re.search(r"\b(LDL|STL)\b", made)
    steps = 4  # of the first product that are written out
    assert made.count("FFMA") >= rows * 16 * (size + steps)
    assert len(re.findall(r"\bLDS\b", made)) <= 16 * size // 4 + steps * (16 // 4 + rows) + 16


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("kind", "on"),
    in_turn(
        [("f16", 32, True), ("bf16", 64, False), ("f16", 128, True)],
        [("CUDA", "sm_80"), ("CUDA_SM90", "sm_90a")],
    ),
    ids=str,
)
def test_scores_of_tensor_cores_stay_in_registers(kind, on, tmp_path):
    """64 keys at a time, for 16 queries of each warp: scores are results of the first product, and
    weights operands of the second as they are. Of keys four steps are written out at a time."""
    dtype, size, causal = kind
    source = attention(dtype, 32, size, causal, on[0])
    made = disassembly(source, on[1], tmp_path)
    assert not re.search(r"\b(LDL|STL)\b", made)
    first, second = 64 // 8 * min(size // 16, 4), size // 8 * (64 // 16)
    assert made.count("HMMA.16816.F32") == first + second
    assert made.count("SHFL.BFLY") == 2 * 2 * 2  # rows of a lane, for the largest value and the sum
    assert "LDSM.16.M88.4 " in made and "LDSM.16.MT88.4" in made and "LDGSTS" in made
    assert not re.search(r"\bSTS\b|\bLDS(\.\w+)* R\d", made)


SHARED = {"softmax": (10, 0), "sum_rows": (8, 1), "layernorm": (16, 2), "matmul_vector": (5, 0)}
"""Instructions by which the lanes of a warp exchange values, and barriers."""


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", SHARED)
def test_reductions_go_from_lane_to_lane(name, architecture, tmp_path):
    made = disassembled(name, architecture, tmp_path)
    assert (made.count("SHFL.BFLY "), made.count("BAR.SYNC")) == SHARED[name]
    assert not re.search(r"\b(LDL|STL)\b", made)
