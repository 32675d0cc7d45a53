"""Rules that say how many lanes a vector has: `x:f32*2`."""

from __future__ import annotations

import pytest

from rulewright.lang.parse import parse_text
from rulewright.verify.prove import Settings, prove_rule, rules_of


def _status(text: str) -> str:
    text = f"ruleset mine {{ rule it {text} prove interp }}"
    return prove_rule(next(rules_of([parse_text(text)]))[1], settings=Settings(quick=True)).status


@pytest.mark.parametrize(
    "text",
    [
        "x:f32*2 - y => y - x",
        "CAST(x:i32*3):f32*3 => CAST(x + 1):f32*3",
        "LANE[(0,)](x:f32*2) => LANE[(1,)](x)",
        "LANE[(0, 1)](x:i32*4) => LANE[(1, 0)](x)",
        "LANE[(0,)](x:f32*2 + y) => LANE[(1,)](x) + LANE[(1,)](y)",
        "LANE[(0,)](WHERE(c, x:u8*2, y)) => WHERE(c, LANE[(0,)](y), LANE[(0,)](x))",
        "STACK(x:f32*2, y) => STACK(y, x)",
        "LANE[(0, 1)](STACK(x:f32*2, y:f32*2)) => y",
        "REDUCE[ADD](x:i32*2, r) => x",
    ],
)
def test_a_false_one_is_refuted(text):
    assert _status(text) == "refuted"


@pytest.mark.parametrize(
    "text",
    [
        "x:i32*2 - y => x + -y",
        "LANE[(0,)](x:f32*2 + y) => LANE[(0,)](x) + LANE[(0,)](y)",
        "LANE[(0, 1)](x:f32*2) => x",
        "LANE[(2, 3)](STACK(x:f32*2, y:f32*2)) => y",
    ],
)
def test_a_right_one_is_bounded(text):
    assert _status(text) == "bounded"
