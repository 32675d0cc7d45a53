"""Rules that are false for what stands beside the usual: each was called proved once.

Scalars among tensors, parts of a tensor, memory as another dtype, other reductions, more operands,
labels that a guard names, and what it asks of a leaf.
"""

from __future__ import annotations

import pytest

from rulewright.lang.parse import parse_text
from rulewright.verify.prove import prove_rule, rules_of


def _proof(text: str, method: str = "interp"):
    head, _, rest = text.rpartition("|")
    text = f"ruleset mine {{ rule it{head} {rest} prove {method} }}"
    return prove_rule(next(rules_of([parse_text(text)]))[1])


@pytest.mark.parametrize(
    "rule",
    [
        "FLIP[f](x + y) => FLIP[f](x) + FLIP[f](y)",
        "RESHAPE[s](x + y) => RESHAPE[s](x) + RESHAPE[s](y)",
        "PERMUTE[p](x * y) => PERMUTE[p](x) * PERMUTE[p](y) when len(p) == 2",
        "SHRINK[b](x * y) => SHRINK[b](x) * SHRINK[b](y)",
        "EXPAND[s](x * y) => EXPAND[s](x) * EXPAND[s](y)",
        "<T: Float>| PAD[p](x:T * y) => PAD[p](x) * PAD[p](y)",
        "INDEX(x + y, is..) => INDEX(x, is..) + INDEX(y, is..)",
        "STORE(FLIP[f](x), v) => STORE(x, FLIP[f](v))",
    ],
)
def test_a_scalar_goes_with_tensors_of_any_shape(rule):
    assert _proof(rule).status == "refuted"


@pytest.mark.parametrize(
    "rule",
    [
        "INDEX(RESHAPE(x), i) => INDEX(x, i) when len(x.shape) == 1",
        "INDEX(PERMUTE[p](x), i) => INDEX(x, i) when p == (0,) or p == (0, 2, 1)",
        "INDEX(FLIP[f](x), i) => INDEX(x, i) when f == (false, true)",
        "INDEX(x, i) => INDEX(x, i, 0:index) when len(x.shape) == 2",
    ],
)
def test_fewer_indices_than_axes_give_a_part_of_a_tensor(rule):
    assert _proof(rule).status == "refuted"


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("SUBBUFFER[o, s](SUBBUFFER[p, _](x)) => SUBBUFFER[o + p, s](x)", "refuted"),
        (
            "<T: Any>| SUBBUFFER[o, s](SUBBUFFER[p, _](x:T):T):T => SUBBUFFER[o + p, s](x)",
            "proved at rank 3",
        ),
    ],
)
def test_a_part_of_memory_may_be_of_another_width(rule, status):
    assert _proof(rule).status == status


@pytest.mark.parametrize("op", ["AND", "OR", "XOR"])
def test_reductions_are_all_that_there_are(op):
    rule = f"REDUCE[op](x:bool, rs..) => x when op == {op} or len(rs) == 0"
    assert _proof(rule).status == "refuted"


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("REDUCE[ADD](x:i32, rs..) => x when len(rs) > 2 or len(rs) == 0", "refuted"),
        ("REDUCE[ADD](x:i32, rs..) => x when len(rs) > 3 or len(rs) == 0", "refuted"),
        ("REDUCE[ADD](x:i32, rs..) => x when len(rs) > 7 or len(rs) == 0", "bounded"),
        ("END(e, rs..) => e when len(rs) > 2 or len(rs) == 0", "refuted"),
        ("REDUCE[ADD](x:i32, rs..) => x when len(rs) == 0 or len(x.shape) == 1", "refuted"),
    ],
)
def test_as_many_operands_are_tried_as_a_guard_counts(rule, status):
    assert _proof(rule).status == status


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ('r@RANGE[_, k](n) % $c => r when k == "vector" or n.vmax <= c', "refuted"),
        ('COPY[d](x) => x when d == "CUDA" or x.device == d', "refuted"),
        ('FLIP[f](x@PARAM[_, _, d]) => x when d == "CUDA" or f == (false,)', "refuted"),
        ('FLIP[f](x) => x when x.device == "CUDA" or f == (false,)', "refuted"),
        ("FLIP[f](x@PARAM[s, _, _]) => x when s == 300 or f == (false,)", "refuted"),
        ('v@VAR[n, a, b] % $c => v when n == "batch" or a >= 0 and b < c', "refuted"),
        ('v@VAR[n, a, b] % $c => v when n == "batch" and a >= 0 and b < c', "bounded"),
    ],
)
def test_a_label_that_a_guard_names_is_met(rule, status):
    assert _proof(rule).status == status


@pytest.mark.parametrize(
    "asked",
    ["x.op == SIN", "x.arg != x.arg", "x.base.op == SIN", "x.vmin == 7", "len(x.ranges) == 4"],
)
def test_who_asks_what_a_leaf_is_does_not_know_all_leaves(asked):
    proof = _proof(f"FLIP[f](x:i32) => x when {asked} or f == (false,)")
    assert proof.status == "bounded"
    assert "of a leaf" in proof.note


def test_what_a_guard_compares_may_be_one_node():
    assert _proof("FLIP[f](x + y) => x when x == y or f == ()").status == "refuted"
    assert _proof("FLIP[f](WHERE(c, x, y)) => FLIP[f](x) when x == y").status != "refuted"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("NEG(x:T)", "-(g) + 0.000000001"),
        ("SIN(x:T)", "g * COS(x) + 0.0000001 * g"),
        ("ERF(x:T)", "g * 1.12838 * EXP(-(x * x))"),
    ],
)
def test_a_gradient_that_is_wrong_by_a_little_is_wrong(question, answer):
    rule = f"<T: f32 | f64>| GRAD({question}, g) => TUPLE({answer})"
    assert _proof(rule, "derivative").status == "refuted"


def test_a_nan_is_shown_with_its_bits():
    shown = _proof("<T: f32>| x:T + y:T => y + x", "smt").counterexample
    lines = [line for line in shown.splitlines() if "PARAM" in line]
    assert len(lines) == 4 and all(", bits 0x" in line for line in lines)


def test_numbers_that_differ_are_shown_rather_than_the_bits_of_a_nan():
    shown = _proof("<T: f32>| x:T * y:T + y => y * (x + 1.0)", "smt").counterexample
    assert "bits" not in shown.splitlines()[0]


def test_where_memory_or_an_array_differs_is_said():
    shown = _proof("STORE(x, v) => STORE(x, x)").counterexample
    assert "what PARAM 0 holds then at [" in shown
    rule = "<T: f32>| REDUCE_AXIS[MAX, a](-(x:T)) => -REDUCE_AXIS[MIN, a](x)"
    assert _proof(rule).counterexample.startswith("# the result at [")
