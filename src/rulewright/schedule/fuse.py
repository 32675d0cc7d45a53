"""Kernels of several outputs: kernels whose loops are the same and that read the same are one.

An optimiser's averages and its parameters go through memory side by side; a mean and a maximum of
rows read the same rows. Done together, what they share is read once.

Kernels are gone through in an order in which each comes behind those that it waits for. Each gets a
level above theirs, and may join a group whose level is above that of all else that it waits for:
no way then leads from the group to it but straight on, so that no cycle comes to be. As levels
from the start keep apart what levels from the end would not, both are tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import prod

from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins, rebuild
from rulewright.ir.sums import terms
from rulewright.ir.uop import UOp
from rulewright.schedule.near import MOST_ROW, most_buffers
from rulewright.schedule.order import in_order, scratch_needed, waits
from rulewright.schedule.requests import FEWEST_ROWS, trips

# ---- fused ---------------------------------------------------------------------------------------
#
# What kernels that could be one read, write and loop over, and the kernel that they become.
#
# A kernel's memory is as it was before the kernel for all that read it without an AFTER: so what
# one of the fused kernels writes, and another reads as it is then, is the value that the first
# computes.


_KNOWN = {  # and what is elementwise
    Ops.CONST, Ops.VAR, Ops.RANGE, Ops.INDEX, Ops.PARAM, Ops.REDUCE, Ops.INVALID,
}  # fmt: skip
_BASES = frozenset({Ops.PARAM, Ops.SCRATCH})


@dataclass(frozen=True, eq=False)
class KernelBody:
    """One store in its loops: the parallel ones, those that reduce, and the INDEXes that it reads,
    of which reductions read those `inside`."""

    store: UOp
    loops: tuple[UOp, ...]
    steps: tuple[UOp, ...]
    reads: tuple[UOp, ...]
    inside: frozenset[UOp]


@remembered(1024)
def body_of(kernel: UOp) -> KernelBody | None:
    """What a kernel does if it may be fused; None if it may not.

    It may if how it runs is for the code generator to say, and if its reductions read each element
    once: a product of matrices wants registers and caches for itself.
    """
    if kernel.op is not Ops.SINK or kernel.arg is not None or len(kernel.src) != 1:
        return None
    effect = kernel.src[0]
    store, loops = (effect.src[0], effect.src[1:]) if effect.op is Ops.END else (effect, ())
    if store.op is not Ops.STORE or store.src[0].op is not Ops.INDEX:
        return None
    place, nodes = store.src[0].src[1], store.src[1].toposort()
    known = all(n.op.elementwise or n.op in _KNOWN for n in nodes)
    if not known or any(n.op is Ops.INDEX for n in place.toposort()):
        return None
    reductions = [n for n in nodes if n.op is Ops.REDUCE]
    steps = tuple(dict.fromkeys(r for n in reductions for r in n.src[1:]))
    inside = _read_inside(nodes)
    wide = {loop for loop in loops if trips(loop) > 1}
    walks = [set(index.ranges) for index in inside]
    if any(not walk.isdisjoint(steps) and not wide <= walk for walk in walks):
        return None
    reads = tuple(n for n in nodes if n.op is Ops.INDEX)
    return KernelBody(store, loops, steps, reads, inside)


def _read_inside(nodes: Sequence[UOp]) -> frozenset[UOp]:
    """The INDEXes below reductions, of nodes with operands first."""
    summed: set[UOp] = set()
    for node in reversed(nodes):
        if node in summed:
            summed.update(node.src)
        elif node.op is Ops.REDUCE:
            summed.add(node.src[0])
    return frozenset(n for n in nodes if n.op is Ops.INDEX and n in summed)


@dataclass(frozen=True, eq=False)
class Effect:
    """A store of a group: its call, the memory that it writes, and those that its value needs."""

    call: UOp
    written: UOp
    needed: frozenset[UOp]


class FusionGroup:
    """Calls of kernels that are done together, each behind those that it waits for.

    `reads` and `writes` hold the indices into each memory, `reduced` what reductions read.
    """

    def __init__(self, call: UOp) -> None:
        self.calls = [call]
        self.effects: list[Effect] = []
        self.reads: dict[UOp, dict[UOp, None]] = {}
        self.writes: dict[UOp, UOp] = {}
        self.reduced: set[UOp] = set()
        bases = [argument.base for argument in call.src[1:]]
        body = body_of(call.src[0]) if all(base.op in _BASES for base in bases) else None
        self.is_fusible = body is not None
        if body is None:
            return
        self.loops, self.steps = body.loops, body.steps
        for node in body.reads:
            base = bases[node.src[0].arg[0]]
            self.reads.setdefault(base, {})[node.src[1]] = None
            if node in body.inside:
                self.reduced.add(base)
        memory, place = body.store.src[0].src
        written = bases[memory.arg[0]]
        self.writes[written] = place
        self.effects.append(Effect(call, written, frozenset(self.reads)))

    @property
    def memories(self) -> dict[UOp, None]:
        """All that it writes and reads."""
        return dict.fromkeys((*self.writes, *self.reads))

    @property
    def traffic(self) -> int:
        """Bytes that it moves."""
        places = [(base, index) for base in self.reads for index in self.reads[base]]
        return sum(moved(base, index) for base, index in (*places, *self.writes.items()))

    def add(self, other: FusionGroup, first: bool) -> None:
        """Take in another group, whose calls come before its own or behind them."""
        before, behind = (other, self) if first else (self, other)
        self.effects = effects_of(before, behind)
        self.calls = [*before.calls, *behind.calls]
        self.steps = self.steps or other.steps
        self.reduced |= other.reduced
        self.writes |= other.writes
        for base, places in other.reads.items():
            self.reads.setdefault(base, {}).update(places)


def moved(memory: UOp, index: UOp) -> int:
    """Bytes of a memory that an index goes over."""
    count = prod(trips(loop) for loop in index.ranges)
    return min(count, prod(memory.arg[1])) * memory.dtype.itemsize


def handed_on(before: FusionGroup, behind: FusionGroup) -> dict[UOp, UOp]:
    """The versions of memory that one group makes and another is given, by memory."""
    versions = chain.from_iterable(call.src[1:] for call in behind.calls)
    makers = set(before.calls)
    return {v.base: v for v in versions if v.op is Ops.AFTER and not makers.isdisjoint(v.src[1:])}


def effects_of(before: FusionGroup, behind: FusionGroup) -> list[Effect]:
    """The effects of two groups: what needed memory that the first writes needs what made it."""
    makers = {effect.written: effect.needed for effect in before.effects}
    taken = handed_on(before, behind).keys()
    later: list[Effect] = []
    for effect in behind.effects:
        needs = [makers[base] for base in effect.needed & taken]
        later.append(Effect(effect.call, effect.written, (effect.needed - taken).union(*needs)))
    return [*before.effects, *later]


def in_place(effects: Sequence[Effect], is_plain: bool) -> list[Effect] | None:
    """The effects in an order in which all memory is read before it is overwritten; None if that
    is not certain.

    Only in a plain loop do all effects stay in one loop; there it is enough if what is overwritten
    was read for a store before. What is only written may go past the caches in loops of its own.
    """
    if not any(e.written in o.needed for e in effects for o in effects if o is not e):
        return list(effects)
    if not is_plain:
        return None
    left = sorted(effects, key=lambda e: any(e.written in o.needed for o in effects))
    order, seen = list[Effect](), set[UOp]()
    while left:
        free = [e for e in left if not any(e.written in o.needed for o in left if o is not e)]
        free += [e for e in left if e.written in seen | e.needed]
        if not free:
            return None
        order.append(free[0])
        seen |= free[0].needed
        left.remove(free[0])
    return order


def is_plain(*groups: FusionGroup) -> bool:
    """Whether all that groups read and write are single elements and, in each iteration, the same
    element of all other memories: so that no loop of one store is ever cut unlike another's."""
    places = [index for group in groups for read in group.reads.values() for index in read]
    places += [index for group in groups for index in group.writes.values()]
    walks = {index for index in places if index.ranges}
    return len(walks) <= 1 and not any(group.steps for group in groups)


