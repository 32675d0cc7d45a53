"""What networks are made of: activation functions, normalisation, attention.

Values and derivatives of activations at kinks are those of PyTorch; nothing overflows on the way.
Narrow floats are normalised in float32.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.tensor.kinds import accumulator, float_dtype, real
from rulewright.tensor.members import Members
from rulewright.tensor.products import product_dtype
from rulewright.tensor.shapes import node_iota, normal_axes, normal_axis, numel, same_size, show

if TYPE_CHECKING:
    from typing_extensions import Self

_NAME = "scaled_dot_product_attention"


class Neural(Members):
    """Activation functions, element by element; normalisation; attention."""

    __slots__ = ()

    # ---- made of pieces -------------------------------------------------------------------

    def relu(self) -> Self:
        """max(x, 0); NaN stays NaN, and the derivative at 0 is 0.

        >>> Tensor([-1.0, 2.0]).relu().tolist()
        [0.0, 2.0]
        """
        return (self <= 0).where(0, self)

    def relu6(self) -> Self:
        """`relu`, at most 6; the derivative at 6 is 0.

        >>> Tensor([-1.0, 2.0, 8.0]).relu6().tolist()
        [0.0, 2.0, 6.0]
        """
        return self.hardtanh(0, 6)

    def leaky_relu(self, neg_slope: float = 0.01) -> Self:
        """x, up to zero x * neg_slope.

        >>> Tensor([-1.0, 2.0]).leaky_relu(0.5).tolist()
        [-0.5, 2.0]
        """
        return (self > 0).where(self, self * neg_slope)

    def prelu(self, weight: Any) -> Self:
        """x, up to zero x * weight; a weight for each channel stands on axis 1, as in PyTorch.

        Raises ShapeError if their number is neither 1 nor that of the channels.

        >>> Tensor([[-1.0, -1.0]]).prelu(Tensor([0.5, 0.25])).tolist()
        [[-0.5, -0.25]]
        """
        slope = self._wrap(weight, "prelu weight")
        channels = self.shape[1] if self.ndim > 1 else 1
        if slope.ndim > 1 or (slope.ndim == 1 and slope.shape[0] not in (1, channels)):
            raise ShapeError(
                f"prelu: expected 1 weight or one for each channel, on axis 1 of "
                f"{show(self.shape)}; found {show(slope.shape)}"
            )
        if slope.ndim and slope.shape[0] != 1:
            slope = slope.reshape(-1, *(1 for _ in range(self.ndim - 2)))
        return (self > 0).where(self, self * slope)

    def threshold(self, threshold: float, value: float) -> Self:
        """x, up to `threshold` the given value.

        >>> Tensor([1.0, 3.0]).threshold(2.0, -1.0).tolist()
        [-1.0, 3.0]
        """
        return (self <= threshold).where(value, self)

    def hardtanh(self, min_val: float = -1, max_val: float = 1) -> Self:
        """x, at least min_val and at most max_val; the derivative at both is 0.

        Raises UsageError if min_val is above max_val.

        >>> Tensor([-3.0, 0.5, 3.0]).hardtanh().tolist()
        [-1.0, 0.5, 1.0]
        """
        if min_val > max_val:
            raise UsageError(f"hardtanh: min_val {min_val} is above max_val {max_val}")
        return (self <= min_val).where(min_val, (self >= max_val).where(max_val, self))

    def hardshrink(self, lambd: float = 0.5) -> Self:
        """x, but 0 from -lambd to lambd.

        >>> Tensor([-1.0, 0.25]).hardshrink().tolist()
        [-1.0, 0.0]
        """
        return (self >= -lambd).logical_and(self <= lambd).where(0, self)

    def softshrink(self, lambd: float = 0.5) -> Self:
        """x moved toward 0 by lambd, and 0 from -lambd to lambd. Raises UsageError for lambd < 0.

        >>> Tensor([-1.0, 0.25]).softshrink().tolist()
        [-0.5, 0.0]
        """
        if not lambd >= 0:
            raise UsageError(f"softshrink: expected lambd of 0 or more, found {lambd}")
        moved = (self > lambd).where(self - lambd, self + lambd)
        return (self >= -lambd).logical_and(self <= lambd).where(0, moved)

    @real
    def hardsigmoid(self) -> Self:
        """x / 6 + 1/2, at least 0 and at most 1.

        >>> Tensor([-4.0, 0.0, 1.5]).hardsigmoid().tolist()
        [0.0, 0.5, 0.75]
        """
        return (self / 6 + 0.5).hardtanh(0, 1)

    @real
    def hardswish(self) -> Self:
        """x * hardsigmoid(x).

        >>> Tensor([0.0, 1.5, 6.0]).hardswish().tolist()
        [0.0, 1.125, 6.0]
        """
        return self * self.hardsigmoid()

    # ---- with exponentials ----------------------------------------------------------------

    @real
    def elu(self, alpha: float = 1.0) -> Self:
        """x, up to zero alpha * (exp(x) - 1).

        >>> Tensor([-1.0, 2.0]).elu().double().round(4).tolist()
        [-0.6321, 2.0]
        """
        positive = self > 0
        return positive.where(self, alpha * positive.where(0, self).expm1())

    @real
    def celu(self, alpha: float = 1.0) -> Self:
        """x, up to zero alpha * (exp(x / alpha) - 1). Raises UsageError for an alpha of 0.

        >>> Tensor([-1.0, 2.0]).celu(2.0).double().round(4).tolist()
        [-0.7869, 2.0]
        """
        if alpha == 0:
            raise UsageError("celu: expected an alpha other than 0")
        positive = self > 0
        return positive.where(self, alpha * (positive.where(0, self) / alpha).expm1())

    @real
    def selu(self) -> Self:
        """Self-normalising elu (Klambauer et al., 2017).

        >>> Tensor([-1.0, 1.0]).selu().double().round(4).tolist()
        [-1.1113, 1.0507]
        """
        alpha, scale = 1.6732632423543772, 1.0507009873554805
        return scale * self.elu(alpha)

    @real
    def sigmoid(self) -> Self:
        """1 / (1 + exp(-x)), below zero exp(x) / (1 + exp(x)).

        >>> Tensor([-1000.0, 0.0, 1000.0]).sigmoid().tolist()
        [0.0, 0.5, 1.0]
        """
        negative = self < 0
        powers = negative.where(self, -self).exp()
        return negative.where(powers, 1) / (1 + powers)

    @real
    def logsigmoid(self) -> Self:
        """log(sigmoid(x)), without overflow.

        >>> Tensor([-1000.0, 0.0]).logsigmoid().double().round(4).tolist()
        [-1000.0, -0.6931]
        """
        return -(-self)._softplus()

    @real
    def silu(self) -> Self:
        """x * sigmoid(x).

        >>> Tensor([0.0, 2.0]).silu().double().round(4).tolist()
        [0.0, 1.7616]
        """
        return self * self.sigmoid()

    @real
    def quick_gelu(self) -> Self:
        """x * sigmoid(1.702 x).

        >>> Tensor([0.0, 2.0]).quick_gelu().double().round(4).tolist()
        [0.0, 1.9357]
        """
        return self * (self * 1.702).sigmoid()

    @real
    def gelu(self, approximate: str = "tanh") -> Self:
        """x times the normal distribution function of x (Hendrycks and Gimpel, 2016).

        approximate: "tanh", which differs by up to 5e-4, or "none". Raises UsageError for another.

        >>> Tensor([0.0, 2.0]).gelu("none").double().round(4).tolist()
        [0.0, 1.9545]
        """
        if approximate not in ("tanh", "none"):
            raise UsageError(f"gelu: approximate is 'tanh' or 'none', found {approximate!r}")
        if approximate == "none":
            return 0.5 * self * (1 + (self * math.sqrt(0.5)).erf())
        inner = math.sqrt(2 / math.pi) * (self + 0.044715 * self * self * self)
        return 0.5 * self * (1 + inner.tanh())

    @real
    def softplus(self, beta: float = 1.0, threshold: float = 20.0) -> Self:
        """log(1 + exp(beta x)) / beta, without overflow; x itself where beta x > threshold.

        >>> Tensor([0.0, 1000.0]).softplus().double().round(4).tolist()
        [0.6931, 1000.0]
        """
        x = self * beta
        return (x > threshold).where(self, x._softplus() / beta)

    def _softplus(self) -> Self:
        return self.maximum(0) + (-self.abs()).exp().log1p()

    @real
    def mish(self) -> Self:
        """x * tanh(softplus(x)).

        >>> Tensor([0.0, 2.0]).mish().double().round(4).tolist()
        [0.0, 1.944]
        """
        return self * self.softplus().tanh()

    @real
    def softsign(self) -> Self:
        """x / (1 + |x|).

        >>> Tensor([-3.0, 1.0]).softsign().tolist()
        [-0.75, 0.5]
        """
        return self / (1 + (self < 0).where(-self, self))

    @real
    def tanhshrink(self) -> Self:
        """x - tanh(x).

        >>> Tensor([0.0, 2.0]).tanhshrink().double().round(4).tolist()
        [0.0, 1.036]
        """
        return self - self.tanh()

    def glu(self, dim: int = -1) -> Self:
        """The first half of an axis times the sigmoid of the second (Dauphin et al., 2016).

        Raises ShapeError for an axis of an odd size.

        >>> Tensor([2.0, 0.0]).glu().tolist()
        [1.0]
        """
        at = normal_axis(dim, self.ndim, "glu")
        size = self.shape[at] if self.ndim else 1
        if not isinstance(size, int) or size % 2:
            raise ShapeError(f"glu: axis {at} of shape {show(self.shape)} does not halve")
        first, second = (self._narrowed(at, h) for h in ((0, size // 2), (size // 2, size)))
        return first * second.sigmoid()

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
        if same_size(self.shape[-1], 0):
            return self, self.sum(-1, keepdim=True) + 1
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
