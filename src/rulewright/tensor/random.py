"""Random choices that depend on values: bernoulli, dropout, permutations, categories."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.uop import UOp
from rulewright.runtime.device import Device
from rulewright.tensor import engine
from rulewright.tensor.generator import next_words, random_words, threefry2x32
from rulewright.tensor.kinds import as_dtype, default_int
from rulewright.tensor.members import Members
from rulewright.tensor.network import sorted_words
from rulewright.tensor.nodes import node_iota
from rulewright.tensor.picking import node_chosen
from rulewright.tensor.shapes import check_size

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Random", "next_words", "threefry2x32"]


class Random(Members):
    """Samples of given probabilities."""

    __slots__ = ()

    def bernoulli(self, p: float | None = None) -> Self:
        """1 with the probability that each element is, or with `p`, else 0; of this dtype.

        Raises DTypeError if probabilities are not floats, UsageError for `p` outside of 0 to 1,
        and for probabilities, if they are constant or in memory of this process.

        >>> Tensor([0.0, 1.0]).bernoulli().tolist()
        [0.0, 1.0]
        """
        if p is None and not self.dtype.is_float:
            raise DTypeError(f"bernoulli: expected floats, found {self.dtype.name}")
        if p is not None and not 0 <= p <= 1:
            raise UsageError(f"bernoulli: expected a probability from 0 to 1, found {p}")
        known = engine.values_there(self.uop) if p is None else None
        if known is not None and not ((known >= 0) & (known <= 1)).all():
            raise UsageError("bernoulli: expected probabilities from 0 to 1, found others")
        wide = dtypes.f64 if self.dtype is dtypes.f64 else dtypes.f32
        chance = self.rand(*self.shape, dtype=wide, device=self.device)
        return (chance < (self.cast(wide) if p is None else p)).cast(self.dtype)

    def dropout(self, p: float = 0.5) -> Self:
        """While training: zero with probability p, the rest scaled by 1 / (1 - p).

        Raises UsageError unless 0 <= p <= 1.

        >>> Tensor([1.0, 2.0]).dropout(0.5).tolist()
        [1.0, 2.0]
        """
        if not 0 <= p <= 1:
            raise UsageError(f"dropout: expected a probability from 0 to 1, found {p}")
        if not type(self).training or p == 0:
            return self
        if p == 1:
            return self * 0
        keep = self.rand(*self.shape, device=self.device) >= p
        return keep.where(self / (1 - p), 0).cast(self.dtype)

    @classmethod
    def randperm(cls, n: int, dtype: Any = None, device: str | None = None) -> Self:
        """The numbers 0 … n - 1 (int64 unless `dtype`) in random order.

        >>> sorted(Tensor.randperm(4).tolist())
        [0, 1, 2, 3]
        """
        count = check_size(n, "randperm")
        where = Device.canonical(device or Device.default)
        kind = default_int() if dtype is None else as_dtype(dtype)
        if isinstance(count, UOp):
            raise ShapeError("randperm: expected a known number, found a symbolic one")
        if count < 2:
            return cls.arange(count, dtype=kind, device=where)
        chance, _ = random_words((count,), where)
        return cls._created(_order(chance).cast(kind), where)

    def multinomial(self, num_samples: int = 1, replacement: bool = False) -> Self:
        """Positions (int64) drawn with probabilities in proportion to the last axis.

        This has one axis, or two for draws of each row. Without `replacement` no position is
        drawn twice: an axis is ordered by -log(u)/w, u uniform and w the weight (Efraimidis and
        Spirakis, 2006). Raises ShapeError for other shapes, DTypeError unless this holds
        floats, UsageError for no samples or more than positions, and for weights that are
        negative, no numbers or sum to nothing, if they are constant or in memory of this process;
        those that are still to be computed are not looked at: of such a row any may be drawn.

        >>> Tensor([0.0, 3.0, 0.0]).multinomial(2, replacement=True).tolist()
        [1, 1]
        """
        if self.ndim not in (1, 2) or 0 in self.shape:
            raise ShapeError(f"multinomial: expected weights along 1 or 2 axes, found {self.shape}")
        if not self.dtype.is_float:
            raise DTypeError(f"multinomial: expected floats, found {self.dtype.name}")
        count = check_size(num_samples, "multinomial")
        if isinstance(count, int) and count < 1:
            raise UsageError(f"multinomial: expected num_samples of 1 or more, found {count}")
        if not replacement and count > self.shape[-1]:
            raise UsageError(
                f"multinomial: {count} different positions cannot be drawn from "
                f"{self.shape[-1]}; use replacement=True"
            )
        self._check_weights()
        wide = self.cast(dtypes.f64 if self.dtype is dtypes.f64 else dtypes.f32)
        return wide._drawn(count) if replacement else wide._drawn_once(count)

    def _check_weights(self) -> None:
        """Raise UsageError for known weights that are no probabilities."""
        known = engine.values_there(self.uop)
        if known is None:
            return
        weights = known.astype("f8")
        if not ((weights >= 0) & (weights < math.inf)).all():
            raise UsageError(
                "multinomial: expected finite weights of 0 or more, found "
                f"{weights[~((weights >= 0) & (weights < math.inf))].flat[0]}"
            )
        if weights.size and not weights.any(-1).all():
            raise UsageError("multinomial: the weights of a draw sum to nothing")

    def _drawn(self, count: Any) -> Self:
        """Each draw is the first position below which a random share of all weights lies."""
        shares = self._new(self.cumsum(-1).uop.contiguous())
        draws = self.rand(*self.shape[:-1], count, dtype=self.dtype, device=self.device)
        return _position_above(shares, draws * shares[..., -1:])

    def _drawn_once(self, count: Any) -> Self:
        """Waiting times, exponential with the weights as rates: the shortest `count` of them."""
        chance = self.rand(*self.shape, dtype=self.dtype, device=self.device)
        times = (1 - chance).log().neg() / self  # 0 < 1 - chance: no weight, no end
        if count == 1:
            return times.argmin(-1, keepdim=True)
        bits = times.maximum(0).cast(dtypes.f32).bitcast(dtypes.u32)  # ordered as the times are
        return self._new(_order(bits.uop).cast(default_int()))[..., :count]


def _order(keys: UOp) -> UOp:
    """The positions (u64) that put the last axis of u32 keys in rising order."""
    shape = keys.shape or ()
    place = node_iota(shape[-1], len(shape) - 1, shape, dtypes.u64)
    return sorted_words((keys.cast(dtypes.u64) << 32) | place) & 0xFFFFFFFF


def _position_above(shares: Any, targets: Any) -> Any:
    """The first position of the rising last axis whose value is above each target, by halving."""
    size = int(shares.shape[-1])
    spread = shares.unsqueeze(-2).uop
    low = targets._new(UOp.const(dtypes.i32, 0)).expand(targets.shape)
    step = 1 << max(size - 1, 0).bit_length()
    while step > 1:
        step //= 2
        at = (low + (step - 1)).minimum(size - 1)
        value = targets._new(node_chosen(spread, at.unsqueeze(-1).uop))
        low = (value <= targets).where(low + step, low).minimum(size - 1)
    return low.cast(default_int())
