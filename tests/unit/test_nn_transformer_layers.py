"""Layers of a transformer against the same in numpy, with PyTorch's names and masks."""

import numpy as np
import pytest
from arrays import softmax

from rulewright import Tensor, jit, nn

SIZE, HEADS, WIDE = 8, 2, 12


def normal(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def filled(layer, rng):
    """The layer with other numbers than it begins with: norms and biases would hide mistakes."""
    for tensor in nn.state.get_parameters(layer):
        tensor.assign(Tensor(normal(rng, *tensor.shape) * 0.4))
    return layer


def linear(x, layer):
    return x @ layer.weight.numpy().T + layer.bias.numpy()


def norm(x, layer):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return scaled * layer.weight.numpy() + layer.bias.numpy()


def attention(x, y, layer, added=0.0):
    """Of x (batch, tokens, size) to y; `added` broadcasts to (batch, heads, tokens, keys)."""
    weight, bias = layer.in_proj_weight.numpy(), layer.in_proj_bias.numpy()
    parts = []
    for place, z in enumerate((x, y, y)):
        rows = slice(place * SIZE, (place + 1) * SIZE)
        part = z @ weight[rows].T + bias[rows]
        parts.append(part.reshape(*z.shape[:2], HEADS, -1).swapaxes(1, 2))
    query, key, value = parts
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(SIZE // HEADS) + added
    return linear((softmax(scores) @ value).swapaxes(1, 2).reshape(x.shape), layer.out_proj)


def block(x, layer, *parts):
    """Each part is added and normalised, before or behind."""

    def feed(z):
        return linear(np.maximum(linear(z, layer.linear1), 0), layer.linear2)

    for number, part in enumerate((*parts, feed), 1):
        norms = getattr(layer, f"norm{number}")
        x = x + part(norm(x, norms)) if layer.norm_first else norm(x + part(x), norms)
    return x


def hidden(mask):
    return np.where(mask, -np.inf, 0.0)


def close(found, expected):
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("norm_first", [False, True])
def test_an_encoder_of_copies(rng, norm_first):
    layer = nn.TransformerEncoderLayer(
        SIZE, HEADS, WIDE, batch_first=True, norm_first=norm_first, dropout=0.5
    )
    encoder = filled(nn.TransformerEncoder(layer, 2, nn.LayerNorm(SIZE)), rng)
    x = normal(rng, 3, 5, SIZE)
    padding = np.arange(5) >= np.array([[5], [3], [1]])
    expected, mask = x, hidden(padding)[:, None, None]
    for each in encoder.layers:
        expected = block(expected, each, lambda z, e=each: attention(z, z, e.self_attn, mask))
    expected = norm(expected, encoder.norm)
    close(encoder(Tensor(x), src_key_padding_mask=Tensor(padding)), expected)
    steps = jit(lambda x, padding: encoder(x, None, padding))
    for _ in range(3):
        close(steps(Tensor(x), Tensor(padding)), expected)
    assert not np.allclose(encoder.layers[0].linear1.weight.numpy(), layer.linear1.weight.numpy())


@pytest.mark.parametrize("batch_first", [False, True])
def test_a_decoder_of_memory(rng, batch_first):
    decoder = nn.TransformerDecoder(
        nn.TransformerDecoderLayer(SIZE, HEADS, WIDE, batch_first=batch_first), 2
    )
    filled(decoder, rng)
    x, memory = normal(rng, 3, 4, SIZE), normal(rng, 3, 5, SIZE)
    padding = np.arange(5) >= np.array([[5], [3], [1]])
    causal, expected = hidden(np.triu(np.ones((4, 4), bool), 1)), x
    mask = hidden(padding)[:, None, None]
    for each in decoder.layers:
        expected = block(
            expected, each, lambda z, e=each: attention(z, z, e.self_attn, causal),
            lambda z, e=each: attention(z, memory, e.multihead_attn, mask),
        )  # fmt: skip
    turned = (lambda a: a) if batch_first else (lambda a: a.swapaxes(0, 1))
    given = [Tensor(np.ascontiguousarray(turned(a))) for a in (x, memory)]
    masks = ({"tgt_mask": Tensor(causal.astype(np.float32))}, {"tgt_is_causal": True},
             {"tgt_mask": Tensor(causal < 0), "tgt_is_causal": True})  # fmt: skip
    for named in masks:
        found = decoder(*given, **named, memory_key_padding_mask=Tensor(padding))
        close(found, turned(expected))


def test_masks_of_each_head_and_both_kinds_together(rng):
    layer = filled(nn.TransformerEncoderLayer(SIZE, HEADS, WIDE, batch_first=True), rng)
    x, mask = normal(rng, 3, 5, SIZE), rng.random((3 * HEADS, 5, 5)) < 0.4
    mask[..., 0] = False
    padding = np.arange(5) >= np.array([[5], [3], [1]])
    both = hidden(mask.reshape(3, HEADS, 5, 5)) + hidden(padding)[:, None, None]
    expected = block(x, layer, lambda z: attention(z, z, layer.self_attn, both))
    close(layer(Tensor(x), Tensor(mask), Tensor(padding)), expected)
    added = Tensor(hidden(mask).astype(np.float32))
    close(layer(Tensor(x), added, Tensor(padding)), expected)


def test_tokens_that_are_padding_are_hidden_beside_later_ones(rng):
    layer, x = filled(nn.MultiHeadAttention(SIZE, HEADS), rng), normal(rng, 3, 5, SIZE)
    padding = np.arange(5) >= np.array([[5], [3], [1]])
    mask = hidden(np.triu(np.ones((5, 5), bool), 1)) + hidden(padding)[:, None, None]
    found = layer(Tensor(x), is_causal=True, key_padding_mask=Tensor(padding))
    close(found, attention(x, x, layer, mask))


def test_names_are_those_of_pytorchs_checkpoints():
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 1, 4), 1, nn.LayerNorm(4))
    parts = (
        *("self_attn.in_proj_weight", "self_attn.out_proj.bias", "multihead_attn.in_proj_bias"),
        *("linear1.weight", "linear2.bias", "norm1.weight", "norm2.bias", "norm3.weight"),
    )
    names = nn.state.get_state_dict(decoder)
    assert {f"layers.0.{part}" for part in parts} <= names.keys() and "norm.weight" in names
    assert len(names) == 18 + 2


def test_activations_and_what_is_dropped(rng):
    x = Tensor(normal(rng, 2, 3, SIZE))
    layer = nn.TransformerEncoderLayer(SIZE, HEADS, WIDE, 0.0, "gelu")
    plain = layer(x).numpy()
    layer.activation = lambda y: y * 0.5 * (1 + (y * 0.5**0.5).erf())
    close(layer(x), plain)
    layer.activation = Tensor.relu
    assert np.abs(layer(x).numpy() - plain).max() > 1e-3
    layer.dropout = layer.self_attn.dropout = 1.0
    layer.norm_first = True
    with Tensor.train():
        close(layer(x), x.numpy())
