"""Reading and writing elements: INDEX, LOAD, STORE, and memory that loops write into."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.interp.shadow import lift
from rulewright.interp.values import Array, AxisOrder, Parts, Value, any_of, spread, stretched
from rulewright.ir.dtypes import DType
from rulewright.ir.uop import UOp

INVALID = int(np.iinfo(np.int64).min)
"""The number that stands for INVALID in an array of indices."""

_largest = np.maximum.reduce


class Place(NamedTuple):
    """Flat positions in a memory, an array over `axes` and then lanes if `lanes`."""

    positions: Array
    valid: Array | None  # where the access happens at all; None means everywhere
    axes: tuple[UOp, ...]
    lanes: bool
    unsure: Array | None = None  # shadow mode: where rounding may decide the index


class Write(NamedTuple):
    """What a STORE did: elements `positions` of `base` became `parts` (one-dimensional)."""

    base: UOp
    positions: Array
    parts: Parts


def locate(
    node: UOp,
    indices: Sequence[Value],
    dims: Sequence[int],
    axes: AxisOrder,
    gate: Value | None = None,
) -> Place:
    """Row-major positions of `indices` in an array of shape `dims`.

    With a gate of lanes these are neighbours, the first of which the indices name. Raises
    InterpreterError naming `node` if an index is out of range where it is not INVALID and the gate
    holds.
    """
    if gate is not None and gate.lanes and not any(i.lanes for i in indices):
        indices = [*indices[:-1], _neighbours(indices[-1], gate.data.shape[-1])]
    operands = [*indices, gate] if gate is not None else list(indices)
    merged = axes.merge(operands) if operands else ()
    lanes = any(v.lanes for v in operands)
    valid = None if gate is None else spread(gate, merged, 0, lanes)[0]
    parts = [spread(i, merged, 0, lanes)[0].astype(np.int64, copy=False) for i in indices]
    beyond: list[int] = []
    for at, (data, size) in enumerate(zip(parts, dims, strict=True)):
        if data.size and not _largest(data.view(np.uint64), axis=None) < size:  # nor negative
            beyond.append(at)
            present = data != INVALID
            valid = present if valid is None else valid & present
    for at in beyond:
        outside = (parts[at] < 0) | (parts[at] >= dims[at])
        if valid is not None:
            outside = outside & valid
        if outside.any():
            _refuse(node, at, parts[at], outside, dims[at], merged)
    positions = parts[0] if parts else np.zeros((1,) * (len(merged) + lanes), np.int64)
    with np.errstate(over="ignore") if beyond else nullcontext():  # no use is made of such
        for data, size in zip(parts[1:], dims[1:], strict=True):
            positions = positions * size + data
    unsure = [spread(i, merged, 0, lanes)[2] > 0 for i in indices if len(i.parts) == 3]
    doubt = any_of(unsure) if unsure else None
    return Place(positions, valid, merged, lanes, doubt)


def _neighbours(first: Value, count: int) -> Value:
    """The numbers from one on, in lanes."""
    steps = [np.arange(count), np.arange(count), np.zeros(count)]  # bounds of errors stay
    parts = zip(first.parts, steps, strict=False)
    return Value(tuple(p[..., None] + s.astype(p.dtype) for p, s in parts), first.axes, True)


def _refuse(
    node: UOp, at: int, data: Array, outside: Array, size: int, axes: tuple[UOp, ...]
) -> None:
    """Say which index of which INDEX is out of range, and for which loop variables."""
    where = np.argwhere(outside)[0]
    value = np.broadcast_to(data, outside.shape)[tuple(where)]
    names = ", ".join(
        f"{a.op.name}{list(_ids(a))} = {i}" for a, i in zip(axes, where, strict=False)
    )
    at_loops = f" at {names}" if names else ""
    raise InterpreterError(
        f"index {at} of {describe(node)} is {value}, outside 0 … {size - 1}{at_loops}; "
        "an access that must not happen needs WHERE(valid, index, INVALID) or a gate"
    )


def as_vectors(node: UOp, place: Place, held: int, wanted: int, count: int) -> Place:
    """The place of vectors of `wanted` lanes in a memory whose `count` elements have `held` lanes.

    In a memory of scalars a vector lies at consecutive elements. Raises InterpreterError naming
    `node` where such a vector ends outside the memory.
    """
    if place.lanes or wanted == 1:
        return place
    positions = place.positions * held
    if held == 1:
        last = positions + (wanted - 1)
        outside = last >= count if place.valid is None else (last >= count) & place.valid
        if outside.any():
            _refuse(node, 0, last, outside, count, place.axes)
    elif held != wanted:
        raise InterpreterError(f"{describe(node)}: {wanted} lanes of memory that holds {held}")
    valid = None if place.valid is None else place.valid[..., None]
    unsure = None if place.unsure is None else place.unsure[..., None]
    return Place(positions[..., None] + np.arange(wanted), valid, place.axes, True, unsure)


def whole_rows(place: Place, rest: Sequence[int]) -> Place:
    """The places of all elements of the sub-arrays of shape `rest` at `place`."""
    size = math.prod(rest)
    inner = np.arange(size).reshape(rest)
    positions = place.positions.reshape(*place.positions.shape, *[1] * len(rest)) * size + inner
    valid = place.valid
    if valid is not None:
        valid = valid.reshape(*valid.shape, *[1] * len(rest))
    return Place(positions, valid, place.axes, False, None)


def _ids(axis: UOp) -> tuple[object, ...]:
    return axis.arg if isinstance(axis.arg, tuple) else (axis.arg,)


def describe(node: UOp) -> str:
    """A node in a few words, for messages."""
    sources = ", ".join(s.op.name + (f"[{s.arg}]" if s.arg is not None else "") for s in node.src)
    arg = "" if node.arg is None else f"[{node.arg}]"
    return f"{node.op}{arg}({sources}):{node.dtype.name}"


def gather(
    value: Value,
    rank: int,
    place: Place,
    other: Value | None,
    axes: AxisOrder,
    gate: Value | None = None,
) -> Value:
    """Elements of `value`, whose first `rank` axes are indexed, at `place`.

    Elsewhere `other` where the gate is closed, and 0 where the index is INVALID.
    """
    shape = value.data.shape
    count, rest = math.prod(shape[:rank]), shape[rank:]
    lanes = place.lanes or value.lanes
    target = (
        place.axes if other is None else axes.merge([Value((place.positions,), place.axes), other])
    )
    spread_out = Value((place.positions,), place.axes, place.lanes)
    positions = spread(spread_out, target, 0, place.lanes)[0]
    valid = None
    if place.valid is not None:
        keep = Value((place.valid,), place.axes, place.lanes)
        present = spread(keep, target, 0, place.lanes)[0]
        valid, positions = np.broadcast_arrays(present, positions)
        positions = np.where(valid, positions, 0)
        valid = valid.reshape(valid.shape + (1,) * len(rest))
    others = None if other is None else spread(other, target, 0, lanes)
    if others is not None and gate is not None:
        passes = spread(gate, target, 0, lanes)[0]
        others = tuple(np.where(passes, _zero(part), part) for part in others)
    parts: list[Array] = []
    sources = value.parts
    if place.unsure is not None or (other is not None and len(other.parts) == 3):
        sources = lift(sources)
    for at, part in enumerate(sources):
        flat = part.reshape(count, *rest)
        if count == 0:
            elements = np.zeros(positions.shape + rest, part.dtype)
        else:
            elements = np.take(flat, positions, axis=0)
        if valid is not None:
            instead = others[at] if others is not None and at < len(others) else _zero(part)
            elements = np.where(valid, elements, instead)
        if at == 2 and place.unsure is not None:
            elements = np.where(
                place.unsure.reshape(place.unsure.shape + (1,) * len(rest)), np.inf, elements
            )
        parts.append(elements)
    return Value(tuple(parts), target, lanes)


def _zero(part: Array) -> Array:
    return np.zeros((), part.dtype)


def scatter(base: UOp, place: Place, value: Value, axes: AxisOrder) -> Write:
    """The write of `value` at `place`; of several writes to one position the last one counts."""
    lanes = place.lanes or value.lanes
    where = Value((place.positions,), place.axes, place.lanes)
    merged = axes.merge([where, value])
    rank = max(where.rank, value.rank)
    positions = spread(where, merged, rank, lanes)[0]
    parts = spread(value, merged, rank, lanes)
    shapes = [positions.shape, parts[0].shape]
    if place.valid is not None:  # a gate may depend on more than what it lets through
        gate = spread(Value((place.valid,), place.axes, place.lanes), merged, rank, lanes)[0]
        shapes.append(gate.shape)
    shape = np.broadcast_shapes(*shapes)
    flat = stretched(positions, shape).reshape(-1)
    rows = tuple(stretched(p, shape).reshape(-1) for p in parts)
    if place.valid is not None:
        keep = np.broadcast_to(gate, shape).reshape(-1)
        flat, rows = flat[keep], tuple(r[keep] for r in rows)
    return Write(base, flat, rows)


def written(base: UOp, held: Value, log: Sequence[Write]) -> Parts:
    """What a memory holds, flat, after those of some writes that are to it, as a copy."""
    writes = [write for write in log if write.base is base]
    parts = tuple(part.reshape(-1) for part in held.parts)
    if any(len(w.parts) == 3 for w in writes):
        parts = lift(parts)
    fresh = tuple(p.copy() for p in parts)
    for write in writes:
        sources = lift(write.parts) if len(fresh) == 3 else write.parts
        for target, source in zip(fresh, sources, strict=True):
            target[write.positions] = source
    return fresh


def poison(shape: Sequence[int], dtype: DType) -> Array:
    """Contents of memory that nobody has written: NaN, or an unlikely number."""
    if dtype.is_float:
        return np.full(shape, np.nan, dtype.np)
    return np.full(shape, 0x5A, np.uint8 if dtype.is_bool else dtype.np).astype(dtype.np)
