"""How values are spread: quantiles, the most frequent one, how many fall where, and where they
would stand in an order.

Quantiles and `mode` are read off sorted axes, a place in an order is found by halving, and counts
are sums scattered to their places.
"""

from __future__ import annotations

import math
from typing import Any, cast

from rulewright.errors import ChoiceError, DTypeError, PositionError, ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.shapes import at_most
from rulewright.ir.uop import UOp
from rulewright.tensor import contents
from rulewright.tensor.core import one_device
from rulewright.tensor.elementwise import SCALARS
from rulewright.tensor.kinds import default_int, real, weak
from rulewright.tensor.members import Members, Self
from rulewright.tensor.several_results import Ranked
from rulewright.tensor.shapes import check_size, node_iota, normal_axis, same_size, show
from rulewright.tensor.slices import node_chosen, node_size

_BETWEEN = ("linear", "lower", "higher", "midpoint", "nearest")


class Distribution(Members):
    """Quantiles, modes, histograms and binary search."""

    __slots__ = ()

    # ---- quantiles ------------------------------------------------------------------------

    def quantile(
        self,
        q: Any,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Self:
        """Values below which the share `q` of an axis, or of all elements, lies; NaN beside NaN.

        q: a number from 0 to 1, or a tensor of them of one axis, which leads the result's.
        interpolation: of a place between two elements: "linear", "lower", "higher", "midpoint" or
        "nearest", the even one of two as near. Raises ChoiceError for another word, UsageError for
        shares that are known to lie elsewhere, PositionError over no elements.

        >>> Tensor([3.0, 1.0, 2.0, 5.0]).quantile(0.5).item()
        2.5
        >>> Tensor([[3.0, 1.0, 2.0]]).quantile(Tensor([0.0, 0.75]), dim=1).tolist()
        [[1.0], [2.5]]
        """
        return self._quantile(q, dim, keepdim, interpolation, "quantile")

    def nanquantile(
        self,
        q: Any,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Self:
        """`quantile` of what is not NaN; NaN where nothing else is there.

        >>> Tensor([3.0, float("nan"), 1.0]).nanquantile(0.5).item()
        2.0
        """
        return self._quantile(q, dim, keepdim, interpolation, "nanquantile")

    @real
    def _quantile(
        self, q: Any, dim: int | None, keepdim: bool, interpolation: str, method: str
    ) -> Self:
        if interpolation not in _BETWEEN:
            words = ", ".join(_BETWEEN)
            raise ChoiceError(f"{method}: interpolation is one of {words}, found {interpolation!r}")
        share = self._share_of(q, method)
        if dim is None:
            flat = self.flatten()._quantile(share, 0, False, interpolation, method)
            return flat.reshape([*share.shape, *[1] * self.ndim]) if keepdim else flat
        at = normal_axis(dim, self.ndim, method)
        row = self.moveaxis(at, -1) if self.ndim else self.reshape(1)
        if same_size(row.shape[-1], 0):
            raise PositionError(f"{method}: axis {at} of shape {show(self.shape)} is empty")
        ordered, bad = row.sort(-1)[0], row.isnan()
        size = row.shape[-1]
        last = size - 1 if isinstance(size, int) else self._wrap(size, method) - 1
        if method == "quantile":
            rank = bad.any(-1, keepdim=True).where(last, share * last)  # NaN is in the last place
        else:
            rank = share * (last - bad.sum(-1, keepdim=True)).maximum(0)
        values = ordered._between(rank, interpolation)  # (…, shares)
        if not isinstance(size, int):
            values = cast("Self", self._wrap(size, method)).eq(0).where(math.nan, values)
        if not self.ndim or not keepdim:
            parts = values if share.ndim else values.squeeze(-1)
            parts = parts if self.ndim else parts.reshape(share.shape)
        else:
            parts = values.unsqueeze(at) if share.ndim else values.moveaxis(-1, at)
        return parts.moveaxis(-1, 0) if share.ndim and parts.ndim else parts

    def _share_of(self, q: Any, method: str) -> Self:
        """Shares as a tensor of this dtype, of one axis or none."""
        q = weak(q)
        if q.__class__ in SCALARS:
            share = self._new(UOp.const(self.dtype, q))
        else:
            share = cast("Self", self._wrap(q, f"{method} q"))
        known = contents.values_there(share.uop)
        if share.ndim > 1:
            raise ShapeError(f"{method}: expected q of 1 axis at most, found {show(share.shape)}")
        if known is not None and not ((known >= 0) & (known <= 1)).all():
            raise UsageError(f"{method}: expected q from 0 to 1, found {known.tolist()}")
        return share.cast(self.dtype)

    def _between(self, rank: Self, interpolation: str) -> Self:
        """The values of the last axis, in order, at places that may lie between two."""
        places = {"lower": rank.floor, "higher": rank.ceil, "nearest": rank.round}
        rank = places.get(interpolation, lambda: rank)()
        low, high = (self.gather(-1, r.cast(dtypes.i32)) for r in (rank.floor(), rank.ceil()))
        weight = 0.5 if interpolation == "midpoint" else rank - rank.floor()
        return (low == high).where(low, low * (1 - weight) + high * weight)  # infinities stay

    def mode(self, dim: int = -1, keepdim: bool = False) -> Ranked[Self]:
        """The most frequent element of an axis, the smallest of several, and where it last stands.

        Every NaN differs. Raises PositionError over an empty axis.

        >>> [t.item() for t in Tensor([2, 1, 3, 1, 2]).mode()]
        [1, 3]
        """
        at = normal_axis(dim, self.ndim, "mode")
        if not self.ndim:
            return Ranked((self._equal(), self._new(UOp.const(default_int(), 0))))
        if same_size(self.shape[at], 0):
            raise PositionError(f"mode: axis {at} of shape {show(self.shape)} is empty")
        values, order = self.sort(at)
        place = self._new(node_iota(self.shape[at], at, self.shape, default_int()))
        fresh = (place == 0).logical_or(values != values.roll(1, at))
        begin = fresh.where(place, 0).cummax(at)[0]
        longest = (place - begin).argmax(at, keepdim=True)
        results = [t.gather(at, longest) for t in (values, order)]
        return Ranked(results if keepdim else [t.squeeze(at) for t in results])

    # ---- places in an order ---------------------------------------------------------------

    def searchsorted(
        self,
        input: Any,
        *,
        out_int32: bool = False,
        right: bool = False,
        side: str | None = None,
        sorter: Self | None = None,
    ) -> Self:
        """The first position (int64) in the last axis, which rises, whose element is not below a
        value, for each of `input`; with `right`, or side="right", is above it.

        input: a number or a tensor, for a sequence of one axis; else a tensor whose axes but the
        last are those of this. out_int32: positions as int32. sorter: positions that put this in
        order, such as `argsort()`. NaN stands behind everything.
        Raises ShapeError for axes that do not fit, ChoiceError for another side.

        >>> Tensor([1, 3, 5]).searchsorted(Tensor([[3, 6], [0, 4]])).tolist()
        [[1, 3], [0, 2]]
        >>> Tensor([1, 3, 5]).searchsorted(3, right=True).item()
        2
        """
        if side not in (None, "left", "right") or (right and side == "left"):
            raise ChoiceError(
                "searchsorted: side is 'left' or 'right', as the flag right says, "
                f"found {side!r} beside right={right}"
            )
        values = cast("Self", self._wrap(weak(input), "searchsorted input"))
        fits = self.ndim == 1 or (
            values.ndim == self.ndim
            and all(
                same_size(a, b) for a, b in zip(self.shape[:-1], values.shape[:-1], strict=True)
            )
        )
        if not self.ndim or not fits:
            raise ShapeError(
                f"searchsorted: a sequence of shape {show(self.shape)} needs an axis, and values "
                f"whose axes but the last are the same; found {show(values.shape)}"
            )
        rows = self if sorter is None else self.take_along_dim(sorter, -1)
        rows = (rows if self.ndim == 1 else rows.unsqueeze(-2))._constant()
        place = rows._place_of(values._constant(), right or side == "right")
        return place.cast(dtypes.i32 if out_int32 else default_int())

    def bucketize(self, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Self:
        """The position of each element among `boundaries`, which rise: `searchsorted` by its name.

        Raises ShapeError for boundaries of another number of axes than one.

        >>> Tensor([0.5, 2.0, 9.0]).bucketize(Tensor([1.0, 2.0])).tolist()
        [0, 1, 2]
        """
        limits = cast("Self", self._wrap(boundaries, "bucketize boundaries"))
        if limits.ndim != 1:
            raise ShapeError(f"bucketize: expected boundaries of 1 axis, found {limits.ndim}")
        return limits.searchsorted(self, out_int32=out_int32, right=right)

    def _place_of(self, values: Self, right: bool) -> Self:
        """How many elements of the last axis, which rises, stand before each value."""
        size = self.shape[-1]
        place = values._new(UOp.const(dtypes.i32, 0)).expand(values.shape)
        end = values._new(node_size(size, dtypes.i32))
        most = at_most(size)
        device = one_device([self, values], "searchsorted")
        for bit in reversed(range(most.bit_length())):
            at = place + ((1 << bit) - 1)
            element = self._make(node_chosen(self.uop, at.unsqueeze(-1).uop), device)
            behind = element > values if right else element >= values
            if self.dtype.is_float:  # NaN is behind all numbers
                last = element.isnan()
                behind = behind.logical_or(last.logical_and(values == values) if right else last)
            place = (at < end).logical_and(behind.logical_not()).where(at + 1, place)
        return place

    # ---- counts ---------------------------------------------------------------------------

    def bincount(self, weights: Any = None, minlength: int = 0, size: int | None = None) -> Self:
        """How often each of 0, 1, 2 … occurs (int64), or the sum of the weights where it does.

        weights: a tensor of this shape; sums are float64 unless it is float32. minlength: counts
        there are at least. size: so many counts, larger and negative numbers are not counted, and
        nothing is computed, also in a jit. Without it the tensor is computed, because the largest
        number in it is the result's size. Raises ShapeError for another number of axes than one,
        DTypeError for what holds no integers, UsageError for negative ones.

        >>> Tensor([1, 3, 1]).bincount().tolist()
        [0, 2, 0, 1]
        >>> Tensor([1, 0]).bincount(Tensor([0.5, 2.0]), minlength=3).tolist()
        [2.0, 0.5, 0.0]
        >>> Tensor([1, 3, 1]).bincount(size=2).tolist()
        [0, 2]
        """
        import numpy as np

        if self.dtype.is_float or self.dtype.is_bool:
            raise DTypeError(f"bincount: expected integers, found {self.dtype.name}")
        if self.ndim != 1:
            raise ShapeError(f"bincount: expected 1 axis, found shape {show(self.shape)}")
        least = check_size(minlength, "bincount")
        if size is not None:
            count = int(check_size(size, "bincount"))
            return (self < 0).where(count, self.cast(default_int()))._counted_in(count, weights)
        contents.refuse("the largest number (`size=` of bincount says how many counts) is read")
        array = np.asarray(self)
        if array.size and array.min() < 0:
            raise UsageError(f"bincount: expected integers of 0 or more, found {array.min()}")
        size = max(int(array.max()) + 1 if array.size else 0, int(least))
        return self._counted_in(size, weights)

    def _counted_in(self, size: int, weights: Any = None) -> Self:
        """How often each position occurs along one axis, or the sum of weights where it does."""
        if weights is None:
            total = self._new(UOp.const(default_int(), 0)).expand(size)
            return total.scatter_add(0, self, 1)
        heavy = cast("Self", self._wrap(weights, "bincount weights"))
        if heavy.shape != self.shape:
            raise ShapeError(
                f"bincount: expected weights of shape {show(self.shape)}, found {show(heavy.shape)}"
            )
        kind = dtypes.f32 if heavy.dtype is dtypes.f32 else dtypes.f64
        return heavy._new(UOp.const(kind, 0)).expand(size).scatter_add(0, self, heavy.cast(kind))

    def histc(self, bins: int = 100, min: float = 0, max: float = 0) -> Self:
        """How many elements fall into each of `bins` equal parts from `min` to `max`, as floats.

        The last part has its upper bound too; what lies outside, and NaN, is not counted. Where
        both bounds are equal, they are the smallest and the largest element. Raises UsageError for
        no parts, and unless min <= max are finite.

        >>> Tensor([1.0, 2.0, 1.0, 9.0]).histc(4, 0, 4).tolist()
        [0.0, 2.0, 1.0, 0.0]
        """
        if bins < 1 or not (-float("inf") < min <= max < float("inf")):
            raise UsageError(
                "histc: expected 1 bin or more and finite min <= max, "
                f"found {bins}, {min} and {max}"
            )
        return self.flatten()._constant()._histogram(bins, min, max)

    @real
    def _histogram(self, bins: int, min: float, max: float) -> Self:
        low, high = self._new(UOp.const(self.dtype, min)), self._new(UOp.const(self.dtype, max))
        if min == max and not same_size(self.shape[0], 0):
            low, high = self.min(), self.max()
        alike = (low == high).cast(self.dtype)
        low, high = low - alike, high + alike
        inside = (self >= low).logical_and(self <= high)
        part = inside.where((self - low) * bins / (high - low), bins + 1)
        place = inside.where(part.cast(dtypes.i32).minimum(bins - 1), bins)
        return place._counted_in(bins).cast(self.dtype)
