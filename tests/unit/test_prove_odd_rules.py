"""Rules that are odd, or malformed, are one row each that says what they are; none ends the run."""

from __future__ import annotations

import pytest

from rulewright.lang.parse import parse_text
from rulewright.verify.prove import Settings, prove_rule, rules_of
from rulewright.verify.prove.files import prove_trees

# a shape that is not the one before, an argument that no node has, operands that are not there
REFUTED = [
    "EXPAND(x) => x",
    "EXPAND(x, _..) => x",
    "EXPAND(x, s) => x",
    "PAD(x) => x",
    "PAD(x, s) => x",
    "PAD[a](PAD[a](x)) => PAD[a](x)",
    "PAD[((0, none),)](x, n) => x",
    "-PAD[a](x, _) => PAD[a](-x)",
    "SHRINK[a](x) => x",
    "SHRINK(x, s, t) => x",
    "SHRINK[a](PAD[b](x, _..), _..) => SHRINK[a](x)",
    "INDEX(PAD(x), i) => INDEX(x, i)",
    "INDEX(SHRINK(x), i, j) => INDEX(x, j, i)",
    "RESHAPE(RESHAPE(x)) => x",
    "RESHAPE[(2, 3)](x) => x",
    "FLIP[(true,)](x) => x",
    "PERMUTE[p](PERMUTE[p](x)) => x",
    "REDUCE_AXIS[op, axes](x) => x",
    "IOTA() => {0}:i32",
    "STORE(x, y) => STORE(y, x)",
    "AFTER(x, y) => x",
    "SUBBUFFER(x) => x",
    "STACK(x, y) => STACK(y, x)",
    "LANE[i](x) => x",
    "BITCAST(x) => x",
    "BIND(v, x) => v",
    "INVALID() => {0}:index",
    "RANGE(n) => n",
    "x:i32 // 0 => x",
    "SHL(x:i32, 99) => x",
]
GRADIENTS = [
    "GRAD(x, g) => TUPLE(g)",
    "GRAD(PERMUTE(x), g) => TUPLE(g)",
    "GRAD(EXPAND(x, _..), g) => TUPLE(g)",
    "GRAD(EXPAND(x), g) => TUPLE(RESHAPE[(1,)](g))",
    "GRAD(RESHAPE(x, _..), g) => g",
    "GRAD(PAD[a](x), g) => TUPLE(SHRINK[a](g))",
    "GRAD(y@PAD(x), g) => TUPLE(y)",
    "GRAD(x + y, g) => TUPLE(g)",
    "GRAD(x * y, g) => TUPLE(g, g, g)",
    "GRAD(INDEX(x, i), g) => TUPLE(g)",
    "GRAD(REDUCE_AXIS[ADD, _](x), g) => TUPLE(g)",
    "GRAD(CAST(x), g) => TUPLE(g)",
    "GRAD(x < y, g) => TUPLE(g, g)",
    "GRAD(EXP(x), g) => TUPLE(g, g)",
    "GRAD(AFTER(m, STORE(DETACH(m), _)), g) => TUPLE(NOGRAD():void, g)",
    "GRAD(AFTER(m, STORE(DETACH(m), _)), g) => TUPLE(g, g)",
    "GRAD(AFTER(m, STORE(DETACH(m), _)), g) => TUPLE(NOGRAD():void, NOGRAD():void)",
]
NEVER = [
    "EXPAND[(none,)](x) => x",
    "PAD[((0, none),)](x) => x",
    "SHRINK[((none, 2),)](x) => x",
    "RESHAPE[(none, 2)](x) => x",
    "PERMUTE[(1, 1)](x) => x",
    "PERMUTE[(5, 7)](x) => x",
    "FLIP[3](x) => x",
    "PAD[3](x) => x",
    "STORE(x, y, z, w) => STORE(x, y)",
    "GRAD(GRAD(x, y), g) => TUPLE(g)",
]
SOUND = {
    "INDEX(INDEX(x, i), j) => INDEX(x, i, j)": "proved",
    "PERMUTE[(0, 1)](x) => x": "proved at rank 3",
    "FLIP[f](x) => FLIP[f](FLIP[f](FLIP[f](x)))": "proved at rank 3",
    "EXPAND[a](x) => EXPAND[a](EXPAND[a](x))": "proved at rank 3",
    "CONTIGUOUS(x) => x": "proved",
    "REDUCE[op](x) => x": "proved",
    "LANE[(0, 1)](STACK(x, y)) => STACK(x, y) when x.dtype.count == 1": "bounded",
}


