"""What operands may be: INVALID indices anywhere, vectors, shapes that do not fit each other."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.parse import parse_text
from rulewright.verify.prove import floats, prove_rule, rules_of
from rulewright.verify.prove.allowed import results
from rulewright.verify.prove.ask import SolverAnswer
from rulewright.verify.prove.floating import Numbers
from rulewright.verify.prove.terms import checked
from rulewright.verify.prove.trial import Meaningless, Trial, judge


def _proof(text: str, method: str = "interp"):
    head, _, rest = text.rpartition("|")
    text = f"ruleset mine {{ rule it{head} {rest} prove {method} }}"
    return prove_rule(next(rules_of([parse_text(text)]))[1])


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("REDUCE[MAX](MIN(x:index, y), rs..) => REDUCE[MAX](x, rs..) when x.vmax <= y.vmin",
         "refuted"),
        ("REDUCE[ADD](CAST(x:index):i32, r@RANGE(n)) => CAST(REDUCE[ADD](x, r)):i32", "refuted"),
        ("REDUCE[MAX](x:index, r@RANGE(_), s@RANGE(_)) => REDUCE[MAX](x, s, r)", "proved"),
        ("FLIP(x:index * 0) => x - x", "refuted"),
        ("FLIP[f](x:index * 0) => FLIP[f](x) - FLIP[f](x)", "proved at rank 3"),
        ("CONTIGUOUS[none](x:index % 1) => {0}:index", "refuted"),
        ("REDUCE_AXIS[ADD, a](CAST(x:index):i64) => CAST(REDUCE_AXIS[ADD, a](x)):i64", "refuted"),
    ],
)  # fmt: skip
def test_an_index_may_be_invalid_where_no_element_is_read(rule, status):
    assert _proof(rule).status == status


def test_how_an_invalid_index_compares_is_not_judged():
    valid = UOp(Ops.PARAM, dtypes.bool, (), (0, (), None))
    index = valid.where(UOp.index_const(3), UOp(Ops.INVALID, dtypes.index))
    below = UOp(Ops.REDUCE, dtypes.bool, (index < 4, UOp.range(2, 0)), Ops.MAX)
    with pytest.raises(Meaningless, match="an INVALID index is compared"):
        judge(Trial(below, below, {valid: np.array(False)}), None)
    assert not judge(Trial(below, below, {valid: np.array(True)}), None).wrong


@pytest.mark.parametrize(
    ("guard", "status"), [("", "refuted"), (" when T.count == 1", "proved"),
                          (" when T.count == 1 or x.dtype.count == 2", "refuted")]
)  # fmt: skip
def test_vectors_are_reduced_too(guard, status):
    rule = "<T: i32>| REDUCE[ADD](c@CONST():T, RANGE(n)) => c * CAST(n):T" + guard.replace("x", "c")
    assert _proof(rule).status == status


@pytest.mark.parametrize(
    ("guard", "status"), [("", "refuted"), (" when x.dtype.count == 1", "bounded")]
)
def test_a_vector_may_be_made_of_shorter_ones(guard, status):
    assert _proof("LANE[(0,)](STACK(x, _)) => x" + guard).status == status


@pytest.mark.parametrize(
    "rule",
    [
        "EXPAND[s](x) + EXPAND[s](y) => EXPAND[s](x + y)",
        "<T: Int>| REDUCE_AXIS[ADD, a](x:T) + REDUCE_AXIS[ADD, a](y:T) => "
        "REDUCE_AXIS[ADD, a](x + y)",
        "<T: i32>| WHERE(c, INDEX(m, i):T, INDEX(m, j):T) => INDEX(m, WHERE(c, i, j))",
    ],
)
def test_shapes_that_do_not_fit_are_refuted_whatever_the_interpreter_makes_of_them(rule):
    assert _proof(rule).status == "refuted"


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("<T: Wrapping>| REDUCE_AXIS[ADD, a](x:T) + REDUCE_AXIS[ADD, a](y:T) => "
         "REDUCE_AXIS[ADD, a](x + y) when x.shape == y.shape", "bounded"),
        ("IOTA[(4,)]():i32 < 4 => {true}:bool", "bounded"),
        ("REDUCE_AXIS[ADD, (0,)](IOTA[s]():i32) => RESHAPE[(1,)]({6}:i32) when s == (4,)",
         "bounded"),
        ("REDUCE_AXIS[ADD, (0,)](IOTA[s]():i32) => RESHAPE[(1,)]({7}:i32) when s == (4,)",
         "refuted"),
        ("PAD[((0, 0),)](x) => x", "proved at rank 3"),
    ],
)  # fmt: skip
def test_graphs_are_made_of_arguments_that_a_rule_names_and_of_sums_beside_each_other(rule, status):
    assert _proof(rule).status == status


@pytest.mark.parametrize("constant", ["T.bits - 1", "T.max - T.max + T.bits - 1"])
def test_a_constant_that_a_guard_computes_from_a_dtype_is_met_at_each_width(constant):
    shifted = "<T: Signed>| x:T >> $c => WHERE(x < 0, {{-1}}:T, {{0}}:T) when c == {}"
    proof = _proof(shifted.format(constant), "smt")
    assert (proof.status, proof.width) == ("proved", "64")
    assert _proof(shifted.format("T.bits - 2"), "smt").status == "refuted"


def test_a_wrong_number_is_not_hidden_by_the_bits_of_a_nan():
    """Which bits arithmetic gives a NaN z3 does not know, so that it finds these first."""
    rare = "(BITCAST(x):u32 & {16777215}:u32) == {1193046}:u32"
    proof = _proof(f"x:f32 * 2.0 => WHERE({rare}, x, x + x)", "smt")
    assert (proof.status, proof.method) == ("refuted", "fp")
    proof = _proof("x:f32 * 2.0 => x + x", "smt")
    assert (proof.status, proof.note) == ("bounded", "proved but for the bits of NaNs")


def test_what_is_left_open_beside_the_bits_of_nans_is_said(monkeypatch):
    usual = floats.solve

    def solve(*asked, theory):
        tired = SolverAnswer("unknown", note="z3 gave up")
        return tired if theory is Numbers else usual(*asked, theory=theory)

    monkeypatch.setattr(floats, "solve", solve)
    proof = _proof("x:f32 * 2.0 => x + x", "smt(timeout = 2)")
    left = "bits of NaNs apart, z3 gave up after 8 s of work"
    assert (proof.status, proof.note) == ("bounded", left)


@pytest.mark.parametrize("kind", [dtypes.fp8e4m3, dtypes.fp8e5m2, dtypes.f16, dtypes.f64])
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_a_maximum_of_zeros_of_one_sign_has_it(kind, zero):
    """Also of floats in which 1 / -0.0 is NaN."""
    terms = UOp(Ops.PARAM, kind, (), (0, (3,), None))
    largest = UOp(Ops.REDUCE_AXIS, kind, (terms,), (Ops.MAX, (0,)))
    held = {terms: np.full(3, zero, kind.np)}
    for way, _ in results(largest, largest):
        assert np.signbit(Trial(way, way, held).run(way).astype(np.float64)) == np.signbit(zero)


def test_ctrl_c_that_z3_takes_for_itself_ends_the_proof():
    """z3 has a handler of its own while it works, and then says no more than "unknown"."""
    z3 = pytest.importorskip("z3")
    x, rounding = z3.FP("x", z3.Float64()), z3.RNE()
    signs = [z3.fpMul(rounding, z3.fpMul(rounding, y, y), y) for y in (x, -x)]
    solver = z3.Solver()
    solver.add(signs[0] != -signs[1])
    pressed = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    with pytest.raises(KeyboardInterrupt):
        pressed.start()
        checked(solver)
    pressed.join()
