"""oclgrind finds no data race in a reduction by a workgroup, but does without its barrier."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import sys
import numpy as np
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device
from opencl_tools import LONG, on_device, source_of

source = source_of(on_device(LONG).sum(1))
assert "barrier(CLK_LOCAL_MEM_FENCE);" in source
if sys.argv[1] == "without":
    source = source.replace("barrier(CLK_LOCAL_MEM_FENCE);", "")
device = Device["OPENCL"]
name = source.split("void ")[1].split("(")[0]
items = int(source.split("size(")[1].split(",")[0])
data = Buffer(device, LONG.size, dtypes.f32).copyin(LONG.ravel())
out = Buffer(device, 2, dtypes.f32)
device.runtime(device.compile(source, name)).bind([out, data], [], (2,), (items,))(wait=True)
"""


@pytest.mark.parametrize(("barrier", "races"), [("with", False), ("without", True)])
def test_data_races(barrier, races):
    here = str(Path(__file__).parent)
    env = {**os.environ, "OCLGRIND_DATA_RACES": "1", "PYTHONPATH": here}
    done = subprocess.run(
        [sys.executable, "-c", RUN, barrier], env=env, capture_output=True, text=True, check=True
    )
    assert ("data race" in (done.stdout + done.stderr).lower()) is races, done.stderr
