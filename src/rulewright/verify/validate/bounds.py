"""Every access stays within its memory: by intervals, then by trying, then by z3.

An INDEX carries its validity: where it is INVALID, or where the gate of its LOAD or STORE is
closed, nothing is accessed. Only an index that is provably outside for some values of the loops
and variables is an error; what neither step decides (an index computed from data, without z3) is
let pass, since the interpreter refuses it at VERIFY=2 where it happens. A call may bind variables
to less than their bounds allow: an index is outside if it is so at both ends of all variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from rulewright.errors import InterpreterError, ValidationError, VariableError
from rulewright.interp.evaluator import Evaluator
from rulewright.interp.memory import INVALID, describe
from rulewright.interp.values import Value, spread
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.uop import UOp
from rulewright.verify.validate.solve import reachable

MOST_POINTS = 1 << 13  # combinations of loop values that are tried one and all
_MOST_PASSED = 1 << 14
_MOST_KEPT = 1 << 10  # nodes whose values at all points are kept
_CORNER = 2  # values at each end of a loop that are tried where there are more
_HOLDERS = Ops.group("Outer") | Ops.group("Inner")
_LOOPS = Ops.group("Looped")
_ACCESS = {Ops.INDEX, Ops.LOAD, Ops.STORE}
_DATA = Ops.group("Read") | {Ops.REDUCE, Ops.AFTER, Ops.PARAM, Ops.LANE, Ops.STACK}


_K = TypeVar("_K")


class Passed(Generic[_K]):
    """Keys of what was found right; all are forgotten once there are many."""

    def __init__(self) -> None:
        self._keys: set[_K] = set()

    def __contains__(self, key: _K) -> bool:
        return key in self._keys

    def add(self, key: _K) -> None:
        """Remember that this is right."""
        if len(self._keys) >= _MOST_PASSED:
            self._keys.clear()
        self._keys.add(key)


class GatedIndex(NamedTuple):
    """An INDEX into `size` elements along one axis, and the gate under which it happens."""

    node: UOp
    place: UOp
    size: int
    gate: UOp | None


class Points:
    """What nodes are at the values of loops that are tried: a graph's accesses share many."""

    def __init__(self) -> None:
        self._evaluators: dict[tuple[Any, ...], Evaluator] = {}

    def evaluator(
        self, bounds: Mapping[UOp, tuple[int, int]], variables: Mapping[str, int]
    ) -> Evaluator:
        """The one where these loops and variables have these values."""
        key = (*bounds.items(), *variables.items())
        known = self._evaluators.get(key)
        if known is None or len(known.scope.memo) > _MOST_KEPT:
            known = self._evaluators[key] = Evaluator({}, variables)
            known.scope.bounds = dict(bounds)
        return known


_proved: Passed[tuple[UOp, int, UOp | None]] = Passed()


_within: Passed[UOp] = Passed()
"""INDEX nodes whose intervals alone say that they stay within memory, whatever their gates."""


def check_bounds(root: UOp) -> None:
    """Raise ValidationError for an access of a graph, or of a kernel in it, that leaves memory."""
    points = Points()
    for access in accesses(root):
        key = (access.place, access.size, access.gate)
        if key in _proved:
            continue
        outside = outside_at(access, points)
        if outside:
            raise ValidationError(
                f"{describe(access.node)} accesses element {outside} of {access.size}; an access "
                "that must not happen needs WHERE(valid, index, INVALID) or a gate",
                after=access.node,
            )
        _proved.add(key)


def accesses(root: UOp) -> Iterator[GatedIndex]:
    """The accesses of memory by number of which intervals alone do not say that they stay within;
    of shaped values only where every size is known."""
    gated: dict[UOp, list[UOp | None]] = {}
    nodes = [node for node in _computed(root) if node.op in _ACCESS]
    for node in nodes:
        if node.op is not Ops.INDEX:
            gate = node.src[2] if len(node.src) > 2 else None
            gated.setdefault(node.src[0], []).append(gate)
    for node in nodes:
        if node.op is not Ops.INDEX or node in _within or any(i.shape for i in node.src[1:]):
            continue
        if any(r.vmax < 0 for r in node.ranges):
            continue
        lanes = node.dtype.count if node.src[0].dtype.count == 1 else 1
        undecided = [
            (index, size, size - (lanes - 1))
            for index, size in zip(node.src[1:], _sizes(node), strict=False)
            if not _is_within(index, size - (lanes - 1))
        ]
        if not undecided:
            _within.add(node)
        for index, size, last in undecided:
            for gate in dict.fromkeys(gated.get(node, [None])):
                if gate is None or gate.dtype.count == 1:
                    yield GatedIndex(node, index, last, gate)
                    continue
                for lane in range(gate.dtype.count):
                    yield GatedIndex(node, index + lane, size, lane_of(gate, lane))


