"""Tensor programs on the CUDA device, over a stand-in for its driver that does things late."""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest
from cuda_devices import cuda, cuda_standin
from cuda_steps import (
    PROGRAMS,
    ROWS,
    STEPS,
    agrees,
    has_sizes_that_are_none,
    has_symbolic_sizes,
    on_cuda,
    replays_with_other_arguments,
)
from pairs import in_turn

from rulewright import Context, jit
from rulewright.errors import (
    CompileError,
    DeviceError,
    DeviceRuntimeError,
    RulewrightWarning,
    ShapeError,
)
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.cuda import streams
from rulewright.runtime.cuda.compiler import compile_cubin
from rulewright.runtime.device import Device
from rulewright.runtime.profile import clear_profile, profile_events

SEEDS = (0, 1, 3)  # the first does nothing before somebody waits


@pytest.fixture(params=SEEDS)
def driver(request):
    with cuda_standin(request.param) as found:
        yield found
        assert not found.faults


@pytest.fixture
def one_driver():
    with cuda_standin(0) as found:
        yield found


@pytest.mark.parametrize(("driver", "name"), in_turn(SEEDS, PROGRAMS), indirect=["driver"])
def test_a_program_gives_what_the_interpreter_gives(name, driver):
    agrees(name)


@pytest.mark.parametrize(("driver", "step"), in_turn(SEEDS, STEPS), indirect=["driver"])
def test_a_step_gives_what_it_should(step, driver):
    step()
    assert driver.calls["cuLaunchKernel"] > 0


def test_a_replay_is_one_graph_whose_arguments_change(one_driver):
    replays_with_other_arguments()
    calls = one_driver.calls
    assert calls["cuGraphLaunch"] == 4 and calls["cuGraphInstantiate"] == 1
    assert calls["cuGraphExecKernelNodeSetParams"] > 0


def test_other_sizes_are_the_same_graph(one_driver):
    has_symbolic_sizes()
    assert one_driver.calls["cuGraphLaunch"] == 2 and one_driver.calls["cuGraphInstantiate"] == 1


def test_kernels_of_no_elements_are_left_out_of_the_graph(one_driver):
    has_sizes_that_are_none()
    assert one_driver.calls["cuGraphNodeSetEnabled"] > 1
    assert one_driver.calls["cuGraphInstantiate"] == 1


# ---- jit ------------------------------------------------------------------------------------


def test_a_capture_with_a_copy_to_the_host_runs_in_parts(one_driver, capsys):
    def function(x):
        return ((x * 2).contiguous() + 1).to("C").sum(0) + 1

    with Context(DEBUG=1):
        step = jit(function)
        for number in range(4):
            found = step(on_cuda(ROWS + number))
            expected = ((ROWS + number) * 2 + 1).sum(0) + 1
            np.testing.assert_array_equal(found.numpy(), expected)
    assert "not as one: kernel 2 copies from CUDA to C" in capsys.readouterr().err


def test_a_driver_without_graphs_launches_kernels_one_by_one():
    with cuda_standin(1, graphs=False) as driver:
        step = jit(lambda x: (x * 2).contiguous().sum(0))
        for number in range(2):
            step(on_cuda(ROWS + number))
        with pytest.warns(RulewrightWarning, match="makes no graph of 2 kernels .*NOT_SUPPORTED"):
            found = step(on_cuda(ROWS + 2))
        np.testing.assert_array_equal(found.numpy(), ((ROWS + 2) * 2).sum(0))
        found = step(on_cuda(ROWS + 3))
        np.testing.assert_array_equal(found.numpy(), ((ROWS + 3) * 2).sum(0))
        assert "cuGraphLaunch" not in driver.calls


def test_graphs_that_nobody_runs_are_destroyed(one_driver):
    for _ in range(3):
        step = jit(lambda x: (x * 2).contiguous().sum(0))
        for _ in range(3):
            step(on_cuda(ROWS)).numpy()
        del step
        gc.collect()
    assert one_driver.calls["cuGraphExecDestroy"] == one_driver.calls["cuGraphDestroy"] == 2
    assert one_driver.calls["cuGraphInstantiate"] == 3


