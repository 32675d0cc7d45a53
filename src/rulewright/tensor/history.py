"""Derivatives through realised values.

Realising replaces a computed node by memory, and with it the graph that a gradient would follow.
For values that depend on leaves the graph is kept beside the memory, and put back while a
gradient is taken; in the result the memory stands again, so that nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import NamedTuple
from weakref import WeakKeyDictionary

from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.leaves import depending, leaf_nodes


class _Origin(NamedTuple):
    value: UOp  # what the memory was computed as
    time: int


_origins: WeakKeyDictionary[UOp, _Origin] = WeakKeyDictionary()
_overwritten: WeakKeyDictionary[UOp, int] = WeakKeyDictionary()
_clock = count(1)


def differentiable(values: Iterable[UOp]) -> list[UOp]:
    """Those of some computed nodes that depend on leaves, or on what was computed from leaves."""
    leaves = leaf_nodes().union(_origins)
    if not leaves:
        return []
    wanted = list(values)
    found = depending(wanted, leaves)
    return [v for v in wanted if v in found]


def remember(values: Iterable[UOp], changes: Mapping[UOp, UOp], overwritten: Iterable[UOp]) -> None:
    """Note what was realised: `changes` maps nodes to their memory.

    `values` are the computed nodes whose graph is to be kept; `overwritten` are the buffers that
    held something else before.
    """
    now = next(_clock)
    for buffer in overwritten:
        _overwritten[buffer] = now
        _origins.pop(buffer, None)
    for value in values:
        memory = changes[value]
        if memory.op is Ops.BUFFER:
            src = tuple(s.substitute(dict(changes)) for s in value.src)
            _origins[memory] = _Origin(value.replace(src=src), now)


def unfold(*roots: UOp) -> tuple[tuple[UOp, ...], dict[UOp, UOp]]:
    """Nodes with remembered graphs in place of memory, and the way back: graph to memory.

    Raises UsageError if memory that a graph reads was overwritten since.
    """
    graphs: dict[UOp, UOp] = {}
    sink = UOp.sink(*roots)
    stack = [n for n in sink.toposort() if n in _origins]
    while stack:
        buffer = stack[-1]
        if buffer in graphs:
            stack.pop()
            continue
        value, time = _origins[buffer]
        inner = [n for n in value.toposort() if n.op is Ops.BUFFER]
        _check_fresh(inner, time)
        missing = [n for n in inner if n in _origins and n not in graphs]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        graphs[buffer] = value.substitute({n: graphs[n] for n in inner if n in graphs})
    return sink.substitute(graphs).src, {graph: memory for memory, graph in graphs.items()}


def _check_fresh(buffers: Iterable[UOp], time: int) -> None:
    for buffer in buffers:
        if _overwritten.get(buffer, 0) > time:
            raise UsageError(
                f"a gradient needs the old contents of a buffer of shape {buffer.arg[1]} that was "
                "assigned to since: take the gradient before the assignment, or detach()"
            )
