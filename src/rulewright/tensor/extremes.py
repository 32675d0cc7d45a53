"""Largest and smallest values by place, with a derivative that looks once at each value.

Of what reaches a place, those that are its result share its gradient. By the plain rules each place
would look at all values again; here each value looks at the result of its place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.function_nodes import Derivative, called, derivative_id, derivatives

if TYPE_CHECKING:
    from rulewright.tensor.adjoint import KernelCall
    from rulewright.tensor.tensor import Tensor


class Extremes(NamedTuple):
    """Which axis positions are along, "amax" or "amin", and whether what is there takes part."""

    axis: int
    reduce: str
    include_self: bool


_functions: WeakValueDictionary[tuple[Any, ...], UOp] = WeakValueDictionary()
"""The FUNCTIONs of such calls that stand in a graph, by what tells them apart."""


def with_own_derivative(
    plain: Callable[..., Any], old: Any, index: Any, source: Any, how: Extremes, device: str | None
) -> UOp:
    """`plain(old, index, source)` of tensors, as a node whose derivative is this one."""
    sources = (old, index, source)
    facts = (device, how, *((t.shape, t.dtype) for t in sources))
    function = _functions.get(facts)
    if function is None:
        params = [
            t._make(UOp(Ops.PARAM, t.dtype, (), (slot, t.shape, device)), device)
            for slot, t in enumerate(sources)
        ]
        derivative = _derivative(how)
        name = (f"scatter_{how.reduce}", "inline", derivative_id(derivative))
        function = UOp(Ops.FUNCTION, dtypes.void, (plain(*params).uop,), name)
        derivatives[function] = Derivative(derivative, (0, 1, 2))
        _functions[facts] = function
    return called(function, [t.uop for t in sources])[0]


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
