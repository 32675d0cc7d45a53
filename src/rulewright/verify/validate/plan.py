"""Memory of a schedule: no two live buffers overlap, and each call gets what it asks for.

Lifetimes are taken from the calls themselves: a buffer lives from the first call that names it to
the last one. Everything about a plan and about bound items is looked at, nothing computed anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from rulewright.errors import ValidationError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def check_plan(linear: UOp, placements: Any, arenas: Any) -> None:
    """Raise ValidationError for a plan in which two SCRATCHes that live at once share a byte.

    `placements` gives the arena and byte offset of each SCRATCH, `arenas` the bytes of each arena.
    """
    lives: dict[UOp, tuple[int, int]] = {}
    for number, call in enumerate(linear.src):
        for memory in call.src[1:]:
            if memory.op is Ops.SCRATCH:
                lives[memory] = (lives.get(memory, (number, number))[0], number)
    places = {memory: _place(memory, placements, arenas) for memory in lives}
    order = list(lives)
    for i, one in enumerate(order):
        for other in order[:i]:
            if _meet(lives[one], lives[other], 1) and _overlap(places[one], places[other]):
                raise ValidationError(
                    f"memory plan: SCRATCH[{other.arg[0]}] and SCRATCH[{one.arg[0]}] are both in "
                    f"use at item {max(lives[one][0], lives[other][0])} and share memory",
                    after=linear,
                )


def _place(memory: UOp, placements: Any, arenas: Any) -> tuple[Any, int, int]:
    if memory not in placements:
        raise ValidationError(f"memory plan: SCRATCH[{memory.arg[0]}] has no place", after=memory)
    arena, offset = placements[memory]
    end = offset + prod(memory.arg[1]) * memory.dtype.itemsize
    if offset < 0 or end > arenas.get(arena, 0):
        raise ValidationError(
            f"memory plan: SCRATCH[{memory.arg[0]}] at bytes {offset} … {end} leaves its arena of "
            f"{arenas.get(arena, 0)} bytes",
            after=memory,
        )
    if arena.device != memory.arg[2]:
        raise ValidationError(
            f"memory plan: SCRATCH[{memory.arg[0]}] of {memory.arg[2]} lies on {arena.device}",
            after=memory,
        )
    return arena, offset, end


def _meet(a: tuple[int, int], b: tuple[int, int], step: int) -> bool:
    """Whether two spans have something in common; `step` is 1 for spans with both ends."""
    return a[0] < b[1] + step and b[0] < a[1] + step


def _overlap(a: tuple[Any, int, int], b: tuple[Any, int, int]) -> bool:
    return bool(a[0] == b[0]) and _meet(a[1:], b[1:], 0)


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
