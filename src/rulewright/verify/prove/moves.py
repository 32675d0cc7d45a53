"""Movement ops with arguments that fit their operand."""

from __future__ import annotations

import math
from typing import Any

from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.verify.prove.graphs import Graphs, Retry, Shape, Want


def movement(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """A view. Sizes are numbers, or now and then variables."""
    source = g.sources(op, expr)[0]
    role = "memory" if want.role == "memory" else "value"
    if want.shape is not None:
        shape, arg = _BACKWARDS[op.name](g, want.shape)
        base = g.make(source.expr, Want(want.dtype, shape, role=role))
        sizes: list[UOp] = []
    else:
        rank = None if op is Ops.RESHAPE else want.rank
        base = g.make(source.expr, Want(want.dtype, None, rank, role))
        arg, sizes = _FORWARDS[op.name](g, g.concrete(base), want)
    view = UOp(op, base.dtype, (base, *sizes), g.arguments(expr, (arg,))[0])
    if want.shape is not None and view.shape != want.shape:
        raise Retry
    return view


def _factors(g: Graphs, total: int, rank: int) -> Shape:
    if rank == 0:
        if total != 1:
            raise Retry
        return ()
    if total == 0:
        shape = [*g.shape(rank)]
        shape[int(g.rng.integers(rank))] = 0
        return tuple(shape)
    left, shape = total, []
    for _ in range(rank - 1):
        part = g.pick([d for d in range(1, left + 1) if left % d == 0][:12])
        shape.append(part)
        left //= part
    shape.append(left)
    g.rng.shuffle(shape)
    return tuple(shape)


def _other_shape(g: Graphs, shape: Shape) -> Shape:
    total = math.prod(shape)
    return _factors(g, total, int(g.rng.integers(1 if total != 1 else 0, 4)))


def _size(g: Graphs, sizes: list[UOp], size: int, low: int = 0) -> int | None:
    """A size of an argument; now and then None, and a variable for it among `sizes`."""
    if g.leaves_only or not g.chance(0.1):
        return size
    sizes.append(g.symbolic(size, low))
    return None


def _reshape(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    if want.rank is None and g.chance(0.15):
        return shape, []
    total = math.prod(shape)
    rank = want.rank if want.rank is not None else int(g.rng.integers(total != 1, 4))
    arg: list[int | None] = []
    sizes: list[UOp] = []
    for size in _factors(g, total, rank):
        arg.append(_size(g, sizes, size))
    return tuple(arg), sizes


def _expand(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    arg: list[int | None] = []
    sizes: list[UOp] = []
    for size in shape:
        arg.append(_size(g, sizes, g.pick(g.pool)) if size == 1 else size)
    return tuple(arg), sizes


def _permute(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    return tuple(int(i) for i in g.rng.permutation(len(shape))), []


def _pad(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    arg: list[tuple[int | None, int | None]] = []
    sizes: list[UOp] = []
    for _ in shape:
        low, high = int(g.rng.integers(0, 3)), int(g.rng.integers(0, 3))
        arg.append((low, _size(g, sizes, high)))
    return tuple(arg), sizes


def _shrink(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    arg: list[tuple[int | None, int | None]] = []
    sizes: list[UOp] = []
    for size in shape:
        low = int(g.rng.integers(0, size + 1))
        high = int(g.rng.integers(low, size + 1))
        arg.append((low, _size(g, sizes, high, low)))
    return tuple(arg), sizes


def _flip(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    return tuple(g.chance(0.5) for _ in shape), []


_FORWARDS: dict[str, Any] = {
    "RESHAPE": _reshape,
    "EXPAND": _expand,
    "PERMUTE": _permute,
    "PAD": _pad,
    "SHRINK": _shrink,
    "FLIP": _flip,
}


# ---- from the shape of the result ---------------------------------------------------------------


def _back_expand(g: Graphs, shape: Shape) -> tuple[Shape, Any]:
    return tuple(1 if g.chance(0.5) else size for size in shape), shape


def _back_permute(g: Graphs, shape: Shape) -> tuple[Shape, Any]:
    order = tuple(int(i) for i in g.rng.permutation(len(shape)))
    return tuple(shape[order.index(i)] for i in range(len(shape))), order


def _back_pad(g: Graphs, shape: Shape) -> tuple[Shape, Any]:
    low = [int(g.rng.integers(0, size + 1)) for size in shape]
    high = [int(g.rng.integers(0, size - at + 1)) for size, at in zip(shape, low, strict=True)]
    pads = tuple(zip(low, high, strict=True))
    return tuple(size - a - b for size, (a, b) in zip(shape, pads, strict=True)), pads


def _back_shrink(g: Graphs, shape: Shape) -> tuple[Shape, Any]:
    low = [int(g.rng.integers(0, 3)) for _ in shape]
    bounds = tuple((at, at + size) for at, size in zip(low, shape, strict=True))
    return tuple(end + int(g.rng.integers(0, 3)) for _, end in bounds), bounds


_BACKWARDS: dict[str, Any] = {
    "RESHAPE": lambda g, shape: (_other_shape(g, shape), shape),
    "EXPAND": _back_expand,
    "PERMUTE": _back_permute,
    "PAD": _back_pad,
    "SHRINK": _back_shrink,
    "FLIP": lambda g, shape: (shape, tuple(g.chance(0.5) for _ in shape)),
}
