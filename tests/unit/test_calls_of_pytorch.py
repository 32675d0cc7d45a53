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


def test_words_that_say_how_a_tensor_is_moved_are_taken() -> None:
    x = Tensor([1.0, 2.0]).realize()
    assert x.to("C", non_blocking=True) is x
    assert x.to("C", dtypes.f16, True).dtype is dtypes.f16
    with pytest.raises(ArgumentError, match="to: non_blocking is True or False, found 3"):
        x.to("C", non_blocking=3)


@pytest.mark.parametrize("words", [{}, {"device": "C"}, {"dtype": "f32"}, {"device": "INTERP"}])
def test_a_copy_that_is_asked_for_has_memory_of_its_own(words: dict[str, object]) -> None:
    x = Tensor([1.0, 2.0])
    y = x.to(**words, copy=True)
    y += 1
    assert (x.tolist(), y.tolist()) == ([1.0, 2.0], [2.0, 3.0])
    z = Tensor([1.0, 2.0], requires_grad=True)
    (z.to(**words, copy=True) * 3).sum().backward()
    assert z.grad.tolist() == [3.0, 3.0]


def test_no_generator_is_the_one_there_is() -> None:
    Tensor.manual_seed(3)
    expected = Tensor.rand(4).tolist()
    Tensor.manual_seed(3)
    assert Tensor.rand(4, generator=None).tolist() == expected
    with pytest.raises(ArgumentError, match="unexpected keyword argument 'generator'"):
        Tensor.rand(4, generator=1)


def test_a_mask_alone_in_where_is_told_what_gives_its_positions() -> None:
    mask = Tensor([[True, False], [False, True]])
    with pytest.raises(ArgumentError, match=r"expected where\(yes, no\); positions .*nonzero\("):
        Tensor.where(mask)
    rows, columns = mask.nonzero(as_tuple=True)
    assert (rows.tolist(), columns.tolist()) == ([0, 1], [0, 1])
