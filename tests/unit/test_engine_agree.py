"""The generated matchers and the naive matcher give the same answers."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from engine_graphs import FromPattern, evaluate, matcher_of, random_graph, rules_of, same_values
from hypothesis import example, given, settings, strategies as st
from naive import NaiveMatcher

from rulewright.checks.examples import uses_context
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.read import build_body
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import RuleSet, ruleset
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec

SEEDS = st.integers(0, 2**32 - 1)
KINDS = [dtypes.i32, dtypes.u8, dtypes.index, dtypes.f32]


@cache
def naive(name: str) -> NaiveMatcher:
    """The naive matcher of a set."""
    return NaiveMatcher(rules_of(name), load_table())


class Naive(RuleSet):
    """A rule set that is matched by the naive matcher."""

    def match(self):
        return naive(self.name).match()


def first_rule(name: str, node: UOp) -> tuple[str, UOp] | None:
    """The rule of the generated matcher that fires at the root of `node`, and its answer."""
    fired: list[tuple[str, UOp]] = []
    match = ruleset(name).variant(lambda rule, a, b: fired.append((rule, b)), None, ())
    if node.op in match:
        match[node.op](node, None)
    return fired[0] if fired else None


@given(SEEDS)
@settings(max_examples=12)
def test_same_rule_fires_on_every_node(seed: int) -> None:
    for node in random_graph(Random(seed), 25, KINDS).toposort():
        found = naive("symbolic").first(node)
        expected = None if found is None or found[1] is node else found
        assert first_rule("symbolic", node) == expected, node


@given(SEEDS)
@settings(max_examples=8)
def test_same_fixpoint(seed: int) -> None:
    graph = random_graph(Random(seed), 25, KINDS)
    oracle = Naive(ruleset("symbolic").row)
    assert rewrite(graph, "symbolic") is rewrite(graph, oracle)


@given(SEEDS)
@example(10245)  # the larger of 0.0 and -0.0 was folded, to either
@settings(max_examples=40)
def test_fixpoint_keeps_values(seed: int) -> None:
    random = Random(seed)
    graph = random_graph(random, 40, [dtypes.i32, dtypes.u8, dtypes.i8, dtypes.f32, dtypes.f16])
    leaves: dict = {}
    for node in graph.src:
        simple = rewrite(node, "symbolic")
        assert same_values(evaluate(node, leaves, random), evaluate(simple, leaves, random)), node
        assert rewrite(simple, "symbolic") is simple


@given(SEEDS)
@example(11364)  # max(-0.0, 0.0)
@settings(max_examples=40)
def test_readable_keeps_values(seed: int) -> None:
    random = Random(seed)
    graph = random_graph(random, 30, [dtypes.i32, dtypes.u8, dtypes.f32])
    leaves: dict = {}
    for node in graph.src:
        simple = rewrite(rewrite(node, "symbolic"), "readable")
        assert same_values(evaluate(node, leaves, random), evaluate(simple, leaves, random)), node


def all_rules() -> list[t.Rule]:
    """Every rule of the algebra."""
    return rules_of("symbolic", "readable", "fast_math")


@pytest.mark.parametrize("rule", all_rules(), ids=lambda r: str(r.name))
def test_one_rule(rule: t.Rule) -> None:
    """Examples, rejects and random instances of each rule, by itself."""
    match, random = matcher_of(rule), Random(f"agree {rule.name}")
    oracle = NaiveMatcher([rule], load_table())
    graphs = [build_body(t.Body((), e.before)) for e in rule.all(t.Example)]
    rejects = [build_body(t.Body((), e.expr)) for e in rule.all(t.Reject)]
    graphs += rejects + [FromPattern(rule, random).build() for _ in range(20)]
    for graph in graphs:
        found = match[graph.op](graph, None) if graph.op in match else None
        assert found is oracle.apply(rule, graph), graph
    for graph in rejects:
        assert graph.op not in match or match[graph.op](graph, None) is None
    for shown in rule.all(t.Example):
        before = build_body(t.Body((), shown.before))
        if shown.after is not None:
            assert match[before.op](before, None) is build_body(t.Body((), shown.after))


def test_the_tree_is_not_a_list() -> None:
    """The generated module dispatches: an op without rules has no function."""
    match = ruleset("symbolic").match()
    assert Ops.ADD in match and Ops.PARAM not in match


def other_rules() -> list[t.Rule]:
    """The rules of every other set of the spec: movement, schedule, gradients, lowering."""
    algebra = {str(rule.name) for rule in all_rules()}
    sets = [s for file in parsed_spec() for s in file.all(t.RuleSetDecl)]
    rules = {str(rule.name): rule for s in sets for rule in s.rules}
    return [rule for name, rule in rules.items() if name not in algebra]


@pytest.mark.parametrize("rule", other_rules(), ids=lambda r: str(r.name))
def test_examples_of_other_sets(rule: t.Rule) -> None:
    """Both matchers take each example, to the same result, and leave each reject."""
    if uses_context(rule):  # an example has no context: nothing to compare
        return
    match, oracle = matcher_of(rule), NaiveMatcher([rule], load_table())
    for shown in rule.all(t.Example):
        before = build_body(t.Body((), shown.before))
        found = match[before.op](before, None)
        assert found is not None and found is oracle.apply(rule, before)
    for reject in rule.all(t.Reject):
        before = build_body(t.Body((), reject.expr))
        assert before.op not in match or match[before.op](before, None) is None
        assert oracle.apply(rule, before) is None
