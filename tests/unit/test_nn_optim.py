"""Optimisers against the same updates written in numpy."""

import numpy as np
import pytest

from rulewright import Tensor, nn
from rulewright.errors import DTypeError, UsageError
from rulewright.nn.optim import SGD, Adam, AdamW

STEPS, LR = 4, 0.1


def gradient(w):
    return w**3 - 1  # of the loss below


def train(make, start):
    w = Tensor(start, requires_grad=True)
    optimizer = make([w])
    for _ in range(STEPS):
        optimizer.zero_grad()
        ((w**4) / 4 - w).sum().backward()
        optimizer.step()
    return w.numpy()


def sgd(w, momentum=0.0, decay=0.0, nesterov=False):
    average = np.zeros_like(w)
    for _ in range(STEPS):
        g = gradient(w) + decay * w
        average = momentum * average + g
        w = w - LR * (g + momentum * average if nesterov else average)
    return w


def adam(w, decay=0.0, decoupled=False):
    mean, square = np.zeros_like(w), np.zeros_like(w)
    for t in range(1, STEPS + 1):
        g = gradient(w) + (0 if decoupled else decay * w)
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        step = (mean / (1 - 0.9**t)) / (np.sqrt(square / (1 - 0.999**t)) + 1e-8)
        w = w - LR * (step + (decay * w if decoupled else 0))
    return w


CASES = {
    "sgd": (lambda p: SGD(p, LR), sgd),
    "momentum": (lambda p: SGD(p, LR, momentum=0.9), lambda w: sgd(w, 0.9)),
    "nesterov": (lambda p: SGD(p, LR, momentum=0.8, nesterov=True), lambda w: sgd(w, 0.8, 0, True)),
    "decay": (lambda p: SGD(p, LR, 0.5, 0.1), lambda w: sgd(w, 0.5, 0.1)),
    "adam": (lambda p: Adam(p, LR), adam),
    "adam decay": (lambda p: Adam(p, LR, weight_decay=0.1), lambda w: adam(w, 0.1)),
    "adamw": (lambda p: AdamW(p, LR, weight_decay=0.1), lambda w: adam(w, 0.1, True)),
}


@pytest.mark.parametrize("name", CASES)
def test_updates(name):
    make, reference = CASES[name]
    start = np.array([0.5, -1.5, 2.0], np.float32)
    np.testing.assert_allclose(train(make, start), reference(start.astype(np.float64)), rtol=1e-4)


def test_a_step_can_be_scheduled_without_running():
    w = Tensor([1.0, 2.0], requires_grad=True)
    optimizer = SGD([w], lr=0.5)
    (w * w).sum().backward()
    items = optimizer.schedule_step()
    assert items
    for item in items:
        item.run()
    assert w.tolist() == [0, 0]


def test_the_learning_rate_can_change():
    w = Tensor([1.0], requires_grad=True)
    optimizer = SGD([w], lr=0.5)
    optimizer.set_lr(0.25)
    w.sum().backward()
    optimizer.step()
    assert w.tolist() == [0.75]


def test_the_second_step_needs_no_new_schedule():
    from rulewright.runtime import realize

    w = Tensor([1.0, 2.0], requires_grad=True)
    optimizer = Adam([w])
    hits = []
    schedule = realize.schedule

    def noted(*args, **rest):
        made = schedule(*args, **rest)
        hits.append(made.hit)
        return made

    realize.schedule = noted
    try:
        for _ in range(3):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
    finally:
        realize.schedule = schedule
    assert hits[-1]


def test_training_fits_a_line(rng):
    x = rng.normal(size=(64, 3)).astype(np.float32)
    y = x @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 0.25
    layer = nn.Linear(3, 1)
    optimizer = SGD(nn.state.get_parameters(layer), lr=0.3)
    for _ in range(40):
        optimizer.zero_grad()
        layer(Tensor(x)).mse_loss(Tensor(y)).backward()
        optimizer.step()
    np.testing.assert_allclose(layer.weight.numpy(), [[1.0, -2.0, 0.5]], atol=1e-3)
    np.testing.assert_allclose(layer.bias.numpy(), [0.25], atol=1e-3)


def test_what_cannot_be_optimised_says_so():
    with pytest.raises(UsageError, match="one parameter or more"):
        SGD([])
    with pytest.raises(UsageError, match="learning rate of 0 or more"):
        SGD([Tensor([1.0])], lr=-1)
    with pytest.raises(UsageError, match="nesterov needs a momentum"):
        SGD([Tensor([1.0])], nesterov=True)
    with pytest.raises(DTypeError, match="only floats have gradients"):
        SGD([Tensor([1])])
    with pytest.raises(UsageError, match="has no gradient: call backward"):
        SGD([Tensor([1.0])]).step()
