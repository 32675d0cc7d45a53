"""Chains of views: what memory a node shows, and the same views of something else."""

from __future__ import annotations

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

VIEWS = Ops.group("View")
_THROUGH = VIEWS | {Ops.EXPAND}


def memory_of(node: UOp) -> UOp | None:
    """The BUFFER, or AFTER of one, that a chain of views shows; None for a computed value."""
    while node.op in VIEWS:
        node = node.src[0]
    is_memory = node.op is Ops.BUFFER or (node.op is Ops.AFTER and node.base.op is Ops.BUFFER)
    return node if is_memory else None


def shown_by(node: UOp) -> UOp | None:
    """`memory_of`, and of what only repeats memory too: nothing is stored for such a value."""
    return memory_of(below_views(node))


def below_views(node: UOp) -> UOp:
    """What a node shows some elements of, each as often as it likes."""
    while node.op in _THROUGH:
        node = node.src[0]
    return node


def chain(view: UOp, base: UOp) -> list[UOp]:
    """The nodes from a view down to, and without, what it views."""
    views = []
    while view is not base:
        views.append(view)
        view = view.src[0]
    return views


def rebased(view: UOp, old: UOp, new: UOp) -> UOp:
    """A chain of views of `old` as the same views of `new`."""
    for node in reversed(chain(view, old)):
        new = node.replace(src=(new, *node.src[1:]))
    return new