def lane_of(node: UOp, lane: int) -> UOp:
    """One lane of a vector of numbers or conditions, as a scalar."""

    def one(part: UOp, src: tuple[UOp, ...]) -> UOp:
        if part.dtype.count == 1:
            return part
        if part.op is Ops.STACK:
            return part.src[lane]
        return UOp(part.op, part.dtype.scalar, src, part.arg)

    return rebuild(node, one, enter=lambda n: n.dtype.count > 1 and n.op is not Ops.STACK)


def _is_within(place: UOp, size: int) -> bool:
    """Whether the interval of an index alone says that it stays within memory."""
    low, high = place.interval
    return place.op is not Ops.INVALID and low >= 0 and high < size


def _computed(root: UOp) -> list[UOp]:
    """The nodes of a graph without those that only loops which never run compute."""
    nodes = root.toposort()
    if not any(_never_runs(node) for node in nodes if node.op in _LOOPS):
        return nodes
    seen, stack = {root}, [root]
    while stack:
        node = stack.pop()
        for source in node.src[1:] if _never_runs(node) else node.src:
            if source not in seen:
                seen.add(source)
                stack.append(source)
    return [n for n in nodes if n in seen]


def _never_runs(node: UOp) -> bool:
    """Whether a node is the end of a loop that has no iterations."""
    return node.op in _LOOPS and any(r.vmax < 0 for r in node.src[1:] if r.op is Ops.RANGE)


def _sizes(node: UOp) -> list[int]:
    """Elements along each axis; none where a size is symbolic, or where no loop can run."""
    held = node.src[0]
    while held.op is Ops.AFTER:
        held = held.src[0]
    shape = (held.arg[1],) if "Inner" in held.op.groups else held.shape
    known = [s for s in shape or () if isinstance(s, int)]
    return known if len(known) == len(shape or ()) and 0 not in known else []


def outside_at(access: GatedIndex, points: Points) -> str:
    """A number that an access provably reaches outside of its memory; nothing if there is none."""
    if _is_within(access.place, access.size):
        return ""
    nodes = UOp.sink(access.place, *([access.gate] if access.gate is not None else [])).toposort()
    if not any(n.op in _DATA for n in nodes):
        tried, all_of_them = _tried(access, nodes, points)
        if tried or all_of_them:
            return tried
    return reachable(access.place, access.size, access.gate)


def _tried(access: GatedIndex, nodes: list[UOp], points: Points) -> tuple[str, bool]:
    """An index outside at some loop values, and whether all of them were tried."""
    loops = [n for n in nodes if "Counter" in n.op.groups]
    variables = [n for n in nodes if n.op is Ops.VAR]
    count = prod(max(1, int(r.vmax) + 1) for r in loops)
    everything = count <= MOST_POINTS and not variables
    ends: list[dict[UOp, tuple[int, int]]] = [{}]
    if count > MOST_POINTS:
        long = [r for r in loops if r.vmax >= 2 * _CORNER][:6]
        for r in long:
            n = int(r.vmax) + 1
            ends = [{**e, r: part} for e in ends for part in ((0, _CORNER), (n - _CORNER, n))]
    for bounds in ends:
        try:
            picks = [{v.arg[0]: v.arg[pick] for v in variables} for pick in (1, 2)]
            evaluators = (points.evaluator(bounds, p) for p in picks[: 1 + bool(variables)])
            outside = [_outside(access, evaluator) for evaluator in evaluators]
        except (InterpreterError, VariableError):
            return "", False
        if all(outside):
            return outside[0], everything
    return "", everything or bool(variables)


def _outside(access: GatedIndex, evaluator: Evaluator) -> str:
    index: Value = evaluator.value(access.place)
    values = [index] if access.gate is None else [index, evaluator.value(access.gate)]
    axes, lanes = evaluator.axes.merge(values), any(v.lanes for v in values)
    parts = np.broadcast_arrays(*(spread(v, axes, 0, lanes)[0] for v in values))
    numbers = parts[0]
    wrong = ((numbers < 0) | (numbers >= access.size)) & (numbers != INVALID)
    if access.gate is not None:
        wrong &= parts[1]
    return str(int(numbers[wrong].flat[0])) if wrong.any() else ""
