"""Every op on every dtype in OpenCL, on oclgrind or whatever driver is here, as in C."""

from __future__ import annotations

import numpy as np
import pytest
from render_tools import (
    CASES,
    CASTS,
    COMPARE,
    awkward,
    explain,
    one_op,
    operands,
    program,
)

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.render import render_unit, target
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device

FUNCTIONS = ("EXP", "EXP2", "LOG", "LOG2", "SIN", "COS", "ATAN", "TANH", "ERF")
LOOSE = 8  # units in the last place that OpenCL allows its functions, and some


def run(source: str, name: str, result: DType, *arrays: np.ndarray) -> np.ndarray:
    """A kernel of one work item over arrays."""
    device = Device["OPENCL"]
    size = len(arrays[0])
    out = Buffer(device, size, result)
    inputs = [Buffer(device, size, _named(a)).copyin(a) for a in arrays]
    runtime = device.runtime(device.compile(source, name))
    runtime.bind([out, *inputs], [], (1,), (1,))(wait=True)
    return out.numpy().reshape(-1)


def _named(array: np.ndarray) -> DType:
    from rulewright.ir.dtypes import from_numpy

    return from_numpy(array.dtype)


def source_of(expression, inputs, result, size):
    on = target("OPENCL")
    return render_unit([(program(expression, inputs, result, size, on), "k")], on)


@pytest.mark.parametrize(("op", "dtype"), CASES, ids=[f"{o}-{d.name}" for o, d in CASES])
def test_op(op, dtype):
    arrays = operands(op, dtype)
    result = dtypes.bool if op in COMPARE else dtype
    source = source_of(one_op(op), [dtype] * len(arrays), result, len(arrays[0]))
    found = run(source, "k", result, *arrays)
    expected = compute(getattr(Ops, op), result, None, arrays, dtype)
    if op in ("MAX", "MIN") and dtype.is_float:  # of -0.0 and 0.0 either may result
        found, expected = found + np.zeros((), dtype.np), expected + np.zeros((), dtype.np)
    assert not explain(found, expected, *arrays)


@pytest.mark.parametrize(
    ("source", "result"), CASTS, ids=[f"{s.name}-to-{r.name}" for s, r in CASTS]
)
def test_cast(source, result):
    values = awkward(source)
    text = source_of(lambda x: x.cast(result), [source], result, len(values))
    found = run(text, "k", result, values)
    assert not explain(found, compute(Ops.CAST, result, None, (values,), source), values)


@pytest.mark.parametrize("op", FUNCTIONS)
def test_function(op):
    values = np.array([-3.0, -0.5, -0.0, 0.0, 0.1, 1.0, 2.5, 20.0, np.inf, np.nan], np.float32)
    text = source_of(one_op(op), [dtypes.f32], dtypes.f32, len(values))
    found = run(text, "k", dtypes.f32, values)
    expected = compute(getattr(Ops, op), dtypes.f32, None, (values,), dtypes.f32)
    tolerance = LOOSE * np.finfo(np.float32).eps
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
