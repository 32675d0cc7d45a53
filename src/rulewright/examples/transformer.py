"""A transformer language model of GPT-2's shape, forward only, with random weights.

    python -m rulewright.examples.transformer --layers 12 --size 768 --tokens 64

Prints how long the graph, its schedule and the kernels' source take, and how many kernels there
are; `--run` also runs it.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass

from rulewright import Tensor, nn
from rulewright.examples.options import whole


@dataclass(frozen=True)
class Config:
    """Sizes of a model. `size` is divisible by `heads`; `tokens` is the longest text."""

    layers: int = 12
    size: int = 768
    heads: int = 12
    vocabulary: int = 50257
    tokens: int = 1024


class Attention:
    """Each token looks at itself and those before it."""

    def __init__(self, shape: Config) -> None:
        self.heads = shape.heads
        self.project = nn.Linear(shape.size, 3 * shape.size)
        self.output = nn.Linear(shape.size, shape.size)

    def __call__(self, x: Tensor) -> Tensor:
        """(batch, tokens, size) to the same."""
        batch, tokens, size = x.shape
        parts = self.project(x).reshape(batch, tokens, 3, self.heads, size // self.heads)
        query, key, value = (parts[:, :, i].transpose(1, 2) for i in range(3))
        scores = query @ key.mT / math.sqrt(size // self.heads)
        visible = Tensor.ones(tokens, tokens, dtype="bool").tril()
        weights = visible.where(scores, -math.inf).softmax(-1)
        return self.output((weights @ value).transpose(1, 2).reshape(batch, tokens, size))


class TransformerBlock:
    """Attention and a two-layer network, each added to what came in."""

    def __init__(self, shape: Config) -> None:
        self.first_norm, self.second_norm = nn.LayerNorm(shape.size), nn.LayerNorm(shape.size)
        self.attention = Attention(shape)
        self.wide = nn.Linear(shape.size, 4 * shape.size)
        self.narrow = nn.Linear(4 * shape.size, shape.size)

    def __call__(self, x: Tensor) -> Tensor:
        """(batch, tokens, size) to the same."""
        x = x + self.attention(self.first_norm(x))
        return x + self.narrow(self.wide(self.second_norm(x)).gelu())


class Transformer:
    """Token numbers (batch, tokens) to scores of the next token (batch, tokens, vocabulary)."""

    def __init__(self, shape: Config) -> None:
        self.words = nn.Embedding(shape.vocabulary, shape.size)
        self.places = nn.Embedding(shape.tokens, shape.size)
        self.blocks = [TransformerBlock(shape) for _ in range(shape.layers)]
        self.norm = nn.LayerNorm(shape.size)

    def __call__(self, tokens: Tensor) -> Tensor:
        """Scores; the words' table is used again to read them off, as in GPT-2."""
        x = self.words(tokens) + self.places.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.words.weight.T


def main() -> None:
    """Build, schedule and lower a model; print seconds and kernels."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--layers", type=whole(1), default=12)
    options.add_argument("--size", type=whole(1), default=768)
    options.add_argument("--heads", type=whole(1), default=12)
    options.add_argument("--vocabulary", type=whole(1), default=50257)
    options.add_argument("--tokens", type=whole(1), default=64)
    options.add_argument("--run", action="store_true", help="run the kernels too")
    arguments = options.parse_args()
    if arguments.size % arguments.heads:
        options.error(f"a size of {arguments.size} is not divisible by {arguments.heads} heads")
    shape = Config(arguments.layers, arguments.size, arguments.heads, arguments.vocabulary)
    Tensor.manual_seed(0)
    model = Transformer(shape)
    parameters = nn.state.get_parameters(model)
    parameters[0].realize(*parameters[1:])
    start = time.perf_counter()
    scores = model(Tensor.randint(1, arguments.tokens, high=shape.vocabulary))
    built = time.perf_counter()
    items = scores.schedule()
    scheduled = time.perf_counter()
    sources = {item.ast: item.lower() for item in items}
    lowered = time.perf_counter()
    print(
        f"{shape.layers} layers: {len(items)} kernels, {len(sources)} different · "
        f"graph {built - start:.2f} s · schedule {scheduled - built:.2f} s · "
        f"lowering {lowered - scheduled:.2f} s"
    )
    if arguments.run:
        for item in items:
            item.run()
        print(f"ran in {time.perf_counter() - lowered:.2f} s")


if __name__ == "__main__":
    main()
