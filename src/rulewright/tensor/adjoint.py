"""Adjoints of movement ops and stores: the externs of `spec/55-gradient/`.

The adjoint of a movement takes a gradient of its result to one of its source: what was cut off
gets zero, what was padded is dropped, what was repeated is summed.
"""

from __future__ import annotations

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import pairs
from rulewright.ir.uop import UOp
from rulewright.tensor.assign import unmoved, view_chain
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.nodes import node_broadcast_to
from rulewright.tensor.registry import rebased


def unreshape(y: UOp, g: UOp) -> UOp:
    """The gradient in the shape of the source."""
    return g.reshape(y.src[0].shape or ())


def unpermute(y: UOp, g: UOp) -> UOp:
    """The gradient with axes back in their places."""
    return g.permute(tuple(y.arg.index(i) for i in range(len(y.arg))))


def unpad(y: UOp, g: UOp) -> UOp:
    """The part of the gradient that is not padding."""
    shape = y.src[0].shape or ()
    pads = pairs(y.arg, y.src[1:])
    return g.shrink(tuple((lo, lo + size) for size, (lo, _) in zip(shape, pads, strict=True)))


def unshrink(y: UOp, g: UOp) -> UOp:
    """The gradient with zeros where the source was cut off."""
    shape = y.src[0].shape or ()
    bounds = pairs(y.arg, y.src[1:])
    return g.pad(tuple((lo, size - hi) for size, (lo, hi) in zip(shape, bounds, strict=True)))


def unexpand(y: UOp, g: UOp) -> UOp:
    """The gradient summed over the axes that were repeated; narrow floats in float32."""
    old, new = y.src[0].shape or (), y.shape or ()
    axes = tuple(i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a == 1 and b != 1)
    if not axes:
        return g
    kind = accumulator(g.dtype)
    return UOp(Ops.REDUCE_AXIS, kind, (g.cast(kind),), (Ops.ADD, axes)).cast(g.dtype)


def expand_like(x: UOp, value: UOp) -> UOp:
    """A reduced value repeated to the shape of x, what was reduced."""
    return value.expand(x.shape or ())


def outside_view(memory: UOp, view: UOp, g: UOp) -> UOp:
    """The gradient of a memory with zeros where a view of it shows."""
    inside = node_broadcast_to(UOp.const(dtypes.bool, True), view.shape or ())
    for node in view_chain(view, memory):
        inside = unmoved(node, inside)
    return inside.where(UOp.const(g.dtype, 0), g)


def inside_view(memory: UOp, view: UOp, g: UOp) -> UOp:
    """What a view of a memory shows of the memory's gradient."""
    return rebased(view, memory, g)
