"""Kernels that users write in UOps: from the Python function to a call of the kernel."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import count
from math import prod
from typing import Any

from rulewright.codegen.naming import kernel_info, kernel_name
from rulewright.errors import FunctionError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import read_slots, written_slots
from rulewright.schedule.movement import flat_index
from rulewright.tensor.custom_check import check_kernel, covers
from rulewright.tensor.custom_kernel import KernelInfo
from rulewright.tensor.function_nodes import Derivative, called, derivative_id, derivatives


def kernel_of(fxn: Callable[..., UOp], memories: list[tuple[Any, Any]]) -> UOp:
    """The kernel that a function writes over memories of these dtypes and shapes, checked."""
    places = [UOp(Ops.PARAM, d, (), (slot, s, None)) for slot, (d, s) in enumerate(memories)]
    name = getattr(fxn, "__name__", type(fxn).__name__)
    try:
        made = fxn(*places)
    except TypeError as error:
        at = error.__traceback__
        if at is not None and at.tb_next is None:  # raised by the call, not inside of it
            raise FunctionError(
                f"kernel {name}: expected a function of {len(places)} placeholders: {error}"
            ) from error
        raise
    if not isinstance(made, UOp):
        raise FunctionError(
            f"kernel {name}: expected a SINK of stores, found a {type(made).__name__}"
        )
    sink = made if made.op is Ops.SINK else UOp.sink(made)
    info = _info(sink, name)
    check_kernel(sink, places, info.choices, name)
    shown = info.name or f"{_identifier(name)}_{kernel_name(sink)[2:]}"
    flat = _flat(UOp.sink(*sink.src, info=(shown, info.choices)))
    return rewrite(flat, "written_kernel")


def _info(sink: UOp, name: str) -> KernelInfo:
    """What the SINK says of its kernel. Raises FunctionError for what it cannot say."""
    try:
        return KernelInfo(*kernel_info(sink.arg))
    except UsageError as error:
        raise FunctionError(f"kernel {name}: {str(error).removeprefix('kernel: ')}") from None


def _identifier(name: str) -> str:
    made = re.sub("[^A-Za-z0-9_]+", "_", name).strip("_")
    return made if made and not made[0].isdigit() else f"kernel_{made}".rstrip("_")


def _flat(kernel: UOp) -> UOp:
    """The kernel with PARAMs of one axis."""

    def flat(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if node.op is Ops.PARAM:
            return node.replace(arg=(node.arg[0], (prod(node.arg[1]),), None))
        memory = node.src[0].base
        return src[0].index(flat_index(memory.arg[1], src[1:])) if memory.op is Ops.PARAM else None

    return rebuild(kernel, flat, frozenset({Ops.PARAM, Ops.INDEX}))


def kernel_results(
    kernel: UOp,
    nodes: list[UOp],
    device: str,
    grad_fxn: Callable[..., Any] | None,
    whole: Collection[int] = (),
) -> tuple[UOp, ...]:
    """The memories that a kernel writes, as results of a function that calls it.

    What it writes is memory of the function, which begins as the tensor that was passed if the
    kernel looks at it or leaves some of it as it is. Of the slots in `whole` it does neither, where
    that cannot be seen.
    """
    written, read = written_slots(kernel), read_slots(kernel)
    arguments: list[UOp] = []
    places: list[int | None] = []
    memories: list[UOp] = []
    own = count()
    for slot, node in enumerate(nodes):
        is_new = slot in written
        is_passed = not is_new or not (slot in whole or (slot not in read and covers(kernel, slot)))
        places.append(len(arguments) if is_passed else None)
        memory = UOp(Ops.PARAM, node.dtype, (), (len(arguments), node.shape, device))
        if is_passed:
            arguments.append(node)
        if is_new:
            start = memory
            memory = UOp(Ops.SCRATCH, node.dtype, (), (next(own), node.shape, device))
            memory = memory.after(memory.store(start)) if is_passed else memory
        memories.append(memory)
    call = UOp(Ops.CALL, dtypes.void, (kernel, *memories))
    results = tuple(memories[slot].after(call) for slot in written)
    number = derivative_id(grad_fxn) if grad_fxn is not None else 0
    function = UOp(Ops.FUNCTION, dtypes.void, results, (kernel.arg[0], "inline", number))
    if grad_fxn is not None:
        derivatives[function] = Derivative(grad_fxn, tuple(places))
    return called(function, arguments)
