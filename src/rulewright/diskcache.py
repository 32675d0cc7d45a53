"""A small on-disk cache from a text key to bytes, safe under concurrent processes.

An entry is one file: the data, then a trailer holding a checksum of key and data. It takes the
place of an earlier one in one step, so a reader sees the old entry, the new one or none. An entry
that is truncated, corrupt or belongs to another key reads as absent, and the next `put` replaces
it. Shared objects keep working with the trailer: a loader ignores bytes after the last section.

Code is loaded from here, so each time the folder, what is in it and the entry are looked at: what
belongs to another user, can be written by others or is a symbolic link is refused. When the cache
folder cannot be used (unsafe, read-only, full), entries go to a private temporary folder that
lives as long as the process, and one warning says so.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from rulewright.forks import free_in_child
from rulewright.paths import cache_dir
from rulewright.temporary import existing_private_dir, private_dir, tidied_at_end
from rulewright.trusted import own_file, own_folder, replacing
from rulewright.warning import warn

__all__ = ["DiskCache", "private_dir"]

_MAGIC = b"RULEWR01"
_DIGEST_BYTES = 32
_TRAILER_BYTES = len(_MAGIC) + _DIGEST_BYTES

_lock = free_in_child(threading.Lock())
_warned: set[str] = set()


def _trailer(key: str, data: bytes) -> bytes:
    name = key.encode()
    digest = blake2b(len(name).to_bytes(8, "little") + name, digest_size=_DIGEST_BYTES)
    digest.update(data)
    return _MAGIC + digest.digest()


def _read_entry(folder: int, path: Path, key: str) -> bytes | None:
    """The data of an entry, or None where it is absent, damaged, of another key or not ours."""
    try:
        with (
            own_file(path.name, folder, path) as descriptor,
            open(descriptor, "rb", closefd=False) as file,
        ):
            raw = file.read()
    except OSError:
        return None
    data, trailer = raw[:-_TRAILER_BYTES], raw[-_TRAILER_BYTES:]
    return data if trailer == _trailer(key, data) else None


def _write_entry(folder: int, path: Path, key: str, data: bytes) -> None:
    """Raises OSError, and leaves nothing behind then."""
    with replacing(path.name, folder) as descriptor, open(descriptor, "wb", closefd=False) as file:
        file.write(data)
        file.write(_trailer(key, data))


def _warn_once(root: Path, reason: object) -> None:
    with _lock:
        if str(root) in _warned:
            return
        _warned.add(str(root))
    warn(
        f"the cache folder {root} cannot be used: {reason}; compiled code is kept in a temporary "
        "folder and built again by the next process. Set CACHE_DIR to a folder of your own."
    )


class DiskCache:
    """Key -> bytes in the folder `cache_dir()/folder_name`.

    Keys are any text; they must name everything the data depends on. Nothing here raises for a
    folder that cannot be used: `get` then answers None, and `put` writes to a private folder.
    """

    def __init__(self, folder_name: str) -> None:
        self.folder_name = folder_name

    def _roots(self) -> Iterator[Path]:
        """The folders in which an entry may lie: the user's, then this process's own."""
        yield cache_dir()
        own = existing_private_dir()
        if own is not None:
            yield own

    def _file(self, root: Path, key: str, suffix: str) -> Path:
        name = blake2b(key.encode(), digest_size=20).hexdigest() + suffix
        return root / self.folder_name / name

    def _whole(self, key: str, suffix: str) -> tuple[Path, bytes] | None:
        """The file of a whole entry, and its data."""
        for root in self._roots():
            path = self._file(root, key, suffix)
            try:
                with own_folder(root, self.folder_name) as folder:
                    data = _read_entry(folder, path, key)
            except FileNotFoundError:
                continue
            except OSError as error:
                _warn_once(root, error)
                continue
            if data is not None:
                return path, data
        return None

    def path(self, key: str, suffix: str = ".bin") -> Path:
        """Where the entry of `key` lies or would lie; no promise that it is there or is sound."""
        root = cache_dir()
        try:
            with own_folder(root, self.folder_name, make=True):
                return self._file(root, key, suffix)
        except OSError as error:
            _warn_once(root, error)
            return self._file(private_dir(), key, suffix)

    def get(self, key: str, suffix: str = ".bin") -> bytes | None:
        """The data put under `key`, or None if there is none that is whole."""
        entry = self._whole(key, suffix)
        return entry and entry[1]

    def find(self, key: str, suffix: str = ".bin") -> Path | None:
        """The file of a whole entry (data, then trailer), for loaders that need a path."""
        entry = self._whole(key, suffix)
        return entry and entry[0]

    def put(
        self, key: str, data: bytes, suffix: str = ".bin", *, private: bool = False
    ) -> Path | None:
        """Keep `data` under `key`; returns its file, or None if no disk would take it.

        `private` keeps it from other processes: it goes to this process's own folder.
        """
        if not private:
            try:
                return self._written(cache_dir(), key, data, suffix)
            except OSError as error:
                _warn_once(cache_dir(), error)
        with contextlib.suppress(OSError):
            return self._written(private_dir(), key, data, suffix)
        return None

    def _written(self, root: Path, key: str, data: bytes, suffix: str) -> Path:
        path = self._file(root, key, suffix)
        tidied_at_end(path.parent)
        with own_folder(root, self.folder_name, make=True) as folder:
            _write_entry(folder, path, key, data)
        return path
