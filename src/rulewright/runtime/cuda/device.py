"""The CUDA device, through cuda-bindings: NVRTC to a cubin, then the driver API.

Compiling needs no GPU: without a driver, kernels compile for sm_90.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from rulewright.errors import DeviceError, DeviceRuntimeError, MissingExtraError
from rulewright.forks import free_in_child
from rulewright.render import target
from rulewright.runtime.cuda.compiler import DEFAULT_ARCHITECTURE, compile_cubin, nvrtc
from rulewright.runtime.cuda.driver import STICKY, check, driver, name_of, no_driver
from rulewright.runtime.cuda.graphs import CudaGraph
from rulewright.runtime.cuda.launches import CudaLaunch, CudaRuntime
from rulewright.runtime.cuda.memory import CudaAllocator
from rulewright.runtime.cuda.streams import Events, Stopwatch, Streams
from rulewright.runtime.device import CompilingDevice, Launch, LaunchRow, Program, Use

if TYPE_CHECKING:
    import numpy as np

TARGETS = ("CUDA_SM100", "CUDA_SM90", "CUDA_SM89", "CUDA_SM80", "CUDA")
"""Targets of this device, those for later GPUs first."""
SUFFIX = "architecture_suffix"
"""The text of a target that has instructions of its architecture alone: "a" of "sm_90a"."""


def target_for(architecture: str) -> str:
    """The first target that a GPU of an architecture such as "sm_90" has what it takes for."""
    number = int(architecture.removeprefix("sm_"))
    for name in TARGETS:
        least, end = target(name).limit("capability"), target(name).limit("capability_end")
        if (least or 0) <= number and (end is None or number < end):
            return name
    return TARGETS[-1]


class CudaDevice(CompilingDevice):
    """One NVIDIA GPU. Opening it needs only NVRTC; memory and launches need a driver.

    `lock` is held while operations are queued. `lost` is what ended the device's use, once
    something did: every later call of the driver in this process fails.
    """

    target_name = "CUDA"
    view_alignment = 256  # as cudaMalloc gives, so that vector loads see the same as from it

    def __init__(self, name: str) -> None:
        super().__init__(name)
        nvrtc()
        self.lock = free_in_child(threading.RLock())
        self.lost = ""
        self.row_of = name  # each GPU runs rows of its own
        self.events = Events(self)
        self.dropped: deque[tuple[Any, Any]] = deque()  # graphs, and what launches them
        self._allocator = CudaAllocator(self)
        self._target: str | None = None
        self._context: Any = None
        self._streams: Streams | None = None
        self._watches: list[Stopwatch] = []
        self._modules: dict[bytes, Any] = {}
        self._process = os.getpid()

    @classmethod
    def why_not(cls) -> str | None:
        """None with cuda-bindings, a driver and a GPU, else which of them is missing."""
        try:
            return no_driver()
        except MissingExtraError as error:
            return str(error)

    @classmethod
    def describe(cls) -> str:
        """Name of the first GPU."""
        name = check(driver().cuDeviceGetName(128, check(driver().cuDeviceGet(0))))
        return str(name.rstrip(b"\0").decode())

    def launch_row(self, launches: Sequence[Launch], uses: Sequence[Use], slots: int) -> LaunchRow:
        """Launches as a graph."""
        return CudaGraph(self, [x for x in launches if isinstance(x, CudaLaunch)], uses)

    # ---- the driver -----------------------------------------------------------------------

    def use(self) -> None:
        """Make this GPU's context current in this thread.

        Raises DeviceError without a driver or in a fork's child, DeviceRuntimeError if it is lost.
        """
        if self.lost:
            raise self._is_lost()
        if self._context is None:
            reason = no_driver()
            if reason:
                raise DeviceError(f"device {self.name} cannot run here: {reason}")
            self._context = check(driver().cuDevicePrimaryCtxRetain(self._hardware()))
            self._process = os.getpid()
        if os.getpid() != self._process:
            raise DeviceError(
                f"device {self.name} was opened before this process was forked, which the driver "
                "does not allow; start processes with the method 'spawn', or use the device in "
                "the children alone"
            )
        self.check(driver().cuCtxSetCurrent(self._context))

    def check(self, result: tuple[Any, ...], name: str = "") -> Any:
        """Unpack what a call returned, which may be the error of a kernel that was queued before.

        `name` is the kernel that the call queues. Raises what `driver.check` raises.
        """
        status = result[0]
        if int(status) == 0:
            return check(result)
        if name_of(status) in STICKY:
            self.lost = self.lost or self._blamed(status)
            raise self._is_lost()
        try:
            return check(result)
        except DeviceRuntimeError as error:
            at = f", kernel {name}" if name else ""
            raise DeviceRuntimeError(f"device {self.name}{at}: {error}") from None

    def _is_lost(self) -> DeviceRuntimeError:
        error = DeviceRuntimeError(self.lost)
        error.is_late = True
        return error

    def _blamed(self, status: Any) -> str:
        """Which kernels may have caused an error that stays, and what to do."""
        names = [name for _, name in self._streams.compute.names] if self._streams else []
        what = f"{STICKY[name_of(status)]} ({name_of(status)})"
        if len(names) == 1:
            where = f"kernel {names[0]}: {what}"
        elif names:
            listed = ", ".join(dict.fromkeys(names))
            where = (
                f"{what} in one of the kernels queued last: {listed}; with DEBUG=2 each is waited "
                "for, and the error names it"
            )
        else:
            where = what
        return (
            f"device {self.name}, {where}. The device takes nothing more from this process, and "
            "what was in its memory is lost: start the process again"
        )

    def _hardware(self) -> Any:
        count = check(driver().cuDeviceGetCount())
        if self.index >= count:
            raise DeviceError(f"device {self.name}: {count} NVIDIA GPUs found")
        return check(driver().cuDeviceGet(self.index))

    @property
    def target(self) -> str:
        """The target for this GPU's architecture; that of a subclass, if it names one."""
        if self._target is None:
            own = self.target_name != CudaDevice.target_name
            self._target = self.target_name if own else target_for(self.architecture)
        return self._target

    @property
    def architecture(self) -> str:
        """What kernels are compiled for: this GPU's architecture, or sm_90 without one."""
        if no_driver():
            return DEFAULT_ARCHITECTURE
        api, hardware = driver(), self._hardware()
        names = api.CUdevice_attribute
        major = names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
        minor = names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
        numbers = [check(api.cuDeviceGetAttribute(name, hardware)) for name in (major, minor)]
        return f"sm_{numbers[0]}{numbers[1]}"

    # ---- what it has ----------------------------------------------------------------------

    @property
    def allocator(self) -> CudaAllocator:
        """Device memory."""
        return self._allocator

    @property
    def streams(self) -> Streams:
        """Its streams, made at first use."""
        if self._streams is None:
            self._streams = Streams(self)
        return self._streams

    def pinned(self, shape: int | Sequence[int], dtype: Any) -> np.ndarray[Any, Any]:
        """A new array in page-locked memory of the host, contents undefined.

        Copies from it to the device are not waited for: write into it again after `synchronize`.
        """
        return self._allocator.pinned.array(shape, dtype)

    def take_watch(self) -> Stopwatch:
        """A stopwatch, for one launch at a time."""
        with self.lock:
            if self._watches:
                return self._watches.pop()
            self.use()
            return Stopwatch(self)

    def give_watch(self, watch: Stopwatch) -> None:
        """Take a stopwatch back."""
        self._watches.append(watch)

    def compile(self, source: str, name: str) -> Program:
        """Compile with NVRTC; the kernel must be `extern "C"`."""
        self.check_text(source, name)
        architecture = self.architecture + target(self.target).row["texts"].get(SUFFIX, "")
        return Program(name, source, compile_cubin(source, name, architecture))

    def module(self, cubin: bytes) -> Any:
        """A cubin as a module, loaded once; called with the lock held."""
        key = blake2b(cubin, digest_size=20).digest()
        self.use()
        if key not in self._modules:
            self._modules[key] = self.check(driver().cuModuleLoadData(cubin))
        return self._modules[key]

    def runtime(self, program: Program) -> CudaRuntime:
        """Load a cubin. Raises DeviceError without a driver."""
        self.check_program(program)
        return CudaRuntime(self, program)

    def destroy_dropped(self) -> None:
        """Destroy graphs that nobody runs any more; called with the lock held."""
        while self.dropped:
            graph, ready = self.dropped.popleft()
            if ready is not None:
                self.check(driver().cuGraphExecDestroy(ready))
            self.check(driver().cuGraphDestroy(graph))

    def synchronize(self) -> None:
        """Wait for all that was queued. Raises DeviceRuntimeError for a kernel that failed."""
        with self.lock:
            self.use()
            now = [(stream, stream.count) for stream in self.streams.all]
        for stream, count in now:
            stream.wait(count)
