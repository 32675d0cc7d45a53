"""Normalisation: mean 0 and variance 1 over some axes. Narrow floats are computed in float32."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulewright.errors import ShapeError
from rulewright.tensor.kinds import accumulator, float_dtype
from rulewright.tensor.members import Members
from rulewright.tensor.shapes import normal_axes, numel, same_size, show

if TYPE_CHECKING:
    from typing_extensions import Self


class Normalise(Members):
    """layernorm, groupnorm, rms_norm and batchnorm."""

    __slots__ = ()

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
        groups = self.reshape([self.shape[0], num_groups, -1]) if self.numel() else self
        found = (groups.layernorm(-1, eps) if self.numel() else groups).reshape(self.shape)
        return found._scaled_along(weight, bias, (1,), "groupnorm")

    def rms_norm(self, axis: Any = -1, weight: Any = None, eps: float | None = None) -> Self:
        """x / sqrt(mean(x²) + eps) over axes, times weight, which broadcasts (Zhang and Sennrich,
        2019). eps: the epsilon of the dtype unless given.

        >>> Tensor([1.0, 7.0]).rms_norm(eps=0).tolist()
        [0.2..., 1.39...]
        """
        kind = float_dtype(self.dtype)
        x = self.cast(accumulator(kind))
        small = 2.0 ** -kind.row["mantissa"] if eps is None else eps
        found = (x * (x.square().mean(axis, keepdim=True) + small).rsqrt()).cast(kind)
        return found if weight is None else found * self._wrap(weight, "rms_norm weight")

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
        found = self
        if weight is not None:
            found = found * self._along(weight, axes, f"{method} weight")
        return found if bias is None else found + self._along(bias, axes, f"{method} bias")

    def _along(self, value: Any, axes: tuple[int, ...], name: str) -> Any:
        """A tensor along some axes. Raises ShapeError unless it has their sizes."""
        given, wanted = self._wrap(value, name), [self.shape[i] for i in axes]
        sizes = [s for s in given.shape if not same_size(s, 1)]
        if len(sizes) > len(axes) or numel(given.shape) != numel(wanted):
            raise ShapeError(f"{name}: expected shape {show(wanted)}, found {show(given.shape)}")
        return given.reshape([s if i in axes else 1 for i, s in enumerate(self.shape)])
