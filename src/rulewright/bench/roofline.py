"""What this machine can do at most: multiply-adds and bytes a second, measured once and kept.

The roofline of a workload (Williams, Waterman and Patterson, 2009) is the longer of the times that
its operations and its bytes would take alone. Memory is measured by copying what does not fit a
cache; a workload whose arrays stay in one can be faster than its roofline says.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from rulewright.bench.machine import is_busy
from rulewright.diskcache import DiskCache
from rulewright.runtime.clib import int64_array, load_function, pointer_array
from rulewright.runtime.compiler import DEFAULT_FLAGS, compile_c, cpu_identity, find_compiler
from rulewright.runtime.threads import run_parallel, thread_count

_SOURCE = Path(__file__).with_name("roofline.c")
# Contracted: the loop is to be multiply-adds. -O2, since accumulators must stay in registers.
_FLAGS = (*DEFAULT_FLAGS, "-O2", "-ffp-contract=fast")
_TIMES = 15  # of which the best counts: nothing makes a machine faster than it is
_COPIED = 256 << 20  # bytes
_STEPS = 1 << 20  # multiply-adds in a row, a few milliseconds
_kept = DiskCache("rooflines")


@dataclass(frozen=True)
class Roofline:
    """GFLOP/s of multiply-adds by dtype (f32, f64), and GB/s of a copy, read and write counted."""

    threads: int
    gflops: dict[str, float]
    gbytes: float

    def peak(self, dtype: str) -> float:
        """GFLOP/s for a dtype. Narrower floats are compared with float32, as most compute in it."""
        return self.gflops["f64" if dtype == "f64" else "f32"]

    def or_better(self, other: Roofline) -> Roofline:
        """The best of two measurements of one machine, which others may have slowed down."""
        peaks = {dtype: max(peak, other.gflops[dtype]) for dtype, peak in self.gflops.items()}
        return Roofline(self.threads, peaks, max(self.gbytes, other.gbytes))

    def seconds(self, flops: int, moved: int, dtype: str = "f32") -> float:
        """The least time for so many operations and bytes moved."""
        return max(flops / self.peak(dtype), moved / self.gbytes) * 1e-9


def roofline(again: bool = False) -> Roofline:
    """This machine's roofline, for the threads that kernels get.

    It is kept on disk, unless others use the machine while it is measured first; measured `again`,
    it is the best that was ever found. Raises DeviceError without a C compiler.
    """
    key = "\n".join([_SOURCE.read_text(encoding="utf-8"), find_compiler().identity,
                     cpu_identity(), str(thread_count())])  # fmt: skip
    data = _kept.get(key)
    known = None if data is None else Roofline(**json.loads(data))
    if known is not None and not again:
        return known
    measured = measure()
    if known is not None:
        measured = measured.or_better(known)
    if known is not None or not is_busy():
        _kept.put(key, json.dumps(asdict(measured)).encode())
    return measured


def measure(copied: int = _COPIED, steps: int = _STEPS, times: int = _TIMES) -> Roofline:
    """Measure it now: copies of so many bytes, runs of so many steps, the best of `times`."""
    path = compile_c(_SOURCE.read_text(encoding="utf-8"), _FLAGS, "roofline")
    peaks = {dtype: _fma(path, f"fma_{dtype}", steps, times) for dtype in ("f32", "f64")}
    return Roofline(thread_count(), peaks, _copy(path, copied, times))


def _fma(path: Path, name: str, steps: int, times: int) -> float:
    """One core's rate by processor time, which others on this machine do not change, times threads.

    Where all cores together run slower than one alone, this is more than they reach.
    """
    import numpy as np

    out = np.zeros(1, np.int64)
    buffers, counts = pointer_array([out.ctypes.data]), int64_array([steps])
    load_function(path, f"{name}_flops")(buffers, counts, 0, 1)
    flops = int(out[0])
    kernel = load_function(path, name)
    best = _best(lambda: kernel(buffers, counts, 0, 1), times, time.thread_time)
    return thread_count() * steps * flops / best * 1e-9


def _copy(path: Path, size: int, times: int) -> float:
    import numpy as np

    threads = thread_count()
    part = -(-size // threads)
    source, target = (np.ones(threads * part, np.uint8) for _ in range(2))
    buffers = pointer_array([target.ctypes.data, source.ctypes.data])
    kernel, sizes = load_function(path, "copy"), int64_array([part])
    best = _best(
        lambda: run_parallel(kernel, buffers, sizes, threads, threads), times, time.perf_counter
    )
    return 2 * threads * part / best * 1e-9


def _best(run: Callable[[], object], times: int, clock: Callable[[], float]) -> float:
    seconds = []
    for _ in range(times):
        begin = clock()
        run()
        seconds.append(clock() - begin)
    return max(min(seconds), 1e-9)  # a clock may stand still for a few microseconds
