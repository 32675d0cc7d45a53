"""Values on several devices: parts one behind the other, or all of it on each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.interp.memory import Write, describe, scatter, written
from rulewright.interp.shadow import alike
from rulewright.interp.stores import apart, history, positions, viewed
from rulewright.interp.values import Value
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    from rulewright.interp.evaluator import Evaluator


def stack(evaluator: Evaluator, node: UOp) -> Value:
    """MSTACK: the whole that its parts are."""
    return _joined(node, [evaluator.known(part) for part in node.src])


def _joined(node: UOp, values: list[Value]) -> Value:
    axis = node.arg[0]
    if axis is None:
        first = values[0].data
        if not all(_are_equal(first, v.data) for v in values[1:]):
            raise InterpreterError(
                f"{describe(node)}: the parts differ, of which all are the whole"
            )
        return values[0]
    at = len(values[0].axes) + axis
    rows = alike([v.parts for v in values])
    parts = tuple(np.concatenate(some, at) for some in zip(*rows, strict=True))
    return Value(parts, values[0].axes, values[0].lanes)


def _are_equal(first: Any, other: Any) -> bool:
    """Whether two arrays are, a NaN being as any other; numbers of all dtypes there are."""
    return bool(np.all((first == other) | ((first != first) & (other != other))))


def store(evaluator: Evaluator, node: UOp) -> list[Write]:
    """STORE into an MSTACK: a write into the memory of each device."""
    target, value = node.src[0], evaluator.known(node.src[1])
    writes = []
    for number, part in enumerate(target.src):
        base, places = positions(evaluator, part)
        own = value if not value.shape else value.each(_slice(target, number))
        write = scatter(base, viewed(places, places >= 0), own, evaluator.axes)
        writes.append(apart(evaluator, write))
    evaluator.log.extend(writes)
    return writes


def _slice(target: UOp, number: int) -> Any:
    axis = target.arg[0]
    if axis is None:
        return lambda data: data
    sizes = [part.max_shape[axis] for part in target.src]
    begin = sum(sizes[:number])
    here = (*[slice(None)] * axis, slice(begin, begin + sizes[number]))
    return lambda data: data[here]


def after(evaluator: Evaluator, node: UOp) -> Value:
    """AFTER of an MSTACK of memories: what these hold after the effects."""
    target = node.past({Ops.AFTER})
    happened = history(evaluator, node)
    values = []
    for part in target.src:
        base = part.base
        flat = written(base, evaluator.memory[base], happened)
        values.append(Value(tuple(p.reshape(base.arg[1]) for p in flat)))
    return _joined(target, values)
