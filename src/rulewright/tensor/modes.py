"""Ways of computing that hold for a block of code: without gradients, or while training."""

from __future__ import annotations

from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from typing import Any
from weakref import WeakSet

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

_enabled: ContextVar[bool] = ContextVar("rulewright_gradients", default=True)
_used = False  # whether any block has ever changed it: most programs pay for a flag only
_ENDS = frozenset({Ops.DETACH, Ops.CONST, Ops.IOTA})
_INPUTS = frozenset({Ops.BUFFER, Ops.AFTER, Ops.PARAM})  # a PARAM while a function is traced
_free: WeakSet[UOp] = WeakSet()  # values that were seen to have no inputs


class GradMode(ContextDecorator):
    """A block, or a function, in which values get or do not get gradients; see `Tensor.no_grad`."""

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled
        self._tokens: list[Token[bool]] = []

    def _recreate_cm(self) -> GradMode:
        return GradMode(self.enabled)  # so that threads may share a decorated function

    def __enter__(self) -> GradMode:
        global _used
        _used = True
        self._tokens.append(_enabled.set(self.enabled))
        return self

    def __exit__(self, *error: object) -> None:
        _enabled.reset(self._tokens.pop())


def is_grad_enabled() -> bool:
    """Whether values computed here get gradients: false inside `no_grad()`, of this thread.

    >>> from rulewright import Tensor
    >>> with Tensor.no_grad():
    ...     Tensor.is_grad_enabled()
    False
    """
    return _enabled.get()


def settled(node: UOp) -> UOp:
    """A new value's node, which has no gradient inside of `no_grad()`."""
    if not _used or _enabled.get() or not node.dtype.is_float or node.op in _ENDS:
        return node
    if has_inputs(node):
        return node.detach()
    _free.add(node)
    return node


def has_inputs(node: UOp) -> bool:
    """Whether a value is computed from memory, but through a DETACH; the first one found tells."""
    seen: set[UOp] = set()
    stack = [node]
    while stack:
        node = stack.pop()
        if node.op in _INPUTS:
            return True
        if node not in seen and node.op not in _ENDS and node not in _free:
            seen.add(node)
            stack += node.src
    return False


class Training(ContextDecorator):
    """A block in which `Tensor.training` is set; see `Tensor.train`."""

    def __init__(self, kind: Any, mode: bool) -> None:
        self.kind, self.mode = kind, mode
        self._before: list[bool] = []

    def __enter__(self) -> Training:
        self._before.append(self.kind.training)
        self.kind.training = self.mode
        return self

    def __exit__(self, *error: object) -> None:
        self.kind.training = self._before.pop()
