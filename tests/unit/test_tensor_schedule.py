"""Scheduling tensors without running them: schedule, schedule_with_vars, kernelize."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import UOp, Variable, jit
from rulewright.errors import RulewrightError, UsageError, VariableError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.options import Context
from rulewright.runtime.memories import buffer_of, new_buffer
from rulewright.tensor.tensor import Tensor


def test_a_schedule_runs_when_its_items_do() -> None:
    x = Tensor([1.0, 2.0, 3.0])
    y = x * 2 + 1
    items = y.schedule()
    assert len(items) == 1
    for item in items:
        item.run()
    assert y.tolist() == [3.0, 5.0, 7.0]


@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_a_schedule_that_nobody_runs_spoils_no_tensor(device: str) -> None:
    x = Tensor([1.0, 2.0, 3.0], device=device)
    y = (x - x.max()).exp()
    z = y + 1
    assert len(y.schedule()) == len(y.schedule(z)) - 1
    np.testing.assert_allclose(y.numpy(), np.exp([-2.0, -1.0, 0.0]), rtol=1e-6)
    assert z.tolist() == (y.numpy() + 1).tolist()


def test_a_write_that_was_scheduled_happens_once_whoever_runs_it() -> None:
    x = Tensor([1.0, 2.0]).realize()
    tail = x[1:]
    x += 1
    x.schedule()
    assert (x.tolist(), tail.tolist()) == ([2.0, 3.0], [3.0])
    x *= 10
    for item in tail.schedule():
        item.run()
    assert (x.tolist(), tail.tolist()) == ([20.0, 30.0], [30.0])


def test_a_schedule_survives_that_what_it_reads_is_written() -> None:
    x = Tensor([1.0, 2.0]).realize()
    y = x + 1
    y.schedule()
    x += 10
    assert x.tolist() == [11.0, 12.0]
    assert y.tolist() == [2.0, 3.0]


def test_a_tensor_is_realized_when_its_last_item_has_run() -> None:
    y = Tensor([0.0, 0.0]).softmax()
    *first, last = y.schedule()
    for item in first:
        item.run()
    assert y.state == "lazy"
    last.run()
    assert y.state == "realized"
    assert y.tolist() == [0.5, 0.5]


def test_gradients_go_through_what_a_schedule_filled() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    y.schedule()
    for item in y.schedule():
        item.run()
    (y * 3).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [6.0, 12.0]


def test_a_realized_tensor_has_nothing_to_schedule() -> None:
    assert Tensor([1.0, 2.0]).realize().schedule() == []


def test_items_know_methods_and_lines() -> None:
    (item,) = (Tensor([1.0, 2.0]).exp() * 3).schedule()
    assert {"exp", "mul"} <= {m.method for m in item.metadata}
    assert all(m.file == __file__ for m in item.metadata)


def test_an_item_lowers_to_source_and_estimates() -> None:
    (item,) = (Tensor(np.ones(1000, np.float32)) * 3).schedule()
    program = item.lower()
    assert program is not None
    assert program.name in program.source
    assert program.estimates.flops >= 1000
    assert program.estimates.bytes >= 8000


def test_kernelized_tensors_keep_their_kernels() -> None:
    x = Tensor([1.0, 2.0, 3.0])
    hidden = x + 1
    y = (hidden * 2).kernelize()
    assert "kernelized" in repr(y)
    assert "lazy" in repr(hidden)
    kernel = next(n for n in y.uop.toposort() if n.op is Ops.CALL)
    z = y + 5
    assert kernel in z.uop.toposort()
    assert z.kernelize().tolist() == [9.0, 11.0, 13.0]
    assert y.tolist() == [4.0, 6.0, 8.0]


def test_kernelizing_an_assignment_writes_once() -> None:
    x = Tensor([1.0, 2.0]).realize()
    x += 1
    y = (x * 10).kernelize()
    assert y.tolist() == [20.0, 30.0]
    assert x.tolist() == [2.0, 3.0]


def test_a_failed_realize_leaves_tensors_usable() -> None:
    x = Tensor([1.0, 2.0])
    y = x + 1
    with Context(CC="/nowhere/compiler", CACHE=0), pytest.raises(RulewrightError):
        (y * 2 - 7.25).realize()
    assert y.tolist() == [2.0, 3.0]
    assert (y * 2 - 7.25).tolist() == [-3.25, -1.25]


@pytest.mark.parametrize("rows", [3, 4, 6, 9])
def test_a_running_sum_written_into_its_own_rows(rows: int) -> None:
    start = np.arange(rows * 5, dtype=np.float32).reshape(rows, 5)
    x, total = Tensor(start), Tensor(start)[0]
    for i in range(1, rows):
        total = total + x[i]
        x[i] = total
    np.testing.assert_array_equal(x.numpy(), start.cumsum(0))
    np.testing.assert_array_equal(total.numpy(), start.sum(0))


def test_a_write_happens_though_the_result_does_not_need_it() -> None:
    x = Tensor([1, 2, 3]).realize()
    x += x
    assert (x - x).tolist() == [0, 0, 0]
    assert x.tolist() == [2, 4, 6]


def test_a_lone_kernel_on_memory_that_was_never_written_is_refused_each_time():
    node = new_buffer(dtypes.f32, (2,), "C")
    y = Tensor(node) * 3
    (item,) = y.schedule()
    for _ in range(2):  # the first refusal hides no later one
        with pytest.raises(UsageError, match="never written"):
            item.run()
    with pytest.raises(UsageError, match="never written"):
        (y + 1).numpy()
    buffer_of(node).copyin(np.array([2.0, 3.0], np.float32))
    item.run()
    assert y.tolist() == [6.0, 9.0]


def test_values_of_variables_that_a_kernel_does_not_run_with():
    n = Variable("n", 1, 8)
    x = Tensor.arange(8).float().realize()
    total = x[: n.bind(3)].sum()
    items, values = (total.contiguous() + Tensor([1.0, 2.0]).realize()).schedule_with_vars()
    for item in items:  # those of the schedule, whether a kernel looks at them or not
        item.run(values)
    with pytest.raises(VariableError, match=r"run: the kernel has no variable 'm'; .* are n"):
        items[0].run({"m": 3})
    with pytest.raises(VariableError, match="run: n is 3 in this schedule, found 5; schedule a"):
        items[0].run({"n": 5})
    [alone] = (x + 1).schedule()
    with pytest.raises(VariableError, match=r"run: the kernel has no variable 'n'$"):
        alone.run({"n": 3})


def test_kernelized_tensors_keep_the_values_of_variables() -> None:
    n, x = Variable("n", 1, 6), np.arange(30.0, dtype=np.float32).reshape(6, 5)
    memory = Tensor(x).realize()
    total = memory[: n.bind(3)].sum(0).kernelize()
    assert (total * 2).schedule_with_vars()[1] == {"n": 3}
    np.testing.assert_array_equal((total + 1).numpy(), x[:3].sum(0) + 1)
    rows = (memory[: n.bind(4)] * 2).kernelize()
    np.testing.assert_array_equal(rows.kernelize().numpy(), x[:4] * 2)


def running(out: UOp, x: UOp) -> UOp:
    """A running sum: each step of the loop reads what the one before wrote."""
    i = UOp.range(x.shape[0] if x.shape else 0, 0, "reduce")
    memory = out.after(i)
    before = i.ne(0).where(memory.index((i - 1).maximum(0)), UOp.const(x.dtype, 0))
    return memory.index(i).store(before + x.index(i)).end(i)


@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_kernelized_kernels_of_users_may_have_an_order_of_their_own(device: str) -> None:
    @jit
    def step(amount: Tensor) -> Tensor:
        state.assign(state + amount)
        return (state * 2).realize()

    state = Tensor([1.0, 2.0, 3.0], device=device).realize()
    for _ in range(2):
        step(Tensor([1.0], device=device).realize())
    with Context(VERIFY=1):
        total = Tensor.empty(3, device=device).custom_kernel(state, fxn=running)[0].kernelize()
        assert (total + 1).tolist() == [4.0, 8.0, 13.0]
    assert step(Tensor([1.0], device=device).realize()).tolist() == [8.0, 10.0, 12.0]
    assert total.tolist() == [3.0, 7.0, 12.0]
