"""Kernels over the parts of memory that they use.

The steps of a loop that somebody wrote out go over one part of a memory after the other: x[0],
x[1] and so on. Their kernels differ in where the part begins alone. Over the part, as memory of its
own, they are one kernel: lowered and compiled once, and launched with one address after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.sums import split, terms, total
from rulewright.ir.uop import UOp
from rulewright.schedule.requests import without_validity


@dataclass(frozen=True)
class Part:
    """So many elements of a memory, from one of them on."""

    first: int
    size: int


@remembered(1024)
def over_parts(kernel: UOp, alignment: int) -> tuple[UOp, dict[int, Part]]:
    """A kernel over parts of its memories, and by slot which parts these are.

    A part is contiguous and holds every element that the kernel may use; it begins at a multiple of
    `alignment` bytes. Memory that is used from end to end, or in a way that does not say where, is
    no part: a kernel that has none stays as it is.
    """
    if kernel.op is not Ops.SINK:
        return kernel, {}
    accesses: dict[UOp, list[UOp]] = {}
    whole: set[UOp] = set()  # used otherwise than element by element
    for node in kernel.toposort():
        is_access = node.op is Ops.INDEX and len(node.src) == 2
        if is_access and node.src[0].op is Ops.PARAM:
            accesses.setdefault(node.src[0], []).append(without_validity(node.src[1]))
        whole.update(s for s in node.src[int(is_access) :] if s.op is Ops.PARAM)
    parts: dict[UOp, Part] = {}
    for memory, indices in accesses.items():
        step = max(alignment // max(memory.dtype.itemsize, 1), 1)
        part = None if memory in whole else _part_of(memory, indices, step)
        if part is not None:
            parts[memory] = part
    parted = _over(kernel, parts) if parts else kernel
    return parted, {memory.arg[0]: part for memory, part in parts.items()}


def _part_of(memory: UOp, indices: Sequence[UOp], step: int) -> Part | None:
    """The least part with all elements that are used; None if it is all, or is not known."""
    known = all(index.valid and index.dtype is dtypes.index for index in indices)
    if not known or len(memory.arg[1]) != 1:
        return None
    (size,) = memory.arg[1]
    low, high = min(i.vmin for i in indices), max(i.vmax for i in indices)
    if not 0 <= low <= high < size:
        return None
    first = int(low) // step * step
    part = Part(first, int(high) + 1 - first)
    return None if part.size == size else part


_CHANGED = frozenset({Ops.PARAM, Ops.INDEX})


def _over(kernel: UOp, parts: Mapping[UOp, Part]) -> UOp:
    """A kernel with parts in the place of memories."""

    def over(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if node in parts:
            slot, _, device = node.arg
            return node.replace(arg=(slot, (parts[node].size,), device))
        if node.op is Ops.INDEX and node.src[0] in parts:
            return node.replace(src=(src[0], _moved(src[1], parts[node.src[0]].first)))
        return None

    return rebuild(kernel, over, _CHANGED)


def _moved(index: UOp, first: int) -> UOp:
    """An index into a memory as one into the part of it that begins at `first`."""
    if index.op is Ops.WHERE and index.src[2].op is Ops.INVALID:
        return index.replace(src=(index.src[0], _moved(index.src[1], first), index.src[2]))
    return total([*map(split, terms(index)), (None, -first)]) if first else index
