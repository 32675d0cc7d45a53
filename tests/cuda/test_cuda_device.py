"""The CUDA device: its compiler and refusals without a GPU, everything else on one.

What runs on a GPU runs over a stand-in for the driver too, in `tests/unit/test_cuda_*.py`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "unit"))

from cuda_runs import Run
from cuda_steps import PROGRAMS, ROWS, STEPS, agrees, on_cuda

from rulewright import Context, Tensor, jit
from rulewright.errors import CompileError, DeviceError, DeviceRuntimeError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device
from rulewright.runtime.profile import clear_profile, profile_events

pytest.importorskip("cuda.bindings.nvrtc", reason="NVRTC: install rulewright[compilers]")

REASON = Device.why_not("CUDA")
on_a_gpu = pytest.mark.skipif(REASON is not None, reason=REASON or "")
without_a_gpu = pytest.mark.skipif(REASON is None, reason="there is a GPU")

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


@without_a_gpu
def test_cuda_without_a_driver_says_so() -> None:
    assert "no usable NVIDIA driver" in (Device.why_not("CUDA") or "")
    with pytest.raises(DeviceError, match="CUDA cannot run here: no usable NVIDIA driver"):
        Buffer("CUDA", 4, dtypes.f32).allocate()


# ---- on a GPU -------------------------------------------------------------------------------


@on_a_gpu
@pytest.mark.parametrize("seed", range(50))
def test_a_run_gives_what_numpy_gives(seed) -> None:
    Run(seed).any_moves(200)


@on_a_gpu
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_what_the_interpreter_gives(name) -> None:
    agrees(name)


@on_a_gpu
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_a_step_gives_what_it_should(step) -> None:
    step()


@on_a_gpu
def test_a_replay_is_a_graph() -> None:
    step = jit(lambda x: (x * 2).contiguous().sum(0))
    for number in range(5):
        expected = ((ROWS + number) * 2).sum(0)
        np.testing.assert_array_equal(step(on_cuda(ROWS + number)).numpy(), expected)
    ((capture,),) = step._known._entries.values()
    assert capture.replays.row is not None and capture.replays.row.launches.reason == ""


@on_a_gpu
def test_large_copies() -> None:
    data = np.random.default_rng(1).integers(0, 1 << 30, (100 << 20) // 4 + 3).astype(np.int32)
    buffer = Buffer("CUDA", data.size, dtypes.i32).copyin(data)
    np.testing.assert_array_equal(buffer.numpy(), data)
    array = Device["CUDA"].pinned(data.shape, np.int32)
    np.testing.assert_array_equal(buffer.copyout(array), data)


@on_a_gpu
def test_memory_that_runs_out_is_said_and_can_be_had_again() -> None:
    with pytest.raises(DeviceRuntimeError, match=r"has no [\d,]+ bytes left"):
        Buffer("CUDA", 1 << 46, dtypes.u8).allocate()
    assert (Buffer("CUDA", 4, dtypes.f32).copyin(np.ones(4, np.float32)).numpy() == 1).all()


@on_a_gpu
def test_kernels_are_timed_on_the_device() -> None:
    x = Tensor.rand(1 << 26, device="CUDA").realize()
    clear_profile()
    with Context(PROFILE=1):
        (x * 5).realize()
    event = next(e for e in profile_events() if e.category == "kernel")
    assert 1e-5 < event.seconds < 1e-1  # half a gigabyte is moved


LOST = """
import numpy as np
from rulewright.errors import DeviceRuntimeError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device

SOURCE = '''
extern "C" __global__ void outside(float *out) { *(float *)(threadIdx.x * 64 + 8) = 1.0f; }
'''
device = Device["CUDA"]
buffer = Buffer("CUDA", 16, dtypes.f32).copyin(np.ones(16, np.float32))
for attempt in range(2):
    try:
        kernel = device.runtime(device.compile(SOURCE, "outside"))
        kernel.bind([buffer], [], (1,), (16,))(wait=True)
    except DeviceRuntimeError as error:
        print(error)
"""


@on_a_gpu
def test_an_error_that_stays_names_the_kernel() -> None:
    command = [sys.executable, "-c", LOST]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    first, second = said.strip().splitlines()
    assert "kernel outside: an access to memory that is not there" in first and first == second
    assert "start the process again" in first
