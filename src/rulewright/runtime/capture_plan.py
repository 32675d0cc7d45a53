"""One memory plan for all that a capture runs, however many schedules it was.

Each schedule was planned by itself, and what one left for the next had memory of its own. Seen
together, what only these kernels know may share memory, whichever schedule it was made in.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from rulewright.ir.dtypes import dtypes
from rulewright.options import options
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device
from rulewright.runtime.memory import Step, check_plan, plan_memory

if TYPE_CHECKING:
    from rulewright.runtime.execute import ExecItem


def replanned(items: Sequence[ExecItem], held: Set[Buffer]) -> list[ExecItem]:
    """The items over memory that is planned for all of them; `held` is what others know.

    Raises ScheduleError if VERIFY is on and the plan is wrong.
    """
    inner = inner_memories(items, held)
    steps = [
        Step(
            [(b, b.nbytes, b.device.name) for b in dict.fromkeys(i.buffers) if b in inner],
            i.is_copy,
        )
        for i in items
    ]
    alignment = max((b.device.view_alignment for b in inner), default=64)
    plan = plan_memory(steps, frozenset(), alignment)
    if options().VERIFY:
        check_plan(plan, steps, frozenset(), alignment)
    arenas = {a: Buffer(Device[a.device], size, dtypes.u8) for a, size in plan.arenas.items()}
    new = {}
    for buffer in inner:
        arena, offset = plan.placements[buffer]
        new[buffer] = arenas[arena].view(offset, buffer.size, buffer.dtype)
    return [replace(i, buffers=tuple([new.get(b, b) for b in i.buffers])) for i in items]


def inner_memories(items: Sequence[ExecItem], held: Set[Buffer]) -> dict[Buffer, None]:
    """What only the items know and write before they read it: scratch, and what is whole memory."""
    used = dict.fromkeys(b for item in items for b in item.buffers)
    whole = {b for b in used if b.base is None}
    viewed = {b.base for b in used}
    found = {
        b: None
        for b in used
        if (b.base or b) not in held and b not in viewed and b.base not in whole
    }
    seen: set[Buffer] = set()
    for item in items:
        for buffer in set(item.read) - seen - set(item.written):
            found.pop(buffer, None)
        seen.update(item.buffers)
    return found
