"""Ways of computing that hold for a block of code: without gradients, or while training."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from typing import Any, TypeVar, overload
from weakref import WeakSet

from rulewright.ir.expected import refuse
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

F = TypeVar("F", bound=Callable[..., Any])

_enabled: ContextVar[bool] = ContextVar("rulewright_gradients", default=True)
_used = False  # whether any block has ever changed it: most programs pay for a flag only
_ENDS = frozenset({Ops.DETACH, Ops.CONST, Ops.IOTA})
_INPUTS = frozenset({Ops.BUFFER, Ops.AFTER, Ops.PARAM})  # a PARAM while a function is traced
_free: WeakSet[UOp] = WeakSet()  # values that were seen to have no inputs


class GradMode(ContextDecorator):
    """A block, or a function, in which values get or do not get gradients. See `no_grad`."""

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


@overload
def no_grad() -> GradMode: ...


@overload
def no_grad(function: F) -> F: ...


def no_grad(function: Any = None) -> Any:
    """A block in which computed values depend on no leaf: `with no_grad():` or `@no_grad()`.

    What is computed inside is as if detached, also after the block, and what is written changes
    values alone: gradients through a tensor that was written go on as before. It holds for this
    thread and task only. As in PyTorch; `@no_grad` without parentheses decorates too.

    >>> from rulewright import Tensor
    >>> x = Tensor([2.0], requires_grad=True)
    >>> with Tensor.no_grad():
    ...     y = x * 3
    >>> _ = (y * x).sum().backward()
    >>> x.grad.item()
    6.0
    """
    if function is not None and not callable(function):
        refuse("no_grad", "a function or nothing", function)
    mode = GradMode(False)
    return mode if function is None else mode(function)


def enable_grad() -> GradMode:
    """A block, inside of one of `no_grad()`, whose values get gradients again. As in PyTorch.

    >>> from rulewright import Tensor
    >>> with Tensor.no_grad(), Tensor.enable_grad():
    ...     Tensor.is_grad_enabled()
    True
    """
    return GradMode(True)


def inference_mode(mode: bool = True) -> GradMode:
    """PyTorch's other word for `no_grad()`; with `mode=False` a block that changes nothing.

    >>> from rulewright import Tensor
    >>> with Tensor.inference_mode():
    ...     Tensor.is_grad_enabled()
    False
    """
    if not isinstance(mode, bool):
        refuse("inference_mode", "True or False", mode)
    return GradMode(False if mode else _enabled.get())


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
