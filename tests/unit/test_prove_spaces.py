"""Rules that say another memory, or another number of one, and rules of TUPLE."""

from __future__ import annotations

import pytest

from rulewright.lang.parse import parse_text
from rulewright.verify.prove import Proof, Settings, prove_rule, rules_of


def _proof(text: str, quick: bool = True) -> Proof:
    file = parse_text(f"ruleset mine {{ rule it{text} prove interp }}")
    return prove_rule(next(rules_of([file]))[1], settings=Settings(quick=quick))


@pytest.mark.parametrize(
    "text",
    [
        "<T: Any> DEFINE_LOCAL[a, n]:T => DEFINE_REG[a, n]",
        "<T: Any> DEFINE_REG[a, n]:T => DEFINE_LOCAL[a, n]",
        "<T: Any> INDEX(DEFINE_LOCAL[a, n], i):T => INDEX(DEFINE_REG[a, n], i):T",
        "<T: Any> INDEX(AFTER(DEFINE_LOCAL[a, n], e..), i):T"
        " => INDEX(AFTER(DEFINE_REG[a, n], e..), i):T",
        "<T: Any> STORE(INDEX(DEFINE_LOCAL[a, n], i):T, v)"
        " => STORE(INDEX(DEFINE_REG[a, n], i):T, v)",
    ],
)
def test_memory_of_a_work_item_is_not_that_of_its_workgroup(text):
    assert _proof(text).status == "refuted"


@pytest.mark.parametrize(
    "text",
    [
        "<T: Any> DEFINE_REG[a, n]:T => DEFINE_REG[0, n]",
        "<T: Any> INDEX(DEFINE_LOCAL[a, n], i):T => INDEX(DEFINE_LOCAL[0, n], i):T",
        "<T: Any> PARAM[a, s, d]:T => PARAM[0, s, d]",
        "<T: Any> PARAM[a, s, d]:T => PARAM[1, s, d]",
        "<T: Any> SCRATCH[a, s, d]:T => SCRATCH[0, s, d]",
        " RANGE[a, k](n) => RANGE[0, k](n)",
    ],
)
def test_what_has_another_number_is_another_one(text):
    assert _proof(text).status == "refuted"


@pytest.mark.parametrize(
    "text",
    [
        " TUPLE(x, y) => TUPLE(y, x)",
        " TUPLE(x, y) => TUPLE(x)",
        " TUPLE(x:i32 + 0, y) => TUPLE(x + 1, y)",
        "<T: Float> TUPLE(x:T + 0.0, y) => TUPLE(x, y)",
        " TUPLE(x:i32) => x",
    ],
)
def test_each_item_of_a_tuple_stays_what_it_is(text):
    proof = _proof(text)
    assert proof.status == "refuted"
    assert "TUPLE" in proof.counterexample


def test_a_right_rule_of_a_tuple_is_bounded():
    assert _proof(" TUPLE(x:i32 + 0, y) => TUPLE(x, y)").status == "bounded"
    assert _proof("<T: Float> equiv signed_zero TUPLE(x:T + 0.0) => TUPLE(x)").status == "bounded"
