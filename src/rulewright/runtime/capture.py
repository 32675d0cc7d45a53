"""Capturing what runs, and running it again over other buffers.

While a `Recorder` is active in a thread, every kernel that runs there is noted. A `Replay` runs the
kernels noted again; on the C device those in a row are one foreign call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from weakref import ref

from rulewright.options import options
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.profile import GlobalCounters

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp
    from rulewright.runtime.execute import ExecItem


@dataclass(eq=False)
class Recorder:
    """What happened during a capture.

    items: kernels in order, with the values of their variables · data: host data that was copied
    into new buffers · random: the buffers among them that hold words of the random generator, in
    order · rebound: objects (tensors) that were given another memory, weakly, by id.
    bounds: index expressions that are 0 or more at the values that variables have now.
    `refuse` raises the error for what a capture cannot repeat.
    """

    refuse: Callable[[str], None]
    items: list[tuple[ExecItem, dict[str, int]]] = field(default_factory=list)
    data: dict[Buffer, Any] = field(default_factory=dict)
    random: list[Buffer] = field(default_factory=list)
    bounds: list[UOp] = field(default_factory=list)
    rebound: dict[int, ref[Any]] = field(default_factory=dict)


class _Local(threading.local):
    recorder: Recorder | None = None


_local = _Local()


def recorder() -> Recorder | None:
    """The recorder that is active in this thread, or None."""
    return _local.recorder


@contextmanager
def recording(active: Recorder | None) -> Iterator[None]:
    """Note what runs in this thread inside the block; None notes nothing."""
    before, _local.recorder = _local.recorder, active
    try:
        yield
    finally:
        _local.recorder = before


class Replay:
    """Kernels to run again. `moving` are the buffers that each run has others for, by slot."""

    def __init__(
        self,
        items: Sequence[tuple[ExecItem, dict[str, int]]],
        moving: Mapping[Buffer, int],
        variables: Sequence[str],
    ) -> None:
        self.items, self.moving = list(items), dict(moving)
        self.variables = set(variables)
        self._steps: list[Callable[[Sequence[Buffer], Mapping[str, int]], None]] = []
        row: list[tuple[ExecItem, dict[str, int]]] = []
        for item, values in self.items:
            if _is_native(item):
                row.append((item, values))
                continue
            self._close(row)
            self._steps.append(self._general(item, values))
            row = []
        self._close(row)

    def _close(self, row: list[tuple[ExecItem, dict[str, int]]]) -> None:
        if row:
            self._steps.append(_Row(row, self.moving, self.variables).run)

    def _general(
        self, item: ExecItem, values: dict[str, int]
    ) -> Callable[[Sequence[Buffer], Mapping[str, int]], None]:
        from rulewright.runtime.execute import run_item

        def run(buffers: Sequence[Buffer], given: Mapping[str, int]) -> None:
            moved = self._moved(item, buffers)
            now = {**values, **given} if given else values
            run_item(replace(moved, fixed_variables={}), now, False)

        return run

    def _moved(self, item: ExecItem, buffers: Sequence[Buffer]) -> ExecItem:
        slots = [self.moving.get(b) for b in item.buffers]
        if all(s is None for s in slots):
            return item
        new = [b if s is None else buffers[s] for b, s in zip(item.buffers, slots, strict=True)]
        return replace(item, buffers=tuple(new))

    def run(self, buffers: Sequence[Buffer], variables: Mapping[str, int]) -> None:
        """Run all kernels in order, over `buffers` in the place of the moving ones."""
        chosen = options()
        if chosen.DEBUG >= 2 or chosen.PROFILE:  # one at a time, so that each is reported
            for item, values in self.items:
                self._general(item, values)(buffers, variables)
            return
        for step in self._steps:
            step(buffers, variables)


def _is_native(item: ExecItem) -> bool:
    return item.device.kind == "C" and not item.is_copy


class _Row:
    """Kernels of the C device in a row: one array of launches, run by one foreign call."""

    def __init__(
        self,
        items: Sequence[tuple[ExecItem, dict[str, int]]],
        moving: Mapping[Buffer, int],
        variables: set[str],
    ) -> None:
        from rulewright.runtime.execute import bind_item
        from rulewright.runtime.threads import launch_array

        bound = [bind_item(item, values) for item, values in items]
        self._launches = [launch for _, launch in bound]
        self._array, self._run = launch_array([launch.struct for launch in self._launches])
        self._keep = items
        self._pointers: list[tuple[Any, int, int]] = []
        self._numbers: list[tuple[Any, int, str]] = []
        self._sizes: list[tuple[int, Any]] = []
        for place, ((item, _), (program, launch)) in enumerate(zip(items, bound, strict=True)):
            for index, slot in enumerate(program.parameters):
                moved = moving.get(item.buffers[slot])
                if moved is not None:
                    self._pointers.append((launch.pointers, index, moved))
            for index, variable in enumerate(program.variables):
                if variable.arg[0] in variables:
                    self._numbers.append((launch.variables, index, variable.arg[0]))
            if not isinstance(program.launch[0][0], int):
                self._sizes.append((place, program.launch[0][0]))
        self._values = [values for _, values in items]
        self._estimates = [program.estimates for program, _ in bound]
        self._works: dict[tuple[int, ...], tuple[int, int, list[int]]] = {}

    def _work(self, variables: Mapping[str, int]) -> tuple[int, int, list[int]]:
        """Operations, bytes, and the launch sizes that depend on variables, for these values."""
        key = tuple(variables.values())
        found = self._works.get(key)
        if found is None:
            from rulewright.runtime.execute import value_of

            now = [{**values, **variables} for values in self._values]
            flops = sum(value_of(e.flops, v) for e, v in zip(self._estimates, now, strict=True))
            moved = sum(value_of(e.bytes, v) for e, v in zip(self._estimates, now, strict=True))
            sizes = [value_of(size, now[place]) for place, size in self._sizes]
            found = self._works[key] = flops, moved, sizes
        return found

    def run(self, buffers: Sequence[Buffer], variables: Mapping[str, int]) -> None:
        """Set what moves, then run all."""
        addresses = [b.address for b in buffers]
        for pointers, index, slot in self._pointers:
            pointers[index] = addresses[slot]
        for numbers, index, name in self._numbers:
            numbers[index] = variables[name]
        flops, moved, sizes = self._work(variables)
        for (place, _), size in zip(self._sizes, sizes, strict=True):
            self._array[place].count = size
        self._run()
        GlobalCounters.kernels += len(self._launches)
        GlobalCounters.global_ops += flops
        GlobalCounters.global_mem += moved
