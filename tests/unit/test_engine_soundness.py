"""Every rule of the algebra, on random instances: the value before is the value after."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from engine_graphs import (
    FromPattern,
    evaluate,
    evaluate_with_chosen,
    matcher_of,
    rules_of,
    same_values,
)

from rulewright.ir.ops import Ops
from rulewright.ir.read import build_body
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t

ENOUGH = 12  # instances of each rule that fire
TRIES = 800

RULES = [r for r in rules_of("symbolic", "readable") if not r.all(t.Trust)]


def check(rule: t.Rule, before: UOp, after: UOp, random: Random) -> None:
    """Fail if the rule changed a value."""
    leaves: dict = {}
    want, free = evaluate_with_chosen(before, leaves, random)
    got = evaluate(after, leaves, random)
    assert after.dtype is before.dtype
    if not free.all():  # else the rule keeps to the interpreter's choice
        got = np.where(free, want, got)
    if not same_values(want, got):
        wrong = next(
            i for i in range(len(want)) if not same_values(want[i : i + 1], got[i : i + 1])
        )
        values = {str(k): v[wrong] for k, v in leaves.items()}
        raise AssertionError(
            f"{rule.name}: {want[wrong]} became {got[wrong]} for {values}\n{before}\n=> {after}"
        )


def widths_agree(graph: UOp) -> bool:
    """Whether each BITCAST keeps the width; otherwise the graph means nothing."""
    casts = [n for n in graph.toposort() if n.op is Ops.BITCAST]
    return all(n.dtype.np.itemsize == n.src[0].dtype.np.itemsize for n in casts)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: str(r.name))
def test_rule_keeps_values(rule: t.Rule) -> None:
    match, random = matcher_of(rule), Random(str(rule.name))
    fired = 0
    for example in rule.all(t.Example):
        before = build_body(t.Body((), example.before))
        check(rule, before, match[before.op](before, None), random)
    for _ in range(TRIES):
        before = FromPattern(rule, random).build()
        after = match[before.op](before, None) if before.op in match else None
        if after is not None and widths_agree(before):
            check(rule, before, after, random)
            fired += 1
        if fired == ENOUGH:
            break
