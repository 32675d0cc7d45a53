"""Proofs of rules of floats, of gradients by calculus, and of the clauses that they rest on."""

import numpy as np
import pytest

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rounding import round_to
from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.lang.matcher_facts import Facts
from rulewright.lang.parse import parse_text
from rulewright.verify.prove import Settings, clauses, prove_rule, rules_of
from rulewright.verify.prove.calculus import proves
from rulewright.verify.prove.files import clause_problems
from rulewright.verify.prove.floating import Floats
from rulewright.verify.validate.meanings import instances
from rulewright.verify.values.samples import special


def _rule(text: str, method: str = "smt") -> t.Rule:
    file = parse_text(f"ruleset mine {{ {text} prove {method} }}")
    return next(rules_of([file]))[1]


# ---- clauses -----------------------------------------------------------------------------------


def _differences(op) -> list[str]:
    found, domain = [], Floats()
    for result, kinds in instances(op):
        found += clauses._arrays(op, result, kinds)
        found += clauses._symbols(domain, op, result, kinds)
    return [message for _, message in found]


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("CMPLT", "a <= b"),
        ("SUB", "b - a"),
        ("FDIV", "b / a"),
        ("RECIP", "x / one(x)"),
        ("MAX", "If(a < b, b, a)"),
        ("MIN", "If(a != a, a, If(b != b, b, If(a < b, b, a)))"),
        ("SQRT", "x"),
        ("TRUNC", "x"),
        ("POW", "If(b == zero(b), one(a), If(b == one(b), one(a), unknown(a, b)))"),
        ("MULACC", "a * b"),
        ("SHR", "shift_left(a, b)"),
        ("FLOORDIV", "cdiv(a, b)"),
        ("FLOORDIV", "a // b"),
        ("FLOORMOD", "a % b"),
        ("CDIV", "If(b == zero(b), one(b), cdiv(a, b))"),
        ("CMOD", "cmod(a, b)"),
        ("SHL", "shift_left(a, b)"),
        ("SHR", "If(in_width(b), shift_right(a, b), zero(a))"),
    ],
)
def test_a_wrong_clause_is_found_and_the_right_one_is_not(name, clause, monkeypatch):
    op = getattr(Ops, name)
    assert _differences(op) == []
    monkeypatch.setattr(op, "smt", clause)
    assert f"the `smt` clause of {name} is not its `meaning` at " in _differences(op)[0]


def test_a_wrong_clause_fails_check(cli, monkeypatch):
    monkeypatch.setattr(
        "rulewright.verify.prove.clauses.wrong_clauses", lambda: [("ADD", "it is not")]
    )
    monkeypatch.setattr("rulewright.verify.prove.files._base_key", lambda: "of this test")
    monkeypatch.setattr("rulewright.checks.check", lambda targets: [])
    result = cli("check")
    assert result.exit_code == 1
    assert "20-ops.uop" in result.stdout and "it is not" in result.stdout


def test_clauses_are_not_looked_at_for_files_of_others(tmp_path):
    (tmp_path / "mine.uop").write_text("ruleset mine {\n}\n")
    assert clause_problems([tmp_path / "mine.uop"]) == []


# ---- floats ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [dtypes.f16, dtypes.bf16], ids=str)
@pytest.mark.parametrize("op", [Ops.ADD, Ops.SUB, Ops.MUL, Ops.FDIV], ids=str)
def test_a_result_in_f32_rounded_once_more_is_the_rounded_result(op, kind):
    every = np.arange(1 << 16).astype(np.uint16).view(kind.np)
    for other in special(kind):
        with np.errstate(all="ignore"):
            wide = [a.astype(np.float64) for a in np.broadcast_arrays(every, other)]
            wanted = round_to(compute(op, dtypes.f64, None, wide, dtypes.f64), kind.np)
            narrow = [a.astype(np.float32) for a in wide]
            found = compute(op, dtypes.f32, None, narrow, dtypes.f32).astype(kind.np)
            same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
        assert same.all()


def test_a_rule_too_hard_for_z3_says_how_far_it_came():
    rule = _rule("rule r<T: f32 | f64> equiv nan_payload -(x:T / y:T) => -x / y")
    proof = prove_rule(rule, settings=Settings(timeout=0.025))
    assert proof.status == "bounded"
    notes = [i["note"] for i in proof.instances]
    assert notes == ["z3 gave up after 0.1 s of work", "not asked: z3 gave up for fewer bits"]


def test_an_op_of_which_nothing_is_known_gives_equals_for_equals():
    right = _rule("rule r<T: f32> equiv nan_payload SIN(x:T + y:T) => SIN(y + x)")
    wrong = _rule("rule r<T: f32> equiv nan_payload SIN(-(x:T)) => SIN(x)")
    assert (prove_rule(right).status, prove_rule(wrong).status) == ("proved", "refuted")


def test_bits_of_a_nan_are_kept_where_no_level_allows_to_lose_them():
    kept = _rule("rule r<T: f32> WHERE(c, -(-(x:T)), x) => WHERE(c, x, x)")
    lost = _rule("rule r<T: f32> x:T * 1.0 => x")
    assert prove_rule(kept).status == "proved"
    assert prove_rule(lost).status in ("refuted", "bounded")


