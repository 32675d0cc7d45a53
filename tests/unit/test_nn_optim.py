"""Optimisers against the same updates written in numpy."""

import numpy as np
import pytest
from arrays import parameter

from rulewright import Tensor, dtypes, nn
from rulewright.errors import UsageError
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
    OptimizerGroup,
    RAdam,
    RMSprop,
)

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


def adam(w, decay=0.0, decoupled=False, b2=0.999, largest=False):
    mean, square, above = np.zeros_like(w), np.zeros_like(w), np.zeros_like(w)
    for t in range(1, STEPS + 1):
        g = gradient(w) + (0 if decoupled else decay * w)
        mean, square = 0.9 * mean + 0.1 * g, b2 * square + (1 - b2) * g * g
        above = np.maximum(above, square) if largest else square
        step = (mean / (1 - 0.9**t)) / (np.sqrt(above / (1 - b2**t)) + 1e-8)
        w = w - LR * (step + (decay * w if decoupled else 0))
    return w


def adamax(w, decay):
    mean, norm = np.zeros_like(w), np.zeros_like(w)
    for t in range(1, STEPS + 1):
        g = gradient(w) + decay * w
        mean, norm = 0.9 * mean + 0.1 * g, np.maximum(0.5 * norm, abs(g) + 1e-8)
        w = w - LR / (1 - 0.9**t) * mean / norm
    return w


def nadam(w, decay, fading):
    mean, square, product = np.zeros_like(w), np.zeros_like(w), 1.0
    for t in range(1, STEPS + 1):
        g = gradient(w) + decay * w
        now, later = (0.9 * (1 - 0.5 * 0.96 ** (n * fading)) for n in (t, t + 1))
        product *= now
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        ahead = later * mean / (1 - product * later) + (1 - now) * g / (1 - product)
        w = w - LR * ahead / (np.sqrt(square / (1 - 0.999**t)) + 1e-8)
    return w


def radam(w, decay=0.0, b2=0.999, steps=STEPS):
    mean, square, most = np.zeros_like(w), np.zeros_like(w), 2 / (1 - b2) - 1
    for t in range(1, steps + 1):
        g = gradient(w) + decay * w
        mean, square = 0.9 * mean + 0.1 * g, b2 * square + (1 - b2) * g * g
        length, step = most - 2 * t * b2**t / (1 - b2**t), mean / (1 - 0.9**t)
        if length > 5:
            share = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
            step = step * np.sqrt(share * (1 - b2**t)) / (np.sqrt(square) + 1e-8)
        w = w - LR * step
    return w


def ratio(w, step, scale, decay=0.0, slope=None):
    size, length = np.linalg.norm(w), np.linalg.norm(step if slope is None else slope)
    return scale * size / (length + decay * size) if size and length else 1.0


def lars(w, decay, classic, nesterov=False, tcoef=0.02):
    average = np.zeros_like(w)
    for _ in range(STEPS):
        g = gradient(w)
        rate = LR * ratio(w, g, tcoef, decay)
        g = (g + decay * w) * (rate if classic else 1)
        average = 0.9 * average + g
        w = w - (g + 0.9 * average if nesterov else average) * (1 if classic else rate)
    return w


def lamb(w, decay):
    mean, square = np.zeros_like(w), np.zeros_like(w)
    for t in range(1, STEPS + 1):
        g = gradient(w)
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        step = (mean / (1 - 0.9**t)) / (np.sqrt(square / (1 - 0.999**t)) + 1e-6) + decay * w
        w = w - LR * ratio(w, step, 1.0) * step
    return w


def muon(w, decay, nesterov):
    a, b, c = 3.4445, -4.775, 2.0315
    average = np.zeros_like(w)
    for _ in range(STEPS):
        g = gradient(w)
        average = 0.95 * average + g
        x = (g + 0.95 * average if nesterov else average).reshape(len(w), -1)
        x, turned = (x.T, True) if x.shape[0] > x.shape[1] else (x, False)
        x = x / (np.linalg.norm(x) + 1e-7)
        for _ in range(5):
            square = x @ x.T
            x = a * x + b * square @ x + c * square @ square @ x
        w = w - LR * ((x.T if turned else x).reshape(w.shape) + decay * w)
    return w


