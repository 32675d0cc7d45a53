"""Recurrent layers of sequences without a batch, and of states that are projected."""

import copy

import numpy as np
import pytest
from pairs import in_turn
from recurrence_values import gru_step, lstm_step, rnn_step, weights

from rulewright import Tensor, jit, nn
from rulewright.errors import ShapeError, UsageError

STEPS = {"RNN": rnn_step, "GRU": gru_step}


def normal(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def close(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=2e-6)


def projected(cell, x, h, c):
    """One step of a cell whose h is a product with weight_hr."""
    h, c = lstm_step(cell, x, h, c)
    return h @ cell["weight_hr"].T, c


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("kind", STEPS)
def test_a_sequence_without_a_batch(rng, kind, batch_first):
    layer, x, begin = getattr(nn, kind)(3, 4, batch_first=batch_first), *(
        normal(rng, 5, 3), normal(rng, 1, 4))  # fmt: skip
    cell, now, outputs = weights(layer.cells[0]), begin[0], []
    for step in x:
        now = STEPS[kind](cell, step, now)
        outputs.append(now)
    found, last = layer(Tensor(x), Tensor(begin))
    close(found, np.stack(outputs))
    close(last, now[None])


@pytest.mark.parametrize(("kind", "length"), in_turn(["LSTM", "GRU", "RNN"], [1, 5, 30]))
def test_no_batch_is_a_batch_of_one(rng, kind, length):
    """Both ways and in layers; what has the axis is what `test_nn_modules` looks at."""
    layer, x = getattr(nn, kind)(3, 4, num_layers=2, bidirectional=True), normal(rng, length, 3)
    with Tensor.inference_mode():
        alone, states = layer(Tensor(x))
        both, others = layer(Tensor(x[:, None]))
    close(alone, both.numpy()[:, 0])
    pairs = zip(*[s if kind == "LSTM" else [s] for s in (states, others)], strict=True)
    for state, other in pairs:
        close(state, other.numpy()[:, 0])


@pytest.mark.parametrize(("batch", "bidirectional"), in_turn([(), (2,), (0,)], [False, True]))
def test_states_are_projected(rng, batch, bidirectional):
    ways = 1 + bidirectional
    layer = nn.LSTM(3, 4, num_layers=2, bidirectional=bidirectional, proj_size=2)
    x, h, c = (normal(rng, *shape) for shape in (
        (5, *batch, 3), (2 * ways, *batch, 2), (2 * ways, *batch, 4)))  # fmt: skip
    found, last = layer(Tensor(x), (Tensor(h), Tensor(c)))
    steps = x
    for first in range(0, 2 * ways, ways):
        outputs = []
        for place in range(first, first + ways):
            turn, now, seen = (-1 if place > first else 1), (h[place], c[place]), []
            for step in steps[::turn]:
                now = projected(weights(layer.cells[place]), step, *now)
                seen.append(now[0])
            outputs.append(np.stack(seen[::turn]))
            for state, expected in zip(last, now, strict=True):
                close(state[place], expected)
        steps = np.concatenate(outputs, -1)
    close(found, steps)


def test_a_projected_state_begins_as_zeros_and_has_pytorchs_names(rng):
    layer, x = nn.LSTM(3, 4, proj_size=1, bias=False), normal(rng, 30, 2, 3)
    assert list(nn.state.get_state_dict(layer)) == ["weight_ih_l0", "weight_hh_l0", "weight_hr_l0"]
    assert layer.cells[0].weight_hh.shape == (16, 1) and repr(layer) == (
        "LSTM(3, 4, bias=False, proj_size=1)")  # fmt: skip
    cell = {**weights(layer.cells[0]), "bias_ih": 0, "bias_hh": 0}
    now = np.zeros((2, 1)), np.zeros((2, 4))
    for step in x:
        now = projected(cell, step, *now)
    with Tensor.inference_mode():
        close(layer(Tensor(x))[0][-1], now[0])
    layer(Tensor(x))[0].square().sum().backward()
    grads = [p.grad.numpy() for p in nn.state.get_parameters(layer)]
    assert len(grads) == 3 and all(np.isfinite(g).all() and g.any() for g in grads)


@pytest.mark.parametrize("captured", [False, True])
def test_tensors_of_a_layer_by_pytorchs_names(rng, captured):
    layer, x = nn.LSTM(3, 4, bidirectional=True), normal(rng, 5, 2, 3)
    weight = normal(rng, 16, 4)
    first, second = map(weights, layer.cells)
    layer.bias_hh_l0[4:8] = 1.0  # of the gate that forgets
    layer.weight_hh_l0_reverse = Tensor(weight, requires_grad=True)
    first["bias_hh"], second["weight_hh"] = first["bias_hh"].copy(), weight
    first["bias_hh"][4:8] = 1
    call = jit(layer) if captured else layer
    for _ in range(3):
        found, _ = call(Tensor(x))
    for cell, places, turn in ((first, slice(4), 1), (second, slice(4, 8), -1)):
        now, seen = (np.zeros((2, 4)), np.zeros((2, 4))), []
        for step in x[::turn]:
            now = lstm_step(cell, step, *now)
            seen.append(now[0])
        close(found[..., places], np.stack(seen[::turn]))
    assert layer.weight_ih_l0_reverse is layer.cells[1].weight_ih
    assert layer.weight_hh_l0_reverse is nn.state.get_parameters(layer)[5]
    assert len(nn.state.get_state_dict(layer)) == 8
    again = copy.deepcopy(layer)
    np.testing.assert_array_equal(again.bias_hh_l0.numpy(), layer.bias_hh_l0.numpy())
    assert again.bias_hh_l0 is again.cells[0].bias_hh is not layer.bias_hh_l0
    for name in ("weight_ih_l1", "bias_hh", "weights"):
        with pytest.raises(AttributeError, match=f"LSTM has no attribute '{name}'"):
            getattr(layer, name)
    assert not hasattr(nn.GRU(3, 4, bias=False), "bias_ih_l0")

    class Scaled(nn.GRU):
        def __init__(self):
            self.weight_scale = 2
            super().__init__(3, 4)

    assert Scaled().weight_scale == 2


def test_a_captured_step_takes_no_batch():
    layer = nn.GRU(3, 4, bidirectional=True)
    step = jit(lambda x: layer(x)[0].realize())
    for place in range(3):
        x = Tensor.full((4, 3), float(place))
        close(step(x), layer(x)[0].numpy())


@pytest.mark.parametrize(("make", "says"), [
    (lambda: nn.LSTM(3, 4)(Tensor.ones(5, 2)), r"LSTM: expected x \(time, 3\), found \(5, 2\)"),
    (lambda: nn.GRU(3, 4)(Tensor.ones(5, 1, 2)), r"GRU: expected x \(time, batch, 3\)"),
    (lambda: nn.GRU(3, 4)(Tensor.ones(3)), r"GRU: expected x \(time, batch, 3\), found \(3,\)"),
    (lambda: nn.GRU(3, 4)(Tensor.ones(5, 3), Tensor.ones(1, 1, 4)), r"GRU: expected h \(1, 4\)"),
    (lambda: nn.RNN(3, 4)(Tensor.ones(5, 2, 3), Tensor.ones(1, 4)), r"expected h \(1, 2, 4\)"),
    (lambda: nn.LSTM(3, 4, proj_size=2)(Tensor.ones(5, 3), (Tensor.ones(1, 4),) * 2),
     r"LSTM: expected h \(1, 2\), found \(1, 4\)"),
])  # fmt: skip
def test_shapes_that_do_not_fit(make, says):
    with pytest.raises(ShapeError, match=says):
        make()


def test_what_cannot_be_projected():
    with pytest.raises(UsageError, match="one step or more"):
        nn.LSTM(3, 4)(Tensor.ones(0, 3))
    for size in (4, 5):
        with pytest.raises(UsageError, match="from 0 to 3, below hidden_size, found"):
            nn.LSTM(3, 4, proj_size=size)
