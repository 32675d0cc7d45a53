"""The machine behind the stand-in for the CUDA driver: streams, memory, kernels, faults.

`cuda_standin` says what it is like.
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
                function.runtime.launch((groups, items), buffers, variables)()
        except RulewrightError as error:
            raise Fault(str(error)) from error
