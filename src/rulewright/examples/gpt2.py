"""Writes text with a model of GPT-2's shape, a token at a time, from a cache of keys and values.

    python -m rulewright.examples.gpt2 --prompt "The rule is" --count 32
    python -m rulewright.examples.gpt2 --weights model.safetensors

The 124M model of Radford et al., "Language Models are Unsupervised Multitask Learners" (2019):
12 layers of 768 numbers in 12 heads, 50257 tokens, 124,439,808 parameters; `--small` has 4 layers
of 128. Weights are random, so that what it writes means nothing, or those of a safetensors file
with the names that Hugging Face gives them. No tokenizer is read: text goes in and comes out byte
by byte, as the first 256 tokens of GPT-2, which stand for single bytes.

The position is a symbolic variable. One captured step serves every position, whatever the length
of the cache that it looks at; the scores are those of the forward pass over the whole text.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rulewright import Tensor, Variable, jit, nn
from rulewright.errors import UsageError
from rulewright.examples.options import whole
from rulewright.examples.transformer import Attention, Config, Transformer, TransformerBlock
from rulewright.progress import track

SMALL = Config(layers=4, size=128, heads=4, tokens=256)
HEAD = 64  # numbers in a head, in GPT-2 of any size
SEED = 6

# The bytes in the order of GPT-2's first 256 tokens: those that print come first.
_PRINTED = [*range(33, 127), *range(161, 173), *range(174, 256)]
BYTES = [*_PRINTED, *(b for b in range(256) if b not in _PRINTED)]

# Our names and Hugging Face's; their matrices are (inputs, outputs), ours (outputs, inputs).
_OUTER = {"words.weight": "wte.weight", "places.weight": "wpe.weight",
          "norm.weight": "ln_f.weight", "norm.bias": "ln_f.bias"}  # fmt: skip
_NORMS = {"first_norm": "ln_1", "second_norm": "ln_2"}
_MATRICES = {"attention.project": "attn.c_attn", "attention.output": "attn.c_proj",
             "wide": "mlp.c_fc", "narrow": "mlp.c_proj"}  # fmt: skip


def encode(text: str) -> list[int]:
    """The tokens of a text's bytes in UTF-8."""
    return [BYTES.index(byte) for byte in text.encode("utf-8")]


def decode(tokens: list[int]) -> str:
    """The text of tokens below 256; bytes that are no UTF-8 become �."""
    return bytes(BYTES[token] for token in tokens).decode("utf-8", errors="replace")


def names(layers: int) -> dict[str, tuple[str, bool]]:
    """Our name of each tensor -> Hugging Face's, and whether it is transposed there."""
    theirs_of = {ours: (theirs, False) for ours, theirs in _OUTER.items()}
    for i in range(layers):
        for part, transposed in ((_NORMS, False), (_MATRICES, True)):
            for ours, theirs in part.items():
                theirs_of[f"blocks.{i}.{ours}.weight"] = (f"h.{i}.{theirs}.weight", transposed)
                theirs_of[f"blocks.{i}.{ours}.bias"] = (f"h.{i}.{theirs}.bias", False)
    return theirs_of


def save(model: Transformer, path: str | Path) -> None:
    """Write a model's weights to a safetensors file, under Hugging Face's names."""
    own = nn.state.get_state_dict(model)
    renamed = names(len(model.blocks)).items()
    nn.state.safe_save(
        {theirs: own[ours].T if turned else own[ours] for ours, (theirs, turned) in renamed}, path
    )


def load(path: str | Path, heads: int | None = None) -> tuple[Transformer, Config]:
    """A model with the weights of a safetensors file, of the shape that they have.

    heads: those of a layer; 64 numbers each, as in every GPT-2, if it is not given. Raises
    UsageError if the file does not hold a GPT-2, MissingExtraError without `safetensors`.
    """
    held = {k.removeprefix("transformer."): v for k, v in nn.state.safe_load(path).items()}
    shape = _shape_of(held, heads, path)
    wanted = names(shape.layers)
    missing = [theirs for theirs, _ in wanted.values() if theirs not in held]
    if missing:
        raise UsageError(f"{path}: expected the weights of a GPT-2, {', '.join(missing)} missing")
    model = Transformer(shape)
    values = {k: held[theirs].T if turned else held[theirs] for k, (theirs, turned) in
              wanted.items()}  # fmt: skip
    nn.state.load_state_dict(model, values)
    return model, shape


