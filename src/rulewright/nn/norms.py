"""Normalisation as layers, with a learnt scale and shift."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from rulewright.errors import ShapeError
from rulewright.nn.layers import filled
from rulewright.tensor.shapes import show
from rulewright.tensor.tensor import Tensor


class BatchNorm:
    """Each channel (axis 1) with mean 0 and variance 1 over the batch, then scaled and shifted.

    While `Tensor.training`, statistics are those of the batch, and running ones are updated by
    `momentum` (None: each batch counts the same); otherwise the running ones are used. `weight`
    and `bias` are (num_features,) if `affine`.
    """

    BUFFERS: ClassVar[tuple[str, ...]] = ("running_mean", "running_var", "num_batches_tracked")
    ranks: ClassVar[tuple[int, ...]] = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        affine: bool = True,
        track_running_stats: bool = True,
        momentum: float | None = 0.1,
    ) -> None:
        self.eps, self.momentum, self.num_features = eps, momentum, num_features
        self.track_running_stats = track_running_stats
        self.weight = filled(1, num_features) if affine else None
        self.bias = filled(0, num_features) if affine else None
        if track_running_stats:
            self.running_mean = Tensor.zeros(num_features).clone()
            self.running_var = Tensor.ones(num_features).clone()
            self.num_batches_tracked = Tensor.zeros(dtype="int64").clone()

    def __call__(self, x: Tensor) -> Tensor:
        """The same shape as x, (N, num_features, …). Raises ShapeError for another shape."""
        if x.ndim not in self.ranks or x.shape[1] != self.num_features:
            raise ShapeError(
                f"{type(self).__name__}: expected x (N, {self.num_features}, …) of "
                f"{' or '.join(map(str, self.ranks))} axes, found {show(x.shape)}"
            )
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
            self.num_batches_tracked.assign(self.num_batches_tracked + 1)
            for running, new in ((self.running_mean, mean.detach()), (self.running_var, unbiased)):
                share = self.momentum
                if share is None:
                    running.assign(running + (new - running) / self.num_batches_tracked)
                else:
                    running.assign((running * (1 - share) + new * share).cast(running.dtype))
        return mean, var


class BatchNorm1d(BatchNorm):
    """`BatchNorm` of x (N, C) or (N, C, L)."""

    ranks = (2, 3)


class BatchNorm2d(BatchNorm):
    """`BatchNorm` of x (N, C, H, W)."""

    ranks = (4,)


class BatchNorm3d(BatchNorm):
    """`BatchNorm` of x (N, C, D, H, W)."""

    ranks = (5,)


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
        bias: bool = True,
    ) -> None:
        sizes = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        shape = tuple(sizes)
        self.normalized_shape, self.eps = shape, eps
        self.weight = filled(1, *shape) if elementwise_affine else None
        self.bias = filled(0, *shape) if elementwise_affine and bias else None

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError unless x ends in `normalized_shape`."""
        rank = len(self.normalized_shape)
        if x.shape[-rank:] != self.normalized_shape:
            raise ShapeError(
                f"{type(self).__name__}: expected x (…, "
                f"{', '.join(map(str, self.normalized_shape))}), found {show(x.shape)}"
            )
        found = x.layernorm(tuple(range(-rank, 0)), self.eps)
        found = found if self.weight is None else found * self.weight
        return found if self.bias is None else found + self.bias


class LayerNorm2d(LayerNorm):
    """`LayerNorm` over the channels of x (N, C, H, W) at each place."""

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError unless axis 1 has the given size."""
        if x.ndim != 4:
            raise ShapeError(f"LayerNorm2d: expected x (N, C, H, W), found {show(x.shape)}")
        return super().__call__(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class GroupNorm:
    """Groups of channels of x (N, num_channels, …) with mean 0 and variance 1, then scaled and
    shifted by `weight` and `bias` (num_channels,) if `affine`."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True
    ) -> None:
        if num_groups < 1 or num_channels % num_groups:
            raise ShapeError(
                f"{type(self).__name__}: {num_groups} groups must divide {num_channels} channels"
            )
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight = filled(1, num_channels) if affine else None
        self.bias = filled(0, num_channels) if affine else None

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError unless axis 1 is num_channels."""
        if x.ndim < 2 or x.shape[1] != self.num_channels:
            raise ShapeError(
                f"{type(self).__name__}: expected x (N, {self.num_channels}, …), "
                f"found {show(x.shape)}"
            )
        return x.groupnorm(self.num_groups, self.weight, self.bias, self.eps)


class InstanceNorm(GroupNorm):
    """`GroupNorm` with each channel a group."""

    def __init__(self, num_features: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__(num_features, num_features, eps, affine)


class RMSNorm:
    """x / sqrt(mean(x²) + eps) over the last axis, times `weight` (dim,)."""

    def __init__(self, dim: int, eps: float = 1e-6, elementwise_affine: bool = True) -> None:
        self.dim, self.eps = dim, eps
        self.weight = filled(1, dim) if elementwise_affine else None

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError unless the last axis is dim."""
        if not x.ndim or x.shape[-1] != self.dim:
            raise ShapeError(f"RMSNorm: expected x (…, {self.dim}), found {show(x.shape)}")
        return x.rms_norm(-1, self.weight, self.eps)
