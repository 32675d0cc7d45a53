"""Normalisation as layers, with a learnt scale and shift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from rulewright.errors import ShapeError
from rulewright.ir.shapes import Dim
from rulewright.nn import arguments
from rulewright.nn.layers import Layer, filled, in_batch
from rulewright.tensor.kinds import accumulator, default_float, float_dtype
from rulewright.tensor.shapes import larger, numel, show
from rulewright.tensor.tensor import Tensor


class BatchNorm(Layer):
    """Each channel (axis 1) with mean 0 and variance 1 over the batch, then scaled and shifted.

    While `Tensor.training`, statistics are those of the batch, and running ones are updated by
    `momentum` (None: each batch counts the same); otherwise the running ones are used. They are
    float32 or wider, as is what is computed with them. `weight` and `bias` are (num_features,) if
    `affine`.
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
        name = type(self).__name__
        self.num_features = arguments.whole(name, "num_features", num_features)
        self.eps = arguments.number(name, "eps", eps, 0)
        if momentum is not None:
            momentum = arguments.number(name, "momentum", momentum, 0, 1)
        self.momentum, affine = momentum, arguments.flag(name, "affine", affine)
        self.track_running_stats = arguments.flag(name, "track_running_stats", track_running_stats)
        self.weight = filled(1, num_features) if affine else None
        self.bias = filled(0, num_features) if affine else None
        if track_running_stats:
            wide = accumulator(default_float())
            # in memory from the first step on, so that the second needs no schedule of its own
            self.running_mean = Tensor([0.0] * num_features, dtype=wide)
            self.running_var = Tensor([1.0] * num_features, dtype=wide)
            self.num_batches_tracked = Tensor(np.zeros((), np.int64))

    def __call__(self, x: Tensor) -> Tensor:
        """The same shape as x, (N, num_features, …). Raises ShapeError for another shape."""
        arguments.tensor(type(self).__name__, "x", x)
        if x.ndim not in self.ranks or x.shape[1] != self.num_features:
            raise ShapeError(
                f"{type(self).__name__}: expected x (N, {self.num_features}, …) of "
                f"{' or '.join(map(str, self.ranks))} axes, found {show(x.shape)}"
            )
        kind = float_dtype(x.dtype)
        x = x.cast(accumulator(kind))
        if Tensor.training or not self.track_running_stats:
            mean, var = self._batch_statistics(x)
        else:
            mean, var = self.running_mean, self.running_var
        normal = x.batchnorm(None, None, mean, (var + self.eps).rsqrt()).cast(kind)
        shape = (1, self.num_features, *(1,) * (x.ndim - 2))
        normal = normal if self.weight is None else normal * self.weight.reshape(shape)
        return normal if self.bias is None else normal + self.bias.reshape(shape)

    def _batch_statistics(self, x: Tensor) -> tuple[Tensor, Tensor]:
        axes = tuple(i for i in range(x.ndim) if i != 1)
        if all(x.shape[i] == 1 for i in axes):
            raise ShapeError(
                f"{type(self).__name__}: statistics of a batch need more than one value of each "
                f"channel, found x {show(x.shape)}; while Tensor.training is False the running "
                "ones are used"
            )
        mean, var = x.mean(axes), x.var(axes, correction=0)
        if self.track_running_stats and Tensor.training:
            unbiased = _unbiased(var.detach(), numel([x.shape[i] for i in axes]))
            self.num_batches_tracked.assign(self.num_batches_tracked + 1)
            for running, new in ((self.running_mean, mean.detach()), (self.running_var, unbiased)):
                share = self.momentum
                if share is None:
                    running.assign(running + (new - running) / self.num_batches_tracked)
                else:
                    running.assign((running * (1 - share) + new * share).cast(running.dtype))
        return mean, var

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.weight is not None}, track_running_stats={self.track_running_stats}"
        )


def _unbiased(var: Tensor, count: Dim) -> Tensor:
    """The variance of what `count` values are drawn from, whose own variance this is."""
    if isinstance(count, int):
        return var * (count / max(count - 1, 1))
    return var * count / larger(count - 1, 1)


class BatchNorm1d(BatchNorm):
    """`BatchNorm` of x (N, C) or (N, C, L)."""

    ranks = (2, 3)


class BatchNorm2d(BatchNorm):
    """`BatchNorm` of x (N, C, H, W)."""

    ranks = (4,)


class BatchNorm3d(BatchNorm):
    """`BatchNorm` of x (N, C, D, H, W)."""

    ranks = (5,)


