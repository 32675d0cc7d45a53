"""Page-locked host memory: the only host memory that copies run from and to beside kernels.

`StagingPool` has chunks that copies of other memory go through; `PinnedArrays` has arrays of users.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from bisect import bisect_right
from collections import deque
from math import prod
from typing import TYPE_CHECKING, Any

from rulewright.errors import DeviceRuntimeError, ShapeError
from rulewright.forks import free_in_child
from rulewright.runtime.cuda.driver import driver
from rulewright.runtime.cuda.streams import Block, is_idle, wait_for

if TYPE_CHECKING:
    import numpy as np

    from rulewright.runtime.cuda.device import CudaDevice

CHUNKS = {64 << 10: 32, 4 << 20: 8}
"""Bytes of a chunk, and how many there are at most."""
LARGEST = max(CHUNKS)


def _new(device: CudaDevice, nbytes: int) -> Block:
    api = driver()
    with device.lock:
        device.use()
        try:
            flags = int(api.CU_MEMHOSTALLOC_PORTABLE)
            return Block(int(device.check(api.cuMemHostAlloc(nbytes, flags))), nbytes)
        except MemoryError as error:
            raise DeviceRuntimeError(
                f"device {device.name}: the host has no {nbytes:,} bytes left that can be page-"
                f"locked ({error})"
            ) from error


def _size_of(nbytes: int) -> int:
    return next(size for size in CHUNKS if size >= nbytes)


class StagingPool:
    """Chunks of a few sizes, each used again once the copy that it served has ended."""

    def __init__(self, device: CudaDevice) -> None:
        self.device = device
        self._lock = free_in_child(threading.Lock())
        self._free: dict[int, deque[Block]] = {size: deque() for size in CHUNKS}
        self._counts = dict.fromkeys(CHUNKS, 0)
        self._returned = threading.Condition(self._lock)

    def take(self, nbytes: int) -> Block:
        """A chunk that nothing uses, of at least as many bytes; none has more than LARGEST.

        Where there is none, this waits for other threads: who has a chunk calls `take_another`.
        """
        chunk = self.take_another(nbytes)
        while chunk is None:
            with self._lock:
                self._returned.wait_for(lambda: self._may_take(_size_of(nbytes)))
            chunk = self.take_another(nbytes)
        return chunk

    def take_another(self, nbytes: int) -> Block | None:
        """A chunk as from `take`, or None where other threads have them all."""
        size = _size_of(nbytes)
        with self._lock:
            if not self._may_take(size):
                return None
            chunk = self._oldest(size)
            if chunk is None:
                self._counts[size] += 1
        if chunk is None:
            try:
                return _new(self.device, size)
            except BaseException:
                self._forget(size)
                raise
        try:
            wait_for(chunk)
        except BaseException:
            self.give(chunk)
            raise
        return chunk

    def _may_take(self, size: int) -> bool:
        return bool(self._free[size]) or self._counts[size] < CHUNKS[size]

    def _oldest(self, size: int) -> Block | None:
        """The chunk used longest ago, unless a new one need not be waited for."""
        free = self._free[size]
        if not free:
            return None
        with self.device.lock:
            self.device.use()
            idle = is_idle(free[0])
        return free.popleft() if idle or self._counts[size] >= CHUNKS[size] else None

    def _forget(self, size: int) -> None:
        with self._lock:
            self._counts[size] -= 1
            self._returned.notify()

    def give(self, chunk: Block) -> None:
        """Take back a chunk; a copy may still use it."""
        with self._lock:
            self._free[chunk.nbytes].append(chunk)
            self._returned.notify()


class PinnedArrays:
    """Arrays in page-locked memory, and which memory is theirs."""

    def __init__(self, device: CudaDevice) -> None:
        self.device = device
        self._lock = free_in_child(threading.Lock())
        self._begins: list[int] = []
        self._blocks: list[Block] = []
        self._dropped: deque[Block] = deque()

    def array(self, shape: Any, dtype: Any) -> np.ndarray[Any, Any]:
        """A new array, contents undefined. Raises DeviceRuntimeError if there is no such memory."""
        import numpy as np

        self._tidy()
        wanted = np.dtype(dtype)
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        count = prod(sizes)
        if min(sizes, default=0) < 0:
            raise ShapeError(f"an array needs sizes of 0 or more, found {shape}")
        block = _new(self.device, max(count * wanted.itemsize, 1))
        with self._lock:
            at = bisect_right(self._begins, block.address)
            self._begins.insert(at, block.address)
            self._blocks.insert(at, block)
        memory = (ctypes.c_uint8 * block.nbytes).from_address(block.address)
        # an array is dropped at any moment, in any thread: its memory goes later
        weakref.finalize(memory, self._dropped.append, block).atexit = False
        whole = np.frombuffer(memoryview(memory), np.uint8)[: count * wanted.itemsize]
        return whole.view(wanted).reshape(shape)

    def block_at(self, address: int, nbytes: int) -> Block | None:
        """The memory that these bytes are a part of; None if they are others."""
        if not self._begins:
            return None
        with self._lock:
            at = bisect_right(self._begins, address) - 1
            block = self._blocks[at] if at >= 0 else None
        inside = block is not None and address + nbytes <= block.address + block.nbytes
        return block if inside else None

    def _tidy(self) -> None:
        while self._dropped:
            block = self._dropped.popleft()
            wait_for(block)
            with self._lock:
                at = self._blocks.index(block)
                del self._begins[at], self._blocks[at]
            with self.device.lock:
                self.device.use()
                self.device.check(driver().cuMemFreeHost(block.address))
