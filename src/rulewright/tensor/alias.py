"""What tensors have in common that are views of one memory."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ref

from rulewright.ir.uop import UOp
from rulewright.tensor import forwarding

if TYPE_CHECKING:
    from rulewright.tensor.core import Core


class Alias:
    """What tensors have in common that are views of one memory (or will be, once it exists).

    `base` is the node of that memory, on which all the views stand. What was computed since
    becomes memory in it when one of them is looked at; `_seen` is the newest change of that kind
    that did.
    """

    __slots__ = ("__weakref__", "_links", "_seen", "base")

    def __init__(self, base: UOp) -> None:
        self.base = base
        self._seen = forwarding.newest
        self._links: dict[int, _ViewReference] = {}

    def add(self, tensor: Core) -> None:
        """Count a tensor among the views, for as long as it is one."""
        link = _ViewReference(tensor, _forget)
        link.place, link.alias = id(tensor), ref(self)
        self._links[link.place] = link

    def views(self) -> list[Core]:
        """The live tensors that are views of the memory, in the order in which they became that."""
        tensors = [link() for link in list(self._links.values())]  # one step, as others make views
        return [tensor for tensor in tensors if tensor is not None and tensor._alias is self]


class _ViewReference(ref):
    """A weak reference to a view, its place in the list of its alias, and that alias."""

    __slots__ = ("alias", "place")
    alias: ref[Alias]
    place: int


def _forget(dead: _ViewReference) -> None:
    alias = dead.alias()
    if alias is not None and alias._links.get(dead.place) is dead:
        del alias._links[dead.place]
