"""Workloads in numpy: a peer, and over float64 the reference that all are compared with."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np

from rulewright.bench.libraries.base import Library


class InNumpy(Library):
    """numpy, without gradients or compilation."""

    name = "numpy"

    def version(self) -> str:
        """numpy's version."""
        return np.__version__

    def put(self, array: np.ndarray) -> np.ndarray:
        """The array itself."""
        return array

    def relu(self, x: Any) -> Any:
        """max(x, 0)."""
        return np.maximum(x, 0)

    def sigmoid(self, x: Any) -> Any:
        """1 / (1 + exp(-x))."""
        return 1 / (1 + np.exp(-x))

    def gelu(self, x: Any) -> Any:
        """By tanh (Hendrycks and Gimpel, 2016)."""
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1 + np.tanh(inner))

    def softmax(self, x: Any) -> Any:
        """In one new array."""
        e = np.exp(x - x.max(-1, keepdims=True))
        e /= e.sum(-1, keepdims=True)
        return e

    def log_softmax(self, x: Any) -> Any:
        """x minus the logarithm of the sum of exponentials."""
        shifted = x - x.max(-1, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))

    def layernorm(self, x: Any, weight: Any = None, bias: Any = None) -> Any:
        """Centred, divided, scaled."""
        centred = x - x.mean(-1, keepdims=True)
        normal = centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)
        return normal if weight is None else normal * weight + bias

    def conv2d(self, x: Any, weight: Any, stride: int, padding: int, groups: int) -> Any:
        """A product for each place of the filter, summed."""
        taps = list(windows(x, weight.shape, stride, padding))
        if groups > 1:  # a filter a channel
            return sum(tap * weight[:, 0, i, j, None, None] for i, j, tap in taps)
        products = (np.tensordot(weight[:, :, i, j], tap, (1, 1)) for i, j, tap in taps)
        return reduce(np.add, products).swapaxes(0, 1)

    def attention(self, query: Any, key: Any, value: Any, causal: bool) -> Any:
        """With all scores in memory."""
        return self.attention_weights(query, key, causal) @ value

    def attention_weights(self, query: Any, key: Any, causal: bool) -> Any:
        """Softmax of the scores (…, tokens, tokens)."""
        scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
        if causal:
            scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
        return self.softmax(scores)


def windows(x: Any, filters: tuple[int, ...], stride: int, padding: int) -> Any:
    """For each place (i, j) of a filter the pixels under it, (batch, channels, h, w), as a view."""
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    tall, wide = filters[2:]
    bottom, right = (size - k + 1 for size, k in zip(padded.shape[2:], (tall, wide), strict=True))
    for i in range(tall):
        for j in range(wide):
            yield i, j, padded[:, :, i : i + bottom : stride, j : j + right : stride]
