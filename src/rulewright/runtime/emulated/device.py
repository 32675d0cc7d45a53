"""Devices whose names end in _EMULATED: kernels of CUDA and METAL on this machine's processor.

Threads of a block are fibers whose order a seeded sequence shuffles. A launch that touches memory
outside of its buffers, that has a data race, computes what is undefined or waits in vain ends in
DeviceRuntimeError, and then changes no memory.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rulewright.errors import CompileError, DeviceError, DeviceRuntimeError
from rulewright.ir.devices import target_of
from rulewright.options import options
from rulewright.profile import span
from rulewright.render import target
from rulewright.runtime.allocator import HostAllocator, HostBlock
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.clib import foreign, int64_array, load_function, new_struct, untyped
from rulewright.runtime.compiler import find_compiler
from rulewright.runtime.device import Launch, Program, timed
from rulewright.runtime.emulated import library
from rulewright.runtime.emulated.image import shared_arrays
from rulewright.runtime.emulated.report import Kernel, Memory, Sizes, described
from rulewright.runtime.emulated.source import ENTRY, memories, most_threads, signature, unit
from rulewright.runtime.gpu import Grid, GroupedRuntime, dynamic_memory, refused
from rulewright.runtime.host import HostDevice

_MOST_BLOCKS = (1 << 32) - 2
_MOST_MEMORIES = 512  # as in requests.c


@cache
def _image(path: Any) -> tuple[int, int]:
    """Where a library lies in memory, and its bytes."""
    extent = int64_array([0, 0])
    load_function(path, "rw_image", "void(*)(int64_t *)")(extent)
    return int(extent[0]), int(extent[1])


class EmulatedLaunch(Launch):
    """A request to the emulator, made once for all its runs."""

    def __init__(self, runtime: EmulatedRuntime, sizes: Sizes, buffers: Any, numbers: Any) -> None:
        self.runtime, self.sizes, self._buffers = runtime, sizes, tuple(buffers)
        self._variables = int64_array(numbers)
        alignment = runtime.device.view_alignment
        windows, self.memories = _windows(self._buffers, runtime.names, alignment)
        pairs = [value for m in self.memories for value in (m.window, m.begin)]
        self._keep = _structs("rw_memory", windows), int64_array(pairs)
        self._fault = new_struct("struct rw_fault *", ())
        self.request = new_struct("struct rw_request *", (
            runtime.function, self._keep[0], len(windows), self._keep[1], len(self.memories),
            self._variables, len(numbers), runtime.shared, len(runtime.kernel.arrays),
            *runtime.image, sizes.grid, sizes.block, 0,
        ))  # fmt: skip

    def _run(self) -> None:
        device = self.runtime.device
        self.request.seed = (options().THREAD_ORDER << 32) + next(device.launches)
        if 0 in self.sizes.grid:
            return
        library.emulator()(self.request, self._fault)
        if self._fault.kind:
            said = described(self._fault, self.runtime.kernel, self.sizes, self.memories)
            raise DeviceRuntimeError(f"device {device.name}, {said}")

    def __call__(self, wait: bool = False) -> float | None:
        """Run it to its end; the seconds it took if `wait`."""
        if not (wait or options().PROFILE):
            self._run()
            return None
        with span("kernel", self.runtime.kernel.name):
            return timed(self._run)


def _structs(name: str, rows: Sequence[Sequence[int]]) -> Any:
    return foreign()[0].new(f"struct {name}[]", [tuple(row) for row in rows])


def _windows(
    buffers: Sequence[Buffer], names: Sequence[str], alignment: int
) -> tuple[list[tuple[int, int, int, int]], list[Memory]]:
    """Pieces of memory that share no byte, and where in them each buffer lies.

    A piece is (address, bytes, bytes behind an aligned address, log2 of an element's bytes).
    """
    begins = [(b.block.address + b.offset, number) for number, b in enumerate(buffers)]
    windows: list[list[int]] = []
    memories: dict[int, Memory] = {}
    for begin, number in sorted(begins):
        buffer = buffers[number]
        shift = buffer.dtype.itemsize.bit_length() - 1
        last = windows[-1] if windows else None
        if last is None or begin >= last[0] + last[1]:
            windows.append([begin, buffer.nbytes, buffer.offset % alignment, shift])
        else:
            last[1] = max(last[1], begin + buffer.nbytes - last[0])
            last[3] = min(last[3], shift)
        place = len(windows) - 1, begin - windows[-1][0]
        about = names[number], buffer.dtype.name, buffer.size
        memories[number] = Memory(*about, *place, buffer.dtype.itemsize)
    whole = [(w[0], w[1], w[2], w[3]) for w in windows]
    return whole, [memories[number] for number in range(len(buffers))]


class EmulatedRuntime(GroupedRuntime):
    """A loaded kernel."""

    def __init__(self, device: EmulatedDevice, program: Program) -> None:
        self.device, self.name, self.source = device, program.name, program.source
        arrays = [a for a in shared_arrays(program.binary) if a.kernel == program.name]
        self.kernel = Kernel(program.name, program.source, program.binary, arrays)
        self.function = untyped(load_function(program.binary, ENTRY + program.name))
        self.image = _image(program.binary)
        library.emulator()  # which declares the structs
        self.shared = _structs("rw_shared", [(a.offset, a.size) for a in arrays])
        parameters = signature(program.source, program.name)
        self.names = [p.name for p in memories(parameters)]
        self.variables = sum(p.is_variable for p in parameters)
        self._check_shared()

    def _refuse(self, what: str, count: int, most: int) -> None:
        if count > most:
            raise DeviceRuntimeError(
                f"device {self.device.name}, kernel {self.kernel.name}: {what} are at most "
                f"{most:,} on target {self.device.target}, found {count:,}"
            )

    def _check_shared(self) -> None:
        limit = target(self.device.target).limit("local_memory")
        used = sum(array.size for array in self.kernel.arrays)
        self._refuse("bytes of shared memory", used, used if limit is None else limit)
        static = used - dynamic_memory(self.source, self.kernel.name)
        most = target(self.device.target).limit("static_memory") or limit
        self._refuse("bytes of defined shared memory", static, most or static)

    def _check_launch(self, sizes: Sizes, buffers: Sequence[Buffer], variables: int) -> None:
        threads = sizes.block[0] * sizes.block[1] * sizes.block[2]
        blocks = sizes.grid[0] * sizes.grid[1] * sizes.grid[2]
        on, (inner, *outer) = target(self.device.target), sizes.grid
        used = max((axis for axis, count in enumerate(sizes.grid, 1) if count > 1), default=1)
        for what, count, limit in (
            ("threads of a block", threads, "local_size"),
            ("axes of a grid", used, "grid_dimensions"),
            ("blocks along the first axis", inner, "grid_inner"),
            ("blocks along the second or third axis", max(outer), "grid_outer"),
            ("buffers and variables", len(buffers) + variables, "buffers"),
        ):
            self._refuse(what, count, on.limit(limit) or count)
        compiled = most_threads(self.source, self.kernel.name) or threads
        self._refuse("threads that it is compiled for", threads, compiled)
        self._refuse("blocks", blocks, _MOST_BLOCKS)
        self._refuse("buffers", len(buffers), _MOST_MEMORIES)
        for what, count, takes in (
            ("buffers", len(buffers), len(self.names)),
            ("variables", variables, self.variables),
        ):
            if count != takes:
                raise DeviceRuntimeError(
                    f"kernel {self.kernel.name} takes {takes} {what}, found {count}"
                )

    def launch(self, sizes: Grid, buffers: Sequence[Buffer], variables: Sequence[int]) -> Launch:
        """Arguments as a request.

        Raises DeviceRuntimeError for a launch that the target's limits do not allow.
        """
        grid = Sizes(*sizes)
        self._check_launch(grid, buffers, len(variables))
        return EmulatedLaunch(self, grid, buffers, variables)


class EmulatedAllocator(HostAllocator):
    """Memory that holds no results of earlier kernels, which one that writes too little would show:
    NaN of each type of floats, -1 of integers."""

    def allocate(self, nbytes: int) -> HostBlock:
        """A block of at least `nbytes` bytes."""
        block: HostBlock = super().allocate(nbytes)
        block.bytes.fill(0xFF)
        return block


class EmulatedDevice(HostDevice):
    """What all of them do. The memory is the host's, but no one else works in it."""

    view_alignment = 256
    compiler = ""
    language = ""  # "cuda" or "metal": targets of other packages extend either

    def __init__(self, name: str) -> None:
        super().__init__(name)
        reason = self.why_not()
        if reason is not None:
            raise DeviceError(f"device {name} cannot run here: {reason}")
        self.launches = itertools.count()
        self._allocator = EmulatedAllocator(name)

    @classmethod
    def why_not(cls) -> str | None:
        """None on Linux with a compiler of C++, else what is missing."""
        return library.why_not()

    @classmethod
    def describe(cls) -> str:
        """The compiler, and that this is no GPU."""
        compiler = find_compiler()
        return f"emulated, {' '.join(compiler.command)} ({compiler.version})"

    def library_of(self, source: str, names: Sequence[str]) -> Path:
        """Compile kernels of one source. Raises CompileError if it is refused."""
        whole, compiler = ", ".join(names), " ".join(find_compiler().command)
        try:
            for name in names:
                self.check(source, name)
            return library.compile_unit(unit(source, names, self.language), whole)
        except ValueError as error:
            raise refused(self.name, "the emulator", whole, source, str(error)) from error
        except CompileError as error:
            said = error.output or str(error)
            raise refused(self.name, compiler, whole, source, said) from error

    def check(self, source: str, name: str) -> None:
        """Raise ValueError for what the target's own compiler refuses and the host's does not."""

    def runtime(self, program: Program) -> EmulatedRuntime:
        """Load a kernel. Raises DeviceRuntimeError if it has more shared memory than the target."""
        self.check_program(program)
        return EmulatedRuntime(self, program)


class EmulatedCudaDevice(EmulatedDevice):
    """CUDA kernels that each GPU runs."""

    target_name = target_of("CUDA_EMULATED")
    language = "cuda"


class EmulatedSM90Device(EmulatedCudaDevice):
    """CUDA kernels for compute capability 9.0."""

    target_name = target_of("CUDA_SM90_EMULATED")


class EmulatedMetalDevice(EmulatedDevice):
    """Metal kernels."""

    target_name = target_of("METAL_EMULATED")
    language = "metal"

    def check(self, source: str, name: str) -> None:
        """Parameters need numbers from 0 on, of which there are as many as the target says."""
        limit = target(self.target).limit("buffers") or 0
        numbers = [p.number for p in signature(source, name) if p.attribute == "buffer"]
        if sorted(numbers) != list(range(len(numbers))):
            raise ValueError(f"[[buffer(…)]] must count from 0 on, found {sorted(numbers)}")
        if len(numbers) > limit:
            raise ValueError(f"{len(numbers)} buffers and variables, of which {limit} can be")
