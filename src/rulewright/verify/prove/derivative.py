"""Gradient rules against central differences.

A rule answers GRAD(y, g) with the gradient of sum(g * y) for each source of y. Each element of a
source is moved by h to both sides, and the sum is computed in f64 (in shadow mode, so that a cast
is no staircase). At a kink the difference is the mean of both slopes, which is what rules say
where two operands are equal.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.prove.trial import Meaningless, Trial, Verdict, may_stand, misfit
from rulewright.verify.values.comparison import slopes_agree
from rulewright.verify.values.samples import Random

Array = np.ndarray[Any, Any]

CONSTANT = (Ops.DETACH,)
"""Of these the slope is 0 by what they mean: "x, through which no gradient flows" (20-ops.uop)."""

_STEP = 2.0**-14
_TOLERANCE = {64: 5e-10, 32: 1e-6}
"""Of floats of 32 bits as far as constants are rounded."""


def is_unseen(value: UOp) -> bool:
    """Whether gradients see memory as it was before a store, by what DETACH means as a target."""
    store = value.src[-1] if value.op is Ops.AFTER else value
    return store is not value and store.op is Ops.STORE and store.src[0].op is Ops.DETACH


def judge(trial: Trial) -> Verdict:
    """Whether the answer is the derivative. Raises Meaningless where differences say nothing."""
    value, upstream = trial.before.src
    if value.op is Ops.STORE:  # what it stands for is its memory once it has happened
        if value.src[0] not in trial.bindings:
            raise Meaningless
        value = UOp(Ops.AFTER, value.src[0].dtype, (value.src[0], value))
    sources = [s.src[1] if s.op is Ops.STORE else s for s in value.src]
    answers = list(trial.after.src) if trial.after.op is Ops.TUPLE else [trial.after]
    if len(answers) > len(sources):
        return Verdict(True, why=f"{len(answers)} answers for {len(sources)} sources")
    if problem := misfit(trial.before, trial.after):
        return Verdict(True, why=problem)
    kinds = {s.dtype.bits for s in sources if s.dtype.is_float}
    if not kinds:
        return Verdict(_flows(trial.after, len(sources)), why="a gradient to integers")
    if not kinds <= _TOLERANCE.keys() or len(kinds) > 1:
        raise Meaningless
    parts: dict[UOp, list[UOp]] = {source: [] for source in sources}  # one may stand twice
    for place, (source, answer) in enumerate(zip(sources, answers, strict=False)):
        if answer.op is Ops.NOGRAD:
            continue
        if answer.dtype is not source.dtype or not source.dtype.is_float:
            why = f"a gradient of {answer.dtype.name} to source {place}, {source.dtype.name}"
            return Verdict(True, why=why)
        parts[source].append(answer)
    _place(trial, value)
    return _compared(trial, value, upstream, parts, _TOLERANCE[kinds.pop()])


def _compared(
    trial: Trial, value: UOp, upstream: UOp, parts: dict[UOp, list[UOp]], tolerance: float
) -> Verdict:
    """Whether the gradient by each source, the sum of its parts, is what differences say."""
    seen = value.src[0] if is_unseen(value) else value
    for source, items in parts.items():
        if not source.dtype.is_float:
            continue
        claimed = sum((trial.run(item, True).shadow for item in items), np.zeros(()))
        wanted = np.zeros(source.max_shape)
        if value.op not in CONSTANT:
            wanted = _differences(seen, upstream, source, trial)
        if _apart(claimed, wanted, tolerance):
            told = f"the rule says {claimed.tolist()}, differences {wanted.tolist()}"
            return Verdict(True, why=f"source {list(parts).index(source)}: {told}")
    return Verdict(False)


def _flows(answer: UOp, count: int) -> bool:
    """Whether an answer gives any of some sources a gradient."""
    items = answer.src if answer.op is Ops.TUPLE else (answer,)
    return any(item.op is not Ops.NOGRAD for item in items[:count])


def _place(trial: Trial, value: UOp) -> None:
    """Values between which differences are exact: on a grid, away from whole numbers."""
    rng = np.random.default_rng(sum(a.size for a in trial.bindings.values()) + 1)
    positive = "OfPositive" in value.op.groups
    for node, array in trial.bindings.items():
        if node.dtype.is_float:
            grid = rng.integers(4, 128, array.shape) / 64.0 + 1 / 128
            sign = 1 if positive else rng.choice([-1, 1], array.shape)
            trial.bindings[node] = np.asarray(grid * sign, node.dtype.np)
    _tie(trial, value, rng)


def _tie(trial: Trial, value: UOp, rng: Random) -> None:
    """Now and then two equal operands, a zero factor, or a whole power of a negative base; far
    divisors, at which nothing jumps."""
    nodes = [n for n in trial.bindings if n in value.src and n.dtype.is_float]
    if "Extreme" in value.op.groups and len(nodes) == 2 and rng.random() < 0.5:
        trial.bindings[nodes[1]] = trial.bindings[nodes[0]].copy()
    if value.op is Ops.POW and len(nodes) == 2 and rng.random() < 0.4:  # has no slope by its power
        base, power = (trial.bindings[n] for n in nodes)
        trial.bindings[nodes[0]] = np.asarray(-base, base.dtype)
        trial.bindings[nodes[1]] = np.asarray(rng.integers(-3, 5, power.shape), power.dtype)
    if value.op is Ops.FMOD and len(nodes) == 2:
        _between_jumps(trial, nodes, rng)
    if value.op is Ops.REDUCE_AXIS and nodes and rng.random() < 0.6:
        _tie_elements(value, trial.bindings[nodes[0]], rng)


def _tie_elements(reduction: UOp, held: Array, rng: Random) -> None:
    """The same for elements that are combined. Of three that are equal no mean is asked for."""
    combine, axes = reduction.arg
    if combine is Ops.MUL and held.size:
        held.reshape(-1)[rng.integers(0, held.size, 2)] = 0.0
    if "Extreme" in combine.groups and prod(held.shape[axis] for axis in axes) == 2:
        held[...] = held.max(axis=axes, keepdims=True)


def _between_jumps(trial: Trial, nodes: list[UOp], rng: Random) -> None:
    """Operands of a remainder of either sign whose quotient is no whole number, nor near one."""
    kind, shapes = nodes[0].dtype.np, [trial.bindings[n].shape for n in nodes]
    divisor = rng.choice([-1, 1], shapes[1]) * rng.integers(32, 512, shapes[1]) / 64.0
    quotient = rng.choice([-1, 1], shapes[0]) * (rng.integers(0, 6, shapes[0]) + 0.375)
    trial.bindings[nodes[0]] = np.asarray(quotient * np.broadcast_to(divisor, shapes[0]), kind)
    trial.bindings[nodes[1]] = np.asarray(divisor, kind)


def _differences(value: UOp, upstream: UOp, source: UOp, trial: Trial) -> Array:
    """Slopes by two steps, so that what the square of a step is wrong by goes out."""
    if source not in trial.bindings:
        raise Meaningless
    weights = trial.bindings[upstream].astype(np.float64)
    base = trial.bindings[source]
    slopes = np.zeros(base.shape)

    def central(place: int, step: float) -> float:
        sums = []
        for sign in (1, -1):
            moved = base.copy()
            moved.reshape(-1)[place] += sign * step
            now = replace(trial, bindings={**trial.bindings, source: moved}).run(value, True).shadow
            sums.append(float((weights * now).sum()))
        return (sums[0] - sums[1]) / (2 * step)

    for place in range(base.size):
        wide, narrow = central(place, 2 * _STEP), central(place, _STEP)
        slopes.reshape(-1)[place] = (4 * narrow - wide) / 3
    return slopes


def _apart(claimed: Array, wanted: Array, tolerance: float) -> bool:
    if not may_stand(claimed, wanted):
        return True
    return not bool((slopes_agree(claimed, wanted, tolerance) | np.isnan(wanted)).all())
