"""Reductions over axes.

`axis`, or `dim`, is one axis, several, or None for all. Reduced axes vanish, or stay with size 1
under `keepdim`. Floats narrower than float32 are accumulated in that and rounded once, integers in
the type of the result: bool and integers are summed in int64, as in PyTorch.
"""

from __future__ import annotations

import math
from typing import Any

from rulewright.errors import ArgumentError, DTypeError, PositionError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core
from rulewright.tensor.elementwise import SCALARS
from rulewright.tensor.kinds import (
    accumulator,
    as_dtype,
    default_int,
    float_dtype,
    real,
    sum_dtype,
    weak,
)
from rulewright.tensor.members import Members, Self
from rulewright.tensor.several_results import Extremes
from rulewright.tensor.shapes import (
    node_cast,
    node_iota,
    node_reduced,
    normal_axes,
    normal_axis,
    numel,
    same_size,
    show,
)

Axes = Any  # one axis, a tuple or list of them, or None


def axis_or_dim(axis: Axes, dim: Axes, method: str, default: int | None = None) -> Axes:
    """The axes, which may be given under either name. Raises UsageError if they are under both."""
    if dim is None:
        return axis
    if axis is not default and not (isinstance(axis, int) and axis == default):
        raise UsageError(f"{method}: axis and dim mean the same; found {axis!r} and {dim!r}")
    return dim


