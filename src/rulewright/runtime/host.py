"""Devices whose kernels the host's C compiler makes shared objects of, in memory of the host."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from rulewright.runtime.allocator import HostAllocator
from rulewright.runtime.compiler import find_compiler, in_threads
from rulewright.runtime.device import CompilingDevice, Program

FULL = 20_000
"""Characters from which on a unit is compiled: some tenths of a second of a compiler's work."""
FULL_UNOPTIMISED = 200_000
"""The same of one that does not optimise."""


class HostDevice(CompilingDevice):
    """What they have in common."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._allocator = HostAllocator(name)

    @property
    def allocator(self) -> HostAllocator:
        """Host memory, aligned to 64 bytes."""
        return self._allocator

    @property
    def unit_length(self) -> int:
        """More for a compiler that starts as slowly as others, but does little with a kernel."""
        return FULL if find_compiler().optimises else FULL_UNOPTIMISED

    @abstractmethod
    def library_of(self, source: str, names: Sequence[str]) -> Path:
        """Compile one translation unit of these kernels. Raises CompileError if it is refused."""

    def needed(self) -> Sequence[Callable[[], object]]:
        """What the first kernel to run needs, made beside the kernels."""
        return ()

    def compile(self, source: str, name: str) -> Program:
        """Compile one translation unit for the kernel `name` in it."""
        self.check_text(source, name)
        return self.compile_many([(source, [name])])[0][0]

    def compile_many(self, units: Iterable[tuple[str, Sequence[str]]]) -> list[list[Program]]:
        """Compile translation units in parallel, each holding the kernels named."""
        known: list[tuple[str, Sequence[str]]] = []
        needed = self.needed()

        def tasks() -> Iterator[Callable[[], object]]:
            yield from needed
            for source, names in units:
                known.append((source, names))
                yield partial(self.library_of, source, names)

        paths = in_threads(tasks())[len(needed) :]
        return [
            [Program(name, source, path) for name in names]
            for (source, names), path in zip(known, paths, strict=True)
        ]
