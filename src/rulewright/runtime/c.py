"""The C device: source, system compiler, shared object, foreign call."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from rulewright.errors import DeviceError, DeviceRuntimeError
from rulewright.options import options
from rulewright.profile import span
from rulewright.render import target
from rulewright.runtime.buffer import Buffer, check_launch
from rulewright.runtime.clib import int64_array, load_function, pointer_array, untyped
from rulewright.runtime.compiler import Compiler, compile_c, defined_macros, find_compiler
from rulewright.runtime.device import Launch, LaunchRow, Program, Runtime, Use, timed
from rulewright.runtime.host import HostDevice
from rulewright.runtime.threads import (
    cores,
    is_granted,
    launch_row,
    make_launch,
    pool_library,
    pool_run,
    thread_count,
)

VECTOR_TARGETS = ("C_AMX", "C_DOT", "C_VNNI", "C", "C_AVX2", "C_NEON", "C_SSE")
"""Targets of this device, those with tensor cores, then the most and widest vectors first."""
_PARAMETERS = re.compile(r"\(\s*void\s*\*\s*\*\s*(\w+)\s*,\s*const\s+(?:long|int64_t)\s*\*\s*(\w+)")
_IN_NAME = re.compile(r"\w")
_LOOPS_STAY = "-fno-tree-loop-distribute-patterns"


@cache
def vector_target(compiler: Compiler) -> str:
    """The first target whose vectors the compiler has on this processor, and whose registers the
    system gives this process."""
    macros = defined_macros(compiler)
    for name in VECTOR_TARGETS:
        words, state = target(name).text("processor").pieces[0], target(name).limit("state")
        if macros.issuperset(words.split()) and (state is None or is_granted(state)):
            return name
    return VECTOR_TARGETS[-1]


def _used(source: str, name: str) -> tuple[int, ...]:
    """How many buffers and variables a kernel needs: one more than the last that it names by a
    number. What it finds otherwise, as kernels by hand may, is not counted."""
    begin = source.find(f"void {name}(")
    taken = _PARAMETERS.match(source, source.find("(", begin)) if begin >= 0 else None
    if taken is None:
        return 0, 0
    body = source[taken.end() : source.find("\n}", taken.end())]
    return tuple(1 + _last(body, array) for array in taken.groups())


def _last(body: str, array: str) -> int:
    """The last element of an array that is named by a number; -1 for none."""
    before, *behind = body.split(f"{array}[")
    last = -1
    for text in behind:
        number = text[: text.find("]")]
        if number.isdecimal() and not _IN_NAME.match(before[-1:]):
            last = max(last, int(number))
        before = text
    return last


class CLaunch(Launch):
    """A C launch struct; running it is one foreign call of one argument.

    `pointers` and `variables` are the C arrays that it reads, which may be written between runs.
    """

    def __init__(self, name: str, buffers: Sequence[Buffer], struct: Any, keep: Any) -> None:
        self.name = name
        self.struct = struct
        self._buffers, (self.pointers, self.variables) = tuple(buffers), keep
        self._run = pool_run()

    def __call__(self, wait: bool = False) -> float | None:
        """Run it to its end; the seconds it took if `wait`."""
        if not (wait or options().PROFILE):
            self._run(self.struct)
            return None
        with span("kernel", self.name):
            return timed(lambda: self._run(self.struct))


class CRow(LaunchRow):
    """C launch structs in one array, run by one foreign call.

    `_addresses` is the C array of what is in the slots, from which each run puts addresses where
    the uses say.
    """

    def __init__(self, launches: Sequence[CLaunch], uses: Sequence[Use], slots: int) -> None:
        self._launches = launches
        self._addresses = pointer_array([0] * slots)
        places = [(launches[u.place].pointers, u.index, u.slot, u.offset) for u in uses]
        structs = [launch.struct for launch in launches]
        self._array, self._run = launch_row(structs, places, self._addresses)

    def put(self, slot: int, buffer: Buffer) -> None:
        """Let the memory in a slot be that of a buffer."""
        self._addresses[slot] = buffer.address

    def take(self, slots: Sequence[int], buffers: Sequence[Buffer]) -> None:
        """`put` for some slots."""
        addresses = self._addresses
        for slot in slots:
            addresses[slot] = buffers[slot].address

    def number(self, place: int, index: int, value: int) -> None:
        """Set a variable."""
        self._launches[place].variables[index] = value

    def size(self, place: int, groups: Sequence[int]) -> None:
        """Set the extent of a launch's axis."""
        (self._array[place].count,) = groups

    def run(self) -> None:
        """Run all to their end."""
        self._run()