def _rule(text, method="interp"):
    return next(rules_of([parse_text(f"ruleset mine {{ rule it {text} prove {method} }}")]))[1]


@pytest.mark.parametrize("text", REFUTED)
def test_an_odd_rule_is_refuted(text):
    assert prove_rule(_rule(text)).status == "refuted"


@pytest.mark.parametrize("text", GRADIENTS)
def test_an_odd_gradient_is_refuted(text):
    assert prove_rule(_rule(text, "derivative")).status == "refuted"


@pytest.mark.parametrize("text", NEVER)
def test_what_no_graph_can_be_is_vacuous(text):
    method = "derivative" if text.startswith("GRAD") else "interp"
    proof = prove_rule(_rule(text, method), settings=Settings(quick=True))
    assert (proof.status, proof.counterexample) == ("vacuous", "")


@pytest.mark.parametrize("text", SOUND)
def test_a_sound_neighbour_is_not_refuted(text):
    assert prove_rule(_rule(text)).status == SOUND[text]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("REDUCE_AXIS[ADD](x) => x", "REDUCE_AXIS has 2 argument fields, found 1"),
        ("CONST => {0}:i32", "a rule's pattern must name the op at its root"),
        ("x => x", "a rule's pattern must name the op at its root"),
        ("KERNEL(x) => x", "unknown op or group KERNEL"),
    ],
)
def test_a_rule_of_which_there_is_no_matcher_is_a_row_that_says_why(text, why):
    text = f"ruleset mine {{ rule it {text} prove interp rule other -(-x:i32) => x prove smt }}"
    proofs = prove_trees([parse_text(text)], keep=False)
    assert [p.status for p in proofs] == ["unchecked", "proved"]
    assert proofs[0].note == why


@pytest.mark.parametrize(
    ("text", "status", "label"),
    [
        ("<T: Int> x:T + 0 => x", "trusted", "trusted ("),
        ("<T: Int> x:T + 1 => x", "refuted", "refuted"),
        ("EXPAND(x) => x", "refuted", "refuted"),
        ("GRAD(FLIP(_), g) => TUPLE(g)", "refuted", "refuted"),
        ("STORE(LOAD(x), y) => STORE(x, y)", "trusted", "trusted (0 samples)"),
    ],
)
def test_a_trusted_rule_is_run_all_the_same(text, status, label):
    params, _, rest = text.rpartition("> ") if text.startswith("<") else ("", "", text)
    head = f"rule it{params}>" if params else "rule it"
    text = f'ruleset mine {{ {head} {rest} trust "so it is" }}'
    proof = prove_rule(next(rules_of([parse_text(text)]))[1])
    assert proof.status == status and proof.label.startswith(label)
    assert bool(proof.counterexample) == (status == "refuted")
    if status == "trusted" and "(0" not in label:
        assert proof.graphs > 0 and proof.note == "so it is"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("AFTER(AFTER(x, e), f) => AFTER(f, e, x)", "takes void"),
        ("LOAD(x:i32) => LOAD(x):f32", "i32 becomes one of f32"),
        ("REDUCE[ADD](CAST(x:i8):i32, r) => REDUCE[ADD](x, r):i32", "REDUCE of i32 takes i8"),
        ("<T: Any> INDEX(-x:T, i) => -LOAD(x)", "has no value"),
        ("LOAD(INDEX(x:f32, i), v, g) => STORE(x, v)", "STORE does not exist for f32"),
        ("CONTIGUOUS(CAST(x:u8):u16) => CONTIGUOUS(x):u16", "CONTIGUOUS of u16 takes u8"),
        ("IOTA[s]():i32 => CAST(IOTA[s]():bool):i32", "IOTA does not exist for bool"),
    ],
)
def test_what_an_op_is_made_of_has_its_dtype(text, why):
    proof = prove_rule(_rule(text))
    assert proof.status == "refuted" and why in proof.counterexample