def _shape_of(held: Mapping[str, Tensor], heads: int | None, path: str | Path) -> Config:
    if "wte.weight" not in held or "wpe.weight" not in held:
        raise UsageError(f"{path}: expected the weights of a GPT-2, found no wte and wpe")
    vocabulary, size = map(int, held["wte.weight"].shape)
    layers = sum(name.startswith("h.") and name.endswith(".ln_1.weight") for name in held)
    tokens = int(held["wpe.weight"].shape[0])
    return Config(layers, size, heads or max(1, size // HEAD), vocabulary, tokens)


class Decoder:
    """A model that is given one token after the other, and remembers keys and values.

    `step` is jitted: its first two calls compile, the others replay one capture.
    """

    def __init__(self, model: Transformer, shape: Config) -> None:
        self.model, self.most = model, shape.tokens
        sizes = (shape.heads, shape.tokens, shape.size // shape.heads)
        self.caches = [(_zeros(*sizes), _zeros(*sizes)) for _ in model.blocks]
        self.place = Variable("place", 0, shape.tokens - 1)
        self.step: Any = jit(self._step)

    def __call__(self, token: int, position: int) -> Tensor:
        """Scores (vocabulary,) of the token after the one that stands at a position.

        Raises UsageError for a position past the longest text.
        """
        if not 0 <= position < self.most:
            raise UsageError(f"position {position}: the model has {self.most}")
        scores: Tensor = self.step(Tensor([token], dtype="i32"), self.place.bind(position))
        return scores

    def _step(self, token: Tensor, place: Any) -> Tensor:
        model = self.model
        x = model.words(token) + model.places.weight[place : place + 1]
        for block, (keys, values) in zip(model.blocks, self.caches, strict=True):
            x = _through_block(block, x, keys, values, place)
        return (model.norm(x) @ model.words.weight.T)[0].realize()


def _zeros(*shape: int) -> Tensor:
    return Tensor.zeros(*shape).clone().realize()


def _through_block(
    block: TransformerBlock, x: Tensor, keys: Tensor, values: Tensor, place: Any
) -> Tensor:
    """A block of one token (1, size), which writes its place of the caches."""
    x = x + _attention(block.attention, block.first_norm(x), keys, values, place)
    return x + block.narrow(block.wide(block.second_norm(x)).gelu())


def _attention(layer: Attention, x: Tensor, keys: Tensor, values: Tensor, place: Any) -> Tensor:
    heads, _, depth = keys.shape
    query, key, value = layer.project(x).reshape(3, heads, 1, depth)
    keys[:, place : place + 1] = key
    values[:, place : place + 1] = value
    seen, read = keys[:, : place + 1], values[:, : place + 1]
    weights = (query @ seen.transpose(1, 2) * int(depth) ** -0.5).softmax(-1)
    return layer.output((weights @ read).reshape(1, -1))


def generate(
    decoder: Decoder, prompt: list[int], count: int, heat: float = 0.8,
    say: Callable[[str], None] = print,
) -> list[int]:  # fmt: skip
    """`count` tokens after a prompt, each drawn from softmax(scores / heat) of the 256 bytes."""
    rng, tokens, drawn = np.random.default_rng(SEED), list(prompt), 0
    last, start = min(len(prompt) + count, decoder.most) - 1, time.perf_counter()
    for position in track(range(last), "decoding"):
        if position == 2:  # the step is compiled and captured by now
            start = time.perf_counter()
        scores = decoder(tokens[position], position).numpy()[:256].astype(np.float64) / heat
        if position + 1 == len(tokens):
            odds = np.exp(scores - scores.max())
            tokens.append(int(rng.choice(256, p=odds / odds.sum())))
            drawn += 1
    seconds = time.perf_counter() - start
    say(f"{len(prompt)} tokens read, {drawn} written, {max(last - 2, 0) / seconds:.1f} tokens/s")
    return tokens[len(prompt) :]


def main() -> None:
    """Load or draw a model, read the prompt, and write."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--weights", type=Path, metavar="FILE.safetensors")
    options.add_argument("--small", action="store_true", help="4 layers of 128, random weights")
    options.add_argument("--prompt", default="A rule of the compiler says", help="at least a byte")
    options.add_argument("--count", type=whole(1), default=32, help="bytes to write")
    arguments = options.parse_args()
    prompt = encode(arguments.prompt)
    if not prompt:
        options.error("the prompt is empty")
    if arguments.weights and not arguments.weights.is_file():
        options.error(f"no such file: {arguments.weights}")
    if arguments.weights:
        model, shape = load(arguments.weights)
    else:
        Tensor.manual_seed(SEED)
        shape = SMALL if arguments.small else Config()
        model = Transformer(shape)
        print("no --weights: they are random, and what is written means nothing")
    print("no tokenizer is read: a byte is a token")
    parameters = nn.state.get_parameters(model)
    parameters[0].realize(*parameters[1:])
    print(
        f"{shape.layers} layers of {shape.size}: {sum(p.numel() for p in parameters):,} parameters"
    )
    written = generate(Decoder(model, shape), prompt, arguments.count)
    print(arguments.prompt + decode(written))


if __name__ == "__main__":
    main()
