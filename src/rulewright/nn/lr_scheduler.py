"""Schedules of learning rates. `step()` after each epoch (or batch) sets the optimiser's next.

Names, meanings and defaults are PyTorch's; each is written in closed form of the number of steps.
What else sets the rate, another schedule or the program itself, is scaled as PyTorch does it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rulewright.errors import UsageError
from rulewright.nn import arguments
from rulewright.nn.cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from rulewright.nn.optimizer import Optimizer
from rulewright.nn.schedules import LRScheduler, cosine, is_near, of_group

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
    "CyclicLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR",
    "MultiplicativeLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip

_Factor = Callable[[int], float]


class LambdaLR(LRScheduler):
    """The first rate times a function of the number of steps, or of each group by its own."""

    def __init__(self, optimizer: Optimizer, lr_lambda: _Factor | Sequence[_Factor]) -> None:
        self.lr_lambda = self._for_groups(optimizer, "lr_lambda", lr_lambda, self._called)
        super().__init__(optimizer)

    def _rate_of(self, group: int, epoch: int, base_lr: float) -> float:
        """base * lr_lambda(epoch)."""
        factor = of_group(self.lr_lambda, group)(epoch)
        return base_lr * self._number(f"lr_lambda({epoch})", factor, 0)


class StepLR(LRScheduler):
    """The rate times gamma every `step_size` steps."""

    relative = True

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size = arguments.whole(self._name, "step_size", step_size, 1)
        self.gamma = self._number("gamma", gamma, 0)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """base * gamma ** (epoch // step_size)."""
        return base_lr * self.gamma ** (epoch // self.step_size)


class MultiStepLR(LRScheduler):
    """The rate times gamma at each milestone."""

    relative = True

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1) -> None:
        if not isinstance(milestones, list | tuple):
            raise arguments.wrong(self._name, "milestones", "several whole numbers", milestones)
        self.milestones = sorted(self._steps(milestones))
        self.gamma = self._number("gamma", gamma, 0)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """base * gamma ** (milestones reached)."""
        return base_lr * self.gamma ** sum(m <= epoch for m in self.milestones)


class ExponentialLR(LRScheduler):
    """The rate times gamma at every step."""

    relative = True

    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        self.gamma = self._number("gamma", gamma, 0)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """base * gamma ** epoch."""
        return base_lr * self.gamma**epoch


class LinearLR(LRScheduler):
    """Warm-up: a factor that grows from start_factor to end_factor in `total_iters` steps."""

    relative = True

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        self.start_factor = self._number("start_factor", start_factor, 0, 1)
        if not start_factor:
            raise arguments.wrong(self._name, "start_factor", "a number above 0", start_factor)
        self.end_factor = self._number("end_factor", end_factor, 0, 1)
        self.total_iters = arguments.whole(self._name, "total_iters", total_iters, 1)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """base * (start + (end - start) * min(epoch, total) / total)."""
        part = min(epoch, self.total_iters) / self.total_iters
        return base_lr * (self.start_factor + (self.end_factor - self.start_factor) * part)


class ConstantLR(LRScheduler):
    """The first rate times a factor, and after `total_iters` steps the first rate."""

    relative = True

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5) -> None:
        self.factor = self._number("factor", factor, 0, 1)
        self.total_iters = arguments.whole(self._name, "total_iters", total_iters)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """base * factor before step `total_iters`, then base."""
        return base_lr * (self.factor if epoch < self.total_iters else 1.0)


class PolynomialLR(LRScheduler):
    """The rate falls to 0 in `total_iters` steps, as a power of the steps that are left."""

    relative = True

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0) -> None:
        self.total_iters = arguments.whole(self._name, "total_iters", total_iters, 1)
        self.power = self._number("power", power, 0)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """base * (1 - min(epoch, total) / total) ** power."""
        part = min(epoch, self.total_iters) / self.total_iters
        return base_lr * (1 - part) ** self.power


