"""The memory behind BUFFER nodes: a weak map from node to runtime buffer."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import count
from math import prod
from typing import Any
from weakref import ref

from rulewright.errors import DeviceError, ScheduleError
from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Ops
from rulewright.ir.placement import parts_of, placement
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import DISK, Device

_identities = count()


class _Memory(ref[UOp]):
    """A weak reference to a BUFFER node, its number, and the memory behind it."""

    __slots__ = ("buffer", "serial")
    serial: int
    buffer: Buffer


_memories: dict[int, _Memory] = {}  # by the node's number


def _forget(dead: _Memory) -> None:
    _memories.pop(dead.serial, None)


def _hold(node: UOp, buffer: Buffer) -> Buffer:
    """Let a buffer be behind a node; returns it."""
    memory = _Memory(node, _forget)
    memory.serial, memory.buffer = node.serial, buffer
    _memories[memory.serial] = memory
    return buffer


class Sharded(Buffer):
    """The memory of a BUFFER on several devices: a buffer on each, over which kernels run."""

    def __init__(self, parts: Sequence[Buffer], base: Sharded | None = None) -> None:
        first = parts[0]
        super().__init__(first.device, sum(p.size for p in parts), first.dtype)
        self.parts = tuple(parts)
        self.base = base

    @property
    def is_allocated(self) -> bool:
        """Whether memory is behind each part."""
        return all(part.is_allocated for part in self.parts)

    @property
    def block(self) -> Any:
        """Raises DeviceError: each part has one of its own."""
        raise self._whole()

    def _whole(self) -> DeviceError:
        names = ", ".join(part.device.name for part in self.parts)
        return DeviceError(f"memory on {names} is read and written part by part")

    def another(self) -> Sharded:
        """Memory of the same devices, sizes and dtype."""
        return Sharded([part.another() for part in self.parts])

    def view(self, offset: int, size: int, dtype: Any = None) -> Sharded:
        """All of it, as a view. Raises DeviceError for less."""
        if offset or size != self.size:
            raise self._whole()
        return Sharded([p.view(0, p.size, dtype) for p in self.parts], self)


def pieces(buffer: Buffer) -> tuple[Buffer, ...]:
    """The buffers that a memory is made of: one for each device that it is on."""
    return buffer.parts if isinstance(buffer, Sharded) else (buffer,)


def wholes(buffers: Set[Buffer]) -> set[Buffer]:
    """Memories on several devices, of which some of these are parts."""
    return {
        b for b in known_buffers() if isinstance(b, Sharded) and not buffers.isdisjoint(b.parts)
    }


def new_buffer(dtype: DType, shape: tuple[int, ...], device: str) -> UOp:
    """A BUFFER node for memory that does not exist before it is used.

    Raises DeviceError for DISK, whose memory is that of files.
    """
    where = device if "," in device else Device.canonical(device)  # several are canonical
    if where == DISK:
        raise DeviceError(
            f"nothing is computed on {DISK}: x.to('C') moves what is computed with, and "
            f"x.to('{DISK}:path') writes a result to a file"
        )
    node = UOp(Ops.BUFFER, dtype, (), (next(_identities), shape, where))
    if placement(where) is not None:
        buffer_of(node)  # so that `wholes` knows it, whichever part is used first
    return node


def age() -> int:
    """A number above that of every BUFFER node so far, and below that of those to come."""
    return next(_identities)


def another(node: UOp, like: Buffer) -> tuple[UOp, Buffer]:
    """A BUFFER node with the facts of another one, and its memory, made like the other's."""
    result = UOp(Ops.BUFFER, node.dtype, (), (next(_identities), *node.arg[1:]))
    buffer = like.another()
    return stand_for(result, buffer), buffer


def buffer_of(node: UOp) -> Buffer:
    """The memory of a BUFFER node, made at first use. It is freed with the node."""
    memory = _memories.get(node.serial)
    if memory is not None:
        return memory.buffer
    if node.op is not Ops.BUFFER:
        raise ScheduleError(f"expected a BUFFER, found {node.op}")
    _, shape, device = node.arg
    if placement(device) is not None:
        return _hold(node, Sharded([buffer_of(part) for part in parts_of(node)]))
    return _hold(node, Buffer(device, prod(shape), node.dtype))


def is_written(node: UOp) -> bool:
    """Whether the memory of a BUFFER node exists already."""
    memories = [_memories.get(part.serial) for part in parts_of(node)]
    return all([memory is not None and memory.buffer.is_allocated for memory in memories])


def stand_for(node: UOp, buffer: Buffer) -> UOp:
    """Let a BUFFER node stand for memory that exists; returns the node."""
    _hold(node, buffer)
    if isinstance(buffer, Sharded):
        for part, each in zip(parts_of(node), buffer.parts, strict=True):
            _hold(part, each)
    return node


def known_buffers() -> list[Buffer]:
    """The buffers behind all live BUFFER nodes."""
    return [memory.buffer for memory in list(_memories.values())]  # whatever threads make
