"""Realising in steps where one schedule cannot do it.

A program may use the old and the new contents of a memory in one expression. As long as both are
read by one kernel, there is no order of kernels: it would have to run both before and after the
write. Then what was computed from old contents is put in memory of its own first; and when
nothing reads old contents any more, the oldest write is done.
"""

from __future__ import annotations

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.device import Device
from rulewright.tensor import engine
from rulewright.tensor.assign import memory_of, own_memory
from rulewright.tensor.nodes import reaching
from rulewright.tensor.registry import live_tensors, replace_everywhere


def take_first_steps(sink: UOp) -> bool:
    """Run part of a graph of stores, so that less is left; whether there was such a part."""
    versions = [n for n in sink.toposort() if n.op is Ops.AFTER]
    above = reaching([sink], set(versions), lambda n: True)
    values = _old_values(sink, above)
    if values:
        made = {value: own_memory(value, value.device or Device.default) for value in values}
        engine.run(UOp.sink(*(_store_of(m) for m in made.values())))
        replace_everywhere({value: _filled(m) for value, m in made.items()})
        return True
    for version in versions:
        first = not any(s in above for s in version.src)
        if first and not _others_read(version, sink):
            engine.run(UOp.sink(version))
            replace_everywhere({version: version.src[0]})
            return True
    return False


def _old_values(sink: UOp, above: set[UOp]) -> list[UOp]:
    """What is computed from memory as it is now, and used by a write or beside newer contents."""
    found: dict[UOp, None] = {}
    for node in sink.toposort():
        if node.op is Ops.STORE:
            used: tuple[UOp, ...] = node.src[1:]
        else:
            used = node.src if node in above and node.op not in (Ops.AFTER, Ops.SINK) else ()
        for value in used:
            if value not in above and memory_of(value) is None and _reads_memory(value):
                found[value] = None
    return list(found)


def _reads_memory(value: UOp) -> bool:
    return value.shape is not None and any(
        n.op is Ops.BUFFER and engine.is_written(n) for n in value.toposort()
    )


def _others_read(version: UOp, sink: UOp) -> bool:
    """Whether anything but the write itself reads the memory as it was before a write."""
    old, targets = version.src[0], set()
    for effect in version.src[1:]:
        node = effect.src[0] if effect.src else effect
        while node is not old and node.src:
            targets.add(node)
            node = node.src[0]
    allowed = {version, *version.src[1:], *targets}
    everything = UOp.sink(sink, *(t.uop for t in live_tensors()))
    return any(old in n.src and n not in allowed for n in everything.toposort())


def _store_of(made: UOp) -> UOp:
    while made.op is not Ops.AFTER:
        made = made.src[0]
    return made.src[1]


def _filled(made: UOp) -> UOp:
    """New memory, or a view of it, once its store has run."""
    if made.op is Ops.AFTER:
        return made.src[0]
    return made.replace(src=(_filled(made.src[0]), *made.src[1:]))
