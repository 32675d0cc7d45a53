"""What the tests of captured steps share."""

import numpy as np
import pytest

from rulewright import Context, Tensor

DEVICES = ["C", "INTERP"]


@pytest.fixture(params=DEVICES)
def device(request):
    with Context(DEVICE=request.param):
        yield request.param


def floats(*values: float) -> Tensor:
    """Numbers as f32."""
    return Tensor(np.array(values, np.float32))
