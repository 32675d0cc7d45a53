"""Values on several devices: which part each device has, and how far each can go alone.

A value is cut along an axis in equal parts, one a device, or replicated: each device has all of
it. Memory says so by its device, "C,C:1@0" or "C,C:1"; of a value it follows from its operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from rulewright.errors import DeviceError
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim, pairs

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp


class Placement(NamedTuple):
    """Devices, and the axis along which each has its part; None where each has all."""

    devices: tuple[str, ...]
    axis: int | None

    def __str__(self) -> str:
        return joined(self.devices) + ("" if self.axis is None else f"@{self.axis}")

    def part(self, shape: Sequence[Dim]) -> tuple[Dim, ...]:
        """The shape of what one device has of a value of this shape."""
        count = len(self.devices)
        return tuple([s // count if i == self.axis else s for i, s in enumerate(shape)])


def placement(device: str | None) -> Placement | None:
    """What the name of a memory's device says of several; None if it is one."""
    if device is None or "," not in device:
        return None
    names, _, axis = device.partition("@")
    return Placement(tuple(names.split(",")), int(axis) if axis else None)


def text_of(device: Any) -> Any:
    """Devices as nodes name them: each of several that a tensor names has all of it."""
    return joined(device) if isinstance(device, tuple) else device


def joined(devices: Sequence[str]) -> str:
    """Several devices as one name."""
    return ",".join(devices)


def names_of(device: str | None) -> Any:
    """Devices as tensors name them: a tuple of several."""
    where = placement(device)
    return device if where is None else where.devices


_parts: WeakKeyDictionary[UOp, tuple[UOp, ...]] = WeakKeyDictionary()


def parts_of(buffer: UOp) -> tuple[UOp, ...]:
    """The BUFFERs that one on several devices is made of; the BUFFER itself if it is on one."""
    number, shape, device = buffer.arg
    where = placement(device)
    if where is None:
        return (buffer,)
    if buffer not in _parts:  # they live as long as it does
        part = where.part(shape)
        _parts[buffer] = tuple([buffer.replace(arg=(number, part, d)) for d in where.devices])
    return _parts[buffer]


_known: WeakKeyDictionary[UOp, Placement | None] = WeakKeyDictionary()
_PLACED = Ops.group("Placed")
_ALIKE = Ops.group("Same") - {Ops.COPY} | Ops.group("Ordered")


def placement_of(root: UOp) -> Placement | None:
    """Where the parts of a value are; None for one that is on one device, or on any.

    Raises DeviceError for a value whose parts cannot be computed where their operands are.
    """
    stack = [root]
    while stack:
        node = stack[-1]
        missing = [s for s in _asked(node) if s not in _known]
        stack += missing
        if not missing:
            stack.pop()
            _known[node] = _follow(node, [_known[s] for s in _asked(node)])
    return _known[root]


def _asked(node: UOp) -> tuple[UOp, ...]:
    if node.op in _PLACED or node.op is Ops.MSELECT:
        return ()
    if node.op is Ops.RESULT:
        return node.src[0].src[1:]
    return node.src[:1] if node.op is Ops.AFTER or node.op in Ops.group("Movement") else node.src


def _follow(node: UOp, operands: Sequence[Placement | None]) -> Placement | None:
    if node.op in _PLACED:
        return placement(node.device)
    placed = [p for p in operands if p is not None]
    if not placed:
        return None
    if node.op is Ops.RESULT:
        return _result(node, operands)
    where = _written(node, placed[0]) or after(node, placed)
    if isinstance(where, str):
        raise DeviceError(f"{node.op} of a tensor on {', '.join(placed[0].devices)}: {where}")
    return where


def _result(node: UOp, operands: Sequence[Placement | None]) -> Placement | None:
    """Where a result of a function is, whose parameters are where the arguments are."""
    function = node.src[0].src[0]
    if function.op is not Ops.FUNCTION or function.arg[1] != "inline":
        raise DeviceError(
            "a function that is scheduled by itself takes tensors on one device: gather them with "
            ".to(device), or call it without precompile"
        )
    known: dict[UOp, Placement | None] = {}
    body = function.src[node.arg[0]]
    for inner in body.toposort(lambda n: n.op is not Ops.FUNCTION):
        if inner.op is Ops.PARAM:
            known[inner] = operands[inner.arg[0]]
        elif inner.op is not Ops.FUNCTION:
            known[inner] = _follow(inner, [known[s] for s in _asked(inner)])
    return known[body]


