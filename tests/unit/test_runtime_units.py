"""Translation units: which kernels are compiled together, and when."""

import gc
from threading import Event

import pytest
from codegen_kernels import elementwise, matmul, softmax

from rulewright import Context, Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.driver.units import units_of
from rulewright.errors import CompileError
from rulewright.render import target
from rulewright.runtime.compiler import in_threads
from rulewright.runtime.cuda.device import CudaDevice
from rulewright.runtime.device import CompilingDevice, Device
from rulewright.runtime.host import FULL


def programs(kernels, on="C"):
    return [lower_kernel(kernel, on) for kernel in kernels]


def test_small_kernels_share_a_unit_and_each_stands_in_it_under_its_name():
    made = []
    sources = list(units_of(programs([elementwise(8), softmax(4, 8)]), target("C"), made, FULL))
    (unit,) = sources
    assert made == [unit]
    assert all(f"void {name}(" in unit.source for name in unit.names)


def test_kernels_of_one_name_are_told_apart():
    first, second = programs([matmul(40, 50, 60), matmul(40, 50, 60, transposed=True)])
    assert first.name == second.name, "what the test is about"
    (unit,) = units_of([first, second, first], target("C"), [], FULL)
    assert unit.names == [first.name, f"{first.name}__1"]
    assert all(unit.source.count(f"void {name}(") == 1 for name in unit.names)


def test_a_full_unit_is_there_before_the_next_kernel_is_made():
    made, lowered = [], []

    def one_by_one():
        for size in range(100, 112):
            lowered.append(size)
            yield lower_kernel(matmul(size, size, size), "C")

    first = next(units_of(one_by_one(), target("C"), made, FULL))
    assert first.length >= FULL
    assert len(lowered) == len(first.programs) < 12


def test_the_same_kernels_make_the_same_units():
    kernels = [matmul(size, size, size) for size in range(100, 112)]
    there, again = (
        [u.source for u in units_of(programs(kernels), target("C"), [], FULL)] for _ in "ab"
    )
    assert there == again
    assert len(there) > 1


def test_a_unit_of_a_gpu_is_one_program():
    assert issubclass(CudaDevice, CompilingDevice) and "unit_length" not in vars(CudaDevice)
    kernels = programs([elementwise(8), softmax(4, 8)], "CUDA")
    units = list(units_of(kernels, target("CUDA"), [], full=0))
    assert [len(unit.programs) for unit in units] == [1, 1]


def test_a_compiler_that_does_not_optimise_gets_more_at_once(unoptimised):
    assert Device["C"].unit_length == FULL
    with Context(CC=unoptimised):
        length = Device["C"].unit_length
    kernels = programs([matmul(size, size, size) for size in range(100, 112)])
    several = list(units_of(kernels, target("C"), [], FULL))
    (unit,) = units_of(kernels, target("C"), [], length)
    assert sum(len(u.programs) for u in several) == len(unit.programs) and len(several) > 1


def test_a_task_begins_before_the_next_one_is_made():
    begun = Event()

    def tasks():
        yield begun.set
        assert begun.wait(10), "the first task waits for the second to be made"
        yield lambda: 2

    assert in_threads(tasks()) == [None, 2]


def test_what_makes_the_tasks_may_fail():
    def tasks():
        yield lambda: 1
        raise LookupError("no second task")

    with pytest.raises(LookupError, match="no second task"):
        in_threads(tasks())


def test_the_collector_waits_for_the_compiler_and_runs_again_where_that_fails(monkeypatch):
    running = []

    def fail(_device, units):
        running.append(gc.isenabled())
        next(iter(units))  # what makes them is left as it is then
        raise CompileError("none today")

    monkeypatch.setattr(type(Device["C"]), "compile_many", fail)
    with pytest.raises(CompileError) as caught:
        (Tensor([1.0, 2.0]) * 3.25 + 0.0625).realize()
    assert caught.value and running == [False] and gc.isenabled()
