"""Warnings name the user's line, not one of the library's."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import warnings

import pytest

from rulewright.errors import RulewrightWarning
from rulewright.warning import warn

PROGRAM = """import threading
import rulewright
from rulewright import Tensor, jit

@jit
def twice(x):
    return x * 2

{call}
"""
PATH = {k: v for k, v in os.environ.items() if k != "CC"}
CALLS = ["print(Tensor([1.0, 2.0]).tolist())", "twice(Tensor.ones(3)).tolist()"]


@pytest.mark.parametrize("call", CALLS)
def test_without_a_compiler_the_user_s_line_is_named(tmp_path, call):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(call=call))
    result = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, env={**PATH, "CC": "no_such_cc"}
    )
    assert result.returncode == 0, result.stderr
    first, line = result.stderr.splitlines()
    assert first.startswith(f"{program}:9: RulewrightWarning: kernels run in the interpreter")
    assert "CC='no_such_cc'" in first and line.strip() == call


def test_the_command_line_says_it_in_a_line_of_its_own(shell, tmp_path):
    (tmp_path / "g.uop").write_text("graph g {\n  return PARAM[0]:i32 + 1\n}\n")
    result = shell("run", tmp_path / "g.uop", CC="no_such_cc")
    assert result.returncode == 0
    assert result.stderr.startswith("warning: kernels run in the interpreter, slowly: CC='no_such")
    assert result.stderr.count("\n") == 1


def test_python_s_own_frames_and_threads_are_passed_over():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with contextlib.ExitStack() as stack:
            stack.callback(warn, "on leaving")  # called by contextlib
        worker = threading.Thread(target=warn, args=("in a thread",))
        worker.start()
        worker.join()
    assert [w.category for w in caught] == [RulewrightWarning] * 2
    assert {w.filename for w in caught} == {__file__}
