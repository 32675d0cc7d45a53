"""Which memory a kernel writes past the caches."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render.target import Target
from rulewright.render.usage import strip


def streamed(nodes: Sequence[UOp], target: Target) -> frozenset[UOp]:
    """The PARAMs that are only written, of at least `stream_memory` bytes, a target's limit."""
    least = target.limit("stream_memory")
    if least is None:
        return frozenset()
    places = (strip(node.src[0]) for node in nodes if node.op is Ops.STORE)
    written = {strip(place.src[0]).base for place in places if place.op is Ops.INDEX}
    large = frozenset(
        m for m in written if m.op is Ops.PARAM and prod(m.arg[1]) * m.dtype.itemsize >= least
    )
    if not large:
        return large  # as in nearly every kernel: nobody looks for reads
    taken = (strip(s) for n in nodes for s in (n.src[1:] if n.op is Ops.STORE else n.src))
    return large.difference(strip(n.src[0]).base for n in taken if n.op is Ops.INDEX)
