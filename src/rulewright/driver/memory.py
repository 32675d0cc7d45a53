"""The memory planner: which internal buffers of a schedule may share memory.

A buffer lives from the first step that touches it to the last, both included. Buffers whose
lives do not meet may lie at the same bytes of one arena. There is one arena a device and lane:
buffers that a copy touches lie apart from the others, so that copies, which run beside compute,
never wait for memory that a kernel still uses.

Placing intervals at best is NP-hard; this places larger buffers first, each in the tightest gap
between those already placed whose lives meet its own (Pisarchyk and Lee, "Efficient Memory
Management for Deep Neural Net Inference", 2020). `verify.validate.plan` looks at a plan without
using anything that made it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from rulewright.errors import ScheduleError

Key = Hashable
COMPUTE, COPY = "compute", "copy"
"""Lanes of a device: what kernels alone touch, and what a copy touches too."""


@dataclass(frozen=True)
class Step:
    """One schedule item: every buffer it reads or writes, as (key, bytes, device name)."""

    touches: Sequence[tuple[Key, int, str]]
    is_copy: bool = False


@dataclass(frozen=True)
class Arena:
    """One block of memory that planned buffers share; `lane` is "compute" or "copy"."""

    device: str
    lane: str


@dataclass(frozen=True)
class Lifetime:
    """What planning needs of a buffer: its bytes, its arena, its first and last step."""

    nbytes: int
    arena: Arena
    first: int
    last: int


@dataclass(frozen=True)
class MemoryPlan:
    """Where each internal buffer lies: key -> (arena, byte offset), and the bytes of each arena.

    before: bytes if every internal buffer had memory of its own · after: bytes of all arenas ·
    bound: bytes live at once in the worst step, summed over arenas; no plan can need less.
    """

    placements: Mapping[Key, tuple[Arena, int]]
    arenas: Mapping[Arena, int]
    before: int
    after: int
    bound: int

    def __str__(self) -> str:
        return (
            f"memory: {len(self.placements)} buffers, {self.before:,} -> {self.after:,} bytes "
            f"in {len(self.arenas)} arenas (bound {self.bound:,})"
        )


def _round_up(nbytes: int, alignment: int) -> int:
    return -(-nbytes // alignment) * alignment


def buffer_lifetimes(steps: Sequence[Step], held: Set[Key]) -> dict[Key, Lifetime]:
    """The internal buffers in order of first touch. Raises ScheduleError if steps disagree."""
    lifetimes: dict[Key, Lifetime] = {}
    copied = {key for step in steps if step.is_copy for key, _, _ in step.touches}
    for index, step in enumerate(steps):
        for key, nbytes, device in step.touches:
            if key in held:
                continue
            arena = Arena(device, COPY if key in copied else COMPUTE)
            known = lifetimes.get(key)
            if known is not None and (known.nbytes, known.arena) != (nbytes, arena):
                raise ScheduleError(
                    f"buffer {key!r}: step {index} takes it for {nbytes} bytes on {device}, an "
                    f"earlier one for {known.nbytes} bytes on {known.arena.device}"
                )
            first = index if known is None else known.first
            lifetimes[key] = Lifetime(nbytes, arena, first, index)
    return lifetimes


class _ArenaLayout:
    """Buffers placed so far in one arena: offset, end, first and last step of each, by offset."""

    def __init__(self, most: int) -> None:
        import numpy as np

        self.placed = np.empty((4, most), np.int64)
        self.count = self.size = 0

    def place(self, life: Lifetime, size: int) -> int:
        """Offset of the tightest gap of `size` bytes or, if there is none, of the lowest end."""
        import numpy as np

        placed, count = self.placed, self.count
        offset, end, first, last = placed[:, :count]
        meets = (first <= life.last) & (last >= life.first)
        floors = np.maximum.accumulate(np.append(0, end[meets]))
        gaps = offset[meets] - floors[:-1]
        fits = np.flatnonzero(gaps >= size)
        start = int(floors[fits[gaps[fits].argmin()] if len(fits) else -1])
        at = int(np.searchsorted(offset, start, "right"))
        placed[:, at + 1 : count + 1] = placed[:, at:count].copy()
        placed[:, at] = start, start + size, life.first, life.last
        self.count += 1
        self.size = max(self.size, start + size)
        return start


def _peak(lives: Iterable[tuple[Lifetime, int]], steps: int) -> int:
    """Most bytes live in one step."""
    change = [0] * (steps + 1)
    for life, size in lives:
        change[life.first] += size
        change[life.last + 1] -= size
    peak = now = 0
    for delta in change:
        now += delta
        peak = max(peak, now)
    return peak


def plan_memory(
    steps: Sequence[Step], held: Set[Key] = frozenset(), alignment: int = 64
) -> MemoryPlan:
    """Place every buffer that `steps` touch and `held` does not name.

    Offsets are multiples of `alignment` bytes. The plan depends only on order and sizes, never
    on the keys. Raises ScheduleError if steps disagree about a buffer's bytes or device.
    """
    lives = buffer_lifetimes(steps, held)
    sizes = {key: _round_up(life.nbytes, alignment) for key, life in lives.items()}
    arenas = dict.fromkeys(life.arena for life in lives.values())  # a set with an order
    layouts = {arena: _ArenaLayout(len(lives)) for arena in arenas}
    # Equal sizes: the longer life first, since it meets more others; then by first touch.
    order = sorted(lives, key=lambda k: (-sizes[k], lives[k].first - lives[k].last, lives[k].first))
    offsets = {key: layouts[lives[key].arena].place(lives[key], sizes[key]) for key in order}
    by_arena = {
        arena: [(life, sizes[key]) for key, life in lives.items() if life.arena == arena]
        for arena in layouts
    }
    return MemoryPlan(
        placements={key: (life.arena, offsets[key]) for key, life in lives.items()},
        arenas={arena: layout.size for arena, layout in layouts.items()},
        before=sum(sizes.values()),
        after=sum(layout.size for layout in layouts.values()),
        bound=sum(_peak(members, len(steps)) for members in by_arena.values()),
    )
