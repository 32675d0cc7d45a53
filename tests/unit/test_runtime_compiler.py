"""The C compiler's cache on healthy and sick disks, and its errors."""

from __future__ import annotations

import errno
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rulewright import Tensor, diskcache, temporary
from rulewright.errors import CompileError, DeviceError, DeviceRuntimeError, RulewrightWarning
from rulewright.options import Context
from rulewright.runtime import compiler
from rulewright.runtime.clib import foreign, int64_array, load_function, pointer_array
from rulewright.runtime.compiler import compile_c, compile_many, find_compiler


def source_of(value: int, name: str = "k") -> str:
    """A kernel that writes `value` to its first buffer."""
    return f"void {name}(void **b, const long *v, long s, long e) {{ *(long *)b[0] = {value}; }}"


def value_of(path: Path, name: str = "k") -> int:
    out = int64_array([0])
    ffi, _ = foreign()
    buffers = pointer_array([int(ffi.cast("intptr_t", out))])
    load_function(path, name)(buffers, ffi.NULL, 0, 1)
    return out[0]


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that really went to the compiler."""
    seen: list[str] = []
    real = compiler._build

    def counted(found, source, *rest):
        seen.append(source)
        return real(found, source, *rest)

    monkeypatch.setattr(compiler, "_build", counted)
    return seen


@pytest.fixture(autouse=True)
def as_in_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diskcache, "_warned", set())
    monkeypatch.setattr(temporary, "_folder", None)


def test_compiles_once_and_runs(empty_cache: Path, builds: list[str]) -> None:
    path = compile_c(source_of(42))
    assert empty_cache in path.parents and value_of(path) == 42
    assert compile_c(source_of(42)) == path
    assert len(builds) == 1


def test_cache_off_always_compiles_and_shares_nothing(empty_cache: Path, builds: list[str]) -> None:
    shared = compile_c(source_of(1))
    with Context(CACHE=0):
        path = compile_c(source_of(1))
        assert compile_c(source_of(1)) == path != shared
    assert len(builds) == 3
    assert value_of(path) == 1


def test_flags_compiler_and_processor_are_in_the_key(
    empty_cache: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = {compile_c(source_of(1)), compile_c(source_of(1), ("-O1", "-fPIC", "-shared"))}
    monkeypatch.setattr(compiler, "cpu_identity", lambda: "another processor")
    paths.add(compile_c(source_of(1)))
    real = find_compiler()
    other = compiler.Compiler(real.command, real.version + " patched")
    monkeypatch.setattr(compiler, "find_compiler", lambda: other)
    paths.add(compile_c(source_of(1)))
    assert len(paths) == len(builds) == 4


@pytest.mark.parametrize("damage", ["truncated", "empty", "foreign", "folder"])
def test_damaged_objects_are_rebuilt_never_loaded(
    empty_cache: Path, builds: list[str], damage: str
) -> None:
    path = compile_c(source_of(7))
    foreign_object = compile_c(source_of(666)).read_bytes()
    builds.clear()
    whole = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
        with pytest.warns(RulewrightWarning):
            again = compile_c(source_of(7))
    else:
        bad = {"truncated": whole[:-100], "empty": b"", "foreign": foreign_object}[damage]
        path.write_bytes(bad)
        again = compile_c(source_of(7))
        assert again == path and path.read_bytes()[-40:] == whole[-40:]
    assert len(builds) == 1
    assert value_of(again) == 7


def test_unwritable_cache_still_runs_with_one_warning(
    tmp_path: Path, builds: list[str], recwarn: pytest.WarningsRecorder
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("no folder")
    with Context(CACHE_DIR=str(blocker)):
        for value in (1, 2, 1):
            assert value_of(compile_c(source_of(value))) == value
    assert len(builds) == 2  # the private folder is a cache too
    warned = [w for w in recwarn if w.category is RulewrightWarning]
    assert len(warned) == 1 and "CACHE_DIR" in str(warned[0].message)


def test_full_disk_still_runs(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.replace

    def full(source: str, target: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        if os.path.samestat(os.fstat(dst_dir_fd), (empty_cache / "kernels").stat()):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RulewrightWarning, match="No space left on device"):
        path = compile_c(source_of(11))
    assert value_of(path) == 11


def test_every_disk_full_is_a_clear_error(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: str, target: str, **folders: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with (
        pytest.warns(RulewrightWarning),
        pytest.raises(DeviceRuntimeError, match=r"no disk takes .* set CACHE_DIR or TMPDIR"),
    ):
        compile_c(source_of(12))


def test_a_folder_that_others_can_write_to_is_not_trusted(
    empty_cache: Path, builds: list[str]
) -> None:
    compile_c(source_of(5))
    (empty_cache / "kernels").chmod(0o770)
    with pytest.warns(RulewrightWarning, match="writable by others"):
        path = compile_c(source_of(5))
    assert empty_cache not in path.parents and value_of(path) == 5
    assert len(builds) == 2


def _compile_and_call(folder: str, value: int) -> list[int]:
    with Context(CACHE_DIR=folder):
        return [value_of(compile_c(source_of(value + k))) for k in range(4)]


def test_concurrent_processes_share_one_cache(empty_cache: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(3) as pool:
        jobs = [(str(empty_cache), value) for value in (0, 1, 0, 2)]
        results = pool.starmap(_compile_and_call, jobs)
    assert results == [[value + k for k in range(4)] for _, value in jobs]
    assert len(list((empty_cache / "kernels").iterdir())) == 6  # values 0..5, nothing left over


def test_many_sources_keep_their_order(empty_cache: Path, builds: list[str]) -> None:
    sources = [source_of(k % 5) for k in range(8)]
    paths = compile_many(sources)
    assert [value_of(path) for path in paths] == [k % 5 for k in range(8)]
    assert len(builds) == 5
    assert compile_many([]) == []


def test_many_sources_report_the_first_that_fails(empty_cache: Path) -> None:
    with pytest.raises(CompileError, match="bad_one"):
        compile_many([source_of(1), "int bad_one = ;", "int bad_two = ;"])


def test_compile_error_shows_message_and_lines(empty_cache: Path) -> None:
    lines = ["int a;", "int b;", "void f(void) {", "  missing = 1;", "}", "int c;"]
    lines += [f"int d{k};" for k in range(20)] + ["int broken = ;", "int e;"]
    with pytest.raises(CompileError) as caught:
        compile_c("\n".join(lines))
    message = str(caught.value)
    assert "missing" in message and "refused the source" in message
    assert "      2 | int b;\n" in message and ">     4 |   missing = 1;\n" in message
    assert ">    27 | int broken = ;" in message and "int d9;" not in message
    assert caught.value.source == "\n".join(lines)
    assert "error" in caught.value.output


def test_excerpt_understands_each_compiler() -> None:
    for place in ("<stdin>:2:3:", "<stdin>:2:", "/tmp/zig/52ab-stdin.c:2:7:"):
        excerpt = compiler._excerpt("one\ntwo\nthree", f"{place} error: what is this")
        assert excerpt == "      1 | one\n>     2 | two\n      3 | three"
    assert compiler._excerpt("one", "ld: error: no such library") == ""
    assert compiler._excerpt("one", "<stdin>:99:1: error: past the end") == ""


def test_failed_link_is_a_compile_error(empty_cache: Path) -> None:
    with pytest.raises(CompileError, match="nowhere"):
        compile_c(source_of(1), (*compiler.DEFAULT_FLAGS, "-nowhere-to-be-found"))


def test_missing_compiler_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_zig", list)
    monkeypatch.setenv("PATH", "/nonexistent")
    compiler._find.cache_clear()
    with pytest.raises(DeviceError, match=r"no C compiler found .*pip install ziglang"):
        find_compiler()
    with Context(CC="nosuchcc -m64"), pytest.raises(DeviceError, match="'nosuchcc -m64': no such"):
        find_compiler()
    compiler._find.cache_clear()


def test_a_compiler_that_does_not_start(tmp_path: Path) -> None:
    broken = tmp_path / "brokencc"
    broken.write_bytes(b"\x7fELF this is no program")
    broken.chmod(0o700)
    with Context(CC="gcc '"), pytest.raises(DeviceError, match="No closing quotation"):
        find_compiler()
    with Context(CC=str(broken)), pytest.raises(DeviceError, match="brokencc does not start"):
        find_compiler()


def test_chosen_compiler_may_have_arguments() -> None:
    with Context(CC="gcc -pipe"):
        assert find_compiler().command[1:] == ("-pipe",)
        assert "gcc" in find_compiler().identity


def test_a_chosen_compiler_may_say_the_level(empty_cache: Path) -> None:
    usual = find_compiler()
    with Context(CC="gcc -O0"):
        assert "-O" not in find_compiler().level and usual.level.startswith("-O")
        assert find_compiler().identity != usual.identity
        assert value_of(compile_c(source_of(5))) == 5


@pytest.mark.parametrize("version, is_told", [
    ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0", True), ("gcc (GCC) 13.2.1 20230801", True),
    ("gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", False), ("tcc version 0.9.27", False),
    ("Debian clang version 14.0.6", False),
])  # fmt: skip
def test_gcc_makes_one_conditional_move_of_a_branch(version: str, is_told: bool) -> None:
    level = compiler.Compiler(("cc",), version).level
    assert ("--param=max-rtl-if-conversion-insns=1" in level.split()) == is_told


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("columns", [5, 6, 8, 13])
def test_one_row_of_what_is_computed_is_written(row: int, columns: int) -> None:
    """With vectors of 512 bits gcc 12.2 lost the mask of a row: it made two moves of a branch."""
    values = np.arange(4 * columns, dtype="f4").reshape(4, columns)
    x = Tensor(values) + 0
    x[row].assign(Tensor(np.full(columns, 100, "f4")))
    values[row] = 100
    np.testing.assert_array_equal(x.numpy(), values)


def test_zig_is_the_last_resort(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A stand-in for the wheel: what matters is the command, not who compiles."""
    (tmp_path / "ziglang").mkdir()
    (tmp_path / "ziglang" / "__main__.py").write_text(
        f"import subprocess, sys\nassert sys.argv[1] == 'cc'\n"
        f"sys.exit(subprocess.call([{find_compiler().command[0]!r}, *sys.argv[2:]]))"
    )
    (tmp_path / "ziglang" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(compiler, "_candidates", list)
    compiler._find.cache_clear()
    assert find_compiler().command == (sys.executable, "-m", "ziglang", "cc")
    assert value_of(compile_c(source_of(3))) == 3
    compiler._find.cache_clear()


def test_flags_keep_ieee(empty_cache: Path) -> None:
    """No contraction, no flush of subnormals, no algebra that forgets NaN or signed zero."""
    source = """
    void k(void **b, const long *v, long s, long e) {
      float *x = b[0];
      x[4] = x[0] * x[1] + x[2];      /* two roundings */
      x[5] = x[3] - x[3];             /* NaN stays NaN */
      x[6] = -x[7] + 0.0f;            /* -0 + 0 is +0, and must be computed */
      x[8] = x[9] * 0.5f;             /* a subnormal */
    }"""
    import numpy as np

    a = np.float32(1 + 2**-12)
    x = np.array([a, a, -(a * a), np.nan, 9, 9, 9, 0, 9, 2**-126], np.float32)
    load_function(compile_c(source), "k")(pointer_array([x.ctypes.data]), foreign()[0].NULL, 0, 1)
    assert x[4] == 0.0  # fused, it would be 2**-24
    assert np.isnan(x[5])
    assert x[6] == 0 and not np.signbit(x[6])
    assert x[8] == np.float32(2**-127) != 0


def test_missing_function_or_file_is_an_error(empty_cache: Path, tmp_path: Path) -> None:
    with pytest.raises(DeviceRuntimeError, match="no function 'other'"):
        load_function(compile_c(source_of(1)), "other")
    with pytest.raises(DeviceRuntimeError, match="cannot load compiled code"):
        load_function(tmp_path / "absent.so", "k")


def test_what_will_not_load_says_why_the_first_time_too() -> None:
    code = """
from rulewright.runtime.clib import load_library
from rulewright.runtime.compiler import compile_c
load_library(compile_c("int absent(void); int k(void) { return absent(); }"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "undefined symbol: absent" in done.stderr


def test_works_in_a_process_with_no_home(tmp_path: Path) -> None:
    code = f"from rulewright.runtime.compiler import compile_c\nprint(compile_c({source_of(9)!r}))"
    env = {**os.environ, "HOME": "/proc/nowhere", "XDG_CACHE_HOME": "", "CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True
    )
    assert "rulewright-" in done.stdout
    assert done.stderr.count("RulewrightWarning") == 1
