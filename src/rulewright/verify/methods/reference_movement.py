"""Movement in numpy, element by element where numpy has no name for it."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def windows(x: Array, axis: int, size: int, step: int) -> Array:
    """Windows of an axis along a new last axis."""
    x = np.moveaxis(x, axis, -1)
    starts = range(0, x.shape[-1] - size + 1, step)
    found = np.stack([x[..., s : s + size] for s in starts], -2)
    return np.moveaxis(found, -2, axis if axis >= 0 else axis - 1)


def diagonal_matrix(x: Array, offset: int, dim1: int, dim2: int) -> Array:
    """The last axis on the diagonal of two new axes."""
    side = x.shape[-1] + abs(offset)
    found = np.zeros((*x.shape[:-1], side, side), x.dtype)
    for i in range(x.shape[-1]):
        found[..., i + max(-offset, 0), i + max(offset, 0)] = x[..., i]
    return np.moveaxis(found, (-2, -1), (dim1, dim2))


_NAMES: dict[str, Any] = {
    "constant": "constant",
    "reflect": "reflect",
    "replicate": "edge",
    "circular": "wrap",
}


def padded(x: Array, pairs: Any, mode: str, value: float = 0) -> Array:
    """Every element looked up by its position outside of the array; negative pairs cut."""
    more: dict[str, Any] = {"constant_values": value} if mode == "constant" else {}
    if mode == "circular":  # goes round in what is left after the cut
        x = _without(x, pairs)
    grown = [(max(a, 0), max(b, 0)) for a, b in pairs]
    wide: Array = np.pad(x, grown, mode=_NAMES[mode], **more)
    return wide if mode == "circular" else _without(wide, pairs)


def _without(x: Array, pairs: Any) -> Array:
    """What negative pairs leave of the axes."""
    keep = [slice(max(-a, 0), s - max(-b, 0)) for (a, b), s in zip(pairs, x.shape, strict=True)]
    return x[tuple(keep)]
