"""PyTorch checkpoints, read without running anything that they hold.

A checkpoint is a zip archive: a pickle of the structure, in which tensors stand as calls of
`torch._utils._rebuild_tensor_v2` on storages, and a member of raw bytes for each storage. The
pickle may name nothing but what `_Reader.find_class` lists; calls make records, not tensors, and
bytes are read when a record becomes a tensor.
"""

from __future__ import annotations

import os
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rulewright.errors import UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.nn import arguments
from rulewright.progress import track
from rulewright.tensor.tensor import Tensor

_STORAGES = {
    "DoubleStorage": dtypes.f64, "FloatStorage": dtypes.f32, "HalfStorage": dtypes.f16,
    "BFloat16Storage": dtypes.bf16, "LongStorage": dtypes.i64, "IntStorage": dtypes.i32,
    "ShortStorage": dtypes.i16, "CharStorage": dtypes.i8, "ByteStorage": dtypes.u8,
    "BoolStorage": dtypes.bool, "UntypedStorage": dtypes.u8,
}  # fmt: skip
_DTYPES = {
    "float64": dtypes.f64, "float32": dtypes.f32, "float16": dtypes.f16, "bfloat16": dtypes.bf16,
    "int64": dtypes.i64, "int32": dtypes.i32, "int16": dtypes.i16, "int8": dtypes.i8,
    "uint64": dtypes.u64, "uint32": dtypes.u32, "uint16": dtypes.u16, "uint8": dtypes.u8,
    "bool": dtypes.bool, "float8_e4m3fn": dtypes.fp8e4m3, "float8_e5m2": dtypes.fp8e5m2,
    "float8_e4m3fnuz": dtypes.fp8e4m3fnuz, "float8_e5m2fnuz": dtypes.fp8e5m2fnuz,
}  # fmt: skip


@dataclass(frozen=True)
class _Kind:
    """What a pickle may say of elements: a storage class or a dtype."""

    dtype: DType


@dataclass(frozen=True)
class _Storage:
    """A member of the archive."""

    key: str
    kind: DType
    count: int


