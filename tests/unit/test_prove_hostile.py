"""Rules that are false where the proof for all sizes did not look; each was called proved once."""

from __future__ import annotations

import pytest

from rulewright.errors import InterpreterError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import op as op_named
from rulewright.lang.parse import parse_text
from rulewright.verify.prove import prove_rule, rules_of


def _status(text: str, method: str = "interp") -> str:
    head, _, rest = text.partition("> ") if text.startswith("<") else ("", "", text)
    head += ">" * bool(head)
    if rest.startswith("equiv "):
        level, rest = rest.split(maxsplit=2)[1:]
        head += f" equiv {level}"
    text = f"ruleset mine {{ rule it{head} {rest} prove {method} }}"
    return prove_rule(next(rules_of([parse_text(text)]))[1]).status


@pytest.mark.parametrize(("op", "kind"), [("MAX", "f32"), ("MIN", "f16")])
def test_of_several_nans_the_first_is_the_maximum_so_that_the_order_of_loops_counts(op, kind):
    rule = f"REDUCE[{op}](x:{kind}, r@RANGE(_), s@RANGE(_)) => REDUCE[{op}](x, s, r)"
    assert not _status(rule).startswith("proved")
    assert _status(f"equiv nan_payload {rule}") == "proved"


def test_effects_behind_memory_happen_after_those_that_the_memory_has_behind_it():
    assert _status("AFTER(AFTER(x, e), f) => AFTER(x, e, f)") == "proved"
    assert _status("AFTER(AFTER(x, e), f) => AFTER(x, f, e)") == "refuted"
    assert _status("AFTER(AFTER(x, STORE(x, _)), e) => AFTER(x, e)") != "proved"
    assert _status("AFTER(y@AFTER(x, STORE(x, _)), e@STORE(_, _)) => y") != "proved"


@pytest.mark.parametrize(
    "guard",
    [
        "when x.dtype == u16 or f == (false,)",
        "when x.dtype == fp8e5m2 and len(f) == 2 or f == (false,)",
    ],
)
def test_a_guard_that_asks_for_a_dtype_is_asked_at_every_dtype(guard):
    assert _status(f"FLIP[f](x) => x {guard}") == "refuted"


@pytest.mark.parametrize("share", ["T == u16", "T.bits == 16"])
def test_so_is_one_that_asks_for_the_type_parameter(share):
    rule = f"<T: Any> FLIP[f](x:T) => x when {share} and len(f) == 2 or f == (false,)"
    assert _status(rule) == "refuted"


def test_float_constants_are_any_number():
    moved = "FLIP[f](x:f32 * $c) => FLIP[f](x) * {2.0}:f32 when c == 2.0"
    assert _status(f"{moved} or c == 1234.5") == "bounded"
    assert _status("FLIP[f](x:f32 * c@CONST()) => FLIP[f](x) * c") == "proved at rank 3"


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("RESHAPE[s](x, n..) => x when len(n) == 1 or x.shape == s", "refuted"),
        ("RESHAPE[s](x, _..) => x when s == (none,) or x.shape == s", "refuted"),
        ("EXPAND[s](x, n..) => x when len(n) > 2 or x.shape == s", "bounded"),
        ("y@RESHAPE(x, _..) => x when x.shape == y.shape", "proved at rank 3"),
    ],
)
def test_a_guard_that_asks_for_symbolic_sizes_is_asked_of_graphs_that_have_some(rule, status):
    assert _status(rule) == status


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("COPY[d](x) => x", "refuted"),
        ("COPY[d](x) => x when x.device == d", "proved"),
        ("COPY[d](COPY[e](x)) => COPY[e](x)", "refuted"),
        ("COPY[d](COPY(x)) => COPY[d](x)", "proved"),
        ("COPY[d](x + y) => COPY[d](x) + y", "refuted"),
        ("COPY[d](x + y) => COPY[d](x) + COPY[d](y)", "proved"),
        ("FLIP[f](COPY(x)) => FLIP[f](x)", "refuted"),
        ("COPY(c@CONST()) => c", "proved"),
    ],
)
def test_what_was_copied_to_a_device_stays_there(rule, status):
    assert _status(rule) == status


@pytest.mark.parametrize(
    ("guard", "status"),
    [
        ("i.vmax == 0", "refuted"),
        ("i.vmin == 0 and i.vmax == 0", "refuted"),
        ("i.vmin == 0 and i.vmax == 0 and i.valid", "proved"),
    ],
)
def test_an_element_that_a_store_may_write_is_masked_as_before(guard, status):
    assert _status(f"INDEX(x, i) => INDEX(x, 0:index) when {guard}") == status


