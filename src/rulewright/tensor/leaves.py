"""Leaves of the derivative: tensors that `backward()` gives a gradient."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from rulewright.errors import DTypeError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.assign import memory_of, memory_under, move_out
from rulewright.tensor.nodes import reaching
from rulewright.tensor.registry import live_tensors, rebased

if TYPE_CHECKING:
    from rulewright.tensor.core import Core

LEAF = 1  # gradients end here: it is what it was set to, whatever that was computed from
BETWEEN = 2  # gradients pass through: the tensor depends on leaves


def make_leaf(tensor: Core) -> int:
    """Give a tensor a node that no other tensor's value equals, so that it can be told apart.

    Equal constants are one node: without this, two weights that begin as ones would share a
    gradient. A tensor that depends on other leaves stays as it is: gradients pass through it.
    """
    from rulewright.tensor.history import depends

    if not tensor.dtype.is_float:
        raise DTypeError(
            f"requires_grad: only floats have gradients, this tensor holds {tensor.dtype.name}"
        )
    if depends(tensor.uop):
        return BETWEEN
    if memory_under(tensor) is None:
        move_out(tensor)
    return LEAF


def leaf_nodes() -> set[UOp]:
    """The nodes of all live tensors that require a gradient, now and before they were written."""
    return {n for t in live_tensors() if t._requires_grad for n in [t.uop, *_versions(t.uop)]}


def ends() -> set[UOp]:
    """Those of `leaf_nodes` at which gradients end."""
    live = live_tensors()
    return {n for t in live if t._requires_grad == LEAF for n in [t.uop, *_versions(t.uop)]}


def _versions(uop: UOp) -> list[UOp]:
    memory = memory_of(uop)
    found = []
    while memory is not None and memory.op is Ops.AFTER:
        memory = memory.src[0]
        found.append(memory)
    return found


def as_before(uop: UOp, older: Iterable[UOp]) -> list[UOp]:
    """A view of memory as the same view of what stands for older contents of the memory."""
    memory = memory_of(uop)
    return [] if memory is None else [rebased(uop, memory, node) for node in older]


def depending(roots: Iterable[UOp], leaves: Container[UOp]) -> set[UOp]:
    """The nodes of some graphs from which a gradient could flow to one of `leaves`."""
    return reaching(roots, leaves, lambda n: n not in leaves and n.op is not Ops.DETACH)
