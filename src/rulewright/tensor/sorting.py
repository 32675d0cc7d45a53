"""Sorting along one axis, and what follows from it.

Every element becomes an integer of 64 bits: a key that orders as the element does, and below it
the place where it stood, so that no two are equal and sorting is stable. Short axes are sorted by
counting, for each element, how many are smaller. Long ones are sorted by their digits where loops
run in order (`ordered`); elsewhere in blocks, which a bitonic network (Batcher, "Sorting networks
and their applications", 1968) merges. The best few of a long axis lie in those groups of elements
whose best ones are the best: with about as many groups as are left over then, twice the root of
n * k elements are sorted instead of n.

Random permutations sort words by such a network alone: each step is one pass over memory,
log2(n) * (log2(n) + 1) / 2 in all.
"""

from __future__ import annotations

from math import isqrt, nan, prod
from typing import Any

from rulewright.errors import PositionError, ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.uop import UOp
from rulewright.tensor import contents
from rulewright.tensor.kinds import default_int
from rulewright.tensor.members import Members, Self
from rulewright.tensor.several_results import Ranked
from rulewright.tensor.shapes import node_iota, normal_axis, same_size, show

COUNTED = 1024
"""Axes up to this long are sorted by counting alone: n² comparisons, but only two kernels."""

BLOCK = 64
"""Elements that are sorted by counting before a longer axis is merged."""

STEPS = 3
"""Steps of the network in one kernel, which computes 2**STEPS - 1 comparisons an element."""

FEW = 16
"""So many best elements are looked for one after the other, where loops run in order."""

DIGITS = 128
"""Axes longer than this are sorted by digits, where loops run in order."""

ROW = 4096
"""Elements of a row that is gone through for each of the few best, at most."""

GROUPED = 4
"""Elements of a group, at least, that are compared before a few best are looked for."""

_PLACE_BITS = 31
_PLACES = (1 << _PLACE_BITS) - 1


