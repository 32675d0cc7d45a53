"""Many at once, killed, interrupted, out of memory or disk: nothing wrong, lost or left behind.

`tox -e load` tries each a hundred times and trains 10,000 steps (`LOAD=1`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rulewright.paths import cache_dir

RUNS = Path(__file__).with_name("load_runs.py")
LONG = os.environ.get("LOAD", "") not in ("", "0")

TIMES = {  # what is tried, how often here, and at length
    "processes": (4, 20),
    "threads": (1, 20),
    "forks": (2, 50),
    "memory": (4, 100),
    "files": (4, 100),
    "killed": (3, 100),
    "checkpoints": (3, 100),
    "interrupts": (40, 1000),
    "steps": (300, 10_000),
}


@pytest.mark.timeout(7200 if LONG else 120)  # each round compiles, in a process of its own
@pytest.mark.parametrize("kind", TIMES)
def test_nothing_is_wrong_lost_or_left(tmp_path: Path, kind: str) -> None:
    parsed = cache_dir() / "lang"  # what the rules are read from, but where all is to be cold
    if parsed.is_dir() and not LONG:
        shutil.copytree(parsed, tmp_path / "cache" / "lang", symlinks=True)
        (tmp_path / "cache").chmod(0o700)
    command = [sys.executable, str(RUNS), kind, str(TIMES[kind][LONG]), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    print(kind, found["came"])
    assert found["bad"] == [], done.stderr
    assert sum(found["came"].values()) > 0


CAME = {
    "lambda: True": "right",
    "lambda: False": "wrong",
    "lambda: {}[0]": "raised",
    "lambda: Tensor(1).reshape(7).item()": "refused",
    "lambda: __import__('no_such')": "raised",
    "lambda: os.abort()": "signal 6",
    "lambda: os._exit(9)": "status 9",
    "lambda: time.sleep(60)": "hangs",
}


@pytest.mark.parametrize("run", CAME)
def test_what_came_of_a_round_is_told_by_its_process(run: str) -> None:
    code = f"from load_runs import *; print(ended(forked({run}), 0.5))"
    command, paths = [sys.executable, "-c", code], [str(RUNS.parent), *filter(None, sys.path)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    assert done.stdout.strip() == CAME[run], done.stderr
