"""The memory planner: which internal buffers of a schedule may share memory.

A buffer lives from the first step that touches it to the last, both included. Buffers whose
lives do not meet may lie at the same bytes of one arena. There is one arena a device and lane:
buffers that a copy touches lie apart from the others, so that copies, which run beside compute,
never wait for memory that a kernel still uses.

Placing intervals at best is NP-hard; this places larger buffers first, each in the tightest gap
between those already placed whose lives meet its own (Pisarchyk and Lee, "Efficient Memory
Management for Deep Neural Net Inference", 2020). `check_plan` verifies a plan without using
anything that made it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from rulewright.errors import ScheduleError

Key = Hashable
COMPUTE, COPY = "compute", "copy"


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
        raise ScheduleError(f"memory plan: buffer {key!r} is used but has no place")
    arena, offset = plan.placements[key]
    if (arena.device, arena.lane) != (device, lane):
        raise ScheduleError(
            f"memory plan: buffer {key!r} of {device}, lane {lane}, lies in the arena of "
            f"{arena.device}, lane {arena.lane}"
        )
    if offset % alignment:
        raise ScheduleError(
            f"memory plan: buffer {key!r} lies at byte {offset}, no multiple of {alignment}"
        )
    if not 0 <= offset <= plan.arenas.get(arena, 0) - nbytes:
        raise ScheduleError(
            f"memory plan: buffer {key!r} of {nbytes} bytes at byte {offset} leaves its arena of "
            f"{plan.arenas.get(arena, 0)} bytes"
        )
    return arena, offset


def check_plan(
    plan: MemoryPlan, steps: Sequence[Step], held: Set[Key] = frozenset(), alignment: int = 64
) -> None:
    """Replay the steps and raise ScheduleError if two live buffers share a byte, naming both.

    Also raises if a held buffer was placed, an internal one was not, or a place is out of its
    arena, in the wrong one or not aligned.
    """
    placed_but_held = [key for key in plan.placements if key in held]
    if placed_but_held:
        raise ScheduleError(f"memory plan: held buffer {placed_but_held[0]!r} must not be placed")
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
                raise ScheduleError(
                    f"memory plan: buffers {names[other]!r} and {key!r} are both live at step "
                    f"{index} and overlap at byte {offset} of {arena.device}, lane {arena.lane}"
                )
            open_ranges[key] = (arena, offset, offset + nbytes, len(names) - 1)
        for key in [k for k in open_ranges if last_use[k] == index]:
            arena, offset, end, number = open_ranges.pop(key)
            live[arena].release(offset, end, number)
