"""`rulewright conformance --jobs N`: several processes give the report that one gives."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal

import pytest

from rulewright.verify import apart, conformance
from rulewright.verify.apart import Apart, can_fork
from rulewright.verify.conformance import run_case

pytestmark = pytest.mark.skipif(not can_fork(), reason="this system does not copy processes")

WORDS = ("conformance", "--format", "json", "-k", "hazards/part or refusals/resh or values/neg")


def report(cli, *words: str, fails: int = 0) -> dict:
    """What a run says, without the seconds of cases; no process of it is left."""
    result = cli(*WORDS, *words)
    assert result.exit_code == fails, result.stderr
    assert multiprocessing.active_children() == []
    said = json.loads(result.stdout)
    for case in said["cases"]:
        case["seconds"] = 0
    return said


@pytest.mark.parametrize("device", ["C", "INTERP", "METAL_EMULATED"])
def test_the_report_is_that_of_one_process(cli, device) -> None:
    several = report(cli, "--device", device, "--jobs", "3")
    assert several == report(cli, "--device", device)
    assert several["stopped"] == "" and len(several["cases"]) == several["chosen"] > 10
    assert several["ran"][device] > 10


def falls_over(name: str, by: int):
    """`run_case`, which ends the process of the case of a name."""

    def run(case, device, repeat):
        if case.name == name:
            os.kill(os.getpid(), by)
        return run_case(case, device, repeat)

    return run


def test_what_ends_a_process_is_one_wrong_case(cli, monkeypatch) -> None:
    monkeypatch.setattr(conformance, "run_case", falls_over("refusals/reshape/2", signal.SIGKILL))
    said = report(cli, "--jobs", "2", fails=1)
    wrong = [case for case in said["cases"] if case["status"] != "right"]
    assert [case["case"] for case in wrong] == ["refusals/reshape/2"]
    assert wrong[0]["messages"] == ["it ends the process that runs it: signal SIGKILL"]
    names = [case["case"] for case in said["cases"]]
    assert names == [case.name for case in conformance.cases() if case.name in names]
    assert len(names) == said["chosen"]


def test_the_first_wrong_case_is_the_first_of_the_suite(cli, monkeypatch) -> None:
    names = [case["case"] for case in report(cli)["cases"]]
    monkeypatch.setattr(conformance, "run_case", falls_over(names[4], signal.SIGKILL))
    said = report(cli, "-x", "--jobs", "3", fails=1)
    assert [case["case"] for case in said["cases"]] == names[:5]
    assert said["stopped"] == "at the first case that is wrong"


def test_an_interrupt_keeps_what_ran_and_the_rest_is_run_later(cli, monkeypatch, tmp_path) -> None:
    words = (*WORDS, "--jobs", "2", "--output", str(tmp_path / "report.json"), "--resume")
    real, asked = Apart.first_of, []

    def interrupted(those):
        asked.append(those)
        if len(asked) == 6:
            raise KeyboardInterrupt
        return real(those)

    monkeypatch.setattr(apart.Apart, "first_of", interrupted)
    first = cli(*words)
    assert first.exit_code == 1 and "interrupted after " in first.stderr
    assert multiprocessing.active_children() == []
    kept = json.loads((tmp_path / "report.json").read_text())
    assert kept["stopped"] == "interrupted" and len(kept["cases"]) == 5
    asked.extend([[]] * 9)
    assert cli(*words).exit_code == 0
    whole = json.loads((tmp_path / "report.json").read_text())
    assert [case for case in whole["cases"] if case in kept["cases"]] == kept["cases"]
    assert whole["stopped"] == "" and len(whole["cases"]) == whole["chosen"]


def test_a_device_that_processes_cannot_share(cli, monkeypatch) -> None:
    monkeypatch.setattr(conformance, "can_fork", lambda: False)
    result = cli(*WORDS, "--jobs", "2")
    assert result.exit_code == 2 and "processes cannot share C; leave it out" in result.stderr
    assert report(cli, "--jobs", "1")["stopped"] == ""
