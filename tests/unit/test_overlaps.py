"""Overlaps and critical pairs: unified patterns, witnesses that both rules match, and outcomes."""

from __future__ import annotations

import json

import pytest

from rulewright.ir.read import build_body
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.matcher_facts import Facts
from rulewright.lang.parse import parse_text
from rulewright.lang.words import put, words
from rulewright.verify.overlaps import Env, Overlaps, Unifier, counts, rename
from rulewright.verify.prove.trial import matcher

RULES = {str(r.name): r for f in parsed_spec() for s in f.all(t.RuleSetDecl) for r in s.rules}
FACTS = Facts(load_table())


def pattern(text: str) -> t.Expr:
    (found,) = parse_text(f"ruleset a {{ rule b {text} => x }}", "a.uop").all(t.RuleSetDecl)
    return found.rules[0].pattern


def resolved(expr: t.Expr, env: Env) -> t.Expr:
    """A pattern with its names replaced by what they stand for."""
    for node in t.walk(expr):
        known = env.get(str(node.name)) if isinstance(node, t.Var) else None
        if known is not None and known != node:
            return resolved(put(expr, node, known), env)
    return expr


@pytest.mark.parametrize(
    "a, b, common",
    [
        ("x + 0", "$c + y", ["ADD!($cR, 0)", "ADD!(0, yR)"]),
        ("x + x", "NEG(y) + z", ["ADD!(NEG(yR), NEG(yR))", "ADD!(NEG(yR), NEG(yR))"]),
        ("x - 0", "y - y", ["SUB!(0, 0)"]),
        ("NEG(x)", "SQRT(y)", []),
        ("x - NEG(x)", "y - y", []),  # x would have to hold itself
        ("ADD!(x, 1)", "ADD!(2, y)", ["ADD!(2, 1)"]),
        ("ADD!(x, 1)", "y + 2", ["ADD!(2, 1)"]),
        ("$c - $d", "1 - 2", ["SUB!(1, 2)"]),
        ("$c - $c", "1 - 2", []),
        ("[NEG SQRT](x)", "[SQRT EXP](y)", ["SQRT!(yR)"]),
    ],
)
def test_unify(a, b, common):
    one, two = rename(pattern(a), "L"), rename(pattern(b), "R")
    found = [words(resolved(made, env)) for made, env in Unifier(FACTS).unify(one, two, {})]
    assert found == common


@pytest.fixture(scope="module")
def boolean() -> Overlaps:
    return Overlaps("boolean")


def test_witnesses_are_matched_by_both_rules(boolean):
    found = list(boolean.at_roots())
    assert len(found) > 10
    for pair in found:
        text = f"graph g {{ return {pair.witness} }}"
        (graph,) = parse_text(text, "g.uop").all(t.Graph)
        node = build_body(graph.body)
        for name in (pair.first, pair.second):
            assert matcher(RULES[name], load_table())(node) is not None, pair


def test_no_order_of_two_rules_changes_a_value(cli):
    for name in ("boolean", "bits", "c_lowering"):
        found = cli("overlaps", name)
        assert found.exit_code == 0, found.output


def test_critical_pairs_are_found(boolean):
    pairs = {(p.first, p.second) for p in boolean.critical()}
    assert ("not_not", "not_not") in pairs  # ~(~(~x))
    assert all(p.inside for p in boolean.critical())


def test_a_wrong_rule_shows_as_a_difference():
    """A false x | true => x overlaps with the right rule, and the values differ."""
    overlaps = Overlaps("boolean")
    text = """ruleset a { rule wrong x:bool | true => x prove smt }"""
    (made,) = parse_text(text, "a.uop").all(t.RuleSetDecl)
    overlaps.rules.append(made.rules[0])
    found = [p for p in overlaps.at_roots() if p.second == "wrong"]
    assert counts(found)["different"] >= 1
    assert {p.outcome for p in found if p.first == "or_true"} == {"different"}


def test_the_report(cli):
    found = cli("overlaps", "folding", "--format", "json")
    pairs = json.loads(found.stdout)["pairs"]
    keys = {"first", "second", "inside", "witness", "outcome", "results"}
    assert pairs and set(pairs[0]) == keys
    plain = cli("overlaps", "folding", "--all", "--roots").output
    assert "joined: " in plain and "critical pairs: none" in plain
    assert "unknown ruleset 'nope'" in cli("overlaps", "nope").output
