"""What is computed a second time on the way to something else is kept in memory."""

import numpy as np
import pytest
from arrays import in_memory, realized

from rulewright import Tensor, Variable, jit
from rulewright.errors import UsageError
from rulewright.runtime.profile import GlobalCounters
from rulewright.tensor import repeated


def matrix(rng, n=6):
    a = rng.random((n, n))
    return ((a + a.T) / n).astype(np.float32)


def test_a_loop_that_looks_at_its_error_computes_each_step_once(rng):
    a = matrix(rng)
    wanted = np.ones(6, np.float32)
    x, v = Tensor(a).realize(), Tensor(wanted).realize()
    sizes, kernels = [], []
    for _ in range(30):
        v = x @ v
        v = v / v.norm()
        before = GlobalCounters.kernels
        error = float((x @ v - v * (v @ (x @ v))).abs().max())
        kernels.append(GlobalCounters.kernels - before)
        sizes.append(len(v.uop.toposort()))
        wanted = a @ wanted
        wanted /= np.linalg.norm(wanted)
    assert error < 1e-5
    np.testing.assert_allclose(v.numpy(), wanted, rtol=1e-4)
    assert max(sizes[2:]) == sizes[2] and max(kernels[2:]) == kernels[2]


def test_the_first_time_nothing_is_kept_that_nobody_asked_for():
    x = realized(1, 2, 3)
    y = x.cumsum(0)
    assert (y * 2).sum().item() == 20 and y.state != "realized"
    assert (y * 3).sum().item() == 30 and y.state == "realized"
    assert y.tolist() == [1, 3, 6]


def test_a_tensor_that_is_gone_is_kept_for_the_values_made_of_it():
    x = realized(1, 2, 3)
    y = x.cumsum(0)
    z = y + 1
    assert (y.sum() + 0).item() == 10
    del y
    before = z.uop
    assert (z * 2).sum().item() == 26
    assert z.uop is not before and len(z.uop.toposort()) < len(before.toposort())
    assert z.tolist() == [2, 4, 7]


CHEAP = {
    "few steps": lambda x: x * 2 + 1,
    "a view": lambda x: (x + 1).reshape(3, 1).expand(3, 4),
    "much larger": lambda x: (x.sum() * x.reshape(3, 1)).reshape(3, 1).expand(3, 1 << 18).exp(),
    "no elements": lambda x: x[:0].cumsum(0) * 2,
    "a symbolic size": lambda x: x[: Variable("n", 1, 3).bind(2)].cumsum(0),
}


@pytest.mark.parametrize("name", CHEAP)
def test_what_is_as_soon_computed_as_read_stays(name):
    x = realized(1, 2, 3)
    y = CHEAP[name](x)
    sums = [(y + 1).sum().item() for _ in range(3)]
    assert y.state != "realized" and len(set(sums)) == 1


def test_views_and_other_tensors_of_what_is_kept(rng):
    x = rng.random((4, 5), np.float32)
    y = Tensor(x).realize() @ Tensor(x.T.copy()).realize()
    turned, rows, twin = y.T, y[1:3], y + 0
    for _ in range(3):
        np.testing.assert_allclose((y * 2).sum().item(), (x @ x.T).sum() * 2, rtol=1e-5)
    assert y.state == "realized"
    y += 1
    wanted = x @ x.T + 1
    np.testing.assert_allclose(turned.numpy(), wanted.T, rtol=1e-5)
    np.testing.assert_allclose(rows.numpy(), wanted[1:3], rtol=1e-5)
    np.testing.assert_allclose(twin.numpy(), wanted - 1, rtol=1e-5)


def test_what_it_is_made_of_is_written_in_between():
    x = realized(1, 2, 3)
    y = x.cumsum(0)
    assert (y * 2).sum().item() == 20
    x += 10
    assert (y * 2).sum().item() == 20
    assert (y.tolist(), x.tolist()) == ([1, 3, 6], [11, 12, 13])


def test_gradients_go_through_what_is_kept(rng):
    a = rng.random((3, 3), np.float32)
    w = Tensor(a, requires_grad=True).realize()
    hidden = (w @ w).tanh()
    wanted = np.tanh(a @ a)
    for _ in range(3):
        loss = (hidden * hidden).sum()
        np.testing.assert_allclose(loss.item(), (wanted**2).sum(), rtol=1e-5)
    assert hidden.state == "realized"
    loss.backward()
    slope = 2 * wanted * (1 - wanted**2)
    np.testing.assert_allclose(w.grad.numpy(), slope @ a.T + a.T @ slope, rtol=1e-4)


def test_a_capture_keeps_what_it_would():
    def run(x):
        y = x.cumsum(0)
        return [(y * i).sum().realize() for i in (1, 2, 3)]

    step = jit(run)
    for i in range(5):
        assert [t.item() for t in step(realized(i, 2, 3))] == [3 * i + 7, 6 * i + 14, 9 * i + 21]


