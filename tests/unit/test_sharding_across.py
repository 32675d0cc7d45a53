"""Tensors on several devices whose parts devices get from each other: values are those of numpy."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable, jit, nn
from rulewright.ir.placement import placement_of

_PAIR = ("C:0", "C:1")
_DEVICES = [("C:0",), _PAIR, ("C:0", "C:2", "C:1"), tuple(f"C:{i}" for i in range(4)),
            ("C", "INTERP"), ("INTERP:1", "C", "INTERP")]  # fmt: skip
_RANDOM = np.random.default_rng(8)
_A, _B = (_RANDOM.standard_normal((12, 12)).astype(np.float32) for _ in range(2))
_IDS = _RANDOM.integers(0, 12, (12, 3))


def _close(tensor, wanted, tolerance=1e-5):
    np.testing.assert_allclose(tensor.numpy(), wanted, tolerance, tolerance)


def _axis(tensor):
    where = placement_of(tensor.uop)
    return where and where.axis


def _movements(x, y):
    """Of tensors or arrays that are cut along axis 0 what shows several parts, or other places."""
    return [
        x[2:8], x[1:6], x[4:8, 3:], x[::2], x[::-1], x[5], x[:0], x[11:], x[::-1, ::-1][3:9],
        x.T.reshape(-1), x.reshape(2, 6, 12), x.T.reshape(12, 3, 4), x.reshape(144)[7:135],
        x[2:8] + y[4:10], x[::-1] * y, x[1:] - x[:-1],
    ]  # fmt: skip


@pytest.mark.parametrize("devices", _DEVICES, ids=",".join)
def test_movement_across_the_cut(devices):
    x, y = (Tensor(a).shard(devices, 0) for a in (_A, _B))
    moved = [m.contiguous() for m in _movements(x, y)]
    moved += [
        x.cat(y), Tensor.stack(x, y), x.cat(Tensor(_B).shard(devices)), x.roll(5, 0),
        x.pad(((6, 6), (0, 0))), x.pad(((1, 0), (0, 2))), x.pad(((12, 24), (0, 0))), x.repeat(2, 1),
    ]  # fmt: skip
    wanted = [
        *_movements(_A, _B),
        np.concatenate([_A, _B]), np.stack([_A, _B]), np.concatenate([_A, _B]), np.roll(_A, 5, 0),
        np.pad(_A, ((6, 6), (0, 0))), np.pad(_A, ((1, 0), (0, 2))), np.pad(_A, ((12, 24), (0, 0))),
        np.tile(_A, (2, 1)),
    ]  # fmt: skip
    moved[0].realize(*moved[1:])
    for number, (one, other) in enumerate(zip(moved, wanted, strict=True)):
        np.testing.assert_array_equal(one.numpy(), other, f"number {number}")


def test_what_moves_stays_cut_where_parts_are_equal():
    x = Tensor(_A).shard(_PAIR, 0)
    for cut in (x[2:8], x[:6], x.flip(0), x.cat(x), x.pad(((1, 1), (0, 0)))):
        assert _axis(cut) == 0
    for whole in (x[1:6], x[5], x.pad(((1, 0), (0, 0))), x.T.reshape(-1)):
        assert placement_of(whole.uop) is not None
        assert _axis(whole) is None


@pytest.mark.parametrize("devices", _DEVICES[1:], ids=",".join)
def test_operands_that_are_cut_otherwise(devices):
    x, y = Tensor(_A).shard(devices, 0), Tensor(_B).shard(devices, 1)
    _close(x + y, _A + _B)
    _close(x @ y, _A @ _B, 1e-4)
    _close(x @ y.T, _A @ _B.T, 1e-4)
    _close(x.sort(0)[0], np.sort(_A, 0))
    assert _axis(x + y) == 0
    table, ids = Tensor(_A).shard(devices, 0), Tensor(_IDS).shard(devices, 0)
    _close(table[ids], _A[_IDS])
    _close(table[[1, 11, 1]], _A[[1, 11, 1]])


@pytest.mark.parametrize("devices", _DEVICES[1:5], ids=",".join)
def test_writes_across_the_cut(devices):
    x, a = Tensor(_A).shard(devices, 0).realize(), _A.copy()
    view, before = x[3:9], x * 1
    x[1], a[1] = 5, 5
    x[3:9], a[3:9] = Tensor(_B).shard(devices)[:6], _B[:6]
    x[0:12:2, 1:3], a[0:12:2, 1:3] = Tensor(_B).shard(devices, 0)[:6, 2:4], _B[:6, 2:4]
    x[4] += 1
    a[4] += 1
    x[:, 7], a[:, 7] = 2, 2
    _close(view, a[3:9])
    view.assign(view[::-1])
    a[3:9] = a[3:9][::-1].copy()
    _close(x, a)
    _close(before, _A)
    assert _axis(x) == 0


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("other", [0, 1, None])
def test_assigned_values_go_where_the_memory_is(axis, other):
    for x in (Tensor(_A).shard(_PAIR, axis).realize(), Tensor(_A).shard(_PAIR, axis)):
        x.assign(Tensor(_B).shard(_PAIR, other))
        _close(x, _B)
        assert _axis(x) == axis


def test_gradients_across_the_cut():
    x = Tensor(_A, requires_grad=True).shard_(_PAIR, 0)
    w = Tensor(_B, requires_grad=True).shard_(_PAIR)
    (x[2:8].square().sum() + x.flip(0)[1].sum() + x.cat(w).square().sum()).backward()
    wanted = 2 * _A
    wanted[2:8] += 2 * _A[2:8]
    wanted[10] += 1
    _close(x.grad, wanted)
    _close(w.grad, 2 * _B)
    assert (_axis(x.grad), _axis(w.grad)) == (0, None)


def test_gradient_through_a_write_across_the_cut():
    x = Tensor(_A, requires_grad=True).shard_(_PAIR, 0)
    v = Tensor(_B[:3], requires_grad=True).shard_(_PAIR)
    y = x * 2
    y[4:7] = v * v
    y.sum().backward()
    wanted = np.full((12, 12), 2.0)
    wanted[4:7] = 0
    _close(x.grad, wanted)
    _close(v.grad, 2 * _B[:3])


@pytest.mark.parametrize("axis", [0, 1])
def test_embedding_whose_table_is_cut(axis):
    layer = nn.Embedding(12, 12)
    layer.weight.assign(Tensor(_A)).shard_(_PAIR, axis)
    found = layer(Tensor(_IDS).shard(_PAIR, 0))
    _close(found, _A[_IDS])
    found.sum().backward()
    wanted = np.zeros((12, 12))
    np.add.at(wanted, _IDS, 1)
    _close(layer.weight.grad, wanted)
    assert _axis(layer.weight.grad) == axis


def test_parts_that_a_variable_says():
    n, x = Variable("n", 1, 8), Tensor(_A).shard(_PAIR, 0)
    for value in (3, 8):
        _close(x[: n.bind(value)].sum(0), _A[:value].sum(0))
        _close(x[n.bind(value)], _A[value])
        _close(x[:, : n.bind(value)].sum(1), _A[:, :value].sum(1))


def test_jit_and_checks_of_values():
    state = Tensor(np.zeros((12, 12), np.float32)).shard(_PAIR, 0).realize()

    @jit
    def step(x):
        state[2:7] = state[3:8] + x[2:7]
        return state.flip(0) + 1

    held = np.zeros((12, 12), np.float32)
    for i in range(4):
        with Context(VERIFY=2 if i == 1 else 0):
            result = step(Tensor(_A + i).shard(_PAIR, 0).realize())
        held[2:7] = held[3:8] + (_A + i)[2:7]
        _close(result, held[::-1] + 1)
        _close(state, held)


# ---- models --------------------------------------------------------------------------------------

_D, _HEADS = 12, 6
_SIZES = {
    "q": (_D, 24),
    "k": (_D, 24),
    "v": (_D, 24),
    "o": (24, _D),
    "up": (_D, 24),
    "down": (24, _D),
}
_WEIGHTS = {k: _RANDOM.standard_normal(s).astype(np.float32) / 4 for k, s in _SIZES.items()}
_TEXT = _RANDOM.standard_normal((2, 5, _D)).astype(np.float32)


def _block(devices):
    """A block of a transformer, and its weights' gradients: parts of heads on each device."""
    weights = {k: Tensor(w, requires_grad=True) for k, w in _WEIGHTS.items()}
    x = Tensor(_TEXT)
    if devices:
        x = x.shard(devices)
        for name, weight in weights.items():
            weight.shard_(devices, 0 if name in ("o", "down") else 1)

    def heads(y):
        return y.reshape(2, 5, _HEADS, 4).transpose(1, 2)

    q, k, v = (heads(x @ weights[name]) for name in "qkv")
    mixed = q.scaled_dot_product_attention(k, v, is_causal=True)
    x = (x + mixed.transpose(1, 2).reshape(2, 5, 24) @ weights["o"]).layernorm()
    x = x + (x @ weights["up"]).gelu() @ weights["down"]
    x.square().mean().backward()
    return x, weights


