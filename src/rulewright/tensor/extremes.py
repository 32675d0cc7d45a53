"""Largest and smallest values by place, with a derivative that looks once at each value.

Of what reaches a place, those that are its result share its gradient. By the plain rules each place
would look at all values again; here each value looks at the result of its place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.ir.dtypes import dtypes
from rulewright.ir.uop import UOp
from rulewright.tensor.own_derivative import with_derivative

if TYPE_CHECKING:
    from rulewright.tensor.adjoint import KernelCall
    from rulewright.tensor.tensor import Tensor


class Extremes(NamedTuple):
    """Which axis positions are along, "amax" or "amin", and whether what is there takes part."""

    axis: int
    reduce: str
    include_self: bool


def with_own_derivative(
    plain: Callable[..., Any], old: Any, index: Any, source: Any, how: Extremes, device: str | None
) -> UOp:
    """`plain(old, index, source)` of tensors, as a node whose derivative is this one."""
    sources = (old, index, source)
    name = f"scatter_{how.reduce}"
    return with_derivative(name, plain, _derivative(how), sources, device, how)


@lru_cache(maxsize=256)  # so that equal calls are one node
def _derivative(how: Extremes) -> Callable[..., Any]:
    axis = how.axis

    def gradients(upstream: Tensor, call: KernelCall) -> tuple[Tensor, None, Tensor]:
        old, index, source = call.sources
        assert old is not None and index is not None and source is not None
        result, none = call.results[0], old.zeros_like()
        chosen = source.eq(result.gather(axis, index))
        ties = none.scatter_add(axis, index, chosen.cast(old.dtype))
        mine = old.eq(result) if how.include_self else None
        ties = ties if mine is None else ties + mine.cast(old.dtype)
        share = upstream / ties.maximum(1)
        reached = none.cast(dtypes.bool).scatter(axis, index, True)
        left = 0 if mine is None else mine.where(share, 0)
        return (
            reached.where(left, upstream), None,
            chosen.where(share.gather(axis, index), 0),
        )  # fmt: skip

    return gradients
