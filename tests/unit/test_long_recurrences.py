"""Recurrences of many steps: the same few kernels however many steps there are."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import in_pairs, in_turn
from recurrence_values import gru_step, lstm_step, weights

from rulewright import Tensor, jit, nn
from rulewright.ir.ops import Ops
from rulewright.nn.state import get_parameters
from rulewright.schedule.externs import MOST_TERMS

draw = np.random.default_rng(0)


def floats(*shape):
    return (draw.normal(size=shape) * 0.5).astype(np.float32)


def lstm(layer, x, h, c):
    """Outputs and last state of the layers by numpy, in float64."""
    lasts = []
    for cell, h_now, c_now in zip(layer.cells, h.astype(float), c.astype(float), strict=True):
        state, out = weights(cell), []
        for step in x:
            h_now, c_now = lstm_step(state, step, h_now, c_now)
            out.append(h_now)
        x = np.stack(out)
        lasts.append((h_now, c_now))
    return x, np.stack([h for h, _ in lasts]), np.stack([c for _, c in lasts])


def gru(layer, x, h):
    lasts = []
    for cell, h_now in zip(layer.cells, h.astype(float), strict=True):
        state, out = weights(cell), []
        for step in x:
            h_now = gru_step(state, step, h_now)
            out.append(h_now)
        x = np.stack(out)
        lasts.append(h_now)
    return x, np.stack(lasts)


@pytest.mark.parametrize(
    ("batch_first", "layers", "steps"), in_pairs([False, True], [1, 2], [1, 23, 24, 31])
)
def test_lstm_is_numpys(steps, layers, batch_first):
    layer = nn.LSTM(3, 5, num_layers=layers, batch_first=batch_first)
    x, h, c = floats(steps, 2, 3), floats(layers, 2, 5), floats(layers, 2, 5)
    given = x.swapaxes(0, 1) if batch_first else x
    found, (last, cell) = layer(Tensor(np.ascontiguousarray(given)), (Tensor(h), Tensor(c)))
    want = lstm(layer, x, h, c)
    out = found.numpy().swapaxes(0, 1) if batch_first else found.numpy()
    for got, expected in zip((out, last.numpy(), cell.numpy()), want, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("steps", [1, 23, 24, 31])
def test_gru_is_numpys(steps):
    layer = nn.GRU(3, 5, num_layers=2)
    x, h = floats(steps, 2, 3), floats(2, 2, 5)
    found, last = layer(Tensor(x), Tensor(h))
    for got, expected in zip((found.numpy(), last.numpy()), gru(layer, x, h), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def loss(layer, x):
    found = layer(x)[0]
    return (found * found).sum()


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_gradients_are_those_of_differences(kind):
    """Along a random direction of all parameters and the input at once."""
    layer = getattr(nn, kind)(3, 4)
    x = Tensor(floats(26, 2, 3)).realize()
    leaves = [*get_parameters(layer), x]
    for leaf in leaves:
        leaf.requires_grad = True
    found = loss(layer, x).gradient(*leaves)
    ways = [floats(*leaf.shape).astype(np.float64) for leaf in leaves]
    slope = sum(float((g.numpy() * w).sum()) for g, w in zip(found, ways, strict=True))
    reference = {"LSTM": lstm, "GRU": gru}[kind]
    states = [np.zeros((1, 2, 4))] * (2 if kind == "LSTM" else 1)
    before = [leaf.numpy().astype(np.float64) for leaf in leaves]

    def at(size):
        for leaf, value, way in zip(leaves, before, ways, strict=True):
            leaf.requires_grad = False
            leaf.replace(Tensor(value + size * way, dtype="f64"))
        out = reference(layer, leaves[-1].numpy(), *states)[0]
        return (out * out).sum()

    want = (at(1e-5) - at(-1e-5)) / 2e-5
    assert slope == pytest.approx(want, rel=1e-3)


def test_a_loop_that_users_write_has_numpys_gradient():
    x, w = floats(19, 2, 4), floats(4, 4)
    weight, h, out = Tensor(w, requires_grad=True), Tensor.zeros(2, 4), []
    for t in range(19):
        h = (Tensor(x)[t] + h @ weight).tanh()
        out.append(h)
    (found,) = Tensor.stack(*out).sum().gradient(weight)
    states = [np.zeros((2, 4))]
    for step in x.astype(float):
        states.append(np.tanh(step + states[-1] @ w))
    want, back = np.zeros((4, 4)), np.zeros((2, 4))
    for before, after in zip(states[-2::-1], states[:0:-1], strict=True):
        inner = (back + 1) * (1 - after * after)
        want += before.T @ inner
        back = inner @ w.T.astype(float)
    np.testing.assert_allclose(found.numpy(), want, rtol=1e-3, atol=1e-4)


def trained(kind, steps, layers=1):
    size = 9 + 2 * layers + len(kind)  # no other test's kernels
    layer = getattr(nn, kind)(3, size, num_layers=layers)
    for leaf in get_parameters(layer):
        leaf.requires_grad = True
    x = Tensor(floats(steps, 2, 3)).realize()
    out = layer(x)[0]
    return out, (out * out).sum().gradient(*get_parameters(layer))


@pytest.mark.parametrize(("kind", "layers"), in_turn(["LSTM", "GRU"], [1, 2]))
def test_steps_beyond_the_first_lower_no_more_kernels(lowered, kind, layers):
    counts = []
    for steps in (26, 42):
        lowered.clear()
        out, found = trained(kind, steps, layers)
        Tensor.realize(out, *found)
        counts.append(len(lowered))
    assert counts[1] <= counts[0] and counts[0] <= 30 * layers


def test_no_kernel_sums_the_products_of_all_steps():
    x, w = Tensor(floats(40, 2, 4)).realize(), Tensor(floats(4, 4), requires_grad=True).realize()
    h = Tensor.zeros(2, 4)
    for t in range(40):
        h = (x[t] + h @ w).tanh()
    (found,) = h.sum().gradient(w)
    sums = [i for i in found.schedule() if any(n.op is Ops.REDUCE for n in i.ast.toposort())]
    assert max(len(item.buffers) for item in sums) <= 2 * MOST_TERMS + 2


@pytest.mark.parametrize("join", ["stack", "cat"])
def test_the_gradient_of_what_is_put_together_reads_its_part_alone(join):
    xs = [Tensor(floats(3, 4), requires_grad=True).realize() for _ in range(40)]
    weight = Tensor(floats(*((40, 3, 4) if join == "stack" else (120, 4)))).realize()
    found = (getattr(Tensor, join)(*xs).sin() * weight).sum().gradient(*xs)
    items = found[0].schedule(*found[1:])
    assert sum(item.buffers[0].size > 12 for item in items) <= 1  # what all of them take from
    for item in items:
        item.run()
    for got, x, part in zip(found, xs, weight.numpy().reshape(40, 3, 4), strict=True):
        np.testing.assert_allclose(got.numpy(), part * np.cos(x.numpy()), rtol=1e-4, atol=1e-5)


def test_parts_over_the_border_of_what_is_put_together_have_both():
    a, b = Tensor(floats(5, 2)).realize(), Tensor(floats(4, 2)).realize()
    both = np.concatenate([a.numpy(), b.numpy()])
    for first in range(9):
        for end in range(first + 1, 10):
            got = Tensor.cat(a, b)[first:end].numpy()
            np.testing.assert_array_equal(got, both[first:end])
    np.testing.assert_array_equal(Tensor.cat(a, b.pad(((1, 0), (0, 0))))[5].numpy(), [0, 0])


def test_products_that_share_what_they_read_stay_in_one_kernel():
    x, w = Tensor(floats(20, 30)).realize(), Tensor(floats(12, 30)).realize()
    taps = [x.unsqueeze(1) * w.roll(k, 1).unsqueeze(0) for k in range(12)]
    assert len(sum(taps[1:], taps[0]).sum(2).schedule()) == 1


def test_a_captured_training_step_goes_on_learning():
    layer = nn.LSTM(3, 5)
    for leaf in get_parameters(layer):
        leaf.requires_grad = True
    optimizer = nn.optim.SGD(get_parameters(layer), lr=0.01)

    @jit
    def step(x):
        optimizer.zero_grad()
        found = loss(layer, x)
        found.backward()
        optimizer.step()
        return found.realize()

    x = Tensor(floats(25, 2, 3)).realize()
    losses = [step(x).item() for _ in range(5)]
    assert losses == sorted(losses, reverse=True) and losses[4] < losses[0]


@pytest.mark.parametrize(("axis", "step"), in_turn([0, 1], [1, 2, 5]))
def test_the_gradient_of_a_loop_over_parts_is_put_together(step, axis):
    x, steps = Tensor(floats(37, 36), requires_grad=True).realize(), range(3, 33, step)
    weights = floats(len(steps), 36 + (axis == 1))
    parts = [x.select(axis, t) * Tensor(w) for t, w in zip(steps, weights, strict=True)]
    (found,) = (sum(parts[1:], parts[0]) + x.sum()).sum().gradient(x)
    want = np.full((37, 36), float(len(weights[0])))
    for t, w in zip(steps, weights, strict=True):
        want[(slice(None),) * axis + (t,)] += w
    np.testing.assert_allclose(found.numpy(), want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("length", [2, 7])
def test_the_gradient_of_windows_that_slide_adds_up_what_overlaps(length):
    x = Tensor(floats(30), requires_grad=True).realize()
    weights = floats(31 - length, length)
    loss = Tensor.stack(*[(x[t : t + length] * Tensor(w)).sum() for t, w in enumerate(weights)])
    (found,) = loss.sum().gradient(x)
    want = np.zeros(30)
    for t, w in enumerate(weights):
        want[t : t + length] += w
    np.testing.assert_allclose(found.numpy(), want, rtol=1e-5, atol=1e-5)


def test_parts_that_one_loop_takes_twice_have_second_derivatives():
    x = Tensor(floats(12, 3), requires_grad=True).realize()
    (first,) = sum((x[t] ** 3).sum() + (x[t] * 2).sum() for t in range(12)).gradient(x)
    (second,) = first.sum().gradient(x)
    np.testing.assert_allclose(first.numpy(), 3 * x.numpy() ** 2 + 2, rtol=1e-5)
    np.testing.assert_allclose(second.numpy(), 6 * x.numpy(), rtol=1e-5, atol=1e-6)
