"""Optimisers. `step()` updates the parameters by their gradients, all in one schedule.

What is trained is as in PyTorch: the parameters that require a gradient and have one. But a step in
which none has one is an error rather than nothing, and what was frozen stays although it has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rulewright.errors import UsageError
from rulewright.nn import arguments, lr_scheduler
from rulewright.nn.names import OF_OPTIM, unknown_in_module
from rulewright.nn.optimizer import Optimizer, OptimizerGroup
from rulewright.tensor.tensor import Tensor

__all__ = [
    "LAMB",
    "LARS",
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "Muon",
    "Optimizer",
    "OptimizerGroup",
    "RMSprop",
    "lr_scheduler",
]


class _Descent(Optimizer):
    """Gradient descent with momentum: what SGD, LARS and Muon have in common.

    The average is b = momentum * b + g; the step is b, or g + momentum * b if `nesterov`.
    """

    def __init__(
        self, params: Iterable[Tensor], lr: float | Tensor, momentum: float, weight_decay: float,
        nesterov: bool,
    ) -> None:  # fmt: skip
        name = type(self).__name__
        self.momentum = arguments.number(name, "momentum", momentum, 0)
        self.weight_decay = arguments.number(name, "weight_decay", weight_decay, 0)
        self.nesterov = arguments.flag(name, "nesterov", nesterov)
        if nesterov and not momentum:
            raise UsageError(f"{name}: nesterov needs a momentum above 0")
        super().__init__(params, lr)
        self.averages = self._zeros() if momentum else []

    def _state(self, places: list[int]) -> list[Tensor]:
        return [self.averages[place] for place in places] if self.averages else []

    def _averaged(self, place: int, gradient: Tensor) -> Tensor:
        if not self.momentum:
            return gradient
        average = self.averages[place]
        average.assign(self.momentum * average + gradient)
        return gradient + self.momentum * average if self.nesterov else average


class SGD(_Descent):
    """Stochastic gradient descent, as PyTorch's.

    The gradient plus weight_decay times the value is averaged: b = momentum * b + g; the value
    loses lr * b, or lr * (g + momentum * b) if `nesterov`.
    """

    _is_recorded = True

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float | Tensor = 0.001,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(params, lr, momentum, weight_decay, nesterov)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        return self.lr * self._averaged(place, gradient)


class LARS(_Descent):
    """SGD with a rate for each parameter, tcoef |w| / (|g| + weight_decay |w|), 1 where either
    norm is zero (You et al., 2017).

    classic: the average is of steps, that is of gradients times rates, rather than of gradients.
    """

    _is_recorded = True

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float | Tensor = 0.001,
        momentum: float = 0.9,
        weight_decay: float = 1e-4,
        nesterov: bool = False,
        classic: bool = True,
        tcoef: float = 0.001,
    ) -> None:
        super().__init__(params, lr, momentum, weight_decay, nesterov)
        self.classic = arguments.flag(type(self).__name__, "classic", classic)
        self.tcoef = arguments.number(type(self).__name__, "tcoef", tcoef, 0)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        size, slope = _length(value), _length(gradient)
        rate = self.tcoef * size / (slope + self.weight_decay * size)
        scale = self.lr * ((size > 0) & (slope > 0)).where(rate, 1.0)
        gradient = gradient + self.weight_decay * value
        if self.classic:
            return self._averaged(place, gradient * scale)
        return self._averaged(place, gradient) * scale


class Muon(_Descent):
    """Momentum made orthogonal by Newton and Schulz's iteration, with decoupled weight decay
    (Jordan et al., 2024). Parameters of more than two axes count as matrices of their first."""

    _is_recorded = True

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float | Tensor = 0.001,
        momentum: float = 0.95,
        weight_decay: float = 0.1,
        ns_steps: int = 5,
        ns_coefficients: Sequence[float] = (3.4445, -4.775, 2.0315),
        nesterov: bool = True,
    ) -> None:
        super().__init__(params, lr, momentum, weight_decay, nesterov)
        if any(p.ndim < 1 for p in self.params):
            raise UsageError("Muon: expected parameters with axes, found a scalar")
        self.ns_steps = arguments.whole("Muon", "ns_steps", ns_steps)
        if not isinstance(ns_coefficients, Sequence) or not ns_coefficients:
            expected = "one number or more"
            raise arguments.wrong("Muon", "ns_coefficients", expected, ns_coefficients)
        self.ns_coefficients = tuple(
            arguments.number("Muon", f"ns_coefficients[{i}]", c)
            for i, c in enumerate(ns_coefficients)
        )

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        rows = self._averaged(place, gradient).reshape(value.shape[0], -1)
        even = rows.newton_schulz(self.ns_steps, self.ns_coefficients).reshape(value.shape)
        return self.lr * (even + self.weight_decay * value)


class _Moments(Optimizer):
    """Running means of gradients and of their squares: what Adam, AdamW and LAMB have in common.

    Both begin as zeros, whose remaining weight b ** steps is divided away. `betas` says b1 and b2
    as one pair, as PyTorch does.
    """

    def __init__(
        self, params: Iterable[Tensor], lr: float | Tensor, b1: float, b2: float, eps: float,
        weight_decay: float, betas: tuple[float, float] | None,
    ) -> None:  # fmt: skip
        name = type(self).__name__
        if betas is not None:
            if not isinstance(betas, list | tuple) or len(betas) != 2:
                raise arguments.wrong(name, "betas", "a pair of numbers (b1, b2)", betas)
            b1, b2 = betas
        self.b1 = arguments.number(name, "b1", b1, 0, 1, below=True)
        self.b2 = arguments.number(name, "b2", b2, 0, 1, below=True)
        self.eps = arguments.number(name, "eps", eps, 0)
        self.weight_decay = arguments.number(name, "weight_decay", weight_decay, 0)
        super().__init__(params, lr)
        self.first, self.second = self._zeros(), self._zeros()
        self.b1_power, self.b2_power = self._powers(), self._powers()

    def _powers(self) -> Tensor:
        """b ** steps of each parameter, of which one may have had fewer steps than others."""
        shape = (len(self.params),)
        return Tensor.ones(*shape, dtype=self.scalars, device=self.device).clone()

    def _state(self, places: list[int]) -> list[Tensor]:
        means = [kind[place] for kind in (self.first, self.second) for place in places]
        return [self.b1_power, self.b2_power, *means]

    def _begin(self, places: list[int]) -> None:
        self.b1_power.assign(self.b1_power * self._factor(places, self.b1))
        self.b2_power.assign(self.b2_power * self._factor(places, self.b2))

    def _factor(self, places: list[int], factor: float) -> Tensor | float:
        """The factor for the parameters that are trained now, 1 for others."""
        if len(places) == len(self.params):
            return factor
        trained = set(places)
        runs = groupby(range(len(self.params)), trained.__contains__)
        parts = [
            Tensor.full(
                (len(list(run)),), factor if on else 1.0, dtype=self.scalars, device=self.device
            )
            for on, run in runs
        ]
        return parts[0].cat(*parts[1:])

    def _direction(self, place: int, gradient: Tensor) -> Tensor:
        mean, square = self.first[place], self.second[place]
        mean.assign((self.b1 * mean + (1 - self.b1) * gradient).cast(mean.dtype))
        square.assign((self.b2 * square + (1 - self.b2) * gradient * gradient).cast(square.dtype))
        mine = ((place, place + 1),)
        root = (square / (1 - self.b2_power.shrink(mine))).sqrt()
        return mean / (1 - self.b1_power.shrink(mine)) / (root + self.eps)


class Adam(_Moments):
    """Adam (Kingma and Ba, 2015), as PyTorch's: weight decay is added to the gradient."""

    _is_recorded = True

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float | Tensor = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        betas: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(params, lr, b1, b2, eps, weight_decay, betas)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        return self.lr * self._direction(place, gradient)


