"""Index arithmetic gets a machine type: as narrow as the target likes, as wide as needed."""

from __future__ import annotations

from typing import Any

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.origins import rebuild
from rulewright.ir.uop import UOp


def index_dtype(sink: UOp, target: Any) -> DType:
    """i32 if the target prefers it and every index and size of the kernel fits, else i64."""
    if target.limit("index_bits") != 32:
        return dtypes.i64
    low, high = dtypes.i32.min, dtypes.i32.max
    for node in sink.toposort():
        if node.dtype is dtypes.index and node.op.name != "INVALID":
            bounds = node.interval
            if bounds.lo < low or bounds.hi > high:
                return dtypes.i64
    return dtypes.i32


def lower_indices(sink: UOp, ctx: Any) -> UOp:
    """The kernel with every `index` value made i32 or i64."""
    chosen = index_dtype(sink, ctx.target)
    index = dtypes.index
    return rebuild(sink, lambda n, src: UOp(n.op, chosen, src, n.arg) if n.dtype is index else None)
