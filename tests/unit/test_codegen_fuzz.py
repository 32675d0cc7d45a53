"""Random kernels: interpreter, lowered lists and compiled C agree."""

from math import prod

import numpy as np
from codegen_kernels import axis, const, inputs, param, reduced
from hypothesis import given, settings, strategies as st

from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.runtime.clib import int64_array, load_function, pointer_array
from rulewright.runtime.compiler import DEFAULT_FLAGS, compile_many

SIZES = (1, 2, 3, 5, 7, 8, 9, 16, 17, 24, 32, 33, 40, 63, 64, 65, 100, 130, 257)
MOST = 20_000  # rounds of a nest


class Maker:
    """Draws one kernel: rows, perhaps columns of their own, reductions and gated reads."""

    def __init__(self, rnd):
        self.rnd, self.ids, self.slots = rnd, iter(range(100)), iter(range(1, 100))
        self.dtype = rnd.choice([dtypes.f32, dtypes.f32, dtypes.i32, dtypes.f64])

    def axes(self, count, around=(), kind=axis):
        found = [kind(self.rnd.choice(SIZES), next(self.ids)) for _ in range(count)]
        while found and prod(a.size for a in (*found, *around)) > MOST:
            found.pop()
        return found

    def place(self, axes):
        index, size = const(0), 1
        for a in reversed(axes):
            index, size = a * size + index, size * a.size
        return index, size

    def read(self, axes):
        used = [a for a in axes if self.rnd.random() < 0.75] or axes[-1:]
        if self.rnd.random() < 0.3:
            self.rnd.shuffle(used)
        index, size = self.place(used)
        if used and self.rnd.random() < 0.15:
            limit = const(self.rnd.randint(0, used[0].size))
            index = (used[0] < limit).where(index, UOp(Ops.INVALID, dtypes.index))
        return param(next(self.slots), size, self.dtype).index(index)

    def value(self, axes, depth):
        kind = self.rnd.random()
        if depth == 0 or kind < 0.2:
            return self.read(axes)
        if kind < 0.4:
            over = self.axes(self.rnd.randint(1, 2), axes, reduced)
            inside = self.value([*axes, *over], depth - 1)
            return inside.reduce(self.rnd.choice([Ops.ADD, Ops.MAX]), *over)
        op = self.rnd.choice([Ops.ADD, Ops.MUL, Ops.MAX, Ops.SUB])
        return self.value(axes, depth - 1).alu(op, self.value(axes, depth - 1))

    def kernel(self):
        rows = self.axes(self.rnd.randint(1, 2)) or [axis(4, 0)]
        over = self.axes(self.rnd.randint(1, 3), rows, reduced)
        total = self.value([*rows, *over], 2).reduce(Ops.ADD, *over)
        columns = self.axes(self.rnd.randint(0, 1), rows)
        stored = [*rows, *columns]
        value = total.alu(self.rnd.choice([Ops.ADD, Ops.MAX]), self.read(stored))
        index, size = self.place(stored)
        return UOp.sink(param(0, size, self.dtype).index(index).store(value).end(*stored))


def run_c(kernel, arrays):
    program = lower_kernel(kernel, "C")
    (path,) = compile_many([program.source], DEFAULT_FLAGS, program.name)
    pointers = pointer_array([arrays[slot].ctypes.data for slot in program.parameters])
    load_function(path, program.name)(pointers, int64_array([]), 0, program.launch[0][0])


def agree(found, expected):
    if expected.dtype.kind == "f":
        # sums of products lose what their largest terms round away
        scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3 * scale)
    else:
        np.testing.assert_array_equal(found, expected)


@settings(max_examples=20)
@given(st.randoms(use_true_random=False), st.integers(0, 2**32 - 1))
def test_random_kernels(rnd, seed):
    kernel = Maker(rnd).kernel()
    arrays = inputs(kernel, np.random.default_rng(seed))
    for array in arrays[1:]:
        array[:] = array % 7 if array.dtype.kind == "i" else array / 4
    expected = [a.copy() for a in arrays]
    run_kernel(kernel, expected)
    with Context(VERIFY=1):
        listed = [a.copy() for a in arrays]
        run_kernel(dict(lowering_stages(kernel, "CUDA"))["linearize"], listed)
        agree(listed[0], expected[0])
        run_c(kernel, arrays)
    agree(arrays[0], expected[0])
