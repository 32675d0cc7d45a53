"""The type check of a function before it is scheduled: operands, dtypes, shapes, targets."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

from rulewright.errors import DTypeError, ScheduleError, ShapeError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.pipeline import scheduling
from rulewright.ir.shapes import Dim, pairs
from rulewright.ir.stages import check_stage
from rulewright.ir.uop import UOp

Shape = tuple[Dim, ...]


def check_function(root: UOp) -> None:
    """Raise for the first node, operands first, that has no meaning in a function of tensors.

    StageError for an op that may not stand there, ScheduleError for a wrong number of operands
    and for a store into what is no memory, DTypeError and ShapeError for operands that do not
    fit. Sizes that depend on variables are not compared.
    """
    order = root.toposort()
    for node in order:
        check_count(node)
    check_stage(root, scheduling()[0].source)
    for node in order:
        _check_dtypes(node)
        if node.op in _CHECKS:
            _CHECKS[node.op](node, tuple(s.shape or () for s in node.src))
        node.shape  # noqa: B018  # raises ShapeError where operands differ


def check_views(node: UOp) -> None:
    """Raise ShapeError for a view that does not fit what it shows: of memory none is scheduled."""
    while node.op in _VIEWS and node.src:
        if node.op in _CHECKS:
            _CHECKS[node.op](node, (node.src[0].shape or (),))
        node = node.src[0]


def check_operands(node: UOp) -> None:
    """Raise ScheduleError for a wrong number of operands, DTypeError for wrong dtypes."""
    check_count(node)
    _check_dtypes(node)
    if node.op is Ops.REDUCE:
        _check_combine(node, node.arg)


def check_count(node: UOp) -> None:
    """Raise ScheduleError for a wrong number of operands."""
    fixed, count = node.op.fixed, len(node.src)
    if count < fixed or (count > fixed and not node.op.variadic):
        raise ScheduleError(f"{node.op} takes {fixed} operands, found {count}")


def _check_dtypes(node: UOp) -> None:
    _check_kinds(node.op, node.dtype, *[s.dtype for s in node.src])


@lru_cache(maxsize=1024)
def _check_kinds(op: Op, result: DType, *operands: DType) -> None:
    sets = {name: names for name, names in op.row["tparams"]}
    kinds = {"bool": dtypes.bool}  # what is an index becomes an integer of the target
    places = [("result", op.row["result"]), *((name, kind) for name, kind, _ in op.params)]
    for (name, kind), full in zip(places, (result, *operands), strict=False):
        dtype = full.scalar
        if kind in (*sets, "bool") and kinds.setdefault(kind, dtype) is not dtype:
            raise DTypeError(
                f"{op}: `{name}` is {dtype.name}, where {kinds[kind].name} is expected; cast first"
            )
    for kind, dtype in kinds.items():
        if kind in sets and dtype.name not in sets[kind]:
            raise DTypeError(f"{op} takes no {dtype.name}; it takes {', '.join(sets[kind])}")


def _wrong(node: UOp, shape: Shape, why: str) -> ShapeError:
    return ShapeError(f"{node.op}[{node.arg}] of shape {_show(shape)}: {why}")


def _show(shape: Shape) -> str:
    return f"({', '.join(str(s) if isinstance(s, int) else s.render() for s in shape)})"


def _known(*sizes: Dim) -> bool:
    return all(isinstance(size, int) for size in sizes)


def _check_sizes(node: UOp, shape: Shape, new: Shape) -> None:
    if any(isinstance(size, int) and size < 0 for size in new):
        raise _wrong(node, shape, f"expected sizes of 0 or more, found {_show(new)}")


def _reshape(node: UOp, shapes: tuple[Shape, ...]) -> None:
    new = node.shape or ()
    _check_sizes(node, shapes[0], new)
    if _known(*shapes[0], *new) and prod(shapes[0]) != prod(new):
        raise _wrong(node, shapes[0], f"{prod(shapes[0])} elements cannot be {prod(new)}")


def _expand(node: UOp, shapes: tuple[Shape, ...]) -> None:
    new = node.shape or ()
    _check_sizes(node, shapes[0], new)
    fits = len(new) == len(shapes[0]) and all(
        old == 1 or old == size or not _known(old, size)
        for old, size in zip(shapes[0], new, strict=True)
    )
    if not fits:
        raise _wrong(node, shapes[0], "only axes of size 1 can be repeated")


def _permute(node: UOp, shapes: tuple[Shape, ...]) -> None:
    if sorted(node.arg) != list(range(len(shapes[0]))):
        raise _wrong(node, shapes[0], f"expected each of {len(shapes[0])} axes once")


def _pairs(node: UOp) -> tuple[tuple[Dim, Dim], ...]:
    node.shape  # noqa: B018  # raises ShapeError where a symbolic size has no operand
    return pairs(node.arg, node.src[1:])


def _pad(node: UOp, shapes: tuple[Shape, ...]) -> None:
    amounts = _pairs(node)
    known = [size for pair in amounts for size in pair if isinstance(size, int)]
    if len(amounts) != len(shapes[0]) or any(size < 0 for size in known):
        raise _wrong(node, shapes[0], "expected a pair of sizes of 0 or more for each axis")


def _shrink(node: UOp, shapes: tuple[Shape, ...]) -> None:
    bounds = _pairs(node)
    fits = len(bounds) == len(shapes[0]) and all(
        0 <= begin <= end <= size
        for size, (begin, end) in zip(shapes[0], bounds, strict=True)
        if _known(size, begin, end)
    )
    if not fits:
        raise _wrong(node, shapes[0], "expected bounds within each axis")


def _flip(node: UOp, shapes: tuple[Shape, ...]) -> None:
    if len(node.arg) != len(shapes[0]):
        raise _wrong(node, shapes[0], "expected a flag for each axis")


def _subbuffer(node: UOp, shapes: tuple[Shape, ...]) -> None:
    (base,), (offset, shape) = node.src, node.arg
    if node.dtype.bits != base.dtype.bits:
        raise DTypeError(
            f"SUBBUFFER of {base.dtype.name} memory as {node.dtype.name}: elements of another size "
            "are none of its own; take the part in its own dtype and bitcast the value"
        )
    if offset < 0 or offset + prod(shape) > prod(map(int, shapes[0])):
        raise _wrong(node, shapes[0], f"{prod(shape)} elements from {offset} on are outside of it")


def _check_combine(node: UOp, combine: Op) -> None:
    if combine.row.get("identity") is None:
        raise ScheduleError(f"{node.op}: expected an op with an identity, found {combine}")


def _bitcast(node: UOp, shapes: tuple[Shape, ...]) -> None:
    if node.dtype.bits != node.src[0].dtype.bits:
        names = f"{node.src[0].dtype.name} and {node.dtype.name}"
        raise DTypeError(f"{node.op}: {names} differ in width")


def _reduce(node: UOp, shapes: tuple[Shape, ...]) -> None:
    combine, axes = node.arg
    _check_combine(node, combine)
    if len(set(axes)) < len(axes) or any(not 0 <= a < len(shapes[0]) for a in axes):
        raise _wrong(node, shapes[0], f"expected some of {len(shapes[0])} axes, each once")


def _store(node: UOp, shapes: tuple[Shape, ...]) -> None:
    target, value = node.src[:2]
    if target.dtype is not value.dtype:
        raise DTypeError(
            f"STORE of {value.dtype.name} into memory of {target.dtype.name}: cast the value first"
        )
    if len(shapes[0]) != len(shapes[1]) or any(
        a != b for a, b in zip(shapes[0], shapes[1], strict=True) if _known(a, b)
    ):
        raise ShapeError(
            f"STORE of shape {_show(shapes[1])} into memory of shape {_show(shapes[0])}: "
            "the shapes must be equal; expand or shrink one of them"
        )
    while target.op in _VIEWS:
        if target.op is Ops.EXPAND and target.shape != target.src[0].shape:
            raise ScheduleError("STORE into an EXPAND: each element would be written many times")
        target = target.src[0]
    if target.op not in _MEMORY:
        raise ScheduleError(
            f"STORE into {target.op}, which is no memory; the target is a buffer or a view of one"
        )


_MEMORY = Ops.group("Memory") | {Ops.MSTACK}
_VIEWS = Ops.group("Place")
_CHECKS: dict[Op, Callable[[UOp, tuple[Any, ...]], None]] = {
    Ops.RESHAPE: _reshape,
    Ops.EXPAND: _expand,
    Ops.PERMUTE: _permute,
    Ops.PAD: _pad,
    Ops.SHRINK: _shrink,
    Ops.FLIP: _flip,
    Ops.BITCAST: _bitcast,
    Ops.REDUCE_AXIS: _reduce,
    Ops.SUBBUFFER: _subbuffer,
    Ops.STORE: _store,
}
