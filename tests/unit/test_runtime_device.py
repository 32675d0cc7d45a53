"""The device registry, the fall-back without a compiler, and running on C and INTERP."""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rulewright import profile
from rulewright.errors import (
    ArgumentError,
    CompileError,
    DeviceError,
    RulewrightWarning,
    UnknownAttributeError,
    UsageError,
)
from rulewright.ir.dtypes import dtypes
from rulewright.ir.text import read_graph
from rulewright.options import Context
from rulewright.runtime import compiler
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device, _Devices
from rulewright.runtime.interp import InterpreterDevice
from rulewright.runtime.profile import GlobalCounters

SCALE = """
void scale(void **b, const long *v, long s, long e) {
  float *restrict out = b[0]; const float *restrict in = b[1];
  for (long i = s; i < e; i++) out[i] = in[i] * (float)v[0];
}
"""


@pytest.mark.parametrize(
    ("name", "canonical"),
    [("C", "C"), ("c", "C"), (" C:0 ", "C"), ("c:1", "C:1"), ("C:01", "C:1"), ("Cuda", "CUDA")],
)
def test_names(name: str, canonical: str) -> None:
    assert Device.canonical(name) == canonical


def test_a_device_is_made_once() -> None:
    assert Device["c"] is Device["C"] is Device["C:0"]
    assert Device["C:1"] is not Device["C"]
    assert (Device["C:1"].name, Device["C:1"].kind, Device["C:1"].index) == ("C:1", "C", 1)
    real = ["C", "INTERP", "OPENCL", "CUDA", "METAL", "WEBGPU"]
    assert list(Device) == [*real, "CUDA_EMULATED", "CUDA_SM90_EMULATED", "METAL_EMULATED"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("CUDDA", "unknown device 'CUDDA'. Did you mean 'CUDA'. Known devices: C, INTERP, OPENCL"),
        ("xyz", "unknown device 'xyz'. Known devices"),
        ("C:x", "'C:x': expected a whole number after the colon"),
        ("C:", "expected a whole number"),
        ("C:-1", "expected a whole number"),
        ("", "unknown device ''"),
    ],
)
def test_bad_names(name: str, message: str) -> None:
    with pytest.raises(DeviceError, match=message):
        Device.canonical(name)


def test_a_backend_author_registers_a_device() -> None:
    devices = _Devices()
    devices.register("mine", InterpreterDevice)
    assert devices["MINE:2"].name == "MINE:2" and "MINE" in list(devices)
    devices.register("late", "rulewright.runtime.interp:InterpreterDevice")
    assert devices.device_class("late") is InterpreterDevice and devices.why_not("late") is None


@pytest.mark.parametrize("where", ["no_such_package:Device", "email:Device.none"])
def test_a_device_whose_class_cannot_be_loaded_says_so(where: str) -> None:
    devices = _Devices()
    devices.register("mine", where)
    for attempt in (devices.device_class, devices.why_not, lambda name: devices[name]):
        with pytest.raises(DeviceError, match=r"(?i)'mine': its runtime cannot be loaded: .*no"):
            attempt("mine")


def test_default_follows_the_option() -> None:
    with Context(DEVICE="c:1"):
        assert Device.default == "C:1"
    with Context(DEVICE="interp"):
        assert Device.default == "INTERP"
    with Context(DEVICE="nonsense"), pytest.raises(DeviceError, match="unknown device"):
        _ = Device.default


def test_the_default_by_tinygrads_name_says_where_it_is() -> None:
    with pytest.raises(UnknownAttributeError, match=r"here it is Device\.default, what the option"):
        _ = Device.DEFAULT
    for name in ("DEFAULT", "default"):
        with pytest.raises(UsageError, match=f"Device.{name} cannot be set: .* option DEVICE"):
            setattr(Device, name, "INTERP")
    with pytest.raises(AttributeError, match="no attribute '_nothing'"):
        _ = Device._nothing
    with pytest.raises(UnknownAttributeError, match=r"here it is GlobalCounters\.kernels"):
        _ = GlobalCounters.kernel_count
    with pytest.raises(UnknownAttributeError, match="did you mean global_ops"):
        _ = GlobalCounters.global_op


def test_no_compiler_falls_back_to_the_interpreter_with_one_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiler, "_candidates", list)
    monkeypatch.setattr(compiler, "_zig", list)
    compiler._find.cache_clear()
    devices = _Devices()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert [devices.default for _ in range(3)] == ["INTERP"] * 3
    compiler._find.cache_clear()
    assert [w.category for w in seen] == [RulewrightWarning]
    message = str(seen[0].message)
    assert "interpreter" in message and "install gcc or clang" in message


def test_c_runs_serial_and_threaded() -> None:
    device = Device["C"]
    runtime = device.runtime(device.compile(SCALE, "scale"))
    data = np.arange(10_001, dtype=np.float32)
    source, target = (
        Buffer("C", data.size, dtypes.f32).copyin(data),
        Buffer("C", data.size, dtypes.f32),
    )
    for local_size in (None, (64,), (5000,), (100_000,)):
        target.copyin(np.zeros_like(data))
        assert runtime([target, source], [3], (data.size,), local_size) is None
        assert (target.numpy() == data * 3).all()
    launch = runtime.bind([target, source], [5], (data.size,))
    assert 0 < launch(wait=True) < 10
    assert (target.numpy() == data * 5).all()