def test_what_reads_no_memory_is_of_every_device():
    y = Tensor.arange(3.0).cumsum(0)
    for device in ("C", "INTERP", "C"):
        x = Tensor([1.0, 2.0, 3.0], device=device)
        assert (x * y).sum().item() == 11
    assert y.state != "realized" and y.tolist() == [0, 1, 3]


def test_a_capture_does_not_hang_on_what_was_computed_before():
    x = realized(1, 2, 3)
    y = x.cumsum(0)
    assert (y * 2).sum().item() == 20
    step = jit(lambda z: (y * z).sum().realize())
    for i in range(4):
        assert step(realized(i, 1, 1)).item() == i + 9
    assert (y * 3).sum().item() == 30


def test_on_every_device_that_is_here():
    for device in ("C", "INTERP"):
        x = Tensor([1.0, 2.0, 3.0], device=device).realize()
        y = x.cumsum(0)
        assert [(y + i).sum().item() for i in range(3)] == [10, 13, 16]
        assert y.tolist() == [1, 3, 6]


def test_what_is_noted_does_not_grow(monkeypatch):
    monkeypatch.setattr(repeated, "_MOST", 5)
    x = realized(1, 2, 3)
    for i in range(12):
        y = (x * i).cumsum(0)
        assert (y + 1).sum().item() == 10 * i + 3
    assert len(repeated._devices) <= 5


def layers(rng, count=6):
    """Weights, and the loss of as many layers."""
    weights = [Tensor(rng.standard_normal((4, 4)) / 3, requires_grad=True) for _ in range(count)]
    return weights, loss_of(weights, rng)


def loss_of(weights, rng):
    x = Tensor(rng.standard_normal((3, 4)))
    for weight in weights:
        x = (x @ weight).tanh()
    return x.square().sum()


