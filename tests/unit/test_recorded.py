"""Steps of optimisers are traced once: what changes between two steps still counts."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Tensor, Variable, dtypes, jit
from rulewright.driver.graphs import on_schedule
from rulewright.nn.optim import (
    LAMB,
    LARS,
    SGD,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Muon,
    NAdam,
    Optimizer,
    RAdam,
    RMSprop,
)
from rulewright.nn.recorded import Recorded

Array = np.ndarray[Any, Any]


def numbers(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def leaf(*shape: int, seed: int = 0) -> Tensor:
    return Tensor(numbers(*shape, seed=seed), requires_grad=True)


KINDS: list[Callable[..., Optimizer]] = [
    SGD,
    lambda p, lr: SGD(p, lr, momentum=0.9, weight_decay=0.2),
    lambda p, lr: SGD(p, lr, momentum=0.9, nesterov=True),
    LARS,
    Muon,
    Adam,
    AdamW,
    lambda p, lr: AdamW(p, lr, amsgrad=True),
    LAMB,
    Adamax,
    NAdam,
    RAdam,
    lambda p, lr: RMSprop(p, lr, momentum=0.9, centered=True),
    lambda p, lr: Adagrad(p, lr, lr_decay=0.1),
]


@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_those_of_code_that_runs_each_time(kind: Callable[..., Optimizer]) -> None:
    pairs = [([leaf(3, 5), leaf(1, 7, seed=1)], recorded) for recorded in (True, False)]
    for params, recorded in pairs:
        optimiser = kind(params, lr=0.05)
        if not recorded:
            optimiser.__class__ = type("Own", (type(optimiser),), {})  # may do as it likes
        for step in range(4):
            optimiser.zero_grad()
            if step == 2:
                optimiser.set_lr(0.01)
            for place, parameter in enumerate(params if step != 1 else params[1:]):
                parameter.grad = Tensor(numbers(*parameter.shape, seed=10 * step + place))
            optimiser.step()
    (new, _), (old, _) = pairs
    for a, b in zip(new, old, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_settings_that_change_count() -> None:
    p = leaf(4)
    optimiser, value = SGD([p], lr=1.0), numbers(4)
    for decay in (0.0, 0.5, 0.0, 0.25):
        optimiser.weight_decay = decay
        p.grad = Tensor.zeros(4)
        optimiser.step()
        value = value - np.float32(decay) * value
        np.testing.assert_allclose(p.numpy(), value, rtol=1e-6)


def test_parameters_take_other_gradients_shapes_and_values() -> None:
    p, q = leaf(4), leaf(4, seed=1)
    optimiser = SGD([p, q], lr=1.0)
    p.grad = q.grad = Tensor.ones(4)  # one tensor for both
    optimiser.step()
    np.testing.assert_allclose(q.numpy(), numbers(4, seed=1) - 1, rtol=1e-6)
    p.grad = Tensor.full((4,), 2.0)
    optimiser.step()
    np.testing.assert_allclose(p.numpy(), numbers(4) - 3, rtol=1e-6)
    np.testing.assert_allclose(q.numpy(), numbers(4, seed=1) - 2, rtol=1e-6)
    p.replace(leaf(2, 3))
    p.requires_grad, p.grad = True, Tensor.ones(2, 3)
    optimiser.step()
    np.testing.assert_allclose(p.numpy(), numbers(2, 3) - 1, rtol=1e-6)


def test_views_of_one_memory_are_updated_one_after_the_other() -> None:
    whole = Tensor(numbers(6))
    head, part = whole[:4], whole[2:]
    for each in (head, part):
        each.requires_grad = True
        each.grad = Tensor.ones(4)
    SGD([head, part], lr=1.0).step()
    np.testing.assert_allclose(whole.numpy(), numbers(6) - [1, 1, 2, 2, 1, 1], rtol=1e-6)


def test_a_gradient_may_be_the_parameter() -> None:
    p = leaf(5)
    optimiser = SGD([p], lr=0.5, momentum=0.5)
    for _ in range(2):
        p.grad = p.detach()
        optimiser.step()
    # b = v, v = v / 2; b = v / 2 + v / 2, v = v / 2 - v / 2
    np.testing.assert_allclose(p.numpy(), 0 * numbers(5), atol=1e-7)


def test_values_from_before_a_step_stay() -> None:
    p = leaf(5)
    optimiser = Adam([p], lr=0.1)
    for step in range(3):
        p.grad = Tensor(numbers(5, seed=step))
        before, now = p.numpy(), p.detach() * 1
        optimiser.step()
        np.testing.assert_array_equal(now.numpy(), before)
        assert (p.numpy() != before).all()


def test_a_class_of_ones_own_runs_each_time() -> None:
    class Counting(SGD):
        steps = 0

        def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
            self.steps += 1
            return gradient * self.steps

    p = leaf(3)
    optimiser = Counting([p], lr=1.0)
    for _ in range(3):
        p.grad = Tensor.ones(3)
        optimiser.step()
    np.testing.assert_allclose(p.numpy(), numbers(3) - 6, rtol=1e-6)


def test_copies_and_captures_step_too() -> None:
    p = leaf(3)
    optimiser = SGD([p], lr=1.0, momentum=0.5)
    p.grad = Tensor.ones(3)
    optimiser.step()
    other = deepcopy(optimiser)
    other.params[0].grad = Tensor.ones(3)
    other.step()
    np.testing.assert_allclose(other.params[0].numpy(), numbers(3) - 2.5, rtol=1e-6)
    np.testing.assert_allclose(p.numpy(), numbers(3) - 1, rtol=1e-6)

    @jit
    def step(gradient: Tensor) -> Tensor:
        p.grad = gradient
        optimiser.step()
        return p.sum()

    average, value = np.ones(3), numbers(3) - 1
    for number in range(5):
        average = 0.5 * average + number
        value = value - average
        total = step(Tensor.full((3,), float(number)).realize()).item()
        np.testing.assert_allclose(total, value.sum(), rtol=1e-5)


# ---- any code ------------------------------------------------------------------------------------


def test_code_runs_once_for_equal_tensors_and_facts() -> None:
    runs: list[int] = []
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])

    def code() -> None:
        runs.append(1)
        x.assign(x + y)
        y.assign(x * 2)

    recorded = Recorded()
    for _ in range(3):
        recorded.run(code, [x, y], None)
    assert len(runs) == 1
    assert (x.tolist(), y.tolist()) == ([36.0, 54.0], [72.0, 108.0])
    recorded.run(code, [x, y], "other")
    assert len(runs) == 2
    with dtypes.defaults(float=dtypes.f64):
        recorded.run(code, [x, y], "other")
    assert len(runs) == 3


def test_code_with_other_memory_runs_each_time() -> None:
    x, y, other = Tensor([1.0]), Tensor([1.0]), Tensor([1.0])

    def reads() -> None:
        x.assign(x + other)

    def writes() -> None:
        other.assign(other + 1)
        x.assign(x + 1)

    def nothing() -> None:
        _ = x + 1

    recorded = Recorded()
    for place, code in enumerate((reads, writes, nothing)):
        for _ in range(2):
            recorded.run(code, [x], place)
    assert (x.tolist(), other.tolist()) == ([5.0], [3.0])

    def swap() -> None:
        old = x * 1
        x.assign(y)
        y.assign(old)

    for _ in range(3):
        recorded.run(swap, [x, y], "swap")
    assert (x.tolist(), y.tolist()) == ([1.0], [5.0])


def test_code_over_a_variable_size_runs_each_time() -> None:
    n = Variable("n", 1, 4)
    x, total = Tensor(numbers(4)), Tensor([0.0])
    recorded = Recorded()
    for size in (2, 3, 4):
        part = x[: n.bind(size)]

        def code(part: Tensor = part) -> None:
            total.assign(part.sum().reshape(1))

        recorded.run(code, [total, part], None)
        np.testing.assert_allclose(total.numpy(), numbers(4)[:size].sum(), rtol=1e-6)


def test_an_error_leaves_tensors_as_they_were() -> None:
    x = Tensor([1.0])

    def code() -> None:
        x.assign(x + 1)
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        Recorded().run(code, [x], None)
    assert x.tolist() == [1.0]


@pytest.mark.parametrize(("computed", "kind"), in_turn([True, False], KINDS))
def test_the_second_step_is_scheduled_as_the_first_was(
    kind: Callable[..., Optimizer], computed: bool
) -> None:
    x = Tensor(numbers(2, 3))
    p, q = leaf(3, 5), leaf(5, 4)
    if not computed:
        p, q = (each.detach() * 1 for each in (p, q))
        p.requires_grad = q.requires_grad = True
    optimiser, bodies = kind([p, q], lr=0.1), list[Any]()
    token = on_schedule.set(lambda function: bodies.append(function.body))
    try:
        for _ in range(3):
            optimiser.zero_grad()
            (x @ p @ q).sum().backward()
            optimiser.step()
    finally:
        on_schedule.reset(token)
    assert bodies[-1] is bodies[-2] is bodies[-3]
    assert len(bodies) <= 4  # one more for what was not in memory