def test_the_bounds_of_an_invalid_index_say_nothing_of_that():
    rule = "INDEX(x, MIN(i, j)) => INDEX(x, i) when i.vmax <= j.vmin"
    assert _status(rule) in ("bounded", "refuted")
    assert _status(f"{rule} and j.valid") == "proved"


@pytest.mark.parametrize(
    ("answer", "status"),
    [("g", "refuted"), ("COPY[d](g)", "refuted"), ("COPY[x.device](g)", "proved")],
)
def test_the_gradient_of_a_copy_goes_back_to_the_device_that_the_value_came_from(answer, status):
    pattern = "GRAD(COPY[d](x), g)" if "[d]" in answer else "GRAD(COPY(x), g)"
    guard = " when x.device != none" if "device" in answer else ""
    assert _status(f"{pattern} => TUPLE({answer}){guard}", "derivative") == status


def test_a_counterexample_that_is_invalid_says_so_and_what_to_write():
    text = "ruleset mine { rule it x:index - x => {0}:index prove smt }"
    shown = prove_rule(next(rules_of([parse_text(text)]))[1]).counterexample
    assert "# an index may be INVALID: `when x.valid` says that x is not" in shown
    assert "INVALID:index  # INVALID" in shown
    assert [str(g.name) for g in parse_text(shown).items] == ["before", "after"]


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("RANGE[_, _](n) => {0}:index when n.vmin == 1", "refuted"),
        ("RANGE[_, _](n) => {0}:index when n.vmax <= 1", "refuted"),
        ("<T: i32> REDUCE[MAX](c@CONST():T, RANGE(n)) => c when n.vmin != 1", "refuted"),
        ("<T: i32> REDUCE[MAX](c@CONST():T, RANGE(n)) => c when n.vmin == 1", "proved"),
        ("<T: i32> REDUCE[ADD](INDEX(m, r@RANGE(n)):T, r) => INDEX(m, {0}:index) when n.vmax == 1",
         "refuted"),
    ],
)  # fmt: skip
def test_a_guard_on_the_bounds_of_a_loop_is_asked_of_symbolic_ones(rule, status):
    assert _status(rule) == status


@pytest.mark.parametrize(
    "rule",
    [
        "REDUCE_AXIS[ADD, _](x:index) => x",
        "-REDUCE_AXIS[MAX, a](x:index) => REDUCE_AXIS[MIN, a](-x)",
        "FLIP(x:index) => x",
        "INDEX(x:index, i) => i",
    ],
)
def test_indices_too_stand_in_tensors(rule):
    assert _status(rule) == "refuted"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("g * a, g * a", "bounded"),
        ("g * a * {2.0}:T, NOGRAD():void", "bounded"),
        ("g * a * {2.0}:T, g * a * {2.0}:T", "refuted"),
        ("g * a, NOGRAD():void", "refuted"),
    ],
)
def test_the_gradients_by_one_operand_that_stands_twice_are_added(answer, status):
    rule = f"<T: Float> GRAD(MUL!(a:T, a:T), g) => TUPLE({answer})"
    assert _status(rule, "derivative") == status


def test_a_gradient_has_the_dtype_of_what_it_is_by():
    cast = "<S: Float, T: Float> GRAD(CAST(_:S):T, g) => TUPLE(CAST(g):{})"
    assert _status(cast.format("S"), "derivative") == "proved"
    assert _status(cast.format("T"), "derivative") == "refuted"


def test_two_equal_elements_share_the_gradient_of_their_maximum():
    rule = "<T: Float> GRAD(y@REDUCE_AXIS[MAX, a](x:T), g) => TUPLE(WHERE(x == y, g, {0.0}:T))"
    assert _status(rule, "derivative") == "refuted"


def test_what_is_read_is_now_and_then_a_zero_with_a_sign():
    gated = "LOAD(x, 0.0, gate):T + y:T => WHERE(gate, LOAD(x, {0.0}:T, gate):T + y, y)"
    assert _status(f"<T: f32> {gated}") == "refuted"


