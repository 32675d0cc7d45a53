"""WEBGPU where an adapter is here (Mesa's lavapipe is one), and clear refusals anywhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rulewright import Tensor, Variable, jit
from rulewright.errors import CompileError, DeviceError, DeviceRuntimeError, MissingExtraError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime import webgpu
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import Device, _Devices

REASON = Device.why_not("WEBGPU")
needs_adapter = pytest.mark.skipif(REASON is not None, reason=str(REASON))
GOLDENS = sorted((Path(__file__).parents[2] / "golden").glob("*/webgpu.wgsl"))
REVERSE = """
@group(0) @binding(0) var<storage, read_write> result: array<f32>;
@group(0) @binding(1) var<storage, read_write> source: array<f32>;
@group(0) @binding(2) var<uniform> n: i32;
var<workgroup> part: array<f32, 4>;
@compute @workgroup_size(4)
fn reverse(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  part[id.x] = source[group.x * 4 + id.x];
  workgroupBarrier();
  result[group.x * 4 + id.x] = part[3 - id.x] * f32(n);
}
"""
LONG = "@compute @workgroup_size(1) fn k() { var x: i64 = 1; }"


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def on(array, **more) -> Tensor:
    return Tensor(array, device="WEBGPU", **more)


# ---- what is not here is said -------------------------------------------------------------------


@pytest.fixture
def adapters(monkeypatch):
    """Sets what wgpu finds."""
    webgpu._adapters.cache_clear()

    def set_to(*found) -> None:
        module = SimpleNamespace(gpu=SimpleNamespace(enumerate_adapters_sync=lambda: list(found)))
        monkeypatch.setitem(sys.modules, "wgpu", module)

    yield set_to
    webgpu._adapters.cache_clear()


def an_adapter(kind: str, backend: str = "Vulkan") -> SimpleNamespace:
    info = {"adapter_type": kind, "backend_type": backend, "device": kind.lower()}
    return SimpleNamespace(info=info, features=set())


def test_a_missing_wheel_names_its_extra(monkeypatch, adapters):
    monkeypatch.setitem(sys.modules, "wgpu", None)
    devices = _Devices()
    with pytest.raises(MissingExtraError, match=r"pip install 'rulewright\[webgpu\]'"):
        _ = devices["WEBGPU"]
    assert "rulewright[webgpu]" in (devices.why_not("WEBGPU") or "")


def test_no_adapter(adapters):
    adapters(an_adapter("CPU", "OpenGL"))
    devices = _Devices()
    assert re.match("wgpu is installed, but finds no adapter; .*Vulkan", devices.why_not("WEBGPU"))
    with pytest.raises(DeviceError, match="device WEBGPU: 0 adapters found; install a driver"):
        _ = devices["WEBGPU"]


def test_gpus_come_first(adapters):
    adapters(an_adapter("CPU"), an_adapter("IntegratedGPU"), an_adapter("DiscreteGPU"))
    expected = "discretegpu (Vulkan), integratedgpu (Vulkan), cpu (Vulkan)"
    assert Device.device_class("WEBGPU").describe() == expected


def test_long_integers_are_refused_where_there_are_none():
    device = object.__new__(webgpu.WebGPUDevice)
    device.name, device.has_long = "WEBGPU", False
    message = r"WEBGPU refused|no 64-bit integers \(shader-int64\); cast to int32 or uint32"
    with pytest.raises(CompileError, match=message):
        device.compile(LONG, "k")


# ---- sources ------------------------------------------------------------------------------------


@needs_adapter
@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.parent.name)
def test_golden_sources_are_taken(path):
    device = Device["WEBGPU"]
    text = path.read_text(encoding="utf-8")
    pieces = re.split(r"^// kernel \d+: (\w+), launch .*$", text, flags=re.MULTILINE)[1:]
    assert len(pieces) >= 2 or text == "// no kernel\n"
    for name, source in zip(pieces[::2], pieces[1::2], strict=True):
        device.runtime(device.compile(source, name))


@needs_adapter
def test_a_bad_source_is_refused():
    with pytest.raises(CompileError, match="WEBGPU: naga refused kernel broken") as caught:
        Device["WEBGPU"].compile("@compute @workgroup_size(1) fn broken() { x = 1; }", "broken")
    assert "    1 | @compute" in str(caught.value)


# ---- kernels and memory -------------------------------------------------------------------------


@needs_adapter
def test_workgroup_memory_and_variables():
    device = Device["WEBGPU"]
    data = np.arange(16, dtype=np.float32)
    source = Buffer("WEBGPU", 16, dtypes.f32).copyin(data)
    result = Buffer("WEBGPU", 16, dtypes.f32)
    runtime = device.runtime(device.compile(REVERSE, "reverse"))
    seconds = runtime.bind([result, source], [-3], (4,), (4,))(wait=True)
    assert seconds is not None
    assert seconds > 0
    assert (result.numpy() == -3 * data.reshape(4, 4)[:, ::-1].ravel()).all()
    with pytest.raises(DeviceError, match="expected 3 buffers and variables, found 2"):
        runtime.bind([result, source])


@needs_adapter
def test_parts_of_buffers():
    device = Device["WEBGPU"]
    base = Buffer("WEBGPU", 256, dtypes.f32).copyin(np.arange(256, dtype=np.float32))
    runtime = device.runtime(device.compile(REVERSE, "reverse"))
    runtime([base.view(0, 4), base.view(256, 4)], [1], (1,), (4,))
    assert base.numpy()[:6].tolist() == [67, 66, 65, 64, 4, 5]
    with pytest.raises(DeviceError, match=r"at multiples of \d+ bytes, found offset 4$"):
        runtime.bind([base, base.view(4, 4)], [1])


@needs_adapter
@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 7, 9])
@pytest.mark.parametrize("offset", [0, 1, 2, 3, 6])
def test_copies_of_bytes_leave_their_neighbours(offset, size):
    whole = np.arange(16, dtype=np.uint8)
    base = Buffer("WEBGPU", 16, dtypes.u8).copyin(whole)
    part = base.view(offset, size)
    assert part.numpy().tolist() == whole[offset : offset + size].tolist()
    part.copyin(np.full(size, 200, np.uint8))
    whole[offset : offset + size] = 200
    assert base.numpy().tolist() == whole.tolist()


@needs_adapter
def test_too_large_a_buffer():
    limits = Device["WEBGPU"].hardware.limits
    with pytest.raises(DeviceRuntimeError, match="this adapter has buffers of at most"):
        Buffer("WEBGPU", limits["max-buffer-size"] + 64, dtypes.u8).allocate()


# ---- programs -----------------------------------------------------------------------------------


@needs_adapter
@pytest.mark.parametrize("size", [1, 2, 3, 5, 255, 257, 1000])
@pytest.mark.parametrize("kind", ["bool", "i8", "u8", "i16", "u16", "f16", "bf16", "fp8e4m3"])
def test_items_that_share_a_word(kind, size, rng):
    """Each item writes some bits of a word that others write too."""
    dtype = getattr(dtypes, kind)
    numbers = rng.integers(0, 2, size) if kind == "bool" else rng.integers(0, 9, size)
    array = numbers.astype(dtype.np)
    doubled = on(array).flip(0) if kind == "bool" else on(array).flip(0) + on(array)
    expected = array[::-1] if kind == "bool" else array[::-1] + array
    assert (doubled.numpy() == expected).all()


@needs_adapter
@pytest.mark.parametrize("kind", ["bool", "i8", "u16", "f16", "bf16", "fp8e5m2"])
def test_what_is_written_may_be_made_of_what_was_there(kind, rng):
    array = rng.integers(0, 2, (5, 6)).astype(getattr(dtypes, kind).np)
    x = on(array).realize()
    x[on(np.array([0, 3, 0]))] = 1
    array[[0, 3]] = 1
    assert (x.numpy() == array).all()


@needs_adapter
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("bool", True),
        *((kind, -1) for kind in ("i8", "i16", "i32", "i64", "f16", "f32")),
        *((kind, float(text)) for kind in ("f16", "bf16", "f32") for text in ("-inf", "nan")),
    ],
)
def test_constants_are_stored(kind, value):
    dtype = getattr(dtypes, kind)
    found = Tensor.full((3,), value, dtype=kind, device="WEBGPU").contiguous().numpy()
    assert np.array_equal(found, np.full(3, value, dtype.np), equal_nan=True)


@needs_adapter
def test_bytes_that_are_written_in_place(rng):
    array = rng.integers(-128, 128, (5, 7)).astype(np.int8)
    x = on(array).realize()
    x[1:4, 2:5] = x[1:4, 2:5] * 3
    array[1:4, 2:5] *= 3
    assert (x.numpy() == array).all()


@needs_adapter
def test_more_buffers_than_a_kernel_has(rng):
    arrays = [rng.standard_normal(9).astype(np.float32) for _ in range(40)]
    parts = [on(a).realize() for a in arrays]
    assert (Tensor.cat(*parts).numpy() == np.concatenate(arrays)).all()
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert np.allclose(total.numpy(), np.sum(arrays, 0), atol=1e-5)


@needs_adapter
def test_nan_and_infinity():
    array = np.array([np.nan, 1, -np.inf, np.inf, -0.0], np.float32)
    x = on(array)
    assert (x != x).tolist() == [True, False, False, False, False]
    assert x.maximum(0.5).tolist()[1:] == [1, 0.5, np.inf, 0.5]
    assert np.isnan(x.maximum(0.5).numpy()[0])
    assert np.isnan(on(np.float32(0.5)).maximum(x).numpy()[0])
    assert x.isinf().tolist() == [False, False, True, True, False]
    assert x.cast("int32").tolist() == [0, 1, -(2**31), 2**31 - 1, 0]


@needs_adapter
def test_symbolic_sizes_and_jit(rng):
    n = Variable("n", 1, 9)
    whole = rng.standard_normal((9, 4)).astype(np.float32)
    x = on(whole).realize()

    @jit
    def step(x: Tensor) -> Tensor:
        return (x * 2).sum(0).realize()

    for size in (3, 9, 1, 4, 5):
        found = step(x[: n.bind(size)]).numpy()
        assert np.allclose(found, 2 * whole[:size].sum(0), atol=1e-5)


@needs_adapter
def test_a_training_step_is_that_of_the_interpreter(rng):
    x, w, v = (rng.standard_normal(s).astype(np.float32) for s in ((7, 5), (5, 300), (300, 3)))

    def gradients(device: str) -> list[np.ndarray]:
        first, second = (Tensor(a, device=device, requires_grad=True) for a in (w, v))
        (((Tensor(x, device=device) @ first).tanh() @ second).softmax(-1) ** 2).sum().backward()
        return [first.grad.numpy(), second.grad.numpy()]

    for found, expected in zip(gradients("WEBGPU"), gradients("INTERP"), strict=True):
        assert np.allclose(found, expected, atol=1e-5)


@needs_adapter
def test_wide_numbers_beside_narrow_ones():
    """A widened i32 compared with a constant; u32 to i64 and i32 to u64."""
    array = np.array([0, -1, 2**31 - 1, -(2**31)], np.int32)
    wide = on(array).cast("int64")
    assert (wide < 5).tolist() == (array < 5).tolist()
    assert (wide >= -1).tolist() == (array >= -1).tolist()
    assert on(array).cast("uint64").tolist() == array.astype(np.uint64).tolist()
    unsigned = array.view(np.uint32)
    assert on(unsigned).cast("int64").tolist() == unsigned.astype(np.int64).tolist()


@needs_adapter
def test_pow_and_fmod_of_everything(rng):
    bits = rng.integers(0, 2**32, (2, 20_000), dtype=np.uint32).view(np.float32)
    near = rng.uniform(-4, 4, (2, 20_000)).astype(np.float32)
    near[1, ::2] = np.round(near[1, ::2])
    odd = np.array([0, -0.0, 1, -1, 2, -3, 0.5, np.inf, -np.inf, np.nan, 1e-45], np.float32)
    pairs = np.stack([m.ravel() for m in np.meshgrid(odd, odd)])
    a, b = np.concatenate([bits, near, pairs], 1)
    with np.errstate(all="ignore"):
        powers = np.power(a.astype(np.float64), b.astype(np.float64))
        rounded, rests = powers.astype(np.float32), np.fmod(a, b)
        found = (on(a) ** on(b)).numpy()
        ulps = np.abs(found - powers) / np.spacing(np.maximum(np.abs(rounded), np.float32(1e-45)))
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    assert (same | (ulps <= 2)).all()
    assert np.array_equal(on(a).fmod(on(b)).numpy(), rests, equal_nan=True)


@needs_adapter
def test_sums_keep_their_rounding(rng):
    """What a driver that moves sums about makes of them is off by far more."""
    x = rng.uniform(-50, 50, 4000).astype(np.float32)
    y = (x * np.float32(1e-6)).astype(np.float32)
    a, b = on(x), on(y)
    assert np.array_equal(a.round().numpy(), np.round(x))
    for name in ("exp", "sin", "cos"):
        expected = getattr(np, name)(x.astype(np.float64))
        assert np.allclose(getattr(a, name)().numpy(), expected, rtol=1e-6, atol=1e-7)
    assert np.allclose(b.log1p().numpy(), np.log1p(y.astype(np.float64)), rtol=1e-6)
    total = x + y
    assert np.array_equal(((a + b) - a).numpy(), total - x)
    assert np.array_equal((a - (a + b)).numpy(), x - total)
    assert np.array_equal(((a - b) + b).numpy(), (x - y) + y)
    assert np.array_equal((1.0 - (b + 1.0)).numpy(), 1 - (y + 1))


@needs_adapter
def test_more_groups_than_an_axis_has():
    """65,536 groups along an axis are one too many."""
    count = 65_536 * 256 + 3
    x = Tensor.arange(count, dtype="int32", device="WEBGPU").contiguous().realize()
    assert x[-4:].tolist() == [count - 4, count - 3, count - 2, count - 1]
    assert x[16_776_959:16_776_962].tolist() == [16_776_959, 16_776_960, 16_776_961]
