"""PyTorch's words for optimisers: `maximize`, `dampening`, decay apart, and how a step is done."""

import numpy as np
import pytest

from rulewright import Tensor, jit, nn
from rulewright.errors import UsageError
from rulewright.nn.optim import (
    ASGD,
    LAMB,
    LARS,
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Muon,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
)

ALL = (LAMB, LARS, SGD, Adagrad, Adam, Adamax, AdamW, Muon, NAdam, RAdam, RMSprop, Adadelta, ASGD)
STEPS, LR = 5, 0.05


def trained(make, start, sign=1.0, steps=STEPS, before=None):
    """What some steps make of a value: the slope of the loss is sign * (w**3 - 1)."""
    w = Tensor(start, requires_grad=True)
    optimizer = make([w])
    for step in range(steps):
        if before is not None:
            before(step, optimizer)
        optimizer.zero_grad()
        (((w**4) / 4 - w) * sign).sum().backward()
        optimizer.step()
    return w.numpy()


def damped(w, momentum, dampening, decay=0.0, sign=1.0, since=0):
    average = None
    for step in range(STEPS):
        g = sign * (w**3 - 1) + decay * w
        kept = dampening if step >= since else 0.0
        average = g if average is None else momentum * average + (1 - kept) * g
        w = w - LR * average
    return w


@pytest.mark.parametrize("optimizer", ALL)
def test_going_up_is_going_down_the_other_way(optimizer):
    start = np.array([[0.5, -1.5], [2.0, 0.25]], np.float32)
    up = trained(lambda p: optimizer(p, lr=LR, weight_decay=0.1, maximize=True), start)
    down = trained(lambda p: optimizer(p, lr=LR, weight_decay=0.1), start, sign=-1.0)
    np.testing.assert_array_equal(up, down)
    assert abs(up - trained(lambda p: optimizer(p, lr=LR, weight_decay=0.1), start)).max() > 1e-3


def test_the_way_may_change_between_steps():
    start = np.array([0.5, -1.5], np.float32)

    def turn(step, optimizer):
        optimizer.param_groups[0]["maximize"] = step % 2 == 1

    value = start.astype(np.float64)
    for step in range(STEPS):
        value = value - LR * (-1) ** step * (value**3 - 1)
    found = trained(lambda p: SGD(p, lr=LR), start, before=turn)
    np.testing.assert_allclose(found, value, rtol=1e-6)


@pytest.mark.parametrize("shape", [(), (3,), (2, 1, 2), (0,)])
def test_dampening_begins_with_the_second_gradient(rng, shape):
    start = rng.normal(size=shape).astype(np.float32)
    made = trained(lambda p: SGD(p, LR, 0.9, 0.1, dampening=0.3), start)
    expected = damped(start.astype(np.float64), 0.9, 0.3, 0.1)
    np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-6)


def test_dampening_without_momentum_is_nothing():
    start = np.array([0.5, -1.5], np.float32)
    plain = trained(lambda p: SGD(p, LR), start)
    np.testing.assert_array_equal(trained(lambda p: SGD(p, LR, dampening=0.5), start), plain)


@pytest.mark.parametrize("since", [0, 1, 3])
def test_dampening_that_is_set_later(since):
    start = np.array([0.5, -1.5], np.float32)

    def change(step, optimizer):
        if step == since:
            optimizer.param_groups[0]["dampening"] = 0.25

    found = trained(lambda p: SGD(p, LR, 0.9), start, before=change)
    expected = damped(start.astype(np.float64), 0.9, 0.25, since=since)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_parameter_without_a_gradient_begins_later():
    early, late = Tensor([0.5], requires_grad=True), Tensor([0.5], requires_grad=True)
    optimizer = SGD([early, late], LR, 0.9, dampening=0.5)
    for step in range(3):
        optimizer.zero_grad()
        (early * 1.0 + (late if step else 0.0)).sum().backward()
        optimizer.step()
    steps = np.cumsum([1.0, 0.9 + 0.5, 0.9 * 1.4 + 0.5]) * LR
    np.testing.assert_allclose([early.item(), late.item()], 0.5 - steps[[2, 1]], rtol=1e-6)


