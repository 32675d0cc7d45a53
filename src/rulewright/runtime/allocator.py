"""Memory that is kept for reuse: fresh large blocks cost page faults, used ones do not.

Freed blocks wait in a list for each size class; a class lies at most 1/32 above the size asked
for, or 63 bytes. When more is cached than was ever live at once, the classes unused for longest
are given back to the system.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from rulewright.errors import DeviceRuntimeError, RulewrightError
from rulewright.forks import make_free

if TYPE_CHECKING:
    import numpy as np

ALIGNMENT = 64  # bytes: a cache line and the widest vector register
_PAGE = 4096
_MANY_PAGES = 16
"""From so many pages on memory begins with one, as runs of rows that fill pages then do."""
_SMALLEST = 64
_CACHE_FLOOR = 64 << 20  # bytes that may always be cached


@lru_cache(4096)
def size_class(nbytes: int) -> int:
    """Bytes really allocated for `nbytes`: powers of two and 31 steps between them."""
    if nbytes <= _SMALLEST:
        return _SMALLEST
    step = max(1 << max((nbytes - 1).bit_length() - 6, 0), ALIGNMENT)
    return -(-nbytes // step) * step


@dataclass(frozen=True)
class MemoryStatistics:
    """Bytes in live blocks, the most there were since `reset_peak`, bytes kept for reuse, and how
    often a block was reused or freshly made."""

    live: int
    peak: int
    cached: int
    reused: int
    fresh: int


_all: WeakSet[CachingAllocator] = WeakSet()


def _in_child() -> None:
    """Whichever thread held a lock is not in a fork's child."""
    for allocator in _all:
        make_free(allocator._lock)


os.register_at_fork(after_in_child=_in_child)


class CachingAllocator(ABC):
    """Blocks by size class over `_new` and `_release`, which each kind of memory defines.

    `free` may be called from a finalizer, at any moment and in any thread: it only queues.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._free: dict[int, list[Any]] = {}  # size class -> blocks; oldest use first
        self._queued: deque[tuple[Any, int]] = deque()
        _all.add(self)
        self._live = self._peak = self._most = self._cached = self._reused = self._fresh = 0

    @abstractmethod
    def _new(self, nbytes: int) -> Any:
        """Take memory from the system; raises MemoryError if there is none."""

    def _release(self, block: Any) -> None:  # noqa: B027  # dropping the block is enough for most
        """Give a block back to the system."""

    def allocate(self, nbytes: int) -> Any:
        """A block of at least `nbytes` bytes, contents undefined.

        Raises DeviceRuntimeError when memory is exhausted, cached blocks given back included, or
        cannot be had for another reason.
        """
        size = size_class(nbytes)
        with self._lock:
            self._take_queued()
            blocks = self._free.get(size)
            if blocks:
                block = blocks.pop()
                self._cached -= size
                self._reused += 1
            else:
                block = self._make(size)
                self._fresh += 1
            self._live += size
            self._peak = max(self._peak, self._live)
            self._most = max(self._most, self._live)
        return block

    def _make(self, size: int) -> Any:
        try:
            try:
                return self._new(size)
            except MemoryError:
                self._trim_to(0)
            return self._new(size)
        except MemoryError as error:
            raise DeviceRuntimeError(
                f"device {self.name} has no {size:,} bytes left; {self._live:,} bytes are in use "
                f"by live buffers ({error})"
            ) from error
        except RulewrightError:
            raise
        except Exception as error:  # whatever an allocator of another package raises
            raise DeviceRuntimeError(
                f"device {self.name} gave no {size:,} bytes: {type(error).__name__}: {error}"
            ) from error

    def free(self, block: Any, nbytes: int) -> None:
        """Take back a block that `allocate(nbytes)` gave."""
        self._queued.append((block, size_class(nbytes)))

    def _take_queued(self) -> None:
        while self._queued:
            block, size = self._queued.popleft()
            blocks = self._free.pop(size, [])
            blocks.append(block)
            self._free[size] = blocks  # now the class used last
            self._live -= size
            self._cached += size
        limit = max(self._most, _CACHE_FLOOR)
        if self._cached > limit:
            self._trim_to(limit)

    def _trim_to(self, limit: int) -> None:
        for size in list(self._free):
            blocks = self._free[size]
            while blocks and self._cached > limit:
                self._release(blocks.pop())
                self._cached -= size
            if not blocks:
                del self._free[size]

    def trim(self) -> int:
        """Give all cached blocks back to the system; returns how many bytes that were."""
        with self._lock:
            self._take_queued()
            cached = self._cached
            self._trim_to(0)
            return cached - self._cached

    def reset_peak(self) -> None:
        """Count the most bytes that are live at once anew."""
        with self._lock:
            self._take_queued()
            self._peak = self._live

    def statistics(self) -> MemoryStatistics:
        """Counts at this moment."""
        with self._lock:
            self._take_queued()
            return MemoryStatistics(self._live, self._peak, self._cached, self._reused, self._fresh)

    @abstractmethod
    def copy_in(self, block: Any, offset: int, data: memoryview) -> None:
        """Copy bytes from the host to `block` at byte `offset`."""

    @abstractmethod
    def copy_out(self, block: Any, offset: int, data: memoryview) -> None:
        """Copy bytes from `block` at byte `offset` into the writable host memory `data`."""


@dataclass(frozen=True, eq=False)
class HostBlock:
    """Host memory: bytes as an array that owns them, and the address of the first, aligned."""

    bytes: np.ndarray
    address: int


class HostAllocator(CachingAllocator):
    """Ordinary memory aligned to 64 bytes, or 4096 where it is many pages. From 4 MiB on, numpy
    advises huge pages for it."""

    def _new(self, nbytes: int) -> HostBlock:
        import numpy as np

        alignment = ALIGNMENT if nbytes < _MANY_PAGES * _PAGE else _PAGE
        raw = np.empty(nbytes + alignment, np.uint8)
        start = raw.__array_interface__["data"][0]
        skip = -start % alignment
        return HostBlock(raw[skip : skip + nbytes], start + skip)

    def copy_in(self, block: HostBlock, offset: int, data: memoryview) -> None:
        """Copy bytes into the block."""
        block.bytes.data[offset : offset + data.nbytes] = data

    def copy_out(self, block: HostBlock, offset: int, data: memoryview) -> None:
        """Copy bytes out of the block."""
        data[:] = block.bytes.data[offset : offset + data.nbytes]
