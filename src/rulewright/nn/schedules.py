"""What all schedules of learning rates have, and numbers of theirs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from rulewright.nn import arguments
from rulewright.nn.names import OF_SCHEDULES, Hinting
from rulewright.nn.optimizer import Optimizer
from rulewright.tensor.contents import refuse


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
        self.base_lrs = [self._base(each) for each in self._groups_of(optimizer)]
        self.optimizer = optimizer
        self.last_epoch = vars(self).pop("_first", 0)
        self._move(self._rates_at(self.last_epoch - 1) if self.last_epoch else self.base_lrs)

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

    def _groups_of(self, optimizer: Any) -> list[Optimizer]:
        if not isinstance(optimizer, Optimizer):
            raise arguments.wrong(self._name, "optimizer", "an optimiser", optimizer)
        return optimizer.members()

    def _for_groups(
        self, optimizer: Any, name: str, value: Any, checked: Callable[[str, Any], Any]
    ) -> Any:
        """An argument that is checked: one for all groups, or a list of one for each.

        Raises UsageError for a list of another length.
        """
        count = len(self._groups_of(optimizer))
        if not isinstance(value, list | tuple):
            return checked(name, value)
        if len(value) != count:
            expected = f"one for all groups of parameters, or {count}: one for each"
            raise arguments.wrong(self._name, name, expected, value)
        return [checked(f"{name}[{place}]", each) for place, each in enumerate(value)]

    def _number(
        self, name: str, value: Any, low: float = -math.inf, high: float = math.inf
    ) -> float:
        return arguments.number(self._name, name, value, low, high)

    def _called(self, name: str, value: Any) -> Callable[[int], float]:
        function: Callable[[int], float] = arguments.called(self._name, name, value)
        return function

    def _amount(self, name: str, value: Any) -> float:
        return self._number(name, value, 0)

    def _steps(self, milestones: Sequence[int]) -> list[int]:
        name = "milestones[{}]".format
        return [arguments.whole(self._name, name(i), m) for i, m in enumerate(milestones)]

    def rate(self, epoch: int, base_lr: float) -> float:
        """The learning rate after a number of steps, of a group that began with `base_lr`: of the
        first one, where one of the arguments is another for each."""
        if type(self)._rate_of is LRScheduler._rate_of:
            raise TypeError(f"{type(self).__name__} does not say which rate it sets")
        return self._rate_of(0, epoch, base_lr)

    def _rate_of(self, group: int, epoch: int, base_lr: float) -> float:
        """`rate` of a group, where one of the arguments is another for each."""
        return self.rate(epoch, base_lr)

    def _rates_at(self, epoch: int) -> list[float]:
        """The rates of all groups after a number of steps."""
        return [self._rate_of(group, epoch, base) for group, base in enumerate(self.base_lrs)]

    def _move(self, before: list[float]) -> None:
        """Set the rates of this epoch. `before`: what this schedule alone had made of them."""
        after = self._rates_at(self.last_epoch)
        if self.relative:
            changes = zip(self._rates(), before, after, strict=True)
            after = [new if is_near(lr, old) else self._moved(lr, old, new)
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
        """Set the rates of the next epoch. Raises JitError where `jit` captures: a replay would
        not count it."""
        self._outside_of_jit()
        old = self._rates_at(self.last_epoch) if self.relative else []
        self.last_epoch += 1
        self._move(old)

    def _outside_of_jit(self) -> None:
        refuse(f"{self._name}.step counts in Python")

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


def of_group(value: Any, group: int) -> Any:
    """An argument of a group: its own, where there is a list of one for each."""
    return value[group] if isinstance(value, list) else value


def changed(value: Any, change: Callable[[float], float]) -> Any:
    """A number changed, or each of a list of them."""
    return [change(each) for each in value] if isinstance(value, list) else change(value)


def is_near(rate: float, other: float) -> bool:
    """Whether a rate is another, as an optimiser keeps it: in float32."""
    return math.isclose(rate, other, rel_tol=1e-6)


def cosine(start: float, end: float, part: float) -> float:
    """From `start` to `end` by half a cosine, of which a part is done."""
    return end + (start - end) * (1 + math.cos(math.pi * part)) / 2
