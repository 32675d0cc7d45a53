"""A temporary folder of this process alone, which goes with it however it ends."""

from __future__ import annotations

import atexit
import contextlib
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from rulewright.errors import FileError
from rulewright.forks import free_in_child
from rulewright.trusted import own_folder, replacing

_REMOVE_AT_END = """exec 3<&0
{ while IFS= read -r folder <&3; do set -- "$@" "$folder"; done
  pid=$1 own=$2; shift 2
  rm -rf "$own" || { sleep 1; rm -rf "$own"; }
  for folder; do rm -f "$folder"/.*."$pid".*.tmp; done
} &"""
"""A shell that waits, in the background, for the end of its input, which is that of this process:
one that is killed cannot tidy up itself. The compiler may still write for a moment. Lines of the
input are folders in which `trusted.replacing` is at work."""

_lock = free_in_child(threading.Lock())
_folder: Path | None = None
_ends: list[int] = []
"""Pipes to the shells, which end with this process."""
_told: set[str] = set()
"""Folders that were written to a shell."""


def private_dir() -> Path:
    """A folder of this process alone, removed when it ends. Raises OSError if none can be made."""
    global _folder
    with _lock:
        if _folder is None or not _is_ours(_folder):
            import tempfile

            _folder = Path(tempfile.mkdtemp(prefix="rulewright-"))
            atexit.register(_remove, _folder, os.getpid())
            _ends.append(_removed_at_end(_folder))
        return _folder


def is_replaced(path: str | os.PathLike[str]) -> bool:
    """Whether `whole_file` puts a file there, for a path is a file or nothing yet."""
    return not os.path.exists(path) or os.path.isfile(path)


@contextlib.contextmanager
def whole_file(owner: str, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to: what is there at the end takes the place of `path` in one step.

    A symbolic link stays one, to the new file; a file keeps its mode. A pipe or a device has no
    whole, and is written to. Raises FileError, which names the owner, where that cannot be.
    """
    try:
        with _replaced(path) as file:
            yield file
    except OSError as error:
        raise FileError(f"{owner}: cannot write {path}: {error}") from None


def write_whole(owner: str, path: str | os.PathLike[str], text: str) -> None:
    """Put text into a file in one step: who reads it, or comes after a failure, has the old or the
    new one, whole. Raises what `whole_file` does."""
    with whole_file(owner, path) as file:
        file.write(text.encode())


@contextlib.contextmanager
def _replaced(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    kept = os.stat(path).st_mode if os.path.exists(path) else None
    if kept is not None and not stat.S_ISREG(kept):
        with open(path, "wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    tidied_at_end(target.parent)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with (
            replacing(target.name, folder, 0o666) as descriptor,
            open(descriptor, "wb", closefd=False) as file,
        ):
            if kept is not None:
                os.fchmod(descriptor, stat.S_IMODE(kept))
            yield file
    finally:
        os.close(folder)


def existing_private_dir() -> Path | None:
    """The folder, if there is one yet."""
    return _folder


def tidied_at_end(folder: Path) -> None:
    """Have what `trusted.replacing` may leave in a folder removed if this process is killed."""
    path = os.path.abspath(folder)
    if path in _told or "\n" in path:
        return
    with contextlib.suppress(OSError):  # without a temporary folder, or the shell
        private_dir()
        os.write(_ends[-1], os.fsencode(path) + b"\n")
        _told.add(path)


def _is_ours(folder: Path) -> bool:
    """Whether a folder is still there and ours: those that clean up let others take its name."""
    try:
        with own_folder(folder):
            return True
    except OSError:
        return False


def _removed_at_end(folder: Path) -> int:
    import subprocess

    read, write = os.pipe()
    try:
        subprocess.run(
            ["/bin/sh", "-c", _REMOVE_AT_END, "rulewright", str(os.getpid()), str(folder)],
            stdin=read,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # Ctrl-C is not its end
            check=False,
        )
    except OSError:
        pass  # no shell, or no more processes: then only an orderly end removes it
    finally:
        os.close(read)
    return write


def _remove(folder: Path, pid: int) -> None:
    if os.getpid() == pid:  # a forked child must not remove its parent's folder
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def _in_child() -> None:
    """A forked child has a folder of its own, and does not keep its parent's from going."""
    global _folder
    _folder = None
    _told.clear()
    while _ends:
        with contextlib.suppress(OSError):
            os.close(_ends.pop())


os.register_at_fork(after_in_child=_in_child)
