"""Workloads of GPT-2's shape (Radford et al., 2019), forward, with random weights."""

from __future__ import annotations

from math import prod
from typing import Any

from rulewright.bench.workload import Workload, WorkloadKind, random

SIZE, HEADS, LAYERS, VOCABULARY = 768, 12, 12, 50257

# What a layer holds, in order: matrices are (inputs, outputs), each behind it its bias.
_LAYER = (
    (SIZE,), (SIZE,),  # the norm before attention: scale, shift
    (SIZE, 3 * SIZE), (3 * SIZE,),
    (SIZE, SIZE), (SIZE,),
    (SIZE,), (SIZE,),  # the norm before the perceptron
    (SIZE, 4 * SIZE), (4 * SIZE,),
    (4 * SIZE, SIZE), (SIZE,),
)  # fmt: skip


def block(library: Any, x: Any, *layer: Any) -> Any:
    """Attention and a perceptron of (tokens, size), each added to what came in."""
    scale, shift, project, bias, output, output_bias, *perceptron = layer
    tokens = x.shape[0]
    parts = library.layernorm(x, scale, shift) @ project + bias
    parts = library.permute(parts.reshape(tokens, 3, HEADS, SIZE // HEADS), (1, 2, 0, 3))
    mixed = library.attention(parts[0], parts[1], parts[2], True)
    x = x + library.permute(mixed, (1, 0, 2)).reshape(tokens, SIZE) @ output + output_bias
    scale, shift, wide, wide_bias, narrow, narrow_bias = perceptron
    inner = library.gelu(library.layernorm(x, scale, shift) @ wide + wide_bias)
    return x + inner @ narrow + narrow_bias


def _block_flops(tokens: int) -> int:
    matrices = sum(prod(shape) for shape in _LAYER if len(shape) == 2)
    return 2 * tokens * matrices + 2 * tokens * tokens * SIZE


def _block(name: str, tokens: int) -> Workload:
    def inputs() -> list[Any]:
        return [*random((tokens, SIZE)), *random(*_LAYER, scale=0.02)]

    return Workload(name, block, inputs, _block_flops(tokens), terms=4 * SIZE)


def gpt2(name: str, tokens: int, layers: int = LAYERS, vocabulary: int = VOCABULARY) -> Workload:
    """Token numbers to scores (tokens, vocabulary); the words' table is used again at the end."""

    def inputs() -> list[Any]:
        import numpy as np

        words = np.random.default_rng(7).integers(0, vocabulary, tokens)
        shapes = (vocabulary, SIZE), (tokens, SIZE), (SIZE,), (SIZE,), *_LAYER * layers
        return [*random(*shapes, scale=0.02), words]

    def program(library: Any, table: Any, places: Any, scale: Any, shift: Any, *rest: Any) -> Any:
        *weights, words = rest
        x = library.take(table, words) + places
        for start in range(0, len(weights), len(_LAYER)):
            x = block(library, x, *weights[start : start + len(_LAYER)])
        return library.layernorm(x, scale, shift) @ table.T

    flops = layers * _block_flops(tokens) + 2 * tokens * SIZE * vocabulary
    return Workload(name, program, inputs, flops, terms=4 * SIZE * layers)


KINDS = [
    WorkloadKind("block", _block, (256,), (16, 64, 256, 1024)),
    WorkloadKind("gpt2", gpt2, (64,), (1, 16, 64, 256)),
]
