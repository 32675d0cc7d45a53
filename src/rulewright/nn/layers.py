"""Layers: objects with parameters, called with a tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rulewright.errors import ShapeError, UsageError
from rulewright.tensor.shapes import show, tuple_of
from rulewright.tensor.tensor import Tensor


class Linear:
    """x @ weight.T + bias, for x (…, in_features).

    `weight` is (out_features, in_features), `bias` (out_features,) or None; both begin uniform
    in ±1/sqrt(in_features), as in PyTorch.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        bound = 1 / math.sqrt(max(in_features, 1))
        self.weight = _uniform(bound, out_features, in_features)
        self.bias = _uniform(bound, out_features) if bias else None

    def __call__(self, x: Tensor) -> Tensor:
        """(…, out_features). Raises ShapeError unless the last axis is in_features."""
        wanted = self.weight.shape[1]
        if not x.ndim or x.shape[-1] != wanted:
            raise ShapeError(f"Linear: expected x (…, {wanted}), found {show(x.shape)}")
        return x.linear(self.weight.T, self.bias)


class Conv2d:
    """Convolution of x (N, in_channels, H, W); see `Tensor.conv2d`.

    padding: one number, one an axis, or "same" for stride 1. `weight` is (out_channels,
    in_channels / groups, kernel…), `bias` (out_channels,) or None.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] | str = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        size = tuple_of(kernel_size, 2, "Conv2d", "kernel_size", 1)
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise UsageError(
                f"Conv2d: {groups} groups must divide {in_channels} and {out_channels} channels"
            )
        self.stride, self.dilation, self.groups = stride, dilation, groups
        if isinstance(padding, str) and padding != "same":
            raise UsageError(f"Conv2d: padding is numbers or 'same', found {padding!r}")
        same = isinstance(padding, str)
        self.padding: Any = _same_padding(size, stride, dilation) if same else padding
        fan_in = in_channels // groups * math.prod(size)
        bound = 1 / math.sqrt(fan_in)
        self.weight = _uniform(bound, out_channels, in_channels // groups, *size)
        self.bias = _uniform(bound, out_channels) if bias else None

    def __call__(self, x: Tensor) -> Tensor:
        """(N, out_channels, H', W')."""
        return x.conv2d(
            self.weight, self.bias, self.groups, self.stride, self.dilation, self.padding
        )


class BatchNorm:
    """Each channel (axis 1) with mean 0 and variance 1 over the batch, then scaled and shifted.

    While `Tensor.training`, statistics are those of the batch, and running ones are updated;
    otherwise the running ones are used. `weight` and `bias` are (num_features,) if `affine`.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        affine: bool = True,
        track_running_stats: bool = True,
        momentum: float = 0.1,
    ) -> None:
        self.eps, self.momentum = eps, momentum
        self.track_running_stats = track_running_stats
        self.weight = Tensor.ones(num_features, requires_grad=True) if affine else None
        self.bias = Tensor.zeros(num_features, requires_grad=True) if affine else None
        if track_running_stats:
            self.running_mean = Tensor.zeros(num_features).clone()
            self.running_var = Tensor.ones(num_features).clone()

    def __call__(self, x: Tensor) -> Tensor:
        """The same shape as x, (N, num_features, …)."""
        if Tensor.training or not self.track_running_stats:
            mean, var = self._batch_statistics(x)
        else:
            mean, var = self.running_mean, self.running_var
        return x.batchnorm(self.weight, self.bias, mean, (var + self.eps).rsqrt())

    def _batch_statistics(self, x: Tensor) -> tuple[Tensor, Tensor]:
        axes = tuple(i for i in range(x.ndim) if i != 1)
        mean, var = x.mean(axes), x.var(axes, correction=0)
        if self.track_running_stats and Tensor.training:
            count = math.prod(int(x.shape[i]) for i in axes)
            unbiased = var.detach() * (count / max(count - 1, 1))
            keep = 1 - self.momentum
            self.running_mean.assign(self.running_mean * keep + mean.detach() * self.momentum)
            self.running_var.assign(self.running_var * keep + unbiased * self.momentum)
        return mean, var


BatchNorm2d = BatchNorm


class LayerNorm:
    """The last axes with mean 0 and variance 1, then scaled and shifted.

    normalized_shape: the size of the last axis, or of several. `weight` and `bias` have that
    shape, or are None.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
    ) -> None:
        sizes = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        shape = tuple(sizes)
        self.normalized_shape, self.eps = shape, eps
        self.weight = Tensor.ones(*shape, requires_grad=True) if elementwise_affine else None
        self.bias = Tensor.zeros(*shape, requires_grad=True) if elementwise_affine else None

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError unless x ends in `normalized_shape`."""
        rank = len(self.normalized_shape)
        if x.shape[-rank:] != self.normalized_shape:
            raise ShapeError(
                f"LayerNorm: expected x (…, {', '.join(map(str, self.normalized_shape))}), "
                f"found {show(x.shape)}"
            )
        found = x.layernorm(tuple(range(-rank, 0)), self.eps)
        if self.weight is None or self.bias is None:
            return found
        return found * self.weight + self.bias


class Embedding:
    """Rows of a table: class numbers (…) become (…, embed_size)."""

    def __init__(self, vocab_size: int, embed_size: int) -> None:
        self.weight = Tensor.glorot_uniform(vocab_size, embed_size, requires_grad=True)

    def __call__(self, positions: Tensor) -> Tensor:
        """Rows of the table. Raises UsageError unless the positions are integers."""
        return positions.embedding(self.weight)


def _uniform(bound: float, *shape: int) -> Tensor:
    return Tensor.uniform(*shape, low=-bound, high=bound, requires_grad=True)


def _same_padding(
    size: Sequence[int], stride: int | Sequence[int], dilation: int | Sequence[int]
) -> tuple[int, ...]:
    """PyTorch's order: (left, right, top, bottom)."""
    if set(tuple_of(stride, 2, "Conv2d", "stride", 1)) != {1}:
        raise UsageError(f"Conv2d: padding 'same' needs stride 1, found {stride}")
    spread = tuple_of(dilation, 2, "Conv2d", "dilation", 1)
    totals = [d * (k - 1) for d, k in zip(spread, size, strict=True)]
    return tuple(p for t in reversed(totals) for p in (t // 2, t - t // 2))
