"""One capture for many lengths: symbolic sizes in jitted functions, as decoding needs them."""

import numpy as np
import pytest
from jit_helpers import device

from rulewright import Tensor, Variable, jit
from rulewright.driver import execute, schedules
from rulewright.errors import ShapeError

__all__ = ["device"]

HEADS, DEPTH, MOST = 2, 4, 17


@pytest.fixture
def work(monkeypatch):
    """How many schedules were planned and kernels lowered so far."""
    counts = {"schedules": 0, "kernels": 0}

    def counted(module, name, what):
        function = getattr(module, name)

        def call(*args, **kwargs):
            counts[what] += 1
            return function(*args, **kwargs)

        monkeypatch.setattr(module, name, call)

    counted(schedules, "plan_schedule", "schedules")
    counted(execute, "kept_programs", "kernels")
    return counts


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Decoder:
    """Attention over a cache of keys and values, one position at a time."""

    def __init__(self, rng):
        size = HEADS * DEPTH
        self.weights = [Tensor(rng.normal(size=(size, size)).astype(np.float32)) for _ in range(3)]
        self.keys = Tensor.zeros(HEADS, MOST, DEPTH).clone().realize()
        self.values = Tensor.zeros(HEADS, MOST, DEPTH).clone().realize()

    def step(self, x, position):
        q, k, v = (x.matmul(w).reshape(HEADS, 1, DEPTH) for w in self.weights)
        self.keys[:, position : position + 1] = k
        self.values[:, position : position + 1] = v
        keys, values = self.keys[:, : position + 1], self.values[:, : position + 1]
        scores = q @ keys.transpose(1, 2) * DEPTH**-0.5
        return (scores.softmax(-1) @ values).reshape(1, HEADS * DEPTH)


def expected(decoder, inputs):
    """All positions at once, in numpy."""
    q, k, v = (np.concatenate(inputs) @ w.numpy() for w in decoder.weights)
    q, k, v = (t.reshape(-1, HEADS, DEPTH).transpose(1, 0, 2) for t in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) * DEPTH**-0.5
    hidden = np.triu(np.ones(scores.shape[1:], bool), 1)
    found = softmax(np.where(hidden, -np.inf, scores)) @ v
    return found.transpose(1, 0, 2).reshape(len(inputs), -1)


@pytest.mark.parametrize("jitted", [True, False])
def test_decoding_is_right_at_all_positions_and_plans_once(rng, work, device, jitted):
    decoder, place = Decoder(rng), Variable("place", 0, MOST - 1)
    step = jit(decoder.step) if jitted else decoder.step
    inputs = [rng.normal(size=(1, HEADS * DEPTH)).astype(np.float32) for _ in range(MOST)]
    wanted, after = expected(decoder, inputs), None
    for i, x in enumerate(inputs):
        found = step(Tensor(x), place.bind(i)).numpy()
        np.testing.assert_allclose(found[0], wanted[i], rtol=1e-4, atol=1e-5)
        if i == 2:
            after = dict(work)
    assert work == after
    if jitted:
        assert step.captures == 1


def test_positions_in_any_order(rng, device):
    cache, place = Tensor.zeros(MOST, 2).clone().realize(), Variable("place", 0, MOST - 1)
    mirror = np.zeros((MOST, 2), np.float32)

    @jit
    def write(x, p):
        cache[p : p + 1] = x
        return cache[: p + 1].sum(0), cache[p:].max(), (cache[: p + 1] * 2).mean()

    for i in rng.permutation(MOST).tolist():
        x = rng.integers(1, 9, (1, 2)).astype(np.float32)
        total, largest, mean = write(Tensor(x), place.bind(i))
        mirror[i] = x
        np.testing.assert_array_equal(total.numpy(), mirror[: i + 1].sum(0))
        assert largest.item() == mirror[i:].max()
        np.testing.assert_allclose(mean.item(), (mirror[: i + 1] * 2).mean(), rtol=1e-6)
    np.testing.assert_array_equal(cache.numpy(), mirror)
    assert write.captures == 1


def test_two_variables(rng, device):
    x = Tensor(rng.integers(0, 9, (8, 9)).astype(np.float32)).realize()
    m, n = Variable("m", 1, 8), Variable("n", 1, 9)
    product = jit(lambda m, n: (x[:m, :n] @ x[:m, :n].T).sum(0))
    for i, j in [(2, 3), (8, 9), (1, 1), (5, 7), (7, 2)]:
        part = x.numpy()[:i, :j]
        np.testing.assert_array_equal(product(m.bind(i), n.bind(j)).numpy(), (part @ part.T).sum(0))
    assert product.captures == 1


def test_results_of_symbolic_size(rng, device):
    x = Tensor(rng.normal(size=(10, 3)).astype(np.float32)).realize()
    n = Variable("n", 1, 10)
    norm = jit(lambda rows: (rows.softmax(0), rows.sum(0), rows[:1] + rows))
    for value in (3, 7, 10, 1, 5):
        soft, total, shifted = norm(x[: n.bind(value)])
        part = x.numpy()[:value]
        np.testing.assert_allclose(soft.numpy(), softmax(part.T).T, rtol=1e-5)
        np.testing.assert_allclose(total.numpy(), part.sum(0), rtol=1e-5)
        np.testing.assert_allclose(shifted.numpy(), part[:1] + part, rtol=1e-5)
    assert norm.captures == 1


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (lambda x, i: x[:i].sum(), lambda a, i: a[:i].sum()),
        (lambda x, i: x[i] * 1, lambda a, i: a[i]),
        (lambda x, i: x[i - 1 :].sum(), lambda a, i: a[i - 1 :].sum()),
        (lambda x, i: x[:i].pad(((0, 10 - i),)).sum(), lambda a, i: a[:i].sum()),
        (lambda x, i: x[:i].cat(x[i - 1 :]).sum(), lambda a, i: a[:i].sum() + a[i - 1 :].sum()),
    ],
)
def test_a_replay_refuses_what_the_plain_call_refuses(call, value):
    array = np.arange(10, dtype=np.float32)
    x = Tensor(array).realize()
    i = Variable("i", 1, 20)
    step = jit(lambda i: call(x, i))
    for number in (5, 5, 7, 9, 3, 15, 4, 12, 9, 1):
        if number < 10:
            assert step(i.bind(number)).item() == value(array, number)
        else:
            with pytest.raises(ShapeError):
                call(x, i.bind(number)).realize()
            with pytest.raises(ShapeError):
                step(i.bind(number))
    assert step.captures == 1


def test_results_of_many_sizes_are_read():
    """What is read is a part whose size is a node: no program of any size is made of it."""
    numbers = np.arange(36, dtype=np.float32).reshape(9, 4)
    x, length = Tensor(numbers).realize(), Variable("n", 1, 9)
    step = jit(lambda part: (part * 2).max(1).realize())
    for n in (2, 3, 2, 9, 5, 6, 1):
        np.testing.assert_array_equal(step(x[: length.bind(n)]).numpy(), numbers[:n, 3] * 2)
