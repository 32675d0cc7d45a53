"""Files that another user of the machine may have put there: none is read, none is loaded."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rulewright import diskcache, temporary
from rulewright.diskcache import DiskCache
from rulewright.errors import DeviceRuntimeError, RulewrightWarning
from rulewright.options import Context
from rulewright.runtime import clib
from rulewright.runtime.clib import foreign, int64_array, load_function, pointer_array
from rulewright.runtime.compiler import compile_c
from rulewright.temporary import private_dir
from rulewright.trusted import own_file, own_folder, replacing

STRANGER = 12345
ROOT = os.geteuid() == 0


def source_of(value: int) -> str:
    return f"void k(void **b, const long *v, long s, long e) {{ *(long *)b[0] = {value}; }}"


def value_of(path: Path) -> int:
    out, (ffi, _) = int64_array([0]), foreign()
    load_function(path, "k")(pointer_array([int(ffi.cast("intptr_t", out))]), ffi.NULL, 0, 1)
    return out[0]


@pytest.fixture(autouse=True)
def as_in_a_new_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(diskcache, "_warned", set())
    monkeypatch.setattr(temporary, "_folder", None)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def writable_by_group(path: Path) -> None:
    path.chmod(path.stat().st_mode | 0o020)


def writable_by_all(path: Path) -> None:
    path.chmod(path.stat().st_mode | 0o002)


def of_a_stranger(path: Path) -> None:
    os.chown(path, STRANGER, STRANGER)


def behind_a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


# whoever is not root can give nothing away, and nobody can give anything to them
HARM = [writable_by_group, writable_by_all, behind_a_link, *([of_a_stranger] if ROOT else [])]
WHERE = {"root": 2, "folder": 1, "entry": 0}


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.filterwarnings("ignore::rulewright.errors.RulewrightWarning")
def test_a_planted_entry_is_not_read(empty_cache: Path, harm, where: str) -> None:
    cache = DiskCache("things")
    path = cache.put("a", b"planted")
    assert path is not None and cache.get("a") == b"planted"
    harm([path, *path.parents][WHERE[where]])
    assert cache.get("a") is None and cache.find("a") is None  # looked at each time
    kept = cache.put("a", b"mine")
    assert kept is not None and cache.get("a") == b"mine"
    assert (empty_cache in kept.parents) == (where == "entry")


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.filterwarnings("ignore::rulewright.errors.RulewrightWarning")
def test_a_planted_object_is_not_loaded(empty_cache: Path, harm, where: str) -> None:
    planted = compile_c(source_of(666))
    harm([planted, *planted.parents][WHERE[where]])
    if where != "root":  # who loads looks at the folder and the entry itself
        with pytest.raises(DeviceRuntimeError, match=r"cannot load compiled code from .*"):
            value_of(planted)
    mine = compile_c(source_of(666).replace("666", "5"))
    assert value_of(mine) == 5


@pytest.mark.parametrize("harm", HARM)
def test_the_temporary_folder_is_looked_at_each_time(harm) -> None:
    before = private_dir()
    assert private_dir() == before
    harm(before)
    assert private_dir() != before
    assert private_dir().stat().st_mode & 0o777 == 0o700


def test_a_folder_that_somebody_cleans_away_is_made_anew() -> None:
    before = private_dir()
    before.rmdir()
    assert private_dir() != before and private_dir().is_dir()


def test_why_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "cache")
    with (
        Context(CACHE_DIR=str(tmp_path / "link")),
        pytest.warns(RulewrightWarning, match=r"link is a symbolic link; name what it points to"),
    ):
        DiskCache("things").put("a", b"alpha")


def test_what_is_loaded_is_what_was_looked_at(empty_cache: Path, monkeypatch) -> None:
    """The path is another file's by the time that the loader opens it."""
    mine, planted = compile_c(source_of(1)), compile_c(source_of(666))
    real = clib._path_of

    def swapped(descriptor: int, path: Path) -> str:
        os.replace(planted, mine)
        return real(descriptor, path)

    monkeypatch.setattr(clib, "_path_of", swapped)
    assert value_of(mine) == 1


