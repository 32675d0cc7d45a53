"""Faults that emulated GPU devices report: each planted in a kernel, each named in the error."""

from __future__ import annotations

import numpy as np
import pytest
from emulated_kernels import BLOCKS, DEVICES, SIZE, THREADS, launch, numbers

from rulewright.errors import DeviceRuntimeError
from rulewright.ir.dtypes import dtypes
from rulewright.options import Context
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.emulated.device import EmulatedCudaDevice, EmulatedDevice
from rulewright.tensor.tensor import Tensor

TURNED = "  SHAREDfloat s[64];\n  s[t] = in[i];\n  BARRIER\n  out[i] = s[63 - t];"
HALF = "  SHAREDfloat s[64];\n  s[t] = 1;\n  if (t < 32) {\n    BARRIER\n  }%s\n  out[i] = s[t];"

FAULTS = {
    "a missing barrier": (
        TURNED.replace("  BARRIER\n", ""),
        r"data race: thread \(\d+, 0, 0\) of block \(\d, 0, 0\) writes shared s\[\d+\] "
        r"\(64 elements of 4 bytes\), which thread \(\d+, 0, 0\) reads, with no barrier",
    ),
    "a read behind the end": (
        "  out[i] = in[i + 1];",
        r"out of bounds: thread \(63, 0, 0\) of block \(1, 0, 0\) reads 4 bytes at in\[128\] "
        r"\(128 elements of f32\)",
    ),
    "a write before the beginning": (
        "  out[i - 1] = in[i];",
        r"out of bounds: thread \(0, 0, 0\) of block \(0, 0, 0\) writes 4 bytes at out\[-1\]",
    ),
    "an index that is far away": (
        "  out[(long)(i + 1) << 44] = in[i];",
        r"out of bounds: thread .* writes 4 bytes that belong to no buffer",
    ),
    "swapped group and item": (
        "  out[t * 64 + b] = in[i];",
        r"out of bounds: thread \(\d+, 0, 0\) of block \(\d, 0, 0\) writes 4 bytes at out\[\d+\]",
    ),
    "one element for all threads": (
        "  out[b] = in[i];",
        r"data race: thread .* writes out\[\d\] .*which thread .* writes, with no barrier",
    ),
    "one element for all threads, of one value": (
        "  out[b] = 1.0f;",
        r"data race: thread .* writes out\[\d\] .*which thread .* writes, with no barrier",
    ),
    "one element for both blocks": (
        "  if (t == 0) out[5] = in[i];",
        r"data race: thread \(0, 0, 0\) of block \(\d, 0, 0\) writes out\[5\] .*which thread "
        r"\(0, 0, 0\) of block \(\d, 0, 0\) writes, and nothing orders two blocks",
    ),
    "what another block writes": (
        "  out[i] = out[(i + 64) % 128] + 1;",
        r"data race: .* out\[\d+\] .* of block \(\d, 0, 0\) (reads|writes), and nothing orders",
    ),
    "a barrier that some leave out": (
        HALF % "",
        r"divergent barrier: 32 of 64 threads wait at a barrier, thread .* among them, and "
        r"thread \(\d+, 0, 0\) has ended",
    ),
    "two barriers for one": (
        HALF % " else {\n    BARRIER\n  }",
        r"divergent barrier: 32 of 64 threads wait at a barrier, .* waits at another",
    ),
    "shared memory that nobody wrote": (
        TURNED.replace("s[t] =", "if (t) s[t] ="),
        r"uninitialised: thread \(63, 0, 0\) of block .* reads shared s\[0\]",
    ),
    "an index behind shared memory": (
        TURNED.replace("s[t]", "s[t + 1]"),
        r"out of bounds: thread \(63, 0, 0\) of block .* takes element 64 of float ?\[64\]",
    ),
    "an index behind registers": (
        "  float acc[4];\n  for (int r = 0; r < n; r++) acc[r] = in[r];\n  out[i] = acc[t & 3];",
        r"out of bounds: thread .* takes element 4 of float ?\[4\]",
    ),
    "a vector behind the end": (
        "  *(FARfloat2 *)&out[i * 2] = *(FARfloat2 *)&in[i * 2];",
        r"out of bounds: thread .* (reads|writes) \d+ bytes at \w+\[\d+\]",
    ),
    "a vector at an odd place": (
        "  SHAREDfloat s[128];\n  s[t] = s[t + 64] = in[i];\n  BARRIER\n"
        "  float4 four = *(NEARfloat4 *)&s[t];\n  out[i] = four.x + four.w;",
        r"misaligned: thread .* float4 that is a multiple of 16 bytes",
    ),
}  # fmt: skip


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_reported(fault, device):
    body, message = FAULTS[fault]
    with pytest.raises(DeviceRuntimeError, match=f"device {device}, kernel k: {message}"):
        launch(body, device)


