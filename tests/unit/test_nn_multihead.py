"""Attention as PyTorch calls it, beside the same in numpy."""

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor, jit, nn

HEADS, SIZE, TOKENS, KEYS = 2, 8, 3, 4


def normal(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def reference(layer, inputs, added):
    """(batch, tokens, size) and the weights (batch, heads, tokens, keys), in float64."""
    state = {k: v.numpy().astype(np.float64) for k, v in nn.state.get_state_dict(layer).items()}
    weights = (
        np.split(state["in_proj_weight"], 3) if "in_proj_weight" in state
        else [state[f"{word}_proj_weight"] for word in "qkv"]
    )  # fmt: skip
    biases = np.split(state.get("in_proj_bias", np.zeros(3 * SIZE)), 3)
    q, k, v = (
        (x @ w.T + b).reshape(*x.shape[:2], HEADS, -1).swapaxes(1, 2)
        for x, w, b in zip(inputs, weights, biases, strict=True)
    )
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(SIZE // HEADS) + added
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    shares = powers / powers.sum(-1, keepdims=True)
    joined = (shares @ v).swapaxes(1, 2).reshape(q.shape[0], TOKENS, SIZE)
    return joined @ state["out_proj.weight"].T + state.get("out_proj.bias", 0), shares


def minus_infinity(hidden):
    return np.where(hidden, -np.inf, 0.0)


MASKS = {
    "none": (None, 0),
    "bools": (np.triu(np.ones((TOKENS, KEYS), bool), 2), None),
    "of each head": (np.triu(np.ones((2 * HEADS, TOKENS, KEYS), bool), 2), None),
    "floats": (np.linspace(-1, 1, TOKENS * KEYS, dtype=np.float32).reshape(TOKENS, KEYS), None),
}


@pytest.mark.parametrize(
    ("name", "sizes", "batch_first"),
    in_pairs(MASKS, [{}, {"kdim": 5, "vdim": 6}, {"bias": False}], [False, True]),
)
def test_values_and_weights(rng, name, sizes, batch_first):
    layer = nn.MultiheadAttention(SIZE, HEADS, batch_first=batch_first, **sizes)
    if layer.in_proj_bias is not None:
        layer.in_proj_bias.assign(Tensor(normal(rng, 3 * SIZE)))
    inputs = [
        normal(rng, 2, TOKENS, SIZE), normal(rng, 2, KEYS, layer.kdim),
        normal(rng, 2, KEYS, layer.vdim),
    ]  # fmt: skip
    mask, added = MASKS[name]
    if added is None:
        added = minus_infinity(mask) if mask.dtype == bool else mask
        added = added.reshape(-1, HEADS, TOKENS, KEYS) if mask.ndim == 3 else added
    padding = np.array([[False, False, False, True], [False] * KEYS])
    added = added + minus_infinity(padding)[:, None, None]
    expected, shares = reference(layer, inputs, added)
    given = [Tensor(x if batch_first else x.swapaxes(0, 1)) for x in inputs]
    masks = {"key_padding_mask": Tensor(padding)}
    if mask is not None:
        masks["attn_mask"] = Tensor(mask)
    for named in ({}, {"need_weights": False}, {"average_attn_weights": False}):
        found, weights = layer(*given, **masks, **named)
        found = found if batch_first else found.transpose(0, 1)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=2e-6)
        if "need_weights" in named:
            assert weights is None
            continue
        wanted = shares if "average_attn_weights" in named else shares.mean(1)
        np.testing.assert_allclose(weights.numpy(), wanted, rtol=1e-4, atol=1e-6)


def test_no_batch_is_a_batch_of_one(rng):
    layer, x = nn.MultiheadAttention(SIZE, HEADS), Tensor(normal(rng, TOKENS, SIZE))
    alone, weights = layer(x, x, x, is_causal=True, key_padding_mask=Tensor([False, False, True]))
    both, others = layer(*[x.unsqueeze(1)] * 3, is_causal=True,
                         key_padding_mask=Tensor([[False, False, True]]))  # fmt: skip
    np.testing.assert_allclose(alone.numpy(), both.numpy()[:, 0], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(weights.numpy(), others.numpy()[0], rtol=1e-5)
    assert not np.triu(weights.numpy(), 1).any() and alone.shape == (TOKENS, SIZE)


def test_names_and_what_is_captured(rng):
    layer = nn.MultiheadAttention(SIZE, HEADS, kdim=5, bias=False)
    assert sorted(nn.state.get_state_dict(layer)) == [
        "k_proj_weight", "out_proj.weight", "q_proj_weight", "v_proj_weight",
    ]  # fmt: skip
    assert repr(layer) == "MultiheadAttention(embed_dim=8, num_heads=2, bias=False, kdim=5)"
    step = jit(lambda q, k, v: layer(q, k, v)[0].square().sum().realize())
    for _ in range(3):
        q, k, v = (Tensor(normal(rng, 3, 2, size)) for size in (SIZE, 5, SIZE))
        assert step(q, k, v).item() == pytest.approx(layer(q, k, v)[0].square().sum().item())
    layer(q, k, v, need_weights=False)[0].sum().backward()
    assert all(p.grad is not None for p in nn.state.get_parameters(layer))


def test_dropout_is_of_weights(training):
    layer, x = nn.MultiheadAttention(SIZE, HEADS, dropout=0.5), Tensor.ones(40, 1, SIZE)
    weights = layer(x, x, x, average_attn_weights=False)[1].numpy()
    kept = np.isclose(weights, 2 / 40)
    assert (kept | (weights == 0)).all() and 0.3 < kept.mean() < 0.7
