"""A gradient rule's answer is the slope of what was asked about, by differences in f64.

The question is asked again in f64, with every source a parameter. Along a random direction d, the
change of sum(g * y) has to be the sum of gradient * d over all sources.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.errors import InterpreterError, ValidationError
from rulewright.interp import evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.verify.validate.rules import place_of
from rulewright.verify.validate.values import is_affordable
from rulewright.verify.values.comparison import slopes_agree

Array = np.ndarray[Any, Any]
STEP = 1e-5
TOLERANCE = 1e-4  # relative, of a difference quotient of that step in f64
_ASKED = Ops.group("Movement") | {Ops.REDUCE_AXIS, Ops.CONTIGUOUS}  # and what is elementwise


def check_gradient(question: UOp, answer: UOp) -> None:
    """Raise ValidationError if an answer to GRAD(y, g) is not the derivative.

    Ops without a slope everywhere, symbolic sizes and stores are left alone.
    """
    y, g = question.src
    sources = [s for s in dict.fromkeys(y.src) if s.dtype.is_float]
    shapes = [s.shape or () for s in (*sources, y)]
    stopped = any(part.op is Ops.NOGRAD for part, s in zip(answer.src, y.src, strict=False)
                  if s.dtype.is_float)  # fmt: skip
    has_slope = y.op.elementwise or y.op in _ASKED
    if not has_slope or stopped or not all(isinstance(n, int) for s in shapes for n in s):
        return
    places = _places(y, g)
    value = _wide(y, places)
    pairs = zip(y.src, answer.src, strict=False)
    asked = [(s, part) for s, part in pairs if s in places and part.op is not Ops.NOGRAD]
    parts = [_wide(part, places) for _, part in asked]
    if not all(is_affordable(node) for node in (value, *parts)):
        return
    try:
        slope, claimed = _slopes(value, parts, [places[s] for s, _ in asked], places, g)
    except InterpreterError:
        return
    if np.isfinite(slope) and not slopes_agree(claimed, slope, TOLERANCE):
        rule, place = _rule_of(question)
        problem = f"the slope along a direction is {slope:.6g}, the gradient gives {claimed:.6g}"
        raise ValidationError(problem, "gradient", rule, place, question, answer)


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
    params = [p for p in places.values()]
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
