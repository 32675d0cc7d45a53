"""The METAL device, through pyobjc: macOS only."""

from __future__ import annotations

import platform
import struct
from collections.abc import Sequence
from typing import Any

from rulewright.errors import DeviceError, DeviceRuntimeError, RulewrightError
from rulewright.profile import span
from rulewright.runtime.allocator import CachingAllocator
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import CompilingDevice, Launch, Program
from rulewright.runtime.gpu import Grid, GroupedRuntime, QueuedLaunch, import_extra, refused


def _metal() -> Any:
    if platform.system() != "Darwin":
        raise DeviceError("device METAL exists on macOS only; its sources can be printed anywhere")
    return import_extra("Metal", "metal", "METAL")


class MetalAllocator(CachingAllocator):
    """Memory shared between CPU and GPU, as MTLBuffer objects."""

    def __init__(self, device: MetalDevice) -> None:
        super().__init__(device.name)
        self.device = device

    def _new(self, nbytes: int) -> Any:
        shared = _metal().MTLResourceStorageModeShared
        block = self.device.hardware.newBufferWithLength_options_(nbytes, shared)
        if block is None:
            raise MemoryError(f"Metal gave no buffer of {nbytes} bytes")
        return block

    def copy_in(self, block: Any, offset: int, data: memoryview) -> None:
        """Copy from the host, after all launches so far."""
        self.device.synchronize()
        memory = block.contents().as_buffer(block.length())
        memory[offset : offset + data.nbytes] = data

    def copy_out(self, block: Any, offset: int, data: memoryview) -> None:
        """Copy to the host, after all launches so far."""
        self.device.synchronize()
        memory = block.contents().as_buffer(block.length())
        data[:] = memory[offset : offset + data.nbytes]


class MetalLaunch(QueuedLaunch):
    """A pipeline with its arguments; each run encodes one command buffer."""

    def __init__(
        self, runtime: MetalRuntime, sizes: Any, buffers: Sequence[Buffer], variables: list[int]
    ) -> None:
        super().__init__(runtime.device, runtime.name)
        self.runtime, self.sizes = runtime, sizes
        self.buffers, self.variables = tuple(buffers), variables

    def _queue(self) -> None:
        if 0 in self.sizes[0]:
            return
        metal, device = _metal(), self.runtime.device
        command = device.queue.commandBuffer()
        encoder = command.computeCommandEncoder()
        encoder.setComputePipelineState_(self.runtime.pipeline)
        for index, buffer in enumerate(self.buffers):
            encoder.setBuffer_offset_atIndex_(buffer.block, buffer.offset, index)
        for index, value in enumerate(self.variables, len(self.buffers)):
            encoder.setBytes_length_atIndex_(struct.pack("<q", value), 8, index)
        groups, items = (metal.MTLSizeMake(*size) for size in self.sizes)
        encoder.dispatchThreadgroups_threadsPerThreadgroup_(groups, items)
        encoder.endEncoding()
        command.commit()
        device.last = command


class MetalRuntime(GroupedRuntime):
    """A compute pipeline. Parameters: buffers in order, then variables as `constant long&`."""

    def __init__(self, device: MetalDevice, program: Program) -> None:
        self.device, self.name = device, program.name
        function = program.binary.newFunctionWithName_(program.name)
        if function is None:
            raise DeviceRuntimeError(
                f"device {device.name}: no kernel {program.name} in its source"
            )
        make = device.hardware.newComputePipelineStateWithFunction_error_
        self.pipeline, error = make(function, None)
        if self.pipeline is None:
            raise DeviceRuntimeError(f"device {device.name}: kernel {program.name}: {error}")

    def launch(self, sizes: Grid, buffers: Sequence[Buffer], variables: Sequence[int]) -> Launch:
        """Arguments kept for each run."""
        return MetalLaunch(self, sizes, buffers, list(variables))


class MetalDevice(CompilingDevice):
    """The Mac's default GPU with one queue."""

    view_alignment = 256  # offsets of buffers in Metal's constant address space

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.hardware = _metal().MTLCreateSystemDefaultDevice()
        if self.hardware is None:
            raise DeviceError(f"device {name}: this Mac has no Metal device")
        self.queue = self.hardware.newCommandQueue()
        self.last: Any = None  # the command buffer committed last; they end in order
        self._allocator = MetalAllocator(self)

    @classmethod
    def why_not(cls) -> str | None:
        """None on a Mac with pyobjc's Metal, else what is missing."""
        try:
            return None if _metal().MTLCreateSystemDefaultDevice() else "no Metal device was found"
        except RulewrightError as error:
            return str(error)

    @classmethod
    def describe(cls) -> str:
        """Name of the GPU."""
        return str(_metal().MTLCreateSystemDefaultDevice().name())

    @property
    def allocator(self) -> MetalAllocator:
        """Shared memory."""
        return self._allocator

    def compile(self, source: str, name: str) -> Program:
        """Compile Metal source, without the fast-math that Metal otherwise assumes."""
        self.check_text(source, name)
        choices = _metal().MTLCompileOptions.alloc().init()
        choices.setFastMathEnabled_(False)
        with span("compile", name):
            make = self.hardware.newLibraryWithSource_options_error_
            library, error = make(source, choices, None)
        if library is None:
            raise refused(self.name, "Metal", name, source, str(error))
        return Program(name, source, library)

    def runtime(self, program: Program) -> MetalRuntime:
        """Make the compute pipeline."""
        self.check_program(program)
        return MetalRuntime(self, program)

    def synchronize(self) -> None:
        """Wait for the last command buffer. Raises DeviceRuntimeError if it failed."""
        if self.last is None:
            return
        command, self.last = self.last, None
        command.waitUntilCompleted()
        if command.error() is not None:
            raise DeviceRuntimeError(f"device {self.name}: a kernel failed: {command.error()}")
