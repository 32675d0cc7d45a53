"""Traces: what Python code does with tensors while it runs once, for `function` and for `jit`.

They share what is noted of a run, and differ in what runs. A `function` is traced at each call over
stand-ins without values: it needs no guards, and nothing inside of it can be computed. In a `jit`
code runs over memory and computes what it likes; kernels are captured, and guards say what they
depend on.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import MethodType, ModuleType
from typing import Any, NamedTuple

from rulewright.ir.uop import UOp
from rulewright.runtime.memories import age
from rulewright.tensor.alias import Alias
from rulewright.tensor.core import Core
from rulewright.tensor.registry import live_tensors, noting_tensors


class Before(NamedTuple):
    """A tensor as it was when a trace began; `base` is that of its alias, or its node."""

    tensor: Core
    uop: UOp
    alias: Alias | None
    base: UOp
    grad: Core | None

    def put_back(self) -> None:
        """Let the tensor be what it was."""
        tensor = self.tensor
        if tensor.uop is not self.uop:
            tensor.uop, tensor._alias = self.uop, self.alias
        if self.alias is not None:
            self.alias.base = self.base
        tensor.grad = self.grad


Entry = tuple[Core, UOp, Alias | None, UOp, Core | None]


def before_of(tensor: Core) -> Before:
    """A tensor as it is."""
    alias = tensor._alias
    base = tensor.uop if alias is None else alias.base
    return Before(tensor, tensor.uop, alias, base, tensor.grad)


class Trace:
    """What one run of Python code does with tensors: which it changes, makes and keeps.

    `before` are the tensors from outside as they were, but for those `without`: what `Before`
    holds, in plain tuples, which cost a tenth. Their memory is older than `mark`; what is made
    meanwhile is younger.
    """

    def __init__(self, without: Iterable[Core] = ()) -> None:
        others = {id(tensor) for tensor in without}
        self.before: list[Entry] = [
            (t, t.uop, a, t.uop if a is None else a.base, t.grad)
            for t in live_tensors()
            if id(t) not in others
            for a in [t._alias]
        ]
        self.mark = age()
        self._links: list[Any] = []

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Inside the block, the tensors that this thread makes are noted."""
        with noting_tensors() as self._links:
            yield

    def outside(self) -> list[Core]:
        """The tensors from outside, oldest first."""
        return [entry[0] for entry in self.before]

    def written(self) -> list[Core]:
        """Those of them that stand for another value than before."""
        return [entry[0] for entry in self.before if entry[0].uop is not entry[1]]

    def changed(self) -> list[Before]:
        """Those of them that have another value or another gradient than before, as they were."""
        return [Before(*e) for e in self.before if e[0].uop is not e[1] or e[0].grad is not e[4]]

    def kept(self, counts: Callable[[Core], bool]) -> Core | None:
        """The first tensor that the code made, that counts, and that somebody still holds."""
        if self._first(counts) is None:
            return None
        gc.collect()  # of what refers to itself nobody may hold anything any more
        return self._first(counts)

    def _first(self, counts: Callable[[Core], bool]) -> Core | None:
        alive = (tensor for tensor in (link() for link in self._links) if tensor is not None)
        return next((tensor for tensor in alive if counts(tensor)), None)


# ---- tensors in what is passed and returned ------------------------------------------------------


def rebuilt(value: Any, change: Callable[[Any], Any], kind: type = Core) -> Any:
    """Containers like `value`'s, with every tensor, or what is of another kind, changed."""
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[rebuilt(v, change, kind) for v in value])
    if isinstance(value, list | tuple):
        return type(value)([rebuilt(v, change, kind) for v in value])
    if isinstance(value, dict):
        return {k: rebuilt(v, change, kind) for k, v in value.items()}
    return value


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
        below = _parts(value)
        if below and id(value) not in seen:
            seen.add(id(value))
            stack.extend(reversed(below))
    return list(tensors.values())


def _parts(value: Any) -> list[Any]:
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, type | ModuleType):
        return []
    if isinstance(value, MethodType):
        return [value.__self__]
    return list(getattr(value, "__dict__", {}).values())
