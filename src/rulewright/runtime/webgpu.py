"""The WEBGPU device, through wgpu: any GPU with a driver for Vulkan, Metal or Direct3D 12."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from functools import cache
from typing import Any

from rulewright.errors import DeviceError, DeviceRuntimeError, MissingExtraError
from rulewright.profile import span
from rulewright.runtime.allocator import CachingAllocator
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import CompilingDevice, Launch, Program
from rulewright.runtime.gpu import Grid, GroupedRuntime, QueuedLaunch, import_extra, refused

_LONG = re.compile(r"\b[iu]64\b")  # what WGSL takes with this feature alone:
_HAS_LONG = "shader-int64"
_WORD = 4  # bytes: memory is copied in words
_STEP = 256  # bytes from one variable to the next: any adapter binds uniforms at multiples of it
_LARGEST = ("max-buffer-size", "max-storage-buffer-binding-size")


_NO_ADAPTER = (
    "install a driver for Vulkan, Metal or Direct3D 12; Mesa has one for processors "
    "(mesa-vulkan-drivers on Debian)"
)


def _wgpu() -> Any:
    return import_extra("wgpu", "webgpu", "WEBGPU")


@cache
def _adapters() -> tuple[Any, ...]:
    """All adapters, GPUs before processors that stand for one; none without a driver.

    OpenGL shows the same hardware once more, and takes less of WGSL.
    """
    every = _wgpu().gpu.enumerate_adapters_sync()
    adapters = [a for a in every if a.info["backend_type"] != "OpenGL"]
    order = ("DiscreteGPU", "IntegratedGPU", "VirtualGPU")
    kinds = [a.info["adapter_type"] for a in adapters]
    ranks = [order.index(kind) if kind in order else len(order) for kind in kinds]
    return tuple(a for _, a in sorted(zip(ranks, adapters, strict=True), key=lambda pair: pair[0]))


class WebGPUAllocator(CachingAllocator):
    """Device memory as GPUBuffer objects of whole words."""

    def __init__(self, device: WebGPUDevice) -> None:
        super().__init__(device.name)
        self.hardware, self.queue = device.hardware, device.hardware.queue

    def _new(self, nbytes: int) -> Any:
        module, most = _wgpu(), self.hardware.limits["max-buffer-size"]
        if nbytes > most:
            raise MemoryError(f"this adapter has buffers of at most {most:,} bytes")
        use = module.BufferUsage
        usage = use.STORAGE | use.COPY_SRC | use.COPY_DST
        try:
            return self.hardware.create_buffer(size=nbytes, usage=usage)
        except (module.GPUOutOfMemoryError, module.GPUValidationError) as error:
            raise MemoryError(str(error)) from error

    def copy_in(self, block: Any, offset: int, data: memoryview) -> None:
        """Copy from the host, after all launches so far; what else lies in its words stays."""
        if not data.nbytes:
            return
        head, tail = offset % _WORD, -(offset + data.nbytes) % _WORD
        if head or tail:
            around = self._words(block, offset, data.nbytes)
            around[head : head + data.nbytes] = data.cast("B")
            data = memoryview(around)
        self.queue.write_buffer(block, offset - head, data)

    def copy_out(self, block: Any, offset: int, data: memoryview) -> None:
        """Copy to the host, after all launches so far."""
        if data.nbytes:
            head = offset % _WORD
            words = self._words(block, offset, data.nbytes)
            data.cast("B")[:] = memoryview(words)[head : head + data.nbytes]

    def _words(self, block: Any, offset: int, nbytes: int) -> bytearray:
        """The words that hold some bytes of a block."""
        start = offset - offset % _WORD
        length = offset + nbytes - start
        return bytearray(self.queue.read_buffer(block, start, length + -length % _WORD))


class WebGPULaunch(QueuedLaunch):
    """A pipeline with its bindings; each run is one submission."""

    def __init__(self, runtime: WebGPURuntime, group: Any, groups: Any, keep: Any) -> None:
        super().__init__(runtime.device, runtime.name)
        self.runtime, self.group, self.groups, self._keep = runtime, group, groups, keep

    def _queue(self) -> None:
        if 0 in self.groups:
            return
        hardware = self.runtime.device.hardware
        encoder = hardware.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(self.runtime.pipeline)
        work.set_bind_group(0, self.group)
        work.dispatch_workgroups(*self.groups)
        work.end()
        try:
            hardware.queue.submit([encoder.finish()])
        except _wgpu().GPUError as error:
            raise DeviceRuntimeError(
                f"device {self.runtime.device.name}: kernel {self.name} with "
                f"{self.groups} work-groups failed: {error}"
            ) from error


class WebGPURuntime(GroupedRuntime):
    """A compute pipeline. Bindings: buffers in order, then variables as uniforms of 8 bytes, of
    which a kernel with indices of 32 bits sees the lower half."""

    def __init__(self, device: WebGPUDevice, program: Program) -> None:
        self.device, self.name = device, program.name
        self.kinds = _binding_kinds(program.source)
        module, hardware = _wgpu(), device.hardware
        seen = module.ShaderStage.COMPUTE
        entries = [
            {"binding": number, "visibility": seen, "buffer": {"type": kind}}
            for number, kind in enumerate(self.kinds)
        ]
        try:
            self.layout = hardware.create_bind_group_layout(entries=entries)
            self.pipeline = hardware.create_compute_pipeline(
                layout=hardware.create_pipeline_layout(bind_group_layouts=[self.layout]),
                compute={"module": program.binary, "entry_point": program.name},
            )
        except module.GPUError as error:
            raise DeviceRuntimeError(
                f"device {device.name}: kernel {program.name} cannot be loaded: {error}"
            ) from error

    def launch(self, sizes: Grid, buffers: Sequence[Buffer], variables: Sequence[int]) -> Launch:
        """A group of bindings, kept for each run. The local size is a part of the source."""
        resources = [self._argument(buffer) for buffer in buffers]
        resources += self._uniforms(variables)
        if len(resources) != len(self.kinds):
            raise DeviceError(
                f"kernel {self.name}: expected {len(self.kinds)} buffers and variables, found "
                f"{len(resources)}"
            )
        entries = [{"binding": n, "resource": r} for n, r in enumerate(resources)]
        try:
            group = self.device.hardware.create_bind_group(layout=self.layout, entries=entries)
        except _wgpu().GPUError as error:
            raise DeviceRuntimeError(
                f"device {self.device.name}: kernel {self.name}: {error}"
            ) from error
        return WebGPULaunch(self, group, sizes[0], list(buffers))

    def _argument(self, buffer: Buffer) -> dict[str, Any]:
        """The words of memory that a buffer lies in. Raises DeviceError for what none can bind."""
        limits = self.device.hardware.limits
        step, most = limits["min-storage-buffer-offset-alignment"], limits[_LARGEST[1]]
        block, name = buffer.block, f"kernel {self.name}: device {self.device.name}"
        if buffer.offset % step:
            raise DeviceError(
                f"{name} takes parts of buffers at multiples of {step} bytes, found offset "
                f"{buffer.offset}"
            )
        size = max(buffer.nbytes + -buffer.nbytes % _WORD, _WORD)
        if size > most:
            raise DeviceError(
                f"{name} binds at most {most:,} bytes of one buffer, found {size:,}; use smaller "
                "tensors"
            )
        return {"buffer": block, "offset": buffer.offset, "size": size}

    def _uniforms(self, variables: Sequence[int]) -> list[dict[str, Any]]:
        """One buffer with all variables, as a binding for each."""
        if not variables:
            return []
        data = b"".join(struct.pack("<q", v).ljust(_STEP, b"\0") for v in variables)
        use = _wgpu().BufferUsage.UNIFORM
        block = self.device.hardware.create_buffer_with_data(data=data, usage=use)
        return [{"buffer": block, "offset": _STEP * n, "size": 8} for n in range(len(variables))]


def _binding_kinds(source: str) -> list[str]:
    """What each binding of a kernel is, in order of their numbers: memory, or a variable."""
    bindings = re.findall(r"@binding\((\d+)\) var<(storage|uniform)", source)
    return [kind for _, kind in sorted(bindings, key=lambda pair: int(pair[0]))]


class WebGPUDevice(CompilingDevice):
    """One adapter with its queue. `WEBGPU:1` is the second one found."""

    view_alignment = 256  # what plans use, for any adapter; many ask for less

    def __init__(self, name: str) -> None:
        super().__init__(name)
        adapters = _adapters()
        if self.index >= len(adapters):
            raise DeviceError(f"device {name}: {len(adapters)} adapters found; {_NO_ADAPTER}")
        adapter = adapters[self.index]
        self.has_long = _HAS_LONG in adapter.features
        self.hardware = adapter.request_device_sync(
            required_features=[_HAS_LONG] if self.has_long else [],
            required_limits={limit: adapter.limits[limit] for limit in _LARGEST},
        )
        self._mark = self.hardware.create_buffer(size=_WORD, usage=_wgpu().BufferUsage.COPY_SRC)
        self._allocator = WebGPUAllocator(self)

    @classmethod
    def why_not(cls) -> str | None:
        """None with wgpu and an adapter, else which of them is missing."""
        try:
            adapters = _adapters()
        except MissingExtraError as error:
            return str(error)
        return None if adapters else f"wgpu is installed, but finds no adapter; {_NO_ADAPTER}"

    @classmethod
    def describe(cls) -> str:
        """Names of the adapters found, in order of their numbers."""
        return ", ".join(f"{a.info['device']} ({a.info['backend_type']})" for a in _adapters())

    @property
    def allocator(self) -> WebGPUAllocator:
        """Device memory."""
        return self._allocator

    def compile(self, source: str, name: str) -> Program:
        """Translate WGSL by naga, which checks it. Raises CompileError if it is refused."""
        self.check_text(source, name)
        if not self.has_long and _LONG.search(source):
            output = f"this adapter has no 64-bit integers ({_HAS_LONG}); cast to int32 or uint32"
            raise refused(self.name, "WebGPU", name, source, output)
        with span("compile", name):
            try:
                built = self.hardware.create_shader_module(label=name, code=source)
            except _wgpu().GPUError as error:
                raise refused(self.name, "naga", name, source, str(error)) from error
        return Program(name, source, built)

    def runtime(self, program: Program) -> WebGPURuntime:
        """Make the compute pipeline."""
        self.check_program(program)
        return WebGPURuntime(self, program)

    def synchronize(self) -> None:
        """Wait for the queue: what is read now comes after all that was submitted."""
        self.hardware.queue.read_buffer(self._mark)
