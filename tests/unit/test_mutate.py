"""Mutants of rules, and what kills them."""

from __future__ import annotations

import json

import pytest

from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec
from rulewright.lang.parse import parse_text
from rulewright.paths import spec_dir
from rulewright.verify.mutate import mutants, words
from rulewright.verify.mutate_run import Fate, all_mutants, fate, reason, sample, summary

CASES = spec_dir().parent / "tests" / "cases"
RULES = {str(r.name): r for f in parsed_spec() for s in f.all(t.RuleSet) for r in s.rules}


def made(text: str) -> list[str]:
    (found,) = parse_text(f"ruleset a {{ rule {text} }}", "a.uop").all(t.RuleSet)
    return [m.what for m in mutants(found.rules[0])]


@pytest.mark.parametrize(
    "text, faults",
    [
        (
            "b<T: Int> x:T // $c => x >> {c} when c > 0 and x.vmin >= 0",
            [
                "dropped `c > 0`",
                "dropped `x.vmin >= 0`",
                "`c > 0` is `c >= 0`",
                "`x.vmin >= 0` is `x.vmin > 0`",
                "`x >> {c}` is `{c} >> x`",
                "`x >> {c}` is `x << {c}`",
                "0 is 1",
                "0 is 1 (2)",
            ],
        ),
        ("b MAX(x, y) => MIN(CAST(x):i32, y)", ["`MIN(CAST(x):i32, y)` is `MAX(CAST(x):i32, y)`",
                                               "`CAST(x)` is `x`"]),
        ("b x | false => WHERE(x, y, z)", ["`WHERE(x, y, z)` is `WHERE(x, z, y)`",
                                          "false is true"]),
        ("b NEG(x) => y - x let y = -x",
         ["`-x` is `x`", "`y - x` is `x - y`", "`y - x` is `y + x`"]),
        ("b NEG(x) => x", []),
        ("b<T: Int> x:T + 0 => x", ["T: Int is Number", "0 is 1"]),
        ("b<T: Float> SQRT(x:T) => x", []),  # no other dtype has a root
    ],
)  # fmt: skip
def test_mutants(text, faults):
    assert made(text) == faults


def test_a_mutant_differs_in_one_place():
    for rule in list(RULES.values())[::9]:
        for mutant in mutants(rule):
            assert mutant.rule != rule
            assert mutant.rule.all(t.Example) == rule.all(t.Example)
            assert mutant.name == rule.name
    names = [str(m) for m in all_mutants()]
    assert len(set(names)) == len(names)


def test_expressions_in_words_mean_what_they_meant():
    """What is written of a guard reads back to the same guard."""
    for rule in RULES.values():
        for clause in rule.all(t.When):
            text = f"ruleset a {{ rule b x => x when {words(clause.guard)} }}"
            (found,) = parse_text(text, "a.uop").all(t.RuleSet)
            assert words(found.rules[0].all(t.When)[0].guard) == words(clause.guard)


@pytest.mark.parametrize(
    "rule, what, by",
    [
        ("add_zero", "0 is 1", "example"),
        ("fold_max", "dropped `(c != 0) or (d != 0)`", "example"),
        ("sub_to_add", "`x + (y * -1)` is `x - (y * -1)`", "example"),
    ],
)
def test_what_kills_a_mutant(rule, what, by):
    (mutant,) = [m for m in mutants(RULES[rule]) if m.what == what]
    assert fate(mutant, None).by == by, fate(mutant, None)


def test_a_sample_is_always_the_same():
    everything = all_mutants()
    assert sample(everything, 5) == sample(everything, 5)
    assert len(sample(everything, 10**6)) == len(everything)


def test_the_score():
    fates = [
        Fate("a", "x", "prove"),
        Fate("a", "y", "sound"),
        Fate("b", "dropped `z`", "survived"),
        Fate("c", "0 is 1", "survived"),
    ]
    reasons = {"b, dropped *": "same: another rule sees to it", "c, 0 is 1": "seen by nobody"}
    assert reason(fates[2], reasons) == "same: another rule sees to it"
    assert reason(fates[0], reasons) == ""
    assert summary(fates, reasons)["score"] == 50  # one killed, one survived, two are no faults
    assert summary([], {})["score"] == 100


def test_a_small_sample_of_the_shipped_rules(cli):
    """The full run is `tox -e mutants`; this one is always of the same mutants."""
    found = cli("mutate", "--sample", 4, "--at-least", 0, "--format", "json")
    data = json.loads(found.stdout)
    assert data["summary"]["mutants"] == 4
    assert found.exit_code == 0, found.output


def test_a_rule_that_is_not_there(cli):
    assert "no rule that can be mutated is called nope" in cli("mutate", "--rule", "nope").output
