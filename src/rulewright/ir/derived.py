"""What follows from a node and its operands: shape, open ranges, bounds, device, base.

The clauses `shape` and `interval` of `spec/20-ops.uop` say how; results are kept on the node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ShapeError
from rulewright.ir.node import UNSET
from rulewright.ir.ops import Bounds, Ops
from rulewright.ir.placement import placement_of
from rulewright.ir.shapes import Dim, as_dim

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp

Shape = tuple[Dim, ...]

_PLACED = Ops.group("Placed")
_READS = Ops.group("Read")
_VIEWS = Ops.group("Through")


_INFINITY = float("inf")
_RANGE, _CALL = Ops.RANGE, Ops.CALL
fill = object.__setattr__  # past the check that nobody changes a node


def _device_of(node: UOp) -> str | None:
    if node.op is Ops.MSTACK:
        axis, devices = node.arg
        return str(devices) if axis is None else f"{devices}@{axis}"
    device: str | None = node.arg if node.op is Ops.COPY else node.arg[2]
    return device


def _operands(node: UOp, values: Sequence[Any]) -> Sequence[Any]:
    """Values of the operands, arranged as the op's parameters: a tuple for a variadic one."""
    op = node.op
    if not op.variadic:
        return values
    return (*values[: op.fixed], *[tuple(values[op.fixed :])] * op.variadic)


def _shape_of(node: UOp) -> Shape | None:
    rule = node.op.shape_rule
    if rule is not None:
        try:
            operands = _operands(node, node.src) if node.op.variadic else node.src
            shape = rule(node.arg, node.dtype, *operands)
            if shape is None:
                return None
            if not shape:
                return ()
            return tuple([s if s.__class__ is int else as_dim(s) for s in shape])
        except ShapeError:
            raise
        except (AttributeError, IndexError, StopIteration, TypeError, ValueError) as error:
            shapes = ", ".join(str(s.shape) for s in node.src)
            raise ShapeError(
                f"{node.op}[{node.arg}]: no shape follows from operands of shapes {shapes}"
            ) from error
    common: Shape = ()
    for source in node.src:  # a scalar operand goes with any shape
        shape = source._shape
        if shape and common and shape != common:
            raise ShapeError(f"{node.op}: operands have shapes {common} and {shape}")
        common = common or shape or ()
    return common


def is_known(shape: Shape | None) -> bool:
    """Whether sizes are numbers, which no other operand is a part of."""
    return all(size.__class__ is int for size in shape or ())


def _ranges_of(node: UOp) -> tuple[UOp, ...]:
    op, src = node.op, node.src
    if op is _RANGE:
        return (*src[0].ranges, node)
    if not src or op is _CALL:
        return ()
    closes, most = op.closes, src[0]._ranges
    if closes is None:
        for source in src:
            ranges = source._ranges
            if ranges is not most and ranges:
                if most:
                    break
                most = ranges
        else:
            return most
    merged = dict.fromkeys([r for s in src for r in s._ranges])
    if closes is not None:
        for closed in src[closes:]:
            merged.pop(closed, None)
    return most if len(merged) == len(most) and closes is None else tuple(merged)


def interval_of(node: UOp) -> Bounds:
    """Inclusive bounds of a node whose operands have theirs already."""
    dtype = node.dtype
    full = Bounds(dtype.min, dtype.max)
    if dtype.is_float or node.op.row.get("interval") is None:
        return full
    rule = node.op.interval_rule
    assert rule is not None
    sources = [s._interval for s in node.src]
    for low, high in sources:
        if not (low > -_INFINITY and high < _INFINITY):
            return full
    ends = rule(node.arg, dtype, *_operands(node, sources))
    if ends is None or ends[0] < full.lo or ends[1] > full.hi:
        return full
    return Bounds(+ends[0], +ends[1])  # a truth value as a number


def valid_of(node: UOp) -> bool:
    """Whether a node is surely no INVALID index, where that is known of its operands."""
    if node.op in _READS or node.dtype.base != "index":
        return True
    if node.op is Ops.INVALID:
        return False
    return all(s._valid for s in node.src if s.dtype.base == "index")


def derive_shape(root: UOp) -> None:
    """Fill in the shape of a node, operands first and without recursion."""
    stack = [root]
    while stack:
        node = stack[-1]
        for source in node.src:
            if source._shape is UNSET:
                stack.append(source)
        if stack[-1] is node:
            stack.pop()
            if node._shape is UNSET:
                fill(node, "_shape", _shape_of(node))


def derive_ranges(root: UOp) -> None:
    """Fill in the open ranges of a node, operands first and without recursion."""
    stack = [root]
    while stack:
        node = stack[-1]
        for source in node.src:
            if source._ranges is UNSET:
                stack.append(source)
        if stack[-1] is node:
            stack.pop()
            if node._ranges is UNSET:
                fill(node, "_ranges", _ranges_of(node))


def derive(root: UOp, slot: str, rule: Callable[[UOp], Any]) -> None:
    """Fill another derived property, operands first and without recursion."""
    stack = [root]
    while stack:
        node, count = stack[-1], len(stack)
        for source in node.src:
            if getattr(source, slot) is UNSET:
                stack.append(source)
        if len(stack) == count:
            stack.pop()
            if getattr(node, slot) is UNSET:
                fill(node, slot, rule(node))


def device_of(root: UOp) -> str | None:
    """The device of the first memory below a node; None if there is none."""
    stack, seen = [root], {root}
    while stack:  # the way to the first memory, not all that is computed from it
        node = stack.pop()
        if node.op in _PLACED:
            if (device := _device_of(node)) is not None:
                return _placed(root, node, device)
            continue
        fresh = [s for s in node.src if s not in seen]
        seen.update(fresh)
        stack += fresh
    return None


def _placed(root: UOp, memory: UOp, device: str) -> str:
    """The device of what is computed from a memory there; of several, how they share it."""
    if root is memory or "," not in device:
        return device
    return str(placement_of(root))


def base_of(node: UOp) -> UOp:
    """The node under all movement ops, AFTERs and sub-buffers, noted on each of these."""
    passed = []
    while node.op in _VIEWS:
        if node._base is not UNSET:
            node = node._base
            break
        passed.append(node)
        node = node.src[0]
    for view in passed:
        fill(view, "_base", node)
    return node
