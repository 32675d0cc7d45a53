"""What methods with several results give: tuples, whose parts have PyTorch's names too."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")


class TuplePart(property):
    """The part of a tuple at a place, by a name."""

    def __init__(self, place: int, doc: str) -> None:
        super().__init__(itemgetter(place), doc=doc)

    if TYPE_CHECKING:

        def __get__(  # type: ignore[override]  # of these tuples alone
            self, instance: tuple[T, ...], owner: Any = None
        ) -> T: ...


class Extremes(tuple[T, T]):
    """The least and the largest elements."""

    __slots__ = ()

    min = TuplePart(0, "The least ones.")
    max = TuplePart(1, "The largest ones.")


class QR(tuple[T, T]):
    """An orthogonal factor, and one that is zero below its diagonal."""

    __slots__ = ()

    Q = TuplePart(0, "The orthogonal one.")
    R = TuplePart(1, "The one above the diagonal.")


class SVD(tuple[T, T, T]):
    """Left singular vectors in columns, singular values, right singular vectors in rows."""

    __slots__ = ()

    U = TuplePart(0, "Left singular vectors.")
    S = TuplePart(1, "Singular values.")
    Vh = TuplePart(2, "Right singular vectors, in rows.")


class Eigen(tuple[T, T]):
    """Eigenvalues, and eigenvectors in columns."""

    __slots__ = ()

    eigenvalues = TuplePart(0, "Eigenvalues.")
    eigenvectors = TuplePart(1, "Eigenvectors, in columns.")


class LeastSquares(tuple[T, T, T, T]):
    """A solution of equations, and what is known of it."""

    __slots__ = ()

    solution = TuplePart(0, "The solution.")
    residuals = TuplePart(1, "The squares of what is left over, summed over the equations.")
    rank = TuplePart(2, "How many singular values do not count as 0.")
    singular_values = TuplePart(3, "Singular values.")


class SignAndLog(tuple[T, T]):
    """The sign of determinants, and the logarithm of their size."""

    __slots__ = ()

    sign = TuplePart(0, "The sign.")
    logabsdet = TuplePart(1, "The logarithm of the size.")


class Ranked(tuple[T, T]):
    """Elements and the positions where they stand: a pair, whose parts have PyTorch's names too."""

    __slots__ = ()

    values = TuplePart(0, "The elements.")
    indices = TuplePart(1, "Where they stand.")