def rmsprop(w, alpha=0.99, decay=0.0, momentum=0.0, centred=False):
    square, mean, average = np.zeros_like(w), np.zeros_like(w), np.zeros_like(w)
    for _ in range(STEPS):
        g = gradient(w) + decay * w
        square, mean = alpha * square + (1 - alpha) * g * g, alpha * mean + (1 - alpha) * g
        spread = square - mean**2 if centred else square
        average = momentum * average + g / (np.sqrt(spread) + 1e-8)
        w = w - LR * average
    return w


def adagrad(w, rate_decay=0.0, decay=0.0, begin=0.0):
    square = np.full_like(w, begin)
    for step in range(STEPS):
        g = gradient(w) + decay * w
        square = square + g * g
        w = w - LR / (1 + step * rate_decay) * g / (np.sqrt(square) + 1e-10)
    return w


CASES = {
    "rmsprop": (lambda p: RMSprop(p, LR), rmsprop),
    "rmsprop centred": (
        lambda p: RMSprop(p, LR, alpha=0.9, weight_decay=0.1, momentum=0.5, centered=True),
        lambda w: rmsprop(w, 0.9, 0.1, 0.5, True),
    ),
    "adagrad": (lambda p: Adagrad(p, LR), adagrad),
    "adagrad decay": (
        lambda p: Adagrad(p, LR, lr_decay=0.5, weight_decay=0.1, initial_accumulator_value=2),
        lambda w: adagrad(w, 0.5, 0.1, 2.0),
    ),
    "sgd": (lambda p: SGD(p, LR), sgd),
    "momentum": (lambda p: SGD(p, LR, momentum=0.9), lambda w: sgd(w, 0.9)),
    "nesterov": (lambda p: SGD(p, LR, momentum=0.8, nesterov=True), lambda w: sgd(w, 0.8, 0, True)),
    "decay": (lambda p: SGD(p, LR, 0.5, 0.1), lambda w: sgd(w, 0.5, 0.1)),
    "adam": (lambda p: Adam(p, LR), adam),
    "adam decay": (lambda p: Adam(p, LR, weight_decay=0.1), lambda w: adam(w, 0.1)),
    "lars": (lambda p: LARS(p, LR, weight_decay=0.1, tcoef=0.02), lambda w: lars(w, 0.1, True)),
    "lars popular": (
        lambda p: LARS(p, LR, 0.9, 0.1, nesterov=True, classic=False, tcoef=0.02),
        lambda w: lars(w, 0.1, False, True),
    ),
    "lamb": (lambda p: LAMB(p, LR), lambda w: lamb(w, 0.0)),
    "lamb decay": (lambda p: LAMB(p, LR, weight_decay=0.1), lambda w: lamb(w, 0.1)),
    "muon": (lambda p: Muon(p, LR), lambda w: muon(w, 0.1, True)),
    "muon plain": (
        lambda p: Muon(p, LR, weight_decay=0, nesterov=False),
        lambda w: muon(w, 0.0, False),
    ),
    "amsgrad": (
        lambda p: Adam(p, LR, b2=0.25, amsgrad=True),
        lambda w: adam(w, b2=0.25, largest=True),
    ),
    "amsgrad decoupled": (
        lambda p: AdamW(p, LR, b2=0.25, weight_decay=0.1, amsgrad=True),
        lambda w: adam(w, 0.1, True, 0.25, True),
    ),
    "adamax": (lambda p: Adamax(p, LR, b2=0.5, weight_decay=0.1), lambda w: adamax(w, 0.1)),
    "nadam": (
        lambda p: NAdam(p, LR, weight_decay=0.1, momentum_decay=0.5),
        lambda w: nadam(w, 0.1, 0.5),
    ),
    "radam": (lambda p: RAdam(p, LR, weight_decay=0.1), lambda w: radam(w, 0.1)),
    "radam of short memory": (lambda p: RAdam(p, LR, b2=0.6), lambda w: radam(w, b2=0.6)),
    "adamw": (lambda p: AdamW(p, LR, weight_decay=0.1), lambda w: adam(w, 0.1, True)),
}


