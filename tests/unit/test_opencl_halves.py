"""Floats of 16 bits on OpenCL: by the driver where it has whole ones, else by their bits."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rulewright.runtime.device import Device
from rulewright.runtime.opencl import OpenCLDevice, target_for
from rulewright.verify.golden import compile_program, source_text

HALVES = "cl_khr_fp16 cl_khr_fp64"


def test_the_target_is_by_the_extensions():
    assert target_for(frozenset()) == target_for({"cl_khr_fp64"}) == "OPENCL"
    assert target_for({"cl_khr_fp16"}) == target_for(set(HALVES.split())) == "OPENCL_FP16"


def with_driver(extensions: str, config: int) -> OpenCLDevice:
    """A device whose driver says this of itself, which is never opened."""
    device = OpenCLDevice.__new__(OpenCLDevice)
    device.hardware = SimpleNamespace(extensions=extensions, half_fp_config=config)
    return device


def test_halves_that_are_not_whole_are_not_used():
    config = pytest.importorskip("pyopencl").device_fp_config
    whole = config.DENORM | config.INF_NAN | config.ROUND_TO_NEAREST
    assert with_driver(HALVES, whole | config.FMA).target == "OPENCL_FP16"
    for part in (config.DENORM, config.INF_NAN, config.ROUND_TO_NEAREST):
        device = with_driver(HALVES, whole & ~part)
        assert device.target == "OPENCL" and device.extensions == {"cl_khr_fp64"}
    assert with_driver("cl_khr_fp64", whole).target == "OPENCL"  # which has no such property


def test_a_subclass_has_its_own_target():
    class Mine(OpenCLDevice):
        target_name = "MINE"

    assert Mine.__new__(Mine).target == "MINE"


@pytest.mark.parametrize("program", ["half", "linear_half"])
def test_sources_have_halves_and_a_driver_compiles_them(program):
    """The simulator's compiler has them, though what it runs has not."""
    calls = [call for call in compile_program(program).calls if not call.is_copy]
    for call in calls:
        source = source_text([call.kernel], "OPENCL_FP16")
        assert "31744" not in source  # infinity's bits, as which conversions by bits know it
        assert "half *" in source and "convert_float(" in source
        if not Device.why_not("OPENCL"):
            assert Device["OPENCL"].compile(source, "kernel")
