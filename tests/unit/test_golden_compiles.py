"""Sources on record are accepted by compilers: C by gcc and clang, OpenCL by a driver.

Clang is the one on PATH or the wheel `ziglang`. Metal's and CUDA's run on the emulated devices, in
test_emulated_golden.py; CUDA's are compiled by NVRTC too, in tests/cuda.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.runtime.device import Device
from rulewright.verify import golden

WIDE = "x86-64-v4" if platform.machine() == "x86_64" else ""  # vectors of 512 bits


def compile_command(compiler: str) -> list[str]:
    """How sources are compiled by gcc or clang; skips where neither it nor its wheel is there."""
    command, wide = [compiler], WIDE
    if shutil.which(compiler) is None:
        if compiler != "clang":
            pytest.skip(f"there is no {compiler} here")
        if find_spec("ziglang") is None:
            pytest.skip("there is no clang here; rulewright[compilers] has it")
        command, wide = [sys.executable, "-m", "ziglang", "cc"], WIDE.replace("-", "_")
    return [*command, "-c", "-O0", *([f"-march={wide}"] if wide else [])]


def kernels(name: str, file: str) -> dict[str, str]:
    """The kernels on record for a program by their names, without the lines that tell of them."""
    text = (golden.golden_dir() / name / file).read_text(encoding="utf-8")
    parts = re.split(r"^// kernel \d+: (\w+), launch .*$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def on_record(target: str) -> list[str]:
    """The programs whose sources for a target are on record."""
    return [name for name in golden.names() if golden.targets_of(name, [target])]


@pytest.mark.parametrize(("name", "compiler"), in_turn(on_record("C"), ["gcc", "clang"]))
def test_c_is_compiled(name, compiler, tmp_path):
    for kernel, source in kernels(name, "c.c").items():
        compiled(kernel, source, compiler, tmp_path)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_conversions_of_eight_halves_are_compiled(compiler, tmp_path):
    """Of which clang has lost a builtin that gcc has."""
    halves = Tensor(np.ones(64, np.float16)) + 1
    source = lower_kernel((halves * 2).schedule()[0].ast, "C_AVX2").source
    assert "f32x8_of_f16(" in source and "f16_of_f32x8(" in source
    compiled("halves", source, compiler, tmp_path)


def compiled(kernel, source, compiler, folder):
    command = compile_command(compiler)
    caches = {f"ZIG_{kind}_CACHE_DIR": str(folder / kind) for kind in ("LOCAL", "GLOBAL")}
    (folder / f"{kernel}.c").write_text(source)
    run = subprocess.run(
        [*command, f"{kernel}.c"], cwd=folder, capture_output=True, text=True,
        env={**os.environ, **caches},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert (folder / f"{kernel}.o").exists()


@pytest.mark.parametrize("name", on_record("OPENCL"))
def test_opencl_is_compiled(name):
    if Device.why_not("OPENCL"):
        pytest.skip(Device.why_not("OPENCL"))
    for kernel, source in kernels(name, "opencl.cl").items():
        assert Device["OPENCL"].compile(source, kernel)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_source_that_is_broken_is_refused(compiler, tmp_path):
    """The same command, so that the tests above can fail."""
    command = compile_command(compiler)
    [source] = kernels("pad", "c.c").values()
    (tmp_path / "pad.c").write_text(source.replace("data0[", "data9[", 1))
    run = subprocess.run([*command, "pad.c"], cwd=tmp_path, capture_output=True)
    assert run.returncode != 0 and b"data9" in run.stderr


def test_every_kernel_on_record_is_read():
    for name in on_record("C"):
        text = (golden.golden_dir() / name / "c.c").read_text(encoding="utf-8")
        assert len(kernels(name, "c.c")) == text.count("// kernel ")
