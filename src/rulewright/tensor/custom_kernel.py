"""Kernels that users write in UOps: from the Python function to a call of the kernel, checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Sequence
from functools import partial
from itertools import count
from math import prod
from typing import Any, NamedTuple, NoReturn

from rulewright.codegen.axes import Axes
from rulewright.codegen.choices import is_by_library, parse_choices, search_width
from rulewright.codegen.kinds import RANK
from rulewright.codegen.naming import kernel_info, kernel_name
from rulewright.errors import FunctionError, RulewrightError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.rewrite import rewrite
from rulewright.ir.stages import check_stage
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import read_slots, written_slots
from rulewright.schedule.movement import flat_index
from rulewright.schedule.typecheck import check_count, check_operands
from rulewright.tensor.function_nodes import Derivative, called, derivatives, function_id

_MEMORY = Ops.group("KernelMemory")


def check_kernel(sink: UOp, places: Sequence[UOp], choices: str, name: str) -> None:
    """Raise FunctionError, naming the node, for what is no kernel over these placeholders."""
    try:
        nodes = sink.toposort()
        for node in nodes:
            check_count(node)
        check_stage(sink, "written")
        for node in nodes:
            _check_node(node, places)
            check_operands(node)
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
    runs = all(loop.vmax >= 0 for loop in node.ranges)
    for axis, (index, size) in enumerate(zip(indices, shape, strict=True)):
        if index.dtype is not dtypes.index:
            _refuse(f"index {axis} is {index.dtype.name}; cast(dtypes.index) makes it one", node)
        simple = index.simplify()
        exact = all(_is_counted(n) for n in simple.toposort())
        if runs and exact and not (simple.vmin >= 0 and simple.vmax < size):
            bounds = f"{simple.vmin} … {simple.vmax}"
            _refuse(f"index {axis} is {bounds}, outside of an axis of size {size}", node)


_COUNTING = Ops.group("Affine")


def _is_counted(node: UOp) -> bool:
    """Whether an index of such nodes comes to both of its bounds: no loop is as long as others
    say."""
    return node.op in _COUNTING and (node.op is not Ops.RANGE or isinstance(node.size, int))


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

    Its index counts through all elements, each loop with the stride of all loops inside of it, and
    each loop around it runs.
    """
    return any(_covers(end, slot) for end in kernel.src if end.op is Ops.END)


def _covers(end: UOp, slot: int) -> bool:
    store, loops = end.src[0], end.src[1:]
    if (
        store.op is not Ops.STORE
        or len(store.src) > 2
        or store.src[0].src[0].base.op is not Ops.PARAM
        or any(loop.src[0].vmin < 1 for loop in loops)
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


class KernelInfo(NamedTuple):
    """What may stand as `info` of a kernel's SINK.

    name: of the kernel, as reports and generated code show it; that of the Python function and the
    sizes of the loops where it is left out.
    choices: how its loops run, as `rulewright compile --stage axes` prints it, such as
    "r2, r3 = split(r0, 16); simd(r3)"; the heuristics choose where it is left out.

    >>> from rulewright import KernelInfo
    >>> KernelInfo("triple", "simd(r0)").name
    'triple'
    """

    name: str | None = None
    choices: str = ""


def kernel_of(fxn: Callable[..., UOp], memories: list[tuple[Any, Any]]) -> UOp:
    """The kernel that a function writes over memories of these dtypes and shapes, checked."""
    places = [UOp(Ops.PARAM, d, (), (slot, s, None)) for slot, (d, s) in enumerate(memories)]
    name = getattr(fxn, "__name__", type(fxn).__name__)
    try:
        answer = fxn(*places)
    except TypeError as error:
        at = error.__traceback__
        if at is not None and at.tb_next is None:  # raised by the call, not inside of it
            raise FunctionError(
                f"kernel {name}: expected a function of {len(places)} placeholders: {error}"
            ) from error
        raise
    if not isinstance(answer, UOp):
        raise FunctionError(
            f"kernel {name}: expected a SINK of stores, found a {type(answer).__name__}"
        )
    sink = answer if answer.op is Ops.SINK else UOp.sink(answer)
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
    words = re.sub("[^A-Za-z0-9_]+", "_", name).strip("_")
    return words if words and not words[0].isdigit() else f"kernel_{words}".rstrip("_")


def _flat(kernel: UOp) -> UOp:
    """The kernel with PARAMs of one axis."""

    def flat(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if node.op is Ops.PARAM:
            return node.replace(arg=(node.arg[0], (prod(node.arg[1]),), None))
        memory = node.src[0].base
        return src[0].index(flat_index(memory.arg[1], src[1:])) if memory.op is Ops.PARAM else None

    return rebuild(kernel, flat, frozenset({Ops.PARAM, Ops.INDEX}))


class Blank(NamedTuple):
    """A memory of which a kernel writes all, whether that can be seen or not."""

    dtype: DType
    max_shape: tuple[int, ...]

    @property
    def node(self) -> UOp:
        """What stands for it before."""
        number = UOp.const(self.dtype, 0)
        return number.reshape((1,) * len(self.max_shape)).expand(self.max_shape)


def kernel_values(
    body: Callable[..., UOp], device: str, *memories: UOp | Blank,
    grad_fxn: Callable[..., Any] | None = None, **how: Hashable,
) -> tuple[UOp, ...]:  # fmt: skip
    """`kernel_results` of the kernel that `body(*memories, **how)` writes, made once for all
    memories of these dtypes and shapes."""
    facts = tuple((memory.dtype, memory.max_shape) for memory in memories)
    nodes = [m.node if isinstance(m, Blank) else m for m in memories]
    whole = {slot for slot, memory in enumerate(memories) if isinstance(memory, Blank)}
    return kernel_results(_known(body, facts, **how), nodes, device, grad_fxn, whole)


@remembered(2048)
def _known(body: Callable[..., UOp], facts: tuple[tuple[Any, Any], ...], **how: Any) -> UOp:
    return kernel_of(partial(body, **how), list(facts))


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
    number = function_id(grad_fxn) if grad_fxn is not None else 0
    function = UOp(Ops.FUNCTION, dtypes.void, results, (kernel.arg[0], "inline", number))
    if grad_fxn is not None:
        derivatives[function] = Derivative(grad_fxn, tuple(places))
    return called(function, arguments)
