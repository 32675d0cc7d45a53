"""Movement ops on arrays.

Each function takes an array, how many leading axes it must leave alone, and the op's sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.ir.ops import Op, Ops

Array = np.ndarray[Any, Any]
Pairs = Sequence[tuple[int, int]]


def reshape(array: Array, lead: int, shape: Sequence[int], fill: Any) -> Array:
    """The same elements in row-major order."""
    return array.reshape((*array.shape[:lead], *shape))


def expand(array: Array, lead: int, shape: Sequence[int], fill: Any) -> Array:
    """Axes of size 1 repeated (a view)."""
    if len(shape) != array.ndim - lead:
        raise ValueError(f"{array.ndim - lead} axes cannot become {len(shape)}")
    return np.broadcast_to(array, (*array.shape[:lead], *shape))


def permute(array: Array, lead: int, order: Sequence[int], fill: Any) -> Array:
    """Axis i of the result is axis `order[i]`."""
    return array.transpose(*range(lead), *(lead + i for i in order))


def flip(array: Array, lead: int, flags: Sequence[bool], fill: Any) -> Array:
    """Axes whose flag is true reversed."""
    return array[(slice(None),) * lead + tuple(slice(None, None, -1 if f else 1) for f in flags)]


def pad(array: Array, lead: int, pads: Pairs, fill: Any) -> Array:
    """`fill` before and after each axis."""
    if any(low < 0 or high < 0 for low, high in pads):
        raise ValueError(f"pads {tuple(pads)} must not be negative")
    sizes = array.shape[lead:]
    shape = [low + size + high for size, (low, high) in zip(sizes, pads, strict=True)]
    padded = np.full((*array.shape[:lead], *shape), fill, array.dtype)
    inner = tuple(slice(low, low + size) for size, (low, _) in zip(sizes, pads, strict=True))
    padded[(slice(None),) * lead + inner] = array
    return padded


def shrink(array: Array, lead: int, bounds: Pairs, fill: Any) -> Array:
    """The part begin <= i < end of each axis."""
    for size, (begin, end) in zip(array.shape[lead:], bounds, strict=True):
        if not 0 <= begin <= end <= size:
            raise ValueError(f"bounds {begin}:{end} do not lie in an axis of size {size}")
    return array[(slice(None),) * lead + tuple(slice(b, e) for b, e in bounds)]


_MOVES: dict[Op, Callable[[Array, int, Any, Any], Array]] = {
    Ops.RESHAPE: reshape,
    Ops.EXPAND: expand,
    Ops.PERMUTE: permute,
    Ops.FLIP: flip,
    Ops.PAD: pad,
    Ops.SHRINK: shrink,
}


def filled(arg: Any, sizes: Sequence[int]) -> Any:
    """A movement argument in which each `None` has become the next of `sizes`.

    Raises InterpreterError where there are fewer or more of them.
    """
    rest = iter(sizes)
    full = _put(arg, rest)
    if next(rest, None) is not None:
        raise InterpreterError(f"a movement op with more sizes than the argument {arg} asks for")
    return full


def _put(part: Any, rest: Iterator[int]) -> Any:
    if isinstance(part, tuple):
        return tuple([_put(p, rest) for p in part])
    if part is not None:
        return part
    size = next(rest, None)
    if size is None:
        raise InterpreterError("a movement op without an operand for a symbolic size")
    return size


def move(op: Op, array: Array, lead: int, arg: Any, fill: Any = 0) -> Array:
    """Apply a movement op. Raises InterpreterError where its sizes do not fit the array."""
    try:
        return _MOVES[op](array, lead, arg, fill)
    except ValueError as error:
        shape = array.shape[lead:]
        raise InterpreterError(f"{op}{list(arg)} of shape {shape}: {error}") from None
