"""Every op on every dtype as CUDA and METAL spell it, run emulated, against the meaning of ops."""

from __future__ import annotations

import numpy as np
import pytest
from emulated_kernels import DEVICES, SIZE, launch
from render_tools import CASES, CASTS, COMPARE, awkward, explain, one_op, operands, program

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.render import render_unit, target
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device

FUNCTIONS = ("EXP", "EXP2", "LOG", "LOG2", "SIN", "COS", "ATAN", "TANH", "ERF")
HERE = [
    (device, dtype)
    for device in DEVICES
    for dtype in dtypes.all()
    if dtype.name != "f64" or device.startswith("CUDA")  # Metal has no type for it
]


def cases(device: str, dtype: DType) -> list[tuple]:
    """What is computed of a dtype: name, expression, op and its argument, inputs, result."""
    casts = [r for s, r in CASTS if s is dtype and (device, r) in HERE]
    found = []
    for op in (op for op, kind in CASES if kind is dtype):
        result = dtypes.bool if op in COMPARE else dtype
        found.append((op, one_op(op), getattr(Ops, op), operands(op, dtype), result))
    for result in casts:
        to = f"to {result.name}"
        found.append((to, lambda x, r=result: x.cast(r), Ops.CAST, (awkward(dtype),), result))
    return found


def run(device: str, dtype: DType, wanted: list[tuple]) -> list[np.ndarray]:
    """The results of all cases, compiled as one translation unit."""
    on, made = target(device.partition("_")[0]), Device[device]
    programs = [
        (program(make, [dtype] * len(arrays), result, len(arrays[0]), on), f"k{number}")
        for number, (_, make, _, arrays, result) in enumerate(wanted)
    ]
    [compiled] = made.compile_many([(render_unit(programs, on), [name for _, name in programs])])
    found = []
    for (_, _, _, arrays, result), binary in zip(wanted, compiled, strict=True):
        out = Buffer(device, len(arrays[0]), result)
        given = [Buffer(device, array.size, dtype).copyin(array) for array in arrays]
        made.runtime(binary)([out, *given])
        found.append(out.numpy())
    return found


@pytest.mark.parametrize(("device", "dtype"), HERE, ids=[f"{d}-{t.name}" for d, t in HERE])
def test_ops_and_casts_of_a_dtype_mean_what_the_interpreter_says(device, dtype):
    wanted = cases(device, dtype)
    wrong = []
    for (name, _, op, arrays, result), found in zip(
        wanted, run(device, dtype, wanted), strict=True
    ):
        expected = compute(op, result, None, arrays, dtype)
        if name in ("MAX", "MIN") and dtype.is_float:  # of -0.0 and 0.0 either may result
            found, expected = found + np.zeros((), dtype.np), expected + np.zeros((), dtype.np)
        problem = explain(found, expected, *arrays)
        wrong += [f"{name} {problem}"] if problem else []
    assert not wrong, "\n".join(wrong)


SPACING = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}  # of floats from 1
FLOATS = [(device, dtype) for device, dtype in HERE if dtype.name in SPACING]


@pytest.mark.parametrize(("device", "dtype"), FLOATS, ids=[f"{d}-{t.name}" for d, t in FLOATS])
def test_functions_are_near_what_the_interpreter_says(device, dtype):
    values = np.concatenate([np.linspace(-3, 3, 25), np.linspace(0.1, 80, 20)]).astype(dtype.np)
    wanted = [(op, one_op(op), getattr(Ops, op), (values,), dtype) for op in FUNCTIONS]
    for (name, _, op, arrays, _), found in zip(wanted, run(device, dtype, wanted), strict=True):
        expected = compute(op, dtype, None, arrays, dtype).astype(np.float64)
        near = 4 * SPACING[dtype.name]
        np.testing.assert_allclose(
            found.astype(np.float64), expected, rtol=near, atol=near * 1e-3, err_msg=name
        )


@pytest.mark.parametrize(
    ("there", "back", "digits"),
    [
        ("__float_as_int(x)", "__int_as_float(y + 1)", 23),
        ("__float_as_uint(x)", "__uint_as_float(y + 1)", 23),
        ("__double_as_longlong(x)", "(float)__longlong_as_double(y + (1LL << 29))", 23),
        ("__half_as_ushort(__float2half(x))",
         "__half2float(__ushort_as_half((unsigned short)(y + 1)))", 10),
        ("__bfloat16_as_ushort(__float2bfloat16(x))",
         "__bfloat162float(__ushort_as_bfloat16((unsigned short)(y + 1)))", 7),
    ],
)  # fmt: skip
def test_kernels_by_hand_read_the_bits_of_floats(there, back, digits):
    body = f"  auto x = in[i]; auto y = {there}; out[i] = {back};"
    given = Buffer(Device["CUDA_EMULATED"], SIZE, dtypes.f32)
    given.copyin(np.full(SIZE, 1.5, np.float32))
    after = launch(body, "CUDA_EMULATED", given=given).numpy()
    np.testing.assert_array_equal(after, np.float32(1.5 + 2.0**-digits))