def fused_call(group: FusionGroup, arguments: Mapping[UOp, UOp], unread: set[UOp]) -> UOp:
    """The CALL of the one kernel that a group becomes, on these versions of its memories.

    Nothing is stored into memory that is `unread` by others.
    """
    order = in_place(group.effects, is_plain(group))
    assert order is not None, "such a group is not made"
    order = [effect for effect in order if effect.written not in unread]
    used = set[UOp]().union(*(effect.needed for effect in order))
    reads = [base for base in group.memories if base in used]
    bases = dict.fromkeys((*(effect.written for effect in order), *reads))
    slots = {base: slot for slot, base in enumerate(bases)}
    stores = _Stores(slots)
    for call in group.calls:
        stores.add(call)
    kernel = UOp.sink(*(stores.done[effect.call] for effect in order))
    return UOp(Ops.CALL, dtypes.void, (kernel, *(arguments[base] for base in bases)))


class _Stores:
    """The stores of calls over common parameters, each with what calls before it compute.

    Reductions over the same ranges share their loops. One that needs the result of another comes
    behind it, over ranges of its own: `depth` counts how many a value is behind.
    """

    def __init__(self, slots: Mapping[UOp, int]) -> None:
        self.slots = slots
        self.done: dict[UOp, UOp] = {}
        self.values: dict[UOp, UOp] = {}
        self.depth: dict[UOp, int] = {}

    def add(self, call: UOp) -> None:
        """The store of one more call."""
        body = body_of(call.src[0])
        assert body is not None
        maker_of = {node: self._maker(call, node) for node in body.reads}
        makers = {node: maker for node, maker in maker_of.items() if maker is not None}
        inside = [self.depth[maker] for node, maker in makers.items() if node in body.inside]
        behind = max(inside, default=0)
        changes = _numbered_again(body, behind)
        for node in (*body.reads, body.store.src[0]):
            param = node.src[0]
            slot = self.slots.get(call.src[1 + param.arg[0]].base, -1)  # nothing is left of it
            changes[param] = param.replace(arg=(slot, *param.arg[1:]))
        place = body.store.src[0].substitute(changes)
        changes.update((node, self.values[m]) for node, m in makers.items())
        value = self.values[call] = body.store.src[1].substitute(changes)
        known = [self.depth[m] for m in makers.values()]
        self.depth[call] = max([behind + bool(body.steps), *known])
        store = place.store(value)
        self.done[call] = store.end(*body.loops) if body.loops else store

    def _maker(self, call: UOp, read: UOp) -> UOp | None:
        """The call of the same kernel that computes what is read; None for what is in memory."""
        version = call.src[1 + read.src[0].arg[0]]
        return next((s for s in version.src[1:] if s in self.values), None)


