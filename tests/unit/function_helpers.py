"""What the tests of functions share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def numbers(*shape: int) -> Any:
    return np.random.default_rng(list(shape)).standard_normal(shape).astype(np.float32)


@pytest.fixture(params=[False, True], ids=["inline", "whole"])
def precompile(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def callee(tensor: Tensor) -> UOp:
    """The FUNCTION that a lazy result was called from."""
    return next(n for n in tensor.uop.toposort() if n.op is Ops.CALL).src[0]
