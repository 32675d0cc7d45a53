"""Activation functions of neural networks, element by element."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rulewright.errors import UsageError
from rulewright.tensor.kinds import real
from rulewright.tensor.maths import Maths

if TYPE_CHECKING:
    from typing_extensions import Self


class Activation(Maths):
    """relu and its many successors."""

    __slots__ = ()

    def relu(self) -> Self:
        """max(x, 0); NaN stays NaN, and the derivative at 0 is 0."""
        return (self <= 0).where(0, self)

    def relu6(self) -> Self:
        """relu, at most 6."""
        return self.relu().minimum(6)

    def leaky_relu(self, neg_slope: float = 0.01) -> Self:
        """x, below zero x * neg_slope."""
        return (self < 0).where(self * neg_slope, self)

    @real
    def elu(self, alpha: float = 1.0) -> Self:
        """x, below zero alpha * (exp(x) - 1)."""
        return (self <= 0).where(alpha * (self.minimum(0).exp() - 1), self)

    @real
    def selu(self) -> Self:
        """Self-normalising elu (Klambauer et al., 2017)."""
        alpha, scale = 1.6732632423543772, 1.0507009873554805
        return scale * self.elu(alpha)

    @real
    def sigmoid(self) -> Self:
        """1 / (1 + exp(-x))."""
        return (1 + (-self).exp()).reciprocal()

    @real
    def logsigmoid(self) -> Self:
        """log(sigmoid(x)), without overflow."""
        return -(-self).softplus()

    @real
    def silu(self) -> Self:
        """x * sigmoid(x)."""
        return self * self.sigmoid()

    @real
    def swish(self) -> Self:
        """`silu`."""
        return self.silu()

    @real
    def mish(self) -> Self:
        """x * tanh(softplus(x))."""
        return self * self.softplus().tanh()

    @real
    def gelu(self, approximate: str = "tanh") -> Self:
        """x times the normal distribution function of x (Hendrycks and Gimpel, 2016).

        approximate: "tanh" or "none". The tanh form differs from the exact one by up to 5e-4.
        """
        if approximate not in ("tanh", "none"):
            raise UsageError(f"gelu: approximate is 'tanh' or 'none', found {approximate!r}")
        if approximate == "none":
            return 0.5 * self * (1 + (self * math.sqrt(0.5)).erf())
        inner = math.sqrt(2 / math.pi) * (self + 0.044715 * self * self * self)
        return 0.5 * self * (1 + inner.tanh())

    @real
    def quick_gelu(self) -> Self:
        """x * sigmoid(1.702 x)."""
        return self * (self * 1.702).sigmoid()

    @real
    def erf(self) -> Self:
        """The error function, to 1.5e-7 (Abramowitz and Stegun, formula 7.1.26)."""
        t = 1 / (1 + 0.3275911 * self.abs())
        series = t * 0
        for c in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
            series = (series + c) * t
        return self.sign() * (1 - series * (-self * self).exp())

    @real
    def softplus(self, beta: float = 1.0) -> Self:
        """log(1 + exp(beta x)) / beta, without overflow."""
        x = self * beta
        return (x.maximum(0) + (-x.abs()).exp().log1p()) / beta

    @real
    def softsign(self) -> Self:
        """x / (1 + |x|)."""
        return self / (1 + self.abs())

    def hardtanh(self, min_val: float = -1, max_val: float = 1) -> Self:
        """x, at least min_val and at most max_val."""
        return self.clip(min_val, max_val)

    @real
    def hardsigmoid(self) -> Self:
        """x / 6 + 1/2, at least 0 and at most 1."""
        return (self / 6 + 0.5).clip(0, 1)

    @real
    def hardswish(self) -> Self:
        """x * hardsigmoid(x)."""
        return self * self.hardsigmoid()
