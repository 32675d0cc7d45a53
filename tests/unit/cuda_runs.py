"""Runs of copies, kernels and graphs on the CUDA device, in an order that is drawn, and numpy's.

They run over the stand-in for the driver (`test_cuda_order.py`) and on a GPU (`tests/cuda/`).
"""

from __future__ import annotations

import random

import numpy as np

from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import NOWHERE, Buffer
from rulewright.runtime.cuda.device import CudaDevice
from rulewright.runtime.device import Device, Use

SIZE = 96  # elements
SCALE_AND_ADD = """
extern "C" __global__ void scale_and_add(
    float *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b,
    long long scale) {
  int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = a[i] * scale + b[i];
}
"""
GRID = (3,), (32,)


MOVES = ("copy_in", "copy_a_piece_in", "copy_pinned_in", "launch", "launch", "run_row", "run_row",
         "let_go", "look", "look_later")  # fmt: skip


class Run:
    """Buffers, and what is in them as numpy has it; `moves` are done in an order that is drawn."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        device = Device["CUDA"]
        assert isinstance(device, CudaDevice)
        self.device = device
        program = self.device.compile(SCALE_AND_ADD, "scale_and_add")
        self.kernel = self.device.runtime(program)
        self.buffers: list[Buffer] = []
        self.values: list[np.ndarray] = []
        for _ in range(4):
            self.fill(self.append())
        self.later: list[tuple[np.ndarray, np.ndarray]] = []  # pinned arrays, what they will hold
        self.row = self.make_row()

    def append(self) -> int:
        self.buffers.append(Buffer("CUDA", SIZE, dtypes.f32))
        self.values.append(np.zeros(SIZE, np.float32))
        return len(self.buffers) - 1

    def some(self) -> np.ndarray:
        return np.float32(self.draw.randrange(1, 9)) + np.arange(SIZE, dtype=np.float32) % 7

    def fill(self, at: int) -> None:
        data = self.some()
        self.buffers[at].copyin(data)
        self.values[at] = data.copy()
        data[:] = -1000  # the host's memory is the host's again

    def three(self) -> list[int]:
        return self.draw.sample(range(len(self.buffers)), 3)

    # ---- moves ----------------------------------------------------------------------------

    def copy_in(self) -> None:
        self.fill(self.draw.randrange(len(self.buffers)))

    def copy_a_piece_in(self) -> None:
        at, first = self.draw.randrange(len(self.buffers)), self.draw.randrange(SIZE // 16) * 16
        data = self.some()[:8]
        self.buffers[at].view(first * 4, 8).copyin(data)
        self.values[at][first : first + 8] = data

    def copy_pinned_in(self) -> None:
        """From an array that is dropped at once, or written again behind `synchronize`."""
        at = self.draw.randrange(len(self.buffers))
        array = self.device.pinned(SIZE, np.float32)
        array[:] = self.values[at] = self.some()
        self.buffers[at].copyin(array)
        if self.draw.random() < 0.3:
            self.device.synchronize()
            array[:] = -1000

    def launch(self) -> None:
        self.launch_over(*self.three())

    def launch_over(self, out: int, a: int, b: int) -> None:
        scale = self.draw.randrange(-2, 3)
        chosen = [self.buffers[i] for i in (out, a, b)]
        self.kernel.bind(chosen, [scale], *GRID)()
        self.values[out] = self.kept(self.values[a] * np.float32(scale) + self.values[b], out)

    def kept(self, values: np.ndarray, at: int) -> np.ndarray:
        if np.abs(values).max() < 1e6:
            return values
        self.buffers[at].copyin(np.ones(SIZE, np.float32))
        return np.ones(SIZE, np.float32)

    def make_row(self) -> object:
        """Kernels as one: slot 2 = 2·slot 0 + own, own = 3·slot 2 + slot 1, slot 0 = own + own."""
        own = Buffer("CUDA", SIZE, dtypes.f32).copyin(np.zeros(SIZE, np.float32))
        first, second, third = [NOWHERE, NOWHERE, own], [own, NOWHERE, NOWHERE], [NOWHERE, own, own]
        rows = [(first, 2), (second, 3), (third, 1)]
        bound = [self.kernel.bind(buffers, [scale], *GRID) for buffers, scale in rows]
        uses = [Use(0, 0, 2, 0), Use(0, 1, 0, 0), Use(1, 1, 2, 0), Use(1, 2, 1, 0), Use(2, 0, 0, 0)]
        self.own = np.zeros(SIZE, np.float32)
        return self.device.launch_row(bound, uses, 3)

    def run_row(self) -> None:
        self.row_over(*self.three())

    def row_over(self, zero: int, one: int, two: int) -> None:
        for slot, at in enumerate((zero, one, two)):
            self.row.put(slot, self.buffers[at])
        scale = self.draw.randrange(-1, 2)
        self.row.number(1, 0, scale)
        self.row.run()
        self.values[two] = self.values[zero] * 2 + self.own
        self.own = self.values[two] * np.float32(scale) + self.values[one]
        self.values[zero] = self.own + self.own
        if max(np.abs(v).max() for v in (self.own, *self.values)) > 1e6:
            self.row = self.make_row()
            for at in (zero, one, two):
                self.fill(at)

    def let_go(self) -> None:
        """Free a buffer while it may be in use, and take another, in the same memory or not."""
        at = self.draw.randrange(len(self.buffers))
        del self.buffers[at], self.values[at]
        if self.draw.random() < 0.3:
            self.device.allocator.trim()
        self.fill(self.append())

    def look(self) -> None:
        self.look_at(self.draw.randrange(len(self.buffers)))

    def look_at(self, at: int) -> None:
        np.testing.assert_array_equal(self.buffers[at].numpy(), self.values[at])

    def look_later(self) -> None:
        self.look_later_at(self.draw.randrange(len(self.buffers)))

    def look_later_at(self, at: int) -> None:
        """A copy to the host that is not waited for: what comes behind must not overtake it."""
        array = self.device.pinned(SIZE, np.float32)
        allocator, address = self.device.allocator, array.ctypes.data
        block = allocator.pinned.block_at(address, array.nbytes)
        buffer = self.buffers[at]
        allocator._queue_out(buffer.block, buffer.offset, block, address, array.nbytes)
        self.later.append((array, self.values[at].copy()))

    def end(self) -> None:
        self.device.synchronize()
        for array, values in self.later:
            np.testing.assert_array_equal(array, values)
        for buffer, values in zip(self.buffers, self.values, strict=True):
            np.testing.assert_array_equal(buffer.numpy(), values)

    def any_moves(self, count: int) -> None:
        """Moves that are drawn."""
        for _ in range(count):
            getattr(self, self.draw.choice(MOVES))()
        self.end()
