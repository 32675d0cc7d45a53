"""The interpreter on loops: indexed graphs, kernels, schedules; expected values from numpy."""

from __future__ import annotations

import numpy as np
import pytest
from codegen_kernels import param

from rulewright.errors import InterpreterError
from rulewright.interp import evaluate, run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

f32 = dtypes.f32


def loops(*sizes: int, kind: str = "loop", first: int = 0) -> list[UOp]:
    return [UOp.range(n, first + i, kind) for i, n in enumerate(sizes)]


def kernel(out: UOp, index: UOp, value: UOp, *ranges: UOp) -> UOp:
    return UOp.sink(out.index(index).store(value).end(*ranges))


def stage(x: UOp, *ranges: UOp, space: str = "global") -> UOp:
    return UOp(Ops.STAGE, x.dtype, (x, *ranges), space)


def invalid() -> UOp:
    return UOp(Ops.INVALID, dtypes.index)


def test_what_is_made_of_an_invalid_index_is_invalid_reduced_and_moved_too():
    valid, number = param(0, 3, dtypes.bool), param(1, 3, dtypes.index)
    index = valid.where(number, invalid())
    held = {valid: np.array([True, False, True]), number: np.array([4, 5, 6])}
    largest = UOp(Ops.REDUCE_AXIS, dtypes.index, (index,), (Ops.MAX, (0,)))
    assert evaluate(largest.cast(dtypes.i32), held) == [0]  # as what is read there
    turned = UOp(Ops.FLIP, dtypes.index, (index,), (True,))
    assert evaluate((turned + 1).cast(dtypes.i32), held).tolist() == [7, 0, 5]
    (r,) = loops(3, kind="reduce")
    each = valid.index(r).where(number.index(r), invalid())
    total = UOp(Ops.REDUCE, dtypes.index, (each, r), Ops.ADD)
    assert evaluate(total.cast(dtypes.i32), held) == 0
    assert evaluate(total.cast(dtypes.i32), {**held, valid: np.array([True] * 3)}) == 15


@pytest.mark.parametrize(("n", "k", "m"), [(5, 3, 7), (1, 1, 1), (4, 0, 3), (0, 2, 2)])
@pytest.mark.parametrize("limit", [1 << 24, 20])
def test_matmul(n, k, m, limit, rng, monkeypatch):
    monkeypatch.setattr("rulewright.interp.loops.LIMIT", limit)
    i, j = loops(n, m)
    (r,) = loops(k, kind="reduce", first=2)
    a, b, out = param(0, n * k), param(1, k * m), param(2, n * m)
    total = (a.index(i * k + r) * b.index(r * m + j)).reduce(Ops.ADD, r)
    x, y = rng.normal(size=(n, k)).astype("f4"), rng.normal(size=(k, m)).astype("f4")
    z = np.full(n * m, np.nan, "f4")
    run_kernel(kernel(out, i * m + j, total, i, j), [x.reshape(-1), y.reshape(-1), z])
    np.testing.assert_allclose(z.reshape(n, m), x @ y, rtol=1e-5, atol=1e-6)


def softmax_kernel(rows: int, columns: int) -> UOp:
    x, out = param(0, rows * columns), param(1, rows * columns)
    i, j = loops(rows, columns)
    r0, r1 = loops(columns, columns, kind="reduce", first=2)
    most = x.index(i * columns + r0).reduce(Ops.MAX, r0)
    total = (x.index(i * columns + r1) - most).alu(Ops.EXP).reduce(Ops.ADD, r1)
    value = (x.index(i * columns + j) - most).alu(Ops.EXP) / total
    return kernel(out, i * columns + j, value, i, j)


@pytest.mark.parametrize("limit", [1 << 24, 5])
def test_nested_reductions_softmax(limit, rng, monkeypatch):
    monkeypatch.setattr("rulewright.interp.loops.LIMIT", limit)
    x, out = rng.normal(size=(3, 7)).astype("f4"), np.zeros(21, "f4")
    run_kernel(softmax_kernel(3, 7), [x.reshape(-1), out])
    wanted = np.exp(x.astype("f8"))
    wanted /= wanted.sum(1, keepdims=True)
    np.testing.assert_allclose(out.reshape(3, 7), wanted, rtol=1e-5)


def test_softmax_at_two_stages_is_bit_equal(rng):
    """The same program by movement ops and by loops."""
    x = rng.normal(size=(3, 7)).astype("f4")
    p = UOp(Ops.PARAM, f32, (), (0, (3, 7), None))

    def over_rows(value: UOp, op) -> UOp:
        return UOp(Ops.REDUCE_AXIS, f32, (value,), (op, (1,))).expand((3, 7))

    e = (p - over_rows(p, Ops.MAX)).alu(Ops.EXP)
    tensor = evaluate(e / over_rows(e, Ops.ADD), {p: x})
    out = np.zeros(21, "f4")
    run_kernel(softmax_kernel(3, 7), [x.reshape(-1), out])
    np.testing.assert_array_equal(out.reshape(3, 7), tensor)


