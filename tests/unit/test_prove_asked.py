"""What guards ask beside values: where not all that there is was tried, nothing is proved."""

from __future__ import annotations

import pytest

from rulewright.lang.parse import parse_text
from rulewright.verify.prove import prove_rule, rules_of


def _status(text: str) -> str:
    head, rest = text.split("> ", 1) if text.startswith("<") else ("", text)
    text = f"ruleset mine {{ rule it{head}{'>' * bool(head)} {rest} prove interp }}"
    return prove_rule(next(rules_of([parse_text(text)]))[1]).status


@pytest.mark.parametrize(
    "guard",
    [
        "T.itemsize == 2",
        "x.dtype.itemsize > 6 and T.itemsize < 8",
        'T.name == "bool*5"',
        "T == T.scalar.vec(4)",
        "T.count % 5 == 0",
    ],
)
def test_lanes_may_be_asked_for_by_other_words(guard):
    rule = "<T: bool> x:T & $c => x when c or "
    assert _status(f"{rule}{guard}") == "refuted"
    assert _status(f"{rule}T.bits == 2") == "proved"


@pytest.mark.parametrize("guard", ["T.count > 64", "T.count * 2 == 10", "T.itemsize > 100"])
def test_all_values_of_scalars_are_no_proof_where_a_guard_may_ask_for_lanes(guard):
    assert _status(f"<T: bool> x:T & $c => x when c or {guard}") == "bounded"
    assert _status(f"<T: fp8e4m3> equiv nan_payload x:T * $c => x when c == 1 or {guard}") in (
        "bounded",
        "refuted",
    )


def test_nor_where_it_asks_whether_two_operands_are_one():
    rule = "<T: bool> (x:T & $c) ^ y => x ^ y when c or x == y"
    assert _status(f"{rule} and T.itemsize > 0") == "refuted"
    assert _status("<T: u8> WHERE(c, x:T, y) => x when x == y") == "proved"


def test_rules_of_nodes_are_proved_for_one_lane():
    rule = "<T: i32> DETACH(x:T * $c) => DETACH(x) when c == 1"
    assert _status(rule) == "proved"
    assert _status(f"{rule} or T.count == 3") == "bounded"


@pytest.mark.parametrize("op", ["LOAD", "STORE", "REDUCE", "END", "STACK", "AFTER", "CALL"])
def test_a_guard_may_name_any_op(op):
    assert _status(f"<T: i8> x:T >> $c => x when c == 0 or x.op == {op}") in ("bounded", "refuted")


@pytest.mark.parametrize("guard", ["gcd(c, 12) == 4", "ilog2(c) == 3", "c & 1 == 1"])
def test_what_ends_in_an_error_for_floats_is_no_rule_of_them(guard):
    assert (
        _status(f"<T: Float> equiv nan_payload x:T * $c => x when c == 1 or {guard}") == "refuted"
    )


@pytest.mark.parametrize(
    ("right", "guard"),
    [
        ("FLIP[f](x) => x when x.size == 1", "f.count(true) == 5"),
        ("FLIP[f](x) => x when x.size == 1", "f.count(true) > 3"),
        ("FLIP[f](x) => x when x.size == 1", "len(f) // 2 == 2"),
        ("FLIP[f](x) => x when x.size == 1", "f.count(true) * 2 == 8"),
        ("FLIP[f](x) => x when x.size == 1", "max(len(f), 3) == 4"),
        ("PERMUTE[p](x) => x when p == (0, 1)", "not (p < (3,))"),
        ("PERMUTE[p](x) => x when p == (0, 1)", "max(p) == 3 and len(p) > 0"),
    ],
)
def test_axes_may_be_counted_by_other_words(right, guard):
    assert _status(f"{right} or {guard}") == "refuted"
    assert _status(right) == "proved at rank 3"


@pytest.mark.parametrize("level", ["ulp:1", "reassoc", "nan_payload"])
def test_a_result_of_another_shape_is_wrong_at_every_level(level):
    rule = f"rule it equiv {level} REDUCE_AXIS[MAX, a](PERMUTE(x:i32)) => REDUCE_AXIS[MAX, a](x)"
    text = f"ruleset mine {{ {rule} prove interp }}"
    assert prove_rule(next(rules_of([parse_text(text)]))[1]).status == "refuted"


