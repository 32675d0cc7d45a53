"""Index arithmetic as a tired engineer writes it, and as it is right: externs of `sizes/*.uop`."""

from __future__ import annotations

from functools import wraps

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

INVALID = UOp(Ops.INVALID, dtypes.index)


def complete(function):
    """Asked only where there is an index for each axis: else the rule does not match."""

    @wraps(function)
    def asked(node, *indices):
        return function(node, *indices) if len(indices) == len(node.shape) else None

    return asked


@complete
def forward(node, *indices):
    """Wrong: the order of the result's axes is taken for that of the source's."""
    return tuple(indices[axis] for axis in node.arg)


@complete
def backward(node, *indices):
    """Right: axis i of the result is axis order[i] of the source."""
    return tuple(indices[node.arg.index(axis)] for axis in range(len(indices)))


@complete
def to_size(node, *indices):
    """Wrong: the last index is the size less one."""
    flags = zip(node.shape, node.arg, indices, strict=True)
    return tuple(UOp.index_const(n) - i if flag else i for n, flag, i in flags)


@complete
def to_last(node, *indices):
    """Right."""
    flags = zip(node.shape, node.arg, indices, strict=True)
    return tuple(UOp.index_const(n) - 1 - i if flag else i for n, flag, i in flags)


@complete
def short_only(node, *indices):
    """Wrong from four elements on: the middle of a longer axis is left where it is."""
    flags = zip(node.shape, node.arg, indices, strict=True)
    return tuple(UOp.index_const(n) - 1 - i if flag and n < 5 else i for n, flag, i in flags)


@complete
def from_end(node, *indices):
    """Wrong: an index counts from where the part ends."""
    return tuple(i + (end - begin) for (begin, end), i in zip(node.arg, indices, strict=True))


@complete
def from_begin(node, *indices):
    """Right: an index counts from where the part begins."""
    return tuple(i + begin for (begin, _), i in zip(node.arg, indices, strict=True))


def _padded(node, indices, last):
    found = []
    for size, (before, _), i in zip(node.src[0].shape, node.arg, indices, strict=True):
        inner = i - before
        found.append(((inner >= 0) & (inner < size + last), inner))
    return found


@complete
def pad_one_more(node, *indices):
    """Wrong: the first element behind the source is taken for one of it."""
    return tuple(inside.where(i, INVALID) for inside, i in _padded(node, indices, 1))


@complete
def pad_inside(node, *indices):
    """Right."""
    return tuple(inside.where(i, INVALID) for inside, i in _padded(node, indices, 0))


@complete
def digits(node, *indices):
    """Right: an index of a matrix from that of its rows one behind the other."""
    if len(indices) != 1 or len(node.src[0].shape) != 2:
        return None
    columns = node.src[0].shape[1]
    return indices[0] // columns, indices[0] % columns


@complete
def digits_without_rest(node, *indices):
    """Wrong: the rest of a split axis is dropped."""
    if len(indices) != 1 or len(node.src[0].shape) != 2:
        return None
    columns = node.src[0].shape[1]
    return indices[0] // columns, indices[0] // columns * 0


# ---- gradients ----------------------------------------------------------------------------------


def forward_axes(y, g):
    """Wrong: the order is used again in place of its inverse."""
    return g.permute(y.arg)


def from_start(y, g):
    """Wrong: the padding before the source is taken for part of it."""
    return g.shrink(tuple((0, size) for size in y.src[0].shape))


def sides_exchanged(y, g):
    """Wrong: as many zeros before as there should be behind."""
    bounds = zip(y.src[0].shape, y.arg, strict=True)
    return g.pad(tuple((size - last, first) for size, (first, last) in bounds))


def first_of_repeated(y, g):
    """Wrong: of what was repeated the first counts, and not the sum."""
    sizes = zip(y.src[0].shape, y.shape, strict=True)
    return g.shrink(tuple((0, new if old != 1 else min(new, 1)) for old, new in sizes))


def turned_like(x, g):
    """Wrong: what comes back is turned round."""
    return g.expand(x.shape).flip((True,) * len(x.shape))
