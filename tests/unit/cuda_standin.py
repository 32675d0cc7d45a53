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
from typing import Any

import numpy as np
from cuda_machine import (
    CUBIN,
    FIRST_ADDRESS,
    MOST_SHARED,
    OK,
    POISON,
    CUresult,
    Memory,
    Node,
    Refused,
    StandIn,
    StandInEvent,
    StandInStream,
    function,
)

from rulewright.runtime.gpu import dynamic_memory


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
