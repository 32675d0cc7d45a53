"""Functions as nodes: what they may not write, and that a failure leaves everything as it was."""

from __future__ import annotations

from typing import Any

import pytest

from rulewright import Tensor, function
from rulewright.errors import FunctionError


def rising(size: int, **options: Any) -> Tensor:
    return Tensor([float(i + 1) for i in range(size)], **options)


def test_a_function_that_fails_leaves_everything_as_it_was() -> None:
    inside, outside = rising(3).realize(), rising(3).realize()
    view = outside[1:]

    @function
    def write(s: Tensor) -> Tensor:
        s += 1
        view.assign(view * 2)
        raise KeyError("later")

    for _ in range(2):
        with pytest.raises(KeyError):
            write(inside)
    view += 10
    assert (inside.tolist(), outside.tolist()) == ([1, 2, 3], [1, 12, 13])


def test_memory_that_is_written_is_passed_by_one_tensor() -> None:
    state = rising(3)
    row = state[:2]

    @function
    def both(s: Tensor, row: Tensor) -> Tensor:
        s += 1
        return row * 2

    @function
    def around(s: Tensor) -> Tensor:
        s += 1
        return row * 2

    @function
    def one(s: Tensor, row: Tensor) -> Tensor:
        s += 1
        return s * 2

    for call in (lambda: both(state, row), lambda: around(state)):
        with pytest.raises(FunctionError, match="uses the same memory by way of another tensor"):
            call()
    assert one(state, row).tolist() == [4, 6, 8]
    assert row.tolist() == [2, 3]


def test_leaves_are_written_outside() -> None:
    leaf = rising(3, requires_grad=True)

    @function
    def write(w: Tensor) -> Tensor:
        with Tensor.no_grad():
            w *= 2
        return w * 1

    @function
    def detached(x: Tensor) -> Tensor:
        leaf.detach().assign(x)
        return x * 1

    for call in (lambda: write(leaf), lambda: detached(rising(3))):
        with pytest.raises(FunctionError, match=r"\(3,\) that requires a gradient itself"):
            call()
    assert leaf.tolist() == [1, 2, 3]


def test_values_are_replaced_outside() -> None:
    state = rising(3).realize()

    @function
    def write(x: Tensor) -> Tensor:
        state.replace(x.sum())
        return x * 1

    with pytest.raises(FunctionError, match=r"another memory .* by replace\(\) or by a kernel"):
        write(rising(2))
    assert state.tolist() == [1, 2, 3]


def test_a_given_gradient_is_of_what_is_returned() -> None:
    state = Tensor([0.0]).realize()

    @function(grad_fxn=lambda gradient, call: gradient * 100)
    def write(x: Tensor) -> Tensor:
        state.assign(x * 3)
        return x * 2

    x = Tensor([1.0], requires_grad=True)
    write(x).sum().backward()
    assert x.grad is not None and (x.grad.item(), state.item()) == (100.0, 3.0)
    with pytest.raises(FunctionError, match="one of what it returns, not of what it writes"):
        state.sum().backward()
