"""Losses, with PyTorch's meaning and defaults."""

from __future__ import annotations

from typing import Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.tensor.kinds import accumulator, float_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.patterns import patterned
from rulewright.tensor.shapes import broadcast_shapes, node_iota, normal_axis, show, show_size


def check_reduction(reduction: str, method: str) -> None:
    """Raise UsageError for a word that says nothing about losses."""
    if reduction not in ("mean", "sum", "none"):
        raise UsageError(f"{method}: reduction is 'mean', 'sum' or 'none', found {reduction!r}")


class Loss(Members):
    """Losses are means over the batch unless `reduction` is "sum" or "none"."""

    __slots__ = ()

    def _reduced(self, reduction: str, method: str, count: Any = None) -> Self:
        """All losses as one: their sum, or that divided by a count other than their number."""
        check_reduction(reduction, method)
        if reduction == "none":
            return self
        if reduction == "sum":
            return self.sum()
        if count is None:
            return self.mean()
        wide = accumulator(self.dtype)
        return (self.cast(wide).sum() / count).cast(self.dtype)

    def _same_shape(self, target: Any, method: str, name: str = "target") -> Self:
        """Another operand, of the name that the method gives it, of this shape."""
        other = self._other(target, f"{method} {name}")
        if other.shape != self.shape:
            raise ShapeError(
                f"{method}: prediction {show(self.shape)} and {name} {show(other.shape)} "
                "must have one shape"
            )
        return other

    # ---- classification -------------------------------------------------------------------

    @patterned
    def cross_entropy(
        self,
        target: Any,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
        ignore_index: int = -100,
        weight: Any = None,
    ) -> Self:
        """Negative log of the softmax over axis 1 (or 0 of a vector) at the target class.

        target: class numbers, of this shape without the class axis, or probabilities of this
        shape. Targets equal to `ignore_index` count for nothing. weight: a factor for each class;
        the mean over class numbers is then divided by the weights of the targets. Raises
        ShapeError if the shapes do not fit, UsageError for a label_smoothing outside of 0 to 1.

        >>> Tensor([[0.0, 0.0]]).cross_entropy(Tensor([1])).item()
        0.693...
        """
        axis = self._class_axis("cross_entropy")
        wanted = self._other(target, "cross_entropy target")
        if not 0 <= label_smoothing <= 1:
            raise UsageError(
                f"cross_entropy: expected label_smoothing from 0 to 1, found {label_smoothing}"
            )
        logs = self.log_softmax(axis)
        factors = logs._class_weights(weight, axis, "cross_entropy")
        if wanted.dtype.is_float:
            if ignore_index >= 0:
                raise UsageError("cross_entropy: ignore_index is for class numbers, not for floats")
            if wanted.shape != self.shape and wanted.ndim == self.ndim - 1:
                raise DTypeError(
                    f"cross_entropy: class numbers are integers, found {wanted.dtype.name} of "
                    f"shape {show(wanted.shape)}; cast them, or give probabilities of shape "
                    f"{show(self.shape)}"
                )
            goal = self._same_shape(wanted, "cross_entropy")
            goal = goal * (1 - label_smoothing) + label_smoothing / max(int(self.shape[axis]), 1)
            weighed = logs * goal if factors is None else logs * goal * factors
            losses = -weighed.sum(axis)
            return losses._reduced(reduction, "cross_entropy", losses.numel())
        losses, counted = logs._at_classes(wanted, ignore_index, factors, "cross_entropy")
        if label_smoothing:
            evenly = logs if factors is None else logs * factors
            losses = losses * (1 - label_smoothing) - evenly.mean(axis) * label_smoothing
            kept = wanted.ne(ignore_index)
            losses = kept.where(losses, 0).cast(losses.dtype)
        return losses._reduced(reduction, "cross_entropy", counted.sum())

    def _class_axis(self, method: str) -> int:
        if not self.shape:
            raise ShapeError(f"{method}: expected scores with an axis of classes, found ()")
        return 1 if self.ndim > 1 else 0

    def _class_weights(self, weight: Any, axis: int, method: str) -> Self | None:
        """Weights of classes along the class axis."""
        if weight is None:
            return None
        weights = self._other(weight, f"{method} weight")
        if weights.shape != (self.shape[axis],):
            raise ShapeError(
                f"{method}: expected a weight for each of {show_size(self.shape[axis])} classes, "
                f"found {show(weights.shape)}"
            )
        shape = [s if i == axis else 1 for i, s in enumerate(self.shape)]
        return weights.reshape(shape)

    def _at_classes(
        self, target: Self, ignore_index: int | None, factors: Any, method: str
    ) -> tuple[Self, Self]:
        """Minus the element at each target class times its weight, and that weight; both are 0
        at targets to be ignored."""
        axis = self._class_axis(method)
        rows = self.shape[:axis] + self.shape[axis + 1 :]
        if target.dtype.is_float or target.dtype.is_bool:
            raise DTypeError(f"{method}: targets are class numbers, found {target.dtype.name}")
        if target.shape != rows:
            also = " or probabilities" if method == "cross_entropy" else ""
            raise ShapeError(
                f"{method}: scores {show(self.shape)} need class numbers of shape "
                f"{show(rows)}{also}, found {show(target.shape)}"
            )
        place = self._new(node_iota(self.shape[axis], axis, self.shape, target.dtype))
        hit = target.unsqueeze(axis).eq(place)
        wide = accumulator(self.dtype)
        losses = -hit.where(self, 0).sum(axis)
        counts = self._new(self.uop.const(wide, 1)).expand(losses.shape)
        if factors is not None:
            counts = hit.where(factors, 0).sum(axis).cast(wide)
            losses = losses * counts.cast(self.dtype)
        if ignore_index is not None:
            kept = target.ne(ignore_index)
            losses, counts = kept.where(losses, 0), kept.where(counts, 0)
        return losses.cast(self.dtype), counts.cast(wide)

    def sparse_categorical_crossentropy(
        self,
        target: Any,
        ignore_index: int = -1,
        label_smoothing: float = 0.0,
        reduction: str = "mean",
    ) -> Self:
        """`cross_entropy` with class numbers, classes on the last axis.

        >>> Tensor([[0.0, 0.0], [9.0, 9.0]]).sparse_categorical_crossentropy(Tensor([1, 0])).item()
        0.693...
        """
        return self.moveaxis(-1, 1 if self.ndim > 1 else 0).cross_entropy(
            target, reduction, label_smoothing, ignore_index
        )

    def nll_loss(
        self,
        target: Any,
        weight: Any = None,
        ignore_index: int | None = -100,
        reduction: str = "mean",
    ) -> Self:
        """Minus this, log probabilities with classes on axis 1, at the target class; see
        `cross_entropy` for the rest.

        >>> Tensor([[-0.25, -1.5]]).nll_loss(Tensor([1])).item()
        1.5
        """
        wanted = self._other(target, "nll_loss target")
        factors = self._class_weights(weight, self._class_axis("nll_loss"), "nll_loss")
        losses, counted = self._at_classes(wanted, ignore_index, factors, "nll_loss")
        return losses._reduced(reduction, "nll_loss", counted.sum())

    def binary_crossentropy(self, target: Any, reduction: str = "mean", weight: Any = None) -> Self:
        """-(t log p + (1 - t) log(1 - p)) for probabilities p; logs end at -100, as in PyTorch.

        Where p (1 - p) is below 1e-12 the slope is (p - t) / 1e-12, as in PyTorch.
        weight: a factor for each loss, which broadcasts.

        >>> Tensor([0.5]).binary_crossentropy(Tensor([1.0])).item()
        0.693...
        """
        goal = self._same_shape(target, "binary_crossentropy")
        p = self.cast(float_dtype(self.dtype))
        least = max(1e-12, dtypes.finfo(p.dtype).tiny)
        inside = p * (1 - p) >= least
        inner = inside.where(p, p._constant())  # a log near 0 has no slope to be had
        yes, no = inner.log().maximum(-100), (1 - inner).log().maximum(-100)
        line = inside.where(0, (p / 2 - goal._constant()) * p / least)
        losses = (line - line._constant()) - (goal * yes + (1 - goal) * no)
        if weight is not None:
            losses = losses * self._other(weight, "binary_crossentropy weight")
        return losses._reduced(reduction, "binary_crossentropy")

    def binary_crossentropy_logits(
        self, target: Any, reduction: str = "mean", pos_weight: Any = None, weight: Any = None
    ) -> Self:
        """`binary_crossentropy` for p = sigmoid(this), without overflow.

        pos_weight: a factor for the part with t, which broadcasts.

        >>> Tensor([0.0]).binary_crossentropy_logits(Tensor([1.0]), pos_weight=Tensor([2.0])).item()
        1.386...
        """
        goal = self._same_shape(target, "binary_crossentropy_logits")
        tail = (-self.abs()).exp().log1p()
        if pos_weight is None:
            losses = self.maximum(0) - goal * self + tail
        else:
            factor = (
                self._other(pos_weight, "binary_crossentropy_logits pos_weight") - 1
            ) * goal + 1
            losses = (1 - goal) * self + factor * (tail + (-self).maximum(0))
        if weight is not None:
            losses = losses * self._other(weight, "binary_crossentropy_logits weight")
        return losses._reduced(reduction, "binary_crossentropy_logits")

    def kl_div(self, target: Any, reduction: str = "mean", log_target: bool = False) -> Self:
        """t (log t - x) for log probabilities x (Kullback and Leibler, 1951); 0 where t is 0, NaN
        below.

        log_target: t is given as its log. reduction: also "batchmean", the sum divided by the
        first size.

        >>> Tensor([0.0]).kl_div(Tensor([0.5]), reduction="sum").item()
        -0.346...
        """
        goal = self._same_shape(target, "kl_div")
        if log_target:
            losses = goal.exp() * (goal - self)
        else:
            logs = (goal == 0).where(1, goal).log()
            losses = goal * logs - goal * self
        if reduction == "batchmean":
            return losses._reduced("mean", "kl_div", self.shape[0] if self.ndim else 1)
        return losses._reduced(reduction, "kl_div")

    # ---- regression -----------------------------------------------------------------------

    def mse_loss(self, target: Any, reduction: str = "mean") -> Self:
        """Squared difference.

        >>> Tensor([1.0, 2.0]).mse_loss(Tensor([1.0, 4.0])).item()
        2.0
        """
        goal = self._same_shape(target, "mse_loss")
        return (self - goal).square()._reduced(reduction, "mse_loss")

    def l1_loss(self, target: Any, reduction: str = "mean") -> Self:
        """Absolute difference.

        >>> Tensor([1.0, 2.0]).l1_loss(Tensor([1.0, 4.0])).item()
        1.0
        """
        goal = self._same_shape(target, "l1_loss")
        return (self - goal).abs()._reduced(reduction, "l1_loss")

    def huber_loss(self, target: Any, reduction: str = "mean", delta: float = 1.0) -> Self:
        """Half the squared difference, beyond `delta` linear (Huber, 1964).

        >>> Tensor([0.0, 0.0]).huber_loss(Tensor([1.0, 3.0]), "none").tolist()
        [0.5, 2.5]
        """
        if not delta > 0:
            raise UsageError(f"huber_loss: expected delta above 0, found {delta}")
        gap = (self - self._same_shape(target, "huber_loss")).abs()
        losses = (gap < delta).where(0.5 * gap.square(), delta * (gap - 0.5 * delta))
        return losses._reduced(reduction, "huber_loss")

    def smooth_l1_loss(self, target: Any, reduction: str = "mean", beta: float = 1.0) -> Self:
        """`huber_loss` divided by its delta; `l1_loss` for beta 0 (Girshick, 2015).

        >>> Tensor([0.0]).smooth_l1_loss(Tensor([1.0]), beta=2.0).item()
        0.25
        """
        if not beta >= 0:
            raise UsageError(f"smooth_l1_loss: expected beta of 0 or more, found {beta}")
        gap = (self - self._same_shape(target, "smooth_l1_loss")).abs()
        if beta:
            gap = (gap < beta).where(gap.square() * (0.5 / beta), gap - 0.5 * beta)
        return gap._reduced(reduction, "smooth_l1_loss")

    def cosine_similarity(self, other: Any, dim: int = 1, eps: float = 1e-8) -> Self:
        """x·y / (|x| |y|) along an axis, lengths being at least `eps`; this and other broadcast,
        and lengths are those behind it.

        >>> Tensor([3.0, 4.0]).cosine_similarity(Tensor([4.0, 3.0]), dim=0).item()
        0.96...
        """
        right = self._other(other, "cosine_similarity")
        shape = broadcast_shapes([self.shape, right.shape], "cosine_similarity")
        axis = normal_axis(dim, len(shape), "cosine_similarity")

        def scaled(x: Any) -> Any:
            own = (*[1] * (len(shape) - x.ndim), *x.shape)
            x = x.broadcast_to(*own[:axis], *shape[axis : axis + 1], *own[axis + 1 :])
            return x / x.square().sum(axis, keepdim=True).maximum(eps * eps).sqrt()

        return (scaled(self) * scaled(right)).sum(axis)
