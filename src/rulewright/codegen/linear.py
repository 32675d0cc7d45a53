"""Index expressions as linear forms: which range steps memory by how many elements."""

from __future__ import annotations

from dataclasses import dataclass

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


@dataclass(frozen=True)
class Linear:
    """`constant + sum(coefficient * range) + opaque parts`.

    `opaque` holds the ranges that also occur in a way that is not linear: under a division, in a
    gate, or times a symbolic size.
    """

    constant: int
    strides: dict[UOp, int]
    opaque: frozenset[UOp]

    def stride(self, axis: UOp) -> int | None:
        """Elements that one step of `axis` moves; 0 if it does not occur, None if not linear."""
        return None if axis in self.opaque else self.strides.get(axis, 0)

    def uses(self, axis: UOp) -> bool:
        """Whether the index depends on `axis`."""
        return axis in self.opaque or self.strides.get(axis, 0) != 0


def linear(index: UOp) -> Linear:
    """The linear form of an index expression; a gate `WHERE(valid, i, INVALID)` is opaque."""
    constant = 0
    strides: dict[UOp, int] = {}
    opaque: dict[UOp, None] = {}
    stack = [(index, 1)]
    while stack:
        node, factor = stack.pop()
        if node.op is Ops.CONST:
            constant += factor * node.arg
        elif node.op is Ops.RANGE:
            strides[node] = strides.get(node, 0) + factor
        elif node.op is Ops.ADD:
            stack += [(node.src[0], factor), (node.src[1], factor)]
        elif node.op is Ops.SUB:
            stack += [(node.src[0], factor), (node.src[1], -factor)]
        elif node.op is Ops.MUL and node.src[1].op is Ops.CONST:
            stack.append((node.src[0], factor * node.src[1].arg))
        elif node.op is Ops.MUL and node.src[0].op is Ops.CONST:
            stack.append((node.src[1], factor * node.src[0].arg))
        elif node.op is Ops.WHERE and node.src[2].op is Ops.INVALID:
            opaque.update(dict.fromkeys(node.src[0].ranges))
            stack.append((node.src[1], factor))
        else:
            opaque.update(dict.fromkeys(node.ranges))
    return Linear(constant, strides, frozenset(opaque))
