"""From shaped tensor nodes to kernels of loops: applies a stage plan; rules do the rest.

Each store and each value that is kept becomes a CALL of a kernel: one RANGE an axis, reductions are
REDUCE over ranges, and every value is asked for through INDEX. The rules of `spec/50-movement.uop`
sink each INDEX through movement and elementwise ops down to memory.

A kernel's parameters and loops are numbered in it alone, so that what is computed the same way of
other memory, as each layer of a model and each step of an optimiser is, is one node from here on:
the rules that follow look at it once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from math import prod

from rulewright.errors import DeviceError, ScheduleError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.origins import Origins
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import written_slots
from rulewright.schedule.facts import MEMORY
from rulewright.schedule.near import NearRow
from rulewright.schedule.plan import StagePlan
from rulewright.schedule.requests import Root
from rulewright.schedule.stages import plan_stages

_WHOLE = Ops.group("Outer")
_LEAVES = _WHOLE | {Ops.AFTER}
_PLACES = Ops.group("Movement") | {Ops.BITCAST, Ops.SUBBUFFER}


def rangeify(sink: UOp, origins: Origins | None = None) -> UOp:
    """A function of shaped nodes as CALLs of kernels, and the versions of memory between them.

    What reads no memory is computed on each device that uses it. Raises DeviceError for a kernel
    that would read from several devices, ScheduleError for what is no effect and stands as one.
    """
    return _Kernels(sink, plan_stages(sink), origins).graph()


class _Kernels:
    """The kernels of one function, made in an order in which each follows those that it reads."""

    def __init__(self, sink: UOp, plan: StagePlan, origins: Origins | None) -> None:
        self.sink, self.plan, self.origins = sink, plan, origins
        self.order = sink.toposort()
        used = [node.arg[0] for node in self.order if node.op is Ops.SCRATCH]
        self.slots = count(1 + max(used, default=-1))
        self.devices = dict.fromkeys(n.arg[2] for n in self.order if n.op in _WHOLE)
        looped = plan.rows.keys() | plan.reduce_loops.keys()
        self.rank = {n: i for i, n in enumerate(reversed(self.order)) if n in looped}
        self.versions: dict[UOp, UOp] = {}  # memory and views of it, as they are then
        self.kept: dict[UOp, dict[str | None, UOp]] = {}  # what is kept, on each device
        self.effects: dict[UOp, UOp] = {}

    def graph(self) -> UOp:
        """The whole of it."""
        placed = _places(self.order) if len(self.devices) > 1 else {}
        alone = (next(iter(self.devices), None),)
        for node in self.order:
            if node.op in MEMORY:
                self.versions[node] = self._version(node)
            elif node.op is Ops.STORE:
                self.effects[node] = self._stored(node, placed.get(node, alone)[0])
            elif node.op is Ops.CALL:
                self.effects[node] = self._called(node)
            if node in self.plan.staged:
                kept = {place: self._filled(node, place) for place in placed.get(node, alone)}
                self.kept[node] = kept
        return self.sink.replace(
            src=tuple([
                self.versions[s] if s.op in MEMORY else self._effect(s) for s in self.sink.src
            ])
        )  # fmt: skip

    def _version(self, node: UOp) -> UOp:
        """A memory after the effects so far; of a view that waits, the view of what waits."""
        if node.op is not Ops.AFTER:
            return node.over(tuple([self._place_of(s) for s in node.src]))
        views, memory = [], self._place_of(node.src[0])
        while memory.op in _PLACES:
            views.append(memory)
            memory = memory.src[0]
        return _under(views, memory.after(*[self._effect(e) for e in node.src[1:]]))

    def _place_of(self, node: UOp) -> UOp:
        """Where something is stored: never a copy of the memory."""
        views = []
        while node not in self.versions:
            views.append(node)
            node = node.src[0]
        return _under(views, self.versions[node])

    def _effect(self, node: UOp) -> UOp:
        if node not in self.effects:
            raise ScheduleError(f"{node.op} may not stand as an effect of a schedule: {node}")
        return self.effects[node]

    def held(self, node: UOp, place: str | None) -> UOp:
        """The memory that holds a node, on a device if it is kept on several."""
        kept = self.kept.get(node)
        if kept is None:
            return self.versions[node]
        return kept[place] if place in kept else [*kept.values()][-1]

    # ---- kinds of kernels -----------------------------------------------------------------

    def _stored(self, store: UOp, place: str | None) -> UOp:
        target, value = store.src[:2]
        root, memory = self.plan.stores[store], self._place_of(target)
        if value.op is Ops.COPY and target.op in MEMORY:
            return self._transfer(memory, value, place)
        return self._noted(_Nest(self, root, value, place).call(memory), root)

    def _filled(self, node: UOp, place: str | None) -> UOp:
        """Memory of its own for a value: on the device that it reads, or where it is wanted."""
        root, is_copy, shape = self.plan.staged[node], node.op is Ops.COPY, node.max_shape
        nest = None if is_copy else _Nest(self, root, node, place, is_top=True)
        device = node.arg if nest is None else nest.device() or place
        plain = tuple(range(len(shape)))
        order = root.order or plain
        lies = tuple([shape[axis] for axis in order])
        memory = UOp(Ops.SCRATCH, node.dtype, (), (next(self.slots), lies, device))
        if nest is None:
            kept = memory.after(self._transfer(memory, node, place))
        elif order == plain:
            kept = memory.after(self._noted(nest.call(memory), root))
        else:
            turned = tuple(map(order.index, plain))
            filled = self._noted(nest.call(memory.permute(turned)), root)
            kept = memory.after(filled).permute(turned)
        return kept if node.shape == shape else kept.shrink(tuple((0, s) for s in node.shape or ()))

    def _transfer(self, memory: UOp, copy: UOp, place: str | None) -> UOp:
        """Whole memory moves to another device: parameter 1 to parameter 0."""
        source = self.held(copy.src[0], place).past(_PLACES)
        to, of = (
            UOp(Ops.PARAM, m.dtype, (), (slot, (prod(m.base.arg[1]),), None))
            for slot, m in enumerate((memory, source))
        )
        effect = to.store(UOp(Ops.COPY, of.dtype, (of,), memory.base.arg[2]))
        call = UOp(Ops.CALL, dtypes.void, (effect.sink(), memory, source))
        return self._noted(call, self.plan.staged[copy])

    def _called(self, call: UOp) -> UOp:
        """A kernel that is there: what it only reads may be a copy."""
        written = written_slots(call.src[0])
        arguments = [
            self.versions[memory] if slot in written else self.held(memory, None).past(_PLACES)
            for slot, memory in enumerate(call.src[1:])
        ]
        new = call.replace(src=(call.src[0], *arguments))
        if self.origins is not None:
            self.origins.carry({call: new})
        return new

    def _noted(self, call: UOp, root: Root) -> UOp:
        if self.origins is not None:
            self.origins.notes[call] = self.origins.gather(root.nodes)
        return call


class _Nest:
    """The loops around one value, over parameters and with numbers that are the kernel's own.

    `is_top`: the value is what is to be kept, rather than read from where it is.
    """

    def __init__(
        self, kernels: _Kernels, root: Root, value: UOp, place: str | None, is_top: bool = False
    ) -> None:
        self.plan, self.rank, self.root, self.value = kernels.plan, kernels.rank, root, value
        staged = self.plan.staged

        def is_read(node: UOp) -> bool:
            return node.op in _LEAVES or (node in staged and not (is_top and node is value))

        self.nodes = value.toposort(lambda n: not is_read(n))
        self.reads = {n: kernels.held(n, place) for n in self.nodes if is_read(n)}

    def device(self) -> str | None:
        """The device of everything that is read."""
        devices = dict.fromkeys(version.base.arg[2] for version in self.reads.values())
        devices.pop(None, None)
        if len(devices) > 1:
            raise DeviceError(
                f"a kernel would read from several devices: {', '.join(devices)}; "
                "move the operands to one with .to(device)"
            )
        return next(iter(devices), None)

    def call(self, target: UOp) -> UOp:
        """The CALL that stores the value in a memory, or in what a view shows of one.

        Two versions of one memory are one argument: the later one, which is the written one's.
        """
        memory = target.past(_PLACES)
        slots, arguments = {memory.base: 0}, [memory]
        for version in self.reads.values():
            if version.base not in slots:
                slots[version.base] = len(slots)
                arguments.append(version.past(_PLACES))
        loops = self._loop_names()
        value = self._value(slots, loops)
        around = tuple([loops[loop] for loop in self.root.places()])
        outer_first = [loops[loop] for loop in self.root.ordered_loops()]
        store = _parameter(target, slots).index(*around).store(_element(value, around))
        kernel = UOp.sink(store.end(*outer_first))
        return UOp(Ops.CALL, dtypes.void, (kernel, *arguments))

    def _loop_names(self) -> dict[UOp, UOp]:
        """Numbers for all loops: an outer loop's is below an inner loop's, sums come last."""
        plan, numbers = self.plan, count()
        rows = [n for n in self.nodes if self.root in plan.rows.get(n, ())]
        reduced = [n for n in self.nodes if n in plan.reduce_loops]
        loops = list(self.root.ordered_loops())
        loops += [plan.rows[n][self.root].fill for n in sorted(rows, key=self.rank.__getitem__)]
        names = {loop: loop.replace(arg=(next(numbers), loop.arg[1])) for loop in loops}
        for node in sorted(reduced, key=self.rank.__getitem__):
            for loop in plan.reduce_loops[node]:
                for part in plan.blocks.get(loop, (loop,)):
                    names[part] = part.replace(arg=(next(numbers), "reduce"))
        return names

    def _value(self, slots: Mapping[UOp, int], loops: dict[UOp, UOp]) -> UOp:
        """What is stored, of parameters."""
        own: dict[UOp, UOp] = {}
        for node in self.nodes:
            if node in self.reads:
                own[node] = _parameter(self.reads[node], slots)
                continue
            new = node.over(tuple([own[s] for s in node.src]))
            if node.op is Ops.REDUCE_AXIS:
                new = self._reduced(node, new, loops)
            row = self.plan.rows[node].get(self.root) if node in self.plan.rows else None
            own[node] = new if row is None else _row(new, row, loops)
        return own[self.value]

    def _reduced(self, node: UOp, new: UOp, names: dict[UOp, UOp]) -> UOp:
        loops = self.plan.reduce_loops.get(node, ())
        blocks = [self.plan.blocks.get(loop) for loop in loops]
        places = [b.at(b.inner) if b else loop for loop, b in zip(loops, blocks, strict=True)]
        parts = [part for loop, b in zip(loops, blocks, strict=True) for part in b or (loop,)]
        places, parts = ([x.substitute(names) for x in indices] for indices in (places, parts))
        return _reduce(new, places, parts)


def _places(nodes: Sequence[UOp]) -> dict[UOp, tuple[str | None, ...]]:
    """Of each node the device that it reads, or those of the nodes that use it; operands first."""
    own: dict[UOp, str | None] = {}
    for node in nodes:
        device = node.arg if node.op is Ops.COPY else node.arg[2] if node.op in _WHOLE else None
        own[node] = device or next((own[s] for s in node.src if own[s]), None)
    places: dict[UOp, dict[str | None, None]] = {node: {} for node in nodes}
    for node in reversed(nodes):
        if own[node]:
            places[node] = {own[node]: None}
        for source in node.src:
            places[source].update(places[node])
    return {node: tuple(devices) or (None,) for node, devices in places.items()}


def _parameter(version: UOp, slots: Mapping[UOp, int]) -> UOp:
    """A memory, or what a view shows of one, as the parameter that it is given as."""
    views = []
    while version.op in _PLACES:
        views.append(version)
        version = version.src[0]
    base = version.base
    return _under(views, UOp(Ops.PARAM, base.dtype, (), (slots[base], base.arg[1], None)))


def _under(views: Sequence[UOp], memory: UOp) -> UOp:
    """Views, each of the next, of another memory."""
    for view in reversed(views):
        memory = view.over((memory, *view.src[1:]))
    return memory


def _element(value: UOp, loops: tuple[UOp, ...]) -> UOp:
    """What a kernel stores of a value, marked with the axis choices that the value comes with."""
    if value.op is not Ops.CONTIGUOUS:
        return value.index(*loops)
    element = value.src[0].index(*loops)
    return element if value.arg is None else element.contiguous(value.arg)


def _row(node: UOp, row: NearRow, loops: dict[UOp, UOp]) -> UOp:
    """One row of a node, for the one kernel that asks: the same whatever its other indices are."""
    fill = loops[row.fill]
    indices = tuple(i.substitute(loops) for i in row.indices)
    stage = UOp(Ops.STAGE, node.dtype, (node.index(*indices), fill), "reg")
    shape = node.shape or ()
    before, after = shape[: row.axis], shape[row.axis + 1 :]
    alone = (*(1 for _ in before), 1, fill.size, *(1 for _ in after))
    return stage.reshape(alone).expand((*before, row.blocks, fill.size, *after)).reshape(shape)


def _reduce(node: UOp, places: list[UOp], loops: list[UOp]) -> UOp:
    """REDUCE_AXIS over explicit loops, of what is at these places; axes of size 1 stay."""
    if not loops:
        return node  # nobody asks for it
    combine: Op = node.arg[0]
    axes: tuple[int, ...] = node.arg[1]
    source, shape = node.src[0], node.src[0].shape or ()
    rest = tuple(axis for axis in range(len(shape)) if axis not in axes)
    value = source.permute((*axes, *rest)).index(*places).reduce(combine, *loops)
    return value.reshape(node.shape or ())