def test_invalid_indices_read_zero_and_write_nothing():
    (i,) = loops(8)
    x, out = param(0, 5), param(1, 8)
    valid = (i >= 2).alu(Ops.AND, i < 7)
    index = valid.where(i - 2, invalid())
    given, found = np.arange(1, 6, dtype="f4"), np.full(8, 9, "f4")
    run_kernel(kernel(out, i, x.index(index), i), [given, found])
    assert found.tolist() == [0, 0, 1, 2, 3, 4, 5, 0]
    found = np.full(5, 9, "f4")
    run_kernel(kernel(param(1, 5), index, i.cast(f32), i), [given, found])
    assert found.tolist() == [2, 3, 4, 5, 6]
    both = kernel(out, i, UOp(Ops.LOAD, f32, (x.index(i - 2), UOp.const(f32, -1), valid)), i)
    found = np.zeros(8, "f4")
    run_kernel(both, [given, found])
    assert found.tolist() == [-1, -1, 1, 2, 3, 4, 5, -1]


def test_a_gated_read_gives_the_other_value_behind_its_gate_and_zero_at_an_invalid_index():
    (i,) = loops(4)
    x, out = param(0, 4), param(1, 4)
    element = x.index((i < 3).where(i, invalid()))
    gated = UOp(Ops.LOAD, f32, (element, UOp.const(f32, -1), (i - 1) >= 0))
    given, found = np.arange(1, 5, dtype="f4"), np.full(4, 9, "f4")
    run_kernel(kernel(out, i, gated, i), [given, found])
    assert found.tolist() == [-1, 2, 3, 0]


def test_what_is_computed_from_invalid_is_invalid_and_its_number_is_zero():
    (i,) = loops(4)
    x, out = param(0, 4), param(1, 4)
    index = ((i < 2).where(i, invalid()) + 1) * 2 // 2
    given, found = np.arange(1, 5, dtype="f4"), np.full(4, 9, "f4")
    run_kernel(kernel(out, i, x.index(index), i), [given, found])
    assert found.tolist() == [2, 3, 0, 0]
    run_kernel(kernel(out, i, index.cast(dtypes.f32), i), [given, found])
    assert found.tolist() == [1, 2, 0, 0]


def test_an_index_out_of_range_is_an_error_that_names_it():
    i, j = loops(3, 4)
    x, out = param(0, 11), param(1, 12)
    graph = kernel(out, i * 4 + j, x.index(i * 4 + j), i, j)
    with pytest.raises(InterpreterError, match=r"index 0 of INDEX\(PARAM") as caught:
        run_kernel(graph, [np.zeros(11, "f4"), np.zeros(12, "f4")])
    message = str(caught.value)
    assert "is 11, outside 0 … 10" in message and "RANGE[0, 'loop'] = 2" in message
    assert "needs WHERE(valid, index, INVALID) or a gate" in message
    graph = kernel(param(1, 11), i * 4 + j - 1, x.index(i), i, j)
    with pytest.raises(InterpreterError, match="is -1, outside"):
        run_kernel(graph, [np.zeros(11, "f4"), np.zeros(11, "f4")])


def test_a_failed_kernel_leaves_the_buffers_alone():
    i, j = loops(4, 4)
    out = param(0, 4)
    good = out.index(i).store(UOp.const(f32, 1)).end(i)
    bad = out.index(j + 1).store(UOp.const(f32, 1)).end(j)
    data = np.zeros(4, "f4")
    with pytest.raises(InterpreterError):
        run_kernel(UOp.sink(good, bad), [data])
    assert data.tolist() == [0, 0, 0, 0]


def test_stages_hold_values_of_their_ranges(rng):
    i, j = loops(4, 5)
    (r,) = loops(5, kind="reduce", first=2)
    (o,) = loops(4, first=3)
    x, out = param(0, 20), param(1, 4)
    held = stage(x.index(i * 5 + j) * 2.0, i, j)
    total = held.index(o, r).reduce(Ops.ADD, r)
    data, found = rng.normal(size=20).astype("f4"), np.zeros(4, "f4")
    run_kernel(kernel(out, o, total, o), [data, found])
    np.testing.assert_allclose(found, (data * 2).reshape(4, 5).sum(1), rtol=1e-6)
    value = evaluate(held, {x: data})
    np.testing.assert_array_equal(value, (data * 2).reshape(4, 5))


def test_a_stage_keeps_the_axis_of_a_range_that_became_a_number(rng):
    (i,) = loops(4)
    (o,) = loops(4, first=3)
    zero = UOp.index_const(0)
    x, out = param(0, 4), param(1, 4)
    held = stage(x.index(i) * 2.0, i, zero)
    data, found = rng.normal(size=4).astype("f4"), np.zeros(4, "f4")
    np.testing.assert_array_equal(evaluate(held, {x: data}), (data * 2).reshape(4, 1))
    run_kernel(kernel(out, o, held.index(o, zero), o), [data, found])
    np.testing.assert_array_equal(found, data * 2)


