"""What methods with several results give: tuples, whose parts have PyTorch's names too."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


class Extremes(tuple[T, T]):
    """The least and the largest elements."""

    __slots__ = ()

    @property
    def min(self) -> T:
        """The least ones."""
        return self[0]

    @property
    def max(self) -> T:
        """The largest ones."""
        return self[1]


class QR(tuple[T, T]):
    """An orthogonal factor, and one that is zero below its diagonal."""

    __slots__ = ()

    @property
    def Q(self) -> T:
        """The orthogonal one."""
        return self[0]

    @property
    def R(self) -> T:
        """The one above the diagonal."""
        return self[1]


class SVD(tuple[T, T, T]):
    """Left singular vectors in columns, singular values, right singular vectors in rows."""

    __slots__ = ()

    @property
    def U(self) -> T:
        """Left singular vectors."""
        return self[0]

    @property
    def S(self) -> T:
        """Singular values."""
        return self[1]

    @property
    def Vh(self) -> T:
        """Right singular vectors, in rows."""
        return self[2]


class Eigen(tuple[T, T]):
    """Eigenvalues, and eigenvectors in columns."""

    __slots__ = ()

    @property
    def eigenvalues(self) -> T:
        """Eigenvalues."""
        return self[0]

    @property
    def eigenvectors(self) -> T:
        """Eigenvectors, in columns."""
        return self[1]


class LeastSquares(tuple[T, T, T, T]):
    """A solution of equations, and what is known of it."""

    __slots__ = ()

    @property
    def solution(self) -> T:
        """The solution."""
        return self[0]

    @property
    def residuals(self) -> T:
        """The squares of what is left over, summed over the equations."""
        return self[1]

    @property
    def rank(self) -> T:
        """How many singular values do not count as 0."""
        return self[2]

    @property
    def singular_values(self) -> T:
        """Singular values."""
        return self[3]


class SignAndLog(tuple[T, T]):
    """The sign of determinants, and the logarithm of their size."""

    __slots__ = ()

    @property
    def sign(self) -> T:
        """The sign."""
        return self[0]

    @property
    def logabsdet(self) -> T:
        """The logarithm of the size."""
        return self[1]
