"""Index arithmetic of the movement ops: what an index into a moved tensor means for its source.

These are the externs of `spec/50-movement.uop`. They take a movement node and one index an axis,
and give the indices into the node's source.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from operator import and_

from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim, dims, pairs
from rulewright.ir.uop import UOp

_ZERO = UOp.index_const(0)

Indices = tuple[UOp, ...]
Sizes = tuple[Dim, ...]


def flat_index(shape: Sizes, indices: Indices) -> UOp:
    """The row-major position of an element: sum of index times stride."""
    position: UOp | None = None
    stride: Dim = 1
    for size, index in zip(reversed(shape), reversed(indices), strict=True):
        step = index if stride == 1 else index * stride
        position = step if position is None else step + position
        stride = size if stride == 1 else stride * size
    return UOp.index_const(0) if position is None else position


def unflatten_index(shape: Sizes, position: UOp) -> Indices:
    """The inverse of `flat_index`: one index an axis, the outermost first."""
    indices: list[UOp] = []
    for size in reversed(shape[1:]):
        indices.append(position % size)
        position = position // size
    return tuple(reversed([*indices, position])) if shape else ()


def _permute(node: UOp, indices: Indices) -> Indices:
    by_source = dict(zip(node.arg, indices, strict=True))
    return tuple(by_source[axis] for axis in range(len(indices)))


def _expand(node: UOp, indices: Indices) -> Indices:
    shape = node.src[0].shape or ()
    sizes = dims(node.arg, node.src[1:]) if len(node.src) > 1 else node.arg
    return tuple([
        _ZERO if old == 1 and new != 1 else index
        for old, new, index in zip(shape, sizes, indices, strict=True)
    ])  # fmt: skip


def _flip(node: UOp, indices: Indices) -> Indices:
    shape = node.shape or ()
    return tuple(
        UOp.index_const(size) - 1 - index if flipped else index
        for size, flipped, index in zip(shape, node.arg, indices, strict=True)
    )


def _shrink(node: UOp, indices: Indices) -> Indices:
    bounds = pairs(node.arg, node.src[1:])
    return tuple(
        index if begin == 0 else index + begin
        for (begin, _), index in zip(bounds, indices, strict=True)
    )


def _reshape(node: UOp, indices: Indices) -> Indices:
    """Axes that stay apart keep their index; the others meet in groups of equal size."""
    source_indices: list[UOp] = []
    for group, sizes, first, ones in _groups(node.src[0].shape or (), node.shape or ()):
        part = indices[first : first + len(sizes)]
        if len(group) == 1 and len(part) == 1:
            source_indices.append(part[0])
        else:
            moved = _with_ones_moved(group, sizes, part) if ones else None
            source_indices.extend(moved or _renumbered(group, sizes, part))
    return tuple(source_indices)


@lru_cache(maxsize=1024)
def _groups(old: Sizes, new: Sizes) -> tuple[tuple[Sizes, Sizes, int, bool], ...]:
    """The axes of two shapes that hold equally many elements, where the new ones begin, and
    whether they differ in axes of size 1 around one other at most."""
    groups = []
    left = right = 0
    while left < len(old) or right < len(new):
        next_left, next_right = _aligned(old, new, left, right)
        before, after = old[left:next_left], new[right:next_right]
        whole = [s for s in before if s != 1]
        ones = len(whole) < 2 and whole == [s for s in after if s != 1]
        groups.append((before, after, right, ones))
        left, right = next_left, next_right
    return tuple(groups)


def _with_ones_moved(old: Sizes, new: Sizes, indices: Indices) -> Indices | None:
    """Indices of a group that differs in axes of size 1; None if one may be outside."""
    whole = _ZERO
    for size, index in zip(new, indices, strict=True):
        if size != 1:
            whole = index
        bounds = index.interval
        if not (isinstance(size, int) and bounds.lo >= 0 and bounds.hi < size):
            return None
    return tuple([_ZERO if size == 1 else whole for size in old])


def _renumbered(old: Sizes, new: Sizes, indices: Indices) -> Indices:
    """What is the same but for the names of its loops, as in each layer, is found out once."""
    loops = sorted(dict.fromkeys(r for i in indices for r in i.ranges), key=lambda r: r.arg[0])
    if any(loop.src[0].op is not Ops.CONST for loop in loops):
        return _regrouped(old, new, indices)
    canonical = {r: UOp.range(int(r.src[0].arg), k, r.arg[1]) for k, r in enumerate(loops)}
    regrouped = _known_regrouped(old, new, tuple([i.substitute(canonical) for i in indices]))
    back = {new: old for old, new in canonical.items()}
    return tuple([i.substitute(back) for i in regrouped])


def _regrouped(old: Sizes, new: Sizes, indices: Indices) -> Indices:
    """Indices of one group of axes by the position that they have in it."""
    return unflatten_index(old, flat_index(new, indices).simplify())


_known_regrouped = remembered(4096)(_regrouped)


def _aligned(old: Sizes, new: Sizes, left: int, right: int) -> tuple[int, int]:
    """The ends of the smallest groups from `left` and `right` that hold equally many elements."""
    a: Dim = 1
    b: Dim = 1
    while True:
        if left < len(old) and (right >= len(new) or _not_above(a, b)):
            a, left = a * old[left], left + 1
        elif right < len(new):
            b, right = b * new[right], right + 1
        if a is b or a == b or (left == len(old) and right == len(new)):
            return _with_ones(old, new, left, right)


def _not_above(a: Dim, b: Dim) -> bool:
    low = a if isinstance(a, int) else a.vmax
    return low <= (b if isinstance(b, int) else b.vmax)


def _with_ones(old: Sizes, new: Sizes, left: int, right: int) -> tuple[int, int]:
    """Takes trailing axes of size 1 into the last group, so that no group is left alone."""
    if all(s == 1 for s in old[left:]) and all(s == 1 for s in new[right:]):
        return len(old), len(new)
    return left, right


_INDEX: dict[Op, Callable[[UOp, Indices], Indices]] = {
    Ops.PERMUTE: _permute,
    Ops.EXPAND: _expand,
    Ops.FLIP: _flip,
    Ops.SHRINK: _shrink,
    Ops.RESHAPE: _reshape,
}


def move_index(node: UOp, *indices: UOp) -> Indices | None:
    """Indices into the source of a movement node; None while there are fewer than its axes."""
    if len(indices) != len(node.shape or ()):
        return None
    if node.op is Ops.PAD:
        return tuple(
            index if valid is None else valid.where(inner, _INVALID)
            for index, (inner, valid) in zip(indices, _padded(node, indices), strict=True)
        )
    return _INDEX[node.op](node, indices)


_INVALID = UOp(Ops.INVALID, dtypes.index)
_TRUE = UOp.const(dtypes.bool, True)


def _padded(node: UOp, indices: Indices) -> list[tuple[UOp, UOp | None]]:
    """For each axis the index into the source and, where padded, whether it is inside."""
    checked: list[tuple[UOp, UOp | None]] = []
    shape = node.src[0].shape or ()
    for size, (before, after), index in zip(
        shape, pairs(node.arg, node.src[1:]), indices, strict=True
    ):
        if before == 0 and after == 0:
            checked.append((index, None))
            continue
        inner = index if before == 0 else index - before
        checks = [inner >= 0] if before != 0 else []
        checks += [inner < size] if after != 0 else []
        valid = checks[0] if len(checks) == 1 else checks[0] & checks[1]
        checked.append((inner, valid))
    return checked


def pad_valid(node: UOp, *indices: UOp) -> UOp | None:
    """Whether an index into a PAD is inside its source, as a boolean node."""
    if len(indices) != len(node.shape or ()):
        return None
    checks = [valid for _, valid in _padded(node, indices) if valid is not None]
    return reduce(and_, checks) if checks else _TRUE


def index_sources(node: UOp, *indices: UOp) -> UOp:
    """An elementwise node whose operands are indexed; scalar operands go with any index."""
    src = [UOp(Ops.INDEX, s.dtype, (s, *indices) if s.shape else (s,)) for s in node.src]
    return UOp(node.op, node.dtype, tuple(src), node.arg)
