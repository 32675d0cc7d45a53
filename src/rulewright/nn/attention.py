"""Attention of several heads as a layer."""

from __future__ import annotations

import math

from rulewright.errors import ShapeError, UsageError
from rulewright.nn.layers import Linear, filled, uniform
from rulewright.tensor.shapes import show
from rulewright.tensor.tensor import Tensor


class MultiHeadAttention:
    """Attention of `num_heads` heads over (batch, tokens, embed_dim) (Vaswani et al., 2017).

    `in_proj_weight` (3 * embed_dim, embed_dim) makes queries, keys and values, `out_proj` joins
    the heads: PyTorch's names, so that its checkpoints fit. The weights begin as PyTorch's, the
    biases zero.
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        if num_heads < 1 or embed_dim % num_heads:
            raise UsageError(f"MultiHeadAttention: {num_heads} heads must divide {embed_dim}")
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        bound = math.sqrt(6 / (4 * embed_dim))  # of Glorot and Bengio, for all three at once
        self.in_proj_weight = uniform(bound, 3 * embed_dim, embed_dim)
        self.in_proj_bias = filled(0, 3 * embed_dim) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias)
        if bias:
            self.out_proj.bias = filled(0, embed_dim)

    def __call__(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        attn_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """(batch, tokens, embed_dim); the key is the query unless given, the value the key.

        attn_mask: see `Tensor.scaled_dot_product_attention`; bools say what is seen. Raises
        ShapeError for other shapes.
        """
        key = query if key is None else key
        value = key if value is None else value
        heads = [self._heads(x, place) for place, x in enumerate((query, key, value))]
        dropout = self.dropout if Tensor.training else 0.0
        found = heads[0].scaled_dot_product_attention(
            heads[1], heads[2], attn_mask, dropout, is_causal
        )
        return self.out_proj(found.transpose(-3, -2).flatten(-2))

    def _heads(self, x: Tensor, place: int) -> Tensor:
        """(batch, heads, tokens, size of a head)."""
        size = self.embed_dim
        if x.ndim != 3 or x.shape[-1] != size:
            raise ShapeError(
                f"MultiHeadAttention: expected (batch, tokens, {size}), found {show(x.shape)}"
            )
        rows = slice(place * size, (place + 1) * size)
        bias = None if self.in_proj_bias is None else self.in_proj_bias[rows]
        found = x.linear(self.in_proj_weight[rows].T, bias)
        return found.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)
