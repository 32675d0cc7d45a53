"""DLPack, by which libraries share memory, with the dtypes that numpy's lacks: bf16 and fp8.

Numpy exchanges these as unsigned integers of their width. A capsule holds the address of a struct
that its maker wrote for it alone, and which says the dtype: that is changed, before the capsule is
passed on. Offsets and codes are those of dlpack.h, version 1.1.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from rulewright.ir.dtypes import DType, dtypes

if TYPE_CHECKING:
    import numpy as np

_UINT = 1  # kDLUInt
_CODES = {"bf16": 4, "fp8e4m3": 10, "fp8e4m3fnuz": 11, "fp8e5m2": 12, "fp8e5m2fnuz": 13}
_KINDS = {code: name for name, code in _CODES.items()}
_DTYPE_AT = {b"dltensor": 20, b"dltensor_versioned": 52}
"""Bytes before the dtype's code, a byte, in the structs of capsules of these names."""


def capsule_of(array: np.ndarray[Any, Any], kind: DType, max_version: Any) -> Any:
    """A capsule of an array of a dtype's elements, of a version that the taker knows."""
    import numpy as np

    code = _CODES.get(kind.name)
    words = array if code is None else array.view(f"u{kind.itemsize}")
    if max_version is None or not hasattr(np, "__array_namespace_info__"):  # before numpy 2.1
        capsule: Any = words.__dlpack__()
    else:
        capsule = words.__dlpack__(max_version=max_version)
    if code is not None:
        _code_in(capsule).value = code
    return capsule


def array_of(data: Any) -> np.ndarray[Any, Any]:
    """An array over the memory of what has `__dlpack__`, on the CPU. Raises what that does, and
    numpy for dtypes that it does not know."""
    import numpy as np

    words = _Words(data)
    array: np.ndarray[Any, Any] = np.from_dlpack(words)
    return array if words.kind is None else array.view(words.kind.np)


class _Words:
    """Data whose elements are said to be unsigned integers, if numpy has not their `kind`."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.kind: DType | None = None

    def __dlpack_device__(self) -> Any:
        return self.data.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.data.__dlpack__(**options)
        code = _code_in(capsule)
        if code.value in _KINDS:
            self.kind = getattr(dtypes, _KINDS[code.value])
            code.value = _UINT
        return capsule


_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi)
)
_address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def _code_in(capsule: Any) -> ctypes.c_uint8:
    """The code of the dtype, which may be written. Raises BufferError for another capsule."""
    name = _name(capsule)
    if name not in _DTYPE_AT:
        raise BufferError(f"expected a DLPack capsule, found one of name {name!r}")
    return ctypes.c_uint8.from_address(_address(capsule, name) + _DTYPE_AT[name])
