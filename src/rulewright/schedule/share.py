"""Outputs of a function that its other values use are read from their memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins, rebuild
from rulewright.ir.uop import UOp
from rulewright.schedule.facts import MEMORY

_FREE = MEMORY | Ops.group("Movement") | {Ops.CONST, Ops.IOTA, Ops.VAR, Ops.BIND}


def share_outputs(sink: UOp, origins: Origins | None = None) -> UOp:
    """Where a value is stored in an output, everything else reads the output instead.

    A value that is to be contiguous and goes nowhere but into whole memory is stored as it is; one
    that comes with axis choices stays marked with them.
    """
    origins = origins or Origins()
    return _stored_directly(_shared(sink, origins), origins)


def _shared(sink: UOp, origins: Origins) -> UOp:
    outputs: dict[UOp, UOp] = {}
    stores = [s for s in sink.src if s.op is Ops.STORE and s.src[0].op is Ops.PARAM]
    is_one = len({memory.arg[2] for memory, _ in (s.src for s in stores)}) < 2
    for memory, value in (s.src for s in stores):
        here = is_one or value.device is not None  # of no device, it is computed on each of several
        if here and value.op not in _FREE and value.shape == memory.shape:
            outputs.setdefault(value, memory)
    used = [s for node in sink.toposort() if node.op is not Ops.STORE for s in node.src]
    shared = {value for value in used if value in outputs}
    repeated = len(outputs) < sum(s.op is Ops.STORE for s in sink.src)
    return _rebuilt(sink, outputs, origins) if shared or repeated else sink


def _rebuilt(sink: UOp, outputs: dict[UOp, UOp], origins: Origins) -> UOp:
    def written(node: UOp, src: tuple[UOp, ...]) -> UOp:
        new = node.over(src)
        if new is not node:
            origins.carry({node: new})
        if node in outputs:
            memory = outputs[node]
            return memory.after(memory.store(new))
        if node.op is Ops.STORE and outputs.get(node.src[1]) is node.src[0]:
            return src[1]  # the AFTER that stores it already
        return new

    return rebuild(sink, written)


def _stored_directly(sink: UOp, origins: Origins) -> UOp:
    order = sink.toposort()
    values = {n for n in only_stored(order) if n.arg is None}
    if not values:
        return sink
    contiguous = frozenset({Ops.CONTIGUOUS})
    return rebuild(
        sink, lambda node, src: src[0] if node in values else None, contiguous, origins=origins
    )


def only_stored(order: Sequence[UOp]) -> set[UOp]:
    """The values to be contiguous that go nowhere but into one whole memory."""
    users = Counter(s for node in order for s in dict.fromkeys(node.src))
    stores = [n for n in order if n.op is Ops.STORE and n.src[0].op is Ops.PARAM]
    return {n.src[1] for n in stores if n.src[1].op is Ops.CONTIGUOUS and users[n.src[1]] == 1}