class LayerNorm(Layer):
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
        name = type(self).__name__
        several = isinstance(normalized_shape, Sequence) and not isinstance(normalized_shape, str)
        sizes: Any = normalized_shape if several else (normalized_shape,)
        shape = tuple(arguments.whole(name, "normalized_shape", s, 1) for s in sizes)
        if not shape:
            raise arguments.wrong(name, "normalized_shape", "one size or more", normalized_shape)
        self.normalized_shape, self.eps = shape, arguments.number(name, "eps", eps, 0)
        arguments.flag(name, "elementwise_affine", elementwise_affine)
        arguments.flag(name, "bias", bias)
        self.weight = filled(1, *shape) if elementwise_affine else None
        self.bias = filled(0, *shape) if elementwise_affine and bias else None

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError unless x ends in `normalized_shape`."""
        rank = len(self.normalized_shape)
        arguments.sized(type(self).__name__, x, "…", *self.normalized_shape)
        normal = x.layernorm(tuple(range(-rank, 0)), self.eps)
        normal = normal if self.weight is None else normal * self.weight
        return normal if self.bias is None else normal + self.bias

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        affine, bias = self.weight is not None, self.bias is not None
        shown = f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={affine}"
        return f"{shown}, bias={bias}"


class LayerNorm2d(LayerNorm):
    """`LayerNorm` over the channels of x (N, C, H, W) at each place."""

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError unless axis 1 has the given size."""
        arguments.sized(type(self).__name__, x, "N", "C", "H", "W")
        return super().__call__(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class GroupNorm(Layer):
    """Groups of channels of x (N, num_channels, …) with mean 0 and variance 1, then scaled and
    shifted by `weight` and `bias` (num_channels,) if `affine`."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True
    ) -> None:
        name = type(self).__name__
        channels = "num_features" if isinstance(self, InstanceNorm) else "num_channels"
        self.num_channels = arguments.whole(name, channels, num_channels, 1)
        self.num_groups = arguments.whole(name, "num_groups", num_groups, 1)
        self.eps = arguments.number(name, "eps", eps, 0)
        affine = arguments.flag(name, "affine", affine)
        if num_channels % num_groups:
            raise ShapeError(
                f"{type(self).__name__}: {num_groups} groups must divide {num_channels} channels"
            )
        self.weight = filled(1, num_channels) if affine else None
        self.bias = filled(0, num_channels) if affine else None

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError unless axis 1 is num_channels."""
        arguments.tensor(type(self).__name__, "x", x)
        if x.ndim < 2 or x.shape[1] != self.num_channels:
            raise ShapeError(
                f"{type(self).__name__}: expected x (N, {self.num_channels}, …), "
                f"found {show(x.shape)}"
            )
        return x.groupnorm(self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        affine = self.weight is not None
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={affine}"


class InstanceNorm(GroupNorm):
    """`GroupNorm` with each channel a group."""

    def __init__(self, num_features: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__(num_features, num_features, eps, affine)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        return f"{self.num_channels}, eps={self.eps}, affine={self.weight is not None}"


class _InstanceNorm(InstanceNorm):
    rank = 0

    def __init__(self, num_features: int, eps: float = 1e-5, affine: bool = False) -> None:
        super().__init__(num_features, eps, affine)

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError for another shape than the class says."""
        name = type(self).__name__
        arguments.tensor(name, "x", x)
        return in_batch(name, x, self.num_channels, self.rank, super().__call__)


class InstanceNorm1d(_InstanceNorm):
    """`InstanceNorm` of x (N, C, W) or (C, W), with weights only if `affine`, as in PyTorch."""

    rank = 1


class InstanceNorm2d(_InstanceNorm):
    """`InstanceNorm1d` of x (N, C, H, W) or (C, H, W)."""

    rank = 2


class InstanceNorm3d(_InstanceNorm):
    """`InstanceNorm1d` of x (N, C, D, H, W) or (C, D, H, W)."""

    rank = 3


class RMSNorm(Layer):
    """x / sqrt(mean(x²) + eps) over the last axis, times `weight` (dim,)."""

    def __init__(self, dim: int, eps: float = 1e-6, elementwise_affine: bool = True) -> None:
        self.dim = arguments.whole("RMSNorm", "dim", dim, 1)
        self.eps = arguments.number("RMSNorm", "eps", eps, 0)
        arguments.flag("RMSNorm", "elementwise_affine", elementwise_affine)
        self.weight = filled(1, dim) if elementwise_affine else None

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError unless the last axis is dim."""
        return arguments.sized("RMSNorm", x, "…", self.dim).rms_norm(-1, self.weight, self.eps)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        affine = self.weight is not None
        return f"{self.dim}, eps={self.eps}, elementwise_affine={affine}"
