"""Files and folders that are this user's own: opened once, and checked by their descriptors.

What a path means may change from one moment to the next; what a descriptor means does not. Nothing
here follows a symbolic link in the last part of a path.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

DESCRIPTORS = "/proc/self/fd"
"""Where each open file has a path, on Linux."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe is no file, and is not waited for
_counter = itertools.count()


def _opened(path: str | Path, flags: int, folder: int | None, shown: object) -> int:
    """A descriptor of what is ours and not writable by others; else PermissionError."""
    try:
        descriptor = os.open(path, flags, dir_fd=folder)
    except OSError:
        if _is_link(path, folder):
            raise PermissionError(f"{shown} is a symbolic link; name what it points to") from None
        raise
    reason = _why_not_ours(os.fstat(descriptor), stat.S_ISDIR if flags == _FOLDER else stat.S_ISREG)
    if reason:
        os.close(descriptor)
        raise PermissionError(f"{shown} {reason}")
    return descriptor


def _is_link(path: str | Path, folder: int | None) -> bool:
    try:
        return stat.S_ISLNK(os.stat(path, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _why_not_ours(info: os.stat_result, is_kind: Callable[[int], bool]) -> str | None:
    if not is_kind(info.st_mode):
        return "is no file that holds data"
    if info.st_uid != os.geteuid():
        return f"belongs to user {info.st_uid}, not to you"
    if info.st_mode & 0o022:
        return f"is writable by others (mode {stat.S_IMODE(info.st_mode):o}; `chmod go-w` it)"
    return None


@contextlib.contextmanager
def own_folder(path: Path, *below: str, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder `path/below…`, each of which is ours alone to write to.

    With `make` they are made, readable by this user alone. Raises OSError where that cannot be,
    PermissionError (which is one) for a folder of another user, or writable by others.
    """
    opened: list[int] = []
    try:
        if make:
            path.parent.mkdir(parents=True, exist_ok=True)
        parts: list[str | Path] = [path, *below]
        for part in parts:
            folder = opened[-1] if opened else None
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=folder)
            opened.append(_opened(part, _FOLDER, folder, path.joinpath(*below[: len(opened)])))
        yield opened[-1]
    finally:
        for descriptor in opened:
            os.close(descriptor)


@contextlib.contextmanager
def own_file(name: str, folder: int, shown: object) -> Iterator[int]:
    """A descriptor of a file in a folder that is open; `shown` is what errors call it.

    Raises OSError where there is none, PermissionError where another user may have written it.
    """
    descriptor = _opened(name, _FILE, folder, shown)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def replacing(name: str, folder: int, mode: int = 0o600) -> Iterator[int]:
    """A descriptor to write to: all that was written takes the place of `name` in one step.

    If it fails, or the process is killed, `name` is as it was. It has another name in the folder
    for a moment, or all the time where the file system has no files without one: see
    `temporary.tidied_at_end`.
    """
    temporary = f".{name}.{os.getpid()}.{next(_counter)}.tmp"
    descriptor = _nameless(folder, mode)
    try:
        if descriptor is not None:
            yield descriptor
            os.link(
                f"{DESCRIPTORS}/{descriptor}", temporary, dst_dir_fd=folder, follow_symlinks=True
            )
        else:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
            descriptor = os.open(temporary, flags, mode, dir_fd=folder)
            yield descriptor
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):  # the first failure is the one to report
            os.unlink(temporary, dir_fd=folder)
        raise
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _nameless(folder: int, mode: int) -> int | None:
    """A file that goes with its last descriptor, or None where there are none."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir(DESCRIPTORS):
        return None
    try:
        return os.open(".", os.O_TMPFILE | os.O_RDWR, mode, dir_fd=folder)
    except OSError:
        return None  # of this file system; what else is wrong is met again with a name
