"""Activation functions, element by element.

Values and derivatives at kinks are those of PyTorch; nothing overflows on the way.
"""

from __future__ import annotations

import math
from typing import Any

from rulewright.errors import ShapeError, UsageError
from rulewright.tensor.kinds import real
from rulewright.tensor.members import Members, Self
from rulewright.tensor.own_derivative import with_derivative
from rulewright.tensor.patterns import patterned
from rulewright.tensor.shapes import normal_axis, show


class Activations(Members):
    """Activation functions."""

    __slots__ = ()

    # ---- made of pieces -------------------------------------------------------------------

    @patterned
    def relu(self) -> Self:
        """max(x, 0); NaN stays NaN, and the derivative at 0 is 0.

        >>> Tensor([-1.0, 2.0]).relu().tolist()
        [0.0, 2.0]
        """
        return (self <= 0).where(0, self)

    def relu6(self) -> Self:
        """`relu`, at most 6; the derivative at 6 is 0.

        >>> Tensor([-1.0, 2.0, 8.0]).relu6().tolist()
        [0.0, 2.0, 6.0]
        """
        return self.hardtanh(0, 6)

    def leaky_relu(self, neg_slope: float = 0.01) -> Self:
        """x, up to zero x * neg_slope.

        >>> Tensor([-1.0, 2.0]).leaky_relu(0.5).tolist()
        [-0.5, 2.0]
        """
        return (self > 0).where(self, self * neg_slope)

    def prelu(self, weight: Any) -> Self:
        """x, up to zero x * weight; a weight for each channel stands on axis 1, as in PyTorch.

        Raises ShapeError if their number is neither 1 nor that of the channels.

        >>> Tensor([[-1.0, -1.0]]).prelu(Tensor([0.5, 0.25])).tolist()
        [[-0.5, -0.25]]
        """
        slope = self._wrap(weight, "prelu weight")
        channels = self.shape[1] if self.ndim > 1 else 1
        if slope.ndim > 1 or (slope.ndim == 1 and slope.shape[0] not in (1, channels)):
            raise ShapeError(
                f"prelu: expected 1 weight or one for each channel, on axis 1 of "
                f"{show(self.shape)}; found {show(slope.shape)}"
            )
        if slope.ndim:
            slope = slope.reshape([-1, *[1] * (self.ndim - 2)] if self.ndim else [])
        return (self > 0).where(self, self * slope)

    def threshold(self, threshold: float, value: float) -> Self:
        """x, up to `threshold` the given value, cast to the dtype of x.

        >>> Tensor([1.0, 3.0]).threshold(2.0, -1.0).tolist()
        [-1.0, 3.0]
        """
        return (self <= threshold).where(value, self).cast(self.dtype)

    def hardtanh(self, min_val: float = -1, max_val: float = 1) -> Self:
        """x, at least min_val and at most max_val; the derivative at both is 0.

        Raises UsageError if min_val is above max_val.

        >>> Tensor([-3.0, 0.5, 3.0]).hardtanh().tolist()
        [-1.0, 0.5, 1.0]
        """
        if min_val > max_val:
            raise UsageError(f"hardtanh: min_val {min_val} is above max_val {max_val}")
        return (self <= min_val).where(min_val, (self >= max_val).where(max_val, self))

    def hardshrink(self, lambd: float = 0.5) -> Self:
        """x, but 0 from -lambd to lambd.

        >>> Tensor([-1.0, 0.25]).hardshrink().tolist()
        [-1.0, 0.0]
        """
        return (self >= -lambd).logical_and(self <= lambd).where(0, self)

    def softshrink(self, lambd: float = 0.5) -> Self:
        """x moved toward 0 by lambd, and 0 from -lambd to lambd. Raises UsageError for lambd < 0.

        >>> Tensor([-1.0, 0.25]).softshrink().tolist()
        [-0.5, 0.0]
        """
        if not lambd >= 0:
            raise UsageError(f"softshrink: expected lambd of 0 or more, found {lambd}")
        moved = (self > lambd).where(self - lambd, self + lambd)
        return (self >= -lambd).logical_and(self <= lambd).where(0, moved)

    @real
    def hardsigmoid(self) -> Self:
        """x / 6 + 1/2, at least 0 and at most 1.

        >>> Tensor([-4.0, 0.0, 1.5]).hardsigmoid().tolist()
        [0.0, 0.5, 0.75]
        """
        return (self / 6 + 0.5).hardtanh(0, 1)

    @real
    def hardswish(self) -> Self:
        """x * hardsigmoid(x).

        >>> Tensor([0.0, 1.5, 6.0]).hardswish().tolist()
        [0.0, 1.125, 6.0]
        """
        return self * self.hardsigmoid()

    # ---- with exponentials ----------------------------------------------------------------

    @real
    def elu(self, alpha: float = 1.0) -> Self:
        """x, up to zero alpha * (exp(x) - 1).

        >>> Tensor([-1.0, 2.0]).elu().double().round(4).tolist()
        [-0.6321, 2.0]
        """
        positive = self > 0
        return positive.where(self, alpha * positive.where(0, self).expm1())

    @real
    def celu(self, alpha: float = 1.0) -> Self:
        """x, up to zero alpha * (exp(x / alpha) - 1). Raises UsageError for an alpha of 0.

        >>> Tensor([-1.0, 2.0]).celu(2.0).double().round(4).tolist()
        [-0.7869, 2.0]
        """
        if alpha == 0:
            raise UsageError("celu: expected an alpha other than 0")
        positive = self > 0
        return positive.where(self, alpha * (positive.where(0, self) / alpha).expm1())

    @real
    def selu(self) -> Self:
        """Self-normalising elu (Klambauer et al., 2017).

        >>> Tensor([-1.0, 1.0]).selu().double().round(4).tolist()
        [-1.1113, 1.0507]
        """
        alpha, scale = 1.6732632423543772, 1.0507009873554805
        return scale * self.elu(alpha)

    @real
    def sigmoid(self) -> Self:
        """1 / (1 + exp(-x)), below zero exp(x) / (1 + exp(x)).

        The derivative is y (1 - y) of the value y as it is rounded: where that is 1, it is 0, as
        for a loss that divides by 1 - y.

        >>> Tensor([-1000.0, 0.0, 1000.0]).sigmoid().tolist()
        [0.0, 0.5, 1.0]
        """
        if not all(isinstance(size, int) for size in self.shape):
            return _sigmoid(self)
        node = with_derivative("sigmoid", _sigmoid, _slope_of_sigmoid, (self,), self.device)
        return self._new(node)

    @real
    def logsigmoid(self) -> Self:
        """log(sigmoid(x)), without overflow.

        >>> Tensor([-1000.0, 0.0]).logsigmoid().double().round(4).tolist()
        [-1000.0, -0.6931]
        """
        return -(-self)._softplus()

    @patterned
    @real
    def silu(self) -> Self:
        """x * sigmoid(x).

        >>> Tensor([0.0, 2.0]).silu().double().round(4).tolist()
        [0.0, 1.7616]
        """
        return self * self.sigmoid()

    @real
    def quick_gelu(self) -> Self:
        """x * sigmoid(1.702 x).

        >>> Tensor([0.0, 2.0]).quick_gelu().double().round(4).tolist()
        [0.0, 1.9357]
        """
        return self * (self * 1.702).sigmoid()

    @patterned
    @real
    def gelu(self, approximate: str = "tanh") -> Self:
        """x times the normal distribution function of x (Hendrycks and Gimpel, 2016).

        approximate: "tanh", which differs by up to 5e-4, or "none". Raises UsageError for another.

        >>> Tensor([0.0, 2.0]).gelu("none").double().round(4).tolist()
        [0.0, 1.9545]
        """
        if approximate not in ("tanh", "none"):
            raise UsageError(f"gelu: approximate is 'tanh' or 'none', found {approximate!r}")
        if approximate == "none":
            return 0.5 * self * (1 + (self * math.sqrt(0.5)).erf())
        inner = math.sqrt(2 / math.pi) * (self + 0.044715 * self * self * self)
        return 0.5 * self * (1 + inner.tanh())

    @real
    def softplus(self, beta: float = 1.0, threshold: float = 20.0) -> Self:
        """log(1 + exp(beta x)) / beta, without overflow; x itself where beta x > threshold.

        >>> Tensor([0.0, 1000.0]).softplus().double().round(4).tolist()
        [0.6931, 1000.0]
        """
        x = self * beta
        return (x > threshold).where(self, x._softplus() / beta)

    def _softplus(self) -> Self:
        return self.maximum(0) + (-self.abs()).exp().log1p()

    @real
    def mish(self) -> Self:
        """x * tanh(softplus(x)).

        >>> Tensor([0.0, 2.0]).mish().double().round(4).tolist()
        [0.0, 1.944]
        """
        return self * self.softplus().tanh()

    @real
    def softsign(self) -> Self:
        """x / (1 + |x|).

        >>> Tensor([-3.0, 1.0]).softsign().tolist()
        [-0.75, 0.5]
        """
        return self / (1 + (self < 0).where(-self, self))

    @real
    def tanhshrink(self) -> Self:
        """x - tanh(x).

        >>> Tensor([0.0, 2.0]).tanhshrink().double().round(4).tolist()
        [0.0, 1.036]
        """
        return self - self.tanh()

    def glu(self, dim: int = -1) -> Self:
        """The first half of an axis times the sigmoid of the second (Dauphin et al., 2016).

        Raises ShapeError for an axis of an odd size.

        >>> Tensor([2.0, 0.0]).glu().tolist()
        [1.0]
        """
        at = normal_axis(dim, self.ndim, "glu")
        size = self.shape[at] if self.ndim else 1
        if not isinstance(size, int) or size % 2:
            raise ShapeError(f"glu: axis {at} of shape {show(self.shape)} does not halve")
        first, second = (self._narrowed(at, h) for h in ((0, size // 2), (size // 2, size)))
        return first * second.sigmoid()


def _sigmoid(x: Any) -> Any:
    negative = x < 0
    powers = negative.where(x, -x).exp()
    return negative.where(powers, 1) / (1 + powers)


def _slope_of_sigmoid(upstream: Any, call: Any) -> Any:
    (value,) = call.results
    return upstream * (value * (1 - value))
