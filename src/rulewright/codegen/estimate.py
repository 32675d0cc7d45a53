"""How much work a kernel does, told from its graph before any choice is made."""

from __future__ import annotations

from rulewright.codegen.program import Estimates
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim, as_dim
from rulewright.ir.uop import UOp


def trips(ranges: tuple[UOp, ...]) -> Dim:
    """How often something in all these loops runs; at most, if the end of one hangs on another, or
    on what is read."""
    count: Dim = 1
    for axis in ranges:
        end = axis.src[0]
        if end.op is Ops.CONST:
            count = count * int(end.arg)
            continue
        hangs = end.ranges or any(node.op is Ops.INDEX for node in end.toposort())
        count = count * (int(end.vmax) if hangs else axis.size)
    return count


def flops(sink: UOp) -> Dim:
    """Operations on elements: an elementwise op counts 1 an element, MULACC 2, a REDUCE 1 a step.

    Index arithmetic is not counted.
    """
    total: Dim = 0
    for node in value_nodes(sink):
        if node.op is Ops.REDUCE:
            total = total + trips((*node.ranges, *node.src[1:]))
        elif node.op.elementwise and node.op not in (Ops.CAST, Ops.BITCAST):
            total = total + trips(node.ranges) * (2 if node.op is Ops.MULACC else 1)
    return total if isinstance(total, int) else as_dim(total)


def work(sink: UOp) -> Dim:
    """Operations on elements, or elements stored where those are more: a copy computes nothing."""
    stores = [n for n in sink.toposort() if n.op is Ops.STORE]
    stored: Dim = sum(trips(store.src[0].src[1].ranges) for store in stores)
    computed = flops(sink)
    if isinstance(computed, int) and isinstance(stored, int):
        return max(computed, stored)
    return as_dim(computed + stored)


def value_nodes(sink: UOp) -> list[UOp]:
    """The nodes that compute values, without what only computes an index."""
    nodes: dict[UOp, None] = {}
    stack = [sink]
    while stack:
        node = stack.pop()
        if node in nodes:
            continue
        nodes[node] = None
        few = node.op in (Ops.INDEX, Ops.END, Ops.REDUCE)
        stack += node.src[:1] if few else node.src
    return list(nodes)


def estimate(sink: UOp) -> Estimates:
    """Work of one run: each element that is read or written is moved once."""
    moved: dict[tuple[UOp, bool], Dim] = {}
    stores = {n.src[0] for n in sink.toposort() if n.op is Ops.STORE}
    for node in sink.toposort():
        if node.op is Ops.INDEX:
            memory = node.src[0].base
            count = _least(trips(node.src[1].ranges), memory.size)
            key = (memory, node in stores)
            moved[key] = _most(moved.get(key, 0), count)
    total: Dim = sum(count * memory.dtype.itemsize for (memory, _), count in moved.items())
    return Estimates(flops(sink), total if isinstance(total, int) else as_dim(total))


def _least(a: Dim, b: Dim) -> Dim:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else a


def _most(a: Dim, b: Dim) -> Dim:
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else b
