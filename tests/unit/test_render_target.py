"""Targets: what tables say, literals, and errors for what a target lacks."""

from __future__ import annotations

import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st
from render_tools import one_op, program

from rulewright.errors import DeviceError, DTypeError, StageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.render import parameters, render, render_unit, target, variables

TARGETS = ["C", "CUDA", "METAL", "OPENCL", "WEBGPU"]
LIMITS = {
    "C": ("cores", "vector_bits", "vector_registers", "index_bits"),
    "CUDA": ("local_size", "local_memory", "load_bits", "index_bits"),
    "METAL": ("buffers", "local_size", "local_memory", "load_bits", "index_bits"),
    "OPENCL": ("local_size", "local_memory", "load_bits", "index_bits"),
    "WEBGPU": ("buffers", "local_size", "local_memory", "index_bits", "grid_outer", "grid_inner"),
}


@pytest.mark.parametrize("name", TARGETS)
def test_target(name):
    on = target(name)
    assert on is target(name) and on.name == name
    assert all(on.limit(limit) for limit in LIMITS[name])
    assert on.limit("no_such_limit") is None
    assert on.has("workgroups") is (name != "C")
    assert set(on.lower) <= set(load_table()["rulesets"])
    assert on.type_name(dtypes.f32) == ("f32" if name == "WEBGPU" else "float")


def test_metal_takes_31_buffers_and_no_doubles():
    metal = target("METAL")
    assert metal.limit("buffers") == 31
    with pytest.raises(DTypeError, match="target METAL has no type f64; it has bool, i8"):
        metal.type_name(dtypes.f64)
    with pytest.raises(DTypeError, match="target METAL has no literal f64"):
        metal.literal(dtypes.f64, 1.0)


def test_a_kernel_of_webgpu_is_alone_in_its_unit():
    on = target("WEBGPU")
    place = UOp(Ops.PARAM, dtypes.f32, (), (0, (4,), None)).index(UOp.const(dtypes.i32, 0))
    uops = [place, place.store(UOp.const(dtypes.f32, 1.0))]
    assert "data0[0] = 1.0f;" in render(uops, on, "one")
    message = "target WEBGPU takes one kernel in a unit, found 2; `unit_length` of its device is"
    with pytest.raises(StageError, match=message):
        render_unit([(uops, "one"), (uops, "two")], on)


