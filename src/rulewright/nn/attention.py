"""Attention of several heads as a layer."""

from __future__ import annotations

import math

from rulewright.errors import UsageError
from rulewright.nn import arguments
from rulewright.nn.layers import Layer, Linear, facts, filled, uniform
from rulewright.tensor.tensor import Tensor


class MultiHeadAttention(Layer):
    """Attention of `num_heads` heads over (batch, tokens, embed_dim) (Vaswani et al., 2017).

    `in_proj_weight` (3 * embed_dim, embed_dim) makes queries, keys and values, `out_proj` joins
    the heads: PyTorch's names, so that its checkpoints fit. The weights begin as PyTorch's, the
    biases zero.
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        name = type(self).__name__
        self.embed_dim = arguments.whole(name, "embed_dim", embed_dim, 1)
        self.num_heads = arguments.whole(name, "num_heads", num_heads, 1)
        self.dropout = arguments.number(name, "dropout", dropout, 0, 1)
        arguments.flag(name, "bias", bias)
        if embed_dim % num_heads:
            raise UsageError(f"{name}: {num_heads} heads must divide {embed_dim}")
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
        key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        """(batch, tokens, embed_dim); the key is the query unless given, the value the key.

        attn_mask: see `Tensor.scaled_dot_product_attention`; bools say what is seen.
        key_padding_mask (batch, keys): bools say which keys are hidden, as in PyTorch. Raises
        ShapeError for other shapes.
        """
        name = type(self).__name__
        if attn_mask is not None:
            arguments.tensor(name, "attn_mask", attn_mask)
        arguments.flag(name, "is_causal", is_causal)
        key = query if key is None else key
        value = key if value is None else value
        heads = [self._heads(x, place) for place, x in enumerate((query, key, value))]
        if key_padding_mask is not None:
            arguments.sized(name, key_padding_mask, *key.shape[:2], name="key_padding_mask")
            if not key_padding_mask.dtype.is_bool:
                raise arguments.wrong(name, "key_padding_mask", "bools", key_padding_mask)
            if is_causal and attn_mask is None:
                sizes = (query.shape[1], key.shape[1])
                attn_mask, is_causal = Tensor.ones(*sizes, dtype="bool").tril(), False
            hidden = key_padding_mask[:, None, None]
            if attn_mask is None or attn_mask.dtype.is_bool:
                seen = hidden.logical_not()
                attn_mask = seen if attn_mask is None else seen & attn_mask
            else:
                attn_mask = hidden.where(-math.inf, attn_mask)
        dropout = self.dropout if Tensor.training else 0.0
        attended = heads[0].scaled_dot_product_attention(
            heads[1], heads[2], attn_mask, dropout, is_causal
        )
        return self.out_proj(attended.transpose(-3, -2).flatten(-2))

    def _heads(self, x: Tensor, place: int) -> Tensor:
        """(batch, heads, tokens, size of a head)."""
        which = ("query", "key", "value")[place]
        arguments.sized(type(self).__name__, x, "batch", "tokens", self.embed_dim, name=which)
        return self._projected(x, place, None)

    def _projected(self, x: Tensor, place: int, weight: Tensor | None) -> Tensor:
        """`_heads` by a weight, or by its part of the one for all three."""
        rows = slice(place * self.embed_dim, (place + 1) * self.embed_dim)
        weight = self.in_proj_weight[rows] if weight is None else weight
        bias = None if self.in_proj_bias is None else self.in_proj_bias[rows]
        return x.linear(weight.T, bias).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        bias = self.in_proj_bias is not None
        return facts(
            embed_dim=(self.embed_dim, None),
            num_heads=(self.num_heads, None),
            dropout=(self.dropout, 0.0),
            bias=(bias, True),
        )
