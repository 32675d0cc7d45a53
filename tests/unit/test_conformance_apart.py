"""Cases of conformance that end the process that runs them, and results that are taken over."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from outside_tools import fake, run

from rulewright.verify.apart import Apart, ProcessEndedError, answered, can_fork, each_apart

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


@pytest.mark.timeout(120)
def test_a_case_that_ends_the_process_is_wrong_and_the_others_run(site: Path) -> None:
    chosen = "values/sqrt/1 or values/relu6/1 or values/trunc/1 or values/neg/1"
    said = run(site, "conformance", "--device", "FALLS", "-k", chosen, fails="1")
    assert "wrong: values/sqrt/1 " in said and said.count("wrong: ") == 2
    assert "it ends the process that runs it: signal SIGSEGV" in said
    assert "| x = Tensor([" in said  # the smallest call that does
    assert "KeyError: 'no such kernel' (" in said and "falling.py:24, in runtime)" in said
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


# ---- --resume ------------------------------------------------------------------------------------


WORDS = ("conformance", "--device", "INTERP", "--format", "json", "-k", "hazards/part")


def test_what_is_right_in_a_report_is_not_run_again(cli, monkeypatch, tmp_path) -> None:
    from rulewright.verify import conformance

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
    assert cli(*words).exit_code == 0
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