def _numbered_again(body: KernelBody, behind: int) -> dict[UOp, UOp]:
    """Ranges of their own for reductions that come behind others over as many ranges."""
    first = len(body.loops) + behind * len(body.steps)
    ranges = [UOp.range(r.size, first + i, "reduce") for i, r in enumerate(body.steps)]
    return dict(zip(body.steps, ranges, strict=True)) if behind else {}


MOST_MEMORIES = 8
"""Memories of a fused kernel, at most: a first cache holds eight lines at equal offsets, or more,
and what goes through memory side by side lies at equal offsets."""
LEAST_SHARED = 4
"""One part in so many of what the lesser kernel moves alone is not moved when fused, at least."""

Waits = Mapping[FusionGroup, Mapping[FusionGroup, None]]
Calls = Mapping[UOp, Mapping[UOp, None]]


def fuse_kernels(sink: UOp, origins: Origins | None = None) -> UOp:
    """A graph of kernels with one CALL in the place of those that are better done together.

    What is only needed on the way is filled apart if there would be more of it at once otherwise.
    """
    before = waits(sink)
    calls = in_order(before)
    fusible = (call for call in calls if FusionGroup(call).is_fusible)
    if len([*islice(fusible, 2)]) < 2:
        return sink
    most = min(MOST_MEMORIES, most_buffers(sink.toposort()) or MOST_MEMORIES)
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
        self.groups = [FusionGroup(call) for call in calls]
        for from_end in (False, True):
            self.groups = self._joined(_between(self.groups, before, from_end), from_end)

    def _joined(self, below: Waits, from_end: bool) -> list[FusionGroup]:
        """Fewer groups, where some fit together, in order; `below` is in order, or from the end."""
        levels: dict[FusionGroup, int] = {}
        home: dict[FusionGroup, FusionGroup] = {}
        last: dict[tuple[tuple[UOp, ...], UOp], FusionGroup] = {}
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
        order = sorted(levels, key=levels.__getitem__)
        return order[::-1] if from_end else order

    def _saved(self, before: FusionGroup, behind: FusionGroup) -> int:
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

    def _may(self, before: FusionGroup, behind: FusionGroup) -> bool:
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

    def is_for(self, version: UOp, group: FusionGroup) -> bool:
        """Whether memory is filled for one group alone and goes when the schedule ends."""
        readers = sum(version in call.src[1:] for call in group.calls)
        return version.base.op is Ops.SCRATCH and self.readers[version] == readers


def _between(groups: list[FusionGroup], before: Calls, from_end: bool) -> Waits:
    """Which groups come before each, in order; or behind each, from the end."""
    home = {call: group for group in groups for call in group.calls}
    waiting: dict[FusionGroup, dict[FusionGroup, None]] = {
        g: {} for g in (groups[::-1] if from_end else groups)
    }
    for call, group in home.items():
        for other in before[call]:
            first, then = (group, home[other]) if from_end else (home[other], group)
            if first is not then:
                waiting[then][first] = None
    return waiting


def _are_close(before: FusionGroup, behind: FusionGroup) -> bool:
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
            outer = [v for v in versions if inside.isdisjoint(v.src[1:])]
            unread = {v.base for v in handed_on(group, group).values() if fusion.is_for(v, group)}
            joined = fused_call(group, {v.base: rebuild(v, memo=done) for v in outer}, unread)
        else:
            joined = first.replace(
                src=(first.src[0], *(rebuild(v, memo=done) for v in first.src[1:]))
            )
        done.update(dict.fromkeys(group.calls, joined))
        if origins is not None and (notes := origins.gather(group.calls)):
            origins.notes[joined] = notes
    return rebuild(sink, memo=done)