class CRuntime(Runtime):
    """A loaded C kernel. Its axis is cut in blocks of `local_size[0]` for the threads."""

    def __init__(self, program: Program, device: CDevice) -> None:
        self.name, self.device = program.name, device
        self.function = untyped(load_function(program.binary, program.name))
        self.takes = _used(program.source, program.name)

    def bind(
        self,
        buffers: Sequence[Buffer],
        variables: Sequence[int] = (),
        global_size: Sequence[int] = (1,),
        local_size: Sequence[int] | None = None,
    ) -> CLaunch:
        """Arguments as a launch; buffers are allocated now and kept alive by it."""
        try:
            if len(global_size) != 1 or (local_size is not None and len(local_size) != 1):
                raise DeviceError(
                    f"kernel {self.name}: the C device launches over one axis, "
                    f"found sizes {tuple(global_size)} and {local_size}"
                )
            if global_size[0] < 0:
                raise DeviceError(
                    f"kernel {self.name}: launch sizes must be numbers of at least 0, "
                    f"found {tuple(global_size)}"
                )
            keep = pointer_array([b.address for b in buffers]), int64_array(variables)
            block, threads = (local_size[0], thread_count()) if local_size else (0, 1)
            struct = make_launch(self.function, *keep, global_size[0], block, threads)
        except (AttributeError, TypeError):
            check_launch(self.name, self.device, buffers, variables, global_size, local_size)
            raise
        counts = len(buffers), len(variables)
        if counts < self.takes or counts[1] < self.takes[1]:
            self._refuse(counts)
        return CLaunch(self.name, buffers, struct, keep)

    def _refuse(self, counts: tuple[int, ...]) -> NoReturn:
        (buffers, variables), takes = counts, self.takes
        raise DeviceRuntimeError(
            f"kernel {self.name} takes {takes[0]} buffers and {takes[1]} variables, found "
            f"{buffers} and {variables}"
        )


class CDevice(HostDevice):
    """Kernels in C on this machine's cores, in this process's memory."""

    in_host_memory = True
    is_native = True
    is_searched = True
    row_of = "C"
    target_name = "C"

    @classmethod
    def why_not(cls) -> str | None:
        """None if a C compiler is here, else what was looked for and what to install."""
        try:
            find_compiler()
        except DeviceError as error:
            return str(error)
        return None

    @classmethod
    def describe(cls) -> str:
        """Compiler, its version, and threads."""
        compiler = find_compiler()
        return f"{' '.join(compiler.command)} ({compiler.version}), {cores()} cores"

    @property
    def target(self) -> str:
        """The target whose vectors this processor has; that of a subclass, if it names one."""
        return self.target_name if self._is_of_others else vector_target(find_compiler())

    @property
    def _is_of_others(self) -> bool:
        """Whether a subclass names another target than those of this device."""
        return self.target_name != CDevice.target_name

    @property
    def flags(self) -> tuple[str, ...]:
        """The compiler's flags for a unit of kernels; where two contradict, the last one counts.

        Loops of scalars, which targets of subclasses have, stay loops: of one that clears 48 bytes
        on the stack gcc 12.2 makes a store that asks for more alignment than they have.
        """
        flags = find_compiler().kernel_flags
        return (*flags, _LOOPS_STAY) if self._is_of_others else flags

    def library_of(self, source: str, names: Sequence[str]) -> Path:
        """Compile one translation unit of these kernels. Raises CompileError if it is refused."""
        return compile_c(source, self.flags, ", ".join(names))

    def needed(self) -> Sequence[Callable[[], object]]:
        """The pool of threads."""
        return (pool_library,)

    def runtime(self, program: Program) -> CRuntime:
        """Load a program. Raises DeviceRuntimeError if its function is not there."""
        self.check_program(program)
        return CRuntime(program, self)

    def launch_row(self, launches: Sequence[Launch], uses: Sequence[Use], slots: int) -> CRow:
        """Launches as one foreign call."""
        return CRow([launch for launch in launches if isinstance(launch, CLaunch)], uses, slots)
