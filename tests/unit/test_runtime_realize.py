"""Compiled schedules: bound to other buffers, run many times, and what goes wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from schedule_helpers import DEVICE, array_of, buffer, param

from rulewright import Tensor, Variable
from rulewright.driver.execute import run_items
from rulewright.driver.graphs import schedule
from rulewright.driver.schedules import bind_schedule, plan_schedule
from rulewright.errors import ScheduleError, UsageError, VariableError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.memories import buffer_of, new_buffer
from rulewright.schedule.build import schedule_function


def doubled() -> UOp:
    out, x = param(0, (4,), device=DEVICE), param(1, (4,), device=DEVICE)
    return UOp.sink(out.store(x * 2.0))


def filled(values: list[float]) -> Buffer:
    return buffer_of(buffer(np.array(values, np.float32)))


def test_one_compiled_schedule_runs_over_many_buffers():
    compiled = plan_schedule(schedule_function(doubled()))
    for values in ([1, 2, 3, 4], [5, 6, 7, 8]):
        out = Buffer(DEVICE, 4, dtypes.f32)
        bound = bind_schedule(compiled, [out, filled(values)], {})
        bound.run()
        np.testing.assert_array_equal(out.numpy(), np.array(values) * 2)


def test_a_missing_argument_is_named():
    compiled = plan_schedule(schedule_function(doubled()))
    with pytest.raises(ScheduleError, match="parameter 1 has no argument: 1 buffers were passed"):
        bind_schedule(compiled, [Buffer(DEVICE, 4, dtypes.f32)], {})


@pytest.mark.parametrize("size, dtype", [(5, dtypes.f32), (4, dtypes.i32)])
def test_an_argument_must_fit_its_parameter(size, dtype):
    compiled = plan_schedule(schedule_function(doubled()))
    with pytest.raises(ScheduleError, match=f"takes 4 f32, found a buffer of {size} {dtype.name}"):
        bind_schedule(compiled, [Buffer(DEVICE, 4, dtypes.f32), Buffer(DEVICE, size, dtype)], {})


def test_an_empty_graph_is_no_schedule():
    with pytest.raises(ScheduleError, match="nothing to schedule"):
        schedule(UOp.sink())


def test_memory_that_was_never_written_is_not_read():
    empty, out = (new_buffer(dtypes.f32, (4,), DEVICE) for _ in range(2))
    made = schedule(UOp.sink(out.store(empty + 1.0)))
    with pytest.raises(UsageError, match=r"kernel 0 .* reads 4 f32 .* never written"):
        made.run()
    buffer_of(empty).copyin(np.arange(4, dtype=np.float32))
    made.run()
    np.testing.assert_array_equal(array_of(out), np.arange(4) + 1)


def test_a_variable_needs_a_value():
    n = UOp.variable("n", 1, 4)
    out, x = new_buffer(dtypes.f32, (4,), DEVICE), buffer(np.arange(4, dtype=np.float32))
    view = out.shrink(((0, n),))
    with pytest.raises(VariableError, match="variable n has no value"):
        schedule(UOp.sink(view.store(x.shrink(((0, n),)) * 2.0)))


@pytest.mark.parametrize("value", [1, 3, 4])
def test_one_schedule_serves_every_value_of_a_variable(value):
    n = UOp.variable("n", 1, 4)
    out, x = buffer(np.zeros(4, np.float32)), buffer(np.arange(4, dtype=np.float32))
    bound = n.bind(value)
    store = out.shrink(((0, bound),)).store(x.shrink(((0, bound),)) + 1.0)
    made = schedule(UOp.sink(store))
    made.run()
    expected = np.where(np.arange(4) < value, np.arange(4) + 1, 0)
    np.testing.assert_array_equal(array_of(out), expected)


def test_items_take_values_of_variables_when_they_run():
    n = UOp.variable("n", 1, 4)
    out, x = buffer(np.zeros(4, np.float32)), buffer(np.arange(4, dtype=np.float32))
    bound = n.bind(2)
    made = schedule(UOp.sink(out.shrink(((0, bound),)).store(x.shrink(((0, bound),)) + 1.0)))
    assert [dict(item.fixed_variables) for item in made.items] == [{"n": 2}]
    run_items(made.items)
    np.testing.assert_array_equal(array_of(out), [1, 2, 0, 0])


def items_of(case: str) -> tuple[list, np.ndarray, Tensor]:
    """Items of one kind of program, what it is worth, and its tensor."""
    values = np.arange(6, dtype="f4")
    x = Tensor(values).realize()
    result, want = {
        "kernel": lambda: (x * 2, values * 2),
        "host function": lambda: (Tensor.custom_function(np.cumsum, x), values.cumsum()),
        "copy": lambda: (x.to("INTERP") + 1, values + 1),
        "symbolic": lambda: (x[: Variable("n", 1, 6).bind(4)].sum(), values[:4].sum()),
        "devices": lambda: (x.shard(("C:0", "C:1"), 0) + 1, values + 1),
        "parts": lambda: (x[2:] + x[:4], values[2:] + values[:4]),
        "other bits": lambda: (x.bitcast("i32") + 1, values.view("i4") + 1),
        "none": lambda: (x[:0].sum() + x, values),
    }[case]()
    items, variables = result.schedule_with_vars()
    for item in items:
        item.run(variables)
    return items, want, result


@pytest.mark.parametrize(
    "case",
    ["kernel", "host function", "copy", "symbolic", "devices", "parts", "other bits", "none"],
)
def test_each_item_of_a_schedule_runs_by_itself(case):
    _, want, result = items_of(case)
    np.testing.assert_array_equal(result.numpy(), want)


def test_an_item_runs_over_other_memory():
    (item,), _, _ = items_of("kernel")
    out, other = Buffer("C", 6, dtypes.f32), Buffer("C", 6, dtypes.f32).copyin(np.ones(6, "f4"))
    replace(item, buffers=(out, other)).run()
    assert out.numpy().tolist() == [2.0] * 6


@pytest.mark.parametrize("case", ["kernel", "host function", "symbolic"])
@pytest.mark.parametrize(("other", "message"), [
    (lambda: Buffer("C", 7, dtypes.f32), "takes 6 f32, found a buffer of 7 f32"),
    (lambda: Buffer("C", 6, dtypes.i32), "takes 6 f32, found a buffer of 6 i32"),
    (lambda: None, "takes 6 f32, found None, which is no buffer"),
    (lambda: Tensor([1.0]), "takes 6 f32, found <Tensor .*>, which is no buffer"),
])  # fmt: skip
def test_an_item_refuses_memory_that_does_not_fit(case, other, message):
    (item, *_), _, _ = items_of(case)
    with pytest.raises(ScheduleError, match=f"parameter 1 {message}"):
        replace(item, buffers=(item.buffers[0], other())).run()


@pytest.mark.parametrize("place", [0, 1])
def test_an_item_writes_and_reads_no_smaller_memory(place):
    (item,), _, _ = items_of("kernel")
    buffers = list(item.buffers)
    buffers[place] = Buffer("C", 5, dtypes.f32).copyin(np.ones(5, "f4"))
    with pytest.raises(ScheduleError, match=f"parameter {place} takes 6 f32, found a buffer of 5"):
        replace(item, buffers=tuple(buffers)).run()


@pytest.mark.parametrize("count", [0, 1])
def test_an_item_needs_each_of_its_buffers(count):
    (item,), _, _ = items_of("kernel")
    with pytest.raises(ScheduleError, match=f"has no argument: {count} buffers were passed"):
        replace(item, buffers=item.buffers[:count]).run()
