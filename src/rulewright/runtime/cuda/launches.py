"""Kernels of a cubin with their arguments, queued in the stream of kernels."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import DeviceRuntimeError
from rulewright.options import options
from rulewright.profile import record
from rulewright.runtime.buffer import NOWHERE, Buffer
from rulewright.runtime.cuda.driver import driver
from rulewright.runtime.cuda.streams import Block, Stopwatch, note, order
from rulewright.runtime.device import Launch, Program
from rulewright.runtime.gpu import Grid, GroupedRuntime, dynamic_memory

if TYPE_CHECKING:
    from rulewright.runtime.cuda.device import CudaDevice

Sizes = tuple[int, int, int]


class CudaLaunch(Launch):
    """A kernel function with its parameters where the driver reads them: eight bytes each.

    `blocks` are the memories of the buffers, in their places; None where memory comes later. What
    `values` and `groups` hold may be set between runs: the driver reads them as it is called.
    """

    def __init__(
        self, runtime: CudaRuntime, sizes: tuple[Sizes, Sizes], buffers: Any, variables: Any
    ) -> None:
        self.runtime, self._buffers = runtime, buffers
        self.groups, self.items = sizes
        self.blocks: list[Block | None] = [None if b is NOWHERE else b.block for b in buffers]
        pairs = zip(self.blocks, buffers, strict=True)
        addresses = [0 if block is None else block.address + b.offset for block, b in pairs]
        count = len(addresses) + len(variables)
        self.values = (ctypes.c_int64 * count)(*addresses, *variables)
        first = ctypes.addressof(self.values)
        self._pointers = (ctypes.c_void_p * count)(*range(first, first + 8 * count, 8))
        self.parameters = ctypes.addressof(self._pointers)

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.runtime.name

    def _queue(self, watch: Stopwatch | None = None) -> None:
        device, blocks = self.runtime.device, [b for b in self.blocks if b is not None]
        with device.lock:
            device.use()
            stream = device.streams.compute
            order(stream, blocks)
            if watch is not None:
                watch.record(False, stream)
            launch, function = driver().cuLaunchKernel, self.runtime.function
            sizes = (*self.groups, *self.items)
            shared = self.runtime.shared
            if 0 not in self.groups:
                result = launch(function, *sizes, shared, stream.handle, self.parameters, 0)
                device.check(result, self.name)
            stream.queued(self.name)
            note(stream, blocks)
            if watch is not None:
                watch.record(True, stream)

    def __call__(self, wait: bool = False) -> float | None:
        """Queue the kernel; if asked, wait, and return the seconds that it took on the device."""
        if not wait:
            self._queue()
            return None
        device = self.runtime.device
        device.synchronize()  # an error from now on is this kernel's, and nothing runs beside it
        watch = device.take_watch()
        try:
            self._queue(watch)
            seconds = watch.seconds()
            device.synchronize()
        except DeviceRuntimeError as error:
            error.is_late = False
            raise
        device.give_watch(watch)
        if options().PROFILE:
            end = time.perf_counter_ns()
            record("kernel", self.name, end - int(seconds * 1e9), end)
        return seconds


class CudaRuntime(GroupedRuntime):
    """A loaded cubin's kernel. Parameters: buffers in order, then variables as `long long`."""

    def __init__(self, device: CudaDevice, program: Program) -> None:
        self.device, self.name = device, program.name
        with device.lock:
            module = device.module(program.binary)
            self.function = device.check(
                driver().cuModuleGetFunction(module, program.name.encode())
            )
            self.shared = dynamic_memory(program.source, program.name)
            if self.shared:  # of which a kernel has more than a little only where it is asked for
                most = driver().CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                asked = driver().cuFuncSetAttribute(self.function, most, self.shared)
                device.check(asked, self.name)

    def launch(self, sizes: Grid, buffers: Sequence[Buffer], variables: Sequence[int]) -> Launch:
        """Arguments as driver parameters."""
        return CudaLaunch(self, sizes, tuple(buffers), tuple(variables))
