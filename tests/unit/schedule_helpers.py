"""What the tests of the schedule share: graphs over numpy arrays, run kernel by kernel."""

from __future__ import annotations

import numpy as np

from rulewright.driver.graphs import schedule
from rulewright.driver.schedules import Schedule
from rulewright.ir.dtypes import DType, dtypes, from_numpy
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.runtime.memories import buffer_of, new_buffer

DEVICE = "INTERP"


def buffer(array: np.ndarray, device: str = DEVICE) -> UOp:
    """A BUFFER that holds a copy of an array."""
    array = np.asarray(array)
    node = new_buffer(from_numpy(array.dtype), array.shape, device)
    buffer_of(node).allocate().copyin(np.ascontiguousarray(array))
    return node


def array_of(node: UOp) -> np.ndarray:
    """What a BUFFER holds."""
    return buffer_of(node).numpy().reshape(node.arg[1])


def param(slot: int, shape: tuple[int, ...], dtype: DType = dtypes.f32, device: str = "C") -> UOp:
    """A parameter of a function."""
    return UOp(Ops.PARAM, dtype, (), (slot, shape, device))


def reduced(op: Op, value: UOp, *axes: int) -> UOp:
    """Axes reduced to size 1."""
    return UOp(Ops.REDUCE_AXIS, value.dtype, (value,), (op, axes))


def scheduled(*values: UOp) -> tuple[Schedule, list[UOp]]:
    """A checked schedule that computes values into new buffers, and these."""
    outputs = [new_buffer(v.dtype, v.max_shape, DEVICE) for v in values]
    stores = [out.store(value) for out, value in zip(outputs, values, strict=True)]
    with Context(VERIFY=1):
        return schedule(UOp.sink(*stores)), outputs


def computed(*values: UOp) -> list[np.ndarray]:
    """Values of graphs, computed by their kernels."""
    made, outputs = scheduled(*values)
    made.run()
    return [array_of(out) for out in outputs]


def kernels(*values: UOp) -> int:
    """How many kernels a schedule of these values has."""
    return len(scheduled(*values)[0].items)


def softmax(x: UOp, axis: int) -> UOp:
    """exp(x - max) / sum, as its definition has it."""
    shape = x.shape or ()
    e = (x - reduced(Ops.MAX, x, axis).expand(shape)).alu(Ops.EXP)
    return e / reduced(Ops.ADD, e, axis).expand(shape)


def matmul(a: UOp, b: UOp) -> UOp:
    """Product of matrices by broadcast and sum."""
    (m, k), (_, n) = a.shape, b.shape  # type: ignore[misc]
    left = a.reshape((m, 1, k)).expand((m, n, k))
    right = b.permute((1, 0)).reshape((1, n, k)).expand((m, n, k))
    return reduced(Ops.ADD, left * right, 2).reshape((m, n))
