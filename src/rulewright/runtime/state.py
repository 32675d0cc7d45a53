"""Registers that are so large that a process has to ask the system for them."""

from __future__ import annotations

import ctypes
import platform
import sys
from functools import cache

_ARCH_PRCTL, _REQUEST = 158, 0x1023  # of Linux on x86-64: ARCH_REQ_XCOMP_PERM


@cache
def is_granted(state: int) -> bool:
    """Ask for a part of the processor's state, by its number, for all threads of this process.

    It is False where the system is another one, or refuses; what is granted once stays.
    """
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    call = ctypes.CDLL(None, use_errno=True).syscall
    return int(call(ctypes.c_long(_ARCH_PRCTL), ctypes.c_long(_REQUEST), ctypes.c_long(state))) == 0
