"""Schedules of learning rates that go up and down, in cycles or once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rulewright.errors import UsageError
from rulewright.nn import arguments
from rulewright.nn.optimizer import Optimizer
from rulewright.nn.schedules import LRScheduler, changed, cosine, of_group


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
        return cosine(base_lr, self.eta_min, epoch / length)


class CyclicLR(LRScheduler):
    """Up from base_lr to max_lr and down again, in straight lines, over and over (Smith, 2017).
    Each of the two may be a list of one rate for each group of parameters.

    mode: "triangular"; "triangular2" halves the height each time; "exp_range" multiplies it by
    gamma at every step. The momentum stays: as PyTorch's does with `cycle_momentum=False`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
    ) -> None:
        self.lowest = self._for_groups(optimizer, "base_lr", base_lr, self._amount)
        self.max_lr = self._for_groups(optimizer, "max_lr", max_lr, self._amount)
        self.up = arguments.whole(self._name, "step_size_up", step_size_up, 1)
        down = step_size_up if step_size_down is None else step_size_down
        self.down = arguments.whole(self._name, "step_size_down", down, 1)
        words = ("triangular", "triangular2", "exp_range")
        self.mode = arguments.choice(self._name, "mode", mode, *words)
        self.gamma = self._number("gamma", gamma, 0)
        super().__init__(optimizer)

    def _rate_of(self, group: int, epoch: int, base_lr: float) -> float:
        """base_lr + (max_lr - base_lr) * height * scale."""
        cycle, place = divmod(epoch, self.up + self.down)
        height = place / self.up if place <= self.up else 1 - (place - self.up) / self.down
        scales = {"triangular": 1.0, "triangular2": 0.5**cycle, "exp_range": self.gamma**epoch}
        low, high = of_group(self.lowest, group), of_group(self.max_lr, group)
        return float(low + (high - low) * height * scales[self.mode])


class OneCycleLR(LRScheduler):
    """Up from max_lr / div_factor to max_lr in a part of the steps, then down to the first rate /
    final_div_factor, both by half a cosine (Smith and Topin, 2018). For each batch.

    max_lr: or a list of one for each group of parameters.
    total_steps: or `epochs` times `steps_per_epoch`. anneal_strategy: "cos", or "linear".
    three_phase: down to the first rate in as many steps as up, and to the last in the others. The
    momentum stays: as PyTorch's does with `cycle_momentum=False`. Raises UsageError where nothing
    says how many steps there are.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
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
        self.max_lr = self._for_groups(optimizer, "max_lr", max_lr, self._amount)
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
        up, down = (
            self._above_zero("div_factor", div_factor),
            self._above_zero("final_div_factor", final_div_factor),
        )
        self.first = changed(self.max_lr, lambda high: high / up)
        self.last = changed(self.first, lambda low: low / down)
        super().__init__(optimizer)

    def _above_zero(self, name: str, value: Any) -> float:
        if not self._number(name, value, 0):
            raise arguments.wrong(self._name, name, "a number above 0", value)
        return float(value)

    def _rate_of(self, group: int, epoch: int, base_lr: float) -> float:
        """See the class. Raises UsageError beyond `total_steps`."""
        if epoch >= self.total_steps + 1:
            raise UsageError(f"OneCycleLR: step {epoch} of {self.total_steps}")
        top = self.pct_start * self.total_steps - 1
        end = self.total_steps - 1
        first, high, last = [of_group(v, group) for v in (self.first, self.max_lr, self.last)]
        turns = [(0.0, first), (top, high), (float(end), last)]
        if self.three_phase:
            turns.insert(2, (2 * self.pct_start * self.total_steps - 2, first))
        for (start, before), (stop, after) in pairwise(turns):
            if epoch <= stop or stop == end:
                part = (epoch - start) / (stop - start) if stop > start else 1.0
                return self._between(before, after, part)
        return float(last)

    def _between(self, start: float, end: float, part: float) -> float:
        if self.anneal_strategy == "linear":
            return start + part * (end - start)
        return cosine(start, end, part)
