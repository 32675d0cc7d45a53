"""softmax and its kin, and scans along one axis.

A scan goes up and down a tree: totals of blocks, the scan of these, and in each block what is
below a triangle. That is 17 operations an element in all, and two passes over the memory. Few
elements are scanned in one kernel, in which each block adds up all that is before it. Where loops
run in order, accumulators go along many elements instead (`ordered`); a few long rows are cut in
blocks then, of which each begins with the total of those before it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import at_most
from rulewright.ir.uop import UOp
from rulewright.tensor.kinds import accumulator, as_dtype, default_int, real, sum_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.own_derivative import with_derivative
from rulewright.tensor.patterns import patterned
from rulewright.tensor.reduce import Axes, axis_or_dim
from rulewright.tensor.several_results import Ranked
from rulewright.tensor.shapes import node_iota, normal_axes, normal_axis, same_size

if TYPE_CHECKING:
    from rulewright.tensor.adjoint import KernelCall

BLOCK = 16
"""Elements of a block: as many as a vector holds, and as a kernel combines without a loop."""
SHORT = 32
"""Axes up to this long are one block."""
FEW = 8
"""Axes up to this long are one block where loops run in order, too; up to SHORT if what is behind
the axis is no whole number of vectors."""
SMALL = 1 << 12
"""Elements of which each block adds up all before it: less than another kernel would take."""
FEW_ROWS, LEAST_ROW = 16, 1 << 12
"""Fewer rows than this are cut in blocks if they are long, for threads to share."""
MOST_PARTS = 256


class Scans(Members):
    """softmax, logsumexp, running sums and extremes."""

    __slots__ = ()

    # ---- softmax and its kin --------------------------------------------------------------

    def _as(self, dtype: Any) -> Self:
        return self if dtype is None else self.cast(dtype)

    def _shifted(self, axis: int) -> Self:
        """This minus its largest element along an axis, so that exp does not overflow."""
        if self.ndim and same_size(self.shape[normal_axis(axis, self.ndim, "softmax")], 0):
            return self
        return self - self._new(self.max(axis, keepdim=True).uop.detach())

    @patterned
    def softmax(self, axis: int = -1, dtype: Any = None, *, dim: int | None = None) -> Self:
        """exp(x) / sum(exp(x)) along an axis, without overflow; `dtype` is cast to before.

        >>> Tensor([0.0, 0.0]).softmax().tolist()
        [0.5, 0.5]
        """
        return self._as(dtype)._softmax(axis_or_dim(axis, dim, "softmax", -1))

    @real
    def _softmax(self, axis: int) -> Self:
        powers = self._shifted(axis).exp()
        total = powers.sum(axis, keepdim=True)
        # one quotient a row; each number then is off by an ulp more, which is much of a short float
        return powers * total.reciprocal() if self.dtype.bits >= 32 else powers / total

    @patterned
    def log_softmax(self, axis: int = -1, dtype: Any = None, *, dim: int | None = None) -> Self:
        """log(softmax(x)), without overflow; `dtype` is cast to before.

        >>> Tensor([0.0, 1000.0]).log_softmax().tolist()
        [-1000.0, 0.0]
        """
        return self._as(dtype)._log_softmax(axis_or_dim(axis, dim, "log_softmax", -1))

    @real
    def _log_softmax(self, axis: int) -> Self:
        x = self._shifted(axis)
        return x - x.exp().sum(axis, keepdim=True).log()

    def softmin(self, axis: int = -1, dtype: Any = None, *, dim: int | None = None) -> Self:
        """softmax(-x).

        >>> Tensor([0.0, 1000.0]).softmin().tolist()
        [1.0, 0.0]
        """
        return self._as(dtype)._softmin(axis_or_dim(axis, dim, "softmin", -1))

    @real
    def _softmin(self, axis: int) -> Self:
        return (-self)._softmax(axis)

    def logsumexp(self, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None) -> Self:
        """log(sum(exp(x))), without overflow; minus infinity over an empty axis.

        >>> Tensor([1000.0, float("-inf")]).logsumexp().item()
        1000.0
        """
        return self._logsumexp(axis_or_dim(axis, dim, "logsumexp"), keepdim)

    @real
    def _logsumexp(self, axis: Axes, keepdim: bool) -> Self:
        axes = normal_axes(axis, self.ndim, "logsumexp")
        if any(i < self.ndim and same_size(self.shape[i], 0) for i in axes):
            return self.exp().sum(axis, keepdim).log()
        top = self.max(axis, keepdim=True)
        base = self._new(top.isfinite().where(top, 0).uop.detach())
        result = (self - base).exp().sum(axis, keepdim=True).log() + base
        return result if keepdim or not self.ndim else result.squeeze(axes)

    # ---- scans ----------------------------------------------------------------------------

    def cumsum(self, axis: int = 0, dtype: Any = None, *, dim: int | None = None) -> Self:
        """Sums of the elements up to and with each one, along an axis.

        dtype: as of `sum`. Raises ShapeError if there is no such axis.

        >>> Tensor([1, 2, 3]).cumsum().tolist()
        [1, 3, 6]
        """
        return self._running(Ops.ADD, axis_or_dim(axis, dim, "cumsum", 0), dtype, "cumsum")

    def cumprod(self, axis: int = 0, dtype: Any = None, *, dim: int | None = None) -> Self:
        """Products of the elements up to and with each one, along an axis.

        >>> Tensor([1, 2, 3]).cumprod().tolist()
        [1, 2, 6]
        """
        return self._running(Ops.MUL, axis_or_dim(axis, dim, "cumprod", 0), dtype, "cumprod")

    def _running(self, op: Op, axis: int, dtype: Any, method: str) -> Self:
        kind = sum_dtype(self.dtype) if dtype is None else as_dtype(dtype)
        at = normal_axis(axis, self.ndim, method)
        if not self.ndim:
            return self.cast(kind)._equal()
        wide = self._accumulator(op, kind)
        scanned = self._scan_in_order(op, at, wide, kind)
        if scanned is not None:
            return scanned
        x = self.cast(kind).cast(wide)
        joined, keeps = x._joined_blocks(op, at)
        return x._of_blocks(joined.cast(kind), at, keeps)

    def _accumulator(self, op: Op, kind: DType) -> DType:
        """What elements are combined in. Products of float32 are made in float64 where that costs
        little, as in PyTorch: of a block they may be beyond float32 where those of all are not."""
        from rulewright.tensor.ordered import has_ordered_loops

        is_wide = op is Ops.MUL and kind is dtypes.f32 and has_ordered_loops(self.device)
        return dtypes.f64 if is_wide else accumulator(kind)

    def cummax(self, axis: int = 0, *, dim: int | None = None) -> Ranked[Self]:
        """Largest elements up to each one, along an axis, and where (int64) they last were.

        NaN is larger than everything.

        >>> [t.tolist() for t in Tensor([1, 3, 2, 3]).cummax()]
        [[1, 3, 3, 3], [0, 1, 1, 3]]
        """
        return self._extremes(Ops.MAX, axis_or_dim(axis, dim, "cummax", 0), "cummax")

    def cummin(self, axis: int = 0, *, dim: int | None = None) -> Ranked[Self]:
        """Smallest elements up to each one, and positions of the last of them; see `cummax`.

        >>> [t.tolist() for t in Tensor([3, 1, 2, 1]).cummin()]
        [[3, 1, 1, 1], [0, 1, 1, 3]]
        """
        return self._extremes(Ops.MIN, axis_or_dim(axis, dim, "cummin", 0), "cummin")

    def _extremes(self, op: Op, axis: int, method: str) -> Ranked[Self]:
        at = normal_axis(axis, self.ndim, method)
        if not self.ndim:
            return Ranked((self._equal(), self._new(UOp.const(default_int(), 0))))
        both = self._extremes_in_order(op, at)
        if both is not None:
            return Ranked((both[0], both[1].cast(default_int())))
        if self.dtype.is_float and all(isinstance(size, int) for size in self.shape):
            plain, slope = _extremes_of(op, at, self._sizes_in_order(at) is not None)
            parts = self._new(with_derivative(method, plain, slope, (self,), self._device, at))
            values = self._of_blocks(parts, at, keeps=True)
        else:
            values = self._scan(op, at)
        return Ranked((values, self._last_places(values, at)))

    def _last_places(self, extremes: Self, at: int) -> Self:
        """Where each of the extremes up to each element was last reached."""
        reached = self.eq(extremes)
        if self.dtype.is_float:
            reached = reached.logical_or(self.isnan())
        place = self._new(node_iota(self.shape[at], at, self.shape, dtypes.i32))
        return reached.where(place, 0)._scan(Ops.MAX, at).cast(default_int())

    def logcumsumexp(self, axis: int = 0, *, dim: int | None = None) -> Self:
        """log(cumsum(exp(x))) along an axis, without overflow.

        >>> Tensor([1000.0, float("-inf"), 2000.0]).logcumsumexp().tolist()
        [1000.0, 1000.0, 2000.0]
        """
        return self._log_running(axis_or_dim(axis, dim, "logcumsumexp", 0))

    @real
    def _log_running(self, axis: int) -> Self:
        at = normal_axis(axis, self.ndim, "logcumsumexp")
        return self._scan(None, at) if self.ndim else self

    def _scan(self, op: Op | None, at: int) -> Self:
        """Combine elements up to each one. None adds exponentials."""
        scanned = self._scan_in_order(op, at, accumulator(self.dtype), self.dtype)
        return self._scan_in_blocks(op, at) if scanned is None else scanned

    def _extremes_in_order(self, op: Op, at: int) -> tuple[Self, Self] | None:
        """The extreme up to each element and where it last was; None as for `_scan_in_order`."""
        from rulewright.tensor.ordered import node_extremes

        sizes = self._sizes_in_order(at)
        if sizes is None:
            return None
        outer, size, inner = sizes
        parted = inner == 1 and outer < FEW_ROWS and size > LEAST_ROW
        if parted:
            return None
        nodes = node_extremes(self.reshape(outer, size, inner).uop, op, self.device)
        values, places = (self._make(node, self.device).reshape(self.shape) for node in nodes)
        return values, places

    def _sizes_in_order(self, at: int) -> tuple[int, int, int] | None:
        """How many elements are before, along and behind an axis that accumulators go along; None
        if few are combined, loops do not run in order, or no memory says on which device."""
        from rulewright.tensor.ordered import LANES, has_ordered_loops, lanes_behind

        known = [s for s in self.shape if isinstance(s, int)]
        if len(known) < self.ndim or prod(known) <= SMALL:
            return None
        outer, size, inner = prod(known[:at]), known[at], prod(known[at + 1 :])
        least = FEW if inner == 1 or inner % LANES == 0 else SHORT
        if self._device is None or size <= least or lanes_behind(inner) is None:
            return None
        return (outer, size, inner) if has_ordered_loops(self.device) else None

    def _scan_in_order(self, op: Op | None, at: int, wide: DType, kind: DType) -> Self | None:
        """The same by accumulators in `wide` that go along the axis, given in `kind`; None if few
        are combined, or loops do not run in order."""
        sizes = self._sizes_in_order(at)
        if sizes is None:
            return None
        outer, size, inner = sizes
        rows, start = self.reshape(outer, size, inner), None
        if inner == 1 and outer < FEW_ROWS and size > LEAST_ROW:
            count = next((n for n in range(MOST_PARTS, FEW_ROWS - 1, -1) if size % n == 0), None)
            if count is None:
                return None
            rows = self.reshape(outer * count, size // count, 1)
            totals = rows.cast(wide)._scan_total(op, 1).reshape(outer, count)
            before = self._new(totals.uop.contiguous())._scan_in_blocks(op, 1, without=True)
            start = self._new(before.reshape(outer * count, 1).uop.contiguous())
        return rows._accumulated(op, wide, kind, start).reshape(self.shape)

    def _accumulated(self, op: Op | None, wide: DType, kind: DType, start: Self | None) -> Self:
        """(outer, size, inner), of which outer and inner begin with `start`, by accumulators along
        `size`. Exponentials take long: rows are made neighbours then, for vectors."""
        from rulewright.tensor.ordered import LANES, Scan, lanes_behind, node_scanned

        outer, size, inner = (int(s) for s in self.shape)
        side = op is None and inner < LANES <= outer * inner and lanes_behind(outer * inner)
        x = self.permute(1, 0, 2).reshape(1, size, outer * inner) if side else self
        first = None if start is None else start.reshape(x.shape[0], x.shape[2]).uop
        node = node_scanned(x.uop, Scan(op, wide, kind), self.device, first)
        scanned = self._make(node, self.device)
        return scanned.reshape(size, outer, inner).permute(1, 0, 2) if side else scanned

    def _scan_in_blocks(self, op: Op | None, at: int, without: bool = False) -> Self:
        """The same by a tree; `without` the element itself."""
        joined, keeps = self._joined_blocks(op, at, without)
        return self._of_blocks(joined, at, keeps)

    def _joined_blocks(self, op: Op | None, at: int, without: bool = False) -> tuple[Self, bool]:
        """The same with an axis of blocks before that of their elements, of which the last may be
        beyond the end, unless one block has all; and whether memory should keep it."""
        size, most = self.shape[at], at_most(self.shape[at])
        if most <= SHORT:
            return self._scan_block(op, at, without), False
        small = op is not None and prod(self.uop.max_shape) <= SMALL
        block = _divisor(most) if small else BLOCK
        blocks = -(-most // block)
        pads = [(0, blocks * block - size if i == at else 0) for i in range(self.ndim)]
        shape = [*self.shape[:at], blocks, block, *self.shape[at + 1 :]]
        parts = self._pad_with(pads, _identity(op, self.dtype)).reshape(shape)
        before, kept = parts._before_blocks(op, at, small)
        before, within = before.unsqueeze(at + 1), parts._scan_block(op, at + 1, without)
        joined = before.logaddexp(within) if op is None else before._binary(op, within, "scan")
        even = size == most and most % block == 0
        return joined, not kept or not even or op not in (Ops.ADD, Ops.MUL)

    def _of_blocks(self, joined: Self, at: int, keeps: bool) -> Self:
        """What `_joined_blocks` gave, in this tensor's shape."""
        size = self.shape[at]
        if joined.ndim == self.ndim:
            return joined
        if keeps:
            joined = self._new(joined.uop.contiguous())  # by blocks, and what is costly once
        return self._new(joined.flatten(at, at + 1)._narrowed(at, (0, size)).uop)

    def _before_blocks(self, op: Op | None, at: int, small: bool) -> tuple[Self, bool]:
        """What is before each block, blocks being along `at` and their elements along the next
        axis; and whether it is kept in memory."""
        if small:
            return self._scan_block(op, at, True, also=at + 1), False
        totals = self._new(self._scan_total(op, at + 1).uop.contiguous())
        before = totals._scan_in_blocks(op, at, without=True)
        if op is not None and int(self.shape[at]) <= SHORT:
            return before, False
        return self._new(before.uop.contiguous()), True  # not once an element

    def _scan_block(self, op: Op | None, at: int, without: bool, also: int | None = None) -> Self:
        """Combine what a triangle covers; and all along the axis `also`, behind `at`, is one."""
        size = self.shape[at]
        shape = (*self.shape[:at], size, *self.shape[at:])
        upto, place = (node_iota(size, axis, shape) for axis in (at, at + 1))
        spread = self.unsqueeze(at).expand(shape)
        inside = self._new(place < upto if without else place <= upto)
        axes = at + 1 if also is None else (at + 1, also + 1)
        return inside.where(spread, _identity(op, self.dtype))._scan_total(op, axes)

    def _scan_total(self, op: Op | None, at: Axes) -> Self:
        if op is None:
            return self._logsumexp(at, False)
        return self._reduce(op, at, False, self.dtype, "scan")


@lru_cache(64)  # so that equal calls are one node
def _extremes_of(op: Op, at: int, in_order: bool) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Extremes up to each element of a tensor, or blocks of them, whose gradients go where these
    were reached."""

    def slope(upstream: Any, call: KernelCall) -> tuple[Any]:
        (x,) = call.sources
        assert x is not None
        g = x._of_blocks(upstream, at, keeps=False)
        places = x._last_places(x._of_blocks(call.results[0], at, keeps=True), at)
        return (g.zeros_like().scatter_add(at, places, g),)

    def plain(x: Any) -> Any:
        return x._scan(op, at) if in_order else x._joined_blocks(op, at)[0]

    return plain, slope


def _divisor(size: int) -> int:
    """The elements of a block, four vectors at most: a divisor, if one has a vector or more."""
    most = min(4 * BLOCK, size // 2)
    return next((block for block in range(most, BLOCK - 1, -1) if size % block == 0), most)


def _identity(op: Op | None, kind: DType) -> Any:
    if op is None:
        return float("-inf")
    if kind.is_bool:
        return op is Ops.MIN
    return {Ops.ADD: 0, Ops.MUL: 1, Ops.MAX: kind.min, Ops.MIN: kind.max}[op]
