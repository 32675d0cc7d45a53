"""Helpers that make nodes of the tensor stage; methods of tensors are written in them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from itertools import accumulate
from typing import Any

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim, split_dims
from rulewright.ir.uop import UOp
from rulewright.tensor.shapes import broadcast_shapes, check_count, total

_CONST = Ops.CONST
_MOST_CHOSEN = 128  # nodes that one kernel puts together


def reaching(roots: Iterable[UOp], goals: Container[UOp], enter: Callable[[UOp], bool]) -> set[UOp]:
    """Nodes of some graphs from which a goal can be reached, goals included.

    Nothing is looked for below nodes for which `enter` is false.
    """
    found: set[UOp] = set()
    for node in UOp.sink(*roots).toposort(enter):
        below = enter(node) and any(s in found for s in node.src)
        if below or node in goals:
            found.add(node)
    return found


def node_broadcast_to(uop: UOp, shape: tuple[Dim, ...]) -> UOp:
    """A node with axes of size 1 put in front and repeated to `shape`."""
    old = uop.shape or ()
    if old == shape:
        return uop
    check_count(shape)
    return uop.reshape((1,) * (len(shape) - len(old)) + old).expand(shape)


def node_iota(size: Dim, axis: int, shape: tuple[Dim, ...], kind: DType = dtypes.index) -> UOp:
    """Positions along an axis, as a node of `shape`."""
    check_count(shape)
    arg, sizes = split_dims((size,))
    line = UOp(Ops.IOTA, kind, sizes, arg)
    return line.reshape(tuple(size if i == axis else 1 for i in range(len(shape)))).expand(shape)


def node_padded(uop: UOp, pads: Iterable[tuple[Dim, Dim]]) -> UOp:
    """A node with zeros before and after each axis."""
    found = uop.pad(tuple(pads))
    check_count(found.shape or ())
    return found


def _chosen(nodes: list[UOp], ends: list[Any], place: UOp) -> UOp:
    """The node whose part of the axis a position lies in, found by halving."""
    if len(nodes) == 1:
        return nodes[0]
    half = len(nodes) // 2
    before = _chosen(nodes[:half], ends[:half], place)
    after = _chosen(nodes[half:], ends[half:], place)
    return (place < UOp.index_const(ends[half - 1])).where(before, after)


def node_joined(nodes: list[UOp], axis: int) -> UOp:
    """Nodes one after the other along an axis; of many, groups are put in memory first, for each
    element would else be chosen among all."""
    while len(nodes) > _MOST_CHOSEN:
        count = -(-len(nodes) // (-(-len(nodes) // _MOST_CHOSEN)))
        groups = [nodes[i : i + count] for i in range(0, len(nodes), count)]
        nodes = [node_joined(group, axis).contiguous() for group in groups]
    sizes = [(node.shape or ())[axis] for node in nodes]
    ends = list(accumulate(sizes, total))
    rests = list(accumulate([0, *reversed(sizes[1:])], total))[::-1]
    padded = []
    for node, before, after in zip(nodes, [0, *ends], rests, strict=False):
        pads: list[tuple[Dim, Dim]] = [(0, 0)] * len(node.shape or ())
        pads[axis] = (before, after)
        padded.append(node_padded(node, pads))
    return _chosen(padded, ends, node_iota(ends[-1], axis, padded[0].shape or ()))


def node_cast(uop: UOp, kind: DType) -> UOp:
    """A node converted to `kind`; finite constants are converted right away."""
    if uop.dtype is kind:
        return uop
    if uop.op is _CONST and abs(uop.arg) < 2**53:
        return UOp.const(kind, uop.arg)
    return UOp(Ops.CAST, kind, (uop,))


def _is_free(uop: UOp) -> bool:
    """Whether a scalar node may stand beside any shape without being expanded."""
    if uop.op is not Ops.CAST:
        return uop.op is _CONST
    return uop.src[0].dtype is dtypes.index and not uop.shape  # a symbolic number, not an arange


def nodes_broadcast(nodes: list[UOp], method: str) -> list[UOp]:
    """Nodes of one shape, or scalar constants."""
    shapes = [n.shape or () for n in nodes if not _is_free(n)]
    first = shapes[0] if shapes else ()
    if all(s == first for s in shapes):
        return nodes
    shape = broadcast_shapes(shapes, method)
    return [n if _is_free(n) else node_broadcast_to(n, shape) for n in nodes]


def node_floor(uop: UOp) -> UOp:
    """A float node rounded toward minus infinity."""
    down = uop.alu(Ops.TRUNC)
    return (uop < down).where(down - UOp.const(uop.dtype, 1), down)
