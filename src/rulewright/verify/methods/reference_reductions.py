"""References of reductions, scans and sorting: loops along one axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any


def softmax(x: Array, axis: int = -1) -> Array:
    """exp(x) / sum(exp(x)) along an axis."""
    powers = np.exp(x - x.max(axis, keepdims=True)) if x.size else np.array(x, np.float64)
    return powers / powers.sum(axis, keepdims=True)


def log_sum(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """log(sum(exp(x))); numbers here are small enough for exp."""
    with np.errstate(all="ignore"):
        return np.log(np.sum(np.exp(np.asarray(x, np.float64)), axis, keepdims=keepdims))


def along(x: Array, axis: int, function: Callable[[list[Any]], list[Any]], kind: Any) -> Array:
    """A function of lists applied to every row along an axis."""
    x = np.asarray(x)
    moved = np.moveaxis(x, axis, -1) if x.ndim else x.reshape(1)
    rows = moved.reshape(int(np.prod(moved.shape[:-1], dtype=int)), moved.shape[-1])
    made = np.array([function(list(row)) for row in rows], kind)
    width = made.shape[1] if made.size else (0 if not moved.size else moved.shape[-1])
    found = made.reshape(*moved.shape[:-1], width) if rows.size else np.zeros(moved.shape, kind)
    return np.moveaxis(found, -1, axis) if x.ndim else found.reshape(())


def _beats(new: Any, old: Any, sign: int) -> bool:
    return bool(new != new or (old == old and sign * float(new) >= sign * float(old)))


def running(x: Array, axis: int, sign: int) -> tuple[Array, Array]:
    """The largest (sign 1) or smallest (-1) element up to each one, and where it last was."""

    def positions(row: list[Any]) -> list[int]:
        found: list[int] = []
        for at, value in enumerate(row):
            here = not found or _beats(value, row[found[-1]], sign)
            found.append(at if here else found[-1])
        return found

    where = along(x, axis, positions, np.int64)
    x = np.asarray(x)
    values = np.take_along_axis(x, where, axis) if x.ndim else x
    return values, where


def running_log_sum(x: Array, axis: int) -> Array:
    """log of the running sum of exp(x)."""
    return np.logaddexp.accumulate(x, axis) if np.ndim(x) and np.size(x) else np.array(x)


def first(x: Array, axis: int | None, sign: int) -> Array:
    """Where the first largest (sign 1) or smallest element is, or the first NaN."""
    x = np.asarray(x)
    return (x.argmax if sign > 0 else x.argmin)(axis)


def in_order(x: Array, axis: int = -1, descending: bool = False) -> tuple[Array, Array]:
    """Sorted values, NaN as the largest, and where they stood: equal ones in their order."""

    def positions(row: list[Any]) -> list[int]:
        def key(at: int) -> tuple[bool, Any]:
            value = row[at]
            nan = bool(value != value)
            return (nan, 0 if nan else value)

        found = sorted(range(len(row)), key=key)
        if not descending:
            return found
        groups: list[list[int]] = []
        for at in found:
            if groups and key(groups[-1][0]) == key(at):
                groups[-1].append(at)
            else:
                groups.append([at])
        return [at for group in reversed(groups) for at in group]

    where = along(x, axis, positions, np.int64)
    x = np.asarray(x)
    return (np.take_along_axis(x, where, axis) if x.ndim else x), where
