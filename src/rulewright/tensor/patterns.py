"""Methods that make the same nodes each time.

What a layer makes of its input hangs on shapes, dtypes and devices alone, and takes some twenty
steps with a tensor in between each time. So what was made of such arguments once before is made
again by its new nodes alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, NamedTuple, TypeVar, cast

from rulewright.driver.recent import Recent
from rulewright.forks import free_in_child
from rulewright.ir.dtypes import dtypes
from rulewright.ir.node import watching
from rulewright.ir.ops import Ops
from rulewright.ir.structure import Recipe
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.runtime.device import DISK
from rulewright.tensor.core import Core
from rulewright.tensor.function_nodes import stand_in
from rulewright.tensor.kinds import named_after
from rulewright.tensor.modes import has_inputs, is_grad_enabled
from rulewright.tensor.views import below_views

_Method = TypeVar("_Method", bound=Callable[..., Any])
_PLAIN = frozenset({bool, int, str, type(None)})
_MOST_KEPT = 256


class _Patterned(NamedTuple):
    """How a result is made of the arguments that are tensors, and where it is."""

    recipe: Recipe
    device: Any


_patterns: Recent[Any, _Patterned | bool | None] = Recent(_MOST_KEPT)
"""None: it was called once; False: what it gives is no new value."""
_guard = free_in_child(Lock())


def patterned(method: _Method) -> _Method:
    """A method of a tensor that gives a new value, whose nodes say nothing but shapes, dtypes and
    devices of tensors and values of other arguments. The second time that it is called with some
    such it is traced, over what stands for the tensors; later its nodes are made again."""

    @wraps(method)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        tensors: list[Core] = []
        kinds = [_kind_of(value, tensors) for value in (self, *args, *named.values())]
        if None in kinds or not options().CACHE or watching.get() is not None:
            return method(self, *args, **named)
        modes = dtypes.default_float, dtypes.default_int, is_grad_enabled()
        key = (method, *kinds, *named, *modes)
        with _guard:
            known, pattern = key in _patterns, _patterns.get(key)
            if not known:
                _patterns.put(key, None)
        if known and pattern is None:
            pattern = _trace(method, tensors, (self, *args), named) or False
            with _guard:
                _patterns.put(key, pattern)
        if not isinstance(pattern, _Patterned):
            return method(self, *args, **named)
        [node] = pattern.recipe.over([tensor.uop for tensor in tensors])
        return self._make(node, pattern.device)

    return cast(_Method, named_after(method, call))


def _kind_of(value: Any, tensors: list[Core]) -> Any:
    """What nodes may hang on of an argument; None if they may hang on more."""
    if isinstance(value, Core):
        node, device = value.uop, value._device
        shape = node.shape or ()
        known = device.__class__ is str and device != DISK and node.base.op is not Ops.CONST
        if not known or not all([size.__class__ is int for size in shape]):
            return None
        tensors.append(value)
        flows = is_grad_enabled() or has_inputs(node)
        return value.__class__, shape, node.dtype, device, flows
    if value.__class__ is float:
        return "float", repr(value)
    plain = value.__class__ in _PLAIN or (
        value.__class__ is tuple and all([size.__class__ is int for size in value])
    )
    return (value.__class__, value) if plain else None


def _stand_in(tensor: Core) -> UOp:
    """A PARAM for a tensor; detached where `no_grad()` has nothing to detach any more."""
    node = stand_in(tensor.uop, tensor._device)
    return node if is_grad_enabled() or has_inputs(tensor.uop) else node.detach()


def _trace(
    method: Callable[..., Any], tensors: list[Core], args: tuple[Any, ...], named: dict[str, Any]
) -> _Patterned | None:
    """What a method makes of PARAMs in the place of tensors; None if it shows one of them, makes
    memory, or calls what a subclass may do in its own way."""
    from rulewright.tensor.tensor import Tensor

    if any(tensor.__class__ is not Tensor for tensor in tensors):
        return None
    stands = [t.__class__._of(_stand_in(t), t._device, None) for t in tensors]
    rest = iter(stands)
    own = [next(rest) if isinstance(value, Core) else value for value in args]
    own_named = {k: next(rest) if isinstance(v, Core) else v for k, v in named.items()}
    result = method(*own, **own_named)
    numbers: dict[UOp, int] = {stand._node: place for place, stand in enumerate(stands)}
    recipe = Recipe.of([result.uop], numbers)
    is_new = not any(below_views(result.uop) is node for node in numbers)
    return _Patterned(recipe, result._device) if recipe and is_new else None
