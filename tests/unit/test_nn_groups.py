"""Groups of parameters with settings of their own, in one optimiser."""

import pickle
from copy import deepcopy

import numpy as np
import pytest

from rulewright import Tensor, jit, nn
from rulewright.driver.graphs import on_schedule
from rulewright.errors import ArgumentError, UsageError
from rulewright.nn import lr_scheduler
from rulewright.nn.optim import SGD, Adam, AdamW, OptimizerGroup
from rulewright.nn.recorded import Recorded


def leaves(*values):
    return [Tensor([float(v)], requires_grad=True) for v in values]


def step(optimizer, *params, slope=1.0):
    """A step by a gradient of `slope` for each parameter."""
    optimizer.zero_grad()
    for each in params:
        (each * slope).sum().backward()
    optimizer.step()


def values(*params):
    return [each.item() for each in params]


def test_each_group_has_its_own_settings():
    a, b, c = leaves(1, 1, 1)
    groups = [{"params": [a]}, {"params": [b], "lr": 0.5}, {"params": [c], "weight_decay": 2.0}]
    optimizer = SGD(groups, lr=0.25)
    assert isinstance(optimizer, SGD)
    step(optimizer, a, b, c)
    assert values(a, b, c) == [0.75, 0.5, 0.25]  # the third loses lr * (1 + 2 * 1)
    step(optimizer, a, c)
    assert values(a, b, c) == [0.5, 0.5, -0.125]  # b has no gradient


def test_groups_are_given_as_pytorch_takes_them():
    a, b = leaves(1, 1)
    optimizer = Adam(params=({"params": iter([a]), "betas": (0.5, 0.75)}, {"params": [b]}))
    assert [g["b1"] for g in optimizer.param_groups] == [0.5, 0.9]
    assert [g["params"] for g in optimizer.param_groups] == [[a], [b]]
    assert [m.lr.item() for m in optimizer.members()] == pytest.approx([0.001, 0.001])


def test_settings_of_a_group_are_read_and_set():
    a, b = leaves(1, 1)
    optimizer = SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.25)
    first, second = optimizer.param_groups
    assert first["lr"].item() == 0.25 and second["weight_decay"] == 0.0 and "momentum" in first
    assert list(first) == [
        "params", "lr", "momentum", "weight_decay", "nesterov", "maximize", "dampening",
    ]  # fmt: skip
    assert len(first) == 7 and first.get("speed") is None and "'momentum': 0.0" in repr(first)
    for group in optimizer.param_groups:
        group["lr"] *= 2
    second["weight_decay"] = 1.0
    step(optimizer, a, b)
    assert values(a, b) == [0.5, -1.0]
    first["momentum"] = 0.5  # from now on
    step(optimizer, a, b)
    step(optimizer, a, b)
    assert a.item() == 0.5 - 0.5 - 0.5 * 1.5


def test_a_group_is_added_between_steps():
    a, b = leaves(1, 1)
    optimizer = SGD([a], lr=0.25, momentum=0.5)
    step(optimizer, a)
    optimizer.add_param_group({"params": [b], "lr": 0.5})
    step(optimizer, a, b)
    assert values(a, b) == [1 - 0.25 - 0.25 * 1.5, 0.5]
    optimizer.zero_grad()
    assert a.grad is None and b.grad is None
    optimizer.set_lr(1.0)
    step(optimizer, b)
    assert b.item() == 0.5 - 1.5


def test_the_state_of_groups_is_saved_and_loaded():
    def made():
        a, b = leaves(1, 1)
        return (a, b), AdamW([{"params": [a], "lr": 0.1}, {"params": [b]}], lr=0.01)

    (a, b), first = made()
    for _ in range(2):
        step(first, a, b)
    first.param_groups[1]["lr"] = 0.3
    saved = {k: v.numpy() for k, v in nn.state.get_state_dict(first).items()}
    assert "added_groups.0.first.0" in saved
    assert saved["added_groups.0.lr"].item() == np.float32(0.3)
    (c, d), second = made()
    nn.state.load_state_dict(second, saved)
    copies = [deepcopy(first), pickle.loads(pickle.dumps(first))]
    for optimizer, pair in ((first, (a, b)), (second, (c, d)), *((o, None) for o in copies)):
        one, other = pair or (g["params"][0] for g in optimizer.param_groups)
        step(optimizer, one, other, slope=2.0)
        assert values(one, other) == values(a, b)


