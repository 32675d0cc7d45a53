"""What the runtime calls is in cuda-bindings as it is called, and the stand-in of the tests has it
with the same parameters. A typo shows here, without a GPU, but with the extra [compilers].
"""

from __future__ import annotations

import ast
import ctypes
import inspect
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "unit"))

from cuda_standin import CUresult, StandInCompiler, StandInDriver

from rulewright.runtime import cuda
from rulewright.runtime.cuda.driver import STICKY
from rulewright.runtime.device import Device

driver, nvrtc = (
    pytest.importorskip(f"cuda.bindings.{name}", reason="install rulewright[compilers]")
    for name in ("driver", "nvrtc")
)

TOOL = Path(__file__).parents[2] / "tools" / "bench_cuda.py"
SOURCES = [*sorted(Path(cuda.__path__[0]).glob("*.py")), TOOL]


def used(prefix: str) -> set[str]:
    """Attributes with this prefix that the runtime's source names."""
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr.startswith(prefix):
                found.add(node.attr)
    return found


def calls(prefix: str) -> list[tuple[str, int]]:
    """Calls of such functions, where they are called by their name: how many arguments they get;
    -1 where a list of arguments is spread."""
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            function = node.func if isinstance(node, ast.Call) else None
            if isinstance(function, ast.Attribute) and function.attr.startswith(prefix):
                spread = any(isinstance(a, ast.Starred) for a in node.args)
                found.append((function.attr, -1 if spread else len(node.args)))
    return found


FUNCTIONS = sorted(name for name in used("cu") if name[2].isupper())
COMPILER = sorted(used("nvrtc"))


def parameters(function: object) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


def test_the_runtime_uses_the_driver_at_all():
    assert {"cuLaunchKernel", "cuGraphLaunch", "cuStreamWaitEvent", "cuMemHostAlloc"} <= set(
        FUNCTIONS
    )
    assert "nvrtcCompileProgram" in COMPILER and len(FUNCTIONS) > 25


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_the_parameters_of_its_stand_in(name):
    theirs = parameters(getattr(driver, name))
    ours = parameters(inspect.unwrap(getattr(StandInDriver, name)))
    assert ours == theirs


@pytest.mark.parametrize("name", COMPILER)
def test_a_function_of_the_compiler_exists(name):
    theirs = parameters(getattr(nvrtc, name))
    ours = getattr(StandInCompiler, name, None)
    assert ours is None or parameters(ours) == theirs  # logs are read of what is refused alone


def test_calls_give_as_many_arguments_as_are_taken():
    found = [*calls("cu"), *calls("nvrtc")]
    assert len(found) > 30
    for name, count in found:
        module = nvrtc if name.startswith("nvrtc") else driver
        if count >= 0 and hasattr(module, name):
            assert count == len(parameters(getattr(module, name))), name


@pytest.mark.parametrize("status", CUresult, ids=lambda s: s.name)
def test_a_status_has_its_number(status):
    assert driver.CUresult[status.name] == status


@pytest.mark.parametrize("name", STICKY)
def test_an_error_that_stays_is_one(name):
    assert name in driver.CUresult.__members__


@pytest.mark.parametrize(
    "group", ["CUstream_flags", "CUevent_flags", "CUdevice_attribute", "CUfunction_attribute"]
)
def test_flags_have_their_numbers(group):
    for name, number in vars(getattr(StandInDriver, group)).items():
        assert int(getattr(driver, group)[name]) == number
    assert driver.CU_MEMHOSTALLOC_PORTABLE == StandInDriver.CU_MEMHOSTALLOC_PORTABLE


def test_parameters_of_a_graph_s_kernel():
    node, ours = driver.CUDA_KERNEL_NODE_PARAMS(), StandInDriver.CUDA_KERNEL_NODE_PARAMS
    fields = {name for name in dir(node) if not name.startswith("_") and name != "getPtr"}
    assert set(ours.__slots__) == fields
    values = (ctypes.c_int64 * 2)(5, -7)
    first = ctypes.addressof(values)
    pointers = (ctypes.c_void_p * 2)(first, first + 8)
    node.kernelParams = ctypes.addressof(pointers)
    assert int(node.kernelParams) == ctypes.addressof(pointers)  # it is taken as it is
    node.func, node.gridDimX, node.sharedMemBytes = driver.CUfunction(123), 70_000, 0
    assert int(node.func) == 123 and node.gridDimX == 70_000


@pytest.mark.skipif(Device.why_not("CUDA") is None, reason="there is a GPU")
def test_a_driver_that_is_not_there_raises_as_the_runtime_expects():
    with pytest.raises(RuntimeError, match="libcuda"):
        driver.cuInit(0)
