"""Kernels written by hand, launched over what they take and what they do not, on each device."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.errors import ArgumentError, DeviceError, DeviceRuntimeError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device

BODY = "[at] = in[at] * 2 + n; }"
SOURCES = {
    "C": "void twice(void **bufs, const long *vars, long begin, long end) {\n"
    "  float *out = bufs[0]; const float *in = bufs[1]; long n = vars[0];\n"
    f"  for (long at = begin; at < end; at++) {{ out{BODY}\n}}",
    "OPENCL": "kernel void twice(global float *out, global const float *in, long n) "
    f"{{ long at = get_group_id(0); out{BODY}",
    "CUDA_EMULATED": 'extern "C" __global__ void twice(float *out, const float *in, long n) '
    f"{{ long at = blockIdx.x; out{BODY}",
    "METAL_EMULATED": "using namespace metal;\nkernel void twice("
    "device float *out [[buffer(0)]], const device float *in [[buffer(1)]], "
    "constant long &n [[buffer(2)]], uint3 g [[threadgroup_position_in_grid]]) "
    f"{{ long at = g.x; out{BODY}",
}
EACH = pytest.mark.parametrize("device", SOURCES)


def twice(device):
    return Device[device].runtime(Device[device].compile(SOURCES[device], "twice"))


def four(device):
    return Buffer(device, 4, dtypes.f32).copyin(np.arange(4, dtype="f4"))


@EACH
def test_a_kernel_runs_over_memory_of_its_device(device):
    out = four(device)
    twice(device)([out, four(device)], [3], (4,), wait=True)
    assert out.numpy().tolist() == [3, 5, 7, 9]


@EACH
@pytest.mark.parametrize(("buffers", "variables"), [(0, 1), (1, 1), (2, 0)])
def test_too_few_arguments_are_refused(device, buffers, variables):
    with pytest.raises(DeviceRuntimeError, match=r"twice takes \d .*found "):
        twice(device).bind([four(device)] * buffers, [3] * variables, (4,))


@pytest.mark.parametrize("device", sorted({*SOURCES} - {"C"}))
@pytest.mark.parametrize("place", [0, 1])
def test_memory_of_another_device_is_refused(device, place):
    buffers = [four(device), four(device)]
    buffers[place] = four("C")
    message = f"twice of device {device} is launched over memory of C; copy it: copyin"
    with pytest.raises(DeviceError, match=message):
        twice(device).bind(buffers, [3], (4,))


@EACH
@pytest.mark.parametrize(("wrong", "message"), [
    ({"buffers": None}, "expected a list of buffers, found None"),
    ({"buffers": [np.zeros(4)] * 2}, r"expected buffers, such as Buffer\('.*', 4, dtypes.f32\)"),
    ({"buffers": [Tensor([1.0])] * 2}, "expected buffers, such as"),
    ({"variables": [1.5]}, "expected a variable as a whole number, found 1.5"),
    ({"variables": None}, "expected a list of variables, found None"),
    ({"global_size": 4}, "expected launch sizes as a tuple, found 4"),
    ({"global_size": (1.5,)}, "expected a launch size as a whole number, found 1.5"),
])  # fmt: skip
def test_what_is_no_argument_is_refused(device, wrong, message):
    taken = {"buffers": [four(device)] * 2, "variables": [3], "global_size": (4,)}
    with pytest.raises(ArgumentError, match=f"kernel twice: {message}"):
        twice(device).bind(**{**taken, **wrong})


@EACH
def test_a_negative_number_of_groups_is_refused(device):
    with pytest.raises(DeviceError, match=r"kernel twice: launch sizes must be .*at least 0"):
        twice(device).bind([four(device)] * 2, [3], (-1,))


def test_a_c_kernel_may_find_its_memory_otherwise():
    source = """void pick(void **b, const long *v, long begin, long end) {
      float tab[9] = {0}; tab[8] = 7; int second = 1; *(float *)b[second] = tab[8] + v[0]; }"""
    out = four("C")
    Device["C"].runtime(Device["C"].compile(source, "pick"))([four("C"), out], [1])
    assert out.numpy().tolist() == [8, 1, 2, 3]


def test_a_kernel_that_the_source_lacks_is_named_on_opencl():
    runtime = Device["OPENCL"].runtime(Device["OPENCL"].compile(SOURCES["OPENCL"], "thrice"))
    with pytest.raises(DeviceRuntimeError, match="the source defines no kernel thrice"):
        runtime.bind([four("OPENCL")] * 2, [3])
