"""Kernels in a row that their device runs as one: by one foreign call, or as one graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rulewright.codegen.program import size_at
from rulewright.driver.execute import ExecItem, bind_item, loaded
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Use
from rulewright.runtime.profile import GlobalCounters


class Row:
    """Kernels with their arguments bound, and what of these differs from run to run.

    `moving` maps the buffers that each run has others for to their slots; `slots` are those that
    kernels use, and `put(slot, buffer)` says what is in one.
    """

    def __init__(
        self,
        items: Sequence[tuple[ExecItem, dict[str, int]]],
        moving: Mapping[Buffer, int],
        variables: set[str],
    ) -> None:
        bound = [bind_item(item, values, moving) for item, values in items]
        uses: list[Use] = []
        self._numbers: list[tuple[int, int, str]] = []
        self._sizes: list[tuple[int, Sequence[Any]]] = []
        for place, ((item, _), (program, _)) in enumerate(zip(items, bound, strict=True)):
            parts = loaded(item).parts
            for index, parameter in enumerate(program.parameters):
                buffer = item.buffers[parameter]
                if buffer in moving:
                    first = parts[parameter].first if parameter in parts else 0
                    offset = first * buffer.dtype.itemsize
                    uses.append(Use(place, index, moving[buffer], offset))
            for index, variable in enumerate(program.variables):
                if variable.arg[0] in variables:
                    self._numbers.append((place, index, variable.arg[0]))
            if not all(isinstance(size, int) for size in program.launch[0]):
                self._sizes.append((place, program.launch[0]))
        self.slots = sorted({use.slot for use in uses})
        count = max(moving.values(), default=-1) + 1
        device = items[0][0].device
        self.launches = device.launch_row([launch for _, launch in bound], uses, count)
        self.put = self.launches.put
        self._run = self.launches.run
        self._values = [values for _, values in items]
        self._estimates = [program.estimates for program, _ in bound]
        self._works: dict[tuple[int, ...], tuple[int, int, list[list[int]]]] = {}
        self._count = len(bound)

    def _work(
        self, key: tuple[int, ...], variables: Mapping[str, int]
    ) -> tuple[int, int, list[list[int]]]:
        """Operations, bytes, and the launch sizes that depend on variables, for these values."""
        now = [{**values, **variables} for values in self._values]
        works = [e.at(v) for e, v in zip(self._estimates, now, strict=True)]
        flops, moved = sum(f for f, _ in works), sum(m for _, m in works)
        sizes = [[size_at(size, now[place]) for size in axes] for place, axes in self._sizes]
        self._works[key] = flops, moved, sizes
        return flops, moved, sizes

    def run(self, buffers: Sequence[Buffer], variables: Mapping[str, int]) -> None:
        """Set what moves, then run all."""
        self.take(buffers)
        self.run_again(variables)

    def take(self, buffers: Sequence[Buffer]) -> None:
        """Set what moves."""
        self.launches.take(self.slots, buffers)

    def run_again(self, variables: Mapping[str, int]) -> None:
        """Run all over the memory that is in the slots."""
        key = tuple(variables.values())
        flops, moved, sizes = self._works.get(key) or self._work(key, variables)
        if variables:
            for place, index, name in self._numbers:
                self.launches.number(place, index, variables[name])
            for (place, _), size in zip(self._sizes, sizes, strict=True):
                self.launches.size(place, size)
        self._run()
        counters = GlobalCounters
        counters.kernels += self._count
        counters.global_ops += flops
        counters.global_mem += moved
