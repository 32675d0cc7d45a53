"""Repeated elements: what is computed of them alone is computed before they are repeated."""

from __future__ import annotations

from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp


def repeated_after(node: UOp) -> UOp | None:
    """An elementwise node whose operands all repeat along some axes, as an EXPAND of the same node
    without those repeats; None if there is no such axis."""
    shape = node.shape or ()
    shaped = [s for s in node.src if s.shape]
    if not shaped or any(s.op is not Ops.EXPAND for s in shaped):
        return None
    dead = [i for i, size in enumerate(shape) if size != 1 and all(_repeats(s, i) for s in shaped)]
    if not dead:
        return None
    once = tuple(1 if i in dead else size for i, size in enumerate(shape))
    return node.replace(src=tuple(_narrow(s, once) for s in node.src)).expand(shape)


def _repeats(node: UOp, axis: int) -> bool:
    return (node.src[0].shape or ())[axis] == 1


def _narrow(node: UOp, shape: tuple[Dim, ...]) -> UOp:
    if not node.shape:
        return node
    inner = node.src[0]
    return inner if inner.shape == shape else inner.expand(shape)
