"""The order of kernels: each reads what is written before, and before it is written again.

The graph of CALLs says which version of a memory each argument is: AFTER(m, c) is m once c ran.
Read after write follows from that; write after read is added here.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from math import prod
from weakref import ref

from rulewright.errors import CycleError, ScheduleError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import read_slots, written_slots

# ---- frugal --------------------------------------------------------------------------------------
#
# Orders of kernels that need little memory between them.
#
# Of the kernels that may run, the one goes first that leaves the fewest bytes in use: a gradient
# that is the last to ask for an activation runs before another activation is filled. (List
# scheduling, without looking ahead: best at every step need not be best in all, so orders are
# compared.)


Waits = Mapping[UOp, Mapping[UOp, None]]
"""For each call, in the order in which they are given, the calls that have to run before it."""


def frugal_and_peak(before: Waits, known: Sequence[UOp]) -> tuple[list[UOp], int]:
    """An order of calls that has the lower peak of scratch memory: `known`, which is kept if none
    is lower, or one chosen step by step; and that peak, most bytes that are in use while a call of
    the order runs."""
    choice = _Choice(before)
    orders = list(known), choice.order()
    peaks = [_peak(order, choice.scratch) for order in orders]
    best = min(peaks)
    return orders[peaks.index(best)], best


def peak(order: Sequence[UOp]) -> int:
    """Most bytes of scratch memory that are in use while one of the calls runs."""
    return _peak(order, {call: _scratch(call) for call in order})


def _peak(order: Sequence[UOp], scratch: Mapping[UOp, Mapping[UOp, int]]) -> int:
    sizes = [scratch[call] for call in order]
    left = Counter(memory for memories in sizes for memory in memories)
    used: set[UOp] = set()
    now = most = 0
    for memories in sizes:
        now += sum([size for m, size in memories.items() if m not in used])
        used.update(memories)
        most = max(most, now)
        for memory, size in memories.items():
            left[memory] -= 1
            now -= 0 if left[memory] else size
    return most


class _Choice:
    """What is in use, and what each call that may run would change about it."""

    def __init__(self, before: Waits) -> None:
        self.before = before
        self.calls = list(before)
        self.number = {call: i for i, call in enumerate(self.calls)}
        self.scratch = {call: _scratch(call) for call in self.calls}
        self.askers: dict[UOp, list[UOp]] = {}
        for call, memories in self.scratch.items():
            for memory in memories:
                self.askers.setdefault(memory, []).append(call)
        self.left = {memory: len(calls) for memory, calls in self.askers.items()}
        self.used: set[UOp] = set()
        self.missing = {call: len(waited) for call, waited in before.items()}
        self.heap: list[tuple[int, int]] = []  # bytes more in use afterwards, number of the call

    def order(self) -> list[UOp]:
        """All calls: each time the one that adds the least, or of several the first."""
        users: dict[UOp, list[UOp]] = {}
        for call, waited in self.before.items():
            for other in waited:
                users.setdefault(other, []).append(call)
        done: dict[UOp, None] = {}
        self._offer(call for call in self.calls if not self.missing[call])
        while self.heap:
            added, number = heappop(self.heap)
            call = self.calls[number]
            if call in done or added != self._added(call):
                continue  # it was offered again when that changed
            done[call] = None
            for user in users.get(call, ()):
                self.missing[user] -= 1
            self._offer(c for c in users.get(call, ()) if not self.missing[c])
            self._run(call, done)
        return list(done)

    def _run(self, call: UOp, done: Mapping[UOp, None]) -> None:
        """Note what the call used; those whose memory is in use now, or that are last, add less."""
        for memory in self.scratch[call]:
            fresh = memory not in self.used
            self.used.add(memory)
            self.left[memory] -= 1
            if fresh or self.left[memory] == 1:
                others = [c for c in self.askers[memory] if c not in done and not self.missing[c]]
                self._offer(others)

    def _offer(self, calls: Iterator[UOp] | Sequence[UOp]) -> None:
        for call in calls:
            heappush(self.heap, (self._added(call), self.number[call]))

    def _added(self, call: UOp) -> int:
        added = 0
        for memory, size in self.scratch[call].items():
            added += 0 if memory in self.used else size
            added -= size if self.left[memory] == 1 else 0
        return added


def _scratch(call: UOp) -> dict[UOp, int]:
    """The scratch memories that a call is given, and the bytes of each."""
    bases = dict.fromkeys(a.base for a in call.src[1:])
    return {m: prod(m.arg[1]) * m.dtype.itemsize for m in bases if m.op is Ops.SCRATCH}


_asked: deque[tuple[ref[UOp], Waits]] = deque(maxlen=2)
_chosen: deque[tuple[Waits, tuple[list[UOp], int]]] = deque(maxlen=2)


def order_kernels(sink: UOp, origins: Origins | None = None) -> UOp:
    """The CALLs under `sink` as a LINEAR list, arguments being plain memories.

    The order is the same for equal graphs. Raises CycleError if there is none, and ScheduleError
    for a node that may not stand in a graph of kernels.
    """
    order = _order_and_peak(waits(sink))[0]
    _asked.clear()  # nobody asks behind this
    _chosen.clear()
    plain = {call: _plain(call) for call in order if not _writes_nothing(call)}
    if origins is not None:
        origins.carry(plain)
    return UOp(Ops.LINEAR, dtypes.void, tuple(plain.values()))


def waits(sink: UOp) -> Waits:
    """For each CALL under `sink`, in a stable order, the CALLs that have to run before it.

    Of the last graphs it is known: pass after pass asks, and most leave some as they are.
    """
    kept = next((order for graph, order in _asked if graph() is sink), None)
    if kept is not None:
        return kept
    calls = _calls(sink)
    before = {call: _written_first(call) for call in calls}
    for call, reader in _write_after_read(calls):
        before[call][reader] = None
    _asked.append((ref(sink), before))
    return before


def in_order(before: Waits) -> list[UOp]:
    """Calls behind those that they wait for; of the calls that may run, the first one given.

    Raises CycleError if there is no such order.
    """
    calls = list(before)
    number = {call: i for i, call in enumerate(calls)}
    users: dict[UOp, list[UOp]] = {}
    for call, waited in before.items():
        for other in waited:
            users.setdefault(other, []).append(call)
    missing = {call: len(waited) for call, waited in before.items()}
    ready = [number[call] for call in calls if not missing[call]]  # in order: a heap
    done: dict[UOp, None] = {}
    while ready:
        call = calls[heappop(ready)]
        done[call] = None
        for user in users.get(call, ()):
            missing[user] -= 1
            if not missing[user]:
                heappush(ready, number[user])
    if len(done) < len(calls):
        raise _cycle([c for c in calls if c not in done], before)
    return list(done)


def scratch_needed(before: Waits) -> int:
    """Bytes of scratch memory in use at once, at most, in the order that will be chosen."""
    return _order_and_peak(before)[1]


def _order_and_peak(before: Waits) -> tuple[list[UOp], int]:
    """The order that is chosen, and the scratch memory that it needs: known of what was asked for
    last, as pass after pass leaves most graphs as they are."""
    known = next((order_and_peak for graph, order_and_peak in _chosen if graph is before), None)
    if known is None:
        known = frugal_and_peak(before, in_order(before))
        _chosen.append((before, known))
    return known


def _writes_nothing(call: UOp) -> bool:
    """Whether a kernel needs not run: its memory has no elements, or its loops no iterations.

    Its body may all the same read element 0 of other memory.
    """
    if call.src[0].op is not Ops.SINK:
        return False
    without_rounds = all(map(_is_without_rounds, call.src[0].src))
    return without_rounds or all(0 in m.max_shape for m in _written(call))


def _is_without_rounds(effect: UOp) -> bool:
    sizes = [r.src[0] for r in effect.src[1:]] if effect.op is Ops.END else []
    return any(size.op is Ops.CONST and size.arg == 0 for size in sizes)


def _written(call: UOp) -> list[UOp]:
    return [call.src[1 + slot] for slot in written_slots(call.src[0])]


_ALLOWED = Ops.group("Memory") | {Ops.AFTER, Ops.CALL, Ops.SINK, Ops.MSTACK}
_OPEN = _ALLOWED - {Ops.SINK}


def _calls(sink: UOp) -> list[UOp]:
    """All CALLs, in a stable order; kernel bodies are not looked into."""
    nodes = sink.toposort(lambda n: n.op in _OPEN or n is sink)
    calls = [node for node in nodes if node.op is Ops.CALL]
    callees = {call.src[0] for call in calls}
    for node in nodes:
        if node.op not in _ALLOWED and node not in callees:
            raise ScheduleError(f"{node.op} may not stand in a graph of kernels:\n{node}")
    return calls


def memories_of(argument: UOp) -> Iterator[UOp]:
    """The versions of memory that an argument names; stacks are seen through."""
    if argument.op is Ops.MSTACK:
        for source in argument.src:
            yield from memories_of(source)
    else:
        yield argument


def _written_first(call: UOp) -> dict[UOp, None]:
    """Read after write: the calls that made the versions that this call is given."""
    first: dict[UOp, None] = {}
    for argument in call.src[1:]:
        for version in memories_of(argument):
            while version.op is Ops.AFTER:
                makers = [e for e in version.src[1:] if e.op is Ops.CALL]
                first.update(dict.fromkeys(makers))
                version = version.src[0]
                if any(version in maker.src[1:] for maker in makers):
                    break  # a maker waits for the older writes itself
    return first


def _write_after_read(calls: list[UOp]) -> Iterator[tuple[UOp, UOp]]:
    """Pairs (writer, reader) of one version: the reader has to run first."""
    readers: dict[UOp, list[UOp]] = {}
    for call in calls:
        for argument in [call.src[1 + slot] for slot in read_slots(call.src[0])]:
            for version in memories_of(argument):
                readers.setdefault(version, []).append(call)
    for call in calls:
        for version in [v for memory in _written(call) for v in memories_of(memory)]:
            for reader in readers.get(version, ()):
                if reader is not call:
                    yield call, reader


def _cycle(left: list[UOp], before: Waits) -> CycleError:
    """The error for calls that wait for each other, naming the memories they write."""
    seen: list[UOp] = []
    call = left[0]
    while call not in seen:
        seen.append(call)
        call = next(b for b in before[call] if b in left)
    cycle = seen[seen.index(call) :]
    names = " and ".join(dict.fromkeys(_name(c.src[1]) for c in cycle))
    return CycleError(
        f"circular assignment: the kernels that write {names} each read what another one "
        "overwrites; make one of the values .contiguous() and realize it before assigning"
    )


def _name(memory: UOp) -> str:
    base = memory.base
    shape = "×".join(map(str, base.arg[1])) or "scalar"
    return f"{base.op.name.lower()} {base.arg[0]} ({shape} {base.dtype.name} on {base.arg[2]})"


def _plain(call: UOp) -> UOp:
    return call.replace(src=(call.src[0], *(_stripped(a) for a in call.src[1:])))


def _stripped(argument: UOp) -> UOp:
    if argument.op is Ops.MSTACK:
        return argument.replace(src=tuple(_stripped(s) for s in argument.src))
    return argument.base


def flatten_linear(linear: UOp, origins: Origins | None = None) -> UOp:
    """LINEAR inside LINEAR, and CALLs of LINEARs, as one list.

    A called list's PARAMs become the call's arguments; its SCRATCH memories become fresh ones.
    Raises ScheduleError if a call passes too few arguments.
    """
    if all(i.op is Ops.CALL and i.src[0].op is not Ops.LINEAR for i in linear.src):
        return linear
    items: list[UOp] = []
    slots = 1 + max((slot for item in linear.src for slot in _scratch_slots(item)), default=-1)
    flat: dict[UOp, UOp] = {}
    for item in linear.src:
        if item.op is Ops.LINEAR:
            items.extend(flatten_linear(item, origins).src)
        elif item.op is Ops.CALL and item.src[0].op is Ops.LINEAR:
            inner = flat.setdefault(item.src[0], flatten_linear(item.src[0]))
            bound = _bound(inner, item.src[1:], slots)
            slots += 1 + max((s for c in inner.src for s in _scratch_slots(c)), default=-1)
            if origins is not None:
                for call in bound:
                    origins.carry({item: call})
            items.extend(bound)
        else:
            items.append(item)
    return linear.replace(src=tuple(items))


def _scratch_slots(item: UOp) -> Iterator[int]:
    """Slots of the SCRATCH memories that an item of a list is called with."""
    if item.op is Ops.LINEAR:
        yield from (slot for inner in item.src for slot in _scratch_slots(inner))
    elif item.op is Ops.CALL:
        bases = [version.base for a in item.src[1:] for version in memories_of(a)]
        yield from (base.arg[0] for base in bases if base.op is Ops.SCRATCH)


def _bound(function: UOp, arguments: tuple[UOp, ...], first_slot: int) -> list[UOp]:
    """The items of a list over these arguments, its SCRATCH memories from `first_slot` on."""
    changed: list[UOp] = []
    for call in function.src:
        memories = [_bound_memory(m.base, arguments, first_slot) for m in call.src[1:]]
        changed.append(call.replace(src=(call.src[0], *memories)))
    return changed


def _bound_memory(base: UOp, arguments: tuple[UOp, ...], first_slot: int) -> UOp:
    if base.op is Ops.SCRATCH:
        return base.replace(arg=(base.arg[0] + first_slot, *base.arg[1:]))
    if base.arg[0] >= len(arguments):
        raise ScheduleError(
            f"a call passes {len(arguments)} arguments to a function that uses "
            f"parameter {base.arg[0]}"
        )
    return arguments[base.arg[0]]
