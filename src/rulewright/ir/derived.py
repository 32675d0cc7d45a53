"""What follows from a node and its operands: shape, open ranges, bounds, device, base.

The clauses `shape` and `interval` of `spec/20-ops.uop` say how; results are kept on the node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ShapeError
from rulewright.ir.node import _UNSET, Node
from rulewright.ir.ops import Bounds, Ops
from rulewright.ir.shapes import Dim, as_dim

if TYPE_CHECKING:
    from typing_extensions import Self

Shape = tuple[Dim, ...]

_PLACED = frozenset({Ops.BUFFER, Ops.SCRATCH, Ops.PARAM, Ops.COPY})
_READS = frozenset({Ops.INDEX, Ops.LOAD})
_VIEWS = Ops.group("Movement") | {Ops.AFTER, Ops.SUBBUFFER, Ops.DETACH}


_INFINITY = float("inf")
_RANGE, _CALL = Ops.RANGE, Ops.CALL
_fill = object.__setattr__  # past the check that nobody changes a node


def _device_of(node: DerivedNode) -> str | None:
    device: str | None = node.arg if node.op is Ops.COPY else node.arg[2]
    return device


def _operands(node: DerivedNode, values: Sequence[Any]) -> Sequence[Any]:
    """Values of the operands, arranged as the op's parameters: a tuple for a variadic one."""
    op = node.op
    if not op.variadic:
        return values
    return (*values[: op.fixed], *[tuple(values[op.fixed :])] * op.variadic)


def _shape_of(node: DerivedNode) -> Shape | None:
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
    found: Shape = ()
    for source in node.src:  # a scalar operand goes with any shape
        shape = source._shape
        if shape and found and shape != found:
            raise ShapeError(f"{node.op}: operands have shapes {found} and {shape}")
        found = found or shape or ()
    return found


def _is_known(shape: Shape | None) -> bool:
    """Whether sizes are numbers, which no other operand is a part of."""
    return all(size.__class__ is int for size in shape or ())


def _ranges_of(node: DerivedNode) -> tuple[DerivedNode, ...]:
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


def _interval_of(node: DerivedNode) -> Bounds:
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
    found = rule(node.arg, dtype, *_operands(node, sources))
    if found is None or found[0] < full.lo or found[1] > full.hi:
        return full
    return Bounds(+found[0], +found[1])  # a truth value as a number


def _valid_of(node: DerivedNode) -> bool:
    if node.op in _READS or node.dtype.base != "index":
        return True
    if node.op is Ops.INVALID:
        return False
    return all(s._valid for s in node.src if s.dtype.base == "index")


class DerivedNode(Node):
    """A node with the properties that follow from its operands."""

    __slots__ = ()

    @property
    def shape(self) -> Shape | None:
        """Sizes of the value's axes: () for a scalar, None for an effect without value."""
        if self._shape is _UNSET:
            self._derive_shape()
        return self._shape

    def _derive_shape(self) -> None:
        stack = [self]
        while stack:
            node = stack[-1]
            for source in node.src:
                if source._shape is _UNSET:
                    stack.append(source)
            if stack[-1] is node:
                stack.pop()
                if node._shape is _UNSET:
                    _fill(node, "_shape", _shape_of(node))

    def over(self, src: tuple[Self, ...]) -> Self:
        """This op on other operands, each of the shape of the one in whose place it is."""
        if src == self.src:
            return self
        made, shape = type(self)(self.op, self.dtype, src, self.arg), self._shape
        if made._shape is _UNSET and shape is not _UNSET and _is_known(shape):
            _fill(made, "_shape", shape)
        return made

    @property
    def ranges(self) -> tuple[Self, ...]:
        """The RANGEs that are open at this node, in order of first use."""
        if self._ranges is _UNSET:
            self._derive_ranges()
        return self._ranges

    def _derive_ranges(self) -> None:
        stack = [self]
        while stack:
            node = stack[-1]
            for source in node.src:
                if source._ranges is _UNSET:
                    stack.append(source)
            if stack[-1] is node:
                stack.pop()
                if node._ranges is _UNSET:
                    _fill(node, "_ranges", _ranges_of(node))

    def note_ranges(self, ranges: tuple[Self, ...]) -> None:
        """Say which RANGEs are open here, where that is known before it is asked for."""
        _fill(self, "_ranges", ranges)

    @property
    def interval(self) -> Bounds:
        """Inclusive bounds of the value; those of the dtype if nothing better is known."""
        if self._interval is _UNSET:
            self._derive("_interval", _interval_of)
        return self._interval

    @property
    def valid(self) -> bool:
        """Whether this is surely no INVALID index: none is in what it is computed from."""
        if self.dtype.base != "index":
            return True
        if self._valid is _UNSET:
            self._derive("_valid", _valid_of)
        return self._valid

    def _derive(self, slot: str, rule: Callable[[Self], Any]) -> None:
        """Fill a cached property, operands first and without recursion."""
        stack = [self]
        while stack:
            node, count = stack[-1], len(stack)
            for source in node.src:
                if getattr(source, slot) is _UNSET:
                    stack.append(source)
            if len(stack) == count:
                stack.pop()
                if getattr(node, slot) is _UNSET:
                    _fill(node, slot, rule(node))

    @property
    def vmin(self) -> int | float:
        """The lower bound of the value."""
        return self.interval.lo

    @property
    def vmax(self) -> int | float:
        """The upper bound of the value."""
        return self.interval.hi

    @property
    def size(self) -> Dim:
        """Number of elements; the trip count of a RANGE."""
        if self.op is Ops.RANGE or self.op is Ops.SPECIAL:
            return as_dim(self.src[0])  # type: ignore[arg-type]  # every node is a UOp
        product: Any = 1
        for dim in self.shape or ():
            product = product * dim
        return as_dim(product)

    @property
    def max_shape(self) -> tuple[int, ...]:
        """The shape with each symbolic size at its upper bound."""
        return tuple([s if isinstance(s, int) else int(s.vmax) for s in self.shape or ()])

    @property
    def device(self) -> str | None:
        """The device that holds the value; None if it needs none (constants, effects)."""
        stack, seen = [self], {self}
        while stack:  # the way to the first memory, not all that is computed from it
            node = stack.pop()
            if node.op in _PLACED:
                if (device := _device_of(node)) is not None:
                    return device
                continue
            fresh = [s for s in node.src if s not in seen]
            seen.update(fresh)
            stack += fresh
        return None

    @property
    def base(self) -> Self:
        """The node under all movement ops, AFTERs and sub-buffers: what really holds the data."""
        node = self
        passed = []
        while node.op in _VIEWS:
            if node._base is not _UNSET:
                node = node._base
                break
            passed.append(node)
            node = node.src[0]
        for view in passed:
            _fill(view, "_base", node)
        return node
