"""The CUDA device over the stand-in for its driver, new for each block."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from cuda_standin import StandInCompiler, StandInDriver

from rulewright.driver import execute
from rulewright.driver.recent import Recent
from rulewright.runtime.cuda.device import CudaDevice
from rulewright.runtime.cuda.driver import no_driver
from rulewright.runtime.device import Device


@contextmanager
def cuda_standin(seed: int = 0, **facts: object) -> Iterator[StandInDriver]:
    """`Device["CUDA"]` is a device of this stand-in inside the block."""
    found = StandInDriver(seed, **facts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cuda.bindings.driver", found)
        patch.setitem(sys.modules, "cuda.bindings.nvrtc", StandInCompiler())
        others = {n: d for n, d in Device._opened.items() if not n.startswith("CUDA:")}
        others.pop("CUDA", None)
        patch.setattr(Device, "_opened", others)
        patch.setattr(execute, "_loaded", Recent(execute.MOST_LOADED))
        no_driver.cache_clear()
        try:
            yield found
        finally:
            gc.collect(0)
            no_driver.cache_clear()


def cuda() -> CudaDevice:
    """The device of the block."""
    device = Device["CUDA"]
    assert isinstance(device, CudaDevice)
    return device
