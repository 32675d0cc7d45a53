"""What tests of OpenCL share."""

from __future__ import annotations

import numpy as np

from rulewright.codegen.lower import lower_kernel
from rulewright.driver.graphs import schedule
from rulewright.ir.uop import UOp
from rulewright.runtime.memories import new_buffer
from rulewright.tensor.tensor import Tensor

LONG = np.cos(np.arange(2 * 1024)).reshape(2, 1024).astype(np.float32)


def on_device(array: np.ndarray) -> Tensor:
    return Tensor(array, device="OPENCL")


def source_of(tensor: Tensor) -> str:
    """The source of all kernels of a tensor."""
    value = tensor.uop
    out = new_buffer(value.dtype, value.max_shape, "OPENCL")
    items = schedule(UOp.sink(out.store(value))).items
    return "\n".join(lower_kernel(item.ast, "OPENCL").source for item in items)
