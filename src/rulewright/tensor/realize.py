"""Realising: from nodes to memory that holds their values."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rulewright.collector import without_gc
from rulewright.driver import graphs
from rulewright.driver.capture import recorder
from rulewright.driver.underway import Underway
from rulewright.errors import DeviceError
from rulewright.ir.node import bits_of, may_hold
from rulewright.ir.ops import Ops
from rulewright.ir.placement import placement
from rulewright.ir.uop import UOp
from rulewright.runtime.memories import buffer_of, is_written, pieces
from rulewright.tensor import history, repeated
from rulewright.tensor.assign import memory_under, own_memory
from rulewright.tensor.direct import WHOLE_VIEWS, direct
from rulewright.tensor.function_nodes import refuse_tracing
from rulewright.tensor.metadata import caller, metadata_of
from rulewright.tensor.registry import (
    live_tensors,
    lock,
    note_computed,
    numbered,
    replace_everywhere,
    root_of,
    rooted,
    roots_among,
    shared,
)
from rulewright.tensor.shapes import reaching
from rulewright.tensor.views import chain, memory_of, rebased
from rulewright.tensor.writes import became, note_became

if TYPE_CHECKING:
    from rulewright.driver.schedules import Schedule
    from rulewright.runtime.buffer import Buffer
    from rulewright.tensor.core import Core


class Plan:
    """What realising some tensors needs: stores to run, and the memory that nodes become."""

    def __init__(self, tensors: Sequence[Core], read: Core | None = None) -> None:
        self.read = read  # the one that is asked for
        self.fresh: dict[UOp, UOp] = {}  # computed node -> AFTER(new buffer, its store)
        self.effects: dict[UOp, None] = {}  # what the SINK holds, in order
        self.stored: list[UOp] = []  # every version of memory that a store makes, older ones first
        self.nodes: list[UOp] = []
        self.kept: list[UOp] = []  # values that get memory though nobody asked for them now
        self._choose(tensors)
        if done := became(self.stored):
            replace_everywhere(done)
            self.fresh, self.effects = {}, {}
            self._choose(tensors)

    def _choose(self, tensors: Sequence[Core]) -> None:
        waiting: Sequence[Core] = tensors
        written: list[UOp] | None = None
        while waiting:
            before = len(self.fresh) + len(self.effects)
            self._add(waiting)
            assert waiting is tensors or len(self.fresh) + len(self.effects) > before, "no end"
            self.nodes = self.sink.toposort(lambda n: n.op is not Ops.FUNCTION)
            if self._keep_repeated():
                self.nodes = self.sink.toposort(lambda n: n.op is not Ops.FUNCTION)
            # a kernel that is called has AFTERs of its own
            self.stored = [n for n in self.nodes if n.op is Ops.AFTER and memory_of(n) is n]
            # what got memory of its own endangers nothing
            waiting, written = self._endangered() if self.stored != written else [], self.stored
        # a rule may find that a value does not need what is written on the way: it is written still
        self.effects.update(dict.fromkeys(self.stored))

    @property
    def sink(self) -> UOp:
        """The graph of stores."""
        return UOp.sink(*self.effects)

    @property
    def is_fresh(self) -> bool:
        """Whether values get memory, and none is written that tensors show already."""
        return not self.stored

    def _add(self, tensors: Iterable[Core]) -> None:
        for tensor in tensors:
            node = self._memory_node(tensor)
            memory = memory_of(node)
            if memory is not None:
                if memory.op is Ops.AFTER:
                    self.effects[memory] = None
                continue
            self._add_value(node, tensor.device)

    def _add_value(self, node: UOp, device: str) -> None:
        node, value = _computed(node)
        memory = memory_of(value)
        if memory is not None and memory.op is Ops.AFTER:
            self.effects[memory] = None
        if memory is None and value.op is not Ops.CONST and node not in self.fresh:
            own = own_memory(value, device)
            self.effects[_after(own).src[1]] = None
            self.fresh[node] = _viewed(node, value, own)

    def _keep_repeated(self) -> bool:
        """Give memory to what was computed before on the way to something else, and to gradients
        that were asked for together with one that is read; whether there is any. What a capture
        computes does not hang on what was computed before."""
        if recorder() is not None:
            return False
        devices = [(node, repeated.device_of(node)) for node in self.nodes]
        before = len(self.fresh)
        for node, device in devices:
            if device is not None:
                self._add_value(node, device)
                self.kept.append(_computed(node)[0])
        if self.read is not None and repeated.any_gradients():
            self._add(numbered(repeated.beside([root_of(self.read), *self.nodes])))
        return len(self.fresh) > before

    def _memory_node(self, tensor: Core) -> UOp:
        """What has to be in memory: the base of a view that others look at too."""
        if tensor._alias is not None and len(tensor._alias.views()) == 1:
            tensor._alias = None
        return root_of(tensor)

    def _endangered(self) -> list[Core]:
        """Live tensors whose value needs memory as it was before one of the stores."""
        afters = set(self.stored)
        old = {a.src[0] for a in afters if a.src[0].op is Ops.AFTER or is_written(a.base)}
        if not old:
            return []
        oldest = min(node.serial for node in old)  # what was made before it does not need it
        nodes = [(t, self._memory_node(t)) for t in live_tensors()]
        nodes = [
            (t, n)
            for t, n in nodes
            if n.serial >= oldest and memory_of(n) not in afters and not self._has(n)
        ]
        endangered = reaching([n for _, n in nodes], old, lambda n: n not in afters)
        return [t for t, n in nodes if n in endangered and not _is_plain_memory(n)]

    def _has(self, node: UOp) -> bool:
        return _computed(node)[0] in self.fresh

    def changes(self) -> dict[UOp, UOp]:
        """What every node becomes once the stores have run."""
        bare: dict[UOp, UOp] = {}
        changes = {node: _without_effects(memory, bare) for node, memory in self.fresh.items()}
        changes.update((node, _without_effects(node, bare)) for node in self.stored)
        return changes


def _on_the_way(nodes: Collection[UOp], asked: Container[UOp]) -> list[Core]:
    """The live tensors whose values are computed by a graph, its nodes in order, and are worth to
    be kept, but for what is asked for."""
    if recorder() is not None:
        return []
    roots = {n for n in roots_among(nodes) if n not in asked and memory_of(n) is None}
    return rooted(repeated.worth_keeping(roots, nodes)) if roots else []


def _note_repeated(tensors: Iterable[Core]) -> None:
    """Let tensors have memory that are still lazy, if they are computed again."""
    for tensor in tensors:
        if memory_of(root_of(tensor)) is None:
            repeated.keep(root_of(tensor), tensor.device)


def _computed(node: UOp) -> tuple[UOp, UOp]:
    """What is replaced by memory below views, and the value to be stored there.

    They differ for a detached value: what it was computed from shall not be remembered.
    """
    detached = None
    while node.op in WHOLE_VIEWS or node.op is Ops.DETACH:
        if node.op is Ops.DETACH and detached is None:
            detached = node
        node = node.src[0]
    known = memory_of(node) is not None or node.op is Ops.CONST
    return (node, node) if known or detached is None else (detached, node)


def _viewed(view: UOp, value: UOp, memory: UOp) -> UOp:
    """A chain of views of a value as views of its memory, from which no gradient flows anyway."""
    for node in reversed(chain(view, value)):
        if node.op is not Ops.DETACH:
            memory = node.replace(src=(memory, *node.src[1:]))
    return memory


def _is_plain_memory(node: UOp) -> bool:
    """Whether a node is a view of a BUFFER that nothing has yet to write into."""
    memory = memory_of(node)
    return memory is not None and memory.op is Ops.BUFFER


def _after(memory: UOp) -> UOp:
    while memory.op is not Ops.AFTER:
        memory = memory.src[0]
    return memory


def _with_effect(memory: UOp, effect: UOp) -> UOp:
    """New memory, or a view of it, after another effect than its store."""
    after = _after(memory)
    return rebased(memory, after, effect if effect.op is Ops.AFTER else after.src[0].after(effect))


def _without_effects(node: UOp, bare: dict[UOp, UOp]) -> UOp:
    """Memory, or a view of it, as it is once everything has happened; `bare` is what is known."""
    chain = []
    while node.op is not Ops.BUFFER and node not in bare:
        chain.append(node)
        node = node.src[0]
    memory = bare.get(node, node)
    for view in reversed(chain):
        if view.op is not Ops.AFTER:
            memory = view.replace(src=(memory, *view.src[1:]))
        bare[view] = memory
    return memory


def realize(wanted: Sequence[Core]) -> None:
    """Compute tensors, and whatever needs memory that they overwrite.

    If anything fails, every tensor stays what it was, but for memory that was written to its end
    by then: what was stored there is not stored again.
    """
    refuse_tracing("a tensor is computed")
    with lock:
        if all([tensor.uop.op is Ops.BUFFER for tensor in wanted]):
            return
        alone = direct(wanted)
        done = alone.run() if alone else None
        if alone and done:
            on_the_way = _on_the_way(alone.nodes, (alone.shown, alone.value))
            _settle_values({alone.value: done.memory}, wanted, done.read)
            if on_the_way:
                _note_repeated(on_the_way)
            return
        plan = Plan(wanted, wanted[0] if len(wanted) == 1 else None)
        if not plan.effects:
            return
        with Underway() as underway:
            try:
                told = None if plan.is_fresh else underway
                ran = graphs.run(plan.sink, caller, metadata_of, told, alone is None)
            except BaseException:
                _settle_written(plan, underway.written())
                raise
            on_the_way = _on_the_way(plan.nodes, plan.fresh)
            changes = _settle(plan, wanted)
        for value in plan.kept:
            if value in changes and not history.has_origin(changes[value].base):
                repeated.note_parts(changes[value].base, history.followed_from([value]))
        _note_repeated(on_the_way)
        if alone and ran and len(changes) == len(plan.effects) == 1:
            alone.remember(changes.get(alone.value), ran)


def schedule(tensors: Sequence[Core]) -> Schedule | None:
    """The kernels that compute tensors, as a schedule to be run once; None if there are none.

    The tensors stay what they are until all of it has run, and then stand for the memory it filled.
    """
    refuse_tracing("a tensor is scheduled")
    with lock, without_gc():
        plan = Plan(tensors)
        if not plan.effects:
            return None
        scheduled = graphs.schedule(plan.sink, caller, metadata_of)
        if scheduled.items:
            _settle_once_run(plan, scheduled)
        else:
            _settle(plan)
        return scheduled


def _settle_once_run(plan: Plan, scheduled: Schedule) -> None:
    """Settle a plan when every item of its schedule has run."""
    waiting = dict.fromkeys(range(len(scheduled.items)), plan)

    def note(number: int) -> None:
        with lock:
            plan = waiting.pop(number, None)
            if plan is not None and not waiting:
                _settle(plan)

    scheduled.items = [
        replace(item, on_run=partial(note, n)) for n, item in enumerate(scheduled.items)
    ]


def kernelize(tensors: Sequence[Core]) -> None:
    """Choose the kernels of tensors without running them.

    The tensors become memory after its kernels, which graphs built on them load from.
    """
    refuse_tracing("a tensor is scheduled")
    with lock:
        plan = Plan(tensors)
        if not plan.effects:
            return
        if any(n.op is Ops.BUFFER and placement(n.arg[2]) for n in plan.nodes):
            raise DeviceError(
                "kernelize: a value on several devices is realized at once; realize it"
            )
        graph = graphs.kernelize(plan.sink)
        changes = dict(zip(plan.effects, graph.src, strict=True))
        memories = {
            node: _with_effect(memory, changes[_after(memory).src[1]])
            for node, memory in plan.fresh.items()
        }
        memories.update((n, new) for n, new in changes.items() if n.op is Ops.AFTER)
        note_became(memories)
        history.remember(plan.fresh, plan.stored, memories)
        replace_everywhere(memories)
        _note_shared({m for m in map(memory_of, memories.values()) if m is not None})


def _settle(plan: Plan, wanted: Sequence[Core] = ()) -> dict[UOp, UOp]:
    """Let all live tensors stand for the memory that a plan's stores fill; gives it by value.

    Those that were not `wanted` may take note later, if no memory is written that others show.
    """
    changes = plan.changes()
    note_became(changes)
    if wanted and plan.is_fresh and recorder() is None:
        memories = {node for node in plan.nodes if node.op is Ops.BUFFER}
        memories.difference_update([memory.base for memory in changes.values()])
        reading = reaching(changes, memories, lambda node: True)
        read = sum(map(repeated.bytes_of, memories)) if reading.issuperset(changes) else 0
        _settle_values(changes, wanted, read)
        return changes
    history.remember(plan.fresh, plan.stored, changes)
    _replace(changes)
    return changes


def _settle_written(plan: Plan, written: Set[Buffer]) -> None:
    """Settle as much of a plan as stands in memory that was written to its end."""
    memories = plan.changes().items() if written else ()
    changes = {n: m for n, m in memories if written >= set(pieces(buffer_of(m.base)))}
    if changes:
        note_became(changes)
        history.remember(plan.fresh, plan.stored, changes)
        _replace(changes)


def _replace(changes: dict[UOp, UOp]) -> None:
    replace_everywhere(changes)
    _note_shared({memory.base for memory in changes.values()})


def _settle_values(changes: dict[UOp, UOp], wanted: Sequence[Core], read: int) -> None:
    """Let tensors stand for the new memory of values, to compute which `read` bytes were read:
    those that were wanted now, and others when they are looked at, unless one was computed from
    no memory. Schedules that are kept hold such a value, and would hold its memory with it."""
    if history.any_gradient():
        history.remember(changes, (), changes)
    if not read:
        _replace(changes)
        return
    note_computed(changes, read, wanted)
    if len(wanted) > 1:
        _note_owners(wanted, {memory.base for memory in changes.values()})


def _note_shared(memories: set[UOp]) -> None:
    """Mark memory that tensors share though neither is a view of the other."""
    bits = bits_of(memories)
    _note_owners([t for t in live_tensors() if may_hold(root_of(t), bits)], memories)


def _note_owners(tensors: Iterable[Core], memories: set[UOp]) -> None:
    owner: dict[UOp, object] = {}
    for tensor in tensors:
        memory = memory_under(tensor)
        if memory in memories:
            who = tensor._alias or tensor
            if owner.setdefault(memory, who) is not who:
                shared.add(memory.base)
