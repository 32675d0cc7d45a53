"""The interpreter's two entrances: `evaluate` a graph, `run_kernel` over flat buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.interp.evaluator import Evaluator
from rulewright.interp.memory import Write, describe, written
from rulewright.interp.program import run_program
from rulewright.interp.shadow import Shadowed, lift
from rulewright.interp.values import Value
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

Array = np.ndarray[Any, Any]
Result = Any  # an array, a Shadowed, None for an effect, or a tuple of these

_SCHEDULE = (Ops.CALL, Ops.LINEAR)


def evaluate(
    root: UOp,
    bindings: Mapping[UOp, Array],
    variables: Mapping[str, int] | None = None,
    shadow: bool = False,
) -> Result:
    """The value of `root`, as an array of its dtype; for a SINK or TUPLE, a tuple of values.

    `bindings` gives the contents of BUFFERs and PARAMs; those that the graph stores into are
    written in place, after everything has been read. Vectors have their lanes as a last axis.
    With `shadow`, results are `Shadowed`. An effect's value is None.

    Raises InterpreterError where the graph has no meaning: an index out of range, memory without
    a binding, sizes that do not fit; VariableError for a variable without a value.
    """
    memory = {node: _bound(node, array) for node, array in bindings.items()}
    if root.op is Ops.LINEAR:
        _run_linear(root, memory, bindings, dict(variables or {}), shadow)
        return None
    evaluator = Evaluator(memory, variables or {}, shadow)
    evaluator.run(root)
    items = root.src if root.op in (Ops.SINK, Ops.TUPLE) else (root,)
    results = tuple(_result(item, evaluator.known(item), shadow) for item in items)
    _commit(evaluator.log, bindings)
    return results if root.op in (Ops.SINK, Ops.TUPLE) else results[0]


def run_kernel(
    kernel: UOp | Sequence[UOp],
    buffers: Sequence[Array],
    variables: Mapping[str, int] | None = None,
) -> None:
    """Run a kernel: a SINK over PARAMs, or a program (a LINEAR or a sequence of its items).

    Buffer i, a flat array, is PARAM i; the kernel writes into it.
    """
    items = kernel.src if isinstance(kernel, UOp) and kernel.op is Ops.LINEAR else kernel
    roots = (items,) if isinstance(items, UOp) else items
    params: dict[UOp, Array] = {}
    for node in UOp.sink(*roots).toposort():
        if node.op is Ops.PARAM:
            if node.arg[0] >= len(buffers):
                raise InterpreterError(f"{describe(node)}: only {len(buffers)} buffers were given")
            params[node] = buffers[node.arg[0]]
    if isinstance(items, UOp):
        evaluate(items, params, variables)
    else:
        memory = {node: _bound(node, array) for node, array in params.items()}
        run_program(items, memory, variables or {})


def shadow_kernel(
    kernel: UOp, buffers: Sequence[Array], variables: Mapping[str, int] | None = None
) -> list[Shadowed]:
    """What each buffer would hold after a kernel, a SINK over PARAMs, in shadow mode."""
    params = {n: _bound(n, buffers[n.arg[0]]) for n in kernel.toposort() if n.op is Ops.PARAM}
    evaluator = Evaluator(dict(params), variables or {}, shadow=True)
    evaluator.run(kernel)
    results = [Shadowed(*lift((array,))) for array in buffers]
    for node, held in params.items():
        results[node.arg[0]] = Shadowed(*lift(written(node, held, evaluator.log)))
    return results


def _bound(node: UOp, array: Array) -> Value:
    if array.dtype != node.dtype.np:
        raise InterpreterError(
            f"{describe(node)}: expected an array of {node.dtype.np}, found {array.dtype}"
        )
    shape = node.arg[1]
    if array.size != prod(shape):
        raise InterpreterError(
            f"{describe(node)}: expected {shape}, found an array of shape {array.shape}"
        )
    return Value((array.reshape(shape),))


def _result(item: UOp, answer: Any, shadow: bool) -> Result:
    if not isinstance(answer, Value):
        return None
    if answer.axes:
        names = ", ".join(str(a.arg) for a in answer.axes)
        raise InterpreterError(f"{describe(item)} depends on the open loops {names}")
    if shadow:
        return Shadowed(*lift(answer.parts))
    return np.array(answer.data, order="C")


def _commit(log: Sequence[Write], bindings: Mapping[UOp, Array]) -> None:
    for write in log:
        array = bindings.get(write.base)
        if array is None:
            continue
        array.flat[write.positions] = write.parts[0]


def _run_linear(
    root: UOp,
    memory: dict[UOp, Value],
    bindings: Mapping[UOp, Array],
    variables: dict[str, int],
    shadow: bool,
) -> None:
    """A schedule: its items one after the other, each seeing what those before it wrote."""
    if root.src and root.src[0].op not in _SCHEDULE:
        run_program(root.src, memory, variables)
        return
    for item in root.src:
        if item.op is Ops.LINEAR:
            _run_linear(item, memory, bindings, variables, shadow)
            continue
        evaluator = Evaluator(memory, variables, shadow)
        evaluator.run(item)
        for write in evaluator.log:
            held = memory[write.base]
            if write.base not in bindings and not held.data.flags.writeable:
                memory[write.base] = held.each(np.array)
            memory[write.base].data.flat[write.positions] = write.parts[0]


__all__ = ["evaluate", "run_kernel"]
