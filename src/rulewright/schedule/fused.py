"""What kernels that could be one read, write and loop over, and the kernel that they become.

A kernel's memory is as it was before the kernel for all that read it without an AFTER: so what one
of the fused kernels writes, and another reads as it is then, is the value that the first computes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import prod

from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.requests import trips

_KNOWN = {  # and what is elementwise
    Ops.CONST, Ops.VAR, Ops.RANGE, Ops.INDEX, Ops.PARAM, Ops.REDUCE, Ops.INVALID,
}  # fmt: skip
_BASES = frozenset({Ops.PARAM, Ops.SCRATCH})


@dataclass(frozen=True, eq=False)
class Body:
    """One store in its loops: the parallel ones, those that reduce, and the INDEXes that it reads,
    of which reductions read those `inside`."""

    store: UOp
    loops: tuple[UOp, ...]
    steps: tuple[UOp, ...]
    reads: tuple[UOp, ...]
    inside: frozenset[UOp]


@remembered(1024)
def body_of(kernel: UOp) -> Body | None:
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
    inside = frozenset(n for r in reductions for n in r.src[0].toposort() if n.op is Ops.INDEX)
    wide = {loop for loop in loops if trips(loop) > 1}
    walks = [set(index.ranges) for index in inside]
    if any(not walk.isdisjoint(steps) and not wide <= walk for walk in walks):
        return None
    reads = tuple(n for n in nodes if n.op is Ops.INDEX)
    return Body(store, loops, steps, reads, inside)


@dataclass(frozen=True, eq=False)
class Effect:
    """A store of a group: its call, the memory that it writes, and those that its value needs."""

    call: UOp
    written: UOp
    needed: frozenset[UOp]


class Group:
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

    def add(self, other: Group, first: bool) -> None:
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


def handed_on(before: Group, behind: Group) -> dict[UOp, UOp]:
    """The versions of memory that one group makes and another is given, by memory."""
    versions = chain.from_iterable(call.src[1:] for call in behind.calls)
    made = set(before.calls)
    return {v.base: v for v in versions if v.op is Ops.AFTER and not made.isdisjoint(v.src[1:])}


def effects_of(before: Group, behind: Group) -> list[Effect]:
    """The effects of two groups: what needed memory that the first writes needs what made it."""
    makers = {effect.written: effect.needed for effect in before.effects}
    taken = handed_on(before, behind).keys()
    later: list[Effect] = []
    for effect in behind.effects:
        made = [makers[base] for base in effect.needed & taken]
        later.append(Effect(effect.call, effect.written, (effect.needed - taken).union(*made)))
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


def is_plain(*groups: Group) -> bool:
    """Whether all that groups read and write are single elements and, in each round, the same
    element of all other memories: so that no loop of one store is ever cut unlike another's."""
    places = [index for group in groups for read in group.reads.values() for index in read]
    places += [index for group in groups for index in group.writes.values()]
    walks = {index for index in places if index.ranges}
    return len(walks) <= 1 and not any(group.steps for group in groups)


def fused_call(group: Group, arguments: Mapping[UOp, UOp], unread: set[UOp]) -> UOp:
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
        found = {node: self._maker(call, node) for node in body.reads}
        makers = {node: maker for node, maker in found.items() if maker is not None}
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


def _numbered_again(body: Body, behind: int) -> dict[UOp, UOp]:
    """Ranges of their own for reductions that come behind others over as many ranges."""
    first = len(body.loops) + behind * len(body.steps)
    ranges = [UOp.range(r.size, first + i, "reduce") for i, r in enumerate(body.steps)]
    return dict(zip(body.steps, ranges, strict=True)) if behind else {}
