"""Which target a GPU's architecture has, and what each of them says."""

from __future__ import annotations

import pytest
from cuda_devices import cuda, cuda_standin

from rulewright.render import target
from rulewright.runtime.cuda import device as cuda_device
from rulewright.runtime.cuda.device import TARGETS, target_for
from rulewright.runtime.device import Device

ARCHITECTURES = {
    "sm_80": "CUDA_SM80", "sm_86": "CUDA", "sm_89": "CUDA_SM89", "sm_90": "CUDA_SM90",
    "sm_100": "CUDA_SM100", "sm_110": "CUDA_SM100", "sm_120": "CUDA_SM89",
}  # fmt: skip


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_an_architecture_has_the_last_target_that_fits(architecture):
    assert target_for(architecture) == ARCHITECTURES[architecture]


def test_only_later_architectures_multiply_fp8():
    multiplied = {name: {d for row in target(name).row["cores"] for d in row["dtypes"]}
                  for name in TARGETS}  # fmt: skip
    fp8 = {"fp8e4m3", "fp8e5m2"}
    assert not fp8 & (multiplied["CUDA"] | multiplied["CUDA_SM80"])
    assert fp8 <= multiplied["CUDA_SM89"] and fp8 <= multiplied["CUDA_SM90"]


def test_a_block_has_as_much_memory_as_its_architecture_gives():
    """KiB of a block, and what a source may define of them: CUDA C++ Programming Guide."""
    most = {name: target(name).limit("local_memory") for name in TARGETS}
    known = {"CUDA_SM100": 227, "CUDA_SM90": 227, "CUDA_SM89": 99, "CUDA_SM80": 163, "CUDA": 99}
    assert most == {name: kib * 1024 for name, kib in known.items()}
    assert {target(name).limit("static_memory") for name in TARGETS} == {48 * 1024}


@pytest.mark.parametrize("capability", [(8, 0), (8, 9), (9, 0), (12, 0)])
def test_a_device_has_the_target_of_its_gpu(capability):
    with cuda_standin(capability=capability):
        name = f"sm_{capability[0]}{capability[1]}"
        assert cuda().architecture == name and cuda().target == ARCHITECTURES[name]


@pytest.mark.parametrize("name", ["sm_80", "sm_90a", "sm_100"])
def test_kernels_are_compiled_for_what_the_target_has_of_its_architecture_alone(name, monkeypatch):
    asked = []

    def record(source, name, architecture):
        asked.append(architecture)
        return b""

    monkeypatch.setattr(cuda_device, "compile_cubin", record)
    number = int(name.removeprefix("sm_").removesuffix("a"))
    with cuda_standin(capability=(number // 10, number % 10)):
        cuda().compile("", "kernel")
    assert asked == [name]


def test_what_stands_for_the_device_on_any_host_is_what_each_gpu_runs():
    assert Device.target_of("CUDA") == Device.target_of("CUDA_EMULATED") == "CUDA"
    assert Device.target_of("CUDA_SM90_EMULATED") == "CUDA_SM90"
