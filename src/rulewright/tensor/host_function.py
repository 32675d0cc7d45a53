"""Functions of the host as tensors: nodes of their calls, which are scheduled as kernels are."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from rulewright.errors import ArgumentError, ShapeError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.host import HostFunction, Shape, host_functions
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.function_nodes import Derivative, called, derivatives, function_id


def named_function(
    fn: Callable[..., Any], shape: Shape, dtype: DType, shapes: tuple[Shape, ...], in_place: bool
) -> HostFunction:
    """A function with what it takes and gives. Raises ArgumentError for one in place over nothing,
    ShapeError for one that is to change the shape of what it writes."""
    if in_place and not shapes:
        raise ArgumentError("custom_function: in_place writes into the first tensor, found none")
    if in_place and shape != shapes[0]:
        raise ShapeError(f"custom_function: in place {shapes[0]} stays, found shape={shape}")
    name = getattr(fn, "__name__", type(fn).__name__)
    return HostFunction(fn, name, shape, dtype, shapes, in_place)


def host_kernel(host: HostFunction, kinds: list[Any]) -> UOp:
    """The function over flat memories: the one that is written, then those that are read."""
    out = UOp(Ops.PARAM, host.dtype, (), (0, (prod(host.shape),), None))
    first = 0 if host.is_in_place else 1
    places = [
        UOp(Ops.PARAM, kind, (), (slot, (prod(shape),), None))
        for slot, (kind, shape) in enumerate(zip(kinds, host.shapes, strict=True), first)
    ]
    arg = (function_id(host.function), (prod(host.shape),), (host.shape, *host.shapes))
    node = UOp(Ops.HOST, host.dtype, tuple(places), arg)
    host_functions[node] = host
    return UOp.sink(out.store(node), info=(host.name, ""))


def host_result(
    host: HostFunction, nodes: list[UOp], device: str, grad_fxn: Callable[..., Any] | None
) -> UOp:
    """What the function gives of these values; of the first as it is after, if it is in place."""
    kernel = host_kernel(host, [node.dtype for node in nodes])
    inputs = [UOp(Ops.PARAM, n.dtype, (), (i, n.shape, device)) for i, n in enumerate(nodes)]
    memory = UOp(Ops.SCRATCH, host.dtype, (), (0, host.shape, device))
    if host.is_in_place:
        memory = memory.after(memory.store(inputs[0]))
    call = UOp(Ops.CALL, dtypes.void, (kernel, memory, *inputs[host.is_in_place :]))
    number = function_id(grad_fxn) if grad_fxn is not None else 0
    function = UOp(Ops.FUNCTION, dtypes.void, (memory.after(call),), (host.name, "inline", number))
    if grad_fxn is not None:
        derivatives[function] = Derivative(grad_fxn, tuple(range(len(nodes))))
    return called(function, nodes)[0]
