"""Guards: Python values around a function, which a replay depends on.

Looked at are closure variables, globals that the function names (through functions of the user's
that it calls by such a name) and what is reached from there, and from objects among the arguments,
through attributes, slots, lists, tuples and dicts. Of arrays of numpy that are there the contents
are looked at, too, once they were copied into a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from operator import is_
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from rulewright.tensor.core import Core
from rulewright.tensor.nested import is_scalar, is_wrapper, leaves, slot_names

_MOST = 1000  # entries of a container that are looked at

_Read = Callable[[], Iterable[Any]]
"""What gives the values in a container, of closure variables, of some globals, of slots."""

_Contents = tuple[Any, Any, bytes]


class Guards:
    """Values reached from some roots, which `broken()` compares with what is there now.

    Of the arguments only what is reached from objects among them is looked at: each call
    has other lists of other tensors. `tensors` are those that were reached.
    """

    def __init__(self, roots: Iterable[Any], arguments: Iterable[Any] = ()) -> None:
        self._places: list[tuple[str, _Read, tuple[Any, ...]]] = []
        self._seen: dict[int, Any] = {}
        self._arrays: dict[int, tuple[str, Any]] = {}
        self._watched: set[int] = set()
        self.tensors: list[Core] = []
        objects = [leaf for leaf in leaves(list(arguments)) if not isinstance(leaf, Core)]
        for root in [*roots, *objects]:
            self._walk(root, "")
        del self._seen

    def broken(self) -> str | None:
        """The name of a place whose values are no longer the same, or None."""
        for name, read, before in self._places:
            now = tuple(read())
            if len(now) != len(before):
                return name
            if not all(map(is_, now, before)) and not all(map(_same, now, before)):
                return name
        return None

    def watch(self, array: Any) -> bool:
        """Look at the contents of an array from now on, if it was reached; whether it was."""
        name, reached = self._arrays.get(id(array), ("", None))
        if reached is not array:
            return False
        if id(array) not in self._watched:
            self._watched.add(id(array))
            contents = _contents(array)
            self._places.append((name, partial(_contents_now, array, contents), (contents,)))
        return True

    def let_be(self) -> None:
        """Look no more at values that are no longer the same."""
        places = []
        for name, read, before in self._places:
            now = tuple(read())
            if len(now) == len(before):
                kept = [b if _same(n, b) else _ANY for n, b in zip(now, before, strict=True)]
                places.append((name, read, tuple(kept)))
        self._places = places

    def _walk(self, value: Any, name: str) -> None:
        if id(value) in self._seen or is_scalar(value):
            return
        self._seen[id(value)] = value
        home = type(value).__module__ or ""
        if home.startswith("rulewright.ir."):  # nodes and ops, which do not change
            return
        if isinstance(value, Core):
            self.tensors.append(value)
        elif isinstance(value, np.ndarray):
            self._arrays[id(value)] = name, value
        elif is_wrapper(value):
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
            read = value.values if isinstance(value, dict) else value.__iter__
            self._note(name, read, value if isinstance(value, dict) else range(len(value)))
            self._walk_attributes(value, name)
        elif not isinstance(value, type | ModuleType):
            self._walk_object(value, name or type(value).__name__)

    def _walk_object(self, value: Any, name: str) -> None:
        self._walk_attributes(value, name)
        names = slot_names(value)
        if names:
            self._note(name, lambda: [getattr(value, each, None) for each in names], names)

    def _walk_attributes(self, value: Any, name: str) -> None:
        if hasattr(value, "__dict__"):  # a container of a class of a user's, or a Sequential, too
            self._note(name, vars(value).values, vars(value))

    def _note(self, name: str, read: _Read, names: Collection[Any]) -> None:
        if len(names) > _MOST:
            return
        values = tuple(read())
        self._places.append((name, read, values))
        for key, value in zip(list(names), values, strict=False):
            self._walk(value, f"{name}.{key}" if name else str(key))

    def _walk_function(self, function: FunctionType) -> None:
        if (function.__module__ or "").startswith("rulewright."):
            return
        code, space = function.__code__, function.__globals__
        cells = partial(map, _content, function.__closure__ or ())
        if code.co_freevars:
            self._note(f"closure of {function.__name__}", cells, code.co_freevars)
        names = dict.fromkeys(name for name in _names(code) if name in space)
        if names:
            self._note(f"globals of {function.__name__}", partial(map, space.get, names), names)
        if function.__defaults__:
            self._walk(function.__defaults__, "defaults")


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _contents(array: Any) -> _Contents:
    return array.shape, array.dtype, array.tobytes()


def _contents_now(array: Any, before: _Contents) -> tuple[_Contents]:
    """The contents of an array: if they equal what they were, that very object."""
    now = _contents(array)
    return (before if now == before else now,)


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
