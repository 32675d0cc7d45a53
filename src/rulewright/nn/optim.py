"""Optimisers. `step()` updates the parameters by their gradients, all in one schedule.

What is trained is as in PyTorch: the parameters that require a gradient and have one. But a step in
which none has one is an error rather than nothing, and what was frozen stays although it has one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.nn import arguments, lr_scheduler
from rulewright.nn.lbfgs import LBFGS
from rulewright.nn.names import OF_OPTIM, unknown_in_module
from rulewright.nn.optim_signs import Adadelta, Rprop
from rulewright.nn.optimizer import Optimizer, OptimizerGroup, Params, decayed
from rulewright.runtime.memories import is_written
from rulewright.tensor.tensor import Tensor

__all__ = [
    "ASGD", "LAMB", "LARS", "LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax",
    "Muon", "NAdam", "Optimizer", "OptimizerGroup", "RAdam", "RMSprop", "Rprop", "lr_scheduler",
]  # fmt: skip


class _Descent(Optimizer):
    """Gradient descent with momentum: what SGD, LARS and Muon have in common.

    The average is b = momentum * b + g; the step is b, or g + momentum * b if `nesterov`.
    """

    def __init__(
        self, params: Params, lr: float | Tensor = 0.001, momentum: float = 0.0,
        weight_decay: float = 0.0, nesterov: bool = False, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        name = type(self).__name__
        self.momentum = arguments.number(name, "momentum", momentum, 0)
        self.weight_decay = arguments.number(name, "weight_decay", weight_decay, 0)
        self.nesterov = arguments.flag(name, "nesterov", nesterov)
        if nesterov and not momentum:
            raise UsageError(f"{name}: nesterov needs a momentum above 0")
        super().__init__(params, lr, maximize=maximize)
        self.averages = self._zeros() if momentum else []

    def _state(self, places: list[int]) -> list[Tensor]:
        if self.momentum and not self.averages:
            self.averages = self._zeros()  # it was set since
        return super()._state(places)

    def _entering(self, place: int, gradient: Tensor) -> Tensor:
        """What the average takes of a gradient."""
        return gradient

    def _averaged(self, place: int, gradient: Tensor) -> Tensor:
        if not self.momentum:
            return gradient
        average = self.averages[place]
        average.assign(self.momentum * average + self._entering(place, gradient))
        return gradient + self.momentum * average if self.nesterov else average


class SGD(_Descent):
    """Stochastic gradient descent, as PyTorch's.

    The gradient plus weight_decay times the value is averaged: b = momentum * b + g; the value
    loses lr * b, or lr * (g + momentum * b) if `nesterov`. From the second step of a parameter on
    the average takes (1 - dampening) * g. Raises UsageError for `nesterov` with a dampening.
    """

    def __init__(
        self, params: Params, lr: float | Tensor = 0.001, momentum: float = 0.0,
        weight_decay: float = 0.0, nesterov: bool = False,
        *, dampening: float = 0.0, maximize: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, momentum, weight_decay, nesterov, maximize=maximize)
        self.dampening = arguments.number("SGD", "dampening", dampening)
        if nesterov and dampening:
            raise UsageError(f"SGD: nesterov needs a dampening of 0, found {dampening}")
        self.begun = self._has_begun() if momentum and dampening else []

    def _state(self, places: list[int]) -> list[Tensor]:
        if self.momentum and self.dampening and not self.begun:
            self.begun = self._has_begun()  # it was set since
        return super()._state(places)

    def _has_begun(self) -> list[Tensor]:
        """Of each parameter, 1 if its average has taken a gradient, else 0."""
        memories = [average.uop.base for average in self.averages]
        known = [float(m.op is Ops.BUFFER and is_written(m)) for m in memories]
        each = known or [0.0] * len(self.params)
        return [Tensor([value], self.scalars, self.device) for value in each]

    def _entering(self, place: int, gradient: Tensor) -> Tensor:
        if not self.dampening:
            return gradient
        begun = self.begun[place]
        gradient = gradient * (1 - self.dampening * begun).reshape(()).cast(gradient.dtype)
        begun.assign(begun.ones_like())
        return gradient

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        return self.lr * self._averaged(place, decayed(gradient, value, self.weight_decay))


class LARS(_Descent):
    """SGD with a rate for each parameter, tcoef |w| / (|g| + weight_decay |w|), 1 where either
    norm is zero (You et al., 2017).

    classic: the average is of steps, that is of gradients times rates, rather than of gradients.
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 0.001,
        momentum: float = 0.9,
        weight_decay: float = 1e-4,
        nesterov: bool = False,
        classic: bool = True,
        tcoef: float = 0.001,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, momentum, weight_decay, nesterov, maximize=maximize)
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
    (Jordan et al., 2024). Parameters of more than two axes count as matrices of their first.

    As tinygrad's: PyTorch's takes steps sqrt(rows / columns) times as long where that is above 1,
    and iterates in bfloat16.
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 0.001,
        momentum: float = 0.95,
        weight_decay: float = 0.1,
        ns_steps: int = 5,
        ns_coefficients: Sequence[float] = (3.4445, -4.775, 2.0315),
        nesterov: bool = True,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, momentum, weight_decay, nesterov, maximize=maximize)
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
        rows = self._averaged(place, gradient).reshape(value.shape[0], math.prod(value.shape[1:]))
        even = rows.newton_schulz(self.ns_steps, self.ns_coefficients).reshape(value.shape)
        return self.lr * (even + self.weight_decay * value)