def test_schedules_act_on_each_group():
    a, b, c = leaves(1, 1, 1)
    optimizer = SGD([{"params": [a], "lr": 1.0}, {"params": [b]}], lr=0.5)
    schedule = lr_scheduler.StepLR(optimizer, 2, 0.5)
    assert schedule.base_lrs == [1.0, 0.5]
    for _ in range(2):
        schedule.step()
    assert schedule.get_last_lr() == [0.5, 0.25]
    optimizer.add_param_group({"params": [c]})  # the schedule leaves it alone
    again = lr_scheduler.StepLR(optimizer, 2, 0.5)
    again.load_state_dict(schedule.state_dict())
    schedule.step()
    schedule.step()
    assert [g["lr"].item() for g in optimizer.param_groups] == [0.25, 0.125, 0.5]
    assert again.get_last_lr() == [0.5, 0.25]


def test_a_plateau_lowers_each_rate_to_the_least():
    a, b = leaves(1, 1)
    optimizer = SGD([{"params": [a], "lr": 1.0}, {"params": [b], "lr": 0.5}])
    schedule = lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.25, patience=0, min_lr=0.125)
    for _ in range(3):
        schedule.step(1.0)
    assert schedule.get_last_lr() == [0.125, 0.125]


@pytest.mark.parametrize("joined", [False, True])
def test_a_step_of_all_groups_is_one_call(joined, monkeypatch):
    x = Tensor([[1.0, 2.0]])
    p, q = (Tensor(np.ones((2, 2), np.float32), requires_grad=True) for _ in range(2))
    if joined:
        optimizer = OptimizerGroup(SGD([p], 0.25, momentum=0.5), Adam([q], 0.5))
    else:
        optimizer = Adam([{"params": [p], "lr": 0.25}, {"params": [q]}], lr=0.5)
    runs, bodies, run = [], [], Recorded.run

    def noted(self, *given):
        runs.append(self)
        run(self, *given)

    monkeypatch.setattr(Recorded, "run", noted)
    token = on_schedule.set(lambda function: bodies.append(function.body))
    try:
        for _ in range(3):
            optimizer.zero_grad()
            (x @ p @ q).sum().backward()
            optimizer.step()
    finally:
        on_schedule.reset(token)
    assert bodies[-1] is bodies[-2] and len(runs) == 3 and len(set(runs)) == 1


def test_groups_step_under_jit():
    a, b = leaves(1, 1)
    optimizer = SGD([{"params": [a], "lr": 1.0}, {"params": [b], "momentum": 0.5}], lr=0.5)

    @jit
    def train(slope):
        optimizer.zero_grad()
        loss = ((a + b) * slope).sum()
        loss.backward()
        return loss.realize(*optimizer.update())

    for number in range(4):
        train(Tensor([1.0]))
        if number == 1:
            optimizer.param_groups[0]["lr"] = 0.25
    assert values(a, b) == [1 - 2 - 2 * 0.25, 1 - 0.5 * (1 + 1.5 + 1.75 + 1.875)]


A, B = leaves(1, 2)
WRONG = [
    (lambda: SGD([{"lr": 1.0}]), ArgumentError, "SGD: missing a required argument: 'params'"),
    (lambda: SGD([{"params": [A], "rate": 1.0}]), ArgumentError, "SGD: .* argument 'rate'"),
    (lambda: SGD([{"params": [A]}, {"params": [B], "lr": -1}]), UsageError, "expected lr as a num"),
    (lambda: SGD([{"params": [A]}, B]), UsageError, "SGD.add_param_group: expected param_group as"),
    (lambda: SGD([A, {"params": [B]}]), UsageError, r"SGD: expected params\[1\] as a tensor,"),
    (lambda: SGD([{"params": [A]}, {"params": [A]}]), UsageError, "is in another group already"),
    (lambda: SGD([A]).param_groups[0]["speed"], KeyError, "a group of SGD has params, lr, mom"),
    (lambda: SGD([A]).param_groups[0].update(speed=1), KeyError, "found 'speed'"),
    (lambda: SGD([A]).param_groups[0].update(lr=-1), UsageError, "SGD: expected lr as a number"),
    (lambda: SGD([A]).param_groups[0].update(params=[B]), UsageError, "add_param_group takes"),
    (lambda: SGD([A]).param_groups[0].pop("lr"), UsageError, "'lr' is an optimiser's, and cannot"),
    (lambda: OptimizerGroup(SGD([A])).add_param_group({"params": [B]}), UsageError,
     "OptimizerGroup.add_param_group: make another"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "says"), WRONG, ids=[says for *_, says in WRONG])
def test_what_is_no_group_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()
