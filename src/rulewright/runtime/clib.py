"""Compiled kernels as foreign functions, through cffi with one fixed signature.

`void k(void **buffers, const int64_t *variables, int64_t begin, int64_t end)` does iterations
[begin, end) of the kernel's outermost axis. One signature means one FFI object and no parsing of
declarations a kernel; symbols are looked up through dlsym. A call releases Python's lock.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rulewright.errors import DeviceRuntimeError
from rulewright.trusted import DESCRIPTORS, own_file, own_folder

# Addresses are passed as integers: making an array of them needs no cast for each.
KERNEL_SIGNATURE = "void(*)(uintptr_t *, const int64_t *, int64_t, int64_t)"

_DECLARATIONS = """
void *dlopen(const char *path, int flags);
void *dlsym(void *library, const char *name);
char *dlerror(void);
struct rw_launch {
    void *kernel; uintptr_t *buffers; const int64_t *variables;
    int64_t count; int64_t block; int64_t threads;
};
struct rw_use { uintptr_t *place; int64_t slot; int64_t offset; };
struct rw_row {
    const struct rw_launch *launches; int64_t count;
    const uintptr_t *addresses; const struct rw_use *uses; int64_t use_count;
};
"""


@functools.lru_cache(maxsize=1)
def foreign() -> tuple[Any, Any]:
    """The process's one FFI object and the C library; imported at first use, as it is slow.

    Raises DeviceRuntimeError where it cannot be, as without memory for a library.
    """
    try:
        import cffi

        ffi = cffi.FFI()
        ffi.cdef(_DECLARATIONS)  # which imports a parser
    except (ImportError, AttributeError) as error:
        for name in [n for n in sys.modules if n.partition(".")[0] in ("cffi", "pycparser")]:
            del sys.modules[name]  # half of a package would be taken for all of it
        raise DeviceRuntimeError(f"compiled code cannot be called: {error}") from error
    libc = ffi.dlopen(None)
    libc.dlerror()  # looked up now: a look-up clears what it would say
    return ffi, libc


@functools.lru_cache(maxsize=8)
def _type(text: str) -> Any:
    return foreign()[0].typeof(text)


def _last_error() -> str:
    ffi, libc = foreign()
    message = libc.dlerror()
    return ffi.string(message).decode(errors="replace") if message else "no reason given"


_openings = itertools.count(1)


def _path_of(descriptor: int, path: Path) -> str:
    """A path to an open file that no other file had: the loader knows libraries by their paths.

    The number of the opening stands in its slashes, as binary digits.
    """
    if not os.path.isdir(DESCRIPTORS):
        return str(path)
    digits = "".join("//." if digit == "1" else "/." for digit in f"{next(_openings):b}")
    return f"{DESCRIPTORS}{digits}/{descriptor}"


@functools.cache
def load_library(path: Path) -> Any:
    """The handle of a shared object, opened once, by a descriptor that was checked.

    Raises DeviceRuntimeError if it will not load, or if others than this user could write it.
    """
    ffi, libc = foreign()
    try:
        with own_folder(path.parent) as folder, own_file(path.name, folder, path) as descriptor:
            name = _path_of(descriptor, path)
            handle = libc.dlopen(os.fsencode(name), ffi.RTLD_NOW | ffi.RTLD_LOCAL)
    except OSError as error:
        raise DeviceRuntimeError(f"cannot load compiled code from {path}: {error}") from error
    if handle == ffi.NULL:
        raise DeviceRuntimeError(f"cannot load compiled code from {path}: {_last_error()}")
    return handle


def open_for_all(path: Path) -> ctypes.CDLL:
    """A library whose functions the kernels that are loaded later may call.

    Raises DeviceRuntimeError if it will not load.
    """
    try:
        return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise DeviceRuntimeError(f"cannot load {path}: {error}") from None


@functools.cache
def load_function(path: Path, name: str, signature: str = KERNEL_SIGNATURE) -> Any:
    """The function `name` of a shared object as callable cdata.

    Raises DeviceRuntimeError if the file will not load or holds no such function.
    """
    ffi, libc = foreign()
    address = libc.dlsym(load_library(path), name.encode())
    if address == ffi.NULL:
        raise DeviceRuntimeError(f"no function {name!r} in {path}: {_last_error()}")
    return ffi.cast(_type(signature), address)


def pointer_array(addresses: Sequence[int]) -> Any:
    """The addresses as a `void *[]`; it is freed with the returned object, so keep that."""
    return foreign()[0].new(_type("uintptr_t[]"), addresses)


def int64_array(values: Sequence[int]) -> Any:
    """The values as an `int64_t[]`; it is freed with the returned object, so keep that."""
    return foreign()[0].new(_type("int64_t[]"), values)


def new_struct(type_name: str, fields: Sequence[Any]) -> Any:
    """A C struct with its fields given in order, e.g. of type "struct rw_launch *"."""
    return foreign()[0].new(_type(type_name), fields)


def untyped(function: Any) -> Any:
    """A function as a `void *`."""
    return foreign()[0].cast("void *", function)
