"""Symbolic sizes in guards: numbers of which only what holds of all their values is said.

`x.size < 2` holds for a tensor of n elements if n is surely below 2. Where the bounds of n leave
that open, the rule does not match: a call may bring either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulewright.ir.ops import Ops
from rulewright.ir.shapes import as_dim
from rulewright.ir.uop import UOp


class OpenSizeError(Exception):
    """What is asked of a symbolic size depends on which number it is."""


def holds(condition: Callable[[], Any]) -> Any:
    """The value of a guard; False where sizes leave it open."""
    try:
        return condition()
    except OpenSizeError:
        return False


def sizes(value: Any) -> Any:
    """A size or a shape whose symbolic parts, if any, are OpenSizes."""
    if isinstance(value, tuple):
        return tuple([OpenSize(s) if isinstance(s, UOp) else s for s in value])
    return OpenSize(value) if isinstance(value, UOp) else value


def _node(other: Any) -> Any:
    """The other operand for arithmetic with an index."""
    if isinstance(other, OpenSize):
        return other.node
    if isinstance(other, int):
        return other
    raise OpenSizeError


def _asks(compare: Callable[[UOp, Any], UOp]) -> Any:
    def method(self: OpenSize, other: Any) -> bool:
        answer = compare(self.node, _node(other)).simplify()
        if answer.op is not Ops.CONST:
            raise OpenSizeError
        return bool(answer.arg)

    return method


def _computes(compute: Callable[[UOp, Any], UOp]) -> Any:
    def method(self: OpenSize, other: Any) -> Any:
        return sizes(as_dim(compute(self.node, _node(other))))

    return method


def _open(*_: Any) -> Any:
    raise OpenSizeError


class OpenSize:
    """A symbolic size. Raises OpenSizeError for what its bounds leave open, and for its digits."""

    __slots__ = ("node",)

    def __init__(self, node: UOp) -> None:
        self.node = node

    __eq__, __ne__ = _asks(UOp.eq), _asks(UOp.ne)
    __lt__, __le__ = _asks(UOp.__lt__), _asks(UOp.__le__)
    __gt__, __ge__ = _asks(UOp.__gt__), _asks(UOp.__ge__)
    __add__, __sub__, __mul__ = map(_computes, (UOp.__add__, UOp.__sub__, UOp.__mul__))
    __radd__, __rsub__, __rmul__ = map(_computes, (UOp.__radd__, UOp.__rsub__, UOp.__rmul__))
    __floordiv__, __rfloordiv__ = map(_computes, (UOp.__floordiv__, UOp.__rfloordiv__))
    __mod__, __rmod__ = map(_computes, (UOp.__mod__, UOp.__rmod__))

    def __neg__(self) -> Any:
        return 0 - self

    def __bool__(self) -> bool:
        return bool(self != 0)

    __hash__ = __index__ = __int__ = __float__ = __abs__ = __invert__ = _open
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _open
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _open