@pytest.mark.parametrize("lanes", ["== 2", "== 4", "== 16", "> 8"])
@pytest.mark.parametrize("kind", ["i32", "f32"])
def test_a_guard_that_asks_for_lanes_is_asked_of_such_vectors(lanes, kind):
    rule = f"<T: {kind}> equiv nan_payload x:T * $c => x when c == 1 or T.count {lanes}"
    assert _status(rule, "smt") == "refuted"
    assert _status(rule.replace(" or ", " and "), "smt") == "proved"


def test_bounds_are_in_order_also_of_an_index_that_is_invalid():
    rule = "x:index + 1 => x when x.vmin > 100 and x.vmax < 0"
    assert _status(rule, "smt") == "vacuous"


@pytest.mark.parametrize("op", ["IOTA", "MUL", "RESHAPE", "DETACH"])
def test_a_guard_that_names_an_op_is_asked_of_it(op):
    assert _status(f"FLIP(x) => x when x.op == {op} or x.size == 1") == "refuted"


@pytest.mark.parametrize("guard", ["x.size > 100", "x.size == 17", "x.size == 6 and len(f) == 1"])
def test_a_guard_that_names_a_size_is_asked_of_it(guard):
    assert _status(f"FLIP[f](x) => x when len(f) == 0 or {guard}") == "refuted"


def test_where_a_pattern_makes_an_index_the_memory_is_long_enough():
    moved = "STORE(INDEX(m, i + 0):f32, v) => STORE(INDEX(m, i), {})"
    assert _status(moved.format("v + 0.0")) == "refuted"
    assert _status(moved.format("v")) == "proved"


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        (
            "PERMUTE[a](PERMUTE[b](x)) => PERMUTE[b](PERMUTE[a](x)) "
            "when len(a) == 2 or len(a) == 4",
            "refuted",
        ),
        ("FLIP[f](NEG(x:i32)) => NEG(x) when f == (true, false, true, false, true)", "refuted"),
        ("FLIP[f](FLIP[f](x)) => x when len(f) > 3", "bounded"),  # it was vacuous
    ],
)
def test_as_many_axes_are_tried_as_a_guard_names(rule, status):
    assert _status(rule) == status


def test_a_constant_that_is_no_finite_number_says_nothing_of_finite():
    rule = "<T: Float> equiv finite WHERE(x:T < y, y, x) => MAX(x, y)"
    assert _status(rule, "smt") == "proved"
    assert _status("<T: Float> equiv finite WHERE(x:T < y, y, x) => MIN(x, y)", "smt") == "refuted"


@pytest.mark.parametrize("value", ["x + y", "LOAD(x)", "CONTIGUOUS(x)", "1:i32", "IOTA[s]()"])
def test_an_effect_behind_a_value_is_not_lost(value):
    assert _status(f"AFTER({value}, e..) => {value}") == "refuted"
    assert _status(f"AFTER({value}, e, e) => AFTER({value}, e)") == "proved"


def test_what_is_stored_into_itself_may_have_been_written_before():
    assert _status("AFTER(m, STORE(x, x)) => m") == "refuted"
    assert _status("AFTER(m, STORE(m, m)) => m") == "proved"
    assert _status("STORE(part@Movement(x, _..), part) => STORE(x, x)") == "proved at rank 3"


@pytest.mark.parametrize(
    "guard", ['d > "z"', 'd < "A"', 'd > "CUDA" and d < "METAL"', 'd != "C" and d != "OPENCL"']
)
def test_a_guard_that_asks_for_a_label_is_asked_of_texts_that_it_does_not_name(guard):
    rule = "COPY[d](COPY[e](x)) => COPY[e](x) when d == e"
    assert _status(f"{rule} or {guard}") == "refuted"
    assert _status(f"{rule} and ({guard})") == "proved"
    assert _status(f"{rule} or len(d) < 3") == "refuted"


def test_more_lanes_than_are_tried_are_not_proved():
    rule = "<T: Int> x:T < x => {false}:bool when x.valid and T.count == 1"
    assert _status(rule, "smt") == "proved"
    assert _status(f"{rule} or T.count > 64", "smt") == "bounded"


def test_a_loop_is_closed_once():
    assert _status("REDUCE[ADD](x:i32, r, r) => REDUCE[ADD](x, r)") == "vacuous"
    assert _status("REDUCE[MAX](REDUCE[MAX](x:i32, r@RANGE(_)), r) => x") == "refuted"


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ("<T: Any> STORE(INDEX(m, INVALID()):T, v, _..) => STORE(INDEX(m, 0:{}):T, v, false:bool)",
         "index"),
        ("END(x, r) => END(x, r, 0:{})", "index"),
        ("STORE(x, v, g) => STORE(x, v, CAST(g):{})", "bool"),
    ],
)  # fmt: skip
def test_operands_have_the_dtypes_that_an_op_names(rule, kind):
    assert _status(rule.format("i32")) == "refuted"
    assert _status(rule.format(kind)) == "proved"


