"""Planted faults that emulated GPUs report while they run, without VERIFY."""

from __future__ import annotations

import numpy as np
import pytest
from edits import fresh_caches
from plants import PLANTS, planted

from rulewright import Context, Tensor
from rulewright.errors import DeviceRuntimeError
from rulewright.runtime.emulated.device import EmulatedCudaDevice

REPORTED = {
    "missing_barrier": r"(data race|uninitialised): thread .* shared local",
    "missing_barrier_of_copies": r"(data race|uninitialised): thread .* shared local",
    "every_item_writes": r"data race: thread .* writes data0\[\d+\] ",
    "long_loop": r"out of bounds: thread .* data\d\[\d+\] ",
    "one_lane_away": r"divergent warp: 31 of 32 lanes of a warp multiply matrices",
    "one_lane_silent": r"divergent warp: (31 of 32 lanes .* exchange|thread .* reads .* of lane 7)",
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


@pytest.mark.parametrize("device", ["CUDA_EMULATED:2", "METAL_EMULATED:2"])
@pytest.mark.parametrize("name", ["swapped_lane", "swapped_bits", "swapped_matrices"])
def test_a_swapped_lane_multiplies_other_numbers_there(name, device):
    [plant] = [p for p in PLANTS if p.name == name]
    with Context(DEVICE=device, VERIFY=0, CACHE=0):
        true = plant.program()[0].numpy()
        with planted(plant):
            found = plant.program()[0].numpy()
    by_rows = name != "swapped_matrices" or device[0] == "C"  # Metal has no matrices of rows
    assert (np.abs(found - true).max() > 0.1) == by_rows
    np.testing.assert_allclose(true, product_of_numpy(), rtol=1e-5, atol=1e-5)


def planted_in_text(monkeypatch, old: str, new: str) -> None:
    """From now on, this stands in the place of some text of kernels."""
    compile = EmulatedCudaDevice.library_of

    def library_of(self, source, names):
        assert old in source
        return compile(self, source.replace(old, new), names)

    monkeypatch.setattr(EmulatedCudaDevice, "library_of", library_of)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{%4, %5, %6, %7}", "{%5, %4, %6, %7}"),
        ("{%8, %9}", "{%9, %8}"),
        ('"{%0, %1, %2, %3}, {%4', '"{%1, %0, %2, %3}, {%4'),
        ("b16 {%0, %1, %2, %3}, [", "b16 {%0, %2, %1, %3}, ["),
    ],
)
def test_registers_of_an_instruction_are_those_that_its_text_names(monkeypatch, old, new):
    x, y = (np.random.default_rng(n).integers(-4, 5, (64, 64)).astype("f2") for n in (1, 2))
    with Context(DEVICE="CUDA_EMULATED:2", VERIFY=0), fresh_caches():
        true = Tensor(x).matmul(Tensor(y), dtype="f32").numpy()
        np.testing.assert_array_equal(true, x.astype("f4") @ y.astype("f4"))
    planted_in_text(monkeypatch, old, new)
    with Context(DEVICE="CUDA_EMULATED:2", VERIFY=0, CACHE=0), fresh_caches():
        assert (Tensor(x).matmul(Tensor(y), dtype="f32").numpy() != true).any()


@pytest.mark.parametrize(("dtype", "unwritten"), [("f4", np.nan), ("i4", -1), ("f2", np.nan)])
def test_a_group_that_is_missing_leaves_no_earlier_result(monkeypatch, dtype, unwritten):
    """Memory is used again: there would be what an earlier kernel wrote, which was right."""
    x = np.arange(10_000).astype(dtype)
    with Context(DEVICE="CUDA_EMULATED:2", VERIFY=0, CACHE=0), fresh_caches():
        np.testing.assert_array_equal((Tensor(x) * 2).numpy(), x * 2)
    planted_in_text(monkeypatch, "int gidx0 = ", "if (blockIdx.x == 0) return;\n  int gidx0 = ")
    with Context(DEVICE="CUDA_EMULATED:2", VERIFY=0, CACHE=0), fresh_caches():
        planted_result = (Tensor(x) * 2).numpy()
    np.testing.assert_array_equal(planted_result[:100], np.full(100, unwritten, dtype))


@pytest.mark.parametrize("dtype", ["fp8e4m3", "fp8e5m2"])
def test_a_swapped_lane_multiplies_other_bytes(dtype):
    shapes = {1: (16, 32), 2: (32, 8)}
    a, b = (np.random.default_rng(n).integers(-4, 5, s).astype("f4") for n, s in shapes.items())

    def product() -> np.ndarray:
        x, y = (Tensor(array).cast(dtype).realize() for array in (a, b))
        return x.matmul(y, dtype="f32").numpy()

    plants = {p.name: p for p in PLANTS}
    with Context(DEVICE="CUDA_SM90_EMULATED:2", VERIFY=0, CACHE=0):
        np.testing.assert_array_equal(product(), a @ b)
        for name in ("swapped_lane", "swapped_bits"):
            with planted(plants[name]):
                assert np.abs(product() - a @ b).max() >= 1
        away = pytest.raises(DeviceRuntimeError, match=REPORTED["one_lane_away"])
        with planted(plants["one_lane_away"]), away:
            product()


@pytest.mark.parametrize("device", ["CUDA_EMULATED:2", "METAL_EMULATED:2"])
def test_values_from_a_wrong_distance_are_other_sums(device):
    [plant] = [p for p in PLANTS if p.name == "wrong_distance"]
    wanted = np.random.default_rng(1).standard_normal((4, 96)).astype("f4").sum(1, dtype="f8")
    with Context(DEVICE=device, VERIFY=0, CACHE=0):
        true = plant.program()[0].numpy()
        with planted(plant):
            found = plant.program()[0].numpy()
    np.testing.assert_allclose(true, wanted, rtol=1e-5, atol=1e-4)
    assert np.abs(found - wanted).min() > 0.1


def product_of_numpy() -> np.ndarray:
    """What `product_of_halves` is."""
    shapes = {1: (16, 16), 2: (16, 8)}
    a, b = (np.random.default_rng(n).standard_normal(s).astype("f2") for n, s in shapes.items())
    return a.astype("f4") @ b.astype("f4")
