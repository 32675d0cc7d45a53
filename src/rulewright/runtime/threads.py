"""A warm pool of threads that runs kernels over their outermost axis (see `pool.c`).

A launch is a small C struct made once and run many times: one foreign call with one argument.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rulewright.options import options
from rulewright.runtime.clib import foreign, load_function, new_struct, pointer_array, untyped
from rulewright.runtime.compiler import compile_c

_SOURCE = Path(__file__).with_name("pool.c")
_ARCH_PRCTL, _REQUEST = 158, 0x1023  # of Linux on x86-64: ARCH_REQ_XCOMP_PERM


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count() -> int:
    """Threads that a parallel kernel gets: the THREADS option, or one a core."""
    return max(options().THREADS, 0) or cores()


@functools.cache
def is_granted(state: int) -> bool:
    """Ask for a part of the processor's state, by its number, for all threads of this process.

    It is False where the system is another one, or refuses; what is granted once stays.
    """
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    call = ctypes.CDLL(None, use_errno=True).syscall
    return int(call(ctypes.c_long(_ARCH_PRCTL), ctypes.c_long(_REQUEST), ctypes.c_long(state))) == 0


@functools.cache
def pool_library() -> Path:
    """The pool, compiled. Raises what compiling C raises."""
    return compile_c(_SOURCE.read_text(encoding="utf-8"), name="thread pool")


@functools.cache
def _pool_function(name: str, signature: str) -> Any:
    function = load_function(pool_library(), name, signature)
    if name == "rw_run":
        atexit.register(_pool_function("rw_stop", "void(*)(void)"))
    return function


def pool_run() -> Callable[[Any], None]:
    """The foreign function that runs one launch; raises what compiling C raises."""
    return _pool_function("rw_run", "void(*)(const struct rw_launch *)")


def workers() -> int:
    """Threads now in the pool, the callers not counted."""
    return int(_pool_function("rw_workers", "int64_t(*)(void)")())


def make_launch(
    kernel: Any, buffers: Any, variables: Any, count: int, block: int, threads: int
) -> Any:
    """A launch of iterations [0, count) in blocks of `block`; `block` 0 uses no threads.

    `kernel` is `untyped`; `buffers` and `variables` are cdata arrays, which the caller keeps alive.
    """
    return new_struct("struct rw_launch *", (kernel, buffers, variables, count, block, threads))


def run_parallel(kernel: Any, buffers: Any, variables: Any, count: int, threads: int) -> None:
    """Run a kernel over [0, count) with a block for each of `threads` threads."""
    block = -(-count // threads) if threads > 1 else 0
    pool_run()(make_launch(untyped(kernel), buffers, variables, count, block, threads))


def run_all(launches: Sequence[Any]) -> Callable[[], None]:
    """Copy launches into one array; the result runs them in order with one foreign call."""
    return launch_row(launches, (), pointer_array([]))[1]


def launch_row(
    launches: Sequence[Any], uses: Sequence[tuple[Any, int, int, int]], addresses: Any
) -> tuple[Any, Callable[[], None]]:
    """Copies of launches as one C array, and what runs them in order with one foreign call.

    Each run first reads the address in each slot of `addresses` that is used: a use is an array of
    pointers, the index in it where the address is put, the slot, and bytes added to the address.
    """
    ffi, _ = foreign()
    array = ffi.new("struct rw_launch[]", [launch[0] for launch in launches])
    places = ffi.new("struct rw_use[]", [(p + index, *rest) for p, index, *rest in uses])
    row = new_struct("struct rw_row *", (array, len(launches), addresses, places, len(uses)))
    keep = (array, places, addresses, tuple(launches), tuple(uses))
    function = _pool_function("rw_run_row", "void(*)(const struct rw_row *)")

    def run(_keep: Any = keep) -> None:
        function(row)

    return array, run