@pytest.mark.parametrize("op", ["SUB", "NEG", "MULACC", "CMPLT"])
def test_what_has_no_identity_reduces_nothing(op):
    assert _status(f"REDUCE_AXIS[{op}, a](x:i32) => x") == "bounded"  # of no axes
    assert _status(f"REDUCE_AXIS[ADD, a](x:i32) => REDUCE_AXIS[{op}, a](x)") == "refuted"
    with pytest.raises(InterpreterError, match=f"{op} reduces nothing: an op with an identity"):
        op_named(op).identity(dtypes.i32)


@pytest.mark.parametrize(
    "guard",
    ["len(x.shape) == 1", "x.size == 3", 'x.device == "C"', "len(x.ranges) > 0", "x.base != x",
     "x.op == INDEX", "x.op == RESHAPE"],
)  # fmt: skip
def test_a_guard_that_asks_what_an_operand_is_is_asked_of_more_than_scalars(guard):
    rule = "<T: bool> x:T & $c => x when c"
    assert _status(rule, "smt") == "proved"
    assert _status(f"{rule} or {guard}", "smt") == "refuted"


def test_where_a_guard_asks_what_an_operand_is_all_values_are_no_proof():
    rule = "<T: bool> x:T & $c => x when c or "
    assert _status(f"{rule}x.src == (x, x, x)", "smt") == "bounded"
    assert _status(f"{rule}x.arg == 3", "smt") == "refuted"  # as of CONTIGUOUS[3](x)


@pytest.mark.parametrize("choice", ["[DETACH HOST]", "[RANGE SPECIAL]"])
def test_of_an_op_of_which_no_graph_is_made_nothing_is_known(choice):
    assert _status(f"{choice}(x) => x when x.dtype == x.dtype") in ("unknown", "refuted")
    assert _status("[DETACH HOST](x) => x") == "unknown"
    assert _status("[DETACH CONTIGUOUS](x) => x") == "proved at rank 3"


@pytest.mark.parametrize(
    ("guard", "status"),
    [
        ("c == 0 or c == 12345678901234567 and c * c < inf", "refuted"),
        ("c == 0 or c == 12345678901234567 and -inf < c - T.max", "refuted"),
        ("c == 0 or c == 12345678901234567 and inf <= c * c", "proved"),
        ("c == 0 or c < inf - c", "refuted"),
        ("c == 0 and min(c, inf) == 0", "bounded"),  # of a number that is none nothing is computed
    ],
)
def test_infinity_is_beyond_all_that_a_guard_computes(guard, status):
    assert _status(f"<T: u64> x:T ^ $c => x when {guard}", "smt") == status


def test_the_logarithm_of_a_negative_number_is_that_of_its_size():
    guard = "ilog2(c) == 20 and c % 1048576 == 0 and c != 3145728"
    rule = f"x:i32 * $c => x << 20 when {guard}"
    assert _status(rule, "smt") == "refuted"
    assert _status(f"{rule} and c > 0", "smt") == "proved"
    assert _status("x:i32 + $c => x when ilog2(c) == -1", "smt") == "proved"


@pytest.mark.parametrize(
    ("guard", "status"),
    [
        ("c == 1 or c == 1234567890 and ~(c == 1234567890)", "refuted"),
        ("c == 1 or c == 1234567890 and -(c != 0) == -1", "refuted"),
        ("(0 < c) + (c < 2) == 2", "proved"),
        ("((0 < c) and c < 2) == 1", "proved"),
        ("(not c) == 0 and c // (c == 1) == 1", "refuted"),
        ("c == 1 and c // (c == 1) == 1", "proved"),
        ("(c or 1) == 1", "refuted"),
        ("(c and 3) == 3 and c == 1", "bounded"),
    ],
)
def test_a_truth_value_that_is_computed_with_is_0_or_1(guard, status):
    assert _status(f"x:i32 * $c => x when {guard}", "smt") == status


def test_lanes_are_tried_too_where_a_rule_has_many_instances():
    rule = "<A: Number, B: Number> CAST(x:A):B < CAST(x:A):B => {false}:bool"
    assert _status(rule, "smt") == "refuted"
    assert _status(f"{rule}*A", "smt") == "proved"