@pytest.mark.parametrize("device", DEVICES)
def test_a_kernel_with_its_barrier_runs(device):
    expected = numbers().reshape(BLOCKS, THREADS)[:, ::-1].reshape(-1)
    np.testing.assert_array_equal(launch(TURNED, device).numpy(), expected)


def test_a_report_quotes_the_line():
    with pytest.raises(DeviceRuntimeError, match=r"\n  line 3: out\[i\] = in\[i \+ 1\];"):
        launch(FAULTS["a read behind the end"][0], "CUDA_EMULATED")


def test_a_launch_that_fails_writes_nothing():
    out = Buffer("CUDA_EMULATED", SIZE, dtypes.f32).copyin(np.full(SIZE, 7, np.float32))
    with pytest.raises(DeviceRuntimeError, match="out of bounds"):
        launch("  out[i] = in[i + 1];", "CUDA_EMULATED", out)
    assert (out.numpy() == 7).all()


def test_a_barrier_for_shared_memory_orders_no_device_memory_on_metal():
    body = (
        "  out[i] = in[i];\n  BARRIER\n  float x = out[b * 64 + 63 - t];\n  BARRIER\n  out[i] = x;"
    )
    launch(body, "CUDA_EMULATED")
    with pytest.raises(DeviceRuntimeError, match=r"data race: .* out\[\d+\]"):
        launch(body, "METAL_EMULATED")
    launch(body.replace("BARRIER", "threadgroup_barrier(mem_flags::mem_device);"), "METAL_EMULATED")


def test_a_view_ends_where_it_ends():
    whole = Buffer("CUDA_EMULATED", 2 * SIZE, dtypes.f32).copyin(numbers(2 * SIZE))
    part = whole.view(SIZE, SIZE)
    launch("  out[i] = in[i];", "CUDA_EMULATED", given=part)
    with pytest.raises(DeviceRuntimeError, match=r"reads 4 bytes at in\[128\]"):
        launch("  out[i] = in[i + 1];", "CUDA_EMULATED", given=part)


def test_memory_that_two_parameters_share_is_one():
    whole = Buffer("CUDA_EMULATED", 2 * SIZE, dtypes.f32).copyin(numbers(2 * SIZE))
    first, second = whole.view(0, SIZE), whole.view(4, SIZE)
    launch("  out[i] = in[i] + 1;", "CUDA_EMULATED", first, first)
    np.testing.assert_array_equal(first.numpy(), numbers() + 1)
    with pytest.raises(DeviceRuntimeError, match="data race"):
        launch("  out[i] = in[i] + 1;", "CUDA_EMULATED", first, second)


def reported_threads(device: EmulatedDevice) -> list[str]:
    """The first thread to run in each of four launches: all of them do what is reported."""
    out = Buffer(device, 1, dtypes.f32)
    text = 'extern "C" __global__ void k(float *out) { out[threadIdx.x + 1] = 1; }'
    run = device.runtime(device.compile(text, "k")).bind([out], [], (1,), (THREADS,))
    found = []
    for _ in range(4):
        with pytest.raises(DeviceRuntimeError, match=r"thread \(\d+, 0, 0\)") as caught:
            run(wait=True)
        found.append(str(caught.value).partition("thread ")[2].partition(" of")[0])
    return found


def test_threads_run_in_an_order_that_the_seed_and_the_number_of_the_launch_give():
    first = reported_threads(EmulatedCudaDevice("CUDA_EMULATED"))
    assert reported_threads(EmulatedCudaDevice("CUDA_EMULATED")) == first
    assert len(set(first)) > 1
    with Context(THREAD_ORDER=1):
        assert reported_threads(EmulatedCudaDevice("CUDA_EMULATED")) != first


def test_an_error_names_the_tensor_methods(monkeypatch):
    made = EmulatedDevice.library_of

    def without(device, text, names):
        return made(device, text.replace("__syncthreads();", ""), names)

    monkeypatch.setattr(EmulatedDevice, "library_of", without)
    x = Tensor(np.ones((3, 1033), np.float32), device="CUDA_EMULATED:1")
    with pytest.raises(DeviceRuntimeError, match=r"data race: .* shared local") as caught:
        x.sum(1).numpy()
    assert "sum" in caught.value.methods[0] and "test_emulated_faults.py" in str(caught.value)
