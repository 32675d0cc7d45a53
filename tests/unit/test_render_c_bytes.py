"""Integer division and shifts in C over every pair of bytes, and by every kind of constant."""

from __future__ import annotations

import numpy as np
import pytest
from render_tools import Unit, call, one_op

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

OPS = ("FLOORDIV", "FLOORMOD", "CDIV", "CMOD", "SHL", "SHR")
BYTES = (dtypes.i8, dtypes.u8)
CONSTANTS = (-128, -64, -7, -2, -1, 0, 1, 2, 3, 7, 8, 64, 100, 127)
WIDE = (dtypes.i8, dtypes.u8, dtypes.i32, dtypes.u32, dtypes.i64, dtypes.u64)


def every(dtype: DType) -> np.ndarray:
    return np.arange(int(dtype.min), int(dtype.max) + 1).astype(dtype.np)


def some(dtype: DType) -> np.ndarray:
    """All bytes, and numbers near the bounds and powers of two of a wider type."""
    low, high = int(dtype.min), int(dtype.max)
    near = [s * (1 << b) + d for b in range(dtype.bits) for s in (1, -1) for d in (-1, 0, 1)]
    numbers = sorted({n for n in (*range(-128, 128), *near, low, high) if low <= n <= high})
    return np.array(numbers, dtype.np)


@pytest.fixture(scope="module")
def unit():
    made, names = Unit(), {}
    for dtype in BYTES:
        for op in OPS:
            names[op, dtype] = made.add(one_op(op), [dtype, dtype], dtype, 1 << 16)
    for dtype in WIDE:
        for op in OPS:
            for constant in CONSTANTS:
                number = UOp.const(dtype, constant)
                if number.arg != constant:
                    continue
                expression = lambda x, op=op, number=number: x.alu(getattr(Ops, op), number)  # noqa: E731
                size = len(some(dtype))
                names[op, dtype, constant] = made.add(expression, [dtype], dtype, size)
    return made.compile(), names


@pytest.mark.parametrize("dtype", BYTES, ids=lambda d: d.name)
@pytest.mark.parametrize("op", OPS)
def test_every_pair_of_bytes(unit, op, dtype):
    library, names = unit
    left, right = (a.ravel().copy() for a in np.meshgrid(every(dtype), every(dtype)))
    found = call(library, names[op, dtype], np.zeros(1 << 16, dtype.np), left, right)
    expected = compute(getattr(Ops, op), dtype, None, (left, right), dtype)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", WIDE, ids=lambda d: d.name)
@pytest.mark.parametrize("op", OPS)
def test_by_constants(unit, op, dtype):
    library, names = unit
    values = some(dtype)
    for constant in CONSTANTS:
        name = names.get((op, dtype, constant))
        if name is None:
            continue
        found = call(library, name, np.zeros(len(values), dtype.np), values)
        other = np.full_like(values, constant)
        expected = compute(getattr(Ops, op), dtype, None, (values, other), dtype)
        np.testing.assert_array_equal(found, expected, err_msg=f"{op} by {constant}")
