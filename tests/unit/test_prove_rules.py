"""Wrong rules are refuted, right ones proved, and what is not known is not called proved."""

from __future__ import annotations

import re
from ast import literal_eval

import pytest

from rulewright.interp.run import evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.read import build_body
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.parse import parse_text
from rulewright.verify.prove import Proof, Settings, prove_rule, rules_of, smt

WRONG = {
    "unguarded_cancel": "<T: Int> MUL!(x:T, $c) // $c => x when c > 0",
    "lt_moved": "<T: Wrapping> x:T + y:T < z:T => x < z - y",
    "mod_dropped": "<T: Int> x:T % $c => x when c > 0",
    "bound_off_by_one": "<T: Int> x:T % $c => x when x.vmin >= 0 and x.vmax <= c",
    "lower_bound_lost": "<T: Int> x:T % $c => x when x.vmax < c",
    "lossy_cast": "<A: Wrapping, B: Wrapping> CAST(CAST(x:A):B):A => x",
    "sign_lost": "<A: Int, B: Int, C: Int> CAST(CAST(x:A):B):C => CAST(x):C when A.bits <= B.bits",
    "self_quotient": "<T: Int> x:T // x => {1}:T",
    "product_wraps": "<T: Wrapping> (x:T // $a) // $b => x // {a * b} when a > 0 and b > 0",
    "truncates": "<T: Int> CDIV(x:T, $d) => x // {d} when d > 0",
    "swapped": "<T: Int> x:T - y:T => y - x",
    "wrong_branch": "<T: Int> WHERE(~c, x:T, y:T) => WHERE(c, x, y)",
    "shifted_out": "<T: Wrapping> (x:T << $c) << $d => x << {c + d} when c >= 0 and d >= 0",
    "mask": "<T: Wrapping> x:T & $c => x when x.vmin >= 0 and x.vmax <= c",
    "last_value": "<T: Int> $c:T < x:T => ~(x < {c + 1}) when x.op != CONST",
    "de_morgan": "<T: Bits> ~(x:T & y:T) => ~x & ~y",
    "order_negated": "<T: Int> x:T < y:T => -y < -x",
    "odd": "<T: Int> x:T + x => x",
    "no_factor": "MUL!(x:index, $c) // $d => x * {c // d} when d > 0",
    "rounds_down": "MUL!(x:index, $c) < $d => x < {d // c} when c > 1",
    "long": "<T: i32> x:T // $c => x >> {ilog2(c)} when c > 0",
    "lanes": "<T: i8 | i16> CDIV(a:T, b) => CAST(CAST(a):u32*T // CAST(b):u32*T):T",
    "turned": "<T: Int> n@[ADD SUB]($c:T, $d:T) => {n.op(d, c)}:T",
    "sum_of_parts": "(x:index + y) // $c => x // {c} + y // {c} when c > 0",
}
RIGHT = {
    "fits": "<T: Wrapping> MUL!(x:T, 2) // 2 => x when x.vmin * 2 >= T.min and x.vmax * 2 <= T.max",
    "zero": "<T: Int> x:T + 0 => x",
    "small": "<T: Int> x:T % $c => x when x.vmin >= 0 and x.vmax < c",
    "widened": "<A: Wrapping, B: Wrapping> CAST(CAST(x:A):B):A => x when A.bits <= B.bits",
    "between": "<A: Int, B: Int> CAST(CAST(x:A):B):A => x"
    " when x.valid and x.vmin >= B.min and x.vmax <= B.max",
    "whole": "<T: Int> MUL!(x:T // $a, $a) + x % $a => x",
    "common": "MUL!(x:index, $c) // $d => (x * {c // gcd(c, d)}) // {d // gcd(c, d)}"
    " when d > 0 and gcd(c, d) > 1",
    "rounds_up": "MUL!(x:index, $c) < $d => x < {-((-d) // c)} when c > 1",
    "shift": "<T: u8 | i8> x:T // $c => x >> {ilog2(c)} when c > 1 and c & (c - 1) == 0",
    "folded": "<T: Int> n@[ADD SUB MAX]($c:T, $d:T) => {n.op(c, d)}:T",
    "compared": "<T: Int> n@[CMPLT CMPEQ]($c:T, $d:T) => {n.op(c, d)}:bool*T",
    "truth": "<T: bool> WHERE(c:T, true:T, false) => c",
    "de_morgan": "<T: Bits> ~(x:T & y:T) => ~x | ~y",
    "named": "<T: Int> SHL(n@0:u32, _) => n",
    "lanes": "<T: i8 | i16> CDIV(a:T, b) => CAST(CDIV(CAST(a):i32*T, CAST(b):i32*T)):T",
    "let": "<T: Wrapping> x:T * $c => y + y when c == 2 let y = x",
}


def _rule(name: str, text: str) -> t.Rule:
    params = re.match(r"<[^>]*>", text)
    rest = text[params.end() :] if params else text
    equiv = re.search(r" equiv \S+", rest)
    rest = rest.replace(equiv.group(), "") if equiv else rest
    head = f"rule {name}{params.group() if params else ''}{equiv.group() if equiv else ''}"
    file = parse_text(f"ruleset mine {{ {head} {rest} prove smt }}")
    return next(rules_of([file]))[1]


