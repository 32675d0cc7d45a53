"""The interpreter on loops that pass something on in memory: what happens once in which round."""

from __future__ import annotations

import numpy as np
from codegen_kernels import param

from rulewright.interp import evaluate, run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

f32 = dtypes.f32
ZERO = UOp.index_const(0)


def register(slot, size=1):
    return UOp(Ops.DEFINE_REG, f32, (), (slot, size))


def reduced(size, id):
    return UOp.range(size, id, "reduce")


def counted(slot, *loops):
    """A register that counts rounds from 0 on, and the effect of one."""
    memory = register(slot)
    start = memory.index(ZERO).store(UOp.const(f32, 0.0))
    before = memory.after(start, *loops).index(ZERO)
    return memory, before.store(before + 1.0)


def test_an_effect_in_an_outer_loop_happens_once_for_all_rounds_of_an_inner_one():
    outer, inner = reduced(3, 0), reduced(4, 1)
    rounds, one = counted(0, outer)
    total = register(1)
    start = total.index(ZERO).store(UOp.const(f32, 0.0))
    before = total.after(start, outer, inner, one).index(ZERO)
    loop = before.store(before + rounds.after(one).index(ZERO)).end(outer, inner)
    out = param(0, 2)
    graph = UOp.sink(
        out.index(ZERO).store(total.after(loop).index(ZERO)),
        out.index(UOp.index_const(1)).store(rounds.after(loop).index(ZERO)),
    )
    found = np.zeros(2, "f4")
    run_kernel(graph, [found])
    assert found.tolist() == [4 * (1 + 2 + 3), 3]


def test_parts_of_one_accumulator_are_added_up_in_the_same_rounds():
    loop = reduced(5, 0)
    rounds, one = counted(0, loop)
    parts, out, ends = register(1, 2), param(0, 3), []
    for number, factor in ((0, 1.0), (1, 10.0)):
        at = UOp.index_const(number)
        start = parts.index(at).store(UOp.const(f32, 0.0))
        before = parts.after(start, loop, one).index(at)
        ends.append(before.store(before + rounds.after(one).index(ZERO) * factor).end(loop))
    whole = parts.after(*ends)
    stores = [out.index(at).store(whole.index(at)) for at in map(UOp.index_const, (0, 1))]
    last = out.index(UOp.index_const(2)).store(rounds.after(*ends).index(ZERO))
    found = np.zeros(3, "f4")
    run_kernel(UOp.sink(*stores, last), [found])
    assert found.tolist() == [15, 150, 5]


def test_a_position_in_the_launch_may_decide_how_long_a_loop_is():
    group = UOp(Ops.SPECIAL, dtypes.index, (UOp.index_const(4),), "g0")
    item = UOp(Ops.SPECIAL, dtypes.index, (UOp.index_const(3),), "l0")
    x, out, total = param(0, 4), param(1, 12), register(0)
    loop = UOp.range(group + 1, 0, "reduce")
    start = total.after(group, item).index(ZERO).store(UOp.const(f32, 0.0))
    before = total.after(start, loop).index(ZERO)
    end = before.store(before + x.index(loop) * (item + 1).cast(f32)).end(loop)
    graph = UOp.sink(out.index(group * 3 + item).store(total.after(end).index(ZERO)))
    data, found = np.array([1, 2, 4, 8], "f4"), np.zeros(12, "f4")
    run_kernel(graph, [data, found])
    expected = np.outer(np.cumsum(data), [1, 2, 3])
    np.testing.assert_array_equal(found.reshape(4, 3), expected)
    found[:] = 0
    assert evaluate(graph, {x: data, out: found}) == (None,)
    np.testing.assert_array_equal(found.reshape(4, 3), expected)


def test_what_stands_before_a_loop_happens_where_that_has_no_round():
    outer = reduced(4, 0)
    inner = reduced(outer, 1)
    memory, out = register(0), param(0, 4)
    start = memory.after(outer).index(ZERO).store(UOp.const(f32, 5.0))
    before = memory.after(start, inner).index(ZERO)
    loop = before.store(before + 1.0).end(inner)
    run_kernel(
        UOp.sink(out.index(outer).store(memory.after(loop).index(ZERO)).end(outer)),
        [found := np.zeros(4, "f4")],
    )
    assert found.tolist() == [5, 6, 7, 8]


def test_rounds_find_what_earlier_ones_wrote_of_memory_that_no_other_effect_writes():
    outer, inner = reduced(5, 0), UOp.range(2, 2)
    earlier = reduced(outer, 1)
    out = param(0, 10)
    now = out.after(inner, outer)
    total = now.index(inner * 5 + earlier).reduce(Ops.ADD, earlier)
    place = now.index(inner * 5 + outer)
    found = np.arange(10, dtype="f4")
    wanted = found.copy()
    for row in (0, 5):
        for i in range(5):
            wanted[row + i] += wanted[row : row + i].sum()
    run_kernel(UOp.sink(place.store(place + total).end(inner, outer)), [found])
    assert found.tolist() == wanted.tolist()


def test_nothing_happens_in_a_loop_without_rounds_though_it_does_not_use_the_variable():
    out, none = param(0, 1), reduced(0, 0)
    found = np.float32([7])
    run_kernel(
        UOp.sink(out.index(ZERO).store(UOp.const(f32, 1.0)).end(none, reduced(2, 1))), [found]
    )
    assert found.tolist() == [7]


def test_nor_in_one_around_a_loop_that_has_some():
    out, none = param(0, 1), reduced(0, 0)
    store = out.index(ZERO).store(UOp.const(f32, 1.0))
    for effect in (store.end(reduced(2, 1)).end(none), store.end(none).end(reduced(2, 1))):
        found = np.float32([7])
        run_kernel(UOp.sink(effect), [found])
        assert found.tolist() == [7]
