"""Largest and smallest values and products by place, with derivatives that look once at each value.

Of what reaches a place, those that are its largest or smallest share its gradient, and each that
is multiplied there has that of the others' product. By the plain rules each place would look at all
values again; here each value looks at the result of its place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.ir.dtypes import dtypes
from rulewright.ir.uop import UOp
from rulewright.tensor.own_derivative import with_derivative

if TYPE_CHECKING:
    from rulewright.tensor.adjoint import KernelCall
    from rulewright.tensor.tensor import Tensor


class ByPlace(NamedTuple):
    """Which axis positions are along, "amax", "amin" or "prod", and whether what is there takes
    part."""

    axis: int
    reduce: str
    include_self: bool


def with_own_derivative(
    plain: Callable[..., Any], old: Any, index: Any, source: Any, how: ByPlace, device: str | None
) -> UOp:
    """`plain(old, index, source)` of tensors, as a node whose derivative is this one."""
    sources = (old, index, source)
    name = f"scatter_{how.reduce}"
    return with_derivative(name, plain, _derivative(how), sources, device, how)


@lru_cache(maxsize=256)  # so that equal calls are one node
def _derivative(how: ByPlace) -> Callable[..., Any]:
    return partial(_of_factors if how.reduce == "prod" else _of_extremes, how)


def _of_extremes(how: ByPlace, upstream: Tensor, call: KernelCall) -> tuple[Tensor, None, Tensor]:
    axis, (old, index, source) = how.axis, call.sources
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


def _of_factors(how: ByPlace, upstream: Tensor, call: KernelCall) -> tuple[Tensor, None, Tensor]:
    """The quotient of the product and a factor; for a 0 the product without it, which is 0 too if
    it is not the only one."""
    axis, (old, index, source) = how.axis, call.sources
    assert old is not None and index is not None and source is not None

    def product(mine: Tensor, theirs: Tensor) -> Tensor:
        return mine.scatter_reduce(axis, index, theirs, "prod", how.include_self)

    none, nothing = old.zeros_like(), source.eq(0)
    if how.include_self:
        divisor = old.eq(0).where(1, old)
        left = upstream * product(divisor, source) / divisor
    else:
        left = none.cast(dtypes.bool).scatter(axis, index, True).where(0, upstream)
    zeros = none.scatter_add(axis, index, nothing.cast(old.dtype)).gather(axis, index)
    only = nothing.logical_and(zeros.eq(1))
    others = upstream * product(old, only.where(1, source))
    shares = (upstream * call.results[0]).gather(axis, index) / nothing.where(1, source)
    return left, None, only.where(others.gather(axis, index), shares)
