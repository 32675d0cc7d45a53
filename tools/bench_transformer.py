"""Seconds to build, schedule and lower a 12-layer transformer's forward pass, without a compiler.

    python tools/bench_transformer.py

Prints a JSON list: seconds for the graph, the schedule and the lowering, the number of kernels and
of different ones, and the seconds of scheduling the same over new input.
"""

from __future__ import annotations

import json
import time
from statistics import median

import numpy as np

from rulewright import Tensor, nn
from rulewright.codegen.lower import lower_kernel

LAYERS, TOKENS, WIDTH, HEADS = 12, 64, 256, 4


class Block:
    """Attention and a perceptron, each behind a norm and beside a shortcut."""

    def __init__(self) -> None:
        self.before_attention, self.before_perceptron = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        for layer in vars(self).values():  # plain memory: what it is filled with is no matter here
            for name in ("weight", "bias"):
                shape = getattr(layer, name).shape
                setattr(layer, name, Tensor(np.zeros(shape, np.float32)))

    def __call__(self, x: Tensor, mask: Tensor) -> Tensor:
        """Rows of tokens to rows of tokens."""
        parts = self.qkv(self.before_attention(x)).reshape(TOKENS, 3, HEADS, WIDTH // HEADS)
        q, k, v = (parts[:, i].permute(1, 0, 2) for i in range(3))
        scores = q @ k.permute(0, 2, 1) * (WIDTH // HEADS) ** -0.5 + mask
        heads = scores.softmax(-1) @ v
        x = x + self.out(heads.permute(1, 0, 2).reshape(TOKENS, WIDTH))
        return x + self.down(self.up(self.before_perceptron(x)).gelu())


def forward(blocks: list[Block], mask: Tensor) -> Tensor:
    """The blocks one after the other, on fresh input."""
    x = Tensor(np.ones((TOKENS, WIDTH), np.float32))
    for block in blocks:
        x = block(x, mask)
    return x


def main() -> None:
    """Measure and print."""
    blocks = [Block() for _ in range(LAYERS)]
    mask = Tensor(np.triu(np.full((TOKENS, TOKENS), -1e9, np.float32), 1))
    # loading the rules is no part of it: lower something small before
    small = Tensor(np.ones((3, 5), np.float32))
    for item in (small @ small.permute(1, 0)).softmax(-1).schedule():
        lower_kernel(item.ast, "C")

    begin = time.perf_counter()
    y = forward(blocks, mask)
    built = time.perf_counter()
    items = y.schedule()
    scheduled = time.perf_counter()
    names = {lower_kernel(item.ast, "C").name for item in items}
    lowered = time.perf_counter()

    hits = []
    for _ in range(7):
        again = forward(blocks, mask)
        start = time.perf_counter()
        again.schedule()
        hits.append(time.perf_counter() - start)
    seconds = [built - begin, scheduled - built, lowered - scheduled]
    print(json.dumps([*seconds, len(items), len(names), median(hits)]))


if __name__ == "__main__":
    main()