@pytest.mark.parametrize("name", ["FPGA", "Clike", "c"])
def test_unknown_target(name):
    known = "C, C_AVX2, C_NEON, C_SSE, C_VNNI, C_DOT, C_AMX, CUDA_SM80, CUDA_SM89, CUDA_SM90, "
    known += "CUDA_SM100, CUDA, METAL, OPENCL, OPENCL_FP16, WEBGPU"
    reason = "no target" if name != "Clike" else "target 'Clike' has no `text kernel`"
    message = f"{reason}.*; there are {known}"
    with pytest.raises(DeviceError, match=message):
        target(name)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_f32_literals_read_back(value):
    text = target("C").literal(dtypes.f32, value).text
    assert text.endswith("f") and ("." in text or "e" in text)
    read = struct.unpack("f", struct.pack("f", float(text[:-1])))[0]
    assert read == value and np.signbit(read) == np.signbit(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_f64_literals_read_back(value):
    read = float(target("C").literal(dtypes.f64, value).text)
    assert read == value and np.signbit(read) == np.signbit(value)


@pytest.mark.parametrize(
    ("dtype", "value", "text"),
    [
        (dtypes.i32, -(2**31), "(-2147483647 - 1)"),
        (dtypes.u32, 2**32 - 1, "4294967295u"),
        (dtypes.i64, 7, "7L"),
        (dtypes.bool, True, "1"),
        (dtypes.f16, -1.5, "0xbe00"),
        (dtypes.bf16, float("inf"), "0x7f80"),
        (dtypes.fp8e4m3, 448.0, "0x7e"),
        (dtypes.fp8e4m3fnuz, 240.0, "0x7f"),
        (dtypes.fp8e5m2fnuz, -0.0, "0x00"),
        (dtypes.fp8e5m2fnuz, float("nan"), "0x80"),
        (dtypes.f32.vec(2), 1.0, "(f32x2)(1.0f - (f32x2){})"),
    ],
)
def test_literals(dtype, value, text):
    assert target("C").literal(dtype, value).text == text


@pytest.mark.parametrize("name", TARGETS)
def test_every_op_is_spelled_or_lowered(name):
    """After its rules have run, a target spells every op on every dtype that it has."""
    on = target(name)
    for dtype in dtypes.all():
        if dtype.base not in on.row["types"]:
            continue
        for op in sorted(Ops.group("Unary") | Ops.group("Binary")):
            (_, takes), *_ = op.row["tparams"]
            if dtype.base not in takes or op in (Ops.CAST, Ops.BITCAST):
                continue
            count = len(op.params)
            result = dtypes.bool if op.row["result"] == "bool" else dtype
            assert render(program(one_op(op.name), [dtype] * count, result, 4, on), on, "k")


def test_a_macro_is_defined_where_it_or_a_macro_with_it_is_named():
    """A remainder is made of a quotient, and that of what is near it."""
    four = dtypes.i32.vec(4)
    rest = program(one_op("CMOD"), [four, four], four, 8, target("C_SSE"))
    source = render(rest, target("C_SSE"), "rest")
    for word in ("rest_of", "quotient_u32", "quotient_near"):
        assert source.count(f"#define {word}(") == 1
    assert "fmod_f32" not in source and "quotient_i32" not in source
    assert not target("METAL").macros


def test_what_is_left_is_an_error():
    value = UOp(Ops.PARAM, dtypes.f32, (), (1, (4,), None)).index(UOp.const(dtypes.i64, 0))
    place = UOp(Ops.PARAM, dtypes.f32, (), (0, (4,), None)).index(UOp.const(dtypes.i64, 0))
    load = value.load()
    root = load.alu(Ops.SIN)
    with pytest.raises(StageError, match="kernel left: no spelling for SIN of f32"):
        render([value, load, place, root, place.store(root)], target("C"), "left")
    with pytest.raises(StageError, match="a program cannot hold REDUCE"):
        render([UOp(Ops.REDUCE, dtypes.f32, (load,), Ops.ADD)], target("C"), "left")
    with pytest.raises(StageError, match="LOAD is used before its place"):
        render([value, place, place.store(load)], target("C"), "left")
    barrier = UOp(Ops.BARRIER, dtypes.void)
    with pytest.raises(StageError, match="target C cannot express `barrier`"):
        render([barrier], target("C"), "left")


def test_arguments_are_in_a_fixed_order():
    slots = [UOp(Ops.PARAM, dtypes.f32, (), (slot, (4,), None)) for slot in (2, 0, 1)]
    names = [UOp.variable(name, 0, 3) for name in ("n", "i", "m")]
    index = [p.index(v) for p, v in zip(slots, names, strict=True)]
    assert [p.arg[0] for p in parameters(index)] == [0, 1, 2]
    assert [v.arg[0] for v in variables(index)] == ["i", "m", "n"]


def test_a_unit_shares_its_preamble():
    on = target("C")
    uops = program(one_op("EXP"), [dtypes.f32], dtypes.f32, 4, on)
    unit = render_unit([(uops, "one"), (uops, "two")], on)
    assert unit.count("f32_as_i32(float x)") == 1 and unit.count("\nvoid ") == 2
    assert render_unit([(uops, "one")], on) == render(uops, on, "one")


def test_bytes_are_the_same_in_every_process():
    code = (
        "from render_tools import one_op, program\n"
        "from rulewright.ir.dtypes import dtypes\n"
        "from rulewright.render import render, target\n"
        "for name in ('C', 'OPENCL'):\n"
        "    on = target(name)\n"
        "    print(render(program(one_op('SIN'), [dtypes.f32], dtypes.f32, 4, on), on, 'k'))\n"
    )
    import os
    from pathlib import Path

    def run(seed: str) -> str:
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert run("1") == run("2") != ""
