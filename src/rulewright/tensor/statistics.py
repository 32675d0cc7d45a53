"""What vectors say of each other: distances, cross products, covariance, which are among others."""

from __future__ import annotations

from math import prod
from typing import Any

from rulewright.errors import ShapeError, UsageError
from rulewright.tensor.kinds import real
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import normal_axis, same_size, show, show_size

_FEW = 64  # elements up to which comparing with each of them costs less than sorting them


class Statistics(Members):
    """cdist, cross, cov, corrcoef, isin."""

    __slots__ = ()

    def cdist(self, x2: Any, p: float = 2.0) -> Self:
        """Distances (…, m, n) of each row of this (…, m, k) from each row of x2 (…, n, k).

        p: as of `norm`, 0 or more. The derivative is 0 where the distance is. Raises ShapeError
        unless both have rows of one size, UsageError for a negative p.

        >>> Tensor([[0.0, 0.0], [3.0, 0.0]]).cdist(Tensor([[0.0, 4.0]])).tolist()
        [[4.0], [5.0]]
        """
        other = self._wrap(x2, "cdist x2")
        fits = self.ndim >= 2 <= other.ndim and same_size(self.shape[-1], other.shape[-1])
        if not fits:
            raise ShapeError(
                "cdist: expected rows (…, m, k) and (…, n, k), "
                f"found {show(self.shape)} and {show(other.shape)}"
            )
        if not p >= 0:
            raise UsageError(f"cdist: p is a number of 0 or more, found {p}")
        return (self.unsqueeze(-2) - other.unsqueeze(-3)).norm(p, -1)

    def cross(self, other: Any, dim: int = -1) -> Self:
        """The vector product of vectors of 3 elements along an axis; other axes broadcast.

        Raises ShapeError unless both have 3 elements there.

        >>> Tensor([1, 0, 0]).cross(Tensor([0, 1, 0])).tolist()
        [0, 0, 1]
        """
        mine, theirs = self._both(self._wrap(other, "cross other"), "cross")
        at = normal_axis(dim, mine.ndim, "cross")
        if not mine.ndim or not same_size(mine.shape[at], 3):
            raise ShapeError(f"cross: axis {dim} needs 3 elements, found {show(mine.shape)}")
        return mine.roll(-1, at) * theirs.roll(-2, at) - theirs.roll(-1, at) * mine.roll(-2, at)

    @real
    def cov(self, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Self:
        """The covariance (k, k) of variables: this is k rows of n observations; of one row its
        variance, ().

        correction: what is taken off the number of observations. fweights (n,): how often each was
        observed. aweights (n,): how much each counts. Raises ShapeError for more axes than 2, and
        for weights of another shape.

        >>> Tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]).cov().tolist()
        [[1.0, -0.5], [-0.5, 1.0]]
        >>> Tensor([1.0, 3.0]).cov(aweights=Tensor([1, 3]), correction=0).item()
        0.75
        """
        if not 1 <= self.ndim <= 2:
            raise ShapeError(f"cov: expected 1 or 2 axes, found {show(self.shape)}")
        rows = self.unsqueeze(0) if self.ndim == 1 else self
        weights = [
            rows._weights_of(each, name)
            for name, each in (("fweights", fweights), ("aweights", aweights))
            if each is not None
        ]
        weight: Any = prod(weights)
        if not weights:
            mean = rows.mean(1, keepdim=True)
            size = rows._degrees(1, correction, "cov")
        else:
            total = weight.sum()
            mean = (rows * weight).sum(1, keepdim=True) / total
            lost = 1 if aweights is None else (weight * weights[-1]).sum() / total
            size = (total - correction * lost).maximum(0)
        apart = rows - mean
        both = apart.matmul((apart * weight).mT) / size
        return both.reshape(()) if rows.shape[0] == 1 else both

    def _weights_of(self, weights: Any, name: str) -> Members:
        """What each observation, a column of this, counts."""
        weight = self._wrap(weights, f"cov {name}")
        if weight.ndim != 1 or not same_size(weight.shape[0], self.shape[1]):
            raise ShapeError(
                f"cov: {name} needs a number for each of {show_size(self.shape[1])} observations, "
                f"found shape {show(weight.shape)}"
            )
        return weight

    @real
    def corrcoef(self) -> Self:
        """The correlations (k, k) of variables, `cov` divided by both deviations; of one row ().

        Raises ShapeError for more axes than 2.

        >>> Tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]).corrcoef().tolist()
        [[1.0, -0.5], [-0.5, 1.0]]
        """
        if not 1 <= self.ndim <= 2:
            raise ShapeError(f"corrcoef: expected 1 or 2 axes, found {show(self.shape)}")
        both = self.cov()
        if not both.ndim:
            return both / both
        size = both.diagonal().sqrt()
        return (both / size.unsqueeze(1) / size).clip(-1, 1)

    def isin(self, test_elements: Any, invert: bool = False) -> Self:
        """Where elements are among others, as bools; NaN is among none. invert: where they are not.

        test_elements: a number, or a tensor of any shape.

        >>> Tensor([1, 2, 3]).isin(Tensor([3, 1])).tolist()
        [True, False, True]
        """
        others = self._wrap(test_elements, "isin test_elements").flatten()
        if not isinstance(count := others.shape[0], int) or count <= _FEW:
            inside = self.unsqueeze(-1).eq(others).any(-1)
        else:
            a, b, device = self.flatten()._pair(others[:1], "isin")
            values, ordered = self._make(a, device), others.cast(b.dtype).sort()[0]
            place: Any = ordered.searchsorted(values).clip(max=count - 1)
            inside = values.eq(ordered[place]).reshape(self.shape)
        return inside.logical_not() if invert else inside
