"""Results of reductions put near by before they are stored.

A tile of results is computed in the order that suits its reduction, and stored in the order that
suits memory: with `hold` these are two nests of loops, with the tile in memory between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp


def hold(sink: UOp, first: UOp, others: Sequence[UOp], ids: Sequence[int]) -> UOp:
    """`sink` with reductions along all of these axes staged over two ranges of these ids.

    One has the size of `first`, the other is flat over `others`. Raises UsageError if no reduction
    depends on all of them, or if a size is symbolic.
    """
    axes = (first, *others)
    names = ", ".join(f"r{axis.arg[0]}" for axis in axes)
    sizes = [axis.size for axis in axes]
    if not all(isinstance(size, int) for size in sizes) or not others:
        raise UsageError(f"axis choices: hold({names}) needs two or more ranges of known sizes")
    found = [n for n in sink.toposort() if n.op is Ops.REDUCE and set(axes) <= set(n.ranges)]
    if not found:
        raise UsageError(f"axis choices: no reduction depends on all of {names}")
    each = UOp.range(first.size, ids[0], "loop")
    flat = UOp.range(prod(int(size) for size in sizes[1:]), ids[1], "loop")
    swap, place, rest = {first: each}, UOp.index_const(0), flat
    for axis in reversed(others):
        size = int(axis.size)
        swap[axis] = rest if axis is others[0] else rest % size
        rest = rest // size
    for axis in others:
        place = axis if axis is others[0] else place * int(axis.size) + axis
    changes = {}
    for node in found:
        own = rewrite(node.substitute(swap), "symbolic")
        changes[node] = UOp(Ops.STAGE, node.dtype, (own, each, flat), "reg").index(first, place)
    return sink.substitute(changes)
