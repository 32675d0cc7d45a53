"""Functions that are called before and behind a layer's own call, as PyTorch's forward hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from itertools import count
from typing import Any, NamedTuple

from rulewright.nn import arguments
from rulewright.nn.names import Hinting

_numbers = count()


class _Hook(NamedTuple):
    """What is called, and how."""

    function: Callable[..., Any]
    with_kwargs: bool
    always_call: bool = False

    def before(
        self, layer: Any, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What the layer is called with, given what it would be."""
        if not self.with_kwargs:
            change = self.function(layer, args)
            if change is None:
                return args, named
            return change if isinstance(change, tuple) else (change,), named
        change = self.function(layer, args, named)
        if change is None:
            return args, named
        if not isinstance(change, tuple) or len(change) != 2:
            expected = "None, or a pair of a tuple of arguments and a dict of those by name"
            raise arguments.wrong(
                type(layer).__name__, "what a hook before it gives", expected, change
            )
        return change

    def behind(self, layer: Any, args: tuple[Any, ...], named: dict[str, Any], result: Any) -> Any:
        """What the layer gives, given what it would."""
        more = (args, named) if self.with_kwargs else (args,)
        change = self.function(layer, *more, result)
        return result if change is None else change


class Hooks:
    """The hooks of one layer, by number, in the order in which they are called."""

    def __init__(self) -> None:
        self.before: dict[int, _Hook] = {}
        self.behind: dict[int, _Hook] = {}

    def named_tensors(self) -> Mapping[str, Any]:
        """What hooks hold is no part of a model's state."""
        return {}

    def run(
        self, call: Callable[..., Any], layer: Any, args: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        """What a call gives with all hooks around it."""
        left, result = dict(self.behind), None
        try:
            for hook in tuple(self.before.values()):
                args, named = hook.before(layer, args, named)
            result = call(layer, *args, **named)
            for number, hook in self.behind.copy().items():
                left.pop(number, None)
                result = hook.behind(layer, args, named, result)
        except BaseException:
            for hook in left.values():
                if hook.always_call:
                    hook.behind(layer, args, named, result)
            raise
        return result


class RemovableHandle:
    """Takes a hook away: by `remove()`, or at the end of a `with` block."""

    def __init__(self, queue: dict[int, _Hook], number: int) -> None:
        self._queue = queue
        self.id = number

    def remove(self) -> None:
        """Call the hook no more; a second time it is nothing."""
        self._queue.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *raised: object) -> None:
        self.remove()


_CALL = "__call__"


class Hooked(Hinting):
    """What can be called with functions before it and behind it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if _CALL in vars(cls):
            setattr(cls, _CALL, _hooking(vars(cls)[_CALL]))

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call hook(layer, args) before each call of the layer; a value that it gives, or a tuple
        of them, is what the layer is called with.

        prepend: before the other hooks. with_kwargs: hook(layer, args, kwargs) gives None, or
        both. A jitted function calls hooks while it is captured: what they compute is captured
        with it, and what else they do is not done again. Raises UsageError for what is no function.
        """
        name = "register_forward_pre_hook"
        each = _Hook(
            arguments.called(name, "hook", hook), arguments.flag(name, "with_kwargs", with_kwargs)
        )
        return _added(name, self._own_hooks().before, each, prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:  # fmt: skip
        """Call hook(layer, args, result) behind each call of the layer; a value that it gives
        takes the result's place.

        with_kwargs: hook(layer, args, kwargs, result). always_call: also where the call raises an
        error, with the result so far or None. See `register_forward_pre_hook`.
        """
        name = "register_forward_hook"
        each = _Hook(
            arguments.called(name, "hook", hook),
            arguments.flag(name, "with_kwargs", with_kwargs),
            arguments.flag(name, "always_call", always_call),
        )
        return _added(name, self._own_hooks().behind, each, prepend)

    def _own_hooks(self) -> Hooks:
        own: Hooks = vars(self).setdefault("_hooks", Hooks())
        return own


def _hooking(call: Callable[..., Any]) -> Callable[..., Any]:
    """A class's own `__call__`, with the hooks of the object around it; one that a subclass calls
    as a part of its own has none."""

    @wraps(call)
    def __call__(self: Any, /, *args: Any, **named: Any) -> Any:
        around = vars(self).get("_hooks")
        if around is None or type(self).__call__ is not __call__:
            return call(self, *args, **named)
        return around.run(call, self, args, named)

    return __call__


def _added(name: str, queue: dict[int, _Hook], hook: _Hook, prepend: bool) -> RemovableHandle:
    number = next(_numbers)
    others = dict(queue) if arguments.flag(name, "prepend", prepend) else {}
    if others:
        queue.clear()
    queue[number] = hook
    queue.update(others)
    return RemovableHandle(queue, number)