@pytest.mark.parametrize("guard", ["x.shape != x.max_shape", "not x.shape == x.max_shape"])
def test_what_no_size_fulfils_is_no_reason_to_rewrite(guard):
    """The greatest number that a size may be is one of those that it may be."""
    assert _status(f"FLIP(x) => x when x.size == 1 or {guard}") == "bounded"
    assert _status(f"FLIP(x) => x when {guard}") == "vacuous"


def test_loops_of_one_size_have_not_too_many_iterations_together():
    rule = "REDUCE[op](x:i32, r@RANGE(n), s@RANGE(n)) => REDUCE[op](x, s, r)"
    assert _status(rule) == "proved"


def test_a_square_root_is_no_power_of_minus_infinity():
    assert _status("equiv ulp:4 POW(x:f32, 0.5) => SQRT(x)", "samples") == "refuted"


def test_the_order_of_a_sum_shows_where_it_has_three_terms():
    """The op is any, and most ops and most sizes do not show it."""
    rule = "FLIP[f](REDUCE_AXIS[op, a](x{kind})) => REDUCE_AXIS[op, a](FLIP[f](x))"
    assert _status(rule.format(kind="")) == "refuted"
    assert _status(rule.format(kind=":i32")) == "bounded"


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("VAR[n, lo, hi]() => {lo}:index when lo == hi", "proved"),
        ("VAR[n, 0, 0]() => {0}:index", "proved"),
        ("VAR[n, lo, hi]() => {lo}:index when hi - lo <= 1", "refuted"),
        ("VAR[n, 0, hi]() => {0}:index", "refuted"),
        ("VAR[n, lo, hi]() => {0}:index when lo == 0 and hi == 4", "refuted"),
    ],
)
def test_a_symbolic_integer_may_have_one_value_alone(rule, status):
    assert _status(rule) == status


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("LANE[(0,)](x + y) => LANE[(0,)](x) + y", "refuted"),
        ("LANE[i](x + y) => LANE[i](x) + LANE[i](y)", "bounded"),
        ("<T: Float> LANE[i](x:T * 2.0) => LANE[i](x) * 2.0", "bounded"),
        ("LANE[i](WHERE(c, x, y)) => WHERE(LANE[i](c), LANE[i](y), LANE[i](x))", "refuted"),
    ],
)
def test_lanes_of_what_is_computed_are_those_of_vectors(rule, status):
    assert _status(rule) == status


@pytest.mark.parametrize(("value", "status"), [("x", "bounded"), ("-x", "refuted")])
def test_an_argument_that_is_not_none_may_be_anything(value, status):
    assert _status(f"CONTIGUOUS[c](x) => {value} when c != none") == status


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("(x:index * y) // y => x when y.vmin > 0", "refuted"),
        ("(x:index * y) // y => x when y.vmin > 0 and y.valid", "proved"),
        ("x:index - x => {0}:index when x.vmin > 3", "refuted"),
        ("x:index - x => {0}:index when x.vmax < -3", "refuted"),
        ("x:index - x => {0}:index when x.vmin > 3 and x.valid", "proved"),
        ("x:index % y => x when x.vmin >= 0 and x.vmax < y.vmin", "refuted"),
    ],
)
def test_an_index_may_be_invalid_whatever_bounds_it_has(rule, status):
    assert _status(rule, "smt") == status


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("<T: Wrapping> REDUCE_AXIS[MAX, a](x:T) => x when x.vmin == x.vmax", "refuted"),
        ("<T: i32> REDUCE_AXIS[ADD, _](x:T) => x when x.vmin == 0 and x.vmax == 0", "refuted"),
        ("FLIP(x:i32) => x when x.vmin >= 0 and x.vmax < 10", "refuted"),
        ("FLIP(x:i32) => x when x.vmin == x.vmax and x.size != 0", "bounded"),
    ],
)
def test_a_guard_on_bounds_is_asked_of_tensors_that_have_some(rule, status):
    assert _status(rule) == status


def test_float_constants_are_infinite_too():
    assert _status("PAD[p](x:f32 * $c) => PAD[p](x) * {c} when c >= 0") == "refuted"


def test_what_is_read_as_an_index_is_an_element_too():
    assert _status("<T: index> LOAD(LOAD(x):T):T => LOAD(x):T") in ("bounded", "proved")
