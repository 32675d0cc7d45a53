"""What networks are made of besides products: pixels, normalisation, attention.

Nothing overflows on the way. Narrow floats are normalised in float32.
"""

from __future__ import annotations

import math
from typing import Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.tensor.kinds import accumulator, float_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.patterns import patterned
from rulewright.tensor.products import product_dtype
from rulewright.tensor.shapes import node_iota, normal_axes, numel, same_size, show

_NAME = "scaled_dot_product_attention"


class Neural(Members):
    """Pixels moved into channels and back; normalisation; attention."""

    __slots__ = ()

    # ---- pixels ---------------------------------------------------------------------------

    def pixel_shuffle(self, upscale_factor: int) -> Self:
        """(…, C r², H, W) as (…, C, H r, W r): r² channels become r by r pixels (Shi et al., 2016).

        Raises ShapeError for channels that r² does not divide.

        >>> Tensor([[[1]], [[2]], [[3]], [[4]]]).pixel_shuffle(2).tolist()
        [[[1, 2], [3, 4]]]
        """
        r = _factor(upscale_factor, "pixel_shuffle")
        *lead, channels, rows, columns = self._image("pixel_shuffle")
        if not isinstance(channels, int) or channels % (r * r):
            raise ShapeError(
                f"pixel_shuffle: {r * r} does not divide the {channels} channels of shape "
                f"{show(self.shape)}"
            )
        parts = self.reshape([*lead, channels // (r * r), r, r, rows, columns])
        n = len(lead)
        placed = parts.permute([*range(n), *(n + i for i in (0, 3, 1, 4, 2))])
        return placed.reshape([*lead, channels // (r * r), rows * r, columns * r])._equal()

    def pixel_unshuffle(self, downscale_factor: int) -> Self:
        """(…, C, H r, W r) as (…, C r², H, W), as `pixel_shuffle` undoes it.

        Raises ShapeError for rows and columns that r does not divide.

        >>> Tensor([[[1, 2], [3, 4]]]).pixel_unshuffle(2).tolist()
        [[[1]], [[2]], [[3]], [[4]]]
        """
        r = _factor(downscale_factor, "pixel_unshuffle")
        *lead, channels, rows, columns = self._image("pixel_unshuffle")
        if not all(isinstance(size, int) and size % r == 0 for size in (rows, columns)):
            raise ShapeError(
                f"pixel_unshuffle: {r} does not divide rows and columns of shape {show(self.shape)}"
            )
        parts = self.reshape([*lead, channels, rows // r, r, columns // r, r])
        n = len(lead)
        placed = parts.permute([*range(n), *(n + i for i in (0, 2, 4, 1, 3))])
        return placed.reshape([*lead, channels * r * r, rows // r, columns // r])._equal()

    def _image(self, method: str) -> tuple[Any, ...]:
        if self.ndim < 3:
            raise ShapeError(f"{method}: expected (…, C, H, W), found shape {show(self.shape)}")
        return self.shape

    # ---- normalisation ---------------------------------------------------------------------

    @patterned
    def layernorm(self, axis: Any = -1, eps: float = 1e-5) -> Self:
        """(x - mean) / sqrt(variance + eps) over axes (Ba et al., 2016).

        >>> Tensor([1.0, 3.0]).layernorm(eps=0).tolist()
        [-1.0, 1.0]
        """
        kind = float_dtype(self.dtype)
        x = self.cast(accumulator(kind))
        centred = x - x.mean(axis, keepdim=True)
        scale = (centred.square().mean(axis, keepdim=True) + eps).rsqrt()
        return (centred * scale).cast(kind)

    def groupnorm(
        self, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
    ) -> Self:
        """`layernorm` of each group of channels of x (N, C, …), then scaled and shifted by weight
        and bias (C,) if given (Wu and He, 2018).

        Raises ShapeError unless the groups divide the channels.

        >>> Tensor([[1.0, 3.0, 5.0, 9.0]]).groupnorm(2, eps=0).tolist()
        [[-1.0, 1.0, -1.0, 1.0]]
        """
        if self.ndim < 2 or num_groups < 1 or int(self.shape[1]) % num_groups:
            raise ShapeError(
                f"groupnorm: expected (N, C, …) with C a multiple of {num_groups} groups, "
                f"found {show(self.shape)}"
            )
        if 0 in self.shape:
            return self._scaled_along(weight, bias, (1,), "groupnorm")
        groups = self.reshape([self.shape[0], num_groups, -1])
        result = groups.layernorm(-1, eps).reshape(self.shape)
        return result._scaled_along(weight, bias, (1,), "groupnorm")

    def rms_norm(self, axis: Any = -1, weight: Any = None, eps: float | None = None) -> Self:
        """x / sqrt(mean(x²) + eps) over axes, times weight, which broadcasts (Zhang and Sennrich,
        2019). eps: the epsilon of the dtype unless given.

        >>> Tensor([1.0, 7.0]).rms_norm(eps=0).tolist()
        [0.2..., 1.39...]
        """
        kind = float_dtype(self.dtype)
        x = self.cast(accumulator(kind))
        small = 2.0 ** -kind.row["mantissa"] if eps is None else eps
        result = (x * (x.square().mean(axis, keepdim=True) + small).rsqrt()).cast(kind)
        return result if weight is None else result * self._wrap(weight, "rms_norm weight")

    def batchnorm(self, weight: Any, bias: Any, mean: Any, invstd: Any, axis: Any = 1) -> Self:
        """(x - mean) * invstd * weight + bias, each a tensor along `axis` (one or several);
        weight and bias may be None (Ioffe and Szegedy, 2015).

        >>> x = Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.batchnorm(None, None, x.mean(0), Tensor([1.0, 1.0])).tolist()
        [[-1.0, -1.0], [1.0, 1.0]]
        """
        axes = normal_axes(axis, self.ndim, "batchnorm")
        shape = [s if i in axes else 1 for i, s in enumerate(self.shape)]
        centred = self - self._wrap(mean, "batchnorm mean").reshape(shape)
        factor = self._wrap(invstd, "batchnorm invstd")
        spread = factor.reshape(shape) if factor.ndim == len(axes) else factor
        return (centred * spread)._scaled_along(weight, bias, axes, "batchnorm")

    def _scaled_along(self, weight: Any, bias: Any, axes: tuple[int, ...], method: str) -> Self:
        result = self
        if weight is not None:
            result = result * self._along(weight, axes, f"{method} weight")
        return result if bias is None else result + self._along(bias, axes, f"{method} bias")

    def _along(self, value: Any, axes: tuple[int, ...], name: str) -> Any:
        """A tensor along some axes. Raises ShapeError unless it has their sizes."""
        tensor, wanted = self._wrap(value, name), [self.shape[i] for i in axes]
        sizes = [s for s in tensor.shape if not same_size(s, 1)]
        if len(sizes) > len(axes) or numel(tensor.shape) != numel(wanted):
            raise ShapeError(f"{name}: expected shape {show(wanted)}, found {show(tensor.shape)}")
        return tensor.reshape([s if i in axes else 1 for i, s in enumerate(self.shape)])

    # ---- attention -------------------------------------------------------------------------

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
        size = self.shape[-1]
        if same_size(size, 0):
            return self, self.sum(-1, keepdim=True) + 1
        some = some and (isinstance(size, int) or size.vmin > 0)
        top = self.max(-1, keepdim=True)
        base = top if some else top.eq(-math.inf).where(0, top)
        powers = (self - self._new(base.uop.detach())).exp()
        total = powers.sum(-1, keepdim=True)
        return powers, total if some else total.eq(0).where(1, total)


def _factor(factor: int, method: str) -> int:
    if not isinstance(factor, int) or factor < 1:
        raise UsageError(f"{method}: expected a known factor of 1 or more, found {factor}")
    return factor


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
