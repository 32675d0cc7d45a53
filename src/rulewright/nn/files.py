"""Files of tensors in the safetensors format, by way of the `safetensors` library."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from rulewright.errors import DTypeError, MissingExtraError, ShapeError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.nn import arguments
from rulewright.progress import track
from rulewright.runtime.device import DISK
from rulewright.temporary import whole_file
from rulewright.tensor.tensor import Tensor

_TEXTS = "__metadata__"
_KINDS = {
    "BOOL": dtypes.bool, "U8": dtypes.u8, "U16": dtypes.u16, "U32": dtypes.u32, "U64": dtypes.u64,
    "I8": dtypes.i8, "I16": dtypes.i16, "I32": dtypes.i32, "I64": dtypes.i64,
    "F16": dtypes.f16, "BF16": dtypes.bf16, "F32": dtypes.f32, "F64": dtypes.f64,
    "F8_E4M3": dtypes.fp8e4m3, "F8_E5M2": dtypes.fp8e5m2,
    "F8_E4M3FNUZ": dtypes.fp8e4m3fnuz, "F8_E5M2FNUZ": dtypes.fp8e5m2fnuz,
}  # fmt: skip


def safe_load(path: str | os.PathLike[str], device: str | None = None) -> dict[str, Tensor]:
    """The tensors of a safetensors file by name.

    A bar on a terminal shows how far it is. On the device "DISK" nothing is read but the names:
    see `Tensor.from_file`. Raises MissingExtraError without the library,
    MissingFileError without the file, FileError where it cannot be read, UsageError for a file that
    is none of this format or has names such as "../x", DTypeError for a dtype unknown here,
    ShapeError for a shape that no tensor can have.
    """
    path, device = arguments.path("safe_load", path), arguments.device("safe_load", device)
    library = _library()
    if device == DISK:
        return _mapped(library, path)
    content = _content("safe_load", path)
    try:
        entries = dict(library.deserialize(content))
    except library.SafetensorError as error:
        raise _none("safe_load", path, error) from None
    del content
    tensors = {}
    for name in track(sorted(entries), "loading"):
        _check_name(path, name)
        tensors[name] = _tensor_of(path, name, entries.pop(name), device)
    return tensors


def _mapped(library: Any, path: str) -> dict[str, Tensor]:
    """The tensors of a file on DISK: an index of sizes stands before the bytes of all."""
    with arguments.opened("safe_load", path):
        pass  # or an error that says what was expected
    try:
        with library.safe_open(path, framework="numpy"):
            pass  # or an error that says what is wrong with the index
    except library.SafetensorError as error:
        raise _none("safe_load", path, error) from None
    file = Tensor.from_file(path)
    start = 8 + file[:8].bitcast("uint64").item()
    index = json.loads(file[8:start].numpy().tobytes())
    index.pop(_TEXTS, None)
    tensors = {}
    for name in sorted(index):
        _check_name(path, name)
        begin, end = index[name]["data_offsets"]
        kind, shape = _kind_of(path, name, index[name]["dtype"]), index[name]["shape"]
        tensors[name] = file[start + begin : start + end].bitcast(kind).reshape(shape)
    return tensors


def _none(owner: str, path: str, reason: object) -> UsageError:
    return UsageError(f"{owner}: {path} is no safetensors file: {reason}")


def _content(owner: str, path: str) -> bytes:
    """The bytes of a file, read only if its header can be as long as it says."""
    with arguments.opened(owner, path) as file:
        size = os.fstat(file.fileno()).st_size
        header = int.from_bytes(file.read(8), "little")
        if size < 8 or header > size - 8:
            raise _none(owner, path, f"a header of {header} bytes in a file of {size}")
        file.seek(0)
        return file.read(size)


def _check_name(path: str, name: str) -> None:
    if ".." in re.split(r"[/\\]", name):
        raise UsageError(f"safe_load: {path}: expected names, found the path {name!r}")


def _kind_of(path: str, name: str, word: str) -> DType:
    kind: DType | None = _KINDS.get(word)
    if kind is None:
        raise DTypeError(f"safe_load: {path}: {name} holds {word}, which is not known here")
    return kind


def _tensor_of(path: str, name: str, entry: Mapping[str, Any], device: str | None) -> Tensor:
    kind = _kind_of(path, name, entry["dtype"])
    shape = entry["shape"]
    try:
        array = np.frombuffer(entry["data"], kind.np).reshape(shape)
    except ValueError as error:
        shown = f"{shape[:4]}…, {len(shape)} axes" if len(shape) > 4 else shape
        raise ShapeError(f"safe_load: {path}: {name!r} has the shape {shown}: {error}") from None
    return Tensor(array, device=device)


def safe_save(
    tensors: Mapping[str, Tensor],
    path: str | os.PathLike[str],
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write tensors by name to a safetensors file, of every dtype, with text beside them.

    A file that was there is replaced once all is written: it is whole whatever happens before.
    Raises MissingExtraError without the library, FileError for a file that cannot be written (in no
    folder, on a full disk), UsageError for what is no tensor, for the name `__metadata__`, and for
    what the library cannot write: the fnuz floats before its version 0.8.
    """
    arguments.named("safe_save", "tensors", tensors, Tensor, "tensor")
    if _TEXTS in tensors:
        raise UsageError(
            f"safe_save: expected names of tensors, found {_TEXTS!r}, under which a file keeps its "
            "metadata; give that tensor another name"
        )
    path = arguments.path("safe_save", path)
    if metadata is not None:
        arguments.named("safe_save", "metadata", metadata, str, "text")
    library = _library("safetensors.numpy")
    arrays = {}
    for name, tensor in track(tensors.items(), "saving", len(tensors)):
        arrays[name] = np.array(tensor.numpy(), order="C")  # of its own, and never a scalar
    try:
        content = library.save(arrays, dict(metadata) if metadata else None)
    except UnicodeEncodeError as error:
        raise UsageError(f"safe_save: cannot write {path}: a name or text: {error}") from None
    except _library().SafetensorError as error:
        raise UsageError(
            f"safe_save: cannot write {path}: {error}; of a dtype that is not covered, cast the "
            "tensor, or install a later version of 'safetensors'"
        ) from None
    del arrays
    with whole_file("safe_save", path) as file:
        file.write(content)


def safe_load_metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    """The text beside the tensors of a safetensors file.

    Raises MissingExtraError without the library, MissingFileError without the file, FileError where
    it cannot be read, UsageError for a file that is none of this format.
    """
    path = arguments.path("safe_load_metadata", path)
    library = _library()
    with arguments.opened("safe_load_metadata", path):
        pass  # or an error that says what was expected
    try:
        with library.safe_open(path, framework="numpy") as file:
            return dict(file.metadata() or {})
    except library.SafetensorError as error:
        raise _none("safe_load_metadata", path, error) from None


def _library(name: str = "safetensors") -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"safetensors files need the package 'safetensors' ({error}); install it with "
            "`pip install 'rulewright[safetensors]'`"
        ) from error
