"""Calls that PyTorch has beside those that tinygrad has, and what both have named otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor, dtypes, nn
from rulewright.errors import ArgumentError, UsageError


def test_max_and_min_of_two_tensors_are_element_by_element() -> None:
    x, y = np.array([[1.0, 5.0], [7.0, 2.0]]), np.array([3.0, 4.0])
    a, b = Tensor(x), Tensor(y)
    np.testing.assert_array_equal(a.max(b).numpy(), np.maximum(x, y))
    np.testing.assert_array_equal(Tensor.min(a, b).numpy(), np.minimum(x, y))


def test_view_of_a_dtype_reads_the_bits() -> None:
    x = np.array([1.0, -2.5, 0.0], np.float32)
    tensor = Tensor(x)
    for kind in (dtypes.int32, "int32"):
        np.testing.assert_array_equal(tensor.view(kind).numpy(), x.view(np.int32))
    tensor.view(dtypes.int32)[0] = 0
    np.testing.assert_array_equal(tensor.numpy(), [0.0, -2.5, 0.0])


def test_scatter_takes_a_number_by_pytorchs_name() -> None:
    place = Tensor([[1], [0]])
    assert Tensor.zeros(2, 2).scatter(1, place, value=5.0).tolist() == [[0, 5], [5, 0]]
    assert Tensor.zeros(2, 2).scatter_(dim=1, index=place, value=5.0).tolist() == [[0, 5], [5, 0]]


def test_backward_adds_to_the_leaves_that_are_asked_for_alone() -> None:
    x = Tensor([2.0, 3.0], requires_grad=True)
    y = Tensor([5.0, 7.0], requires_grad=True)
    (x * y).sum().backward(inputs=[x])
    np.testing.assert_array_equal(x.grad.numpy(), [5.0, 7.0])
    assert y.grad is None
    (x * y).sum().backward(inputs=y)
    np.testing.assert_array_equal(x.grad.numpy(), [5.0, 7.0])
    np.testing.assert_array_equal(y.grad.numpy(), [2.0, 3.0])
    with pytest.raises(UsageError, match=r"inputs are tensors with requires_grad=True.*number 1"):
        (x * y).sum().backward(inputs=[x, Tensor([1.0])])
    with pytest.raises(ArgumentError, match="backward inputs: expected a tensor"):
        (x * y).sum().backward(inputs="x")


def test_a_schedule_has_no_state_of_tensors() -> None:
    schedule = nn.optim.lr_scheduler.StepLR(nn.optim.SGD([Tensor.ones(1, requires_grad=True)]), 2)
    with pytest.raises(UsageError, match=r"in a StepLR is numbers: its own state_dict\(\)"):
        nn.state.get_state_dict(schedule)
    with pytest.raises(UsageError, match="load_state_dict: what changes in a StepLR is numbers"):
        nn.state.load_state_dict(schedule, {})
