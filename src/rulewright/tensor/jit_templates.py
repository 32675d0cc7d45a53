"""Tensors that a replay gives back: made again over new memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor import engine, history

if TYPE_CHECKING:
    from rulewright.tensor.core import Alias, Core


@dataclass(eq=False)
class Template:
    """How one tensor is made again.

    `slots` maps the memories below `uop` that each replay has others for to their slots. A tensor
    that was there before is `same`; the argument at place `argument` is given back itself.
    One that is `fresh` is all of its new memory, and no view.
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
            return self.kind._over(nodes[self.slots[self.uop]], self.device, None)
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

    def _moved(self, uop: UOp, nodes: Sequence[UOp], binds: Mapping[UOp, UOp]) -> UOp:
        return uop.substitute({**{n: nodes[s] for n, s in self.slots.items()}, **binds})


def memories(uop: UOp) -> list[UOp]:
    """The BUFFER nodes below a node."""
    if uop.op is Ops.BUFFER:
        return [uop]
    return [n for n in uop.toposort() if n.op is Ops.BUFFER]


def mark_shared(templates: Sequence[Template], nodes: Sequence[UOp]) -> None:
    """Note memories that several results stand for which are no views of each other."""
    owner: dict[int, object] = {}
    for template in templates:
        for slot in template.slots.values():
            who = template.alias or template
            if owner.setdefault(slot, who) is not who:
                engine.shared.add(nodes[slot])
