"""What an optimiser's step changes, in whatever order things happen, and its learning rate."""

import numpy as np
import pytest
from arrays import parameter

from rulewright import Tensor, dtypes, jit, nn
from rulewright.errors import DeviceError, UsageError
from rulewright.nn.optim import (
    LAMB,
    LARS,
    SGD,
    Adagrad,
    Adam,
    AdamW,
    Muon,
    OptimizerGroup,
    RMSprop,
)


def test_what_is_computed_from_a_parameter_is_not_trained_in_its_place():
    layer = nn.Linear(2, 3)
    for params in ([layer.weight[0], layer.bias], [layer.weight * 1], [layer.weight.T]):
        with pytest.raises(UsageError, match="computed from others"):
            SGD(params)


# ---- what is trained ------------------------------------------------------------------------

EVERY = [SGD, lambda p: SGD(p, momentum=0.9), Adam, AdamW, LARS, LAMB, Muon]
EVERY += [lambda p: RMSprop(p, centered=True), lambda p: Adagrad(p, lr_decay=0.1)]


class Masked:
    """A layer with a mask and a count, which are state but nothing to train."""

    def __init__(self):
        self.layer = nn.Linear(2, 2)
        self.mask = Tensor.ones(2, 2).tril()
        self.count = Tensor([3])

    def __call__(self, x):
        return self.layer(x) @ self.mask


def loss_of(model):
    return (model(Tensor([[1.0, -2.0], [0.5, 3.0]])) - 1).square().mean()


@pytest.mark.parametrize("make", EVERY)
def test_only_what_requires_a_gradient_is_trained(make):
    model = Masked()
    frozen = model.layer.bias.requires_grad_(False)
    parameters = nn.state.get_parameters(model)
    assert [p for p in parameters if p.requires_grad] == [model.layer.weight]
    assert list(nn.state.get_state_dict(model)) == ["layer.weight", "layer.bias", "mask", "count"]
    optimizer = make(parameters)
    before = {k: v.numpy() for k, v in nn.state.get_state_dict(model).items()}
    loss_of(model).backward()
    optimizer.step()
    changed = [
        k for k, v in nn.state.get_state_dict(model).items() if (v.numpy() != before[k]).any()
    ]
    assert changed == ["layer.weight"]
    assert not frozen.requires_grad and not model.mask.requires_grad
    assert frozen.grad is None


@pytest.mark.parametrize("make", EVERY)
def test_parameters_are_frozen_and_trained_again_between_steps(make):
    """Each parameter goes as it would alone, whatever happens to the others meanwhile."""
    both, alone = (parameter(1.0, 2.0), parameter(3.0, -1.0)), parameter(3.0, -1.0)
    optimizer, single = make(both), make([alone])
    for step in range(5):
        trained = step not in (1, 2)
        both[1].requires_grad_(trained)
        optimizer.zero_grad()
        sum((p**4).sum() for p in both).backward()
        optimizer.step()
        if trained:
            single.zero_grad()
            (alone**4).sum().backward()
            single.step()
    np.testing.assert_array_equal(both[1].numpy(), alone.numpy())


@pytest.mark.parametrize("make", EVERY)
def test_parameters_without_a_gradient_are_passed_over(make):
    used, unused = parameter(1.0, 2.0), parameter(1.0, 2.0)
    optimizer = make([unused, used])
    with pytest.raises(UsageError, match="none of 2 parameters has a gradient: call backward"):
        optimizer.step()
    (used**2).sum().backward()
    optimizer.step()
    assert unused.tolist() == [1.0, 2.0] and used.tolist() != [1.0, 2.0]
    used.requires_grad_(False)
    unused.requires_grad_(False)
    with pytest.raises(UsageError, match=r"none of 2 parameters requires a gradient: call req"):
        optimizer.step()


def test_a_group_passes_over_optimizers_without_gradients():
    a, b = parameter(1.0), parameter(1.0)
    group = OptimizerGroup(SGD([a], 0.5), SGD([b], 0.5))
    with pytest.raises(UsageError, match="OptimizerGroup: none of 2 parameters has a gradient"):
        group.step()
    b.sum().backward()
    group.step()
    assert (a.item(), b.item()) == (1.0, 0.5)


def test_what_an_optimiser_of_ones_own_keeps_is_computed_with_a_step():
    class Signs(SGD):
        def __init__(self, params, lr):
            super().__init__(params, lr)
            self.sums, self.steps = self._zeros(), Tensor([0.0]).clone()

        def _begin(self, places):
            self.steps.assign(self.steps + 1)

        def _change(self, place, value, gradient):
            self.sums[place].assign(self.sums[place] + gradient)
            return self.lr * self.sums[place].sign() / self.steps

    a, b = (Tensor([value], requires_grad=True) for value in (1.0, -2.0))
    optimizer = Signs([a, b], 0.5)
    (a * 3).sum().backward()
    written = optimizer.update()
    kept = [a, optimizer.lr, optimizer.steps, optimizer.sums[0]]  # b has no gradient
    assert [id(t) for t in written] == [id(t) for t in kept]
    written[0].realize(*written[1:])
    assert all(t.state == "realized" for t in kept)
    assert [t.item() for t in (a, b, *kept[2:])] == [0.5, -2.0, 1.0, 3.0]


