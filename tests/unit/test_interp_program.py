"""The interpreter on programs: lists of uops as they become source; expected values from numpy."""

from __future__ import annotations

import numpy as np
import pytest
from codegen_kernels import param

from rulewright.errors import InterpreterError
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

f32, i32, void = dtypes.f32, dtypes.i32, dtypes.void


def const(value: int) -> UOp:
    return UOp.const(i32, value)


def loop(size: int, ident: int, kind: str) -> UOp:
    return UOp(Ops.RANGE, i32, (const(size),), (ident, kind))


def special(size: int, name: str) -> UOp:
    return UOp(Ops.SPECIAL, i32, (const(size),), name)


def register(size: int = 1, dtype=f32) -> UOp:
    return UOp(Ops.DEFINE_REG, dtype, (), (0, size))


def program(*roots: UOp) -> tuple[UOp, ...]:
    """The roots in order, each preceded by what it needs and nothing that belongs inside a loop."""
    listed: dict[UOp, None] = {}
    inline = {Ops.CONST, Ops.PARAM, Ops.LANES, Ops.VAR}
    for root in roots:
        for node in root.toposort():
            if node.op not in inline:
                listed.setdefault(node)
    return tuple(listed)


def end(effect: UOp, axis: UOp) -> UOp:
    return UOp(Ops.END, void, (effect, axis))


def matmul(n: int, k: int, m: int, kinds=("loop", "loop")) -> tuple[UOp, ...]:
    a, b, c = param(0, n * k), param(1, k * m), param(2, n * m)
    acc = register()
    at = acc.index(const(0))
    i, j, r = loop(n, 0, kinds[0]), loop(m, 1, kinds[1]), loop(k, 2, "reduce")
    clear = at.store(UOp.const(f32, 0))
    product = a.index(i * k + r).load() * b.index(r * m + j).load()
    add = at.store(at.load() + product)
    close = end(add, r)
    result = acc.after(close).index(const(0)).load()
    put = c.index(i * m + j).store(result)
    return program(acc, i, j, clear, r, add, close, put, end(put, j), end(end(put, j), i))


@pytest.mark.parametrize(("n", "k", "m"), [(5, 3, 7), (1, 1, 1), (4, 0, 3), (0, 2, 2)])
@pytest.mark.parametrize("kinds", [("loop", "loop"), ("thread", "loop")])
@pytest.mark.parametrize("limit", [1 << 24, 3])
def test_matmul_with_an_accumulator(n, k, m, kinds, limit, rng, monkeypatch):
    monkeypatch.setattr("rulewright.interp.loops.LIMIT", limit)
    x, y = rng.normal(size=(n, k)).astype("f4"), rng.normal(size=(k, m)).astype("f4")
    z = np.full(n * m, np.nan, "f4")
    run_kernel(matmul(n, k, m, kinds), [x.reshape(-1), y.reshape(-1), z])
    np.testing.assert_allclose(z.reshape(n, m), x @ y, rtol=1e-5, atol=1e-6)
    listed = UOp(Ops.LINEAR, void, matmul(n, k, m, kinds))
    again = np.zeros(n * m, "f4")
    run_kernel(listed, [x.reshape(-1), y.reshape(-1), again])
    np.testing.assert_array_equal(again, z)


def test_a_loop_that_carries_a_register_runs_in_order():
    x, out, acc, i = param(0, 6), param(1, 6), register(), loop(6, 0, "loop")
    at = acc.index(const(0))
    clear = at.store(UOp.const(f32, 0))
    add = at.store(at.load() + x.index(i).load())
    put = out.index(i).store(acc.after(add).index(const(0)).load())
    data, found = np.arange(1, 7, dtype="f4"), np.zeros(6, "f4")
    run_kernel(program(acc, clear, i, add, put, end(put, i)), [data, found])
    np.testing.assert_array_equal(found, np.cumsum(data))


def grouped_sum(barrier: bool = True) -> tuple[UOp, ...]:
    """Sums of rows of 8: each of 4 work items adds two, then the first adds all."""
    x, out = param(0, 24), param(1, 3)
    g, lane = special(3, "g0"), special(4, "l0")
    shared = UOp(Ops.DEFINE_LOCAL, f32, (), (0, 4))
    first = x.index(g * 8 + lane).load() + x.index(g * 8 + lane + 4).load()
    put = shared.index(lane).store(first)
    wait = UOp(Ops.BARRIER, void, (put,))
    ready = shared.after(wait) if barrier else shared
    branch = UOp(Ops.IF, void, (lane.eq(const(0)), wait if barrier else put))
    acc, r = register(), loop(4, 0, "reduce")
    at = acc.index(const(0))
    clear = at.store(UOp.const(f32, 0))
    add = at.store(at.load() + ready.index(r).load())
    close = end(add, r)
    done = out.index(g).store(acc.after(close).index(const(0)).load())
    leave = UOp(Ops.ENDIF, void, (branch, done))
    order = [shared, acc, g, lane, put, *([wait] if barrier else [])]
    return program(*order, branch, clear, r, add, close, done, leave)