@pytest.mark.parametrize("name", CASES)
def test_updates(name):
    make, reference = CASES[name]
    start = np.array([0.5, -1.5, 2.0], np.float32)
    np.testing.assert_allclose(train(make, start), reference(start.astype(np.float64)), rtol=1e-4)
    if "muon" in name:
        start = np.array([[0.5, -1.5, 2.0], [1.0, 0.3, -0.2]], np.float32)
        for given in (start, start.T.copy(), start.reshape(1, 2, 3)):
            expected = reference(given.astype(np.float64))
            np.testing.assert_allclose(train(make, given), expected, rtol=1e-3, atol=1e-5)


def test_the_weight_of_what_came_before_is_exact_to_all_digits(rng):
    """1 - 0.999 in float32 is 13 millionths off: so would steps be by half as much."""
    gradients = rng.normal(size=(20, 5))
    p, value = Tensor.zeros(5).clone().requires_grad_(True), np.zeros(5)
    optimizer, mean, square = Adam([p], LR), np.zeros(5), np.zeros(5)
    for step, g in enumerate(gradients, start=1):
        p.grad = Tensor(g.astype(np.float32))
        optimizer.step()
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        root = np.sqrt(square / (1 - 0.999**step)) + 1e-8
        value -= LR * mean / (1 - 0.9**step) / root
        np.testing.assert_allclose(p.numpy(), value, rtol=1e-6, atol=LR * 3e-6)


def test_steps_are_rectified_from_the_sixth_on():
    """Where 0.999 of squares stays, the first five say too little of their spread."""
    w = Tensor([0.5, -1.5, 2.0], requires_grad=True)
    optimizer, start = RAdam([w], LR), w.numpy().astype(np.float64)
    for step in range(1, 9):
        optimizer.zero_grad()
        ((w**4) / 4 - w).sum().backward()
        optimizer.step()
        np.testing.assert_allclose(w.numpy(), radam(start, steps=step), rtol=1e-4)
        assert (optimizer.rectified.item() > 0) is (step > 5)


@pytest.mark.parametrize("make", [RAdam, lambda p, lr: NAdam(p, lr, momentum_decay=0.5)])
def test_parameters_that_are_passed_over_are_a_step_behind(make):
    late, other, alone = (Tensor([0.5, -1.5], requires_grad=True) for _ in range(3))
    pair, single = make([late, other], LR), make([alone], LR)
    steps = [(pair, [other]), *[(pair, [late, other])] * 7, *[(single, [alone])] * 7]
    for optimizer, trained in steps:
        optimizer.zero_grad()
        for w in trained:
            ((w**4) / 4 - w).sum().backward()
        optimizer.step()
    np.testing.assert_allclose(late.numpy(), alone.numpy(), rtol=1e-6)
    assert abs(other.numpy() - late.numpy()).max() > 1e-3


def test_norms_of_zero_leave_the_rate_alone():
    for make in (LARS, LAMB):
        w = Tensor([0.0, 0.0], requires_grad=True)
        optimizer = make([w], lr=0.5)
        (w * Tensor([1.0, -1.0])).sum().backward()
        optimizer.step()
        np.testing.assert_allclose(w.numpy(), [-0.5, 0.5], rtol=1e-4)


def test_scalars_and_narrow_floats():
    scalar, narrow = Tensor(2.0, requires_grad=True), Tensor([1.0], "float16", requires_grad=True)
    optimizer = Adam([scalar, narrow], lr=0.25)
    assert all(t.dtype is dtypes.f32 for t in optimizer.first)
    for _ in range(2):
        optimizer.zero_grad()
        (scalar * 1e-5 + narrow.sum().float() * 1e-5).backward()  # its square is 0 in float16
        optimizer.step()
    assert scalar.shape == () and narrow.dtype is dtypes.f16
    np.testing.assert_allclose([scalar.item(), narrow.item()], [1.5, 0.5], rtol=2e-3)


