"""Faults that emulated GPU devices report: each planted in a kernel, each named in the error."""

from __future__ import annotations

import numpy as np
import pytest
from emulated_kernels import BLOCKS, DEVICES, SIZE, THREADS, launch, numbers

from rulewright.errors import CompileError, DeviceRuntimeError
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
    "a pointer behind its array": (
        "  SHAREDfloat s[64];\n  NEARfloat *p = s;\n  s[t] = in[i];\n  BARRIER\n"
        "  out[i] = p[t + 64];",
        r"out of bounds: thread .* reads 4 bytes that belong to no buffer",
    ),
    "a barrier in a loop that some leave sooner": (
        "  SHAREDfloat s[64];\n  for (int r = 0; r < (t & 1) + 1; r++) {\n    s[t] = in[i] + r;\n"
        "    BARRIER\n  }\n  out[i] = s[t];",
        r"divergent barrier: 32 of 64 threads wait at a barrier, .* has ended",
    ),
    "what the next round writes too soon": (
        "  SHAREDfloat s[64];\n  for (int r = 0; r < 3; r++) {\n    s[t] = in[i] + r;\n"
        "    BARRIER\n    out[i] = s[63 - t];\n  }",
        r"data race: .* shared s\[\d+\] .* with no barrier between them",
    ),
    "a quotient by 0": (
        "  out[i] = 7 / (t - 5);",
        r"undefined: thread \(5, 0, 0\) of block .* divides a number of type int by 0\n  line",
    ),
    "what is left by 0, of longer numbers": (
        "  out[i] = n % (n - 128 + t - 5);",
        r"undefined: thread \(5, 0, 0\) of block .* divides a number of type long(?: int)? by 0",
    ),
    "a quotient that overflows": (
        "  out[i] = (-2147483647 - 1 + (int)(n - 128)) / (2 * (t - 5) - 1);",
        r"undefined: thread \(5, 0, 0\) of block .* the least number of type int by -1",
    ),
    "a shift by all places": (
        "  out[i] = 1 << (t + 1);",
        r"undefined: thread \(\d+, 0, 0\) of block .* a number of type int by (3[2-9]|[45]\d|6\d) ",
    ),
    "a shift by less than none": (
        "  out[i] = 1 << (t % 32 - 1);",
        r"undefined: thread .* shifts a number of type int by -1 places",
    ),
}  # fmt: skip


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_reported(fault, device):
    body, message = FAULTS[fault]
    with pytest.raises(DeviceRuntimeError, match=f"device {device}, kernel k: {message}"):
        launch(body, device)


COPIED = """
  __shared__ float s[64];
  s[t] = 0;
  __pipeline_memcpy_async(&s[t], &in[i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = s[63 - t];"""
ONLY_CUDA = {
    "a copy that is not waited for": (
        COPIED.replace("  __pipeline_wait_prior(0);\n", ""),
        r"data race: thread \((\d+), 0, 0\) of block .* reads shared s\[\d+\] .*, to which thread "
        r"\(\d+, 0, 0\) has begun a copy that it has not waited for\n  line 9: out\[i\] = s",
    ),
    "one that is written to": (
        COPIED.replace("  __pipeline_wait_prior(0);\n", "  s[t] = 1;\n"),
        r"data race: thread \((\d+), 0, 0\) .* writes shared .* to which thread \(\1, 0, 0\) has",
    ),
    "one group too few waited for": (
        COPIED.replace("prior(0)", "prior(1)"),
        r"data race: .* has begun a copy that it has not waited for",
    ),
    "a mask without the lane": (
        "  out[i] = __shfl_xor_sync(0xffffu, in[i], 1);",
        r"divergent warp: thread \(16, 0, 0\) of block .* is lane 16 of its warp, which its mask "
        r"0xffff does not name",
    ),
    "a lane of another warp": (
        "  out[i] = __shfl_xor_sync(0xffffffffu, in[i], 32);",
        r"divergent warp: thread \(0, 0, 0\) of block .* reads the value of lane 32 of its warp",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", ONLY_CUDA)
def test_a_planted_fault_of_cuda_is_reported(fault):
    body, message = ONLY_CUDA[fault]
    with pytest.raises(DeviceRuntimeError, match=f"device CUDA_EMULATED, kernel k: {message}"):
        launch(body, "CUDA_EMULATED")


def test_a_copy_that_is_waited_for_is_there():
    expected = numbers().reshape(BLOCKS, THREADS)[:, ::-1].reshape(-1)
    np.testing.assert_array_equal(launch(COPIED, "CUDA_EMULATED").numpy(), expected)
    with pytest.raises(DeviceRuntimeError, match="not waited for"):
        launch(ONLY_CUDA["a copy that is not waited for"][0], "CUDA_EMULATED")
    np.testing.assert_array_equal(launch(COPIED, "CUDA_EMULATED").numpy(), expected)


@pytest.mark.parametrize("device", DEVICES)
def test_a_pointer_into_shared_memory_is_a_threads_own(device):
    body = TURNED.replace("  s[t] =", "  NEARfloat *p = s + t;\n  *p =")
    expected = numbers().reshape(BLOCKS, THREADS)[:, ::-1].reshape(-1)
    np.testing.assert_array_equal(launch(body, device).numpy(), expected)


@pytest.mark.parametrize("device", DEVICES)
def test_more_than_a_thread_can_have_is_refused(device):
    body = "  float a[1 << 18];\n  for (int r = 0; r < n; r++) a[r + t] = in[r];\n  out[i] = a[i];"
    with pytest.raises(CompileError, match=r"frame size of \d+ bytes is larger than 393216 bytes"):
        launch(body, device)


@pytest.mark.parametrize("device", DEVICES)
def test_registers_that_nothing_wrote_hold_no_plausible_number(device):
    written = launch("  float a[4];\n  if (t % 2) a[0] = in[i];\n  out[i] = a[0];", device).numpy()
    np.testing.assert_array_equal(written[1::2], numbers()[1::2])
    assert not (np.abs(written[::2]) < 1e30).any()


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
