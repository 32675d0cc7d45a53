"""Schedules that run again and again over other buffers, in one foreign call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulewright.driver.execute import ExecItem
from rulewright.driver.row import Row
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.profile import GlobalCounters


class Ready:
    """A schedule of a native device, ready for any buffers and values of its variables.

    What scratch memory the items are bound to is kept.
    """

    def __init__(self, items: Sequence[ExecItem], buffers: Sequence[Buffer]) -> None:
        slots = {buffer: slot for slot, buffer in enumerate(buffers)}
        self._scratch = {b for item in items for b in item.buffers if b not in slots}
        bound = [(item, dict(item.fixed_variables)) for item in items]
        self._row = Row(bound, slots, {name for _, values in bound for name in values})
        self._device, self._count = items[0].device.name, len(items)
        written: set[Buffer] = set()
        self._read: set[int] = set()
        for item in items:  # scratch that a kernel writes before it reads it has no slot
            self._read.update(slots[b] for b in item.read if b in slots and b not in written)
            written.update(item.written)

    @classmethod
    def of(cls, items: Sequence[ExecItem], buffers: Sequence[Buffer]) -> Ready | None:
        """Items as such a schedule over their buffers, or None if they are not of the kind."""
        known = set(buffers)
        native = all(i.device.is_native and i.is_kernel for i in items)
        alone = len({i.device for i in items}) == 1 and len(known) == len(buffers)
        return cls(items, buffers) if native and alone else None

    def run(self, buffers: Sequence[Buffer], variables: Mapping[str, int]) -> bool:
        """Run it; False, and nothing is done, if memory that it reads was never written."""
        for slot in self._read:
            buffer = buffers[slot]
            if buffer._block is None and not buffer.is_allocated:
                return False
        self._row.run(buffers, variables)
        GlobalCounters.kernels_on[self._device] += self._count
        return True
