"""Orders of kernels that need little memory between them.

Of the kernels that may run, the one goes first that leaves the fewest bytes in use: a gradient that
is the last to ask for an activation runs before another activation is filled. (List scheduling,
without looking ahead: best at every step need not be best in all, so orders are compared.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

Waits = Mapping[UOp, Mapping[UOp, None]]
"""For each call, in the order in which they are given, the calls that have to run before it."""


def frugal(before: Waits, known: Sequence[UOp]) -> list[UOp]:
    """An order of calls that has the lower peak of scratch memory: `known`, which is kept if none
    is lower, or one chosen step by step."""
    return frugal_and_peak(before, known)[0]


def frugal_and_peak(before: Waits, known: Sequence[UOp]) -> tuple[list[UOp], int]:
    """The same order, and most bytes of scratch memory that are in use while a call of it runs."""
    choice = _Choice(before)
    orders = list(known), choice.order()
    peaks = [_peak(order, choice.scratch) for order in orders]
    best = min(peaks)
    return orders[peaks.index(best)], best


def peak(order: Sequence[UOp]) -> int:
    """Most bytes of scratch memory that are in use while one of the calls runs."""
    return _peak(order, {call: _scratch(call) for call in order})


def _peak(order: Sequence[UOp], scratch: Mapping[UOp, Mapping[UOp, int]]) -> int:
    given = [scratch[call] for call in order]
    left = Counter(memory for memories in given for memory in memories)
    used: set[UOp] = set()
    now = most = 0
    for memories in given:
        now += sum([size for m, size in memories.items() if m not in used])
        used.update(memories)
        most = max(most, now)
        for memory, size in memories.items():
            left[memory] -= 1
            now -= 0 if left[memory] else size
    return most


class _Choice:
    """What is in use, and what each call that may run would change about it."""

    def __init__(self, before: Waits) -> None:
        self.before = before
        self.calls = list(before)
        self.number = {call: i for i, call in enumerate(self.calls)}
        self.scratch = {call: _scratch(call) for call in self.calls}
        self.askers: dict[UOp, list[UOp]] = {}
        for call, memories in self.scratch.items():
            for memory in memories:
                self.askers.setdefault(memory, []).append(call)
        self.left = {memory: len(calls) for memory, calls in self.askers.items()}
        self.used: set[UOp] = set()
        self.missing = {call: len(waited) for call, waited in before.items()}
        self.heap: list[tuple[int, int]] = []  # bytes more in use afterwards, number of the call

    def order(self) -> list[UOp]:
        """All calls: each time the one that adds the least, or of several the first."""
        users: dict[UOp, list[UOp]] = {}
        for call, waited in self.before.items():
            for other in waited:
                users.setdefault(other, []).append(call)
        done: dict[UOp, None] = {}
        self._offer(call for call in self.calls if not self.missing[call])
        while self.heap:
            added, number = heappop(self.heap)
            call = self.calls[number]
            if call in done or added != self._added(call):
                continue  # it was offered again when that changed
            done[call] = None
            for user in users.get(call, ()):
                self.missing[user] -= 1
            self._offer(c for c in users.get(call, ()) if not self.missing[c])
            self._run(call, done)
        return list(done)

    def _run(self, call: UOp, done: Mapping[UOp, None]) -> None:
        """Note what the call used; those whose memory is in use now, or that are last, add less."""
        for memory in self.scratch[call]:
            fresh = memory not in self.used
            self.used.add(memory)
            self.left[memory] -= 1
            if fresh or self.left[memory] == 1:
                others = [c for c in self.askers[memory] if c not in done and not self.missing[c]]
                self._offer(others)

    def _offer(self, calls: Iterator[UOp] | Sequence[UOp]) -> None:
        for call in calls:
            heappush(self.heap, (self._added(call), self.number[call]))

    def _added(self, call: UOp) -> int:
        added = 0
        for memory, size in self.scratch[call].items():
            added += 0 if memory in self.used else size
            added -= size if self.left[memory] == 1 else 0
        return added


def _scratch(call: UOp) -> dict[UOp, int]:
    """The scratch memories that a call is given, and the bytes of each."""
    bases = dict.fromkeys(a.base for a in call.src[1:])
    return {m: prod(m.arg[1]) * m.dtype.itemsize for m in bases if m.op is Ops.SCRATCH}