# ---- copies and memory ----------------------------------------------------------------------


def test_large_copies_go_in_pieces(one_driver):
    data = np.arange((10 << 20) // 4 + 3, dtype=np.int32)
    buffer = Buffer("CUDA", data.size, dtypes.i32).copyin(data)
    np.testing.assert_array_equal(buffer.numpy(), data)
    assert one_driver.calls["cuMemcpyHtoDAsync"] == one_driver.calls["cuMemcpyDtoHAsync"] == 3


def test_pinned_arrays_are_copied_without_a_copy_between(one_driver):
    array = cuda().pinned((70, 300), np.float32)
    array[:] = ROWS
    before = one_driver.calls["cuMemHostAlloc"]
    buffer = Buffer("CUDA", ROWS.size, dtypes.f32).copyin(array)
    assert one_driver.calls["cuMemHostAlloc"] == before
    cuda().synchronize()
    array[:] = 0  # from now on
    buffer.copyout(array)
    np.testing.assert_array_equal(array, ROWS)
    del array
    gc.collect()
    cuda().pinned(1, np.uint8)
    assert one_driver.calls["cuMemFreeHost"] == 1


def test_pinned_arrays_of_sizes_that_there_are_not(one_driver):
    for shape in (-2, (-1, -3), (0, -1)):
        with pytest.raises(ShapeError, match="sizes of 0 or more"):
            cuda().pinned(shape, np.float32)
    assert cuda().pinned((0, 3), np.float32).shape == (0, 3)
    assert one_driver.calls["cuMemHostAlloc"] == 1


def test_a_wait_leaves_what_others_queue_meanwhile(one_driver, monkeypatch):
    block = Buffer("CUDA", 2, dtypes.f32).block
    stream = cuda().streams.compute
    streams.note(stream, [block])

    def wait(self, count):
        self.queued()  # as another thread may do
        streams.note(self, [block])

    monkeypatch.setattr(streams.Stream, "wait", wait)
    streams.wait_for(block)
    assert block.uses == {stream: stream.count}
    monkeypatch.setattr(streams.Stream, "wait", lambda *_: None)
    streams.wait_for(block)
    assert not block.uses


def test_memory_that_runs_out():
    with cuda_standin(0, capacity=4 << 20) as driver:
        kept = [Buffer("CUDA", 1 << 18, dtypes.f32).allocate() for _ in range(3)]
        del kept[1:]
        for size in (300_000, 400_000, 500_000):  # each fits only where the cache is given back
            Buffer("CUDA", size, dtypes.f32).copyin(np.ones(size, np.float32)).numpy()
        assert driver.calls["cuMemFree"] >= 2
        message = r"device CUDA has no [\d,]+ bytes left; 1,048,576 bytes are in use by live"
        with pytest.raises(DeviceRuntimeError, match=message):
            Buffer("CUDA", 1 << 20, dtypes.f32).allocate()
        assert (kept[0].copyin(np.ones(1 << 18, np.float32)).numpy() == 1).all()


def test_two_gpus():
    with cuda_standin(3, gpus=2) as driver:
        x = on_cuda(ROWS)
        found = ((x * 2).to("CUDA:1") + 1).to("CUDA") * 3
        np.testing.assert_array_equal(found.numpy(), (ROWS * 2 + 1) * 3)
        assert not driver.faults and driver.calls["cuDevicePrimaryCtxRetain"] == 2
        with pytest.raises(DeviceError, match="device CUDA:2: 2 NVIDIA GPUs found"):
            Buffer("CUDA:2", 4, dtypes.f32).allocate()


# ---- errors, times, modules -----------------------------------------------------------------

OUTSIDE = """
extern "C" __global__ void outside(float *__restrict__ out) { out[threadIdx.x + 4096] = 1.0f; }
"""


def outside():
    device = cuda()
    kernel = device.runtime(device.compile(OUTSIDE, "outside"))
    return kernel.bind([Buffer("CUDA", 16, dtypes.f32)], [], (1,), (16,))


def test_an_error_that_stays_names_the_kernel(one_driver):
    launch = outside()
    said = (
        r"device CUDA, kernel outside: an access to memory that is not there "
        r"\(CUDA_ERROR_ILLEGAL_ADDRESS\)\. The device takes nothing more from this process, .*"
        r"start the process again"
    )
    with pytest.raises(DeviceRuntimeError, match=said) as caught:
        launch(wait=True)
    assert not caught.value.is_late
    with pytest.raises(DeviceRuntimeError, match=said) as caught:
        (on_cuda(ROWS) + 1).realize()
    assert caught.value.is_late and not caught.value.methods
    gc.collect()
    cuda().allocator.trim()  # of memory that is lost


def test_an_error_that_comes_late_names_the_kernels_it_may_be_of(one_driver):
    x = on_cuda(ROWS).realize()
    launch = outside()
    (x * 2).realize()
    launch()
    with pytest.raises(DeviceRuntimeError, match=r"queued last: .*, outside; with") as caught:
        x.numpy()
        cuda().synchronize()
    assert caught.value.is_late


def test_kernels_are_timed_on_the_device(one_driver, capsys):
    clear_profile()
    x = on_cuda(ROWS).realize()
    with Context(DEBUG=2):
        (x + 1).realize()
    assert "CUDA " in capsys.readouterr().err
    with Context(PROFILE=1):
        (x * 5).realize()
    (event,) = [e for e in profile_events() if e.category == "kernel"]
    assert event.seconds == pytest.approx(0.25e-3 * 2)  # the kernel, and the end's own moment


def test_a_cubin_is_loaded_once_and_kept_on_disk(one_driver, empty_cache):
    device = cuda()
    first = device.compile(OUTSIDE, "outside")
    for _ in range(3):
        device.runtime(device.compile(OUTSIDE, "outside"))
    assert one_driver.calls["cuModuleLoadData"] == 1
    folder = empty_cache / "cubins"
    assert len(list(folder.iterdir())) == 1
    assert compile_cubin(OUTSIDE, "outside", "sm_80") == first.binary  # of the stand-in
    assert len(list(folder.iterdir())) == 2
    for entry in folder.iterdir():
        entry.write_bytes(b"damaged")
    assert device.compile(OUTSIDE, "outside").binary == first.binary


def test_a_kernel_that_the_driver_does_not_have(one_driver):
    device = cuda()
    with pytest.raises(DeviceRuntimeError, match=r"device CUDA: .*CUDA_ERROR_NOT_FOUND"):
        device.runtime(device.compile(OUTSIDE, "inside"))
    with pytest.raises(DeviceRuntimeError, match="CUDA_ERROR_INVALID_IMAGE"), device.lock:
        device.module(b"no cubin")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_is_told_that_it_cannot_use_the_device(one_driver):
    buffer = Buffer("CUDA", 16, dtypes.f32).copyin(np.ones(16, np.float32))
    child = os.fork()
    if child == 0:
        try:
            buffer.numpy()
        except DeviceError as error:
            os._exit(0 if "before this process was forked" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (buffer.numpy() == 1).all()


def test_what_is_asked_of_no_gpu():
    with cuda_standin(0, gpus=0):
        assert Device.why_not("CUDA") == "no NVIDIA GPU was found"
        with pytest.raises(DeviceError, match="CUDA cannot run here: no NVIDIA GPU was found"):
            on_cuda(ROWS).realize()


def test_source_that_is_refused(one_driver, monkeypatch):
    compiler = __import__("sys").modules["cuda.bindings.nvrtc"]
    monkeypatch.setattr(compiler, "nvrtcCompileProgram", lambda *_: (one_driver.CUresult(1),))
    monkeypatch.setattr(compiler, "nvrtcGetProgramLogSize", lambda _: (0, 8), raising=False)
    monkeypatch.setattr(compiler, "nvrtcGetProgramLog", lambda *_: (0,), raising=False)
    with Context(CACHE=0), pytest.raises(CompileError, match="NVRTC refused kernel outside"):
        cuda().compile(OUTSIDE, "outside")