class _Moments(Optimizer):
    """Running means of gradients and of their squares: what Adam and its kin have in common.

    Both begin as zeros; they are divided by the weight 1 - b ** steps of what came since, which is
    kept rather than b ** steps: that is so near to 1 that few digits of the difference are left.
    `betas` says b1 and b2 as one pair, as PyTorch does.
    """

    def __init__(
        self, params: Params, lr: float | Tensor = 0.001, b1: float = 0.9, b2: float = 0.999,
        eps: float = 1e-8, weight_decay: float = 0.0,
        *, betas: tuple[float, float] | None = None, maximize: bool = False,
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
        super().__init__(params, lr, maximize=maximize)
        self.first, self.second = self._zeros(), self._zeros()
        self.b1_weight, self.b2_weight = self._each(0.0), self._each(0.0)

    def _each(self, value: float) -> Tensor:
        """A number of each parameter, of which one may have had fewer steps than others."""
        shape = (len(self.params),)
        return Tensor.full(shape, value, dtype=self.scalars, device=self.device).clone()

    def _begin(self, places: list[int]) -> None:
        for weight, b in ((self.b1_weight, self.b1), (self.b2_weight, self.b2)):
            weight.assign(weight * self._of(places, b, 1.0) + self._of(places, 1 - b, 0.0))

    def _of(self, places: list[int], value: float, other: float) -> Tensor | float:
        """A number for the parameters that are trained now, another one for others."""
        if len(places) == len(self.params):
            return value
        trained = set(places)
        runs = groupby(range(len(self.params)), trained.__contains__)
        parts = [
            Tensor.full(
                (len(list(run)),), value if on else other, dtype=self.scalars, device=self.device
            )
            for on, run in runs
        ]
        return parts[0].cat(*parts[1:])

    def _means(self, place: int, gradient: Tensor) -> tuple[Tensor, Tensor]:
        """The next mean of gradients, without the weight of the zeros, and that of squares."""
        mean, square = self.first[place], self.second[place]
        mean.assign((self.b1 * mean + (1 - self.b1) * gradient).cast(mean.dtype))
        square.assign(self._next_square(square, gradient).cast(square.dtype))
        return mean / _one(self.b1_weight, place), square

    def _next_square(self, square: Tensor, gradient: Tensor) -> Tensor:
        return self.b2 * square + (1 - self.b2) * gradient * gradient

    def _root(self, place: int, square: Tensor) -> Tensor:
        return (square / _one(self.b2_weight, place)).sqrt() + self.eps

    def _direction(self, place: int, gradient: Tensor) -> Tensor:
        mean, square = self._means(place, gradient)
        return mean / self._root(place, square)


class Adam(_Moments):
    """Adam (Kingma and Ba, 2015), as PyTorch's: weight decay is added to the gradient, or with
    `decoupled_weight_decay` to the step.

    amsgrad: the largest mean of squares so far counts (Reddi et al., 2018).
    """

    def __init__(
        self, params: Params, lr: float | Tensor = 0.001, b1: float = 0.9, b2: float = 0.999,
        eps: float = 1e-8, weight_decay: float = 0.0, amsgrad: bool = False,
        *, betas: tuple[float, float] | None = None, maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, b1, b2, eps, weight_decay, betas=betas, maximize=maximize)
        self.amsgrad = arguments.flag(type(self).__name__, "amsgrad", amsgrad)
        self.decoupled_weight_decay = _decoupled(self, decoupled_weight_decay)
        self.highest = self._zeros() if amsgrad else []

    def _root(self, place: int, square: Tensor) -> Tensor:
        if self.highest:
            highest = self.highest[place]
            square = highest.assign(highest.maximum(square))
        return super()._root(place, square)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        of_gradient, of_step = _decays(self)
        step = self._direction(place, decayed(gradient, value, of_gradient))
        return self.lr * decayed(step, value, of_step)


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019), as PyTorch's."""

    def __init__(
        self, params: Params, lr: float | Tensor = 0.001, b1: float = 0.9, b2: float = 0.999,
        eps: float = 1e-8, weight_decay: float = 0.01, amsgrad: bool = False,
        *, betas: tuple[float, float] | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, b1, b2, eps, weight_decay, amsgrad, betas=betas, maximize=maximize,
            decoupled_weight_decay=True,
        )  # fmt: skip


