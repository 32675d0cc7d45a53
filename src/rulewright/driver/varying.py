"""Programs that differ in numbers alone.

A number in a program is a constant of its kernels, so that another number is another program, to be
compiled anew: a loop in which one changes, such as a learning rate that decays, would compile in
each round. After a few programs that say the same but for some numbers, those that differed are
read from memory instead, and the program is one that was compiled before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from rulewright.driver.recent import Recent
from rulewright.driver.schedules import cache_lock
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.uop import UOp
from rulewright.runtime.memories import buffer_of, new_buffer
from rulewright.schedule.callify import BoundFunction

AS_CONSTANTS = 3
"""How many programs that differ in numbers alone are compiled before the next one reads them."""

_MOST_NODES = 1024  # of a program that is looked at: large ones seldom hold a number of a user's
_MOST_PROGRAMS = 1024


@dataclass
class _Alike:
    """Programs that differ in numbers alone: those of the first, and which differed since."""

    first: tuple[Any, ...]
    count: int = 0
    places: set[int] = field(default_factory=set)

    def take(self, values: tuple[Any, ...]) -> None:
        """Note the numbers of another one."""
        self.count += 1
        self.places.update(i for i, v in enumerate(values) if v != self.first[i])


_programs: Recent[tuple[Any, ...], _Alike] = Recent(_MOST_PROGRAMS)


def from_memory(function: BoundFunction) -> BoundFunction | None:
    """A function that reads those of its numbers that differed in functions like it; None if it is
    not known that any do."""
    devices = {buffer.arg[2] for buffer in function.buffers}
    order = function.body.toposort(_is_open)
    if len(devices) != 1 or len(order) > _MOST_NODES:
        return None
    constants = numbers_of(order)
    if not constants:
        return None
    values = tuple(constant.arg for constant in constants)
    likeness = _likeness(order, set(constants))
    with cache_lock:
        alike = _programs.get(likeness)
        if alike is None:
            alike = _programs.put(likeness, _Alike(values))
        alike.take(values)
        differing = [constants[place] for place in sorted(alike.places)]
        if alike.count <= AS_CONSTANTS or not differing:
            return None
    return _reading(function, differing, devices.pop())


def _likeness(order: Sequence[UOp], numbers: Collection[UOp]) -> tuple[Any, ...]:
    """What a program says but for its numbers, and where in memory it reads and writes."""
    place: dict[UOp, int] = {}
    parts: list[Any] = []
    for node in order:
        if node in numbers:
            parts.append(node.dtype)
        elif not node.src or node.op is Ops.FUNCTION:
            parts.append(node)
        else:
            arg = node.shape if node.op is Ops.SHRINK else node.arg
            parts.append((node.op, node.dtype, arg, *[place[s] for s in node.src]))
        place[node] = len(place)
    return tuple(parts)


def _reading(function: BoundFunction, constants: Sequence[UOp], device: str) -> BoundFunction:
    """A function with some of its constants in memory."""
    memo: dict[UOp, UOp] = {}
    body = read_in(function.body, constants, len(function.buffers), device, memo)
    buffers = (*function.buffers, *memories_with(constants, device))
    nodes = {node: memo.get(own, own) for node, own in function.nodes.items()}
    return replace(function, body=body, buffers=buffers, nodes=nodes)


def read_in(
    body: UOp, constants: Sequence[UOp], first: int, device: str, memo: dict[UOp, UOp]
) -> UOp:
    """A body that reads constants from parameters, numbered from the first one on; `memo` is told
    what each node becomes."""
    slots = {
        constant: UOp(Ops.PARAM, constant.dtype, (), (slot, (), device))
        for slot, constant in enumerate(constants, first)
    }
    return rebuild(body, _reader(slots), enter=_is_open, memo=memo)


def memories_with(constants: Sequence[UOp], device: str) -> list[UOp]:
    """A BUFFER node for each constant, which holds it."""
    return [_memory_with(constant, device) for constant in constants]


def _memory_with(constant: UOp, device: str) -> UOp:
    import numpy as np

    node = new_buffer(constant.dtype, (), device)
    buffer_of(node).allocate().copyin(np.array([constant.arg], constant.dtype.np))
    return node


def _is_open(node: UOp) -> bool:
    return node.op is not Ops.FUNCTION


def numbers_of(order: Sequence[UOp]) -> list[UOp]:
    """The constants that may be read from memory: finite numbers, which elementwise ops compute
    with, or which fill an array or an element."""
    users: dict[UOp, bool] = {}
    for node in order:
        takes = node.op.elementwise or node.op in (Ops.RESHAPE, Ops.EXPAND)
        takes = takes or (node.op is Ops.STORE and node.src[0].shape == ())
        for source in node.src:
            if source.op is Ops.CONST:
                users[source] = users.get(source, True) and takes
    return [node for node, fit in users.items() if fit and _is_number(node)]


def _is_number(constant: UOp) -> bool:
    kind = constant.dtype
    if kind is dtypes.index or kind.is_bool or constant.shape != ():
        return False
    return not kind.is_float or isfinite(constant.arg)


def _reader(slots: Mapping[UOp, UOp]) -> Any:
    """The change that puts memory in the place of constants, as often as their users are wide."""

    def read(node: UOp, src: tuple[UOp, ...]) -> UOp:
        shape = (node.shape or ()) if node.op.elementwise else ()
        wide = (1,) * len(shape)
        return node.over(
            tuple(
                slots[old].reshape(wide).expand(shape) if old in slots else new
                for old, new in zip(node.src, src, strict=True)
            )
        )

    return read
