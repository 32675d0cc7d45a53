"""Optimisers. `step()` updates the parameters by their gradients, all in one schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.errors import UsageError
from rulewright.nn import lr_scheduler
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.tensor import Tensor

__all__ = [
    "LAMB",
    "LARS",
    "SGD",
    "Adam",
    "AdamW",
    "Muon",
    "Optimizer",
    "OptimizerGroup",
    "lr_scheduler",
]


class Optimizer:
    """What all optimisers have: parameters, a learning rate, and their own state.

    params: tensors with floats; they get `requires_grad` if they have not got it. The learning
    rate `lr` may be changed between steps without new kernels: it is a tensor. What an optimiser
    remembers is kept in float32 or wider, and `nn.state.get_state_dict` finds it.

    A subclass says in `_change` what a value loses; it may assign to its own tensors, which
    `_state` lists.
    """

    def __init__(self, params: Sequence[Tensor], lr: float) -> None:
        if not params:
            raise UsageError("an optimiser needs one parameter or more, found none")
        if lr < 0:
            raise UsageError(f"an optimiser needs a learning rate of 0 or more, found {lr}")
        self.params = list({id(p): p for p in params}.values())
        for parameter in self.params:
            parameter.requires_grad = True
        self.device = self.params[0].device
        self.lr = Tensor([lr], device=self.device)

    def set_lr(self, lr: float) -> None:
        """Use another learning rate from now on."""
        self.lr.assign(Tensor([lr], device=self.device))

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.params:
            parameter.grad = None

    def update(self) -> list[Tensor]:
        """Assign new values to parameters and state, without running; the tensors assigned to.

        Raises UsageError for a parameter without gradient.
        """
        gradients = [_gradient_of(p, place) for place, p in enumerate(self.params)]
        state = self._state()
        self._begin()
        for place, (parameter, gradient) in enumerate(zip(self.params, gradients, strict=True)):
            value = parameter.detach()
            wide = value.cast(accumulator(value.dtype))
            change = self._change(place, wide, gradient.cast(wide.dtype))
            parameter.assign((wide - change).reshape(value.shape).cast(value.dtype))
        return [*self.params, *state]

    def step(self) -> None:
        """One update, computed now."""
        first, *rest = self.update()
        first.realize(*rest)

    def schedule_step(self) -> Any:
        """The schedule of one update, which is not run: see `Tensor.schedule`."""
        first, *rest = self.update()
        return first.schedule(*rest)

    def _state(self) -> list[Tensor]:
        return [self.lr]

    def _begin(self) -> None:
        """Assign to what all parameters share, before the first of them."""

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        raise TypeError(f"{type(self).__name__} does not say how it updates")

    def _zeros(self) -> list[Tensor]:
        """Zeros like each parameter, float32 for narrow ones."""
        kinds = [accumulator(p.dtype) for p in self.params]
        return [
            p.zeros_like(dtype=kind, device=p.device).clone()
            for p, kind in zip(self.params, kinds, strict=True)
        ]


class OptimizerGroup(Optimizer):
    """Several optimisers, each with parameters of its own, as one."""

    def __init__(self, *optimizers: Optimizer) -> None:
        if not optimizers:
            raise UsageError("an optimiser group needs one optimiser or more, found none")
        self.optimizers = optimizers
        self.params = [p for o in optimizers for p in o.params]
        self.device, self.lr = optimizers[0].device, optimizers[0].lr

    def __getitem__(self, place: int) -> Optimizer:
        return self.optimizers[place]

    def set_lr(self, lr: float) -> None:
        """Use another learning rate in all of them."""
        for optimizer in self.optimizers:
            optimizer.set_lr(lr)

    def update(self) -> list[Tensor]:
        """See `Optimizer.update`."""
        return [t for optimizer in self.optimizers for t in optimizer.update()]


class _Descent(Optimizer):
    """Gradient descent with momentum: what SGD, LARS and Muon have in common.

    The average is b = momentum * b + g; the step is b, or g + momentum * b if `nesterov`.
    """

    def __init__(
        self, params: Sequence[Tensor], lr: float, momentum: float, weight_decay: float,
        nesterov: bool,
    ) -> None:  # fmt: skip
        super().__init__(params, lr)
        if momentum < 0 or weight_decay < 0:
            raise UsageError(
                f"{type(self).__name__}: expected a momentum and weight_decay of 0 or more, "
                f"found {momentum} and {weight_decay}"
            )
        if nesterov and not momentum:
            raise UsageError(f"{type(self).__name__}: nesterov needs a momentum above 0")
        self.momentum, self.weight_decay, self.nesterov = momentum, weight_decay, nesterov
        self.averages = self._zeros() if momentum else []

    def _state(self) -> list[Tensor]:
        return [self.lr, *self.averages]

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

    def __init__(
        self,
        params: Sequence[Tensor],
        lr: float = 0.001,
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

    def __init__(
        self,
        params: Sequence[Tensor],
        lr: float = 0.001,
        momentum: float = 0.9,
        weight_decay: float = 1e-4,
        nesterov: bool = False,
        classic: bool = True,
        tcoef: float = 0.001,
    ) -> None:
        super().__init__(params, lr, momentum, weight_decay, nesterov)
        self.classic, self.tcoef = classic, tcoef

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

    def __init__(
        self,
        params: Sequence[Tensor],
        lr: float = 0.001,
        momentum: float = 0.95,
        weight_decay: float = 0.1,
        ns_steps: int = 5,
        ns_coefficients: Sequence[float] = (3.4445, -4.775, 2.0315),
        nesterov: bool = True,
    ) -> None:
        super().__init__(params, lr, momentum, weight_decay, nesterov)
        if any(p.ndim < 1 for p in self.params):
            raise UsageError("Muon: expected parameters with axes, found a scalar")
        self.ns_steps, self.ns_coefficients = ns_steps, tuple(ns_coefficients)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        rows = self._averaged(place, gradient).reshape(value.shape[0], -1)
        even = rows.newton_schulz(self.ns_steps, self.ns_coefficients).reshape(value.shape)
        return self.lr * (even + self.weight_decay * value)


class _Moments(Optimizer):
    """Running means of gradients and of their squares: what Adam, AdamW and LAMB have in common.

    Both begin as zeros, whose remaining weight b ** steps is divided away.
    """

    def __init__(
        self, params: Sequence[Tensor], lr: float, b1: float, b2: float, eps: float,
        weight_decay: float,
    ) -> None:  # fmt: skip
        super().__init__(params, lr)
        if not (0 <= b1 < 1 and 0 <= b2 < 1 and eps >= 0 and weight_decay >= 0):
            raise UsageError(
                f"{type(self).__name__}: expected b1 and b2 from 0 to below 1, eps and "
                f"weight_decay of 0 or more, found {b1}, {b2}, {eps} and {weight_decay}"
            )
        self.b1, self.b2, self.eps, self.weight_decay = b1, b2, eps, weight_decay
        self.first, self.second = self._zeros(), self._zeros()
        self.b1_power = Tensor([1.0], device=self.device)
        self.b2_power = Tensor([1.0], device=self.device)

    def _state(self) -> list[Tensor]:
        return [self.lr, self.b1_power, self.b2_power, *self.first, *self.second]

    def _begin(self) -> None:
        self.b1_power.assign(self.b1_power * self.b1)
        self.b2_power.assign(self.b2_power * self.b2)

    def _direction(self, place: int, gradient: Tensor) -> Tensor:
        mean, square = self.first[place], self.second[place]
        mean.assign((self.b1 * mean + (1 - self.b1) * gradient).cast(mean.dtype))
        square.assign((self.b2 * square + (1 - self.b2) * gradient * gradient).cast(square.dtype))
        root = (square / (1 - self.b2_power)).sqrt()
        return mean / (1 - self.b1_power) / (root + self.eps)


class Adam(_Moments):
    """Adam (Kingma and Ba, 2015), as PyTorch's: weight decay is added to the gradient."""

    def __init__(
        self,
        params: Sequence[Tensor],
        lr: float = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, lr, b1, b2, eps, weight_decay)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        if self.weight_decay:
            gradient = gradient + self.weight_decay * value
        return self.lr * self._direction(place, gradient)


class AdamW(_Moments):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019), as PyTorch's."""

    def __init__(
        self,
        params: Sequence[Tensor],
        lr: float = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(params, lr, b1, b2, eps, weight_decay)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        step = self._direction(place, gradient)
        return self.lr * (step + self.weight_decay * value if self.weight_decay else step)


class LAMB(_Moments):
    """AdamW with each parameter's step as long as the parameter, times lr (You et al., 2019)."""

    def __init__(
        self,
        params: Sequence[Tensor],
        lr: float = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, lr, b1, b2, eps, weight_decay)

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        step = self._direction(place, gradient) + self.weight_decay * value
        size, length = _length(value), _length(step)
        ratio = ((size > 0) & (length > 0)).where(size / length, 1.0)
        return self.lr * ratio * step


def _length(x: Tensor) -> Tensor:
    return x.square().sum().sqrt()


def _gradient_of(parameter: Tensor, place: int) -> Tensor:
    if parameter.grad is None:
        raise UsageError(
            f"parameter {place} of shape {parameter.shape} has no gradient: "
            "call backward() on a loss that depends on it before step()"
        )
    return parameter.grad.detach()
