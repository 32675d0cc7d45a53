"""Schedules of learning rates. `step()` after each epoch (or batch) sets the optimiser's next.

Names, meanings and defaults are PyTorch's; each is written in closed form of the number of steps.
What else sets the rate, another schedule or the program itself, is scaled as PyTorch does it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from rulewright.errors import UsageError
from rulewright.nn import arguments
from rulewright.nn.names import OF_SCHEDULES, Hinting
from rulewright.nn.optimizer import Optimizer


class LRScheduler(Hinting):
    """What all schedules have: an optimiser, `base_lrs`, the rates that its groups began with, and
    `last_epoch`, the number of steps so far. The first rates are set when the schedule is made.

    A subclass says in `rate` which rate belongs to a number of steps. Groups that are added later
    keep theirs. last_epoch: another number to go on from, as if one step more were done, whatever
    the schedule; -1 begins. Raises UsageError for a number below that.
    """

    ELSEWHERE = OF_SCHEDULES
    HEEDED: ClassVar[tuple[str, ...]] = ("last_epoch",)
    relative = False
    """Whether a step changes the rate that is there by as much as `rate` changes, so that several
    schedules of one optimiser act together; else it sets what `rate` says."""

    def __init__(self, optimizer: Optimizer) -> None:
        if not isinstance(optimizer, Optimizer):
            raise arguments.wrong(self._name, "optimizer", "an optimiser", optimizer)
        self.optimizer = optimizer
        self.base_lrs = [self._base(each) for each in optimizer.members()]
        self.last_epoch = vars(self).pop("_first", 0)
        before = self.base_lrs
        if self.last_epoch:
            before = [self.rate(self.last_epoch - 1, base) for base in before]
        self._move(before)

    def _heed(self, make: Callable[[], None], words: Mapping[str, Any]) -> None:
        last = arguments.whole(self._name, "last_epoch", words["last_epoch"], None)
        if last < -1:
            raise arguments.wrong(self._name, "last_epoch", "a whole number of -1 or more", last)
        vars(self)["_first"] = last + 1
        make()

    def _base(self, group: Optimizer) -> float:
        """The rate before any schedule: a second one does not begin from what the first one set."""
        base: float = vars(group).setdefault("initial_lr", float(group.lr.item()))
        return base

    @property
    def _name(self) -> str:
        return type(self).__name__

    def _number(
        self, name: str, value: Any, low: float = -math.inf, high: float = math.inf
    ) -> float:
        return arguments.number(self._name, name, value, low, high)

    def _steps(self, milestones: Sequence[int]) -> list[int]:
        name = "milestones[{}]".format
        return [arguments.whole(self._name, name(i), m) for i, m in enumerate(milestones)]

    def rate(self, epoch: int, base_lr: float) -> float:
        """The learning rate after a number of steps, of a group that began with `base_lr`."""
        raise TypeError(f"{type(self).__name__} does not say which rate it sets")

    def _move(self, before: list[float]) -> None:
        """Set the rates of this epoch. `before`: what this schedule alone had made of them."""
        after = [self.rate(self.last_epoch, base) for base in self.base_lrs]
        if self.relative:
            changes = zip(self._rates(), before, after, strict=True)
            after = [new if _is_near(lr, old) else self._moved(lr, old, new)
                     for lr, old, new in changes]  # fmt: skip
        self._set(after)

    def _moved(self, rate: float, before: float, after: float) -> float:
        """A rate that something else has set, changed as `before` became `after`."""
        if before == after:
            return rate
        return rate * after / before if before else after

    def _rates(self) -> list[float]:
        """The rates that the groups have now."""
        members = self.optimizer.members()[: len(self.base_lrs)]
        return [float(each.lr.item()) for each in members]

    def _set(self, lrs: list[float]) -> None:
        self.lrs = lrs
        for group, lr in zip(self.optimizer.param_groups, lrs, strict=False):
            group["lr"] = lr

    def step(self) -> None:
        """Set the rates of the next epoch."""
        old = [self.rate(self.last_epoch, b) for b in self.base_lrs] if self.relative else []
        self.last_epoch += 1
        self._move(old)

    def get_last_lr(self) -> list[float]:
        """The rate of each group that was set last."""
        return list(self.lrs)

    def state_dict(self) -> dict[str, Any]:
        """All that changes, as plain numbers, and lists of them."""
        numbers = int | float | bool | str | None
        return {
            name: value
            for name, value in vars(self).items()
            if all(isinstance(v, numbers) for v in (value if isinstance(value, list) else [value]))
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue where another schedule of the same kind was saved.

        Raises UsageError for names that such a schedule does not have.
        """
        known = self.state_dict()
        if not isinstance(state, dict) or not state.keys() <= known.keys():
            expected = f"a dict of {', '.join(known)}"
            raise arguments.wrong(f"{self._name}.load_state_dict", "state", expected, state)
        vars(self).update(state)
        self._set(self.lrs)


