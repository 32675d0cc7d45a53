"""The largest elements of windows that overlap: each element asks the few windows it stands in for
its gradient, which are neighbours, rather than that those of all windows are laid out and added."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial, reduce
from itertools import product
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rulewright.ir.dtypes import dtypes
from rulewright.tensor.own_derivative import with_derivative
from rulewright.tensor.shapes import node_iota

if TYPE_CHECKING:
    from rulewright.tensor.adjoint import KernelCall
    from rulewright.tensor.tensor import Tensor

T = TypeVar("T", bound="Any")
MOST_WINDOWS = 16
"""Windows that an element stands in, at most: each is a term of its gradient."""


class Windows(NamedTuple):
    """Windows over the last axes: their sizes, how far apart they are, and padding around."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]

    @property
    def around(self) -> tuple[int, ...]:
        """How many windows an element stands in along each axis, at most."""
        return tuple(-(-k // s) for k, s in zip(self.size, self.stride, strict=True))


def largest_of(x: T, how: Windows) -> T:
    """The largest element of each window."""
    known = all(isinstance(size, int) and size for size in x.shape)
    if not known or not x.dtype.is_float or not 1 < math.prod(how.around) <= MOST_WINDOWS:
        return _plain(x, how)
    plain, device = partial(_plain, how=how), x._device
    return x._make(with_derivative("max_pool", plain, _derivative(how), (x,), device, how), device)


def _laid_out(x: T, how: Windows) -> T:
    """(…, outputs…, window…); nothing is larger than the padding."""
    pads = [(0, 0)] * (x.ndim - len(how.size)) + [*how.pads]
    return x._pad_with(pads, x.dtype.min)._windows(how.size, how.stride, [1] * len(how.size))


def _plain(x: T, how: Windows) -> T:
    return _laid_out(x, how).max(_last(how))


def _last(how: Windows) -> tuple[int, ...]:
    return tuple(range(-len(how.size), 0))


@lru_cache(maxsize=4096)  # so that equal ones are one node
def _derivative(how: Windows) -> Callable[..., Any]:
    def gradient(upstream: Tensor, call: KernelCall) -> tuple[Any]:
        return (_shared(upstream, call.sources[0], call.results[0], how),)

    return gradient


def _shared(upstream: Any, x: Any, most: Any, how: Windows) -> Any:
    """Each window's gradient, shared by the elements that are as large as its largest."""
    column = most.reshape([*most.shape, *[1] * len(how.size)])
    count = _laid_out(x, how).eq(column).sum(_last(how))
    share, most = (upstream / count.cast(upstream.dtype)).contiguous(), most.contiguous()
    terms = []
    for before in product(*map(range, how.around)):
        largest, part = most, share
        for place, number in enumerate(before):
            largest = _over(largest, how, place, x.shape, number, math.nan)
            part = _over(part, how, place, x.shape, number, 0)
        terms.append(x.eq(largest).where(part, 0))
    return reduce(add, terms)


def _over(x: Any, how: Windows, place: int, shape: Any, before: int, none: float) -> Any:
    """For each element of an axis what there is of the last window that begins at it or earlier, or
    so many windows `before` that; `none` for an element that is not in it."""
    axis = place - len(how.size)
    size, step, (pad, _) = how.size[place], how.stride[place], how.pads[place]
    length, moved = int(shape[axis]), x.moveaxis(axis, -1)
    if step > 1:
        moved = moved.unsqueeze(-1).expand([*moved.shape, step])
        inside = size - before * step
        if inside < step:
            at = moved._new(node_iota(step, 0, (step,), dtypes.i32))
            moved = (at < inside).where(moved, none)
        moved = moved.flatten(-2)
    first = pad - before * step
    last, most = first + length, int(moved.shape[-1])
    known = moved[..., max(first, 0) : max(min(last, most), 0)]
    pads = (min(max(-first, 0), length), min(max(last - most, 0), length))
    return known._pad_with([(0, 0)] * (known.ndim - 1) + [pads], none).moveaxis(-1, axis)
