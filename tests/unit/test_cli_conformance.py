"""`rulewright conformance`: what it finds, what it says, what it leaves out and why."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from rulewright import Device, Tensor
from rulewright.errors import UsageError
from rulewright.verify import conformance
from rulewright.verify.conformance import Absent, Case, cases, run_case, selector
from rulewright.verify.hazards import PROGRAMS
from rulewright.verify.methods import all_refusals, all_rows
from rulewright.verify.methods.check import check_rows
from rulewright.verify.methods.row import Method

SAMPLE = "logsigmoid or triu or hazards/shift or refusals/reshape"


def test_every_row_and_hazard_is_a_case_of_its_own():
    names = [case.name for case in cases()]
    gradients = sum(row.gradient for row in all_rows())
    assert len(set(names)) == len(names)
    assert len(names) == len(all_rows()) + gradients + len(all_refusals()) + len(PROGRAMS)


@pytest.mark.parametrize(
    "device", ["C", "INTERP", "OPENCL", "CUDA_EMULATED", "METAL_EMULATED", "WEBGPU"]
)
def test_a_sample_is_right_and_ran_where_it_should(cli, device):
    if Device.why_not(device):
        pytest.skip(Device.why_not(device))
    result = cli("conformance", "--device", device, "-k", SAMPLE, "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["device"] == device and list(found["ran"]) == [device]
    assert found["description"].startswith(f"{device}: ")
    kinds = {case["kind"] for case in found["cases"]}
    assert kinds == {"values", "gradients", "refusals", "hazards"}
    no_doubles = device in ("METAL_EMULATED", "WEBGPU")  # with which gradients are compared
    for case in found["cases"]:
        absent = no_doubles and case["kind"] == "gradients"
        assert case["status"] == ("absent" if absent else "right")


def test_the_table_counts_and_names_the_device(cli):
    result = cli("conformance", "-k", "values/relu6 or hazards/fill")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["values", "1", "0", "0"] in [line[:4] for line in lines]
    assert ["hazards", "1", "0", "0"] in [line[:4] for line in lines]
    assert "kernels on C" in result.stdout and f"C: {Device.device_class('C').describe()}" in (
        result.stdout
    )


@pytest.fixture
def lies(monkeypatch):
    """Rows one of which expects what is not so."""
    rows = [Method("neg", "-x", "-x", dtypes=("f32",)), Method("neg", "-x", "x", dtypes=("f32",))]
    monkeypatch.setattr(conformance, "all_rows", lambda: rows)


def test_a_wrong_case_is_said_in_all_formats(cli, lies):
    result = cli("conformance", "-k", "values/")
    assert result.exit_code == 1
    assert "wrong: values/neg/2   -x\n  -x with shapes ((3, 5),) of f32: expected" in result.stdout
    result = cli("conformance", "-k", "values/", "--format", "junit")
    suite = ElementTree.fromstring(result.stdout)
    assert result.exit_code == 1 and (suite.get("tests"), suite.get("failures")) == ("2", "1")
    [failed] = [c for c in suite.iter("testcase") if c.find("failure") is not None]
    assert (failed.get("classname"), failed.get("name")) == ("values", "neg/2")
    statuses = [c["status"] for c in json.loads(
        cli("conformance", "-k", "values/", "--format", "json").stdout)["cases"]]  # fmt: skip
    assert statuses == ["right", "wrong"]


def test_an_absent_case_is_not_run_and_says_why(cli, lies, monkeypatch):
    reason = "its driver has no such thing"
    monkeypatch.setattr(conformance, "ABSENT", (Absent("C", "*/2", reason),))
    result = cli("conformance", "-k", "values/")
    assert result.exit_code == 0
    assert f"absent: values/neg/2   -x\n  {reason}" in result.stdout
    suite = ElementTree.fromstring(cli("conformance", "--format", "junit", "-k", "values/").stdout)
    assert [s.get("message") for s in suite.iter("skipped")] == [reason]
    assert cli("conformance", "-k", "values/", "--device", "INTERP").exit_code == 1


def test_dtypes_that_a_device_lacks_are_left_out(monkeypatch):
    row = Method("neg", "-x", "x if x.dtype == 'f8' else -x", dtypes=("i32", "f64"))
    assert check_rows([row], "C") and not check_rows([row], "C", without=["f64"])
    monkeypatch.setattr(conformance, "ABSENT", (Absent("C", "values/*", "no f64", ("f64",)),))
    case = Case("values/neg/-x", lambda device, without: check_rows([row], device, without))
    assert run_case(case, "C").status == "right"
    assert run_case(case, "INTERP").status == "wrong"


def test_what_ran_elsewhere_is_wrong():
    def check(device, without):
        return [] if (Tensor([1.0, 2.0], device="INTERP") + 1).tolist() == [2, 3] else ["wrong"]

    result = run_case(Case("values/add/x", check), "C")
    assert result.messages == ["1 kernels ran on INTERP, not on C"]
    assert run_case(Case("values/add/x", check, "x.to('INTERP')"), "C").status == "right"
    assert run_case(Case("values/add/x", check, "x.to('ABACUS').INTERP"), "C").status == "wrong"


@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_a_case_may_run_where_its_code_sends_tensors(cli, device):
    result = cli("conformance", "--device", device, "-k", "values/cpu or values/to/")
    assert result.exit_code == 0, result.output


def test_names_are_short_and_numbers_are_those_of_rows():
    found = {case.name: case for case in cases()}
    assert max(map(len, found)) < 60 and not any("lambda" in name for name in found)
    for name, case in found.items():
        if case.kind == "gradients":
            assert found[name.replace("gradients/", "values/")].text == case.text


def test_a_list_names_cases_and_runs_none(cli, monkeypatch):
    monkeypatch.setattr(conformance, "run_case", None)
    lines = cli("conformance", "--list", "-k", "svd and not refusals").stdout.splitlines()
    rows = {f"{kind}/svd/{i}": row.call for kind in ("values", "gradients")
            for i, row in enumerate([r for r in all_rows() if r.name == "svd"], 1)
            if kind == "values" or row.gradient}  # fmt: skip
    assert dict(line.split(maxsplit=1) for line in lines) == rows
    content = json.loads(cli("conformance", "--list", "--format", "json").stdout)
    assert [entry["case"] for entry in content] == [case.name for case in cases()]
    assert cli("conformance", "--list", "--format", "junit").exit_code == 2


def test_progress_off_a_terminal_is_lines(cli, monkeypatch):
    monkeypatch.setattr("rulewright.cli.output._SECONDS_APART", 0)
    result = cli("conformance", "-k", "relu6", "--format", "json")
    total = len(json.loads(result.stdout)["cases"])
    said = result.stderr.splitlines()
    assert [line.partition(",")[0] for line in said] == [
        f"conformance of C: {done} of {total}" for done in range(total)
    ]


@pytest.mark.parametrize("device", ["C", "OPENCL"])
def test_nothing_leaks_onto_standard_error(shell, device):
    """Not what numpy says of a mean of nothing, nor how many warnings a driver has."""
    if Device.why_not(device):
        pytest.skip(Device.why_not(device))
    chosen = "values/mean or values/var/ or values/softplus"
    result = shell("conformance", "--device", device, "-k", chosen, CACHE="0")
    lines = [line for line in result.stderr.splitlines() if "conformance of" not in line]
    assert result.returncode == 0 and lines == []


def test_an_error_is_what_is_wrong():
    def check(device, without):
        raise ZeroDivisionError("by zero")

    assert run_case(Case("values/x/y", check), "C").messages == ["ZeroDivisionError: by zero"]


def test_reasons_are_given():
    for entry in conformance.ABSENT:
        assert len(entry.reason.split()) >= 3
        assert any(entry.covers(entry.device or "OPENCL", case.name) for case in cases())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-k", "nothing_like_this"], "fits no case"),
        (["-k", "a and"], "expected a word, found an end"),
        (["-k", "(a or b"], "a parenthesis is not closed"),
        (["-k", "a b"], "found 'b'"),
        (["--device", "ABACUS"], "ABACUS"),
        (["--format", "yaml"], "yaml"),
    ],
)
def test_misuse(cli, words, says):
    result = cli("conformance", *words)
    assert result.exit_code == 2 and says in result.output


def test_a_device_that_is_not_here_is_misuse(cli):
    missing = [name for name in Device if Device.why_not(name)]
    if not missing:
        pytest.skip("all devices are here")
    result = cli("conformance", "--device", missing[0])
    assert result.exit_code == 2 and f"device {missing[0]} is not here" in result.output


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ("sum", ["values/sum", "values/cumsum"]),
        ("SUM and not cum", ["values/sum"]),
        ("not (sum or max)", ["hazards/fill"]),
        ("cumsum or max and values", ["values/cumsum", "values/max"]),
    ],
)
def test_selection(expression, chosen):
    names = ["values/sum", "values/cumsum", "values/max", "hazards/fill"]
    assert [name for name in names if selector(expression)(name)] == chosen


def test_selection_refuses_nothing():
    with pytest.raises(UsageError, match="expected a word"):
        selector("")
