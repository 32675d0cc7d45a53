"""The pickle of a PyTorch checkpoint, read as a structure: nothing that it names is run.

Of pickle's instructions those are followed that make numbers, text and containers, and calls of the
names in `CALLS`, which make records. Reading takes memory and time in proportion to the pickle.
"""

from __future__ import annotations

import pickle
import pickletools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, BinaryIO, ClassVar, NamedTuple

from rulewright.errors import UsageError
from rulewright.ir.dtypes import DType, dtypes

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


class SavedDType(NamedTuple):
    """What a pickle may say of elements: a storage class or a dtype."""

    dtype: DType


class SavedStorage(NamedTuple):
    """A member of the archive."""

    key: str
    kind: DType


class Saved(NamedTuple):
    """A tensor: a strided view of a storage."""

    storage: SavedStorage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    kind: DType


def _shown(value: object) -> str:
    """What a message calls a value, whose text may be longer than memory."""
    plain = isinstance(value, int | float | str) and len(str(value)) < 40
    return repr(value) if plain else f"a {type(value).__name__}"


def _wholes(values: Any) -> tuple[int, ...]:
    values = tuple(values) if isinstance(values, tuple | list) else (None,)
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool):
            raise UsageError(f"expected whole numbers, found {_shown(value)}")
    return values


def _rebuild(
    storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any = False,
    hooks: Any = None, metadata: Any = None,
) -> Saved:  # fmt: skip
    if metadata:  # such as {"neg": True}
        raise UsageError(
            "expected a tensor stored as it is, found a view that is negated: save x.resolve_neg()"
        )
    if not isinstance(storage, SavedStorage):
        raise UsageError(f"expected a tensor's storage, found {_shown(storage)}")
    (start,), shape, strides = _wholes((offset,)), _wholes(size), _wholes(stride)
    if len(shape) != len(strides):
        raise UsageError(f"expected as many strides as axes, found {len(strides)} and {len(shape)}")
    return Saved(storage, start, shape, strides, storage.kind)


def _rebuild_typed(
    storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, hooks: Any, kind: Any,
    metadata: Any = None,
) -> Saved:  # fmt: skip
    """The same with a dtype apart from its storage, which counts bytes."""
    if not isinstance(kind, SavedDType):
        raise UsageError(f"expected a dtype, found {_shown(kind)}")
    return _rebuild(storage, offset, size, stride, metadata=metadata)._replace(kind=kind.dtype)


def _rebuild_parameter(data: Any, requires_grad: Any = True, hooks: Any = None) -> Any:
    return data


def _set(items: Any = ()) -> set[Any]:
    return {_key(item) for item in items}


def _frozen(items: Any = ()) -> frozenset[Any]:
    return frozenset(_set(items))


def _counted(counts: Any = None) -> dict[Any, Any]:
    """A `Counter`, as schedules of learning rates keep."""
    if counts is not None and not isinstance(counts, dict):
        raise UsageError(f"expected a dict of counts, found {_shown(counts)}")
    return counts or {}


CALLS: dict[tuple[str, str], Callable[..., Any]] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("collections", "Counter"): _counted,
    ("builtins", "set"): _set,
    ("builtins", "frozenset"): _frozen,
    ("torch", "Size"): tuple,
    ("torch._utils", "_rebuild_tensor"): _rebuild,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild,
    ("torch._utils", "_rebuild_tensor_v3"): _rebuild_typed,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
}


def _key(key: Any) -> Any:
    """A key of a dict: its hash is known soon, which that of a tuple of tuples need not be."""
    parts = key if type(key) is tuple else (key,)
    if all(part is None or isinstance(part, int | float | str | bytes) for part in parts):
        return key
    raise UsageError(f"expected text or numbers as keys, found {_shown(key)}")


