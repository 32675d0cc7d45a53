"""The OPENCL device, through pyopencl: any OpenCL driver, or the oclgrind simulator from pip."""

from __future__ import annotations

import warnings
from collections.abc import Sequence, Set as AbstractSet
from typing import Any

from rulewright.errors import DeviceError, DeviceRuntimeError, MissingExtraError
from rulewright.profile import span
from rulewright.render import target
from rulewright.runtime.allocator import CachingAllocator
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import CompilingDevice, Launch, Program
from rulewright.runtime.gpu import Grid, GroupedRuntime, QueuedLaunch, import_extra, refused

# Oclgrind takes no -w, and its compiler counts its warnings on standard error.
_QUIET = '#pragma clang diagnostic ignored "-Weverything"\n#line 1\n'


TARGETS = ("OPENCL_FP16", "OPENCL")
"""Targets of this device, those that ask for more extensions first."""
_HALF = "cl_khr_fp16"


def target_for(extensions: AbstractSet[str]) -> str:
    """The first target that a driver with these extensions has what it takes for."""
    asked = ((name, target(name).text("processor").pieces[0]) for name in TARGETS)
    return next(name for name, words in asked if extensions >= set(words.split()))


def _pyopencl() -> Any:
    return import_extra("pyopencl", "opencl", "OPENCL")


def _devices() -> list[Any]:
    """All OpenCL devices, GPUs first; an empty list without a driver."""
    cl = _pyopencl()
    try:
        devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.Error:
        return []
    return sorted(devices, key=lambda device: not device.type & cl.device_type.GPU)


class OpenCLAllocator(CachingAllocator):
    """Device memory as `pyopencl.Buffer` objects."""

    def __init__(self, name: str, context: Any, queue: Any) -> None:
        super().__init__(name)
        self.context, self.queue = context, queue

    def _new(self, nbytes: int) -> Any:
        cl = _pyopencl()
        try:
            return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, nbytes)
        except cl.MemoryError as error:
            raise MemoryError(str(error)) from error

    def _release(self, block: Any) -> None:
        block.release()

    def copy_in(self, block: Any, offset: int, data: memoryview) -> None:
        """Copy from the host; returns when it is done."""
        _pyopencl().enqueue_copy(self.queue, block, data, dst_offset=offset, is_blocking=True)

    def copy_out(self, block: Any, offset: int, data: memoryview) -> None:
        """Copy to the host, after all launches so far."""
        _pyopencl().enqueue_copy(self.queue, data, block, src_offset=offset, is_blocking=True)


class OpenCLLaunch(QueuedLaunch):
    """A kernel object of its own, whose arguments are set once."""

    device: OpenCLDevice

    def __init__(self, device: OpenCLDevice, kernel: Any, sizes: Any, keep: Any) -> None:
        super().__init__(device, kernel.function_name)
        self.kernel, self._keep = kernel, keep
        groups, self.local = sizes
        self.total = tuple(g * i for g, i in zip(groups, self.local, strict=True))

    def _queue(self) -> None:
        if 0 in self.total:
            return
        cl, queue = _pyopencl(), self.device.queue
        try:
            cl.enqueue_nd_range_kernel(queue, self.kernel, self.total, self.local)
        except cl.Error as error:
            raise DeviceRuntimeError(
                f"device {self.device.name}: kernel {self.name} with work-groups "
                f"of {self.local} over {self.total} failed: {error}"
            ) from error


class OpenCLRuntime(GroupedRuntime):
    """A built OpenCL program's kernel. Parameters: buffers in order, then variables as `long`."""

    def __init__(self, device: OpenCLDevice, program: Program) -> None:
        self.device, self.name, self.binary = device, program.name, program.binary

    def _argument(self, buffer: Buffer) -> Any:
        whole = buffer.base or buffer
        if buffer.offset == 0 and buffer.nbytes == whole.nbytes:
            return buffer.block
        if buffer.offset % self.device.own_alignment:
            raise DeviceError(
                f"kernel {self.name}: device {self.device.name} takes sub-buffers at "
                f"multiples of {self.device.own_alignment} bytes, found offset {buffer.offset}"
            )
        return buffer.block.get_sub_region(buffer.offset, max(buffer.nbytes, 1))

    def launch(self, sizes: Grid, buffers: Sequence[Buffer], variables: Sequence[int]) -> Launch:
        """A kernel object with its arguments set."""
        import numpy as np

        cl = _pyopencl()
        try:
            kernel = cl.Kernel(self.binary, self.name)
        except cl.Error as error:
            raise DeviceRuntimeError(f"the source defines no kernel {self.name}: {error}") from None
        arguments = [self._argument(buffer) for buffer in buffers]
        passed = [*arguments, *map(np.int64, variables)]
        if len(passed) != kernel.num_args:
            raise DeviceRuntimeError(
                f"kernel {self.name} takes {kernel.num_args} buffers and variables, found "
                f"{len(passed)}"
            )
        for index, argument in enumerate(passed):
            try:
                kernel.set_arg(index, argument)
            except cl.Error as error:
                raise DeviceRuntimeError(
                    f"kernel {self.name}: argument {index} is none that it takes; buffers come "
                    f"first, then variables as `long`: {error}"
                ) from error
        keep = list(zip(arguments, buffers, strict=True))
        return OpenCLLaunch(self.device, kernel, sizes, keep)


