"""Runs every case in `tests/cases`; the folder says which rule or pass a case is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import load_cases, run_case
from rule_coverage.report import handlers
from rulewright.lang.parse import parse_text

FOLDER = Path(__file__).parents[1] / "cases"
FILES = sorted(FOLDER.rglob("*.uop"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(FOLDER).as_posix())
def test_cases_hold(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 40, "a case has at most 40 lines"
    cases = load_cases(path)
    assert cases, "the file holds no case"
    for case in cases:
        problems = run_case(case, handlers())
        assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    "sections, problem",
    [
        ("rewrite folding { return 4:i32 }", "expected\ngraph graph {\n  return 4:i32\n}\n\nfound"),
        ("unchanged folding", "found\ngraph graph {\n  return 3:i32"),
        ("rewrite folding { return 3:i32 } trace other", "expected\nother\nfound\nfold_arithmetic"),
        ('illegal function "loops"', "expected an illegal node, found none"),
        ('rewrite folding error "no end"', "expected an error with 'no end', found none"),
    ],
)
def test_a_case_that_does_not_hold_says_why(sections, problem):
    text = f"case bad {{ input {{ return 1:i32 + 2 }} {sections} }}"
    (case,) = parse_text(text, "bad.uop").items
    (found,) = run_case(case)
    assert problem in found


def test_an_illegal_node_is_named():
    text = 'case bad { input { return RANGE[0, "loop"](4) } legal function }'
    (case,) = parse_text(text, "bad.uop").items
    (found,) = run_case(case)
    assert "RANGE is not legal at stage function: loops are made by rangeify" in found


def test_a_section_that_nothing_runs():
    text = 'case bad { input { return 1:i32 } source C "x" }'
    (case,) = parse_text(text, "bad.uop").items
    assert run_case(case) == ["bad.uop:1: source: nothing here runs a section `source`"]
    assert run_case(case, {"source": lambda case, root, part: None}) == []
    echo = {"source": lambda case, root, part: part.text}
    assert run_case(case, echo) == ["bad.uop:1: source: x"]
