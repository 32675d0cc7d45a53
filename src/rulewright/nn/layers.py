"""Layers that multiply, look up, drop and follow each other: objects called with a tensor."""

from __future__ import annotations

import math
from typing import Any

from rulewright.errors import ShapeError, UsageError
from rulewright.tensor.shapes import show
from rulewright.tensor.tensor import Tensor


def uniform(bound: float, *shape: int) -> Tensor:
    """A parameter, evenly spread over ±bound."""
    return Tensor.uniform(*shape, low=-bound, high=bound, requires_grad=True)


def filled(value: float, *shape: int) -> Tensor:
    """A parameter of one value."""
    return Tensor.full(shape, float(value), requires_grad=True)


class Linear:
    """x @ weight.T + bias, for x (…, in_features).

    `weight` is (out_features, in_features), `bias` (out_features,) or None; both begin uniform
    in ±1/sqrt(in_features), as in PyTorch.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        bound = 1 / math.sqrt(max(in_features, 1))
        self.weight = uniform(bound, out_features, in_features)
        self.bias = uniform(bound, out_features) if bias else None

    def __call__(self, x: Tensor) -> Tensor:
        """(…, out_features). Raises ShapeError unless the last axis is in_features."""
        wanted = self.weight.shape[1]
        if not x.ndim or x.shape[-1] != wanted:
            raise ShapeError(f"Linear: expected x (…, {wanted}), found {show(x.shape)}")
        return x.linear(self.weight.T, self.bias)


class Embedding:
    """Rows of a table: class numbers (…) become (…, embed_size)."""

    def __init__(self, vocab_size: int, embed_size: int) -> None:
        self.weight = Tensor.glorot_uniform(vocab_size, embed_size, requires_grad=True)

    def __call__(self, positions: Tensor) -> Tensor:
        """Rows of the table. Raises UsageError unless the positions are integers."""
        return positions.embedding(self.weight)


class Dropout:
    """While `Tensor.training`, elements are zero with probability p; see `Tensor.dropout`."""

    def __init__(self, p: float = 0.5) -> None:
        if not 0 <= p <= 1:
            raise UsageError(f"Dropout: expected a probability from 0 to 1, found {p}")
        self.p = p

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x."""
        return x.dropout(self.p)


class Sequential(list[Any]):
    """Layers or functions, each called with the result of the one before.

    A list: `model[0]`, `model.append(…)`; the state's names are "0.weight" and so on.
    """

    def __init__(self, *layers: Any) -> None:
        super().__init__(layers)

    def __call__(self, x: Tensor) -> Any:
        """What the last layer gives."""
        return x.sequential(self)
