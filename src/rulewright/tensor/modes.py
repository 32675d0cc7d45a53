"""Ways of computing that hold for a block of code: without gradients, or while training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ContextDecorator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    from typing_extensions import Self

_enabled: ContextVar[bool] = ContextVar("rulewright_gradients", default=True)
_used = False  # whether any block has ever changed it: most programs pay for a flag only
_ENDS = frozenset({Ops.DETACH, Ops.CONST, Ops.IOTA})
_INPUTS = frozenset({Ops.BUFFER, Ops.AFTER, Ops.PARAM})  # a PARAM while a function is traced
_free: WeakSet[UOp] = WeakSet()  # values that were seen to have no inputs


class ModeBlock(ABC, ContextDecorator):
    """A block, or a function, in which a mode holds that is another outside.

    What it was comes back with the block itself, if Ctrl-C is heard before `__exit__` begins.
    """

    _before: Any = ()

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self._before = []

    @property
    @abstractmethod
    def now(self) -> bool:
        """The mode that holds."""

    @abstractmethod
    def set(self, mode: bool) -> None:
        """Let a mode hold."""

    def __enter__(self) -> Self:
        self._before.append(self.now)
        self.set(self.mode)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before:
            self.set(self._before[-1])
            self._before.pop()

    __del__ = __exit__


class GradMode(ModeBlock):
    """A block in which values get or do not get gradients; see `Tensor.no_grad`."""

    def _recreate_cm(self) -> GradMode:
        return GradMode(self.mode)  # so that threads may share a decorated function

    @property
    def now(self) -> bool:
        """The mode that holds."""
        return _enabled.get()

    def set(self, mode: bool) -> None:
        """Let a mode hold."""
        global _used
        _used = True
        _enabled.set(mode)


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


class Training(ModeBlock):
    """A block in which `Tensor.training` is set; see `Tensor.train`."""

    def __init__(self, kind: Any, mode: bool) -> None:
        super().__init__(mode)
        self.kind = kind

    @property
    def now(self) -> bool:
        """The mode that holds."""
        return bool(self.kind.training)

    def set(self, mode: bool) -> None:
        """Let a mode hold."""
        self.kind.training = mode
