"""A stand-in for the CUDA driver and NVRTC, on a machine without a GPU.

It has the functions of `cuda.bindings.driver` and `nvrtc` that the runtime calls, with their
meaning, and is as unkind as the driver may be:

- Nothing that is queued is done at once. A stream does its operations in order; which stream goes
  on is drawn from the seed, and some seeds let one run far ahead of the others. Only events and
  synchronisation order streams; nodes of a graph run in any order that its edges allow.
- Copies read and write host memory when they are done, not when they are queued. That holds for
  memory that is not page-locked too, which a driver may take earlier but need not.
- Memory is full of 0xFF (NaN, -1) when it is new, and is so again once it is freed, without
  waiting for anybody. What touches it then, or host memory that was given back, is a fault.
- A fault comes late, as the error of whatever is called next, and stays.
- Device addresses are no addresses of the host. Every call needs a current context.

Kernels are the real source, compiled and run by the device CUDA_SM90_EMULATED.
"""

from __future__ import annotations

import ctypes
import itertools
import random
import threading
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from rulewright.errors import RulewrightError
from rulewright.options import Context
from rulewright.runtime.device import Device
from rulewright.runtime.emulated.source import memories, signature
from rulewright.runtime.gpu import dynamic_memory

CUresult = IntEnum(
    "CUresult",
    {
        "CUDA_SUCCESS": 0,
        "CUDA_ERROR_INVALID_VALUE": 1,
        "CUDA_ERROR_OUT_OF_MEMORY": 2,
        "CUDA_ERROR_NOT_INITIALIZED": 3,
        "CUDA_ERROR_INVALID_DEVICE": 101,
        "CUDA_ERROR_INVALID_IMAGE": 200,
        "CUDA_ERROR_INVALID_CONTEXT": 201,
        "CUDA_ERROR_INVALID_HANDLE": 400,
        "CUDA_ERROR_NOT_FOUND": 500,
        "CUDA_ERROR_NOT_READY": 600,
        "CUDA_ERROR_ILLEGAL_ADDRESS": 700,
        "CUDA_ERROR_NOT_SUPPORTED": 801,
    },
)
OK = CUresult.CUDA_SUCCESS
MOST_SHARED = 227 << 10
FIRST_ADDRESS = 0x7000_0000_0000
POISON = 0xFF
CUBIN = b"\x7fELF stand-in\n"
_BYTES = {"double": 8, "float": 4, "int": 4, "unsigned": 4, "uint": 4, "__half": 2, "short": 2,
          "ushort": 2, "__nv_bfloat16": 2, "long": 8, "ulong": 8}  # fmt: skip


