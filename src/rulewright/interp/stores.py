"""Memory in a graph: which elements a view names, STORE, AFTER and CALL.

A buffer read without AFTER holds what it held at the start; AFTER(buffer, effects) is the buffer
once the effects have happened. So the order of evaluation does not matter. With a loop among the
effects it is the buffer in an iteration of that loop, which finds what those before wrote.
Registers and workgroup memory are different: they are written in place, in the order that their
AFTERs give.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.interp.memory import (
    Place,
    Write,
    as_vectors,
    describe,
    gather,
    locate,
    scatter,
    whole_rows,
    written,
)
from rulewright.interp.movement import filled, move
from rulewright.interp.values import Array, Value
from rulewright.ir.device_numbers import device_numbers
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    from rulewright.interp.evaluator import Evaluator

_MEMORY = Ops.group("Outer")
_LOCAL = Ops.group("Inner")
_MOVEMENT = Ops.group("Movement")
_ALSO = frozenset({Ops.AFTER, Ops.SUBBUFFER, Ops.INDEX, Ops.DETACH})


def chain(view: UOp) -> list[UOp]:
    """The nodes from a view down to what holds its elements."""
    nodes = [view]
    while nodes[-1].op in _MOVEMENT or nodes[-1].op in _ALSO:
        nodes.append(nodes[-1].src[0])
    return nodes


def plain(view: UOp) -> UOp | None:
    """The memory of which this is all, with AFTERs at most; else None."""
    view = view.past({Ops.AFTER})
    return view if view.op in _MEMORY or view.op in _LOCAL else None


def needed(target: UOp) -> list[UOp]:
    """What must be evaluated before the elements that `target` names are known."""
    nodes: list[UOp] = []
    for node in chain(target):
        if node.op is Ops.AFTER:
            nodes.append(node)
            break
        if node.op in _LOCAL:
            nodes.append(node)
        nodes.extend(node.src[1:])
    return nodes if target.op is not Ops.BITCAST else needed(target.src[0])


def positions(evaluator: Evaluator, view: UOp) -> tuple[UOp, Array]:
    """The memory below a view, and for each element of the view its place there (-1: padding)."""
    *views, base = chain(view)
    if base.op not in _MEMORY:
        raise InterpreterError(f"{describe(view)} names no memory that can be written")
    places = np.arange(math.prod(base.arg[1])).reshape(base.arg[1])
    for node in reversed(views):
        if node.op is Ops.SUBBUFFER and node.dtype is node.src[0].dtype:
            offset, shape = node.arg
            places = places.reshape(-1)[offset : offset + math.prod(shape)].reshape(shape)
        elif node.op in _MOVEMENT:
            sizes = [evaluator.value(s).number(f"a size of {node.op}") for s in node.src[1:]]
            places = move(node.op, places, 0, filled(node.arg, sizes), fill=-1)
        elif node.op not in (Ops.AFTER, Ops.DETACH):
            raise InterpreterError(f"{describe(node)} names no memory that can be written")
    return base, places


def read(
    evaluator: Evaluator, access: UOp, lanes: int, other: Value | None, gate: Value | None
) -> Value:
    """The elements that the INDEX `access` names: 0 at an INVALID one, `other` behind the gate."""
    axes, node = evaluator.axes, access.src[0]
    indices = [evaluator.known(s) for s in access.src[1:]]
    holder = plain(node)
    if holder is not None and holder.op in _LOCAL:
        storage = evaluator.storages[holder]
        place = storage.place(access, _only(access, indices), axes, gate, lanes)
        storage.touch(access, place, evaluator.work_item(), axes, write=False)
        return gather(storage.flat(), 1, place, other, axes, gate)
    value = evaluator.known(node)
    own = [Value((np.arange(n),), (a,)) for a, n in zip(value.axes, value.data.shape, strict=False)]
    dims = value.data.shape[: len(value.axes) + len(indices)]
    if len(dims) != len(own) + len(indices):
        raise InterpreterError(f"{describe(access)}: {len(indices)} indices for {value.shape}")
    place = locate(access, [*own, *indices], dims, axes, gate)
    if not value.lanes and lanes > 1 and not place.lanes:
        place = as_vectors(access, place, 1, lanes, math.prod(dims))
    return gather(Value(value.parts, (), value.lanes), len(dims), place, other, axes, gate)


def _only(access: UOp, indices: Sequence[Value]) -> Value:
    if len(indices) != 1:
        raise InterpreterError(f"{describe(access)}: kernel memory takes one index")
    return indices[0]


def store(evaluator: Evaluator, node: UOp, gate: Value | None) -> list[Write]:
    """STORE: registers are written now, other memory once an AFTER or the root asks."""
    target, value = node.src[0], evaluator.known(node.src[1])
    if target.op is Ops.BITCAST:
        target, dtype = target.src[0], target.src[0].dtype
        value = value.each(lambda p: np.ascontiguousarray(p).view(dtype.np).reshape(p.shape))
    holder = plain(target.src[0]) if target.op is Ops.INDEX else None
    if holder is not None and holder.op in _LOCAL:
        _store_locally(evaluator, node, holder, value, gate)
        return []
    base, place = _place(evaluator, target, value, node.src[1].dtype.count, gate)
    write = apart(evaluator, scatter(base, place, value, evaluator.axes))
    evaluator.log.append(write)
    return [write]


def apart(evaluator: Evaluator, write: Write) -> Write:
    """The write with its values copied if they are a view of memory, which is going to change."""
    data = write.parts[0]
    if any(np.may_share_memory(data, held.data) for held in evaluator.memory.values()):
        return write._replace(parts=tuple(p.copy() for p in write.parts))
    return write


def _store_locally(
    evaluator: Evaluator, node: UOp, holder: UOp, value: Value, gate: Value | None
) -> None:
    target, axes, storage = node.src[0], evaluator.axes, evaluator.storages[holder]
    index = _only(target, [evaluator.known(s) for s in target.src[1:]])
    operands = [v for v in (index, value, gate) if v is not None]
    own = [a for a in axes.merge(operands) if _private(holder, a, index)]
    storage.widen(own, axes, {a: evaluator.extent(a) for a in own})
    place = storage.place(target, index, axes, gate, node.src[1].dtype.count)
    storage.touch(node, place, evaluator.work_item(), axes, write=True)
    storage.put(scatter(holder, place, value, axes))


def _private(holder: UOp, axis: UOp, index: Value) -> bool:
    """Whether each value of a loop variable writes into a copy of kernel memory of its own.

    Iterations of a loop share the memory: they need copies only where all write the same element.
    """
    if axis.op is Ops.SPECIAL:
        return not (holder.op is Ops.DEFINE_LOCAL and shared(axis))
    return axis not in index.axes


def shared(axis: UOp) -> bool:
    """Whether the values of a loop variable are work items of one workgroup."""
    if axis.op is Ops.SPECIAL:
        return bool(axis.arg[0] == "l")
    return axis.arg[1] in ("local", "lane", "group")


def _place(
    evaluator: Evaluator, target: UOp, value: Value, lanes: int, gate: Value | None
) -> tuple[UOp, Place]:
    """The memory and places that the target of a STORE names."""
    if target.op is not Ops.INDEX:
        base, places = positions(evaluator, target)
        if value.shape and value.shape != places.shape:
            raise InterpreterError(
                f"STORE of shape {value.shape} into {describe(target)} of shape {places.shape}"
            )
        return base, viewed(places, places >= 0)
    indices = [evaluator.known(s) for s in target.src[1:]]
    base, view = _held(evaluator, target.src[0])
    dims = base.arg[1] if view is None else view.shape
    if len(indices) > len(dims):
        raise InterpreterError(f"{describe(target)}: {len(indices)} indices for shape {dims}")
    place = locate(target, indices, dims[: len(indices)], evaluator.axes, gate)
    if rest := dims[len(indices) :]:
        place = whole_rows(place, rest)
    place = as_vectors(target, place, 1, lanes, math.prod(dims))
    if view is not None:
        inside = place.positions if place.valid is None else place.positions * place.valid
        flat = view.reshape(-1) if view.size else np.array([-1])  # no index into nothing is valid
        there = flat[inside]
        valid = there >= 0 if place.valid is None else (there >= 0) & place.valid
        place = place._replace(positions=there, valid=valid)
    return base, place


def _held(evaluator: Evaluator, view: UOp) -> tuple[UOp, Array | None]:
    """The memory below a view, with the places of a view that is not all of it."""
    whole = plain(view)
    return (whole, None) if whole is not None else positions(evaluator, view)


def viewed(places: Array, valid: Array) -> Place:
    """The places of a view, of which those are there that are valid."""
    return Place(places, None if valid.all() else valid, (), False)


def history(evaluator: Evaluator, node: UOp, closed: frozenset[UOp] = frozenset()) -> list[Write]:
    """All writes that have happened to the memory of `node`, in order, but for those of effects in
    loops that are `closed`: what closed them has these."""
    memo, key = evaluator.scope_of(node).memo, ("history", node, closed)
    if key in memo:
        return list(memo[key])
    writes: dict[int, Write] = {}
    for part in chain(node):
        if part.op is Ops.AFTER:
            effects = [s for s in part.src[1:] if s.dtype.kind == "Void"]
            before = [history(evaluator, *target) for target in _targets(effects, closed)]
            own = [evaluator.known(s) or [] for s in effects if closed.isdisjoint(s.ranges)]
            older = history(evaluator, part.src[0], closed)
            for write in [w for ws in (older, *before, *own) for w in ws]:
                writes.setdefault(id(write), write)
            break
    memo[key] = list(writes.values())
    return list(memo[key])


def _targets(
    effects: Sequence[UOp], closed: frozenset[UOp]
) -> Iterator[tuple[UOp, frozenset[UOp]]]:
    """The memory, with its AFTERs, that stores write into, and the loops closed behind them."""
    for effect in effects:
        loops = closed
        while effect.op is Ops.END:
            loops, effect = loops.union(effect.src[1:]), effect.src[0]
        if effect.op is Ops.STORE:
            yield effect.src[0], loops


def after(evaluator: Evaluator, node: UOp) -> Value | None:
    """What memory holds after effects."""
    below = chain(node)
    base = below[-1]
    if base.op in _LOCAL:
        return None
    value: Value = evaluator.known(node.src[0])
    if base.op not in _MEMORY:
        return value
    afters = [n for n in below if n.op is Ops.AFTER]
    loops = [s for n in afters for s in n.src[1:] if s.op is Ops.RANGE]
    happened = _so_far(evaluator, afters, loops) if loops else history(evaluator, node)
    flat = Value(written(base, evaluator.memory[base], happened))
    if plain(node) is not None:
        return flat.each(lambda part: part.reshape(base.arg[1]))
    _, places = positions(evaluator, node)
    return gather(flat, 1, viewed(np.maximum(places, 0), places >= 0), None, evaluator.axes)


def _so_far(evaluator: Evaluator, afters: Sequence[UOp], loops: Sequence[UOp]) -> list[Write]:
    """What had been written when the last effect of some AFTERs had happened, or the iteration of
    their innermost loop had begun."""
    begun = [n for n in map(evaluator.scope.started, loops) if n is not None]
    effects = [s for n in afters for s in n.src[1:] if s.dtype.kind == "Void"]
    ends = [evaluator.ends.get(effect, len(evaluator.log)) for effect in effects]
    return evaluator.log[: max([*begun, *ends], default=len(evaluator.log))]


def call(evaluator: Evaluator, node: UOp) -> Any:
    """CALL: the function's own evaluation, and its writes as writes to the arguments.

    Of a function that gives values, the tuple of these.
    """
    function, arguments = node.src[0], node.src[1:]
    memory: dict[UOp, Value] = {}
    params = [n for n in function.toposort() if n.op is Ops.PARAM]
    for param in sorted(params, key=lambda n: int(n.arg[0])):
        memory[param] = _argument(evaluator, param, arguments)
    inner = evaluator.inner(memory)
    if arguments:
        inner.variables.update(device_numbers(function, arguments[0].device))
    inner.run(function)
    if function.op is Ops.FUNCTION and function.arg[1] != "stores":
        return tuple(inner.known(result) for result in function.src)
    writes: list[Write] = []
    for write in inner.log:
        base, places = positions(evaluator, arguments[write.base.arg[0]])
        where = places.reshape(-1)[write.positions]
        writes.append(Write(base, where, write.parts))
    evaluator.log.extend(writes)
    return writes


def _argument(evaluator: Evaluator, param: UOp, arguments: Sequence[UOp]) -> Value:
    slot, shape = param.arg[0], param.arg[1]
    if slot >= len(arguments):
        raise InterpreterError(f"CALL with {len(arguments)} arguments: no argument {slot}")
    argument = arguments[slot]
    value: Value = evaluator.known(argument)
    if argument.dtype is not param.dtype or math.prod(shape) != value.data.size:
        raise InterpreterError(
            f"argument {slot} of CALL: expected {param.dtype.name} of shape {shape}, "
            f"found {argument.dtype.name} of shape {value.shape}"
        )
    return value.each(lambda part: part.reshape(shape))
