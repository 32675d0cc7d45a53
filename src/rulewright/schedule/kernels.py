"""Kernels as they are scheduled and lowered: functions of flat, numbered parameters.

Equal kernels are equal nodes, whatever memory they work on.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from rulewright.errors import DeviceError
from rulewright.ir.device_numbers import with_variables
from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins, rebuild
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import written_slots
from rulewright.schedule.movement import flat_index


def flat_kernels(sink: UOp, origins: Origins | None = None) -> UOp:
    """Every kernel over flat memory, called with what it still reads of its arguments.

    Memory that would be filled twice with the same is filled once.
    """
    kept: dict[object, UOp] = {}
    written_again = _written_again(sink)
    is_numbered = any(node.op is Ops.BIND for node in sink.toposort())

    def changed(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if node.op is Ops.AFTER:
            content = None if node.base in written_again else _content(src)
            return None if content is None else kept.setdefault(content, node.over(src))
        if not _is_own(node):
            return None
        own = node.src[0]
        if is_numbered:
            own = with_variables(own, src[1].base.arg[2])
        kernel, slots = flat_kernel(_over_each_once(own, src[1:]))
        arguments = [src[1 + slot] for slot in slots]
        _check_device(kernel, arguments)
        return UOp(Ops.CALL, dtypes.void, (kernel, *arguments))

    return rebuild(
        sink, changed, frozenset({Ops.CALL, Ops.AFTER}),
        enter=lambda n: n.op is not Ops.SINK or n is sink, origins=origins,
    )  # fmt: skip


def _written_again(sink: UOp) -> set[UOp]:
    """Memory that a kernel writes which others wrote before, or may write that was there."""
    written = set[UOp]()
    for node in sink.toposort(lambda n: n.op is not Ops.SINK or n is sink):
        if _is_own(node):
            written.update([node.src[1].base] if node.src[1].op is Ops.AFTER else [])
        elif node.op is Ops.CALL:
            written.update([argument.base for argument in node.src[1:]])
    return written


def _over_each_once(kernel: UOp, arguments: Sequence[UOp]) -> UOp:
    """A kernel that has one parameter for memory that it is given as several."""
    first = {memory: slot for slot, memory in reversed([*enumerate(arguments)])}
    if len(first) == len(arguments):
        return kernel
    changes = {}
    for node in kernel.toposort():
        if node.op is Ops.PARAM:
            slot = first[arguments[node.arg[0]]]
            changes[node] = node.replace(arg=(slot, *node.arg[1:]))
    return kernel.substitute(changes)


def _is_own(call: UOp) -> bool:
    """Whether the kernel that is called was made here, and is not hidden."""
    return call.op is Ops.CALL and call.src[0].op is Ops.SINK and bool(call.src[0].src)


def _content(src: tuple[UOp, ...]) -> object:
    """What SCRATCH memory is filled with, from the operands of an AFTER; None for other memory."""
    memory, effect = src[0], src[1]
    if memory.op is not Ops.SCRATCH or len(src) != 2 or not _is_own(effect):
        return None
    return memory.dtype, memory.arg[1:], effect.src[0], effect.src[2:]


def _check_device(kernel: UOp, arguments: Sequence[UOp]) -> None:
    devices = dict.fromkeys(memory.base.arg[2] for memory in arguments)
    if len(devices) > 1 and not any(n.op is Ops.COPY for e in kernel.src for n in e.src):
        raise DeviceError(
            f"a kernel would work on several devices: {', '.join(map(str, devices))}; "
            "move the operands to one with .to(device)"
        )


@remembered(1024)
def flat_kernel(kernel: UOp) -> tuple[UOp, tuple[int, ...]]:
    """A kernel over shaped parameters as one over flat ones, and which of them these were.

    They are numbered by use, those written first; loops in order, parallel ones first.
    """
    nodes = kernel.toposort()
    shaped = [node for node in nodes if node.op is Ops.PARAM]
    slots = dict.fromkeys([*written_slots(kernel), *(p.arg[0] for p in shaped)])
    numbers = {slot: number for number, slot in enumerate(slots)}
    changes = _numbered(nodes)
    for parameter in shaped:
        slot, shape, device = parameter.arg
        changes[parameter] = parameter.replace(arg=(numbers[slot], shape, device))
    flat = rebuild(kernel.substitute(changes), _flat_access, frozenset({Ops.INDEX}))
    flat = rewrite(_unmarked(flat), "kernel_indices")
    return flat.substitute(_numbered(flat.toposort())), tuple(slots)


def _flat_access(index: UOp, src: tuple[UOp, ...]) -> UOp | None:
    """An INDEX into a parameter as one into flat memory."""
    memory = src[0]
    if memory.op is not Ops.PARAM:
        return None
    slot, shape, device = memory.arg
    flat = memory.replace(arg=(slot, (prod(shape),), device))
    return flat.index(flat_index(shape, src[1:]))


def _unmarked(kernel: UOp) -> UOp:
    """A kernel with the axis choices of the mark on what it stores, if there is one, as its own."""
    if len(kernel.src) != 1:
        return kernel
    (effect,) = kernel.src
    store = effect.src[0] if effect.op is Ops.END else effect
    value = store.src[1] if store.op is Ops.STORE else store
    if value.op is not Ops.CONTIGUOUS:
        return kernel
    bare = store.replace(src=(store.src[0], value.src[0], *store.src[2:]))
    bare = bare if store is effect else bare.end(*effect.src[1:])
    return bare.sink(info=(None, value.arg))


def _numbered(nodes: Sequence[UOp]) -> dict[UOp, UOp]:
    """Loops with numbers 0, 1, 2 … in the order of those they have, parallel ones first."""
    loops = [n for n in nodes if n.op is Ops.RANGE]
    loops.sort(key=lambda r: (r.arg[1] == "reduce", r.arg[0]))
    return {r: r.replace(arg=(i, r.arg[1])) for i, r in enumerate(loops)}
