"""Wrong rules of every family are refuted with graphs that show it; right ones are not."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from engine_graphs import spec_rule

from rulewright.interp.run import evaluate
from rulewright.ir.ops import Ops
from rulewright.ir.read import build_body
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.parse import parse_text
from rulewright.lang.table import extern_row
from rulewright.verify.prove import Proof, Settings, prove_rule, rules_of
from rulewright.verify.prove.files import SHARE, listed

UNSOUND = Path(__file__).parent / "unsound.uop"
SETTINGS = Settings(timeout=5.0)


def _rules(text: str) -> list[t.Rule]:
    return [rule for _, rule in rules_of([parse_text(text)])]


def _prove(text: str) -> Proof:
    return prove_rule(_rules(f"ruleset mine {{ {text} }}")[0], settings=Settings(quick=True))


def _unsound() -> list[t.Rule]:
    return _rules(UNSOUND.read_text(encoding="utf-8"))


@pytest.mark.parametrize("rule", _unsound(), ids=lambda rule: str(rule.name))
def test_every_rule_of_the_unsound_file_is_refuted(rule):
    proof = prove_rule(rule, settings=SETTINGS)
    assert proof.status == "refuted"
    graphs = parse_text(proof.counterexample).all(t.Graph)
    assert [str(g.name) for g in graphs] == ["before", "after"]


def test_a_counterexample_shows_every_intermediate_value():
    proof = _prove("rule zero<T: f32> x:T * 0.0 => {0.0}:T prove interp")
    lines = proof.counterexample.splitlines()
    shown = [line.partition("  # ")[2] for line in lines if " = " in line]
    assert len(shown) == 2 and all(shown)
    graph = build_body(parse_text(proof.counterexample).all(t.Graph)[0].body)
    leaf = next(n for n in graph.toposort() if n.op is Ops.PARAM)
    found = evaluate(graph, {leaf: np.array(float(shown[0]), np.float32)})
    assert np.isnan(found) or np.signbit(found)


RIGHT = {
    "grad_mul": ("proved", "calculus, derivative"),
    "grad_permute": "derivative",
    "grad_after_store_view": "derivative",
    "grad_after_store_detached": "derivative",
    "index_through_view": "interp",
    "index_through_pad": "interp",
    "sum_of_chosen": "interp",
    "store_through_bitcast": "interp",
    "multiply_accumulate": "interp",
    "pair_in_sum": "interp",
    "index_under_validity": "interp",
    "gate_of_store": "interp",
    "small_add": ("proved", "fp, exhaustive values"),
    "exp_by_polynomial": "samples",
    "neg_neg": ("proved", "fp, exhaustive values"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_rules_of_the_spec_hold(name):
    proof = prove_rule(spec_rule(name), settings=Settings(quick=True))
    found = RIGHT[name]
    wanted = found if isinstance(found, tuple) else ("bounded", found)
    assert (proof.status, proof.method) == wanted


def test_all_values_of_short_floats_prove_an_instance():
    proof = prove_rule(spec_rule("f32_from_f16"))
    assert (proof.status, proof.method) == ("proved", "exhaustive values")


def test_the_bound_in_ulps_is_measured():
    proof = prove_rule(spec_rule("log_by_polynomial"), settings=Settings(quick=True))
    assert proof.note.startswith("within ") and 0.5 <= float(proof.note.split()[1]) <= 2
    tighter = "rule log<T: f32> equiv ulp:1 LOG(x:T) => LOG2(x) * 0.6931472 prove interp"
    assert _prove(tighter).status == "refuted"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            "<T: f32> equiv reassoc (x:T + y:T) + z:T => x + (y + z)",
            r"within \d+% of what is allowed",
        ),
        ("<T: f32> equiv ulp:2 x:T / 3.0 => x * 0.33333333333333331", r"within \d\.\d\d ulp"),
        ("<T: f64> equiv ulp:2 x:T / 3.0 => x * 0.33333333333333331", r"within \d\.\d\d ulp"),
    ],
)
def test_what_is_sampled_says_how_far_and_how_near_it_came(rule, said):
    proof = _prove(f"rule r{rule} prove interp")
    assert proof.status == "bounded"
    assert re.fullmatch(f"(T=)?({said}) at [1-9]\\d* inputs", proof.note)


def test_more_than_is_allowed_is_refuted_and_less_is_a_part_of_it():
    text = "rule r<T: f32> equiv reassoc (x:T + y:T) + z:T => x + (y + z){} prove interp"
    sound, wrong = (_prove(text.format(more)) for more in ("", " * 1.0000001"))
    assert 0 < int(re.search(r"within (\d+)%", sound.note).group(1)) <= 100
    assert wrong.status == "refuted"


@pytest.mark.parametrize(
    ("level", "pattern", "status"),
    [
        ("bits", "x:T - 0.0 => x", "refuted"),
        ("nan_payload", "x:T - 0.0 => x", "proved"),
        ("nan_payload", "x:T + 0.0 => x", "refuted"),
        ("signed_zero", "x:T + 0.0 => x", "proved"),
        ("signed_zero", "x:T * 0.0 => {0.0}:T", "refuted"),
        ("finite", "x:T * 0.0 => {0.0}:T", "proved"),
        ("ulp:2", "x:T / 3.0 => x * 0.33333333333333331", "bounded"),
        ("nan_payload", "x:T / 3.0 => x * 0.33333333333333331", "refuted"),
        ("reassoc", "(x:T + y:T) + z:T => x + (y + z)", "bounded"),
        ("nan_payload", "(x:T + y:T) + z:T => x + (y + z)", "refuted"),
        ("reassoc", "(x:T + y:T) + z:T => x + (y - z)", "refuted"),
    ],
)
def test_results_are_compared_at_the_level_that_the_rule_states(level, pattern, status):
    assert _prove(f"rule r<T: f32> equiv {level} {pattern} prove interp").status == status


def test_a_pattern_that_nothing_fits_is_vacuous():
    text = "rule never INDEX(x, i) => x when len(x.shape) == 9 prove interp"
    proof = _prove(text)
    assert proof.status == "vacuous" and "no graph was found" in proof.note


def test_externs_of_the_file_itself_are_run():
    file = parse_text("""