def test_loaded_values_leave_alone_what_is_frozen():
    first, second = Masked(), Masked()
    second.layer.bias.requires_grad_(False)
    nn.state.load_state_dict(second, nn.state.get_state_dict(first))
    assert not second.layer.bias.requires_grad and second.layer.weight.requires_grad
    np.testing.assert_array_equal(second.layer.bias.numpy(), first.layer.bias.numpy())


# ---- the learning rate ----------------------------------------------------------------------


@pytest.mark.parametrize("make", EVERY)
def test_scalars_are_wide_whatever_the_default(make):
    with dtypes.defaults(float="float16"):
        w = parameter(1.0, dtype="float32")
        optimizer = make([w])
        optimizer.lr = 1e-8
        state = nn.state.get_state_dict(optimizer)
        assert {v.dtype for k, v in state.items()} == {dtypes.f32}
    assert optimizer.lr.item() == np.float32(1e-8)
    with dtypes.defaults(float="float16"):
        schedule = nn.lr_scheduler.ExponentialLR(optimizer, 0.5)
        schedule.step()
    assert optimizer.lr.item() == np.float32(5e-9)


def test_scalars_of_a_wide_parameter_are_wide():
    w = parameter(1.0, dtype="float64")
    optimizer = Adam([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()
    value, mean, square = 1.0, 0.0, 0.0
    for t in range(1, 4):
        g = 2 * value
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        value -= 0.1 * (mean / (1 - 0.9**t)) / ((square / (1 - 0.999**t)) ** 0.5 + 1e-8)
    assert w.item() == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("rate", [0.25, Tensor([0.25]), Tensor(0.25), np.float32(0.25)])
def test_the_learning_rate_is_set(rate):
    a, b = parameter(1.0), parameter(1.0)
    first, second = SGD([a], lr=1.0), SGD([b], lr=rate)
    first.lr = rate
    group = OptimizerGroup(first, second)
    (a + b).sum().backward()
    group.step()
    assert (a.item(), b.item()) == (0.75, 0.75)
    group.lr = 0.5
    group.step()
    assert (a.item(), b.item()) == (0.25, 0.25)
    first.lr *= 0.5
    second.lr.assign(Tensor([0.0]))
    group.step()
    assert (a.item(), b.item()) == (0.0, 0.25)
    assert "lr" in nn.state.get_state_dict(first)


def test_a_schedule_begins_at_the_rate_that_was_set():
    optimizer = SGD([parameter(1.0)], lr=1.0)
    optimizer.lr = 0.5
    schedule = nn.lr_scheduler.ExponentialLR(optimizer, 0.5)
    schedule.step()
    assert optimizer.lr.item() == 0.25
    optimizer.lr = 8.0  # as in PyTorch, steps go on from there
    schedule.step()
    assert optimizer.lr.item() == 4.0
    absolute = nn.lr_scheduler.LambdaLR(optimizer, lambda n: 0.5**n)
    optimizer.lr = 8.0  # until the schedule's next step
    absolute.step()
    assert optimizer.lr.item() == 0.25


def test_the_learning_rate_under_jit():
    w = parameter(16.0)
    optimizer = SGD([w], lr=1.0)

    @jit
    def step(x):
        optimizer.zero_grad()
        loss = (w * x).sum().backward()
        optimizer.lr = optimizer.lr * 0.5
        return loss.realize(*optimizer.schedule_step())

    for _ in range(5):
        step(Tensor([1.0]))
    assert w.item() == 16 - (0.5 + 0.25 + 0.125 + 0.0625 + 0.03125)
    optimizer.lr = 1.0
    step(Tensor([1.0]))
    assert w.item() == 16 - 0.96875 - 0.5


def test_parameters_that_move_are_trained_where_they_are():
    x, w = Tensor([3.0], device="INTERP"), parameter(2.0)
    optimizer = SGD([w], lr=0.5)
    assert w.to_("INTERP") is w
    (w * x).sum().backward()
    assert w.grad.device == "INTERP"
    with pytest.raises(DeviceError, match=r"SGD: parameter 0 is on INTERP, and what the .* on C"):
        optimizer.step()
    SGD([w], lr=0.5).step()
    assert (w.device, w.item()) == ("INTERP", 0.5)
