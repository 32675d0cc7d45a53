"""Linear algebra: what takes matrices apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright.tensor.attention import Attention

if TYPE_CHECKING:
    from typing_extensions import Self


class Linalg(Attention):
    """Factors, inverses and determinants of the last two axes, for all leading axes at once."""

    __slots__ = ()

    def trace(self) -> Self:
        """Sum of the diagonal of the last two axes.

        >>> Tensor([[1, 2], [3, 4]]).trace().item()
        5
        """
        return self.diagonal(0, -2, -1).sum(-1)