_FOLLOWED = {
    "PROTO", "FRAME", "STOP", "MARK", "POP", "POP_MARK", "DUP", "NONE", "NEWTRUE", "NEWFALSE",
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "STRING",
    "BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "UNICODE",
    "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "TUPLE", "EMPTY_TUPLE", "TUPLE1", "TUPLE2",
    "TUPLE3", "EMPTY_LIST", "LIST", "APPEND", "APPENDS", "EMPTY_DICT", "DICT", "SETITEM",
    "SETITEMS", "EMPTY_SET", "ADDITEMS", "FROZENSET", "GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD",
    "PERSID", "BINPERSID", "PUT", "BINPUT", "LONG_BINPUT", "GET", "BINGET", "LONG_BINGET",
    "MEMOIZE",
}  # fmt: skip


class SafeUnpickler(pickle._Unpickler):  # the one in Python: its memo is as large as what it holds
    """Follows the instructions of a pickle that are known to do no harm."""

    stack: list[Any]
    dispatch: ClassVar[dict[int, Callable[[Any], None]]] = {}

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, encoding="utf-8")

    def find_class(self, module: str, name: str) -> Any:
        """Raises UsageError for a name that is not known."""
        module = "builtins" if module == "__builtin__" else module  # by protocols before 3
        if (module, name) in CALLS:
            return CALLS[module, name]
        if module in ("torch", "torch.storage") and name in _STORAGES:
            return SavedDType(_STORAGES[name])
        if module == "torch" and name in _DTYPES:
            return SavedDType(_DTYPES[name])
        raise UsageError(
            f"the file names {module}.{name}, which is refused: only tensors and "
            "plain containers are read; save a state_dict() instead"
        )

    def persistent_load(self, pid: Any) -> SavedStorage:
        """A storage, as ("storage", class, key, device, elements)."""
        if isinstance(pid, tuple) and len(pid) == 5:
            word, kind, key, _, _ = pid
            if word == "storage" and isinstance(kind, SavedDType) and isinstance(key, str):
                return SavedStorage(key, kind.dtype)
        raise UsageError(f"expected a storage, found {_shown(pid)}")

    def _marked(self) -> list[Any]:
        """What stands above the last mark: `self.stack` is another list from then on."""
        items: list[Any] = self.pop_mark()  # type: ignore[attr-defined]  # typeshed leaves it out
        return items

    def _items(self) -> None:
        self._put_in(self._marked())

    def _item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._put_in([key, value])

    def _put_in(self, items: list[Any]) -> None:
        for key, value in zip(items[::2], items[1::2], strict=True):
            self.stack[-1][_key(key)] = value

    def _dict(self) -> None:
        items = self._marked()
        self.stack.append({})
        self._put_in(items)

    def _add(self) -> None:
        items = self._marked()
        self.stack[-1].update(_set(items))

    def _frozenset(self) -> None:
        items = self._marked()
        self.stack.append(_frozen(items))

    def _call(self) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        if not any(function is known for known in CALLS.values()):
            raise UsageError(f"expected a known name to call, found {_shown(function)}")
        self.stack.append(function(*arguments))

    def _state(self) -> None:
        """What is noted about a dict, such as versions of layers: nothing that is needed."""
        state = self.stack.pop()
        if not isinstance(self.stack[-1], OrderedDict) or not isinstance(state, dict):
            raise UsageError(
                f"the file sets attributes of {_shown(self.stack[-1])}, which is "
                "refused: only tensors and plain containers are read"
            )


_OURS = {
    "SETITEM": SafeUnpickler._item, "SETITEMS": SafeUnpickler._items, "DICT": SafeUnpickler._dict,
    "ADDITEMS": SafeUnpickler._add, "FROZENSET": SafeUnpickler._frozenset,
    "REDUCE": SafeUnpickler._call, "BUILD": SafeUnpickler._state,
}  # fmt: skip


def _refused(name: str) -> Callable[[Any], None]:
    def refuse(_: Any) -> None:
        raise UsageError(f"the file's pickle uses {name}, which is refused")

    return refuse


for _opcode in pickletools.opcodes:
    SafeUnpickler.dispatch[ord(_opcode.code)] = (
        _OURS.get(_opcode.name) or pickle._Unpickler.dispatch[ord(_opcode.code)]
        if _opcode.name in _FOLLOWED
        else _refused(_opcode.name)
    )
