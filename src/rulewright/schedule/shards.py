"""Externs of `spec/45-shards.uop`: what each of several devices does of a graph's work."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from rulewright.errors import DeviceError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.placement import Placement, after, part_with, placement, placement_of
from rulewright.ir.shapes import Dim, pairs
from rulewright.ir.uop import UOp


def stacked(parts: Sequence[UOp], where: Placement) -> UOp:
    """The whole made of what each device has."""
    return UOp(Ops.MSTACK, parts[0].dtype, tuple(parts), (where.axis, ",".join(where.devices)))


# ---- what rules make -----------------------------------------------------------------------------


def spread(node: UOp) -> UOp | None:
    """A COPY to several devices as its parts, each copied to its device; None for one device."""
    where = placement(node.arg)
    source = node.src[0]
    if where is None:
        return None
    if source.op is Ops.MSTACK and _where(source) == where:
        return source  # it is there
    parts = [_cut(source, number, where) for number in range(len(where.devices))]
    return stacked([_on(p, d) for p, d in zip(parts, where.devices, strict=True)], where)


def gathered(node: UOp) -> UOp | None:
    """A COPY of parts to one device: each part is copied, and they stand one behind the other."""
    stack = node.src[0]
    where = _where(stack)
    if placement(node.arg) is not None or where.axis is None:
        return None
    return _joined([_on(part, node.arg) for part in stack.src], where.axis)


def each_part(node: UOp) -> UOp | None:
    """A node of stacks as the stack of what each device computes of it; None if none can alone."""
    where = _after(node)
    if where is None:
        return None
    if _is_alone(node) and (where.axis is None) != (_where(node.src[0]).axis is None):
        return None  # the axis that was cut is no longer: that takes what others have
    parts = []
    for number in range(len(where.devices)):
        sources = _sources(node, number, where)
        if None in sources:
            return None
        parts.append(node.replace(arg=_local(node, where), src=tuple(sources)))
    return stacked(parts, where)


def from_one_part(node: UOp) -> UOp | None:
    """Some elements of one part, copied to all devices; None if they are of several."""
    stack = node.src[0]
    where = _where(stack)
    bounds = list(pairs(node.arg, node.src[1:]))
    if where.axis is None or node.src[1:]:
        return None
    size = (stack.shape or ())[where.axis]
    number = part_with(size, bounds[where.axis], len(where.devices))
    if number is None or bounds[where.axis] == (0, size):
        return None
    low, high = bounds[where.axis]
    begin = number * (size // len(where.devices))
    bounds[where.axis] = (low - begin, high - begin)
    part = stack.src[number].shrink(tuple(bounds))
    return stacked([_on(part, d) for d in where.devices], where._replace(axis=None))


def reduced_everywhere(node: UOp) -> UOp | None:
    """A reduction along the axis of which each device has its part: each reduces that, and gets
    what the others have. All add it up in one order, so that they have the same."""
    stack = node.src[0]
    where = _where(stack)
    combine, axes = node.arg
    if where.axis not in axes:
        return None
    own = [node.replace(src=(part,)) for part in stack.src]
    if stack.size == 0:  # each knows what nothing sums up to
        return stacked(own, where._replace(axis=None))
    own = [part if part.device is None else part.contiguous() for part in own]
    sums = [
        reduce(lambda a, b: UOp(combine, node.dtype, (a, b)), [_on(part, d) for part in own])
        for d in where.devices
    ]
    return stacked(sums, where._replace(axis=None))


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
        part.after(*[e.src[number] if _is_apart(e, stack) else e for e in effects])
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


def _is_apart(effect: UOp, stack: UOp) -> bool:
    return effect.op is Ops.SINK and len(effect.src) == len(stack.src)


def _is_alone(node: UOp) -> bool:
    """Whether a node has one operand, beside sizes."""
    return node.op in Ops.group("Movement") or node.op is Ops.REDUCE_AXIS


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
    """What a device has of an operand; None if that is somewhere else."""
    if value.op is not Ops.MSTACK:
        return _cut(value, number, where) if value.device is None else None
    own = _where(value)
    if own.devices != where.devices or own.axis not in (None, where.axis):
        return None
    return value.src[number] if own.axis is not None else _cut(value.src[number], number, where)


def _cut(value: UOp, number: int, where: Placement) -> UOp:
    """A device's part of a value that is whole; a number goes with all parts."""
    shape = value.shape or ()
    if where.axis is None or not shape:
        return value
    size = where.part(shape)[where.axis]
    bounds: list[tuple[Dim, Dim]] = [(0, s) for s in shape]
    bounds[where.axis] = (number * size, (number + 1) * size)
    return value.shrink(tuple(bounds))


def _on(value: UOp, device: str) -> UOp:
    """A value on a device; what is on none is on any."""
    if value.device in (None, device):
        return value
    return UOp(Ops.COPY, value.dtype, (value,), device)


def _joined(parts: Sequence[UOp], axis: int) -> UOp:
    """Parts one behind the other: each element is chosen by its place."""
    shape = list(parts[0].shape or ())
    each = shape[axis]
    shape[axis] = each * len(parts)
    ones = (1,) * axis + (shape[axis],) + (1,) * (len(shape) - axis - 1)
    place = UOp(Ops.IOTA, dtypes.index, (), (shape[axis],)).reshape(ones).expand(tuple(shape))
    result: UOp | None = None
    for number, part in reversed(list(enumerate(parts))):
        pads: list[tuple[Dim, Dim]] = [(0, 0)] * len(shape)
        pads[axis] = (number * each, (len(parts) - number - 1) * each)
        padded = part.pad(tuple(pads))
        end = UOp.index_const((number + 1) * each)
        result = padded if result is None else (place < end).where(padded, result)
    assert result is not None, "there is a part on each device"
    return result


def _local(node: UOp, where: Placement) -> object:
    """The argument of a node for one device's part."""
    if where.axis is None or node.op not in (Ops.RESHAPE, Ops.EXPAND, Ops.SHRINK):
        return node.arg
    arg = list(node.arg)
    size = where.part(node.shape or ())[where.axis]
    arg[where.axis] = (0, size) if node.op is Ops.SHRINK else size
    return tuple(arg)
