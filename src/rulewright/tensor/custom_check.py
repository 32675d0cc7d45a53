"""What is checked about kernels that users write."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NoReturn

from rulewright.codegen.axes import Axes
from rulewright.codegen.choices import is_by_library, parse_choices, search_width
from rulewright.codegen.kinds import RANK
from rulewright.errors import FunctionError, RulewrightError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.stages import check_stage
from rulewright.ir.uop import UOp
from rulewright.schedule.typecheck import check_operands

_MEMORY = Ops.group("KernelMemory")


def check_kernel(sink: UOp, places: Sequence[UOp], choices: str, name: str) -> None:
    """Raise FunctionError, naming the node, for what is no kernel over these placeholders."""
    try:
        check_stage(sink, "written")
        for node in sink.toposort():
            check_operands(node)
            _check_node(node, places)
        _check_loops(sink)
        axes = Axes(sink)
        is_mark = search_width(sink) or is_by_library(sink)
        for choice in parse_choices(choices) if not is_mark else ():
            axes.apply(choice)
    except RulewrightError as error:
        raise FunctionError(f"kernel {name}: {error}") from error


def _refuse(message: str, node: UOp) -> NoReturn:
    raise FunctionError(f"{message}\n{node}")


def _check_node(node: UOp, places: Sequence[UOp]) -> None:
    if node.op is Ops.PARAM and node not in places:
        _refuse("a PARAM that is none of the placeholders", node)
    if node.op is Ops.RANGE and node.arg[1] not in RANK:
        _refuse(f"a range of kind {node.arg[1]!r}; kinds are {', '.join(RANK)}", node)
    if node.op is Ops.INDEX:
        _check_index(node)
    if node.op is Ops.STORE:
        target, value = node.src[:2]
        if target.op is not Ops.INDEX:
            _refuse(f"a STORE into {target.op}; the target is an element: memory.index(...)", node)
        if target.dtype is not value.dtype:
            _refuse(
                f"a STORE of {value.dtype.name} into {target.dtype.name}: cast the value first",
                node,
            )
    if node.op is Ops.LOAD and node.src[0].op is not Ops.INDEX:
        _refuse(f"a LOAD of {node.src[0].op}; what is read is an element: memory.index(...)", node)
    if node.op.elementwise and any(
        s.base.op in _MEMORY and s.op is not Ops.INDEX for s in node.src
    ):
        _refuse(f"{node.op} of whole memory; kernels compute with elements: .index(...)", node)


def _check_index(node: UOp) -> None:
    memory, indices = node.src[0], node.src[1:]
    if memory.base.op not in _MEMORY:
        _refuse(f"an INDEX of {memory.op}, which is no memory", node)
    shape = memory.base.shape or ()
    if len(indices) != len(shape):
        _refuse(f"{len(indices)} indices for memory of shape {shape}", node)
    for axis, (index, size) in enumerate(zip(indices, shape, strict=True)):
        if index.dtype is not dtypes.index:
            _refuse(f"index {axis} is {index.dtype.name}; cast(dtypes.index) makes it one", node)
        exact = all(n.op in _COUNTING for n in index.toposort())
        if exact and not (index.simplify().vmin >= 0 and index.simplify().vmax < size):
            found = f"{index.simplify().vmin} … {index.simplify().vmax}"
            _refuse(f"index {axis} is {found}, outside of an axis of size {size}", node)


_COUNTING = Ops.group("Affine")


def _check_loops(sink: UOp) -> None:
    for effect in sink.src:
        if effect.op not in (Ops.END, Ops.STORE):
            _refuse(f"{effect.op} in the SINK, where stores in closed loops are expected", effect)
    if not sink.src:
        _refuse("nothing is stored", sink)
    if sink.ranges:
        loops = ", ".join(f"r{r.arg[0]}" for r in sink.ranges)
        _refuse(f"loops that are never closed: {loops}; end(...) closes them", sink)


def covers(kernel: UOp, slot: int) -> bool:
    """Whether a kernel certainly writes every element of a parameter: one store does.

    Its index counts through all elements, each loop with the stride of all loops inside of it.
    """
    return any(_covers(end, slot) for end in kernel.src if end.op is Ops.END)


def _covers(end: UOp, slot: int) -> bool:
    store, loops = end.src[0], end.src[1:]
    if (
        store.op is not Ops.STORE
        or len(store.src) > 2
        or store.src[0].src[0].base.op is not Ops.PARAM
    ):
        return False
    memory, index = store.src[0].src
    if memory.base.arg[0] != slot:
        return False
    stride, rest = 1, index.simplify()
    for loop in sorted(index.ranges, key=lambda r: _stride(rest, r)):
        if loop not in loops or _stride(rest, loop) != stride or not isinstance(loop.size, int):
            return False
        stride *= loop.size
    at_zero = rest.substitute({r: UOp.index_const(0) for r in index.ranges}).simplify()
    linear = _is_linear(rest)
    return linear and at_zero is UOp.index_const(0) and stride == prod(memory.base.arg[1])


def _is_linear(index: UOp) -> bool:
    return all(n.op in _COUNTING for n in index.toposort()) and all(
        any(s.op is Ops.CONST for s in n.src) for n in index.toposort() if n.op is Ops.MUL
    )


def _stride(index: UOp, loop: UOp) -> int:
    """How far one step of a loop moves a linear index."""
    zero = {r: UOp.index_const(0) for r in index.ranges}
    step = index.substitute({**zero, loop: UOp.index_const(1)}).simplify()
    base = index.substitute(zero).simplify()
    both = step.op is Ops.CONST and base.op is Ops.CONST
    return int(step.arg) - int(base.arg) if both else 0
