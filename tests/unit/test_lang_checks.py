"""What the static checks let pass, and what they say when several things meet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulewright.checks import check, rules
from rulewright.checks.userfile import load_rules
from rulewright.errors import RuleError
from rulewright.lang.allowed import allow_externs
from rulewright.lang.parse import parse_text
from rulewright.paths import spec_dir

README = spec_dir() / "README.md"

DOUBLE = 'trust "test" example NEG(NEG(PARAM[0]:i32)) => PARAM[0]:i32'


def codes(tmp_path, text: str) -> list[str]:
    path = tmp_path / "a.uop"
    path.write_text(text, encoding="utf-8")
    return [d.code for d in check([path])]


def in_a_set(first: str, second: str) -> str:
    rules = f"rule tests_one<T: Float> {first} rule tests_two<T: Float> {second}"
    return f"ruleset a {{ {rules} }}"


FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS = [text for kind, text in FENCED.findall(README.read_text(encoding="utf-8")) if not kind]


@pytest.mark.parametrize("block", [b for b in BLOCKS if ": error: " not in b])
def test_what_the_readme_shows_parses(block):
    assert parse_text(block).items


def test_the_rule_of_the_readme_has_no_problem(tmp_path):
    assert codes(tmp_path, next(b for b in BLOCKS if b.startswith("ruleset"))) == []


def test_the_error_of_the_readme_is_what_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("fold.uop").write_text("ruleset a {\n  rule b\n    NEGG(NEG(x)) => x\n    prove smt\n}\n")
    (found,) = check(["fold.uop"])
    assert found.render() + "\n" in BLOCKS


@pytest.mark.parametrize(
    "first, second",
    [
        # the first asks more than the second
        ("NEG(NEG(x:T)) => x", "NEG(NEG(x)) => x"),
        ("NEG(NEG(x)) => x when x.vmin > 0", "NEG(NEG(x)) => x"),
        ("NEG(NEG(x)) => x when x.vmin > 0", "NEG(NEG(x)) => x when x.vmin > 1"),
        ("ADD(x, x) => x", "ADD(x, y) => ADD(y, x)"),
        ("x + 0 => x", "x + 1 => x"),
        ("x + 0.0 => x", "x + 0 => x"),
        ("ADD!(x, 0) => x", "x + 0 => x"),
        ("CAST(CAST(x:T)):T => x", "CAST(CAST(x)) => CAST(x):i32"),
        ("PARAM[0, shape, _] => INDEX(PARAM[0, shape, none]:f32)", "PARAM[1, _, _] => {0}"),
        ("WHERE(c, x, INVALID()) => x when c.op == CONST", "WHERE(_, x, x) => x"),
        # the first may refuse after it has matched
        ("NEG(NEG(x)) => x let y = index_sources(x)", "NEG(NEG(x)) => x"),
    ],
)
def test_a_rule_after_a_narrower_one_is_not_shadowed(tmp_path, first, second):
    found = codes(tmp_path, in_a_set(first, second))
    assert "shadowed" not in found and not {"unknown", "arity", "pattern"} & set(found)


@pytest.mark.parametrize(
    "first, second",
    [
        ("NEG(x) => x", "NEG(ADD(x, y)) => y + x"),
        ("x + y => y", "x + 3 => x"),
        ("$c + x => x", "x + 3 => x"),
        ("[ADD MUL](x, _) => x", "x * 2 => x"),
        ("Movement(_..) => PARAM[0, (), none]:f32", "FLIP(x) => x"),
        ("STAGE(x, _..) => x", 'STAGE["reg"](x, y, z) => x + y + z'),
        ("NEG(NEG(x)) => x when x.vmin > 0", "NEG(NEG(y)) => y when y.vmin > 0"),
        ("NEG(x:T) => x", "NEG(x:f32) => x"),
    ],
)
def test_a_rule_after_a_wider_one_is_shadowed(tmp_path, first, second):
    assert "shadowed" in codes(tmp_path, in_a_set(first, second))


def test_rules_of_one_part_shadow_those_of_another(tmp_path):
    rule = "ruleset tests_{0} {{ rule tests_rule_{0} NEG(NEG(x)) => x {1} }}\n"
    text = rule.format("one", DOUBLE) + rule.format("two", DOUBLE)
    assert codes(tmp_path, text) == []
    assert codes(tmp_path, text + "ruleset tests_both = tests_one + tests_two") == ["shadowed"]


def test_priority_and_after_settle_an_overlap(tmp_path):
    narrow = 'rule tests_narrow {} NEG(NEG(NEG(x))) => NEG(x) trust "test"'
    narrow += " example NEG(NEG(NEG(PARAM[0]:i32))) => NEG(PARAM[0]:i32)"
    wide = f"rule tests_wide NEG(NEG(x)) => x {DOUBLE}"
    late = f"{wide} after tests_narrow"
    assert codes(tmp_path, f"ruleset a {{ {wide} {narrow.format('')} }}") == ["shadowed"]
    assert codes(tmp_path, f"ruleset a {{ {wide} {narrow.format('priority +1')} }}") == []
    assert codes(tmp_path, f"ruleset a {{ {late} {narrow.format('')} }}") == []


@pytest.mark.parametrize(
    "rule",
    [
        "CAST(x:A):B => x when A == B",
        "CAST(x) => x when x.dtype == f32",
        "CAST(CAST(x:A):B):A => x when A.bits <= B.bits",
        "BITCAST(x:A):B => CAST(x):B when A == B",
        "CMPLT(x:A, y:A) => {true}:bool when x.vmax < y.vmin",
        "WHERE(x:A < y, y, x) => MAX(x, y) when A == f32",
        "GRAD(y@EXP(_), g) => TUPLE(g * y) when y.dtype == f32",
    ],
)
def test_dtypes_that_cannot_be_told_are_let_pass(tmp_path, rule):
    params = "<A: Any, B: Any>" if ":A" in rule else ""
    found = codes(tmp_path, f"ruleset a {{ rule tests_rule{params} {rule} }}")
    assert "dtype" not in found


def test_a_syntax_error_hides_what_follows_from_it(tmp_path):
    text = "ruleset tests_a { rule b x -> y }\nruleset tests_c = tests_d\ngroup ADD = { MUL }\n"
    assert codes(tmp_path, text) == ["syntax", "syntax"]


def test_an_extern_that_raises_in_an_example(tmp_path):
    text = (
        'extern fn tests_root(n: int) -> int = "math:isqrt" pure total because "a test"\n'
        "ruleset tests_a { rule tests_b NEG($c:i32) => {tests_root(c)}:i32 when c < 9\n"
        '  trust "test" example NEG(4:i32) => 2:i32 example NEG(-4:i32) reject NEG(9:i32) }'
    )
    path = tmp_path / "a.uop"
    path.write_text(text)
    with allow_externs(["math"]):
        worth, found = check([path])
    assert worth.code == "value" and worth.message.endswith("one was -4 and is 2")
    assert found.message.startswith("running this ended in ValueError")
    assert found.span.line == 3


def test_a_rule_beyond_what_the_pipeline_tolerates_is_not_loaded(tmp_path):
    path = tmp_path / "a.uop"
    path.write_text(
        "ruleset tests_a {\n  rule tests_b<T: Float> equiv finite\n    x:T - x => {0.0}\n"
        '    trust "test"\n    example PARAM[0]:f32 - PARAM[0]:f32 => 0.0:f32\n'
        "    reject PARAM[0]:i32 - PARAM[0]:i32\n}\n"
    )
    assert check([path]) == []  # by itself nothing is wrong with it
    with pytest.raises(RuleError, match="needs `finite`, which pipeline `default`") as caught:
        load_rules(path, at="symbolic")
    assert [d.span.line for d in caught.value.diagnostics] == [2]


def test_a_target_may_define_words_of_its_own(tmp_path):
    target = (
        "target MINE extends C {{\n"
        '  text {} = "#define twice(x) (2 * (x))"\n'
        '  spell TRUNC: f32 = "twice({{x}})"\n'
        "}}\n"
    )
    assert codes(tmp_path, target.format("twice_macro")) == []
    assert codes(tmp_path, target.format("twice_macros")) != []


def test_a_file_is_checked_against_the_sets_that_hold_its_rules(tmp_path, monkeypatch):
    """What a user loads and an editor has open is checked again and again, beside all the spec."""
    ordered, walked = [], []
    real, walk = rules.ordered_rules, rules.t.walk
    monkeypatch.setattr(rules, "ordered_rules", lambda of: ordered.append(of) or real(of))
    monkeypatch.setattr(rules.t, "walk", lambda node: walked.append(node) or walk(node))
    assert codes(tmp_path, f"ruleset a {{ rule tests_one NEG(NEG(x)) => x {DOUBLE} }}") == []
    assert [[str(rule.name) for rule in of] for of in ordered] == [["tests_one"]]
    assert {node.span.file for node in walked} == {str(tmp_path / "a.uop")}
