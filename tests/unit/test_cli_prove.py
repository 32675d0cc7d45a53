"""`rulewright prove`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rulewright.cli.output import telling
from rulewright.lang.parse import parse_file, parse_text
from rulewright.verify.prove.files import prove_trees

GOOD = """ruleset mine {
  rule my_cancel<T: Int>
    x:T - x => {0}:T
    when x.valid
    prove smt
    example PARAM[0]:i32 - PARAM[0]:i32 => 0:i32
    reject  PARAM[0]:f32 - PARAM[0]:f32
    reject  INVALID():index - INVALID():index
  rule my_zero<T: Float> equiv nan_payload
    x:T - 0.0 => x
    prove interp
    example PARAM[0]:f32 - 0.0 => PARAM[0]:f32
    reject  PARAM[0]:i32 - 0
}
"""
BAD = GOOD.replace("{0}", "{1}").replace("=> 0:i32", "=> 1:i32")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "good.uop").write_text(GOOD)
    (tmp_path / "bad.uop").write_text(BAD)
    return tmp_path


def _rows(result):
    return {row["rule"]: row for row in json.loads(result.stdout)["rules"]}


def test_json_has_the_fields_that_tools_rely_on(cli, files):
    result = cli("prove", "--jobs", "1", "--format", "json", files / "good.uop")
    assert result.exit_code == 0
    rows = _rows(result)
    wanted = {"rule", "set", "file", "line", "method", "status", "width", "instances", "seconds"}
    assert all(wanted | {"counterexample"} <= set(row) for row in rows.values())
    cancel = rows["my_cancel"]
    assert (cancel["set"], cancel["line"], cancel["status"]) == ("mine", 2, "proved")
    assert len(cancel["instances"]) == 9
    assert rows["my_zero"]["status"] == "proved"


def test_a_refuted_rule_is_an_error_with_a_graph(cli, files):
    result = cli("prove", "--jobs", "1", files / "bad.uop")
    assert result.exit_code == 1
    assert f"# {files / 'bad.uop'}:2: mine.my_cancel is wrong at T=u8" in result.stdout
    graphs = result.stdout[result.stdout.index("graph before") : result.stdout.rindex("}") + 1]
    assert [str(item.name) for item in parse_text(graphs).items] == ["before", "after"]


def test_one_rule_by_its_name(cli, files):
    result = cli("prove", "--jobs", "1", "--rule", "my_zero", "--format", "json", files / "bad.uop")
    assert (result.exit_code, set(_rows(result))) == (1, {"my_zero"})  # its file fails `check`
    result = cli(
        "prove", "--jobs", "1", "--rule", "my_zero", "--format", "json", files / "good.uop"
    )
    assert (result.exit_code, set(_rows(result))) == (0, {"my_zero"})
    again = cli(
        "prove", "--jobs", "1", "--rule", "mine.my_zero", "--format", "json", files / "good.uop"
    )
    assert _rows(again) == _rows(result)  # as the table calls it
    for other in ("no_such", "folding.my_zero"):
        result = cli("prove", "--rule", "my_zero", "--rule", other, files / "bad.uop")
        assert result.exit_code == 2 and f"is called {other}" in result.stderr
    result = cli("prove", "--jobs", "1", "--rule", "no_such", files / "bad.uop")
    assert result.exit_code == 2 and "no_such" in result.stderr


def test_what_was_proved_is_kept_until_the_rule_changes(cli, files, monkeypatch):
    first = cli("prove", "--jobs", "1", "--format", "json", files / "good.uop")
    calls = []
    monkeypatch.setattr(
        "rulewright.verify.prove.files.prove_rule", lambda *a: calls.append(a) or 1 / 0
    )
    assert (
        cli("prove", "--format", "json", "--jobs", "1", files / "good.uop").stdout == first.stdout
    )
    assert not calls
    new = GOOD.replace("x:T - x", "x:T ^ x").replace("i32 - PARAM", "i32 ^ PARAM")
    (files / "good.uop").write_text(new)  # whose examples match, or all rules get a quick look
    cli("prove", "--jobs", "1", files / "good.uop")
    assert len(calls) == 1


def test_of_rules_in_one_line_each_is_kept_by_itself(tmp_path):
    rules = ["rule it x:i32 + 0 => x prove smt", "rule other x:i32 + 1 => x prove smt"]
    path = tmp_path / "line.uop"
    path.write_text(f"ruleset mine {{ {' '.join(rules)} }}\n")
    for _ in range(2):
        proofs = prove_trees([parse_file(path)])
        assert [(p.rule, p.status) for p in proofs] == [("it", "proved"), ("other", "refuted")]


def test_without_z3_it_says_so(cli, files, monkeypatch):
    for module in ("integers", "smt"):
        monkeypatch.setattr(f"rulewright.verify.prove.{module}.available", lambda: False)
    result = cli("prove", "--no-cache", "--jobs", "1", files / "good.uop")
    assert result.exit_code == 0
    assert "bounded" in result.stdout and "z3 is not installed" in result.stdout


MALFORMED = {
    "no example": (GOOD.replace("    example PARAM[0]:f32 - 0.0 => PARAM[0]:f32\n", ""), "example"),
    "another value": (GOOD.replace("PARAM[0]:f32 - 0.0 => P", "PARAM[0]:f32 - 1.0 => P"), "match"),
    "unknown dtype": (GOOD.replace("Float>", "Flaot>"), "unknown"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_file_that_fails_check_is_not_proved(cli, tmp_path, name):
    text, word = MALFORMED[name]
    (tmp_path / "it.uop").write_text(text)
    (tmp_path / "good.uop").write_text(GOOD.replace("my_", "other_").replace("mine", "another"))
    result = cli("prove", "--jobs", "1", "--format", "json", tmp_path)
    assert result.exit_code == 1
    rows = _rows(result)
    assert {row["status"] for n, row in rows.items() if n.startswith("my_")} == {"unchecked"}
    assert {row["status"] for n, row in rows.items() if n.startswith("other_")} == {"proved"}
    (problem,) = json.loads(result.stdout)["problems"]
    assert word in json.dumps(problem) and "it.uop:" in result.stderr


def test_the_note_of_an_unchecked_rule_cites_its_own_problem_or_says_whose_it_is(cli, tmp_path):
    text = GOOD.replace("prove interp", "prove sat")
    (tmp_path / "it.uop").write_text(text)
    result = cli("prove", "--jobs", "1", "--format", "json", tmp_path / "it.uop")
    rows = _rows(result)
    line = text[: text.index("prove sat")].count("\n") + 1
    problem = "unknown proof method `sat`"
    assert rows["my_zero"]["note"] == f"`check`: {problem}"
    other = f"nothing wrong here, but `check` at line {line}: {problem}"
    assert rows["my_cancel"]["note"] == other
    assert "use smt, interp, exhaustive or derivative" in result.stderr


def test_a_rule_that_check_refuses_is_not_called_a_crash_of_the_prover(cli, tmp_path):
    (tmp_path / "it.uop").write_text(
        """ruleset mine {
  rule my_store
    STORE(EXPAND[f](x), v) => STORE(x, SHRINK[f](v))
    prove interp
}
"""
    )
    result = cli("prove", "--jobs", "1", "--format", "json", tmp_path / "it.uop")
    row = _rows(result)["my_store"]
    assert row["status"] == "refuted"
    assert "no shape follows" in row["instances"][0]["counterexample"]
    assert "`f` is a tuple of sizes" in result.stderr


def test_a_file_without_rules_says_so(cli, tmp_path):
    (tmp_path / "empty.uop").write_text("# nothing\n")
    result = cli("prove", tmp_path / "empty.uop")
    assert result.exit_code == 0 and result.stdout.strip().endswith("no rules")


def test_a_wrong_rule_is_shown_wrong_whatever_check_says(cli, files):
    (files / "bad.uop").write_text(
        BAD.replace("    reject  INVALID():index - INVALID():index\n", "")
    )
    result = cli("prove", "--jobs", "1", "--format", "json", files / "bad.uop")
    rows = _rows(result)
    assert [rows[n]["status"] for n in ("my_cancel", "my_zero")] == ["refuted", "unchecked"]
    assert json.loads(result.stdout)["problems"]


def test_clean_files_are_checked_once_and_again_when_they_change(
    cli, files, monkeypatch, empty_cache
):
    calls = []

    def check(paths):
        calls.append(paths)
        return []

    monkeypatch.setattr("rulewright.verify.prove.files.check", check)
    (files / "good.uop").write_text(GOOD + "# counted\n")
    for _ in range(2):
        cli("prove", "--jobs", "1", "--rule", "my_zero", files / "good.uop")
    assert len(calls) == 1
    cli("prove", "--jobs", "1", "--rule", "my_zero", "--no-cache", files / "good.uop")
    (files / "good.uop").write_text(GOOD + "# more\n")
    cli("prove", "--jobs", "1", "--rule", "my_zero", files / "good.uop")
    assert len(calls) == 3


def test_what_is_told_on_the_way_is_what_is_reported_at_the_end(cli, tmp_path):
    lines = GOOD.splitlines()
    (tmp_path / "bare.uop").write_text("\n".join(s for s in lines if "example" not in s) + "\n")
    result = cli("prove", "--jobs", "1", "--no-cache", tmp_path / "bare.uop")
    assert result.stdout.splitlines()[-1] == "2 unchecked"
    told = [line for line in result.stderr.splitlines() if line.startswith("mine.")]
    assert told == ["mine.my_cancel is unchecked", "mine.my_zero is unchecked"]


@pytest.fixture
def answers_ctrl_c():
    """Processes that are started now answer Ctrl-C, which jobs in the background ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("answers_ctrl_c")
def test_ctrl_c_ends_the_processes_that_prove():
    """A terminal sends it to all of them; none prints a traceback, and nobody waits for z3."""
    file = Path(__file__).parents[1] / "outside" / "cube" / "cube.uop"
    command = [sys.executable, "-m", "rulewright", "prove", str(file), "--no-cache", "--jobs", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(3)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=15)
    assert (process.returncode, errors) == (1, "\nAborted!\n")


@pytest.mark.usefixtures("answers_ctrl_c")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_that_python_drops_ends_work_where_it_tells_how_far_it_is():
    class Freed:
        def __del__(self):  # as z3's objects have: what is raised here goes nowhere
            signal.raise_signal(signal.SIGINT)

    heard: list[int] = []
    with pytest.raises(KeyboardInterrupt), telling(heard.append, dict) as told:
        told(1)
        Freed()
        heard.append(2)
        told(3)
    assert heard == [1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
