"""In which order of axes a staged value lies in memory: as it is read, if it is made that way too.

Images with channels last are such: windows that slide over them want an image with channels first,
and go on from channel to channel nevertheless.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.facts import MEMORY, elements
from rulewright.schedule.requests import Request, innermost, without_validity

_STORED = Ops.group("Stored")
_ALIKE = (Ops.PAD, Ops.SHRINK, Ops.FLIP)


def memory_order(node: UOp, asked: Sequence[Request]) -> tuple[int, ...]:
    """The axes of a staged value in memory, the outermost first.

    They are in order, unless everyone who asks goes on along another axis than the last, and what
    the value is made of does so too, or each element is read many times, as padding is by windows.
    """
    axes = tuple(range(len(node.shape or ())))
    if len(axes) < 2 or node.shape != node.max_shape or node.op in _STORED:
        return axes
    wanted = {_asked_along(request) for request in asked}
    axis = wanted.pop()
    if wanted or axis is None or axis == axes[-1]:
        return axes
    fits = node.op is Ops.PAD or _read_along(node) == axis
    return (*(a for a in axes if a != axis), axis) if fits else axes


def _asked_along(request: Request) -> int | None:
    """The one axis along which neighbours that are stored ask for elements."""
    if not request.root.loops:
        return None
    last, indices = innermost(request.root.loops), map(without_validity, request.indices)
    along = [axis for axis, index in enumerate(indices) if last in index.ranges]
    return along[0] if len(along) == 1 and len(request.roots) == 1 else None


def _read_along(node: UOp) -> int | None:
    """The axis along which what a value is made of has its neighbours, by its largest operand."""
    axes = list(range(len(node.shape or ())))
    while node.op not in MEMORY:
        if node.op is Ops.PERMUTE:
            axes = [axes[node.arg.index(axis)] for axis in range(len(axes))]
        elif not node.op.elementwise and node.op not in _ALIKE:
            return None
        node = max(node.src, key=elements)
    wide = [axis for axis, size in zip(axes, node.max_shape, strict=True) if size > 1]
    return wide[-1] if wide else None
