"""Values that are computed again.

A tensor that nobody asks for stays lazy, though others are computed through it: a loop such as
`while float(error(v)) > 1e-6: v = step(v)` would compute each v from the first one. So what a
tensor stood for when it was computed on the way is given memory if it is computed a second time.

Gradients share nearly all of their work, which stands for no tensor: `[p.grad.norm().item() for p
in parameters]` would compute it for each. So with the first that is read go those beside it, and
so they do with their loss, which programs look at before they use them.

Nobody asked for that memory, and a gradient would end there: what it was made of is kept in mind,
so that a gradient by that is an error, and not what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from math import prod
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakSet, ref

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.registry import roots_among, roots_of
from rulewright.tensor.views import memory_of

if TYPE_CHECKING:
    from rulewright.tensor.core import Core

_FEW = 16  # so many steps are as soon done as read
_SMALL = 1 << 20  # bytes that may be kept of a value that is larger than what it is made from
_MOST = 4096

_COMBINING = frozenset({Ops.REDUCE_AXIS, Ops.FUNCTION, Ops.CALL})
_notes: WeakKeyDictionary[UOp, _Note] = WeakKeyDictionary()
_devices: dict[int, str] = {}  # by the node's number
_beside: dict[int, tuple[int, ...]] = {}  # gradients, by the number of each and of their loss


def worth_keeping(values: Container[UOp], order: Iterable[UOp]) -> set[UOp]:
    """Those of some values in a graph, its nodes in order, that take longer to compute than to
    read, and are not much larger than what they are computed from."""
    steps: dict[UOp, int] = {}
    sizes: dict[UOp, int] = {}
    kept = set()
    for node in order:
        below = node.src
        steps[node] = _FEW + 1 if node.op in _COMBINING else _steps(node, steps)
        sizes[node] = max([sizes.get(s, 0) for s in below], default=0)
        if node.op is Ops.BUFFER:
            steps[node], sizes[node] = 0, bytes_of(node)
        most = max(sizes[node], _SMALL) if sizes[node] else 0  # of no memory: of any device
        if node in values and steps[node] > _FEW and 0 < bytes_of(node) <= most:
            kept.add(node)
    return kept


def keep(node: UOp, device: str) -> None:
    """Let a value have memory if it is computed again."""
    _devices[node.serial] = device
    while len(_devices) > _MOST:
        del _devices[next(iter(_devices))]


def note_gradients(numbers: Iterable[int], losses: Iterable[int]) -> None:
    """Let gradients that were asked for together be computed together, and with their loss, if that
    is read: numbers of tensors."""
    together = tuple(numbers)
    _beside.update(dict.fromkeys([*losses, *together], together))
    while len(_beside) > _MOST:
        del _beside[next(iter(_beside))]


def any_gradients() -> bool:
    """Whether there are some that were asked for together."""
    return bool(_beside)


def beside(nodes: Iterable[UOp]) -> list[int]:
    """The numbers of gradients that were asked for together with some of these values."""
    roots = roots_of(_beside)
    for number in _beside.keys() - roots.keys():  # they have memory, or are gone
        del _beside[number]
    values = {node.serial for node in nodes}
    sets = dict.fromkeys([_beside[number] for number, root in roots.items() if root in values])
    return [number for together in sets for number in together]


def _steps(node: UOp, known: Mapping[UOp, int]) -> int:
    return max([known.get(s, 0) for s in node.src], default=0) + bool(node.op.elementwise)


def bytes_of(node: UOp) -> int:
    """The bytes of a value; 0 if they are not known."""
    sizes = [size if isinstance(size, int) else 0 for size in node.shape or ()]
    return prod(sizes, start=node.dtype.itemsize)


class _Note:
    """What such memory was made of: nodes, and other such memory as long as that is there."""

    def __init__(self, memory: UOp, nodes: Collection[UOp]) -> None:
        below = [node for node in nodes if node.op is Ops.BUFFER]
        self.memory, self.nodes = ref(memory), WeakSet([*below, *roots_among(nodes)])
        self.earlier = [_notes[node] for node in below if node in _notes]
        for each in self.earlier:
            each.take_in()

    def take_in(self) -> None:
        """Let what memory was made of that is gone be what this was made of."""
        gone: dict[_Note, None] = {}

        def is_gone(note: _Note) -> bool:
            if note.memory() is None:
                gone[note] = None
            return note in gone

        before = _with_earlier(self.earlier, is_gone)
        self.earlier = [note for note in before if note not in gone]
        for note in gone:
            self.nodes |= note.nodes


def _with_earlier(several: Iterable[_Note], enter: Callable[[_Note], bool]) -> dict[_Note, None]:
    """These, and those before the ones for which `enter` is true."""
    seen = dict.fromkeys(several)
    stack = list(seen)
    while stack:
        note = stack.pop()
        new = [each for each in note.earlier if each not in seen] if enter(note) else []
        seen.update(dict.fromkeys(new))
        stack += new
    return seen


def note_parts(memory: UOp, nodes: Collection[UOp]) -> None:
    """Note of which nodes a value was made that has memory now, by way of others that have, too."""
    _notes[memory] = _Note(memory, nodes)


def hides(nodes: Iterable[UOp], target: UOp) -> bool:
    """Whether one of some nodes is such memory, and was made of a target."""
    memory = memory_of(target)
    part = target if memory is None else memory.base
    several = [_notes[node] for node in nodes if node in _notes]
    return any(part in note.nodes for note in _with_earlier(several, lambda note: True))


def any_parts() -> bool:
    """Whether there is any such memory."""
    return bool(_notes)


def is_among(nodes: Iterable[UOp], read: Core) -> bool:
    """Whether one of some values shall have memory, or others go with the one that is read."""
    if _devices and any(node.serial in _devices for node in nodes):
        return True
    return bool(_beside) and read._link is not None and read._link.number in _beside


def device_of(node: UOp) -> str | None:
    """Where a value shall have memory that is computed again; None for others."""
    return _devices.get(node.serial)
