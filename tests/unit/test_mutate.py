"""Mutants of rules, and what kills them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mutation import record
from mutation.less import fires_less
from mutation.mutants import mutants, words
from mutation.run import SLOW, Fate, all_mutants, fate, reason, sample, summary
from rule_coverage.report import read_reasons
from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec
from rulewright.lang.parse import parse_text
from rulewright.paths import spec_dir

REVIEWED = spec_dir().parent / "tests" / "reviewed"
CASES = REVIEWED.parent / "cases"
RULES = {str(r.name): r for f in parsed_spec() for s in f.all(t.RuleSetDecl) for r in s.rules}


def made(text: str) -> list[str]:
    (found,) = parse_text(f"ruleset a {{ rule {text} }}", "a.uop").all(t.RuleSetDecl)
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
        ("b SINK(x, xs..) => SINK(xs.., x)", ["`SINK(xs.., x)` is `SINK(x)`"]),
        ("b y@NEG(x) => gathered(y)", ["`gathered(y)` is `each_part(y)`"]),
        ("b CONTIGUOUS[none](x) => x", ["none is _"]),
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
            (found,) = parse_text(text, "a.uop").all(t.RuleSetDecl)
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
    reasons = {"b, dropped `z`": "same: another rule sees to it", "c, 0 is 1": "seen by nobody"}
    assert reason(fates[2], reasons) == "same: another rule sees to it"
    assert reason(fates[0], reasons) == ""
    assert summary(fates, reasons)["score"] == 50  # one killed, one survived, two are no faults
    assert summary([], {})["score"] == 100


@pytest.mark.parametrize(
    "rule, what, less",
    [
        ("lt_of_sum", "`(d - c) <= T.max` is `(d - c) < T.max`", True),
        ("lt_of_product", "`c > 1` is `c >= 1`", False),
        ("lt_of_product", "1 is 2", True),
        ("lt_of_product", "dropped `x.op != CONST`", False),
        ("lt_of_product", "`x.op != CONST` is `x.op == CONST`", True),
        ("floordiv_common_factor", "0 is 1", False),  # by 1 there is no common factor
        ("add_zero", "0 is 1", True),
    ],
)
def test_whether_a_mutant_fires_for_less(rule, what, less):
    (mutant,) = [m for m in mutants(RULES[rule]) if m.what == what]
    assert fires_less(mutant, RULES[rule]) is less


def test_a_wider_rule_is_sound_where_what_it_takes_more_is_proved():
    (mutant,) = [m for m in mutants(RULES["neg_neg"]) if m.what == "T: Float is Number"]
    assert fate(mutant, None).by == "sound"


FATES = [
    Fate("add_zero", "a", "prove", "refuted"),
    Fate("add_zero", "b", "prove", f"refuted{SLOW}"),
    Fate("add_zero", "c", "case", "algebra/add_zero.uop: one"),
    Fate("add_zero", "d", "sound", "proved"),
    Fate("mul_zero", "e", "example", "no match"),
    Fate("mul_zero", "f", "survived", "bounded"),
]


def test_a_record_keeps_what_was_found(tmp_path):
    path = tmp_path / "mutation.json"
    record.write(path, FATES[:4])
    record.write(path, FATES[4:])
    rows = record.read(path)
    assert summary(list(record.fates_of(rows)), {}) == summary(FATES, {})
    assert rows["add_zero"]["case"] == {"c": "algebra/add_zero.uop: one"}
    assert record.by_set(rows, {"mul_zero, f": "same: so it is"})["all"]["score"] == 100
    record.write(path, FATES[5:])  # a rule that was run again has a new row
    assert record.read(path)["mul_zero"] == {"survived": ["f"]}


def test_rules_that_changed_since_are_named():
    found = all_mutants(["add_zero", "fold_max"])
    rows = record.rows([Fate(m.name, m.what, "sound") for m in found])
    assert record.stale(rows, found) == []
    rows["add_zero"]["sound"][0] = "another"
    del rows["fold_max"]["sound"][0]
    assert set(record.stale(rows, found)) == {"add_zero", "fold_max"}


def test_a_mutant_that_nothing_kills_any_more_is_found():
    """As if the example that kills it were gone."""
    (mutant,) = [m for m in mutants(RULES["fold_max"]) if "is an `and`" in m.what]
    assert record.still_killed(mutant, {}, CASES)
    shown = mutant.rule.all(t.Example)[2]  # MAX(0, 3)
    clauses = tuple(c for c in mutant.rule.clauses if c is not shown)
    blind = replace(mutant, rule=replace(mutant.rule, clauses=clauses))
    assert not record.still_killed(blind, {}, CASES)


@pytest.mark.timeout(90)  # some of the sample are told by proofs that take seconds
def test_what_was_killed_is_still_killed():
    """A sample; all of it is `tox -e mutants`. A mutant of a new rule has to be killed as well."""
    rows = record.read(REVIEWED / "mutation.json")
    listed = read_reasons(REVIEWED / "mutants.txt")
    chosen = [m for m in sample(all_mutants(), 150) if f"{m.name}, {m.what}" not in listed]
    lost = [str(m) for m in chosen if not record.still_killed(m, rows, CASES)]
    assert not lost, "add an example, or run `rulewright mutate --rule NAME --record`"


def test_the_record_of_a_full_run():
    """Every survivor has a reason of its own; few rules changed since the run."""
    rows = record.read(REVIEWED / "mutation.json")
    listed = read_reasons(REVIEWED / "mutants.txt")
    survived = {f.name for f in record.fates_of(rows) if f.by == "survived"}
    assert survived == listed.keys()
    assert record.by_set(rows, listed)["all"]["score"] >= 98
    changed = record.stale(rows, all_mutants())
    assert len(changed) < len(rows) / 20, f"rulewright mutate --record --rule {changed[0]}"


def test_the_command_prints_the_record(cli):
    found = cli("mutate", "--summary", "--at-least", 0)
    assert "all" in found.output and "casts" in found.output


def test_a_rule_that_is_not_there(cli):
    assert "no rule that can be mutated is called nope" in cli("mutate", "--rule", "nope").output
