"""Order of kernels, hazards of assignment, functions, variables, memory."""

from __future__ import annotations

import numpy as np
import pytest
from schedule_helpers import DEVICE, array_of, buffer, param, scheduled

from rulewright.driver.graphs import kernelize, schedule
from rulewright.driver.schedules import clear_schedule_cache
from rulewright.errors import CycleError, DeviceError, ScheduleError, StageError, VariableError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.stages import check_stage
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.runtime.memories import new_buffer
from rulewright.schedule.callees import read_slots, written_slots
from rulewright.schedule.callify import callify
from rulewright.schedule.order import flatten_linear, order_kernels


def run(*effects: UOp) -> list[UOp]:
    """Run effects with all checks on; the kernels that ran."""
    with Context(VERIFY=1):
        made = schedule(UOp.sink(*effects))
    made.run()
    return [item.ast for item in made.items]


def call(*memories: UOp) -> UOp:
    """A call of some kernel: writes the first memory, reads the others."""
    slots = [UOp(Ops.PARAM, m.dtype, (), (i, m.shape, None)) for i, m in enumerate(memories)]
    value = UOp.const(memories[0].dtype, 0)
    for read in slots[1:]:
        value = value + read.index(UOp.index_const(0))
    kernel = UOp.sink(slots[0].index(UOp.index_const(0)).store(value))
    return UOp(Ops.CALL, dtypes.void, (kernel, *memories))


def names(linear: UOp) -> list[list[int]]:
    return [[m.arg[0] for m in c.src[1:]] for c in linear.src]


# ---- functions --------------------------------------------------------------------------------


def test_equal_programs_over_other_buffers_are_one_function() -> None:
    def program() -> UOp:
        out, x = new_buffer(dtypes.f32, (4,), DEVICE), new_buffer(dtypes.f32, (4,), DEVICE)
        return UOp.sink(out.store(x + 1.0))

    first, second = callify(program()), callify(program())
    assert first.body is second.body
    assert first.buffers != second.buffers


def test_a_function_has_the_variables_that_it_was_called_with() -> None:
    n = UOp.variable("n", 1, 9)
    made = callify(UOp.sink(UOp(Ops.TUPLE, dtypes.void, (n.bind(3),))))
    assert made.variables == {"n": 3}
    assert n in made.body.toposort()


def test_conflicting_binds_say_both_values() -> None:
    n = UOp.variable("n", 1, 9)
    with pytest.raises(VariableError, match=r"n is bound to 3 and to 4"):
        callify(UOp.sink(UOp(Ops.TUPLE, dtypes.void, (n.bind(3), n.bind(4)))))


def test_a_repeated_program_is_in_the_cache() -> None:
    clear_schedule_cache()
    first, _ = scheduled(buffer(np.ones(5, np.float32)) + 3.0)
    second, outputs = scheduled(buffer(np.zeros(5, np.float32)) + 3.0)
    assert (first.hit, second.hit) == (False, True)
    assert first.compiled is second.compiled
    second.run()
    np.testing.assert_array_equal(array_of(outputs[0]), np.full(5, 3, np.float32))
    with Context(CACHE=0):
        assert not scheduled(buffer(np.zeros(5, np.float32)) + 3.0)[0].hit


# ---- order ------------------------------------------------------------------------------------


def test_a_reader_comes_after_what_it_reads() -> None:
    a, b, c = (param(i, (4,)) for i in range(3))
    made = a.after(call(a, b))
    linear = order_kernels(UOp.sink(c.after(call(c, made))))
    assert names(linear) == [[0, 1], [2, 0]]


def test_a_reader_comes_before_the_next_write() -> None:
    a, b, c = (param(i, (4,)) for i in range(3))
    written = a.after(call(a, b))
    reader = c.after(call(c, a))  # reads a as it was
    assert names(order_kernels(UOp.sink(written, reader))) == [[2, 0], [0, 1]]


def test_two_stores_of_each_others_old_values_are_circular() -> None:
    a, b = param(0, (4,)), param(1, (4,))
    with pytest.raises(CycleError, match=r"param 0 .*and.* param 1|param 1 .*and.* param 0"):
        order_kernels(UOp.sink(a.after(call(a, b)), b.after(call(b, a))))


def test_stacks_are_seen_through() -> None:
    a, b, c, d = (param(i, (4,)) for i in range(4))
    stack = UOp(Ops.MSTACK, a.dtype, (a.after(call(a, d)), b), (None, "C,C:1"))
    linear = order_kernels(UOp.sink(c.after(call(c, stack))))
    assert [c.src[1].arg[0] for c in linear.src] == [0, 2]


