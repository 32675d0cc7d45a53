"""Memory of the device, kept for reuse in stream order, and copies from and to the host.

A freed block keeps its `uses`, so it is given out again while kernels still use it: whoever gets it
comes behind them. Only what goes back to the driver is waited for.

Copies from the host go through page-locked memory, and return once the host's own may be written
again; the device may copy later. Up to SMALL bytes they run in the stream of kernels, which costs
no event; larger ones in a stream of their own, beside kernels.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rulewright.runtime.allocator import CachingAllocator
from rulewright.runtime.cuda.driver import driver
from rulewright.runtime.cuda.pinned import LARGEST, PinnedArrays, StagingPool
from rulewright.runtime.cuda.streams import Block, Stream, note, order, wait_for

if TYPE_CHECKING:
    from rulewright.runtime.cuda.device import CudaDevice

SMALL = 64 << 10
_IN_FLIGHT = 3  # pieces of a copy to the host that are under way at once


class CudaAllocator(CachingAllocator):
    """Device memory as blocks."""

    def __init__(self, device: CudaDevice) -> None:
        super().__init__(device.name)
        self.device = device
        self.staging, self.pinned = StagingPool(device), PinnedArrays(device)

    def _new(self, nbytes: int) -> Block:
        with self.device.lock:
            self.device.use()
            return Block(int(self.device.check(driver().cuMemAlloc(nbytes))), nbytes)

    def _release(self, block: Block) -> None:
        if self.device.lost:
            return  # with all that it had
        wait_for(block)
        with self.device.lock:
            self.device.use()
            self.device.check(driver().cuMemFree(block.address))

    def copy_in(self, block: Block, offset: int, data: memoryview) -> None:
        """Copy from the host; returns when the host memory may be written again.

        From an array of `CudaDevice.pinned` it returns at once, and the array may be written again
        after `synchronize`.
        """
        address = _address(data)
        own = self.pinned.block_at(address, data.nbytes)
        if own is not None:
            self._queue_in(block, offset, own, address, data.nbytes)
            return
        for begin, nbytes in _pieces(data.nbytes):
            chunk = self.staging.take(nbytes)
            try:
                ctypes.memmove(chunk.address, address + begin, nbytes)
                self._queue_in(block, offset + begin, chunk, chunk.address, nbytes)
            finally:
                self.staging.give(chunk)

    def _queue_in(self, block: Block, offset: int, host: Block, address: int, nbytes: int) -> None:
        device = self.device
        with device.lock:
            device.use()
            stream = device.streams.compute if nbytes <= SMALL else device.streams.copy_in
            order(stream, (block, host))
            to = block.address + offset
            device.check(driver().cuMemcpyHtoDAsync(to, address, nbytes, stream.handle))
            self._note_copy(stream, block, host)

    def copy_out(self, block: Block, offset: int, data: memoryview) -> None:
        """Copy to the host, after all operations so far that use the block; returns at its end."""
        address = _address(data)
        own = self.pinned.block_at(address, data.nbytes)
        if own is not None:
            self._queue_out(block, offset, own, address, data.nbytes)
            wait_for(own)
            return
        waiting: deque[tuple[Block, int, int]] = deque()
        try:
            for begin, nbytes in _pieces(data.nbytes):
                if len(waiting) == _IN_FLIGHT:
                    self._take_out(waiting, address)
                chunk = self.staging.take_another(nbytes) if waiting else None
                while waiting and chunk is None:
                    self._take_out(waiting, address)
                    chunk = self.staging.take_another(nbytes)
                chunk = chunk or self.staging.take(nbytes)
                waiting.append((chunk, begin, nbytes))
                self._queue_out(block, offset + begin, chunk, chunk.address, nbytes)
            while waiting:
                self._take_out(waiting, address)
        finally:
            for chunk, _, _ in waiting:
                self.staging.give(chunk)

    def _queue_out(self, block: Block, offset: int, host: Block, address: int, nbytes: int) -> None:
        device = self.device
        with device.lock:
            device.use()
            stream = device.streams.copy_out
            order(stream, (block, host))
            start = block.address + offset
            device.check(driver().cuMemcpyDtoHAsync(address, start, nbytes, stream.handle))
            self._note_copy(stream, block, host)

    def _note_copy(self, stream: Stream, *blocks: Block) -> None:
        """Note a copy that was queued: by an event of its own, if it runs beside kernels, so that
        nobody waits for more than it."""
        stream.queued()
        note(stream, blocks)
        if stream is not self.device.streams.compute:
            stream.mark(stream.count)

    def _take_out(self, waiting: deque[tuple[Block, int, int]], address: int) -> None:
        """Wait for the oldest piece, and put it where it belongs."""
        chunk, begin, nbytes = waiting[0]
        wait_for(chunk)
        ctypes.memmove(address + begin, chunk.address, nbytes)
        waiting.popleft()
        self.staging.give(chunk)


def _pieces(nbytes: int) -> Iterator[tuple[int, int]]:
    """Where the pieces of a copy begin, and their bytes."""
    for begin in range(0, nbytes, LARGEST):
        yield begin, min(LARGEST, nbytes - begin)


def _address(data: memoryview) -> int:
    import numpy as np

    return int(np.frombuffer(data, np.uint8).ctypes.data)
