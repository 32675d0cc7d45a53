"""The device STACK: kernels as byte code of a stack machine, which runs in Python.

It is slow, and small enough to be read: `machine.py` assembles words and runs what comes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rulewright.errors import CompileError
from rulewright.runtime.allocator import HostAllocator
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import CompilingDevice, Launch, Program, Runtime, timed
from rulewright_stack.machine import WordError, assemble, execute


class StackLaunch(Launch):
    """A program with its memories and numbers."""

    def __init__(self, program: Program, buffers: Sequence[Buffer], numbers: list[int]) -> None:
        self.program, self.buffers, self.numbers = program, buffers, numbers

    def __call__(self, wait: bool = False) -> float | None:
        """Run it to its end; the seconds it took if `wait`."""
        memories = [buffer.as_numpy() for buffer in self.buffers]
        seconds = timed(lambda: execute(self.program.binary, memories, self.numbers))
        return seconds if wait else None


class StackRuntime(Runtime):
    """A program that is ready for memories."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def bind(
        self,
        buffers: Sequence[Buffer],
        variables: Sequence[int] = (),
        global_size: Sequence[int] = (1,),
        local_size: Sequence[int] | None = None,
    ) -> StackLaunch:
        """A launch; the sizes are those of one thread."""
        return StackLaunch(self.program, buffers, list(variables))


class StackDevice(CompilingDevice):
    """Byte code over memory of this process."""

    in_host_memory = True
    spec = (Path(__file__).with_name("stack.uop"),)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._allocator = HostAllocator(name)

    @classmethod
    def describe(cls) -> str:
        """What it is."""
        return "a stack machine in Python"

    @property
    def allocator(self) -> HostAllocator:
        """Host memory."""
        return self._allocator

    def compile(self, source: str, name: str) -> Program:
        """Byte code of a kernel. Raises CompileError for a word that the machine does not know."""
        try:
            return Program(name, source, assemble(source))
        except WordError as error:
            raise CompileError(f"device {self.name}: {error}", source, unit=name) from error

    def runtime(self, program: Program) -> StackRuntime:
        """A program that is ready for memories."""
        return StackRuntime(program)