class LAMB(_Moments):
    """AdamW with each parameter's step as long as the parameter, times lr (You et al., 2019)."""

    def __init__(
        self, params: Params, lr: float | Tensor = 0.001, b1: float = 0.9, b2: float = 0.999,
        eps: float = 1e-6, weight_decay: float = 0.0,
        *, betas: tuple[float, float] | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, b1, b2, eps, weight_decay, betas=betas, maximize=maximize)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        step = self._direction(place, gradient) + self.weight_decay * value
        size, length = _length(value), _length(step)
        ratio = ((size > 0) & (length > 0)).where(size / length, 1.0)
        return self.lr * ratio * step


class Adamax(_Moments):
    """Adam by the largest gradient, which fades, rather than by squares (Kingma and Ba, 2015)."""

    def __init__(
        self, params: Params, lr: float | Tensor = 0.002, b1: float = 0.9, b2: float = 0.999,
        eps: float = 1e-8, weight_decay: float = 0.0,
        *, betas: tuple[float, float] | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, b1, b2, eps, weight_decay, betas=betas, maximize=maximize)

    def _next_square(self, square: Tensor, gradient: Tensor) -> Tensor:
        return (self.b2 * square).maximum(gradient.abs() + self.eps)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        mean, largest = self._means(place, decayed(gradient, value, self.weight_decay))
        return self.lr * mean / largest


class NAdam(_Moments):
    """Adam with Nesterov's momentum (Dozat, 2016), as PyTorch's.

    The momentum of step t is m = b1 (1 - 0.96 ** (t * momentum_decay) / 2); the weight of the
    zeros is the product of all of them.
    """

    def __init__(
        self, params: Params, lr: float | Tensor = 0.002, b1: float = 0.9, b2: float = 0.999,
        eps: float = 1e-8, weight_decay: float = 0.0, momentum_decay: float = 0.004,
        *, betas: tuple[float, float] | None = None, maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, b1, b2, eps, weight_decay, betas=betas, maximize=maximize)
        decay = arguments.number(type(self).__name__, "momentum_decay", momentum_decay, 0)
        self.momentum_decay = decay
        self.decoupled_weight_decay = _decoupled(self, decoupled_weight_decay)
        self.faded, self.product = self._each(1.0), self._each(1.0)

    def _begin(self, places: list[int]) -> None:
        super()._begin(places)
        fade = 0.96**self.momentum_decay
        self.faded.assign(self.faded * self._of(places, fade, 1.0))
        more = self.b1 * (1 - self.faded / 2) - 1
        self.product.assign(self.product * (1 + more * self._of(places, 1.0, 0.0)))

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        of_gradient, of_step = _decays(self)
        gradient = decayed(gradient, value, of_gradient)
        mean, square = self.first[place], self._means(place, gradient)[1]
        faded, product = _one(self.faded, place), _one(self.product, place)
        now = self.b1 * (1 - faded / 2)
        later = self.b1 * (1 - faded * (0.96**self.momentum_decay / 2))
        ahead = mean * (later / (1 - product * later)) + gradient * ((1 - now) / (1 - product))
        return self.lr * decayed(ahead / self._root(place, square), value, of_step)


class RAdam(_Moments):
    """Adam whose steps are as long as the spread of so few squares allows (Liu et al., 2020), as
    PyTorch's: of steps in which that is not known, the mean of gradients alone is taken."""

    def __init__(
        self, params: Params, lr: float | Tensor = 0.001, b1: float = 0.9, b2: float = 0.999,
        eps: float = 1e-8, weight_decay: float = 0.0,
        *, betas: tuple[float, float] | None = None, maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, b1, b2, eps, weight_decay, betas=betas, maximize=maximize)
        self.decoupled_weight_decay = _decoupled(self, decoupled_weight_decay)
        self.counts, self.rectified = self._each(0.0), self._each(0.0)

    def _begin(self, places: list[int]) -> None:
        super()._begin(places)
        self.counts.assign(self.counts + self._of(places, 1.0, 0.0))
        most = 2 / (1 - self.b2) - 1
        if most > 5:  # else no step is rectified
            # 2 t b2**t / (1 - b2**t), which is nearly `most`, to all its digits
            length = most - 2 * self.counts / (self.counts * -math.log(self.b2)).expm1()
            share = (length - 4) * (length - 2) / length * (most / ((most - 4) * (most - 2)))
            self.rectified.assign((length > 5).where(share, 0.0).sqrt())

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        of_gradient, of_step = _decays(self)
        mean, square = self._means(place, decayed(gradient, value, of_gradient))
        factor = _one(self.rectified, place)
        root = _one(self.b2_weight, place).sqrt() / (square.sqrt() + self.eps)
        return self.lr * decayed(mean * (factor > 0).where(factor * root, 1.0), value, of_step)


