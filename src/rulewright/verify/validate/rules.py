"""One rule application: the node that it made has the value of the node before.

A rule has to be right for all values of its operands, so the open loops and the variables around a
node, what it reads from memory and what it reduces are sampled, all along one axis. A float answer
is compared at the rule's own equivalence: a rule that declares none keeps every bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.checks.equiv import LEVELS
from rulewright.driver.recent import Recent
from rulewright.errors import InterpreterError, ValidationError, VariableError
from rulewright.interp import evaluate
from rulewright.interp.evaluator import Evaluator
from rulewright.interp.memory import INVALID, written
from rulewright.interp.shadow import Shadowed, lift
from rulewright.interp.values import Value, spread
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.rulesets import RuleSet, Trace, ruleset
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.verify.prove.allowed import room
from rulewright.verify.validate.bounds import MOST_PASSED
from rulewright.verify.validate.values import is_affordable
from rulewright.verify.values.comparison import differ_at, slopes_agree
from rulewright.verify.values.samples import between, contents, memory_of, numbers, variable_values

Array = np.ndarray[Any, Any]

SAMPLES = 96
_AXIS = UOp.range(SAMPLES, -1, "sample")  # the loop along which everything is sampled
_REDUCTIONS = Ops.group("Reduction")
_OPAQUE = Ops.group("Read") | _REDUCTIONS
_SIZED = Ops.group("Counter")
_KERNEL_MEMORY = Ops.group("Inner")
_QUESTIONS = Ops.group("Question")


class Watcher:
    """A trace that checks each rewrite, then tells the trace that it stands in for."""

    def __init__(self, rules: RuleSet, inner: Trace | None) -> None:
        self.rules, self.inner = rules, inner

    def __call__(self, rule: str, before: UOp, after: UOp) -> None:
        """Raise ValidationError if `after` does not have the value of `before`."""
        allowed = allowed_by(self.rules, rule)
        if (rule, allowed, before, after) not in _checked:
            with Context(VERIFY=0):
                problem = difference(before, after, allowed)
            if problem:
                place = place_of(self.rules, rule)
                raise ValidationError(problem, "", rule, place, before, after)
            _checked.put((rule, allowed, before, after), True)
        if self.inner is not None:
            self.inner(rule, before, after)


_checked: Recent[tuple[str, tuple[str, ...], UOp, UOp], bool] = Recent(MOST_PASSED)


def place_of(rules: RuleSet, rule: str) -> str:
    """The `file:line` of a rule of a set, user rules included."""
    file, line = rules.places().get(rule, ("?", 0))
    return f"{file}:{line}"


def allowed_by(rules: RuleSet, rule: str) -> tuple[str, ...]:
    """What a rule of a set, user rules included, says it may change."""
    return tuple(m.LEVELS[rule] for m in rules.modules() if rule in m.LEVELS)


def difference(before: UOp, after: UOp, allowed: tuple[str, ...] = ()) -> str:
    """What is wrong with `after` in place of `before`, in a line; nothing if it is right.

    Nothing as well where that cannot be told: too large, or without a value before.
    """
    if before.dtype is not after.dtype:
        return f"a value of {before.dtype.name} became one of {after.dtype.name}"
    if before.shape != after.shape and not before.ranges and _sizes_known(before, after):
        return f"a value of shape {before.shape} became one of shape {after.shape}"
    if before.op is Ops.GRAD:
        return _slopes_differ(before, after)
    nodes = UOp.sink(before, after).toposort()
    if any(n.op in _QUESTIONS for n in nodes) or _asks_the_invalid(before):
        return ""
    if any(r.vmax < 0 for r in (*before.ranges, *after.ranges)):
        return ""  # in a loop that never runs
    if not (is_affordable(before) and is_affordable(after)):
        return ""
    return next((p for seed in (0, 1) if (p := _run(before, after, nodes, allowed, seed))), "")


def _asks_the_invalid(before: UOp) -> bool:
    """Whether a number or a bool is made of INVALID, which means nothing outside of an index."""
    if before.dtype.kind in ("Index", "Void"):
        return False
    return any(n.op is Ops.INVALID for n in before.toposort(lambda n: n.op not in _OPAQUE))


def _sizes_known(*graphs: UOp) -> bool:
    return all(isinstance(size, int) for g in graphs for size in g.shape or ())


def _run(before: UOp, after: UOp, nodes: list[UOp], allowed: tuple[str, ...], seed: int) -> str:
    known = _sampled(before, after, nodes, seed)
    memory = contents([n for n in memory_of(before, after) if n not in known], seed, odd=True)
    variables = variable_values(UOp.sink(before, after), seed)
    first, second = (_Sampler(known, memory, variables, garbage) for garbage in (7, 9))
    try:
        wanted = first.value(before)
    except (InterpreterError, VariableError):
        return ""
    try:
        value = second.value(after)
    except InterpreterError as error:
        return f"it has lost its meaning: {error}"
    if isinstance(wanted, Value) and isinstance(value, Value):
        rounded = any(n.op in _REDUCTIONS and n not in known for n in nodes)
        return _compared(first, before, wanted, value, allowed, rounded)
    return _memories_differ(first, second)


# ---- running ----------------------------------------------------------------------------------


class _Sampler(Evaluator):
    """An evaluation whose answers to some nodes are given.

    An element at no index is `garbage`: nothing may depend on it.
    """

    def __init__(
        self,
        known: dict[UOp, Value],
        memory: dict[UOp, Array],
        variables: dict[str, int],
        garbage: int,
    ) -> None:
        super().__init__({n: Value((a,)) for n, a in memory.items()}, variables, shadow=True)
        self.axes.add(_AXIS)
        self.scope.memo.update(known)
        self.known_before, self.garbage = known, garbage

    def read(self, node: UOp) -> Value:
        """INDEX as a value, or LOAD; garbage where the index is INVALID."""
        value = super().read(node)
        access = node.src[0] if node.op is Ops.LOAD else node
        if len(node.src) > 1 and node.op is Ops.LOAD:
            return value
        for index in access.src[1:]:
            if (at := self.known(index)).data.dtype == np.int64 and (at.data == INVALID).any():
                bad = _over(Value((at.data == INVALID,), at.axes, at.lanes), value.axes)
                bad = bad.reshape(bad.shape + (1,) * (value.data.ndim - bad.ndim))
                instead = np.asarray(self.garbage).astype(node.dtype.np)
                value = Value((np.where(bad, instead, value.data),), value.axes, value.lanes)
        return value

    def left_open(self, root: UOp, axes: tuple[UOp, ...]) -> Array:
        """Where a value means nothing, over `axes`: it reads an element at an index of none."""
        left_open: Array = np.zeros((1,) * len(axes), bool)
        for node in root.toposort(lambda n: n not in self.known_before):
            if node.op is Ops.INDEX and node not in self.known_before:
                for index in node.src[1:]:
                    value = self.value(index)
                    bad = Value((value.data == INVALID,), value.axes, value.lanes)
                    left_open = left_open | _over(bad, axes)
        return left_open

    def held_after(self) -> dict[UOp, Any]:
        """What each memory holds after all writes, flat."""
        return {n: lift(written(n, value, self.log)) for n, value in self.memory.items()}


def _over(value: Value, axes: tuple[UOp, ...]) -> Array:
    """A bool over `axes` alone: whether it holds anywhere along its other axes."""
    extra = tuple(i for i, a in enumerate(value.axes) if a not in axes)
    inner = tuple(range(len(value.axes), value.data.ndim))
    holds = np.asarray(value.data.any(axis=(*extra, *inner)))
    kept = tuple(a for a in value.axes if a in axes)
    return spread(Value((holds,), kept), axes)[0]


def _sampled(before: UOp, after: UOp, nodes: list[UOp], seed: int) -> dict[UOp, Value]:
    """Values for what stands open around the two nodes, and for what both are made of."""
    if before.dtype.kind == "Void":
        return {}
    rng = np.random.default_rng([seed, len(nodes)])
    shared = set(before.toposort()) & set(after.toposort())
    closed = {r for n in nodes if n.op.closes is not None for r in n.src[n.op.closes :]}
    sizes = {s for n in nodes if n.op in _SIZED for s in n.src[0].toposort()}
    used = {operand for n in nodes[:-1] for operand in _operands(n)}
    if not any(n.op is Ops.STORE for n in nodes):
        shared |= {n for n in nodes if n.op is Ops.PARAM}  # a side may well do without one
    known: dict[UOp, Value] = {}
    for node in nodes:
        if node.op in _SIZED and node not in closed:
            known[node] = _values(between(0, int(node.vmax), SAMPLES, rng), node.dtype)
        elif node.op is Ops.VAR and node not in sizes and not node.shape:
            known[node] = _values(between(node.arg[1], node.arg[2], SAMPLES, rng), node.dtype)
        elif _is_opaque(node) and node in shared & used and not node.shape:
            known[node] = _drawn(node, rng)
    return known


def _operands(node: UOp) -> tuple[UOp, ...]:
    """The operands that are used as values; the place of an access is none."""
    return node.src[1:] if node.op in (Ops.INDEX, Ops.LOAD, Ops.STORE) else node.src


def _is_opaque(node: UOp) -> bool:
    if node.op is Ops.AFTER:
        return node.base.op in _KERNEL_MEMORY
    if node.op is Ops.LOAD and len(node.src) > 1:
        return False  # where its gate is closed it is a value that is told
    return node.op in _OPAQUE or (node.op is Ops.PARAM and node.arg[1] == ())


def _values(values: Array, dtype: DType) -> Value:
    return Value((values.astype(dtype.np),), (_AXIS,))


def _drawn(node: UOp, rng: np.random.Generator) -> Value:
    dtype = node.dtype
    lanes = dtype.count
    if not (dtype.is_float or dtype.is_bool):
        low, high = (int(b) for b in node.interval)
        if (low, high) != (int(dtype.min), int(dtype.max)):
            values = between(low, high, SAMPLES * lanes, rng).astype(dtype.np)
            return _laned(values, lanes)
    return _laned(numbers(dtype.scalar, SAMPLES * lanes, rng, odd=True), lanes)


def _laned(values: Array, lanes: int) -> Value:
    return Value((values.reshape(SAMPLES, lanes) if lanes > 1 else values,), (_AXIS,), lanes > 1)


# ---- comparing --------------------------------------------------------------------------------


def _compared(
    first: _Sampler,
    before: UOp,
    wanted: Value,
    result: Value,
    allowed: tuple[str, ...],
    rounded: bool,
) -> str:
    axes = first.axes.sort(dict.fromkeys((*wanted.axes, *result.axes)))
    rank, lanes = max(wanted.rank, result.rank), wanted.lanes or result.lanes

    def aligned_value(root: UOp) -> Shadowed:
        return Shadowed(*lift(spread(first.value(root), axes, rank, lanes)))

    parts = Shadowed(*lift(spread(wanted, axes, rank, lanes)))
    if "reassoc" in allowed and before.dtype.is_float:
        any_order = np.fmax(parts.tolerance, room(before, aligned_value))
        parts = parts._replace(tolerance=any_order)
    allowed = (*allowed, "reassoc") if rounded else allowed
    *aligned, other = np.broadcast_arrays(*parts, spread(result, axes, rank, lanes)[0])
    left_open = first.left_open(before, axes)
    left_open = left_open.reshape(left_open.shape + (1,) * (other.ndim - left_open.ndim))
    return _array_difference(Shadowed(*aligned), other, before.dtype, allowed, left_open)


def _array_difference(
    wanted: Shadowed, result: Array, dtype: DType, allowed: tuple[str, ...], left_open: Any = False
) -> str:
    agrees = _agrees(wanted, result, dtype, allowed) | left_open
    if agrees.all():
        return ""
    at = tuple(np.argwhere(~agrees)[0])
    share = f"{int((~agrees).sum())} of {agrees.size} samples"
    return f"{share} differ: one was {wanted.exact[at]!s} and is {result[at]!s}"


def _agrees(wanted: Shadowed, result: Array, dtype: DType, allowed: tuple[str, ...]) -> Array:
    exact = wanted.exact
    if not dtype.is_float:
        return (exact == result) | (wanted.tolerance > 0)
    # which bits a NaN has, numpy does not say
    levels = [level for level in LEVELS if level in ("nan_payload", *allowed)]
    with np.errstate(all="ignore"):
        same = ~differ_at(levels[-1], exact, result)
        if "ulp" in allowed or "reassoc" in allowed:
            return same | wanted.agrees(result)
        if "finite" in allowed:
            same |= ~np.isfinite(exact.astype("f8")) | ~np.isfinite(result.astype("f8"))
    return same


def _memories_differ(first: _Sampler, second: _Sampler) -> str:
    before, after = first.held_after(), second.held_after()
    for node, wanted in before.items():
        problem = _array_difference(Shadowed(*wanted), after[node][0], node.dtype, ("reassoc",))
        if problem:
            return f"{node.op}[{node.arg[0]}] holds something else: {problem}"
    return ""


# ---- a gradient rule's answer is the slope of what was asked about, by differences in f64 --------


STEP = 1e-5
TOLERANCE = 1e-4  # relative, of a difference quotient of that step in f64
_ASKED = Ops.group("Movement") | {Ops.REDUCE_AXIS, Ops.CONTIGUOUS}  # and what is elementwise


def check_gradient(question: UOp, answer: UOp) -> None:
    """Raise ValidationError if an answer to GRAD(y, g) is not the derivative."""
    problem = _slopes_differ(question, answer)
    if problem:
        raise ValidationError(problem, "gradient", *_rule_of(question), question, answer)


def _slopes_differ(question: UOp, answer: UOp) -> str:
    """How an answer to GRAD(y, g) is not the derivative, in a line; nothing if it is.

    Ops without a slope everywhere, symbolic sizes and stores are left alone.
    """
    y, g = question.src
    sources = [s for s in dict.fromkeys(y.src) if s.dtype.is_float]
    shapes = [s.shape or () for s in (*sources, y)]
    stopped = any(part.op is Ops.NOGRAD for part, s in zip(answer.src, y.src, strict=False)
                  if s.dtype.is_float)  # fmt: skip
    has_slope = y.op.elementwise or y.op in _ASKED
    if not has_slope or stopped or not all(isinstance(n, int) for s in shapes for n in s):
        return ""
    places = _places(y, g)
    value = _wide(y, places)
    pairs = zip(y.src, answer.src, strict=False)
    asked = [(s, part) for s, part in pairs if s in places and part.op is not Ops.NOGRAD]
    parts = [_wide(part, places) for _, part in asked]
    if not all(is_affordable(node) for node in (value, *parts)):
        return ""
    try:
        slope, claimed = _slopes(value, parts, [places[s] for s, _ in asked], places, g)
    except InterpreterError:
        return ""
    if not np.isfinite(slope) or slopes_agree(claimed, slope, TOLERANCE):
        return ""
    return f"the slope along a direction is {slope:.6g}, the gradient gives {claimed:.6g}"


def _places(y: UOp, g: UOp) -> dict[UOp, UOp]:
    """A parameter for each source of the question, floats in f64."""
    nodes = dict.fromkeys((*y.src, g))
    return {
        n: UOp(Ops.PARAM, dtypes.f64 if n.dtype.is_float else n.dtype, (), (i, n.shape, None))
        for i, n in enumerate(nodes)
        if n.shape is not None and n.op is not Ops.CONST
    }


def _wide(root: UOp, places: dict[UOp, UOp]) -> UOp:
    """A graph with parameters in place of sources, and all floats f64."""

    def wide(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        return UOp(node.op, dtypes.f64, src, node.arg) if node.dtype.is_float else None

    return rebuild(root, wide, memo=dict(places))


def _slopes(
    value: UOp, parts: list[UOp], moving: list[UOp], places: dict[UOp, UOp], g: UOp
) -> tuple[float, float]:
    """The change of sum(g * value) along a direction, and what the gradients say it is."""
    rng = np.random.default_rng(7)
    params = list(places.values())
    data = {p: rng.uniform(0.5, 2.0, p.arg[1]).astype(p.dtype.np) for p in params}
    ways = {p: rng.uniform(-1.0, 1.0, p.arg[1]) for p in dict.fromkeys(moving)}
    weights = data[places[g]] if g in places else np.asarray(evaluate(g, {}), np.float64)

    def total(step: float) -> float:
        moved = {p: a + step * ways[p] if p in ways else a for p, a in data.items()}
        return float((evaluate(value, moved) * weights).sum())

    slope = (total(STEP) - total(-STEP)) / (2 * STEP)
    claimed = sum(
        float((evaluate(part, dict(data)) * ways[p]).sum())
        for part, p in zip(parts, moving, strict=True)
    )
    return slope, claimed


def _rule_of(question: UOp) -> tuple[str, str]:
    """The rule that answers a question, and its place."""
    fired: list[str] = []
    match = ruleset("gradient").variant(lambda rule, *_: fired.append(rule), None, ())
    match[Ops.GRAD](question, None)
    return fired[0], place_of(ruleset("gradient"), fired[0])
