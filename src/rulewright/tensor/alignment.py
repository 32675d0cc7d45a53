"""The loss of sequences whose labels have no times: connectionist temporal classification."""

from __future__ import annotations

import math
from operator import index
from typing import Any, cast

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.tensor.core import Core
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.loss import check_reduction
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import node_iota, show


class Alignment(Members):
    """The loss is a mean over the batch unless `reduction` is "sum" or "none"."""

    __slots__ = ()

    def ctc_loss(
        self,
        targets: Any,
        input_lengths: Any,
        target_lengths: Any,
        blank: int = 0,
        reduction: str = "mean",
        zero_infinity: bool = False,
    ) -> Self:
        """Minus the log of the probability of labels, summed over all ways in which they fill the
        steps: each for one step or more, in order, with blanks between or not, but between equal
        ones (Graves et al., 2006). This holds logs of probabilities, as `log_softmax` gives them:
        (steps, batch, classes), or (steps, classes) of one sequence.

        targets: labels (batch, most), or those of all sequences one behind the other.
        input_lengths, target_lengths: how many steps and labels of each sequence count, as whole
        numbers or as a tensor. A tensor's numbers are looked at only where `targets` has one axis;
        what is longer than `most` has a loss of NaN. reduction: "mean" divides each loss by its
        number of labels first. zero_infinity: where the steps are too few the loss is 0, not
        infinite.

        Raises ShapeError where shapes do not fit, DTypeError for labels and lengths that are no
        integers, UsageError for a blank that is no class and for lengths beyond what there is.

        >>> even = Tensor.full((3, 2), 0.5).log()  # 1.., 01., 001: six of the eight ways
        >>> even.ctc_loss(Tensor([1]), 3, 1).exp().item()
        1.333...
        """
        check_reduction(reduction, "ctc_loss")
        for value, name in ((targets, "targets"), (input_lengths, "input_lengths"),
                            (target_lengths, "target_lengths")):  # fmt: skip
            self._other(value, f"ctc_loss {name}")
        logs = self.unsqueeze(1) if self.ndim == 2 else self
        logs._check_logs(blank)
        reached = logs._lengths(input_lengths, int(logs.shape[0]), "input_lengths")
        labels, sizes = logs._labels(targets, target_lengths)
        losses = -logs._aligned(labels, sizes, reached, blank)
        if zero_infinity:
            losses = losses.eq(math.inf).where(0, losses)
        if reduction == "mean":
            losses = losses / sizes.clip(min=1).cast(losses.dtype)
        losses = losses.cast(self.dtype)._reduced(reduction, "ctc_loss")
        return losses.reshape(()) if self.ndim == 2 else losses

    # ---- what is given ------------------------------------------------------------------------

    def _check_logs(self, blank: int) -> None:
        if not self.dtype.is_float:
            raise DTypeError(f"ctc_loss: expected floats, found {self.dtype.name}")
        if self.ndim != 3 or not all(isinstance(s, int) and s > 0 for s in self.shape):
            raise ShapeError(
                "ctc_loss: expected (steps, batch, classes) or (steps, classes), of known sizes "
                f"above 0, found {show(self.shape)}"
            )
        if not 0 <= blank < int(self.shape[2]):
            raise UsageError(
                f"ctc_loss: expected a blank from 0 to {int(self.shape[2]) - 1}, found {blank}"
            )

    def _lengths(self, lengths: Any, most: int | None, name: str) -> Self:
        """Lengths (batch,) as a tensor of i64."""
        batch = int(self.shape[1])
        if not isinstance(lengths, Core):
            several = hasattr(lengths, "__iter__") and getattr(lengths, "ndim", 1) > 0
            numbers = list(lengths) if several else [lengths]
            for number in numbers:
                _check_length(number, most, name)
            lengths = type(self)(numbers, dtype=dtypes.i64, device=self._device)
        counts = self._integers(lengths, name)
        if counts.shape != (batch,) and (counts.shape, batch) != ((), 1):
            raise ShapeError(
                f"ctc_loss: expected {name} of shape ({batch},), found {show(counts.shape)}"
            )
        return counts.reshape(batch)

    def _integers(self, value: Any, name: str) -> Self:
        numbers = self._other(value, f"ctc_loss {name}")
        if not numbers.dtype.is_int:
            raise DTypeError(f"ctc_loss: {name} are integers, found {numbers.dtype.name}")
        return numbers.cast(dtypes.i64)

    def _labels(self, targets: Any, lengths: Any) -> tuple[Self, Self]:
        """Labels (batch, most), and how many of each count."""
        labels, batch = self._integers(targets, "targets"), int(self.shape[1])
        if labels.ndim == 1 and batch == 1:
            labels = labels.unsqueeze(0)
        if labels.ndim == 2 and labels.shape[0] == batch:
            most = labels.shape[1]
            return labels, self._lengths(lengths, most, "target_lengths")
        sizes = self._lengths(lengths, None, "target_lengths")
        counts = cast("Any", sizes).tolist() if labels.ndim == 1 else []
        if labels.ndim != 1 or sum(counts) != labels.shape[0]:
            raise ShapeError(
                f"ctc_loss: expected targets ({batch}, most), or as many in a row as "
                f"target_lengths say, found {show(labels.shape)}"
            )
        starts = sizes.cumsum(0) - sizes
        each = self._new(node_iota(most := max(counts), 0, (most,), dtypes.i64))
        places = starts.unsqueeze(1) + each
        return labels.gather(0, places.reshape(-1)).reshape(batch, most), sizes

    # ---- the sum over all ways ----------------------------------------------------------------

    def _aligned(self, labels: Self, sizes: Self, reached: Self, blank: int) -> Self:
        """The log of the probability of labels.

        A row of states, blank, label, blank, label, …, blank, has the log of the probability that
        the steps so far end there: each step stays, goes on by one, or over the blank between two
        labels that differ.
        """
        steps, batch, _ = map(int, self.shape)
        logs = self.cast(accumulator(self.dtype))
        states = labels.unsqueeze(2).pad((1, 0), value=blank).reshape(batch, -1)
        states = states.pad((0, 1), value=blank)
        count = states.shape[1]
        place = self._new(node_iota(count, 0, (count,), dtypes.i64))
        jumps = _later(states, 2, -1).ne(states).logical_and((place % 2).eq(1))
        said = logs.gather(2, states.unsqueeze(0).expand(steps, batch, count))
        time = self._new(node_iota(steps, 0, (steps, 1, 1), dtypes.i64))
        goes = reached.unsqueeze(1) > time
        nothing = place.eq(0).where(self._new(logs.uop.const(logs.dtype, 0)), -math.inf)
        row = goes[0].where((place < 2).where(said[0], -math.inf), nothing)
        for step in range(1, steps):
            from_label = jumps.where(_later(row, 2, -math.inf), -math.inf)
            both = row.logaddexp(_later(row, 1, -math.inf)).logaddexp(from_label)
            row = goes[step].where(both + said[step], row)
        at = (sizes * 2).unsqueeze(1)
        last = row.gather(1, at).squeeze(1)
        label = (sizes > 0).where(row.gather(1, (at - 1).clip(min=0)).squeeze(1), -math.inf)
        return (sizes > labels.shape[1]).where(math.nan, last.logaddexp(label))


def _later(row: Any, by: int, value: float) -> Any:
    """Each row of values moved on by some places, with a value before them."""
    return row.pad((by, 0), value=value)[:, : row.shape[1]]


def _check_length(number: Any, most: int | None, name: str) -> None:
    try:
        length = -1 if isinstance(number, bool) else index(number)
    except TypeError:
        raise DTypeError(f"ctc_loss: {name} are integers, found {number!r}") from None
    if length < 0 or (most is not None and length > most):
        upper = "on" if most is None else f"to {most}"
        raise UsageError(f"ctc_loss: expected {name} from 0 {upper}, found {number}")
