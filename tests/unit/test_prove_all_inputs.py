"""Rules that state a bound in ulps, run as C: it is the interpreter's, and finds what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright.interp.run import evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.parse import parse_text
from rulewright.verify.prove import prove_rule, recorded, rules_of
from rulewright.verify.prove.recorded import INPUTS, ComparisonProgram, Extent
from rulewright.verify.prove.terms import Unsupported

PART = 1 << 16


def _spec_rules():
    return [(s, r) for s, r in rules_of(parsed_spec()) if r.equiv is not None]


CASES = {c.name: c for s, r in _spec_rules() for c in recorded.cases(r, s, load_table())}

# a program that changed since it was run is on record no more
ON_RECORD = [name for name, case in CASES.items() if recorded.recorded(case.program)]


def _rule(text):
    return next(rules_of([parse_text(f"ruleset mine {{ {text} prove interp }}")]))[1]


def _case(text):
    (case,) = recorded.cases(_rule(text), "mine", load_table())
    return case


@pytest.fixture
def records(tmp_path, monkeypatch):
    """A file of records of its own."""
    path = tmp_path / "exhaustive.txt"
    monkeypatch.setattr(recorded, "record_file", lambda: path)
    recorded._records.cache_clear()
    yield path
    recorded._records.cache_clear()


def test_the_rules_that_can_be_run_are():
    names = {name.partition(".")[2] for name in CASES}
    wanted = {f"{f}_by_polynomial T=f32" for f in ("exp", "exp2", "log", "log2", "sin", "cos")}
    assert wanted | {"tanh_by_exp T=f32", "small_pow T=f16", "small_pow T=bf16"} <= names


@pytest.mark.parametrize("name", ON_RECORD)
def test_what_is_on_record_is_within_the_bound(name):
    found = recorded.recorded(CASES[name].program)
    rule = next(r for s, r in _spec_rules() if name.startswith(f"{s}.{r.name} "))
    assert found is not None and 0 < found.worst <= float(rule.equiv.amount)


@pytest.mark.parametrize("name", ON_RECORD)
def test_the_worst_input_on_record_is_as_bad_when_it_is_run_again(name):
    case = CASES[name]
    found = recorded.recorded(case.program)
    first = found.at // 1024 * 1024
    again = case.program.run(first, first + 1024)
    assert again.at == found.at and again.worst == pytest.approx(found.worst, abs=1e-6)


# parts where functions turn, or end
@pytest.mark.parametrize("first", [0x3F000000, 0x42B10000, 0xC2CF0000, 0x7F7F0000, 0x007F0000])
@pytest.mark.parametrize("name", ["exp", "exp2", "log", "sin", "atan"])
def test_c_finds_what_numpy_finds_in_a_part_of_the_inputs(name, first):
    """The function in double precision by numpy, and the right side by the interpreter."""
    family = "trigonometry_f32" if name in ("sin", "atan") else "exp_f32"
    case = CASES[f"{family}.{name}_by_polynomial T=f32"]
    inputs = np.arange(first, first + PART, dtype=np.uint32).view(np.float32)
    column = UOp(Ops.PARAM, dtypes.f32, (), (0, (PART,), None))
    (leaf,) = case.program.leaves
    with np.errstate(all="ignore"):
        found = evaluate(case.after.substitute({leaf: column}), {column: inputs})
        wanted = {"atan": np.arctan}.get(name, getattr(np, name, None))(inputs.astype(np.float64))
        size = np.minimum(np.abs(wanted), 2.0**127)
        unit = np.maximum(2.0 ** np.floor(np.log2(size)), 2.0**-126) * 2.0**-23
        near = np.abs(found - wanted) / unit
    finite = np.isfinite(wanted) & np.isfinite(found) & (np.abs(wanted) < 2.0**127)
    worst = near[finite].max(initial=0.0)
    # the interpreter rounds MULACC twice; C was run both ways, so it has seen this one
    assert case.program.run(first, first + PART).worst >= worst - 1e-6


WRONG = {
    "off by two units at one": (
        "rule it<T: f32> equiv ulp:2 EXP(x:T) => WHERE(x == 1.0, {2.718282}:T + 0.000001, EXP2(x"
        " * 1.442695))",
        0x3F800000,
    ),
    "wrong sign of one input": (
        "rule it<T: f32> equiv ulp:2 SQRT(x:T) => WHERE(x == 12345.0, -SQRT(x), SQRT(x))",
        0x4640E400,
    ),
    "not a number at infinity": (
        "rule it<T: f32> equiv ulp:1 SQRT(x:T) => SQRT(x) + (x - x)",
        0x7F800000,
    ),
    "infinite too early": (
        "rule it<T: f32> equiv ulp:1 SQRT(x:T) => WHERE(x < 3.4028234e38, SQRT(x), {inf}:T)",
        0x7F7FFFFF,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_wrong_input_is_found(name):
    text, at = WRONG[name]
    first = at // 1024 * 1024
    found = _case(text).program.run(first, first + 1024)
    assert found.worst > 2
    assert found.at == at or name == "not a number at infinity"
    right = _case("rule it<T: f32> equiv ulp:1 SQRT(x:T) => SQRT(x)").program
    assert right.run(first, first + 1024).worst <= 0.5


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_pairs_of_short_floats_are_all_pairs(kind):
    case = _case(f"rule it<T: {kind}> equiv ulp:1 POW(a:T, b:T)"
                 " => CAST(POW(CAST(a):f32*T, CAST(b):f32*T)):T")  # fmt: skip
    assert [leaf.dtype.name for leaf in case.program.leaves] == [kind, kind]
    seen = {tuple(int(x.view(np.uint16)) for x in case.program.inputs(n)) for n in
            (0, 1, 0xFFFF, 0x10000, INPUTS - 1)}  # fmt: skip
    assert seen == {(0, 0), (1, 0), (0xFFFF, 0), (0, 1), (0xFFFF, 0xFFFF)}
    one, two = (int(np.array(v).astype(case.program.kind.np).view(np.uint16)) for v in (1.5, 2))
    first = (two << 16 | one) // 1024 * 1024
    assert case.program.run(first, first + 1024).worst <= 0.5
    wrong = _case(f"rule it<T: {kind}> equiv ulp:1 POW(a:T, b:T)"
                  " => CAST(POW(CAST(a):f32*T, CAST(a):f32*T)):T")  # fmt: skip
    assert wrong.program.run(first, first + 1024).worst > 2


@pytest.mark.parametrize(
    "text",
    [
        "rule it<T: f64> equiv ulp:1 SQRT(x:T) => SQRT(x)",
        "rule it<T: f32> equiv ulp:1 x:T / y:T => x * (1.0 / y)",
        "rule it<T: f32> equiv ulp:1 x:T / $c => x * {1.0 / c}",
        "rule it<T: f32> equiv reassoc (x:T + x) + x => x * 3.0",
        "rule it<T: f16> equiv ulp:1 SQRT(x:T) => SQRT(x)",
    ],
)
def test_what_has_other_than_32_bits_of_inputs_is_not_run(text):
    assert not list(recorded.cases(_rule(text), "mine", load_table()))


def test_sides_that_c_cannot_say_are_unsupported():
    x = UOp(Ops.PARAM, dtypes.f32, (), (0, (), None))
    whole = x.cast(dtypes.i32)
    with pytest.raises(Unsupported):
        ComparisonProgram(whole, whole, [x])


GOOD = "rule it<T: f32> equiv ulp:1 SQRT(x:T) => SQRT(x) * 1.0"


def test_a_record_makes_a_rule_exhaustive(records):
    assert prove_rule(_rule(GOOD)).status == "bounded"
    recorded.keep(_case(GOOD), Extent(0.5, 3))
    proof = prove_rule(_rule(GOOD))
    assert (proof.status, proof.method) == ("exhaustive", "all inputs")
    assert proof.note.startswith("all 2^32 inputs, recorded: within 0.500 ulp, at 4.2")


def test_a_record_of_another_program_is_none(records):
    recorded.keep(_case(GOOD), Extent(0.5, 3))
    assert prove_rule(_rule(GOOD.replace("* 1.0", "* 1.0 * 1.0"))).status == "bounded"
    text = records.read_text()
    records.write_text(text.replace(text.split()[-1], "0" * 32))
    recorded._records.cache_clear()
    assert prove_rule(_rule(GOOD)).status == "bounded"


def test_a_recorded_input_beyond_the_bound_refutes(records):
    text = GOOD.replace("* 1.0", "* 1.0000005")
    recorded.keep(_case(text), Extent(5.0, 0x3F800000))
    proof = prove_rule(_rule(text))
    assert proof.status == "refuted" and "graph before" in proof.counterexample


def test_the_option_runs_and_records(cli, tmp_path, records, monkeypatch):
    whole = ComparisonProgram.run
    monkeypatch.setattr(ComparisonProgram, "run", lambda self: whole(self, 0, 1 << 12))
    text = """ruleset mine {
      rule it<T: f32> equiv ulp:1
        RECIP(x:T) => 1.0 / x
        prove interp
        example RECIP(PARAM[0]:f32) => 1.0 / PARAM[0]:f32
        reject  RECIP(PARAM[0]:f64)
    }"""
    (tmp_path / "it.uop").write_text(text)
    result = cli("prove", "--exhaustive", "--jobs", "1", tmp_path / "it.uop")
    assert "mine.it T=f32: 0." in result.stderr and "mine.it T=f32: 0." in records.read_text()
    assert "exhaustive" in result.stdout and result.exit_code == 0
    again = cli("prove", "--exhaustive", "--jobs", "1", tmp_path / "it.uop")
    assert "at all" not in again.stderr
