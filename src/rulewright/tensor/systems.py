"""Equations of matrices, and numbers that say how well they can be solved."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from rulewright.errors import ChoiceError, ShapeError
from rulewright.ir.dtypes import dtypes
from rulewright.tensor import contents
from rulewright.tensor.kinds import accumulator, float_dtype
from rulewright.tensor.matrix_steps import repeated
from rulewright.tensor.members import Members, Self
from rulewright.tensor.products import product_dtype
from rulewright.tensor.several_results import LeastSquares
from rulewright.tensor.shapes import show

_TERMS = 13
"""The degree of both polynomials of the exponential: right in float64 up to a norm of 5."""
_SQUARINGS = 16
"""How often the exponential of a part of a matrix is squared at most."""


class Systems(Members):
    """Solutions that are found by way of factors, for all leading axes at once."""

    __slots__ = ()

    def lstsq(self, other: Any, rtol: float | None = None) -> LeastSquares[Self]:
        """(solution, residuals, rank, singular_values): the smallest X for which the squares of
        this X - other are least, by way of the singular values.

        This is (…, m, n), other (…, m, k) and the solution (…, n, k); or other is (m,) or this
        without its last axis, and the solution (…, n). residuals: those sums of squares (…, k) if
        m > n, else empty. rtol: singular values up to this share of the largest count as 0; the
        dtype's epsilon times the larger of m and n if it is not said. Raises ShapeError if sizes do
        not fit, UsageError for a negative rtol.

        >>> Tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]).lstsq(Tensor([3.0, 4.0, 5.0]))[0].tolist()
        [3.0, 2.0]
        """
        whole: Any = self
        a, right = whole._matrices("lstsq"), whole._other(other, "lstsq")
        if right.ndim and (right.ndim == 1 or right.shape == a.shape[:-1]):
            x, left, rank, s = self.lstsq(right.unsqueeze(-1), rtol)
            return LeastSquares((x.squeeze(-1), left.squeeze(-1), rank, s))
        if right.ndim < 2 or right.shape[-2] != a.shape[-2]:
            raise ShapeError(
                f"lstsq: {show(self.shape)} needs a right side (…, {a.shape[-2]}, k), found "
                f"{show(right.shape)}"
            )
        kind = float_dtype(product_dtype("lstsq", None, self.dtype, right.dtype))
        share = a._least_share("lstsq", rtol)
        a, b = a.cast(accumulator(kind)), right.cast(accumulator(kind))
        u, s, v = a.svd(full_matrices=False)
        x = v.mT.matmul(s._inverted(share).unsqueeze(-1) * u.mT.matmul(b)) if a.numel() else (
            a.mT.matmul(b))  # fmt: skip
        over = (a.matmul(x) - b).square().sum(-2)
        left = over if a.shape[-2] > a.shape[-1] else over.flatten()[:0]
        rank = s._are_large(share).sum(-1) if a.numel() else s.sum(-1).cast(dtypes.i64)
        return LeastSquares((x.cast(kind), left.cast(kind), rank, s.cast(kind)))

    def cholesky_solve(self, L: Any, upper: bool = False) -> Self:
        """X with A X = this (…, n, k), of a factor of A that `cholesky` gave: (…, n, n).

        Raises ShapeError unless the factor is square and fits.

        >>> L = Tensor([[4.0, 2.0], [2.0, 5.0]]).cholesky()
        >>> Tensor([[6.0], [7.0]]).cholesky_solve(L).tolist()
        [[1.0], [1.0]]
        """
        whole: Any = self
        factor = whole._other(L, "cholesky_solve")._matrices("cholesky_solve", square=True)
        lower = factor.mT.tril() if upper else factor.tril()
        solved: Self = lower.mT.solve(lower.solve(self))
        return solved

    def logdet(self) -> Self:
        """The logarithm of the determinant of each matrix: NaN where that is negative, and minus
        infinity where it is 0. Raises ShapeError unless they are square.

        >>> Tensor([[1.0, 0.0], [0.0, 1.0]]).logdet().item()
        0.0
        """
        whole: Any = self
        sign, size = whole._matrices("logdet", square=True).slogdet()
        logarithm: Self = (sign < 0).where(math.nan, size.cast(float_dtype(self.dtype)))
        return logarithm

    def matrix_rank(self, rtol: float | None = None) -> Self:
        """How many singular values of each matrix do not count as 0, see `pinv`.

        Raises ShapeError for fewer than two axes, UsageError for a negative rtol.

        >>> Tensor([[1.0, 2.0], [2.0, 4.0]]).matrix_rank().item()
        1
        """
        whole: Any = self
        a = whole._matrices("matrix_rank")
        share, s = a._least_share("matrix_rank", rtol), a.svd(full_matrices=False)[1]
        rank: Self = s._are_large(share).sum(-1) if a.numel() else s.sum(-1).cast(dtypes.i64)
        return rank

    def cond(self, p: Any = None) -> Self:
        """The condition of each matrix: its norm times that of its inverse.

        p: of which norm; None or 2: the largest singular value by the least, -2: the least by the
        largest; "fro": of all elements, 1 and -1: the largest and the least sum of a column's
        sizes, inf and -inf: of a row's. Raises ShapeError for fewer than two axes, and unless the
        matrices are square for those of the inverse; ChoiceError for another norm.

        >>> round(Tensor([[4.0, 0.0], [0.0, 2.0]]).cond().item(), 4)
        2.0
        """
        known = (None, 2, -2, "fro", 1, -1, math.inf, -math.inf)
        if not isinstance(p, Real | str | None) or p not in known:
            raise ChoiceError(f"cond: p is None, 'fro', ±1, ±2 or ±inf, found {p!r}")
        whole: Any = self
        a = whole._matrices("cond", square=p not in (None, 2, -2))
        kind = float_dtype(self.dtype)
        if p not in (None, 2, -2):
            ratio = _matrix_norm(a, p) * _matrix_norm(a.inverse(), p)
        else:
            s = a.svd(full_matrices=False)[1]
            first, last = s.max(-1), s.min(-1)
            ratio = last / first if p == -2 else first / last
        condition: Self = ratio.cast(kind)
        return condition

    def matrix_exp(self) -> Self:
        """The exponential of each matrix: the sum of its powers, each by its factorial.

        Of a norm below 2 by a fraction of two polynomials, else squared as often as the norm was
        halved: up to 2**16 times, and NaN beyond. Where the matrices are still to be computed, or
        are arguments of a jitted function, all 16 squarings are done, of which some change nothing.
        Raises ShapeError unless they are square.

        >>> Tensor([[0.0, 3.0], [0.0, 0.0]]).matrix_exp().tolist()
        [[1.0, 3.0], [0.0, 1.0]]
        """
        whole: Any = self
        a = whole._matrices("matrix_exp", square=True)
        kind = float_dtype(self.dtype)
        if not a.numel():
            empty: Self = a.cast(kind)._kept()
            return empty
        scale = a._constant().abs().sum(-2, keepdim=True)._scale((-2, -1)).maximum(1)
        even, odd = _exponential_parts((a / scale)._kept())
        power = (even - odd).solve(even + odd)
        power, _ = repeated(_squarings(whole), _squared, power._kept(), scale._kept())
        exponential: Self = (scale > 2.0**_SQUARINGS).where(math.nan, power).cast(kind)
        return exponential


def _squarings(matrices: Any) -> int:
    """How many squarings matrices need at most, by their norms where these are known."""
    known = contents.values_there(matrices.uop)
    if known is None:
        return _SQUARINGS
    import numpy as np

    sizes = np.abs(np.broadcast_to(known, matrices.shape).astype(np.float64))
    norm = float(sizes.sum(-2).max())
    return max(math.frexp(norm)[1], 0) if norm < 2.0**_SQUARINGS else _SQUARINGS


def _squared(power: Any, scale: Any) -> tuple[Any, Any]:
    """One squaring where the scale is not used up."""
    return (scale > 1).where(power.matmul(power), power)._kept(), (scale / 2)._kept()


def _matrix_norm(a: Any, p: Any) -> Any:
    if p == "fro":
        return a.square().sum((-2, -1)).sqrt()
    sums = a.abs().sum(-2 if abs(p) == 1 else -1)
    return sums.max(-1) if p > 0 else sums.min(-1)


def _exponential_parts(a: Any) -> tuple[Any, Any]:
    """The even and the odd powers of the polynomial above the fraction of Padé, whose lower one
    is that of minus the matrix."""
    unit = a._unit_matrix(int(a.shape[-1]))
    square = a.matmul(a)._kept()
    weights = [
        math.comb(_TERMS, k) * math.factorial(2 * _TERMS - k) / math.factorial(2 * _TERMS)
        for k in range(_TERMS + 1)
    ]
    parts = []
    for start in (_TERMS - 1, _TERMS):
        total = unit * weights[start]
        for k in range(start - 2, -1, -2):
            total = (square.matmul(total) + unit * weights[k])._kept()
        parts.append(total)
    return parts[0], a.matmul(parts[1])
