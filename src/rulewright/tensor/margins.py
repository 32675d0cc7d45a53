"""Losses of pairs and triplets of vectors, of margins, and of distributions of the target."""

from __future__ import annotations

import math
from typing import Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.tensor.kinds import accumulator, float_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import node_iota, show

_LEAST_SQUARE = 1e-12  # what PyTorch adds to squared lengths in `cosine_embedding_loss`


class Margins(Members):
    """Losses are means over the batch unless `reduction` is "sum" or "none"."""

    __slots__ = ()

    # ---- of two scores, or of one and a sign ----------------------------------------------

    def margin_ranking_loss(
        self, other: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
    ) -> Self:
        """max(0, margin - t (x - y)): x is to be larger than `other` by a margin where t is 1,
        smaller where it is -1. All of one shape.

        >>> x, y = Tensor([1.0, 2.0]), Tensor([3.0, 1.0])
        >>> x.margin_ranking_loss(y, Tensor([1.0, 1.0]), reduction="none").tolist()
        [2.0, 0.0]
        """
        right = self._same_shape(other, "margin_ranking_loss", "other")
        goal = self._same_shape(target, "margin_ranking_loss")
        losses = (margin - goal * (self - right)).clip(min=0)
        return losses._reduced(reduction, "margin_ranking_loss")

    def hinge_embedding_loss(
        self, target: Any, margin: float = 1.0, reduction: str = "mean"
    ) -> Self:
        """x, a distance, where the target is 1, and max(0, margin - x) where it is -1.

        >>> Tensor([0.5, 0.25]).hinge_embedding_loss(Tensor([1.0, -1.0]), reduction="none").tolist()
        [0.5, 0.75]
        """
        goal = self._same_shape(target, "hinge_embedding_loss")
        apart = (margin - self).clip(min=0)
        losses = (goal != -1).where(self, 0) + (goal != 1).where(apart, 0)
        return losses._reduced(reduction, "hinge_embedding_loss")

    def soft_margin_loss(self, target: Any, reduction: str = "mean") -> Self:
        """log(1 + exp(-t x)) for targets of 1 and -1, without overflow.

        >>> Tensor([0.0]).soft_margin_loss(Tensor([1.0])).item()
        0.693...
        """
        goal = self._same_shape(target, "soft_margin_loss")
        return (-(goal * self).logsigmoid())._reduced(reduction, "soft_margin_loss")

    # ---- of classes -----------------------------------------------------------------------

    def multi_margin_loss(
        self,
        target: Any,
        p: float = 1,
        margin: float = 1.0,
        weight: Any = None,
        reduction: str = "mean",
    ) -> Self:
        """The mean over all classes of max(0, margin - x[t] + x[i])**p for i other than t.

        This: scores (batch, classes), or (classes). target: class numbers (batch), or one. weight:
        a factor for each class, by which max(…)**p of the target is multiplied.
        Raises UsageError unless p is 1 or 2, ShapeError if the shapes do not fit.

        >>> Tensor([[0.25, 1.0, 0.5]]).multi_margin_loss(Tensor([1])).item()
        0.25
        """
        if p not in (1, 2):
            raise UsageError(f"multi_margin_loss: expected p of 1 or 2, found {p}")
        scores, goal = self._scores_and_classes(target, "multi_margin_loss", several=False)
        factors = scores._class_weights(weight, 1, "multi_margin_loss")
        hit = goal.unsqueeze(1).eq(scores._class_numbers(goal.dtype))
        mine = hit.where(scores, 0).sum(1, keepdim=True)
        losses = hit.where(0, (margin - mine + scores).relu() ** int(p))
        if factors is not None:
            losses = losses * hit.where(factors, 0).sum(1, keepdim=True)
        return losses.mean(1).reshape(self.shape[:-1])._reduced(reduction, "multi_margin_loss")

    def multilabel_margin_loss(self, target: Any, reduction: str = "mean") -> Self:
        """The sum of max(0, 1 - x[j] + x[i]) for the classes j of a row that are right and all i
        that are not, divided by the number of classes.

        This: scores (batch, classes), or (classes). target: class numbers of the same shape, of
        which those before the first negative one count.

        >>> x, right = Tensor([[0.0, 0.5, 1.0, 0.25]]), Tensor([[2, 3, -1, 0]])
        >>> x.multilabel_margin_loss(right).item()
        0.625
        """
        scores, goal = self._scores_and_classes(target, "multilabel_margin_loss", several=True)
        counts = (goal < 0).cumsum(1) == 0
        classes = scores._class_numbers(goal.dtype).unsqueeze(1)
        hit = goal.unsqueeze(2).eq(classes).logical_and(counts.unsqueeze(2))  # (row, j, i)
        right = hit.any(1, keepdim=True)
        mine = scores.gather(1, counts.where(goal, 0)).unsqueeze(2)
        pairs = counts.unsqueeze(2).logical_and(right.logical_not())
        losses = pairs.where((1 - mine + scores.unsqueeze(1)).relu(), 0).sum((1, 2))
        losses = losses / max(int(scores.shape[1]), 1)
        return losses.reshape(self.shape[:-1])._reduced(reduction, "multilabel_margin_loss")

    def multilabel_soft_margin_loss(
        self, target: Any, weight: Any = None, reduction: str = "mean"
    ) -> Self:
        """The mean over the last axis, classes, of `binary_crossentropy_logits`.

        weight: a factor for each class.

        >>> Tensor([[0.0, 0.0]]).multilabel_soft_margin_loss(Tensor([[1.0, 0.0]])).item()
        0.693...
        """
        goal = self._same_shape(target, "multilabel_soft_margin_loss")
        losses = -(goal * self.logsigmoid() + (1 - goal) * (-self).logsigmoid())
        if weight is not None:
            losses = losses * self._other(weight, "multilabel_soft_margin_loss weight")
        return losses.mean(-1)._reduced(reduction, "multilabel_soft_margin_loss")

    def _scores_and_classes(self, target: Any, method: str, several: bool) -> tuple[Self, Self]:
        """Scores (batch, classes), and class numbers of that shape if several, else (batch)."""
        goal = self._other(target, f"{method} target")
        if self.ndim not in (1, 2):
            raise ShapeError(
                f"{method}: expected scores (batch, classes) or (classes), found {show(self.shape)}"
            )
        if goal.dtype.is_float or goal.dtype.is_bool:
            raise DTypeError(f"{method}: targets are class numbers, found {goal.dtype.name}")
        shape = self.shape if several else self.shape[:-1]
        if goal.shape != shape:
            raise ShapeError(
                f"{method}: scores {show(self.shape)} need class numbers of shape {show(shape)}, "
                f"found {show(goal.shape)}"
            )
        if self.ndim == 2:
            return self, goal
        return self.unsqueeze(0), goal.unsqueeze(0)

    def _class_numbers(self, kind: Any) -> Self:
        """The number of its class at each place of scores (batch, classes)."""
        return self._new(node_iota(self.shape[1], 1, self.shape, kind))

    # ---- of vectors -----------------------------------------------------------------------

    def pairwise_distance(
        self, other: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
    ) -> Self:
        """The p-norm of x - y + eps along the last axis; the rest broadcasts.

        >>> Tensor([[3.0, 4.0]]).pairwise_distance(Tensor([[0.0, 0.0]]), eps=0).tolist()
        [5.0]
        """
        return (self - self._other(other, "pairwise_distance") + eps).norm(p, -1, keepdim)

    def triplet_margin_loss(
        self,
        positive: Any,
        negative: Any,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
    ) -> Self:
        """max(0, d(x, positive) - d(x, negative) + margin), d being `pairwise_distance`.

        swap: the negative is compared with the nearer one of x and the positive. All of one shape.
        Raises UsageError unless the margin is above 0.

        >>> x, other = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]])
        >>> x.triplet_margin_loss(other, x + 2, margin=2.0, p=1).double().round(4).item()
        5.0
        """
        name = "triplet_margin_loss"
        if not margin > 0:
            raise UsageError(f"{name}: expected a margin above 0, found {margin}")
        near = self._same_shape(positive, name, "positive")
        far = self._same_shape(negative, name, "negative")
        apart = self.pairwise_distance(far, p, eps)
        if swap:
            apart = apart.minimum(near.pairwise_distance(far, p, eps))
        losses = (self.pairwise_distance(near, p, eps) - apart + margin).clip(min=0)
        return losses._reduced(reduction, name)

    def cosine_embedding_loss(
        self, other: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
    ) -> Self:
        """1 - c where the target is 1, max(0, c - margin) where it is -1, for the cosine c of the
        angle between two vectors, the last axes of this and `other`.

        Squared lengths are larger by 1e-12, as in PyTorch. Raises ShapeError unless both have one
        shape, and the target that without the last axis.

        >>> x, other = Tensor([[3.0, 4.0]]), Tensor([[4.0, 3.0]])
        >>> x.cosine_embedding_loss(other, Tensor([1])).double().round(4).item()
        0.04
        """
        name = "cosine_embedding_loss"
        right = self._same_shape(other, name, "other")
        goal = self._other(target, f"{name} target")
        if not self.ndim or goal.shape != self.shape[:-1]:
            raise ShapeError(
                f"{name}: vectors {show(self.shape)} need a target of shape "
                f"{show(self.shape[:-1])}, found {show(goal.shape)}"
            )
        kind = float_dtype(self.dtype)
        x, y = (each.cast(accumulator(kind)) for each in (self, right))
        squares = [each.square().sum(-1) + _LEAST_SQUARE for each in (x, y)]
        cosine = (x * y).sum(-1) / (squares[0] * squares[1]).sqrt()
        losses = goal.eq(1).where(1 - cosine, 0) + goal.eq(-1).where((cosine - margin).clip(0), 0)
        return losses.cast(kind)._reduced(reduction, name)

    # ---- of a distribution of the target --------------------------------------------------

    def poisson_nll_loss(
        self,
        target: Any,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-8,
        reduction: str = "mean",
    ) -> Self:
        """exp(x) - t x: minus the log probability of t where x is the log of Poisson's mean, less
        log t!; x - t log(x + eps) for the mean itself, `log_input=False`.

        full: log t! too, where t is above 1, by Stirling: t log t - t + log(2 pi t) / 2.

        >>> Tensor([0.0]).poisson_nll_loss(Tensor([3.0])).item()
        1.0
        """
        goal = self._same_shape(target, "poisson_nll_loss")
        losses = self.exp() - goal * self if log_input else self - goal * (self + eps).log()
        if full:
            many = goal > 1
            size = many.where(goal, 1)
            rest = size * size.log() - size + 0.5 * (2 * math.pi * size).log()
            losses = losses + many.where(rest, 0)
        return losses._reduced(reduction, "poisson_nll_loss")

    def gaussian_nll_loss(
        self, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
    ) -> Self:
        """(log v + (x - t)² / v) / 2: minus the log probability of t in a normal distribution of
        mean x and variance v, less log(2 pi) / 2, which `full` adds.

        var: a number, or a tensor of this shape, or of this with a last axis of 1 or without it.
        Those below `eps` count as that, with the derivative there. Raises ShapeError for another
        shape, UsageError unless eps is above 0.

        >>> Tensor([1.0]).gaussian_nll_loss(Tensor([3.0]), Tensor([4.0])).item()
        1.193...
        """
        name = "gaussian_nll_loss"
        if not eps > 0:
            raise UsageError(f"{name}: expected eps above 0, found {eps}")
        goal, spread = self._same_shape(target, name), self._other(var, f"{name} var")
        if spread.ndim and spread.shape != self.shape:
            if spread.shape == self.shape[:-1]:
                spread = spread.unsqueeze(-1)
            elif spread.shape != (*self.shape[:-1], 1):
                raise ShapeError(
                    f"{name}: expected var of shape {show(self.shape)}, with a last axis of 1 or "
                    f"without it, found {show(spread.shape)}"
                )
        spread = (spread < eps).where(eps + (spread - spread._constant()), spread)
        losses = 0.5 * (spread.log() + (self - goal).square() / spread)
        if full:
            losses = losses + 0.5 * math.log(2 * math.pi)
        return losses._reduced(reduction, name)
