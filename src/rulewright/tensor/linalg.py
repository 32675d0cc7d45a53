"""Functions of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulewright.errors import ShapeError
from rulewright.tensor.factors import Factors
from rulewright.tensor.shapes import show

if TYPE_CHECKING:
    from typing_extensions import Self


class Linalg(Factors):
    """Other functions of matrices, the last two axes, for all leading axes at once."""

    __slots__ = ()

    def trace(self) -> Self:
        """Sum of the diagonal of the last two axes.

        >>> Tensor([[1, 2], [3, 4]]).trace().item()
        5
        """
        return self.diagonal(0, -2, -1).sum(-1)

    def newton_schulz(self, steps: int, params: Sequence[float], eps: float = 1e-7) -> Self:
        """Singular values brought towards 1 by an odd polynomial, again and again: with X of
        Frobenius norm 1 (but for `eps`), X becomes sum of params[i] (X Xᵀ)**i X.

        The last two axes are the matrices. Raises ShapeError for fewer axes (Björck and Bowie,
        1971; Jordan et al., 2024).

        >>> Tensor([[3.0, 0.0], [0.0, 4.0]]).newton_schulz(12, (1.5, -0.5)).trace().item()
        2.0
        """
        if self.ndim < 2:
            raise ShapeError(f"newton_schulz: expected matrices, found {show(self.shape)}")
        if int(self.shape[-2]) > int(self.shape[-1]):
            return self.mT.newton_schulz(steps, params, eps).mT
        x = self / (self.square().sum((-2, -1), keepdim=True).sqrt() + eps)
        for _ in range(steps):
            square = x._new(x.matmul(x.mT).uop.contiguous())
            power, found = x, x * params[0]
            for factor in params[1:]:
                power = square.matmul(power)
                found = found + power * factor
            x = x._new(found.uop.contiguous())
        return x
