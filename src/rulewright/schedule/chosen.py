"""Parts of what was put together, that ask for one of the things that were."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

Region = Sequence[tuple[int, int]]
"""Of each axis the first position, and the one behind the last."""


def shrunk_choice(node: UOp) -> UOp | None:
    """A SHRINK of a WHERE as one of the side that is chosen at each of its positions.

    None if both are, or if the condition is not about positions alone.
    """
    condition, yes, no = node.src[0].src
    shape, region = node.shape or (), node.arg
    if any(not isinstance(end, int) for pair in region for end in pair) or node.size == 0:
        return None
    bounds = _bounds(condition, region)
    if bounds is None or bounds[0] != bounds[1]:
        return None
    side = yes if bounds[0] else no
    if not side.shape:
        return side.reshape((1,) * len(shape)).expand(shape)
    return node.replace(src=(side, *node.src[1:]))


def shrunk_pad(node: UOp) -> UOp | None:
    """A SHRINK of a PAD as one of what is padded; None if some of the padding is left."""
    inner = node.src[0].src[0]
    shape = inner.shape or ()
    numbers = (*shape, *(end for pairs in (node.arg, node.src[0].arg) for p in pairs for end in p))
    if not all(isinstance(number, int) for number in numbers):
        return None
    pads = [before for before, _ in node.src[0].arg]
    bounds = [(b - pad, e - pad) for (b, e), pad in zip(node.arg, pads, strict=True)]
    if not all(b >= 0 and e <= size for (b, e), size in zip(bounds, shape, strict=True)):
        return None
    return inner if node.shape == shape else inner.shrink(tuple(bounds))


def _bounds(node: UOp, region: Region) -> tuple[int, int] | None:
    """The least and the greatest value of what counts and compares positions of a region."""
    if node.op is Ops.CONST and isinstance(node.arg, int):
        return node.arg, node.arg
    if node.op is Ops.IOTA and node.dtype is dtypes.index and len(node.arg) == 1:
        return region[0][0], region[0][1] - 1
    if node.op is Ops.EXPAND:
        sizes = node.src[0].shape or ()
        return _bounds(
            node.src[0], [(0, 1) if s == 1 else r for s, r in zip(sizes, region, strict=True)]
        )
    if node.op is Ops.RESHAPE:
        inner = _without_ones(node, region)
        return None if inner is None else _bounds(node.src[0], inner)
    if node.op is not Ops.CMPLT:
        return None
    pairs = [_bounds(s, region if s.shape else ()) for s in node.src]
    if pairs[0] is None or pairs[1] is None:
        return None
    return int(pairs[0][1] < pairs[1][0]), int(pairs[0][0] < pairs[1][1])


def _without_ones(reshape: UOp, region: Region) -> Region | None:
    """The region below a RESHAPE that adds or takes axes of size 1; None for any other."""
    outer, inner = reshape.shape or (), reshape.src[0].shape or ()
    if [s for s in outer if s != 1] != [s for s in inner if s != 1]:
        return None
    left = iter([pair for size, pair in zip(outer, region, strict=True) if size != 1])
    return [(0, 1) if size == 1 else next(left) for size in inner]
