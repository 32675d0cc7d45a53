"""Optimisers whose steps hang little on a rate: by what steps were before, or by signs alone."""

from __future__ import annotations

from rulewright.errors import UsageError
from rulewright.nn import arguments
from rulewright.nn.optimizer import Optimizer, Params, decayed
from rulewright.tensor.tensor import Tensor


class Adadelta(Optimizer):
    """Gradients divided by the root of the running mean of their squares, times that of steps
    (Zeiler, 2012), as PyTorch's."""

    def __init__(
        self, params: Params, lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-6,
        weight_decay: float = 0.0, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        self.rho = arguments.number("Adadelta", "rho", rho, 0, 1)
        self.eps = arguments.number("Adadelta", "eps", eps, 0)
        self.weight_decay = arguments.number("Adadelta", "weight_decay", weight_decay, 0)
        super().__init__(params, lr, maximize=maximize)
        self.squares, self.steps = self._zeros(), self._zeros()

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        gradient = decayed(gradient, value, self.weight_decay)
        square, steps = self.squares[place], self.steps[place]
        square.assign(self.rho * square + (1 - self.rho) * gradient * gradient)
        step = (steps + self.eps).sqrt() / (square + self.eps).sqrt() * gradient
        steps.assign(self.rho * steps + (1 - self.rho) * step * step)
        return self.lr * step


class Rprop(Optimizer):
    """Steps by the signs of gradients: each element's becomes longer while its sign stays, by
    etas[1], and shorter by etas[0] where it turns, and there it waits (Riedmiller and Braun, 1993),
    as PyTorch's. `lr` is the first step of all, as it is then, `step_sizes` the shortest and the
    longest one.

    Raises UsageError unless 0 < etas[0] < 1 < etas[1].
    """

    def __init__(
        self, params: Params, lr: float | Tensor = 0.01, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0), *, maximize: bool = False,
    ) -> None:  # fmt: skip
        self.etas = _pair("etas", etas)
        if not 0 < self.etas[0] < 1 < self.etas[1]:
            raise UsageError(f"Rprop: expected 0 < etas[0] < 1 < etas[1], found {etas}")
        self.step_sizes = _pair("step_sizes", step_sizes)
        super().__init__(params, lr, maximize=maximize)
        self.before, self.sizes = self._zeros(), self._zeros()  # a size of 0 is none yet

    def _change(self, place: int, value: Tensor, gradient: Tensor) -> Tensor:
        before, sizes, (shorter, longer) = self.before[place], self.sizes[place], self.etas
        product = before * gradient
        turned = product < 0
        size = (sizes == 0).where(self.lr.reshape(()).cast(sizes.dtype), sizes)
        size = turned.where(size * shorter, (product > 0).where(size * longer, size))
        sizes.assign(size.clip(*self.step_sizes))
        before.assign(turned.where(0.0, gradient).cast(before.dtype))
        return turned.where(0.0, gradient.sign() * sizes)


def _pair(word: str, value: tuple[float, float]) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise arguments.wrong("Rprop", word, "a pair of numbers", value)
    low, high = (arguments.number("Rprop", f"{word}[{i}]", v, 0) for i, v in enumerate(value))
    return low, high
