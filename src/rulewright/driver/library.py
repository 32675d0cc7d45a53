"""Products of matrices by OpenBLAS: MATMUL=blas, or the axis choice `blas` of one tensor.

A kernel is marked with `blas` in the place of its axis choices. It is planned, launched, captured
and profiled as any other; its source calls the library, which this process has opened before.
"""

from __future__ import annotations

from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from rulewright.codegen.choices import LIBRARY
from rulewright.codegen.library import library_product
from rulewright.render import target
from rulewright.runtime.clib import open_for_all
from rulewright.runtime.device import CompilingDevice, Device
from rulewright.runtime.gpu import import_extra
from rulewright.runtime.threads import thread_count
from rulewright.schedule.build import ScheduleItem

LEAST_WORK = 1 << 15
"""Products from which on a library is asked; below, calling it costs as much."""


def library_mark(call: ScheduleItem) -> str:
    """The mark of a kernel that multiplies two matrices, large enough, on a device with a library.

    Nothing for others; products with a vector, and of one column by one row, are among them.
    """
    name = call.written[0].device if call.is_kernel else None
    device = Device[name] if name else None
    if not isinstance(device, CompilingDevice) or not device.is_native:
        return ""
    matrices = library_product(call.kernel, target(device.target))
    is_large = matrices and min(matrices.sizes) > 1 and prod(matrices.sizes) >= LEAST_WORK
    return LIBRARY if is_large else ""


def prepare_library() -> None:
    """Open the library and give it as many threads as kernels have.

    Raises MissingExtraError, naming the extra to install, if it is not here.
    """
    _library()["scipy_openblas_set_num_threads"](thread_count())


@cache
def _library() -> Any:
    wheel = import_extra("scipy_openblas32", "blas", "C with MATMUL=blas")
    return open_for_all(Path(wheel.get_lib_dir()) / wheel.get_library(fullname=True))
