"""What values hold: items of containers, attributes and slots of objects.

Whoever looks for tensors in what a user passes, returns or keeps looks here: functions that are
traced or captured (arguments, results, what lies around them), and the state of models. Tensors
are passed and returned in containers, which can be made again with others in their places; other
objects are looked into, and stay what they are. A dataclass is a container unless it is compared as
the object that it is (`eq=False`), or holds such objects, as models do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy
from dataclasses import fields
from functools import partial
from types import MemberDescriptorType, MethodType, ModuleType
from typing import Any, TypeVar

from rulewright.tensor.core import Core

STATIC = frozenset({bool, int, str, bytes, type(None)})
"""Classes of values that hold nothing, never change, and are the same if they are equal."""


def is_scalar(value: Any) -> bool:
    """Whether a value holds nothing and never changes: text, None, and Python's or numpy's numbers.

    Two of one class are the same if their `repr` is: it tells -0.0 from 0.0, and nan is nan.
    """
    kind = value.__class__
    if kind in STATIC or kind is float:
        return True
    if kind.__module__ != "numpy":
        return False
    import numpy as np

    return isinstance(value, np.number | np.bool_)


T = TypeVar("T")


# ---- containers ----------------------------------------------------------------------------------


def is_record(value: Any) -> bool:
    """Whether a value is of a dataclass, compared by what it holds, and holds no objects with
    tensors of their own: of layers it is a model, whose optimiser knows its very tensors."""
    kind = value.__class__
    if not hasattr(kind, "__dataclass_fields__") or kind.__eq__ is object.__eq__:
        return False
    parts = leaves([*items_of(value).values()])
    return not any(tensors_of(p) for p in parts if not (isinstance(p, Core) or is_scalar(p)))


def items_of(record: Any) -> dict[str, Any]:
    """What the fields of a dataclass hold, but for those that hold nothing yet."""
    names = [field.name for field in fields(record)]
    return {name: getattr(record, name) for name in names if hasattr(record, name)}


def rebuilt(value: Any, change: Callable[[Any], Any], kind: type = Core) -> Any:
    """Containers like `value`'s, with every tensor, or what is of another kind, changed."""
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[rebuilt(v, change, kind) for v in value])
    if isinstance(value, list | tuple):
        return type(value)([rebuilt(v, change, kind) for v in value])
    if isinstance(value, dict):
        items = {k: rebuilt(v, change, kind) for k, v in value.items()}
        return items if value.__class__ is dict else _dict_like(value, items)
    return _record_like(value, change, kind) if is_record(value) else value


def _dict_like(value: dict[Any, Any], items: dict[Any, Any]) -> dict[Any, Any]:
    """An OrderedDict, a defaultdict and the like with other values."""
    other = copy(value)
    for key, item in items.items():
        other[key] = item
    return other


def _record_like(value: Any, change: Callable[[Any], Any], kind: type) -> Any:
    """A dataclass with other values, of which `__init__` and `__post_init__` hear nothing; itself
    if nothing changes."""
    items = items_of(value)
    changed = {name: rebuilt(item, change, kind) for name, item in items.items()}
    if not any(changed[name] is not item for name, item in items.items()):
        return value
    other = copy(value)
    for name, item in changed.items():
        object.__setattr__(other, name, item)  # those of a frozen one too
    return other


def leaves(value: Any) -> Iterator[Any]:
    """What stands in nested containers, in order: tensors, and all that is no container."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif is_record(value):
        for item in items_of(value).values():
            yield from leaves(item)
    else:
        yield value


def tensors_in(value: Any) -> list[Core]:
    """The tensors of nested containers, in order: those that `rebuilt` would change."""
    return [leaf for leaf in leaves(value) if isinstance(leaf, Core)]


# ---- objects -------------------------------------------------------------------------------------


def tensors_of(*values: Any) -> list[Core]:
    """The tensors in containers and in attributes of objects, each once, in order."""
    tensors: dict[int, Core] = {}
    seen: set[int] = set()
    stack = list(reversed(values))
    while stack:
        value = stack.pop()
        if isinstance(value, Core):
            tensors.setdefault(id(value), value)
            continue
        below = () if is_scalar(value) else _parts(value)
        if below and id(value) not in seen:
            seen.add(id(value))
            stack.extend(reversed([*below]))
    return list(tensors.values())


_COLLECTIONS = (list, tuple, set, frozenset)


def _parts(value: Any) -> Collection[Any]:
    if isinstance(value, _COLLECTIONS):
        return [*value, *attributes(value).values()]
    if isinstance(value, dict):
        return [*value.values(), *attributes(value).values()]
    if isinstance(value, MethodType):
        return [value.__self__]
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    if is_wrapper(value):
        return [value.__wrapped__]
    return attributes(value).values()


def is_wrapper(value: Any) -> bool:
    """Whether a value is a function that `jit` or `function` made of another one."""
    return (type(value).__module__ or "").startswith("rulewright.tensor.") and hasattr(
        value, "__wrapped__"
    )


def attributes(value: Any) -> Mapping[str, Any]:
    """What an object holds in slots and in its `__dict__`. Nothing of classes and modules, and of
    jitted functions, nodes and dtypes: they refer to much, of which nothing is a part of it."""
    home = type(value).__module__ or ""
    if isinstance(value, type | ModuleType):
        return {}
    if home.startswith(("rulewright.tensor.", "rulewright.ir.")):
        return {}
    named: dict[str, Any] = getattr(value, "__dict__", {})
    if not hasattr(type(value), "__slots__"):
        return named
    slots = {name: getattr(value, name) for name in slot_names(value) if hasattr(value, name)}
    return {**slots, **named}


def slot_names(value: Any) -> tuple[str, ...]:
    """The names of an object's slots, those of its bases first; none for Python's own classes,
    which keep in them what they have computed."""
    kind = type(value)
    if (kind.__module__ or "").partition(".")[0] in sys.stdlib_module_names:
        return ()
    slotted = [vars(k) for k in reversed(kind.__mro__) if "__slots__" in vars(k)]
    return tuple([n for d in slotted for n, m in d.items() if isinstance(m, MemberDescriptorType)])
