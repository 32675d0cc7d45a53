"""Compilers that take too long: they are ended, with what they started, and named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rulewright import Context, Tensor
from rulewright.errors import CompileError, DeviceError
from rulewright.runtime import compiler
from rulewright.runtime.compiler import compile_c, find_compiler, in_threads
from rulewright.runtime.processes import run_within

SLOW = """#!/bin/sh
case "$*" in {quick}) exec gcc "$@";; esac
while :; do echo >> {beats}; sleep 0.1; done & wait
"""


@pytest.fixture
def slow(tmp_path: Path):
    """A compiler that answers to some words alone; afterwards nothing that it started runs."""
    if shutil.which("gcc") is None:
        pytest.skip("the stand-in asks gcc")
    beats = tmp_path / "beats"

    def make(quick: str) -> str:
        path = tmp_path / "slowcc"
        path.write_text(SLOW.format(quick=quick, beats=beats))
        path.chmod(0o700)
        return str(path)

    yield make
    count = beats.stat().st_size
    time.sleep(0.5)
    assert beats.stat().st_size == count > 0
    compiler._find.cache_clear()


def test_a_unit_that_takes_too_long_is_named_with_its_tensor_methods(slow) -> None:
    with Context(CC=slow("*--version*|*-dM*"), COMPILE_TIMEOUT=1):
        started = time.monotonic()
        with pytest.raises(CompileError) as caught:
            (Tensor([1.0, 2.0]).realize() * 3.5).exp().sum().realize()
    assert time.monotonic() - started < 15
    message = str(caught.value)
    assert "took more than 1 s; set COMPILE_TIMEOUT to more seconds" in message
    assert caught.value.unit.startswith("r_2") and f"kernels: {caught.value.unit}" in message
    methods = message.split("tensor methods: ")[1]
    assert all(f"{name} - {__file__}:" in methods for name in ("mul", "exp", "sum"))
    assert caught.value.source and caught.value.kernels


@pytest.mark.parametrize("command", ["schedule", "jit", "watched"])
def test_so_it_is_however_it_is_run(slow, command, monkeypatch) -> None:
    from rulewright import jit

    x = Tensor([1.0, 2.0]).realize()

    def run() -> object:
        if command == "schedule":
            return (x * 4.5).exp().schedule()[0].run()
        if command == "jit":
            return jit(lambda t: (t * 5.5).exp())(x)
        with Context(PROFILE=1):
            return (x * 6.5).exp().realize()

    with (
        Context(CC=slow("*--version*|*-dM*"), COMPILE_TIMEOUT=1),
        pytest.raises(CompileError, match=r"took more than 1 s.*\nkernels: e_2\n.*exp - "),
    ):
        run()


def test_other_kernels_go_on_after_it(slow) -> None:
    x = Tensor([1.0, 2.0]).realize()
    lazy = x * 7.5
    with Context(CC=slow("*--version*|*-dM*"), COMPILE_TIMEOUT=1), pytest.raises(CompileError):
        lazy.realize()
    assert lazy.tolist() == [7.5, 15]  # by the compiler that there is else


@pytest.mark.parametrize(
    ("quick", "says"),
    [("no", r"--version: no end within 1 s; set COMPILE_TIMEOUT"),
     ("*--version*", r"-dM .*: no end within 1 s; set COMPILE_TIMEOUT")],
)  # fmt: skip
def test_questions_take_no_longer(slow, quick, says) -> None:
    with Context(CC=slow(quick), COMPILE_TIMEOUT=1), pytest.raises(DeviceError, match=says):
        compiler.defined_macros(find_compiler())


def test_what_left_the_group_is_not_waited_for(tmp_path: Path) -> None:
    if shutil.which("setsid") is None:
        pytest.skip("no program that leaves a group")
    started = time.monotonic()
    with pytest.raises(TimeoutError, match=r"no end within 0.5 s"):
        run_within(0.5, ["/bin/sh", "-c", "setsid sleep 8 & sleep 100"])
    assert time.monotonic() - started < 5


def test_an_answer_holds_what_was_said() -> None:
    done = run_within(0, ["/bin/sh", "-c", "cat; echo $X >&2; exit 3"], "given", X="errors")
    assert done == (3, b"given", b"errors\n")
    with pytest.raises(FileNotFoundError):
        run_within(1, ["/nowhere/cc"])


def test_no_limit_is_zero(empty_cache: Path) -> None:
    with Context(COMPILE_TIMEOUT=0):
        assert compile_c("int a;").is_file()


INTERRUPTED = """
import os, signal, sys, threading, time
from rulewright import Tensor

def interrupt():
    while not os.path.exists(sys.argv[1]):  # the compiler runs
        time.sleep(0.05)
    while True:  # one that lands in a `__del__` is lost
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
x = Tensor([1.0, 2.0]).realize()
threading.Thread(target=interrupt, daemon=True).start()
try:
    (x * 3.5).exp().realize()
except KeyboardInterrupt:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("interrupted")
"""


@pytest.mark.timeout(60)
def test_ctrl_c_ends_the_compilers(slow, tmp_path) -> None:
    env = {**os.environ, "CC": slow("*--version*|*-dM*"), "COMPILE_TIMEOUT": "0"}
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "beats")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted\n"


def test_the_first_error_is_raised_and_others_finish() -> None:
    """What is compiled beside a unit that is refused is kept."""
    finished = []

    def task() -> None:
        run_within(0, ["/bin/sh", "-c", "sleep 0.2"])
        finished.append(True)

    def fail() -> None:
        raise CompileError("no")

    with pytest.raises(CompileError):
        in_threads([fail, task])
    assert finished in ([True], [])  # it may not have begun
