"""Values of plain operations whose derivative is said apart: a FUNCTION that calls are made of.

Such a derivative is shorter than that of each operation, or rounds as what uses it expects.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any
from weakref import WeakValueDictionary

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.placement import text_of
from rulewright.ir.uop import UOp
from rulewright.tensor.function_nodes import Derivative, called, derivatives, function_id

_functions: WeakValueDictionary[Hashable, UOp] = WeakValueDictionary()
"""The FUNCTIONs that stand in a graph, by what tells them apart."""


def with_derivative(
    name: str, plain: Callable[..., Any], derivative: Callable[..., Any], sources: Sequence[Any],
    device: str | None, how: Hashable = (),
) -> UOp:  # fmt: skip
    """`plain(*sources)` of tensors of known shapes, with this derivative, as a node.

    `plain` and `derivative` are the same for equal `name` and `how`; the latter takes the upstream
    gradient and a `KernelCall`, and gives a gradient or None for each source.
    """
    return with_derivatives(
        name, lambda *tensors: (plain(*tensors),), derivative, sources, device, how
    )[0]


def with_derivatives(
    name: str, plain: Callable[..., tuple[Any, ...]], derivative: Callable[..., Any],
    sources: Sequence[Any], device: str | None, how: Hashable = (),
) -> tuple[UOp, ...]:  # fmt: skip
    """The same of several results, as nodes: the derivative takes an upstream gradient of each."""
    facts = (name, how, device, *((t.shape, t.dtype) for t in sources))
    function = _functions.get(facts)
    if function is None:
        params = [
            t._make(UOp(Ops.PARAM, t.dtype, (), (slot, t.shape, text_of(device))), device)
            for slot, t in enumerate(sources)
        ]
        values = tuple(value.uop for value in plain(*params))
        inlined = (name, "inline", function_id(derivative))
        function = UOp(Ops.FUNCTION, dtypes.void, values, inlined)
        derivatives[function] = Derivative(derivative, tuple(range(len(sources))))
        _functions[facts] = function
    return called(function, [t.uop for t in sources])
