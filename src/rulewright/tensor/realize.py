"""Realising: from nodes to memory that holds their values.

What a program of single steps outside of `jit` spends its time on are plans that are all alike. A
graph that says the same but for the memory it reads needs none: its kernels are ready. So a small
value of memory alone that is computed again runs them on the other memory, `direct`ly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.driver import graphs
from rulewright.driver.schedules import ready_programs
from rulewright.ir.collector import without_gc
from rulewright.ir.ops import Ops
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.runtime.memories import another, buffer_of, is_written, new_buffer
from rulewright.tensor import contents, history
from rulewright.tensor.assign import memory_of, memory_under, own_memory
from rulewright.tensor.function_nodes import refuse_tracing
from rulewright.tensor.registry import (
    caller,
    live_tensors,
    lock,
    metadata_of,
    rebased,
    replace_everywhere,
    retarget,
    root_of,
)
from rulewright.tensor.shapes import reaching

if TYPE_CHECKING:
    from rulewright.driver.ready import Ready
    from rulewright.driver.schedules import Schedule
    from rulewright.tensor.alias import Alias
    from rulewright.tensor.core import Core

_MOST_NODES = 256
_PLANNED = frozenset({Ops.AFTER, Ops.BIND, Ops.FUNCTION, Ops.COPY})
"""What needs a plan: writes, values of variables, functions but inline ones, several devices."""

_VIEWS = frozenset({Ops.RESHAPE, Ops.PERMUTE, Ops.FLIP, Ops.EXPAND})
"""Views of all of a value; of a symbolic size they have a source more."""

_SHOWN = frozenset({Ops.BUFFER, Ops.CONST, *Ops.group("View")})
"""Roots that are memory already, or show some."""


class Direct(NamedTuple):
    """A value that may need no plan: what it is but for its memory, and that memory."""

    shown: UOp
    """What the tensor is: the value, or a view of it."""
    value: UOp
    key: tuple[Any, ...]
    inputs: list[UOp]

    def remember(self, result: UOp | None, ready: Ready, slots: Sequence[UOp]) -> None:
        """Keep the kernels that computed it into a BUFFER, for values that are equal."""
        if result is None or result.op is not Ops.BUFFER or result.arg[1] != self.value.shape:
            return  # what was computed is below a view
        memories = {memory: number for number, memory in enumerate([result, *self.inputs])}
        like = new_buffer(result.dtype, *result.arg[1:])  # which is never filled
        ready_programs.put(self.key, (ready, [memories[slot] for slot in slots], like))

    def run(self) -> UOp | None:
        """The value in new memory; None, and nothing is done, if no equal one was computed before,
        or if it reads memory that was never written."""
        known = ready_programs.get(self.key)
        if known is None:
            return None
        ready, slots, like = known
        result, buffer = another(like, buffer_of(like))
        memories = [buffer, *map(buffer_of, self.inputs)]
        return result if ready.run([memories[slot] for slot in slots]) else None


def direct(tensors: Sequence[Core]) -> Direct | None:
    """What some tensors need that are one small value of memory alone; None for all others, and
    where somebody watches what runs."""
    if len(tensors) != 1:
        return None
    tensor = tensors[0]
    shown = value = tensor.uop
    while value.op in _VIEWS and len(value.src) == 1:
        value = value.src[0]
    if tensor._alias is not None or value.op in _SHOWN:
        return None
    chosen = options()
    if not chosen.CACHE or graphs.is_watched():
        return None
    inputs: list[UOp] = []
    parts: list[Any] = [tensor.device, chosen.BEAM, chosen.MATMUL, chosen.THREADS, overlay_key()]
    number: dict[UOp, int] = {}
    stack = [value]
    while stack:
        node = stack.pop()
        if node in number:
            continue
        inline = node.op is Ops.FUNCTION and node.arg[1] == "inline"
        sources = () if inline else node.src
        missing = [s for s in sources if s not in number]
        if missing:
            stack += [node, *reversed(missing)]
        elif (node.op in _PLANNED and not inline) or len(number) == _MOST_NODES:
            return None
        else:
            if node.op is Ops.BUFFER:
                inputs.append(node)
                parts.append((node.dtype, node.arg[1:]))
            elif sources:
                arg = node.arg
                argument = repr(arg) if arg.__class__ in (bool, float) else arg
                parts.append((node.op, node.dtype, argument, *[number[s] for s in sources]))
            else:
                parts.append(node)
            number[node] = len(number)
        if len(stack) > 4 * _MOST_NODES:
            return None
    return Direct(shown, value, tuple(parts), inputs)


class Plan:
    """What realising some tensors needs: stores to run, and the memory that nodes become."""

    def __init__(self, tensors: Sequence[Core]) -> None:
        self.fresh: dict[UOp, UOp] = {}  # computed node -> AFTER(new buffer, its store)
        self.effects: dict[UOp, None] = {}  # what the SINK holds, in order
        self.stored: list[UOp] = []  # every version of memory that a store makes, older ones first
        waiting: Sequence[Core] = tensors
        while waiting:
            before = len(self.fresh) + len(self.effects)
            self._add(waiting)
            assert waiting is tensors or len(self.fresh) + len(self.effects) > before, "no end"
            nodes = self.sink.toposort(lambda n: n.op is not Ops.FUNCTION)
            self.stored = [n for n in nodes if n.op is Ops.AFTER]
            waiting = self._endangered()
        # a rule may find that a value does not need what is written on the way: it is written still
        self.effects.update(dict.fromkeys(self.stored))

    @property
    def sink(self) -> UOp:
        """The graph of stores."""
        return UOp.sink(*self.effects)

    @cached_property
    def views(self) -> Counter[Alias]:
        """How many live tensors look at each memory that some share."""
        return Counter(t._alias for t in live_tensors() if t._alias is not None)

    def _add(self, tensors: Iterable[Core]) -> None:
        for tensor in tensors:
            node = self._memory_node(tensor)
            memory = memory_of(node)
            if memory is not None:
                if memory.op is Ops.AFTER:
                    self.effects[memory] = None
                continue
            node, value = _computed(node)
            memory = memory_of(value)
            if memory is not None and memory.op is Ops.AFTER:
                self.effects[memory] = None
            if memory is None and value.op is not Ops.CONST and node not in self.fresh:
                own = own_memory(value, tensor.device)
                self.effects[_after(own).src[1]] = None
                self.fresh[node] = _viewed(node, value, own)

    def _memory_node(self, tensor: Core) -> UOp:
        """What has to be in memory: the base of a view that others look at too."""
        if tensor._alias is not None and self.views[tensor._alias] == 1:
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


def _computed(node: UOp) -> tuple[UOp, UOp]:
    """What is replaced by memory below views, and the value to be stored there.

    They differ for a detached value: what it was computed from shall not be remembered.
    """
    detached = None
    while node.op in _VIEWS or node.op is Ops.DETACH:
        if node.op is Ops.DETACH and detached is None:
            detached = node
        node = node.src[0]
    known = memory_of(node) is not None or node.op is Ops.CONST
    return (node, node) if known or detached is None else (detached, node)


def _viewed(view: UOp, value: UOp, memory: UOp) -> UOp:
    """A chain of views of a value as views of its memory, from which no gradient flows anyway."""
    for node in reversed(_chain(view, value)):
        if node.op is not Ops.DETACH:
            memory = node.replace(src=(memory, *node.src[1:]))
    return memory


def _chain(view: UOp, base: UOp) -> list[UOp]:
    """The nodes from a view down to, and without, what it views."""
    views = []
    while view is not base:
        views.append(view)
        view = view.src[0]
    return views


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


def realize(tensors: Sequence[Core]) -> None:
    """Compute tensors, and whatever needs memory that they overwrite.

    If anything fails, every tensor stays what it was.
    """
    refuse_tracing("a tensor is computed")
    with lock:
        alone = direct(tensors)
        memory = alone.run() if alone else None
        if alone and memory is not None:
            _settle_alone(alone, memory)
            return
        plan = Plan(tensors)
        if not plan.effects:
            return
        ran = graphs.run(plan.sink, caller, metadata_of)
        changes = _settle(plan)
        if alone and ran and len(changes) == len(plan.effects) == 1:
            alone.remember(changes.get(alone.value), *ran)


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
        graph = graphs.kernelize(plan.sink)
        changes = dict(zip(plan.effects, graph.src, strict=True))
        memories = {
            node: _with_effect(memory, changes[_after(memory).src[1]])
            for node, memory in plan.fresh.items()
        }
        memories.update((n, new) for n, new in changes.items() if n.op is Ops.AFTER)
        history.remember(plan.fresh, plan.stored, memories)
        replace_everywhere(memories)
        _note_shared({m for m in map(memory_of, memories.values()) if m is not None})


def _settle(plan: Plan) -> dict[UOp, UOp]:
    """Let all live tensors stand for the memory that a plan's stores fill; gives it by value."""
    changes = plan.changes()
    history.remember(plan.fresh, plan.stored, changes)
    replace_everywhere(changes)
    _note_shared({memory.base for memory in changes.values()})
    return changes


def _settle_alone(alone: Direct, memory: UOp) -> None:
    """Let all live tensors stand for the new memory that holds one value."""
    shown, value = alone.shown, alone.value
    users, is_plain = [], not history.any_origin()
    for tensor in live_tensors():
        if tensor.uop is shown and tensor._alias is None:
            users.append(tensor)
        elif root_of(tensor).serial >= value.serial:
            is_plain = False  # it may hold the value
        if tensor._requires_grad:
            is_plain = False
    if not is_plain:
        changes = {value: memory}
        history.remember(changes, (), changes)
        replace_everywhere(changes)
        _note_shared({memory})
        return
    node = rebased(shown, value, memory)
    for tensor in users:
        retarget(tensor, node)
    if len(users) > 1:
        contents.shared.add(memory)


def _note_shared(memories: set[UOp]) -> None:
    """Mark memory that tensors share though neither is a view of the other."""
    owner: dict[UOp, object] = {}
    for tensor in live_tensors():
        memory = memory_under(tensor)
        if memory in memories:
            who = tensor._alias or tensor
            if owner.setdefault(memory, who) is not who:
                contents.shared.add(memory.base)
