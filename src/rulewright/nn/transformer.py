"""Layers of a transformer (Vaswani et al., 2017): attention, then two linear layers, each added to
what goes in and normalised. Names, arguments and masks are PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from rulewright.nn import arguments
from rulewright.nn.attention import MultiHeadAttention
from rulewright.nn.layers import Layer, Linear, facts
from rulewright.nn.norms import LayerNorm
from rulewright.tensor.tensor import Tensor

Mask = Tensor | None
_ACTIVATIONS = {"relu": Tensor.relu, "gelu": lambda x: x.gelu("none")}


class _TransformerLayer(Layer):
    """What the layers of encoders and decoders have in common."""

    CROSS = False
    """Whether there is attention to what an encoder gives, too."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Callable[[Any], Any] = "relu", layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True,
    ) -> None:  # fmt: skip
        name = type(self).__name__
        self.batch_first = arguments.flag(name, "batch_first", batch_first)
        self.norm_first = arguments.flag(name, "norm_first", norm_first)
        if not callable(activation):
            words = tuple(_ACTIVATIONS)
            activation = _ACTIVATIONS[arguments.choice(name, "activation", activation, *words)]
        self.activation, self.nhead = activation, nhead
        self.dropout = arguments.number(name, "dropout", dropout, 0, 1)
        width = arguments.whole(name, "dim_feedforward", dim_feedforward, 1)
        self.self_attn = MultiHeadAttention(d_model, nhead, dropout, bias)
        if self.CROSS:
            self.multihead_attn = MultiHeadAttention(d_model, nhead, dropout, bias)
        self.linear1, self.linear2 = Linear(d_model, width, bias), Linear(width, d_model, bias)
        self.norm1, self.norm2 = (LayerNorm(d_model, layer_norm_eps, bias=bias) for _ in range(2))
        if self.CROSS:
            self.norm3 = LayerNorm(d_model, layer_norm_eps, bias=bias)

    def _turned(self, x: Tensor, name: str) -> Tensor:
        """(batch, tokens, d_model), and back."""
        size = self.self_attn.embed_dim
        words = ("batch", "tokens") if self.batch_first else ("tokens", "batch")
        x = arguments.sized(type(self).__name__, x, *words, size, name=name)
        return x if self.batch_first else x.transpose(0, 1)

    def _attention(
        self, layer: MultiHeadAttention, mask: Mask, padding: Mask, is_causal: bool
    ) -> Callable[[Tensor, Tensor], Tensor]:
        """A function of what asks and what is asked. A mask says all that `is_causal` would."""
        seen = mask
        if mask is not None:
            arguments.tensor(type(self).__name__, "mask", mask)
            seen = mask.logical_not() if mask.dtype.is_bool else mask
            seen = seen.unflatten(0, (-1, self.nhead)) if seen.ndim == 3 else seen
        causal = arguments.flag(type(self).__name__, "is_causal", is_causal) and mask is None
        return lambda x, y: layer(x, y, y, seen, causal, padding)

    def _added(self, x: Tensor, norm: LayerNorm, part: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + part(norm(x)).dropout(self.dropout)
        return norm(x + part(x).dropout(self.dropout))

    def _feed(self, x: Tensor) -> Tensor:
        return self.linear2(self.activation(self.linear1(x)).dropout(self.dropout))

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        return facts(
            d_model=(self.linear1.in_features, None), nhead=(self.nhead, None),
            dim_feedforward=(self.linear1.out_features, 2048), dropout=(self.dropout, 0.1),
            batch_first=(self.batch_first, False), norm_first=(self.norm_first, False),
        )  # fmt: skip


class TransformerEncoderLayer(_TransformerLayer):
    """Self-attention and two linear layers over (tokens, batch, d_model), or with `batch_first`
    (batch, tokens, d_model).

    activation: "relu", "gelu" (by erf) or a function. norm_first: what goes into each part is
    normalised, rather than what comes out.
    """

    def __call__(
        self, src: Tensor, src_mask: Mask = None, src_key_padding_mask: Mask = None,
        is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        """As src in shape. src_mask (tokens, tokens) or (batch * nhead, tokens, tokens): bools say
        what is hidden, floats are added. src_key_padding_mask (batch, tokens): bools say which
        tokens are hidden from all. is_causal: those after a token are hidden from it.

        Raises ShapeError for other shapes.
        """
        attend = self._attention(self.self_attn, src_mask, src_key_padding_mask, is_causal)
        x = self._added(self._turned(src, "src"), self.norm1, lambda y: attend(y, y))
        return self._turned(self._added(x, self.norm2, self._feed), "src")


class TransformerDecoderLayer(_TransformerLayer):
    """`TransformerEncoderLayer` with attention to `memory`, what an encoder gives, in between."""

    CROSS = True

    def __call__(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Mask = None, memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None,
        tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        """As tgt in shape; masks as of `TransformerEncoderLayer`."""
        own = self._attention(self.self_attn, tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = self._attention(
            self.multihead_attn, memory_mask, memory_key_padding_mask, memory_is_causal
        )
        keys = self._turned(memory, "memory")
        x = self._added(self._turned(tgt, "tgt"), self.norm1, lambda y: own(y, y))
        x = self._added(x, self.norm2, lambda y: other(y, keys))
        return self._turned(self._added(x, self.norm3, self._feed), "tgt")


class _Stack(Layer):
    """Copies of a layer one after the other, and a norm behind them if there is one."""

    def __init__(self, layer: Any, num_layers: int, norm: Any = None) -> None:
        name = type(self).__name__
        arguments.called(name, "layer", layer)
        count = arguments.whole(name, "num_layers", num_layers, 1)
        self.layers = [deepcopy(layer) for _ in range(count)]
        self.norm = None if norm is None else arguments.called(name, "norm", norm)

    def _run(self, x: Tensor, *others: Any, **named: Any) -> Tensor:
        for layer in self.layers:
            x = layer(x, *others, **named)
        return x if self.norm is None else self.norm(x)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        return facts(self.layers[0], num_layers=(len(self.layers), None), norm=(self.norm, None))


class TransformerEncoder(_Stack):
    """Copies of an encoder's layer, and a norm behind them if there is one."""

    def __call__(
        self, src: Tensor, mask: Mask = None, src_key_padding_mask: Mask = None,
        is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        """As src in shape; masks as of `TransformerEncoderLayer`."""
        return self._run(src, mask, src_key_padding_mask, is_causal)


class TransformerDecoder(_Stack):
    """Copies of a decoder's layer, and a norm behind them if there is one."""

    def __call__(self, tgt: Tensor, memory: Tensor, *masks: Any, **named: Any) -> Tensor:
        """As tgt in shape; masks as of `TransformerDecoderLayer`."""
        return self._run(tgt, memory, *masks, **named)
