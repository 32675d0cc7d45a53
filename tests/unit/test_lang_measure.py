"""Measures: what falls when a rule fires, and that the shipped sets all have one."""

from __future__ import annotations

import pytest

from rulewright.checks.ends import check_measured, falls
from rulewright.checks.equiv import parts_known
from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec
from rulewright.lang.fmt import format_text
from rulewright.lang.measure import Gauge
from rulewright.lang.parse import parse_text
from rulewright.lang.symbols import collect

SYMBOLS, _ = collect(parsed_spec())


def rule(text: str) -> t.Rule:
    (found,) = parse_text(f"ruleset a {{ rule b {text} }}", "a.uop").all(t.RuleSetDecl)
    return found.rules[0]


def gauge(text: str) -> Gauge:
    kind, _, ops = text.rstrip(")").partition("(")
    return Gauge(kind, tuple(ops.split()))


@pytest.mark.parametrize(
    "measure, text",
    [
        ("nodes", "x + 0 => x"),
        ("nodes", "(x + y) * 3 => x * 3"),
        ("count(SUB)", "x - y => x + y * -1"),
        ("size", "REDUCE[op](x, CONST(), after..) => REDUCE[op](x, after..)"),
        ("path(MUL ADD)", "MUL!(z, x + y) => MUL!(z, x) + MUL!(z, y)"),  # z twice: no count falls
        ("path(ADD)", "ADD!(x, ADD!(y, z)) => (x + y) + z"),
        ("path(ADD)", "ADD!($c, x) => x + {c} when x.op != CONST"),
        ("path(INDEX NEG)", "INDEX(NEG(x), is..) => NEG(INDEX(x, is..))"),
        ("count(RANGE)", "INDEX(RANGE(n)) => INDEX(n)"),
        ("nodes", "NEG(x@[ADD MUL](_, _)) => x"),
    ],
)
def test_falls(measure, text):
    assert falls(rule(text), [gauge(measure)], SYMBOLS)


@pytest.mark.parametrize(
    "measure, text",
    [
        ("nodes", "x - y => x + y * -1"),
        ("nodes", "x + y => y + x"),
        ("nodes", "NEG(x + y) => x * x"),  # x may be larger than x + y is over y
        ("count(NEG)", "x + NEG(y) => y + y"),
        ("path(MUL ADD)", "x * z + y * z => (x + y) * z"),
        ("path(ADD)", "ADD!($c, x) => x + {c}"),  # x may be a constant: then nothing falls
        ("path(ADD)", "(x + y) + z => x + (y + z)"),
        ("path(MUL)", "MUL(x, y) => outer(x)"),  # what an extern makes is not known
        ("path(NEG)", "[NEG SQRT](x) => NEG(RECIP(x))"),  # SQRT is not above RECIP
        ("count(RANGE)", "INDEX(x@[VAR RANGE](_..)) => x"),
        ("size", "MAX(x, MIN(x, y)) => MIN(x, y) + x"),
    ],
)
def test_may_rise(measure, text):
    assert not falls(rule(text), [gauge(measure)], SYMBOLS)


def test_the_first_gauge_that_changes_decides():
    text = rule("x - y => x + y * -1")
    assert falls(text, [gauge("count(SUB)"), gauge("nodes")], SYMBOLS)
    assert not falls(text, [gauge("nodes"), gauge("count(SUB)")], SYMBOLS)


def test_both_ways_round_must_fall():
    """x + (y + z) falls to the left chain only as it is written, not with its operands swapped."""
    gauges = [gauge("path(ADD)")]
    assert falls(rule("ADD!(x, ADD!(y, z)) => ADD!(ADD!(x, y), z)"), gauges, SYMBOLS)
    assert not falls(rule("x + (y + z) => ADD!(ADD!(x, y), z)"), gauges, SYMBOLS)


def run_to_the_end() -> list[str]:
    """The sets that the pipeline or a target rewrites with until nothing matches."""
    names = [str(e.what) for p in SYMBOLS.pipelines.values() for e in p.entries]
    for target in SYMBOLS.targets.values():
        names += [str(n) for f in target.facts if f.kind == "lower" for n in f.value]
    found = [n for n in dict.fromkeys(names) if n in SYMBOLS.rulesets and parts_known(n, SYMBOLS)]
    options = {n: {str(o.name): o.value for o in SYMBOLS.rulesets[n].options} for n in found}
    return [n for n in found if options[n].get("strategy") != "once"]


def test_sets_that_run_to_the_end_are_measured():
    assert {"symbolic", "indexed", "c_f16_lowering", "metal_lowering"} <= set(run_to_the_end())
    for name in run_to_the_end():
        ruleset = SYMBOLS.rulesets[name]
        assert any(o.name == "measure" for o in ruleset.options), f"{name} has no measure"
        assert not list(check_measured(ruleset, set(SYMBOLS.rules), SYMBOLS))


def test_a_measured_set_without_its_reasons_is_refused():
    text = next(f.text for f in parsed_spec() if f.path == "spec/40-algebra/20-canonical.uop")
    text = text.replace("ruleset canonical {", "ruleset canonical measure = canonical {")
    kept = [f for f in parsed_spec() if f.path != "spec/40-algebra/20-canonical.uop"]
    for cut, wanted in (("", []), ("    expands", ["mul_into_sum"])):
        lines = [line for line in text.split("\n") if not cut or not line.startswith(cut)]
        made = parse_text("\n".join(lines), "spec/40-algebra/20-canonical.uop")
        symbols, _ = collect([*kept, made])
        found = check_measured(symbols.rulesets["canonical"], set(symbols.rules), symbols)
        assert [d.message.split("`")[1] for d in found] == wanted


def test_layout():
    text = "measure a={count(SUB NEG),nodes}\nruleset b measure=a{}\n"
    laid = "measure a = { count(SUB NEG), nodes }\n\nruleset b measure = a {\n}\n"
    assert format_text(text) == laid
    long = f"measure a = {{ path({' '.join(SYMBOLS.ops)}) }}\n"
    assert max(map(len, format_text(long).splitlines())) <= 100
    assert parse_text(format_text(long), "a") == parse_text(long, "a")
