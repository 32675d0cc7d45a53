"""Each clause of each guard is shown by a `reject` that it alone refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from rule_coverage.report import read_reasons, unshown_clauses
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.parse import parse_text

REASONS = Path(__file__).parents[1] / "reviewed" / "unshown_clauses.txt"

RULE = """ruleset mine {{
  rule my_small_rest<T: Int>
    x:T % $c => x
    when x.vmin >= 0 and x.vmax < c
    prove smt
    example VAR["x", 0, 3] % 4 => VAR["x", 0, 3]
    {rejects}
}}
"""
BELOW = 'reject  VAR["x", -1, 3] % 4'
ABOVE = 'reject  VAR["x", 0, 4] % 4'
BOTH = 'reject  VAR["x", -1, 4] % 4'


def unshown(*rejects):
    file = parse_text(RULE.format(rejects="\n    ".join(rejects)))
    rules = [rule for part in file.all(t.RuleSetDecl) for rule in part.rules]
    return [found.clause for found in unshown_clauses(rules, load_table())]


def test_a_clause_needs_a_reject_of_its_own():
    assert unshown(BELOW, ABOVE) == []
    assert unshown(BELOW) == ["x.vmax < c"]
    assert unshown(ABOVE) == ["x.vmin >= 0"]
    assert unshown(BOTH) == ["x.vmin >= 0", "x.vmax < c"]


def test_a_clause_without_which_the_guard_stops_is_shown():
    text = """ruleset mine {
  rule my_multiple
    MUL!(x:index, $c) == $d => x == {d // c}
    when c != 0 and d % c == 0
    prove smt
    reject  VAR["x", -9, 9] * 0 == 6
    reject  VAR["x", -9, 9] * 3 == 7
}
"""
    (rule,) = parse_text(text).all(t.RuleSetDecl)[0].rules
    assert list(unshown_clauses([rule], load_table())) == []


def test_the_message_says_what_to_do():
    file = parse_text(RULE.format(rejects=BELOW), "mine.uop")
    (found,) = unshown_clauses(file.all(t.RuleSetDecl)[0].rules, load_table())
    assert str(found).startswith("mine.uop:4: no `reject` of my_small_rest is refused by ")
    assert "`x.vmax < c` alone: add one for which the rest of the guard holds" in str(found)


@pytest.mark.timeout(60)  # a matcher for every clause of the spec
def test_every_clause_of_the_spec_is_shown_or_has_a_reason():
    rules = [r for f in parsed_spec() for s in f.all(t.RuleSetDecl) for r in s.rules]
    found = {clause.name: clause for clause in unshown_clauses(rules, load_table())}
    known = read_reasons(REASONS)
    assert [str(clause) for name, clause in found.items() if name not in known] == []
    assert sorted(set(known) - set(found)) == [], "shown by now: take them out of the list"