@pytest.mark.parametrize("guard", ["y.arg == 0", 'y.arg == "C"', "y.arg == (1, 2)"])
def test_the_argument_of_an_operand_may_be_what_a_guard_names(guard):
    assert _status(f"<T: i32> x:T + y => x when {guard}") == "refuted"


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("CONTIGUOUS[c](FLIP(x)) => x when x.size == 1", "proved at rank 3"),
        ("CONTIGUOUS[c](FLIP(x)) => x when x.size == 1 or c == 3", "refuted"),
        ('CONTIGUOUS[c](FLIP(x)) => x when x.size == 1 or c == "a"', "refuted"),
        ("FLIP(x + y) => x + y when x.size == 1 and y.size == 1", "proved at rank 3"),
        ("FLIP(x + y) => x + y when x.size == 1 and y.size == 1 or (x,) == (y,)", "refuted"),
        ("FLIP(x) => x when x.size == 1 or not x.valid", "bounded"),
        ("REDUCE[MAX](x:i32, rs..) => x when rs == ()", "proved"),
        ("INDEX(INDEX(x, is..), js..) => INDEX(x, is.., js..)", "proved"),
        ("INDEX(INDEX(x, is..), js..) => INDEX(x, js..) when is == js", "refuted"),
        ("AFTER(AFTER(x, es..), fs..) => x when es == fs", "bounded"),
        ("REDUCE[MAX](x:i32, rs..) => x when rs != (x, x)", "refuted"),
        ("FLIP(x) => x when x.size == 1 or (x.valid) == false", "bounded"),
    ],
)
def test_what_operands_and_arguments_are_is_tried_or_not_proved(rule, status):
    rule = rule.replace("[c]", "[c]" if "c ==" in rule else "")
    assert _status(rule) == status


@pytest.mark.parametrize("guard", ["x.vmax < 3", "x.vmin == 2.5", "x.interval == (3.0, 3.0)"])
def test_bounds_of_a_float_are_no_values(guard):
    rule = "<T: fp8e4m3> equiv nan_payload x:T * $c => x when c == 1"
    assert _status(rule) == "proved"
    assert _status(f"{rule} or {guard}") in ("bounded", "refuted")


@pytest.mark.parametrize(
    ("leaf", "guard"),
    [
        ("x@_", "x.arg == 3"),
        ("x@_", "x.op == HOST"),
        ("x@PARAM()", 'x.arg == (0, (3,), "Q")'),
        ("x@PARAM()", 'x.device == "Q"'),
        ("x@RESHAPE(y@_)", "y.arg == 3 and x.size > 0"),
    ],
)
def test_an_operand_that_a_pattern_names_so_is_still_any(leaf, guard):
    assert _status(f"FLIP({leaf}) => x when x.size == 1") == "proved at rank 3"
    assert _status(f"FLIP({leaf}) => x when x.size == 1 or {guard}") in ("refuted", "bounded")


def test_the_argument_of_a_view_that_a_pattern_names_is_all_there_is():
    assert _status("FLIP[f](x@FLIP(y)) => y when f == x.arg") == "proved at rank 3"
    assert _status("FLIP[f](x@FLIP(y)) => y when f == x.arg or f.count(true) == 1") == "refuted"


def test_infinity_is_no_number_of_lanes():
    assert _status("<T: f32> MIN(x:T, $c) => x when c == inf and T.count > 1") == "proved"
    assert _status("<T: f32> MIN(x:T, $c) => x when c == -inf and T.count == 2") == "refuted"


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("RANGE(n) => {0}:index when n.vmin == 1 and n.vmax == 1", "proved"),
        ("RANGE[i, _](n) => {0}:index when n.vmin == 1 and n.vmax == 1 and i != 7", "bounded"),
        ("RANGE[i, _](n) => {0}:index when n.vmin == 1 and n.vmax == 1 or i == 7", "refuted"),
        ("RANGE[i, _](n) => {0}:index when i > 100 and i < 102", "refuted"),
        ("FLIP(x@PARAM[s, _, _]()) => x when x.size == 1 or s == 5", "refuted"),
    ],
)
def test_the_number_of_a_loop_or_a_memory_may_be_what_a_guard_names(rule, status):
    assert _status(rule) == status


@pytest.mark.parametrize(
    "rule",
    [
        "AFTER(c@CONST(), e) => e when e.op == BARRIER or e.op == WHERE",
        "LOAD(x, v, g) => INDEX(x, 0:index) when g.op == CONST and v.device != g.device",
        "STORE(x, v, g) => x when g.op == CONST and g.arg == true and g.device != x.device",
        "<T: Int> REDUCE[MAX](x:T, r, s) => x when r.src == x.src",
        "<T: Int> REDUCE[MAX](x:T, r) => x when x.dtype == index",
        "<T: Number> REDUCE[ADD](x:T, r) => x when x.dtype == u16",
    ],
)
def test_what_a_guard_wants_of_leaves_is_met(rule):
    """All are false: a rule that can match is refuted, and not called vacuous."""
    assert _status(rule) == "refuted"
