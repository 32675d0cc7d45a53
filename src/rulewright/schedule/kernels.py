"""Splits an indexed graph into kernels: what each computes, reads and writes.

STAGEs become SCRATCH buffers that a loop nest fills. Each loop nest becomes a kernel, a function
of numbered parameters; equal kernels are equal nodes, whatever buffers they work on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count

from rulewright.errors import DeviceError, ScheduleError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.schedule.facts import MEMORY
from rulewright.schedule.movement import flat_index
from rulewright.schedule.requests import trips

_BASES = Ops.group("Memory")


def stages_to_buffers(sink: UOp, origins: Origins | None = None) -> UOp:
    """Every global STAGE as SCRATCH memory and the loops that fill it.

    What reads no memory is computed on each device that uses it.
    """
    nodes = sink.toposort()
    slots = count(1 + max((n.arg[0] for n in nodes if n.op is Ops.SCRATCH), default=-1))
    devices = list(dict.fromkeys(n.arg[2] for n in nodes if n.op in _BASES))
    placed = _places(nodes) if len(devices) > 1 else {}
    memo: dict[UOp, UOp] = {}  # what became of a node last, and on each device
    at: defaultdict[str | None, dict[UOp, UOp]] = defaultdict(dict)
    for node in nodes:
        for place in placed.get(node, (devices[0] if devices else None,)):
            here = at[place]
            new = node.replace(src=tuple([here[s] if s in here else memo[s] for s in node.src]))
            if node.op is Ops.STAGE and node.arg == "global":
                new = _filled(new, next(slots), place)
            elif node.op is Ops.COPY:
                new = _copied(new, next(slots))
            elif node.op is Ops.STORE and new.src[1].op is Ops.AFTER and node.src[1].op is Ops.COPY:
                new = new.replace(src=(new.src[0], new.src[1].src[1].src[1]))  # to the target
            memo[node] = here[node] = new
            if origins is not None and node in origins.notes:
                origins.notes[_effect(new)] = origins.notes[node]
    return memo[sink]


def _places(nodes: list[UOp]) -> dict[UOp, tuple[str | None, ...]]:
    """Of each node the device that it reads, or those of the nodes that use it; operands first."""
    own: dict[UOp, str | None] = {}
    for node in nodes:
        device = node.arg if node.op is Ops.COPY else node.arg[2] if node.op in _BASES else None
        own[node] = device or next((own[s] for s in node.src if own[s]), None)
    places: dict[UOp, dict[str | None, None]] = {node: {} for node in nodes}
    for node in reversed(nodes):
        if own[node]:
            places[node] = {own[node]: None}
        for source in node.src:
            places[source].update(places[node])
    return {node: tuple(devices) or (None,) for node, devices in places.items()}


def _effect(node: UOp) -> UOp:
    """The effect of an AFTER that was just made; any other node itself."""
    return node.src[-1] if node.op is Ops.AFTER else node


def _filled(stage: UOp, slot: int, place: str | None) -> UOp:
    """Memory on the device of what is read, or on that one if nothing is."""
    value, loops = stage.src[0], stage.src[1:]
    device = _one_device(value) or place
    shape = tuple([trips(r) if r.op is Ops.RANGE else 1 for r in loops])  # of one element each
    memory = UOp(Ops.SCRATCH, stage.dtype, (), (slot, shape, device))
    outer_first = sorted((r for r in loops if r.op is Ops.RANGE), key=lambda r: r.arg[0])
    return memory.after(memory.index(*loops).store(value).end(*outer_first))


def _copied(copy: UOp, slot: int) -> UOp:
    memory = UOp(Ops.SCRATCH, copy.dtype, (), (slot, copy.max_shape, copy.arg))
    return memory.after(memory.store(copy))


def _one_device(value: UOp) -> str | None:
    """The device of everything that a kernel reads. Raises DeviceError if there are several."""
    devices: dict[str, UOp] = {}
    for node in value.toposort(lambda n: n.op not in MEMORY):
        if node.op in MEMORY and node.base.arg[2] is not None:
            devices.setdefault(node.base.arg[2], node)
    if len(devices) > 1:
        raise DeviceError(
            f"a kernel would read from several devices: {', '.join(devices)}; "
            "move the operands to one with .to(device)"
        )
    return next(iter(devices), None)


def split_kernels(sink: UOp, origins: Origins | None = None) -> UOp:
    """Every loop nest as a CALL of a kernel on the memories that it writes and reads."""
    memo: dict[UOp, UOp] = {}
    for node in sink.toposort():
        if node.op is Ops.AFTER:
            effects = [_called(e, memo, origins) for e in node.src[1:]]
            memo[node] = memo[node.src[0]].after(*effects)
        elif node.op is Ops.SINK:
            memo[node] = node.replace(
                src=tuple(
                    memo[s] if s.op in MEMORY else _called(s, memo, origins) for s in node.src
                )
            )
        elif node.op in _BASES:
            memo[node] = node
    return memo[sink]


def _called(effect: UOp, memo: dict[UOp, UOp], origins: Origins | None) -> UOp:
    if effect.op is Ops.CALL:
        call = effect.replace(src=(effect.src[0], *(memo[m] for m in effect.src[1:])))
        if origins is not None:
            origins.carry({effect: call})
        return call
    if effect.op not in (Ops.END, Ops.STORE):
        raise ScheduleError(f"{effect.op} may not stand as an effect of a schedule: {effect}")
    nodes = effect.toposort(_is_computed)
    memories = _memories(effect, nodes)
    if effect.op is Ops.STORE and effect.src[1].op is Ops.COPY:
        kernel = _copy_kernel(memories)
    else:
        kernel = _kernel(effect, nodes, memories)
    arguments = tuple(memo[m] for m in memories)
    call = UOp(Ops.CALL, dtypes.void, (kernel, *arguments))
    if origins is not None and effect in origins.notes:
        origins.notes[call] = origins.notes[effect]
    return call


def _is_computed(node: UOp) -> bool:
    """Whether a node is part of what a kernel computes, rather than memory."""
    return node.op not in MEMORY


def _memories(effect: UOp, nodes: Sequence[UOp]) -> list[UOp]:
    """The memories among the nodes of an effect, the written one first, then in order of first use.

    Two versions of one buffer are one argument: the later version, which is the written one's.
    """
    store = effect.src[0] if effect.op is Ops.END else effect
    target = store.src[0].src[0] if store.src[0].op is Ops.INDEX else store.src[0]
    memories = {target: None, **{n: None for n in nodes if n.op in MEMORY}}
    _one_device_of(memories, effect)
    return list(memories)


def _one_device_of(memories: dict[UOp, None], effect: UOp) -> None:
    devices = dict.fromkeys(m.base.arg[2] for m in memories)
    if len(devices) > 1 and not (effect.op is Ops.STORE and effect.src[1].op is Ops.COPY):
        raise DeviceError(
            f"a kernel would work on several devices: {', '.join(map(str, devices))}; "
            "move the operands to one with .to(device)"
        )


def _copy_kernel(memories: list[UOp]) -> UOp:
    """A transfer between devices: parameter 1 to parameter 0."""
    target, source = (_parameter(m, slot) for slot, m in enumerate(memories))
    return UOp.sink(target.store(UOp(Ops.COPY, source.dtype, (source,), memories[0].base.arg[2])))


def _parameter(memory: UOp, slot: int) -> UOp:
    size = 1
    for extent in memory.base.arg[1]:
        size *= extent
    return UOp(Ops.PARAM, memory.base.dtype, (), (slot, (size,), None))


def _kernel(effect: UOp, nodes: Sequence[UOp], memories: list[UOp]) -> UOp:
    """The loop nest as a function of flat parameters, loops numbered in order.

    Equal layers have equal loop nests once their memories and loops have the same names: the rest
    is done for the first of them.
    """
    slots: dict[UOp, int] = {}
    for memory in memories:
        slots.setdefault(memory.base, len(slots))
    named = _numbered(nodes)
    for node in nodes:
        if node.op is Ops.INDEX and node.src[0].op in MEMORY:
            base = node.src[0].base
            named[node.src[0]] = UOp(Ops.PARAM, base.dtype, (), (slots[base], base.arg[1], None))
    return _flat_kernel(effect.substitute(named))


@remembered(1024)
def _flat_kernel(body: UOp) -> UOp:
    """A loop nest over shaped parameters as a kernel of flat ones."""
    changes: dict[UOp, UOp] = {}
    for node in body.toposort(lambda n: n.op not in MEMORY):
        if node.op is Ops.INDEX and node.src[0].op is Ops.PARAM:
            memory = node.src[0]
            indices = tuple(i.substitute(changes) for i in node.src[1:])
            flat = _parameter(memory, memory.arg[0])
            changes[node] = flat.index(flat_index(memory.arg[1], indices))
    body, choices = _unmarked(body.substitute(changes))
    info = None if choices is None else (None, choices)
    kernel = UOp.sink(rewrite(body, "kernel_indices"), info=info)
    return kernel.substitute(_numbered(kernel.toposort()))


def _unmarked(effect: UOp) -> tuple[UOp, str | None]:
    """An effect without the mark on what it stores, and the axis choices of the mark."""
    store = effect.src[0] if effect.op is Ops.END else effect
    value = store.src[1]
    if value.op is not Ops.CONTIGUOUS:
        return effect, None
    bare = store.replace(src=(store.src[0], value.src[0], *store.src[2:]))
    return bare if store is effect else bare.end(*effect.src[1:]), value.arg


def _numbered(nodes: Sequence[UOp]) -> dict[UOp, UOp]:
    """Loops with numbers 0, 1, 2 … in the order of those they have, parallel ones first."""
    loops = [n for n in nodes if n.op is Ops.RANGE]
    loops.sort(key=lambda r: (r.arg[1] == "reduce", r.arg[0]))
    return {r: r.replace(arg=(i, r.arg[1])) for i, r in enumerate(loops)}