class Reduce(Members):
    """Sums, extremes, moments, norms, positions."""

    __slots__ = ()

    def _reduce(self, op: Op, axis: Axes, keepdim: bool, kind: DType, method: str) -> Self:
        """Combine over axes in type `kind`."""
        axes = normal_axes(axis, self.ndim, method)
        return self._new(node_reduced(node_cast(self.uop, kind), op, axes, keepdim))

    def _extreme(self, op: Op, axis: Axes, keepdim: bool, method: str) -> Self:
        for i in normal_axes(axis, self.ndim, method):
            if i < self.ndim and same_size(self.shape[i], 0):
                raise PositionError(
                    f"{method}: axis {i} of shape {show(self.shape)} is empty, "
                    f"and nothing has no {method}"
                )
        wide = self._reduce(op, axis, keepdim, accumulator(self.dtype), method)
        return self._new(node_cast(wide.uop, self.dtype))

    # ---- sums and products ----------------------------------------------------------------

    def sum(
        self, axis: Axes = None, keepdim: bool = False, dtype: Any = None, *, dim: Axes = None
    ) -> Self:
        """Sum of elements; 0 over an empty axis. `dtype` is the result's and accumulator's.

        >>> Tensor([[1, 2], [3, 4]]).sum(axis=0).tolist()
        [4, 6]
        """
        return self._accumulate(Ops.ADD, axis_or_dim(axis, dim, "sum"), keepdim, dtype, "sum")

    def prod(
        self, axis: Axes = None, keepdim: bool = False, dtype: Any = None, *, dim: Axes = None
    ) -> Self:
        """Product of elements; 1 over an empty axis.

        >>> Tensor([[1, 2], [3, 4]]).prod(dim=1).tolist()
        [2, 12]
        """
        return self._accumulate(Ops.MUL, axis_or_dim(axis, dim, "prod"), keepdim, dtype, "prod")

    def _accumulate(self, op: Op, axis: Axes, keepdim: bool, dtype: Any, method: str) -> Self:
        kind = sum_dtype(self.dtype) if dtype is None else as_dtype(dtype)
        if kind.is_bool:
            raise DTypeError(f"{method}: a bool cannot hold a {method}; use any() or all()")
        wide = self._reduce(op, axis, keepdim, accumulator(kind), method)
        return self._new(node_cast(wide.uop, kind))

    def _count(self, axis: Axes, method: str) -> Dim:
        axes = normal_axes(axis, self.ndim, method)
        return numel([self.shape[i] for i in axes])

    def count_nonzero(self, axis: Axes = None, *, dim: Axes = None) -> Self:
        """How many elements are not zero, as the default int; NaN is not.

        >>> Tensor([[0, 2], [3, 4]]).count_nonzero(0).tolist()
        [1, 2]
        """
        axes = axis_or_dim(axis, dim, "count_nonzero")
        return self.cast(dtypes.bool)._reduce(Ops.ADD, axes, False, default_int(), "count_nonzero")

    def mean(
        self, axis: Axes = None, keepdim: bool = False, dtype: Any = None, *, dim: Axes = None
    ) -> Self:
        """Sum divided by the number of elements, as a float; NaN over an empty axis.

        >>> Tensor([[1.0, 2.0], [3.0, 4.0]]).mean(0).tolist()
        [2.0, 3.0]
        """
        axis = axis_or_dim(axis, dim, "mean")
        x = self if dtype is None else self.cast(dtype)
        kind = float_dtype(x.dtype)
        wide = x.cast(accumulator(kind)).sum(axis, keepdim)
        return (wide / x._count(axis, "mean")).cast(kind)

    def nansum(
        self, axis: Axes = None, keepdim: bool = False, dtype: Any = None, *, dim: Axes = None
    ) -> Self:
        """`sum` of what is not NaN.

        >>> Tensor([1.0, float("nan"), 2.0]).nansum().item()
        3.0
        """
        return self._without_nan().sum(axis_or_dim(axis, dim, "nansum"), keepdim, dtype)

    def nanmean(
        self, axis: Axes = None, keepdim: bool = False, dtype: Any = None, *, dim: Axes = None
    ) -> Self:
        """`mean` of what is not NaN; NaN where there is nothing else.

        >>> Tensor([1.0, float("nan"), 2.0]).nanmean().item()
        1.5
        """
        axis = axis_or_dim(axis, dim, "nanmean")
        x = self if dtype is None else self.cast(dtype)
        kind = float_dtype(x.dtype)
        wide = x._without_nan().cast(accumulator(kind)).sum(axis, keepdim)
        count = x.isnan().logical_not().sum(axis, keepdim, dtype=dtypes.i32)
        return (wide / count).cast(kind)

    def _without_nan(self) -> Self:
        return self.isnan().where(0, self) if self.dtype.is_float else self

    def var(
        self,
        axis: Axes = None,
        keepdim: bool = False,
        correction: int = 1,
        *,
        unbiased: bool | None = None,
        dim: Axes = None,
    ) -> Self:
        """Mean squared distance from the mean, with n - correction in place of n.

        unbiased: true is a correction of 1, false of 0. NaN where n - correction is not positive
        and nothing varies.

        >>> Tensor([1.0, 2.0, 3.0]).var().item(), Tensor([1.0, 3.0]).var(correction=0).item()
        (1.0, 1.0)
        """
        axis = axis_or_dim(axis, dim, "var")
        correction = correction if unbiased is None else int(unbiased)
        kind = float_dtype(self.dtype)
        x = self.cast(accumulator(kind))
        squares = (x - x.mean(axis, keepdim=True)).square().sum(axis, keepdim)
        return (squares / self._degrees(axis, correction, "var")).cast(kind)

    def _degrees(self, axis: Axes, correction: int, method: str) -> Any:
        """The number of elements of axes less a correction, 0 at least."""
        left: Any = self._count(axis, method) - correction
        return max(left, 0) if isinstance(left, int) else left.maximum(0)

    def std(
        self,
        axis: Axes = None,
        keepdim: bool = False,
        correction: int = 1,
        *,
        unbiased: bool | None = None,
        dim: Axes = None,
    ) -> Self:
        """Square root of `var`.

        >>> Tensor([1.0, 5.0]).std(unbiased=False).item()
        2.0
        """
        kind = float_dtype(self.dtype)
        x = self.cast(accumulator(kind))
        variance = x.var(axis, keepdim, correction, unbiased=unbiased, dim=dim)
        flat = variance.eq(0)  # there a square root has no slope; what does not vary has one of 0
        return flat.where(0, flat.where(1, variance).sqrt()).cast(kind)

    def var_mean(
        self,
        axis: Axes = None,
        keepdim: bool = False,
        correction: int = 1,
        *,
        unbiased: bool | None = None,
        dim: Axes = None,
    ) -> tuple[Self, Self]:
        """`var` and `mean`.

        >>> [t.item() for t in Tensor([1.0, 2.0, 3.0]).var_mean()]
        [1.0, 2.0]
        """
        spread = self.var(axis, keepdim, correction, unbiased=unbiased, dim=dim)
        return spread, self.mean(axis, keepdim, dim=dim)

    def std_mean(
        self,
        axis: Axes = None,
        keepdim: bool = False,
        correction: int = 1,
        *,
        unbiased: bool | None = None,
        dim: Axes = None,
    ) -> tuple[Self, Self]:
        """`std` and `mean`.

        >>> [t.item() for t in Tensor([1.0, 2.0, 3.0]).std_mean()]
        [1.0, 2.0]
        """
        spread = self.std(axis, keepdim, correction, unbiased=unbiased, dim=dim)
        return spread, self.mean(axis, keepdim, dim=dim)

    @real
    def norm(
        self, p: Any = 2.0, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None
    ) -> Self:
        """(sum of |x|**p) ** (1/p), 0 over an empty axis; "fro" is 2.

        The largest |x| for p = infinity, the smallest for minus infinity, the number of elements
        that are not zero for 0. The derivative at 0 is 0.

        >>> Tensor([3.0, 4.0]).norm().item(), Tensor([3.0, -4.0]).norm(1).item()
        (5.0, 7.0)
        """
        axis, p = (
            axis_or_dim(axis, dim, "norm"),
            2 if isinstance(p, str) and p == "fro" else weak(p),
        )
        if p.__class__ not in SCALARS or math.isnan(p):
            raise ArgumentError(f"norm: p is a number or 'fro', found {p!r}")
        if p == math.inf:
            return self.abs().max(axis, keepdim)
        if p == -math.inf:
            return self.abs().min(axis, keepdim)
        if p == 0:
            return self.ne(0).cast(self.dtype).sum(axis, keepdim)
        if p == 1:
            return self.abs().sum(axis, keepdim)
        if p == 2:
            return _away_from_0(self.square().sum(axis, keepdim), lambda x: x.sqrt())
        powers = _away_from_0(self.abs(), lambda x: x.pow(p), 0 if p > 0 else math.inf)
        total = powers.sum(axis, keepdim)
        return _away_from_0(total, lambda x: x.pow(1 / p)) if p > 0 else total.pow(1 / p)

    @real
    def normalize(self, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Self:
        """This divided by its norm along an axis, or by eps if that is larger.

        >>> Tensor([[3.0, 4.0]]).normalize().double().round(4).tolist()
        [[0.6, 0.8]]
        """
        return self / self.norm(p, dim, keepdim=True).clip(min=eps)

    # ---- extremes and truth ---------------------------------------------------------------

    def max(self, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None) -> Self:
        """Largest element; NaN if there is one. Raises ShapeError over an empty axis.

        Equal elements share the gradient. Of a tensor in the place of an axis: `maximum`.

        >>> Tensor([[1, 4], [3, 2]]).max(1).tolist()
        [4, 3]
        """
        if isinstance(axis, Core):
            return self.maximum(axis)
        return self._extreme(Ops.MAX, axis_or_dim(axis, dim, "max"), keepdim, "max")

    def min(self, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None) -> Self:
        """Smallest element; NaN if there is one. Raises ShapeError over an empty axis.

        Of a tensor in the place of an axis: `minimum`.

        >>> Tensor([[1, 4], [3, 2]]).min(1).tolist()
        [1, 2]
        """
        if isinstance(axis, Core):
            return self.minimum(axis)
        return self._extreme(Ops.MIN, axis_or_dim(axis, dim, "min"), keepdim, "min")

    def aminmax(
        self, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None
    ) -> Extremes[Self]:
        """`min` and `max`.

        >>> [t.tolist() for t in Tensor([[1, 4], [3, 2]]).aminmax(dim=1)]
        [[1, 2], [4, 3]]
        """
        axis = axis_or_dim(axis, dim, "aminmax")
        return Extremes((self.min(axis, keepdim), self.max(axis, keepdim)))

    def any(self, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None) -> Self:
        """Whether some element is not zero; false over an empty axis.

        >>> Tensor([[0, 0], [0, 3]]).any(1).tolist()
        [False, True]
        """
        axis = axis_or_dim(axis, dim, "any")
        return self.cast(dtypes.bool)._reduce(Ops.MAX, axis, keepdim, dtypes.bool, "any")

    def all(self, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None) -> Self:
        """Whether every element is not zero; true over an empty axis.

        >>> Tensor([[0, 1], [2, 3]]).all(1).tolist()
        [False, True]
        """
        axis = axis_or_dim(axis, dim, "all")
        return self.cast(dtypes.bool)._reduce(Ops.MIN, axis, keepdim, dtypes.bool, "all")

    def allclose(
        self, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
    ) -> bool:
        """Whether `isclose` holds everywhere: a bool, for which both are computed now.

        >>> Tensor([1.0, 2.0]).allclose(Tensor([1.0, 2.000001]))
        True
        """
        close: Any = self.isclose(other, rtol, atol, equal_nan).all()
        return bool(close.item())

    def equal(self, other: Any) -> bool:
        """Whether shapes and all elements are equal: a bool, for which both are computed now.

        >>> Tensor([1, 2]).equal(Tensor([1, 2])), Tensor([1, 2]).equal(Tensor(1))
        (True, False)
        """
        same: Any = self.eq(other).all() if self._wrap(other).shape == self.shape else False
        return bool(same)

    def argmax(
        self, axis: int | None = None, keepdim: bool = False, *, dim: int | None = None
    ) -> Self:
        """Position (int64) of the first largest element, of the first NaN if there is one.

        Without an axis, the position in the flattened tensor. Raises ShapeError over an empty axis.

        >>> Tensor([[1, 4], [3, 2]]).argmax(1).tolist(), Tensor([[1, 4], [3, 2]]).argmax().item()
        ([1, 0], 1)
        """
        return self._first(Ops.MAX, axis_or_dim(axis, dim, "argmax"), keepdim, "argmax")

    def argmin(
        self, axis: int | None = None, keepdim: bool = False, *, dim: int | None = None
    ) -> Self:
        """Position (int64) of the first smallest element; see `argmax`.

        >>> Tensor([[1, 4], [3, 2]]).argmin(0).tolist()
        [0, 1]
        """
        return self._first(Ops.MIN, axis_or_dim(axis, dim, "argmin"), keepdim, "argmin")

    def _first(self, op: Op, axis: int | None, keepdim: bool, method: str) -> Self:
        if axis is None:
            first = self.flatten()._first(op, 0, False, method)
            return first.reshape([1] * self.ndim) if keepdim else first
        at = normal_axis(axis, self.ndim, method)
        if not self.ndim:
            return self._new(UOp.const(default_int(), 0))
        hits = self.eq(self._extreme(op, at, True, method))
        if self.dtype.is_float:
            hits = hits.logical_or(self.isnan())
        long = self.uop.max_shape[at] > dtypes.i32.max
        wide = long or self.dtype.itemsize > dtypes.i32.itemsize
        kind = default_int() if wide else dtypes.i32  # as wide as what is compared, for vectors
        place = self._new(node_iota(self.shape[at], at, self.shape, kind))
        return hits.where(place, kind.max).min(at, keepdim).cast(default_int())


def _away_from_0(x: Any, function: Any, there: float = 0) -> Any:
    """A function that is `there` at 0, with the derivative 0, whatever its own is."""
    zero = x == 0
    return zero.where(there, function(zero.where(1, x)))