class Refused(Exception):
    """What a call returns in place of success."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.status = CUresult[name]


class Fault(Exception):
    """An operation touched memory that is not there."""


@dataclass(eq=False)
class Memory:
    """Memory of the device, at an address of its own, kept in bytes of this process."""

    address: int
    bytes: np.ndarray
    is_freed: bool = False


@dataclass(eq=False)
class Work:
    """An operation of a stream: its steps, and the operation of another stream it comes behind."""

    steps: Any
    after: Work | None = None
    is_done: bool = False
    at: float = 0.0  # virtual milliseconds at its end


@dataclass(eq=False)
class StandInStream:
    queue: deque[Work] = field(default_factory=deque)
    weight: float = 1.0


@dataclass(eq=False)
class StandInEvent:
    takes_time: bool
    last: Work | None = None


class CUDA_KERNEL_NODE_PARAMS:
    """The fields that are set; others would be an error here, as there."""

    __slots__ = ("blockDimX", "blockDimY", "blockDimZ", "ctx", "extra", "func", "gridDimX",
                 "gridDimY", "gridDimZ", "kern", "kernelParams", "sharedMemBytes")  # fmt: skip


@dataclass(eq=False)
class Function:
    """A kernel of a module, compiled by the emulator."""

    source: str
    name: str

    def __post_init__(self) -> None:
        emulated = Device["CUDA_SM90_EMULATED"]
        self.parameters = signature(self.source, self.name)
        self.runtime = emulated.runtime(emulated.compile(self.source, self.name))

    def values(self, parameters: int) -> list[int]:
        """The arguments, copied as the driver does: a pointer to each, eight bytes each."""
        count = len(self.parameters)
        pointers = (ctypes.c_void_p * count).from_address(parameters)
        return [ctypes.c_int64.from_address(p).value for p in pointers]


@cache
def function(source: str, name: str) -> Function:
    """A kernel, compiled once for all stand-ins. Raises ValueError if there is none."""
    return Function(source, name)


@dataclass(eq=False)
class Node:
    before: list[Node]
    call: tuple[Any, ...]
    enabled: bool = True


class StandIn:
    """The driver of `gpus` devices of `capacity` bytes, which does work in the order of `seed`.

    `waits` counts the waits that were asked for; that of number `dropped` is not done, as if the
    runtime had forgotten it. `calls` counts calls by name, `faults` says what went wrong.
    """

    CUresult = CUresult
    CUstream_flags = SimpleNamespace(CU_STREAM_DEFAULT=0, CU_STREAM_NON_BLOCKING=1)
    CUevent_flags = SimpleNamespace(CU_EVENT_DEFAULT=0, CU_EVENT_DISABLE_TIMING=2)
    CUdevice_attribute = SimpleNamespace(
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR=75,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR=76,
    )
    CUfunction_attribute = SimpleNamespace(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES=8)
    CU_MEMHOSTALLOC_PORTABLE = 1
    CUDA_KERNEL_NODE_PARAMS = CUDA_KERNEL_NODE_PARAMS

    def __init__(
        self, seed: int = 0, gpus: int = 1, capacity: int = 1 << 28, graphs: bool = True,
        capability: tuple[int, int] = (9, 0),
    ) -> None:  # fmt: skip
        self.capability = capability
        self.dynamic: dict[Function, int] = {}  # bytes that a kernel may be launched with
        self.gpus, self.capacity, self.graphs = gpus, capacity, graphs
        self.random = random.Random(seed)
        self.is_lazy = seed % 2 == 0  # works only while somebody waits
        self.lock = threading.RLock()
        self.local = threading.local()
        self.is_ready = False
        self.sticky: CUresult | None = None
        self.faults: list[str] = []
        self.memory: list[Memory] = []  # by address
        self.pinned: dict[int, np.ndarray] = {}
        self.given_back: list[tuple[int, np.ndarray]] = []
        self.streams: list[StandInStream] = []
        self.clock = 0.0
        self.waits = itertools.count()
        self.dropped = -1
        self.calls: dict[str, int] = {}

    # ---- work -----------------------------------------------------------------------------

    def step(self) -> bool:
        """Do one step of one stream; False if no stream can go on."""
        able = [s for s in self.streams if s.queue and self._may_begin(s.queue[0])]
        if not able:
            return False
        if self.random.random() < 0.1:
            for stream in self.streams:
                stream.weight = 10 ** self.random.uniform(-4, 0)
        (stream,) = self.random.choices(able, [s.weight for s in able])
        work = stream.queue[0]
        self.clock += 0.25
        try:
            ended = next(work.steps, "ended") == "ended"
        except Fault as fault:
            self.faults.append(str(fault))
            self.sticky, ended = CUresult.CUDA_ERROR_ILLEGAL_ADDRESS, True
        if ended:
            work.is_done, work.at = True, self.clock
            stream.queue.popleft()
        return True

    @staticmethod
    def _may_begin(work: Work) -> bool:
        return work.after is None or work.after.is_done

    def _until(self, work: Work) -> None:
        while not work.is_done:
            with self.lock:
                if self.sticky:
                    return
                assert work.is_done or self.step(), "streams wait for each other"

    def _queue(self, stream: Any, steps: Any, after: Work | None = None) -> Work:
        if not isinstance(stream, StandInStream):
            raise Refused("CUDA_ERROR_INVALID_HANDLE")  # the default stream waits for all others
        work = Work(steps, after)
        stream.queue.append(work)
        return work

    # ---- memory ---------------------------------------------------------------------------

    def _device_bytes(self, address: int, nbytes: int) -> np.ndarray:
        at = bisect_right(self.memory, address, key=lambda m: m.address) - 1
        memory = self.memory[at] if at >= 0 else None
        begin = address - memory.address if memory else 0
        if memory is None or begin + nbytes > memory.bytes.size:
            raise Fault(f"{nbytes} bytes at {address:#x} are no device memory")
        if memory.is_freed:
            raise Fault(f"{nbytes} bytes at {address:#x} were freed")
        return memory.bytes[begin : begin + nbytes] if nbytes else memory.bytes[begin:]

    def _host_bytes(self, address: int, nbytes: int) -> Any:
        if address >= FIRST_ADDRESS and address < FIRST_ADDRESS + (1 << 40):
            raise Fault("a device address in the place of one of the host")
        for begin, memory in self.given_back:
            if begin <= address < begin + memory.size:
                raise Fault("page-locked memory that was given back")
        return (ctypes.c_uint8 * nbytes).from_address(address)

    def is_pinned(self, address: int, nbytes: int) -> bool:
        return any(b <= address and address + nbytes <= b + m.size for b, m in self.pinned.items())

    # ---- kernels --------------------------------------------------------------------------

    def _kernel(self, function: Function, groups: Any, items: Any, values: list[int]) -> None:
        """Run a kernel; raises Fault for what the emulator reports."""
        buffers, variables = [], []
        known = memories(function.parameters)
        for parameter, value in zip(function.parameters, values, strict=True):
            if parameter not in known:
                variables.append(value)
                continue
            there = self._device_bytes(value, 0)
            kind = parameter.type.replace("const", "").replace("*", "").split()[0]
            dtype = SimpleNamespace(name=kind, itemsize=_BYTES.get(kind, 1))
            offset = value % 256
            block = SimpleNamespace(address=there.ctypes.data - offset)
            buffers.append(
                SimpleNamespace(
                    block=block, offset=offset, nbytes=there.size, dtype=dtype,
                    size=there.size // dtype.itemsize,
                )
            )  # fmt: skip
        try:
            with Context(PROFILE=0):  # the emulator's own time is nobody's
                function.runtime.bind(buffers, variables, groups, items)()
        except RulewrightError as error:
            raise Fault(str(error)) from error


def call(method: Any) -> Any:
    """A driver function: counted, behind a lock, with the errors that any of them may return."""
    name = method.__name__
    free = name.startswith(("cuInit", "cuDevice", "cuCtxSet"))

    def called(self: StandIn, *args: Any) -> tuple[Any, ...]:
        with self.lock:
            self.calls[name] = self.calls.get(name, 0) + 1
            if not self.is_lazy and self.random.random() < 0.3:
                for _ in range(self.random.randrange(4)):
                    self.step()
            if name != "cuInit" and not self.is_ready:
                return (CUresult.CUDA_ERROR_NOT_INITIALIZED,)
            if not free and getattr(self.local, "context", None) is None:
                return (CUresult.CUDA_ERROR_INVALID_CONTEXT,)
            if not free and self.sticky:
                return (self.sticky,)
        try:
            if "Synchronize" in name:  # others may call meanwhile
                found = method(self, *args)
            else:
                with self.lock:
                    found = method(self, *args)
        except Refused as refused:
            return (refused.status,)
        if not free and self.sticky:
            return (self.sticky,)
        return (OK,) if found is None else (OK, found)

    called.__name__ = name
    called.__wrapped__ = method
    return called


class StandInDriver(StandIn):
    """The functions, by the names and with the parameters that cuda-bindings gives them."""

    @call
    def cuInit(self, Flags):
        self.is_ready = True

    @call
    def cuDeviceGetCount(self):
        return self.gpus

    @call
    def cuDeviceGet(self, ordinal):
        if not 0 <= ordinal < self.gpus:
            raise Refused("CUDA_ERROR_INVALID_DEVICE")
        return ordinal

    @call
    def cuDeviceGetName(self, length, dev):
        return b"Stand-in GPU".ljust(length, b"\0")

    @call
    def cuDeviceGetAttribute(self, attrib, dev):
        return self.capability[attrib - 75]

    @call
    def cuDevicePrimaryCtxRetain(self, dev):
        return f"context of {dev}"

    @call
    def cuCtxSetCurrent(self, ctx):
        self.local.context = ctx

    @call
    def cuMemAlloc(self, bytesize):
        used = sum(m.bytes.size for m in self.memory if not m.is_freed)
        if bytesize <= 0:
            raise Refused("CUDA_ERROR_INVALID_VALUE")
        if used + bytesize > self.capacity:
            raise Refused("CUDA_ERROR_OUT_OF_MEMORY")
        last = self.memory[-1] if self.memory else None
        end = last.address + last.bytes.size if last else FIRST_ADDRESS
        raw = np.full(bytesize + 256, POISON, np.uint8)
        skip = -raw.ctypes.data % 256
        memory = Memory(-(-end // 512) * 512, raw[skip : skip + bytesize])
        self.memory.append(memory)
        return memory.address

    @call
    def cuMemFree(self, dptr):
        for memory in self.memory:
            if memory.address == dptr and not memory.is_freed:
                memory.is_freed = True
                memory.bytes = np.full(memory.bytes.size, POISON, np.uint8)
                return
        raise Refused("CUDA_ERROR_INVALID_VALUE")

    @call
    def cuMemHostAlloc(self, bytesize, Flags):
        memory = np.full(bytesize, POISON, np.uint8)
        self.pinned[memory.ctypes.data] = memory
        return memory.ctypes.data

    @call
    def cuMemFreeHost(self, p):
        if p not in self.pinned:
            raise Refused("CUDA_ERROR_INVALID_VALUE")
        memory = self.pinned.pop(p)
        memory[:] = POISON
        self.given_back.append((p, memory))

    @call
    def cuMemcpyHtoDAsync(self, dstDevice, srcHost, ByteCount, hStream):
        def steps():
            self._device_bytes(dstDevice, ByteCount)[:] = self._host_bytes(srcHost, ByteCount)
            yield "ended"

        self._queue(hStream, steps())

    @call
    def cuMemcpyDtoHAsync(self, dstHost, srcDevice, ByteCount, hStream):
        def steps():
            found = self._device_bytes(srcDevice, ByteCount)
            self._host_bytes(dstHost, ByteCount)[:] = found.tobytes()
            yield "ended"

        self._queue(hStream, steps())

    @call
    def cuMemcpyDtoDAsync(self, dstDevice, srcDevice, ByteCount, hStream):
        def steps():
            found = self._device_bytes(srcDevice, ByteCount).copy()
            self._device_bytes(dstDevice, ByteCount)[:] = found
            yield "ended"

        self._queue(hStream, steps())

    @call
    def cuStreamCreate(self, Flags):
        if Flags != self.CUstream_flags.CU_STREAM_NON_BLOCKING:
            raise Refused("CUDA_ERROR_NOT_SUPPORTED")  # it would wait for the default stream
        self.streams.append(StandInStream(weight=10 ** self.random.uniform(-4, 0)))
        return self.streams[-1]

    @call
    def cuStreamWaitEvent(self, hStream, hEvent, Flags):
        after = hEvent.last
        if next(self.waits) == self.dropped:
            after = None
        self._queue(hStream, iter(()), after)

    @call
    def cuEventCreate(self, Flags):
        return StandInEvent(not Flags & self.CUevent_flags.CU_EVENT_DISABLE_TIMING)

    @call
    def cuEventRecord(self, hEvent, hStream):
        hEvent.last = self._queue(hStream, iter(()))

    @call
    def cuEventQuery(self, hEvent):
        if hEvent.last is not None and not hEvent.last.is_done:
            raise Refused("CUDA_ERROR_NOT_READY")

    @call
    def cuEventSynchronize(self, hEvent):
        if hEvent.last is not None and next(self.waits) != self.dropped:
            self._until(hEvent.last)

    @call
    def cuEventElapsedTime(self, hStart, hEnd):
        both = (hStart, hEnd)
        if not all(e.takes_time and e.last is not None for e in both):
            raise Refused("CUDA_ERROR_INVALID_HANDLE")
        if not all(e.last.is_done for e in both):
            raise Refused("CUDA_ERROR_NOT_READY")
        return hEnd.last.at - hStart.last.at

    @call
    def cuModuleLoadData(self, image):
        if not image.startswith(CUBIN):
            raise Refused("CUDA_ERROR_INVALID_IMAGE")
        return image[len(CUBIN) :].decode()

    @call
    def cuModuleGetFunction(self, hmod, name):
        try:
            return function(hmod, name.decode())
        except ValueError:
            raise Refused("CUDA_ERROR_NOT_FOUND") from None

    @call
    def cuFuncSetAttribute(self, hfunc, attrib, value):
        if attrib != 8 or not 0 <= value <= MOST_SHARED:
            raise Refused("CUDA_ERROR_INVALID_VALUE")
        self.dynamic[hfunc] = value

    def _check_shared(self, function, given):
        """A kernel gets what was asked for, and no less than its source names."""
        allowed = self.dynamic.get(function, 48 << 10)
        if not dynamic_memory(function.source, function.name) <= given <= allowed:
            raise Refused("CUDA_ERROR_INVALID_VALUE")

    @call
    def cuLaunchKernel(
        self, f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes,
        hStream, kernelParams, extra,
    ):  # fmt: skip
        groups, items = (gridDimX, gridDimY, gridDimZ), (blockDimX, blockDimY, blockDimZ)
        values = f.values(kernelParams)
        self._check_shared(f, sharedMemBytes)
        self._check_groups(groups)

        def steps():
            self._kernel(f, groups, items, values)
            yield "ended"

        self._queue(hStream, steps())

    def _check_groups(self, groups):
        if min(groups) < 1:
            raise Refused("CUDA_ERROR_INVALID_VALUE")

    # ---- graphs ---------------------------------------------------------------------------

    @call
    def cuGraphCreate(self, flags):
        if not self.graphs:
            raise Refused("CUDA_ERROR_NOT_SUPPORTED")
        return []

    def _call_of(self, node):
        self._check_shared(node.func, node.sharedMemBytes)
        groups = node.gridDimX, node.gridDimY, node.gridDimZ
        items = node.blockDimX, node.blockDimY, node.blockDimZ
        self._check_groups(groups)
        return node.func, groups, items, node.func.values(node.kernelParams)

    @call
    def cuGraphAddKernelNode(self, hGraph, dependencies, numDependencies, nodeParams):
        if len(dependencies) != numDependencies:
            raise Refused("CUDA_ERROR_INVALID_VALUE")
        hGraph.append(Node(list(dependencies), self._call_of(nodeParams)))
        return hGraph[-1]

    @call
    def cuGraphInstantiate(self, hGraph, flags):
        return {node: node.call for node in hGraph}

    @call
    def cuGraphExecKernelNodeSetParams(self, hGraphExec, hNode, nodeParams):
        if hNode not in hGraphExec:
            raise Refused("CUDA_ERROR_INVALID_VALUE")
        hGraphExec[hNode] = self._call_of(nodeParams)

    @call
    def cuGraphNodeSetEnabled(self, hGraphExec, hNode, isEnabled):
        if hNode not in hGraphExec:
            raise Refused("CUDA_ERROR_INVALID_VALUE")
        hNode.enabled = bool(isEnabled)

    @call
    def cuGraphLaunch(self, hGraphExec, hStream):
        # what is set later concerns later launches
        calls = {node: call for node, call in hGraphExec.items() if node.enabled}

        def steps():
            left = list(calls)
            while left:
                able = [n for n in left if not any(b in left for b in n.before)]
                node = self.random.choice(able)
                left.remove(node)
                self._kernel(*calls[node])
                yield "ended" if not left else "goes on"

        self._queue(hStream, steps())

    @call
    def cuGraphExecDestroy(self, hGraphExec):
        hGraphExec.clear()

    @call
    def cuGraphDestroy(self, hGraph):
        hGraph.clear()


class StandInCompiler:
    """The functions of NVRTC: the cubin holds the source, which the emulator compiles."""

    def __init__(self) -> None:
        self.flags: list[bytes] = []

    def nvrtcVersion(self):
        return OK, 13, 0

    def nvrtcCreateProgram(self, src, name, numHeaders, headers, includeNames):
        return OK, src

    def nvrtcCompileProgram(self, prog, numOptions, options):
        assert len(options) == numOptions
        self.flags = list(options)
        return (OK,)

    def nvrtcGetCUBINSize(self, prog):
        return OK, len(CUBIN) + len(prog)

    def nvrtcGetCUBIN(self, prog, cubin):
        ctypes.memmove(ctypes.cast(cubin, ctypes.c_void_p), CUBIN + prog, len(cubin))
        return (OK,)

    def nvrtcDestroyProgram(self, prog):
        return (OK,)
