"""What the tests of captured steps share."""

import pytest

from rulewright import Context

DEVICES = ["C", "INTERP"]


@pytest.fixture(params=DEVICES)
def device(request):
    with Context(DEVICE=request.param):
        yield request.param
