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
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.uop import UOp
from rulewright.render import target
from rulewright.runtime.clib import open_for_all
from rulewright.runtime.device import CompilingDevice, Device
from rulewright.runtime.gpu import import_extra
from rulewright.runtime.threads import thread_count
from rulewright.schedule.build import Call

LEAST_WORK = 1 << 15
"""Products from which on a library is asked; below, calling it costs as much."""


def marked_for_library(linear: UOp, origins: Origins | None = None) -> UOp:
    """A schedule whose products of matrices are marked for a library, on devices that have one.

    Kernels that bring their choices, and products with a vector, stay as they are.
    """
    changes: dict[UOp, UOp] = {}
    for call in linear.src if linear.op is Ops.LINEAR else ():
        kernel = call.src[0]
        name, choices = kernel.arg or (None, "")
        if not choices and _is_product(Call(kernel, call.src[1:])):
            wanted = kernel.replace(arg=(name, LIBRARY))
            changes[call] = call.replace(src=(wanted, *call.src[1:]))
    if origins is not None:
        origins.carry(changes)
    return linear.replace(src=tuple(changes.get(call, call) for call in linear.src))


def _is_product(call: Call) -> bool:
    """Whether a kernel multiplies two matrices, large enough, on a device with a library."""
    name = None if call.is_copy else call.written[0].device
    device = Device[name] if name else None
    if not isinstance(device, CompilingDevice) or device.kind != "C":
        return False
    found = library_product(call.kernel, target(device.target))
    return found is not None and min(found.sizes[:2]) > 1 and prod(found.sizes) >= LEAST_WORK


def prepare_library() -> None:
    """Open the library and give it as many threads as kernels have.

    Raises MissingExtraError, naming the extra to install, if it is not here.
    """
    _library()["scipy_openblas_set_num_threads"](thread_count())


@cache
def _library() -> Any:
    wheel = import_extra("scipy_openblas32", "blas", "C with MATMUL=blas")
    return open_for_all(Path(wheel.get_lib_dir()) / wheel.get_library(fullname=True))
