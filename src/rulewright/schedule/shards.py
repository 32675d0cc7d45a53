"""Externs of `spec/45-shards.uop`: what each of several devices does of a graph's work."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod

from rulewright.errors import DeviceError
from rulewright.ir.device_numbers import part_number
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.placement import (
    Placement,
    after,
    joined,
    kept_axis,
    placement,
    placement_of,
    window_of,
)
from rulewright.ir.shapes import Dim, pairs
from rulewright.ir.uop import UOp

_KEPT = Ops.group("Outer") | Ops.group("Stored") | {Ops.REDUCE_AXIS}
_SHOWING = Ops.group("Movement") - {Ops.PAD}


def stacked(parts: Sequence[UOp], where: Placement) -> UOp:
    """The whole made of what each device has."""
    return UOp(Ops.MSTACK, parts[0].dtype, tuple(parts), (where.axis, joined(where.devices)))


# ---- what rules make -----------------------------------------------------------------------------


def spread(node: UOp) -> UOp | None:
    """A COPY to several devices as its parts, each copied to its device; None for one device."""
    where = placement(node.arg)
    source = node.src[0]
    if where is None:
        return None
    if source.op is Ops.MSTACK and _where(source) == where:
        return source  # it is there
    numbers = range(len(where.devices))
    if source.op is Ops.MSTACK:
        return stacked([_held(source, number, where) for number in numbers], where)
    parts = [_on(_cut(source, n, where), where.devices[n]) for n in numbers]
    return stacked(parts, where)


def gathered(node: UOp) -> UOp | None:
    """A COPY of parts to one device: each part is copied, and they stand one behind the other."""
    if placement(node.arg) is not None or _where(node.src[0]).axis is None:
        return None
    return _whole(node.src[0], node.arg)


def each_part(node: UOp) -> UOp | None:
    """A node of stacks as the stack of what each device computes of it; None if none can alone."""
    where = _after(node)
    if where is None or (_is_alone(node) and not _is_apart(node)):
        return None
    parts = []
    for number in range(len(where.devices)):
        sources = _sources(node, number, where)
        if None in sources:
            return None
        parts.append(node.replace(arg=_local(node, where, number), src=tuple(sources)))
    return stacked(parts, where)


def part_from_others(node: UOp) -> UOp | None:
    """Movement across the axis that is cut: each device gets from others what it shows of them.
    None if it needs nothing."""
    where = _after(node)
    if where is None or _is_apart(node):
        return None
    parts = [_moved(node, number, where) for number in range(len(where.devices))]
    return stacked(parts, where)


def _moved(node: UOp, number: int, where: Placement) -> UOp:
    """What a device has of a node that moves across a cut."""
    stack, device = node.src[0], where.devices[number]
    axis = _where(stack).axis
    assert axis is not None
    bounds: list[tuple[Dim, Dim]] = [(0, s) for s in stack.shape or ()]
    if node.op is Ops.FLIP:
        low, high = where.bounds(bounds[axis][1], number)
        bounds[axis] = (bounds[axis][1] - high, bounds[axis][1] - low)
        return node.replace(src=(_taken(stack, bounds, device),))
    window = None if node.op in (Ops.RESHAPE, Ops.EXPAND) else window_of(node, axis)
    if window is None:
        return node.replace(src=(_whole(stack, device), *node.src[1:]))
    low, high = window
    if where.axis is not None:
        size = (high - low) // len(where.devices)
        low, high = low + number * size, low + (number + 1) * size
    around = list(pairs(node.arg, node.src[1:]))
    if node.op is Ops.SHRINK:
        bounds, around = around, []
    else:
        around[axis] = (0, 0)
    bounds[axis] = (low, high)
    return _taken(stack, bounds, device).pad(tuple(around))


IN_PIECES = 1 << 18
"""Bytes of a reduction across devices from which on each device adds up a piece of it."""


def reduced_in_pieces(node: UOp) -> UOp | None:
    """A reduction across devices that is large: each adds up the same piece of what all have, and
    gets the pieces of others. Of n devices each copies 2 (n - 1) / n of it, and half of that if
    only its own piece is asked for. None for one that is small or has no equal pieces."""
    where = _where(node.src[0])
    if _is_apart(node) or prod(node.max_shape) * node.dtype.itemsize < IN_PIECES:
        return None
    count = len(where.devices)
    sizes = enumerate(node.shape or ())
    axis = next((i for i, s in sizes if isinstance(s, int) and s and not s % count), None)
    if axis is None:
        return None
    pieces, own = where._replace(axis=axis), _reduced(node)
    sums = [
        _combined(node, [_on(_cut(part, number, pieces), device) for part in own]).contiguous()
        for number, device in enumerate(where.devices)
    ]
    return UOp(Ops.COPY, node.dtype, (stacked(sums, pieces),), joined(where.devices))


def reduced_everywhere(node: UOp) -> UOp | None:
    """A reduction along the axis of which each device has its part: each reduces that, and gets
    what the others have. All add it up in one order, so that they have the same."""
    stack = node.src[0]
    where = _where(stack)
    if _is_apart(node):
        return None
    own = _reduced(node)
    if stack.size != 0:  # of which each knows what nothing sums up to
        own = [_combined(node, [_on(part, d) for part in own]) for d in where.devices]
    return stacked(own, where._replace(axis=None))


def _reduced(node: UOp) -> list[UOp]:
    """What each device has of a reduction, in memory of its own."""
    own = [node.replace(src=(part,)) for part in node.src[0].src]
    return [part if part.device is None else part.contiguous() for part in own]


def _combined(node: UOp, parts: Sequence[UOp]) -> UOp:
    return reduce(lambda a, b: UOp(node.arg[0], node.dtype, (a, b)), parts)


def stores_of_parts(node: UOp) -> UOp | None:
    """A STORE into memory on several devices as one on each; None if the value is not there."""
    target, value = node.src
    where = _where(target)
    if any(part.base.op not in Ops.group("Outer") for part in target.src):
        return None
    values = [_part(value, number, where) for number in range(len(target.src))]
    if None in values:
        return None
    return UOp.sink(*[t.store(v) for t, v in zip(target.src, values, strict=True) if v is not None])


def after_on_each(node: UOp) -> UOp:
    """Memory on several devices after effects, of those on each of them its own."""
    stack, *effects = node.src
    parts = [
        part.after(*[e.src[number] if _has_each(e, stack) else e for e in effects])
        for number, part in enumerate(stack.src)
    ]
    return stack.replace(src=tuple(parts))


def refuse_shards(graph: UOp, origins: Origins | None = None) -> UOp:
    """The graph, in which each node is on one device. Raises DeviceError for one on several."""
    nodes = graph.toposort()
    if all([node.op is not Ops.MSTACK for node in nodes]):
        return graph
    for node in nodes:
        stack = next((s for s in node.src if s.op is Ops.MSTACK), None)
        if stack is None:
            continue
        placement_of(node)
        others = [s.device for s in node.src if s.op is not Ops.MSTACK and s.device is not None]
        also = f" and on {others[0]}" if others else ""
        raise DeviceError(
            f"{node.op} of a tensor on {stack.arg[1]}{also}: devices cannot do it apart; gather "
            "it with .to(device), or spread the other operand with .shard(devices)"
        )
    return graph


# ---- parts ---------------------------------------------------------------------------------------


def _where(stack: UOp) -> Placement:
    where = placement(stack.device)
    assert where is not None, "it is on several devices"
    return where


def _has_each(effect: UOp, stack: UOp) -> bool:
    return effect.op is Ops.SINK and len(effect.src) == len(stack.src)


def _is_alone(node: UOp) -> bool:
    """Whether a node has one operand, beside sizes."""
    return node.op in Ops.group("Movement") or node.op is Ops.REDUCE_AXIS


def _is_apart(node: UOp) -> bool:
    """Whether movement or a reduction of a stack needs of each part that alone."""
    where = _where(node.src[0])
    if where.axis is None:
        return True
    if node.op is Ops.REDUCE_AXIS:
        return where.axis not in node.arg[1]
    return kept_axis(node, where) is not None


def _after(node: UOp) -> Placement | None:
    """Where the result of a node of stacks is; None if no device has what its part takes."""
    operands = node.src[:1] if _is_alone(node) else node.src
    where = after(node, [_where(s) for s in operands if s.op is Ops.MSTACK])
    return None if isinstance(where, str) else where


def _sources(node: UOp, number: int, where: Placement) -> list[UOp | None]:
    """What a device has of each operand; None for one that is somewhere else."""
    if _is_alone(node):
        return [node.src[0].src[number], *node.src[1:]]
    return [_part(s, number, where) for s in node.src]


def _part(value: UOp, number: int, where: Placement) -> UOp | None:
    """What a device has of an operand, or gets if that is cut otherwise; None for an operand that
    is somewhere else."""
    if value.op is not Ops.MSTACK:
        return _own(value, number, where) if value.device is None else None
    return _held(value, number, where) if _where(value).devices == where.devices else None


def _held(stack: UOp, number: int, where: Placement) -> UOp:
    """What a device has of a stack, or gets of it."""
    if _where(stack) == where._replace(axis=None):
        return _own(stack.src[number], number, where)
    return _taken(stack, _bounds(stack, number, where), where.devices[number])


def _own(value: UOp, number: int, where: Placement) -> UOp:
    """A device's part of a value that it has all of: by its number, to be one kernel with those of
    other devices."""
    bounds = _bounds(value, number, where)
    if where.axis is not None and bounds and value.op is not Ops.COPY and not _has_pieces(value):
        low, high = bounds[where.axis]
        size = where.bounds((value.shape or ())[where.axis], 0)[1]
        begin = part_number(where.devices, number) * size if high > low else low
        bounds[where.axis] = (begin, begin + (high - low))
    return _between(value, bounds)


def _between(value: UOp, bounds: Sequence[tuple[Dim, Dim]]) -> UOp:
    """The elements of a value between bounds; of what is copied no more are."""
    part = value.shrink(tuple(bounds))
    if value.op is not Ops.COPY or part is value:
        return part
    return _on(value.src[0].shrink(tuple(bounds)), value.arg)


def _has_pieces(value: UOp) -> bool:
    """Whether a value is made of pieces of others, of which a part at a known place needs some."""
    nodes = value.toposort(lambda n: n.op not in _KEPT)
    return any(n.op is Ops.WHERE and Ops.PAD in (n.src[1].op, n.src[2].op) for n in nodes)


def _bounds(value: UOp, number: int, where: Placement) -> list[tuple[Dim, Dim]]:
    """Between which elements of each axis a device's part of a value is; a number goes with all."""
    shape = value.shape or ()
    bounds: list[tuple[Dim, Dim]] = [(0, s) for s in shape]
    if where.axis is not None and shape:
        bounds[where.axis] = where.bounds(shape[where.axis], number)
    return bounds