def test_a_launch_keeps_its_buffers() -> None:
    device = Device["C:1"]
    runtime = device.runtime(device.compile(SCALE, "scale"))
    target = Buffer("C:1", 4, dtypes.f32)
    launch = runtime.bind([target, Buffer("C:1", 4, dtypes.f32).copyin(bytes(16))], [1], (4,))
    Buffer("C:1", 4, dtypes.f32).copyin(np.ones(4, np.float32))  # would take freed memory
    launch()
    assert target.numpy().tolist() == [0] * 4


def test_c_takes_one_axis() -> None:
    device = Device["C"]
    runtime = device.runtime(device.compile(SCALE, "scale"))
    with pytest.raises(DeviceError, match=r"kernel scale: .* one axis, found sizes \(2, 3\)"):
        runtime.bind([], [], (2, 3))


def test_many_kernels_in_one_unit() -> None:
    device = Device["C"]
    units = [(SCALE + SCALE.replace("scale", "twice"), ["scale", "twice"]), (SCALE, ["scale"])]
    programs = device.compile_many(units)
    assert [[p.name for p in unit] for unit in programs] == [["scale", "twice"], ["scale"]]
    assert device.runtime(programs[0][1]).function != device.runtime(programs[0][0]).function
    with pytest.raises(CompileError):
        device.compile("void broken(", "broken")


@pytest.mark.parametrize("device", ["C", "CUDA_EMULATED", "OPENCL", "WEBGPU"])
@pytest.mark.parametrize(
    "words, message",
    [
        ((3, "k"), "compile: expected the source of kernels as text for {}, found 3 of type int"),
        ((b"void k() {}", "k"), "compile: expected the source of kernels as text for {}, found b'"),
        (("", None), "compile: expected the name of a kernel .*, found None of type NoneType"),
        (("", ""), "compile: expected the name of a kernel in the source, such as 'scale', found"),
        (("", "two words"), "compile: expected the name of a kernel .*, found 'two words'"),
    ],
)
def test_what_is_no_source_and_no_name_is_not_compiled(device: str, words, message: str) -> None:
    if reason := Device.why_not(device):
        pytest.skip(reason)
    with pytest.raises(ArgumentError, match=message.format(device)):
        Device[device].compile(*words)


def test_the_interpreter_compiles_nothing() -> None:
    with pytest.raises(
        DeviceError, match=r"INTERP compiles no source: it runs graphs; Device\['C'\]"
    ):
        Device["INTERP"].compile("void k() {}", "k")


ADD_N = """graph add_n {
  out = PARAM[0, (3,), "INTERP"]:i32
  x = PARAM[1, (3,), "INTERP"]:i32
  n = VAR["n", 0, 100]
  i = RANGE[0, "loop"](3:index)
  to = INDEX(out, i):i32
  from = LOAD(INDEX(x, i):i32):i32
  store = STORE(to, ADD(from, CAST(n):i32):i32)
  end = END(store, i)
  return SINK(end)
}"""


def test_interpreter_runs_kernels_in_place() -> None:
    device = Device["INTERP"]
    out, source = Buffer(device, 3, dtypes.i32), Buffer(device, 3, dtypes.i32)
    source.copyin(np.int32([1, 2, 3]))
    assert device.run(read_graph(ADD_N), [out, source], {"n": 10}) >= 0
    assert out.numpy().tolist() == [11, 12, 13]
    assert device.interprets and device.in_host_memory and device.synchronize() is None


def test_profile_records_compiles_copies_and_kernels(tmp_path) -> None:
    profile.clear_profile()
    device = Device["C"]
    source = SCALE.replace("scale", "profiled")
    buffers = [Buffer("C", 4, dtypes.f32) for _ in range(2)]
    with Context(PROFILE=1, CACHE=0):
        runtime = device.runtime(device.compile(source, "profiled"))
        buffers[1].copyin(bytes(16))
        runtime(buffers, [1], (4,))
    runtime(buffers, [1], (4,))  # PROFILE is off again
    events = [(e.category, e.name) for e in profile.profile_events()]
    assert events == [("compile", "profiled"), ("copy", "host to C"), ("kernel", "profiled")]
    profile.clear_profile()


def test_importing_devices_is_light() -> None:
    heavy = "{'numpy', 'cffi', 'lark', 'pyopencl', 'subprocess'}"
    code = f"import sys, rulewright.runtime.device; print({heavy} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


class SlowToOpen(InterpreterDevice):
    """Opening it takes a while, in which others ask for it."""

    def __init__(self, name: str) -> None:
        time.sleep(0.05)
        super().__init__(name)


def test_threads_that_ask_at_once_get_one_device():
    """Memory of one and kernels of another would not wait for each other."""
    devices = _Devices()
    devices.register("SLOW", SlowToOpen)
    with ThreadPoolExecutor(4) as pool:
        opened = set(pool.map(devices.__getitem__, ["SLOW", "slow", "SLOW:0", "SLOW"]))
    assert len(opened) == 1 and devices["SLOW"] in opened