class LambdaLR(LRScheduler):
    """The first rate times a function of the number of steps."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        self.lr_lambda = arguments.called(self._name, "lr_lambda", lr_lambda)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """base * lr_lambda(epoch)."""
        factor = self._number(f"lr_lambda({epoch})", self.lr_lambda(epoch), 0)
        return base_lr * factor


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
    """The rate times a function of the number of steps, at every step."""

    relative = True

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        self.lr_lambda = arguments.called(self._name, "lr_lambda", lr_lambda)
        self.products = [1.0]  # of the factors up to each step so far
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """base * lr_lambda(1) * … * lr_lambda(epoch)."""
        for i in range(len(self.products), epoch + 1):
            factor = self._number(f"lr_lambda({i})", self.lr_lambda(i), 0)
            self.products.append(self.products[-1] * factor)
        return base_lr * self.products[epoch]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first rate to eta_min in T_max steps (Loshchilov and Hutter, 2017)."""

    relative = True

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        self.T_max = arguments.whole(self._name, "T_max", T_max, 1)
        self.eta_min = self._number("eta_min", eta_min, 0)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """eta_min + (base - eta_min) (1 + cos(π epoch / T_max)) / 2."""
        return _cosine(base_lr, self.eta_min, epoch / self.T_max)

    def _moved(self, rate: float, before: float, after: float) -> float:
        low = self.eta_min
        if before == low:  # up again, as in PyTorch by as much as of the first rate
            return rate + after - low
        return max(low + (rate - low) * (after - low) / (before - low), 0.0)


class CosineAnnealingWarmRestarts(LRScheduler):
    """`CosineAnnealingLR` that begins again after T_0 steps, and then each time after T_mult times
    as many."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0
    ) -> None:
        self.T_0 = arguments.whole(self._name, "T_0", T_0, 1)
        self.T_mult = arguments.whole(self._name, "T_mult", T_mult, 1)
        self.eta_min = self._number("eta_min", eta_min, 0)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """eta_min + (base - eta_min) (1 + cos(π t / T)) / 2, at step t of a cycle of T."""
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch, length = epoch - length, length * self.T_mult
        return _cosine(base_lr, self.eta_min, epoch / length)


class CyclicLR(LRScheduler):
    """Up from base_lr to max_lr and down again, in straight lines, over and over (Smith, 2017).

    mode: "triangular"; "triangular2" halves the height each time; "exp_range" multiplies it by
    gamma at every step. The momentum stays: as PyTorch's does with `cycle_momentum=False`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float,
        max_lr: float,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
    ) -> None:
        self.lowest = self._number("base_lr", base_lr, 0)
        self.max_lr = self._number("max_lr", max_lr, 0)
        self.up = arguments.whole(self._name, "step_size_up", step_size_up, 1)
        down = step_size_up if step_size_down is None else step_size_down
        self.down = arguments.whole(self._name, "step_size_down", down, 1)
        words = ("triangular", "triangular2", "exp_range")
        self.mode = arguments.choice(self._name, "mode", mode, *words)
        self.gamma = self._number("gamma", gamma, 0)
        super().__init__(optimizer)

    def rate(self, epoch: int, base_lr: float) -> float:
        """base_lr + (max_lr - base_lr) * height * scale."""
        cycle, place = divmod(epoch, self.up + self.down)
        height = place / self.up if place <= self.up else 1 - (place - self.up) / self.down
        scales = {"triangular": 1.0, "triangular2": 0.5**cycle, "exp_range": self.gamma**epoch}
        return self.lowest + (self.max_lr - self.lowest) * height * scales[self.mode]


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

    def rate(self, epoch: int, base_lr: float) -> float:
        """What the schedule that is on says, of the steps since it began."""
        place = sum(m <= epoch for m in self.milestones)
        return self.schedulers[place].rate(epoch - [0, *self.milestones][place], base_lr)


