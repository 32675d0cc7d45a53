"""Normalisation and losses, with PyTorch's meaning and defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.tensor.random import Random
from rulewright.tensor.shapes import show

if TYPE_CHECKING:
    from typing_extensions import Self


class Loss(Random):
    """Losses are means over the batch unless `reduction` is "sum" or "none"."""

    __slots__ = ()

    def _reduced(self, reduction: str, method: str) -> Self:
        if reduction == "none":
            return self
        if reduction not in ("mean", "sum"):
            raise UsageError(f"{method}: reduction is 'mean', 'sum' or 'none', found {reduction!r}")
        return self.mean() if reduction == "mean" else self.sum()

    def _same_shape(self, target: Any, method: str) -> Self:
        other = self._wrap(target)
        if other.shape != self.shape:
            raise ShapeError(
                f"{method}: prediction {show(self.shape)} and target {show(other.shape)} "
                "must have one shape"
            )
        return self._make(other.uop, other._device)

    # ---- normalisation --------------------------------------------------------------------

    def layernorm(self, axis: Any = -1, eps: float = 1e-5) -> Self:
        """(x - mean) / sqrt(variance + eps) over axes."""
        centred = self - self.mean(axis, keepdim=True)
        return centred * (centred.square().mean(axis, keepdim=True) + eps).rsqrt()

    def batchnorm(self, weight: Any, bias: Any, mean: Self, invstd: Self, axis: int = 1) -> Self:
        """(x - mean) * invstd * weight + bias, each a tensor along one axis; weight and bias may
        be None."""
        shape = [s if i == axis else 1 for i, s in enumerate(self.shape)]
        found = (self - mean.reshape(shape)) * invstd.reshape(shape)
        if weight is not None:
            found = found * self._wrap(weight).reshape(shape)
        return found if bias is None else found + self._wrap(bias).reshape(shape)

    # ---- classification -------------------------------------------------------------------

    def cross_entropy(
        self,
        target: Any,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
        ignore_index: int = -100,
    ) -> Self:
        """Negative log of the softmax over axis 1 (or 0 of a vector) at the target class.

        target: class numbers, of this shape without the class axis, or probabilities of this
        shape. Targets equal to `ignore_index` count for nothing. Raises ShapeError if the shapes
        do not fit.
        """
        axis = 1 if self.ndim > 1 else 0
        logs = self.log_softmax(axis)
        wanted = self._wrap(target)
        if wanted.dtype.is_float:
            goal = self._same_shape(wanted, "cross_entropy")
            goal = goal * (1 - label_smoothing) + label_smoothing / int(self.shape[axis])
            losses = -(logs * goal).sum(axis)
            return losses._mean_of(losses.numel(), reduction)
        rows = self.shape[:axis] + self.shape[axis + 1 :]
        if wanted.shape != rows:
            raise ShapeError(
                f"cross_entropy: logits {show(self.shape)} need class numbers of shape "
                f"{show(rows)} or probabilities, found {show(wanted.shape)}"
            )
        counted = self._make(wanted.uop, wanted._device).ne(ignore_index)
        chosen = self._make(wanted.uop, wanted._device).unsqueeze(axis)
        hit = self._class_hits(chosen, axis)
        losses = -hit.where(logs, 0).sum(axis)
        if label_smoothing:
            losses = losses * (1 - label_smoothing) - logs.mean(axis) * label_smoothing
        losses = counted.where(losses, 0).cast(self.dtype)
        return losses._mean_of(counted.sum().cast(self.dtype), reduction)

    def _class_hits(self, classes: Self, axis: int) -> Self:
        """Where the position along the class axis is the class wanted, as bools."""
        from rulewright.tensor.nodes import node_iota

        place = self._new(node_iota(self.shape[axis], axis, self.shape, classes.dtype))
        return classes.eq(place)

    def _mean_of(self, count: Any, reduction: str) -> Self:
        if reduction == "mean":
            return self.sum() / count
        return self._reduced(reduction, "cross_entropy")

    def sparse_categorical_crossentropy(
        self, target: Any, ignore_index: int = -1, label_smoothing: float = 0.0
    ) -> Self:
        """Cross entropy with class numbers, classes on the last axis."""
        return self.moveaxis(-1, 1 if self.ndim > 1 else 0).cross_entropy(
            target, "mean", label_smoothing, ignore_index
        )

    def nll_loss(self, target: Any, reduction: str = "mean") -> Self:
        """Minus this, log probabilities with classes on axis 1, at the target class."""
        wanted = self._wrap(target)
        if wanted.dtype.is_float:
            raise DTypeError(f"nll_loss: targets are class numbers, found {wanted.dtype.name}")
        axis = 1 if self.ndim > 1 else 0
        classes = self._make(wanted.uop, wanted._device).unsqueeze(axis)
        losses = -self._class_hits(classes, axis).where(self, 0).sum(axis)
        return losses._reduced(reduction, "nll_loss")

    def binary_crossentropy(self, target: Any, reduction: str = "mean") -> Self:
        """-(t log p + (1 - t) log(1 - p)) for probabilities p; logs end at -100, as in PyTorch."""
        goal = self._same_shape(target, "binary_crossentropy")
        yes, no = self.log().maximum(-100), (1 - self).log().maximum(-100)
        return (-(goal * yes + (1 - goal) * no))._reduced(reduction, "binary_crossentropy")

    def binary_crossentropy_logits(self, target: Any, reduction: str = "mean") -> Self:
        """The same for p = sigmoid(this), without overflow."""
        goal = self._same_shape(target, "binary_crossentropy_logits")
        losses = self.maximum(0) - goal * self + (-self.abs()).exp().log1p()
        return losses._reduced(reduction, "binary_crossentropy_logits")

    # ---- regression -----------------------------------------------------------------------

    def mse_loss(self, target: Any, reduction: str = "mean") -> Self:
        """Squared difference."""
        goal = self._same_shape(target, "mse_loss")
        return (self - goal).square()._reduced(reduction, "mse_loss")

    def l1_loss(self, target: Any, reduction: str = "mean") -> Self:
        """Absolute difference."""
        goal = self._same_shape(target, "l1_loss")
        return (self - goal).abs()._reduced(reduction, "l1_loss")

    def huber_loss(self, target: Any, reduction: str = "mean", delta: float = 1.0) -> Self:
        """Half the squared difference, beyond `delta` linear."""
        gap = (self - self._same_shape(target, "huber_loss")).abs()
        losses = (gap < delta).where(0.5 * gap.square(), delta * (gap - 0.5 * delta))
        return losses._reduced(reduction, "huber_loss")
