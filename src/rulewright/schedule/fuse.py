"""Kernels of several outputs: kernels whose loops are the same and that read the same are one.

An optimiser's averages and its parameters go through memory side by side; a mean and a maximum of
rows read the same rows. Done together, what they share is read once.

Kernels are gone through in an order in which each comes behind those that it waits for. Each gets a
level above theirs, and may join a group whose level is above that of all else that it waits for:
no way then leads from the group to it but straight on, so that no circle comes to be. As levels
from the start keep apart what levels from the end would not, both are tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins, rebuild
from rulewright.ir.sums import terms
from rulewright.ir.uop import UOp
from rulewright.schedule.fused import (
    Group,
    effects_of,
    fused_call,
    handed_on,
    in_place,
    is_plain,
    moved,
)
from rulewright.schedule.near import MOST_ROW, target_row
from rulewright.schedule.order import in_order, scratch_needed, waits
from rulewright.schedule.requests import FEWEST_ROWS, trips

MOST_MEMORIES = 8
"""Memories of a fused kernel, at most: a first cache holds eight lines at equal offsets, or more,
and what goes through memory side by side lies at equal offsets."""
LEAST_SHARED = 4
"""One part in so many of what the lesser kernel moves alone is not moved when fused, at least."""

Waits = Mapping[Group, Mapping[Group, None]]
Calls = Mapping[UOp, Mapping[UOp, None]]


def fuse_kernels(sink: UOp, origins: Origins | None = None) -> UOp:
    """A graph of kernels with one CALL in the place of those that are better done together.

    What is only needed on the way is filled apart if there would be more of it at once otherwise.
    """
    before = waits(sink)
    calls = in_order(before)
    if sum(Group(call).is_fusible for call in calls) < 2:
        return sink
    limits = target_row(sink.toposort()).get("limits", {})
    most = min(MOST_MEMORIES, limits.get("buffers", MOST_MEMORIES))
    needed = None
    for with_scratch in (True, False):
        fusion = _Fusion(before, calls, most, with_scratch)
        if len(fusion.groups) == len(calls):
            return sink
        fused = _rebuilt(sink, fusion, origins)
        needed = needed if needed is not None else scratch_needed(before)
        if scratch_needed(waits(fused)) <= needed:
            return fused
    return sink


class _Fusion:
    """Calls in groups, in order."""

    def __init__(self, before: Calls, calls: list[UOp], most: int, with_scratch: bool) -> None:
        self.most, self.with_scratch = most, with_scratch
        self.readers = Counter(v for call in calls for v in dict.fromkeys(call.src[1:]))
        self.groups = [Group(call) for call in calls]
        for from_end in (False, True):
            self.groups = self._joined(_between(self.groups, before, from_end), from_end)

    def _joined(self, below: Waits, from_end: bool) -> list[Group]:
        """Fewer groups, where some fit together, in order; `below` is in order, or from the end."""
        levels: dict[Group, int] = {}
        home: dict[Group, Group] = {}
        last: dict[tuple[tuple[UOp, ...], UOp], Group] = {}
        for group, others in below.items():
            lower = {home[other] for other in others}
            keys = [(group.loops, base) for base in group.memories] if group.is_fusible else []
            best, most = group, 0
            for host in dict.fromkeys(last[key] for key in keys if key in last):
                if all(levels[other] < levels[host] for other in lower if other is not host):
                    saved = self._saved(*((group, host) if from_end else (host, group)))
                    best, most = (host, saved) if saved > most else (best, most)
            home[group] = best
            if best is group:
                levels[group] = 1 + max((levels[other] for other in lower), default=0)
            else:
                best.add(group, first=from_end)
            last.update((key, best) for key in keys)
        found = sorted(levels, key=levels.__getitem__)
        return found[::-1] if from_end else found

    def _saved(self, before: Group, behind: Group) -> int:
        """Bytes that two groups need not move if they are fused; 0 if they are better apart."""
        if len(before.memories | behind.memories) > self.most or not self._may(before, behind):
            return 0
        taken, saved = handed_on(before, behind), 0
        for base, places in behind.reads.items():
            here = places if base in taken else places.keys() & before.reads.get(base, {}).keys()
            saved += sum(moved(base, index) for index in here)
        if saved * LEAST_SHARED < min(before.traffic, behind.traffic):
            return 0
        effects = effects_of(before, behind)
        return 0 if in_place(effects, is_plain(before, behind)) is None else saved

    def _may(self, before: Group, behind: Group) -> bool:
        """Whether two groups mean the same as one kernel, and how they were cut leaves it open."""
        if before.steps and behind.steps and before.steps != behind.steps:
            return False
        if not before.writes.keys().isdisjoint(behind.writes):
            return False
        for one, other in ((before, behind), (behind, before)):
            for base in one.writes.keys() & other.reads.keys():
                if any(index is not one.writes[base] for index in other.reads[base]):
                    return False
        written = [base for base in (*before.writes, *behind.writes) if base.op is Ops.SCRATCH]
        if written and not self.with_scratch:
            return False
        taken = handed_on(before, behind)
        in_rows = before.steps and not behind.reduced.isdisjoint(taken)
        if in_rows and not _are_close(before, behind):
            return False
        # what is computed apart for one kernel alone has a reason
        return not any(self.is_for(version, behind) for version in taken.values())

    def is_for(self, version: UOp, group: Group) -> bool:
        """Whether memory is filled for one group alone and goes when the schedule ends."""
        readers = sum(version in call.src[1:] for call in group.calls)
        return version.base.op is Ops.SCRATCH and self.readers[version] == readers


def _between(groups: list[Group], before: Calls, from_end: bool) -> Waits:
    """Which groups come before each, in order; or behind each, from the end."""
    home = {call: group for group in groups for call in group.calls}
    found: dict[Group, dict[Group, None]] = {g: {} for g in (groups[::-1] if from_end else groups)}
    for call, group in home.items():
        for other in before[call]:
            first, then = (group, home[other]) if from_end else (home[other], group)
            if first is not then:
                found[then][first] = None
    return found


def _are_close(before: Group, behind: Group) -> bool:
    """Whether a row is still in the cache when a reduction of it is done and another one, which
    needs the result, goes over it again; and whether there are rows enough for all cores."""
    rows, length = (prod(map(trips, loops)) for loops in (behind.loops, behind.steps))
    if before.steps != behind.steps or rows < FEWEST_ROWS or length > MOST_ROW:
        return False
    indices = [index for places in behind.reads.values() for index in places]
    along = [index for index in indices if not set(behind.steps).isdisjoint(index.ranges)]
    return all(behind.steps[-1] in terms(index) for index in along)


def _rebuilt(sink: UOp, fusion: _Fusion, origins: Origins | None) -> UOp:
    """The graph with one CALL a group."""
    done: dict[UOp, UOp] = {}
    for group in fusion.groups:
        first, inside = group.calls[0], set(group.calls)
        if len(inside) > 1:
            versions = [version for call in group.calls for version in call.src[1:]]
            given = [v for v in versions if inside.isdisjoint(v.src[1:])]
            unread = {v.base for v in handed_on(group, group).values() if fusion.is_for(v, group)}
            made = fused_call(group, {v.base: rebuild(v, memo=done) for v in given}, unread)
        else:
            made = first.replace(
                src=(first.src[0], *(rebuild(v, memo=done) for v in first.src[1:]))
            )
        done.update(dict.fromkeys(group.calls, made))
        if origins is not None and (notes := origins.gather(group.calls)):
            origins.notes[made] = notes
    return rebuild(sink, memo=done)