class AdamW(_Moments):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019), as PyTorch's."""

    _is_recorded = True

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float | Tensor = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        *,
        betas: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(params, lr, b1, b2, eps, weight_decay, betas)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        step = self._direction(place, gradient)
        return self.lr * (step + self.weight_decay * value if self.weight_decay else step)


class LAMB(_Moments):
    """AdamW with each parameter's step as long as the parameter, times lr (You et al., 2019)."""

    _is_recorded = True

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float | Tensor = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        betas: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(params, lr, b1, b2, eps, weight_decay, betas)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        step = self._direction(place, gradient) + self.weight_decay * value
        size, length = _length(value), _length(step)
        ratio = ((size > 0) & (length > 0)).where(size / length, 1.0)
        return self.lr * ratio * step


class RMSprop(_Descent):
    """Gradients divided by the root of the running mean of their squares (Hinton, 2012), as
    PyTorch's; `centered`: by their running deviation.
    """

    _is_recorded = True

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float | Tensor = 0.01,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
    ) -> None:
        super().__init__(params, lr, momentum, weight_decay, nesterov=False)
        self.alpha = arguments.number("RMSprop", "alpha", alpha, 0, 1)
        self.eps = arguments.number("RMSprop", "eps", eps, 0)
        self.centered = arguments.flag("RMSprop", "centered", centered)
        self.squares = self._zeros()
        self.means = self._zeros() if centered else []

    def _state(self, places: list[int]) -> list[Tensor]:
        kept = [self.squares, self.means] if self.means else [self.squares]
        return [*super()._state(places), *(kind[place] for kind in kept for place in places)]

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        square = self.squares[place]
        square.assign(self.alpha * square + (1 - self.alpha) * gradient * gradient)
        spread = square
        if self.means:
            mean = self.means[place]
            mean.assign(self.alpha * mean + (1 - self.alpha) * gradient)
            spread = (square - mean * mean).maximum(0)
        return self.lr * self._averaged(place, gradient / (spread.sqrt() + self.eps))


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of their squares (Duchi et al., 2011), as PyTorch's.

    The rate of a parameter's step n, counted from 0, is lr / (1 + n * lr_decay).
    """

    _is_recorded = True

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float | Tensor = 0.01,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
    ) -> None:
        self.lr_decay = arguments.number("Adagrad", "lr_decay", lr_decay, 0)
        self.weight_decay = arguments.number("Adagrad", "weight_decay", weight_decay, 0)
        self.eps = arguments.number("Adagrad", "eps", eps, 0)
        begin = "initial_accumulator_value"
        start = arguments.number("Adagrad", begin, initial_accumulator_value, 0)
        super().__init__(params, lr)
        self.squares = [square.fill_(start) for square in self._zeros()]
        counts = self.params if lr_decay else []
        self.counts = [Tensor([0.0], self.scalars, self.device) for _ in counts]

    def _state(self, places: list[int]) -> list[Tensor]:
        kept = [self.squares, self.counts] if self.counts else [self.squares]
        return [kind[place] for kind in kept for place in places]

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        square, rate = self.squares[place], self.lr
        square.assign(square + gradient * gradient)
        if self.counts:
            rate = rate / (1 + self.counts[place] * self.lr_decay)
            self.counts[place].assign(self.counts[place] + 1)
        return rate * gradient / (square.sqrt() + self.eps)


def _length(x: Tensor) -> Tensor:
    return x.square().sum().sqrt()


if not TYPE_CHECKING:  # type checkers know the names there are

    def __getattr__(name: str) -> object:
        raise unknown_in_module(__name__, name, OF_OPTIM, __all__)
