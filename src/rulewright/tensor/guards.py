"""Guards: Python values around a function, which a replay depends on.

Looked at are closure variables, globals that the function names (through functions of the user's
that it calls by such a name) and what is reached from there, and from objects among the arguments,
through attributes, slots, lists, tuples and dicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import is_
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from rulewright.tensor.core import Core
from rulewright.tensor.nested import is_scalar, is_wrapper, leaves, slot_names

_MOST = 1000  # entries of a container that are looked at


class Guards:
    """Values reached from some roots, which `broken()` compares with what is there now.

    Of the arguments only what is reached from objects among them is looked at: each call
    has other lists of other tensors. `tensors` are those that were reached.
    """

    def __init__(self, roots: Iterable[Any], arguments: Iterable[Any] = ()) -> None:
        self._places: list[tuple[str, Any, tuple[Any, ...]]] = []
        self._seen: dict[int, Any] = {}
        self.tensors: list[Core] = []
        objects = [leaf for leaf in leaves(list(arguments)) if not isinstance(leaf, Core)]
        for root in [*roots, *objects]:
            self._walk(root, "")
        del self._seen

    def broken(self) -> str | None:
        """The name of a place whose values are no longer the same, or None."""
        for name, place, before in self._places:
            now = _values(place)
            if len(now) != len(before):
                return name
            if not all(map(is_, now, before)) and not all(map(_same, now, before)):
                return name
        return None

    def let_be(self) -> None:
        """Look no more at values that are no longer the same."""
        places = []
        for name, place, before in self._places:
            now = _values(place)
            if len(now) == len(before):
                kept = [b if _same(n, b) else _ANY for n, b in zip(now, before, strict=True)]
                places.append((name, place, tuple(kept)))
        self._places = places

    def _walk(self, value: Any, name: str) -> None:
        if id(value) in self._seen or is_scalar(value):
            return
        self._seen[id(value)] = value
        if isinstance(value, Core):
            self.tensors.append(value)
            return
        home = type(value).__module__ or ""
        if home.startswith("rulewright.ir."):  # nodes and ops, which do not change
            return
        if is_wrapper(value):
            self._walk(value.__wrapped__, name)
        elif isinstance(value, MethodType):
            self._walk(value.__self__, "self")
            self._walk(value.__func__, name)
        elif isinstance(value, partial):
            for part in (value.func, value.args, value.keywords):
                self._walk(part, name)
        elif isinstance(value, FunctionType):
            self._walk_function(value)
        elif isinstance(value, dict | list | tuple):
            self._note(name, value)
            if hasattr(value, "__dict__"):  # of a class of a user's, or a Sequential
                self._note(name, vars(value))
        elif not isinstance(value, type | ModuleType):
            self._walk_object(value, name or type(value).__name__)

    def _walk_object(self, value: Any, name: str) -> None:
        if hasattr(value, "__dict__"):
            self._note(name, vars(value))
        names = slot_names(value)
        if names:
            self._note(name, _Slots(value, names), names)

    def _note(self, name: str, place: Any, names: Sequence[str] | None = None) -> None:
        if len(place) > _MOST:
            return
        values = _values(place)
        self._places.append((name, place, values))
        keys = names or (place if isinstance(place, dict) else range(len(values)))
        for key, value in zip(list(keys), values, strict=True):
            self._walk(value, f"{name}.{key}" if name else str(key))

    def _walk_function(self, function: FunctionType) -> None:
        if (function.__module__ or "").startswith("rulewright."):
            return
        cells = function.__closure__ or ()
        if cells:
            free = function.__code__.co_freevars
            self._note(f"closure of {function.__name__}", _Cells(cells), free)
        names = [n for n in _names(function.__code__) if n in function.__globals__]
        if names:
            used = _Globals(function.__globals__, tuple(dict.fromkeys(names)))
            self._note(f"globals of {function.__name__}", used, used.names)
        if function.__defaults__:
            self._walk(function.__defaults__, "defaults")


class _Cells(tuple):
    """Closure variables, as a container of their values."""


class _Globals:
    """Some globals, as a container of their values."""

    def __init__(self, space: dict[str, Any], names: tuple[str, ...]) -> None:
        self.space, self.names = space, names

    def __len__(self) -> int:
        return len(self.names)


class _Slots:
    """The slots of an object, as a container of their values."""

    def __init__(self, owner: Any, names: tuple[str, ...]) -> None:
        self.owner, self.names = owner, names

    def __len__(self) -> int:
        return len(self.names)


def _values(place: Any) -> tuple[Any, ...]:
    if isinstance(place, _Cells):
        return tuple([_content(cell) for cell in place])
    if isinstance(place, _Globals):
        return tuple([place.space.get(name) for name in place.names])
    if isinstance(place, _Slots):
        return tuple([getattr(place.owner, name, None) for name in place.names])
    return tuple(place.values()) if isinstance(place, dict) else tuple(place)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


_ANY = object()
"""Stands for a value that may become another."""


def _same(now: Any, before: Any) -> bool:
    if now is before or before is _ANY:
        return True
    return now.__class__ is before.__class__ and is_scalar(now) and repr(now) == repr(before)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
