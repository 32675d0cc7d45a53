"""Cases of conformance that end the process that runs them, and results that are taken over."""

from __future__ import annotations

import json
import os
import re
import signal
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from outside_tools import fake, run

from rulewright.errors import NoTypeError
from rulewright.verify import conformance
from rulewright.verify.apart import Apart, ProcessEndedError, answered, can_fork, each_apart
from rulewright.verify.conformance import ConformanceCase, run_case
from rulewright.verify.methods.check import check_rows
from rulewright.verify.methods.row import Method
from rulewright.verify.values.lacking import of_those_it_has

pytestmark = pytest.mark.skipif(not can_fork(), reason="this system does not copy processes")

DEVICE = """
import os, signal
from rulewright.runtime.c import CDevice


class Runtime:
    def __init__(self, name):
        self.name = name

    def bind(self, *arguments):
        def launch(wait=False):
            os.kill(os.getpid(), signal.SIGSEGV)
        return launch


class FallingDevice(CDevice):
    target_name = "C_SSE"

    def runtime(self, program):
        if "sqrt" in program.source:
            return Runtime(program.name)
        if "trunc" in program.source:
            raise KeyError("no such kernel")
        return super().runtime(program)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package whose device falls over a square root."""
    folder = tmp_path_factory.mktemp("falling") / "site"
    fake(folder, "rulewright-falling", "FALLS = falling:FallingDevice", {"falling.py": DEVICE})
    return folder


@pytest.mark.timeout(300)
def test_a_case_that_ends_the_process_is_wrong_and_the_others_run(site: Path) -> None:
    chosen = "values/sqrt/1 or values/relu6/1 or values/trunc/1 or values/neg/1 or ulps/sqrt"
    said = run(site, "conformance", "--device", "FALLS", "-k", chosen, fails="1")
    assert "wrong: values/sqrt/1 " in said and said.count("wrong: ") == 3
    assert "it ends the process that runs it: signal SIGSEGV" in said
    assert "| x = Tensor([" in said  # the smallest call that does
    assert re.search(r"KeyError: 'no such kernel' \(.*falling\.py:\d+, in runtime\)", said)
    assert "wrong: ulps/sqrt " in said and "| x.sqrt()" in said  # as far as is known
    [counts] = [line.split() for line in said.splitlines() if line.startswith("values ")]
    assert counts[1:4] == ["2", "2", "0"]


def test_what_ends_its_process_is_told_and_the_next_question_has_another() -> None:
    def answer(question: str) -> tuple[str, int]:
        if question == "fall":
            os.kill(os.getpid(), signal.SIGABRT)
        if question == "leave":
            os._exit(3)
        return question, os.getpid()

    apart = Apart(answer)
    try:
        (said, first), (_, second) = apart.ask("one"), apart.ask("two")
        assert said == "one" and first == second != os.getpid()
        with pytest.raises(ProcessEndedError, match="signal SIGABRT"):
            apart.ask("fall")
        with pytest.raises(ProcessEndedError, match="exit status 3"):
            apart.ask("leave")
        assert apart.ask("three")[1] not in (first, os.getpid())
    finally:
        apart.close()
    apart.close()  # once more does no harm


def test_functions_are_answered_here_or_apart() -> None:
    assert answered(os.getpid) == os.getpid()
    with each_apart():
        assert answered(os.getpid) != os.getpid()
        with pytest.raises(ProcessEndedError, match="SIGKILL"):
            answered(lambda: os.kill(os.getpid(), signal.SIGKILL))


# ---- integers that a target has no type of ---------------------------------------------------


def of_what(target: str, *, lacks: str) -> NoTypeError:
    error = NoTypeError(f"target {target} has no type {lacks}")
    error.lacks = lacks
    return error


def test_variants_that_compute_with_integers_that_are_not_there_are_left_out() -> None:
    def lacking(name: str) -> list[str]:
        raise of_what("T", lacks=name)

    several = [lambda: ["one"], partial(lacking, "i64"), lambda: [], lambda: ["two"]]
    assert of_those_it_has(several) == ["one", "two"] and of_those_it_has([]) == []
    with pytest.raises(NoTypeError, match="no type u64"):
        of_those_it_has([partial(lacking, "i64"), partial(lacking, "u64")])
    with pytest.raises(NoTypeError, match="no type f64"):  # which nobody asked for
        of_those_it_has([lambda: [], partial(lacking, "f64")])


@pytest.mark.parametrize(("lacks", "status"), [("i64", "absent"), ("f64", "wrong")])
def test_a_case_of_integers_that_are_not_there_is_absent(lacks: str, status: str) -> None:
    def check(device: str, without: object) -> list[str]:
        raise of_what("T", lacks=lacks)

    result = run_case(ConformanceCase("values/sort/9", check), "INTERP")
    assert result.status == status and f"has no type {lacks}" in result.messages[0]