class MultiplicativeLR(LRScheduler):
    """The rate times a function of the number of steps, at every step, or that of each group by
    its own."""

    relative = True

    def __init__(self, optimizer: Optimizer, lr_lambda: _Factor | Sequence[_Factor]) -> None:
        self.lr_lambda = self._for_groups(optimizer, "lr_lambda", lr_lambda, self._called)
        several = isinstance(self.lr_lambda, list)
        self._factors: list[_Factor] = self.lr_lambda if several else [self.lr_lambda]
        self.products = [1.0] * len(self._factors)  # by each function, up to each step so far
        super().__init__(optimizer)

    def _rate_of(self, group: int, epoch: int, base_lr: float) -> float:
        """base * lr_lambda(1) * … * lr_lambda(epoch)."""
        count = len(self._factors)
        for i in range(len(self.products) // count, epoch + 1):
            for each in self._factors:
                factor = self._number(f"lr_lambda({i})", each(i), 0)
                self.products.append(self.products[-count] * factor)
        return base_lr * self.products[epoch * count + group % count]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first rate to eta_min in T_max steps (Loshchilov and Hutter, 2017)."""

    relative = True

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        self.T_max = arguments.whole(self._name, "T_max", T_max, 1)
        self.eta_min = self._number("eta_min", eta_min, 0)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """eta_min + (base - eta_min) (1 + cos(π epoch / T_max)) / 2."""
        return cosine(base_lr, self.eta_min, epoch / self.T_max)

    def _moved(self, rate: float, before: float, after: float) -> float:
        low = self.eta_min
        if before == low:  # up again, as in PyTorch by as much as of the first rate
            return rate + after - low
        return max(low + (rate - low) * (after - low) / (before - low), 0.0)


class ChainedScheduler(LRScheduler):
    """Several schedules of one optimiser, of which each step is one of each, in order.

    What each makes of the rate that the ones before it have set is what PyTorch makes of it: where
    all change the rate by a factor, the factors are multiplied. Raises UsageError for schedules of
    several optimisers, or ones that a step has to be told something (ReduceLROnPlateau).
    """

    HEEDED = ()

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        _check_schedules(
            self._name,
            schedulers,
            lambda: schedulers[0].optimizer if optimizer is None else optimizer,
        )
        self.schedulers = list(schedulers)
        self.optimizer = schedulers[0].optimizer
        self.base_lrs = [self._base(each) for each in self.optimizer.members()]
        self.last_epoch = 0
        self.lrs = self._rates()

    def step(self) -> None:
        """One step of each schedule."""
        for each in self.schedulers:
            each.step()
        self.last_epoch += 1
        self.lrs = self._rates()

    def state_dict(self) -> dict[str, Any]:
        """All that changes: of each schedule, and of the chain itself."""
        return {**super().state_dict(), "schedulers": [s.state_dict() for s in self.schedulers]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue where another chain of the same schedules was saved.

        Raises UsageError for another number of them, and for names that they do not have.
        """
        states = state.get("schedulers") if isinstance(state, dict) else None
        if not isinstance(states, list) or len(states) != len(self.schedulers):
            expected = f"a state of {len(self.schedulers)} schedules"
            raise arguments.wrong(f"{self._name}.load_state_dict", "state", expected, state)
        super().load_state_dict({k: v for k, v in state.items() if k != "schedulers"})
        for each, one in zip(self.schedulers, states, strict=True):
            each.load_state_dict(one)


def _check_schedules(
    name: str, schedulers: Sequence[LRScheduler], optimizer: Callable[[], Optimizer]
) -> None:
    """Raise UsageError unless these are schedules of one optimiser, which step by themselves."""
    if not isinstance(schedulers, list | tuple) or not schedulers:
        raise arguments.wrong(name, "schedulers", "one schedule or more", schedulers)
    for place, each in enumerate(schedulers):
        fits = isinstance(each, LRScheduler) and not isinstance(each, ReduceLROnPlateau)
        if not fits or each.optimizer is not optimizer():
            expected = "a schedule of the same optimiser, other than ReduceLROnPlateau"
            raise arguments.wrong(name, f"schedulers[{place}]", expected, each)


class SequentialLR(LRScheduler):
    """One schedule after the other, each from its own first step: warm-up, and what follows.

    milestones: the step at which each but the first begins. Raises UsageError for another number
    of them, and for schedules of another optimiser or without a formula (ReduceLROnPlateau).
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int]
    ) -> None:
        _check_schedules(self._name, schedulers, lambda: optimizer)
        count = len(schedulers) - 1
        if not isinstance(milestones, list | tuple) or len(milestones) != count:
            expected = f"{count} whole numbers, one for each schedule but the first"
            raise arguments.wrong(self._name, "milestones", expected, milestones)
        self.schedulers, self.milestones = list(schedulers), self._steps(milestones)
        super().__init__(optimizer)

    def _rate_of(self, group: int, epoch: int, base_lr: float) -> float:
        """What the schedule that is on says of the steps since it began."""
        place = sum(m <= epoch for m in self.milestones)
        begun = [0, *self.milestones][place]
        return self.schedulers[place]._rate_of(group, epoch - begun, base_lr)


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` when a number has not become better for `patience` steps.

    mode: "min" if smaller is better, or "max". threshold: by how much better counts, relative or
    (threshold_mode "abs") absolute. cooldown: steps after a change in which nothing is counted.
    min_lr: or a list of one for each group of parameters.
    """

    HEEDED = ()
    relative = True

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        self.mode = arguments.choice(self._name, "mode", mode, "min", "max")
        self.factor = arguments.number(self._name, "factor", factor, 0, 1, below=True)
        self.patience = arguments.whole(self._name, "patience", patience)
        self.threshold = self._number("threshold", threshold, 0)
        self.threshold_mode = arguments.choice(
            self._name, "threshold_mode", threshold_mode, "rel", "abs"
        )
        self.cooldown = arguments.whole(self._name, "cooldown", cooldown)
        self.min_lr = self._for_groups(optimizer, "min_lr", min_lr, self._amount)
        self.eps = self._number("eps", eps, 0)
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs, self.cooldown_counter = 0, 0
        super().__init__(optimizer)

    def _base(self, group: Optimizer) -> float:
        return float(group.lr.item())

    def rate(self, epoch: int, base_lr: float) -> float:
        """The rate stays until `step` sees a plateau."""
        return base_lr

    def step(self, metrics: Any = None) -> None:
        """Look at a number, such as the loss on data that is not trained on.

        Raises UsageError without a number, JitError where `jit` captures.
        """
        self._outside_of_jit()
        if metrics is None:
            raise UsageError("ReduceLROnPlateau: step() needs the number that should improve")
        try:
            value = float(metrics)
        except (TypeError, ValueError):
            raise arguments.wrong(f"{self._name}.step", "metrics", "one number", metrics) from None
        self.last_epoch += 1
        if self._better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            now = [own if is_near(lr, own) else lr
                   for lr, own in zip(self._rates(), self.lrs, strict=True)]  # fmt: skip
            lower = [
                max(lr * self.factor, of_group(self.min_lr, group)) for group, lr in enumerate(now)
            ]
            pairs = zip(now, lower, strict=True)
            self._set([new if old - new > self.eps else old for old, new in pairs])
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    def _better(self, value: float) -> bool:
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "abs":
            return sign * value > sign * self.best + self.threshold
        if math.isinf(self.best):
            return sign * value > sign * self.best
        return sign * value > sign * self.best * (1 + sign * self.threshold)
