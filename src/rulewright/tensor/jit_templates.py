"""What a replay needs beside its kernels: how results are made again, and what must still hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rulewright.driver.recent import Recent
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.memories import buffer_of
from rulewright.tensor import history
from rulewright.tensor.alias import Alias
from rulewright.tensor.assign import memory_under, part, unshare
from rulewright.tensor.core import Core
from rulewright.tensor.jit_arguments import Input
from rulewright.tensor.nested import rebuilt
from rulewright.tensor.realize import realize
from rulewright.tensor.registry import is_shared, lazy_tensors
from rulewright.tensor.shapes import reaching
from rulewright.tensor.views import memory_of


@dataclass(eq=False)
class TensorTemplate:
    """How one tensor is made again.

    `slots` maps the memories below `uop` that each replay has others for to their slots. A tensor
    that was there before is `same`; the argument at place `argument` is given back itself.
    One that is `fresh` has new memory of its own, looked at through the RESHAPEs of `views`.
    """

    uop: UOp
    device: str | None
    kind: type[Core]
    slots: dict[UOp, int]
    alias: Alias | None = None
    same: Core | None = None
    argument: int | None = None
    severed: bool = False
    fresh: bool = False
    views: tuple[UOp, ...] = ()

    def make(
        self,
        nodes: Sequence[UOp],
        arguments: Sequence[Core],
        binds: Mapping[UOp, UOp],
        aliases: dict[Alias, Alias],
    ) -> Core:
        """The tensor over these memories; tensors that shared memory as views do so again."""
        if self.same is not None:
            return self.same
        if self.argument is not None:
            return arguments[self.argument]
        if self.fresh:
            (place,) = self.slots.values()
            return self.over(nodes[place])
        if self.uop.op is Ops.BUFFER:
            slot = self.slots.get(self.uop)
            node = self.uop if slot is None else nodes[slot]
        else:
            node = self._moved(self.uop, nodes, binds)
        if self.severed:
            history.sever(node.base)
        alias = self.alias
        if alias is None:
            return self.kind._make(node, self.device)
        if alias not in aliases:
            aliases[alias] = Alias(self._moved(alias.base, nodes, binds))
        return self.kind._make(node, self.device, aliases[alias])

    def over(self, node: UOp) -> Core:
        """The tensor over new memory, if it is one that is fresh."""
        for view in self.views:
            node = UOp(view.op, view.dtype, (node,), view.arg)
        return self.kind._over(node, self.device, None)

    def move(self, changes: dict[UOp, UOp], aliases: dict[Alias, Alias]) -> None:
        """Stand on other nodes from now on; aliases, of which `aliases` are known, likewise."""
        self.uop = self.uop.substitute(changes)
        self.views = tuple([view.substitute(changes) for view in self.views])
        self.slots = {changes.get(n, n): slot for n, slot in self.slots.items()}
        if self.alias is not None:
            if self.alias not in aliases:
                aliases[self.alias] = self.alias.__class__(self.alias.base.substitute(changes))
            self.alias = aliases[self.alias]

    def _moved(self, uop: UOp, nodes: Sequence[UOp], binds: Mapping[UOp, UOp]) -> UOp:
        return uop.substitute({**{n: nodes[s] for n, s in self.slots.items()}, **binds})


def memories(uop: UOp) -> list[UOp]:
    """The BUFFER nodes below a node."""
    if uop.op is Ops.BUFFER:
        return [uop]
    return [n for n in uop.toposort() if n.op is Ops.BUFFER]


def shared_slots(templates: Sequence[TensorTemplate]) -> list[int]:
    """The slots of memories that several results stand for which are no views of each other."""
    owner: dict[int, object] = {}
    shared = []
    for template in templates:
        for slot in template.slots.values():
            who = template.alias or template
            if owner.setdefault(slot, who) is not who:
                shared.append(slot)
    return shared


def root_buffer(node: UOp) -> Buffer:
    """The buffer of a BUFFER node, or the one that it is a part of."""
    buffer = buffer_of(node)
    return buffer.base or buffer


def release(inputs: Iterable[Input]) -> None:
    """Let nothing else depend on the memory of arguments that will be written."""
    by_node = {i.node: i for i in inputs}
    roots = {i.root for i in by_node.values()}
    lazy = [t for t in lazy_tensors() if memory_of(t.uop) is not t.uop.base]
    nodes = UOp.sink(*[t.uop for t in lazy]).toposort()
    read = {n for n in nodes if n.op is Ops.BUFFER and root_buffer(n) in roots}
    reading = reaching([t.uop for t in lazy], read, lambda n: True) if read else set()
    dependent = [t for t in lazy if t.uop in reading]
    if dependent:
        realize(dependent)
    for node in [n for n in by_node if is_shared(n)]:
        unshare(by_node[node].tensor, node)
        realize([t for t in lazy_tensors() if node in t.uop.toposort()])


def settle(tensors: Sequence[Core]) -> None:
    """Let tensors that a function may read and write have their values in memory of their own, as
    one that runs often finds them. Constants stay: kernels have them inside."""
    realize([t for t in tensors if memories(t.uop)])
    for memory in dict.fromkeys(map(memory_under, tensors)):
        if memory is not None and is_shared(memory):
            part(memory)
            realize([t for t in lazy_tensors() if memory in t.uop.toposort()])


class ResultPlace:
    """Where a tensor stands in the structure of a result."""


def in_order(structure: Any, tensors: list[Core]) -> Any:
    """The structure with tensors, in order, in its places."""
    if structure.__class__ is ResultPlace:
        return tensors[0]
    rest = iter(tensors)
    return rebuilt(structure, lambda _: next(rest), ResultPlace)


class IndexBounds:
    """Index expressions that were 0 or more in a capture, and must be so at other values too."""

    def __init__(self, gaps: Iterable[UOp]) -> None:
        self._gaps = [_unbound(gap) for gap in dict.fromkeys(gaps)]
        self._names = sorted({n.arg[0] for gap in self._gaps for n in _variables(gap)})
        self._known: Recent[tuple[int, ...], bool] = Recent(_MOST_VALUES)

    def hold(self, values: Mapping[str, int]) -> bool:
        """Whether they are 0 or more at these values of the variables."""
        if not self._gaps:
            return True
        key = tuple([values[name] for name in self._names if name in values])
        known = self._known.get(key)
        if known is None:
            known = all(_least(gap, values) >= 0 for gap in self._gaps)
            self._known.put(key, known)
        return known


_MOST_VALUES = 4096


def _variables(gap: UOp) -> list[UOp]:
    return [n for n in gap.toposort() if n.op is Ops.VAR]


def _unbound(gap: UOp) -> UOp:
    return gap.substitute({n: n.src[0] for n in gap.toposort() if n.op is Ops.BIND})


def _least(gap: UOp, values: Mapping[str, int]) -> int:
    known = {n: UOp.index_const(values[n.arg[0]]) for n in _variables(gap) if n.arg[0] in values}
    return int(gap.substitute(known).simplify().vmin)
