"""The CUDA device, through cuda-bindings: NVRTC to a cubin, then the driver API.

Compiling needs no GPU: without a driver, kernels compile for sm_90.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rulewright.diskcache import DiskCache
from rulewright.errors import DeviceError, DeviceRuntimeError, MissingExtraError
from rulewright.options import options
from rulewright.profile import span
from rulewright.runtime.allocator import CachingAllocator
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import CompilingDevice, Launch, Program, Runtime, timed
from rulewright.runtime.gpu import import_extra, launch_sizes, refused

DEFAULT_ARCHITECTURE = "sm_90"
_cubins = DiskCache("cubins")


def _driver() -> Any:
    return import_extra("cuda.bindings.driver", "cuda", "CUDA")


def _nvrtc() -> Any:
    return import_extra("cuda.bindings.nvrtc", "cuda", "CUDA")


def _check(result: tuple[Any, ...]) -> Any:
    """Unpack a binding's (status, values...). Raises MemoryError or DeviceRuntimeError."""
    status, *values = result
    if int(status) != 0:
        if getattr(status, "name", "") == "CUDA_ERROR_OUT_OF_MEMORY":
            raise MemoryError(status.name)
        raise DeviceRuntimeError(f"CUDA call failed: {getattr(status, 'name', status)}")
    return values[0] if len(values) == 1 else tuple(values)


@functools.cache
def _no_driver() -> str | None:
    """Why the driver cannot be used, or None."""
    try:
        _check(_driver().cuInit(0))
        return None if _check(_driver().cuDeviceGetCount()) else "no NVIDIA GPU was found"
    except (RuntimeError, DeviceRuntimeError) as error:
        return f"no usable NVIDIA driver: {error}"


@functools.cache
def _include_options() -> tuple[bytes, ...]:
    """Where the headers of the CUDA wheels lie (fp16, bf16, fp8, mma)."""
    from importlib.util import find_spec

    spec = find_spec("nvidia")
    roots = list(spec.submodule_search_locations or ()) if spec else []
    found = [path for root in roots for path in sorted(Path(root).glob("cu*/include"))]
    return tuple(f"--include-path={path}".encode() for path in found)


def compile_cubin(source: str, name: str, architecture: str = DEFAULT_ARCHITECTURE) -> bytes:
    """Compile CUDA C++ to a cubin, cached on disk; needs NVRTC but no GPU.

    Raises CompileError with NVRTC's log, or MissingExtraError.
    """
    nvrtc = _nvrtc()
    # A multiply and an add fuse only where the kernel says so.
    flags = [f"--gpu-architecture={architecture}".encode(), b"--fmad=false", b"--std=c++17"]
    version = _check(nvrtc.nvrtcVersion())
    key = "\0".join([source, repr(version), *(flag.decode() for flag in flags)])
    known = _cubins.get(key, ".cubin") if options().CACHE else None
    if known is not None:
        return known
    with span("compile", name):
        cubin = _compile(nvrtc, source, name, [*flags, *_include_options()])
    if options().CACHE:
        _cubins.put(key, cubin, ".cubin")
    return cubin


def _compile(nvrtc: Any, source: str, name: str, flags: list[bytes]) -> bytes:
    handle = _check(nvrtc.nvrtcCreateProgram(source.encode(), b"kernel.cu", 0, [], []))
    try:
        (status,) = nvrtc.nvrtcCompileProgram(handle, len(flags), flags)
        if int(status) != 0:
            log = b" " * _check(nvrtc.nvrtcGetProgramLogSize(handle))
            nvrtc.nvrtcGetProgramLog(handle, log)
            text = log.rstrip(b"\0 ").decode(errors="replace")
            raise refused("CUDA", "NVRTC", name, source, text or status.name)
        cubin = b" " * _check(nvrtc.nvrtcGetCUBINSize(handle))
        _check((*nvrtc.nvrtcGetCUBIN(handle, cubin), None))
        return cubin
    finally:
        nvrtc.nvrtcDestroyProgram(handle)


class CudaAllocator(CachingAllocator):
    """Device memory as integer device pointers."""

    def __init__(self, device: CudaDevice) -> None:
        super().__init__(device.name)
        self.device = device

    def _new(self, nbytes: int) -> int:
        self.device.use()
        return int(_check(_driver().cuMemAlloc(nbytes)))

    def _release(self, block: int) -> None:
        self.device.use()
        _check((*_driver().cuMemFree(block), None))

    def copy_in(self, block: int, offset: int, data: memoryview) -> None:
        """Copy from the host; returns when the host memory may be reused."""
        self.device.use()
        address = _address(data)
        _check((*_driver().cuMemcpyHtoD(block + offset, address, data.nbytes), None))

    def copy_out(self, block: int, offset: int, data: memoryview) -> None:
        """Copy to the host, after all launches so far."""
        self.device.use()
        address = _address(data)
        _check((*_driver().cuMemcpyDtoH(address, block + offset, data.nbytes), None))


