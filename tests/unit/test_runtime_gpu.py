"""OPENCL on whatever driver is here (oclgrind in tests), and clear refusals."""

from __future__ import annotations

import platform
import sys

import numpy as np
import pytest

from rulewright.errors import CompileError, DeviceError, DeviceRuntimeError, MissingExtraError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.cuda.driver import no_driver
from rulewright.runtime.device import Device, _Devices
from rulewright.runtime.gpu import launch_sizes

REVERSE = """
kernel void reverse(global float *out, global const float *in, long n) {
  local float part[4];
  int lane = get_local_id(0);
  part[lane] = in[get_group_id(0) * 4 + lane];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = part[3 - lane] * n;
}
"""


def test_opencl_runs_with_local_memory_and_barriers() -> None:
    device = Device["OPENCL"]
    data = np.arange(16, dtype=np.float32)
    source = Buffer("OPENCL", 16, dtypes.f32).copyin(data)
    target = Buffer("OPENCL", 16, dtypes.f32)
    runtime = device.runtime(device.compile(REVERSE, "reverse"))
    assert runtime.bind([target, source], [3], (4,), (4,))(wait=True) > 0
    expected = data.reshape(4, 4)[:, ::-1].ravel()
    assert (target.numpy() == 3 * expected).all()
    runtime.bind([target, source], [-(2**33)], (4,), (4,))()
    assert (target.numpy() == -(2.0**33) * expected).all()
    assert target.device.allocator.statistics().live >= 128


def test_opencl_sub_buffers() -> None:
    device = Device["OPENCL"]
    base = Buffer("OPENCL", 256, dtypes.f32).copyin(np.arange(256, dtype=np.float32))
    align = device.own_alignment
    assert device.view_alignment % align == 0
    part, target = base.view(align, 4), Buffer("OPENCL", 4, dtypes.f32)
    assert part.numpy().tolist() == [align / 4 + k for k in range(4)]
    runtime = device.runtime(device.compile(REVERSE, "reverse"))
    runtime([target, part], [1], (1,), (4,))
    assert target.numpy().tolist() == [align / 4 + k for k in (3, 2, 1, 0)]
    with pytest.raises(DeviceError, match=rf"multiples of {align} bytes, found offset 4"):
        runtime.bind([target, base.view(4, 4)], [1])
    with pytest.raises(DeviceError, match="not in host memory, so it cannot give"):
        base.as_numpy()


def test_opencl_takes_the_arguments_of_the_kernel() -> None:
    device, buffer = Device["OPENCL"], Buffer("OPENCL", 4, dtypes.f32)
    runtime = device.runtime(device.compile(REVERSE, "reverse"))
    for variables in ([], [1, 2]):
        with pytest.raises(DeviceRuntimeError, match="reverse takes 3 buffers and variables, fou"):
            runtime.bind([buffer, buffer], variables)
    with pytest.raises(DeviceRuntimeError, match="argument 2 is none that it takes; buffers come"):
        device.runtime(device.compile(REVERSE.replace("long", "int"), "reverse")).bind(
            [buffer, buffer], [1]
        )


def test_opencl_refuses_a_bad_source() -> None:
    with pytest.raises(CompileError, match=r"OPENCL: the driver refused kernel broken") as caught:
        Device["OPENCL"].compile("kernel void broken(global float *x) { x[0] = y; }", "broken")
    assert "undeclared identifier 'y'" in caught.value.output
    assert "    1 | kernel void broken" in str(caught.value)


def test_opencl_number_out_of_range() -> None:
    with pytest.raises(DeviceError, match=r"OPENCL:99: \d+ OpenCL devices found; install"):
        _ = Device["OPENCL:99"]


@pytest.mark.skipif(platform.system() == "Darwin", reason="Metal is here")
def test_metal_elsewhere_says_so() -> None:
    with pytest.raises(DeviceError, match="METAL exists on macOS only"):
        _ = Device["METAL"]
    assert "macOS" in (Device.why_not("METAL") or "")


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("OPENCL", "pyopencl", "opencl"), ("CUDA", "cuda.bindings.nvrtc", "cuda")],
)
def test_missing_packages_name_their_extra(
    monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    if name == "CUDA":
        monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
        no_driver.cache_clear()
    devices = _Devices()
    with pytest.raises(MissingExtraError, match=rf"pip install 'rulewright\[{extra}\]'"):
        _ = devices[name]
    assert f"rulewright[{extra}]" in (devices.why_not(name) or "")


def test_launch_sizes() -> None:
    assert launch_sizes("k", (5,), None) == ((5, 1, 1), (1, 1, 1))
    assert launch_sizes("k", (5, 6, 7), (8, 2)) == ((5, 6, 7), (8, 2, 1))
    assert launch_sizes("k", (5, 0), (8,)) == ((5, 0, 1), (8, 1, 1))  # nothing is launched
    for groups, items in (((1, 2, 3, 4), None), ((-1,), None), ((1,), (1, 0))):
        with pytest.raises(DeviceError, match="kernel k: launch sizes must be one to three"):
            launch_sizes("k", groups, items)
