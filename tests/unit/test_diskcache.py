"""The on-disk cache: atomic, checked, refused where others can write, usable on a sick disk."""

from __future__ import annotations

import errno
import multiprocessing
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from rulewright import diskcache, temporary
from rulewright.diskcache import DiskCache
from rulewright.errors import RulewrightWarning
from rulewright.options import Context


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(diskcache, "_warned", set())
    monkeypatch.setattr(temporary, "_folder", None)
    with Context(CACHE_DIR=str(tmp_path / "cache")):
        yield tmp_path / "cache"


def test_what_is_put_is_got(root: Path) -> None:
    cache = DiskCache("things")
    assert cache.get("a") is None
    path = cache.put("a", b"alpha")
    assert path == cache.path("a") and path.is_file()
    assert cache.get("a") == b"alpha"
    assert DiskCache("things").get("a") == b"alpha"
    assert cache.find("a") == path
    cache.put("a", b"")
    assert cache.get("a") == b""


def test_folder_is_for_its_owner_alone(root: Path) -> None:
    DiskCache("things").put("a", b"alpha")
    assert root.stat().st_mode & 0o077 == 0
    assert (root / "things").stat().st_mode & 0o077 == 0


def test_damaged_entries_read_as_absent_and_are_replaced(root: Path) -> None:
    cache = DiskCache("things")
    path = cache.put("a", b"alpha" * 100)
    assert path is not None
    whole = path.read_bytes()
    flipped = bytes([whole[0] ^ 1]) + whole[1:]
    for damaged in (b"", whole[:-1], whole[:10], flipped, whole + b"x", b"something foreign" * 9):
        path.write_bytes(damaged)
        assert cache.get("a") is None
        assert cache.find("a") is None
        assert cache.put("a", b"again") == path
        assert cache.get("a") == b"again"


def test_entry_of_another_key_is_foreign(root: Path) -> None:
    cache = DiskCache("things")
    first, second = cache.put("a", b"alpha"), cache.put("b", b"beta")
    assert first is not None and second is not None
    second.write_bytes(first.read_bytes())
    assert cache.get("b") is None


def _write_often(folder: str, seed: int) -> int:
    with Context(CACHE_DIR=folder):
        cache, bad = DiskCache("things"), 0
        for turn in range(60):
            key = f"k{turn % 5}"
            cache.put(key, f"{key}:{seed}:{turn}:".encode() * 500)
            data = cache.get(key)
            bad += data is None or not data.startswith(key.encode()) or len(data) % 500 != 0
        return bad


def test_concurrent_processes_never_see_half_an_entry(root: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(3) as pool:
        assert pool.starmap(_write_often, [(str(root), n) for n in range(3)]) == [0, 0, 0]
    assert not list((root / "things").glob(".*.tmp"))


def test_folder_that_others_can_write_to_is_refused(root: Path) -> None:
    cache = DiskCache("things")
    path = cache.put("a", b"planted")
    assert path is not None
    (root / "things").chmod(0o777)
    fresh = DiskCache("things")
    with pytest.warns(RulewrightWarning, match="writable by others .mode 777"):
        assert fresh.get("a") is None
    kept = fresh.put("a", b"mine")
    assert kept is not None and root not in kept.parents
    assert fresh.get("a") == b"mine"


def test_unusable_folder_warns_once_and_uses_a_private_one(tmp_path: Path, root: Path) -> None:
    blocker = tmp_path / "blocker"
    blocker.write_text("a file where a folder should be")
    with Context(CACHE_DIR=str(blocker)), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for name in ("things", "others"):
            cache = DiskCache(name)
            kept = cache.put("a", b"alpha")
            assert kept is not None and kept.parent.stat().st_mode & 0o077 == 0
            assert cache.get("a") == b"alpha"
            assert cache.path("a").name == kept.name
    assert len([w for w in seen if w.category is RulewrightWarning]) == 1
    assert "CACHE_DIR" in str(seen[0].message)


def test_full_disk_falls_back_to_a_private_folder(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, real = DiskCache("things"), os.replace

    def full(source: str, target: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        if os.path.samestat(os.fstat(dst_dir_fd), (root / "things").stat()):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RulewrightWarning, match="No space left"):
        kept = cache.put("a", b"alpha")
    assert kept is not None and root not in kept.parents
    assert cache.get("a") == b"alpha" and cache.find("a") == kept
    assert not list((root / "things").iterdir())


def test_no_disk_takes_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: str, target: str, **folders: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RulewrightWarning):
        assert DiskCache("things").put("a", b"alpha") is None


def test_private_folder_goes_with_its_process(tmp_path: Path) -> None:
    code = (
        "from rulewright.diskcache import DiskCache\n"
        "print(DiskCache('things').put('a', b'alpha', private=True))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "rulewright-" in out.stdout and not Path(out.stdout.strip()).exists()


def test_import_is_light() -> None:
    code = (
        "import sys, rulewright.diskcache; print({'numpy', 'tempfile', 'lark'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
