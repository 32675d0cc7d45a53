"""5,000 random integer expressions: what the rules make of them is the same to z3 and to numpy.

A failure prints its seed and the smallest expression found that shows it, as text to paste. With
`SEARCH=1`, as `tox -e nightly` has it, there are 10,000.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from engine_graphs import evaluate, same_values
from fuzz_integers import expression, shrink, verdict
from pairs import ALL

from rulewright.ir.rewrite import rewrite
from rulewright.ir.text import print_graph
from rulewright.ir.uop import UOp

SETS = ("symbolic", "readable")
CHUNKS, EACH = 40 if ALL else 20, 250


def problem(before: UOp, seed: str) -> str:
    """What is wrong with the rewritten expression, or with its bounds."""
    leaves: dict = {}
    want = evaluate(before, leaves, Random(seed))
    outside = (want < before.vmin) | (want > before.vmax)
    if before.dtype.is_int and outside.any():
        return f"takes the value {want[outside][0]}, outside its bounds"
    changed = {rewrite(before, name): name for name in SETS}
    changed.pop(before, None)
    for after, name in changed.items():
        if not same_values(want, evaluate(after, leaves, Random(seed))):
            return f"{name} changes its value: {after}"
    if changed:
        said = verdict(before, *changed)
        COUNTS[said if said in COUNTS else "wrong"] += 1
        if said not in COUNTS:
            return f"a value changes at {said}: {', '.join(map(str, changed))}"
    return ""


COUNTS = {"equal": 0, "unknown": 0, "wrong": 0}


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_rules_keep_the_value_of_random_integer_expressions(chunk):
    before = dict(COUNTS)
    for number in range(EACH):
        seed = f"{chunk}/{number}"
        graph = expression(Random(seed))
        if problem(graph, seed):
            small = shrink(graph, lambda g, seed=seed: bool(problem(g, seed)))
            pytest.fail(f"seed {seed}: {problem(small, seed)}\n{print_graph(small)}")
    decided = COUNTS["equal"] - before["equal"]
    assert decided >= EACH // 4, f"z3 decided {decided} of {EACH} only: the rules hardly fire"
    assert COUNTS["unknown"] - before["unknown"] <= decided // 4


def test_a_wrong_rewrite_is_found_and_made_small():
    x, y = (UOp.variable(n, -5, 5) for n in "xy")
    graph = (x + 3) * (y - x) + (x // 2) * 2 - y

    def wrong(g: UOp) -> bool:
        halves = [n for n in g.toposort() if str(n.op) == "FLOORDIV"]
        return bool(halves) and verdict(g, g.substitute({n: n + 1 for n in halves})) != "equal"

    small = shrink(graph, wrong)
    assert len(small.toposort()) == 3 and wrong(small)
    assert np.any(evaluate(small, {}, Random(0)) < 0)
