"""The CUDA device's compiler and its refusals, on a machine without a GPU: `tox -e cuda`."""

from __future__ import annotations

import pytest

from rulewright.errors import CompileError, DeviceError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device

HALVES = """
#include <cuda_fp16.h>
extern "C" __global__ void halves(__half *out, const float *in, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2half(in[i]);
}
"""


def test_cuda_compiles_without_a_gpu(empty_cache) -> None:
    device = Device["CUDA"]
    program = device.compile(HALVES, "halves")
    assert program.binary[:4] == b"\x7fELF" and b"halves" in program.binary
    assert device.compile(HALVES, "halves").binary == program.binary
    assert len(list((empty_cache / "cubins").iterdir())) == 1


def test_cuda_refuses_a_bad_source(empty_cache) -> None:
    source = 'extern "C" __global__ void broken(float *x) { x[0] = y; }'
    with pytest.raises(CompileError, match="NVRTC refused kernel broken") as caught:
        Device["CUDA"].compile(source, "broken")
    assert 'identifier "y" is undefined' in caught.value.output


def test_cuda_without_a_driver_says_so() -> None:
    assert "no usable NVIDIA driver" in (Device.why_not("CUDA") or "")
    with pytest.raises(DeviceError, match="CUDA cannot run here: no usable NVIDIA driver"):
        Buffer("CUDA", 4, dtypes.f32).allocate()
