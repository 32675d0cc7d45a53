"""A path that stays open, with numbers for its sizes: is it a counterexample?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulewright.errors import RulewrightError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.verify.prove import derivative
from rulewright.verify.prove.graphs import Retry
from rulewright.verify.prove.programs import filled
from rulewright.verify.prove.trial import Match, Meaningless, Verdict, graphs, judge
from rulewright.verify.prove.unknown import Paths
from rulewright.verify.values.samples import random_for

_MOST = (4, 12, 300)  # sizes of counterexamples, the short ones first
_FILLED = 12  # times that memory is filled
_WORK = 2_000_000


def counterexample(
    rule: t.Rule, match: Match, paths: Paths, make: Callable[[], UOp], doubt: Any
) -> str:
    """Graphs of a size at which a rule is wrong by the interpreter; nothing if none is found.

    `make` makes the graph of the path, `doubt` is what z3 could not exclude.
    """
    for most in _MOST:
        sizes = paths.example(doubt, most, _WORK)
        if sizes is None:
            continue
        try:
            before = paths.repeat(sizes, make)
            after = match(before)
        except (Retry, RulewrightError):
            continue
        if after is not None and after is not before and (shown := _shown(rule, before, after)):
            return shown
    return ""


def _shown(rule: t.Rule, before: UOp, after: UOp) -> str:
    rng = random_for(str(rule.name))
    for _ in range(_FILLED):
        trial = filled(before, after, rng, {})
        try:
            linear = before.op is Ops.GRAD
            verdict = derivative.judge(trial) if linear else judge(trial, rule.equiv)
        except Meaningless:
            continue
        except RulewrightError as error:
            verdict = Verdict(True, why=str(error))
        if verdict.wrong:
            return graphs(trial, verdict.why)
    return ""