@pytest.mark.parametrize("limit", [1 << 24, 4])
def test_workgroup_memory_barriers_and_branches(limit, rng, monkeypatch):
    monkeypatch.setattr("rulewright.interp.loops.LIMIT", limit)
    data, found = rng.normal(size=24).astype("f4"), np.zeros(3, "f4")
    run_kernel(grouped_sum(), [data, found])
    np.testing.assert_allclose(found, data.reshape(3, 8).sum(1), rtol=1e-5)


def test_a_missing_barrier_is_an_error():
    with pytest.raises(InterpreterError, match="BARRIER"):
        run_kernel(grouped_sum(barrier=False), [np.ones(24, "f4"), np.zeros(3, "f4")])


def test_vectors_load_store_stack_and_lane():
    x, out = param(0, 12), param(1, 12)
    i = loop(3, 0, "loop")
    four = UOp(Ops.LOAD, f32.vec(4), (UOp(Ops.INDEX, f32.vec(4), (x, i * 4)),))
    lane = [UOp(Ops.LANE, f32, (four,), (n,)) for n in range(4)]
    turned = UOp(Ops.STACK, f32.vec(4), tuple(reversed(lane)))
    low = UOp(Ops.LANE, f32.vec(2), (four,), (0, 1))
    both = UOp(Ops.STACK, f32.vec(4), (low, low))
    value = turned + both * UOp.const(f32.vec(4), 10)
    put = UOp(Ops.INDEX, f32.vec(4), (out, i * 4)).store(value)
    data, found = np.arange(12, dtype="f4"), np.zeros(12, "f4")
    run_kernel(program(i, put, end(put, i)), [data, found])
    rows = data.reshape(3, 4)
    np.testing.assert_array_equal(found.reshape(3, 4), rows[:, ::-1] + rows[:, [0, 1, 0, 1]] * 10)


def test_lane_numbers_index_element_by_element():
    x, out = param(0, 8), param(1, 4)
    lanes = UOp(Ops.LANES, i32.vec(4), (), 4)
    at = lanes * UOp.const(i32.vec(4), 2)
    picked = UOp(Ops.LOAD, f32.vec(4), (UOp(Ops.INDEX, f32.vec(4), (x, at)),))
    put = UOp(Ops.INDEX, f32.vec(4), (out, lanes)).store(picked)
    found = np.zeros(4, "f4")
    run_kernel(program(put), [np.arange(8, dtype="f4"), found])
    assert found.tolist() == [0, 2, 4, 6]


def test_vector_registers_and_gates():
    x, out, acc = param(0, 8), param(1, 4), register(1, f32.vec(4))
    r = loop(2, 0, "reduce")
    at = UOp(Ops.INDEX, f32.vec(4), (acc, const(0)))
    clear = at.store(UOp.const(f32.vec(4), 0))
    four = UOp(Ops.LOAD, f32.vec(4), (UOp(Ops.INDEX, f32.vec(4), (x, r * 4)),))
    add = at.store(UOp(Ops.LOAD, f32.vec(4), (at,)) + four)
    close = end(add, r)
    total = UOp(Ops.LOAD, f32.vec(4), (UOp(Ops.INDEX, f32.vec(4), (acc.after(close), const(0))),))
    put = UOp(Ops.INDEX, f32.vec(4), (out, const(0))).store(total)
    found = np.zeros(4, "f4")
    run_kernel(program(acc, clear, r, add, close, put), [np.arange(8, dtype="f4"), found])
    assert found.tolist() == [4, 6, 8, 10]
    i = loop(6, 0, "loop")
    gate = i < 4
    other = UOp.const(f32, -1)
    value = param(0, 4).index(i).load(other, gate)
    put = param(1, 6).index(i).store(value, i.ne(const(5)))
    found = np.zeros(6, "f4")
    run_kernel(program(i, put, end(put, i)), [np.arange(4, dtype="f4"), found])
    assert found.tolist() == [0, 1, 2, 3, -1, 0]


def test_errors():
    i, j = loop(2, 0, "loop"), loop(2, 1, "loop")
    put = param(0, 4).index(i * 2 + j).store(UOp.const(f32, 0))
    crossed = (*program(i, j, put), end(put, i), end(put, j))
    with pytest.raises(InterpreterError, match="closes what is not the innermost block"):
        run_kernel(crossed, [np.zeros(4, "f4")])
    with pytest.raises(InterpreterError, match="is never closed"):
        run_kernel((i, j), [])
    far = param(0, 3).index(i * 2 + j).store(UOp.const(f32, 0))
    nest = (*program(i, j, far), end(far, j), end(far, i))
    with pytest.raises(InterpreterError, match="is 3, outside 0 … 2"):
        run_kernel(nest, [np.zeros(3, "f4")])
    wide = UOp(Ops.INDEX, f32.vec(4), (param(0, 6), const(4))).store(UOp.const(f32.vec(4), 0))
    with pytest.raises(InterpreterError, match="is 7, outside 0 … 5"):
        run_kernel(program(wide), [np.zeros(6, "f4")])