class OpenCLDevice(CompilingDevice):
    """One OpenCL device with an in-order queue. `OPENCL:1` is the second one found.

    Oclgrind runs kernels within the call that waits for them: Ctrl-C is noticed when they are done.
    """

    target_name = "OPENCL"
    view_alignment = 512  # what plans use, for any hardware; most asks for less

    def __init__(self, name: str) -> None:
        super().__init__(name)
        devices = _devices()
        if self.index >= len(devices):
            raise DeviceError(
                f"device {name}: {len(devices)} OpenCL devices found; install a driver, or the "
                "simulator with `pip install 'rulewright[opencl]'`"
            )
        cl = _pyopencl()
        self.hardware = devices[self.index]
        # some drivers let go of a context that only a queue has
        self.context = cl.Context([self.hardware])
        self.queue = cl.CommandQueue(self.context)
        self.own_alignment = max(self.hardware.mem_base_addr_align // 8, 1)
        self._allocator = OpenCLAllocator(name, self.context, self.queue)

    @classmethod
    def why_not(cls) -> str | None:
        """None with pyopencl and a driver, else which of them is missing."""
        try:
            return None if _devices() else "pyopencl is installed, but no OpenCL driver was found"
        except MissingExtraError as error:
            return str(error)

    @classmethod
    def describe(cls) -> str:
        """Names of the devices found, in order of their numbers."""
        return ", ".join(f"{d.name.strip()} ({d.platform.name.strip()})" for d in _devices())

    @property
    def allocator(self) -> OpenCLAllocator:
        """Device memory."""
        return self._allocator

    @property
    def is_simulated(self) -> bool:
        """Whether the driver is Oclgrind."""
        return "oclgrind" in self.hardware.platform.name.lower()

    @property
    def extensions(self) -> frozenset[str]:
        """What the driver has beside OpenCL 1.2: of floats of 16 bits no more than is whole, with
        numbers below the normal ones and infinities, which it need not be."""
        names = frozenset(self.hardware.extensions.split())
        return names if _HALF not in names or self._has_whole_halves() else names - {_HALF}

    def _has_whole_halves(self) -> bool:
        config = _pyopencl().device_fp_config
        needed = config.DENORM | config.INF_NAN | config.ROUND_TO_NEAREST
        return self.hardware.half_fp_config & needed == needed

    @property
    def target(self) -> str:
        """The first target whose extensions the driver has; that of a subclass, if it names one."""
        if self.target_name != OpenCLDevice.target_name:
            return self.target_name
        return target_for(self.extensions)

    def _build_options(self) -> list[str]:
        """Division and square root as IEEE rounds them, where the device can; no warnings (-w)."""
        cl = _pyopencl()
        exact = cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
        can = self.hardware.single_fp_config & exact
        chosen = ["-w", *(["-cl-fp32-correctly-rounded-divide-sqrt"] if can else [])]
        if self.is_simulated:
            chosen.append("-cl-opt-disable")  # its optimiser makes an `abs` that it cannot run
        return chosen

    def compile(self, source: str, name: str) -> Program:
        """Build a program with the driver's compiler."""
        self.check_text(source, name)
        cl = _pyopencl()
        text = _QUIET + source if self.is_simulated else source
        with span("compile", name), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a driver's remarks on generated code
            try:
                built = cl.Program(self.context, text).build(self._build_options())
            except cl.RuntimeError as error:
                raise refused(self.name, "the driver", name, source, str(error)) from error
        return Program(name, source, built)

    def runtime(self, program: Program) -> OpenCLRuntime:
        """A program's kernel, ready to bind."""
        self.check_program(program)
        return OpenCLRuntime(self, program)

    def synchronize(self) -> None:
        """Wait for the queue."""
        self.queue.finish()
