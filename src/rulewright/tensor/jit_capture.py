"""One capture of a jitted function: what ran, over which memory, and how to run it again."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rulewright.driver.capture import Recorder, recording
from rulewright.driver.replay import Replay
from rulewright.errors import JitError, RulewrightError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.placement import parts_of
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.memories import buffer_of, known_buffers, new_buffer, stand_for, wholes
from rulewright.tensor import history
from rulewright.tensor.alias import Alias
from rulewright.tensor.assign import own_memory
from rulewright.tensor.core import Core
from rulewright.tensor.guards import Guards
from rulewright.tensor.jit_arguments import Arguments, Input, normal
from rulewright.tensor.jit_memory import Spares, donated_items
from rulewright.tensor.jit_replay import Replaying
from rulewright.tensor.jit_templates import (
    IndexBounds,
    ResultPlace,
    TensorTemplate,
    in_order,
    memories,
    release,
    settle,
    shared_slots,
)
from rulewright.tensor.nested import is_scalar, leaves, rebuilt, tensors_in
from rulewright.tensor.realize import realize
from rulewright.tensor.registry import own_tensors, replace_everywhere, set_leaf
from rulewright.tensor.trace import Trace
from rulewright.tensor.views import shown_by
from rulewright.warning import warn

if TYPE_CHECKING:
    from rulewright.tensor.jit import Jit


def run_plainly(
    owner: Jit[Any], first: tuple[Any, ...], args: Any, kwargs: Mapping[str, Any]
) -> Any:
    """Run a function without capture and realise all that it changed, as captures do."""
    trace = Trace()
    result = _apart(owner, owner.function(*first, *args, **kwargs), trace)
    _realize_changed(trace, result)
    _realize_all(result)
    return result


def _apart(owner: Jit[Any], result: Any, trace: Trace) -> Any:
    """A result in which views of what was there before are copies; what is that itself stays.

    A replay runs without the views that its function would make, so a later call could not show
    in them as a plain function's does: no call lets it. Raises JitError for results that are
    neither tensors, plain values nor containers of them.
    """
    for leaf in leaves(result):
        if not (isinstance(leaf, Core) or is_scalar(leaf)):
            owner.refuse_result(leaf)
    outer = trace.outside()
    known = {id(t): t for t in outer}
    aliases = {id(t._alias) for t in outer if t._alias is not None}

    def apart(tensor: Core) -> Core:
        if id(tensor) in known:
            return known[id(tensor)]
        alias = tensor._alias
        memory = shown_by(tensor.uop if alias is None else alias.base)
        older = memory is not None and memory.base.arg[0] < trace.mark
        copy = tensor
        if older or (alias is not None and id(alias) in aliases):
            copy = tensor._make(own_memory(tensor.uop, tensor.device), tensor.device)
        known[id(tensor)] = copy
        return copy

    return rebuilt(result, apart)


def _realize_changed(trace: Trace, result: Any) -> None:
    """Compute what a function made and changed."""
    same = {id(tensor) for tensor, uop, *_ in trace.before if tensor.uop is uop}
    grads = [g for t, *_, old in trace.before if (g := t.grad) is not None and g is not old]
    new = [t for t in tensors_in(result) if id(t) not in same]
    tensors = [*new, *trace.written(), *grads]
    if tensors:
        realize(tensors)


def _realize_all(result: Any) -> None:
    if tensors := tensors_in(result):
        realize(tensors)


def _settle_pending() -> None:
    """Run assignments that wait, and compute gradients: replays shall not do so again."""
    live = own_tensors()
    waiting = [t for t in live if _waits(t.uop)]
    waiting += [t.grad for t in live if t.grad is not None]
    if not waiting:
        return
    try:
        realize(waiting)
    except RulewrightError:  # of one of them, which need not concern the function
        for tensor in waiting:
            with suppress(RulewrightError):  # it waits on, and fails where it is asked for
                realize([tensor])


def _waits(uop: UOp) -> bool:
    return any(n.op is Ops.AFTER for n in uop.toposort())


def _is_noted(tensor: Core, noted: Mapping[int, weakref.ref[Any]]) -> bool:
    link = noted.get(id(tensor))
    return link is not None and link() is tensor


class Capture(Replaying):
    """Kernels of one call of a function, which run again over other arguments."""

    def __init__(
        self,
        owner: Jit[Any],
        first: tuple[Any, ...],
        args: Any,
        kwargs: Mapping[str, Any],
        arguments: Arguments,
    ) -> None:
        self._owner = owner
        _settle_pending()
        self.inputs = arguments.inputs
        release(i for i in self.inputs if not i.copied)  # any of them may be written
        self.binds = {b.src[0]: b for b in arguments.binds}
        self._stand_in()
        self.guards = Guards((owner.function, *first), (args, kwargs))
        settle(self.guards.tensors)
        self._of_no_memory = [(t, t.uop) for t in self.guards.tensors if not memories(t.uop)]
        inside = {id(i.tensor): s for i, s in zip(self.inputs, self._standing, strict=True)}
        self.recorder = Recorder(
            owner.refuse, self.guards.watch, apart=bool(arguments.donated), passed=inside
        )
        known = set(known_buffers())

        def change(tensor: Core) -> Core:
            return inside.get(id(tensor), tensor)

        passed, named = rebuilt(args, change), rebuilt(dict(kwargs), change)
        places = {f"argument {place!r}": a for place, a in [*enumerate(passed), *named.items()]}
        self._passed = Guards([places])  # containers of the call's own: no replay sees them
        trace = self._trace = Trace()
        with recording(self.recorder), trace.noting():
            result = owner.function(*first, *passed, **named)
            result = _apart(owner, result, trace)
            _realize_changed(trace, result)
        _realize_all(result)  # what it gives back from outside is computed once, by no replay
        # what another thread had assigned ran inside: it is done now, but is no part of this. What
        # had no memory to write into has some now, which the next call captures
        self.spoiled = any(t.uop is not u and _waits(u) for t, u, *_ in trace.before)
        self.spoiled |= any(_is_noted(t, self.recorder.valued) for t in trace.outside())
        self._analyse(result, known, arguments)
        self._finish(result)

    # ---- arguments ------------------------------------------------------------------------

    def _stand_in(self) -> None:
        """Tensors that the function gets for its arguments: other nodes for the same memory."""
        self._standing: list[Core] = []
        self._private: dict[Buffer, int] = {}  # buffer -> slot
        self._nodes: list[UOp] = []  # by slot
        stands: dict[int, Core] = {}
        by_node: dict[UOp, UOp] = {}
        aliases: dict[Alias, Alias] = {}
        for each in self.inputs:
            if id(each.tensor) in stands:
                self._standing.append(stands[id(each.tensor)])
                continue
            node = by_node.get(each.node)
            if node is None:
                node = by_node[each.node] = self._private_node(each)
            uop = each.uop.substitute({each.node: node})
            tensor = each.tensor
            alias = tensor._alias if not each.copied else None
            if alias is not None:
                alias = aliases.setdefault(alias, Alias(alias.base.substitute({each.node: node})))
            stand = tensor._make(uop, tensor._device, alias)
            set_leaf(stand, tensor._requires_grad)
            stand._grad = tensor.grad
            stands[id(tensor)] = stand
            self._standing.append(stand)

    def _private_node(self, argument: Input) -> UOp:
        node = new_buffer(argument.node.dtype, argument.node.arg[1], argument.node.arg[2])
        own = argument.buffer.view(0, argument.buffer.size, argument.buffer.dtype)
        stand_for(node, own)
        if history.any_origin() and history.has_origin(argument.node):
            history.sever(node)
        self._private[own] = len(self._nodes)
        self._nodes.append(node)
        return node

    # ---- what was captured ----------------------------------------------------------------

    def _analyse(self, result: Any, known: set[Buffer], arguments: Arguments) -> None:
        noted = self.recorder
        self._check_changes(result)
        used = {b for item, _ in noted.items for b in item.buffers}
        written = {b for item, _ in noted.items for b in item.written}
        used, written = used | wholes(used), written | wholes(written)
        private = {part for b in self._private for part in (b, *getattr(b, "parts", ()))}
        self.state = {b.base or b for b in used if b in known and b not in private}
        self.written = {b.base or b for b in written if b in known and b not in private}
        self.written_inputs = {self._private[b] for b in written if b in self._private}
        self.slots = dict(self._private)
        self._followed = [
            (weakref.ref(node), time)
            for node, time in noted.followed.items()
            if buffer_of(node) in known and buffer_of(node) not in self._private
        ]
        unseen = [node for node, is_unseen in noted.unseen.items() if is_unseen]
        self._unseen = weakref.WeakSet(unseen)
        self._unseen_slots = [slot for slot, node in enumerate(self._nodes) if node in unseen]
        self.fresh: list[UOp] = []
        self._ids = {id(t): t for t in self._trace.outside()}
        tensors = tensors_in(result)
        self._results = list({id(t): t for t in tensors}.values())
        places = {id(t): place for place, t in enumerate(self._results)}
        self._order = [places[id(t)] for t in tensors]
        self.templates = [self._template(t) for t in self._results]
        self.grads = self._gradients(used)
        self.bounds = IndexBounds(noted.bounds)
        self.constants = [
            (self.slots.get(b), b, data)
            for b, data in noted.data.items()
            if b not in noted.random and (b in written or b in self.slots)
        ]
        self.argument_slots = [self._private[buffer_of(s.uop.base)] for s in self._standing]
        self._check_aliases(arguments, self.argument_slots)
        names = [n.arg[0] for n in self.binds]
        held = {b.base or b for b in [*known_buffers(), *noted.data]}
        items = noted.items
        if arguments.donated:
            items, self.taken = donated_items(self, arguments, self._private, noted, held)
        self.replays = Replay(items, self.slots, names, held)
        self.shared = shared_slots(self.templates)

    def _template(self, tensor: Core) -> TensorTemplate:
        where = next((i for i, s in enumerate(self._standing) if s is tensor), None)
        slots: dict[UOp, int] = {}
        if where is None and id(tensor) not in self._ids:
            for node in memories(tensor.uop):
                buffer = buffer_of(node)
                if node.arg[0] > self._trace.mark:
                    self._slot_of(buffer, node)
                if buffer in self.slots:
                    slots[node] = self.slots[buffer]
        base = tensor.uop.base
        fresh = base.op is Ops.BUFFER and base in slots and slots[base] >= len(self._nodes)
        template = TensorTemplate(
            tensor.uop, tensor._device, type(tensor), slots, tensor._alias, argument=where
        )
        template.same = self._ids.get(id(tensor)) if where is None else None
        template.severed = fresh and history.any_origin() and history.has_origin(base)
        if template.severed:
            history.sever(base)
        below, views = tensor.uop, []
        while below.op is Ops.RESHAPE and len(below.src) == 1:
            views.append(below)
            below = below.src[0]
        alone = below is base and tensor._alias is None and template.same is None
        template.fresh = fresh and alone and where is None and not template.severed
        template.views = tuple(reversed(views))
        return template

    def _gradients(self, used: set[Buffer]) -> list[Any]:
        """Leaves whose gradient changes or is read: leaf, template, slot it is read by, and as
        what: of one without memory kernels have the value inside."""
        gradients: list[Any] = []
        for tensor, *_, old in self._trace.before:
            new, reads, view = tensor._grad, None, None
            if any(tensor is i.tensor for i in self.inputs):
                continue
            if old is not None:
                memory = shown_by(old.uop)
                buffer = buffer_of(memory) if memory is not None else None
                if buffer in used:
                    reads = self._slot_of(buffer, UOp.const(dtypes.u8, 0))  # the replay fills it
                if buffer in used or not memories(old.uop):
                    view = normal(old.uop)
            if new is old and view is None:
                continue
            where = next((i for i, s in enumerate(self._standing) if s is tensor), None)
            template = None if new is None or new is old else self._template(new)
            holder = weakref.ref(tensor) if where is None else where
            gradients.append((holder, new is old, template, old is None, reads, view))
        return gradients

    def _slot_of(self, buffer: Any, node: UOp) -> int:
        """The slot of a memory; of a new one, for which a replay has another, that of a node."""
        if buffer not in self.slots:
            self.slots[buffer] = len(self._nodes) + len(self.fresh)
            self.fresh.append(node)
        return self.slots[buffer]

    # ---- checks ---------------------------------------------------------------------------

    def _check_changes(self, result: Any) -> None:
        place = self.guards.broken()
        instead = "return the value, keep it in a tensor that is assigned to"
        if place is None:
            place, instead = self._passed.broken(), "change a copy of it, and return that"
        del self._passed
        if place is not None:
            problem = f"jit: the function changes {place} while it runs, which a replay "
            if self._owner.strict:
                raise JitError(
                    f"{problem}would not do; {instead}, or let it be with jit(strict=False)"
                )
            warn(f"{problem}does not do")
            self.guards.let_be()
        for tensor in self._trace.outside():
            if _is_noted(tensor, self.recorder.rebound):
                self._owner.refuse_memory(tensor)
        returned = {id(t) for t in tensors_in(result)}
        returned |= {id(t.grad) for t in self._trace.outside() if t.grad is not None}
        self._trace.check_kept(self._owner, lambda tensor: id(tensor) not in returned)

    # ---- the end of the capture -----------------------------------------------------------

    def _finish(self, result: Any) -> None:
        self._structure = rebuilt(result, lambda t: ResultPlace())
        inside = {id(s): i.tensor for i, s in zip(self.inputs, self._standing, strict=True)}
        self._aliases = {
            s._alias: place for place, s in enumerate(self._standing) if s._alias is not None
        }
        for each, stand in zip(self.inputs, self._standing, strict=True):
            each.tensor._grad = stand.grad
        self._keep_apart(inside)
        nodes = list(self._nodes)
        for each, slot in zip(self.inputs, self.argument_slots, strict=True):
            nodes[slot] = each.node
        arguments = [i.tensor for i in self.inputs]
        results = self._result_tensors(arguments, [*nodes, *self.fresh], {})
        self._result = in_order(self._structure, results)
        self._state_tensors = [
            (weakref.ref(t), t.uop, t._requires_grad)
            for t in self._trace.outside()
            if id(t) not in inside and any(buffer_of(n) in self.state for n in memories(t.uop))
        ]
        state = {id(t()) for t, _, _ in self._state_tensors}
        self._leaves = [
            (weakref.ref(t), t._requires_grad)
            for t in self._trace.outside()
            if t._requires_grad and id(t) not in inside and id(t) not in state
        ]
        self._written_nodes = weakref.WeakSet(
            n
            for t in self._trace.outside()
            for n in memories(t.uop)
            if buffer_of(n) in self.written
        )
        self._harmless: weakref.WeakSet[UOp] = weakref.WeakSet()
        self._let_go()

    def _let_go(self) -> None:
        """Keep no memory of the captured call: nodes without memory stand for those it had."""
        kinds = {n: n for n in [*self._nodes, *self.fresh] if n.op is Ops.BUFFER}
        changes = {n: new_buffer(n.dtype, n.arg[1], n.arg[2]) for n in kinds}
        aliases: dict[Alias, Alias] = {}
        grads = [template for _, _, template, _, _, _ in self.grads if template is not None]
        for template in [*self.templates, *grads]:
            template.move(changes, aliases)
        self._aliases = {aliases[a]: at for a, at in self._aliases.items() if a in aliases}
        self._nodes = [changes[n] for n in self._nodes]
        self.fresh = [changes.get(n, n) for n in self.fresh]
        self.spares = Spares(self.fresh)
        self.random = self.recorder.random
        plain = isinstance(self._structure, ResultPlace) and not self.grads and len(self.fresh) == 1
        self.only = self.templates[0] if plain and self.templates[0].fresh else None
        self.inputs = []
        del self._owner, self._trace, self._standing, self._results, self._ids
        del self.recorder, self.slots, self._private

    def _keep_apart(self, inside: Mapping[int, Core]) -> None:
        """Memory of the capture that tensors from outside stand for is copied for them."""
        changes: dict[UOp, UOp] = {}
        apart = inside.keys() | {id(t) for t in self._results}
        for tensor in self._trace.outside():
            if id(tensor) in apart:
                continue
            for node in memories(tensor.uop):
                if node.arg[0] > self._trace.mark and node not in changes:
                    copy = new_buffer(node.dtype, node.arg[1], node.arg[2])
                    for new, old in zip(parts_of(copy), parts_of(node), strict=True):
                        buffer_of(new).copyin(buffer_of(old).numpy())
                    changes[node] = copy
        replace_everywhere(changes)

    def take_result(self) -> Any:
        """What the captured call itself gave, once."""
        result = self._result
        del self._result
        return result
