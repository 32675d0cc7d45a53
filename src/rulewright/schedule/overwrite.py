"""Scratch memory that is written over: a kernel that is the last to read one fills it again.

A residual that is added to a product, or a gradient that is scaled by what it was computed from,
is read for the last time by the kernel that stores the result, at the same place. Then the two need
not be in memory at once.
"""

from __future__ import annotations

from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import written_slots
from rulewright.schedule.frugal import peak
from rulewright.schedule.one_memory import in_one_memory

LEAST = 1 << 12
"""Bytes of a memory that is worth it."""


def overwrite_scratch(linear: UOp, origins: Origins | None = None) -> UOp:
    """A LINEAR list of kernels that need less scratch memory at once; the same if they would not.

    Notes on the calls go with them.
    """
    if linear.op is not Ops.LINEAR:
        return linear
    calls = _Overwriting(linear).calls
    found = [call for call in calls if call.src[0].src]
    if peak(found) >= peak(linear.src):
        return linear
    if origins is not None:
        origins.carry(dict(zip(linear.src, calls, strict=True)))
    return linear.replace(src=tuple(found))


class _Overwriting:
    """`calls` are those of a list as they are now, in order; `home` says in which memory another
    one is."""

    def __init__(self, linear: UOp) -> None:
        self.first: dict[UOp, int] = {}
        self.last: dict[UOp, int] = {}
        for number, call in enumerate(linear.src):
            for memory in call.src[1:]:
                self.first.setdefault(memory, number)
                self.last[memory] = number
        self.home: dict[UOp, UOp] = {}
        self.calls: list[UOp] = []
        for number, call in enumerate(linear.src):
            memories = [self.home.get(m, m) for m in call.src[1:]]
            made = call.replace(src=(call.src[0], *memories))
            while (joined := self._joined(made, number)) is not None:
                made = joined
            self.calls.append(made)

    def _joined(self, call: UOp, number: int) -> UOp | None:
        """A call that fills one scratch memory fewer; None if there is none such."""
        kernel, *memories = call.src
        if kernel.op is not Ops.SINK:
            return None
        gone = [at for at, m in enumerate(memories) if _is_scratch(m) and self.last[m] == number]
        for slot in written_slots(kernel):
            result = memories[slot]
            if not _is_scratch(result) or self.first[result] != number:
                continue
            for at in gone:
                old = memories[at]
                alike = old.dtype is result.dtype and old.arg[1:] == result.arg[1:]
                once = memories.count(old) == memories.count(result) == 1
                made = in_one_memory(kernel, slot, at) if alike and once else None
                if made is not None:
                    self.home[result] = old
                    self.last[old] = self.last[result]
                    memories[slot] = old
                    return call.replace(src=(made, *memories[:at], *memories[at + 1 :]))
        return None


def _is_scratch(memory: UOp) -> bool:
    return memory.op is Ops.SCRATCH and prod(memory.arg[1]) * memory.dtype.itemsize >= LEAST
