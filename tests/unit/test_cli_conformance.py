"""`rulewright conformance`: what it finds, what it says, what it leaves out and why."""

from __future__ import annotations

import html
import json
import os
import re
import signal
import subprocess
import sys
import weakref
from collections import Counter
from types import SimpleNamespace
from xml.etree import ElementTree

import mpmath
import numpy as np
import pytest

from rulewright import Device, Tensor
from rulewright.errors import CompileError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.verify import conformance, suite
from rulewright.verify.conformance import (
    Absent,
    ConformanceCase,
    cases,
    declared,
    run_case,
    selector,
)
from rulewright.verify.hazards import PROGRAMS
from rulewright.verify.methods import all_refusals, all_rows
from rulewright.verify.methods.check import check_rows, least_gradient
from rulewright.verify.methods.row import Method, operands
from rulewright.verify.suite.program import SuiteProgram
from rulewright.verify.suite.sweep import Sweep
from rulewright.verify.values.exact import exactly
from rulewright.verify.values.samples import seeded

SAMPLE = "logsigmoid or triu or hazards/shift or refusals/reshape"


def test_every_row_and_hazard_is_a_case_of_its_own():
    names = [case.name for case in cases()]
    gradients = sum(row.gradient for row in all_rows())
    assert len(set(names)) == len(names)
    more = len(list(suite.all_cases()))
    assert len(names) == len(all_rows()) + gradients + len(all_refusals()) + len(PROGRAMS) + more


