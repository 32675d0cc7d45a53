"""What emulated GPU devices refuse: launches beyond the target's limits, sources, and machines."""

from __future__ import annotations

import os
import platform
import resource
import shutil
from concurrent.futures import ThreadPoolExecutor
from math import prod
from pathlib import Path

import numpy as np
import pytest
from emulated_kernels import DEVICES, SIZE, launch, numbers, source

from rulewright import Tensor, Variable
from rulewright.errors import CompileError, DeviceError, DeviceRuntimeError
from rulewright.ir.dtypes import dtypes
from rulewright.options import Context
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.compiler import Compiler, compile_c, find_compiler
from rulewright.runtime.device import Device
from rulewright.runtime.emulated import library
from rulewright.runtime.emulated.device import EmulatedCudaDevice

NOTHING = "  out[i] = in[i];"


def bound(device: str, text: str, blocks, threads):
    on = Device[device]
    buffers = [Buffer(on, SIZE, dtypes.f32).copyin(numbers()) for _ in range(2)]
    return on.runtime(on.compile(text, "k")).bind(buffers, [SIZE], blocks, threads)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("threads", [(257,), (16, 17), (8, 8, 5)])
def test_a_block_has_no_more_threads_than_the_target_allows(device, threads):
    with pytest.raises(
        DeviceRuntimeError, match=r"kernel k: threads of a block are at most 256 on"
    ):
        bound(device, source(NOTHING, device), (1,), threads)


def test_a_kernel_runs_with_no_more_threads_than_it_is_compiled_for():
    text = source(NOTHING, "CUDA_EMULATED").replace("void k", "void __launch_bounds__(32)\nk")
    bound("CUDA_EMULATED", text, (2,), (32,))(wait=True)
    with pytest.raises(DeviceRuntimeError, match=r"compiled for are at most 32 on .*, found 64"):
        bound("CUDA_EMULATED", text, (2,), (64,))


