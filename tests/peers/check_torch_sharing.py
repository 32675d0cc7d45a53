"""Memory shared with PyTorch by DLPack, in dtypes that numpy has and in those that it has not.

Not part of the default run, since PyTorch is large: `tox -e peers`.
"""

from __future__ import annotations

import pytest
import torch

from rulewright import Tensor

KINDS = {
    "bf16": torch.bfloat16,
    "fp8e4m3": torch.float8_e4m3fn,
    "fp8e4m3fnuz": torch.float8_e4m3fnuz,
    "fp8e5m2": torch.float8_e5m2,
    "fp8e5m2fnuz": torch.float8_e5m2fnuz,
    "f16": torch.float16,
    "f64": torch.float64,
    "bool": torch.bool,
    "u16": torch.uint16,
}


@pytest.mark.parametrize("name", KINDS)
def test_both_ways(name: str) -> None:
    theirs = torch.arange(6).reshape(2, 3).to(KINDS[name])
    ours = Tensor.from_dlpack(theirs)
    back = torch.from_dlpack(ours)
    assert ours.dtype.name == name and back.dtype is theirs.dtype
    assert back.data_ptr() == theirs.data_ptr()
    theirs[0, 1] = 0
    assert ours.float().tolist() == theirs.float().tolist() == back.float().tolist()
    assert torch.from_dlpack(ours.T[1:]).float().tolist() == theirs.T[1:].float().tolist()


def test_a_tensor_of_bfloat16_is_copied() -> None:
    theirs = torch.tensor([1.5, -2.0], dtype=torch.bfloat16)
    ours = Tensor(theirs)
    theirs[0] = 3
    assert ours.dtype.name == "bf16" and ours.tolist() == [1.5, -2.0]