def _address(data: memoryview) -> int:
    import numpy as np

    return int(np.frombuffer(data, np.uint8).ctypes.data)


class CudaLaunch(Launch):
    """A kernel function with its parameters as the driver wants them."""

    def __init__(self, runtime: CudaRuntime, sizes: Any, values: list[int], buffers: Any) -> None:
        self.runtime, self.sizes, self.values, self._buffers = runtime, sizes, values, buffers
        variables = len(values) - len(buffers)
        self.types = (ctypes.c_void_p,) * len(buffers) + (ctypes.c_int64,) * variables

    def _run(self) -> None:
        self.runtime.device.use()
        groups, items = self.sizes
        parameters = (tuple(self.values), self.types)
        launch = _driver().cuLaunchKernel
        _check((*launch(self.runtime.function, *groups, *items, 0, 0, parameters, 0), None))

    def _run_to_end(self) -> None:
        self._run()
        self.runtime.device.synchronize()

    def __call__(self, wait: bool = False) -> float | None:
        """Queue the kernel on the default stream; wait and return seconds if asked."""
        if not wait:
            self._run()
            return None
        self.runtime.device.synchronize()
        with span("kernel", self.runtime.name):
            return timed(self._run_to_end)


class CudaRuntime(Runtime):
    """A loaded cubin's kernel. Parameters: buffers in order, then variables as `long long`."""

    def __init__(self, device: CudaDevice, program: Program) -> None:
        device.use()
        self.device, self.name = device, program.name
        self.module = _check(_driver().cuModuleLoadData(program.binary))
        self.function = _check(_driver().cuModuleGetFunction(self.module, program.name.encode()))

    def bind(
        self,
        buffers: Sequence[Buffer],
        variables: Sequence[int] = (),
        global_size: Sequence[int] = (1,),
        local_size: Sequence[int] | None = None,
    ) -> CudaLaunch:
        """Arguments as driver parameters; buffers are allocated now and kept alive."""
        sizes = launch_sizes(self.name, global_size, local_size)
        pointers = [buffer.block + buffer.offset for buffer in buffers]
        return CudaLaunch(self, sizes, [*pointers, *variables], tuple(buffers))


class CudaDevice(CompilingDevice):
    """One NVIDIA GPU. Opening it needs only NVRTC; memory and launches need a driver."""

    view_alignment = 256  # as cudaMalloc gives, so that vector loads see the same as from it

    def __init__(self, name: str) -> None:
        super().__init__(name)
        _nvrtc()
        self._allocator = CudaAllocator(self)
        self._context: Any = None

    @classmethod
    def why_not(cls) -> str | None:
        """None with cuda-bindings, a driver and a GPU, else which of them is missing."""
        try:
            return _no_driver()
        except MissingExtraError as error:
            return str(error)

    @classmethod
    def describe(cls) -> str:
        """Name of the first GPU."""
        name = _check(_driver().cuDeviceGetName(128, _check(_driver().cuDeviceGet(0))))
        return str(name.rstrip(b"\0").decode())

    def use(self) -> None:
        """Make this GPU's context current in this thread. Raises DeviceError without a driver."""
        reason = _no_driver()
        if reason:
            raise DeviceError(f"device {self.name} cannot run here: {reason}")
        if self._context is None:
            self._context = _check(_driver().cuDevicePrimaryCtxRetain(self._hardware()))
        _check((*_driver().cuCtxSetCurrent(self._context), None))

    def _hardware(self) -> Any:
        count = _check(_driver().cuDeviceGetCount())
        if self.index >= count:
            raise DeviceError(f"device {self.name}: {count} NVIDIA GPUs found")
        return _check(_driver().cuDeviceGet(self.index))

    @property
    def architecture(self) -> str:
        """What kernels are compiled for: this GPU's architecture, or sm_90 without one."""
        if _no_driver():
            return DEFAULT_ARCHITECTURE
        driver, hardware = _driver(), self._hardware()
        names = driver.CUdevice_attribute
        major = names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
        minor = names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
        numbers = [_check(driver.cuDeviceGetAttribute(name, hardware)) for name in (major, minor)]
        return f"sm_{numbers[0]}{numbers[1]}"

    @property
    def allocator(self) -> CudaAllocator:
        """Device memory."""
        return self._allocator

    def compile(self, source: str, name: str) -> Program:
        """Compile with NVRTC; the kernel must be `extern "C"`."""
        return Program(name, source, compile_cubin(source, name, self.architecture))

    def runtime(self, program: Program) -> CudaRuntime:
        """Load a cubin. Raises DeviceError without a driver."""
        return CudaRuntime(self, program)

    def synchronize(self) -> None:
        """Wait for all launches."""
        self.use()
        _check((*_driver().cuCtxSynchronize(), None))