class RMSprop(_Descent):
    """Gradients divided by the root of the running mean of their squares (Hinton, 2012), as
    PyTorch's; `centered`: by their running deviation.
    """

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 0.01,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, momentum, weight_decay, maximize=maximize)
        self.alpha = arguments.number("RMSprop", "alpha", alpha, 0, 1)
        self.eps = arguments.number("RMSprop", "eps", eps, 0)
        self.centered = arguments.flag("RMSprop", "centered", centered)
        self.squares = self._zeros()
        self.means = self._zeros() if centered else []

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        gradient = decayed(gradient, value, self.weight_decay)
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

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 0.01,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        self.lr_decay = arguments.number("Adagrad", "lr_decay", lr_decay, 0)
        self.weight_decay = arguments.number("Adagrad", "weight_decay", weight_decay, 0)
        self.eps = arguments.number("Adagrad", "eps", eps, 0)
        begin = "initial_accumulator_value"
        start = arguments.number("Adagrad", begin, initial_accumulator_value, 0)
        super().__init__(params, lr, maximize=maximize)
        self.squares = [square.fill_(start) for square in self._zeros()]
        counts = self.params if lr_decay else []
        self.counts = [Tensor([0.0], self.scalars, self.device) for _ in counts]

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        gradient = decayed(gradient, value, self.weight_decay)
        square, rate = self.squares[place], self.lr
        square.assign(square + gradient * gradient)
        if self.counts:
            rate = rate / (1 + self.counts[place] * self.lr_decay)
            self.counts[place].assign(self.counts[place] + 1)
        return rate * gradient / (square.sqrt() + self.eps)


class ASGD(Optimizer):
    """Gradient descent whose values are averaged from step t0 on (Polyak and Juditsky, 1992), as
    PyTorch's: `averages` holds the means, until then the values.

    A value loses eta * (g + lambd * value). eta is the rate in a parameter's first step, and
    lr / (1 + lambd * lr * n) ** alpha behind n of them, by the rate of the last one.
    """

    def __init__(
        self, params: Params, lr: float | Tensor = 0.01, lambd: float = 1e-4, alpha: float = 0.75,
        t0: float = 1e6, weight_decay: float = 0.0, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        self.lambd = arguments.number("ASGD", "lambd", lambd)
        self.alpha = arguments.number("ASGD", "alpha", alpha)
        self.t0 = arguments.number("ASGD", "t0", t0)
        self.weight_decay = arguments.number("ASGD", "weight_decay", weight_decay, 0)
        super().__init__(params, lr, maximize=maximize)
        self.averages = self._zeros()
        self.counts, self.rates = self._numbers(), self._numbers()

    def _numbers(self) -> list[Tensor]:
        return [Tensor(0.0, self.scalars, self.device) for _ in self.params]

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        gradient = decayed(gradient, value, self.weight_decay)
        count, eta, average = self.counts[place], self.rates[place], self.averages[place]
        lr = self.lr.reshape(())
        change = (count == 0).where(lr, eta) * decayed(gradient, value, self.lambd)
        number = (count - self.t0).maximum(1)
        new = value - change
        mean = (number == 1).where(new, average + (new - average) / number)
        average.assign(mean.cast(average.dtype))
        count.assign(count + 1)
        eta.assign(lr / (1 + self.lambd * lr * count) ** self.alpha)
        return change


def _decoupled(owner: _Moments, value: bool) -> bool:
    return arguments.flag(type(owner).__name__, "decoupled_weight_decay", value)


def _decays(owner: Adam | NAdam | RAdam) -> tuple[float, float]:
    """The weight decay that is added to gradients, and that which is added to steps."""
    decay = owner.weight_decay
    return (0.0, decay) if owner.decoupled_weight_decay else (decay, 0.0)


def _one(vector: Tensor, place: int) -> Tensor:
    return vector.shrink(((place, place + 1),))


def _length(x: Tensor) -> Tensor:
    return x.square().sum().sqrt()


if not TYPE_CHECKING:  # type checkers know the names there are

    def __getattr__(name: str) -> object:
        raise unknown_in_module(__name__, name, OF_OPTIM, __all__)
