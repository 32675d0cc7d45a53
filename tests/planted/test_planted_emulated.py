"""Planted faults that emulated GPUs report while they run, without VERIFY."""

from __future__ import annotations

import pytest
from plants import PLANTS, planted

from rulewright import Context, Tensor
from rulewright.errors import DeviceRuntimeError

REPORTED = {
    "missing_barrier": r"(data race|uninitialised): thread .* shared local",
    "every_item_writes": r"data race: thread .* writes data0\[\d+\] ",
    "long_loop": r"out of bounds: thread .* data\d\[\d+\] ",
    "lost_gate": r"out of bounds: thread .* reads 4 bytes at data\d\[-?\d+\] ",
}


@pytest.mark.parametrize("device", ["CUDA_EMULATED:2", "METAL_EMULATED:2"])
@pytest.mark.parametrize("name", REPORTED)
def test_an_emulated_gpu_reports_a_planted_fault(name, device):
    [plant] = [p for p in PLANTS if p.name == name]
    with planted(plant), Context(DEVICE=device, VERIFY=0, CACHE=0):
        made = plant.program()
        first, *others = made if isinstance(made, list) else [made]
        assert isinstance(first, Tensor)
        with pytest.raises(DeviceRuntimeError, match=REPORTED[name]):
            first.realize(*others)
