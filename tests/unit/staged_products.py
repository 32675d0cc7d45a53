"""Products of matrices on emulated GPUs, as the tests of what a workgroup copies want them."""

from __future__ import annotations

import numpy as np
from arrays import as_dtype

from rulewright import Tensor
from rulewright.ir.uop import UOp

DEVICES = ("CUDA_EMULATED", "METAL_EMULATED")


def given(rng, shape, dtype, device):
    """Random numbers on a device, and the same in float64."""
    if dtype == "i8":
        array = rng.integers(-128, 128, shape).astype(np.int8)
    else:
        array = rng.standard_normal(shape).astype(np.float32)
    tensor = Tensor(as_dtype(array, dtype)).to(device).realize()
    return tensor, tensor.numpy().astype(np.float64)


def product(rng, device, dtype, shape, turned=False):
    """A product that is not computed yet, and what numpy says of it."""
    m, n, k = shape
    (x, a), (y, b) = (given(rng, s, dtype, device) for s in ((m, k), (n, k) if turned else (k, n)))
    if turned:
        y, b = y.transpose(), b.T
    return x.matmul(y, dtype="i32" if dtype == "i8" else "f32"), a @ b


def with_lanes(program, count):
    """A program with so many work items in a group."""
    sizes = {n: n.replace(src=(UOp.const(n.dtype, count),)) for n in program.src if n.arg == "l0"}
    return program.substitute(sizes)
