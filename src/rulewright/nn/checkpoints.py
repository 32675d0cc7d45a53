"""PyTorch checkpoints, read without running anything that they hold.

A checkpoint is a zip archive: a pickle of the structure (see `unpickling`), in which tensors stand
as calls of `torch._utils._rebuild_tensor_v2` on storages, and a member of raw bytes for each
storage. Bytes are read when a record becomes a tensor.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from rulewright.errors import RulewrightError, UsageError
from rulewright.nn import arguments
from rulewright.nn.unpickling import SafeUnpickler, Saved, SavedDType
from rulewright.progress import track
from rulewright.tensor.tensor import Tensor

MOST_LEVELS = 200
"""How deep a structure may be nested."""
MOST_TIMES = 16
"""What members that are compressed may take, in times of the file's size (`torch.save` compresses
none)."""
ROOM = 1 << 20
"""Bytes that they may take anyway."""
MOST_SHARED = 4
"""What tensors may take, in times of all members: several may share a storage."""


def torch_load(path: str | os.PathLike[str], device: str | None = None) -> Any:
    """What `torch.save` wrote, each tensor as one of ours: a state dict, or any structure of dicts,
    lists, tuples, sets, numbers and text.

    Nothing in the file is run: a pickle that names anything else is refused. Tensors that shared
    memory get memory of their own, but for axes along which one element stands for all. A bar on a
    terminal shows how far it is. Raises MissingFileError without the file, FileError where it
    cannot be read, UsageError for what is refused, for files of PyTorch before 1.6 or damaged ones,
    and for tensors that would take more than four times as much memory as the file.
    """
    where, device = arguments.path("torch_load", path), arguments.device("torch_load", device)
    with arguments.opened("torch_load", where) as file:
        try:
            if not zipfile.is_zipfile(file):
                raise UsageError(
                    "expected a zip archive, found none: the file was cut, or it is no checkpoint, "
                    "or one of PyTorch before 1.6; load it with a later one and save it again"
                )
            return _loaded(file, device)
        except UsageError as error:
            raise type(error)(f"torch_load: {where}: {error}") from None
        except (RulewrightError, MemoryError):
            raise
        except Exception as error:  # a damaged archive or pickle may raise anything
            raise UsageError(
                f"torch_load: {where} is damaged: {type(error).__name__}: {error}"
            ) from error


def _loaded(file: BinaryIO, device: str | None) -> Any:
    with zipfile.ZipFile(file) as archive:
        root, space = _checked(archive, os.fstat(file.fileno()).st_size)
        with archive.open(f"{root}data.pkl") as member:
            structure = SafeUnpickler(member).load()  # type: ignore[arg-type]  # it is read only
        saved: dict[int, Saved] = {}
        _walk(structure, lambda item: saved.setdefault(id(item), item))
        members = _Members(archive, root, space * MOST_SHARED)
        items = track(saved.items(), "loading", len(saved))
        tensors = {place: members.tensor(item, device) for place, item in items}
        return _walk(structure, lambda item: tensors[id(item)])


def _checked(archive: zipfile.ZipFile, size: int) -> tuple[str, int]:
    """The folder in an archive that holds a checkpoint, and the bytes of all members.

    Raises UsageError for one that holds none, or more than its size allows.
    """
    infos = archive.infolist()
    names = [info.filename for info in infos]
    bad = next((n for n in names if ".." in re.split(r"[/\\]", n) or names.count(n) > 1), None)
    if bad is not None:
        raise UsageError(f"the archive holds {bad!r}, which is a path, or there twice")
    members = [n for n in names if n.rpartition("/")[2] == "data.pkl"]
    if len(members) != 1:
        raise UsageError(f"the archive holds {len(members)} of data.pkl, expected one")
    root, space = members[0].removesuffix("data.pkl"), sum(info.file_size for info in infos)
    stored = all(info.compress_type == zipfile.ZIP_STORED for info in infos)
    most = size if stored else size * MOST_TIMES + ROOM
    if space > most:
        raise UsageError(
            f"an archive of {size} bytes holds {space}, expected at most {most}; save it "
            "again without compressing it"
        )
    if f"{root}byteorder" in names and archive.read(f"{root}byteorder") != b"little":
        raise UsageError("the numbers are big-endian, expected little-endian")
    return root, space


def _walk(structure: Any, make: Callable[[Saved], Any]) -> Any:
    """A structure with what `make` gives in the place of records.

    Raises UsageError for one that is nested too deep, or holds itself.
    """
    known: dict[int, Any] = {}  # containers may stand in several places

    def walk(item: Any, level: int) -> Any:
        if isinstance(item, Saved):
            return make(item)
        if isinstance(item, SavedDType):
            return item.dtype
        if not isinstance(item, dict | list | tuple):
            return item
        if level > MOST_LEVELS:
            raise UsageError(
                f"the file nests containers deeper than {MOST_LEVELS} levels, or in themselves"
            )
        if id(item) not in known:
            if isinstance(item, dict):
                known[id(item)] = {k: walk(v, level + 1) for k, v in item.items()}
            else:
                known[id(item)] = type(item)([walk(v, level + 1) for v in item])
        return known[id(item)]

    return walk(structure, 0)


class _Members:
    """The storages of an archive, from which tensors take at most `most` bytes."""

    def __init__(self, archive: zipfile.ZipFile, root: str, most: int) -> None:
        self._archive, self._root, self._left, self._most = archive, root, most, most
        self._name, self._content = "", b""

    def _read(self, key: str) -> bytes:
        """A storage; the last one is kept, as tensors that share one often follow each other."""
        name = f"{self._root}data/{key}"
        if name != self._name:
            self._name, self._content = "", b""
            try:
                self._content = self._archive.read(name)
            except (KeyError, zipfile.BadZipFile) as error:
                raise UsageError(f"{name} cannot be read: {error}") from None
            self._name = name
        return self._content

    def tensor(self, item: Saved, device: str | None) -> Tensor:
        """Raises UsageError for a view that leaves its storage, or takes too much memory."""
        size, content = item.kind.itemsize, self._read(item.storage.key)
        _check_inside(item, len(content) // size)
        # One element stands for all along an axis of step 0: it is read once.
        axes = list(zip(item.shape, item.strides, strict=True))
        shape = [1 if step == 0 and n else n for n, step in axes]
        self._left -= size * int(np.prod(shape, dtype=object))
        if self._left < 0:
            raise UsageError(
                f"the tensors take more than {self._most} bytes, {MOST_SHARED} times "
                "as much as the file: they share storages; save clones of them"
            )
        steps = [s * size if n > 1 else size for n, s in zip(shape, item.strides, strict=True)]
        view: Any
        if 0 in shape:
            view = np.zeros(shape, item.kind.np)
        else:
            view = np.ndarray(shape, item.kind.np, content, item.offset * size, steps)
        tensor = Tensor(view.copy(), device=device)
        return tensor if tensor.shape == item.shape else tensor.expand(item.shape)


def _check_inside(item: Saved, available: int) -> None:
    rows = zip(item.shape, item.strides, strict=True)
    last = item.offset + sum((n - 1) * s for n, s in rows if n)
    bad = min((item.offset, *item.shape, *item.strides)) < 0 or last >= available
    if 0 not in item.shape and bad:
        raise UsageError(
            f"a tensor of shape {item.shape} and strides {item.strides} from "
            f"{item.offset} on leaves its storage of {available} elements"
        )
