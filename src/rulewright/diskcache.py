"""A small on-disk cache from a text key to bytes, safe under concurrent processes.

An entry is one file: the data, then a trailer holding a checksum of key and data. It is written
under a temporary name and renamed, so a reader sees the old entry, the new one or none. An entry
that is truncated, corrupt or belongs to another key reads as absent, and the next `put` replaces
it. Shared objects keep working with the trailer: a loader ignores bytes after the last section.

Code is loaded from here, so a folder that other users may write to is refused. When the cache
folder cannot be used (unsafe, read-only, full), entries go to a private temporary folder that
lives as long as the process, and one warning says so.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import stat
import threading
from hashlib import blake2b
from pathlib import Path

from rulewright.paths import cache_dir
from rulewright.warning import warn

_MAGIC = b"RULEWR01"
_DIGEST_BYTES = 32
_TRAILER_BYTES = len(_MAGIC) + _DIGEST_BYTES

_counter = itertools.count()
_lock = threading.Lock()
_warned: set[str] = set()
_private: dict[int, Path] = {}  # process id -> its private folder


def _trailer(key: str, data: bytes) -> bytes:
    name = key.encode()
    digest = blake2b(len(name).to_bytes(8, "little") + name, digest_size=_DIGEST_BYTES)
    digest.update(data)
    return _MAGIC + digest.digest()


def _read_entry(path: Path, key: str) -> bytes | None:
    """The data of an entry, or None where it is absent, damaged or of another key."""
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    data, trailer = raw[:-_TRAILER_BYTES], raw[-_TRAILER_BYTES:]
    return data if trailer == _trailer(key, data) else None


def _why_unsafe(folder: Path) -> str | None:
    """Why code must not be loaded from `folder`, or None if only its owner can write to it."""
    info = folder.stat()
    if not stat.S_ISDIR(info.st_mode):
        return "is not a folder"
    if not hasattr(os, "geteuid"):
        return None
    if info.st_uid not in (os.geteuid(), 0):
        return f"belongs to user {info.st_uid}, not to you"
    if info.st_mode & 0o022:
        return f"is writable by others (mode {stat.S_IMODE(info.st_mode):o}; `chmod go-w` it)"
    return None


def _open_folder(root: Path, name: str) -> Path:
    """Make `root/name`, readable by this user alone; raises OSError where that cannot be."""
    root.parent.mkdir(parents=True, exist_ok=True)
    for folder in (root, root / name):
        folder.mkdir(mode=0o700, exist_ok=True)
        reason = _why_unsafe(folder)
        if reason:
            raise PermissionError(f"{folder} {reason}")
    return root / name


def _remove_private(folder: Path, pid: int) -> None:
    if os.getpid() == pid:  # a forked child must not remove its parent's folder
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def private_dir() -> Path:
    """A folder of this process alone, removed when it ends. Raises OSError if none can be made."""
    import tempfile

    pid = os.getpid()
    with _lock:
        if pid not in _private or not _private[pid].is_dir():
            _private[pid] = Path(tempfile.mkdtemp(prefix="rulewright-"))
            atexit.register(_remove_private, _private[pid], pid)
        return _private[pid]


def _warn_once(root: Path, reason: object) -> None:
    with _lock:
        if str(root) in _warned:
            return
        _warned.add(str(root))
    warn(
        f"the cache folder {root} cannot be used: {reason}; compiled code is kept in a temporary "
        "folder and built again by the next process. Set CACHE_DIR to a folder of your own."
    )


def _write_entry(folder: Path, path: Path, key: str, data: bytes) -> None:
    """Write beside the entry, then rename over it; leaves nothing behind on failure."""
    temporary = folder / f".{path.name}.{os.getpid()}.{next(_counter)}.tmp"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.write(_trailer(key, data))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):  # the first failure is the one to report
            temporary.unlink()
        raise


class DiskCache:
    """Key -> bytes in the folder `cache_dir()/folder_name`.

    Keys are any text; they must name everything the data depends on. Nothing here raises for a
    folder that cannot be used: `get` then answers None, and `put` writes to a private folder.
    """

    def __init__(self, folder_name: str) -> None:
        self.folder_name = folder_name
        self._opened: dict[tuple[Path, int], Path | None] = {}

    def _folder(self) -> Path | None:
        """The shared folder if it may be used, else None (after one warning)."""
        root = cache_dir()
        known = (root, os.getpid())
        if known not in self._opened:
            try:
                self._opened[known] = _open_folder(root, self.folder_name)
            except OSError as error:
                _warn_once(root, error)
                self._opened[known] = None
        return self._opened[known]

    def _private_folder(self, make: bool) -> Path | None:
        if not make and os.getpid() not in _private:
            return None
        folder = private_dir() / self.folder_name
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def _folders(self) -> list[Path]:
        return [f for f in (self._folder(), self._private_folder(make=False)) if f is not None]

    @staticmethod
    def _file_name(key: str, suffix: str) -> str:
        return blake2b(key.encode(), digest_size=20).hexdigest() + suffix

    def path(self, key: str, suffix: str = ".bin") -> Path:
        """Where the entry of `key` lies or would lie; no promise that it is there or is sound."""
        folder = self._folder() or self._private_folder(make=True)
        assert folder is not None  # make=True makes one or raises OSError
        return folder / self._file_name(key, suffix)

    def get(self, key: str, suffix: str = ".bin") -> bytes | None:
        """The data put under `key`, or None if there is none that is whole."""
        for folder in self._folders():
            data = _read_entry(folder / self._file_name(key, suffix), key)
            if data is not None:
                return data
        return None

    def find(self, key: str, suffix: str = ".bin") -> Path | None:
        """The file of a whole entry (data, then trailer), for loaders that need a path."""
        for folder in self._folders():
            path = folder / self._file_name(key, suffix)
            if _read_entry(path, key) is not None:
                return path
        return None

    def put(
        self, key: str, data: bytes, suffix: str = ".bin", *, private: bool = False
    ) -> Path | None:
        """Keep `data` under `key`; returns its file, or None if no disk would take it.

        `private` keeps it from other processes: it goes to this process's own folder.
        """
        folder = None if private else self._folder()
        if folder is not None:
            path = folder / self._file_name(key, suffix)
            try:
                _write_entry(folder, path, key, data)
                return path
            except OSError as error:
                _warn_once(cache_dir(), error)
        try:
            folder = self._private_folder(make=True)
            assert folder is not None
            path = folder / self._file_name(key, suffix)
            _write_entry(folder, path, key, data)
        except OSError:
            return None
        return path
