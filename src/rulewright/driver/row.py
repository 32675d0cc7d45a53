"""Kernels of the C device in a row: one array of launches, run by one foreign call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rulewright.codegen.program import size_at
from rulewright.driver.execute import bind_item, loaded
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.clib import pointer_array
from rulewright.runtime.profile import GlobalCounters
from rulewright.runtime.threads import launch_row

if TYPE_CHECKING:
    from rulewright.driver.execute import ExecItem


class Row:
    """Kernels with their arguments bound, and what of these differs from run to run.

    `moving` maps the buffers that each run has others for to their slots; `addresses` is the C
    array of what is in the slots, and `slots` are those that kernels use.
    """

    def __init__(
        self,
        items: Sequence[tuple[ExecItem, dict[str, int]]],
        moving: Mapping[Buffer, int],
        variables: set[str],
    ) -> None:
        bound = [bind_item(item, values, moving) for item, values in items]
        uses: list[tuple[Any, int, int, int]] = []
        self._numbers: list[tuple[Any, int, str]] = []
        self._sizes: list[tuple[int, Any]] = []
        for place, ((item, _), (program, launch)) in enumerate(zip(items, bound, strict=True)):
            parts = loaded(item).parts
            for index, parameter in enumerate(program.parameters):
                buffer = item.buffers[parameter]
                if buffer in moving:
                    first = parts[parameter].first if parameter in parts else 0
                    offset = first * buffer.dtype.itemsize
                    uses.append((launch.pointers, index, moving[buffer], offset))
            for index, variable in enumerate(program.variables):
                if variable.arg[0] in variables:
                    self._numbers.append((launch.variables, index, variable.arg[0]))
            if not isinstance(program.launch[0][0], int):
                self._sizes.append((place, program.launch[0][0]))
        self.slots = sorted({slot for _, _, slot, _ in uses})
        self.addresses = pointer_array([0] * (max(moving.values(), default=-1) + 1))
        self._launches = [launch for _, launch in bound]
        structs = [launch.struct for launch in self._launches]
        self._array, self._run = launch_row(structs, uses, self.addresses)
        self._values = [values for _, values in items]
        self._estimates = [program.estimates for program, _ in bound]
        self._works: dict[tuple[int, ...], tuple[int, int, list[int]]] = {}
        self._count = len(bound)

    def _work(
        self, key: tuple[int, ...], variables: Mapping[str, int]
    ) -> tuple[int, int, list[int]]:
        """Operations, bytes, and the launch sizes that depend on variables, for these values."""
        now = [{**values, **variables} for values in self._values]
        works = [e.at(v) for e, v in zip(self._estimates, now, strict=True)]
        flops, moved = sum(f for f, _ in works), sum(m for _, m in works)
        sizes = [size_at(size, now[place]) for place, size in self._sizes]
        self._works[key] = flops, moved, sizes
        return flops, moved, sizes

    def run(self, buffers: Sequence[Buffer], variables: Mapping[str, int]) -> None:
        """Set what moves, then run all."""
        self.take(buffers)
        self.run_again(variables)

    def take(self, buffers: Sequence[Buffer]) -> None:
        """Set what moves."""
        for slot in self.slots:
            self.addresses[slot] = buffers[slot].address

    def run_again(self, variables: Mapping[str, int]) -> None:
        """Run all over the memory whose addresses are set."""
        key = tuple(variables.values())
        flops, moved, sizes = self._works.get(key) or self._work(key, variables)
        if variables:
            for numbers, index, name in self._numbers:
                numbers[index] = variables[name]
            for (place, _), size in zip(self._sizes, sizes, strict=True):
                self._array[place].count = size
        self._run()
        counters = GlobalCounters
        counters.kernels += self._count
        counters.global_ops += flops
        counters.global_mem += moved
