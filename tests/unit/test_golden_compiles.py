"""Sources on record are accepted by compilers: C by gcc and clang, OpenCL by a driver.

Metal's and CUDA's run on the emulated devices, in test_emulated_golden.py; CUDA's are compiled by
NVRTC in `tox -e cuda`.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess

import pytest

from rulewright.runtime.device import Device
from rulewright.verify import golden

WIDE = ["-march=x86-64-v4"] if platform.machine() == "x86_64" else []  # vectors of 512 bits


def kernels(name: str, file: str) -> dict[str, str]:
    """The kernels on record for a program by their names, without the lines that tell of them."""
    text = (golden.golden_dir() / name / file).read_text(encoding="utf-8")
    parts = re.split(r"^// kernel \d+: (\w+), launch .*$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", golden.names())
def test_c_is_compiled(name, compiler, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler} here")
    files = []
    for kernel, source in kernels(name, "c.c").items():
        (tmp_path / f"{kernel}.c").write_text(source)
        files.append(f"{kernel}.c")
    if files:
        command = [compiler, "-c", "-O0", *WIDE, *files]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert len(list(tmp_path.glob("*.o"))) == len(files)


@pytest.mark.parametrize("name", golden.names())
def test_opencl_is_compiled(name):
    if Device.why_not("OPENCL"):
        pytest.skip(Device.why_not("OPENCL"))
    for kernel, source in kernels(name, "opencl.cl").items():
        assert Device["OPENCL"].compile(source, kernel)


def test_a_source_that_is_broken_is_refused(tmp_path):
    """The same command, so that the tests above can fail."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc here")
    [source] = kernels("pad", "c.c").values()
    (tmp_path / "pad.c").write_text(source.replace("data0[", "data9[", 1))
    run = subprocess.run(["gcc", "-c", "-O0", *WIDE, "pad.c"], cwd=tmp_path, capture_output=True)
    assert run.returncode != 0


def test_every_kernel_on_record_is_read():
    for name in golden.names():
        text = (golden.golden_dir() / name / "c.c").read_text(encoding="utf-8")
        assert len(kernels(name, "c.c")) == text.count("// kernel ")
