"""Counters of what devices did, beside the profile events that any layer may record."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rulewright.ir.expected import unknown_name
from rulewright.profile import (
    ProfileEvent,
    chrome_trace,
    clear_profile,
    profile_events,
    record,
    span,
    write_trace,
)

__all__ = [
    "GlobalCounters",
    "ProfileEvent",
    "chrome_trace",
    "clear_profile",
    "profile_events",
    "record",
    "span",
    "write_trace",
]


class _GlobalCounters:
    """Totals of this process since start or the last `reset()`.

    kernels: kernels run · global_ops: arithmetic operations they were estimated to do ·
    global_mem: bytes they were estimated to move · time_sum_s: seconds measured (only where a
    run was timed) · kernels_on: kernels and copies run one by one, by device · mem_used: bytes in
    live buffers now, on all devices (`reset` keeps it).
    """

    def __init__(self) -> None:
        self.mem_used = 0
        self.reset()

    def reset(self) -> None:
        """Zero every total; live memory is a state, not a total, and stays."""
        self.kernels = 0
        self.kernels_on: Counter[str] = Counter()
        self.global_ops = 0
        self.global_mem = 0
        self.time_sum_s = 0.0

    if not TYPE_CHECKING:  # type checkers know the names there are

        def __getattr__(self, name: str) -> object:
            """Raise UnknownAttributeError."""
            elsewhere = {"kernel_count": "GlobalCounters.kernels"}
            raise unknown_name("GlobalCounters", name, elsewhere, [*vars(self), "count", "reset"])

    def count(self, ops: int = 0, mem: int = 0, seconds: float | None = None) -> None:
        """Add one kernel run: estimated operations and bytes, and its time if it was measured."""
        self.kernels += 1
        self.global_ops += ops
        self.global_mem += mem
        self.time_sum_s += seconds or 0.0

    def __repr__(self) -> str:
        return (
            f"<GlobalCounters kernels={self.kernels} global_ops={self.global_ops} "
            f"global_mem={self.global_mem} time_sum_s={self.time_sum_s:.6f} "
            f"mem_used={self.mem_used}>"
        )


GlobalCounters = _GlobalCounters()
