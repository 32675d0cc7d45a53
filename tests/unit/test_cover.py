"""Counting what rules do, and the report of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from rule_coverage.count import Counts, recording
from rule_coverage.report import cobertura, read_counts, read_reasons, rows, write_counts
from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.paths import checkout


def guarded() -> Counts:
    """Counts of two small rewrites."""
    n = UOp.variable("n", 0, 9)
    with recording() as counts:
        assert rewrite(n * 4 // 4, "symbolic") is n
        rewrite(n + 0, "symbolic")
    return counts


def test_rules_that_fire_are_counted():
    counts = guarded()
    assert counts.fired["add_zero"] == 1
    assert counts.fired["mul_zero"] == 0


def test_counting_ends_with_the_block():
    before = ruleset("symbolic").match()
    counts = guarded()
    assert ruleset("symbolic").match() is before
    rewrite(UOp.variable("n", 0, 9) + 0, "symbolic")
    assert counts.fired["add_zero"] == 1


def test_a_clause_is_asked_where_the_pattern_fits():
    x = UOp.variable("x", 0, 9)
    with recording() as counts:  # two zeros are refused, once for each way round
        rewrite(UOp.const(dtypes.f32, 0.0).maximum(UOp.const(dtypes.f32, -0.0)), "folding")
        rewrite(UOp.const(dtypes.f32, 1.0).maximum(UOp.const(dtypes.f32, 2.0)), "folding")
        rewrite(x + 1, "folding")
    assert counts.asked["fold_max", 0] == 3
    assert counts.refused["fold_max", 0] == 2
    assert counts.fired["fold_max"] == 1


def test_counted_rules_rewrite_alike():
    n, m = UOp.variable("n", 0, 99), UOp.variable("m", 0, 7)
    graph = ((n * 8 + m) // 8 + (n * 8 + m) % 8 - m) * 3 < n * 3
    plain = rewrite(graph, "symbolic")
    with recording():
        assert rewrite(graph, "symbolic") is plain


def test_counts_travel_as_json(tmp_path):
    counts = guarded()
    write_counts(counts, tmp_path, "gw0")
    write_counts(counts, tmp_path, "gw1")
    twice = read_counts(tmp_path)
    assert twice.fired == Counter({name: 2 * n for name, n in counts.fired.items()})
    assert twice.asked == Counter({key: 2 * n for key, n in counts.asked.items()})


@pytest.mark.parametrize(
    "text, problem", [("", "expected counts of the test-suite"), ("[]", "holds no counts of rules")]
)
def test_a_folder_without_counts(tmp_path, text, problem):
    if text:
        (tmp_path / "gw0.json").write_text(text)
    with pytest.raises(UsageError, match=problem):
        read_counts(tmp_path)


@pytest.mark.parametrize(
    "text, problem",
    [
        ("a => b\na => c\n", r"reasons.txt:2: a is listed twice"),
        ("# title\n\nname\n", r"reasons.txt:3: expected `name => reason`, found 'name'"),
        ("name => \n", r"expected `name => reason`"),
    ],
)
def test_reasons_that_are_none(tmp_path, text, problem):
    path = tmp_path / "reasons.txt"
    path.write_text(text)
    with pytest.raises(UsageError, match=problem):
        read_reasons(path)


def test_xml_shows_rules_and_guards(tmp_path):
    found = [row for row in rows({"cases": guarded()}) if row.rule in ("add_zero", "fold_max")]
    top = ElementTree.fromstring(cobertura(found, tmp_path))
    hits = {(line.get("number"), line.get("hits")) for line in top.iter("line")}
    by_name = {row.rule: row for row in found}
    assert (str(by_name["add_zero"].line), "1") in hits
    assert (str(by_name["fold_max"].line), "0") in hits
    assert (str(by_name["fold_max"].clauses[0].line), "0") in hits
    assert top.get("line-rate") == "0.5000"
    (line,) = [item for item in top.iter("line") if item.get("branch")]
    assert line.get("condition-coverage") == "0% (0/2)"
    refused = replace(by_name["fold_max"].clauses[0], asked=3, refused=1)
    text = cobertura([replace(by_name["fold_max"], clauses=(refused,))], tmp_path)
    assert 'condition-coverage="100% (2/2)"' in text


@pytest.mark.timeout(120)  # runs all cases and golden programs
def test_the_cases_make_the_rules_fire(cli, tmp_path):
    """Every rule fires in a case or a golden program, or a reviewed file says why not."""
    made = cli("cover", "--format", "json", "-o", tmp_path / "cover.json")
    assert made.exit_code == 0, made.output
    found = json.loads((tmp_path / "cover.json").read_text())["rules"]
    assert {"set", "rule", "file", "line", "fired", "clauses"} == set(found[0])
    assert sum(1 for row in found if sum(row["fired"].values())) >= 0.95 * len(found)
    unshown = [c for row in found for c in row["clauses"] if not c["shown"]]
    assert len(unshown) == len(read_reasons(checkout("tests/reviewed") / "unshown_clauses.txt"))


def test_too_few_rules_are_a_failure(cli, tmp_path):
    (tmp_path / "cases").mkdir()
    empty = tmp_path / "reasons.txt"
    empty.write_text("no_such_rule => it is gone\n")
    made = cli("cover", "--cases", tmp_path / "cases", "--reasons", empty, "--at-least", 0)
    assert made.exit_code == 1
    assert "fold_mulacc never fired: add a case, or a reason to reasons.txt" in made.output
    assert "guard clauses that never refused anything" in made.output
