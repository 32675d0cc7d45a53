"""Tensors that a replay gives back: made again over new memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor import history

if TYPE_CHECKING:
    from rulewright.tensor.core import Alias, Core


@dataclass(eq=False)
class Template:
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
            from rulewright.tensor.core import Alias

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


def shared_slots(templates: Sequence[Template]) -> list[int]:
    """The slots of memories that several results stand for which are no views of each other."""
    owner: dict[int, object] = {}
    found = []
    for template in templates:
        for slot in template.slots.values():
            who = template.alias or template
            if owner.setdefault(slot, who) is not who:
                found.append(slot)
    return found
