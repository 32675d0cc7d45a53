"""Values on several devices: which part each device has, and how far each can go alone.

A value is cut along an axis, each device having a part, or replicated: each device has all of it.
Parts are equal, but that the last ones have what is left of an axis that the devices do not divide:
of 5 rows two have 3 and 2, four have 2, 2, 1 and 0. Memory says so by its device, "C,C:1@0" or
"C,C:1"; of a value it follows from its operands.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from rulewright.errors import DeviceError
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim, pairs

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp


D = TypeVar("D", bound="Dim")


class Placement(NamedTuple):
    """Devices, and the axis along which each has its part; None where each has all."""

    devices: tuple[str, ...]
    axis: int | None

    def __str__(self) -> str:
        return joined(self.devices) + ("" if self.axis is None else f"@{self.axis}")

    def bounds(self, size: Dim, number: int) -> tuple[int, int]:
        """Between which elements of an axis of some size that is cut one device has its own."""
        assert isinstance(size, int), "what is cut has a known size"
        each = -(-size // len(self.devices))
        return min(number * each, size), min((number + 1) * each, size)

    def part(self, shape: Sequence[D], number: int) -> tuple[D | int, ...]:
        """The shape of what one device has of a value of this shape."""
        if self.axis is None or not shape:
            return tuple(shape)
        low, high = self.bounds(shape[self.axis], number)
        return (*shape[: self.axis], high - low, *shape[self.axis + 1 :])


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
        shapes = [where.part(shape, place) for place in range(len(where.devices))]
        parts = zip(shapes, where.devices, strict=True)
        _parts[buffer] = tuple([buffer.replace(arg=(number, part, d)) for part, d in parts])
    return _parts[buffer]


_known: WeakKeyDictionary[UOp, Placement | None] = WeakKeyDictionary()
_PLACED = Ops.group("Placed")
_ALIKE = Ops.group("Same") - {Ops.COPY} | Ops.group("Ordered")


def placement_of(root: UOp) -> Placement | None:
    """Where the parts of a value are; None for one that is on one device, or on any.

    Raises DeviceError for a value whose parts cannot be computed where their operands are.
    """
    return _followed(root, _known)


def _followed(root: UOp, known: MutableMapping[UOp, Placement | None]) -> Placement | None:
    """Where the parts of a value are, of which some values are known; notes what it learns."""
    stack = [root]
    while stack:
        node = stack[-1]
        missing = [s for s in _asked(node) if s not in known]
        stack += missing
        if not missing:
            stack.pop()
            if node not in known:
                known[node] = _follow(node, [known[s] for s in _asked(node)])
    return known[root]


def _asked(node: UOp) -> tuple[UOp, ...]:
    if node.op in _PLACED:
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
    where = after(node, placed)
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
    body = function.src[node.arg[0]]
    inner = body.toposort(lambda n: n.op is not Ops.FUNCTION)
    return _followed(body, {n: operands[n.arg[0]] for n in inner if n.op is Ops.PARAM})


def placed_like(value: UOp, like: UOp) -> UOp:
    """A value where another one is, if that is on several devices."""
    where = placement_of(like)
    if where is None or where == placement_of(value):
        return value
    return value.__class__(Ops.COPY, value.dtype, (value,), str(where))


def after(node: UOp, operands: Sequence[Placement]) -> Placement | str:
    """Where the parts of a node are whose operands on several devices are there; or why it has
    none. Operands that are cut otherwise than the first one are cut like it."""
    if len({p.devices for p in operands}) > 1:
        return f"another operand is on {', '.join(operands[1].devices)}"
    cut = [p for p in operands if p.axis is not None]
    if not cut or node.op is Ops.STORE:
        return operands[0]
    first, axis = cut[0], cut[0].axis
    if node.op.elementwise or node.op in _ALIKE:
        return first
    assert axis is not None
    if node.op is Ops.REDUCE_AXIS:
        return first._replace(axis=None if axis in node.arg[1] else axis)
    if node.op not in _MOVES:
        return f"no device can do {node.op} alone"
    kept = kept_axis(node, first)
    return first._replace(axis=_cut_again(node, first) if kept is None else kept)


# ---- axes through movement -----------------------------------------------------------------------


def are_apart(views: Sequence[UOp], memory: UOp) -> bool:
    """Whether through views, one of the other, each device sees its own part of a memory alone."""
    where = placement_of(memory)
    for view in views:
        if where is not None and where.axis is not None and view.op in _MOVES:
            axis = kept_axis(view, where)
            if axis is None:
                return False
            where = where._replace(axis=axis)
    return True


def kept_axis(node: UOp, where: Placement) -> int | None:
    """The axis of what movement makes along which each device has what it had before of a value
    that is cut; None if devices need what others have."""
    assert where.axis is not None
    return _MOVES[node.op](node, where.axis, len(where.devices))


def _cut_again(node: UOp, where: Placement) -> int | None:
    """The axis along which movement across a cut is cut again, if it is the same one and has equal
    parts; None where each device gets all of it."""
    assert where.axis is not None
    if node.op is Ops.FLIP:
        return where.axis
    if node.op in (Ops.RESHAPE, Ops.EXPAND):
        return None
    known = window_of(node, where.axis)
    return where.axis if known and not (known[1] - known[0]) % len(where.devices) else None


def window_of(node: UOp, axis: int) -> tuple[int, int] | None:
    """Between which elements of an axis a PAD or SHRINK shows it, those before and behind it being
    zeros; None where that is symbolic."""
    low, high = pairs(node.arg, node.src[1:])[axis]
    if not (isinstance(low, int) and isinstance(high, int)):
        return None
    if node.op is Ops.SHRINK:
        return low, high
    size = (node.src[0].shape or ())[axis]
    return (-low, size + high) if isinstance(size, int) else None


def _reshaped(node: UOp, axis: int, count: int) -> int | None:
    """The axis of the new shape of which each device has a run of elements as before."""
    old, new = node.src[0].shape or (), node.shape or ()
    before, run = _product(old[:axis]), _run(old, axis, count)
    for at, size in enumerate(new):
        if isinstance(size, int) and _product(new[:at]) == before and _run(new, at, count) == run:
            return at
    return None


def _run(shape: Sequence[Dim], axis: int, count: int) -> object:
    """How many elements the first of some devices has of a run along an axis and those behind it;
    "equal" where all have as many."""
    size = shape[axis]
    assert isinstance(size, int), "what is cut has a known size"
    return _product((-(-size // count), *shape[axis + 1 :])) if size % count else "equal"


def _product(sizes: Sequence[Dim]) -> object:
    known = prod([s for s in sizes if isinstance(s, int)])
    return known, tuple([s for s in sizes if not isinstance(s, int)])


def _permuted(node: UOp, axis: int, count: int) -> int | None:
    return int(node.arg.index(axis))


def _expanded(node: UOp, axis: int, count: int) -> int | None:
    return axis if (node.src[0].shape or ())[axis] == (node.shape or ())[axis] else None


def _framed(node: UOp, axis: int, count: int) -> int | None:
    return axis if window_of(node, axis) == (0, (node.src[0].shape or ())[axis]) else None


def _flipped(node: UOp, axis: int, count: int) -> int | None:
    return None if node.arg[axis] else axis


_MOVES = {
    Ops.RESHAPE: _reshaped,
    Ops.PERMUTE: _permuted,
    Ops.EXPAND: _expanded,
    Ops.PAD: _framed,
    Ops.SHRINK: _framed,
    Ops.FLIP: _flipped,
}