def test_a_descriptor_that_is_used_again_is_another_library(empty_cache: Path) -> None:
    paths = [compile_c(source_of(value)) for value in range(20)]
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert [value_of(path) for path in paths] == list(range(20))
    if before:
        assert len(os.listdir("/proc/self/fd")) == before


def test_a_folder_that_is_exchanged_again_and_again_gives_no_strangers_entry(
    tmp_path: Path,
) -> None:
    """A race: another thread puts a folder that others can write to in the place of ours."""
    ours, theirs, spare = (tmp_path / name for name in ("cache", "theirs", "spare"))
    with Context(CACHE_DIR=str(theirs)):
        DiskCache("things").put("a", b"planted")
    (theirs / "things").chmod(0o777)
    with Context(CACHE_DIR=str(ours)):
        DiskCache("things").put("a", b"mine")
    stop = threading.Event()

    def exchange() -> None:
        while not stop.is_set():
            for source, target in ((ours, spare), (theirs, ours), (ours, theirs), (spare, ours)):
                source.rename(target)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        with Context(CACHE_DIR=str(ours)), pytest.warns(RulewrightWarning):
            found = {DiskCache("things").get("a") for _ in range(3000)}
    finally:
        stop.set()
        thread.join()
    assert found == {b"mine", None}


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "folder").mkdir(mode=0o700)
    tmp_path.chmod(0o700)
    with own_folder(tmp_path) as folder:
        for name in ("pipe", "folder"):
            with (
                pytest.raises(PermissionError, match="no file that holds data"),
                own_file(name, folder, name),
            ):
                raise AssertionError("opened")
        with pytest.raises(FileNotFoundError), own_file("nothing", folder, "nothing"):
            raise AssertionError("opened")


@pytest.mark.parametrize("nameless", [True, False])
def test_a_file_is_replaced_by_a_whole_or_not_at_all(tmp_path, monkeypatch, nameless) -> None:
    if not nameless:  # as on a file system without files that have no name
        monkeypatch.setattr("rulewright.trusted._nameless", lambda folder, mode: None)
    tmp_path = tmp_path / "alone"
    tmp_path.mkdir()
    (tmp_path / "x").write_bytes(b"old")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(KeyboardInterrupt), replacing("x", folder) as found:
            os.write(found, b"half")
            raise KeyboardInterrupt
        assert (tmp_path / "x").read_bytes() == b"old" and os.listdir(tmp_path) == ["x"]
        with replacing("x", folder) as found:
            os.write(found, b"new")
            assert (tmp_path / "x").read_bytes() == b"old"
    finally:
        os.close(folder)
    assert (tmp_path / "x").read_bytes() == b"new" and os.listdir(tmp_path) == ["x"]
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600


# ---- as a user who is not root -----------------------------------------------------------------

needs_root = pytest.mark.skipif(not ROOT, reason="only root can become another user")


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that another user can reach, with one of that user's own in it."""
    folder = Path(tempfile.mkdtemp(prefix="rulewright-test-", dir="/tmp"))
    folder.chmod(0o755)
    (folder / "own").mkdir(mode=0o700)
    of_a_stranger(folder / "own")
    yield folder
    until = time.monotonic() + 10
    while folder.exists() and time.monotonic() < until:  # a shell tidies up behind the child
        shutil.rmtree(folder, ignore_errors=True)