@dataclass
class _Saved:
    """A tensor: a strided view of a storage."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    kind: DType


def torch_load(path: str | os.PathLike[str], device: str | None = None) -> Any:
    """What `torch.save` wrote, each tensor as one of ours: a state dict, or any structure of dicts,
    lists, tuples, sets, numbers and text.

    Nothing in the file is run: a pickle that names anything else is refused. Tensors that shared
    memory get memory of their own. A bar on a terminal shows how far it is. Raises UsageError for
    what is refused, and for files of PyTorch before 1.6 or damaged ones.
    """
    where, device = arguments.path("torch_load", path), arguments.device("torch_load", device)
    if not zipfile.is_zipfile(where):
        raise UsageError(
            f"torch_load: {where} is no zip archive; load it with PyTorch 1.6 or later and save it "
            "again"
        )
    with zipfile.ZipFile(where) as archive:
        members = [n for n in archive.namelist() if n.rpartition("/")[2] == "data.pkl"]
        if len(members) != 1:
            raise UsageError(f"torch_load: {where} holds {len(members)} of data.pkl, expected one")
        root = members[0].removesuffix("data.pkl")
        _check_order(archive, root)
        with archive.open(members[0]) as file:
            structure = _unpickled(file, where)
        saved = {id(s): s for s in _tensors_in(structure)}
        made = {}
        for place, item in track(saved.items(), "loading", len(saved)):
            made[place] = _tensor_of(archive, root, item, device)
        return _with_tensors(structure, made)


def _check_order(archive: zipfile.ZipFile, root: str) -> None:
    name = f"{root}byteorder"
    if name in archive.namelist() and archive.read(name) != b"little":
        raise UsageError("torch_load: the numbers are big-endian, expected little-endian")


def _unpickled(file: Any, where: str) -> Any:
    try:
        return _Reader(file, encoding="utf-8").load()
    except UsageError:
        raise
    except Exception as error:  # a damaged pickle may raise anything
        raise UsageError(
            f"torch_load: {where} is damaged: {type(error).__name__}: {error}"
        ) from error


class _Reader(pickle.Unpickler):
    """An unpickler that knows a few names, each standing for something that does no harm."""

    def find_class(self, module: str, name: str) -> Any:
        """Raises UsageError for a name that is not known."""
        if (module, name) in _CALLS:
            return _CALLS[module, name]
        if module in ("torch", "torch.storage") and name in _STORAGES:
            return _Kind(_STORAGES[name])
        if module == "torch" and name in _DTYPES:
            return _Kind(_DTYPES[name])
        raise UsageError(
            f"torch_load: the file names {module}.{name}, which is refused: only tensors and "
            "plain containers are read; save a state_dict() instead"
        )

    def persistent_load(self, pid: Any) -> _Storage:
        """A storage, as ("storage", class, key, device, elements)."""
        word, kind, key, _, count = pid
        if word != "storage" or not isinstance(kind, _Kind) or not isinstance(key, str):
            raise UsageError(f"torch_load: expected a storage, found {pid!r}")
        return _Storage(key, kind.dtype, int(count))


def _rebuild(
    storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any = False,
    hooks: Any = None, metadata: Any = None,
) -> _Saved:  # fmt: skip
    if not isinstance(storage, _Storage):
        raise UsageError(f"torch_load: expected a tensor's storage, found {storage!r}")
    shape, strides = tuple(int(n) for n in size), tuple(int(n) for n in stride)
    return _Saved(storage, int(offset), shape, strides, storage.kind)


def _rebuild_typed(
    storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, hooks: Any, kind: Any,
    metadata: Any = None,
) -> _Saved:  # fmt: skip
    """The same with a dtype apart from its storage, which counts bytes."""
    found = _rebuild(storage, offset, size, stride)
    if not isinstance(kind, _Kind):
        raise UsageError(f"torch_load: expected a dtype, found {kind!r}")
    found.kind = kind.dtype
    return found


def _rebuild_parameter(data: Any, requires_grad: Any = True, hooks: Any = None) -> Any:
    return data


_CALLS: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("builtins", "set"): set,
    ("torch", "Size"): tuple,
    ("torch._utils", "_rebuild_tensor"): _rebuild,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild,
    ("torch._utils", "_rebuild_tensor_v3"): _rebuild_typed,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
}


def _tensors_in(item: Any) -> Iterator[_Saved]:
    if isinstance(item, _Saved):
        yield item
    parts = item.values() if isinstance(item, dict) else item
    if isinstance(item, dict | list | tuple):
        for part in parts:
            yield from _tensors_in(part)


def _with_tensors(item: Any, made: dict[int, Tensor]) -> Any:
    """A structure with tensors in the place of records."""
    if isinstance(item, _Saved):
        return made[id(item)]
    if isinstance(item, dict):
        return {k: _with_tensors(v, made) for k, v in item.items()}
    if isinstance(item, list | tuple):
        return type(item)(_with_tensors(v, made) for v in item)
    return item.dtype if isinstance(item, _Kind) else item


def _tensor_of(archive: zipfile.ZipFile, root: str, item: _Saved, device: str | None) -> Tensor:
    """Raises UsageError for a view that leaves its storage, or a storage of another size."""
    import numpy as np

    size = item.kind.itemsize
    name = f"{root}data/{item.storage.key}"
    try:
        content = archive.read(name)
    except (KeyError, zipfile.BadZipFile) as error:
        raise UsageError(f"torch_load: {name} cannot be read: {error}") from None
    available = len(content) // size
    last = item.offset + sum(
        (n - 1) * s for n, s in zip(item.shape, item.strides, strict=True) if n
    )
    bad = min((item.offset, *item.shape, *item.strides)) < 0 or last >= available
    if 0 not in item.shape and bad:
        raise UsageError(
            f"torch_load: a tensor of shape {item.shape} and strides {item.strides} from "
            f"{item.offset} on leaves its storage of {available} elements"
        )
    if 0 in item.shape:
        return Tensor(np.zeros(item.shape, item.kind.np), device=device)
    steps = [s * size for s in item.strides]
    view: Any = np.ndarray(item.shape, item.kind.np, content, item.offset * size, steps)
    return Tensor(view.copy(), device=device)