def test_a_stage_may_depend_on_outer_loops(rng):
    i, j, o = loops(4, 5, 5)
    x, out = param(0, 20), param(1, 20)
    row = stage(x.index(i * 5 + j), j, space="local")
    graph = kernel(out, i * 5 + o, row.index(UOp.index_const(4) - o), i, o)
    data, found = rng.normal(size=20).astype("f4"), np.zeros(20, "f4")
    run_kernel(graph, [data, found])
    np.testing.assert_array_equal(found.reshape(4, 5), data.reshape(4, 5)[:, ::-1])


def test_large_loops_run_in_pieces_with_the_same_result(rng, monkeypatch):
    i, j = loops(30, 40)
    (r,) = loops(50, kind="reduce", first=2)
    x, out = param(0, 50), param(1, 1200)
    value = (x.index(r) * (i * 40 + j).cast(f32)).reduce(Ops.MAX, r)
    graph = kernel(out, i * 40 + j, stage(value, i, j).index(i, j), i, j)
    data = rng.normal(size=50).astype("f4")
    results = []
    for limit in (1 << 24, 1000, 1):
        monkeypatch.setattr("rulewright.interp.loops.LIMIT", limit)
        found = np.zeros(1200, "f4")
        run_kernel(graph, [data, found])
        results.append(found)
    wanted = (data[None] * np.arange(1200, dtype="f4")[:, None]).max(1)
    for found in results:
        np.testing.assert_array_equal(found, wanted)


def test_reduce_over_a_range_that_the_value_ignores():
    (i,) = loops(3)
    (r,) = loops(7, kind="reduce", first=1)
    found = np.zeros(3, "f4")
    run_kernel(kernel(param(0, 3), i, i.cast(f32).reduce(Ops.ADD, r), i), [found])
    assert found.tolist() == [0, 7, 14]


def test_two_stores_and_symbolic_loops():
    n = UOp.variable("n", 1, 8)
    i = UOp.range(n, 0)
    a, b = param(0, 8), param(1, 8)
    graph = UOp.sink(a.index(i).store(i.cast(f32)).end(i), b.index(i).store(a.index(i)).end(i))
    x, y = np.full(8, 5, "f4"), np.zeros(8, "f4")
    run_kernel(graph, [x, y], {"n": 3})
    assert x.tolist() == [0, 1, 2, 5, 5, 5, 5, 5]
    assert y.tolist() == [5, 5, 5, 0, 0, 0, 0, 0]  # without AFTER: what a held at the start


def test_schedules_run_kernels_in_order():
    (i,) = loops(4)
    double = kernel(param(1, 4), i, param(0, 4).index(i) * 2.0, i)
    inplace = kernel(param(0, 4), i, param(0, 4).index(i) + 1.0, i)
    source = UOp(Ops.BUFFER, f32, (), (0, (2, 2), "C"))
    target = UOp(Ops.BUFFER, f32, (), (1, (4,), "C"))
    between = UOp(Ops.SCRATCH, f32, (), (0, (4,), "C"))

    def call(function: UOp, *arguments: UOp) -> UOp:
        return UOp(Ops.CALL, dtypes.void, (function, *arguments))

    x, y = np.arange(4, dtype="f4").reshape(2, 2), np.zeros(4, "f4")
    items = (call(double, source, between), call(inplace, between), call(double, between, target))
    evaluate(UOp(Ops.LINEAR, dtypes.void, items), {source: x, target: y})
    assert y.tolist() == [2, 6, 10, 14]
    first = between.after(call(double, source, between))
    second = first.after(call(inplace, first))
    last = target.after(call(double, second, target))
    y[:] = 0
    (found,) = evaluate(UOp.sink(last), {source: x, target: y})
    assert found.tolist() == y.tolist() == [2, 6, 10, 14]


def test_errors_of_calls_and_buffers():
    (i,) = loops(4)
    double = kernel(param(1, 4), i, param(0, 4).index(i) * 2.0, i)
    small = UOp(Ops.BUFFER, f32, (), (0, (3,), "C"))
    bad = UOp(Ops.CALL, dtypes.void, (double, small, small))
    with pytest.raises(InterpreterError, match=r"argument 0 of CALL: expected f32 of shape \(4,\)"):
        evaluate(UOp.sink(bad), {small: np.zeros(3, "f4")})
    right = UOp(Ops.BUFFER, f32, (), (1, (4,), "C"))
    few = UOp(Ops.CALL, dtypes.void, (double, right))
    with pytest.raises(InterpreterError, match="CALL with 1 arguments: no argument 1"):
        evaluate(UOp.sink(few), {right: np.zeros(4, "f4")})
    with pytest.raises(InterpreterError, match="only 1 buffers were given"):
        run_kernel(double, [np.zeros(4, "f4")])
    with pytest.raises(InterpreterError, match="depends on the open loops"):
        evaluate(i.cast(f32), {})
    x = param(0, 4)
    with pytest.raises(InterpreterError, match="2 indices for"):
        evaluate(x.index(UOp.index_const(0), UOp.index_const(0)), {x: np.zeros(4, "f4")})


def test_unwritten_memory_is_poison():
    scratch = UOp(Ops.SCRATCH, f32, (), (0, (3,), "C"))
    assert np.isnan(evaluate(scratch + 0.0, {})).all()
