"""Translation units: kernels that are compiled together, as starting a compiler costs as much.

A unit is full at a length of text, whatever the time it took to make it: the same kernels make the
same units in each process, and are found in the cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rulewright.codegen.program import KernelProgram
from rulewright.render import Target, Written, join_kernels

LEAST = 800
"""What the shortest kernel counts as."""


@dataclass
class Unit:
    """Programs and the names of their kernels in the unit's source."""

    target: Target
    programs: list[KernelProgram] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    length: int = 0
    _written: list[Written] = field(default_factory=list)

    def add(self, program: KernelProgram) -> None:
        """Take in another kernel; others may have its name, but differ in what that leaves out."""
        again = sum(n.partition("__")[0] == program.name for n in self.names)
        name = f"{program.name}__{again}" if again else program.name
        self.programs.append(program)
        self.names.append(name)
        self._written.append(
            program.written.under(program.name, name) if again else program.written
        )
        self.length += max(len(program.written.text), LEAST)

    @property
    def source(self) -> str:
        """Its text. Raises DTypeError for a dtype that the target lacks."""
        return join_kernels(self._written, self.target)


def units_of(
    programs: Iterable[KernelProgram], target: Target, units: list[Unit], full: int
) -> Iterator[Unit]:
    """The different ones of these programs in units, each as soon as it is full; kept in `made`."""
    seen: set[str] = set()
    unit = Unit(target)
    for program in programs:
        if program.source in seen:
            continue
        seen.add(program.source)
        unit.add(program)
        if unit.length >= full:
            units.append(unit)
            yield unit
            unit = Unit(target)
    if unit.programs:
        units.append(unit)
        yield unit
