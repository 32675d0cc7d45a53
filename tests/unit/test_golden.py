"""Goldens: what is on record is what is made now, on any host, in any process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from rulewright.errors import UsageError
from rulewright.ir.text import read_graph
from rulewright.verify import golden

HASHES = """
import hashlib
from rulewright.verify import golden
for name in ("softmax", "matmul_fused", "training_step", "random"):
    for file, text in golden.texts(name).items():
        print(name, file, hashlib.sha256(text.encode()).hexdigest())
"""


@pytest.fixture
def record(tmp_path, monkeypatch):
    """A golden folder with one small program on record; yields the folder."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(golden, "names", lambda: ["arange"])
    golden.update(golden.Record(tmp_path), ["arange"])
    return tmp_path


@pytest.mark.parametrize("name", golden.names())
def test_programs_are_as_on_record(name):
    problems = list(golden.compare(golden.Record(golden.golden_dir()), [name]))
    hint = "if the change is wanted: rulewright golden --update"
    assert not problems, "\n".join([*map(str, problems), hint])


def test_nothing_else_is_on_record():
    assert golden.orphans(golden.Record(golden.golden_dir())) == []


def test_there_is_a_program_of_each_kind():
    assert len(golden.names()) >= 40
    targets = {file for name in golden.names()[:3] for file in golden.texts(name)}
    assert targets == set(golden.files_of(golden.TARGETS))


def test_schedules_on_record_read_back():
    text = golden.texts("softmax")["schedule.uop"]
    assert str(read_graph(text)).rstrip() == text.rstrip()


def test_other_processes_make_the_same_bytes():
    found = set()
    for seed, environment in (("1", {}), ("2", {"DEVICE": "INTERP", "THREADS": "7", "SEED": "5"})):
        variables = {**os.environ, "PYTHONHASHSEED": seed, **environment}
        command = [sys.executable, "-c", HASHES]
        run = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
        found.add(run.stdout)
    assert len(found) == 1 and found.pop().count("\n") == 4 * 7  # files of programs


def test_update_writes_only_what_changed(record):
    assert golden.update(golden.Record(record)) == []
    (record / "arange" / "c.c").write_text("old\n")
    assert golden.update(golden.Record(record)) == ["arange/c.c"]
    assert list(golden.compare(golden.Record(record))) == []


def test_a_change_shows_its_difference(record):
    path = record / "arange" / "memory.txt"
    path.write_text(path.read_text().replace("0 bytes", "9 bytes", 1))
    (problem,) = golden.compare(golden.Record(record))
    assert str(problem).startswith(
        "golden/arange/memory.txt: changed\n--- golden/arange/memory.txt"
    )
    assert (
        "-internal memory: 9 bytes" in problem.diff and "+internal memory: 0 bytes" in problem.diff
    )


def test_missing_files_and_orphans_are_problems(record):
    (record / "arange" / "c.c").unlink()
    (record / "gone").mkdir()
    (record / "gone" / "c.c").write_text("")
    problems = [str(p) for p in golden.compare(golden.Record(record))]
    assert problems == [
        "golden/arange/c.c: missing; `--update` makes it",
        "golden/gone/c.c: orphan: no program makes it; `--update` removes it",
    ]
    assert golden.update(golden.Record(record)) == ["arange/c.c", "gone/c.c"]
    assert not (record / "gone").exists()


def test_what_nobody_can_review_is_refused(record, monkeypatch):
    monkeypatch.setattr(golden, "MOST_LINES", 5)
    problems = [str(p) for p in golden.compare(golden.Record(record))]
    assert "golden/arange/c.c: too long: 16 lines, at most 5; use a smaller program" in problems
    with pytest.raises(UsageError, match="too long"):
        golden.update(golden.Record(record))


def test_update_is_refused_in_ci(record, monkeypatch):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(UsageError, match="refused while CI is set"):
        golden.update(golden.Record(record))


def test_unknown_programs_and_folders(monkeypatch, tmp_path):
    with pytest.raises(UsageError, match=r"'softmaxx'; there are .*; did you mean softmax"):
        golden.texts("softmaxx")
    monkeypatch.setattr("rulewright.paths.spec_dir", lambda: tmp_path / "spec")
    with pytest.raises(UsageError, match="inside a checkout"):
        golden.golden_dir()
