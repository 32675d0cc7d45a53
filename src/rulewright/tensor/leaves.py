"""Leaves of the derivative: tensors that `backward()` gives a gradient."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from rulewright.errors import DTypeError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.assign import memory_of, own_memory
from rulewright.tensor.nodes import reaching
from rulewright.tensor.registry import live_tensors

if TYPE_CHECKING:
    from rulewright.tensor.core import Core


def make_leaf(tensor: Core) -> None:
    """Give a tensor a node that no other tensor's value equals, so that it can be told apart.

    Equal constants are one node: without this, two weights that begin as ones would share a
    gradient. A tensor that depends on other leaves stays as it is: gradients pass through it.
    """
    if not tensor.dtype.is_float:
        raise DTypeError(
            f"requires_grad: only floats have gradients, this tensor holds {tensor.dtype.name}"
        )
    if memory_of(tensor.uop) is None and not depending([tensor.uop], leaf_nodes()):
        tensor.uop = own_memory(tensor.uop, tensor.device)
        if tensor._alias is not None:
            tensor._alias.base = tensor.uop


def leaf_nodes() -> set[UOp]:
    """The nodes of all live tensors that require a gradient."""
    return {t.uop for t in live_tensors() if t._requires_grad}


def depending(roots: Iterable[UOp], leaves: Container[UOp]) -> set[UOp]:
    """The nodes of some graphs from which a gradient could flow to one of `leaves`."""
    return reaching(roots, leaves, lambda n: n not in leaves and n.op is not Ops.DETACH)
