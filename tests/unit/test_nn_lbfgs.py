"""L-BFGS against BFGS by whole matrices, and where the lowest place is known."""

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Tensor, jit, nn
from rulewright.errors import JitError, UsageError
from rulewright.nn.optim import LBFGS, SGD

WAYS = [None, "strong_wolfe"]


def valley(x):
    """Rosenbrock's function, which is lowest at ones."""
    return ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum()


def slope_of_valley(x):
    inner = x[1:] - x[:-1] ** 2
    slope = np.zeros_like(x)
    slope[:-1] += -2 * (1 - x[:-1]) - 400 * x[:-1] * inner
    slope[1:] += 200 * inner
    return slope


def closure_of(optimizer, loss):
    def closure():
        optimizer.zero_grad()
        return loss().backward()

    return closure


def by_matrices(x, steps, rate, size):
    """Steps by the matrix that the last `size` pairs make of a multiple of the identity."""
    pairs, slope = [], slope_of_valley(x)
    for number in range(steps):
        inverse = np.eye(len(x))
        if pairs:
            s, y = pairs[-1]
            inverse *= (s @ y) / (y @ y)
        for s, y in pairs:
            left = np.eye(len(x)) - np.outer(s, y) / (s @ y)
            inverse = left @ inverse @ left.T + np.outer(s, s) / (s @ y)
        length = rate * (min(1.0, 1 / abs(slope).sum()) if number == 0 else 1.0)
        step = -length * inverse @ slope
        x, before = x + step, slope
        slope = slope_of_valley(x)
        if step @ (slope - before) > 1e-10:
            pairs = [*pairs, (step, slope - before)][-size:]
    return x


@pytest.mark.parametrize(("calls", "steps"), [(1, 1), (1, 6), (3, 4)])
@pytest.mark.parametrize("size", [2, 100])
def test_steps_are_those_of_matrices(calls, steps, size):
    """What is learnt stays from one call to the next."""
    start = np.array([-1.2, 1.0, 0.5])
    x = Tensor(start, requires_grad=True)
    optimizer = LBFGS([x], lr=0.3, max_iter=steps, history_size=size)
    before = [optimizer.step(closure_of(optimizer, lambda: valley(x))) for _ in range(calls)]
    assert before[0].item() == pytest.approx(valley(start))
    expected = by_matrices(start, calls * steps, 0.3, size)
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-9)


@pytest.mark.parametrize("size", [2, 3, 8])
def test_the_bottom_of_a_valley(size):
    x = Tensor(np.linspace(-1.2, 1.5, size), requires_grad=True)
    optimizer = LBFGS([x], max_iter=150, max_eval=400, line_search_fn="strong_wolfe")
    optimizer.step(closure_of(optimizer, lambda: valley(x)))
    assert abs(slope_of_valley(x.numpy())).max() < 1e-4


@pytest.mark.parametrize(("kind", "way"), in_turn(["f32", "f64", "f16"], WAYS))
def test_least_squares_of_several_parameters(rng, way, kind):
    a, b = rng.normal(size=(30, 4)), rng.normal(size=30)
    inputs, wanted = Tensor(a[:, :3], dtype=kind), Tensor(b - 0.5, dtype=kind)
    weight = Tensor.zeros(3, 1, dtype=kind).clone().requires_grad_(True)
    bias, frozen = Tensor(0.0, dtype=kind, requires_grad=True), Tensor([2.0], dtype=kind)
    unused = Tensor.ones(2, 0, dtype=kind).clone().requires_grad_(True)
    optimizer = LBFGS([weight, frozen, bias, unused], lr=1 if way else 0.5, line_search_fn=way)

    def loss():
        return ((inputs @ weight).squeeze(1) + bias - wanted).float().square().mean()

    for _ in range(3):
        optimizer.step(closure_of(optimizer, loss))
    table = np.concatenate([inputs.numpy().astype(float), np.ones((30, 1))], 1)
    expected = np.linalg.lstsq(table, wanted.numpy().astype(float), rcond=None)[0]
    found = [*weight.numpy().reshape(-1), bias.item()]
    tolerance = {"f16": 2e-2, "f32": 2e-3, "f64": 1e-4}[kind]
    np.testing.assert_allclose(found, expected, atol=tolerance)
    assert frozen.tolist() == [2.0] and weight.dtype is inputs.dtype and bias.shape == ()


def test_it_ends_where_nothing_is_gained():
    calls, x = [], Tensor([0.0, 0.0], requires_grad=True)
    optimizer = LBFGS([x])

    def closure():
        calls.append(1)
        optimizer.zero_grad()
        return (x * x).sum().backward()

    assert optimizer.step(closure).item() == 0.0 and len(calls) == 1
    x.assign(Tensor([3.0, -4.0]))
    optimizer.step(closure)
    assert abs(x.numpy()).max() < 1e-6 and len(calls) < 8


@pytest.mark.parametrize("way", WAYS)
def test_the_closure_is_called_so_often_at_most(way):
    calls, x = [], Tensor([-1.2, 1.0, 2.0], requires_grad=True)
    optimizer = LBFGS([x], lr=0.01, max_iter=9, max_eval=5, line_search_fn=way)

    def closure():
        calls.append(1)
        optimizer.zero_grad()
        return valley(x).backward()

    with Tensor.no_grad():  # it is called with gradients nevertheless
        optimizer.step(closure)
    assert len(calls) == 5 if way is None else 5 <= len(calls) < 5 + 25


def test_a_search_passes_losses_that_are_no_numbers():
    x = Tensor([4.0], requires_grad=True)
    optimizer = LBFGS([x], lr=50, max_iter=30, line_search_fn="strong_wolfe")
    for _ in range(4):
        optimizer.step(closure_of(optimizer, lambda: (x - x.log()).sum()))  # NaN below zero
    assert abs(x.item() - 1) < 1e-3


def test_a_closure_may_give_a_number_and_the_rate_may_change():
    x = Tensor([1.0], requires_grad=True)
    optimizer = LBFGS([x], lr=0.5, max_iter=1)

    def closure():
        optimizer.zero_grad()
        return (x * 2).sum().backward().item()

    assert optimizer.step(closure) == 2.0 and x.item() == 1.0 - 0.5 * 0.5 * 2
    optimizer.param_groups[0]["lr"] = 0.0
    optimizer.step(closure)
    assert x.item() == 0.5


def test_every_optimizer_takes_a_closure():
    x = Tensor([1.0], requires_grad=True)
    optimizer = SGD([x], lr=0.25)
    with Tensor.no_grad():
        assert optimizer.step(closure_of(optimizer, lambda: (x * x).sum())).item() == 1.0
    assert x.item() == 0.5
    (x * x).sum().backward()
    assert optimizer.step() is None


def test_what_it_refuses():
    x = Tensor([1.0], requires_grad=True)
    optimizer = LBFGS([{"params": [x]}])
    with pytest.raises(
        UsageError, match=r"steps? asks for losses on the way: call step\(closure\)"
    ):
        optimizer.update()
    with pytest.raises(UsageError, match="none of 1 parameters has a gradient"):
        optimizer.step(lambda: Tensor(0.0))
    with pytest.raises(UsageError, match="one group: pass them as one list"):
        LBFGS([{"params": [x]}, {"params": [Tensor([2.0], requires_grad=True)]}])
    step = jit(lambda: optimizer.step(closure_of(optimizer, lambda: (x * x).sum())))
    step()
    with pytest.raises(JitError, match="jit: "):
        step()
    assert list(nn.state.get_state_dict(optimizer)) == ["params.0", "lr"]
