"""The driver API through cuda-bindings: what its calls return, and whether there is a driver."""

from __future__ import annotations

import functools
from typing import Any

from rulewright.errors import DeviceRuntimeError, MissingExtraError
from rulewright.runtime.gpu import import_extra

STICKY = {
    "CUDA_ERROR_ECC_UNCORRECTABLE": "memory that is damaged",
    "CUDA_ERROR_ILLEGAL_ADDRESS": "an access to memory that is not there",
    "CUDA_ERROR_LAUNCH_TIMEOUT": "a kernel that ran for too long",
    "CUDA_ERROR_CONTEXT_IS_DESTROYED": "a context that was destroyed",
    "CUDA_ERROR_ASSERT": "an assertion that failed",
    "CUDA_ERROR_HARDWARE_STACK_ERROR": "a broken stack",
    "CUDA_ERROR_ILLEGAL_INSTRUCTION": "an instruction that is none",
    "CUDA_ERROR_MISALIGNED_ADDRESS": "an access to an address that is not aligned",
    "CUDA_ERROR_INVALID_ADDRESS_SPACE": "an access to memory of another kind",
    "CUDA_ERROR_INVALID_PC": "a jump to where no code is",
    "CUDA_ERROR_LAUNCH_FAILED": "a kernel that failed",
}
"""Errors after which every call of the process fails with the same one, and what each means."""


def driver() -> Any:
    """The module of driver functions. Raises MissingExtraError without cuda-bindings."""
    return import_extra("cuda.bindings.driver", "cuda", "CUDA")


def name_of(status: Any) -> str:
    """The name of what a call returned, such as CUDA_ERROR_INVALID_VALUE."""
    return str(getattr(status, "name", status))


def check(result: tuple[Any, ...]) -> Any:
    """Unpack a binding's (status, values...): None, the value, or a tuple of them.

    Raises MemoryError where memory ran out, else DeviceRuntimeError.
    """
    status, *values = result
    if int(status) != 0:
        if name_of(status) == "CUDA_ERROR_OUT_OF_MEMORY":
            raise MemoryError(name_of(status))
        raise DeviceRuntimeError(f"CUDA call failed: {name_of(status)}")
    if not values:
        return None
    return values[0] if len(values) == 1 else tuple(values)


@functools.cache
def no_driver() -> str | None:
    """Why the driver cannot be used, or None."""
    try:
        check(driver().cuInit(0))
        return None if check(driver().cuDeviceGetCount()) else "no NVIDIA GPU was found"
    except MissingExtraError:
        raise
    except (RuntimeError, DeviceRuntimeError) as error:
        return f"no usable NVIDIA driver: {error}"
