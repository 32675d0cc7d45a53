"""Races inside a kernel: between its iterations, its threads, and the work items of a workgroup.

Iterations of a loop that is no reduction, threads and work items run in any order. So no two may
write one element, none may read what another one writes, and what one work item leaves in the
memory of its workgroup may be read by others only behind a BARRIER. Indices are tried for all
values of the loops, or for the first few of each where there are many. Positions that are read from
memory may all be equal, and are tried so; what depends on other data is let pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from math import prod
from typing import Any, NamedTuple

import numpy as np

from rulewright.driver.recent import Recent
from rulewright.errors import InterpreterError, ValidationError, VariableError
from rulewright.interp.evaluator import Evaluator
from rulewright.interp.memory import INVALID, describe
from rulewright.interp.program import Region, blocks
from rulewright.interp.values import full
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.validate.bounds import MOST_PASSED, MOST_POINTS

Array = np.ndarray[Any, Any]
_READS = Ops.group("Read")
_LOOPS = Ops.group("Counter")
_DATA = _READS | {Ops.REDUCE, Ops.AFTER, Ops.PARAM, Ops.LANE}


class _Store(NamedTuple):
    """A STORE into memory outside of the kernel, and the loops around it that run in any order."""

    node: UOp
    memory: UOp
    loops: tuple[UOp, ...]


def check_races(kernel: UOp) -> None:
    """Raise ValidationError for a kernel, or a program, whose iterations or work items race."""
    if kernel.op is Ops.LINEAR:
        program = blocks(kernel.src)
        try:
            _Workgroup().run(program)
        except ValidationError:  # what two rounds share may be no one's: halves of memory in turns
            _Workgroup(numbered=True).run(program)
        return
    _check_exchange(kernel)
    stores = list(_stores(kernel))
    looked = _looked_at(stores)
    for store in stores:
        _check_writes(store)
        if looked.get(store.memory, set()) - {store.node.src[0]}:
            for read in _reads(store):
                _check_read(store, read)
    _check_threads(stores)


def _check_exchange(kernel: UOp) -> None:
    """What is written into the memory of a workgroup is read behind a BARRIER."""
    for node in kernel.toposort():
        if node.op is Ops.AFTER and node.base.op is Ops.DEFINE_LOCAL:
            for effect in node.src[1:]:
                store = effect.src[0] if effect.op is Ops.END else effect
                if store.op is Ops.STORE and store.src[0].src[0].base is node.base:
                    raise ValidationError(
                        f"race: {describe(node)} reads a workgroup's memory after a store with no "
                        "BARRIER between them",
                        after=node,
                    )


def _stores(kernel: UOp) -> Iterator[_Store]:
    nodes = kernel.toposort()
    items = [n for n in nodes if n.op is Ops.SPECIAL]
    closed = {n.src[0]: n.src[1:] for n in nodes if n.op is Ops.END}
    for node in nodes:
        if node.op is Ops.STORE and node.src[0].op is Ops.INDEX:
            memory = node.src[0].src[0].base
            if memory.op is Ops.PARAM:
                ordered = _ordered(node.src[0].src[0])
                # of loops that it does not depend on, each iteration writes the same again, unless
                # it goes on from what is there
                around = closed.get(node, ()) if _goes_on(node, memory) else ()
                ranges = [r for r in (*node.ranges, *around) if r.op is Ops.RANGE]
                ranges = [r for r in ranges if r.arg[1] != "group"]
                loops = (*(r for r in ranges if r not in ordered), *items)
                yield _Store(node, memory, tuple(dict.fromkeys(loops)))


def _goes_on(store: UOp, memory: UOp) -> bool:
    """Whether what is stored is computed from the memory itself."""
    value = store.src[1].toposort()
    return any(n.op is Ops.INDEX and n.src[0].base is memory for n in value)


def _ordered(memory: UOp) -> set[UOp]:
    """The loops whose iterations find what the one before left in memory."""
    loops: set[UOp] = set()
    while memory.op is Ops.AFTER:
        loops |= {r for r in memory.src[1:] if r.op is Ops.RANGE and r.arg[1] == "reduce"}
        memory = memory.src[0]
    return loops


def _looked_at(stores: Sequence[_Store]) -> dict[UOp, set[UOp]]:
    """Each memory's INDEXes from which stored values are computed: most kernels write memory that
    they do not read, and need no closer look."""
    looked: dict[UOp, set[UOp]] = {}
    for node in UOp.sink(*(store.node.src[1] for store in stores)).toposort():
        if node.op is Ops.INDEX:
            looked.setdefault(node.src[0].base, set()).add(node)
    return looked


class _Read(NamedTuple):
    """An INDEX of the written memory in the stored value, the loops of the store in which it
    stands, and when it is read."""

    at: UOp
    loops: tuple[UOp, ...]
    gate: tuple[UOp, ...]


def _reads(store: _Store) -> list[_Read]:
    """All but those of the very element written."""
    inside = _loops_around(store)
    written = {store.node.src[0], *(n.src[0] for n in inside if n.op is Ops.STORE)}
    gates: dict[UOp, tuple[UOp, ...]] = {}
    for node in inside:
        if node.op is Ops.LOAD:
            gate = node.src[2:]
            gates[node.src[0]] = gate if gates.get(node.src[0], gate) == gate else ()
    return [
        _Read(n, loops, gates.get(n, ())) for n, loops in inside.items()
        if n.op is Ops.INDEX and n.src[0].base is store.memory and n not in written
    ]  # fmt: skip


def _loops_around(store: _Store) -> dict[UOp, tuple[UOp, ...]]:
    """What the stored value is computed from, and in which of the store's loops: what is done
    before a loop begins is not in it."""
    inside: dict[UOp, tuple[UOp, ...]] = {}
    stack = [(store.node.src[1], store.loops)]
    while stack:
        node, loops = stack.pop()
        before = inside.get(node, ())
        if node in inside and all(loop in before for loop in loops):
            continue
        loops = tuple(loop for loop in store.loops if loop in loops or loop in before)
        inside[node] = loops
        for source in node.src:
            is_effect = node.op is Ops.AFTER and source is not node.src[0]
            around = tuple(r for r in loops if r in source.ranges) if is_effect else loops
            stack.append((source, around))
    return inside


_apart: Recent[tuple[Any, ...], bool] = Recent(MOST_PASSED)
"""Indices, gates and loops whose iterations write elements of their own, or what data decides."""


def _check_threads(stores: Sequence[_Store]) -> None:
    """Threads share a loop around each store into a memory, or none: each runs what stands outside.
    Stores that share different ones run in any order."""
    shared = {s: {r for r in s.loops if r.op is Ops.RANGE and r.arg[1] == "thread"} for s in stores}
    for store, other in permutations(stores, 2):
        if shared[store] == shared[other]:
            continue
        if shared[store] and shared[other]:
            _check_apart(store, other)
        elif store.memory is other.memory:
            raise ValidationError(
                f"race: threads share one of the loops that write {describe(other.node.src[0])} "
                f"and {describe(store.node.src[0])}, and each runs the other",
                after=store.node,
            )


def _check_apart(store: _Store, other: _Store) -> None:
    """What one store writes, or reads for that, is not what another one writes."""
    key = store.node, store.loops, other.node.src[0], other.loops, other.node.src[2:]
    if key in _apart:
        return
    written = _places(other.node.src[0], other.loops, other.node.src[2:])
    if written is None:
        _apart.put(key, True)
        return
    read = [n for n in store.node.src[1].toposort() if n.op is Ops.INDEX]
    for access in (store.node.src[0], *read):
        if access.src[0].base is not other.memory:
            continue
        inner = [r for r in access.toposort() if r.op in _LOOPS and r not in store.loops]
        gate = store.node.src[2:] if access is store.node.src[0] else ()
        places = _places(access, (*store.loops, *inner), gate)
        if places is not None and (both := _in_both(places, written)).size:
            raise ValidationError(
                f"race: {describe(access)} is element {int(both[0])}, which "
                f"{describe(other.node.src[0])} writes in another loop that threads share",
                after=store.node,
            )
    _apart.put(key, True)


def _in_both(places: Array, others: Array) -> Array:
    """The element numbers that two arrays have in common, those that exist."""
    places, others = (numbers[numbers != INVALID] for numbers in (places, others))
    if not places.size or not others.size:
        return places[:0]
    first, last = others.min(), others.max()
    taken = np.zeros(last - first + 1, bool)  # of which only what is touched takes memory
    taken[others - first] = True
    places = places[(first <= places) & (places <= last)]
    return places[taken[places - first]]


def _check_writes(store: _Store) -> None:
    at, gate = store.node.src[0], store.node.src[2:]
    key = (at.src[1:], at.dtype.count, store.loops, gate)
    if key in _apart:
        return
    places = None if _go_apart(at, store.loops) else _places(at, store.loops, gate)
    if places is None:
        _apart.put(key, True)
        return
    flat = places[places != INVALID]
    values, counts = np.unique(flat, return_counts=True)
    if (counts > 1).any():
        raise ValidationError(
            f"race: {int(counts.max())} iterations or work items write element "
            f"{int(values[counts.argmax()])} of {describe(at)}",
            after=store.node,
        )
    _apart.put(key, True)


def _go_apart(at: UOp, loops: Sequence[UOp]) -> bool:
    """Whether an index is a sum of loops times steps, each of which goes beyond all that shorter
    ones reach: every iteration has elements of its own then, and none need be tried."""
    steps = _steps(at.src[1]) if len(at.src) == 2 else None
    if steps is None or any(r.src[0].op is not Ops.CONST for r in loops):
        return False
    reach = at.dtype.count - 1
    for step, last in sorted((abs(steps.get(r, 0)), int(r.vmax)) for r in loops if r.vmax):
        if step <= reach:
            return False
        reach += step * last
    return set(steps) <= {*loops}


def _steps(index: UOp) -> dict[UOp, int] | None:
    """What each loop is multiplied by in a sum; None for what is no sum of that kind."""
    is_gated = index.op is Ops.WHERE and index.src[2].op is Ops.INVALID
    whole = index.src[1] if is_gated else index
    times = {**dict.fromkeys(whole.toposort(), 0), whole: 1}
    for node in reversed(times):  # before its operands
        if node.op is Ops.ADD:
            for part in node.src:
                times[part] += times[node]
        elif node.op is Ops.MUL and node.src[1].op is Ops.CONST:
            times[node.src[0]] += times[node] * node.src[1].arg
        elif node.op not in _LOOPS and node.op is not Ops.CONST:
            return None
    return {node: step for node, step in times.items() if node.op in _LOOPS}


def _check_read(store: _Store, read: _Read) -> None:
    """No iteration reads what another iteration of the same loops writes."""
    loops = read.loops
    rest = [r for r in store.loops if r not in loops]
    written = _places(store.node.src[0], (*loops, *rest), store.node.src[2:])
    inner = [r for r in read.at.toposort() if r.op in _LOOPS and r not in loops]
    looked = _places(read.at, (*loops, *inner), read.gate)
    if written is None or looked is None:
        return
    iterations = prod(_rounds_of((*loops, *rest))[: len(loops)])
    if looked.size == 0 or looked.size % max(1, iterations):
        return
    who = np.repeat(np.arange(iterations), written.size // max(1, iterations))
    owner = dict(zip(written.reshape(-1).tolist(), who.tolist(), strict=True))
    owner.pop(INVALID, None)
    reader = np.repeat(np.arange(iterations), looked.size // iterations)
    for place, own in zip(looked.reshape(-1).tolist(), reader.tolist(), strict=True):
        if owner.get(place, own) != own:
            raise ValidationError(
                f"race: an iteration reads element {place} of {describe(read.at)}, which another "
                "iteration writes; keep the value first",
                after=store.node,
            )


def _of_equal_data(values: Sequence[UOp]) -> tuple[UOp, ...]:
    """What is computed from numbers that a kernel is given, if all of these are 0."""
    nodes = UOp.sink(*values).toposort(lambda n: n.op not in _READS)
    reads = (n for n in nodes if n.op in _READS and n.dtype.count == 1)
    data = [n for n in reads if _address(n).src[0].op is Ops.PARAM]
    return UOp.sink(*values).substitute({n: UOp.const(n.dtype, 0) for n in data}).src


def _address(read: UOp) -> UOp:
    return read.src[0] if read.op is Ops.LOAD else read


def _places(access: UOp, loops: Sequence[UOp], gate: Sequence[UOp]) -> Array | None:
    """Element numbers for the first values of all loops, in their order; INVALID where none.

    None where that depends on data, or on loops of unknown length.
    """
    return _known_places(access, tuple(loops), tuple(gate))


def _rounds_of(loops: Sequence[UOp]) -> list[int]:
    """How many iterations of each loop are tried."""
    sizes = [int(r.vmax) + 1 for r in loops]
    clip = max(sizes, default=1)
    while prod(min(s, clip) for s in sizes) > MOST_POINTS:
        clip -= max(1, clip // 4)
    return [min(s, clip) for s in sizes]


@lru_cache(maxsize=64)  # a store is compared with many others, one after the other
def _known_places(access: UOp, loops: tuple[UOp, ...], gate: tuple[UOp, ...]) -> Array | None:
    if len(access.src) != 2:
        return None
    index, *gates = _of_equal_data((access.src[1], *gate))
    if any(n.op in _DATA for r in (index, *gates) for n in r.toposort()):
        return None
    if any(r.src[0].op is not Ops.CONST or r.vmax < 0 for r in loops):
        return None
    evaluator = Evaluator({}, {})
    rounds = zip(loops, _rounds_of(loops), strict=True)
    evaluator.scope.bounds = {r: (0, count) for r, count in rounds}
    for loop in loops:
        evaluator.axes.add(loop)
    try:
        values = [evaluator.value(v) for v in (index, *gates)]
    except (InterpreterError, VariableError):
        return None
    lanes = [v.lanes for v in values]
    if lanes[0] or any(a not in loops for v in values for a in v.axes):
        return None
    order = evaluator.axes.sort(loops)
    bounds = [evaluator.scope.bounds[r][1] for r in order]
    places, *opened = (full(v, order, bounds).data for v in values)
    places = places.astype(np.int64)  # wide enough for INVALID
    count = access.dtype.count
    if count > 1:
        each = places[..., None]
        places = np.where(each == INVALID, INVALID, each + np.arange(count))
    for open_, in_lanes in zip(opened, lanes[1:], strict=True):
        places = np.where(open_ if in_lanes or count == 1 else open_[..., None], places, INVALID)
    return np.asarray(places)


# ---- memory of a workgroup --------------------------------------------------------------------


class _Touched(NamedTuple):
    """The elements that are accessed, in order, with the first and the last work item of each."""

    elements: Array
    first: Array
    last: Array


class _SharedAccess(NamedTuple):
    node: UOp
    writes: bool
    touched: _Touched | None  # None if not known


class _Workgroup:
    """A walk over a program that knows what was accessed since the last BARRIER.

    A loop is done in any of its rounds, or in `numbered` ones where a barrier stands in it.
    """

    def __init__(self, numbered: bool = False) -> None:
        self.numbered = numbered
        self.since: dict[UOp, list[_SharedAccess]] = {}
        self.items: tuple[UOp, ...] = ()
        self.at: dict[UOp, UOp] = {}  # loops in which all work items are in one round: which

    def run(self, block: Region) -> None:
        """Walk a block; a loop twice, since its end meets its beginning."""
        if block.head is None:
            self.items = tuple(n for n in block.nodes() if n.op is Ops.SPECIAL and n.arg[0] == "l")
        for which, rounds in enumerate(_rounds(block, self.numbered)):
            if which:  # of the rounds between, the last ends in a barrier or meets as these do
                self.since.clear()
            for number in rounds:
                if number is not None and block.head is not None:
                    self.at[block.head] = UOp.const(block.head.dtype, number)
                for item in block.body:
                    if isinstance(item, Region):
                        self.run(item)
                    elif item.op is Ops.BARRIER:
                        self.since.clear()
                    else:
                        self.access(item)
        if block.head is not None:
            self.at.pop(block.head, None)

    def access(self, node: UOp) -> None:
        """Compare a LOAD or STORE with those of the same memory since the last BARRIER."""
        if node.op not in (Ops.LOAD, Ops.STORE) or node.src[0].op is not Ops.INDEX:
            return
        memory = node.src[0].src[0].base
        if memory.op is not Ops.DEFINE_LOCAL:
            return
        access = _SharedAccess(node, node.op is Ops.STORE, self.touched(node))
        for other in self.since.get(memory, []):
            if (access.writes or other.writes) and _meet(access, other):
                raise ValidationError(
                    f"race: {describe(node)} and {describe(other.node)} access one element of a "
                    "workgroup's memory from several work items with no BARRIER between them",
                    after=node,
                )
        self.since.setdefault(memory, []).append(access)

    def touched(self, node: UOp) -> _Touched | None:
        """Which work item touches which element, for the first values of the other loops."""
        memory, index = node.src[0].src
        index, *gate = UOp.sink(index, *node.src[2:3]).substitute(self.at).src
        loops = [n for n in UOp.sink(index, *gate).toposort() if n.op in _LOOPS]
        items = [r for r in self.items if r.src[0].op is Ops.CONST]
        others = [r for r in dict.fromkeys(loops) if r not in items]
        place = UOp(Ops.INDEX, node.src[0].dtype, (memory.base, index))
        places = _places(place, (*items, *others), gate)
        if places is None:
            return None
        count = prod(min(places.shape[i], int(r.vmax) + 1) for i, r in enumerate(items))
        item, column = np.nonzero(places.reshape(count, -1) != INVALID)  # in the items' order
        number = places.reshape(count, -1)[item, column]
        elements, first = np.unique(number, return_index=True)
        _, last = np.unique(number[::-1], return_index=True)
        return _Touched(elements, item[first], item[::-1][last])


MOST_ROUNDS = 16
"""Rounds that are all walked by their numbers; of more the first and the last ones."""


def _rounds(block: Region, numbered: bool) -> list[list[int | None]]:
    """The rounds of a loop that are walked one after the other; None for any of them.

    Where a barrier stands in a loop, no work item is a round ahead of it: so rounds have numbers.
    """
    head = block.head
    if head is None or head.op is not Ops.RANGE:
        return [[None]]
    waits = any(n.op is Ops.BARRIER for n in block.nodes())
    if not numbered or not waits or head.src[0].op is not Ops.CONST:
        return [[None, None]]
    count = int(head.src[0].arg)
    if count <= MOST_ROUNDS:
        return [[*range(count)]]
    return [[*range(MOST_ROUNDS - 2)], [count - 2, count - 1]]


def _meet(one: _SharedAccess, other: _SharedAccess) -> bool:
    """Whether two work items touch one element."""
    if one.touched is None or other.touched is None:
        return False
    ours, theirs = one.touched, other.touched
    _, at, of = np.intersect1d(ours.elements, theirs.elements, True, return_indices=True)
    first = np.minimum(ours.first[at], theirs.first[of])
    return bool((first != np.maximum(ours.last[at], theirs.last[of])).any())
