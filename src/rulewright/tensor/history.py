"""Derivatives through realised values.

Realising replaces a computed node by memory, and with it the graph that a gradient would follow.
For values that depend on leaves the graph is kept beside the memory, and put back while a
gradient is taken; in the result the memory stands again, so that nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import NamedTuple
from weakref import WeakKeyDictionary, WeakSet

from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.leaves import depending, leaf_nodes


class _Origin(NamedTuple):
    value: UOp  # what the memory was computed as
    time: int


_origins: WeakKeyDictionary[UOp, _Origin] = WeakKeyDictionary()
_overwritten: WeakKeyDictionary[UOp, int] = WeakKeyDictionary()
_severed: WeakSet[UOp] = WeakSet()
_clock = count(1)


def has_origin(memory: UOp) -> bool:
    """Whether a gradient would go on through this BUFFER, or must not."""
    return memory in _origins or memory in _severed


def any_origin() -> bool:
    """Whether there is any realised value that a gradient would go through."""
    return bool(_origins)


def sever(memory: UOp) -> None:
    """Let gradients through this BUFFER be errors: what it was computed from is not known."""
    _origins.pop(memory, None)
    _severed.add(memory)


def _check_whole(root: UOp, targets: Iterable[UOp]) -> None:
    """Raise UsageError if a gradient would go through memory that was severed."""
    ends = set(targets)
    for node in root.toposort(lambda n: n not in ends and n.op is not Ops.DETACH):
        if node in _severed and node not in ends:
            raise UsageError(
                f"a gradient goes through a value of shape {node.arg[1]} that crossed the border "
                "of a jitted function: call backward() inside of it together with all that the "
                "gradient needs, or detach() the value"
            )


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

    Memory is a BUFFER, or one after the kernels that will fill it. `values` are the computed nodes
    whose graph is to be kept; `overwritten` are the buffers that held something else before.
    """
    now = next(_clock)
    for buffer in overwritten:
        _overwritten[buffer] = now
        _origins.pop(buffer, None)
    for value in values:
        memory = changes[value]
        if memory.op in (Ops.BUFFER, Ops.AFTER):
            src = tuple(s.substitute(dict(changes)) for s in value.src)
            origin = _Origin(value.replace(src=src), now)
            _origins[memory.base] = origin


def _origin_of(node: UOp) -> _Origin | None:
    """What memory was computed as: a BUFFER, or one after the kernel that will fill it."""
    if node.op is Ops.AFTER and any(e.op is Ops.CALL for e in node.src[1:]):
        return _origins.get(node.base)
    return _origins.get(node) if node.op is Ops.BUFFER else None


def unfold(*roots: UOp) -> tuple[tuple[UOp, ...], dict[UOp, UOp]]:
    """Nodes with remembered graphs in place of memory, and the way back: graph to memory.

    Raises UsageError if memory that a graph reads was overwritten since.
    """
    if _severed:
        _check_whole(roots[0], roots[1:])
    graphs: dict[UOp, UOp] = {}
    sink = UOp.sink(*roots)
    stack = _remembered(sink)
    while stack:
        memory = stack[-1]
        origin = _origin_of(memory)
        if memory in graphs or origin is None:
            stack.pop()
            continue
        _check_fresh(origin)
        inner = _remembered(origin.value)
        missing = [n for n in inner if n not in graphs]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        graphs[memory] = origin.value.substitute({n: graphs[n] for n in inner})
    return sink.substitute(graphs).src, {graph: memory for memory, graph in graphs.items()}


def _remembered(root: UOp) -> list[UOp]:
    """Memory in a graph whose own graph is known; not looked for inside of kernels."""
    found = root.toposort(lambda n: _origin_of(n) is None)
    return [n for n in found if _origin_of(n) is not None]


def _check_fresh(origin: _Origin) -> None:
    for node in origin.value.toposort():
        if _overwritten.get(node, 0) > origin.time:
            raise UsageError(
                f"a gradient needs the old contents of a buffer of shape {node.arg[1]} that was "
                "assigned to since: take the gradient before the assignment, or detach()"
            )