def _cut(value: UOp, number: int, where: Placement) -> UOp:
    """A device's part of a value that is whole."""
    return value.shrink(tuple(_bounds(value, number, where)))


def _whole(stack: UOp, device: str) -> UOp:
    """All of a stack, on one device."""
    return _taken(stack, [(0, s) for s in stack.shape or ()], device)


def _taken(stack: UOp, bounds: Sequence[tuple[Dim, Dim]], device: str) -> UOp:
    """The elements of a stack between bounds, on a device; along the axis that is cut zeros stand
    before and behind it."""
    where = _where(stack)
    if where.axis is None:
        near = stack.src[where.devices.index(device) if device in where.devices else 0]
        return _on(_between(near, bounds), device)
    axis, own = where.axis, list(bounds)
    low, high = own[axis]
    assert isinstance(low, int) and isinstance(high, int)
    pieces = []
    for number, part in enumerate(stack.src):
        begin, end = where.bounds((stack.shape or ())[axis], number)
        first, last = max(low, begin), min(high, end)
        if first < last:
            own[axis] = (first - begin, last - begin)
            pieces.append((first - low, _on(part.shrink(tuple(own)), device)))
    if not pieces:
        own[axis] = (0, high - low)
        shape = tuple([end - begin for begin, end in own])
        return UOp.const(stack.dtype, 0).reshape((1,) * len(shape)).expand(shape)
    return _joined(pieces, axis, high - low)


