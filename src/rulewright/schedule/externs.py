"""Externs of `spec/60-schedule.uop`: what its rules ask of a value, and make of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.sums import terms
from rulewright.ir.uop import UOp
from rulewright.schedule.chosen import below
from rulewright.schedule.facts import MEMORY, elements
from rulewright.schedule.movement import flat_index, unflatten_index

# ---- reduction -----------------------------------------------------------------------------------
#
# Externs of `spec/60-schedule.uop` about reductions of whole axes.


MOST_TERMS = 8  # products that one kernel sums
LARGE_PRODUCT = 1 << 15  # multiplications of a product that is worth a kernel of its own

_KEPT = MEMORY | {Ops.REDUCE_AXIS, Ops.CONTIGUOUS, Ops.COPY}


def reduce_of_nothing(node: UOp) -> UOp:
    """What reducing an axis of size 0 gives: the identity of the op, in the node's shape."""
    combine: Op = node.arg[0]
    shape = node.shape or ()
    identity = UOp.const(node.dtype, combine.identity(node.dtype))
    return identity.reshape((1,) * len(shape)).expand(shape)


def split_products(node: UOp) -> UOp | None:
    """The sum over axes of a sum of many products, or memories, as one that grows by a few of them.

    Each step of a recurrence adds such a product to the gradient of a weight. All in one kernel
    would take the compiler seconds; kernels of a few are one kernel, run over other memory.

    None for few, and for those that share what they read: for that they belong together. But large
    ones of numbers that were widened are summed each by itself, as tensor cores multiply them.
    """
    combine, axes = node.arg
    parts = terms(node.src[0])
    if combine is Ops.ADD and 1 < len(parts) <= MOST_TERMS and all(map(_is_widened, parts)):
        sums = [UOp(Ops.REDUCE_AXIS, node.dtype, (part,), node.arg) for part in parts]
        return reduce(UOp.__add__, sums)
    if combine is not Ops.ADD or len(parts) <= MOST_TERMS or not all(map(_is_plain, parts)):
        return None
    if _kept(parts) < len(parts):
        return None
    total: UOp | None = None
    for first in range(0, len(parts), MOST_TERMS):
        some = reduce(UOp.__add__, parts[first : first + MOST_TERMS])
        part = UOp(Ops.REDUCE_AXIS, node.dtype, (some,), (combine, axes))
        total = part if total is None else total.contiguous() + part
    return total


def _is_plain(term: UOp) -> bool:
    """Whether a term is memory, or multiplies what it repeats, as products of matrices do."""
    is_product = term.op is Ops.MUL and all(elements(below(s)) < elements(term) for s in term.src)
    return is_product or below(term).op in MEMORY


def _is_widened(term: UOp) -> bool:
    """Whether a term is a large product of matrices of smaller numbers."""
    large = elements(term) >= LARGE_PRODUCT and _is_plain(term) and term.op is Ops.MUL
    return large and all(map(_widens, term.src))


def _widens(side: UOp) -> bool:
    side = side.past((Ops.RESHAPE, Ops.EXPAND, Ops.PERMUTE))
    return side.op is Ops.CAST and 2 * side.src[0].dtype.bits <= side.dtype.bits


def _kept(values: Sequence[UOp]) -> int:
    """How many memories, and reductions that will be in memory, values are computed from."""
    stack, seen = list(values), set(values)
    kept = 0
    while stack:
        node = stack.pop()
        if node.op in _KEPT:
            kept += 1
            continue
        below = [s for s in node.src if s not in seen]
        seen.update(below)
        stack += below
    return kept


# ---- collapse ------------------------------------------------------------------------------------
#
# Externs of `spec/60-schedule.uop` that look at, or change, a whole value.


def depends_on(value: UOp, loop: UOp) -> bool:
    """Does a value change with a loop variable?"""
    return loop in value.ranges


def at_index(value: UOp, loop: UOp, index: UOp) -> UOp:
    """A value with a loop variable replaced by an index."""
    return value.substitute({loop: index})


def subbuffer_index(view: UOp, *indices: UOp) -> UOp | None:
    """An element of a SUBBUFFER as one of its base; None across dtypes or for partial indices."""
    base = view.src[0]
    if base.dtype is not view.dtype or len(indices) != len(view.shape or ()):
        return None
    position = flat_index(view.arg[1], indices) + view.arg[0]
    return base.index(*unflatten_index(base.shape or (), position.simplify()))


# ---- chosen --------------------------------------------------------------------------------------
#
# Parts of what was put together, that ask for one of the things that were.


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


# ---- repeats -------------------------------------------------------------------------------------
#
# Repeated elements: what is computed of them alone is computed before they are repeated.


def repeated_after(node: UOp) -> UOp | None:
    """An elementwise node whose operands all repeat along some axes, as an EXPAND of the same node
    without those repeats; None if there is no such axis."""
    shape = node.shape or ()
    shaped = [s for s in node.src if s.shape]
    if not shaped or any(s.op is not Ops.EXPAND for s in shaped):
        return None
    dead = [i for i, size in enumerate(shape) if size != 1 and all(_repeats(s, i) for s in shaped)]
    if not dead:
        return None
    once = tuple(1 if i in dead else size for i, size in enumerate(shape))
    return node.replace(src=tuple(_narrow(s, once) for s in node.src)).expand(shape)


def _repeats(node: UOp, axis: int) -> bool:
    return (node.src[0].shape or ())[axis] == 1


def _narrow(node: UOp, shape: tuple[Dim, ...]) -> UOp:
    if not node.shape:
        return node
    inner = node.src[0]
    return inner if inner.shape == shape else inner.expand(shape)
