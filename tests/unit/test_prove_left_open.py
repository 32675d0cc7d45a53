"""Results that ops leave open, on the right side of a rule, and values next to what rounds."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright.ir.dtypes import dtype, dtypes
from rulewright.ir.ops import Ops, op as op_named
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.lang.parse import parse_text
from rulewright.verify.prove import Proof, Settings, prove_rule, rules_of
from rulewright.verify.prove.allowed import results
from rulewright.verify.prove.scalars import judged
from rulewright.verify.prove.trial import OPEN, Trial, matcher
from rulewright.verify.values.samples import every, powers


def _proof(text: str, quick: bool = True) -> Proof:
    file = parse_text(f"ruleset mine {{ rule it{text} prove interp }}")
    return prove_rule(next(rules_of([file]))[1], settings=Settings(quick=quick))


@pytest.mark.parametrize(
    "text",
    [
        " PAD[p](MAX(x:f32, -0.0)) => MAX(PAD[p](x), -0.0)",
        " PAD[p](MIN(x:f16, -0.0)) => MIN(PAD[p](x), -0.0)",
        "<T: Float> PAD[p](MAX(x:T, $c)) => MAX(PAD[p](x), {c}:T) when c == 0",
        " DETACH(x:f32) => REDUCE_AXIS[ADD, ()](x)",
        " equiv nan_payload REDUCE_AXIS[ADD, a](x:f32) + 0.0 => REDUCE_AXIS[ADD, a](x)",
        " equiv nan_payload REDUCE_AXIS[MAX, a](x:f32) + 0.0 => REDUCE_AXIS[MAX, a](x)",
    ],
)
def test_a_zero_that_the_right_side_leaves_open_must_be_open_on_the_left(text):
    proof = _proof(text)
    assert proof.status == "refuted", proof
    assert "0.0" in proof.counterexample


@pytest.mark.parametrize(
    "text",
    [
        " MAX(PAD[p](x:f32), -0.0) => PAD[p](MAX(x, -0.0))",
        "<T: Float> FLIP[f](MAX(x:T, 0.0)) => MAX(FLIP[f](x), 0.0)",
        " equiv nan_payload FLIP[f](REDUCE_AXIS[MAX, a](x:f32)) => REDUCE_AXIS[MAX, a](FLIP[f](x))",
        " equiv nan_payload FLIP[f](REDUCE_AXIS[ADD, a](x:f32)) => REDUCE_AXIS[ADD, a](FLIP[f](x))"
        " when x.size < 3",
        " DETACH(x:f32) => REDUCE[ADD](x)",
        " STORE(m, MAX(x:i32, y)) => STORE(m, MAX(y, x))",
        " equiv nan_payload STORE(m, MAX(x:f32, y)) => STORE(m, MAX(y, x))",
    ],
)
def test_one_that_both_leave_open_is_right(text):
    assert _proof(text).status == "bounded"


def test_whose_nan_a_sum_of_two_is_depends_on_their_order():
    rule = "FLIP[f](REDUCE_AXIS[ADD, a](x:f32)) => REDUCE_AXIS[ADD, a](FLIP[f](x)) when x.size < 3"
    proof = _proof(f" {rule}")
    assert (proof.status, "nan, bits" in proof.counterexample) == ("refuted", True)


def test_a_counterexample_of_what_is_left_open_says_so():
    """The interpreter rounds both sides twice; a device may round the right one once."""
    proof = _proof(" equiv nan_payload x:f32 * y + z => MULACC(x, y, z)")
    assert f"# {OPEN}" in proof.counterexample


@pytest.mark.parametrize("combine", ["ADD", "MAX", "MIN"])
@pytest.mark.parametrize("held", [[-0.0], [0.0], [-0.0, -0.0], [0.0, -0.0], [-0.0, 1.0, -1.0], []])
def test_the_zeros_of_a_reduction(combine, held):
    memory = UOp(Ops.PARAM, dtypes.f32, (), (0, (len(held),), None))
    node = UOp(Ops.REDUCE_AXIS, dtypes.f32, (memory,), (op_named(combine), (0,)))
    trial = Trial(node, node, {memory: np.array(held, np.float32)})
    ways = [way for way, _ in results(UOp.const(dtypes.f32, 1.0), node)]
    signs = {bool(np.signbit(trial.run(way)[0])) for way in ways}
    zeros = {bool(np.signbit(v)) for v in held if v == 0}
    if combine == "ADD":
        only_minus = bool(held) and all(v == 0 and np.signbit(v) for v in held)
        assert signs == ({True, False} if only_minus else {False})
    elif all(v == 0 for v in held) and held:
        assert signs == zeros


def test_a_product_and_sum_in_f32_rounded_again_is_not_that_of_f16():
    """Rounded in f32, 2^-14 + 2^-24 + 2^-25 (1 - 2^-20) is a tie among f16, and below it is not."""
    text = (
        "ruleset mine { rule by_f32<T: f16> equiv nan_payload MULACC(a:T, b:T, c:T)"
        " => CAST(MULACC(CAST(a):f32*T, CAST(b):f32*T, CAST(c):f32*T)):T prove interp }"
    )
    rule = next(rules_of([parse_text(text)]))[1]
    leaves = [UOp(Ops.PARAM, dtypes.f16, (), (i, (), None)) for i in range(3)]
    before = UOp(Ops.MULACC, dtypes.f16, tuple(leaves))
    after = matcher(rule, load_table())(before)
    assert after is not None
    values = (1025 * 2.0**-22, 1023 * 2.0**-23, 2.0**-14 + 2.0**-24)
    columns = {p: np.array([v], np.float16) for p, v in zip(leaves, values, strict=True)}
    verdict = judged(Trial(before, after), columns, rule.equiv)
    assert verdict is not None and verdict.wrong
    assert prove_rule(rule, settings=Settings(timeout=0.01)).status == "refuted"


def test_sums_in_another_order_are_allowed_by_one_bound_in_all_tactics():
    """(x + 3) + 8 of two digits is 10 at -0.75, and x + 11, which is x + 12, is 12."""
    rule = "<T: fp8e5m2> equiv reassoc (x:T + $c) + $d => x + {c + d} when x.op != CONST"
    assert _proof(rule, quick=False).status == "bounded"
    wrong = "<T: fp8e5m2> equiv reassoc (x:T + $c) + $d => x + {c - d} when x.op != CONST"
    assert _proof(wrong, quick=False).status == "refuted"


@pytest.mark.parametrize("name", ["fp8e4m3", "fp8e5m2fnuz", "f16", "bf16", "f32", "f64"])
def test_powers_of_two_and_their_neighbours(name):
    kind = dtype(name)
    found = powers(kind)[~np.isnan(powers(kind))].astype(np.float64)
    for power in (-3, 0, 1, 5):
        assert {2.0**power, -(2.0**power)} <= set(found.tolist())
    least = np.abs(found[found != 0]).min()
    assert least == dtypes.finfo(kind).smallest_subnormal
    values = every(kind)
    if values is not None:  # next to a power of two there is no other number between
        with np.errstate(invalid="ignore"):  # of a NaN of a small float
            numbers = np.unique(values[~np.isnan(values)].astype(np.float64))
        place = int(np.searchsorted(numbers, 2.0))
        assert {numbers[place - 1], numbers[place + 1]} <= set(found.tolist())


@pytest.mark.parametrize("name", ["i8", "u16", "i64"])
def test_so_of_integers(name):
    kind = dtype(name)
    found = set(map(int, powers(kind).tolist()))
    assert {0, 1, 2, 3, 63, 64, 65, int(kind.max), int(kind.min)} <= found
    assert {-1, -64, -65} <= found or int(kind.min) == 0
