"""An axis at another size, each new element blended of the old ones around its place.

As places grow along the axis, an old element is near a few neighbours among the new ones: its
gradient is collected from those, and not from all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial, reduce
from operator import add, or_
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rulewright.ir.dtypes import dtypes
from rulewright.tensor.own_derivative import with_derivative

if TYPE_CHECKING:
    from rulewright.tensor.adjoint import KernelCall
    from rulewright.tensor.tensor import Tensor

T = TypeVar("T", bound="Any")
Taps = Callable[[Any], list[tuple[Any, Any]]]
FEWER = 4
"""So many times fewer than all new elements those near an old one are, or all are looked at."""


class Blend(NamedTuple):
    """How an axis, counted from the last, of so many `old` elements becomes one of `new` ones.

    New elements are `step` old ones apart, between the edges or, with `corners`, between the
    middles of the first and the last. `taps` gives the positions of the old elements around places,
    with their weights; all of them are less than `reach` away, or at an edge.
    """

    axis: int
    old: int
    new: int
    step: float
    corners: bool
    taps: Taps
    reach: int

    @property
    def near(self) -> int:
        """New elements near an old one, at most; 0 if they are hardly fewer than all."""
        near = int(2 * self.reach / self.step) + 1 if self.step > 0 else self.new
        return near if near * FEWER <= self.new else 0


def blended(x: T, how: Blend) -> T:
    """The axis of a tensor of floats at the other size, with its own derivative."""
    if not how.near or not all(isinstance(size, int) for size in x.shape):
        return _plain(x, how)
    plain, device = partial(_plain, how=how), x._device
    return x._make(
        with_derivative("interpolate", plain, _derivative(how), (x,), device, how), device
    )


def _plain(x: T, how: Blend) -> T:
    column = [how.new] + [1] * (-how.axis - 1)
    parts = [
        x._at(how.axis, at) * weight.reshape(column)
        for at, weight in _taps(x._line(how.new, x.dtype), how)
    ]
    return sum(parts[1:], parts[0])


def _taps(new: Any, how: Blend) -> list[tuple[Any, Any]]:
    """Positions of old elements, with their weights, for these new ones."""
    place = new * how.step if how.corners else (new + 0.5) * how.step - 0.5
    return how.taps(place.maximum(0) if how.reach == 1 else place)


def within(positions: Any, size: int) -> Any:
    """Positions as integers, which end at the edges of an axis."""
    return positions.cast(dtypes.i32).maximum(0).minimum(size - 1)


@lru_cache(maxsize=4096)  # so that equal ones are one node
def _derivative(how: Blend) -> Callable[..., Any]:
    def gradient(upstream: Tensor, call: KernelCall) -> tuple[Tensor]:
        return (_collected(upstream, how),)

    return gradient


def _collected(upstream: Any, how: Blend) -> Any:
    """What the new elements near each old one give it. Those just `reach` away give it nothing, on
    whichever side of that a rounded place lies."""
    shift = 0.0 if how.corners else 0.5
    old = upstream._line(how.old, upstream.dtype)
    first = ((old - how.reach + shift) / how.step - shift).ceil().maximum(0)
    new = first.cast(dtypes.i32).unsqueeze(-1) + upstream._line(how.near, dtypes.i32)
    place = upstream._line(how.old, dtypes.i32).unsqueeze(-1)
    taps = [
        (within(at, how.old).eq(place) & (new < how.new), weight)
        for at, weight in _taps(new.cast(upstream.dtype), how)
    ]
    sees = reduce(or_, (here for here, _ in taps))
    weight = reduce(add, (here.where(share, 0) for here, share in taps))
    windows = upstream.moveaxis(how.axis, -1)[..., new.minimum(how.new - 1)]
    return sees.where(windows * weight, 0).sum(-1).moveaxis(-1, how.axis).contiguous()