def after(node: UOp, operands: Sequence[Placement]) -> Placement | str:
    """Where the parts of a node are whose operands on several devices are there; or why no device
    can compute its part."""
    if len({p.devices for p in operands}) > 1:
        return f"another operand is on {', '.join(operands[1].devices)}"
    cut = [p for p in operands if p.axis is not None]
    if node.op is Ops.STORE and operands[-1].axis not in (None, operands[0].axis):
        target = operands[0].axis
        how = "replicated" if target is None else f"cut along axis {target}"
        return (
            f"the memory is {how}, the value cut along axis {operands[-1].axis}; cut it like the "
            f"memory with .shard(devices, {target})"
        )
    if not cut:
        return operands[0]
    first, axis = cut[0], cut[0].axis
    if any(p.axis != axis for p in cut):
        return (
            f"operands are cut along axes {axis} and {next(p.axis for p in cut if p != first)}; "
            "cut one of them like the other with .shard(devices, axis)"
        )
    if node.op.elementwise or node.op in _ALIKE:
        return first
    assert axis is not None
    if node.op is Ops.REDUCE_AXIS:
        return first._replace(axis=None if axis in node.arg[1] else axis)
    move = _MOVES.get(node.op)
    moved = move(node, axis, len(first.devices)) if move else f"no device can do {node.op} alone"
    return moved if isinstance(moved, str) else first._replace(axis=moved)


def _written(node: UOp, target: Placement) -> str:
    """Why the devices cannot do a STORE apart, if it goes where only one of them has memory."""
    memory = placement_of(node.src[0].base) if node.op is Ops.STORE else None
    if memory is None or memory.axis is None or target.axis is not None:
        return ""
    return (
        f"it is cut along axis {memory.axis}, of which a part is written; gather it with "
        f".to(device), write, and spread it again with .shard(devices, {memory.axis})"
    )


# ---- axes through movement -----------------------------------------------------------------------

_GATHER = "replicate it first with .shard(devices, None), or gather it with .to(device)"


def _reshaped(node: UOp, axis: int, count: int) -> int | str:
    """The axis of the new shape of which each device has a run of elements as before."""
    old, new = node.src[0].shape or (), node.shape or ()
    before = _product(old[:axis])
    for at, size in enumerate(new):
        if isinstance(size, int) and not size % count and _product(new[:at]) == before:
            return at
    return f"shape {old} is cut along axis {axis}, and {new} has no such axis; {_GATHER}"


def _product(sizes: Sequence[Dim]) -> object:
    known = prod([s for s in sizes if isinstance(s, int)])
    return known, tuple([s for s in sizes if not isinstance(s, int)])


def _permuted(node: UOp, axis: int, count: int) -> int | str:
    return int(node.arg.index(axis))


def _expanded(node: UOp, axis: int, count: int) -> int | str:
    return axis


def _padded(node: UOp, axis: int, count: int) -> int | str:
    if pairs(node.arg, node.src[1:])[axis] == (0, 0):
        return axis
    return f"it is cut along axis {axis}, which is padded; {_GATHER}"


def _shrunk(node: UOp, axis: int, count: int) -> int | str | None:
    size = (node.src[0].shape or ())[axis]
    bounds = pairs(node.arg, node.src[1:])[axis]
    if bounds == (0, size):
        return axis
    if part_with(size, bounds, count) is not None:
        return None
    return f"it is cut along axis {axis}, of which a part is taken; {_GATHER}"


def part_with(size: Dim, bounds: tuple[Dim, Dim], count: int) -> int | None:
    """The number of the part that has all elements between bounds; None if none has."""
    low, high = bounds
    if not (isinstance(size, int) and isinstance(low, int) and isinstance(high, int)):
        return None
    each = size // count
    inside = each and low < high and low // each == (high - 1) // each
    return low // each if inside else None


def _flipped(node: UOp, axis: int, count: int) -> int | str:
    if not node.arg[axis]:
        return axis
    return f"it is cut along axis {axis}, which is reversed; {_GATHER}"


_MOVES = {
    Ops.RESHAPE: _reshaped,
    Ops.PERMUTE: _permuted,
    Ops.EXPAND: _expanded,
    Ops.PAD: _padded,
    Ops.SHRINK: _shrunk,
    Ops.FLIP: _flipped,
}
