"""Indexing in numpy, one element after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def with_item(x: Array, key: Any, value: Any) -> Array:
    """A copy after `x[key] = value`."""
    found = np.array(x)
    found[key] = value
    return found


def added(x: Array, key: Any, value: Any) -> Array:
    """A copy after every value was added where the key says."""
    found = np.array(x)
    np.add.at(found, key, value)
    return found


def scattered(
    x: Array, dim: int, index: Array, source: Any, reduce: str = "", include_self: bool = True
) -> Array:
    """What `scatter` and its kin say, element by element in row-major order."""
    found = np.array(x)
    groups: dict[tuple[int, ...], list[Any]] = {}
    source = np.broadcast_to(source, np.shape(index)) if np.ndim(source) == 0 else source
    for at in np.ndindex(*index.shape):
        goal = list(at)
        goal[dim] = int(index[at]) % x.shape[dim]
        groups.setdefault(tuple(goal), []).append(source[at])
    for place, values in groups.items():
        if reduce and include_self:
            values.insert(0, x[place])
        found[place] = _REDUCE[reduce](np.array(values, x.dtype))
    return found


_REDUCE: dict[str, Any] = {
    "": lambda values: values[-1],
    "sum": lambda values: values.sum(dtype=values.dtype),
    "prod": lambda values: values.prod(dtype=values.dtype),
    "mean": lambda values: (
        values.mean() if values.dtype.kind == "f" else values.sum(dtype=values.dtype) // values.size
    ),
    "amax": max,
    "amin": min,
}
