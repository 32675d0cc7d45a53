"""What CALLs call: which parameters it writes and reads, and hiding it from passes on graphs."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

Slots = tuple[int, ...]

_known: WeakKeyDictionary[UOp, tuple[Slots, Slots]] = WeakKeyDictionary()
_HIDDEN = "callee"


def written_slots(callee: UOp) -> Slots:
    """The parameters that a kernel, a function of stores or a LINEAR list writes, by number."""
    return _slots(callee)[0]


def read_slots(callee: UOp) -> Slots:
    """The parameters that it reads, by number."""
    return _slots(callee)[1]


def _slots(callee: UOp) -> tuple[Slots, Slots]:
    if callee.op is Ops.SINK and callee.arg is not None and callee.arg[0] == _HIDDEN:
        return callee.arg[2], callee.arg[3]
    slots = _known.get(callee)
    if slots is None:
        sets = _of_list(callee) if callee.op is Ops.LINEAR else _of_stores(callee)
        slots = _known[callee] = tuple(sorted(sets[0])), tuple(sorted(sets[1]))
    return slots


def _of_list(linear: UOp) -> tuple[set[int], set[int]]:
    written: set[int] = set()
    read: set[int] = set()
    for call in linear.src:
        for slots, places in zip(_slots(call.src[0]), (written, read), strict=True):
            memories = [call.src[1 + slot].base for slot in slots]
            places.update(m.arg[0] for m in memories if m.op is Ops.PARAM)
    return written, read


def _of_stores(body: UOp) -> tuple[set[int], set[int]]:
    """Slots of the PARAMs that are stored into, and of those whose contents are looked at.

    What is called inside has parameters of its own: its arguments count, as it writes and reads.
    """
    values, places = {body}, set[UOp]()
    nodes = body.toposort()
    for node in reversed(nodes):  # users first
        is_value, is_place = node in values, node in places
        if node.op is Ops.CALL and (is_value or is_place):
            for slots, role in zip(_slots(node.src[0]), (places, values), strict=True):
                role.update([node.src[1 + slot] for slot in slots])
        elif node.src and (is_place or (is_value and node.op is Ops.STORE)):
            places.add(node.src[0])
            values.update(node.src[1:])
            if is_value and node.op is not Ops.STORE:
                values.add(node.src[0])
        elif is_value:
            values.update(node.src)
    params = [node for node in nodes if node.op is Ops.PARAM]
    return {n.arg[0] for n in params if n in places}, {n.arg[0] for n in params if n in values}


class Callees:
    """Callees taken out of a graph, so that passes over the graph leave them alone."""

    def __init__(self) -> None:
        self.hidden: dict[UOp, UOp] = {}

    def hide(self, graph: UOp, functions: bool = False) -> UOp:
        """A graph with a mark for each kernel that is called (for each function, if asked)."""
        op = Ops.FUNCTION if functions else Ops.SINK
        called = [n.src[0] for n in graph.toposort() if n.op is Ops.CALL]
        changes: dict[UOp, UOp] = {}
        for callee in dict.fromkeys(c for c in called if c.op is op and c not in self.hidden):
            info = (_HIDDEN, len(self.hidden), *_slots(callee))
            mark = changes[callee] = UOp.sink(info=info)
            self.hidden[mark] = callee
        return graph.substitute(changes)

    def restore(self, graph: UOp) -> UOp:
        """The graph with what the marks stand for."""
        functions = {m: c for m, c in self.hidden.items() if c.op is Ops.FUNCTION}
        kernels = {m: c for m, c in self.hidden.items() if m not in functions}
        return graph.substitute(functions).substitute(kernels)  # functions call kernels