extern build mine_like(x: uop, value: uop) -> uop = "rulewright.tensor.adjoint:expand_like"
  pure total  because "a test"
ruleset mine { rule drop y@DETACH(x) => mine_like(y, x) prove interp }
""")
    rule = next(rules_of([file]))[1]
    rows = {str(e.name): extern_row(e) for e in file.all(t.Extern)}
    table = load_table()
    proof = prove_rule(rule, {**table, "externs": {**table["externs"], **rows}})
    assert proof.status == "proved at rank 3" and proof.method == "sizes, interp"


def test_a_rule_that_stops_is_refuted_with_its_graph():
    proof = _prove("rule stops x@DETACH(y) => y when 1 // len(x.shape) == 1 prove interp")
    assert proof.status == "refuted"
    assert proof.counterexample.startswith("# the rule stops: ZeroDivisionError")
    assert "DETACH" in proof.counterexample


def test_a_store_into_an_empty_view_does_nothing():
    text = """graph empty {
  p = PARAM[0, (4,), none]:f32
  none_of_it = SHRINK[((2, 2),)](p):f32
  s = STORE(INDEX(none_of_it, INVALID():index):f32, 1.0:f32)
  return SINK(s)
}"""
    graph = build_body(parse_text(text).all(t.Graph)[0].body)
    memory = np.arange(4, dtype=np.float32)
    evaluate(graph, {next(n for n in graph.toposort() if n.op is Ops.PARAM): memory})
    assert memory.tolist() == [0, 1, 2, 3]


class TestBudget:
    def test_the_list_is_what_the_rules_say(self):
        trusted = {
            f"{name}.{rule.name}": rule.all(t.Trust)[0].reason.value
            for name, rule in rules_of(parsed_spec())
            if rule.all(t.Trust)
        }
        assert trusted == listed()

    def test_it_is_at_most_two_percent_and_only_goes_down(self):
        total = sum(1 for _ in rules_of(parsed_spec()))
        assert len(listed()) <= min(6, SHARE * total)


class TestVectors:
    """STACK and LANE in a pattern, of which no example is given."""

    def test_a_lane_of_equal_lanes_is_one_of_them(self):
        one = "when y.dtype == T and T.count == 1 prove interp"
        proof = _prove(f"rule same<T: Any> y@LANE(STACK(a:T, a)) => a {one}")
        assert (proof.status, proof.method) == ("bounded", "interp")
        for types, part, kind in (("", "a", "a.dtype"), ("<T: Any>", "a:T", "T")):
            rule = f"rule same{types} y@LANE(STACK({part}, a)) => a when y.dtype == {kind}"
            assert _prove(f"{rule} prove interp").status == "refuted"  # lanes in any order

    def test_a_lane_is_not_always_the_first(self):
        proof = _prove("rule first y@LANE(STACK(a, _)) => a when y.dtype == a.dtype prove interp")
        assert proof.status == "refuted" and "STACK" in proof.counterexample

    def test_lanes_of_any_vector(self):
        text = "rule all LANE(x) => x when {} prove interp"
        assert _prove(text.format("x.dtype.count > 1")).status == "refuted"

    @pytest.mark.parametrize(
        ("answer", "status"),
        [("x + z, y + w", "bounded"), ("x + z, y + z", "refuted"), ("x, y + w", "refuted")],
    )
    def test_an_op_on_lanes_is_done_on_each(self, answer, status):
        text = f"rule each STACK(x:i32, y) + STACK(z, w) => STACK({answer}) prove interp"
        assert _prove(text).status == status

    def test_where_examples_are_varied_lanes_are_of_the_dtype_of_their_vector(self):
        pair = "STACK(PARAM[{}]:f32, PARAM[{}]:f32):f32*2"
        proof = _prove(
            "rule each<T: Float> STACK(x:T, y) * STACK(z, w) => STACK(x * z, y * w) prove interp"
            f" example {pair.format(0, 1)} * {pair.format(2, 3)}"
        )
        assert proof.status == "bounded" and proof.graphs > 40
