"""Every access stays within its memory: by intervals, then by trying, then by z3.

An INDEX carries its validity: where it is INVALID, or where the gate of its LOAD or STORE is
closed, nothing is accessed. Only an index that is provably outside for some values of the loops
and variables is an error; what neither step decides (an index computed from data, without z3) is
let pass, since the interpreter refuses it at VERIFY=2 where it happens. A call may bind variables
to less than their bounds allow: an index is outside if it is so at both ends of all variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from math import prod
from typing import Any, NamedTuple

import numpy as np

from rulewright.driver.recent import Recent
from rulewright.errors import InterpreterError, ValidationError, VariableError
from rulewright.interp.evaluator import Evaluator
from rulewright.interp.memory import INVALID, describe
from rulewright.interp.values import Value, spread
from rulewright.ir.node import reached
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.uop import UOp

WORK = 900_000
"""What z3 counts as work in about a fifth of a second."""


class _Unknown(Exception):
    """The arithmetic is beyond what is translated."""


def reachable(index: UOp, size: int, gate: UOp | None) -> str:
    """An index outside of 0 … size-1 under the gate; "" if there is none, or none was found.

    What is read from memory may be any number of its dtype. Nothing as well if z3 is not installed.
    """
    from rulewright.verify.prove.smt import available

    if not available():
        return ""
    symbols = _symbols()
    symbols.begin()
    try:
        number, valid = _Terms(symbols).translate(index, gate)
    except _Unknown:
        return ""
    solver = symbols.solver()
    solver.set("rlimit", WORK)
    solver.add(*symbols.facts, valid, symbols.z3.Or(number < 0, number >= size))
    if solver.check() != symbols.z3.sat:
        return ""
    return str(solver.model().eval(number, model_completion=True))


@cache
def _symbols() -> Any:
    """The prover's terms, begun anew for each question: a context of z3 takes a while to make."""
    from rulewright.verify.prove.smt import SmtDomain

    return SmtDomain()


class _Terms:
    """Terms over unbounded integers, with where they are INVALID: None where they never are."""

    def __init__(self, symbols: Any) -> None:
        self.symbols, self.z3, self.context = symbols, symbols.z3, symbols.context
        self.terms: dict[UOp, tuple[Any, Any]] = {}

    def translate(self, index: UOp, gate: UOp | None) -> tuple[Any, Any]:
        """The index, and the condition for the access."""
        for node in UOp.sink(index, *([gate] if gate is not None else [])).toposort()[:-1]:
            self.terms[node] = self._term(node)
        term, invalid = self.terms[index]
        valid = self.z3.Not(self._or_never(invalid))
        if gate is not None:
            valid = self.z3.And(valid, self.terms[gate][0])
        return term, valid

    def _or_never(self, invalid: Any) -> Any:
        return self.z3.BoolVal(False, self.context) if invalid is None else invalid

    def _term(self, node: UOp) -> tuple[Any, Any]:
        from rulewright.verify.prove.terms import BOOL, EXACT

        if node.op is Ops.CONST and not node.dtype.is_float:
            return self.symbols.const(BOOL if node.dtype.is_bool else EXACT, node.arg), None
        if node.op is Ops.INVALID:
            return self.symbols.const(EXACT, 0), self.z3.BoolVal(True, self.context)
        operands = [self.terms[s] for s in node.src]
        if "Counter" in node.op.groups:
            return self._leaf(0, operands[0][0] - 1), None
        if node.op is Ops.VAR:
            return self._leaf(*node.arg[1:]), None
        if node.dtype.is_float or node.dtype.count > 1 or not node.op.elementwise:
            return self._any(node), None
        return self._computed(node, [o[0] for o in operands], [o[1] for o in operands])

    def _leaf(self, low: Any, high: Any) -> Any:
        name = self.z3.Int(f"v{len(self.terms)}", self.context)
        self.symbols.facts += [name >= low, name <= high]
        return name

    def _any(self, node: UOp) -> Any:
        """What could be any value of its dtype, such as what is read from memory."""
        if node.dtype.is_bool:
            return self.z3.Bool(f"v{len(self.terms)}", self.context)
        if node.dtype.is_float:
            return self.z3.Real(f"v{len(self.terms)}", self.context)
        return self._leaf(*(int(b) for b in node.interval))

    def _computed(self, node: UOp, values: list[Any], invalid: list[Any]) -> tuple[Any, Any]:
        """By the clause `smt` of the op."""
        from rulewright.verify.prove.terms import BOOL, EXACT, Term, Unsupported, apply_op

        z3 = self.z3
        some = [where for where in invalid if where is not None]
        bad = z3.Or(*some) if some else None
        if node.op is Ops.WHERE and some:
            condition, chosen, other = map(self._or_never, invalid)
            bad = z3.Or(condition, z3.If(values[0], chosen, other))
        if any(s.dtype.is_float for s in node.src):
            raise _Unknown
        if _may_wrap(node) and node.op is not Ops.WHERE:
            raise _Unknown
        kinds = [BOOL if n.dtype.is_bool else EXACT for n in (node, *node.src)]
        operands = [Term(self.symbols, k, v) for k, v in zip(kinds[1:], values, strict=True)]
        try:
            return apply_op(node.op.name, kinds[0], operands).raw, bad
        except Unsupported:
            raise _Unknown from None


def _may_wrap(node: UOp) -> bool:
    """Whether machine arithmetic may leave its dtype, so that integers say nothing about it."""
    if node.dtype.kind == "Index" or node.dtype.is_bool:
        return False
    return (int(node.interval.lo), int(node.interval.hi)) == (
        int(node.dtype.min),
        int(node.dtype.max),
    )


MOST_POINTS = 1 << 13  # combinations of loop values that are tried one and all
MOST_PASSED = 1 << 14
"""How many checks of one kind are kept as passed."""

_MOST_KEPT = 1 << 10  # nodes whose values at all points are kept
_CORNER = 2  # values at each end of a loop that are tried where there are more
_LOOPS = Ops.group("Looped")
_ACCESS = {Ops.INDEX, Ops.LOAD, Ops.STORE}
_DATA = Ops.group("Read") | {Ops.REDUCE, Ops.AFTER, Ops.PARAM, Ops.LANE, Ops.STACK}


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


_proved: Recent[tuple[UOp, int, UOp | None], bool] = Recent(MOST_PASSED)


_within: Recent[UOp, bool] = Recent(MOST_PASSED)
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
        _proved.put(key, True)


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
            _within.put(node, True)
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
    computed = reached([root], lambda n: n.src[1:] if _never_runs(n) else n.src)
    return [n for n in nodes if n in computed]


def _never_runs(node: UOp) -> bool:
    """Whether a node is the end of a loop that has no iterations."""
    return node.op in _LOOPS and any(r.vmax < 0 for r in node.src[1:] if r.op is Ops.RANGE)


def _sizes(node: UOp) -> list[int]:
    """Elements along each axis; none where a size is symbolic, or where no loop can run."""
    held = node.src[0].past({Ops.AFTER})
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
    bounded = [r for r in loops if r.src[0].ranges]  # that end where others have come to
    if bounded:
        if not everything:
            return "", False
        ends = [{r: (0, int(r.vmax) + 1) for r in bounded}]
        access = access._replace(gate=_all_of([access.gate, *(r < r.src[0] for r in bounded)]))
    elif count > MOST_POINTS:
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


def _all_of(gates: Sequence[UOp | None]) -> UOp | None:
    return reduce(lambda a, b: a & b, [g for g in gates if g is not None])


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
