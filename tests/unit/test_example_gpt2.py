"""The GPT-2 example: decoding is the forward pass, weights survive their file, bytes are tokens."""

import subprocess
import sys

import numpy as np
import pytest

from rulewright import Tensor, nn
from rulewright.errors import UsageError
from rulewright.examples import gpt2
from rulewright.examples.transformer import Config, Transformer

TINY = Config(layers=2, size=12, heads=3, vocabulary=300, tokens=11)


@pytest.fixture(scope="module")
def tiny():
    Tensor.manual_seed(3)
    model = Transformer(TINY)
    rng = np.random.default_rng(3)
    for tensor in nn.state.get_parameters(model):  # norms and biases are no longer 1 and 0
        tensor.assign(Tensor(rng.normal(size=tensor.shape).astype(np.float32) * 0.4)).realize()
    return model


def normal(x, layer):
    x = x - x.mean(-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    return x * layer["weight"] + layer["bias"]


def forward(model, tokens):
    """GPT-2 in numpy and float64: scores (tokens, vocabulary), from its description."""
    state = {k: v.numpy().astype(np.float64) for k, v in nn.state.get_state_dict(model).items()}

    def layer(name):
        return {k: state[f"{name}.{k}"] for k in ("weight", "bias")}

    def linear(x, name):
        return x @ state[f"{name}.weight"].T + state[f"{name}.bias"]

    count, depth = len(tokens), TINY.size // TINY.heads
    x = state["words.weight"][tokens] + state["places.weight"][:count]
    for i in range(TINY.layers):
        name = f"blocks.{i}"
        parts = linear(normal(x, layer(f"{name}.first_norm")), f"{name}.attention.project")
        q, k, v = parts.reshape(count, 3, TINY.heads, depth).transpose(1, 2, 0, 3)
        scores = np.where(np.tri(count) > 0, q @ k.transpose(0, 2, 1) / np.sqrt(depth), -np.inf)
        odds = np.exp(scores - scores.max(-1, keepdims=True))
        read = (odds / odds.sum(-1, keepdims=True)) @ v
        x = x + linear(read.transpose(1, 0, 2).reshape(count, -1), f"{name}.attention.output")
        wide = linear(normal(x, layer(f"{name}.second_norm")), f"{name}.wide")
        gelu = 0.5 * wide * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))
        x = x + linear(gelu, f"{name}.narrow")
    return normal(x, layer("norm")) @ state["words.weight"].T


def test_decoding_from_the_cache_is_the_forward_pass(tiny, rng):
    tokens = rng.integers(0, TINY.vocabulary, TINY.tokens).tolist()
    wanted = forward(tiny, tokens)
    whole = tiny(Tensor([tokens]))[0].numpy()
    np.testing.assert_allclose(whole, wanted, rtol=1e-4, atol=1e-4)
    decoder = gpt2.Decoder(tiny, TINY)
    for position, token in enumerate(tokens):
        scores = decoder(token, position).numpy()
        np.testing.assert_allclose(scores, wanted[position], rtol=1e-4, atol=1e-4)
    assert decoder.step.captures == 1
    with pytest.raises(UsageError, match="position 11: the model has 11"):
        decoder(0, TINY.tokens)


def test_weights_survive_their_file(tiny, tmp_path):
    pytest.importorskip("safetensors")
    path = tmp_path / "model.safetensors"
    gpt2.save(tiny, path)
    model, shape = gpt2.load(path, heads=3)
    assert shape == TINY
    own, found = nn.state.get_state_dict(tiny), nn.state.get_state_dict(model)
    assert list(own) == list(found)
    for name in own:
        np.testing.assert_array_equal(own[name].numpy(), found[name].numpy())
    held = nn.state.safe_load(path)
    project = own["blocks.1.attention.project.weight"].numpy()
    np.testing.assert_array_equal(held["h.1.attn.c_attn.weight"].numpy(), project.T)
    assert held["h.0.mlp.c_fc.weight"].shape == (12, 48)
    prefixed = {f"transformer.{k}": v for k, v in held.items()}  # and masks, which are not read
    nn.state.safe_save({**prefixed, "transformer.h.0.attn.bias": Tensor.ones(4, 4)}, path)
    again, _ = gpt2.load(path, heads=3)
    np.testing.assert_array_equal(again.places.weight.numpy(), own["places.weight"].numpy())


def test_files_that_hold_no_gpt2_are_refused(tiny, tmp_path):
    pytest.importorskip("safetensors")
    path = tmp_path / "model.safetensors"
    gpt2.save(tiny, path)
    held = nn.state.safe_load(path)
    del held["h.1.mlp.c_fc.bias"]
    nn.state.safe_save(held, path)
    with pytest.raises(UsageError, match=r"h\.1\.mlp\.c_fc\.bias missing"):
        gpt2.load(path)
    nn.state.safe_save({"x": Tensor.ones(2)}, path)
    with pytest.raises(UsageError, match="found no wte and wpe"):
        gpt2.load(path)


def test_bytes_are_tokens():
    assert sorted(gpt2.BYTES) == list(range(256))
    assert gpt2.encode("!A ") == [0, 32, 220]  # as in GPT-2's vocabulary
    text = "Größe: 3 µm\n\0"
    assert gpt2.decode(gpt2.encode(text)) == text


def test_the_number_of_parameters_is_the_one_stated():
    parameters = nn.state.get_parameters(Transformer(Config()))
    assert f"{sum(p.numel() for p in parameters):,}" in gpt2.__doc__


def test_what_is_written_follows_the_scores_and_stops_at_the_longest_text(tiny):
    said = []
    written = gpt2.generate(gpt2.Decoder(tiny, TINY), [5, 7], 4, heat=1e-3, say=said.append)
    tokens = [5, 7]
    for _ in range(4):
        tokens.append(int(forward(tiny, tokens)[-1, :256].argmax()))
    assert written == tokens[2:]
    assert said[0].startswith("2 tokens read, 4 written, ") and said[0].endswith(" tokens/s")
    assert len(gpt2.generate(gpt2.Decoder(tiny, TINY), [5, 7], 99, say=said.append)) == 9


def test_the_command_runs():
    command = [sys.executable, "-m", "rulewright.examples.gpt2", "--small", "--count", "5"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "a byte is a token" in found and "tokens/s" in found
    assert "A rule of the compiler says" in found