class OneCycleLR(LRScheduler):
    """Up from max_lr / div_factor to max_lr in a part of the steps, then down to the first rate /
    final_div_factor, both by half a cosine (Smith and Topin, 2018). For each batch.

    total_steps: or `epochs` times `steps_per_epoch`. anneal_strategy: "cos", or "linear".
    three_phase: down to the first rate in as many steps as up, and to the last in the others. The
    momentum stays: as PyTorch's does with `cycle_momentum=False`. Raises UsageError where nothing
    says how many steps there are.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float,
        total_steps: int | None = None,
        pct_start: float = 0.3,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        *,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        anneal_strategy: str = "cos",
        three_phase: bool = False,
    ) -> None:
        self.max_lr = self._number("max_lr", max_lr, 0)
        counts = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        known = [
            arguments.whole(self._name, name, n, 1) for name, n in counts.items() if n is not None
        ]
        if total_steps is None and len(known) == len(counts):
            total_steps = math.prod(known)
        self.total_steps = arguments.whole(self._name, "total_steps", total_steps, 1)
        words = ("cos", "linear")
        strategy = arguments.choice(self._name, "anneal_strategy", anneal_strategy, *words)
        self.anneal_strategy = strategy
        self.three_phase = arguments.flag(self._name, "three_phase", three_phase)
        self.pct_start = self._number("pct_start", pct_start, 0, 1)
        self.first = max_lr / self._above_zero("div_factor", div_factor)
        self.last = self.first / self._above_zero("final_div_factor", final_div_factor)
        super().__init__(optimizer)

    def _above_zero(self, name: str, value: Any) -> float:
        if not self._number(name, value, 0):
            raise arguments.wrong(self._name, name, "a number above 0", value)
        return float(value)

    def rate(self, epoch: int, base_lr: float) -> float:
        """See the class. Raises UsageError beyond `total_steps`."""
        if epoch >= self.total_steps + 1:
            raise UsageError(f"OneCycleLR: step {epoch} of {self.total_steps}")
        top = self.pct_start * self.total_steps - 1
        end = self.total_steps - 1
        turns = [(0.0, self.first), (top, self.max_lr), (float(end), self.last)]
        if self.three_phase:
            turns.insert(2, (2 * self.pct_start * self.total_steps - 2, self.first))
        for (start, low), (stop, high) in pairwise(turns):
            if epoch <= stop or stop == end:
                part = (epoch - start) / (stop - start) if stop > start else 1.0
                return self._between(low, high, part)
        return self.last

    def _between(self, start: float, end: float, part: float) -> float:
        if self.anneal_strategy == "linear":
            return start + part * (end - start)
        return _cosine(start, end, part)


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` when a number has not become better for `patience` steps.

    mode: "min" if smaller is better, or "max". threshold: by how much better counts, relative or
    (threshold_mode "abs") absolute. cooldown: steps after a change in which nothing is counted.
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
        min_lr: float = 0.0,
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
        self.min_lr, self.eps = self._number("min_lr", min_lr, 0), self._number("eps", eps, 0)
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

        Raises UsageError without a number.
        """
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
            now = [own if _is_near(lr, own) else lr
                   for lr, own in zip(self._rates(), self.lrs, strict=True)]  # fmt: skip
            lower = [max(lr * self.factor, self.min_lr) for lr in now]
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


def _is_near(rate: float, other: float) -> bool:
    """Whether a rate is another, as an optimiser keeps it: in float32."""
    return math.isclose(rate, other, rel_tol=1e-6)


def _cosine(start: float, end: float, part: float) -> float:
    return end + (start - end) * (1 + math.cos(math.pi * part)) / 2
