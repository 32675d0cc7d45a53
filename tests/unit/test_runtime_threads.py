"""The thread pool: every iteration once, whatever the cut, the threads, forks or callers."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from thread_kernels import SOURCE, kernel, run_count

from rulewright.options import Context
from rulewright.runtime.clib import int64_array, load_function, pointer_array
from rulewright.runtime.compiler import compile_c
from rulewright.runtime.threads import (
    cores,
    make_launch,
    pool_run,
    run_all,
    run_parallel,
    thread_count,
    workers,
)


@settings(max_examples=60)
@given(st.integers(0, 300), st.integers(0, 320), st.integers(1, 6), st.integers(-3, 3))
def test_every_iteration_runs_once(count: int, block: int, threads: int, step: int) -> None:
    assert (run_count(count, block, threads, step) == step + np.arange(count)).all()


def test_many_launches_one_after_another() -> None:
    """Late workers of one launch must never touch the next."""
    x = np.zeros(64, np.int64)
    buffers, variables = pointer_array([x.ctypes.data]), int64_array([0])
    launches = [make_launch(kernel(), buffers, variables, n, 1 + n % 3, 4) for n in range(1, 65)]
    replay = run_all(launches)
    for _ in range(300):
        replay()
    index = np.arange(64)
    assert (x == 300 * (64 - index) * index).all()


def test_sleeping_workers_wake() -> None:
    for _ in range(3):
        time.sleep(0.01)  # far beyond the time that workers spin
        assert (run_count(100, 10, 3) == 1 + np.arange(100)).all()


def test_callers_in_several_threads() -> None:
    failures = []

    def call(count: int) -> None:
        for _ in range(200):
            if not (run_count(count, 7, 3) == 1 + np.arange(count)).all():
                failures.append(count)

    threads = [threading.Thread(target=call, args=(50 + k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_workers_work_and_python_goes_on() -> None:
    """A long kernel holds no lock of Python's, and leaves blocks to the workers."""
    x = np.zeros(64)
    ticks = 0
    done = threading.Event()

    def run() -> None:
        run_parallel(
            load_function(compile_c(SOURCE), "spin"),
            pointer_array([x.ctypes.data]),
            int64_array([20_000_000]),
            4,
            2,
        )
        done.set()

    threading.Thread(target=run).start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    assert ticks > 5
    assert workers() >= 1
    assert (x[:32:8] == 20_000_000).all()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_makes_its_own_workers() -> None:
    assert (run_count(100, 5, 3) == 1 + np.arange(100)).all()
    child = os.fork()
    if child == 0:
        right = workers() == 0 and (run_count(100, 5, 3) == 1 + np.arange(100)).all()
        os._exit(0 if right and workers() == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert (run_count(100, 5, 3) == 1 + np.arange(100)).all()


PLACES = """
import os, sys
sys.path.insert(0, sys.argv[1])
from thread_kernels import run_count

def places():
    tasks = [int(t) for t in os.listdir("/proc/self/task")]
    return sorted(sorted(os.sched_getaffinity(t)) for t in tasks)

before = places()
run_count(1000, 10, int(sys.argv[2]))
after = places()
for place in before:
    after.remove(place)
print(after)
"""


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"),
    reason="only Linux lets a process say where its threads run, and read it back",
)
def test_workers_stay_off_the_processor_of_the_caller() -> None:
    """Unless there are as many of them as processors: then they are free."""
    allowed = sorted(os.sched_getaffinity(0))
    for threads in {2, max(2, len(allowed)), len(allowed) + 1, len(allowed) + 3}:
        command = [sys.executable, "-c", PLACES, os.path.dirname(__file__), str(threads)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        found = ast.literal_eval(done.stdout)
        assert len(found) == threads - 1
        if threads <= len(allowed):
            (missing,) = {tuple(set(allowed) - set(place)) for place in found}
            assert len(missing) == 1
        else:
            assert all(place == allowed for place in found)


def test_process_ends_cleanly_after_use() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from thread_kernels import run_count\n"
        "print(int(run_count(1000, 10, 4).sum()))"
    )
    command = [sys.executable, "-c", code, os.path.dirname(__file__)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) == 1000 + 999 * 1000 // 2 and done.stderr == ""


def test_thread_count_follows_the_option() -> None:
    with Context(THREADS=5):
        assert thread_count() == 5
    with Context(THREADS=0):
        assert thread_count() == cores() >= 1


@pytest.mark.benchmark(group="call")
def test_foreign_call(benchmark) -> None:
    """One kernel call from Python: a launch of no iterations."""
    launch = make_launch(kernel(), pointer_array([]), int64_array([0]), 1, 0, 1)
    launch.count = 0
    benchmark(pool_run(), launch)


@pytest.mark.benchmark(group="call")
def test_direct_call(benchmark) -> None:
    """A kernel called with its four arguments, of which the last two ask for one iteration."""
    x = np.zeros(2, np.int64)
    function = load_function(compile_c(SOURCE), "count")
    benchmark(function, pointer_array([x.ctypes.data]), int64_array([1]), 0, 1)
    assert x[0] > 0 == x[1]


@pytest.mark.benchmark(group="call")
def test_parallel_launch(benchmark) -> None:
    """A launch over two warm threads, next to no work in it."""
    x = np.zeros(64, np.int64)
    keep = pointer_array([x.ctypes.data]), int64_array([0])
    benchmark(pool_run(), make_launch(kernel(), *keep, 64, 32, 2))


@pytest.mark.benchmark(group="call")
def test_hundred_launches_in_one_call(benchmark) -> None:
    """A schedule of a hundred empty kernels."""
    keep = pointer_array([]), int64_array([0])
    launches = [make_launch(kernel(), *keep, 1, 0, 1) for _ in range(100)]
    for launch in launches:
        launch.count = 0
    benchmark(run_all(launches))


def test_cdata_of_a_launch_is_what_was_asked() -> None:
    launch = make_launch(kernel(), pointer_array([]), int64_array([]), 10, 2, 3)
    assert (launch.count, launch.block, launch.threads) == (10, 2, 3)
    assert launch.kernel == kernel()
