"""Attention of several heads, called as PyTorch calls it."""

from __future__ import annotations

import math

from rulewright.nn import arguments
from rulewright.nn.attention import MultiHeadAttention
from rulewright.nn.layers import facts, uniform
from rulewright.tensor.tensor import Tensor

Mask = Tensor | None


class MultiheadAttention(MultiHeadAttention):
    """`MultiHeadAttention` with PyTorch's arguments, masks and results: tokens stand before the
    batch unless `batch_first`, masks say what is hidden, and the weights are given too.

    kdim, vdim: the sizes of keys and values, where they are not embed_dim; each projection has a
    weight of its own then, "q_proj_weight" and so on.
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, *,
        kdim: int | None = None, vdim: int | None = None, batch_first: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(embed_dim, num_heads, dropout, bias)
        name = type(self).__name__
        self.kdim = embed_dim if kdim is None else arguments.whole(name, "kdim", kdim, 1)
        self.vdim = embed_dim if vdim is None else arguments.whole(name, "vdim", vdim, 1)
        self.batch_first = arguments.flag(name, "batch_first", batch_first)
        if (self.kdim, self.vdim) != (embed_dim, embed_dim):
            del self.in_proj_weight
            for word, size in zip("qkv", (embed_dim, self.kdim, self.vdim), strict=True):
                weight = uniform(math.sqrt(6 / (embed_dim + size)), embed_dim, size)
                setattr(self, f"{word}_proj_weight", weight)

    def __call__(  # type: ignore[override]  # other arguments and results, which the name says
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Mask = None,
        need_weights: bool = True, attn_mask: Mask = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Mask]:  # fmt: skip
        """(tokens, batch, embed_dim), or without a batch, and the weights (batch, tokens, keys),
        of each head (batch, heads, tokens, keys) unless they are averaged; None instead of them
        unless `need_weights`.

        attn_mask (tokens, keys) or (batch * heads, tokens, keys), and key_padding_mask (batch,
        keys): bools say what is hidden, floats are added. is_causal: keys behind a token are
        hidden. Raises ShapeError for other shapes.
        """
        name = type(self).__name__
        flags = {"need_weights": need_weights, "average_attn_weights": average_attn_weights,
                 "is_causal": is_causal}  # fmt: skip
        for word, flag in flags.items():
            arguments.flag(name, word, flag)
        has_batch = arguments.tensor(name, "query", query).ndim != 2
        inputs = {"query": (query, self.embed_dim), "key": (key, self.kdim),
                  "value": (value, self.vdim)}  # fmt: skip
        heads = []
        for place, (word, (x, size)) in enumerate(inputs.items()):
            weight = vars(self).get(f"{word[0]}_proj_weight")
            heads.append(self._projected(self._turned(x, size, word, has_batch), place, weight))
        mask = self._added(heads, attn_mask, key_padding_mask, is_causal, has_batch)
        dropout = self.dropout if Tensor.training else 0.0
        weights: Mask = None
        if need_weights:
            scores = heads[0].matmul(heads[1].mT) / math.sqrt(int(heads[0].shape[-1]))
            weights = (scores if mask is None else scores + mask).softmax(-1).dropout(dropout)
            attended = weights.matmul(heads[2])
            weights = weights.mean(1) if average_attn_weights else weights
            weights = weights if has_batch else weights.squeeze(0)
        else:
            attended = heads[0].scaled_dot_product_attention(heads[1], heads[2], mask, dropout)
        joined = self.out_proj(attended.transpose(-3, -2).flatten(-2))
        if not has_batch:
            return joined.squeeze(0), weights
        return joined if self.batch_first else joined.transpose(0, 1), weights

    def _turned(self, x: Tensor, size: int, word: str, has_batch: bool) -> Tensor:
        """(batch, tokens, size)."""
        name = type(self).__name__
        if not has_batch:
            return arguments.sized(name, x, "tokens", size, name=word).unsqueeze(0)
        words = ("batch", "tokens") if self.batch_first else ("tokens", "batch")
        x = arguments.sized(name, x, *words, size, name=word)
        return x if self.batch_first else x.transpose(0, 1)

    def _added(
        self, heads: list[Tensor], attn_mask: Mask, padding: Mask, is_causal: bool, has_batch: bool
    ) -> Mask:
        """What masks add to scores (batch, heads, tokens, keys)."""
        name, (batch, count, tokens), keys = (
            type(self).__name__, heads[0].shape[:3], heads[1].shape[2])  # fmt: skip
        parts = []
        if attn_mask is not None:
            if arguments.tensor(name, "attn_mask", attn_mask).ndim == 2:
                parts.append(arguments.sized(name, attn_mask, tokens, keys, name="attn_mask"))
            else:
                sizes = (batch * count, tokens, keys)
                mask = arguments.sized(name, attn_mask, *sizes, name="attn_mask")
                parts.append(mask.unflatten(0, (batch, count)))
        elif is_causal:
            parts.append(Tensor.ones(tokens, keys, dtype="bool").triu(1))
        if padding is not None:
            wanted = (batch, keys)[not has_batch :]
            mask = arguments.sized(name, padding, *wanted, name="key_padding_mask")
            parts.append(mask.reshape(batch, 1, 1, keys))
        added = [m.where(-math.inf, 0.0).cast(heads[0].dtype) if m.dtype.is_bool else m
                 for m in parts]  # fmt: skip
        return sum(added[1:], added[0]) if added else None

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        size = self.embed_dim
        shown = facts(kdim=(self.kdim, size), vdim=(self.vdim, size),
                      batch_first=(self.batch_first, False))  # fmt: skip
        return f"{super().extra_repr()}, {shown}" if shown else super().extra_repr()