@pytest.mark.parametrize("devices", [_PAIR, ("C", "C:1", "INTERP")], ids=",".join)
def test_a_block_whose_weights_are_cut(devices):
    wanted, plain = _block(())
    found, weights = _block(devices)
    _close(found, wanted.numpy(), 1e-4)
    for name, weight in weights.items():
        _close(weight.grad, plain[name].grad.numpy(), 1e-4)
        assert weight.grad.uop.device == weight.uop.device


def test_saved_and_loaded_where_the_model_has_it(tmp_path):
    layer = nn.Linear(12, 12)
    layer.weight.shard_(_PAIR, 0)
    layer.bias.shard_(_PAIR)
    layer.weight.assign(Tensor(_A).shard(_PAIR, 1))
    nn.state.safe_save(nn.state.get_state_dict(layer), tmp_path / "layer.safetensors")
    other = nn.Linear(12, 12)
    other.weight.shard_(_PAIR, 1)
    nn.state.load_state_dict(other, nn.state.safe_load(tmp_path / "layer.safetensors"))
    _close(other.weight, _A)
    _close(other.bias, layer.bias.numpy())
    assert _axis(other.weight) == 1
    assert other.bias.device == "C"


def test_clipped_and_added_up_gradients():
    w, b = Tensor(_A, requires_grad=True).shard_(_PAIR, 0), Tensor.ones(12, requires_grad=True)
    b.shard_(_PAIR)
    for _ in range(2):
        (w.square().sum() + (b * 2).sum()).backward()
    _close(w.grad, 4 * _A)
    norm = np.sqrt((16 * _A**2).sum() + 12 * 16)
    _close(nn.utils.clip_grad_norm_([w, b], 1.0), norm)
    _close(w.grad, 4 * _A / norm)
    assert (_axis(w.grad), _axis(b.grad)) == (0, None)


def test_batch_norm_of_a_batch_that_is_cut():
    images = _RANDOM.standard_normal((12, 3, 4, 4)).astype(np.float32)
    results = []
    for devices in ((), _PAIR):
        norm, x = nn.BatchNorm(3), Tensor(images)
        if devices:
            x = x.shard(devices, 0)
            for held in nn.state.get_state_dict(norm).values():
                held.shard_(devices)
        with Tensor.train():
            results.append((norm(x).numpy(), norm.running_mean.numpy(), norm.running_var.numpy()))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, 1e-4, 1e-5)


def test_random_numbers_are_those_of_one_device():
    Tensor.manual_seed(4)
    wanted = Tensor.rand(12, 12).numpy()
    Tensor.manual_seed(4)
    _close(Tensor.rand(12, 12, device=_PAIR), wanted, 0)
    assert sorted(Tensor.randperm(12, device=_PAIR).tolist()) == list(range(12))
    with Tensor.train():
        dropped = Tensor.ones(200, 10).shard(_PAIR, 0).dropout(0.5).numpy()
    assert 0.4 < (dropped == 0).mean() < 0.6
    assert (dropped[:100] != dropped[100:]).any()