READS = {
    "numpy": lambda grad: grad.numpy().sum(),
    "norm": lambda grad: grad.norm().item(),
    "view": lambda grad: grad.view(-1)[::2].sum().item(),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("is_loss_read", [False, True])
def test_gradients_are_computed_with_the_first_that_is_read(read, is_loss_read, rng):
    seed = rng.integers(1 << 30)
    weights, loss = layers(np.random.default_rng(seed))
    loss.backward()
    Tensor.realize(*[weight.grad for weight in weights])
    wanted = [read(weight.grad) for weight in weights]
    weights, loss = layers(np.random.default_rng(seed))
    loss.backward()
    before = GlobalCounters.kernels
    if is_loss_read:
        loss.item()
    assert read(weights[0].grad) == pytest.approx(wanted[0])
    first, before = GlobalCounters.kernels - before, GlobalCounters.kernels
    assert [read(weight.grad) for weight in weights[1:]] == pytest.approx(wanted[1:])
    assert GlobalCounters.kernels - before <= 5 < first


@pytest.mark.parametrize("is_known", [False, True])
def test_gradients_are_computed_with_their_loss(is_known, rng):
    """Forwards once, whether the loss is read before the gradients are or not."""

    def kernels(ask, *reads):
        weights, loss = layers(np.random.default_rng(0))
        if is_known:
            loss_of(weights, np.random.default_rng(0)).item()
        grads = ask(weights, loss)
        before = GlobalCounters.kernels
        for read in reads:
            read(loss, grads)
        return GlobalCounters.kernels - before

    def by_name(weights, loss):
        return loss.gradient(*weights)

    def backward(weights, loss):
        loss.backward()
        return [weight.grad for weight in weights]

    for ask in (by_name, backward):
        alone = kernels(ask, lambda loss, grads: Tensor.realize(*grads))
        both = [lambda loss, grads: loss.item(), lambda loss, grads: Tensor.realize(*grads)]
        assert alone <= kernels(ask, *both) <= alone + 1
        assert kernels(lambda weights, loss: loss.gradient(*weights) and [], both[0]) < alone / 2


def test_gradients_asked_for_by_name_are_computed_together(rng):
    weights, _ = layers(rng)
    grads = loss_of(weights, np.random.default_rng(0)).gradient(*weights)
    before = GlobalCounters.kernels
    grads[0].numpy()
    first, before = GlobalCounters.kernels - before, GlobalCounters.kernels
    for grad in grads[2:]:
        grad.numpy()
    assert GlobalCounters.kernels - before <= 5 < first
    second = grads[1].sum().gradient(weights[0])[0].numpy()
    (slope,) = loss_of(weights, np.random.default_rng(0)).gradient(weights[1])
    np.testing.assert_allclose(second, slope.sum().gradient(weights[0])[0].numpy(), rtol=1e-5)


HIDING = {
    "alone": lambda h, w: h.sum(),
    "and beside": lambda h, w: (h * w).sum(),
    "by way of another": lambda h, w: (h.exp() * w).sum(),
}


@pytest.mark.parametrize("name", sorted(HIDING))
@pytest.mark.parametrize("is_leaf", [False, True])
def test_no_gradient_ends_at_a_value_that_was_kept(name, is_leaf):
    """A tensor that is computed on the way again and again gets memory. A gradient by what it was
    made of goes on from there if that requires one; else it would be a part of the gradient."""
    values = np.arange(16, dtype=np.float32).reshape(4, 4) / 16

    def gradient(reads):
        w = Tensor(values, requires_grad=is_leaf).realize()
        h = (w @ w).tanh()
        for number in range(reads):
            (h + number).sum().item()
        return HIDING[name](h, w).gradient(w)[0].numpy()

    if is_leaf:
        np.testing.assert_allclose(gradient(4), gradient(0), rtol=1e-5)
        return
    with pytest.raises(
        UsageError,
        match=r"gradient: the value depends on target 0 of shape \(4, 4\) "
        r"by way of a tensor that got memory, .*; call requires_grad_\(\) on",
    ):
        gradient(4)


def _without_gradients(w):
    with Tensor.no_grad():
        return (w @ w).tanh()


NO_GRADIENT = {
    "a comparison": (lambda w: (w @ w).tanh() > 0.5, lambda h: h.float()),
    "a comparison in the end": (lambda w: (w @ w).tanh(), lambda h: (h > 0.5).float()),
    "a place": (lambda w: (w @ w).tanh().argmax(1), lambda h: h.float()),
    "detached": (lambda w: (w.detach() @ w.detach()).tanh(), lambda h: h),
    "detached in the end": (lambda w: (w @ w).tanh(), Tensor.detach),
    "without gradients": (_without_gradients, lambda h: h),
}


@pytest.mark.parametrize("name", sorted(NO_GRADIENT))
def test_what_is_kept_hides_no_gradient_that_there_is_not(name):
    """A gradient by what memory was made of by way of comparisons and the like is as before."""
    make, use = NO_GRADIENT[name]
    w = in_memory(np.arange(16, dtype=np.float32).reshape(4, 4) / 16)
    h = make(w)
    for number in range(4):
        (h * (number + 1)).sum().item()
    assert h.state == "realized"
    factors = np.broadcast_to(use(h).numpy(), (4, 4))
    np.testing.assert_array_equal((use(h) * w).sum().gradient(w)[0].numpy(), factors)


@pytest.mark.parametrize("held", [True, False], ids=["all are held", "the last is held"])
def test_what_steps_were_made_of_is_noted_once(held):
    """Each step of a loop is memory made of the one before, and hides all steps that are there."""
    first, weight = realized(0.5, 0.25), realized(1.0, 2.0)
    steps = [first]
    before = set(repeated._notes)
    for _ in range(24):
        step = steps[-1]
        for _ in range(9):
            step = step.sin() * weight + step
        steps = [*steps, step] if held else [step]
        (step - 1).square().sum().item()
    notes = [note for memory, note in repeated._notes.items() if memory not in before]
    assert len(notes) > (20 if held else 0)
    assert sum(len(note.nodes) + len(note.earlier) for note in notes) <= 8 * len(notes)
    for target in (first, weight, *steps[:-3]):
        with pytest.raises(UsageError, match="by way of a tensor that got memory"):
            (steps[-1] * 2).sum().gradient(target)


def test_what_is_kept_of_other_values_hides_nothing():
    w, other = in_memory(np.eye(4, dtype=np.float32)), in_memory(np.eye(4, dtype=np.float32))
    h = (other @ other).tanh()
    for number in range(4):
        (h + number).sum().item()
    assert h.state == "realized"
    np.testing.assert_array_equal((h * w).sum().gradient(w)[0].numpy(), h.numpy())
    leaf = Tensor(np.eye(4, dtype=np.float32), requires_grad=True)
    h = (w @ leaf).tanh()
    for number in range(4):
        (h + number).sum().item()
    wanted = 1 - np.tanh(np.eye(4)) ** 2
    np.testing.assert_allclose(h.sum().gradient(w)[0].numpy(), wanted, rtol=1e-5)


def test_gradients_that_an_optimiser_takes_get_no_memory(rng):
    weights, loss = layers(rng)
    loss.backward()
    updates = [weight.detach() - weight.grad for weight in weights]
    Tensor.realize(*updates[:2])
    assert {weight.grad.state for weight in weights} == {"lazy"}


def test_gradients_that_are_dropped_are_not_computed(rng):
    weights, loss = layers(rng)
    loss.backward()
    before = GlobalCounters.kernels
    last = weights[-1].grad
    for weight in weights:
        weight.grad = None
    last.numpy()
    assert GlobalCounters.kernels - before <= 8  # forwards, and one step back
