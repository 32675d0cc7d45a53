"""Shapes and axes: normal forms, and errors that say what was expected."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

from rulewright.errors import ArgumentError, AxisError, ShapeError
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim, as_dim
from rulewright.ir.uop import UOp
from rulewright.runtime.capture import recorder

Shape = tuple[Dim, ...]
_MOST = 1 << 62  # no size is as large


def show(shape: Sequence[Dim]) -> str:
    """A shape as text, symbolic sizes as their expression."""
    sizes = [str(s) if isinstance(s, int) else s.render() for s in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def check_size(size: Any, method: str) -> Dim:
    """A size as an int or an index expression.

    Raises ArgumentError if it is neither, ShapeError if it is negative.
    """
    if isinstance(size, UOp):
        if size.vmin < 0:
            raise ShapeError(f"{method}: a symbolic size may be negative: {size.render()}")
        return as_dim(size)
    try:
        number = None if isinstance(size, bool) else operator.index(size)
    except TypeError:
        number = None
    if number is None:
        raise ArgumentError(
            f"{method}: expected whole numbers as sizes, found {size!r} "
            f"of type {type(size).__name__}"
        )
    if number < 0:
        raise ShapeError(f"{method}: a size must be 0 or more, found {number}")
    if number > MOST:
        raise ShapeError(f"{method}: a size is at most {MOST}, found {number}")
    return number


MOST = 2**63 - 1  # elements that can be counted, and the last position


def check_count(shape: Sequence[Dim]) -> None:
    """Raise ShapeError if the elements of a shape cannot be counted in 64 bits."""
    count = 1
    for size in shape:  # half of what prod() of a list takes
        if size.__class__ is int:
            count *= size
    if count > MOST:
        raise ShapeError(f"shape {show(shape)} has {count} elements; at most {MOST} can be counted")


def as_shape(sizes: Sequence[Any], method: str) -> Shape:
    """`f(2, 3)` and `f((2, 3))` alike as a shape; see `check_size` for errors."""
    return tuple(check_size(s, method) for s in unpack(sizes))


def unpack(args: Sequence[Any]) -> Sequence[Any]:
    """The one sequence in `args` if that is all there is, else `args`."""
    if len(args) != 1:
        return args
    if isinstance(args[0], tuple | list):
        return args[0]
    return several(args[0], args)


def several(value: Any, other: Any) -> Any:
    """The numbers of an array of one axis, as a list; for any other value `other`."""
    if hasattr(value, "__array_interface__") and getattr(value, "ndim", None) == 1:
        return value.tolist()
    return other


def numel(shape: Sequence[Dim]) -> Dim:
    """Number of elements."""
    if all(isinstance(s, int) for s in shape):
        return prod(s for s in shape if isinstance(s, int))
    found = UOp.index_const(1)
    for size in shape:
        found = found * size
    return found.simplify()


def is_whole(value: Any) -> bool:
    """Whether Python takes something for a whole number, and it is no truth value."""
    if isinstance(value, bool):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def known_numbers(value: Any, method: str, name: str) -> None:
    """Raise ArgumentError for a symbolic number, or several with one among them."""
    for number in value if isinstance(value, list | tuple) else (value,):
        if isinstance(number, UOp):
            raise ArgumentError(
                f"{method}: {name}: expected a known number, found the symbolic {number.render()}"
            )


def normal_axis(axis: Any, rank: int, method: str) -> int:
    """An axis counted from 0.

    Raises AxisError if there is no such axis, ArgumentError for what is no whole number.
    """
    if not is_whole(axis):
        raise ArgumentError(f"{method}: expected an axis as a whole number, found {axis!r}")
    number = int(axis.__index__())
    low, high = -max(rank, 1), max(rank, 1) - 1  # a scalar may be asked for axis 0 or -1
    if not low <= number <= high:
        raise AxisError(
            f"{method}: axis {number} is out of range; "
            f"a tensor with {rank} axes has axes {low} to {high}"
        )
    return number + max(rank, 1) if number < 0 else number


def normal_axes(axis: Any, rank: int, method: str) -> tuple[int, ...]:
    """One axis, several, or None for all, counted from 0, in rising order.

    Raises AxisError for an axis that is not there, ShapeError for one that is named twice.
    """
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, tuple | list) else several(axis, (axis,))
    found = [normal_axis(a, rank, method) for a in given]
    if len(set(found)) != len(found):
        raise ShapeError(f"{method}: an axis is named twice in {tuple(given)}")
    return tuple(sorted(found)) if rank else ()


def same_size(a: Dim, b: Dim) -> bool:
    """Whether two sizes are known to be equal."""
    return a is b or (isinstance(a, int) and isinstance(b, int) and a == b)


def total(*parts: Dim) -> Dim:
    """A sum of sizes."""
    if all(isinstance(p, int) for p in parts):
        return sum(p for p in parts if isinstance(p, int))
    found = UOp.index_const(parts[0])
    for part in parts[1:]:
        found = found + part
    return as_dim(found)


def negative(size: Dim) -> Dim:
    """Minus a size."""
    return -size


def proved_le(a: Dim, b: Dim) -> bool:
    """Whether a <= b for all values of variables, as far as is known."""
    if isinstance(a, int) and isinstance(b, int):
        return a <= b
    gap = total(b, negative(a))
    return bool((gap if isinstance(gap, int) else gap.vmin) >= 0)


def smaller(a: Dim, b: Dim) -> Dim:
    """The smaller of two sizes."""
    if proved_le(a, b):
        return a
    return b if proved_le(b, a) else as_dim(UOp.index_const(a).minimum(b))


def larger(a: Dim, b: Dim) -> Dim:
    """The larger of two sizes."""
    if proved_le(a, b):
        return b
    return a if proved_le(b, a) else as_dim(UOp.index_const(a).maximum(b))


def known_le(a: Dim, b: Dim) -> bool:
    """Whether a <= b is not known to be false: by bounds of variables, or by their values now."""
    if proved_le(a, b):
        return True
    if isinstance(a, int) and isinstance(b, int):
        return False  # as nodes they would wrap around
    gap = UOp.index_const(total(b, negative(a)))
    bound = {n: n.src[1] for n in gap.toposort() if n.op is Ops.BIND}
    now = gap.substitute(bound).simplify() if bound else gap
    active = recorder()
    if active is not None and bound:
        active.bounds.append(gap)
    return bool(now.vmax >= 0)


def broadcast_shapes(shapes: Sequence[Shape], method: str) -> Shape:
    """The shape to which all broadcast. Raises ShapeError, naming the axis, if there is none."""
    rank = max(map(len, shapes), default=0)
    result: list[Dim] = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            if same_size(size, 1) or same_size(size, result[axis]):
                continue
            if not same_size(result[axis], 1):
                raise ShapeError(
                    f"{method}: shapes {' and '.join(map(show, shapes))} do not broadcast: "
                    f"axis {axis - rank} has sizes {show((result[axis],))[1:-2]} and "
                    f"{show((size,))[1:-2]}; sizes must be equal or 1"
                )
            result[axis] = size
    return tuple(result)


def fill_unknown(shape: Sequence[Any], total: Dim, method: str) -> Shape:
    """A shape in which one -1 stands for whatever makes `total` elements.

    Raises ShapeError if that cannot be, or without -1 if the number of elements differs.
    """
    if sum(1 for s in shape if isinstance(s, int) and s == -1) > 1:
        raise ShapeError(f"{method}: only one size may be -1, found {tuple(shape)}")
    known = [check_size(s, method) for s in shape if not (isinstance(s, int) and s == -1)]
    rest = numel(known)
    if len(known) == len(shape):
        if isinstance(rest, int) and isinstance(total, int) and rest != total:
            raise ShapeError(
                f"{method}: {total} elements cannot have shape {show(known)}, "
                f"which has {rest}; use -1 for one size to have it computed"
            )
        return tuple(known)
    if not isinstance(total, int) or not isinstance(rest, int):
        missing = (UOp.index_const(total) // UOp.index_const(rest)).simplify()
        return tuple(missing if isinstance(s, int) and s == -1 else s for s in shape)
    if rest == 0 or total % rest:
        raise ShapeError(
            f"{method}: {total} elements do not divide by the other sizes of {tuple(shape)}"
        )
    return tuple(total // rest if isinstance(s, int) and s == -1 else s for s in shape)


def tuple_of(
    value: Any, count: int, method: str, name: str, least: int | None = 0
) -> tuple[int, ...]:
    """One whole number for all axes, or one an axis, none below `least`.

    Raises ArgumentError if it is neither.
    """
    value = several(value, value)
    values = tuple(value) if isinstance(value, tuple | list) else (value,) * count
    low = -_MOST if least is None else least
    good = all(is_whole(v) and low <= operator.index(v) < _MOST for v in values)
    if len(values) != count or not good:
        raise ArgumentError(
            f"{method}: {name} must be a whole number"
            f"{'' if least is None else f' of {least} or more'}, "
            f"or {count} of them, found {value!r}"
        )
    return tuple(operator.index(v) for v in values)