def test_sums_in_a_dtype_that_is_left_out_are_left_out() -> None:
    row = Method("sum", lambda x: x.sum(), lambda x: x.sum() + 1, dtypes=("i32",), gives="sum")
    assert check_rows([row], "INTERP") and not check_rows([row], "INTERP", without=["i64"])


def test_of_a_large_array_the_first_wrong_element_is_said() -> None:
    row = Method(
        "neg", lambda x: -x, lambda x: np.where(x == x[2, 3], 9, -x), shapes=(((4, 5),),),
        dtypes=("f32",), domain="distinct",
    )  # fmt: skip
    [said] = check_rows([row], "INTERP")
    assert re.search(r": expected 9\.0 at \(2, 3\), found \S+ \(1 of 20 are wrong\)$", said), said


# ---- --resume ------------------------------------------------------------------------------------


WORDS = ("conformance", "--device", "INTERP", "--format", "json", "-k", "refusals/resh")


def test_what_is_right_in_a_report_is_not_run_again(cli, monkeypatch, tmp_path) -> None:
    path, ran, real = tmp_path / "report.json", [], conformance.run_case

    def noted(case, device, repeat):
        if len(ran) == 3 and not path.exists():
            raise KeyboardInterrupt
        ran.append(case.name)
        return real(case, device, repeat)

    monkeypatch.setattr(conformance, "run_case", noted)
    words = (*WORDS, "--output", str(path), "--resume")
    first = cli(*words)  # nothing is there yet
    assert first.exit_code == 1 and "interrupted after 3 of" in first.stderr
    names = [case["case"] for case in json.loads(path.read_text())["cases"]]
    report = json.loads(path.read_text())
    report["cases"][1]["status"] = "wrong"
    path.write_text(json.dumps(report))
    second = cli(*words)
    assert second.exit_code == 0, second.stderr
    report = json.loads(path.read_text())
    assert ran[:3] == names and ran.count(names[1]) == 2 and ran.count(names[0]) == 1
    assert len(set(ran)) == len(ran) - 1 == report["chosen"] == len(report["cases"])
    assert report["stopped"] == "" and {c["status"] for c in report["cases"]} == {"right"}
    before = len(ran)
    assert cli(*words).exit_code == 0 and len(ran) == before


@pytest.mark.parametrize(
    ("fact", "value"), [("seed", 7), ("code", "other"), ("device", "C"), ("version", "0")]
)
def test_a_report_of_another_run_is_not_gone_on_from(cli, tmp_path, fact, value) -> None:
    path = tmp_path / "report.json"
    words = (*WORDS, "-x", "--output", str(path))
    assert cli(*words).exit_code == 0
    path.write_text(json.dumps({**json.loads(path.read_text()), fact: value}))
    result = cli(*words, "--resume")
    assert result.exit_code == 2
    assert f"is of another run: its {fact} is {value!r}, not " in result.stderr.replace("\n", " ")


def test_resume_needs_a_report_in_json(cli, tmp_path) -> None:
    result = cli("conformance", "-k", "hazards/part", "--resume")
    assert result.exit_code == 2 and "--output FILE with --format json" in result.stderr
    path = tmp_path / "report.json"
    for text in ("{", "[]", '{"cases": [{}]}'):
        path.write_text(text)
        result = cli(*WORDS, "--output", str(path), "--resume")
        assert result.exit_code == 2 and "is no report in json" in result.stderr, text


def test_what_is_known_of_cases_behind_an_interrupt_or_a_wrong_one_is_kept(
    cli, monkeypatch, tmp_path
) -> None:
    path = tmp_path / "report.json"
    words = (*WORDS, "--output", str(path), "--resume")
    assert cli(*words).exit_code == 0
    whole = json.loads(path.read_text())
    wrong, real = whole["cases"][1]["case"], conformance.run_case
    for stop in ("interrupted", "at the first case that is wrong"):
        whole["cases"][1]["status"] = "wrong"
        path.write_text(json.dumps(whole))

        def stopped(case, device, repeat, stop=stop):
            if stop == "interrupted":
                raise KeyboardInterrupt
            return replace(real(case, device, repeat), status="wrong")

        monkeypatch.setattr(conformance, "run_case", stopped)
        result = cli(*words, "-x")
        assert result.exit_code == 1
        kept = json.loads(path.read_text())
        assert kept["stopped"] == stop
        left = [case["case"] for case in kept["cases"] if case["status"] == "right"]
        assert left == [case["case"] for case in whole["cases"] if case["case"] != wrong]
