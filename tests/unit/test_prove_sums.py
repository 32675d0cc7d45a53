"""Sums taken apart under `reassoc`: what is allowed is that of all terms, also behind REDUCE."""

from __future__ import annotations

import pytest

from rulewright.lang.parse import parse_text
from rulewright.verify.prove import Settings, prove_rule, rules_of

SUM = "REDUCE[ADD]"
AXES = "REDUCE_AXIS[ADD, a]"


def _status(text: str) -> str:
    text = f"ruleset mine {{ rule it<T: Float> equiv reassoc {text} prove interp }}"
    return prove_rule(next(rules_of([parse_text(text)]))[1], settings=Settings(quick=True)).status


@pytest.mark.parametrize(
    "text",
    [
        f"{SUM}(x:T + y, r) => {SUM}(x, r) + {SUM}(y, r)",
        f"{SUM}(x:T - y, rs..) => {SUM}(x, rs..) - {SUM}(y, rs..)",
        f"{SUM}({SUM}(x:T + y, r), s) => {SUM}(x, s, r) + {SUM}({SUM}(y, s), r)",
        f"{SUM}((x:T + y) * 0.5, r) => ({SUM}(x, r) + {SUM}(y, r)) * 0.5",
        f"{AXES}(x:T + y) => {AXES}(x) + {AXES}(y) when x.shape == y.shape",
        f"{AXES}(x:T) + {AXES}(y) => {AXES}(x + y) when x.shape == y.shape",
    ],
)
def test_a_sum_of_sums_is_a_sum_of_all_terms(text):
    assert _status(text) == "bounded"


@pytest.mark.parametrize(
    "text",
    [
        f"{SUM}(x:T + y, r) => {SUM}(x, r)",
        f"{SUM}(x:T + y, r) => {SUM}(x, r) - {SUM}(y, r)",
        f"{SUM}(x:T + 1.0, r) => {SUM}(x, r) + 1.0",
        f"{SUM}(x:T * y, r) => {SUM}(x, r) * y",
        "REDUCE[MUL](x:T + y, r) => REDUCE[MUL](x, r) + REDUCE[MUL](y, r)",
        f"{AXES}(x:T + y) => {AXES}(x) + y when x.shape == y.shape",
        f"{AXES}(MAX(x:T, y)) => MAX({AXES}(x), {AXES}(y))",
    ],
)
def test_another_sum_is_refuted(text):
    assert _status(text) == "refuted"
