"""What the tests of kernels of several outputs share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rulewright import Context, Tensor
from rulewright.driver.execute import run_items

DEVICES = ["C", "INTERP", "OPENCL"]
Array = np.ndarray[Any, Any]


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    if request.param == "OPENCL":
        pytest.importorskip("pyopencl")
    return str(request.param)


def numbers(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([*shape, seed]).standard_normal(shape).astype(np.float32)


def outputs(*tensors: Tensor) -> list[int]:
    """Run what tensors need, checked step by step; how many memories each kernel writes."""
    with Context(VERIFY=2):
        items = tensors[0].schedule(*tensors[1:])
        run_items(items)
    return [len(item.written) for item in items]
