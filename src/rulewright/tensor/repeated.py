"""Values that are computed again.

A tensor that nobody asks for stays lazy, though others are computed through it: a loop such as
`while float(error(v)) > 1e-6: v = step(v)` would compute each v from the first one. So what a
tensor stood for when it was computed on the way is given memory if it is computed a second time.

Gradients share nearly all of their work, which stands for no tensor: `[p.grad.norm().item() for p
in parameters]` would compute it for each. So with the first that is read go those beside it.

Nobody asked for that memory, and a gradient would end there: what it was made of is kept in mind,
so that a gradient by that is an error, and not what is left of it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from math import prod
from weakref import WeakKeyDictionary, WeakSet

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.registry import roots_among, roots_of
from rulewright.tensor.views import memory_of

_FEW = 16  # so many steps are as soon done as read
_SMALL = 1 << 20  # bytes that may be kept of a value that is larger than what it is made from
_MOST = 4096

_COMBINING = frozenset({Ops.REDUCE_AXIS, Ops.FUNCTION, Ops.CALL})
_parts: WeakKeyDictionary[UOp, WeakSet[UOp]] = WeakKeyDictionary()
_devices: dict[int, str] = {}  # by the node's number
_beside: dict[int, tuple[int, ...]] = {}  # tensors that are gradients, by the number of each


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


def note_gradients(numbers: Iterable[int]) -> None:
    """Let gradients that were asked for together be computed together: numbers of tensors."""
    together = tuple(numbers)
    _beside.update(dict.fromkeys(together, together))
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


def note_parts(memory: UOp, value: UOp) -> None:
    """Note what a value was made of that has memory now, by way of others that have, too."""
    nodes = value.toposort(lambda n: n.op is not Ops.FUNCTION)
    below = [node for node in nodes if node.op is Ops.BUFFER]
    earlier = [part for node in below for part in _parts.get(node, ())]
    _parts[memory] = WeakSet([*below, *roots_among(nodes), *earlier])


def hides(nodes: Iterable[UOp], target: UOp) -> bool:
    """Whether one of some nodes is such memory, and was made of a target."""
    memory = memory_of(target)
    part = target if memory is None else memory.base
    return any(part in _parts.get(node, ()) for node in nodes)


def any_parts() -> bool:
    """Whether there is any such memory."""
    return bool(_parts)


def is_among(nodes: Iterable[UOp]) -> bool:
    """Whether one of some values shall have memory."""
    return bool(_devices) and any(node.serial in _devices for node in nodes)


def device_of(node: UOp) -> str | None:
    """Where a value shall have memory that is computed again; None for others."""
    return _devices.get(node.serial)