def as_the_stranger(home: Path, run: Callable[[Path], None]) -> str:
    """What a child that is another user says of a failure; nothing if all went well."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        said = "it did not end"
        try:
            os.setgroups([])
            os.setgid(STRANGER)
            os.setuid(STRANGER)
            tempfile.tempdir = str(home / "own")
            run(home / "own")
            said = ""
        except BaseException:
            said = traceback.format_exc()
        finally:
            os.write(write, said.encode()[:4000])
            os._exit(0)
    os.close(write)
    with open(read, "rb") as told:
        said = told.read().decode()
    os.waitpid(pid, 0)
    return said


@needs_root
def test_another_user_has_caches_of_their_own(home: Path) -> None:
    def run(own: Path) -> None:
        with Context(CACHE_DIR=str(own / "cache")):
            cache = DiskCache("things")
            path = cache.put("a", b"mine")
            assert path is not None and own in path.parents and cache.get("a") == b"mine"
            assert path.stat().st_uid == STRANGER and path.stat().st_mode & 0o777 == 0o600
            assert value_of(compile_c(source_of(7))) == 7

    assert as_the_stranger(home, run) == ""


@needs_root
@pytest.mark.parametrize("mode", [0o700, 0o755, 0o777])
@pytest.mark.filterwarnings("ignore::rulewright.errors.RulewrightWarning")
def test_another_user_reads_nothing_of_roots(home: Path, mode: int) -> None:

    roots = home / "cache"
    with Context(CACHE_DIR=str(roots)):
        assert DiskCache("things").put("a", b"of root") is not None
        planted = compile_c(source_of(666))
    for path in [roots, *roots.rglob("*")]:
        path.chmod(mode if path.is_dir() else mode & 0o666)

    def run(own: Path) -> None:
        with Context(CACHE_DIR=str(roots)):
            cache = DiskCache("things")
            assert cache.get("a") is None and cache.find("a") is None
            kept = cache.put("a", b"mine")
            assert kept is not None and own in kept.parents and cache.get("a") == b"mine"
            with pytest.raises(DeviceRuntimeError, match="cannot load compiled code from"):
                value_of(planted)
            assert value_of(compile_c(source_of(666).replace("666", "5"))) == 5

    assert as_the_stranger(home, run) == ""
    with Context(CACHE_DIR=str(roots)):
        assert DiskCache("things").get("a") == (b"of root" if mode != 0o777 else None)


@needs_root
def test_another_users_temporary_folder_is_its_own(home: Path) -> None:
    def run(own: Path) -> None:
        before = private_dir()
        assert own in before.parents and before.stat().st_uid == STRANGER
        before.chmod(0o777)
        assert private_dir() != before

    assert as_the_stranger(home, run) == ""


@needs_root
def test_a_folder_in_which_nothing_can_be_written_ends_in_words(home: Path) -> None:
    (home / "closed").mkdir(mode=0o755)

    def run(own: Path) -> None:
        tempfile.tempdir = str(home / "closed")
        with (
            Context(CACHE_DIR=str(home / "closed")),
            pytest.warns(RulewrightWarning, match="belongs to user 0"),
            pytest.raises(DeviceRuntimeError, match="no temporary folder to compile in"),
        ):
            compile_c(source_of(11))

    assert as_the_stranger(home, run) == ""


KILLED = """
import os, sys
from pathlib import Path
from rulewright.temporary import tidied_at_end
folder = Path(sys.argv[1])
(folder / f".x.{os.getpid()}.1.tmp").touch()
tidied_at_end(folder)
os.kill(os.getpid(), 9)
"""


def test_what_a_killed_process_was_writing_goes(tmp_path: Path) -> None:
    folder = tmp_path / "of a user"
    folder.mkdir()
    others = {".x.1.1.tmp", "x", "x.tmp"}
    for name in others:
        (folder / name).touch()
    env = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    subprocess.run([sys.executable, "-c", KILLED, str(folder)], env=env, check=False)
    until = time.monotonic() + 10
    while (set(os.listdir(folder)) != others or os.listdir(env["TMPDIR"])) and (
        time.monotonic() < until
    ):
        time.sleep(0.01)
    assert set(os.listdir(folder)) == others and os.listdir(env["TMPDIR"]) == []
