"""Scheduling tensors without running them: schedule, schedule_with_vars, kernelize."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright.errors import RulewrightError, UsageError
from rulewright.ir.ops import Ops
from rulewright.options import Context
from rulewright.tensor.tensor import Tensor


def test_a_schedule_runs_when_its_items_do() -> None:
    x = Tensor([1.0, 2.0, 3.0])
    y = x * 2 + 1
    items = y.schedule()
    assert len(items) == 1
    for item in items:
        item.run()
    assert y.tolist() == [3.0, 5.0, 7.0]


def test_memory_that_was_not_filled_cannot_be_read() -> None:
    y = Tensor([1.0, 2.0]) + 1
    y.schedule()
    with pytest.raises(UsageError, match="never written"):
        y.numpy()


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
    x = Tensor([1.0, 2.0]) + 1
    filling = x.schedule()
    y = x * 3
    (item,) = y.schedule()
    for _ in range(2):  # the first refusal hides no later one
        with pytest.raises(UsageError, match="never written"):
            item.run()
    with pytest.raises(UsageError, match="never written"):
        (y + 1).numpy()
    filling[0].run()
    item.run()
    assert y.tolist() == [6.0, 9.0]
