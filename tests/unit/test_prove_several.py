"""Rules over values on several devices, and over lists of effects and of operands."""

from __future__ import annotations

import pytest

from rulewright.ir.ops import Ops
from rulewright.lang.build import parsed_spec
from rulewright.lang.parse import parse_text
from rulewright.schedule import shards
from rulewright.verify.prove import Proof, Settings, prove_rule, rules_of

PARTS = 'PARAM[0, (2,), "C"]:f32, PARAM[1, (2,), "C:1"]:f32'
NONE = 'PARAM[0, (0,), "C"]:f32, PARAM[1, (0,), "C:1"]:f32'


def _proof(rule: str) -> Proof:
    text = f"ruleset mine {{ rule it{'' if rule[0] == '<' else ' '}{rule} }}"
    return prove_rule(next(rules_of([parse_text(text)]))[1], settings=Settings(quick=True))


@pytest.mark.parametrize(
    "rule",
    [
        f'MSTACK[a, d](x, y) => MSTACK[a, d](y, x) prove interp example MSTACK[0, "C,C:1"]({NONE})',
        "FLIP[f](MSTACK[a, d](x, y)) => MSTACK[a, d](FLIP[f](x), FLIP[f](y)) prove interp"
        f' example FLIP[(false,)](MSTACK[0, "C,C:1"]({PARTS}))',
        "REDUCE_AXIS[o, a](MSTACK[b, d](x, y)) => MSTACK[b, d](REDUCE_AXIS[o, a](x),"
        " REDUCE_AXIS[o, a](y)) prove interp",
        "PERMUTE[p](MSTACK[a, d](x, y)) => MSTACK[a, d](PERMUTE[p](x), PERMUTE[p](y)) prove interp",
        "NEG(MSTACK[a, d](x:f32, y)) => MSTACK[a, d](-x, y) prove interp",
        "STORE(MSTACK[a, d](m, n), v) => SINK(STORE(m, v), STORE(n, v)) prove interp",
        "AFTER(MSTACK[a, d](m, n), e..) => MSTACK[a, d](m, n) prove interp",
        "COPY[d](MSTACK[0, e](x, y)) => COPY[d](x) prove interp",
        'COPY["C"](MSTACK[none, e](x, y)) => x prove interp',
    ],
)  # fmt: skip
def test_what_is_wrong_of_parts_is_refuted(rule):
    assert _proof(rule).status == "refuted"


@pytest.mark.parametrize(
    "rule",
    [
        "MSTACK[a, d](x, rs..) => x",
        "MSTACK[none, d](x, y) => MSTACK[0, d](x, y)",
        'MSTACK[0, d](x, y) => MSTACK[0, "C:1,C"](x, y)',
        'COPY[d](x) => COPY["C"](x)',
    ],
)
def test_each_device_keeps_its_part_of_a_value(rule):
    assert _proof(f"{rule} prove interp").status == "refuted"


@pytest.mark.parametrize("name", ["spread_copy", "gather_copy", "movement_of_parts"])
def test_the_rules_of_shards_hold_on_graphs_of_their_patterns(name):
    rules = {str(rule.name): rule for _, rule in rules_of(parsed_spec())}
    proof = prove_rule(rules[name])
    assert (proof.status, proof.method) == ("bounded", "interp")


def test_a_text_that_a_guard_names_is_no_axis():
    rule = 'MSTACK[a, d](x, y) => MSTACK[a, d](x, y + y) when d != "reduce" prove interp'
    assert _proof(rule).status == "refuted"


