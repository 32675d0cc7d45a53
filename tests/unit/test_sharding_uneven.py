"""Tensors of which the last devices have what is left of an axis: values are those of numpy."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Context, Tensor, jit, nn
from rulewright.ir.placement import parts_of, placement_of

_DEVICES = {2: ("C:0", "C:1"), 3: ("C:1", "C:2", "C:3"), 4: ("INTERP", "C:1", "C", "C:2")}
_RANDOM = np.random.default_rng(11)


def _drawn(*shape):
    return _RANDOM.standard_normal(shape).astype(np.float32)


def _close(tensor, wanted, tolerance=1e-4):
    np.testing.assert_allclose(tensor.numpy(), wanted, tolerance, 1e-5)


@pytest.mark.parametrize(
    ("rows", "count", "sizes"),
    [(5, 2, [3, 2]), (5, 4, [2, 2, 1, 0]), (1, 2, [1, 0]), (7, 3, [3, 3, 1]), (6, 4, [2, 2, 2, 0])],
)
def test_parts(rows, count, sizes):
    x = Tensor(_drawn(rows, 3)).shard(_DEVICES[count], 0).realize()
    assert [part.arg[1] for part in parts_of(x.uop.base)] == [(size, 3) for size in sizes]
    assert x.shape == (rows, 3)


@pytest.mark.parametrize("count", _DEVICES)
@pytest.mark.parametrize("rows", [1, 3, 5, 7, 9])
def test_values_and_gradients(rows, count):
    a, b, w = _drawn(rows, 4), _drawn(rows, 4), _drawn(4, rows)
    devices = _DEVICES[count]
    x, y = (Tensor(v, requires_grad=True).shard_(devices, 0) for v in (a, b))
    z = Tensor(w).shard(devices, 1)
    results = [
        (x + 1, a + 1), (x.sum(0), a.sum(0)), (x.max(0), a.max(0)), (x.max(), a.max()),
        (x.prod(1), a.prod(1)), (x.mean(), a.mean()), (x @ z, a @ w), (x.T @ y, a.T @ b),
        (x.T, a.T), (x.T + z, a.T + w), (x * y[:1], a * b[:1]), (x.flip(0), a[::-1]),
        (x.reshape(-1), a.reshape(-1)), (x.reshape(rows, 2, 2), a.reshape(rows, 2, 2)),
        (x.reshape(2, -1), a.reshape(2, -1)), (x.cat(y), np.concatenate([a, b])),
        (x[: rows // 2 + 1], a[: rows // 2 + 1]),
        (x.pad(((1, 2), (0, 0))), np.pad(a, ((1, 2), (0, 0)))),
        (x + Tensor.arange(rows).reshape(rows, 1), a + np.arange(rows)[:, None]),
        (x.sort(0)[0], np.sort(a, 0)), (x.cumsum(0), a.cumsum(0)), (x.to("C"), a),
    ]  # fmt: skip
    results[0][0].realize(*(one for one, _ in results[1:]))
    for number, (one, other) in enumerate(results):
        np.testing.assert_allclose(one.numpy(), other, 1e-4, 1e-5, err_msg=f"number {number}")
    ((x @ z).square().sum() + (x * y).sum()).backward()
    _close(x.grad, 2 * (a @ w) @ w.T + b, 1e-3)
    _close(y.grad, a)
    assert x.grad.uop.device == x.uop.device


def test_axes_that_stay_cut():
    x = Tensor(_drawn(5, 4)).shard(_DEVICES[2], 0)
    for view, axis in ((x.T, 1), (x.reshape(1, 5, 2, 2), 1), (x.flip(0), 0), (x[:, 1:], 0),
                       (x.cat(x), 0), (x[:4], 0)):  # fmt: skip
        where = placement_of(view.uop)
        assert where is not None and where.axis == axis
    for whole in (x.reshape(20), x.reshape(2, 10), x[2:], x.pad(((0, 2), (0, 0)))):
        where = placement_of(whole.uop)
        assert where is not None and where.axis is None
    one = Tensor(_drawn(1, 4)).shard(_DEVICES[2], 0).expand(6, 4)
    assert placement_of(one.uop) == (("C", "C:1"), None)


@pytest.mark.parametrize("count", _DEVICES)
def test_writes_and_replays(count):
    a, devices = _drawn(7, 4), _DEVICES[count]
    state, held = Tensor(a).shard(devices, 0).realize(), a.copy()

    @jit
    def step(x):
        state[2:5] = state[3:6] + x[2:5]
        state.assign(state * 0.5)
        return state.flip(0), (state * x).sum(0)

    for i in range(4):
        with Context(VERIFY=2 if i == 1 else 0):
            flipped, total = step(Tensor(a + i).shard(devices, 0).realize())
        held[2:5] = held[3:6] + (a + i)[2:5]
        held *= 0.5
        _close(flipped, held[::-1])
        _close(total, (held * (a + i)).sum(0))
    state[6], held[6] = 1, 1
    _close(state, held)
    assert state.uop.device.endswith("@0")


@pytest.mark.parametrize("optimiser", ["SGD", "Adam"])
def test_training_on_the_last_batch_of_a_set(optimiser):
    """Of 7 rows, as are left of a set, devices have 3, 3 and 1; weights are cut unevenly too."""
    inputs, wanted = _drawn(7, 5), _drawn(7, 2)
    start = [_drawn(5, 4), _drawn(4), _drawn(4, 2)]
    ends = []
    for devices in ((), _DEVICES[3]):
        weights = [Tensor(w, requires_grad=True) for w in start]
        x, y = Tensor(inputs), Tensor(wanted)
        if devices:
            x, y = x.shard(devices, 0), y.shard(devices, 0)
            for weight, axis in zip(weights, (1, 0, 0), strict=True):
                weight.shard_(devices, axis)
        steps = getattr(nn.optim, optimiser)(weights, lr=0.1)
        for _ in range(3):
            steps.zero_grad()
            ((x @ weights[0] + weights[1]).relu() @ weights[2] - y).square().mean().backward()
            steps.step()
        ends.append([w.numpy() for w in weights])
    for one, other in zip(*ends, strict=True):
        np.testing.assert_allclose(one, other, 1e-3, 1e-5)


def test_saved_and_loaded(tmp_path):
    weights = _drawn(5, 3)
    x = Tensor(weights).shard(_DEVICES[2], 0).realize()
    nn.state.safe_save({"x": x}, tmp_path / "x.safetensors")
    _close(nn.state.safe_load(tmp_path / "x.safetensors")["x"], weights, 0)
    _close(x.clone(), weights, 0)