def _on(value: UOp, device: str) -> UOp:
    """A value on a device; what is on none is on any. Of movement what is copied is the smallest
    value that it shows."""
    if value.device in (None, device):
        return value
    smallest, moved, over = value, [], [value]
    while over[-1].op in _SHOWING:
        over.append(over[-1].src[0])
        if prod(over[-1].max_shape) <= prod(smallest.max_shape):
            smallest, moved = over[-1], over[:-1]
    copy = UOp(Ops.COPY, value.dtype, (smallest,), device)
    for node in reversed(moved):
        copy = node.replace(src=(copy, *node.src[1:]))
    return copy


def _joined(pieces: Sequence[tuple[int, UOp]], axis: int, size: int) -> UOp:
    """Pieces that begin at places of an axis, one behind the other: each element is chosen by its
    place, and is zero before and behind them."""
    shape = list(pieces[0][1].shape or ())
    shape[axis] = size
    ones = (1,) * axis + (size,) + (1,) * (len(shape) - axis - 1)
    place = UOp(Ops.IOTA, dtypes.index, (), (size,)).reshape(ones).expand(tuple(shape))
    result: UOp | None = None
    for begin, piece in reversed(pieces):
        length = (piece.shape or ())[axis]
        pads: list[tuple[Dim, Dim]] = [(0, 0)] * len(shape)
        pads[axis] = (begin, size - begin - length)
        padded, end = piece.pad(tuple(pads)), UOp.index_const(begin + length)
        result = padded if result is None else (place < end).where(padded, result)
    assert result is not None, "there is a piece"
    return result


def _local(node: UOp, where: Placement, number: int) -> object:
    """The argument of a node for one device's part."""
    if where.axis is None or node.op not in (Ops.RESHAPE, Ops.EXPAND, Ops.SHRINK):
        return node.arg
    arg = list(node.arg)
    size = where.part(node.shape or (), number)[where.axis]
    arg[where.axis] = (0, size) if node.op is Ops.SHRINK else size
    return tuple(arg)
