"""What the lanes of a warp do together: they multiply small matrices, and exchange values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.interp.memory import describe
from rulewright.interp.shadow import alike, largest, rounded, settle, unit
from rulewright.interp.values import Array, Parts, Value, spread
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.layouts import (
    Layout,
    MemoryLayout,
    check_layouts,
    is_shared,
    read_layout,
    read_memory_layout,
    read_small_layout,
)

if TYPE_CHECKING:
    from rulewright.interp.evaluator import Evaluator


def mma(evaluator: Evaluator, node: UOp) -> Value:
    """MMA and MMA_SHARED: all lanes have come here, so the lane is an axis.

    Raises InterpreterError where lanes are not run together, or are not as many as hold a matrix,
    for layouts that are none or are not those of the operands, and where lanes do not name the same
    memory.
    """
    layouts = _layouts(node)
    result, lane = layouts[2], node.src[3]
    assert isinstance(result, Layout)
    values = [evaluator.known(s) for s in node.src[:3]]
    axes = evaluator.axes.merge([*values, evaluator.known(lane)])
    alone = result.lanes == 1
    if not alone and (lane not in axes or evaluator.extent(lane) != result.lanes):
        raise InterpreterError(f"{describe(node)}: expected {result.lanes} lanes that run together")
    at = len(axes) if alone else axes.index(lane)
    held = []
    operands = alike([spread(value, axes, 0, True) for value in values])
    for parts, layout, names in zip(operands, layouts, ("mk", "kn", "mn"), strict=True):
        parts = tuple(np.expand_dims(p, at) for p in parts) if alone else parts
        moved = [np.moveaxis(p, at, -2) for p in parts]
        if isinstance(layout, MemoryLayout):
            held.append(tuple(_in_memory(node, p, layout, names) for p in moved))
        else:
            held.append(tuple(_matrix(p, layout, names) for p in moved))
    product = evaluator.multiplied(node, *held)
    rows, columns = (_places(result, name) for name in "mn")
    lanes = [p[..., rows, columns] for p in product]
    lanes = [p[..., 0, :] if alone else np.moveaxis(p, -2, at) for p in lanes]
    return Value(tuple(lanes), axes, True)


def shuffle(evaluator: Evaluator, node: UOp) -> Value:
    """SHUFFLE: all lanes have come here, so the lane is an axis, along which values change places.

    Raises InterpreterError where lanes are not run together, a condition leaves some of them out,
    or there is none at that distance.
    """
    distance, lane = node.arg, node.src[1]
    value: Value = evaluator.known(node.src[0])
    together = lane in evaluator.known(lane).axes
    count = evaluator.extent(lane) if together else 1
    if distance < 1 or distance & (distance - 1) or count % (2 * distance):
        raise InterpreterError(
            f"{describe(node)}: expected lanes that run together, a multiple of {2 * distance} for "
            f"a distance that is a power of two; found {count}"
        )
    if any(lane in mask.axes for mask in evaluator.masks):
        raise InterpreterError(f"{describe(node)}: a condition leaves out lanes of the warp")
    if lane not in value.axes:
        return Value(value.parts, value.axes, value.lanes)  # the same in all lanes
    at, partners = value.axes.index(lane), np.arange(count) ^ distance
    return value.each(lambda p: p if p.shape[at] == 1 else np.take(p, partners, at))


def fragment(evaluator: Evaluator, node: UOp) -> Value:
    """FRAGMENT: rows of matrices, of which lanes get elements.

    Raises InterpreterError where lanes are not run together, a condition leaves some of them out,
    or they bring no rows of small matrices.
    """
    layout, count = _small(node), node.arg[1]
    value: Value = evaluator.known(node.src[0])
    lane = node.src[1]
    axes = evaluator.axes.merge([value, evaluator.known(lane)])
    if lane not in axes or evaluator.extent(lane) != layout.lanes:
        raise InterpreterError(f"{describe(node)}: expected {layout.lanes} lanes that run together")
    if any(lane in mask.axes for mask in evaluator.masks):
        raise InterpreterError(f"{describe(node)}: a condition leaves out lanes of the warp")
    at, row, column = axes.index(lane), _places(layout, "m"), _places(layout, "k")
    side, columns = layout.size("m"), layout.size("k")

    def held(part: Array) -> Array:
        rows = np.moveaxis(part, at, -2)
        rows = np.broadcast_to(rows, (*rows.shape[:-2], layout.lanes, columns))
        rows = rows[..., : side * count, :]
        matrices = rows.reshape(*rows.shape[:-2], count, side, columns)
        mine = np.moveaxis(matrices[..., row, column], -3, -2)  # lanes, matrices, elements
        return np.moveaxis(mine.reshape(*mine.shape[:-2], -1), -2, at)

    return Value(tuple(map(held, spread(value, axes, 0, True))), axes, True)


def _small(node: UOp) -> Layout:
    """How lanes get the elements of small matrices."""
    try:
        layout = read_small_layout(node.arg[0])
    except ValueError as error:
        raise InterpreterError(f"{describe(node)}: {error}") from error
    count, wanted = node.arg[1], node.arg[1] * layout.items
    counts, rows = (node.src[0].dtype.count, node.dtype.count), layout.size("m") * count
    if counts != (layout.size("k"), wanted) or not 0 < rows <= layout.lanes:
        raise InterpreterError(
            f"{describe(node)}: expected rows of {layout.size('k')} elements, {rows} of "
            f"{layout.lanes} lanes, and a result of {wanted}; found {counts[0]} and {counts[1]}"
        )
    return layout


def _layouts(node: UOp) -> list[Layout | MemoryLayout]:
    """How lanes hold a, b and c, or where a and b lie."""
    try:
        check_layouts(*node.arg)
    except ValueError as error:
        raise InterpreterError(f"{describe(node)}: {error}") from error
    shared = node.op is Ops.MMA_SHARED
    if is_shared(node.arg[0]) != shared:
        where = "lie in memory" if shared else "are held by lanes"
        raise InterpreterError(f"{describe(node)}: expected a and b that {where}")
    layouts = [read_memory_layout(x) if is_shared(x) else read_layout(x) for x in node.arg]
    received = [s.dtype.count for s in node.src[:3]]
    wanted = [x.span if isinstance(x, MemoryLayout) else x.items for x in layouts]
    if received != wanted:
        numbers = [", ".join(map(str, counts)) for counts in (wanted, received)]
        raise InterpreterError(
            f"{describe(node)}: expected vectors of {numbers[0]} elements, found {numbers[1]}"
        )
    return layouts


def _places(layout: Layout, name: str) -> Array:
    """The row or column of each element of each lane."""
    lanes, items = np.arange(layout.lanes)[:, None], np.arange(layout.items)
    return np.broadcast_to(layout.place(name, lanes, items), (layout.lanes, layout.items))


def _in_memory(node: UOp, part: Array, places: MemoryLayout, names: str) -> Array:
    """The matrix that lies in memory; the last two axes are lanes and what each has read."""
    if part.shape[-2] > 1 and not np.array_equal(part, part[..., :1, :], equal_nan=False):
        raise InterpreterError(f"{describe(node)}: lanes do not name the same memory")
    first, second = np.indices([places.size(name) for name in names])
    at = places.place(dict(zip(names, (first, second), strict=True)))
    return part[..., 0, :][..., at]


def _matrix(part: Array, layout: Layout, names: str) -> Array:
    """The matrix whose elements lanes hold; the last two axes are lanes and their elements."""
    part = np.broadcast_to(part, (*part.shape[:-2], layout.lanes, layout.items))
    matrix = np.empty((*part.shape[:-2], *map(layout.size, names)), part.dtype)
    first, second = (_places(layout, name) for name in names)
    matrix[..., first, second] = part
    return matrix


def multiplied(node: UOp, a: Parts, b: Parts, c: Parts) -> Parts:
    """c + a b, with its value in f64 and its error where a, b and c have those."""
    dtype = node.dtype.scalar
    wide = np.dtype(np.float64 if dtype.is_float else np.int64)
    with np.errstate(all="ignore"):
        exact = np.matmul(a[0].astype(wide), b[0].astype(wide)) + c[0].astype(wide)
        exact = exact.astype(dtype.np)
        if len(a) == 1:
            return (exact,)
        (x, dx), (y, dy), (z, dz) = a[1:], b[1:], c[1:]
        out = np.matmul(x, y) + z
        error = np.matmul(np.abs(x), dy) + np.matmul(dx, np.abs(y)) + np.matmul(dx, dy) + dz
        if not dtype.is_float:
            error = np.where(error > 0, np.inf, 0.0)
            return settle((exact, exact.astype(np.float64), error), dtype)
        size = np.matmul(np.abs(x), np.abs(y)) + np.abs(z) + error
        relative, absolute = unit(dtype)
        least = 2.0 ** (1 - dtype.bias)  # what is nearer to 0 may count as 0
        dropped = [np.where(np.abs(side) < least, np.abs(side), 0) for side in (x, y)]
        error = error + np.matmul(dropped[0], np.abs(y)) + np.matmul(np.abs(x), dropped[1])
        error = error + (x.shape[-1] + 1) * (2 * (relative * size + absolute) + least)
        # a partial result that overflows makes the order matter
        error = np.where(size > largest(dtype), np.inf, error)
        return exact, out, rounded(Ops.MAX, dtype, out, error)
