"""Loops that end where another one says, in kernels by hand: right on every device."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor, UOp, dtypes
from rulewright.runtime.device import Device

SIZE = 7
X = np.arange(SIZE * SIZE, dtype=np.float32).reshape(SIZE, SIZE)
DEVICES = [
    "C",
    "INTERP",
    "OPENCL",
    "CUDA_EMULATED",
    "CUDA_SM90_EMULATED",
    "METAL_EMULATED",
    "WEBGPU",
]


def triangle(out, x):
    row = UOp.range(SIZE, 0)
    column = UOp.range(row + 1, 1)
    place = row * SIZE + column
    return out.index(place).store(x.index(place) * 2).end(row, column).sink()


def none_at_first(out, x):
    row = UOp.range(SIZE, 0)
    column = UOp.range(row, 1)
    place = row * SIZE + column
    return out.index(place).store(x.index(place) * 2).end(row, column).sink()


def sums(out, x):
    row = UOp.range(SIZE, 0)
    column = UOp.range(row + 1, 1, "reduce")
    held, zero = UOp.register(dtypes.f32, 1, 0), UOp.index_const(0)
    ready = held.after(row).index(zero).store(UOp.const(dtypes.f32, 0))
    so_far = held.after(ready, column).index(zero)
    added = so_far.store(so_far + x.index(row * SIZE + column)).end(column)
    return out.index(row * SIZE).store(held.after(added).index(zero)).end(row).sink()


def three_deep(out, x):
    row = UOp.range(SIZE, 0)
    column = UOp.range(row + 1, 1)
    again = UOp.range(row + 1 - column, 2)
    from_, to = row * SIZE + column + again, row * SIZE + again
    return out.index(to).store(x.index(from_)).end(row, column, again).sink()


def first_column(values):
    wanted = np.zeros_like(X)
    wanted[:, 0] = values
    return wanted


def last_written():
    wanted = np.zeros_like(X)
    for row in range(SIZE):
        for column in range(row + 1):
            for again in range(row + 1 - column):
                wanted[row, again] = X[row, column + again]
    return wanted


PROGRAMS = {
    triangle: np.tril(X * 2),
    none_at_first: np.tril(X * 2, -1),
    sums: first_column(np.tril(X).sum(1)),
    three_deep: last_written(),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kernel", PROGRAMS, ids=lambda kernel: kernel.__name__)
def test_a_loop_ends_where_another_one_says(kernel, device):
    if Device.why_not(device):
        pytest.skip(Device.why_not(device))
    out = Tensor.zeros(SIZE * SIZE, device=device).contiguous()
    result, *_ = Tensor.custom_kernel(out, Tensor(X.ravel(), device=device), fxn=kernel)
    np.testing.assert_array_equal(result.numpy(), PROGRAMS[kernel].ravel())
