"""Rules in any order of their text: values stay, the rewriting ends, and the form is the same.

Of two rules that match one node the first in the text is taken. Here the text is shuffled; only
`after` and `priority`, which settle what depends on order, are kept.
"""

from __future__ import annotations

from random import Random

import pytest
from engine_graphs import evaluate, rules_of, same_values
from fuzz_integers import expression, shrink

from rulewright.ir.rewrite import _children_first, rewrite
from rulewright.ir.text import print_graph
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.lang.matcher import generate_rules

EXPRESSIONS = 400
FEW = 0.01  # of expressions may end in another form, of the same value


def shuffled_matcher(seed: int) -> dict:
    """The matcher of `symbolic` with its rules in random order."""
    rules = rules_of("symbolic")
    Random(seed).shuffle(rules)
    names: dict = {}
    exec(compile(generate_rules("shuffled", rules, load_table()), "<shuffled>", "exec"), names)
    return names["MATCH"]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rules_changes_no_value(seed):
    match = shuffled_matcher(seed)

    def final(graph: UOp) -> UOp:
        return _children_first(graph, match, None, 64, {})  # raises where it does not end

    def wrong(graph: UOp) -> bool:
        leaves: dict = {}
        values = evaluate(graph, leaves, Random(0))
        return not same_values(values, evaluate(final(graph), leaves, Random(0)))

    other = first_steps = 0
    for number in range(EXPRESSIONS):
        graph = expression(Random(f"{seed}/{number}"))
        if wrong(graph):
            small = shrink(graph, wrong)
            pytest.fail(f"seed {seed}/{number}: {print_graph(small)}\nbecomes {final(small)}")
        other += final(graph) is not rewrite(graph, "symbolic")
        first_steps += differs_at_first(graph, match)
    assert first_steps > EXPRESSIONS // 20, "the orders are hardly different"
    assert other <= EXPRESSIONS * FEW


def differs_at_first(graph: UOp, match: dict) -> bool:
    """Whether some node is taken by another rule first."""
    from rulewright.ir.rulesets import ruleset

    plain = ruleset("symbolic").match()
    nodes = [n for n in graph.toposort() if n.op in plain and n.op in match]
    return any(plain[n.op](n, None) is not match[n.op](n, None) for n in nodes)