@pytest.mark.parametrize(("device", "bytes"), list(zip(DEVICES, (49152, 32768), strict=True)))
def test_shared_memory_is_no_larger_than_the_target_s(device, bytes):
    body = "  SHAREDfloat s[%d];\n  s[t] = in[i];\n  BARRIER\n  out[i] = s[63 - t];"
    launch(body % (bytes // 4), device)
    with pytest.raises(DeviceRuntimeError, match=f"shared memory are at most {bytes:,} on target"):
        launch(body % (bytes // 4 + 1), device)


def test_memory_that_a_kernel_is_launched_with_is_as_much_as_the_target_has():
    body = "  extern __shared__ float s[/* %d bytes */];\n  s[t] = in[i];\n  BARRIER\n"
    body += "  out[i] = s[63 - t];"
    made = launch(body % 101376, "CUDA_EMULATED").numpy().reshape(2, 64)
    assert (made == np.arange(128).reshape(2, 64)[:, ::-1]).all()
    with pytest.raises(DeviceRuntimeError, match="shared memory are at most 101,376 on target"):
        launch(body % 101392, "CUDA_EMULATED")
    with pytest.raises(
        DeviceRuntimeError, match=r"out of bounds: thread .* takes element 63 of float"
    ):
        launch(body % 252, "CUDA_EMULATED")


@pytest.mark.parametrize("sizes", [(1, 65536), (1, 1, 65536)])
def test_cuda_has_65535_blocks_along_all_axes_but_the_first(sizes):
    text = source("  if (i < 0) out[i] = in[i];", "CUDA_EMULATED")
    bound("CUDA_EMULATED", text, (65536,), (1,))
    with pytest.raises(DeviceRuntimeError, match=r"second or third axis are at most 65,535 on"):
        bound("CUDA_EMULATED", text, sizes, (1,))


def test_a_launch_has_numbers_for_its_blocks_and_room_for_its_buffers():
    with pytest.raises(DeviceRuntimeError, match=r"blocks are at most 4,294,967,294 on"):
        bound("CUDA_EMULATED", source(NOTHING, "CUDA_EMULATED"), (2**31 - 1, 3), (1,))
    on = Device["CUDA_EMULATED"]
    given = ", ".join(f"float *p{n}" for n in range(513))
    runtime = on.runtime(on.compile(f'extern "C" __global__ void k({given}) {{ p0[0] = 1; }}', "k"))
    with pytest.raises(DeviceRuntimeError, match=r"buffers are at most 512 on .*, found 513"):
        runtime.bind([Buffer(on, 1, dtypes.f32)] * 513)


def test_a_launch_without_memory_left_says_so():
    buffers = [Buffer("CUDA_EMULATED", 1 << 23, dtypes.f32).allocate() for _ in range(2)]
    launch(NOTHING, "CUDA_EMULATED")
    child = os.fork()
    if child == 0:
        try:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)
            launch(NOTHING, "CUDA_EMULATED", *buffers)
        except DeviceRuntimeError as error:
            os._exit("no addresses or memory are left for its buffers" not in str(error))
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("rows", [65535, 65536, "n"])
def test_kernels_for_cuda_put_long_axes_first(rows):
    n = Variable("n", 1, 65536).bind(2) if rows == "n" else rows
    x = Tensor.empty(65536, 3, 513, device="CUDA_EMULATED")[:n]
    [*_, last] = x.softmax(1).schedule_with_vars()[0]
    groups, items = last.lower().launch
    assert all((g if isinstance(g, int) else g.vmax) <= 65535 for g in groups[1:])
    assert prod((g if isinstance(g, int) else g.vmax) for g in (*groups, *items)) >= 513 * 65535


@pytest.mark.parametrize("device", DEVICES)
def test_no_blocks_do_nothing(device):
    bound(device, source("  out[99999999] = 0;", device), (2, 0), (64,))(wait=True)


@pytest.mark.parametrize("sizes", [(-1,), (1, 1, 1, 1)])
def test_a_launch_has_one_to_three_sizes(sizes):
    with pytest.raises(DeviceError, match="launch sizes must be one to three numbers"):
        bound("CUDA_EMULATED", source(NOTHING, "CUDA_EMULATED"), sizes, (64,))


def metal_of(count: int) -> str:
    given = ", ".join(f"device float *p{n} [[buffer({n})]]" for n in range(count))
    return f"kernel void many({given}) {{ p0[0] = 1; }}"


def test_metal_has_31_buffers():
    device = Device["METAL_EMULATED"]
    device.compile(metal_of(31), "many")
    with pytest.raises(CompileError, match="32 buffers and variables, of which 31 can be"):
        device.compile(metal_of(32), "many")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (metal_of(2).replace("buffer(1)", "buffer(2)"), r"must count from 0 on, found \[0, 2\]"),
        (metal_of(1).replace("many", "few"), "the source defines no kernel many"),
        (metal_of(1).replace("p0[0] = 1", "p0[0] = nothing"), "nothing"),
        (metal_of(1).replace("p0[0] = 1", "double x = 1"), "poisoned"),
        (metal_of(1).replace("p0 [[", " [["), r"a parameter without a name: device float \*"),
        (
            metal_of(1).replace("]])", "]], uint lane [[thread_index_in_simdgroup]])"),
            r"parameter lane: \[\[thread_index_in_simdgroup\]\] is not emulated",
        ),
    ],
)
def test_a_source_that_is_refused_is_shown(text, message):
    with pytest.raises(CompileError, match=message) as caught:
        Device["METAL_EMULATED"].compile(text, "many")
    assert "    1 | kernel void" in str(caught.value)


def test_a_launch_has_as_many_buffers_as_the_kernel():
    with pytest.raises(DeviceRuntimeError, match="kernel k takes 2 buffers, found 1"):
        on = Device["CUDA_EMULATED"]
        runtime = on.runtime(on.compile(source(NOTHING, "CUDA_EMULATED"), "k"))
        runtime.bind([Buffer(on, SIZE, dtypes.f32)], [SIZE])
    for values in ([], [SIZE, SIZE]):
        with pytest.raises(DeviceRuntimeError, match=f"takes 1 variables, found {len(values)}"):
            runtime.bind([Buffer(on, SIZE, dtypes.f32) for _ in range(2)], values)


def test_a_compiler_without_cpp_is_refused_with_what_to_install(tmp_path):
    found = find_compiler().command[0]
    script = tmp_path / "cc"
    refusal = 'case "$*" in *c++*) echo "error: no cc1plus" >&2; exit 1;; esac'
    script.write_text(f'#!/bin/sh\n{refusal}\nexec {found} "$@"\n')
    script.chmod(0o755)
    with Context(CC=str(script)):
        reason = Device.why_not("CUDA_EMULATED") or ""
        assert "error: no cc1plus" in reason and "install g++ or clang++" in reason
        with pytest.raises(DeviceError, match="device CUDA_EMULATED:1 cannot run here"):
            EmulatedCudaDevice("CUDA_EMULATED:1")


def test_another_system_is_refused(monkeypatch):
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    assert Device.why_not("METAL_EMULATED") == "GPUs are emulated on Linux only"


@pytest.mark.parametrize("meaning", ["RW_PORTABLE", "RW_BLOCKS_BEFORE 4294967288u"])
def test_fibers_of_the_c_library_and_numbers_that_begin_anew_do_the_same(monkeypatch, meaning):
    parts = [(library.FOLDER / part).read_text() for part in library.PARTS]
    made = compile_c(f"#define {meaning}\n" + "\n".join(parts), name="another emulator")
    library.emulator()  # which declares what is called
    found = library.load_function(made, "rw_emulate", library.SIGNATURE)
    monkeypatch.setattr(library, "emulator", lambda: found)
    body = "  SHAREDfloat s[64];\n  s[t] = in[i];\n  BARRIER\n  out[i] = s[63 - t];"
    expected = numbers().reshape(2, 64)[:, ::-1].reshape(-1)
    for _ in range(7):
        np.testing.assert_array_equal(launch(body, "CUDA_EMULATED").numpy(), expected)
        with pytest.raises(DeviceRuntimeError, match="data race"):
            launch(body.replace("  BARRIER\n", ""), "CUDA_EMULATED")


def test_zig_is_refused(monkeypatch):
    zig = Compiler(("python", "-m", "ziglang", "cc"), "clang version 20")
    monkeypatch.setattr(library, "find_compiler", lambda: zig)
    assert "does not check bounds of arrays; install g++" in (Device.why_not("CUDA_EMULATED") or "")


def test_a_report_without_the_tool_that_knows_lines_quotes_none(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(DeviceRuntimeError, match=r"reads 4 bytes at in\[128\] \(128 .* f32\)$"):
        launch("  out[i] = in[i + 1];", "CUDA_EMULATED")


def test_the_source_that_is_printed_is_the_target_s(cli, tmp_path):
    graph = tmp_path / "negated.uop"
    graph.write_text('graph g {\n  a = PARAM[0, (4,), "C"]:f32\n  b = NEG(a):f32\n  return b\n}\n')
    printed = [cli("compile", str(graph), "--device", name) for name in ("METAL", DEVICES[1])]
    assert printed[0].exit_code == 0, printed[0].output
    assert "[[buffer(1)]]" in printed[0].stdout and printed[0].stdout == printed[1].stdout


def test_threads_of_python_launch_one_after_another():
    body = "  SHAREDfloat s[64];\n  s[t] = in[i];\n  BARRIER\n  out[i] = s[63 - t];"
    expected = numbers().reshape(2, 64)[:, ::-1].reshape(-1)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: launch(body, "CUDA_EMULATED").numpy(), range(40)):
            np.testing.assert_array_equal(found, expected)


def test_a_fork_s_child_launches_too():
    out = launch(NOTHING, "CUDA_EMULATED")
    child = os.fork()
    if child == 0:
        same = (launch(NOTHING, "CUDA_EMULATED").numpy() == out.numpy()).all()
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
