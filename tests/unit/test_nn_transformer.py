"""The transformer example against the same model written in numpy."""

import numpy as np
from arrays import softmax

from rulewright import Tensor
from rulewright.examples.transformer import Config, Transformer

SHAPE = Config(layers=2, size=12, heads=3, vocabulary=17, tokens=8)


def norm(x, layer):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return scaled * layer.weight.numpy() + layer.bias.numpy()


def linear(x, layer):
    return x @ layer.weight.numpy().T + layer.bias.numpy()


def attention(x, layer):
    batch, tokens, size = x.shape
    parts = linear(x, layer.project).reshape(batch, tokens, 3, layer.heads, -1)
    query, key, value = parts.transpose(2, 0, 3, 1, 4)
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(size // layer.heads)
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    mixed = (softmax(scores) @ value).swapaxes(1, 2).reshape(x.shape)
    return linear(mixed, layer.output)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def forward(model, tokens):
    words = model.words.weight.numpy()
    x = words[tokens] + model.places.weight.numpy()[: tokens.shape[1]]
    for block in model.blocks:
        x = x + attention(norm(x, block.first_norm), block.attention)
        x = x + linear(gelu(linear(norm(x, block.second_norm), block.wide)), block.narrow)
    return norm(x, model.norm) @ words.T


def test_scores_are_those_of_the_model_in_numpy(rng):
    Tensor.manual_seed(5)
    model = Transformer(SHAPE)
    tokens = rng.integers(0, SHAPE.vocabulary, (2, 7))
    found = model(Tensor(tokens)).numpy()
    np.testing.assert_allclose(found, forward(model, tokens), rtol=1e-4, atol=1e-4)


def test_a_token_sees_nothing_of_those_after_it(rng):
    model = Transformer(SHAPE)
    tokens = rng.integers(0, SHAPE.vocabulary, (1, 6))
    changed = tokens.copy()
    changed[0, 4] = (changed[0, 4] + 1) % SHAPE.vocabulary
    first, second = model(Tensor(tokens)).numpy(), model(Tensor(changed)).numpy()
    np.testing.assert_allclose(first[:, :4], second[:, :4], rtol=1e-5, atol=1e-6)
    assert np.abs(first[:, 4:] - second[:, 4:]).max() > 1e-3


def test_every_parameter_gets_a_gradient(rng):
    from rulewright import nn

    model = Transformer(SHAPE)
    tokens = rng.integers(0, SHAPE.vocabulary, (2, 8))
    scores = model(Tensor(tokens[:, :-1]))
    loss = scores.flatten(0, 1).cross_entropy(Tensor(tokens[:, 1:].reshape(-1)))
    loss.backward()
    for name, tensor in nn.state.get_state_dict(model).items():
        assert tensor.grad is not None and np.isfinite(tensor.grad.numpy()).all(), name
