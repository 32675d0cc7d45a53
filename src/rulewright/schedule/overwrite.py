"""Memory that is written over: by the kernel that reads it, or by the last to read scratch."""

from __future__ import annotations

from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import written_slots
from rulewright.schedule.fuse import Effect, in_place
from rulewright.schedule.order import peak
from rulewright.schedule.requests import trips

_FOREIGN = Ops.group("Foreign")

# ---- one memory ----------------------------------------------------------------------------------
#
# A kernel that writes its result over what it reads, if that is certain to mean the same.
#
# It is where each iteration reads of the memory only the element that it writes: what an assignment
# such as `x.assign(x * 2)` does without a copy.


def in_one_memory(kernel: UOp, written: int, read: int) -> UOp | None:
    """A kernel with its parameter `read` in the memory of `written`; None if that is not certain.

    Parameters behind `read` are numbered one lower. A kernel that stores what is there already has
    no effect left: a SINK of nothing. Kernels that somebody chose how to run stay as they are.
    """
    stores = _stores(kernel)
    if kernel.op is not Ops.SINK or kernel.arg is not None or stores is None or written == read:
        return None
    nodes = kernel.toposort()
    params = {n.arg[0]: n for n in nodes if n.op is Ops.PARAM}
    target, source = params[written], params[read]
    reads = [n for n in nodes if n.op is Ops.INDEX and n.src[0] is source]
    mine = [s for s in stores if s.src[0].src[0] is target]
    alike = source.dtype is target.dtype and source.arg[1:] == target.arg[1:]
    if not alike or len(mine) != 1 or not _is_own(kernel, mine[0]):
        return None
    place = mine[0].src[0].src[1:]
    others = [n for n in nodes if n.op in _FOREIGN or (source in n.src and n.op is not Ops.INDEX)]
    seen = [n for n in nodes if n.op is Ops.INDEX and n.src[0] is target]
    if others or len(seen) > 1 or any(n.src[1:] != place for n in reads):
        return None
    sums = [n for n in nodes if n.op is Ops.REDUCE]
    if any(one in total.src[0].toposort() for total in sums for one in reads):
        return None  # what goes to places that data names would no longer go there one by one
    joined = kernel.substitute({source: target})
    ordered = _ordered(joined)
    return None if ordered is None else _renumbered(ordered, read)


def _stores(kernel: UOp) -> list[UOp] | None:
    stores = [e.src[0] if e.op is Ops.END else e for e in kernel.src]
    plain = all(s.op is Ops.STORE and s.src[0].op is Ops.INDEX for s in stores)
    return stores if plain and all(s.src[0].src[0].op is Ops.PARAM for s in stores) else None


def _is_own(kernel: UOp, store: UOp) -> bool:
    """Whether each iteration of a store's loops writes an element of its own."""
    effect = next(e for e in kernel.src if store in (e, *e.src[:1]))
    place, loops = store.src[0].src[1], effect.src[1:] if effect.op is Ops.END else ()
    wide = {loop for loop in loops if trips(loop) > 1}
    known = all(n.op is not Ops.INDEX for n in place.toposort())
    fits = prod(map(trips, loops)) <= prod(store.src[0].src[0].max_shape)
    return known and fits and wide <= set(place.ranges)


def _ordered(kernel: UOp) -> UOp | None:
    """The stores in an order in which all is read before it is overwritten; None if there is none.

    Several stores stay in one loop only if all read and write the same element, and nothing adds
    up.
    """
    stores = _stores(kernel)
    assert stores is not None, "as it was before"
    pairs = list(zip(kernel.src, stores, strict=True))
    effects = [Effect(e, s.src[0].src[0], _read(s)) for e, s in pairs if s.src[1] is not s.src[0]]
    nodes = kernel.toposort()
    places = {n.src[1:] for n in nodes if n.op is Ops.INDEX and n.src[1].ranges}
    plain = len(places) <= 1 and all(n.op is not Ops.REDUCE for n in nodes)
    order = in_place(effects, plain)
    return None if order is None else kernel.replace(src=tuple([e.call for e in order]))


def _read(store: UOp) -> frozenset[UOp]:
    return frozenset(n.src[0] for n in store.src[1].toposort() if n.op is Ops.INDEX)


def _renumbered(kernel: UOp, gone: int) -> UOp:
    params = [n for n in kernel.toposort() if n.op is Ops.PARAM and n.arg[0] > gone]
    return kernel.substitute({n: n.replace(arg=(n.arg[0] - 1, *n.arg[1:])) for n in params})


# ---- overwrite -----------------------------------------------------------------------------------
#
# Scratch memory that is written over: a kernel that is the last to read one fills it again.
#
# A residual that is added to a product, or a gradient that is scaled by what it was computed from,
# is read for the last time by the kernel that stores the result, at the same place. Then the two
# need not be in memory at once.


LEAST = 1 << 12
"""Bytes of a memory that is worth it."""


def overwrite_scratch(linear: UOp, origins: Origins | None = None) -> UOp:
    """A LINEAR list of kernels that need less scratch memory at once; the same if they would not.

    Notes on the calls go with them.
    """
    if linear.op is not Ops.LINEAR:
        return linear
    calls = _Overwriting(linear).calls
    kept = [call for call in calls if call.src[0].src]
    if peak(kept) >= peak(linear.src):
        return linear
    if origins is not None:
        origins.carry(dict(zip(linear.src, calls, strict=True)))
    return linear.replace(src=tuple(kept))


class _Overwriting:
    """`calls` are those of a list as they are now, in order; `home` says in which memory another
    one is."""

    def __init__(self, linear: UOp) -> None:
        self.first: dict[UOp, int] = {}
        self.last: dict[UOp, int] = {}
        for number, call in enumerate(linear.src):
            for memory in call.src[1:]:
                self.first.setdefault(memory, number)
                self.last[memory] = number
        self.home: dict[UOp, UOp] = {}
        self.calls: list[UOp] = []
        for number, call in enumerate(linear.src):
            memories = [self.home.get(m, m) for m in call.src[1:]]
            renamed = call.replace(src=(call.src[0], *memories))
            while (joined := self._joined(renamed, number)) is not None:
                renamed = joined
            self.calls.append(renamed)

    def _joined(self, call: UOp, number: int) -> UOp | None:
        """A call that fills one scratch memory fewer; None if there is none such."""
        kernel, *memories = call.src
        if kernel.op is not Ops.SINK:
            return None
        gone = [at for at, m in enumerate(memories) if _is_scratch(m) and self.last[m] == number]
        for slot in written_slots(kernel):
            result = memories[slot]
            if not _is_scratch(result) or self.first[result] != number:
                continue
            for at in gone:
                old = memories[at]
                alike = old.dtype is result.dtype and old.arg[1:] == result.arg[1:]
                once = memories.count(old) == memories.count(result) == 1
                joined = in_one_memory(kernel, slot, at) if alike and once else None
                if joined is not None:
                    self.home[result] = old
                    self.last[old] = self.last[result]
                    memories[slot] = old
                    return call.replace(src=(joined, *memories[:at], *memories[at + 1 :]))
        return None


def _is_scratch(memory: UOp) -> bool:
    return memory.op is Ops.SCRATCH and prod(memory.arg[1]) * memory.dtype.itemsize >= LEAST
