"""A sorting network on the last axis: the same comparisons whatever the values.

K. E. Batcher, "Sorting networks and their applications", AFIPS 1968: sorted blocks are merged to
blocks of twice the size. Each step is one pass over memory, log2(n) * (log2(n) + 1) / 2 in all.
"""

from __future__ import annotations

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.nodes import node_iota


def sorted_words(words: UOp) -> UOp:
    """The last axis of a u64 node in rising order; its size is known and not 0."""
    *lead, count = words.shape or ()
    assert isinstance(count, int)
    size = 1 << (count - 1).bit_length()
    beyond = node_iota(size, len(lead), (*lead, size)) < UOp.index_const(count)
    pads = (*((0, 0) for _ in lead), (0, size - count))
    found = beyond.where(words.pad(pads), UOp.const(dtypes.u64, dtypes.u64.max))
    block = 2
    while block <= size:
        found = _compared(found, block // 2, mirrored=True)
        half = block // 4
        while half:
            found = _compared(found, half, mirrored=False)
            half //= 2
        block *= 2
    return found.shrink((*((0, s) for s in lead), (0, count)))


def _compared(words: UOp, half: int, mirrored: bool) -> UOp:
    """Pairs in order: elements `half` apart, or as far from the middle of 2 * half elements."""
    shape = words.shape or ()
    pairs = words.reshape((*shape[:-1], -(-int(shape[-1]) // (2 * half)), 2, half))
    rank = len(pairs.shape or ())
    other = pairs.flip(tuple(i == rank - 2 or (mirrored and i == rank - 1) for i in range(rank)))
    first = node_iota(2, rank - 2, pairs.shape or ()) < UOp.index_const(1)
    ordered = first.where(pairs.alu(Ops.MIN, other), pairs.alu(Ops.MAX, other))
    return ordered.reshape(shape).contiguous()
