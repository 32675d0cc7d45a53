"""A range done in two parts, so that the first has a size that can be cut evenly."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp


def split_tail(ast: UOp, axis: UOp, count: Dim, ids: Sequence[int]) -> UOp:
    """`ast` with the values of `axis` below `count` and those from it on in separate loops.

    A reduced axis gives two reductions, combined by the same op; a parallel one two stores.
    """
    first = UOp.range(count, ids[0], axis.arg[1])
    rest_size = axis.size - count
    rest = UOp.range(rest_size, ids[1], axis.arg[1])
    parts = ({axis: first}, {axis: rest + UOp.index_const(count)})
    done: dict[UOp, UOp] = {}
    for node in ast.toposort():
        src = tuple(done[s] for s in node.src)
        same = node if src == node.src else UOp(node.op, node.dtype, src, node.arg)
        if axis not in node.src[1:]:
            done[node] = same
        elif node.op is Ops.REDUCE:
            both = [_swap(same, axis, p, r) for p, r in zip(parts, (first, rest), strict=True)]
            done[node] = both[0].alu(node.arg, both[1])
        else:
            done[node] = same
    effects: list[UOp] = []
    for effect in done[ast].src:
        if effect.op is Ops.END and axis in effect.src[1:]:
            both = [_swap(effect, axis, p, r) for p, r in zip(parts, (first, rest), strict=True)]
            effects += both
        else:
            effects.append(effect)
    return UOp.sink(*effects, info=ast.arg)


def _swap(node: UOp, axis: UOp, part: dict[UOp, UOp], loop: UOp) -> UOp:
    """A REDUCE or END over `axis` done over one part of it."""
    ranges = tuple(loop if r is axis else r for r in node.src[1:])
    return UOp(node.op, node.dtype, (node.src[0].substitute(part), *ranges), node.arg)