def _prove(name: str, text: str, timeout: float = 10.0) -> Proof:
    return prove_rule(_rule(name, text), settings=Settings(timeout))


def _values_of_graphs(text: str) -> list[object]:
    """What the interpreter computes for both graphs, parameters set to what the comments say."""
    leaf = r"(PARAM\[\d+|VAR\[\"\w+\").*  # (.+)"
    given = {m[0]: literal_eval(m[1]) for m in re.findall(leaf, text)}
    results = []
    for graph in parse_text(text).all(t.Graph):
        root = build_body(graph.body)
        leaves = {
            node: UOp.const(node.dtype, given[_leaf(node)])
            for node in root.toposort()
            if node.op in (Ops.PARAM, Ops.VAR)
        }
        results.append(evaluate(root.substitute(leaves), {}).item())
    return results


def _leaf(node: UOp) -> str:
    return f"PARAM[{node.arg[0]}" if node.op is Ops.PARAM else f'VAR["{node.arg[0]}"'


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_refuted(name):
    proof = _prove(name, WRONG[name])
    assert proof.status == "refuted"
    before, after = _values_of_graphs(proof.counterexample)
    assert before != after


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_rule_is_proved(name):
    proof = _prove(name, RIGHT[name])
    assert (proof.status, proof.counterexample) == ("proved", "")


def test_the_width_up_to_which_a_rule_is_proved():
    assert _prove("zero", RIGHT["zero"]).width == "64"
    assert _prove("common", RIGHT["common"]).width == "index"


def test_work_that_runs_out_proves_nothing():
    hard = "<T: u64> (x:T * $a) // $b => (x * {a // b}) when a > 0 and b > 0 and a % b == 0"
    hard += " and x.vmin * a >= T.min and x.vmax * a <= T.max"
    proof = _prove("hard", hard, timeout=0.001)
    assert proof.status == "bounded" and "samples" in proof.method
    assert proof.note == "z3 gave up after 0.001 s of work"


def test_a_rule_that_never_matches():
    assert _prove("never", "<T: Wrapping> x:T + $c => x when c > T.max").status == "vacuous"
    assert _prove("literal", "<T: Unsigned> x:T * -1 => x").status == "vacuous"


def test_instances_that_never_match_do_not_count():
    proof = _prove("signed", "<T: Wrapping> x:T // -1 => x * -1")
    assert proof.status == "proved"
    found = {i["dtypes"]: i["status"] for i in proof.instances}
    assert found["T=u8"] == "vacuous" and found["T=i64"] == "proved"


def test_each_dtype_is_proved_by_what_it_needs():
    proof = _prove("minus_zero", "<T: Number> x:T - 0 => x equiv nan_payload")
    assert proof.status == "proved"
    found = {i["dtypes"]: (i["status"], i["method"]) for i in proof.instances}
    assert found["T=f32"] == found["T=f64"] == ("proved", "fp")
    assert found["T=f16"] == ("proved", "exhaustive values")
    assert found["T=i64"] == ("proved", "smt")


def test_sampled_floats_are_not_called_proved():
    proof = _prove("minus_zero", "<T: Float> x:T + y:T => y + x equiv ulp:1")
    assert proof.status == "bounded"
    found = {i["dtypes"]: (i["status"], i["method"]) for i in proof.instances}
    assert found["T=fp8e5m2"] == ("proved", "exhaustive values")
    assert found["T=f32"] == ("bounded", "samples")


def test_trusted_rules_give_their_reason():
    text = 'ruleset mine { rule t<T: Int> x:T + 0 => x trust "so it is" }'
    rule = next(rules_of([parse_text(text)]))[1]
    proof = prove_rule(rule)
    assert (proof.status, proof.note) == ("trusted", "so it is")


class TestWithoutZ3:
    @pytest.fixture(autouse=True)
    def no_z3(self, monkeypatch):
        monkeypatch.setattr("rulewright.verify.prove.integers.available", lambda: False)

    @pytest.mark.parametrize("name", ["lt_moved", "mod_dropped", "unguarded_cancel", "odd"])
    def test_small_integers_refute(self, name):
        proof = _prove(name, WRONG[name])
        assert proof.status == "refuted"
        before, after = _values_of_graphs(proof.counterexample)
        assert before != after

    @pytest.mark.parametrize("name", ["zero", "small", "whole", "truth"])
    def test_nothing_is_called_proved(self, name):
        proof = _prove(name, RIGHT[name])
        assert proof.status == "bounded" and "smt" not in proof.method


def test_the_counterexample_of_the_interpreter_and_of_the_prover_agree():
    proof = _prove("self_quotient", WRONG["self_quotient"])
    assert _values_of_graphs(proof.counterexample) == [0, 1]
    assert dtypes.u8.name in proof.counterexample and smt.version()
