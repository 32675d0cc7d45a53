"""Rules that name the sizes of an argument one by one, long axes, loops whose sizes are computed,
STAGE, and shifts in guards: what no graph was made of, or what few sizes do not show.
"""

from __future__ import annotations

import pytest

from rulewright.lang.parse import parse_text
from rulewright.verify.prove import prove_rule, rules_of

FALSE = {
    "interp": [
        "PAD[((a, b),)](PAD[((c, d),)](x)) => PAD[((a + d, b + c),)](x)",
        "FLIP[(true,)](PAD[((a, b),)](x)) => PAD[((a, b),)](FLIP[(true,)](x))",
        "SHRINK[((a, b),)](PAD[((c, _),)](x)) => SHRINK[((a - c, b - c),)](x) "
        "when a >= c and b - c <= x.size + 1",
        "PERMUTE[(1, 0)](RESHAPE[(a, b)](x)) => RESHAPE[(b, a)](x) when a <= 2",
        "PERMUTE[(2, 0, 1)](RESHAPE[(a, b, c)](x)) => RESHAPE[(c, a, b)](x) when a * b == c",
        "INDEX(FLIP[(true,)](x), i) => INDEX(x, {x.size}:index - i)",
        "INDEX(RESHAPE[(a, b)](x), i, j) => INDEX(x, i * {a}:index + j) when len(x.shape) == 1 "
        "and b > 0",
        "CAST(IOTA[(n,)]():u8):i32 => IOTA[(n,)]():i32 when n <= 257",
        "CAST(IOTA[(n,)]():f16):i32 => IOTA[(n,)]():i32 when n <= 2050",
        "RESHAPE[()](REDUCE_AXIS[ADD, (0,)](IOTA[(n,)]():i8)) => {n * (n - 1) // 2}:i8",
        "RESHAPE[()](REDUCE_AXIS[ADD, (0,)](IOTA[(n,)]():i32)) => {n * (n - 1) // 2}:i32",
        "REDUCE_AXIS[ADD, a](CAST(x:bool):u8) == 0 => ~REDUCE_AXIS[OR, a](x)",
        "REDUCE_AXIS[ADD, a](CAST(x:bool):i16) < 0 => REDUCE_AXIS[AND, a](x)",
        "RANGE[a, b](x + 1) => RANGE[a, b](x)",
        "RANGE[a, b](MAX(x, y)) => RANGE[a, b](x) when x.vmin >= y.vmin",
        "RANGE(n) // m => {0}:index when n.vmax <= m.vmin",
        "RANGE(_) % m => {0}:index when m.vmin == 1 and m.vmax == 1",
        'STAGE["global"](x, r, s) => STAGE["global"](x, s, r)',
        "STAGE[a](-x, rs..) => STAGE[a](x, rs..)",
        'STAGE["local"](x, rs..) => STAGE["global"](x, rs..)',
        "INDEX(STAGE[_](x, r@RANGE(_)), i) => x when i.vmin == 0 and r.vmin == 0",
        "PERMUTE[(1, 0)](STAGE[a](x, r, s)) => STAGE[a](x, r, s)",
    ],
    "smt": [
        "<T: i32> (x:T << $c) >> $c => x when 0 <= c and x.vmin >= 0 and x.vmax << c <= T.max + 1",
        "<T: u32> x:T + $c => x when 1 << c > 36893488147419103232 * 64",
        "<T: i32> x:T >> $c => {0}:T when c >= 0 and x.vmin >= 0 and x.vmax >> c <= 1",
    ],
}  # fmt: skip

TRUE = {
    "interp": [
        "PAD[((a, b),)](PAD[((c, d),)](x)) => PAD[((a + c, b + d),)](x)",
        "PERMUTE[(2, 0, 1)](RESHAPE[(a, b, c)](x)) => RESHAPE[(c, a, b)](x) when a * b == 1",
        "RESHAPE[(n,)](FLIP[(true, true)](RESHAPE[(a, b)](x))) => FLIP[(true,)](RESHAPE[(n,)](x)) "
        "when a * b == n",
        "INDEX(RESHAPE[(a, b)](x), i, j) => INDEX(x, i * {b}:index + j) when len(x.shape) == 1 "
        "and a > 0",
        "RANGE[a, b](x + 0) => RANGE[a, b](x)",
        "RANGE(n) // m => {0}:index when n.vmax <= m.vmin and m.valid",
    ],
    "smt": [
        "<T: i32> (x:T << $c) >> $c => x when 0 <= c and c < 32 and x.vmin >= 0 "
        "and x.vmax << c <= T.max",
        "<T: i32> x:T >> $c => {0}:T when c >= 0 and x.vmin >= 0 and x.vmax >> c == 0",
    ],
}  # fmt: skip


def _status(rule: str, method: str) -> str:
    head, _, rest = rule.partition("> ") if rule.startswith("<") else ("", "", rule)
    head += ">" * bool(head)
    text = f"ruleset mine {{ rule it{head} {rest} prove {method} }}"
    return prove_rule(next(rules_of([parse_text(text)]))[1]).status


@pytest.mark.parametrize(("method", "rule"), [(m, r) for m in FALSE for r in FALSE[m]])
def test_a_false_one_is_refuted(method, rule):
    assert _status(rule, method) == "refuted"


@pytest.mark.parametrize(("method", "rule"), [(m, r) for m in TRUE for r in TRUE[m]])
def test_a_right_one_is_proved(method, rule):
    assert _status(rule, method).startswith("proved")


@pytest.mark.parametrize(
    "rule",
    [
        "INDEX(STAGE[_](x, r@RANGE(_)), r) => x",
        "PERMUTE[(1, 0)](STAGE[a](x, r, s)) => STAGE[a](x, s, r)",
        "RESHAPE[()](REDUCE_AXIS[MIN, (0,)](IOTA[(n,)]():u8)) => {0}:u8 when n > 0",
    ],
)
def test_a_right_one_of_which_no_proof_is_made_is_bounded(rule):
    assert _status(rule, "interp") == "bounded"


def test_a_guard_that_shifts_beyond_what_z3_computes_is_no_proof():
    rule = "<T: i32> (x:T << $c) >> $c => x when 0 <= c and x.vmin > 0 and x.vmax << c <= T.max"
    assert _status(rule, "smt") == "bounded"
