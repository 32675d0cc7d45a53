"""One kernel at every stage of its lowering, for every target: the interpreter agrees with itself.

A failure names the pipeline entry that changed what the kernel computes.
"""

from __future__ import annotations

import numpy as np
import pytest

from rulewright.codegen.lower import lowering_stages
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

f32 = dtypes.f32


def param(slot: int, size: int) -> UOp:
    return UOp(Ops.PARAM, f32, (), (slot, (size,), None))


def matmul(n: int, k: int, m: int) -> tuple[UOp, list[int]]:
    i, j, r = UOp.range(n, 0), UOp.range(m, 1), UOp.range(k, 2, "reduce")
    product = param(0, n * k).index(i * k + r) * param(1, k * m).index(r * m + j)
    store = param(2, n * m).index(i * m + j).store(product.reduce(Ops.ADD, r))
    return UOp.sink(store.end(i, j)), [n * k, k * m, n * m]


def softmax(rows: int, columns: int) -> tuple[UOp, list[int]]:
    size = rows * columns
    x, i, j = param(0, size), UOp.range(rows, 0), UOp.range(columns, 1)
    r0, r1 = UOp.range(columns, 2, "reduce"), UOp.range(columns, 3, "reduce")
    most = x.index(i * columns + r0).reduce(Ops.MAX, r0)
    total = (x.index(i * columns + r1) - most).alu(Ops.EXP).reduce(Ops.ADD, r1)
    value = (x.index(i * columns + j) - most).alu(Ops.EXP) / total
    return UOp.sink(param(1, size).index(i * columns + j).store(value).end(i, j)), [size, size]


def total(size: int) -> tuple[UOp, list[int]]:
    r = UOp.range(size, 0, "reduce")
    value = param(0, size).index(r).reduce(Ops.ADD, r)
    return UOp.sink(param(1, 1).index(UOp.index_const(0)).store(value)), [size, 1]


def padded(size: int) -> tuple[UOp, list[int]]:
    i = UOp.range(size + 4, 0)
    valid = (i >= 2).alu(Ops.AND, i < size + 2)
    index = valid.where(i - 2, UOp(Ops.INVALID, dtypes.index))
    store = param(1, size + 4).index(i).store(param(0, size).index(index) + 1.0)
    return UOp.sink(store.end(i)), [size, size + 4]


KERNELS = {
    "matmul": matmul(16, 24, 32),
    "matmul of primes": matmul(5, 3, 7),
    "softmax": softmax(8, 32),
    "softmax of primes": softmax(3, 7),
    "sum of all": total(1024),
    "sum of a prime": total(97),
    "pad": padded(32),
}


@pytest.mark.parametrize("target", ["C", "OPENCL", "CUDA", "METAL"])
@pytest.mark.parametrize("name", KERNELS)
def test_every_stage_computes_the_same(name, target, rng):
    check(*KERNELS[name], target, rng)


@pytest.mark.parametrize("target", ["C", "OPENCL"])
@pytest.mark.parametrize("name", ["matmul of primes", "softmax of primes", "pad"])
def test_every_stage_computes_the_same_in_pieces(name, target, rng, monkeypatch):
    monkeypatch.setattr("rulewright.interp.loops.LIMIT", 16)
    check(*KERNELS[name], target, rng)


def check(kernel: UOp, sizes: list[int], target: str, rng: np.random.Generator) -> None:
    given = [rng.normal(size=n).astype("f4") for n in sizes]
    wanted = [array.copy() for array in given]
    run_kernel(kernel, wanted)
    for stage, graph in lowering_stages(kernel, target):
        found = [array.copy() for array in given]
        run_kernel(graph, found)
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4, err_msg=f"after {stage}")
