"""A rule that prover and matcher could read differently is refuted; its sound neighbour is not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from naive import NaiveMatcher

from rulewright.interp.run import evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.read import build_body
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.lang.parse import parse_text
from rulewright.verify.prove import files as proofs, prove_rule, rules_of
from rulewright.verify.prove.trial import matcher

READINGS = sorted((Path(__file__).parent / "readings").glob("*.uop"))
FILES = [parse_text(path.read_text(), str(path)) for path in READINGS]
RULES = {(s, str(r.name)): r for s, r in rules_of(FILES)}
WRONG = [name for s, name in RULES if s == "wrong"]
STATUS = {"smt": "proved", "derivative": "proved", "interp": "bounded"}


def _rule(text: str) -> t.Rule:
    return next(rules_of([parse_text(f"ruleset mine {{ {text} prove smt }}")]))[1]


@pytest.mark.parametrize("name", WRONG)
def test_a_rule_that_the_matcher_reads_otherwise_is_refuted(name):
    proof = prove_rule(RULES["wrong", name])
    assert proof.status == "refuted"
    graphs = parse_text(proof.counterexample).all(t.Graph)
    assert [str(g.name) for g in graphs][:1] == ["before"]


OPEN = {"slope_of_power": "bounded"}  # at base 0 slopes are not what logarithms say


@pytest.mark.parametrize("name", WRONG)
def test_its_sound_neighbour_holds(name):
    rule = RULES["right", name]
    proof = prove_rule(rule)
    assert proof.counterexample == ""
    assert proof.status == OPEN.get(name, STATUS[rule.all(t.Prove)[0].method])


def test_both_sets_have_the_same_names():
    assert [name for s, name in RULES if s == "right"] == WRONG


def _both(rule: t.Rule, node: UOp) -> UOp | None:
    """What a rule makes of a node, by the matcher that ships; by the naive one it is the same."""
    found = matcher(rule, load_table())(node)
    assert NaiveMatcher([rule], load_table()).apply(rule, node) is found
    return found


def _graph(text: str) -> UOp:
    return build_body(parse_text(f"graph g {{ return {text} }}").all(t.Graph)[0].body)


def test_a_second_constant_of_the_same_value_and_another_dtype_is_another_constant():
    rule = _rule("rule r<A: Wrapping, B: Wrapping> CAST(x:A + $c):B - $c => CAST(x):B")
    assert _both(rule, _graph("CAST(PARAM[0]:u8 + 255:u8):i32 - 255:i32")) is None
    same = _graph("CAST(PARAM[0]:u8 + 255:u8):u8 - 255:u8")
    assert _both(rule, same) is _graph("CAST(PARAM[0]:u8):u8")
    assert prove_rule(rule).status == "proved"


@pytest.mark.parametrize("value", [300, -1, 255, 7])
def test_folds_compute_in_their_dtype_what_the_interpreter_computes(value):
    divided = _rule("rule r CAST($c:i32):u8 // $d => {c // d}")
    below = _rule("rule r CAST($c:i32):u8 < $d => {d > c}:bool")
    for rule, op in ((divided, Ops.FLOORDIV), (below, Ops.CMPLT)):
        left = UOp.const(dtypes.i32, value).cast(dtypes.u8)
        node = left.alu(op, UOp.const(dtypes.u8, 9))
        made = _both(rule, node)
        assert made is not None and made.arg == evaluate(node, {}).item()


def test_a_literal_in_a_fold_is_one_of_its_dtype():
    rule = _rule("rule r<T: u8> $c:T // 3 => {c // 259}")
    node = UOp.const(dtypes.u8, 100).alu(Ops.FLOORDIV, UOp.const(dtypes.u8, 3))
    made = _both(rule, node)
    assert made is not None and made.arg == 100 // 3


def test_a_float_literal_matches_no_integer():
    rule = _rule("rule r<T: Number> x:T * 2.0 => x + x")
    assert _both(rule, _graph("PARAM[0]:i32 * 2")) is None
    assert _both(rule, _graph("PARAM[0]:f32 * 2.0")) is _graph("PARAM[0]:f32 + PARAM[0]:f32")


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ('VAR["i", 0, 9] * 0', True),
        ("INVALID():index", False),
        ('WHERE(PARAM[0]:bool, VAR["i", 0, 9], INVALID():index) % 4 + 1', False),
        ("CAST(INVALID():index):i32", True),
        ("CAST(CAST(INVALID():index):i32):index", True),
        ('WHERE(INVALID():index < 3, VAR["i", 0, 9], 3:index)', True),
        ("INDEX(PARAM[0, (4,), none]:index, INVALID():index)", True),
    ],
)
def test_an_index_is_valid_where_nothing_invalid_is_in_it(text, valid):
    assert _graph(text).valid is valid


# ---- labels ------------------------------------------------------------------------------------


HARD = """rule hard<T: u64> (x:T * $a) // $b => x * {a // b}
  when a > 0 and b > 0 and a % b == 0 and x.vmin * a >= T.min and x.vmax * a <= T.max"""


def test_the_last_resort_is_called_timed_out_and_not_kept(monkeypatch):
    monkeypatch.setattr("rulewright.verify.prove.ask.LAST_RESORT", 1e-6)
    proof = prove_rule(_rule(HARD))
    assert (proof.status, proof.note.partition(" after")[0]) == ("timed out", "time ran out")
    assert not proofs._lasts(proof)


TWO = """ruleset mine {
  rule first<T: Wrapping>
    x:T - x => {0}:T
    prove smt
    example PARAM[0]:i32 - PARAM[0]:i32 => 0:i32
    reject  PARAM[0]:f32 - PARAM[0]:f32
  rule second<T: Wrapping>
    x:T ^ x => {0}:T
    prove smt
    example PARAM[0]:i32 ^ PARAM[0]:i32 => 0:i32
    reject  PARAM[0]:bool ^ PARAM[0]:bool
}
"""


DEADLY = """import os

