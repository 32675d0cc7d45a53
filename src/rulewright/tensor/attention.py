"""Attention: weighted means of values, weighed by how well keys fit queries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.members import Members
from rulewright.tensor.nodes import node_iota
from rulewright.tensor.products import product_dtype
from rulewright.tensor.shapes import same_size, show

if TYPE_CHECKING:
    from typing_extensions import Self

_NAME = "scaled_dot_product_attention"


class Attention(Members):
    """scaled_dot_product_attention."""

    __slots__ = ()

    def scaled_dot_product_attention(
        self,
        key: Any,
        value: Any,
        attn_mask: Any = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        enable_gqa: bool = False,
        scale: float | None = None,
    ) -> Self:
        """softmax(query @ keyᵀ * scale + mask) @ value (Vaswani et al., 2017).

        This is the query (…, L, e), key (…, S, e), value (…, S, v); the result is (…, L, v).
        attn_mask broadcasts to (…, L, S): bools say what is seen, floats are added; a query that
        sees nothing gives zeros. is_causal: query i sees keys 0 to i. dropout_p: see `dropout`.
        enable_gqa: axis -3 of key and value may be smaller, each head of them serving several in
        a row. scale: 1/sqrt(e) unless given. Scores are kept in float32 or wider. Values that a
        query does not see weigh nothing: infinities and NaN among them may be read or not. Raises
        ShapeError if shapes do not fit, DTypeError for a mask of integers, UsageError for both
        attn_mask and is_causal.

        >>> x = Tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> x.scaled_dot_product_attention(x, x, is_causal=True)[0].tolist()
        [1.0, 0.0]
        """
        keys, values = (self._other(t, f"{_NAME} {n}") for n, t in (("key", key), ("value", value)))
        _check_options(attn_mask, is_causal, dropout_p)
        _check_attention(self.shape, keys.shape, values.shape)
        if enable_gqa:
            heads = self.shape[-3] if self.ndim > 2 else 0
            keys, values = (t._heads(heads) for t in (keys, values))
        kind = product_dtype(_NAME, None, self.dtype, keys.dtype, values.dtype)
        features = max(int(self.shape[-1]), 1)  # of none all scores are 0
        factor = 1 / math.sqrt(features) if scale is None else scale
        scores = self.matmul(keys.mT, accumulator(kind)) * factor
        if is_causal:
            scores = scores._causal().where(scores, -math.inf)
        powers, total = scores._attended(attn_mask)
        weights = powers.cast(kind)
        weights = weights.dropout(dropout_p) if dropout_p else weights
        # a mean is divided once for each of its elements, and not once for each weight
        return (weights.matmul(values, accumulator(kind)) / total).cast(kind)

    def _attended(self, attn_mask: Any) -> tuple[Self, Self]:
        """Weights of scores and their sums: zeros and 1 where the mask hides all."""
        if attn_mask is None:
            return self._powers()
        mask = self._other(attn_mask, f"{_NAME} attn_mask")
        if mask.dtype.is_int:
            raise DTypeError(
                f"{_NAME}: expected attn_mask of bools or floats, found {mask.dtype.name}"
            )
        seen = mask.where(self, -math.inf) if mask.dtype.is_bool else self + mask
        return seen.cast(self.dtype)._powers(some=False)

    def _heads(self, count: Any) -> Self:
        """Heads (axis -3) repeated to a number of them."""
        own = self.shape[-3] if self.ndim > 2 else 0
        if not isinstance(own, int) or not own or int(count) % own:
            raise ShapeError(
                f"{_NAME}: {own} heads of keys and values must divide {count} heads of queries"
            )
        return self.repeat_interleave(int(count) // own, -3)

    def _causal(self) -> Self:
        """Where the last axis is not beyond the one before it, as bools."""
        shape = self.shape
        row = node_iota(shape[-2], self.ndim - 2, shape)
        column = node_iota(shape[-1], self.ndim - 1, shape)
        return self._new(column <= row)

    def _powers(self, some: bool = True) -> tuple[Self, Self]:
        """exp(x - max) along the last axis and its sum; if not `some`, all may be minus infinity,
        which gives zeros and 1. So does an axis of no elements."""
        if same_size(self.shape[-1], 0):
            return self, self.sum(-1, keepdim=True) + 1
        top = self.max(-1, keepdim=True)
        base = top if some else top.eq(-math.inf).where(0, top)
        powers = (self - self._new(base.uop.detach())).exp()
        total = powers.sum(-1, keepdim=True)
        return powers, total if some else total.eq(0).where(1, total)


def _check_attention(query: Any, key: Any, value: Any) -> None:
    fits = min(map(len, (query, key, value))) >= 2 and (
        same_size(query[-1], key[-1]) and same_size(key[-2], value[-2])
    )
    if not fits:
        raise ShapeError(
            "scaled_dot_product_attention: expected query (…, L, e), key (…, S, e) and "
            f"value (…, S, v), found {show(query)}, {show(key)} and {show(value)}"
        )


def _check_options(attn_mask: Any, is_causal: bool, dropout_p: float) -> None:
    if attn_mask is not None and is_causal:
        raise UsageError(
            f"{_NAME}: expected attn_mask or is_causal, found both; "
            "put what is_causal hides into the mask"
        )
    if not 0 <= dropout_p <= 1:
        raise UsageError(
            f"{_NAME}: expected dropout_p as a probability from 0 to 1, found {dropout_p}"
        )
