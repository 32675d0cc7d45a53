"""Nodes of traced functions: a FUNCTION made of results, and calls of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.placement import text_of
from rulewright.ir.uop import UOp
from rulewright.tensor.metadata import caller, copy_metadata

Results = tuple[UOp, ...]


class Derivative(NamedTuple):
    """The derivative that a user gave, which argument each of the user's tensors became, and how
    many results the user's function returned: those that it wrote besides follow."""

    function: Callable[..., Any]
    arguments: tuple[int | None, ...]
    results: int | None = None  # all of them


class _Tracing(threading.local):
    owner: Any = None  # the innermost function that this thread is tracing
    depth = 0  # how many functions this thread is tracing
    stands = 0  # and how many stand-ins they have
    mark = 0  # memory from outside of the innermost one is older than this: see `memories.age`


tracing = _Tracing()

derivatives: WeakKeyDictionary[UOp, Derivative] = WeakKeyDictionary()
"""The derivatives that were given for FUNCTIONs whose id is not 0."""

_numbers: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
_ids = count(1)


def refuse_tracing(what: str) -> None:
    """Raise FunctionError if this thread traces a function, in which `what` cannot happen."""
    if tracing.depth:
        tracing.owner.refuse(f"{what} at {caller()}")


def function_id(function: Callable[..., Any]) -> int:
    """A number for a function of Python's: nodes that call the same are one node."""
    try:
        return _numbers.setdefault(function, next(_ids))
    except TypeError:  # takes no weak references
        return next(_ids)


def stand_in(like: UOp, device: Any) -> UOp:
    """A PARAM for an argument while a function is traced, unlike those of functions around it."""
    tracing.stands += 1
    return UOp(Ops.PARAM, like.dtype, (), (-tracing.stands, like.shape, text_of(device)))


class Closed(NamedTuple):
    """A FUNCTION, and the PARAMs and memory that its parameters stand for, in order."""

    function: UOp
    inputs: tuple[UOp, ...]


_SYMBOLIC = frozenset({Ops.BIND, Ops.VAR})


def closed(results: Sequence[UOp], name: str, kind: str) -> Closed | None:
    """A FUNCTION of everything that results are computed from: memory and PARAMs.

    Memory that is filled with what depends on PARAMs becomes memory of the function. None if a
    size depends on a variable.
    """
    body = UOp(Ops.TUPLE, dtypes.void, tuple(results))
    inner = _dependent(body)
    arguments: list[UOp] = []
    symbolic: list[UOp] = []
    scratch = count()

    def enter(node: UOp) -> bool:
        return node.op is not Ops.FUNCTION and not (_is_memory(node) and node not in inner)

    def own(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        symbolic.extend((node,) if node.op in _SYMBOLIC else ())
        if node in inner and node.op is Ops.BUFFER:
            return node.replace(op=Ops.SCRATCH, arg=(next(scratch), *node.arg[1:]))
        if node.op is Ops.FUNCTION or not (
            node.op is Ops.PARAM or (_is_memory(node) and node not in inner)
        ):
            return None
        base = node.base
        arguments.append(node)
        return UOp(Ops.PARAM, node.dtype, (), (len(arguments) - 1, base.arg[1], base.arg[2]))

    became: dict[UOp, UOp] = {}
    results_tuple = rebuild(body, own, enter=enter, memo=became)
    for node, new in became.items():
        copy_metadata(node, new)
    if symbolic or not all(isinstance(size, int) for r in results for size in r.shape or ()):
        return None
    function = UOp(Ops.FUNCTION, dtypes.void, results_tuple.src, (name, kind, 0))
    return Closed(function, tuple(arguments))


def _is_memory(node: UOp) -> bool:
    while node.op is Ops.AFTER:
        node = node.src[0]
    return node.op is Ops.BUFFER


def _dependent(body: UOp) -> set[UOp]:
    """Memory, and what it is after, that is filled with what depends on PARAMs."""
    order = body.toposort(lambda n: n.op is not Ops.FUNCTION)
    depends: set[UOp] = set()
    memory: set[UOp] = set()
    for node in order:
        if node.op is Ops.PARAM or not depends.isdisjoint(node.src):
            depends.add(node)
        if node.op is Ops.AFTER and node in depends and _is_memory(node):
            memory.add(node)
            while node.op is Ops.AFTER:
                node = node.src[0]
                memory.add(node)
                depends.add(node)
    # versions between, and other uses of the same memory, belong to it too
    bases = {n for n in memory if n.op is Ops.BUFFER}
    return memory | {n for n in order if _is_memory(n) and n.base in bases}


def called(function: UOp, arguments: Sequence[UOp]) -> Results:
    """The results of a call."""
    call = UOp(Ops.CALL, dtypes.void, (function, *arguments))
    return tuple(
        UOp(Ops.RESULT, result.dtype, (call,), (item, result.shape))
        for item, result in enumerate(function.src)
    )