def test_what_is_assumed_of_a_proof_is_printed():
    rule = _rule("rule r<T: f16> equiv nan_payload SQRT(x:T) => CAST(SQRT(CAST(x):f32*T)):T")
    wide = _rule(
        "rule r<T: f16> equiv nan_payload x:T / y:T => CAST(CAST(x):f32*T / CAST(y):f32*T):T"
    )
    assert prove_rule(rule).note == "60 graphs"  # of 2^16 values all were tried
    proof = prove_rule(wide)
    assert (proof.status, proof.method) == ("proved", "fp")
    assert "twice the digits and two" in proof.note


def test_rounding_twice_is_not_taken_for_rounding_once_where_it_is_not():
    rule = _rule(
        "rule r<T: f32> equiv nan_payload x:T + y:T => CAST(CAST(x):f64*T + CAST(y):f64*T):T"
    )
    narrow = _rule("rule r<T: f32> equiv nan_payload -(x:T) => -CAST(CAST(x):f16*T):T")
    text = "rule r<T: f16> equiv nan_payload x:T + y:T => CAST(CAST(x):bf16*T + CAST(y):bf16*T):T"
    assert prove_rule(rule).status == "proved"
    assert [prove_rule(r).status for r in (narrow, _rule(text))] == ["refuted", "refuted"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [  # right for positive bases, for quotients below 2, for positive divisors
        ("POW(a:T, b:T)", "g * b * EXP(LOG(a) * (b - {1.0}:T)), g * POW(a, b) * LOG(a)"),
        ("FMOD(a:T, b:T)", "g, WHERE(b * b <= a * a, WHERE(a * b < {0.0}:T, g, -g), {0.0}:T)"),
        ("RECIP(x:T)", "-(g / (x * x)) + WHERE(x < {0.0}:T, g, {0.0}:T)"),
    ],
)
def test_differences_are_taken_over_the_whole_domain(question, answer):
    rule = _rule(f"rule r<T: Float> GRAD({question}, g) => TUPLE({answer})", "derivative")
    assert prove_rule(rule).status == "refuted"


# ---- calculus ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("NEG(_:T)", "-g", "g"),
        ("y@RECIP(_:T)", "-(g * y * y)", "g * y * y"),
        ("y@SQRT(_:T)", "g / (y + y)", "g / y"),
        ("LOG(x:T)", "g * RECIP(x)", "g * x"),
        ("ATAN(x:T)", "g / ({1.0}:T + x * x)", "g / ({1.0}:T - x * x)"),
        ("COS(x:T)", "-(g * SIN(x))", "g * SIN(x)"),
        ("TANH(x:T)", "g - g * TANH(x) * TANH(x)", "g - g * TANH(x)"),
        ("a:T / b:T", "g / b, -(g * a / (b * b))", "g / b, g * a / (b * b)"),
        ("MULACC(a:T, b:T, _:T)", "g * b, g * a, g", "g * a, g * b, g"),
        ("TRUNC(_:T)", "NOGRAD():void", "g"),
    ],
)
def test_calculus_tells_a_derivative_from_what_is_none(question, right, wrong):
    facts = Facts(load_table())
    for answer, holds in ((right, True), (wrong, False)):
        rule = _rule(f"rule r<T: Float> GRAD({question}, g) => TUPLE({answer})", "derivative")
        assert proves(rule, facts, 2.0) is holds


@pytest.mark.parametrize("sort", [(2, 3), (3, 3), (3, 4)])
def test_a_difference_turned_round_is_the_same_number(sort):
    """The law that one subtractor is asked for, against z3's own two."""
    z3 = pytest.importorskip("z3")
    domain = Floats()
    context, made = domain.context, z3.FPSort(*sort, domain.context)
    domain._sort = lambda kind: made
    x, y = z3.FP("x", made), z3.FP("y", made)
    plain = z3.fpSub(domain._near, x, y, context)
    solver = domain.solver()
    solver.add(plain != domain._turned(x, y, None))
    assert solver.check() == z3.unsat


@pytest.mark.parametrize(
    ("level", "text", "status"),
    [
        ("signed_zero", "-(x:T - y:T) => y - x", "proved"),
        ("nan_payload", "-(x:T - y:T) => y - x", "refuted"),
        ("signed_zero", "x:T - y:T => -(y - x)", "proved"),
        ("signed_zero", "x:T - y:T => y - x", "refuted"),
        ("signed_zero", "-(x:T - y:T) => y + x", "refuted"),
    ],
)
def test_differences_turned_round_in_rules(level, text, status):
    text = f"ruleset mine {{ rule it<T: f32 | f64> equiv {level} {text} prove interp }}"
    proof = prove_rule(next(rules_of([parse_text(text)]))[1])
    assert proof.status == status


@pytest.mark.parametrize(
    ("zero", "infinite", "status"),
    [
        ("{-inf}:f64", "x", "bounded"),
        ("{-17.0}:f64", "x", "refuted"),
        ("{inf}:f64", "x", "refuted"),
        ("{nan}:f64", "x", "refuted"),
        ("{-inf}:f64", "{1.0}:f64", "refuted"),
        ("{-inf}:f64", "{nan}:f64", "refuted"),
    ],
)
def test_a_result_that_is_infinite_in_f64_is_compared_too(zero, infinite, status):
    head = f"WHERE(x == 0.0, {zero}, WHERE(x == {{inf}}:f64, {infinite}, LOG2(x)))"
    rule = _rule(f'rule it equiv ulp:2 LOG2(x:f64) => {head} expands "a test\'s"', "interp")
    assert prove_rule(rule).status == status
