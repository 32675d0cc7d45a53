"""Optimisers. `step()` updates the parameters by their gradients, all in one schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.errors import UsageError
from rulewright.tensor.tensor import Tensor


class Optimizer:
    """What all optimisers have: parameters, a learning rate, and their own state.

    params: tensors with floats; they get `requires_grad` if they have not got it. The learning
    rate `lr` may be changed between steps without new kernels: it is a tensor.
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
        gradients = []
        for place, parameter in enumerate(self.params):
            if parameter.grad is None:
                raise UsageError(
                    f"parameter {place} of shape {parameter.shape} has no gradient: "
                    "call backward() on a loss that depends on it before step()"
                )
            gradients.append(parameter.grad.detach())
        state = self._state()
        self._update([p.detach() for p in self.params], gradients)
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

    def _update(self, values: list[Tensor], gradients: list[Tensor]) -> None:
        raise TypeError(f"{type(self).__name__} does not say how it updates")

    def _zeros(self) -> list[Tensor]:
        return [p.zeros_like(device=p.device).clone() for p in self.params]


class SGD(Optimizer):
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
        super().__init__(params, lr)
        if nesterov and not momentum:
            raise UsageError("SGD: nesterov needs a momentum above 0")
        self.momentum, self.weight_decay, self.nesterov = momentum, weight_decay, nesterov
        self.buffers = self._zeros() if momentum else []

    def _state(self) -> list[Tensor]:
        return [self.lr, *self.buffers]

    def _update(self, values: list[Tensor], gradients: list[Tensor]) -> None:
        for place, (value, g) in enumerate(zip(values, gradients, strict=True)):
            if self.weight_decay:
                g = g + self.weight_decay * value
            if self.momentum:
                average = self.buffers[place]
                average.assign(self.momentum * average + g)
                g = g + self.momentum * average if self.nesterov else average
            self.params[place].assign((value - self.lr * g).cast(value.dtype))


class AdamW(Optimizer):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019), as PyTorch's."""

    decoupled = True

    def __init__(
        self,
        params: Sequence[Tensor],
        lr: float = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(params, lr)
        self.b1, self.b2, self.eps, self.weight_decay = b1, b2, eps, weight_decay
        self.first, self.second = self._zeros(), self._zeros()
        # b1 ** steps and b2 ** steps: the weight that the zeros at the start still have
        self.b1_power, self.b2_power = (
            Tensor([1.0], device=self.device),
            Tensor([1.0], device=self.device),
        )

    def _state(self) -> list[Tensor]:
        return [self.lr, self.b1_power, self.b2_power, *self.first, *self.second]

    def _update(self, values: list[Tensor], gradients: list[Tensor]) -> None:
        self.b1_power.assign(self.b1_power * self.b1)
        self.b2_power.assign(self.b2_power * self.b2)
        for place, (value, g) in enumerate(zip(values, gradients, strict=True)):
            if self.weight_decay and not self.decoupled:
                g = g + self.weight_decay * value
            mean, square = self.first[place], self.second[place]
            mean.assign((self.b1 * mean + (1 - self.b1) * g).cast(mean.dtype))
            square.assign((self.b2 * square + (1 - self.b2) * g * g).cast(square.dtype))
            step = mean / (1 - self.b1_power)
            step = step / ((square / (1 - self.b2_power)).sqrt() + self.eps)
            if self.weight_decay and self.decoupled:
                step = step + self.weight_decay * value
            self.params[place].assign((value - self.lr * step).cast(value.dtype))


class Adam(AdamW):
    """Adam (Kingma and Ba, 2015), as PyTorch's: weight decay is added to the gradient."""

    decoupled = False

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