def test_a_right_rule_of_parts_is_tried_on_graphs_of_its_pattern():
    rule = "NEG(MSTACK[a, d](x:f32, y)) => MSTACK[a, d](-x, -y) prove interp"
    proof = _proof(rule)
    assert (proof.status, proof.method) == ("bounded", "interp")
    assert proof.graphs >= 20


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("SINK(a.., b) => SINK(a..)", "refuted"),
        ("SINK(a, b) => SINK(b, a)", "refuted"),
        ("SINK(a.., SINK(b..), c..) => SINK(b.., a.., c..)", "refuted"),
        ("SINK(a.., SINK(b..), c..) => SINK(a.., b.., c..)", "bounded"),
    ],
)
def test_effects_happen_in_their_order(rule, status):
    assert _proof(f"{rule} prove interp").status == status


@pytest.mark.parametrize(
    "rule",
    [
        "m@[ADD SUB MULACC](_.., CONST():f32, _..) => m + m when m.op == ADD",
        "m@[ADD MUL](_.., c@CONST():i32, _..) => m + c",
        "y@Elementwise(_.., FLIP[f](x:f32), _..) => FLIP[f](y)",
    ],
)
def test_an_operand_at_any_place_is_tried_of_ops_with_more_and_with_fewer(rule):
    assert _proof(f"{rule} prove interp").status == "refuted"


def test_a_symbolic_number_of_numbers_is_tried():
    assert _proof("IOTA[s](n):i32 => IOTA[s](n + 1:index):i32 prove interp").status == "refuted"


ONE = 'example SHUFFLE[1](1.0:f32, RANGE[0, "loop"](2:index)):f32'  # of an op of no graphs


def test_what_ran_on_its_examples_alone_is_not_called_bounded():
    guard = "when x.op == CONST and x.arg == 1 and r.vmax == 1"
    proof = _proof(f"SHUFFLE[s](x, r@RANGE(_)) => SHUFFLE[s](x * x, r) {guard} prove interp {ONE}")
    assert (proof.status, proof.method) == ("unknown", "examples")
    assert proof.note == "no graph of its pattern was made: its examples alone were run"


def test_a_rule_of_an_op_of_no_graphs_is_run_on_graphs_like_its_example():
    rule = "SHUFFLE[s](x, r@RANGE(_)) => SHUFFLE[s](x * x, r) prove interp"
    assert _proof(f"{rule} {ONE}").status == "refuted"


def test_what_an_extern_looks_for_below_is_tried_as_the_examples_have_it():
    rules = {str(rule.name): rule for _, rule in rules_of(parsed_spec())}
    proof = prove_rule(rules["expand_after_elementwise"], settings=Settings(quick=True))
    assert (proof.status, proof.method) == ("bounded", "interp")


@pytest.mark.parametrize("guard", ["len(f) == 7", "f.count(true) == 9"])
def test_so_many_axes_are_tried_as_a_guard_names(guard):
    rule = f"FLIP[f](x) => x when {guard} or f.count(true) == 0 prove interp"
    assert _proof(rule).status == "refuted"


@pytest.mark.parametrize(
    "rule",
    [
        '<T: Int> x:T + $c => x when c == 0 or x.op.name == "SCRATCH" and T == i32 prove smt',
        '<T: Int> x:T + $c => x when c == 0 or x.op.name == "NEG" prove smt',
        'FLIP[f](x) => x when x.op.name == "IOTA" or x.size == 1 prove interp',
    ],
)
def test_a_guard_that_names_an_op_by_its_text_is_asked_of_it(rule):
    assert _proof(rule).status == "refuted"


def test_parts_of_other_sizes_than_devices_have_are_refuted(monkeypatch):
    """The value is right, but the last device has more than the first."""
    plain = shards._moved

    def whole_parts(node, number, where):
        if node.op is not Ops.FLIP:
            return plain(node, number, where)
        return shards._on(node.replace(src=(node.src[0].src[-1 - number],)), where.devices[number])

    monkeypatch.setattr(shards, "_moved", whole_parts)
    rules = {str(rule.name): rule for _, rule in rules_of(parsed_spec())}
    proof = prove_rule(rules["movement_across_parts"], settings=Settings())
    assert proof.status == "refuted" and "have shapes" in str(proof)