@pytest.mark.parametrize(
    "device",
    ["C", "INTERP", "OPENCL", "CUDA_EMULATED", "CUDA_SM90_EMULATED", "METAL_EMULATED", "WEBGPU"],
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
    assert {case["status"] for case in found["cases"]} == {"right"}


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
    rows = [
        Method("neg", lambda x: -x, lambda x: -x, dtypes=("f32",)),
        Method("neg", lambda x: -x, lambda x: x, dtypes=("f32",)),
    ]
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
    row = Method("neg", lambda x: -x, lambda x: x if x.dtype == "f8" else -x, dtypes=("i32", "f64"))
    assert check_rows([row], "C") and not check_rows([row], "C", without=["f64"])
    monkeypatch.setattr(conformance, "ABSENT", (Absent("C", "values/*", "no f64", ("f64",)),))
    case = ConformanceCase(
        "values/neg/-x", lambda device, without: check_rows([row], device, without)
    )
    assert run_case(case, "C").status == "right"
    assert run_case(case, "INTERP").status == "wrong"


def test_what_asks_for_a_type_is_absent_where_there_is_none(monkeypatch):
    known = {case.name: case for case in cases()}
    for name in ("values/nansum/2", "values/nanmean/2", "values/bincount/3", "gradients/softmax/1"):
        reason, _ = declared("METAL", known[name])
        assert reason == "the target has no type f64"
        assert declared("C", known[name])[0] == ""
    # the second computes with f64 on INTERP alone, the third is differentiated in f32
    for name in ("values/nansum/1", "values/to/3", "gradients/add/1"):
        assert declared("METAL", known[name]) == ("", frozenset({"f64"}))
    small = SimpleNamespace(row={"types": {"f32": "float", "i32": "int"}})
    monkeypatch.setattr(conformance, "target", lambda name: small)
    assert declared("METAL", known["values/argmax/1"])[0] == "the target has no type i64"
    assert {"f16", "u64", "bool"} < declared("METAL", known["values/add/1"])[1]


def test_what_ran_elsewhere_is_wrong():
    def check(device, without):
        return [] if (Tensor([1.0, 2.0], device="INTERP") + 1).tolist() == [2, 3] else ["wrong"]

    result = run_case(ConformanceCase("values/add/x", check), "C")
    assert result.messages == ["1 kernels ran on INTERP, not on C"]
    assert run_case(ConformanceCase("values/add/x", check, "x.to('INTERP')"), "C").status == "right"
    assert (
        run_case(ConformanceCase("values/add/x", check, "x.to('ABACUS').INTERP"), "C").status
        == "wrong"
    )


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
    rows = {f"{kind}/svd/{i}": row.text for kind in ("values", "gradients")
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
    chosen = "values/mean or values/var/ or values/softplus or sizes/mean"
    result = shell("conformance", "--device", device, "-k", chosen, CACHE="0")
    lines = [line for line in result.stderr.splitlines() if "conformance of" not in line]
    assert result.returncode == 0 and lines == []


def test_an_error_is_what_is_wrong_and_where_it_was_raised():
    def check(device, without):
        raise ZeroDivisionError("by zero")

    [message] = run_case(ConformanceCase("values/x/y", check), "C").messages
    line = check.__code__.co_firstlineno + 1
    assert message == f"ZeroDivisionError: by zero ({__file__}:{line}, in check)"


def test_an_error_of_a_compiler_says_what_it_refused():
    def check(device, without):
        raise CompileError("the C compiler refused the source:\n<stdin>:2:10: fatal error\nsource:")

    [message] = run_case(ConformanceCase("values/x/y", check), "C").messages
    assert message == "CompileError: the C compiler refused the source: <stdin>:2:10: fatal error"


class Simulated:
    """Devices, of which each simulates instructions."""

    device_class, target_of = staticmethod(Device.device_class), staticmethod(Device.target_of)
    canonical = staticmethod(Device.canonical)
    is_simulated = True

    def __class_getitem__(cls, name):
        return cls


def test_reasons_are_given(monkeypatch):
    monkeypatch.setattr(conformance, "Device", Simulated)
    nothing = SimpleNamespace(row={"types": {}})
    monkeypatch.setattr(conformance, "target", lambda name: nothing)
    for entry in conformance.ABSENT:
        assert len(entry.reason.split()) >= 3
        device = entry.device or "OPENCL"
        assert any(entry.covers(device, case) for case in cases())


@pytest.mark.parametrize("kind", ["f64", "fp8e4m3", "bf16"])
def test_what_gives_a_dtype_is_left_out_where_the_target_has_none(kind, monkeypatch):
    others = {dtype.name: "" for dtype in dtypes.all() if dtype.name != kind}
    nothing = SimpleNamespace(row={"types": others})
    known = {case.name: case for case in cases()}
    case = known[f"specials/cast to {kind}"]
    assert not declared("METAL_EMULATED", case)[0] or kind == "f64"
    monkeypatch.setattr(conformance, "target", lambda name: nothing)
    assert declared("METAL_EMULATED", case) == (f"the target has no type {kind}", {kind})
    assert not declared("METAL_EMULATED", known["specials/cast to f32"])[0]


@pytest.mark.parametrize("simulated", [True, False])
def test_what_takes_a_simulator_hours_is_left_out_there_alone(simulated, monkeypatch):
    monkeypatch.setattr(conformance, "Device", Simulated)
    monkeypatch.setattr(Simulated, "is_simulated", simulated)
    large = [case for case in cases() if case.name.startswith("cores/many blocks")]
    left_out = [case for case in large if declared("OPENCL", case)[0]]
    assert len(large) == 4 and left_out == (large if simulated else [])
    assert not any(declared("C", case)[0] for case in large)
    [cast] = [case for case in cases() if case.name == "integers/cast to f32"]
    without = declared("OPENCL", cast)[1]  # its `setFloat` takes a double
    assert not declared("OPENCL", cast)[0] and ("i64" in without) == simulated
    assert "u64" not in without and "i64" not in declared("C", cast)[1]


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


# ---- numbers at their edges, and programs --------------------------------------------------------


def test_there_are_many_cases_of_every_kind():
    counts = Counter(case.kind for case in cases())
    assert set(counts) == set(conformance.KINDS) - {"ops"}
    assert min(counts[kind] for kind in suite.KINDS) >= 12 and counts.total() >= 2000


@pytest.mark.timeout(60)  # some fifty kernels are compiled
@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_a_case_of_each_kind_is_right(cli, device):
    chosen = (
        "ulps/tanh or integers/cube or specials/relu or sizes/sorted or indices/seam or "
        "buffers/maximum or symbolic/two or random/randperm or (copies/part and in and place) or "
        "jit/part or launches/five or (cores/square and i32)"
    )
    result = cli("conformance", "--device", device, "-k", chosen, "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["cases"]
    assert {case["kind"] for case in found} == set(suite.KINDS)
    assert all(case["status"] == "right" and not case["least"] for case in found)


WRONG = {
    "sweep": Sweep(
        "wrong", lambda x: x.sin(), lambda kind, rng: [np.linspace(-1, 1, 9).astype(kind.np)],
        lambda arrays: np.where(arrays[0] == 0.5, 2.0, np.sin(arrays[0].astype("f8"))), ("f32",),
        ulps=4,
    ),
    "program": SuiteProgram(
        "wrong", "a = draw(n, 3)", "result = put(a) + (n > 4)", "wanted = a", ("i32",), (9, 2, 5)
    ),
    "sizes": Method(
        "wrong", lambda x: x.sum(1), lambda x: x.sum(1) + (x.shape[0] > 2), (((7, 6),),), ("f32",)
    ),
}  # fmt: skip


def test_the_least_of_a_sweep_is_the_one_number(monkeypatch):
    row = WRONG["sweep"]
    [problem] = row.check("C")
    assert "x = np.float32(0.5): expected 2.0" in problem and "(1 of 9 are wrong)" in problem
    script = row.least("C")
    assert "x = Tensor([0.5], dtype=dtypes.f32, device='C')" in script
    assert pasted(script).split() == ["[0.4794255495071411]", "expected", "[2.0]"]


def test_the_least_of_a_program_is_its_smallest_size_and_runs():
    row = WRONG["program"]
    assert [problem.partition(":")[0] for problem in row.check("C")] == ["i32, n = 5", "i32, n = 9"]
    script = row.least("C")
    assert "device, kind, n = 'C', dtypes.i32, 5\n" in script
    assert "expected" in pasted(script)


def test_the_least_of_a_call_has_the_smallest_sizes(monkeypatch, cli):
    monkeypatch.setattr(conformance, "all_rows", lambda: [WRONG["sizes"]])
    [case] = [case for case in cases() if case.name == "values/wrong/1"]
    result = run_case(case, "C")
    assert result.status == "wrong" and ".reshape(3, 1)" in result.least
    assert "<Tensor (3,) f32 on C" in pasted(result.least)
    assert "<Tensor (3,) f32 on INTERP" in pasted(run_case(case, "INTERP").least)
    said = cli("conformance", "-k", "values/wrong").stdout
    assert "  | result = x.sum(1)" in said


@pytest.mark.timeout(60)  # two processes
def test_the_least_of_others_can_be_pasted():
    scripts = {
        kind: next(c for c in cases() if c.kind == kind).least("C", ())
        for kind in ("refusals", "hazards")
    }
    assert "expected" in scripts["refusals"] and "a [7.0, 7.0, 7.0, 7.0]" in pasted(
        scripts["hazards"]
    )
    row = Method("neg", lambda x: -x, lambda x: x, (((5, 4),),), ("f64",), gradient=True)
    assert pasted(least_gradient(row, "C")).strip() == "[[[-1.0]]]"  # of 1 by 1


def pasted(script):
    """What a script prints in a process of its own."""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_exact_values_are_mpmath_s(rng):
    """Those that sweeps of f64 are compared with, over numbers of every size."""
    x = np.concatenate([rng.uniform(-3, 3, 30), 2.0 ** rng.uniform(-300, 9, 30), [1e300, -1.0]])
    sure = {"exp": mpmath.exp, "log": mpmath.log, "sin": mpmath.sin, "cos": mpmath.cos,
            "atan": mpmath.atan, "tanh": mpmath.tanh, "erf": mpmath.erf, "asinh": mpmath.asinh,
            "expm1": mpmath.expm1, "log1p": mpmath.log1p, "log10": mpmath.log10}  # fmt: skip
    with mpmath.workprec(1200), np.errstate(all="ignore"):
        for name, function in sure.items():
            near, missing = exactly(name, [x])
            for value, a, b in zip(x, near, missing, strict=True):
                if np.isfinite(a):
                    true = function(mpmath.mpf(value))
                    assert abs(mpmath.mpf(a) + b - true) <= abs(true) * 2.0**-100, (name, value)


# ---- how it runs ---------------------------------------------------------------------------------


def test_the_first_wrong_case_stops_it(cli, lies, monkeypatch):
    monkeypatch.setattr(conformance, "ABSENT", ())
    found = json.loads(
        cli("conformance", "-k", "values/ or hazards/", "-x", "--format", "json").stdout
    )
    assert [case["case"] for case in found["cases"]] == ["values/neg/1", "values/neg/2"]
    assert found["stopped"] == "at the first case that is wrong" and found["chosen"] > 100


def test_an_interrupt_keeps_what_ran(cli, monkeypatch, tmp_path):
    ran = []

    def interrupted(case, device, repeat):
        if len(ran) == 3:
            raise KeyboardInterrupt
        ran.append(case.name)
        return run_case(case, device, repeat)

    monkeypatch.setattr(conformance, "run_case", interrupted)
    for form in ("json", "html", "junit", "table"):
        ran.clear()
        path = tmp_path / f"report.{form}"
        words = ("-k", "hazards/part", "--format", form, "--output", str(path))
        result = cli("conformance", *words)
        assert result.exit_code == 1 and "interrupted after 3 of" in result.stderr
        assert "interrupted: 3 of" in result.stdout  # the counts
        assert "interrupted" in path.read_text() and all(
            name.partition("/")[2] in path.read_text() for name in ran if form != "table"
        )
        assert [p.name for p in tmp_path.glob(".*")] == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_python_drops_ends_it_too(cli, monkeypatch):
    """What is raised in a callback of a freed object, as of a node, goes no further."""
    usual, before = signal.default_int_handler, signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, usual)  # which a shell may have had ignored

    def dropped(case, device, repeat):
        soon = Freed()
        weakref.finalize(soon, signal.raise_signal, signal.SIGINT)
        del soon
        return run_case(case, device, repeat)

    monkeypatch.setattr(conformance, "run_case", dropped)
    try:
        result = cli("conformance", "-k", "hazards/part")
        assert result.exit_code == 1 and "interrupted after 1 of" in result.stderr
        assert signal.getsignal(signal.SIGINT) is usual
    finally:
        signal.signal(signal.SIGINT, before)


class Freed:
    """An object that weak references can be made to."""


def test_reports_are_on_disk_while_cases_run(cli, monkeypatch, tmp_path):
    path, seen = tmp_path / "report.json", []

    def watched(case, device, repeat):
        seen.append(json.loads(path.read_text())["stopped"] if path.exists() else "")
        return run_case(case, device, repeat)

    monkeypatch.setattr(conformance, "run_case", watched)
    monkeypatch.setattr("rulewright.cli.conformance._SECONDS_APART", 0)
    cli("conformance", "-k", "hazards/part", "--format", "json", "--output", str(path))
    assert seen[0] == "" and set(seen[1:]) == {"not finished"}
    assert json.loads(path.read_text())["stopped"] == ""


def test_a_report_goes_through_links_and_pipes(cli, monkeypatch, tmp_path):
    monkeypatch.setattr("rulewright.cli.conformance._SECONDS_APART", 0)
    words = ("conformance", "-k", "hazards/part", "--format", "json", "--output")
    report, link, pipe = (tmp_path / name for name in ("report.json", "link", "pipe"))
    report.write_text("older")
    report.chmod(0o640)
    link.symlink_to(report)
    assert cli(*words, str(link)).exit_code == 0
    assert link.is_symlink() and json.loads(report.read_text())["stopped"] == ""
    assert report.stat().st_mode & 0o777 == 0o640
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert cli(*words, str(pipe)).exit_code == 0
    assert json.loads(os.read(reader, 1 << 16))["stopped"] == ""  # one report, whole
    os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="this system has no /dev/stdout")
def test_a_report_is_printed_by_the_name_of_what_is_printed_to():
    words = ["-m", "rulewright", "conformance", "-k", "values/zeros", "--format", "json"]
    words = [sys.executable, *words, "--output", "/dev/stdout"]
    run = subprocess.run(words, capture_output=True, text=True)
    assert run.returncode == 0 and '"stopped": ""' in run.stdout, run.stderr


def test_a_report_that_cannot_be_written(cli, tmp_path):
    path = str(tmp_path / ("n" * 300))
    result = cli("conformance", "-k", "hazards/part", "--format", "json", "--output", path)
    assert result.exit_code == 2 and f"cannot write {path!r}: " in result.stderr


def test_a_case_is_repeated_until_it_is_wrong():
    runs = []

    def check(device, without):
        runs.append(device)
        return ["another answer"] if len(runs) == 3 else []

    case = ConformanceCase("values/x/1", check)
    assert run_case(case, "C", 2).status == "right" and len(runs) == 2
    assert run_case(case, "C", 5).messages == ["run 1 of 5: another answer"] and len(runs) == 3


def test_a_seed_draws_other_values(cli):
    [row] = [row for row in all_rows() if row.text == "x.logsigmoid()"][:1]
    first, again = (operands(row, ((3, 5),), "f32")[0] for _ in range(2))
    with seeded(7):
        other = operands(row, ((3, 5),), "f32")[0]
    assert np.array_equal(first, again, equal_nan=True)
    assert not np.array_equal(first, other, equal_nan=True)
    found = json.loads(
        cli("conformance", "-k", "logsigmoid", "--seed", "7", "--format", "json").stdout
    )
    assert found["seed"] == 7 and {case["status"] for case in found["cases"]} == {"right"}


def test_one_page_holds_what_json_holds(cli, lies):
    words = ("conformance", "-k", "values/ or hazards/fill or refusals/neg")
    found = json.loads(cli(*words, "--format", "json").stdout)
    page = cli(*words, "--format", "html").stdout
    assert page.startswith("<!DOCTYPE html>") and not re.search(r"(src|href)=|https?:", page)
    shown = html.unescape(page)
    for case in found["cases"]:
        assert case["case"] in shown and case["text"] in shown and case["least"] in shown
        assert all(message in shown for message in case["messages"])
    assert found["description"] in shown and found["version"] in shown
    xml = cli(*words, "--format", "junit").stdout
    suite_ = ElementTree.fromstring(xml)
    assert {p.get("name") for p in suite_.iter("property")} >= {
        "device",
        "version",
        "seed",
        "stopped",
    }
    assert {f.text for f in suite_.iter("failure")} == {found["cases"][1]["least"]}


def test_it_runs_outside_of_a_checkout(tmp_path):
    words = ["-m", "rulewright", "conformance", "-k", "ulps/tanh or jit/in", "--format", "html"]
    path = tmp_path / "page.html"
    run = subprocess.run(
        [sys.executable, *words, "--output", str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "No case is wrong" in path.read_text() and "kernels on C" in run.stdout
