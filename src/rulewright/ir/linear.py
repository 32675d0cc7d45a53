"""Index expressions as linear forms: which range steps memory by how many elements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


@dataclass(frozen=True)
class LinearForm:
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


@lru_cache(maxsize=1024)
def linear(index: UOp) -> LinearForm:
    """The linear form of an index expression; a gate `WHERE(valid, i, INVALID)` is opaque."""
    constant = 0
    strides: dict[UOp, int] = {}
    opaque: dict[UOp, None] = {}
    factors = {index: 1}
    for node in reversed(index.toposort()):  # what uses a node comes before it
        factor = factors.get(node)
        if factor is None:
            continue
        if node.op is Ops.CONST:
            constant += factor * node.arg
        elif node.op is Ops.RANGE:
            strides[node] = factor
        elif parts := _summands(node):
            for part, times in parts:
                factors[part] = factors.get(part, 0) + factor * times
            if node.op is Ops.WHERE:
                opaque.update(dict.fromkeys(node.src[0].ranges))
        else:
            opaque.update(dict.fromkeys(node.ranges))
    return LinearForm(constant, strides, frozenset(opaque))


def _summands(node: UOp) -> list[tuple[UOp, int]]:
    """The operands that a node is a sum of, with their factors; none for what is no sum."""
    first, second = (*node.src, node, node)[:2]
    if node.op is Ops.ADD:
        return [(first, 1), (second, 1)]
    if node.op is Ops.SUB:
        return [(first, 1), (second, -1)]
    if node.op is Ops.MUL and second.op is Ops.CONST:
        return [(first, second.arg)]
    if node.op is Ops.MUL and first.op is Ops.CONST:
        return [(second, first.arg)]
    if node.op is Ops.WHERE and node.src[2].op is Ops.INVALID:
        return [(second, 1)]
    return []
