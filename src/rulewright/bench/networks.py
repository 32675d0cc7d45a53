"""Workloads of neural networks: convolution, attention, a training step of a perceptron."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import prod, sqrt
from typing import Any

from rulewright.bench.workload import Workload, WorkloadKind, random, slow_at

_IMAGES, _CHANNELS = 8, 64
_BATCH, _HEADS, _FEATURES = 4, 8, 64  # of attention
_LAYERS = (784, 512, 512, 10)  # of the perceptron
_RATE = 0.1


# ---- convolution ---------------------------------------------------------------------------------


def _convolution(
    name: str, side: int, kernel: int = 3, stride: int = 1, groups: int = 1, backward: bool = False
) -> Workload:
    """Images (8, 64, side, side), 64 filters, padded so that only a stride makes them smaller."""
    images = (_IMAGES, _CHANNELS, side, side)
    filters = (_CHANNELS, _CHANNELS // groups, kernel, kernel)
    small = -(-side // stride)
    results = (_IMAGES, _CHANNELS, small, small)
    terms = prod(filters[1:])

    def forward(library: Any, x: Any, w: Any) -> Any:
        return library.conv2d(x, w, stride, kernel // 2, groups)

    flops = 2 * prod(results) * terms
    if not backward:
        inputs = partial(random, images, filters)
        return Workload(name, forward, inputs, flops, terms=terms, without=frozenset({"numpy"}))

    def loss(library: Any, x: Any, w: Any, weights: Any) -> Any:
        return (forward(library, x, w) * weights).sum()

    return Workload(
        name,
        loss,
        partial(random, images, filters, results),
        3 * flops,
        terms=prod(results),
        wanted=2,
        reference=partial(_convolution_gradients, padding=kernel // 2),
    )


def _convolution_gradients(x: Any, w: Any, weights: Any, padding: int) -> Any:
    """Of the weighted sum of a convolution of stride 1: what each pixel and filter was part of."""
    import numpy as np

    from rulewright.bench.libraries.in_numpy import InNumpy, windows

    value = (InNumpy().conv2d(x, w, 1, padding, 1) * weights).sum()
    turned = np.flip(w, (2, 3)).swapaxes(0, 1)
    by_x = InNumpy().conv2d(weights, turned, 1, w.shape[-1] - 1 - padding, 1)
    by_w = np.empty_like(w)
    for i, j, under in windows(x, w.shape, 1, padding):
        by_w[:, :, i, j] = np.tensordot(weights, under, ((0, 2, 3), (0, 2, 3)))
    return value, by_x, by_w


# ---- attention -----------------------------------------------------------------------------------


def _attention(
    name: str, tokens: int, causal: bool = False, backward: bool = False, dtype: str = "f32"
) -> Workload:
    """4 texts, 8 heads of 64 numbers. Of a causal one the half that is seen counts as work."""
    shape = (_BATCH, _HEADS, tokens, _FEATURES)
    flops = 4 * prod(shape) * tokens // (2 if causal else 1)

    def forward(library: Any, query: Any, key: Any, value: Any) -> Any:
        return library.attention(query, key, value, causal)

    if not backward:
        return Workload(
            name,
            forward,
            partial(random, *[shape] * 3, dtype=dtype),
            flops,
            dtype=dtype,
            terms=tokens * _FEATURES,
            without=slow_at(dtype),
        )

    def loss(library: Any, query: Any, key: Any, value: Any, weights: Any) -> Any:
        return (forward(library, query, key, value) * weights).sum()

    return Workload(
        name,
        loss,
        partial(random, *[shape] * 4),
        flops * 7 // 2,  # two products forward, five backward
        terms=prod(shape),
        wanted=3,
        reference=_attention_gradients,
    )


def _attention_gradients(query: Any, key: Any, value: Any, weights: Any) -> Any:
    """By hand, with all scores in memory: the gradient of softmax is s * (g - sum(g * s))."""
    from rulewright.bench.libraries.in_numpy import InNumpy

    shares = InNumpy().attention_weights(query, key, False)
    by_shares = weights @ value.swapaxes(-1, -2)
    centred = by_shares - (by_shares * shares).sum(-1, keepdims=True)
    by_scores = shares * centred / sqrt(query.shape[-1])
    return (
        ((shares @ value) * weights).sum(),
        by_scores @ key,
        by_scores.swapaxes(-1, -2) @ query,
        shares.swapaxes(-1, -2) @ weights,
    )


# ---- a training step -----------------------------------------------------------------------------


def _perceptron(name: str, batch: int) -> Workload:
    """784, 512, 512, 10 with relu: cross entropy, gradients and a step of plain descent."""
    weights = list(pairwise(_LAYERS))

    def inputs() -> list[Any]:
        import numpy as np

        *matrices, images = random(*weights, (batch, _LAYERS[0]))
        matrices = [m / np.float32(sqrt(m.shape[0])) for m in matrices]
        classes = np.eye(_LAYERS[-1], dtype=np.float32)[np.arange(batch) % _LAYERS[-1]]
        return [*matrices, images, classes]

    def loss(library: Any, a: Any, b: Any, c: Any, images: Any, classes: Any) -> Any:
        scores = library.relu(library.relu(images @ a) @ b) @ c
        return (library.log_softmax(scores) * classes).sum() / -batch

    flops = 6 * batch * sum(prod(shape) for shape in weights) - 2 * batch * prod(weights[0])
    return Workload(name, loss, inputs, flops, terms=batch * 784, wanted=3, rate=_RATE,
                reference=_perceptron_step)  # fmt: skip


def _perceptron_step(a: Any, b: Any, c: Any, images: Any, classes: Any) -> Any:
    """By hand: the gradient of cross entropy by the scores is (softmax - class) / batch."""
    import numpy as np

    from rulewright.bench.libraries.in_numpy import InNumpy

    first = np.maximum(images @ a, 0)
    second = np.maximum(first @ b, 0)
    logarithms = InNumpy().log_softmax(second @ c)
    by_scores = (np.exp(logarithms) - classes) / len(images)
    by_second = by_scores @ c.T * (second > 0)
    by_first = by_second @ b.T * (first > 0)
    products = (images.T @ by_first, first.T @ by_second, second.T @ by_scores)
    stepped = [p - _RATE * g for p, g in zip((a, b, c), products, strict=True)]
    return -(logarithms * classes).sum() / len(images), *stepped


_SIDES = (7, 14, 28, 56)
_TOKENS = (64, 128, 256, 512, 1024)

KINDS = [
    WorkloadKind("conv", _convolution, (56,), _SIDES),
    WorkloadKind("conv/1x1", partial(_convolution, kernel=1), (56,), _SIDES),
    WorkloadKind("conv/strided", partial(_convolution, stride=2), (56,), _SIDES),
    WorkloadKind("conv/depthwise", partial(_convolution, groups=_CHANNELS), (56,), _SIDES),
    WorkloadKind("conv/backward", partial(_convolution, backward=True), (56,), _SIDES),
    WorkloadKind("attention", _attention, (512,), _TOKENS),
    WorkloadKind("attention/causal", partial(_attention, causal=True), (512,), _TOKENS),
    WorkloadKind("attention/backward", partial(_attention, backward=True), (512,), _TOKENS),
    WorkloadKind("attention/bf16", partial(_attention, dtype="bf16"), (512,), _TOKENS),
    WorkloadKind(
        "attention/bf16/causal", partial(_attention, dtype="bf16", causal=True), (512,), _TOKENS
    ),
    WorkloadKind("mlp", _perceptron, (512,), (32, 128, 512, 2048)),
]
