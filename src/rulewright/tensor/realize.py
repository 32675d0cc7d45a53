"""Realising: from nodes to memory that holds their values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor import engine, history
from rulewright.tensor.assign import memory_of, own_memory
from rulewright.tensor.registry import live_tensors, lock, replace_everywhere

if TYPE_CHECKING:
    from rulewright.tensor.core import Core

_KEEP_SIZE = frozenset({Ops.RESHAPE, Ops.PERMUTE, Ops.FLIP, Ops.EXPAND, Ops.DETACH})


class Plan:
    """What realising some tensors needs: stores to run, and the memory that nodes become."""

    def __init__(self, tensors: Sequence[Core]) -> None:
        self.fresh: dict[UOp, UOp] = {}  # computed node -> AFTER(new buffer, its store)
        self.effects: dict[UOp, None] = {}  # what the SINK holds, in order
        self._add(tensors)
        while True:
            late = self._endangered()
            if not late:
                break
            self._add(late)

    @property
    def sink(self) -> UOp:
        """The graph of stores."""
        return UOp.sink(*self.effects)

    def _add(self, tensors: Iterable[Core]) -> None:
        for tensor in tensors:
            node = tensor.uop
            memory = memory_of(node)
            if memory is not None:
                if memory.op is Ops.AFTER:
                    self.effects[memory] = None
                continue
            while node.op in _KEEP_SIZE:
                node = node.src[0]
            memory = memory_of(node)
            if memory is not None and memory.op is Ops.AFTER:
                self.effects[memory] = None
            if memory is None and node.op is not Ops.CONST and node not in self.fresh:
                made = self.fresh[node] = own_memory(node, tensor.device)
                self.effects[_after(made).src[1]] = None

    def _endangered(self) -> list[Core]:
        """Live tensors whose value needs memory as it was before one of the stores."""
        afters = {n for n in self.sink.toposort() if n.op is Ops.AFTER}
        old = {a.src[0] for a in afters if engine.is_written(a.base)}
        if not old:
            return []
        found = []
        for tensor in live_tensors():
            node = tensor.uop
            if node.op is Ops.BUFFER or node in self.fresh or memory_of(node) in afters:
                continue
            if any(n in old for n in node.toposort(lambda n: n not in afters)):
                found.append(tensor)
        return [t for t in found if not self._has(t.uop)]

    def _has(self, node: UOp) -> bool:
        while node.op in _KEEP_SIZE:
            node = node.src[0]
        return node in self.fresh

    def changes(self) -> dict[UOp, UOp]:
        """What every node becomes once the stores have run."""
        found = {node: _without_effects(made) for node, made in self.fresh.items()}
        for node in self.sink.toposort():
            if node.op is Ops.AFTER:
                found[node] = _without_effects(node)
        return found


def _after(made: UOp) -> UOp:
    while made.op is not Ops.AFTER:
        made = made.src[0]
    return made


def _without_effects(node: UOp) -> UOp:
    """Memory, or a view of it, as it is once everything has happened."""
    if node.op is Ops.AFTER:
        return _without_effects(node.src[0])
    if node.op is Ops.BUFFER:
        return node
    return node.replace(src=(_without_effects(node.src[0]), *node.src[1:]))


def realize(tensors: Sequence[Core]) -> None:
    """Compute tensors, and whatever needs memory that they overwrite.

    If anything fails, every tensor stays what it was.
    """
    with lock:
        plan = Plan(tensors)
        sink = plan.sink
        if not sink.src:
            return
        kept = history.differentiable(plan.fresh)
        changes = plan.changes()
        stores = [n for n in sink.toposort() if n.op is Ops.AFTER]
        overwritten = [a.base for a in stores if engine.is_written(a.base)]
        engine.run(sink)
        history.remember(kept, changes, overwritten)
        replace_everywhere(changes)
        _note_shared({memory.base for memory in changes.values()})


def _note_shared(memories: set[UOp]) -> None:
    """Mark memory that tensors share though neither is a view of the other."""
    owner: dict[UOp, object] = {}
    for tensor in live_tensors():
        memory = memory_of(tensor.uop)
        if memory in memories:
            who = tensor._alias or tensor
            if owner.setdefault(memory, who) is not who:
                engine.shared.add(memory)
