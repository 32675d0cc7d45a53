"""Running what was captured again over other buffers; where a device runs rows, kernels in a row
are one foreign call or graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from rulewright.driver.capture import Noted
from rulewright.driver.execute import ExecItem, run_item
from rulewright.driver.memory import Step, plan_memory
from rulewright.driver.report import report_replay
from rulewright.ir.dtypes import dtypes
from rulewright.ir.watch import checks
from rulewright.options import options
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device
from rulewright.runtime.memories import Sharded

if TYPE_CHECKING:
    from rulewright.driver.row import Row


# ---- memory plan ---------------------------------------------------------------------------------
#
# One memory plan for all that a capture runs, however many schedules it was.
#
# Each schedule was planned by itself, and what one left for the next had memory of its own. Seen
# together, what only these kernels know may share memory, whichever schedule it was made in.


def replanned(items: Sequence[ExecItem], held: Set[Buffer]) -> list[ExecItem]:
    """The items over memory that is planned for all of them; `held` is what others know.

    Raises ValidationError if VERIFY is on and the plan is wrong.
    """
    inner = inner_memories(items, held)
    steps = [
        Step(
            [(b, b.nbytes, b.device.name) for b in dict.fromkeys(i.buffers) if b in inner],
            i.is_copy,
        )
        for i in items
    ]
    alignment = max((b.device.view_alignment for b in inner), default=64)
    plan = plan_memory(steps, frozenset(), alignment)
    if options().VERIFY:
        checks().check_plan(plan, steps, frozenset(), alignment)
    arenas = {a: Buffer(Device[a.device], size, dtypes.u8) for a, size in plan.arenas.items()}
    new = {}
    for buffer in inner:
        arena, offset = plan.placements[buffer]
        new[buffer] = arenas[arena].view(offset, buffer.size, buffer.dtype)
    return [replace(i, buffers=tuple([new.get(b, b) for b in i.buffers])) for i in items]


def inner_memories(items: Sequence[ExecItem], held: Set[Buffer]) -> dict[Buffer, None]:
    """What only the items know and write before they read it: scratch, and what is whole memory."""
    used = dict.fromkeys(b for item in items for b in item.buffers)
    whole = {b for b in used if b.base is None}
    viewed = {b.base for b in used}
    inner = {
        b: None
        for b in used
        if (b.base or b) not in held and b not in viewed and b.base not in whole
    }
    seen: set[Buffer] = set()
    for item in items:
        for buffer in set(item.read) - seen - set(item.written):
            inner.pop(buffer, None)
        seen.update(item.buffers)
    return inner


# ---- replays ------------------------------------------------------------------------------------


class Replay:
    """Kernels to run again. `moving` are the buffers that each run has others for, by slot;
    `held` is the memory that others know too. Of what is cut, each part has a slot of its own.

    `row` is set if they are all one row: a run of it is then a run, over the memory that was put in
    its slots. Else `reason` says why not.
    """

    def __init__(
        self,
        items: Sequence[Noted],
        moving: Mapping[Buffer, int],
        variables: Sequence[str],
        held: Set[Buffer],
    ) -> None:
        places: dict[Buffer, int | tuple[int, int]] = {}
        for buffer, slot in moving.items():
            parts = enumerate(buffer.parts if isinstance(buffer, Sharded) else ())
            own: dict[Buffer, int | tuple[int, int]] = {part: (slot, n) for n, part in parts}
            places.update(own or {buffer: slot})
        is_cut = any(isinstance(buffer, Sharded) for buffer in moving)
        self._places = list(places.values()) if is_cut else []
        stands = {buffer: buffer.another() for buffer in places}  # hold no memory of the capture
        slots = range(len(places)) if is_cut else moving.values()
        self.moving = dict(zip(stands.values(), slots, strict=True))
        moved = [replace(i, buffers=tuple([stands.get(b, b) for b in i.buffers])) for i, _ in items]
        planned = replanned(moved, held | set(self.moving))
        self.items = [(item, values) for item, (_, values) in zip(planned, items, strict=True)]
        self.variables = set(variables)
        self._steps: list[Callable[[Sequence[Buffer], Mapping[str, int]], None]] = []
        self._rows: list[Row] = []
        for of, group in groupby(self.items, key=lambda noted: _row_of(noted[0])):
            if of:
                from rulewright.driver.row import Row  # what runs threads, once they run

                self._rows.append(Row(list(group), self.moving, self.variables))
                self._steps.append(self._rows[-1].run)
            else:
                self._steps += [self._general(item, values) for item, values in group]
        is_row = len(self._steps) == len(self._rows) == 1 and not is_cut
        self.row = self._rows[0] if is_row else None
        self.reason = "" if self.row else self._why_several()
        if self.reason:
            report_replay(len(self.items), self.reason)

    def _why_several(self) -> str:
        """Why one run is not one row."""
        for number, (item, _) in enumerate(self.items):
            if item.is_copy:
                place, origin = item.device.name, item.buffers[1].device.name
                return f"kernel {number} copies from {origin} to {place}"
            if not item.is_kernel:
                return f"item {number} calls {item.ast.arg[0]}, a function of the host"
            if not item.device.row_of:
                return f"device {item.device.name} runs kernels one by one"
        names = dict.fromkeys(item.device.name for item, _ in self.items)
        return f"its kernels run on {' and '.join(names)}" if names else "it runs no kernels"

    def _general(
        self, item: ExecItem, values: dict[str, int]
    ) -> Callable[[Sequence[Buffer], Mapping[str, int]], None]:
        def run(buffers: Sequence[Buffer], variables: Mapping[str, int]) -> None:
            moved = self._moved(item, buffers)
            now = {**values, **variables} if variables else values
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
        if self._places:
            buffers = [_at(buffers, place) for place in self._places]
        if one_by_one():
            if self.row is not None:
                self.row.take(buffers)  # a later run may begin from there
            for item, values in self.items:
                self._general(item, values)(buffers, variables)
            return
        for step in self._steps:
            step(buffers, variables)


def _at(buffers: Sequence[Buffer], place: int | tuple[int, int]) -> Buffer:
    """The memory in a slot, or its part on one of several devices."""
    if isinstance(place, int):
        return buffers[place]
    memory = buffers[place[0]]
    assert isinstance(memory, Sharded), "an argument is where it was captured"
    return memory.parts[place[1]]


def one_by_one() -> bool:
    """Whether each kernel is reported, for which they run one at a time."""
    chosen = options()
    return chosen.DEBUG >= 2 or bool(chosen.PROFILE)


def _row_of(item: ExecItem) -> str:
    """What runs an item in a row; "" for what is run by itself."""
    return item.device.row_of if item.is_kernel else ""
