"""Memory of a schedule: no two live buffers overlap, and each call gets what it asks for.

A buffer lives from the first step that touches it to the last one. Everything about a plan and
about bound items is looked at, nothing computed anew.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence, Set
from typing import Any

from rulewright.driver.memory import COMPUTE, COPY, Arena, Key, MemoryPlan, Step
from rulewright.errors import ValidationError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


class _LiveRanges:
    """Byte ranges in use in one arena at one moment, for the checker: sorted, never meeting."""

    def __init__(self) -> None:
        self.ranges: list[tuple[int, int, int]] = []  # (offset, end, number of the buffer)

    def claim(self, offset: int, end: int, number: int) -> int | None:
        """Take a range; returns the number of a buffer that it meets, if any."""
        at = bisect_left(self.ranges, (offset, end, number))
        for other in self.ranges[max(at - 1, 0) : at + 1]:
            if other[0] < end and offset < other[1]:
                return other[2]
        insort(self.ranges, (offset, end, number))
        return None

    def release(self, offset: int, end: int, number: int) -> None:
        """Give a range back."""
        self.ranges.remove((offset, end, number))


def _check_place(
    key: Key, nbytes: int, device: str, lane: str, plan: MemoryPlan, alignment: int
) -> tuple[Arena, int]:
    """A buffer's place, after checking arena, lane, alignment and bounds."""
    if key not in plan.placements:
        raise ValidationError(f"memory plan: buffer {key!r} is used but has no place")
    arena, offset = plan.placements[key]
    if (arena.device, arena.lane) != (device, lane):
        raise ValidationError(
            f"memory plan: buffer {key!r} of {device}, lane {lane}, lies in the arena of "
            f"{arena.device}, lane {arena.lane}"
        )
    if offset % alignment:
        raise ValidationError(
            f"memory plan: buffer {key!r} lies at byte {offset}, no multiple of {alignment}"
        )
    if not 0 <= offset <= plan.arenas.get(arena, 0) - nbytes:
        raise ValidationError(
            f"memory plan: buffer {key!r} of {nbytes} bytes at byte {offset} leaves its arena of "
            f"{plan.arenas.get(arena, 0)} bytes"
        )
    return arena, offset


def check_plan(
    plan: MemoryPlan, steps: Sequence[Step], held: Set[Key] = frozenset(), alignment: int = 64
) -> None:
    """Replay the steps and raise ValidationError if two live buffers share a byte, naming both.

    Also raises if a held buffer was placed, an internal one was not, or a place is out of its
    arena, in the wrong one or not aligned.
    """
    placed_but_held = [key for key in plan.placements if key in held]
    if placed_but_held:
        raise ValidationError(f"memory plan: held buffer {placed_but_held[0]!r} must not be placed")
    in_copies = {key for step in steps if step.is_copy for key, _, _ in step.touches}
    last_use = {key: i for i, step in enumerate(steps) for key, _, _ in step.touches}
    live: dict[Arena, _LiveRanges] = {}
    open_ranges: dict[Key, tuple[Arena, int, int, int]] = {}
    names: list[Key] = []
    for index, step in enumerate(steps):
        for key, nbytes, device in step.touches:
            if key in held or key in open_ranges:
                continue
            lane = COPY if key in in_copies else COMPUTE
            arena, offset = _check_place(key, nbytes, device, lane, plan, alignment)
            names.append(key)
            if nbytes == 0:
                continue
            ranges = live.setdefault(arena, _LiveRanges())
            other = ranges.claim(offset, offset + nbytes, len(names) - 1)
            if other is not None:
                raise ValidationError(
                    f"memory plan: buffers {names[other]!r} and {key!r} are both live at step "
                    f"{index} and overlap at byte {offset} of {arena.device}, lane {arena.lane}"
                )
            open_ranges[key] = (arena, offset, offset + nbytes, len(names) - 1)
        for key in [k for k in open_ranges if last_use[k] == index]:
            arena, offset, end, number = open_ranges.pop(key)
            live[arena].release(offset, end, number)


def check_binding(
    linear: UOp, placements: Any, items: Sequence[Any], arguments: Sequence[Any]
) -> None:
    """Raise ValidationError for items that do not run the calls of a schedule on the memory meant.

    A PARAM is the argument of its slot; a SCRATCH is a view at its place, all of one arena within
    one buffer; the kernel is the call's own.
    """
    if len(items) != len(linear.src):
        raise ValidationError(f"{len(items)} items were bound for {len(linear.src)} calls")
    blocks: dict[Any, Any] = {}
    for number, (call, item) in enumerate(zip(linear.src, items, strict=True)):
        if item.ast is not call.src[0]:
            raise ValidationError(f"item {number} runs another kernel", after=call)
        if len(item.buffers) != len(call.src) - 1:
            raise ValidationError(f"item {number} has {len(item.buffers)} buffers", after=call)
        for slot, (memory, buffer) in enumerate(zip(call.src[1:], item.buffers, strict=True)):
            if not _is_meant(memory, buffer, placements, arguments, blocks):
                raise ValidationError(
                    f"item {number} is bound to other memory than {memory.op}[{memory.arg[0]}] "
                    f"as its argument {slot}",
                    after=call,
                )


def _is_meant(
    memory: UOp, buffer: Any, placements: Any, arguments: Sequence[Any], blocks: dict[Any, Any]
) -> bool:
    if memory.op is Ops.PARAM:
        return buffer is arguments[memory.arg[0]]
    if memory.op is not Ops.SCRATCH:
        return True
    arena, offset = placements[memory]
    whole = buffer.base if buffer.base is not None else buffer
    return blocks.setdefault(arena, whole) is whole and buffer.offset == offset
