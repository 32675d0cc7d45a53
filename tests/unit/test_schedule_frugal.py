"""Orders of kernels by the memory between them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st
from schedule_helpers import param

from rulewright import Tensor
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.order import frugal_and_peak, peak

KERNEL = UOp.sink(UOp(Ops.BARRIER, dtypes.void))


def scratch(slot: int, floats: int) -> UOp:
    return UOp(Ops.SCRATCH, dtypes.f32, (), (slot, (floats,), "C"))


def call(number: int, *memories: UOp) -> UOp:
    """A call told apart from others by an output of its own."""
    return UOp(Ops.CALL, dtypes.void, (KERNEL, param(number, (1,)), *memories))


def frugal(before: dict[UOp, dict[UOp, None]], known: list[UOp]) -> list[UOp]:
    """The order that is chosen, whose peak is the one that is said."""
    order, most = frugal_and_peak(before, known)
    assert most == peak(order)
    return order


def test_what_frees_memory_runs_before_what_takes_more() -> None:
    kept, more = scratch(0, 100), scratch(1, 100)
    fill, take, use, last = call(0, kept), call(1, more), call(2, more), call(3, kept)
    before = {fill: {}, take: {fill: None}, use: {take: None}, last: {fill: None}}
    order = frugal(before, [fill, take, use, last])
    assert order == [fill, last, take, use]
    assert peak(order) == 400
    assert peak([fill, take, use, last]) == 800


def test_the_given_order_stays_where_none_needs_less() -> None:
    calls = [call(i, scratch(i, 10)) for i in (2, 0, 1)]
    assert frugal({c: {} for c in reversed(calls)}, calls) == calls


def test_calls_without_memory_between_them_keep_their_order() -> None:
    calls = [call(i) for i in range(9)]
    assert frugal({c: {} for c in calls}, calls) == calls


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_each_call_runs_once_and_after_those_it_waits_for(data: st.DataObject) -> None:
    memories = [scratch(i, data.draw(st.integers(0, 50))) for i in range(6)]
    calls = [
        call(i, *data.draw(st.lists(st.sampled_from(memories), max_size=3, unique=True)))
        for i in range(data.draw(st.integers(0, 10)))
    ]
    before: dict[UOp, dict[UOp, None]] = {}
    for i, c in enumerate(calls):
        waited = data.draw(st.lists(st.sampled_from(calls[:i]), unique=True)) if i else []
        before[c] = dict.fromkeys(waited)
    order = frugal(before, calls)
    assert sorted(map(calls.index, order)) == list(range(len(calls)))
    for c, waited in before.items():
        assert all(order.index(w) < order.index(c) for w in waited)
    assert peak(order) <= peak(calls)


def test_gradients_of_weights_run_where_they_free_activations() -> None:
    """Of a chain of layers, no more than a few activations' gradients are in use at once."""
    rng = np.random.default_rng(8)
    weights = [
        Tensor(rng.standard_normal((32, 32)).astype(np.float32), requires_grad=True).realize()
        for _ in range(8)
    ]
    x = Tensor(rng.standard_normal((256, 32)).astype(np.float32)).realize()
    y = x
    for weight in weights:
        y = (y @ weight).tanh()
    grads = y.sum().gradient(*weights)
    items = grads[0].schedule(*grads[1:])
    activation, filled, most = 256 * 32, {}, 0
    for i, item in enumerate(items):
        for b in item.buffers:
            if b.size == activation and b is not items[0].buffers[1]:
                filled.setdefault(id(b), [i, i])[1] = i
    for i in range(len(items)):
        most = max(most, sum(first <= i <= last for first, last in filled.values()))
    assert most <= 8 + 3  # what the derivatives need, and what is being made of them
