"""Movement ops with arguments that fit their operand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.verify.prove.graphs import Graphs, Retry, Shape, Want


def movement(g: Graphs, op: Op, expr: t.OpNode, want: Want) -> UOp:
    """A view. Sizes are numbers, or now and then variables."""
    sources = g.sources(op, expr)
    role = "memory" if want.role == "memory" else "value"
    if op is Ops.RESHAPE and want.shape is not None:
        inner = Want(want.dtype, _other_shape(g, want.shape), role=role)
    elif op is Ops.PERMUTE and want.shape is not None:
        raise Retry
    else:
        rank = want.rank if op is not Ops.RESHAPE else None
        inner = Want(want.dtype, None, rank if rank is not None else len(want.shape or (0,)), role)
        if want.rank is None and want.shape is None:
            inner = replace(inner, rank=None)
    base = g.make(sources[0].expr, inner)
    shape = g.concrete(base)
    arg, sizes = _MOVES[op.name](g, shape, want)
    arg = g.arguments(expr, (arg,))[0]
    return UOp(op, base.dtype, (base, *sizes), arg)


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


def _symbolic(g: Graphs, size: int, low: int = 0) -> UOp:
    """A variable that stands for a size."""
    name = f"n{g.number()}"
    g.variables[name] = size
    return UOp.variable(name, min(low, size), max(size, 4))


def _reshape(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    if want.shape is not None:
        return want.shape, []
    if want.rank is None and g.chance(0.15):
        return shape, []
    total = math.prod(shape)
    rank = want.rank if want.rank is not None else int(g.rng.integers(total != 1, 4))
    return _factors(g, total, rank), []


def _expand(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    if want.shape is not None:
        if len(want.shape) != len(shape):
            raise Retry
        return want.shape, []
    arg: list[int | None] = []
    sizes: list[UOp] = []
    for size in shape:
        new = g.pick(g.pool) if size == 1 else size
        if size == 1 and g.chance(0.1) and not g.leaves_only:
            sizes.append(_symbolic(g, new))
            arg.append(None)
        else:
            arg.append(new)
    return tuple(arg), sizes


def _permute(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    return tuple(int(i) for i in g.rng.permutation(len(shape))), []


def _pad(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    if want.shape is not None:
        raise Retry
    arg: list[tuple[int | None, int | None]] = []
    sizes: list[UOp] = []
    for _ in shape:
        low, high = int(g.rng.integers(0, 3)), int(g.rng.integers(0, 3))
        if g.chance(0.1) and not g.leaves_only:
            sizes.append(_symbolic(g, high))
            arg.append((low, None))
        else:
            arg.append((low, high))
    return tuple(arg), sizes


def _shrink(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    if want.shape is not None:
        raise Retry
    arg: list[tuple[int | None, int | None]] = []
    sizes: list[UOp] = []
    for size in shape:
        low = int(g.rng.integers(0, size + 1))
        high = int(g.rng.integers(low, size + 1))
        if g.chance(0.1) and not g.leaves_only:
            sizes.append(_symbolic(g, high, low))
            arg.append((low, None))
        else:
            arg.append((low, high))
    return tuple(arg), sizes


def _flip(g: Graphs, shape: Shape, want: Want) -> tuple[Any, list[UOp]]:
    return tuple(g.chance(0.5) for _ in shape), []


_MOVES: dict[str, Any] = {
    "RESHAPE": _reshape,
    "EXPAND": _expand,
    "PERMUTE": _permute,
    "PAD": _pad,
    "SHRINK": _shrink,
    "FLIP": _flip,
}
