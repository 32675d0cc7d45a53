"""Which memory a kernel writes past the caches."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render.target import Target
from rulewright.render.usage import strip


def streamed(nodes: Iterable[UOp], target: Target) -> frozenset[UOp]:
    """The PARAMs that are only written, and larger than the target's limit `stream_memory`."""
    least = target.limit("stream_memory")
    if least is None:
        return frozenset()
    written: set[UOp] = set()
    read: set[UOp] = set()
    for node in nodes:
        for at, source in enumerate(node.src):
            place = strip(source)
            if place.op is not Ops.INDEX:
                continue
            (written if node.op is Ops.STORE and at == 0 else read).add(strip(place.src[0]).base)
    large = (m for m in written - read if m.op is Ops.PARAM)
    return frozenset(m for m in large if prod(m.arg[1]) * m.dtype.itemsize >= least)