def test_a_node_that_may_not_stand_there_is_named() -> None:
    a = param(0, (4,))
    with pytest.raises(ScheduleError, match="NEG may not stand"):
        order_kernels(UOp.sink(a.after(call(a, -param(1, (4,))))))


def test_lists_in_lists_flatten() -> None:
    a, b = param(0, (4,)), param(1, (4,))
    inner = UOp(Ops.LINEAR, dtypes.void, (call(a, b),))
    outer = UOp(Ops.LINEAR, dtypes.void, (inner, call(b, a)))
    assert names(flatten_linear(outer)) == [[0, 1], [1, 0]]


def test_a_called_list_gets_arguments_and_fresh_scratch() -> None:
    a, b = param(0, (4,)), param(1, (4,))
    scratch = UOp(Ops.SCRATCH, dtypes.f32, (), (0, (4,), "C"))
    inner = UOp(Ops.LINEAR, dtypes.void, (call(scratch, b), call(a, scratch)))
    x, y = param(7, (4,)), param(8, (4,))
    twice = UOp(
        Ops.LINEAR,
        dtypes.void,
        tuple(UOp(Ops.CALL, dtypes.void, (inner, *p)) for p in [(x, y), (y, x)]),
    )
    flat = flatten_linear(twice)
    written = [c.src[1] for c in flat.src]
    assert written[1] is x and written[3] is y
    assert written[0] is not written[2]  # scratch of one call is not that of the other
    with pytest.raises(ScheduleError, match=r"passes 1 arguments .* parameter 1"):
        flatten_linear(UOp(Ops.LINEAR, dtypes.void, (UOp(Ops.CALL, dtypes.void, (inner, x)),)))


# ---- assignment -------------------------------------------------------------------------------


def test_adding_in_place_needs_no_copy() -> None:
    x = buffer(np.arange(6, dtype=np.float32))
    assert len(run(x.after(x.store(x + 1.0)))) == 1
    np.testing.assert_array_equal(array_of(x), np.arange(6) + 1)


def test_a_flipped_read_of_what_is_written_gets_a_copy() -> None:
    x = buffer(np.arange(6, dtype=np.float32))
    assert len(run(x.after(x.store(x.flip((True,)))))) == 2
    np.testing.assert_array_equal(array_of(x), np.arange(6)[::-1])


def test_a_permuted_read_of_what_is_written_gets_a_copy() -> None:
    start = np.arange(9, dtype=np.float32).reshape(3, 3)
    x = buffer(start)
    run(x.after(x.store(x.permute((1, 0)))))
    np.testing.assert_array_equal(array_of(x), start.T)


def test_overlapping_views_get_a_copy() -> None:
    x = buffer(np.arange(6, dtype=np.float32))
    run(x.after(x.shrink(((1, 6),)).store(x.shrink(((0, 5),)))))
    np.testing.assert_array_equal(array_of(x), [0, 0, 1, 2, 3, 4])


def test_a_store_of_itself_vanishes() -> None:
    x = buffer(np.arange(6, dtype=np.float32))
    assert run(x.after(x.store(x))) == []


def test_equal_stores_merge() -> None:
    x, y = buffer(np.zeros(3, np.float32)), buffer(np.ones(3, np.float32))
    store = x.store(y + 1.0)
    assert len(run(x.after(store), x.after(store))) == 1


def test_bits_are_stored_as_the_memorys_own_dtype() -> None:
    x = buffer(np.zeros(3, np.float32))
    bits = buffer(np.array([0x3F800000, 0x40000000, 0], np.uint32))
    run(x.after(x.bitcast(dtypes.u32).store(bits)))
    np.testing.assert_array_equal(array_of(x), [1, 2, 0])


def test_a_value_of_the_old_version_is_read_before_the_write() -> None:
    x, y = buffer(np.arange(4, dtype=np.float32)), buffer(np.full(4, 9, np.float32))
    out = new_buffer(dtypes.f32, (4,), DEVICE)
    run(x.after(x.store(y)), out.store(x * 2.0))
    np.testing.assert_array_equal(array_of(out), np.arange(4) * 2)
    np.testing.assert_array_equal(array_of(x), np.full(4, 9))


def test_both_versions_in_one_value() -> None:
    x, y = buffer(np.arange(4, dtype=np.float32)), buffer(np.full(4, 9, np.float32))
    out = new_buffer(dtypes.f32, (4,), DEVICE)
    run(out.store(x * 2.0 + x.after(x.store(y))))
    np.testing.assert_array_equal(array_of(out), np.arange(4) * 2 + 9)


# ---- devices, kernels, errors -------------------------------------------------------------------


