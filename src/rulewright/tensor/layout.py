"""How far apart in memory the elements of a view lie, and which reshapes keep that regular.

A view of a view is said in movement ops alone, so every reshape of one could share its memory.
numpy and PyTorch share where strides can say it and copy elsewhere, and programs rely on both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

Strides = tuple[float, ...]
"""Elements between neighbours along each axis; NaN where that is not the same everywhere."""


def is_strided(view: UOp, base: UOp, shape: Sequence[object]) -> bool:
    """Whether a view of `base`, reshaped to `shape`, could be said in strides.

    A base lies in row-major order. With a symbolic size nobody looks closer: it could.
    """
    if view is base:
        return True
    chain = []
    while view is not base and view.src:
        chain.append(view)
        view = view.src[0]
    sizes = [*shape, *(s for node in (base, *chain) for s in node.shape or ())]
    if not all(isinstance(s, int) for s in sizes):
        return True
    strides = _row_major(base.shape or ())
    for node in reversed(chain):
        strides = _moved(node, strides)
    top = chain[0].shape or ()
    return 0 in top or _reshaped(top, strides, shape) is not None  # type: ignore[arg-type]


def _row_major(shape: Sequence[object]) -> Strides:
    found, step = [], 1
    for size in reversed(shape):
        found.append(step)
        step *= size  # type: ignore[operator]  # an int: the caller has looked
    return tuple(reversed(found))


def _moved(node: UOp, strides: Strides) -> Strides:
    """The strides of a movement node over a source of these strides."""
    if node.op is Ops.PERMUTE:
        return tuple(strides[axis] for axis in node.arg)
    if node.op is Ops.FLIP:
        return tuple(-s if f else s for s, f in zip(strides, node.arg, strict=True))
    old, new = node.src[0].shape or (), node.shape or ()
    if node.op is Ops.EXPAND:
        kept = zip(strides, old, new, strict=True)
        return tuple(s if a == b else 0 for s, a, b in kept)
    if node.op is Ops.RESHAPE:
        found = _reshaped(old, strides, new)  # type: ignore[arg-type]
        return (math.nan,) * len(new) if found is None else found
    return strides


def _reshaped(old: Sequence[int], strides: Strides, new: Sequence[int]) -> Strides | None:
    """The strides of a shape over a layout, None if there are none.

    From the last axis on, axes that lie behind each other make up a run, which new axes divide.
    """
    found: list[float] = []
    left = list(new)
    size, taken = 1, 1
    step = strides[-1] if strides else 1
    for axis in range(len(old) - 1, -1, -1):
        size *= old[axis]
        if axis and (old[axis - 1] == 1 or strides[axis - 1] == size * step):
            continue
        while left and (taken < size or left[-1] == 1):
            found.append(taken * step)
            taken *= left.pop()
        if taken != size:
            return None
        size, taken, step = 1, 1, strides[axis - 1] if axis else 1
    return tuple(reversed([*found, *(1 for _ in left)]))
