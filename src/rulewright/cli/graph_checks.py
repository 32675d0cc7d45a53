"""Whether a graph file means something: looked at once, before anything is made or run of it.

What comes out of the compiler does; what a person wrote or mended need not, and a kernel that
reads beyond its memory would be run all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import NoReturn

from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.pipeline import entries, lowering, scheduling
from rulewright.ir.stages import check_stage
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import Callees
from rulewright.schedule.typecheck import check_function, check_operands

MOST_SLOTS = 1 << 16
MOST_BYTES = 1 << 62
_FOREIGN = Ops.group("Foreign")
_MEMORIES = Ops.group("KernelMemory") | {Ops.STAGE}
_ORDERED = Ops.group("Memory") | {Ops.RESULT}
_SHOWING = Ops.group("View") | {Ops.AFTER, Ops.EXPAND}
_EFFECTS = Ops.group("Ordered") | {Ops.CALL}


def check_written(root: UOp) -> None:
    """Raise UsageError for numbers in a graph's leaves that no program has."""
    nodes = root.toposort()
    for node in nodes:
        check = _LEAVES.get(node.op)
        if check is not None:
            check(node)
    if not any(node.op is Ops.CALL for node in nodes):  # which has PARAMs of several kernels
        params = {node.arg[0]: node for node in nodes if node.op is Ops.PARAM}
        for node in nodes:
            if node.op is Ops.PARAM and params[node.arg[0]] is not node:
                _refuse(f"another PARAM of slot {node.arg[0]}", node)


def check_value(body: UOp) -> None:
    """Raise for a function of tensors that means nothing, or that calls a kernel that does not."""
    graph = Callees().hide(body)
    check_function(graph)
    for node in graph.toposort():
        if node.op is Ops.MSTACK:
            _refuse(f"{node.op}; a graph file works on one device", node)
        if node.dtype.count > 1:
            _refuse(f"{node.op} of {node.dtype.name}; tensors are of scalars", node)
        effects = node.src if node.op is Ops.SINK else node.src[1:] if node.op is Ops.AFTER else ()
        for effect in effects:
            if effect.op not in _EFFECTS:
                _refuse(f"{effect.op} where an effect is expected, such as a STORE", node)
        if node.op is Ops.AFTER:
            _check_after(node)
        if node.op is Ops.RESULT:
            _check_result(node)
    for node in body.toposort():
        if node.op is Ops.CALL:
            _check_call(node)


def _check_after(node: UOp) -> None:
    memory = node.past(_SHOWING)
    if memory.op not in _ORDERED:
        _refuse(f"AFTER of {memory.op}, where memory is expected", node)


def check_schedule(linear: UOp, done: str) -> None:
    """Raise for a list of calls in which one is of what is no kernel."""
    lowered = any(entry.name == done for entry in lowering())
    if done and not lowered:
        check_stage(linear, _stage_behind(done))
    for call in linear.src:
        if lowered and call.src[0].op is not Ops.SINK:
            check_lowered(call.src[0], done)
        elif not lowered:
            _check_call(call)


def check_kernel(kernel: UOp) -> None:
    """Raise for what is no kernel, and for one that leaves its memory."""
    from rulewright.verify.validate.bounds import check_bounds

    check_stage(kernel, lowering()[0].source)
    if kernel.op is not Ops.SINK:
        _refuse(f"{kernel.op}, where a kernel is a SINK of stores in closed loops", kernel)
    if kernel.ranges:
        loops = ", ".join(f"r{r.arg[0]}" for r in kernel.ranges)
        _refuse(f"loops that are never closed: {loops}; END closes them", kernel)
    for node in kernel.toposort():
        check_operands(node)
        if node.op is Ops.INDEX:
            _check_index(node)
        if node.op is Ops.STORE and node.src[0].op is not Ops.INDEX:
            _refuse(f"a STORE into {node.src[0].op}, where an INDEX is expected", node)
    check_bounds(kernel)


def check_lowered(root: UOp, done: str) -> None:
    """Raise for a graph that is not legal behind the entry `done`."""
    stage = _stage_behind(done)
    if stage == scheduling()[0].source:
        check_value(root)
    else:
        check_stage(root, stage)
    lists = [scheduling()[-1].result, lowering()[-1].result]
    expected = Ops.LINEAR if stage in lists else Ops.SINK
    if root.op is not expected:
        _refuse(f"{root.op}, where the root of a graph behind {done!r} is {expected}", root)
    for node in root.toposort():
        check_operands(node)


def _stage_behind(done: str) -> str:
    return next(entry.result for entry in entries() if entry.name == done)


def _check_index(node: UOp) -> None:
    memory, indices = node.src[0].base, node.src[1:]
    if memory.op not in _MEMORIES:
        _refuse(f"an INDEX of {memory.op}, which is no memory", node)
    if len(indices) != len(memory.shape or ()):
        _refuse(f"{len(indices)} indices for memory of shape {memory.shape}", node)


def _refuse(message: str, node: UOp) -> NoReturn:
    raise UsageError(f"{message}\n{node}")


def _check_result(node: UOp) -> None:
    call, item = node.src[0], node.arg[0]
    function = call.src[0] if call.op is Ops.CALL else call
    if function.op is not Ops.FUNCTION or not 0 <= item < len(function.src):
        _refuse(f"RESULT {item} of {function.op}, where a CALL of a FUNCTION has it", node)


def _check_call(call: UOp) -> None:
    callee = call.src[0]
    if callee.op not in Ops.group("Callee"):
        _refuse(f"CALL of {callee.op}; what is called is a kernel or a FUNCTION", call)
    slots = [n.arg[0] for n in callee.toposort() if n.op is Ops.PARAM]
    if max(slots, default=-1) >= len(call.src) - 1:
        _refuse(f"CALL with {len(call.src) - 1} arguments of what takes more", call)
    if callee.op is Ops.SINK and not any(n.op in _FOREIGN for n in callee.toposort()):
        check_kernel(callee)


def _memory(node: UOp) -> None:
    slot, shape, *_ = node.arg
    if not 0 <= slot < MOST_SLOTS and node.op is not Ops.BUFFER:
        raise UsageError(f"{node.op}: expected a slot from 0 to {MOST_SLOTS - 1}, found {slot}")
    if min(shape, default=0) < 0 or prod(shape) * node.dtype.itemsize > MOST_BYTES:
        raise UsageError(f"{node.op}: no memory has {prod(shape)} elements of shape {shape}")
    if node.dtype.scalar not in dtypes.all():
        raise UsageError(f"{node.op}: no memory holds {node.dtype.name}")


def _variable(node: UOp) -> None:
    UOp.variable(*node.arg)


def _bound(node: UOp) -> None:
    variable, value = node.src
    if value.op is not Ops.CONST:
        raise UsageError(f"BIND: expected a whole number for the variable, found {value.op}")
    variable.bind(value.arg)


_LEAVES: dict[object, Callable[[UOp], None]] = {
    Ops.PARAM: _memory, Ops.BUFFER: _memory, Ops.SCRATCH: _memory, Ops.VAR: _variable,
    Ops.BIND: _bound,
}  # fmt: skip