def test_one_kernel_on_two_devices_is_an_error() -> None:
    a, b = buffer(np.zeros(3, np.float32)), buffer(np.zeros(3, np.float32), "C")
    with pytest.raises(DeviceError, match=r"several devices.*\.to\(device\)"):
        scheduled(a + b)


def test_copies_move_between_devices() -> None:
    x = buffer(np.arange(3, dtype=np.float32), "C")
    moved = UOp(Ops.COPY, x.dtype, (x,), DEVICE)
    made, outputs = scheduled(moved)
    assert [item.is_copy for item in made.items] == [True]
    made.run()
    np.testing.assert_array_equal(array_of(outputs[0]), [0, 1, 2])


def test_a_computed_value_is_copied_from_memory() -> None:
    x = buffer(np.arange(3, dtype=np.float32))
    moved = UOp(Ops.COPY, x.dtype, (x * 2.0,), "INTERP:1")
    back = UOp(Ops.COPY, x.dtype, (moved + 1.0,), DEVICE)
    made, outputs = scheduled(back)
    made.run()
    np.testing.assert_array_equal(array_of(outputs[0]), [1, 3, 5])


def test_a_copy_to_the_same_device_vanishes() -> None:
    x = buffer(np.arange(3, dtype=np.float32))
    made, _ = scheduled(UOp(Ops.COPY, x.dtype, (x,), DEVICE) + 1.0)
    assert [item.is_copy for item in made.items] == [False]


def test_scratch_memory_is_shared_between_lives() -> None:
    value = buffer(np.ones(1000, np.float32))
    for _ in range(6):
        value = (value + 1.0).contiguous()
    made, outputs = scheduled(value)
    plan = made.compiled.plan
    assert plan.after <= 2 * 4032 < plan.before
    made.run()
    np.testing.assert_array_equal(array_of(outputs[0]), np.full(1000, 7, np.float32))


def test_kernelized_memory_is_loaded_by_later_graphs() -> None:
    x = buffer(np.arange(4, dtype=np.float32))
    first, second = (new_buffer(dtypes.f32, (4,), DEVICE) for _ in range(2))
    graph = kernelize(UOp.sink(first.store(x * 2.0)))
    written = graph.src[0] if graph.src[0].op is Ops.AFTER else first.after(graph.src[0])
    made = schedule(UOp.sink(second.store(written + 1.0)))
    assert len(made.items) == 2
    made.run()
    np.testing.assert_array_equal(array_of(second), np.arange(4) * 2 + 1)


def test_an_illegal_node_names_stage_and_statement() -> None:
    with pytest.raises(StageError, match=r"PERMUTE is not legal at stage indexed.*movement ops"):
        check_stage(param(0, (2, 3)).permute((1, 0)), "indexed")


def test_an_unknown_stage_lists_the_known() -> None:
    with pytest.raises(StageError, match=r"unknown stage 'nowhere'; known are .*kernel"):
        check_stage(param(0, (2, 3)), "nowhere")


def test_two_memories_change_places() -> None:
    start = np.arange(6, dtype=np.float32), np.arange(6, dtype=np.float32) + 10
    x, y = (buffer(a) for a in start)
    kept = x * 1.0
    assert len(run(x.after(x.store(y * 1.0)), y.after(y.store(kept)))) >= 3
    np.testing.assert_array_equal(array_of(x), start[1])
    np.testing.assert_array_equal(array_of(y), start[0])


def test_three_memories_go_round() -> None:
    start = [np.arange(4, dtype=np.float32) + 10 * i for i in range(3)]
    x, y, z = (buffer(a) for a in start)
    run(x.after(x.store(y + 0.5)), y.after(y.store(z + 0.5)), z.after(z.store(x + 0.5)))
    for memory, old in zip((x, y, z), (start[1], start[2], start[0]), strict=True):
        np.testing.assert_array_equal(array_of(memory), old + 0.5)


# ---- what is called ---------------------------------------------------------------------------


def test_parameters_of_what_a_function_calls_are_its_own() -> None:
    """Parameters 3 and 5 of the inner kernel are none of the outer function, which has two."""
    zero = UOp.index_const(0)
    first, second = (param(slot, (4,)) for slot in (0, 1))
    inner = UOp.sink(param(3, (4,)).index(zero).store(param(5, (4,)).index(zero)))
    made = UOp(Ops.CALL, dtypes.void, (inner, *[first] * 3, second, first, first))
    outer = UOp.sink(second.after(made))
    assert (written_slots(inner), read_slots(inner)) == ((3,), (5,))
    assert written_slots(outer) == (1,)
    assert set(read_slots(outer)) <= {0, 1} and 0 in read_slots(outer)
