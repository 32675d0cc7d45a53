"""Memory of one work item whose elements are all known by number becomes one variable each.

A C compiler keeps variables in registers; of an array it must first find out that it can.
"""

from __future__ import annotations

from collections import defaultdict

from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.uop import UOp


def named_registers(sink: UOp) -> UOp:
    """The kernel with a DEFINE_REG for each element or vector of those that can be named."""
    order = sink.toposort()
    places: dict[UOp, list[UOp]] = defaultdict(list)
    for node in order:
        if node.op is Ops.INDEX and node.src[0].base.op is Ops.DEFINE_REG:
            places[node.src[0].base].append(node)
    for memory in _masked(order):
        places.pop(memory, None)
    split = {m: first for m, indices in places.items() if (first := _numbered(m, indices))}
    if not split:
        return sink
    next_id = 1 + max(n.arg[0] for n in order if n.op is Ops.DEFINE_REG)
    registers: dict[tuple[UOp, int], UOp] = {}
    for memory, numbers in split.items():
        count = places[memory][0].dtype.count
        for number in sorted(set(numbers.values())):
            register = UOp(Ops.DEFINE_REG, memory.dtype.vec(count), (), (next_id, 1))
            registers[memory, number] = register
            next_id += 1
    return _renamed(order, split, registers)


def _masked(order: list[UOp]) -> set[UOp]:
    """The memories of which some lanes of a vector are read or written."""
    accesses = (n for n in order if n.op in (Ops.LOAD, Ops.STORE) and len(n.src) > 2)
    return {n.src[0].src[0].base for n in accesses if n.src[2].dtype.count > 1}


def _numbered(memory: UOp, places: list[UOp]) -> dict[UOp, int] | None:
    """Which element or vector each place names; None if that is not fixed or they overlap."""
    count = places[0].dtype.count
    if memory.arg[1] == 1 or memory.dtype.count > 1:
        return None
    numbers = {}
    for place in places:
        number = constant(place.src[1])
        if number is None or number % count or place.dtype.count != count:
            return None
        numbers[place] = number // count
    return numbers


def constant(index: UOp) -> int | None:
    """What an index always is; None if that hangs on loops or what is read."""
    if index.op is Ops.CONST:
        return int(index.arg)
    form = linear(index)
    return None if form.strides or form.opaque else form.constant


def _renamed(
    order: list[UOp], split: dict[UOp, dict[UOp, int]], registers: dict[tuple[UOp, int], UOp]
) -> UOp:
    """Each variable waits only for the effects that concern it."""
    done: dict[UOp, UOp] = {}
    zero = UOp.index_const(0)
    touched = _touched(order, split)
    waits: dict[UOp, list[tuple[UOp, int | None]]] = {}

    def renamed(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        chain = node.src[0]
        memory = chain.base
        if memory not in split:
            return None
        number = split[memory][node]
        register = registers[memory, number]
        if chain not in waits:
            waits[chain] = _waits(chain, touched)
        mine = [s for s, own in waits[chain] if own is None or own == number]
        whole = register.after(*dict.fromkeys([done[s] for s in mine])) if mine else register
        return UOp(Ops.INDEX, node.dtype, (whole, zero))

    return rebuild(order[-1], renamed, frozenset({Ops.INDEX}), memo=done)


def _waits(chain: UOp, touched: dict[tuple[UOp, UOp], int]) -> list[tuple[UOp, int | None]]:
    """The effects that memory waits for, each with the number that it writes; None: with any."""
    memory, waits = chain.base, []
    while chain.op is Ops.AFTER:
        waits += [(s, touched.get((s, memory))) for s in chain.src[1:]]
        chain = chain.src[0]
    return waits


def _touched(order: list[UOp], split: dict[UOp, dict[UOp, int]]) -> dict[tuple[UOp, UOp], int]:
    """Which number of a memory an effect writes: an effect is one STORE in loops."""
    written: dict[tuple[UOp, UOp], int] = {}
    for node in order:
        if node.op in (Ops.END, Ops.STORE):
            store = node.src[0] if node.op is Ops.END else node
            place = store.src[0]
            if store.op is Ops.STORE and place.op is Ops.INDEX and place.src[0].base in split:
                memory = place.src[0].base
                written[node, memory] = split[memory][place]
    return written