def die(x):
    return x if x.op.name == "PARAM" and x.dtype.name == "i8" else os._exit(9)
"""


def _statuses(result) -> dict[str, str]:
    return {row["rule"]: row["status"] for row in json.loads(result.stdout)["rules"]}


def test_a_rule_at_which_the_prover_fails_is_one_row(cli, tmp_path, monkeypatch):
    (tmp_path / "two.uop").write_text(TWO)

    def fails(rule, *rest):
        if rule.name == "first":
            raise RecursionError("too deep")
        return prove_rule(rule, *rest)

    monkeypatch.setattr(proofs, "prove_rule", fails)
    args = ("prove", "--no-cache", "--jobs", "1", "--format", "json", tmp_path / "two.uop")
    result = cli(*args)
    assert result.exit_code == 1
    assert _statuses(result) == {"first": "crashed", "second": "proved"}
    assert "RecursionError: too deep" in result.stdout


def test_a_rule_that_ends_its_process_is_one_row(cli, tmp_path, monkeypatch):
    (tmp_path / "deadly.py").write_text(DEADLY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.syspath_prepend(tmp_path)
    text = TWO.replace(
        "ruleset mine {",
        'extern build die(x: uop) -> uop = "deadly:die"\n  pure partial  because "a test"\n'
        "ruleset mine {\n  rule deadly\n    DETACH(x) => die(x)\n    prove interp\n"
        "    example DETACH(PARAM[0]:i8) => PARAM[0]:i8\n    reject  PARAM[0]:i8",
    )
    (tmp_path / "three.uop").write_text(text)
    args = ("prove", "--no-cache", "--jobs", "2", "--format", "json", tmp_path / "three.uop")
    result = cli(*args, "--allow-externs", "deadly")
    assert result.exit_code == 1
    assert _statuses(result) == {"deadly": "crashed", "first": "proved", "second": "proved"}
