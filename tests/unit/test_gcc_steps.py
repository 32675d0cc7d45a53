"""The programs that gcc would start, started without it: what they make, and when they do not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rulewright import Context
from rulewright.errors import CompileError
from rulewright.runtime import compiler, gcc_steps
from rulewright.runtime.clib import foreign, load_function, pointer_array
from rulewright.runtime.compiler import compile_c, find_compiler
from rulewright.runtime.emulated.library import compile_unit
from rulewright.runtime.emulated.source import unit
from rulewright.runtime.gcc_steps import steps_of
from rulewright.temporary import private_dir

HEAD = "void k(void **b, const long *v, long s, long e)"
HALVES = f"{HEAD} {{ *(double *)b[0] /= 2; }}"
POWERS = f"{HEAD} {{ *(double *)b[0] = __builtin_pow(*(double *)b[0], 1.5); }}"
WIDE = f"{HEAD} {{ __int128 x = *(double *)b[0]; *(double *)b[0] = (double)(x * x / 3); }}"
WORDS = ("-O2", "-x", "c", "-", "-shared", "-fPIC", "-nostartfiles", "-nodefaultlibs", "-lm")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("gcc"), reason="the steps are those of gcc on Linux"
)


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which programs are started to compile: a shell for steps, or the driver."""
    started: list[str] = []
    real = compiler.run_within

    def noted(seconds, command, *rest, **env):
        if "--version" not in command:
            started.append(Path(command[0]).name)
        return real(seconds, command, *rest, **env)

    monkeypatch.setattr(compiler, "run_within", noted)
    return started


def value(path: Path) -> float:
    ffi, _ = foreign()
    out = ffi.new("double *", 4.0)
    load_function(path, "k")(pointer_array([int(ffi.cast("intptr_t", out))]), ffi.NULL, 0, 1)
    return out[0]


@pytest.mark.parametrize(("source", "expected"), [(HALVES, 2.0), (POWERS, 8.0), (WIDE, 5.0)])
def test_steps_make_what_the_driver_makes(empty_cache, ways, monkeypatch, source, expected) -> None:
    with Context(CC="gcc"):
        path = compile_c(source, find_compiler().kernel_flags)
        assert ways == ["sh"] and value(path) == expected
        monkeypatch.setattr(compiler, "steps_of", lambda *of: "")
        with Context(CACHE=0):
            other = compile_c(source, find_compiler().kernel_flags)
        assert ways == ["sh", "gcc"] and value(other) == expected
    assert not [path for path in private_dir().iterdir() if path.suffix in (".s", ".o")]


def test_kernels_of_the_emulator_are_compiled_by_steps_and_what_they_share_once(
    empty_cache, ways
) -> None:
    with Context(CC="gcc"):
        kernels = [f'extern "C" __global__ void k{n}(int *a) {{ *a = {n}; }}' for n in range(2)]
        paths = [compile_unit(unit(k, [f"k{n}"], "cuda"), "k") for n, k in enumerate(kernels)]
    assert ways == ["gcc", "sh", "sh"]  # its driver makes objects
    tables = [subprocess.run(["readelf", "-d", path], capture_output=True).stdout for path in paths]
    assert not any(b"NEEDED" in table for table in tables)
    shutil.rmtree(paths[0].parent)
    with Context(CC="gcc"):  # whose object is gone
        assert compile_unit(unit(kernels[0], ["k0"], "cuda"), "k").is_file()
    assert ways == ["gcc", "sh", "sh", "gcc", "sh"]


def test_libraries_are_needed_only_by_what_calls_them(empty_cache) -> None:
    with Context(CC="gcc"):
        paths = [compile_c(source, find_compiler().kernel_flags) for source in (HALVES, POWERS)]
    tables = [subprocess.run(["readelf", "-d", path], capture_output=True).stdout for path in paths]
    assert [b"libm.so" in table for table in tables] == [False, True]


def test_the_driver_says_what_is_wrong(empty_cache, ways) -> None:
    with Context(CC="gcc"), pytest.raises(CompileError, match="refused the source:\n<stdin>:1:"):
        compile_c("int f(void) { return x; }", find_compiler().kernel_flags)
    assert ways == ["sh", "gcc"]


@pytest.mark.parametrize("words", ["-pipe", "-flto", "-fuse-ld=gold", "-B/tmp", "-m32"])
def test_a_compiler_that_is_told_more_is_not_taken_apart(words: str) -> None:
    assert steps_of(("gcc", "-O1"), WORDS, 60.0) and steps_of(("gcc", words), WORDS, 60.0) == ""


def test_only_gcc_itself_is_taken_apart(tmp_path: Path) -> None:
    other = tmp_path / "ccache"
    other.write_text('#!/bin/sh\nexec gcc "$@"\n')
    other.chmod(0o700)
    (tmp_path / "gcc").symlink_to(other)
    for command in (str(other), str(tmp_path / "gcc"), "/nonexistent/gcc", "sh"):
        assert steps_of((command,), WORDS, 60.0) == ""


@pytest.mark.parametrize("odd", ["", " cc1\n as\n", " f951\n as\n collect2\n", "cc1\nas\n"])
def test_steps_that_are_not_those_of_c_or_cpp_are_not_taken(monkeypatch, odd: str) -> None:
    answer = compiler.run_within(9, ["/bin/sh", "-c", f"printf '{odd}' >&2"])
    monkeypatch.setattr(gcc_steps, "run_within", lambda *told, **env: answer)
    assert steps_of(("gcc",), (*WORDS, f"-DODD={len(odd)}"), 60.0) == ""
