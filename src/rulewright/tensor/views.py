"""Chains of views: what memory a node shows, and the same views of something else."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rulewright.ir.ops import Ops
from rulewright.ir.shapes import pairs
from rulewright.ir.uop import UOp

VIEWS = Ops.group("View")
_THROUGH = VIEWS | {Ops.EXPAND}
MEMORIES = _THROUGH | {Ops.BUFFER, Ops.AFTER}
"""Ops of what may be memory, or show some."""


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


def unexpanded(view: UOp, base: UOp) -> UOp | None:
    """A view with every axis that it repeats, and cuts to one element again, as it was before; None
    if one stays repeated, so that elements of the view share memory."""
    state: tuple[UOp, frozenset[int]] | None = base, frozenset()
    for each in reversed(chain(view, base)):
        if state is not None:
            state = _seen_once(each, *state)
    return None if state is None or state[1] else state[0]


def _seen_once(each: UOp, node: UOp, wide: frozenset[int]) -> tuple[UOp, frozenset[int]] | None:
    """A view of a node, of which some axes have one element though they are repeated, and which of
    its own axes are such; None if one becomes a part of another axis."""
    old, new = each.src[0].shape or (), each.shape or ()
    if each.op is Ops.EXPAND:
        return node, wide | {a for a, size in enumerate(old) if size == 1 and new[a] != 1}
    if each.op is Ops.PERMUTE:
        return node.permute(each.arg), frozenset([each.arg.index(a) for a in wide])
    if each.op is Ops.SHRINK:
        few = {a: size for a, size in enumerate(new) if isinstance(size, int) and size < 2}
        bounds = enumerate(pairs(each.arg, each.src[1:]))
        cut = tuple([(0, few.get(a, 1)) if a in wide else both for a, both in bounds])
        return node.shrink(cut), wide - few.keys()
    if each.op is Ops.RESHAPE and wide:
        places = {a: _place_of(a, each.src[0].max_shape, each.max_shape) for a in wide}
        kept = frozenset(places.values())
        if -1 in kept:
            return None
        return node.reshape(tuple([1 if a in kept else size for a, size in enumerate(new)])), kept
    if each.op is Ops.PAD and wide:
        return None
    return each.replace(src=(node, *each.src[1:])), wide


def _place_of(axis: int, old: Sequence[int], new: Sequence[int]) -> int:
    """Which axis of a new shape is one of the old shape, with as many elements before it; or -1."""
    before = math.prod(old[:axis])
    return next(
        (a for a, n in enumerate(new) if n == old[axis] and math.prod(new[:a]) == before), -1
    )