def test_dampening_is_kept_in_a_state_and_captured_by_jit():
    start = np.array([0.5, -1.5], np.float32)
    w = Tensor(start, requires_grad=True)
    optimizer = SGD([w], LR, 0.9, dampening=0.5)

    @jit
    def step():
        optimizer.zero_grad()
        loss = ((w**4) / 4 - w).sum().backward()
        return loss.realize(*optimizer.update())

    for _ in range(3):
        step()
    state = {k: v.numpy() for k, v in nn.state.get_state_dict(optimizer).items()}
    other = SGD([w], LR, 0.9, dampening=0.5)
    nn.state.load_state_dict(other, state)
    for _ in range(2):
        other.zero_grad()
        ((w**4) / 4 - w).sum().backward()
        other.step()
    expected = damped(start.astype(np.float64), 0.9, 0.5)
    np.testing.assert_allclose(w.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("optimizer", [Adam, NAdam, RAdam])
def test_decay_apart_is_a_share_of_the_value(optimizer):
    """One step from a slope of zero: the value loses lr * weight_decay of itself, and no more."""
    w = Tensor([0.5, -1.5], requires_grad=True)
    (w * 0).sum().backward()
    optimizer([w], lr=0.1, weight_decay=0.5, decoupled_weight_decay=True).step()
    np.testing.assert_allclose(w.numpy(), np.array([0.5, -1.5]) * (1 - 0.1 * 0.5), rtol=1e-6)


def test_decay_apart_of_adam_is_adamw():
    start = np.array([0.5, -1.5], np.float32)
    made = trained(lambda p: Adam(p, LR, weight_decay=0.1, decoupled_weight_decay=True), start)
    apart = trained(lambda p: AdamW(p, LR, weight_decay=0.1), start)
    np.testing.assert_array_equal(made, apart)


@pytest.mark.parametrize("optimizer", ALL)
def test_words_for_how_a_step_is_computed(optimizer):
    start = np.array([[0.5, -1.5]], np.float32)
    words = {"foreach": True, "fused": None, "capturable": False, "differentiable": False}
    plain = trained(lambda p: optimizer(p, lr=LR), start)
    np.testing.assert_array_equal(trained(lambda p: optimizer(p, lr=LR, **words), start), plain)
    w = Tensor(start, requires_grad=True)
    groups = optimizer([{"params": [w], "foreach": False}]).param_groups
    assert "foreach" not in groups[0]
    with pytest.raises(UsageError, match="no gradient passes through a step; write new values"):
        optimizer([w], differentiable=True)
    with pytest.raises(UsageError, match="expected fused as True or False, found 'yes'"):
        optimizer([w], fused="yes")
    with pytest.raises(TypeError, match="unexpected keyword argument 'forech'"):
        optimizer([w], forech=True, fused=True)


def adadelta(w, rho, decay):
    square, steps = np.zeros_like(w), np.zeros_like(w)
    for _ in range(STEPS):
        g = w**3 - 1 + decay * w
        square = rho * square + (1 - rho) * g * g
        step = np.sqrt(steps + 1e-6) / np.sqrt(square + 1e-6) * g
        steps = rho * steps + (1 - rho) * step * step
        w = w - step
    return w


def rprop(w, sign=1.0):
    before, sizes = np.zeros_like(w), np.full_like(w, 0.3)
    for _ in range(12):
        g = sign * (w**3 - 1)
        turn = np.sign(g * before)
        sizes = np.clip(sizes * np.select([turn > 0, turn < 0], [1.5, 0.25], 1.0), 0.02, 0.5)
        g = np.where(turn < 0, 0, g)
        w, before = w - np.sign(g) * sizes, g
    return w


@pytest.mark.parametrize("shape", [(), (5,), (2, 0)])
def test_steps_that_hang_little_on_a_rate(rng, shape):
    start = rng.normal(size=shape).astype(np.float32)
    wide = start.astype(np.float64)
    found = trained(lambda p: Adadelta(p, rho=0.8, weight_decay=0.1), start)
    np.testing.assert_allclose(found, adadelta(wide, 0.8, 0.1), rtol=1e-4)
    settings = {"lr": 0.3, "etas": (0.25, 1.5), "step_sizes": (0.02, 0.5)}
    found = trained(lambda p: Rprop(p, **settings), start, steps=12)
    np.testing.assert_allclose(found, rprop(wide), rtol=1e-4, atol=1e-6)
    found = trained(lambda p: Rprop(p, maximize=True, **settings), start, -1.0, steps=12)
    np.testing.assert_allclose(found, rprop(wide), rtol=1e-4, atol=1e-6)


def test_the_first_step_of_rprop_is_the_rate_as_it_is_then():
    early, late = (Tensor([1.0, 2.0], dtype="f64", requires_grad=True) for _ in range(2))
    optimizer = Rprop([early, late], lr=1.0, etas=(0.5, 1.2))
    optimizer.lr = 0.25
    early.grad = Tensor([1.0, -3.0], dtype="f64")
    optimizer.step()
    assert (early.tolist(), late.tolist()) == ([0.75, 2.25], [1.0, 2.0])
    optimizer.lr = 0.5
    late.grad = Tensor([1.0, 0.0], dtype="f64")
    optimizer.step()
    assert late.tolist() == [0.5, 2.0]
    expected = [0.75 - 0.25 * 1.2, 2.25 + 0.25 * 1.2]
    np.testing.assert_allclose(early.numpy(), expected, rtol=1e-15)


ASGD_SETTINGS = {"lambd": 0.3, "alpha": 0.6, "t0": 2, "weight_decay": 0.1}


def asgd(w, rates, lambd=0.3, alpha=0.6, t0=2, decay=0.1):
    """Values and means of them behind each step, by its rate."""
    average, eta, steps = np.zeros_like(w), rates[0], []
    for n, lr in enumerate(rates, 1):
        g = w**3 - 1 + decay * w
        w = w * (1 - lambd * eta) - eta * g
        average = average + (w - average) / max(1, n - 1 - t0)
        eta = lr / (1 + lambd * lr * n) ** alpha
        steps.append((w, average))
    return steps


@pytest.mark.parametrize("shape", [(), (5,), (2, 0)])
@pytest.mark.parametrize("is_jitted", [False, True])
def test_values_are_averaged_from_a_step_on(rng, shape, is_jitted):
    rates = [0.1, 0.1, 0.05, 0.2, 0.1, 0.1, 0.1]
    start = rng.normal(size=shape)
    w = Tensor(start, dtype="f64", requires_grad=True)
    optimizer = ASGD([w], rates[0], **ASGD_SETTINGS)

    def step():
        optimizer.zero_grad()
        (w**4 / 4 - w).sum().backward()
        optimizer.step()

    step = jit(step) if is_jitted else step
    for number, wanted in enumerate(asgd(start, rates)):
        optimizer.lr = rates[number]
        if number == 5:  # another one goes on from its state
            state = {k: v.numpy() for k, v in nn.state.get_state_dict(optimizer).items()}
            if not is_jitted:
                optimizer = ASGD([w], **ASGD_SETTINGS)
            nn.state.load_state_dict(optimizer, {k: Tensor(v) for k, v in state.items()})
        step()
        for tensor, value in zip((w, optimizer.averages[0]), wanted, strict=True):
            np.testing.assert_allclose(tensor.numpy(), value, rtol=1e-12, atol=1e-14)


def test_nesterov_takes_no_dampening():
    w = Tensor([1.0], requires_grad=True)
    with pytest.raises(UsageError, match=r"nesterov needs a dampening of 0, found 0\.5"):
        SGD([w], momentum=0.9, nesterov=True, dampening=0.5)