@pytest.mark.parametrize("make", [lambda p: SGD(p, LR, 0.9), lambda p: Adam(p, LR)])
def test_an_optimizer_continues_from_its_state(make):
    start = np.array([0.5, -1.5], np.float32)

    def steps(w, optimizer, count):
        for _ in range(count):
            optimizer.zero_grad()
            ((w**4) / 4 - w).sum().backward()
            optimizer.step()

    first = Tensor(start, requires_grad=True)
    whole = make([first])
    steps(first, whole, 2)
    saved = {k: v.numpy() for k, v in nn.state.get_state_dict(whole).items()}
    steps(first, whole, 2)
    second = Tensor(np.zeros(2, np.float32), requires_grad=True)
    rest = make([second])
    nn.state.load_state_dict(rest, saved)
    steps(second, rest, 2)
    np.testing.assert_array_equal(first.numpy(), second.numpy())


def test_a_group_steps_together():
    a, b = Tensor([1.0], requires_grad=True), Tensor([1.0], requires_grad=True)
    group = OptimizerGroup(SGD([a], 0.5), SGD([b], 0.25))
    (a + b).sum().backward()
    group.step()
    assert (a.item(), b.item()) == (0.5, 0.75)
    group.zero_grad()
    assert a.grad is None and group[1].params == [b]
    group.set_lr(1.0)
    (a + b).sum().backward()
    group.step()
    assert (a.item(), b.item()) == (-0.5, -0.25)


def test_a_step_can_be_scheduled_without_running():
    w = Tensor([1.0, 2.0], requires_grad=True)
    optimizer = SGD([w], lr=0.5)
    (w * w).sum().backward()
    first, *rest = optimizer.schedule_step()
    items = first.schedule(*rest)
    assert items
    for item in items:
        item.run()
    assert w.tolist() == [0, 0]


def test_a_step_is_realized_with_the_loss():
    w = Tensor([1.0, 2.0], requires_grad=True)
    optimizer = Adam([w], lr=0.5)
    loss = (w * w).sum().backward()
    assert loss.realize(*optimizer.schedule_step()).item() == 5.0
    np.testing.assert_allclose(w.numpy(), [0.5, 1.5], rtol=1e-5)


def test_the_learning_rate_can_change():
    w = Tensor([1.0], requires_grad=True)
    optimizer = SGD([w], lr=0.5)
    optimizer.set_lr(0.25)
    w.sum().backward()
    optimizer.step()
    assert w.tolist() == [0.75]


def test_the_second_step_needs_no_new_schedule():
    from rulewright.driver import graphs

    w = Tensor([1.0, 2.0], requires_grad=True)
    optimizer = Adam([w])
    hits = []
    schedule = graphs.schedule

    def noted(*args, **rest):
        made = schedule(*args, **rest)
        hits.append(made.hit)
        return made

    graphs.schedule = noted
    try:
        for _ in range(3):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
    finally:
        graphs.schedule = schedule
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
    with pytest.raises(UsageError, match="nesterov needs a momentum"):
        SGD([parameter(1.0)], nesterov=True)
    with pytest.raises(UsageError, match="parameters with axes, found a scalar"):
        Muon([Tensor(1.0, requires_grad=True)])
    with pytest.raises(UsageError, match="one optimiser or more"):
        OptimizerGroup()
    with pytest.raises(UsageError, match="none of 2 parameters requires a gradient, so that"):
        SGD([Tensor([1]), Tensor([1.0])])
    leaf = parameter(1.0)
    between = leaf * 2
    between.retain_grad()
    with pytest.raises(UsageError, match="computed from others that require a gradient"):
        SGD([leaf, between])


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 1, 0)])
def test_muon_leaves_what_has_no_elements(shape):
    empty = Tensor(np.zeros(shape, np.float32), requires_grad=True)
    (empty * 2).sum().backward()
    Muon([empty]).step()
    assert empty.numpy().shape == shape