class Sorting(Members):
    """sort, topk, unique, median."""

    __slots__ = ()

    def sort(self, dim: int = -1, descending: bool = False, stable: bool = True) -> Ranked[Self]:
        """Elements of an axis in order, and the positions (int64) where they stood.

        NaN is larger than everything; equal elements stay in their order, whatever `stable` says.
        Raises ShapeError if there is no such axis.

        >>> [t.tolist() for t in Tensor([3, 1, 2]).sort()]
        [[1, 2, 3], [1, 2, 0]]
        >>> Tensor([3.0, float("nan"), 2.0]).sort(descending=True)[0].tolist()
        [nan, 3.0, 2.0]
        """
        at = normal_axis(dim, self.ndim, "sort")
        order = self._order(at, descending)
        return Ranked((self.gather(at, order) if self.ndim else self._equal(), order))

    def argsort(self, dim: int = -1, descending: bool = False, stable: bool = True) -> Self:
        """Positions (int64) of the elements of an axis in order; see `sort`.

        >>> Tensor([3, 1, 2]).argsort(descending=True).tolist()
        [0, 2, 1]
        """
        return self._order(normal_axis(dim, self.ndim, "argsort"), descending)

    def topk(
        self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
    ) -> Ranked[Self]:
        """The k largest, or smallest, elements of an axis and their positions, best first.

        sorted: whether their order matters; it is kept anyway. Raises ShapeError if the axis has
        fewer than k elements.

        >>> [t.tolist() for t in Tensor([3, 1, 4, 2]).topk(2)]
        [[4, 3], [2, 0]]
        """
        at = normal_axis(dim, self.ndim, "topk")
        self._check_best("topk", k, at, 0)
        order = self._order(at, largest, k)
        if not self.ndim:
            return Ranked((self._equal(), order))
        best = order._new(order._narrowed(at, (0, k)).uop)
        return Ranked((self.gather(at, best), best))

    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False) -> Ranked[Self]:
        """The k-th smallest element of an axis, counted from 1, and its position.

        Raises ShapeError if the axis has fewer than k elements.

        >>> [t.item() for t in Tensor([3, 1, 4, 2]).kthvalue(2)]
        [2, 3]
        """
        at = normal_axis(dim, self.ndim, "kthvalue")
        self._check_best("kthvalue", k, at, 1)
        values, places = self.topk(k, at, largest=False)
        if not self.ndim:
            return Ranked((values, places))
        last = [t._new(t._narrowed(at, (k - 1, k)).uop) for t in (values, places)]
        return Ranked(last if keepdim else [t.squeeze(at) for t in last])

    def median(self, dim: int | None = None, keepdim: bool = False) -> Self | Any:
        """The middle element of all, the lower one of two; NaN if there is one, or no element.

        With an axis: those of it, and their positions. Raises PositionError over an axis without
        elements, and of no integers at all.

        >>> Tensor([3, 1, 4, 2]).median().item()
        2
        >>> [t.tolist() for t in Tensor([[3, 1, 2], [6, 5, 4]]).median(1)]
        [[2, 5], [2, 1]]
        """
        if dim is None:
            return self._middle_of_all(Sorting.median, keepdim)
        at = normal_axis(dim, self.ndim, "median")
        size = self.shape[at] if self.ndim else 1
        if size == 0:
            raise PositionError(f"median: axis {at} of shape {show(self.shape)} is empty")
        if isinstance(size, int):
            middle, place = self.kthvalue((size + 1) // 2, at, keepdim=True)
        elif size.vmin < 1:
            raise PositionError(
                f"median: axis {at} of shape {show(self.shape)} may be empty; "
                "give its variable a least value of 1"
            )
        else:
            half = (size - 1) // 2
            middle, place = (t._new(t._narrowed(at, (half, half + 1)).uop) for t in self.sort(at))
        if self.dtype.is_float and self.ndim:
            bad = self.isnan()
            first = bad.cast(dtypes.i8).argmax(at, keepdim=True)
            any_bad = bad.any(at, keepdim=True)
            place = any_bad.where(first, place)
            middle = any_bad.where(float("nan"), middle)
        if keepdim or not self.ndim:
            return Ranked((middle, place))
        return Ranked((middle.squeeze(at), place.squeeze(at)))

    def nanmedian(self, dim: int | None = None, keepdim: bool = False) -> Self | Any:
        """`median` of what is not NaN; NaN where nothing else is there.

        >>> Tensor([3.0, float("nan"), 1.0, 4.0]).nanmedian().item()
        3.0
        >>> [t.tolist() for t in Tensor([[3.0, float("nan"), 2.0]]).nanmedian(1)]
        [[2.0], [2]]
        """
        if dim is None:
            return self._middle_of_all(Sorting.nanmedian, keepdim)
        at = normal_axis(dim, self.ndim, "nanmedian")
        if not self.ndim:
            return self.median(at, keepdim)
        if self.shape[at] == 0:
            raise PositionError(f"nanmedian: axis {at} of shape {show(self.shape)} is empty")
        count = self.isnan().logical_not().sum(at, keepdim=True)
        middle = (count - 1).maximum(0) // 2
        value, place = (t.gather(at, middle) for t in self.sort(at))  # NaN is behind all
        if self.dtype.is_float and not isinstance(self.shape[at], int):
            value = count.eq(0).where(nan, value)  # of size 0 too
        return Ranked((value, place) if keepdim else (value.squeeze(at), place.squeeze(at)))

    def _middle_of_all(self, middle: Any, keepdim: bool) -> Self:
        flat = self.flatten()
        none = self.dtype.is_float and same_size(flat.shape[0], 0)
        of_all: Self = flat.mean() if none else middle(flat, 0)[0]
        return of_all.reshape([1] * self.ndim) if keepdim else of_all

    def unique(
        self,
        sorted: bool = True,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> Self | Any:
        """The different elements in order; computed now, because their number is the result's size.

        sorted: they are in order anyway. return_inverse: also, for each element, the position of
        its value among them. return_counts: also how often each occurs. Every NaN differs.
        dim: of an axis instead, the different parts, in order of their first elements that differ.
        Raises UsageError if a size is symbolic, ShapeError for parts without elements.

        >>> Tensor([3, 1, 3]).unique().tolist()
        [1, 3]
        >>> [t.tolist() for t in Tensor([3, 1, 3]).unique(return_inverse=True, return_counts=True)]
        [[1, 3], [1, 0, 1], [1, 2]]
        """
        if not all(isinstance(size, int) for size in self.shape):
            raise UsageError(f"unique: expected known sizes, found {show(self.shape)}")
        contents.refuse("how many elements differ is read")
        at = None if dim is None else normal_axis(dim, self.ndim, "unique")
        at = at if self.ndim else None
        key = self.flatten() if at is None else self._key_of_parts(at)
        values, order = key.sort()
        fresh, count = values._fresh(), int(values.shape[0])
        if at is None:
            results = [values.masked_select(fresh)]
        else:
            results = [self[(slice(None),) * at + (order.masked_select(fresh),)]]
        if return_inverse:
            ranks = fresh._ranks(order)
            results.append(ranks.reshape(self.shape) if at is None else ranks)
        if return_counts:
            place = values._new(node_iota(count, 0, (count,), default_int()))
            starts = place.masked_select(fresh)
            ends = starts._pad_with([(0, 1)], count)._narrowed(0, (1, int(starts.shape[0]) + 1))
            results.append(starts._new((ends - starts).uop))
        return tuple(results) if len(results) > 1 else results[0]

    def _fresh(self) -> Self:
        """Where an element of the last axis, which is in order, differs from the one before."""
        first = self._new(node_iota(self.shape[-1], self.ndim - 1, self.shape)).eq(0)
        return first.logical_or(self.ne(self.roll(1, -1)))

    def _ranks(self, order: Self) -> Self:
        """How many elements differ before each one of the last axis, in their old order: of where
        those in order do, and of where these stood."""
        return (self.cast(default_int()).cumsum(-1) - 1).gather(-1, order.argsort())

    def _key_of_parts(self, at: int) -> Self:
        """A number for each part of an axis, which order as the first elements that differ do: the
        ranks of two neighbours in a part make one number, until there is one."""
        count, size = self.shape[at], prod(self.shape[:at] + self.shape[at + 1 :])
        if not size:
            raise ShapeError(f"unique: parts of axis {at} of {show(self.shape)} have no elements")
        keys = self.moveaxis(at, -1).reshape(size, count)
        while (size := int(keys.shape[0])) > 1:
            values, order = keys.sort()
            ranks = values._fresh()._ranks(order)._pad([(0, size % 2), (0, 0)])
            pairs = ranks.reshape(-(-size // 2), 2, count)
            keys = self._new((pairs[:, 0] * count + pairs[:, 1]).uop.contiguous())
        return keys.reshape(count)

    # ---- how ------------------------------------------------------------------------------

    def _check_best(self, method: str, k: Any, at: int, least: int) -> None:
        """Raise ShapeError if not every size of an axis has k elements, or k is below `least`."""
        size = self.shape[at] if self.ndim else 1
        most = size if isinstance(size, int) else int(size.vmin)
        if not isinstance(k, int) or not least <= k <= most:
            what = "the size" if isinstance(size, int) else "the least size"
            count = k.render() if isinstance(k, UOp) else k
            raise ShapeError(
                f"{method}: expected k from {least} to {most}, {what} of axis {at}, found {count}"
            )

    def _order(self, at: int, descending: bool, best: int | None = None) -> Self:
        """Positions of the elements of an axis in order: of all, or of the first `best` and some
        behind them."""
        if not self.ndim:
            return self._new(UOp.const(default_int(), 0))
        size, most = self.shape[at], self.uop.max_shape[at]
        x = self._new(self.moveaxis(at, -1).uop.detach())
        key = x._key(descending)
        alone = key.dtype.bits == 64 or most <= DIGITS  # keys in the memory that they take
        if alone and best is not None and 0 < best <= FEW and x._in_ordered_loops():
            return key._least(best).cast(default_int()).moveaxis(-1, at)
        order = x._new(node_iota(size, x.ndim - 1, x.shape, dtypes.i64))
        keys = key._halves()  # the least significant one first
        best = most if best is None or len(keys) > 1 else best
        for number, half in enumerate(keys):
            here = half if number == 0 or most < 2 else half.gather(-1, order)
            places = here._in_order(best, min(key.dtype.bits, 32))
            order = order.gather(-1, places) if number else places
        return order.cast(default_int()).moveaxis(-1, at)

    def _in_ordered_loops(self) -> bool:
        """Whether its rows, of known number and not none, can be gone through one by one: not those
        without memory, which any device may compute."""
        from rulewright.tensor.ordered import has_ordered_loops

        known = all(isinstance(size, int) and size for size in self.shape)
        return known and self._device is not None and has_ordered_loops(self.device)

    def _key(self, descending: bool) -> Self:
        """Unsigned numbers that order as the elements do. NaN is the largest, and -0.0 is 0.0."""
        kind = self.dtype
        if kind.is_float:
            x = self if kind.bits >= 16 else self.cast(dtypes.f32)
            bits = (x == 0).where(0.0, x).bitcast(f"uint{x.dtype.bits}")
            top = 1 << (x.dtype.bits - 1)
            key = (bits >= top).where(bits.bitwise_not(), bits | top)
            key = x.isnan().where(2 * top - 1, key)
        elif kind.is_bool:
            key = self.cast(dtypes.u8)
        else:
            key = self.cast(f"uint{kind.bits}")
            key = key ^ (1 << (kind.bits - 1)) if kind.min < 0 else key
        return key.bitwise_not() if descending else key

    def _halves(self) -> list[Self]:
        """Keys as numbers from 0 to 2**32 - 1, in i64; the last counts most."""
        if self.dtype.bits < 64:
            return [self.cast(dtypes.i64)]
        return [(self & 0xFFFFFFFF).cast(dtypes.i64), (self >> 32).cast(dtypes.i64)]

    def _least(self, best: int) -> Self:
        """Places (i32) of the `best` least keys of the last axis, the first of equal ones; of a
        long axis those of blocks, and of these keys again."""
        from rulewright.tensor.ordered import node_least_places

        *lead, size = (int(s) for s in self.shape)
        if size <= 2 * ROW:
            rows = self.reshape(prod(lead), size)
            chosen = self._make(node_least_places(rows.uop, best, self.device), self.device)
            return chosen.reshape(*lead, best)
        block = next((n for n in range(ROW, ROW // 4, -1) if size % n == 0), ROW // 2)
        count = -(-size // block)
        pads = [(0, 0)] * len(lead) + [(0, count * block - size)]
        blocks = self._pad_with(pads, int(self.dtype.max)).reshape(*lead, count, block)
        blocks = self._new(blocks.uop.contiguous())
        first = blocks._least(best)
        of_block = node_iota(count, len(lead), first.shape, dtypes.i32)
        place = (first + self._new(of_block) * block).reshape(*lead, count * best)
        least = blocks.gather(-1, first).reshape(*lead, count * best)._least(best)
        return place.gather(-1, least)

    def _in_order(self, best: int, bits: int) -> Self:
        """Positions of keys in order along the last axis: of the first `best`, or more. What
        differs is in so many bits."""
        size, most, last = self.shape[-1], self.uop.max_shape[-1], self.ndim - 1
        place = self._new(node_iota(size, last, self.shape, dtypes.i64))
        if most < 2:
            return place
        keys = (self << _PLACE_BITS) | place
        if not isinstance(size, int):  # behind all that are there, up to as many as there may be
            pads = [(0, 0)] * last + [(0, most - size)]
            keys = keys._pad_with(pads, int(dtypes.i64.max))
        done = keys._foremost(best, bits) & _PLACES
        return self._new(done._narrowed(last, (0, size)).uop) if best == most else done

    def _foremost(self, best: int, bits: int, places: int = 0) -> Self:
        """The first `best`, or more, of different integers of the last axis, in order: keys of so
        many bits above places, of which so many bits matter; 0 if they are in order.

        Of many, they are in those groups whose least ones are the first. The places tell groups, as
        their number is a power of two, also of the least ones of groups."""
        lead, size = self.shape[:-1], int(self.shape[-1])
        groups = 1 << (isqrt(size * best) - 1).bit_length()
        if size <= DIGITS or size < GROUPED * groups:
            return self._ordered(best, bits, places)
        each = -(-size // groups)
        pads = [(0, 0)] * len(lead) + [(0, each * groups - size)]
        rows = self._pad_with(pads, int(dtypes.i64.max)).reshape(*lead, each, groups)
        places = places or (size - 1).bit_length()
        least = self._new(rows.min(-2).uop.contiguous())._foremost(best, bits, places)
        chosen = (least._narrowed(len(lead), (0, best)) & _PLACES) % groups
        among = rows.gather(-1, chosen.unsqueeze(-2).expand(*lead, each, best))
        among = self._new(among.reshape(*lead, each * best).uop.contiguous())
        return among._ordered(best, bits, places)

    def _ordered(self, best: int, bits: int, places: int) -> Self:
        """The same, of all of them."""
        from rulewright.tensor.ordered import node_least, node_sorted

        size, ordered = int(self.shape[-1]), self._in_ordered_loops()
        if ordered and 0 < best <= FEW and best < size:
            least = node_least(self.reshape(-1, size).uop, best, self.device)
            return self._make(least, self.device).reshape(*self.shape[:-1], best)
        if ordered and size > DIGITS:
            spans = (0, places), (_PLACE_BITS, _PLACE_BITS + bits)
            done = node_sorted(self.reshape(-1, size).uop, spans, self.device)
            return self._make(done, self.device).reshape(self.shape)
        packed = self._new(self.uop.contiguous())
        return packed._counted(best) if size <= COUNTED else packed._merged()

    def _filled(self, full: int, padded: int) -> Self:
        """The last axis made longer by large integers that differ, from `padded` that there are."""
        size, rank = int(self.shape[-1]), self.ndim
        place = self._new(node_iota(full, rank - 1, (*self.shape[:-1], full), dtypes.i64))
        behind = place + (int(dtypes.i64.max) - padded - full)
        pads = [(0, 0)] * (rank - 1) + [(0, full - size)]
        return self._new((place < size).where(self._pad(pads), behind).uop.contiguous())

    def _counted(self, best: int) -> Self:
        """The first of different integers of the last axis, in order: as many stand before one as
        are smaller."""
        size, rank = int(self.shape[-1]), self.ndim
        best = min(best, size)
        shape = (*self.shape, size)
        one, other = (self.unsqueeze(i).expand(shape) for i in (-1, -2))
        smaller = (other < one).cast(dtypes.i32).sum(-1, dtype=dtypes.i32)
        before = self._new(smaller.uop.contiguous())
        chosen = (*self.shape[:-1], best, size)
        place = self._new(node_iota(best, rank - 1, chosen, dtypes.i32))
        hits = before.unsqueeze(-2).expand(chosen).eq(place)
        return hits.where(self.unsqueeze(-2).expand(chosen), 0).sum(-1)

    def _merged(self) -> Self:
        """Different integers of the last axis in order: sorted blocks, merged two by two."""
        size = int(self.shape[-1])
        full = 1 << (size - 1).bit_length()
        lead = self.shape[:-1]
        blocks = self._filled(full, 0).reshape(*lead, full // BLOCK, BLOCK)
        keys = self._new(blocks._counted(BLOCK).reshape(*lead, full).uop.contiguous())
        run, pending = BLOCK, 0
        while run < full:
            step = run
            while step:
                keys = keys._exchanged(step, turned=step == run)
                step, pending = step // 2, pending + 1
                if pending == STEPS:
                    keys, pending = self._new(keys.uop.contiguous()), 0
            run *= 2
        return self._new(keys._narrowed(len(lead), (0, size)).uop)

    def _exchanged(self, step: int, turned: bool) -> Self:
        """The smaller of each pair to the front. Pairs are `step` apart; `turned`: mirrored."""
        shape = (*self.shape[:-1], int(self.shape[-1]) // (2 * step), 2, step)
        pairs = self.reshape(shape)
        other = pairs.flip(-2, -1) if turned else pairs.flip(-2)
        front = self._new(node_iota(2, len(shape) - 2, shape)).eq(0)
        return front.where(pairs.minimum(other), pairs.maximum(other)).reshape(self.shape)
